"""Baselines of Secret Hitler: liberals that count or weigh all cases, fascists that are open or lie.

Each plays all roles; its first line says how.
"""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import scratch
from envsuite.kit.deduction import ACCUSED
from envsuite.kit.teams import best_action, following, ones
from envsuite.social import secret_hitler
from envsuite.social.secret_hitler import view

_ID = "envsuite/SecretHitler-v0"

#: A suspicion above all others.
SURE = 1e6

#: The probabilities of 0 to 3 fascist policies among three of the full deck.
DRAWS = np.array([20 / 680, 165 / 680, 330 / 680, 165 / 680])


@kernel
def own_role(observation):
    """The agent's role."""
    return observation.roles[observation.agent[0]]


@kernel
def in_party(role):
    """Whether a role that is known is of the fascist party."""
    return role >= view.FASCIST


@kernel
def best_target(memory, observation, mask, act):
    """The legal action of an aimed act against the player with the highest score in `memory.scores`; ties are drawn."""
    return best_action(memory, mask, secret_hitler.aimed(observation, act, 0), observation.roles.shape[0])


# What liberals do, by the suspicion in `memory.guilt` and `memory.menace`, that a player is Hitler.


@large_kernel
def count_guilt(memory, observation):
    """To `memory.guilt`: how suspect each player is, by the policies of its governments and by reported parties."""
    players = observation.roles.shape[0]
    for a in range(players):
        memory.guilt[a] = memory.menace[a] = 0.0
        for r in range(observation.round[0] + 1):
            if observation.results[r] == secret_hitler.ELECTED and observation.policies[r] != view.NONE:
                if observation.presidents[r] == a or observation.chancellors[r] == a:
                    memory.guilt[a] += 1.0 if observation.policies[r] == view.FASCIST else -1.0
        if observation.verdicts[a] != view.NONE:
            memory.guilt[a] += 2.0 if observation.verdicts[a] == view.FASCIST else -2.0
        if observation.roles[a] != view.NONE:
            memory.guilt[a] = SURE if in_party(observation.roles[a]) else -SURE
    memory.guilt[observation.agent[0]] = -SURE
    for a in range(players):
        memory.menace[a] = memory.guilt[a]


@kernel
def mean_guilt(memory, observation):
    """The mean suspicion of the other living players, of those about whom the agent is not sure."""
    total, count = 0.0, 0
    for a in range(observation.roles.shape[0]):
        if observation.alive[a] != 0 and abs(memory.guilt[a]) < SURE:
            total += memory.guilt[a]
            count += 1
    return total / max(count, 1)


@large_kernel
def names_by_guilt(memory, observation, mask):
    """The choice of a player, or talk, of an agent that avoids guilt."""
    phase = observation.phase[0]
    for a in range(observation.roles.shape[0]):
        memory.scores[a] = -memory.guilt[a]
        if phase == view.EXECUTE:
            memory.scores[a] = memory.menace[a]
        elif phase == view.INVESTIGATE:
            memory.scores[a] = memory.guilt[a] if observation.roles[a] == view.NONE else -SURE
        elif phase == view.NOMINATE and observation.enacted[view.FASCIST] >= 3:
            memory.scores[a] = -memory.guilt[a] - 3.0 * memory.menace[a]
    if phase == view.NOMINATE:
        return best_target(memory, observation, mask, secret_hitler.NAME)
    if phase == view.INVESTIGATE:
        return best_target(memory, observation, mask, secret_hitler.INSPECT)
    return best_target(memory, observation, mask, secret_hitler.CHOOSE if phase == view.ELECT else secret_hitler.KILL)


@kernel
def accuse(memory, observation, mask):
    """Accuse the most suspect player, or say nothing if the agent has already accused it."""
    for a in range(observation.roles.shape[0]):
        memory.scores[a] = memory.guilt[a]
    action = best_target(memory, observation, mask, secret_hitler.ACCUSE)
    for a in range(observation.roles.shape[0]):
        if (
            action == secret_hitler.aimed(observation, secret_hitler.ACCUSE, a)
            and observation.stances[observation.agent[0], a] == ACCUSED
        ):
            return np.int64(secret_hitler.SILENT)
    return action


@kernel
def liberal_session(observation, mask):
    """The part of a liberal in a session: discard fascist policies, propose and accept vetoes, report the truth."""
    phase = observation.phase[0]
    if phase == view.ENACT and mask[secret_hitler.PROPOSE] != 0 and mask[secret_hitler.DISCARD_LIBERAL] == 0:
        return np.int64(secret_hitler.PROPOSE)
    if phase == view.DISCARD or phase == view.ENACT:
        return (
            secret_hitler.DISCARD_FASCIST if mask[secret_hitler.DISCARD_FASCIST] != 0 else secret_hitler.DISCARD_LIBERAL
        )
    if phase == view.VETO:
        return np.int64(secret_hitler.ACCEPT)
    return secret_hitler.REPORT + np.int64(observation.saw[0])


@kernel
def last_inspected(observation):
    """The player that the agent investigated and has not yet reported."""
    for a in range(observation.roles.shape[0]):
        if observation.inspectors[a] == observation.agent[0] and observation.verdicts[a] == view.NONE:
            return a
    return 0


@kernel
def true_verdict(observation):
    """Report the party of the player that was investigated last."""
    return (
        secret_hitler.REPORT_FASCIST
        if in_party(observation.roles[last_inspected(observation)])
        else secret_hitler.REPORT_LIBERAL
    )


@large_kernel
def counting(memory, observation, mask):
    """The action of a liberal that counts the policies of governments."""
    phase, own = observation.phase[0], observation.agent[0]
    if phase == view.PARTY_REPORT:
        return true_verdict(observation)
    if phase >= view.DISCARD and phase <= view.CHANCELLOR_REPORT:
        return liberal_session(observation, mask)
    count_guilt(memory, observation)
    mean = mean_guilt(memory, observation)
    if phase == view.VOTE:
        risk = max(memory.guilt[observation.president[0]], memory.guilt[observation.chancellor[0]])
        return secret_hitler.YES if risk <= mean + 0.5 or observation.failed[0] == 2 else secret_hitler.NO
    if phase == view.TALK:
        for a in range(observation.roles.shape[0]):
            if a != own and observation.alive[a] != 0 and memory.guilt[a] > mean + 0.5:
                return accuse(memory, observation, mask)
        return np.int64(secret_hitler.SILENT)
    return names_by_guilt(memory, observation, mask)


# Liberals that weigh all sets of players of the fascist party.


@kernel
def told(report, truth, lies, kinds):
    """The probability of a report: the truth, or any of `kinds` numbers from a player that lies."""
    if report == view.NONE:
        return 1.0
    if lies:
        return 1.0 / kinds
    return 1.0 if report == truth else 1e-4


@kernel
def passed_on(given, lies, policy, report, zeal):
    """The probability of a chancellor's policy and report, if it gets this number of fascist policies of two."""
    fascist = 1.0 if given == 2 else 0.0
    if lies and given == 1:
        fascist = zeal
    return (fascist if policy == view.FASCIST else 1.0 - fascist) * told(report, given, lies, 3)


@large_kernel
def session(president, chancellor, policy, first, second, zeal):
    """The probability of a session's policy and reports, if the president or the chancellor are fascist.

    A liberal discards a fascist policy if it can, and reports the truth. A fascist discards a liberal one with the
    probability `zeal`, and reports anything.
    """
    total = 0.0
    for drawn in range(4):
        share = DRAWS[drawn] * told(first, drawn, president, 4)
        keep = 0.0  # that the president discards a liberal policy
        if drawn == 0 or (president and drawn < 3):
            keep = 1.0 if drawn == 0 else zeal
        if keep > 0.0:
            total += share * keep * passed_on(drawn, chancellor, policy, second, zeal)
        if keep < 1.0:
            total += share * (1.0 - keep) * passed_on(drawn - 1, chancellor, policy, second, zeal)
    return total


@large_kernel
def weight(memory, observation, team):
    """The likelihood of sessions, votes and reported parties, up to a factor, if these players are of the party."""
    zeal, loyalty = 0.01 + 0.98 * memory.zeal, 0.01 + 0.98 * memory.loyalty
    value, own = 1.0, np.int64(1) << observation.agent[0]
    for r in range(observation.round[0] + 1):
        president, chancellor = np.int64(observation.presidents[r]), np.int64(observation.chancellors[r])
        if observation.results[r] == view.NONE:
            continue
        bad_president, bad_chancellor = team >> president & 1 != 0, team >> chancellor & 1 != 0
        if observation.results[r] == secret_hitler.ELECTED and observation.policies[r] != view.NONE:
            first, second = np.int64(observation.reports[r, 0]), np.int64(observation.reports[r, 1])
            value *= session(bad_president, bad_chancellor, observation.policies[r], first, second, zeal)
        for a in range(observation.roles.shape[0]):
            if team & ~own & np.int64(1) << a != 0 and observation.votes[r, a] != view.NONE:
                agrees = (observation.votes[r, a] == 1) == (bad_president or bad_chancellor)
                value *= 2.0 * (loyalty if agrees else 1.0 - loyalty)
    for a in range(observation.roles.shape[0]):
        if observation.verdicts[a] != view.NONE:
            honest = team >> np.int64(observation.inspectors[a]) & 1 == 0
            right = (observation.verdicts[a] == view.FASCIST) == (team >> a & 1 != 0)
            value *= 0.5 if not honest else 1.0 if right else 1e-4
    return value


@kernel
def cleared(observation, player):
    """Whether a player was elected chancellor after three fascist policies, and so is not Hitler; or is out."""
    fascist = 0
    for r in range(observation.round[0] + 1):
        if fascist >= 3 and observation.results[r] != view.NONE and observation.results[r] > 0:
            if observation.chancellors[r] == player:
                return True
        fascist += observation.policies[r] == view.FASCIST
    return observation.alive[player] == 0


@large_kernel
def weigh_guilt(memory, observation):
    """To `memory.guilt` and `memory.menace`: the probabilities that each player is of the party, and is Hitler."""
    players, own = observation.roles.shape[0], observation.agent[0]
    number = observation.counts[view.FASCIST] + observation.counts[view.HITLER]
    known, innocent, free = np.int64(0), np.int64(1) << own, np.int64(0)
    for a in range(players):
        memory.guilt[a] = memory.menace[a] = 0.0
        if a != own and in_party(observation.roles[a]):
            known |= np.int64(1) << a
        elif observation.roles[a] == view.LIBERAL:
            innocent |= np.int64(1) << a
        if cleared(observation, a):
            free |= np.int64(1) << a
    total = 0.0
    team = (np.int64(1) << number) - 1
    while team < np.int64(1) << players:
        suspects = ones(team & ~free)
        if team & innocent == 0 and team & known == known and suspects > 0:
            value = weight(memory, observation, team)
            total += value
            for a in range(players):
                if team >> a & 1 != 0:
                    memory.guilt[a] += value
                    if free >> a & 1 == 0:
                        memory.menace[a] += value / suspects
        team = following(team)
    for a in range(players):
        memory.guilt[a] /= max(total, 1e-300)
        memory.menace[a] /= max(total, 1e-300)


@large_kernel
def weighing(memory, observation, mask):
    """The action of a liberal that weighs all cases."""
    phase, own, players = observation.phase[0], observation.agent[0], observation.roles.shape[0]
    if phase == view.PARTY_REPORT:
        return true_verdict(observation)
    if phase >= view.DISCARD and phase <= view.CHANCELLOR_REPORT:
        return liberal_session(observation, mask)
    weigh_guilt(memory, observation)
    if phase == view.VOTE:
        share, suspects = 0.0, 0
        for a in range(players):
            share += memory.guilt[a] / (players - 1)
            suspects += memory.menace[a] > 0.0
        president, chancellor = observation.president[0], observation.chancellor[0]
        danger = observation.enacted[view.FASCIST] >= 3 and memory.menace[chancellor] * suspects > 1.05
        risk = memory.guilt[president] + memory.guilt[chancellor]
        calm = risk <= 2.0 * share + memory.tolerance or observation.failed[0] == 2
        return secret_hitler.YES if calm and not danger else secret_hitler.NO
    if phase == view.TALK:
        for a in range(players):
            if a != own and observation.alive[a] != 0 and memory.guilt[a] > 0.7:
                return accuse(memory, observation, mask)
        return np.int64(secret_hitler.SILENT)
    return names_by_guilt(memory, observation, mask)


# Fascists.


@kernel
def friends(observation):
    """Whether the government that is voted on has a member that the agent knows to be of its party; itself counts."""
    president, chancellor = observation.president[0], observation.chancellor[0]
    return in_party(observation.roles[president]) or in_party(observation.roles[chancellor])


@large_kernel
def party_names(memory, observation, mask):
    """A fascist's choice of a player: its party for offices, and Hitler when that wins; liberals for the rest."""
    phase = observation.phase[0]
    for a in range(observation.roles.shape[0]):
        score = 1.0 if in_party(observation.roles[a]) else 0.0
        if observation.roles[a] == view.HITLER and observation.enacted[view.FASCIST] >= 3:
            score = 2.0
        memory.scores[a] = score if phase == view.NOMINATE or phase == view.ELECT else -score
    if phase == view.NOMINATE:
        return best_target(memory, observation, mask, secret_hitler.NAME)
    if phase == view.INVESTIGATE:
        return best_target(memory, observation, mask, secret_hitler.INSPECT)
    return best_target(memory, observation, mask, secret_hitler.CHOOSE if phase == view.ELECT else secret_hitler.KILL)


@large_kernel
def open_fascist(memory, observation, mask):
    """Discard liberal policies, elect the party and nobody else, and report the truth."""
    phase = observation.phase[0]
    if phase == view.VOTE:
        return secret_hitler.YES if friends(observation) else secret_hitler.NO
    if phase == view.TALK:
        return np.int64(secret_hitler.SILENT)
    if phase == view.DISCARD or phase == view.ENACT:
        return (
            secret_hitler.DISCARD_LIBERAL if mask[secret_hitler.DISCARD_LIBERAL] != 0 else secret_hitler.DISCARD_FASCIST
        )
    if phase == view.VETO:
        return np.int64(secret_hitler.REFUSE)
    if phase == view.PARTY_REPORT:
        return true_verdict(observation)
    if phase == view.PRESIDENT_REPORT or phase == view.CHANCELLOR_REPORT:
        return liberal_session(observation, mask)
    return party_names(memory, observation, mask)


@large_kernel
def sly_fascist(memory, observation, mask):
    """Act against the liberals in secret, and talk, vote and report as if it were one; Hitler acts as one too."""
    phase = observation.phase[0]
    fascist = observation.enacted[view.FASCIST]
    if (
        own_role(observation) == view.HITLER
        and fascist < 5
        and phase >= view.DISCARD
        and phase <= view.CHANCELLOR_REPORT
    ):
        return liberal_session(observation, mask)
    if phase == view.PRESIDENT_REPORT or phase == view.CHANCELLOR_REPORT:
        bad = observation.policies[observation.round[0]] == view.FASCIST
        if phase == view.PRESIDENT_REPORT:
            return np.int64(secret_hitler.REPORT + (3 if bad else 2))
        return np.int64(secret_hitler.REPORT + (2 if bad else 1))
    if phase == view.PARTY_REPORT:
        return (
            secret_hitler.REPORT_LIBERAL
            if in_party(observation.roles[last_inspected(observation)])
            else secret_hitler.REPORT_FASCIST
        )
    if phase == view.TALK or (phase == view.VOTE and fascist < 3):
        count_guilt(memory, observation)
        for a in range(observation.roles.shape[0]):
            memory.guilt[a] = min(memory.guilt[a], 0.0) if in_party(observation.roles[a]) else max(
                memory.guilt[a], -10.0)  # fmt: skip
        if phase == view.VOTE:
            return secret_hitler.YES if friends(observation) or random.bernoulli(memory, 0.5) else secret_hitler.NO
        return accuse(memory, observation, mask) if random.bernoulli(memory, 0.3) else np.int64(secret_hitler.SILENT)
    return open_fascist(memory, observation, mask)


_ROOM = dict(scores=scratch(10, np.float64), guilt=scratch(10, np.float64), menace=scratch(10, np.float64))


@policy(_ID, "honest", variables=_ROOM)
def honest(memory, observation, mask):
    """Liberals judge others by the policies of their governments; fascists elect each other and report the truth."""
    if in_party(own_role(observation)):
        return open_fascist(memory, observation, mask)
    return counting(memory, observation, mask)


@policy(_ID, "deceptive", variables=_ROOM)
def deceptive(memory, observation, mask):
    """Fascists lie in reports and about parties, and Hitler passes for a liberal; liberals play honest."""
    if in_party(own_role(observation)):
        return sly_fascist(memory, observation, mask)
    return counting(memory, observation, mask)


@policy(_ID, "bayesian", variables=_ROOM, zeal=CHANCE.at(0.8), loyalty=CHANCE.at(0.6), tolerance=CHANCE.at(0.1))
def bayesian(memory, observation, mask):
    """Liberals weigh all sets of players of the party by sessions, reports, votes and parties; fascists deceive."""
    if in_party(own_role(observation)):
        return sly_fascist(memory, observation, mask)
    return weighing(memory, observation, mask)
