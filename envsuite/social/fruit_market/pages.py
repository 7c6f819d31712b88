"""FruitMarket's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page
from envsuite.kit.avatar_pages import SEES, WALKS, percent, slots

PAGE = Page(
    role="You are one of {players} farmers, and you farm {own}s.",
    goal="You are paid for fruit that you eat: 1 for {an_own}, and {treat} for {an_other}.",
    rules=(
        "If you begin a turn on a tree with fruit, you harvest 2 fruits: with a chance of {own_chance} if it is "
        "{an_own} tree, and of {other_chance} if it is {an_other} tree. You may walk on in that turn. The tree is "
        "then bare for {regrowth:turn}. Trees do not block the way.",
        (
            "An offer gives 1 to 3 of a fruit for 1 or 2 of the other. It stands until you trade, cancel it or make "
            "another one, and it is public while you have what it gives. Two public offers match if each gives at "
            "least what the other wants, and the players are at most {radius:cell} apart as the crow flies. Then both "
            "get what they want, and the offers are over. Players do not trade if one of them has a better match "
            "within reach, which gives as much and wants less, or wants as much and gives more; a lot decides between "
            "equal ones."
        ),
        (
            "A hold reaches 2 cells straight ahead, up to the first player or wall. The player there is held: in the "
            "next turn it can neither hold, walk nor turn, and the holder can neither walk nor turn. A shove or a "
            "pull holds too, and then moves the first held player in its reach by one cell, as its holder faces "
            "or back, if that cell is free. A pull goes through walls."
        ),
        (
            "Your stamina is 18 at first and at most. Every second walk costs 1, even if it is blocked. Any other act "
            "restores 1, but not on a tree. A turn that you begin in a river costs 1. When you have not eaten for "
            "{hunger:turn}, each turn costs 1. After a walk that leaves less than 7 you can neither walk nor turn, "
            "nor rest, for 2 turns, and for 6 if it leaves 0."
        ),
        (
            "All of you choose at once. Within a turn, you first make offers and eat, then harvest and trade where "
            "you stand; then all walk, in random order, so that of several who want one cell the first gets it; then "
            "come holds, and last shoves and pulls. Walls and other players block the way."
        ),
    ),
    sees=(
        SEES,
        "You see offers within {radius:cell}, what the others in view farm, and their stamina, from {fresh} on only "
        "that it is {fresh} or more.",
    ),
    acts={
        **WALKS,
        "noop": "do nothing, and rest",
        ("eat apple", "eat banana"): "eat a fruit that you have",
        "hold": "hold the player ahead of you",
        ("shove", "pull"): "hold the player ahead of you, and move it away from you or to you",
        "cancel offer": "take your offer back",
        "offer {N} {FRUIT} for {M} {OTHER}": "offer to give N of the one fruit for M of the other",
    },
    ends="It is over after {horizon:turn}.",
    unsaid=dict.fromkeys(("form", "apple_trees", "banana_trees"), "players see the map as they walk"),
    constants={
        **dict.fromkeys(("0", "6", "7", "18"), "stamina, and how long tired players rest"),
        "1": "the reward for a fruit of one's own, what an offer gives, and what a walk costs",
        "2": "fruits of a harvest, what an offer wants, the reach of a hold, and turns of rest",
        "3": "the most that an offer gives",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    own, other = ("apple", "banana") if agent % 2 == 0 else ("banana", "apple")
    article = {"apple": "an apple", "banana": "a banana"}
    chances = s.params.chances.tolist()
    return {
        **slots(world, s),
        "own": own,
        "an_own": article[own],
        "an_other": article[other],
        "own_chance": percent(chances[0]),
        "other_chance": percent(chances[1]),
        "fresh": 13,
    }
