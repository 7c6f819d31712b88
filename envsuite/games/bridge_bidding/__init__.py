"""BridgeBidding: the auction of contract bridge; four players bid for tricks, and perfect play settles the contract.

**Rules.** North and south play against east and west. Each player has 13 cards that only it sees. From the dealer on,
clockwise (north, east, south, west), the players make calls in turn:

- A **bid** names a number of tricks above six, from 1 to 7, and a strain: clubs, diamonds, hearts, spades or no trump.
  It must be higher than the last bid: a higher number, or the same number and a later strain in this list.
- A **double** raises the stakes of the opponents' last bid, and a **redouble** those of an own bid that was doubled.
- A **pass** does nothing.

Three passes in a row after a bid end the auction. The last bid is the contract. Its declarer is the first player of
that pair to have bid its strain. The hands are not played. Instead the declarer takes the tricks that it takes if all
four players see all cards and play perfectly, which was computed for every deal. Four passes at the start end the
auction without a contract, with 0 points.

The declarer's pair scores as in duplicate bridge. If it takes the tricks that it bid, it gets the first table's points;
otherwise its opponents get the second table's.

| made | undoubled | doubled | redoubled |
|---|---|---|---|
| a trick bid: clubs or diamonds | 20 | 40 | 80 |
| a trick bid: hearts or spades; no trump, 10 more for the first | 30 | 60 | 120 |
| a trick more than was bid: not vulnerable | as bid | 100 | 200 |
| a trick more than was bid: vulnerable | as bid | 200 | 400 |
| the contract | 50 | 100 | 150 |
| a game, which is 100 points for tricks bid; vulnerable | 250; 450 | 250; 450 | 250; 450 |
| 6 bid; vulnerable | 500; 750 | 500; 750 | 500; 750 |
| 7 bid; vulnerable | 1000; 1500 | 1000; 1500 | 1000; 1500 |

| tricks that are missing | undoubled | doubled | redoubled |
|---|---|---|---|
| not vulnerable: the first | 50 | 100 | 200 |
| not vulnerable: the second and the third | 50 | 200 | 400 |
| not vulnerable: each further | 50 | 300 | 600 |
| vulnerable: the first | 100 | 200 | 400 |
| vulnerable: each further | 100 | 300 | 600 |

**Agents.** `north`, `east`, `south` and `west`. With ``bidding_opponents="silent"``, the agents are `north` and `south`
only; east and west always pass.

**Observation.** Dict. Players are counted clockwise from the observer: 0 the observer, 1 on its left, 2 its partner, 3
on its right.

| part | space | content |
|---|---|---|
| hand | Box (4, 13) int8 | 1 for the agent's own cards: clubs, diamonds, hearts and spades, each from two to ace |
| bids | Box (35, 3) int8 | for each bid from `1C` to `7NT`: 1 + the player that made, doubled and redoubled it, or 0 |
| facts | Box (5,) int8 | see below |

| entry of `facts` | content |
|---|---|
| 0 | the dealer |
| 1, 2 | whether the observer's pair is vulnerable, and whether its opponents are |
| 3 | passes before the first bid |
| 4 | passes since the last other call, or since the start |

These parts determine the whole auction, since all calls in between are passes.

**Actions.** Discrete (38). Only the player whose turn it is has legal actions.

| action | name | legal |
|---|---|---|
| 0 | `pass` | always |
| 1 | `double` | if the last bid is the opponents' and is not doubled |
| 2 | `redouble` | if the last bid is the own pair's, and doubled, but not redoubled |
| 3 + 5 (n - 1) + strain | `1C`, `1D`, `1H`, `1S`, `1NT`, `2C` ... `7NT` | if it is higher than the last bid |

**Window.** A click on the bidding box makes a call. The keys p, d and r pass, double and redouble.

**Rewards.** At the end, the points that the agent's pair wins, or those that its opponents win with a minus: from -7600
to 7600, not scaled. 0 before.

**Ends.** Terminates with the auction.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `vulnerable` | "drawn" | who is vulnerable: "none", "ns" (north and south), "ew", "both"; "drawn" at random |
| `dealer` | "drawn" | "north", "east", "south", "west", or "drawn" at random |
| `split` | "all" | which stored deals are drawn: "all", "train" or "test", which is one in five |
| `bidding_opponents` | "bidding" | whether east and west bid ("bidding") or always pass ("silent") |

**Level.** ``{"deal": "N:AQ84.QT98.J.KQ43 K.KJ632.AT962.75 T76.54.753.AJT82 J9532.A7.KQ84.96", "tricks": {"north": [9,
3, 4, 6, 5], ...}, "dealer": "north", "vulnerable": "none", "calls": ["1C", "1H"]}``. The deal is in Portable Bridge
Notation: a first hand, then the others clockwise, each with spades, hearts, diamonds and clubs. `tricks` are those that
each declarer takes with clubs, diamonds, hearts, spades and no trump. They may be left out for a stored deal. `calls`
are made at the start, and may be left out too.

**Known values.** Par scores, those of the best bidding by all with all hands seen, of 100 deals that come with DDS, for
either pair as the first to bid.

Team matches, in which the pairs exchange seats and play the same deals again (8,000 deals, 4,000 against `random`;
standard errors of the points below 2 and below 15, of the IMPs below 0.1):

| winner, loser | points per deal | IMPs per deal |
|---|---|---|
| `natural`, `points` | 49 | 2.1 |
| `natural`, `pass` | 95 | 3.8 |
| `natural`, `random` | 2986 | 23.6 |
| `points`, `pass` | 60 | 2.9 |
| `points`, `random` | 481 | 13.5 |

**Differences.** Rules and scores are those of Pgx's `bridge_bidding` and of OpenSpiel's `bridge` with
`use_double_dummy_result=True`, except for these.

- Pgx draws from 2.5 or 10 million deals that it downloads. The package has 3,776. Suits are permuted and hands moved to
  other seats at random, and the tricks with them, which makes 362,496 deals. Each stored deal and its permutations
  belong to the same split.
- Pgx seats its four players at random. Here agents have their seats, and the dealer is drawn.
- Observations are more compact than the 480 entries of both, which can be computed from them. With a dealer other than
  north, OpenSpiel's entries name the wrong players: they count as if north had called first.
- Search that draws the other hands (`guess`) is left out, since most deals have no known table of tricks.
- OpenSpiel's `bridge_uncontested_bidding` averages the points over several deals of the hidden hands, and has no
  doubles; ``bidding_opponents="silent"`` scores one deal.

**Source.** Koyamada et al., "Pgx: hardware-accelerated parallel game simulators for reinforcement learning", 2023;
OpenSpiel `bridge`; the scores of the Laws of Duplicate Bridge, law 77; Haglund, "Search algorithms for a bridge double
dummy solver", 2010, by which the deals were solved.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Formerly, is_integer
from envsuite.core.random import randint
from envsuite.core.ranges import below, flag, within
from envsuite.core.record import copied
from envsuite.core.world import Kernels, World
from envsuite.games.bridge_bidding import pages, view
from envsuite.games.bridge_bidding.view import SEATS, STRAINS, hands_of, pbn
from envsuite.kit import openings
from envsuite.registry import pettingzoo_forms

SUITS, RANKS, PLAYERS, BIDS = 4, 13, 4, 35
CLUBS, DIAMONDS, HEARTS, SPADES, NO_TRUMP = range(5)

#: Actions; a bid's number plus FIRST_BID is its action.
PASS, DOUBLE, REDOUBLE, FIRST_BID = range(4)
CALLS = ("pass", "double", "redouble", *(f"{number}{strain}" for number in range(1, 8) for strain in STRAINS))

#: What is noted of a bid, and what is observed besides.
MADE, DOUBLED, REDOUBLED = range(3)
DEALER, WE, THEY, BEFORE, SINCE = range(5)

#: The calls of the longest auction: each bid, double and redouble, two passes after each, and four passes besides.
LONGEST = 9 * BIDS + 4

VULNERABLE = ("none", "ns", "ew", "both")
DRAWN = 4
SPLITS = ("all", "train", "test")
TRAIN, TEST = 1, 2

# Made by tests/data/recorders/bridge_deals.py, which describes it.
with np.load(Path(__file__).with_name("bridge_bidding.npz"), allow_pickle=False) as _made:
    OWNERS, TRICKS = _made["owners"], _made["tricks"]

#: The first stored deals are for training, the others for tests.
TRAINING = len(OWNERS) * 4 // 5
ORDERS = np.array(list(permutations(range(SUITS))), np.int64)


def fields() -> list[tuple]:
    """The record. Seats are numbered from north, clockwise; a pair is the number of its seats modulo 2."""
    level = np.dtype(
        [
            ("owners", below(np.int8, PLAYERS), (SUITS, RANKS)),  # the seat that holds each card
            ("tricks", within(np.int8, 0, 13), (PLAYERS, 5)),  # what each declarer takes with each strain
            ("dealer", below(np.int8, PLAYERS)),
            ("vulnerable", flag(), (2,)),  # of each pair
            ("length", within(np.int64, 0, LONGEST)),  # calls at the start
            ("moves", below(np.int8, len(CALLS)), (LONGEST,)),
        ]
    )
    return [
        ("level", level),
        ("bids", within(np.int8, 0, PLAYERS), (BIDS, 3)),  # 1 + the seat that made, doubled and redoubled each, or 0
        ("last", within(np.int64, -1, BIDS - 1)),  # the last bid, or -1
        ("before", within(np.int64, 0, PLAYERS)),  # passes before the first bid
        ("since", within(np.int64, 0, PLAYERS)),  # passes since the last other call, or since the start
        ("seat", below(np.int64, PLAYERS)),  # whose turn it is
    ]  # fmt: skip


@kernel
def reset(s):
    if not s.level_given:
        deal(s)
        s.level.dealer = randint(s, PLAYERS) if s.params.dealer == DRAWN else s.params.dealer
        vulnerable = randint(s, 4) if s.params.vulnerable == DRAWN else s.params.vulnerable
        s.level.vulnerable[0] = vulnerable & 1
        s.level.vulnerable[1] = vulnerable >> 1
        s.level.length = 0
        fill(s.level.moves, 0)
    fill(s.bids, 0)
    s.last = -1
    s.before = 0
    s.since = 0
    s.seat = s.level.dealer
    pass_silent(s)
    for k in range(s.level.length):
        call(s, np.int64(s.level.moves[k]))
        pass_silent(s)


@kernel
def deal(s):
    """Draw a stored deal, an order of its suits and a turn of its seats."""
    first = TRAINING if s.params.split == TEST else 0
    end = TRAINING if s.params.split == TRAIN else OWNERS.shape[0]
    number, order, turn = first + randint(s, end - first), randint(s, ORDERS.shape[0]), randint(s, PLAYERS)
    for rank in range(RANKS):
        bits = np.int64(OWNERS[number, rank])
        for suit in range(SUITS):
            s.level.owners[ORDERS[order, suit], rank] = ((bits >> 2 * suit) + turn) % PLAYERS
    for seat in range(PLAYERS):
        for strain in range(5):
            place = 5 * seat + strain
            tricks = np.int64(TRICKS[number, place >> 1]) >> 4 * (place & 1) & 15
            to = NO_TRUMP if strain == NO_TRUMP else ORDERS[order, strain]
            s.level.tricks[(seat + turn) % PLAYERS, to] = tricks


# The auction.


@kernel
def is_over(s):
    """Whether the auction is over."""
    return s.since == (PLAYERS if s.last < 0 else PLAYERS - 1)


@kernel
def call(s, action):
    """The player whose turn it is makes a call."""
    if action == PASS:
        s.since += 1
        s.before += s.last < 0
    else:
        s.since = 0
        if action >= FIRST_BID:
            s.last = action - FIRST_BID
            s.bids[s.last, MADE] = 1 + s.seat
        elif s.last >= 0:
            s.bids[s.last, action] = 1 + s.seat
    s.seat = (s.seat + 1) % PLAYERS


@kernel
def pass_silent(s):
    """East and west pass, if they do not bid."""
    if s.terminated.shape[0] == 2 and s.seat % 2 and not is_over(s):
        call(s, PASS)


@kernel
def stakes(s):
    """0 if the last bid is not doubled, 1 if it is doubled, and 2 if it is redoubled."""
    return 0 if s.bids[s.last, DOUBLED] == 0 else 1 if s.bids[s.last, REDOUBLED] == 0 else 2


@kernel
def declarer(s):
    """The seat that declares the contract: the first of its pair to have bid the strain."""
    side = (s.bids[s.last, MADE] - 1) % 2
    for bid in range(s.last % 5, BIDS, 5):
        if s.bids[bid, MADE] > 0 and (s.bids[bid, MADE] - 1) % 2 == side:
            return s.bids[bid, MADE] - 1
    return 0


@kernel
def points(bid, stake, vulnerable, tricks):
    """The points of the declarer's pair for a contract."""
    number, strain, factor = 1 + bid // 5, bid % 5, 1 << stake
    more = tricks - 6 - number
    if more < 0:
        return -penalty(-more, stake, vulnerable)
    each = 20 if strain < HEARTS else 30
    bid_points = factor * (each * number + (10 if strain == NO_TRUMP else 0))
    total = bid_points + 50 * (1 + stake)
    total += more * (each if stake == 0 else 50 * factor * (1 + vulnerable))
    if bid_points >= 100:
        total += 450 if vulnerable else 250
    if number >= 6:
        total += (number - 5) * (750 if vulnerable else 500)
    return total


@kernel
def penalty(down, stake, vulnerable):
    """The opponents' points if this number of tricks is missing."""
    if stake == 0:
        return down * (100 if vulnerable else 50)
    if vulnerable:
        return stake * (300 * down - 100)
    return stake * (200 * down - 100 + 100 * max(down - 3, 0))


@kernel
def score(s):
    """The points of north and south for the last bid as the contract; 0 if there is none."""
    if s.last < 0:
        return 0
    seat = declarer(s)
    tricks = np.int64(s.level.tricks[seat, s.last % 5])
    found = points(s.last, stakes(s), np.int64(s.level.vulnerable[seat % 2]), tricks)
    return found if seat % 2 == 0 else -found


@kernel
def step(s, actions, rewards):
    agents = s.terminated.shape[0]
    call(s, actions[s.seat * agents // PLAYERS])
    pass_silent(s)
    if is_over(s):
        found = score(s)
        for agent in range(agents):
            rewards[agent] = -found if agents == PLAYERS and agent % 2 else found
            s.terminated[agent] = 1


@kernel
def observe(s, agent, out):
    seat = agent * PLAYERS // s.terminated.shape[0]
    for k in range(out.hand.size):
        out.hand.flat[k] = s.level.owners.flat[k] == seat
    for k in range(out.bids.size):
        who = s.bids.flat[k]
        out.bids.flat[k] = 0 if who == 0 else 1 + (who - 1 - seat + PLAYERS) % PLAYERS
    out.facts[DEALER] = (s.level.dealer - seat + PLAYERS) % PLAYERS
    out.facts[WE] = s.level.vulnerable[seat % 2]
    out.facts[THEY] = s.level.vulnerable[1 - seat % 2]
    out.facts[BEFORE] = s.before
    out.facts[SINCE] = s.since


@kernel
def legal(s, agent, mask):
    if s.seat != agent * PLAYERS // s.terminated.shape[0]:
        return
    mask[PASS] = 1
    for bid in range(s.last + 1, BIDS):
        mask[FIRST_BID + bid] = 1
    if s.last >= 0:
        own = (s.bids[s.last, MADE] - 1 - s.seat) % 2 == 0
        mask[DOUBLE] = not own and stakes(s) == 0
        mask[REDOUBLE] = own and stakes(s) == 1


class BridgeBidding(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("cards", "teams")
    talk_forbidden = "players may not tell each other anything but by bids"
    verified = "OpenSpiel's bridge, call by call, which solves the deals itself; DDS's par scores; the laws' scores"
    variants = (dict(bidding_opponents="silent", split="train"), dict(vulnerable="ew", dealer="west", split="test"))
    shown = "natural"
    keys = {"p": "pass", "d": "double", "r": "redouble"}
    synonyms = {"x": "double", "xx": "redouble", "no bid": "pass"} | {
        f"{number}N": f"{number}NT" for number in range(1, 8)
    }
    calls = view.calls
    over = view.over
    understand = view.understand
    text = view.text
    scene = view.scene
    click = view.click
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        vulnerable: Literal["none", "ns", "ew", "both", "drawn"] = "drawn",
        dealer: Literal["north", "east", "south", "west", "drawn"] = "drawn",
        split: Literal["all", "train", "test"] = "all",
        bidding_opponents: Annotated[Literal["bidding", "silent"], Formerly("opponents")] = "bidding",
    ):
        silent = bidding_opponents == "silent"
        if silent:
            self.utility = "identical"  # type: ignore[assignment]
        most = np.array([3, 1, 1, 4, 4], np.int8)
        self.define(
            agents=SEATS[::2] if silent else SEATS,
            actions=CALLS,
            observation=Dict(
                {
                    "hand": Box(0, 1, (SUITS, RANKS), np.int8),
                    "bids": Box(0, PLAYERS, (BIDS, 3), np.int8),
                    "facts": Box(np.zeros(5, np.int8), most, dtype=np.int8),
                }
            ),
            fields=fields(),
            params={
                "vulnerable": (*VULNERABLE, "drawn").index(vulnerable),
                "dealer": (*SEATS, "drawn").index(dealer),
                "split": SPLITS.index(split),
            },
            # Without doubles, seven no trump makes at most, and fails by 13 tricks at worst.
            reward_range=(-1300.0, 2220.0) if silent else (-7600.0, 7600.0),
        )

    def seat_of(self, agent: int) -> int:
        """The number of an agent's seat."""
        return SEATS.index(self.agents[agent])

    def contract(self, s: Any) -> tuple[int, int, str]:
        seat, bid = int(declarer(s)), int(s.last)
        return (
            seat,
            int(s.level.tricks[seat, bid % 5]),
            CALLS[FIRST_BID + bid] + ("", " doubled", " redoubled")[stakes(s)],
        )

    def points_of(self, s: Any) -> int:
        return int(score(s))

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        known = ("deal", "tricks", "dealer", "vulnerable", "calls")
        if "deal" not in level or set(level) - set(known):
            given = ", ".join(map(repr, level)) or "nothing"
            raise LevelError(f"{self.id}: a level has a deal and some of {', '.join(known[1:])}, not {given}")
        try:
            owners = hands_of(level["deal"])
        except ValueError as error:
            raise LevelError(f"{self.id}: {error}") from None
        tricks = table_of(owners) if "tricks" not in level else self._tricks(level["tricks"])
        if tricks is None:
            raise LevelError(
                f"{self.id}: this deal is not stored, so the level must say what tricks each declarer takes: "
                '"tricks": {"north": [clubs, diamonds, hearts, spades, no trump], ...}'
            )
        s.level.owners[:], s.level.tricks[:] = owners, tricks
        dealer, vulnerable = level.get("dealer", "north"), level.get("vulnerable", "none")
        for name, value, choices in (("dealer", dealer, SEATS), ("vulnerable", vulnerable, VULNERABLE)):
            if value not in choices:
                raise LevelError(f"{self.id}: {name} {value!r:.40} must be one of {', '.join(choices)}")
        s.level.dealer = SEATS.index(dealer)
        s.level.vulnerable[:] = VULNERABLE.index(vulnerable) & 1, VULNERABLE.index(vulnerable) >> 1
        calls = level.get("calls", [])
        if not isinstance(calls, (list, tuple)) or len(calls) > LONGEST:
            raise LevelError(f"{self.id}: calls {calls!r:.40} must be a list of at most {LONGEST} names of calls")
        s.level.moves[:] = 0
        openings.play_level(self, s, calls)

    def _tricks(self, given: Any) -> np.ndarray:
        """The tricks of a level."""
        if not isinstance(given, Mapping) or set(given) != set(SEATS):
            raise LevelError(f"{self.id}: tricks {given!r:.40} must have a list for each of {', '.join(SEATS)}")
        for seat in SEATS:
            row = given[seat]
            fits = isinstance(row, (list, tuple)) and len(row) == 5 and all(map(is_integer, row))
            if not fits or not all(0 <= number <= 13 for number in row):
                raise LevelError(f"{self.id}: tricks of {seat}, {row!r:.40}, must be 5 integers from 0 to 13")
        return np.array([given[seat] for seat in SEATS], np.int8)

    def get_level(self, s: Any) -> dict[str, Any]:
        first, second = s.level.vulnerable.tolist()
        return {
            "deal": pbn(s.level.owners),
            "tricks": dict(zip(SEATS, s.level.tricks.tolist())),
            "dealer": SEATS[s.level.dealer],
            "vulnerable": VULNERABLE[first + 2 * second],
            "calls": openings.named_moves(self, s),
        }

    def contradiction(self, s: Any) -> str | None:
        if (np.bincount(s.level.owners.reshape(-1), minlength=PLAYERS) != RANKS).any():
            return "a player does not have 13 cards"
        if s.level.moves[s.level.length :].any():
            return "the level has calls after its last"
        for maker, one, other in s.bids.tolist():
            if one and (not maker or (one - maker) % 2 == 0) or other and (not one or (other - maker) % 2):
                return "a player doubled or redoubled a bid of the wrong pair"
        start = copied(s)
        start.level.length = 0
        calls = [action for seat, action in self.calls(s) if SEATS[seat] in self.agents]
        return openings.unlike_start(self, start, calls)


def stored(number: int) -> tuple[np.ndarray, np.ndarray]:
    """A stored deal: the seat that holds each card (4, 13), and the tricks (4, 5) of each declarer and strain."""
    owners = OWNERS[number] >> 2 * np.arange(SUITS)[:, None] & 3
    tricks = np.stack([TRICKS[number] & 15, TRICKS[number] >> 4], 1).reshape(PLAYERS, 5)
    return owners.astype(np.int8), tricks.astype(np.int8)


@cache
def _places() -> dict[bytes, int]:
    """The number of each stored deal, by its content."""
    return {row.tobytes(): number for number, row in enumerate(OWNERS)}


def table_of(owners: np.ndarray) -> np.ndarray | None:
    """The tricks (4, 5) of a deal (4, 13) that is a stored one up to an order of suits and a turn, or None."""
    for order in permutations(range(SUITS)):
        for turn in range(PLAYERS):
            turned = (owners[list(order)].astype(np.uint8) - turn) % PLAYERS
            packed = (turned << 2 * np.arange(SUITS, dtype=np.uint8)[:, None]).sum(0, dtype=np.uint8)
            number = _places().get(packed.tobytes())
            if number is not None:
                found, tricks = np.empty((PLAYERS, 5), np.int8), stored(number)[1]
                found[:, [*order, NO_TRUMP]] = np.roll(tricks, turn, axis=0)
                return found
    return None


env, raw_env, parallel_env = pettingzoo_forms(BridgeBidding)
