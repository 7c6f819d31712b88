"""What worlds of classic control share: angles in radians, a state of a few numbers, and levels that give it."""

from __future__ import annotations

from math import pi
from typing import ClassVar

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import cos_turns, sin_turns
from envsuite.core.kernel import kernel
from envsuite.core.ranges import within
from envsuite.core.world import World
from envsuite.render.scene import Circle, Line, Shape

#: A full turn in radians.
TURN = 2.0 * pi


@kernel
def cosine(angle):
    """The cosine of an angle in radians."""
    return cos_turns(angle / TURN)


@kernel
def sine(angle):
    """The sine of an angle in radians."""
    return sin_turns(angle / TURN)


@kernel
def wrapped(angle):
    """The angle from -pi to pi that has the same direction."""
    return (angle + pi) % TURN - pi


@kernel
def limited(value, low, high):
    """The number from `low` to `high` that is nearest to a value."""
    return min(max(value, low), high)


@kernel
def begin(s, low, high):
    """Begin with the level's numbers, or with uniform ones between these bounds."""
    for k in range(s.state.shape[0]):
        if s.level_given == 0:
            s.start[k] = low[k] + (high[k] - low[k]) * random.uniform(s)
        s.state[k] = s.start[k]


def torque(x: float, y: float, radius: float, share: float) -> list[Shape]:
    """An arc around a point in the direction of a torque, by its share of the largest one; positive ones turn left."""
    if not share:
        return []
    turned = [-pi / 2 - 2.2 * share * k / 24 for k in range(25)]
    path = [(x + radius * cosine(angle), y + radius * sine(angle)) for angle in turned]
    return [Line(path, "red", 0.14), Circle(*path[-1], 0.22, "red")]


class Control(World):
    """A world of one agent whose state is a few numbers, which a level ``{"state": [...]}`` gives.

    `parts` lists them: a name, and the lowest and highest number at the start.
    """

    parts: ClassVar[tuple[tuple[str, float, float], ...]]
    information = "perfect"
    masked = False
    clickable = "(?!)"
    level_fields = {"state": "start"}

    def fields(self, low: np.ndarray, high: np.ndarray) -> list[tuple]:
        """The fields of the state, which stays between these bounds in an episode."""
        first = within(np.float64, *np.array([part[1:] for part in self.parts]).T)
        return [
            ("start", first, (len(self.parts),)),  # the state at the start: the level
            ("state", within(np.float64, low, high), (len(self.parts),)),
        ]
