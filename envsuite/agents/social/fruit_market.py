"""Farmers that live on their own fruit, loners that wait for the other, and traders."""

from __future__ import annotations

import numpy as np

from envsuite.agents.wayfinding import BLOCKED, GOAL, OPEN, SEARCH, go, seen_at, wander, way
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.world import Between
from envsuite.kit.avatars import BEHIND, FLOOR, MIDDLE, NOOP, OWN, PLAYER, VIEW
from envsuite.social.fruit_market import ACTIONS, APPLE, BARE, EAT, MOST, RIPE, RIVER

_ID = "envsuite/FruitMarket-v0"

#: The agent's own row in its view.
_ROW = VIEW - 1 - BEHIND

#: Steps without a meal after which stamina falls, unless a parameter says otherwise.
_HUNGER = 50

#: The actions that offer one or two of a fruit for as many of the other, by the fruit that is given.
_EVEN = np.array(
    [
        [ACTIONS.index("offer 1 apple for 1 banana"), ACTIONS.index("offer 2 apples for 2 bananas")],
        [ACTIONS.index("offer 1 banana for 1 apple"), ACTIONS.index("offer 2 bananas for 2 apples")],
    ]
)


@kernel
def _look(memory, observation, tree):
    """Classify the places of the view for `way`; trees with this code are goals."""
    view = observation["view"]
    for i in range(VIEW):
        for j in range(VIEW):
            code, kind = seen_at(view, i, j), BLOCKED
            if code == tree:
                kind = GOAL
            elif (
                code == FLOOR
                or code == RIVER
                or code == RIPE[0]
                or code == RIPE[1]
                or code == BARE[0]
                or code == BARE[1]
            ):
                kind = OPEN
            memory.ground[i * VIEW + j] = kind


@kernel
def _forage(memory, observation, fruit):
    """Go to the nearest tree that has this fruit; rest before walks become slow, unless hunger makes that useless."""
    ground = observation.ground[memory.agent]
    _look(memory, observation, RIPE[fruit])
    if observation.stamina[memory.agent] < memory.reserve and observation.hunger[0] < _HUNGER:
        if ground == FLOOR:
            return np.int64(NOOP)
        _look(memory, observation, FLOOR)
    return go(memory, observation["view"])


@kernel
def _should_eat(observation, fruit):
    """Whether to eat such a fruit: all but one, and that one before hunger."""
    have = observation.fruit[fruit]
    return have > 1 or have == 1 and observation.hunger[0] >= _HUNGER - 5


@policy(_ID, "farmer", variables=SEARCH, reserve=Between(0, MOST).at(10))
def farmer(memory, observation, mask):
    """Harvests its own fruit and eats it; rests below a stamina of `reserve`."""
    own = np.int64(observation.farms[memory.agent])
    if _should_eat(observation, own):
        return EAT + own
    return _forage(memory, observation, own)


@policy(_ID, "loner", variables=SEARCH, reserve=Between(0, MOST).at(10))
def loner(memory, observation, mask):
    """Stands on trees of the other fruit until they give some, and eats that."""
    other = 1 - np.int64(observation.farms[memory.agent])
    if _should_eat(observation, other):
        return EAT + other
    if observation.ground[memory.agent] == RIPE[other]:
        return np.int64(NOOP)
    return _forage(memory, observation, other)


@large_kernel
def _customers(memory, observation):
    """Make agents that farm the other fruit goals, if none of them is within reach; return whether one is."""
    view, own = observation["view"], observation.farms[memory.agent]
    for i in range(VIEW):
        for j in range(VIEW):
            code = seen_at(view, i, j)
            if PLAYER <= code < OWN and observation.farms[(code - PLAYER) >> 2] != own:
                memory.ground[i * VIEW + j] = GOAL
                if (i - _ROW) * (i - _ROW) + (j - MIDDLE) * (j - MIDDLE) <= 16:
                    return True
    return False


@policy(
    _ID,
    "trader",
    variables=SEARCH,
    reserve=Between(0, MOST).at(10),
    lot=Between(1, 2).at(1),
    stock=Between(1, 100).at(12),
)
def trader(memory, observation, mask):
    """Harvests its own fruit, offers `lot` of it for as many of the other, and eats what it gets.

    With `stock` of its own fruit or more, it goes to agents that farm the other. It eats its own fruit only when it is
    hungry, and rests below a stamina of `reserve`.
    """
    own = np.int64(observation.farms[memory.agent])
    if observation.fruit[1 - own] > 0:
        return EAT + 1 - own
    have = observation.fruit[own]
    if have > 0 and observation.hunger[0] >= _HUNGER - 5:
        return EAT + own
    if have >= memory.lot and observation.offers[memory.agent, APPLE] == 0:
        return np.int64(_EVEN[own, np.int64(memory.lot) - 1])
    if have >= memory.stock and observation.stamina[memory.agent] >= memory.reserve:
        _look(memory, observation, -1)
        if not _customers(memory, observation):
            step = way(memory, observation["view"])
            return step if step != NOOP else wander(memory, observation["view"])
    return _forage(memory, observation, own)
