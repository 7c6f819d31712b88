"""Joint moves of a crowd on a grid, where a cell holds one agent: of agents in a row, the longest chain moves.

Every agent has a cell and a target: a cell beside its own, or its own if it stays.

- An agent that stays, and two agents that would change places, block all that follow them.
- A circle of three or more agents turns; what follows it is blocked.
- Of all chains that lead to a free cell, the longest moves. Where chains of one length meet, the one whose next agent
  has the lowest number wins.

The record has `fields`.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import large_kernel
from envsuite.core.ranges import below, flag, within


def fields(agents: int, cells: int, cell: np.dtype) -> list[tuple]:
    """The fields of a crowd of agents on cells; `cell` is the type of a cell that an agent can be on."""
    number = within(np.uint16, 0, agents)  # of an agent, plus 1; 0 is none
    return [
        ("cell", cell, (agents,)),
        ("target", cell, (agents,)),  # set before `resolve`
        ("who", number, (cells,)),  # who is on a cell
        ("moves", flag(), (agents,)),  # whether the last `resolve` lets an agent move
        ("chain", number, (agents,)),  # from here on only within `resolve`: the agents of the longest chain behind it
        ("follower", number, (agents,)),  # the next of this chain
        ("waits", within(np.uint16, 0, 4), (agents,)),  # followers whose chains are not known yet
        ("ready", number, (agents,)),  # those whose chains are known
        ("claim", below(np.uint16, 1), (cells,)),  # whose chain gets a free cell
    ]


@large_kernel
def resolve(s):
    """Who moves to its target, in `s.moves`."""
    agents, last = s.cell.shape[0], 0
    for a in range(agents):
        s.chain[a] = 1
        s.follower[a] = 0
        s.waits[a] = 0
        s.moves[a] = 0
    for a in range(agents):
        leader = np.int64(s.who[s.target[a]]) - 1
        if leader >= 0 and leader != a:
            s.waits[leader] += 1
    for a in range(agents):
        if s.waits[a] == 0:
            s.ready[last] = a
            last += 1
    first = 0
    while first < last:
        a = np.int64(s.ready[first])
        first += 1
        leader = np.int64(s.who[s.target[a]]) - 1
        if leader < 0:
            best = np.int64(s.claim[s.target[a]]) - 1
            if best < 0 or s.chain[a] > s.chain[best] or (s.chain[a] == s.chain[best] and a < best):
                s.claim[s.target[a]] = a + 1
        elif leader != a:
            longer = np.int64(s.chain[a]) + 1
            if longer > s.chain[leader] or (longer == s.chain[leader] and a + 1 < s.follower[leader]):
                s.chain[leader] = longer
                s.follower[leader] = a + 1
            s.waits[leader] -= 1
            if s.waits[leader] == 0:
                s.ready[last] = leader
                last += 1
    for a in range(agents):
        if s.waits[a] != 0:  # it is in a circle
            leader = np.int64(s.who[s.target[a]]) - 1
            s.moves[a] = s.target[leader] != s.cell[a]
            s.waits[a] = 0
        elif s.who[s.target[a]] == 0 and s.claim[s.target[a]] == a + 1:
            s.claim[s.target[a]] = 0
            k = a + 1
            while k > 0:
                s.moves[k - 1] = 1
                k = np.int64(s.follower[k - 1])
