"""Shared by scripted policies of gridworlds: finding a code in a view, and drawing a map of what is seen.

A map is one array: rows of cells, joined to a ring at least as large as the largest level. So it fits wherever the
agent starts, and nothing ever leaves it.
"""

from __future__ import annotations

from envsuite.core.kernel import kernel, large_kernel
from envsuite.kit.grid import DX, DY

#: Cells of a row of the usual ring, and in all.
SIDE = 32
CELLS = SIDE * SIDE


@kernel
def beside(cell, direction):
    """The next cell of the usual ring in a direction."""
    return cell + DX[direction & 3] + DY[direction & 3] * SIDE & CELLS - 1


@kernel
def find(view, code):
    """The row and column of the first place of a view with this code; 0 and 0 if there is none."""
    for y in range(view.shape[0]):
        for x in range(view.shape[1]):
            if view[y, x] == code:
                return y, x
    return 0, 0


@large_kernel
def draw(memory, view, agent, side):
    """Copy the codes of a view plus one to `memory.map`, in rows of `side` cells; the agent's code is in `cell`."""
    row, column = find(view, agent)
    for y in range(view.shape[0]):
        for x in range(view.shape[1]):
            cell = memory.cell + (y - row) * side + x - column & memory.map.shape[0] - 1
            memory.map[cell] = view[y, x] + 1
