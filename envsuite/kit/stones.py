"""Stones on a square board with an edge around it.

A board of `size` x `size` cells, numbered row by row, lies in rows of `size + 1` points: one column of edge separates
the end of a row from the start of the next, with a row of edge before the first and after the last. So every neighbor
of a cell is a point, and no code tests for the end of the board.

The record has `board` (`num_points(size)`,) uint8 and `seen` (2, size, size, planes) int8, the observation of each
player. The first two planes are the player's own stones and the other player's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel

#: The contents of a point; a stone of player k is k + 1.
EMPTY, BLACK, WHITE, EDGE = range(4)


def num_points(size: int) -> int:
    """The number of points: cells and edge."""
    return (size + 1) * (size + 2)


@kernel
def point_of(cell, size):
    """The point of a cell."""
    return cell + size + 1 + cell // size


@kernel
def clear(s):
    """Clear the board and all planes."""
    size = s.seen.shape[1]
    fill(s.seen, 0)
    fill(s.board, EDGE)
    for cell in range(size * size):
        s.board[point_of(cell, size)] = EMPTY


def sound(s: Any) -> bool:
    """Whether cells and edge are in their places, both players see the stones, and only empty cells are legal."""
    size = s.seen.shape[1]
    cells = point_of(np.arange(size * size), size)
    edge = np.ones(len(s.board), np.bool_)
    edge[cells] = False
    there = s.board[cells]
    black, white = (there == stone for stone in (BLACK, WHITE))
    planes = np.array([[black, white], [white, black]]).reshape(2, 2, size, size)
    return bool(
        ((s.board == EDGE) == edge).all()
        and (there[s.legal[: size * size] == 1] == EMPTY).all()
        and (s.seen[..., :2] == planes.transpose(0, 2, 3, 1)).all()
    )


@kernel
def show(s, player, point, there):
    """Set a player's stone on a point in both players' planes: 1 if it is there, 0 if it was removed."""
    width = s.seen.shape[1] + 1
    row, column = np.uint64(point // width - 1), np.uint64(point % width)
    s.seen[player, row, column, 0] = there
    s.seen[1 - player, row, column, 1] = there
