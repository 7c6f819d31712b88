"""Baselines of Coup: one that never bluffs, one that always does, and one that weighs what the others may hold."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.kit.deduction import NOBODY
from envsuite.social import coup
from envsuite.social.coup import view

_ID = "envsuite/Coup-v0"

#: What each role is worth to keep.
WORTH = np.array([5, 4, 3, 1, 2])


@kernel
def owns(observation, role):
    """How many cards of a role the agent has face down."""
    count = 0
    for k in range(coup.HAND):
        count += observation.hand[k] == role
    return count


@kernel
def unseen(observation, role):
    """How many cards of a role the agent does not see."""
    count = coup.COPIES - owns(observation, role)
    for a in range(observation.held.shape[0]):
        count -= (observation.lost[a, 0] == role) + (observation.lost[a, 1] == role)
    return count


@large_kernel
def credence(observation, player, role, bluffing):
    """The probability that a player has a role: by what is unseen, and by its claims, if it bluffs this often."""
    total = 0
    for other in range(5):
        total += unseen(observation, other)
    left, none = unseen(observation, role), 1.0
    for k in range(min(observation.held[player], 2)):
        none *= max(total - left - k, 0) / max(total - k, 1)
    some = 1.0 - none
    for _ in range(observation.claims[player, role]):
        none *= bluffing
    return some / (some + none) if some > 0.0 else 0.0


@kernel
def strongest(memory, observation, mask, act):
    """The legal action of an aimed act against the player with most cards, then coins; ties are drawn; -1 if none."""
    best, most, tied = -1, -1, 0
    for a in range(observation.held.shape[0]):
        action = coup.aimed(observation, act, a)
        if mask[action] != 0:
            score = observation.coins[a] + (0 if act == view.STEAL else 3 * observation.held[a])
            if score > most:
                best, most, tied = action, score, 1
            elif score == most:
                tied += 1
                if random.randint(memory, tied) == 0:
                    best = action
    return best


@kernel
def discard(observation, first):
    """The action, of those from `first` on, that gives up the least useful card: a second one of a role, if any."""
    worst, least = -1, 100
    for role in range(5):
        count = owns(observation, role)
        score = 0 if count > 1 else WORTH[role]
        if count > 0 and score < least:
            worst, least = role, score
    return first + worst


@kernel
def can_claim(memory, observation, role, bluffing):
    """Whether the agent acts as a role: if it has it, or bluffs and the others may believe it."""
    if owns(observation, role) > 0:
        return True
    return unseen(observation, role) > 0 and random.bernoulli(memory, bluffing)


@large_kernel
def choose_act(memory, observation, mask, bluffing):
    """The act in the agent's turn: a coup if it can; otherwise the first useful act that it claims."""
    action = strongest(memory, observation, mask, view.COUP)
    if action >= 0:
        return action
    action = strongest(memory, observation, mask, view.ASSASSINATE)
    if action >= 0 and can_claim(memory, observation, view.ASSASSIN, bluffing):
        return action
    if can_claim(memory, observation, view.DUKE, bluffing):
        return np.int64(view.TAX)
    action = strongest(memory, observation, mask, view.STEAL)
    if action >= 0 and owns(observation, view.CAPTAIN) > 0 and observation.coins[victim(observation, action)] >= 2:
        return action
    if owns(observation, view.AMBASSADOR) > 0:
        return np.int64(view.EXCHANGE)
    for a in range(observation.held.shape[0]):
        if a != observation.agent[0] and observation.claims[a, view.DUKE] > 0:
            return np.int64(view.INCOME)
    return np.int64(view.FOREIGN_AID)


@kernel
def victim(observation, action):
    """The target of a theft."""
    return (action - coup.aimed(observation, view.STEAL, 0)) % observation.held.shape[0]


@large_kernel
def choose_block(memory, observation, mask, bluffing):
    """A block with a role that the agent has, or with a bluff; NOBODY if it does not block."""
    for action in range(coup.BLOCK_AS_DUKE, coup.BLOCK_AS_CONTESSA + 1):
        if mask[action] != 0 and owns(observation, coup.block_role(action)) > 0:
            return np.int64(action)
    for action in range(coup.BLOCK_AS_DUKE, coup.BLOCK_AS_CONTESSA + 1):
        if mask[action] != 0 and can_claim(memory, observation, coup.block_role(action), bluffing):
            return np.int64(action)
    return np.int64(NOBODY)


@kernel
def claimed(observation):
    """The player whose claim stands, and the role that it claims; NONE if there is no claim."""
    if observation.phase[0] == view.CONTEST:
        return np.int64(observation.blocker[0]), np.int64(observation.block[0])
    return np.int64(observation.actor[0]), np.int64(coup.role_of(observation.act[0]))


@large_kernel
def plays(memory, observation, mask, bluffing, blocking, doubt, trust):
    """The action of a player that bluffs this often, and challenges a claim below a probability `doubt` to be true.

    `trust` is how often it takes the others to bluff.
    """
    phase = observation.phase[0]
    if phase == view.ACT:
        return choose_act(memory, observation, mask, bluffing)
    if phase == view.LOSE:
        return discard(observation, coup.LOSE_CARD)
    if phase == view.RETURN:
        return discard(observation, coup.RETURN_CARD)
    block = choose_block(memory, observation, mask, blocking)
    if block != NOBODY and owns(observation, coup.block_role(block)) > 0:
        return block
    if mask[coup.CHALLENGE_IT] != 0:
        player, role = claimed(observation)
        if role != view.NONE and credence(observation, player, role, trust) < doubt:
            return np.int64(coup.CHALLENGE_IT)
    return block if block != NOBODY else np.int64(coup.PASS)


@policy(_ID, "honest")
def honest(memory, observation, mask):
    """Claims only roles that it has, and challenges only claims that cannot be true."""
    return plays(memory, observation, mask, 0.0, 0.0, 1e-9, 0.5)


@policy(_ID, "deceptive", doubt=CHANCE.at(0.1))
def deceptive(memory, observation, mask):
    """Assassinates, taxes and blocks whatever it holds, and challenges at random with the probability `doubt`."""
    if mask[coup.CHALLENGE_IT] != 0 and random.bernoulli(memory, memory.doubt):
        return np.int64(coup.CHALLENGE_IT)
    return plays(memory, observation, mask, 1.0, 1.0, 1e-9, 0.5)


@policy(
    _ID, "bayesian", bluffing=CHANCE.at(0.15), blocking=CHANCE.at(0.15), doubt=CHANCE.at(0.35), trust=CHANCE.at(0.5)
)
def bayesian(memory, observation, mask):
    """Challenges claims that are true with a probability below `doubt`, by cards and claims, and bluffs at times.

    Parameters:
        bluffing: how often it acts as a role that it does not have.
        blocking: how often it blocks as one.
        trust: how often the others make a claim that is false, compared with one that is true.
    """
    return plays(memory, observation, mask, memory.bluffing, memory.blocking, memory.doubt, memory.trust)
