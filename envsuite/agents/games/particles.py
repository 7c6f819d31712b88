"""Baselines of Particles: controllers that steer to a target and say what helps, in both forms of actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import by_fields, kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited, scratch
from envsuite.kit.plane import distance

ID = "envsuite/Particles-v0"

#: An agent that no longer pushes comes to rest its velocity times this further on; a push of 1 for a step adds 0.2.
_GLIDE, _GAIN = 0.4, 5.0

#: What a policy has decided: the push that it wants, (2,), and its word; and the place of a landmark before.
_DECIDED = {"push": scratch(2, np.float64), "word": limited(0, 0, 9), "before": scratch(2, np.float64), "begun": False}


@kernel
def moves_by(memory, mask):
    """Whether the agent moves: its actions are 3 or 4 words, or a multiple of the 5 moves."""
    count = 0
    for k in range(mask.shape[0]):
        count += mask[k] != 0
    return count % 5 == 0


@kernel
def named(memory, mask):
    """The action whose move is nearest to the push that is wanted, with the word."""
    x, y = memory.push[0], memory.push[1]
    move = 0
    if abs(x) > 0.5 or abs(y) > 0.5:
        if abs(x) >= abs(y):
            move = 2 if x > 0.0 else 1
        else:
            move = 4 if y > 0.0 else 3
    if not moves_by(memory, mask):
        return memory.word
    action = move + 5 * memory.word
    return action if action < mask.shape[0] and mask[action] != 0 else move


@kernel
def as_controls(memory, controls):
    """The push and the word as numbers."""
    count = 0
    for k in range(controls.shape[0]):
        controls[k] = 0.0
        count += memory.high[k] > memory.low[k]
    first = 0
    if count >= 5:
        first = 5
        x, y = min(max(memory.push[0], -1.0), 1.0), min(max(memory.push[1], -1.0), 1.0)
        controls[1], controls[2] = max(-x, 0.0), max(x, 0.0)
        controls[3], controls[4] = max(-y, 0.0), max(y, 0.0)
    if first + memory.word < count:
        controls[first + memory.word] = 1.0


# Where to go and what to say; `plan` says whether an agent takes the others into account.


@kernel
def go(memory, x, y, velocity_x, velocity_y):
    """Want the push that brings the agent to rest at a place, given relative to it."""
    memory.push[0] = _GAIN * (x - _GLIDE * velocity_x)
    memory.push[1] = _GAIN * (y - _GLIDE * velocity_y)


@kernel
def closest(places):
    """The row of the nearest place."""
    best = 0
    for j in range(1, places.shape[0]):
        if distance(places[j, 0], places[j, 1]) < distance(places[best, 0], places[best, 1]):
            best = j
    return best


@kernel
def assigned(landmarks, others, first, agent):
    """The landmark of this agent if the closest pairs of an agent and a landmark are made one after the other.

    Rows of `others` from `first` on take part. All agents see the same distances, so all make the same pairs.
    """
    rows = others.shape[0]
    taken, placed, mine = 0, 0, -1
    while mine < 0:
        least, best_row, best = 1e9, -1, -1
        for row in range(first, rows + 1):  # the last row is the agent itself
            if placed >> row & 1 == 0:
                x = others[row, 0] if row < rows else 0.0
                y = others[row, 1] if row < rows else 0.0
                for j in range(landmarks.shape[0]):
                    apart = distance(landmarks[j, 0] - x, landmarks[j, 1] - y)
                    if taken >> j & 1 == 0 and apart < least:
                        least, best_row, best = apart, row, j
        if best < 0:
            return closest(landmarks)
        taken |= 1 << best
        placed |= 1 << best_row
        if best_row == rows:
            mine = best
    return mine


@kernel
def besieged(landmarks, others):
    """The landmark that is nearest to one of the others."""
    least, best = 1e9, 0
    for j in range(landmarks.shape[0]):
        for row in range(others.shape[0]):
            apart = distance(landmarks[j, 0] - others[row, 0], landmarks[j, 1] - others[row, 1])
            if apart < least:
                least, best = apart, j
    return best


@kernel
def cover(observation, memory, plan):
    """Spread: a landmark of its own, or the nearest one."""
    j = closest(observation.landmarks)
    if plan:
        j = assigned(observation.landmarks, observation.others, 0, memory.agent)
    place = observation.landmarks[j]
    go(memory, place[0], place[1], observation.velocity[0], observation.velocity[1])


@kernel
def deceive(observation, memory, plan):
    """Adversary: agents go to the goal, or share the landmarks; the adversary to the nearest, or to where agents are.

    Velocities are not observed: they are those of landmark 0 before, relative to the agent.
    """
    place = observation.landmarks[0]
    velocity_x, velocity_y = 0.0, 0.0
    if memory.begun:
        velocity_x, velocity_y = 10.0 * (memory.before[0] - place[0]), 10.0 * (memory.before[1] - place[1])
    memory.before[0], memory.before[1], memory.begun = place[0], place[1], True
    if memory.agent == 0:
        j = besieged(observation.landmarks, observation.others) if plan else closest(observation.landmarks)
        place = observation.landmarks[j]
    elif plan:
        place = observation.landmarks[assigned(observation.landmarks, observation.others, 1, memory.agent)]
    else:
        place = observation.goal
    go(memory, place[0], place[1], velocity_x, velocity_y)


@kernel
def shove(observation, memory, plan):
    """Push: the agent goes to its goal; the adversary to the nearest landmark, or to that nearest to the agent."""
    place = observation.goal
    if memory.agent == 0:
        j = besieged(observation.landmarks, observation.others) if plan else closest(observation.landmarks)
        place = observation.landmarks[j]
    go(memory, place[0], place[1], observation.velocity[0], observation.velocity[1])


@kernel
def hunt(observation, memory, plan):
    """Tag and world_comm, adversaries: to the nearest prey that is seen, or to where it will be."""
    rows, prey = observation.others.shape[0], observation.prey.shape[0]
    best, least = -1, 1e9
    for k in range(prey):
        place = observation.others[rows - prey + k]
        apart = distance(place[0], place[1])
        if 0.0 < apart < least:
            best, least = k, apart
    memory.push[0], memory.push[1] = 0.0, 0.0
    if best >= 0:
        place, ahead = observation.others[rows - prey + best], 0.3 if plan else 0.0
        memory.push[0] = _GAIN * (place[0] + ahead * observation.prey[best, 0])
        memory.push[1] = _GAIN * (place[1] + ahead * observation.prey[best, 1])


@kernel
def flee(observation, memory, plan):
    """Tag and world_comm, prey: away from the nearest adversary, or from all of them and from the edge."""
    rows, prey = observation.others.shape[0], observation.prey.shape[0]
    x, y, least = 0.0, 0.0, 1e9
    for row in range(rows - prey + 1):
        place = observation.others[row]
        apart = distance(place[0], place[1])
        if apart > 0.0 and (plan or apart < least):
            weight = 1.0 / (apart * apart * apart)
            x, y = (x if plan else 0.0) - weight * place[0], (y if plan else 0.0) - weight * place[1]
            least = min(least, apart)
    if plan:
        place = observation.position
        x -= 8.0 * max(abs(place[0]) - 0.7, 0.0) * (1.0 if place[0] > 0 else -1.0) * 5.0
        y -= 8.0 * max(abs(place[1]) - 0.7, 0.0) * (1.0 if place[1] > 0 else -1.0) * 5.0
    length = distance(x, y)
    memory.push[0] = x / length if length > 0.0 else 0.0
    memory.push[1] = y / length if length > 0.0 else 0.0


@kernel
def chase(observation, memory, plan):
    """Tag and world_comm."""
    if memory.agent <= observation.others.shape[0] - observation.prey.shape[0]:
        hunt(observation, memory, plan)
    else:
        flee(observation, memory, plan)


@kernel
def largest(values):
    """The number of the largest value; -1 if all are 0."""
    best = -1
    for k in range(values.shape[0]):
        if values[k] > (values[best] if best >= 0 else 0.0):
            best = k
    return best


@kernel
def guide(observation, memory, plan):
    """Speaker_listener and reference: say the goal; go to the landmark that is named, or to the nearest one."""
    memory.word = max(largest(observation.color), 0)
    j = closest(observation.landmarks)
    place_x, place_y = observation.landmarks[j, 0], observation.landmarks[j, 1]
    if plan:
        j = largest(observation.heard)
        place_x, place_y = 0.0, 0.0
        for k in range(observation.landmarks.shape[0]):
            weight = 1.0 / observation.landmarks.shape[0]
            if 0 <= j < observation.landmarks.shape[0]:
                weight = 1.0 if k == j else 0.0
            place_x += weight * observation.landmarks[k, 0]
            place_y += weight * observation.landmarks[k, 1]
    go(memory, place_x, place_y, observation.velocity[0], observation.velocity[1])


@kernel
def encrypt(observation, memory, plan):
    """Crypto: alice says her secret, bob and eve what they hear; alice and bob apply the key first."""
    word = largest(observation.message) if memory.agent == 2 else largest(observation.heard)
    if word < 0:
        word = random.randint(memory, 2)
    if plan and memory.agent > 0 and largest(observation.key) == 1:
        word = 1 - word if word < 2 else word
    memory.word = word


def _where(test: Callable[[Any], bool], decide: Callable) -> Any:
    """A kernel that decides where the names of an observation's parts pass the test, and does nothing elsewhere."""

    def nothing(observation, memory, plan):
        return None

    return by_fields(test, decide, nothing)


_cover = _where(lambda names: "position" in names and "prey" not in names, cover)
_deceive = _where(lambda names: "goal" in names and "color" not in names, deceive)
_shove = _where(lambda names: "goal" in names and "color" in names, shove)
_chase = _where(lambda names: "prey" in names, chase)
_guide = _where(lambda names: "color" in names and "heard" in names, guide)
_encrypt = _where(lambda names: "key" in names, encrypt)


@kernel
def decide(observation, memory, plan):
    """What the scenario, which the parts of the observation show, asks for."""
    memory.push[0], memory.push[1], memory.word = 0.0, 0.0, 0
    _cover(observation, memory, plan)
    _deceive(observation, memory, plan)
    _shove(observation, memory, plan)
    _chase(observation, memory, plan)
    _guide(observation, memory, plan)
    _encrypt(observation, memory, plan)


@kernel
def planned_controls(memory, observation, controls):
    """As `planned`."""
    decide(observation, memory, True)
    as_controls(memory, controls)


@policy(ID, "planned", variables=_DECIDED, steer=planned_controls)
def planned(memory, observation, mask):
    """Shares targets with the others, leads moving targets, goes where it is told, and uses the key."""
    decide(observation, memory, True)
    return named(memory, mask)


@kernel
def nearest_controls(memory, observation, controls):
    """As `nearest`."""
    decide(observation, memory, False)
    as_controls(memory, controls)


@policy(ID, "nearest", variables=_DECIDED, steer=nearest_controls)
def nearest(memory, observation, mask):
    """Goes to the nearest target or its goal whatever the others do, flees from the nearest pursuer, ignores words."""
    decide(observation, memory, False)
    return named(memory, mask)
