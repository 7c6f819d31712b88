"""Things in rooms: the shared state of text worlds, with its rules as kernels.

A world has up to 64 *things*, numbered from 0, and some *rooms* with four exits each. A thing is always in one *place*:

| place | meaning |
|---|---|
| 0 to 63 | in or on the thing of that number |
| `HELD` | carried by the agent |
| `GONE` | not in this game, eaten, or a door (doors are in `s.doors`) |
| `ROOM` + r | in room r, on its floor |

What can never change about a thing are its *traits*, a table that a world makes once from its list of `Thing`s with
`traits_of` and hands to the kernels. What can change are its *states* (`OPEN`, `LOCKED`, `HOT` ...), bits of
`s.states[thing]`. Worlds may add traits and states of their own from the bits `OWN_TRAIT` and `OWN_STATE` on.

    TRAITS = traits_of(THINGS)

    @kernel
    def step(s, actions, rewards):
        verb, one, other = COMMANDS[actions[0], 0], COMMANDS[actions[0], 1], COMMANDS[actions[0], 2]
        if verb == TAKE:
            s.places[one] = HELD
        ...
        look_around(s, TRAITS, ROOM + s.room)  # after every change: what the agent sees now

`look_around` sets `s.visible`. The conditions of the usual verbs (`may_take`, `may_put` ...) and `observe_things` read
it. Its last argument is the place where the agent is: a room, or a thing where agents go from thing to thing.

`envsuite.kit.commands` makes the actions of such worlds, and `envsuite.kit.telling` their texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Box, Discrete, Space

from envsuite.core.kernel import kernel
from envsuite.core.ranges import below, flag, within

#: The number of things that a record holds.
MOST = 64

#: Places that are neither a thing nor a room, and the place that is room 0.
HELD, GONE, ROOM = 64, 65, 66

#: At most this many places, each inside the next, are looked into.
DEPTH = 4

#: Traits. A container has things in it and a supporter has things on it; one that is `OPENABLE` must be open for that.
PORTABLE, CONTAINER, SUPPORTER, OPENABLE, LOCKABLE, DOOR, KEY, EDIBLE = (1 << k for k in range(8))
OWN_TRAIT = 8  # the first bit for a world's own traits; the last is 30

#: States.
OPEN, LOCKED, ON, HOT, COLD, CLEAN, SLICED, COOKED = (1 << k for k in range(8))
OWN_STATE = 8  # the first bit for a world's own states; the last is 23
STATES = 24

#: The four exits of a room, and the exit on the other side.
DIRECTIONS = ("north", "east", "south", "west")


class Thing(NamedTuple):
    """A thing of a world: its name without an article, its traits, and whether it is told as "some" instead of "a"."""

    name: str
    traits: int = 0
    some: bool = False


def traits_of(things: Sequence[Thing]) -> np.ndarray:
    """(64,) int64, the traits of all things, for the kernels here."""
    table = np.zeros(MOST, np.int64)
    table[: len(things)] = [thing.traits for thing in things]
    return table


def with_trait(things: Sequence[Thing], trait: int) -> tuple[int, ...]:
    """The numbers of the things that have one of these traits."""
    return tuple(k for k, thing in enumerate(things) if thing.traits & trait)


def fields(rooms: int) -> list[tuple]:
    """The fields of a record, or of a level, that describe things and rooms."""
    return [
        ("room", below(np.int64, rooms)),  # where the agent is
        ("exits", within(np.int8, -1, rooms - 1), (rooms, 4)),  # the room behind each exit, -1 for none
        ("doors", within(np.int8, -1, MOST - 1), (rooms, 4)),  # the thing that is the door of each exit, -1 for none
        ("places", within(np.int8, 0, ROOM + rooms - 1), (MOST,)),  # of each thing
        ("states", below(np.int32, 1 << STATES), (MOST,)),  # of each thing, a bit each
    ]


def seen_fields() -> list[tuple]:
    """The field that `look_around` fills; a record has it beside `fields`."""
    return [("visible", flag(), (MOST,))]  # whether the agent sees each thing


def parts(rooms: int) -> dict[str, Space]:
    """The parts of a Dict observation that `observe_things` writes."""
    return {
        "room": Discrete(rooms),
        "exits": Box(0, 1, (4,), np.int8),
        "doors": Box(-1, MOST - 1, (4,), np.int8),
        "places": Box(-1, ROOM + rooms - 1, (MOST,), np.int8),
        "states": Box(0, (1 << STATES) - 1, (MOST,), np.int32),
    }


@kernel
def copy_things(to, source):
    """Copy the fields of things and rooms, for example from a level at a reset."""
    to.room = source.room
    for room in range(source.exits.shape[0]):
        for side in range(4):
            to.exits[room, side] = source.exits[room, side]
            to.doors[room, side] = source.doors[room, side]
    for thing in range(MOST):
        to.places[thing] = source.places[thing]
        to.states[thing] = source.states[thing]


@kernel
def clear_things(to):
    """Remove all things, exits and doors; the agent is in room 0."""
    to.room = 0
    for room in range(to.exits.shape[0]):
        for side in range(4):
            to.exits[room, side] = -1
            to.doors[room, side] = -1
    for thing in range(MOST):
        to.places[thing] = GONE
        to.states[thing] = 0


@kernel
def has_state(s, thing, state):
    """Whether a thing is in one of these states."""
    return s.states[thing] & state != 0


@kernel
def set_state(s, thing, state):
    """Put a thing into a state."""
    s.states[thing] = s.states[thing] | state


@kernel
def end_state(s, thing, state):
    """Take a thing out of a state, or of several."""
    s.states[thing] = s.states[thing] & ~state


@kernel
def shut(s, traits, thing):
    """Whether a thing can be opened, and is closed."""
    return traits[thing] & OPENABLE != 0 and s.states[thing] & OPEN == 0


@kernel
def in_sight(s, traits, thing, here):
    """Whether a thing is carried or here, and nothing closed is around it."""
    place = np.int64(s.places[thing])
    for _ in range(DEPTH):
        if place >= HELD:
            return place == HELD or place == here
        if shut(s, traits, place):
            return False
        if place == here:
            return True
        place = np.int64(s.places[place])
    return False


@kernel
def look_around(s, traits, here):
    """Set `s.visible`: the things that are carried, here or in what is open here, and the doors of a room.

    `here` is the place where the agent is: `ROOM` + r, or a thing's number, which is then visible too.
    """
    for thing in range(MOST):
        s.visible[thing] = in_sight(s, traits, thing, here)
    if here >= ROOM:
        for side in range(4):
            door = np.int64(s.doors[here - ROOM, side])
            if door >= 0:
                s.visible[door] = 1
    elif here < HELD:
        s.visible[here] = 1


@kernel
def observe_things(s, out):
    """Write the parts of an observation that are named in `parts`: what the agent sees now, and nothing else.

    The place and the states of a thing that it does not see are -1 and 0. A visible door is in the agent's room.
    """
    room = np.int64(s.room)
    out.room = room
    for side in range(4):
        out.exits[side] = s.exits[room, side] >= 0
        out.doors[side] = s.doors[room, side]
    for thing in range(MOST):
        seen = s.visible[thing] != 0
        out.places[thing] = s.places[thing] if seen else -1
        out.states[thing] = s.states[thing] if seen else 0
    for side in range(4):
        door = np.int64(s.doors[room, side])
        if door >= 0:
            out.places[door] = ROOM + room


# What is possible now. All of these need `s.visible`.


@kernel
def may_go(s, side):
    """Whether there is an exit, and its door, if it has one, is open."""
    if s.exits[s.room, side] < 0:
        return False
    door = np.int64(s.doors[s.room, side])
    return door < 0 or s.states[door] & OPEN != 0


@kernel
def may_take(s, traits, thing):
    """Whether a thing can be carried, is seen, and is not in the agent's hands already."""
    return s.visible[thing] != 0 and traits[thing] & PORTABLE != 0 and s.places[thing] != HELD


@kernel
def holds(s, thing):
    """Whether a thing is carried, and not inside of another thing."""
    return s.places[thing] == HELD


@kernel
def inside(s, thing, other):
    """Whether a thing is in or on another one, or they are the same thing."""
    place = np.int64(thing)
    for _ in range(DEPTH):
        if place == other:
            return True
        if place >= HELD:
            return False
        place = np.int64(s.places[place])
    return place == other


@kernel
def may_put(s, traits, thing, other):
    """Whether a thing is carried and can be put into or onto another one, which is seen, and open if it has a lid."""
    if not holds(s, thing) or s.visible[other] == 0 or traits[other] & (CONTAINER | SUPPORTER) == 0:
        return False
    return not shut(s, traits, other) and not inside(s, other, thing)


@kernel
def may_open(s, traits, thing):
    """Whether a thing is seen, closed and not locked."""
    return s.visible[thing] != 0 and shut(s, traits, thing) and s.states[thing] & LOCKED == 0


@kernel
def may_close(s, traits, thing):
    """Whether a thing is seen, and open with something to close."""
    return s.visible[thing] != 0 and traits[thing] & OPENABLE != 0 and s.states[thing] & OPEN != 0


@kernel
def may_lock(s, traits, thing):
    """Whether a thing is seen, has a lock, is closed and is not locked; the key is for the world to check."""
    return s.visible[thing] != 0 and traits[thing] & LOCKABLE != 0 and s.states[thing] & (OPEN | LOCKED) == 0


@kernel
def may_unlock(s, traits, thing):
    """Whether a thing is seen and locked; the key is for the world to check."""
    return s.visible[thing] != 0 and traits[thing] & LOCKABLE != 0 and s.states[thing] & LOCKED != 0


def tangled(s: Any) -> str | None:
    """The contradiction in a record's places, for `World.contradiction`: things that contain each other."""
    for thing in range(MOST):
        place = int(s.places[thing])
        for _ in range(MOST):
            if place >= HELD:
                break
            place = int(s.places[place])
        else:
            return f"thing {thing} is inside of itself"
    return None
