"""Hideouts: rooms whose walls have one door each, with boxes that can be pushed.

A hall is split again and again by a wall with a door. So there is one way from each room to each other, and a room with
one door is shut by a box in it. Boxes stand in the middles of rooms, where they can be pushed in all directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from envsuite.core.kernel import large_kernel
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below
from envsuite.core.world import Between
from envsuite.generators import grids
from envsuite.generators.grids import ENDS, FREE, LARGEST, WALL, Ends, Walled
from envsuite.render.scene import Line, Rect, Scene, Shape

#: The code of a cell with a box, after WALL and FREE; and its letter.
BOX, LETTER = 2, "B"

#: The largest number of boxes, and of tries to split a room for each room that is wanted.
MOST_BOXES, _TRIES = 32, 50


@large_kernel
def split(s):
    """Split the hall by walls with doors; a random cell chooses the room, so large rooms are split first."""
    grid, least = s.level.grid, s.params.least
    height, width = grid.shape
    count = 1
    for _ in range(_TRIES * s.params.rooms):
        x, y = 1 + randint(s, width - 2), 1 + randint(s, height - 2)
        if count >= s.params.rooms or grid[y, x] == WALL:
            continue
        left, right, top, bottom = x, x, y, y
        while grid[y, left - 1] == FREE:
            left -= 1
        while grid[y, right + 1] == FREE:
            right += 1
        while grid[top - 1, x] == FREE:
            top -= 1
        while grid[bottom + 1, x] == FREE:
            bottom += 1
        # From a cell beside a door, the way through it looks like a part of the room: another cell is tried.
        if is_room(s, left, top, right, bottom):
            upright = right - left > bottom - top or (right - left == bottom - top and bernoulli(s, 0.5))
            side = right - left + 1 if upright else bottom - top + 1
            if side > 2 * least:
                at = least + randint(s, side - 2 * least)
                count += wall(s, left, top, right, bottom, upright, at)


@large_kernel
def is_room(s, left, top, right, bottom):
    """Whether all cells of a rectangle are free, and most of its sides are wall: doors do not belong to rooms."""
    for y in range(top, bottom + 1):
        for x in range(left, right + 1):
            if s.level.grid[y, x] != FREE:
                return False
    doors = 0
    for x in range(left, right + 1):
        doors += s.level.grid[top - 1, x] == FREE
        doors += s.level.grid[bottom + 1, x] == FREE
    for y in range(top, bottom + 1):
        doors += s.level.grid[y, left - 1] == FREE
        doors += s.level.grid[y, right + 1] == FREE
    return doors < right - left + bottom - top + 2


@large_kernel
def wall(s, left, top, right, bottom, upright, at):
    """Build a wall with a door across a room, unless it would end at a door; returns whether it is built."""
    grid = s.level.grid
    if upright:
        x = left + at
        if grid[top - 1, x] == FREE or grid[bottom + 1, x] == FREE:
            return False
        for y in range(top, bottom + 1):
            grid[y, x] = WALL
        grid[top + randint(s, bottom - top + 1), x] = FREE
    else:
        y = top + at
        if grid[y, left - 1] == FREE or grid[y, right + 1] == FREE:
            return False
        for x in range(left, right + 1):
            grid[y, x] = WALL
        grid[y, left + randint(s, right - left + 1)] = FREE
    return True


@large_kernel
def put_box(s):
    """A box on a random free cell with only free cells around it, the diagonal ones too, if there is one."""
    grid = s.level.grid
    height, width = grid.shape
    chosen, count = np.int64(0), 0
    for cell in range(grid.size):
        x, y = cell % width, cell // width
        if 0 < x < width - 1 and 0 < y < height - 1 and cell != s.level.start and cell != s.level.goal:
            free = True
            for j in range(y - 1, y + 2):
                for i in range(x - 1, x + 2):
                    free = free and grid[j, i] == FREE
            if free:
                count += 1
                if randint(s, count) == 0:
                    chosen = np.int64(cell)
    if count:
        grids.put(s, chosen, BOX)


@large_kernel
def make(s):
    """Rooms with boxes by the parameters."""
    height, width = s.level.grid.shape
    for y in range(height):
        for x in range(width):
            s.level.grid[y, x] = FREE if 0 < x < width - 1 and 0 < y < height - 1 else WALL
    split(s)
    grids.place_ends(s)
    for _ in range(s.params.boxes):
        put_box(s)
    grids.tidy(s)


@large_kernel
def change(s):
    """Move a random box to a random free cell; or move the start or the goal."""
    boxes = 0
    for cell in range(s.level.grid.size):
        boxes += grids.cell_at(s, cell) == BOX
    if boxes == 0 or randint(s, 4) == 0:
        grids.move_end(s)
    else:
        left = randint(s, boxes)
        for cell in range(s.level.grid.size):
            if grids.cell_at(s, cell) == BOX:
                left -= 1
                if left == -1:
                    to = grids.random_free(s, s.level.start)
                    if to != s.level.goal and to != s.level.start:
                        grids.put(s, cell, FREE)
                        grids.put(s, to, BOX)
                        break
    grids.tidy(s)


class Hideouts(Walled):
    """Rooms with doors and boxes; ways lead from every room to every other if the boxes are left out.

    Args:
        height, width: cells of the grid, walls included.
        rooms: number of rooms; fewer if they do not fit.
        least: cells of a room's side at least.
        boxes: number of boxes; fewer if they do not fit. No two boxes stand side by side.
        ends: where start and goal are.
    """

    make = make
    change = change

    def __init__(
        self,
        height: Annotated[int, Between(5, LARGEST)] = 15,
        width: Annotated[int, Between(5, LARGEST)] = 15,
        rooms: Annotated[int, Between(1, 100)] = 5,
        least: Annotated[int, Between(1, 20)] = 3,
        boxes: Annotated[int, Between(0, MOST_BOXES)] = 5,
        ends: Ends = "farthest",
    ):
        cell = below(np.int64, height * width)
        self.define(
            level=[("grid", grids.inside(height, width, BOX), (height, width)), ("start", cell), ("goal", cell)],
            params={"rooms": rooms, "least": least, "boxes": boxes, "ends": ENDS.index(ends)},
            scratch=[(name, below(np.uint16, 1), (height * width,)) for name in ("queue", "marks")],
        )

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": grids.write_map(s.level, LETTER)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        grids.read_map(s.level, level, self.kind, LETTER)

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The figures of mazes, boxes left out, and the number of "boxes"."""
        boxes = sum(row.count(LETTER) for row in level["map"])
        return {**super().describe({"map": [row.replace(LETTER, ".") for row in level["map"]]}), "boxes": boxes}

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The map with a shortest path, if there were no boxes."""
        rows = level["map"]
        scene = super().scene({"map": [row.replace(LETTER, ".") for row in rows]})
        for y, row in enumerate(rows):
            for x in (k for k, letter in enumerate(row) if letter == LETTER):
                scene.add(*box_shapes(x, y))
        return scene


def box_shapes(x: float, y: float, color: str = "brown", glyph: str = "B") -> list[Shape]:
    """A wooden box."""
    return [
        Rect(x + 0.08, y + 0.08, 0.84, 0.84, color, "black", 0.06, 0.06, glyph=glyph),
        Line([(x + 0.16, y + 0.16), (x + 0.84, y + 0.84)], "black@0.35", 0.05),
        Line([(x + 0.84, y + 0.16), (x + 0.16, y + 0.84)], "black@0.35", 0.05),
    ]
