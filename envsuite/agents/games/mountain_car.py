"""Baselines of MountainCar: one swings up, one only drives forward."""

from __future__ import annotations

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy

ID = "envsuite/MountainCar-v0"

BACK, COAST, FORWARD = range(3)


@kernel
def swing_by_controls(memory, observation, controls):
    """As `swing`, with numbers."""
    controls[0] = 1.0 if observation[1] >= 0.0 else -1.0


@policy(ID, "swing", steer=swing_by_controls)
def swing(memory, observation, mask):
    """Pushes in the direction in which the car moves."""
    return FORWARD if observation[1] >= 0.0 else BACK


@kernel
def forward_by_controls(memory, observation, controls):
    """As `forward`, with numbers."""
    controls[0] = 1.0


@policy(ID, "forward", steer=forward_by_controls)
def forward(memory, observation, mask):
    """Always drives forward, which is too weak."""
    return FORWARD
