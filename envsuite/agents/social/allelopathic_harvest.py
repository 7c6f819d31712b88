"""Agents that plant one color, the color that they like or the color that they see, enforce a color, or only eat.

Total returns of all sixteen agents in 1000 steps (16 episodes from seed 0), if all do the same:

| all agents | return |
|---|---|
| plant red | 841 |
| plant green | 840 |
| plant the color that they see most | 754 |
| plant the color that they like | 297 |
| the same, and zap agents that show another color | 110 |
| the same, harshly | -603 |
| only eat | 264 |

If all like red (`tastes="red"`), each gets 17 if all only eat, and 69 if all plant red. With 1, 2, 5, 10 or 15
planters, each planter gets 22, 40, 54, 63 or 69, and each agent that only eats gets 48, 62, 73, 82 or 92.
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.wayfinding import SEARCH, go, go_facing, kinds, seen_at, survey
from envsuite.core.kernel import kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.kit import avatars
from envsuite.social.allelopathic_harvest import COLORED, LENGTH, PLANT, RADIUS, RIPE, UNRIPE, ZAP
from envsuite.social.allelopathic_harvest.levels import COLORS

_ID = "envsuite/AllelopathicHarvest-v0"

_RIPE = tuple(range(RIPE, RIPE + len(COLORS)))
_GROUND = (avatars.FLOOR, *range(UNRIPE, RIPE))
_EAT = kinds(open=_GROUND, goal=_RIPE)
#: For planters of each color: ripe berries, and unripe berries of other colors.
_PLANT = np.array([kinds(open=_GROUND, goal=(*_RIPE, *(UNRIPE + k for k in range(3) if k != c))) for c in range(3)])


@kernel
def _eat(memory, view):
    """Go to the nearest ripe berry, or wander."""
    survey(memory, view, _EAT)
    return go(memory, view)


@kernel
def _aim(view):
    """The code at which a planting beam would end, or FLOOR."""
    rows, columns = view.shape
    for distance in range(1, LENGTH + 1):
        code = seen_at(view, rows - 1 - avatars.BEHIND - distance, columns // 2)
        if code == avatars.WALL or code >= avatars.PLAYER:
            return code
    return np.int64(avatars.FLOOR)


@kernel
def _plant(memory, view, color):
    """Plant if the beam reaches another color; otherwise go to the nearest such or ripe berry, or wander."""
    aim = _aim(view)
    if UNRIPE <= aim < RIPE and aim != UNRIPE + color:
        return PLANT + color
    rows, columns = view.shape
    for i in range(rows):
        for j in range(columns):
            memory.ground[i * columns + j] = _PLANT[color, view[i, j] & (avatars.LIT - 1)]
    return go_facing(memory, view)


@kernel
def _rival(observation, color, harsh):
    """Whether a zap would hit an agent that shows another color; a marked agent counts only if `harsh`."""
    view = observation["view"]
    rows, columns = view.shape
    for side in range(-RADIUS, RADIUS + 1):
        for distance in range(1 if side == 0 else 0, LENGTH + (1 if side == 0 else 0)):
            code = seen_at(view, rows - 1 - avatars.BEHIND - distance, columns // 2 + side)
            if avatars.PLAYER <= code < avatars.OWN:
                a = (code - avatars.PLAYER) >> 2
                shown = np.int64(observation.colors[a])
                if shown >= COLORED and shown != COLORED + color and (harsh or not observation.marks[a]):
                    return True
    return False


@policy(_ID, "red", variables=SEARCH)
def red(memory, observation, mask):
    """Plants red, and eats what is ripe on the way."""
    return _plant(memory, observation["view"], np.int64(0))


@policy(_ID, "green", variables=SEARCH)
def green(memory, observation, mask):
    """Plants green, and eats what is ripe on the way."""
    return _plant(memory, observation["view"], np.int64(1))


@policy(_ID, "favourite", variables=SEARCH)
def favourite(memory, observation, mask):
    """Plants the color that it likes best, and eats what is ripe on the way."""
    return _plant(memory, observation["view"], np.int64(observation.taste))


@policy(_ID, "conformist", variables={**SEARCH, "share": np.zeros(len(COLORS))})
def conformist(memory, observation, mask):
    """Plants the color that it has recently seen most, and eats what is ripe on the way."""
    view = observation["view"]
    for color in range(len(COLORS)):
        memory.share[color] *= 0.95
    for i in range(view.shape[0]):
        for j in range(view.shape[1]):
            code = np.int64(view[i, j]) & (avatars.LIT - 1)
            if code >= UNRIPE:
                memory.share[(code - UNRIPE) % len(COLORS)] += 1.0
    color = np.int64(0)
    for k in range(1, len(COLORS)):
        if memory.share[k] > memory.share[color]:
            color = np.int64(k)
    return _plant(memory, view, color)


@policy(_ID, "enforcer", variables=SEARCH, harsh=CHANCE.at(0))
def enforcer(memory, observation, mask):
    """Plants the color that it likes best, and zaps agents that show another; with `harsh` = 1, even marked ones."""
    color = np.int64(observation.taste)
    if observation.ready[0] >= 1.0 and _rival(observation, color, memory.harsh):
        return np.int64(ZAP)
    return _plant(memory, observation["view"], color)


@policy(_ID, "free_rider", variables=SEARCH)
def free_rider(memory, observation, mask):
    """Eats what is ripe, and plants nothing."""
    return _eat(memory, observation["view"])
