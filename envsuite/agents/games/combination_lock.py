"""Baselines of CombinationLock: one knows the lock, one learns it from try to try."""

from __future__ import annotations

import numpy as np

from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.core.world import Between
from envsuite.games.combination_lock import BUTTONS, DEAD, LOCKS, LONGEST, decode, right_button

ID = "envsuite/CombinationLock-v0"


@policy(ID, "known", lock=Between(0, LOCKS).at(1))
def known(memory, observation, mask):
    """Knows the right buttons of this lock and reads the chain from the signals; the best play."""
    chain, place = decode(observation)
    if chain == DEAD or place >= LONGEST:
        return 0
    return right_button(memory.lock, place, chain, mask.shape[0])


@policy(
    ID,
    "opener",
    variables={
        "next": limited(np.zeros((LONGEST, 2), np.int64), 0, BUTTONS - 1),
        "chain": limited(DEAD, 0, DEAD),
        "place": limited(0, 0, LONGEST),
    },
)
def opener(memory, observation, mask):
    """Tries the buttons of each step and chain in order and keeps to the right one; it needs several tries."""
    chain, place = decode(observation)
    place = min(place, LONGEST)
    if memory.chain != DEAD and chain == DEAD and place == memory.place + 1:
        memory.next[memory.place, memory.chain] = min(memory.next[memory.place, memory.chain] + 1, BUTTONS - 1)
    memory.chain = chain if place < LONGEST else DEAD
    memory.place = min(place, LONGEST - 1)
    if memory.chain == DEAD:
        return 0
    return min(memory.next[memory.place, chain], mask.shape[0] - 1)
