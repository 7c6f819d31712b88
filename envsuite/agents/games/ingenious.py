"""Baselines of Ingenious: one takes the most points, the other raises its lowest colors."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import scratch
from envsuite.games.ingenious import COUNTS, PAIRS, points, size

ID = "envsuite/Ingenious-v0"

#: By color: what the next point is worth.
VARIABLES = {"worth": scratch(6, np.float64)}


@large_kernel
def best(memory, observation, mask):
    """The legal action whose points are worth most; ties are random."""
    board, rack = observation.board, observation.racks[0]
    tiles, chosen, most, ties = rack.shape[0], 0, -1.0, 0
    for action in range(COUNTS[size(board)] * tiles):
        if mask[action]:
            pair, tile = PAIRS[size(board), action // tiles], rack[action % tiles]
            direction, first, second = np.int64(pair[2]), np.int64(tile[0]), np.int64(tile[1])
            value = memory.worth[first - 1] * points(board, np.int64(pair[0]), first, direction)
            value += memory.worth[second - 1] * points(board, np.int64(pair[1]), second, (direction + 3) % 6)
            if value >= most:
                ties = ties + 1 if value == most else 1
                if randint(memory, ties) == 0:
                    chosen = action
                most = value
    return chosen


@policy(ID, "greedy", VARIABLES)
def greedy(memory, observation, mask):
    """Takes the move with the most points in all colors together."""
    for color in range(observation.scores.shape[1]):
        memory.worth[color] = 1.0
    return best(memory, observation, mask)


@policy(ID, "lowest", VARIABLES, patience=Between(1, 10).at(2.0))
def lowest(memory, observation, mask):
    """Values a point in a color less by the factor `patience` for each point by which it is ahead of the lowest."""
    scores = observation.scores[0]
    least = np.int64(scores[0])
    for color in range(1, scores.shape[0]):
        least = min(least, np.int64(scores[color]))
    for color in range(scores.shape[0]):
        memory.worth[color] = 1.0
        for _ in range(np.int64(scores[color]) - least):
            memory.worth[color] /= memory.patience
    return best(memory, observation, mask)
