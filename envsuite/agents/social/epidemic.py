"""Baselines of Epidemic: constant behavior, caution, and the best reply to the day's risk."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.social.epidemic import HOME, IMMUNE, INFECTED, MASK, OUT, SUSCEPTIBLE

ID = "envsuite/Epidemic-v0"


@kernel
def infected_near(observation):
    """The number of infected neighbors."""
    count = 0
    for k in range(observation.neighbors.shape[0]):
        count += observation.neighbors[k] == INFECTED
    return count


@policy(ID, "constant", home=CHANCE.at(0.0), mask=CHANCE.at(0.0))
def constant(memory, observation, mask):
    """Stays home with probability `home`, else wears a mask with probability `mask`, whatever its health."""
    if random.bernoulli(memory, memory.home):
        return HOME
    return MASK if random.bernoulli(memory, memory.mask) else OUT


@policy(ID, "cautious", alarm=CHANCE.at(0.1))
def cautious(memory, observation, mask):
    """Stays home if it or a neighbor is infected; has a mask if more than the share `alarm` of all are infected."""
    if observation.health[0] == IMMUNE:
        return OUT
    if observation.health[0] == INFECTED or infected_near(observation) > 0:
        return HOME
    return MASK if observation.infected[0] > memory.alarm * observation.neighbors.shape[0] else OUT


@policy(ID, "selfish")
def selfish(memory, observation, mask):
    """Does what is best for itself on this day: the worth of going out against the mean cost of an infection.

    It takes infected neighbors to go out without masks, and does not care whom it infects.
    """
    if observation.health[0] != SUSCEPTIBLE:
        return OUT
    cost = observation.rules[4] * min(1.0 / observation.rules[1], float(observation.left[0]))
    safe, masked = 1.0, 1.0
    for _ in range(infected_near(observation)):
        safe *= 1.0 - observation.rules[0]
        masked *= 1.0 - observation.rules[0] * (1.0 - observation.rules[2])
    out = 1.0 - (1.0 - safe) * cost
    behind = 1.0 - observation.rules[3] - (1.0 - masked) * cost
    if max(out, behind) < 0.0:
        return HOME
    return OUT if out >= behind else MASK
