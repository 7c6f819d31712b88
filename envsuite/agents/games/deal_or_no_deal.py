"""Baselines of DealOrNoDeal: one lowers its claim with time, one does not."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.world import Between
from envsuite.games.deal_or_no_deal import AGREE, NONE, OFFERS, TOTAL

ID = "envsuite/DealOrNoDeal-v0"


@kernel
def bargain(memory, observation, mask, claim):
    """Agree to an offer worth at least the claim; otherwise make one: worth the claim, and with fewest items kept."""
    made = 0
    while made < observation.offers.shape[0] and observation.offers[made, 0] != NONE:
        made += 1
    if made > 0:
        left = 0
        for k in range(3):
            left += observation.values[k] * (observation.pool[k] - observation.offers[made - 1, k])
        if left >= claim:
            return AGREE
    best, found, count = -1000, 0, 0
    for action in range(AGREE):
        if mask[action] != 0:
            worth, kept = 0, 0
            for k in range(3):
                worth += observation.values[k] * OFFERS[action, k]
                kept += OFFERS[action, k]
            value = -kept if worth >= claim else worth - 100
            count = 1 if value > best else count + 1
            if value > best or (value == best and randint(memory, count) == 0):
                found = action
            best = max(best, np.int64(value))
    return found


@policy(ID, "conceder")
def conceder(memory, observation, mask):
    """Claims 10 at first and 1 less with each of its offers, but not less than 5."""
    made = 0
    while made < observation.offers.shape[0] and observation.offers[made, 0] != NONE:
        made += 1
    return bargain(memory, observation, mask, max(TOTAL - made // 2, TOTAL // 2))


@policy(ID, "stubborn", claim=Between(1, 10).at(8))
def stubborn(memory, observation, mask):
    """Claims the same from the first offer to the last."""
    return bargain(memory, observation, mask, memory.claim)
