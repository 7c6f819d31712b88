"""Trading: positions in assets whose prices follow hidden regimes, with paid queries, fees and price impact.

**Rules.** The returns of `assets` assets in `bars` bars are drawn at the start. In each bar, every trader goes through
the assets in order and chooses a position in each. Before a choice, it may query indicators of the asset, each once, at
most `queries` in a bar. When all traders have chosen, they trade, and the returns of the bar follow.

*Positions.* A position is the share of the trader's capital that is held in the asset, below 0 if sold short. The names
are `short 1`, `flat`, `long 1`, and with more `sizes` parts in between; with A assets, 1 is the share 1/A. Shares do
not drift: changes of the prices alone cause no trade.

*Costs.* For a change c of a position, a trader pays `fee` * |c|, and `impact` * c times the sum of all traders' changes
in the asset. So it is dear to trade with the others, and a trader that trades against them may earn.

*Indicators.* The first three are those of the last 20 returns.

| indicator | value |
|---|---|
| momentum | their mean |
| volatility | their standard deviation |
| autocorrelation | the sum of products of neighbors divided by the sum of their squares, cut at ±20 |
| analyst | the regime of the coming return: right with probability `accuracy`, otherwise one of the others |

*Prices.* `prices` is the model of the returns r. All e are independent standard normal numbers. Returns are cut at
±0.9.

| `prices` | returns |
|---|---|
| regimes | r' = c r + `sigma` e; c is `rho` in the regime trend, -`rho` in revert, 0 in noise |
| coin | `sigma` with probability `up`, otherwise -`sigma` |
| pairs | m + d/2 and m - d/2 for the two assets: m is `sigma` e, d the change of a spread |
| factors | prices change by the news of the bar times hidden numbers |

In regimes, every asset has its own regime, which stays with probability `stay` and otherwise changes to one of the two
others. The spread of pairs changes from x to (1 - `pull`) x + `sigma` e. In factors, the news are the changes of
`factors` factors (normal, deviation 0.1), and all traders know those of the coming bar. The hidden numbers are uniform
from -1.8 to 1.8, prices begin between 10 and 100, and 0.1 is the lowest price.

**Agents.** `trader_0` ... `trader_{traders-1}`.

**Observation.** Dict. It begins with 20 bars before the first one in which traders trade.

| part | space | content |
|---|---|---|
| left | Box (1,) int32 | bars left, the present one included |
| asset | Box (1,) int8 | the asset to choose a position in; `assets` when the trader waits for the others |
| returns | Box (20, assets) float64 | the last returns, newest first |
| price | Box (assets,) float64 | prices |
| position | Box (assets,) float64 | the trader's shares in the last bar |
| flow | Box (assets,) float64 | sum of all traders' changes of shares in the last bar |
| news | Box (factors,) float64 | news of the coming bar; 0 without them |
| queries | Box (1,) int8 | queries left in this bar |
| known | Box (4,) int8 | 1 for each indicator of the asset that was queried |
| readings | Box (4,) float64 | its value, 0 if not known; of the analyst 0 trend, 1 revert, 2 noise |
| score | Box (1,) float64 | sum of the rewards so far |
| model | Box (1,) int8 | 0 regimes, 1 coin, 2 pairs, 3 factors |
| rules | Box (11,) float64 | see below |

The rules are `rho`, `stay`, `sigma`, `accuracy`, `up`, `pull`, `fee`, `impact`, `query_cost`, `sizes`, and 1 if
`reward` is growth.

**Actions.** Discrete, with n = `sizes`. Without queries, there are only positions.

| action | name | legal |
|---|---|---|
| 0 .. n-1 | `short 1` ... `short 1/n`, as decimals | until the trader has chosen for all assets |
| n | `flat` | the same |
| n+1 .. 2n | `long 1/n` ... `long 1` | the same |
| 2n+1 .. 2n+4 | `query momentum`, `query volatility`, `query autocorrelation`, `query analyst` | see below |

A query is legal while the trader has queries left, if it has not made it for this asset. The analyst can only be asked
if there are regimes.

**Window.** The keys s, f and l choose `short 1`, `flat` and `long 1`; 1 to 4 query the indicators.

**Rewards.** At the end of a bar, the gain g: the sum of all positions times their returns, less the costs. With
`reward` "growth", it is the logarithm of 1 + g, or of 0.01 if that is less. A query costs `query_cost` at once.

**Ends.** Terminates after `bars` bars.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `prices` | regimes | or coin, pairs, factors |
| `traders` | 2 | number of traders, from 1 to 8 |
| `assets` | 1 | number of assets, from 1 to 9; 2 with pairs |
| `bars` | 50 | bars in which traders trade, from 1 to 900 |
| `sizes` | 1 | sizes of long and of short positions, from 1 to 20 |
| `queries` | 1 | queries in a bar, from 0 to 36 |
| `reward` | profit | or growth |
| `rho` | 0.5 | size of the autocorrelation in regimes, from 0 to 0.9 |
| `stay` | 0.95 | probability that a regime stays, from 0 to 1 |
| `sigma` | 0.01 | deviation of a return, from 0.0001 to 0.5 |
| `accuracy` | 0.8 | probability that the analyst is right, from 0 to 1 |
| `up` | 0.6 | probability of a gain in coin, from 0 to 1 |
| `pull` | 0.1 | part of the spread that is lost in a bar, from 0.01 to 1 |
| `factors` | 4 | number of factors, from 1 to 6 |
| `fee` | 0.0005 | cost of a change of a position, from 0 to 0.1 |
| `impact` | 0.0005 | how far the sum of changes moves the price that traders pay, from 0 to 0.1 |
| `query_cost` | 0.0001 | cost of a query, from 0 to 0.1 |

**Level.** ``{"returns": [[0.01], [-0.02], ...]}``: the returns of all assets (columns) in 20 + `bars` bars, from -0.9
to 0.9. Optional parts are `start`, the prices before them (100 each), `regimes` with a row for each return (0 trend, 1
revert, 2 noise, -1 none) and `news` with a row for each bar in which traders trade. Levels of
`envsuite generate market` fit.

**Known values.** Without costs, for positions 1 and -1:

- In a trend that stays, the sign of the last return earns `rho` s sqrt(2 / pi) a bar, with s = `sigma` / sqrt(1 -
  `rho`²): 0.16287 `sigma` for `rho` 0.2.
- In pairs, positions against the sign of the spread x earn `pull` s / 2 sqrt(2 / pi), where s is the deviation of x,
  `sigma` / sqrt(1 - (1 - `pull`)²).
- In coin, the growth is largest when the position times `sigma` is 2 `up` - 1. For `up` 0.6, this is 0.2, and the
  growth is 0.0201355 a bar (Kelly).

**Differences.** The market is our own. From QTNet:

- Bars have closing prices only, so `dual_thrust` uses these instead of opens, highs and lows.
- Rewards are gains or growth instead of Sharpe ratios, so that closed forms exist.
- Prices are drawn from models, because market data cannot be shipped; a level can hold data.

From AlphaQuanter:

- Queries give four numbers, because its data sources cannot be shipped.

From OdysseyArena's trading:

- Positions are shares of the capital, long or short, instead of whole stocks bought with cash.
- Prices change in the last bar too; there, the last choice earns nothing.
- There are 20 bars before the first one, whose news nobody sees.

**Source.** Xu et al., "Deep Reinforcement Learning for Quantitative Trading" (QTNet), 2023; Liu et al., "Adaptive
Quantitative Trading: An Imitative Deep Reinforcement Learning Approach", AAAI 2020; Deng and Wang, "AlphaQuanter: An
End-to-End Tool-Orchestrated Agentic Reinforcement Learning Framework for Stock Trading", 2025; Xu et al.,
"OdysseyArena", 2026, and its code, xufangzhi/Odyssey-Arena; Kelly, "A new interpretation of information rate", 1956.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.elementary import log
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.ranges import among, fixed, flag, within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Kernels, World
from envsuite.generators import market
from envsuite.registry import pettingzoo_forms
from envsuite.social.trading import pages, view

INDICATORS = ("momentum", "volatility", "autocorrelation", "analyst")
MOMENTUM, VOLATILITY, AUTOCORRELATION, ANALYST = range(4)

#: The returns that indicators look at, and the least part of the capital that is left.
WINDOW, LEAST = 20, 0.01


def fields(data: market.Market, traders: int, assets: int, bars: int, most: float) -> list[tuple]:
    """The record's own fields; `most` bounds scores."""
    rows, share, score = market.HISTORY + bars, within(np.float64, -1, 1), within(np.float64, -most, most)
    return [
        *data.fields,  # level: returns, regimes and news of each bar, and first prices
        ("prices", within(np.float64, 0, np.finfo(np.float64).max), (rows + 1, assets)),
        ("bar", within(np.int64, 0, bars)),  # number of bars that have ended
        ("asset", within(np.int64, 0, assets), (traders,)),  # that a trader chooses for next; `assets` when it waits
        ("asked", within(np.int64, 0, 4 * assets), (traders,)),  # queries in this bar
        ("known", flag(), (traders, 4)),  # indicators that were queried for the asset
        ("readings", within(np.float64, -20, 20), (traders, 4)),  # their values
        ("shares", share, (traders, assets)),  # positions in the last bar
        ("chosen", share, (traders, assets)),  # positions in this bar so far
        ("flow", within(np.float64, -2 * traders, 2 * traders), (assets,)),  # changes of shares in the last bar
        ("score", score, (traders,)),  # sum of the rewards
        # For pictures: shares in each bar, and scores before each bar and after the last one.
        ("held", within(np.float32, -1, 1), (bars, traders, assets)),
        ("scores", score, (bars + 1, traders)),
    ]


@kernel
def reset(s):
    traders, assets = s.shares.shape
    if s.level_given == 0:
        market.make(s)
    for i in range(assets):
        s.prices[0, i] = s.level.start[i]
        for t in range(s.level.returns.shape[0]):
            s.prices[t + 1, i] = s.prices[t, i] * (1.0 + s.level.returns[t, i])
        s.flow[i] = 0.0
    s.bar = 0
    for k in range(traders):
        s.score[k] = 0.0
        s.scores[0, k] = 0.0
        for i in range(assets):
            s.shares[k, i] = 0.0
            s.chosen[k, i] = 0.0
        begin_bar(s, k)
    for t in range(s.held.shape[0]):
        for k in range(traders):
            s.scores[t + 1, k] = 0.0
            for i in range(assets):
                s.held[t, k, i] = 0.0


@kernel
def begin_bar(s, k):
    s.asset[k] = 0
    s.asked[k] = 0
    forget(s, k)


@kernel
def forget(s, k):
    """Clear the readings of a trader's indicators, for the next asset."""
    for j in range(s.known.shape[1]):
        s.known[k, j] = 0
        s.readings[k, j] = 0.0


# Queries.


@kernel
def reading(s, k, indicator):
    """The value of an indicator for the asset that a trader chooses for."""
    i, now = s.asset[k], market.HISTORY + s.bar
    if indicator == ANALYST:
        regime = np.int64(s.level.regimes[now, i])
        if random.bernoulli(s, s.params.accuracy):
            return float(regime)
        return float((regime + 1 + random.randint(s, 2)) % 3)
    total, squares, products, earlier = 0.0, 0.0, 0.0, 0.0
    for t in range(now - WINDOW, now):
        total += s.level.returns[t, i]
        squares += s.level.returns[t, i] * s.level.returns[t, i]
        if t > now - WINDOW:
            products += s.level.returns[t, i] * s.level.returns[t - 1, i]
            earlier += s.level.returns[t - 1, i] * s.level.returns[t - 1, i]
    mean = total / WINDOW
    if indicator == MOMENTUM:
        return mean
    if indicator == VOLATILITY:
        return math.sqrt(max(0.0, squares / WINDOW - mean * mean))
    return min(max(products / earlier, -20.0), 20.0) if earlier > 0.0 else 0.0


# Steps.


@kernel
def step(s, actions, rewards):
    traders, assets = s.shares.shape
    waiting = 0
    for k in range(traders):
        if s.asset[k] < assets:
            act(s, k, actions[k], rewards)
        waiting += s.asset[k] == assets
    if waiting == traders:
        end_bar(s, rewards)
    for k in range(traders):
        s.score[k] += rewards[k]
        if waiting == traders:
            s.scores[s.bar, k] = s.score[k]


@kernel
def act(s, k, action, rewards):
    """A trader's query, or its choice of a position in an asset."""
    positions = 2 * s.params.sizes + 1
    if action >= positions:
        indicator = action - positions
        s.readings[k, indicator] = reading(s, k, indicator)
        s.known[k, indicator] = 1
        s.asked[k] += 1
        rewards[k] = -s.params.query_cost
    else:
        s.chosen[k, s.asset[k]] = (action - s.params.sizes) / float(s.params.sizes * s.shares.shape[1])
        s.asset[k] += 1
        forget(s, k)


@kernel
def end_bar(s, rewards):
    """All trade; the returns of the bar follow."""
    traders, assets = s.shares.shape
    for i in range(assets):
        s.flow[i] = 0.0
        for k in range(traders):
            s.flow[i] += s.chosen[k, i] - s.shares[k, i]
    for k in range(traders):
        gain = 0.0
        for i in range(assets):
            change = s.chosen[k, i] - s.shares[k, i]
            gain += s.chosen[k, i] * s.level.returns[market.HISTORY + s.bar, i]
            gain -= s.params.fee * abs(change) + s.params.impact * change * s.flow[i]
            s.shares[k, i] = s.chosen[k, i]
            s.held[s.bar, k, i] = s.shares[k, i]
        rewards[k] += log(max(1.0 + gain, LEAST)) if s.params.growth != 0 else gain
    s.bar += 1
    for k in range(traders):
        begin_bar(s, k)
        s.terminated[k] = s.bar == s.held.shape[0]


@kernel
def observe(s, agent, out):
    now, assets = market.HISTORY + s.bar, s.shares.shape[1]
    out.left[0] = s.held.shape[0] - s.bar
    out.asset[0] = s.asset[agent]
    for i in range(assets):
        for k in range(market.HISTORY):
            out.returns[k, i] = s.level.returns[now - 1 - k, i]
        out.price[i] = s.prices[now, i]
        out.position[i] = s.shares[agent, i]
        out.flow[i] = s.flow[i]
    for j in range(s.level.news.shape[1]):
        out.news[j] = s.level.news[s.bar, j] if s.bar < s.held.shape[0] else 0.0
    out.queries[0] = s.params.queries - s.asked[agent]
    for j in range(s.known.shape[1]):
        out.known[j] = s.known[agent, j]
        out.readings[j] = s.readings[agent, j]
    out.score[0] = s.score[agent]
    out.model[0] = s.params.model
    out.rules[0] = s.params.rho
    out.rules[1] = s.params.stay
    out.rules[2] = s.params.sigma
    out.rules[3] = s.params.accuracy
    out.rules[4] = s.params.up
    out.rules[5] = s.params.pull
    out.rules[6] = s.params.fee
    out.rules[7] = s.params.impact
    out.rules[8] = s.params.query_cost
    out.rules[9] = s.params.sizes
    out.rules[10] = s.params.growth


@kernel
def legal(s, agent, mask):
    i, positions = s.asset[agent], 2 * s.params.sizes + 1
    if i == s.shares.shape[1]:
        return
    for action in range(positions):
        mask[action] = 1
    if s.asked[agent] < s.params.queries:
        for j in range(mask.shape[0] - positions):
            there = j != ANALYST or s.level.regimes[market.HISTORY + s.bar, i] != market.NONE
            mask[positions + j] = there and s.known[agent, j] == 0


def positions(sizes: int) -> list[str]:
    """The names of the positions."""
    parts = [f"{k / sizes:.3g}" for k in range(1, sizes + 1)]
    return [*(f"short {part}" for part in reversed(parts)), "flat", *(f"long {part}" for part in parts)]


class Trading(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGE
    page_slots = pages.page_slots

    kind = ("markets",)
    verified = "closed forms of AR(1), Kelly and a pair's spread; a forward algorithm; the accounts in NumPy"
    variants = (
        dict(prices="factors", traders=2, assets=2, bars=5, sizes=2, queries=2, reward="growth"),
        dict(prices="pairs", traders=1, assets=2, bars=6, queries=0),
    )
    clickable = "(?!)"
    text = view.text
    scene = view.scene

    def __init__(
        self,
        prices: market.Model = "regimes",
        traders: Annotated[int, Between(1, 8)] = 2,
        assets: Annotated[int, Between(1, market.MOST_ASSETS)] = 1,
        bars: Annotated[int, Between(1, market.MOST_BARS)] = 50,
        sizes: Annotated[int, Between(1, 20)] = 1,
        queries: Annotated[int, Between(0, 36)] = 1,
        reward: Literal["profit", "growth"] = "profit",
        rho: Annotated[float, Between(0, 0.9)] = 0.5,
        stay: Annotated[float, Between(0, 1)] = 0.95,
        sigma: Annotated[float, Between(0.0001, 0.5)] = 0.01,
        accuracy: Annotated[float, Between(0, 1)] = 0.8,
        up: Annotated[float, Between(0, 1)] = 0.6,
        pull: Annotated[float, Between(0.01, 1)] = 0.1,
        factors: Annotated[int, Between(1, market.MOST_FACTORS)] = 4,
        fee: Annotated[float, Between(0, 0.1)] = 0.0005,
        impact: Annotated[float, Between(0, 0.1)] = 0.0005,
        query_cost: Annotated[float, Between(0, 0.1)] = 0.0001,
    ):
        if prices == "pairs" and assets != 2:
            raise ParameterError(f"Trading: prices='pairs' needs assets=2, not {assets}")
        if queries > 4 * assets:
            raise ParameterError(f"Trading: queries={queries} must be at most 4 for an asset, here {4 * assets}")
        data = market.Market(prices, assets, bars, factors, rho, stay, sigma, up, pull)
        names = positions(sizes)
        others = ["moving_average", "buy_and_hold"] * 4
        players = [("filter", "kelly", "spread", "least_squares")[market.MODELS.index(prices)], *others][:traders]
        self.shown = ",".join(f"trader_{k}={name}" for k, name in enumerate(players))
        trade = Tool("trade", "{position}", "Choose a position in the asset.", {"position": names})
        query = Tool("query", "query {indicator}", "Query an indicator of the asset.", {"indicator": INDICATORS})
        self.tools = ((trade, query) if queries else (trade,),) * traders
        self.keys = {"s": "short 1", "f": "flat", "l": "long 1"}
        if queries:
            self.keys |= {str(k + 1): f"query {name}" for k, name in enumerate(INDICATORS)}
        self.masked = queries > 0
        self.turns = "mixed" if queries and traders > 1 else "simultaneous"
        # A trader changes shares by at most 2 in all, and the flow is at most 2 for each trader.
        gain = market.CUT + 2 * (0.1 + 0.1 * 2 * traders)
        score = bars * (0.1 * queries + gain - log(LEAST))
        top = np.finfo(np.float64).max
        self.define(
            agents=[f"trader_{k}" for k in range(traders)],
            actions=list(names_of(self.tools[0])),
            observation=Dict(
                left=Box(0, bars, (1,), np.int32),
                asset=Box(0, assets, (1,), np.int8),
                returns=Box(-market.CUT, market.CUT, (market.HISTORY, assets), np.float64),
                price=Box(0, top, (assets,), np.float64),
                position=Box(-1, 1, (assets,), np.float64),
                flow=Box(-2.0 * traders, 2.0 * traders, (assets,), np.float64),
                news=Box(-market.NEWS, market.NEWS, (factors,), np.float64),
                queries=Box(0, queries, (1,), np.int8),
                known=Box(0, 1, (4,), np.int8),
                readings=Box(-20, 20, (4,), np.float64),
                score=Box(-score, score, (1,), np.float64),
                model=Box(0, market.FACTORS, (1,), np.int8),
                rules=Box(0, 20, (11,), np.float64),
            ),
            fields=fields(data, traders, assets, bars, score),
            params={
                **data.values,
                "sizes": fixed(sizes),
                "queries": fixed(queries),
                "growth": among(("profit", "growth"), reward),
                "accuracy": float(accuracy),
                "fee": float(fee),
                "impact": float(impact),
                "query_cost": float(query_cost),
            },
            reward_range=(log(LEAST) - gain, gain),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.params.model == market.PAIRS and len(s.level.start) != 2:
            return "pairs need two assets"
        if s.bar == len(s.held) and not s.terminated[0]:
            return "all bars are over"
        if (s.asset == s.shares.shape[1]).all():
            return "all traders wait"
        return "more queries than are allowed" if (s.asked > s.params.queries).any() else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        market.read_market(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return market.write_market(s.level)


env, raw_env, parallel_env = pettingzoo_forms(Trading)
