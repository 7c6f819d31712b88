"""Trust-and-Split: two agents tell each other their hands, or lie, and then claim coins.

**Rules.** In every round there are 10 coins to divide. Each agent is dealt a hand: rock, paper or scissors. The two
hands differ; the six deals are equally likely. A coin is worth 10 points to the agent whose hand beats the other's, and
1 point to the other agent. Paper beats rock, scissors beat paper, rock beats scissors. Agents see only their own hand,
which wins against one of the two possible other hands. So they can learn what a coin is worth only by talking.

1. The agents talk in turn, `talk` times each.
2. Both agents claim 0 to 10 coins at the same time. Claims that the coins cover are met. Two claims x and y that exceed
   them get 10 x / (x + y) and 10 y / (x + y).
3. Both agents learn the hands and claims.

The first speaker is drawn for the first round and alternates after it.

**Agents.** `player_0` and `player_1`. Seats are fixed.

**Observation.** Box (8 + 4 talk,) int8. Hands are 0 rock, 1 paper, 2 scissors. A thing said is a hand, or 3 for
silence. -1 means none, or not yet.

| entries | content |
|---|---|
| 0 | the agent's hand |
| 1 | 0 while the agents talk, 1 when they claim |
| 2 | 1 if the agent speaks first in this round |
| 3 | rounds left, this one included |
| 4, 5 | hands of the last round: the agent's, the other's |
| 6, 7 | claims of the last round: the agent's, the other's |
| the next talk | what the agent said in this round |
| the next talk | what the other said in this round |
| the next talk | what the agent said in the last round |
| the next talk | what the other said in the last round |

**Actions.** Discrete (15). While the agents talk, only the speaker has legal actions.

| action | name | legal |
|---|---|---|
| 0, 1, 2 | `my hand is rock`, `my hand is paper`, `my hand is scissors` | when speaking, true or not |
| 3 | `silent` | when speaking |
| 4 + k | `claim k` | when claiming, k = 0 .. 10 |

**Window.** The keys r, p and s say rock, paper and scissors; the space bar stays silent. The keys 0 to 9 claim that
many coins, and the key a claims 10.

**Rewards.** In every round, the coins that the agent gets times the worth of a coin to it: up to 100.

**Ends.** Terminates after `rounds` rounds.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rounds` | 10 | number of rounds, from 1 to 100 |
| `talk` | 1 | things that each agent says in a round, from 0 to 4 |

**Level.** ``{"starter": 0, "hands": [[0, 2], [1, 0]]}``: the agent that speaks first in the first round, and the hands
of the first rounds. Later rounds are drawn.

**Known values.** Points of an agent per round, averaged over deals and starters:

| agents | points |
|---|---|
| both honest | 50 |
| both greedy | 27.5 |
| greedy against honest | 52.5 against 25 |
| claiming 5 each, with `talk` = 0 | 27.5 |

Honest agents name their hands; the agent with the upper hand claims all, the other nothing. Greedy agents claim all.
Without talk, no agent can claim by worth.

**Differences.** From the code of AdAlignLLM (`TrustAndSplitRPSSimulation`), whose rules, values, order of turns and
rewards are equal:

- There, talk is free text. Here, a sentence names a hand or nothing, which is all that the claims depend on.
- There, an agent learns after the round whether the other's hand was the upper one. Here, it learns the hand, which
  carries the same information.
- A variant there with hands that swap their ranks every round is left out.

**Source.** Piche, Muqeeth, Aghajohari, Duque, Noukhovitch and Courville, "Learning Robust Social Strategies with Large
Language Models", 2025, and its code, dereckpiche/AdAlignLLM.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core import random
from envsuite.core.arrays import copy, fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import read_integer, read_numbers
from envsuite.core.page import Case, Page, When
from envsuite.core.ranges import below, within
from envsuite.core.record import copied
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import bargaining
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, speech
from envsuite.render.theme import agent_color

HANDS = ("rock", "paper", "scissors")
SILENT = 3
CLAIM = 4
COINS = 10
UPPER, LOWER = 10, 1
LONGEST = 100
DEALS = 6

#: The entries of an observation.
(
    MY_HAND, CLAIMING, STARTS, LEFT, MY_LAST_HAND, THEIR_LAST_HAND, MY_LAST_CLAIM, THEIR_LAST_CLAIM, SAID,
) = range(9)  # fmt: skip


def fields(talk: int) -> list[tuple]:
    """The record; hands are in the order of `HANDS`."""
    sayings = max(talk, 1)  # Numba has no arrays of size zero
    saying = within(np.int8, -1, SILENT)
    level = [
        ("starter", below(np.int64, 2)),
        ("length", within(np.int64, 1, LONGEST)),
        ("deals", below(np.uint8, DEALS), (LONGEST,)),
    ]
    return [
        ("played", within(np.int64, 0, LONGEST)),  # rounds that are over
        ("spoken", within(np.int64, 0, 2 * talk)),  # things said in this round, by both
        ("hands", below(np.int64, 3), (2,)),  # each agent's hand
        ("said", saying, (2, sayings)),  # what each agent said in this round; -1 for later turns
        ("last_hands", within(np.int64, -1, 2), (2,)),  # hands of the last round
        ("last_said", saying, (2, sayings)),  # what each agent said in the last round
        ("claims", within(np.int64, -1, COINS), (2,)),  # coins claimed in the last round
        ("points", within(np.float64, 0, 100), (2,)),  # points of each agent in the last round
        ("totals", within(np.float64, 0, 100 * LONGEST), (2,)),  # points of each agent since the start
        ("level", level),  # the first speaker of the first round, and the deals of the first rounds
    ]


@kernel
def beats(hand, other):
    """Paper beats rock, scissors beat paper, rock beats scissors."""
    return (hand - other + 3) % 3 == 1


@kernel
def reset(s):
    s.played = 0
    if not s.level_given:
        s.level.starter = random.randint(s, 2)
        s.level.length = 1
        s.level.deals[0] = random.randint(s, DEALS)
    for a in range(2):
        s.last_hands[a] = -1
        s.claims[a] = -1
        s.points[a] = 0.0
        s.totals[a] = 0.0
        for k in range(s.said.shape[1]):
            s.said[a, k] = -1
    begin(s, s.level.deals[0])


@kernel
def begin(s, deal):
    """Start a round with one of the six deals; the messages of this round become those of the last round."""
    s.hands[0], s.hands[1] = hands_of(deal)
    s.spoken = 0
    copy(s.last_said, s.said)
    fill(s.said, -1)


@kernel
def hands_of(deal):
    """The hands of one of the six deals."""
    first = deal >> 1
    return first, (first + 1 + (deal & 1)) % 3


@kernel
def speaker(s):
    """The agent that speaks next, or -1 if the agents are to claim."""
    if s.spoken == 2 * s.params.talk:
        return np.int64(-1)
    return speaks(s, s.spoken)


@kernel
def speaks(s, number):
    """The agent whose turn to speak has this number in a round, from 0; agents alternate."""
    return (s.level.starter + s.played + number) & 1


@kernel
def worth(hand, other):
    """The worth of a coin to the agent that has this hand."""
    return UPPER if beats(hand, other) else LOWER


@kernel
def step(s, actions, rewards):
    agent = speaker(s)
    if agent >= 0:
        s.said[agent, s.spoken >> 1] = actions[agent]
        s.spoken += 1
        return
    first, second = actions[0] - CLAIM, actions[1] - CLAIM
    rewards[0] = bargaining.proportional_share(first, second, COINS) * worth(s.hands[0], s.hands[1])
    rewards[1] = bargaining.proportional_share(second, first, COINS) * worth(s.hands[1], s.hands[0])
    s.claims[0], s.claims[1] = first, second
    for a in range(2):
        s.points[a] = rewards[a]
        s.totals[a] += rewards[a]
        s.last_hands[a] = s.hands[a]
    s.played += 1
    if s.played >= s.params.rounds:
        s.terminated[0] = 1
        s.terminated[1] = 1
    elif s.played < s.level.length:
        begin(s, np.int64(s.level.deals[s.played]))
    else:
        begin(s, random.randint(s, DEALS))


@kernel
def observe(s, agent, out):
    other = 1 - agent
    talk = s.params.talk
    out[MY_HAND] = s.hands[agent]
    out[CLAIMING] = s.spoken == 2 * talk
    out[STARTS] = speaks(s, 0) == agent
    out[LEFT] = s.params.rounds - s.played
    out[MY_LAST_HAND] = s.last_hands[agent]
    out[THEIR_LAST_HAND] = s.last_hands[other]
    out[MY_LAST_CLAIM] = s.claims[agent]
    out[THEIR_LAST_CLAIM] = s.claims[other]
    for k in range(talk):
        out[SAID + k] = s.said[agent, k]
        out[SAID + talk + k] = s.said[other, k]
        out[SAID + 2 * talk + k] = s.last_said[agent, k]
        out[SAID + 3 * talk + k] = s.last_said[other, k]


@kernel
def legal(s, agent, mask):
    mover = speaker(s)
    for action in range(CLAIM):
        mask[action] = mover == agent
    for action in range(CLAIM, CLAIM + COINS + 1):
        mask[action] = mover < 0


@kernel
def guess(s, agent):
    """Draw the other's hand from the two that the agent does not have, and later rounds even if a level gave them."""
    s.hands[1 - agent] = (s.hands[agent] + 1 + random.randint(s, 2)) % 3
    s.level.length = 1


PAGE = Page(
    role="You and {others} divide coins, round after round.",
    goal=(
        "In each round you are paid the coins that you get, each at its worth to you. Your result is the sum over all "
        "rounds."
    ),
    rules=(
        "In each round there are {coins} coins. Each of you is dealt a hand, rock, paper or scissors. The two hands "
        "always differ, and all such deals are equally likely. Paper beats rock, scissors beat paper, and rock beats "
        "scissors. A coin is worth {upper} points to the player whose hand beats the other's, and {lower:point} to the "
        "other player.",
        When(
            "talk",
            (
                "First you talk in turn: each of you speaks",
                Case("talk", {1: "once,"}, "{talk} times,"),
                "and what you say may be true or not. Chance chooses who speaks first in the first round; then the "
                "first speaker alternates from round to round.",
            ),
            "You cannot talk.",
        ),
        (
            When("talk", "Then both", "Both"),
            "of you claim 0 to {coins} coins at the same time. If the claims are not more than {coins} together, each "
            "gets what it claims; the rest is lost. If they are more, all {coins} are shared in proportion to the "
            "claims, in fractions.",
        ),
    ),
    sees=(
        "You see your own hand only. After the claims you learn the other hand, both claims and what each of you was "
        "paid."
    ),
    acts={
        "my hand is {HAND}": When("talk", "say that your hand is rock, paper or scissors"),
        "silent": When("talk", "say nothing"),
        "claim {N}": "claim N coins",
    },
    ends="It is over after {rounds:round}.",
    constants={"0": "the least claim", "two": "players"},
)


#: What policies say in free talk.
PHRASES = {
    "my hand is {}": (
        "I have {0}.",
        "My hand is {0}.",
        "I was dealt {0}.",
        "It is {0} on my side.",
        "You should know that I hold {0}.",
    ),
}


class TrustAndSplit(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    turns = "mixed"

    kind = ("bargaining", "dilemmas")
    verified = "payoffs of four pairs of strategies in closed form"
    variants = (dict(talk=2), dict(talk=0))
    keys = {
        "r": "my hand is rock",
        "p": "my hand is paper",
        "s": "my hand is scissors",
        "space": "silent",
        **{str(k): f"claim {k}" for k in range(10)},
        "a": "claim 10",
    }
    player_page = PAGE
    neutral = "silent"
    phrases = PHRASES

    def __init__(self, rounds: Annotated[int, Between(1, LONGEST)] = 10, talk: Annotated[int, Between(0, 4)] = 1):
        low = np.array([0, 0, 0, 0] + [-1] * (4 + 4 * talk), np.int8)
        high = np.array([2, 1, 1, rounds, 2, 2, COINS, COINS] + [SILENT] * (4 * talk), np.int8)
        self.define(
            agents=["player_0", "player_1"],
            actions=[*(f"my hand is {hand}" for hand in HANDS), "silent", *(f"claim {k}" for k in range(COINS + 1))],
            observation=Box(low, high, (SAID + 4 * talk,), np.int8),
            fields=fields(talk),
            params={"rounds": rounds, "talk": talk},
            reward_range=(0.0, 100.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.starter = read_integer(level["starter"], f"{self.id}: the level's starter", 0, 1)
        what, sizes = f"{self.id}: the level's hands", (1, int(s.params.rounds))
        hands = read_numbers(level["hands"], what, (sizes, 2), 0, 2, whole=True).tolist()
        for k, (first, second) in enumerate(hands):
            if first == second:
                raise LevelError(f"{self.id}: hands {hands[k]!r} of round {k} must be two different ones of 0, 1 and 2")
            s.level.deals[k] = [hands_of(deal) for deal in range(DEALS)].index((first, second))
        s.level.length = len(hands)

    def get_level(self, s: Any) -> dict[str, Any]:
        hands = [list(hands_of(deal)) for deal in s.level.deals[: s.level.length].tolist()]
        return {"starter": s.level.starter, "hands": hands}

    def contradiction(self, s: Any) -> str | None:
        return "all rounds have been played" if s.played >= s.params.rounds + s.terminated[0] else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"coins": COINS, "upper": UPPER, "lower": LOWER}

    def text(self, s: Any, agent: int) -> str:
        other, lines = 1 - agent, []
        if s.played:
            mine, theirs = (int(hand) for hand in (s.last_hands[agent], s.last_hands[other]))
            words = "beat" if beats(mine, theirs) else "lost to"
            lines += [
                f"Last round your {HANDS[mine]} {words} player_{other}'s {HANDS[theirs]}.",
                f"  You claimed {s.claims[agent]} and got {s.points[agent]:.2f} points; "
                f"player_{other} claimed {s.claims[other]} and got {s.points[other]:.2f}.",
            ]
        if s.played == s.params.rounds:
            return "\n".join([*lines, "The game is over."])
        hand = int(s.hands[agent])
        loser, winner = HANDS[(hand + 2) % 3], HANDS[(hand + 1) % 3]
        lines += [
            f"Round {s.played + 1} of {s.params.rounds}: {COINS} coins to divide. Your hand is {HANDS[hand]}.",
            f"A coin is worth {UPPER} to you if player_{other} has {loser}, {LOWER} if it has {winner}.",
            *(f"{'You' if a == agent else f'player_{a}'}: {words}" for a, words in self.messages(s)),
        ]
        turn = speaker(s)
        if turn < 0:
            lines.append("Now both claim.")
        else:
            lines.append("It is your turn to speak." if turn == agent else f"player_{turn} is about to speak.")
        return "\n".join(lines)

    def speech(self, s: Any, agent: int, action: int) -> Collection[int] | None:
        return range(2) if speaker(s) == agent else None

    def unspoken(self, s: Any) -> Any:
        """Hands and claims of the last round are known; nothing that was said is."""
        quiet = copied(s)
        quiet.said[:] = quiet.last_said[:] = -1
        return quiet

    def messages(self, s: Any) -> list[tuple[int, str]]:
        if s.played == s.params.rounds:  # no more claims
            return []
        order = [(speaks(s, k), k // 2) for k in range(s.spoken)]
        return [(a, self.action_names[a][s.said[a, k]]) for a, k in order if s.said[a, k] >= 0]

    # The picture: the round above, with hands and talk beside the coins; the last round below.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The table. For an agent, the other's hand is hidden until the round is over."""
        scene = Scene(18, 13.6)
        over = s.played == s.params.rounds
        turn = speaker(s)
        phase = "" if over else "claim!" if turn < 0 else f"player_{turn} speaks"
        title = "The game is over" if over else f"Round {s.played + 1} of {s.params.rounds}"
        scene.add(Label(0.7, 0.8, title, 0.62, align="left", bold=True))
        scene.add(Label(17.3, 0.8, phase, 0.46, "muted", "right"))
        scene.add(Rect(0.5, 1.4, 17, 7.2, "panel", radius=0.25))
        for k in range(COINS):
            scene.add(*coin(8.0 + k % 2 * 2.0, 2.2 + k // 2 * 1.05, 0.9))
        scene.add(Label(9, 7.2, f"{COINS} coins", 0.44, "muted"))
        for a in range(2):
            x = 2.6 + 12.8 * a
            seen = over or agent in (None, a)
            if turn in (-1, a) and not over:
                scene.add(Rect(x - 1.68, 2.03, 3.36, 3.36, "highlight", radius=0.33))
            scene.add(Rect(x - 1.55, 2.16, 3.1, 3.1, "white", "line", 0.05, 0.25))
            if seen:
                scene.add(*hand(HANDS[s.hands[a]], x, 3.5, 2.1))
                scene.add(Label(x, 4.92, HANDS[s.hands[a]], 0.4, "muted"))
            else:
                scene.add(Label(x, 3.71, "?", 1.6, "line", bold=True))
            scene.add(Circle(x - 1.3, 5.95, 0.22, agent_color(a)))
            scene.add(Label(x - 0.95, 5.95, f"player_{a}", 0.46, align="left", bold=True))
            words = [self.action_names[a][word].replace("my hand is ", "") for word in s.said[a] if word >= 0]
            for k, word in enumerate(words):
                y, shown = 2.65 + 0.95 * k, "..." if word == "silent" else word
                middle, tip = (5.75, 4.25) if a == 0 else (12.25, 13.75)
                scene.add(*speech(middle, y, 2.2, 0.75, shown, (tip, y), agent_color(a)))
            scene.add(Label(x, 6.75, f"total {s.totals[a]:.1f}", 0.46, "muted"))
        upper = int(beats(int(s.hands[1]), int(s.hands[0])))
        note = f"a coin is worth {UPPER} to player_{upper}, {LOWER} to player_{1 - upper}"
        if agent is not None or over:  # reveals the other's hand; at the end, repeats the last round
            note = "all rounds are played" if over else ""
        scene.add(Label(9, 8.1, note, 0.42, "muted"))
        self._draw_last(scene, s)
        return scene

    def _draw_last(self, scene: Scene, s: Any) -> None:
        scene.add(Rect(0.5, 9.0, 17, 4.1, "panel", radius=0.25))
        scene.add(Label(0.9, 9.6, "Last round", 0.46, "muted", "left"))
        if not s.played:
            scene.add(Label(9, 11.1, "no claims yet", 0.46, "muted"))
            return
        scene.add(Label(9.5, 9.6, "claimed and got", 0.42, "muted"), Label(17.0, 9.6, "points", 0.42, "muted", "right"))
        for a in range(2):
            y = 10.65 + 1.35 * a
            mine, theirs = int(s.last_hands[a]), int(s.last_hands[1 - a])
            claim, other = int(s.claims[a]), int(s.claims[1 - a])
            share = bargaining.proportional_share(claim, other, COINS)
            scene.add(Circle(1.2, y, 0.22, agent_color(a)))
            scene.add(Label(1.6, y, f"player_{a}", 0.46, align="left", bold=True))
            scene.add(*hand(HANDS[mine], 4.6, y, 0.95))
            scene.add(Rect(5.9, y - 0.33, 6.0, 0.66, "white", radius=0.1))
            if claim:
                scene.add(Rect(5.9, y - 0.33, 0.6 * claim, 0.66, f"{agent_color(a)}@0.3", radius=0.1))
                scene.add(Rect(5.9, y - 0.33, 0.6 * share, 0.66, agent_color(a), radius=0.1))
            scene.add(Label(12.1, y, f"{claim}", 0.46, align="left", bold=True))
            scene.add(Label(14.9, y, f"{share:.3g} x {worth(mine, theirs)}", 0.42, "muted", "right"))
            scene.add(Label(17.0, y, f"{s.points[a]:.1f}", 0.5, align="right", bold=True))


def coin(x: float, y: float, size: float) -> list[Shape]:
    """A gold coin."""
    return [
        Circle(x, y + 0.05 * size, 0.46 * size, "brown", glyph=""),
        Circle(x, y, 0.46 * size, "gold", glyph="o"),
        Circle(x, y, 0.34 * size, None, "yellow", 0.06 * size, glyph=""),
    ]


def hand(name: str, x: float, y: float, size: float) -> list[Shape]:
    """A rock, a sheet of paper or a pair of scissors."""

    def at(across: float, down: float) -> tuple[float, float]:
        return x + across * size, y + down * size

    if name == "rock":
        outline = [(-0.42, 0.3), (-0.46, 0.02), (-0.25, -0.28), (0.08, -0.36), (0.36, -0.16), (0.46, 0.12), (0.38, 0.3)]
        light = [(-0.25, -0.28), (0.08, -0.36), (0.02, -0.12), (-0.2, -0.04)]
        return [
            Polygon([at(*point) for point in outline], "grey", glyph="R"),
            Polygon([at(*point) for point in light], "line"),
            Line([at(0.02, -0.12), at(0.2, 0.05), at(0.14, 0.28)], "muted", 0.03 * size),
        ]
    if name == "paper":
        sheet = [(-0.32, -0.42), (0.14, -0.42), (0.32, -0.24), (0.32, 0.42), (-0.32, 0.42)]
        lines = [Line([at(-0.2, y), at(0.2, y)], "sky", 0.03 * size) for y in (-0.14, 0.0, 0.14, 0.28)]
        return [
            Polygon([at(*point) for point in sheet], "white", "muted", 0.03 * size, glyph="P"),
            Polygon([at(0.14, -0.42), at(0.14, -0.24), at(0.32, -0.24)], "line", "muted", 0.03 * size),
            *lines,
        ]
    return [
        Line([at(-0.2, 0.2), at(0.2, -0.42)], "grey", 0.09 * size),
        Line([at(0.2, 0.2), at(-0.2, -0.42)], "grey", 0.09 * size),
        Circle(*at(-0.22, 0.28), 0.13 * size, None, "red", 0.08 * size, glyph="S"),
        Circle(*at(0.22, 0.28), 0.13 * size, None, "red", 0.08 * size, glyph=""),
        Circle(*at(0, -0.11), 0.04 * size, "wall", glyph=""),
    ]


env, raw_env, parallel_env = pettingzoo_forms(TrustAndSplit)
