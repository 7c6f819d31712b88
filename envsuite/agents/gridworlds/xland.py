"""Baselines of XLand: one reads goal and rules and plans, one tries things out.

Both draw a map of what they have seen in the trial, and walk shortest ways over cells and directions, through closed
doors. Another player is drawn as a tile that cannot be walked over.
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.mapping import CELLS, beside
from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds.xland import levels, rules
from envsuite.gridworlds.xland.levels import HOLD

ID = "envsuite/XLand-v0"

NONE = -1
#: Instead of an action: the way to a state is all that is needed.
ARRIVED = 6

# What a search looks for: a cell ahead to pick up from; one to put down in (where a rule can be applied, out of the
# way, or anywhere); one that is unknown; a pair to put together; a cell beside a tile, or on it; a thing that is in the
# way of a rule, or any thing; a tile ahead.
PICK, DROP_WELL, DROP_ASIDE, DROP, FRONTIER, JOIN, STAND, ON, CLEAR, ANY, FACE = range(11)
#: The kind of rule whose condition is to stand on a tile; no rule has it.
ON_TILE = 12
#: In place of a rule: the goal, and nothing that is possible now.
THE_GOAL, STUCK = -1, -2

MEMORY = {
    "map": limited(np.zeros(CELLS, np.uint8), 0, 255),
    "cell": limited(0, 0, CELLS - 1),
    "walked": False,
    "other": False,  # which tile of a pair to fetch first
    "spot": limited(0, 0, CELLS - 1),  # the cell from which something was picked up last
    "blocked": False,  # whether a pair could not be put together
    "stock": scratch(256),
    "first": scratch(4 * CELLS, np.uint8),
    "queue": scratch(4 * CELLS, np.int64),
}


@kernel
def tile_at(memory, cell):
    """The tile in a cell of the map; 0 if it is not known."""
    return np.int64(memory.map[cell])


@kernel
def tile_of(row, column):
    """The tile of two numbers of an observation."""
    return np.int64(row[column]) + levels.SHADE * np.int64(row[column + 1])


@kernel
def seen_cell(memory, observation, i, j):
    """The cell of the map that is in a row and column of the view."""
    ahead, right = beside(0, observation.direction), beside(0, observation.direction + 1)
    return (memory.cell + (rules.VIEW - 1 - i) * ahead + (j - rules.MIDDLE) * right) & (CELLS - 1)


@kernel
def lost(memory, observation):
    """Whether walls are not where the map has them, because another player has been in the way of a step."""
    for i in range(rules.VIEW):
        for j in range(rules.VIEW):
            known, tile = tile_at(memory, seen_cell(memory, observation, i, j)), tile_of(observation.image[i, j], 0)
            if known != 0 and tile != 0 and (known & levels.KIND == levels.WALL) != (tile & levels.KIND == levels.WALL):
                return True
    return False


@kernel
def draw_players(memory, observation):
    """Write the other players in view to the map, and forget those that are out of view."""
    for cell in range(CELLS):
        if tile_at(memory, cell) & levels.KIND == levels.PLAYER:
            memory.map[cell] = levels.BLACK_FLOOR
    for i in range(rules.VIEW):
        for j in range(rules.VIEW):
            number = (np.int64(observation.image[i, j, 2]) - 1) >> 2
            if number >= 0 and number != observation.seat:
                memory.map[seen_cell(memory, observation, i, j)] = levels.PLAYER + levels.SHADE * number


@large_kernel
def look(memory, observation):
    """Follow the last action, write the view to the map, and count the known tiles and the one in the hands."""
    if observation.clock[0] == 0:
        for cell in range(CELLS):
            memory.map[cell] = 0
        memory.cell = 0
    elif memory.walked:
        memory.cell = beside(memory.cell, observation.direction)
    if lost(memory, observation):
        for cell in range(CELLS):
            memory.map[cell] = 0
    for i in range(rules.VIEW):
        for j in range(rules.VIEW):
            tile = tile_of(observation.image[i, j], 0)
            if tile != 0:
                memory.map[seen_cell(memory, observation, i, j)] = tile
    if observation.image.shape[2] > 2:
        draw_players(memory, observation)
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
    kind = tile & levels.KIND
    return rules.WALKABLE >> kind & 1 != 0 or kind == levels.CLOSED


@kernel
def joined(memory, cell, tile, kind, a, b):
    """Whether a tile, in this cell, would lie beside the other tile of a pair as a rule of this kind demands."""
    for way in range(4):
        fits = kind == levels.PAIR or way == kind - levels.PAIR_WAY
        if fits and tile == a and tile_at(memory, beside(cell, rules.side(way))) == b:
            return True
        if fits and tile == b and tile_at(memory, beside(cell, rules.side(way + 2))) == a:
            return True
    return False


@kernel
def stands(memory, cell, kind, a):
    """Whether a tile lies beside a cell as a rule of this kind demands."""
    for way in range(4):
        if (kind == levels.NEAR or way == kind - levels.NEAR_WAY) and tile_at(
            memory, beside(cell, rules.side(way))
        ) == a:
            return True
    return False


@kernel
def spacious(memory, cell):
    """Whether at least three of the cells around one can be walked over, and none is a door."""
    free = 0
    for way in range(4):
        kind = tile_at(memory, beside(cell, way)) & levels.KIND
        if kind == levels.CLOSED or kind == levels.OPEN or kind == levels.LOCKED:
            return False
        free += rules.WALKABLE >> kind & 1
    return free >= 3


@kernel
def in_the_way(memory, cell, kind, a, b):
    """Whether a rule of this kind needs this cell, for a player or for a tile."""
    if levels.PAIR <= kind < levels.NEAR_WAY:
        return joined(memory, cell, a, kind, a, b) or joined(memory, cell, b, kind, a, b)
    return kind != HOLD and stands(memory, cell, kind, a)


@kernel
def suits(memory, cell, kind, a, b, held):
    """Whether a tile that is put into this cell leaves the place free that a rule of this kind needs beside it."""
    way = kind - levels.NEAR_WAY + 2 if kind >= levels.NEAR_WAY else kind - levels.PAIR_WAY + (2 if held == b else 0)
    if kind <= levels.PAIR or kind == ON_TILE or (held != a and held != b):
        return True
    place = beside(cell, rules.side(way))
    return tile_at(memory, place) & levels.KIND == levels.FLOOR and spacious(memory, place)


@kernel
def apt(memory, aim, kind, a, b, held, cell, facing):
    """The action that does what a search looks for in a state, ARRIVED, or NONE."""
    front = beside(cell, facing)
    tile = tile_at(memory, front)
    if aim == PICK or aim == CLEAR or aim == ANY:
        wanted = tile == a if aim == PICK else rules.PORTABLE >> (tile & levels.KIND) & 1 != 0
        if aim == CLEAR:
            wanted = wanted and tile != a and tile != b and in_the_way(memory, front, kind, a, b)
        return rules.PICK_UP if wanted else NONE
    if DROP_WELL <= aim <= DROP:
        fits = tile & levels.KIND == levels.FLOOR
        if fits and aim != DROP:
            fits = front != memory.spot and spacious(memory, front) and not in_the_way(memory, front, kind, a, b)
        return rules.PUT_DOWN if fits and (aim != DROP_WELL or suits(memory, front, kind, a, b, held)) else NONE
    if aim == FRONTIER or aim == FACE:
        return ARRIVED if tile == (a if aim == FACE else 0) else NONE
    if aim == JOIN:
        put = held if tile & levels.KIND == levels.FLOOR else tile
        return rules.PUT_DOWN if put != 0 and joined(memory, front, put, kind, a, b) else NONE
    if aim == ON:
        return ARRIVED if cell != memory.cell and tile_at(memory, cell) == a else NONE
    if not stands(memory, cell, kind, a):
        return NONE
    if cell != memory.cell:
        return ARRIVED
    return NONE if open_way(tile) else rules.FORWARD


@large_kernel
def search(memory, aim, kind, a, b, held, direction, through):
    """The first action of a shortest way to a state that is apt, by breadth first search; NONE without one.

    The way leads `through` things too, if that is set.
    """
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
        for move in (rules.FORWARD, rules.RIGHT, rules.LEFT):
            there = cell * 4 + ((facing + (1 if move == rules.RIGHT else 3)) & 3)
            if move == rules.FORWARD:
                front = beside(cell, facing)
                tile = tile_at(memory, front)
                if not open_way(tile) and not (through and rules.PORTABLE >> (tile & levels.KIND) & 1):
                    continue
                there = front * 4 + facing
            if memory.first[there] == 0:
                memory.first[there] = move + 1 if state == start else memory.first[state]
                memory.queue[tail] = there
                tail += 1
    return NONE


@kernel
def put_away(memory, kind, a, b, held, direction):
    """Put down what is held: where a rule of this kind can be applied to it, else out of the way, else anywhere."""
    for aim in (DROP_WELL, DROP_ASIDE, DROP):
        action = search(memory, aim, kind, a, b, held, direction, False)
        if action != NONE:
            return action
    return NONE


@kernel
def reach(memory, aim, kind, a, b, held, direction, hands):
    """A step to what a search looks for, as if `held` were in the hands. Things in the way are taken away."""
    action = search(memory, aim, kind, a, b, held, direction, False)
    if action != NONE:
        return action
    action = search(memory, aim, kind, a, b, held, direction, True)
    front = tile_at(memory, beside(memory.cell, direction))
    if action == NONE or action != rules.FORWARD or open_way(front):
        return action
    return put_away(memory, kind, a, b, hands, direction) if hands != 0 else rules.PICK_UP


@kernel
def fetch(memory, tile, kind, a, b, held, direction):
    """Pick a tile up, with empty hands."""
    if held != 0:
        return put_away(memory, kind, a, b, held, direction)
    return reach(memory, PICK, 0, tile, 0, 0, direction, 0)


@kernel
def finish(memory, observation, action):
    """The action to take: doors are opened on the way, and without a plan it is a random one."""
    front = tile_at(memory, beside(memory.cell, observation.direction))
    if action == NONE:
        action = rules.FORWARD if random.bernoulli(memory, 0.4) else random.randint(memory, 5)
    if action == rules.FORWARD and front & levels.KIND == levels.CLOSED:
        action = rules.TOGGLE
    if action == rules.PICK_UP:
        memory.spot = beside(memory.cell, observation.direction)
    memory.walked = action == rules.FORWARD and rules.WALKABLE >> (front & levels.KIND) & 1 != 0
    return np.int64(action)


# The planner.


@kernel
def kind_of(observation, n):
    """The kind of a rule, or of the rule whose condition is that of the goal."""
    if n != THE_GOAL:
        return np.int64(observation.rules[n, 0])
    kind = np.int64(observation.goal[0, 0])
    if kind == levels.HOLD_GOAL:
        return HOLD
    if kind == levels.ON_GOAL:
        return ON_TILE
    if kind == levels.NEAR_GOAL:
        return levels.NEAR
    if kind == levels.PAIR_GOAL:
        return levels.PAIR
    if kind >= levels.NEAR_WAY_GOAL:
        return kind - levels.NEAR_WAY_GOAL + levels.NEAR_WAY
    return kind - levels.PAIR_WAY_GOAL + levels.PAIR_WAY if kind >= levels.PAIR_WAY_GOAL else 0


@kernel
def input_of(observation, n, which):
    """Tile a (1) or b (2) of a rule or of the goal."""
    row = observation.goal[0] if n == THE_GOAL else observation.rules[n]
    return tile_of(row, 2 * which - 1)


@kernel
def next_rule(memory, observation):
    """The rule to apply next, or the goal: its tiles are known, and it is on the way to the goal. STUCK without one."""
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
def make_room(memory, kind, a, b, direction):
    """Take away what keeps a pair from being put together, with empty hands; NONE if nothing does."""
    action = search(memory, CLEAR, kind, a, b, 0, direction, False)
    for tile in (a, b):
        if action == NONE and rules.PORTABLE >> (tile & levels.KIND) & 1:
            action = reach(memory, JOIN, kind, a, b, tile, direction, 0)
    return action if action != rules.PUT_DOWN else NONE


@kernel
def carry(memory, kind, a, b, held, direction):
    """Put two tiles together: hold one of them and put it down beside the other one.

    If that is impossible, take away what is in the way, or move the other one.
    """
    action = search(memory, JOIN, kind, a, b, held, direction, False)
    if action != NONE:
        return action
    if held == a or held == b:
        memory.blocked = True
        memory.other = held == a
    if held != 0:
        return put_away(memory, kind, a, b, held, direction)
    if memory.blocked:
        action = make_room(memory, kind, a, b, direction)
        memory.blocked = action != NONE and action != rules.PICK_UP
        if action != NONE:
            return action
    for turn in range(2):
        tile = b if (turn == 0) == (memory.other != 0) else a
        if rules.PORTABLE >> (tile & levels.KIND) & 1:
            action = fetch(memory, tile, kind, a, b, held, direction)
            if action != NONE:
                return action
    return NONE


@kernel
def apply(memory, kind, a, b, held, direction):
    """An action on the way to what a rule demands, or NONE."""
    if kind == HOLD:
        return rules.PICK_UP if held == a else fetch(memory, a, kind, a, b, held, direction)
    if kind == ON_TILE:
        return reach(memory, ON, kind, a, b, held, direction, held)
    if levels.PAIR <= kind < levels.NEAR_WAY:
        return carry(memory, kind, a, b, held, direction)
    action = search(memory, STAND, kind, a, b, held, direction, False)
    if action != NONE:
        return action
    if held == a:
        return put_away(memory, kind, a, b, held, direction)
    if rules.PORTABLE >> (a & levels.KIND) & 1:
        return fetch(memory, a, kind, a, b, held, direction)
    action = clear(memory, CLEAR, kind, a, b, held, direction)
    return action if action != NONE else reach(memory, STAND, kind, a, b, held, direction, held)


@kernel
def clear(memory, aim, kind, a, b, held, direction):
    """Take away what is in the way of a rule, or any thing."""
    action = search(memory, aim, kind, a, b, 0, direction, False)
    return put_away(memory, kind, a, b, held, direction) if held != 0 and action != NONE else action


# The planner among several players.


@kernel
def is_own(observation, n, column):
    """Whether a statement names the own player in its first (2) or second (4) place."""
    goal = observation.goal
    return goal[n, column] == levels.PLAYER and goal[n, column + 1] == observation.seat


@kernel
def other_of(observation, n):
    """The player or tile of a statement beside the own player; 0 if the statement is not about that."""
    if is_own(observation, n, 2):
        return tile_of(observation.goal[n], 4)
    if observation.goal[n, 0] == levels.IS_NEAR and is_own(observation, n, 4):
        return tile_of(observation.goal[n], 2)
    return np.int64(0)


@kernel
def true_now(memory, observation, n, held):
    """Whether a statement about the own player is true, as far as it sees."""
    kind, other = observation.goal[n, 0], other_of(observation, n)
    if kind == levels.IS_NEAR:
        return stands(memory, memory.cell, levels.NEAR, other)
    if kind == levels.IS_ON:
        return tile_at(memory, memory.cell) == other
    if kind == levels.HOLDS:
        return held == other
    for i in range(rules.VIEW):
        for j in range(rules.VIEW):
            if tile_at(memory, seen_cell(memory, observation, i, j)) == other:
                return True
    return False


@kernel
def easiest(observation):
    """The first row of the clause with the fewest statements that are not about the own player."""
    best, least = 0, levels.LITERALS + 1
    for first in range(0, observation.goal.shape[0], levels.LITERALS):
        count = 0
        for n in range(first, first + levels.LITERALS):
            count += observation.goal[n, 0] != 0 and other_of(observation, n) == 0
        if observation.goal[first, 0] != 0 and count < least:
            best, least = first, count
    return best


@kernel
def achieve(memory, observation, n, held, direction):
    """An action on the way to make a statement about the own player true, or its opposite if it is negated."""
    kind, other = observation.goal[n, 0], other_of(observation, n)
    if observation.goal[n, 1] != 0:
        if kind == levels.HOLDS:
            return search(memory, DROP, 0, 0, 0, held, direction, False)
        return np.int64(rules.RIGHT) if kind == levels.SEES else np.int64(NONE)
    if kind == levels.HOLDS:
        action = fetch(memory, other, HOLD, other, 0, held, direction)
    elif kind == levels.IS_ON:
        action = search(memory, ON, 0, other, 0, held, direction, False)
    else:
        action = search(
            memory, STAND if kind == levels.IS_NEAR else FACE, levels.NEAR, other, 0, held, direction, False
        )
    return action if action != NONE else search(memory, FRONTIER, 0, 0, 0, held, direction, False)


@kernel
def stay(memory, direction, held):
    """An action without an effect."""
    kind = tile_at(memory, beside(memory.cell, direction)) & levels.KIND
    return (
        rules.TOGGLE
        if kind != levels.CLOSED and kind != levels.OPEN and kind != levels.LOCKED
        else rules.PICK_UP
        if held != 0
        else rules.PUT_DOWN
    )


@kernel
def pursue(memory, observation, held, direction):
    """Make the statements about the own player in one clause of its goal true, one after the other."""
    first = easiest(observation)
    for n in range(first, first + levels.LITERALS):
        if observation.goal[n, 0] != 0 and other_of(observation, n) != 0:
            if true_now(memory, observation, n, held) == (observation.goal[n, 1] != 0):
                return achieve(memory, observation, n, held, direction)
    return stay(memory, direction, held) if observation.goal[first, 0] != 0 else NONE


@policy(ID, "planner", variables=MEMORY)
def planner(memory, observation, mask):
    """Reads the goal and the rules, if it is told them. It finds a rule on the way to the goal whose tiles it has seen,
    and applies it. Otherwise it walks to the nearest cell that it has not seen. It takes away what is in its way. One
    of several players makes the statements about itself true, in the clause that is least about others."""
    look(memory, observation)
    held, direction = tile_of(observation.pocket, 0), np.int64(observation.direction)
    if observation.image.shape[2] > 2:
        return finish(memory, observation, pursue(memory, observation, held, direction))
    action, n, kind, a, b = NONE, STUCK, 0, 0, 0
    if observation.goal[0, 0] != 0 and kind_of(observation, THE_GOAL) != 0:
        n = next_rule(memory, observation)
    if n != STUCK:
        kind, a, b = kind_of(observation, n), input_of(observation, n, 1), input_of(observation, n, 2)
        action = apply(memory, kind, a, b, held, direction)
    if action == NONE:
        action = reach(memory, FRONTIER, 0, 0, 0, held, direction, held)
    if action == NONE and random.bernoulli(memory, 0.8):
        action = clear(memory, ANY, kind, a, b, held, direction)
    return finish(memory, observation, action)


# The explorer.

EXPERIENCE = {
    "target": limited(0, 0, 255),  # the tile beside which it puts what it holds
    "touched": limited(np.zeros(256, np.int64), 0, 100_000),  # how often it has picked up each tile
    # The last step before a new trial: number, action, direction, tile in the hands.
    "clock": limited(0, 0, 100_000),
    "did": limited(0, 0, rules.TOGGLE),
    "facing": limited(0, 0, 3),
    "held": limited(0, 0, 255),
    # What has reached the goal, as a kind of rule and its tiles; 0 for nothing.
    "kind": limited(0, 0, levels.NEAR_WAY + 3),
    "a": limited(0, 0, 255),
    "b": limited(0, 0, 255),
}


@kernel
def learn(memory, observation):
    """At the start of a new trial, remember what the last action of a trial that reached the goal has done."""
    if observation.clock[0] != 0 or observation.trial[0] == 0:
        return
    memory.kind = 0
    if memory.clock + 1 >= observation.clock[1]:
        return
    front = beside(memory.cell, memory.facing)
    if memory.did == rules.PICK_UP:
        memory.kind = HOLD
        memory.a = tile_at(memory, front)
        memory.b = 0
    cell = front if memory.did == rules.PUT_DOWN or memory.walked else memory.cell
    for way in range(4):
        tile = tile_at(memory, beside(cell, rules.side(way)))
        thing = rules.PORTABLE >> (tile & levels.KIND) & 1 or tile & levels.KIND == levels.GOAL
        if thing and memory.did == rules.FORWARD:
            memory.kind = levels.NEAR_WAY + way
            memory.a = tile
            memory.b = 0
        elif thing and memory.did == rules.PUT_DOWN and memory.held != 0:
            memory.kind = levels.PAIR_WAY + way
            memory.a = memory.held
            memory.b = tile


@kernel
def recall(memory, observation, held, direction):
    """In the first half of a trial, do again what has reached the goal, if its tiles are known; else NONE."""
    known = memory.kind != 0 and memory.stock[memory.a] > 0 and (memory.b == 0 or memory.stock[memory.b] > 0)
    if not known or 2 * observation.clock[0] > observation.clock[1]:
        return NONE
    return apply(memory, np.int64(memory.kind), np.int64(memory.a), np.int64(memory.b), held, direction)


@kernel
def untouched(memory):
    """The tile in reach of hands that was picked up least often, or 0."""
    best = 0
    for tile in range(256):
        if memory.stock[tile] > 0 and rules.PORTABLE >> (tile & levels.KIND) & 1:
            if best == 0 or memory.touched[tile] < memory.touched[best]:
                best = tile
    return best


@kernel
def aim(memory, held):
    """A random known thing other than the one in the hands, or 0."""
    found, count = 0, 0
    for tile in range(256):
        thing = rules.PORTABLE >> (tile & levels.KIND) & 1
        if memory.stock[tile] > 0 and thing and tile != held:
            count += 1
            if random.randint(memory, count) == 0:
                found = tile
    return found


@policy(ID, "explorer", variables={**MEMORY, **EXPERIENCE})
def explorer(memory, observation, mask):
    """Looks at neither goal nor rules. It walks to the nearest cell that it does not know. When it knows all cells in
    reach, it picks up the thing that it has picked up least often and puts it down beside a random other thing. What
    has reached the goal in one trial, it does again in the next one."""
    learn(memory, observation)
    look(memory, observation)
    held, direction = tile_of(observation.pocket, 0), np.int64(observation.direction)
    action = recall(memory, observation, held, direction)
    if action == NONE:
        action = search(memory, FRONTIER, 0, 0, 0, held, direction, False)
    if action == NONE and held == 0:
        tile = untouched(memory)
        action = search(memory, PICK, 0, tile, 0, held, direction, False) if tile != 0 else NONE
        if tile != 0:
            if action == rules.PICK_UP or action == NONE:
                memory.touched[tile] = min(memory.touched[tile] + 1, 100_000)
            memory.target = 0
    elif action == NONE:
        if memory.target == 0 or memory.stock[memory.target] == 0:
            memory.target = aim(memory, held)
        if memory.target != 0:
            action = search(memory, JOIN, levels.PAIR, held, memory.target, held, direction, False)
        if action == NONE:
            memory.target = 0
    action = finish(memory, observation, action)
    memory.clock = observation.clock[0]
    memory.did = action
    memory.facing = direction
    memory.held = held
    return action
