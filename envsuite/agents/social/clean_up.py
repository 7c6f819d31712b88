"""Those who clean, those who eat, those who do what others do, and those who take turns.

Mean returns of each in 1000 steps (64 episodes from seed 0; standard errors 2 to 6) with c cleaners, who get 0 or 1,
and 7 - c free riders: 0, 1, 71, 265, 501, 656, 760 for c = 0 ... 6, and 1 for each of seven cleaners. Seven
alternators or reciprocators get 241 each. Under the rules of 2018 free riders get 0, 1, 88, 484, 793 among 0 to 4
cleaners, five alternators 181 each, five reciprocators 178.
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.wayfinding import SEARCH, go, kinds, seen_at, someone_in_beam, survey, way
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.kit import ssd
from envsuite.kit.avatars import CENTRED, FLOOR, NOOP, OWN, PLAYER, own_row
from envsuite.social.clean_up import APPLE, BARE, CLEAN, DIRT, LENGTH, RADIUS, RIVER, ZAP

_ID = "envsuite/CleanUp-v0"

#: Bounds of both that take turns.
_PERIOD = Between(1, 10**9)

_GROUND = (FLOOR, RIVER, DIRT, BARE, APPLE)
_APPLES = kinds(open=_GROUND, goal=(APPLE,))
_SITES = kinds(open=_GROUND, goal=(APPLE, BARE))
_DIRTS = kinds(open=_GROUND, goal=(DIRT,))
_RIVER = kinds(open=_GROUND, goal=(DIRT, RIVER))


@kernel
def _go(memory, view, first, second):
    """A step towards the nearest goal of the first table, or of the second, or wander."""
    survey(memory, view, first)
    step = way(memory, view)
    if step != NOOP:
        return step
    survey(memory, view, second)
    return go(memory, view)


@kernel
def _eat(memory, observation):
    return _go(memory, observation["view"], _APPLES, _SITES)


@kernel
def _fined(view):
    """Whether these are the rules of 2018, which its size tells."""
    return view.shape[0] == CENTRED


@kernel
def _length(view):
    return ssd.LENGTH if _fined(view) else LENGTH


@kernel
def _clean(memory, observation):
    """Fire where dirt is in the beam, else go where there is some."""
    view = observation["view"]
    rows, columns = view.shape
    for side in range(-RADIUS, RADIUS + 1):
        first = 1 if side == 0 else 0
        for distance in range(first, first + _length(view)):
            code = seen_at(view, own_row(rows) - distance, columns // 2 + side)
            if code == DIRT:
                return np.int64(CLEAN)
            if _fined(view) and PLAYER <= code < OWN:
                break
    return _go(memory, view, _DIRTS, _RIVER)


@policy(_ID, "cleaner", variables=SEARCH)
def cleaner(memory, observation, mask):
    """Cleans the river, always."""
    return _clean(memory, observation)


@policy(_ID, "free_rider", variables=SEARCH)
def free_rider(memory, observation, mask):
    """Waits in the orchard and eats what grows."""
    return _eat(memory, observation)


@policy(_ID, "guard", variables=SEARCH)
def guard(memory, observation, mask):
    """A free rider who zaps whoever comes near."""
    if observation.ready[0] >= 1.0 and someone_in_beam(observation["view"], _length(observation["view"]), RADIUS):
        return np.int64(ZAP)
    return _eat(memory, observation)


@policy(_ID, "alternator", {**SEARCH, "time": 0}, period=_PERIOD.at(200))
def alternator(memory, observation, mask):
    """Cleans and eats in turn, `period` steps each; half of the agents, by number, begin with eating."""
    memory.time += 1
    if (memory.time // memory.period + memory.agent) % 2:
        return _eat(memory, observation)
    return _clean(memory, observation)


@policy(_ID, "reciprocator", {**SEARCH, "time": 0, "trust": 1.0}, period=_PERIOD.at(200), threshold=CHANCE.at(0.1))
def reciprocator(memory, observation, mask):
    """Takes turns as the alternator does, while others clean `threshold` times a step or more; else eats."""
    memory.trust += 0.01 * (observation.cleaners[0] - memory.trust)
    memory.time += 1
    if memory.trust < memory.threshold or (memory.time // memory.period + memory.agent) % 2:
        return _eat(memory, observation)
    return _clean(memory, observation)
