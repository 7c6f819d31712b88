"""Baselines of MemoryChain: one remembers all bits, one only the first."""

from __future__ import annotations

import numpy as np

from envsuite.core.policy import policy
from envsuite.core.ranges import limited

ID = "envsuite/MemoryChain-v0"

#: The most bits of a chain.
MOST = 100


@policy(ID, "memory", variables={"bits": limited(np.zeros(MOST, np.int64), 0, 1)})
def memory(memory, observation, mask):
    """Remembers the bits and answers the question; the best play."""
    if observation[2] != 0.0:
        for k in range(observation.shape[0] - 2):
            memory.bits[k] = 1 if observation[2 + k] > 0.0 else 0
    return memory.bits[np.int64(observation[1])]


@policy(ID, "first", variables={"bit": limited(0, 0, 1)})
def first(memory, observation, mask):
    """Answers with the first bit, whatever the question is."""
    if observation[2] != 0.0:
        memory.bit = 1 if observation[2] > 0.0 else 0
    return memory.bit
