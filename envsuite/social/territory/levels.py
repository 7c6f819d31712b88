"""Maps of territories: resource walls in the open, in a maze, or around rooms.

- `open` is 39 x 23. Its upper part has 88 cells of resource walls: straight pieces of 2 to 6 cells, one or two cells
  thick, that touch nothing else. They are more frequent near one side. 18 starts are in a patch of 4 x 18 cells below.
- `inside_out` is 23 x 23. It has a maze of 137 cells of resource walls on a lattice of 7 x 7 posts. All of its 36
  chambers can be reached from outside, where the 10 starts are.
- `rooms` is a torus of 21 x 21 with 3 x 3 rooms, 6 to 8 cells long and wide. Each room has resource walls all around,
  wall in its corners and one start. There are 180 cells of resource walls in all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint
from envsuite.generators.maps import MapGenerator
from envsuite.kit.grid import DX, DY

if TYPE_CHECKING:
    from envsuite.render.scene import Scene, Shape

#: The codes of cells, and their letters in a level.
WALL, FLOOR, RESOURCE, START = range(4)
LEGEND = "#.rs"

#: The forms, in the order of their numbers, with height and width.
Form = Literal["open", "inside_out", "rooms"]
SIZES: dict[Form, tuple[int, int]] = {"open": (23, 39), "inside_out": (23, 23), "rooms": (21, 21)}
FORMS: tuple[Form, ...] = tuple(SIZES)
OPEN, INSIDE_OUT, ROOMS = range(3)

#: The number of starts.
STARTS: dict[Form, int] = {"open": 18, "inside_out": 10, "rooms": 9}

_RESOURCES = 88
_PATCH_STARTS, _RING_STARTS = STARTS["open"], STARTS["inside_out"]
_TOP, _BOTTOM = 2, 14  # the rows of resource walls in the open
_PATCH_TOP, _PATCH_HEIGHT, _PATCH_WIDTH = 17, 4, 18
_LONGEST, _TRIES = 6, 4000

_FIRST, _SPACING, _CHAMBERS = 2, 3, 6  # of the maze's lattice
_LOOPS = 4

_LINE, _SMALLEST, _LARGEST = 21, 6, 8  # three rooms in a line, walls included


@large_kernel
def territory(s, map, form):
    """Fill `map` with a new map of this form."""
    height, width = map.shape
    for y in range(height):
        for x in range(width):
            inside = 0 < x < width - 1 and 0 < y < height - 1
            map[y, x] = FLOOR if inside else WALL
    if form == OPEN:
        left = lay_pieces(s, map)
        while left > 0:  # nearly always one round
            for y in range(_TOP, _BOTTOM + 1):
                for x in range(1, width - 1):
                    map[y, x] = FLOOR
            left = lay_pieces(s, map)
        column = 1 + randint(s, width - 1 - _PATCH_WIDTH)
        starts(
            s,
            map,
            column,
            np.int64(_PATCH_TOP),
            np.int64(_PATCH_WIDTH),
            np.int64(_PATCH_HEIGHT),
            np.int64(_PATCH_STARTS),
        )
    elif form == INSIDE_OUT:
        maze(s, map)
    else:
        rooms(s, map)


@large_kernel
def starts(s, map, left, top, width, height, wanted):
    """Turn random floor cells of a rectangle into this number of starts."""
    free = 0
    for y in range(top, top + height):
        for x in range(left, left + width):
            free += map[y, x] == FLOOR
    for y in range(top, top + height):
        for x in range(left, left + width):
            if map[y, x] == FLOOR:
                if randint(s, free) < wanted:
                    map[y, x] = START
                    wanted -= 1
                free -= 1


@large_kernel
def lay_pieces(s, map):
    """Lay pieces of resource wall; return the number of cells without a place."""
    width = map.shape[1]
    flip = randint(s, 2)
    left = _RESOURCES
    for _ in range(_TRIES):
        if left == 0:
            break
        length = 2 + randint(s, _LONGEST - 1)
        thick = 2 if bernoulli(s, 0.25) else 1
        if length * thick > left:
            length, thick = min(length, left), 1
        down = randint(s, 2)
        wide, high = (thick, length) if down else (length, thick)
        columns = width - 3 - wide
        x = min(randint(s, columns), randint(s, columns))
        x = width - 2 - wide - x if flip else 2 + x
        y = _TOP + randint(s, _BOTTOM + 2 - _TOP - high)
        if alone(map, x, y, wide, high):
            for j in range(y, y + high):
                for i in range(x, x + wide):
                    map[j, i] = RESOURCE
            left -= wide * high
    return left


@large_kernel
def alone(map, x, y, wide, high):
    """Whether a piece would touch no other."""
    for j in range(y - 1, y + high + 1):
        for i in range(x - 1, x + wide + 1):
            if map[j, i] != FLOOR:
                return False
    return True


@large_kernel
def maze(s, map):
    """A maze whose chambers form a tree with the outside, except for a few loops; starts around it."""
    end = _FIRST + _SPACING * _CHAMBERS
    for y in range(_FIRST, end + 1):
        for x in range(_FIRST, end + 1):
            if (x - _FIRST) % _SPACING == 0 or (y - _FIRST) % _SPACING == 0:
                map[y, x] = RESOURCE
    # A random walk opens the way by which it first enters a chamber: all trees are equally likely (Aldous, Broder).
    x, y, left = 0, -1, _CHAMBERS * _CHAMBERS
    seen = np.uint64(0)
    while left > 0:
        inside = 0 <= x < _CHAMBERS and 0 <= y < _CHAMBERS
        facing = randint(s, 4)
        along = randint(s, _CHAMBERS)
        if inside:
            i, j = x + DX[facing], y + DY[facing]
        else:  # enter anywhere
            x = along if facing & 1 else (-1 if facing == 0 else _CHAMBERS)
            y = (-1 if facing == 1 else _CHAMBERS) if facing & 1 else along
            i, j = x + DX[facing], y + DY[facing]
        if 0 <= i < _CHAMBERS and 0 <= j < _CHAMBERS:
            bit = np.uint64(1) << np.uint64(j * _CHAMBERS + i)
            if seen & bit == np.uint64(0):
                seen |= bit
                left -= 1
                breach(map, i, j, (facing + 2) & 3)
        x, y = i, j
    opened = 0
    while opened < _LOOPS:
        opened += breach(map, randint(s, _CHAMBERS), randint(s, _CHAMBERS), randint(s, 4))
    ring(s, map)


@large_kernel
def breach(map, x, y, facing):
    """Remove the piece of wall on this side of a chamber; return whether there was one."""
    left, top = _FIRST + _SPACING * x + 1, _FIRST + _SPACING * y + 1
    found = False
    for k in range(_SPACING - 1):
        if facing & 1:
            j, i = (top + _SPACING - 1 if facing == 1 else top - 1), left + k
        else:
            j, i = top + k, (left + _SPACING - 1 if facing == 0 else left - 1)
        found = map[j, i] == RESOURCE
        map[j, i] = FLOOR
    return found


@large_kernel
def ring(s, map):
    """Put starts on random cells along the rim."""
    height, width = map.shape
    free, wanted = 2 * (width - 2) + 2 * (height - 4), _RING_STARTS
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            if y == 1 or y == height - 2 or x == 1 or x == width - 2:
                if randint(s, free) < wanted:
                    map[y, x] = START
                    wanted -= 1
                free -= 1


@large_kernel
def rooms(s, map):
    """Rooms between random lines, three in a row and three in a column."""
    wide_1, wide_2 = part(s)
    high_1, high_2 = part(s)
    top = 0
    for row in range(3):
        high = high_1 if row == 0 else high_2 if row == 1 else _LINE - high_1 - high_2
        left = 0
        for column in range(3):
            wide = wide_1 if column == 0 else wide_2 if column == 1 else _LINE - wide_1 - wide_2
            for y in range(high):
                for x in range(wide):
                    edges = (y == 0 or y == high - 1) + (x == 0 or x == wide - 1)
                    map[top + y, left + x] = FLOOR if edges == 0 else RESOURCE if edges == 1 else WALL
            starts(s, map, left + 1, top + 1, wide - 2, high - 2, np.int64(1))
            left += wide
        top += high


@large_kernel
def part(s):
    """The first two of three sizes of rooms that fill a line; all choices are equally likely."""
    while True:
        first = _SMALLEST + randint(s, _LARGEST - _SMALLEST + 1)
        second = _SMALLEST + randint(s, _LARGEST - _SMALLEST + 1)
        if _SMALLEST <= _LINE - first - second <= _LARGEST:
            return first, second


@kernel
def make(s):
    """A new map."""
    territory(s, s.level.map, s.params.form)


@large_kernel
def change(s):
    """Move one start along a random walk over the floor."""
    map = s.level.map
    height, width = map.shape
    left = 0
    for y in range(height):
        for x in range(width):
            left += map[y, x] == START
    if left == 0:
        return
    chosen = randint(s, left)
    at_x, at_y = 0, 0
    for y in range(height):
        for x in range(width):
            if map[y, x] == START:
                if chosen == 0:
                    at_x, at_y = x, y
                chosen -= 1
    map[at_y, at_x] = FLOOR
    x, y = at_x, at_y
    for k in range(1000):
        if k >= 2 * width and (x != at_x or y != at_y) and map[y, x] == FLOOR:
            break
        facing = randint(s, 4)
        i, j = (x + DX[facing]) % width, (y + DY[facing]) % height
        if map[j, i] == FLOOR or map[j, i] == START:
            x, y = i, j
    if map[y, x] == FLOOR:
        map[y, x] = START
    else:
        map[at_y, at_x] = START


def resource(x: float, y: float, color: str = "grey", damaged: bool = False, glyph: str = "r") -> list[Shape]:
    """A cell of resource wall from its top left corner: three courses of bricks, with a crack if it is damaged."""
    from envsuite.render.scene import Line, Rect

    shapes: list[Shape] = [Rect(x, y, 1, 1, color, glyph=glyph)]
    shapes += [Line([(x, y + k / 3), (x + 1, y + k / 3)], "white@0.35", 0.05) for k in (1, 2)]
    for row, columns in enumerate(((0.5,), (0.0, 1.0), (0.5,))):
        shapes += [Line([(x + c, y + row / 3), (x + c, y + (row + 1) / 3)], "white@0.35", 0.05) for c in columns]
    if damaged:
        crack = [(0.62, 0.0), (0.42, 0.28), (0.66, 0.5), (0.36, 0.74), (0.5, 1.0)]
        shapes.append(Line([(x + i, y + j) for i, j in crack], "shadow", 0.09))
        shapes.append(Line([(x + 0.66, y + 0.5), (x + 0.95, y + 0.62)], "shadow", 0.07))
    return shapes


class Territory(MapGenerator):
    """Territories to claim.

    Args:
        form: "open", 39 x 23 cells, "inside_out", a maze of 23 x 23, or "rooms", a torus of 21 x 21.
    """

    legend = LEGEND
    make = make
    change = change

    def __init__(self, form: Form = "open") -> None:
        self.torus = form == "rooms"
        self.define(level=[("map", np.uint8, SIZES[form])], params={"form": FORMS.index(form)})

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Territory:
        size = len(level["map"]), len(level["map"][0])
        for form, shape in SIZES.items():
            if shape == size:
                return cls(form)
        raise LevelError(f"territory: no form has a map of {size[0]} rows of {size[1]}")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and cells of "resources" and "starts".

        A territory is solvable if a resource can be reached from every start. Its difficulty is the mean number of
        steps from a start to a cell where the nearest resource is touched.
        """
        rows = level["map"]
        height, width = len(rows), len(rows[0])
        cells = {(x, y): letter for y, row in enumerate(rows) for x, letter in enumerate(row)}
        resources = [cell for cell, letter in cells.items() if letter == "r"]
        begun = [cell for cell, letter in cells.items() if letter == "s"]
        steps = dict.fromkeys(resources, -1)
        front = list(resources)
        for x, y in front:  # the list grows during the loop
            for near in ((x + 1) % width, y), (x, (y + 1) % height), ((x - 1) % width, y), (x, (y - 1) % height):
                if near not in steps and cells[near] in ".s":
                    steps[near] = steps[x, y] + 1
                    front.append(near)
        return {
            "size": [height, width],
            "solvable": bool(begun) and all(cell in steps for cell in begun),
            "difficulty": round(sum(steps.get(cell, 0) for cell in begun) / max(1, len(begun)), 6),
            "resources": len(resources),
            "starts": len(begun),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The map with nothing claimed."""
        from envsuite.generators.grids import wall_shapes
        from envsuite.render.scene import Circle, Scene

        rows = level["map"]
        scene = Scene(len(rows[0]), len(rows), background="floor")
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                if letter == "r":
                    scene.add(*resource(x, y))
                elif letter == "s":
                    scene.add(Circle(x + 0.5, y + 0.5, 0.2, "blue@0.4", glyph="s"))
        scene.add(*wall_shapes([[letter == "#" for letter in row] for row in rows]))
        return scene
