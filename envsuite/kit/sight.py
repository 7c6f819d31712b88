"""What an agent sees of a grid: the cells around it, turned so that it looks up; and lines of sight between cells."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import compiled_as, large_kernel

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


@large_kernel
def in_line(grid, opaque, y, x, row, column):
    """Whether nothing blocks the line between the middles of two cells of `grid` (height, width).

    The line has one place for each row between the two cells, or for each column if these are more. A place is a cell
    there, the nearest one; where two are equally near, one of them without `opaque` is enough. The two cells
    themselves never block. So sight is mutual, and the same on a mirrored or turned map.
    """
    down, across = abs(row - y), abs(column - x)
    i, j = 1 if row > y else -1, 1 if column > x else -1
    tall = down > across
    steps, aside = (down, across) if tall else (across, down)
    rest, off = steps, 0  # the line is `off` cells aside, and `rest` / (2 steps) - 1/2 of a cell more
    for k in range(1, steps):
        rest += 2 * aside
        if rest >= 2 * steps:
            rest -= 2 * steps
            off += 1
        near = off if rest > 0 else off - 1  # with no rest, both are equally near
        if tall:
            blocked = grid[y + i * k, x + j * off] == opaque and grid[y + i * k, x + j * near] == opaque
        else:
            blocked = grid[y + i * off, x + j * k] == opaque and grid[y + i * near, x + j * k] == opaque
        if blocked:
            return False
    return True


#: The farthest rows and columns that `look_far` reaches.
REACH = 8


def _crossed() -> np.ndarray:
    """(3, 81) sets of cells that the lines of `in_line` cross, to each cell at most REACH below and to the right.

    Bit 8 y + x stands for the cell y below and x to the right. Of two cells that are equally near to a line, the first
    is in set 1 if the second is to its right, and in set 2 if that is below; all other cells are in set 0.
    """
    sets = np.zeros((3, (REACH + 1) ** 2), np.uint64)
    for down in range(REACH + 1):
        for across in range(REACH + 1):
            tall, length = down > across, max(down, across)
            for k in range(1, length):
                off, rest = divmod(2 * k * min(down, across) + length, 2 * length)
                number = 0 if rest else 1 if tall else 2
                off -= rest == 0
                cell = 8 * k + off if tall else 8 * off + k
                sets[number, (REACH + 1) * down + across] |= np.uint64(1 << cell)
    return sets


_CROSSED = _crossed()


@large_kernel
def look_far(grid, opaque, y, x, view):
    """Write codes of `grid` (height, width) plus 1 around a cell into `view`, where `in_line` holds; 0 elsewhere.

    `view` has 2 r + 1 rows and columns with r from 1 to REACH. Each quarter of it has one word of opaque cells, in
    which a line is looked up at once.
    """
    height, width = grid.shape
    reach = view.shape[0] // 2
    for quarter in range(4):
        i, j = 1 - 2 * (quarter & 1), 1 - (quarter & 2)
        tall = min(reach, height - 1 - y if i > 0 else y)
        wide = min(reach, width - 1 - x if j > 0 else x)
        walls = np.uint64(0)
        for down in range(min(tall + 1, REACH)):
            for across in range(min(wide + 1, REACH)):
                wall = np.uint64(grid[np.uint64(y + i * down), np.uint64(x + j * across)] == opaque)
                walls |= wall << np.uint64(8 * down + across)
        beside, below = walls & (walls >> np.uint64(1)), walls & (walls >> np.uint64(8))
        for down in range(reach + 1):
            for across in range(reach + 1):
                code = 0
                if down <= tall and across <= wide:
                    to = np.uint64((REACH + 1) * down + across)
                    blocked = (walls & _CROSSED[0, to]) | (beside & _CROSSED[1, to]) | (below & _CROSSED[2, to])
                    if blocked == 0:
                        code = 1 + grid[np.uint64(y + i * down), np.uint64(x + j * across)]
                view[np.uint64(reach + i * down), np.uint64(reach + j * across)] = code
