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
from envsuite.core.levels import exact_parts, read_integer, read_name
from envsuite.core.random import randint
from envsuite.core.ranges import below, flag, limited, within
from envsuite.core.world import Between
from envsuite.games.science_lab import terms
from envsuite.games.science_lab.terms import TASKS
from envsuite.generators.base import Generator
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
        return np.int64(
            terms.WORKBENCH if s.level.task == terms.POWER or s.level.task == terms.CONDUCT else terms.COUNTER
        )
    if s.params.difficulty == 2:
        return np.int64(terms.USUAL[thing])
    return np.int64(terms.ANYWHERE[randint(s, len(terms.ANYWHERE))])


@large_kernel
def lay(s, thing):
    """Add a thing to the house."""
    s.level.places[thing] = some_place(s, thing)


@large_kernel
def pick(s, first, count, traits):
    """A random one of these things that is not in the house yet and has one of these traits, or -1."""
    found, seen = np.int64(-1), 0
    for thing in range(first, first + count):
        if s.level.places[thing] == GONE and terms.TRAITS[thing] & traits != 0:
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
    vessel = pick(s, terms.FIRST_VESSEL, terms.VESSELS, terms.VESSEL)
    if vessel >= 0:
        s.level.places[vessel] = some_place(s, substance)
        s.level.places[substance] = vessel


@kernel
def build_rooms(s):
    """Draw the room that is not next to the hall, and the room next to it; join all of them, in order."""
    far = 1 + randint(s, len(terms.ROOMS) - 1)
    near = 1 + randint(s, len(terms.ROOMS) - 2)
    near += near >= far
    for one in range(len(terms.ROOMS)):
        for other in range(one + 1, len(terms.ROOMS)):
            if (one == terms.HALL and other != far) or (one == min(near, far) and other == max(near, far)):
                join(s.level, one, other)
    for thing in range(terms.FURNITURE):
        s.level.places[thing] = ROOM + terms.ROOM_OF[thing]


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
    s.level.target = terms.FIRST_TARGET[task] + randint(s, terms.TARGET_COUNT[task])
    s.level.box = terms.RED_BOX + (randint(s, 2) if task == terms.FIND else 0)
    for k in range(2):
        s.level.conducts[k] = randint(s, 2)
    s.level.limit = terms.LIMIT_LOW + 10 * randint(s, (terms.LIMIT_HIGH - terms.LIMIT_LOW) // 10 + 1)
    if randint(s, 2):
        low = s.level.limit + terms.MARGIN
        s.level.melts = low + 10 * randint(s, (terms.POWDER_HIGH - low) // 10 + 1)
    else:
        high = s.level.limit - terms.MARGIN
        s.level.melts = terms.POWDER_LOW + 10 * randint(s, (high - terms.POWDER_LOW) // 10 + 1)
    if task != terms.MEASURE:
        s.level.limit = terms.LIMIT_LOW


@kernel
def lay_needed(s):
    """Add what the task needs."""
    task, target = np.int64(s.level.task), np.int64(s.level.target)
    if task <= terms.FREEZE and target == terms.WATER:
        lay_some(s, terms.FIRST_VESSEL, terms.VESSELS, 1)
    elif task <= terms.MEASURE:
        fill(s, target)
    if task == terms.MEASURE:
        lay(s, terms.THERMOMETER)
    if task == terms.POWER or task == terms.CONDUCT:
        lay(s, target)
        lay(s, terms.BATTERY)
        lay_some(s, terms.FIRST_WIRE, terms.WIRES, 2 + (task == terms.CONDUCT))
        if task == terms.CONDUCT:
            lay_some(s, terms.BULB, terms.BUZZER - terms.BULB + 1, 1)
    if task == terms.MIX:
        for paint in range(terms.PRIMARY):
            if terms.NEEDS_PAINT[target, paint]:
                fill(s, terms.FIRST_PAINT + paint)
    if task == terms.GROW:
        lay(s, target)
        lay(s, terms.POT)
        fill(s, terms.SOIL)
        lay_some(s, terms.FIRST_VESSEL, terms.VESSELS, 1)
    if task == terms.FIND:
        lay_of_sort(s, target)


@kernel
def lay_of_sort(s, sort):
    """Add a random thing that `find` asks for."""
    found, seen = np.int64(-1), 0
    for thing in range(terms.FIRST_VESSEL, len(terms.USUAL)):
        if terms.TRAITS[thing] & PORTABLE != 0 and terms.OF_SORT[sort, thing]:
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
    s.level.room = terms.ROOM_OF[some_place(s, 0)] if s.params.difficulty == 1 else randint(s, len(terms.ROOMS))
    for box in range(terms.RED_BOX, terms.BLUE_BOX + 1):
        s.level.places[box] = ROOM + (s.level.room if s.params.difficulty == 1 else randint(s, len(terms.ROOMS)))
    lay_needed(s)
    for _ in range(OTHERS[s.params.difficulty]):
        thing = pick(s, terms.FIRST_VESSEL, terms.ORANGE - terms.FIRST_VESSEL, PORTABLE | terms.SUBSTANCE)
        if thing >= 0 and not is_of_use(s, thing):
            if terms.TRAITS[thing] & PORTABLE != 0:
                lay(s, thing)
            else:
                fill(s, thing)


@kernel
def is_of_use(s, thing):
    """Whether a thing would make the task easier; water too, which comes from the tap."""
    task, traits = s.level.task, terms.TRAITS[thing]
    if task == terms.FIND:
        return terms.OF_SORT[s.level.target, thing] or thing == terms.WATER
    if task == terms.POWER or task == terms.CONDUCT:
        return traits & terms.WIRE != 0 or terms.BULB <= thing <= terms.BUZZER or thing == terms.WATER
    return traits & terms.VESSEL != 0 or thing == terms.WATER


def fields() -> list[tuple]:
    """The fields of a level."""
    return [
        *thing_fields(len(terms.ROOMS)),
        ("task", below(np.int64, len(TASKS))),
        # the thing that the task is about; for "find" the number of a sort
        ("target", below(np.int64, len(terms.THINGS))),
        ("box", within(np.int64, terms.RED_BOX, terms.BLUE_BOX)),  # the box of "find"
        ("limit", within(np.int64, terms.LIMIT_LOW, terms.LIMIT_HIGH)),  # the temperature of "measure"
        ("melts", within(np.int64, terms.POWDER_LOW, terms.POWDER_HIGH)),  # the melting point of the gray powder
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
        from envsuite.games.science_lab.pictures import house, started
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
    if task == terms.FIND:
        box = terms.NAMES[int(part.box)]
        return f"Find {_an(terms.SORTS[target])}. Focus on it, then put it in the {box}."
    name = terms.NAMES[target]
    if task in (terms.BOIL, terms.MELT, terms.FREEZE):
        return f"Focus on the {name}, and {TASKS[task]} it."
    if task == terms.MEASURE:
        limit = int(part.limit)
        return (
            f"Find out whether the melting point of the {name} is above or below {limit} degrees. "
            "If it is above, focus on the red box; if it is below, focus on the blue box."
        )
    if task == terms.POWER:
        return f"Focus on the {name}, and make it run with electricity from the battery."
    if task == terms.CONDUCT:
        return (
            f"Find out whether the {name} conducts electricity. If it does, put it in the red box; if it does not, "
            "put it in the blue box."
        )
    if task == terms.MIX:
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
        [terms.ROOMS[one], terms.ROOMS[other]]
        for one in range(len(terms.ROOMS))
        for other in range(one + 1, len(terms.ROOMS))
        if other in part.exits[one].tolist()
    ]
    task, target = int(part.task), int(part.target)
    found: dict[str, Any] = {
        "task": TASKS[task],
        "target": terms.SORTS[target] if task == terms.FIND else terms.NAMES[target],
        "start": terms.ROOMS[part.room],
        "rooms": pairs,
        "things": {
            name: _place_name(int(part.places[k]))
            for k, name in enumerate(terms.NAMES)
            if k >= terms.FURNITURE and part.places[k] != GONE
        },
    }
    if task == terms.FIND:
        found["box"] = terms.NAMES[part.box]
    if task == terms.MEASURE:
        found["limit"] = int(part.limit)
    found["melts"] = int(part.melts)
    found["conducts"] = [terms.NAMES[terms.STRANGE + k] for k in range(2) if part.conducts[k]]
    return found


def _place_name(place: int) -> str:
    return "agent" if place == HELD else terms.ROOMS[place - ROOM] if place >= ROOM else terms.NAMES[place]


def read_experiment(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    exact_parts(name, level, *_PARTS, optional=_OTHER)

    def number(word: Any, words: Any, what: str) -> int:
        return read_name(word, f"{name}: {what}", words)

    def degrees(key: str, low: int, high: int) -> int:
        return read_integer(level.get(key, low), f"{name}: the level's {key}", low, high)

    clear_things(part)
    part.task = number(level["task"], TASKS, "the task")
    if part.task == terms.FIND:
        part.target = number(level["target"], terms.SORTS, "the target")
    else:
        number(level["target"], terms.TARGETS[level["task"]], "the target")
        part.target = terms.NAMES.index(level["target"])
    part.room = number(level["start"], terms.ROOMS, "the start")
    part.box = terms.RED_BOX + number(level.get("box", "red box"), ("red box", "blue box"), "the box")
    part.limit = degrees("limit", terms.LIMIT_LOW, terms.LIMIT_HIGH)
    part.melts = degrees("melts", terms.POWDER_LOW, terms.POWDER_HIGH)
    part.conducts = [0, 0]
    for word in level.get("conducts", ()):
        part.conducts[number(word, terms.NAMES[terms.STRANGE : terms.STRANGE + 2], "the thing that conducts")] = 1
    _read_rooms(part, level["rooms"], name, number)
    if not isinstance(level["things"], Mapping):
        raise LevelError(f"{name}: 'things' must be a mapping from things to places")
    for thing, place in level["things"].items():
        k = terms.FURNITURE + number(thing, terms.NAMES[terms.FURNITURE :], "the thing")
        if terms.TRAITS[k] & terms.BOX:
            part.places[k] = ROOM + number(place, terms.ROOMS, f"the room of the {thing}")
        elif place == "agent":
            part.places[k] = HELD
        else:
            part.places[k] = number(place, terms.NAMES, f"the place of the {thing}")
    if problem := misplaced(part) or _hopeless(part):
        raise LevelError(f"{name}: {problem}")


def _read_rooms(part: Any, pairs: Any, name: str, number: Any) -> None:
    """Join rooms, and put the furniture of those that can be reached into them."""
    joined = set()
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise LevelError(f"{name}: 'rooms' must be a list of pairs of rooms, not {pair!r:.40}")
        one, other = sorted(number(room, terms.ROOMS, "the room") for room in pair)
        if one == other or (one, other) in joined:
            raise LevelError(f"{name}: {terms.ROOMS[one]} and {terms.ROOMS[other]} cannot be joined")
        joined.add((one, other))
    for one, other in sorted(joined):
        if part.exits[one, 3] >= 0 or part.exits[other, 3] >= 0:
            raise LevelError(f"{name}: a room is joined to more than four others")
        join(part, one, other)
    for k in range(terms.FURNITURE):
        if terms.ROOM_OF[k] in reachable(part):
            part.places[k] = ROOM + terms.ROOM_OF[k]


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
    for k, thing in enumerate(terms.THINGS):
        place = places[k]
        if place == GONE:
            continue
        if thing.traits & terms.BOX or k < terms.FURNITURE:
            right = place >= ROOM
        elif thing.traits & terms.SUBSTANCE:
            right = place < len(terms.THINGS) and (
                bool(terms.TRAITS[place] & terms.VESSEL)
                or (k == terms.SOIL and place == terms.POT)
                or (k == terms.WATER and place == terms.SINK)
            )
        else:
            right = place == HELD or place <= terms.BLUE_BOX or (place == terms.POT and k in TARGET_SEEDS)
        if not right or (place < MOST and places[place] == GONE):
            return f"the {thing.name} cannot be there"
    return None


def unfit(part: Any) -> str | None:
    """What is wrong with the target of a level, in words."""
    first, count = terms.FIRST_TARGET[part.task], terms.TARGET_COUNT[part.task]
    if not first <= part.target < first + count:
        return f"the task {TASKS[part.task]!r} has no target {part.target}"
    return None


TARGET_SEEDS = tuple(terms.NAMES.index(name) for name in terms.TARGETS["grow"])


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

    tap = here(terms.SINK) and count(terms.FIRST_VESSEL, terms.VESSELS) > 0
    if task in (terms.BOIL, terms.MELT, terms.FREEZE, terms.MEASURE):
        if not here(target) and not (target == terms.WATER and tap):
            return f"the {terms.NAMES[target]} cannot be reached"
        device = (
            terms.FREEZER if task == terms.FREEZE else terms.FURNACE if terms.NAMES[target] == "lead" else terms.STOVE
        )
        if not here(device) and not (device == terms.STOVE and here(terms.FURNACE) and task != terms.MEASURE):
            return f"the {terms.NAMES[device]} cannot be reached"
    if task in (terms.POWER, terms.CONDUCT):
        wires = 2 + (task == terms.CONDUCT)
        if not here(target) or not here(terms.BATTERY) or count(terms.FIRST_WIRE, terms.WIRES) < wires:
            return f"the {terms.NAMES[target]}, the battery and {wires} wires cannot all be reached"
        if task == terms.CONDUCT and not count(terms.BULB, terms.BUZZER - terms.BULB + 1):
            return "no bulb, motor or buzzer can be reached"
    if task == terms.MIX:
        for paint in range(terms.PRIMARY):
            if terms.NEEDS_PAINT[target, paint] and not here(terms.FIRST_PAINT + paint):
                return f"the {terms.NAMES[terms.FIRST_PAINT + paint]} cannot be reached"
    if task == terms.GROW and not (
        all(map(here, (target, terms.POT, terms.SOIL))) and tap and rooms & {terms.GREENHOUSE, terms.GARDEN}
    ):
        return f"the {terms.NAMES[target]}, the flower pot, soil, a vessel, the tap and daylight cannot all be reached"
    if task == terms.MEASURE and not here(terms.THERMOMETER):
        return "the thermometer cannot be reached"
    if task == terms.CONDUCT and places[target] in (terms.RED_BOX, terms.BLUE_BOX):
        return f"the {terms.NAMES[target]} is in a box already"
    boxes = {
        terms.MEASURE: (terms.RED_BOX, terms.BLUE_BOX),
        terms.CONDUCT: (terms.RED_BOX, terms.BLUE_BOX),
        terms.FIND: (int(part.box),),
    }.get(task, ())
    for box in boxes:
        if not here(box):
            return f"the {terms.NAMES[box]} cannot be reached"
    if task == terms.FIND:
        fit = [
            k
            for k in range(terms.FURNITURE, len(terms.THINGS))
            if terms.TRAITS[k] & PORTABLE and terms.OF_SORT[target, k]
        ]
        if not any(here(k) and places[k] != part.box for k in fit):
            return f"no {terms.SORTS[target]} can be reached"
    return None
