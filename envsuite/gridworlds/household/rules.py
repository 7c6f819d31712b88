"""The rules of Household: acting on the cell ahead, what makes things wet and clean, and conditions of goals."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.gridworlds.household import activities
from envsuite.gridworlds.household.activities import DOOR as DOOR_KIND
from envsuite.gridworlds.household.levels import BARE, WALLED, passable
from envsuite.kit.grid import DX, DY

ACTIONS = (
    "left", "right", "forward", "toggle", "open", "close", "slice", "drop in", "pick up bottom", "pick up middle",
    "pick up top", "drop bottom", "drop middle", "drop top",
)  # fmt: skip
LEFT, RIGHT, FORWARD, TOGGLE, OPEN_IT, CLOSE_IT, SLICE, DROP_IN, PICK_UP = range(9)
DROP = PICK_UP + activities.LAYERS


@kernel
def kind_at(activity, code):
    """The kind of furniture of a cell's ground; 0 for floor."""
    if code == BARE:
        return 0
    if code >= WALLED:
        return activities.WALL if code == WALLED else DOOR_KIND
    return activities.KIND_OF[activity, code - 1]


@kernel
def ground(s, x, y):
    """The ground of a cell, see `envsuite.gridworlds.household.levels`."""
    return np.int64(s.ground[y, x])


@kernel
def slot(s, x, y, layer):
    """What lies in a layer of a cell: 1 + the number of an object, or 0."""
    return np.int64(s.slots[y, x, layer])


@kernel
def ground_at(s, x, y):
    """The kind of furniture of a cell; 0 for floor."""
    return kind_at(s.level.activity, ground(s, x, y))


@kernel
def object_kind(s, k):
    return activities.KIND_OF[s.level.activity, activities.FURNITURE + k]


@kernel
def blocked(s, x, y):
    """Whether the agent cannot enter a cell."""
    for layer in range(activities.LAYERS):
        if slot(s, x, y, layer) != 0:
            return True
    return not passable(s.level.activity, ground(s, x, y))


@kernel
def shut(s, x, y):
    """Whether a cell belongs to furniture that is closed."""
    return (
        activities.ABLE[ground_at(s, x, y)] & activities.OPEN != 0
        and s.piece_bits[ground(s, x, y) - 1] & activities.OPEN == 0
    )


@kernel
def in_reach(s, k, x, y):
    """Whether an object in the cell ahead can be reached."""
    return not (s.bits[k] & activities.INSIDE and shut(s, x, y))


@kernel
def droppable(s, x, y, layer):
    """Whether something can be put down in a layer of a cell: it is free, and there is something under it."""
    fills = activities.FILLS[ground_at(s, x, y)]
    if fills >> layer & 1 or slot(s, x, y, layer) != 0:
        return False
    return layer == 0 or fills >> (layer - 1) & 1 != 0 or slot(s, x, y, layer - 1) != 0


@kernel
def room_inside(s, x, y, layer):
    """Whether something can be put into the furniture of a cell, in a layer."""
    if not activities.HOLDS[ground_at(s, x, y)] >> layer & 1 or slot(s, x, y, layer) != 0 or shut(s, x, y):
        return False
    return layer == 0 or slot(s, x, y, layer - 1) != 0


@kernel
def changed(bits, action):
    """States after `toggle`, `open`, `close` or `slice`."""
    if action == TOGGLE:
        return bits ^ activities.ON
    if action == OPEN_IT:
        return bits | activities.OPEN
    return bits & ~activities.OPEN if action == CLOSE_IT else bits | activities.SLICED


@kernel
def operate(s, action, x, y):
    """Toggle, open, close or slice the furniture of a cell, or else the lowest object for which it is possible."""
    needed = activities.ON if action == TOGGLE else activities.SLICED if action == SLICE else activities.OPEN
    if action == SLICE and (s.held == 0 or object_kind(s, s.held - 1) != activities.KNIFE):
        return
    if activities.ABLE[ground_at(s, x, y)] & needed:
        piece = ground(s, x, y) - 1
        s.piece_bits[piece] = changed(s.piece_bits[piece], action)
        return
    for layer in range(activities.LAYERS):
        k = slot(s, x, y, layer) - 1
        if k >= 0 and activities.ABLE[object_kind(s, k)] & needed and in_reach(s, k, x, y):
            s.bits[k] = changed(s.bits[k], action)
            return


@kernel
def pick_up(s, x, y, layer):
    """Take the object in a layer; those above it move down."""
    k = slot(s, x, y, layer) - 1
    if s.held != 0 or k < 0 or not in_reach(s, k, x, y):
        return
    s.held = k + 1
    s.bits[k] &= ~activities.INSIDE
    for part in range(3):
        s.place[k, part] = 0
    for above in range(layer, activities.LAYERS - 1):
        other = slot(s, x, y, above + 1)
        s.slots[y, x, above] = other
        if other != 0:
            s.place[other - 1, 2] = above
    s.slots[y, x, activities.LAYERS - 1] = 0


@kernel
def put_down(s, x, y, layer, inside):
    """Put the held object into a layer."""
    k = s.held - 1
    s.held = 0
    s.slots[y, x, layer] = k + 1
    s.place[k, 0] = x
    s.place[k, 1] = y
    s.place[k, 2] = layer
    if inside:
        s.bits[k] |= activities.INSIDE


@kernel
def drop_in(s, x, y):
    """Put the held object into the furniture of a cell, in a random layer of those that are possible."""
    count = 0
    for layer in range(activities.LAYERS):
        count += room_inside(s, x, y, layer)
    if s.held == 0 or count == 0:
        return
    chosen = random.randint(s, count) if count > 1 else 0
    for layer in range(activities.LAYERS):
        if room_inside(s, x, y, layer):
            if chosen == 0:
                put_down(s, x, y, layer, True)
                return
            chosen -= 1


@large_kernel
def act(s, action):
    """An action of the agent."""
    x, y = s.x + DX[s.facing], s.y + DY[s.facing]
    if action == LEFT:
        s.facing = (s.facing + 3) & 3
    elif action == RIGHT:
        s.facing = (s.facing + 1) & 3
    elif action == FORWARD:
        if not blocked(s, x, y):
            s.x = x
            s.y = y
    elif action < DROP_IN:
        operate(s, action, x, y)
    elif action == DROP_IN:
        drop_in(s, x, y)
    elif action < DROP:
        pick_up(s, x, y, action - PICK_UP)
    elif s.held != 0 and droppable(s, x, y, action - DROP):
        put_down(s, x, y, action - DROP, False)


@kernel
def wet(s, k):
    """Whether an object lies where water runs: in a sink that is on, or with a teapot on a stove that is on."""
    x, y = s.place[k, 0], s.place[k, 1]
    kind = ground_at(s, x, y)
    if (kind != activities.SINK and kind != activities.STOVE) or not s.piece_bits[ground(s, x, y) - 1] & activities.ON:
        return False
    top = slot(s, x, y, activities.LAYERS - 1)
    return kind == activities.SINK or (top != 0 and object_kind(s, top - 1) == activities.TEAPOT)


@kernel
def clean(s, k):
    """Wipe dust, and stains if it is soaked, from all in the cell of a cleaning tool; a held one wipes itself."""
    wiped = activities.DUSTY | activities.STAINED if s.bits[k] & activities.SOAKED else activities.DUSTY
    s.bits[k] &= ~wiped
    if s.held == k + 1:
        return
    x, y = s.place[k, 0], s.place[k, 1]
    for layer in range(activities.LAYERS):
        if slot(s, x, y, layer) != 0:
            s.bits[slot(s, x, y, layer) - 1] &= ~wiped
    if BARE < ground(s, x, y) < WALLED:
        s.piece_bits[ground(s, x, y) - 1] &= ~wiped


@large_kernel
def update(s):
    """What water and cleaning tools do."""
    count = activities.OBJECT_COUNT[s.level.activity]
    for k in range(count):
        if s.held != k + 1 and activities.ABLE[object_kind(s, k)] & activities.SOAKED and wet(s, k):
            s.bits[k] |= activities.SOAKED
    for k in range(count):
        kind = object_kind(s, k)
        if kind == activities.BROOM or kind == activities.BRUSH or kind == activities.RAG or kind == activities.TOWEL:
            clean(s, k)


@kernel
def states_of(s, k):
    """The states of an object, with `FROZEN`."""
    if s.bits[k] & activities.INSIDE and activities.ABLE[object_kind(s, k)] & activities.FROZEN:
        if ground_at(s, s.place[k, 0], s.place[k, 1]) == activities.FRIDGE:
            return s.bits[k] | activities.FROZEN
    return s.bits[k]


# Conditions of goals, about an object that is not held and a set of things.


@kernel
def piece_of(s, k):
    """The number of the furniture in an object's cell; another number where there is none."""
    return ground(s, s.place[k, 0], s.place[k, 1]) - 1


@kernel
def inside(s, k, things):
    """Whether an object is inside furniture of a set."""
    return s.bits[k] & activities.INSIDE != 0 and things >> (piece_of(s, k) & 7) & 1 != 0


@kernel
def on_top(s, k, things):
    """Whether an object is on top of a thing of a set: in its cell, and not below any layer that the thing fills."""
    x, y, layer = s.place[k, 0], s.place[k, 1], s.place[k, 2]
    if BARE < ground(s, x, y) < WALLED and things >> piece_of(s, k) & 1:
        if activities.FILLS[ground_at(s, x, y)] >> (layer + 1) == 0:
            return True
    for below in range(layer):
        if slot(s, x, y, below) != 0 and things >> (activities.FURNITURE + slot(s, x, y, below) - 1) & 1:
            return True
    return False


@kernel
def touches(s, k, left, top, wide, high):
    """Whether an object's cell shares a side with a rectangle."""
    x, y = s.place[k, 0], s.place[k, 1]
    across = max(left - x, x - left - wide + 1, 0)
    down = max(top - y, y - top - high + 1, 0)
    return across + down == 1


@kernel
def beside(s, k, things):
    """Whether an object is beside a thing of a set."""
    activity = s.level.activity
    for f in range(activities.PIECE_COUNT[activity]):
        if things >> f & 1:
            left, top = s.level.corner[f, 0], s.level.corner[f, 1]
            if touches(s, k, left, top, activities.PIECES[activity, f, 1], activities.PIECES[activity, f, 2]):
                return True
    for other in range(activities.OBJECT_COUNT[activity]):
        if things >> (activities.FURNITURE + other) & 1 and other != k and s.held != other + 1:
            if touches(s, k, s.place[other, 0], s.place[other, 1], 1, 1):
                return True
    return False


@kernel
def together(s, k, things):
    """Whether an object is in the cell of an object of a set."""
    for other in range(activities.OBJECT_COUNT[s.level.activity]):
        if things >> (activities.FURNITURE + other) & 1 and s.held != other + 1:
            if s.place[k, 0] == s.place[other, 0] and s.place[k, 1] == s.place[other, 1]:
                return True
    return False


@kernel
def alone(s, k, other):
    """Whether an object is inside furniture in which another one is not."""
    if not s.bits[k] & activities.INSIDE:
        return False
    return s.held == other + 1 or not s.bits[other] & activities.INSIDE or piece_of(s, k) != piece_of(s, other)


@kernel
def count_on(s, piece, things):
    """The number of objects of a set on top of a piece of furniture."""
    count = 0
    for k in range(activities.OBJECT_COUNT[s.level.activity]):
        count += things >> (activities.FURNITURE + k) & 1 != 0 and s.held != k + 1 and on_top(s, k, 1 << piece)
    return count


@large_kernel
def holds(s, c):
    """Whether a condition of the goal holds."""
    predicate, subject = activities.GOALS[s.level.activity, c, 0], activities.GOALS[s.level.activity, c, 1]
    third, things = activities.GOALS[s.level.activity, c, 2], activities.GOALS[s.level.activity, c, 3]
    if predicate == activities.THREE_ON:
        return count_on(s, subject, things) == 3
    k = subject - activities.FURNITURE
    if predicate == activities.IS or predicate == activities.IS_NOT:
        bits = s.piece_bits[subject] if k < 0 else s.bits[k]
        return (bits & third != 0) == (predicate == activities.IS)
    if s.held == k + 1:
        return False
    if predicate == activities.IN:
        return inside(s, k, things)
    if predicate == activities.ON_TOP:
        return on_top(s, k, things)
    if predicate == activities.BESIDE:
        return beside(s, k, things)
    if predicate == activities.IN_OR_BESIDE:
        return inside(s, k, things) or beside(s, k, things)
    if predicate == activities.APART:
        return alone(s, k, third - activities.FURNITURE)
    if predicate == activities.DOWN:
        return True
    return together(s, k, things)


@kernel
def count_met(s):
    """The number of conditions of the goal that hold."""
    count = 0
    for c in range(activities.GOAL_COUNT[s.level.activity]):
        count += holds(s, c)
    return count
