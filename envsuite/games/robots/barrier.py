"""Wheeled robots in a plane, and a barrier certificate that keeps them apart.

A robot is a unicycle on two wheels. The certificate looks at a point ahead of each robot. The velocity of the point is
the robot's speed along its heading, and `AHEAD` times its turn to the left of it. So changes of speed and turn are
measured by the change of this velocity, and the certificate is a projection: the velocities nearest to the wanted ones
that keep all pairs apart and the wheels within their maximum. Hildreth's method finds it, one condition after another.
"""

from __future__ import annotations

import math

from envsuite.core.elementary import cos_turns, sin_turns
from envsuite.core.kernel import kernel

#: Seconds of a sub-step, the radius of a wheel, the distance of the wheels, and their maximum in radians per second.
DT, WHEEL, AXLE, MOST = 0.033, 0.016, 0.105, 12.5

#: The point of the certificate ahead of a robot, the distance that points keep, and the gain of the barrier.
AHEAD, SAFE, GAIN = 0.05, 0.2, 150.0

#: The maximum speed; a point's velocity (v, z) keeps abs(v + SKEW z) and abs(v - SKEW z) below it.
SPEED, SKEW = WHEEL * MOST, AXLE / (2.0 * AHEAD)

#: Velocities of the point if noise turns both wheels by 5 radians per second: alike, or against each other.
NOISE_ALONG, NOISE_ACROSS = 5.0 * WHEEL, 10.0 * WHEEL / AXLE * AHEAD

#: Sweeps at most, and the largest change of a velocity in the last sweep.
SWEEPS, EXACT = 10_000, 1e-12


@kernel
def roll(pose, a, speed, turn, reach):
    """Move robot `a` of `pose` (N, 3), x, y and angle, for a sub-step; its wheels turn at most at their maximum.

    It gets no further than `reach` from 0 along either axis.
    """
    left, right = (2.0 * speed - AXLE * turn) / (2.0 * WHEEL), (2.0 * speed + AXLE * turn) / (2.0 * WHEEL)
    left, right = min(max(left, -MOST), MOST), min(max(right, -MOST), MOST)
    speed, turn = WHEEL / 2.0 * (left + right), WHEEL / AXLE * (right - left)
    turns = pose[a, 2] / (2.0 * math.pi)
    pose[a, 0] = min(max(pose[a, 0] + DT * speed * cos_turns(turns), -reach), reach)
    pose[a, 1] = min(max(pose[a, 1] + DT * speed * sin_turns(turns), -reach), reach)
    pose[a, 2] += DT * turn
    if pose[a, 2] > math.pi:
        pose[a, 2] -= 2.0 * math.pi
    if pose[a, 2] < -math.pi:
        pose[a, 2] += 2.0 * math.pi


@kernel
def certify(points, heading, velocity, pairs, wheels):
    """Change the velocities of the points as little as possible so that the certificate holds; whether it can hold.

    If no velocities fulfill all conditions, or 10,000 sweeps do not find them, all velocities become 0.

    Args:
        points: (N, 2), their places.
        heading: (N, 2), the headings of the robots, of length 1.
        velocity: (N, 2), that the robots want; replaced.
        pairs: (N, N), room: multipliers above the diagonal, right sides below it.
        wheels: (N, 2), room: multipliers of the two wheels.
    """
    robots = points.shape[0]
    # No solution is further away than this; Hildreth's method gives lower bounds, and one above it is a proof.
    limit, found = 0.0, True
    for a in range(robots):
        wanted = math.sqrt(velocity[a, 0] * velocity[a, 0] + velocity[a, 1] * velocity[a, 1])
        limit += 0.5 * (wanted + SPEED) * (wanted + SPEED)
        wheels[a, 0], wheels[a, 1], pairs[a, a] = 0.0, 0.0, 0.0
        for b in range(a + 1, robots):
            pairs[a, b] = 0.0
            x, y = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1]
            found = found and x * x + y * y > 1e-18
            pairs[b, a] = need(x, y, heading, a, b)
    distance, change, sweep = 0.0, 1.0, 0
    while found and change > EXACT and sweep < SWEEPS:
        change, sweep = 0.0, sweep + 1
        for a in range(robots):
            for b in range(a + 1, robots):
                x, y = 2.0 * (points[a, 0] - points[b, 0]), 2.0 * (points[a, 1] - points[b, 1])
                size = 2.0 * (x * x + y * y)
                lack = pairs[b, a] - x * (velocity[a, 0] - velocity[b, 0]) - y * (velocity[a, 1] - velocity[b, 1])
                more = max(lack / size, -pairs[a, b])
                pairs[a, b] += more
                velocity[a, 0] += more * x
                velocity[a, 1] += more * y
                velocity[b, 0] -= more * x
                velocity[b, 1] -= more * y
                distance += more * lack - 0.5 * more * more * size
                change = max(change, abs(more) * math.sqrt(size))
        for a in range(robots):
            for k in range(2):
                skew = SKEW if k == 1 else -SKEW
                x, y = heading[a, 0] - skew * heading[a, 1], heading[a, 1] + skew * heading[a, 0]
                size = x * x + y * y
                now = x * velocity[a, 0] + y * velocity[a, 1]
                free = wheels[a, k] - now / size
                after = max(free - SPEED / size, 0.0) + min(free + SPEED / size, 0.0)
                more = after - wheels[a, k]
                distance -= SPEED * (abs(after) - abs(wheels[a, k])) + more * now + 0.5 * more * more * size
                wheels[a, k] = after
                velocity[a, 0] += more * x
                velocity[a, 1] += more * y
                change = max(change, abs(more) * math.sqrt(size))
        found = distance <= limit * (1.0 + 1e-9)
    found = found and change <= EXACT
    if not found:
        for a in range(robots):
            velocity[a, 0], velocity[a, 1] = 0.0, 0.0
    return found


@kernel
def need(x, y, heading, a, b):
    """The right side of the condition of a pair whose points are (x, y) apart."""
    h = x * x + y * y - SAFE * SAFE
    return -GAIN * h * h * h + 2.0 * noise(x, y, heading, a) + 2.0 * noise(x, y, heading, b)


@kernel
def noise(x, y, heading, a):
    """How fast noise in the wheels of a robot can move its point against (x, y), times the length of (x, y)."""
    along, across = x * heading[a, 0] + y * heading[a, 1], y * heading[a, 0] - x * heading[a, 1]
    return max(NOISE_ALONG * abs(along), NOISE_ACROSS * abs(across))
