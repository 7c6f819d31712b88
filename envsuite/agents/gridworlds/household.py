"""Baselines of Household: one draws a map and works on the conditions of the goal, one tries what is possible.

The map is a ring of `SIDE` columns and `ROWS` rows, so that every home fits, wherever the agent starts.
"""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.gridworlds.household import activities, rules
from envsuite.kit.grid import DX, DY

ID = "envsuite/Household-v0"

VIEW, MIDDLE = 7, 3
SIDE, ROWS = 64, 32
CELLS = SIDE * ROWS

#: The ground of a cell of the map; `PIECE` + the number of a piece of furniture.
UNKNOWN, CLEAR, WALLED, DOORWAY, PIECE = range(5)

NONE = -1
#: Instead of an action: the cell ahead is what a search looks for.
ARRIVED = 14

# What a search looks for in the cell ahead: it is unknown; it is a certain one; it belongs to a piece of a set, and has
# room inside it, or on top of it, or anything can be put there; a certain cell with room; a place beside a thing of a
# set, which is in nobody's way, or does not part the floor, or is free; and a place for what is in the way, likewise.
FRONTIER, CELL, PART, INTO, ONTO, ANYHOW, SHARE = range(7)
NEAR, NEAR_SPARE, NEAR_ANY, AWAY, AWAY_SPARE, AWAY_ANY = range(7, 13)

MEMORY = {
    "ground": limited(np.zeros(CELLS, np.uint8), 0, PIECE + activities.FURNITURE - 1),
    "slots": limited(np.zeros((CELLS, activities.LAYERS), np.uint8), 0, activities.OBJECTS),
    "cell": limited(0, 0, CELLS - 1),
    "walked": False,
    "activity": limited(0, 0, activities.GOALS.shape[0] - 1),
    "held": limited(0, 0, activities.OBJECTS),  # 1 + the object in the hand
    # The cell of each object; NONE if unknown or held.
    "place": limited(np.full(activities.OBJECTS, NONE), NONE, CELLS - 1),
    "bits": limited(np.zeros(activities.THINGS, np.int64), 0, 255),  # states of things
    "known": limited(np.zeros(activities.THINGS, np.uint8), 0, 1),  # whether it has seen a thing
    "clearing": limited(NONE, NONE, CELLS - 1),  # the cell from which something is to be cleared away
    "spot": limited(NONE, NONE, CELLS - 1),  # the cell from which something was cleared away last
    "first": scratch(4 * CELLS, np.uint8),
    "queue": scratch(4 * CELLS, np.int64),
}


@kernel
def beside(cell, direction):
    """The next cell of the map in a direction."""
    return (cell + DX[direction & 3] + DY[direction & 3] * SIDE) & (CELLS - 1)


@kernel
def ground_at(memory, cell):
    """The ground of a cell of the map."""
    return np.int64(memory.ground[cell])


@kernel
def slot(memory, cell, layer):
    """What lies in a layer of a cell: 1 + the number of an object, or 0."""
    return np.int64(memory.slots[cell, layer])


@kernel
def kind_at(memory, cell):
    """The kind of furniture of a cell; 0 for none."""
    piece = ground_at(memory, cell) - PIECE
    return activities.KIND_OF[memory.activity, piece] if piece >= 0 else 0


@kernel
def thing_of(activity, kind, number):
    """The thing of an activity with this kind and number."""
    for thing in range(activities.THINGS):
        if activities.KIND_OF[activity, thing] == kind and activities.NUMBER[activity, thing] == number:
            return thing
    return 0


@large_kernel
def look(memory, observation):
    """Follow the last action, and write the view to the map."""
    if observation.clock[0] == 0:
        for cell in range(CELLS):
            memory.ground[cell] = UNKNOWN
            for layer in range(activities.LAYERS):
                memory.slots[cell, layer] = 0
        for k in range(activities.OBJECTS):
            memory.place[k] = NONE
        for thing in range(activities.THINGS):
            memory.known[thing] = 0
        memory.cell = 0
        memory.clearing = NONE
        memory.spot = NONE
    elif memory.walked:
        memory.cell = beside(memory.cell, observation.direction)
    memory.activity = observation.activity
    memory.held = 0
    if observation.held[0] != 0:
        thing = thing_of(memory.activity, observation.held[0], observation.held[1])
        memory.held = thing - activities.FURNITURE + 1
        memory.bits[thing] = observation.held[2]
        memory.place[thing - activities.FURNITURE] = NONE
    ahead, right = beside(0, observation.direction), beside(0, observation.direction + 1)
    for i in range(VIEW):
        for j in range(VIEW):
            cell = (memory.cell + (VIEW - 1 - i) * ahead + (j - MIDDLE) * right) & (CELLS - 1)
            look_at(memory, observation.image[i, j], cell)


@kernel
def look_at(memory, row, cell):
    """Write a cell of the view to the map."""
    kind = np.int64(row[0])
    memory.ground[cell] = CLEAR if kind == 0 else WALLED if kind == activities.WALL else DOORWAY
    if kind != 0 and kind != activities.WALL and kind != activities.DOOR:
        piece = thing_of(memory.activity, kind, row[1])
        memory.ground[cell] = PIECE + piece
        memory.bits[piece] = row[2]
        memory.known[piece] = 1
    for layer in range(activities.LAYERS):
        memory.slots[cell, layer] = 0
        if row[3 + 3 * layer] != 0:
            thing = thing_of(memory.activity, row[3 + 3 * layer], row[4 + 3 * layer])
            memory.slots[cell, layer] = thing - activities.FURNITURE + 1
            memory.bits[thing] = row[5 + 3 * layer]
            memory.known[thing] = 1
            memory.place[thing - activities.FURNITURE] = cell


# What the map says.


@kernel
def passable(memory, cell):
    """Whether the agent can walk over a cell."""
    for layer in range(activities.LAYERS):
        if slot(memory, cell, layer) != 0:
            return False
    code = ground_at(memory, cell)
    return code == CLEAR or code == DOORWAY or (code >= PIECE and kind_at(memory, cell) == activities.BED)


@kernel
def shut(memory, cell):
    """Whether a cell belongs to closed furniture."""
    code = ground_at(memory, cell)
    return (
        code >= PIECE
        and activities.ABLE[kind_at(memory, cell)] & activities.OPEN != 0
        and memory.bits[code - PIECE] & activities.OPEN == 0
    )


@kernel
def layer_for(memory, cell, lowest):
    """The lowest layer from `lowest` on in which something can be put down; NONE without one."""
    code, fills = ground_at(memory, cell), activities.FILLS[kind_at(memory, cell)]
    if code != CLEAR and code < PIECE:
        return NONE
    for layer in range(lowest, activities.LAYERS):
        if not fills >> layer & 1 and slot(memory, cell, layer) == 0:
            if layer == 0 or fills >> (layer - 1) & 1 or slot(memory, cell, layer - 1) != 0:
                return layer
    return NONE


@kernel
def layer_on(memory, cell):
    """The lowest layer on top of the furniture of a cell in which something can be put down; NONE without one."""
    lowest = 0
    while activities.FILLS[kind_at(memory, cell)] >> lowest + 1 != 0:
        lowest += 1
    return layer_for(memory, cell, lowest)


@kernel
def room_inside(memory, cell):
    """Whether the furniture of a cell, if it is open, has room inside."""
    holds = activities.HOLDS[kind_at(memory, cell)]
    for layer in range(activities.LAYERS):
        if holds >> layer & 1 and slot(memory, cell, layer) == 0:
            if layer == 0 or slot(memory, cell, layer - 1) != 0:
                return True
    return False


@kernel
def near(memory, cell, things, but):
    """Whether a cell shares a side with one of a thing of a set, apart from object number `but`."""
    for way in range(4):
        other = beside(cell, way)
        piece = ground_at(memory, other) - PIECE
        if piece >= 0 and things >> piece & 1:
            return True
        for layer in range(activities.LAYERS):
            k = slot(memory, other, layer) - 1
            if k >= 0 and k != but and things >> (activities.FURNITURE + k) & 1:
                return True
    return False


@kernel
def spare(memory, cell):
    """Whether the cells around one that can be walked over stay connected if something is put into it.

    In the ring of the eight cells around it, they must form one run, apart from corners alone.
    """
    if not passable(memory, cell):
        return True
    runs = 0
    for way in range(4):
        straight, before = passable(memory, beside(cell, way)), passable(memory, beside(cell, way + 3))
        corner = passable(memory, beside(beside(cell, way), way + 3))
        runs += straight and not (corner and before)
    return runs <= 1


@kernel
def apart(memory, cell, things):
    """Whether a cell is beside no furniture that is not in a set, or nobody can walk there anyway."""
    if not passable(memory, cell):
        return True
    for way in range(4):
        piece = ground_at(memory, beside(cell, way)) - PIECE
        if piece >= 0 and not things >> piece & 1:
            return False
    return True


@kernel
def on_top(memory, k, things):
    """Whether an object is on top of a thing of a set."""
    cell = memory.place[k]
    if cell < 0:
        return False
    piece, found = ground_at(memory, cell) - PIECE, False
    for layer in range(activities.LAYERS):
        other = slot(memory, cell, layer) - 1
        if other == k:
            fills = activities.FILLS[kind_at(memory, cell)]
            return found or (piece >= 0 and things >> piece & 1 != 0 and fills >> (layer + 1) == 0)
        found = found or (other >= 0 and things >> (activities.FURNITURE + other) & 1 != 0)
    return False


@kernel
def inside(memory, k, things):
    """Whether an object is inside furniture of a set."""
    cell = memory.place[k]
    if cell < 0 or not memory.bits[activities.FURNITURE + k] & activities.INSIDE or ground_at(memory, cell) < PIECE:
        return False
    return things >> (ground_at(memory, cell) - PIECE) & 1 != 0


@kernel
def without(memory, things, other):
    """A set of furniture without the piece that another object is inside of."""
    for f in range(activities.FURNITURE):
        if inside(memory, other, 1 << f):
            return things & ~(1 << f)
    return things


@kernel
def together(memory, k, things):
    """Whether an object is in the cell of an object of a set."""
    for other in range(activities.OBJECTS):
        if (
            things >> (activities.FURNITURE + other) & 1
            and memory.place[k] >= 0
            and memory.place[other] == memory.place[k]
        ):
            return True
    return False


@kernel
def count_on(memory, piece, things):
    """The number of objects of a set on top of a piece of furniture."""
    count = 0
    for k in range(activities.OBJECTS):
        count += things >> (activities.FURNITURE + k) & 1 != 0 and on_top(memory, k, 1 << piece)
    return count


@large_kernel
def satisfied(memory, c):
    """Whether the map says that a condition of the goal holds."""
    goal = activities.GOALS[memory.activity, c]
    predicate, subject, third, things = goal[0], goal[1], goal[2], goal[3]
    k = subject - activities.FURNITURE
    if predicate == activities.THREE_ON:
        return count_on(memory, subject, things) == 3
    if predicate == activities.IS or predicate == activities.IS_NOT:
        seen = memory.bits[subject] & third != 0
        return memory.known[subject] != 0 and seen == (predicate == activities.IS)
    if predicate == activities.DOWN:
        return memory.held != k + 1
    if memory.place[k] < 0:
        return False
    if predicate == activities.ON_TOP:
        return on_top(memory, k, things)
    if predicate == activities.IN:
        return inside(memory, k, things)
    if predicate == activities.BESIDE:
        return near(memory, memory.place[k], things, k)
    if predicate == activities.IN_OR_BESIDE:
        return inside(memory, k, things) or near(memory, memory.place[k], things, k)
    if predicate == activities.APART:
        return inside(memory, k, without(memory, things, third - activities.FURNITURE))
    return together(memory, k, things)


# Searches.


@large_kernel
def apt(memory, aim, cell, a, things):
    """Whether a cell is what a search looks for; `a` is a cell, or an object that is not to be near itself."""
    code = ground_at(memory, cell)
    piece = code >= PIECE and things >> (code - PIECE) & 1 != 0
    if aim == FRONTIER:
        return code == UNKNOWN
    if aim == CELL:
        return cell == a
    if aim == SHARE:
        return cell == a and (layer_for(memory, cell, 0) != NONE or room_inside(memory, cell))
    if aim == PART:
        return piece
    if aim == INTO:
        return piece and room_inside(memory, cell)
    if aim == ONTO:
        return piece and layer_on(memory, cell) != NONE
    if aim == ANYHOW:
        return piece and (layer_for(memory, cell, 0) != NONE or room_inside(memory, cell))
    if aim == AWAY and code >= PIECE and not piece:
        return kind_at(memory, cell) != activities.BED and layer_on(memory, cell) != NONE
    if code != CLEAR or layer_for(memory, cell, 0) == NONE or cell == memory.spot:
        return False
    if not (near(memory, cell, things, a) if aim <= NEAR_ANY else passable(memory, cell)):
        return False
    if aim == NEAR_ANY or aim == AWAY_ANY:
        return True
    return spare(memory, cell) and (
        aim == NEAR_SPARE or aim == AWAY_SPARE or apart(memory, cell, things if aim == NEAR else 0)
    )


@large_kernel
def search(memory, direction, aim, a, things, through=False):
    """The first action of a shortest way to face a cell, `ARRIVED` if it is ahead, or NONE: by breadth first search.

    With `through`, the way leads over objects on the floor, too.
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
        front = beside(cell, facing)
        if apt(memory, aim, front, a, things):
            return ARRIVED if state == start else np.int64(memory.first[state]) - 1
        for move in range(rules.LEFT, rules.FORWARD + 1):
            there = front * 4 + facing
            if move != rules.FORWARD:
                there = cell * 4 + ((facing + (1 if move == rules.RIGHT else 3)) & 3)
            elif not passable(memory, front) and not (through and ground_at(memory, front) == CLEAR):
                continue
            if memory.first[there] == 0:
                memory.first[there] = move + 1 if state == start else memory.first[state]
                memory.queue[tail] = there
                tail += 1
    return np.int64(NONE)


@kernel
def explore(memory, direction):
    """A step to what is not known yet."""
    return search(memory, direction, FRONTIER, 0, 0)


@kernel
def goal_pieces(memory):
    """The things that conditions of the goal are about."""
    things = 0
    for c in range(activities.GOAL_COUNT[memory.activity]):
        things |= activities.GOALS[memory.activity, c, 3]
    return things


@large_kernel
def put_away(memory, direction):
    """Put down what is held where it is not in the way."""
    action = search(memory, direction, AWAY, 0, goal_pieces(memory))
    if action == NONE:
        action = search(memory, direction, AWAY_SPARE, 0, 0)
    if action == NONE:
        action = search(memory, direction, AWAY_ANY, 0, 0)
    if action != ARRIVED:
        return action
    return rules.DROP + layer_on(memory, beside(memory.cell, direction))


@kernel
def layer_of(memory, cell, k):
    """The layer of an object in a cell; for -1, of the lowest object. NONE without one."""
    for layer in range(activities.LAYERS):
        other = slot(memory, cell, layer) - 1
        if other >= 0 and (k < 0 or other == k):
            return layer
    return NONE


@large_kernel
def clear_way(memory, direction, aim, a, things):
    """Look for a way to what a search looks for, or take away an object that is in the way."""
    action = explore(memory, direction)
    if action == NONE:
        action = search(memory, direction, aim, a, things, True)
    front = beside(memory.cell, direction)
    if action != rules.FORWARD or passable(memory, front):
        return action
    memory.clearing = front
    return put_away(memory, direction) if memory.held != 0 else take_away(memory, direction)


@large_kernel
def take_away(memory, direction):
    """Pick up the lowest object of the cell that is to be cleared; NONE if that is done, or impossible."""
    cell = np.int64(memory.clearing)
    layer = layer_of(memory, cell, -1)
    action = search(memory, direction, CELL, cell, 0) if layer != NONE else np.int64(NONE)
    if action == ARRIVED:
        memory.spot = cell
        action = rules.PICK_UP + layer
    if action == NONE or action >= rules.PICK_UP:
        memory.clearing = NONE
    return action


@large_kernel
def fetch(memory, direction, k):
    """Pick up an object."""
    cell = memory.place[k]
    if memory.held != 0:
        return put_away(memory, direction)
    if cell < 0:
        return explore(memory, direction)
    action = search(memory, direction, CELL, cell, 0)
    if action == NONE:
        return clear_way(memory, direction, CELL, cell, 0)
    if action != ARRIVED:
        return action
    if memory.bits[activities.FURNITURE + k] & activities.INSIDE and shut(memory, cell):
        return np.int64(rules.OPEN_IT)
    return np.int64(rules.PICK_UP + layer_of(memory, cell, k))


@large_kernel
def deliver(memory, direction, k, aim, a, things):
    """Fetch an object and put it where a search for `aim` leads."""
    if memory.held != k + 1:
        return fetch(memory, direction, k)
    action = search(memory, direction, aim, a, things)
    if action == NONE:
        action = explore(memory, direction)
    for other in (NEAR_SPARE, NEAR_ANY):
        if action == NONE and aim == NEAR:
            action = search(memory, direction, other, a, things)
    if action == NONE:
        return clear_way(memory, direction, aim, a, things)
    if action != ARRIVED:
        return action
    front = beside(memory.cell, direction)
    layer = layer_on(memory, front) if aim == ONTO else layer_for(memory, front, 0)
    if aim != INTO and layer != NONE:
        return rules.DROP + layer
    return np.int64(rules.OPEN_IT if shut(memory, front) else rules.DROP_IN)


@large_kernel
def share(memory, direction, k, other):
    """Bring an object into the cell of another one."""
    if memory.held == other + 1:
        return put_away(memory, direction)
    if memory.place[other] < 0:
        return explore(memory, direction)
    return deliver(memory, direction, k, SHARE, memory.place[other], 0)


@large_kernel
def operate(memory, direction, thing, action):
    """Face a thing and do something to it."""
    if thing < activities.FURNITURE:
        found = search(memory, direction, PART, 0, 1 << thing)
    elif memory.held == thing - activities.FURNITURE + 1:
        return put_away(memory, direction)
    elif memory.place[thing - activities.FURNITURE] < 0:
        return explore(memory, direction)
    else:
        found = search(memory, direction, CELL, memory.place[thing - activities.FURNITURE], 0)
    if found == NONE:
        return explore(memory, direction)
    if found != ARRIVED:
        return found
    front = beside(memory.cell, direction)
    if thing >= activities.FURNITURE and memory.bits[thing] & activities.INSIDE and shut(memory, front):
        return np.int64(rules.OPEN_IT)
    return np.int64(action)


@kernel
def set_of(memory, kind):
    """All things of a kind, as a set."""
    things = 0
    for thing in range(activities.THINGS):
        if activities.KIND_OF[memory.activity, thing] == kind:
            things |= 1 << thing
    return things


@large_kernel
def soak(memory, direction, k):
    """Bring an object into a sink, and turn the water on."""
    sinks = set_of(memory, activities.SINK)
    if not inside(memory, k, sinks):
        return deliver(memory, direction, k, INTO, 0, sinks)
    return operate(memory, direction, ground_at(memory, memory.place[k]) - PIECE, rules.TOGGLE)


@kernel
def tool_for(memory, soaked):
    """The cleaning tool to use: a soaked one before one in the hand before one that is known. NONE without one."""
    best, value = NONE, -1
    for k in range(activities.OBJECTS):
        kind = activities.KIND_OF[memory.activity, activities.FURNITURE + k]
        if (
            kind == activities.BRUSH
            or kind == activities.RAG
            or kind == activities.TOWEL
            or (kind == activities.BROOM and not soaked)
        ):
            rank = 2 * (memory.held == k + 1) + (memory.place[k] >= 0)
            if soaked:
                rank += 4 * (memory.bits[activities.FURNITURE + k] & activities.SOAKED != 0)
            if rank > value:
                best, value = k, rank
    return best


@large_kernel
def wipe(memory, direction, thing, soaked):
    """Bring a cleaning tool to a thing; a soaked one if there are stains."""
    k = tool_for(memory, soaked)
    if soaked and not memory.bits[activities.FURNITURE + k] & activities.SOAKED:
        return soak(memory, direction, k)
    if thing < activities.FURNITURE:
        return deliver(memory, direction, k, ANYHOW, 0, 1 << thing)
    return share(memory, direction, k, thing - activities.FURNITURE)


@large_kernel
def cut(memory, direction, thing):
    """Fetch the knife and slice a thing."""
    for k in range(activities.OBJECTS):
        if activities.KIND_OF[memory.activity, activities.FURNITURE + k] == activities.KNIFE and memory.held != k + 1:
            return fetch(memory, direction, k)
    return operate(memory, direction, thing, rules.SLICE)


@large_kernel
def supply(memory, direction, piece, things):
    """Bring one more object of a set onto a piece of furniture: one that is held, or on no other piece of its kind."""
    best = NONE
    for k in range(activities.OBJECTS):
        if things >> (activities.FURNITURE + k) & 1:
            placed = on_top(memory, k, set_of(memory, activities.KIND_OF[memory.activity, piece]))
            if memory.held == k + 1 or (best == NONE and not placed):
                best = k
    if best == NONE:
        return NONE
    return deliver(memory, direction, best, ONTO, 0, 1 << piece)


@large_kernel
def change_state(memory, direction, c):
    """Work on a condition about a state."""
    goal = activities.GOALS[memory.activity, c]
    predicate, thing, bit = goal[0], goal[1], goal[2]
    if predicate == activities.IS_NOT:
        return wipe(memory, direction, thing, bit == activities.STAINED)
    if bit == activities.SOAKED:
        return soak(memory, direction, thing - activities.FURNITURE)
    if bit == activities.SLICED:
        return cut(memory, direction, thing)
    return operate(memory, direction, thing, rules.TOGGLE if bit == activities.ON else rules.OPEN_IT)


@large_kernel
def work_on(memory, direction, c):
    """An action on the way to a condition of the goal, or NONE."""
    goal = activities.GOALS[memory.activity, c]
    predicate, subject, third, things = goal[0], goal[1], goal[2], goal[3]
    k = subject - activities.FURNITURE
    if predicate == activities.IS or predicate == activities.IS_NOT:
        return change_state(memory, direction, c)
    if predicate == activities.THREE_ON:
        return supply(memory, direction, subject, things)
    if predicate == activities.DOWN:
        return put_away(memory, direction)
    if predicate == activities.ON_TOP:
        return deliver(memory, direction, k, ONTO, 0, things)
    if predicate == activities.BESIDE:
        return deliver(memory, direction, k, NEAR, k, things)
    if predicate == activities.APART:
        return deliver(memory, direction, k, INTO, 0, without(memory, things, third - activities.FURNITURE))
    if predicate == activities.IN or predicate == activities.IN_OR_BESIDE:
        return deliver(memory, direction, k, INTO, 0, things)
    for other in range(activities.OBJECTS):
        if things >> (activities.FURNITURE + other) & 1:
            return share(memory, direction, k, other)
    return NONE


@policy(ID, "planner", variables=MEMORY)
def planner(memory, observation, mask):
    """Draws a map of what it sees, and works on the first condition of the goal that does not hold: it fetches things,
    opens what they are in, and brings them where they belong, on shortest ways. What it does not know it looks for.
    Where it has no plan, it moves at random."""
    look(memory, observation)
    direction = np.int64(observation.direction)
    action = np.int64(NONE)
    if memory.clearing != NONE:
        action = put_away(memory, direction) if memory.held != 0 else take_away(memory, direction)
    for c in range(activities.GOAL_COUNT[memory.activity]):
        if action == NONE and not satisfied(memory, c):
            action = work_on(memory, direction, c)
    if action == NONE:
        action = random.randint(memory, rules.FORWARD + 1)
    memory.walked = action == rules.FORWARD and passable(memory, beside(memory.cell, direction))
    return np.int64(action)


# The tinkerer.


@kernel
def closed(row):
    """Whether the furniture of a cell of the view is closed."""
    return activities.ABLE[row[0]] & activities.OPEN != 0 and row[2] & activities.OPEN == 0


@kernel
def useful(row, held, action):
    """Whether an action about things changes something in a cell of the view."""
    fills = activities.FILLS[row[0]]
    if action < rules.DROP_IN:
        needed = (
            activities.ON if action == rules.TOGGLE else activities.SLICED if action == rules.SLICE else activities.OPEN
        )
        found = activities.ABLE[row[0]] & needed != 0 and (action != rules.OPEN_IT or not row[2] & activities.OPEN)
        for layer in range(activities.LAYERS):
            found = found or (activities.ABLE[row[3 + 3 * layer]] & needed != 0 and not closed(row))
        return found and action != rules.CLOSE_IT and (action != rules.SLICE or held == activities.KNIFE)
    if rules.PICK_UP <= action < rules.DROP:
        k = 3 + 3 * (action - rules.PICK_UP)
        return held == 0 and row[k] != 0 and not (row[k + 2] & activities.INSIDE and closed(row))
    if held == 0:
        return False
    for layer in range(activities.LAYERS):
        under = layer == 0 or row[3 * layer] != 0
        if (
            action == rules.DROP_IN
            and under
            and row[3 + 3 * layer] == 0
            and activities.HOLDS[row[0]] >> layer & 1
            and not closed(row)
        ):
            return True
        free = row[3 + 3 * layer] == 0 and not fills >> layer & 1
        if action == rules.DROP + layer and free and (under or fills >> (layer - 1) & 1 != 0):
            return True
    return False


@policy(ID, "tinkerer", eager=Between(0, 1).at(0.3))
def tinkerer(memory, observation, mask):
    """With probability `eager`, does a random one of the things that change something in the cell ahead, but closes
    nothing; otherwise it walks at random, mostly straight ahead."""
    row = observation.image[VIEW - 2, MIDDLE]
    count, action = 0, NONE
    for other in range(rules.TOGGLE, ARRIVED):
        if useful(row, np.int64(observation.held[0]), other):
            count += 1
            if random.randint(memory, count) == 0:
                action = other
    if count > 0 and random.bernoulli(memory, memory.eager):
        return np.int64(action)
    return np.int64(rules.FORWARD if random.bernoulli(memory, 0.6) else random.randint(memory, rules.FORWARD))
