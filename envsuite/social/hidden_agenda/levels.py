"""Maps of ships: a hall with a deposit, four storerooms with gems, and a closed room for votes beside a cell.

Every map is 33 x 22 with walls around. The hall has 20 cells of deposit in its middle and six starts on each side. The
storerooms in the corners have 42 gems, and doors of eight cells to the hall. Between two of them, above or below the
hall, lie the voting room with nine places, a row of windows and the cell with seven places.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.generators.maps import MapGenerator, exchange, places, steps_from

if TYPE_CHECKING:
    from envsuite.render.scene import Scene, Shape

HEIGHT, WIDTH = 22, 33

#: The codes of cells, and their letters in a level.
WALL, FLOOR, GEM, DEPOSIT, START, PLACE, CELL, WINDOW = range(8)
LEGEND = "#.gdsvcw"

GEMS, STARTS, PLACES, CELLS = 42, 12, 9, 7

#: Rows of the hall, and where its first one can be; cells of a door.
_HALL, _FIRST, _SHIFTS, _DOOR = 6, 7, 3, 8

#: The first column of the block between the storerooms, and its last one, which are walls.
_BLOCK, _BLOCK_WIDTH = 10, 11

#: Columns and rows of the deposit, how far from it agents start, and its first column.
_ACROSS, _DOWN, _NEAR, _LEFT = 5, 4, 3, 12


@large_kernel
def ship(s, map):
    """Fill `map` with a new map."""
    top = _FIRST + randint(s, _SHIFTS)
    block = _BLOCK + randint(s, _SHIFTS)
    end = block + _BLOCK_WIDTH - 1
    for y in range(HEIGHT):
        for x in range(WIDTH):
            inside = 0 < x < WIDTH - 1 and 0 < y < HEIGHT - 1
            hall = top <= y < top + _HALL
            store = y != top - 1 and y != top + _HALL and not block <= x <= end
            map[y, x] = FLOOR if inside and (hall or store) else WALL
    for below in range(2):
        y = top + _HALL if below else top - 1
        open_door(s, map, y, np.int64(1), block - 1)
        open_door(s, map, y, end + 1, WIDTH - 2 - end)
    scatter_gems(s, map, top)
    if randint(s, 2):
        lay_rooms(s, map, block, np.int64(1), np.int64(1), top - 4)
    else:
        lay_rooms(s, map, block, np.int64(HEIGHT - 2), np.int64(-1), HEIGHT - 4 - top - _HALL)
    lay_deposit(s, map, top + 1, _LEFT + randint(s, 5))


@kernel
def open_door(s, map, y, first, width):
    """A door somewhere in a wall of this width."""
    first += randint(s, width - _DOOR + 1)
    for x in range(first, first + _DOOR):
        map[y, x] = FLOOR


@kernel
def scatter_gems(s, map, top):
    """Gems on random floor of the storerooms."""
    left = GEMS
    while left > 0:
        y, x = 1 + randint(s, HEIGHT - 2), 1 + randint(s, WIDTH - 2)
        if (y < top - 1 or y > top + _HALL) and map[y, x] == FLOOR:
            map[y, x] = GEM
            left -= 1


@kernel
def lay_rooms(s, map, block, edge, inward, rows):
    """From the ship's edge inward: the cell, windows, and the voting room with this number of rows."""
    for x in range(block + 1, block + _BLOCK_WIDTH - 1):
        if block + 1 < x < block + _BLOCK_WIDTH - 2:
            map[edge, x] = CELL
            map[edge + inward, x] = WINDOW
        for k in range(rows):
            map[edge + (2 + k) * inward, x] = FLOOR
    left = PLACES
    while left > 0:
        y, x = edge + (2 + randint(s, rows)) * inward, block + 1 + randint(s, _BLOCK_WIDTH - 2)
        if map[y, x] == FLOOR:
            map[y, x] = PLACE
            left -= 1


@kernel
def lay_deposit(s, map, y, x):
    """The deposit, and starts on both sides of it."""
    for i in range(_DOWN):
        for j in range(_ACROSS):
            map[y + i, x + j] = DEPOSIT
    for right in range(2):
        left = STARTS // 2
        while left > 0:
            i, j = y - 1 + randint(s, _HALL), randint(s, _NEAR)
            j = x + _ACROSS + j if right else x - 1 - j
            if map[i, j] == FLOOR:
                map[i, j] = START
                left -= 1


@kernel
def make(s):
    """A new map."""
    ship(s, s.level.map)


def gem(x: float, y: float, size: float = 1.0) -> list[Shape]:
    """A gem around (x, y)."""
    from envsuite.render.scene import Line, Polygon

    corners = [(-0.3, -0.08), (-0.16, -0.26), (0.16, -0.26), (0.3, -0.08), (0.0, 0.32)]
    facets = [(-0.3, -0.08), (-0.1, -0.08), (0.0, 0.32), (0.1, -0.08), (0.3, -0.08)]
    return [
        Polygon([(x + size * i, y + size * j) for i, j in corners], "purple", "black", 0.04 * size, glyph="*"),
        Line([(x + size * i, y + size * j) for i, j in facets], "white", 0.04 * size),
    ]


def deposit(x: float, y: float) -> list[Shape]:
    """A cell of the deposit, a grate, from its top left corner."""
    from envsuite.render.scene import Line, Rect

    bars = [Line([(x + k, y + 0.1), (x + k, y + 0.9)], "seam", 0.07) for k in (0.25, 0.5, 0.75)]
    return [Rect(x, y, 1, 1, "grey", glyph="="), *bars]


def window(x: float, y: float) -> list[Shape]:
    """A window from its top left corner."""
    from envsuite.render.scene import Line, Rect

    return [
        Rect(x, y, 1, 1, "sky", "wall", 0.06, glyph="+"),
        Line([(x + 0.25, y + 0.75), (x + 0.75, y + 0.25)], "white", 0.08),
    ]


class Ship(MapGenerator):
    """Ships, 33 x 22 cells, for gems and votes."""

    legend = LEGEND
    make = make
    change = exchange

    def __init__(self) -> None:
        self.define(level=[("map", np.uint8, (HEIGHT, WIDTH))])

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the numbers of "gems" and "starts".

        A map is solvable if each start has a way to a gem and to the deposit. Its difficulty is the mean number of
        steps from gems to the deposit, divided by 33; gems without a way count as 33 steps.
        """
        found, starts = places(level["map"], "g"), places(level["map"], "s")
        steps = steps_from(places(level["map"], "d"), level["map"], "#w")
        to_gems = steps_from(found, level["map"], "#w")
        gems = [steps.get(cell, WIDTH) for cell in found]
        return {
            "size": [HEIGHT, WIDTH],
            "solvable": bool(starts) and all(cell in steps and cell in to_gems for cell in starts),
            "difficulty": round(sum(gems) / max(1, len(gems)) / WIDTH, 6),
            "gems": len(gems),
            "starts": len(starts),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """Gems, deposit and windows; starts (blue, s), and where agents vote (green, v) and are locked up (red, c)."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Circle, Scene

        rows = level["map"]
        scene = Scene(WIDTH, HEIGHT, background="floor")
        colors = {"s": "blue@0.5", "v": "green@0.5", "c": "red@0.5"}
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                if letter == "g":
                    scene.add(*gem(x + 0.5, y + 0.5))
                elif letter in "dw":
                    scene.add(*(deposit if letter == "d" else window)(x, y))
                elif letter in colors:
                    scene.add(Circle(x + 0.5, y + 0.5, 0.2, colors[letter], glyph=letter))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in rows]))
        return scene
