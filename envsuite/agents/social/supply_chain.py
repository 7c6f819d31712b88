"""Baselines of SupplyChain: rules for orders, from the experiments and from the theory of stocks."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import limited
from envsuite.social.supply_chain import MOST

ID = "envsuite/SupplyChain-v0"

UNITS = Between(0, 1000)

#: The demand that a policy expects in a week, -1 before the first order.
RATE = {"rate": limited(-1.0, -1.0, MOST)}


@kernel
def order(mask, amount):
    """The action that orders about this amount: rounded, and at most the largest order."""
    largest = 0
    for k in range(mask.shape[0]):
        if mask[k] != 0:
            largest = k
    return np.int64(min(max(amount, 0.0), float(largest)) + 0.5)


@kernel
def position(observation):
    """Stock and units on order, less the backlog."""
    return observation.stock[0] + observation.on_order[0] - observation.backlog[0]


@policy(ID, "base_stock", rate=UNITS.at(8.0), safety=UNITS.at(0.0))
def base_stock(memory, observation, mask):
    """Orders up to `rate` units for each week that an order takes until it can be sold, and `safety` units more."""
    return order(mask, memory.rate * observation.cover[0] + memory.safety - position(observation))


@policy(ID, "adaptive", variables=RATE, weight=CHANCE.at(0.25), safety=UNITS.at(0.0))
def adaptive(memory, observation, mask):
    """Like `base_stock`, with the smoothed mean of incoming orders as the rate; `weight` is that of the newest one."""
    memory.rate = smoothed(memory.rate, memory.weight, observation)
    return order(mask, memory.rate * observation.cover[0] + memory.safety - position(observation))


@kernel
def smoothed(rate, weight, observation):
    """Exponential smoothing of incoming orders, which begins with the first one; `rate` is -1 before."""
    incoming = float(observation.incoming[0])
    return incoming if rate < 0.0 else weight * incoming + (1.0 - weight) * rate


@policy(ID, "pass_on")
def pass_on(memory, observation, mask):
    """Orders what was last ordered from it."""
    return order(mask, float(observation.incoming[0]))


@policy(ID, "constant", units=UNITS.at(4.0))
def constant(memory, observation, mask):
    """Orders `units` every week."""
    return order(mask, memory.units)


@policy(
    ID, "sterman", variables=RATE,
    theta=CHANCE.at(0.36), alpha=CHANCE.at(0.26), beta=CHANCE.at(0.34), target=UNITS.at(17.0),
)  # fmt: skip
def sterman(memory, observation, mask):
    """Sterman's mean player: expects `theta`-smoothed demand, closes the share `alpha` of the gap to its `target`
    stock, and counts only the share `beta` of what is on order."""
    memory.rate = smoothed(memory.rate, memory.theta, observation)
    stock = observation.stock[0] - observation.backlog[0]
    return order(mask, memory.rate + memory.alpha * (memory.target - stock - memory.beta * observation.on_order[0]))
