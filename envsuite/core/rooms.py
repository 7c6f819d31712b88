"""The engine of rooms: MiniGrid's objects, actions and partial view, compiled. DoorKey and its relatives stand on it.

A cell is one byte, its *code*: the kind of object in the low four bits, its colour in the next three, and the
highest bit where one cannot see through it. Kinds are MiniGrid's object types; a door that is closed or locked
is a kind of its own, so a code says all of MiniGrid's ``(type, colour, state)``, and `DECODE` gives them back.

The grid is kept flat, row after row, between `MARGIN` rows of wall above and below, so one step in any facing
is one addition and no view leaves it. A view may run over the grid's left or right edge into the next row, but
nothing there is ever seen: levels are walled in, and sight stops at walls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from envsuite.core.errors import LevelError
from envsuite.core.grid import DX, DY, EAST, NORTH
from envsuite.core.kernel import kernel
from envsuite.core.world import World

#: MiniGrid's names by number.
TYPES = ("unseen", "empty", "wall", "floor", "door", "key", "ball", "box", "goal", "lava", "agent")
COLORS = ("red", "green", "blue", "purple", "yellow", "grey")
STATES = ("open", "closed", "locked")

ACTIONS = ("left", "right", "forward", "pickup", "drop", "toggle", "done")
LEFT, RIGHT, FORWARD, PICKUP, DROP, TOGGLE, DONE = range(7)

# Kinds: MiniGrid's types, where DOOR is an open one, and two more.
UNSEEN, EMPTY, WALL, FLOOR, DOOR, KEY, BALL, BOX, GOAL, LAVA, AGENT = range(11)
CLOSED, LOCKED = 11, 12
KIND, COLOR, OPAQUE = 0x0F, 0x70, 0x80

RED, GREEN, BLUE, PURPLE, YELLOW, GREY = (k << 4 for k in range(6))
GREY_WALL = OPAQUE | GREY | WALL

# Sets of kinds, as bits.
_WALKABLE = 1 << EMPTY | 1 << FLOOR | 1 << DOOR | 1 << GOAL | 1 << LAVA
_PORTABLE = 1 << KEY | 1 << BALL | 1 << BOX

#: The view is VIEW x VIEW cells; the agent stands in the middle of the nearest row, cell (MIDDLE, VIEW - 1).
VIEW, MIDDLE = 7, 3
#: Rows of wall above and below the grid.
MARGIN = VIEW - 1


def _decode() -> np.ndarray:
    """(256, 3) uint8: the type, colour and state of a code."""
    kind, color = np.arange(256) & KIND, (np.arange(256) & COLOR) >> 4
    closed = np.isin(kind, (CLOSED, LOCKED))
    return np.stack([np.where(closed, DOOR, kind), color, np.where(closed, kind - DOOR - 6, 0)], axis=1).astype(np.uint8)


def _spread() -> np.ndarray:
    """(128, 128) uint8: the cells lit by a row, as bits, from the cells of it that are clear and those that are lit.

    Light runs along a row through clear cells to both sides; each of these lights its neighbours in the row and
    the three cells beyond it in the next, whose own clear cells carry it on. (MiniGrid's `process_vis`.)
    """
    clear, lit = np.meshgrid(np.arange(1 << VIEW), np.arange(1 << VIEW), indexing="ij")
    lit = lit & clear
    for _ in range(VIEW):
        lit = lit | clear & (lit << 1 | lit >> 1)
    return ((lit | lit << 1 | lit >> 1) & (1 << VIEW) - 1).astype(np.uint8)


DECODE = _decode()
SPREAD = _spread()


@kernel
def begin(s):
    """Put the level into the record: what every room's reset ends with."""
    height, width = s.level.grid.shape
    for k in range(s.grid.shape[0]):
        s.grid[k] = GREY_WALL
    for y in range(height):
        for x in range(width):
            s.grid[(y + MARGIN) * width + x] = s.level.grid[y, x]
    s.agent = (s.level.agent[1] + MARGIN) * width + s.level.agent[0]
    s.direction = s.level.direction
    s.carrying = 0


@kernel
def stride(s, direction):
    """How far the next cell in a direction is in the flat grid."""
    return DX[direction] + DY[direction] * s.level.grid.shape[1]


@kernel
def act(s, action):
    """Carry out an action; the kind of the cell that the agent has walked onto, or UNSEEN where it has not."""
    if action == LEFT:
        s.direction = (s.direction + 3) & 3
        return UNSEEN
    if action == RIGHT:
        s.direction = (s.direction + 1) & 3
        return UNSEEN
    ahead = np.uint64(s.agent + stride(s, s.direction))
    code = np.int64(s.grid[ahead])
    kind = code & KIND
    if action == FORWARD:
        if _WALKABLE >> kind & 1:
            s.agent = ahead
            return kind
    elif action == PICKUP:
        if s.carrying == 0 and _PORTABLE >> kind & 1:
            s.carrying = code
            s.grid[ahead] = EMPTY
    elif action == DROP:
        if s.carrying != 0 and kind == EMPTY:
            s.grid[ahead] = s.carrying
            s.carrying = 0
    elif action == TOGGLE:
        color = code & COLOR
        if kind == CLOSED or (kind == LOCKED and s.carrying == color | KEY):
            s.grid[ahead] = color | DOOR
        elif kind == DOOR:
            s.grid[ahead] = OPAQUE | color | CLOSED
        elif kind == BOX:
            s.grid[ahead] = EMPTY
    return UNSEEN


@kernel
def step(s, actions, rewards):
    entered = act(s, actions[0])
    if entered == GOAL:
        rewards[0] = 1.0 - 0.9 * (s.t / s.params.horizon)
    if entered == GOAL or entered == LAVA:
        s.terminated[0] = 1
    if s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    ahead = stride(s, s.direction)
    right = stride(s, (s.direction + 1) & 3)
    row = s.agent - MIDDLE * right
    lit = 1 << MIDDLE
    for j in range(VIEW - 1, -1, -1):
        clear = 0
        for i in range(VIEW):
            clear |= (s.grid[np.uint64(row + i * right)] < OPAQUE) << i
        onward = np.int64(SPREAD[clear, lit])
        lit |= onward
        for i in range(VIEW):
            code = s.grid[np.uint64(row + i * right)] * (lit >> i & 1)
            for k in range(3):
                out.image[i, j, k] = DECODE[code, k]
        lit = onward
        row += ahead
    held = s.carrying if s.carrying else EMPTY
    for k in range(3):
        out.image[MIDDLE, VIEW - 1, k] = DECODE[held, k]
    out.direction = s.direction


@kernel
def legal(s, agent, mask):
    for k in range(DONE + 1):
        mask[k] = 1
