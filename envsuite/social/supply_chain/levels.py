"""Demand: what customers order in each week.

The patterns:

- "poisson": numbers of a Poisson distribution with the mean `mean`, at most 200.
- "step": 4 in the first four weeks, then 8. Nothing is random.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core.elementary import exp
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_numbers
from envsuite.core.random import uniform
from envsuite.core.ranges import fixed, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: The most weeks, the largest demand of a week and the largest mean.
WEEKS, MOST, MEAN = 200, 200, 100

#: The step: demand before it and after it, and the number of weeks before it.
LOW, HIGH, STEP_WEEK = 4, 8, 4


@kernel
def make(s):
    """The demand of every week."""
    for week in range(s.level.demand.shape[0]):
        if s.params.poisson == 0:
            s.level.demand[week] = LOW if week < STEP_WEEK else HIGH
        else:
            s.level.demand[week] = min(poisson(s, s.params.mean), MOST)


@kernel
def poisson(s, mean):
    """A number from the Poisson distribution with this mean, at most 100: uniform numbers are multiplied (Knuth)."""
    count, product, least = 0, uniform(s), exp(-mean)
    while product > least:
        count += 1
        product *= uniform(s)
    return count


class Demand(Generator):
    """Demand week by week.

    Args:
        pattern: see above.
        weeks: number of weeks.
        mean: mean demand of a week with "poisson".
    """

    make = make

    def __init__(
        self,
        pattern: Literal["poisson", "step"] = "poisson",
        weeks: Annotated[int, Between(1, WEEKS)] = 36,
        mean: Annotated[float, Between(0, MEAN)] = 8.0,
    ):
        self.define(
            level=[("demand", within(np.int64, 0, MOST), (weeks,))],  # units that customers order in each week
            params={"poisson": fixed(int(pattern == "poisson")), "mean": float(mean)},
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(weeks=len(level["demand"]))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_demand(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_demand(s.level, level, "demand")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the "mean" demand of a week.

        The difficulty is the mean change from a week to the next, in units.
        """
        demand = np.array(level["demand"])
        change = np.abs(np.diff(demand)).mean() if len(demand) > 1 else 0.0
        return {
            "size": [len(demand), 1],
            "solvable": True,
            "difficulty": round(float(change), 4),
            "mean": round(float(demand.mean()), 4),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """A bar for each week."""
        from envsuite.render.scene import Label, Line, Rect, Scene

        demand = level["demand"]
        most, across = max(1, *demand), 14.0 / len(demand)
        scene = Scene(16, 8.2)
        scene.add(Label(0.8, 0.8, f"demand of {len(demand)} weeks", 0.55, align="left", bold=True))
        scene.add(Label(1.1, 1.9, str(most), 0.4, "muted", "right"), Label(1.1, 7.3, "0", 0.4, "muted", "right"))
        for k, units in enumerate(demand):
            height = 5.4 * units / most
            scene.add(Rect(1.3 + (k + 0.1) * across, 7.3 - height, 0.8 * across, height, "blue"))
        scene.add(Line([(1.3, 7.3), (15.3, 7.3)], "line", 0.06))
        return scene


def write_demand(part: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    return {"demand": part.demand.tolist()}


def read_demand(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    exact_parts(name, level, "demand", optional=["kind"])
    what = f"{name}: the level's demand"
    part.demand[:] = read_numbers(level["demand"], what, part.demand.shape, 0, MOST, whole=True)
