"""Players of CaptureTheFlag: one that walks straight, and one that keeps a map and divides the work.

Captures of red and of blue, and the shares of games that they win, in 96 games:

| red, blue | captures | wins |
|---|---|---|
| random, random | 0.00, 0.00 | 0.00, 0.00 |
| greedy, random | 0.68, 0.00 | 0.28, 0.00 |
| greedy, greedy | 0.07, 0.05 | 0.06, 0.02 |
| planner, random | 2.46, 0.00 | 0.98, 0.00 |
| planner, greedy | 1.24, 0.00 | 0.58, 0.00 |
| planner, planner | 0.08, 0.06 | 0.04, 0.03 |
| planner, planner with `guards=0` | 1.15, 0.07 | 0.55, 0.00 |
| both with `guards=0` | 0.07, 0.19 | 0.05, 0.08 |

Games of two planners are drawn: each guard stops the one raider. Without guards, both flags are often carried away.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.gridworlds import capture_the_flag
from envsuite.kit.grid import DX, DY

_ID = "envsuite/CaptureTheFlag-v0"

_CELLS = capture_the_flag.LARGEST_MAP * capture_the_flag.LARGEST_MAP

#: More than the length of any way.
_FAR = 10_000

#: What is known of a cell.
_UNKNOWN, _OPEN, _CLOSED = range(3)


@kernel
def _open(view, row, column):
    """Whether a cell of the view is seen and free."""
    return view[0, row, column] >= capture_the_flag.FLOOR


@kernel
def _seen(observation, bit):
    """The column and row on the map of a flag in view; -1 if it is not seen."""
    view, status = observation.around, observation.status
    sight = view.shape[1] // 2
    for i in range(view.shape[1]):
        for j in range(view.shape[2]):
            if view[3, i, j] & bit:
                return status[capture_the_flag.PLACE] + j - sight, status[capture_the_flag.PLACE + 1] + i - sight
    return -1, -1


@kernel
def _errand(observation):
    """Where a raider goes, column and row: home with the flag, to a flag in view that is away, or the enemy's base."""
    status = observation.status
    if status[capture_the_flag.CARRIES]:
        return status[capture_the_flag.BASES], status[capture_the_flag.BASES + 1]
    if status[capture_the_flag.FLAGS] != capture_the_flag.HOME:
        x, y = _seen(observation, capture_the_flag.OWN_FLAG)
        if x >= 0:
            return x, y
    if (
        status[capture_the_flag.FLAGS + 1] != capture_the_flag.HOME
        and status[capture_the_flag.FLAGS + 1] != capture_the_flag.CARRIED
    ):
        x, y = _seen(observation, capture_the_flag.THEIR_FLAG)
        if x >= 0:
            return x, y
    return status[capture_the_flag.BASES + 2], status[capture_the_flag.BASES + 3]


@policy(_ID, "greedy", error=Between(0, 1).at(0.2))
def greedy(memory, observation, mask):
    """Tags when it can; otherwise walks straight to the flag and back, and at random with probability `error`."""
    if mask[capture_the_flag.TAG]:
        return capture_the_flag.TAG
    view, status = observation.around, observation.status
    if status[capture_the_flag.OUT] > 0:
        return capture_the_flag.STAY
    if bernoulli(memory, memory.error):
        return randint(memory, capture_the_flag.STAY)
    x, y = _errand(observation)
    sight, best, action, count = view.shape[1] // 2, _FAR, capture_the_flag.STAY, 0
    for k in range(capture_the_flag.STAY):
        if _open(view, sight + DY[k], sight + DX[k]):
            away = abs(x - status[capture_the_flag.PLACE] - DX[k]) + abs(y - status[capture_the_flag.PLACE + 1] - DY[k])
            count = count + 1 if away == best else 1 if away < best else count
            if away < best or (away == best and randint(memory, count) == 0):
                best, action = away, k
    return action


# The planner.


@large_kernel
def _learn(memory, observation):
    """Note what is seen on the map, and forget what was dangerous."""
    view, status = observation.around, observation.status
    sight, width, height = view.shape[1] // 2, status[capture_the_flag.SIZE], status[capture_the_flag.SIZE + 1]
    for k in range(width * height):
        memory.danger[k] = 0
    for i in range(view.shape[1]):
        for j in range(view.shape[2]):
            x, y = status[capture_the_flag.PLACE] + j - sight, status[capture_the_flag.PLACE + 1] + i - sight
            if view[0, i, j] != capture_the_flag.UNSEEN:
                memory.known[y * width + x] = _CLOSED if view[0, i, j] == capture_the_flag.ROCK else _OPEN
            if view[2, i, j] and view[0, i, j] != capture_the_flag.FLOOR:
                _avoid(memory, status, x, y)


@kernel
def _avoid(memory, status, x, y):
    """An enemy at this cell can tag in the next step what comes to within two cells of it."""
    width, height = status[capture_the_flag.SIZE], status[capture_the_flag.SIZE + 1]
    for row in range(max(y - 2, 0), min(y + 3, height)):
        for column in range(max(x - 2, 0), min(x + 3, width)):
            if abs(row - y) + abs(column - x) <= 2 and _theirs(status, column):
                memory.danger[row * width + column] = 1


@kernel
def _theirs(status, x):
    """Whether a column is in the enemy's half."""
    return (2 * x + 1 - status[capture_the_flag.SIZE]) * (
        2 * status[capture_the_flag.BASES + 2] + 1 - status[capture_the_flag.SIZE]
    ) > 0


@large_kernel
def _distances(memory, status, x, y, careful):
    """Steps from every cell to this one over cells that are not known to be walls; around danger with `careful`."""
    width, height = status[capture_the_flag.SIZE], status[capture_the_flag.SIZE + 1]
    distance, queue = memory.distance, memory.queue
    for k in range(width * height):
        distance[k] = _FAR
    head, tail = 0, 1
    queue[0] = y * width + x
    distance[y * width + x] = 0
    while head < tail:
        cell = queue[head]
        head += 1
        for k in range(capture_the_flag.STAY):
            column, row = cell % width + DX[k], cell // width + DY[k]
            if 0 < column < width - 1 and 0 < row < height - 1:
                near = row * width + column
                blocked = memory.known[near] == _CLOSED or (careful and memory.danger[near])
                if distance[near] == _FAR and not blocked:
                    distance[near] = distance[cell] + 1
                    queue[tail] = near
                    tail += 1


@large_kernel
def _toward(memory, observation, x, y):
    """The first step of a shortest way to a cell, around danger if there is such a way; a random one of several."""
    status = observation.status
    width = status[capture_the_flag.SIZE]
    for careful in (1, 0):
        _distances(memory, status, x, y, careful)
        best = memory.distance[status[capture_the_flag.PLACE + 1] * width + status[capture_the_flag.PLACE]]
        action, count = capture_the_flag.STAY, 0
        for k in range(capture_the_flag.STAY):
            near = (status[capture_the_flag.PLACE + 1] + DY[k]) * width + status[capture_the_flag.PLACE] + DX[k]
            away = memory.distance[near]
            if away < _FAR and away <= best:
                count = count + 1 if away == best and action != capture_the_flag.STAY else 1
                if away < best or action == capture_the_flag.STAY or randint(memory, count) == 0:
                    best, action = away, k
        if action != capture_the_flag.STAY:
            return action
    return capture_the_flag.STAY


@large_kernel
def _intruder(observation):
    """The column and row on the map of the enemy nearest to the own base of those in view in the own half, or -1."""
    view, status = observation.around, observation.status
    sight, best, column, row = view.shape[1] // 2, _FAR, -1, -1
    for i in range(view.shape[1]):
        for j in range(view.shape[2]):
            if view[2, i, j] and view[0, i, j] == capture_the_flag.FLOOR:
                x, y = status[capture_the_flag.PLACE] + j - sight, status[capture_the_flag.PLACE + 1] + i - sight
                away = abs(x - status[capture_the_flag.BASES]) + abs(y - status[capture_the_flag.BASES + 1])
                if away < best:
                    best, column, row = away, x, y
    return column, row


@policy(
    _ID,
    "planner",
    variables={
        "known": limited(np.zeros(_CELLS, np.int64), _UNKNOWN, _CLOSED),
        "danger": scratch(_CELLS),
        "distance": scratch(_CELLS),
        "queue": scratch(_CELLS),
    },
    guards=Between(0, capture_the_flag.LARGEST_TEAM).at(1),
)
def planner(memory, observation, mask):
    """Plans ways on a map of what it has seen, around enemies; the agents 1 to `guards` of a team stay at the base."""
    status = observation.status
    if mask[capture_the_flag.TAG]:
        return capture_the_flag.TAG
    if status[capture_the_flag.OUT] > 0:
        return capture_the_flag.STAY
    _learn(memory, observation)
    guard = 1 <= status[capture_the_flag.NUMBER] <= memory.guards
    x, y = _errand(observation)
    if guard and status[capture_the_flag.FLAGS] == capture_the_flag.HOME and status[capture_the_flag.CARRIES] == 0:
        x, y = status[capture_the_flag.BASES], status[capture_the_flag.BASES + 1]
        column, row = _intruder(observation)
        if column >= 0 and status[capture_the_flag.RESTS] == 0:
            x, y = column, row
    if status[capture_the_flag.PLACE] == x and status[capture_the_flag.PLACE + 1] == y:
        return capture_the_flag.STAY
    return _toward(memory, observation, x, y)
