"""Science experiments: a house with a laboratory, things in its rooms, and a task.

The task is drawn uniformly among those that are asked for, then what it is about. Four rooms are next to the hall; the
fifth one is behind one of them. The house has the things that the task needs; each substance is in a vessel of its
own. Water is not among them: it comes from the tap. Other things are of no use for the task.

| difficulty | where things are | other things | where the agent starts |
|---|---|---|---|
| 1 | on one piece of furniture, and the boxes are beside it | 0 | there |
| 2 | where they usually are | 6 | in any room |
| 3 | on any piece of furniture, or in the closed cupboard | 16 | in any room |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import is_integer
from envsuite.core.random import randint
from envsuite.core.ranges import below, flag, limited, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.generators.experiment_terms import (
    ANYWHERE,
    BATTERY,
    BLUE_BOX,
    BOIL,
    BOX,
    BULB,
    BUZZER,
    CONDUCT,
    COUNTER,
    FIND,
    FIRST_PAINT,
    FIRST_TARGET,
    FIRST_VESSEL,
    FIRST_WIRE,
    FREEZE,
    FREEZER,
    FURNACE,
    FURNITURE,
    GARDEN,
    GREENHOUSE,
    GROW,
    HALL,
    LIMIT_HIGH,
    LIMIT_LOW,
    MARGIN,
    MEASURE,
    MELT,
    MIX,
    NAMES,
    NEEDS_PAINT,
    OF_SORT,
    ORANGE,
    POT,
    POWDER_HIGH,
    POWDER_LOW,
    POWER,
    PRIMARY,
    RED_BOX,
    ROOM_OF,
    ROOMS,
    SINK,
    SOIL,
    SORTS,
    STOVE,
    STRANGE,
    SUBSTANCE,
    TARGET_COUNT,
    TARGETS,
    TASKS,
    THERMOMETER,
    THINGS,
    TRAITS,
    USUAL,
    VESSEL,
    VESSELS,
    WATER,
    WIRE,
    WIRES,
    WORKBENCH,
)
from envsuite.kit.things import GONE, HELD, MOST, PORTABLE, ROOM, clear_things
from envsuite.kit.things import fields as thing_fields

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Task = Literal["boil", "melt", "freeze", "measure", "power", "conduct", "mix", "grow", "find"]
Difficulty = Annotated[int, Between(1, 3)]

#: The number of things that the task does not need, by difficulty.
OTHERS = np.array([0, 0, 6, 16], np.int64)


@large_kernel
def some_place(s, thing):
    """Where a thing is laid that usually is where this one is."""
    if s.params.difficulty == 1:
        return np.int64(WORKBENCH if s.level.task == POWER or s.level.task == CONDUCT else COUNTER)
    if s.params.difficulty == 2:
        return np.int64(USUAL[thing])
    return np.int64(ANYWHERE[randint(s, len(ANYWHERE))])


@large_kernel
def lay(s, thing):
    """Add a thing to the house."""
    s.level.places[thing] = some_place(s, thing)


@large_kernel
def pick(s, first, count, traits):
    """A random one of these things that is not in the house yet and has one of these traits, or -1."""
    found, seen = np.int64(-1), 0
    for thing in range(first, first + count):
        if s.level.places[thing] == GONE and TRAITS[thing] & traits != 0:
            seen += 1
            if randint(s, seen) == 0:
                found = np.int64(thing)
    return found


@large_kernel
def lay_some(s, first, count, number):
    """Add this number of random ones of these things."""
    for _ in range(number):
        thing = pick(s, first, count, -1)
        if thing >= 0:
            lay(s, thing)


@large_kernel
def fill(s, substance):
    """Add a substance in a vessel, if a vessel is left."""
    vessel = pick(s, FIRST_VESSEL, VESSELS, VESSEL)
    if vessel >= 0:
        s.level.places[vessel] = some_place(s, substance)
        s.level.places[substance] = vessel


@kernel
def build_rooms(s):
    """Draw the room that is not next to the hall, and the room next to it; join all of them, in order."""
    far = 1 + randint(s, len(ROOMS) - 1)
    near = 1 + randint(s, len(ROOMS) - 2)
    near += near >= far
    for one in range(len(ROOMS)):
        for other in range(one + 1, len(ROOMS)):
            if (one == HALL and other != far) or (one == min(near, far) and other == max(near, far)):
                join(s.level, one, other)
    for thing in range(FURNITURE):
        s.level.places[thing] = ROOM + ROOM_OF[thing]


@large_kernel
def join(level, one, other):
    """Join two rooms by their first free exits."""
    for room, behind in ((one, other), (other, one)):
        side = 0
        while side < 3 and level.exits[room, side] >= 0:
            side += 1
        level.exits[room, side] = behind


@kernel
def draw_task(s):
    """Draw the task among those that are asked for, and what it is about."""
    count = 0
    for task in range(len(TASKS)):
        if s.params.tasks >> task & 1:
            count += 1
            if randint(s, count) == 0:
                s.level.task = task
    task = np.int64(s.level.task)
    s.level.target = FIRST_TARGET[task] + randint(s, TARGET_COUNT[task])
    s.level.box = RED_BOX + (randint(s, 2) if task == FIND else 0)
    for k in range(2):
        s.level.conducts[k] = randint(s, 2)
    s.level.limit = LIMIT_LOW + 10 * randint(s, (LIMIT_HIGH - LIMIT_LOW) // 10 + 1)
    if randint(s, 2):
        low = s.level.limit + MARGIN
        s.level.melts = low + 10 * randint(s, (POWDER_HIGH - low) // 10 + 1)
    else:
        high = s.level.limit - MARGIN
        s.level.melts = POWDER_LOW + 10 * randint(s, (high - POWDER_LOW) // 10 + 1)
    if task != MEASURE:
        s.level.limit = LIMIT_LOW


@kernel
def lay_needed(s):
    """Add what the task needs."""
    task, target = np.int64(s.level.task), np.int64(s.level.target)
    if task <= FREEZE and target == WATER:
        lay_some(s, FIRST_VESSEL, VESSELS, 1)
    elif task <= MEASURE:
        fill(s, target)
    if task == MEASURE:
        lay(s, THERMOMETER)
    if task == POWER or task == CONDUCT:
        lay(s, target)
        lay(s, BATTERY)
        lay_some(s, FIRST_WIRE, WIRES, 2 + (task == CONDUCT))
        if task == CONDUCT:
            lay_some(s, BULB, BUZZER - BULB + 1, 1)
    if task == MIX:
        for paint in range(PRIMARY):
            if NEEDS_PAINT[target, paint]:
                fill(s, FIRST_PAINT + paint)
    if task == GROW:
        lay(s, target)
        lay(s, POT)
        fill(s, SOIL)
        lay_some(s, FIRST_VESSEL, VESSELS, 1)
    if task == FIND:
        lay_of_sort(s, target)


@kernel
def lay_of_sort(s, sort):
    """Add a random thing that `find` asks for."""
    found, seen = np.int64(-1), 0
    for thing in range(FIRST_VESSEL, len(USUAL)):
        if TRAITS[thing] & PORTABLE != 0 and OF_SORT[sort, thing]:
            seen += 1
            if randint(s, seen) == 0:
                found = np.int64(thing)
    lay(s, found)


@large_kernel
def make(s):
    """Draw the rooms, the task, what it needs, and other things."""
    clear_things(s.level)
    build_rooms(s)
    draw_task(s)
    s.level.room = ROOM_OF[some_place(s, 0)] if s.params.difficulty == 1 else randint(s, len(ROOMS))
    for box in range(RED_BOX, BLUE_BOX + 1):
        s.level.places[box] = ROOM + (s.level.room if s.params.difficulty == 1 else randint(s, len(ROOMS)))
    lay_needed(s)
    for _ in range(OTHERS[s.params.difficulty]):
        thing = pick(s, FIRST_VESSEL, ORANGE - FIRST_VESSEL, PORTABLE | SUBSTANCE)
        if thing >= 0 and not is_of_use(s, thing):
            if TRAITS[thing] & PORTABLE != 0:
                lay(s, thing)
            else:
                fill(s, thing)


@kernel
def is_of_use(s, thing):
    """Whether a thing would make the task easier; water too, which comes from the tap."""
    task, traits = s.level.task, TRAITS[thing]
    if task == FIND:
        return OF_SORT[s.level.target, thing] or thing == WATER
    if task == POWER or task == CONDUCT:
        return traits & WIRE != 0 or BULB <= thing <= BUZZER or thing == WATER
    return traits & VESSEL != 0 or thing == WATER


def fields() -> list[tuple]:
    """The fields of a level."""
    return [
        *thing_fields(len(ROOMS)),
        ("task", below(np.int64, len(TASKS))),
        ("target", below(np.int64, len(THINGS))),  # the thing that the task is about; for "find" the number of a sort
        ("box", within(np.int64, RED_BOX, BLUE_BOX)),  # the box of "find"
        ("limit", within(np.int64, LIMIT_LOW, LIMIT_HIGH)),  # the temperature of "measure"
        ("melts", within(np.int64, POWDER_LOW, POWDER_HIGH)),  # the melting point of the gray powder
        ("conducts", flag(), (2,)),  # whether the gray rod and the black stone conduct
    ]


class Experiments(Generator):
    """Houses with a science experiment.

    Args:
        tasks: the tasks that are drawn.
        difficulty: from 1 to 3; see above.
    """

    make = make

    def __init__(self, tasks: Sequence[Task] = TASKS, difficulty: Difficulty = 2):  # type: ignore[assignment]
        if not tasks:
            raise ParameterError(f"tasks must name at least one of {', '.join(TASKS)}")
        chosen = sum(1 << TASKS.index(task) for task in set(tasks))
        self.define(
            level=fields(),
            params={"tasks": limited(chosen, 1, (1 << len(TASKS)) - 1), "difficulty": difficulty},
        )

    def decode(self, s: Any) -> dict[str, Any]:
        return write_experiment(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_experiment(s.level, level, "experiments")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures. The difficulty is the number of things besides furniture."""
        return {"size": [len(level["rooms"]) + 1, len(level["things"])], "solvable": True,
                "difficulty": len(level["things"])}  # fmt: skip

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """All rooms with what is in them."""
        from envsuite.core.record import as_views
        from envsuite.generators.experiment_pictures import house, started
        from envsuite.render.scene import Label, Scene, wrap

        s = as_views(self.records(1))[0]
        self.encode(s, level)
        scene, words = Scene(30, 18.5), wrap(task_in_words(s.level), 29, 0.55)[:2]
        for k, line in enumerate(words):
            scene.add(Label(0.5, 0.8 + 0.75 * k, line, 0.55, align="left", bold=True))
        house(scene, started(s.level), (0.4, 2.0, 29.2, 16.2))
        return scene


# Words.


def task_in_words(part: Any) -> str:
    """The task of a level as an instruction."""
    task, target = int(part.task), int(part.target)
    if task == FIND:
        box = NAMES[int(part.box)]
        return f"Find {_an(SORTS[target])}. Focus on it, then put it in the {box}."
    name = NAMES[target]
    if task in (BOIL, MELT, FREEZE):
        return f"Focus on the {name}, and {TASKS[task]} it."
    if task == MEASURE:
        limit = int(part.limit)
        return (
            f"Find out whether the melting point of the {name} is above or below {limit} degrees. "
            "If it is above, focus on the red box; if it is below, focus on the blue box."
        )
    if task == POWER:
        return f"Focus on the {name}, and make it run with electricity from the battery."
    if task == CONDUCT:
        return (
            f"Find out whether the {name} conducts electricity. If it does, put it in the red box; if it does not, "
            "put it in the blue box."
        )
    if task == MIX:
        return f"Make some {name} by mixing. Then focus on it."
    return f"Focus on the {name} seed, and grow it until the plant bears fruit."


def _an(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


# Levels as plain data.

_PARTS = ("task", "target", "start", "rooms", "things")
_OTHER = ("kind", "box", "limit", "melts", "conducts")


def write_experiment(part: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    pairs = [
        [ROOMS[one], ROOMS[other]]
        for one in range(len(ROOMS))
        for other in range(one + 1, len(ROOMS))
        if other in part.exits[one].tolist()
    ]
    task, target = int(part.task), int(part.target)
    found: dict[str, Any] = {
        "task": TASKS[task],
        "target": SORTS[target] if task == FIND else NAMES[target],
        "start": ROOMS[part.room],
        "rooms": pairs,
        "things": {
            name: _place_name(int(part.places[k]))
            for k, name in enumerate(NAMES)
            if k >= FURNITURE and part.places[k] != GONE
        },
    }
    if task == FIND:
        found["box"] = NAMES[part.box]
    if task == MEASURE:
        found["limit"] = int(part.limit)
    found["melts"] = int(part.melts)
    found["conducts"] = [NAMES[STRANGE + k] for k in range(2) if part.conducts[k]]
    return found


def _place_name(place: int) -> str:
    return "agent" if place == HELD else ROOMS[place - ROOM] if place >= ROOM else NAMES[place]


def read_experiment(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    if not set(_PARTS) <= set(level) <= {*_PARTS, *_OTHER}:
        raise LevelError(
            f"{name}: a level has {', '.join(map(repr, _PARTS))} and perhaps {', '.join(map(repr, _OTHER[1:]))}"
        )

    def number(word: Any, words: Any, what: str) -> int:
        if not isinstance(word, str) or word not in words:
            raise LevelError(f"{name}: {what} {word!r:.40} is none of {', '.join(words)}")
        return list(words).index(word)

    def degrees(key: str, low: int, high: int) -> int:
        value = level.get(key, low)
        if not is_integer(value) or not low <= value <= high:
            raise LevelError(f"{name}: {key!r} is {value!r:.40}; integers from {low} to {high} are allowed")
        return int(value)

    clear_things(part)
    part.task = number(level["task"], TASKS, "the task")
    if part.task == FIND:
        part.target = number(level["target"], SORTS, "the target")
    else:
        number(level["target"], TARGETS[level["task"]], "the target")
        part.target = NAMES.index(level["target"])
    part.room = number(level["start"], ROOMS, "the start")
    part.box = RED_BOX + number(level.get("box", "red box"), ("red box", "blue box"), "the box")
    part.limit = degrees("limit", LIMIT_LOW, LIMIT_HIGH)
    part.melts = degrees("melts", POWDER_LOW, POWDER_HIGH)
    part.conducts = [0, 0]
    for word in level.get("conducts", ()):
        part.conducts[number(word, NAMES[STRANGE : STRANGE + 2], "the thing that conducts,")] = 1
    _read_rooms(part, level["rooms"], name, number)
    if not isinstance(level["things"], Mapping):
        raise LevelError(f"{name}: 'things' must be a mapping from things to places")
    for thing, place in level["things"].items():
        k = FURNITURE + number(thing, NAMES[FURNITURE:], "the thing")
        if TRAITS[k] & BOX:
            part.places[k] = ROOM + number(place, ROOMS, f"the room of the {thing},")
        elif place == "agent":
            part.places[k] = HELD
        else:
            part.places[k] = number(place, NAMES, f"the place of the {thing},")
    if problem := misplaced(part) or _hopeless(part):
        raise LevelError(f"{name}: {problem}")


def _read_rooms(part: Any, pairs: Any, name: str, number: Any) -> None:
    """Join rooms, and put the furniture of those that can be reached into them."""
    joined = set()
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise LevelError(f"{name}: 'rooms' must be a list of pairs of rooms, not {pair!r:.40}")
        one, other = sorted(number(room, ROOMS, "the room") for room in pair)
        if one == other or (one, other) in joined:
            raise LevelError(f"{name}: {ROOMS[one]} and {ROOMS[other]} cannot be joined")
        joined.add((one, other))
    for one, other in sorted(joined):
        if part.exits[one, 3] >= 0 or part.exits[other, 3] >= 0:
            raise LevelError(f"{name}: a room is joined to more than four others")
        join(part, one, other)
    for k in range(FURNITURE):
        if ROOM_OF[k] in reachable(part):
            part.places[k] = ROOM + ROOM_OF[k]


def reachable(part: Any) -> set[int]:
    """The rooms that can be reached."""
    found, new = set(), {int(part.room)}
    while new:
        found |= new
        new = {int(room) for one in new for room in part.exits[one] if room >= 0} - found
    return found


def misplaced(part: Any) -> str | None:
    """What is wrong with the places of a level or a record, in words."""
    places = np.asarray(part.places).astype(int)
    for k, thing in enumerate(THINGS):
        place = places[k]
        if place == GONE:
            continue
        if thing.traits & BOX or k < FURNITURE:
            right = place >= ROOM
        elif thing.traits & SUBSTANCE:
            right = place < len(THINGS) and (
                bool(TRAITS[place] & VESSEL) or (k == SOIL and place == POT) or (k == WATER and place == SINK)
            )
        else:
            right = place == HELD or place <= BLUE_BOX or (place == POT and k in TARGET_SEEDS)
        if not right or (place < MOST and places[place] == GONE):
            return f"the {thing.name} cannot be there"
    return None


def unfit(part: Any) -> str | None:
    """What is wrong with the target of a level, in words."""
    first, count = FIRST_TARGET[part.task], TARGET_COUNT[part.task]
    if not first <= part.target < first + count:
        return f"the task {TASKS[part.task]!r} has no target {part.target}"
    return None


TARGET_SEEDS = tuple(NAMES.index(name) for name in TARGETS["grow"])


def _hopeless(part: Any) -> str | None:
    """Why the task of a level cannot be done."""
    task, target, rooms = int(part.task), int(part.target), reachable(part)
    places = np.asarray(part.places).astype(int)

    def here(thing: int) -> bool:
        place = places[thing]
        while place < HELD:
            place = places[place]
        return bool(place == HELD or place - ROOM in rooms)

    def count(first: int, number: int) -> int:
        return sum(here(k) for k in range(first, first + number) if places[k] != GONE)

    tap = here(SINK) and count(FIRST_VESSEL, VESSELS) > 0
    if task in (BOIL, MELT, FREEZE, MEASURE):
        if not here(target) and not (target == WATER and tap):
            return f"the {NAMES[target]} cannot be reached"
        device = FREEZER if task == FREEZE else FURNACE if NAMES[target] == "lead" else STOVE
        if not here(device) and not (device == STOVE and here(FURNACE) and task != MEASURE):
            return f"the {NAMES[device]} cannot be reached"
    if task in (POWER, CONDUCT):
        wires = 2 + (task == CONDUCT)
        if not here(target) or not here(BATTERY) or count(FIRST_WIRE, WIRES) < wires:
            return f"the {NAMES[target]}, the battery and {wires} wires cannot all be reached"
        if task == CONDUCT and not count(BULB, BUZZER - BULB + 1):
            return "no bulb, motor or buzzer can be reached"
    if task == MIX:
        for paint in range(PRIMARY):
            if NEEDS_PAINT[target, paint] and not here(FIRST_PAINT + paint):
                return f"the {NAMES[FIRST_PAINT + paint]} cannot be reached"
    if task == GROW and not (all(map(here, (target, POT, SOIL))) and tap and rooms & {GREENHOUSE, GARDEN}):
        return f"the {NAMES[target]}, the flower pot, soil, a vessel, the tap and daylight cannot all be reached"
    if task == MEASURE and not here(THERMOMETER):
        return "the thermometer cannot be reached"
    if task == CONDUCT and places[target] in (RED_BOX, BLUE_BOX):
        return f"the {NAMES[target]} is in a box already"
    boxes = {MEASURE: (RED_BOX, BLUE_BOX), CONDUCT: (RED_BOX, BLUE_BOX), FIND: (int(part.box),)}.get(task, ())
    for box in boxes:
        if not here(box):
            return f"the {NAMES[box]} cannot be reached"
    if task == FIND:
        fit = [k for k in range(FURNITURE, len(THINGS)) if TRAITS[k] & PORTABLE and OF_SORT[target, k]]
        if not any(here(k) and places[k] != part.box for k in fit):
            return f"no {SORTS[target]} can be reached"
    return None
