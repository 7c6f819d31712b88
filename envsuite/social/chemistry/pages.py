"""Chemistry's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When
from envsuite.kit.avatar_pages import CROWD, SEES, WALKS, slots
from envsuite.social.chemistry.levels import BUSY_LETTER

PAGE = Page(
    role=When("rivals", "You are one of {players} chemists in a dish.", "You are the chemist in a dish."),
    goal=(
        "Some reactions pay. When one takes place, you get what it pays if the molecule that you carry took part; if "
        "the molecules of several players did, each of them gets it."
    ),
    rules=(
        (
            "Each cell holds one molecule, and so do you; one kind is the empty molecule, which you carry at first. "
            "You walk over molecules. With a swap you exchange your molecule for that of your cell. Then you cannot "
            "swap in the next {rest:turn}, even if it failed. A swap fails if your molecule or that of the cell "
            "reacts, if that of the cell came there in the last {rest:turn}, and in the first turn of all."
        ),
        (
            "A reaction turns some molecules into as many others, one for one, in the order in which they are listed. "
            "All of them must lie on one cell and the cells next to it on its four sides, or be carried by players "
            "there. In each turn each molecule may try to react, but not in the turn after it came to its place. If "
            "it tries, one of the reactions that are possible with it around its cell takes place, by lot. How likely "
            "a try is depends on the molecule and on whether it is carried; you are not told the chances."
        ),
        (
            "A molecule that reacts looks busy, as {busy}, for a turn, and then it is the product. While yours is "
            "busy, you can do nothing. You are paid in the turn after you have got the product."
        ),
        (
            CROWD,
            "Within a turn, molecules first try to react; then you swap, then you walk. Only walls and other players "
            "block the way.",
        ),
    ),
    sees=(SEES, "You see the molecules there, and what the others carry. Each turn lists all reactions."),
    acts={**WALKS, "swap": "exchange your molecule for that of your cell"},
    ends="It is over after {horizon:turn}.",
    constants={"four": "sides of a cell"},
    unsaid={"reactions": "each turn lists them, and their rates are for the players to find out"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {**slots(world, s), "rest": 2, "busy": BUSY_LETTER}
