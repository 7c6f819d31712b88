"""Hidden tasks: a sequence of letters, or cities at points of the unit square.

Letters are independent and equally likely, and points are uniform.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_letters, read_numbers
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Task = Literal["sequence", "tsp"]
TASKS = ("sequence", "tsp")
SEQUENCE, TSP = range(2)

LETTERS = "ABCDEFGH"

#: The longest sequence, and the most letters and cities.
LONGEST, MOST = 100, len(LETTERS)


@kernel
def make(s):
    """Draw the letters, or the cities."""
    if s.params.task == SEQUENCE:
        for t in range(s.level.sequence.shape[0]):
            s.level.sequence[t] = random.randint(s, s.params.types)
    else:
        for k in range(s.level.points.shape[0]):
            s.level.points[k, 0] = random.uniform(s)
            s.level.points[k, 1] = random.uniform(s)


class HiddenTasks(Generator):
    """Sequences of letters, or cities.

    Args:
        task: "sequence" or "tsp", the traveling salesperson's problem.
        types: number of letters.
        length: letters of a sequence.
        cities: number of cities.
    """

    make = make

    def __init__(
        self,
        task: Task = "sequence",
        types: Annotated[int, Between(2, MOST)] = 3,
        length: Annotated[int, Between(1, LONGEST)] = 24,
        cities: Annotated[int, Between(3, MOST)] = 6,
    ):
        if task == "tsp":
            types = MOST  # there are no letters, so their number is no part of the level
        self.define(
            level=[
                ("sequence", below(np.int8, types), (length if task == "sequence" else 1,)),  # letters
                ("points", within(np.float64, 0, 1), (cities if task == "tsp" else 1, 2)),  # x and y of the cities
            ],
            params={"task": fixed(TASKS.index(task)), "types": fixed(types)},
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        if "cities" in level:
            return cls("tsp", cities=len(level["cities"]))
        return cls(
            "sequence", max(2, *(LETTERS.find(letter) + 1 for letter in level["sequence"])), len(level["sequence"])
        )

    def decode(self, s: Any) -> dict[str, Any]:
        return write_task(s.level, int(s.params.task))

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_task(s.level, level, int(s.params.task), int(s.params.types), "hidden_tasks")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures. The difficulty is the number of letters or cities."""
        size = len(level["cities"] if "cities" in level else level["sequence"])
        return {"size": [size, 1], "solvable": True, "difficulty": size}

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The letters in rows, or the cities on their square."""
        from envsuite.render.scene import Circle, Label, Rect, Scene

        if "cities" in level:
            scene = Scene(9, 9)
            scene.add(Rect(0.5, 0.5, 8, 8, "panel", radius=0.2))
            for letter, (x, y) in zip(LETTERS, level["cities"]):
                scene.add(Circle(0.9 + 7.2 * x, 8.1 - 7.2 * y, 0.36, "gold", "line", 0.04))
                scene.add(Label(0.9 + 7.2 * x, 8.1 - 7.2 * y, letter, 0.4, "black", bold=True))
            return scene
        sequence = level["sequence"]
        scene = Scene(13, 1.0 + 1.2 * -(-len(sequence) // 10))
        for t, letter in enumerate(sequence):
            x, y = 0.5 + 1.2 * (t % 10), 0.5 + 1.2 * (t // 10)
            scene.add(Rect(x, y, 1.0, 1.0, "panel", "line", radius=0.15))
            scene.add(Label(x + 0.5, y + 0.5, letter, 0.55, bold=True))
        return scene


def write_task(part: Any, task: int) -> dict[str, Any]:
    """A level's record as plain data."""
    if task == SEQUENCE:
        return {"sequence": "".join(LETTERS[k] for k in part.sequence.tolist())}
    return {"cities": part.points.tolist()}


def read_task(part: Any, level: Mapping[str, Any], task: int, types: int, name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    wanted = "sequence" if task == SEQUENCE else "cities"
    exact_parts(name, level, wanted, optional=["kind"])
    what = f"{name}: the level's {wanted}"
    if task == SEQUENCE:
        part.sequence[:] = read_letters(level[wanted], what, part.sequence.shape, LETTERS[:types])
    else:
        part.points[:] = read_numbers(level[wanted], what, part.points.shape, 0, 1)
