"""Baselines of Robots: straight to the next place of the task, and the same with random moves that end jams."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.games.robots import SPEED, TURN

ID = "envsuite/Robots-v0"

#: The vector to the place that a policy drives to, and the end of its lane that a scout drives to.
_PLAN = {"way": scratch(2, float), "turned": limited(0, 0, 1)}


@kernel
def plan(way, turned, number, observation):
    """Set the way to the place that the task asks for next; the end of the lane to which a scout drives then."""
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
def as_controls(way, observation, controls):
    """Speed and turn along the way."""
    across, up = np.float64(observation.robots[0, 2]), np.float64(observation.robots[0, 3])
    speed = 0.8 * (way[0] * across + way[1] * up)
    turn = 3.0 * (way[1] * across - way[0] * up)
    controls[0] = min(max(speed, -0.99 * SPEED), 0.99 * SPEED)
    controls[1] = min(max(turn, -0.4 * TURN), 0.4 * TURN)


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
    memory.turned = plan(memory.way, memory.turned, memory.agent, observation)
    as_controls(memory.way, observation, controls)
    if random.bernoulli(memory, memory.noise):
        controls[0] = 0.9 * SPEED * (2.0 * random.uniform(memory) - 1.0)
        controls[1] = 0.4 * TURN * (2.0 * random.uniform(memory) - 1.0)


@policy(ID, "shuffling", variables=_PLAN, steer=shuffling_controls, noise=Between(0, 1).at(0.25))
def shuffling(memory, observation, mask):
    """As `straight`, but with probability `noise` a random action, so that robots in each other's way come free."""
    memory.turned = plan(memory.way, memory.turned, memory.agent, observation)
    if random.bernoulli(memory, memory.noise):
        return random.randint(memory, 5)
    return named(memory.way)
