"""Baselines of ScienceLab: they remember what they have seen, explore for what is missing, and do the experiment."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.games.science_lab import terms
from envsuite.kit.things import GONE, HELD, MOST, ON, PORTABLE, ROOM, in_sight, shut

ID = "envsuite/ScienceLab-v0"

#: In place of an action: nothing is known to do; this part is done.
STUCK, DONE = np.int64(-1), np.int64(-2)

#: What is known of the answer: nothing, yes, no.
OPEN_QUESTION, YES, NO = range(3)

ONE = np.int64(1)


def variables(world: Any) -> dict[str, Any]:
    """The memory of a scientist; it knows from the start in which rooms the furniture is."""
    rooms = len(terms.ROOMS)
    places = np.full(MOST, GONE)
    places[: terms.FURNITURE] = ROOM + terms.ROOM_OF
    return {
        "places": limited(places, 0, ROOM + rooms - 1),  # of things, GONE if unknown
        "states": limited(np.zeros(MOST, int), 0, 2**31),
        "ends": limited(np.full((terms.WIRES, 2), -1), -1, len(terms.THINGS) - 1),
        "ways": limited(np.zeros((rooms, rooms), int), 0, 1),  # which rooms are known to be next to each other
        "seen": limited(np.zeros(rooms, int), 0, 1),  # which rooms were visited
        "looked": limited(np.zeros(terms.FURNITURE, int), 0, 1),  # which furniture was seen open
        "room": limited(0, 0, rooms - 1),
        "answer": limited(0, 0, 2),  # of `measure` and `conduct`
        "last": limited(-1, -1, len(terms.TABLE) - 1),  # the last action
        "first": scratch(rooms),
        "queue": scratch(rooms),
    }


@large_kernel
def remember(memory, observation):
    """Add what is seen now; what is not where it was, and would be seen there, is lost."""
    room = np.int64(observation.room)
    memory.room = room
    memory.seen[room] = 1
    for other in range(len(terms.ROOMS)):
        if observation.ways[other]:
            memory.ways[room, other] = 1
            memory.ways[other, room] = 1
    for thing in range(MOST):
        if observation.places[thing] >= 0:
            memory.places[thing] = observation.places[thing]
            memory.states[thing] = observation.states[thing]
    for thing in range(MOST):
        if observation.places[thing] < 0 and in_sight(memory, terms.TRAITS, thing, ROOM + room):
            memory.places[thing] = GONE
    for wire in range(terms.WIRES):
        for end in range(2):
            memory.ends[wire, end] = observation.wires[wire, end]
    for thing in range(terms.FURNITURE):
        if observation.places[thing] >= 0 and not shut(memory, terms.TRAITS, thing):
            memory.looked[thing] = 1


# Ways.


@large_kernel
def walk(memory, wanted):
    """Go towards the nearest known room of these (a bit each), other than this one."""
    here = np.int64(memory.room)
    for room in range(len(terms.ROOMS)):
        memory.first[room] = -1
    memory.first[here] = here
    memory.queue[0] = here
    head, tail = 0, 1
    while head < tail:
        room = np.int64(memory.queue[head])
        head += 1
        if wanted >> room & 1 and room != here:
            return np.int64(terms.GO[memory.first[room]])
        for other in range(len(terms.ROOMS)):
            if memory.ways[room, other] and memory.first[other] < 0:
                memory.first[other] = other if room == here else memory.first[room]
                memory.queue[tail] = other
                tail += 1
    return STUCK


@large_kernel
def new_room(memory):
    """Go towards the nearest room that was not visited yet."""
    new = np.int64(0)
    for room in range(len(terms.ROOMS)):
        if not memory.seen[room]:
            new |= ONE << room
    return walk(memory, new)


@large_kernel
def explore(memory):
    """Open what is closed here, visit a new room, or go to what is closed elsewhere."""
    closed = np.int64(0)
    for thing in (terms.CUPBOARD, terms.FREEZER):
        if memory.places[thing] != GONE and not memory.looked[thing]:
            if memory.places[thing] == ROOM + memory.room:
                return np.int64(terms.OPEN_IT[thing])
            closed |= ONE << (np.int64(memory.places[thing]) - ROOM)
    action = new_room(memory)
    return walk(memory, closed) if action == STUCK else action


@large_kernel
def base(memory, thing):
    """The room where a thing is, as a place; HELD if it is carried, GONE if it is unknown."""
    place = np.int64(memory.places[thing])
    for _ in range(4):
        if place < HELD:
            place = np.int64(memory.places[place])
    return place if place >= HELD else np.int64(GONE)


@large_kernel
def reach(memory, thing):
    """Go where a thing is, and open what is closed around it."""
    if in_sight(memory, terms.TRAITS, thing, ROOM + memory.room):
        return DONE
    place = base(memory, thing)
    if place == GONE:
        return explore(memory)
    if place - ROOM != memory.room:
        action = walk(memory, ONE << (place - ROOM))
        return new_room(memory) if action == STUCK else action
    inner = np.int64(memory.places[thing])
    for _ in range(4):
        if inner < HELD and not shut(memory, terms.TRAITS, inner):
            inner = np.int64(memory.places[inner])
    return np.int64(terms.OPEN_IT[inner]) if inner < HELD else STUCK


@large_kernel
def fetch(memory, thing):
    """Get a thing into the hands."""
    if memory.places[thing] == HELD:
        return DONE
    action = reach(memory, thing)
    return np.int64(terms.TAKE[thing]) if action == DONE else action


@large_kernel
def bring(memory, thing, place):
    """Get a thing into or onto a piece of furniture or a box."""
    if memory.places[thing] == place:
        return DONE
    action = fetch(memory, thing)
    if action == DONE:
        action = reach(memory, place)
    if action == DONE and shut(memory, terms.TRAITS, place):
        return np.int64(terms.OPEN_IT[place])
    return np.int64(terms.PUT[thing, place]) if action == DONE else action


@large_kernel
def gather(memory, wanted):
    """Get these things (a bit each) into the hands: first those in sight, then known ones, then unknown ones."""
    rooms, lost = np.int64(0), False
    for thing in range(len(terms.THINGS)):
        if wanted >> thing & 1 and memory.places[thing] != HELD:
            if in_sight(memory, terms.TRAITS, thing, ROOM + memory.room):
                return np.int64(terms.TAKE[thing])
            place = base(memory, thing)
            if place == ROOM + memory.room:
                return reach(memory, thing)
            lost = lost or place < ROOM
            if place >= ROOM:
                rooms |= ONE << (place - ROOM)
    if rooms != 0:
        action = walk(memory, rooms)
        return new_room(memory) if action == STUCK else action
    return explore(memory) if lost else DONE


@kernel
def known(memory, thing):
    """Whether it is known where a thing is."""
    return memory.places[thing] != GONE


@kernel
def seen(memory, thing):
    """Whether a thing is in sight."""
    return in_sight(memory, terms.TRAITS, thing, ROOM + memory.room)


# Substances.


@kernel
def in_vessel(memory, substance):
    """The vessel that a substance is in, or -1."""
    place = np.int64(memory.places[substance])
    return place if terms.FIRST_VESSEL <= place < terms.FIRST_VESSEL + terms.VESSELS else STUCK


@large_kernel
def empty_vessel(memory):
    """A known vessel with nothing in it, a carried one first, then one in sight; -1 if there is none."""
    found, best = STUCK, 0
    for vessel in range(terms.FIRST_VESSEL, terms.FIRST_VESSEL + terms.VESSELS):
        worth = 3 if memory.places[vessel] == HELD else 2 if seen(memory, vessel) else 1
        for thing in range(terms.WATER, len(terms.THINGS)):
            if memory.places[thing] == vessel:
                worth = 0
        if known(memory, vessel) and worth > best:
            found, best = np.int64(vessel), worth
    return found


@large_kernel
def get_water(memory):
    """Carry a vessel with water, from the tap if there is none."""
    vessel = in_vessel(memory, terms.WATER)
    if vessel >= 0:
        return fetch(memory, vessel)
    vessel = empty_vessel(memory)
    if vessel < 0:
        return explore(memory)
    action = fetch(memory, vessel)
    if action == DONE:
        action = reach(memory, terms.SINK)
    if action != DONE:
        return action
    if memory.places[terms.WATER] == terms.SINK:
        return np.int64(terms.POUR[terms.WATER, vessel])
    return np.int64(terms.WAIT) if memory.states[terms.SINK] & ON else np.int64(terms.TURN_ON[terms.SINK])


@large_kernel
def change_state(memory, observation):
    """Bring the substance to the stove, the furnace or the freezer, and wait."""
    target = np.int64(observation.target)
    if seen(memory, target) and observation.focus[0] != target:
        return np.int64(terms.FOCUS[target])
    vessel = in_vessel(memory, target)
    if vessel < 0:
        return get_water(memory) if target == terms.WATER else explore(memory)
    if observation.task == terms.FREEZE:
        action = bring(memory, vessel, terms.FREEZER)
        if action == DONE and shut(memory, terms.TRAITS, terms.FREEZER):
            return np.int64(terms.WAIT)
        return np.int64(terms.CLOSE_IT[terms.FREEZER]) if action == DONE else action
    return heat(
        memory,
        vessel,
        terms.STOVE if terms.MELTS[target - terms.WATER] < terms.STOVE_HEAT - 20 else terms.FURNACE,
        terms.WAIT,
    )


@large_kernel
def heat(memory, vessel, device, then):
    """Bring a vessel to a device, turn that on, and then take this action."""
    action = bring(memory, vessel, device)
    if action == DONE:
        action = reach(memory, device)
    if action != DONE:
        return action
    return np.int64(then) if memory.states[device] & ON else np.int64(terms.TURN_ON[device])


@large_kernel
def measure(memory, observation):
    """Measure the powder in each step while it is heated, until it is liquid; then focus on the box."""
    if (
        memory.last == terms.MEASURE_IT[terms.POWDER]
        and memory.states[terms.POWDER] & terms.LIQUID
        and memory.answer == OPEN_QUESTION
    ):
        memory.answer = YES if observation.reading[1] > observation.limit[0] else NO
    if memory.answer != OPEN_QUESTION:
        box = terms.RED_BOX if memory.answer == YES else terms.BLUE_BOX
        action = reach(memory, box)
        return np.int64(terms.FOCUS[box]) if action == DONE else action
    vessel = in_vessel(memory, terms.POWDER)
    if vessel < 0 or memory.places[terms.THERMOMETER] != HELD:
        wanted = ONE << terms.THERMOMETER
        if vessel < 0:
            action = gather(memory, wanted) if known(memory, terms.THERMOMETER) else DONE
            return explore(memory) if action == DONE else action
        if memory.places[vessel] != terms.STOVE:
            wanted |= ONE << vessel
        return gather(memory, wanted)
    return heat(memory, vessel, terms.STOVE, terms.MEASURE_IT[terms.POWDER])


@large_kernel
def combine(memory, one, other):
    """Pour one paint to another one, and mix them."""
    here, there = in_vessel(memory, one), in_vessel(memory, other)
    if here < 0 or there < 0:
        return STUCK
    if here == there:
        action = reach(memory, here)
        return np.int64(terms.MIX_IN[here]) if action == DONE else action
    if seen(memory, one) and seen(memory, other):
        return np.int64(terms.POUR[one, there])
    if memory.places[there] == HELD:
        return reach(memory, one)
    action = fetch(memory, here)
    return reach(memory, other) if action == DONE else action


@large_kernel
def mix(memory, observation):
    """Make the paint from two that are known, for brown first one that brown can be made of; then focus on it."""
    target = np.int64(observation.target)
    if known(memory, target):
        action = reach(memory, target)
        return np.int64(terms.FOCUS[target]) if action == DONE else action
    for last in (True, False):
        for k in range(terms.MIXES.shape[0]):
            one, other = terms.MIXES[k, 0], terms.MIXES[k, 1]
            if known(memory, one) and known(memory, other) and (terms.MIXES[k, 2] == target) == last:
                if last or (target == terms.MIXES[terms.MIXES.shape[0] - 1, 2] and k < 3):
                    return combine(memory, one, other)
    return explore(memory)


@large_kernel
def grow(memory, observation):
    """Put soil and seed into the flower pot, the pot into the greenhouse, and water it whenever it is dry."""
    seed = np.int64(observation.target)
    if seen(memory, seed) and observation.focus[0] != seed:
        return np.int64(terms.FOCUS[seed])
    if memory.places[seed] != terms.POT or memory.places[terms.SOIL] != terms.POT:
        wanted = ONE << terms.POT
        if memory.places[seed] != terms.POT:
            wanted |= ONE << seed
        vessel = in_vessel(memory, terms.SOIL)
        if memory.places[terms.SOIL] != terms.POT and vessel >= 0:
            wanted |= ONE << vessel
        action = gather(memory, wanted)
        if action != DONE:
            return action
        if memory.places[terms.SOIL] != terms.POT:
            return np.int64(terms.POUR[terms.SOIL, terms.POT]) if vessel >= 0 else explore(memory)
        return np.int64(terms.PUT[seed, terms.POT])
    if memory.places[terms.POT] < terms.POTTING_TABLE or memory.places[terms.POT] > terms.POTTING_TABLE + 1:
        return bring(memory, terms.POT, terms.POTTING_TABLE)
    action = get_water(memory)
    if action == DONE:
        action = reach(memory, terms.POT)
    if action != DONE:
        return action
    return (
        np.int64(terms.WAIT) if memory.states[terms.POT] & terms.WET else np.int64(terms.POUR[terms.WATER, terms.POT])
    )


# Circuits.


@kernel
def at_hand(memory, thing, site):
    """Whether a thing is carried, or lies where the circuit is built."""
    return memory.places[thing] == HELD or memory.places[thing] == site


@large_kernel
def pick(memory, first, count, site, rank):
    """The known thing of this rank, things at hand first; -1 if there are fewer."""
    for hand in (True, False):
        for thing in range(first, first + count):
            if known(memory, thing) and at_hand(memory, thing, site) == hand:
                if rank == 0:
                    return np.int64(thing)
                rank -= 1
    return STUCK


@kernel
def has_end(memory, wire, thing):
    """Whether one end of a wire is at a thing."""
    return memory.ends[wire - terms.FIRST_WIRE, 0] == thing or memory.ends[wire - terms.FIRST_WIRE, 1] == thing


@large_kernel
def join(memory, wire, one, other):
    """Connect a wire to two things."""
    for end in range(2):
        thing = np.int64(memory.ends[wire - terms.FIRST_WIRE, end])
        if thing >= 0 and thing != one and thing != other:
            return np.int64(terms.DISCONNECT[wire])
    if not has_end(memory, wire, one):
        return np.int64(terms.CONNECT[wire, one])
    return DONE if has_end(memory, wire, other) else np.int64(terms.CONNECT[wire, other])


@kernel
def site_of(memory, target):
    """Where the circuit is built: where the target lies, or else on the workbench."""
    place = np.int64(memory.places[target])
    return place if place < terms.FURNITURE and not shut(memory, terms.TRAITS, place) else np.int64(terms.WORKBENCH)


@large_kernel
def build_ring(memory, target, third, wires):
    """Join the battery, the target and perhaps a third thing to a ring."""
    site = site_of(memory, target)
    wanted, short = np.int64(0), False
    for k in range(wires):
        wire = pick(memory, terms.FIRST_WIRE, terms.WIRES, site, k)
        short = short or wire < 0
        if wire >= 0 and not at_hand(memory, wire, site):
            wanted |= ONE << wire
    for thing in (terms.BATTERY, target, third):
        if not at_hand(memory, thing, site):
            wanted |= ONE << thing
    action = gather(memory, wanted)
    if action == DONE and short:
        action = explore(memory)
    if action != DONE:
        return action
    for thing in (terms.BATTERY, target, third):
        if memory.places[thing] != site:
            return bring(memory, thing, site)
    action = reach(memory, site)
    for k in range(wires):
        one = terms.BATTERY if k == 0 else target if k == 1 else third
        other = target if k == 0 else third if k == 1 else terms.BATTERY
        if action == DONE:
            action = join(memory, pick(memory, terms.FIRST_WIRE, terms.WIRES, site, k), one, other)
    return action


@large_kernel
def power(memory, observation):
    """Join the target and the battery to a ring."""
    target = np.int64(observation.target)
    if seen(memory, target) and observation.focus[0] != target:
        return np.int64(terms.FOCUS[target])
    if not known(memory, target):
        return explore(memory)
    return build_ring(memory, target, terms.BATTERY, 2)


@large_kernel
def conduct(memory, observation):
    """Join the target, the battery and a bulb, motor or buzzer to a ring; then bring the target into its box."""
    target = np.int64(observation.target)
    if not known(memory, target):
        return explore(memory)
    third = pick(memory, terms.BULB, terms.BUZZER - terms.BULB + 1, site_of(memory, target), 0)
    if memory.answer == OPEN_QUESTION:
        if third < 0:
            return explore(memory)
        action = build_ring(memory, target, third, 3)
        if action != DONE:
            return action
        memory.answer = YES if memory.states[third] & ON else NO
    for wire in range(terms.FIRST_WIRE, terms.FIRST_WIRE + terms.WIRES):
        if has_end(memory, wire, target):
            return np.int64(terms.DISCONNECT[wire])
    return bring(memory, target, terms.RED_BOX if memory.answer == YES else terms.BLUE_BOX)


# Finding.


@large_kernel
def find(memory, observation):
    """Focus on a fitting thing and bring it into the box."""
    thing = np.int64(observation.focus[0])
    if thing < 0:
        best = 0
        for other in range(terms.FIRST_VESSEL, len(terms.THINGS)):
            if (
                terms.TRAITS[other] & PORTABLE != 0
                and known(memory, other)
                and terms.OF_SORT[observation.target, other]
            ):
                worth = 2 if seen(memory, other) else 1
                if worth > best:
                    thing, best = np.int64(other), worth
        if thing < 0:
            return explore(memory)
        action = reach(memory, thing)
        return np.int64(terms.FOCUS[thing]) if action == DONE else action
    return bring(memory, thing, np.int64(observation.box[0]))


@large_kernel
def plan(memory, observation):
    """The next action for the task, or -1."""
    if observation.task <= terms.FREEZE:
        return change_state(memory, observation)
    if observation.task == terms.MEASURE:
        return measure(memory, observation)
    if observation.task == terms.POWER:
        return power(memory, observation)
    if observation.task == terms.CONDUCT:
        return conduct(memory, observation)
    if observation.task == terms.MIX:
        return mix(memory, observation)
    return grow(memory, observation) if observation.task == terms.GROW else find(memory, observation)


@kernel
def fiddle(memory, mask):
    """A random possible action other than a focus."""
    found, count = np.int64(terms.WAIT), 0
    for action in range(len(terms.TABLE)):
        if mask[action] and terms.TABLE[action, 0] != terms.FOCUSES:
            count += 1
            if random.randint(memory, count) == 0:
                found = np.int64(action)
    return found


@large_kernel
def decide(memory, observation, mask, care):
    """With probability `care`, or if it is 1, the planned action, if it is possible; else a random one."""
    remember(memory, observation)
    action = plan(memory, observation)
    if action < 0 or not mask[action] or (care < 1.0 and not random.bernoulli(memory, care)):
        action = fiddle(memory, mask)
    memory.last = action
    return action


@policy(ID, "scientist", variables=variables)
def scientist(memory, observation, mask):
    """Remembers what it has seen, explores for what the task needs, and does the experiment."""
    return decide(memory, observation, mask, 1.0)


@policy(ID, "tinkerer", variables=variables, care=Between(0, 1).at(0.5))
def tinkerer(memory, observation, mask):
    """As `scientist` with probability `care` in each step; else it does something random other than to focus."""
    return decide(memory, observation, mask, memory.care)
