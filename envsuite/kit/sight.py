"""What an agent sees of a grid: the cells around it, turned so that it looks up."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import compiled_as

#: Codes whose look depends on the observer: PLAYER + 4 * index + facing, below OWN. LIT may be added to any code.
PLAYER, OWN, LIT = 8, 72, 128


@compiled_as("envsuite.kit.sight_machine:look")
def look(cells, stride, cell, facing, behind, own, change, view):
    """Write what an agent sees into `view` (rows, columns) uint8, turned so that it looks up, to row 0.

    The agent stands at `cell` of rows of `stride` cells, which is in the middle column, `behind` rows above the last
    one. A player's facing is seen relative to the agent's. Codes from `own`, a multiple of 4, to `own` + 3 are seen
    with the bits of `change` flipped. `cells` (cells,) uint8 must hold all of the view, of 4 to 16 rows and columns.
    """
    rows, columns = view.shape
    ahead, right = ((1, stride), (stride, -1), (-1, -stride), (-stride, 1))[facing]
    up = np.arange(rows - 1 - behind, -1 - behind, -1)[:, None]
    side = np.arange(columns) - columns // 2
    codes = np.asarray(cells)[cell + up * ahead + side * right]
    plain = codes & (LIT - 1)
    seen = np.where((plain >= PLAYER) & (plain < OWN), codes & 0xFC | (codes - np.uint8(facing)) & 3, codes)
    view[:] = np.where(plain & 0xFC == own, seen ^ np.uint8(change), seen)


@compiled_as("envsuite.kit.sight_machine:look_around")
def look_around(cells, stride, cell, shown, view):
    """Write the cells around an agent at `cell` into `view` (rows, columns) uint8, whatever it faces: north is up.

    `shown` (rows, columns) uint8 has the bits of each code that are seen: 0 where the agent sees nothing. `cells`
    (cells,) uint8 has rows of `stride` cells and must hold all of the view, of 4 to 16 rows and columns.
    """
    rows, columns = view.shape
    first = cell - rows // 2 * stride - columns // 2
    view[:] = np.asarray(cells)[first + stride * np.arange(rows)[:, None] + np.arange(columns)] & shown
