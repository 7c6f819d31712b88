"""One transition of one record, and the agents that act after it; for loops over batches and searches on clones.

These are pieces of templates (see `kernel.piece`): where a template calls them, the globals `step` and `legal` are
re-bound to a world's kernels, and `AGENTS`, `ACTIONS` and `OBJECTIVES` to its numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.kernel import piece


def unbound(*_: Any) -> Any:
    """A placeholder for a kernel, until `bind` puts a world's kernel in its place."""
    raise NotImplementedError


step = legal = unbound
AGENTS = ACTIONS = OBJECTIVES = 0


@piece
def clear_objectives(s):
    """Set all objectives to zero; without any, which the record then lacks, the compiler leaves this out."""
    if OBJECTIVES:
        for a in range(AGENTS):
            for k in range(OBJECTIVES):
                s.objectives[a, k] = 0.0


@piece
def transition(s, actions, rewards):
    """One transition by legal actions. Writes the rewards; objectives are added to them by their weights.

    A reward of nothing is 0.0, whatever sign the rules gave it.
    """
    for a in range(AGENTS):
        rewards[a] = 0.0
    clear_objectives(s)
    s.t += 1
    step(s, actions, rewards)
    if OBJECTIVES:
        for a in range(AGENTS):
            for k in range(OBJECTIVES):
                rewards[a] += s.params.weights[k] * s.objectives[a, k]
    for a in range(AGENTS):
        if rewards[a] == 0.0:  # as += 0.0, which costs Maze a fifth of its speed
            rewards[a] = 0.0


@piece
def find_legal(s, agent, mask):
    """Write the mask of an agent's legal actions, all zero where its episode is over. Returns whether it has any."""
    acts = np.int8(0)
    if s.terminated[agent] != 0 or s.truncated[agent] != 0:
        for k in range(ACTIONS):
            mask[k] = 0
    else:
        for k in range(ACTIONS):  # here too: where `legal` writes all, the compiler drops these stores
            mask[k] = 0
        legal(s, agent, mask)
        for k in range(ACTIONS):
            acts = np.int8(acts | mask[k])  # not |=, which would make it an int64
    return acts != 0
