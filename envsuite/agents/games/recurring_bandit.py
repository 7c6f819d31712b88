"""Baselines of RecurringBandit: they count what each arm paid and differ in how they explore."""

from __future__ import annotations

import math

import numpy as np

from envsuite.core.elementary import log
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.random import normal, uniform
from envsuite.core.ranges import limited
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


@policy(ID, "index", variables=VARIABLES, block=Between(1, 1_000_000).at(20.0), forget=FORGET)
def index(memory, observation, mask):
    """Pulls the arm with the largest Gittins index for blocks of this mean length, by Brezzi and Lai's formula."""
    chosen, largest = 0, -1.0
    for k in range(count(memory, observation)):
        expected, number = mean(memory, k), memory.pulls[k] + 2.0
        spread = math.sqrt(expected * (1.0 - expected) / (number + 1.0))
        value = expected + spread * bonus(memory.block, number + 1.0)
        if value > largest:
            chosen, largest = k, value
    return chosen


@kernel
def bonus(block, number):
    """Brezzi and Lai's bonus in standard deviations, for 1 / (number * rate) with the rate -log(1 - 1 / block)."""
    if block <= 1.0:
        return 0.0
    ratio = -1.0 / (number * log(1.0 - 1.0 / block))
    if ratio <= 0.2:
        return math.sqrt(ratio / 2.0)
    if ratio <= 1.0:
        return 0.49 - 0.11 / math.sqrt(ratio)
    if ratio <= 5.0:
        return 0.63 - 0.26 / math.sqrt(ratio)
    if ratio <= 15.0:
        return 0.77 - 0.58 / math.sqrt(ratio)
    return math.sqrt(2.0 * log(ratio) - log(log(ratio)) - log(16.0 * math.pi))


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
