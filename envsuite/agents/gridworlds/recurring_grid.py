"""Baselines of RecurringGrid: they return to the goal that they know, and differ in how they search."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds.recurring_grid import DOWN, LARGEST, LEFT, RIGHT, UP

ID = "envsuite/RecurringGrid-v0"

CELLS = LARGEST * LARGEST

#: The most cells of a grid whose searches "planner" compares, and the sets of them.
PLANNED = 9
SETS = 1 << PLANNED

#: The cells that were entered since the last find, and the cell where the last find was, or -1.
VARIABLES = {"tried": limited(np.zeros(CELLS, np.uint8), 0, 1), "goal": limited(-1, -1, CELLS - 1)}


@kernel
def place(observation):
    """The agent's cell, and the cells on a side."""
    size, cell = observation.position.shape[1], np.int64(0)
    for k in range(size):
        cell += k * (size * observation.position[0, k] + observation.position[1, k])
    return cell, size


@kernel
def note(memory, observation, cell, size):
    """Remember what the latest move showed; gives whether a new search begins, as it does with an empty window."""
    empty, found = observation.window[0, 0] == 0, observation.window[0, 3] != 0
    if empty:
        memory.goal = -1
    elif found:
        memory.goal = np.int64(observation.window[0, 1]) * size + observation.window[0, 2]
    if empty or found:
        for k in range(size * size):
            memory.tried[k] = 0
    memory.tried[cell] = 1
    if cell == memory.goal:
        memory.goal = -1
    return empty or found


@kernel
def distance(a, b, size):
    """The moves between two cells."""
    return abs(a // size - b // size) + abs(a % size - b % size)


@kernel
def towards(cell, target, size):
    """A move on a shortest way."""
    if target // size != cell // size:
        return DOWN if target // size > cell // size else UP
    return RIGHT if target % size > cell % size else LEFT


@policy(ID, "sweep", variables=VARIABLES)
def sweep(memory, observation, mask):
    """Returns to the goal that it knows; otherwise goes to the nearest cell not entered since the last find.

    It needs a `memory` of at least 1.
    """
    cell, size = place(observation)
    note(memory, observation, cell, size)
    target = memory.goal
    if target < 0:
        for k in range(size * size):
            if memory.tried[k] == 0 and (target < 0 or distance(cell, k, size) < distance(cell, target, size)):
                target = k
    return towards(cell, max(target, 0), size)


@kernel
def round_trip(cell, before, size):
    """The next move of a round trip through all cells; `before` is the cell before this one.

    With an even `size` it enters each cell once. Otherwise it enters the cell above the bottom left corner twice.
    """
    y, x, last = cell // size, cell % size, size - 1
    odd = size % 2 == 1
    if x == 0:
        if y == 0:
            return RIGHT
        return DOWN if odd and y == last - 1 and before != cell + size else UP
    if odd and y >= last - 1:  # the last two rows of an odd number, by columns from the right
        if x % 2 == 0:
            return DOWN if y < last else LEFT
        return UP if y == last else LEFT
    if y % 2 == 0:
        return RIGHT if x < last else DOWN
    return LEFT if x > 1 or y == last else DOWN


@kernel
def weigh(memory, cells):
    """How likely the goal is in each of the cells before the search begins, if it stays with probability `stays`."""
    stays = memory.stays if memory.goal >= 0 else 0.0
    for k in range(cells):
        memory.weights[k] = (1.0 - stays) / cells + (stays if k == memory.goal else 0.0)


@large_kernel
def compare(memory, size):
    """The expected moves of the best search, times its probability, for each set of tried cells and last one of them.

    A search is an order of the cells. The sets are taken from the largest on, so what follows is known.
    """
    cells = size * size
    weigh(memory, cells)
    for tried in range((1 << cells) - 1, 0, -1):
        left = 0.0
        for k in range(cells):
            left += memory.weights[k] * (1 - (tried >> k & 1))
        for cell in range(cells):
            best, chosen = 0.0, -1
            for k in range(cells):
                if tried >> cell & 1 == 1 and tried >> k & 1 == 0:
                    moves = left * distance(cell, k, size) + memory.moves[(tried | 1 << k) * PLANNED + k]
                    if chosen < 0 or moves < best:
                        best, chosen = moves, k
            memory.moves[tried * PLANNED + cell] = best
            memory.next[tried * PLANNED + cell] = max(chosen, 0)


@kernel
def planned(memory, cell, size):
    """The cell to which the best search goes next."""
    tried = np.int64(0)
    for k in range(size * size):
        tried |= np.int64(memory.tried[k]) << k
    return memory.next[tried * PLANNED + cell]


@policy(
    ID,
    "planner",
    variables=VARIABLES
    | {
        "before": limited(-1, -1, CELLS - 1),
        "compared": limited(-2, -2, CELLS - 1),  # the goal for which searches were compared
        "weights": scratch(PLANNED, np.float64),
        "moves": scratch(SETS * PLANNED, np.float64),
        "next": limited(np.zeros(SETS * PLANNED, np.uint8), 0, PLANNED - 1),
    },
    stays=CHANCE.at(1.0),
)
def planner(memory, observation, mask):
    """Searches with the fewest moves on average; `stays` is the probability that a block continues after a find.

    Up to 3 x 3 cells it compares all searches. On larger grids it returns to the goal that it knows if `stays` is at
    least 1/2, and then makes a round trip. This is the best search if `size` is even and `stays` is 1. It needs a
    `memory` of at least 1.
    """
    cell, size = place(observation)
    if note(memory, observation, cell, size):
        memory.before = -1
    before = memory.before
    memory.before = cell
    if memory.goal >= 0 and memory.stays == 1.0:
        return towards(cell, memory.goal, size)
    if size * size > PLANNED:
        known = memory.goal >= 0 and memory.stays >= 0.5
        return towards(cell, memory.goal, size) if known else round_trip(cell, before, size)
    if memory.compared != memory.goal:
        memory.compared = memory.goal
        compare(memory, size)
    return towards(cell, planned(memory, cell, size), size)
