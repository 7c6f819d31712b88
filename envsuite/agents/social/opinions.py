"""Baselines of Opinions: honesty, the best reply to what the neighbors show, leaving them, and patient persuasion."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.social.opinions import DEFFUANT, HEGSELMANN_KRAUSE, POST, REWIRE, STAY

ID = "envsuite/Opinions-v0"


@kernel
def value_of(observation, mask, action):
    """What an agent shows with an action."""
    return (action - POST) / (mask.shape[0] - POST - 1) if action >= POST else observation.opinion[0]


@kernel
def best_reply(observation, mask):
    """The action of a person, without rewiring, that costs least if the neighbors show the same again."""
    best, least = STAY, np.inf
    for action in range(mask.shape[0]):
        if action != REWIRE:
            value = value_of(observation, mask, action)
            gap = value - observation.opinion[0]
            cost = gap * gap
            for k in range(observation.neighbors.shape[0]):
                if observation.neighbors[k] >= 0.0:
                    gap = value - observation.neighbors[k]
                    cost += observation.rules[3] * (gap * gap)
            if cost < least:
                best, least = action, cost
    return best


@policy(ID, "honest")
def honest(memory, observation, mask):
    """Always stays: it shows its opinion."""
    return STAY


@policy(ID, "conformist")
def conformist(memory, observation, mask):
    """Shows what costs it least if its neighbors show the same as before. A bot stays."""
    return STAY if observation.bot[0] != 0 else best_reply(observation, mask)


@policy(ID, "sorter", limit=CHANCE.at(0.45))
def sorter(memory, observation, mask):
    """Rewires if a neighbor shows a value more than `limit` from its opinion, else plays like `conformist`."""
    if observation.bot[0] != 0:
        return STAY
    if mask[REWIRE] != 0 and observation.left[0] > 2:
        for shown in observation.neighbors:
            if shown >= 0.0 and abs(shown - observation.opinion[0]) > memory.limit:
                return REWIRE
    return best_reply(observation, mask)


@policy(ID, "persuader")
def persuader(memory, observation, mask):
    """As a bot, shows the value nearest to its goal that most neighbors still listen to. A person is a conformist.

    Where opinions are averaged or copied from everybody, a bot shows its goal.
    """
    if observation.bot[0] == 0:
        return best_reply(observation, mask)
    if observation.rule[0] != DEFFUANT and observation.rule[0] != HEGSELMANN_KRAUSE:
        return STAY
    goal, best, most = observation.opinion[0], STAY, 0.0
    for action in range(mask.shape[0]):
        if action != REWIRE:
            value, worth = value_of(observation, mask, action), 0.0
            for k in range(observation.neighbors.shape[0]):
                shown = observation.neighbors[k]
                if shown >= 0.0 and abs(value - shown) < observation.rules[1]:
                    worth += abs(shown - goal) - abs(value - goal)
            if worth > most:
                best, most = action, worth
    return best
