"""Policies for skirmishes: SMAX's own heuristic, fire on the weakest, and fire with steps back."""

from __future__ import annotations

from typing import Any

from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import limited, scratch
from envsuite.games.skirmish import units
from envsuite.kit.plane import distance

_ID = "envsuite/Skirmish-v0"


def _conic(names: Any) -> bool:
    return "sectors" in names


@kernel
def kind_of(row, first):
    """The kind whose column is 1, from column `first` of a row on."""
    for kind in range(units.HEALTH.shape[0]):
        if row[first + kind] > 0.5:
            return kind
    return 0


@kernel
def apart(observation, k):
    """The distance of foe k, as a share of the agent's sight."""
    return distance(observation.foes[k, 1], observation.foes[k, 2])


@kernel
def nearest(observation, mask):
    """The nearest foe in range; -1 if none."""
    found = -1
    for k in range(observation.foes.shape[0]):
        if mask[units.ATTACK + k] != 0 and (found < 0 or apart(observation, k) < apart(observation, found)):
            found = k
    return found


@kernel
def health_of(observation, k):
    """The health of foe k."""
    return observation.foes[k, 0] * units.HEALTH[kind_of(observation.foes[k], 7)]


@large_kernel
def weakest(observation, mask):
    """The foe in range with the least health; the nearest of several; -1 if none."""
    found = -1
    for k in range(observation.foes.shape[0]):
        if mask[units.ATTACK + k] != 0:
            less = -1.0
            if found >= 0:
                less = health_of(observation, k) - health_of(observation, found)
            if less < 0.0 or (less == 0.0 and apart(observation, k) < apart(observation, found)):
                found = k
    return found


@kernel
def start(memory, observation):
    """At the first step, note the point that mirrors the own place."""
    if not memory.begun:
        memory.begun = True
        memory.goal[0] = 1.0 - observation.own[1]
        memory.goal[1] = 1.0 - observation.own[2]


@kernel
def walk(memory, observation):
    """The move to the point that mirrors the place at the start."""
    return units.heading(memory.goal[0] - observation.own[1], memory.goal[1] - observation.own[2])


_GOAL = {"goal": scratch(2, float), "begun": False}


def _stray(memory: Any, world: Any) -> str | None:
    """A target that cannot be remembered."""
    return None if memory.last < world.enemies else f"target {memory.last} of {world.enemies}"


def _unseeing(observation, memory, mask):
    """Attack the first foe in range; otherwise walk to where the other side started."""
    start(memory, observation)
    for action in range(units.ATTACK, mask.shape[0]):
        if mask[action] != 0:
            return action
    return walk(memory, observation) if mask[0] != 0 else units.STOP


def _follow(observation, memory, mask):
    start(memory, observation)
    if memory.last < 0 or mask[units.ATTACK + memory.last] == 0:
        memory.last = nearest(observation, mask)
    if memory.last >= 0:
        return units.ATTACK + memory.last
    if mask[0] == 0:
        return units.STOP
    count, seen = 0, -1
    for k in range(observation.foes.shape[0]):
        if observation.foes[k, 0] > 0.0:
            count += 1
            if randint(memory, count) == 0:
                seen = k
    if seen < 0:
        return walk(memory, observation)
    return units.heading(observation.foes[seen, 1], observation.foes[seen, 2])


_heuristic = by_fields(_conic, _unseeing, _follow)


@policy(_ID, "heuristic", variables={**_GOAL, "last": limited(-1, -1, 29)}, contradiction=_stray)
def heuristic(memory, observation, mask):
    """As scripted enemies: keeps its target while in range, then takes the nearest; follows a random foe in sight.

    With "conic" observations, it attacks the first foe in range, or walks to where the other side started.
    """
    return _heuristic(observation, memory, mask)


@large_kernel
def approach(memory, observation):
    """The move towards the nearest foe in sight, or to where the other side started."""
    found = -1
    for k in range(observation.foes.shape[0]):
        if observation.foes[k, 0] > 0.0 and (found < 0 or apart(observation, k) < apart(observation, found)):
            found = k
    if found < 0:
        return walk(memory, observation)
    return units.heading(observation.foes[found, 1], observation.foes[found, 2])


def _fire(observation, memory, mask):
    start(memory, observation)
    found = weakest(observation, mask)
    if found >= 0:
        return units.ATTACK + found
    if mask[0] == 0:
        return units.STOP
    return approach(memory, observation)


_focus = by_fields(_conic, _unseeing, _fire)


@policy(_ID, "focus", variables=_GOAL)
def focus(memory, observation, mask):
    """Attacks the foe in range with the least health; otherwise moves towards the nearest one.

    With "conic" observations, it plays as `heuristic`.
    """
    return _focus(observation, memory, mask)


@large_kernel
def threat(observation, x, y, reserve):
    """How far foes with a shorter range could reach beyond a place, in total; the place is relative to the agent.

    A foe reaches `reserve` seconds of its speed beyond its range.
    """
    kind, total = kind_of(observation.own, 4), 0.0
    for k in range(observation.foes.shape[0]):
        if observation.foes[k, 0] > 0.0:
            foe = kind_of(observation.foes[k], 7)
            far_x, far_y = (
                observation.foes[k, 1] * units.SIGHT[kind] - x,
                observation.foes[k, 2] * units.SIGHT[kind] - y,
            )
            if units.RANGE[foe] < units.RANGE[kind]:
                total += max(units.RANGE[foe] + reserve * units.SPEED[foe] - distance(far_x, far_y), 0.0)
    return total


@large_kernel
def retreat(observation, reserve):
    """The move away from foes with a shorter range that keeps clear of the edge; STOP if there is no better place."""
    kind, found = kind_of(observation.own, 4), units.STOP
    least = threat(observation, 0.0, 0.0, reserve)
    for move in range(units.STOP):
        x, y = 0.5 * units.SPEED[kind] * units.EAST[move], 0.5 * units.SPEED[kind] * units.NORTH[move]
        to_x, to_y = units.SIZE * observation.own[1] + x, units.SIZE * observation.own[2] + y
        if min(min(to_x, units.SIZE - to_x), min(to_y, units.SIZE - to_y)) > 1.0:
            danger = threat(observation, x, y, reserve)
            if danger < least:
                found, least = move, danger
    return found


def _step_back(observation, memory, mask):
    start(memory, observation)
    left = observation.own[3] * units.COOLDOWN[kind_of(observation.own, 4)]
    if mask[0] != 0 and left > memory.wait:
        move = retreat(observation, memory.reserve)
        if move != units.STOP:
            return move
    return _fire(observation, memory, mask)


_kite = by_fields(_conic, _unseeing, _step_back)


@policy(_ID, "kite", variables=_GOAL, reserve=Between(0, 4).at(0.5), wait=Between(0, 1).at(0.3))
def kite(memory, observation, mask):
    """As `focus`, but steps back from foes with a shorter range while its weapon cools down.

    It does so while it needs more than `wait` seconds and a foe could hit it within `reserve` seconds of its speed.
    With "conic" observations, it plays as `heuristic`.
    """
    return _kite(observation, memory, mask)
