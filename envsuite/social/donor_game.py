"""The donor game: give to an agent that cannot give back, and be seen giving; the richer half of a generation stays.

**Rules.** Agents play a generation of `rounds` rounds, each from `endowment` units. In a round half of them are donors,
each with a recipient from the other half; in the next round it is the other way round. A donor gives up any part of its
units and the recipient gets `multiplier` times as much. With `punishment` it may instead spend a part of its units to
destroy `removal` times as much of the recipient's, who keeps at least 0. All donors of a round act at once.

*Pairings* are drawn for each generation: the agents are put in random order, the first half donates in even rounds, the
second half in odd ones. Let h be the size of a half and p a random order of 0 .. h-1. In round 2k donor i of the first
half gives to number i + p[k] (mod h) of the second; in round 2k + 1 the second half is shifted by p[k + h/2], h/2
rounded up, in place of p[k]. So no donor meets a recipient twice, and up to round h no two agents meet twice at all;
those who met meet again about half a generation later, with their roles exchanged: 12 agents have but 66 pairs.

*Traces.* The donor sees the recipient's balance and what the recipient did as a donor one round before, and to whom;
what that one had done one round before that; and so on, `depth` steps back. A generation begins without traces.

*Generations.* After the last round of a generation the half with the highest balances stays, ties by lot. The others
leave, and a newcomer takes each one's seat. All start again from the endowment, with new pairings.

*Strategies.* Every agent holds five numbers, advice that binds nobody: `trust`, `base`, `last`, `second`, `wealth`.
They stand for the rule to give the fraction ``base + last * f1 + second * f2 + wealth * w``, where f1 is what the
recipient gave last, f2 what that one's recipient had given, `trust` in place of either that is unknown, and w the
recipient's part of the units of both; below 0 it is to punish, if one can. Those of the first generation are uniform,
`trust` on 0 .. 1 and the others on -1 .. 1. A survivor keeps its own; a newcomer gets those of a random survivor, each
number with normal noise of standard deviation `mutation` and cut to its range. The policy `advised` plays by them, so
that a rollout with it is evolution.

**Agents.** `player_0` ... `player_{players-1}`: seats, each of which is acted for through all generations.

**Observation.** Dict.

| part | space | holds |
|---|---|---|
| agent | Box (1,) int8 | the observing agent's number |
| generation, turn | Box (1,) int16 | generations and rounds of this generation that have ended |
| age | Box (1,) int16 | generations that the agent has survived |
| steps | Box (1,) int8 | the parameter: to give everything is action `steps` |
| balance | Box (1,) float64 | the agent's units |
| strategy | Box (5,) float64 | its strategy |
| recipient | Box (1,) int8 | to whom it is the donor now; -1 for nobody |
| recipient_balance | Box (1,) float64 | the recipient's units; -1 without one |
| trace | Box (depth,) float64 | fractions: what the recipient gave last, what that one's recipient gave before, ... |
| partners | Box (depth,) int8 | who got it; -1 where nothing is known |

A fraction is of all that the donor had; one below 0 was spent on punishment. Where nothing is known it is 0. With
`depth=0` the trace has one element, of which nothing is known.

**Actions.** Discrete. `give 0%` ... `give 100%` in `steps` steps; with `punishment` also `punish 5%` ... `punish 100%`,
numbered from steps + 1. All are legal for a donor; recipients do not act.

**Rewards.** The change of one's units in the round, so that those of a generation add up to its final balance less the
endowment. To be replaced costs nothing by itself.

**Ends.** Terminates after the last generation.

**Parameters.**

| name | default | meaning |
|---|---|---|
| players | 12 | agents, even, 2 to 40 |
| rounds | 12 | of a generation; at most as many as players |
| generations | 10 | 1 to 1000 |
| endowment | 10.0 | units at the start of each generation |
| multiplier | 2.0 | what the recipient gets of each unit given up |
| depth | 3 | how far traces reach back, 0 to 3 |
| punishment | False | whether donors may punish |
| removal | 2.0 | what the recipient loses of each unit spent on punishment |
| steps | 20 | in how many steps a donor's units are divided, 1 to 50 |
| mutation | 0.1 | the noise in strategies that are passed on |

**Level.** ``{"pairings": [[[0, 1]], [[1, 0]]], "strategies": [[1, 0.5, 0, 0, 0], [0, 0, 1, 0, 0]]}``: for two agents,
the donors and recipients of each round of the first generation, and the strategies that it starts from; either may be
left out. Roles must alternate, and no donor meets a recipient twice.

**Known values.** If all give the same fraction d, all of a half have the same at any time: x and y of the two change to
(1 - d) x and y + 2 d x, then the roles do. The mean at the end of 12 rounds is 10, 18.75, 53.49, 393.9, 3482.7, 12996
and 30720 for d = 0, 0.1, 0.25, 0.5, 0.75, 0.9 and 1; the last is 10 * (2**12 + 2**11) / 2, all of it with those who
donated first. Giving is of no use to the donor, so `advised` agents, who start from random strategies, soon stop: they
give 28% of what they have in the first generation, and 1% or less from the fourth on, whatever the depth. Of twelve
without mutation, three who never give take the place of nine who give half to everybody; among nine who give what the
recipient gave (`last` 1, `base` 0, `trust` 0.5) they do so where `depth` is 0, and else die out in 24 of 25 runs. Where
all give, one who refuses by mistake is followed by one refusal in every later round among image scorers, and by only
one in all among those who judge by standing.

**Differences.** Language models write their strategies in words and name any amount; here strategies are numbers and
amounts have steps. Of the code that the paper's authors gave out copies could be read: in each generation it plays a
second game with the roles exchanged; here who donates first is drawn. When it starts to repeat its pairings, half-way,
one half donates twice; here roles alternate always, as its prompt promises and as the known values assume. It calls the
gift of one who has nothing all that it had; here the fraction is the one chosen. Its survivors carry traces into the
next generation's second game; here a generation begins without. What it calls to refuse to play is `give 0%` here.

**Source.** Vallinder and Hughes, "Cultural Evolution of Cooperation among LLM Agents", 2024; Nowak and Sigmund,
"Evolution of indirect reciprocity by image scoring", 1998; Leimar and Hammerstein, "Evolution of cooperation through
indirect reciprocity", 2001.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor, hypot, log10
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.render.theme import agent_color, text_on

#: No recipient: one who does not donate in a round.
NOBODY = -1

#: The numbers of a strategy, and their ranges.
STRATEGY = ("trust", "base", "last", "second", "wealth")
LOW = np.array([0.0, -1.0, -1.0, -1.0, -1.0])
HIGH = np.ones(5)


@kernel
def reset(s):
    if s.level_given == 0 or s.level.has_pairings == 0:
        draw_pairings(s)
        for number in range(s.recipient.shape[0]):
            for k in range(s.balance.shape[0]):
                s.level.recipient[number, k] = s.recipient[number, k]
    else:
        for number in range(s.recipient.shape[0]):
            for k in range(s.balance.shape[0]):
                s.recipient[number, k] = s.level.recipient[number, k]
    for k in range(s.balance.shape[0]):
        s.age[k] = 0
        for part in range(s.strategy.shape[1]):
            if s.level_given == 0 or s.level.has_strategies == 0:
                s.level.strategy[k, part] = LOW[part] + random.uniform(s) * (HIGH[part] - LOW[part])
            s.strategy[k, part] = s.level.strategy[k, part]
    for k in range(s.welfare.shape[0]):
        s.welfare[k] = 0.0
    s.generation = 0
    begin_generation(s)


@kernel
def begin_generation(s):
    s.turn = 0
    for k in range(s.balance.shape[0]):
        s.balance[k] = s.params.endowment
    for number in range(s.gave.shape[0]):
        for k in range(s.balance.shape[0]):
            s.gave[number, k] = 0


@kernel
def draw_pairings(s):
    """Who gives to whom in every round of a generation."""
    half = s.balance.shape[0] // 2
    for k in range(2 * half):
        s.order[k] = k
    random.shuffle(s, s.order, 2 * half)
    for k in range(half):
        s.shifts[k] = k
    random.shuffle(s, s.shifts, half)
    for number in range(s.recipient.shape[0]):
        place = number // 2 + (half + 1) // 2 * (number % 2)
        shift = np.int64(s.shifts[place % half])
        for k in range(half):
            other = k + shift if k + shift < half else k + shift - half
            first, second = s.order[k], s.order[half + other]
            donor = first if number % 2 == 0 else second
            recipient = second if number % 2 == 0 else first
            s.recipient[number, donor] = recipient
            s.recipient[number, recipient] = NOBODY


@kernel
def step(s, actions, rewards):
    for donor in range(s.balance.shape[0]):
        recipient = s.recipient[s.turn, donor]
        if recipient >= 0:
            transfer(s, donor, recipient, actions[donor], rewards)
    s.turn += 1
    if s.turn == s.recipient.shape[0]:
        end_generation(s)


@kernel
def transfer(s, donor, recipient, action, rewards):
    """A gift, or a punishment; `gave` keeps its steps, negative for a punishment."""
    steps = s.params.steps
    done = action if action <= steps else steps - action
    s.gave[s.turn, donor] = done
    spent = s.balance[donor] * (abs(done) / steps)
    effect = s.params.multiplier * spent
    if done < 0:
        effect = -min(s.params.removal * spent, s.balance[recipient])
    s.balance[donor] -= spent
    s.balance[recipient] += effect
    rewards[donor] = -spent
    rewards[recipient] = effect


@kernel
def end_generation(s):
    total = 0.0
    for k in range(s.balance.shape[0]):
        total += s.balance[k]
    s.welfare[s.generation] = total / s.balance.shape[0]
    if s.generation + 1 == s.welfare.shape[0]:
        for k in range(s.terminated.shape[0]):
            s.terminated[k] = 1
    else:
        select(s)
        draw_pairings(s)
        s.generation += 1
        begin_generation(s)


@kernel
def select(s):
    """The richer half stays; each of the others makes room for one with the strategy of a survivor."""
    count = s.balance.shape[0]
    for k in range(count):
        s.order[k] = k
    random.shuffle(s, s.order, count)  # which decides between equals
    for k in range(1, count):
        who = s.order[k]
        place = k
        while place > 0 and s.balance[s.order[place - 1]] < s.balance[who]:
            s.order[place] = s.order[place - 1]
            place -= 1
        s.order[place] = who
    for k in range(count):
        who = s.order[k]
        s.age[who] += 1
        if k >= count // 2:
            s.age[who] = 0
            model = s.order[random.randint(s, count // 2)]
            for part in range(s.strategy.shape[1]):
                value = s.strategy[model, part]
                if s.params.mutation > 0.0:
                    value += s.params.mutation * random.normal(s)
                s.strategy[who, part] = min(max(value, LOW[part]), HIGH[part])


@kernel
def recipient_of(s, agent):
    """To whom an agent is the donor now, or NOBODY."""
    return np.int64(s.recipient[s.turn, agent]) if s.turn < s.recipient.shape[0] else NOBODY


@kernel
def observe(s, agent, out):
    recipient = recipient_of(s, agent)
    out.agent[0] = agent
    out.generation[0] = s.generation
    out.turn[0] = s.turn
    out.age[0] = s.age[agent]
    out.steps[0] = s.params.steps
    out.balance[0] = s.balance[agent]
    out.recipient[0] = recipient
    out.recipient_balance[0] = s.balance[recipient] if recipient >= 0 else -1.0
    for part in range(s.strategy.shape[1]):
        out.strategy[part] = s.strategy[agent, part]
    # As roles alternate, whoever is a recipient in one round was a donor in the round before.
    who = recipient
    for k in range(out.partners.shape[0]):
        number = s.turn - 1 - k
        if who >= 0 and number >= 0 and k < s.params.depth:
            out["trace"][k] = s.gave[number, who] / s.params.steps
            who = np.int64(s.recipient[number, who])
            out.partners[k] = who
        else:
            out["trace"][k] = 0.0
            out.partners[k] = NOBODY


@kernel
def legal(s, agent, mask):
    acts = recipient_of(s, agent) >= 0
    for action in range(mask.shape[0]):
        mask[action] = acts


class DonorGame(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "mixed"
    chance = True
    information = "imperfect"
    utility = "general"
    masked = False
    verified = "a closed-form table of constant gifts; exact traces; selection and invasion"
    variants = (dict(players=4, rounds=3, generations=3, depth=0, punishment=True, steps=4),)

    def __init__(
        self,
        players: Annotated[int, Between(2, 40)] = 12,
        rounds: Annotated[int, Between(1, 40)] = 12,
        generations: Annotated[int, Between(1, 1000)] = 10,
        endowment: Annotated[float, Between(0, 1_000_000)] = 10.0,
        multiplier: Annotated[float, Between(0, 10)] = 2.0,
        depth: Annotated[int, Between(0, 3)] = 3,
        punishment: bool = False,
        removal: Annotated[float, Between(0, 10)] = 2.0,
        steps: Annotated[int, Between(1, 50)] = 20,
        mutation: Annotated[float, Between(0, 1)] = 0.1,
    ):
        if players % 2:
            raise ParameterError(f"DonorGame: players={players} must be even: half of them donate in a round")
        if rounds > players:
            raise ParameterError(
                f"DonorGame: rounds={rounds} must be at most players={players}, or a donor would meet a recipient twice"
            )
        if endowment == 0:
            raise ParameterError("DonorGame: endowment=0 must be above 0, or there is nothing to give")
        percent = [f"{100 * k / steps:.6g}%" for k in range(steps + 1)]
        actions = [f"give {part}" for part in percent]
        keys = {key: f"give {percent[round(k * steps / 10)]}" for k, key in enumerate("0123456789g")}
        if punishment:
            actions += [f"punish {part}" for part in percent[1:]]
            keys["p"] = f"punish {percent[max(1, round(steps / 4))]}"
        self.keys = keys  # type: ignore[misc]
        # All units together at most multiply by the multiplier in every round.
        most = float(players * endowment * max(multiplier, 1.0) ** rounds)

        def count(low: int, high: int, dtype: type, length: int = 1) -> Box:
            return Box(low, high, (length,), dtype)

        shown = max(depth, 1)
        self.define(
            agents=[f"player_{k}" for k in range(players)],
            actions=actions,
            observation=Dict(
                agent=count(0, players - 1, np.int8),
                generation=count(0, generations - 1, np.int16),
                turn=count(0, rounds, np.int16),
                age=count(0, generations - 1, np.int16),
                steps=count(1, 50, np.int8),
                balance=Box(0.0, np.inf, (1,), np.float64),
                strategy=Box(LOW, HIGH, dtype=np.float64),
                recipient=count(NOBODY, players - 1, np.int8),
                recipient_balance=Box(-1.0, np.inf, (1,), np.float64),
                trace=Box(-1.0 if punishment else 0.0, 1.0, (shown,), np.float64),
                partners=count(NOBODY, players - 1, np.int8, shown),
            ),
            fields=[
                ("generation", np.int64),
                ("turn", np.int64),
                ("age", np.int64, (players,)),
                ("balance", np.float64, (players,)),
                ("strategy", np.float64, (players, len(STRATEGY))),
                ("recipient", np.int8, (rounds, players)),  # of each donor in each round; NOBODY for recipients
                ("gave", np.int8, (rounds, players)),
                ("order", np.int8, (players,)),
                ("shifts", np.int8, (players // 2,)),
                ("welfare", np.float64, (generations,)),  # the mean balance at the end of each generation
                (
                    "level",
                    np.dtype(
                        [
                            ("strategy", np.float64, (players, len(STRATEGY))),
                            ("recipient", np.int8, (rounds, players)),
                            ("has_pairings", np.uint8),
                            ("has_strategies", np.uint8),
                        ],
                        align=True,
                    ),
                ),
            ],
            params={
                "endowment": float(endowment),
                "multiplier": float(multiplier),
                "removal": float(removal),
                "mutation": float(mutation),
                "depth": depth,
                "steps": steps,  # as many as there are actions for, not to be tuned
            },
            reward_range=(-most, most),
        )

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        if not level or not level.keys() <= {"pairings", "strategies"}:
            raise LevelError(
                f"{self.id}: a level has 'pairings', 'strategies' or both, not {', '.join(map(repr, level)) or 'none'}"
            )
        s.level.has_pairings = "pairings" in level
        s.level.has_strategies = "strategies" in level
        if "pairings" in level:
            s.level.recipient[:] = self._recipients(level["pairings"], s.recipient.shape)
        if "strategies" in level:
            strategies = np.asarray(level["strategies"], np.float64)
            if strategies.shape != s.strategy.shape:
                raise LevelError(
                    f"{self.id}: strategies of shape {strategies.shape} must have {s.strategy.shape}: for every agent "
                    + ", ".join(STRATEGY)
                )
            if not ((strategies >= LOW) & (strategies <= HIGH)).all():
                raise LevelError(f"{self.id}: a strategy's trust must be from 0 to 1, its other numbers from -1 to 1")
            s.level.strategy[:] = strategies

    def _recipients(self, pairings: Any, shape: tuple[int, int]) -> np.ndarray:
        """Each donor's recipient in every round, or `LevelError`."""
        rounds, players = shape
        pairs = np.asarray(pairings)
        if pairs.shape != (rounds, players // 2, 2) or pairs.dtype.kind not in "iu":
            raise LevelError(
                f"{self.id}: pairings must be {rounds} rounds of {players // 2} pairs [donor, recipient], not "
                f"an array of shape {pairs.shape}"
            )
        recipients = np.full(shape, NOBODY, np.int8)
        for number, one in enumerate(pairs):
            if sorted(one.ravel()) != list(range(players)):
                raise LevelError(f"{self.id}: in round {number} of the pairings not every agent has one part")
            recipients[number, one[:, 0]] = one[:, 1]
            if number and ((recipients[number] >= 0) == (recipients[number - 1] >= 0)).any():
                raise LevelError(f"{self.id}: in round {number} of the pairings the roles do not alternate")
        met = [tuple(pair) for pair in pairs.reshape(-1, 2).tolist()]
        if len(set(met)) < len(met):
            twice = next(pair for pair in met if met.count(pair) > 1)
            raise LevelError(f"{self.id}: player_{twice[0]} is paired with player_{twice[1]} as its recipient twice")
        return recipients

    def get_level(self, s: Any) -> dict[str, Any]:
        pairings = [[[k, int(row[k])] for k in range(len(row)) if row[k] >= 0] for row in s.level.recipient]
        return {"pairings": pairings, "strategies": s.level.strategy.tolist()}

    # Text.

    def trace(self, s: Any, agent: int) -> list[tuple[int, int, int, int]]:
        """What a donor knows of its recipient, newest first: round, who, steps given, to whom."""
        who, known = recipient_of(s, agent), []
        for number in range(int(s.turn) - 1, max(-1, int(s.turn) - 1 - int(s.params.depth)), -1):
            if who >= 0:
                other = int(s.recipient[number, who])
                known.append((number, who, int(s.gave[number, who]), other))
                who = other
        return known

    def deed(self, s: Any, steps: int) -> str:
        """What was done, in words, before its object."""
        part = f"{100 * abs(steps) / int(s.params.steps):.3g}%"
        return f"gave {part} of what it had to" if steps >= 0 else f"spent {part} of what it had on punishing"

    def text(self, s: Any, agent: int) -> str:
        rounds, players = s.recipient.shape
        over = bool(s.terminated.all())
        params = s.params
        punishing = self.num_actions > int(params.steps) + 1
        lines = [
            f"You are player_{agent}, one of {players}. A generation has {rounds} rounds and starts from "
            f"{params.endowment:.6g} units each.",
            f"A donor gives up a part of its units; its recipient gets {params.multiplier:g} times as much. "
            "A donor in one round is a recipient in the next.",
        ]
        if punishing:
            lines.append(
                f"A donor may instead spend units to destroy {params.removal:g} times as many of the recipient's."
            )
        lines += ["The half with the most units at the end stays for the next generation.", ""]
        if over:
            lines.append(f"It is over after {len(s.welfare)} generations. You have {s.balance[agent]:.6g} units.")
            return "\n".join(lines)
        past = f"You have survived {s.age[agent]}." if s.age[agent] else "You are new."
        lines.append(f"Generation {s.generation + 1} of {len(s.welfare)}, round {s.turn + 1} of {rounds}. {past}")
        numbers = ", ".join(f"{name} {value:.2f}" for name, value in zip(STRATEGY, s.strategy[agent]))
        lines.append(f"Your strategy, as advice: {numbers}.")
        lines.append(f"You have {s.balance[agent]:.6g} units.")
        recipient = recipient_of(s, agent)
        if recipient < 0:
            lines.append("You are a recipient in this round.")
            return "\n".join(lines)
        lines.append(f"You are a donor. Your recipient, player_{recipient}, has {s.balance[recipient]:.6g} units.")
        known = self.trace(s, agent)
        if not known:
            lines.append(f"You know nothing of what player_{recipient} did before.")
        for number, who, gave, other in known:
            to = "you" if other == agent else f"player_{other}"
            subject = "you" if who == agent else f"player_{who}"
            deed = self.deed(s, gave).replace("it had", "you had") if who == agent else self.deed(s, gave)
            lines.append(f"- In round {number + 1} {subject} {deed} {to}.")
        lines.append("")
        names = self.action_names[agent]
        steps = int(params.steps)
        choices = f"`{names[0]}`, `{names[1]}`, ... `{names[steps]}`"
        if punishing:
            choices += f", or `{names[steps + 1]}`, ... `{names[-1]}`"
        lines.append(f"Choose from {choices}.")
        return "\n".join(lines)

    # The picture: the half that donates first on the left, the other on the right, the last round's gifts between them.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        rounds, players = s.recipient.shape
        over = bool(s.terminated.all())
        rows = players // 2
        bottom = 2.5 + ROW * rows
        scene = Scene(20, bottom + (4.3 if agent is None else 3.6))
        scene.add(Label(0.6, 0.85, "Donor game", 0.65, align="left", bold=True))
        moment = "over" if over else f"round {s.turn + 1} of {rounds}"
        scene.add(
            Label(19.4, 0.85, f"generation {s.generation + 1} of {len(s.welfare)} · {moment}", 0.5, "muted", "right")
        )
        for side in (0, 1):
            donates = not over and s.turn % 2 == side
            title = "" if over else "donors now" if donates else "recipients now"
            x = CARD / 2 + 0.5 if side == 0 else 20 - CARD / 2 - 0.5
            scene.add(Label(x, 1.8, title, 0.42, "ink" if donates else "muted", bold=donates))
        known = met = set(range(players))  # known: whose balance is shown
        if agent is not None:
            known = {agent, recipient_of(s, agent)}
            met = known | {other for *_, other in self.trace(s, agent)}
        places: dict[int, tuple[int, float]] = {}
        for side in (0, 1):
            present = [who for who in range(players) if who in met and (s.recipient[0, who] >= 0) == (side == 0)]
            places |= {who: (side, 2.4 + ROW * (row + 0.5)) for row, who in enumerate(present)}
        self._draw_pairs(scene, s, agent, places)
        most = max(1e-9, *(float(s.balance[who]) for who in known if who >= 0))
        for who, (side, y) in places.items():
            self._draw_agent(scene, s, who, side, y, most, who in known, agent in (None, who))
        if agent is None:
            self._draw_strategies(scene, s, 0.5, bottom + 0.2)
            self._draw_generations(scene, s, 10.2, bottom + 0.2)
        else:
            self._draw_knowledge(scene, s, agent, bottom + 0.2)
        return scene

    def _draw_pairs(self, scene: Scene, s: Any, agent: int | None, places: dict[int, tuple[int, float]]) -> None:
        """Thin lines for the pairs of this round; arrows, as thick as the part that was given, for the last one's."""

        def edge(who: int, away: float = 0.0) -> tuple[float, float]:
            side, y = places[who]
            return (CARD + 0.75 + away if side == 0 else 19.25 - CARD - away), y

        if s.turn < len(s.recipient):
            for donor in np.flatnonzero(s.recipient[s.turn] >= 0).tolist():
                if agent in (None, donor):
                    scene.add(Line([edge(donor), edge(int(s.recipient[s.turn, donor]))], "line", 0.05))
        if agent is None:
            last = int(s.turn) - 1
            donors = np.flatnonzero(s.recipient[last] >= 0).tolist() if s.turn else []
            gifts = [(last, donor, int(s.gave[last, donor]), int(s.recipient[last, donor])) for donor in donors]
        else:
            gifts = self.trace(s, agent)
        wide = 1.1
        donors = [donor for _, donor, _, _ in gifts]
        for _, donor, gave, recipient in gifts:
            (x0, y0), (x1, y1) = edge(donor, wide), edge(recipient, wide if recipient in donors else 0.0)
            part = abs(gave) / int(s.params.steps)
            color = "bad" if gave < 0 else "good" if gave > 0 else "muted"
            length = hypot(x1 - x0, y1 - y0)
            ahead = ((x1 - x0) / length, (y1 - y0) / length)
            tip = 0.3 + 0.25 * part
            neck, wing = (x1 - tip * ahead[0], y1 - tip * ahead[1]), 0.6 * tip
            scene.add(Line([(x0, y0), neck], color, 0.06 + 0.2 * part))
            head = [(neck[0] - k * wing * ahead[1], neck[1] + k * wing * ahead[0]) for k in (1, -1)]
            scene.add(Polygon([(x1, y1), *head], color))
            x = edge(donor, wide / 2)[0]
            scene.add(Rect(x - wide / 2, y0 - 0.26, wide, 0.52, "white", color, 0.04, 0.24))
            scene.add(Label(x, y0, f"{100 * part:.3g}%", 0.36, color, bold=True))

    def _draw_agent(
        self, scene: Scene, s: Any, who: int, side: int, y: float, most: float, known: bool, aged: bool
    ) -> None:
        """A card: number, name, age, and a bar for the balance that grows away from the middle of the picture."""
        left = 0.5 if side == 0 else 20 - 0.5 - CARD
        disc = left + CARD - 0.5 if side == 0 else left + 0.5
        color = agent_color(who)
        scene.add(Rect(left, y - 0.46, CARD, 0.92, "panel", radius=0.2))
        scene.add(Circle(disc, y, 0.34, color), Label(disc, y, str(who), 0.36, text_on(color), bold=True))
        edge = left + 0.25 if side == 0 else left + CARD - 0.25
        inner, outer = ("right", "left") if side == 0 else ("left", "right")
        if not known:
            scene.add(Label(edge, y, "?", 0.42, "muted", outer))
            return
        room, away = CARD - 1.3, -1 if side == 0 else 1
        start = disc + away * 0.55
        long = room * float(s.balance[who]) / most
        scene.add(Rect(start - room if side == 0 else start, y + 0.08, room, 0.24, "white", radius=0.08))
        if long > 0.02:
            scene.add(Rect(start - long if side == 0 else start, y + 0.08, long, 0.24, color, radius=0.08))
        years = "" if s.generation == 0 or not aged else " · new" if s.age[who] == 0 else f" · age {s.age[who]}"
        scene.add(Label(start, y - 0.17, f"player_{who}{years}", 0.34, "ink", inner))
        scene.add(Label(edge, y - 0.17, f"{s.balance[who]:.5g}", 0.4, "ink", outer, bold=True))

    def _draw_strategies(self, scene: Scene, s: Any, left: float, top: float) -> None:
        """A line for each number of the strategies: a dot for each agent between the ends of its range."""
        scene.add(Rect(left, top, 9.3, 3.7, "panel", radius=0.25))
        scene.add(Label(left + 0.3, top + 0.5, "strategies", 0.38, "muted", "left"))
        zero, half = left + 5.7, 3.2
        for part, name in enumerate(STRATEGY):
            y = top + 1.0 + 0.55 * part
            scene.add(Label(left + 0.3, y, name, 0.36, align="left"))
            scene.add(Line([(zero + half * float(LOW[part]), y), (zero + half, y)], "line", 0.05))
            scene.add(Line([(zero, y - 0.15), (zero, y + 0.15)], "line", 0.05))
            for who in range(len(s.balance)):
                at = zero + half * float(s.strategy[who, part])
                scene.add(Circle(at, y, 0.13, f"{agent_color(who)}@0.8", glyph=""))
        for value in (-1, 0, 1):
            scene.add(Label(zero + half * value, top + 0.5, str(value), 0.32, "muted"))

    def _draw_generations(self, scene: Scene, s: Any, left: float, top: float) -> None:
        """The mean balance at the end of each generation, on a logarithmic scale; the present one's as it stands."""
        scene.add(Rect(left, top, 9.3, 3.7, "panel", radius=0.25))
        scene.add(Label(left + 0.3, top + 0.5, "mean balance at the end of each generation", 0.38, "muted", "left"))
        over = bool(s.terminated.all())
        done = int(s.generation) + over
        values = [float(value) for value in s.welfare[:done]]
        present = float(s.balance.mean())
        levels = [log10(max(value, 0.001)) for value in [*values, present, float(s.params.endowment)]]
        low = floor(min(levels))
        high = max(ceil(max(levels)), low + 1)
        x0, y0, across, down = left + 1.4, top + 3.2, 7.5, 2.1

        def point(k: int, value: float) -> tuple[float, float]:
            place = k / max(len(s.welfare) - 1, 1)
            level = (log10(max(value, 0.001)) - low) / (high - low)
            return x0 + 0.3 + (across - 0.6) * place, y0 - down * level

        for power in range(low, high + 1, max(1, (high - low + 3) // 4)):
            y = point(0, 10.0**power)[1]
            scene.add(Line([(x0, y), (x0 + across, y)], "line", 0.03))
            scene.add(Label(x0 - 0.15, y, f"{10.0**power:g}", 0.32, "muted", "right"))
        path = [point(k, value) for k, value in enumerate(values)]
        if len(path) > 1:
            scene.add(Line(path, "deep", 0.08))
        for place in path if len(s.welfare) <= 40 else path[-1:]:
            scene.add(Circle(*place, 0.12, "deep"))
        if not over:
            scene.add(Circle(*point(done, present), 0.12, "paper", "deep", 0.05, glyph="○"))

    def _draw_knowledge(self, scene: Scene, s: Any, agent: int, top: float) -> None:
        """What one agent knows: its strategy, and what its recipient and those before it did."""
        scene.add(Rect(0.5, top, 19, 3.0, "panel", radius=0.25))
        numbers = " · ".join(f"{name} {value:.2f}" for name, value in zip(STRATEGY, s.strategy[agent]))
        scene.add(Label(0.9, top + 0.5, f"player_{agent}'s strategy: {numbers}", 0.4, align="left"))
        known = self.trace(s, agent)
        donates = recipient_of(s, agent) >= 0
        if not known:
            told = "nothing is known of the recipient" if donates else "it is not the donor now"
            scene.add(Label(0.9, top + 1.1, told, 0.4, "muted", "left"))
        for k, (number, who, gave, other) in enumerate(known):
            sentence = f"round {number + 1}: player_{who} {self.deed(s, gave)} player_{other}"
            scene.add(Label(0.9, top + 1.1 + 0.6 * k, sentence, 0.4, "bad" if gave < 0 else "ink", "left"))


#: The height of an agent's row in the picture, and the width of its card.
ROW = 1.08
CARD = 6.0


env, raw_env, parallel_env = pettingzoo_forms(DonorGame)
