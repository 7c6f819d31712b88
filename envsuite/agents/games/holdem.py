"""Baselines of HoldEm: one that weighs its odds against the pot's, a tight one, a loose one, and a caller."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.world import Between
from envsuite.games.holdem import CALL, DUE, FOLD, FOLDED, PAID, RAISE
from envsuite.kit import poker

ID = "envsuite/HoldEm-v0"


@kernel
def shown(cards):
    """The cards of an observed plane, as a hand."""
    hand = np.int64(0)
    suits, ranks = cards.shape
    for suit in range(suits):
        for rank in range(ranks):
            if cards[suit, rank]:
                hand |= poker.bit(rank * suits + suit, suits, ranks)
    return hand
