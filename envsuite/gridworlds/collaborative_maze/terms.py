"""The codes of CollaborativeMaze's actions and observations, shared by its rules, texts and baselines."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel

#: Codes of cells in an agent's map; claims are FREE or WALL, or HIDDEN where none was made.
HIDDEN, FREE, WALL, START, GOAL = range(5)

#: The first actions; from TELL on: tell free, tell wall and ask, each for all pairs of numbers.
ACCEPT, REJECT, PASS, DONE, PROPOSE = range(5)
TELL = PROPOSE + 4
DIRECTIONS = ("east", "south", "west", "north")

#: The seats that see a cell: seat 0, seat 1, or both.
BOTH = 2
NOBODY = -1

RUNNING, ARRIVED, HIT_WALL, GAVE_UP, OUT_OF_TURNS = range(5)


@kernel
def seat_of(s, agent):
    """The seat, of the two, in which an agent sits."""
    return s.first if agent == 2 else np.int64(agent)
