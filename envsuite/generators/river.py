"""Maps of the clean-up: a river along the top that gets dirty, sand, and an orchard along the bottom.

Every map is 30 x 21 and has 147 cells of river, 79 of them dirty, 122 apple sites and 18 places to start and return.
The banks of the river and of the orchard are random: the depth changes by one at most from column to column.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.core import avatars
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

WIDTH, HEIGHT = 30, 21

#: What a cell of a map holds, and its letter in a level.
WALL, SAND, RIVER, DIRTY, SITE, START = range(6)
LEGEND = "#.wdas"

RIVER_CELLS, DIRTY_CELLS, SITES, STARTS = 147, 79, 122, 18
_COLUMNS = WIDTH - 2
_SHALLOWEST, _DEEPEST, _TRIES = 3, 7, 200


@large_kernel
def river(s, map, depth):
    """Fill `map` with a new map; `depth` (WIDTH,) is for its use."""
    for y in range(HEIGHT):
        for x in range(WIDTH):
            inside = 0 < x < WIDTH - 1 and 0 < y < HEIGHT - 1
            map[y, x] = SAND if inside else WALL
    bank(s, depth, RIVER_CELLS)
    for x in range(_COLUMNS):
        for y in range(depth[x]):
            map[1 + y, 1 + x] = RIVER
    bank(s, depth, SITES)
    for x in range(_COLUMNS):
        for y in range(depth[x]):
            map[HEIGHT - 2 - y, 1 + x] = SITE
    turn_some(s, map, RIVER, RIVER_CELLS, DIRTY, DIRTY_CELLS)
    turn_some(s, map, SAND, _COLUMNS * (HEIGHT - 2) - RIVER_CELLS - SITES, START, STARTS)


@kernel
def bank(s, depth, cells):
    """Random depths of all columns that add up to `cells`, and change by one at most from column to column."""
    for x in range(_COLUMNS):
        depth[x] = cells // _COLUMNS + (x < cells % _COLUMNS)
    for _ in range(_TRIES):
        up, down = randint(s, _COLUMNS), randint(s, _COLUMNS)
        depth[up] += 1
        depth[down] -= 1
        if not (even(depth, up) and even(depth, down)):
            depth[up] -= 1
            depth[down] += 1


@kernel
def even(depth, x):
    """Whether a column is as deep as it may be beside its neighbours."""
    fits = _SHALLOWEST <= depth[x] <= _DEEPEST
    if x > 0:
        fits &= abs(depth[x] - depth[x - 1]) <= 1
    if x < _COLUMNS - 1:
        fits &= abs(depth[x] - depth[x + 1]) <= 1
    return fits


@kernel
def turn_some(s, map, old, left, new, wanted):
    """Turn a random `wanted` of the `left` cells of one kind into another."""
    for y in range(HEIGHT):
        for x in range(WIDTH):
            if map[y, x] == old:
                if randint(s, left) < wanted:
                    map[y, x] = new
                    wanted -= 1
                left -= 1


@kernel
def make(s):
    """A new map."""
    river(s, s.level.map, s.scratch.depth)
    for x in range(WIDTH):
        s.scratch.depth[x] = 0


@kernel
def change(s):
    """Dirt elsewhere."""
    for y in range(HEIGHT):
        for x in range(WIDTH):
            if s.level.map[y, x] == DIRTY:
                s.level.map[y, x] = RIVER
    turn_some(s, s.level.map, RIVER, RIVER_CELLS, DIRTY, DIRTY_CELLS)


def read_map(level: Mapping[str, Any], name: str) -> np.ndarray:
    """The codes of a level's map, or `LevelError` that says what is wrong with it, after this name."""
    if unknown := set(level) - {"kind", "map"}:
        raise LevelError(f"{name}: the level has an unknown part {sorted(unknown)[0]!r}")
    return avatars.read_map(level["map"], LEGEND, HEIGHT, WIDTH, name)


class River(Generator):
    """Rivers and orchards of the clean-up, 30 x 21 cells."""

    make = make
    change = change

    def __init__(self) -> None:
        self.define(level=[("map", np.uint8, (HEIGHT, WIDTH))], scratch=[("depth", np.int64, (WIDTH,))])

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": avatars.write_map(s.level.map, LEGEND)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        codes = read_map(level, "river")
        if (np.isin(codes, (RIVER, DIRTY))).sum() != RIVER_CELLS:
            raise LevelError(f"river: a map of this kind has {RIVER_CELLS} cells of river")
        s.level.map[:] = codes

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """Beside the usual: cells of "river" and how many are "dirty", and apple "sites".

        A map is solvable if all of it can be walked to; its difficulty is the share of the river that is dirty.
        """
        count = {letter: sum(row.count(letter) for row in level["map"]) for letter in LEGEND}
        cells = {(x, y) for y, row in enumerate(level["map"]) for x, letter in enumerate(row) if letter != "#"}
        front = list(cells)[:1]
        reached = set(front)
        for x, y in front:  # which grows on the way
            found = {(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)} & cells - reached
            reached |= found
            front.extend(found)
        wet = count["w"] + count["d"]
        return {
            "size": [HEIGHT, WIDTH],
            "solvable": bool(wet and count["a"] and count["s"]) and reached == cells,
            "difficulty": round(count["d"] / max(1, wet), 6),
            "river": wet,
            "dirty": count["d"],
            "sites": count["a"],
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The map as it is at the start."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Circle, Rect, Scene

        scene = Scene(WIDTH, HEIGHT, background="floor")
        colors = {"w": "water", "d": "water", "a": "grass"}
        for y, row in enumerate(level["map"]):
            for x, letter in enumerate(row):
                if letter in colors:
                    scene.add(Rect(x, y, 1, 1, colors[letter]))
                if letter == "d":
                    scene.add(Rect(x, y, 1, 1, "brown@0.55"))
                if letter == "s":
                    scene.add(Circle(x + 0.5, y + 0.5, 0.14, "blue@0.4", glyph="s"))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in level["map"]]))
        return scene
