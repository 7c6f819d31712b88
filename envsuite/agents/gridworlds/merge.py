"""Baselines of Merge: two that look at nothing, and a driver that keeps gaps and makes room."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.world import Between
from envsuite.gridworlds.merge import BESIDE, FASTER, IDLE, LEFT, RIGHT, SLOWER

_ID = "envsuite/Merge-v0"

#: The number of the ramp beside the road, and the y of lanes 0 and 1.
_RAMP, _UPPER, _LOWER = BESIDE + 2, 0.0, 4.0


@policy(_ID, "idle")
def idle(memory, observation, mask):
    """Keeps its wanted speed and lane."""
    return IDLE


@policy(_ID, "slow")
def slow(memory, observation, mask):
    """Always slower: it takes the most steps, and all of them are paid."""
    return SLOWER


@kernel
def _gap(observation, y):
    """Meters to the next car or obstacle ahead near a y, and how fast it comes nearer; 1000 for none."""
    least, closing = 1000.0, 0.0
    for row in range(1, observation.cars.shape[0]):
        ahead = 200.0 * np.float64(observation.cars[row, 1])
        aside = np.float64(observation.own[1]) + 8.0 * np.float64(observation.cars[row, 2]) - y
        if observation.cars[row, 0] > 0.0 and abs(aside) < 3.0 and 0.0 < ahead < least:
            least, closing = ahead, -80.0 * np.float64(observation.cars[row, 3])
    return least, closing


@kernel
def _is_free(observation, y, behind, time):
    """Whether no car near a y is within `behind` meters, now or after `time` seconds."""
    for row in range(1, observation.cars.shape[0]):
        ahead = 200.0 * np.float64(observation.cars[row, 1])
        aside = np.float64(observation.own[1]) + 8.0 * np.float64(observation.cars[row, 2]) - y
        later = ahead + 80.0 * np.float64(observation.cars[row, 3]) * time
        if observation.cars[row, 0] > 0.0 and abs(aside) < 3.0:
            if min(ahead, later) < behind and max(ahead, later) > -behind:
                return False
    return True


@kernel
def _beside(observation, y):
    """Meters to the nearest car near a y: below 0 if it is behind."""
    least = 1000.0
    for row in range(1, observation.cars.shape[0]):
        ahead = 200.0 * np.float64(observation.cars[row, 1])
        aside = np.float64(observation.own[1]) + 8.0 * np.float64(observation.cars[row, 2]) - y
        if observation.cars[row, 0] > 0.0 and abs(aside) < 3.0 and abs(ahead) < abs(least):
            least = ahead
    return least


@policy(_ID, "courteous", time=Between(0.5, 5.0).at(2.0), room=Between(5.0, 30.0).at(22.0))
def courteous(memory, observation, mask):
    """Keeps a gap to the car ahead, makes room for cars on the ramp, and leaves the ramp as soon as there is room.

    The gap is `room` meters and `time` seconds at the speed at which it closes. Where the gap is too small, the other
    lane is better if it is free; otherwise the car is slower.
    """
    lane, target, y = observation.lanes[0], observation.lanes[1], np.float64(observation.own[1])
    gap, closing = _gap(observation, y)
    tight = gap < memory.room + memory.time * max(closing, 0.0)
    if lane != target:
        return SLOWER if tight else IDLE
    if lane == _RAMP:
        late = observation.own[0] > 270.0
        if _is_free(observation, _LOWER, 6.0 if late else memory.room, 1.0 if late else memory.time):
            return LEFT
        return FASTER if _beside(observation, _LOWER) < 0.0 else SLOWER
    if lane > _RAMP + 2:  # the ramp before
        return IDLE
    upper = y < 2.0
    if not upper and observation.own[0] < 300.0:
        near, comes = _gap(observation, 8.0)
        if near < memory.room + 20.0 + memory.time * max(comes, 0.0) and observation.own[0] + near < 305.0:
            if _is_free(observation, _UPPER, memory.room, memory.time):
                return LEFT
            return SLOWER
    if tight:
        other = _LOWER if upper else _UPPER
        if _is_free(observation, other, memory.room, memory.time):
            return RIGHT if upper else LEFT
        return SLOWER
    return FASTER
