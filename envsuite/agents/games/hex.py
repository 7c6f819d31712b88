"""Baselines of Hex."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import scratch

MINE, THEIRS, LEFT_RIGHT = range(3)

#: More than any path can cost.
FAR = 1000


@large_kernel
def measure(distance, observation, plane, rows, from_end):
    """The number of empty cells that a plane's player still needs from one of its sides to each cell, inclusive.

    The sides are rows (top and bottom) or columns; `from_end` chooses the second side. The other's cells are closed.
    """
    size = observation.shape[0]
    for row in range(size):
        for column in range(size):
            place = row if rows else column
            cost = 0 if observation[row, column, plane] else 1
            on_side = place == (size - 1 if from_end else 0)
            distance[row, column] = cost if on_side and observation[row, column, 1 - plane] == 0 else FAR
    changed = True
    while changed:
        changed = False
        for k in range(2 * size * size):  # forward, then back
            cell = k if k < size * size else 2 * size * size - 1 - k
            row, column = cell // size, cell % size
            if observation[row, column, 1 - plane] == 0:
                cost = 0 if observation[row, column, plane] else 1
                least = np.int64(distance[row, column])
                for down in range(-1, 2):
                    for right in range(-1, 2):
                        y, x = row + down, column + right
                        if down != right and 0 <= y < size and 0 <= x < size:
                            least = min(least, distance[y, x] + cost)
                changed |= least < distance[row, column]
                distance[row, column] = least


@kernel
def connect(memory, board, mask, rows, planes):
    """A random one of the cells through which the shortest connections of the first planes need the fewest stones.

    The own sides are `rows` or columns.
    """
    size = board.shape[0]
    for k in range(2 * planes):
        plane = k // 2
        measure(memory.distance[k], board, plane, rows == (plane == MINE), k % 2 == 1)
    best, least, ties = 0, 5 * FAR, 0
    for cell in range(size * size):
        if mask[cell]:
            total = np.int64(0)
            for k in range(2 * planes):
                total += memory.distance[k, cell // size, cell % size]
            ties = ties + 1 if total == least else 1
            if total < least or (total == least and randint(memory, ties) == 0):
                best = cell
            least = min(least, total)
    return best


@policy("envsuite/Hex-v0", "shortest", {"distance": scratch((4, 19, 19))})
def shortest(memory, observation, mask):
    """Plays the cell through which its own and the other's shortest connections together need the fewest stones.

    If the other could swap, it opens on the border. It swaps a first stone that is not on the border.
    """
    size = observation.shape[0]
    cells, stones, inside = size * size, 0, 0
    for cell in range(cells):
        row, column = cell // size, cell % size
        there = observation[row, column, MINE] | observation[row, column, THEIRS]
        stones += there
        inside += there and 0 < row < size - 1 and 0 < column < size - 1
    if mask.shape[0] > cells:
        if stones == 0:
            along = randint(memory, size)
            return (along, cells - 1 - along, along * size, along * size + size - 1)[randint(memory, 4)]
        if mask[cells] and inside:
            return cells
    return connect(memory, observation, mask, observation[0, 0, LEFT_RIGHT] == 0, THEIRS + 1)
