"""Baselines of Robots: straight to the next place of the task, the same with random moves that end jams, and lanes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import by_fields, kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.games.robots import SPEED, TURN
from envsuite.kit.plane import distance

ID = "envsuite/Robots-v0"

#: The vector to the place that a policy drives to, and the end of its lane that a scout drives to.
_PLAN = {"way": scratch(2, float), "turned": limited(0, 0, 1)}


def _keep(observation: Any, way: Any, turned: int, number: int) -> int:
    return turned


def _in(*parts: str) -> Callable[[Callable], Any]:
    """Makes a kernel that runs the decorated function where observations have just these parts of `_OWN`."""
    return lambda rule: by_fields(lambda names: names is not None and set(parts) == _OWN & set(names), rule, _keep)


#: Robots of rware stand when they are so near to their cell.
NEAR = 0.17

#: Parts of observations that only some scenarios have.
_OWN = {"tile", "levels", "requests"}


@_in()
def plan_first(observation, way, turned, number):
    """Navigation, discovery, material, warehouse, predator."""
    own, targets = observation.robots[0], observation.targets
    places, load, kind = targets.shape[0], observation.duties[0, 1], observation.duties[0, 0]
    here_x, here_y = np.float64(own[0]), np.float64(own[1])
    x, y = here_x, here_y
    if places == 1:  # navigation
        x, y = np.float64(targets[0, 0]), np.float64(targets[0, 1])
    elif places == 2:  # warehouse
        j = 1 if load > 0 else 0
        x, y = np.float64(targets[j, 0]), np.float64(targets[j, 1])
    elif places == 3:  # material
        j = 2 if load > 0 else 0 if targets[0, 2] > 0 and (kind == 1 or targets[1, 2] == 0) else 1
        x, y = np.float64(targets[j, 0]), here_y if j > 0 else 0.0
    elif kind == 0:  # a scout of discovery drives to and fro in its lane
        y = 0.45 if number % 2 == 0 else -0.45
        x = 1.2 if turned == 1 else -1.2
        if abs(here_x - x) < 0.15:
            turned = 1 - turned
    else:  # a collector drives to the nearest landmark that is sensed and not tagged
        least = np.inf
        for j in range(places):
            across, up = np.float64(targets[j, 0]) - here_x, np.float64(targets[j, 1]) - here_y
            if targets[j, 2] == 1.0 and across * across + up * up < least:
                least = across * across + up * up
                x, y = here_x + across, here_y + up
    way[0], way[1] = x - here_x, y - here_y
    return turned


@_in("tile")
def plan_arctic(observation, way, turned, number):
    """All robots drive up to the goal."""
    way[0], way[1] = 0.0, 0.85 - np.float64(observation.robots[0, 1])
    return turned


@kernel
def to_place(observation, row, j):
    """The distance of a robot to a place of the task."""
    x = np.float64(observation.robots[row, 0]) - np.float64(observation.targets[j, 0])
    y = np.float64(observation.robots[row, 1]) - np.float64(observation.targets[j, 1])
    return distance(x, y)


@kernel
def go(observation, way, j):
    """Set the way to a place of the task."""
    for k in range(2):
        way[k] = np.float64(observation.targets[j, k]) - np.float64(observation.robots[0, k])


@_in("levels")
def plan_foraging(observation, way, turned, number):
    """All robots drive to the resource that is nearest to all of them together."""
    least = math.inf
    way[0], way[1] = 0.0, 0.0
    for j in range(observation.targets.shape[0]):
        total = 0.0
        for row in range(observation.robots.shape[0]):
            total += to_place(observation, row, j)
        if observation.targets[j, 2] > 0.0 and total < least:
            least = total
            go(observation, way, j)
    return turned


@kernel
def is_requested(observation, shelf):
    """Whether a shelf is requested; shelf 0 never is."""
    found = False
    for k in range(observation.requests.shape[0]):
        found = found or observation.requests[k] == shelf
    return found


@kernel
def has_work(observation, row, shelf):
    """Whether a robot could go to a cell with this shelf, or with none: to lift it, or to put its own shelf back."""
    load = observation.duties[row, 1]
    if shelf == 0:
        return load > 0 and not is_requested(observation, load)
    return load == 0 and is_requested(observation, shelf)


@kernel
def choose_cell(observation):
    """The nearest cell where this robot has work and no other that has is nearer; -1 if there is none."""
    best, least = -1, math.inf
    for j in range(observation.targets.shape[0]):
        shelf, own = np.int64(observation.targets[j, 2]), to_place(observation, 0, j)
        if has_work(observation, 0, shelf) and own < least:
            mine = True
            for row in range(1, observation.robots.shape[0]):
                mine = mine and not (has_work(observation, row, shelf) and to_place(observation, row, j) < own)
            if mine:
                best, least = j, own
    return best


@_in("requests")
def plan_rware(observation, way, turned, number):
    """Straight to the cell with a requested shelf, to the end where it is delivered, and to an empty cell."""
    way[0], way[1] = 0.0, 0.0
    if is_requested(observation, observation.duties[0, 1]):
        way[0] = 1.25 - np.float64(observation.robots[0, 0])
    else:
        j = choose_cell(observation)
        if j >= 0 and to_place(observation, 0, j) > NEAR:
            go(observation, way, j)
    return turned


@kernel
def plan(way, turned, number, observation):
    """Set the way to the place that the task asks for next; the end of the lane to which a scout drives then."""
    turned = plan_first(observation, way, turned, number)
    plan_arctic(observation, way, turned, number)
    plan_foraging(observation, way, turned, number)
    plan_rware(observation, way, turned, number)
    return turned


# Lanes.


@_in("requests")
def lanes_of_rware(observation, way, turned, number):
    """Requested shelves leave by the edge of the arena and come back between the rows of cells."""
    x, y = np.float64(observation.robots[0, 0]), np.float64(observation.robots[0, 1])
    load = observation.duties[0, 1]
    if load == 0:
        return turned
    if is_requested(observation, load):
        lane = 0.6 if y > 0.0 else -0.6
        if x < 0.9 and abs(y) < 0.5:
            way[0], way[1] = 0.0, lane - y
        return turned
    if abs(way[0]) > NEAR:
        if abs(y) < (0.16 if x > 0.95 else 0.11):
            way[1] = 0.0
        else:
            way[0], way[1] = 0.0, -y
    return turned


@kernel
def plan_lanes(way, turned, number, observation):
    """As `plan`, but by lanes in rware."""
    turned = plan(way, turned, number, observation)
    lanes_of_rware(observation, way, turned, number)
    return turned


@kernel
def named(way):
    """The waypoint that shortens the way most; to stay if the way is short."""
    x, y = way[0], way[1]
    if max(abs(x), abs(y)) < 0.08:
        return 0
    if abs(x) > abs(y):
        return 3 if x > 0.0 else 4
    return 1 if y > 0.0 else 2


@kernel
def on_course(way, observation):
    """As `named`, but of the waypoints that shorten the way, the one nearer to the robot's heading."""
    x, y = way[0], way[1]
    if max(abs(x), abs(y)) < 0.08:
        return 0
    across = math.copysign(1.0, x) * np.float64(observation.robots[0, 2])
    up = math.copysign(1.0, y) * np.float64(observation.robots[0, 3])
    if abs(y) < 0.08 or (abs(x) >= 0.08 and across > up):
        return 3 if x > 0.0 else 4
    return 1 if y > 0.0 else 2


@kernel
def as_controls(way, observation, controls):
    """Speed and turn along the way."""
    across, up = np.float64(observation.robots[0, 2]), np.float64(observation.robots[0, 3])
    speed = 0.8 * (way[0] * across + way[1] * up)
    turn = 3.0 * (way[1] * across - way[0] * up)
    controls[0] = min(max(speed, -0.99 * SPEED), 0.99 * SPEED)
    controls[1] = min(max(turn, -0.4 * TURN), 0.4 * TURN)


@kernel
def stray(memory, controls):
    """With probability `noise`, a random speed and turn."""
    if random.bernoulli(memory, memory.noise):
        controls[0] = 0.9 * SPEED * (2.0 * random.uniform(memory) - 1.0)
        controls[1] = 0.4 * TURN * (2.0 * random.uniform(memory) - 1.0)


@kernel
def straight_controls(memory, observation, controls):
    """As `straight`."""
    memory.turned = plan(memory.way, memory.turned, memory.agent, observation)
    as_controls(memory.way, observation, controls)


@policy(ID, "straight", variables=_PLAN, steer=straight_controls)
def straight(memory, observation, mask):
    """Drives straight to the next place of its task."""
    memory.turned = plan(memory.way, memory.turned, memory.agent, observation)
    return named(memory.way)


@kernel
def shuffling_controls(memory, observation, controls):
    """As `shuffling`."""
    straight_controls(memory, observation, controls)
    stray(memory, controls)


@policy(ID, "shuffling", variables=_PLAN, steer=shuffling_controls, noise=Between(0, 1).at(0.25))
def shuffling(memory, observation, mask):
    """As `straight`, but with probability `noise` a random action, so that robots in each other's way come free."""
    memory.turned = plan(memory.way, memory.turned, memory.agent, observation)
    if random.bernoulli(memory, memory.noise):
        return random.randint(memory, 5)
    return named(memory.way)


@kernel
def lanes_controls(memory, observation, controls):
    """As `lanes`."""
    memory.turned = plan_lanes(memory.way, memory.turned, memory.agent, observation)
    as_controls(memory.way, observation, controls)
    stray(memory, controls)


@policy(ID, "lanes", variables=_PLAN, steer=lanes_controls, noise=Between(0, 1).at(0.1))
def lanes(memory, observation, mask):
    """As `straight`, with few turns, lanes between the cells of rware, and a random action with probability `noise`."""
    memory.turned = plan_lanes(memory.way, memory.turned, memory.agent, observation)
    if random.bernoulli(memory, memory.noise):
        return random.randint(memory, 5)
    return on_course(memory.way, observation)
