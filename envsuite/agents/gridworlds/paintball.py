"""Paintball: agents that paint what they see, and agents that go for flags or the hill and shoot at the other team.

Mean returns of an agent of red in 1000 steps (64 episodes; standard errors up to 0.3 and 45):

| red | blue | mode flags | mode hill |
|---|---|---|---|
| random | random | 0 | -48 |
| painter | random | 2.4 | 664 |
| raider | random | 6.9 | 976 |
| raider | painter | 3.4 | 933 |
| raider | raider | 0.3 | 41 |
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.wayfinding import BLOCKED, GOAL, OPEN, SEARCH, seen_at, wander, way
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli
from envsuite.core.world import Between
from envsuite.gridworlds import paintball
from envsuite.kit import avatars

_ID = "envsuite/Paintball-v0"

#: The agent's own row in its view; how far the shots reach.
_ROW = avatars.VIEW - 1 - avatars.BEHIND
_SHORT, _LONG = 3, 6


@kernel
def _is_enemy(observation, code):
    """Whether a code of the view is an agent of the other team."""
    return avatars.PLAYER <= code < avatars.OWN and observation.teams[(code - avatars.PLAYER) >> 2] == 2


@large_kernel
def _aim(observation):
    """The shot that would hit an agent of the other team, or NOOP."""
    view = observation["view"]
    for side in range(-1, 2):
        first, last = (1, _LONG) if side == 0 else (0, _SHORT - 1)
        for ahead in range(first, last + 1):
            code = seen_at(view, _ROW - ahead, avatars.MIDDLE + side)
            if code == avatars.WALL or code == paintball.BARRIER or code == paintball.DAMAGED:
                break
            if _is_enemy(observation, code):
                return np.int64(paintball.SHORT if ahead <= _SHORT else paintball.LONG)
    return np.int64(avatars.NOOP)


@large_kernel
def _fresh(observation, marked):
    """How many cells of the floor a short shot would newly give the own paint; only those with MARK if `marked`."""
    view, floor, count = observation["view"], observation["floor"], 0
    for side in range(-1, 2):
        first = 1 if side == 0 else 0
        for ahead in range(first, first + _SHORT):
            i, j = _ROW - ahead, avatars.MIDDLE + side
            code = seen_at(view, i, j)
            if code == avatars.WALL or code == paintball.BARRIER or code == paintball.DAMAGED:
                break
            if (
                code == avatars.FLOOR
                and floor[i, j] & paintball.OWN_PAINT == 0
                and (not marked or floor[i, j] & paintball.MARK)
            ):
                count += 1
    return count


@large_kernel
def _survey(memory, observation, carries, hill):
    """Classify the places of the view for `way`."""
    view, floor = observation["view"], observation["floor"]
    for i in range(avatars.VIEW):
        for j in range(avatars.VIEW):
            code, below, kind = seen_at(view, i, j), np.int64(floor[i, j]), BLOCKED
            if code == avatars.FLOOR or code == paintball.RUBBLE or code == paintball.SIGN or code == avatars.SELF:
                kind = OPEN
                if hill:
                    wanted = below & paintball.MARK > 0 and below & paintball.OWN_PAINT == 0
                elif carries:
                    wanted = below & paintball.MARK > 0 and below & paintball.OWN_FLAG > 0
                else:
                    wanted = below & paintball.OTHER_FLAG > 0 or (
                        below & paintball.OWN_FLAG > 0 and below & paintball.MARK == 0
                    )
                if wanted:
                    kind = GOAL
            elif _is_enemy(observation, code) and not carries:
                kind = GOAL if observation.carries[(code - avatars.PLAYER) >> 2] else BLOCKED
            memory.ground[i * avatars.VIEW + j] = kind


@kernel
def _paint_at(observation, step):
    """Paint on the cell to which a step leads."""
    i = _ROW + (step == avatars.STEP_BACKWARD) - (step == avatars.STEP_FORWARD)
    j = avatars.MIDDLE + (step == avatars.STEP_RIGHT) - (step == avatars.STEP_LEFT)
    return np.int64(observation["floor"][i, j]) & (paintball.OWN_PAINT | paintball.OTHER_PAINT)


@large_kernel
def _walk(memory, observation, ready):
    """A step on a shortest path to a goal, or somewhere; a cell with the other's paint is painted first."""
    step = way(memory, observation["view"])
    if step == avatars.NOOP:
        ahead = seen_at(observation["view"], _ROW - 1, avatars.MIDDLE)
        if ready and (ahead == paintball.BARRIER or ahead == paintball.DAMAGED) and bernoulli(memory, 0.5):
            return np.int64(paintball.SHORT)
        step = wander(memory, observation["view"])
    if (
        avatars.STEP_FORWARD <= step <= avatars.STEP_RIGHT
        and _paint_at(observation, step) == paintball.OTHER_PAINT
        and step != avatars.STEP_BACKWARD
    ):
        return np.int64(paintball.SHORT if ready else avatars.NOOP)
    return np.int64(step)


@policy(_ID, "painter", variables=SEARCH, least=Between(1, 9).at(3))
def painter(memory, observation, mask):
    """Wanders, and shoots where `least` cells of the floor or more would get new paint."""
    ready = observation.ready[0] == 1.0
    stuck = np.int64(observation["floor"][_ROW, avatars.MIDDLE]) & paintball.OTHER_PAINT > 0
    if ready and (stuck or _fresh(observation, False) >= memory.least):
        return np.int64(paintball.SHORT)
    _survey(memory, observation, True, False)
    for k in range(avatars.VIEW * avatars.VIEW):
        memory.ground[k] = min(memory.ground[k], OPEN)
    return _walk(memory, observation, ready)


@policy(_ID, "raider", variables=SEARCH, least=Between(1, 9).at(2))
def raider(memory, observation, mask):
    """Shoots at the other team; carries its flag home, or paints the hill.

    It frees itself from paint and shoots at agents of the other team that a shot reaches. In mode flags it goes for the
    other flag, its own one where that lies outside, carriers and, with a flag, its base. In mode hill it goes for cells
    of the hill without its paint, and shoots where this paints `least` of them or more.
    """
    floor, ready = observation["floor"], observation.ready[0] == 1.0
    carries, hill = observation.carries[memory.agent] == 1, np.int64(0)
    for i in range(avatars.VIEW):
        for j in range(avatars.VIEW):
            hill += floor[i, j] & paintball.MARK > 0
    if ready:
        if np.int64(floor[_ROW, avatars.MIDDLE]) & paintball.OTHER_PAINT:
            return np.int64(paintball.SHORT)
        shot = _aim(observation)
        if shot != avatars.NOOP:
            return shot
        if hill > 2 and _fresh(observation, True) >= memory.least:
            return np.int64(paintball.SHORT)
    _survey(memory, observation, carries, hill > 2)
    return _walk(memory, observation, ready)
