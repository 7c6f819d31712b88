"""Baselines of UmbrellaChain: one looks at the weather, one always takes the umbrella."""

from __future__ import annotations

from envsuite.core.policy import policy

ID = "envsuite/UmbrellaChain-v0"

LEAVE, TAKE = range(2)


@policy(ID, "forecast")
def forecast(memory, observation, mask):
    """Takes the umbrella if it will rain; the best play."""
    return TAKE if observation[0] != 0.0 else LEAVE


@policy(ID, "take")
def take(memory, observation, mask):
    """Always takes the umbrella."""
    return TAKE
