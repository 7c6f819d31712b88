"""Household chores: a house with receptacles and objects in them, and a task.

The task is drawn uniformly, if none is given, then a fitting kind of object and a kind of receptacle for it. The house
has the receptacles that the task needs, and random others. It has one or two objects of the task's kind, not yet where
they belong, and random others. Each object lies in a receptacle where its kind may be, four times as likely in one
where it often is. A house has a lamp with probability 1/2, and always for the task "look". Everything is closed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, categorical, randint
from envsuite.core.ranges import among, below, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.generators.chore_terms import (
    APPLIANCE,
    CARRIED,
    FIRST,
    KIND,
    LAMP,
    LIKELY,
    LOOKED,
    NAMES,
    NEEDED,
    OBJECT_KINDS,
    PLACES,
    RECEPTACLE_KINDS,
    TASKS,
    TRAITS,
    TWO,
)
from envsuite.kit.things import GONE, HELD, MOST, OPEN, OPENABLE, ROOM, SUPPORTER, clear_things
from envsuite.kit.things import fields as thing_fields

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Task = Literal["any", "place", "two", "clean", "heat", "cool", "look"]
CHOICES = ("any", *TASKS)

#: The least numbers of receptacles and of objects.
FEWEST, LEAST = 4, 2


@kernel
def furnish(s, kind):
    """Add a random receptacle of a kind, unless there is one."""
    count = 0
    for place in range(PLACES):
        if KIND[place] == kind:
            count += 1
            if s.level.places[place] == ROOM:
                return
    rank = randint(s, count)
    for place in range(PLACES):
        if KIND[place] == kind:
            if rank == 0:
                s.level.places[place] = ROOM
            rank -= 1


@kernel
def random_place(s, kind, without):
    """A random kind of receptacle where objects of a kind may be, other than one."""
    for place in range(len(RECEPTACLE_KINDS)):
        s.scratch.weights[place] = LIKELY[kind, place] if place != without else 0
    found = categorical(s, s.scratch.weights, len(RECEPTACLE_KINDS))
    for place in range(len(RECEPTACLE_KINDS)):
        s.scratch.weights[place] = 0
    return found


@kernel
def lay(s, thing, without):
    """Lay an object into a random receptacle of the house where it may be, if there is one, but none of a kind."""
    total = 0.0
    for place in range(PLACES):
        fits = s.level.places[place] == ROOM and KIND[place] != without
        s.scratch.weights[place] = LIKELY[KIND[thing], KIND[place]] if fits else 0
        total += s.scratch.weights[place]
    if total > 0.0:
        s.level.places[thing] = categorical(s, s.scratch.weights, PLACES)
    for place in range(PLACES):
        s.scratch.weights[place] = 0


@large_kernel
def make(s):
    """Draw the task, its receptacles, other ones, its objects, lamps and other objects."""
    clear_things(s.level)
    s.level.task = s.params.task - 1 if s.params.task > 0 else randint(s, len(TASKS))
    kind = randint(s, CARRIED)
    while TRAITS[FIRST[kind]] & NEEDED[s.level.task] == 0:
        kind = randint(s, CARRIED)
    s.level.item = kind
    s.level.target = random_place(s, kind, -1)
    if s.level.task == LOOKED:
        furnish(s, random_place(s, len(OBJECT_KINDS) - 1, -1))
    else:
        furnish(s, s.level.target)
    furnish(s, random_place(s, kind, s.level.target))
    if APPLIANCE[s.level.task] >= 0:
        furnish(s, APPLIANCE[s.level.task])
    count = 0
    for place in range(PLACES):
        count += s.level.places[place] == ROOM
    while count < s.params.receptacles:
        place = randint(s, PLACES)
        if s.level.places[place] != ROOM:
            s.level.places[place] = ROOM
            count += 1
    first = np.int64(FIRST[kind])
    lay(s, first, s.level.target)
    count = 1
    if s.level.task == TWO or bernoulli(s, 0.5):
        lay(s, first + 1, s.level.target)
        count = 2
    lamps = s.level.task == LOOKED or bernoulli(s, 0.5)
    if lamps:
        lay(s, MOST - 1 - randint(s, 2), -1)
    for _ in range(50 * MOST):
        thing = PLACES + randint(s, MOST - 2 - PLACES)
        if count < s.params.objects and s.level.places[thing] == GONE and KIND[thing] != kind:
            lay(s, thing, -1)
            count += s.level.places[thing] != GONE


class Chores(Generator):
    """Houses with a chore.

    Args:
        task: "any", or "place", "two", "clean", "heat", "cool", "look".
        receptacles: number of receptacles.
        objects: the most objects besides lamps.
    """

    make = make

    def __init__(
        self,
        task: Task = "any",
        receptacles: Annotated[int, Between(FEWEST, PLACES)] = 12,
        objects: Annotated[int, Between(LEAST, 2 * CARRIED)] = 14,
    ):
        self.define(
            level=[
                *thing_fields(1),
                ("task", below(np.int64, len(TASKS))),
                ("item", below(np.int64, CARRIED)),  # the kind of object
                ("target", below(np.int64, len(RECEPTACLE_KINDS))),  # the kind of receptacle; of no use for "look"
            ],
            params={"task": among(CHOICES, task), "receptacles": receptacles, "objects": objects},
            scratch=[("weights", within(np.float64, 0, 4), (PLACES,))],
        )

    def decode(self, s: Any) -> dict[str, Any]:
        return write_chore(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_chore(s.level, level, "chores")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures. The difficulty is the number of receptacles."""
        return {
            "size": [len(level["receptacles"]), len(level["objects"])],
            "solvable": True,
            "difficulty": len(level["receptacles"]),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """All receptacles with what is in them."""
        from envsuite.core.record import as_views
        from envsuite.generators.chore_pictures import house
        from envsuite.render.scene import Label, Scene

        s = as_views(self.records(1))[0]
        self.encode(s, level)
        scene = Scene(30, 16)
        scene.add(Label(0.5, 0.85, chore_in_words(s.level), 0.65, align="left", bold=True))
        house(scene, s.level, (0.5, 1.6, 29.0, 14.0))
        return scene


def chore_in_words(part: Any) -> str:
    """The task of a level in words."""
    item, place = OBJECT_KINDS[part.item], RECEPTACLE_KINDS[part.target]
    into = "on" if LIKELY_ON[int(part.target)] else "in"
    some = f"some {item}" if item in _SOME else f"{'an' if item[0] in 'aeiou' else 'a'} {item}"
    return (
        f"put {some} {into} a {place}",
        f"put two things of the kind {item} {into} the same {place}",
        f"clean {some} and put it {into} a {place}",
        f"heat {some} and put it {into} a {place}",
        f"cool {some} and put it {into} a {place}",
        f"look at {some} in the light of a lamp",
    )[part.task]


#: Kinds of objects that are told without an article.
_SOME = ("bread", "lettuce", "soap")


#: Whether things lie on receptacles of a kind, not in them.
LIKELY_ON = [bool(TRAITS[KIND[:PLACES].tolist().index(kind)] & SUPPORTER) for kind in range(len(RECEPTACLE_KINDS))]


def write_chore(part: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    here = [k for k in range(PLACES) if part.places[k] == ROOM]
    found = {
        "task": TASKS[part.task],
        "item": OBJECT_KINDS[part.item],
        "target": RECEPTACLE_KINDS[part.target],
        "receptacles": [NAMES[k] for k in here],
        "objects": {NAMES[k]: NAMES[part.places[k]] for k in range(PLACES, MOST) if part.places[k] != GONE},
    }
    if opened := [NAMES[k] for k in here if part.states[k] & OPEN]:
        found["open"] = opened
    return found


def read_chore(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    parts = ("task", "item", "target", "receptacles", "objects")
    if not set(parts) <= set(level) <= {*parts, "kind", "open"}:
        raise LevelError(f"{name}: a level has {', '.join(map(repr, parts))} and perhaps 'open'")

    def number(word: Any, words: Any, what: str) -> int:
        if not isinstance(word, str) or word not in words:
            raise LevelError(f"{name}: {what} {word!r:.40} is none of {', '.join(words)}")
        return list(words).index(word)

    clear_things(part)
    part.task = number(level["task"], TASKS, "the task")
    part.item = number(level["item"], OBJECT_KINDS[:CARRIED], "the item")
    part.target = number(level["target"], RECEPTACLE_KINDS, "the target")
    if not isinstance(level["receptacles"], (list, tuple)) or not isinstance(level["objects"], Mapping):
        raise LevelError(f"{name}: 'receptacles' must be a list, 'objects' a mapping from objects to receptacles")
    for place in level["receptacles"]:
        part.places[number(place, NAMES[:PLACES], "the receptacle")] = ROOM
    for thing, place in level["objects"].items():
        k = PLACES + number(thing, NAMES[PLACES:], "the object")
        number(place, level["receptacles"], f"the place of {thing},")
        part.places[k] = NAMES.index(place)
    for place in level.get("open", ()):
        number(place, level["receptacles"], "the open receptacle")
        part.states[NAMES.index(place)] = OPEN
    if problem := fault(part) or _hopeless(part):
        raise LevelError(f"{name}: {problem}")


def _hopeless(part: Any) -> str | None:
    """Why the task of a level cannot be done, or is done already."""
    places = np.asarray(part.places).astype(int)
    here = {int(KIND[k]) for k in range(PLACES) if places[k] == ROOM}
    items = [int(places[k]) for k in range(PLACES, MOST) if KIND[k] == part.item and places[k] != GONE]
    task, item = int(part.task), OBJECT_KINDS[part.item]
    if len(items) < 1 + (task == TWO):
        return f"the house has {len(items)} of {item}"
    if not TRAITS[FIRST[part.item]] & NEEDED[task]:
        return f"{item} does not fit the task {TASKS[task]!r}"
    if task == LOOKED:
        return None if (places[MOST - 2 :] != GONE).any() else "the house has no lamp"
    if not LIKELY[part.item, part.target] or int(part.target) not in here:
        return f"{item} cannot be brought to {RECEPTACLE_KINDS[part.target]}"
    if APPLIANCE[task] >= 0 and int(APPLIANCE[task]) not in here:
        return f"the house has no {RECEPTACLE_KINDS[APPLIANCE[task]]}"
    there = [place for place in items if KIND[place] == part.target]
    if (task == 0 and there) or (task == TWO and len(there) > len(set(there))):
        return "the task is done already"
    return None


def fault(part: Any) -> str | None:
    """What is wrong with the places and states of a level, or of a record."""
    places, states = np.asarray(part.places).astype(int), np.asarray(part.states)
    if not np.isin(places[:PLACES], (ROOM, GONE)).all():
        return "a receptacle is in something"
    opened = states[:PLACES] != 0
    if (states[:PLACES][opened] != OPEN).any() or (TRAITS[:PLACES][opened] & OPENABLE == 0).any():
        return "a receptacle that cannot be opened has a state"
    if (states & OPEN)[PLACES:].any():
        return "an object is open"
    for k in range(PLACES, MOST):
        place = places[k]
        if place in (GONE, HELD):
            continue
        if place >= PLACES or places[place] != ROOM:
            return f"{NAMES[k]} is in no receptacle of the house"
        if not LIKELY[KIND[k], KIND[place]]:
            return f"{NAMES[k]} cannot be in or on {NAMES[place]}"
    held = np.flatnonzero(places == HELD)
    if len(held) > 1 or (TRAITS[held] & LAMP).any():
        return "two objects are carried, or a lamp"
    return None
