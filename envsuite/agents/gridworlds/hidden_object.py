"""Baselines of HiddenObject: one remembers the chests, one opens the nearest; both pick fruit."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import limited
from envsuite.gridworlds.hidden_object import FRUIT, NONE, OPENING
from envsuite.kit.figures import DOWN, FIGURES, PLACES, RIGHT, inside

ID = "envsuite/HiddenObject-v0"


@kernel
def go(observation, row, column):
    """The move to the free cell that is nearest to this one, which may be a chest."""
    best, least = 0, 1000
    for move in range(8):
        y, x = observation.agent[0] + DOWN[move], observation.agent[1] + RIGHT[move]
        down, right = abs(y - row), abs(x - column)
        far = 20 * max(down, right) + min(down, right)
        free = inside(y, x)
        for k in range(observation.chests.shape[0]):
            free = free and (far == 0 or observation.chests[k, 0] != y or observation.chests[k, 1] != x)
        if free and far < least:
            best, least = move, far
    return best


@kernel
def nearest(memory, observation):
    """The nearest chest, or a random one of several."""
    best, least, ties = 0, 100, 0
    for k in range(observation.chests.shape[0]):
        down = abs(np.int64(observation.chests[k, 0]) - observation.agent[0])
        right = abs(np.int64(observation.chests[k, 1]) - observation.agent[1])
        far = max(down, right)
        ties = 1 if far < least else ties + 1
        if far < least or (far == least and randint(memory, ties) == 0):
            best = k
        least = min(least, far)
    return best


@policy(ID, "memory", variables={"held": limited(np.full(PLACES, NONE, np.int64), NONE, FIGURES - 1)})
def memory(memory, observation, mask):
    """Remembers the figure of each chest; the nearest chest if it has not seen the figure."""
    for k in range(observation.chests.shape[0]):
        if observation.chests[k, 2] != NONE:
            memory.held[k] = np.int64(observation.chests[k, 2])
    if observation.phase[0] == OPENING:
        return 0
    if observation.phase[0] == FRUIT:
        return go(observation, np.int64(observation.fruit[0]), np.int64(observation.fruit[1]))
    chest = nearest(memory, observation)
    for k in range(observation.chests.shape[0]):
        if memory.held[k] == observation.target[0]:
            chest = k
    return go(observation, np.int64(observation.chests[chest, 0]), np.int64(observation.chests[chest, 1]))


@policy(ID, "memoryless")
def memoryless(memory, observation, mask):
    """Picks fruit, and opens the nearest chest."""
    if observation.phase[0] == OPENING:
        return 0
    if observation.phase[0] == FRUIT:
        return go(observation, np.int64(observation.fruit[0]), np.int64(observation.fruit[1]))
    chest = nearest(memory, observation)
    return go(observation, np.int64(observation.chests[chest, 0]), np.int64(observation.chests[chest, 1]))
