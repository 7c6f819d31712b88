"""Baselines of matrix games. They see only the table."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy


@kernel
def own_actions(mask):
    """The number of actions of the agent."""
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action] != 0
    return count


@policy("envsuite/MatrixGame-v0", "maximin")
def maximin(memory, observation, mask):
    """Plays the action with the best worst payoff."""
    others = observation.shape[1] // own_actions(mask)
    best, found = 0, observation[0, 0]
    for action in range(own_actions(mask)):
        worst = observation[0, action * others]
        for cell in range(action * others, (action + 1) * others):
            worst = min(worst, observation[0, cell])
        if action == 0 or worst > found:
            best, found = action, worst
    return best


@policy("envsuite/MatrixGame-v0", "risk_averse", aversion=Between(-1000, 1000).at(0.1))
def risk_averse(memory, observation, mask):
    """Plays the action with the highest mean minus `aversion` times the variance, against random players."""
    return against_random(memory.aversion, observation, mask)


@policy("envsuite/MatrixGame-v0", "risk_dominant")
def risk_dominant(memory, observation, mask):
    """Plays the best reply to random players, which is risk-dominant in symmetric games of two by two."""
    return against_random(0.0, observation, mask)


@kernel
def against_random(aversion, observation, mask):
    """The action with the highest mean minus `aversion` times the variance, with all cells of a row equally likely."""
    others = observation.shape[1] // own_actions(mask)
    best, found = 0, 0.0
    for action in range(own_actions(mask)):
        total, squares = 0.0, 0.0
        for cell in range(action * others, (action + 1) * others):
            total += observation[0, cell]
        for cell in range(action * others, (action + 1) * others):
            away = observation[0, cell] - total / others
            squares += away * away
        value = (total - aversion * squares) / others
        if action == 0 or value > found:
            best, found = action, value
    return best


@policy("envsuite/MatrixGame-v0", "utilitarian")
def utilitarian(memory, observation, mask):
    """Plays its part in the first cell with the largest sum of payoffs."""
    others = observation.shape[1] // own_actions(mask)
    best, found = 0, 0.0
    for cell in range(observation.shape[1]):
        total = 0.0
        for k in range(observation.shape[0]):
            total += observation[k, cell]
        if cell == 0 or total > found:
            best, found = cell, total
    return best // others


@policy("envsuite/MatrixGame-v0", "equilibrium")
def equilibrium(memory, observation, mask):
    """Plays a Nash equilibrium of a game of two players with two actions; otherwise the best reply to random play.

    If a player has a dominant action, that player takes it, and the other player the best reply to it. If neither has
    one, both play the mixed equilibrium, in which each makes the other indifferent.
    """
    if observation.shape[0] != 2 or observation.shape[1] != 4 or own_actions(mask) != 2:
        return against_random(0.0, observation, mask)
    mine = dominant(observation[0, 0] - observation[0, 2], observation[0, 1] - observation[0, 3])
    if mine >= 0:
        return mine
    first = observation[1, 0] - observation[1, 1]  # the advantage of the other's first action, by own action
    second = observation[1, 2] - observation[1, 3]
    theirs = dominant(first, second)
    if theirs >= 0:
        return 0 if observation[0, theirs] >= observation[0, 2 + theirs] else 1
    return 0 if random.bernoulli(memory, second / (second - first)) else 1


@kernel
def dominant(first, second):
    """The dominant one of two actions, or -1, given the first action's advantage for each action of the other."""
    if first >= 0.0 and second >= 0.0:
        return 0
    return 1 if first <= 0.0 and second <= 0.0 else -1
