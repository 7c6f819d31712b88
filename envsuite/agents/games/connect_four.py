"""Baselines of Connect Four."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy

MINE, THEIRS = range(2)


@kernel
def run_length(observation, plane, row, column, up, right):
    """The number of consecutive discs of a plane that start beside a cell, in one direction."""
    rows, columns = observation.shape[0], observation.shape[1]
    length = 0
    row += up
    column += right
    while 0 <= row < rows and 0 <= column < columns and observation[row, column, plane] != 0:
        length += 1
        row += up
        column += right
    return length


@kernel
def wins(observation, plane, row, column, connect):
    """Whether a disc of this plane's player on this cell would make a line."""
    if row >= observation.shape[0]:
        return False
    longest = run_length(observation, plane, row, column, -1, 0)
    for up in range(-1, 2):
        length = run_length(observation, plane, row, column, up, 1)
        longest = max(longest, length + run_length(observation, plane, row, column, -up, -1))
    return longest + 1 >= connect


@kernel
def height(observation, column):
    """The row to which a disc falls."""
    row = 0
    while row < observation.shape[0] and (observation[row, column, MINE] != 0 or observation[row, column, THEIRS] != 0):
        row += 1
    return row


@policy("envsuite/ConnectFour-v0", "tactical", connect=Between(2, 16).at(4))
def tactical(memory, observation, mask):
    """Wins or blocks at once if it can; otherwise plays near the center, but not below a winning cell of the other.

    `connect` is the length of a line, which the observation does not show.
    """
    columns = observation.shape[1]
    for plane in range(2):
        for c in range(columns):
            if mask[c] != 0 and wins(observation, plane, height(observation, c), c, memory.connect):
                return c
    best, least = 0, 3 * columns
    for c in range(columns):
        if mask[c] != 0:
            cost = abs(2 * c - (columns - 1))
            if wins(observation, THEIRS, height(observation, c) + 1, c, memory.connect):
                cost += columns
            if cost < least or (cost == least and random.bernoulli(memory, 0.5)):
                best, least = c, cost
    return best
