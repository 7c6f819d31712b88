"""Baselines of EvidenceDebate: one shows what favors it most, one what matters most."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy

ID = "envsuite/EvidenceDebate-v0"


@kernel
def best(memory, observation, mask, candid):
    """The hidden feature with the largest contribution, or with the largest one of either sign; one of several."""
    found, highest, ties = 0, -128, 0
    for k in range(mask.shape[0]):
        if mask[k] != 0:
            value = abs(observation.contributions[k]) if candid else observation.contributions[k]
            ties = ties + 1 if value == highest else 1
            if value > highest or (value == highest and random.randint(memory, ties) == 0):
                found, highest = k, value
    return found


@policy(ID, "strongest")
def strongest(memory, observation, mask):
    """Reveals the hidden feature that favors it most: the best play."""
    return best(memory, observation, mask, False)


@policy(ID, "candid")
def candid(memory, observation, mask):
    """Reveals the hidden feature that matters most, whichever debater it favors."""
    return best(memory, observation, mask, True)
