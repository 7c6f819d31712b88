"""Baselines of BridgeBidding: a natural system, one that counts points, and one that passes."""

from __future__ import annotations

from envsuite.agents.games.bridge_natural import natural
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.games.bridge_bidding import BIDS, FIRST_BID, HEARTS, MADE, NO_TRUMP, PASS

__all__ = ["always_pass", "natural", "points"]

ID = "envsuite/BridgeBidding-v0"

#: Players as they are observed.
ME, PARTNER = 0, 2


@kernel
def high_cards(observation):
    """The high-card points of the own hand."""
    points = 0
    for suit in range(4):
        for honor in range(1, 5):
            points += honor * observation.hand[suit, 8 + honor]
    return points


@kernel
def length_of(observation, suit):
    """The number of own cards of a suit."""
    count = 0
    for rank in range(13):
        count += observation.hand[suit, rank]
    return count


@kernel
def last_bid(observation):
    """The last bid, or -1."""
    for k in range(BIDS):
        if observation.bids[BIDS - 1 - k, MADE] > 0:
            return BIDS - 1 - k
    return -1


@kernel
def last_bid_of(observation, player):
    """The last bid of a player, or -1."""
    for k in range(BIDS):
        if observation.bids[BIDS - 1 - k, MADE] == 1 + player:
            return BIDS - 1 - k
    return -1


@policy(ID, "pass")
def always_pass(memory, observation, mask):
    """Always passes."""
    return PASS


@policy(ID, "points")
def points(memory, observation, mask):
    """Bids once, by its high-card points alone.

    Opens one of its longest suit with 12. Once its partner has bid, it raises partner's suit with three cards of it,
    and bids no trump otherwise: at the lowest level with 6 to 9, one higher with 10 to 12, and game with 13.
    """
    high, theirs, last = high_cards(observation), last_bid_of(observation, PARTNER), last_bid(observation)
    if last_bid_of(observation, ME) >= 0:
        return PASS
    if last < 0:
        suit = 0
        for other in range(4):
            if length_of(observation, other) >= length_of(observation, suit):
                suit = other
        return FIRST_BID + suit if high >= 12 else PASS
    if theirs < 0 or high < 6:
        return PASS
    strain = theirs % 5
    if strain == NO_TRUMP or length_of(observation, strain) < 3:
        strain = NO_TRUMP
    low = 1 if strain > theirs else 2
    number = low if high < 10 else low + 1 if high < 13 else 3 if strain == NO_TRUMP else 4 if strain >= HEARTS else 5
    wanted = 5 * (number - 1) + strain
    return FIRST_BID + wanted if wanted > last else PASS
