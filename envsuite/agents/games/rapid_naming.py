"""Baselines of RapidNaming: one remembers the words, one does the chores and guesses."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import limited
from envsuite.games.rapid_naming import CHORE, NONE, SHOW, WORDS
from envsuite.kit.figures import FIGURES

ID = "envsuite/RapidNaming-v0"


@kernel
def place_of(observation, number):
    """The place of a figure, or of any one if `number` is NONE; NONE if it is not on the table."""
    for spot in range(observation.figures.shape[0]):
        found = observation.figures[spot]
        if found != NONE and (number == NONE or found == number):
            return spot
    return NONE


@policy(ID, "memory", variables={"known": limited(np.full(len(WORDS), NONE, np.int64), NONE, FIGURES - 1)})
def memory(memory, observation, mask):
    """Remembers the figure of each word; the best play."""
    phase, word = observation.phase[0], np.int64(observation.word[0])
    if phase == SHOW:
        memory.known[word] = np.int64(observation.figures[max(place_of(observation, NONE), 0)])
    if phase <= CHORE or word == NONE:
        return max(place_of(observation, NONE), 0)
    return max(place_of(observation, memory.known[word]), 0)


@policy(ID, "memoryless")
def memoryless(memory, observation, mask):
    """Does the chores, and lifts a random figure in a question."""
    if observation.phase[0] <= CHORE:
        return max(place_of(observation, NONE), 0)
    return randint(memory, mask.shape[0])
