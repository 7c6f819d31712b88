"""`MapGenerator`: levels that are maps of letters, ``{"map": [...]}``, as worlds of avatars read them; ways on maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from envsuite.core.kernel import kernel
from envsuite.core.levels import known_parts
from envsuite.generators.base import Generator
from envsuite.kit import avatars


@kernel
def exchange(s):
    """Exchange two inner cells."""
    avatars.exchange_cells(s, s.level.map)


class MapGenerator(Generator):
    """A generator whose record has the codes of a map, `level.map`; `legend` has their letters, first the wall's."""

    legend: ClassVar[str]
    #: Whether the map has no walls around it.
    torus = False

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": avatars.write_map(s.level.map, self.legend)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts(self.kind, level, {"kind", "map"})
        height, width = s.level.map.shape
        s.level.map[:] = avatars.read_map(level["map"], self.legend, height, width, self.kind, torus=self.torus)


def places(rows: Sequence[str], letters: str) -> list[tuple[int, int]]:
    """The cells (x, y) of a map with one of these letters, row by row."""
    return [(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter in letters]


def steps_from(cells: Iterable[tuple[int, int]], rows: Sequence[str], barred: str = "#") -> dict[tuple[int, int], int]:
    """The steps to each cell from the nearest of some; without cells that have no way past the letters in `barred`."""
    steps = dict.fromkeys(cells, 0)
    front = list(steps)
    for x, y in front:  # the list grows during the loop
        for i, j in ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)):
            if 0 <= j < len(rows) and 0 <= i < len(rows[j]) and rows[j][i] not in barred and (i, j) not in steps:
                steps[i, j] = steps[x, y] + 1
                front.append((i, j))
    return steps
