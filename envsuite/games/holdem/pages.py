"""HoldEm's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When, listed

PAGE = Page(
    role="You play one hand of poker, Texas hold'em, against {others}. {button} has the button.",
    goal=(
        "At the end you are paid the chips that you have won, or minus those that you have lost, counted in big "
        "blinds: divided by {big_blind}."
    ),
    rules=(
        (
            "The deck has {deck:card}: the ranks {ranks} in {suits:suit}.",
            When("ante", "First every player pays an ante of {ante:chip}."),
            "{small} pays the small blind, {small_blind:chip}, and {big} pays the big blind, {big_blind:chip}. A "
            "player with fewer chips pays all of them. Each player gets {hole:card} that only it sees. There {count} "
            "of betting. {shown}",
        ),
        "{order} In turn, a player folds, calls what others have paid, or raises it. A round ends when all players "
        "that have not folded have called. A player without chips left stays in the hand and no longer acts. When at "
        "most one player has chips left to bet with, the other common cards are turned up at once.",
        (
            When(
                "chips",
                "A raise may be of any size, but not less than the largest raise of the round or the big blind.",
            ),
            When(
                "pot",
                "A raise is of one of the sizes listed below, but not less than the largest raise of the round or the "
                "big blind.",
            ),
            "{raises}",
            "A player may always go all in for less. If you have acted in the round, you may raise again only if "
            "others have raised by a full raise since then, at once or together; otherwise you call or fold.",
        ),
        "If all but one player fold, that player takes the pot. Otherwise the best hand wins: five cards of a player's "
        "own and the common cards. Hands rank, from the best: straight flush, four of a kind, full house, flush, "
        "straight, three of a kind, two pairs, a pair, high card. An ace may also be the lowest card of a straight to "
        "the five. Equal hands share the pot; odd chips go to the first of them after the button. A player wins from "
        "each other player no more than it has paid itself; what is paid beyond that makes side pots.",
    ),
    sees=(
        "You see your own cards, the common cards, all chips and all moves.",
        When(
            "odds",
            "You are also told how often your cards would win and tie against random cards of the players that were in "
            "when the last cards were dealt.",
        ),
    ),
    acts={
        "fold": "give up the hand; legal if there is something to call",
        "call": "pay what others have paid, or nothing if you have paid it (a check)",
        "raise": When("limit", "raise by the chips of this round, or go all in if you have less"),
        "minimum raise": When("menu_", "raise by the least amount"),
        "raise by half the pot": When("menu_", "raise by half the pot after your call, rounded down"),
        "raise by the pot": When("pot", "raise by the pot after your call"),
        "raise by twice the pot": When("menu_", "raise by twice the pot after your call"),
        "all in": When("pot", "put in all your chips"),
        "raise to {N}": When("chips", "raise so that you have paid N chips in all in this hand"),
    },
    ends="The game is over after this hand.",
    unsaid={
        "stacks": "the first turn shows the chips of all players",
        "board": "told as the common cards of each round",
        "raise_sizes": "told with the limits",
        "max_raises": "told with the limits",
        "first": "told as the order of acting",
        "samples": "players need not know how the chances are found",
    },
    constants={
        "five": "cards of a hand",
        "four": "of a kind",
        "three": "of a kind",
        "two": "pairs",
        "half": "of the pot",
        "twice": "the pot",
    },
)


#: A round has no more moves than this, so that as many raises are no limit.
LONGEST = 64


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    params, players, given = s.params, len(world.agents), world.parameters
    rounds = len(params.board)
    button = int(s.button)
    small = button if players == 2 else (button + 1) % players
    limit = given["betting"] == "limit"
    menu = "" if limit else given["menu"]
    names = [world.agents[(button + int(seat)) % players] for seat in params.first]
    return {
        "button": world.agents[button],
        "small": world.agents[small],
        "big": world.agents[(small + 1) % players],
        "small_blind": int(params.small_blind),
        "big_blind": int(params.big_blind),
        "ante": int(params.ante),
        "deck": given["ranks"] * given["suits"],
        "ranks": " ".join("23456789TJQKA"[-given["ranks"] :]),
        "count": f"{'is' if rounds == 1 else 'are'} {rounds} round{'s' * (rounds != 1)}",
        "shown": _shown([int(count) for count in params.board]),
        "order": _order(names),
        "limit": limit,
        "raises": _raises(params.raise_sizes.tolist(), params.max_raises.tolist(), limit),
        "menu_": menu == "menu",
        "pot": menu in ("menu", "pot"),
        "chips": menu == "chips",
        "odds": given["equity"] != "none",
    }


def _shown(board: list[int]) -> str:
    """A sentence about the common cards of each round."""
    parts = [f"{count} before round {k + 1}" for k, count in enumerate(board) if count]
    return f"Common cards are turned up: {listed(parts)}."


def _order(names: list[str]) -> str:
    """A sentence about the player that acts first in each round."""
    if len(set(names)) == 1:
        return f"In each round {names[0]} acts first, or the next player after it that can act."
    if len(set(names[1:])) == 1:
        later = "later" if len(names) > 2 else "in round 2"
        return f"In round 1 {names[0]} acts first; {later} {names[1]} does, or the next player after it that can act."
    firsts = listed([f"{name} in round {k + 1}" for k, name in enumerate(names)])
    return f"The first to act is {firsts}, or the next player after it that can act."


def _raises(sizes: list[int], most: list[int], limit: bool) -> str:
    """A sentence about the raises of each round; "" if there is no limit that a player would meet."""
    told = [f"a raise is by {listed(sizes)} chip{'s' * (sizes != [1])}"] if limit else []
    if limit or min(most) < LONGEST:
        plural = "s" * (most != [1])
        told.append(f"there {'are' if plural else 'is'} at most {listed(most)} raise{plural}, all players' together")
    where = f"In rounds 1 to {len(most)}, " if len(most) > 1 else "In the round of betting "
    return f"{where}{', and '.join(told)}." if told else ""
