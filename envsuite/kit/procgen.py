"""Shared by the worlds after Procgen: five moves on a map, its letters, and views of a part of it.

A record has the map of the start, `map` (size, size), and the map as it is, `cells`, with a border around it that is as
wide as a view reaches and at least one cell. The agent is at row `y` and column `x` of `cells`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.kit import avatars

MOVES = ("noop", "left", "right", "up", "down")
NOOP, LEFT, RIGHT, UP, DOWN = range(5)
DX = np.array([0, -1, 1, 0, 0])
DY = np.array([0, 0, 0, -1, 1])

KEYS = {"left": "left", "right": "right", "up": "up", "down": "down", ".": "noop"}


@kernel
def margin(s):
    """Cells of border around the map. A compile-time constant."""
    return (s.cells.shape[0] - s.map.shape[0]) // 2


@kernel
def is_whole(s, out):
    """Whether an observation shows the whole map. A compile-time constant."""
    return margin(s) == 1 and out.shape[0] == s.map.shape[0]


@kernel
def show(s, out):
    """Write the map, or the view around the agent, into an observation."""
    top, left = (np.int64(1), np.int64(1)) if is_whole(s, out) else (s.y - margin(s), s.x - margin(s))
    for y in range(out.shape[0]):
        for x in range(out.shape[1]):
            out[np.uint64(y), np.uint64(x)] = s.cells[np.uint64(top + y), np.uint64(left + x)]


@kernel
def lay(s, outside):
    """Copy the map of the start into `cells`, with a border of this code."""
    size, border = s.map.shape[0], margin(s)
    for y in range(s.cells.shape[0]):
        for x in range(s.cells.shape[1]):
            inside = border <= y < border + size and border <= x < border + size
            s.cells[y, x] = s.map[y - border, x - border] if inside else outside


def border_of(view: int, name: str) -> int:
    """The width of the border around a map for views of this side, 0 for the whole map."""
    if view and (view < 3 or view % 2 == 0):
        raise ParameterError(f"{name}: view={view} must be 0 or an odd number from 3 to 25")
    return max(1, view // 2)


def read_rows(level: Mapping[str, Any], legend: str, size: int, name: str) -> np.ndarray:
    """(size, size) uint8, the numbers in the legend of a level's letters, or `LevelError` that begins with the name."""
    if unknown := sorted(set(level) - {"map"}):
        raise LevelError(f"{name}: the level has an unknown part {unknown[0]!r}")
    return avatars.read_map(level["map"], legend, size, size, name, torus=True)


def need_one(rows: np.ndarray, codes: Any, what: str, name: str) -> None:
    """Refuse a map that does not have exactly one cell with these codes."""
    if (count := int(np.isin(rows, codes).sum())) != 1:
        raise LevelError(f"{name}: the level's map must have one {what}, not {count}")


def clicked(across: int, down: int) -> int | None:
    """The move to the cell that is this far from the agent: its own, or one beside it."""
    steps = list(zip(DX.tolist(), DY.tolist()))
    return steps.index((across, down)) if (across, down) in steps else None
