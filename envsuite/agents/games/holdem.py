"""Baselines of HoldEm: one that weighs its odds against the pot's, a tight one, a loose one, and a caller."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.world import Between
from envsuite.games.holdem import BIG_BLIND, CALL, DUE, FOLD, FOLDED, LEAST_NAMED, PAID, RAISE, TO_COME
from envsuite.games.holdem import hands as poker

ID = "envsuite/HoldEm-v0"


@kernel
def cards_of(plane):
    """The cards of an observed plane, as a hand."""
    hand = np.int64(0)
    suits, ranks = plane.shape
    for suit in range(suits):
        for rank in range(ranks):
            if plane[suit, rank] != 0:
                hand |= poker.bit(rank * suits + suit, suits, ranks)
    return hand


@kernel
def count_of(plane):
    """The number of cards of an observed plane."""
    count = 0
    for k in range(plane.size):
        count += plane.flat[k] != 0
    return count


@kernel
def pot_of(observation):
    """All chips that were paid in this hand."""
    pot = 0
    for k in range(observation.seats.shape[0]):
        pot += observation.seats[k, PAID]
    return pot


@kernel
def others_of(observation):
    """The number of other players that have not folded."""
    count = 0
    for k in range(1, observation.seats.shape[0]):
        count += observation.seats[k, FOLDED] == 0
    return count


@kernel
def bet(observation, mask, size):
    """A raise: of two, the first (size 0) or the next (1), where legal; by half the pot or the pot if there is a
    choice. Calls if no raise is legal."""
    actions = mask.shape[0]
    wanted = RAISE
    if actions >= LEAST_NAMED:
        paid, due, pot = observation.seats[0, PAID], observation.table[DUE], pot_of(observation)
        wanted = min(paid + due + (pot + due) * (1 + size) // 2, actions - 1)
    elif actions == RAISE + 5:
        wanted = RAISE + 1 + size
    for action in range(wanted, actions):
        if mask[action] != 0:
            return action
    for k in range(RAISE, wanted):
        if mask[wanted + RAISE - 1 - k] != 0:
            return wanted + RAISE - 1 - k
    return CALL


@kernel
def pass_by(mask):
    """Check if there is nothing to call, and fold otherwise."""
    return CALL if mask[FOLD] == 0 else FOLD


@policy(ID, "odds", samples=Between(1, 10_000).at(100), edge=Between(0, 10).at(1.2), caution=Between(0, 1).at(0.2))
def odds(memory, observation, mask):
    """Calls if its share of the pot is worth the price, against random cards of all players that have not folded.

    Raises if that share is `edge` times an equal one: by half the pot, or from 1.5 times on by the pot. If it must call
    more than the big blind, it takes its share to be smaller, by `caution` of an equal one. Where one other player is
    left and one card or none is to come, it counts all deals; otherwise it takes a number of `samples`.
    """
    suits, ranks = observation.hand.shape
    others, hole = others_of(observation), count_of(observation.hand)
    own, board, coming = cards_of(observation.hand), cards_of(observation.board), observation.table[TO_COME]
    win, tie = poker.odds(memory, own, board, others, hole, coming, suits, ranks, memory.samples)
    share = win + 0.5 * tie
    if observation.table[DUE] > observation.table[BIG_BLIND]:
        share -= memory.caution / (others + 1)
    if share * (others + 1) >= memory.edge:
        return bet(observation, mask, 1 if share * (others + 1) >= 1.5 else 0)
    due = observation.table[DUE]
    return CALL if share * (pot_of(observation) + due) >= due else pass_by(mask)


@kernel
def high_cards(plane):
    """The mean rank of the cards of an observed plane, from 0 for the lowest to 1."""
    total, (suits, ranks) = 0, plane.shape
    for suit in range(suits):
        for rank in range(ranks):
            if plane[suit, rank] != 0:
                total += rank
    return total / (count_of(plane) * (ranks - 1))


@policy(ID, "tight")
def tight(memory, observation, mask):
    """Plays few hands, and raises with most of these; it does not think about the pot.

    Before there are common cards, it raises with a pair or cards of a mean rank of at least 0.8, on a scale from 0 to
    1, and calls with 0.7. Later, it raises if its own cards make a better hand than a pair. It calls if they make a
    pair, and checks or folds otherwise.
    """
    own, board = cards_of(observation.hand), cards_of(observation.board)
    kind = poker.strength(own | board) >> 20
    if board == 0:
        high = high_cards(observation.hand)
        if kind > poker.HIGH_CARD or high >= 0.8:
            return bet(observation, mask, 0)
        return CALL if high >= 0.7 else pass_by(mask)
    common = poker.strength(board) >> 20
    if kind > common and kind > poker.PAIR:
        return bet(observation, mask, 1)
    return CALL if kind > common else pass_by(mask)


@policy(ID, "loose", raises=Between(0, 1).at(0.3))
def loose(memory, observation, mask):
    """Never folds: raises with probability `raises`, whatever its cards are, and otherwise calls."""
    return bet(observation, mask, 0) if random.bernoulli(memory, memory.raises) else CALL


@policy(ID, "caller")
def caller(memory, observation, mask):
    """Always calls."""
    return CALL
