"""Shared by scripted policies of social worlds on grids: finding a path in a view, wandering, aiming a beam.

A policy whose memory has `SEARCH` fills `memory.ground` with BLOCKED, OPEN or GOAL for every place of its view, by
`survey` or otherwise, and asks `way` for a step.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import scratch
from envsuite.kit.avatars import (
    CENTRED,
    LIT,
    NOOP,
    OWN,
    PLAYER,
    STEP_BACKWARD,
    STEP_FORWARD,
    STEP_LEFT,
    STEP_RIGHT,
    TURN_LEFT,
    TURN_RIGHT,
    own_row,
)

BLOCKED, OPEN, GOAL = range(3)

#: The four steps, and what they change in a view.
_STEPS = np.array([STEP_FORWARD, STEP_LEFT, STEP_RIGHT, STEP_BACKWARD])
_ROW = np.array([-1, 0, 0, 1])
_COLUMN = np.array([0, -1, 1, 0])

#: The turn that replaces a step aside or back, so that the agent faces where it goes; by the action of that step.
FACING = np.array([NOOP, STEP_FORWARD, TURN_LEFT, TURN_LEFT, TURN_RIGHT])

#: Variables of a memory for a search over a view; they have room for CENTRED rows and columns.
SEARCH = {
    "ground": scratch(CENTRED * CENTRED),
    "queue": scratch(CENTRED * CENTRED),
    "first": scratch(CENTRED * CENTRED),
}


def kinds(*, open: tuple[int, ...], goal: tuple[int, ...] = ()) -> np.ndarray:
    """(128,) table for `survey`: which codes can be walked over, and which are goals."""
    table = np.full(LIT, BLOCKED)
    table[list(open)] = OPEN
    table[list(goal)] = GOAL
    return table


@kernel
def seen_at(view, i, j):
    """The code at a place of the view, without its beam; 0 outside of the view."""
    rows, columns = view.shape
    return np.int64(view[i, j] & (LIT - 1)) if 0 <= i < rows and 0 <= j < columns else np.int64(0)


@kernel
def survey(memory, view, kinds):
    """Classify the places of a view by a table from `kinds`."""
    rows, columns = view.shape
    for i in range(rows):
        for j in range(columns):
            memory.ground[i * columns + j] = kinds[view[i, j] & (LIT - 1)]


@kernel
def way(memory, view):
    """The first step on a shortest path over open ground to a goal; NOOP if none can be reached."""
    rows, columns = view.shape
    for k in range(rows * columns):
        memory.first[k] = 0
    memory.queue[0] = own_row(rows) * columns + columns // 2
    memory.first[memory.queue[0]] = -1
    head, tail = 0, 1
    while head < tail:
        place = memory.queue[head]
        head += 1
        for k in range(4):
            i, j = place // columns + _ROW[k], place % columns + _COLUMN[k]
            if not (0 <= i < rows and 0 <= j < columns):
                continue
            there = i * columns + j
            if memory.ground[there] == BLOCKED or memory.first[there] != 0:
                continue
            first = _STEPS[k] if head == 1 else memory.first[place]
            if memory.ground[there] == GOAL:
                return first
            memory.first[there] = first
            memory.queue[tail] = there
            tail += 1
    return np.int64(NOOP)


@kernel
def wander(memory, view):
    """Walk mostly straight ahead over open ground, by `memory.ground`, else turn at random."""
    rows, columns = view.shape
    if memory.ground[(own_row(rows) - 1) * columns + columns // 2] != BLOCKED and bernoulli(memory, 0.9):
        return np.int64(STEP_FORWARD)
    return TURN_LEFT + randint(memory, 2)


@kernel
def go(memory, view):
    """The first step on a shortest path to a goal, or wander."""
    step = way(memory, view)
    return step if step != NOOP else wander(memory, view)


@kernel
def go_facing(memory, view):
    """`go`, but turn towards the direction of the step."""
    step = way(memory, view)
    return np.int64(FACING[step]) if step != NOOP else wander(memory, view)


@kernel
def someone_in_beam(view, length, radius):
    """Whether a beam of this size would end at an agent."""
    rows, columns = view.shape
    for side in range(-radius, radius + 1):
        for distance in range(length + 1):
            reach = length if side == 0 else length - abs(side)
            within = 0 < distance <= reach if side == 0 else distance <= reach
            if within and PLAYER <= seen_at(view, own_row(rows) - distance, columns // 2 + side) < OWN:
                return True
    return False
