"""How each family of Instruct's levels is made."""

from __future__ import annotations

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.gridworlds.instruct import levels, parts
from envsuite.gridworlds.instruct.language import ANY, GO_TO, NO_VERB, OBJECT, OPEN, PICK_UP, PUT_NEXT, SINGLE, THEN
from envsuite.kit import builder
from envsuite.kit.grid import EAST, NORTH, WEST
from envsuite.kit.rooms import BALL, BLUE, BOX, CLOSED, COLOR, DOOR, GREY, KEY, KIND, LOCKED, RED


@large_kernel
def scattered(s):
    """Things in random rooms with closed doors between; one verb about one, or two, of the things or doors."""
    height, width = s.level.grid.shape
    variant, verb = s.params.variant, s.params.verb
    if not parts.add_agent(s, -1, 0):
        return False
    parts.connect(s, -1, ANY)
    if not parts.add_things(s, s.params.things, -1, 0, variant & levels.UNIQUE != 0):
        return False
    if variant & (levels.REACHABLE | levels.OBSTRUCTED) and parts.all_reachable(s) != (variant & levels.REACHABLE != 0):
        return False
    x, y = parts.pick(s, parts.DOORS if verb == OPEN else parts.THINGS, 0, width, 0, 0)
    parts.say_thing(s, 0, verb, x, y)
    if verb == PUT_NEXT:
        i, j = parts.pick(s, parts.THINGS, 0, width, x, y)
        parts.say_put(s, 0, x, y, i, j)
    if variant & levels.OPENED:
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
    if not parts.add_agent(s, 0, 0):
        return False
    if s.params.family == levels.RED_BALL and not parts.add_thing(s, RED | BALL, 0, 0):
        return False
    if s.params.family == levels.RED_BALL and s.params.variant == levels.GREYED:
        for _ in range(s.params.things):
            if not parts.add_thing(s, parts.any_kind(s) | GREY, 0, 0):
                return False
    elif not parts.add_things(s, s.params.things, 0, 0, False):
        return False
    if s.params.family == levels.RED_OR_BLUE:
        if parts.present(s, RED | BALL) or parts.present(s, BLUE | BALL):
            return False
        color = RED if randint(s, 2) == 0 else BLUE
        if not parts.add_thing(s, color | BALL, 0, 0):
            return False
    parts.say(s, 0, GO_TO, BALL, color, 0)
    return parts.all_reachable(s)


@large_kernel
def locked_room(s):
    """A locked room, its key in another; open its door, or go to the one thing in it."""
    height, width = s.level.grid.shape
    columns, rows = width // (s.params.size - 1), height // (s.params.size - 1)
    go = s.params.variant == levels.GO_BEHIND
    room, color = parts.lock_room(s)
    if room < 0:
        return False
    parts.connect(s, room, color if not go and randint(s, 2) else ANY)
    for k in range(columns * rows):
        if k != room and not parts.add_things(s, s.params.things, k % columns, k // columns, False):
            return False
    if not parts.add_agent_outside(s, room % columns, room // columns) or not parts.all_reachable(s):
        return False
    if not go:
        parts.say(s, 0, OPEN, DOOR, color, 0)
        return True
    kind, other = parts.any_kind(s), builder.any_color(s)
    parts.say(s, 0, GO_TO, kind, other, 0)
    return parts.add_thing(s, kind | other, room % columns, room // columns)


@large_kernel
def four_doors(s):
    """The middle room with four doors and some things; go to one of them, or do what else is possible with it."""
    height, width = s.level.grid.shape
    variant = s.params.variant
    if variant == levels.ANY_LOCK and not parts.add_agent(s, 1, 1):
        return False
    if not parts.add_things(s, s.params.things, 1, 1, variant == levels.ANY_VERB):
        return False
    for side in range(4):
        kind = CLOSED if variant == levels.ANY_VERB or randint(s, 2) else LOCKED
        parts.add_side_door(s, kind, builder.any_color(s), 1, 1, side)
    if variant == levels.ANY_LOCK:
        if not parts.all_reachable(s):
            return False
    elif not parts.add_agent(s, 1, 1):
        return False
    x, y = parts.pick(s, parts.DOORS | parts.THINGS, 0, width, 0, 0)
    verb = GO_TO
    if variant == levels.ANY_VERB and randint(s, 2):
        verb = PICK_UP if parts.THINGS >> (s.level.grid[y, x] & KIND) & 1 else OPEN
    parts.say_thing(s, 0, verb, x, y)
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
    if family == levels.COLORED_DOORS:
        for side in range(4):
            parts.add_side_door(s, CLOSED, s.colors[side] << 4, 1, 1, side)
        if variant == levels.BY_COLOR or (variant == levels.BY_EITHER and randint(s, 2)):
            parts.say(s, 0, OPEN, DOOR, s.colors[0] << 4, 0)
        else:
            parts.say(s, 0, OPEN, DOOR, ANY, 1 + randint(s, 4))
    elif family == levels.TWO_DOORS:
        if variant == levels.RED_BLUE:
            s.colors[0], s.colors[1] = RED >> 4, BLUE >> 4
        parts.add_side_door(s, CLOSED, s.colors[0] << 4, 1, 1, WEST)
        parts.add_side_door(s, CLOSED, s.colors[1] << 4, 1, 1, EAST)
        parts.say(s, 0, OPEN, DOOR, s.colors[0] << 4, 0)
        parts.say(s, 2, OPEN, DOOR, s.colors[1] << 4, 0)
        s.level.shape = THEN
    else:
        for k in range(s.params.things):
            side = randint(s, 4)
            while builder.joined(s, s.params.size, 1, 1, side):
                side = randint(s, 4)
            parts.add_side_door(s, CLOSED, s.colors[k] << 4, 1, 1, side)
        s.level.shape = randint(s, 3)
        parts.say(s, 0, OPEN, DOOR, s.colors[0] << 4, 0)
        if s.level.shape != SINGLE:
            parts.say(s, 2, OPEN, DOOR, s.colors[1] << 4, 0)
    s.level.strict[0] = s.params.strict
    if family == levels.ORDERED_DOORS and s.level.shape != SINGLE:
        s.level.strict[2] = s.params.strict
    return parts.add_agent(s, 1, 1)


@large_kernel
def one_room(s):
    """One room with a ball, or with several things one of which is named by kind, color, or both."""
    height, width = s.level.grid.shape
    if s.params.family == levels.ONE_BALL:
        parts.say(s, 0, PICK_UP, BALL, ANY, 0)
        return parts.add_thing(s, BALL | builder.any_color(s), 0, 0) and parts.add_agent(s, 0, 0)
    if not parts.add_things(s, s.params.things, 0, 0, True) or not parts.add_agent(s, 0, 0):
        return False
    x, y = parts.pick(s, parts.THINGS, 0, width, 0, 0)
    code, by = s.level.grid[y, x], randint(s, 3)
    parts.say(s, 0, PICK_UP, OBJECT if by == 0 else code & KIND, ANY if by == 1 else code & COLOR, 0)
    s.level.strict[0] = s.params.strict
    return True


@large_kernel
def elsewhere(s):
    """An object to pick up in the room above the middle, or in a random room."""
    height, width = s.level.grid.shape
    above = s.params.family == levels.ABOVE
    columns, rows = width // (s.params.size - 1), height // (s.params.size - 1)
    kind, color = parts.any_kind(s), builder.any_color(s)
    parts.say(s, 0, PICK_UP, kind, color if above else ANY, 0)
    if not parts.add_thing(s, kind | color, 1 if above else randint(s, columns), 0 if above else randint(s, rows)):
        return False
    if above:
        parts.add_side_door(s, CLOSED, builder.any_color(s), 1, 1, NORTH)
    placed = parts.add_agent(s, 1, 1)
    parts.connect(s, -1, ANY)
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
    parts.add_side_door(s, LOCKED, color, 2, row, WEST)
    parts.say(s, 0, PICK_UP, BALL, ANY, 0)
    if not parts.add_thing(s, BALL | builder.any_color(s), 2, row) or not parts.add_thing(
        s, color | KEY, 0, randint(s, rows)
    ):
        return False
    placed = parts.add_agent(s, 1, rows // 2)
    parts.connect(s, row * 3 + 2, ANY)
    return placed


@large_kernel
def two_sides(s):
    """Things in both halves of a long room; put one, or two, next to things of the other half."""
    height, width = s.level.grid.shape
    size, things, variant = s.params.size, s.params.things, s.params.variant
    if not (
        parts.add_agent(s, 0, 0) and parts.add_things(s, things, 0, 0, True) and parts.add_things(s, things, 1, 0, True)
    ):
        return False
    builder.remove_wall(s, size, 0, 0, EAST)
    x, y = parts.pick(s, parts.THINGS, 0, size - 1, 0, 0)
    i, j = parts.pick(s, parts.THINGS, size, width, 0, 0)
    if variant == levels.SWAP:
        parts.say_put(s, 0, x, y, i, j)
        x, y = parts.pick(s, parts.THINGS, 0, size - 1, x, y)
        i, j = parts.pick(s, parts.THINGS, size, width, i, j)
        parts.say_put(s, 2, i, j, x, y)
        s.level.shape = THEN
        return True
    if randint(s, 2):
        x, y, i, j = i, j, x, y
    parts.say_put(s, 0, x, y, i, j)
    if variant == levels.CARRY:
        s.level.carrying[0], s.level.carrying[1] = x, y
    return True


@large_kernel
def local_lock(s):
    """The middle room with a locked door; the key lies beside it, or is in a box."""
    color = builder.any_color(s)
    parts.add_side_door(s, LOCKED, color, 1, 1, randint(s, 4))
    parts.say(s, 0, OPEN, DOOR, ANY, 0)
    if s.params.family == levels.LOCAL_LOCK:
        if not parts.add_thing(s, color | KEY, 1, 1) or not parts.add_things(s, s.params.things, 1, 1, True):
            return False
    else:
        if not parts.add_thing(s, BOX | builder.any_color(s), 1, 1):
            return False
        height, width = s.level.grid.shape
        x, y = parts.pick(s, parts.THINGS, 0, width, 0, 0)
        s.level.boxes[0, 0], s.level.boxes[0, 1], s.level.boxes[0, 2] = x, y, color | KEY
    return parts.add_agent(s, 1, 1)


@large_kernel
def behind_lock(s):
    """A box behind a locked door, the key on this side; perhaps other things, or a ball right before the door."""
    blocked = s.params.family == levels.BLOCKED_LOCK
    box, color = builder.any_color(s), builder.any_color(s)
    parts.say(s, 0, PICK_UP, BOX, ANY if blocked else box, 0)
    if not parts.add_thing(s, box | BOX, 1, 0):
        return False
    x, y = builder.add_door(s, LOCKED, color, s.params.size, 0, 0, EAST)
    if blocked:
        s.level.grid[y, x - 1] = BALL | builder.any_color(s)
    if not parts.add_thing(s, color | KEY, 0, 0):
        return False
    return parts.add_things(s, s.params.things, -1, 0, True) and parts.add_agent(s, 0, 0)


@large_kernel
def two_locks(s):
    """Three rooms in a row; the way to the ball to the left leads through the room to the right."""
    shuffle_colors(s)
    left, right = s.colors[0] << 4, s.colors[1] << 4
    parts.add_side_door(s, LOCKED, left, 0, 0, EAST)
    parts.add_side_door(s, LOCKED, right, 1, 0, EAST)
    parts.say(s, 0, PICK_UP, BALL, ANY, 0)
    if not (parts.add_thing(s, left | KEY, 2, 0) and parts.add_thing(s, right | KEY, 1, 0)):
        return False
    return parts.add_thing(s, BALL | builder.any_color(s), 0, 0) and parts.add_agent(s, 1, 0)


@kernel
def red_door(s):
    """Two rooms with a red door between."""
    parts.add_side_door(s, CLOSED, RED, 0, 0, EAST)
    parts.say(s, 0, OPEN, DOOR, RED, 0)
    return parts.add_agent(s, 0, 0)


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
        parts.describe(s, clause, which, kind, ANY if color == 6 else color << 4, place)
        for y in range(height):
            for x in range(width):
                inside = left <= x < left + size and top <= y < top + size
                if parts.fits(s, x, y, clause, which) and (room < 0 or s.params.beyond or not inside):
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
        room, _ = parts.lock_room(s)
        if room < 0:
            return False
    parts.connect(s, room, ANY)
    if not parts.add_things(s, s.params.things, -1, 0, False):
        return False
    if not (parts.add_agent(s, -1, 0) if room < 0 else parts.add_agent_outside(s, room % columns, room // columns)):
        return False
    return (s.params.spared or parts.all_reachable(s)) and random_mission(s, room)


@kernel
def blank(s):
    """Rooms without doors and things, and no mission."""
    builder.room_grid(s, s.params.size)
    s.level.shape = SINGLE
    for k in range(4):
        s.level.verbs[k] = NO_VERB
        s.level.strict[k] = 0
        for which in range(2):
            parts.describe(s, k, which, 0, ANY, 0)
    for k in range(2):
        s.level.carrying[k] = 0
    for k in range(levels.MOST_BOXES):
        for i in range(3):
            s.level.boxes[k, i] = 0


@large_kernel
def attempt(s):
    """One level of the family, or False where it is not one."""
    family = s.params.family
    if family == levels.SCATTERED:
        return scattered(s)
    if family == levels.GRAMMAR:
        return grammar(s)
    if family == levels.RED_BALL or family == levels.RED_OR_BLUE:
        return red_ball(s)
    if family == levels.LOCKED_ROOM:
        return locked_room(s)
    if family == levels.FOUR_DOORS:
        return four_doors(s)
    if family == levels.COLORED_DOORS or family == levels.TWO_DOORS or family == levels.ORDERED_DOORS:
        return doors_to_open(s)
    if family == levels.ONE_OF_SOME or family == levels.ONE_BALL:
        return one_room(s)
    if family == levels.ABOVE or family == levels.HIDDEN:
        return elsewhere(s)
    if family == levels.CORRIDOR:
        return corridor(s)
    if family == levels.TWO_SIDES:
        return two_sides(s)
    if family == levels.LOCAL_LOCK or family == levels.BOXED_KEY:
        return local_lock(s)
    if family == levels.BEHIND_LOCK or family == levels.BLOCKED_LOCK:
        return behind_lock(s)
    if family == levels.TWO_LOCKS:
        return two_locks(s)
    return red_door(s)


@large_kernel
def make(s):
    """A level of the family of `s.params`."""
    while True:
        blank(s)
        if attempt(s) and parts.sound(s):
            break
