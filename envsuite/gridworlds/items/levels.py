"""Maps for Items: items of several colors and agents in different cells of a grid, drawn as in the world's episodes.

Items are at least two cells from the edge; agents are anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite import registry
from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_letters, write_letters
from envsuite.core.random import randint
from envsuite.core.ranges import within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: The letters of items by color, and those of agents; gold is `o`, because `g` is green.
ITEMS, AGENTS = "rgbops", "0123456789"

#: The code of a cell is the place of its letter.
LEGEND = "." + ITEMS + AGENTS
_FIRST_AGENT = 1 + len(ITEMS)

#: Rows and columns at each edge without items.
EDGE = 2


@large_kernel
def put(s, code, edge):
    """Put a code on one of the free cells at least `edge` from the edge; each has the same probability."""
    height, width = s.level.map.shape
    count = 0
    for y in range(edge, height - edge):
        for x in range(edge, width - edge):
            count += s.level.map[y, x] == 0
    if count == 0:
        return
    left = randint(s, count)
    for y in range(edge, height - edge):
        for x in range(edge, width - edge):
            if s.level.map[y, x] == 0:
                if left == 0:
                    s.level.map[y, x] = code
                    return
                left -= 1


@kernel
def make(s):
    """Items, then agents."""
    height, width = s.level.map.shape
    fill(s.level.map, 0)
    for color in range(s.params.colors):
        for _ in range(s.params.each):
            put(s, color + 1, EDGE)
    for agent in range(s.params.agents):
        put(s, _FIRST_AGENT + agent, 0)


@kernel
def change(s):
    """Exchange two cells that differ, in 1000 tries at most."""
    height, width = s.level.map.shape
    for _ in range(1000):
        y, x, j, i = randint(s, height), randint(s, width), randint(s, height), randint(s, width)
        code = s.level.map[y, x]
        if code != s.level.map[j, i]:
            s.level.map[y, x] = s.level.map[j, i]
            s.level.map[j, i] = code
            break


def found(rows: list[str]) -> list[int]:
    """Steps of each item to its nearest agent."""
    cells = [(y, x, letter) for y, row in enumerate(rows) for x, letter in enumerate(row)]
    agents = [(y, x) for y, x, letter in cells if letter in AGENTS]
    return [min(abs(y - j) + abs(x - i) for j, i in agents) for y, x, letter in cells if letter in ITEMS]


class Gatherings(Generator):
    """Maps of items and agents.

    Args:
        agents: how many there are.
        height, width: cells of the grid.
        each: items of each color.
        colors: how many there are, the first of red, green, blue, gold, purple and sky.
    """

    make = make
    change = change

    def __init__(
        self,
        agents: Annotated[int, Between(1, len(AGENTS))] = 2,
        height: Annotated[int, Between(5, 32)] = 8,
        width: Annotated[int, Between(5, 32)] = 8,
        each: Annotated[int, Between(1, 100)] = 3,
        colors: Annotated[int, Between(1, len(ITEMS))] = 3,
    ):
        inner = (height - 2 * EDGE) * (width - 2 * EDGE)
        if each * colors > inner or each * colors + agents > height * width:
            raise ParameterError(
                f"each={each} and colors={colors} make {each * colors} items; {inner} fit into the inner cells, "
                f"and {height * width} items and agents into {height} x {width} cells"
            )
        self.define(
            level=[("map", within(np.uint8, 0, len(LEGEND) - 1), (height, width))],
            params={"agents": agents, "each": each, "colors": colors},
        )

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": write_letters(s.level.map, LEGEND)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts("gatherings", level, {"kind", "map"})
        s.level.map[:] = read_letters(level["map"], "gatherings: the level's map", s.level.map.shape, LEGEND)
        letters = "".join(level["map"])
        digits = sorted(letter for letter in letters if letter in AGENTS)
        if not digits or digits != list(AGENTS[: len(digits)]):
            raise LevelError("gatherings: the level's map must have each of its agents once, from 0 on")
        if not set(letters) & set(ITEMS):
            raise LevelError("gatherings: the level's map has no item")

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Gatherings:
        return cls(1, len(level["map"]), len(level["map"][0]), 1, 1)

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the number of "items".

        Every map is solvable. Its difficulty is the mean number of steps from an item to the nearest agent.
        """
        ways = found(level["map"])
        size = [len(level["map"]), len(level["map"][0])]
        return {"size": size, "solvable": True, "difficulty": sum(ways) / len(ways), "items": len(ways)}

    def scene(self, level: Mapping[str, Any]) -> Scene:
        letters = "".join(level["map"])
        agents = sum(letter in AGENTS for letter in letters)
        params = {"agents": agents, "height": len(level["map"]), "width": len(level["map"][0])}
        world: Any = registry.build("envsuite/Items-v0", params | {"items": (1,) + (0,) * (len(ITEMS) - 1)})
        return world.layout(level)
