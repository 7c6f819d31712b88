"""Baselines of Fishery: harvesters that talk or keep silent.

`growth` is the growth of the stock that a policy assumes. Policies that talk propose the sustainable share of the next
month as the limit, agree to any limit that is not higher, and end the meeting when all agree. The others pass.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.social.fishery.rules import AGREE, ASK, END, MEETING, OBJECT, PASS, PROPOSE, sustainable_share

_ID = "envsuite/Fishery-v0"

GROWTH = Between(1, 10)
#: The most units that a lake holds.
MOST_STOCK = 250


@kernel
def first_word(mask):
    """The first act of speech: to pass, which is always legal for a speaker."""
    for k in range(mask.shape[0]):
        if mask[k] != 0:
            return k
    return 0


@kernel
def villagers(observation):
    """The number of agents that are present."""
    count = 0
    for a in range(observation.present.shape[0]):
        count += observation.present[a]
    return count


@kernel
def share_now(observation, growth):
    """The sustainable share of the present stock."""
    return sustainable_share(np.int64(observation.stock[0]), growth, villagers(observation))


@kernel
def say_nothing(mask):
    """The action that passes."""
    return first_word(mask) + PASS


@kernel
def talk(agent, growth, observation, mask, agreeable):
    """Make the sustainable share of the next month the norm; with `agreeable`, agree to any limit."""
    first = first_word(mask)
    capacity = first - 1
    stock = min(np.int64(growth * observation.stock[0] + 1e-9), capacity)
    share = sustainable_share(stock, growth, villagers(observation))
    proposal, agreed, mine = -1, 0, False
    for k in range(observation.messages.shape[0]):
        speaker, act = observation.messages[k, 0], observation.messages[k, 1]
        if act == PROPOSE:
            proposal, agreed = np.int64(observation.messages[k, 2]), 1
            mine = speaker == agent
        elif act == AGREE:
            agreed += 1
            mine = mine or speaker == agent
    if agreed >= villagers(observation) or (proposal < 0 and observation.norm[0] == share):
        return first + END
    if mine:
        return first + PASS
    if proposal >= 0 and (agreeable or proposal <= share):
        return first + AGREE
    limit = first + ASK + 2 * observation.present.shape[0] + share
    return limit if limit < mask.shape[0] else first + OBJECT if mask[first + OBJECT] != 0 else first + PASS


@policy(_ID, "constant", catch=Between(0, 250).at(10))
def constant(memory, observation, mask):
    """Asks for `catch` units every month and keeps silent."""
    if observation.phase[0] == MEETING:
        return say_nothing(mask)
    return min(max(memory.catch, 0), np.int64(observation.stock[0]))


@policy(_ID, "sustainable", growth=GROWTH.at(2.0))
def sustainable(memory, observation, mask):
    """Asks for the sustainable share f(stock), and proposes it as the limit."""
    if observation.phase[0] == MEETING:
        return talk(memory.agent, memory.growth, observation, mask, False)
    return share_now(observation, memory.growth)


@policy(_ID, "greedy")
def greedy(memory, observation, mask):
    """Asks for the whole stock and keeps silent."""
    if observation.phase[0] == MEETING:
        return say_nothing(mask)
    return np.int64(observation.stock[0])


@policy(_ID, "proportional_greedy")
def proportional_greedy(memory, observation, mask):
    """Asks for an equal share of the whole stock and keeps silent."""
    if observation.phase[0] == MEETING:
        return say_nothing(mask)
    return np.int64(observation.stock[0]) // villagers(observation)


@policy(_ID, "tit_for_tat", variables={"share": limited(-1, -1, MOST_STOCK)}, growth=GROWTH.at(2.0))
def tit_for_tat(memory, observation, mask):
    """Asks for f(stock); after a month in which another agent took more, asks for an equal share of the stock."""
    if observation.phase[0] == MEETING:
        return talk(memory.agent, memory.growth, observation, mask, False)
    betrayed = False
    for a in range(observation.catches.shape[0]):
        taken = observation.catches[a]
        betrayed = betrayed or (a != memory.agent and memory.share >= 0 and taken > memory.share)
    memory.share = share_now(observation, memory.growth)
    return np.int64(observation.stock[0]) // villagers(observation) if betrayed else memory.share


@policy(_ID, "norm_follower", growth=GROWTH.at(2.0))
def norm_follower(memory, observation, mask):
    """Asks for no more than the norm and no more than f(stock)."""
    if observation.phase[0] == MEETING:
        return talk(memory.agent, memory.growth, observation, mask, False)
    share = share_now(observation, memory.growth)
    return share if observation.norm[0] < 0 else min(share, np.int64(observation.norm[0]))


@policy(_ID, "norm_breaker", growth=GROWTH.at(2.0), excess=Between(0, 1000).at(2.0))
def norm_breaker(memory, observation, mask):
    """Agrees to any limit, then asks for `excess` times the norm, or for f(stock) if there is no norm."""
    if observation.phase[0] == MEETING:
        return talk(memory.agent, memory.growth, observation, mask, True)
    if observation.norm[0] < 0:
        return share_now(observation, memory.growth)
    return min(max(np.int64(memory.excess * observation.norm[0]), 0), np.int64(observation.stock[0]))
