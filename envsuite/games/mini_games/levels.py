"""Bases for the economy of MiniGames: a center with fields and geysers around it, and perhaps a second place for one.

What belongs to the second base is the image of the first one, turned by half a circle. The first base is in the west
or in the east; a fair coin decides. Fields and geysers lie at random around the place of their center, on its side of
the field and at least sqrt(20) cells from both centers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite import registry
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import read_numbers
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: Cells of a side of the field and the side of a cell, fields and geysers of a base, and workers.
CELLS, CELL, FIELDS, GEYSERS, WORKERS = 16, 2.0, 8, 2, 12

#: The square of the least distance of a center from fields and geysers, in cells, and how much more `spread` adds.
NEAR, MARGIN, MORE = 20, 6, 60

_TRIES = 10_000


@kernel
def turned(cell):
    """The image of a cell."""
    return CELLS * CELLS - 1 - cell


@kernel
def gap(one, other):
    """The square of the distance of two cells."""
    across, down = one % CELLS - other % CELLS, one // CELLS - other // CELLS
    return across * across + down * down


@large_kernel
def is_free(s, cell, count):
    """Whether none of the first `count` fields and geysers of the first base is in a cell."""
    for k in range(count):
        if s.level.sources[k] == cell:
            return False
    return True


@large_kernel
def fits(s, cell, count):
    """Whether a field or geyser may be in a cell: free, in its half, and neither too near to a center nor too far."""
    center, half = np.int64(s.level.center), CELLS // 2
    if (cell % CELLS < half) != (center % CELLS < half) or not is_free(s, cell, count):
        return False
    far = gap(cell, center)
    return NEAR <= far <= NEAR + MARGIN + MORE * s.params.spread and gap(cell, turned(center)) >= NEAR


@kernel
def station(s):
    """The workers stand beside the center, on the side of the middle: four rows of three, 0.75 apart."""
    column, row = np.int64(s.level.center % CELLS), np.int64(s.level.center // CELLS)
    way = 1.0 if column < CELLS // 2 else -1.0
    for k in range(WORKERS):
        s.level.workers[k, 0] = CELL * (column + 0.5) + way * (3.5 + 0.75 * (k % 3))
        s.level.workers[k, 1] = CELL * (row + 0.5) + 0.75 * (k // 3 - 1.5)


@large_kernel
def make(s):
    """Draw the center, then its fields and geysers."""
    half, own = s.level.sources.shape[0] // s.params.bases, FIELDS + GEYSERS
    column, row = 4 + randint(s, 2), 6 + randint(s, 4)
    s.level.center = CELLS * row + (column if bernoulli(s, 0.5) else CELLS - 1 - column)
    for k in range(half):
        cell = randint(s, CELLS * CELLS)
        for _ in range(_TRIES):
            if fits(s, cell, k):
                break
            cell = randint(s, CELLS * CELLS)
        s.level.sources[k] = cell
    for k in range(half, s.level.sources.shape[0]):
        s.level.sources[k] = turned(np.int64(s.level.sources[k - own]))
    station(s)


@large_kernel
def change(s):
    """One field or geyser of the first base goes to another cell, and its image with it."""
    half, own = s.level.sources.shape[0] // s.params.bases, FIELDS + GEYSERS
    k = randint(s, half)
    for _ in range(_TRIES):
        cell = randint(s, CELLS * CELLS)
        if fits(s, cell, half):
            s.level.sources[k] = cell
            if half < s.level.sources.shape[0]:
                s.level.sources[k + own] = turned(cell)
            break


class Bases(Generator):
    """Bases around which workers gather.

    Args:
        bases: 1 with fields only, for BuildMarines; 2 with geysers, for CollectMineralsAndGas.
        spread: how much further away than need be fields and geysers may lie.
    """

    make = make
    change = change

    def __init__(self, bases: Annotated[int, Between(1, 2)] = 2, spread: Annotated[float, Between(0, 1)] = 0.0):
        count = 2 * (FIELDS + GEYSERS) if bases == 2 else FIELDS
        self.define(
            level=[
                ("center", below(np.int64, CELLS * CELLS)),
                ("sources", below(np.int64, CELLS * CELLS), (count,)),  # of a base, fields first
                ("workers", within(np.float64, 0.0, CELL * CELLS), (WORKERS, 2)),
            ],
            params={"bases": fixed(bases), "spread": float(spread)},
        )

    def decode(self, s: Any) -> dict[str, Any]:
        cells = [[cell % CELLS, cell // CELLS] for cell in np.asarray(s.level.sources).tolist()]
        own = FIELDS + GEYSERS
        return {
            "minerals": 50,
            "workers": np.asarray(s.level.workers).tolist(),
            "centers": [[int(s.level.center) % CELLS, int(s.level.center) // CELLS]],
            "fields": [cell for k, cell in enumerate(cells) if k % own < FIELDS],
            "geysers": [cell for k, cell in enumerate(cells) if k % own >= FIELDS],
        }

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        bases = int(s.params.bases)
        if unknown := sorted(set(level) - {"kind", "minerals", "workers", "centers", "fields", "geysers"}):
            raise LevelError(f"bases: the level has an unknown part {unknown[0]!r}")
        if level["minerals"] != 50:
            raise LevelError(f"bases: 'minerals' is {level['minerals']!r:.40}, not 50")
        fields, geysers = _cells(level, "fields", FIELDS * bases), _cells(level, "geysers", 2 * GEYSERS * (bases - 1))
        own = [fields[FIELDS * k :][:FIELDS] + geysers[GEYSERS * k :][:GEYSERS] for k in range(bases)]
        s.level.sources[:] = sum(own, [])
        s.level.center = _cells(level, "centers", 1)[0]
        s.level.workers[:] = read_numbers(level["workers"], "bases: workers", (WORKERS, 2), 0, CELL * CELLS)

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Bases:
        return cls(2 if len(level["geysers"]) else 1)

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the numbers of "fields" and "geysers".

        The difficulty is the mean distance of the fields of the first base from the center, in cells.
        """
        ((column, row),) = level["centers"]
        gaps = [((x - column) ** 2 + (y - row) ** 2) ** 0.5 for x, y in level["fields"][:FIELDS]]
        return {
            "size": [CELLS, CELLS],
            "solvable": True,
            "difficulty": round(sum(gaps) / len(gaps), 6),
            "fields": len(level["fields"]),
            "geysers": len(level["geysers"]),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        game = "CollectMineralsAndGas" if level["geysers"] else "BuildMarines"
        world: Any = registry.build("envsuite/MiniGames-v0", {"map": game})
        return world.layout(level)


def _cells(level: Mapping[str, Any], part: str, count: int) -> list[int]:
    """The numbers of the cells of a part of a level."""
    cells = level[part]
    if count == 0 and cells == []:
        return []
    numbers = read_numbers(cells, f"bases: {part}", (count, 2), 0, CELLS - 1)
    if numbers.dtype.kind not in "iu":
        raise LevelError(f"bases: {part} must be whole numbers")
    return [int(row) * CELLS + int(column) for column, row in numbers]
