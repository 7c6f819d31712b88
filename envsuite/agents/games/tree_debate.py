"""Baselines of TreeDebate, each for both seats: one searches the whole tree, one counts leaves."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.games.tree_debate import PROVER, place, turn_of

ID = "envsuite/TreeDebate-v0"

#: What is known of the node in each row while its children are read.
VARIABLES = {"found": limited(np.zeros(8), 0.0, 4.0)}


@kernel
def worth(memory, observation, branching, child):
    """The probability that the agent wins below a child by its best replies to random choices of the other.

    It is 1 only if the agent can win against all choices.
    """
    depth, turn = observation.path.shape[0], turn_of(observation.path)
    first, width = place(observation.path, branching, observation.leaves.shape[0])
    width //= branching
    value = 0.0
    for k in range(width):
        true = observation.leaves[first + child * width + k] != 0
        value = 1.0 if true == (memory.agent == PROVER) else 0.0
        row, left = depth - 1, k
        while row > turn:  # the parent in this row has a child more
            own = row % 2 == memory.agent
            if left % branching == 0:
                memory.found[row] = value
            else:
                memory.found[row] = max(memory.found[row], value) if own else memory.found[row] + value
            if left % branching < branching - 1:
                break
            value = memory.found[row] if own else memory.found[row] / branching
            left //= branching
            row -= 1
    return value


@kernel
def favorable(memory, observation, branching, child):
    """The number of leaves below a child with which the agent wins."""
    first, width = place(observation.path, branching, observation.leaves.shape[0])
    width //= branching
    true = 0
    for k in range(width):
        true += observation.leaves[first + child * width + k]
    return true if memory.agent == PROVER else width - true


@policy(ID, "optimal", variables=VARIABLES)
def optimal(memory, observation, mask):
    """Wins if it can against every play, and otherwise plays best against random choices of the other."""
    best, highest, ties = 0, -1.0, 0
    for child in range(mask.shape[0]):
        value = worth(memory, observation, mask.shape[0], child)
        ties = ties + 1 if value == highest else 1
        if value > highest or (value == highest and random.randint(memory, ties) == 0):
            best, highest = child, value
    return best


@policy(ID, "greedy")
def greedy(memory, observation, mask):
    """Chooses the child below which most leaves are favorable, a random one of several."""
    best, highest, ties = 0, -1, 0
    for child in range(mask.shape[0]):
        count = favorable(memory, observation, mask.shape[0], child)
        ties = ties + 1 if count == highest else 1
        if count > highest or (count == highest and random.randint(memory, ties) == 0):
            best, highest = child, count
    return best
