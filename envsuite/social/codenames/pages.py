"""Codenames' pages for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, Text, When, listed
from envsuite.social.codenames.view import KINDS, nouns

_GOAL: Text = (
    "If your team wins, you get +1, if it loses, -1. A team wins when all its cards are found, no matter by which "
    "team.",
    When("assassins", "A team whose guesser points at an assassin loses at once."),
)
_RULES: Text = (
    "On the table lie {cards} different cards. A secret key says what each card is: {counts}. Only spymasters know it. "
    "{faces}",
    (
        When(
            "words",
            "In a team's turn, its spymaster gives a clue: a word and a number from 0 to {largest}. No word is allowed "
            "that lies on the table and is not found. The clue should mean that this many of the team's cards have to "
            "do with this word.",
            "In a team's turn, its spymaster gives a clue: a value and a number from 0 to {largest}; any clue is "
            "allowed. It should mean that this many of the team's cards have this value.",
        ),
        "Then its guesser points at cards, one by "
        "one, at least one. All see what a card is. The turn ends after a card that is not the team's. Otherwise the "
        "guesser may stop, or guess again, up to one guess more than the number.",
        When(
            "alone",
            "Red plays alone: after each of its turns, a blue card is drawn by lot and found, and red loses with the "
            "last one.",
            "Red begins, and the teams take turns.",
        ),
    ),
)
_ENDS = "It is over when a team has won or lost."
_CONSTANTS = {"1": "the reward", "0": "the least number"}

PAGES = {
    "spymaster": Page(
        role="You are the {team} team's spymaster.",
        goal=_GOAL,
        rules=_RULES,
        sees="You know the key.",
        acts={
            "{VALUE} {N}": When("words", "", "give a clue: this value, and the number of cards that you mean"),
            "{WORD} {N}": When("words", "give a clue: this word, and the number of cards that you mean"),
        },
        ends=_ENDS,
        constants=_CONSTANTS,
    ),
    "guesser": Page(
        role="You are the {team} team's guesser.",
        goal=_GOAL,
        rules=_RULES,
        sees="You do not know the key.",
        acts={"card {N}": "point at this card", "stop": "end the turn, after one guess"},
        ends=_ENDS,
        constants=_CONSTANTS,
    ),
}


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    attributes = "; ".join(listed(row, "or") for row in world.values)
    faces = f"Each card has one value of each of these: {attributes}."
    return {
        "team": KINDS[agent // 2],
        "cards": len(s.key),
        "counts": ", ".join(
            f"{n} {kind}{'s' * (kind == 'assassin' and n > 1)}"
            for n, kind in zip(s.params.counts, KINDS, strict=True)
            if n
        ),
        "faces": "Each card is a word." if nouns(world) else faces,
        "alone": len(world.agents) == 2,
    }


#: What policies say beside their clues.
PHRASES = {
    "{} {}": (
        "My clue is {0}, {1}.",
        "I say {0}, {1}.",
        "Think of {0}, and the number is {1}.",
        "The word is {0}, the number {1}.",
        "Look for {0}; my number is {1}.",
    ),
}
