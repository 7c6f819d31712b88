"""Baselines of SalesTour: one remembers its best tour, one only follows."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import limited
from envsuite.generators.hidden_tasks import MOST
from envsuite.kit.trials import NONE

ID = "envsuite/SalesTour-v0"


@kernel
def note(memory, observation):
    """Add the last act to the way of its trial; keep the way of the best tour."""
    own, places = np.int64(observation.own[0]), memory.way.shape[0]
    if own != NONE:
        memory.way[memory.place] = own
        memory.earned = min(max(memory.earned + observation.paid[0], -1.0), MOST)
    memory.place = np.int64(observation.place[0])
    if memory.place == 0:
        if memory.earned > memory.most:
            memory.most = memory.earned
            for p in range(places):
                memory.tour[p] = memory.way[p]
        memory.earned = 0.0


@kernel
def was_visited(memory, city):
    """Whether this trial has led to a city."""
    found = city == 0
    for p in range(memory.place):
        found = found or memory.way[p] == city
    return found


@policy(
    ID,
    "memory",
    variables={
        "way": limited(np.zeros(MOST, np.int64), 0, MOST - 1),
        "tour": limited(np.zeros(MOST, np.int64), 0, MOST - 1),
        "place": limited(0, 0, MOST - 2),
        "earned": limited(0.0, -1, MOST),
        "most": limited(0.0, 0, MOST),
    },
)
def memory(memory, observation, mask):
    """Follows the demonstrator, and otherwise its own best tour. With generations it tries other ways until the last
    trial."""
    note(memory, observation)
    cities, shown = mask.shape[0], np.int64(observation.shown[0])
    if shown != NONE and not was_visited(memory, shown):
        return shown
    last = observation.trial[0] == observation.trial[1] - 1
    on_tour = memory.most > 0.0 and (observation.generation[1] == 0 or last)
    for p in range(memory.place):
        on_tour = on_tour and memory.tour[p] == memory.way[p]
    if on_tour and not was_visited(memory, memory.tour[memory.place]):
        return min(memory.tour[memory.place], cities - 1)
    city = randint(memory, cities)
    for _ in range(cities):
        if was_visited(memory, city):
            city = (city + 1) % cities
    return city


@policy(ID, "memoryless")
def memoryless(memory, observation, mask):
    """Follows the demonstrator where it sees it, and goes to any city otherwise."""
    return np.int64(observation.shown[0]) if observation.shown[0] != NONE else randint(memory, mask.shape[0])
