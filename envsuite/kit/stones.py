"""Stones on a square board with an edge around it; for worlds of that family.

A board of `size` x `size` cells, numbered row by row, lies in rows of `size + 1` points: one column of edge parts a
row's end from the next row's start, and a row of edge lies on either side. So every neighbour of a cell is a point,
and no code asks where the board ends. The record has `board` (`num_points(size)`,) uint8, and `seen` (2, size, size,
planes) int8, the observation of each player, whose first two planes are its own stones and the other's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError
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


@kernel
def show(s, player, point, there):
    """Note in both players' planes that a stone of a player is on a point (1), or no longer (0)."""
    width = s.seen.shape[1] + 1
    row, column = np.uint64(point // width - 1), np.uint64(point % width)
    s.seen[player, row, column, 0] = there
    s.seen[1 - player, row, column, 1] = there


def opening(world: Any, s: Any, moves: Iterable[str]) -> list[int]:
    """The actions with which a game starts, given by name, or `LevelError` if one is illegal or the last ends it."""
    actions = []
    batch = Batch(world, 1)
    batch.records["params"] = s.params
    batch.start()
    for k, move in enumerate(moves):
        if batch.finished[0]:
            raise LevelError(f"{world.id}: the level's game is over after {k} moves")
        player = int(batch.acting[0].argmax())
        names = world.action_names[player]
        action = names.index(move) if move in names else -1
        if action < 0 or not batch.masks[0, player, action]:
            problem = "is not a move of this game" if action < 0 else "is illegal"
            raise LevelError(f"{world.id}: move {k} of the level, {move!r}, {problem}")
        batch.step(action)
        actions.append(action)
    if batch.finished[0]:
        raise LevelError(f"{world.id}: the level's game is over after {len(actions)} moves")
    return actions
