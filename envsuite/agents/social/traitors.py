"""Baselines of Traitors. Each plays either role, and its name says how.

At first, the faithful cannot distinguish friend from foe. They can agree, which keeps a few traitors from deciding the
vote. When roles are shown, they can use the votes that they remember.
"""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import log
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, choose_legal, policy
from envsuite.kit.deduction import accusers
from envsuite.social import traitors

_ID = "envsuite/Traitors-v0"


@kernel
def spared(memory, observation, player):
    """Whether the agent spares a player: itself, a player that is out, and as a traitor also its fellows."""
    own = observation.roles[memory.agent] == traitors.TRAITOR and observation.roles[player] == traitors.TRAITOR
    return own or player == memory.agent or observation.alive[player] == 0


@kernel
def most_accused(memory, observation, fellows):
    """The living other player with the most accusations today, the first one in a tie; -1 if nobody was accused.

    With `fellows`, it may be a fellow traitor.
    """
    best, most = -1, 0
    for a in range(observation.alive.shape[0]):
        out = observation.alive[a] == 0 or a == memory.agent
        count = accusers(observation, a)
        if count > most and not out and (fellows or not spared(memory, observation, a)):
            best, most = a, count
    return best


@kernel
def anyone(memory, observation):
    """A random player that is not spared."""
    count = 0
    for a in range(observation.alive.shape[0]):
        count += not spared(memory, observation, a)
    left = random.randint(memory, count)
    for a in range(observation.alive.shape[0]):
        if not spared(memory, observation, a):
            if left == 0:
                return a
            left -= 1
    return -1


@kernel
def speaks(observation, agent):
    """Whether it is the agent's turn to speak."""
    return observation.speaker[0] == agent


@kernel
def accuse(memory, observation, target):
    """Accuse a player, or say nothing if the agent has already accused it."""
    said = observation.stances[memory.agent, target] == 1
    return np.int64(traitors.SILENT) if said else traitors.aimed(observation, traitors.ACCUSE, target)


@policy(_ID, "bandwagon")
def bandwagon(memory, observation, mask):
    """Accuses and votes for the most accused player of today, or a random one; a traitor does not spare fellows."""
    if speaks(observation, memory.agent) or observation.phase[0] == traitors.VOTE:
        target = most_accused(memory, observation, True)
        if target < 0:
            target = anyone(memory, observation)
        if observation.phase[0] == traitors.VOTE:
            return traitors.aimed(observation, traitors.VOTE_FOR, target)
        return accuse(memory, observation, target)
    return choose_legal(memory, mask)


@kernel
def threat(memory, observation):
    """The living faithful player that has accused most traitors today, the first one in a tie."""
    best, most = -1, -1
    for a in range(observation.alive.shape[0]):
        if observation.alive[a] != 0 and observation.roles[a] != traitors.TRAITOR:
            count = 0
            for b in range(observation.alive.shape[0]):
                count += observation.roles[b] == traitors.TRAITOR and observation.stances[a, b] == 1
            if count > most:
                best, most = a, count
    return best


@policy(_ID, "bloc")
def bloc(memory, observation, mask):
    """Traitors vote for the most accused faithful and murder their main accuser; the faithful play bandwagon."""
    traitor = observation.roles[memory.agent] == traitors.TRAITOR
    if observation.phase[0] >= traitors.CONFERENCE:
        return traitors.aimed(observation, traitors.KILL, threat(memory, observation))
    target = most_accused(memory, observation, not traitor)
    if target < 0:
        target = anyone(memory, observation)
        if (
            traitor and observation.phase[0] == traitors.VOTE
        ):  # nobody has been accused: all traitors take the first faithful
            target = threat(memory, observation)
    if observation.phase[0] == traitors.VOTE:
        return traitors.aimed(observation, traitors.VOTE_FOR, target)
    return accuse(memory, observation, target)


@kernel
def suspicion(memory, observation, player):
    """The log-odds that a player is a traitor by its votes, minus those at the start.

    A faithful player is assumed to vote for all others with equal probability, and a traitor to vote for a fellow
    `betrayal` times as often. A vote counts once the role of its target is known.
    """
    players = observation.alive.shape[0]
    share = observation.deceivers[0] / (players - 1.0)
    betrayal = min(max(memory.betrayal, 1e-3), 1.0)
    score = 0.0
    for d in range(observation.votes.shape[0]):
        target = observation.votes[d, player]
        if target >= 0:
            if observation.roles[target] == traitors.TRAITOR:
                score += log(betrayal)
            elif observation.roles[target] == traitors.FAITHFUL:
                score += log((1.0 - betrayal * share) / (1.0 - share))
    return score


@policy(_ID, "bayesian", betrayal=CHANCE.at(0.1), herding=Between(-1000, 1000).at(0.2))
def bayesian(memory, observation, mask):
    """Accuses and votes for the likeliest traitor, judged by votes against players whose roles have been shown.

    Each accusation of today adds `herding` to the log-odds. This breaks ties, so votes are not split. As a traitor, it
    judges in the same way but spares its fellows, and murders the player that it would suspect least.
    """
    players = observation.alive.shape[0]
    night = observation.phase[0] >= traitors.CONFERENCE
    best, most = -1, -np.inf
    for a in range(players):
        if spared(memory, observation, a):
            continue
        score = suspicion(memory, observation, a)
        score = -score if night else score + memory.herding * accusers(observation, a)
        if score > most + 1e-9:
            best, most = a, score
    if night:
        return traitors.aimed(observation, traitors.KILL, best)
    if observation.phase[0] == traitors.VOTE:
        return traitors.aimed(observation, traitors.VOTE_FOR, best)
    if most_accused(memory, observation, True) < 0 and suspicion(memory, observation, best) <= 0.0:
        best = anyone(memory, observation)  # somebody has to accuse first
    return accuse(memory, observation, best)
