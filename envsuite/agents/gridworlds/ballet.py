"""Baselines of Ballet: one remembers who danced what, one guesses."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import limited
from envsuite.gridworlds.ballet import LENGTH, NAMES, OFFSETS
from envsuite.kit.figures import PLACES, toward

ID = "envsuite/Ballet-v0"


@kernel
def home(value):
    """The row or column of the place of a dancer that is at most one cell away from it."""
    return (np.int64(value) - 1) // 3 * 3 + 2


@kernel
def go(observation, k):
    """The move toward a dancer's place."""
    row, column = home(observation.dancers[k, 0]), home(observation.dancers[k, 1])
    return toward(row - np.int64(observation.agent[0]), column - np.int64(observation.agent[1]))


@policy(
    ID,
    "memory",
    variables={
        "made": limited(np.zeros(PLACES, np.int64), 0, LENGTH),
        "apart": limited(np.zeros((PLACES, len(NAMES)), np.uint8), 0, 1),
    },
)
def memory(memory, observation, mask):
    """Compares the moves of each dancer with all dances, and goes to the one whose moves fit."""
    for k in range(observation.dancers.shape[0]):
        row, column = np.int64(observation.dancers[k, 0]), np.int64(observation.dancers[k, 1])
        down, right = row - home(row), column - home(column)
        if memory.made[k] < LENGTH and (memory.made[k] > 0 or down != 0 or right != 0):
            memory.made[k] += 1
            for dance in range(len(NAMES)):
                at = OFFSETS[dance, memory.made[k]]
                if at[0] != down or at[1] != right:
                    memory.apart[k, dance] = 1
    asked = np.int64(observation.instruction[0]) - 1
    for k in range(observation.dancers.shape[0]):
        if asked >= 0 and memory.apart[k, asked] == 0:
            return go(observation, k)
    return 0


@policy(ID, "memoryless")
def memoryless(memory, observation, mask):
    """Goes to the nearest dancer, or to a random one of several."""
    best, least, ties = 0, 100, 0
    for k in range(observation.dancers.shape[0]):
        down = np.int64(observation.dancers[k, 0]) - np.int64(observation.agent[0])
        right = np.int64(observation.dancers[k, 1]) - np.int64(observation.agent[1])
        far = max(abs(down), abs(right))
        ties = 1 if far < least else ties + 1
        if far < least or (far == least and randint(memory, ties) == 0):
            best = k
        least = min(least, far)
    return go(observation, best)
