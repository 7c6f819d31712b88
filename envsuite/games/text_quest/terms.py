"""The terms of text quests: 64 things and 20 rooms with their names, the commands, and the kinds of facts in goals."""

from __future__ import annotations

import numpy as np

from envsuite.kit import things
from envsuite.kit.commands import Commands, Verb

# Traits besides those of all text worlds: what heats food in one of three ways, and what cuts it.
STOVE, OVEN, GRILL, SHARP = (1 << things.OWN_TRAIT + k for k in range(4))
HEATS = STOVE | OVEN | GRILL

# States besides those of all text worlds. Raw food can be cooked and eaten, food that needs it must be cooked first.
RAW, NEEDS, INEDIBLE, FRIED, ROASTED, GRILLED, BURNED, UNCUT, DICED, CHOPPED, EATEN = (
    1 << things.OWN_STATE + k for k in range(11)
)
WAYS, CUTS = FRIED | ROASTED | GRILLED, things.SLICED | DICED | CHOPPED

#: The words for the states of food, in the order in which they are told.
STATE_WORDS = {
    BURNED: "burned", FRIED: "fried", ROASTED: "roasted", GRILLED: "grilled", NEEDS: "raw",
    things.SLICED: "sliced", DICED: "diced", CHOPPED: "chopped",
}  # fmt: skip
#: All states by their names in levels.
STATE_NAMES = {
    "open": things.OPEN, "locked": things.LOCKED, "raw": RAW, "needs cooking": NEEDS, "inedible": INEDIBLE,
    "cooked": things.COOKED, "fried": FRIED, "roasted": ROASTED, "grilled": GRILLED, "burned": BURNED, "uncut": UNCUT,
    "sliced": things.SLICED, "diced": DICED, "chopped": CHOPPED, "eaten": EATEN,
}  # fmt: skip

_LID = things.OPENABLE | things.LOCKABLE
_DOORS = (
    "oak door", "iron gate", "glass door", "red door", "blue door", "screen door", "cellar door", "wooden gate",
    "steel door", "sliding door",
)  # fmt: skip
_CONTAINERS = ("chest", "crate", "cabinet", "suitcase", "safe", "toolbox")
_SUPPORTERS = ("table", "shelf", "desk", "bench", "bed", "counter", "stand")
_KEYS = ("brass key", "silver key", "gold key", "iron key", "copper key", "rusty key", "small key", "keycard")
_OBJECTS = (
    "hat", "book", "cup", "doll", "pen", "umbrella", "candle", "clock", "towel", "ball", "vase", "scarf", "letter",
)  # fmt: skip


#: Foods with the states that they have where there is a kitchen.
_COOKABLE, _WHOLE, _TOUGH = RAW | UNCUT, NEEDS | INEDIBLE, NEEDS | INEDIBLE | UNCUT
_FOODS = (
    ("apple", _COOKABLE), ("banana", _COOKABLE), ("carrot", _COOKABLE), ("onion", _COOKABLE), ("tomato", _COOKABLE),
    ("pepper", _COOKABLE), ("zucchini", _COOKABLE), ("potato", _TOUGH), ("trout", _TOUGH), ("pork chop", _TOUGH),
    ("egg", _WHOLE), ("sausage", _WHOLE),
)  # fmt: skip

THINGS = (
    *(things.Thing(name, things.DOOR | _LID) for name in _DOORS),
    *(things.Thing(name, things.CONTAINER | _LID) for name in _CONTAINERS),
    things.Thing("fridge", things.CONTAINER | _LID),
    things.Thing("oven", things.CONTAINER | _LID | OVEN),
    *(things.Thing(name, things.SUPPORTER) for name in _SUPPORTERS),
    things.Thing("stove", things.SUPPORTER | STOVE),
    things.Thing("grill", things.SUPPORTER | GRILL),
    *(things.Thing(name, things.PORTABLE | things.KEY) for name in _KEYS),
    *(things.Thing(name, things.PORTABLE | things.EDIBLE) for name, _ in _FOODS),
    things.Thing("meal", things.PORTABLE | things.EDIBLE),
    things.Thing("cookbook", things.PORTABLE),
    things.Thing("knife", things.PORTABLE | SHARP),
    things.Thing("coin", things.PORTABLE),
    *(things.Thing(name, things.PORTABLE) for name in _OBJECTS),
)
NAMES = tuple(thing.name for thing in THINGS)
NUMBER = {name: k for k, name in enumerate(NAMES)}
TRAITS = things.traits_of(THINGS)

# The first thing of each kind, and their numbers.
FIRST_DOOR, DOORS = 0, 10
FIRST_CONTAINER, CONTAINERS = 10, 6
FRIDGE, THE_OVEN = 16, 17
FIRST_SUPPORTER, SUPPORTERS = 18, 7
THE_STOVE, THE_GRILL = 25, 26
FIRST_KEY, KEYS = 27, 8
FIRST_FOOD, FOODS = 35, 12
MEAL, COOKBOOK, KNIFE, COIN = 47, 48, 49, 50
FIRST_OBJECT, OBJECTS = 51, 13

#: The states of each food where there is a kitchen.
FRESH = np.array([states for _, states in _FOODS], np.int64)

ROOMS = (
    "kitchen", "pantry", "hall", "living room", "bedroom", "bathroom", "study", "attic", "cellar", "garage", "garden",
    "shed", "library", "workshop", "office", "gallery", "nursery", "laundry", "studio", "yard",
)  # fmt: skip
KITCHEN = 0

# Commands.
(
    GOES, LOOKS, LISTS, EXAMINES, TAKES, DROPS, PUTS, INSERTS, OPENS, CLOSES, LOCKS, UNLOCKS, EATS, COOKS, SLICES,
    DICES, CHOPS, PREPARES,
) = range(18)  # fmt: skip

_PORTABLE, _LIDS, _EDIBLE = (
    things.with_trait(THINGS, trait) for trait in (things.PORTABLE, things.OPENABLE, things.EDIBLE)
)
_ITEM, _FOOD, _BLADES = {"item": _PORTABLE}, {"food": _EDIBLE}, things.with_trait(THINGS, SHARP)
_LOCK = {"thing": _LIDS, "key": things.with_trait(THINGS, things.KEY)}


def _cut(name: str) -> Verb:
    label = f"{name} {{food}} with {{tool}}"
    return Verb(name, label, f"{name.capitalize()} a food that you carry.", {**_FOOD, "tool": _BLADES},
                (f"{name} {{food}}", f"{name} {{food}} using {{tool}}"))  # fmt: skip


COMMANDS = Commands(
    (
        Verb("go", "go {direction}", "Leave the room by an exit.", {"direction": things.DIRECTIONS},
             ("walk {direction}", "move {direction}", "go to the {direction}", "{direction}")),
        Verb("look", "look", "Look at the room that you are in.", {}, ("look around",)),
        Verb("inventory", "inventory", "List what you carry.", {}, ("list what i carry", "check inventory")),
        Verb("examine", "examine {thing}", "Look at a thing; this reads the cookbook.",
             {"thing": tuple(range(len(THINGS)))}, ("look at {thing}", "read {thing}", "inspect {thing}")),
        Verb("take", "take {item}", "Take a thing from the floor, or from where it is.", _ITEM,
             ("pick up {item}", "get {item}", "grab {item}")),
        Verb("drop", "drop {item}", "Put a thing that you carry on the floor.", _ITEM, ("put down {item}",)),
        Verb("put", "put {item} on {place}", "Put a thing that you carry on a piece of furniture.",
             {**_ITEM, "place": things.with_trait(THINGS, things.SUPPORTER)},
             ("place {item} on {place}", "put {item} onto {place}")),
        Verb("insert", "insert {item} into {place}", "Put a thing that you carry into something open.",
             {**_ITEM, "place": things.with_trait(THINGS, things.CONTAINER)},
             ("put {item} in {place}", "put {item} into {place}")),
        Verb("open", "open {thing}", "Open a door or a container that is closed.", {"thing": _LIDS}),
        Verb("close", "close {thing}", "Close a door or a container.", {"thing": _LIDS}, ("shut {thing}",)),
        Verb("lock", "lock {thing} with {key}", "Lock something closed with its key.", _LOCK),
        Verb("unlock", "unlock {thing} with {key}", "Unlock something with its key.", _LOCK,
             ("unlock {thing} using {key}", "use {key} on {thing}")),
        Verb("eat", "eat {food}", "Eat a food that you carry.", _FOOD),
        Verb("cook", "cook {food} with {heat}", "Cook a food that you carry: the stove fries, the oven roasts, the "
             "grill grills.", {**_FOOD, "heat": things.with_trait(THINGS, HEATS)},
             ("cook {food} on {heat}", "cook {food} in {heat}", "cook {food} using {heat}")),
        _cut("slice"),
        _cut("dice"),
        _cut("chop"),
        Verb("prepare_meal", "prepare meal", "Make the meal of the recipe, in the kitchen, from what you carry.", {},
             ("make meal", "prepare the meal")),
    )
)  # fmt: skip
TABLE = COMMANDS.table

#: The numbers of the commands, by verb and things.
GO, EXAMINE, TAKE, OPEN_IT, EAT = (COMMANDS.numbers(verb) for verb in (GOES, EXAMINES, TAKES, OPENS, EATS))
PUT, INSERT, UNLOCK, COOK = (COMMANDS.numbers(verb) for verb in (PUTS, INSERTS, UNLOCKS, COOKS))
#: The commands that cut each food, by the way; 0 for none.
CUT = np.stack([np.zeros(things.MOST, np.int16), *(COMMANDS.numbers(SLICES + k)[:, KNIFE] for k in range(3))])
PREPARE = int(np.flatnonzero(TABLE[:, 0] == PREPARES)[0])

#: What cooks in each way: the stove fries, the oven roasts, the grill grills.
HEATS_BY = np.array([0, THE_STOVE, THE_OVEN, THE_GRILL], np.int64)

# Kinds of facts: of a thing and a place, of the agent and a room, and of a thing and states that it has or has not.
NO_FACT, PLACED, AGENT_IN, IS, IS_NOT = range(5)

#: The numbers of quests, of their facts, of facts that end an episode, of ingredients, and of commands in a plan.
QUESTS, FACTS, FAILS, INGREDIENTS, PLAN = 20, 32, 48, 5, 128

# Ways to cook and to cut an ingredient, with their states; 0 for not at all.
COOKED_STATES = np.array([0, FRIED, ROASTED, GRILLED], np.int64)
CUT_STATES = np.array([0, things.SLICED, DICED, CHOPPED], np.int64)
COOKED_WORDS, CUT_WORDS = ("", "fried", "roasted", "grilled"), ("", "sliced", "diced", "chopped")

TASKS = ("quest", "coin", "treasure", "cooking")
QUEST, COIN_TASK, TREASURE, COOKING = range(4)
OBSTACLES = ("none", "closed", "locked")
