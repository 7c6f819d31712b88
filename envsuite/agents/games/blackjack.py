"""Baselines of Blackjack: the best play, and one that does as the dealer does."""

from __future__ import annotations

from envsuite.core.policy import policy
from envsuite.games.blackjack import DRAW, ENOUGH, STAND

ID = "envsuite/Blackjack-v0"


@policy(ID, "basic")
def basic(memory, observation, mask):
    """The best play with an endless deck and no other choices: stands on 17, on 13 against a 2 to 6, and on 12 against
    a 4 to 6; with a usable ace on 18, and on 19 against a 9, a 10 or an ace."""
    hand, shown = observation.hand[0], observation.hand[1]
    if observation.hand[2] != 0:
        return STAND if hand >= (18 if 2 <= shown <= 8 else 19) else DRAW
    least = 17
    if 4 <= shown <= 6:
        least = 12
    elif 2 <= shown <= 3:
        least = 13
    return STAND if hand >= least else DRAW


@policy(ID, "dealer")
def dealer(memory, observation, mask):
    """Stands from 17 on, as the dealer does."""
    return STAND if observation.hand[0] >= ENOUGH else DRAW
