"""The natural bidder of BridgeBidding: what each call has shown, and the next one."""

from __future__ import annotations

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games.bridge_bidding import (
    BEFORE,
    BIDS,
    CLUBS,
    DEALER,
    DIAMONDS,
    DOUBLE,
    DOUBLED,
    FIRST_BID,
    HEARTS,
    MADE,
    NO_TRUMP,
    PASS,
    PLAYERS,
    SINCE,
    SPADES,
)

ID = "envsuite/BridgeBidding-v0"

#: Players as they are observed.
ME, LEFT, PARTNER, RIGHT = range(4)

#: What is kept of the own hand and of the auction.
HIGH, LAST, OPENER, FLAT = range(4)

#: Some bids.
ONE_NT, TWO_CLUBS, TWO_DIAMONDS, TWO_NT, THREE_NT, FOUR_NT = 4, 5, 6, 9, 14, 19

#: Combined points for a game, a small slam and a grand slam.
GAME, SLAM, GRAND = 25, 33, 37


@kernel
def bid_of(number, strain):
    """The number of a bid."""
    return 5 * (number - 1) + strain


@kernel
def cheapest(last, strain):
    """The lowest bid in a strain above the last bid; too high a number if there is none."""
    return last + 1 + (strain - last - 1) % 5


@kernel
def count_hand(m, observation):
    """Note the lengths of the own suits, its high-card points, and whether it is balanced."""
    high, short, doubletons = 0, 0, 0
    for suit in range(4):
        count = 0
        for rank in range(13):
            has = observation.hand[suit, rank]
            count += has
            if rank > 8:
                high += has * (rank - 8)
        m.length[suit] = count
        short += count < 2
        doubletons += count == 2
    m.facts[HIGH] = high
    m.facts[FLAT] = short == 0 and doubletons < 2


@kernel
def narrow(m, player, least, most):
    """A call shows at least and at most this number of points."""
    m.least[player] = max(m.least[player], least)
    m.most[player] = max(min(m.most[player], most), m.least[player])


@kernel
def show(m, player, suit, count):
    """A call shows at least this number of cards of a suit."""
    m.shown[player, suit] = max(m.shown[player, suit], count)


@large_kernel
def read_auction(m, observation):
    """Note what every player's calls have shown."""
    for player in range(PLAYERS):
        m.least[player] = 0
        m.most[player] = 37
        m.bid[player] = -1
        m.takeout[player] = 0
        for suit in range(4):
            m.shown[player, suit] = 0
    m.facts[LAST] = -1
    m.facts[OPENER] = -1
    for k in range(min(observation.facts[BEFORE], 3)):
        m.most[(observation.facts[DEALER] + k) % PLAYERS] = 11
    for bid in range(BIDS):
        if observation.bids[bid, MADE] > 0:
            note_bid(m, observation.bids[bid, MADE] - 1, bid)
        if observation.bids[bid, DOUBLED] > 0:
            who = observation.bids[bid, DOUBLED] - 1
            if bid < bid_of(4, CLUBS) and bid % 5 != NO_TRUMP and m.bid[who] < 0 and m.bid[(who + 2) % PLAYERS] < 0:
                m.takeout[who] = 1
                narrow(m, who, 12, 37)
                for suit in range(4):
                    show(m, who, suit, 0 if suit == bid % 5 else 3)


@kernel
def note_bid(m, who, bid):
    """Note what a bid shows."""
    partner = (who + 2) % PLAYERS
    if m.facts[OPENER] < 0:
        m.facts[OPENER] = who
        note_opening(m, who, bid)
    elif m.bid[who] < 0 and m.bid[partner] < 0:
        if m.takeout[partner]:
            note_advance(m, who, bid)
        else:
            note_overcall(m, who, bid)
    elif m.bid[who] < 0:
        note_response(m, who, partner, bid)
    else:
        note_rebid(m, who, partner, bid)
    m.bid[who] = bid
    m.facts[LAST] = bid


@kernel
def note_opening(m, who, bid):
    """One of a suit, one or two no trump, strong two clubs, or a weak bid with a long suit."""
    number, strain = 1 + bid // 5, bid % 5
    if strain == NO_TRUMP:
        if number <= 2:
            narrow(m, who, 15 if number == 1 else 20, 17 if number == 1 else 21)
        for suit in range(4):
            show(m, who, suit, 2)
    elif number == 1:
        narrow(m, who, 11, 21)
        show(m, who, strain, 5 if strain >= HEARTS else 4 if strain == DIAMONDS else 3)
    elif bid == TWO_CLUBS:
        narrow(m, who, 22, 37)
    else:
        narrow(m, who, 5, 10)
        show(m, who, strain, min(4 + number, 8))


@kernel
def note_overcall(m, who, bid):
    """A suit of five cards, a weak jump, or no trump."""
    number, strain = 1 + bid // 5, bid % 5
    if strain == NO_TRUMP:
        narrow(m, who, 15, 18)
    elif m.takeout[who]:
        narrow(m, who, 17, 37)
        show(m, who, strain, 5)
    elif bid - cheapest(m.facts[LAST], strain) >= 5:
        narrow(m, who, 5, 10)
        show(m, who, strain, 6 if number == 2 else 7)
    else:
        narrow(m, who, 8 if number == 1 else 11 if number == 2 else 13, 17)
        show(m, who, strain, 5)


@kernel
def note_advance(m, who, bid):
    """The answer to partner's takeout double."""
    strain, more = bid % 5, bid - cheapest(m.facts[LAST], bid % 5)
    narrow(m, who, 0 if more < 5 else 9 if more < 10 else 11, 9 if more < 5 else 12 if more < 10 else 16)
    if strain < NO_TRUMP:
        show(m, who, strain, 4)


@kernel
def note_response(m, who, partner, bid):
    """A first bid after partner's: a raise, no trump, or a new suit."""
    number, strain, before = 1 + bid // 5, bid % 5, m.bid[partner]
    if before == ONE_NT and bid == TWO_CLUBS:
        narrow(m, who, 8, 37)
    elif before == TWO_CLUBS and m.least[partner] == 22:
        if bid != TWO_DIAMONDS:
            narrow(m, who, 8, 37)
    elif before == ONE_NT or before == TWO_NT:
        note_answer(m, who, number, strain, before)
    elif strain == NO_TRUMP:
        least = 6 if number == 1 else 11 if number == 2 else 13
        narrow(m, who, least, 10 if number == 1 else 12 if number == 2 else 16)
    elif m.shown[partner, strain] >= 3:
        show(m, who, strain, 3 if strain >= HEARTS else 8 - m.shown[partner, strain])
        narrow(m, who, 6 if number == 2 else 10 if number == 3 else 12, 9 if number == 2 else 12 if number == 3 else 16)
    else:
        show(m, who, strain, 4 if number == 1 else 5)
        narrow(m, who, 6 if number == 1 else 10, 37)


@kernel
def note_answer(m, who, number, strain, before):
    """A response to no trump, but not two clubs."""
    if strain == NO_TRUMP:
        if before == ONE_NT:
            narrow(
                m, who, 8 if number == 2 else 10 if number == 3 else 16, 9 if number == 2 else 15 if number == 3 else 17
            )
        else:
            narrow(m, who, 4, 12)
    else:
        show(m, who, strain, 6 if number == 4 else 5)
        if number == 2:
            narrow(m, who, 0, 7)
        else:
            narrow(m, who, 10 if before == ONE_NT else 5, 15 if number == 4 else 37)


@kernel
def note_rebid(m, who, partner, bid):
    """A later bid."""
    number, strain, opened = 1 + bid // 5, bid % 5, m.facts[OPENER] == who
    jump = bid - cheapest(m.facts[LAST], strain) >= 5
    if m.bid[who] == ONE_NT and m.bid[partner] == TWO_CLUBS and number == 2:
        if strain == HEARTS or strain == SPADES:
            show(m, who, strain, 4)
    elif m.bid[who] == TWO_CLUBS and m.least[who] == 22:
        if strain < NO_TRUMP:
            show(m, who, strain, 5)
    elif strain == NO_TRUMP:
        if opened and m.most[who] == 21:
            if number < 3:
                narrow(m, who, 12 if number == 1 else 18, 14 if number == 1 else 19)
        elif number == 2:
            narrow(m, who, 10, 12)
    elif m.shown[who, strain] >= 4 and m.shown[partner, strain] < 4:
        show(m, who, strain, m.shown[who, strain] + 1)
        note_strength(m, who, opened, jump)
    elif m.shown[partner, strain] >= 4:
        show(m, who, strain, 4 if m.shown[partner, strain] == 4 else 3)
        note_strength(m, who, opened, jump)
    else:
        show(m, who, strain, 4)
        if opened and jump:
            narrow(m, who, 18, 21)
        elif not opened and number >= 3:
            narrow(m, who, 11, 37)


@kernel
def note_strength(m, who, opened, jump):
    """A second bid of a known suit: at the lowest level it shows little, and a jump more."""
    if m.most[who] < 18:
        return
    if opened:
        narrow(m, who, 16 if jump else 11, 18 if jump else 15)
    else:
        narrow(m, who, 10 if jump else 6, 12 if jump else 10)


@kernel
def shape_points(m, trumps):
    """Points for short suits beside a trump suit."""
    total = 0
    for suit in range(4):
        if suit != trumps and m.length[suit] < 3:
            total += (5, 3, 1)[m.length[suit]] if m.length[trumps] >= 4 else (3, 2, 1)[m.length[suit]]
    return total


@kernel
def best_fit(m):
    """The suit that the pair should play: 8 cards in a major, else in a minor, else none, NO_TRUMP."""
    best, most = NO_TRUMP, 7
    for suit in (SPADES, HEARTS, DIAMONDS, CLUBS):
        total = m.length[suit] + m.shown[PARTNER, suit]
        if total > most and (suit >= HEARTS or best == NO_TRUMP or best < HEARTS):
            best, most = suit, total
    return best


@kernel
def call_of(m, bid):
    """The call of a bid, or a pass if it is too low or too high."""
    return FIRST_BID + bid if m.facts[LAST] < bid < BIDS else PASS


@kernel
def game_bid(strain, total):
    """The bid of a game or slam with this strain for this number of combined points."""
    if total >= GRAND:
        return bid_of(7, strain)
    if total >= SLAM:
        return bid_of(6, strain)
    return bid_of(3 if strain == NO_TRUMP else 4 if strain >= HEARTS else 5, strain)


@kernel
def opening(m):
    """The first bid of all."""
    high, suit = m.facts[HIGH], opening_suit(m)
    if m.facts[FLAT] and (15 <= high <= 17 or 20 <= high <= 21):
        return call_of(m, ONE_NT if high <= 17 else TWO_NT)
    if high >= 22:
        return call_of(m, TWO_CLUBS)
    first, second = 0, 0
    for k in range(4):
        if m.length[k] > first:
            first, second = m.length[k], first
        elif m.length[k] > second:
            second = m.length[k]
    if high >= 12 or (high >= 10 and high + first + second >= 20):
        return call_of(m, bid_of(1, suit))
    if high >= 5 and first >= 6 and (first > 6 or suit != CLUBS):
        return call_of(m, bid_of(min(first - 4, 4 if suit >= HEARTS else 3), suit))
    return PASS


@kernel
def opening_suit(m):
    """The longest suit, the higher of two; a minor if there is no suit of five."""
    best = CLUBS
    for suit in range(4):
        if m.length[suit] >= m.length[best]:
            best = suit
    if m.length[best] >= 5:
        return best
    if m.length[DIAMONDS] > m.length[CLUBS] or m.length[DIAMONDS] == 4:
        return DIAMONDS
    return CLUBS


@kernel
def overcall(m, observation):
    """A first bid of the pair after the opponents have opened; with 3 points less where a pass would end it."""
    last = m.facts[LAST]
    extra = 3 if observation.facts[SINCE] == 2 else 0
    high, theirs = m.facts[HIGH] + extra, last % 5
    if theirs < NO_TRUMP and last < 4 and m.facts[FLAT] and 15 <= high <= 18 and m.length[theirs] >= 3:
        return call_of(m, ONE_NT)
    suit = opening_suit(m)
    count, bid = m.length[suit], cheapest(last, suit)
    number = 1 + bid // 5
    if suit != theirs and high <= 17 and count >= 5:
        if high >= 8 and number == 1 or high >= 11 and number == 2 and (count >= 6 or high >= 12):
            return call_of(m, bid)
        if high >= 14 and number == 3 and count >= 6:
            return call_of(m, bid)
        if 5 <= high <= 10 and count >= 6 and number <= 2 and last < 5:
            return call_of(m, bid_of(count - 4, suit)) if count <= 7 else call_of(m, bid_of(4, suit))
    if theirs < NO_TRUMP and last < bid_of(4, CLUBS):
        support = 0
        for other in range(4):
            support += other != theirs and m.length[other] >= 3
        if high >= 17 or (support == 3 and m.length[theirs] <= 2 and high >= 11 + last // 5):
            return DOUBLE
    return PASS


@kernel
def advance(m):
    """The answer to partner's takeout double."""
    high, last, best = m.facts[HIGH], m.facts[LAST], -1
    theirs = last % 5
    for suit in range(4):
        if suit != theirs and (best < 0 or m.length[suit] + (suit >= HEARTS) >= m.length[best] + (best >= HEARTS)):
            best = suit
    if m.bid[RIGHT] == last and high < 7:
        return PASS
    bid = cheapest(last, best)
    if high >= 12:
        return call_of(m, game_bid(best if best >= HEARTS else NO_TRUMP, high + 13))
    if high >= 9 and bid + 5 < bid_of(4, CLUBS):
        return call_of(m, bid + 5)
    if theirs < NO_TRUMP and m.length[best] == 4 and m.length[theirs] >= 4 and 7 <= high <= 10:
        return call_of(m, cheapest(last, NO_TRUMP))
    return call_of(m, bid) if bid < bid_of(4, CLUBS) else PASS


@kernel
def answer(m):
    """The first bid after partner's no trump."""
    high, before = m.facts[HIGH], m.bid[PARTNER]
    total, game = high + m.least[PARTNER] + 1, 10 if before == ONE_NT else 5
    major = SPADES if m.length[SPADES] >= m.length[HEARTS] else HEARTS
    if m.facts[LAST] != before:
        if high >= game:
            return call_of(m, bid_of(4, major) if m.length[major] >= 6 else THREE_NT)
        bid = cheapest(m.facts[LAST], major)
        return call_of(m, bid) if m.length[major] >= 5 and high >= 5 and bid < bid_of(3, CLUBS) else PASS
    if total >= SLAM:
        return call_of(m, game_bid(major if m.length[major] >= 6 else NO_TRUMP, total))
    if high >= game and m.length[major] >= 5:
        return call_of(m, bid_of(4 if m.length[major] >= 6 else 3, major))
    if before == ONE_NT:
        if high < 8:
            suit = major if m.length[major] >= 5 else DIAMONDS
            return call_of(m, bid_of(2, suit)) if m.length[suit] >= 5 else PASS
        if m.length[major] >= 4:
            return call_of(m, TWO_CLUBS)
        return call_of(m, TWO_NT if high < 10 else THREE_NT if high < 16 else FOUR_NT)
    return call_of(m, THREE_NT) if high >= game else PASS


@large_kernel
def response(m):
    """The first bid after partner's."""
    high, last, before = m.facts[HIGH], m.facts[LAST], m.bid[PARTNER]
    suit, least = before % 5, m.least[PARTNER]
    if suit == NO_TRUMP:
        return answer(m) if before in (ONE_NT, TWO_NT) else PASS
    if least == 22:
        return call_of(m, TWO_DIAMONDS) if last == before else PASS
    fit = m.length[suit] + m.shown[PARTNER, suit] >= 8 and m.length[suit] >= 3
    value = high + (shape_points(m, suit) if fit else 0)
    if m.most[PARTNER] <= 10:
        return answer_weak(m, suit, value)
    short = 0 if least >= 11 else 3  # an overcall shows less than an opening
    if fit and suit >= HEARTS:
        return raise_suit(m, suit, value - short)
    new = new_suit(m, suit)
    if new >= 0:
        bid = cheapest(last, new)
        long = m.length[new] >= 5
        if bid < 5 and high >= 6 + short - long or 5 <= bid < 10 and long and high >= 10 + short:
            return call_of(m, bid)
    if fit and value - short < 13:
        return raise_suit(m, suit, value - short)
    if high - short >= 13:
        return call_of(m, game_bid(NO_TRUMP, high + least + 2))
    if 11 <= high - short:
        return call_of(m, TWO_NT)
    if high - short >= 6:
        return call_of(m, ONE_NT)
    return PASS


@kernel
def new_suit(m, suit):
    """The suit of four to bid after partner's: the longest, of equal ones the cheapest; -1 if there is none."""
    best, last = -1, m.facts[LAST]
    for other in range(4):
        if other == suit or m.length[other] < 4 or m.shown[LEFT, other] + m.shown[RIGHT, other] >= 4:
            continue
        if best < 0 or m.length[other] > m.length[best]:
            best = other
        elif m.length[other] == m.length[best] and cheapest(last, other) < cheapest(last, best):
            best = other
    return best


@kernel
def raise_suit(m, suit, value):
    """Raise partner's suit by the number of points: to two with 6, to three with 10, to game with 13."""
    last = m.facts[LAST]
    if value >= 13:
        return call_of(m, game_bid(suit, value + 12))
    if value >= 10:
        return call_of(m, bid_of(3, suit))
    if value >= 6:
        bid = cheapest(last, suit)
        allowed = m.length[suit] + m.shown[PARTNER, suit] - 6
        return call_of(m, bid) if bid // 5 < max(allowed, 2) else PASS
    return PASS


@kernel
def answer_weak(m, suit, value):
    """Raise partner's long suit: to game with 16 points, or as high as the pair has trumps."""
    trumps = m.length[suit] + m.shown[PARTNER, suit]
    if value >= 16:
        if trumps >= 8 and suit >= HEARTS:
            return call_of(m, game_bid(suit, value + 8))
        return call_of(m, THREE_NT)
    bid = bid_of(min(trumps - 6, 4), suit)
    return call_of(m, bid) if trumps >= 9 else PASS


@large_kernel
def rebid(m):
    """A later bid: game or slam if the points are there, an invitation if they may be, or a description."""
    high, last, strain = m.facts[HIGH], m.facts[LAST], best_fit(m)
    value = high + (shape_points(m, strain) if strain < NO_TRUMP else 0)
    least, most = value + m.least[PARTNER], value + min(m.most[PARTNER], m.least[PARTNER] + 3)
    ours = m.bid[PARTNER] == last or m.bid[ME] == last
    if HEARTS <= strain < NO_TRUMP:
        place = strain
    else:
        place = strain if strain < NO_TRUMP and least >= 29 else NO_TRUMP
    goal = game_bid(place, least)
    if asked(m):
        return reply(m)
    if ours and m.bid[PARTNER] == last and unlimited(m) and least < SLAM and (strain == NO_TRUMP or strain < HEARTS):
        return describe(m)
    if least >= GAME or (least + most >= 2 * GAME and m.most[PARTNER] - m.least[PARTNER] <= 4):
        if ours and last >= goal:
            return PASS
        if ours and last % 5 == place and last >= game_bid(place, 0) and least < SLAM:
            return PASS
        return call_of(m, goal)
    if most >= GAME and ours:
        bid = TWO_NT if place == NO_TRUMP else bid_of(3, place)
        if bid > last and m.most[ME] - m.least[ME] > 4:
            return call_of(m, bid)
    return settle(m, ours, least)


@kernel
def unlimited(m):
    """Whether partner has shown no upper bound, so that a new suit of it is not passed."""
    return m.most[PARTNER] == 37 and m.least[PARTNER] >= 6 and m.bid[PARTNER] % 5 < NO_TRUMP


@kernel
def asked(m):
    """Whether partner has asked for a major after no trump, or waits for the suit of two clubs."""
    if m.bid[PARTNER] != m.facts[LAST]:
        return False
    return (m.bid[ME] == ONE_NT and m.bid[PARTNER] == TWO_CLUBS) or (
        m.bid[ME] == TWO_CLUBS and m.least[ME] == 22 and m.bid[PARTNER] == TWO_DIAMONDS
    )


@kernel
def reply(m):
    """The answer to such a question."""
    if m.bid[ME] == ONE_NT:
        for suit in (HEARTS, SPADES):
            if m.length[suit] >= 4:
                return call_of(m, bid_of(2, suit))
        return call_of(m, TWO_DIAMONDS)
    suit = opening_suit(m)
    if m.length[suit] >= 5:
        return call_of(m, cheapest(m.facts[LAST], suit))
    return call_of(m, TWO_NT if m.facts[HIGH] < 25 else THREE_NT)


@large_kernel
def describe(m):
    """A bid that shows more of the own hand after partner's new suit."""
    high, last = m.facts[HIGH], m.facts[LAST]
    theirs, own = m.bid[PARTNER] % 5, m.bid[ME] % 5
    if theirs < NO_TRUMP and m.length[theirs] + m.shown[PARTNER, theirs] >= 8:
        worth = high + shape_points(m, theirs)
        bid = cheapest(last, theirs)
        return call_of(m, bid if worth < 16 else bid + 5 if worth < 19 else game_bid(theirs, worth + 6))
    if own < NO_TRUMP and m.length[own] >= 6:
        bid = cheapest(last, own)
        if high >= 19:
            return call_of(m, game_bid(own if own >= HEARTS else NO_TRUMP, high + m.least[PARTNER]))
        return call_of(m, bid + 5 if high >= 16 and bid < 10 else bid)
    for suit in range(4):
        bid = cheapest(last, suit)
        if suit != own and suit != theirs and m.length[suit] >= 4 and bid < cheapest(last, own):
            return call_of(m, bid + 5 if high >= 19 and bid < 10 else bid)
    if high + m.least[PARTNER] >= GAME:
        return call_of(m, THREE_NT)
    if 18 <= high <= 19:
        return call_of(m, max(TWO_NT, cheapest(last, NO_TRUMP)))
    if own < NO_TRUMP and m.length[own] >= 5 and not m.facts[FLAT]:
        return call_of(m, cheapest(last, own))
    return call_of(m, cheapest(last, NO_TRUMP)) if last < TWO_NT else PASS


@kernel
def trumps(m, suit):
    """The cards of a suit that the pair can expect: a suit of six finds one at partner's."""
    return m.length[suit] + max(m.shown[PARTNER, suit], 1 if m.length[suit] >= 6 else 0)


@kernel
def settle(m, ours, least):
    """No game: pass if the contract is good enough, or bid the best suit at the lowest level."""
    last, best = m.facts[LAST], CLUBS
    for suit in range(4):
        if trumps(m, suit) >= trumps(m, best):
            best = suit
    bid, most = cheapest(last, best), trumps(m, best)
    if ours:
        current = last % 5
        if current < NO_TRUMP and trumps(m, current) >= min(most, 8) or most < 7:
            return PASS
        if current == NO_TRUMP and (most < 8 or m.facts[FLAT]):
            return PASS
        return call_of(m, bid) if bid <= bid_of(3, CLUBS) else PASS
    if bid // 5 < min(most - 6, 3) and least >= 17:
        return call_of(m, bid)
    return PASS


@kernel
def repeat(m):
    """A second bid after partner has passed: the own suit again, if it is long."""
    suit, last = m.bid[ME] % 5, m.facts[LAST]
    if suit == NO_TRUMP or m.bid[ME] == last or m.most[ME] <= 10 or m.length[suit] < 6:
        return PASS
    bid = cheapest(last, suit)
    return call_of(m, bid) if bid < bid_of(m.length[suit] - 3, CLUBS) and m.facts[HIGH] >= 12 else PASS


@kernel
def punish(m, mask, call):
    """A double in place of a pass if the opponents have bid more than the own pair's points allow."""
    if call != PASS or mask[DOUBLE] == 0 or m.facts[LAST] < bid_of(3, CLUBS):
        return call
    wanted = (0, 0, 0, 22, 19, 15, 11, 7)[1 + m.facts[LAST] // 5]
    return DOUBLE if m.facts[HIGH] + m.least[PARTNER] >= wanted else PASS


@policy(
    ID,
    "natural",
    variables=dict(
        length=scratch(4), facts=scratch(4), least=scratch(4), most=scratch(4), bid=scratch(4), takeout=scratch(4),
        shown=scratch((4, 4)),
    ),
)  # fmt: skip
def natural(memory, observation, mask):
    """Bids a natural system by high-card points, lengths and fits, and reads what its partner's bids show.

    Opens five-card majors, better minors, one no trump with 15 to 17 points and two with 20 to 21, a strong two clubs,
    and weak bids with long suits. Later it bids games and slams that the combined points allow: 25, 33 and 37.
    """
    count_hand(memory, observation)
    read_auction(memory, observation)
    if memory.facts[LAST] < 0:
        return opening(memory)
    if memory.bid[PARTNER] >= 0 and (memory.bid[ME] >= 0 or memory.takeout[ME]):
        return punish(memory, mask, rebid(memory))
    if memory.bid[ME] >= 0:
        return punish(memory, mask, repeat(memory))
    if memory.bid[PARTNER] >= 0:
        return punish(memory, mask, response(memory))
    if memory.takeout[PARTNER] and memory.takeout[ME] == 0 and memory.facts[LAST] < bid_of(4, CLUBS):
        return punish(memory, mask, advance(memory))
    return punish(memory, mask, overcall(memory, observation) if memory.takeout[ME] == 0 else PASS)
