"""Shared by games of poker: the strength of a hand, and the chances of winning with it.

A card is a number, rank * suits + suit, both from 0. A hand is a set of any number of cards in one int64: 16 bits for
each of up to four suits, of which the lowest is the highest rank.
"""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.kit import bitboard

#: What a hand holds, from the worst to the best; a strength is one of these times 2**20, and ranks below.
HIGH_CARD, PAIR, TWO_PAIRS, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(9)
CATEGORIES = (
    "high card", "a pair", "two pairs", "three of a kind", "a straight", "a flush", "a full house", "four of a kind",
    "a straight flush",
)  # fmt: skip

RANKS, SUITS = "23456789TJQKA", "shdc"

_LANE = 0x1FFF
#: Ace, five, four, three and two.
_WHEEL = 0x1E01
_FIVE = 9


@kernel
def bit(card, suits, ranks):
    """The hand that is one card."""
    one = np.int64(1)
    return one << np.int64(16 * (card % suits) + ranks - 1 - card // suits)


@kernel
def first(lane):
    """The highest rank in a set of ranks that is not empty: 0 for an ace, 12 for a two."""
    return bitboard.lowest(np.uint64(lane))


@kernel
def packed(lane, count):
    """The highest ranks of a set of ranks in four bits each, from 13 for an ace to 1; 0 for those that it lacks."""
    value = 0
    for _ in range(count):
        value <<= 4
        if lane:
            value |= 13 - first(lane)
            lane &= lane - 1
    return value


@kernel
def straight(lane):
    """The highest rank of the best straight in a set of ranks, from 13 for an ace; 0 if there is none."""
    runs = lane & (lane >> 1) & (lane >> 2) & (lane >> 3) & (lane >> 4)
    if runs:
        return 13 - first(runs)
    return 13 - _FIVE if lane & _WHEEL == _WHEEL else 0


@kernel
def of_a_suit(lane):
    """The strength of the flush or straight flush in the ranks of a suit; 0 if there are less than five."""
    rest = lane
    for _ in range(4):
        rest &= rest - 1
    if not rest:
        return 0
    top = straight(lane)
    return STRAIGHT_FLUSH << 20 | top << 16 if top else FLUSH << 20 | packed(lane, 5)


@kernel
def strength(hand):
    """The strength of the best five cards of a hand, or of all cards if there are less: a larger number is better."""
    a, b, c, d = hand & _LANE, hand >> 16 & _LANE, hand >> 32 & _LANE, hand >> 48 & _LANE
    ab, cd, any_ab, any_cd = a & b, c & d, a | b, c | d
    held = any_ab | any_cd
    two, three, four = ab | cd | (any_ab & any_cd), (ab & any_cd) | (cd & any_ab), ab & cd
    suited = max(max(of_a_suit(a), of_a_suit(b)), max(of_a_suit(c), of_a_suit(d)))
    if suited >> 20 == STRAIGHT_FLUSH or not two:
        top = straight(held)
        if suited:
            return suited
        return STRAIGHT << 20 | top << 16 if top else packed(held, 5)
    if four:
        top = first(four)
        return FOUR << 20 | (13 - top) << 16 | packed(held & ~(1 << top), 1) << 12
    if three:
        top = first(three)
        pairs = two & ~(1 << top)
        if pairs:
            return FULL_HOUSE << 20 | (13 - top) << 16 | packed(pairs, 1) << 12
    if suited:
        return suited
    top = straight(held)
    if top:
        return STRAIGHT << 20 | top << 16
    if three:
        top = first(three)
        return THREE << 20 | (13 - top) << 16 | packed(held & ~(1 << top), 2) << 8
    top = first(two)
    pairs = two & ~(1 << top)
    if pairs:
        next_top = first(pairs)
        rest = held & ~(1 << top) & ~(1 << next_top)
        return TWO_PAIRS << 20 | (13 - top) << 16 | (13 - next_top) << 12 | packed(rest, 1) << 8
    return PAIR << 20 | (13 - top) << 16 | packed(held & ~(1 << top), 3) << 4


@kernel
def unused(stream, used, suits, ranks):
    """A random card that is not in a set, as a hand of one card."""
    while True:
        found = bit(random.randint(stream, suits * ranks), suits, ranks)
        if not used & found:
            return found


@large_kernel
def sampled_odds(stream, own, board, others, hole, coming, suits, ranks, samples):
    """How often a hand wins and ties against random hands, by random cards.

    Args:
        stream: a record with a random stream.
        own: the hand's own cards.
        board: the common cards so far.
        others: the number of other hands, each of `hole` cards.
        hole: see `others`.
        coming: the number of common cards still to come.
        suits: of the deck.
        ranks: of the deck.
        samples: the number of deals.
    """
    wins, ties = 0, 0
    for _ in range(samples):
        used, table = own | board, board
        for _ in range(coming):
            card = unused(stream, used, suits, ranks)
            used |= card
            table |= card
        mine, best = strength(own | table), 0
        for _ in range(others):
            hand = table
            for _ in range(hole):
                card = unused(stream, used, suits, ranks)
                used |= card
                hand |= card
            best = max(best, strength(hand))
            if best > mine:
                break
        wins += mine > best
        ties += mine == best
    return wins / samples, ties / samples


@large_kernel
def exact_odds(own, board, hole, coming, suits, ranks):
    """How often a hand wins and ties against one random hand of one or two cards, with at most one card to come."""
    wins, ties, deals, cards = 0, 0, 0, suits * ranks
    for last in range(cards if coming else 1):
        turned = bit(last, suits, ranks) if coming else np.int64(0)
        if turned & (own | board):
            continue
        table = board | turned
        used, mine = own | table, strength(own | table)
        for i in range(cards):
            one = bit(i, suits, ranks)
            if used & one:
                continue
            for j in range(i + 1 if hole == 2 else cards - 1, cards):
                other = bit(j, suits, ranks) if hole == 2 else one
                if used & other:
                    continue
                its = strength(table | one | other)
                deals += 1
                wins += mine > its
                ties += mine == its
    return wins / deals, ties / deals


@kernel
def odds(stream, own, board, others, hole, coming, suits, ranks, samples):
    """How often a hand wins and ties: `exact_odds` where that can be counted, and otherwise `sampled_odds`."""
    if others == 1 and hole <= 2 and coming <= 1:
        return exact_odds(own, board, hole, coming, suits, ranks)
    return sampled_odds(stream, own, board, others, hole, coming, suits, ranks, samples)


def name(card: int, suits: int, ranks: int) -> str:
    """A card in two letters: `As`."""
    return RANKS[-ranks:][card // suits] + SUITS[card % suits]


def number(text: str, suits: int, ranks: int) -> int | None:
    """The number of a card that is given in two letters, or None if the deck has no such card."""
    known = RANKS[-ranks:]
    if not isinstance(text, str) or len(text) != 2 or text[0] not in known or text[1] not in SUITS[:suits]:
        return None
    return known.index(text[0]) * suits + SUITS.index(text[1])
