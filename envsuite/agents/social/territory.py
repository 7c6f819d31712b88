"""Agents that claim only unclaimed resources, that take those of others, and that fight.

Mean returns per agent in 1000 steps (64 episodes; standard errors 3 to 40):

| agents | `open` | `inside_out` | `rooms` |
|---|---|---|---|
| all peaceful | 92 | 255 | 193 |
| all guards | 74 | 209 | 193 |
| all overclaimers | 55 | 174 | 163 |
| all aggressors | 29 | 139 | 52 |
| one aggressor among peaceful agents | 570 | 962 | 1026 |
| the peaceful agents with it | 12 | 22 | 42 |
| one aggressor among guards | 56 | 294 | 41 |
| one overclaimer among peaceful agents | 714 | 1025 | 390 |
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.wayfinding import FACING, SEARCH, kinds, seen_at, someone_in_beam, survey, way
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited
from envsuite.kit import avatars
from envsuite.social.territory import BROKEN, CLAIM, CLAIMED, LENGTH, MINE, RADIUS, RESOURCE, ZAP

_ID = "envsuite/Territory-v0"

_NOBODYS = (RESOURCE, BROKEN)
_OTHERS = tuple(range(CLAIMED, avatars.LIT))
_TO_NOBODYS = kinds(open=(avatars.FLOOR,), goal=_NOBODYS)
_TO_ANY = kinds(open=(avatars.FLOOR,), goal=_NOBODYS + _OTHERS)
_TO_PLAYERS = kinds(open=(avatars.FLOOR,), goal=tuple(range(avatars.PLAYER, avatars.OWN)))


@kernel
def _near(view, ahead, right):
    """The code at a place relative to the agent."""
    rows, columns = view.shape
    return seen_at(view, rows - 1 - avatars.BEHIND - ahead, columns // 2 + right)


@large_kernel
def _go(memory, view, wanted):
    """A step to the nearest goal of a table from `kinds`, sideways along a wall; NOOP if there is none in reach."""
    for side in range(-1, 2, 2):
        if wanted[_near(view, np.int64(1), side)] == 2 and _near(view, np.int64(0), side) == avatars.FLOOR:
            return np.int64(avatars.STEP_RIGHT if side == 1 else avatars.STEP_LEFT)
    survey(memory, view, wanted)
    return np.int64(FACING[way(memory, view)])


@large_kernel
def _stroll(memory, view):
    """Stroll, but do not face resources of others."""
    if _near(view, np.int64(1), np.int64(0)) == avatars.FLOOR:
        if _near(view, np.int64(2), np.int64(0)) < CLAIMED and bernoulli(memory, 0.9):
            return np.int64(avatars.STEP_FORWARD)
    side = 2 * randint(memory, 2) - 1
    for _ in range(2):
        if _near(view, np.int64(0), side) < CLAIMED:
            return np.int64(avatars.TURN_RIGHT if side == 1 else avatars.TURN_LEFT)
        side = -side
    return np.int64(avatars.STEP_BACKWARD)


@kernel
def _settle(memory, view):
    """Paint unclaimed resources; otherwise stroll."""
    step = _go(memory, view, _TO_NOBODYS)
    return step if step != avatars.NOOP else _stroll(memory, view)


@kernel
def _aims(observation):
    """Whether a zap would reach an agent."""
    return observation.ready[0] >= 1.0 and someone_in_beam(observation["view"], LENGTH, RADIUS)


@kernel
def _reaches(view):
    """Whether a claim would take an unclaimed or another agent's resource beyond the one that the brush touches."""
    near, far = _near(view, np.int64(1), np.int64(0)), _near(view, np.int64(2), np.int64(0))
    return near != avatars.WALL and (far == RESOURCE or far == BROKEN or far >= CLAIMED)


@large_kernel
def _conquer(memory, observation):
    """Zap agents nearby, hunt agents in reach, paint everything, and break through walls to resources of others."""
    view = observation["view"]
    if _aims(observation):
        return np.int64(ZAP)
    survey(memory, view, _TO_PLAYERS)
    step = np.int64(FACING[way(memory, view)])
    if step == avatars.NOOP:
        step = _go(memory, view, _TO_ANY)
    if step != avatars.NOOP:
        return step
    rows, columns = view.shape
    prey = False
    for ahead in range(2, rows - avatars.BEHIND):
        for right in range(-RADIUS, RADIUS + 1):
            code = _near(view, ahead, right)
            prey |= avatars.PLAYER <= code < avatars.OWN or code >= CLAIMED
    if not prey:
        return np.int64(avatars.TURN_RIGHT) if bernoulli(memory, 0.3) else _stroll(memory, view)
    for ahead in range(1, LENGTH + 1):
        code = _near(view, ahead, np.int64(0))
        if code >= MINE or code == RESOURCE or code == BROKEN:
            return np.int64(ZAP if observation.ready[0] >= 1.0 else avatars.NOOP)
        if code != avatars.FLOOR:
            return avatars.TURN_LEFT + randint(memory, 2)
    return np.int64(avatars.STEP_FORWARD)


@policy(_ID, "peaceful", variables=SEARCH)
def peaceful(memory, observation, mask):
    """Paints unclaimed resources, and leaves those of others alone."""
    return _settle(memory, observation["view"])


@policy(_ID, "guard", variables=SEARCH)
def guard(memory, observation, mask):
    """Is peaceful, but zaps any agent that comes near."""
    if _aims(observation):
        return np.int64(ZAP)
    return _settle(memory, observation["view"])


@policy(_ID, "overclaimer", variables=SEARCH)
def overclaimer(memory, observation, mask):
    """Paints unclaimed resources and those of others, also through walls, but never zaps."""
    view = observation["view"]
    if _reaches(view):
        return np.int64(CLAIM)
    step = _go(memory, view, _TO_ANY)
    return step if step != avatars.NOOP else _stroll(memory, view)


@policy(_ID, "aggressor", variables=SEARCH)
def aggressor(memory, observation, mask):
    """Zaps all agents that it can reach, and breaks through to the resources of others and takes them."""
    return _conquer(memory, observation)


@policy(_ID, "avenger", variables={**SEARCH, "hit": limited(0, 0, 1)})
def avenger(memory, observation, mask):
    """Is peaceful until it is hit once, then an aggressor forever."""
    if observation.marks[memory.agent]:
        memory.hit = 1
    if memory.hit:
        return _conquer(memory, observation)
    return _settle(memory, observation["view"])
