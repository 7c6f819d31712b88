"""A small vocabulary for the levels of rooms. All draws come from the record's own stream.

A level under construction is `s.level`: `grid`, with the codes of `envsuite.kit.rooms` by row and column, `agent`, the
agent's column and row, `direction`, and in some worlds the `target`'s column and row. Words and distributions are
MiniGrid's: an object's cell is uniform over the empty cells of a rectangle, which may be a room with its walls. In a
*room grid*, square rooms of `size` x `size` cells, walls included, share their walls; (i, j) is the room in column i
and row j, and its sides are numbered as facings.
"""

from __future__ import annotations

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.kit.grid import DX, DY, EAST, NORTH, WEST
from envsuite.kit.rooms import CLOSED, EMPTY, GREY_WALL, KIND, OPAQUE, WALL


@kernel
def hall(s):
    """A hall with walls all around, empty inside; the agent has no place yet."""
    grid = s.level.grid
    height, width = grid.shape
    for y in range(height):
        for x in range(width):
            inside = 0 < x < width - 1 and 0 < y < height - 1
            grid[y, x] = EMPTY if inside else GREY_WALL
    s.level.agent[0] = 0
    s.level.agent[1] = 0


@kernel
def fill(s, code, x, y, width, height):
    """Fill a rectangle."""
    for j in range(y, y + height):
        for i in range(x, x + width):
            s.level.grid[j, i] = code


@kernel
def wall(s, x, y, width, height):
    """Fill a rectangle with wall (in its own loop, because a constant compiles to faster code)."""
    for j in range(y, y + height):
        for i in range(x, x + width):
            s.level.grid[j, i] = GREY_WALL


@kernel
def vacant(s, x, y):
    """Whether a cell is empty and without the agent."""
    agent = s.level.agent
    return s.level.grid[y, x] == EMPTY and not (x == agent[0] and y == agent[1])


@large_kernel
def spot(s, x, y, width, height):
    """A uniformly random vacant cell (x, y) of a rectangle; (0, 0) if there is none."""
    count = 0
    for j in range(y, y + height):
        for i in range(x, x + width):
            count += vacant(s, i, j)
    if count == 0:
        return 0, 0
    left = randint(s, count)
    for j in range(y, y + height):
        for i in range(x, x + width):
            if vacant(s, i, j):
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
    """Put the agent at a random empty cell of a rectangle, facing any direction."""
    s.level.agent[0] = 0  # no place, because the agent's present cell is allowed too
    s.level.agent[1] = 0
    s.level.agent[0], s.level.agent[1] = spot(s, x, y, width, height)
    s.level.direction = randint(s, 4)


@kernel
def place_agent_in_room(s, size, i, j):
    """Put the agent into a room, with no object or door in front of it."""
    while True:
        place_agent(s, i * (size - 1), j * (size - 1), size, size)
        x, y = s.level.agent[0] + DX[s.level.direction], s.level.agent[1] + DY[s.level.direction]
        kind = s.level.grid[y, x] & KIND
        if kind == EMPTY or kind == WALL:
            break


@kernel
def put_agent(s, x, y, direction):
    """Put the agent somewhere."""
    s.level.agent[0] = x
    s.level.agent[1] = y
    s.level.direction = direction


@kernel
def aim(s, x, y):
    """Make a cell the target."""
    s.level.target[0] = x
    s.level.target[1] = y


@kernel
def any_color(s):
    """A random one of the six colors."""
    return randint(s, 6) << 4


@kernel
def other_color(s, banned):
    """A random color that is not `banned`, if that is a color."""
    if banned < 0:
        return any_color(s)
    color = randint(s, 5) << 4
    return color + 16 if color >= banned else color


@kernel
def door(s, kind, color, x, y):
    """Put a door, CLOSED or LOCKED, at a cell."""
    s.level.grid[y, x] = OPAQUE | color | kind


@kernel
def room_grid(s, size):
    """A grid of rooms without doors; the agent is provisionally in the middle of the middle room."""
    height, width = s.level.grid.shape
    hall(s)
    for x in range(size - 1, width - 1, size - 1):
        wall(s, x, 0, 1, height)
    for y in range(size - 1, height - 1, size - 1):
        wall(s, 0, y, width, 1)
    columns, rows = width // (size - 1), height // (size - 1)
    put_agent(s, columns // 2 * (size - 1) + size // 2, rows // 2 * (size - 1) + size // 2, EAST)


@kernel
def add_object(s, code, size, i, j):
    """Put an object into a room, not right beside the agent; return its cell."""
    agent = s.level.agent
    x, y = agent[0], agent[1]
    while abs(x - agent[0]) + abs(y - agent[1]) < 2:
        x, y = spot(s, i * (size - 1), j * (size - 1), size, size)
    s.level.grid[y, x] = code
    return x, y


@kernel
def side_cell(size, i, j, side, k):
    """The cell (x, y) of a room's side, k = 0 .. size - 3."""
    x, y = i * (size - 1), j * (size - 1)
    if side & 1:
        return x + 1 + k, y + (0 if side == NORTH else size - 1)
    return x + (0 if side == WEST else size - 1), y + 1 + k


@kernel
def add_door(s, kind, color, size, i, j, side):
    """Put a door at a random cell of a room's side; return its cell."""
    x, y = side_cell(size, i, j, side, randint(s, size - 2))
    door(s, kind, color, x, y)
    return x, y


@kernel
def remove_wall(s, size, i, j, side):
    """Remove the wall on a room's side."""
    for k in range(size - 2):
        x, y = side_cell(size, i, j, side, k)
        s.level.grid[y, x] = EMPTY


@kernel
def joined(s, size, i, j, side):
    """Whether a room's side has an opening or a door."""
    for k in range(size - 2):
        x, y = side_cell(size, i, j, side, k)
        if s.level.grid[y, x] & KIND != WALL:
            return True
    return False


@large_kernel
def reached(s, size, columns, rows):
    """The number of rooms connected with the first one, by doors of all kinds."""
    known = 1  # rooms as bits
    count = 0
    while count != known:
        count = known
        for j in range(rows):
            for i in range(columns):
                room = j * columns + i
                for side in range(2):
                    if (i + 1 < columns) if side == EAST else (j + 1 < rows):
                        pair = 1 | 1 << (1 if side == EAST else columns)
                        bits = known >> room & pair
                        if bits != 0 and bits != pair and joined(s, size, i, j, side):
                            known |= pair << room
    count = 0
    while known:
        count += known & 1
        known >>= 1
    return count


@kernel
def connect_all(s, size, locked, banned):
    """Add closed doors at random until all rooms (at most 62) are connected; none to the room numbered `locked`.

    Their colors are random, but not `banned`, if that is a color.
    """
    height, width = s.level.grid.shape
    columns, rows = width // (size - 1), height // (size - 1)
    left = columns * rows - reached(s, size, columns, rows)
    for _ in range(100_000):
        if left == 0:
            break
        i, j, side = randint(s, columns), randint(s, rows), randint(s, 4)
        across, down = i + DX[side], j + DY[side]
        if not (0 <= across < columns and 0 <= down < rows) or joined(s, size, i, j, side):
            continue
        if j * columns + i != locked and down * columns + across != locked:
            add_door(s, CLOSED, other_color(s, banned), size, i, j, side)
            left = columns * rows - reached(s, size, columns, rows)
