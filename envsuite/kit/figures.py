"""Shared by Ballet, RapidNaming and HiddenObject: figures with shapes and colors, different draws, and a room.

Rows and columns of a room's cells are from 1 to `SIDE`; walls are around it. The middle of each third of a side makes
nine places; the agent starts in the central one, and things stand on the other eight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_integer, read_list
from envsuite.core.parameters import is_integer
from envsuite.render.scene import Polygon, Rect, Scene, avatar, grid
from envsuite.render.theme import AGENTS as COLORS

#: Numbers of corners, and how deep the sides between them are cut.
CORNERS, CUTS = (3, 4, 5, 6, 8), (1.0, 0.65, 0.35)
SHAPES = tuple(f"{n}-{kind}" for kind in ("sided", "pointed", "rayed") for n in CORNERS)

#: What stands for shapes and colors where there are letters only.
_SHAPE_SIGNS, _COLOR_SIGNS = "34568tqpehTQPEH", "bogpdsurny"

#: Figures are numbered len(COLORS) * shape + color.
FIGURES = len(SHAPES) * len(COLORS)

#: The eight moves, clockwise from the north, as changes of row and column.
MOVES = ("north", "north east", "east", "south east", "south", "south west", "west", "north west")
DOWN = np.array([-1, -1, 0, 1, 1, 1, 0, -1])
RIGHT = np.array([0, 1, 1, 1, 0, -1, -1, -1])
MOVE_KEYS = {
    "up": "north", "right": "east", "down": "south", "left": "west",
    "q": "north west", "e": "north east", "z": "south west", "c": "south east",
}  # fmt: skip

SIDE, CENTER, PLACES = 9, 5, 8
PLACE_ROW = np.array([2, 2, 2, 5, 5, 8, 8, 8])
PLACE_COLUMN = np.array([2, 5, 8, 2, 8, 2, 5, 8])


@kernel
def distinct(s, field, count):
    """Fill a field with different random numbers below `count`."""
    for k in range(field.shape[0]):
        again = True
        while again:
            field[k] = random.randint(s, count)
            again = False
            for j in range(k):
                again = again or field[j] == field[k]


@kernel
def distinct_sorted(s, field, count):
    """The same, in increasing order."""
    distinct(s, field, count)
    for k in range(1, field.shape[0]):
        value, at = field[k], k
        while at > 0 and field[at - 1] > value:
            field[at] = field[at - 1]
            at -= 1
        field[at] = value


@kernel
def inside(row, column):
    """Whether this cell is in the room."""
    return 1 <= row <= SIDE and 1 <= column <= SIDE


@kernel
def toward(down, right):
    """The move that leads most directly to a cell so far below and to the right; 0 for the own cell."""
    down, right = min(max(down, -1), 1), min(max(right, -1), 1)
    for move in range(8):
        if DOWN[move] == down and RIGHT[move] == right:
            return move
    return 0


def placed(world: Any, level: Mapping[str, Any], what: str, count: int, width: int) -> tuple[list[Any], int, list[int]]:
    """A level of things at different places, one of which is the target: their rows, its number, and the places.

    Each row has `width` entries, of which the first two are row and column. `LevelError` if there is something else.
    """
    exact_parts(world.id, level, what, "target")
    rows, places = level[what], list(zip(PLACE_ROW.tolist(), PLACE_COLUMN.tolist()))
    read_list(rows, f"{world.id}: the level's {what}", count)
    target = read_integer(level["target"], f"{world.id}: the level's target", 0, count - 1)
    for k, row in enumerate(rows):
        fits = isinstance(row, (list, tuple)) and len(row) == width and all(map(is_integer, row[:2]))
        if not fits or tuple(row[:2]) not in places:
            raise LevelError(
                f"{world.id}: {what[:-1]} {k}, {row!r:.60}, must have {width} entries, first row and column of a place "
                "(2, 5 or 8, and not the middle)"
            )
    found = [places.index(tuple(row[:2])) for row in rows]
    if len(set(found)) < count:
        raise LevelError(f"{world.id}: two {what} have one place")
    return list(rows), target, found


def named(figure: int) -> str:
    """A figure in words."""
    return f"{COLORS[figure % len(COLORS)]} {SHAPES[figure // len(COLORS)]}"


#: The numbers of figures by their names.
NUMBERS = {named(number): number for number in range(FIGURES)}


def figure(x: float, y: float, number: int, size: float = 1.0) -> Polygon:
    """The picture of a figure around a point: a regular polygon or star."""
    shape, color = divmod(number, len(COLORS))
    corners, cut = CORNERS[shape % len(CORNERS)], CUTS[shape // len(CORNERS)]
    points = []
    for k in range(2 * corners if cut < 1 else corners):
        turn = (math.pi if cut < 1 else 2 * math.pi) * k / corners - math.pi / 2
        far = 0.46 * size * (cut if cut < 1 and k % 2 else 1.0)
        points.append((x + far * math.cos(turn), y + far * math.sin(turn)))
    return Polygon(points, COLORS[color], "black", 0.03 * size, _SHAPE_SIGNS[shape] + _COLOR_SIGNS[color])


def room() -> Scene:
    """A picture of the empty room."""
    scene = Scene(SIDE + 2, SIDE + 2)
    scene.add(Rect(0, 0, SIDE + 2, SIDE + 2, "wall"), *grid(1, 1, SIDE, SIDE))
    return scene


def put_agent(scene: Scene, row: int, column: int) -> None:
    """Draw the agent in its cell."""
    scene.add(*avatar(column + 0.5, row + 0.5, 3, "black"))


def clicked(row: int, column: int, x: float, y: float) -> int | None:
    """The move toward a point of the room's picture; None for the agent's own cell."""
    down, right = int(y // 1) - row, int(x // 1) - column
    return int(toward(down, right)) if down or right else None
