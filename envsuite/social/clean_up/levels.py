"""Maps of the clean-up: a river along the top that gets dirty, sand, and an orchard along the bottom.

These maps are 30 x 21. They have 147 cells of river, 79 of them dirty, 122 apple sites, and 18 places to start and
return. The maps of 2018 are 18 x 25. There, the river lies along the left and has 119 cells, 56 of them dirty. The
orchard along the right has 103 apple sites, and there are 10 places to start. The banks of the river and of the orchard
are random: the depth changes by at most one from column to column.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts
from envsuite.core.random import randint
from envsuite.generators.base import Generator
from envsuite.generators.maps import places, steps_from
from envsuite.kit import avatars

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

WIDTH, HEIGHT = 30, 21
NARROW, TALL = 18, 25

#: The codes of cells, and their letters in a level.
WALL, SAND, RIVER, DIRTY, SITE, START = range(6)
LEGEND = "#.wdas"

#: Cells of river, of these dirty ones, apple sites, places to start; on maps of 30 x 21, and of 18 x 25.
WIDE_CENSUS, UPRIGHT_CENSUS = (147, 79, 122, 18), (119, 56, 103, 10)
_SHALLOWEST, _DEEPEST, _TRIES = 3, 7, 200


@kernel
def upright(map):
    """Whether the river lies along the left. Then "columns" below are rows."""
    return map.shape[0] > map.shape[1]


@kernel
def census(map):
    """The number of cells of each kind on a map of this size."""
    return UPRIGHT_CENSUS if upright(map) else WIDE_CENSUS


@kernel
def plant(map, depth, near, code):
    """Fill every column as deep as `depth` says, from the near end or from the other."""
    height, width = map.shape
    for k in range(depth.shape[0]):
        for d in range(depth[k]):
            if upright(map):
                map[1 + k, 1 + d if near else width - 2 - d] = code
            else:
                map[1 + d if near else height - 2 - d, 1 + k] = code


@large_kernel
def river(s, map, depth):
    """Fill `map` with a new map; `depth` is working space, a number for each column between the walls."""
    height, width = map.shape
    for y in range(height):
        for x in range(width):
            inside = 0 < x < width - 1 and 0 < y < height - 1
            map[y, x] = SAND if inside else WALL
    cells, dirty, sites, starts = census(map)
    bank(s, depth, cells)
    plant(map, depth, True, RIVER)
    bank(s, depth, sites)
    plant(map, depth, False, SITE)
    turn_some(s, map, RIVER, cells, DIRTY, dirty)
    turn_some(s, map, SAND, (width - 2) * (height - 2) - cells - sites, START, starts)


@kernel
def bank(s, depth, cells):
    """Random depths of all columns that sum to `cells`, and change by at most one from column to column."""
    columns = depth.shape[0]
    for x in range(columns):
        depth[x] = cells // columns + (x < cells % columns)
    for _ in range(_TRIES):
        up, down = randint(s, columns), randint(s, columns)
        depth[up] += 1
        depth[down] -= 1
        if not (even(depth, up) and even(depth, down)):
            depth[up] -= 1
            depth[down] += 1


@kernel
def even(depth, x):
    """Whether a column has a depth that its neighbors allow."""
    fits = _SHALLOWEST <= depth[x] <= _DEEPEST
    if x > 0:
        fits &= abs(depth[x] - depth[x - 1]) <= 1
    if x < depth.shape[0] - 1:
        fits &= abs(depth[x] - depth[x + 1]) <= 1
    return fits


@kernel
def turn_some(s, map, old, left, new, wanted):
    """Turn a random `wanted` of the `left` cells of one kind into another kind."""
    for y in range(map.shape[0]):
        for x in range(map.shape[1]):
            if map[y, x] == old:
                if randint(s, left) < wanted:
                    map[y, x] = new
                    wanted -= 1
                left -= 1


@kernel
def make(s):
    """A new map."""
    river(s, s.level.map, s.scratch.depth)
    fill(s.scratch.depth, 0)


@kernel
def change(s):
    """Move the dirt."""
    for y in range(s.level.map.shape[0]):
        for x in range(s.level.map.shape[1]):
            if s.level.map[y, x] == DIRTY:
                s.level.map[y, x] = RIVER
    cells, dirty, _, _ = census(s.level.map)
    turn_some(s, s.level.map, RIVER, cells, DIRTY, dirty)


class River(Generator):
    """Rivers and orchards of the clean-up.

    Args:
        map: "wide", 30 x 21 cells, or "upright", 18 x 25.
    """

    make = make
    change = change

    def __init__(self, map: Literal["wide", "upright"] = "wide") -> None:
        size = (TALL, NARROW) if map == "upright" else (HEIGHT, WIDTH)
        self.define(level=[("map", np.uint8, size)], scratch=[("depth", np.int64, (max(size) - 2,))])

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> River:
        return cls("upright" if len(level["map"]) == TALL else "wide")

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": avatars.write_map(s.level.map, LEGEND)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts("river", level, {"kind", "map"})
        height, width = s.level.map.shape
        codes = avatars.read_map(level["map"], LEGEND, height, width, "river")
        wanted = (UPRIGHT_CENSUS if height > width else WIDE_CENSUS)[0]
        if (np.isin(codes, (RIVER, DIRTY))).sum() != wanted:
            raise LevelError(f"river: a map of this kind has {wanted} cells of river")
        s.level.map[:] = codes

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, cells of "river", how many of them are "dirty", and apple "sites".

        A map is solvable if all of its free cells are connected; its difficulty is the share of the river that is
        dirty.
        """
        count = {letter: sum(row.count(letter) for row in level["map"]) for letter in LEGEND}
        cells = places(level["map"], LEGEND[1:])
        reached = steps_from(cells[:1], level["map"])
        wet = count["w"] + count["d"]
        return {
            "size": [len(level["map"]), len(level["map"][0])],
            "solvable": bool(wet and count["a"] and count["s"]) and len(reached) == len(cells),
            "difficulty": round(count["d"] / max(1, wet), 6),
            "river": wet,
            "dirty": count["d"],
            "sites": count["a"],
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The map as it is at the start."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Circle, Rect, Scene

        scene = Scene(len(level["map"][0]), len(level["map"]), background="floor")
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
