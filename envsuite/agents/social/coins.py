"""Collectors of coins: of all coins, of their own color only, and of all coins in retaliation.

Mean returns in 1000 steps (first player, second player; 256 episodes from seed 0; standard errors 0.3 to 1.5):

| against | random | defector | cooperator | reciprocator | generous |
|---|---|---|---|---|---|
| random | 0.7, -0.3 | -64.3, 65.3 | 18.3, 29.1 | -21.0, 46.5 | -5.2, 39.8 |
| defector | 65.6, -66.0 | 0.8, -0.3 | 54.3, -16.3 | 10.1, -3.4 | 19.8, -5.7 |
| cooperator | 29.6, 17.9 | -14.8, 54.3 | 36.0, 37.1 | 34.7, 37.4 | 35.4, 37.2 |
| reciprocator | 45.8, -18.0 | -2.5, 9.4 | 36.5, 35.7 | 31.7, 32.3 | 34.3, 33.6 |
| generous | 39.8, -5.8 | -5.9, 21.0 | 36.3, 36.2 | 33.1, 34.6 | 35.0, 35.6 |
"""

from __future__ import annotations

from envsuite.agents.wayfinding import SEARCH, go, kinds, survey
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.core.random import bernoulli
from envsuite.core.ranges import limited
from envsuite.kit.avatars import FLOOR
from envsuite.social.coins import COIN

_ID = "envsuite/Coins-v0"

PATIENCE = Between(0, 1_000_000)

_MOOD = {**SEARCH, "angry": limited(0, 0, PATIENCE.high)}

_ALL = kinds(open=(FLOOR,), goal=(COIN, COIN + 1))
_OWN = kinds(open=(FLOOR,), goal=(COIN,))


@kernel
def _collect(memory, observation, everything):
    """A step towards the nearest wanted coin, around the others; otherwise wander."""
    view = observation["view"]
    if everything:
        survey(memory, view, _ALL)
    else:
        survey(memory, view, _OWN)
    return go(memory, view)


@policy(_ID, "defector", variables=SEARCH)
def defector(memory, observation, mask):
    """Takes every coin."""
    return _collect(memory, observation, True)


@policy(_ID, "cooperator", variables=SEARCH)
def cooperator(memory, observation, mask):
    """Takes only coins of its own color."""
    return _collect(memory, observation, False)


@policy(_ID, "reciprocator", variables=_MOOD, patience=PATIENCE.at(100))
def reciprocator(memory, observation, mask):
    """Takes only its own coins, but takes every coin for `patience` steps after it was robbed."""
    memory.angry = memory.patience if observation.robbed[0] else max(0, memory.angry - 1)
    return _collect(memory, observation, memory.angry > 0)


@policy(_ID, "generous", _MOOD, patience=PATIENCE.at(100), pardon=CHANCE.at(0.5))
def generous(memory, observation, mask):
    """Retaliates like the reciprocator, but ignores a robbery with probability `pardon`."""
    if observation.robbed[0] and not bernoulli(memory, memory.pardon):
        memory.angry = memory.patience
    else:
        memory.angry = max(0, memory.angry - 1)
    return _collect(memory, observation, memory.angry > 0)
