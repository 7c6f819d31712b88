"""Lines on a board: who has `connect` pieces in a row, column or diagonal; for worlds of that family.

The record has `lines` (2, `num_lines`) uint16, each player's pieces as bits, one word for every row, column and
diagonal; `seen` (2, rows, columns, ...), here only for the size of the board; and `params.connect`.
"""

import numpy as np

from envsuite.core.kernel import kernel

#: What stays in its own line when all lines are moved by one place.
_WITHIN = np.uint64(0x7FFF7FFF7FFF7FFF)


def num_lines(rows: int, columns: int) -> int:
    """Rows, columns, and diagonals of both directions."""
    return 3 * (rows + columns) - 2


@kernel
def mark(s, player, row, column):
    """A player's piece comes to a cell, and so into four lines; whether one of them now has `connect` in a row."""
    rows, columns = s.seen.shape[1], s.seen.shape[2]
    # The four lines side by side in one word.
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
    """The cells (row, column) of a line of one player on a board, where 0 is empty; or none."""
    rows, columns = board.shape
    for r, c in np.argwhere(board):
        for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = [(int(r + k * up), int(c + k * right)) for k in range(connect)]
            if all(0 <= y < rows and 0 <= x < columns and board[y, x] == board[r, c] for y, x in line):
                return line
    return []
