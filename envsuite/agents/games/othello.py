"""Baselines of Othello."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.games.othello import flips, moves
from envsuite.kit import bitboard
from envsuite.kit.bitboard import bit, lowest

MINE, THEIRS = range(2)


@kernel
def discs(observation, plane):
    """The discs of a plane as bits."""
    size, found = observation.shape[0], np.uint64(0)
    for square in range(size * size):
        if observation[square // size, square % size, plane] != 0:
            found |= bit(square)
    return found


@kernel
def place(square, size, taken):
    """The worth of a square: corners most, edges a little, squares beside an empty corner less than nothing."""
    row, column = square // size, square % size
    from_row, from_column = min(row, size - 1 - row), min(column, size - 1 - column)
    if from_row + from_column == 0:
        return 100
    if from_row <= 1 and from_column <= 1:
        corner = (0 if 2 * row < size else size - 1) * size + (0 if 2 * column < size else size - 1)
        if taken & bit(corner) == 0:
            return -50 if from_row + from_column == 2 else -25
    return 8 if min(from_row, from_column) == 0 else 0


@policy("envsuite/Othello-v0", "positional")
def positional(memory, observation, mask):
    """Takes corners, avoids squares beside empty corners, and leaves the other few moves; counts discs at the end."""
    size = np.int64(observation.shape[0])
    own, other = discs(observation, MINE), discs(observation, THEIRS)
    left = moves(own, other, size)
    if left == 0:
        return size * size
    empty = size * size - bitboard.size(own | other)
    best, highest, ties = 0, -(1 << 30), 0
    while left:
        square = lowest(left)
        left &= left - np.uint64(1)
        turned = flips(own, other, size, square)
        mine, theirs = own | turned | bit(square), other & ~turned
        replies = bitboard.size(moves(theirs, mine, size))
        worth = place(square, size, own | other) - 6 * replies
        if replies == 0 and moves(mine, theirs, size) == 0:  # the end of the game: a win comes first
            worth = 1000 * (bitboard.size(mine) - bitboard.size(theirs))
        elif empty <= 8:
            worth += 4 * bitboard.size(turned)
        ties = ties + 1 if worth == highest else 1
        if worth > highest or (worth == highest and random.randint(memory, ties) == 0):
            best, highest = square, worth
    return best
