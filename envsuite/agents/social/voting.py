"""Baselines of Voting: true ballots, and answers to the last poll."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import limited, scratch
from envsuite.social.voting import APPROVAL, MOST, PLURALITY, RANKINGS, add_ballot, elected

ID = "envsuite/Voting-v0"


@kernel
def true_ballot(observation, mask, approve):
    """The ballot that says the agent's ranking; with approval, its `approve` best candidates, at most all but one."""
    candidates, rule = observation.ranking.shape[0], observation.rule[0]
    if rule == PLURALITY:
        return np.int64(observation.ranking[0])
    if rule == APPROVAL:
        bits = 0
        for place in range(min(approve, candidates - 1)):
            bits |= 1 << np.int64(observation.ranking[place])
        return bits - 1
    for ballot in range(mask.shape[0]):
        same = True
        for place in range(candidates):
            same = same and RANKINGS[candidates, ballot, place] == observation.ranking[place]
        if same:
            return ballot
    return 0


@policy(ID, "sincere", approve=Between(1, 4).at(1))
def sincere(memory, observation, mask):
    """Says its true ranking in polls and in the vote; with approval, it approves of its `approve` best candidates."""
    return true_ballot(observation, mask, memory.approve)


def contradiction(memory: Any, world: Any) -> str | None:
    """A ballot must be one of this world."""
    ballots = world.num_actions
    return None if memory.last < ballots else f"last is {memory.last}, out of range -1 .. {ballots - 1}"


@policy(
    ID,
    "strategic",
    variables={
        "last": limited(-1, -1, RANKINGS.shape[1] - 1),
        "order": scratch(MOST),
        "tally": scratch(MOST),
        "beats": scratch((MOST, MOST)),
    },
    contradiction=contradiction,
    approve=Between(1, 4).at(1),
    change=CHANCE.at(0.5),
)
def strategic(memory, observation, mask):
    """Votes for the best winner that its ballot could get if all others repeated their ballots of the last poll.

    Ties count as broken against it. Its last ballot stays if no other does better. In polls it answers with probability
    `change` and repeats its ballot otherwise; in the first poll, or without polls, its ballot is true.
    """
    if observation.tally[0] < 0:
        memory.last = true_ballot(observation, mask, memory.approve)
        return memory.last
    if observation.left[0] > 0 and not random.bernoulli(memory, memory.change):
        return memory.last
    candidates, rule = observation.ranking.shape[0], observation.rule[0]
    tally, beats = memory.tally[:candidates], memory.beats[:candidates, :candidates]
    order = memory.order[:candidates]
    for k in range(candidates):
        order[k] = observation.ranking[candidates - 1 - k]
        tally[k] = observation.tally[k]
        for j in range(candidates):
            beats[k, j] = observation.beats[k, j]
    add_ballot(rule, memory.last, tally, beats, -1)
    best, least = memory.last, candidates
    for number in range(-1, mask.shape[0]):
        ballot = memory.last if number < 0 else number
        add_ballot(rule, ballot, tally, beats, 1)
        winner = elected(rule, tally, beats, order)
        add_ballot(rule, ballot, tally, beats, -1)
        for place in range(least):
            if observation.ranking[place] == winner:
                best, least = ballot, place
                break
    memory.last = best
    return best
