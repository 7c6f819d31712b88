"""Farmers that live on their own fruit, loners that wait for the other, traders, and hagglers that look for a price.

Mean returns per agent in 1000 steps, 16 agents on maps with rivers (48 episodes; standard errors up to 6, of one agent
among others up to 19):

| | all 16 | one among farmers | one among loners | one among traders |
|---|---|---|---|---|
| random | 22 | | | |
| farmer | 78 | 78 | | 80 |
| loner | 307 | | 307 | 279 |
| trader | 520 | 63 | 73 | 520 |
| haggler | 505 | | | 481 |

Hagglers pay 1.00 bananas for an apple by default, 0.95 with `banana_trees=0.02` and 1.02 with `banana_trees=0.1`.
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.wayfinding import GOAL, SEARCH, go, kinds, seen_at, way
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.core.world import Between
from envsuite.kit.avatars import BEHIND, FLOOR, MIDDLE, NOOP, OWN, PLAYER, VIEW
from envsuite.social.fruit_market import ACTIONS, BARE, EAT, FRUITS, MOST, RIPE, RIVER, some

_ID = "envsuite/FruitMarket-v0"

#: The agent's own row in its view.
_ROW = VIEW - 1 - BEHIND

#: Steps without a meal after which stamina falls, unless a parameter says otherwise.
_HUNGER = 50

#: Prices: what is given, and what is wanted for it, from dear to cheap.
_PRICES = np.array([(1, 2), (1, 1), (2, 1), (3, 1)])
_EVEN = 1

#: The offer of each price, by the fruit that is given.
_OFFERS = np.array(
    [
        [ACTIONS.index(f"offer {some(g, fruits[0])} for {some(w, fruits[1])}") for g, w in _PRICES.tolist()]
        for fruits in (FRUITS, FRUITS[::-1])
    ]
)


#: What can be walked over.
_OPEN = kinds(open=(FLOOR, RIVER, *RIPE, *BARE))


@kernel
def _look(memory, observation, tree):
    """Classify the places of the view for `way`; trees with this code are goals."""
    view = observation["view"]
    for i in range(VIEW):
        for j in range(VIEW):
            code = seen_at(view, i, j)
            memory.ground[i * VIEW + j] = GOAL if code == tree else _OPEN[code]


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


@kernel
def _trade(memory, observation, price):
    """Harvest and offer the own fruit at this price, eat the other, and go to agents in view that farm it."""
    own = np.int64(observation.farms[memory.agent])
    if observation.fruit[1 - own] > 0:
        return EAT + 1 - own
    have = observation.fruit[own]
    if have >= memory.stock or have > 0 and observation.hunger[0] >= _HUNGER - 5:
        return EAT + own
    given, wanted = observation.offers[memory.agent, own], observation.offers[memory.agent, 1 - own]
    if have >= _PRICES[price, 0] and (-given != _PRICES[price, 0] or wanted != _PRICES[price, 1]):
        return np.int64(_OFFERS[own, price])
    if 2 * have >= memory.stock and observation.stamina[memory.agent] >= memory.reserve:
        _look(memory, observation, -1)
        if not _customers(memory, observation):
            step = way(memory, observation["view"])
            if step != NOOP:
                return step
    return _forage(memory, observation, own)


@policy(_ID, "trader", variables=SEARCH, reserve=Between(0, MOST).at(10), stock=Between(1, 100).at(12))
def trader(memory, observation, mask):
    """Harvests its own fruit, offers one of it for one of the other, and eats what it gets.

    With half of `stock` of its own fruit, it goes to agents in view that farm the other. It eats its own fruit only
    when it is hungry or has `stock` of it, and rests below a stamina of `reserve`.
    """
    return _trade(memory, observation, _EVEN)


@policy(
    _ID,
    "haggler",
    variables={**SEARCH, "price": limited(0, 0, len(_PRICES) - 1), "waited": limited(0, 0, 1000)},
    reserve=Between(0, MOST).at(10),
    stock=Between(1, 100).at(12),
    patience=Between(1, 1000).at(4),
)
def haggler(memory, observation, mask):
    """Trades as a trader, but at prices of its own: at first, it wants two for one.

    After `patience` steps in reach of an offer of the other fruit without a trade it wants less: one for one, for two
    and for three. After a trade it wants more again.
    """
    own = np.int64(observation.farms[memory.agent])
    if observation.fruit[1 - own] > 0:
        if memory.waited > 0:
            memory.price = max(memory.price - 1, 0)
        memory.waited = 0
    elif observation.offers[memory.agent, own] < 0 and _is_offered(observation, 1 - own):
        memory.waited += 1
        if memory.waited >= memory.patience:
            memory.price = min(memory.price + 1, len(_PRICES) - 1)
            memory.waited = 0
    return _trade(memory, observation, memory.price)


@kernel
def _is_offered(observation, fruit):
    """Whether somebody within reach offers a fruit."""
    for b in range(observation.offers.shape[0]):
        if observation.offers[b, fruit] < 0:
            return True
    return False
