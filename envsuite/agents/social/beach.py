"""Baselines of Beach: a convention that reaches the optimum of `capacity`, and volunteers drawn by lot."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import exp
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.social.beach import LEFT, MOST, RIGHT, SECTIONS, STAY

ID = "envsuite/Beach-v0"


@kernel
def best_seats(agents, sections, capacity):
    """The numbers (seats, larger) of a best distribution for `capacity` as a whole.

    Of all sections but the last, the first `larger` get `seats` + 1 agents and the others `seats`; the last gets the
    rest. The worth of a section is concave in its agents up to 2 `capacity` and convex beyond. So a best distribution
    has at most one section with more, and the others are as equal as they can be.
    """
    others, best, best_seats, best_larger = sections - 1, -1.0, 0, 0
    for filled in range(min(agents, others * 2 * capacity) + 1):
        seats, larger = filled // max(others, 1), filled % max(others, 1)
        value = larger * (seats + 1) * exp(-(seats + 1) / capacity) + (others - larger) * seats * exp(-seats / capacity)
        value += (agents - filled) * exp(-(agents - filled) / capacity)
        if value > best:
            best, best_seats, best_larger = value, seats, larger
    return best_seats, best_larger


@kernel
def seat(agent, sections, seats, larger):
    """The section of an agent in the distribution of `best_seats`: they take their seats by number."""
    first = larger * (seats + 1)
    if agent < first:
        return agent // (seats + 1)
    return min(larger + (agent - first) // seats, sections - 1) if seats > 0 else sections - 1


@kernel
def toward(observation, goal):
    """One step to a section, or staying there."""
    if observation.section[0] == goal:
        return STAY
    return LEFT if goal < observation.section[0] else RIGHT


@policy(ID, "seated", variables={"seats": limited(-1, -1, MOST), "larger": limited(0, 0, SECTIONS)})
def seated(memory, observation, mask):
    """Walks to the section that a best distribution for `capacity` gives to its number."""
    sections = np.int64(observation.rules[1])
    if memory.seats < 0:
        agents, capacity = np.int64(observation.rules[0]), np.int64(observation.rules[2])
        memory.seats, memory.larger = best_seats(agents, sections, capacity)
    return toward(observation, seat(memory.agent, sections, memory.seats, memory.larger))


@policy(ID, "volunteer", variables={"leaves": limited(0, 0, 1)}, eager=Between(0, 2).at(0.4))
def volunteer(memory, observation, mask):
    """Leaves a crowded section for the last one, with a probability that leaves `capacity` agents behind on average.

    This probability is multiplied by `eager`. Agents on their way are counted where they pass, so 1 is far too much.
    An agent that would not arrive in time stays.
    """
    last = np.int64(observation.rules[1]) - 1
    if last - observation.section[0] <= observation.left[0]:
        rest = 1.0 - observation.rules[2] / observation.count[0]
        if random.bernoulli(memory, min(1.0, max(0.0, memory.eager * rest))):
            memory.leaves = 1
    return toward(observation, last) if memory.leaves != 0 else STAY
