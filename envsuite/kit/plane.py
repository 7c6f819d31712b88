"""Physics of discs in a plane: soft and hard contacts, overlap push.

State and arithmetic are float64, and sums have a fixed order, so results have the same bits on all machines.
"""

from __future__ import annotations

import math

from envsuite.core.elementary import exp, log1p
from envsuite.core.kernel import kernel

#: Edges that are further apart than this many margins do not push: the depth would be below 4e-18 margins.
FAR = 40.0


@kernel
def distance(x, y):
    """The length of a vector."""
    return math.sqrt(x * x + y * y)


@kernel
def penetration(gap, margin):
    """How deep two soft discs are in each other whose edges are `gap` apart: about -gap if they overlap, else about 0.

    It is margin * log(1 + exp(-gap / margin)), with the larger of the two exponentials factored out.
    """
    depth = -gap / margin
    if depth > 0.0:
        return (depth + log1p(exp(-depth))) * margin
    return log1p(exp(depth)) * margin


@kernel
def push(force, a, b, x, y, touch, stiffness, margin, moved):
    """Add the force of a soft contact of disc `a` with disc `b` to `force` (N, 2).

    There is none if their centers coincide or their edges are `FAR` margins apart.

    Args:
        force: (N, 2), of the discs that move.
        a, b: numbers of the discs; a moves.
        x, y: the vector from the center of b to that of a.
        touch: the distance of the centers at which the discs touch.
        stiffness: force per depth.
        margin: the width of the soft edge.
        moved: whether b moves too.
    """
    square, reach = x * x + y * y, touch + FAR * margin
    if 0.0 < square < reach * reach:
        apart = math.sqrt(square)
        depth = penetration(apart - touch, margin)
        force_x, force_y = stiffness * x / apart * depth, stiffness * y / apart * depth
        force[a, 0] += force_x
        force[a, 1] += force_y
        if moved:
            force[b, 0] -= force_x
            force[b, 1] -= force_y


@kernel
def cap(velocity, a, most):
    """Scale the velocity (N, 2) of disc `a` down to a speed of `most`."""
    speed = distance(velocity[a, 0], velocity[a, 1])
    if speed > most:
        velocity[a, 0] = velocity[a, 0] / speed * most
        velocity[a, 1] = velocity[a, 1] / speed * most


@kernel
def bounce(position, velocity, a, b, mass_a, mass_b, touch, restitution):
    """The contact of two hard discs: they are set apart and, if they approach, exchange an impulse along their centers.

    Momentum and the center of mass stay the same. Discs whose centers coincide are left as they are.

    Args:
        position: (N, 2), of the centers.
        velocity: (N, 2).
        a, b: numbers of the discs.
        mass_a, mass_b: their masses.
        touch: the distance of the centers at which they touch.
        restitution: the part of the speed of approach that they have after it, from 0 to 1.
    """
    x, y, deep, impulse = contact(position, velocity, a, b, mass_a, mass_b, touch, restitution)
    if deep == 0.0:
        return
    for_a, for_b = deep * mass_b / (mass_a + mass_b), deep * mass_a / (mass_a + mass_b)
    position[a, 0] += x * for_a
    position[a, 1] += y * for_a
    position[b, 0] -= x * for_b
    position[b, 1] -= y * for_b
    if impulse > 0.0:
        velocity[a, 0] += x * impulse / mass_a
        velocity[a, 1] += y * impulse / mass_a
        velocity[b, 0] -= x * impulse / mass_b
        velocity[b, 1] -= y * impulse / mass_b


@kernel
def contact(position, velocity, a, b, mass_a, mass_b, touch, restitution):
    """What `bounce` does, as (x, y, deep, impulse), and nothing is changed; all 0 without a contact.

    (x, y) has length 1 and points from b to a, `deep` is how far the discs overlap, and `impulse` is along (x, y).
    """
    x, y = position[a, 0] - position[b, 0], position[a, 1] - position[b, 1]
    apart = distance(x, y)
    if apart >= touch or apart == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    x, y = x / apart, y / apart
    speed = (velocity[a, 0] - velocity[b, 0]) * x + (velocity[a, 1] - velocity[b, 1]) * y
    impulse = 0.0
    if speed < 0.0:
        impulse = -(1.0 + restitution) * speed * (mass_a * mass_b) / (mass_a + mass_b)
    return x, y, touch - apart, impulse


@kernel
def part(shift, a, b, x, y, touch):
    """Add to `shift` (N, 2) how far two discs that overlap push each other apart; nothing if their centers coincide.

    Each moves by half of (touch / distance - 1) times the vector from the other one, so that they just touch then.

    Args:
        shift: (N, 2), of all discs.
        a, b: numbers of the discs.
        x, y: the vector from the center of b to that of a.
        touch: the distance of the centers at which the discs touch.
    """
    if x * x + y * y < touch * touch:
        depth = touch / (distance(x, y) + 1e-6) - 1.0
        if depth > 0.0:
            shift[a, 0] += 0.5 * depth * x
            shift[a, 1] += 0.5 * depth * y
            shift[b, 0] -= 0.5 * depth * x
            shift[b, 1] -= 0.5 * depth * y
