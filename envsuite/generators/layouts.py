"""Levels of rooms: a small vocabulary to write them in, and the levels. All draw from the record's own stream.

A level under construction is `s.level`: `grid`, codes of `envsuite.kit.rooms` by row and column, `agent`, its
column and row, `direction`, and for some the `target`'s column and row. Words and distributions are MiniGrid's: an
object's cell is uniform over the empty ones of a rectangle, which may be a room with its walls. In a *room grid*
square rooms of `size` x `size` cells, walls included, share their walls; (i, j) is the room in column i and row j, and
its sides are numbered as facings.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.random import bernoulli, randint
from envsuite.generators.base import Generator
from envsuite.kit.grid import DX, DY, EAST, NORTH, WEST
from envsuite.kit.rooms import (
    BALL,
    BLUE,
    BOX,
    CLOSED,
    COLOR,
    DOOR,
    EMPTY,
    ENCODE,
    FLOOR,
    GOAL,
    GREEN,
    GREY_WALL,
    KEY,
    KIND,
    LOCKED,
    OPAQUE,
    WALL,
    YELLOW,
    arrow,
    enclosed,
    level_fields,
    plan,
    read_level,
    write_level,
)
from envsuite.render.scene import Scene

# The vocabulary.


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
def fill(s, code, x, y, width, height):
    """Fill a rectangle."""
    for j in range(y, y + height):
        for i in range(x, x + width):
            s.level.grid[j, i] = code


@kernel
def wall(s, x, y, width, height):
    """Fill a rectangle with wall (a loop of its own, as the compiler does better with a constant)."""
    for j in range(y, y + height):
        for i in range(x, x + width):
            s.level.grid[j, i] = GREY_WALL


@kernel
def frame(s, x, y, width, height):
    """Wall in a rectangle along its edge."""
    grid = s.level.grid
    # Unsigned: no code for negative indices.
    left, right, top, bottom = np.uint64(x), np.uint64(x + width - 1), np.uint64(y), np.uint64(y + height - 1)
    for i in range(left, right + np.uint64(1)):
        grid[top, i] = GREY_WALL
        grid[bottom, i] = GREY_WALL
    for j in range(top, bottom):
        grid[j, left] = GREY_WALL
        grid[j, right] = GREY_WALL


@kernel
def vacant(s, x, y):
    """Whether a cell is empty and not the agent's."""
    agent = s.level.agent
    return s.level.grid[y, x] == EMPTY and not (x == agent[0] and y == agent[1])


@kernel
def spot(s, x, y, width, height):
    """A uniformly random vacant cell (x, y) of a rectangle; (0, 0) where there is none."""
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
def inner_spot(s, x, y, width, height):
    """`spot` in a walled rectangle that is vacant inside: the same cell, sooner found."""
    k = randint(s, (width - 2) * (height - 2))
    return x + 1 + k % (width - 2), y + 1 + k // (width - 2)


@kernel
def place(s, code, x, y, width, height):
    """Put an object at a random empty cell of a rectangle."""
    i, j = spot(s, x, y, width, height)
    s.level.grid[j, i] = code


@kernel
def place_agent(s, x, y, width, height):
    """Put the agent at a random empty cell of a rectangle, facing anywhere."""
    s.level.agent[0] = 0  # nowhere, so that it can stay where it was
    s.level.agent[1] = 0
    s.level.agent[0], s.level.agent[1] = spot(s, x, y, width, height)
    s.level.direction = randint(s, 4)


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
    """A random one of the six colours."""
    return randint(s, 6) << 4


@kernel
def door(s, kind, color, x, y):
    """Put a door, CLOSED or LOCKED, at a cell."""
    s.level.grid[y, x] = OPAQUE | color | kind


@kernel
def room_grid(s, size):
    """A grid of rooms without doors; for the time being the agent is in the middle of the one in the middle."""
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
    """Put an object into a room, not right beside the agent; where."""
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
    """Put a door at a random cell of a room's side; where."""
    x, y = side_cell(size, i, j, side, randint(s, size - 2))
    door(s, kind, color, x, y)
    return x, y


@kernel
def remove_wall(s, size, i, j, side):
    """Take the wall of a room's side away."""
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


@kernel
def reached(s, size, columns, rows):
    """How many rooms are connected with the first one, by doors of all kinds."""
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
def connect_all(s, size, locked):
    """Add closed doors at random until all rooms are connected (at most 62); none to the room numbered `locked`."""
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
            add_door(s, CLOSED, any_color(s), size, i, j, side)
            left = columns * rows - reached(s, size, columns, rows)


# The levels.


@large_kernel
def empty(s):
    """A hall with the goal in its far corner, the agent in the other or anywhere."""
    height, width = s.level.grid.shape
    hall(s)
    s.level.grid[height - 2, width - 2] = GREEN | GOAL
    if s.params.random_start:
        place_agent(s, 1, 1, width - 2, height - 2)
    else:
        put_agent(s, 1, 1, EAST)


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


@large_kernel
def four_rooms(s):
    """Four rooms with a gap in each wall between two; the agent and the goal anywhere. Sizes are odd."""
    height, width = s.level.grid.shape
    middle, center = width // 2, height // 2
    hall(s)
    wall(s, middle, 0, 1, height)
    wall(s, 0, center, width, 1)
    for k in range(2):
        s.level.grid[k * center + 1 + randint(s, center - 1), middle] = EMPTY
        s.level.grid[center, k * middle + 1 + randint(s, middle - 1)] = EMPTY
    place_agent(s, 0, 0, width, height)
    place(s, GREEN | GOAL, 0, 0, width, height)


#: The longest chain of rooms.
LONGEST = 10

_NO_ROOMS = (0,) * LONGEST


@kernel
def _pack(x, y, width, height, door_x, door_y):
    """A room and its entry in one number."""
    return x | y << 8 | width << 16 | height << 24 | door_x << 32 | door_y << 40


@kernel
def _apart(room, x, y, width, height):
    """Whether a rectangle is clear of a room, with a gap to its right and below it (as MiniGrid has it)."""
    left, top = room & 255, room >> 8 & 255
    right, bottom = left + (room >> 16 & 255), top + (room >> 24 & 255)
    return (x + width < left) | (right <= x) | (y + height < top) | (bottom <= y)


@large_kernel
def multi_room(s):
    """A chain of rooms, each entered by a closed door: the agent in the first, the goal in the last.

    The chain grows at its end, room after room, with eight tries for each; one that ends too early is given up. After
    each thousand of these it may be shorter by a room.
    """
    height, width = s.level.grid.shape
    sizes = s.params.max_room_size - 3
    wanted = s.params.min_rooms + randint(s, s.params.max_rooms - s.params.min_rooms + 1)
    count, attempts = 0, 0
    rooms = _NO_ROOMS  # the last ones count
    while count < wanted:
        attempts += 1
        if attempts % 1000 == 0 and wanted > 1:
            wanted -= 1
        count = 0
        # MiniGrid takes the row, too, from the width.
        x, y, w, h = randint(s, width - 2), randint(s, width - 2), 4 + randint(s, sizes), 4 + randint(s, sizes)
        if x + w > width or y + h >= height:
            continue
        rooms = rooms[1:] + (_pack(x, y, w, h, 0, 0),)
        count, tries, entry = 1, 0, WEST
        while count < wanted and tries < 8:
            tries += 1
            # A door in another wall than the one of the entry, and a room behind it; `a` is along the wall, `c` across.
            side = randint(s, 3)
            side += side >= entry
            flat, ahead = side & 1 != 0, side < 2
            next_w, next_h = 4 + randint(s, sizes), 4 + randint(s, sizes)
            next_a, next_c = (next_w, next_h) if flat else (next_h, next_w)
            at_a = (x if flat else y) + 1 + randint(s, (w if flat else h) - 2)
            at_c = (y if flat else x) + ahead * ((h if flat else w) - 1)
            a = at_a - next_a + 2 + randint(s, next_a - 2)
            c = at_c if ahead else at_c - next_c + 1
            left, top = (a, c) if flat else (c, a)
            clear = (left >= 0) & (top >= 0) & (left + next_w <= width) & (top + next_h < height)
            for k in range(LONGEST - count, LONGEST - 1):  # the room before may be touched
                clear &= _apart(rooms[k], left, top, next_w, next_h)
            if clear:
                x, y, w, h = left, top, next_w, next_h
                door_x, door_y = (at_a, at_c) if flat else (at_c, at_a)
                rooms = rooms[1:] + (_pack(x, y, w, h, door_x, door_y),)
                entry, tries = side ^ 2, 0
                count += 1
    fill(s, EMPTY, 0, 0, width, height)
    color = randint(s, 6)
    for k in range(LONGEST - count, LONGEST):
        x, y, w, h = rooms[k] & 255, rooms[k] >> 8 & 255, rooms[k] >> 16 & 255, rooms[k] >> 24 & 255
        frame(s, x, y, w, h)
        if k == LONGEST - count:
            i, j = inner_spot(s, x, y, w, h)
            put_agent(s, i, j, randint(s, 4))
        else:
            color = (color + 1 + randint(s, 5)) % 6
            door(s, CLOSED, color << 4, rooms[k] >> 32 & 255, rooms[k] >> 40)
    if count == 1:  # the agent is in the same room
        place(s, GREEN | GOAL, x, y, w, h)
    else:
        i, j = inner_spot(s, x, y, w, h)
        s.level.grid[j, i] = GREEN | GOAL


@large_kernel
def bsp(s):
    """A hall, split again and again by a wall with a closed door, and the agent and the goal anywhere.

    Rooms are found by a random cell, so large ones are split first; `room_size` cells are left on both sides.
    """
    grid = s.level.grid
    height, width = grid.shape
    least = s.params.room_size
    hall(s)
    count = 1
    for _ in range(100 * s.params.rooms):
        if count >= s.params.rooms:
            break
        left, top = 1 + randint(s, width - 2), 1 + randint(s, height - 2)
        if grid[top, left] != EMPTY:
            continue
        right, bottom = left, top
        while grid[top, left - 1] == EMPTY:
            left -= 1
        while grid[top, right + 1] == EMPTY:
            right += 1
        while grid[top - 1, left] == EMPTY:
            top -= 1
        while grid[bottom + 1, left] == EMPTY:
            bottom += 1
        w, h = right - left + 1, bottom - top + 1
        upright = w > h or (w == h and bernoulli(s, 0.5))
        if max(w, h) < 2 * least + 1:
            continue
        at = least + randint(s, max(w, h) - 2 * least)
        # A wall must not end at a door.
        if upright:
            at += left
            if grid[top - 1, at] & KIND == WALL and grid[bottom + 1, at] & KIND == WALL:
                wall(s, at, top, 1, h)
                door(s, CLOSED, any_color(s), at, top + randint(s, h))
                count += 1
        else:
            at += top
            if grid[at, left - 1] & KIND == WALL and grid[at, right + 1] & KIND == WALL:
                wall(s, left, at, w, 1)
                door(s, CLOSED, any_color(s), left + randint(s, w), at)
                count += 1
    place_agent(s, 0, 0, width, height)
    place(s, GREEN | GOAL, 0, 0, width, height)


@kernel
def place_agent_in_room(s, size, i, j):
    """Put the agent into a room, not with an object or a door in front of it."""
    while True:
        place_agent(s, i * (size - 1), j * (size - 1), size, size)
        x, y = s.level.agent[0] + DX[s.level.direction], s.level.agent[1] + DY[s.level.direction]
        kind = s.level.grid[y, x] & KIND
        if kind == EMPTY or kind == WALL:
            break


@large_kernel
def unlock(s):
    """Two rooms with a locked door between them, the target; the agent and the key are in the left one."""
    size = s.level.grid.shape[0]
    room_grid(s, size)
    color = any_color(s)
    x, y = add_door(s, LOCKED, color, size, 0, 0, EAST)
    aim(s, x, y)
    add_object(s, color | KEY, size, 0, 0)
    place_agent_in_room(s, size, 0, 0)


@large_kernel
def unlock_pickup(s):
    """As `unlock`; the target is a box in the right room."""
    size = s.level.grid.shape[0]
    room_grid(s, size)
    x, y = add_object(s, any_color(s) | BOX, size, 1, 0)
    color = any_color(s)
    add_door(s, LOCKED, color, size, 0, 0, EAST)
    aim(s, x, y)
    add_object(s, color | KEY, size, 0, 0)
    place_agent_in_room(s, size, 0, 0)


@large_kernel
def key_corridor(s):
    """Rooms to both sides of a corridor: the target in a locked one to the right, the key in one to the left."""
    height, width = s.level.grid.shape
    size = (width - 1) // 3 + 1
    rows = (height - 1) // (size - 1)
    room_grid(s, size)
    for j in range(1, rows):
        remove_wall(s, size, 1, j, NORTH)
    row, color = randint(s, rows), any_color(s)
    add_door(s, LOCKED, color, size, 2, row, WEST)
    x, y = add_object(s, any_color(s) | s.params.object, size, 2, row)
    aim(s, x, y)
    add_object(s, color | KEY, size, 0, randint(s, rows))
    place_agent_in_room(s, size, 1, rows // 2)
    connect_all(s, size, row * 3 + 2)


@large_kernel
def crossing(s):
    """Rivers of lava, or walls, from side to side at even columns and rows, open where one way to the goal needs it."""
    grid = s.level.grid
    height, width = grid.shape
    hall(s)
    put_agent(s, 1, 1, EAST)
    grid[height - 2, width - 2] = GREEN | GOAL
    code = s.params.obstacle
    # Choose the rivers: each with the chance that makes all sets of so many equally likely. Bits are positions.
    left = (width - 3) // 2 + (height - 3) // 2
    needed = min(s.params.crossings, left)
    upright, level = 0, 0
    ups, levels = 0, 0
    for x in range(2, width - 2, 2):
        if randint(s, left) < needed:
            needed -= 1
            upright |= 1 << x
            ups += 1
            fill(s, code, x, 1, 1, height - 2)
        left -= 1
    for y in range(2, height - 2, 2):
        if randint(s, left) < needed:
            needed -= 1
            level |= 1 << y
            levels += 1
            fill(s, code, 1, y, width - 2, 1)
        left -= 1
    # From pond to pond, in a random order of the rivers to cross; each is left through one random cell.
    x = y = 0
    while ups + levels:
        right, below = x + 1, y + 1
        while right < width - 1 and not upright >> right & 1:
            right += 1
        while below < height - 1 and not level >> below & 1:
            below += 1
        if randint(s, ups + levels) < ups:
            ups -= 1
            grid[y + 1 + randint(s, below - y - 1), right] = EMPTY
            x = right
        else:
            levels -= 1
            grid[below, x + 1 + randint(s, right - x - 1)] = EMPTY
            y = below


@large_kernel
def memory(s):
    """A room with an object, a hallway, and at its end a like object to one side and an unlike one to the other."""
    grid = s.level.grid
    height, width = grid.shape
    middle = height // 2
    end = 4 + randint(s, width - 6) if s.params.random_length else width - 3
    hall(s)
    for y in (middle - 2, middle + 2):
        wall(s, 1, y, 4, 1)
    for y in (middle - 1, middle + 1):
        wall(s, 4, y, end - 4, 1)
    wall(s, end, 0, 1, height)
    grid[middle, end] = EMPTY
    wall(s, end + 2, 0, 1, height)
    put_agent(s, 1 + randint(s, end), middle, EAST)
    shown, upper = KEY + randint(s, 2), KEY + randint(s, 2)
    grid[middle - 1, 1] = GREEN | shown
    grid[middle - 2, end + 1] = GREEN | upper
    grid[middle + 2, end + 1] = GREEN | (KEY + BALL - upper)
    side = 1 if upper == shown else -1
    s.level.success[0] = end + 1
    s.level.success[1] = middle - side
    s.level.failure[0] = end + 1
    s.level.failure[1] = middle + side


@large_kernel
def obstacles(s):
    """An `empty` level with balls at random cells."""
    height, width = s.level.grid.shape
    empty(s)
    for _ in range(s.params.obstacles):
        place(s, BLUE | BALL, 0, 0, width, height)


# One of them as a kind of level.


@kernel
def _lonely(s, x, y):
    """Whether the eight cells around a cell are empty and without the agent."""
    for j in range(y - 1, y + 2):
        for i in range(x - 1, x + 2):
            if (i != x or j != y) and not vacant(s, i, j):
                return False
    return True


@kernel
def _shift(s, x, y):
    """Move an object to a random cell beside it, if that is empty; whether it was."""
    grid, target = s.level.grid, s.level.target
    side = randint(s, 4)
    i, j = x + DX[side], y + DY[side]
    if not vacant(s, i, j):
        return False
    grid[j, i] = grid[y, x]
    grid[y, x] = EMPTY
    if target[0] == x and target[1] == y:
        aim(s, i, j)
    return True


@large_kernel
def change(s):
    """A pillar more or less, a door opened or shut, the goal or an object one cell on, or the agent turned.

    None of these can cut a way off: pillars stand free, and things give way where they have been.
    """
    grid, agent = s.level.grid, s.level.agent
    height, width = grid.shape
    for _ in range(10_000):
        x, y = 1 + randint(s, width - 2), 1 + randint(s, height - 2)
        kind = grid[y, x] & KIND
        if x == agent[0] and y == agent[1]:
            s.level.direction = (s.level.direction + 1 + randint(s, 3)) & 3
            break
        if (kind == EMPTY or kind == WALL) and _lonely(s, x, y):
            grid[y, x] = GREY_WALL if kind == EMPTY else EMPTY
            break
        if (kind == DOOR or kind == CLOSED) and not (s.level.target[0] == x and s.level.target[1] == y):
            door(s, CLOSED if kind == DOOR else DOOR, grid[y, x] & COLOR, x, y)
            break
        if kind >= KEY and kind <= GOAL and _shift(s, x, y):
            break


Layout = Literal["door_key", "four_rooms", "multi_room", "bsp", "unlock", "unlock_pickup", "key_corridor"]

_DOORS, _THINGS = (DOOR, CLOSED, LOCKED), (KEY, BALL, BOX)


class Rooms(Generator):
    """Rooms with doors. What is None has the layout's own value, or does not go with it.

    Args:
        layout: "door_key" and "four_rooms" have a `width` and a `height`; "multi_room" has `rooms`, of at most
            `room_size`, as well (fewer where they do not fit); "bsp" has `rooms` of at least `room_size`, walls not
            counted; "unlock" and "unlock_pickup" a `room_size`; "key_corridor" rows of `rooms`, and a `room_size`.
        width, height: cells of the level, walls included.
        rooms: how many rooms, or rows of rooms.
        room_size: cells of a room's side, walls included.

    A level is ``{"grid", "agent", "direction"}`` as worlds of rooms take it; in the last three with a "target".
    """

    #: The layout's parameters: its own value, and the least.
    sizes: ClassVar[Mapping[str, tuple[int, int]]] = {}
    change = change

    def __new__(cls, layout: str = "", **_: Any) -> Any:
        """The layout's own class, so that no more than one layout is compiled."""
        made = super().__new__(_LAYOUTS.get(layout, cls))
        made.kind = "rooms"
        return made

    def __init__(
        self,
        layout: Layout = "multi_room",
        width: Annotated[int | None, Between(5, 63)] = None,
        height: Annotated[int | None, Between(5, 63)] = None,
        rooms: Annotated[int | None, Between(1, 60)] = None,
        room_size: Annotated[int | None, Between(2, 20)] = None,
    ):
        given = {"width": width, "height": height, "rooms": rooms, "room_size": room_size}
        for parameter, value in given.items():
            if value is not None and parameter not in self.sizes:
                raise ParameterError(f"rooms: layout={layout!r} has no {parameter}, only {', '.join(self.sizes)}")
            if value is not None and value < self.sizes[parameter][1]:
                raise ParameterError(f"rooms: {parameter}={value} must be at least {self.sizes[parameter][1]}")
        self.lay_out(**{key: given[key] or own for key, (own, _) in self.sizes.items()})

    def lay_out(self, width: int, height: int, **params: int) -> None:
        """Define the generator for levels of `width` x `height` cells."""
        self.define(level=level_fields(width, height, ["target"]), params=params)

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        made = cls("door_key")
        height, width = np.shape(level["grid"])[:2]
        made.lay_out(width, height)
        return made

    def decode(self, s: Any) -> dict[str, Any]:
        return write_level(s.level, ["target"] if s.level.target.any() else [])

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.target[:] = 0
        read_level(s.level, level, {"target": (*_DOORS, *_THINGS)} if "target" in level else {}, "rooms")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """Beside the usual figures: the "path" in cells walked, "dead_ends", "doors" and "locks".

        The path is the one of `solve`; the difficulty is its number of actions without turns. Both are None where there
        is no path; "solvable" is None where the search is given up.
        """
        codes = _codes(level)
        kinds = codes & KIND
        free = enclosed(codes, level["agent"])
        around = sum(np.roll(free, step, axis).astype(int) for step in (1, -1) for axis in (0, 1))
        found = solve(level)
        return {
            "size": [int(number) for number in codes.shape],
            "solvable": None if found is None else found.solved,
            "difficulty": found.steps + found.handled if found and found.solved else None,
            "path": found.steps if found and found.solved else None,
            "dead_ends": int((free & (around == 1)).sum()),
            "doors": int(np.isin(kinds, _DOORS).sum()),
            "locks": int((kinds == LOCKED).sum()),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The level from above."""
        codes = _codes(level)
        scene = Scene(codes.shape[1], codes.shape[0])
        x, y = level["agent"]
        scene.add(*plan(codes, level["agent"]), arrow(x, y, level["direction"]))
        return scene


def _codes(level: Mapping[str, Any]) -> np.ndarray:
    return ENCODE[tuple(np.moveaxis(np.asarray(level["grid"]), 2, 0))]


class _DoorKey(Rooms):
    make = door_key
    sizes = {"width": (8, 5), "height": (8, 5)}


class _FourRooms(Rooms):
    make = four_rooms
    sizes = {"width": (19, 5), "height": (19, 5)}

    def lay_out(self, width: int, height: int, **params: int) -> None:
        if width % 2 == 0 or height % 2 == 0:
            raise ParameterError(f"rooms: width={width} and height={height} must be odd in four_rooms")
        super().lay_out(width, height)


class _MultiRoom(Rooms):
    make = multi_room
    sizes = {"width": (25, 5), "height": (25, 5), "rooms": (6, 1), "room_size": (10, 4)}

    def lay_out(self, width: int, height: int, rooms: int, room_size: int) -> None:  # type: ignore[override]
        if rooms > LONGEST:
            raise ParameterError(f"rooms: rooms={rooms} must be at most {LONGEST} in multi_room")
        super().lay_out(width, height, min_rooms=rooms, max_rooms=rooms, max_room_size=room_size)


class _BSP(Rooms):
    make = bsp
    sizes = {"width": (19, 5), "height": (19, 5), "rooms": (8, 1), "room_size": (3, 2)}


class _Unlock(Rooms):
    make = unlock
    sizes = {"room_size": (6, 4)}

    def lay_out(self, room_size: int) -> None:  # type: ignore[override]
        super().lay_out(2 * room_size - 1, room_size)


class _UnlockPickup(_Unlock):
    make = unlock_pickup


class _KeyCorridor(Rooms):
    make = key_corridor
    sizes = {"rooms": (3, 1), "room_size": (6, 3)}

    def lay_out(self, rooms: int, room_size: int) -> None:  # type: ignore[override]
        if rooms > 20:
            raise ParameterError(f"rooms: rooms={rooms} must be at most 20 in key_corridor, which has three in a row")
        super().lay_out(3 * room_size - 2, rooms * (room_size - 1) + 1, object=BALL)


_LAYOUTS: dict[str, type[Rooms]] = {
    "door_key": _DoorKey,
    "four_rooms": _FourRooms,
    "multi_room": _MultiRoom,
    "bsp": _BSP,
    "unlock": _Unlock,
    "unlock_pickup": _UnlockPickup,
    "key_corridor": _KeyCorridor,
}

# A solver in plain Python, which shares nothing with the kernels.


class Found(NamedTuple):
    """What `solve` found: whether there is a way, the cells walked on it, and the other actions but turns."""

    solved: bool
    steps: int = 0
    handled: int = 0


class _State(NamedTuple):
    """What a plan has come to: the agent's cell, what it holds (a code or EMPTY), the things about, what is locked."""

    cell: tuple[int, int]
    held: int
    things: frozenset[tuple[tuple[int, int], int]]
    locked: frozenset[tuple[int, int]]


#: States that `solve` looks at before it gives up.
PATIENCE = 300_000


def solve(level: Mapping[str, Any]) -> Found | None:
    """A way to the target, or without one to a goal: with the fewest things put down, then the fewest cells walked.

    None where it is not found in `PATIENCE` states. Things are put down right before others are taken, and elsewhere
    only if there is no other way. Each walk through a door that was shut at the start counts as opening it.
    """
    codes = _codes(level)
    start = tuple(level["agent"])
    target = tuple(level["target"]) if "target" in level else None
    cells = {(x, y): int(codes[y, x]) for y, x in np.argwhere(enclosed(codes, start)).tolist()}
    things = frozenset((cell, code) for cell, code in cells.items() if code & KIND in _THINGS)
    locked = frozenset(
        cell for cell, code in cells.items() if code & KIND == LOCKED or (code & KIND in _DOORS and cell == target)
    )
    looked = 0
    if target is not None and target not in cells:
        return Found(False)
    for anywhere in (False, True):
        order = count()
        queue = [(0, 0, 0, next(order), _State(start, EMPTY, things, locked))]
        seen = set()
        while queue:
            put, steps, handled, _, s = heapq.heappop(queue)
            if s in seen:
                continue
            seen.add(s)
            looked += 1
            if looked > PATIENCE:
                return None
            if target is None:
                solved = cells[s.cell] & KIND == GOAL
            else:
                solved = target not in s.locked and target not in dict(s.things)
            if solved:
                return Found(True, steps, handled)
            for more_put, more_steps, more_handled, after in _moves(s, cells, anywhere):
                if after not in seen:
                    entry = (put + more_put, steps + more_steps, handled + more_handled, next(order), after)
                    heapq.heappush(queue, entry)
    return Found(False)


def _moves(s: _State, cells: Mapping[tuple[int, int], int], anywhere: bool) -> Iterator[tuple[int, int, int, _State]]:
    """What can be done next: things put down, cells walked, other actions, and the state after it."""
    things = dict(s.things)
    around = [(s.cell[0] + int(dx), s.cell[1] + int(dy)) for dx, dy in zip(DX, DY)]
    for cell in around:
        code = cells.get(cell, GREY_WALL)
        kind = code & KIND
        if cell in things:
            if s.held == EMPTY:
                yield 0, 0, 1, s._replace(held=things[cell], things=s.things - {(cell, things[cell])})
        elif cell in s.locked:
            if kind != LOCKED or s.held == code & COLOR | KEY:
                yield 0, 0, 1, s._replace(locked=s.locked - {cell})
        else:
            if kind in (EMPTY, FLOOR, GOAL, *_DOORS, *_THINGS):
                yield 0, 1, int(kind == CLOSED), s._replace(cell=cell)
            if kind in (EMPTY, *_THINGS) and s.held != EMPTY and (anywhere or any(other in things for other in around)):
                yield 1, 0, 1, s._replace(held=EMPTY, things=s.things | {(cell, s.held)})
