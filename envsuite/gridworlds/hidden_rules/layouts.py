"""The layouts of HiddenRules: for each rule, things at random places of an empty grid."""

from __future__ import annotations

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.gridworlds.hidden_rules import kernels

_TRIES = 60


@large_kernel
def fits(w, rule, kind, x, y, gap):
    """Whether a thing has room at a place, with nothing in the cells within `gap` of it."""
    shape, size = kernels.SHAPE[rule, kind], w.frame.shape[0]
    for i in range(kernels.LENGTH[shape]):
        column, row = x + kernels.CELLS[shape, i, 0], y + kernels.CELLS[shape, i, 1]
        if not kernels.inside(w, column, row):
            return False
        for below in range(max(row - gap, 0), min(row + gap + 1, size)):
            for beside in range(max(column - gap, 0), min(column + gap + 1, size)):
                if w.taken[below, beside] != 0:
                    return False
    return True


@large_kernel
def put(w, rule, kind, x, y, mark):
    """Add a thing to a layout."""
    shape = kernels.SHAPE[rule, kind]
    kernels.add(w, kind, x, y, mark)
    for i in range(kernels.LENGTH[shape]):
        w.taken[y + kernels.CELLS[shape, i, 1], x + kernels.CELLS[shape, i, 0]] = 1


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
    place(c, w, kernels.GRAVITY, kernels.LEFT_BUTTON, 0, 0, 1, 0, last - 1, 1)
    place(c, w, kernels.GRAVITY, kernels.LEFT_BUTTON + 1, 0, last, 1, last, last - 1, 1)
    place(c, w, kernels.GRAVITY, kernels.LEFT_BUTTON + 2, 0, 1, 0, last - 1, 0, 1)
    place(c, w, kernels.GRAVITY, kernels.LEFT_BUTTON + 3, 0, 1, last, last - 1, last, 1)


@kernel
def heap(c, w):
    """For `sand`: columns of sand side by side."""
    size = w.frame.shape[0]
    first, last = randint(c, size // 3), size - 1 - randint(c, size // 3)
    for x in range(first, last + 1):
        for height in range(1 + randint(c, size // 3)):
            put(w, kernels.SAND, kernels.GRAIN, x, size - 1 - height, 0)


@kernel
def basin(c, w):
    """For `plug`: two walls on the ground, with plugs between them."""
    size = w.frame.shape[0]
    width = 2 + randint(c, size // 3)
    left = randint(c, size - width - 1)
    height = 2 + randint(c, size // 4)
    filled = 1 + randint(c, height)
    for up in range(height):
        put(w, kernels.PLUG, kernels.VESSEL, left, size - 1 - up, 0)
        put(w, kernels.PLUG, kernels.VESSEL, left + width + 1, size - 1 - up, 0)
        if up < filled:
            for x in range(left + 1, left + width + 1):
                put(w, kernels.PLUG, kernels.STOPPER, x, size - 1 - up, 0)


@kernel
def clouds(c, w):
    """For `wind`: a cloud of two rows, over half of the width or more."""
    size = w.frame.shape[0]
    length = size // 2 + randint(c, size - size // 2 + 1)
    first = randint(c, size - length + 1)
    for x in range(first, first + length):
        put(w, kernels.WIND, kernels.RAIN_CLOUD, x, 0, 0)
        put(w, kernels.WIND, kernels.RAIN_CLOUD, x, 1, 0)


@kernel
def cells(c, w):
    """For `life`: two buttons in the bottom corners, and living cells close together."""
    last = w.frame.shape[0] - 1
    flipped = randint(c, 2)
    put(w, kernels.LIFE, kernels.NEXT if flipped else kernels.CLEAR, 0, last, 0)
    put(w, kernels.LIFE, kernels.CLEAR if flipped else kernels.NEXT, last, last, 0)
    left, top = 1 + randint(c, last - 5), 1 + randint(c, last - 5)
    for _ in range(5 + randint(c, 8)):
        place(c, w, kernels.LIFE, kernels.CELL, 0, left, top, left + 4, top + 4, 0)


@large_kernel
def lay_out(c, w, rule):
    """Fill the empty world `w` with a layout; chance comes from the record `c`."""
    size = w.frame.shape[0]
    last = size - 1
    w.things = 0
    fill(w.taken, 0)
    if rule == kernels.ICE:
        place(c, w, kernels.ICE, kernels.SUN, randint(c, 2), 0, 0, last - 1, 1, 1)
        place(c, w, kernels.ICE, kernels.CLOUD, 0, 1, 0, last - 1, size // 4, 1)
    elif rule == kernels.GRAVITY:
        buttons_on_edges(c, w)
        anywhere(c, w, rule, kernels.FALLING, 0, randint(c, 3), 1)
    elif rule == kernels.DRIFT:
        anywhere(c, w, rule, 0, 0, 1 + randint(c, 3), 0)
    elif rule == kernels.MAGNETS:
        place(c, w, rule, kernels.FIXED, 0, size // 4, size // 4, last - size // 4, last - size // 4, 0)
        anywhere(c, w, rule, kernels.MOBILE, 0, 1, 2)
    elif rule == kernels.DISEASE:
        anywhere(c, w, rule, kernels.PARTICLE, 1, 4 + randint(c, 4), 0)
        anywhere(c, w, rule, kernels.ACTIVE, 0, 1, 0)
    elif rule == kernels.ANTS:
        anywhere(c, w, rule, kernels.ANT, 0, 2 + randint(c, 3), 0)
        anywhere(c, w, rule, kernels.FOOD, 0, 1 + randint(c, 3), 0)
    elif rule == kernels.SAND:
        place(c, w, rule, kernels.SAND_BUTTON, 0, 0, 0, last, 0, 1)
        place(c, w, rule, kernels.WATER_BUTTON, 0, 0, 0, last, 0, 1)
        heap(c, w)
    elif rule == kernels.PLUG:
        for button in range(kernels.VESSEL_BUTTON, kernels.CLEAR_BUTTON + 1):
            place(c, w, rule, button, 0, 0, 0, last, 0, 0)
        basin(c, w)
    elif rule == kernels.WIND:
        clouds(c, w)
    elif rule == kernels.EGG:
        place(c, w, rule, kernels.EGG_BUTTON, 0, 0, 0, last, 0, 0)
        place(c, w, rule, kernels.WHOLE, 0, 2, 2, last - 2, last - 2, 1)
    elif rule == kernels.CRATES:
        place(c, w, rule, kernels.EXIT, 0, 0, 0, last, size // 2 - 1, 0)
        place(c, w, rule, kernels.ENTRY, 0, 0, size // 2, last, last, 0)
        anywhere(c, w, rule, kernels.AGENT, 0, 1, 0)
        anywhere(c, w, rule, kernels.HOLE, 0, 1, 0)
        anywhere(c, w, rule, kernels.CRATE, 0, 2 + randint(c, 3), 0)
        anywhere(c, w, rule, kernels.WALL, 0, 4 + randint(c, 5), 0)
    elif rule == kernels.LIFE:
        cells(c, w)
    elif rule == kernels.LAMPS:
        for _ in range(4 + randint(c, size - 3)):
            place(c, w, rule, 0, np.int64(randint(c, 2)), 0, 0, last, last, 0)
