"""A matrix game played many times, with optional noise and cheap talk.

**Rules.** In every round, all players choose an action at once and get the payoffs of the chosen cell of a table. The
games are those of MatrixGame.

- **Noise.** With probability `noise`, independently for each player, a chosen action is replaced by another action. All
  other actions are equally likely; of two actions, it is the other one. The action that is actually taken counts for
  payoffs, and all players see it, including the player itself.
- **Talk.** Before every round there are `talk` exchanges of messages. In each exchange, all players name an action at
  once. A message binds nobody and is not subject to noise.

**Agents.** `player_0` chooses the row, `player_1` the column, and so on.

**Observation.** Dict. Players are counted from the observer in a circle, the observer first.

| part | space | content |
|---|---|---|
| payoffs | Box (players, cells) float64 | the table as the observer sees it, as in MatrixGame |
| history | Box (memory, players) int8 | actions of the last rounds, oldest first; -1 for rounds before the first |
| rounds_left | Box (1,) int32 | rounds left, the present one included |
| exchanges_left | Box (1,) int8 | exchanges of messages left before the present round is played |
| messages | Box (talk, players) int8 | this round's messages, in order; -1 for none; without `talk` one row of -1 |

**Actions.** Discrete: one per row of the agent's own table. With `talk`, there are as many messages before them.

| action | name | legal |
|---|---|---|
| without `talk`: k | the k-th action: `cooperate`, `defect`, ... | always |
| with `talk`: k | `say cooperate`, `say defect`, ... | in an exchange of messages |
| with `talk`: the next ones | `play cooperate`, `play defect`, ... | in the round itself |
| with `talk` and `say`: the last | `say`: says nothing | in an exchange of messages |

**Window.** The keys 1 to 9 play the first nine actions. With `talk`, the keys a, s, d, f, g, h, j, k and l say them.

**Rewards.** The payoffs of the actions that are actually taken.

**Ends.** Terminates after `rounds` rounds. With `continuation` below 1, terminates after each round with probability 1
- `continuation`, and truncates after `rounds` rounds.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `game` | "prisoners_dilemma" | a game by name, see MatrixGame |
| `players` | 2 | number of players, from 2 to 6, in the games for any number |
| `payoffs` | None | numbers that replace a named game's, or, with `game="custom"`, a table of its own |
| `rounds` | 200 | number of rounds, or their limit, from 1 to 100,000 |
| `continuation` | 1.0 | probability that another round follows, above 0, at most 1 |
| `memory` | 3 | past rounds that are observed, from 1 to 64 |
| `noise` | 0.0 | probability that another action is taken than the chosen one, from 0 to 1 |
| `talk` | 0 | exchanges of messages before each round, from 0 to 8 |
| `say` | False | with `talk`, whether players may name no action, as they need not when they talk freely |

**Level.** ``{"payoffs": [[[3, 0], [5, 1]], [[3, 5], [0, 1]]]}``: a table of the same shape as the world's own.

**Known values.** For the prisoner's dilemma with 3, 0, 5, 1:

| setting | value |
|---|---|
| 200 rounds | tit for tat 199 and the defector 204; the cooperator 0 and the defector 1000 |
| noise 0.05, no end, tit for tat with itself | 2.25 per round each |
| noise 0.05, no end, win-stay lose-shift with itself | 2.7765 per round each |
| noise 0.05, no end, generous tit for tat with itself | 2.859375 per round each |
| 10 rounds, mutual cooperation | 30 each |

256 pairs of strategies are verified against the Axelrod library. 10 rounds are the setting in which language models are
trained by advantage alignment.

**Differences.** From the Axelrod library:

- Actions are flipped by the same rule of noise, and strategies see the flipped actions. There, a strategy may look at
  the whole past; here, at `memory` rounds and at what it remembers itself.
- There, matches with `prob_end` draw their length before they start; here, each round draws. The lengths have the same
  distribution.

From others:

- In OpenSpiel's repeated games, agents see the last round's actions only.
- Messages are names of actions; language models talk freely.

**Source.** Axelrod, "The Evolution of Cooperation", 1984; the Axelrod library (Knight et al., 2016), from which
policies have their names; OpenSpiel's `create_repeated_game`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.ranges import free, within
from envsuite.core.record import copied
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.games import matrix_game
from envsuite.games.matrix_game import from_agent
from envsuite.generators.payoffs import Game
from envsuite.kit.payoff_tables import draw_table, table_size
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene, text_width
from envsuite.render.theme import agent_color

#: No action: a round that was not played, a message that was not sent.
NONE = -1

#: The number of past rounds in a picture.
SHOWN = 20

LONGEST = 100_000


def fields(sizes: Sequence[int], memory: int, talk: int) -> list[tuple]:
    """The record. The last rounds are a ring of rows. `sizes` holds each player's number of actions."""
    players, cells = len(sizes), math.prod(sizes)
    rows, action = max(memory, SHOWN), within(np.int8, NONE, np.array(sizes) - 1)
    return [
        ("payoffs", free(np.float64), (players, cells)),  # payoffs of each player, by cell of the table
        ("played", within(np.int64, 0, LONGEST)),  # rounds that are over
        ("exchange", within(np.int64, 0, talk)),  # exchanges of messages so far in this round
        ("totals", free(np.float64), (players,)),  # total payoff of each player
        ("history", action, (rows, players)),  # actions taken in the last rounds
        ("said", action, (rows, players)),  # last messages of each of these rounds
        ("messages", action, (max(talk, 1), players)),  # messages of this round, by exchange
    ]


@kernel
def reset(s):
    matrix_game.set_payoffs(s)
    s.played = 0
    s.exchange = 0
    fill(s.history, NONE)
    fill(s.said, NONE)
    for k in range(s.totals.shape[0]):
        s.totals[k] = 0.0
        for number in range(s.messages.shape[0]):
            s.messages[number, k] = NONE


@kernel
def step(s, actions, rewards):
    if s.exchange < s.params.talk:
        for k in range(s.totals.shape[0]):
            s.messages[s.exchange, k] = actions[k] if actions[k] < s.params.sizes[k] else NONE
        s.exchange += 1
    else:
        play(s, actions, rewards)


@kernel
def play(s, actions, rewards):
    """Play one round; `history` is a ring."""
    row = s.played % s.history.shape[0]
    talk = s.params.talk
    for k in range(s.totals.shape[0]):
        s.history[row, k] = done(s, k, actions[k] - (s.params.sizes[k] if talk > 0 else 0))
        if talk > 0:
            s.said[row, k] = s.messages[talk - 1, k]
            for number in range(talk):
                s.messages[number, k] = NONE
    cell = matrix_game.cell_of(s, s.history[row])
    for k in range(s.totals.shape[0]):
        rewards[k] = s.payoffs[k, cell]
        s.totals[k] += s.payoffs[k, cell]
    s.exchange = 0
    s.played += 1
    if s.params.continuation < 1.0:
        if not random.bernoulli(s, s.params.continuation):
            fill(s.terminated, 1)
        elif s.played == s.params.rounds:
            fill(s.truncated, 1)
    elif s.played == s.params.rounds:
        fill(s.terminated, 1)


@kernel
def done(s, k, action):
    """The action that a player takes after choosing this one."""
    others = s.params.sizes[k] - 1
    if s.params.noise > 0.0 and others > 0 and random.bernoulli(s, s.params.noise):
        other = random.randint(s, others)
        return other + 1 if other >= action else other
    return action


@kernel
def observe(s, agent, out):
    matrix_game.observe(s, agent, out.payoffs)
    out.rounds_left[0] = s.params.rounds - s.played
    out.exchanges_left[0] = s.params.talk - s.exchange
    players, memory, size = s.totals.shape[0], out.history.shape[0], s.history.shape[0]
    row = (s.played + size - memory) % size  # rows of rounds before the first hold NONE
    for m in range(memory):
        for k in range(players):
            out.history[m, k] = s.history[row, seat(agent + k, players)]
        row = row + 1 if row + 1 < size else 0
    for number in range(out.messages.shape[0]):
        for k in range(players):
            out.messages[number, k] = s.messages[number, seat(agent + k, players)]


@kernel
def seat(number, players):
    """A player's seat, counted in a circle."""
    return number if number < players else number - players


@kernel
def legal(s, agent, mask):
    size = s.params.sizes[agent]
    first = size if s.params.talk > 0 and s.exchange == s.params.talk else 0
    for action in range(first, first + size):
        mask[action] = 1
    if first == 0 and s.params.talk > 0 and mask.shape[0] % 2 == 1:  # there are two for each choice, and the silent one
        mask[2 * size] = 1


@kernel
def guess(s, agent):
    """Do nothing: only past rounds are hidden, and all players have seen them."""


_NAMED = "all players name one of their choices at once."
PAGE = Page(
    role=("You play the same game again and again with {others}.", When("title", "It is called {title}.")),
    goal="In each round you are paid what a table of payoffs says for you. Your result is the sum over all rounds.",
    rules=(
        (
            "In a round all players choose at once, unseen by the others. For each combination of choices the table "
            "says what each player gets; it is the same table in all rounds, and you see all of it.",
            When(
                "noise",
                "Each player's choice goes wrong with a probability of {noise}, independently of the others: chance "
                "then puts another choice in its place, all others with the same probability. Only the choices that "
                "are taken in the end count, and only they are seen.",
            ),
        ),
        When(
            "talk",
            (
                Case("talk", {1: "Before each round"}, "Before each round, {talk} times,"),
                When("silence", "all players name one of their choices, or none, at once.", _NAMED),
                "Nobody is bound by what it said.",
                When("noise", "What is said never goes wrong."),
            ),
        ),
    ),
    sees=(
        "Each turn shows what all players, yourself included, did in the last",
        Case("memory", {1: "round."}, "{memory} rounds."),
        When("talk", "It also shows what has been said before this round."),
    ),
    acts={
        "say": When("silence", "name none of your choices, before a round"),
        "say {CHOICE}": When("talk", "name {choices}, before a round"),
        "play {CHOICE}": When("talk", "choose {choices}, in a round"),
        "{CHOICE}": When("talk", "", "choose {choices}"),
    },
    ends=Case(
        "endless",
        {
            True: (
                "After each round another one follows with a probability of {continuation}, but there {are} at most "
                "{rounds:round}."
            ),
        },
        "There {are} {rounds:round}.",
    ),
    unsaid={"payoffs": "each turn shows the table"},
)


#: What policies say in free talk.
PHRASES = {
    "say {}": (
        "My choice will be {0}.",
        "I am going for {0}.",
        "You can expect {0} from me.",
        "This round it is {0} for me.",
        "I plan on {0}.",
    ),
}


class RepeatedGame(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess

    kind = ("bargaining", "dilemmas")
    verified = "Axelrod's 200-turn totals; exact payoffs of memory-one strategies"
    variants = (dict(game="stag_hunt", rounds=7, continuation=0.9, noise=0.1, memory=2, talk=2, say=True),)
    shown = "gtft"
    player_page = PAGE

    def __init__(
        self,
        game: Game = "prisoners_dilemma",
        players: Annotated[int, Between(2, 6)] = 2,
        payoffs: list | None = None,
        rounds: Annotated[int, Horizon(1, LONGEST)] = 200,
        continuation: Annotated[float, Between(0, 1)] = 1.0,
        memory: Annotated[int, Between(1, 64)] = 3,
        noise: Annotated[float, Between(0, 1)] = 0.0,
        talk: Annotated[int, Between(0, 8)] = 0,
        say: bool = False,
    ):
        if continuation == 0:
            raise ParameterError("RepeatedGame: continuation=0 must be above 0; a single round is MatrixGame")
        self.title, table, self.choices = matrix_game.tables("RepeatedGame", game, players, payoffs)
        self.sizes = table.shape[1:]
        most = max(self.sizes)
        if most > 127:
            raise ParameterError(f"RepeatedGame: payoffs with {most} actions of a player; 127 at most")
        self.masked = talk > 0
        agents = [f"player_{k}" for k in range(len(table))]
        names = [tuple(f"{verb} {c}" for verb in ("say", "play") for c in own) if talk else own for own in self.choices]
        self.phrases = PHRASES if talk else {}
        self.neutral = "say" if talk and say else ""
        if self.neutral:
            names = [(*own, self.neutral) for own in names]
        shown = max(self.choices, key=len)[:9]
        verb = "play " if talk else ""
        keys = {str(k + 1): verb + name for k, name in enumerate(shown)}
        if talk:
            keys |= {"asdfghjkl"[k]: f"say {name}" for k, name in enumerate(shown)}
        self.keys = keys
        count = len(table)
        self.define(
            agents=agents,
            actions=dict(zip(agents, names)),
            observation=Dict(
                payoffs=Box(-np.inf, np.inf, (count, table[0].size), np.float64),
                history=Box(NONE, most - 1, (memory, count), np.int8),
                rounds_left=Box(0, rounds, (1,), np.int32),
                exchanges_left=Box(0, talk, (1,), np.int8),
                messages=Box(NONE, most - 1 if talk else NONE, (max(talk, 1), count), np.int8),
            ),
            fields=fields(self.sizes, memory, talk),
            params={
                "payoffs": table.reshape(count, -1),
                "sizes": np.array(self.sizes),
                "rounds": rounds,
                "continuation": float(continuation),
                "noise": float(noise),
                "talk": talk,
            },
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        matrix_game.level_payoffs(self, s, level)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"payoffs": s.payoffs.reshape(-1, *self.sizes).tolist()}

    def past(self, s: Any, count: int) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """At most `count` of the last rounds, oldest first: the number from 1, the actions, the last messages."""
        size = len(s.history)
        numbers = range(max(0, int(s.played) - min(count, size)), int(s.played))
        return [(number + 1, s.history[number % size], s.said[number % size]) for number in numbers]

    def contradiction(self, s: Any) -> str | None:
        over = s.terminated[0] or s.truncated[0]
        return "all rounds have been played" if s.played >= s.params.rounds + over else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {
            "title": "" if self.parameters["game"] == "custom" else self.title,
            "choices": matrix_game.choices_told(self.choices[agent]),
            "silence": self.neutral,
            "endless": s.params.continuation < 1,
            "are": "is" if s.params.rounds == 1 else "are",
        }

    def text(self, s: Any, agent: int) -> str:
        order = from_agent(agent, len(self.agents))
        over = bool(s.terminated.any() or s.truncated.any())
        memory = self.observation_spaces[0]["history"].shape[0]  # type: ignore[index]
        lines = [f"Game: {self.title}, repeated. You are {self.agents[agent]} of {len(order)}."]
        lines += matrix_game.payoff_lines(self, s, agent, self.choices)
        for number, row, _ in self.past(s, memory):
            lines.append(f"Round {number}: " + self._told(row, agent, order) + ".")
        if over:
            return "\n".join([*lines, f"It is over after {s.played} rounds."])
        of = f" of {s.params.rounds}" if s.params.continuation == 1 else ""
        lines.append(f"This is round {s.played + 1}{of}.")
        for row in s.messages[: s.exchange]:
            if said := self._told(row, agent, order):
                lines.append(f"Said: {said}.")
        if s.params.talk:
            lines.append("Now all say something." if s.exchange < s.params.talk else "Now all play.")
        return "\n".join(lines)

    def _told(self, row: Any, agent: int, order: list[int]) -> str:
        """What the players of a row did or said, but for those that said nothing."""
        named = [(k, self.choices[k][row[k]]) for k in order if row[k] != NONE]
        return ", ".join(f"{'you' if k == agent else self.agents[k]} {choice}" for k, choice in named)

    def messages(self, s: Any) -> list[tuple[int, str]]:
        said = [(k, choice) for row in s.messages[: s.exchange] for k, choice in enumerate(row)]
        return [(k, self.choices[k][choice]) for k, choice in said if choice != NONE]

    def speech(self, s: Any, agent: int, action: int) -> Collection[int] | None:
        """All hear all messages."""
        return range(len(self.agents)) if s.exchange < s.params.talk else None

    def unspoken(self, s: Any) -> Any:
        """No messages, for these bind nobody."""
        quiet = copied(s)
        quiet.messages[:] = quiet.said[:] = NONE
        return quiet

    # The picture: the table; below it, for each player, a row with its name, messages, last rounds and total.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        players = len(self.agents)
        width, height = table_size(self.sizes, self.choices)
        talk = int(s.params.talk) > 0
        widest = max(text_width(choice, 0.4) for own in self.choices for choice in own)
        bubble = widest + 1.2 if talk else 0.0
        left = 2.9 + bubble + (0.2 if talk else 0.0)
        scene = Scene(max(left + 0.6 * SHOWN + 3.0, width + 1.2), height + 3.35 + 1.15 * players)
        over = bool(s.terminated.any() or s.truncated.any())
        of = f" of {s.params.rounds}" if s.params.continuation == 1 else ""
        moment = f"over after {s.played} rounds" if over else f"round {s.played + 1}{of}"
        scene.add(Label(0.6, 0.85, self.title, 0.65, align="left", bold=True))
        scene.add(Label(scene.width - 0.6, 0.85, moment, 0.5, "muted", "right"))
        past = self.past(s, SHOWN)
        played = tuple(int(k) for k in past[-1][1]) if past else None
        table = s.payoffs.reshape(-1, *self.sizes)
        draw_table(scene, (scene.width - width) / 2, 1.5, table, self.choices, played)
        top = height + 2.4
        for column, (number, _, _) in enumerate(past):
            if number % 5 == 0 or len(past) == 1:
                scene.add(Label(left + 0.6 * column + 0.3, top, str(number), 0.34, "muted"))
        scene.add(Label(scene.width - 0.6, top, "total", 0.38, "muted", "right"))
        for k in range(players):
            middle = top + 0.8 + 1.15 * k
            scene.add(Rect(0.4, middle - 0.5, scene.width - 0.8, 1.0, "panel", radius=0.2))
            scene.add(Label(0.7, middle, self.agents[k], 0.46, agent_color(k), "left", bold=True))
            scene.add(Label(scene.width - 0.7, middle, f"{s.totals[k]:.6g}", 0.56, agent_color(k), "right", bold=True))
            if talk:
                self._draw_message(scene, s, k, middle, bubble)
            for column in range(SHOWN):
                x = left + 0.6 * column + 0.05
                if column < len(past):
                    _, row, said = past[column]
                    action = int(row[k])
                    letter = self.choices[k][action][:1] if len(self.choices[k]) <= 9 else ""
                    scene.add(Rect(x, middle - 0.25, 0.5, 0.5, action_color(action), radius=0.1))
                    scene.add(Label(x + 0.25, middle, letter, 0.32, "white", bold=True))
                    if said[k] != NONE and said[k] != action:  # a dot: the action differs from the message
                        scene.add(Circle(x + 0.25, middle + 0.37, 0.07, action_color(int(said[k])), glyph=""))
                else:
                    scene.add(Rect(x, middle - 0.25, 0.5, 0.5, None, "line", 0.025, 0.1))
        return scene

    def _draw_message(self, scene: Scene, s: Any, k: int, middle: float, width: float) -> None:
        """Draw the player's message of this round, or of the last round if nothing has been said yet."""
        if s.exchange:
            message = int(s.messages[s.exchange - 1, k])
        elif s.played:
            message = int(s.said[(s.played - 1) % len(s.said), k])
        else:
            message = NONE
        if message == NONE:
            return
        x = 3.05
        scene.add(Polygon([(x - 0.15, middle), (x + 0.1, middle - 0.12), (x + 0.1, middle + 0.12)], "white"))
        scene.add(Rect(x, middle - 0.34, width - 0.35, 0.68, "white", radius=0.25))
        color = action_color(message) if s.exchange else "muted"
        scene.add(Label(x + width / 2 - 0.17, middle, self.choices[k][message], 0.4, color))


def action_color(action: int) -> str:
    """The color of an action in the picture: the first is green, the second red."""
    return ("good", "bad", "gold", "purple", "sky", "brown")[action % 6]


env, raw_env, parallel_env = pettingzoo_forms(RepeatedGame)
