"""Caves by cellular automata: random rock that is smoothed into connected caves.

Johnson, Yannakakis and Togelius, "Cellular automata for real-time generation of infinite cave levels", 2010.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint
from envsuite.core.world import Between
from envsuite.generators import grids
from envsuite.generators.grids import FREE, LARGEST, WALL, Ends, Walled


@large_kernel
def smooth(s):
    """One round: a cell becomes wall if at least 5 of the 9 cells around and including it are wall; otherwise free."""
    height, width = s.level.grid.shape
    walls = s.scratch.queue
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            count = 0
            for j in range(y - 1, y + 2):
                for i in range(x - 1, x + 2):
                    count += s.level.grid[np.uint64(j), np.uint64(i)] == WALL
            walls[np.uint64(y * width + x)] = count
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            s.level.grid[y, x] = WALL if walls[np.uint64(y * width + x)] >= 5 else FREE


@large_kernel
def join(s):
    """Dig a tunnel from each region to the nearest cell of the regions joined before."""
    width = s.level.grid.shape[1]
    marks, queue = s.scratch.marks, s.scratch.queue
    reached = np.int64(0)
    grids.unmark(s)
    for first in range(s.level.grid.size):
        if grids.cell_at(s, first) == WALL or marks[np.uint64(first)] != 0:
            continue
        # From the cell of this region to that of the others; the two are nearest to each other, or nearly so.
        x, y = first % width, first // width
        to, distance = np.int64(first), s.level.grid.size
        for k in range(reached):
            cell = np.int64(queue[np.uint64(k)])
            gap = abs(cell % width - x) + abs(cell // width - y)
            if gap < distance:
                to, distance = cell, gap
        before = reached
        reached = grids.flood(s, np.int64(first), reached)
        if before == 0:
            continue
        start, distance = np.int64(first), s.level.grid.size
        for k in range(before, reached):
            cell = np.int64(queue[np.uint64(k)])
            gap = abs(cell % width - to % width) + abs(cell // width - to // width)
            if gap < distance:
                start, distance = cell, gap
        x, y = start % width, start // width
        while y * width + x != to:
            across, down = to % width - x, to // width - y
            if randint(s, abs(across) + abs(down)) < abs(across):
                x += 1 if across > 0 else -1
            else:
                y += 1 if down > 0 else -1
            cell = y * width + x
            if grids.cell_at(s, cell) == WALL:
                grids.put(s, cell, FREE)
                marks[np.uint64(cell)] = 1
                queue[np.uint64(reached)] = cell
                reached += 1


@large_kernel
def keep_largest(s):
    """Fill all regions but the largest."""
    grids.explore(s, grids.largest_region(s))
    for cell in range(s.level.grid.size):
        if s.scratch.marks[np.uint64(cell)] == 0:
            grids.put(s, cell, WALL)


@large_kernel
def make(s):
    """Caves by the parameters."""
    height, width = s.level.grid.shape
    for y in range(height):
        for x in range(width):
            inside = 0 < x < width - 1 and 0 < y < height - 1
            s.level.grid[y, x] = FREE if inside and not bernoulli(s, s.params.walls) else WALL
    for _ in range(s.params.smoothing):
        smooth(s)
    for y in range(height // 2 - 1, height // 2 + 2):  # ensures that there is a cave
        for x in range(width // 2 - 1, width // 2 + 2):
            s.level.grid[y, x] = FREE
    if s.params.joined:
        join(s)
    else:
        keep_largest(s)
    grids.place_ends(s)
    grids.tidy(s)


@kernel
def change(s):
    """Add or remove a cell of wall, with all free cells still connected; or move the start or the goal."""
    if randint(s, 4) == 0:
        grids.move_end(s)
    else:
        grids.toggle(s, np.int64(1))
    grids.tidy(s)


class Caves(Walled):
    """Caves; every free cell can be reached from every other.

    Args:
        height, width: cells of the grid, walls included.
        walls: share of rock before smoothing.
        smoothing: rounds of the automaton.
        regions: "joined" digs tunnels between separate caves, "largest" keeps only the largest cave.
        ends: where start and goal are.
    """

    make = make
    change = change

    def __init__(
        self,
        height: Annotated[int, Between(5, LARGEST)] = 25,
        width: Annotated[int, Between(5, LARGEST)] = 25,
        walls: Annotated[float, Between(0, 1)] = 0.45,
        smoothing: Annotated[int, Between(0, 20)] = 4,
        regions: Literal["joined", "largest"] = "joined",
        ends: Ends = "farthest",
    ):
        joined = regions == "joined"
        self.lay_out(height, width, ends, walls=float(walls), smoothing=smoothing, joined=joined)
