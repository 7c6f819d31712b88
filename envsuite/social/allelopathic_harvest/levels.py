"""Fields of berries in three colors, on a torus.

Every map is 29 x 30 and has 348 sites of berries, 116 of each color, anywhere, and 522 cells where agents start and
return. There are no walls; a level may have some.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts
from envsuite.core.random import randint
from envsuite.generators.base import Generator
from envsuite.kit import avatars

if TYPE_CHECKING:
    from envsuite.render.scene import Scene, Shape

WIDTH, HEIGHT = 29, 30

#: The codes of cells, and their letters in a level; berries are RED + color.
WALL, START, RED, GREEN, BLUE = range(5)
LEGEND = "#srgb"

#: The names of the colors, in the order of their numbers.
COLORS = ("red", "green", "blue")

#: The number of berries of each color.
EACH = 116


@large_kernel
def berries(s, map):
    """Fill `map` with a new map."""
    left = HEIGHT * WIDTH
    red, green, blue = EACH, EACH, EACH
    for y in range(HEIGHT):
        for x in range(WIDTH):
            drawn = randint(s, left)
            left -= 1
            if drawn < red:
                map[y, x] = RED
                red -= 1
            elif drawn < red + green:
                map[y, x] = GREEN
                green -= 1
            elif drawn < red + green + blue:
                map[y, x] = BLUE
                blue -= 1
            else:
                map[y, x] = START


@kernel
def make(s):
    """A new map."""
    berries(s, s.level.map)


@large_kernel
def change(s):
    """Exchange two random cells that differ."""
    map = s.level.map
    for _ in range(1000):  # nearly always once or twice
        a, b = randint(s, HEIGHT * WIDTH), randint(s, HEIGHT * WIDTH)
        held = map[a // WIDTH, a % WIDTH]
        if held != map[b // WIDTH, b % WIDTH]:
            map[a // WIDTH, a % WIDTH] = map[b // WIDTH, b % WIDTH]
            map[b // WIDTH, b % WIDTH] = held
            break


def read_map(level: Mapping[str, Any], name: str) -> np.ndarray:
    """The codes of a level's map, or a `LevelError` that begins with this name."""
    known_parts(name, level, {"kind", "map"})
    return avatars.read_map(level["map"], LEGEND, HEIGHT, WIDTH, name, torus=True)


def berry(x: float, y: float, color: str, ripe: bool) -> list[Shape]:
    """A ripe berry with its leaf, or a seedling."""
    from envsuite.render.scene import Circle, Line, Polygon

    if not ripe:
        return [
            Line([(x, y + 0.3), (x, y)], "leaf", 0.07),
            Polygon([(x, y + 0.12), (x - 0.26, y - 0.02), (x - 0.2, y + 0.16)], "leaf"),
            Polygon([(x, y + 0.12), (x + 0.26, y - 0.02), (x + 0.2, y + 0.16)], "leaf"),
            Circle(x, y - 0.12, 0.17, color, glyph=color[0]),
        ]
    return [
        Polygon([(x, y - 0.2), (x + 0.08, y - 0.4), (x + 0.3, y - 0.4), (x + 0.2, y - 0.22)], "leaf"),
        Circle(x, y + 0.04, 0.33, color, glyph=color[0].upper()),
        Circle(x - 0.11, y - 0.07, 0.08, "white@0.55", glyph=""),
    ]


class Berries(Generator):
    """Fields of berries, 29 x 30 cells."""

    make = make
    change = change

    def __init__(self) -> None:
        self.define(level=[("map", np.uint8, (HEIGHT, WIDTH))])

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": avatars.write_map(s.level.map, LEGEND)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.map[:] = read_map(level, "berries")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the number of berries of each color.

        A field is solvable if all of its free cells are connected, around the torus too. Its difficulty is the share of
        berries that must change their color until all have the same one.
        """
        cells = {(x, y) for y, row in enumerate(level["map"]) for x, letter in enumerate(row) if letter != "#"}
        front = list(cells)[:1]
        reached = set(front)
        for x, y in front:  # the list grows during the loop
            near = {(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)}
            found = {(i % WIDTH, j % HEIGHT) for i, j in near} & cells - reached
            reached |= found
            front.extend(found)
        count = {color: sum(row.count(color[0]) for row in level["map"]) for color in COLORS}
        total = sum(count.values())
        return {
            "size": [HEIGHT, WIDTH],
            "solvable": reached == cells and total > 0 and any("s" in row for row in level["map"]),
            "difficulty": round(1 - max(count.values()) / max(1, total), 6),
            **count,
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The field with its unripe berries."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Rect, Scene

        scene = Scene(WIDTH, HEIGHT, background="floor")
        for y, row in enumerate(level["map"]):
            for x, letter in enumerate(row):
                if letter in "rgb":
                    color = COLORS["rgb".index(letter)]
                    scene.add(Rect(x, y, 1, 1, "soil"), *berry(x + 0.5, y + 0.5, color, ripe=False))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in level["map"]]))
        return scene
