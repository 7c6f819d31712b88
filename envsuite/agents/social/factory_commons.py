"""Agents that feed hoppers and eat the apples: one kind of machine gives the cube back, the other destroys it."""

from __future__ import annotations

import numpy as np

from envsuite.agents.wayfinding import BLOCKED, GOAL, OPEN, SEARCH, go, seen_at, wander, way
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli
from envsuite.kit import avatars
from envsuite.social import factory_commons as world

_ID = "envsuite/FactoryCommons-v0"

#: The agent's own row in its view.
_ROW = avatars.VIEW - 1 - avatars.BEHIND

#: Rows and columns up, to the right, down and to the left in a view; what turns an agent that way, or takes a cube.
_I, _J = np.array([-1, 0, 1, 0]), np.array([0, 1, 0, -1])
_REACH = np.array([world.GRASP, avatars.TURN_RIGHT, avatars.TURN_RIGHT, avatars.TURN_LEFT])

#: Codes that agents can walk over.
_GROUNDS = (avatars.FLOOR, avatars.SELF, world.OPEN, world.BUSY, world.BELT, world.SPOT)
_WALKED = np.isin(np.arange(128), _GROUNDS).astype(np.uint8)

#: In `holds`: a cube ahead, and the last entry that is a cube.
_HELD, _CUBES_HELD = 1, 4


@kernel
def _cube(observation, i, j):
    """What is at a place of the view of a cube: 0 none, 1 one that lies, 2 one in motion."""
    return (
        np.int64(observation["goods"][i, j]) % world.SEEN_APPLE
        if 0 <= i < avatars.VIEW and 0 <= j < avatars.VIEW
        else np.int64(0)
    )


@kernel
def _free(observation, i, j):
    """Whether an agent can walk over this place of the view."""
    return _WALKED[seen_at(observation["view"], i, j)] and _cube(observation, i, j) == 0


@kernel
def _fed_by(observation, i, j):
    """The dispenser of the machine whose mouth is at this place of the view: it lies across a corner; 0 if unseen."""
    for k in range(4):
        code = seen_at(observation["view"], i + _I[k] + _I[k - 1], j + _J[k] + _J[k - 1])
        if code == world.RENEWER or code == world.DOUBLER:
            return code
    return np.int64(0)


@kernel
def _taken(observation, i, j):
    """Whether somebody holds the cube at this place of the view."""
    for k in range(4):
        code = seen_at(observation["view"], i + _I[k], j + _J[k])
        if avatars.PLAYER <= code < avatars.OWN and observation.holds[(code - avatars.PLAYER) >> 2] == 1 + (k + 2) % 4:
            return True
    return False


@kernel
def _loose(observation, i, j, spots):
    """Whether there is a cube to fetch at this place of the view; only on a spot of a machine if `spots`."""
    if _cube(observation, i, j) != world.SEEN_CUBE or _taken(observation, i, j):
        return False
    code = seen_at(observation["view"], i, j)
    return code == world.SPOT if spots else code != world.OPEN and code != world.BUSY


@kernel
def _on_spots(observation):
    """Whether there is a cube to fetch on a spot of a machine."""
    for i in range(avatars.VIEW):
        for j in range(avatars.VIEW):
            if _loose(observation, i, j, True):
                return True
    return False


@kernel
def _full(observation, i, j):
    """Whether a cube is on the upper spot of the machine whose mouth is at this place of the view."""
    for k in range(4):
        y, x = i + _I[k] + _I[k - 1], j + _J[k] + _J[k - 1]
        if seen_at(observation["view"], y, x) == world.SPOT and _cube(observation, y, x) != 0:
            return True
    return False


@large_kernel
def _survey(memory, observation, apples, spots):
    """Classify the places of the view: goals are apples, or places beside a cube to fetch."""
    for i in range(avatars.VIEW):
        for j in range(avatars.VIEW):
            kind = OPEN if _free(observation, i, j) else BLOCKED
            if kind == OPEN and apples and observation["goods"][i, j] >= world.SEEN_APPLE:
                kind = GOAL
            elif kind == OPEN and not apples:
                for k in range(4):
                    if _loose(observation, i + _I[k], j + _J[k], spots):
                        kind = GOAL
            memory.ground[i * avatars.VIEW + j] = kind


@large_kernel
def _survey_for_two(memory, observation, wanted):
    """Classify the places of the view for an agent with a cube ahead: goals put it on a mouth of a wanted machine."""
    for i in range(avatars.VIEW):
        for j in range(avatars.VIEW):
            own = i == _ROW - 1 and j == avatars.MIDDLE
            kind = OPEN if i > 0 and (own or _free(observation, i, j)) else BLOCKED
            if kind == OPEN:
                there, moved = seen_at(observation["view"], i - 1, j), i == _ROW and j == avatars.MIDDLE
                if not moved and _cube(observation, i - 1, j) != 0 or not (_WALKED[there] or there == world.HOPPER):
                    kind = BLOCKED
                elif there == world.BUSY or there == world.OPEN:
                    ready = there == world.OPEN and _fed_by(observation, i - 1, j) == wanted
                    kind = GOAL if ready and not _full(observation, i - 1, j) else BLOCKED
            memory.ground[i * avatars.VIEW + j] = kind


@kernel
def _in_view(observation, code, wanted):
    """Whether a mouth of a wanted machine is in view, with this code."""
    for i in range(avatars.VIEW):
        for j in range(avatars.VIEW):
            if seen_at(observation["view"], i, j) == code and _fed_by(observation, i, j) == wanted:
                return True
    return False


@large_kernel
def _feed(memory, observation, wanted):
    """Eat apples, bring cubes to the wanted machines, and wait there for what they give."""
    view, own, hand = observation["view"], memory.agent, observation.holds[memory.agent]
    if observation.stamina[own] <= world.GREEN:
        return np.int64(avatars.NOOP)
    if hand > _HELD:  # an apple from above a cube is put aside
        return np.int64(avatars.TURN_RIGHT) if hand > _CUBES_HELD and bernoulli(memory, 0.5) else np.int64(world.GRASP)
    if hand == _HELD:
        _survey_for_two(memory, observation, wanted)
        step = way(memory, view)
        if step == avatars.NOOP and bernoulli(memory, 0.3):
            if _on_spots(observation):
                return np.int64(world.GRASP)
            if _in_view(observation, world.OPEN, wanted):
                return np.int64(avatars.TURN_RIGHT)
        return step if step != avatars.NOOP else wander(memory, view)
    _survey(memory, observation, True, False)
    step = way(memory, view)
    if step != avatars.NOOP:
        return step
    if observation.stamina[own] < world.MOST and _in_view(observation, world.BUSY, wanted):
        return np.int64(avatars.NOOP)
    spots = _on_spots(observation)
    for k in range(4):
        if _loose(observation, _ROW + _I[k], avatars.MIDDLE + _J[k], spots):
            return np.int64(_REACH[k])
    _survey(memory, observation, False, spots)
    return go(memory, view)


@policy(_ID, "steady", variables=SEARCH)
def steady(memory, observation, mask):
    """Feeds only machines that give the cube back; eats what it sees, and rests before it is tired."""
    return _feed(memory, observation, np.int64(world.RENEWER))


@policy(_ID, "greedy", variables=SEARCH)
def greedy(memory, observation, mask):
    """Feeds only machines that give two apples and destroy the cube; eats and rests as `steady` does."""
    return _feed(memory, observation, np.int64(world.DOUBLER))
