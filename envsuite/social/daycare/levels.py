"""Maps of nurseries: trees and shrubs with apples and bananas, and nine cells on which a child and its parent start.

All maps are 20 x 13 with walls around. The starts are 3 x 3 cells at a random place. Each other cell has an apple tree
with probability 0.15, an apple shrub with 0.01, a banana tree with 0.03 and a banana shrub with 0.01, independently.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.generators.maps import MapGenerator, exchange, places, steps_from
from envsuite.generators.orchard import hall

if TYPE_CHECKING:
    from envsuite.render.scene import Scene, Shape

HEIGHT, WIDTH = 13, 20

#: The codes of cells, and their letters in a level: trees are capital, shrubs small.
WALL, FLOOR, START, APPLE_TREE, APPLE_SHRUB, BANANA_TREE, BANANA_SHRUB = range(7)
LEGEND = "#.sAaBb"

#: In hundredths: a cell has an apple tree below the first number, else an apple shrub below the second, and so on.
_SHARES = np.array([15, 16, 19, 20])

#: Rows and columns of starts.
_STARTS = 3


@large_kernel
def nursery(s, map):
    """Fill `map` with a new map."""
    hall(map)
    for y in range(1, HEIGHT - 1):
        for x in range(1, WIDTH - 1):
            draw = randint(s, 100)
            for k in range(_SHARES.shape[0] - 1, -1, -1):
                if draw < _SHARES[k]:
                    map[y, x] = APPLE_TREE + k
    top, left = 1 + randint(s, HEIGHT - 1 - _STARTS), 1 + randint(s, WIDTH - 1 - _STARTS)
    for y in range(top, top + _STARTS):
        for x in range(left, left + _STARTS):
            map[y, x] = START


@kernel
def make(s):
    """A new map."""
    nursery(s, s.level.map)


def banana(x: float, y: float, size: float = 1.0) -> list[Shape]:
    """A banana around (x, y)."""
    from envsuite.render.scene import Line, Polygon

    outer = [(-0.3, -0.06), (-0.22, 0.16), (-0.02, 0.27), (0.2, 0.2), (0.32, 0.0)]
    inner = [(0.29, -0.22), (0.22, -0.06), (0.08, 0.05), (-0.1, 0.06), (-0.24, -0.1)]
    return [
        Polygon([(x + size * i, y + size * j) for i, j in outer + inner], "yellow", "brown", 0.04 * size, glyph="b"),
        Line([(x + 0.3 * size, y - 0.2 * size), (x + 0.34 * size, y - 0.32 * size)], "brown", 0.09 * size),
    ]


def fruit(x: float, y: float, is_banana: bool, size: float = 1.0) -> list[Shape]:
    """An apple or a banana around (x, y)."""
    from envsuite.render.scene import apple

    return banana(x, y, size) if is_banana else apple(x, y, size)


def plant(x: float, y: float, tree: bool, glyph: str) -> list[Shape]:
    """A tree or a shrub without fruit in the cell with this top left corner."""
    from envsuite.render.scene import Circle, Rect

    if tree:
        crown = ((0.28, 0.34, 0.24), (0.72, 0.34, 0.24), (0.5, 0.26, 0.25))
        trunk = Rect(x + 0.41, y + 0.5, 0.18, 0.46, "brown", glyph="")
        return [trunk, *(Circle(x + i, y + j, r, "leaf", glyph=glyph if i == 0.5 else "") for i, j, r in crown)]
    leaves = ((0.26, 0.7, 0.2), (0.74, 0.7, 0.2), (0.5, 0.64, 0.26))
    return [Circle(x + i, y + j, r, "leaf", glyph=glyph if i == 0.5 else "") for i, j, r in leaves]


#: Where fruit hang in a cell with a tree, and in one with a shrub: x, y, size.
HANGING = {True: ((0.32, 0.3, 0.5), (0.7, 0.36, 0.5)), False: ((0.34, 0.68, 0.45), (0.68, 0.7, 0.45))}


class Nursery(MapGenerator):
    """Nurseries, 20 x 13 cells."""

    legend = LEGEND
    make = make
    change = exchange

    def __init__(self) -> None:
        self.define(level=[("map", np.uint8, (HEIGHT, WIDTH))])

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the numbers of "trees", "shrubs" and plants with "bananas".

        A map is solvable if the child can walk from each start to a banana: to a shrub alone, or to a tree with a
        parent. Its difficulty is the share of bananas that grow on trees.
        """
        grown, begun = places(level["map"], "Bb"), places(level["map"], "s")
        bananas, reached = len(grown), steps_from(grown, level["map"])
        letters = "".join(level["map"])
        return {
            "size": [HEIGHT, WIDTH],
            "solvable": bool(begun) and bananas > 0 and reached.keys() >= set(begun),
            "difficulty": round(letters.count("B") / max(1, bananas), 6),
            "trees": letters.count("A") + letters.count("B"),
            "shrubs": letters.count("a") + letters.count("b"),
            "bananas": bananas,
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """All plants with their fruit, and where the two start."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Circle, Scene

        rows = level["map"]
        scene = Scene(WIDTH, HEIGHT, background="floor")
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                if letter == "s":
                    scene.add(Circle(x + 0.5, y + 0.5, 0.2, "blue@0.5", glyph=letter))
                elif letter in "AaBb":
                    scene.add(*plant(x, y, letter in "AB", letter))
                    for i, j, size in HANGING[letter in "AB"]:
                        scene.add(*(bare(shape) for shape in fruit(x + i, y + j, letter in "Bb", size)))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in rows]))
        return scene


def bare(shape: Shape) -> Shape:
    """The same shape without a sign of its own in terminals."""
    from dataclasses import replace

    return replace(shape, glyph="") if hasattr(shape, "glyph") else shape
