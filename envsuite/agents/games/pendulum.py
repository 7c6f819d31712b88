"""Baselines of Pendulum: one swings up by energy and holds the top, one only holds."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy

ID = "envsuite/Pendulum-v0"

#: From this height on, the torque of a controller holds the pendulum; below, its energy is raised to that of the top.
NEAR, ENERGY = 0.9, 15.0


@kernel
def hold(observation):
    """The torque of a controller for the angle, which is small, and the velocity."""
    return -(10.0 * np.float64(observation[1]) + 2.5 * np.float64(observation[2]))


@kernel
def lift(observation):
    """The torque that swings up and holds."""
    height, speed = np.float64(observation[0]), np.float64(observation[2])
    if height > NEAR:
        return hold(observation)
    energy = 0.5 * speed * speed + ENERGY * height
    if energy > ENERGY:
        return -2.0 if speed > 0.0 else 2.0
    return 2.0 if speed >= 0.0 else -2.0


@kernel
def named(torque):
    """The action nearest to a torque."""
    return np.int64(min(max(torque, -2.0), 2.0) + 2.5)


@kernel
def swing_by_controls(memory, observation, controls):
    """As `swing`, with numbers."""
    controls[0] = min(max(lift(observation), -2.0), 2.0)


@policy(ID, "swing", steer=swing_by_controls)
def swing(memory, observation, mask):
    """Pushes with the motion until the energy is enough for the top, and holds the pendulum there. For g = 10."""
    return named(lift(observation))


@kernel
def hold_by_controls(memory, observation, controls):
    """As `hold`, with numbers."""
    controls[0] = min(max(hold(observation), -2.0), 2.0)


@policy(ID, "hold", steer=hold_by_controls)
def hold_only(memory, observation, mask):
    """Always does what would hold the pendulum near the top."""
    return named(hold(observation))
