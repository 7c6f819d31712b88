"""Baselines of Go."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import scratch

MINE, THEIRS = range(2)

#: Arrays by cell, for boards up to 19 x 19. A chain is identified by its first cell.
SCRATCH = {name: scratch(361) for name in ("chain", "stones", "liberties", "counted_for", "todo")}


@kernel
def beside(cell, k, size):
    """The neighbor of a cell in one of four directions, or -1 beyond the edge."""
    row, column = cell // size, cell % size
    if k == 0:
        return cell - size if row > 0 else -1
    if k == 1:
        return cell + size if row < size - 1 else -1
    if k == 2:
        return cell - 1 if column > 0 else -1
    return cell + 1 if column < size - 1 else -1


@kernel
def has(observation, plane, cell):
    """Whether a plane's player has a stone on a cell."""
    return observation[cell // observation.shape[1], cell % observation.shape[1], plane] != 0


@large_kernel
def explore(memory, observation, start, plane, name):
    """Mark the chain of a plane to which a cell belongs. Returns its numbers of stones and liberties.

    A cell that is already `counted_for` this name is not counted as a liberty again.
    """
    size = observation.shape[0]
    memory.counted_for[start] = name
    memory.chain[start] = name
    memory.todo[0] = start
    first, stop = 0, 1
    liberties = 0
    while first < stop:
        cell = memory.todo[first]
        first += 1
        for k in range(4):
            near = beside(cell, k, size)
            if near >= 0 and memory.counted_for[near] != name:
                if has(observation, plane, near):
                    memory.counted_for[near] = name
                    memory.chain[near] = name
                    memory.todo[stop] = near
                    stop += 1
                elif not has(observation, 1 - plane, near):
                    memory.counted_for[near] = name
                    liberties += 1
    memory.stones[start] = stop
    memory.liberties[start] = liberties


@kernel
def is_eye(observation, cell):
    """Whether a cell is an eye: own stones on all sides; the other has at most one corner, and none at the edge."""
    size = observation.shape[0]
    for k in range(4):
        near = beside(cell, k, size)
        if near >= 0 and not has(observation, MINE, near):
            return False
    row, column = cell // size, cell % size
    corners, others = 0, 0
    for up in range(-1, 2, 2):
        for right in range(-1, 2, 2):
            y, x = row + up, column + right
            if 0 <= y < size and 0 <= x < size:
                corners += 1
                others += observation[y, x, THEIRS] != 0
    return others == 0 or (corners == 4 and others == 1)


@kernel
def worth(memory, observation, cell):
    """The worth of a play, or -1 if it makes no sense.

    Each captured stone counts 30, each stone saved 20, each stone threatened with capture 2.
    """
    size = observation.shape[0]
    value, taken, free = np.int64(0), np.int64(0), 0
    for k in range(4):
        near = beside(cell, k, size)
        if near < 0:
            continue
        free += not (has(observation, MINE, near) or has(observation, THEIRS, near))
        new = True
        for j in range(k):
            other = beside(cell, j, size)
            new &= other < 0 or memory.chain[other] != memory.chain[near]
        if new and memory.chain[near] >= 0:
            chain = memory.chain[near]
            left = memory.liberties[chain]
            if has(observation, THEIRS, near):
                taken += memory.stones[chain] if left == 1 else 0
                value += 2 * memory.stones[chain] if left == 2 else 0
            elif left == 1:
                value += 20 * memory.stones[chain]
    liberties = taken + liberties_after(memory, observation, cell)
    if liberties < 2:
        return np.int64(-1) if taken == 0 else 30 * taken
    on_edge = cell < size or cell >= size * (size - 1) or cell % size == 0 or cell % size == size - 1
    return value + 30 * taken + (0 if on_edge and free == 3 else 1)


@kernel
def liberties_after(memory, observation, cell):
    """The liberties of the chain that an own stone on an empty cell would belong to, without captures."""
    size = observation.shape[0]
    liberties = 0
    name = size * size + cell  # a name that no chain has
    for k in range(4):
        near = beside(cell, k, size)
        if near >= 0:
            if not (has(observation, MINE, near) or has(observation, THEIRS, near)):
                if memory.counted_for[near] != name:
                    memory.counted_for[near] = name
                    liberties += 1
            elif has(observation, MINE, near):
                chain = memory.chain[near]
                for other in range(size * size):
                    if memory.chain[other] == chain:
                        for j in range(4):
                            far = beside(other, j, size)
                            if far >= 0 and far != cell and memory.counted_for[far] != name:
                                if not (has(observation, MINE, far) or has(observation, THEIRS, far)):
                                    memory.counted_for[far] = name
                                    liberties += 1
    return liberties


@policy("envsuite/Go-v0", "tactical", SCRATCH)
def tactical(memory, observation, mask):
    """Captures, saves its stones, threatens; never fills its own eyes, and passes if no other move is sensible."""
    size = observation.shape[0]
    cells = size * size
    for cell in range(cells):
        memory.chain[cell] = -1
        memory.counted_for[cell] = -1
    for cell in range(cells):
        for plane in range(2):
            if memory.chain[cell] < 0 and has(observation, plane, cell):
                explore(memory, observation, cell, plane, cell)
    best, most, ties = cells, np.int64(-1), 0
    for cell in range(cells):
        if mask[cell] and not is_eye(observation, cell):
            value = worth(memory, observation, cell)
            if value > most:
                best, most, ties = cell, value, 1
            elif value == most and value >= 0:
                ties += 1
                if randint(memory, ties) == 0:
                    best = cell
    return best
