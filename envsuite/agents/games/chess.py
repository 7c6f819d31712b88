"""Baselines of chess."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games.chess import MOST_MOVES, generate, place, squares_of
from envsuite.kit import bitboard
from envsuite.kit.chess_pieces import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK

#: The worth of pieces, from pawns to kings.
VALUES = np.array([100, 320, 330, 500, 900, 10_000])

MATE = 1_000_000.0


@kernel
def balance(board):
    """The worth of the own pieces minus the worth of the other side's."""
    worth = 0
    for piece in range(KING):
        worth += VALUES[piece] * (bitboard.size(board[0, piece]) - bitboard.size(board[1, piece]))
    return worth


@kernel
def worth_at(board, side, squares):
    """The worth of a side's piece on a square; 0 if there is none."""
    for piece in range(6):
        if board[side, piece] & squares:
            return VALUES[piece]
    return 0


@kernel
def guarded(board):
    """The squares that the own pieces attack or guard."""
    occupied = bitboard.ZERO
    for k in range(12):
        occupied |= board[k // 6, k % 6]
    reach = bitboard.pawn_attacks(board[0, PAWN]) | bitboard.knight_attacks(board[0, KNIGHT])
    reach |= bitboard.KING_STEPS[bitboard.lowest(board[0, KING])]
    for line in range(4):
        sliders = board[0, QUEEN] | board[0, ROOK if line < 2 else BISHOP]
        while sliders:
            reach |= bitboard.along(line, bitboard.lowest(sliders), occupied)
            sliders &= sliders - bitboard.ONE
    return reach


@large_kernel
def loss(board, replies, count):
    """The most material that a reply of the other side wins at once, if a guarded piece is always recaptured."""
    guards, most = guarded(board), 0
    for k in range(count):
        origin, target = squares_of(np.int64(replies[k]), 1)
        gain = worth_at(board, 0, bitboard.bit(target))
        if gain > most:
            if guards & bitboard.bit(target):
                gain -= worth_at(board, 1, bitboard.bit(origin))
            most = max(most, gain)
    return most


@policy(
    "envsuite/Chess-v0",
    "material",
    variables={
        "board": np.zeros((2, 6), np.uint64),
        "after": np.zeros((2, 6), np.uint64),
        "replies": scratch(MOST_MOVES),
    },
)
def material(memory, observation, mask):
    """Mates at once if it can; otherwise keeps the most material after the other's best capture and leaves few replies.

    Among equal moves it prefers moves of advanced pawns, then chooses at random.
    """
    for k in range(12):
        memory.board[k // 6, k % 6] = bitboard.read_squares(observation, k)
    best, most = 0, -2 * MATE
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            piece, _ = place(memory.board, memory.after, 0, action)
            count, check, _ = generate(memory.after, 1, bitboard.ZERO, bitboard.ZERO, memory.replies)
            value = np.float64(balance(memory.after))
            if count == 0:
                value = MATE if check else -value
            else:
                value -= loss(memory.after, memory.replies, count) + count
                if piece == PAWN:
                    value += squares_of(action, 0)[1] >> 3
            value += random.uniform(memory)
            if value > most:
                best, most = action, value
    return best
