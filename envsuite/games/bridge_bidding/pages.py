"""The page for players of bridge's auction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, listed

PAGE = Page(
    role=(
        "You bid in the auction of a deal of bridge. Your partner is {partner}; {opponents} are your opponents.",
        Case("bidding_opponents", {"silent": "They always pass."}),
    ),
    goal="At the end you get the points that your pair scores, or lose the points that your opponents score.",
    rules=(
        "Each player has 13 cards. From the dealer on, clockwise (north, east, south, west), the players call in turn. "
        "A bid names a number of tricks above six, 1 to 7, and a strain: clubs, diamonds, hearts, spades or no trump. "
        "It must be higher than the last bid: a higher number, or the same number with a later strain of this list. "
        "You may double your opponents' last bid, and redouble a bid of your own pair that was doubled. A new bid "
        "cancels both.",
        "Three passes in a row after a bid end the auction. The last bid is the contract, and its declarer is the "
        "first player of that pair that bid its strain. Four passes at the start end the auction with no points. The "
        "cards are not played: the declarer takes the tricks that it would take if all four players saw all cards and "
        "played without a mistake.",
        "If the declarer takes the tricks of the contract, six plus the number bid, or more, its pair scores. Each "
        "trick bid counts 20 points in clubs or diamonds and 30 in hearts, spades or no trump, but the first in no "
        "trump counts 40; all this twice if doubled and four times if redoubled. The contract adds 50, doubled 100, "
        "redoubled 150. If the tricks "
        "bid count 100 or more, that is a game and adds 250, or 450 if the pair is vulnerable. A bid of 6 adds 500, "
        "vulnerable 750; a bid of 7 adds 1000, vulnerable 1500. Each trick more than bid adds 20 or 30 as above; "
        "doubled 100, vulnerable 200; redoubled twice that.",
        "If tricks are missing, the other pair scores. Undoubled, each missing trick counts 50, or 100 if the "
        "declarer's pair is vulnerable. Doubled, the first counts 100, the next two 200 each, and each further one "
        "300; vulnerable, the first counts 200 and each further one 300. Redoubled, all this counts twice.",
    ),
    sees=(
        "You see your own cards only, all calls, the dealer, and which pairs are vulnerable; this is fixed before the "
        "auction."
    ),
    acts={
        "double": "double the opponents' last bid",
        "redouble": "redouble your pair's last bid",
        "pass": "make no bid",
        "{N}{STRAIN}": "bid N tricks above six: C clubs, D diamonds, H hearts, S spades, NT no trump",
    },
    ends="The game is over when the auction ends.",
    unsaid={
        "vulnerable": "the first turn tells who is vulnerable",
        "dealer": "the first turn tells the dealer",
        "split": "players need not know which deals may be drawn",
    },
    constants={
        "13": "cards",
        "1": "the lowest bid",
        "7": "the highest bid",
        "6": "a bid",
        "six": "tricks without a bid",
        "four": "passes, players, and a factor",
        "two": "missing tricks",
        "twice": "a factor",
        **dict.fromkeys("20 30 40 50 100 150 200 250 300 450 500 750 1000 1500".split(), "points"),
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    seats, seat = ("north", "east", "south", "west"), world.seat_of(agent)
    return {"partner": seats[(seat + 2) % 4], "opponents": listed([seats[(seat + k) % 4] for k in (1, 3)])}
