"""Baselines of TrustGame: constant trust and returns, judges of reputation, and a calculating player.

With `partners="choice"`, policies without a preference choose a trustee at random.
"""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.social.trust_game import NONE, RETURN

ID = "envsuite/TrustGame-v0"


@kernel
def returning(observation, mask, share):
    """The action that returns the share nearest to this one."""
    steps = np.int64(observation.rules[2])
    return mask.shape[0] - 1 - steps + np.int64(min(max(share, 0.0), 1.0) * steps + 0.5)


@kernel
def sending(memory, observation, part, trustee):
    """The action that sends this part of the endowment, to a trustee or to any if it is NONE."""
    endowment, players = np.int64(observation.rules[0]), observation.sent.shape[0]
    amount = np.int64(min(max(part, 0.0), 1.0) * endowment + 0.5)
    if amount == 0 or observation.partner[0] != NONE:
        return amount
    half = players // 2
    number = random.randint(memory, half) if trustee == NONE else np.int64(trustee % half)
    return 1 + number * endowment + amount - 1


@kernel
def standing(observation, player, hope):
    """The mean share that a player is known to have returned; `hope` if nothing is known."""
    total, count = 0.0, 0
    for k in range(observation.shares.shape[1]):
        if observation.shares[player, k] != NONE:
            total += observation.shares[player, k] / observation.rules[2]
            count += 1
    return total / count if count > 0 else hope


@kernel
def best_trustee(memory, observation, hope):
    """The agent's trustee, or where it has a choice the one of the best standing; ties are drawn."""
    if observation.partner[0] != NONE:
        return np.int64(observation.partner[0])
    half = observation.sent.shape[0] // 2
    first = half if observation.agent[0] < half else 0
    found, best, ties = first, -1.0, 0
    for k in range(first, first + half):
        value = standing(observation, k, hope)
        if value > best:
            found, best, ties = k, value, 1
        elif value == best:
            ties += 1
            if random.randint(memory, ties) == 0:
                found = k
    return found


@policy(ID, "constant", trust=CHANCE.at(0.5), returns=CHANCE.at(0.5))
def constant(memory, observation, mask):
    """Sends the part `trust` of its units and returns the share `returns`, whatever happened."""
    if observation.phase[0] == RETURN:
        return returning(observation, mask, memory.returns)
    return sending(memory, observation, memory.trust, NONE)


@policy(ID, "reputation", hope=CHANCE.at(0.5), returns=CHANCE.at(0.5))
def reputation(memory, observation, mask):
    """Sends all to a trustee whose mean known return makes it pay, else nothing; `hope` stands for unknown returns."""
    if observation.phase[0] == RETURN:
        return returning(observation, mask, memory.returns)
    trustee = best_trustee(memory, observation, memory.hope)
    pays = standing(observation, trustee, memory.hope) * observation.rules[1] > 1.0
    return sending(memory, observation, 1.0 if pays else 0.0, trustee)


@policy(ID, "calculating", hope=CHANCE.at(0.5))
def calculating(memory, observation, mask):
    """Trusts by reputation and returns just enough to be trusted again; near the end, it sends and returns nothing.

    It returns nothing in its last round as a trustee, and does not send in the last two rounds, where trustees like
    itself return nothing.
    """
    if observation.phase[0] == RETURN:
        enough = np.floor(observation.rules[2] / max(observation.rules[1], 1.0)) + 1.0
        return returning(observation, mask, enough / observation.rules[2] if observation.left[0] > 2 else 0.0)
    trustee = best_trustee(memory, observation, memory.hope)
    pays = standing(observation, trustee, memory.hope) * observation.rules[1] > 1.0
    return sending(memory, observation, 1.0 if pays and observation.left[0] > 2 else 0.0, trustee)
