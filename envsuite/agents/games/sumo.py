"""Baselines of Sumo: run into the opponent, hold the middle, or go around it and push it out from inside."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games.sumo import ACROSS, UP
from envsuite.kit.plane import distance

ID = "envsuite/Sumo-v0"

#: What a policy has decided: the push that it wants, (2,).
_DECIDED = {"push": scratch(2, float)}

RUSH, BRACE, CIRCLE = range(3)


@kernel
def decide(observation, push, plan):
    """Want a push of at most 1: at the opponent, to the middle, or between the middle and the opponent and then out."""
    own, other = observation.own, observation.opponent
    here_x, here_y, speed_x, speed_y = np.float64(own[0]), np.float64(own[1]), np.float64(own[2]), np.float64(own[3])
    there_x, there_y = np.float64(other[0]), np.float64(other[1])
    x, y = there_x - here_x, there_y - here_y
    if plan == BRACE:
        # A push against its place and velocity, as a stiff spring; it leans against an opponent that is near.
        near = 1.0 if distance(x, y) < 1.2 else 0.0
        apart = max(distance(x, y), 1e-9)
        x, y = near * x / apart - 4.0 * here_x - 2.0 * speed_x, near * y / apart - 4.0 * here_y - 2.0 * speed_y
    elif plan == CIRCLE:
        far = distance(there_x, there_y)
        inside = here_x * there_x + here_y * there_y < far * (far - 0.9)
        across = abs(here_x * there_y - here_y * there_x) / max(far, 1e-9)
        if not (inside and across < 0.35) and far > 0.2:
            # To the point on the opponent's inner side.
            x, y = 3.0 * (x - 1.05 * there_x / far) - speed_x, 3.0 * (y - 1.05 * there_y / far) - speed_y
    length = distance(x, y)
    if length > 1.0 or plan != BRACE:
        x, y = x / max(length, 1e-9), y / max(length, 1e-9)
    push[0], push[1] = x, y


@kernel
def named(observation, push):
    """The action nearest to the push that is wanted."""
    x, y = push[0], push[1]
    if observation.own[4] != 0.0 or observation.own[5] != 0.0:
        forward, left = along(observation, push)
        thrust = 1 if forward > 0.3 else 2 if forward < -0.3 else 0
        turn = 1 if left > 0.15 else 2 if left < -0.15 else 0
        return 3 * thrust + turn
    best, most = 0, 0.3
    for k in range(8):
        part = x * ACROSS[k] + y * UP[k]
        if part > most:
            best, most = k + 1, part
    return best


@kernel
def along(observation, push):
    """The push that is wanted for a unicycle: its part along the heading, and the turn to it."""
    x, y, across, up = push[0], push[1], np.float64(observation.own[4]), np.float64(observation.own[5])
    ahead, aside = x * across + y * up, y * across - x * up
    length = max(distance(x, y), 1e-9)
    left = 4.0 * aside / length
    if ahead < 0.0:
        left = 1.0 if aside >= 0.0 else -1.0
    return ahead, min(max(left, -1.0), 1.0)


@kernel
def as_controls(observation, push, controls):
    """The push as numbers."""
    controls[0], controls[1] = push[0], push[1]
    if observation.own[4] != 0.0 or observation.own[5] != 0.0:
        controls[0], controls[1] = along(observation, push)


def wrestler(name: str, plan: int, summary: str) -> None:
    """Declare a policy with a plan."""

    @kernel
    def steer(memory, observation, controls):
        decide(observation, memory.push, plan)
        as_controls(observation, memory.push, controls)

    @kernel
    def push(memory, observation, mask):
        decide(observation, memory.push, plan)
        return named(observation, memory.push)

    push.__doc__ = summary
    policy(ID, name, variables=_DECIDED, steer=steer)(push)


wrestler("rush", RUSH, "Runs into the opponent.")
wrestler("brace", BRACE, "Holds the middle, and leans against an opponent that is near.")
wrestler("circle", CIRCLE, "Steps to the side that is nearer to the middle than the opponent, then pushes it out.")
