"""Baselines of Werewolf: an honest village, and wolves that hide or lie. Each plays all roles; see its first line."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.kit.deduction import ACCUSED, accusers
from envsuite.social import werewolf

_ID = "envsuite/Werewolf-v0"


@large_kernel
def liar(observation, agent, player):
    """Whether a player claims to be the seer but cannot be: another player is, or one of its reports was wrong."""
    if observation.claims[player] != werewolf.SEER or observation.roles[player] == werewolf.SEER:
        return False
    if observation.roles[player] >= 0:
        return True
    for a in range(observation.alive.shape[0]):
        report, role = observation.reports[player, a], observation.roles[a]
        if role == werewolf.SEER or (report == werewolf.GUILTY and role >= 0 and role != werewolf.WEREWOLF):
            return True
        if report == werewolf.INNOCENT and role == werewolf.WEREWOLF:
            return True
        if a == agent and report == werewolf.GUILTY:  # the agent knows that it is not a werewolf
            return True
    return False


@kernel
def trusted_seer(observation, agent):
    """The first player that claims to be the seer and may be it; -1 if there is none."""
    for a in range(observation.alive.shape[0]):
        if observation.claims[a] == werewolf.SEER and a != agent and not liar(observation, agent, a):
            return a
    return -1


@large_kernel
def guilt(observation, agent, player):
    """How much a villager wants a player out: by its knowledge, then by seers' reports, then by the talk of the day."""
    if observation.roles[player] == werewolf.WEREWOLF:
        return 100.0
    if observation.roles[player] >= 0:
        return -100.0
    score = 0.1 * accusers(observation, player)
    if liar(observation, agent, player):
        score += 10.0
    seers = 0
    for a in range(observation.alive.shape[0]):
        if observation.claims[a] == werewolf.SEER and not liar(observation, agent, a):
            seers += 1
            if observation.reports[a, player] == werewolf.GUILTY:
                score += 5.0
            elif observation.reports[a, player] == werewolf.INNOCENT:
                score -= 3.0
            if a == player:
                score -= 2.0
    if seers > 1 and observation.claims[player] == werewolf.SEER:  # at most one of them is the seer
        score += 4.0
    return score


@kernel
def suspect(memory, observation, mask, act):
    """The player that a villager most wants out, of those against which an act is legal; ties are drawn."""
    best, most, tied = -1, -np.inf, 0
    for a in range(observation.alive.shape[0]):
        if mask[werewolf.aimed(observation, act, a)] == 0:
            continue
        score = guilt(observation, memory.agent, a)
        if score > most + 1e-9:
            best, most, tied = a, score, 1
        elif score > most - 1e-9:
            tied += 1
            if random.randint(memory, tied) == 0:
                best = a
    return best


@kernel
def report(memory, observation, mask):
    """As the seer: report a role that it has seen and not reported yet, wolves first; otherwise repeat the claim."""
    found = -1
    for a in range(observation.alive.shape[0]):
        told = observation.reports[memory.agent, a] != werewolf.UNKNOWN
        if mask[werewolf.aimed(observation, werewolf.ACCUSE, a)] != 0 and observation.roles[a] >= 0 and not told:
            if found < 0 or observation.roles[a] == werewolf.WEREWOLF:
                found = a
    if found < 0:
        return np.int64(werewolf.CLAIM_SEER)
    guilty = observation.roles[found] == werewolf.WEREWOLF
    return werewolf.aimed(observation, werewolf.REPORT_WEREWOLF if guilty else werewolf.REPORT_INNOCENT, found)


@kernel
def unseen(memory, observation, mask):
    """As the seer: the most suspected player whose role is unknown, to inspect; ties are drawn."""
    best, most, tied = -1, -np.inf, 0
    for a in range(observation.alive.shape[0]):
        if mask[werewolf.aimed(observation, werewolf.INSPECT, a)] == 0:
            continue
        score = guilt(observation, memory.agent, a) if observation.roles[a] < 0 else -1000.0
        if score > most + 1e-9:
            best, most, tied = a, score, 1
        elif score > most - 1e-9:
            tied += 1
            if random.randint(memory, tied) == 0:
                best = a
    return best


@large_kernel
def village(memory, observation, mask):
    """The action of an honest villager, seer or doctor."""
    agent, phase, role = memory.agent, observation.phase[0], observation.roles[memory.agent]
    if phase == werewolf.NIGHT and role == werewolf.SEER:
        return werewolf.aimed(observation, werewolf.INSPECT, unseen(memory, observation, mask))
    if phase == werewolf.NIGHT:
        seer = trusted_seer(observation, agent)
        if seer >= 0 and observation.alive[seer] != 0:
            return werewolf.aimed(observation, werewolf.PROTECT, seer)
        return choose_legal(memory, mask)
    if phase == werewolf.VOTE:
        return werewolf.aimed(observation, werewolf.VOTE_FOR, suspect(memory, observation, mask, werewolf.VOTE_FOR))
    if role == werewolf.SEER:
        return report(memory, observation, mask)
    target = suspect(memory, observation, mask, werewolf.ACCUSE)
    if guilt(observation, agent, target) <= 0.0 or observation.stances[agent, target] == ACCUSED:
        return np.int64(werewolf.SILENT)
    return werewolf.aimed(observation, werewolf.ACCUSE, target)


@large_kernel
def prey(memory, observation, mask):
    """As a werewolf: kill a living player that claims to be the seer, or a random player that is not a wolf."""
    seer = trusted_seer(observation, memory.agent)
    if seer >= 0 and mask[werewolf.aimed(observation, werewolf.KILL, seer)] != 0:
        return werewolf.aimed(observation, werewolf.KILL, seer)
    return choose_legal(memory, mask)


@large_kernel
def hide(memory, observation, mask):
    """As a werewolf by day: say nothing, and vote with the village, but not against a wolf."""
    if observation.phase[0] == werewolf.DISCUSSION:
        return np.int64(werewolf.SILENT)
    best, most = -1, 0
    count, players = 0, observation.alive.shape[0]
    for a in range(players):
        if mask[werewolf.aimed(observation, werewolf.VOTE_FOR, a)] != 0 and observation.roles[a] != werewolf.WEREWOLF:
            count += 1
            against = accusers(observation, a)
            for b in range(players):
                against += observation.reports[b, a] == werewolf.GUILTY
            if against > most:
                best, most = a, against
    if best < 0:
        left = random.randint(memory, count)
        for a in range(players):
            if (
                mask[werewolf.aimed(observation, werewolf.VOTE_FOR, a)] != 0
                and observation.roles[a] != werewolf.WEREWOLF
            ):
                if left == 0:
                    best = a
                left -= 1
    return werewolf.aimed(observation, werewolf.VOTE_FOR, best)


@kernel
def silent_villager(memory, observation, mask):
    """Say nothing and act at random."""
    return np.int64(werewolf.SILENT) if observation.phase[0] == werewolf.DISCUSSION else choose_legal(memory, mask)


@policy(_ID, "honest")
def honest(memory, observation, mask):
    """The seer reports what it has seen, and the others follow a player that may be the seer; wolves play quiet."""
    if observation.roles[memory.agent] != werewolf.WEREWOLF:
        return village(memory, observation, mask)
    return (
        prey(memory, observation, mask) if observation.phase[0] == werewolf.NIGHT else hide(memory, observation, mask)
    )


@policy(_ID, "quiet")
def quiet(memory, observation, mask):
    """As a werewolf, says nothing, votes with the others and kills seers by claim; otherwise silent and random."""
    if observation.roles[memory.agent] != werewolf.WEREWOLF:
        return silent_villager(memory, observation, mask)
    return (
        prey(memory, observation, mask) if observation.phase[0] == werewolf.NIGHT else hide(memory, observation, mask)
    )


@policy(_ID, "bluff")
def bluff(memory, observation, mask):
    """One werewolf claims to be the seer and reports a villager; the other wolves play quiet. Others play honest."""
    agent, players = memory.agent, observation.alive.shape[0]
    if observation.roles[agent] != werewolf.WEREWOLF:
        return village(memory, observation, mask)
    if observation.phase[0] == werewolf.NIGHT:
        return prey(memory, observation, mask)
    first, pretends = agent, False
    for a in range(players):
        if observation.roles[a] == werewolf.WEREWOLF and observation.alive[a] != 0:
            first = min(first, a)
            pretends = pretends or (observation.claims[a] == werewolf.SEER and a != agent)
    if observation.phase[0] == werewolf.VOTE or pretends or first != agent:
        return hide(memory, observation, mask)
    best, most = -1, -1
    for a in range(players):  # another player that claims to be the seer, otherwise the most accused
        if mask[werewolf.aimed(observation, werewolf.ACCUSE, a)] != 0 and observation.roles[a] != werewolf.WEREWOLF:
            score = accusers(observation, a) + 20 * (observation.claims[a] == werewolf.SEER)
            if score > most:
                best, most = a, score
    return werewolf.aimed(observation, werewolf.REPORT_WEREWOLF, best)
