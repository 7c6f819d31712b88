"""Baselines of Breakout: one follows the ball, one goes where it will land."""

from __future__ import annotations

from envsuite.core.policy import policy
from envsuite.kit.arcade import LEFT, NOOP, RIGHT, SIZE

ID = "envsuite/Breakout-v0"


@policy(ID, "follower")
def follower(memory, observation, mask):
    """Keeps the paddle under the ball."""
    paddle = ball = 0
    for x in range(SIZE):
        if observation[SIZE - 1, x, 0] != 0:
            paddle = x
        for y in range(SIZE):
            if observation[y, x, 1] != 0:
                ball = x
    return LEFT if paddle > ball else RIGHT if paddle < ball else NOOP


@policy(ID, "catcher", variables={"across": 1.0, "down": 1.0, "first": True})
def catcher(memory, observation, mask):
    """Goes to the column that a falling ball has in the row above the paddle; under a rising one it follows it.

    Where the ball has stayed in its column or row, it has turned around.
    """
    paddle = x = y = old_x = old_y = 0
    for j in range(SIZE):
        for i in range(SIZE):
            if observation[j, i, 0] != 0:
                paddle = i
            if observation[j, i, 1] != 0:
                x, y = i, j
            if observation[j, i, 2] != 0:
                old_x, old_y = i, j
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
