"""Maps for paintball: walls, barriers that shots destroy, and a base for each team or a hill in the middle.

All maps are 21 x 21 with walls around. The lower half is the mirror image of the upper half, or the upper half turned
about the middle cell, so the chances are the same. Red starts above and blue below.

- `flags` has 4 pieces of cover in each half, a base in the middle third of the outermost row, and a sign in the middle.
- `hill` has a hill of 48 cells around the sign. A ring of walls and barriers encloses it, with an opening on each side.

Of the cells of walls in covers and rings, some are barriers. One of the letter ``d`` stands at the start of an episode
with probability 0.9, one of the letter ``h`` with 0.75; else there is rubble.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint
from envsuite.generators.maps import MapGenerator, places, steps_from

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

SIZE = 21
MIDDLE = SIZE // 2

#: The codes of cells, and their letters in a level.
WALL, FLOOR, DOOR, HEDGE, RED_START, BLUE_START, RED_BASE, BLUE_BASE, HILL, SIGN = range(10)
LEGEND = "#.dhrbRBos"

#: What the other half has in the place of a code.
_OTHER = np.array([WALL, FLOOR, DOOR, HEDGE, BLUE_START, RED_START, BLUE_BASE, RED_BASE, HILL, SIGN], np.uint8)

Mode = Literal["flags", "hill"]
MODES: tuple[Mode, ...] = ("flags", "hill")
FLAGS = 0

#: Covers, four rows of three cells each.
_COVERS = np.array(
    [
        [[1, 1, 1], [0, 0, 0], [0, 0, 0], [1, 1, 1]],
        [[0, 1, 0], [1, 1, 1], [0, 1, 0], [0, 1, 0]],
        [[1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 1, 1]],
        [[1, 0, 1], [1, 0, 1], [1, 1, 1], [0, 0, 0]],
        [[0, 0, 0], [1, 1, 0], [1, 1, 0], [0, 0, 0]],
        [[1, 1, 1], [0, 1, 0], [0, 1, 0], [1, 1, 1]],
        [[0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 0, 0]],
        [[1, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 1]],
    ],
    np.uint8,
)

#: The first row of covers, and their first columns.
_COVER_TOP, _COVER_LEFT = 5, np.array([2, 7, 11, 16])

#: How far the hill and the ring around it are from the middle.
_HILL_REACH, _RING = 3, 5

#: The probabilities that a cell of a cover is a barrier; that a cell of the ring is a wall, and else a barrier; and
#: that a cell between the corners of the outermost rows is a start.
_BARRIER, _SOLID, _CLOSED, _START = 0.35, 0.5, 0.6, 0.6


def mode_of(s: Any) -> Mode:
    """The mode of a record."""
    return MODES[s.params.mode]


@large_kernel
def paint_yard(s, map, mode):
    """Fill `map` with a new map for this mode."""
    for y in range(SIZE):
        for x in range(SIZE):
            inside = 0 < x < SIZE - 1 and 0 < y < SIZE - 1
            map[y, x] = FLOOR if inside else WALL
    starts(s, map)
    if mode == FLAGS:
        map[1, 6 + randint(s, SIZE - 12)] = RED_BASE
        for k in range(_COVER_LEFT.shape[0]):
            cover(s, map, _COVER_LEFT[k])
    else:
        hill(s, map)
    turned = bernoulli(s, 0.5)
    for y in range(MIDDLE + 1):
        for x in range(SIZE):
            if y < MIDDLE or x < MIDDLE or not turned:
                code = map[y, x]
                if y < MIDDLE or turned:
                    map[SIZE - 1 - y, SIZE - 1 - x if turned else x] = _OTHER[code]
    map[MIDDLE, MIDDLE] = SIGN


@kernel
def starts(s, map):
    """Red starts in the upper corners, and here and there between them."""
    for x in range(1, SIZE - 1):
        corner = x <= 3 or x >= SIZE - 4
        for y in range(1, 4):
            if corner or (y < 3 and bernoulli(s, _START)):
                map[y, x] = RED_START


@kernel
def barrier(s):
    """One of the two kinds of barriers."""
    return DOOR if bernoulli(s, 0.5) else HEDGE


@kernel
def cover(s, map, left):
    """A piece of cover from this column on, mirrored or not."""
    kind, flipped, upturned = randint(s, _COVERS.shape[0]), bernoulli(s, 0.5), bernoulli(s, 0.5)
    for i in range(4):
        for j in range(3):
            if _COVERS[kind, 3 - i if upturned else i, 2 - j if flipped else j]:
                map[_COVER_TOP + i, left + j] = barrier(s) if bernoulli(s, _BARRIER) else WALL


@kernel
def hill(s, map):
    """The hill, and the upper half of the ring around it."""
    for y in range(MIDDLE - _HILL_REACH, MIDDLE + _HILL_REACH + 1):
        for x in range(MIDDLE - _HILL_REACH, MIDDLE + _HILL_REACH + 1):
            map[y, x] = HILL
    for k in range(-_RING, _RING + 1):
        map[MIDDLE - _RING, MIDDLE + k] = ring_cell(s)
        if k <= 0:
            map[MIDDLE + k, MIDDLE - _RING] = ring_cell(s)
            map[MIDDLE + k, MIDDLE + _RING] = ring_cell(s)
    map[MIDDLE - _RING, MIDDLE - _RING] = WALL
    map[MIDDLE - _RING, MIDDLE + _RING] = WALL
    map[MIDDLE - _RING, MIDDLE + 1 - _RING + randint(s, 2 * _RING - 1)] = FLOOR
    map[MIDDLE + 1 - _RING + randint(s, _RING), MIDDLE - _RING] = FLOOR
    map[MIDDLE + 1 - _RING + randint(s, _RING), MIDDLE + _RING] = FLOOR


@kernel
def ring_cell(s):
    """A wall, a barrier or an opening."""
    if bernoulli(s, _SOLID):
        return WALL
    return barrier(s) if bernoulli(s, _CLOSED) else FLOOR


@kernel
def make(s):
    """A new map."""
    paint_yard(s, s.level.map, s.params.mode)


@kernel
def change(s):
    """Make one more inner cell a wall, a barrier or floor, where nothing else is, and the cell opposite too."""
    map = s.level.map
    for _ in range(1000):
        y, x, code = 4 + randint(s, SIZE - 8), 1 + randint(s, SIZE - 2), randint(s, 4)
        there, opposite = map[y, x], map[SIZE - 1 - y, SIZE - 1 - x]
        if there <= HEDGE and opposite <= HEDGE and there != code:
            map[y, x] = code
            map[SIZE - 1 - y, SIZE - 1 - x] = code
            break


class PaintYards(MapGenerator):
    """Yards for paintball, 21 x 21 cells.

    Args:
        mode: "flags", with a base for each team, or "hill", with a hill in the middle.
    """

    legend = LEGEND
    make = make
    change = change

    def __init__(self, mode: Mode = "flags") -> None:
        self.define(level=[("map", np.uint8, (SIZE, SIZE))], params={"mode": MODES.index(mode)})

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the numbers of "walls" inside, "barriers", cells of the "hill" and "starts" of red.

        A map is solvable if all starts, bases and cells of the hill are joined while all barriers stand. Its difficulty
        is the share of walls and barriers among the inner cells.
        """
        wanted = places(level["map"], "rbRBo")
        reached = steps_from(wanted[:1], level["map"], "#dh")
        letters = "".join(row[1:-1] for row in level["map"][1:-1])
        barriers = letters.count("d") + letters.count("h")
        return {
            "size": [SIZE, SIZE],
            "solvable": bool(wanted) and reached.keys() >= set(wanted),
            "difficulty": round((letters.count("#") + barriers) / len(letters), 6),
            "walls": letters.count("#"),
            "barriers": barriers,
            "hill": letters.count("o"),
            "starts": letters.count("r"),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """Walls, barriers, bases or the hill, and where the teams start."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Circle, Line, Rect, Scene

        rows = level["map"]
        scene = Scene(SIZE, SIZE, background="floor")
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                color = "red" if letter in "rR" else "blue"
                if letter in "rb":
                    scene.add(Circle(x + 0.5, y + 0.5, 0.2, f"{color}@0.5", glyph=letter))
                elif letter in "RB":
                    scene.add(Rect(x + 0.08, y + 0.08, 0.84, 0.84, color, "gold", 0.12, glyph=letter))
                elif letter == "o":
                    scene.add(Rect(x, y, 1, 1, "square", glyph="o"))
                elif letter == "s":
                    scene.add(Rect(x + 0.15, y + 0.15, 0.7, 0.7, "purple", "ink", 0.08, glyph="s"))
                elif letter in "dh":
                    scene.add(Rect(x, y, 1, 1, "brown", "shadow", 0.05, glyph="%"))
                    scene.add(Line([(x + 0.05, y + 0.5), (x + 0.95, y + 0.5)], "shadow", 0.06))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in rows]))
        return scene
