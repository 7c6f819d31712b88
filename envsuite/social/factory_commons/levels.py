"""Maps of factories: hoppers that turn cubes into apples, and cubes on the floor.

All maps are 23 x 17 with walls around. A machine is a body, which is a hopper and a dispenser side by side, and the
six cells below it:

    hR   h: the hopper, R or T: the dispenser
    mb   m: the mouth, b: a belt
    .s   s: the spots for what the dispenser gives
    .s

The machines stand in random places in two rows of five; all that is not a body can be walked over. Six cubes always
lie on the floor, and each of ten more does so with probability 0.5. Five pieces of wall touch nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts
from envsuite.core.random import randint
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.generators.maps import places, steps_from
from envsuite.kit import avatars

if TYPE_CHECKING:
    from envsuite.render.scene import Scene, Shape

HEIGHT, WIDTH = 17, 23

#: The codes of cells, and their letters in a level.
WALL, FLOOR, LIKELY, CUBE, HOPPER, MOUTH, BELT, RENEWING, DOUBLING, SPOT = range(10)
LEGEND = "#.cChmbRTs"

#: Machines in each of the two rows, and in all.
_COLUMNS, _ROWS = 5, 2
MOST_OF_A_KIND, MACHINES = _COLUMNS, _COLUMNS * _ROWS

#: Cells of a place for a machine.
_WIDE, _HIGH = 4, 7

_CUBES, _LIKELY_CUBES, _PILLARS = 6, 10, 5


@large_kernel
def factory(s, map, renewing, doubling):
    """Fill `map` with a new map that has this many machines of each kind."""
    for y in range(HEIGHT):
        for x in range(WIDTH):
            map[y, x] = FLOOR if 0 < x < WIDTH - 1 and 0 < y < HEIGHT - 1 else WALL
    for k in range(MACHINES):
        drawn = randint(s, MACHINES - k)
        if drawn < renewing + doubling:
            y, x = 1 + k // _COLUMNS * _HIGH + randint(s, 4), 2 + k % _COLUMNS * _WIDE + randint(s, 2)
            if drawn < renewing:
                machine(map, y, x, RENEWING)
                renewing -= 1
            else:
                machine(map, y, x, DOUBLING)
                doubling -= 1
    for _ in range(_PILLARS):
        pillar(s, map)
    scatter(s, map, CUBE, _CUBES)
    scatter(s, map, LIKELY, _LIKELY_CUBES)


@kernel
def machine(map, y, x, kind):
    """A machine with its hopper at this place."""
    map[y, x] = HOPPER
    map[y, x + 1] = kind
    map[y + 1, x] = MOUTH
    map[y + 1, x + 1] = BELT
    map[y + 2, x + 1] = SPOT
    map[y + 3, x + 1] = SPOT


@kernel
def pillar(s, map):
    """A piece of wall with bare floor on all sides, if there is room."""
    for _ in range(100):
        y, x, bare = 2 + randint(s, HEIGHT - 4), 2 + randint(s, WIDTH - 4), True
        for i in range(-1, 2):
            for j in range(-1, 2):
                bare &= map[y + i, x + j] == FLOOR
        if bare:
            map[y, x] = WALL
            break


@kernel
def scatter(s, map, letter, count):
    """Turn this many random cells of bare floor into ones with this letter."""
    while count > 0:
        y, x = 1 + randint(s, HEIGHT - 2), 1 + randint(s, WIDTH - 2)
        if map[y, x] == FLOOR:
            map[y, x] = letter
            count -= 1


@kernel
def make(s):
    """A new map."""
    factory(s, s.level.map, s.params.renewing, s.params.doubling)


@kernel
def change(s):
    """Put a cube or a likely one on a random cell of the floor, or take it away."""
    for _ in range(1000):
        y, x, letter = 1 + randint(s, HEIGHT - 2), 1 + randint(s, WIDTH - 2), FLOOR + randint(s, 3)
        there = s.level.map[y, x]
        if FLOOR <= there <= CUBE and there != letter:
            s.level.map[y, x] = letter
            break


def flaw(codes: np.ndarray) -> str | None:
    """Why a map (17, 23) of numbers of letters has no machines that can work."""
    loose, machines = codes.copy(), np.argwhere((codes == RENEWING) | (codes == DOUBLING)).tolist()
    if len(machines) > MACHINES:
        return f"has {len(machines)} dispensers; {MACHINES} are allowed"
    for y, x in machines:
        for i, j, letter in ((0, -1, HOPPER), (1, -1, MOUTH), (1, 0, BELT), (2, 0, SPOT), (3, 0, SPOT)):
            if y + i >= HEIGHT or codes[y + i, x + j] != letter:
                return (
                    f"must have {LEGEND[letter]!r} in row {y + i}, column {x + j}, "
                    f"for the dispenser in row {y}, column {x}"
                )
            loose[y + i, x + j] = FLOOR
    for y, x in np.argwhere(np.isin(loose, (HOPPER, MOUTH, BELT, SPOT))).tolist():
        return f"has {LEGEND[codes[y, x]]!r} in row {y}, column {x} without a dispenser"
    return None


def read_factory(rows: Any, name: str) -> np.ndarray:
    """(17, 23) uint8, the number of each letter, or `LevelError` that begins with this name."""
    codes = avatars.read_map(rows, LEGEND, HEIGHT, WIDTH, name)
    if problem := flaw(codes):
        raise LevelError(f"{name}: the level's map {problem}")
    return codes


def cube(x: float, y: float, size: float = 1.0, color: str = "sky") -> list[Shape]:
    """A cube around (x, y)."""
    from envsuite.render.scene import Line, Rect

    half = 0.27 * size
    return [
        Rect(x - half, y - half, 2 * half, 2 * half, color, "black", 0.06 * size, glyph="c"),
        Line([(x - 0.24 * size, y - half / 3), (x + 0.24 * size, y - half / 3)], "black", 0.05 * size),
    ]


def body(x: float, y: float, letter: str) -> list[Shape]:
    """A cell of a machine from its top left corner; `letter` is that of a level, or `x` for a closed mouth."""
    from envsuite.render.scene import Line, Polygon, Rect, apple

    if letter in "mx":
        color, glyph = ("shadow", "m") if letter == "m" else ("muted", "x")
        return [
            Rect(x, y, 1, 1, "square", glyph=glyph),
            Rect(x + 0.1, y + 0.1, 0.8, 0.8, color, "black", 0.06, glyph=""),
        ]
    if letter == "b":
        bars = [Line([(x + 0.1, y + i), (x + 0.9, y + i)], "muted", 0.07) for i in (0.2, 0.5, 0.8)]
        return [Rect(x, y, 1, 1, "square", glyph="="), *bars]
    if letter == "s":
        return [Rect(x + 0.06, y + 0.06, 0.88, 0.88, "square", "gold", 0.06, glyph="_")]
    signs: list[Shape] = []
    if letter == "h":
        signs.append(
            Polygon([(x + 0.1, y + 0.15), (x + 0.9, y + 0.15), (x + 0.65, y + 0.9), (x + 0.35, y + 0.9)], "black")
        )
        signs += cube(x + 0.5, y + 0.4, 0.6)
    else:
        signs += apple(x + 0.27, y + 0.5, 0.75)
        signs += cube(x + 0.73, y + 0.5, 0.7) if letter == "R" else apple(x + 0.73, y + 0.5, 0.75)
    # In terminals, a machine shows its letter alone.
    silent = [replace(shape, glyph="") if hasattr(shape, "glyph") else shape for shape in signs]
    return [Rect(x, y, 1, 1, "grey", glyph=letter), *silent]


class Factory(Generator):
    """Factories, 23 x 17 cells.

    Args:
        renewing: machines that give an apple and the cube back, from 0 to 5.
        doubling: machines that give two apples and destroy the cube, from 0 to 5.
    """

    make = make
    change = change

    def __init__(
        self,
        renewing: Annotated[int, Between(0, MOST_OF_A_KIND)] = 4,
        doubling: Annotated[int, Between(0, MOST_OF_A_KIND)] = 4,
    ) -> None:
        self.define(level=[("map", np.uint8, (HEIGHT, WIDTH))], params={"renewing": renewing, "doubling": doubling})

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": avatars.write_map(s.level.map, LEGEND)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts("factory", level, {"kind", "map"})
        s.level.map[:] = read_factory(level["map"], "factory")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the numbers of machines: "renewing" and "doubling"; of "cubes" and "likely" ones.

        A map is solvable if cubes can come from each of their places to the mouths of all machines, and agents to all
        spots, with the other cubes out of the way. Its difficulty is the share of machines that destroy cubes.
        """
        wanted = places(level["map"], "mscC")
        reached = steps_from(wanted[:1], level["map"], "#hRT")
        letters = "".join(level["map"])
        renewing, doubling = letters.count("R"), letters.count("T")
        return {
            "size": [HEIGHT, WIDTH],
            "solvable": bool(wanted) and reached.keys() >= set(wanted),
            "difficulty": round(doubling / max(1, renewing + doubling), 6),
            "renewing": renewing,
            "doubling": doubling,
            "cubes": letters.count("C"),
            "likely": letters.count("c"),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """Machines and cubes; likely ones are pale."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Scene

        rows = level["map"]
        scene = Scene(WIDTH, HEIGHT, background="floor")
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                if letter in "hmbRTs":
                    scene.add(*body(x, y, letter))
                elif letter in "cC":
                    scene.add(*cube(x + 0.5, y + 0.5, color="blue" if letter == "C" else "blue@0.4"))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in rows]))
        return scene
