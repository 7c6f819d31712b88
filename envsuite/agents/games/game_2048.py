"""Baselines of Game2048: simple rules, and a planner that looks two moves ahead."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games.game_2048 import DOWN, LEFT, RIGHT, UP, slide, ways

ID = "envsuite/Game2048-v0"

#: Boards of the largest size: the one that is seen, and those after one move and after two.
BOARDS = {"board": scratch((3, 6, 6), np.int8)}

#: The planner's estimate: of an empty cell, and the probability of a 4.
EMPTY, FOUR = 30.0, 0.1


@policy(ID, "corner")
def corner(memory, observation, mask):
    """Slides down if it can, otherwise left, right or up, in this order."""
    if mask[DOWN] != 0:
        return DOWN
    if mask[LEFT] != 0:
        return LEFT
    return RIGHT if mask[RIGHT] != 0 else UP


@kernel
def copy(boards, source, target, size):
    """Copy a board of the memory."""
    for y in range(size):
        for x in range(size):
            boards[target, y, x] = boards[source, y, x]


@kernel
def see(memory, observation):
    """Copy the board that is seen into the memory; its size."""
    size = observation.shape[0]
    for y in range(size):
        for x in range(size):
            memory.board[0, y, x] = observation[y, x]
    return size


@policy(ID, "greedy", variables=BOARDS)
def greedy(memory, observation, mask):
    """Slides so that the sum of the new tiles is largest; of several directions, the first."""
    size = see(memory, observation)
    found, most = 0, -1.0
    for direction in range(4):
        if mask[direction] != 0:
            copy(memory.board, 0, 1, size)
            gain = slide(memory.board[1], size, direction)
            if gain > most:
                found, most = direction, gain
    return found


@kernel
def worth(board, size):
    """An estimate of a board: large tiles near one corner, and empty cells."""
    total = 0.0
    for y in range(size):
        for x in range(size):
            tile = np.int64(board[y, x])
            if tile == 0:
                total += EMPTY
            else:
                total += 2.0**tile * (x + y) / (size - 1.0)
    return total


@large_kernel
def reply(memory, size):
    """The worth of the best move on the board after the first one; 0 if there is none."""
    best, found = 0.0, ways(memory.board[1], size)
    for direction in range(4):
        if (found >> direction) & 1:
            copy(memory.board, 1, 2, size)
            gain = slide(memory.board[2], size, direction)
            best = max(best, gain + worth(memory.board[2], size))
    return best


@policy(ID, "planner", variables=BOARDS)
def planner(memory, observation, mask):
    """Looks at all its moves, all new tiles and its best next move (expectimax), for large tiles in one corner."""
    size = see(memory, observation)
    found, most = 0, -1.0
    for direction in range(4):
        if mask[direction] == 0:
            continue
        copy(memory.board, 0, 1, size)
        total, empty = 0.0, 0
        gain = slide(memory.board[1], size, direction)
        for y in range(size):
            for x in range(size):
                if memory.board[1, y, x] == 0:
                    empty += 1
                    memory.board[1, y, x] = 1
                    total += (1.0 - FOUR) * reply(memory, size)
                    memory.board[1, y, x] = 2
                    total += FOUR * reply(memory, size)
                    memory.board[1, y, x] = 0
        value = gain + total / empty
        if value > most:
            found, most = direction, value
    return found
