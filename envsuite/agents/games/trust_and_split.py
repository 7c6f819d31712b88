"""Baselines of Trust-and-Split."""

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
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
    """The last hand that the other told in this round, or with `last` = 1 in the last one; -1 if it told none."""
    talk = (observation.shape[0] - SAID) // 4
    hand = -1
    for k in range(talk):
        word = observation[SAID + (1 + 2 * last) * talk + k]
        if 0 <= word < SILENT:
            hand = word
    return hand


@kernel
def honest_action(observation):
    """Tell one's hand; claim all with the upper hand, nothing with the lower one, half if it cannot be known."""
    mine = observation[MY_HAND]
    if observation[CLAIMING] == 0:
        return mine
    theirs = told(observation, 0)
    if theirs == -1 or theirs == mine:  # equal hands are never dealt: it was a lie
        return CLAIM + HALF
    return CLAIM + COINS if beats(mine, theirs) else CLAIM


@kernel
def greedy_action(observation):
    """Tell one's hand; claim all."""
    return CLAIM + COINS if observation[CLAIMING] else observation[MY_HAND]


@kernel
def was_wronged(observation):
    """Whether in the last round the other told a wrong hand, or had the lower one and claimed more than half."""
    theirs = observation[THEIR_LAST_HAND]
    if theirs == -1:
        return False
    said = told(observation, 1)
    lied = said != -1 and said != theirs
    return lied or (beats(observation[MY_LAST_HAND], theirs) and observation[THEIR_LAST_CLAIM] > HALF)


@policy(ID, "honest")
def honest(memory, observation, mask):
    """Tells its hand and believes the other: claims all with the upper hand and nothing with the lower one.

    It claims half where the other told nothing, or a hand that it cannot have.
    """
    return honest_action(observation)


@policy(ID, "greedy")
def greedy(memory, observation, mask):
    """Tells its hand, and claims all."""
    return greedy_action(observation)


@policy(ID, "liar")
def liar(memory, observation, mask):
    """Tells the hand that its own beats, so that a believer with the upper hand gives way, and claims all."""
    return CLAIM + COINS if observation[CLAIMING] else (observation[MY_HAND] + 2) % 3


@policy(ID, "tit_for_tat")
def tit_for_tat(memory, observation, mask):
    """Is honest, but claims all after a round in which the other lied or claimed over half with the lower hand."""
    return greedy_action(observation) if was_wronged(observation) else honest_action(observation)


@policy(ID, "grim", variables={"wronged": 0})
def grim(memory, observation, mask):
    """Is honest until the other once lies or claims over half with the lower hand, and claims all from then on."""
    if was_wronged(observation):
        memory.wronged = 1
    return greedy_action(observation) if memory.wronged else honest_action(observation)
