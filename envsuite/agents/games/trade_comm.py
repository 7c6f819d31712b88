"""Baselines of TradeComm: two conventions, each of which is perfect with itself and fails with the other."""

from __future__ import annotations

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy

ID = "envsuite/TradeComm-v0"


@kernel
def play(observation, mask, shift):
    """Say the own item plus a number, and read the other's symbol in the same way."""
    items = 2
    while items * (items + 1) != mask.shape[0]:
        items += 1
    if mask[0] != 0:
        return (observation[0] + shift) % items
    theirs = (observation[2] + items - shift) % items
    return items + items * observation[0] + theirs


@policy(ID, "honest")
def honest(memory, observation, mask):
    """Says its item, and trades it for the item that the other has said."""
    return play(observation, mask, 0)


@policy(ID, "shifted")
def shifted(memory, observation, mask):
    """Says the number after its item, and takes what the other says for the number after the other's item."""
    return play(observation, mask, 1)
