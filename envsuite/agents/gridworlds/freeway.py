"""Baselines of Freeway: one always goes up, one looks out for cars."""

from __future__ import annotations

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.gridworlds.freeway import COLUMN, FASTEST
from envsuite.kit.arcade import DOWN, NOOP, SIZE, UP, find

ID = "envsuite/Freeway-v0"


@policy(ID, "up")
def up(memory, observation, mask):
    """Goes up in every step."""
    return UP


@kernel
def danger(observation, row):
    """Whether the row's car is on the chicken's column or can be there within three steps."""
    for x in range(SIZE):
        if observation[row, x, 1] != 0:
            if x == COLUMN:
                return True
            for speed in range(1, FASTEST + 1):
                cells = 1 + 2 // (speed + 1)
                if observation[row, (x + SIZE - 1) % SIZE, 1 + speed] != 0 and 0 < COLUMN - x <= cells:
                    return True
                if observation[row, (x + 1) % SIZE, 1 + speed] != 0 and 0 < x - COLUMN <= cells:
                    return True
    return False


@policy(ID, "careful")
def careful(memory, observation, mask):
    """Goes up if the car of the next row cannot come. Otherwise it stays, or goes back if the car of its own row can
    come and that of the row behind cannot."""
    row = find(observation, 0) // SIZE
    if row <= 1 or not danger(observation, row - 1):
        return UP
    if row < SIZE - 1 and danger(observation, row) and not danger(observation, row + 1):
        return DOWN
    return NOOP
