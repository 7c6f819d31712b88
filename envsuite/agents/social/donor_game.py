"""Baselines of DonorGame: fixed gifts, judges of reputation, and the strategies that the world passes on.

A fraction below 0 means to punish with that part of one's units; where one cannot punish it is to give nothing.
`fraction` is what a policy gives to those whom it wants to help.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy

ID = "envsuite/DonorGame-v0"

#: A part of one's units, given or, below 0, spent to punish; and what a linear strategy multiplies by.
PART, WEIGHT = Between(-1, 1), Between(-1000, 1000)


@kernel
def give(observation, mask, fraction):
    """The action nearest to giving this fraction, or to punishing with it where it is below 0."""
    steps = np.int64(observation.steps[0])
    nearest = np.int64(min(abs(fraction), 1.0) * steps + 0.5)
    if fraction >= 0.0:
        return nearest
    return steps + nearest if nearest > 0 and mask.shape[0] > steps + 1 else 0


@kernel
def linear_gift(observation, mask, trust, base, last, second, wealth):
    """The gift of a linear strategy; `trust` stands for what is not known."""
    first_gift = observation["trace"][0] if observation.partners[0] >= 0 else trust
    second_gift = trust
    if observation.partners.shape[0] > 1 and observation.partners[1] >= 0:
        second_gift = observation["trace"][1]
    both = observation.balance[0] + observation.recipient_balance[0]
    share = observation.recipient_balance[0] / both if both > 0.0 else 0.5
    return give(observation, mask, base + last * first_gift + second * second_gift + wealth * share)


@kernel
def in_good_standing(observation, threshold):
    """Whether the recipient is: it gave, or refused one who was not. Whoever is at the end of the trace is."""
    good = True
    for k in range(observation.partners.shape[0] - 1, -1, -1):
        if observation.partners[k] >= 0:
            good = observation["trace"][k] >= threshold or not good
    return good


@policy(ID, "constant", fraction=PART.at(0.5))
def constant(memory, observation, mask):
    """Gives the same fraction to everybody: nothing with 0, everything with 1."""
    return give(observation, mask, memory.fraction)


@policy(ID, "image_scoring", fraction=PART.at(0.5), threshold=PART.at(0.25))
def image_scoring(memory, observation, mask):
    """Gives to those who gave at least `threshold` last, whomever they refused, and to those it knows nothing of."""
    known = observation.partners[0] >= 0
    return give(observation, mask, 0.0 if known and observation["trace"][0] < memory.threshold else memory.fraction)


@policy(ID, "standing", fraction=PART.at(0.5), threshold=PART.at(0.25), penalty=CHANCE.at(0.0))
def standing(memory, observation, mask):
    """Gives to those in good standing: who gave at least `threshold` last, or refused one who was not.

    With `penalty` it punishes the others by so much of what it has, where one can.
    """
    good = in_good_standing(observation, memory.threshold)
    return give(observation, mask, memory.fraction if good else -memory.penalty)


@policy(ID, "tit_for_tat", first=PART.at(0.5), bonus=PART.at(0.0))
def tit_for_tat(memory, observation, mask):
    """Gives the fraction that the recipient gave last and `bonus`, and `first` where nothing is known."""
    known = observation.partners[0] >= 0
    fraction = max(observation["trace"][0], 0.0) + memory.bonus if known else memory.first
    return give(observation, mask, fraction)


@policy(
    ID,
    "linear",
    trust=PART.at(0.5),
    base=WEIGHT.at(0.5),
    last=WEIGHT.at(1.0),
    second=WEIGHT.at(-1.0),
    wealth=WEIGHT.at(0.0),
)
def linear(memory, observation, mask):
    """Plays by a strategy of five numbers of its own; standing, if nothing else is chosen."""
    return linear_gift(observation, mask, memory.trust, memory.base, memory.last, memory.second, memory.wealth)


@policy(ID, "advised")
def advised(memory, observation, mask):
    """Plays by the strategy that its agent holds in the world, so that generations evolve."""
    own = observation.strategy
    return linear_gift(observation, mask, own[0], own[1], own[2], own[3], own[4])
