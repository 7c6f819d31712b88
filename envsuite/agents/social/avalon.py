"""Baselines of Avalon: good players that count failed quests or weigh all cases, evil ones that are open or hide.

Each plays all roles; its first line says how.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import scratch
from envsuite.kit.deduction import ACCUSED, accusers
from envsuite.kit.teams import CLOSE, best_action, following, ones
from envsuite.social import avalon

_ID = "envsuite/Avalon-v0"

#: A score above all others.
OUT = 1e9


@kernel
def is_evil(observation):
    """Whether the agent itself is evil."""
    return observation.sides[observation.agent[0]] == avalon.EVIL


@kernel
def quests_lost(observation):
    """How many quests have failed."""
    lost = 0
    for q in range(avalon.QUESTS):
        lost += observation.fails[q] >= observation.needed[q]
    return lost


@kernel
def evil_members(observation, proposal):
    """How many members of a team the agent knows to be evil."""
    count = 0
    for a in range(observation.sides.shape[0]):
        count += (observation.teams[proposal, a] != 0) & (observation.sides[a] == avalon.EVIL)
    return count


@kernel
def best_target(memory, observation, mask, act):
    """The legal action of an aimed act against the player with the highest score in `memory.scores`; ties are drawn."""
    return best_action(memory, mask, avalon.aimed(observation, act, 0), observation.roles.shape[0])


# Good players that count: members of failed quests are suspect.


@kernel
def count_taints(memory, observation):
    """To `memory.taints`: how suspect each player is; most of all one that is known to be evil.

    A failed quest counts 1 for its members and 0.5 for those who approved its team, an accusation of today 0.3.
    """
    for a in range(observation.sides.shape[0]):
        memory.taints[a] = 100.0 if observation.sides[a] == avalon.EVIL else 0.3 * accusers(observation, a)
        for q in range(avalon.QUESTS):
            if observation.fails[q] >= observation.needed[q]:
                p = observation.went[q]
                memory.taints[a] += observation.teams[p, a] + 0.5 * (observation.votes[p, a] == 1)
    memory.taints[observation.agent[0]] = 0.0


@large_kernel
def counts_as_clean(memory, observation):
    """Whether no other team of this size is less suspect, of those with the agent or of those without it."""
    size, own, players = observation.sizes[observation.quest[0]], observation.agent[0], observation.sides.shape[0]
    p = observation.proposal[0]
    total, least = 0.0, 0.0
    for a in range(players):
        total += observation.teams[p, a] * memory.taints[a]
        memory.scores[a] = memory.taints[a]
    memory.scores[own] = 0.0 if observation.teams[p, own] != 0 else OUT
    for _ in range(size):
        lowest = 0
        for a in range(players):
            if memory.scores[a] < memory.scores[lowest]:
                lowest = a
        least += memory.scores[lowest]
        memory.scores[lowest] = OUT
    return total <= least + CLOSE


@kernel
def suspects_by_count(memory, observation):
    """To `memory.scores`: how suspect each player is; true if anybody is."""
    found = False
    for a in range(observation.sides.shape[0]):
        memory.scores[a] = memory.taints[a]
        found = found or memory.taints[a] > 0.0
    return found


@large_kernel
def counting(memory, observation, mask):
    """The action of a good player that counts what makes others suspect."""
    own, phase = observation.agent[0], observation.phase[0]
    count_taints(memory, observation)
    if phase == avalon.TEAM:
        for a in range(observation.sides.shape[0]):
            memory.scores[a] = -memory.taints[a]
        memory.scores[own] = 1.0
        return best_target(memory, observation, mask, avalon.PICK)
    if phase == avalon.VOTE:
        return avalon.APPROVE if counts_as_clean(memory, observation) else avalon.REJECT
    if phase == avalon.TALK:
        return accuse(memory, observation, mask) if suspects_by_count(memory, observation) else np.int64(avalon.SILENT)
    return np.int64(avalon.SUCCEED)


@kernel
def accuse(memory, observation, mask):
    """Accuse the player with the highest score, or say nothing if the agent has already accused it."""
    action = best_target(memory, observation, mask, avalon.ACCUSE)
    for a in range(observation.sides.shape[0]):
        if (
            action == avalon.aimed(observation, avalon.ACCUSE, a)
            and observation.stances[observation.agent[0], a] == ACCUSED
        ):
            return np.int64(avalon.SILENT)
    return action


# Good players that weigh all sets of evil players.


@large_kernel
def gather(memory, observation):
    """To the memory: each proposal's team and approvals as bits, and what the agent knows of the sides."""
    players = observation.sides.shape[0]
    for p in range(observation.proposal[0] + 1):
        memory.team_bits[p] = memory.yes_bits[p] = 0
        for a in range(players):
            memory.team_bits[p] |= np.int64(observation.teams[p, a]) << a
            memory.yes_bits[p] |= np.int64(observation.votes[p, a] == 1) << a


@large_kernel
def weight(memory, observation, evil):
    """The likelihood of quests and votes, up to a factor, if these players (bits) are evil.

    An evil member fails with the probability `betrayal`. An evil voter approves a team with evil members with the
    probability `loyalty`, and rejects one without any as often. A good voter tosses a coin.
    """
    betrayal, loyalty = 0.01 + 0.98 * memory.betrayal, 0.01 + 0.98 * memory.loyalty
    value = 1.0
    for q in range(avalon.QUESTS):
        if observation.went[q] != avalon.NONE and observation.fails[q] != avalon.NONE:
            count = ones(memory.team_bits[observation.went[q]] & evil)
            fails = np.int64(observation.fails[q])
            if fails > count:
                return 0.0
            for k in range(count):
                value *= betrayal * (count - k) / (k + 1.0) if k < fails else 1.0 - betrayal
    own = np.int64(1) << observation.agent[0]
    for p in range(observation.proposal[0] + 1):
        if observation.votes[p, 0] == avalon.NONE:
            continue
        dirty, approving = memory.team_bits[p] & evil != 0, memory.yes_bits[p]
        expected = ones((approving if dirty else ~approving) & evil & ~own)
        others = ones(evil & ~own)
        for k in range(others):
            value *= 2.0 * (loyalty if k < expected else 1.0 - loyalty)
    return value


@large_kernel
def weigh(memory, observation, team, pretends):
    """To `memory.scores`: for each player the weight of the cases in which a team (bits) with it has no evil member.

    To `memory.guilt`: the weight of those in which the player is evil. Returns the weight of the cases in which the
    team itself has none, and that of all cases. With `pretends`, the agent judges as if it were good and knew nothing.
    """
    players, own = observation.sides.shape[0], observation.agent[0]
    number = 0
    for role in range(avalon.MINION, observation.counts.shape[0]):
        number += observation.counts[role]
    known, innocent = np.int64(0), np.int64(0)
    for a in range(players):
        memory.scores[a] = memory.guilt[a] = 0.0
        if observation.sides[a] == avalon.EVIL and not pretends:
            known |= np.int64(1) << a
    if known >> own & 1 == 0:
        innocent |= np.int64(1) << own
    clean, total = 0.0, 0.0
    evil = (np.int64(1) << number) - 1
    while evil < np.int64(1) << players:
        if evil & innocent == 0 and evil & known == known:
            value = weight(memory, observation, evil)
            total += value
            for a in range(players):
                if evil >> a & 1 != 0:
                    memory.guilt[a] += value
                elif evil & team == 0:
                    memory.scores[a] += value
            if evil & team == 0:
                clean += value
        evil = following(evil)
    return clean, total


@large_kernel
def is_best_team(memory, observation, pretends):
    """Whether the team is hardly less often free of evil than the best one, of those with or without the agent."""
    own, p = observation.agent[0], observation.proposal[0]
    team, best, out = memory.team_bits[p], np.int64(0), np.int64(0)
    clean, _ = weigh(memory, observation, team, pretends)
    if team >> own & 1 != 0:
        best |= np.int64(1) << own
    else:
        out |= np.int64(1) << own
    highest = 0.0
    while ones(best) < observation.sizes[observation.quest[0]]:
        weigh(memory, observation, best, pretends)
        chosen, highest = -1, -1.0
        for a in range(observation.sides.shape[0]):
            if (best | out) >> a & 1 == 0 and memory.scores[a] > highest:
                chosen, highest = a, memory.scores[a]
        best |= np.int64(1) << chosen
    return clean >= (1.0 - memory.tolerance) * highest


@large_kernel
def weighing(memory, observation, mask, pretends):
    """The action of a good player, or of one that pretends to be good, that weighs all cases; not on quests."""
    own, phase, p = observation.agent[0], observation.phase[0], observation.proposal[0]
    players = observation.sides.shape[0]
    gather(memory, observation)
    if phase == avalon.TEAM:
        weigh(memory, observation, memory.team_bits[p] | np.int64(1) << own, pretends)
        memory.scores[own] = OUT
        return best_target(memory, observation, mask, avalon.PICK)
    if phase == avalon.VOTE:
        if observation.rejected[0] == avalon.ATTEMPTS - 1:  # evil wins if it is rejected
            return np.int64(avalon.APPROVE)
        return avalon.APPROVE if is_best_team(memory, observation, pretends) else avalon.REJECT
    _, total = weigh(memory, observation, 0, pretends)
    share = 0.0
    for a in range(players):
        memory.scores[a] = memory.guilt[a] if observation.sides[a] != avalon.EVIL or not pretends else -1.0
        share = max(share, memory.scores[a])
    if observation.roles[own] == avalon.MERLIN or share < 0.6 * total:
        return np.int64(avalon.SILENT)
    return accuse(memory, observation, mask)


# Evil players.


@large_kernel
def name_merlin(memory, observation, mask):
    """The assassin names the player whose votes and accusations fit best what the evil players know."""
    players = observation.sides.shape[0]
    for a in range(players):
        memory.scores[a] = 0.0
        for p in range(observation.proposal[0] + 1):
            if observation.votes[p, a] != avalon.NONE:
                dirty = evil_members(observation, p) > 0
                memory.scores[a] += (observation.votes[p, a] == 1) != dirty
        for b in range(players):
            if observation.stances[a, b] == ACCUSED:
                memory.scores[a] += 1.0 if observation.sides[b] == avalon.EVIL else -1.0
    return best_target(memory, observation, mask, avalon.NAME)


@kernel
def open_evil(memory, observation, mask):
    """Pick itself and good players, approve teams that can fail, always fail, and say nothing."""
    phase, own, p = observation.phase[0], observation.agent[0], observation.proposal[0]
    needed = np.int64(observation.needed[observation.quest[0]])
    if phase == avalon.TEAM:
        some = evil_members(observation, p) >= needed
        for a in range(observation.sides.shape[0]):
            memory.scores[a] = 1.0 if (observation.sides[a] == avalon.EVIL) != some else 0.0
        memory.scores[own] = 2.0
        return best_target(memory, observation, mask, avalon.PICK)
    if phase == avalon.VOTE:
        return avalon.APPROVE if evil_members(observation, p) >= needed else avalon.REJECT
    if phase == avalon.TALK:
        return np.int64(avalon.SILENT)
    if phase == avalon.QUEST:
        return np.int64(avalon.FAIL)
    for a in range(observation.sides.shape[0]):
        memory.scores[a] = 0.0
    return best_target(memory, observation, mask, avalon.NAME)


@large_kernel
def sly_evil(memory, observation, mask):
    """Talk and vote like a good player that weighs all cases, but do not let good win; fail when it is enough."""
    phase, own, p = observation.phase[0], observation.agent[0], observation.proposal[0]
    q = observation.quest[0]
    needed, lost = np.int64(observation.needed[q]), quests_lost(observation)
    decisive = lost == 2 or q - lost == 2
    count = evil_members(observation, p)
    if phase == avalon.TEAM:
        return open_evil(memory, observation, mask)
    if phase == avalon.VOTE and decisive:
        return avalon.APPROVE if count >= needed else avalon.REJECT
    if phase == avalon.QUEST:
        before = 0  # fellows of a lower number fail first, so that no more fail than needed
        for a in range(own):
            before += (observation.teams[p, a] != 0) & (observation.sides[a] == avalon.EVIL)
        small = observation.sizes[q] == 2 and not decisive
        return avalon.FAIL if count >= needed and before < needed and not small else avalon.SUCCEED
    if phase == avalon.ASSASSINATION:
        return name_merlin(memory, observation, mask)
    return weighing(memory, observation, mask, True)


_ROOM = dict(
    scores=scratch(10, np.float64),
    taints=scratch(10, np.float64),
    guilt=scratch(10, np.float64),
    team_bits=scratch(25),
    yes_bits=scratch(25),
)


@policy(_ID, "honest", variables=_ROOM)
def honest(memory, observation, mask):
    """Good players avoid members of failed quests, and Merlin accuses evil ones; evil players never hide."""
    return open_evil(memory, observation, mask) if is_evil(observation) else counting(memory, observation, mask)


@policy(_ID, "deceptive", variables=_ROOM, betrayal=CHANCE.at(0.8), loyalty=CHANCE.at(0.6), tolerance=CHANCE.at(0.1))
def deceptive(memory, observation, mask):
    """Evil players talk and vote as if good, fail only if needed, and look for Merlin; good ones play honest."""
    return sly_evil(memory, observation, mask) if is_evil(observation) else counting(memory, observation, mask)


@policy(_ID, "bayesian", variables=_ROOM, betrayal=CHANCE.at(0.8), loyalty=CHANCE.at(0.6), tolerance=CHANCE.at(0.1))
def bayesian(memory, observation, mask):
    """Good players weigh all sets of evil players by quests and votes, and Merlin keeps silent; evil ones deceive."""
    if is_evil(observation):
        return sly_evil(memory, observation, mask)
    if observation.phase[0] == avalon.QUEST:
        return np.int64(avalon.SUCCEED)
    return weighing(memory, observation, mask, False)
