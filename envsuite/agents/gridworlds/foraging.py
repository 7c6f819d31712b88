"""Foragers: the four heuristics of the reference, H1 to H4, and a team player that divides the work.

Return of all players together when all use the same policy, in 2,048 episodes; standard errors are at most 0.01:

| | random | h1 | h2 | h3 | h4 | team |
|---|---|---|---|---|---|---|
| default | 0.24 | 0.58 | 0.60 | 0.47 | 0.60 | 1.00 |
| `force_coop` | 0.01 | 0.17 | 0.38 | 0.01 | 0.38 | 1.00 |
| `sight` 2 | 0.24 | 0.56 | 0.56 | 0.45 | 0.55 | 0.73 |
| `sight` 2, `force_coop` | 0.01 | 0.17 | 0.20 | 0.01 | 0.23 | 0.52 |
| 4 players, 5 food, `size` 15 | 0.08 | 0.32 | 0.29 | 0.33 | 0.29 | 0.97 |
| 3 players, 3 food, `size` 10, `force_coop` | 0.00 | 0.01 | 0.06 | 0.00 | 0.06 | 0.89 |

Players with the heuristics often choose the same cell at once and then stay where they are forever.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds.foraging import COLUMNS, EAST, LOAD, NOOP, NORTH, ROWS, SOUTH, WEST, by_form

_ID = "envsuite/Foraging-v0"

#: The level of food that a player looks for: any.
_ANY = 1000

#: What a team player takes into account: this number of players, itself first, and of pieces of food.
_MOST = 8


# Both forms of observations are read as slots: slots of players, the player's own first, and slots of food, from the
# top row down. Each has a row, a column and a level; the level is 0 in empty slots and 1 where levels are not observed.


def _vector_size(observation, food):
    return observation.food.shape[0] if food else observation.players.shape[0]


def _grid_size(observation, food):
    return observation.shape[1] * observation.shape[2] + (0 if food else 1)


def _vector_slot(observation, food, k):
    if food:
        pieces = observation.food
        return np.int64(pieces[k, 0]), np.int64(pieces[k, 1]), np.int64(pieces[k, 2])
    players = observation.players
    level = np.int64(players[k, 2]) if players.shape[1] > 2 else np.int64(players[k, 0] >= 0)
    return np.int64(players[k, 0]), np.int64(players[k, 1]), level


def _grid_slot(observation, food, k):
    width = observation.shape[1]
    middle = width * width // 2
    cell = k if food else middle if k == 0 else k - 1
    level = np.int64(observation[1 if food else 0, cell // width, cell % width])
    if not food and k - 1 == middle:
        level = np.int64(0)
    return np.int64(cell // width), np.int64(cell % width), level


_size = by_form(_vector_size, _grid_size)
_slot = by_form(_vector_slot, _grid_slot)


@large_kernel
def _heuristic(memory, observation, mask, by_center, by_level):
    """Go to the closest food and load it.

    The food is the closest to the player or to the center of all players in view. It may have any level, or at most the
    player's own, or at most the sum of the levels in view.
    """
    row, column, level = _slot(observation, False, 0)
    from_row, from_column, most = float(row), float(column), level
    if by_center:
        from_row, from_column, most = _center(observation)
    target = _closest(observation, from_row, from_column, most if by_level else _ANY)
    if target < 0:
        return choose_legal(memory, mask)
    food_row, food_column, _ = _slot(observation, True, target)
    if abs(food_row - row) + abs(food_column - column) == 1:
        return LOAD
    # The order in which the reference's players try directions.
    if food_row < row and mask[NORTH]:
        return NORTH
    if food_row > row and mask[SOUTH]:
        return SOUTH
    if food_column > column and mask[EAST]:
        return EAST
    if food_column < column and mask[WEST]:
        return WEST
    return choose_legal(memory, mask)


@kernel
def _center(observation):
    """The middle of the players in view, rounded to a cell, and the sum of their levels."""
    count, rows, columns, levels = 0, 0, 0, 0
    for k in range(_size(observation, False)):
        row, column, level = _slot(observation, False, k)
        if level:
            count += 1
            rows += row
            columns += column
            levels += level
    return np.rint(rows / count), np.rint(columns / count), levels


@kernel
def _closest(observation, row, column, most):
    """The slot of the closest food of at most this level, in a straight line; the first if there are several; or -1."""
    found, best = -1, 1e9
    for k in range(_size(observation, True)):
        i, j, level = _slot(observation, True, k)
        distance = (i - row) * (i - row) + (j - column) * (j - column)
        if 0 < level <= most and distance < best:
            found, best = k, distance
    return found


@policy(_ID, "h1")
def h1(memory, observation, mask):
    """Goes to the closest food (H1 of the reference)."""
    return _heuristic(memory, observation, mask, False, False)


@policy(_ID, "h2")
def h2(memory, observation, mask):
    """Goes to the food that is closest to the center of the players in view (H2)."""
    return _heuristic(memory, observation, mask, True, False)


@policy(_ID, "h3")
def h3(memory, observation, mask):
    """Goes to the closest food that it can load alone (H3)."""
    return _heuristic(memory, observation, mask, False, True)


@policy(_ID, "h4")
def h4(memory, observation, mask):
    """Goes to the food closest to the center of the players in view among those they can load together (H4)."""
    return _heuristic(memory, observation, mask, True, True)


# The team player.


@large_kernel
def _look(memory, observation):
    """Note the nearest players in view, itself first, and the nearest food."""
    row, column, _ = _slot(observation, False, 0)
    memory.counts[0] = 0
    memory.counts[1] = 0
    for food in range(2):
        things = memory.things[food]
        for k in range(_size(observation, food == 1)):
            i, j, level = _slot(observation, food == 1, k)
            distance = abs(i - row) + abs(j - column)
            place = memory.counts[food]
            if level == 0 or (place == _MOST and things[place - 1, 3] <= distance):
                continue
            if place < _MOST:
                memory.counts[food] += 1
            else:
                place -= 1
            while place > 0 and things[place - 1, 3] > distance:
                for field in range(4):
                    things[place, field] = things[place - 1, field]
                place -= 1
            things[place, 0] = i
            things[place, 1] = j
            things[place, 2] = level
            things[place, 3] = distance
        for k in range(_MOST):
            memory.free[food, k] = 1


@kernel
def _distance(memory, player, food):
    """The steps from a player to beside a food."""
    one, other = memory.things[0, player], memory.things[1, food]
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) - 1


@kernel
def _before(things, one, other):
    """An order of things that is the same for all players that see them, wherever they stand."""
    return things[one, 0] < things[other, 0] or (
        things[one, 0] == things[other, 0] and things[one, 1] < things[other, 1]
    )


@large_kernel
def _team(memory, food):
    """Choose the nearest free players that can load a food; return the sum of their steps to it, or -1 without any."""
    players = memory.things[0]
    for k in range(_MOST):
        memory.chosen[k] = 0
    missing = memory.things[1, food, 2]
    steps = 0
    while missing > 0:
        best, shortest = -1, 0
        for k in range(memory.counts[0]):
            if memory.free[0, k] and not memory.chosen[k]:
                away = _distance(memory, k, food)
                if best < 0 or away < shortest or (away == shortest and _before(players, k, best)):
                    best, shortest = k, away
        if best < 0:
            return -1
        memory.chosen[best] = 1
        missing -= players[best, 2]
        steps += shortest
    return steps


@large_kernel
def _task(memory):
    """The food assigned to the player if the food with the fewest steps is assigned first, or -1."""
    for _ in range(memory.counts[1]):
        best, shortest = -1, 0
        for k in range(memory.counts[1]):
            if memory.free[1, k]:
                steps = _team(memory, k)
                if steps >= 0 and (
                    best < 0 or steps < shortest or (steps == shortest and _before(memory.things[1], k, best))
                ):
                    best, shortest = k, steps
        if best < 0:
            return -1
        _team(memory, best)
        for k in range(memory.counts[0]):
            if memory.chosen[k]:
                memory.free[0, k] = 0
        memory.free[1, best] = 0
        if memory.chosen[0]:
            return best
    return -1


@kernel
def _someone_near(memory, row, column, reach):
    """Whether another player is within this number of steps of a place."""
    for k in range(1, memory.counts[0]):
        if abs(memory.things[0, k, 0] - row) + abs(memory.things[0, k, 1] - column) <= reach:
            return True
    return False


@large_kernel
def _approach(memory, mask, food):
    """A step towards the nearest free cell beside a food, over unoccupied cells, or a step aside if there is none.

    Sometimes it is no step, so that one of two players that choose the same cell gets it.
    """
    own, target = memory.things[0, 0], memory.things[1, food]
    goal, shortest = NOOP, 0
    for side in range(NORTH, EAST + 1):
        row, column = target[0] + ROWS[side], target[1] + COLUMNS[side]
        away = abs(own[0] - row) + abs(own[1] - column)
        if (goal == NOOP or away < shortest) and not _someone_near(memory, row, column, 0):
            goal, shortest = side, away
    best, count, aside = NOOP, 0, NOOP
    for action in range(NORTH, EAST + 1):
        row, column = own[0] + ROWS[action], own[1] + COLUMNS[action]
        if not mask[action] or _someone_near(memory, row, column, 0):
            continue
        if abs(row - target[0] - ROWS[goal]) + abs(column - target[1] - COLUMNS[goal]) < shortest:
            count += 1
            if randint(memory, count) == 0:
                best = action
        elif aside == NOOP or bernoulli(memory, 0.5):
            aside = action
    if count == 0:
        return aside if bernoulli(memory, 0.5) else NOOP
    waits = _someone_near(memory, own[0] + ROWS[best], own[1] + COLUMNS[best], 1) and bernoulli(memory, 0.2)
    return NOOP if waits else best


@kernel
def _load(memory, food):
    """Load if the players beside the food can, else wait for them."""
    target = memory.things[1, food]
    levels = 0
    for k in range(memory.counts[0]):
        if _distance(memory, k, food) == 0:
            levels += memory.things[0, k, 2]
    return LOAD if levels >= target[2] else NOOP


@kernel
def _wander(memory, mask):
    """Walk mostly straight ahead."""
    if not mask[memory.heading] or bernoulli(memory, 0.1):
        memory.heading = NORTH + randint(memory, 4)
    return memory.heading if mask[memory.heading] else NOOP


@policy(
    _ID,
    "team",
    variables={
        "things": scratch((2, _MOST, 4)),
        "counts": scratch(2),
        "free": scratch((2, _MOST)),
        "chosen": scratch(_MOST),
        "heading": limited(NORTH, NORTH, EAST),
    },
)
def team(memory, observation, mask):
    """Assigns the food in view to the nearest players that can load it, as all others would, and does its part."""
    _look(memory, observation)
    food = _task(memory)
    if food >= 0:
        return _load(memory, food) if memory.things[1, food, 3] == 1 else _approach(memory, mask, food)
    idle = memory.counts[1] > 0  # others load all food in view, unless they cannot
    for k in range(memory.counts[1]):
        idle = idle and not memory.free[1, k]
    return NOOP if idle else _wander(memory, mask)
