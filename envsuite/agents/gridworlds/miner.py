"""Policies for Miner: one that foresees what falls, and one that does not."""

from __future__ import annotations

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import scratch
from envsuite.core.world import Between
from envsuite.gridworlds import miner
from envsuite.kit.procgen import DX, DY, MOVES, NOOP

#: Cells on a side of the maps in the memory: the largest mine with rock around it.
BORDER = 1
SIDE = miner.LARGEST + 2 * BORDER

MEMORY = {
    "mine": scratch((SIDE, SIDE), np.uint8),  # what is seen, with rock around it
    "trial": scratch((2, SIDE, SIDE), np.uint8),  # mines after one and after two moves
    "safe": scratch(len(MOVES), np.uint8),
    "first": scratch((SIDE, SIDE), np.uint8),  # the first move on the way to a cell, plus one
    "queue": scratch(SIDE * SIDE),
}


@large_kernel
def look(memory, observation):
    """Copy what is seen; return the agent's row and column, and the number of diamonds."""
    size = observation.shape[0]
    agent_y, agent_x, diamonds = np.int64(BORDER), np.int64(BORDER), np.int64(0)
    for y in range(size + 2 * BORDER):
        for x in range(size + 2 * BORDER):
            inside = BORDER <= y < BORDER + size and BORDER <= x < BORDER + size
            code = observation[y - BORDER, x - BORDER] if inside else np.uint8(miner.ROCK)
            memory.mine[y, x] = code
            if code & miner.AGENT:
                agent_y, agent_x = np.int64(y), np.int64(x)
            diamonds += np.int64(code & miner.THING == miner.DIAMOND or code & miner.THING == miner.FALLING_DIAMOND)
    return agent_y, agent_x, diamonds


@large_kernel
def attempt(before, after, y, x, move, size):
    """The mine after a move of the agent; return its row and column, and whether it lives."""
    for i in range(size + 2 * BORDER):
        for j in range(size + 2 * BORDER):
            after[i, j] = before[i, j]
    y, x, _ = miner.walk(after, y, x, move)
    miner.dig(after, y, x)
    return y, x, not miner.fall(after, np.int64(BORDER), size)


@large_kernel
def foresee(memory, y, x, size):
    """Mark the moves after which the agent lives and still has a move after which it lives."""
    for move in range(len(MOVES)):
        memory.safe[move] = 0
        next_y, next_x, lives = attempt(memory.mine, memory.trial[0], y, x, np.int64(move), size)
        for later in range(len(MOVES) if lives else 0):
            if memory.safe[move] == 0:
                _, _, lives = attempt(memory.trial[0], memory.trial[1], next_y, next_x, np.int64(later), size)
                memory.safe[move] = lives


@large_kernel
def way(memory, y, x, diamonds):
    """The first move, one of the safe ones, on a shortest way to a diamond, or without one to the exit; else noop."""
    first, queue = memory.first, memory.queue
    fill(first, 0)
    first[np.uint64(y), np.uint64(x)] = len(MOVES) + 1
    queue[0] = y * SIDE + x
    head, tail = 0, 1
    while head < tail:
        y, x = queue[np.uint64(head)] // SIDE, queue[np.uint64(head)] % SIDE
        head += 1
        for move in range(1, len(MOVES)):
            to_y, to_x = np.uint64(y + DY[move]), np.uint64(x + DX[move])
            if first[to_y, to_x] != 0 or miner.is_blocked(miner.thing(memory.mine, to_y, to_x)):
                continue
            if head == 1 and memory.safe[move] == 0:
                continue
            first[to_y, to_x] = move + 1 if head == 1 else first[np.uint64(y), np.uint64(x)]
            wanted = (
                memory.mine[to_y, to_x] & miner.THING == miner.DIAMOND
                if diamonds
                else memory.mine[to_y, to_x] & miner.EXIT != 0
            )
            if wanted:
                return np.int64(first[to_y, to_x]) - 1
            queue[np.uint64(tail)] = np.int64(to_y) * SIDE + np.int64(to_x)
            tail += 1
    return np.int64(NOOP)


@kernel
def any_safe(memory):
    """A random one of the safe moves, or noop if there is none."""
    count = np.int64(0)
    for move in range(len(MOVES)):
        count += memory.safe[move]
    left = np.int64(randint(memory, max(count, 1)))
    for move in range(len(MOVES)):
        if memory.safe[move]:
            if left == 0:
                return np.int64(move)
            left -= 1
    return np.int64(NOOP)


@policy("envsuite/Miner-v0", "careful", variables=MEMORY, stray=Between(0, 1).at(0.05))
def careful(memory, observation, mask):
    """Takes the nearest diamond, at last the exit, by moves after which it can live on.

    With probability `stray`, or if it sees no way, it makes a random one of these moves.
    """
    size = np.int64(observation.shape[0])
    y, x, diamonds = look(memory, observation)
    foresee(memory, y, x, size)
    move = way(memory, y, x, diamonds)
    if move == NOOP or bernoulli(memory, memory.stray):
        move = any_safe(memory)
    return move


@policy("envsuite/Miner-v0", "greedy", variables=MEMORY)
def greedy(memory, observation, mask):
    """Takes the nearest diamond, at last the exit, whatever falls; if it sees no way, it makes a random move."""
    y, x, diamonds = look(memory, observation)
    for move in range(len(MOVES)):
        memory.safe[move] = 1
    move = way(memory, y, x, diamonds)
    return any_safe(memory) if move == NOOP else move
