"""Policies for Chaser: one that eats the nearest orb away from enemies, and one without fear."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import scratch
from envsuite.core.world import Between
from envsuite.gridworlds.chaser import CELL, EGG, ENEMY, HALF, KIND, LARGEST, NONE, ORB, TIMER, WALL, X, Y
from envsuite.kit.procgen import DX, DY, NOOP

#: More than any distance, and more steps than any way takes.
FAR = 1 << 20
#: Steps before an egg hatches, and before enemies can no longer be eaten, from which on they are feared.
SOON = 6

MEMORY = {
    "distance": scratch(LARGEST * LARGEST),  # of each cell to the nearest orb, in cells
    "queue": scratch(LARGEST * LARGEST),
}


@kernel
def is_feared(observation, k):
    """Whether the agent must keep away from an egg or an enemy."""
    enemy = observation.enemies[k]
    if enemy[KIND] == NONE or observation.edible[0] > SOON:
        return False
    return enemy[KIND] == ENEMY or (enemy[KIND] == EGG and enemy[TIMER] <= SOON)


@kernel
def danger(observation, x, y):
    """The distance of the middle of a cell to the nearest feared enemy, in sixteenths along both axes."""
    nearest = np.int64(FAR)
    for k in range(observation.enemies.shape[0]):
        if is_feared(observation, k):
            across = abs(np.int64(observation.enemies[k, X]) - (CELL * x + HALF))
            down = abs(np.int64(observation.enemies[k, Y]) - (CELL * y + HALF))
            nearest = min(nearest, across + down)
    return nearest


@kernel
def is_open(observation, x, y):
    """Whether a cell is inside and no wall."""
    size = observation.map.shape[0]
    return 0 <= x < size and 0 <= y < size and observation.map[np.uint64(y), np.uint64(x)] != WALL


@large_kernel
def measure(memory, observation, fear):
    """The distance of each cell to the nearest orb, by ways on which no feared enemy is nearer than `fear`."""
    size = observation.map.shape[0]
    tail = 0
    for y in range(size):
        for x in range(size):
            memory.distance[y * size + x] = FAR
            if observation.map[y, x] >= ORB and danger(observation, x, y) >= fear:
                memory.distance[y * size + x] = 0
                memory.queue[tail] = y * size + x
                tail += 1
    head = 0
    while head < tail:
        cell = memory.queue[np.uint64(head)]
        head += 1
        for move in range(1, 5):
            x, y = cell % size + DX[move], cell // size + DY[move]
            if is_open(observation, x, y) and danger(observation, x, y) >= fear:
                near = np.uint64(y * size + x)
                if memory.distance[near] == FAR:
                    memory.distance[near] = memory.distance[np.uint64(cell)] + 1
                    memory.queue[np.uint64(tail)] = np.int64(near)
                    tail += 1


@kernel
def target(place, direction):
    """The column or row at which the agent arrives next in a direction along an axis; 0 is no direction."""
    if direction > 0:
        return (place - HALF) // CELL + 1
    if direction < 0:
        return (place - HALF - 1) // CELL
    return place // CELL


@large_kernel
def steer(memory, observation, fear):
    """The move with the shortest safe way to an orb, or else away from enemies; of several, a random one."""
    own_x, own_y = np.int64(observation.agent[0]), np.int64(observation.agent[1])
    size = observation.map.shape[0]
    measure(memory, observation, fear)
    best, count, chosen = np.int64(FAR * FAR), np.int64(0), np.int64(NOOP)
    for move in range(1, 5):
        between = own_y % CELL != HALF if DX[move] != 0 else own_x % CELL != HALF
        x, y = target(own_x, DX[move]), target(own_y, DY[move])
        if between or not is_open(observation, x, y):
            continue
        way = abs(CELL * x + HALF - own_x) + abs(CELL * y + HALF - own_y)
        value = way + CELL * memory.distance[np.uint64(y * size + x)]
        if value >= FAR:
            value = 2 * CELL * FAR - danger(observation, x, y)
        if value < best:
            best, count = value, np.int64(0)
        if value == best:
            count += 1
            if randint(memory, count) == 0:
                chosen = np.int64(move)
    return chosen


@policy("envsuite/Chaser-v0", "collector", variables=MEMORY, fear=Between(0, 10).at(1.5))
def collector(memory, observation, mask):
    """Eats the nearest orb on a way that stays `fear` cells away from enemies; without such a way, it flees."""
    return steer(memory, observation, np.int64(CELL * memory.fear))


@policy("envsuite/Chaser-v0", "greedy", variables=MEMORY)
def greedy(memory, observation, mask):
    """Eats the nearest orb, whatever the enemies do."""
    return steer(memory, observation, np.int64(0))
