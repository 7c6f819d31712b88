"""Lines on a board, for games in which `connect` pieces in a row, column or diagonal win.

The record has `lines` (2, `num_lines`) uint16: each player's pieces as bits, one word for every row, column and
diagonal. It also has `seen` (2, rows, columns, ...), used here only for the size of the board, and `params.connect`.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel

#: The bits that stay in their own line when all lines are shifted by one place.
_WITHIN = np.uint64(0x7FFF7FFF7FFF7FFF)


def num_lines(rows: int, columns: int) -> int:
    """The number of rows, columns, and diagonals in both directions."""
    return 3 * (rows + columns) - 2


@kernel
def mark(s, player, row, column):
    """Put a player's piece on a cell, and so into four lines. Returns whether one of them has `connect` in a row."""
    rows, columns = s.seen.shape[1], s.seen.shape[2]
    # All four lines are in one word, side by side.
    pieces = (
        _put(s, player, row, column)
        | _put(s, player, rows + column, row) << np.uint64(16)
        | _put(s, player, rows + columns + row + column, column) << np.uint64(32)
        | _put(s, player, 3 * columns + 2 * rows - 2 + row - column, column) << np.uint64(48)
    )
    for _ in range(s.params.connect - 1):
        pieces &= pieces >> np.uint64(1) & _WITHIN
    return np.int64(pieces != 0)


@kernel
def _put(s, player, line, place):
    pieces = np.uint64(s.lines[player, line]) | np.uint64(1) << np.uint64(place)
    s.lines[player, line] = pieces
    return pieces


def find_line(board: np.ndarray, connect: int) -> list[tuple[int, int]]:
    """The cells (row, column) of a line of one player on a board (0 is empty), or an empty list."""
    rows, columns = board.shape
    for r, c in np.argwhere(board):
        for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = [(int(r + k * up), int(c + k * right)) for k in range(connect)]
            if all(0 <= y < rows and 0 <= x < columns and board[y, x] == board[r, c] for y, x in line):
                return line
    return []
