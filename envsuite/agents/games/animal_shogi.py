"""Baselines of AnimalShogi: one wins at once or captures, one also looks at the other player's best answer."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games import animal_shogi
from envsuite.games.animal_shogi import move

ID = "envsuite/AnimalShogi-v0"

#: The worth of pieces by kind, of a chick that becomes a hen, and of a won game.
VALUES = np.array([10, 30, 35, 0, 45])
PROMOTION, GAME = 30, 10_000


@kernel
def read(observation, board, hand):
    """Write the position as the observing agent sees it, with the agent as `player_0`."""
    for square in range(animal_shogi.SQUARES):
        board[square] = animal_shogi.EMPTY
        for plane in range(10):
            if observation.board.flat[10 * square + plane]:
                board[square] = plane + 1
    for k in range(6):
        hand[k // 3, k % 3] = observation.hand[k]


@kernel
def copy(board, hand, new_board, new_hand):
    """Copy a position."""
    for square in range(animal_shogi.SQUARES):
        new_board[square] = board[square]
    for k in range(3):
        new_hand[0, k] = hand[0, k]
        new_hand[1, k] = hand[1, k]


@large_kernel
def worth(board, hand, player, action):
    """Carry out a player's move, and return what it wins at once."""
    chicks = count(board, animal_shogi.CHICK + 5 * player)
    _, _, captured = move(board, hand, player, action)
    if animal_shogi.has_tried(board, player) or not animal_shogi.can_act(board, hand, 1 - player):
        return GAME
    value = VALUES[(captured - 1) % 5] if captured != animal_shogi.EMPTY else 0
    return value + PROMOTION * (
        action < animal_shogi.NUM_MOVES and count(board, animal_shogi.CHICK + 5 * player) < chicks
    )


@kernel
def count(board, piece):
    """The number of these pieces on the board."""
    found = 0
    for square in range(animal_shogi.SQUARES):
        found += board[square] == piece
    return found


@large_kernel
def best_answer(memory, board, hand):
    """The most that the other player wins at once by its next move."""
    animal_shogi.find_moves(board, hand, 1, memory.answers)
    most = 0
    for action in range(animal_shogi.NUM_ACTIONS):
        if memory.answers[action]:
            copy(board, hand, memory.last, memory.last_hand)
            most = max(most, worth(memory.last, memory.last_hand, 1, action))
    return most


@large_kernel
def best(memory, observation, mask, ahead):
    """A random one of the best moves; the other player's answer counts if `ahead`."""
    read(observation, memory.board, memory.hand)
    found, most, ties = 0, -2 * GAME, 0
    for action in range(animal_shogi.NUM_ACTIONS):
        if mask[action] != 0:
            copy(memory.board, memory.hand, memory.next, memory.next_hand)
            value = worth(memory.next, memory.next_hand, 0, action)
            if ahead and value < GAME:
                value -= best_answer(memory, memory.next, memory.next_hand)
            ties = ties + 1 if value == most else 1
            if value > most or (value == most and random.randint(memory, ties) == 0):
                found, most = action, value
    return found


#: The position, and the positions after a move and after its answer.
_POSITIONS = {
    "board": scratch(animal_shogi.SQUARES, np.int8),
    "hand": scratch((2, 3)),
    "next": scratch(animal_shogi.SQUARES, np.int8),
    "next_hand": scratch((2, 3)),
    "last": scratch(animal_shogi.SQUARES, np.int8),
    "last_hand": scratch((2, 3)),
    "answers": scratch(animal_shogi.NUM_ACTIONS, np.int8),
}


@policy(ID, "greedy", variables=_POSITIONS)
def greedy(memory, observation, mask):
    """Wins at once if it can; otherwise captures the best piece or promotes a chick, or moves at random."""
    return best(memory, observation, mask, False)


@policy(ID, "cautious", variables=_POSITIONS)
def cautious(memory, observation, mask):
    """The same, but what the other player wins at once by its best answer counts against a move."""
    return best(memory, observation, mask, True)
