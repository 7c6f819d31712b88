"""Baselines of Shogi: one captures what it can, one also looks at the other player's answers."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games import shogi

ID = "envsuite/Shogi-v0"

#: The worth of pieces by kind, and of a won game.
VALUES = np.array([10, 28, 32, 46, 70, 85, 52, 0, 45, 48, 49, 52, 95, 110])
GAME = 100_000


@kernel
def read(observation, board, hand):
    """Write the position as the observing agent sees it, with the agent as `player_0`."""
    for square in range(shogi.SQUARES):
        board[square] = shogi.EMPTY
        for plane in range(2 * shogi.KINDS):
            if observation.board.flat[2 * shogi.KINDS * square + plane]:
                board[square] = plane + 1
    for k in range(14):
        hand[k // 7, k % 7] = observation.hand[k]


@kernel
def swing(piece):
    """What a capture changes: the piece leaves one side and comes to the other's hand."""
    kind = shogi.kind_of(piece)
    return VALUES[kind] + VALUES[kind % shogi.PROMOTED]


@kernel
def gain(board, player, action):
    """What a move wins at once: a captured piece, and the worth of a promotion."""
    if action >= shogi.NUM_MOVES:
        return 0
    captured, won = board[shogi.turned(shogi.MOVES[action, 1], player)], 0
    if captured != shogi.EMPTY:
        won = swing(captured)
    if action >= shogi.NUM_PAIRS:
        kind = shogi.kind_of(board[shogi.turned(shogi.MOVES[action, 0], player)])
        won += VALUES[kind + shogi.PROMOTED] - VALUES[kind]
    return won


@kernel
def aims(board, player, action, king):
    """Whether the piece that a player moves then attacks a king; other pieces' attacks do not count."""
    if action >= shogi.NUM_MOVES:
        piece = 1 + (action - shogi.NUM_MOVES) // shogi.SQUARES + shogi.KINDS * player
        target = shogi.turned((action - shogi.NUM_MOVES) % shogi.SQUARES, player)
    else:
        piece = board[shogi.turned(shogi.MOVES[action, 0], player)] + shogi.PROMOTED * (action >= shogi.NUM_PAIRS)
        target = shogi.turned(shogi.MOVES[action, 1], player)
    way = shogi.WAY[target, king]
    if way >= 0:
        there, near = shogi.piece_along(board, target, way)
        return there == king and shogi.reaches(piece, way, near)
    return shogi.kind_of(piece) == shogi.KNIGHT and (
        shogi.JUMPS[player, target, 0] == king or shogi.JUMPS[player, target, 1] == king
    )


@large_kernel
def best_answer(memory, count):
    """The most that the other player wins by its next move, if a guarded piece is always recaptured."""
    board, hand, most = memory.board, memory.hand, 0
    king = shogi.king_of(board, 0)
    for k in range(count):
        action = np.int64(memory.answers[k])
        if aims(board, 1, action, king):
            captured = shogi.place(board, hand, 1, action)
            replies, _ = shogi.generate(board, hand, 0, memory.replies)
            shogi.take_back(board, hand, 1, action, captured)
            if replies == 0:
                return GAME // 2
        won = gain(board, 1, action)
        if won > most and shogi.attacked(board, shogi.turned(shogi.MOVES[action, 1], 1), 0):
            won -= swing(board[shogi.turned(shogi.MOVES[action, 0], 1)])
        most = max(most, won)
    return most


@large_kernel
def worth(memory, action, king, ahead):
    """What a move wins at once; the other player's best answer counts against it if `ahead`. `king` is the other's."""
    board, hand = memory.board, memory.hand
    won = gain(board, 0, action)
    captured = shogi.place(board, hand, 0, action)
    if ahead or shogi.attacked(board, king, 0):
        count, _ = shogi.generate(board, hand, 1, memory.answers)
        if count == 0:
            won = GAME
        elif ahead:
            won -= best_answer(memory, count)
    shogi.take_back(board, hand, 0, action, captured)
    return won


@large_kernel
def best(memory, observation, mask, ahead):
    """A random one of the best moves."""
    if mask[shogi.WIN] != 0:
        return shogi.WIN
    read(observation, memory.board, memory.hand)
    king = shogi.king_of(memory.board, 1)
    found, most, ties = 0, -2 * GAME, 0
    for action in range(shogi.WIN):
        if mask[action] != 0:
            value = worth(memory, action, king, ahead)
            ties = ties + 1 if value == most else 1
            if value > most or (value == most and random.randint(memory, ties) == 0):
                found, most = action, value
    return found


#: The position, and the moves of both players; there is room for those of any board.
_POSITIONS = {
    "board": scratch(shogi.SQUARES, np.int8),
    "hand": scratch((2, 7)),
    "answers": scratch(shogi.NUM_ACTIONS, np.uint16),
    "replies": scratch(shogi.NUM_ACTIONS, np.uint16),
}


@policy(ID, "greedy", variables=_POSITIONS)
def greedy(memory, observation, mask):
    """Wins at once if it can; otherwise captures the best piece or promotes one, or moves at random."""
    return best(memory, observation, mask, False)


@policy(ID, "careful", variables=_POSITIONS)
def careful(memory, observation, mask):
    """The same, but what the other player wins at once by its best answer counts against a move, checkmate most."""
    return best(memory, observation, mask, True)
