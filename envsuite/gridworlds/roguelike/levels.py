"""Roguelike's tasks and their levels: rooms, corridors, mazes, vaults, rivers, woods, and what lies and lives in them.

A generator fills `s.level` with everything but the stairs, and names the rectangle in which they may be. So they can be
drawn from another stream than the map.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, mix, randint
from envsuite.core.ranges import below, within
from envsuite.gridworlds.roguelike import rules
from envsuite.kit.figures import DOWN as DY
from envsuite.kit.figures import RIGHT as DX

#: What a task may let the hero do besides its moves, as bits of actions from `search` on.
_SEARCH, _KICK, _TAKE, _APPLY, _EAT, _QUAFF, _ZAP = (1 << k for k in range(7))

ROOM, CORRIDORS, MAZE, VAULT, RIVER, ROOMS, CROSSING, WOOD, ORCHARD, HALL, MEMORY, PITS, RINGS = range(13)

# The styles of doors of ROOMS, and what walls are.
_SHUT, _AJAR, _BOLTED, _MOLTEN, _EXTREME = range(5)

#: The styles of rooms with walls of lava.
OF_LAVA = (_MOLTEN, _EXTREME)


def _tasks() -> dict[str, tuple[int, ...]]:
    """For each task its row in TASKS."""
    found: dict[str, tuple[int, ...]] = {}

    def add(name: str, *row: int) -> None:
        found[name] = row

    # kind, two sizes, lit, monsters, traps, style, actions, limit
    for side, beasts, traps in ((5, 1, 1), (15, 3, 15)):
        limit = 20 * side
        add(f"Room-{side}", ROOM, side, 0, 1, 0, 0, 0, 0, limit)
        for name, lit, k, n in (
            ("Random", 1, 0, 0), ("Dark", 0, 0, 0), ("Monster", 1, beasts, 0), ("Trap", 1, 0, traps),
            ("Ultimate", 0, beasts, traps),
        ):  # fmt: skip
            add(f"Room-{side}-{name}", ROOM, side, 0, lit, k, n, 1, 0, limit)
    for count in (2, 3, 5):
        add(f"Corridor-R{count}", CORRIDORS, count, 14, 1, 0, 0, 0, _SEARCH | _KICK, 1000)
    for name, high, wide, limit in (("9", 7, 7, 200), ("15", 13, 13, 1000), ("45", 17, 43, 1000)):
        add(f"MazeWalk-{name}", MAZE, high, wide, 1, 0, 0, 0, 0, limit)
    for side, inner, limit in ((5, 2, 200), (15, 5, 400)):
        for name, lit in (("", 1), ("-Dark", 0)):
            add(f"KeyRoom-S{side}{name}", VAULT, side, inner, lit, 0, 0, 0, _TAKE | _APPLY, limit)
    for name, columns, beasts, lava in (
        ("", 3, 0, 0), ("-Narrow", 2, 0, 0), ("-Lava", 3, 0, 1), ("-Monster", 3, 5, 0), ("-MonsterLava", 3, 5, 1),
    ):  # fmt: skip
        add(f"River{name}", RIVER, columns, 0, 1, beasts, 0, lava, 0, 350)
    for count, limit in ((2, 40), (4, 120), (6, 240), (10, 360)):
        for name, style, beasts in (
            ("", _SHUT, 0), ("-Open", _AJAR, 0), ("-Locked", _BOLTED, 0), ("-Lava", _MOLTEN, 0),
            ("-Monster", _SHUT, 1), ("-Extreme", _EXTREME, 1),
        ):  # fmt: skip
            acts = _KICK if style in (_BOLTED, _EXTREME) else 0
            most = min(rules.MOST, 3 * count // 2) * beasts
            add(f"MultiRoom-N{count}{name}", ROOMS, count, 0, 1, most, 0, style, acts, limit)
    add("LavaCross", CROSSING, 5, 11, 1, 0, 0, 0, _TAKE | _QUAFF | _ZAP, 250)
    for name, high, wide, lava, limit in (("", 9, 11, 0, 200), ("-Lava", 9, 11, 1, 200), ("-Big", 15, 15, 0, 400)):
        add(f"HideNSeek{name}", WOOD, high, wide, 1, 1, 0, lava, 0, limit)
    add("ExploreMaze-Easy", ORCHARD, 9, 19, 1, 0, 0, 0, _EAT, 500)
    add("ExploreMaze-Hard", ORCHARD, 13, 27, 1, 0, 0, 0, _EAT, 500)
    for name, lit in (("", 1), ("-Dark", 0)):
        add(f"CorridorBattle{name}", HALL, 0, 0, lit, 6, 0, 0, 0, 350)
    for name, long, ways in (("Short-F2", 20, 2), ("F2", 58, 2), ("F4", 58, 4)):
        add(f"Memento-{name}", MEMORY, long, ways, 0, 0, 0, 0, 0, 1000)
    for count in (1, 2, 4):
        add(f"Sokoban-{count}", PITS, count, 0, 1, 0, 0, 0, 0, 500 * count)
    add("Labyrinth-Small", RINGS, 11, 19, 1, 0, 0, 0, 0, 400)
    add("Labyrinth", RINGS, 19, 35, 1, 0, 0, 0, 0, 1000)
    return found


_ROWS = _tasks()
NAMES = tuple(_ROWS)
KIND, FIRST, SECOND, LIT, BEASTS, TRAPS, STYLE, ACTS, LIMIT = range(9)
TASKS = np.array([_ROWS[name] for name in NAMES])

FIXED, GOAL, ALL = range(3)
LAYOUTS = ("fixed", "goal", "all")

#: Sides of the grid of rooms of ROOMS by their number: rows, columns, and the mean distance of lines.
_SLOTS = np.array([[0, 0, 0]] * 2 + [[2, 2, 5]] + [[3, 3, 5]] * 3 + [[3, 4, 6]] * 3 + [[3, 6, 6]] * 3)
_WANDERERS = np.array([rules.RAT, rules.BAT, rules.GOBLIN])
#: Rooms of a grid at most.
_CELLS = 18

# In `s.seen`, while a maze is made: the way back from a room, plus one.


def scratch_fields() -> list[tuple]:
    """Room for generators in a record."""
    return [
        ("area", below(np.int64, rules.WIDTH), (4,)),  # top, left, bottom and right of where the stairs may be
        ("route", below(np.uint8, _CELLS), (_CELLS,)),  # the rooms of ROOMS in order
        ("lines", within(np.int64, 0, rules.WIDTH - 1), (2, 8)),  # the walls between rows and between columns of rooms
    ]


@kernel
def task(s, column):
    """A number of the task."""
    return TASKS[s.params.task, column]


@kernel
def put(s, y, x, code):
    """Set the ground of a cell."""
    s.level.ground[np.uint64(y), np.uint64(x)] = code


@kernel
def lay(s, y, x, thing):
    """Lay a thing down."""
    s.level.things[np.uint64(y), np.uint64(x)] = thing


@large_kernel
def fill(s, top, left, bottom, right, code):
    """Fill a rectangle with a ground."""
    for y in range(top, bottom + 1):
        for x in range(left, right + 1):
            put(s, y, x, code)


@kernel
def light(s, top, left, bottom, right):
    """Light a rectangle and its edge."""
    for y in range(top - 1, bottom + 2):
        for x in range(left - 1, right + 2):
            s.level.lit[np.uint64(y), np.uint64(x)] = 1


@large_kernel
def build(s, top, left, bottom, right, wall, lit):
    """A room of floor with walls around it, where there is rock."""
    for y in range(top - 1, bottom + 2):
        for x in range(left - 1, right + 2):
            if rules.at(s.level.ground, y, x) == rules.ROCK:
                put(s, y, x, wall)
    fill(s, top, left, bottom, right, rules.FLOOR)
    if lit:
        light(s, top, left, bottom, right)


@large_kernel
def clear(s, height, width):
    """An empty level of this size: rock, and nothing in it."""
    s.level.height, s.level.width = height, width
    for y in range(rules.HEIGHT):
        for x in range(rules.WIDTH):
            s.level.ground[y, x], s.level.things[y, x], s.level.lit[y, x] = rules.ROCK, rules.NOTHING, 0
    for k in range(rules.MOST):
        s.level.monsters[k].kind, s.level.monsters[k].y, s.level.monsters[k].x = rules.NONE, 0, 0
    s.level.y, s.level.x = 1, 1


@kernel
def is_free(s, y, x):
    """Whether a cell is plain floor with nothing on it."""
    if (
        rules.at(s.level.ground, y, x) != rules.FLOOR
        or rules.at(s.level.things, y, x)
        or (y == s.level.y and x == s.level.x)
    ):
        return False
    for k in range(rules.MOST):
        m = s.level.monsters[k]
        if m.kind != rules.NONE and m.y == y and m.x == x:
            return False
    return True


@large_kernel
def spot(s, top, left, bottom, right):
    """The row and column of a random free cell in a rectangle; 0 and 0 without one."""
    found_y, found_x, count = np.int64(0), np.int64(0), np.int64(0)
    for draw in range(2):
        aim = np.int64(randint(s, count)) if draw and count else np.int64(-1)
        for y in range(top, bottom + 1):
            for x in range(left, right + 1):
                if is_free(s, y, x):
                    if aim == 0:
                        found_y, found_x = np.int64(y), np.int64(x)
                    count += 1 - draw
                    aim -= draw
    return found_y, found_x


@large_kernel
def place_hero(s, top, left, bottom, right):
    """Put the hero on a random free cell."""
    s.level.y, s.level.x = 0, 0
    y, x = spot(s, top, left, bottom, right)
    s.level.y, s.level.x = y, x


@kernel
def place_thing(s, thing, top, left, bottom, right):
    """Lay a thing on a random free cell, if there is one."""
    y, x = spot(s, top, left, bottom, right)
    if y:
        lay(s, y, x, thing)


@kernel
def count_free(s, top, left, bottom, right):
    """The number of free cells in a rectangle."""
    count = np.int64(0)
    for y in range(top, bottom + 1):
        for x in range(left, right + 1):
            count += np.int64(is_free(s, y, x))
    return count


@large_kernel
def place_monster(s, k, top, left, bottom, right):
    """Put a random monster on a random free cell, unless it is the last one, which the stairs may need."""
    if count_free(s, top, left, bottom, right) > 1:
        y, x = spot(s, top, left, bottom, right)
        settle(s, k, _WANDERERS[randint(s, 3)], y, x)


@kernel
def settle(s, k, kind, y, x):
    """Put a monster on a cell."""
    s.level.monsters[k].kind, s.level.monsters[k].y, s.level.monsters[k].x = kind, y, x


@large_kernel
def stairs_in(s, top, left, bottom, right):
    """Name the rectangle of the stairs."""
    s.area[0], s.area[1], s.area[2], s.area[3] = top, left, bottom, right


# The generators.


@large_kernel
def make_room(s):
    """One room, perhaps with monsters and hidden traps."""
    side = task(s, FIRST)
    clear(s, side + 2, side + 2)
    build(s, 1, 1, side, side, rules.WALL, task(s, LIT))
    stairs_in(s, side, side, side, side)
    if task(s, STYLE):
        place_hero(s, 1, 1, side, side)
        stairs_in(s, 1, 1, side, side)
    for _ in range(task(s, TRAPS)):
        y, x = spot(s, 1, 1, side, side)
        put(s, y, x, rules.HIDDEN_DART + randint(s, 3))
    for k in range(task(s, BEASTS)):
        place_monster(s, k, 1, 1, side, side)


@kernel
def any_door(s):
    """The door of a corridor."""
    k = randint(s, 8)
    if k < 3:
        return rules.DOORWAY
    return rules.OPEN if k < 5 else rules.CLOSED if k == 5 else rules.LOCKED if k == 6 else rules.HIDDEN_DOOR


@large_kernel
def dig(s, y, x, to_y, to_x):
    """A straight corridor between two cells, both included."""
    for row in range(min(y, to_y), max(y, to_y) + 1):
        for column in range(min(x, to_x), max(x, to_x) + 1):
            put(s, row, column, rules.CORRIDOR)


@large_kernel
def make_corridors(s):
    """Rooms from west to east with winding corridors between them, in which doors and cells may be hidden."""
    count, band = task(s, FIRST), task(s, SECOND)
    clear(s, 15, count * band + 2)
    start = np.int64(randint(s, count))
    end = (start + 1 + randint(s, count - 1)) % count
    last_y, last_x = np.int64(0), np.int64(0)
    for k in range(count):
        high, wide = 3 + randint(s, 4), 3 + randint(s, 5)
        top, left = 1 + randint(s, 14 - high), k * band + 2 + randint(s, 3)
        build(s, top, left, top + high - 1, left + wide - 1, rules.WALL, 1)
        y = top + randint(s, high)
        if k:
            middle = last_x + 1 + randint(s, left - 2 - last_x)
            dig(s, last_y, last_x + 1, last_y, middle)
            dig(s, last_y, middle, y, middle)
            dig(s, y, middle, y, left - 2)
            if bernoulli(s, 0.25):
                put(s, last_y, middle, rules.HIDDEN_CORRIDOR)
            put(s, y, left - 1, any_door(s))
        last_y, last_x = top + randint(s, high), left + wide
        if k < count - 1:
            put(s, last_y, last_x, any_door(s))
        if k == start:
            place_hero(s, top, left, top + high - 1, left + wide - 1)
        if k == end:
            stairs_in(s, top, left, top + high - 1, left + wide - 1)


@large_kernel
def carve(s, high, wide):
    """A perfect maze over the cells with odd row and column, by a random walk that turns back where it is stuck."""
    fill(s, 0, 0, high + 1, wide + 1, rules.WALL)
    light(s, 1, 1, high, wide)
    for y in range(rules.HEIGHT):
        for x in range(rules.WIDTH):
            s.seen[y, x] = 0
    y, x = np.int64(1), np.int64(1)
    s.seen[1, 1] = 5
    put(s, 1, 1, rules.FLOOR)
    while True:
        chosen, count = np.int64(-1), np.int64(0)
        for way in range(4):
            to_y, to_x = y + 2 * DY[2 * way], x + 2 * DX[2 * way]
            if 0 < to_y <= high and 0 < to_x <= wide and rules.at(s.seen, to_y, to_x) == 0:
                count += 1
                if randint(s, count) == 0:
                    chosen = np.int64(way)
        back = rules.at(s.seen, y, x) - 1
        if chosen >= 0:
            put(s, y + DY[2 * chosen], x + DX[2 * chosen], rules.FLOOR)
            y, x = y + 2 * DY[2 * chosen], x + 2 * DX[2 * chosen]
            put(s, y, x, rules.FLOOR)
            s.seen[np.uint64(y), np.uint64(x)] = (chosen + 2) % 4 + 1
        elif back == 4:
            return
        else:
            y, x = y + 2 * DY[2 * back], x + 2 * DX[2 * back]


@large_kernel
def make_maze(s):
    """A maze, with hero and stairs anywhere."""
    high, wide = task(s, FIRST), task(s, SECOND)
    clear(s, high + 2, wide + 2)
    carve(s, high, wide)
    place_hero(s, 1, 1, high, wide)
    stairs_in(s, 1, 1, high, wide)


@kernel
def fits_door(y, x, side):
    """Whether a cell is inside the outer room."""
    return 1 <= y <= side and 1 <= x <= side


@large_kernel
def make_vault(s):
    """A room within a room, with a locked door, and a key outside of it."""
    side, inner = task(s, FIRST), task(s, SECOND)
    clear(s, side + 2, side + 2)
    build(s, 1, 1, side, side, rules.WALL, task(s, LIT))
    top, left = 1 + randint(s, side - inner + 1), 1 + randint(s, side - inner + 1)
    fill(s, max(top - 1, 1), max(left - 1, 1), min(top + inner, side), min(left + inner, side), rules.WALL)
    fill(s, top, left, top + inner - 1, left + inner - 1, rules.FLOOR)
    door_y, door_x, count = np.int64(0), np.int64(0), np.int64(0)
    for way in range(4):
        for k in range(inner):
            along_y, along_x = (top + k) * (way & 1) + (1 - (way & 1)) * top, left + k * (1 - (way & 1))
            if way == 1:
                along_x = left + inner - 1
            elif way == 2:
                along_y = top + inner - 1
            down, right = DY[2 * way], DX[2 * way]
            if fits_door(along_y + 2 * down, along_x + 2 * right, side):
                count += 1
                if randint(s, count) == 0:
                    door_y, door_x = np.int64(along_y + down), np.int64(along_x + right)
    stairs_in(s, top, left, top + inner - 1, left + inner - 1)
    fill(s, top, left, top + inner - 1, left + inner - 1, rules.ROCK)  # so that nothing is put there
    place_hero(s, 1, 1, side, side)
    place_thing(s, rules.KEY, 1, 1, side, side)
    fill(s, top, left, top + inner - 1, left + inner - 1, rules.FLOOR)
    put(s, door_y, door_x, rules.LOCKED)


@kernel
def boulder_near(s, y, x):
    """Whether there is a boulder in a cell or beside it."""
    found = False
    for down in range(-1, 2):
        for right in range(-1, 2):
            found = found or rules.at(s.level.things, y + down, x + right) == rules.BOULDER
    return found


@large_kernel
def scatter_boulders(s, count, top, left, bottom, right):
    """Boulders on random cells of a rectangle, no two of them beside each other."""
    laid = np.int64(0)
    while laid < count:
        y, x = spot(s, top, left, bottom, right)
        if not boulder_near(s, y, x):
            lay(s, y, x, rules.BOULDER)
            laid += 1
        elif randint(s, 64) == 0:  # no room perhaps: all of them again
            for row in range(top, bottom + 1):
                for column in range(left, right + 1):
                    lay(s, row, column, rules.NOTHING)
            laid = np.int64(0)


@large_kernel
def make_river(s):
    """A bank with boulders, two or three columns of water or lava, and a bank with the stairs.

    Each boulder can be pushed to the east, and then along the bank to where another one was sunk.
    """
    columns = task(s, FIRST)
    clear(s, 9, 27)
    build(s, 1, 1, 7, 25, rules.WALL, 1)
    lava = task(s, STYLE)
    fill(s, 1, 19, 7, 18 + columns, rules.LAVA if lava else rules.WATER)
    if lava:  # two rows of water
        first = 2 + randint(s, 3)
        second = first + 2 + randint(s, 5 - first)
        for row in (first, second):
            fill(s, row, 19, row, 18 + columns, rules.WATER)
    s.level.y, s.level.x = 0, 0
    scatter_boulders(s, 5, 2, 2, 6, 16)
    place_hero(s, 1, 1, 7, 18)
    for k in range(task(s, BEASTS)):
        place_monster(s, k, 1, 1, 7, 18)
    stairs_in(s, 1, 19 + columns, 7, 25)


@kernel
def in_route(s, room, count):
    """Whether a room is on the route so far."""
    found = False
    for k in range(count):
        found = found or s.route[k] == room
    return found


@large_kernel
def draw_route(s, wanted, rows, columns):
    """A random walk over the grid of rooms that enters no room twice."""
    count = np.int64(0)
    while count < wanted:
        if count == 0:
            s.route[0] = randint(s, rows * columns)
            count = np.int64(1)
        y, x = np.int64(s.route[np.uint64(count - 1)]) // columns, np.int64(s.route[np.uint64(count - 1)]) % columns
        chosen, ways = np.int64(-1), np.int64(0)
        for way in range(4):
            to_y, to_x = y + DY[2 * way], x + DX[2 * way]
            if 0 <= to_y < rows and 0 <= to_x < columns and not in_route(s, to_y * columns + to_x, count):
                ways += 1
                if randint(s, ways) == 0:
                    chosen = to_y * columns + to_x
        if chosen < 0:
            count = np.int64(0)
        else:
            s.route[np.uint64(count)] = chosen
            count += 1


@kernel
def draw_lines(s, axis, count, apart):
    """The walls between rows or columns of rooms."""
    for k in range(count + 1):
        jitter = randint(s, 3) - 1 if 0 < k < count else np.int64(0)
        s.lines[axis, k] = 1 + k * apart + jitter


@large_kernel
def room_of(s, room, columns):
    """Top, left, bottom and right of a room of the grid."""
    y, x = np.int64(room) // columns, np.int64(room) % columns
    lines = s.lines
    return (
        lines[0, np.uint64(y)] + 1,
        lines[1, np.uint64(x)] + 1,
        lines[0, np.uint64(y + 1)] - 1,
        lines[1, np.uint64(x + 1)] - 1,
    )


@large_kernel
def make_rooms(s):
    """A chain of rooms with a door between each and the next."""
    wanted, style = task(s, FIRST), task(s, STYLE)
    rows, columns, apart = _SLOTS[wanted, 0], _SLOTS[wanted, 1], _SLOTS[wanted, 2]
    clear(s, rows * apart + 3, columns * apart + 3)
    draw_lines(s, 0, rows, apart)
    draw_lines(s, 1, columns, apart)
    draw_route(s, wanted, rows, columns)
    door = rules.OPEN if style == _AJAR else rules.LOCKED if style == _BOLTED or style == _EXTREME else rules.CLOSED
    for k in range(wanted):
        top, left, bottom, right = room_of(s, s.route[k], columns)
        build(s, top, left, bottom, right, rules.LAVA if style == _MOLTEN or style == _EXTREME else rules.WALL, 1)
    for k in range(1, wanted):
        top, left, bottom, right = room_of(s, s.route[k - 1], columns)
        step = np.int64(s.route[k]) - np.int64(s.route[k - 1])
        if step == columns or step == -columns:
            put(s, bottom + 1 if step > 0 else top - 1, left + randint(s, right - left + 1), door)
        else:
            put(s, top + randint(s, bottom - top + 1), right + 1 if step > 0 else left - 1, door)
    top, left, bottom, right = room_of(s, s.route[0], columns)
    place_hero(s, top, left, bottom, right)
    for k in range(task(s, BEASTS)):
        top, left, bottom, right = room_of(s, s.route[np.uint64(1 + randint(s, wanted - 1))], columns)
        place_monster(s, k, top, left, bottom, right)
    top, left, bottom, right = room_of(s, s.route[np.uint64(wanted - 1)], columns)
    stairs_in(s, top, left, bottom, right)


@large_kernel
def make_crossing(s):
    """A room that a column of lava divides, and a potion of levitation or a wand of cold to cross it."""
    high, wide = task(s, FIRST), task(s, SECOND)
    clear(s, high + 2, wide + 2)
    build(s, 1, 1, high, wide, rules.WALL, 1)
    middle = wide // 2 + 1
    fill(s, 1, middle, high, middle, rules.LAVA)
    place_hero(s, 1, 1, high, middle - 1)
    place_thing(s, rules.POTION if randint(s, 2) else rules.WAND, 1, 1, high, middle - 1)
    stairs_in(s, 1, middle + 1, high, wide)


@large_kernel
def trample(s, y, x, to_y, to_x):
    """Clear a random way of king's moves between two cells."""
    put(s, y, x, rules.FLOOR)
    while y != to_y or x != to_x:
        down, right = np.int64(to_y > y) - np.int64(to_y < y), np.int64(to_x > x) - np.int64(to_x < x)
        k = randint(s, 3)
        if k != 0 or right == 0:
            y += down
        if k != 1 or down == 0:
            x += right
        put(s, y, x, rules.FLOOR)


@large_kernel
def make_wood(s):
    """Trees and clouds, and a monster that hunts the hero as soon as it sees it."""
    high, wide = task(s, FIRST), task(s, SECOND)
    clear(s, high + 2, wide + 2)
    build(s, 1, 1, high, wide, rules.WALL, 1)
    for y in range(1, high + 1):
        for x in range(1, wide + 1):
            if bernoulli(s, 0.33):
                put(s, y, x, rules.CLOUD)
            elif bernoulli(s, 0.25):
                put(s, y, x, rules.TREE)
            elif task(s, STYLE) and bernoulli(s, 0.05):
                put(s, y, x, rules.LAVA)
    first = np.int64(randint(s, 3))
    second = (first + 1 + randint(s, 2)) % 3  # corners: south west, south east, north east
    beast_y, beast_x = high if first < 2 else 1, wide if first > 0 else 1
    stairs_y, stairs_x = high if second < 2 else 1, wide if second > 0 else 1
    trample(s, np.int64(1), np.int64(1), np.int64(stairs_y), np.int64(stairs_x))
    trample(s, np.int64(1), np.int64(1), np.int64(beast_y), np.int64(beast_x))
    settle(s, 0, rules.OGRE if randint(s, 2) else rules.MINOTAUR, beast_y, beast_x)
    stairs_in(s, stairs_y, stairs_x, stairs_y, stairs_x)


@large_kernel
def make_orchard(s):
    """A maze between three open columns: the hero's, the one with the stairs, and the one with four apples."""
    high, wide = task(s, FIRST), task(s, SECOND)
    clear(s, high + 2, wide + 2)
    carve(s, high, wide)
    middle = wide // 4 * 2 + 1
    for column in (1, middle, wide):
        fill(s, 1, column, high, column, rules.FLOOR)
    place_hero(s, 1, 1, high, 1)
    for _ in range(4):
        place_thing(s, rules.APPLE, 1, wide, high, wide)
    stairs_in(s, 1, middle, high, middle)


@large_kernel
def make_hall(s):
    """A small room and a hall of rats, with a narrow corridor between them."""
    clear(s, 7, 32)
    lit = task(s, LIT)
    build(s, 1, 1, 5, 4, rules.WALL, lit)
    build(s, 1, 13, 5, 30, rules.WALL, lit)
    dig(s, 3, 6, 3, 11)
    put(s, 3, 5, rules.DOORWAY)
    put(s, 3, 12, rules.DOORWAY)
    place_hero(s, 1, 1, 5, 4)
    for k in range(task(s, BEASTS)):
        y, x = spot(s, 1, 24, 5, 29)
        settle(s, k, rules.RAT, y, x)
    stairs_in(s, 1, 30, 5, 30)


@large_kernel
def make_memory(s):
    """A room with keys and apples, a long corridor, and a fork; what lay in the room says which stairs are real."""
    long, ways = task(s, FIRST), task(s, SECOND)
    high = 2 * ways - 1
    middle = np.int64(ways)
    clear(s, high + 2 if high > 3 else 5, long + 12)
    build(s, middle - 1, 1, middle + 1, 3, rules.WALL, 1)
    s.level.y, s.level.x = middle, 2
    put(s, middle, 4, rules.DOORWAY)
    dig(s, middle, 5, middle, long + 5)
    real = np.int64(randint(s, ways))
    lay(s, middle - 1, 1, rules.KEY if real % 2 == 0 else rules.APPLE)
    if ways > 2:
        lay(s, middle + 1, 1, rules.KEY if real < 2 else rules.APPLE)
    dig(s, 1, long + 6, high, long + 6)
    for k in range(ways):
        dig(s, 1 + 2 * k, long + 6, 1 + 2 * k, long + 9)
        put(s, 1 + 2 * k, long + 10, rules.FLOOR if k == real else rules.DECOY)
    stairs_in(s, 1 + 2 * real, long + 10, 1 + 2 * real, long + 10)


@large_kernel
def make_pits(s):
    """A room with boulders, and a corridor with pits that they fill, as in `make_river`."""
    count = task(s, FIRST)
    high, wide = count + 5, count + 6
    clear(s, high + 2, wide + count + 6)
    build(s, 1, 1, high, wide, rules.WALL, 1)
    row = 2 + randint(s, high - 2)
    build(s, row, wide + 1, row, wide + count + 4, rules.WALL, 1)
    s.level.y, s.level.x = 0, 0
    scatter_boulders(s, count + 1, 2, 2, high - 1, wide - 2)
    place_hero(s, 1, 1, high, wide)
    for k in range(count):
        put(s, row, wide + 2 + k, rules.PIT)
    stairs_in(s, row, wide + count + 4, row, wide + count + 4)


@large_kernel
def make_rings(s):
    """Rings of corridor within each other, with one gap in each wall between them, and the stairs inside."""
    high, wide = task(s, FIRST), task(s, SECOND)
    clear(s, high, wide)
    fill(s, 0, 0, high - 1, wide - 1, rules.WALL)
    light(s, 1, 1, high - 2, wide - 2)
    rings = (high + 1) // 4
    for k in range(rings):
        top, left, bottom, right = 2 * k + 1, 2 * k + 1, high - 2 - 2 * k, wide - 2 - 2 * k
        fill(s, top, left, bottom, right, rules.FLOOR)
        if k < rings - 1:
            fill(s, top + 1, left + 1, bottom - 1, right - 1, rules.WALL)
    for k in range(1, rings):
        top, left, bottom, right = 2 * k, 2 * k, high - 1 - 2 * k, wide - 1 - 2 * k
        if randint(s, 2):
            put(s, top if randint(s, 2) else bottom, left + 1 + randint(s, right - left - 1), rules.FLOOR)
        else:
            put(s, top + 1 + randint(s, bottom - top - 1), left if randint(s, 2) else right, rules.FLOOR)
    place_hero(s, 1, 1, 1, wide - 2)
    inside = 2 * rings - 1
    stairs_in(s, inside, inside, high - 1 - inside, wide - 1 - inside)


@large_kernel
def make_map(s):
    """A level without stairs."""
    kind = task(s, KIND)
    if kind == ROOM:
        make_room(s)
    elif kind == CORRIDORS:
        make_corridors(s)
    elif kind == MAZE:
        make_maze(s)
    elif kind == VAULT:
        make_vault(s)
    elif kind == RIVER:
        make_river(s)
    elif kind == ROOMS:
        make_rooms(s)
    elif kind == CROSSING:
        make_crossing(s)
    elif kind == WOOD:
        make_wood(s)
    elif kind == ORCHARD:
        make_orchard(s)
    elif kind == HALL:
        make_hall(s)
    elif kind == MEMORY:
        make_memory(s)
    elif kind == PITS:
        make_pits(s)
    else:
        make_rings(s)


@large_kernel
def make(s):
    """A level of the task: the map from its own stream or the episode's, and then the stairs."""
    stream = s.rng
    if s.params.layout != ALL:
        s.rng = mix(np.uint64(s.params.map_seed))
    make_map(s)
    if s.params.layout == GOAL:
        s.rng = stream
    y, x = spot(s, s.area[0], s.area[1], s.area[2], s.area[3])
    put(s, y, x, rules.STAIRS)
    if s.params.layout == FIXED:
        s.rng = stream
