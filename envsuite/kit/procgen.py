"""Shared by the worlds after Procgen: five moves on a map, its letters, views of a part of it, and mazes.

A record has the map of the start, `map` (size, size), and the map as it is, `cells`, with a border around it that is as
wide as a view reaches and at least one cell. The agent is at row `y` and column `x` of `cells`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import When
from envsuite.core.random import randint
from envsuite.core.ranges import below
from envsuite.core.world import World
from envsuite.render.scene import Line

MOVES = ("noop", "left", "right", "up", "down")
NOOP, LEFT, RIGHT, UP, DOWN = range(5)
DX = np.array([0, -1, 1, 0, 0])
DY = np.array([0, 0, 0, -1, 1])

#: A sentence of pages for players: what of the map they see.
SIGHT = When("view", "You see the {view} x {view} cells around you, with you in the middle.", "You see the whole map.")

KEYS = {"left": "left", "right": "right", "up": "up", "down": "down", ".": "noop"}


@kernel
def margin(s):
    """Cells of border around the map. A compile-time constant."""
    return (s.cells.shape[0] - s.map.shape[0]) // 2


@kernel
def is_whole(s, out):
    """Whether an observation shows the whole map. A compile-time constant."""
    return margin(s) == 1 and out.shape[0] == s.map.shape[0]


@kernel
def show(s, out):
    """Write the map, or the view around the agent, into an observation."""
    top, left = (np.int64(1), np.int64(1)) if is_whole(s, out) else (s.y - margin(s), s.x - margin(s))
    for y in range(out.shape[0]):
        for x in range(out.shape[1]):
            out[np.uint64(y), np.uint64(x)] = s.cells[np.uint64(top + y), np.uint64(left + x)]


@kernel
def lay(s, outside):
    """Copy the map of the start into `cells`, with a border of this code."""
    size, border = s.map.shape[0], margin(s)
    for y in range(s.cells.shape[0]):
        for x in range(s.cells.shape[1]):
            inside = border <= y < border + size and border <= x < border + size
            s.cells[y, x] = s.map[y - border, x - border] if inside else outside


class Viewed(World):
    """A world whose map is seen whole, or in a view around the agent."""

    masked = False
    keys = KEYS

    def define_map(
        self,
        size: int,
        view: int,
        highest: int,
        fields: Callable[[int, int], list[tuple]],
        parts: Mapping[str, Space] | None = None,
        **params: Any,
    ) -> None:
        """Define the world.

        Args:
            size: the side of the map.
            view: the side of the agent's view; 0 for the whole map.
            highest: the highest code of a cell.
            fields: the record's own fields for a size and the width of the border around the map.
            parts: parts of the observation in addition to the map.
            params: tunable numbers.
        """
        if view and (view < 3 or view % 2 == 0):
            raise ParameterError(f"{type(self).__name__}: view={view} must be 0 or an odd number from 3 to 25")
        self.information = "imperfect" if view else "perfect"
        seen = Box(0, highest, (view or size, view or size), np.uint8)
        self.define(
            agents=["agent"],
            actions=MOVES,
            observation=Dict({"map": seen, **parts}) if parts else seen,
            fields=fields(size, max(1, view // 2)),
            params=params,
            reward_range=(0.0, 10.0),
        )

    def seen_map(self, s: Any, agent: int) -> np.ndarray:
        """The codes of the cells that the agent sees."""
        seen = self.observation(s, agent)
        return np.asarray(seen["map"] if self.slot.names else seen)

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """To a cell beside the agent; none in its own."""
        whole = is_whole(s, self.seen_map(s, agent))
        own_x, own_y = (int(s.x) - 1, int(s.y) - 1) if whole else (margin(s), margin(s))
        aim = (int(x // 1) - own_x, int(y // 1) - own_y)
        steps = list(zip(DX.tolist(), DY.tolist()))
        return steps.index(aim) if aim in steps else None


def need_one(rows: np.ndarray, codes: Any, what: str, name: str) -> None:
    """Refuse a map that does not have exactly one cell with these codes."""
    if (count := int(np.isin(rows, codes).sum())) != 1:
        raise LevelError(f"{name}: the level's map must have one {what}, not {count}")


def frame(s: Any, color: str) -> Line:
    """The outline of the agent's view in a picture of the whole map."""
    size, border = s.map.shape[0], margin(s)
    left, top = (max(0, int(place) - 2 * border) for place in (s.x, s.y))
    right, bottom = (min(size, int(place) + 1) for place in (s.x, s.y))
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    return Line(corners, color, 0.12)


# Mazes of side x side cells, with an odd side and no wall around them. A cell is the number side * row + column, with
# row 0 at the bottom. Cells in even rows and columns are the maze's rooms; n is the number of rooms in a row.

#: In `parent`: the room is open.
_OPEN = 1 << 15


def maze_fields(side: int) -> list[tuple]:
    """Room for `kruskal` in a record; it is zero except while a maze is made."""
    n = side // 2 + 1
    return [("parent", below(np.uint16, 1), (n * n,)), ("queue", below(np.uint16, 1), (4 * n * n,))]


@kernel
def walls_in(side):
    """The number of walls between two rooms; the open cells come behind them in the queue."""
    n = side // 2 + 1
    return 2 * n * (n - 1)


@kernel
def room_of(x, y, side):
    """The number of a room."""
    return (y // 2) * (side // 2 + 1) + x // 2


@kernel
def find(parent, room):
    """The representative of a room's set."""
    while parent[np.uint64(room)] & (_OPEN - 1) != room:
        room = np.int64(parent[np.uint64(room)] & (_OPEN - 1))
    return room


@kernel
def append(queue, count, cell):
    """Put a cell at the end of the queue; return the new number of entries."""
    queue[np.uint64(count)] = cell
    return count + 1


@kernel
def open_room(parent, queue, count, x, y, side):
    """Append a room to the open cells unless it is one; return the new number of entries."""
    room = np.uint64(room_of(x, y, side))
    if parent[room] & _OPEN:
        return count
    parent[room] |= _OPEN
    return append(queue, count, y * side + x)


@kernel
def list_walls(queue, side):
    """Fill the queue with the cells between two rooms, column by column: those in even rows, then those in odd rows."""
    count = np.int64(0)
    for x in range(1, side, 2):
        for y in range(0, side, 2):
            count = append(queue, count, y * side + x)
    for x in range(0, side, 2):
        for y in range(1, side, 2):
            count = append(queue, count, y * side + x)


@large_kernel
def kruskal(s, parent, queue, side):
    """Procgen's maze: takes walls in random order, and opens those that divide two sets of rooms.

    Returns the number of open cells; they are in the queue, in the order in which they were opened, from `walls_in`
    on.
    """
    walls = np.int64(walls_in(side))
    count = walls
    for room in range((side // 2 + 1) * (side // 2 + 1)):
        parent[room] = room
    list_walls(queue, side)
    for left in range(walls, 0, -1):
        chosen = np.int64(randint(s, left))
        wall = np.int64(queue[np.uint64(chosen)])
        for k in range(chosen, left - 1):
            queue[np.uint64(k)] = queue[np.uint64(k + 1)]
        x, y = wall % side, wall // side
        across = x & 1
        one = find(parent, room_of(x - across, y - (1 - across), side))
        other = find(parent, room_of(x + across, y + (1 - across), side))
        if one != other:
            count = open_room(parent, queue, count, x - across, y - (1 - across), side)
            count = append(queue, count, wall)
            count = open_room(parent, queue, count, x + across, y + (1 - across), side)
            parent[np.uint64(one)] = other | (parent[np.uint64(one)] & _OPEN)
    return count - walls


@kernel
def tidy(parent, queue):
    """Leave the room for mazes as it was found."""
    fill(parent, 0)
    fill(queue, 0)
