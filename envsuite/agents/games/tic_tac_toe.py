"""Baselines of tic-tac-toe and its relatives."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy

MINE, THEIRS = range(2)


@kernel
def pieces(observation, plane, row, column, up, right, connect):
    """The number of marks of a plane in a stretch of `connect` cells; -1 if it leaves the board or has other marks."""
    last_row, last_column = row + up * (connect - 1), column + right * (connect - 1)
    if min(row, last_row) < 0 or max(row, last_row) >= observation.shape[0]:
        return -1
    if min(column, last_column) < 0 or max(column, last_column) >= observation.shape[1]:
        return -1
    count = 0
    for k in range(connect):
        if observation[row + k * up, column + k * right, 1 - plane] != 0:
            return -1
        count += observation[row + k * up, column + k * right, plane]
    return count


@large_kernel
def stretches(observation, plane, row, column, connect, wanted):
    """The number of stretches through a cell with `wanted` marks of this plane and none of the other."""
    found = 0
    for direction in range(4):
        up, right = min(direction, 1), (1, 0, 1, -1)[direction]
        for back in range(connect):
            found += pieces(observation, plane, row - back * up, column - back * right, up, right, connect) == wanted
    return found


@large_kernel
def value(observation, row, column, connect):
    """The sum over the stretches through a cell that one player may still fill; more marks count more."""
    total = 0
    for direction in range(4):
        up, right = min(direction, 1), (1, 0, 1, -1)[direction]
        for back in range(connect):
            for plane in range(2):
                count = pieces(observation, plane, row - back * up, column - back * right, up, right, connect)
                if count >= 0:
                    total += (2 - plane) << min(2 * count, 40)
    return total


@large_kernel
def safe_threat(observation, row, column, connect):
    """Whether a mark here threatens to win, and the cell that answers the threat does not give the other a fork."""
    for direction in range(4):
        up, right = min(direction, 1), (1, 0, 1, -1)[direction]
        for back in range(connect):
            r, c = row - back * up, column - back * right
            if pieces(observation, MINE, r, c, up, right, connect) == connect - 2:
                for k in range(connect):
                    y, x = r + k * up, c + k * right
                    if observation[y, x, MINE] == 0 and (y != row or x != column):
                        return stretches(observation, THEIRS, y, x, connect, connect - 2) < 2
    return False


@kernel
def rank(observation, row, column, connect):
    """The urgency of a cell: win, block, fork, prevent a fork, then `value`."""
    if stretches(observation, MINE, row, column, connect, connect - 1) > 0:
        return 1 << 60
    if stretches(observation, THEIRS, row, column, connect, connect - 1) > 0:
        return 1 << 59
    if stretches(observation, MINE, row, column, connect, connect - 2) > 1:
        return 1 << 58
    return value(observation, row, column, connect)


@policy("envsuite/TicTacToe-v0", "tactical", connect=Between(2, 16).at(3))
def tactical(memory, observation, mask):
    """Wins, blocks, forks or prevents a fork if it can; otherwise takes the most open lines. Never loses on 3 x 3.

    `connect` is the length of a line, which the observation does not show.
    """
    columns, connect = observation.shape[1], memory.connect
    forked = False
    for cell in range(mask.shape[0]):
        if mask[cell] != 0:
            forked |= stretches(observation, THEIRS, cell // columns, cell % columns, connect, connect - 2) > 1
    best, highest, ties = 0, -1, 0
    for cell in range(mask.shape[0]):
        if mask[cell] != 0:
            row, column = cell // columns, cell % columns
            urgency = rank(observation, row, column, connect)
            if forked and safe_threat(observation, row, column, connect):
                urgency |= 1 << 57
            elif forked and stretches(observation, THEIRS, row, column, connect, connect - 2) > 1:
                urgency |= 1 << 56
            ties = ties + 1 if urgency == highest else 1
            if urgency > highest or (urgency == highest and random.randint(memory, ties) == 0):
                best, highest = cell, urgency
    return best
