"""Policies for Heist: one that plans with a map and keys, and one that walks on until it has to turn."""

from __future__ import annotations

import numpy as np

from envsuite.agents import mapping
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.random import randint
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds.heist import AGENT, COLORS, DOOR, GEM, KEY, WALL
from envsuite.kit.procgen import DX, DY, MOVES, NOOP

#: The map: rows of SIDE cells, joined to a ring. A square and the views around it fit, wherever the agent starts.
SIDE = 64
CELLS = SIDE * SIDE
#: Sets of keys, and the most states, a cell and a set, that wait in a search at once; a power of two.
SETS, QUEUE = 1 << COLORS, 4096


@kernel
def beside(cell, move):
    """The cell of the map to which a move leads."""
    return cell + DX[move] + DY[move] * SIDE & CELLS - 1


@kernel
def held(observation):
    """The keys that the agent has, a bit for each color."""
    keys = np.int64(0)
    for color in range(COLORS):
        keys |= np.int64(observation.keys[color] != 0) << color
    return keys


@kernel
def keys_at(code, keys):
    """The set of keys after a cell with this code has been entered, or -1 if it is blocked."""
    if code == WALL or (DOOR <= code < KEY and keys >> (code - DOOR) & 1 == 0):
        return np.int64(-1)
    return keys | 1 << (code - KEY) if KEY <= code < GEM else keys


@large_kernel
def plan(memory, keys):
    """The first move of a shortest way to the gem, by keys and doors, else to a cell not yet seen, else noop."""
    for k in range(CELLS * SETS):
        memory.first[k] = 0
    memory.first[np.uint64(memory.cell * SETS + keys)] = len(MOVES)
    memory.queue[0] = memory.cell * SETS + keys
    head, tail = 0, 1
    unknown = np.int64(NOOP)
    while head < tail:
        state = memory.queue[head & QUEUE - 1]
        head += 1
        for move in range(1, len(MOVES)):
            near = beside(state // SETS, move)
            code = np.int64(memory.map[near]) - 1
            first = np.int64(move) if head == 1 else np.int64(memory.first[np.uint64(state)])
            if code == GEM:
                return first
            if code < 0:
                unknown = first if unknown == NOOP else unknown
                continue
            after = keys_at(code, state % SETS)
            if after >= 0 and memory.first[np.uint64(near * SETS + after)] == 0 and tail - head < QUEUE:
                memory.first[np.uint64(near * SETS + after)] = first
                memory.queue[tail & QUEUE - 1] = near * SETS + after
                tail += 1
    return unknown


@policy(
    "envsuite/Heist-v0",
    "thief",
    variables={
        "cell": limited(0, 0, CELLS - 1),
        "map": limited(np.zeros(CELLS, np.uint8), 0, 255),
        "first": scratch(CELLS * SETS, np.uint8),
        "queue": scratch(QUEUE),
    },
)
def thief(memory, observation, mask):
    """Maps what it sees; takes a shortest way to the gem, with keys and doors, else to the nearest unseen cell."""
    mapping.draw(memory, observation.map, AGENT, SIDE)
    keys = held(observation)
    move = plan(memory, keys)
    if move == NOOP or mask[move] == 0:
        move = choose_legal(memory, mask)
    near = beside(memory.cell, move)
    if keys_at(np.int64(memory.map[near]) - 1, keys) >= 0:
        memory.cell = near
    return move


@policy("envsuite/Heist-v0", "wanderer", variables={"last": limited(0, 0, len(MOVES) - 1)})
def wanderer(memory, observation, mask):
    """Walks on at random, and turns back only where it must; remembers only its last move."""
    view = observation.map
    row, column = mapping.find(view, AGENT)
    keys = held(observation)
    chosen, count = np.int64(NOOP), np.int64(0)
    for move in range(1, len(MOVES)):
        y, x = row + DY[move], column + DX[move]
        if 0 <= y < view.shape[0] and 0 <= x < view.shape[1] and keys_at(np.int64(view[y, x]), keys) >= 0:
            back = DX[move] == -DX[memory.last] and DY[move] == -DY[memory.last] and memory.last != NOOP
            if back and count == 0 and chosen == NOOP:
                chosen = np.int64(move)
            elif not back:
                count += 1
                if randint(memory, count) == 0:
                    chosen = np.int64(move)
    memory.last = chosen
    return chosen
