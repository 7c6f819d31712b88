"""The layouts of HiddenRules: for each rule, things at random places of an empty grid."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.gridworlds.hidden_rules_kernels import (
    ACTIVE,
    AGENT,
    ANT,
    ANTS,
    CELL,
    CELLS,
    CLEAR,
    CLEAR_BUTTON,
    CLOUD,
    CRATE,
    CRATES,
    DISEASE,
    DRIFT,
    EGG,
    EGG_BUTTON,
    ENTRY,
    EXIT,
    FALLING,
    FIXED,
    FOOD,
    GRAIN,
    GRAVITY,
    HOLE,
    ICE,
    LAMPS,
    LEFT_BUTTON,
    LENGTH,
    LIFE,
    MAGNETS,
    MOBILE,
    NEXT,
    PARTICLE,
    PLUG,
    RAIN_CLOUD,
    SAND,
    SAND_BUTTON,
    SHAPE,
    STOPPER,
    SUN,
    VESSEL,
    VESSEL_BUTTON,
    WALL,
    WATER_BUTTON,
    WHOLE,
    WIND,
    add,
    inside,
)

_TRIES = 60


@large_kernel
def fits(w, rule, kind, x, y, gap):
    """Whether a thing has room at a place, with nothing in the cells within `gap` of it."""
    shape, size = SHAPE[rule, kind], w.frame.shape[0]
    for i in range(LENGTH[shape]):
        column, row = x + CELLS[shape, i, 0], y + CELLS[shape, i, 1]
        if not inside(w, column, row):
            return False
        for below in range(max(row - gap, 0), min(row + gap + 1, size)):
            for beside in range(max(column - gap, 0), min(column + gap + 1, size)):
                if w.taken[below, beside] != 0:
                    return False
    return True


@large_kernel
def put(w, rule, kind, x, y, mark):
    """Add a thing to a layout."""
    shape = SHAPE[rule, kind]
    add(w, kind, x, y, mark)
    for i in range(LENGTH[shape]):
        w.taken[y + CELLS[shape, i, 1], x + CELLS[shape, i, 0]] = 1


@large_kernel
def place(c, w, rule, kind, mark, left, top, right, bottom, gap):
    """Put a thing at a random place of this part of the grid; if none is found, at the first one anywhere."""
    for _ in range(_TRIES):
        x = left + randint(c, right - left + 1)
        y = top + randint(c, bottom - top + 1)
        if fits(w, rule, kind, x, y, gap):
            put(w, rule, kind, x, y, mark)
            return
    size = w.frame.shape[0]
    for cell in range(size * size):
        if fits(w, rule, kind, cell % size, cell // size, 0):
            put(w, rule, kind, cell % size, cell // size, mark)
            return


@large_kernel
def anywhere(c, w, rule, kind, mark, count, gap):
    """Put some things at random places of the grid."""
    last = w.frame.shape[0] - 1
    for _ in range(count):
        place(c, w, rule, kind, mark, 0, 0, last, last, gap)


@kernel
def buttons_on_edges(c, w):
    """For `gravity`: a button on each edge, left, right, up and down."""
    last = w.frame.shape[0] - 1
    place(c, w, GRAVITY, LEFT_BUTTON, 0, 0, 1, 0, last - 1, 1)
    place(c, w, GRAVITY, LEFT_BUTTON + 1, 0, last, 1, last, last - 1, 1)
    place(c, w, GRAVITY, LEFT_BUTTON + 2, 0, 1, 0, last - 1, 0, 1)
    place(c, w, GRAVITY, LEFT_BUTTON + 3, 0, 1, last, last - 1, last, 1)


@kernel
def heap(c, w):
    """For `sand`: columns of sand side by side."""
    size = w.frame.shape[0]
    first, last = randint(c, size // 3), size - 1 - randint(c, size // 3)
    for x in range(first, last + 1):
        for height in range(1 + randint(c, size // 3)):
            put(w, SAND, GRAIN, x, size - 1 - height, 0)


@kernel
def basin(c, w):
    """For `plug`: two walls on the ground, with plugs between them."""
    size = w.frame.shape[0]
    width = 2 + randint(c, size // 3)
    left = randint(c, size - width - 1)
    height = 2 + randint(c, size // 4)
    filled = 1 + randint(c, height)
    for up in range(height):
        put(w, PLUG, VESSEL, left, size - 1 - up, 0)
        put(w, PLUG, VESSEL, left + width + 1, size - 1 - up, 0)
        if up < filled:
            for x in range(left + 1, left + width + 1):
                put(w, PLUG, STOPPER, x, size - 1 - up, 0)


@kernel
def clouds(c, w):
    """For `wind`: a cloud of two rows, over half of the width or more."""
    size = w.frame.shape[0]
    length = size // 2 + randint(c, size - size // 2 + 1)
    first = randint(c, size - length + 1)
    for x in range(first, first + length):
        put(w, WIND, RAIN_CLOUD, x, 0, 0)
        put(w, WIND, RAIN_CLOUD, x, 1, 0)


@kernel
def cells(c, w):
    """For `life`: two buttons in the bottom corners, and living cells close together."""
    last = w.frame.shape[0] - 1
    flipped = randint(c, 2)
    put(w, LIFE, NEXT if flipped else CLEAR, 0, last, 0)
    put(w, LIFE, CLEAR if flipped else NEXT, last, last, 0)
    left, top = 1 + randint(c, last - 5), 1 + randint(c, last - 5)
    for _ in range(5 + randint(c, 8)):
        place(c, w, LIFE, CELL, 0, left, top, left + 4, top + 4, 0)


@large_kernel
def lay_out(c, w, rule):
    """Fill the empty world `w` with a layout; chance comes from the record `c`."""
    size = w.frame.shape[0]
    last = size - 1
    w.things = 0
    for k in range(w.taken.size):
        w.taken.flat[k] = 0
    if rule == ICE:
        place(c, w, ICE, SUN, randint(c, 2), 0, 0, last - 1, 1, 1)
        place(c, w, ICE, CLOUD, 0, 1, 0, last - 1, size // 4, 1)
    elif rule == GRAVITY:
        buttons_on_edges(c, w)
        anywhere(c, w, rule, FALLING, 0, randint(c, 3), 1)
    elif rule == DRIFT:
        anywhere(c, w, rule, 0, 0, 1 + randint(c, 3), 0)
    elif rule == MAGNETS:
        place(c, w, rule, FIXED, 0, size // 4, size // 4, last - size // 4, last - size // 4, 0)
        anywhere(c, w, rule, MOBILE, 0, 1, 2)
    elif rule == DISEASE:
        anywhere(c, w, rule, PARTICLE, 1, 4 + randint(c, 4), 0)
        anywhere(c, w, rule, ACTIVE, 0, 1, 0)
    elif rule == ANTS:
        anywhere(c, w, rule, ANT, 0, 2 + randint(c, 3), 0)
        anywhere(c, w, rule, FOOD, 0, 1 + randint(c, 3), 0)
    elif rule == SAND:
        place(c, w, rule, SAND_BUTTON, 0, 0, 0, last, 0, 1)
        place(c, w, rule, WATER_BUTTON, 0, 0, 0, last, 0, 1)
        heap(c, w)
    elif rule == PLUG:
        for button in range(VESSEL_BUTTON, CLEAR_BUTTON + 1):
            place(c, w, rule, button, 0, 0, 0, last, 0, 0)
        basin(c, w)
    elif rule == WIND:
        clouds(c, w)
    elif rule == EGG:
        place(c, w, rule, EGG_BUTTON, 0, 0, 0, last, 0, 0)
        place(c, w, rule, WHOLE, 0, 2, 2, last - 2, last - 2, 1)
    elif rule == CRATES:
        place(c, w, rule, EXIT, 0, 0, 0, last, size // 2 - 1, 0)
        place(c, w, rule, ENTRY, 0, 0, size // 2, last, last, 0)
        anywhere(c, w, rule, AGENT, 0, 1, 0)
        anywhere(c, w, rule, HOLE, 0, 1, 0)
        anywhere(c, w, rule, CRATE, 0, 2 + randint(c, 3), 0)
        anywhere(c, w, rule, WALL, 0, 4 + randint(c, 5), 0)
    elif rule == LIFE:
        cells(c, w)
    elif rule == LAMPS:
        for _ in range(4 + randint(c, size - 3)):
            place(c, w, rule, 0, np.int64(randint(c, 2)), 0, 0, last, last, 0)
