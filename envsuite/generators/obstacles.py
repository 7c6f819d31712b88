"""Obstacles at random places, with a path from the start to the goal."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.core.world import Between
from envsuite.generators import grids
from envsuite.generators.grids import CORNERS, FREE, LARGEST, WALL, Ends, Walled


@large_kernel
def make(s):
    """Obstacles by the parameters."""
    height, width = s.level.grid.shape
    spots, count = s.scratch.queue, 0
    for y in range(height):
        for x in range(width):
            inside = 0 < x < width - 1 and 0 < y < height - 1
            s.level.grid[y, x] = FREE if inside else WALL
            corner = (x == 1 and y == 1) or (x == width - 2 and y == height - 2)
            if inside and not (corner and s.params.ends == CORNERS):
                spots[np.uint64(count)] = y * width + x
                count += 1
    obstacles = min(np.int64(s.params.density * (height - 2) * (width - 2) + 0.5), count)
    for _ in range(obstacles):
        chosen = np.uint64(randint(s, count))
        grids.put(s, np.int64(spots[chosen]), WALL)
        count -= 1
        spots[chosen] = spots[np.uint64(count)]
    grids.place_ends(s)
    grids.open_way(s)
    grids.tidy(s)


@kernel
def change(s):
    """Add or remove an obstacle, with a path still open; or move the start or the goal."""
    if randint(s, 4) == 0:
        grids.move_end(s)
    else:
        grids.toggle(s, np.int64(0))
    grids.tidy(s)


class Obstacles(Walled):
    """Obstacles at a density, with the same probability everywhere.

    If they block all paths from the start to the goal, those on a path with the fewest of them are removed.

    Args:
        height, width: cells of the grid, the walls around it included.
        density: share of the inner cells that are obstacles.
        ends: where start and goal are; "corners" are always free.
    """

    make = make
    change = change

    def __init__(
        self,
        height: Annotated[int, Between(5, LARGEST)] = 18,
        width: Annotated[int, Between(5, LARGEST)] = 18,
        density: Annotated[float, Between(0, 0.75)] = 0.3,
        ends: Ends = "corners",
    ):
        self.lay_out(height, width, ends, density=float(density))
