"""Policies for battles: one charges, and one waits for the enemy and joins units that fight."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited
from envsuite.games import battle

_ID = "envsuite/Battle-v0"

#: More than any squared distance in a view.
_FAR = 10_000


@kernel
def kind_of(observation, mask):
    """The kind of the unit: only melee units have the fewest actions, only soldiers lack the last ones."""
    if mask.shape[0] == battle.ACTION_COUNT[battle.SOLDIER]:
        return battle.SOLDIER
    return battle.RANGED if mask[battle.ACTION_COUNT[battle.MELEE]] else battle.MELEE


@kernel
def is_enemy(code):
    """Whether this is the code of a unit of the other army."""
    return code > battle.OWN and code & 1 == 1


@kernel
def is_friend(code):
    """Whether this is the code of a unit of the own army."""
    return code >= battle.OWN and code & 1 == 0


@kernel
def count_near(observation, row, column, reach, enemies):
    """The units of the other army, or of the own one, at most `reach` rows and columns from a cell of the view."""
    count = 0
    for i in range(max(row - reach, 0), min(row + reach + 1, battle.SIDE)):
        for j in range(max(column - reach, 0), min(column + reach + 1, battle.SIDE)):
            code = observation.units[i, j]
            count += is_enemy(code) if enemies else is_friend(code)
    return count


@large_kernel
def weakest(memory, observation, kind):
    """A random one of the attacks on the weakest enemies in reach, -1 if there are none."""
    found, best, count = -1, _FAR, 0
    for action in range(battle.MOVE_COUNT[kind], battle.ACTION_COUNT[kind]):
        i, j = battle.RADIUS + battle.ROWS[kind, action], battle.RADIUS + battle.COLUMNS[kind, action]
        if is_enemy(observation.units[i, j]):
            if observation.health[i, j] < best:
                best, count = np.int64(observation.health[i, j]), 0
            if observation.health[i, j] == best:
                count += 1
                if randint(memory, count) == 0:
                    found = action
    return found


@kernel
def nearest_enemy(observation, row, column):
    """The row and column of the enemy nearest to a cell of the view, and the squared distance; _FAR without enemies."""
    found_row, found_column, best = row, column, _FAR
    for i in range(battle.SIDE):
        for j in range(battle.SIDE):
            if is_enemy(observation.units[i, j]):
                squared = (i - row) * (i - row) + (j - column) * (j - column)
                if squared < best:
                    found_row, found_column, best = i, j, squared
    return found_row, found_column, best


@large_kernel
def go(memory, observation, kind, row, column):
    """The move to the free cell nearest to a cell of the view; ties at random."""
    found, best, count = 0, _FAR, 0
    for action in range(battle.MOVE_COUNT[kind]):
        down, across = battle.ROWS[kind, action], battle.COLUMNS[kind, action]
        i, j = battle.RADIUS + down, battle.RADIUS + across
        if observation.units[i, j] == battle.NOTHING or (down == 0 and across == 0):
            score = (i - row) * (i - row) + (j - column) * (j - column)
            if score < best:
                best, count = score, 0
            if score == best:
                count += 1
                if randint(memory, count) == 0:
                    found = action
    return found


@kernel
def blocked(observation, down, across):
    """Whether there is a wall two cells away in this direction, or nearer."""
    for k in range(1, 3):
        if observation.units[battle.RADIUS + k * down, battle.RADIUS + k * across] == battle.WALL:
            return True
    return False


@kernel
def march(memory, observation, kind):
    """Without an enemy in view: to the other army's side, and from wall to wall in search of it."""
    if memory.across == 0:
        memory.across = 1 - 2 * np.int64(observation.place[0])
    if blocked(observation, 0, memory.across):
        memory.across = -memory.across
        memory.down = randint(memory, 3) - 1
    if memory.down != 0 and blocked(observation, memory.down, 0):
        memory.down = -memory.down
    return go(memory, observation, kind, battle.RADIUS + 2 * memory.down, battle.RADIUS + 2 * memory.across)


_HEADINGS = {"across": limited(0, -1, 1), "down": limited(0, -1, 1)}


@policy(_ID, "greedy", variables=_HEADINGS)
def greedy(memory, observation, mask):
    """Attacks the weakest enemy in reach; otherwise moves towards the nearest one, or in search of one."""
    kind = kind_of(observation, mask)
    action = weakest(memory, observation, kind)
    if action >= 0:
        return action
    row, column, squared = nearest_enemy(observation, battle.RADIUS, battle.RADIUS)
    if squared == _FAR:
        return march(memory, observation, kind)
    return go(memory, observation, kind, row, column)


@large_kernel
def comrades(observation, row, column):
    """The most units of the own army, without the unit itself, that are beside one enemy beside a cell of the view."""
    most = 0
    for i in range(row - 1, row + 2):
        for j in range(column - 1, column + 2):
            if is_enemy(observation.units[i, j]):
                itself = abs(i - battle.RADIUS) <= 1 and abs(j - battle.RADIUS) <= 1
                most = max(most, count_near(observation, i, j, 1, False) - itself)
    return most


@large_kernel
def join(memory, observation, kind, row, column, fear):
    """The move beside an enemy that most of the own army are beside, or else to just out of reach of the nearest one.

    A cell is worth the own units beside an enemy there, and loses `fear` for each enemy beside it.
    """
    found, best, count = 0, -1.0 * _FAR, 0
    for action in range(battle.MOVE_COUNT[kind]):
        down, across = battle.ROWS[kind, action], battle.COLUMNS[kind, action]
        i, j = battle.RADIUS + down, battle.RADIUS + across
        if observation.units[i, j] == battle.NOTHING or (down == 0 and across == 0):
            score = -0.01 * ((i - row) * (i - row) + (j - column) * (j - column))
            enemies = count_near(observation, i, j, 1, True)
            if enemies > 0:
                score += 1 + comrades(observation, i, j) - fear * enemies
            if score > best:
                best, count = score, 0
            if score == best:
                count += 1
                if randint(memory, count) == 0:
                    found = action
    return found


@policy(_ID, "ambush", variables=_HEADINGS, fear=Between(0, 10).at(1.5), daring=CHANCE.at(0.03))
def ambush(memory, observation, mask):
    """Waits just out of reach until enemies come, or charges with probability `daring`; joins units that fight.

    `fear` is how many of the own army must be beside an enemy to outweigh one enemy beside the unit.
    """
    kind = kind_of(observation, mask)
    row, column, squared = nearest_enemy(observation, battle.RADIUS, battle.RADIUS)
    if squared == _FAR:
        return march(memory, observation, kind)
    action = weakest(memory, observation, kind)
    if action >= 0:
        return action
    return join(memory, observation, kind, row, column, 0.0 if bernoulli(memory, memory.daring) else memory.fear)
