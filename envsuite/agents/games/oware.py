"""Baselines of Oware: one captures the most now, one also counts what the other could capture next."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games.oware import MAX_HOUSES, allowed, sow

ID = "envsuite/Oware-v0"
VARIABLES = {"houses": scratch((2, 2 * MAX_HOUSES), np.int64)}


@kernel
def answer(memory, total):
    """The most that the other can capture after a move."""
    half = total // 2
    after, houses = memory.houses[1, :total], memory.houses[0, :total]
    most = 0
    for action in range(half):
        if allowed(houses, half, action):
            for k in range(total):
                after[k] = houses[k]
            most = max(most, sow(after, half, action))
    return most


@kernel
def best(memory, observation, mask, deep):
    """A random one of the moves that capture most; if `deep`, less the most that the other can capture next."""
    total = observation.houses.shape[0]
    found, most, count = 0, -1000, 0
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            houses = memory.houses[0, :total]
            for k in range(total):
                houses[k] = observation.houses[k]
            value = sow(houses, 0, action)
            if deep:
                value -= answer(memory, total)
            count = 1 if value > most else count + 1
            if value > most or (value == most and random.randint(memory, count) == 0):
                found = action
            most = max(most, value)
    return found


@policy(ID, "greedy", VARIABLES)
def greedy(memory, observation, mask):
    """Captures as many seeds as it can, and otherwise moves at random."""
    return best(memory, observation, mask, False)


@policy(ID, "careful", VARIABLES)
def careful(memory, observation, mask):
    """Captures the most, less what the other can capture in its next move."""
    return best(memory, observation, mask, True)
