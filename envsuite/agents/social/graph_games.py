"""Baselines of GraphGames: constant actions, imitation by four rules, the best reply, and conditional cooperation."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import exp
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import scratch
from envsuite.social.graph_games import COOPERATE, DEFECT, MOST, PUBLIC_GOODS, PUNISH, SNOWDRIFT, STAG_HUNT

ID = "envsuite/GraphGames-v0"


@kernel
def neighbors_with(observation, action):
    """The number of neighbors whose last action was this one, or with -1 of all neighbors."""
    count = 0
    for k in range(observation.neighbors.shape[0]):
        acted = observation.neighbors[k]
        count += acted >= 0 and (action < 0 or acted == action)
    return count


@policy(ID, "constant", cooperation=CHANCE.at(1.0))
def constant(memory, observation, mask):
    """Cooperates with probability `cooperation`, else defects."""
    return COOPERATE if random.bernoulli(memory, memory.cooperation) else DEFECT


@policy(ID, "fermi", intensity=Between(0, 100).at(1.0))
def fermi(memory, observation, mask):
    """Compares its payoff with that of a random neighbor, and copies its action with a logistic probability.

    The probability is 1 / (1 + exp(-`intensity` (its payoff - own payoff))).
    """
    count = neighbors_with(observation, -1)
    if count == 0:
        return observation.action[0]
    number = random.randint(memory, count)
    for k in range(observation.neighbors.shape[0]):
        if observation.neighbors[k] >= 0:
            if number == 0:
                ahead = memory.intensity * (observation.payoffs[k] - observation.payoff[0])
                copies = random.bernoulli(memory, 1.0 / (1.0 + exp(-ahead)))
                return observation.neighbors[k] if copies else observation.action[0]
            number -= 1
    return observation.action[0]


@policy(ID, "best_neighbor")
def best_neighbor(memory, observation, mask):
    """Copies the action of the neighbor with the largest payoff, if that is larger than its own."""
    best, most = observation.action[0], observation.payoff[0]
    for k in range(observation.neighbors.shape[0]):
        if observation.neighbors[k] >= 0 and observation.payoffs[k] > most:
            best, most = observation.neighbors[k], observation.payoffs[k]
    return best


@policy(ID, "death_birth", {"weights": scratch((MOST,), np.float64)}, selection=CHANCE.at(0.1))
def death_birth(memory, observation, mask):
    """Copies a neighbor drawn in proportion to fitness: 1 - `selection` + `selection` times payoff, at least 0."""
    agents, total = observation.neighbors.shape[0], 0.0
    for k in range(agents):
        fitness = 1.0 - memory.selection + memory.selection * observation.payoffs[k]
        memory.weights[k] = max(fitness, 0.0) if observation.neighbors[k] >= 0 else 0.0
        total += memory.weights[k]
    if total <= 0.0:
        return observation.action[0]
    return observation.neighbors[random.categorical(memory, memory.weights, agents)]


@kernel
def gain(observation):
    """What cooperation earns more than defection, without fines, if the neighbors repeat their last actions."""
    benefit, cost = observation.rules[0], observation.rules[1]
    count = neighbors_with(observation, -1)
    defectors = neighbors_with(observation, DEFECT)
    cooperators = count - defectors
    if observation.game[0] == SNOWDRIFT:
        return defectors * (benefit - cost) - cooperators * cost / 2.0
    if observation.game[0] == STAG_HUNT:
        return cooperators * benefit - count * cost
    if observation.game[0] == PUBLIC_GOODS:
        back = 1.0 / (count + 1)
        for k in range(observation.degrees.shape[0]):
            if observation.neighbors[k] >= 0:
                back += 1.0 / (observation.degrees[k] + 1)
        return cost * (observation.rules[2] * back - (count + 1))
    return -cost * count


@policy(ID, "selfish")
def selfish(memory, observation, mask):
    """Does what pays best in the next round if its neighbors repeat their last actions."""
    threats = neighbors_with(observation, PUNISH) * observation.rules[4]
    return COOPERATE if gain(observation) + threats > 0.0 else DEFECT


@policy(ID, "conditional", share=CHANCE.at(0.5))
def conditional(memory, observation, mask):
    """Cooperates if at least `share` of its neighbors did."""
    count = neighbors_with(observation, -1)
    return COOPERATE if count - neighbors_with(observation, DEFECT) >= memory.share * count else DEFECT


@policy(ID, "punisher")
def punisher(memory, observation, mask):
    """Always punishes neighbors that defect; without `punishment`, it always cooperates."""
    return PUNISH if mask.shape[0] > PUNISH else COOPERATE
