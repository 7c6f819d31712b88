"""Baselines of PublicGoods: types of players found in experiments. Policies that do not punish assign 0 points."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.social.public_goods import PUNISH

ID = "envsuite/PublicGoods-v0"


@kernel
def tokens(observation, amount):
    """The action that contributes about this amount: rounded, and at most the endowment."""
    return np.int64(min(max(amount, 0.0), float(observation.endowment[0])) + 0.5)


@kernel
def points(mask, amount):
    """The action that assigns this number of points, or as many as are allowed."""
    first = 0
    while mask[first] == 0:
        first += 1
    return min(first + max(np.int64(amount), 0), mask.shape[0] - 1)


@kernel
def others_mean(observation):
    """The mean contribution of the others."""
    total = 0.0
    for k in range(1, observation.contributions.shape[0]):
        total += observation.contributions[k]
    return total / (observation.contributions.shape[0] - 1)


@policy(ID, "constant", share=CHANCE.at(1.0))
def constant(memory, observation, mask):
    """Contributes the same share of its tokens in every round: all with 1, nothing with 0 (a free rider)."""
    if observation.phase[0] == PUNISH:
        return points(mask, 0)
    return tokens(observation, memory.share * observation.endowment[0])


@policy(ID, "conditional", first=CHANCE.at(1.0), bias=Between(0, 1000).at(1.0))
def conditional(memory, observation, mask):
    """Contributes `bias` times the others' mean contribution in the last round, and the share `first` at the start."""
    if observation.phase[0] == PUNISH:
        return points(mask, 0)
    if observation.contributions[0] < 0:
        return tokens(observation, memory.first * observation.endowment[0])
    return tokens(observation, memory.bias * others_mean(observation))


@policy(ID, "punisher", share=CHANCE.at(1.0), severity=Between(0, 1000).at(0.25))
def punisher(memory, observation, mask):
    """Contributes like `constant`; assigns `severity` points, rounded up, per token that another gave less than it."""
    if observation.phase[0] == PUNISH:
        missing = observation.contributions[0] - observation.contributions[np.int64(observation.target[0])]
        return points(mask, np.ceil(memory.severity * missing))
    return tokens(observation, memory.share * observation.endowment[0])


@policy(ID, "opportunist", first=CHANCE.at(0.0), step=Between(0, 100).at(2.0))
def opportunist(memory, observation, mask):
    """After it was punished, contributes as much as the most generous other; otherwise `step` tokens less each time."""
    if observation.phase[0] == PUNISH:
        return points(mask, 0)
    if observation.contributions[0] < 0:
        return tokens(observation, memory.first * observation.endowment[0])
    amount = observation.contributions[0] - memory.step
    if observation.received[0] > 0:
        for k in range(1, observation.contributions.shape[0]):
            amount = max(amount, float(observation.contributions[k]))
    return tokens(observation, amount)
