"""EvidenceDebate: two debaters show a judge a few of many features; their sum decides between two decisions.

**Rules.** Every feature makes a contribution, a whole number from -`strength` to `strength`, all with the same
probability: what is positive speaks for the decision of debater_0, what is negative for that of debater_1. The debaters
know all contributions. One of them, drawn at the start, begins, and they reveal features in turn until `reveals` are
revealed. The judge adds up the revealed contributions and takes the decision of debater_0 if the sum is positive, that
of debater_1 if it is negative.

With `upfront`, the debater that begins reveals all its features before the other reveals one.

**Agents.** `debater_0`, `debater_1`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| contributions | Box (features,) int8 | of all features, revealed or not; positive ones favor the observer |
| revealed | Box (features,) int8 | 0 hidden, 1 revealed by the observer, 2 by the other |
| left | Box (2,) int8 | features that the observer, and the other, will still reveal |

**Actions.** Discrete (features). Only the debater to move has legal actions.

| action | name | legal |
|---|---|---|
| k | `reveal 1`, `reveal 2`, ... | while the feature is hidden |

**Window.** A click on a column reveals its feature.

**Rewards.** +1 to the debater whose decision is taken and -1 to the other at the end; 0 for both if the sum is 0.

**Ends.** Terminates after `reveals` moves.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `features` | 44 | features, from 2 to 100 |
| `reveals` | 6 | features that are revealed in all, an even number from 2 to 20 and at most `features` |
| `strength` | 9 | the largest contribution, from 1 to 100 |
| `upfront` | False | whether one debater reveals all its features before the other begins |

**Level.** ``{"contributions": [3, -1, 0, -2], "first": 1}``: one of each feature, and the number of the debater that
begins.

**Known values.** With best play, the judge sees the `reveals` / 2 largest and the `reveals` / 2 smallest contributions,
whoever begins and with `upfront` too. A debater that always reveals the hidden feature that favors it most gets
at least their sum, whatever the other does. (Calculated; all plays of small debates confirm it.)

**Differences.** From the paper's debates about treatments of sepsis:

- Contributions are drawn, because the patients' data cannot be shipped. There, a learned judge gives each decision a
  score that depends on all that is revealed; here, contributions add up, so that best play is known.
- The contributions are the whole state: there are no values of features apart from them, and no decision problem around
  the debate.

**Source.** Sukovic and Radanovic, "Reward design for justifiable sequential decision-making", 2024.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.levels import read_numbers
from envsuite.core.page import Page, When
from envsuite.core.random import randint
from envsuite.core.ranges import below, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Line, Rect, Scene, footer
from envsuite.render.theme import agent_color

#: The largest contribution of all.
STRONGEST = 100

#: The height of a picture's axis, and that of the longest column.
AXIS, LONGEST = 4.4, 3.4


def fields(features: int, reveals: int) -> list[tuple]:
    """The record."""
    return [
        ("contributions", within(np.int8, -STRONGEST, STRONGEST), (features,)),  # the level, positive for debater_0
        ("first", below(np.int64, 2)),  # the debater that begins
        ("revealed", within(np.int8, 0, 2), (features,)),  # 0, or 1 + the debater that revealed it
        ("turn", within(np.int64, 0, reveals)),  # moves so far
    ]


@kernel
def reset(s):
    if not s.level_given:
        for k in range(s.contributions.shape[0]):
            s.contributions[k] = randint(s, 2 * s.params.strength + 1) - s.params.strength
        s.first = randint(s, 2)
    fill(s.revealed, 0)
    s.turn = 0


@kernel
def mover(s, turn):
    """The debater that makes a move."""
    second = turn >= s.params.reveals // 2 if s.params.upfront else turn % 2 == 1
    return 1 - s.first if second else s.first


@kernel
def verdict(s):
    """The sum of the revealed contributions."""
    total = 0
    for k in range(s.revealed.shape[0]):
        if s.revealed[k] != 0:
            total += s.contributions[k]
    return total


@kernel
def step(s, actions, rewards):
    player = mover(s, s.turn)
    s.revealed[actions[player]] = 1 + player
    s.turn += 1
    if s.turn == s.params.reveals:
        total = verdict(s)
        rewards[0] = 1.0 if total > 0 else -1.0 if total < 0 else 0.0
        rewards[1] = -1.0 if total > 0 else 1.0 if total < 0 else 0.0
        s.terminated[0] = 1
        s.terminated[1] = 1


@kernel
def observe(s, agent, out):
    own, other = s.params.reveals // 2, s.params.reveals // 2
    for k in range(s.revealed.shape[0]):
        out.contributions[k] = s.contributions[k] if agent == 0 else -s.contributions[k]
        mine = s.revealed[k] == 1 + agent
        out.revealed[k] = 0 if s.revealed[k] == 0 else 1 if mine else 2
        own -= mine
        other -= s.revealed[k] == 2 - agent
    out.left[0] = own
    out.left[1] = other


@kernel
def legal(s, agent, mask):
    if s.turn < s.params.reveals and mover(s, s.turn) == agent:
        for k in range(s.revealed.shape[0]):
            mask[k] = s.revealed[k] == 0


PAGE = Page(
    role="You debate against {others} before a judge, who takes one of two decisions: yours or the other's.",
    goal="If the judge takes your decision, you are paid +1; if the judge takes the other one, -1; if neither, 0.",
    rules=(
        "There are {features:feature}. Each makes a contribution, a whole number from -{strength} to {strength}, all "
        "equally likely. As you see them, positive contributions speak for your decision and negative ones for the "
        "other. The judge sees only the features that you two reveal, adds up their contributions, and takes your "
        "decision if the sum is positive, the other one if it is negative, and none if it is 0.",
        (
            "In all, {reveals:feature} are revealed. The debater that begins is drawn by lot.",
            When(
                "upfront",
                "That debater reveals {each:feature}, and then the other debater reveals as many.",
                "From then on you take turns, and in each turn one feature is revealed.",
            ),
        ),
    ),
    sees="You both see the contributions of all features, hidden or revealed, and who has revealed what.",
    acts={"reveal {N}": "reveal feature N to the judge"},
    ends="The debate is over when the last of these features is revealed.",
    constants={"1": "a reward", "0": "a reward, and a sum", "two": "decisions, and debaters"},
)


class EvidenceDebate(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("debate",)
    verified = "the closed form of best play, by all plays of small debates"
    variants = (dict(features=8, reveals=8, strength=100, upfront=True), dict(features=5, reveals=2, strength=1))
    shown = "strongest"
    level_fields = ("contributions", "first")
    player_page = PAGE

    def __init__(
        self,
        features: Annotated[int, Between(2, 100)] = 44,
        reveals: Annotated[int, Between(2, 20)] = 6,
        strength: Annotated[int, Between(1, STRONGEST)] = 9,
        upfront: bool = False,
    ):
        if reveals % 2 or reveals > features:
            raise ParameterError(f"EvidenceDebate: reveals={reveals} must be even and at most features={features}")
        self.define(
            agents=["debater_0", "debater_1"],
            actions=[f"reveal {k + 1}" for k in range(features)],
            observation=Dict(
                {
                    "contributions": Box(-STRONGEST, STRONGEST, (features,), np.int8),
                    "revealed": Box(0, 2, (features,), np.int8),
                    "left": Box(0, reveals // 2, (2,), np.int8),
                }
            ),
            fields=fields(features, reveals),
            params={"reveals": reveals, "strength": strength, "upfront": upfront},
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        movers = [mover(s, turn) for turn in range(int(s.turn))]
        if any((s.revealed == 1 + k).sum() != movers.count(k) for k in range(2)):
            return "the debaters have not revealed as many features as they had moves"
        return "the debate is over" if s.turn == s.params.reveals and not s.terminated[0] else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        what, most = f"{self.id}: the level's contributions", int(s.params.strength)
        read_numbers(level["contributions"], what, s.contributions.shape, -most, most, whole=True)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"each": int(s.params.reveals) // 2}

    def text(self, s: Any, agent: int) -> str:
        sign, rest = (1, -1)[agent], int(s.params.reveals - s.turn)
        lines = []
        for who, words in ((0, "Hidden"), (1 + agent, "Revealed by you"), (2 - agent, "Revealed by the other")):
            lines.append(f"{words}: {self.listed(s, who, sign)}")
        total = sign * verdict(s)
        if s.terminated[0]:
            end = "You win." if total > 0 else "You lose." if total < 0 else "Nobody wins."
            return "\n".join([*lines, f"The sum is {total:+d}. {end}"])
        ask = "Reveal a feature." if mover(s, s.turn) == agent else "It is the other's turn."
        return "\n".join([*lines, f"The sum so far is {total:+d}. Features to reveal: {rest}. {ask}"])

    def listed(self, s: Any, who: int, sign: int) -> str:
        """The numbers of the features that are hidden or that a debater revealed, each with its contribution."""
        found = [f"{k + 1} ({sign * int(s.contributions[k]):+d})" for k in np.flatnonzero(s.revealed == who)]
        return ", ".join(found) or "none"

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        features, (width, room) = len(s.revealed), columns(len(s.revealed))
        scene = Scene(width, 2 * AXIS)
        for k in range(features):
            value, x = int(s.contributions[k]), 0.5 + (k + 0.5) * room
            if value:
                height, color = LONGEST * abs(value) / s.params.strength, agent_color(int(value < 0))
                top = AXIS - height if value > 0 else AXIS
                shade = color if s.revealed[k] else color + "@0.35"
                scene.add(Rect(x - 0.35 * room, top, 0.7 * room, height, shade, glyph="+" if value > 0 else "-"))
            if s.revealed[k]:
                who = int(s.revealed[k]) - 1
                y = AXIS + (LONGEST + 0.5) * (-1, 1)[who]
                scene.add(Circle(x, y, 0.3 * min(1, room), agent_color(who), glyph=str(who)))
        scene.add(Line([(0.5, AXIS), (width - 0.5, AXIS)], "ink", 0.05))
        note = "over" if s.terminated[0] else f"debater_{mover(s, s.turn)} reveals, {s.params.reveals - s.turn} to go"
        footer(scene, f"sum for debater_0: {verdict(s):+d}", note)
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        features = len(s.revealed)
        k = math.floor((x - 0.5) / columns(features)[1])
        return k if 0 <= k < features and 0 < y < 2 * AXIS else None


def columns(features: int) -> tuple[float, float]:
    """The width of a picture, and that of a column."""
    width = max(12.0, 0.5 * features + 1)
    return width, (width - 1) / features


env, raw_env, parallel_env = pettingzoo_forms(EvidenceDebate)
