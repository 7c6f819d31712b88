"""What board games share: the record holds both players' views, `seen` (2, rows, columns, planes), and where asked for
whose turn it is, `player`, and what may be played then, `legal` (K,) int8.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel


@kernel
def observe(s, agent, out):
    """The agent's view."""
    size = s.seen.size // 2
    for k in range(size):
        out.flat[k] = s.seen.flat[agent * size + k]


@kernel
def legal(s, agent, mask):
    """What may be played, by whose turn it is."""
    turn = np.int8(s.player == agent)
    for k in range(s.legal.shape[0]):
        mask[k] = turn & s.legal[k]
