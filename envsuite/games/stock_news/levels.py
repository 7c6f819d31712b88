"""Stocks: first prices, the hidden loadings of stocks on factors, and daily news, which are changes of the factors.

First prices are uniform from 10 to 100, loadings from -1.8 to 1.8. News are normal with deviation 0.1, rounded to four
decimals. In a day, a price changes by the sum of its loadings times the day's news; 0.1 is the lowest price.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import read_numbers
from envsuite.core.ranges import within
from envsuite.core.record import as_views
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.generators.market import CHEAPEST, DEAREST, FLOOR, LOADING, MOVE, NEWS, PRICE

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: The most stocks, factors and days.
STOCKS, FACTORS, DAYS = 9, 6, 500

PARTS = ("prices", "loadings", "news")


@large_kernel
def make(s):
    """Random prices, loadings and news."""
    for i in range(s.level.prices.shape[0]):
        s.level.prices[i] = CHEAPEST + (DEAREST - CHEAPEST) * random.uniform(s)
        for j in range(s.level.loadings.shape[1]):
            s.level.loadings[i, j] = LOADING * (2.0 * random.uniform(s) - 1.0)
    for t in range(s.level.news.shape[0]):
        for j in range(s.level.news.shape[1]):
            move = math.floor(1e4 * MOVE * random.normal(s) + 0.5) / 1e4
            s.level.news[t, j] = min(max(move, -NEWS), NEWS)


@kernel
def next_price(level, stock, price, day):
    """The price of a stock on a day, after its price on the day before."""
    change = 0.0
    for j in range(level.loadings.shape[1]):
        change += level.loadings[stock, j] * level.news[day - 1, j]
    return max(price + change, FLOOR)


def price_path(level: Any, day: int) -> np.ndarray:
    """(day + 1, stocks) prices of a level's record from day 0 to this one."""
    path = [level.prices.tolist()]
    for t in range(1, day + 1):
        path.append([next_price(level, i, price, t) for i, price in enumerate(path[-1])])
    return np.array(path)


class Stocks(Generator):
    """A market of stocks.

    Args:
        stocks: number of stocks.
        factors: number of factors.
        days: number of days with news.
    """

    make = make

    def __init__(
        self,
        stocks: Annotated[int, Between(1, STOCKS)] = 5,
        factors: Annotated[int, Between(1, FACTORS)] = 4,
        days: Annotated[int, Between(1, DAYS)] = 120,
    ):
        self.define(
            level=[
                ("prices", within(np.float64, FLOOR, PRICE), (stocks,)),  # on day 0
                ("loadings", within(np.float64, -LOADING, LOADING), (stocks, factors)),
                ("news", within(np.float64, -NEWS, NEWS), (days, factors)),  # of day 1, 2, ...
            ]
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(len(level["prices"]), len(level["loadings"][0]), len(level["news"]))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_stocks(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_stocks(s.level, level, "stocks")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and "best", a bound of what capital can grow to, as a multiple of the first capital.

        The bound is reached, but for whole shares, by a player that knows the loadings. The difficulty is the number
        of factors.
        """
        path = self._path(level)
        return {
            "size": [len(level["prices"]), len(level["loadings"][0])],
            "solvable": True,
            "difficulty": len(level["loadings"][0]),
            "best": round(float(np.maximum(path[1:] / path[:-1], 1.0).max(1).prod()), 4),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The prices of all stocks, as parts of the first ones."""
        from envsuite.kit import plots
        from envsuite.render.scene import Label, Scene
        from envsuite.render.theme import agent_color

        path = self._path(level)
        parts = (path / path[0]).T.tolist()
        scene = Scene(16, 8.6)
        scene.add(Label(0.6, 0.8, f"prices on {len(path)} days", 0.6, align="left", bold=True))
        lines = [(row, agent_color(k), f"S{k}") for k, row in enumerate(parts)]
        ends = (round(min(map(min, parts)), 3), round(max(map(max, parts)), 3))
        plots.curves(scene, (0.6, 1.5, 14.8, 6.4), "price / first price", lines, len(path), ends)
        return scene

    def _path(self, level: Mapping[str, Any]) -> np.ndarray:
        """(days, stocks) prices; the last news come too late for them."""
        s = as_views(self.records(1))[0]
        self.encode(s, level)
        return price_path(s.level, len(level["news"]) - 1)


def write_stocks(part: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    return {name: part[name].tolist() for name in PARTS}


def read_stocks(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    for given in level:
        if given not in (*PARTS, "kind"):
            raise LevelError(f"{name}: unknown part {given!r} of a level")
    bounds = {"prices": (FLOOR, PRICE), "loadings": (-LOADING, LOADING), "news": (-NEWS, NEWS)}
    found = {}
    for what in PARTS:
        if what not in level:
            raise LevelError(f"{name}: the level lacks {what!r}")
        found[what] = read_numbers(level[what], f"{name}: {what!r}", part[what].shape, *bounds[what])
    for what, numbers in found.items():
        part[what][:] = numbers
