"""Baselines of MemorySequence: one remembers what was right and wrong at each place, one only follows."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import limited
from envsuite.games.memory_sequence import LETTERS, LONGEST
from envsuite.kit.trials import NONE

ID = "envsuite/MemorySequence-v0"


@kernel
def untried(memory, place, symbols):
    """A random letter that has not been wrong at this place."""
    left = 0
    for k in range(symbols):
        left += memory.wrong[place, k] == 0
    left = randint(memory, max(left, 1))
    for k in range(symbols):
        if memory.wrong[place, k] == 0:
            if left == 0:
                return np.int64(k)
            left -= 1
    return np.int64(0)


@policy(
    ID,
    "memory",
    variables={
        "right": limited(np.full(LONGEST, NONE, np.int64), NONE, len(LETTERS) - 1),
        "wrong": limited(np.zeros((LONGEST, len(LETTERS)), np.uint8), 0, 1),
        "place": limited(0, 0, LONGEST - 1),
    },
)
def memory(memory, observation, mask):
    """Remembers what was right and wrong at each place. Where it does not know the letter, it follows the demonstrator,
    or says a letter that has not been wrong."""
    own = np.int64(observation.own[0])
    if own != NONE and observation.paid[0] > 0.0:
        memory.right[memory.place] = own
    elif own != NONE:
        memory.wrong[memory.place, own] = 1
    place, shown = np.int64(observation.place[0]), np.int64(observation.shown[0])
    memory.place = place
    if memory.right[place] != NONE:
        return memory.right[place]
    if shown != NONE and memory.wrong[place, shown] == 0:
        return shown
    return untried(memory, place, mask.shape[0])


@policy(ID, "memoryless")
def memoryless(memory, observation, mask):
    """Follows the demonstrator where it sees it, and guesses otherwise."""
    return np.int64(observation.shown[0]) if observation.shown[0] != NONE else randint(memory, mask.shape[0])
