"""Baselines of Breakthrough."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy

MINE, THEIRS = range(2)


@kernel
def beside(observation, plane, row, column, left_out):
    """The number of pawns of a plane in a row, on the two columns beside one; the column `left_out` does not count."""
    found = 0
    for place in range(column - 1, column + 2, 2):
        if 0 <= place < observation.shape[1] and place != left_out:
            found += observation[row, place, plane]
    return found


@policy("envsuite/Breakthrough-v0", "tactical")
def tactical(memory, observation, mask):
    """Wins, or stops a win; captures pawns; advances where no capture can answer; guards its first row."""
    rows, columns = observation.shape[0], observation.shape[1]
    width = 3 * columns - 2
    best, highest, ties = 0, -(1 << 30), 0
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            row, place = action // width, action % width + 1
            column = place // 3
            target = column + place % 3 - 1
            worth = 2 * row
            if row + 2 == rows:
                worth += 1 << 20
            else:
                if observation[row + 1, target, THEIRS] != 0:
                    worth += 20 + 4 * (rows - row) + (1 << 10) * (row == 0)  # a pawn on the second row would win next
                attackers = beside(observation, THEIRS, row + 2, target, -1)
                if attackers > beside(observation, MINE, row, target, column):
                    worth -= 20 + 2 * row
                elif attackers == 0 and row + 4 >= rows:
                    worth += 30
                worth -= 8 * (row == 0)
            ties = ties + 1 if worth == highest else 1
            if worth > highest or (worth == highest and random.randint(memory, ties) == 0):
                best, highest = action, worth
    return best
