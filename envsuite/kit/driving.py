"""Cars in a plane: rectangles that overlap, the Intelligent Driver Model, and bearings.

Results have the same bits on all machines.
"""

from __future__ import annotations

import math

from envsuite.core.elementary import real_power
from envsuite.core.kernel import kernel, large_kernel
from envsuite.kit.control import cosine, sine

#: The length and the width of a car, in meters.
LENGTH, WIDTH = 5.0, 2.0

#: The smallest wanted speed, and the smallest gap, that the Intelligent Driver Model divides by.
LEAST = 0.01

#: The largest acceleration and braking of a car that follows the model, in m/s2.
HARDEST = 6.0


@kernel
def bearing(x, y):
    """The angle from (1, 0) to (x, y) in radians, from -pi to pi; 0 for the origin."""
    size = math.sqrt(x * x + y * y)
    if size == 0.0:
        return 0.0
    across, up = abs(x), abs(y)
    ratio = min(across, up) / max(across, up)
    guess = ratio / (1.0 + 0.28 * ratio * ratio)  # the error is below 0.006
    if up > across:
        guess = 0.5 * math.pi - guess
    if x < 0.0:
        guess = math.pi - guess
    if y < 0.0:
        guess = -guess
    off = (cosine(guess) * y - sine(guess) * x) / size
    square = off * off
    return guess + off * (1.0 + square * (1.0 / 6.0 + square * (3.0 / 40.0 + square * (15.0 / 336.0))))


@kernel
def reaches(along, aside, cosine_of, sine_of, length, width):
    """Half of what a rectangle with a direction covers on the axis (along, aside)."""
    ahead = abs(along * cosine_of + aside * sine_of)
    across = abs(aside * cosine_of - along * sine_of)
    return 0.5 * length * ahead + 0.5 * width * across


@large_kernel
def overlap(x, y, a_cosine, a_sine, b_cosine, b_sine, shift_x, shift_y):
    """Whether two cars overlap, and whether they do within a move, as two flags (separating axes).

    Args:
        x, y: the vector from the center of car a to that of car b.
        a_cosine, a_sine: the direction of a.
        b_cosine, b_sine: the direction of b.
        shift_x, shift_y: the move of a minus that of b.
    """
    now, soon = True, True
    for k in range(4):
        along, aside = (a_cosine, a_sine) if k < 2 else (b_cosine, b_sine)
        if k % 2 == 1:
            along, aside = -aside, along
        apart = x * along + y * aside
        room = reaches(along, aside, a_cosine, a_sine, LENGTH, WIDTH)
        room += reaches(along, aside, b_cosine, b_sine, LENGTH, WIDTH)
        move = shift_x * along + shift_y * aside
        if abs(apart) > room:
            now = False
        if apart > room + max(move, 0.0) or apart < min(move, 0.0) - room:
            soon = False
    return now, soon


@kernel
def desired_gap(speed, closing, gap, time, acceleration, brake):
    """The gap that a driver wants to the car ahead: a jam distance, a time, and room to brake."""
    return gap + speed * time + speed * closing / (2.0 * math.sqrt(acceleration * brake))


@kernel
def free_acceleration(speed, wanted, exponent, acceleration):
    """The acceleration on a free road (Treiber, Hennecke and Helbing 2000); backward motion counts as standing."""
    share = max(speed, 0.0) / max(wanted, LEAST)
    return acceleration * (1.0 - (real_power(share, exponent) if share > 0.0 else 0.0))


@kernel
def held_back(wanted_gap, gap, acceleration):
    """How much a car ahead lessens the acceleration."""
    if abs(gap) <= LEAST:
        gap = LEAST if gap >= 0.0 else -LEAST
    return acceleration * (wanted_gap / gap) * (wanted_gap / gap)
