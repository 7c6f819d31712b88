"""Baselines of SocialGoals: a haggler, a listener that reveals nothing, and an honest sharer."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.social.social_goals import ACCEPT, ASK, FACT, LEAVE, NONE, PROPOSE, REVEAL, TALK, THANK

ID = "envsuite/SocialGoals-v0"

#: Acts left when hagglers begin to take what they can get.
LATE = 6


@kernel
def best_of(worth, issue):
    """The largest worth of an issue's options."""
    most = np.int64(worth[issue, 0])
    for j in range(1, 4):
        most = max(most, np.int64(worth[issue, j]))
    return most


@kernel
def total_of(worth):
    """The worth of the best options of all issues that are known."""
    total = np.int64(0)
    for k in range(3):
        total += max(best_of(worth, k), 0)
    return total


@kernel
def to_settle(observation):
    """The first issue that is not settled, or NONE."""
    for k in range(3):
        if observation.worth[k, 0] != NONE and observation.settled[k] == NONE:
            return k
    return NONE


@kernel
def enough(observation, issue, option, part):
    """Whether an option has at least this part of the worth of the issue's best."""
    return observation.worth[issue, option] >= part * best_of(observation.worth, issue)


@kernel
def manners(observation, mask):
    """Thanks and small talk while they help the relation, then `leave`."""
    start, now = observation.relation[0], observation.relation[1]
    if now < 5 and now - start < 5:
        if mask[THANK] != 0:
            return THANK
        if observation.talked[0] == 0:
            return TALK
    return LEAVE


@policy(ID, "haggler", demand=CHANCE.at(0.5))
def haggler(memory, observation, mask):
    """Reveals nothing, and accepts and proposes options worth the part `demand` of its best; late, it accepts more."""
    part = memory.demand if observation.left[0] > LATE else 0.1
    if mask[ACCEPT] != 0 and enough(observation, observation.proposal[1], observation.proposal[2], part):
        return ACCEPT
    found, count = LEAVE, 0
    for k in range(3):
        for j in range(4):
            if mask[PROPOSE + 4 * k + j] != 0 and enough(observation, k, j, memory.demand):
                count += 1
                if random.randint(memory, count) == 0:
                    found = PROPOSE + 4 * k + j
    return found


@kernel
def selfish(observation, issue):
    """The option that is best for the agent among those with half the worth of the other's best, if that is known."""
    found, most = 0, -1
    for j in range(4):
        fair = 2 * observation.other[issue, j] >= best_of(observation.other, issue)
        if fair and observation.worth[issue, j] > most:
            found, most = j, np.int64(observation.worth[issue, j])
    return found


@policy(ID, "listener", demand=CHANCE.at(0.5))
def listener(memory, observation, mask):
    """Asks and reveals nothing; proposes what is best for itself among what leaves the other half; then manners."""
    if mask[ACCEPT] != 0 and enough(observation, observation.proposal[1], observation.proposal[2], memory.demand):
        return ACCEPT
    issue = to_settle(observation)
    if issue == NONE or observation.left[0] <= 2:
        return ACCEPT if mask[ACCEPT] != 0 else manners(observation, mask)
    if mask[ASK + issue] != 0 and observation.last[0] != ASK + issue:
        return ASK + issue
    return PROPOSE + 4 * issue + selfish(observation, issue)


@kernel
def jointly_best(observation, issue):
    """The option with the largest sum of goals, if the other has revealed all; otherwise the agent's best."""
    known = True
    for k in range(3):
        known = known and (observation.worth[k, 0] == NONE or observation.other[k, 0] != NONE)
    mine, theirs = total_of(observation.worth), total_of(observation.other)
    found, most = 0, np.int64(-1)
    for j in range(4):
        value = np.int64(observation.worth[issue, j])
        if known:
            value = value * theirs + np.int64(observation.other[issue, j]) * mine
        if value > most:
            found, most = j, value
    return found


@policy(ID, "sharer")
def sharer(memory, observation, mask):
    """Reveals its goals and, unless it is a secret, its fact; settles each issue as is best for both; then manners.

    Of a player that has not revealed its goals, it accepts what has half the worth of its best or more.
    """
    for k in range(3):
        if mask[REVEAL + k] != 0:
            return REVEAL + k
    if observation.secret[0] == 0 and mask[REVEAL + FACT] != 0:
        return REVEAL + FACT
    issue = to_settle(observation)
    if mask[ACCEPT] != 0:
        offered, option = observation.proposal[1], observation.proposal[2]
        known = observation.other[offered, 0] != NONE
        if option == jointly_best(observation, offered) or (not known and enough(observation, offered, option, 0.5)):
            return ACCEPT
    if issue == NONE:
        return manners(observation, mask)
    return PROPOSE + 4 * issue + jointly_best(observation, issue)
