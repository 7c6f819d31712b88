"""Maps of hunting grounds: food, tall grass that only prey enter, and where predators and prey start.

All maps are 23 x 19 with walls around.

- `open` has one field of 151 apple and 10 acorn sites, whose edges are ragged. Prey start in the two strips of tall
  grass above and below it. Predators start in the rows between the field and the strips.
- `forest` has 12 acorn sites and no apples. Prey start in a clearing around one of the acorns, predators in the two
  rows above and below. Each cell between them is tall grass with probability 0.13, so the grass hides nobody for long.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint
from envsuite.generators.maps import MapGenerator, exchange, places, steps_from

if TYPE_CHECKING:
    from envsuite.render.scene import Scene, Shape

HEIGHT, WIDTH = 19, 23

#: The codes of cells, and their letters in a level.
WALL, FLOOR, GRASS, BURROW, NEST, LAIR, APPLE, ACORN = range(8)
LEGEND = "#.gsfpao"

Form = Literal["open", "forest"]
FORMS: tuple[Form, ...] = ("open", "forest")
OPEN = 0

#: The first and last row of the field, the cells that its edge lacks, and how far they reach into a row.
_TOP, _BOTTOM = 5, 13
_RAGGED, _DEEPEST = 28, 5
_FIELD_ACORNS, _FOREST_ACORNS = 10, 5

#: The probabilities that a strip lacks a cell of its inner row, and has one beyond it; that forest is tall grass.
_BAY, _GRASS = 0.2, 0.13

_MIDDLE_X, _MIDDLE_Y = WIDTH // 2, HEIGHT // 2


@large_kernel
def hunting_grounds(s, map, form):
    """Fill `map` with a new map of this form."""
    for y in range(HEIGHT):
        for x in range(WIDTH):
            map[y, x] = FLOOR if 0 < x < WIDTH - 1 and 0 < y < HEIGHT - 1 else WALL
    if form == OPEN:
        strips(s, map)
        field(s, map)
        scatter(s, map, APPLE, np.int64(_FIELD_ACORNS))
    else:
        forest(s, map)
        scatter(s, map, FLOOR, np.int64(_FOREST_ACORNS))


@kernel
def strips(s, map):
    """Tall grass above and below, and where predators start."""
    for x in range(1, WIDTH - 1):
        for upper in range(2):
            edge, inward = (1, 1) if upper else (HEIGHT - 2, -1)
            map[edge, x] = BURROW
            map[edge + inward, x] = FLOOR if bernoulli(s, _BAY) else GRASS
            map[edge + 2 * inward, x] = GRASS if bernoulli(s, _BAY) else FLOOR
            map[edge + 3 * inward, x] = LAIR


@kernel
def field(s, map):
    """Apples in all rows between, but for some cells at the ends of rows."""
    for y in range(_TOP, _BOTTOM + 1):
        for x in range(1, WIDTH - 1):
            map[y, x] = APPLE
    left = _RAGGED
    while left > 0:
        y, east = _TOP + randint(s, _BOTTOM + 1 - _TOP), randint(s, 2)
        for k in range(_DEEPEST):
            x = WIDTH - 2 - k if east else 1 + k
            if map[y, x] == APPLE:
                map[y, x] = FLOOR
                left -= 1
                break


@kernel
def forest(s, map):
    """Predators' rows with acorns, forest, and a clearing around an acorn."""
    for y in range(1, HEIGHT - 1):
        for x in range(1, WIDTH - 1):
            down, right = abs(y - _MIDDLE_Y), abs(x - _MIDDLE_X)
            if y <= 2 or y >= HEIGHT - 3:
                map[y, x] = LAIR
            elif down <= 2 and right <= 3 - (down == 2):
                map[y, x] = NEST if down + right > 0 else ACORN
            elif bernoulli(s, _GRASS):
                map[y, x] = GRASS
    third = (WIDTH - 2) // 3
    for k in range(3):
        map[1, 1 + k * third + randint(s, third)] = ACORN
        map[HEIGHT - 2, 1 + k * third + randint(s, third)] = ACORN


@kernel
def scatter(s, map, letter, count):
    """Turn random cells with this letter between the outer rows into acorns."""
    while count > 0:
        y, x = _TOP - 1 + randint(s, _BOTTOM - _TOP + 3), 1 + randint(s, WIDTH - 2)
        if map[y, x] == letter:
            map[y, x] = ACORN
            count -= 1


@kernel
def make(s):
    """A new map."""
    hunting_grounds(s, s.level.map, s.params.form)


def acorn(x: float, y: float, size: float = 1.0) -> list[Shape]:
    """An acorn around (x, y)."""
    from envsuite.render.scene import Circle, Line, Polygon

    cap = [(-0.26, -0.02), (-0.2, -0.18), (0.0, -0.25), (0.2, -0.18), (0.26, -0.02)]
    nut = [(-0.21, 0.0), (0.21, 0.0), (0.16, 0.2), (0.0, 0.34), (-0.16, 0.2)]
    return [
        Circle(x, y, 0.1 * size, "gold", glyph="o"),
        Polygon([(x + size * i, y + size * j) for i, j in nut], "gold"),
        Polygon([(x + size * i, y + size * j) for i, j in cap], "brown"),
        Line([(x, y - 0.24 * size), (x + 0.05 * size, y - 0.36 * size)], "brown", 0.07 * size),
    ]


def tall_grass(x: float, y: float) -> list[Shape]:
    """A cell of tall grass from its top left corner."""
    from envsuite.render.scene import Line, Rect

    shapes: list[Shape] = [Rect(x, y, 1, 1, "grass", glyph='"')]
    for i, j in ((0.2, 0.45), (0.55, 0.35), (0.85, 0.5), (0.35, 0.9), (0.7, 0.85)):
        shapes.append(Line([(x + i - 0.08, y + j - 0.25), (x + i, y + j), (x + i + 0.08, y + j - 0.28)], "leaf", 0.05))
    return shapes


class HuntingGrounds(MapGenerator):
    """Hunting grounds, 23 x 19 cells.

    Args:
        form: "open", a field of apples and acorns between two strips of tall grass, or "forest", acorns and tall grass
            here and there.
    """

    legend = LEGEND
    make = make
    change = exchange

    def __init__(self, form: Form = "open") -> None:
        self.define(level=[("map", np.uint8, (HEIGHT, WIDTH))], params={"form": FORMS.index(form)})

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the numbers of "apples", "acorns" and cells of tall "grass".

        A map is solvable if prey can walk from each of their starts to food. Its difficulty for prey is the share of
        food with a distance of more than three steps to the nearest tall grass, walls left aside.
        """
        food, grass, begun = (places(level["map"], letters) for letters in ("ao", "gs", "sf"))
        reached = steps_from(food, level["map"])
        far = [not any(abs(x - i) + abs(y - j) <= 3 for i, j in grass) for x, y in food]
        letters = "".join(level["map"])
        return {
            "size": [HEIGHT, WIDTH],
            "solvable": bool(begun) and reached.keys() >= set(begun),
            "difficulty": round(sum(far) / max(1, len(far)), 6),
            "apples": letters.count("a"),
            "acorns": letters.count("o"),
            "grass": len(grass),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """Food, tall grass, and where predators (red) and prey (blue) start."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Circle, Scene, apple

        rows = level["map"]
        scene = Scene(WIDTH, HEIGHT, background="floor")
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                if letter in "gs":
                    scene.add(*tall_grass(x, y))
                elif letter in "ao":
                    scene.add(*(apple if letter == "a" else acorn)(x + 0.5, y + 0.5))
                if letter in "sfp":
                    scene.add(Circle(x + 0.5, y + 0.5, 0.2, "red@0.5" if letter == "p" else "blue@0.5", glyph=letter))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in rows]))
        return scene
