"""Players of HideAndSeek: each seeks by the same sweep, and they hide in different ways.

Mean return of a hider, from -210 to 210, and the share of episodes in which no hider is ever seen, in 256 episodes:

| hiders, seekers | return | never seen |
|---|---|---|
| random, random | 202 | 0.84 |
| random, sweeper | -154 | 0.00 |
| sweeper, random | 210 | 0.98 |
| sweeper, sweeper | -146 | 0.00 |
| builder, random | 205 | 0.96 |
| builder, sweeper | 135 | 0.80 |

The builder finds a room with one door, or one that it can shut, in four of five maps.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.generators.grids import FREE, WALL
from envsuite.gridworlds.hide_and_seek import (
    FARTHEST,
    FLOOR,
    INTERACT,
    LARGEST_MAP,
    LOOSE_BOX,
    NUMBER,
    PLACE,
    PREPARATION,
    ROCK,
    SEEKER,
    SIZE,
    STAY,
    TEAM,
    UNSEEN,
)
from envsuite.kit.grid import DX, DY
from envsuite.kit.sight import in_line, look_far

_ID = "envsuite/HideAndSeek-v0"

_CELLS = LARGEST_MAP * LARGEST_MAP

#: More than the length of any way; the age of what was never seen; cells whose exposure is counted in a step.
_FAR, _NEVER, _COUNTED = 10_000, 200, 3

#: The largest room that the builder shuts, with its door: a plan has a state for each two of its cells.
_ROOM = 64

_SCOUT = {
    "known": limited(np.zeros((LARGEST_MAP, LARGEST_MAP), np.uint8), 0, 5),  # codes of plane 0
    "open": limited(np.zeros((LARGEST_MAP, LARGEST_MAP), np.uint8), WALL, FREE),  # what may be seen through
    "seen": limited(np.full(_CELLS, -_NEVER), -_NEVER, 2**53),  # when a cell was seen last
    "clock": limited(0, 0, 2**53),
    "prey": limited(-1, -1, _CELLS - 1),  # where a hider was seen last
    "exposure": limited(np.zeros(_CELLS, np.int64), 0, _CELLS),  # cells in line with a cell, as far as counted
    "next": limited(0, 0, _CELLS),  # the cell whose exposure is counted next
    "own": scratch(_CELLS),  # steps from the agent
    "theirs": scratch(_CELLS),  # steps from the nearest seeker in view
    "queue": scratch(_CELLS),
    "window": scratch((2 * FARTHEST + 1, 2 * FARTHEST + 1), np.uint8),
}


@large_kernel
def _learn(memory, observation):
    """Note what is seen on the map."""
    view, status = observation.around, observation.status
    sight, width = view.shape[1] // 2, np.int64(status[SIZE])
    if memory.clock == 0:
        for cell in range(width * np.int64(status[SIZE + 1])):
            memory.open[cell // width, cell % width] = FREE if _is_inner(status, cell) else WALL
    memory.clock += 1
    nearest = _FAR
    for i in range(view.shape[1]):
        for j in range(view.shape[2]):
            if view[0, i, j] != UNSEEN:
                x, y = status[PLACE] + j - sight, status[PLACE + 1] + i - sight
                memory.known[y, x] = view[0, i, j]
                memory.open[y, x] = FREE if view[0, i, j] == FLOOR else WALL
                memory.seen[y * width + x] = memory.clock
                if memory.prey == y * width + x and view[1, i, j] == 0:
                    memory.prey = -1
    for i in range(view.shape[1]):
        for j in range(view.shape[2]):
            away = abs(i - sight) + abs(j - sight)
            if view[1, i, j] and status[TEAM] == SEEKER and away < nearest:
                nearest = away
                memory.prey = (status[PLACE + 1] + i - sight) * width + status[PLACE] + j - sight


@kernel
def _place(status):
    """The agent's cell."""
    return np.int64(status[PLACE + 1]) * np.int64(status[SIZE]) + np.int64(status[PLACE])


@kernel
def _is_inner(status, cell):
    """Whether a cell is on the map, and not on its border."""
    width, height = np.int64(status[SIZE]), np.int64(status[SIZE + 1])
    return 0 < cell % width < width - 1 and 0 < cell // width < height - 1


@large_kernel
def _flood(memory, status, distance, tail, through):
    """Steps to each cell from the first `tail` entries of the queue, over free and unknown cells, and boxes if wanted.

    `distance` is `_FAR` where there is no way.
    """
    width, height, head = np.int64(status[SIZE]), np.int64(status[SIZE + 1]), 0
    for k in range(width * height):
        distance[k] = _FAR
    for k in range(tail):
        distance[memory.queue[k]] = 0
    while head < tail:
        cell = memory.queue[head]
        head += 1
        for k in range(STAY):
            x, y = cell % width + DX[k], cell // width + DY[k]
            if 0 < x < width - 1 and 0 < y < height - 1 and distance[y * width + x] == _FAR:
                code = memory.known[y, x]
                if code == FLOOR or code == UNSEEN or (through and code == LOOSE_BOX):
                    distance[y * width + x] = distance[cell] + 1
                    memory.queue[tail] = y * width + x
                    tail += 1


@large_kernel
def _measure(memory, status, through):
    """Steps from the agent to each cell."""
    memory.queue[0] = _place(status)
    _flood(memory, status, memory.own, 1, through)


@large_kernel
def _go(memory, status, cell):
    """The first step of a shortest way to a cell by the steps from the agent; a random one of several."""
    width = np.int64(status[SIZE])
    if memory.own[cell] == _FAR or memory.own[cell] == 0:
        return STAY
    while memory.own[cell] > 1:
        count, back = 0, cell
        for k in range(STAY):
            near = cell + DX[k] + DY[k] * width
            if memory.own[near] == memory.own[cell] - 1:
                count += 1
                if randint(memory, count) == 0:
                    back = near
        cell = back
    for k in range(STAY):
        if cell == _place(status) + DX[k] + DY[k] * width:
            return k
    return STAY


@large_kernel
def _oldest(memory, status):
    """The cell that was not seen for longest, two steps of the way to it counted as one step of time; or -1."""
    width, height, best, found = np.int64(status[SIZE]), np.int64(status[SIZE + 1]), -_FAR, np.int64(-1)
    for cell in range(width * height):
        if 0 < memory.own[cell] < _FAR:
            value = min(memory.clock - memory.seen[cell], _NEVER) - 2 * memory.own[cell]
            if value > best:
                best, found = value, np.int64(cell)
    return found


@large_kernel
def _sweep(memory, status):
    """Go to a hider, to where one was seen last, or to what was not seen for longest."""
    for through in range(2):
        _measure(memory, status, through)
        if memory.prey >= 0 and _is_inner(status, memory.prey) and memory.own[memory.prey] < _FAR:
            return _go(memory, status, memory.prey)
        cell = _oldest(memory, status)
        if cell >= 0 and (through or memory.clock - memory.seen[cell] > 2 * _FARTHEST_WAY):
            return _go(memory, status, cell)
    return randint(memory, STAY)


#: A cell that was not seen for twice that many steps is looked at before boxes are pushed aside.
_FARTHEST_WAY = 16


# Hiding.


@large_kernel
def _count(memory, status):
    """Count the exposure of a few more cells: the free cells in line with them on the known map."""
    cells, width, left = np.int64(status[SIZE]) * np.int64(status[SIZE + 1]), np.int64(status[SIZE]), _COUNTED
    for _ in range(cells):
        cell = memory.next % cells
        memory.next = cell + 1
        x, y = cell % width, cell // width
        if memory.known[y, x] == FLOOR:
            look_far(memory.open, WALL, y, x, memory.window)
            count = 0
            for i in range(2 * FARTHEST + 1):
                for j in range(2 * FARTHEST + 1):
                    count += memory.window[i, j] == FREE + 1
            memory.exposure[cell] = count
            left -= 1
            if left == 0:
                break


@large_kernel
def _threat(memory, observation):
    """Measure the steps from the seekers in view; the cell of the nearest one, or -1 without any."""
    view, status = observation.around, observation.status
    sight, width, tail, nearest, found = view.shape[1] // 2, np.int64(status[SIZE]), 0, _FAR, np.int64(-1)
    for i in range(view.shape[1]):
        for j in range(view.shape[2]):
            if view[2, i, j]:
                cell = (np.int64(status[PLACE + 1]) + i - sight) * width + np.int64(status[PLACE]) + j - sight
                memory.queue[tail] = cell
                tail += 1
                away = abs(i - sight) + abs(j - sight)
                if away < nearest:
                    nearest, found = away, cell
    _flood(memory, status, memory.theirs, tail, 0)
    return found


@large_kernel
def _refuge(memory, status, threat):
    """The least visible of the cells that the agent reaches before seekers in view; out of their line if it can be."""
    width, height, best, found = np.int64(status[SIZE]), np.int64(status[SIZE + 1]), _FAR, np.int64(-1)
    for cell in range(width * height):
        x, y = cell % width, cell // width
        own, theirs = memory.own[cell], min(memory.theirs[cell], 30)
        if own < _FAR and memory.known[y, x] == FLOOR and memory.exposure[cell] > 0:
            cost = 2 * memory.exposure[cell] + own
            if threat >= 0:
                cost -= 4 * theirs
                if own >= memory.theirs[cell] and own > 0:
                    cost += 200
                if in_line(memory.open, WALL, threat // width, threat % width, y, x):
                    cost += 60
            if cost < best:
                best, found = cost, np.int64(cell)
    return found


@large_kernel
def _hide(memory, observation):
    """Go to the least visible cell, away from seekers."""
    status = observation.status
    _measure(memory, status, 0)
    threat = _threat(memory, observation)
    cell = _refuge(memory, status, threat)
    return _go(memory, status, cell) if cell >= 0 else STAY


@policy(_ID, "sweeper", variables=_SCOUT, error=Between(0, 1).at(0.02))
def sweeper(memory, observation, mask):
    """Seeks where nobody looked for longest, and chases; hides in the least visible cell; at random with `error`."""
    status = observation.status
    if not mask[0]:
        return STAY
    _learn(memory, observation)
    if bernoulli(memory, memory.error):
        return randint(memory, STAY)
    if status[TEAM] == SEEKER:
        return _sweep(memory, status)
    _count(memory, status)
    return _hide(memory, observation)


# Building.


@kernel
def _is_door(memory, x, y, side):
    """Whether a free cell has walls to the left and to the right, as seen in a direction."""
    left, right = (side + 1) % STAY, (side + 3) % STAY
    walls = memory.known[y + DY[left], x + DX[left]] == ROCK and memory.known[y + DY[right], x + DX[right]] == ROCK
    return walls and memory.known[y, x] >= FLOOR


@large_kernel
def _enclose(memory, status, door, side):
    """List the cells of the room beside a door, the door last; their number, or 0 if it is open elsewhere or too large.

    Locked boxes shut it, other boxes do not.
    """
    width, height = np.int64(status[SIZE]), np.int64(status[SIZE + 1])
    for k in range(width * height):
        memory.index[k] = 0
    memory.index[door] = _ROOM  # for now
    first = door + DX[side] + DY[side] * width
    code = memory.known[first // width, first % width]
    if not _is_inner(status, first) or (code != FLOOR and code != LOOSE_BOX):
        return 0
    memory.room[0] = first
    memory.index[first] = 1
    head, tail = 0, 1
    while head < tail:
        cell = memory.room[head]
        head += 1
        for k in range(STAY):
            near = cell + DX[k] + DY[k] * width
            code = memory.known[near // width, near % width]
            if (
                memory.index[near] == 0
                and _is_inner(status, near)
                and (code == FLOOR or code == LOOSE_BOX or code == UNSEEN)
            ):
                if code == UNSEEN or tail >= _ROOM - 1:
                    return 0
                memory.room[tail] = near
                tail += 1
                memory.index[near] = tail
    memory.room[tail] = door
    memory.index[door] = tail + 1
    return tail + 1


@large_kernel
def _push(memory, status, side, count, box, agent):
    """Plan how to push one box of the room into the door from inside: the steps, and the first action; or _FAR.

    A state is a box and an agent, both entries of `room`. The agent ends in the room, so the last push leaves it there.
    """
    width, goal, head, tail = np.int64(status[SIZE]), count - 1, 0, 1
    for k in range(count * _ROOM):
        memory.before[k] = -1
    start = box * _ROOM + agent
    memory.states[0] = start
    memory.before[start] = start
    while head < tail:
        state = np.int64(memory.states[head])
        head += 1
        at, mover = state // _ROOM, state % _ROOM
        if at == goal:
            return _traced(memory, state, start, width)
        for k in range(STAY):
            near = memory.room[mover] + DX[k] + DY[k] * width
            to = np.int64(memory.index[near]) - 1
            moved = at
            if to == at:
                beyond = memory.room[at] + DX[k] + DY[k] * width
                moved = np.int64(memory.index[beyond]) - 1
                if moved < 0 or _blocked(memory, beyond, width, box):
                    continue
            if to >= 0 and (to == at or not _blocked(memory, near, width, box)):
                after = moved * _ROOM + to
                if memory.before[after] < 0:
                    memory.before[after] = state
                    memory.states[tail] = after
                    tail += 1
    return _FAR, STAY


@kernel
def _blocked(memory, cell, width, box):
    """Whether there is a box in a cell other than the one that is pushed."""
    return memory.known[cell // width, cell % width] != FLOOR and memory.index[cell] - 1 != box


@large_kernel
def _traced(memory, state, start, width):
    """The steps of a plan to a state, and its first action."""
    steps, last = 0, state
    while state != start:
        last, state = state, np.int64(memory.before[state])
        steps += 1
    way = memory.room[last % _ROOM] - memory.room[start % _ROOM]
    for k in range(STAY):
        if steps and way == DX[k] + DY[k] * width:
            return steps, k
    return _FAR, STAY


@large_kernel
def _best_push(memory, status, side, count, agent):
    """The shortest of the plans for all boxes of the room."""
    width, best, action = np.int64(status[SIZE]), _FAR, STAY
    for k in range(count - 1):
        cell = memory.room[k]
        if memory.known[cell // width, cell % width] == LOOSE_BOX and k != agent:
            steps, first = _push(memory, status, side, count, np.int64(k), agent)
            if steps < best:
                best, action = steps, first
    return best, action


@large_kernel
def _choose(memory, status):
    """Choose the door that is shut soonest, if there is any: walk into its room, then push."""
    width, height, best = np.int64(status[SIZE]), np.int64(status[SIZE + 1]), _FAR
    memory.door = -1
    for cell in range(width * height):
        x, y = cell % width, cell // width
        code = memory.known[y, x]
        if _is_inner(status, cell) and (code == FLOOR or code == LOOSE_BOX):
            for side in range(STAY):
                if _is_door(memory, x, y, side):
                    count = _enclose(memory, status, np.int64(cell), np.int64(side))
                    inside, entry = np.int64(memory.index[_place(status)]) - 1, memory.room[0]
                    if count and memory.own[entry] < _FAR:
                        cost = memory.own[entry]
                        if code == FLOOR:
                            cost, _ = _best_push(memory, status, side, count, max(inside, np.int64(0)))
                            cost += np.int64(0) if inside >= 0 else memory.own[entry]
                        if cost < best:
                            best = cost
                            memory.door, memory.side = np.int64(cell), np.int64(side)


@large_kernel
def _others_inside(memory, observation):
    """The number of other hiders in view, and of those that are in the room."""
    view, status = observation.around, observation.status
    sight, width, count, inside = view.shape[1] // 2, np.int64(status[SIZE]), -1, -1
    for i in range(view.shape[1]):
        for j in range(view.shape[2]):
            if view[1, i, j]:
                cell = (np.int64(status[PLACE + 1]) + i - sight) * width + np.int64(status[PLACE]) + j - sight
                count += np.int64(view[1, i, j])
                if memory.index[cell] > 0 and cell != memory.door:
                    inside += np.int64(view[1, i, j])
    return count, inside


@large_kernel
def _shut(memory, observation, mask):
    """Shut the chosen door, or -1 if there is nothing that can be done."""
    status, door = observation.status, memory.door
    width, place = np.int64(status[SIZE]), _place(observation.status)
    x, y = door % width, door // width
    count = _enclose(memory, status, door, memory.side) if _is_inner(status, door) else 0
    if count == 0:
        return -1
    inside = np.int64(memory.index[place]) - 1
    if memory.known[y, x] > LOOSE_BOX:
        return STAY if inside >= 0 else -1
    if memory.known[y, x] == LOOSE_BOX:
        if place == memory.room[0]:
            return INTERACT if mask[INTERACT] else STAY
        return _go(memory, status, memory.room[0])
    if inside < 0:
        return _go(memory, status, memory.room[0])
    steps, action = _best_push(memory, status, memory.side, count, inside)
    if steps == _FAR:
        return -1
    others, within = _others_inside(memory, observation)
    memory.mates = max(memory.mates, others)
    if steps == 1 and within < memory.mates and status[PREPARATION] > 2:
        return STAY
    return action


@large_kernel
def _follow(memory, observation):
    """Go to the nearest other hider in view; -1 if there is none."""
    view, status = observation.around, observation.status
    sight, width, best, found = view.shape[1] // 2, np.int64(status[SIZE]), _FAR, np.int64(-1)
    if view[1, sight, sight] > 1:
        return STAY
    for i in range(view.shape[1]):
        for j in range(view.shape[2]):
            cell = (np.int64(status[PLACE + 1]) + i - sight) * width + np.int64(status[PLACE]) + j - sight
            if view[1, i, j] and (i != sight or j != sight) and memory.own[cell] < best:
                best, found = memory.own[cell], cell
    return _go(memory, status, found) if found >= 0 else -1


@large_kernel
def _build(memory, observation, mask):
    """The first hider shuts a door; the others follow. -1 if there is nothing of that to do."""
    status = observation.status
    _measure(memory, status, 0)
    if status[NUMBER] > 0:
        return _follow(memory, observation)
    if memory.door < 0:
        _choose(memory, status)
    if memory.door >= 0:
        action = _shut(memory, observation, mask)
        if action >= 0:
            return action
        memory.door = -1
    if status[PREPARATION] > 8:
        cell = _oldest(memory, status)
        if cell >= 0 and memory.clock - memory.seen[cell] >= _NEVER:
            return _go(memory, status, cell)
    return -1


@policy(
    _ID,
    "builder",
    variables={
        **_SCOUT,
        "door": limited(-1, -1, _CELLS - 1),  # that is to be shut, or is
        "side": limited(0, 0, STAY - 1),  # the direction from it into the room
        "mates": limited(0, 0, _CELLS),  # other hiders that were seen at once
        "room": scratch(_ROOM + 1),  # its cells, the door last
        "index": scratch(_CELLS, np.int16),  # of a cell in `room`, plus 1
        "states": scratch(_ROOM * _ROOM, np.int16),  # of a plan, in the order in which they are reached
        "before": scratch(_ROOM * _ROOM, np.int16),  # the state before a state
    },
)
def builder(memory, observation, mask):
    """Shuts itself and other hiders in a room by a box that it locks in the door; otherwise as the sweeper."""
    status = observation.status
    if not mask[0]:
        return STAY
    _learn(memory, observation)
    if status[TEAM] == SEEKER:
        return _sweep(memory, status)
    _count(memory, status)
    if _threat(memory, observation) < 0:
        action = _build(memory, observation, mask)
        if action >= 0:
            return action
    return _hide(memory, observation)
