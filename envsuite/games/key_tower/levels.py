"""Towers: floors joined by ladders, keys, doors of their colors, and skulls that walk to and fro.

A tower has `floors` floors of `width` cells. One or two ladders join each floor with the next, at random columns. The
start is on the lowest floor. Some of the other floors have a skull. It walks between two columns, three to five cells
apart from end to end, and leaves at least one cell of the floor free on each side. Its direction and place at the start
are random. Doors lie on cells without a ladder, outside the ways of skulls and not next to them; keys lie anywhere but
on doors, ladders' ends and the start. Doors and keys are drawn again until all can be reached one after another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import exact_parts, read_list
from envsuite.core.parameters import is_integer
from envsuite.core.random import randint
from envsuite.core.ranges import below, fixed, within
from envsuite.core.record import as_views
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.render.scene import Circle, Line, Polygon, Rect, Scene, door, key
from envsuite.render.theme import agent_color

#: The most floors, columns, keys and skulls.
FLOORS, WIDTH, KEYS, SKULLS = 7, 16, 4, 6
#: Cells, and their letters in a level; small letters are keys, capital ones doors, @ the start.
WALL, FLOOR, LADDER = range(3)
LEGEND = "#.H"
NONE = -1


def level_fields(floors: int, width: int, keys: int, skulls: int) -> list[tuple]:
    """The fields of `s.level`. Rows count from the top; floors have even numbers, ladders lie between them."""
    rows = 2 * floors - 1
    place = [below(np.int64, rows), below(np.int64, width)]
    return [
        ("cells", below(np.uint8, 3), (rows, width)),
        ("start_row", place[0]),
        ("start_column", place[1]),
        ("key_row", place[0], (keys,)),
        ("key_column", place[1], (keys,)),
        ("door_row", place[0], (keys,)),
        ("door_column", place[1], (keys,)),
        ("skull_row", place[0], (skulls,)),
        ("first", place[1], (skulls,)),  # the ends of a skull's way
        ("last", place[1], (skulls,)),
        ("phase", within(np.int64, 0, 2 * WIDTH), (skulls,)),  # steps that it has walked from its first column
    ]


@kernel
def walked(level, skull, steps):
    """The column of a skull after some steps."""
    length = level.last[skull] - level.first[skull]
    if length <= 0:
        return np.int64(level.first[skull])
    k = (level.phase[skull] + steps) % (2 * length)
    return np.int64(level.first[skull] + (k if k <= length else 2 * length - k))


@kernel
def door_at(level, row, column):
    """The door on a cell, or NONE."""
    for k in range(level.door_row.shape[0]):
        if level.door_row[k] == row and level.door_column[k] == column:
            return k
    return NONE


@kernel
def key_at(level, row, column):
    """The key that lay on a cell at the start, or NONE."""
    for k in range(level.key_row.shape[0]):
        if level.key_row[k] == row and level.key_column[k] == column:
            return k
    return NONE


@kernel
def has_ladder(s, row, column):
    """Whether a ladder begins above or below a cell of a floor."""
    rows = s.level.cells.shape[0]
    above = row > 0 and s.level.cells[row - 1, column] == LADDER
    return above or (row + 1 < rows and s.level.cells[row + 1, column] == LADDER)


@kernel
def draw_ladders(s):
    """Floors, and one or two ladders between each two of them."""
    rows, width = s.level.cells.shape
    for row in range(rows):
        for column in range(width):
            s.level.cells[row, column] = FLOOR if row % 2 == 0 else WALL
        if row % 2 == 1:
            for _ in range(1 + randint(s, 2)):
                s.level.cells[row, randint(s, width)] = LADDER


@kernel
def draw_skulls(s):
    """Skulls on different floors above the lowest one."""
    floors, width, count = (s.level.cells.shape[0] + 1) // 2, s.level.cells.shape[1], s.level.first.shape[0]
    left, k = count, 0
    for floor in range(floors - 1):
        if randint(s, floors - 1 - floor) < left:
            left -= 1
            length = 2 + np.int64(randint(s, min(3, width - 4)))
            s.level.skull_row[k] = 2 * floor
            s.level.first[k] = 1 + randint(s, width - 2 - length)
            s.level.last[k] = s.level.first[k] + length
            s.level.phase[k] = randint(s, 2 * length)
            k += 1


@kernel
def near_skull(s, row, column):
    """Whether a cell is on the way of a skull or next to it."""
    for k in range(s.level.first.shape[0]):
        if s.level.skull_row[k] == row and s.level.first[k] - 1 <= column <= s.level.last[k] + 1:
            return True
    return False


@kernel
def draw_thing(s, door):
    """A random cell for a door or a key, as row * width + column; a door is not near a skull."""
    rows, width = s.level.cells.shape
    while True:
        row, column = 2 * np.int64(randint(s, (rows + 1) // 2)), np.int64(randint(s, width))
        start = row == s.level.start_row and column == s.level.start_column
        taken = start or has_ladder(s, row, column) or door_at(s.level, row, column) != NONE
        if not taken and (near_skull(s, row, column) if door else key_at(s.level, row, column) != NONE):
            taken = True
        if not taken:
            return row * width + column


@kernel
def draw_things(s):
    """Doors, then keys."""
    width, keys = s.level.cells.shape[1], s.level.key_row.shape[0]
    for k in range(keys):
        s.level.door_row[k] = 1  # no floor, so nowhere yet
        s.level.key_row[k] = 1
        s.level.door_column[k] = 0
        s.level.key_column[k] = 0
    for k in range(keys):
        place = draw_thing(s, True)
        s.level.door_row[k], s.level.door_column[k] = place // width, place % width
    for k in range(keys):
        place = draw_thing(s, False)
        s.level.key_row[k], s.level.key_column[k] = place // width, place % width


@kernel
def spread(s):
    """Mark what can be reached from marked cells without doors whose keys are not marked; whether there was more."""
    rows, width = s.level.cells.shape
    more = False
    for row in range(rows):
        for column in range(width):
            if s.level.cells[row, column] != WALL and s.scratch.reached[row, column] == 0:
                k = door_at(s.level, row, column)
                free = k == NONE or s.scratch.reached[s.level.key_row[k], s.level.key_column[k]] != 0
                near = row > 0 and s.scratch.reached[row - 1, column] != 0
                near = near or (row + 1 < rows and s.scratch.reached[row + 1, column] != 0)
                near = near or (column > 0 and s.scratch.reached[row, column - 1] != 0)
                near = near or (column + 1 < width and s.scratch.reached[row, column + 1] != 0)
                if free and near:
                    s.scratch.reached[row, column] = 1
                    more = True
    return more


@kernel
def unmark(s):
    """Take all marks away."""
    fill(s.scratch.reached, 0)


@kernel
def all_reached(s):
    """Whether all keys and doors can be reached, skulls aside."""
    unmark(s)
    s.scratch.reached[s.level.start_row, s.level.start_column] = 1
    while spread(s):
        pass
    fine = True
    for k in range(s.level.key_row.shape[0]):
        fine = fine and s.scratch.reached[s.level.key_row[k], s.level.key_column[k]] != 0
        fine = fine and s.scratch.reached[s.level.door_row[k], s.level.door_column[k]] != 0
    unmark(s)
    return fine


@large_kernel
def make(s):
    """A random tower."""
    rows, width = s.level.cells.shape
    fine = False
    while not fine:
        draw_ladders(s)
        draw_skulls(s)
        s.level.start_row = rows - 1
        s.level.start_column = randint(s, width)
        tries = 0
        while not fine and tries < 100:
            draw_things(s)
            fine = all_reached(s)
            tries += 1


class Towers(Generator):
    """A tower with keys, doors and skulls.

    Args:
        floors: number of floors.
        width: columns.
        keys: number of keys, and of doors.
        skulls: number of skulls, fewer than `floors`.
    """

    make = make

    def __init__(
        self,
        floors: Annotated[int, Between(2, FLOORS)] = 4,
        width: Annotated[int, Between(8, WIDTH)] = 11,
        keys: Annotated[int, Between(1, KEYS)] = 2,
        skulls: Annotated[int, Between(1, SKULLS)] = 2,
    ):
        if skulls >= floors:
            raise ParameterError(f"towers: skulls={skulls} must be fewer than floors={floors}")
        self.define(
            level=level_fields(floors, width, keys, skulls),
            params={"floors": fixed(floors), "width": fixed(width)},
            scratch=[("reached", below(np.uint8, 2), (2 * floors - 1, width))],
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        rows = level["map"]
        keys = sum(sign.islower() for row in rows for sign in row)
        return cls((len(rows) + 1) // 2, len(rows[0]), keys, len(level["skulls"]))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_tower(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_tower(s.level, level, "towers")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures. The difficulty is the number of keys, doors and skulls.

        A tower is "solvable" if all keys and doors can be reached, skulls aside.
        """
        s = as_views(self.records(1))[0]
        self.encode(s, level)
        rows, width = s.level.cells.shape
        return {
            "size": [rows, width],
            "solvable": bool(all_reached(s)),
            "difficulty": 2 * len(s.level.key_row) + len(s.level.first),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The tower at the start."""
        s = as_views(self.records(1))[0]
        self.encode(s, level)
        return draw_tower(s.level)


def write_tower(level: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    rows = [[LEGEND[cell] for cell in row] for row in level.cells.tolist()]
    rows[level.start_row][level.start_column] = "@"
    for k in range(len(level.key_row)):
        rows[level.key_row[k]][level.key_column[k]] = chr(ord("a") + k)
        rows[level.door_row[k]][level.door_column[k]] = chr(ord("A") + k)
    parts = (level.skull_row, level.first, level.last, level.phase)
    return {"map": ["".join(row) for row in rows], "skulls": [list(one) for one in zip(*(p.tolist() for p in parts))]}


def read_tower(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    exact_parts(name, level, "map", "skulls", optional=["kind"])
    (rows, width), keys, skulls = part.cells.shape, len(part.key_row), len(part.first)
    lines = read_list(level["map"], f"{name}: the level's map", rows)
    things = [chr(ord(first) + k) for first in "aA" for k in range(keys)] + ["@"]
    places: dict[str, tuple[int, int]] = {}
    for r, line in enumerate(lines):
        if not isinstance(line, str) or len(line) != width:
            raise LevelError(f"{name}: row {r} must have {width} signs")
        for c, sign in enumerate(line):
            if sign in things and r % 2 == 0 and sign not in places:
                places[sign] = r, c
            elif sign not in ("#." if r % 2 == 0 else "#H"):
                raise LevelError(f"{name}: row {r} has {sign!r}, which must not be there")
            part.cells[r, c] = LEGEND.index(sign) if sign in LEGEND else FLOOR
    for sign in things:
        if sign not in places:
            raise LevelError(f"{name}: the map lacks {sign!r}")
    part.start_row, part.start_column = places["@"]
    for k in range(keys):
        part.key_row[k], part.key_column[k] = places[things[k]]
        part.door_row[k], part.door_column[k] = places[things[keys + k]]
    for k, one in enumerate(read_list(level["skulls"], f"{name}: the level's skulls", skulls)):
        read_skull(part, k, one, name)


def read_skull(part: Any, k: int, one: Any, name: str) -> None:
    """A skull from plain data: its row, the ends of its way, and its phase."""
    rows, width = part.cells.shape
    if not isinstance(one, (list, tuple)) or len(one) != 4 or not all(map(is_integer, one)):
        raise LevelError(f"{name}: skull {k} must be a row, two columns and a phase")
    row, first, last, phase = one
    fits = 0 <= row < rows and row % 2 == 0 and 0 <= first < last < width and 0 <= phase < 2 * (last - first)
    if not fits or any(part.cells[row, c] != FLOOR for c in range(first, last + 1)):
        raise LevelError(f"{name}: skull {k} must walk on a floor, with a phase below twice its way")
    if row == part.start_row and first <= part.start_column <= last:
        raise LevelError(f"{name}: skull {k} walks over the start")
    part.skull_row[k], part.first[k], part.last[k], part.phase[k] = row, first, last, phase


#: Height of the rows of floors and of those between them, and the margin.
TALL, LOW, MARGIN = 1.0, 0.8, 0.5


def top_of(row: int) -> float:
    """The upper end of a row."""
    return MARGIN + (row // 2) * (TALL + LOW) + (TALL if row % 2 else 0.0)


def middle_of(row: int) -> float:
    """The middle of a row."""
    return top_of(row) + (LOW if row % 2 else TALL) / 2


def draw_tower(level: Any, steps: int = 0, held: Any = (), opened: Any = ()) -> Scene:
    """The tower after some steps, without keys that are held."""
    rows, width = level.cells.shape
    scene = Scene(width + 2 * MARGIN, top_of(rows) + MARGIN + 0.8)
    for row in range(rows):
        tall = LOW if row % 2 else TALL
        for column in range(width):
            x, y, cell = MARGIN + column, top_of(row), level.cells[row, column]
            if cell == WALL:
                scene.add(Rect(x, y, 1, tall, "brown", glyph="##"))
            else:
                scene.add(Rect(x, y, 1, tall, "floor", glyph="  "))
            if cell == LADDER:
                draw_ladder(scene, x, y - 0.35 * TALL, tall + 0.7 * TALL)
    for k in range(len(level.key_row)):
        color = agent_color(k)
        x, y = MARGIN + level.door_column[k] + 0.5, middle_of(level.door_row[k])
        scene.add(*door(x, y, color, "open" if k < len(opened) and opened[k] else "locked"))
        if not (k < len(held) and held[k]):
            scene.add(*key(MARGIN + level.key_column[k] + 0.5, middle_of(level.key_row[k]), color))
    for k in range(len(level.first)):
        now, after = (MARGIN + walked(level, k, steps + n) + 0.5 for n in range(2))
        draw_skull(scene, now, middle_of(level.skull_row[k]), after - now)
    return scene


def draw_ladder(scene: Scene, x: float, y: float, tall: float) -> None:
    """Two rails and their rungs."""
    for side in (0.25, 0.75):
        scene.add(Line([(x + side, y), (x + side, y + tall)], "gold", 0.08))
    for rung in range(6):
        at = y + tall * (rung + 0.5) / 6
        scene.add(Line([(x + 0.25, at), (x + 0.75, at)], "gold", 0.06))
    scene.add(Rect(x + 0.3, y + tall * 0.45, 0.4, 0.1, "gold", glyph="="))


def draw_skull(scene: Scene, x: float, y: float, heading: float) -> None:
    """A skull, with an arrow where it goes next."""
    scene.add(Circle(x, y - 0.05, 0.3, "white", "black", 0.05, glyph="S"))
    scene.add(Rect(x - 0.14, y + 0.16, 0.28, 0.2, "white", "black", 0.04, 0.05))
    for side in (-0.11, 0.11):
        scene.add(Circle(x + side, y - 0.05, 0.08, "black", glyph=""))
    tip = 0.46 if heading > 0 else -0.46
    scene.add(Polygon([(x + 0.74 * tip, y - 0.14), (x + 0.74 * tip, y + 0.14), (x + tip, y)], "red", glyph=""))
