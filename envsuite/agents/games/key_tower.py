"""Baselines of KeyTower: both take the shortest way to the next key or door, and one of them minds the skulls."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games.key_tower import DOWN, GO_LEFT, LEAP_LEFT, LEAP_RIGHT, UP, WAIT
from envsuite.games.key_tower.levels import FLOORS, NONE, WALL, WIDTH

ID = "envsuite/KeyTower-v0"

#: The longest way that is looked for, and the order in which actions are tried.
LONGEST, ACTIONS = 150, 7
ROOM = {"way": scratch((2, 2 * FLOORS - 1, WIDTH)), "step": scratch(2)}


@kernel
def column_of(skull, steps):
    """The column of a skull after some steps."""
    length, at = skull[4] - skull[3], skull[1] - skull[3]
    k = ((at if skull[2] > skull[1] else 2 * length - at) + steps) % (2 * length)
    return skull[3] + (k if k <= length else 2 * length - k)


@kernel
def closed(observation, row, column):
    """The closed door on a cell, or NONE."""
    for k in range(observation.doors.shape[0]):
        if observation.doors[k, 0] == row and observation.doors[k, 1] == column and observation.opened[k] == 0:
            return k
    return NONE


@kernel
def enters(observation, row, column, leaps):
    """Whether the agent can come to a cell; it does not leap onto a closed door, nor over one."""
    rows, width = observation.map.shape
    if row < 0 or row >= rows or column < 0 or column >= width or observation.map[row, column] == WALL:
        return False
    k = closed(observation, row, column)
    return k == NONE or (not leaps and observation.keys[k, 0] == NONE)


@kernel
def land(memory, observation, row, column, action):
    """Set the cell to which an action leads."""
    memory.step[0] = row
    memory.step[1] = column
    if action == UP or action == DOWN:
        to = row + (1 if action == DOWN else -1)
        if enters(observation, to, column, False):
            memory.step[0] = to
    elif action != WAIT and row % 2 == 0:
        side = -1 if action == GO_LEFT or action == LEAP_LEFT else 1
        leaps = action == LEAP_LEFT or action == LEAP_RIGHT
        if enters(observation, row, column + side, leaps):
            if not leaps:
                memory.step[1] = column + side
            elif enters(observation, row, column + 2 * side, True):
                memory.step[1] = column + 2 * side


@kernel
def meets(memory, observation, row, column, steps):
    """Whether the move to the cell that is set meets a skull after some steps."""
    for k in range(observation.skulls.shape[0]):
        skull = observation.skulls[k]
        if skull[0] == memory.step[0]:
            before, after = column_of(skull, steps - 1), column_of(skull, steps)
            passed = row == memory.step[0] and after == column and before == memory.step[1]
            if after == memory.step[1] or passed:
                return True
    return False


@kernel
def pays(observation, row, column):
    """Whether there is a key to take, or a closed door, which could only be entered with its key."""
    for k in range(observation.keys.shape[0]):
        if observation.keys[k, 0] == row and observation.keys[k, 1] == column:
            return True
    return closed(observation, row, column) != NONE


@kernel
def search(memory, observation, minds):
    """The first action of a shortest way to a key or a door; WAIT if there is none."""
    rows, width = observation.map.shape
    for row in range(rows):
        for column in range(width):
            memory.way[0, row, column] = NONE
    memory.way[0, observation.agent[0], observation.agent[1]] = ACTIONS
    for steps in range(1, LONGEST):
        old, new = (steps - 1) % 2, steps % 2
        for row in range(rows):
            for column in range(width):
                memory.way[new, row, column] = NONE
        for row in range(rows):
            for column in range(width):
                first = memory.way[old, row, column]
                for action in range(ACTIONS if first != NONE else 0):
                    land(memory, observation, row, column, action)
                    to, on = memory.step[0], memory.step[1]
                    if memory.way[new, to, on] == NONE and not (
                        minds and meets(memory, observation, row, column, steps)
                    ):
                        chosen = action if first == ACTIONS else first
                        if pays(observation, to, on):
                            return chosen
                        memory.way[new, to, on] = chosen
    return np.int64(WAIT)


@policy(ID, "runner", variables=ROOM)
def runner(memory, observation, mask):
    """Takes the shortest way to the next key or door, as if there were no skulls."""
    return search(memory, observation, False)


@policy(ID, "planner", variables=ROOM)
def planner(memory, observation, mask):
    """Takes the shortest way to the next key or door on which no skull meets it."""
    return search(memory, observation, True)
