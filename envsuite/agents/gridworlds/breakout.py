"""Baselines of Breakout: one follows the ball, one goes where it will land."""

from __future__ import annotations

from envsuite.core.policy import policy
from envsuite.kit.arcade import LEFT, NOOP, RIGHT, SIZE, find

ID = "envsuite/Breakout-v0"


@policy(ID, "follower")
def follower(memory, observation, mask):
    """Keeps the paddle under the ball."""
    paddle, ball = find(observation, 0) % SIZE, find(observation, 1) % SIZE
    return LEFT if paddle > ball else RIGHT if paddle < ball else NOOP


@policy(ID, "catcher", variables={"across": 1.0, "down": 1.0, "first": True})
def catcher(memory, observation, mask):
    """Goes to the column that a falling ball has in the row above the paddle; under a rising one it follows it.

    Where the ball has stayed in its column or row, it has turned around.
    """
    paddle, ball, last = find(observation, 0) % SIZE, find(observation, 1), find(observation, 2)
    x, y, old_x, old_y = ball % SIZE, ball // SIZE, last % SIZE, last // SIZE
    if memory.first:
        memory.first = False
        memory.across = 1.0 if x == 0 else -1.0
        memory.down = 1.0
    else:
        memory.across = 1.0 * (x - old_x) if x != old_x else -memory.across
        memory.down = 1.0 * (y - old_y) if y != old_y else -memory.down
    target = x
    if memory.down > 0.0:
        across = 1 if memory.across > 0.0 else -1
        for _ in range(y, SIZE - 2):
            if 0 <= target + across < SIZE:
                target += across
            else:
                across = -across
    return LEFT if paddle > target else RIGHT if paddle < target else NOOP
