"""Baselines of DotsAndBoxes: one takes boxes, one also gives none away as long as it can."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy

ID = "envsuite/DotsAndBoxes-v0"


@kernel
def sides(observation, row, column):
    """The number of sides of a box that are drawn; -1 beside the board."""
    rows, columns = observation.boxes.shape
    if row < 0 or column < 0 or row >= rows or column >= columns:
        return -1
    across, down = observation.horizontal, observation.vertical
    return across[row, column] + across[row + 1, column] + down[row, column] + down[row, column + 1]


@kernel
def most(observation, action):
    """The larger number of drawn sides of the boxes at a line."""
    rows, columns = observation.boxes.shape
    if action < (rows + 1) * columns:
        row, column = action // columns, action % columns
        return max(sides(observation, row - 1, column), sides(observation, row, column))
    rest = action - (rows + 1) * columns
    row, column = rest // (columns + 1), rest % (columns + 1)
    return max(sides(observation, row, column - 1), sides(observation, row, column))


@kernel
def choose(memory, observation, mask, careful):
    """A random one of the best lines: those that close a box; for careful players then those that do not give one."""
    best, count, found = -1, 0, 0
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            drawn = most(observation, action)
            value = 2 if drawn == 3 else 1 if careful and drawn < 2 else 0
            if value > best:
                best, count = value, 0
            if value == best:
                count += 1
                if random.randint(memory, count) == 0:
                    found = action
    return found


@policy(ID, "taker")
def taker(memory, observation, mask):
    """Closes a box if it can, otherwise draws a random line."""
    return choose(memory, observation, mask, False)


@policy(ID, "careful")
def careful(memory, observation, mask):
    """Closes a box if it can, otherwise draws no third side of a box if it can avoid it."""
    return choose(memory, observation, mask, True)
