"""Shared by board games: the kernels `observe` and `legal`, and words.

The record has three fields:

- `seen` (2, rows, columns, planes): both players' views. The first two planes are the pieces of the observing player
  and of the other player.
- `player`: the player to move.
- `legal` (K,) int8, for the kernel `legal`: the mask of the player to move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from envsuite.core.kernel import kernel


@kernel
def observe(s, agent, out):
    """Copy the agent's view."""
    size = s.seen.size // 2
    for k in range(size):
        out.flat[k] = s.seen.flat[agent * size + k]


@kernel
def legal(s, agent, mask):
    """Copy the mask for the player to move; the other player has no legal actions."""
    turn = np.int8(s.player == agent)
    for k in range(s.legal.shape[0]):
        mask[k] = turn & s.legal[k]


def pieces(s: Any) -> np.ndarray:
    """(rows, columns) int8 in the order of the first player's view: 0 if empty, or the player's number plus 1."""
    return s.seen[0, :, :, 0] + 2 * s.seen[0, :, :, 1]


def lettered(board: np.ndarray, signs: str) -> list[str]:
    """A board as lines of text with the names of rows and columns, first row at the bottom; a sign for each number."""
    rows, columns = board.shape
    margin = len(str(rows))
    lines = [f"{r + 1:{margin}} " + " ".join(signs[there] for there in board[r]) for r in reversed(range(rows))]
    return [*lines, " " * (margin + 1) + " ".join(chr(97 + c) for c in range(columns))]


def words_for_middle(names: Sequence[str], rows: int, columns: int) -> dict[str, str]:
    """Other words for the square in the middle, if there is one; `names` are those of all squares, row by row."""
    middle = names[rows * columns // 2]
    return dict.fromkeys(("center", "centre", "middle"), middle) if rows % 2 and columns % 2 else {}


def turn(s: Any, agent: int, winner: int | None = None) -> str:
    """A sentence for an agent: whose turn it is, or how the game has ended. A `winner` of -1 is a draw."""
    if winner is None:
        return "It is your turn." if s.player == agent else "It is the other player's turn."
    return "It is a draw." if winner < 0 else "You have won." if winner == agent else "You have lost."
