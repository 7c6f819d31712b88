"""Baselines of ComplyOrViolate: constant, greedy with and without exploration, and the best one."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import limited
from envsuite.social.comply_or_violate import COMPLY, LONGEST, UNKNOWN, VIOLATE

ID = "envsuite/ComplyOrViolate-v0"


@kernel
def better(observation, state):
    """The choice that pays more in a round of this known state."""
    pay = observation.payoffs[2] if state == 1 else observation.payoffs[1]
    return VIOLATE if pay > observation.payoffs[0] else COMPLY


@policy(ID, "constant", violate=CHANCE.at(0.0))
def constant(memory, observation, mask):
    """Violates with a fixed probability, whatever it sees: never with 0, always with 1."""
    return VIOLATE if random.bernoulli(memory, memory.violate) else COMPLY


@policy(ID, "careful")
def careful(memory, observation, mask):
    """Violates only where it knows that the round is not supervised and a violation pays more."""
    return better(observation, 0) if observation.state[0] == 0 else COMPLY


@policy(ID, "greedy", epsilon=CHANCE.at(0.1))
def greedy(memory, observation, mask):
    """Knows the pay of announced rounds; otherwise it does what earned more on average in the rounds that it sees.

    With probability `epsilon`, and before its first violation, it chooses at random where the state is unknown.
    """
    if observation.state[0] != UNKNOWN:
        return better(observation, observation.state[0])
    count, total = 0, 0.0
    for k in range(observation.choices.shape[0]):
        if observation.choices[k] == VIOLATE:
            count += 1
            total += observation.payoffs[2] if observation.states[k] == 1 else observation.payoffs[1]
    if count == 0 or random.bernoulli(memory, memory.epsilon):
        return random.randint(memory, 2)
    return VIOLATE if total > count * observation.payoffs[0] else COMPLY


@policy(
    ID,
    "optimal",
    variables={**dict.fromkeys(("seen", "unseen"), limited(0, 0, LONGEST)), "worth": np.zeros(LONGEST + 1)},
)
def optimal(memory, observation, mask):
    """The best agent for announced rounds, and for unannounced ones of a hidden rate that is uniform from 0 to 1.

    It counts the states of its violations, so it needs a history of one round only.
    """
    if observation.choices[0] == VIOLATE:
        memory.seen += observation.states[0] == 1
        memory.unseen += observation.states[0] == 0
    if observation.state[0] != UNKNOWN:
        return better(observation, observation.state[0])
    left, known = np.int64(observation.left[0]), memory.seen + memory.unseen
    for j in range(left + 1):
        memory.worth[j] = 0.0
    best = 0.0
    for ahead in range(left - 1, -1, -1):  # `ahead` more violations, j of them supervised
        for j in range(ahead + 1):
            p = (memory.seen + j + 1.0) / (known + ahead + 2.0)
            on = p * (observation.payoffs[2] + memory.worth[j + 1])
            on += (1.0 - p) * (observation.payoffs[1] + memory.worth[j])
            stop = (left - ahead) * observation.payoffs[0]
            best = on - stop
            memory.worth[j] = max(on, stop)
    return VIOLATE if best > 0.0 else COMPLY
