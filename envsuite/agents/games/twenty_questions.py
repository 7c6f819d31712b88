"""Baselines of TwentyQuestions: one asks what splits the probability best, one asks in order."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import scratch
from envsuite.core.world import Between
from envsuite.games.twenty_questions import likelihood

ID = "envsuite/TwentyQuestions-v0"


@kernel
def weigh(memory, observation, noise):
    """The probability of each thing, given the answers, into `memory.weights`."""
    things = observation.guessed.shape[0]
    total = 0.0
    for k in range(things):
        row = observation.table[k]
        memory.weights[k] = likelihood(observation.answers, observation.guessed[k], row, noise)
        total += memory.weights[k]
    for k in range(things):
        memory.weights[k] = memory.weights[k] / total if total > 0.0 else 1.0 / things


@kernel
def likeliest(memory, observation):
    """The thing with the greatest probability that was not guessed; a random one of several."""
    best, most, ties = 0, -1.0, 0
    for k in range(observation.guessed.shape[0]):
        if observation.guessed[k] == 0:
            ties = 1 if memory.weights[k] > most else ties + 1
            if memory.weights[k] > most or (memory.weights[k] == most and randint(memory, ties) == 0):
                best = k
            most = max(most, np.float64(memory.weights[k]))
    return best


VARIABLES = {"weights": scratch(64, np.float64)}
NOISE = Between(0, 0.5).at(0.0)


@policy(ID, "informed", VARIABLES, noise=NOISE, sure=Between(0, 1).at(0.95))
def informed(memory, observation, mask):
    """Asks for the attribute whose answer is closest to even odds, and guesses a thing that is likelier than `sure`."""
    things, attributes = observation.table.shape
    weigh(memory, observation, memory.noise)
    best = likeliest(memory, observation)
    if memory.weights[best] >= memory.sure:
        return attributes + best
    chosen, least, ties = 0, 2.0, 0
    for j in range(attributes):
        yes = 0.0
        for k in range(things):
            yes += memory.weights[k] * observation.table[k, j]
        off = abs(yes - 0.5)
        ties = 1 if off < least else ties + 1
        if off < least or (off == least and randint(memory, ties) == 0):
            chosen = j
        least = min(least, off)
    return attributes + best if least >= 0.5 else chosen


@policy(ID, "orderly", VARIABLES, noise=NOISE)
def orderly(memory, observation, mask):
    """Asks for all attributes in order, once each, and then guesses the likeliest things."""
    attributes = observation.table.shape[1]
    for j in range(attributes):
        if observation.answers[j, 0] + observation.answers[j, 1] == 0:
            return j
    weigh(memory, observation, memory.noise)
    return attributes + likeliest(memory, observation)
