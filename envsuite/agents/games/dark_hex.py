"""Baselines of DarkHex: both follow the connection that needs the fewest stones, one also breaks the other's."""

from __future__ import annotations

from envsuite.agents.games.hex import FAR, MINE, THEIRS, measure
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import scratch

ID = "envsuite/DarkHex-v0"
VARIABLES = {"distance": scratch((4, 11, 11))}


@kernel
def connect(memory, board, mask, planes):
    """A random one of the cells through which the shortest connections of the first planes need the fewest stones."""
    size = board.shape[0]
    for plane in range(planes):
        rows = (memory.agent == 0) == (plane == MINE)
        measure(memory.distance[2 * plane], board, plane, rows, False)
        measure(memory.distance[2 * plane + 1], board, plane, rows, True)
    best, least, ties = 0, 5 * FAR, 0
    for cell in range(size * size):
        if mask[cell]:
            total = 0
            for k in range(2 * planes):
                total += memory.distance[k, cell // size, cell % size]
            ties = ties + 1 if total == least else 1
            if total < least or (total == least and randint(memory, ties) == 0):
                best = cell
            least = min(least, total)
    return best


@policy(ID, "shortest", VARIABLES)
def shortest(memory, observation, mask):
    """Tries the cell through which its own shortest connection and the other's, as far as known, need fewest stones."""
    return connect(memory, observation.board, mask, THEIRS + 1)


@policy(ID, "straight", VARIABLES)
def straight(memory, observation, mask):
    """Tries a cell on its own shortest connection, and does not care for the other's."""
    return connect(memory, observation.board, mask, MINE + 1)
