"""Text quests as plain data: names of rooms, things, states and commands in place of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from envsuite.core.errors import LevelError, reading, suggest
from envsuite.generators.quest_terms import (
    AGENT_IN,
    COMMANDS,
    COOKED_WORDS,
    CUT_WORDS,
    FACTS,
    FAILS,
    INGREDIENTS,
    IS,
    IS_NOT,
    KITCHEN,
    NAMES,
    PLACED,
    PLAN,
    QUESTS,
    ROOMS,
    STATE_NAMES,
    TASKS,
    TRAITS,
)
from envsuite.kit.things import (
    CONTAINER,
    DIRECTIONS,
    DOOR,
    GONE,
    HELD,
    KEY,
    LOCKABLE,
    LOCKED,
    MOST,
    OPEN,
    OPENABLE,
    ROOM,
    SUPPORTER,
    clear_things,
    tangled,
)

#: The names of all commands.
COMMAND_NAMES = COMMANDS.words(NAMES).names

#: The name of the agent, and of its hands as a place.
AGENT = "agent"

_PARTS = ("task", "agent", "exits", "things", "opens", "quests", "optional", "fails", "recipe", "kitchen", "plan")


# Writing.


def place_name(place: int) -> str | None:
    """A place in words; None for a thing that is nowhere."""
    if place == GONE:
        return None
    return AGENT if place == HELD else ROOMS[place - ROOM] if place >= ROOM else NAMES[place]


def state_names(states: int) -> list[str]:
    """The names of states."""
    return [name for name, bit in STATE_NAMES.items() if states & bit]


def fact(kind: int, one: int, other: int) -> list[Any]:
    """A fact: ``["hat", "at", "table"]``, ``["agent", "at", "attic"]``, ``["chest", "is", "open"]``."""
    if kind == PLACED:
        return [NAMES[one], "at", place_name(other)]
    if kind == AGENT_IN:
        return [AGENT, "at", ROOMS[one]]
    return [NAMES[one], "is" if kind == IS else "is not", *state_names(other)]


def write_level(level: Any) -> dict[str, Any]:
    """A level as plain data."""
    exits = []
    for room, name in enumerate(ROOMS):
        for side, direction in enumerate(DIRECTIONS):
            other, door = int(level.exits[room, side]), int(level.doors[room, side])
            if other >= 0 and (side in (1, 2) or int(level.exits[other, side ^ 2]) != room):
                exits.append([name, direction, ROOMS[other], NAMES[door] if door >= 0 else None])
    doors = {row[3] for row in exits}
    things = [
        [name, place_name(int(level.places[k])), *state_names(int(level.states[k]))]
        for k, name in enumerate(NAMES)
        if level.places[k] != GONE or level.states[k] or name in doors
    ]
    quests: list[list[Any]] = [[] for _ in range(level.quests)]
    for quest, kind, one, other in level.facts.tolist():
        if kind:
            quests[quest].append(fact(kind, one, other))
    return {
        "task": TASKS[level.task],
        "agent": ROOMS[level.room],
        "exits": exits,
        "things": things,
        "opens": {NAMES[k]: NAMES[level.opens[k]] for k in range(MOST) if level.opens[k] >= 0},
        "quests": quests,
        "optional": [k for k in range(level.quests) if level.optional[k]],
        "fails": [[quest, *fact(kind, one, other)] for quest, kind, one, other in level.fails.tolist() if kind],
        "recipe": [
            [NAMES[food], COOKED_WORDS[way] or None, CUT_WORDS[cut] or None]
            for food, way, cut in level.recipe.tolist()
            if food >= 0
        ],
        "kitchen": ROOMS[level.kitchen],
        "plan": [COMMAND_NAMES[action] for action in level.plan.tolist() if action >= 0],
    }


def unreadable(level: Any) -> str | None:
    """What is wrong with the facts of a level's goals, if they name rooms or places that do not exist."""
    for kind, one, other in [*level.facts[:, 1:].tolist(), *level.fails[:, 1:].tolist()]:
        if (kind == AGENT_IN and one >= len(ROOMS)) or (kind == PLACED and other >= ROOM + len(ROOMS)):
            return f"a fact names room {one if kind == AGENT_IN else other - ROOM}; there are {len(ROOMS)}"
    return None


# Reading.


def _number(name: Any, known: Sequence[str], what: str) -> int:
    if not isinstance(name, str) or name not in known:
        raise LevelError(f"there is no {what} {name!r:.60}{suggest(str(name), known)}")
    return known.index(name)


def _room(name: Any) -> int:
    return _number(name, ROOMS, "room")


def _thing(name: Any, traits: int = -1, what: str = "thing") -> int:
    thing = _number(name, NAMES, "thing")
    if traits >= 0 and not TRAITS[thing] & traits:
        raise LevelError(f"{name!r} is no {what}")
    return thing


def _place(name: Any) -> int:
    if name is None:
        return GONE
    if name == AGENT:
        return HELD
    if isinstance(name, str) and name in ROOMS:
        return ROOM + ROOMS.index(name)
    return _thing(name, CONTAINER | SUPPORTER, "room, container or piece of furniture")


def _states(names: Iterable[Any]) -> int:
    return sum({STATE_NAMES[list(STATE_NAMES)[_number(name, list(STATE_NAMES), "state")]] for name in names})


def _fact(given: Any) -> tuple[int, int, int]:
    """The kind and the two numbers of a fact."""
    if not isinstance(given, (list, tuple)) or len(given) < 3 or given[1] not in ("at", "is", "is not"):
        raise LevelError(f"the fact {given!r:.80} must be like ['hat', 'at', 'table'] or ['chest', 'is', 'open']")
    one, verb, *others = given
    if verb == "at" and len(others) != 1:
        raise LevelError(f"the fact {given!r:.80} must name one place")
    if verb == "at" and one == AGENT:
        return AGENT_IN, _room(others[0]), 0
    if verb == "at":
        return PLACED, _thing(one), _place(others[0])
    return (IS if verb == "is" else IS_NOT), _thing(one), _states(others)


def _list(level: Mapping[str, Any], name: str, most: int) -> Sequence[Any]:
    found = level.get(name, ())
    if not isinstance(found, (list, tuple)) or len(found) > most:
        raise LevelError(f"{name!r} must be a list of at most {most} entries")
    return found


def read_level(to: Any, level: Mapping[str, Any], label: str) -> None:
    """Fill a level from plain data, or raise `LevelError`."""
    with reading(f"{label}: the level"):
        for name in level:
            if name not in _PARTS:
                raise LevelError(f"{label}: a level has no part {name!r}{suggest(str(name), _PARTS)}")
        try:
            _read(to, level)
        except LevelError as problem:
            raise LevelError(f"{label}: {problem}") from None


def _read(to: Any, level: Mapping[str, Any]) -> None:
    clear_things(to)
    to.task = _number(level.get("task", "quest"), TASKS, "task")
    to.room = _room(level["agent"])
    to.kitchen = _room(level.get("kitchen", ROOMS[KITCHEN]))
    _read_exits(to, level)
    _read_things(to, level)
    for k in range(MOST):
        to.opens[k] = -1
    opens = level.get("opens", {})
    for key, thing in opens.items():
        to.opens[_thing(key, KEY, "key")] = _thing(thing, LOCKABLE, "thing with a lock")
    _read_goals(to, level)
    rows = _list(level, "recipe", INGREDIENTS)
    for k in range(INGREDIENTS):
        food, way, cut = rows[k] if k < len(rows) else (None, None, None)
        to.recipe[k, 0] = -1 if food is None else _thing(food)
        to.recipe[k, 1] = _number(way or "", COOKED_WORDS, "way to cook")
        to.recipe[k, 2] = _number(cut or "", CUT_WORDS, "way to cut")
    plan = _list(level, "plan", PLAN)
    for k in range(PLAN):
        to.plan[k] = _number(plan[k], COMMAND_NAMES, "command") if k < len(plan) else -1


def _read_exits(to: Any, level: Mapping[str, Any]) -> None:
    hung: set[int] = set()
    for given in _list(level, "exits", 4 * len(ROOMS)):
        if len(given) not in (3, 4):
            raise LevelError(f"the exit {given!r:.80} must be [room, direction, room] or [room, direction, room, door]")
        one, side, other = _room(given[0]), _number(given[1], DIRECTIONS, "direction"), _room(given[2])
        if to.exits[one, side] >= 0 or to.exits[other, side ^ 2] >= 0:
            raise LevelError(f"two exits lead {given[1]} from the {given[0]}, or back from the {given[2]}")
        to.exits[one, side], to.exits[other, side ^ 2] = other, one
        if len(given) == 4 and given[3] is not None:
            door = _thing(given[3], DOOR, "door")
            if door in hung:
                raise LevelError(f"the {given[3]} is in two places")
            hung.add(door)
            to.doors[one, side] = to.doors[other, side ^ 2] = door


def _read_things(to: Any, level: Mapping[str, Any]) -> None:
    named: set[int] = set()
    for given in _list(level, "things", MOST):
        name, place, *states = given
        thing = _thing(name)
        if thing in named:
            raise LevelError(f"the {name} is in the list of things twice")
        named.add(thing)
        if TRAITS[thing] & DOOR and place is not None:
            raise LevelError(f"the {name} is a door: its place must be None, and an exit must have it")
        if TRAITS[thing] & (CONTAINER | SUPPORTER) and place is not None and place not in ROOMS:
            raise LevelError(f"the {name} must be in a room")
        to.places[thing] = _place(place)
        to.states[thing] = _states(states)
        if to.states[thing] & (OPEN | LOCKED) and not TRAITS[thing] & OPENABLE:
            raise LevelError(f"the {name} can be neither open nor locked")
        if to.states[thing] & OPEN and to.states[thing] & LOCKED:
            raise LevelError(f"the {name} cannot be open and locked")
    for place in to.places.tolist():
        if place < HELD and to.places[place] == GONE:
            raise LevelError(f"something is at the {NAMES[place]}, which is not there")
    if problem := tangled(to):
        raise LevelError(problem)


def _read_goals(to: Any, level: Mapping[str, Any]) -> None:
    quests = _list(level, "quests", QUESTS)
    facts = [(k, *_fact(one)) for k, quest in enumerate(quests) for one in quest]
    if not quests or not all(quests):
        raise LevelError("a level needs quests, each a list of facts")
    if len(facts) > FACTS:
        raise LevelError(f"the quests have {len(facts)} facts; {FACTS} are allowed")
    fails = [(int(quest), *_fact(one)) for quest, *one in _list(level, "fails", FAILS)]
    if any(not -1 <= quest < len(quests) for quest, *_ in fails):
        raise LevelError("each entry of 'fails' begins with the number of a quest, or -1")
    optional = _list(level, "optional", QUESTS)
    if len(quests) - 1 in optional or not all(0 <= quest < len(quests) for quest in optional):
        raise LevelError("'optional' must be numbers of quests without the last one")
    to.quests = len(quests)
    for k in range(QUESTS):
        to.optional[k] = k in optional
    for rows, table in ((facts, to.facts), (fails, to.fails)):
        for k in range(len(table)):
            row = rows[k] if k < len(rows) else (0, 0, 0, 0)
            for part in range(4):
                table[k, part] = row[part]
