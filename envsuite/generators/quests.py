"""Text quests: rooms with things in them, and what must be done there.

| `task` | what must be done |
|---|---|
| `quest` | a chain of `quest_length` commands, drawn backwards from its end |
| `coin` | take the coin at the end of a chain of `quest_length` rooms |
| `treasure` | find and take one of two things; taking the other one loses |
| `cooking` | read a recipe, prepare its `ingredients` and eat the meal |

The rooms lie along a random walk. A quest is drawn backwards: its last command is drawn first, and then commands that
make the later ones possible, such as taking a key, until there are `quest_length`. All levels have a solution, which is
their plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.core.ranges import among, below, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.generators.quest_terms import (
    BURNED,
    COIN,
    COIN_TASK,
    COMMANDS,
    CONTAINERS,
    COOKBOOK,
    COOKED_STATES,
    COOKING,
    COOKS,
    CUT_STATES,
    DOORS,
    EATEN,
    EATS,
    EXAMINES,
    FACTS,
    FAILS,
    FIRST_CONTAINER,
    FIRST_DOOR,
    FIRST_FOOD,
    FIRST_KEY,
    FIRST_OBJECT,
    FIRST_SUPPORTER,
    FOODS,
    FRESH,
    FRIDGE,
    GOES,
    INGREDIENTS,
    INSERTS,
    IS,
    IS_NOT,
    KEYS,
    KITCHEN,
    KNIFE,
    MEAL,
    NEEDS,
    NO_FACT,
    OBJECTS,
    OBSTACLES,
    OPENS,
    PLACED,
    PLAN,
    PREPARES,
    PUTS,
    QUEST,
    QUESTS,
    ROOMS,
    SLICES,
    SUPPORTERS,
    TABLE,
    TAKES,
    TASKS,
    THE_GRILL,
    THE_OVEN,
    THE_STOVE,
    UNCUT,
    UNLOCKS,
)
from envsuite.kit.things import GONE, HELD, LOCKED, MOST, OPEN, ROOM, STATES, clear_things, fields

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Task = Literal["quest", "coin", "treasure", "cooking"]
Obstacles = Literal["none", "closed", "locked"]
Preparation = Literal["none", "cut", "cook", "both"]
PREPARATIONS = ("none", "cut", "cook", "both")

#: The numbers of the commands, by verb and things.
GO, EXAMINE, TAKE, OPEN_IT, EAT = (COMMANDS.numbers(verb) for verb in (GOES, EXAMINES, TAKES, OPENS, EATS))
PUT, INSERT, UNLOCK, COOK = (COMMANDS.numbers(verb) for verb in (PUTS, INSERTS, UNLOCKS, COOKS))
#: The commands that cut each food, by the way; 0 for none.
CUT = np.stack([np.zeros(MOST, np.int16), *(COMMANDS.numbers(SLICES + k)[:, KNIFE] for k in range(3))])
PREPARE = int(np.flatnonzero(TABLE[:, 0] == PREPARES)[0])

#: What cooks in each way: the stove fries, the oven roasts, the grill grills.
HEATS_BY = np.array([0, THE_STOVE, THE_OVEN, THE_GRILL], np.int64)

#: The number of drawings of a quest, until one is as long as wanted.
TRIES = 60

# What later commands of a chain need of a thing: that it is carried, that it is open, that it is closed with its lock
# open; or nothing more, since an earlier command has unlocked it or taken it.
FREE, CARRY, STAND_OPEN, UNLOCKED, DONE = range(5)

DX, DY = np.array([0, 1, 0, -1]), np.array([-1, 0, 1, 0])

#: The last kinds of command of a quest.
ENDINGS = 6
END_TAKE, END_PUT, END_INSERT, END_EAT, END_OPEN, END_UNLOCK = range(ENDINGS)


def level_fields() -> list[tuple]:
    """The fields of `s.level`."""
    rooms, states = len(ROOMS), (1 << STATES) - 1
    code = max(ROOM + rooms - 1, states)
    return [
        *fields(rooms),
        ("task", below(np.int64, len(TASKS))),
        ("opens", within(np.int8, -1, MOST - 1), (MOST,)),  # what each key opens, -1 for nothing
        ("quests", within(np.int64, 1, QUESTS)),  # number of quests; the last one is the goal that is told
        ("optional", below(np.uint8, 2), (QUESTS,)),  # whether a quest is only a step towards the goal
        # Facts of quests: the quest, the kind of fact, a thing or room, and a place or states.
        ("facts", within(np.int32, 0, [QUESTS - 1, IS_NOT, MOST - 1, code]), (FACTS, 4)),
        # Facts that end an episode while this quest is open; quest -1 is always open.
        ("fails", within(np.int32, [-1, 0, 0, 0], [QUESTS - 1, IS_NOT, MOST - 1, code]), (FAILS, 4)),
        ("recipe", within(np.int8, [-1, 0, 0], [MOST - 1, 3, 3]), (INGREDIENTS, 3)),  # food, way to cook, way to cut
        ("kitchen", below(np.int64, rooms)),  # where meals are prepared
        ("plan", within(np.int16, -1, len(TABLE) - 1), (PLAN,)),  # commands that solve it, then -1
    ]


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
    for k in range(len(ROOMS)):
        s.scratch.order[k] = k
    shuffle(s, s.scratch.order, len(ROOMS))
    if kitchen:
        for k in range(len(ROOMS)):
            if s.scratch.order[k] == KITCHEN:
                s.scratch.order[k] = s.scratch.order[0]
        s.scratch.order[0] = KITCHEN


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
        for room in range(len(ROOMS)):
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
    for k in range(DOORS):
        s.scratch.items[k] = FIRST_DOOR + k
    shuffle(s, s.scratch.items, DOORS)
    doors = 0
    for k in range(count):
        room = np.int64(s.scratch.order[k])
        for side in range(1, 3):
            other = np.int64(s.level.exits[room, side])
            if other >= 0 and doors < DOORS and bernoulli(s, 0.5):
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
        thing = fresh(s, FIRST_CONTAINER, CONTAINERS) if bernoulli(s, 0.4) else fresh(s, FIRST_SUPPORTER, SUPPORTERS)
        if thing >= 0:
            s.level.places[thing] = ROOM + s.scratch.order[randint(s, count)]
            if thing < FIRST_SUPPORTER:
                s.level.states[thing] = OPEN


@large_kernel
def spot_in(s, room):
    """A random place in a room: its floor, a supporter, or a container that is open now."""
    chosen, seen = ROOM + room, 1
    for thing in range(FIRST_CONTAINER, FIRST_KEY):
        if s.level.places[thing] == ROOM + room and (thing >= FIRST_SUPPORTER or s.level.states[thing] & OPEN):
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
    for thing in range(FIRST_CONTAINER, FIRST_KEY):
        if s.level.places[thing] != GONE:
            seen += 1
            if randint(s, seen) == 0:
                chosen = thing
    return np.int64(chosen)


@large_kernel
def scatter(s, count, amount):
    """Things that nobody needs."""
    for _ in range(amount):
        thing = fresh(s, FIRST_OBJECT, OBJECTS) if bernoulli(s, 0.7) else fresh(s, FIRST_FOOD, FOODS)
        if thing >= 0:
            s.level.places[thing] = any_spot(s, count)


@large_kernel
def close_others(s, count, locks):
    """Close or lock some of the doors and containers that the plan does not need, and scatter some of the keys."""
    for thing in range(FIRST_SUPPORTER):
        if s.level.states[thing] & OPEN == 0 or s.scratch.need[thing] != FREE:
            continue
        drawn = randint(s, 4)
        if drawn == 0:
            s.level.states[thing] = 0
        elif drawn == 1:
            s.level.states[thing] = LOCKED if locks else 0
            key = fresh(s, FIRST_KEY, KEYS)
            if locks and key >= 0 and bernoulli(s, 0.5):
                s.level.opens[key] = thing
                s.level.places[key] = any_spot(s, count)


# Goals.


@large_kernel
def add_row(rows, quest, kind, one, other):
    """Add a fact to a quest, or one that ends the episode while the quest is open: to the first free row."""
    for k in range(rows.shape[0]):
        if rows[k, 1] == NO_FACT:
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
    if k < PLAN:
        s.level.plan[k] = action


# Quests, backwards.


@large_kernel
def draw_ending(s, ending, last):
    """The last command of a quest in the agent's room, and its goal; False if it is not possible there."""
    level, room = s.level, np.int64(s.level.room)
    if ending == END_TAKE or ending == END_EAT or ending == END_PUT or ending == END_INSERT:
        place = spot_in(s, room)
        if ending == END_PUT and not FIRST_SUPPORTER <= place < FIRST_KEY:
            return False
        if ending == END_INSERT and not FIRST_CONTAINER <= place < FIRST_SUPPORTER:
            return False
        food = ending == END_EAT or bernoulli(s, 0.2)
        item = fresh(s, FIRST_FOOD, FOODS) if food else fresh(s, FIRST_OBJECT, OBJECTS)
        level.places[item] = HELD
        s.scratch.need[item] = CARRY
        if ending == END_EAT:
            note(s, last, EAT[item])
            add_quest(s, IS, item, EATEN)
            return True
        if ending == END_TAKE:
            note(s, last, TAKE[item])
            add_quest(s, PLACED, item, HELD)
            level.places[item] = place
            s.scratch.need[item] = DONE
        else:
            note(s, last, PUT[item, place] if ending == END_PUT else INSERT[item, place])
            add_quest(s, PLACED, item, place)
        if place < FIRST_SUPPORTER:
            s.scratch.need[place] = STAND_OPEN
        return True
    thing = lid_in(s, room)
    if thing < 0:
        return False
    level.states[thing] = 0
    s.scratch.need[thing] = UNLOCKED
    if ending == END_OPEN:
        note(s, last, OPEN_IT[thing])
        add_quest(s, IS, thing, OPEN)
    else:
        add_quest(s, IS_NOT, thing, LOCKED)
        lock(s, thing, last)
    return True


@kernel
def lid_in(s, room):
    """A random door or container of a room that nothing needs so far, -1 for none."""
    chosen, seen = -1, 0
    for thing in range(FIRST_SUPPORTER):
        if s.scratch.need[thing] == FREE and s.level.states[thing] & OPEN and near(s, thing, room):
            seen += 1
            if randint(s, seen) == 0:
                chosen = thing
    return chosen


@kernel
def near(s, thing, room):
    """Whether a door or container is in a room."""
    found = s.level.places[thing] == ROOM + room
    for side in range(4):
        found = found or s.level.doors[room, side] == thing
    return found


@large_kernel
def lock(s, thing, k):
    """Lock a thing that command k unlocks with a new key, which is carried then."""
    key = fresh(s, FIRST_KEY, KEYS)
    s.level.opens[key] = thing
    s.level.places[key] = HELD
    s.level.states[thing] = LOCKED
    s.scratch.need[key] = CARRY
    s.scratch.need[thing] = DONE
    note(s, k, UNLOCK[thing, key])


@kernel
def passable(s, room, side):
    """Whether there is an exit whose door, if it has one, is open now."""
    door = np.int64(s.level.doors[room, side])
    return s.level.exits[room, side] >= 0 and (door < 0 or s.level.states[door] & OPEN != 0)


@large_kernel
def draw_before(s, k, takes, opens, locks):
    """Draw command k, which comes before the later ones and makes one of them possible; False if there is none."""
    level, room = s.level, np.int64(s.level.room)
    kind, one, weight = -1, -1, 0
    for side in range(4):
        if passable(s, room, side) and s.scratch.visited[level.exits[room, side]] == 0:
            weight += 1
            if randint(s, weight) == 0:
                kind, one = GOES, side
    spare_key = fresh(s, FIRST_KEY, KEYS) >= 0
    for thing in range(MOST):
        need, verb = s.scratch.need[thing], -1
        if need == CARRY and takes:
            verb = TAKES
        elif need == STAND_OPEN and opens and near(s, thing, room):
            verb = OPENS
        elif need == UNLOCKED and locks and spare_key and near(s, thing, room):
            verb = UNLOCKS
        if verb >= 0:
            weight += 4
            if randint(s, weight) < 4:
                kind, one = verb, thing
    if kind < 0:
        return False
    if kind == GOES:
        door = np.int64(level.doors[room, one])
        if door >= 0:
            s.scratch.need[door] = STAND_OPEN
        note(s, k, GO[opposite(one)])
        level.room = level.exits[room, one]
        s.scratch.visited[level.room] = 1
        return True
    for other in range(len(ROOMS)):
        s.scratch.visited[other] = other == room
    if kind == TAKES:
        place = spot_in(s, room)
        if level.facts[0, 2] == one and level.facts[0, 3] == place:  # the goal is not fulfilled from the start
            place = ROOM + room
        if place < FIRST_SUPPORTER:
            s.scratch.need[place] = STAND_OPEN
        level.places[one] = place
        s.scratch.need[one] = DONE
        note(s, k, TAKE[one])
    elif kind == OPENS:
        level.states[one] = 0
        s.scratch.need[one] = UNLOCKED
        note(s, k, OPEN_IT[one])
    else:
        lock(s, one, k)
    return True


@large_kernel
def forget(s):
    """Start over with an empty level."""
    level = s.level
    clear_things(level)
    level.quests = 0
    level.kitchen = KITCHEN
    for k in range(MOST):
        level.opens[k] = -1
        s.scratch.need[k] = FREE
    for k in range(QUESTS):
        level.optional[k] = 0
    for k in range(FACTS):
        for part in range(4):
            level.facts[k, part] = 0
    for k in range(FAILS):
        for part in range(4):
            level.fails[k, part] = 0
    for k in range(INGREDIENTS):
        level.recipe[k, 0] = -1
        level.recipe[k, 1] = 0
        level.recipe[k, 2] = 0
    for k in range(PLAN):
        level.plan[k] = -1
    for room in range(len(ROOMS)):
        s.scratch.visited[room] = 0


@large_kernel
def draw_chain(s, count, length, takes, opens, locks):
    """Draw a quest from its end to its start; whether it is as long as wanted."""
    level = s.level
    level.room = s.scratch.order[randint(s, count)]
    ending = END_TAKE
    if takes:
        ending = randint(s, ENDINGS if locks else END_UNLOCK if opens else END_OPEN)
    if not draw_ending(s, ending, length - 1):
        draw_ending(s, END_TAKE, length - 1)
    s.scratch.visited[level.room] = 1
    for k in range(length - 2, -1, -1):
        if not draw_before(s, k, takes, opens, locks):
            return False
    return True


@large_kernel
def add_steps(s):
    """Make the commands of the plan before its last one, other than going, optional quests; the goal stays the last."""
    level = s.level
    kind, one, other = level.facts[0, 1], level.facts[0, 2], level.facts[0, 3]
    level.facts[0, 1] = NO_FACT
    level.quests = 0
    for k in range(PLAN - 1):
        if level.plan[k + 1] < 0 or level.quests == QUESTS - 1:
            break
        verb, thing = np.int64(TABLE[level.plan[k], 0]), np.int64(TABLE[level.plan[k], 1])
        if verb == GOES:
            continue
        level.optional[level.quests] = 1
        if verb == TAKES:
            add_quest(s, PLACED, thing, HELD)
        elif verb == OPENS:
            add_quest(s, IS, thing, OPEN)
        else:
            add_quest(s, IS_NOT, thing, LOCKED)
    add_quest(s, kind, one, other)


@kernel
def move_up(s):
    """Let the plan begin at its place 0, in case that it is shorter than wanted."""
    first = 0
    while s.level.plan[first] < 0:
        first += 1
    for k in range(PLAN):
        s.level.plan[k] = s.level.plan[k + first] if k + first < PLAN else -1


@large_kernel
def draw_quest(s):
    """A quest, or a hunt for a treasure."""
    params = s.params
    treasure = params.task != QUEST
    locks, doors = params.obstacles == 2, params.obstacles > 0
    for _ in range(TRIES):
        forget(s)
        mix_rooms(s, False)
        wander(s, params.rooms)
        if doors:
            hang_doors(s, params.rooms, False)
        furnish(s, params.rooms, (params.things + 1) // 2)
        if draw_chain(s, params.rooms, params.quest_length, not treasure, doors, locks):
            break
    move_up(s)
    if doors:
        close_others(s, params.rooms, locks)
    if treasure:
        wrong = fresh(s, FIRST_OBJECT, OBJECTS)
        place = HELD
        while place == HELD:
            place = any_spot(s, params.rooms)
        s.level.places[wrong] = place
        add_row(s.level.fails, -1, PLACED, wrong, HELD)
    else:
        scatter(s, params.rooms, params.things // 2)
    add_steps(s)


@large_kernel
def draw_coin(s):
    """A chain of rooms, with the agent at one end and the coin at the other."""
    forget(s)
    mix_rooms(s, False)
    length = min(s.params.quest_length, len(ROOMS))
    chain_rooms(s, length, max(length, s.params.rooms))
    level = s.level
    level.places[COIN] = ROOM + s.scratch.order[0]
    level.room = s.scratch.order[length - 1]
    for k in range(length - 1):
        here, there = s.scratch.order[length - 1 - k], s.scratch.order[length - 2 - k]
        for side in range(4):
            if level.exits[here, side] == there:
                note(s, k, GO[side])
    note(s, length - 1, TAKE[COIN])
    add_quest(s, PLACED, COIN, HELD)


# Cooking.


@large_kernel
def stock(s, count):
    """The kitchen's furniture, and some in other rooms."""
    level = s.level
    counter = fresh(s, FIRST_SUPPORTER, SUPPORTERS)
    level.places[counter] = ROOM + KITCHEN
    for thing in (FRIDGE, THE_OVEN, THE_STOVE):
        level.places[thing] = ROOM + KITCHEN
    level.places[THE_GRILL] = ROOM + (s.scratch.order[1 + randint(s, count - 1)] if count > 1 else KITCHEN)
    for k in range(1, count):
        if bernoulli(s, 0.6):
            other = fresh(s, FIRST_SUPPORTER, SUPPORTERS)
            if other >= 0:
                level.places[other] = ROOM + s.scratch.order[k]
    level.places[COOKBOOK] = counter
    level.places[KNIFE] = counter
    level.states[FRIDGE] = 0 if s.params.obstacles else OPEN


@kernel
def larder(s):
    """A random place for food: often the fridge, else any other furniture but what heats, or the kitchen's floor."""
    if bernoulli(s, 0.4):
        return FRIDGE
    chosen, seen = ROOM + KITCHEN, 1
    for thing in range(FIRST_SUPPORTER, FIRST_SUPPORTER + SUPPORTERS):
        if s.level.places[thing] != GONE:
            seen += 2
            if randint(s, seen) < 2:
                chosen = thing
    return chosen


@large_kernel
def draw_food(s, cooks):
    """Put a new food somewhere; without cooking, one that can be eaten as it is."""
    chosen, seen = -1, 0
    for food in range(FIRST_FOOD, FIRST_FOOD + FOODS):
        if s.level.places[food] == GONE and (cooks or FRESH[food - FIRST_FOOD] & NEEDS == 0):
            seen += 1
            if randint(s, seen) == 0:
                chosen = food
    if chosen >= 0:
        s.level.places[chosen] = larder(s)
        s.level.states[chosen] = FRESH[chosen - FIRST_FOOD]
    return chosen


@large_kernel
def draw_ingredient(s, k, cooks, cuts):
    """Ingredient k of the recipe with its quests, and what must not happen to it."""
    food = draw_food(s, cooks)
    if food < 0:
        return
    states = np.int64(FRESH[food - FIRST_FOOD])
    way = 0
    if cooks:
        way = 1 + randint(s, 3) if states & NEEDS else randint(s, 4)
    cut = randint(s, 4) if cuts and states & UNCUT else 0
    s.level.recipe[k, 0] = food
    s.level.recipe[k, 1] = way
    s.level.recipe[k, 2] = cut
    add_quest(s, PLACED, food, HELD)
    add_row(s.level.fails, -1, IS, food, BURNED)
    cooked = add_quest(s, IS, food, COOKED_STATES[way]) if way else -1
    cutting = add_quest(s, IS, food, CUT_STATES[cut]) if cut else -1
    for other in range(1, 4):
        if other != way:
            add_row(s.level.fails, cooked, IS, food, COOKED_STATES[other])
        if other != cut:
            add_row(s.level.fails, cutting, IS, food, CUT_STATES[other])


@large_kernel
def measure(s, target):
    """Write the distance of each room to a room, in steps plus 1; 0 where there is no way."""
    for room in range(len(ROOMS)):
        s.scratch.steps[room] = room == target
    changed = True
    while changed:
        changed = False
        for room in range(len(ROOMS)):
            for side in range(4):
                other = np.int64(s.level.exits[room, side])
                if other >= 0 and s.scratch.steps[other] > 0:
                    steps = s.scratch.steps[other] + 1
                    if s.scratch.steps[room] == 0 or steps < s.scratch.steps[room]:
                        s.scratch.steps[room] = steps
                        changed = True


@large_kernel
def plan_way(s, k, room, target):
    """Write the commands from one room to another, opening doors, from place k on; the place after them."""
    measure(s, target)
    while room != target:
        for side in range(4):
            other = np.int64(s.level.exits[room, side])
            if other >= 0 and s.scratch.steps[other] == s.scratch.steps[room] - 1:
                door = np.int64(s.level.doors[room, side])
                k = plan_lid(s, k, door)
                note(s, k, GO[side])
                k += 1
                room = other
                break
    return k


@kernel
def plan_lid(s, k, thing):
    """Open a door or container in the plan, if it is closed and the plan has not opened it yet."""
    if thing >= 0 and s.level.states[thing] & OPEN == 0 and s.scratch.need[thing] == FREE:
        s.scratch.need[thing] = DONE
        note(s, k, OPEN_IT[thing])
        k += 1
    return k


@kernel
def room_of(s, thing):
    """The room of a thing that lies on a floor or in furniture."""
    place = np.int64(s.level.places[thing])
    return np.int64(place if place >= ROOM else s.level.places[place]) - ROOM


@large_kernel
def plan_meal(s):
    """The plan of a meal: recipe, knife, ingredients, cooking, cutting, meal. Returns its length."""
    level = s.level
    k = plan_way(s, 0, np.int64(level.room), KITCHEN)
    here = KITCHEN
    note(s, k, EXAMINE[COOKBOOK])
    k += 1
    cuts = 0
    for i in range(INGREDIENTS):
        cuts += level.recipe[i, 2]
    if cuts > 0:
        note(s, k, TAKE[KNIFE])
        k += 1
    for i in range(INGREDIENTS):
        food = np.int64(level.recipe[i, 0])
        if food >= 0:
            k = plan_way(s, k, here, room_of(s, food))
            here = room_of(s, food)
            place = np.int64(level.places[food])
            k = plan_lid(s, k, place if place < ROOM and place < FIRST_SUPPORTER else -1)
            note(s, k, TAKE[food])
            k += 1
    for i in range(INGREDIENTS):
        food, way, cut = np.int64(level.recipe[i, 0]), np.int64(level.recipe[i, 1]), np.int64(level.recipe[i, 2])
        if food >= 0 and way > 0:
            k = plan_way(s, k, here, room_of(s, HEATS_BY[way]))
            here = room_of(s, HEATS_BY[way])
            note(s, k, COOK[food, HEATS_BY[way]])
            k += 1
        if food >= 0 and cut > 0:
            note(s, k, CUT[cut, food])
            k += 1
    k = plan_way(s, k, here, KITCHEN)
    note(s, k, PREPARE)
    note(s, k + 1, EAT[MEAL])
    return k + 2


@large_kernel
def draw_meal(s):
    """A recipe and its ingredients in a house."""
    params = s.params
    cooks, cuts = params.preparation >= 2, params.preparation == 1 or params.preparation == 3
    for _ in range(TRIES):
        forget(s)
        mix_rooms(s, True)
        wander(s, params.rooms)
        if params.obstacles:
            hang_doors(s, params.rooms, True)
        stock(s, params.rooms)
        s.level.room = s.scratch.order[randint(s, params.rooms)]
        for k in range(params.ingredients):
            draw_ingredient(s, k, cooks, cuts)
        for _ in range(randint(s, 1 + params.things // 2)):
            draw_food(s, True)
        quest = add_quest(s, PLACED, MEAL, HELD)
        for k in range(params.ingredients):
            add_row(s.level.fails, quest, IS, np.int64(s.level.recipe[k, 0]), EATEN)
        last = add_quest(s, IS, MEAL, EATEN)
        add_row(s.level.fails, last, IS, MEAL, BURNED)
        if plan_meal(s) <= PLAN:
            break


@large_kernel
def make(s):
    """Draw a level."""
    if s.params.task == COIN_TASK:
        draw_coin(s)
    elif s.params.task == COOKING:
        draw_meal(s)
    else:
        draw_quest(s)
    s.level.task = s.params.task
    for k in range(MOST):
        s.scratch.need[k] = 0
        s.scratch.items[k] = 0
    for room in range(len(ROOMS)):
        s.scratch.order[room] = 0
        s.scratch.x[room] = 0
        s.scratch.y[room] = 0
        s.scratch.visited[room] = 0
        s.scratch.steps[room] = 0


class Quests(Generator):
    """Text quests.

    Args:
        task: "quest", "coin", "treasure" or "cooking".
        quest_length: commands of a quest or hunt, rooms of the coin's chain.
        rooms: number of rooms.
        things: number of pieces of furniture and things, about half of each.
        obstacles: "none", "closed" doors and containers, or also "locked" ones.
        ingredients: ingredients of a recipe.
        preparation: what recipes want: "none", "cut", "cook" or "both".
    """

    make = make

    def __init__(
        self,
        task: Task = "quest",
        quest_length: Annotated[int, Between(1, 20)] = 5,
        rooms: Annotated[int, Between(1, 20)] = 5,
        things: Annotated[int, Between(2, 24)] = 10,
        obstacles: Obstacles = "locked",
        ingredients: Annotated[int, Between(1, INGREDIENTS)] = 3,
        preparation: Preparation = "both",
    ):
        self.define(
            level=level_fields(),
            params={
                "task": among(TASKS, task),
                "quest_length": quest_length,
                "rooms": rooms,
                "things": things,
                "obstacles": among(OBSTACLES, obstacles),
                "ingredients": ingredients,
                "preparation": among(PREPARATIONS, preparation),
            },
            scratch=[
                ("order", below(np.int64, len(ROOMS)), (len(ROOMS),)),
                ("x", within(np.int64, -20, 20), (len(ROOMS),)),
                ("y", within(np.int64, -20, 20), (len(ROOMS),)),
                ("visited", below(np.uint8, 2), (len(ROOMS),)),
                ("steps", within(np.int64, 0, len(ROOMS)), (len(ROOMS),)),
                ("items", below(np.int64, MOST), (MOST,)),
                ("need", within(np.int64, 0, DONE), (MOST,)),
            ],
        )

    def decode(self, s: Any) -> dict[str, Any]:
        from envsuite.generators.quest_levels import write_level

        return write_level(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        from envsuite.generators.quest_levels import read_level

        read_level(s.level, {key: value for key, value in level.items() if key != "kind"}, "quests")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures: the size is the numbers of rooms and things, and the difficulty is the plan's length.

        A level without a plan is "solvable": None, since that is not known.
        """
        rooms = {level["agent"], *(room for way in level["exits"] for room in (way[0], way[2]))}
        size = [len(rooms), len(level["things"])]
        return {"size": size, "solvable": True if level["plan"] else None, "difficulty": len(level["plan"])}

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """A map of the rooms."""
        from envsuite.core.record import as_views
        from envsuite.generators.quest_maps import draw_map

        record = as_views(self.records(1))[0]
        self.encode(record, level)
        return draw_map(record.level, int(record.level.room), str(level["task"]))

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(task=level.get("task", "quest"))
