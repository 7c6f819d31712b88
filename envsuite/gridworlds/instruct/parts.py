"""What the levels of Instruct are made of: things, doors, clauses of the mission, and whether a level is sound."""

from __future__ import annotations

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.gridworlds.instruct.language import ANY, PUT_NEXT, matching
from envsuite.gridworlds.instruct.levels import GRAMMAR
from envsuite.kit import builder
from envsuite.kit.grid import DX, DY
from envsuite.kit.rooms import BALL, BOX, CLOSED, COLOR, DOOR, EMPTY, KEY, KIND, LOCKED, WALL

#: Bits of the kinds of things, and of doors.
THINGS = (1 << KEY) | (1 << BALL) | (1 << BOX)
DOORS = (1 << DOOR) | (1 << CLOSED) | (1 << LOCKED)


# The language of a level under construction.


@large_kernel
def say(s, clause, verb, kind, color, place):
    """Set a clause with one description; `color` is that of a code, or ANY."""
    s.level.verbs[clause] = verb
    describe(s, clause, 0, kind, color, place)


@kernel
def describe(s, clause, which, kind, color, place):
    """Set one of a clause's descriptions."""
    s.level.named[clause, which, 0] = DOOR if kind == CLOSED or kind == LOCKED else kind
    s.level.named[clause, which, 1] = 0 if color == ANY else (color >> 4) + 1
    s.level.named[clause, which, 2] = place


@kernel
def say_thing(s, clause, verb, x, y):
    """Set a clause about things like the one at a cell."""
    code = s.level.grid[y, x]
    say(s, clause, verb, code & KIND, code & COLOR, 0)


@kernel
def say_put(s, clause, x, y, i, j):
    """Ask to put things like the one at (x, y) next to things like the one at (i, j)."""
    say_thing(s, clause, PUT_NEXT, x, y)
    code = s.level.grid[j, i]
    describe(s, clause, 1, code & KIND, code & COLOR, 0)


# Parts of levels. Those that may fail return whether they have succeeded.


@large_kernel
def add_thing(s, code, i, j):
    """Put an object at a random empty cell of a room, not right beside the agent."""
    size, agent = s.params.size, s.level.agent
    count, chosen = 0, 0
    for turn in range(2):
        if turn == 1:
            if count == 0:
                return False
            chosen = 1 + randint(s, count)
            count = 0
        for y in range(j * (size - 1) + 1, (j + 1) * (size - 1)):
            for x in range(i * (size - 1) + 1, (i + 1) * (size - 1)):
                if s.level.grid[y, x] == EMPTY and abs(x - agent[0]) + abs(y - agent[1]) >= 2:
                    count += 1
                    if count == chosen:
                        s.level.grid[y, x] = code
    return True


@kernel
def any_kind(s):
    """A random kind of thing."""
    return KEY + randint(s, 3)


@large_kernel
def present(s, code):
    """Whether an equal thing is in the level."""
    height, width = s.level.grid.shape
    for y in range(height):
        for x in range(width):
            if s.level.grid[y, x] == code:
                return True
    return False


@large_kernel
def add_things(s, count, i, j, unique):
    """Put random things into a room, or with `i` -1 each into a random one."""
    height, width = s.level.grid.shape
    size = s.params.size
    columns, rows = width // (size - 1), height // (size - 1)
    for _ in range(count):
        code = any_kind(s) | builder.any_color(s)
        while unique and present(s, code):
            code = any_kind(s) | builder.any_color(s)
        if not add_thing(s, code, randint(s, columns) if i < 0 else i, randint(s, rows) if i < 0 else j):
            return False
    return True


@large_kernel
def add_agent(s, i, j):
    """Put the agent into a room, or with `i` -1 into a random one, with no object or door in front of it."""
    height, width = s.level.grid.shape
    size, agent = s.params.size, s.level.agent
    if i < 0:
        i, j = randint(s, width // (size - 1)), randint(s, height // (size - 1))
    for _ in range(1000):
        builder.place_agent(s, i * (size - 1), j * (size - 1), size, size)
        if agent[0] == 0:
            return False
        kind = s.level.grid[agent[1] + DY[s.level.direction], agent[0] + DX[s.level.direction]] & KIND
        if kind == EMPTY or kind == WALL:
            return True
    return False


@kernel
def room_of_agent(s):
    """The column and row of the agent's room."""
    size = s.params.size
    return s.level.agent[0] // (size - 1), s.level.agent[1] // (size - 1)


@kernel
def add_agent_outside(s, i, j):
    """Put the agent into a random room that is not (i, j)."""
    for _ in range(1000):
        if not add_agent(s, -1, 0):
            return False
        column, row = room_of_agent(s)
        if column != i or row != j:
            return True
    return False


@kernel
def connect(s, locked, banned):
    """Add closed doors until all rooms are connected."""
    builder.connect_all(s, s.params.size, locked, banned)


@kernel
def add_side_door(s, kind, color, i, j, side):
    """Put a door at a random cell of a room's side."""
    builder.add_door(s, kind, color, s.params.size, i, j, side)


@kernel
def inner_side(s, i, j):
    """A random side of a room that is not the level's edge."""
    height, width = s.level.grid.shape
    columns, rows = width // (s.params.size - 1), height // (s.params.size - 1)
    while True:
        side = randint(s, 4)
        if 0 <= i + DX[side] < columns and 0 <= j + DY[side] < rows:
            return side


@kernel
def lock_room(s):
    """Lock a random room with one door, and put the key into another: the number of the room or -1, and the color."""
    height, width = s.level.grid.shape
    columns, rows = width // (s.params.size - 1), height // (s.params.size - 1)
    i, j, color = randint(s, columns), randint(s, rows), builder.any_color(s)
    add_side_door(s, LOCKED, color, i, j, inner_side(s, i, j))
    column, row = i, j
    while column == i and row == j:
        column, row = randint(s, columns), randint(s, rows)
    return (j * columns + i if add_thing(s, color | KEY, column, row) else -1), color


@large_kernel
def pick(s, kinds, first, last, x, y):
    """The cell of a random object of these kinds, as bits, in columns first .. last - 1, but not (x, y)."""
    height, width = s.level.grid.shape
    count, chosen = 0, 0
    for turn in range(2):
        if turn == 1:
            if count == 0:
                return 0, 0
            chosen = 1 + randint(s, count)
            count = 0
        for j in range(height):
            for i in range(first, last):
                if kinds >> (s.level.grid[j, i] & KIND) & 1 and not (i == x and j == y):
                    count += 1
                    if count == chosen:
                        return i, j
    return 0, 0


@kernel
def passable(code):
    """Whether a path may lead through a cell: if it is empty or a door, locked or not."""
    return code == EMPTY or DOORS >> (code & KIND) & 1 != 0


@large_kernel
def all_reachable(s):
    """Whether the agent can get next to all things, and to all doors, without moving any; locks do not count."""
    height, width = s.level.grid.shape
    grid, reached = s.level.grid, s.reached
    for y in range(height):
        reached[y] = 0
    reached[s.level.agent[1]] = 1 << s.level.agent[0]
    changed = True
    while changed:
        changed = False
        for y in range(1, height - 1):
            for x in range(1, width - 1):
                if reached[y] >> x & 1 == 0 and passable(grid[y, x]):
                    if (reached[y] >> (x - 1) & 5) | (reached[y - 1] >> x & 1) | (reached[y + 1] >> x & 1):
                        reached[y] |= 1 << x
                        changed = True
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            kind = grid[y, x] & KIND
            if kind != EMPTY and kind != WALL and reached[y] >> x & 1 == 0:
                if not ((reached[y] >> (x - 1) & 5) | (reached[y - 1] >> x & 1) | (reached[y + 1] >> x & 1)):
                    return False
                if not THINGS >> kind & 1:
                    return False
    return True


@large_kernel
def fits(s, x, y, clause, which):
    """Whether the object at a cell matches a description at the start."""
    named = s.level.named[clause, which]
    if not matching(s.level.grid[y, x], named[0], named[1]):
        return False
    if named[2] == 0:
        return True
    agent, size = s.level.agent, s.params.size
    left, top = agent[0] // (size - 1) * (size - 1), agent[1] // (size - 1) * (size - 1)
    if not (left <= x < left + size and top <= y < top + size):
        return False
    east, south = DX[s.level.direction], DY[s.level.direction]
    across, down = x - agent[0], y - agent[1]
    ahead, right = across * east + down * south, down * east - across * south
    return (ahead if named[2] == 1 else -ahead if named[2] == 2 else -right if named[2] == 3 else right) > 0


@kernel
def close_together(s, clause):
    """Whether an object of both descriptions is in the level, or two neighbors, one of each."""
    height, width = s.level.grid.shape
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            if fits(s, x, y, clause, 0):
                if fits(s, x, y, clause, 1):
                    return True
                for side in range(4):
                    if fits(s, x + DX[side], y + DY[side], clause, 1):
                        return True
    return False


@kernel
def tool(s, clause, which):
    """Whether a description names keys of the color of a locked door."""
    named = s.level.named[clause, which]
    return named[0] == KEY and named[1] > 0 and present_lock(s, named[1] - 1)


@kernel
def present_lock(s, color):
    """Whether a locked door of a color is in the level."""
    height, width = s.level.grid.shape
    for y in range(height):
        for x in range(width):
            code = s.level.grid[y, x]
            if code & KIND == LOCKED and (code & COLOR) >> 4 == color:
                return True
    return False


@large_kernel
def sound(s):
    """Whether the mission is neither done at the start nor about keys that are tools."""
    for clause in range(4):
        if s.level.verbs[clause] == PUT_NEXT and close_together(s, clause):
            return False
        if s.params.family == GRAMMAR and s.params.spared:
            if tool(s, clause, 0) or tool(s, clause, 1):
                return False
    return True
