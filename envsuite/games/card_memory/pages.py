"""The pages for players of CardMemory's nine games."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from envsuite.core.page import Page, Pattern, Text
from envsuite.games.card_memory import rules
from envsuite.games.card_memory.view import sizes_of

SUITS: Mapping[Pattern, Text] = {("spades", "diamonds", "clubs", "hearts"): "answer with this suit"}
ANSWERS = "Each right answer pays you {share}, and each wrong one costs you {share}."
DEALT = "{pile} shuffled and dealt to you one by one."
RANKS = "From the lowest one, the ranks are A, 2 to 10, J, Q and K."
RANKED = {"2": "a rank", "10": "a rank"}
CELLS = (
    "A cell is named by its column, a letter from the left, and its row, a number from the top: `b3` is in the second "
    "column and the third row."
)
NAMED = {"third": "row of the cell in the example"}

PAGES = {
    "RepeatFirst": Page(
        role="You remember the first of many cards.",
        goal=ANSWERS,
        rules=DEALT + " Before each next card, you say the suit of the first card.",
        sees="You see the suit of the card that was dealt last, and no other.",
        acts=SUITS,
        ends="It is over after {length:answer}, when the last card is dealt.",
    ),
    "RepeatPrevious": Page(
        role="You remember cards for a while.",
        goal=ANSWERS,
        rules=(
            DEALT + " Before each next card, you say the suit of the card that was dealt {back:card} before the one "
            "that you see. In the first {back:turn} nothing is asked: any answer brings the next card, and pays "
            "nothing.",
        ),
        sees="You see the suit of the card that was dealt last, and no other.",
        acts=SUITS,
        ends="It is over after {length:turn}, when the last card is dealt.",
    ),
    "Autoencode": Page(
        role="You remember a row of cards and say it backwards.",
        goal=ANSWERS,
        rules=(
            DEALT + " Until the last card is shown, your answers have no effect and only bring the next card. Then you "
            "say the suits of all cards, one in a turn, from the last card back to the first one. You begin while you "
            "see the last card.",
        ),
        sees="You see the suit of the card that was dealt last, and after your first answer no card.",
        acts=SUITS,
        ends="It is over after {length:turn}, with the answer for the first card.",
    ),
    "CountRecall": Page(
        role="You count cards.",
        goal=ANSWERS,
        rules=(
            DEALT + " After each card you are asked for {a_kind}, and say how many cards of it have been dealt so far, "
            "the present one included. What is asked for is the {kind} of a card from a second pile of the same cards, "
            "which is shuffled too.",
        ),
        sees="You see the {kind} of the card that was dealt last, and no other.",
        acts={"{COUNT}": "answer with this number, from 0 to {most}"},
        ends="It is over after {length:answer}.",
        constants={"0": "the smallest count"},
    ),
    "HigherLower": Page(
        role="You guess whether the next card is higher or lower.",
        goal=ANSWERS + " If the next card has the same rank, you neither get nor lose anything.",
        rules=DEALT + " Before each next card, you say whether its rank is higher or lower than that of the card that "
        "you see. " + RANKS,
        sees="You see the rank of the card that was dealt last, and no other.",
        acts={("higher", "lower"): "guess that the next card has a higher or a lower rank"},
        ends="It is over after {length:guess/guesses}, when the last card is dealt.",
        constants=RANKED,
    ),
    "Concentration": Page(
        role="You look for pairs of cards that lie face down on a table.",
        goal=(
            "A pair pays you {pair}. Two cards that are no pair cost you {miss}. Choosing a card that lies face up for "
            "good costs you {slip}, or {miss} if another card waits for its partner."
        ),
        rules=(
            "{pile} shuffled and laid out in {rows:row} of {columns}. Cards of the same "
            "{kind} are a pair. In each turn you choose a card. The first card is turned over and waits for a second "
            "one. If the second one makes a pair with it, both stay face up for good. Otherwise both are turned back "
            "after you have seen them. Choosing the waiting card once more is no pair. If you choose a card that lies "
            "face up for good, the waiting card is turned back after you have seen it.",
            CELLS,
        ),
        sees="You see the {kind} of the cards that lie face up.",
        acts={"{CELL}": "turn over the card in this cell"},
        ends="It is over when all pairs are found, or after {length:turn}.",
        constants=NAMED,
    ),
    "Battleship": Page(
        role="You look for the ships of a hidden fleet, alone.",
        goal=(
            "Each hit pays you {share}. Each shot that misses, or that goes to a cell at which you have shot before, "
            "costs you {miss}."
        ),
        rules=(
            "Ships of {ships} cells lie somewhere on a board of {columns} x {columns} cells, each in a straight line "
            "along a row or a column. They do not overlap, but may touch. In each turn you shoot at a cell.",
            CELLS,
        ),
        sees="You see whether your last shot hit, and nothing else of the board. A shot at a cell at which you have "
        "shot before never counts as a hit.",
        acts={"{CELL}": "shoot at this cell"},
        ends="It is over when all {marked} cells of the ships are hit, or after {length:shot}.",
        constants=NAMED,
    ),
    "MineSweeper": Page(
        role="You search a field with mines.",
        goal=(
            "Revealing a cell without a mine pays you {share}. Revealing a mine costs you {mine}, and revealing a cell "
            "once more costs you {slip}."
        ),
        rules=(
            "{marked} mines lie in a field of {columns} x {columns} cells. In each turn you reveal a cell. You are "
            "told how many mines lie in the 3 x 3 cells around it, its own included. The first cell that you reveal "
            "may have a mine, too.",
            CELLS,
        ),
        sees="You see the number of the cell that you revealed last, and no other.",
        acts={"{CELL}": "reveal this cell"},
        ends="It is over when you reveal a mine, when all cells without mines are revealed, or after {length:turn}.",
        constants={"3": "cells in a row around a cell"} | NAMED,
    ),
    "MultiarmedBandit": Page(
        role="You pull the arms of a machine with {arms} arms.",
        goal="An arm that pays brings you {share}; one that does not pay costs you {share}.",
        rules=(
            "Each arm pays with a chance of its own, which was drawn by lot between 0 and 1 and stays the same. You "
            "are not told these chances. In each turn you pull one arm.",
        ),
        sees="You see whether the last arm paid.",
        acts={"arm {N}": "pull arm N"},
        ends="It is over after {length:turn}.",
        constants={"0": "of a chance", "1": "of a chance"},
    ),
}


def page_role(world: Any, s: Any, agent: int) -> str:
    return rules.GAMES[s.params.game]


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    size = sizes_of(s)
    length, decks, shown = size.length, size.cards // rules.DECK, {2: "color", 4: "suit"}.get(size.kinds, "rank")
    earned = {
        rules.REPEAT_PREVIOUS: size.cards - rules.LAGS[size.difficulty],
        rules.AUTOENCODE: size.cards,
        rules.HIGHER_LOWER: size.cards,
        rules.BATTLESHIP: size.marked,
    }
    return {
        "share": Fraction(1, earned.get(size.game, length)),
        "pair": Fraction(2, max(size.cards, 1)),
        "miss": Fraction(2, length) if size.game == rules.CONCENTRATION else Fraction(1, max(length - size.marked, 1)),
        "slip": Fraction(1, length if size.game == rules.CONCENTRATION else 2 * length - 4),
        "mine": Fraction(1, 2) + Fraction(1, length),
        "pile": f"{f'{decks} decks' if decks > 1 else 'A deck'} of {rules.DECK} cards {'are' if decks > 1 else 'is'}",
        "kind": shown,
        "a_kind": f"a {shown}",
        "most": size.actions - 1,
        "back": rules.LAGS[size.difficulty] - 1,
        "rows": size.cards // max(size.columns, 1),
        "columns": size.columns,
        "ships": rules.SHIPS,
        "marked": size.marked,
        "arms": size.arms,
        "length": length,
    }
