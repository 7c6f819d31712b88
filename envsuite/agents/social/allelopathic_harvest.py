"""Planters of one colour, of the one they like, of the one they see; those who enforce theirs; those who only eat.

Returns of all sixteen in 1000 steps (16 episodes from seed 0): all plant red 841, green 840, what they see most 754,
what they like 297, the same and zap who shows another colour 110, harshly -603; all only eat 264. Where all like red
(`tastes="red"`), each gets 17 if all only eat and 69 if all plant red; with 1, 2, 5, 10, 15 planters each of these
gets 22, 40, 54, 63, 69, and each of those who only eat 48, 62, 73, 82, 92.
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.wayfinding import SEARCH, go, go_facing, kinds, seen_at, survey
from envsuite.core.kernel import kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.generators.berries import COLORS
from envsuite.kit.avatars import (
    BEHIND,
    FLOOR,
    LIT,
    OWN,
    PLAYER,
    WALL,
)
from envsuite.social.allelopathic_harvest import COLORED, LENGTH, PLANT, RADIUS, RIPE, UNRIPE, ZAP

_ID = "envsuite/AllelopathicHarvest-v0"

_RIPE = tuple(range(RIPE, RIPE + len(COLORS)))
_GROUND = (FLOOR, *range(UNRIPE, RIPE))
_EAT = kinds(open=_GROUND, goal=_RIPE)
#: For those who plant each of the colours: ripe berries, and the unripe ones of other colours.
_PLANT = np.array([kinds(open=_GROUND, goal=(*_RIPE, *(UNRIPE + k for k in range(3) if k != c))) for c in range(3)])


@kernel
def _eat(memory, view):
    """Go to the nearest ripe berry, or wander."""
    survey(memory, view, _EAT)
    return go(memory, view)


@kernel
def _aim(view):
    """The code that a planting beam would end at, or FLOOR."""
    rows, columns = view.shape
    for distance in range(1, LENGTH + 1):
        code = seen_at(view, rows - 1 - BEHIND - distance, columns // 2)
        if code == WALL or code >= PLAYER:
            return code
    return np.int64(FLOOR)


@kernel
def _plant(memory, view, color):
    """Plant where the beam reaches another colour, else go to the nearest such berry or ripe one, or wander."""
    aim = _aim(view)
    if UNRIPE <= aim < RIPE and aim != UNRIPE + color:
        return PLANT + color
    rows, columns = view.shape
    for i in range(rows):
        for j in range(columns):
            memory.ground[i * columns + j] = _PLANT[color, view[i, j] & (LIT - 1)]
    return go_facing(memory, view)


@kernel
def _rival(observation, color, harsh):
    """Whether a zapping beam would end at one who shows another colour; one who is marked counts if `harsh`."""
    view = observation["view"]
    rows, columns = view.shape
    for side in range(-RADIUS, RADIUS + 1):
        for distance in range(1 if side == 0 else 0, LENGTH + (1 if side == 0 else 0)):
            code = seen_at(view, rows - 1 - BEHIND - distance, columns // 2 + side)
            if PLAYER <= code < OWN:
                a = (code - PLAYER) >> 2
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
    """Plants the colour that it likes best, and eats what is ripe on the way."""
    return _plant(memory, observation["view"], np.int64(observation.taste))


@policy(_ID, "conformist", variables={**SEARCH, "share": np.zeros(len(COLORS))})
def conformist(memory, observation, mask):
    """Plants the colour that it has seen most lately, and eats what is ripe on the way."""
    view = observation["view"]
    for color in range(len(COLORS)):
        memory.share[color] *= 0.95
    for i in range(view.shape[0]):
        for j in range(view.shape[1]):
            code = np.int64(view[i, j]) & (LIT - 1)
            if code >= UNRIPE:
                memory.share[(code - UNRIPE) % len(COLORS)] += 1.0
    color = np.int64(0)
    for k in range(1, len(COLORS)):
        if memory.share[k] > memory.share[color]:
            color = np.int64(k)
    return _plant(memory, view, color)


@policy(_ID, "enforcer", variables=SEARCH, harsh=CHANCE.at(0))
def enforcer(memory, observation, mask):
    """Plants the colour that it likes best, and zaps who shows another; with `harsh` = 1 also again while marked."""
    color = np.int64(observation.taste)
    if observation.ready[0] >= 1.0 and _rival(observation, color, memory.harsh):
        return np.int64(ZAP)
    return _plant(memory, observation["view"], color)


@policy(_ID, "free_rider", variables=SEARCH)
def free_rider(memory, observation, mask):
    """Eats what is ripe, and plants nothing."""
    return _eat(memory, observation["view"])
