"""Pictures and words of grids whose cells may hold several agents."""

from __future__ import annotations

import numpy as np

from envsuite.kit.grid import DX, DY, steps


def spots(x: float, y: float, count: int) -> tuple[list[tuple[float, float]], float]:
    """The middles of up to nine things in the cell (x, y), and their size: 1 for one that has the cell alone."""
    side = 1 if count == 1 else 2 if count <= 4 else 3
    shown = range(min(count, side * side))
    rows = [0.5 if count == 2 else (k // side + 0.5) / side for k in shown]
    return [(x + (k % side + 0.5) / side, y + row) for k, row in zip(shown, rows)], 1.4 / side if side > 1 else 1.0


def clicked(x: float, y: float, sight: int) -> int | None:
    """The move, 0 to 3 for the cells beside the agent or 4 to stay, that a point of the picture of its view means."""
    aim = int(x // 1) - sight, int(y // 1) - sight
    moves = [*zip(DX.tolist(), DY.tolist()), (0, 0)]
    return moves.index(aim) if aim in moves else None


def listed(plane: np.ndarray, sight: int) -> str:
    """The places in words of what a plane of a view shows, the nearest first, with counts of more than one."""
    places = sorted(
        (abs(y - sight) + abs(x - sight), y - sight, x - sight, int(plane[y, x]))
        for y, x in np.argwhere(plane).tolist()
    )
    return "; ".join(
        (" ".join(steps(down, across)) or "in your cell") + (f" ({count} of them)" if count > 1 else "")
        for _, down, across, count in places
    )
