"""The roads of Intersection: a cross with four arms, whose lanes are straight lines and arcs.

Units are meters; x is to the east and y to the south of the middle. A lane has a kind and an arm. The arm of approaches
and crossings is where they come from; that of exits is where they lead.
"""

from __future__ import annotations

import math

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.kit import driving
from envsuite.kit.control import cosine, sine
from envsuite.kit.plane import distance

#: The arms, by number; going straight leads to the second next one, a right turn to the one before.
ARMS = ("south", "west", "north", "east")

#: The kinds of lanes: crossings are numbered by (exit - arm) % 4.
APPROACH, LEFT, STRAIGHT, RIGHT, EXIT = range(5)

#: Meters: an arm, the middle of a lane from that of the road, the edge of the crossing, the radii of turns.
ARM, HALF, EDGE, NARROW, WIDE = 100.0, 2.0, 11.0, 9.0, 13.0


@kernel
def turn_of(arm, out):
    """The kind of the crossing from an arm to another: LEFT, STRAIGHT or RIGHT."""
    return (np.int64(out) - np.int64(arm)) % 4


@kernel
def length_of(kind):
    """The length of a lane."""
    if kind == LEFT:
        return 0.5 * math.pi * WIDE
    if kind == STRAIGHT:
        return 2.0 * EDGE
    if kind == RIGHT:
        return 0.5 * math.pi * NARROW
    return ARM


@kernel
def rotated(x, y, quarters):
    """A vector after quarter turns from south to west."""
    if quarters == 0:
        return x, y
    if quarters == 1:
        return -y, x
    if quarters == 2:
        return -x, -y
    return y, -x


@kernel
def lane_at(arm, out, section):
    """The kind and the arm of section 0, 1 or 2 of a path; exits have the arm to which they lead."""
    if section == 0:
        return APPROACH, np.int64(arm)
    if section == 1:
        return turn_of(arm, out), np.int64(arm)
    return EXIT, np.int64(out)


@kernel
def place_on(arm, out, way):
    """The section of a path, and the meters on it."""
    crossing = length_of(turn_of(arm, out))
    if way < ARM:
        return 0, way
    if way < ARM + crossing:
        return 1, way - ARM
    return 2, way - ARM - crossing


@kernel
def spot(kind, arm, along):
    """The place of a lane, as (x, y), and its direction there."""
    x, y, cosine_of, sine_of = HALF, ARM + EDGE - along, 0.0, -1.0
    if kind == STRAIGHT:
        y = EDGE - along
    elif kind == EXIT:
        x, y, sine_of = -HALF, EDGE + along, 1.0
    elif kind == RIGHT:
        angle = along / NARROW
        cosine_of, sine_of = sine(angle), -cosine(angle)
        x, y = EDGE + NARROW * sine_of, EDGE - NARROW * cosine_of
    elif kind == LEFT:
        angle = along / WIDE
        cosine_of, sine_of = -sine(angle), -cosine(angle)
        x, y = -EDGE - WIDE * sine_of, EDGE + WIDE * cosine_of
    x, y = rotated(x, y, arm)
    cosine_of, sine_of = rotated(cosine_of, sine_of, arm)
    return x, y, cosine_of, sine_of


@kernel
def project(kind, arm, x, y):
    """Meters along a lane of the point nearest to (x, y), and meters aside of its middle."""
    x, y = rotated(x, y, (4 - arm) % 4)
    if kind == EXIT:
        return y - EDGE, abs(x + HALF)
    if kind == RIGHT:
        angle = driving.bearing(EDGE - x, EDGE - y)
        return NARROW * angle, abs(NARROW - distance(EDGE - x, EDGE - y))
    if kind == LEFT:
        angle = driving.bearing(x + EDGE, EDGE - y)
        return WIDE * angle, abs(WIDE - distance(x + EDGE, EDGE - y))
    start = ARM + EDGE if kind == APPROACH else EDGE
    return start - y, abs(x - HALF)


@kernel
def priority(kind, arm):
    """The priority of a lane."""
    if kind == EXIT:
        return 1 + 2 * (1 - arm % 2)
    return 1 + 2 * (arm % 2) - (kind == LEFT)
