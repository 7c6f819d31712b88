"""Tasks of NeuralMMO: each player has to do something a number of times.

The kernels here run where the record has the fields of `fields`, and do nothing elsewhere.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import by_fields, kernel
from envsuite.core.random import randint
from envsuite.core.ranges import MANY, below, within

#: What can be counted, and the same for a sentence with a number of times.
EVENTS = (
    "eat", "drink", "explore", "hit", "kill", "fire", "consume", "give", "destroy", "harvest", "equip", "loot",
    "pay", "list", "earn", "buy", "collect", "level",
)  # fmt: skip
WORDS = (
    "eat foliage", "drink", "get farther from the border than before", "hit somebody", "kill somebody",
    "fire ammunition", "consume an item", "give an item", "destroy an item", "harvest an item", "wear an item",
    "take an item from somebody killed", "give gold", "put an item on the market", "sell an item", "buy an item",
    "take gold from somebody killed", "reach a level",
)  # fmt: skip
(
    EAT, DRINK, EXPLORE, HIT, KILL, FIRE, CONSUME, GIVE, DESTROY, HARVEST, EQUIP, LOOT,
    PAY, LIST, EARN, BUY, COLLECT, LEVEL,
) = range(18)  # fmt: skip
MOST_TIMES = 1000


def fields(players: int, tasks: int) -> list[tuple]:
    """What a world with tasks adds to the record."""
    own = (players,)
    return [
        ("task", below(np.int64, len(EVENTS)), own),
        ("times", within(np.int64, 1, max(tasks, 1)), own),  # how often it has to be done
        ("count", within(np.int64, 0, MANY), own),  # how often it has been done
        ("counted", within(np.int64, 0, MANY), own),  # before the last step
    ]


def _nothing(s, *_):
    return 0


def _note(s, a, event):
    if a < s.task.shape[0] and s.task[a] == event:
        s.count[a] += 1
    return 0


#: Count an event of a player, if its task is that.
note = by_fields(lambda names: "task" in names, _note, _nothing)


def _draw(s, a, has_items, has_crafts, has_gold):
    s.task[a] = EXPLORE
    for _ in range(1000):
        event = randint(s, len(EVENTS))
        if possible(s, event, has_items, has_crafts, has_gold):
            s.task[a] = event
            break
    s.times[a] = 1 + randint(s, s.params.tasks)
    s.count[a] = s.counted[a] = 0
    return 0


#: A random task of those that the systems allow.
draw = by_fields(lambda names: "task" in names, _draw, _nothing)


@kernel
def possible(s, event, has_items, has_crafts, has_gold):
    """Whether an event can happen with these systems."""
    if event <= DRINK:
        return s.params.resource > 0
    if event <= KILL:
        return event == EXPLORE or s.params.combat > 0
    if event == LEVEL:
        return s.params.progression > 0
    if event == FIRE:
        return has_items > 0 and s.params.equipped > 0
    if event == CONSUME or event == HARVEST:
        return has_crafts > 0
    return has_items > 0 if event <= LOOT else has_gold > 0


def _start(s, a):
    s.counted[a] = s.count[a]
    return 0


#: Note the count before a step.
start = by_fields(lambda names: "task" in names, _start, _nothing)


def _pay(s, a):
    gained = min(s.count[a], s.times[a]) - min(s.counted[a], s.times[a])
    s.objectives[a, s.objectives.shape[1] - 1] += gained / s.times[a]
    return 0


#: The objective: the share of the task that was done in the last step.
pay = by_fields(lambda names: "task" in names, _pay, _nothing)


def _see(s, agent, out):
    out.task[0], out.task[1] = s.task[agent], s.times[agent]
    out.task[2] = min(s.count[agent], s.times[agent])
    return 0


#: The part of an observation.
see = by_fields(lambda names: "task" in names, _see, _nothing)
