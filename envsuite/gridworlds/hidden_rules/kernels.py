"""The fourteen rules of HiddenRules: their things, and one kernel for a step of each.

A small world `w` is a list of things, a few numbers and the frame that was last shown. A kernel is one rule: it changes
the things and numbers, given an action. `advance` then draws the next frame. "Free" is what was empty in the last
frame, whatever has moved since. A rule calls `twist` at each of its events, which says whether the rule has changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.core.ranges import below, flag, within

(ICE, GRAVITY, DRIFT, MAGNETS, DISEASE, ANTS, SAND, PLUG, WIND, EGG, CRATES, LIFE, PAINT, LAMPS) = range(14)
RULES = (
    "ice", "gravity", "drift", "magnets", "disease", "ants", "sand", "plug", "wind", "egg", "crates", "life", "paint",
    "lamps",
)  # fmt: skip

NOOP, LEFT, RIGHT, UP, DOWN, CLICK = range(6)
#: The steps of the actions.
DX = np.array([0, -1, 1, 0, 0])
DY = np.array([0, 0, 0, -1, 1])

COLORS = (
    "nothing", "gold", "gray", "blue", "light blue", "red", "dark orange", "green", "dark green", "tan", "sandy brown",
    "sky blue", "purple", "orange", "pink", "light pink", "silver", "yellow", "white", "black", "hidden",
)  # fmt: skip
#: The color of cells that a task hides.
HIDDEN = len(COLORS) - 1

#: The shapes of things: steps right and down from their place, the first cell in reading order first.
_EGG = [(dx, dy) for dy in range(-2, 3) for dx in range(-2, 3) if abs(dx) + abs(dy) < 4]
SHAPES = (
    [(0, 0)],
    [(0, 0), (1, 0), (0, 1), (1, 1)],
    [(-1, 0), (0, 0), (1, 0)],
    [(0, -1), (1, -1), (0, 0), (1, 0)],
    [(0, 0), (0, 1)],
    _EGG,
)
DOT, SQUARE, ROW, BLOCK, COLUMN, OVAL = range(6)
LENGTH = np.array([len(shape) for shape in SHAPES])
CELLS = np.zeros((len(SHAPES), len(_EGG), 2), np.int64)
for _number, _shape in enumerate(SHAPES):
    CELLS[_number, : len(_shape)] = _shape


class Kind(NamedTuple):
    """A kind of thing: its colors by mark, how many a start has, and the marks that our layouts give it."""

    name: str
    colors: tuple[str, ...]
    least: int = 0
    most: int = 400
    shape: int = DOT
    marks: tuple[int, ...] = (0,)


def _one(name: str, *colors: str, shape: int = DOT, marks: tuple[int, ...] = (0,)) -> Kind:
    return Kind(name, colors, 1, 1, shape, marks)


#: The kinds of each rule; later ones are drawn over earlier ones.
TABLE: tuple[tuple[Kind, ...], ...] = (
    (
        _one("sun", "gray", "gold", shape=SQUARE, marks=(0, 1)),
        _one("cloud", "gray", shape=ROW),
        Kind("drop", ("light blue", "blue"), marks=(0, 1)),
    ),
    (
        _one("left button", "red"),
        _one("right button", "dark orange"),
        _one("up button", "gold"),
        _one("down button", "green"),
        Kind("block", ("blue",), shape=BLOCK),
    ),
    (Kind("blob", ("blue",), 1),),
    (_one("fixed magnet", "red", shape=COLUMN), _one("magnet", "blue", shape=COLUMN)),
    (Kind("particle", ("dark green", "gray"), 1, marks=(1,)), _one("agent", "dark green", "gray")),
    (Kind("ant", ("gray",), 1, 7), Kind("food", ("red",))),
    (
        _one("sand button", "red"),
        _one("water button", "green"),
        Kind("sand", ("tan", "sandy brown")),
        Kind("water", ("sky blue",)),
    ),
    (
        Kind("vessel", ("purple",)),
        Kind("plug", ("orange",)),
        Kind("water", ("blue",)),
        _one("vessel button", "purple"),
        _one("plug button", "orange"),
        _one("water button", "blue"),
        _one("remove button", "gray"),
        _one("clear button", "red"),
    ),
    (Kind("drop", ("light blue",)), Kind("cloud", ("gray",), 8)),
    (_one("egg", "tan", shape=OVAL), Kind("piece", ("gold",)), _one("button", "red", "pink")),
    (
        _one("agent", "blue"),
        Kind("crate", ("dark orange",)),
        _one("hole", "red"),
        _one("exit", "green"),
        _one("entry", "green"),
        Kind("wall", ("black",)),
    ),
    (Kind("cell", ("light pink",)), _one("next button", "green"), _one("clear button", "silver")),
    (Kind("spot", ("red", "gold", "green", "blue", "purple"), marks=(0, 1, 2, 3, 4)),),
    (Kind("lamp", ("white", "yellow"), 1, marks=(0, 1)),),
)
MOST_KINDS, MARKS = 8, 5
KINDS = np.array([len(kinds) for kinds in TABLE])
SHAPE = np.zeros((len(TABLE), MOST_KINDS), np.int64)
COLOR = np.zeros((len(TABLE), MOST_KINDS, MARKS), np.uint8)
LEAST, MOST = np.zeros((2, len(TABLE), MOST_KINDS), np.int64)
GIVEN = np.zeros((len(TABLE), MOST_KINDS, MARKS), np.uint8)  # whether our layouts give this mark
for _rule, _kinds in enumerate(TABLE):
    for _k, _kind in enumerate(_kinds):
        SHAPE[_rule, _k] = _kind.shape
        COLOR[_rule, _k, : len(_kind.colors)] = [COLORS.index(color) for color in _kind.colors]
        LEAST[_rule, _k], MOST[_rule, _k] = _kind.least, _kind.most
        GIVEN[_rule, _k, list(_kind.marks)] = 1

# The numbers of kinds in the rules below.
SUN, CLOUD, DROP = range(3)
LEFT_BUTTON, DOWN_BUTTON, FALLING = 0, 3, 4
FIXED, MOBILE = range(2)
PARTICLE, ACTIVE = range(2)
ANT, FOOD = range(2)
SAND_BUTTON, WATER_BUTTON, GRAIN, WATER = range(4)
VESSEL, STOPPER, LIQUID, VESSEL_BUTTON, REMOVE_BUTTON, CLEAR_BUTTON = 0, 1, 2, 3, 6, 7
RAIN, RAIN_CLOUD = range(2)
WHOLE, PIECE, EGG_BUTTON = range(3)
AGENT, CRATE, HOLE, EXIT, ENTRY, WALL = range(6)
CELL, NEXT, CLEAR = range(3)

#: A thing that is taken from the list at the end of a step.
GONE = MOST_KINDS
#: Farther than anything gets in an episode.
BOUND = 12_000
#: The most events of a rule that are counted.
EVENTS = 1_000_000


def fields(size: int) -> list[tuple]:
    """The record of a small world of `size` x `size` cells."""
    room = size * size
    return [
        ("things", within(np.int64, 0, room)),  # number of things in the list
        ("kind", below(np.uint8, MOST_KINDS + 1), (room,)),
        ("x", within(np.int16, -BOUND, BOUND), (room,)),  # place, also outside of the grid
        ("y", within(np.int16, -BOUND, BOUND), (room,)),
        ("mark", below(np.uint8, MARKS), (room,)),  # a property: liquid, healthy, lit, the color of a spot
        ("var", within(np.int64, -BOUND, BOUND), (2,)),  # what the rule remembers beside the things
        ("uses", within(np.int64, 0, EVENTS)),  # number of events so far
        ("fuse", within(np.int64, 0, EVENTS)),  # the event from which on the rule is changed; 0 for never
        ("fired", flag()),  # whether the rule has changed
        ("frame", below(np.uint8, HIDDEN), (size, size)),  # colors
        ("taken", flag(), (size, size)),  # whether a thing is in a cell of the frame
        ("near", within(np.uint8, 0, 8), (size, size)),  # for `life` only, within a step: neighbors
    ]


# Things and cells.


@large_kernel
def add(w, kind, x, y, mark):
    """Add a thing, if the list has room for it."""
    if w.things < w.kind.shape[0]:
        w.kind[w.things] = kind
        w.x[w.things] = min(max(x, -BOUND), BOUND)
        w.y[w.things] = min(max(y, -BOUND), BOUND)
        w.mark[w.things] = mark
        w.things += 1


@large_kernel
def sweep(w):
    """Take the things that are gone from the list."""
    kept = 0
    for k in range(w.things):
        if w.kind[k] != GONE:
            w.kind[kept] = w.kind[k]
            w.x[kept] = w.x[k]
            w.y[kept] = w.y[k]
            w.mark[kept] = w.mark[k]
            kept += 1
    w.things = kept


@large_kernel
def remove(w, kind):
    """Take all things of a kind from the list."""
    for k in range(w.things):
        if w.kind[k] == kind:
            w.kind[k] = GONE
    sweep(w)


@large_kernel
def find(w, kind):
    """The number of the first thing of a kind, or -1."""
    for k in range(w.things):
        if w.kind[k] == kind:
            return np.int64(k)
    return np.int64(-1)


@kernel
def at(w, kind, x, y):
    """The number of the first thing of a kind whose place is (x, y), or -1."""
    for k in range(w.things):
        if w.kind[k] == kind and w.x[k] == x and w.y[k] == y:
            return np.int64(k)
    return np.int64(-1)


@kernel
def inside(w, x, y):
    """Whether a cell is on the grid."""
    return 0 <= x < w.frame.shape[0] and 0 <= y < w.frame.shape[0]


@kernel
def free(w, x, y):
    """Whether a cell was empty in the last frame, or is outside of the grid."""
    return not inside(w, x, y) or w.taken[y, x] == 0


@large_kernel
def shift(w, k, dx, dy):
    """Move a thing."""
    w.x[k] = min(max(w.x[k] + dx, -BOUND), BOUND)
    w.y[k] = min(max(w.y[k] + dy, -BOUND), BOUND)


@kernel
def covers(w, rule, k, dx, dy, x, y):
    """Whether thing k, moved by (dx, dy), would cover the cell (x, y)."""
    shape = SHAPE[rule, w.kind[k]]
    for i in range(LENGTH[shape]):
        if w.x[k] + dx + CELLS[shape, i, 0] == x and w.y[k] + dy + CELLS[shape, i, 1] == y:
            return True
    return False


@kernel
def clear_ahead(w, rule, k, dx, dy, fenced):
    """Whether all cells of thing k, moved by (dx, dy), are free or its own; if `fenced`, also on the grid."""
    shape = SHAPE[rule, w.kind[k]]
    for i in range(LENGTH[shape]):
        x, y = w.x[k] + dx + CELLS[shape, i, 0], w.y[k] + dy + CELLS[shape, i, 1]
        if fenced and not inside(w, x, y):
            return False
        if not free(w, x, y) and not covers(w, rule, k, 0, 0, x, y):
            return False
    return True


@kernel
def sign(number):
    """-1, 0 or 1."""
    return np.int64(number > 0) - np.int64(number < 0)


@large_kernel
def flow(w, k):
    """A step of a liquid: down, or else towards the nearest hole of the next row that is open above."""
    size, x, y = w.frame.shape[0], np.int64(w.x[k]), np.int64(w.y[k])
    if y < 0 or y >= size - 1:
        return
    if free(w, x, y + 1):
        w.y[k] = y + 1
        return
    hole, nearest = x, size
    for i in range(size):
        if w.taken[y + 1, i] == 0 and w.taken[y, i] == 0 and abs(i - x) <= nearest:
            hole, nearest = i, abs(i - x)
    step = sign(hole - x)
    if step != 0 and free(w, x + step, y):
        w.x[k] = x + step


@kernel
def fall(w, k):
    """A step of a solid: down."""
    if w.y[k] + 1 < w.frame.shape[0] and free(w, w.x[k], w.y[k] + 1):
        w.y[k] += 1


@kernel
def flow_all(w, kind):
    """A step of all liquids of a kind."""
    for k in range(w.things):
        if w.kind[k] == kind:
            flow(w, k)


@large_kernel
def twist(w):
    """Count an event of the rule; whether the rule has changed."""
    w.uses = min(w.uses + 1, EVENTS)
    if w.fuse > 0 and w.uses >= w.fuse:
        w.fired = 1
        return True
    return False


@kernel
def click_x(w, action):
    """The column of a click; -1 for another action."""
    return (action - CLICK) % w.frame.shape[0] if action >= CLICK else -1


@kernel
def click_y(w, action):
    """The row of a click; -1 for another action."""
    return (action - CLICK) // w.frame.shape[0] if action >= CLICK else -1


@kernel
def any_inside(w, kind):
    """Whether the place of some thing of a kind is on the grid."""
    for k in range(w.things):
        if w.kind[k] == kind and inside(w, w.x[k], w.y[k]):
            return True
    return False


@large_kernel
def render(w, rule):
    """Draw the frame."""
    for k in range(w.frame.size):
        w.frame.flat[k] = 0
        w.taken.flat[k] = 0
    for kind in range(KINDS[rule]):
        shape = SHAPE[rule, kind]
        for k in range(w.things):
            if w.kind[k] == kind:
                for i in range(LENGTH[shape]):
                    x, y = w.x[k] + CELLS[shape, i, 0], w.y[k] + CELLS[shape, i, 1]
                    if inside(w, x, y):
                        w.frame[y, x] = COLOR[rule, kind, w.mark[k]]
                        w.taken[y, x] = 1


# The rules.


@large_kernel
def step_ice(w, action):
    sun, cloud = find(w, SUN), find(w, CLOUD)
    if action == LEFT or action == RIGHT:
        if clear_of_edge(w, w.x[cloud] + DX[action]):
            w.x[cloud] += DX[action]
    if action == DOWN:
        liquid = np.int64(w.mark[sun] == 1)
        if twist(w):
            liquid = 1 - liquid
        add(w, DROP, w.x[cloud], w.y[cloud] + 1, liquid)
        return
    for k in range(w.things):
        if action >= CLICK:
            if w.kind[k] != CLOUD:
                w.mark[k] = w.mark[k] != 1
        elif w.kind[k] == DROP:
            if w.mark[k] == 1:
                flow(w, k)
            else:
                fall(w, k)


@kernel
def clear_of_edge(w, x):
    """Whether a row of three cells around this column is on the grid."""
    return 0 < x < w.frame.shape[0] - 1


@large_kernel
def step_gravity(w, action):
    way = min(max(w.var[0], LEFT), DOWN)
    if any_inside(w, FALLING) and twist(w):
        way = (way - 1 ^ 1) + 1
    for k in range(w.things):
        if w.kind[k] == FALLING:
            shift(w, k, DX[way], DY[way])
    if action >= CLICK:
        x, y = click_x(w, action), click_y(w, action)
        if free(w, x, y):
            add(w, FALLING, x, y, 0)
        for button in range(LEFT_BUTTON, DOWN_BUTTON + 1):
            if at(w, button, x, y) >= 0:
                w.var[0] = LEFT + button


@large_kernel
def step_drift(w, action):
    across, down = w.var[0], w.var[1]
    if action >= CLICK:
        x, y = click_x(w, action), click_y(w, action)
        if free(w, x, y):
            add(w, 0, x, y, 0)
    else:
        w.var[0] = min(max(across + DX[action], -1), 1)
        w.var[1] = min(max(down + DY[action], -1), 1)
    if (across != 0 or down != 0) and any_inside(w, 0) and twist(w):
        across, down = -across, -down
    for k in range(w.things):
        shift(w, k, across, down)


@large_kernel
def step_magnets(w, action):
    fixed, mobile = find(w, FIXED), find(w, MOBILE)
    old_x, old_y = w.x[mobile], w.y[mobile]
    if LEFT <= action <= DOWN:
        way = action
        if inside(w, old_x, old_y) and twist(w):
            way = (way - 1 ^ 1) + 1
        if clear_ahead(w, MAGNETS, mobile, DX[way], DY[way], False):
            shift(w, mobile, DX[way], DY[way])
    across, down = w.x[fixed] - w.x[mobile], w.y[fixed] - w.y[mobile]
    if abs(across) + abs(down) == 1:
        w.x[mobile] = old_x
        w.y[mobile] = old_y
    snap(w, fixed, mobile, 1)
    snap(w, fixed, mobile, -1)


@kernel
def snap(w, fixed, mobile, offset):
    """Move the magnet by one cell if opposite poles are two cells apart in a straight line."""
    across, down = w.x[fixed] - w.x[mobile], w.y[fixed] - w.y[mobile] + offset
    if abs(across) + abs(down) == 2 and (across == 0 or down == 0):
        shift(w, mobile, across // 2, down // 2)


@kernel
def beside_ill(w, k):
    """Whether a thing is ill, or is beside something that was ill before the step."""
    for i in range(w.things):
        if w.mark[i] == 0 and abs(w.x[i] - w.x[k]) + abs(w.y[i] - w.y[k]) <= 1:
            return True
    return False


@large_kernel
def step_disease(w, action):
    agent = find(w, ACTIVE)
    health = np.int64(0 if beside_ill(w, agent) else w.mark[agent])
    chosen = at(w, PARTICLE, click_x(w, action), click_y(w, action)) if action >= CLICK else -1
    if chosen >= 0:
        swap(w, agent, chosen, health)
        return
    for k in range(w.things):
        if w.kind[k] == PARTICLE and w.mark[k] != 0 and beside_ill(w, k):
            w.mark[k] = 2  # ill from the end of the step on
    if LEFT <= action <= DOWN:
        far = 2 if inside(w, w.x[agent], w.y[agent]) and twist(w) else 1
        shift(w, agent, far * DX[action], far * DY[action])
    else:
        w.mark[agent] = health  # an agent that moves falls ill later
    for k in range(w.things):
        if w.mark[k] == 2:
            w.mark[k] = 0


@kernel
def swap(w, agent, chosen, health):
    """Control passes to a chosen particle; the agent becomes one of the others. No other one falls ill in this step."""
    old_x, old_y, x, y = w.x[agent], w.y[agent], w.x[chosen], w.y[chosen]
    w.x[agent] = x
    w.y[agent] = y
    w.mark[agent] = w.mark[chosen]
    for k in range(w.things):
        if w.kind[k] == PARTICLE and w.x[k] == x and w.y[k] == y:
            w.kind[k] = GONE
    sweep(w)
    add(w, PARTICLE, old_x, old_y, health)


@large_kernel
def step_ants(c, w, action):
    for k in range(w.things):
        if w.kind[k] == FOOD and at(w, ANT, w.x[k], w.y[k]) >= 0:
            w.kind[k] = GONE
    sweep(w)
    if find(w, FOOD) >= 0:
        way = -1 if twist(w) else 1
        for k in range(w.things):
            if w.kind[k] == ANT:
                food = nearest_food(w, k)
                across, down = np.int64(w.x[food]) - w.x[k], np.int64(w.y[food]) - w.y[k]
                if across != 0:
                    shift(w, k, way * sign(across), 0)
                else:
                    shift(w, k, 0, way * sign(down))
    if action >= CLICK:
        size = w.frame.shape[0]
        for _ in range(2):
            x = randint(c, size)
            y = randint(c, size)
            add(w, FOOD, x, y, 0)


@kernel
def nearest_food(w, ant):
    """The number of the food nearest to an ant; of equals the last one."""
    found, nearest = ant, 4 * BOUND * BOUND
    for k in range(w.things):
        if w.kind[k] == FOOD:
            across, down = np.int64(w.x[k]) - w.x[ant], np.int64(w.y[k]) - w.y[ant]
            if across * across + down * down <= nearest:
                found, nearest = k, across * across + down * down
    return found


@large_kernel
def step_sand(w, action):
    for k in range(w.things):
        if w.kind[k] == GRAIN:
            if w.mark[k] == 1:
                flow(w, k)
            else:
                fall(w, k)
    for k in range(w.things):
        if w.kind[k] == GRAIN and is_wet(w, k):
            w.mark[k] = 1
    poured = False
    if action >= CLICK:
        x, y = click_x(w, action), click_y(w, action)
        if at(w, SAND_BUTTON, x, y) >= 0:
            w.var[0] = 0
        if at(w, WATER_BUTTON, x, y) >= 0:
            w.var[0] = 1
        if free(w, x, y):
            poured = w.var[0] == 1
            if twist(w):
                poured = not poured
            add(w, WATER if poured else GRAIN, x, y, 0)
    if not poured:
        flow_all(w, WATER)


@kernel
def is_wet(w, grain):
    """Whether water is in the cell of a grain, or beside it."""
    for k in range(w.things):
        if w.kind[k] == WATER and abs(w.x[k] - w.x[grain]) + abs(w.y[k] - w.y[grain]) <= 1:
            return True
    return False


@large_kernel
def step_plug(w, action):
    flow_all(w, LIQUID)
    if action < CLICK:
        return
    x, y = click_x(w, action), click_y(w, action)
    if free(w, x, y):
        kind = min(max(w.var[0], VESSEL), LIQUID)
        if twist(w):
            kind = (kind + 1) % 3
        add(w, kind, x, y, 0)
    for kind in range(VESSEL, LIQUID + 1):
        if at(w, VESSEL_BUTTON + kind, x, y) >= 0:
            w.var[0] = kind
    if at(w, REMOVE_BUTTON, x, y) >= 0:
        remove(w, STOPPER)
    if at(w, CLEAR_BUTTON, x, y) >= 0:
        remove(w, VESSEL)
        remove(w, STOPPER)
        remove(w, LIQUID)


@large_kernel
def step_wind(w, action):
    size, slant, time = w.frame.shape[0], min(max(w.var[0], -1), 1), w.var[1]
    for k in range(w.things):
        if w.kind[k] == RAIN:
            shift(w, k, slant, 1)
            if w.y[k] >= size:
                w.kind[k] = GONE
    sweep(w)
    if action == LEFT or action == RIGHT:
        w.var[0] = min(max(slant + DX[action], -1), 1)
    if time % 5 == 2:
        aside = 1 if twist(w) else 0
        clouds = w.things
        for k in range(clouds):
            if w.kind[k] == RAIN_CLOUD and w.x[k] % 4 == 2 and at(w, RAIN_CLOUD, w.x[k], w.y[k] + 1) < 0:
                add(w, RAIN, w.x[k] + aside, w.y[k] + 1, 0)
    w.var[1] = (time + 1) % 5


@large_kernel
def step_egg(w, action):
    egg, button = find(w, WHOLE), find(w, EGG_BUTTON)
    broken = False
    if egg >= 0:
        old_x, old_y = w.x[egg], w.y[egg]
        move_egg(w, egg, action)
        if w.x[button] == click_x(w, action) and w.y[button] == click_y(w, action):
            w.var[0] = np.int64(w.var[0] == 0)
            w.var[1] = old_y
        if w.var[1] < w.frame.shape[0] - 6:
            broken = True
            w.kind[egg] = GONE
            sweep(w)
            for i in range(LENGTH[OVAL]):
                add(w, PIECE, old_x + CELLS[OVAL, i, 0], old_y + CELLS[OVAL, i, 1] + 1, 0)
    if not broken:
        flow_all(w, PIECE)
    w.mark[find(w, EGG_BUTTON)] = np.int64(w.var[0] != 0)


@kernel
def move_egg(w, egg, action):
    """The egg falls, or is moved by an arrow."""
    way = NOOP
    if w.var[0] != 0:
        way = DOWN
    elif LEFT <= action <= DOWN:
        way = action
        if twist(w):
            way = (way - 1 ^ 1) + 1
    if way != NOOP and clear_ahead(w, EGG, egg, DX[way], DY[way], True):
        shift(w, egg, DX[way], DY[way])


@large_kernel
def step_crates(w, action):
    if action >= CLICK:
        x, y = click_x(w, action), click_y(w, action)
        if free(w, x, y):
            add(w, CRATE, x, y, 0)
        return
    if action == NOOP:
        return
    agent, dx, dy = find(w, AGENT), DX[action], DY[action]
    x, y = w.x[agent] + dx, w.y[agent] + dy
    if not (any_inside(w, CRATE) and twist(w)):
        shift_crates(w, x, y, dx, dy)
    agent = find(w, AGENT)  # crates that are gone have left the list
    if inside(w, x, y) and at(w, WALL, x, y) < 0 and at(w, CRATE, x, y) < 0:
        w.x[agent] = x
        w.y[agent] = y


@kernel
def shift_crates(w, x, y, dx, dy):
    """Shift all crates; one that then is at (x, y), before the agent, goes on or through the teleporter."""
    hole, entry, exit = find(w, HOLE), find(w, ENTRY), find(w, EXIT)
    open_exit = at(w, CRATE, w.x[exit], w.y[exit]) < 0
    beyond_free = free(w, x + dx, y + dy) and (inside(w, x + dx, y + dy) or at(w, CRATE, x + dx, y + dy) < 0)
    for k in range(w.things):
        if w.kind[k] == CRATE:
            shift(w, k, dx, dy)
            if w.x[k] == w.x[hole] and w.y[k] == w.y[hole]:
                w.kind[k] = GONE
            elif w.x[k] == x and w.y[k] == y:
                if open_exit and w.x[entry] == x and w.y[entry] == y:
                    w.x[k] = w.x[exit]
                    w.y[k] = w.y[exit]
                elif beyond_free:
                    shift(w, k, dx, dy)
    sweep(w)


@large_kernel
def step_life(w, action):
    if action < CLICK:
        return
    x, y = click_x(w, action), click_y(w, action)
    if at(w, CLEAR, x, y) >= 0:
        remove(w, CELL)
    elif at(w, NEXT, x, y) >= 0:
        generation(w)
    elif at(w, CELL, x, y) < 0:
        if twist(w):
            x = (x + 1) % w.frame.shape[0]
        if at(w, CELL, x, y) < 0:
            add(w, CELL, x, y, 0)


@kernel
def generation(w):
    """One generation of Conway's Game of Life."""
    size = w.frame.shape[0]
    for k in range(w.near.size):
        w.near.flat[k] = 0
        w.taken.flat[k] = 0
    for k in range(w.things):
        if w.kind[k] == CELL:
            if inside(w, w.x[k], w.y[k]):
                w.taken[w.y[k], w.x[k]] = 1
            w.kind[k] = GONE
    sweep(w)
    for y in range(size):
        for x in range(size):
            for j in range(max(y - 1, 0), min(y + 2, size)):
                for i in range(max(x - 1, 0), min(x + 2, size)):
                    if j != y or i != x:
                        w.near[y, x] += w.taken[j, i]
    for y in range(size):
        for x in range(size):
            if w.near[y, x] == 3 or (w.near[y, x] == 2 and w.taken[y, x] == 1):
                add(w, CELL, x, y, 0)


@large_kernel
def step_paint(w, action):
    if action == UP:
        w.var[0] = (w.var[0] + 1) % MARKS
    if action >= CLICK:
        x, y, color = click_x(w, action), click_y(w, action), w.var[0] % MARKS
        if twist(w):
            color = (color + 1) % MARKS
        spot = at(w, 0, x, y)
        if spot >= 0:
            w.mark[spot] = color
        else:
            add(w, 0, x, y, color)


@large_kernel
def step_lamps(w, action):
    if action < CLICK:
        return
    some = twist(w)
    for k in range(w.things):
        if not some or k % 2 == 0:
            w.mark[k] = w.mark[k] != 1


@large_kernel
def advance(c, w, rule, action):
    """One step of a small world by this rule; chance comes from the record `c`."""
    if rule == ICE:
        step_ice(w, action)
    elif rule == GRAVITY:
        step_gravity(w, action)
    elif rule == DRIFT:
        step_drift(w, action)
    elif rule == MAGNETS:
        step_magnets(w, action)
    elif rule == DISEASE:
        step_disease(w, action)
    elif rule == ANTS:
        step_ants(c, w, action)
    elif rule == SAND:
        step_sand(w, action)
    elif rule == PLUG:
        step_plug(w, action)
    elif rule == WIND:
        step_wind(w, action)
    elif rule == EGG:
        step_egg(w, action)
    elif rule == CRATES:
        step_crates(w, action)
    elif rule == LIFE:
        step_life(w, action)
    elif rule == PAINT:
        step_paint(w, action)
    else:
        step_lamps(w, action)
    render(w, rule)


@kernel
def begin(w, rule):
    """Set what a rule remembers at a start, and draw the first frame; the things are there."""
    w.var[0] = DOWN if rule == GRAVITY else 0
    w.var[1] = w.frame.shape[0] - 1 if rule == EGG else 0
    w.uses = 0
    w.fuse = 0
    w.fired = 0
    fill(w.near, 0)
    render(w, rule)


@large_kernel
def copy(a, b):
    """Make the world `a` the world `b`."""
    a.things = b.things
    for k in range(b.things):
        a.kind[k] = b.kind[k]
        a.x[k] = b.x[k]
        a.y[k] = b.y[k]
        a.mark[k] = b.mark[k]
    for k in range(2):
        a.var[k] = b.var[k]
    a.uses = b.uses
    a.fuse = b.fuse
    a.fired = b.fired
    for k in range(b.frame.size):
        a.frame.flat[k] = b.frame.flat[k]
        a.taken.flat[k] = b.taken.flat[k]
        a.near.flat[k] = b.near.flat[k]


#: The arrow keys that a rule knows, and how often of ten actions a lively player clicks.
ARROWS = np.array(
    [
        [LEFT, RIGHT, DOWN, DOWN], [NOOP] * 4, [LEFT, RIGHT, UP, DOWN], [LEFT, RIGHT, UP, DOWN],
        [LEFT, RIGHT, UP, DOWN], [NOOP] * 4, [NOOP] * 4, [NOOP] * 4, [LEFT, RIGHT, LEFT, RIGHT],
        [LEFT, RIGHT, UP, DOWN], [LEFT, RIGHT, UP, DOWN], [NOOP] * 4, [UP] * 4, [NOOP] * 4,
    ]
)  # fmt: skip
CLICKS = np.array([2, 4, 2, 0, 2, 4, 7, 7, 0, 2, 1, 9, 6, 6])


@large_kernel
def lively(c, w, rule):
    """A random action that often does something: an arrow that the rule knows, or a click, half of them on things."""
    size = w.frame.shape[0]
    drawn = randint(c, 10)
    if drawn >= CLICKS[rule]:
        return np.int64(NOOP) if drawn == 9 else np.int64(ARROWS[rule, randint(c, 4)])
    x, y = randint(c, size), randint(c, size)
    if w.things > 0 and randint(c, 2) == 0:
        k = randint(c, w.things)
        if inside(w, w.x[k], w.y[k]):
            x, y = np.int64(w.x[k]), np.int64(w.y[k])
    return CLICK + y * size + x
