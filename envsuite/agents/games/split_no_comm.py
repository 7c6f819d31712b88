"""Baselines of Split-No-Comm."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.games.split_no_comm import MINE, MY_LAST, STOCK, THEIR_CLAIM, THEIR_LAST, THEIRS

ID = "envsuite/SplitNoComm-v0"

#: The claim to all of everything.
EVERYTHING = (STOCK + 1) ** 3 - 1


@kernel
def due(mine, theirs):
    """The efficient share of one item: all to the agent that values it more, half if both value it equally."""
    return STOCK if mine > theirs else STOCK // 2 if mine == theirs else 0


@kernel
def efficient_claim(observation):
    """The action that claims the agent's efficient share of every item."""
    action = 0
    for k in range(3):
        action = action * (STOCK + 1) + due(observation[MINE + k], observation[THEIRS + k])
    return action


@kernel
def was_wronged(observation):
    """Whether the other claimed more than its efficient share of an item in the last round."""
    for k in range(3):
        if observation[THEIR_CLAIM + k] > due(observation[THEIR_LAST + k], observation[MY_LAST + k]):
            return True  # never in the first round, in which the claim is -1
    return False


@policy(ID, "greedy")
def greedy(memory, observation, mask):
    """Claims all of everything, the best reply in a single round."""
    return EVERYTHING


@policy(ID, "efficient")
def efficient(memory, observation, mask):
    """Claims by value: all items that it values more than the other, none that it values less, half of the rest."""
    return efficient_claim(observation)


@policy(ID, "tit_for_tat")
def tit_for_tat(memory, observation, mask):
    """Claims efficiently, but claims all after a round in which the other claimed more than its efficient share."""
    return EVERYTHING if was_wronged(observation) else efficient_claim(observation)


@policy(ID, "grim", variables={"wronged": limited(0, 0, 1)})
def grim(memory, observation, mask):
    """Claims efficiently until the other first claims more than its efficient share; from then on, claims all."""
    if was_wronged(observation):
        memory.wronged = 1
    return EVERYTHING if memory.wronged else efficient_claim(observation)


@policy(ID, "own_value")
def own_value(memory, observation, mask):
    """Claims all items that are worth 10 to it and nothing else, whatever they are worth to the other."""
    action = 0
    for k in range(3):
        action = action * (STOCK + 1) + (STOCK if observation[MINE + k] > 1 else 0)
    return np.int64(action)
