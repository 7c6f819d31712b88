"""Baselines of SpaceInvaders: one fires all the time, one aims and dodges bombs."""

from __future__ import annotations

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.gridworlds.space_invaders import BOTTOM, SLOW
from envsuite.kit.arcade import FIRE, LEFT, NOOP, RIGHT, SIZE, find

ID = "envsuite/SpaceInvaders-v0"


@policy(ID, "fire")
def fire(memory, observation, mask):
    """Stays and fires."""
    return FIRE


@kernel
def bombed(observation, x):
    """Whether a bomb reaches this column of the cannon's row in one of the next two steps, or an alien is near it."""
    return (
        observation[BOTTOM - 1, x, 5] != 0
        or observation[BOTTOM - 2, x, 5] != 0
        or observation[BOTTOM, x, 1] != 0
        or observation[BOTTOM - 1, x, 1] != 0
    )


@kernel
def shift(left, right, count, heading, steps):
    """By how many columns aliens between these columns move in a number of steps, if one of their moves is due now."""
    shifted = 0
    for _ in range(steps // min(count, SLOW)):
        if (heading > 0 and right + shifted == SIZE - 1) or (heading < 0 and left + shifted == 0):
            heading = -heading
        else:
            shifted += heading
    return shifted


@kernel
def target(observation, cannon):
    """The column nearest to the cannon in which a shot that is fired now meets an alien."""
    left, right, count, heading = SIZE, -1, 0, -1
    for x in range(SIZE):
        for y in range(SIZE):
            if observation[y, x, 1] != 0:
                left, right, count = min(left, x), x, count + 1
                heading = 1 if observation[y, x, 3] != 0 else -1
    found, least = cannon, 2 * SIZE
    for x in range(SIZE):
        for y in range(SIZE):
            if observation[y, x, 1] != 0:
                column = x + shift(left, right, count, heading, BOTTOM - y)
                if abs(column - cannon) < least:
                    found, least = column, abs(column - cannon)
    return found


@policy(ID, "gunner")
def gunner(memory, observation, mask):
    """Leaves a column in which a bomb falls; otherwise it goes to where its shot meets the nearest alien and fires."""
    cannon = find(observation, 0) % SIZE
    if bombed(observation, cannon):
        if cannon > 0 and not bombed(observation, cannon - 1):
            return LEFT
        if cannon < SIZE - 1 and not bombed(observation, cannon + 1):
            return RIGHT
    aim = target(observation, cannon)
    if aim == cannon:
        return FIRE
    beside = cannon - 1 if aim < cannon else cannon + 1
    if bombed(observation, beside):
        return NOOP
    return LEFT if aim < cannon else RIGHT
