"""Baselines of DonorGame: fixed gifts, judges of reputation, and the strategies that the world passes on.

A fraction below 0 means to punish with that part of the agent's units, or to give nothing if the agent cannot punish.
`fraction` is the part that a policy gives to agents that it wants to help.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy

ID = "envsuite/DonorGame-v0"

#: The ranges of a part of the agent's units (given, or below 0 spent to punish) and of a linear strategy's weights.
PART, WEIGHT = Between(-1, 1), Between(-1000, 1000)


@kernel
def give(observation, mask, fraction):
    """The action nearest to giving this fraction, or to punishing with it if it is below 0."""
    steps = np.int64(observation.steps[0])
    nearest = np.int64(min(abs(fraction), 1.0) * steps + 0.5)
    if fraction >= 0.0:
        return nearest
    return steps + nearest if nearest > 0 and mask.shape[0] > steps + 1 else 0


@kernel
def linear_gift(observation, mask, trust, base, last, second, wealth):
    """The gift of a linear strategy; `trust` replaces unknown gifts."""
    first_gift = observation["trace"][0] if observation.partners[0] >= 0 else trust
    second_gift = trust
    if observation.partners.shape[0] > 1 and observation.partners[1] >= 0:
        second_gift = observation["trace"][1]
    both = observation.balance[0] + observation.recipient_balance[0]
    share = observation.recipient_balance[0] / both if both > 0.0 else 0.5
    return give(observation, mask, base + last * first_gift + second * second_gift + wealth * share)


@kernel
def in_good_standing(observation, threshold):
    """Whether the recipient is in good standing: it gave, or it refused an agent that was not in good standing.

    The agent at the end of the trace is in good standing.
    """
    good = True
    for k in range(observation.partners.shape[0] - 1, -1, -1):
        if observation.partners[k] >= 0:
            good = observation["trace"][k] >= threshold or not good
    return good


@policy(ID, "constant", fraction=PART.at(0.5))
def constant(memory, observation, mask):
    """Gives the same fraction to all: nothing with 0, everything with 1."""
    return give(observation, mask, memory.fraction)


@policy(ID, "image_scoring", fraction=PART.at(0.5), threshold=PART.at(0.25))
def image_scoring(memory, observation, mask):
    """Gives to agents that last gave at least `threshold`, to any recipient, and to agents that it does not know."""
    known = observation.partners[0] >= 0
    return give(observation, mask, 0.0 if known and observation["trace"][0] < memory.threshold else memory.fraction)


@policy(ID, "standing", fraction=PART.at(0.5), threshold=PART.at(0.25), penalty=CHANCE.at(0.0))
def standing(memory, observation, mask):
    """Gives to agents in good standing: they last gave at least `threshold`, or refused an agent in bad standing.

    With `penalty`, it punishes the others with that part of its units, if punishment is possible.
    """
    good = in_good_standing(observation, memory.threshold)
    return give(observation, mask, memory.fraction if good else -memory.penalty)


@policy(ID, "tit_for_tat", first=PART.at(0.5), bonus=PART.at(0.0))
def tit_for_tat(memory, observation, mask):
    """Gives the fraction that the recipient last gave plus `bonus`, or `first` if nothing is known."""
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
    """Plays a linear strategy of five numbers; the defaults are those of a judge of standing."""
    return linear_gift(observation, mask, memory.trust, memory.base, memory.last, memory.second, memory.wealth)


@policy(ID, "advised")
def advised(memory, observation, mask):
    """Plays the strategy that its agent holds in the world; with it, generations evolve."""
    own = observation.strategy
    return linear_gift(observation, mask, own[0], own[1], own[2], own[3], own[4])
