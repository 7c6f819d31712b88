"""Backgammon's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page

PAGE = Page(
    role="You play backgammon against {others}. You have the {color} checkers.",
    goal=(
        "You win if you are the first to have all your checkers off the board.",
        Case(
            "scoring",
            {
                "single": "A win pays you +1, a loss -1, and a draw 0.",
                "gammon": (
                    "A win pays you +1, or +2 if the other player has borne off no checker (a gammon). A loss costs "
                    "you the same, and a draw pays 0."
                ),
                "backgammon": (
                    "A win pays you +1; or +2 if the other player has borne off no checker (a gammon); or +3 if it "
                    "then also has a checker on the bar or in your home (a backgammon). A loss costs you the same, and "
                    "a draw pays 0."
                ),
            },
        ),
    ),
    rules=(
        "The board has 24 points. Each player numbers them from its own side and moves its checkers down, from point "
        "24 to point 1 and off the board. Your point 1 is the other player's point 24, your point 2 its point 23, and "
        "so on. Points 1 to 6 are your home.",
        "To begin, each player rolls one die; both roll again while the numbers are equal. The player with the larger "
        "number has the first turn, with both numbers. From then on you take turns, and each turn begins with a roll "
        "of two dice. Each number moves one checker by that many points; a double counts as four such numbers. You "
        "move one checker by one number at a time, in any order, and your turn lasts until all numbers are used or "
        "none of them can be used.",
        "A checker cannot move to a point with two or more checkers of the other player. If it moves to a point with "
        "just one, it hits that checker, which goes to the bar. Checkers on the bar must enter before you move any "
        "other: they start from point 25, so that a 3 brings one to point 22.",
        "When all your checkers are in your home, you may bear them off: with the exact number from any point, and "
        "with a larger number from the highest point that holds one of your checkers.",
        "You must use as many numbers as you can. If you can use either of two numbers but not both, you must use the "
        "larger one. Only moves that keep to this rule are legal.",
    ),
    sees="You both see the board, the dice, and which numbers are left to use.",
    acts={
        "bar/{TO}": "enter a checker from the bar on point TO",
        "{FROM}/off": "bear off a checker from point FROM with the exact number",
        "{FROM}/off with {NUMBER}": "bear off a checker from point FROM with a larger number",
        "{FROM}/{TO}": "move a checker from point FROM to point TO",
        "pass": "end your turn; legal only if you can use no number, and then you must",
    },
    ends="The game is over when a player has won. It is a draw after {max_turns:turn}, counting both players'.",
    unsaid={"variant": "the first turn shows where the checkers stand"},
    constants={
        "1": "a reward, and a point",
        "2": "a reward, and a point",
        "3": "a reward, and a number of a die",
        "0": "the reward of a draw",
        "24": "points",
        "23": "a point",
        "6": "points of the home",
        "25": "the bar",
        "22": "a point",
        "two": "dice, and checkers that block a point",
        "four": "numbers of a double",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {"color": ("white", "black")[agent]}
