"""Markets: returns of assets, bar by bar, from one of four models.

All e are independent standard normal numbers, and returns are cut at ±0.9. The models:

- "regimes": r' = c r + `sigma` e, where c is `rho` in the regime trend, -`rho` in revert and 0 in noise. Every asset
  has its own regime, which stays with probability `stay` and otherwise changes to one of the two others.
- "coin": `sigma` with probability `up`, otherwise -`sigma`.
- "pairs": m + d/2 and m - d/2 for two assets, where m is `sigma` e and d the change of a spread, which goes from x to
  (1 - `pull`) x + `sigma` e.
- "factors": prices change by the news of the bar times hidden numbers. The news are the changes of `factors` factors
  (normal, deviation 0.1). The hidden numbers are uniform from -1.8 to 1.8, prices begin between 10 and 100, and 0.1 is
  the lowest price.

Before the first of `bars` bars, there are 20 others, so that indicators have a past.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import read_numbers
from envsuite.core.ranges import among, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Model = Literal["regimes", "coin", "pairs", "factors"]
MODELS = ("regimes", "coin", "pairs", "factors")
REGIMES, COIN, PAIRS, FACTORS = range(4)
TREND, REVERT, NOISE = range(3)
NONE = -1

#: The most assets, bars and factors.
MOST_ASSETS, MOST_BARS, MOST_FACTORS = 9, 900, 6

#: Bars before the first one, and the largest return.
HISTORY, CUT = 20, 0.9
#: OdysseyArena's numbers: bounds of the hidden numbers, deviation of the news, first prices, the lowest price.
LOADING, MOVE, CHEAPEST, DEAREST, FLOOR = 1.8, 0.1, 10.0, 100.0, 0.1
#: Bounds of news and of prices in levels; normal numbers from 53 bits are below 9.
NEWS, PRICE = 1.0, 1e6


@kernel
def cut(value):
    """A return, cut at the bounds."""
    return min(max(value, -CUT), CUT)


@large_kernel
def make(s):
    """Prices of the model."""
    rows, assets = s.level.returns.shape
    for i in range(assets):
        s.level.start[i] = 100.0
        for t in range(rows):
            s.level.regimes[t, i] = NONE
    fill(s.level.news, 0.0)
    if s.params.model == REGIMES:
        draw_regimes(s)
    elif s.params.model == COIN:
        for i in range(assets):
            for t in range(rows):
                s.level.returns[t, i] = s.params.sigma if random.bernoulli(s, s.params.up) else -s.params.sigma
    elif s.params.model == PAIRS:
        draw_pairs(s)
    else:
        draw_factors(s)


@kernel
def draw_regimes(s):
    """Returns whose mean hangs on the last one, by a hidden regime."""
    for i in range(s.level.returns.shape[1]):
        regime, last = random.randint(s, 3), 0.0
        for t in range(s.level.returns.shape[0]):
            if t > 0 and not random.bernoulli(s, s.params.stay):
                regime = (regime + 1 + random.randint(s, 2)) % 3
            last = cut(slope(regime, s.params.rho) * last + s.params.sigma * random.normal(s))
            s.level.regimes[t, i] = regime
            s.level.returns[t, i] = last


@kernel
def slope(regime, rho):
    """What part of a return the mean of the next one is, in a regime."""
    return rho if regime == TREND else -rho if regime == REVERT else 0.0


@kernel
def spread_deviation(sigma, pull):
    """The standard deviation of the spread of pairs in the long run."""
    return sigma / math.sqrt(1.0 - (1.0 - pull) * (1.0 - pull))


@kernel
def draw_pairs(s):
    """Returns of two assets whose spread is pulled back."""
    spread = spread_deviation(s.params.sigma, s.params.pull) * random.normal(s)
    for t in range(s.level.returns.shape[0]):
        both = s.params.sigma * random.normal(s)
        change = s.params.sigma * random.normal(s) - s.params.pull * spread
        spread += change
        s.level.returns[t, 0] = cut(both + 0.5 * change)
        s.level.returns[t, 1] = cut(both - 0.5 * change)


@kernel
def draw_factors(s):
    """News, then for each asset its hidden numbers and its prices. Before the first bar, nobody sees the news."""
    for t in range(s.level.news.shape[0]):
        for j in range(s.level.news.shape[1]):
            s.level.news[t, j] = MOVE * random.normal(s)
    for i in range(s.level.returns.shape[1]):
        for j in range(s.scratch.loading.shape[0]):
            s.scratch.loading[j] = LOADING * (2.0 * random.uniform(s) - 1.0)
        s.level.start[i] = CHEAPEST + (DEAREST - CHEAPEST) * random.uniform(s)
        price = s.level.start[i]
        for t in range(s.level.returns.shape[0]):
            change = 0.0
            for j in range(s.scratch.loading.shape[0]):
                change += s.scratch.loading[j] * (
                    s.level.news[t - HISTORY, j] if t >= HISTORY else MOVE * random.normal(s)
                )
            s.level.returns[t, i] = cut(max(price + change, FLOOR) / price - 1.0)
            price *= 1.0 + s.level.returns[t, i]
    fill(s.scratch.loading, 0.0)


class Market(Generator):
    """Returns of assets.

    Args:
        model: see above, as are `rho`, `stay`, `sigma`, `up` and `pull`.
        assets: number of assets; 2 for "pairs".
        bars: number of bars.
        factors: number of factors.
    """

    make = make

    def __init__(
        self,
        model: Model = "regimes",
        assets: Annotated[int, Between(1, MOST_ASSETS)] | None = None,
        bars: Annotated[int, Between(1, MOST_BARS)] = 50,
        factors: Annotated[int, Between(1, MOST_FACTORS)] = 4,
        rho: Annotated[float, Between(0, 0.9)] = 0.5,
        stay: Annotated[float, Between(0, 1)] = 0.95,
        sigma: Annotated[float, Between(0.0001, 0.5)] = 0.01,
        up: Annotated[float, Between(0, 1)] = 0.6,
        pull: Annotated[float, Between(0.01, 1)] = 0.1,
    ):
        assets = assets or (2 if model == "pairs" else 1)
        if model == "pairs" and assets != 2:
            raise ParameterError(f"market: model='pairs' needs assets=2, not {assets}")
        rows = HISTORY + bars
        self.define(
            level=[
                ("returns", within(np.float64, -CUT, CUT), (rows, assets)),
                ("regimes", within(np.int8, NONE, NOISE), (rows, assets)),  # of each return, or NONE
                ("news", within(np.float64, -NEWS, NEWS), (bars, factors)),  # of each bar
                ("start", within(np.float64, FLOOR, PRICE), (assets,)),  # prices before the first return
            ],
            params={
                "model": among(MODELS, model),
                "rho": float(rho),
                "stay": float(stay),
                "sigma": float(sigma),
                "up": float(up),
                "pull": float(pull),
            },
            scratch=[("loading", within(np.float64, -LOADING, LOADING), (factors,))],
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        factors = len(level["news"][0]) if "news" in level else 4
        return cls("regimes", len(level["returns"][0]), max(1, len(level["returns"]) - HISTORY), factors)

    def decode(self, s: Any) -> dict[str, Any]:
        return write_market(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_market(s.level, level, "market")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the "mean" and the "deviation" of the returns.

        The difficulty is the deviation in units of the mean's size, at most 1,000.
        """
        returns = np.array(level["returns"])[HISTORY:]
        mean, deviation = float(returns.mean()), float(returns.std())
        return {
            "size": [len(returns), returns.shape[1]],
            "solvable": True,
            "difficulty": round(min(1000.0, deviation / max(abs(mean), 1e-9)), 4),
            "mean": round(mean, 6),
            "deviation": round(deviation, 6),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The prices of all assets, as parts of the first ones."""
        from envsuite.kit import plots
        from envsuite.render.scene import Label, Scene
        from envsuite.render.theme import agent_color

        prices = np.cumprod(1.0 + np.array(level["returns"])[HISTORY:], axis=0).T.tolist()
        scene = Scene(16, 8.6)
        scene.add(Label(0.6, 0.8, f"prices in {len(prices[0])} bars", 0.6, align="left", bold=True))
        lines = [(row, agent_color(k), f"asset {k}" if len(prices) <= 4 else "") for k, row in enumerate(prices)]
        low, high = (round(f(f(row) for row in prices), 3) for f in (min, max))
        plots.curves(scene, (0.6, 1.5, 14.8, 6.4), "price / first price", lines, len(prices[0]), (low, high))
        return scene


def write_market(part: Any) -> dict[str, Any]:
    """A level's record as plain data; parts that say nothing are left out."""
    level = {"start": part.start.tolist(), "returns": part.returns.tolist()}
    if (part.regimes != NONE).any():
        level["regimes"] = part.regimes.tolist()
    if part.news.any():
        level["news"] = part.news.tolist()
    return level


def read_market(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    for given in level:
        if given not in ("returns", "start", "regimes", "news", "kind"):
            raise LevelError(f"{name}: unknown part {given!r} of a level")
    if "returns" not in level:
        raise LevelError(f"{name}: the level lacks 'returns'")
    (rows, assets), (bars, factors) = part.returns.shape, part.news.shape
    usual = {
        "start": [100.0] * assets,
        "news": [[0.0] * factors] * bars,
        "regimes": [[NONE] * assets] * rows,
    }
    bounds = {
        "returns": ((rows, assets), -CUT, CUT),
        "start": ((assets,), FLOOR, PRICE),
        "news": ((bars, factors), -NEWS, NEWS),
        "regimes": ((rows, assets), NONE, NOISE),
    }
    found = {
        what: read_numbers(level.get(what, usual.get(what)), f"{name}: {what!r}", *bounds[what]) for what in bounds
    }
    if (found["regimes"] != np.floor(found["regimes"])).any():
        raise LevelError(f"{name}: regimes are -1, 0, 1 or 2")
    for what, numbers in found.items():
        part[what][:] = numbers
