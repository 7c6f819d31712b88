"""Goal orders: goals in different cells of a square, and a hidden order in which they are visited.

All cells are equally likely but the two in the middle of the west edge where agents start. Every entry of the order is
any of the goals, so one can follow itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_letters, read_numbers
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: Codes of cells: free, outside the square, and the first goal.
FREE, OUTSIDE, GOAL = range(3)

LETTERS = "ABCDEF"
COLORS = ("gold", "green", "sky", "pink", "orange", "purple")

#: The smallest and the largest square, and the most steps of a trial.
SMALLEST, LARGEST, STEPS = 3, 15, 1000

#: The entries that an order has beyond the steps of a trial.
SPARE = 2


@kernel
def make(s):
    """Draw different cells for the goals, none of them a start, and the order."""
    size, goals = s.level.map.shape[0], s.params.goals
    for y in range(size):
        for x in range(size):
            s.level.map[y, x] = FREE
    for k in range(goals):
        x, y = 0, size // 2
        while s.level.map[y, x] != FREE or (y == size // 2 and x < 2):
            cell = random.randint(s, size * size)
            x, y = cell % size, cell // size
        s.level.map[y, x] = GOAL + k
    for k in range(s.level.order.shape[0]):
        s.level.order[k] = random.randint(s, goals)


class GoalOrders(Generator):
    """Squares with goals and an order of them.

    Args:
        size: cells on a side.
        goals: number of goals.
        steps: the order has two letters more than this.
    """

    make = make

    def __init__(
        self,
        size: Annotated[int, Between(SMALLEST, LARGEST)] = 7,
        goals: Annotated[int, Between(2, len(LETTERS))] = 3,
        steps: Annotated[int, Between(1, STEPS)] = 51,
    ):
        self.define(
            level=[
                ("map", within(np.uint8, FREE, GOAL + goals - 1), (size, size)),  # FREE, or GOAL + its number
                ("order", below(np.int8, goals), (steps + SPARE,)),
            ],
            params={"goals": fixed(goals)},
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(level["size"], len(level["goals"]), max(1, len(level["order"]) - SPARE))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_goals(s.level, int(s.params.goals))

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_goals(s.level, level, int(s.params.goals), "goal_orders")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures.

        The difficulty is the mean number of cells from a goal of the order to the next one.
        """
        cells = np.array(level["goals"])[[LETTERS.index(letter) for letter in level["order"]]]
        way = np.abs(np.diff(cells, axis=0)).sum(axis=1).mean()
        return {"size": [level["size"]] * 2, "solvable": True, "difficulty": round(float(way), 4)}

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The square with its goals, above the order."""
        from envsuite.render.scene import Label, Polygon, Rect, Scene, grid
        from envsuite.render.theme import text_on

        size, order = level["size"], level["order"]
        cell = 8.0 / size
        scene = Scene(9, 10.4)
        scene.add(*grid(0.5, 0.5, size, size, cell))
        for k, (x, y) in enumerate(level["goals"]):
            left, top = 0.5 + (x + 0.1) * cell, 0.5 + (y + 0.1) * cell
            scene.add(Rect(left, top, 0.8 * cell, 0.8 * cell, COLORS[k], radius=0.12 * cell))
            scene.add(Label(left + 0.4 * cell, top + 0.4 * cell, LETTERS[k], 0.5 * cell, text_on(COLORS[k]), bold=True))
        for x in range(2):
            left, middle = 0.5 + (x + 0.3) * cell, 0.5 + (size // 2 + 0.5) * cell
            ends = [(left, middle - 0.2 * cell), (left, middle + 0.2 * cell), (left + 0.4 * cell, middle)]
            scene.add(Polygon(ends, "muted"))
        shown = order if len(order) <= 24 else f"{order[:23]}…"
        scene.add(Label(4.5, 9.5, " ".join(shown), 0.36, "muted"))
        return scene


def write_goals(part: Any, goals: int) -> dict[str, Any]:
    """A level's record as plain data."""
    cells = [np.argwhere(part.map == GOAL + k)[0, ::-1].tolist() for k in range(goals)]
    return {"size": len(part.map), "goals": cells, "order": "".join(LETTERS[k] for k in part.order)}


def read_goals(part: Any, level: Mapping[str, Any], count: int, name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    exact_parts(name, level, "goals", "order", optional=["kind", "size"])
    size = len(part.map)
    if level.get("size", size) != size:
        raise LevelError(f"{name}: the level has size={level['size']!r:.40}, not {size}")
    start, cells = size // 2 * size, []
    for x, y in read_numbers(
        level["goals"], f"{name}: the level's goals", (count, 2), 0, size - 1, whole=True
    ).tolist():
        cells.append(y * size + x)
    if len(set(cells)) < count or start in cells or start + 1 in cells:
        raise LevelError(f"{name}: the goals must lie in different cells, and none where an agent starts")
    part.map[:] = FREE
    part.map.flat[cells] = [GOAL + k for k in range(count)]
    part.order[:] = read_letters(level["order"], f"{name}: the level's order", part.order.shape, LETTERS[:count])
