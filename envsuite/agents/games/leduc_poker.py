"""Baselines of Leduc poker."""

from __future__ import annotations

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.games.leduc_poker import CALL, FOLD, NONE, RAISE, SUITS


@kernel
def rank_at(observation, first, cards):
    """The rank of the card whose entries start at `first`, or NONE."""
    for k in range(cards):
        if observation[first + k] != 0:
            return k // SUITS
    return NONE


@policy("envsuite/LeducPoker-v0", "tight")
def tight(memory, observation, mask):
    """Raises with a pair or the highest rank, calls with the next best cards, and folds others unless a call is free.

    In the first round, it calls with the upper half of the ranks. In the second round, without a pair, it calls with
    the highest rank that is not the public card's.
    """
    players = (observation.shape[0] + 4) // 17
    cards = SUITS * (players + 1)
    own = rank_at(observation, players, cards)
    public = rank_at(observation, players + cards, cards)
    if public == NONE:
        best = own == players
        good = 2 * own >= players
    else:
        best = own == public
        good = own == (players if public < players else players - 1)
    if best and mask[RAISE] != 0:
        return RAISE
    return CALL if best or good or mask[FOLD] == 0 else FOLD
