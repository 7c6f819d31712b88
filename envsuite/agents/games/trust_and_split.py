"""Baselines of Trust-and-Split."""

from __future__ import annotations

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.games.trust_and_split import (
    CLAIM,
    CLAIMING,
    COINS,
    MY_HAND,
    MY_LAST_HAND,
    SAID,
    SILENT,
    THEIR_LAST_CLAIM,
    THEIR_LAST_HAND,
    beats,
)

ID = "envsuite/TrustAndSplit-v0"

HALF = COINS // 2


@kernel
def told(observation, last):
    """The last hand that the other named in this round, or with `last` = 1 in the last round; -1 if it named none."""
    talk = (observation.shape[0] - SAID) // 4
    hand = -1
    for k in range(talk):
        word = observation[SAID + (1 + 2 * last) * talk + k]
        if 0 <= word < SILENT:
            hand = word
    return hand


@kernel
def honest_action(observation):
    """Name the own hand; claim all with the upper hand, nothing with the lower hand, half if that is unknown."""
    mine = observation[MY_HAND]
    if observation[CLAIMING] == 0:
        return mine
    theirs = told(observation, 0)
    if theirs == -1 or theirs == mine:  # equal hands are never dealt: it was a lie
        return CLAIM + HALF
    return CLAIM + COINS if beats(mine, theirs) else CLAIM


@kernel
def greedy_action(observation):
    """Name the own hand; claim all."""
    return CLAIM + COINS if observation[CLAIMING] else observation[MY_HAND]


@kernel
def was_wronged(observation):
    """Whether in the last round the other named a wrong hand, or claimed more than half with the lower hand."""
    theirs = observation[THEIR_LAST_HAND]
    if theirs == -1:
        return False
    said = told(observation, 1)
    lied = said != -1 and said != theirs
    return lied or (beats(observation[MY_LAST_HAND], theirs) and observation[THEIR_LAST_CLAIM] > HALF)


@policy(ID, "honest")
def honest(memory, observation, mask):
    """Names its hand and believes the other: claims all with the upper hand and nothing with the lower hand.

    It claims half if the other named no hand, or a hand that it cannot have.
    """
    return honest_action(observation)


@policy(ID, "greedy")
def greedy(memory, observation, mask):
    """Names its hand, and claims all."""
    return greedy_action(observation)


@policy(ID, "liar")
def liar(memory, observation, mask):
    """Names the hand that its own hand beats, so that a believer with the upper hand yields, and claims all."""
    return CLAIM + COINS if observation[CLAIMING] else (observation[MY_HAND] + 2) % 3


@policy(ID, "tit_for_tat")
def tit_for_tat(memory, observation, mask):
    """Is honest, but claims all after a round in which the other lied or claimed over half with the lower hand."""
    return greedy_action(observation) if was_wronged(observation) else honest_action(observation)


@policy(ID, "grim", variables={"wronged": limited(0, 0, 1)})
def grim(memory, observation, mask):
    """Is honest until the other first lies or claims over half with the lower hand; from then on, claims all."""
    if was_wronged(observation):
        memory.wronged = 1
    return greedy_action(observation) if memory.wronged else honest_action(observation)
