"""What baselines share that weigh all teams of secret players, each a set of players as bits."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel

#: Scores that count as equal.
CLOSE = 1e-9


@kernel
def ones(bits):
    """The number of bits that are set."""
    count = 0
    while bits > 0:
        bits &= bits - 1
        count += 1
    return count


@kernel
def following(bits):
    """The next larger number with as many bits set."""
    low = bits & -bits
    high = bits + low
    return high | (((high ^ bits) >> 2) // low)


@kernel
def best_action(memory, mask, first, players):
    """The legal action against the player with the highest score in `memory.scores`; `first` is that against player_0.

    Ties are drawn.
    """
    best, most, tied = -1, -np.inf, 0
    for a in range(players):
        if mask[first + a] != 0:
            score = memory.scores[a]
            if score > most + CLOSE:
                best, most, tied = first + a, score, 1
            elif score > most - CLOSE:
                tied += 1
                if random.randint(memory, tied) == 0:
                    best = first + a
    return best
