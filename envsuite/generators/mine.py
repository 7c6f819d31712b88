"""Maps of mines: ore anywhere, pieces of wall, and places to start.

Every map is 27 x 27 and has 538 sites of ore, 18 starts and 69 cells of inner wall. Walls are straight pieces of 2 to 7
cells that do not touch one another or the rim, so all cells can be reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts
from envsuite.core.random import randint
from envsuite.generators.base import Generator
from envsuite.generators.maps import places, steps_from
from envsuite.kit import avatars

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

SIZE = 27

#: The codes of cells, and their letters in a level.
WALL, SITE, START = range(3)
LEGEND = "#os"

INNER_WALLS, STARTS = 69, 18
_SHORTEST, _LONGEST, _TRIES = 2, 7, 4000


@large_kernel
def mine(s, map):
    """Fill `map` with a new map."""
    left = 1
    while left > 0:  # nearly always one round
        left = lay_walls(s, map)
    place_starts(s, map, (SIZE - 2) * (SIZE - 2) - INNER_WALLS)


@kernel
def place_starts(s, map, sites):
    """Turn random sites into starts; `sites` is their number."""
    wanted = STARTS
    for y in range(SIZE):
        for x in range(SIZE):
            if map[y, x] == SITE:
                if randint(s, sites) < wanted:
                    map[y, x] = START
                    wanted -= 1
                sites -= 1


@kernel
def lay_walls(s, map):
    """Fill the map with ore and with pieces of wall that touch nothing; return the number of cells left."""
    for y in range(SIZE):
        for x in range(SIZE):
            map[y, x] = SITE if 0 < x < SIZE - 1 and 0 < y < SIZE - 1 else WALL
    left = INNER_WALLS
    for _ in range(_TRIES):
        if left == 0:
            break
        length = min(_SHORTEST + randint(s, _LONGEST - _SHORTEST + 1), left)
        down = randint(s, 2)
        x = 2 + randint(s, SIZE - 3 - (1 if down else length))
        y = 2 + randint(s, SIZE - 3 - (length if down else 1))
        if alone(map, x, y, length, down):
            for k in range(length):
                map[y + k * down, x + k * (1 - down)] = WALL
            left -= length
    return left


@kernel
def alone(map, x, y, length, down):
    """Whether a piece of wall would touch no other."""
    for j in range(y - 1, y + 2 + down * (length - 1)):
        for i in range(x - 1, x + 2 + (1 - down) * (length - 1)):
            if map[j, i] == WALL:
                return False
    return True


@kernel
def make(s):
    """A new map."""
    mine(s, s.level.map)


@large_kernel
def change(s):
    """Move the starts."""
    sites = 0
    for y in range(SIZE):
        for x in range(SIZE):
            if s.level.map[y, x] == START:
                s.level.map[y, x] = SITE
            sites += s.level.map[y, x] == SITE
    place_starts(s, s.level.map, sites)


def read_map(level: Mapping[str, Any], name: str) -> np.ndarray:
    """The codes of a level's map, or a `LevelError` that begins with this name."""
    known_parts(name, level, {"kind", "map"})
    return avatars.read_map(level["map"], LEGEND, SIZE, SIZE, name)


class Mine(Generator):
    """Mines, 27 x 27 cells."""

    make = make
    change = change

    def __init__(self) -> None:
        self.define(level=[("map", np.uint8, (SIZE, SIZE))])

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": avatars.write_map(s.level.map, LEGEND)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.map[:] = read_map(level, "mine")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and "sites" of ore and inner "walls".

        A mine is solvable if all of its free cells are connected; its difficulty is the share of inner cells that are
        wall.
        """
        cells = places(level["map"], LEGEND[1:])
        reached = steps_from(cells[:1], level["map"])
        walls = (SIZE - 2) ** 2 - len(cells)
        return {
            "size": [SIZE, SIZE],
            "solvable": len(reached) == len(cells) and any("s" in row for row in level["map"]),
            "difficulty": round(walls / (SIZE - 2) ** 2, 6),
            "sites": sum(row.count("o") for row in level["map"]),
            "walls": walls,
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """Walls and starts; ore may grow anywhere else."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Circle, Scene

        scene = Scene(SIZE, SIZE, background="floor")
        for y, row in enumerate(level["map"]):
            for x, letter in enumerate(row):
                if letter == "s":
                    scene.add(Circle(x + 0.5, y + 0.5, 0.2, "blue@0.4", glyph="s"))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in level["map"]]))
        return scene
