"""Baselines of DeepSea: one knows the secret bits, one has bad luck with probability 1 / 2 in each row."""

from __future__ import annotations

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.world import Between
from envsuite.games.deep_sea import goes_right

ID = "envsuite/DeepSea-v0"


@kernel
def right(observation, mapping):
    """The action that goes right in the diver's cell."""
    for row in range(observation.shape[0]):
        for column in range(observation.shape[1]):
            if observation[row, column] != 0:
                return goes_right(mapping, row, column)
    return 0


@policy(ID, "right", mapping=Between(0, 1_000_000).at(0))
def go_right(memory, observation, mask):
    """Always goes right, by the bits of this `mapping`; that is the best play."""
    return right(observation, memory.mapping)


@policy(ID, "left", mapping=Between(0, 1_000_000).at(0))
def go_left(memory, observation, mask):
    """Always goes left, which costs nothing."""
    return 1 - right(observation, memory.mapping)
