"""Hanabi's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, listed
from envsuite.games.hanabi.sight import copies
from envsuite.games.hanabi.view import COLORS

PAGE = Page(
    role="You play Hanabi together with {others}. You see the others' cards, but not your own.",
    goal=(
        "All players are paid the same: +1 for each card that is added to a firework.",
        Case(
            "bomb",
            {
                "zero": "If the last life is lost, all these points are lost again.",
                "keep": "If the last life is lost, you keep these points.",
            },
        ),
    ),
    rules=(
        "A card has a color ({colors}) and a rank. Of each color there are {copies}. There is one firework for each "
        "color; it is built from rank 1 upward, one card at a time. Each player holds {hand:card}. Together you have "
        "{lives:life/lives} and {tokens:information token}.",
        "You take turns; player_0 begins. In your turn you play a card, discard a card, or give a hint.",
        "If the card that you play is the next rank of its color, it is added to the firework. Otherwise it is "
        "discarded and costs a life. The last card of a firework brings back an information token, if one is missing.",
        "A discard also brings back a token; you may discard only while one is missing. A hint costs a token, and "
        "without a token you cannot give one. A hint shows another player which of its cards have a certain color, or "
        "a certain rank, and so also which have not. That player must hold at least one such card. All players hear "
        "it.",
        "After a play or a discard you draw a card, which becomes the last card of your hand, as the other cards move "
        "up. When the deck is empty, every player has one more turn.",
    ),
    sees=(
        "You see the others' hands, the fireworks, the discards, the number of cards left in the deck, and what hints "
        "have told about each card."
    ),
    acts={
        "play card {N}": "play card N of your hand, counted from the oldest",
        "discard card {N}": "discard card N of your hand",
        "hint {PLAYER} rank {N}": "show a player its cards of rank N",
        "hint {PLAYER} {COLOR}": "show a player its cards of a color",
    },
    ends="The game is over when the last life is lost, when all fireworks are complete, or after the last turns.",
    unsaid={
        "variant": "told by its numbers",
        "ranks": "told as the cards of each color",
        "hand_size": "told as the cards of a hand",
        "information_tokens": "told as the tokens",
        "life_tokens": "told as the lives",
    },
    constants={"1": "reward of a card, and the lowest rank"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    _, size, colors, ranks = world.sizes
    return {
        "colors": listed(COLORS[:colors]),
        "copies": listed([f"{copies(rank, ranks)} of rank {rank + 1}" for rank in range(ranks)]),
        "hand": size,
        "lives": int(s.params.life_tokens),
        "tokens": int(s.params.information_tokens),
    }


#: What policies say beside their hints.
PHRASES = {
    "hint {} rank {}": (
        "{0}, these cards of yours have rank {1}.",
        "I show {0} where the cards of rank {1} are.",
        "A hint for {0}: rank {1}.",
        "Look at your cards of rank {1}, {0}.",
        "{0}, rank {1} is here in your hand.",
    ),
    "hint {} {}": (
        "{0}, these cards of yours are {1}.",
        "I show {0} where the {1} cards are.",
        "A hint for {0}: {1}.",
        "Look at your {1} cards, {0}.",
        "{0}, here is what you have in {1}.",
    ),
}
