"""Baselines of Battleship: one follows hits, one counts the ways in which ships could lie."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import scratch
from envsuite.games.battleship import HIT, MISS, MOST, SUNK, UNKNOWN

ID = "envsuite/Battleship-v0"


@policy(ID, "hunter")
def hunter(memory, observation, mask):
    """Shoots beside a hit, in line with two of them if it can; otherwise at every second cell, at random."""
    size = observation.shape[0]
    best, most, ties = 0, -1, 0
    for cell in range(size * size):
        if mask[cell] != 0:
            row, column = cell // size, cell % size
            value = (row + column) % 2
            for k in range(4):
                down, right = (0, 0, 1, -1)[k], (1, -1, 0, 0)[k]
                for far in range(1, 3):
                    y, x = row + far * down, column + far * right
                    if not (0 <= y < size and 0 <= x < size) or observation[y, x] != HIT:
                        break
                    value += 10 * far
            ties = 1 if value > most else ties + 1
            if value > most or (value == most and randint(memory, ties) == 0):
                best = cell
            most = max(most, value)
    return best


@kernel
def count(weights, observation, length):
    """Add to each cell the ways in which a ship of this length could lie on it; those through hits count much more."""
    size = observation.shape[0]
    for across in range(2):
        for lane in range(size):
            for start in range(size - length + 1):
                possible, hits = True, 0
                for j in range(length):
                    seen = observation[lane, start + j] if across else observation[start + j, lane]
                    possible = possible and seen != MISS and seen != SUNK
                    hits += seen == HIT
                if possible:
                    for j in range(length):
                        cell = lane * size + start + j if across else (start + j) * size + lane
                        weights[cell] += 1 + 100 * hits * hits


@policy(ID, "density", {"weights": scratch(MOST)})
def density(memory, observation, mask):
    """Shoots where most ships could lie that fit all shots, counting each ship alone; ways through hits weigh more.

    It counts ships of 5, 4 and 2 cells, and of 3 cells if more than 11 cells have been hit or the sunk ships show it.
    """
    size = observation.shape[0]
    for cell in range(size * size):
        memory.weights[cell] = 0
    for length in range(2, 6):
        count(memory.weights, observation, length)
    best, most, ties = 0, -1, 0
    for cell in range(size * size):
        if mask[cell] != 0:
            value = np.int64(memory.weights[cell])
            ties = 1 if value > most else ties + 1
            if value > most or (value == most and randint(memory, ties) == 0):
                best = cell
            most = max(most, value)
    return best if mask[best] == (observation[best // size, best % size] == UNKNOWN) else 0
