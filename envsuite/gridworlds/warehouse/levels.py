"""Layouts for Warehouse: blocks of shelves between highways, with gaps, and goals at the lower edge.

The highways are RWARE's: every third column, a row between any two rows of blocks, the two lowest rows, and a way from
the blocks to the middle of the lower edge. All of them are connected, and every shelf stands beside one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite import registry
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import read_letters
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: What a cell is; OUTSIDE only beyond the edge of a layout.
OUTSIDE, HIGHWAY, PLACE, GOAL = range(4)
LETTERS = "#.xg"

#: The largest number of rows and columns of cells, and of goals.
LARGEST, MOST_GOALS = 64, 16


def sides(rows: int, columns: int, shelf_height: int) -> tuple[int, int]:
    """The rows and columns of cells of a layout with this number of blocks; `ParameterError` if it is too large."""
    height, width = (shelf_height + 1) * rows + 2, 3 * columns + 1
    if columns % 2 == 0:
        raise ParameterError(f"columns={columns} must be odd, so that a way to the goals is in the middle")
    if max(height, width) > LARGEST:
        raise ParameterError(
            f"rows={rows}, columns={columns} and shelf_height={shelf_height} make {height} x {width} cells; "
            f"at most {LARGEST} x {LARGEST} are allowed"
        )
    return height, width


def level_fields(height: int, width: int) -> list[tuple]:
    """The fields of a layout."""
    return [("ground", within(np.uint8, HIGHWAY, GOAL), (height, width))]


@kernel
def is_highway(y, x, height, width, block):
    """Whether a cell of RWARE's layout is a highway, where `block` is the height of a block and a row below it."""
    queue = y > height - block - 2 and width // 2 - 1 <= x <= width // 2
    return x % 3 == 0 or y % block == 0 or y == height - 1 or queue


@large_kernel
def lay_out(s, block):
    """RWARE's layout."""
    height, width = s.level.ground.shape
    for y in range(height):
        for x in range(width):
            s.level.ground[y, x] = HIGHWAY if is_highway(y, x, height, width, block) else PLACE
    s.level.ground[height - 1, width // 2 - 1] = GOAL
    s.level.ground[height - 1, width // 2] = GOAL


@large_kernel
def make(s):
    """RWARE's layout with gaps, and goals elsewhere at the lower edge."""
    height, width = s.level.ground.shape
    lay_out(s, s.params.block)
    for x in range(width):
        s.level.ground[height - 1, x] = HIGHWAY
    for y in range(height - 1):
        for x in range(width):
            if s.level.ground[y, x] == PLACE and bernoulli(s, s.params.gaps):
                s.level.ground[y, x] = HIGHWAY
    left = s.params.goals
    while left > 0:
        x = randint(s, width)
        if s.level.ground[height - 1, x] == HIGHWAY:
            s.level.ground[height - 1, x] = GOAL
            left -= 1


@kernel
def change(s):
    """A shelf more or less, or a goal moves."""
    height, width = s.level.ground.shape
    y, x = randint(s, height), randint(s, width)
    if y < height - 1:
        if not is_highway(y, x, height, width, s.params.block):
            s.level.ground[y, x] = HIGHWAY + PLACE - s.level.ground[y, x]
    elif s.level.ground[y, x] == GOAL:
        to = randint(s, width)
        if s.level.ground[y, to] == HIGHWAY:
            s.level.ground[y, x] = HIGHWAY
            s.level.ground[y, to] = GOAL


def read(rows: Any, height: int, width: int, what: str) -> np.ndarray:
    """The ground of a map of texts, (height, width) uint8; `LevelError` says what is wrong."""
    ground = read_letters(rows, f"{what}: the level's map", (height, width), LETTERS[1:]) + np.uint8(1)
    if not 1 <= (ground == GOAL).sum() <= MOST_GOALS:
        raise LevelError(f"{what}: the level's map must have 1 to {MOST_GOALS} goals g")
    return ground


def write(ground: np.ndarray) -> list[str]:
    """The map of a ground."""
    return ["".join(LETTERS[code] for code in row) for row in ground.tolist()]


class Depot(Generator):
    """Warehouses with gaps between their shelves.

    Args:
        rows, columns: blocks of shelves; the number of columns is odd.
        shelf_height: the shelves of a block from top to bottom.
        gaps: probability that a shelf is missing.
        goals: how many there are.
    """

    make = make
    change = change

    def __init__(
        self,
        rows: Annotated[int, Between(1, 12)] = 1,
        columns: Annotated[int, Between(3, 21)] = 3,
        shelf_height: Annotated[int, Between(1, 61)] = 8,
        gaps: Annotated[float, Between(0, 0.75)] = 0.2,
        goals: Annotated[int, Between(1, 4)] = 2,
    ):
        height, width = sides(rows, columns, shelf_height)
        self.define(
            level=level_fields(height, width),
            params={"gaps": float(gaps), "goals": goals, "block": shelf_height + 1},
        )

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": write(np.asarray(s.level.ground))}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.ground[:] = read(level["map"], len(s.level.ground), s.level.ground.shape[1], "depot")

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Depot:
        rows = level["map"]
        return cls(1, (len(rows[0]) - 1) // 3, len(rows) - 3)

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures; the difficulty is the mean way from a shelf to a goal, past all others in their places."""
        rows = level["map"]
        ground = read(rows, len(rows), len(rows[0]), "depot")
        found = ways(ground)[ground == PLACE]
        return {
            "size": ground.size,
            "solvable": bool((found > 0).all()),
            "difficulty": float(found.mean()) if len(found) else 0.0,
            "shelves": len(found),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        rows = level["map"]
        made = Depot.of(level).parameters
        world: Any = registry.build(
            "envsuite/Warehouse-v0", {k: made[k] for k in ("rows", "columns", "shelf_height")} | {"players": 1}
        )
        return world.layout(read(rows, len(rows), len(rows[0]), "depot"))


def ways(ground: np.ndarray) -> np.ndarray:
    """How many highway cells a robot with a shelf passes from each cell to the nearest goal, -1 where it cannot."""
    found = np.where(ground == GOAL, 0, -1)
    front = [tuple(cell) for cell in np.argwhere(ground == GOAL).tolist()]
    for y, x in front:  # the list grows during the loop
        for j, i in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if 0 <= j < len(ground) and 0 <= i < ground.shape[1] and found[j, i] < 0:
                found[j, i] = found[y, x] + 1
                if ground[j, i] != PLACE:
                    front.append((j, i))
    return found
