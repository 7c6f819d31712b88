"""What all text quests are drawn from: rooms along a random walk, doors, things in them, and the level's goals."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.games.text_quest import terms
from envsuite.kit.things import GONE, HELD, LOCKED, MOST, OPEN, ROOM, clear_things

#: The number of drawings of a level, until one is as long as wanted.
TRIES = 60

# What later commands of a plan need of a thing: that it is carried, that it is open, that it is closed with its lock
# open; or nothing more, since an earlier command has unlocked it or taken it.
FREE, CARRY, STAND_OPEN, UNLOCKED, DONE = range(5)

DX, DY = np.array([0, 1, 0, -1]), np.array([-1, 0, 1, 0])


@large_kernel
def forget(s):
    """Start over with an empty level."""
    level = s.level
    clear_things(level)
    level.quests = 0
    level.kitchen = terms.KITCHEN
    for k in range(MOST):
        level.opens[k] = -1
        s.scratch.need[k] = FREE
    for k in range(terms.QUESTS):
        level.optional[k] = 0
    for k in range(terms.FACTS):
        for part in range(4):
            level.facts[k, part] = 0
    for k in range(terms.FAILS):
        for part in range(4):
            level.fails[k, part] = 0
    for k in range(terms.INGREDIENTS):
        level.recipe[k, 0] = -1
        level.recipe[k, 1] = 0
        level.recipe[k, 2] = 0
    for k in range(terms.PLAN):
        level.plan[k] = -1
    for room in range(len(terms.ROOMS)):
        s.scratch.visited[room] = 0


# Maps.


@kernel
def opposite(side):
    """The side across."""
    return (side + 2) & 3


@kernel
def find_cell(s, count, x, y):
    """Which of the first rooms lies in a cell of the map, -1 for none."""
    for k in range(count):
        if s.scratch.x[k] == x and s.scratch.y[k] == y:
            return k
    return -1


@kernel
def connect(s, one, side, other):
    """Make an exit from a room to another one, and back; rooms by their places in the order."""
    a, b = np.int64(s.scratch.order[one]), np.int64(s.scratch.order[other])
    s.level.exits[a, side] = b
    s.level.exits[b, opposite(side)] = a


@large_kernel
def mix_rooms(s, kitchen):
    """A random order of the rooms; with `kitchen`, the kitchen comes first."""
    for k in range(len(terms.ROOMS)):
        s.scratch.order[k] = k
    shuffle(s, s.scratch.order, len(terms.ROOMS))
    if kitchen:
        for k in range(len(terms.ROOMS)):
            if s.scratch.order[k] == terms.KITCHEN:
                s.scratch.order[k] = s.scratch.order[0]
        s.scratch.order[0] = terms.KITCHEN


@kernel
def place_room(s, k, x, y):
    """Put room k of the order into a cell of the map."""
    s.scratch.x[k] = x
    s.scratch.y[k] = y


@large_kernel
def wander(s, count):
    """Lay out rooms along a random walk; some steps to a room that is there already open an exit to it."""
    place_room(s, 0, 0, 0)
    rooms, here = 1, 0
    while rooms < count:
        side = randint(s, 4)
        x, y = s.scratch.x[here] + DX[side], s.scratch.y[here] + DY[side]
        found = find_cell(s, rooms, x, y)
        if found < 0:
            found = rooms
            place_room(s, found, x, y)
            rooms += 1
            connect(s, here, side, found)
        elif bernoulli(s, 0.2):
            connect(s, here, side, found)
        here = found


@kernel
def free_side(s, count, k):
    """A random side of a room whose cell is free, -1 for none."""
    chosen, seen = -1, 0
    for side in range(4):
        if find_cell(s, count, s.scratch.x[k] + DX[side], s.scratch.y[k] + DY[side]) < 0:
            seen += 1
            if randint(s, seen) == 0:
                chosen = side
    return chosen


@kernel
def extend(s, count, k):
    """Add a room on a free side of room k; whether there was one."""
    side = free_side(s, count, k)
    if side < 0:
        return False
    place_room(s, count, s.scratch.x[k] + DX[side], s.scratch.y[k] + DY[side])
    connect(s, k, side, count)
    return True


@large_kernel
def chain_rooms(s, length, count):
    """A chain of rooms, and other rooms that branch off it."""
    rooms = 0
    while rooms < length:  # again after a walk into a corner
        for room in range(len(terms.ROOMS)):
            for side in range(4):
                s.level.exits[room, side] = -1
        place_room(s, 0, 0, 0)
        rooms = 1
        while rooms < length and extend(s, rooms, rooms - 1):
            rooms += 1
    while rooms < count:
        if extend(s, rooms, randint(s, rooms)):
            rooms += 1


@large_kernel
def hang_doors(s, count, closed):
    """Doors in half of the exits, while there are any; open, or closed."""
    for k in range(terms.DOORS):
        s.scratch.items[k] = terms.FIRST_DOOR + k
    shuffle(s, s.scratch.items, terms.DOORS)
    doors = 0
    for k in range(count):
        room = np.int64(s.scratch.order[k])
        for side in range(1, 3):
            other = np.int64(s.level.exits[room, side])
            if other >= 0 and doors < terms.DOORS and bernoulli(s, 0.5):
                door = s.scratch.items[doors]
                doors += 1
                s.level.doors[room, side] = door
                s.level.doors[other, opposite(side)] = door
                s.level.states[door] = 0 if closed else OPEN


# Things.


@large_kernel
def fresh(s, first, count):
    """A random thing of a kind that is not in the game yet, -1 if there is none."""
    chosen, seen = -1, 0
    for thing in range(first, first + count):
        if s.level.places[thing] == GONE:
            seen += 1
            if randint(s, seen) == 0:
                chosen = thing
    return chosen


@large_kernel
def furnish(s, count, amount):
    """Put containers, which are open, and supporters into random rooms."""
    for _ in range(amount):
        thing = (
            fresh(s, terms.FIRST_CONTAINER, terms.CONTAINERS)
            if bernoulli(s, 0.4)
            else fresh(s, terms.FIRST_SUPPORTER, terms.SUPPORTERS)
        )
        if thing >= 0:
            s.level.places[thing] = ROOM + s.scratch.order[randint(s, count)]
            if thing < terms.FIRST_SUPPORTER:
                s.level.states[thing] = OPEN


@large_kernel
def spot_in(s, room):
    """A random place in a room: its floor, a supporter, or a container that is open now."""
    chosen, seen = ROOM + room, 1
    for thing in range(terms.FIRST_CONTAINER, terms.FIRST_KEY):
        if s.level.places[thing] == ROOM + room and (thing >= terms.FIRST_SUPPORTER or s.level.states[thing] & OPEN):
            seen += 2
            if randint(s, seen) < 2:
                chosen = thing
    return chosen


@large_kernel
def any_spot(s, count):
    """A random place anywhere: carried, on a floor, or a piece of furniture, also one that is closed."""
    if bernoulli(s, 0.1):
        return HELD
    chosen, seen = ROOM + s.scratch.order[randint(s, count)], 1
    for thing in range(terms.FIRST_CONTAINER, terms.FIRST_KEY):
        if s.level.places[thing] != GONE:
            seen += 1
            if randint(s, seen) == 0:
                chosen = thing
    return np.int64(chosen)


@large_kernel
def scatter(s, count, amount):
    """Things that nobody needs."""
    for _ in range(amount):
        thing = (
            fresh(s, terms.FIRST_OBJECT, terms.OBJECTS)
            if bernoulli(s, 0.7)
            else fresh(s, terms.FIRST_FOOD, terms.FOODS)
        )
        if thing >= 0:
            s.level.places[thing] = any_spot(s, count)


@large_kernel
def close_others(s, count, locks):
    """Close or lock some of the doors and containers that the plan does not need, and scatter some of the keys."""
    for thing in range(terms.FIRST_SUPPORTER):
        if s.level.states[thing] & OPEN == 0 or s.scratch.need[thing] != FREE:
            continue
        drawn = randint(s, 4)
        if drawn == 0:
            s.level.states[thing] = 0
        elif drawn == 1:
            s.level.states[thing] = LOCKED if locks else 0
            key = fresh(s, terms.FIRST_KEY, terms.KEYS)
            if locks and key >= 0 and bernoulli(s, 0.5):
                s.level.opens[key] = thing
                s.level.places[key] = any_spot(s, count)


# Goals.


@large_kernel
def add_row(rows, quest, kind, one, other):
    """Add a fact to a quest, or one that ends the episode while the quest is open: to the first free row."""
    for k in range(rows.shape[0]):
        if rows[k, 1] == terms.NO_FACT:
            rows[k, 0] = quest
            rows[k, 1] = kind
            rows[k, 2] = one
            rows[k, 3] = other
            return


@large_kernel
def add_quest(s, kind, one, other):
    """A new quest with one fact; its number."""
    quest = np.int64(s.level.quests)
    add_row(s.level.facts, quest, kind, one, other)
    s.level.quests += 1
    return quest


@large_kernel
def note(s, k, action):
    """Write a command of the plan."""
    if k < terms.PLAN:
        s.level.plan[k] = action
