"""Baselines of GardnerChess: one captures what it can, one also looks at the other player's answers."""

from __future__ import annotations

import numpy as np

from envsuite.agents.games.chess import MATE, balance, guarded, worth_at
from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games.gardner_chess import MOVES, NUM_ACTIONS, SIDE, SQUARES, generate, place, turned
from envsuite.kit.bitboard import bit
from envsuite.kit.chess_pieces import PAWN

ID = "envsuite/GardnerChess-v0"


@kernel
def read(observation, board):
    """The pieces on an observed board as sets of squares, the agent's first, which go up."""
    for k in range(12):
        squares = np.uint64(0)
        for square in range(SIDE * SIDE):
            if observation.board.flat[12 * square + k] != 0:
                squares |= bit(SQUARES[square])
        board[k // 6, k % 6] = squares


@kernel
def copy(board, after):
    """Write one board to another."""
    for k in range(12):
        after.flat[k] = board.flat[k]


@large_kernel
def loss(board, replies):
    """The most material that a reply of the other side wins at once, if a guarded piece is always recaptured."""
    guards, most = guarded(board), 0
    for k in range(NUM_ACTIONS):
        if replies[k]:
            goal = bit(turned(MOVES[k, 1], 1))
            gain = worth_at(board, 0, goal)
            if gain > most:
                if guards & goal:
                    gain -= worth_at(board, 1, bit(turned(MOVES[k, 0], 1)))
                most = max(most, gain)
    return most


@policy(
    ID,
    "material",
    variables={
        "board": np.zeros((2, 6), np.uint64),
        "after": np.zeros((2, 6), np.uint64),
        "replies": scratch(NUM_ACTIONS),
    },
)
def material(memory, observation, mask):
    """Mates at once if it can; otherwise keeps the most material after the other's best capture and leaves few replies.

    Among equal moves it prefers moves of advanced pawns, then chooses at random.
    """
    read(observation, memory.board)
    best, most = 0, -2 * MATE
    for action in range(NUM_ACTIONS):
        if mask[action] != 0:
            copy(memory.board, memory.after)
            place(memory.after, 0, action)
            count, check = generate(memory.after, 1, memory.replies)
            value = np.float64(balance(memory.after))
            if count == 0:
                value = MATE if check else -value
            else:
                value -= loss(memory.after, memory.replies) + count
                if memory.board[0, PAWN] & bit(MOVES[action, 0]):
                    value += MOVES[action, 1] >> 3
            value += random.uniform(memory)
            if value > most:
                best, most = action, value
    return best


@policy(ID, "greedy", variables={"board": np.zeros((2, 6), np.uint64), "after": np.zeros((2, 6), np.uint64)})
def greedy(memory, observation, mask):
    """Captures the most valuable piece that it can, and makes queens; otherwise moves at random."""
    read(observation, memory.board)
    best, most = 0, -2 * MATE
    for action in range(NUM_ACTIONS):
        if mask[action] != 0:
            copy(memory.board, memory.after)
            place(memory.after, 0, action)
            value = balance(memory.after) + random.uniform(memory)
            if value > most:
                best, most = action, value
    return best
