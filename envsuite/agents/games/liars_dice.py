"""Baselines of Liar's dice."""

from __future__ import annotations

from envsuite.core.elementary import power
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy

NONE = -1


@kernel
def chance_of_bid(observation, bid):
    """The probability that a bid is true given the own dice, if the others' dice are independent of their bids."""
    dice, sides = observation.dice.shape
    face = bid % sides
    missing = bid // sides + 1
    for d in range(dice):
        missing -= observation.dice[d, face] != 0 or observation.dice[d, sides - 1] != 0
    hidden = (observation.seat.shape[0] - 1) * dice
    match = (1.0 if face == sides - 1 else 2.0) / sides
    if missing <= 0 or match >= 1.0:
        return 1.0 if missing <= hidden else 0.0
    # The upper tail of a binomial distribution, starting from the term for no matches.
    term = power(1.0 - match, hidden)
    tail = 1.0
    for k in range(min(missing, hidden + 1)):
        tail -= term
        term *= (hidden - k) / (k + 1) * match / (1.0 - match)
    return max(tail, 0.0) if missing <= hidden else 0.0


@policy("envsuite/LiarsDice-v0", "odds")
def odds(memory, observation, mask):
    """Calls or bids, whichever is more likely to win if the next player calls; of equal bids it makes the lowest.

    It assumes that the others' dice are fair and independent of their bids.
    """
    liar = mask.shape[0] - 1
    last = NONE
    best = NONE
    best_chance = -1.0
    for bid in range(liar):
        if observation.bids[bid] != 0:
            last = bid
        if mask[bid] != 0:
            chance = chance_of_bid(observation, bid)
            if chance > best_chance + 1e-9:
                best, best_chance = bid, chance
    if best == NONE or (last != NONE and 1.0 - chance_of_bid(observation, last) >= best_chance):
        return liar
    return best
