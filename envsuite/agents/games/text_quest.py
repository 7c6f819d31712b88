"""Baselines of TextQuest: an explorer that remembers what it has seen, and a follower of given steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.ranges import limited, scratch
from envsuite.games.text_quest import terms
from envsuite.kit import things
from envsuite.kit.things import HELD, MOST, ROOM

ID = "envsuite/TextQuest-v0"

DROP, CLOSE, LOCK = (terms.COMMANDS.numbers(verb) for verb in (terms.DROPS, terms.CLOSES, terms.LOCKS))

#: What is known of an exit: nothing, that there is none, that there is one; and from 3 on, the room behind it.
UNKNOWN, NO_EXIT, AN_EXIT, LEADS_TO = range(4)

#: The number of a goal's facts.
GOAL = 4


def variables(world: Any) -> dict[str, Any]:
    """The memory of an explorer."""
    rooms = len(terms.ROOMS)
    return {
        "exits": limited(np.zeros((rooms, 4), int), 0, LEADS_TO + rooms - 1),
        "doors": limited(np.full((rooms, 4), -1), -1, MOST - 1),
        "places": limited(np.full(MOST, -1), -1, ROOM + rooms - 1),
        "states": limited(np.zeros(MOST, int), 0, 2**31),
        "tried": limited(np.zeros(terms.FIRST_SUPPORTER, int), 0, terms.KEYS),  # of each lock, the number of keys tried
        "room": limited(-1, -1, rooms - 1),  # where the last command was given
        "side": limited(-1, -1, 3),  # the exit that it took, -1 for none
        "count": limited(0, 0, 2**31),  # commands so far
        "wanted": scratch(rooms),
        "first": scratch(rooms),
        "queue": scratch(rooms),
    }


@large_kernel
def remember(memory, observation):
    """Add what is seen now to the map, and to the places of things."""
    room = observation.room
    if memory.room >= 0 and memory.side >= 0:
        memory.exits[memory.room, memory.side] = LEADS_TO + room
        memory.exits[room, (memory.side + 2) & 3] = LEADS_TO + memory.room
    for side in range(4):
        if memory.exits[room, side] < LEADS_TO:
            memory.exits[room, side] = AN_EXIT if observation.exits[side] else NO_EXIT
        memory.doors[room, side] = observation.doors[side]
    for thing in range(MOST):
        if observation.places[thing] >= 0:
            memory.places[thing] = observation.places[thing]
            memory.states[thing] = observation.states[thing]
        elif memory.places[thing] == HELD or memory.places[thing] == ROOM + room:
            memory.places[thing] = -1


@kernel
def keys_held(memory):
    """The number of keys that are carried."""
    count = 0
    for key in range(terms.FIRST_KEY, terms.FIRST_KEY + terms.KEYS):
        count += memory.places[key] == HELD
    return count


@kernel
def room_of(memory, thing):
    """The room where a thing was seen last, -1 if it is carried or unknown."""
    place = np.int64(memory.places[thing])
    if 0 <= place < HELD:
        place = np.int64(memory.places[place])
    return place - ROOM if place >= ROOM else -1


@kernel
def passable(memory, room, side):
    """Whether an exit has no door, or one that was open when it was seen last."""
    door = np.int64(memory.doors[room, side])
    return memory.exits[room, side] >= AN_EXIT and (door < 0 or memory.states[door] & things.OPEN != 0)


# Commands that bring the goal nearer at once; -1 for none.


@large_kernel
def serve_fact(memory, mask, kind, one, other):
    """A command for one fact of the goal."""
    if kind == terms.PLACED or (kind == terms.IS and other & terms.EATEN):
        if kind == terms.IS and terms.EAT[one] >= 0 and mask[terms.EAT[one]]:
            return np.int64(terms.EAT[one])
        if kind == terms.PLACED and other < HELD:
            if terms.PUT[one, other] >= 0 and mask[terms.PUT[one, other]]:
                return np.int64(terms.PUT[one, other])
            if terms.INSERT[one, other] >= 0 and mask[terms.INSERT[one, other]]:
                return np.int64(terms.INSERT[one, other])
        if kind == terms.PLACED and other == ROOM + memory.room and DROP[one] >= 0 and mask[DROP[one]]:
            return np.int64(DROP[one])
        if (
            terms.TAKE[one] >= 0
            and mask[terms.TAKE[one]]
            and not (kind == terms.PLACED and memory.places[one] == other)
        ):
            return np.int64(terms.TAKE[one])
    elif kind == terms.IS and other & things.LOCKED:
        for key in range(terms.FIRST_KEY, terms.FIRST_KEY + terms.KEYS):
            if LOCK[one, key] >= 0 and mask[LOCK[one, key]]:
                return np.int64(LOCK[one, key])
        if CLOSE[one] >= 0 and mask[CLOSE[one]]:
            return np.int64(CLOSE[one])
    elif kind == terms.IS_NOT and other & things.OPEN and CLOSE[one] >= 0 and mask[CLOSE[one]]:
        return np.int64(CLOSE[one])
    return np.int64(-1)


@large_kernel
def serve_recipe(memory, observation, mask):
    """A command that reads the recipe, or that gets, cuts or cooks an ingredient."""
    if observation.recipe[0, 0] < 0:
        return np.int64(terms.EXAMINE[terms.COOKBOOK]) if mask[terms.EXAMINE[terms.COOKBOOK]] else np.int64(-1)
    if mask[terms.PREPARE]:
        return np.int64(terms.PREPARE)
    for k in range(terms.INGREDIENTS):
        food = np.int64(observation.recipe[k, 0])
        if food < 0:
            continue
        way, cut, states = np.int64(observation.recipe[k, 1]), np.int64(observation.recipe[k, 2]), memory.states[food]
        if terms.TAKE[food] >= 0 and mask[terms.TAKE[food]]:
            return np.int64(terms.TAKE[food])
        if cut > 0 and states & terms.UNCUT:
            if terms.CUT[cut, food] >= 0 and mask[terms.CUT[cut, food]]:
                return np.int64(terms.CUT[cut, food])
            if mask[terms.TAKE[terms.KNIFE]]:
                return np.int64(terms.TAKE[terms.KNIFE])
        if (
            way > 0
            and states & terms.WAYS == 0
            and terms.COOK[food, terms.HEATS_BY[way]] >= 0
            and mask[terms.COOK[food, terms.HEATS_BY[way]]]
        ):
            return np.int64(terms.COOK[food, terms.HEATS_BY[way]])
    return np.int64(-1)


@large_kernel
def open_or_take_key(memory, observation, mask):
    """A command that unlocks or opens something here, or takes a key."""
    for thing in range(terms.FIRST_SUPPORTER):
        if observation.places[thing] < 0:
            continue
        for key in range(terms.FIRST_KEY, terms.FIRST_KEY + terms.KEYS):
            if terms.UNLOCK[thing, key] >= 0 and mask[terms.UNLOCK[thing, key]]:
                return np.int64(terms.UNLOCK[thing, key])
        if observation.states[thing] & things.LOCKED:
            memory.tried[thing] = keys_held(memory)
        if thing != terms.THE_OVEN and mask[terms.OPEN_IT[thing]]:
            return np.int64(terms.OPEN_IT[thing])
    for key in range(terms.FIRST_KEY, terms.FIRST_KEY + terms.KEYS):
        if mask[terms.TAKE[key]]:
            return np.int64(terms.TAKE[key])
    return np.int64(-1)


# Where to go.


@kernel
def want(memory, room):
    """Note that a room is worth a visit."""
    if 0 <= room < len(terms.ROOMS):
        memory.wanted[room] = 1


@large_kernel
def want_goal(memory, observation):
    """Note the rooms that the goal or the recipe needs, as far as they are known."""
    for k in range(GOAL):
        kind, one = np.int64(observation.goal[k, 0]), np.int64(observation.goal[k, 1])
        other = np.int64(observation.goal[k, 2])
        if kind == terms.AGENT_IN:
            want(memory, one)
        elif kind == terms.PLACED and memory.places[one] == HELD and other != HELD:
            want(memory, other - ROOM if other >= ROOM else room_of(memory, other))
        elif kind != terms.NO_FACT:
            want(memory, room_of(memory, one))
    if observation.task != terms.COOKING:
        return
    if observation.recipe[0, 0] < 0:
        want(memory, room_of(memory, terms.COOKBOOK))
        return
    ready = True
    for k in range(terms.INGREDIENTS):
        food = np.int64(observation.recipe[k, 0])
        if food < 0:
            continue
        way, cut, states = np.int64(observation.recipe[k, 1]), np.int64(observation.recipe[k, 2]), memory.states[food]
        held, uncut = memory.places[food] == HELD, cut > 0 and states & terms.UNCUT != 0
        uncooked = way > 0 and states & terms.WAYS == 0
        ready = ready and held and not uncut and not uncooked
        if not held:
            want(memory, room_of(memory, food))
        if uncut and memory.places[terms.KNIFE] != HELD:
            want(memory, room_of(memory, terms.KNIFE))
        if held and uncooked:
            want(memory, room_of(memory, terms.HEATS_BY[way]))
    if ready or memory.places[terms.MEAL] == HELD:
        want(memory, terms.KITCHEN)


@large_kernel
def want_news(memory):
    """Note the rooms with exits that lead to unknown rooms, with closed things, and with locks to try new keys on."""
    keys = keys_held(memory)
    for room in range(len(terms.ROOMS)):
        for side in range(4):
            door = np.int64(memory.doors[room, side])
            if memory.exits[room, side] == AN_EXIT and passable(memory, room, side):
                memory.wanted[room] = 1
            if door >= 0 and memory.states[door] & things.LOCKED and memory.tried[door] < keys:
                memory.wanted[room] = 1
    for thing in range(terms.FIRST_SUPPORTER):
        if memory.states[thing] & things.LOCKED and memory.tried[thing] < keys:
            want(memory, room_of(memory, thing))
    for key in range(terms.FIRST_KEY, terms.FIRST_KEY + terms.KEYS):
        want(memory, room_of(memory, key))


@large_kernel
def way_to_wanted(memory, here):
    """The exit on a shortest known way to the nearest wanted room other than this one, -1 if there is none."""
    for room in range(len(terms.ROOMS)):
        memory.first[room] = -1
    memory.queue[0] = here
    memory.first[here] = 4
    head, tail = 0, 1
    while head < tail:
        room = np.int64(memory.queue[head])
        head += 1
        if memory.wanted[room] and room != here:
            return np.int64(memory.first[room])
        for side in range(4):
            other = np.int64(memory.exits[room, side]) - LEADS_TO
            if other >= 0 and passable(memory, room, side) and memory.first[other] < 0:
                memory.first[other] = side if room == here else memory.first[room]
                memory.queue[tail] = other
                tail += 1
    return np.int64(-1)


@large_kernel
def choose(memory, observation, mask):
    """The command of an explorer."""
    for k in range(GOAL):
        kind, one = np.int64(observation.goal[k, 0]), np.int64(observation.goal[k, 1])
        if kind == terms.PLACED or kind == terms.IS or kind == terms.IS_NOT:
            action = serve_fact(memory, mask, kind, one, np.int64(observation.goal[k, 2]))
            if action >= 0:
                return action
    if observation.task == terms.COOKING:
        action = serve_recipe(memory, observation, mask)
        if action >= 0:
            return action
    action = open_or_take_key(memory, observation, mask)
    if action >= 0:
        return action
    here = np.int64(observation.room)
    for room in range(len(terms.ROOMS)):
        memory.wanted[room] = 0
    want_goal(memory, observation)
    side = way_to_wanted(memory, here)
    if side >= 0:
        return np.int64(terms.GO[side])
    for exit in range(4):
        if memory.exits[here, exit] == AN_EXIT and mask[terms.GO[exit]]:
            return np.int64(terms.GO[exit])
    want_news(memory)
    side = way_to_wanted(memory, here)
    if side >= 0:
        return np.int64(terms.GO[side])
    return np.int64(choose_legal(memory, mask))


@kernel
def explore(memory, observation, mask):
    """Choose a command, and remember where it leads."""
    memory.room = observation.room
    action = choose(memory, observation, mask)
    memory.side = -1
    for side in range(4):
        if action == terms.GO[side]:
            memory.side = side
    return action


@policy(ID, "explorer", variables=variables)
def explorer(memory, observation, mask):
    """Remembers what it has seen; does what the goal or recipe needs, else opens things, takes keys and explores."""
    remember(memory, observation)
    return explore(memory, observation, mask)


@policy(ID, "follower", variables=variables)
def follower(memory, observation, mask):
    """Gives the commands that its instructions list; without them, or where one is not possible, it is an explorer."""
    remember(memory, observation)
    count = memory.count
    memory.count += 1
    if count < terms.PLAN and observation.steps[count] >= 0 and mask[observation.steps[count]]:
        memory.room = observation.room
        memory.side = -1
        action = np.int64(observation.steps[count])
        for side in range(4):
            if action == terms.GO[side]:
                memory.side = side
        return action
    return explore(memory, observation, mask)
