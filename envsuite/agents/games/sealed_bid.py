"""Baselines of SealedBid: truth, and the equilibrium with values between whole numbers."""

from __future__ import annotations

from envsuite.core.policy import policy

ID = "envsuite/SealedBid-v0"


@policy(ID, "truthful")
def truthful(memory, observation, mask):
    """Bids as much as it may: its value with the second price, one less with the others."""
    bid = 0
    for k in range(mask.shape[0]):
        if mask[k] != 0:
            bid = k
    return bid


@policy(ID, "equilibrium")
def equilibrium(memory, observation, mask):
    """Bids half of its value, which is in balance for two bidders with the first price and fine steps of values."""
    value = observation[0]
    if mask[value] != 0:  # the second price
        return value
    return (value - 1) // 2
