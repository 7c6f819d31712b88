"""Shared by worlds whose hidden structure recurs: blocks of random length, and a window of what the agent did last.

The record's `block` numbers the present block. Its structure is that of the level if the level lists it; otherwise it
is drawn. The window is a ring: row number k, from the latest one on, is at `place(s, k)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.random import bernoulli
from envsuite.core.ranges import flag, within
from envsuite.core.world import World

#: The most rows of a window, actions in an episode, and blocks of a level.
LARGEST_WINDOW, LONGEST, LISTED = 100, 10_000, 32


def fields(rows: int) -> list[tuple]:
    """The record's fields of blocks and of a window; a world adds what its blocks and rows contain."""
    return [
        ("blocks", within(np.int64, 1, LISTED)),  # how many blocks the level lists
        ("block", within(np.int64, 0, LONGEST)),  # number of the present block
        ("held", within(np.int64, 0, rows)),  # rows of the window that are filled
        ("paid", flag(), (rows,)),  # action number k of the episode is in place k modulo rows
    ]


@kernel
def clear(s):
    """Begin an episode: the first block and an empty window."""
    s.block = 0
    s.held = 0
    fill(s.paid, 0)


@kernel
def place(s, row):
    """Where the ring holds a row of the window; row 0 is the latest."""
    rows = s.paid.shape[0]
    return (s.t - 1 - row) % rows


@kernel
def remember(s, paid):
    """Put what the latest action paid into the window, in place of the oldest row; gives its place."""
    row = place(s, 0)
    s.paid[row] = paid
    s.held = min(s.held + 1, s.params.memory)
    return row


@kernel
def ends(s):
    """Draw whether the block ends. If it does, count it, and empty the window if that is announced."""
    if not bernoulli(s, 1.0 / s.params.block):
        return False
    s.block = min(s.block + 1, LONGEST)
    if s.params.announced:
        s.held = 0
    return True


class RecurringWorld(World):
    """A world with the fields above and the parameters `block`, `memory`, `announced` and `horizon`."""

    def contradiction(self, s: Any) -> str | None:
        if s.held > min(s.params.memory, s.t):
            return "the window holds more actions than there were"
        if s.t >= s.params.horizon and not s.truncated[0]:
            return "the episode has more actions than its horizon"
        return None

    def heading(self, s: Any, agent: int | None, unit: str) -> str:
        """The line over a picture: the actions so far, for spectators the block, and whether it is over."""
        known = f" · block {s.block + 1}" if agent is None else ""
        return f"{unit} {s.t} of {s.params.horizon}{known}{' · over' if s.truncated[0] else ''}"
