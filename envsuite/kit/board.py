"""What board games share: kernels `observe` and `legal`, and words.

The record has both players' views, `seen` (2, rows, columns, planes), whose first two planes are what the observing
player and the other one have; whose turn it is, `player`; and for `legal` what may be played then, `legal` (K,) int8.
"""

from typing import Any

import numpy as np

from envsuite.core.kernel import kernel


@kernel
def observe(s, agent, out):
    """The agent's view."""
    size = s.seen.size // 2
    for k in range(size):
        out.flat[k] = s.seen.flat[agent * size + k]


@kernel
def legal(s, agent, mask):
    """What may be played, by whose turn it is."""
    turn = np.int8(s.player == agent)
    for k in range(s.legal.shape[0]):
        mask[k] = turn & s.legal[k]


def pieces(s: Any) -> np.ndarray:
    """(rows, columns) int8 in the order of the first player's view: 0 empty, else the number of the player plus 1."""
    return s.seen[0, :, :, 0] + 2 * s.seen[0, :, :, 1]


def lettered(board: np.ndarray, signs: str) -> list[str]:
    """A board in words, its first row at the bottom, with the names of rows and columns; a sign for each number."""
    rows, columns = board.shape
    margin = len(str(rows))
    lines = [f"{r + 1:{margin}} " + " ".join(signs[there] for there in board[r]) for r in reversed(range(rows))]
    return [*lines, " " * (margin + 1) + " ".join(chr(97 + c) for c in range(columns))]


def turn(s: Any, agent: int, winner: int | None = None) -> str:
    """Whose turn it is, as an agent is told, or how the game has ended: with a winner, or with none (-1)."""
    if winner is None:
        return "It is your turn." if s.player == agent else "It is the other player's turn."
    return "It is a draw." if winner < 0 else "You have won." if winner == agent else "You have lost."
