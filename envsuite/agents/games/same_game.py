"""Baselines of SameGame: one removes the largest group, the other keeps the commonest color for last."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import scratch
from envsuite.games.same_game import EMPTY, LONGEST, take

ID = "envsuite/SameGame-v0"
VARIABLES = {"board": scratch((LONGEST, LONGEST), np.int8), "todo": scratch(LONGEST * LONGEST)}


@large_kernel
def read(memory, observation):
    """Copy the observed board into the memory; the commonest color, the first of several."""
    height, width, colors = observation.shape
    for row in range(height):
        for column in range(width):
            memory.board[row, column] = EMPTY
    commonest, most = 0, -1
    for color in range(colors):
        tiles = 0
        for row in range(height):
            for column in range(width):
                if observation[row, column, color] != 0:
                    memory.board[row, column] = color + 1
                    tiles += 1
        if tiles > most:
            commonest, most = color + 1, tiles
    return commonest


@large_kernel
def best_group(memory, observation, taboo, uppermost):
    """A square of the largest or uppermost group whose color is not `taboo`; -1 if there is none. Ties are random."""
    height, width = observation.shape[0], observation.shape[1]
    best, most, ties = -1, -LONGEST, 0
    for row in range(height):
        for column in range(width):
            color = memory.board[row, column]
            if color != EMPTY and color != taboo:
                count = take(memory.board, memory.todo, height, width, row, column)
                worth = -row if uppermost else count
                if count > 1 and worth >= most:
                    ties = ties + 1 if worth == most else 1
                    if randint(memory, ties) == 0:
                        best, most = row * width + column, worth
    return best


@policy(ID, "largest", VARIABLES)
def largest(memory, observation, mask):
    """Removes the largest group."""
    read(memory, observation)
    return best_group(memory, observation, EMPTY, False)


@policy(ID, "taboo", VARIABLES)
def taboo(memory, observation, mask):
    """Removes the uppermost group that has not the commonest color; then the groups of that color, largest first."""
    commonest = read(memory, observation)
    chosen = best_group(memory, observation, commonest, True)
    if chosen < 0:
        chosen = best_group(memory, observation, EMPTY, False)
    return chosen
