"""The units of Skirmish: what their kinds can do, how they move, and who fights whom."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.games.skirmish.levels import KINDS

HEALTH = np.array([45.0, 125.0, 160.0, 150.0, 35.0, 80.0])
DAMAGE = np.array([9.0, 10.0, 13.0, 8.0, 5.0, 12.0])
RANGE = np.array([5.0, 6.0, 6.0, 2.0, 2.0, 5.0])
SIGHT = np.array([9.0, 10.0, 10.0, 9.0, 8.0, 9.0])
SPEED = np.array([3.15, 2.25, 4.13, 3.15, 4.13, 3.15])
RADIUS = np.array([0.375, 0.5625, 0.625, 0.5, 0.375, 0.625])
COOLDOWN = np.array([0.61, 1.07, 1.87, 0.86, 0.5, 0.59])

#: The side of the field.
SIZE = 32.0

#: Sectors of a conic observation, and the tangents of the angles between those of a quarter.
SECTORS = 32
TANGENTS = np.array(
    [0.198912367379658, 0.41421356237309503, 0.6681786379192989, 1.0, 1.496605762665489, 2.414213562373095,
     5.027339492125848]
)  # fmt: skip

#: Moves with their directions, and the other actions.
MOVES = ("north", "east", "south", "west")
EAST = np.array([0.0, 1.0, 0.0, -1.0])
NORTH = np.array([1.0, 0.0, -1.0, 0.0])
STOP, ATTACK = 4, 5

_M, _S, _Z, _H = (KINDS.index(name) for name in ("marine", "stalker", "zealot", "hydralisk"))

#: The kinds of allies and enemies; -1 is random.
SCENARIOS = {
    "3m": ([_M] * 3, [_M] * 3),
    "8m": ([_M] * 8, [_M] * 8),
    "25m": ([_M] * 25, [_M] * 25),
    "2s3z": ([_S] * 2 + [_Z] * 3, [_S] * 2 + [_Z] * 3),
    "3s5z": ([_S] * 3 + [_Z] * 5, [_S] * 3 + [_Z] * 5),
    "5m_vs_6m": ([_M] * 5, [_M] * 6),
    "10m_vs_11m": ([_M] * 10, [_M] * 11),
    "27m_vs_30m": ([_M] * 27, [_M] * 30),
    "3s5z_vs_3s6z": ([_S] * 3 + [_Z] * 5, [_S] * 3 + [_Z] * 6),
    "3s_vs_5z": ([_S] * 3, [_Z] * 5),
    "6h_vs_8z": ([_H] * 6, [_Z] * 8),
    "smacv2_5_units": ([-1] * 5, [-1] * 5),
    "smacv2_10_units": ([-1] * 10, [-1] * 10),
    "smacv2_20_units": ([-1] * 20, [-1] * 20),
}


@kernel
def heading(x, y):
    """The move (0 to 3) whose direction is closest to that of a vector; the first of several."""
    found = 0
    for move in range(1, 4):
        if x * EAST[move] + y * NORTH[move] > x * EAST[found] + y * NORTH[found]:
            found = move
    return found


@kernel
def sector_of(x, y):
    """The sector (0 to 31) of a direction: they begin in the west and follow counterclockwise; 8 are a quarter."""
    turned = (x < 0.0) != (y < 0.0) or (x == 0.0 and y > 0.0)  # a quarter that begins in the south or north
    along, across = (abs(y), abs(x)) if turned else (abs(x), abs(y))
    found = (0 if x < 0.0 else 8) if y < 0.0 else (16 if x > 0.0 else 24)
    for k in range(TANGENTS.shape[0]):
        found += across >= TANGENTS[k] * along
    return found
