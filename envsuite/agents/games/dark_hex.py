"""Baselines of DarkHex: both follow the connection that needs the fewest stones, one also breaks the other's."""

from __future__ import annotations

from envsuite.agents.games.hex import MINE, THEIRS, connect
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch

ID = "envsuite/DarkHex-v0"
VARIABLES = {"distance": scratch((4, 11, 11))}


@policy(ID, "shortest", VARIABLES)
def shortest(memory, observation, mask):
    """Tries the cell through which its own shortest connection and the other's, as far as known, need fewest stones."""
    return connect(memory, observation.board, mask, memory.agent == 0, THEIRS + 1)


@policy(ID, "straight", VARIABLES)
def straight(memory, observation, mask):
    """Tries a cell on its own shortest connection, and does not care for the other's."""
    return connect(memory, observation.board, mask, memory.agent == 0, MINE + 1)
