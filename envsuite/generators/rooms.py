"""Levels of rooms: a small vocabulary to write them in, and the levels. All draw from the record's own stream.

A level under construction is `s.level`: `grid`, codes of `envsuite.core.rooms` by row and column, `agent`, its
column and row, and `direction`.
"""

from __future__ import annotations

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.core.rooms import EMPTY, GOAL, GREEN, GREY_WALL, KEY, LOCKED, OPAQUE, YELLOW


@kernel
def hall(s):
    """Wall in the whole level, empty inside; the agent is nowhere yet."""
    grid = s.level.grid
    height, width = grid.shape
    for y in range(height):
        for x in range(width):
            inside = 0 < x < width - 1 and 0 < y < height - 1
            grid[y, x] = EMPTY if inside else GREY_WALL
    s.level.agent[0] = 0
    s.level.agent[1] = 0


@kernel
def wall(s, x, y, width, height):
    """Fill a rectangle with wall."""
    for j in range(y, y + height):
        for i in range(x, x + width):
            s.level.grid[j, i] = GREY_WALL


@kernel
def spot(s, x, y, width, height):
    """A uniformly random empty cell (x, y) of a rectangle, not the agent's; (0, 0) where there is none."""
    grid, agent = s.level.grid, s.level.agent
    count = 0
    for j in range(y, y + height):
        for i in range(x, x + width):
            count += grid[j, i] == EMPTY and not (i == agent[0] and j == agent[1])
    if count == 0:
        return 0, 0
    left = randint(s, count)
    for j in range(y, y + height):
        for i in range(x, x + width):
            if grid[j, i] == EMPTY and not (i == agent[0] and j == agent[1]):
                if left == 0:
                    return i, j
                left -= 1
    return 0, 0


@kernel
def place(s, code, x, y, width, height):
    """Put an object at a random empty cell of a rectangle."""
    i, j = spot(s, x, y, width, height)
    s.level.grid[j, i] = code


@kernel
def place_agent(s, x, y, width, height):
    """Put the agent at a random empty cell of a rectangle, facing anywhere."""
    s.level.agent[0], s.level.agent[1] = spot(s, x, y, width, height)
    s.level.direction = randint(s, 4)


@kernel
def door(s, kind, color, x, y):
    """Put a door, CLOSED or LOCKED, at a cell."""
    s.level.grid[y, x] = OPAQUE | color | kind


@large_kernel
def door_key(s):
    """Two rooms side by side: agent and key in the left one, a locked door between, the goal in the right one."""
    height, width = s.level.grid.shape
    hall(s)
    s.level.grid[height - 2, width - 2] = GREEN | GOAL
    split = 2 + randint(s, width - 4)
    wall(s, split, 0, 1, height)
    place_agent(s, 1, 1, split - 1, height - 2)
    door(s, LOCKED, YELLOW, split, 1 + randint(s, height - 3))
    place(s, YELLOW | KEY, 1, 1, split - 1, height - 2)
