"""Maps for games in the matrix: blocks of resources of each class, some of a random class, walls, and starts.

There are two forms. "arena" has 25 x 24 cells with 64 starts in the corners. "repeated" has 23 x 15 cells with 13
starts along the rim and in the middle. Everything on one side of the middle is also on the other side, rotated by half
a turn: blocks of up to seven sites and straight pieces of wall. Pieces of wall do not touch one another or the rim, so
all cells can be reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.core.ranges import below, limited
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.generators.maps import MapGenerator, places, steps_from

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

MOST_CLASSES = 8

#: The codes of cells, and their letters in a level: a site of a random class, of the first class, and so on.
WALL, FLOOR, START, RANDOM, FIRST = range(5)
LEGEND = "#.s?12345678"

Form = Literal["arena", "repeated"]
#: Height and width, and cells of inner wall.
SIZES = {"arena": (24, 25), "repeated": (15, 23)}
INNER_WALLS = {"arena": 26, "repeated": 42}
#: Rows and columns of starts in each corner; without any, 13 starts.
CORNERS = {"arena": 4, "repeated": 0}
#: Sites in blocks, of a random class and of each class; for stag hunts, the single hares come last.
_SITES = {("arena", 2): (10, 13), ("arena", 3): (8, 12), ("repeated", 2): (12, 12), ("repeated", 3): (15, 6)}
_HUNT = {"arena": (12, 23, 24, 16), "repeated": (12, 10, 12, 13)}

_RIM_STARTS, _LARGEST, _LONGEST, _TRIES = 6, 7, 4, 400


@large_kernel
def arena(s, map):
    """Fill `map` with a new map, by `s.params`; whether all blocks and walls found room, as they nearly always do."""
    height, width = map.shape
    for y in range(height):
        for x in range(width):
            map[y, x] = FLOOR if 0 < x < width - 1 and 0 < y < height - 1 else WALL
    for y in range(s.params.corners):
        for x in range(s.params.corners):
            pair(map, 1 + x, 1 + y, START)
            pair(map, 1 + x, height - 2 - y, START)
    if s.params.corners == 0:
        map[height // 2, width // 2] = START
        left = _RIM_STARTS
        while left > 0:
            along = randint(s, width + height - 6)  # half of the rim: its upper row, then its left column
            x = 1 + along if along < width - 2 else 1
            y = 1 if along < width - 2 else along - width + 4
            if map[y, x] == FLOOR:
                pair(map, x, y, START)
                left -= 1
    classes = s.params.sites.shape[0]
    for k in range(classes + 1):
        left = np.int64(s.params.sites[k] if k < classes else s.params.alone)
        largest = _LARGEST if k < classes else 1
        while left > 0:
            size = min(left, 2 * largest)
            if not lay_blocks(s, map, RANDOM + min(k, classes - 1), (size + 1) // 2, size // 2):
                return False
            left -= size
    return lay_walls(s, map)


@kernel
def pair(map, x, y, letter):
    """Put this letter here, and at the rotated place."""
    height, width = map.shape
    map[y, x] = letter
    map[height - 1 - y, width - 1 - x] = letter


@large_kernel
def lay_blocks(s, map, letter, here, there):
    """Put a block of this number of sites anywhere, and one on the other side; whether there was room."""
    height, width = map.shape
    for _ in range(_TRIES):
        columns = min(2 + randint(s, 2), here)
        rows = (here + columns - 1) // columns
        x, y = 1 + randint(s, width - 1 - columns), 1 + randint(s, height - 1 - rows)
        right, low = width - x - columns, height - y - rows
        apart = abs(right - x) > columns or abs(low - y) > rows
        if apart and bare(map, x, y, columns, rows) and bare(map, right, low, columns, rows):
            for k in range(here):
                map[y + k // columns, x + k % columns] = letter
            for k in range(there):
                map[height - 1 - y - k // columns, width - 1 - x - k % columns] = letter
            return True
    return False


@kernel
def bare(map, x, y, columns, rows):
    """Whether a block would touch neither a site nor a start."""
    for j in range(y - 1, y + rows + 1):
        for i in range(x - 1, x + columns + 1):
            if map[j, i] != FLOOR and map[j, i] != WALL:
                return False
    return True


@large_kernel
def lay_walls(s, map):
    """Put pieces of wall on both sides; whether there was room."""
    height, width = map.shape
    left = np.int64(s.params.walls) // 2
    for _ in range(_TRIES):
        if left == 0:
            return True
        length = min(1 + randint(s, _LONGEST), left)
        down = randint(s, 2)
        x = 2 + randint(s, width - 3 - (1 if down else length))
        y = 2 + randint(s, height - 3 - (length if down else 1))
        if alone(map, x, y, length, down):
            for k in range(length):
                pair(map, x + k * (1 - down), y + k * down, WALL)
            left -= length
    return False


@kernel
def alone(map, x, y, length, down):
    """Whether a piece of wall would lie on floor and touch neither another piece nor its own rotated copy."""
    height, width = map.shape
    columns, rows = 1 + (1 - down) * (length - 1), 1 + down * (length - 1)
    if abs(width - 2 * x - columns) <= columns and abs(height - 2 * y - rows) <= rows:
        return False
    for j in range(y - 1, y + rows + 1):
        for i in range(x - 1, x + columns + 1):
            inside = y <= j < y + rows and x <= i < x + columns
            there = map[height - 1 - j, width - 1 - i]
            if map[j, i] == WALL or there == WALL or (inside and (map[j, i] != FLOOR or there != FLOOR)):
                return False
    return True


@kernel
def make(s):
    """A new map."""
    while not arena(s, s.level.map):
        pass


@large_kernel
def change(s):
    """Exchange two sites with different letters."""
    height, width = s.level.map.shape
    for _ in range(100_000):
        i, j = randint(s, height * width), randint(s, height * width)
        one, other = s.level.map[i // width, i % width], s.level.map[j // width, j % width]
        if one >= RANDOM and other >= RANDOM and one != other:
            s.level.map[i // width, i % width] = other
            s.level.map[j // width, j % width] = one
            break


class Arena(MapGenerator):
    """Arenas for games in the matrix.

    Args:
        form: "arena" or "repeated".
        classes: number of classes of resources.
        hunt: whether the resources are those of a stag hunt with two classes: fewer stags, and more hares, some of them
            single.
    """

    legend = LEGEND
    make = make
    change = change

    def __init__(
        self,
        form: Form = "arena",
        classes: Annotated[int, Between(2, MOST_CLASSES)] = 2,
        hunt: bool = False,
    ) -> None:
        if hunt and classes != 2:
            raise ParameterError(f"arena: a stag hunt has 2 classes, not {classes}")
        self.size = SIZES[form]
        if hunt:
            *sites, alone = _HUNT[form]
        else:
            random, each = _SITES[form, min(classes, 3)]
            sites, alone = [random] + [each] * classes, 0
        size = self.size[0] * self.size[1]
        self.define(
            level=[("map", below(np.uint8, len(LEGEND)), self.size)],
            params={
                "sites": limited(sites, 0, size),
                "alone": limited(alone, 0, size),
                "walls": INNER_WALLS[form],
                "corners": CORNERS[form],
            },
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        count = [sum(row.count(letter) for row in level["map"]) for letter in LEGEND[FIRST:]]
        classes = max([2, *(k + 1 for k in range(MOST_CLASSES) if count[k])])
        form: Form = "repeated" if len(level["map"]) == SIZES["repeated"][0] else "arena"
        return cls(form, classes, hunt=classes == 2 and count[1] > count[0])

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and "sites" (of a random class and of each class), inner "walls" and "starts".

        A map is solvable if all of its free cells are connected; its difficulty is the share of inner cells that are
        wall.
        """
        height, width = len(level["map"]), len(level["map"][0])
        count = {letter: sum(row.count(letter) for row in level["map"]) for letter in LEGEND}
        cells = places(level["map"], LEGEND[1:])
        reached = steps_from(cells[:1], level["map"])
        inner = (height - 2) * (width - 2)
        return {
            "size": [height, width],
            "solvable": len(reached) == len(cells) and count["s"] > 0,
            "difficulty": round((inner - len(cells)) / inner, 6),
            "sites": [count[letter] for letter in LEGEND[RANDOM:]],
            "walls": inner - len(cells),
            "starts": count["s"],
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """Walls, starts and sites; sites of a random class are grey."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Circle, Rect, Scene

        scene = Scene(self.size[1], self.size[0], background="floor")
        for y, row in enumerate(level["map"]):
            for x, letter in enumerate(row):
                if letter == "s":
                    scene.add(Circle(x + 0.5, y + 0.5, 0.2, "blue@0.4", glyph="s"))
                elif letter not in "#.":
                    color = "grey" if letter == "?" else COLORS[int(letter) - 1]
                    scene.add(Rect(x + 0.2, y + 0.2, 0.6, 0.6, color, glyph=letter))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in level["map"]]))
        return scene


#: Colors of the classes.
COLORS = ("green", "red", "deep", "gold", "purple", "brown", "sky", "pink")
