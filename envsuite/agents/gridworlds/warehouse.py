"""Robots: a planner that remembers what it saw and shares the work, and one that does not share it.

Deliveries of all robots in 500 steps; 16 episodes, with standard errors of at most 1.0. The last column is a planner in
RWARE itself, which knows everything.

| warehouse | robots | `radius` | random | selfish | planner | in RWARE |
|---|---|---|---|---|---|---|
| tiny | 2 | 1 | 0.1 | 21.4 | 21.4 | |
| tiny | 2 | 20 | 0.1 | 28.6 | 28.8 | 30.3 |
| tiny | 4 | 1 | 0.1 | 44.9 | 44.6 | |
| tiny | 4 | 20 | 0.1 | 53.0 | 53.4 | 57.0 |
| small | 4 | 1 | 0.1 | 28.0 | 28.5 | |
| small | 4 | 20 | 0.1 | 35.0 | 34.9 | 39.7 |
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.policy import CHANCE, choose_legal, policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds import warehouse
from envsuite.gridworlds.warehouse.levels import GOAL, LARGEST, OUTSIDE, PLACE
from envsuite.kit.grid import ahead

_ID = "envsuite/Warehouse-v0"

#: The map in memory: rows of this number of cells, with a border of one that is never entered.
_SIDE = LARGEST + 2
_CELLS = _SIDE * _SIDE

#: Robots, and requested shelves, that are taken into account.
_MOST = 64

#: The fewest and most steps of a detour.
_SHORT, _LONG = 4, 24

#: The greatest number of steps that are counted.
_LATEST = 2**30

_VARIABLES = {
    "t": limited(0, 0, _LATEST),  # steps so far
    "cell": limited(0, 0, _CELLS - 1),  # where it was
    "detour": limited(0, 0, _LONG),  # steps for which it drives around robots nearby
    "bottom": limited(0, 0, LARGEST),  # the last row and column of the map in memory of which something was seen
    "right": limited(0, 0, LARGEST),
    "drove": limited(np.uint8(0), 0, 1),  # whether it wanted to drive
    "known": scratch(_CELLS, np.uint8),  # the code of each cell when it was last seen
    "seen": limited(np.zeros(_CELLS, np.int64), 0, _LATEST),  # when that was; 0 is never
    "near": scratch(_CELLS, np.uint8),  # who is there now, by code
    "way": scratch(_CELLS, np.uint8),  # the first direction of the path to a cell, plus 1
    "queue": scratch(_CELLS, np.int16),
    "robots": scratch(_MOST, np.int16),
    "jobs": scratch(_MOST, np.int16),
}


@large_kernel
def look(memory, observation):
    """Remember what is seen; the robots' own cell."""
    radius = observation.window.shape[0] // 2
    middle_y, middle_x = np.int64(observation.own[1]) + 1, np.int64(observation.own[0]) + 1
    memory.t = min(memory.t + 1, _LATEST)
    if memory.t == 1:
        for k in range(_CELLS):
            memory.known[k] = 0
    for y in range(memory.bottom + 1):
        for x in range(memory.right + 1):
            memory.near[y * _SIDE + x] = 0
    for i in range(2 * radius + 1):
        for j in range(2 * radius + 1):
            y, x = middle_y + i - radius, middle_x + j - radius
            code = np.int64(observation.window[i, j])
            if not 0 < y <= LARGEST or not 0 < x <= LARGEST:
                continue
            cell = y * _SIDE + x
            memory.seen[cell] = memory.t
            if code // warehouse.GROUND == OUTSIDE:
                continue
            memory.bottom, memory.right = max(memory.bottom, y), max(memory.right, x)
            memory.near[cell] = code & warehouse.ROBOT + warehouse.LOADED
            memory.known[cell] = (
                code // warehouse.GROUND * warehouse.GROUND
                if code & warehouse.LOADED
                else code - (code & warehouse.ROBOT + 3 * warehouse.DIRECTION)
            )
    return middle_y * _SIDE + middle_x


@kernel
def away(one, other):
    """The distance of two cells, as a robot drives."""
    return abs(one // _SIDE - other // _SIDE) + abs(one % _SIDE - other % _SIDE)


@large_kernel
def job(memory, own, share):
    """The requested shelf that a robot fetches, -1 if it knows of none.

    Those who share give the nearest pair of robot and shelf to one another first, as far as they see each other.
    """
    robots, jobs = 0, 0
    for y in range(1, memory.bottom + 1):
        for x in range(1, memory.right + 1):
            cell = y * _SIDE + x
            robot = np.int64(memory.near[cell])
            if robots < _MOST and robot & warehouse.ROBOT and (cell == own or (share and not robot & warehouse.LOADED)):
                memory.robots[robots] = cell
                robots += 1
            if jobs < _MOST and memory.known[cell] & warehouse.REQUESTED:
                memory.jobs[jobs] = cell
                jobs += 1
    while jobs > 0:
        best, chosen, robot = 2 * _SIDE, 0, 0
        for a in range(robots):
            for k in range(jobs):
                distance = away(np.int64(memory.robots[a]), np.int64(memory.jobs[k]))
                if distance < best:
                    best, chosen, robot = distance, k, a
        if memory.robots[robot] == own:
            return np.int64(memory.jobs[chosen])
        jobs -= 1
        memory.jobs[chosen] = memory.jobs[jobs]
        for a in range(robot, robots - 1):
            memory.robots[a] = memory.robots[a + 1]
        robots -= 1
    return -1


@large_kernel
def way(memory, own, straight, loaded, requested, target, careful):
    """The first direction of a shortest path, -1 without one: to the target; without one, to a goal or a free place.

    If there is none of these either, the path leads to the cell that was not seen for longest. Careful robots drive
    around others that are at most two steps away.
    """
    bottom, right = min(memory.bottom + 1, LARGEST), min(memory.right + 1, LARGEST)
    for y in range(1, bottom + 1):
        for x in range(1, right + 1):
            memory.way[y * _SIDE + x] = 0
    memory.queue[0] = own
    memory.way[own] = 5
    first, last, oldest, found = 0, 1, _LATEST + 1, -1
    while first < last:
        cell = np.int64(memory.queue[first])
        first += 1
        code = np.int64(memory.known[cell])
        ground = code // warehouse.GROUND
        if cell != own:
            entered = np.int64(memory.way[cell]) - 1
            there = cell == target
            if loaded:
                there = ground == GOAL if requested else ground == PLACE and memory.near[cell] == 0
            if there:
                return entered
            if memory.seen[cell] < oldest:
                oldest, found = memory.seen[cell], entered
        if loaded and cell != own and memory.seen[cell] == 0:
            continue  # nobody knows what stands beyond
        for k in range(4):
            facing = straight + k & 3  # of paths of one length, one without a turn at its start
            to = cell + ahead(facing, _SIDE)
            if not 0 < to % _SIDE <= right or not 0 < to // _SIDE <= bottom or memory.way[to] != 0:
                continue
            if memory.seen[to] > 0 and memory.known[to] // warehouse.GROUND == OUTSIDE:
                continue
            if loaded and memory.known[to] & warehouse.SHELF:
                continue
            if careful and memory.near[to] & warehouse.ROBOT and away(own, to) <= 2:
                continue
            memory.way[to] = facing + 1 if cell == own else memory.way[cell]
            memory.queue[last] = to
            last += 1
    return found


@large_kernel
def _by_codes(observation, memory, mask, share):
    """The action of a planner."""
    own = look(memory, observation)
    middle = observation.window.shape[0] // 2
    code = np.int64(observation.window[middle, middle])
    loaded, requested = code & warehouse.LOADED > 0, code & warehouse.REQUESTED > 0
    memory.detour = max(memory.detour - 1, 0)
    if memory.drove and own == memory.cell and bernoulli(memory, memory.aside):
        memory.detour = _SHORT + randint(memory, _LONG - _SHORT)
    memory.cell, memory.drove = own, 0
    if loaded:
        if not requested and code // warehouse.GROUND == PLACE:
            return warehouse.TOGGLE
        target = -1
    else:
        if requested:
            return warehouse.TOGGLE
        target = job(memory, own, share)
    facing = way(memory, own, code // warehouse.DIRECTION & 3, loaded, requested, target, memory.detour > 0)
    if facing < 0:
        facing = np.int64(randint(memory, 4))
    turn = facing - (code // warehouse.DIRECTION & 3) & 3
    memory.drove = turn == 0
    if turn == 0:
        return warehouse.FORWARD
    return warehouse.TURN_LEFT if turn == 3 else warehouse.TURN_RIGHT


def _by_vector(observation, memory, mask, share):
    return choose_legal(memory, mask)


_choose = by_fields(lambda names: names is not None, _by_codes, _by_vector)


@policy(_ID, "planner", variables=_VARIABLES, aside=CHANCE.at(0.3))
def planner(memory, observation, mask):
    """Drives shortest paths on the map that it remembers; robots that see each other share the requested shelves.

    When it could not drive ahead, it drives around robots nearby for some steps, with probability `aside`. Without a
    shelf to fetch, it drives to the cell that it has not seen for longest. It reads "codes" only, and with "vector"
    acts at random.
    """
    return _choose(observation, memory, mask, True)


@policy(_ID, "selfish", variables=_VARIABLES, aside=CHANCE.at(0.3))
def selfish(memory, observation, mask):
    """The planner, but it fetches the nearest requested shelf that it knows of, whoever else does."""
    return _choose(observation, memory, mask, False)
