"""Baselines of DiscountingChain: one takes the first reward, one the last."""

from __future__ import annotations

from envsuite.core.policy import policy
from envsuite.games.discounting_chain import PAID

ID = "envsuite/DiscountingChain-v0"


@policy(ID, "soon")
def soon(memory, observation, mask):
    """Chooses the reward of the first step, which is the larger one by default."""
    return 0


@policy(ID, "late")
def late(memory, observation, mask):
    """Chooses the reward of the last step."""
    return len(PAID) - 1
