"""Policies for RTS: rushes with one kind of unit each, with a search for the way to the enemy."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games import rts

_ID = "envsuite/RTS-v0"

#: The most cells of a grid; a distance above all others.
_CELLS = 32 * 32
_FAR = 1_000_000
#: Whom a search looks for.
_ENEMY, _DEPOSIT, _HOME, _DARK = range(4)

_SEARCH = {"far": scratch(_CELLS), "queue": scratch(_CELLS)}


@kernel
def sought(cell, whom):
    """Whether a cell holds what a search looks for."""
    if whom == _ENEMY:
        return cell[1] == 2
    if whom == _DEPOSIT:
        return cell[0] == rts.DEPOSIT
    if whom == _DARK:
        return cell[0] == rts.UNSEEN
    return cell[0] == rts.BASE and cell[1] == 1


@large_kernel
def spread(memory, observation, whom):
    """Steps from every free cell to beside the nearest cell of this sort, in `memory.far`; how many there are."""
    size = observation.cells.shape[0]
    tail = 0
    for cell in range(size * size):
        memory.far[cell] = _FAR
        if sought(observation.cells[cell // size, cell % size], whom):
            memory.far[cell] = 0
            memory.queue[tail] = cell
            tail += 1
    head, found = 0, tail
    while head < tail:
        cell = memory.queue[head]
        head += 1
        for way in range(4):
            row, column = cell // size + rts.ROWS[rts.MOVE + way], cell % size + rts.COLUMNS[rts.MOVE + way]
            if 0 <= row < size and 0 <= column < size:
                to = row * size + column
                if memory.far[to] == _FAR and observation.cells[row, column, 0] != rts.WALL:
                    memory.far[to] = memory.far[cell] + 1
                    if (
                        observation.cells[row, column, 0] == rts.NOTHING
                        or observation.cells[row, column, 0] == rts.UNSEEN
                    ):
                        memory.queue[tail] = to
                        tail += 1
    return found


@large_kernel
def go(memory, observation, mask, cell, whom):
    """The legal move that comes nearest; `WAIT` if none comes nearer. If it sees nothing of the sort, it explores."""
    size = observation.cells.shape[0]
    if spread(memory, observation, whom) == 0:
        spread(memory, observation, _DARK)
    found, best = rts.WAIT, memory.far[cell]
    for way in range(4):
        if mask[rts.MOVE + way]:
            to = cell + rts.ROWS[rts.MOVE + way] * size + rts.COLUMNS[rts.MOVE + way]
            if memory.far[to] < best:
                found, best = rts.MOVE + way, memory.far[to]
    return found


@kernel
def first(mask, low, high):
    """The first legal action in a range, -1 if there is none."""
    for action in range(low, high):
        if mask[action]:
            return action
    return -1


@large_kernel
def strike(mask):
    """The legal attack on the nearest enemy, -1 if there is none."""
    found, best = -1, _FAR
    for action in range(rts.ATTACK, mask.shape[0]):
        squared = rts.ROWS[action] * rts.ROWS[action] + rts.COLUMNS[action] * rts.COLUMNS[action]
        if mask[action] and squared < best:
            found, best = action, squared
    return found


@large_kernel
def count_own(observation, kind):
    """The own units of a kind, with those that are being built."""
    size, count = observation.cells.shape[0], 0
    low = rts.BUILD + 4 * (kind - rts.BASE)
    for row in range(size):
        for column in range(size):
            if observation.cells[row, column, 1] == 1:
                order = np.int64(observation.cells[row, column, 4]) - 1
                count += (observation.cells[row, column, 0] == kind) + (low <= order < low + 4)
    return count


@large_kernel
def gatherer(memory, observation):
    """The cell of the worker that gathers: one that carries something, or else the nearest to a deposit."""
    size = observation.cells.shape[0]
    spread(memory, observation, _DEPOSIT)
    found, best = -1, _FAR
    for cell in range(size * size):
        seen = observation.cells[cell // size, cell % size]
        if seen[0] == rts.WORKER and seen[1] == 1:
            far = np.int64(-1) if seen[3] > 0 else memory.far[cell]
            if far < best:
                found, best = cell, far
    return found


@large_kernel
def gather(memory, observation, mask, cell):
    """A worker harvests and returns."""
    size = observation.cells.shape[0]
    action = first(mask, rts.HARVEST, rts.BUILD)
    if action >= 0:
        return action
    return go(memory, observation, mask, cell, _HOME if observation.cells[cell // size, cell % size, 3] else _DEPOSIT)


@large_kernel
def own_cell(observation):
    """The cell of the unit to order, -1 if there is none."""
    size = observation.cells.shape[0]
    for cell in range(size * size):
        if observation.cells[cell // size, cell % size, 6]:
            return cell
    return -1


@large_kernel
def rush(memory, observation, mask, army):
    """An order: one worker gathers, the base and the barracks build, and the army attacks what is nearest."""
    size, cell = observation.cells.shape[0], own_cell(observation)
    if cell < 0:
        return rts.WAIT
    kind = observation.cells[cell // size, cell % size, 0]
    if kind == rts.BASE:
        if army != rts.WORKER and count_own(observation, rts.WORKER) >= 1:
            return rts.WAIT
        return max(
            first(mask, rts.BUILD + 4 * (rts.WORKER - rts.BASE), rts.BUILD + 4 * (rts.LIGHT - rts.BASE)), rts.WAIT
        )
    if kind == rts.BARRACKS:
        return max(first(mask, rts.BUILD + 4 * (army - rts.BASE), rts.BUILD + 4 * (army - rts.BASE) + 4), rts.WAIT)
    action = strike(mask)
    if action >= 0:
        return action
    if kind == rts.WORKER and count_own(observation, rts.BASE) > 0 and gatherer(memory, observation) == cell:
        near_deposit = first(mask, rts.HARVEST, rts.RETURN) >= 0
        if army != rts.WORKER and count_own(observation, rts.BARRACKS) == 0 and not near_deposit:
            action = first(mask, rts.BUILD + 4 * (rts.BARRACKS - rts.BASE), rts.BUILD + 4 * (rts.WORKER - rts.BASE))
            if action >= 0:
                return action
        return gather(memory, observation, mask, cell)
    return go(memory, observation, mask, cell, _ENEMY)


@policy(_ID, "light_rush", variables=_SEARCH)
def light_rush(memory, observation, mask):
    """Builds a barracks and sends light units."""
    return rush(memory, observation, mask, rts.LIGHT)


@policy(_ID, "worker_rush", variables=_SEARCH)
def worker_rush(memory, observation, mask):
    """Sends all workers but one."""
    return rush(memory, observation, mask, rts.WORKER)


@policy(_ID, "heavy_rush", variables=_SEARCH)
def heavy_rush(memory, observation, mask):
    """Builds a barracks and sends heavy units."""
    return rush(memory, observation, mask, rts.HEAVY)


@policy(_ID, "ranged_rush", variables=_SEARCH)
def ranged_rush(memory, observation, mask):
    """Builds a barracks and sends ranged units."""
    return rush(memory, observation, mask, rts.RANGED)
