"""Policies for worlds of rooms: an explorer with a map and a search for the next task, and two for special tasks."""

from __future__ import annotations

import numpy as np

from envsuite.agents.mapping import CELLS, beside
from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.ranges import fixed, limited, scratch
from envsuite.kit import rooms
from envsuite.kit.grid import EAST, SOUTH, WEST

#: The most states that wait in a search at once; a power of two.
QUEUE = 512

# What the agent wants to have in front of it, best first.
_GOAL, _DOOR, _KEY, _FRONTIER, _NOTHING = range(5)


@kernel
def look(memory, image, direction):
    """Write the seen part of a view to the map."""
    ahead = beside(0, direction)
    right = beside(0, direction + 1 & 3)
    for i in range(rooms.VIEW):
        for j in range(rooms.VIEW):
            kind = np.int64(image[i, j, 0])
            state = np.int64(image[i, j, 2])
            if kind != rooms.UNSEEN and not (i == rooms.MIDDLE and j == rooms.VIEW - 1):
                if kind == rooms.DOOR and state > 0:
                    kind = rooms.CLOSED if state == 1 else rooms.LOCKED
                cell = memory.cell + (i - rooms.MIDDLE) * right + (rooms.VIEW - 1 - j) * ahead & CELLS - 1
                memory.map[cell] = kind | np.int64(image[i, j, 1]) << 4
    if memory.map[memory.cell] == rooms.UNSEEN:
        memory.map[memory.cell] = rooms.EMPTY


@kernel
def worth(memory, code, held):
    """The use of facing a cell while holding something."""
    kind = code & rooms.KIND
    if kind == rooms.GOAL or memory.seeks >> kind & 1:
        return _GOAL
    if kind == rooms.CLOSED or (kind == rooms.LOCKED and held == code & rooms.COLOR | rooms.KEY):
        return _DOOR
    if kind == rooms.KEY and held == rooms.EMPTY:
        return _KEY
    return _FRONTIER if kind == rooms.UNSEEN else _NOTHING


@kernel
def plan(memory, direction, held):
    """The first action of a shortest path to the best thing that can be reached on the map; DONE if there is none.

    Breadth first over cells and directions; `memory.first` is the first action on the way to a state, plus one.
    """
    fill(memory.first, 0)
    best, action = _NOTHING, rooms.DONE
    head, tail = 0, 1
    memory.queue[0] = memory.cell * 4 + direction
    memory.first[memory.queue[0]] = rooms.DONE + 1
    while head < tail and best != _GOAL:
        state = memory.queue[head & QUEUE - 1]
        head += 1
        first = np.int64(memory.first[state]) - 1
        cell, facing = state >> 2, state & 3
        front = beside(cell, facing)
        code = np.int64(memory.map[front])
        found = worth(memory, code, held)
        if found < best:
            best, action = found, first
            if first == rooms.DONE:  # it is in front of the agent now
                action = rooms.TOGGLE if found == _DOOR else rooms.FORWARD
                if found == _KEY or (found == _GOAL and code & rooms.KIND != rooms.GOAL):
                    action = rooms.PICKUP
        for move in range(3):
            if move == rooms.FORWARD:
                if (
                    code & rooms.KIND != rooms.EMPTY
                    and code & rooms.KIND != rooms.FLOOR
                    and code & rooms.KIND != rooms.DOOR
                ):
                    continue
                reached = front * 4 + facing
            else:
                reached = cell * 4 + (facing + (3 if move == rooms.LEFT else 1) & 3)
            if memory.first[reached] == 0 and tail - head < QUEUE:
                memory.first[reached] = (move if first == rooms.DONE else first) + 1
                memory.queue[tail & QUEUE - 1] = reached
                tail += 1
    return action


@kernel
def explore(memory, observation, mask):
    """Maps what it sees; goes to the goal, else to a door it can open, else to a key, else to an unknown cell.

    It takes shortest paths.
    """
    direction = observation.direction & 3
    if memory.walked:
        memory.cell = beside(memory.cell, direction)
    look(memory, observation.image, direction)
    carried = observation.image[rooms.MIDDLE, rooms.VIEW - 1]
    held = np.int64(carried[0]) | np.int64(carried[1]) << 4
    ahead = np.int64(memory.map[beside(memory.cell, direction)])
    action = rooms.DONE
    if memory.turns == 0:
        action = plan(memory, direction, held)
        if action == rooms.PICKUP and held != rooms.EMPTY:
            memory.turns = 4
    if memory.turns > 0:  # put the carried object down, to the side or behind
        memory.turns = 0 if ahead == rooms.EMPTY else memory.turns - 1
        action = rooms.DROP if ahead == rooms.EMPTY else rooms.LEFT
    if action == rooms.DONE or mask[action] == 0:
        action = choose_legal(memory, mask)
        if action == rooms.FORWARD and ahead & rooms.KIND == rooms.LAVA:
            action = rooms.LEFT
    memory.walked = action == rooms.FORWARD and rooms.walkable(ahead)
    return action


#: The worlds for it, and the kinds of things, as bits, that are to be picked up in the end. A key as KeyCorridor's
#: object is beyond it: it takes every key for a tool.
_EXPLORED = {
    "DoorKey": 0,
    "Empty": 0,
    "FourRooms": 0,
    "MultiRoom": 0,
    "Unlock": 0,
    "UnlockPickup": 1 << rooms.BOX,
    "KeyCorridor": 1 << rooms.BALL | 1 << rooms.BOX,
    "LavaCrossing": 0,
}

for _name, _seeks in _EXPLORED.items():
    policy(
        f"envsuite/{_name}-v0",
        "solver",
        variables={
            "cell": limited(0, 0, CELLS - 1),
            "seeks": fixed(_seeks),
            "turns": limited(0, 0, 4),
            "walked": False,
            "map": limited(np.zeros(CELLS, np.uint8), 0, 255),
            "first": scratch(4 * CELLS, np.uint8),
            "queue": scratch(QUEUE),
        },
    )(explore)


@kernel
def next_to(image, turn):
    """The kind of the cell this number of quarter turns to the right of ahead; UNSEEN behind."""
    if turn == 0:
        return np.int64(image[rooms.MIDDLE, rooms.VIEW - 2, 0])
    if turn == 2:
        return rooms.UNSEEN
    return np.int64(image[rooms.MIDDLE + 2 - turn, rooms.VIEW - 1, 0])


@policy("envsuite/DynamicObstacles-v0", "solver")
def dodge(memory, observation, mask):
    """Goes east and south to the corner, by either way that is not blocked; waits for balls to roll away."""
    direction = observation.direction & 3
    # A cell that is free now is safe to walk to, even if a ball rolls there first.
    best, action = 9, rooms.LEFT
    for way in (EAST, SOUTH):
        turn = (way - direction) & 3
        kind = next_to(observation.image, turn)
        if kind != rooms.WALL:
            effort = (4 if kind == rooms.BALL else 0) + (1 if turn == 3 else turn)
            if effort < best:
                best = effort
                action = rooms.LEFT if turn == 3 else rooms.RIGHT if turn > 0 or kind == rooms.BALL else rooms.FORWARD
    return action


@policy("envsuite/Memory-v0", "solver", variables={"shown": limited(0, 0, rooms.BALL)})
def remember(memory, observation, mask):
    """Walks west until it sees an object, then east to the end of the hallway, then to the object of the same type."""
    direction = observation.direction & 3
    image = observation.image
    if memory.shown == 0 and direction == WEST:
        for i in range(rooms.VIEW):
            for j in range(rooms.VIEW):
                if image[i, j, 0] == rooms.KEY or image[i, j, 0] == rooms.BALL:
                    memory.shown = image[i, j, 0]
    if memory.shown == 0:
        ahead = direction == WEST
    elif direction == EAST:
        ahead = image[rooms.MIDDLE, rooms.VIEW - 2, 0] != rooms.WALL
    else:
        ahead = direction != WEST and image[rooms.MIDDLE, rooms.VIEW - 3, 0] == memory.shown
    return rooms.FORWARD if ahead else rooms.LEFT
