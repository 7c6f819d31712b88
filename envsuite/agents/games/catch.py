"""Baselines of Catch: one goes to the ball, one stays."""

from __future__ import annotations

from envsuite.core.policy import policy
from envsuite.games.catch import LEFT, RIGHT, STAY

ID = "envsuite/Catch-v0"


@policy(ID, "catcher")
def catcher(memory, observation, mask):
    """Goes to the ball's column; the best play."""
    ball = paddle = 0
    rows, columns = observation.shape
    for x in range(columns):
        if observation[rows - 1, x] != 0:
            paddle = x
        for y in range(rows - 1):
            if observation[y, x] != 0:
                ball = x
    return LEFT if ball < paddle else RIGHT if ball > paddle else STAY


@policy(ID, "stay")
def stay(memory, observation, mask):
    """Stays where it is."""
    return STAY
