"""Agents that always play one class, that answer the last partner's class, and that take turns.

Each agent gathers `enough` of the class that it wants to play and leaves the other classes alone. Then it looks for a
partner to interact with. A partner has played the class of which it held most.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.agents.wayfinding import BLOCKED, GOAL, OPEN, SEARCH, go_facing, seen_at
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.core.random import bernoulli
from envsuite.core.ranges import limited
from envsuite.kit.avatars import BEHIND, FLOOR, OWN, PLAYER
from envsuite.social.matrix_in_the_grid import INTERACT, LENGTH, RADIUS, READY

_ID = "envsuite/MatrixInTheGrid-v0"

ENOUGH = Between(0, 1_000_000)

#: The memory of policies: the class to play next, and whether a partner ever played a class other than the first.
MEMORY = {**SEARCH, "choice": limited(0, 0, 2), "betrayed": limited(0, 0, 1)}


def _contradiction(memory: Any, world: Any) -> str | None:
    return None if memory.choice < len(world.classes) else f"choice is {memory.choice}, which is no class"


@kernel
def _partner(observation):
    """The class of which the partner held most, the first one in a tie; -1 without an interaction in this step."""
    most = 0
    for k in range(observation.interaction.shape[1]):
        if observation.interaction[1, k] > observation.interaction[1, most]:
            most = k
    return most if observation.interaction[1, 0] >= 0 else -1


@kernel
def _may_meet(observation, code):
    """Whether this code is an agent that can interact."""
    if not PLAYER <= code < OWN:
        return False
    k = (code - PLAYER) >> 2
    of_rows = k < observation.status.shape[0] // 2
    unlike = observation.role == 0 or of_rows == (observation.role == 2)
    return unlike and observation.status[k] == READY


@kernel
def _aimed(observation):
    """Whether the beam would end at an agent that can interact."""
    rows, columns = observation["view"].shape
    for side in range(-RADIUS, RADIUS + 1):
        start = 1 if side == 0 else 0
        for distance in range(start, start + LENGTH):
            code = seen_at(observation["view"], rows - 1 - BEHIND - distance, columns // 2 + side)
            if _may_meet(observation, code):
                return True
            if code != FLOOR:
                break
    return False


@kernel
def _play(memory, observation, choice):
    """Gather enough of a class, then interact."""
    view = observation["view"]
    rows, columns = view.shape
    full = observation.inventory[choice] > memory.enough
    if full and observation.ready[0] >= 1.0 and _aimed(observation):
        return np.int64(INTERACT)
    for i in range(rows):
        for j in range(columns):
            code = seen_at(view, i, j)
            goal = _may_meet(observation, code) if full else code == OWN + choice
            memory.ground[i * columns + j] = GOAL if goal else OPEN if code == FLOOR else BLOCKED
    return go_facing(memory, view)


@kernel
def _always(memory, observation, choice):
    return _play(memory, observation, min(choice, observation.inventory.shape[0] - 1))


@policy(_ID, "first", MEMORY, _contradiction, enough=ENOUGH.at(4))
def first(memory, observation, mask):
    """Always plays the first class: cooperates, hunts the stag, is a dove."""
    return _always(memory, observation, 0)


@policy(_ID, "second", MEMORY, _contradiction, enough=ENOUGH.at(4))
def second(memory, observation, mask):
    """Always plays the second class: defects, hunts the hare, is a hawk."""
    return _always(memory, observation, 1)


@policy(_ID, "third", MEMORY, _contradiction, enough=ENOUGH.at(4))
def third(memory, observation, mask):
    """Always plays the third class, or the last one."""
    return _always(memory, observation, 2)


@policy(_ID, "tit_for_tat", MEMORY, _contradiction, enough=ENOUGH.at(4))
def tit_for_tat(memory, observation, mask):
    """Plays the first class first, then what its last partner played."""
    partner = _partner(observation)
    if partner >= 0:
        memory.choice = partner
    return _play(memory, observation, memory.choice)


@policy(_ID, "generous", MEMORY, _contradiction, enough=ENOUGH.at(4), forgiveness=CHANCE.at(0.3))
def generous(memory, observation, mask):
    """Plays tit for tat, but after another class plays the first one with probability `forgiveness`."""
    partner = _partner(observation)
    if partner >= 0:
        memory.choice = 0 if bernoulli(memory, memory.forgiveness) else partner
    return _play(memory, observation, memory.choice)


@policy(_ID, "grim", MEMORY, _contradiction, enough=ENOUGH.at(4))
def grim(memory, observation, mask):
    """Plays the first class until a partner plays another one, then the second forever."""
    if _partner(observation) > 0:
        memory.betrayed = 1
    return _play(memory, observation, memory.betrayed)


@policy(_ID, "counter", MEMORY, _contradiction, enough=ENOUGH.at(4))
def counter(memory, observation, mask):
    """Plays the class after its last partner's, in a circle: the best answer in running with scissors."""
    partner = _partner(observation)
    if partner >= 0:
        memory.choice = (partner + 1) % observation.inventory.shape[0]
    return _play(memory, observation, memory.choice)


@policy(_ID, "alternator", MEMORY, _contradiction, enough=ENOUGH.at(4))
def alternator(memory, observation, mask):
    """Plays the classes in turn, the next one after each interaction."""
    if _partner(observation) >= 0:
        memory.choice = (memory.choice + 1) % observation.inventory.shape[0]
    return _play(memory, observation, memory.choice)
