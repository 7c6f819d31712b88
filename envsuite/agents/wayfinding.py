"""Shared by scripted policies of social worlds on grids: finding a path in a view, wandering, aiming a beam.

A policy whose memory has `SEARCH` fills `memory.ground` with BLOCKED, OPEN or GOAL for every place of its view, by
`survey` or otherwise, and asks `way` for a step.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import scratch
from envsuite.kit import avatars

BLOCKED, OPEN, GOAL = range(3)

#: The four steps, and what they change in a view.
_STEPS = np.array([avatars.STEP_FORWARD, avatars.STEP_LEFT, avatars.STEP_RIGHT, avatars.STEP_BACKWARD])
_ROW = np.array([-1, 0, 0, 1])
_COLUMN = np.array([0, -1, 1, 0])

#: The turn that replaces a step aside or back, so that the agent faces where it goes; by the action of that step.
FACING = np.array([avatars.NOOP, avatars.STEP_FORWARD, avatars.TURN_LEFT, avatars.TURN_LEFT, avatars.TURN_RIGHT])

#: Variables of a memory for a search over a view; they have room for CENTERED rows and columns.
SEARCH = {
    "ground": scratch(avatars.CENTERED * avatars.CENTERED),
    "queue": scratch(avatars.CENTERED * avatars.CENTERED),
    "first": scratch(avatars.CENTERED * avatars.CENTERED),
}


def kinds(*, open: tuple[int, ...], goal: tuple[int, ...] = ()) -> np.ndarray:
    """(128,) table for `survey`: which codes can be walked over, and which are goals."""
    table = np.full(avatars.LIT, BLOCKED)
    table[list(open)] = OPEN
    table[list(goal)] = GOAL
    return table


@kernel
def seen_at(view, i, j):
    """The code at a place of the view, without its beam; 0 outside of the view."""
    rows, columns = view.shape
    return np.int64(view[i, j] & (avatars.LIT - 1)) if 0 <= i < rows and 0 <= j < columns else np.int64(0)


@kernel
def survey(memory, view, kinds):
    """Classify the places of a view by a table from `kinds`."""
    rows, columns = view.shape
    for i in range(rows):
        for j in range(columns):
            memory.ground[i * columns + j] = kinds[view[i, j] & (avatars.LIT - 1)]


@kernel
def way(memory, view):
    """The first step on a shortest path over open ground to a goal; NOOP if none can be reached."""
    rows, columns = view.shape
    for k in range(rows * columns):
        memory.first[k] = 0
    memory.queue[0] = avatars.own_row(rows) * columns + columns // 2
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
    return np.int64(avatars.NOOP)


@kernel
def wander(memory, view):
    """Walk mostly straight ahead over open ground, by `memory.ground`, else turn at random."""
    rows, columns = view.shape
    if memory.ground[(avatars.own_row(rows) - 1) * columns + columns // 2] != BLOCKED and bernoulli(memory, 0.9):
        return np.int64(avatars.STEP_FORWARD)
    return avatars.TURN_LEFT + randint(memory, 2)


@kernel
def go(memory, view):
    """The first step on a shortest path to a goal, or wander."""
    step = way(memory, view)
    return step if step != avatars.NOOP else wander(memory, view)


@kernel
def go_facing(memory, view):
    """`go`, but turn towards the direction of the step."""
    step = way(memory, view)
    return np.int64(FACING[step]) if step != avatars.NOOP else wander(memory, view)


@kernel
def go_act(memory, view, act):
    """`go`, but turn to a goal beside the agent, and `act` on one that is ahead."""
    columns = view.shape[1]
    step, own = way(memory, view), avatars.own_row(view.shape[0]) * columns + columns // 2
    if step == avatars.NOOP:
        return wander(memory, view)
    if step == avatars.STEP_FORWARD and memory.ground[own - columns] == GOAL:
        return np.int64(act)
    if step == avatars.STEP_LEFT and memory.ground[own - 1] == GOAL:
        return np.int64(avatars.TURN_LEFT)
    if step == avatars.STEP_RIGHT and memory.ground[own + 1] == GOAL:
        return np.int64(avatars.TURN_RIGHT)
    if step == avatars.STEP_BACKWARD and memory.ground[own + columns] == GOAL:
        return np.int64(avatars.TURN_RIGHT)
    return step


@kernel
def someone_in_beam(view, length, radius):
    """Whether a beam of this size would end at an agent."""
    rows, columns = view.shape
    for side in range(-radius, radius + 1):
        for distance in range(length + 1):
            reach = length if side == 0 else length - abs(side)
            within = 0 < distance <= reach if side == 0 else distance <= reach
            if (
                within
                and avatars.PLAYER <= seen_at(view, avatars.own_row(rows) - distance, columns // 2 + side) < avatars.OWN
            ):
                return True
    return False
