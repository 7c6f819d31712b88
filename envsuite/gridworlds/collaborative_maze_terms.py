"""What CollaborativeMaze's actions and codes are: its rules, telling and baselines share them."""

import numpy as np

from envsuite.core.kernel import kernel

#: What an agent's map says of a cell; claims are FREE or WALL, or HIDDEN where none was made.
HIDDEN, FREE, WALL, START, GOAL = range(5)

#: The first actions; from TELL on tell free, tell wall and ask, each for all pairs of numbers.
ACCEPT, REJECT, PASS, DONE, PROPOSE = range(5)
TELL = PROPOSE + 4
DIRECTIONS = ("east", "south", "west", "north")

#: Who sees a cell: a seat, 0 or 1, or both.
BOTH = 2
NOBODY = -1

RUNNING, ARRIVED, HIT_WALL, GAVE_UP, OUT_OF_TURNS = range(5)


@kernel
def seat_of(s, agent):
    """In which of the two seats an agent sits."""
    return s.first if agent == 2 else np.int64(agent)
