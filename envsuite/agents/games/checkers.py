"""Baselines of Checkers: one takes what it can get, one also looks at what the other can capture next."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.games.checkers import ACROSS, DOWN

ID = "envsuite/Checkers-v0"

#: What a square holds, as it is observed; OUTSIDE is off the board.
OUTSIDE, EMPTY, OWN, MAN, KING = range(-1, 4)


@kernel
def holds(board, row, column):
    """What a square holds."""
    if not (0 <= row < board.shape[0] and 0 <= column < board.shape[1]):
        return OUTSIDE
    planes = board[row, column]
    return OWN if planes[0] or planes[1] else MAN if planes[2] else KING if planes[3] else EMPTY


@kernel
def after(board, row, column, source, way, jump):
    """What a square holds after a move of the agent's from the square with this number."""
    columns = board.shape[1]
    r, c = row - source // columns, column - source % columns
    for k in range(1 + jump):  # the square that it leaves, and the square that it jumps over
        if r == k * DOWN[way] and c == k * ACROSS[way]:
            return EMPTY
    if r == (1 + jump) * DOWN[way] and c == (1 + jump) * ACROSS[way]:
        return OWN
    return holds(board, row, column)


@kernel
def in_danger(board, source, way, jump):
    """The number of captures that the other player could make after a move."""
    found = 0
    for row in range(1, board.shape[0] - 1):
        for column in range(1, board.shape[1] - 1):
            if after(board, row, column, source, way, jump) == OWN:
                for k in range(4):
                    piece = after(board, row - DOWN[k], column - ACROSS[k], source, way, jump)
                    if piece == KING or (piece == MAN and k >= 2):  # its men move down
                        found += after(board, row + DOWN[k], column + ACROSS[k], source, way, jump) == EMPTY
    return found


@kernel
def jumps_again(board, source, way):
    """Whether the piece can jump again after a jump that does not crown it."""
    columns = board.shape[1]
    row, column = source // columns + 2 * DOWN[way], source % columns + 2 * ACROSS[way]
    king = board[source // columns, source % columns, 1] != 0
    if row == 0 and not king:
        return False
    for k in range(4 if king else 2):
        over = after(board, row + DOWN[k], column + ACROSS[k], source, way, 1)
        if over >= MAN and after(board, row + 2 * DOWN[k], column + 2 * ACROSS[k], source, way, 1) == EMPTY:
            return True
    return False


@kernel
def worth(board, source, way, jump):
    """What a move brings at once: captures, crowns and advances; men stay on the first row, kings approach others."""
    rows, columns = board.shape[0], board.shape[1]
    row, column = source // columns, source % columns
    value = 0
    if jump:
        value += 30 + 15 * (board[row + DOWN[way], column + ACROSS[way], 3] != 0)
        value += 30 * jumps_again(board, source, way)
    if board[row, column, 0] != 0:
        value += 1 + 20 * (row + (1 + jump) * DOWN[way] == 0) - 10 * (row == rows - 1)
    else:
        value -= nearest(board, row + (1 + jump) * DOWN[way], column + (1 + jump) * ACROSS[way])
    return value


@kernel
def nearest(board, row, column):
    """The steps of a king from a square to the other player's nearest piece."""
    least = board.shape[0] + board.shape[1]
    for r in range(board.shape[0]):
        for c in range(board.shape[1]):
            if board[r, c, 2] or board[r, c, 3]:
                least = min(least, max(abs(r - row), abs(c - column)))
    return least


@kernel
def best(memory, observation, mask, careful):
    """A random one of the best moves."""
    found, most, ties = 0, -(1 << 30), 0
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            source, way, jump = action // 8, action // 2 % 4, action % 2
            value = worth(observation.board, source, way, jump)
            if careful and not (jump and jumps_again(observation.board, source, way)):
                value -= 25 * in_danger(observation.board, source, way, jump)
            ties = 1 if value > most else ties + 1
            if value > most or (value == most and random.randint(memory, ties) == 0):
                found = action
            most = max(most, value)
    return found


@policy(ID, "greedy")
def greedy(memory, observation, mask):
    """Captures kings and in long jumps, crowns its men, keeps its first row, and advances."""
    return best(memory, observation, mask, False)


@policy(ID, "careful")
def careful(memory, observation, mask):
    """Like "greedy", but counts what the other player could capture next."""
    return best(memory, observation, mask, True)
