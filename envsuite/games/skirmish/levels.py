"""Fights for Skirmish: units of random kinds in two groups, the allies in the west and the enemies in the east."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts
from envsuite.core.random import bernoulli, randint, uniform
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: Kinds of units, their health, and the damage that they do in a second.
KINDS = ("marine", "marauder", "stalker", "zealot", "zergling", "hydralisk")
HEALTH = np.array([45.0, 125.0, 160.0, 150.0, 35.0, 80.0])
RATE = np.array([9.0 / 0.61, 10.0 / 1.07, 13.0 / 1.87, 8.0 / 0.86, 5.0 / 0.5, 12.0 / 0.59])

#: The strength of a single unit.
STRENGTH = HEALTH * RATE

#: The side of the field, how far beyond it units may start, and how far from the middle of its group a unit starts.
SIZE, SPREAD, GROUP = 32.0, 2.0, 3.0


@kernel
def place(s, unit, x, y, far):
    """Put a unit up to `far` away from a place in both coordinates, on the field."""
    s.level.places[unit, 0] = min(max(x + far * (2.0 * uniform(s) - 1.0), 0.5), SIZE - 0.5)
    s.level.places[unit, 1] = min(max(y + far * (2.0 * uniform(s) - 1.0), 0.5), SIZE - 0.5)


@large_kernel
def make(s):
    """Groups around random middles; of random kinds, a unit has the one that makes the fight hardest, or easiest."""
    allies = s.params.allies
    for side in range(2):
        x, y = 5.0 + 6.0 * uniform(s) + 16.0 * side, 5.0 + 22.0 * uniform(s)
        for unit in range(allies if side else 0, s.level.kinds.shape[0] if side else allies):
            kind, strong = randint(s, 6), bernoulli(s, s.params.difficulty) == (side == 1)
            for _ in range(2):
                other = randint(s, 6)
                if (STRENGTH[other] > STRENGTH[kind]) == strong:
                    kind = other
            s.level.kinds[unit] = kind
            place(s, unit, x, y, GROUP)


@kernel
def change(s):
    """One unit starts up to 1 further away in both coordinates."""
    unit = randint(s, s.level.kinds.shape[0])
    place(s, unit, s.level.places[unit, 0], s.level.places[unit, 1], 1.0)


def read(level: Mapping[str, Any], allies: int, enemies: int, what: str) -> tuple[list[int], list[list[float]]]:
    """The numbers of the kinds of all units, allies first, and their places; `LevelError` says what is wrong."""
    known_parts(what, level, {"kind", "allies", "enemies"})
    kinds: list[int] = []
    places: list[list[float]] = []
    for side, count in (("allies", allies), ("enemies", enemies)):
        units = level[side]
        if not isinstance(units, list | tuple) or len(units) != count:
            raise LevelError(f"{what}: {side!r} must be a list of {count} units [kind, x, y]")
        for k, unit in enumerate(units):
            if not isinstance(unit, list | tuple) or len(unit) != 3 or unit[0] not in KINDS:
                raise LevelError(f"{what}: {side} {k} is {unit!r:.60}, not [kind, x, y]; kinds: {', '.join(KINDS)}")
            if not all(type(x) in (int, float) and -SPREAD <= x <= SIZE + SPREAD for x in unit[1:]):
                raise LevelError(f"{what}: {side} {k} is at {unit[1:]!r:.60}; coordinates are numbers from -2 to 34")
            kinds.append(KINDS.index(unit[0]))
            places.append(list(unit[1:]))
    return kinds, places


def write(kinds: Any, places: Any, allies: int) -> dict[str, Any]:
    """The level with these kinds and places."""
    units = [[KINDS[kind], *at] for kind, at in zip(np.asarray(kinds).tolist(), np.asarray(places).tolist())]
    return {"allies": units[:allies], "enemies": units[allies:]}


def strength(units: list[list[Any]]) -> float:
    """The health of all units times the damage that they do in a second."""
    kinds = [KINDS.index(kind) for kind, *_ in units]
    return float(HEALTH[kinds].sum() * RATE[kinds].sum())


class Skirmishes(Generator):
    """Fights of two groups of random units.

    Args:
        allies: number of allies.
        enemies: number of enemies.
        difficulty: probability that, of three random kinds, an enemy has the strongest and an ally the weakest one;
            otherwise it is the other way round.
    """

    make = make
    change = change

    def __init__(
        self,
        allies: Annotated[int, Between(1, 30)] = 5,
        enemies: Annotated[int, Between(1, 30)] = 5,
        difficulty: Annotated[float, Between(0, 1)] = 0.5,
    ):
        units = allies + enemies
        self.define(
            level=[
                ("kinds", below(np.int64, len(KINDS)), (units,)),
                ("places", within(np.float64, -SPREAD, SIZE + SPREAD), (units, 2)),
            ],
            params={"allies": fixed(allies), "difficulty": float(difficulty)},
        )

    def decode(self, s: Any) -> dict[str, Any]:
        return write(s.level.kinds, s.level.places, int(s.params.allies))

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        allies, units = int(s.params.allies), len(s.level.kinds)
        s.level.kinds[:], s.level.places[:] = read(level, allies, units - allies, "skirmishes")

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Skirmishes:
        return cls(len(level["allies"]), len(level["enemies"]))

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the strength of "allies" and "enemies".

        The strength of a side is its health times the damage that it does in a second. The difficulty is the share of
        the enemies in the strength of both.
        """
        ours, theirs = strength(level["allies"]), strength(level["enemies"])
        return {
            "size": [int(SIZE), int(SIZE)],
            "solvable": None,
            "difficulty": round(theirs / (ours + theirs), 6),
            "allies": round(ours, 3),
            "enemies": round(theirs, 3),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """Allies are blue, enemies red; letters are those of the kinds."""
        from envsuite.render.scene import Circle, Label, Rect, Scene

        scene = Scene(SIZE, SIZE)
        scene.add(Rect(0, 0, SIZE, SIZE, "soil"))
        for side, color in (("allies", "blue"), ("enemies", "red")):
            for kind, x, y in level[side]:
                letter = "mMsZzh"[KINDS.index(kind)]
                scene.add(Circle(x, SIZE - y, 0.6, color, "black", 0.06, glyph=letter))
                scene.add(Label(x, SIZE - y, letter, 0.9, "white", bold=True, terminal=False))
        return scene
