"""Baselines of XLand: one reads goal and rules and plans, one tries things out.

Both draw a map of what they have seen in the trial, and walk shortest ways over cells and directions, through closed
doors. They are made for one player.
"""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited, scratch
from envsuite.generators.rulesets import (
    CLOSED,
    FLOOR,
    HOLD,
    HOLD_GOAL,
    KIND,
    NEAR,
    NEAR_GOAL,
    NEAR_WAY,
    NEAR_WAY_GOAL,
    ON_GOAL,
    PAIR,
    PAIR_GOAL,
    PAIR_WAY,
    PAIR_WAY_GOAL,
    SHADE,
)
from envsuite.gridworlds.xland_rules import (
    FORWARD,
    LEFT,
    MIDDLE,
    PICK_UP,
    PORTABLE,
    PUT_DOWN,
    RIGHT,
    TOGGLE,
    VIEW,
    WALKABLE,
    side,
)
from envsuite.kit.grid import DX, DY

ID = "envsuite/XLand-v0"

#: The map: one tile per cell in rows of SIDE, joined to a ring; every level fits, wherever the player starts.
SIDE = 32
CELLS = SIDE * SIDE

NONE = -1
#: Instead of an action: the way to a state is all that is needed.
ARRIVED = 6

# What a search looks for: a cell ahead to pick up from, to put down in, or that is unknown; a pair to put together; a
# cell beside a tile or on it.
PICK, DROP, FRONTIER, JOIN, STAND, ON = range(6)
#: The kind of rule whose condition is to stand on a tile; no rule has it.
ON_TILE = 12
#: In place of a rule: the goal, and nothing that is possible now.
THE_GOAL, STUCK = -1, -2

MEMORY = {
    "map": limited(np.zeros(CELLS, np.uint8), 0, 255),
    "cell": limited(0, 0, CELLS - 1),
    "trial": limited(0, 0, 100),
    "walked": False,
    "other": False,  # which tile of a pair to fetch first
    "target": limited(0, 0, 255),  # the tile beside which the explorer puts what it holds
    "touched": limited(np.zeros(256, np.int64), 0, 100_000),  # how often the explorer has picked up each tile
    "stock": scratch(256),
    "first": scratch(4 * CELLS, np.uint8),
    "queue": scratch(4 * CELLS, np.int64),
}


@kernel
def beside(cell, direction):
    """The next cell of the map in a direction."""
    return (cell + DX[direction & 3] + DY[direction & 3] * SIDE) & (CELLS - 1)


@kernel
def tile_at(memory, cell):
    return np.int64(memory.map[cell])


@kernel
def tile_of(row, column):
    """The tile of two numbers of an observation."""
    return np.int64(row[column]) + SHADE * np.int64(row[column + 1])


@large_kernel
def look(memory, observation):
    """Follow the last action, write the view to the map, and count the known tiles and the one in the hands."""
    if observation.clock[0] == 0:
        for cell in range(CELLS):
            memory.map[cell] = 0
        memory.cell = 0
        memory.trial = observation.trial[0]
    elif memory.walked:
        memory.cell = beside(memory.cell, observation.direction)
    ahead, right = beside(0, observation.direction), beside(0, observation.direction + 1)
    for i in range(VIEW):
        for j in range(VIEW):
            tile = tile_of(observation.image[i, j], 0)
            if tile != 0:
                cell = (memory.cell + (VIEW - 1 - i) * ahead + (j - MIDDLE) * right) & (CELLS - 1)
                memory.map[cell] = tile
    for tile in range(256):
        memory.stock[tile] = 0
    for cell in range(CELLS):
        memory.stock[tile_at(memory, cell)] += 1
    memory.stock[tile_of(observation.pocket, 0)] += 1
    memory.stock[0] = 0


# Searches.


@kernel
def open_way(tile):
    """Whether a tile can be walked over, after opening a door."""
    kind = tile & KIND
    return WALKABLE >> kind & 1 != 0 or kind == CLOSED


@kernel
def joined(memory, cell, tile, kind, a, b):
    """Whether a tile, in this cell, would lie beside the other tile of a pair as a rule of this kind demands."""
    for way in range(4):
        fits = kind == PAIR or way == kind - PAIR_WAY
        if fits and tile == a and tile_at(memory, beside(cell, side(way))) == b:
            return True
        if fits and tile == b and tile_at(memory, beside(cell, side(way + 2))) == a:
            return True
    return False


@kernel
def stands(memory, cell, kind, a):
    """Whether a tile lies beside a cell as a rule of this kind demands."""
    for way in range(4):
        if (kind == NEAR or way == kind - NEAR_WAY) and tile_at(memory, beside(cell, side(way))) == a:
            return True
    return False


@kernel
def room_around(memory, cell):
    """The number of cells around one that can be walked over."""
    free = 0
    for way in range(4):
        free += WALKABLE >> (tile_at(memory, beside(cell, way)) & KIND) & 1
    return free


@kernel
def apt(memory, aim, kind, a, b, held, cell, facing):
    """The action that does what a search looks for in a state, ARRIVED, or NONE."""
    front = beside(cell, facing)
    tile = tile_at(memory, front)
    if aim == PICK:
        return PICK_UP if tile == a else NONE
    if aim == DROP:
        return PUT_DOWN if tile & KIND == FLOOR and room_around(memory, front) >= a else NONE
    if aim == FRONTIER:
        return ARRIVED if tile == 0 else NONE
    if aim == JOIN:
        put = held if tile & KIND == FLOOR else tile
        return PUT_DOWN if put != 0 and joined(memory, front, put, kind, a, b) else NONE
    if aim == ON:
        return ARRIVED if cell != memory.cell and tile_at(memory, cell) == a else NONE
    if not stands(memory, cell, kind, a):
        return NONE
    if cell != memory.cell:
        return ARRIVED
    return NONE if open_way(tile) else FORWARD


@large_kernel
def search(memory, aim, kind, a, b, held, direction):
    """The first action of a shortest way to a state that is apt, by breadth first search; NONE without one."""
    for state in range(4 * CELLS):
        memory.first[state] = 0
    start = memory.cell * 4 + direction
    memory.queue[0] = start
    memory.first[start] = 255
    head, tail = 0, 1
    while head < tail:
        state = memory.queue[head]
        head += 1
        cell, facing = state >> 2, state & 3
        found = apt(memory, aim, kind, a, b, held, cell, facing)
        if found != NONE and (state != start or found != ARRIVED):
            return found if state == start else np.int64(memory.first[state]) - 1
        for move in (FORWARD, RIGHT, LEFT):
            there = cell * 4 + ((facing + (1 if move == RIGHT else 3)) & 3)
            if move == FORWARD:
                front = beside(cell, facing)
                if not open_way(tile_at(memory, front)):
                    continue
                there = front * 4 + facing
            if memory.first[there] == 0:
                memory.first[there] = move + 1 if state == start else memory.first[state]
                memory.queue[tail] = there
                tail += 1
    return NONE


@kernel
def put_away(memory, held, direction):
    """Put down what is held, where it leaves room on all sides, else anywhere."""
    action = search(memory, DROP, 0, 4, 0, held, direction)
    if action == NONE:
        action = search(memory, DROP, 0, 3, 0, held, direction)
    return action if action != NONE else search(memory, DROP, 0, 0, 0, held, direction)


@kernel
def fetch(memory, tile, held, direction):
    """Pick a tile up, with empty hands."""
    if held != 0:
        return put_away(memory, held, direction)
    return search(memory, PICK, 0, tile, 0, held, direction)


@kernel
def finish(memory, observation, action):
    """The action to take: doors are opened on the way, and without a plan it is a random one."""
    front = tile_at(memory, beside(memory.cell, observation.direction))
    if action == NONE:
        action = FORWARD if random.bernoulli(memory, 0.4) else random.randint(memory, 5)
    if action == FORWARD and front & KIND == CLOSED:
        action = TOGGLE
    memory.walked = action == FORWARD and WALKABLE >> (front & KIND) & 1 != 0
    return np.int64(action)


# The planner.


@kernel
def kind_of(observation, n):
    """The kind of a rule, or of the rule whose condition is that of the goal."""
    if n != THE_GOAL:
        return np.int64(observation.rules[n, 0])
    kind = np.int64(observation.goal[0, 0])
    if kind == HOLD_GOAL:
        return HOLD
    if kind == ON_GOAL:
        return ON_TILE
    if kind == NEAR_GOAL:
        return NEAR
    if kind == PAIR_GOAL:
        return PAIR
    if kind >= NEAR_WAY_GOAL:
        return kind - NEAR_WAY_GOAL + NEAR_WAY
    return kind - PAIR_WAY_GOAL + PAIR_WAY if kind >= PAIR_WAY_GOAL else 0


@kernel
def input_of(observation, n, which):
    """Tile a (1) or b (2) of a rule or of the goal."""
    row = observation.goal[0] if n == THE_GOAL else observation.rules[n]
    return tile_of(row, 2 * which - 1)


@kernel
def next_rule(memory, observation):
    """The rule to apply next, or the goal: one whose tiles are known, on the way to the goal; STUCK if there is none."""
    n = THE_GOAL
    for _ in range(observation.rules.shape[0] + 1):
        a, b = input_of(observation, n, 1), input_of(observation, n, 2)
        missing = 0
        if memory.stock[a] == 0:
            missing = a
        elif b != 0 and memory.stock[b] < (2 if a == b else 1):
            missing = b
        if missing == 0:
            return n
        n = STUCK
        for k in range(observation.rules.shape[0]):
            if n == STUCK and observation.rules[k, 0] != 0 and tile_of(observation.rules[k], 5) == missing:
                n = k
        if n == STUCK:
            break
    return STUCK


@kernel
def carry(memory, kind, a, b, held, direction):
    """Put two tiles together: hold one of them and put it down beside the other one."""
    action = search(memory, JOIN, kind, a, b, held, direction)
    if action != NONE:
        return action
    if held == a or held == b:  # there is no room beside the other one, so fetch that
        memory.other = not memory.other
        return put_away(memory, held, direction)
    for turn in range(2):
        tile = b if (turn == 0) != (memory.other != 0) else a
        if PORTABLE >> (tile & KIND) & 1:
            action = fetch(memory, tile, held, direction)
            if action != NONE:
                return action
    return NONE


@kernel
def apply(memory, kind, a, b, held, direction):
    """An action on the way to what a rule demands, or NONE."""
    if kind == HOLD:
        return PICK_UP if held == a else fetch(memory, a, held, direction)
    if kind == ON_TILE:
        return search(memory, ON, kind, a, b, held, direction)
    if PAIR <= kind < NEAR_WAY:
        return carry(memory, kind, a, b, held, direction)
    action = search(memory, STAND, kind, a, b, held, direction)
    if action != NONE:
        return action
    if held == a:
        return put_away(memory, held, direction)
    return fetch(memory, a, held, direction) if PORTABLE >> (a & KIND) & 1 else NONE


@policy(ID, "planner", variables=MEMORY)
def planner(memory, observation, mask):
    """Reads the goal and the rules, if it is told them. It looks for a rule on the way to the goal whose tiles it knows,
    and applies it; otherwise it walks to the nearest cell that it does not know."""
    look(memory, observation)
    held, direction = tile_of(observation.pocket, 0), np.int64(observation.direction)
    action, n = NONE, STUCK
    if observation.goal[0, 0] != 0 and kind_of(observation, THE_GOAL) != 0:
        n = next_rule(memory, observation)
    if n != STUCK:
        a, b = input_of(observation, n, 1), input_of(observation, n, 2)
        action = apply(memory, kind_of(observation, n), a, b, held, direction)
    if action == NONE:
        action = search(memory, FRONTIER, 0, 0, 0, held, direction)
    return finish(memory, observation, action)


# The explorer.


@kernel
def untouched(memory):
    """The tile in reach of hands that was picked up least often, or 0."""
    best = 0
    for tile in range(256):
        if memory.stock[tile] > 0 and PORTABLE >> (tile & KIND) & 1:
            if best == 0 or memory.touched[tile] < memory.touched[best]:
                best = tile
    return best


@kernel
def aim(memory, held):
    """A random known thing other than the one in the hands, or 0."""
    found, count = 0, 0
    for tile in range(256):
        thing = PORTABLE >> (tile & KIND) & 1
        if memory.stock[tile] > 0 and thing and tile != held:
            count += 1
            if random.randint(memory, count) == 0:
                found = tile
    return found


@policy(ID, "explorer", variables=MEMORY)
def explorer(memory, observation, mask):
    """Looks at neither goal nor rules. It walks to the nearest cell that it does not know. When it knows all cells in
    reach, it picks up the thing that it has picked up least often and puts it down beside a random other thing."""
    look(memory, observation)
    held, direction = tile_of(observation.pocket, 0), np.int64(observation.direction)
    action = search(memory, FRONTIER, 0, 0, 0, held, direction)
    if action == NONE and held == 0:
        tile = untouched(memory)
        action = search(memory, PICK, 0, tile, 0, held, direction) if tile != 0 else NONE
        if tile != 0:
            if action == PICK_UP or action == NONE:
                memory.touched[tile] = min(memory.touched[tile] + 1, 100_000)
            memory.target = 0
    elif action == NONE:
        if memory.target == 0 or memory.stock[memory.target] == 0:
            memory.target = aim(memory, held)
        action = search(memory, JOIN, PAIR, held, memory.target, held, direction) if memory.target != 0 else NONE
        if action == NONE:
            memory.target = 0
    return finish(memory, observation, action)
