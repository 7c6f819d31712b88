"""Traffic lights: a fixed time of green, and three that look at the cars."""

from __future__ import annotations

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.world import Between
from envsuite.gridworlds.traffic_lights import KEEP, SWITCH

_ID = "envsuite/TrafficLights-v0"


@policy(_ID, "fixed_time", green=Between(1, 100).at(10))
def fixed_time(memory, observation, mask):
    """Switches after `green` steps of green, or as soon after them as it may."""
    return SWITCH if mask[SWITCH] and observation.light[1] >= memory.green else KEEP


@kernel
def _standing(observation, axis):
    """The cars that stand on the two lanes of a direction, and those that wait to enter."""
    count = 0
    for side in range(axis, 4, 2):
        count += observation.waiting[side]
        for x in range(observation.cars.shape[1]):
            count += observation.cars[side, x] == 0
    return count


@policy(_ID, "longest_queue", margin=Between(0, 100).at(1))
def longest_queue(memory, observation, mask):
    """Switches if more cars stand at red than at green, by more than `margin`."""
    axis = observation.light[0]
    longer = _standing(observation, 1 - axis) > _standing(observation, axis) + memory.margin
    return SWITCH if mask[SWITCH] and longer else KEEP


@policy(_ID, "greedy", near=Between(1, 100).at(4))
def greedy(memory, observation, mask):
    """Switches if a car comes to a red light and none is within `near` cells of a green one."""
    axis, length = observation.light[0], observation.cars.shape[1]
    if not mask[SWITCH]:
        return KEEP
    cars = 0
    for side in range(1 - axis, 4, 2):
        for x in range(length):
            cars += observation.cars[side, x] >= 0
    for side in range(axis, 4, 2):
        for x in range(max(length - memory.near, 0), length):
            if observation.cars[side, x] >= 0:
                return KEEP
    return SWITCH if cars else KEEP


@large_kernel
def _pressure(observation, axis):
    """The sum over the cars on the lanes of a direction of the share of their next lane that is free."""
    length, total = observation.cars.shape[1], 0.0
    for side in range(axis, 4, 2):
        total += observation.waiting[side]
        for x in range(length):
            if observation.cars[side, x] >= 0:
                out = (side + 1 + observation.turns[side, x]) % 4
                total += 1.0 - max(observation.ahead[out], 0) / length
    return total


@policy(_ID, "max_pressure", margin=Between(0.0, 100.0).at(2.0))
def max_pressure(memory, observation, mask):
    """Switches if the pressure at red is larger than that at green by more than `margin` (Varaiya 2013).

    The pressure of a direction is the number of cars on its two lanes, each less by the share of its next lane that is
    taken.
    """
    axis = observation.light[0]
    larger = _pressure(observation, 1 - axis) > _pressure(observation, axis) + memory.margin
    return SWITCH if mask[SWITCH] and larger else KEEP
