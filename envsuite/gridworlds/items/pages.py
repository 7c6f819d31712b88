"""Items' page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When, listed

PAGE = Page(
    role=When(
        "rest",
        "You and {rest:other player} gather colored items from a field.",
        "You gather colored items from a field.",
    ),
    goal=(
        Case(
            "reward",
            {
                "individual": "You are paid for each item that you gather:",
                "team": "You are paid for each item that anybody gathers:",
            },
        ),
        "{pay}.",
    ),
    rules=(
        (
            "The field has {width} x {height} cells. All choose a cell at once: their own or one of the four beside "
            "it; beyond the edge of the field it is their own. A cell has room for one player. If several choose the "
            "same cell, one of them may enter, by lot, unless a player stays there; the others return to their own "
            "cells. A player that would enter the cell of one that stays or returns there returns too. Two players may "
            "change places."
        ),
        When(
            "chances",
            "Each player in a cell with an item tries to gather it, with a chance of {chances}.",
            "Each player in a cell with an item gathers it.",
        ),
        "At the start the field has {start:item}, and no new ones appear.",
    ),
    sees="You see the whole field; a player hides an item in its cell.",
    acts={("up", "down", "left", "right"): "move one cell", "stay": "stay where you are"},
    ends="It is over when no item is left, or after {horizon:turn}.",
    unsaid={
        "agents": "told as the number of others",
        "items": "told as the items at the start",
        "weights": "told as what items pay",
        "probabilities": "told as the chances of gathering",
    },
    constants={"four": "cells beside one"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    chances, pay = s.params.probabilities.tolist(), s.params.weights.tolist()
    some = [f"{chance:.3g} for {color}" for chance, color in zip(chances, world.colors)]
    return {
        "rest": len(world.agents) - 1,
        "pay": listed([f"{weight:g} for {color}" for weight, color in zip(pay, world.colors)]),
        "chances": listed(some) if min(chances) < 1 else "",
        "start": int((s.items > 0).sum()),
    }
