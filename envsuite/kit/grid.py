"""Shared by gridworlds. A facing is 0 east, 1 south, 2 west, 3 north: x grows to the east, y to the south.

The grid of a world with views is one flat array of uint8 codes, row after row, with `stride` cells to a row. Around it
is a border as wide as a view reaches, so views need no test of bounds. A *cell* is an index into that array; a neighbor
is `cell + ahead(facing, stride)`. Simultaneous moves need no machinery: agents move one after another in an order that
is shuffled at every step. If several agents choose the same cell, a random one of them thus gets it.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, geometric, randint

EAST, SOUTH, WEST, NORTH = range(4)

#: One cell ahead in each facing; one cell to the right of a facing f is that of facing (f + 1) % 4.
DX = np.array([1, 0, -1, 0])
DY = np.array([0, 1, 0, -1])

#: Quarter turns from a facing to the direction of a move relative to it.
FORWARD, RIGHT, BACKWARD, LEFT = range(4)

#: The cells at a Euclidean distance of at most 2, without the center itself.
DISC = np.array([(dx, dy) for dy in range(-2, 3) for dx in range(-2, 3) if 0 < dx * dx + dy * dy <= 4])


#: The names of steps down, up, right and left on a map, and on a screen.
COMPASS, SCREEN = ("south", "north", "east", "west"), ("down", "up", "right", "left")


def steps(down: int, right: int, names: tuple[str, str, str, str] = COMPASS) -> list[str]:
    """A way over a grid in words, such as ``["2 south", "1 east"]``; empty for the own cell."""
    ways = (down, names[0], names[1]), (right, names[2], names[3])
    return [f"{abs(count)} {one if count > 0 else other}" for count, one, other in ways if count]


@kernel
def ahead(facing, stride):
    """The next cell in this direction."""
    return DX[facing & 3] + DY[facing & 3] * stride


@kernel
def add_around(counts, stride, cell, change):
    """Add to the counts of the twelve cells within distance 2."""
    for k in range(DISC.shape[0]):
        counts[cell + DISC[k, 0] + DISC[k, 1] * stride] += change


@kernel
def sprout(s, empty, old, count, near, chances):
    """Draw which of the first `old` of `count` empty sites sprout now, by their numbers of live neighbors.

    A site with k live neighbors, by `near`, sprouts with probability `chances[k]`, or the last of the chances if k is
    larger. Sites that sprout are moved behind the others; the number of the others is returned.
    """
    most = chances.shape[0] - 1
    for i in range(old - 1, -1, -1):
        site = empty[i]
        chance = chances[min(np.int64(near[site]), most)]
        if chance > 0.0 and bernoulli(s, chance):
            count -= 1
            empty[i] = empty[count]
            empty[count] = site
    return count


@kernel
def sprout_anywhere(s, count, chance):
    """The next of `count` sites that sprouts, each with this probability per step, or -1 after the last one.

    `s.gap` is the number of sites before the next one that sprouts, in this step and later ones. `geometric` draws it
    at reset. A step without sprouts thus draws nothing.
    """
    found = s.gap
    if found < count:
        s.gap = found + 1 + geometric(s, chance)
        return found
    s.gap -= count
    return np.int64(-1)


@large_kernel
def random_spot(s, spots, count, cells, free):
    """A uniformly random cell among the first `count` in `spots` whose code is `free` (256,), or -1 without one."""
    left = 0
    for k in range(count):
        left += free[cells[spots[k]]]
    if left == 0:
        return -1
    left = randint(s, left)
    for k in range(count):
        if free[cells[spots[k]]]:
            if left == 0:
                return np.int64(spots[k])
            left -= 1
    return -1
