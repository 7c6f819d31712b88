"""Baselines of Goofspiel."""

from __future__ import annotations

from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy


@kernel
def nearest(mask, target):
    """The legal card nearest to a wanted card; of two equally near cards, the higher."""
    best = 0
    least = 2 * mask.shape[0]
    for c in range(mask.shape[0]):
        distance = abs(c - target)
        if mask[c] != 0 and distance <= least:
            best, least = c, distance
    return best


@policy("envsuite/Goofspiel-v0", "matching", above=Between(0, 20).at(0))
def matching(memory, observation, mask):
    """Bids the prize's own number, the best reply to a random player (Ross, 1971).

    With `above`, the bid is higher by that number, and the lowest cards go to the highest prizes; 1 beats 0. If the
    card has been played, it bids the nearest card.
    """
    cards = mask.shape[0]
    prize = 0
    for k in range(cards):
        if observation.prizes[k] != 0:
            prize = observation.prizes[k]
    return nearest(mask, (prize - 1 + memory.above) % cards)
