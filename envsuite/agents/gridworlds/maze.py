"""Policies for mazes: an explorer with a map, and a wall follower."""

from __future__ import annotations

import numpy as np

from envsuite.agents import mapping
from envsuite.core.kernel import kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds.maze import AGENT, FREE, GOAL, WALL
from envsuite.kit.grid import DX, DY

#: The map: rows of SIDE cells, joined to a ring. A maze and the views around it fit, wherever the agent starts.
SIDE = 128
CELLS = SIDE * SIDE
#: The most cells that wait in a search at once; a power of two.
QUEUE = 2048

# An entry of the map: a cell's code plus one, 0 if it is unknown.
_UNKNOWN = 0
_WALL, _GOAL = WALL + 1, GOAL + 1


@kernel
def beside(cell, direction):
    """The next cell of the map in a direction."""
    return cell + DX[direction] + DY[direction] * SIDE & CELLS - 1


@kernel
def plan(memory):
    """The first move of a shortest known path to the goal, else to the nearest unknown cell, else -1."""
    for k in range(CELLS):
        memory.first[k] = 0
    memory.first[memory.cell] = 5
    memory.queue[0] = memory.cell
    head, tail = 0, 1
    unknown = -1
    while head < tail:
        cell = memory.queue[head & QUEUE - 1]
        head += 1
        for direction in range(4):
            near = beside(cell, direction)
            code = memory.map[near]
            if memory.first[near] != 0 or code == _WALL:
                continue
            move = direction + 1 if cell == memory.cell else np.int64(memory.first[cell])
            if code == _GOAL:
                return move - 1
            if code == _UNKNOWN:
                unknown = move - 1 if unknown < 0 else unknown
            elif tail - head < QUEUE:
                memory.first[near] = move
                memory.queue[tail & QUEUE - 1] = near
                tail += 1
    return unknown


@policy(
    "envsuite/Maze-v0",
    "solver",
    variables={
        "cell": limited(0, 0, CELLS - 1),
        "map": limited(np.zeros(CELLS, np.uint8), 0, 255),
        "first": scratch(CELLS, np.uint8),
        "queue": scratch(QUEUE),
    },
)
def solver(memory, observation, mask):
    """Maps what it sees; takes a shortest path to the goal if it has seen it, else to the nearest unknown cell."""
    mapping.draw(memory, observation, AGENT, SIDE)
    move = plan(memory)
    if move < 0 or mask[move] == 0:
        move = choose_legal(memory, mask)
    if memory.map[beside(memory.cell, move)] != _WALL:
        memory.cell = beside(memory.cell, move)
    return move


@policy("envsuite/Maze-v0", "wall_follower", variables={"facing": limited(0, 0, 3)})
def wall_follower(memory, observation, mask):
    """Keeps its right hand on the wall, which reaches every cell of a perfect maze; remembers only its facing."""
    row, column = mapping.find(observation, AGENT)
    for turn in range(1, -3, -1):  # right, ahead, left, back
        facing = memory.facing + turn & 3
        y, x = row + DY[facing], column + DX[facing]
        if 0 <= y < observation.shape[0] and 0 <= x < observation.shape[1]:
            code = observation[y, x]
            if (code == FREE or code == GOAL) and mask[facing] != 0:
                memory.facing = facing
                return facing
    return choose_legal(memory, mask)
