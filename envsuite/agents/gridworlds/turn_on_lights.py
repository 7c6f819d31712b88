"""A policy for TurnOnLights that tries the toggles that are most likely to work."""

from __future__ import annotations

import numpy as np

from envsuite.core.elementary import exp
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.ranges import MANY, limited, scratch
from envsuite.kit import bitboard

#: The most bulbs, and the most tries that are remembered.
BULBS, TRIES = 10, 512
#: Bits of a cost; costs of all bulbs in one state are one word. The largest cost is that of a toggle that fails.
BITS = 6
NEVER = (1 << BITS) - 1
#: The weight of a try for a state in which this number of other bulbs differ.
WEIGHTS = np.array([exp(-2.0 * k) for k in range(BULBS + 1)])


@kernel
def cost(memory, state, bulb):
    """The cost of trying a bulb in a state."""
    return memory.costs[state] >> BITS * bulb & NEVER


@large_kernel
def judge(memory, bulb, states):
    """The cost of trying a bulb in every state: 1 if it works, and more the likelier it fails, by its tries so far."""
    others = states - 1 ^ 1 << bulb
    for state in range(states):
        works, fails, price = 0.0, 0.0, 0
        for k in range(memory.tries):
            if memory.tried[k] & 15 == bulb:
                differ = bitboard.size(np.uint64((memory.tried[k] >> 5 ^ state) & others))
                if memory.tried[k] >> 4 & 1:
                    works += WEIGHTS[differ]
                    price = 1 if differ == 0 else price
                else:
                    fails += WEIGHTS[differ]
                    price = NEVER if differ == 0 else price
        if price == 0:
            price = min(1 + np.int64(max(memory.caution, 0.0) * fails / (works + fails + 1.0)), NEVER - 1)
        memory.costs[state] ^= (cost(memory, state, bulb) ^ price) << BITS * bulb


@large_kernel
def plan(memory, on, bulbs, states):
    """The first action of a cheapest path to all bulbs on."""
    memory.way[states - 1] = 0
    for state in range(states - 1):
        memory.way[state] = NEVER * states
    changed = True
    while changed:
        changed = False
        for back in range(2, states + 1):
            state = states - back
            best = memory.way[state]
            for bulb in range(bulbs):
                price = cost(memory, state, bulb)
                if price < NEVER:
                    best = min(best, price + memory.way[state ^ 1 << bulb])
            changed |= best < memory.way[state]
            memory.way[state] = best
    chosen, best = 0, NEVER * states
    for bulb in range(bulbs):
        price = cost(memory, on, bulb)
        if price < NEVER and price + memory.way[on ^ 1 << bulb] < best:
            chosen, best = bulb, price + memory.way[on ^ 1 << bulb]
    return chosen


@policy(
    "envsuite/TurnOnLights-v0",
    "prober",
    variables={
        "count": limited(0, 0, MANY),
        "tries": limited(0, 0, TRIES),
        # 4 bits: the bulb; bit 4: whether it worked; from bit 5: the bulbs that were on
        "tried": limited(np.zeros(TRIES, int), 0, (1 << BULBS + 5) - 1),
        "costs": limited(np.full(1 << BULBS, sum(1 << BITS * k for k in range(BULBS))), 0, (1 << BITS * BULBS) - 1),
        "way": scratch(1 << BULBS),
    },
    caution=Between(0, 1_000_000).at(60.0),
)
def prober(memory, observation, mask):
    """Takes a cheapest path to all bulbs on; a toggle costs more the more it resembles toggles that failed.

    A toggle that was tried in a state is known to work or to fail. One that was never tried in a similar state is
    assumed to work. The highest cost is 1 + `caution` (61 at most). With `caution` 0, it avoids only toggles that
    failed in exactly the same state.
    """
    bulbs = observation.bulbs.shape[0]
    on = 0
    for k in range(bulbs):
        on |= np.int64(observation.bulbs[k]) << k
    if observation.last > 0:
        bulb, worked = np.int64(observation.last - 1), np.int64(observation.changed)
        memory.tried[memory.count % TRIES] = (on ^ worked << bulb) << 5 | worked << 4 | bulb
        memory.count += 1
        memory.tries = min(memory.count, TRIES)
        judge(memory, bulb, 1 << bulbs)
    return plan(memory, on, bulbs, 1 << bulbs)
