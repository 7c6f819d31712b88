"""Text quests as plain data: names of rooms, things, states and commands in place of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from envsuite.core.errors import LevelError, reading, suggest
from envsuite.games.text_quest import terms
from envsuite.games.text_quest.terms import TASKS
from envsuite.kit import things

#: The names of all commands.
COMMAND_NAMES = terms.COMMANDS.words(terms.NAMES).names

#: The name of the agent, and of its hands as a place.
AGENT = "agent"

_PARTS = ("task", "agent", "exits", "things", "opens", "quests", "optional", "fails", "recipe", "kitchen", "plan")


# Writing.


def place_name(place: int) -> str | None:
    """A place in words; None for a thing that is nowhere."""
    if place == things.GONE:
        return None
    if place >= things.ROOM:
        return terms.ROOMS[place - things.ROOM]
    return AGENT if place == things.HELD else terms.NAMES[place]


def state_names(states: int) -> list[str]:
    """The names of states."""
    return [name for name, bit in terms.STATE_NAMES.items() if states & bit]


def fact(kind: int, one: int, other: int) -> list[Any]:
    """A fact: ``["hat", "at", "table"]``, ``["agent", "at", "attic"]``, ``["chest", "is", "open"]``."""
    if kind == terms.PLACED:
        return [terms.NAMES[one], "at", place_name(other)]
    if kind == terms.AGENT_IN:
        return [AGENT, "at", terms.ROOMS[one]]
    return [terms.NAMES[one], "is" if kind == terms.IS else "is not", *state_names(other)]


def write_level(level: Any) -> dict[str, Any]:
    """A level as plain data."""
    exits = []
    for room, name in enumerate(terms.ROOMS):
        for side, direction in enumerate(things.DIRECTIONS):
            other, door = int(level.exits[room, side]), int(level.doors[room, side])
            if other >= 0 and (side in (1, 2) or int(level.exits[other, side ^ 2]) != room):
                exits.append([name, direction, terms.ROOMS[other], terms.NAMES[door] if door >= 0 else None])
    doors = {row[3] for row in exits}
    placed = [
        [name, place_name(int(level.places[k])), *state_names(int(level.states[k]))]
        for k, name in enumerate(terms.NAMES)
        if level.places[k] != things.GONE or level.states[k] or name in doors
    ]
    quests: list[list[Any]] = [[] for _ in range(level.quests)]
    for quest, kind, one, other in level.facts.tolist():
        if kind:
            quests[quest].append(fact(kind, one, other))
    return {
        "task": TASKS[level.task],
        "agent": terms.ROOMS[level.room],
        "exits": exits,
        "things": placed,
        "opens": {terms.NAMES[k]: terms.NAMES[level.opens[k]] for k in range(things.MOST) if level.opens[k] >= 0},
        "quests": quests,
        "optional": [k for k in range(level.quests) if level.optional[k]],
        "fails": [[quest, *fact(kind, one, other)] for quest, kind, one, other in level.fails.tolist() if kind],
        "recipe": [
            [terms.NAMES[food], terms.COOKED_WORDS[way] or None, terms.CUT_WORDS[cut] or None]
            for food, way, cut in level.recipe.tolist()
            if food >= 0
        ],
        "kitchen": terms.ROOMS[level.kitchen],
        "plan": [COMMAND_NAMES[action] for action in level.plan.tolist() if action >= 0],
    }


def unreadable(level: Any) -> str | None:
    """What is wrong with the facts of a level's goals, if they name rooms or places that do not exist."""
    for kind, one, other in [*level.facts[:, 1:].tolist(), *level.fails[:, 1:].tolist()]:
        if (kind == terms.AGENT_IN and one >= len(terms.ROOMS)) or (
            kind == terms.PLACED and other >= things.ROOM + len(terms.ROOMS)
        ):
            room = one if kind == terms.AGENT_IN else other - things.ROOM
            return f"a fact names room {room}; there are {len(terms.ROOMS)}"
    return None


# Reading.


def _number(name: Any, known: Sequence[str], what: str) -> int:
    if not isinstance(name, str) or name not in known:
        raise LevelError(f"there is no {what} {name!r:.60}{suggest(str(name), known)}")
    return known.index(name)


def _room(name: Any) -> int:
    return _number(name, terms.ROOMS, "room")


def _thing(name: Any, traits: int = -1, what: str = "thing") -> int:
    thing = _number(name, terms.NAMES, "thing")
    if traits >= 0 and not terms.TRAITS[thing] & traits:
        raise LevelError(f"{name!r} is no {what}")
    return thing


def _place(name: Any) -> int:
    if name is None:
        return things.GONE
    if name == AGENT:
        return things.HELD
    if isinstance(name, str) and name in terms.ROOMS:
        return things.ROOM + terms.ROOMS.index(name)
    return _thing(name, things.CONTAINER | things.SUPPORTER, "room, container or piece of furniture")


def _states(names: Iterable[Any]) -> int:
    return sum(
        {terms.STATE_NAMES[list(terms.STATE_NAMES)[_number(name, list(terms.STATE_NAMES), "state")]] for name in names}
    )


def _fact(given: Any) -> tuple[int, int, int]:
    """The kind and the two numbers of a fact."""
    if not isinstance(given, (list, tuple)) or len(given) < 3 or given[1] not in ("at", "is", "is not"):
        raise LevelError(f"the fact {given!r:.80} must be like ['hat', 'at', 'table'] or ['chest', 'is', 'open']")
    one, verb, *others = given
    if verb == "at" and len(others) != 1:
        raise LevelError(f"the fact {given!r:.80} must name one place")
    if verb == "at" and one == AGENT:
        return terms.AGENT_IN, _room(others[0]), 0
    if verb == "at":
        return terms.PLACED, _thing(one), _place(others[0])
    return (terms.IS if verb == "is" else terms.IS_NOT), _thing(one), _states(others)


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
    things.clear_things(to)
    to.task = _number(level.get("task", "quest"), TASKS, "task")
    to.room = _room(level["agent"])
    to.kitchen = _room(level.get("kitchen", terms.ROOMS[terms.KITCHEN]))
    _read_exits(to, level)
    _read_things(to, level)
    for k in range(things.MOST):
        to.opens[k] = -1
    opens = level.get("opens", {})
    for key, thing in opens.items():
        to.opens[_thing(key, things.KEY, "key")] = _thing(thing, things.LOCKABLE, "thing with a lock")
    _read_goals(to, level)
    rows = _list(level, "recipe", terms.INGREDIENTS)
    for k in range(terms.INGREDIENTS):
        food, way, cut = rows[k] if k < len(rows) else (None, None, None)
        to.recipe[k, 0] = -1 if food is None else _thing(food)
        to.recipe[k, 1] = _number(way or "", terms.COOKED_WORDS, "way to cook")
        to.recipe[k, 2] = _number(cut or "", terms.CUT_WORDS, "way to cut")
    plan = _list(level, "plan", terms.PLAN)
    for k in range(terms.PLAN):
        to.plan[k] = _number(plan[k], COMMAND_NAMES, "command") if k < len(plan) else -1


def _read_exits(to: Any, level: Mapping[str, Any]) -> None:
    hung: set[int] = set()
    for given in _list(level, "exits", 4 * len(terms.ROOMS)):
        if len(given) not in (3, 4):
            raise LevelError(f"the exit {given!r:.80} must be [room, direction, room] or [room, direction, room, door]")
        one, side, other = _room(given[0]), _number(given[1], things.DIRECTIONS, "direction"), _room(given[2])
        if to.exits[one, side] >= 0 or to.exits[other, side ^ 2] >= 0:
            raise LevelError(f"two exits lead {given[1]} from the {given[0]}, or back from the {given[2]}")
        to.exits[one, side], to.exits[other, side ^ 2] = other, one
        if len(given) == 4 and given[3] is not None:
            door = _thing(given[3], things.DOOR, "door")
            if door in hung:
                raise LevelError(f"the {given[3]} is in two places")
            hung.add(door)
            to.doors[one, side] = to.doors[other, side ^ 2] = door


def _read_things(to: Any, level: Mapping[str, Any]) -> None:
    named: set[int] = set()
    for given in _list(level, "things", things.MOST):
        name, place, *states = given
        thing = _thing(name)
        if thing in named:
            raise LevelError(f"the {name} is in the list of things twice")
        named.add(thing)
        if terms.TRAITS[thing] & things.DOOR and place is not None:
            raise LevelError(f"the {name} is a door: its place must be None, and an exit must have it")
        if (
            terms.TRAITS[thing] & (things.CONTAINER | things.SUPPORTER)
            and place is not None
            and place not in terms.ROOMS
        ):
            raise LevelError(f"the {name} must be in a room")
        to.places[thing] = _place(place)
        to.states[thing] = _states(states)
        if to.states[thing] & (things.OPEN | things.LOCKED) and not terms.TRAITS[thing] & things.OPENABLE:
            raise LevelError(f"the {name} can be neither open nor locked")
        if to.states[thing] & things.OPEN and to.states[thing] & things.LOCKED:
            raise LevelError(f"the {name} cannot be open and locked")
    for place in to.places.tolist():
        if place < things.HELD and to.places[place] == things.GONE:
            raise LevelError(f"something is at the {terms.NAMES[place]}, which is not there")
    if problem := things.tangled(to):
        raise LevelError(problem)


def _read_goals(to: Any, level: Mapping[str, Any]) -> None:
    quests = _list(level, "quests", terms.QUESTS)
    facts = [(k, *_fact(one)) for k, quest in enumerate(quests) for one in quest]
    if not quests or not all(quests):
        raise LevelError("a level needs quests, each a list of facts")
    if len(facts) > terms.FACTS:
        raise LevelError(f"the quests have {len(facts)} facts; {terms.FACTS} are allowed")
    fails = [(int(quest), *_fact(one)) for quest, *one in _list(level, "fails", terms.FAILS)]
    if any(not -1 <= quest < len(quests) for quest, *_ in fails):
        raise LevelError("each entry of 'fails' begins with the number of a quest, or -1")
    optional = _list(level, "optional", terms.QUESTS)
    if len(quests) - 1 in optional or not all(0 <= quest < len(quests) for quest in optional):
        raise LevelError("'optional' must be numbers of quests without the last one")
    to.quests = len(quests)
    for k in range(terms.QUESTS):
        to.optional[k] = k in optional
    for rows, table in ((facts, to.facts), (fails, to.fails)):
        for k in range(len(table)):
            row = rows[k] if k < len(rows) else (0, 0, 0, 0)
            for part in range(4):
                table[k, part] = row[part]
