"""Players of Tag that play every role: one by distance alone, and one that plans ways in what it sees.

Return of both chasers together, and the share of episodes in which they catch all runners, in 256 episodes:

| chasers, runners | default | ``caught="infect"`` | ``order="turns"`` |
|---|---|---|---|
| random, random | 0.45, 0.01 | 0.40, 0.03 | 0.07, 0.00 |
| greedy, greedy | 2.89, 0.82 | 1.99, 0.90 | 2.02, 0.46 |
| greedy, planner | 2.11, 0.47 | 1.87, 0.56 | 1.09, 0.24 |
| planner, random | 2.70, 0.87 | 1.81, 0.88 | 2.07, 0.65 |
| planner, greedy | 3.01, 0.88 | 2.04, 0.90 | 2.26, 0.59 |
| planner, planner | 2.15, 0.55 | 1.87, 0.58 | 1.30, 0.30 |
| random, planner | 0.00, 0.00 | 0.00, 0.00 | 0.00, 0.00 |
"""

from __future__ import annotations

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.gridworlds.tag import CHASER, FARTHEST, FROZEN, OWN, ROCK, RUNNER, STAY, UNSEEN
from envsuite.kit.grid import DX, DY

_ID = "envsuite/Tag-v0"

_CELLS = (2 * FARTHEST + 1) * (2 * FARTHEST + 1)

#: More than any way in a view.
_FAR = 1000


@kernel
def _is_free(observation, y, x):
    """Whether a cell is seen and free."""
    width = observation.shape[1]
    return 0 <= y < width and 0 <= x < width and observation[0, y, x] != UNSEEN and observation[0, y, x] != ROCK


@kernel
def _role(observation):
    """The role of the agent itself."""
    middle = observation.shape[1] // 2
    return observation[0, middle, middle] - OWN


@kernel
def _patrol(memory, observation):
    """Walk straight ahead; turn where the way is blocked, and sometimes elsewhere."""
    middle = observation.shape[1] // 2
    if bernoulli(memory, 0.1):
        memory.heading = randint(memory, STAY)
    turn = 1 + 2 * randint(memory, 2)  # to the right or to the left, and back only in a dead end
    for _ in range(STAY):
        if _is_free(observation, middle + DY[memory.heading], middle + DX[memory.heading]):
            return memory.heading
        memory.heading = (memory.heading + turn) % STAY
    return STAY


@kernel
def _nearest(observation, plane):
    """The row and column of the nearest agent of a plane, by rows and columns; -1 if none is seen."""
    width = observation.shape[1]
    middle, best, row, column = width // 2, _FAR, -1, -1
    for y in range(width):
        for x in range(width):
            away = abs(y - middle) + abs(x - middle)
            if observation[plane, y, x] and away < best:
                best, row, column = away, y, x
    return row, column


@policy(_ID, "greedy", variables={"heading": limited(0, 0, STAY - 1)}, error=Between(0, 1).at(0.1))
def greedy(memory, observation, mask):
    """Approaches the nearest runner, or leaves the nearest chaser, by rows and columns; at random with `error`."""
    role = _role(observation)
    if role == FROZEN:
        return STAY
    if bernoulli(memory, memory.error):
        return randint(memory, STAY + 1)
    row, column = _nearest(observation, 1 + RUNNER if role == CHASER else 1 + CHASER)
    if row < 0:
        return _patrol(memory, observation)
    middle, best, action, count = observation.shape[1] // 2, -_FAR, STAY, 0
    for k in range(STAY):
        y, x = middle + DY[k], middle + DX[k]
        if _is_free(observation, y, x):
            away = abs(row - y) + abs(column - x)
            value = -away if role == CHASER else away
            count = count + 1 if value == best else 1 if value > best else count
            if value > best or (value == best and randint(memory, count) == 0):
                best, action = value, k
    return action


# The planner.


@large_kernel
def _spread(observation, plane, distance, queue):
    """Steps to each cell in view from the agents of a plane, or from the middle if it is 0; `_FAR` without a way."""
    width = observation.shape[1]
    middle, head, tail = width // 2, 0, 0
    for y in range(width):
        for x in range(width):
            source = observation[plane, y, x] > 0 if plane > 0 else y == middle and x == middle
            distance[y * width + x] = 0 if source else _FAR
            if source:
                queue[tail] = y * width + x
                tail += 1
    while head < tail:
        cell = queue[head]
        head += 1
        for k in range(STAY):
            y, x = cell // width + DY[k], cell % width + DX[k]
            if _is_free(observation, y, x) and distance[y * width + x] == _FAR:
                distance[y * width + x] = distance[cell] + 1
                queue[tail] = y * width + x
                tail += 1


@large_kernel
def _first(memory, observation, cell):
    """The first step of a shortest way to a cell in view, by the steps from the middle; a random one of several."""
    width = observation.shape[1]
    while memory.own[cell] > 1:
        count, back = 0, cell
        for k in range(STAY):
            y, x = cell // width - DY[k], cell % width - DX[k]
            if _is_free(observation, y, x) and memory.own[y * width + x] == memory.own[cell] - 1:
                count += 1
                if randint(memory, count) == 0:
                    back = y * width + x
        cell = back
    for k in range(STAY):
        if cell == (width // 2 + DY[k]) * width + width // 2 + DX[k]:
            return k
    return STAY


@large_kernel
def _hunt(memory, observation):
    """The cell of the runner in view that is nearest on foot, or -1."""
    width, best, cell = observation.shape[1], _FAR, -1
    for k in range(width * width):
        if observation[1 + RUNNER, k // width, k % width] and memory.own[k] < best:
            best, cell = memory.own[k], k
    return cell


@large_kernel
def _escape(memory, observation):
    """The best cell that a runner reaches before all chasers in view: far from them; a frozen runner counts more."""
    width, best, cell = observation.shape[1], -_FAR, -1
    for k in range(width * width):
        own, theirs = memory.own[k], min(memory.theirs[k], 2 * width)
        if own < _FAR and own < theirs:
            value = 3 * theirs - own
            if observation[1 + FROZEN, k // width, k % width]:
                value += _FAR - 4 * own
            if value > best:
                best, cell = value, k
    return cell


@policy(
    _ID,
    "planner",
    variables={
        "heading": limited(0, 0, STAY - 1),
        "own": scratch(_CELLS),  # steps from the middle
        "theirs": scratch(_CELLS),  # steps from the nearest chaser
        "queue": scratch(_CELLS),
    },
)
def planner(memory, observation, mask):
    """Chases on shortest ways; runs to cells that it reaches before the chasers, those of frozen runners first."""
    role, middle = _role(observation), observation.shape[1] // 2
    if role == FROZEN:
        return STAY
    _spread(observation, 0, memory.own, memory.queue)
    if role == CHASER:
        cell = _hunt(memory, observation)
    else:
        _spread(observation, 1 + CHASER, memory.theirs, memory.queue)
        cell = _escape(memory, observation)
        alone = memory.theirs[middle * (2 * middle + 1) + middle] == _FAR
        if alone and cell >= 0 and not observation[1 + FROZEN, cell // (2 * middle + 1), cell % (2 * middle + 1)]:
            cell = -1
    if cell < 0:
        return _patrol(memory, observation)
    return _first(memory, observation, cell)
