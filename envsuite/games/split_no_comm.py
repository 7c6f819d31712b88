"""Split-No-Comm: two agents claim hats, books and balls, round after round, without a word.

**Rules.** In every round there are 10 hats, 10 books and 10 balls to divide. An item is worth 1 or 10 points to an
agent, and both agents see the values of both. Values are drawn for every round, uniformly from 12 pairs: those in which
the three values have the same sum for both agents and differ in at least one item.

Both agents claim 0 to 10 of each item at the same time. Claims that the stock covers are met. Two claims x and y that
exceed the stock get 10 x / (x + y) and 10 y / (x + y), in fractions of an item.

**Agents.** `player_0` and `player_1`. Seats are fixed.

**Observation.** Box (19,) int8. Three entries are always hats, books and balls.

| entries | content |
|---|---|
| 0 - 2 | what an item is worth to the agent in this round |
| 3 - 5 | what it is worth to the other |
| 6 - 8 | what the agent claimed in the last round; -1 in the first |
| 9 - 11 | what the other claimed then; -1 in the first |
| 12 - 14 | what an item was worth to the agent then; 0 in the first |
| 15 - 17 | what it was worth to the other then; 0 in the first |
| 18 | rounds left, this one included |

**Actions.** Discrete (1331). All are legal in every round.

| action | name |
|---|---|
| (11 h + b) 11 + l | `claim h hats, b books, l balls` |

**Rewards.** In every round, the amount of each item that the agent gets times its worth, summed: up to 210.

**Ends.** Terminates after `rounds` rounds.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rounds` | 10 | number of rounds, from 1 to 100 |

**Level.** ``{"values": [[[10, 1, 1], [1, 1, 10]]]}``: the values of both agents, one entry for each of the first
rounds. Later rounds are drawn.

**Known values.** Points of an agent per round, averaged over the 12 pairs:

| agents | points |
|---|---|
| both efficient | 127.5 |
| both greedy | 82.5 |
| greedy against efficient | 141 2/3 against 68 1/3 |

An efficient agent claims 10 of each item that it values more, 0 of each that it values less and 5 of the rest. A greedy
agent claims all of everything. In one round, claiming everything is the best reply to any claim. There is always a pair
of claims that both agents prefer to both being greedy.

**Differences.** From the code of AdAlignLLM (`NoPressSimulation`, "10-1-ties"), whose rules, values and rewards are
equal:

- There, a claim is written in words, and an unreadable claim counts as 0. Here, every action is a claim.
- Its summary of the last round also shows the points. Here, they follow from claims and values.

**Source.** Piche, Muqeeth, Aghajohari, Duque, Noukhovitch and Courville, "Learning Robust Social Strategies with Large
Language Models", 2025, and its code, dereckpiche/AdAlignLLM; the game without words is that of Duque et al., "Advantage
Alignment Algorithms", 2024.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import read_list
from envsuite.core.page import Page
from envsuite.core.ranges import below, within
from envsuite.core.world import Horizon, Kernels, World
from envsuite.kit import bargaining
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape
from envsuite.render.theme import agent_color

ITEMS = ("hats", "books", "balls")
STOCK = 10
LONGEST = 100

#: The values of the items to both agents, for every pair: (12, 2, 3).
PAIRS = np.array(
    [
        (mine, other)
        for mine in itertools.product((1, 10), repeat=3)
        for other in itertools.product((1, 10), repeat=3)
        if sum(mine) == sum(other) and mine != other
    ],
    np.int8,
)

#: The first entries of the parts of an observation.
MINE, THEIRS, MY_CLAIM, THEIR_CLAIM, MY_LAST, THEIR_LAST, LEFT = 0, 3, 6, 9, 12, 15, 18


#: The record; items are in the order of `ITEMS`.
FIELDS: list[tuple] = [
    ("played", within(np.int64, 0, LONGEST)),  # rounds that are over
    ("values", within(np.int8, 1, 10), (2, 3)),  # the value of an item to each agent
    ("claims", within(np.int8, -1, STOCK), (2, 3)),  # claims of the last round
    ("last", within(np.int8, 0, 10), (2, 3)),  # values of the last round
    ("points", within(np.float64, 0, 210), (2,)),  # points of each agent in the last round
    ("totals", within(np.float64, 0, 210 * LONGEST), (2,)),  # points of each agent since the start
    ("level", [("length", within(np.int64, 1, LONGEST)), ("pairs", below(np.uint8, len(PAIRS)), (LONGEST,))]),
]


@kernel
def reset(s):
    s.played = 0
    if not s.level_given:
        s.level.length = 1
        s.level.pairs[0] = random.randint(s, PAIRS.shape[0])
    for a in range(2):
        s.totals[a] = 0.0
        s.points[a] = 0.0
        for k in range(3):
            s.claims[a, k] = -1
            s.last[a, k] = 0
    value(s, s.level.pairs[0])


@kernel
def value(s, pair):
    """Set the values of both agents to those of a pair."""
    for a in range(2):
        for k in range(3):
            s.values[a, k] = PAIRS[pair, a, k]


@kernel
def step(s, actions, rewards):
    for a in range(2):
        claim = np.uint64(actions[a])
        s.claims[a, 0] = claim // 121
        s.claims[a, 1] = claim // 11 % 11
        s.claims[a, 2] = claim % 11
    for k in range(3):
        first, second = np.int64(s.claims[0, k]), np.int64(s.claims[1, k])
        rewards[0] += bargaining.proportional_share(first, second, STOCK) * s.values[0, k]
        rewards[1] += bargaining.proportional_share(second, first, STOCK) * s.values[1, k]
    for a in range(2):
        s.points[a] = rewards[a]
        s.totals[a] += rewards[a]
        for k in range(3):
            s.last[a, k] = s.values[a, k]
    s.played += 1
    if s.played >= s.params.rounds:
        s.terminated[0] = 1
        s.terminated[1] = 1
    elif s.played < s.level.length:
        value(s, s.level.pairs[s.played])
    else:
        value(s, random.randint(s, PAIRS.shape[0]))


@kernel
def observe(s, agent, out):
    other = 1 - agent
    for k in range(3):
        out[MINE + k] = s.values[agent, k]
        out[THEIRS + k] = s.values[other, k]
        out[MY_CLAIM + k] = s.claims[agent, k]
        out[THEIR_CLAIM + k] = s.claims[other, k]
        out[MY_LAST + k] = s.last[agent, k]
        out[THEIR_LAST + k] = s.last[other, k]
    out[LEFT] = s.params.rounds - s.played


PAGE = Page(
    role="You and {others} divide hats, books and balls, round after round.",
    goal=(
        "In each round you are paid what the things that you get are worth to you. Your result is the sum over all "
        "rounds."
    ),
    rules=(
        "In each round there are {stock} hats, {stock} books and {stock} balls. A hat, a book and a ball are each "
        "worth {low} or {high} points to you, and {low} or {high} points to {others}. These values are drawn again for "
        "every round. The three together are always worth as much to you as to {others}, but some kind is worth more "
        "to you, and another kind more to {others}.",
        "You both claim from 0 to {stock} of each kind at the same time. If the two claims for a kind are not more "
        "than {stock} together, each gets what it claims; the rest is lost. If they are more, all {stock} are shared "
        "in proportion to the claims, in fractions: if you claim 10 and {others} claims 5, you get two thirds of them. "
        "You cannot talk.",
    ),
    sees=(
        "You see the values to both of you before you claim, and afterwards both claims and what each of you was paid."
    ),
    acts={"claim {H} hats, {B} books, {L} balls": "claim that many of each kind"},
    ends="It is over after {rounds:round}.",
    constants={
        "0": "the least claim",
        "10": "a claim of an example",
        "5": "a claim of an example",
        "two": "of an example",
        "three": "kinds",
    },
)


class SplitNoComm(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    information = "perfect"
    masked = False
    kind = ("bargaining",)
    talk_forbidden = "the game is about sharing without a word"
    verified = "payoffs of four pairs of strategies in closed form"
    variants = (dict(rounds=3),)
    shown = "efficient"
    player_page = PAGE

    def __init__(self, rounds: Annotated[int, Horizon(1, LONGEST)] = 10):
        low = np.array([1] * 6 + [-1] * 6 + [0] * 7, np.int8)
        high = np.array([10] * 18 + [rounds], np.int8)
        self.define(
            agents=["player_0", "player_1"],
            actions=[
                f"claim {hats} hats, {books} books, {balls} balls"
                for hats, books, balls in itertools.product(range(STOCK + 1), repeat=3)
            ],
            observation=Box(low, high, (19,), np.int8),
            fields=FIELDS,
            params={"rounds": rounds},
            reward_range=(0.0, 210.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        given = read_list(level["values"], f"{self.id}: the level's values", 1, int(s.params.rounds))
        known = PAIRS.tolist()
        for k, pair in enumerate(given):
            if [list(values) for values in pair] not in known:
                raise LevelError(
                    f"{self.id}: values {pair!r} of round {k} must be two lists of three values 1 or 10 each, "
                    "with the same sum, and not the same"
                )
            s.level.pairs[k] = known.index([list(values) for values in pair])
        s.level.length = len(given)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"values": [PAIRS[pair].tolist() for pair in s.level.pairs[: s.level.length]]}

    def contradiction(self, s: Any) -> str | None:
        return "all rounds have been played" if s.played >= s.params.rounds + s.terminated[0] else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"stock": STOCK, "low": PAIRS.min(), "high": PAIRS.max()}

    def text(self, s: Any, agent: int) -> str:
        other, lines = 1 - agent, []
        if s.played:
            lines += [
                f"Last round (values {worth(s.last[agent])} to you, {worth(s.last[other])} to player_{other}):",
                f"  You claimed {count(s.claims[agent])} and got {s.points[agent]:.2f} points.",
                f"  player_{other} claimed {count(s.claims[other])} and got {s.points[other]:.2f} points.",
            ]
        if s.played == s.params.rounds:
            return "\n".join([*lines, "The game is over."])
        return "\n".join(
            [
                f"Round {s.played + 1} of {s.params.rounds}.",
                *lines,
                f"One is worth to you: {worth(s.values[agent])}; to player_{other}: {worth(s.values[other])}.",
            ]
        )

    # The picture: the worth of the items above; the last round's claims and shares below.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(20, 12.2)
        over = s.played == s.params.rounds
        title = "The game is over" if over else f"Round {s.played + 1} of {s.params.rounds}"
        scene.add(Label(0.8, 0.85, title, 0.62, align="left", bold=True))
        scene.add(Label(19.2, 0.85, "total", 0.42, "muted", "right"))
        scene.add(Rect(0.5, 1.4, 19, 4.6, "panel", radius=0.25))
        for k, name in enumerate(ITEMS):
            scene.add(*item(name, _column(k), 2.45, 1.4))
            scene.add(Label(_column(k) + 0.95, 2.9, f"x {STOCK}", 0.42, "muted", "left"))
        for a in range(2):
            y = 4.0 + 1.15 * a
            _draw_name(scene, a, y)
            scene.add(Label(19.1, y, f"{s.totals[a]:.1f}", 0.5, align="right", bold=True))
            for k in range(3):
                scene.add(*tag(_column(k), y, int((s.last if over else s.values)[a, k])))
        scene.add(Rect(0.5, 6.4, 19, 5.3, "panel", radius=0.25))
        scene.add(Label(0.9, 7.0, "Last round", 0.46, "muted", "left"))
        if not s.played:
            scene.add(Label(10, 9.2, "no claims yet", 0.46, "muted"))
            return scene
        scene.add(Label(19.1, 7.0, "points", 0.42, "muted", "right"))
        scene.add(Label(0.9, 10.85, "shares", 0.44, "muted", "left"))
        for a in range(2):
            y = 8.0 + 1.15 * a
            _draw_name(scene, a, y)
            scene.add(Label(19.1, y, f"{s.points[a]:.1f}", 0.5, align="right", bold=True))
            for k in range(3):
                left = _column(k) - 1.75
                scene.add(Rect(left, y - 0.28, 3.0, 0.56, "white", radius=0.1))
                if s.claims[a, k]:
                    scene.add(Rect(left, y - 0.28, 0.3 * int(s.claims[a, k]), 0.56, agent_color(a), radius=0.1))
                scene.add(Label(left + 3.15, y, str(int(s.claims[a, k])), 0.46, align="left", bold=True))
        for k in range(3):
            left = _column(k) - 1.75
            first, second = (int(claim) for claim in s.claims[:, k])
            shares = [bargaining.proportional_share(x, y, STOCK) for x, y in ((first, second), (second, first))]
            scene.add(Rect(left, 10.57, 3.0, 0.56, "white"))
            for a, begin in enumerate((0.0, STOCK - shares[1])):
                wide = 0.3 * shares[a]
                scene.add(Rect(left + 0.3 * begin, 10.57, wide, 0.56, agent_color(a), glyph=""))
                if wide > 0.8:
                    middle = left + 0.3 * begin + wide / 2
                    scene.add(Label(middle, 10.85, f"{shares[a]:.3g}", 0.4, "white", bold=True))
        return scene


def worth(values: Any) -> str:
    """Values in words."""
    return ", ".join(f"{name[:-1]} {value}" for name, value in zip(ITEMS, values))


def count(numbers: Any) -> str:
    """Numbers of items in words."""
    return ", ".join(f"{number} {name}" for number, name in zip(numbers, ITEMS))


def _column(k: int) -> float:
    return 6.4 + 4.2 * k


def _draw_name(scene: Scene, agent: int, y: float) -> None:
    scene.add(
        Circle(1.2, y, 0.24, agent_color(agent)), Label(1.65, y, f"player_{agent}", 0.46, align="left", bold=True)
    )


def tag(x: float, y: float, points: int) -> list[Shape]:
    """A price tag; a high price stands out."""
    fill, ink = ("gold", "black") if points > 1 else ("line", "ink")
    outline = [(x - 1.0, y), (x - 0.6, y - 0.4), (x + 0.8, y - 0.4), (x + 0.8, y + 0.4), (x - 0.6, y + 0.4)]
    return [
        Polygon(outline, fill),
        Circle(x - 0.62, y, 0.1, "panel", glyph=""),
        Label(x + 0.15, y, str(points), 0.5, ink, bold=True),
    ]


def item(name: str, x: float, y: float, size: float) -> list[Shape]:
    """A hat, a book or a ball."""

    def at(across: float, down: float) -> tuple[float, float]:
        return x + across * size, y + down * size

    if name == "hats":
        return [
            Polygon([at(-0.24, 0.26), at(-0.28, -0.4), at(0.28, -0.4), at(0.24, 0.26)], "ink", glyph="H"),
            Polygon([at(-0.245, 0.2), at(-0.255, 0.02), at(0.255, 0.02), at(0.245, 0.2)], "red"),
            Rect(*at(-0.48, 0.22), 0.96 * size, 0.14 * size, "ink", radius=0.07 * size),
        ]
    if name == "books":
        return [
            Rect(*at(-0.34, -0.42), 0.7 * size, 0.84 * size, "deep", radius=0.06 * size, glyph="B"),
            Rect(*at(-0.26, 0.24), 0.6 * size, 0.12 * size, "white"),
            Line([at(-0.2, -0.36), at(-0.2, 0.22)], "shadow@0.35", 0.05 * size),
            Line([at(-0.04, -0.2), at(0.24, -0.2)], "beam", 0.06 * size),
            Line([at(-0.04, -0.06), at(0.24, -0.06)], "beam", 0.06 * size),
        ]
    return [
        Circle(x, y, 0.4 * size, "orange", glyph="O"),
        Line([at(-0.4, 0), at(0.4, 0)], "black", 0.04 * size),
        Line([at(0, -0.4), at(0, 0.4)], "black", 0.04 * size),
        Line([at(-0.28, -0.28), at(-0.14, -0.12), at(-0.14, 0.12), at(-0.28, 0.28)], "black", 0.04 * size),
        Line([at(0.28, -0.28), at(0.14, -0.12), at(0.14, 0.12), at(0.28, 0.28)], "black", 0.04 * size),
    ]


env, raw_env, parallel_env = pettingzoo_forms(SplitNoComm)
