"""Power: the demand of a grid day by day, the efficiencies of its sources, and two targets.

The demand is a base from 320 to 480 times 1 + a sin(2 pi d / 30 + phase) on day d, with a from 0.25 to 0.35, times a
random factor (mean 1, deviation 0.04). Each thermal efficiency has mean 1 and deviation 0.01, and is from 0.95 to 1.05.

Wind and solar power have a period of 15 to 25 days each. The pattern of a period is made of stretches of 2 to 5 days of
equal efficiency, a random walk with steps of deviation 0.02, and in one of 20 days a rise (mean 0.1, deviation 0.05).
It repeats with noise: a number of each period and one of each day, both of deviation 0.01. Efficiencies are from 0.6 to
1.05 for wind and from 0.65 to 1.1 for solar power.

The targets are a mean stability from 0.95 to 0.98 and a share of thermal energy from 0.66 to 0.72. The commands of the
day before the first are a mix of the sources for about the first demand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import sin_turns
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import read_numbers
from envsuite.core.ranges import within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: The most days; the ends of a demand; the largest efficiency.
DAYS, LOW, HIGH, BEST = 365, 1.0, 1000.0, 1.5

#: What thermal, wind and solar power can be commanded to give, and what a unit of the command costs.
CAPACITY, PRICES = np.array([600.0, 350.0, 250.0]), np.array([3.0, 5.0, 6.0])

#: What a unit of demand adds to the budget of a day.
BUDGET = 4.2

#: The shortest and the longest period of wind and solar power, and of demand.
SHORTEST, LONGEST, SEASON = 15, 25, 30

PARTS = ("demand", "thermal", "wind", "solar", "first", "targets")


@kernel
def between(s, low, high):
    """A number from one to another."""
    return low + (high - low) * random.uniform(s)


@large_kernel
def make(s):
    """Demand, efficiencies, targets, and the commands before the first day."""
    days = s.level.demand.shape[0]
    base, height, phase = between(s, 320.0, 480.0), between(s, 0.25, 0.35), random.uniform(s)
    for d in range(days):
        season = 1.0 + height * sin_turns((d % SEASON) / SEASON + phase)
        s.level.demand[d] = base * season * (1.0 + 0.04 * random.normal(s))
        s.level.thermal[d] = min(max(1.0 + 0.01 * random.normal(s), 0.95), 1.05)
    draw_weather(s, s.level.wind, 0.6, 1.05)
    draw_weather(s, s.level.solar, 0.65, 1.1)
    s.level.targets[0] = between(s, 0.95, 0.98)
    s.level.targets[1] = between(s, 0.66, 0.72)
    draw_first(s)


@large_kernel
def draw_weather(s, series, low, high):
    """The efficiencies of a source: a pattern that repeats with noise."""
    days, period = series.shape[0], SHORTEST + random.randint(s, LONGEST - SHORTEST + 1)
    value, left, walk = 0.0, 0, 0.0
    for d in range(min(days, period)):
        if left == 0:
            left = 2 + random.randint(s, 4)
            value = between(s, low + 0.05, high - 0.05)
        left -= 1
        walk += 0.02 * random.normal(s)
        rise = 0.1 + 0.05 * random.normal(s) if random.bernoulli(s, 0.05) else 0.0
        series[d] = min(max(value + walk + rise, low), high)
    for d in range(period, days):
        series[d] = series[d - period]
    shift = 0.0
    for d in range(days):
        if d % period == 0:
            shift = 0.01 * random.normal(s)
        series[d] = min(max(series[d] + shift + 0.01 * random.normal(s), low), high)


@kernel
def draw_first(s):
    """The commands before the first day."""
    s.level.first[0] = between(s, 0.55, 0.75)
    s.level.first[1] = between(s, 0.2, 0.4)
    s.level.first[2] = between(s, 0.15, 0.35)
    scale = s.level.demand[0] * between(s, 0.95, 1.05) / (s.level.first[0] + s.level.first[1] + s.level.first[2])
    for k in range(3):
        s.level.first[k] = min(s.level.first[k] * scale, CAPACITY[k])


class Power(Generator):
    """Days of a grid.

    Args:
        days: number of days.
    """

    make = make

    def __init__(self, days: Annotated[int, Between(2, DAYS)] = 120):
        efficiency = within(np.float64, 0, BEST)
        self.define(
            level=[
                ("demand", within(np.float64, LOW, HIGH), (days,)),  # energy of each day
                ("thermal", efficiency, (days,)),  # what a unit of the command gives on each day
                ("wind", efficiency, (days,)),
                ("solar", efficiency, (days,)),
                ("first", within(np.float64, 0, CAPACITY), (3,)),  # the commands of the day before
                ("targets", within(np.float64, 0, 1), (2,)),  # of the mean stability, and of the thermal share
            ],
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(len(level["demand"]))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_power(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_power(s.level, level, "power")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and "demand", the mean demand, and "share", the least thermal share.

        This is the least share that meets each demand within its budget without the battery. A level counts as
        solvable if it is below the target. The difficulty is the least share over the target.
        """
        share, target = least_share(level), level["targets"][1]
        return {
            "size": [len(level["demand"]), 1],
            "solvable": share < target,
            "difficulty": round(share / max(target, 1e-9), 4),
            "demand": round(float(np.mean(level["demand"])), 4),
            "share": round(share, 4),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """Curves of the demand and of the efficiencies."""
        from envsuite.kit import plots
        from envsuite.render.scene import Label, Scene

        demand, days = level["demand"], len(level["demand"])
        scene = Scene(16, 12.4)
        stability, share = level["targets"]
        title = f"{days} days · stability above {stability:.3f} · thermal share below {share:.3f}"
        scene.add(Label(0.6, 0.8, title, 0.5, align="left", bold=True))
        ends = 0.0, float(np.ceil(max(demand)))
        plots.curves(scene, (0.6, 1.5, 14.8, 4.8), "demand", [(demand, "ink", "")], days, ends)
        colors = {"wind": "blue", "solar": "gold", "thermal": "red"}
        lines = [(level[name], color, name) for name, color in colors.items()]
        values = [value for part in lines for value in part[0]]
        ends = round(min(values) - 0.05, 1), round(max(values) + 0.05, 1)
        plots.curves(scene, (0.6, 6.6, 14.8, 5.2), "efficiency", lines, days, ends)
        return scene


def least_share(level: Mapping[str, Any]) -> float:
    """The least thermal share that meets each demand exactly and keeps each budget, without the battery."""
    demand, used = level["demand"], 0.0
    for d, wanted in enumerate(demand):
        gives = [CAPACITY[k] * level[name][d] for k, name in enumerate(("thermal", "wind", "solar"))]
        costs = [PRICES[k] / max(level[name][d], 1e-9) for k, name in enumerate(("thermal", "wind", "solar"))]
        # From the mix without thermal power, exchange renewable energy for thermal energy, the dearest first.
        cheap, dear = sorted((1, 2), key=lambda k: costs[k])
        parts = [0.0, 0.0, 0.0]
        parts[cheap] = min(wanted, gives[cheap])
        parts[dear] = min(wanted - parts[cheap], gives[dear])
        parts[0] = wanted - parts[cheap] - parts[dear]
        for k in (dear, cheap):
            over = sum(part * cost for part, cost in zip(parts, costs)) - BUDGET * wanted
            if over > 0 and costs[k] > costs[0]:
                moved = min(parts[k], over / (costs[k] - costs[0]))
                parts[k], parts[0] = parts[k] - moved, parts[0] + moved
        used += parts[0]
    return float(used / sum(demand))


def write_power(part: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    return {name: part[name].tolist() for name in PARTS}


def read_power(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    for given in level:
        if given not in (*PARTS, "kind"):
            raise LevelError(f"{name}: unknown part {given!r} of a level")
    days, found = len(part.demand), {}
    bounds = {"demand": (days, LOW, HIGH), "first": (3, 0, CAPACITY.tolist()), "targets": (2, 0, 1)}
    for what in PARTS:
        if what not in level:
            raise LevelError(f"{name}: the level lacks {what!r}")
        size, low, high = bounds.get(what, (days, 0, BEST))
        found[what] = read_numbers(level[what], f"{name}: {what!r}", (size,), low, high)
    for what, numbers in found.items():
        part[what][:] = numbers
