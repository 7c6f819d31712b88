"""Connect Four's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When
from envsuite.games.connect_four.objectives import COLUMNS, SPEED, WIN

PAGE = Page(
    role="You play Connect Four against {others}.",
    goal=(
        When(
            "objectives",
            "At the end you are paid these points, added up: {parts}.",
            "A win pays you 1 point, a loss costs you 1 point, and a draw pays nothing.",
        ),
        "You win if {connect} of your discs stand in a line before that happens to the other player: side by side, "
        "above each other, or along a diagonal.",
    ),
    rules=(
        "The board stands upright and has {columns:column} and {rows:row}. You take turns; player_0 begins. In your "
        "turn you drop a disc into a column, and it falls onto the discs that lie there. A full column takes no more.",
    ),
    sees="You both see the whole board.",
    acts={"column {N}": "drop a disc into column N, counted from the left"},
    ends="The game is over when a player has won, or in a draw when the board is full.",
    constants={"1": "a win or a loss"},
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    if not world.parameters["objectives"]:
        return {"parts": ""}
    parts = [_part(k, float(weight)) for k, weight in enumerate(s.params.weights) if weight]
    return {"parts": "; ".join(parts) or "0 for each of them"}


def _part(objective: int, weight: float) -> str:
    """What an objective pays a player."""
    if objective == WIN:
        return f"{weight:g} for a win and {-weight:g} for a loss"
    if objective == SPEED:
        share = "times the share of the board that is still empty"
        return f"{weight:g} {share} for a win, and {-weight:g} times this share for a loss"
    column = f"in column {objective - COLUMNS + 1}"
    return f"{weight:g} if you have more discs {column} than the other player, {-weight:g} if you have fewer"
