"""ConnectFour's objectives, which a record has with `objectives=True`, and what is paid without them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import by_fields

#: The objectives: for the winner, its speed, and then one for each column.
WIN, SPEED, COLUMNS = range(3)


def names(columns: int) -> list[str]:
    """The names of the objectives, in their order."""
    return ["win", "speed", *(f"column {c + 1}" for c in range(columns))]


def weights_of(objectives: Sequence[str], weights: Sequence[float] | None, label: str) -> dict[str, Any]:
    """The parameter `weights`, if there are objectives; by default only the winner counts."""
    if weights is not None and not objectives:
        raise ParameterError(f"{label}: weights are for objectives=True")
    if not objectives:
        return {}
    return {"weights": (1.0,) + (0.0,) * (len(objectives) - 1) if weights is None else tuple(map(float, weights))}


def pay_winner(s, player, rewards):
    """Pay the player of the last disc, if it has won, and the other one."""
    if s.won:
        rewards[player] = 1.0
        rewards[1 - player] = -1.0


def pay_parts(s, player, rewards):
    """Write the objectives of both players; the last disc was the player's."""
    other = 1 - player
    if s.won:
        s.objectives[player, WIN] = 1.0
        s.objectives[player, SPEED] = 1.0 - s.count / (s.seen.size // 4)
    for c in range(s.heights.shape[0]):
        more = 0
        for r in range(s.heights[c]):
            more += s.seen[player, r, c, 0] - s.seen[player, r, c, 1]
        s.objectives[player, COLUMNS + c] = (more > 0) - (more < 0)
    for k in range(s.objectives.shape[1]):
        s.objectives[other, k] = -s.objectives[player, k]


pay = by_fields(lambda fields: "objectives" in fields, pay_parts, pay_winner)
