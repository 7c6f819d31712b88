"""The named levels of Instruct, and how each family of them is made."""

from __future__ import annotations

from typing import NamedTuple

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.gridworlds.instruct_language import (
    ANY,
    GO_TO,
    NO_VERB,
    OBJECT,
    OPEN,
    PICK_UP,
    PUT_NEXT,
    SINGLE,
    THEN,
    matching,
)
from envsuite.kit import builder
from envsuite.kit.grid import DX, DY, EAST, NORTH, WEST
from envsuite.kit.rooms import BALL, BLUE, BOX, CLOSED, COLOR, DOOR, EMPTY, GREY, KEY, KIND, LOCKED, RED, WALL

#: The most objects of a level, doors included, and the most boxes that hold something.
MOST, MOST_BOXES = 60, 8

# Families of levels.
(
    SCATTERED, RED_BALL, RED_OR_BLUE, LOCKED_ROOM, FOUR_DOORS, COLORED_DOORS, TWO_DOORS, ORDERED_DOORS, RED_DOOR,
    ONE_OF_SOME, ABOVE, HIDDEN, CORRIDOR, ONE_BALL, TWO_SIDES, LOCAL_LOCK, BOXED_KEY, BEHIND_LOCK, BLOCKED_LOCK,
    TWO_LOCKS, GRAMMAR,
) = range(21)  # fmt: skip

# Variants of a family.
UNIQUE, REACHABLE, OBSTRUCTED, OPENED = 1, 2, 4, 8  # SCATTERED: bits
GO_BEHIND = 1  # LOCKED_ROOM: the object behind the locked door is the goal, and not the door
DOORS_ONLY, ANY_LOCK, ANY_VERB = 0, 1, 2  # FOUR_DOORS: without things; with some; closed doors and two verbs
BY_EITHER, BY_COLOR, BY_PLACE = 0, 1, 2  # COLORED_DOORS: how the mission names the door
RED_BLUE = 1  # TWO_DOORS: the first is red, the second blue
GREYED = 1  # RED_BALL: all other things are grey
PUT, CARRY, SWAP = 0, 1, 2  # TWO_SIDES: put next; with the object in hand; one in each direction

_KINDS = (1 << KEY) | (1 << BALL) | (1 << BOX)
_DOORS = (1 << DOOR) | (1 << CLOSED) | (1 << LOCKED)


class Row(NamedTuple):
    """A named level: its family, rooms and objects; the other fields as the kernels below use them."""

    family: int
    size: int = 8
    rows: int = 1
    columns: int = 1
    things: int = 0
    variant: int = 0
    verb: int = NO_VERB
    strict: bool = False
    horizon: int = 0  # 0: by the mission
    locked: float = 0.0  # the probability of a locked room
    verbs: int = 0b1111  # GRAMMAR: the verbs, as bits from GO_TO
    shapes: int = 0b111  # GRAMMAR: one clause, two, two parts, as bits
    places: bool = True  # GRAMMAR: whether missions name places
    spared: bool = True  # GRAMMAR: things need not be reachable, and no clause is about a key of a locked door
    beyond: bool = True  # GRAMMAR: whether all matches may be in the locked room


def _scattered(verb: int, size: int = 8, things: int = 18, rooms: int = 3, variant: int = REACHABLE) -> Row:
    return Row(SCATTERED, size, rooms, rooms, things, variant, verb)


def _local(verb: int, size: int, things: int, variant: int = REACHABLE) -> Row:
    return _scattered(verb, size, things, 1, variant)


def _middle(family: int, size: int, things: int = 0, variant: int = 0, strict: bool = False, horizon: int = 0) -> Row:
    return Row(family, size, 3, 3, things, variant, strict=strict, horizon=horizon)


#: The named levels of BabyAI.
LEVELS: dict[str, Row] = {
    "GoToRedBallGrey": Row(RED_BALL, things=7, variant=GREYED),
    "GoToRedBall": Row(RED_BALL, things=7),
    "GoToRedBallNoDists": Row(RED_BALL),
    "GoToObj": _local(GO_TO, 8, 1),
    "GoToObjS4": _local(GO_TO, 4, 1),
    "GoToObjS6": _local(GO_TO, 6, 1),
    "GoToLocal": _local(GO_TO, 8, 8),
    **{
        f"GoToLocalS{size}N{things}": _local(GO_TO, size, things)
        for size, several in ((5, (2,)), (6, (2, 3, 4)), (7, (4, 5)), (8, (2, 3, 4, 5, 6, 7)))
        for things in several
    },
    "GoTo": _scattered(GO_TO),
    "GoToOpen": _scattered(GO_TO, variant=REACHABLE | OPENED),
    "GoToObjMaze": _scattered(GO_TO, things=1),
    "GoToObjMazeOpen": _scattered(GO_TO, things=1, variant=REACHABLE | OPENED),
    "GoToObjMazeS4R2": _scattered(GO_TO, 4, 1, 2),
    **{f"GoToObjMazeS{size}": _scattered(GO_TO, size, 1) for size in (4, 5, 6, 7)},
    "GoToImpUnlock": _middle(LOCKED_ROOM, 8, 2, GO_BEHIND),
    "GoToSeq": Row(GRAMMAR, 8, 3, 3, 18, verbs=0b1, places=False, spared=False),
    "GoToSeqS5R2": Row(GRAMMAR, 5, 2, 2, 4, verbs=0b1, places=False, spared=False),
    "GoToRedBlueBall": Row(RED_OR_BLUE, things=7),
    "GoToDoor": _middle(FOUR_DOORS, 7, variant=DOORS_ONLY),
    "GoToObjDoor": _middle(FOUR_DOORS, 8, 8, ANY_LOCK),
    "Open": _scattered(OPEN),
    "OpenRedDoor": Row(RED_DOOR, 5, 1, 2),
    "OpenDoor": _middle(COLORED_DOORS, 8),
    "OpenDoorDebug": _middle(COLORED_DOORS, 8, strict=True),
    "OpenDoorColor": _middle(COLORED_DOORS, 8, variant=BY_COLOR),
    "OpenDoorLoc": _middle(COLORED_DOORS, 8, variant=BY_PLACE),
    "OpenTwoDoors": _middle(TWO_DOORS, 6, horizon=720),
    "OpenRedBlueDoors": _middle(TWO_DOORS, 6, variant=RED_BLUE, horizon=720),
    "OpenRedBlueDoorsDebug": _middle(TWO_DOORS, 6, variant=RED_BLUE, strict=True, horizon=720),
    "OpenDoorsOrderN2": _middle(ORDERED_DOORS, 6, 2, horizon=720),
    "OpenDoorsOrderN4": _middle(ORDERED_DOORS, 6, 4, horizon=720),
    "OpenDoorsOrderN2Debug": _middle(ORDERED_DOORS, 6, 2, strict=True, horizon=720),
    "OpenDoorsOrderN4Debug": _middle(ORDERED_DOORS, 6, 4, strict=True, horizon=720),
    "Pickup": _scattered(PICK_UP),
    "UnblockPickup": _scattered(PICK_UP, things=20, variant=OBSTRUCTED),
    "PickupLoc": Row(GRAMMAR, things=8, verbs=0b10, shapes=0b1, spared=False),
    "PickupDist": Row(ONE_OF_SOME, 7, things=5),
    "PickupDistDebug": Row(ONE_OF_SOME, 7, things=5, strict=True),
    "PickupAbove": _middle(ABOVE, 6, horizon=288),
    "PutNextLocal": _local(PUT_NEXT, 8, 8, UNIQUE | REACHABLE),
    "PutNextLocalS5N3": _local(PUT_NEXT, 5, 3, UNIQUE | REACHABLE),
    "PutNextLocalS6N4": _local(PUT_NEXT, 6, 4, UNIQUE | REACHABLE),
    **{
        f"PutNextS{size}N{things}{'Carrying' * variant}": Row(
            TWO_SIDES, size, 1, 2, things, variant, horizon=8 * size**2
        )
        for variant, several in ((PUT, ((4, 1), (5, 2), (5, 1), (6, 3), (7, 4))), (CARRY, ((5, 2), (6, 3), (7, 4))))
        for size, things in several
    },
    "Unlock": _middle(LOCKED_ROOM, 8, 3),
    "UnlockLocal": _middle(LOCAL_LOCK, 8),
    "UnlockLocalDist": _middle(LOCAL_LOCK, 8, 3),
    "KeyInBox": _middle(BOXED_KEY, 8),
    "UnlockPickup": Row(BEHIND_LOCK, 6, 1, 2),
    "UnlockPickupDist": Row(BEHIND_LOCK, 6, 1, 2, 4),
    "BlockedUnlockPickup": Row(BLOCKED_LOCK, 6, 1, 2, horizon=576),
    "UnlockToUnlock": Row(TWO_LOCKS, 6, 1, 3, horizon=1080),
    "ActionObjDoor": _middle(FOUR_DOORS, 7, 5, ANY_VERB),
    **{f"FindObjS{size}": _middle(HIDDEN, size, horizon=20 * size**2) for size in (5, 6, 7)},
    "KeyCorridor": Row(CORRIDOR, 6, 3, 3, horizon=1080),
    **{
        f"KeyCorridorS{size}R{rows}": Row(CORRIDOR, size, rows, 3, horizon=30 * size**2)
        for size, rows in ((3, 1), (3, 2), (3, 3), (4, 3), (5, 3), (6, 3))
    },
    **{f"OneRoomS{size}": Row(ONE_BALL, size) for size in (8, 12, 16, 20)},
    "MoveTwoAcrossS5N2": Row(TWO_SIDES, 5, 1, 2, 2, SWAP, horizon=400),
    "MoveTwoAcrossS8N9": Row(TWO_SIDES, 8, 1, 2, 9, SWAP, horizon=1024),
    "Synth": Row(GRAMMAR, 8, 3, 3, 18, locked=0.5, shapes=0b1, places=False, beyond=False),
    "SynthS5R2": Row(GRAMMAR, 5, 2, 3, 18, locked=0.5, shapes=0b1, places=False, beyond=False),
    "SynthLoc": Row(GRAMMAR, 8, 3, 3, 18, locked=0.5, shapes=0b1, beyond=False),
    "SynthSeq": Row(GRAMMAR, 8, 3, 3, 18, locked=0.5, beyond=False),
    "MiniBossLevel": Row(GRAMMAR, 5, 2, 2, 7, locked=0.25),
    "BossLevel": Row(GRAMMAR, 8, 3, 3, 18, locked=0.5),
    "BossLevelNoUnlock": Row(GRAMMAR, 8, 3, 3, 18, beyond=False),
}


#: What else kernels read of a row, and the highest value of each.
NUMBERS = {
    "family": GRAMMAR, "variant": 15, "verb": PUT_NEXT, "strict": 1, "verbs": 15, "shapes": 7, "places": 1, "spared": 1,
    "beyond": 1,
}  # fmt: skip


def sized(level: str, size: int | None, rows: int | None, columns: int | None, things: int | None) -> Row:
    """A named level with other numbers, or a `ParameterError`."""
    row = LEVELS[level]
    made = row._replace(
        size=size or row.size,
        rows=rows or row.rows,
        columns=columns or row.columns,
        things=row.things if things is None else things,
    )
    made = made._replace(horizon=row.horizon * made.size**2 // row.size**2)
    name, many = f"Instruct: {level}", made.rows * made.columns
    if max(made.rows, made.columns) > 5:
        raise ParameterError(f"{name}: {made.rows} x {made.columns} rooms are too many")
    free_rows = row.family in (SCATTERED, GRAMMAR, LOCKED_ROOM)
    if made.rows != row.rows and not (free_rows or row.family == CORRIDOR):
        raise ParameterError(f"{name} has {row.rows} rows of rooms, which `rows` cannot change")
    if made.columns != row.columns and not free_rows:
        raise ParameterError(f"{name} has {row.columns} columns of rooms, which `columns` cannot change")
    least = 3 if row.family == CORRIDOR else 4 if free_rows or row.family == TWO_SIDES else 5
    if made.size < least:
        raise ParameterError(f"{name}: room_size must be at least {least}, not {made.size}")
    if (made.size - 1) * max(made.rows, made.columns) + 1 > 31:
        raise ParameterError(
            f"{name}: {made.rows} x {made.columns} rooms of {made.size} are too large; 31 cells on a side are the most"
        )
    if many == 1 and (row.verb == OPEN or row.locked or row.family == LOCKED_ROOM):
        raise ParameterError(f"{name} needs doors, so at least two rooms")
    first, last = _bounds(row, made.size, many)
    if made.things != row.things and not first <= made.things <= last:
        raise ParameterError(f"{name}: things must be from {first} to {last} with these rooms, not {made.things}")
    if made.things > max(last, 0) or made.things < first:
        raise ParameterError(f"{name}: {made.things} things do not fit into these rooms; from {first} to {last} do")
    return made


def _bounds(row: Row, size: int, many: int) -> tuple[int, int]:
    """The numbers of things that a level may have in this many rooms of this size."""
    room = (size - 2) ** 2 // 3
    family, unique = row.family, 18
    if family == SCATTERED:
        most = min(room * many, 40 - (many > 9) * 20)
        if row.variant & OBSTRUCTED:
            return (10 if size <= 8 else 20), most
        put = row.verb == PUT_NEXT
        return (0 if row.verb == OPEN else 2 if put else 1), min(most, unique) if put else most
    if family == GRAMMAR:
        return 2, min(room * many, 40 - (many > 9) * 20)
    if family == LOCKED_ROOM:
        return 0, min(room - 1, 30 // many)
    if family == ORDERED_DOORS:
        return 2, 4
    if family == TWO_SIDES:
        return 1 + (row.variant == SWAP), min(room, 9)
    if family in (RED_BALL, RED_OR_BLUE):
        return 0, room - 1
    if family == ONE_OF_SOME:
        return 1, min(room, unique)
    if family == FOUR_DOORS and row.variant != DOORS_ONLY:
        return 0, min(room, unique)
    if family in (LOCAL_LOCK, BEHIND_LOCK):
        return 0, min(room - 1, 12)
    return 0, 0


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
    return code == EMPTY or _DOORS >> (code & KIND) & 1 != 0


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
                if not _KINDS >> kind & 1:
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


# Families.


@large_kernel
def scattered(s):
    """Things in random rooms with closed doors between; one verb about one, or two, of the things or doors."""
    height, width = s.level.grid.shape
    variant, verb = s.params.variant, s.params.verb
    if not add_agent(s, -1, 0):
        return False
    connect(s, -1, ANY)
    if not add_things(s, s.params.things, -1, 0, variant & UNIQUE != 0):
        return False
    if variant & (REACHABLE | OBSTRUCTED) and all_reachable(s) != (variant & REACHABLE != 0):
        return False
    x, y = pick(s, _DOORS if verb == OPEN else _KINDS, 0, width, 0, 0)
    say_thing(s, 0, verb, x, y)
    if verb == PUT_NEXT:
        i, j = pick(s, _KINDS, 0, width, x, y)
        say_put(s, 0, x, y, i, j)
    if variant & OPENED:
        for j in range(height):
            for i in range(width):
                code = s.level.grid[j, i]
                if code & KIND == CLOSED:
                    s.level.grid[j, i] = code & COLOR | DOOR
    return True


@large_kernel
def red_ball(s):
    """One room with a red ball, or in RED_OR_BLUE one ball of two colors, and other things."""
    height, width = s.level.grid.shape
    color = RED
    if not add_agent(s, 0, 0):
        return False
    if s.params.family == RED_BALL and not add_thing(s, RED | BALL, 0, 0):
        return False
    if s.params.family == RED_BALL and s.params.variant == GREYED:
        for _ in range(s.params.things):
            if not add_thing(s, any_kind(s) | GREY, 0, 0):
                return False
    elif not add_things(s, s.params.things, 0, 0, False):
        return False
    if s.params.family == RED_OR_BLUE:
        if present(s, RED | BALL) or present(s, BLUE | BALL):
            return False
        color = RED if randint(s, 2) == 0 else BLUE
        if not add_thing(s, color | BALL, 0, 0):
            return False
    say(s, 0, GO_TO, BALL, color, 0)
    return all_reachable(s)


@large_kernel
def locked_room(s):
    """A locked room, its key in another; open its door, or go to the one thing in it."""
    height, width = s.level.grid.shape
    columns, rows = width // (s.params.size - 1), height // (s.params.size - 1)
    go = s.params.variant == GO_BEHIND
    room, color = lock_room(s)
    if room < 0:
        return False
    connect(s, room, color if not go and randint(s, 2) else ANY)
    for k in range(columns * rows):
        if k != room and not add_things(s, s.params.things, k % columns, k // columns, False):
            return False
    if not add_agent_outside(s, room % columns, room // columns) or not all_reachable(s):
        return False
    if not go:
        say(s, 0, OPEN, DOOR, color, 0)
        return True
    kind, other = any_kind(s), builder.any_color(s)
    say(s, 0, GO_TO, kind, other, 0)
    return add_thing(s, kind | other, room % columns, room // columns)


@large_kernel
def four_doors(s):
    """The middle room with four doors and some things; go to one of them, or do what else is possible with it."""
    height, width = s.level.grid.shape
    variant = s.params.variant
    if variant == ANY_LOCK and not add_agent(s, 1, 1):
        return False
    if not add_things(s, s.params.things, 1, 1, variant == ANY_VERB):
        return False
    for side in range(4):
        kind = CLOSED if variant == ANY_VERB or randint(s, 2) else LOCKED
        add_side_door(s, kind, builder.any_color(s), 1, 1, side)
    if variant == ANY_LOCK:
        if not all_reachable(s):
            return False
    elif not add_agent(s, 1, 1):
        return False
    x, y = pick(s, _DOORS | _KINDS, 0, width, 0, 0)
    verb = GO_TO
    if variant == ANY_VERB and randint(s, 2):
        verb = PICK_UP if _KINDS >> (s.level.grid[y, x] & KIND) & 1 else OPEN
    say_thing(s, 0, verb, x, y)
    return True


@kernel
def shuffle_colors(s):
    """Six colors in random order."""
    for k in range(6):
        s.colors[k] = k
    shuffle(s, s.colors, 6)


@large_kernel
def doors_to_open(s):
    """The middle room with doors of different colors, one or two of which are to be opened."""
    family, variant = s.params.family, s.params.variant
    shuffle_colors(s)
    if family == COLORED_DOORS:
        for side in range(4):
            add_side_door(s, CLOSED, s.colors[side] << 4, 1, 1, side)
        if variant == BY_COLOR or (variant == BY_EITHER and randint(s, 2)):
            say(s, 0, OPEN, DOOR, s.colors[0] << 4, 0)
        else:
            say(s, 0, OPEN, DOOR, ANY, 1 + randint(s, 4))
    elif family == TWO_DOORS:
        if variant == RED_BLUE:
            s.colors[0], s.colors[1] = RED >> 4, BLUE >> 4
        add_side_door(s, CLOSED, s.colors[0] << 4, 1, 1, WEST)
        add_side_door(s, CLOSED, s.colors[1] << 4, 1, 1, EAST)
        say(s, 0, OPEN, DOOR, s.colors[0] << 4, 0)
        say(s, 2, OPEN, DOOR, s.colors[1] << 4, 0)
        s.level.shape = THEN
    else:
        for k in range(s.params.things):
            side = randint(s, 4)
            while builder.joined(s, s.params.size, 1, 1, side):
                side = randint(s, 4)
            add_side_door(s, CLOSED, s.colors[k] << 4, 1, 1, side)
        s.level.shape = randint(s, 3)
        say(s, 0, OPEN, DOOR, s.colors[0] << 4, 0)
        if s.level.shape != SINGLE:
            say(s, 2, OPEN, DOOR, s.colors[1] << 4, 0)
    s.level.strict[0] = s.params.strict
    if family == ORDERED_DOORS and s.level.shape != SINGLE:
        s.level.strict[2] = s.params.strict
    return add_agent(s, 1, 1)


@large_kernel
def one_room(s):
    """One room with a ball, or with several things one of which is named by kind, color, or both."""
    height, width = s.level.grid.shape
    if s.params.family == ONE_BALL:
        say(s, 0, PICK_UP, BALL, ANY, 0)
        return add_thing(s, BALL | builder.any_color(s), 0, 0) and add_agent(s, 0, 0)
    if not add_things(s, s.params.things, 0, 0, True) or not add_agent(s, 0, 0):
        return False
    x, y = pick(s, _KINDS, 0, width, 0, 0)
    code, by = s.level.grid[y, x], randint(s, 3)
    say(s, 0, PICK_UP, OBJECT if by == 0 else code & KIND, ANY if by == 1 else code & COLOR, 0)
    s.level.strict[0] = s.params.strict
    return True


@large_kernel
def elsewhere(s):
    """An object to pick up in the room above the middle, or in a random room."""
    height, width = s.level.grid.shape
    above = s.params.family == ABOVE
    columns, rows = width // (s.params.size - 1), height // (s.params.size - 1)
    kind, color = any_kind(s), builder.any_color(s)
    say(s, 0, PICK_UP, kind, color if above else ANY, 0)
    if not add_thing(s, kind | color, 1 if above else randint(s, columns), 0 if above else randint(s, rows)):
        return False
    if above:
        add_side_door(s, CLOSED, builder.any_color(s), 1, 1, NORTH)
    placed = add_agent(s, 1, 1)
    connect(s, -1, ANY)
    return placed


@large_kernel
def corridor(s):
    """KeyCorridor's rooms: a ball behind a lock to the right of a corridor, the key to the left."""
    height, width = s.level.grid.shape
    size = s.params.size
    rows = height // (size - 1)
    for j in range(1, rows):
        builder.remove_wall(s, size, 1, j, NORTH)
    row, color = randint(s, rows), builder.any_color(s)
    add_side_door(s, LOCKED, color, 2, row, WEST)
    say(s, 0, PICK_UP, BALL, ANY, 0)
    if not add_thing(s, BALL | builder.any_color(s), 2, row) or not add_thing(s, color | KEY, 0, randint(s, rows)):
        return False
    placed = add_agent(s, 1, rows // 2)
    connect(s, row * 3 + 2, ANY)
    return placed


@large_kernel
def two_sides(s):
    """Things in both halves of a long room; put one, or two, next to things of the other half."""
    height, width = s.level.grid.shape
    size, things, variant = s.params.size, s.params.things, s.params.variant
    if not (add_agent(s, 0, 0) and add_things(s, things, 0, 0, True) and add_things(s, things, 1, 0, True)):
        return False
    builder.remove_wall(s, size, 0, 0, EAST)
    x, y = pick(s, _KINDS, 0, size - 1, 0, 0)
    i, j = pick(s, _KINDS, size, width, 0, 0)
    if variant == SWAP:
        say_put(s, 0, x, y, i, j)
        x, y = pick(s, _KINDS, 0, size - 1, x, y)
        i, j = pick(s, _KINDS, size, width, i, j)
        say_put(s, 2, i, j, x, y)
        s.level.shape = THEN
        return True
    if randint(s, 2):
        x, y, i, j = i, j, x, y
    say_put(s, 0, x, y, i, j)
    if variant == CARRY:
        s.level.carrying[0], s.level.carrying[1] = x, y
    return True


@large_kernel
def local_lock(s):
    """The middle room with a locked door; the key lies beside it, or is in a box."""
    color = builder.any_color(s)
    add_side_door(s, LOCKED, color, 1, 1, randint(s, 4))
    say(s, 0, OPEN, DOOR, ANY, 0)
    if s.params.family == LOCAL_LOCK:
        if not add_thing(s, color | KEY, 1, 1) or not add_things(s, s.params.things, 1, 1, True):
            return False
    else:
        if not add_thing(s, BOX | builder.any_color(s), 1, 1):
            return False
        height, width = s.level.grid.shape
        x, y = pick(s, _KINDS, 0, width, 0, 0)
        s.level.boxes[0, 0], s.level.boxes[0, 1], s.level.boxes[0, 2] = x, y, color | KEY
    return add_agent(s, 1, 1)


@large_kernel
def behind_lock(s):
    """A box behind a locked door, the key on this side; perhaps other things, or a ball right before the door."""
    blocked = s.params.family == BLOCKED_LOCK
    box, color = builder.any_color(s), builder.any_color(s)
    say(s, 0, PICK_UP, BOX, ANY if blocked else box, 0)
    if not add_thing(s, box | BOX, 1, 0):
        return False
    x, y = builder.add_door(s, LOCKED, color, s.params.size, 0, 0, EAST)
    if blocked:
        s.level.grid[y, x - 1] = BALL | builder.any_color(s)
    if not add_thing(s, color | KEY, 0, 0):
        return False
    return add_things(s, s.params.things, -1, 0, True) and add_agent(s, 0, 0)


@large_kernel
def two_locks(s):
    """Three rooms in a row; the way to the ball to the left leads through the room to the right."""
    shuffle_colors(s)
    left, right = s.colors[0] << 4, s.colors[1] << 4
    add_side_door(s, LOCKED, left, 0, 0, EAST)
    add_side_door(s, LOCKED, right, 1, 0, EAST)
    say(s, 0, PICK_UP, BALL, ANY, 0)
    if not (add_thing(s, left | KEY, 2, 0) and add_thing(s, right | KEY, 1, 0)):
        return False
    return add_thing(s, BALL | builder.any_color(s), 0, 0) and add_agent(s, 1, 0)


@kernel
def red_door(s):
    """Two rooms with a red door between."""
    add_side_door(s, CLOSED, RED, 0, 0, EAST)
    say(s, 0, OPEN, DOOR, RED, 0)
    return add_agent(s, 0, 0)


@large_kernel
def random_description(s, clause, which, first, last, room):
    """A random description of an object, of a kind of first .. last - 1 and not only in the locked room."""
    height, width = s.level.grid.shape
    size = s.params.size
    columns = width // (size - 1)
    left, top = room % columns * (size - 1), room // columns * (size - 1)
    for _ in range(101):
        color, kind, place = randint(s, 7), first + randint(s, last - first), 0
        if s.params.places and randint(s, 2):
            place = 1 + randint(s, 4)
        describe(s, clause, which, kind, ANY if color == 6 else color << 4, place)
        for y in range(height):
            for x in range(width):
                inside = left <= x < left + size and top <= y < top + size
                if fits(s, x, y, clause, which) and (room < 0 or s.params.beyond or not inside):
                    return True
    return False


@large_kernel
def random_clause(s, clause, room):
    """A random clause."""
    verb = randint(s, 4)
    while s.params.verbs >> verb & 1 == 0:
        verb = randint(s, 4)
    s.level.verbs[clause] = GO_TO + verb
    if GO_TO + verb == OPEN:
        return random_description(s, clause, 0, DOOR, KEY, room)
    if GO_TO + verb == GO_TO:
        return random_description(s, clause, 0, DOOR, BOX + 1, room)
    if not random_description(s, clause, 0, KEY, BOX + 1, room):
        return False
    return GO_TO + verb == PICK_UP or random_description(s, clause, 1, DOOR, BOX + 1, room)


@kernel
def random_mission(s, room):
    """A random mission of the allowed shapes."""
    shape = randint(s, 3)
    while s.params.shapes >> shape & 1 == 0:
        shape = randint(s, 3)
    s.level.shape = THEN + randint(s, 2) if shape == 2 else SINGLE
    for part in range(2 if shape == 2 else 1):
        count = 1 + randint(s, 2) if shape == 2 else 1 + shape
        for k in range(count):
            if not random_clause(s, 2 * part + k, room):
                return False
    return True


@large_kernel
def grammar(s):
    """Things in random rooms, perhaps a locked room, and any mission."""
    height, width = s.level.grid.shape
    columns, room = width // (s.params.size - 1), -1
    if bernoulli(s, s.params.locked):
        room, _ = lock_room(s)
        if room < 0:
            return False
    connect(s, room, ANY)
    if not add_things(s, s.params.things, -1, 0, False):
        return False
    if not (add_agent(s, -1, 0) if room < 0 else add_agent_outside(s, room % columns, room // columns)):
        return False
    return (s.params.spared or all_reachable(s)) and random_mission(s, room)


@kernel
def blank(s):
    """Rooms without doors and things, and no mission."""
    builder.room_grid(s, s.params.size)
    s.level.shape = SINGLE
    for k in range(4):
        s.level.verbs[k] = NO_VERB
        s.level.strict[k] = 0
        for which in range(2):
            describe(s, k, which, 0, ANY, 0)
    for k in range(2):
        s.level.carrying[k] = 0
    for k in range(MOST_BOXES):
        for i in range(3):
            s.level.boxes[k, i] = 0


@large_kernel
def attempt(s):
    """One level of the family, or False where it is not one."""
    family = s.params.family
    if family == SCATTERED:
        return scattered(s)
    if family == GRAMMAR:
        return grammar(s)
    if family == RED_BALL or family == RED_OR_BLUE:
        return red_ball(s)
    if family == LOCKED_ROOM:
        return locked_room(s)
    if family == FOUR_DOORS:
        return four_doors(s)
    if family == COLORED_DOORS or family == TWO_DOORS or family == ORDERED_DOORS:
        return doors_to_open(s)
    if family == ONE_OF_SOME or family == ONE_BALL:
        return one_room(s)
    if family == ABOVE or family == HIDDEN:
        return elsewhere(s)
    if family == CORRIDOR:
        return corridor(s)
    if family == TWO_SIDES:
        return two_sides(s)
    if family == LOCAL_LOCK or family == BOXED_KEY:
        return local_lock(s)
    if family == BEHIND_LOCK or family == BLOCKED_LOCK:
        return behind_lock(s)
    if family == TWO_LOCKS:
        return two_locks(s)
    return red_door(s)


@large_kernel
def make(s):
    """A level of the family of `s.params`."""
    while True:
        blank(s)
        if attempt(s) and sound(s):
            break
