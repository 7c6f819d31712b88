"""Baselines of RecurringBandit: they count what each arm paid and differ in how they explore."""

from __future__ import annotations

import math

import numpy as np

from envsuite.core.elementary import log
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.random import normal, uniform
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.games.recurring_bandit import LONGEST, MOST_ARMS

ID = "envsuite/RecurringBandit-v0"

#: Each arm's pulls in this block, and how many of them paid; with `forget`, older ones count less.
VARIABLES = {
    "pulls": limited(np.zeros(MOST_ARMS), 0.0, LONGEST),
    "wins": limited(np.zeros(MOST_ARMS), 0.0, LONGEST),
}

#: The share of the counts that is forgotten in each step: for blocks that are not announced.
FORGET = Between(0, 1).at(0.0)


#: How far an index looks ahead, and how often the interval in which it lies is halved.
DEPTH, HALVINGS = 30, 10


@kernel
def count(memory, observation):
    """Count the latest pull; an empty window begins the counts again. Gives the number of arms."""
    arms = observation.shape[1] - 1
    pulled = False
    for k in range(arms):
        pulled = pulled or observation[0, k] != 0
    keep = 1.0 - memory.forget if pulled else 0.0
    for k in range(arms):
        memory.pulls[k] = min(keep * memory.pulls[k] + observation[0, k], LONGEST)
        memory.wins[k] = min(keep * memory.wins[k] + observation[0, k] * observation[0, arms], memory.pulls[k])
    return arms


@kernel
def mean(memory, arm):
    """The expected chance that an arm pays."""
    return (memory.wins[arm] + 1.0) / (memory.pulls[arm] + 2.0)


@kernel
def index_of(memory, arm):
    """The Gittins index of an arm: the sure payment per pull that is as good as the choice to pull it, by bisection.

    It looks `DEPTH` pulls ahead and then keeps to the better of the arm and the payment.
    """
    won, all_pulls = memory.wins[arm] + 1.0, memory.pulls[arm] + 2.0
    ends, values = 1.0 / memory.block, memory.values
    low, high = won / all_pulls, 1.0
    for _ in range(HALVINGS):
        sure, pulled = 0.5 * (low + high), 0.0
        for k in range(DEPTH + 1):
            values[k] = max((won + k) / (all_pulls + DEPTH), sure)
        for pulls in range(DEPTH - 1, -1, -1):
            for k in range(pulls + 1):
                p = (won + k) / (all_pulls + pulls)
                pulled = ends * p + (1.0 - ends) * (p * values[k + 1] + (1.0 - p) * values[k])
                values[k] = max(pulled, sure)
        if pulled > sure:
            low = sure
        else:
            high = sure
    return low


@policy(
    ID,
    "gittins",
    variables=VARIABLES | {"indices": limited(np.zeros(MOST_ARMS), 0.0, 1.0), "values": scratch(DEPTH + 1, np.float64)},
    block=Between(1, 1_000_000).at(20.0),
    forget=FORGET,
)
def gittins(memory, observation, mask):
    """Pulls the arm with the largest Gittins index for blocks of this mean length; the best play if `announced`."""
    arms, chosen, new = count(memory, observation), 0, True
    for k in range(arms):
        new = new and observation[0, k] == 0
    for k in range(arms):
        if new and k > 0:
            memory.indices[k] = memory.indices[0]
        elif new or memory.forget > 0.0 or observation[0, k] != 0:  # all others are as before
            memory.indices[k] = index_of(memory, k)
        if memory.indices[k] > memory.indices[chosen]:
            chosen = k
    return chosen


@policy(ID, "thompson", variables=VARIABLES, forget=FORGET)
def thompson(memory, observation, mask):
    """Draws each arm's chance to pay from what it knows, and pulls the arm with the largest one."""
    chosen, largest = 0, -1.0
    for k in range(count(memory, observation)):
        paid = gamma(memory, memory.wins[k] + 1.0)
        value = paid / (paid + gamma(memory, memory.pulls[k] - memory.wins[k] + 1.0))
        if value > largest:
            chosen, largest = k, value
    return chosen


@kernel
def gamma(memory, shape):
    """A number from the gamma distribution with a shape of at least 1 (Marsaglia and Tsang, 2000)."""
    d = shape - 1.0 / 3.0
    while True:
        x = normal(memory)
        v = 1.0 + x / math.sqrt(9.0 * d)
        if v > 0.0:
            v = v * v * v
            if log(1.0 - uniform(memory)) < 0.5 * x * x + d - d * v + d * log(v):
                return d * v


@policy(ID, "greedy", variables=VARIABLES, forget=FORGET)
def greedy(memory, observation, mask):
    """Pulls the arm with the largest expected chance to pay, the first one of equals."""
    chosen = 0
    for k in range(count(memory, observation)):
        if mean(memory, k) > mean(memory, chosen):
            chosen = k
    return chosen
