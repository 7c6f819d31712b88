"""Baselines of Acrobot: one swings up, one lets the links hang."""

from __future__ import annotations

from envsuite.core.policy import policy

ID = "envsuite/Acrobot-v0"

LESS, NONE, MORE = range(3)


@policy(ID, "swing")
def swing(memory, observation, mask):
    """Applies its torque in the direction in which the second link turns."""
    return MORE if observation[5] > 0.0 else LESS


@policy(ID, "hang")
def hang(memory, observation, mask):
    """Applies no torque."""
    return NONE
