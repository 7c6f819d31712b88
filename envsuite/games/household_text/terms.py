"""The terms of household chores: 24 receptacles and 40 objects with their names, where objects may be, the commands."""

from __future__ import annotations

import numpy as np

from envsuite.kit import things
from envsuite.kit.commands import Commands, Verb

# Traits besides those of all text worlds.
CLEANABLE, HEATABLE, COOLABLE, SLICEABLE, KNIFE, LAMP = (1 << things.OWN_TRAIT + k for k in range(6))

_CLOSED = things.CONTAINER | things.OPENABLE

#: Kinds of receptacles: how many there are, and their traits.
RECEPTACLES = {
    "fridge": (1, _CLOSED), "microwave": (1, _CLOSED), "sink": (1, things.CONTAINER), "stove": (1, things.SUPPORTER),
    "counter": (2, things.SUPPORTER), "cabinet": (4, _CLOSED), "drawer": (4, _CLOSED),
    "dining table": (1, things.SUPPORTER), "coffee table": (1, things.SUPPORTER), "side table": (1, things.SUPPORTER),
    "shelf": (2, things.SUPPORTER), "sofa": (1, things.SUPPORTER), "bed": (1, things.SUPPORTER),
    "desk": (1, things.SUPPORTER), "dresser": (1, things.SUPPORTER), "bin": (1, things.CONTAINER),
}  # fmt: skip

_CROP = things.PORTABLE | CLEANABLE | HEATABLE | COOLABLE | SLICEABLE
_DISH = things.PORTABLE | CLEANABLE | HEATABLE | COOLABLE

#: Kinds of objects: how many there are, and their traits.
OBJECTS = {
    "apple": (2, _CROP), "potato": (2, _CROP), "tomato": (2, _CROP),
    "bread": (2, things.PORTABLE | HEATABLE | COOLABLE | SLICEABLE),
    "lettuce": (2, things.PORTABLE | CLEANABLE | COOLABLE | SLICEABLE),
    "egg": (2, _DISH), "cup": (2, _DISH), "mug": (2, _DISH), "plate": (2, _DISH),
    "bowl": (2, things.PORTABLE | CLEANABLE | COOLABLE), "pan": (2, things.PORTABLE | CLEANABLE | COOLABLE),
    "knife": (2, things.PORTABLE | CLEANABLE | KNIFE), "spoon": (2, things.PORTABLE | CLEANABLE),
    "cloth": (2, things.PORTABLE | CLEANABLE), "soap": (2, things.PORTABLE | CLEANABLE),
    "book": (2, things.PORTABLE), "pen": (2, things.PORTABLE), "phone": (2, things.PORTABLE),
    "pillow": (2, things.PORTABLE), "desk lamp": (1, LAMP), "floor lamp": (1, LAMP),
}  # fmt: skip


def _things(kinds: dict[str, tuple[int, int]]) -> list[things.Thing]:
    return [
        things.Thing(f"{name} {k + 1}" if count > 1 else name, traits)
        for name, (count, traits) in kinds.items()
        for k in range(count)
    ]


def _kinds(kinds: dict[str, tuple[int, int]]) -> list[int]:
    return [kind for kind, (count, _) in enumerate(kinds.values()) for _ in range(count)]


THINGS = (*_things(RECEPTACLES), *_things(OBJECTS))
NAMES = tuple(thing.name for thing in THINGS)
TRAITS = things.traits_of(THINGS)
RECEPTACLE_KINDS, OBJECT_KINDS = tuple(RECEPTACLES), tuple(OBJECTS)

#: The number of receptacles, which come first; of kinds of objects that can be carried, which come first.
PLACES, CARRIED = sum(count for count, _ in RECEPTACLES.values()), len(OBJECT_KINDS) - 2

#: The kind of each thing, among receptacles or among objects, and the first thing of each kind of objects.
KIND = np.array(_kinds(RECEPTACLES) + _kinds(OBJECTS), np.int64)
FIRST = np.array([PLACES + int(np.argmax(KIND[PLACES:] == kind)) for kind in range(len(OBJECT_KINDS))], np.int64)

FRIDGE, MICROWAVE, SINK = (RECEPTACLE_KINDS.index(name) for name in ("fridge", "microwave", "sink"))

#: Where objects may be: for each kind, receptacles where it often is (4), and others (1).
_OFTEN = {
    "apple": "fridge counter", "potato": "fridge counter", "tomato": "fridge counter", "bread": "counter",
    "lettuce": "fridge", "egg": "fridge", "cup": "cabinet counter", "mug": "cabinet counter",
    "plate": "cabinet counter", "bowl": "cabinet counter", "pan": "stove", "knife": "drawer counter",
    "spoon": "drawer", "cloth": "shelf", "soap": "sink", "book": "desk bed shelf", "pen": "desk drawer",
    "phone": "desk bed", "pillow": "bed sofa", "desk lamp": "desk", "floor lamp": "desk",
}  # fmt: skip
_FOOD = "fridge, microwave, sink, counter, dining table, bin"
_DISHES = "fridge, microwave, sink, counter, cabinet, dining table, coffee table, shelf"
_CUTLERY = "sink, counter, drawer, dining table"
_BATH = "sink, counter, cabinet, drawer, shelf, bin"
_SMALL = "drawer, dining table, coffee table, side table, shelf, sofa, bed, desk, dresser"
_ALSO = {
    **dict.fromkeys(("apple", "potato", "tomato", "bread", "lettuce", "egg"), _FOOD),
    **dict.fromkeys(("cup", "mug", "plate", "bowl"), _DISHES),
    "pan": "stove, sink, counter, cabinet, dining table, fridge",
    **dict.fromkeys(("knife", "spoon"), _CUTLERY),
    **dict.fromkeys(("cloth", "soap"), _BATH),
    **dict.fromkeys(("book", "pen", "phone"), _SMALL),
    "pillow": "sofa, bed",
    **dict.fromkeys(("desk lamp", "floor lamp"), "side table, desk, dresser"),
}


def _likely() -> np.ndarray:
    found = np.zeros((len(OBJECT_KINDS), len(RECEPTACLE_KINDS)), np.int64)
    for kind, name in enumerate(OBJECT_KINDS):
        for place, other in enumerate(RECEPTACLE_KINDS):
            found[kind, place] = other in _ALSO[name].split(", ")
            if other in _OFTEN[name].split():
                found[kind, place] = 4
    return found


#: (kinds of objects, kinds of receptacles) int64: how likely an object is there; 0 where it cannot be.
LIKELY = _likely()

TASKS = ("place", "two", "clean", "heat", "cool", "look")
PLACE, TWO, CLEANED, HEATED, COOLED, LOOKED = range(len(TASKS))

#: What an object must allow for each task, and the kind of receptacle where that is done, -1 for none.
NEEDED = np.array([things.PORTABLE, things.PORTABLE, CLEANABLE, HEATABLE, COOLABLE, things.PORTABLE], np.int64)
APPLIANCE = np.array([-1, -1, SINK, MICROWAVE, FRIDGE, -1], np.int64)

_PLACES = tuple(range(PLACES))
_DOORS = things.with_trait(THINGS, things.OPENABLE)
_ITEMS = tuple(k for k in things.with_trait(THINGS, things.PORTABLE))
_INTO, _ONTO = (tuple(k for k in _PLACES if THINGS[k].traits & trait) for trait in (things.CONTAINER, things.SUPPORTER))

COMMANDS = Commands(
    (
        Verb("go", "go to {place}", "Go to a receptacle.", {"place": _PLACES}, ("walk to {place}", "goto {place}")),
        Verb("open", "open {place}", "Open the receptacle where you are.", {"place": _DOORS}),
        Verb("close", "close {place}", "Close the receptacle where you are.", {"place": _DOORS}, ("shut {place}",)),
        Verb(
            "take", "take {item}", "Take an object from the receptacle where you are.", {"item": _ITEMS},
            ("pick up {item}", "get {item}", "grab {item}"),
        ),
        Verb(
            "put_in", "put {item} in {place}", "Put the object in your hands into the receptacle where you are.",
            {"item": _ITEMS, "place": _INTO},
            ("move {item} to {place}", "place {item} in {place}", "put {item} into {place}", "put {item} on {place}"),
        ),
        Verb(
            "put_on", "put {item} on {place}", "Put the object in your hands on the receptacle where you are.",
            {"item": _ITEMS, "place": _ONTO},
            ("move {item} to {place}", "place {item} on {place}", "put {item} onto {place}", "put {item} in {place}"),
        ),
        Verb(
            "clean", "clean {item}", "Clean the object in your hands, at the sink.",
            {"item": things.with_trait(THINGS, CLEANABLE)}, ("wash {item}", "rinse {item}"),
        ),
        Verb(
            "heat", "heat {item}", "Heat the object in your hands, at the microwave.",
            {"item": things.with_trait(THINGS, HEATABLE)}, ("warm {item}", "microwave {item}"),
        ),
        Verb(
            "cool", "cool {item}", "Cool the object in your hands, at the fridge.",
            {"item": things.with_trait(THINGS, COOLABLE)}, ("chill {item}",),
        ),
        Verb(
            "slice", "slice {item}", "Slice an object where you are, with a knife in your hands.",
            {"item": things.with_trait(THINGS, SLICEABLE)}, ("cut {item}",),
        ),
        Verb(
            "use", "use {lamp}", "Switch a lamp where you are on or off.", {"lamp": things.with_trait(THINGS, LAMP)},
            ("toggle {lamp}",),  # "turn off" depends on the lamp: see `view.understand`
        ),
        Verb(
            "examine", "examine {thing}", "Look at a thing closely.", {"thing": tuple(range(len(THINGS)))},
            ("look at {thing}",),
        ),
        Verb("look", "look", "Look around.", others=("look around",)),
        Verb("inventory", "inventory", "See what you carry."),
    )
)  # fmt: skip
(GOES, OPENS, CLOSES, TAKES, PUTS_IN, PUTS_ON, CLEANS, HEATS, COOLS, SLICES, USES, EXAMINES, LOOKS, LISTS) = range(14)
TABLE = COMMANDS.table

#: The action of each verb with a thing, -1 for none: (verbs, 64) int16; and of putting a thing somewhere: (64, 64).
ACTION = np.array(
    [COMMANDS.numbers(verb) if verb not in (PUTS_IN, PUTS_ON) else [-1] * things.MOST for verb in range(14)]
)
PUT = np.maximum(COMMANDS.numbers(PUTS_IN), COMMANDS.numbers(PUTS_ON)).astype(np.int64)
ACTION = ACTION.astype(np.int64)
LOOK, INVENTORY = len(TABLE) - 2, len(TABLE) - 1
