"""Baselines of NineMensMorris: one makes mills, one also blocks the other's."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.games.nine_mens_morris import EMPTY, OTHERS, POINTS

ID = "envsuite/NineMensMorris-v0"

#: Points as they are observed.
OWN, OTHER = 1, 2


@kernel
def count(points, point, k, left, owner):
    """The men of an owner on the other two points of a line through a point; a man who leaves `left` is not counted."""
    total = 0
    for j in range(2):
        place = OTHERS[point, k, j]
        total += points[place] == owner and place != left
    return total


@kernel
def worth(points, point, left, block):
    """What a man on a point is worth to its owner, who takes it from `left` or from its hand (-1)."""
    value = 0
    for k in range(2):
        own, other = count(points, point, k, left, OWN), count(points, point, k, -1, OTHER)
        value += 20 if own == 2 else 10 if block and other == 2 else 1 if own == 1 and other == 0 else 0
    return value


@kernel
def best(memory, observation, mask, block):
    """A random one of the best actions."""
    points = observation.points
    found, most, ties = 0, -1000, 0
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            if action >= POINTS:
                left = action // POINTS - 1
                value = worth(points, action % POINTS, left, block)
                if block:  # a man that keeps a mill shut stays
                    for k in range(2):
                        value -= 8 * (count(points, left, k, -1, OTHER) == 2)
            elif points[action] == EMPTY:
                value = worth(points, action, -1, block)
            else:  # a man that is taken: the one with most of its fellows beside it
                value = 0
                for k in range(2):
                    value += count(points, action, k, -1, OTHER)
            ties = 1 if value > most else ties + 1
            if value > most or (value == most and random.randint(memory, ties) == 0):
                found = action
            most = max(most, value)
    return found


@policy(ID, "miller")
def miller(memory, observation, mask):
    """Makes a mill if it can, otherwise puts men beside each other, or moves at random."""
    return best(memory, observation, mask, False)


@policy(ID, "blocker")
def blocker(memory, observation, mask):
    """Makes a mill if it can, otherwise blocks those of the other player."""
    return best(memory, observation, mask, True)
