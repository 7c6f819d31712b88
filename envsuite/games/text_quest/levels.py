"""Text quests: rooms with things in them, and what must be done there.

| `task` | what must be done |
|---|---|
| `quest` | a chain of `quest_length` commands, drawn backwards from its end |
| `coin` | take the coin at the end of a chain of `quest_length` rooms |
| `treasure` | find and take one of two things; taking the other one loses |
| `cooking` | read a recipe, prepare its `ingredients` and eat the meal |

The rooms lie along a random walk. A quest is drawn backwards: its last command is drawn first, and then commands that
make the later ones possible, such as taking a key, until there are `quest_length`. All levels have a solution, which is
their plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import among, below, within
from envsuite.core.world import Between
from envsuite.games.text_quest import levels_rooms, terms
from envsuite.games.text_quest.levels_meals import draw_meal
from envsuite.generators.base import Generator
from envsuite.kit.things import HELD, LOCKED, MOST, OPEN, ROOM, STATES, fields

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Task = Literal["quest", "coin", "treasure", "cooking"]
Obstacles = Literal["none", "closed", "locked"]
Preparation = Literal["none", "cut", "cook", "both"]
PREPARATIONS = ("none", "cut", "cook", "both")

#: The last kinds of command of a quest.
ENDINGS = 6
END_TAKE, END_PUT, END_INSERT, END_EAT, END_OPEN, END_UNLOCK = range(ENDINGS)


def level_fields() -> list[tuple]:
    """The fields of `s.level`."""
    rooms, states = len(terms.ROOMS), (1 << STATES) - 1
    code = max(ROOM + rooms - 1, states)
    return [
        *fields(rooms),
        ("task", below(np.int64, len(terms.TASKS))),
        ("opens", within(np.int8, -1, MOST - 1), (MOST,)),  # what each key opens, -1 for nothing
        ("quests", within(np.int64, 1, terms.QUESTS)),  # number of quests; the last one is the goal that is told
        ("optional", below(np.uint8, 2), (terms.QUESTS,)),  # whether a quest is only a step towards the goal
        # Facts of quests: the quest, the kind of fact, a thing or room, and a place or states.
        ("facts", within(np.int32, 0, [terms.QUESTS - 1, terms.IS_NOT, MOST - 1, code]), (terms.FACTS, 4)),
        # Facts that end an episode while this quest is open; quest -1 is always open.
        ("fails", within(np.int32, [-1, 0, 0, 0], [terms.QUESTS - 1, terms.IS_NOT, MOST - 1, code]), (terms.FAILS, 4)),
        (
            "recipe",
            within(np.int8, [-1, 0, 0], [MOST - 1, 3, 3]),
            (terms.INGREDIENTS, 3),
        ),  # food, way to cook, way to cut
        ("kitchen", below(np.int64, rooms)),  # where meals are prepared
        ("plan", within(np.int16, -1, len(terms.TABLE) - 1), (terms.PLAN,)),  # commands that solve it, then -1
    ]


# Quests, backwards.


@large_kernel
def draw_ending(s, ending, last):
    """The last command of a quest in the agent's room, and its goal; False if it is not possible there."""
    level, room = s.level, np.int64(s.level.room)
    if ending == END_TAKE or ending == END_EAT or ending == END_PUT or ending == END_INSERT:
        place = levels_rooms.spot_in(s, room)
        if ending == END_PUT and not terms.FIRST_SUPPORTER <= place < terms.FIRST_KEY:
            return False
        if ending == END_INSERT and not terms.FIRST_CONTAINER <= place < terms.FIRST_SUPPORTER:
            return False
        food = ending == END_EAT or bernoulli(s, 0.2)
        item = (
            levels_rooms.fresh(s, terms.FIRST_FOOD, terms.FOODS)
            if food
            else levels_rooms.fresh(s, terms.FIRST_OBJECT, terms.OBJECTS)
        )
        level.places[item] = HELD
        s.scratch.need[item] = levels_rooms.CARRY
        if ending == END_EAT:
            levels_rooms.note(s, last, terms.EAT[item])
            levels_rooms.add_quest(s, terms.IS, item, terms.EATEN)
            return True
        if ending == END_TAKE:
            levels_rooms.note(s, last, terms.TAKE[item])
            levels_rooms.add_quest(s, terms.PLACED, item, HELD)
            level.places[item] = place
            s.scratch.need[item] = levels_rooms.DONE
        else:
            levels_rooms.note(s, last, terms.PUT[item, place] if ending == END_PUT else terms.INSERT[item, place])
            levels_rooms.add_quest(s, terms.PLACED, item, place)
        if place < terms.FIRST_SUPPORTER:
            s.scratch.need[place] = levels_rooms.STAND_OPEN
        return True
    thing = lid_in(s, room)
    if thing < 0:
        return False
    level.states[thing] = 0
    s.scratch.need[thing] = levels_rooms.UNLOCKED
    if ending == END_OPEN:
        levels_rooms.note(s, last, terms.OPEN_IT[thing])
        levels_rooms.add_quest(s, terms.IS, thing, OPEN)
    else:
        levels_rooms.add_quest(s, terms.IS_NOT, thing, LOCKED)
        lock(s, thing, last)
    return True


@kernel
def lid_in(s, room):
    """A random door or container of a room that nothing needs so far, -1 for none."""
    chosen, seen = -1, 0
    for thing in range(terms.FIRST_SUPPORTER):
        if s.scratch.need[thing] == levels_rooms.FREE and s.level.states[thing] & OPEN and near(s, thing, room):
            seen += 1
            if randint(s, seen) == 0:
                chosen = thing
    return chosen


@kernel
def near(s, thing, room):
    """Whether a door or container is in a room."""
    found = s.level.places[thing] == ROOM + room
    for side in range(4):
        found = found or s.level.doors[room, side] == thing
    return found


@large_kernel
def lock(s, thing, k):
    """Lock a thing that command k unlocks with a new key, which is carried then."""
    key = levels_rooms.fresh(s, terms.FIRST_KEY, terms.KEYS)
    s.level.opens[key] = thing
    s.level.places[key] = HELD
    s.level.states[thing] = LOCKED
    s.scratch.need[key] = levels_rooms.CARRY
    s.scratch.need[thing] = levels_rooms.DONE
    levels_rooms.note(s, k, terms.UNLOCK[thing, key])


@kernel
def passable(s, room, side):
    """Whether there is an exit whose door, if it has one, is open now."""
    door = np.int64(s.level.doors[room, side])
    return s.level.exits[room, side] >= 0 and (door < 0 or s.level.states[door] & OPEN != 0)


@large_kernel
def draw_before(s, k, takes, opens, locks):
    """Draw command k, which comes before the later ones and makes one of them possible; False if there is none."""
    level, room = s.level, np.int64(s.level.room)
    kind, one, weight = -1, -1, 0
    for side in range(4):
        if passable(s, room, side) and s.scratch.visited[level.exits[room, side]] == 0:
            weight += 1
            if randint(s, weight) == 0:
                kind, one = terms.GOES, side
    spare_key = levels_rooms.fresh(s, terms.FIRST_KEY, terms.KEYS) >= 0
    for thing in range(MOST):
        need, verb = s.scratch.need[thing], -1
        if need == levels_rooms.CARRY and takes:
            verb = terms.TAKES
        elif need == levels_rooms.STAND_OPEN and opens and near(s, thing, room):
            verb = terms.OPENS
        elif need == levels_rooms.UNLOCKED and locks and spare_key and near(s, thing, room):
            verb = terms.UNLOCKS
        if verb >= 0:
            weight += 4
            if randint(s, weight) < 4:
                kind, one = verb, thing
    if kind < 0:
        return False
    if kind == terms.GOES:
        door = np.int64(level.doors[room, one])
        if door >= 0:
            s.scratch.need[door] = levels_rooms.STAND_OPEN
        levels_rooms.note(s, k, terms.GO[levels_rooms.opposite(one)])
        level.room = level.exits[room, one]
        s.scratch.visited[level.room] = 1
        return True
    for other in range(len(terms.ROOMS)):
        s.scratch.visited[other] = other == room
    if kind == terms.TAKES:
        place = levels_rooms.spot_in(s, room)
        if level.facts[0, 2] == one and level.facts[0, 3] == place:  # the goal is not fulfilled from the start
            place = ROOM + room
        if place < terms.FIRST_SUPPORTER:
            s.scratch.need[place] = levels_rooms.STAND_OPEN
        level.places[one] = place
        s.scratch.need[one] = levels_rooms.DONE
        levels_rooms.note(s, k, terms.TAKE[one])
    elif kind == terms.OPENS:
        level.states[one] = 0
        s.scratch.need[one] = levels_rooms.UNLOCKED
        levels_rooms.note(s, k, terms.OPEN_IT[one])
    else:
        lock(s, one, k)
    return True


@large_kernel
def draw_chain(s, count, length, takes, opens, locks):
    """Draw a quest from its end to its start; whether it is as long as wanted."""
    level = s.level
    level.room = s.scratch.order[randint(s, count)]
    ending = END_TAKE
    if takes:
        ending = randint(s, ENDINGS if locks else END_UNLOCK if opens else END_OPEN)
    if not draw_ending(s, ending, length - 1):
        draw_ending(s, END_TAKE, length - 1)
    s.scratch.visited[level.room] = 1
    for k in range(length - 2, -1, -1):
        if not draw_before(s, k, takes, opens, locks):
            return False
    return True


@large_kernel
def add_steps(s):
    """Make the commands of the plan before its last one, other than going, optional quests; the goal stays the last."""
    level = s.level
    kind, one, other = level.facts[0, 1], level.facts[0, 2], level.facts[0, 3]
    level.facts[0, 1] = terms.NO_FACT
    level.quests = 0
    for k in range(terms.PLAN - 1):
        if level.plan[k + 1] < 0 or level.quests == terms.QUESTS - 1:
            break
        verb, thing = np.int64(terms.TABLE[level.plan[k], 0]), np.int64(terms.TABLE[level.plan[k], 1])
        if verb == terms.GOES:
            continue
        level.optional[level.quests] = 1
        if verb == terms.TAKES:
            levels_rooms.add_quest(s, terms.PLACED, thing, HELD)
        elif verb == terms.OPENS:
            levels_rooms.add_quest(s, terms.IS, thing, OPEN)
        else:
            levels_rooms.add_quest(s, terms.IS_NOT, thing, LOCKED)
    levels_rooms.add_quest(s, kind, one, other)


@kernel
def move_up(s):
    """Let the plan begin at its place 0, in case that it is shorter than wanted."""
    first = 0
    while s.level.plan[first] < 0:
        first += 1
    for k in range(terms.PLAN):
        s.level.plan[k] = s.level.plan[k + first] if k + first < terms.PLAN else -1


@large_kernel
def draw_quest(s):
    """A quest, or a hunt for a treasure."""
    params = s.params
    treasure = params.task != terms.QUEST
    locks, doors = params.obstacles == 2, params.obstacles > 0
    for _ in range(levels_rooms.TRIES):
        levels_rooms.forget(s)
        levels_rooms.mix_rooms(s, False)
        levels_rooms.wander(s, params.rooms)
        if doors:
            levels_rooms.hang_doors(s, params.rooms, False)
        levels_rooms.furnish(s, params.rooms, (params.things + 1) // 2)
        if draw_chain(s, params.rooms, params.quest_length, not treasure, doors, locks):
            break
    move_up(s)
    if doors:
        levels_rooms.close_others(s, params.rooms, locks)
    if treasure:
        wrong = levels_rooms.fresh(s, terms.FIRST_OBJECT, terms.OBJECTS)
        place = HELD
        while place == HELD:
            place = levels_rooms.any_spot(s, params.rooms)
        s.level.places[wrong] = place
        levels_rooms.add_row(s.level.fails, -1, terms.PLACED, wrong, HELD)
    else:
        levels_rooms.scatter(s, params.rooms, params.things // 2)
    add_steps(s)


@large_kernel
def draw_coin(s):
    """A chain of rooms, with the agent at one end and the coin at the other."""
    levels_rooms.forget(s)
    levels_rooms.mix_rooms(s, False)
    length = min(s.params.quest_length, len(terms.ROOMS))
    levels_rooms.chain_rooms(s, length, max(length, s.params.rooms))
    level = s.level
    level.places[terms.COIN] = ROOM + s.scratch.order[0]
    level.room = s.scratch.order[length - 1]
    for k in range(length - 1):
        here, there = s.scratch.order[length - 1 - k], s.scratch.order[length - 2 - k]
        for side in range(4):
            if level.exits[here, side] == there:
                levels_rooms.note(s, k, terms.GO[side])
    levels_rooms.note(s, length - 1, terms.TAKE[terms.COIN])
    levels_rooms.add_quest(s, terms.PLACED, terms.COIN, HELD)


@large_kernel
def make(s):
    """Draw a level."""
    if s.params.task == terms.COIN_TASK:
        draw_coin(s)
    elif s.params.task == terms.COOKING:
        draw_meal(s)
    else:
        draw_quest(s)
    s.level.task = s.params.task
    fill(s.scratch.need, 0)
    fill(s.scratch.items, 0)
    for room in range(len(terms.ROOMS)):
        s.scratch.order[room] = 0
        s.scratch.x[room] = 0
        s.scratch.y[room] = 0
        s.scratch.visited[room] = 0
        s.scratch.steps[room] = 0


class Quests(Generator):
    """Text quests.

    Args:
        task: "quest", "coin", "treasure" or "cooking".
        quest_length: commands of a quest or hunt, rooms of the coin's chain.
        rooms: number of rooms.
        things: number of pieces of furniture and things, about half of each.
        obstacles: "none", "closed" doors and containers, or also "locked" ones.
        ingredients: ingredients of a recipe.
        preparation: what recipes want: "none", "cut", "cook" or "both".
    """

    make = make

    def __init__(
        self,
        task: Task = "quest",
        quest_length: Annotated[int, Between(1, 20)] = 5,
        rooms: Annotated[int, Between(1, 20)] = 5,
        things: Annotated[int, Between(2, 24)] = 10,
        obstacles: Obstacles = "locked",
        ingredients: Annotated[int, Between(1, terms.INGREDIENTS)] = 3,
        preparation: Preparation = "both",
    ):
        self.define(
            level=level_fields(),
            params={
                "task": among(terms.TASKS, task),
                "quest_length": quest_length,
                "rooms": rooms,
                "things": things,
                "obstacles": among(terms.OBSTACLES, obstacles),
                "ingredients": ingredients,
                "preparation": among(PREPARATIONS, preparation),
            },
            scratch=[
                ("order", below(np.int64, len(terms.ROOMS)), (len(terms.ROOMS),)),
                ("x", within(np.int64, -20, 20), (len(terms.ROOMS),)),
                ("y", within(np.int64, -20, 20), (len(terms.ROOMS),)),
                ("visited", below(np.uint8, 2), (len(terms.ROOMS),)),
                ("steps", within(np.int64, 0, len(terms.ROOMS)), (len(terms.ROOMS),)),
                ("items", below(np.int64, MOST), (MOST,)),
                ("need", within(np.int64, 0, levels_rooms.DONE), (MOST,)),
            ],
        )

    def decode(self, s: Any) -> dict[str, Any]:
        from envsuite.games.text_quest.reading import write_level

        return write_level(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        from envsuite.games.text_quest.reading import read_level

        read_level(s.level, {key: value for key, value in level.items() if key != "kind"}, "quests")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures: the size is the numbers of rooms and things, and the difficulty is the plan's length.

        A level without a plan is "solvable": None, since that is not known.
        """
        rooms = {level["agent"], *(room for way in level["exits"] for room in (way[0], way[2]))}
        size = [len(rooms), len(level["things"])]
        return {"size": size, "solvable": True if level["plan"] else None, "difficulty": len(level["plan"])}

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """A map of the rooms."""
        from envsuite.core.record import as_views
        from envsuite.games.text_quest.levels_maps import draw_map

        record = as_views(self.records(1))[0]
        self.encode(record, level)
        return draw_map(record.level, int(record.level.room), str(level["task"]))

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(task=level.get("task", "quest"))
