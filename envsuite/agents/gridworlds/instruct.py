"""The bot of Instruct: it keeps a map, does the clauses in turn, explores, unlocks doors, and clears its way."""

from __future__ import annotations

import numpy as np

from envsuite.agents.mapping import CELLS, SIDE, beside
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds.instruct.language import GO_TO, OPEN, PICK_UP, PUT_NEXT, matching
from envsuite.kit import rooms
from envsuite.kit.grid import DX, DY

#: Cells of the map, in which the agent starts at cell 0, with a direction.
STATES = 4 * CELLS

#: What a search adds to a path for a thing to move out of the way, and for a door to unlock with a known key.
_MOVE, _UNLOCK = 300, 3000
_FAR = 30_000
#: No action.
NONE = -1

_THINGS = 1 << rooms.KEY | 1 << rooms.BALL | 1 << rooms.BOX
_DOORS = 1 << rooms.DOOR | 1 << rooms.CLOSED | 1 << rooms.LOCKED


@kernel
def is_thing(code):
    """Whether a cell holds a key, ball or box."""
    return _THINGS >> (code & rooms.KIND) & 1 != 0


@kernel
def is_door(code):
    """Whether a cell holds a door."""
    return _DOORS >> (code & rooms.KIND) & 1 != 0


# What it knows.


@kernel
def look(memory, image, direction):
    """Write the seen part of a view to the map, and for new cells on which sides of the start they are."""
    east, south = DX[memory.start], DY[memory.start]
    for i in range(rooms.VIEW):
        for j in range(rooms.VIEW):
            kind, color, state = np.int64(image[i, j, 0]), np.int64(image[i, j, 1]), np.int64(image[i, j, 2])
            if kind == rooms.UNSEEN or (i == rooms.MIDDLE and j == rooms.VIEW - 1):
                continue
            if kind == rooms.DOOR and state > 0:
                kind = rooms.CLOSED if state == 1 else rooms.LOCKED
            ahead, right = rooms.VIEW - 1 - j, i - rooms.MIDDLE
            across = ahead * DX[direction] - right * DY[direction]
            down = ahead * DY[direction] + right * DX[direction]
            cell = memory.cell + across + down * SIDE & CELLS - 1
            if memory.map[cell] == rooms.UNSEEN:
                across, down = across + memory.across, down + memory.down
                ahead, right = across * east + down * south, down * east - across * south
                memory.sides[cell] = (ahead > 0) + 2 * (ahead < 0) + 4 * (right < 0) + 8 * (right > 0)
            memory.map[cell] = kind | color << 4
    if memory.map[memory.cell] == rooms.UNSEEN:
        memory.map[memory.cell] = rooms.EMPTY


@kernel
def follow_last(memory, direction, held):
    """Take over what the last action has changed, before the new view is looked at: places, and where things began."""
    if memory.last == rooms.FORWARD and memory.walked:
        memory.cell = beside(memory.cell, direction)
        memory.across += DX[direction]
        memory.down += DY[direction]
    ahead = beside(memory.cell, direction)
    if memory.last == rooms.PICKUP and memory.held == rooms.EMPTY and held != rooms.EMPTY:
        memory.home = memory.homes[ahead] if memory.homes[ahead] > 0 else ahead + 1
        memory.homes[ahead] = 0
    elif memory.last == rooms.DROP and memory.held != rooms.EMPTY and held == rooms.EMPTY:
        memory.homes[ahead] = memory.home
    elif memory.last == rooms.TOGGLE and memory.map[ahead] & rooms.KIND == rooms.BOX:
        memory.homes[ahead] = CELLS + 1  # what comes out of a box is not meant by the mission


@kernel
def find_room(memory):
    """Mark the known cells of the room of the start, without its doors."""
    for cell in range(CELLS):
        memory.room[cell] = 0
    memory.room[0] = 1
    memory.queue[0] = 0
    head, tail = 0, 1
    while head < tail:
        cell = memory.queue[head]
        head += 1
        for side in range(4):
            near = beside(cell, side)
            kind = memory.map[near] & rooms.KIND
            if memory.room[near] == 0 and (kind == rooms.EMPTY or is_thing(kind)):
                memory.room[near] = 1
                memory.queue[tail] = near
                tail += 1


@kernel
def meant(memory, code, home, clause, which):
    """Whether an object that began at cell `home` matches one of a clause's descriptions."""
    kind, color, place = (
        np.int64(clause[2 + 3 * which]),
        np.int64(clause[3 + 3 * which]),
        np.int64(clause[4 + 3 * which]),
    )
    if not matching(code, kind, color) or home >= CELLS:
        return False
    if place == 0:
        return True
    if memory.sides[home] >> place - 1 & 1 == 0:
        return False
    inside = memory.room[home] != 0
    for side in range(4):
        inside = inside or memory.room[beside(home, side)] != 0
    return inside


@kernel
def matches(memory, cell, clause, which):
    """Whether the object at a cell matches a description."""
    home = memory.homes[cell]
    return meant(memory, np.int64(memory.map[cell]), home - 1 if home > 0 else cell, clause, which)


@kernel
def holds(memory, held, clause):
    """Whether the object in hand matches a clause's first description."""
    return held != rooms.EMPTY and meant(memory, held, memory.home - 1, clause, 0)


@kernel
def next_to(memory, cell, clause):
    """Whether a neighbor of a cell matches a clause's second description."""
    for side in range(4):
        if matches(memory, beside(cell, side), clause, 1):
            return True
    return False


@kernel
def fulfilled(memory, clause, direction, held, fresh):
    """Whether the last action has fulfilled a clause; `fresh` if the clause was not to be done before."""
    ahead = beside(memory.cell, direction)
    verb = clause[1]
    if verb == GO_TO:
        return memory.last != NONE and matches(memory, ahead, clause, 0)
    if verb == OPEN:
        opened = memory.last == rooms.TOGGLE and memory.map[ahead] & rooms.KIND == rooms.DOOR
        return opened and matches(memory, ahead, clause, 0)
    if verb == PICK_UP:
        return memory.last == rooms.PICKUP and memory.held == rooms.EMPTY and holds(memory, held, clause)
    dropped = (
        memory.last == rooms.DROP
        and memory.held != rooms.EMPTY
        and held == rooms.EMPTY
        and memory.time > 1
        and not fresh
    )
    return dropped and matches(memory, ahead, clause, 0) and next_to(memory, ahead, clause)


@kernel
def note_done(memory, clauses, direction, held):
    """Note which clauses of the present part are done; go on to the next part after that."""
    for turn in range(2):
        left = 0
        for k in range(4):
            if clauses[k, 0] == memory.part and memory.done[k] == 0:
                if fulfilled(memory, clauses[k], direction, held, turn == 1):
                    memory.done[k] = 1
                else:
                    left += 1
        if left > 0 or memory.part == 2:
            break
        memory.part = 2


# Paths. A search goes to a state, a cell and a direction, in which a wanted cell is ahead.


@kernel
def want_nothing(memory):
    """Forget the wanted cells."""
    for cell in range(CELLS):
        memory.wanted[cell] = 0


@kernel
def toll(memory, code, held):
    """What it costs to enter a cell, in actions and penalties; _FAR if it cannot be entered."""
    kind = code & rooms.KIND
    if kind == rooms.EMPTY or kind == rooms.DOOR:
        return 1
    if kind == rooms.CLOSED:
        return _FAR if memory.strict else 2
    if kind == rooms.LOCKED:
        color = (code & rooms.COLOR) >> 4
        if held == color << 4 | rooms.KEY:
            return 2
        return _UNLOCK if memory.keys >> color & 1 and not memory.strict else _FAR
    return _MOVE if is_thing(code) and not memory.strict else _FAR


@kernel
def relax(memory, state, cost, move, tail):
    """Note a shorter path to a state; return the new end of the queue."""
    if cost < memory.cost[state]:
        memory.cost[state] = cost
        memory.move[state] = move
        if memory.waiting[state] == 0:
            memory.waiting[state] = 1
            memory.queue[tail & STATES - 1] = state
            return tail + 1
    return tail


@large_kernel
def search(memory, direction, held):
    """The state with the cheapest path to it that has a wanted cell ahead, or NONE."""
    for state in range(STATES):
        memory.cost[state] = _FAR
        memory.waiting[state] = 0
    origin = memory.cell * 4 + direction
    head, tail = 0, relax(memory, origin, 0, rooms.DONE, 0)
    best, least = NONE, _FAR
    while head < tail:
        state = memory.queue[head & STATES - 1]
        head += 1
        memory.waiting[state] = 0
        cost, cell, facing = np.int64(memory.cost[state]), state >> 2, state & 3
        front = beside(cell, facing)
        if memory.wanted[front] and (cost < least or (cost == least and state < best)):
            best, least = state, cost
        tail = relax(memory, cell * 4 + (facing + 3 & 3), cost + 1, rooms.LEFT, tail)
        tail = relax(memory, cell * 4 + (facing + 1 & 3), cost + 1, rooms.RIGHT, tail)
        onward = cost + toll(memory, np.int64(memory.map[front]), held)
        if onward < least:
            tail = relax(memory, front * 4 + facing, onward, rooms.FORWARD, tail)
    return best


@kernel
def trace(memory, goal, direction, held):
    """The first action of the path that was found, NONE at its end, and the first obstacle on it, or NONE.

    The cells of the path are marked, without the agent's.
    """
    for cell in range(CELLS):
        memory.path[cell] = 0
    first, obstacle, state = NONE, NONE, goal
    origin = memory.cell * 4 + direction
    for _ in range(STATES):
        cell, facing = state >> 2, state & 3
        memory.path[cell] = cell != memory.cell
        if state == origin:
            break
        first = np.int64(memory.move[state])
        if first == rooms.FORWARD:
            if toll(memory, np.int64(memory.map[cell]), held) >= _MOVE:
                obstacle = cell
            state = beside(cell, facing + 2 & 3) * 4 + facing
        else:
            state = cell * 4 + (facing + (1 if first == rooms.LEFT else 3) & 3)
    return first, obstacle


@kernel
def walk(memory, first, direction):
    """The first action of a path; doors are opened first."""
    if first == rooms.FORWARD:
        kind = memory.map[beside(memory.cell, direction)] & rooms.KIND
        if kind == rooms.CLOSED or kind == rooms.LOCKED:
            return rooms.TOGGLE
    return first


@kernel
def harmless(memory, cell):
    """Whether the cells around an empty cell stay connected without it, and no door is beside it."""
    free, links = 0, 0
    for side in range(4):
        near = beside(cell, side)
        after = beside(cell, side + 1 & 3)
        if is_door(memory.map[near]):
            return False
        if memory.map[near] == rooms.EMPTY:
            free += 1
            links += memory.map[after] == rooms.EMPTY and memory.map[beside(near, side + 1 & 3)] == rooms.EMPTY
    return free - links <= 1


@large_kernel
def put_down(memory, direction, held):
    """The next action on the way to put down what it holds, best where that is harmless and not on the last path.

    It stays with the place that it has chosen.
    """
    for care in range(4):
        for cell in range(CELLS):
            fit = memory.map[cell] == rooms.EMPTY
            if care == 0:
                fit = fit and cell == memory.spot
            elif care < 3:
                fit = fit and memory.path[cell] == 0 and memory.kept[cell] == 0 and (care > 1 or harmless(memory, cell))
            memory.wanted[cell] = fit
        goal = search(memory, direction, held)
        if goal != NONE and memory.cost[goal] < _MOVE:
            first, _ = trace(memory, goal, direction, held)
            memory.spot = beside(goal >> 2, goal & 3)
            memory.putting = True
            return rooms.DROP if first == NONE else walk(memory, first, direction)
    return NONE


@large_kernel
def pursue(memory, direction, held, arrival):
    """The next action on the way to have a wanted cell ahead, and there `arrival`; NONE if there is no way.

    What is in the way comes first: things are picked up, and keys are fetched.
    """
    for _ in range(8):
        goal = search(memory, direction, held)
        if goal == NONE:
            return NONE
        first, obstacle = trace(memory, goal, direction, held)
        if obstacle == NONE:
            if arrival == rooms.PICKUP and held != rooms.EMPTY:
                return put_down(memory, direction, held)
            return arrival if first == NONE else walk(memory, first, direction)
        code = np.int64(memory.map[obstacle])
        want_nothing(memory)
        arrival = rooms.PICKUP
        if code & rooms.KIND == rooms.LOCKED:
            want_keys(memory, 1 << ((code & rooms.COLOR) >> 4))
        else:
            memory.wanted[obstacle] = 1
    return NONE


@kernel
def want_keys(memory, colors):
    """Want the keys of these colors, as bits."""
    for cell in range(CELLS):
        code = np.int64(memory.map[cell])
        if code & rooms.KIND == rooms.KEY and colors >> ((code & rooms.COLOR) >> 4) & 1:
            memory.wanted[cell] = 1


@kernel
def want_matches(memory, clause, which):
    """Want all known matches of a description; return their number."""
    count = 0
    for cell in range(CELLS):
        found = matches(memory, cell, clause, which)
        memory.wanted[cell] = found
        count += found
    return count


@kernel
def want_neighbors(memory, clause):
    """Want the cells beside matches of a second description that are empty or hold a first; return their number."""
    count = 0
    for cell in range(CELLS):
        found = memory.map[cell] == rooms.EMPTY or matches(memory, cell, clause, 0)
        found = found and next_to(memory, cell, clause)
        memory.wanted[cell] = found
        count += found
    return count


# Tasks. Each returns the next action, or NONE if more must be explored first.


@large_kernel
def go_or_take(memory, clause, direction, held):
    """Go to a match, or pick it up."""
    arrival = rooms.DONE if clause[1] == GO_TO else rooms.PICKUP
    if holds(memory, held, clause):
        for cell in range(CELLS):
            memory.path[cell] = 0
        return put_down(memory, direction, held)
    want_matches(memory, clause, 0)
    return pursue(memory, direction, held, arrival)


@large_kernel
def fetch_key(memory, clause, colors, direction, held):
    """Clear the way to locked matches of these colors, as bits, and fetch a key."""
    for cell in range(CELLS):
        code = np.int64(memory.map[cell])
        locked = code & rooms.KIND == rooms.LOCKED and (colors & memory.keys) >> ((code & rooms.COLOR) >> 4) & 1
        memory.wanted[cell] = locked and matches(memory, cell, clause, 0)
    goal = search(memory, direction, held)
    if goal == NONE:
        return NONE
    if memory.cost[goal] >= _MOVE:
        return pursue(memory, direction, held, rooms.DONE)
    want_nothing(memory)
    want_keys(memory, colors)
    return pursue(memory, direction, held, rooms.PICKUP)


@large_kernel
def open_door(memory, clause, direction, held):
    """Open a match; a closed one if one is known, else one to be unlocked, else one to be closed first."""
    for kind in (rooms.CLOSED, rooms.LOCKED, rooms.DOOR):
        colors = 0
        want_nothing(memory)
        for cell in range(CELLS):
            code = np.int64(memory.map[cell])
            if code & rooms.KIND == kind and matches(memory, cell, clause, 0):
                if kind != rooms.LOCKED or held == code & rooms.COLOR | rooms.KEY:
                    memory.wanted[cell] = 1
                else:
                    colors |= 1 << ((code & rooms.COLOR) >> 4)
        action = pursue(memory, direction, held, rooms.TOGGLE)
        if action == NONE and colors & memory.keys:
            action = fetch_key(memory, clause, colors, direction, held)
        if action != NONE:
            return action
    return NONE


@large_kernel
def put_next(memory, clause, direction, held):
    """Clear the way to a place beside a match, then take the thing to move there, and put it down."""
    if holds(memory, held, clause):
        for cell in range(CELLS):
            memory.wanted[cell] = memory.map[cell] == rooms.EMPTY and next_to(memory, cell, clause)
        action = pursue(memory, direction, held, rooms.DROP)
        return rooms.DONE if action == rooms.DROP and memory.time == 0 else action
    for cell in range(CELLS):
        memory.kept[cell] = next_to(memory, cell, clause)
    if want_matches(memory, clause, 1) == 0:
        if held == rooms.EMPTY or not meant(memory, held, memory.home - 1, clause, 1):
            return NONE
        want_matches(memory, clause, 0)
        goal = search(memory, direction, held)
        if goal == NONE:
            return NONE
        trace(memory, goal, direction, held)  # not to put it in the way
        return put_down(memory, direction, held)
    if want_matches(memory, clause, 0) == 0:
        return NONE
    if want_neighbors(memory, clause) == 0:  # make room
        for cell in range(CELLS):
            memory.wanted[cell] = is_thing(np.int64(memory.map[cell])) and next_to(memory, cell, clause)
        return pursue(memory, direction, held, rooms.PICKUP)
    goal = search(memory, direction, held)
    if goal == NONE:
        return NONE
    if memory.cost[goal] >= _MOVE:
        return pursue(memory, direction, held, rooms.DONE)
    trace(memory, goal, direction, held)
    for cell in range(CELLS):
        memory.kept[cell] |= memory.path[cell]
    want_matches(memory, clause, 0)
    return pursue(memory, direction, held, rooms.PICKUP)


@large_kernel
def explore(memory, clauses, direction, held):
    """Go to the nearest unknown cell, or else open a box that the mission is not about."""
    for cell in range(CELLS):
        memory.wanted[cell] = memory.map[cell] == rooms.UNSEEN
    action = pursue(memory, direction, held, rooms.FORWARD)
    if action == NONE:
        for cell in range(CELLS):
            fit = memory.map[cell] & rooms.KIND == rooms.BOX
            for k in range(4):
                fit = fit and not matches(memory, cell, clauses[k], 0) and not matches(memory, cell, clauses[k], 1)
            memory.wanted[cell] = fit
        action = pursue(memory, direction, held, rooms.TOGGLE)
    return action


@kernel
def note_keys(memory):
    """The colors of known keys, as bits."""
    memory.keys = 0
    for cell in range(CELLS):
        code = np.int64(memory.map[cell])
        if code & rooms.KIND == rooms.KEY:
            memory.keys |= 1 << ((code & rooms.COLOR) >> 4)


@large_kernel
def decide(memory, clauses, direction, held):
    """The next action for the first clause that something can be done for, else to explore."""
    memory.putting = False
    for cell in range(CELLS):
        memory.kept[cell] = 0
    for k in range(4):
        clause = clauses[k]
        if clause[0] != memory.part or memory.done[k]:
            continue
        memory.strict = clause[8]
        if clause[1] == OPEN:
            action = open_door(memory, clause, direction, held)
        elif clause[1] == PUT_NEXT:
            action = put_next(memory, clause, direction, held)
        else:
            action = go_or_take(memory, clause, direction, held)
        if action != NONE:
            return action
    return explore(memory, clauses, direction, held)


@policy(
    "envsuite/Instruct-v0",
    "bot",
    variables={
        "cell": limited(0, 0, CELLS - 1),
        "across": limited(0, -100, 100),  # columns and rows from the start
        "down": limited(0, -100, 100),
        "start": limited(0, 0, 3),  # the direction at the start
        "time": limited(0, 0, 2),
        "last": limited(NONE, NONE, rooms.DONE),
        "walked": False,
        "held": limited(rooms.EMPTY, 0, 127),
        "home": limited(1, 0, CELLS + 1),  # where what is held began, plus one
        "spot": limited(NONE, NONE, CELLS - 1),  # the cell that it is on the way to put down at
        "putting": False,
        "part": limited(1, 1, 2),
        "strict": limited(0, 0, 1),
        "keys": limited(0, 0, 255),
        "done": limited(np.zeros(4, np.int64), 0, 1),
        "map": limited(np.zeros(CELLS, np.uint8), 0, 255),
        "homes": limited(np.zeros(CELLS, np.int64), 0, CELLS + 1),
        "sides": limited(np.zeros(CELLS, np.uint8), 0, 15),
        "room": scratch(CELLS, np.uint8),
        "wanted": scratch(CELLS, np.uint8),
        "kept": scratch(CELLS, np.uint8),
        "path": scratch(CELLS, np.uint8),
        "cost": scratch(STATES, np.int16),
        "move": scratch(STATES, np.uint8),
        "waiting": scratch(STATES, np.uint8),
        "queue": scratch(STATES),
    },
)
def bot(memory, observation, mask):
    """Keeps a map of what it sees, and does one clause after the other.

    It explores the nearest unknown cell, fetches keys for locked doors, and moves things that are in its way.
    """
    direction = np.int64(observation.direction) & 3
    carried = observation.image[rooms.MIDDLE, rooms.VIEW - 1]
    held = np.int64(carried[0]) | np.int64(carried[1]) << 4
    if memory.last == NONE:
        memory.start = direction
    follow_last(memory, direction, held)
    look(memory, observation.image, direction)
    find_room(memory)
    note_keys(memory)
    note_done(memory, observation.clauses, direction, held)
    action = decide(memory, observation.clauses, direction, held)
    if action == rooms.DROP or not memory.putting:
        memory.spot = NONE
    if action == NONE or mask[action] == 0:
        action = choose_legal(memory, mask)
    memory.walked = action == rooms.FORWARD and rooms.walkable(memory.map[beside(memory.cell, direction)])
    memory.last = action
    memory.held = held
    memory.time = min(2, memory.time + 1)
    return action
