"""Baselines of Sheriff, each for both seats: one bribes and takes bribes, one is honest and strict."""

from __future__ import annotations

from envsuite.core.policy import policy
from envsuite.games.sheriff import INSPECT, NONE, PASS, SHERIFF

ID = "envsuite/Sheriff-v0"


@policy(ID, "briber")
def briber(memory, observation, mask):
    """The smuggler loads all it can and offers 1 less than half of what that is in items; the sheriff takes bribes.

    The sheriff passes whoever offers more than nothing.
    """
    rounds = observation.offers.shape[0]
    if memory.agent == SHERIFF:
        for k in range(rounds):
            if observation.answers[k] == NONE:
                return PASS if observation.offers[k] > 0 else INSPECT
    if mask[0] != 0:
        most = 0
        for k in range(mask.shape[0]):
            if mask[k] != 0:
                most = k
        return most
    first = 0
    while mask[first] == 0:
        first += 1
    return min(first + max(1, (observation.cargo[0] - 1) // 2), mask.shape[0] - 1)


@policy(ID, "honest")
def honest(memory, observation, mask):
    """The smuggler loads nothing and offers nothing; the sheriff inspects whoever offers a bribe."""
    if memory.agent == SHERIFF:
        for k in range(observation.offers.shape[0]):
            if observation.answers[k] == NONE:
                return INSPECT if observation.offers[k] > 0 else PASS
    first = 0
    while mask[first] == 0:
        first += 1
    return first
