"""Sets of numbered facts as wide bit sets: fact k is bit k % 64 of word k // 64 of an array of uint64."""

from __future__ import annotations

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel

ZERO, ONE, _63 = np.uint64(0), np.uint64(1), np.uint64(63)


def words_for(count: int) -> int:
    """The number of words that hold this many facts."""
    return max(1, -(-count // 64))


@kernel
def has(words, fact):
    """Whether a fact is in the set."""
    return words[np.uint64(fact) >> np.uint64(6)] >> (np.uint64(fact) & _63) & ONE != ZERO


@kernel
def put(words, fact):
    """Add a fact."""
    words[np.uint64(fact) >> np.uint64(6)] |= ONE << (np.uint64(fact) & _63)


@kernel
def drop(words, fact):
    """Remove a fact."""
    words[np.uint64(fact) >> np.uint64(6)] &= ~(ONE << (np.uint64(fact) & _63))


@kernel
def clear(words):
    """Remove all facts."""
    fill(words, ZERO)


@kernel
def holds(words, wanted):
    """Whether the set contains all wanted facts."""
    for k in range(words.shape[0]):
        if wanted[k] & ~words[k] != ZERO:
            return False
    return True
