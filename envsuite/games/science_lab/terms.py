"""The terms of science experiments: rooms, things, substances and their laws, the commands, and the tasks."""

from __future__ import annotations

import numpy as np

from envsuite.kit import things
from envsuite.kit.commands import Commands, Verb

ROOMS = ("hall", "kitchen", "laboratory", "workshop", "greenhouse", "garden")
HALL, KITCHEN, LABORATORY, WORKSHOP, GREENHOUSE, GARDEN = range(6)

# Traits besides those of all text worlds.
SWITCHED, BOX, VESSEL, WIRE, PART, SAMPLE, ANIMAL, PLANT, SUBSTANCE = (1 << things.OWN_TRAIT + k for k in range(9))
LIVING, CONTACTS = ANIMAL | PLANT, PART | SAMPLE

# States besides those of all text worlds. A substance that is neither liquid nor gaseous is solid.
LIQUID, GAS, WET, SPROUT, BLOOM, FRUIT = (1 << things.OWN_STATE + k for k in range(6))

#: Furniture and the room where it always is.
_FURNITURE = {
    "stove": (KITCHEN, things.SUPPORTER | SWITCHED), "furnace": (WORKSHOP, things.CONTAINER | SWITCHED),
    "freezer": (KITCHEN, things.CONTAINER | things.OPENABLE), "sink": (KITCHEN, things.CONTAINER | SWITCHED),
    "counter": (KITCHEN, things.SUPPORTER), "cupboard": (LABORATORY, things.CONTAINER | things.OPENABLE),
    "lab bench": (LABORATORY, things.SUPPORTER), "workbench": (WORKSHOP, things.SUPPORTER),
    "potting table": (GREENHOUSE, things.SUPPORTER), "garden table": (GARDEN, things.SUPPORTER),
}  # fmt: skip
_SAMPLES = (
    "iron nail", "silver spoon", "copper coin", "wooden block", "glass marble", "rubber ball", "gray rod", "black stone"
)  # fmt: skip
_MELTABLE = ("water", "orange juice", "alcohol", "chocolate", "wax", "tin", "lead", "gray powder")
_PAINTS = ("red", "yellow", "blue", "orange", "green", "violet", "brown")

THINGS = (
    *(things.Thing(name, traits) for name, (_, traits) in _FURNITURE.items()),
    *(things.Thing(name, things.CONTAINER | BOX) for name in ("red box", "blue box")),
    *(
        things.Thing(name, things.PORTABLE | things.CONTAINER | VESSEL)
        for name in ("pan", "beaker", "jar", "cup", "bowl")
    ),
    things.Thing("flower pot", things.PORTABLE | things.CONTAINER),
    things.Thing("thermometer", things.PORTABLE),
    things.Thing("paint chart", things.PORTABLE),
    *(things.Thing(f"{color} wire", things.PORTABLE | WIRE) for color in ("red", "blue", "green", "black")),
    *(things.Thing(name, things.PORTABLE | PART) for name in ("battery", "bulb", "motor", "buzzer")),
    things.Thing("switch", things.PORTABLE | PART | SWITCHED),
    *(things.Thing(name, things.PORTABLE | SAMPLE) for name in _SAMPLES),
    *(things.Thing(name, things.PORTABLE | ANIMAL) for name in ("snail", "frog", "beetle")),
    *(things.Thing(name, things.PORTABLE | PLANT) for name in ("fern", "moss", "cactus", "bean", "pea")),
    *(things.Thing(name, SUBSTANCE, True) for name in _MELTABLE),
    things.Thing("soil", SUBSTANCE, True),
    *(things.Thing(f"{color} paint", SUBSTANCE, True) for color in _PAINTS),
)
NAMES = tuple(thing.name for thing in THINGS)
TRAITS = things.traits_of(THINGS)

STOVE, FURNACE, FREEZER, SINK, COUNTER, CUPBOARD, LAB_BENCH, WORKBENCH, POTTING_TABLE, GARDEN_TABLE = range(10)
RED_BOX, BLUE_BOX = NAMES.index("red box"), NAMES.index("blue box")
POT, THERMOMETER, CHART = (NAMES.index(name) for name in ("flower pot", "thermometer", "paint chart"))
BATTERY, BULB, BUZZER, SWITCH = (NAMES.index(name) for name in ("battery", "bulb", "buzzer", "switch"))
WATER, POWDER, SOIL = (NAMES.index(name) for name in ("water", "gray powder", "soil"))

#: The numbers of furniture, wires, samples and so on, and the first of each kind.
FURNITURE = len(_FURNITURE)
FIRST_VESSEL, VESSELS = NAMES.index("pan"), 5
FIRST_WIRE, WIRES = NAMES.index("red wire"), 4
FIRST_SAMPLE, SAMPLES, STRANGE = NAMES.index("iron nail"), len(_SAMPLES), NAMES.index("gray rod")
FIRST_SEED, SEEDS = NAMES.index("bean"), 2
FIRST_MELTABLE, MELTABLE = WATER, len(_MELTABLE)
FIRST_PAINT, PRIMARY = NAMES.index("red paint"), 3
ORANGE, BROWN = NAMES.index("orange paint"), NAMES.index("brown paint")

#: The room of each piece of furniture.
ROOM_OF = np.array([room for room, _ in _FURNITURE.values()], np.int64)

#: Where other things, or the vessels of substances, usually are.
USUAL = np.zeros(len(THINGS), np.int64)
USUAL[FIRST_VESSEL : FIRST_VESSEL + VESSELS] = COUNTER
USUAL[[POT, NAMES.index("bean"), NAMES.index("pea")]] = POTTING_TABLE
USUAL[[THERMOMETER, CHART]] = LAB_BENCH
USUAL[FIRST_WIRE : SWITCH + 1] = WORKBENCH
USUAL[FIRST_SAMPLE : FIRST_SAMPLE + SAMPLES] = LAB_BENCH
USUAL[NAMES.index("snail") : NAMES.index("cactus") + 1] = GARDEN_TABLE
USUAL[FIRST_MELTABLE : FIRST_MELTABLE + MELTABLE] = COUNTER, COUNTER, LAB_BENCH, COUNTER, COUNTER, *[LAB_BENCH] * 3
USUAL[SOIL] = GARDEN_TABLE
USUAL[FIRST_PAINT:] = LAB_BENCH

#: The places where things can be that are anywhere.
ANYWHERE = np.array([COUNTER, LAB_BENCH, WORKBENCH, POTTING_TABLE, GARDEN_TABLE, CUPBOARD], np.int64)

# Temperatures, in degrees Celsius. In each step a substance moves by RATE of the difference to what is around it.
AIR, STOVE_HEAT, FURNACE_HEAT, FREEZER_COLD, TAP = 20.0, 300.0, 700.0, -20.0, 15.0
COLDEST, HOTTEST = -20, 700
RATE = 0.125

#: The melting and boiling points of meltable things; that of the gray powder is drawn.
MELTS = np.array([0, -2, -114, 34, 62, 232, 327, 0], np.float64)
BOILS = np.array([100, 102, 78, 900, 900, 900, 900, 900], np.float64)

#: What the melting point of the powder may be, the limits that it is compared with, and the least difference of both.
POWDER_LOW, POWDER_HIGH, LIMIT_LOW, LIMIT_HIGH, MARGIN = 60, 250, 100, 200, 40

#: Whether each sample conducts; for the last two, which are strange, the level says so.
CONDUCTS = np.array([1, 1, 1, 0, 0, 0, 0, 0], np.int64)

#: Paints that make another one, in the order in which they are tried.
MIXES = np.array(
    [[FIRST_PAINT + k for k in row] for row in ((0, 1, 3), (1, 2, 4), (0, 2, 5), (3, 2, 6), (4, 0, 6), (5, 1, 6))],
    np.int64,
)

#: (things, 3) bool: the primary paints that are needed to make a paint; all of them for brown.
NEEDS_PAINT = np.array(
    [[any(k == row[2] and (row[0] >= ORANGE or FIRST_PAINT + p in row[:2]) for row in MIXES) for p in range(PRIMARY)]
     for k in range(len(THINGS))]
)  # fmt: skip

#: Steps of growth from one stage to the next (sprout, leaves, flowers, fruit), and steps that a wet pot stays wet.
STAGE, STAGES, WET_STEPS = 4, 4, 10

TASKS = ("boil", "melt", "freeze", "measure", "power", "conduct", "mix", "grow", "find")
BOIL, MELT, FREEZE, MEASURE, POWER, CONDUCT, MIX, GROW, FIND = range(len(TASKS))

#: The kinds of things that `find` asks for.
SORTS = ("living thing", "non-living thing", "plant", "animal")

#: (4, things) bool: which things are of each sort. A seed is a plant.
OF_SORT = np.array([TRAITS & LIVING != 0, TRAITS & LIVING == 0, TRAITS & PLANT != 0, TRAITS & ANIMAL != 0])
OF_SORT = OF_SORT[:, : len(THINGS)] & (np.arange(len(THINGS)) > BLUE_BOX)

#: The points of the three subgoals of each task.
POINTS = np.array([20, 30, 50], np.int64)

#: What each task can be about: things, or for `find` the numbers of sorts.
TARGETS = {
    "boil": ("water", "orange juice", "alcohol"),
    "melt": ("chocolate", "wax", "tin", "lead"),
    "freeze": ("water", "orange juice"),
    "measure": ("gray powder",),
    "power": ("bulb", "motor", "buzzer"),
    "conduct": _SAMPLES,
    "mix": tuple(f"{color} paint" for color in _PAINTS[PRIMARY:]),
    "grow": ("bean", "pea"),
}
#: The first target of each task and the number of its targets, which are numbered in a row.
FIRST_TARGET = np.array([*(NAMES.index(names[0]) for names in TARGETS.values()), 0], np.int64)
TARGET_COUNT = np.array([*(len(names) for names in TARGETS.values()), len(SORTS)], np.int64)


# Commands.
(
    GOES, LOOKS, LISTS, WAITS, READS, OPENS, CLOSES, TAKES, PUTS_IN, PUTS_ON, PLANTS, POURS, MIXES_IN, TURNS_ON,
    TURNS_OFF, CONNECTS, DISCONNECTS, MEASURES, FOCUSES,
) = range(19)  # fmt: skip

_PORTABLE, _LIDS, _SWITCHED = (
    things.with_trait(THINGS, trait) for trait in (things.PORTABLE, things.OPENABLE, SWITCHED)
)
_WIRES, _SUBSTANCES = {"wire": things.with_trait(THINGS, WIRE)}, things.with_trait(THINGS, SUBSTANCE)
_VESSELS, _FIXED = things.with_trait(THINGS, VESSEL), range(FURNITURE + 2)
_INTO, _ONTO = (tuple(k for k in _FIXED if THINGS[k].traits & trait) for trait in (things.CONTAINER, things.SUPPORTER))
_ITEM, _LID, _DEVICE = {"item": _PORTABLE}, {"thing": _LIDS}, {"device": _SWITCHED}

COMMANDS = Commands(
    (
        Verb("go", "go to {room}", "Go to a room next to this one.", {"room": ROOMS},
             ("go to the {room}", "walk to {room}", "walk to the {room}", "move to {room}", "move to the {room}",
              "enter {room}", "enter the {room}", "go {room}")),
        Verb("look", "look", "Look around.", {}, ("look around",)),
        Verb("inventory", "inventory", "List what you carry.", {}, ("check inventory",)),
        Verb("wait", "wait", "Let one step of time pass."),
        Verb("read", "read {thing}", "Read the paint chart.", {"thing": (CHART,)},
             ("examine {thing}", "look at {thing}")),
        Verb("open", "open {thing}", "Open something that is closed.", _LID),
        Verb("close", "close {thing}", "Close something that is open.", _LID, ("shut {thing}",)),
        Verb("take", "take {item}", "Take a thing.", _ITEM, ("pick up {item}", "get {item}", "grab {item}")),
        Verb("put_in", "put {item} in {place}", "Put a thing that you carry into something.",
             {**_ITEM, "place": _INTO}, ("put {item} into {place}", "place {item} in {place}",
                                         "move {item} to {place}")),
        Verb("put_on", "put {item} on {place}", "Put a thing that you carry on something.",
             {**_ITEM, "place": _ONTO}, ("put {item} onto {place}", "place {item} on {place}",
                                         "move {item} to {place}")),
        Verb("plant", "plant {seed} in {place}", "Put a seed that you carry into the flower pot.",
             {"seed": (FIRST_SEED, FIRST_SEED + 1), "place": (POT,)},
             ("put {seed} in {place}", "move {seed} to {place}", "plant {seed}")),
        Verb("pour", "pour {substance} into {vessel}", "Tip a substance from where it is into another vessel.",
             {"substance": _SUBSTANCES, "vessel": (*_VESSELS, POT)},
             ("pour {substance} in {vessel}", "put {substance} in {vessel}", "tip {substance} into {vessel}",
              "move {substance} to {vessel}")),
        Verb("mix", "mix {vessel}", "Stir what is in a vessel.", {"vessel": _VESSELS},
             ("stir {vessel}", "mix contents of {vessel}")),
        Verb("turn_on", "turn on {device}", "Switch something on.", _DEVICE,
             ("switch on {device}", "activate {device}")),
        Verb("turn_off", "turn off {device}", "Switch something off.", _DEVICE,
             ("switch off {device}", "deactivate {device}")),
        Verb("connect", "connect {wire} to {thing}", "Connect a free end of a wire to a free contact of a thing.",
             {**_WIRES, "thing": things.with_trait(THINGS, CONTACTS)}, ("attach {wire} to {thing}",)),
        Verb("disconnect", "disconnect {wire}", "Take both ends of a wire off.", _WIRES, ("detach {wire}",)),
        Verb("measure", "measure {substance}", "Measure the temperature with the thermometer that you carry.",
             {"substance": _SUBSTANCES[:MELTABLE]}, ("use thermometer on {substance}",
                                                     "measure temperature of {substance}")),
        Verb("focus", "focus on {thing}", "Point out the thing that the task is about. A mistake ends the episode.",
             {"thing": tuple(range(RED_BOX, len(THINGS)))}, ("focus {thing}",)),
    )
)  # fmt: skip
TABLE = COMMANDS.table


def _numbers(*verbs: int) -> np.ndarray:
    """The action of these verbs by their things, -1 for none."""
    return np.max([COMMANDS.numbers(verb) for verb in verbs], 0).astype(np.int64)


GO, OPEN_IT, CLOSE_IT, TAKE, MIX_IN, TURN_ON, TURN_OFF, DISCONNECT, MEASURE_IT, FOCUS = (
    _numbers(verb)
    for verb in (GOES, OPENS, CLOSES, TAKES, MIXES_IN, TURNS_ON, TURNS_OFF, DISCONNECTS, MEASURES, FOCUSES)
)
PUT, POUR, CONNECT = _numbers(PUTS_IN, PUTS_ON, PLANTS), _numbers(POURS), _numbers(CONNECTS)
LOOK, INVENTORY, WAIT, READ = (int(np.argmax(TABLE[:, 0] == verb)) for verb in (LOOKS, LISTS, WAITS, READS))
