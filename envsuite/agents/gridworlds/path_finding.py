"""Policies for path finding: one walks straight towards the target, and one plans paths through what it sees.

Throughput: targets per step of all 8 agents, with default parameters (256 episodes from seed 0; standard errors).

| map | random | greedy | planner |
|---|---|---|---|
| random | 0.017 (0.003) | 0.215 (0.013) | 0.523 (0.015) |
| maze | 0.005 (0.000) | 0.013 (0.001) | 0.065 (0.003) |
| rooms | 0.007 (0.000) | 0.060 (0.002) | 0.304 (0.007) |
| caves | 0.030 (0.003) | 0.572 (0.021) | 0.822 (0.018) |

Shortest paths on random maps have 11.4 steps. Without blocking one another, 8 agents would thus reach 0.70.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, choose_legal, policy
from envsuite.core.random import bernoulli, randint, uniform
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds.path_finding import AGENT, OBSTACLE, STAY, TARGET

_ID = "envsuite/PathFinding-v0"

#: The change of row and column by each action.
_ROW = np.array([0, -1, 1, 0, 0])
_COLUMN = np.array([0, 0, 0, -1, 1])

#: Cells of the largest view.
_MOST = 31 * 31

# Paths go around agents that are at most this number of steps away.
_NEAR = 3

#: The trail: rows of this number of cells, joined to a ring.
_SIDE = 32


@kernel
def find_target(observation):
    """The row and column of the target's mark."""
    side = observation.shape[1]
    for i in range(side):
        for j in range(side):
            if observation[TARGET, i, j] != 0:
                return i, j
    return side // 2, side // 2


@kernel
def is_free(observation, i, j):
    """Whether the cell has neither an obstacle nor an agent."""
    return observation[OBSTACLE, i, j] == 0 and observation[AGENT, i, j] == 0


@kernel
def random_step(memory, observation):
    """A random one of the free neighbors; `stay` if there is none."""
    middle = observation.shape[1] // 2
    found, count = STAY, 0
    for action in range(1, 5):
        if is_free(observation, middle + _ROW[action], middle + _COLUMN[action]):
            count += 1
            if randint(memory, count) == 0:
                found = action
    return found


@policy(_ID, "greedy", wander=CHANCE.at(0.1))
def greedy(memory, observation, mask):
    """Steps to a free cell that is nearer to the target; without one, or with probability `wander`, steps anywhere."""
    middle = observation.shape[1] // 2
    row, column = find_target(observation)
    found, count = STAY, 0
    for action in range(1, 5):
        nearer = (row - middle) * _ROW[action] + (column - middle) * _COLUMN[action] > 0
        if nearer and is_free(observation, middle + _ROW[action], middle + _COLUMN[action]):
            count += 1
            if randint(memory, count) == 0:
                found = action
    if count == 0 or bernoulli(memory, memory.wander):
        found = random_step(memory, observation)
    return found if mask[found] else choose_legal(memory, mask)


@kernel
def beside(cell, action):
    """The next cell of the trail."""
    return cell + _ROW[action] * _SIDE + _COLUMN[action] & _SIDE * _SIDE - 1


@kernel
def plan(memory, observation, goal_row, goal_column, near):
    """The first move of a shortest path to the target, or over the edge of the view towards it; -1 if there is none.

    Cells with other agents are closed if they are at most `near` steps away. A path over the edge has the length that
    it would have without obstacles from there to the target's mark, plus `dread` for each visit to its first cell.
    """
    side = observation.shape[1]
    middle, last = side // 2, side - 1
    for k in range(side * side):
        memory.first[k] = 0
    memory.first[middle * side + middle] = 255
    memory.rows[0] = middle
    memory.columns[0] = middle
    memory.lengths[0] = 0
    head, tail = 0, 1
    turn = randint(memory, 4)  # equally good paths are chosen at random
    best, move = np.inf, -1
    while head < tail:
        row, column = np.int64(memory.rows[head]), np.int64(memory.columns[head])
        length = np.int64(memory.lengths[head])
        entered = np.int64(memory.first[row * side + column])
        if head > 0 and row == goal_row and column == goal_column:
            return entered
        if head > 0 and (row == 0 or row == last or column == 0 or column == last):
            estimate = length + abs(row - goal_row) + abs(column - goal_column)
            estimate += memory.dread * memory.visits[beside(memory.cell, entered)]
            if estimate < best:
                best, move = estimate, entered
        head += 1
        for k in range(4):
            action = 1 + (k + turn & 3)
            i, j = row + _ROW[action], column + _COLUMN[action]
            if 0 <= i < side and 0 <= j < side and memory.first[i * side + j] == 0:
                if observation[OBSTACLE, i, j] == 0 and (length >= near or observation[AGENT, i, j] == 0):
                    memory.first[i * side + j] = action if length == 0 else entered
                    memory.rows[tail] = i
                    memory.columns[tail] = j
                    memory.lengths[tail] = min(length + 1, 255)
                    tail += 1
    return move


@kernel
def walk(memory, row, column, middle, move):
    """Extend the trail as if the move would succeed; a move onto the target ends it."""
    if row == middle + _ROW[move] and column == middle + _COLUMN[move]:
        for k in range(_SIDE * _SIDE):
            memory.visits[k] = 0
    if move != STAY:
        memory.cell = beside(memory.cell, move)
        memory.visits[memory.cell] = min(np.int64(memory.visits[memory.cell]) + 1, 255)


@policy(
    _ID,
    "planner",
    variables={
        "cell": limited(0, 0, _SIDE * _SIDE - 1),
        "visits": limited(np.zeros(_SIDE * _SIDE, np.uint8), 0, 255),
        **{name: scratch(_MOST, np.uint8) for name in ("first", "rows", "columns", "lengths")},
    },
    dread=Between(0, 1000).at(2.0),
    around=CHANCE.at(0.5),
    aside=CHANCE.at(0.1),
)
def planner(memory, observation, mask):
    """Plans paths through its view, avoids cells where it was before, and gives way to others by chance.

    If an agent stands on the next cell, it plans a path around agents nearby with probability `around`, steps anywhere
    with probability `aside`, and waits otherwise.
    """
    row, column = find_target(observation)
    middle = observation.shape[1] // 2
    move = plan(memory, observation, row, column, np.int64(0))
    if move > 0 and observation[AGENT, middle + _ROW[move], middle + _COLUMN[move]] != 0:
        mood = uniform(memory)
        if mood < memory.around:
            move = plan(memory, observation, row, column, np.int64(_NEAR))
        elif mood > memory.around + memory.aside:
            move = STAY
        else:
            move = -1
    if move < 0:
        move = random_step(memory, observation)
    walk(memory, row, column, middle, move)
    return move if mask[move] else choose_legal(memory, mask)
