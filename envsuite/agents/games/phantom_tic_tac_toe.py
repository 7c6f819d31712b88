"""Baselines of PhantomTicTacToe: lines of known marks, and the middle first."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy

ID = "envsuite/PhantomTicTacToe-v0"


@kernel
def run(board, plane, row, column, up, right):
    """How many marks of a plane follow each other from the cell beside this one, in one direction."""
    rows, columns, _ = board.shape
    count = 0
    row, column = row + up, column + right
    while 0 <= row < rows and 0 <= column < columns and board[row, column, plane] != 0:
        count += 1
        row, column = row + up, column + right
    return count


@kernel
def longest(board, plane, row, column):
    """The most marks of a plane in one line through this cell, which is not counted."""
    most = 0
    for k in range(4):
        up, right = (0, 1, 1, 1)[k], (1, 0, 1, -1)[k]
        there = run(board, plane, row, column, up, right) + run(board, plane, row, column, -up, -right)
        most = max(most, there)
    return most


@kernel
def best(memory, observation, mask, block):
    """A random one of the cells that make the agent's longest line, or break the other's known one if `block`."""
    rows, columns, _ = observation.board.shape
    found, most, count = 0, -1, 0
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            row, column = action // columns, action % columns
            value = 4 * longest(observation.board, 0, row, column)
            if block:
                value = max(value, 4 * longest(observation.board, 1, row, column) - 1)
            # Cells in the middle are on more lines.
            value = 4 * value - abs(2 * row - rows + 1) - abs(2 * column - columns + 1) + 4 * (rows + columns)
            count = 1 if value > most else count + 1
            if value > most or (value == most and random.randint(memory, count) == 0):
                found = action
            most = max(most, np.int64(value))
    return found


@policy(ID, "lines")
def lines(memory, observation, mask):
    """Tries the cell that makes its longest line or breaks the other's known one; of several, one near the middle."""
    return best(memory, observation, mask, True)


@policy(ID, "builder")
def builder(memory, observation, mask):
    """Tries the cell that makes its longest line, and does not look at the other's."""
    return best(memory, observation, mask, False)
