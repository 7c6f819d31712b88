"""English for text worlds: rooms, things and what is in them, told from an observation alone.

    told = Telling(THINGS, TRAITS, ["kitchen", "hall"])
    told.room(seen)       # "You are in the kitchen. There are a table and a fridge. On the table is an apple. ..."
    told.held(seen)       # "You carry a knife."
    told.inside(seen, 4)  # "In the fridge are an egg and some milk."

`seen` is what `envsuite.kit.things.observe_things` writes (`World.observation(s, agent)`), so a text that is made here
shows no more than the agent observes. All methods return whole sentences, or "" if there is nothing to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from envsuite.core.page import listed
from envsuite.kit.things import (
    CLEAN,
    COLD,
    CONTAINER,
    COOKED,
    DIRECTIONS,
    DOOR,
    HELD,
    HOT,
    LOCKED,
    MOST,
    ON,
    OPEN,
    OPENABLE,
    ROOM,
    SLICED,
    SUPPORTER,
    Thing,
)

#: States that have a word of their own, and their words. Open, closed and locked are told of what can be opened only.
WORDS = {ON: "lit", HOT: "hot", COLD: "cold", CLEAN: "clean", SLICED: "sliced", COOKED: "cooked"}


def a(name: str) -> str:
    """A name with "a" or "an"."""
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def capital(text: str) -> str:
    """A sentence with a capital at its beginning."""
    return text[:1].upper() + text[1:]


class Telling:
    """Tells of the things of a world.

    Args:
        things: the things, in order.
        traits: their traits, as the kernels have them.
        rooms: the names of the rooms, in order.
        words: words for states, in the order in which they are told; a state without a word is not told.
        opened: whether things that are open are called open, as closed ones are called closed.
    """

    def __init__(
        self,
        things: Sequence[Thing],
        traits: np.ndarray,
        rooms: Sequence[str],
        words: Mapping[int, str] = WORDS,
        opened: bool = False,
    ):
        self.things, self.traits, self.rooms = tuple(things), traits, tuple(rooms)
        self.words, self.opened = dict(words), opened

    def name(self, thing: int, states: int = 0) -> str:
        """A thing's name with the words for its states: "sliced apple"."""
        return " ".join([*(word for state, word in self.words.items() if states & state), self.things[thing].name])

    def a(self, thing: int, states: int = 0) -> str:
        """A thing that is new: "a closed chest", "some milk"."""
        lid = self.lid(thing, states)
        name = self.name(thing, states)
        name = name if not lid or (lid == "open" and not self.opened) else f"{lid} {name}"
        return f"some {name}" if self.things[thing].some else a(name)

    def the(self, thing: int) -> str:
        """A thing that is known: "the chest"."""
        return f"the {self.things[thing].name}"

    def lid(self, thing: int, states: int) -> str:
        """Whether something that can be opened is open, closed or locked; "" for other things."""
        if not self.traits[thing] & OPENABLE:
            return ""
        return "open" if states & OPEN else "locked" if states & LOCKED else "closed"

    def at(self, seen: Any, place: int) -> list[int]:
        """The things that are seen at a place, without doors."""
        return [k for k in range(min(len(self.things), MOST)) if seen.places[k] == place and not self.door(k)]

    def door(self, thing: int) -> bool:
        return bool(self.traits[thing] & DOOR)

    def each(self, seen: Any, things: Iterable[int]) -> str:
        """A list of things: "a table and a closed chest"."""
        return listed(self.a(k, int(seen.states[k])) for k in things)

    def on(self, thing: int) -> str:
        """How something is at a thing: "on" it, or "in" it."""
        return "on" if self.traits[thing] & SUPPORTER else "in"

    def inside(self, seen: Any, thing: int) -> str:
        """What is seen in or on a thing: "On the table are a knife and an apple." """
        things = self.at(seen, thing)
        if not things:
            return ""
        return capital(f"{self.on(thing)} {self.the(thing)} {_are(things)} {self.each(seen, things)}.")

    def contents(self, seen: Any, thing: int) -> str:
        """As `inside`, and where nothing is there, that it is empty, closed or locked."""
        if found := self.inside(seen, thing):
            return found
        lid = self.lid(thing, int(seen.states[thing]))
        if lid in ("closed", "locked"):
            return f"{capital(self.the(thing))} is {lid}."
        if self.traits[thing] & SUPPORTER:
            return f"There is nothing on {self.the(thing)}."
        return f"{capital(self.the(thing))} is empty." if self.traits[thing] & CONTAINER else ""

    def held(self, seen: Any) -> str:
        """What the agent carries, and what is in it."""
        things = self.at(seen, HELD)
        found = f"You carry {self.each(seen, things) if things else 'nothing'}."
        return " ".join([found, *self.nested(seen, things)])

    def ways(self, seen: Any) -> str:
        """The exits of the room and their doors: "You can go east. To the north is a locked gate." """
        free = [DIRECTIONS[k] for k in range(4) if seen.exits[k] and seen.doors[k] < 0]
        found = [f"You can go {listed(free, 'or')}."] if free else []
        for side in range(4):
            if (door := int(seen.doors[side])) >= 0:
                lid = self.lid(door, int(seen.states[door]))
                found.append(f"To the {DIRECTIONS[side]} is {a(f'{lid} {self.things[door].name}')}.")
        return " ".join(found) or "There is no way out."

    def room(self, seen: Any) -> str:
        """The room where the agent is, all that is seen in it, and its exits."""
        place = ROOM + int(seen.room)
        things = self.at(seen, place)
        found = [f"You are in the {self.rooms[int(seen.room)]}."]
        if things:
            found.append(f"There {_are(things)} {self.each(seen, things)} here.")
        found += self.nested(seen, things)
        return " ".join([*found, self.ways(seen)])

    def nested(self, seen: Any, things: Iterable[int]) -> list[str]:
        """What is in and on these things, and in and on what is there."""
        found = []
        for thing in things:
            if told := self.inside(seen, thing):
                found += [told, *self.nested(seen, self.at(seen, thing))]
        return found


def _are(things: Sequence[int]) -> str:
    return "are" if len(things) > 1 else "is"
