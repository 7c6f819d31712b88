"""Maps of groves: apple and banana trees around a court in the middle, and rivers around the court.

All maps are 29 x 29 with walls around. Agents start in the court, a rectangle of 7 to 9 rows and columns near the
middle, on every second cell of it. Each cell of land is an apple tree or a banana tree with the given probabilities.

- `rivers` has three rivers. Each runs around what is inside it, with no to two rows or columns of land between.
- `open` has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint, uniform
from envsuite.core.world import Between
from envsuite.generators.maps import MapGenerator, exchange, places, steps_from

if TYPE_CHECKING:
    from envsuite.render.scene import Scene, Shape

SIZE = 29

#: The codes of cells, and their letters in a level; agents can start on the last three.
WALL, FLOOR, RIVER, APPLE, BANANA, START, APPLE_START, BANANA_START = range(8)
LEGEND = "#.~absAB"

Form = Literal["rivers", "open"]
FORMS: tuple[Form, ...] = ("rivers", "open")
RIVERS = 0

_MIDDLE = SIZE // 2
#: How far the middle of the court is from that of the map at most; the least half side of the court, and one more.
_ASIDE, _HALF = 1, 3
_RIVERS = 3


@large_kernel
def groves(s, map, form, apples, bananas):
    """Fill `map` with a new map of this form; `apples` and `bananas` are the probabilities of trees."""
    for y in range(SIZE):
        for x in range(SIZE):
            map[y, x] = FLOOR if 0 < x < SIZE - 1 and 0 < y < SIZE - 1 else WALL
    row, column = _MIDDLE - _ASIDE + randint(s, 2 * _ASIDE + 1), _MIDDLE - _ASIDE + randint(s, 2 * _ASIDE + 1)
    top, bottom = row - _HALF - randint(s, 2), row + _HALF + randint(s, 2)
    left, right = column - _HALF - randint(s, 2), column + _HALF + randint(s, 2)
    for y in range(top, bottom + 1):
        for x in range(left, right + 1):
            if (x + y) % 2 == 0:
                map[y, x] = START
    if form == RIVERS:
        for k in range(_RIVERS):
            land = min(k, 1)
            top, bottom = top - 1 - land - randint(s, 2), bottom + 1 + land + randint(s, 2)
            left, right = left - 1 - land - randint(s, 2), right + 1 + land + randint(s, 2)
            dig(map, top, bottom, left, right)
    plant(s, map, apples, bananas)


@kernel
def dig(map, top, bottom, left, right):
    """A river along the edge of a rectangle."""
    for x in range(left, right + 1):
        map[top, x] = map[bottom, x] = RIVER
    for y in range(top, bottom + 1):
        map[y, left] = map[y, right] = RIVER


@kernel
def plant(s, map, apples, bananas):
    """Trees on land."""
    for y in range(1, SIZE - 1):
        for x in range(1, SIZE - 1):
            if map[y, x] != RIVER:
                drawn, start = uniform(s), map[y, x] == START
                if drawn < apples:
                    map[y, x] = APPLE_START if start else APPLE
                elif drawn < apples + bananas:
                    map[y, x] = BANANA_START if start else BANANA


@kernel
def make(s):
    """A new map."""
    groves(s, s.level.map, s.params.form, s.params.trees[0], s.params.trees[1])


def tree(x: float, y: float, banana: bool, ripe: bool) -> list[Shape]:
    """A tree in the cell with this top left corner: round with apples, or a palm with bananas; bare if not ripe."""
    from envsuite.render.scene import Circle, Line, Polygon, Rect

    shapes: list[Shape] = [Rect(x + 0.43, y + 0.5, 0.14, 0.42, "brown", glyph=("ab"[banana], "AB"[banana])[ripe])]
    if banana:
        for across, down in ((-0.42, 0.42), (-0.34, 0.08), (0.34, 0.08), (0.42, 0.42)):
            shapes.append(Line([(x + 0.5, y + 0.3), (x + 0.5 + across, y + down)], "leaf", 0.16))
        if ripe:
            for side in (-1, 1):
                corners = [(0.04, 0.4), (0.26, 0.5), (0.2, 0.72), (0.14, 0.56)]
                shapes.append(Polygon([(x + 0.5 + side * i, y + j) for i, j in corners], "yellow"))
        return shapes
    shapes.append(Circle(x + 0.5, y + 0.38, 0.34, "leaf", glyph=""))
    if ripe:
        shapes += [Circle(x + i, y + j, 0.1, "red", glyph="") for i, j in ((0.34, 0.34), (0.64, 0.28), (0.55, 0.54))]
    return shapes


class Groves(MapGenerator):
    """Groves, 29 x 29 cells.

    Args:
        form: "rivers", three rivers around the court in the middle, or "open", none.
        apple_trees: the probability that a cell of land is an apple tree.
        banana_trees: the same for banana trees.
    """

    legend = LEGEND
    make = make
    change = exchange

    def __init__(
        self,
        form: Form = "rivers",
        apple_trees: Annotated[float, Between(0, 0.5)] = 0.05,
        banana_trees: Annotated[float, Between(0, 0.5)] = 0.05,
    ) -> None:
        self.define(
            level=[("map", np.uint8, (SIZE, SIZE))],
            params={"form": FORMS.index(form), "trees": [float(apple_trees), float(banana_trees)]},
        )

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the numbers of "apples" and "bananas", trees each, of cells of "river" and "starts".

        A map is solvable if agents can walk from each start to trees of both kinds. Its difficulty is the share of
        trees that no start can reach without crossing a river.
        """
        rows = level["map"]
        starts, kinds = places(rows, "sAB"), [places(rows, kind) for kind in ("aA", "bB")]
        near = [steps_from(trees, rows).keys() for trees in kinds]
        dry = steps_from(starts, rows, "#~")
        trees = kinds[0] + kinds[1]
        return {
            "size": [SIZE, SIZE],
            "solvable": bool(starts) and near[0] & near[1] >= set(starts),
            "difficulty": round(sum(cell not in dry for cell in trees) / max(1, len(trees)), 6),
            "apples": len(kinds[0]),
            "bananas": len(kinds[1]),
            "river": len(places(rows, "~")),
            "starts": len(starts),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """Trees, rivers, and where agents start."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Circle, Rect, Scene

        rows = level["map"]
        scene = Scene(SIZE, SIZE, background="floor")
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                if letter == "~":
                    scene.add(Rect(x, y, 1, 1, "water", glyph="~"))
                if letter in "sAB":
                    scene.add(Circle(x + 0.5, y + 0.5, 0.2, "blue@0.5", glyph="s"))
                if letter in "abAB":
                    scene.add(*tree(x, y, letter in "bB", ripe=True))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in rows]))
        return scene
