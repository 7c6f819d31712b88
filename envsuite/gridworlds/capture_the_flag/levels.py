"""Camps: caves whose left half mirrors the right one, with a base on each side.

Rock is drawn for the left half and mirrored. The automaton of `envsuite.generators.caves` smooths it, and tunnels join
what is separate. A tunnel is mirrored too, so the map stays its own mirror image, and every free cell can be reached.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint
from envsuite.core.world import Between
from envsuite.generators import caves, grids
from envsuite.generators.grids import CORNERS, FREE, LARGEST, RANDOM, WALL, Ends, Walled
from envsuite.kit.grid import DX, DY


@kernel
def mirrored(s, cell):
    """The mirror image of a cell."""
    width = s.level.grid.shape[1]
    return cell - cell % width + width - 1 - cell % width


@large_kernel
def make(s):
    """Mirrored caves by the parameters."""
    height, width = s.level.grid.shape
    for y in range(height):
        for x in range((width + 1) // 2):
            inside = x > 0 and 0 < y < height - 1
            code = FREE if inside and not bernoulli(s, s.params.walls) else WALL
            s.level.grid[y, x] = code
            s.level.grid[y, width - 1 - x] = code
    for _ in range(s.params.smoothing):
        caves.smooth(s)
    for y in range(height // 2 - 1, height // 2 + 2):  # ensures that both sides have room
        for x in range((width - 1) // 2 - 1, width // 2 + 2):
            s.level.grid[y, x] = FREE
    caves.join(s)
    for cell in range(s.level.grid.size):
        if grids.cell_at(s, cell) == FREE:
            grids.put(s, mirrored(s, cell), FREE)
    measure(s)
    s.level.start = base(s)
    s.level.goal = mirrored(s, s.level.start)
    grids.tidy(s)


@large_kernel
def measure(s):
    """Mark the free cells of the left half with their distances from the middle column, plus one.

    In a mirrored map a shortest path from a cell to its image meets the middle column first, and then is its own image.
    """
    height, width = s.level.grid.shape
    marks, queue, middle = s.scratch.marks, s.scratch.queue, (width - 1) // 2
    grids.unmark(s)
    head, tail = 0, 0
    for y in range(height):
        if s.level.grid[y, middle] == FREE:
            queue[tail] = y * width + middle
            marks[y * width + middle] = 1
            tail += 1
    while head < tail:
        cell = np.int64(queue[head])
        head += 1
        for direction in range(4):
            near = cell + DX[direction] + DY[direction] * width
            if near % width <= middle and grids.cell_at(s, near) == FREE and marks[near] == 0:
                marks[near] = marks[cell] + 1
                queue[tail] = near
                tail += 1


@large_kernel
def base(s):
    """The base of the left side: one of the cells farthest from the middle, a random cell, or that in the corner."""
    width = s.level.grid.shape[1]
    found, count, best = np.int64(0), 0, np.int64(0)
    for cell in range(s.level.grid.size):
        if cell % width < width // 2 and s.scratch.marks[cell] > 0:
            value = np.int64(s.scratch.marks[cell])
            if s.params.ends == RANDOM:
                value = np.int64(1)
            elif s.params.ends == CORNERS:
                value = np.int64(2 * LARGEST - cell // width - cell % width)
            count = count + 1 if value == best else 1 if value > best else count
            # In the corner, the first by rows.
            if value > best or (value == best and s.params.ends != CORNERS and randint(s, count) == 0):
                found, best = np.int64(cell), value
    return found


class Camps(Walled):
    """Mirrored caves; the start is the base of the left side and the goal, its image, that of the right side.

    Args:
        height, width: cells of the grid, walls included.
        walls: share of rock before smoothing.
        smoothing: rounds of the automaton.
        ends: where the bases are: the nearest cells to the upper corners, random, or farthest from each other.
    """

    make = make

    def __init__(
        self,
        height: Annotated[int, Between(5, LARGEST)] = 13,
        width: Annotated[int, Between(5, LARGEST)] = 21,
        walls: Annotated[float, Between(0, 1)] = 0.4,
        smoothing: Annotated[int, Between(0, 20)] = 1,
        ends: Ends = "farthest",
    ):
        self.lay_out(height, width, ends, walls=float(walls), smoothing=smoothing)
