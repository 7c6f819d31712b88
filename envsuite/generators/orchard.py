"""Maps of the commons harvest: patches of apples in the open, or in two walled rooms.

In the open there are no inner walls. `closed` has two rooms with a door each. `partnership` has these doors too, and a
wide passage between the rooms: whoever wants them alone has two doors to guard, and needs a partner.

Every map is 24 x 18 and has 64 apple sites, 60 cells where players return and 2 where the first two start. Each half
has two whole discs of radius 2 and a quarter of one in a corner; patches are so far apart that none helps
another to grow. The three lowest rows, less six random cells, are where players return.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.grid import DISC
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint

WIDTH, HEIGHT = 24, 18

#: What a cell of a map holds, and its letter in a level.
WALL, FLOOR, SITE, RETURN, INNER = range(5)
LEGEND = "#.ari"

#: The kinds of map, in the order of their numbers.
KINDS = ("open", "closed", "partnership")
OPEN, CLOSED, PARTNERSHIP = range(3)

#: The half maps, or rooms: ROOM x ROOM cells from row 1 and from each of these columns.
ROOM = 10
LEFTS = (1, WIDTH - 1 - ROOM)
_PASSAGE = 7  # rows of the passage between the rooms

_RETURNS = 60
_SPAN = ROOM - 4  # centres of whole discs are this many columns and rows


def _apart() -> np.ndarray:
    """Whether two discs of radius 2 whose centres are (dx, dy) apart have no cells within distance 2 of each other."""
    disc = np.concatenate([[(0, 0)], DISC])
    table = np.zeros((ROOM, ROOM), np.uint8)
    for dx in range(ROOM):
        for dy in range(ROOM):
            gaps = disc[:, None] + (dx, dy) - disc[None]
            table[dx, dy] = (gaps**2).sum(axis=2).min() > 4
    return table


APART = _apart()


@large_kernel
def orchard(s, kind):
    """Fill `s.map` with a new map of this kind."""
    for y in range(HEIGHT):
        for x in range(WIDTH):
            inside = 0 < x < WIDTH - 1 and 0 < y < HEIGHT - 1
            s.map[y, x] = FLOOR if inside else WALL
    if kind != OPEN:
        rooms(s, kind)
    for half in range(2):
        patches(s, LEFTS[half])
        inner_start(s, LEFTS[half])
    returns(s)


@kernel
def rooms(s, kind):
    """Wall in both halves, with a door each at a random place of the lower wall."""
    for x in range(1, WIDTH - 1):
        s.map[ROOM + 1, x] = WALL
    passage = 1 + randint(s, ROOM + 1 - _PASSAGE)
    for y in range(1, ROOM + 1):
        for x in range(1 + ROOM, WIDTH - 1 - ROOM):
            joined = kind == PARTNERSHIP and passage <= y < passage + _PASSAGE
            s.map[y, x] = FLOOR if joined else WALL
    for half in range(2):
        s.map[ROOM + 1, LEFTS[half] + randint(s, ROOM)] = FLOOR


@kernel
def patch(s, left, x, y):
    """Plant the part of a disc around (x, y) that lies in this half."""
    s.map[y, x] = SITE
    for k in range(DISC.shape[0]):
        i, j = x + DISC[k, 0], y + DISC[k, 1]
        if left <= i < left + ROOM and 1 <= j <= ROOM:
            s.map[j, i] = SITE


@kernel
def far_from(column, row, corner_x, corner_y):
    """Whether the disc at this place among the centres keeps away from the quarter in the corner."""
    return APART[abs(column + 2 - corner_x), abs(row + 2 - corner_y)]


@kernel
def patches(s, left):
    """A quarter of a disc in a random corner, and a random pair of discs that keep away from it and each other."""
    corner_x, corner_y = (ROOM - 1) * randint(s, 2), (ROOM - 1) * randint(s, 2)
    patch(s, left, left + corner_x, 1 + corner_y)
    chosen = -1
    for drawing in range(2):  # count the pairs, then go to the one drawn
        pairs = 0
        for a in range(_SPAN * _SPAN):
            if not far_from(a % _SPAN, a // _SPAN, corner_x, corner_y):
                continue
            for b in range(a):
                if not far_from(b % _SPAN, b // _SPAN, corner_x, corner_y):
                    continue
                if APART[abs(a % _SPAN - b % _SPAN), abs(a // _SPAN - b // _SPAN)]:
                    if drawing and pairs == chosen:
                        patch(s, left, left + 2 + a % _SPAN, 3 + a // _SPAN)
                        patch(s, left, left + 2 + b % _SPAN, 3 + b // _SPAN)
                    pairs += 1
        if not drawing:
            chosen = randint(s, pairs)


@kernel
def inner_start(s, left):
    """A start on a random floor cell of this half."""
    count = 0
    for y in range(1, ROOM + 1):
        for x in range(left, left + ROOM):
            count += s.map[y, x] == FLOOR
    chosen = randint(s, count)
    for y in range(1, ROOM + 1):
        for x in range(left, left + ROOM):
            if s.map[y, x] == FLOOR:
                if chosen == 0:
                    s.map[y, x] = INNER
                chosen -= 1


@kernel
def returns(s):
    """A random 60 of the 66 cells in the three lowest rows."""
    left, wanted = 3 * (WIDTH - 2), _RETURNS
    for y in range(HEIGHT - 4, HEIGHT - 1):
        for x in range(1, WIDTH - 1):
            if randint(s, left) < wanted:
                s.map[y, x] = RETURN
                wanted -= 1
            left -= 1
