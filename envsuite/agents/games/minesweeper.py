"""Baselines of Minesweeper: one deduces from single numbers, one also estimates the risk of the other cells."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import scratch
from envsuite.games.minesweeper import HIDDEN, beside

ID = "envsuite/Minesweeper-v0"
VARIABLES = {"state": scratch(900), "risk": scratch(900, np.float64)}

#: What is known of a hidden cell.
UNKNOWN, SAFE, MINED = range(3)


@kernel
def count(state, seen, cell, rows, columns, wanted):
    """The hidden neighbors of a cell of which this is known."""
    total = 0
    for k in range(8):
        near = beside(cell, k, rows, columns)
        total += near >= 0 and seen[near] == HIDDEN and state[near] == wanted
    return total


@large_kernel
def deduce(memory, seen, rows, columns):
    """Mark cells as safe or mined until single numbers tell nothing more."""
    changed = True
    while changed:
        changed = False
        for cell in range(rows * columns):
            if 0 < seen[cell] <= 8:
                unknown = count(memory.state, seen, cell, rows, columns, UNKNOWN)
                missing = seen[cell] - count(memory.state, seen, cell, rows, columns, MINED)
                if unknown > 0 and (missing == 0 or missing == unknown):
                    for k in range(8):
                        near = beside(cell, k, rows, columns)
                        if near >= 0 and seen[near] == HIDDEN and memory.state[near] == UNKNOWN:
                            memory.state[near] = SAFE if missing == 0 else MINED
                            changed = True


@large_kernel
def choose(memory, observation, mask, estimate):
    """A safe cell if one is known, otherwise one not known to be mined: a random one, or one of the least risk."""
    rows, columns = observation.shape
    seen, cells = observation.reshape(rows * columns), rows * columns
    for cell in range(cells):
        memory.state[cell] = UNKNOWN
        memory.risk[cell] = 0.0
    deduce(memory, seen, rows, columns)
    if estimate:  # the largest share of mines that a number leaves to the unknown cells around it
        for cell in range(cells):
            if 0 < seen[cell] <= 8:
                unknown = count(memory.state, seen, cell, rows, columns, UNKNOWN)
                missing = seen[cell] - count(memory.state, seen, cell, rows, columns, MINED)
                for k in range(8):
                    near = beside(cell, k, rows, columns)
                    if near >= 0 and seen[near] == HIDDEN and unknown > 0:
                        memory.risk[near] = max(memory.risk[near], missing / unknown)
    best, least, ties = 0, 100.0, 0
    for cell in range(cells):
        if mask[cell] != 0:
            state = memory.state[cell]
            risk = 0.0 if state == SAFE else 10.0 if state == MINED else 0.2
            if state == UNKNOWN and memory.risk[cell] > 0.0:
                risk = memory.risk[cell]
            ties = 1 if risk < least else ties + 1
            if risk < least or (risk == least and randint(memory, ties) == 0):
                best = cell
            least = min(least, risk)
    return best


@policy(ID, "careful", VARIABLES)
def careful(memory, observation, mask):
    """Deduces from single numbers; otherwise reveals the cell of the least risk by the numbers beside it.

    A cell without numbers beside it counts as one with the risk 0.2.
    """
    return choose(memory, observation, mask, True)


@policy(ID, "logical", VARIABLES)
def logical(memory, observation, mask):
    """Deduces from single numbers; otherwise reveals a random cell that is not known to have a mine."""
    return choose(memory, observation, mask, False)
