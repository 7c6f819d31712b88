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

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, categorical, randint
from envsuite.core.ranges import among, below, within
from envsuite.core.world import Between
from envsuite.games.household_text import terms
from envsuite.games.household_text.terms import TASKS
from envsuite.generators.base import Generator
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
    for place in range(terms.PLACES):
        if terms.KIND[place] == kind:
            count += 1
            if s.level.places[place] == ROOM:
                return
    rank = randint(s, count)
    for place in range(terms.PLACES):
        if terms.KIND[place] == kind:
            if rank == 0:
                s.level.places[place] = ROOM
            rank -= 1


@kernel
def random_place(s, kind, without):
    """A random kind of receptacle where objects of a kind may be, other than one."""
    for place in range(len(terms.RECEPTACLE_KINDS)):
        s.scratch.weights[place] = terms.LIKELY[kind, place] if place != without else 0
    found = categorical(s, s.scratch.weights, len(terms.RECEPTACLE_KINDS))
    for place in range(len(terms.RECEPTACLE_KINDS)):
        s.scratch.weights[place] = 0
    return found


@kernel
def lay(s, thing, without):
    """Lay an object into a random receptacle of the house where it may be, if there is one, but none of a kind."""
    total = 0.0
    for place in range(terms.PLACES):
        fits = s.level.places[place] == ROOM and terms.KIND[place] != without
        s.scratch.weights[place] = terms.LIKELY[terms.KIND[thing], terms.KIND[place]] if fits else 0
        total += s.scratch.weights[place]
    if total > 0.0:
        s.level.places[thing] = categorical(s, s.scratch.weights, terms.PLACES)
    fill(s.scratch.weights, 0)


@large_kernel
def make(s):
    """Draw the task, its receptacles, other ones, its objects, lamps and other objects."""
    clear_things(s.level)
    s.level.task = s.params.task - 1 if s.params.task > 0 else randint(s, len(TASKS))
    kind = randint(s, terms.CARRIED)
    while terms.TRAITS[terms.FIRST[kind]] & terms.NEEDED[s.level.task] == 0:
        kind = randint(s, terms.CARRIED)
    s.level.item = kind
    s.level.target = random_place(s, kind, -1)
    if s.level.task == terms.LOOKED:
        furnish(s, random_place(s, len(terms.OBJECT_KINDS) - 1, -1))
    else:
        furnish(s, s.level.target)
    furnish(s, random_place(s, kind, s.level.target))
    if terms.APPLIANCE[s.level.task] >= 0:
        furnish(s, terms.APPLIANCE[s.level.task])
    count = 0
    for place in range(terms.PLACES):
        count += s.level.places[place] == ROOM
    while count < s.params.receptacles:
        place = randint(s, terms.PLACES)
        if s.level.places[place] != ROOM:
            s.level.places[place] = ROOM
            count += 1
    first = np.int64(terms.FIRST[kind])
    lay(s, first, s.level.target)
    count = 1
    if s.level.task == terms.TWO or bernoulli(s, 0.5):
        lay(s, first + 1, s.level.target)
        count = 2
    lamps = s.level.task == terms.LOOKED or bernoulli(s, 0.5)
    if lamps:
        lay(s, MOST - 1 - randint(s, 2), -1)
    for _ in range(50 * MOST):
        thing = terms.PLACES + randint(s, MOST - 2 - terms.PLACES)
        if count < s.params.objects and s.level.places[thing] == GONE and terms.KIND[thing] != kind:
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
        receptacles: Annotated[int, Between(FEWEST, terms.PLACES)] = 12,
        objects: Annotated[int, Between(LEAST, 2 * terms.CARRIED)] = 14,
    ):
        self.define(
            level=[
                *thing_fields(1),
                ("task", below(np.int64, len(TASKS))),
                ("item", below(np.int64, terms.CARRIED)),  # the kind of object
                # the kind of receptacle; of no use for "look"
                ("target", below(np.int64, len(terms.RECEPTACLE_KINDS))),
            ],
            params={"task": among(CHOICES, task), "receptacles": receptacles, "objects": objects},
            scratch=[("weights", within(np.float64, 0, 4), (terms.PLACES,))],
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
        from envsuite.games.household_text.pictures import house
        from envsuite.render.scene import Label, Scene

        s = as_views(self.records(1))[0]
        self.encode(s, level)
        scene = Scene(30, 16)
        scene.add(Label(0.5, 0.85, chore_in_words(s.level), 0.65, align="left", bold=True))
        house(scene, s.level, (0.5, 1.6, 29.0, 14.0))
        return scene


def chore_in_words(part: Any) -> str:
    """The task of a level in words."""
    item, place = terms.OBJECT_KINDS[part.item], terms.RECEPTACLE_KINDS[part.target]
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
LIKELY_ON = [
    bool(terms.TRAITS[terms.KIND[: terms.PLACES].tolist().index(kind)] & SUPPORTER)
    for kind in range(len(terms.RECEPTACLE_KINDS))
]


def write_chore(part: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    here = [k for k in range(terms.PLACES) if part.places[k] == ROOM]
    found = {
        "task": TASKS[part.task],
        "item": terms.OBJECT_KINDS[part.item],
        "target": terms.RECEPTACLE_KINDS[part.target],
        "receptacles": [terms.NAMES[k] for k in here],
        "objects": {
            terms.NAMES[k]: terms.NAMES[part.places[k]] for k in range(terms.PLACES, MOST) if part.places[k] != GONE
        },
    }
    if opened := [terms.NAMES[k] for k in here if part.states[k] & OPEN]:
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
    part.item = number(level["item"], terms.OBJECT_KINDS[: terms.CARRIED], "the item")
    part.target = number(level["target"], terms.RECEPTACLE_KINDS, "the target")
    if not isinstance(level["receptacles"], (list, tuple)) or not isinstance(level["objects"], Mapping):
        raise LevelError(f"{name}: 'receptacles' must be a list, 'objects' a mapping from objects to receptacles")
    for place in level["receptacles"]:
        part.places[number(place, terms.NAMES[: terms.PLACES], "the receptacle")] = ROOM
    for thing, place in level["objects"].items():
        k = terms.PLACES + number(thing, terms.NAMES[terms.PLACES :], "the object")
        number(place, level["receptacles"], f"the place of {thing},")
        part.places[k] = terms.NAMES.index(place)
    for place in level.get("open", ()):
        number(place, level["receptacles"], "the open receptacle")
        part.states[terms.NAMES.index(place)] = OPEN
    if problem := fault(part) or _hopeless(part):
        raise LevelError(f"{name}: {problem}")


def _hopeless(part: Any) -> str | None:
    """Why the task of a level cannot be done, or is done already."""
    places = np.asarray(part.places).astype(int)
    here = {int(terms.KIND[k]) for k in range(terms.PLACES) if places[k] == ROOM}
    items = [int(places[k]) for k in range(terms.PLACES, MOST) if terms.KIND[k] == part.item and places[k] != GONE]
    task, item = int(part.task), terms.OBJECT_KINDS[part.item]
    if len(items) < 1 + (task == terms.TWO):
        return f"the house has {len(items)} of {item}"
    if not terms.TRAITS[terms.FIRST[part.item]] & terms.NEEDED[task]:
        return f"{item} does not fit the task {TASKS[task]!r}"
    if task == terms.LOOKED:
        return None if (places[MOST - 2 :] != GONE).any() else "the house has no lamp"
    if not terms.LIKELY[part.item, part.target] or int(part.target) not in here:
        return f"{item} cannot be brought to {terms.RECEPTACLE_KINDS[part.target]}"
    if terms.APPLIANCE[task] >= 0 and int(terms.APPLIANCE[task]) not in here:
        return f"the house has no {terms.RECEPTACLE_KINDS[terms.APPLIANCE[task]]}"
    there = [place for place in items if terms.KIND[place] == part.target]
    if (task == 0 and there) or (task == terms.TWO and len(there) > len(set(there))):
        return "the task is done already"
    return None


def fault(part: Any) -> str | None:
    """What is wrong with the places and states of a level, or of a record."""
    places, states = np.asarray(part.places).astype(int), np.asarray(part.states)
    if not np.isin(places[: terms.PLACES], (ROOM, GONE)).all():
        return "a receptacle is in something"
    opened = states[: terms.PLACES] != 0
    if (states[: terms.PLACES][opened] != OPEN).any() or (terms.TRAITS[: terms.PLACES][opened] & OPENABLE == 0).any():
        return "a receptacle that cannot be opened has a state"
    if (states & OPEN)[terms.PLACES :].any():
        return "an object is open"
    for k in range(terms.PLACES, MOST):
        place = places[k]
        if place in (GONE, HELD):
            continue
        if place >= terms.PLACES or places[place] != ROOM:
            return f"{terms.NAMES[k]} is in no receptacle of the house"
        if not terms.LIKELY[terms.KIND[k], terms.KIND[place]]:
            return f"{terms.NAMES[k]} cannot be in or on {terms.NAMES[place]}"
    held = np.flatnonzero(places == HELD)
    if len(held) > 1 or (terms.TRAITS[held] & terms.LAMP).any():
        return "two objects are carried, or a lamp"
    return None
