"""Baselines of Seaquest: one stays below the surface and fires, one hunts, dodges and comes up for air."""

from __future__ import annotations

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.kit.arcade import DOWN, FIRE, LEFT, RIGHT, SIZE, UP, find

ID = "envsuite/Seaquest-v0"

#: Cells of the oxygen's bar at which the hunter goes up, if it has a diver on board.
LOW = 3


@kernel
def filled(observation, plane):
    """The length of a bar in the last row."""
    count = 0
    for x in range(SIZE):
        count += observation[SIZE - 1, x, plane]
    return count


@kernel
def foe(observation, y, x):
    """Whether an enemy or its shot is in a cell."""
    return observation[y, x, 4] != 0 or observation[y, x, 5] != 0 or observation[y, x, 6] != 0


@kernel
def unsafe(observation, y, x):
    """Whether an enemy or a shot is in a cell or beside it in its row."""
    near = foe(observation, y, x)
    near = near or (x > 0 and foe(observation, y, x - 1))
    return near or (x < SIZE - 1 and foe(observation, y, x + 1))


@kernel
def distance(observation, y, x, sign):
    """How far away the next enemy of a row is on one side, SIZE if there is none."""
    for far in range(1, SIZE):
        i = x + sign * far
        if 0 <= i < SIZE and (observation[y, i, 5] != 0 or observation[y, i, 6] != 0):
            return far
    return SIZE


@policy(ID, "gunner")
def gunner(memory, observation, mask):
    """Dives to the middle and fires."""
    return DOWN if find(observation, 0) < 4 * SIZE else FIRE


@kernel
def goal(observation, y, x, divers):
    """The cell to go to, 10 * row + column: the nearest diver if there is room, else the row of the nearest enemy."""
    found, least = SIZE * 4 + 4, 1000
    for j in range(1, SIZE - 1):
        for i in range(SIZE):
            far = abs(i - x) + abs(j - y)
            if observation[j, i, 9] != 0 and divers < 6 and far - 50 < least:
                found, least = SIZE * j + i, far - 50
            if (observation[j, i, 5] != 0 or observation[j, i, 6] != 0) and abs(j - y) < least:
                found, least = SIZE * j + x, abs(j - y)
    return found


@policy(ID, "hunter")
def hunter(memory, observation, mask):
    """Fires at enemies ahead, turns to those behind, fetches divers, leaves rows in which something is close, and goes
    up when the oxygen is low and a diver is on board."""
    at = find(observation, 0)
    y, x = at // SIZE, at % SIZE
    right = x > 0 and observation[y, x - 1, 1] != 0
    divers = filled(observation, 8)
    if y > 0 and unsafe(observation, y, x):
        if y > 1 and not unsafe(observation, y - 1, x):
            return UP
        if y < SIZE - 2 and not unsafe(observation, y + 1, x):
            return DOWN
        return FIRE
    if filled(observation, 7) <= LOW and divers > 0:
        return UP
    ahead = distance(observation, y, x, 1 if right else -1)
    behind = distance(observation, y, x, -1 if right else 1)
    if y > 0 and ahead < SIZE:
        return FIRE
    if y > 0 and 3 < behind < SIZE:
        return LEFT if right else RIGHT
    to = goal(observation, y, x, divers)
    j, i = to // SIZE, to % SIZE
    if j > y and not unsafe(observation, y + 1, x):
        return DOWN
    if j < y and y > 1 and not unsafe(observation, y - 1, x):
        return UP
    if i < x:
        return LEFT
    if i > x:
        return RIGHT
    return FIRE
