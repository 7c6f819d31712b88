"""Stones on a square board with an edge around it; for worlds of that family.

A board of `size` x `size` cells, numbered row by row, lies in rows of `size + 1` points: one column of edge parts a
row's end from the next row's start, and a row of edge lies on either side. So every neighbour of a cell is a point,
and no code asks where the board ends. The record has `board` (`num_points(size)`,) uint8, and `seen` (2, size, size,
planes) int8, the observation of each player, whose first two planes are its own stones and the other's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.kernel import kernel

#: What lies on a point; the stones of player k are k + 1.
EMPTY, BLACK, WHITE, EDGE = range(4)


def num_points(size: int) -> int:
    """Cells and edge."""
    return (size + 1) * (size + 2)


@kernel
def point_of(cell, size):
    """The point of a cell."""
    return cell + size + 1 + cell // size


@kernel
def clear(s):
    """Empty the board, and all planes."""
    size = s.seen.shape[1]
    for k in range(s.seen.size):
        s.seen.flat[k] = 0
    for point in range(s.board.shape[0]):
        s.board[point] = EDGE
    for cell in range(size * size):
        s.board[point_of(cell, size)] = EMPTY


def sound(s: Any) -> bool:
    """Whether cells and edge lie where they belong, and stones are put on empty cells only."""
    size = s.seen.shape[1]
    cells = point_of(np.arange(size * size), size)
    edge = np.ones(len(s.board), np.bool_)
    edge[cells] = False
    return bool(((s.board == EDGE) == edge).all() and (s.board[cells][s.legal[: size * size] == 1] == EMPTY).all())


@kernel
def show(s, player, point, there):
    """Note in both players' planes that a stone of a player is on a point (1), or no longer (0)."""
    width = s.seen.shape[1] + 1
    row, column = np.uint64(point // width - 1), np.uint64(point % width)
    s.seen[player, row, column, 0] = there
    s.seen[1 - player, row, column, 1] = there
