"""StockNews: trade stocks whose prices follow the news in a hidden but fixed way (OdysseyArena).

**Rules.** An agent begins with `cash` in cash and no stocks. Each day it sees the prices of `stocks` stocks and the
next day's news: by how much each of `factors` factors will change. Then it trades, without fees.

1. Sales come first, in the order of the stocks, then purchases, in the same order. Shares are whole.
2. The agent never sells more than it has. A purchase that costs more than the cash at that moment, or after which the
   agent has more than 10^9 shares of the stock, fails as a whole.
3. The next day begins. Each price changes by the sum of the factors' changes, each times the stock's hidden loading on
   the factor. The lowest price is 0.1. After the last day's trade, prices stay.

Loadings stay the same for the whole episode; every episode has new ones, uniform from -1.8 to 1.8. First prices are
uniform from 10 to 100. News are normal with deviation 0.1, rounded to four decimals. See
`envsuite.games.stock_news.levels`.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| left | Box (1,) int32 | days left to trade, the present one included |
| cash | Box (1,) float64 | cash |
| price | Box (stocks,) float64 | price of each stock |
| held | Box (stocks,) int64 | shares of each stock |
| traded | Box (stocks,) int64 | shares of each stock bought on the day before, or sold if negative |
| news | Box (factors,) float64 | changes of the factors on the next day; 0 after the last trade |

**Actions.** Discrete (3 + stocks), all of them always legal.

| action | name |
|---|---|
| 0 | `hold`: no trade |
| 1 | `sell all` |
| 2 | `equal parts`: put 1 / `stocks` of the capital in each stock |
| 3 + k | `all into Sk`: put the whole capital in this stock |

With `controls` "weights": Box (stocks,) float32 from 0 to 1, `S0`, `S1` ...: the part of the capital that each stock is
to have. If their sum is above 1, they are divided by it. Numbers of shares are rounded down, and further if the
cash does not cover a purchase.

With `controls` "orders": Box (stocks,) float32 from -10,000,000 to 10,000,000: shares to buy, or to sell if negative;
fractions are cut off.

**Window.** The keys 0 to 8 put everything into a stock, as does a click on its row; h holds, s sells all, e makes equal
parts.

**Rewards.** The change of the capital (cash and stocks) as a part of `cash`. The return is the gain: 0.5 is 50 %.

**Ends.** Terminates after `days` trades.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `stocks` | 5 | number of stocks, from 1 to 9 |
| `factors` | 4 | number of factors, from 1 to 6 |
| `days` | 120 | number of days, from 1 to 500 |
| `cash` | 50000.0 | cash at the start, from 100 to 1,000,000,000 |
| `controls` | "discrete" | "discrete", "weights" or "orders", see above |

**Level.** ``{"prices": [50.0, 20.0], "loadings": [[1.5], [-0.5]], "news": [[0.1], [-0.0723]]}``: first prices, the
loadings of each stock on each factor, and the news that each day shows. Those of the last day change nothing.

**Known values.** Only the loadings are unknown, and a day's price changes are linear in them. So `factors`
days with linearly independent news identify them, if no price is at its lowest. No play earns more than the product of
the days' best relative prices (new price / old price, at least 1) minus 1.

In OdysseyArena's 30 Lite tasks (5 to 9 stocks, 4 to 6 factors), played for 120 days in its environment, the gains are:

| player | mean | median |
|---|---|---|
| equal parts of all stocks, held (`holder`) | 0.06 % | 0.26 % |
| least squares after `factors` days, then all into the best relative rise (`regression`) | 193.7 % | 168.6 % |
| the same with known loadings | 207.4 % | 181.4 % |

Its README reports 92.6 % for people and 67.7 % for the best language model, Gemini 3 Pro.

**Differences.** From OdysseyArena:

- Its actions name stocks to buy and to sell in words, in any order. Here one number for each stock says the same, in
  the order of the stocks; no stock is both bought and sold on a day. The other two forms are our own.
- There, a negative number of shares to sell buys on credit, and a negative one to buy sells short. Both are mistakes,
  and impossible here.
- It has no limit of shares. Here, a limit keeps all numbers finite.
- Its reward is the capital, rounded to cents; here it is the change, so that the return is the gain.
- Its texts round prices and news to two decimals; its records have four decimals of the news, as here.
- Its files have 500 days, of which its harness plays 120, so that prices change after the last trade as well; the same
  is played here with `days` 121.
- Its 30 files have the news of two seeds for each number of factors; here, all are drawn for each episode.
- Its noise of prices is left out: it is 0 in all its files, and with 0 the loadings are found exactly.

**Source.** OdysseyArena (arXiv 2602.05843), code at github.com/xufangzhi/Odyssey-Arena, commit b9eb63d,
`TradeEnv/TradeEnv_v2.py` and `TradeEnv/MarketGenerator.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import copy, fill
from envsuite.core.kernel import kernel
from envsuite.core.ranges import among, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.games.stock_news import pages, view
from envsuite.games.stock_news.levels import DAYS, FACTORS, STOCKS, Stocks, make, next_price, read_stocks, write_stocks
from envsuite.generators.market import FLOOR, LOADING, NEWS, PRICE
from envsuite.registry import pettingzoo_forms

HOLD, SELL, EQUAL, INTO = range(4)
CONTROLS = ("discrete", "weights", "orders")
ORDERS = CONTROLS.index("orders")

#: The most shares of a stock, and of an order.
SHARES, ORDER = 10**9, 10**7

#: The most that a price changes in a day, the highest price, the most that capital changes in a day.
CHANGE = LOADING * NEWS * FACTORS
TOP = PRICE + DAYS * CHANGE
GAIN = STOCKS * SHARES * CHANGE

#: Bounds of the cash at the start, and the most capital.
POOREST, CASH = 100.0, 1e9
RICHEST = CASH + DAYS * GAIN


def fields(market: Stocks, stocks: int, days: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *market.fields,  # level: first prices, loadings and news
        ("day", within(np.int64, 0, days)),  # trades so far
        ("price", within(np.float64, FLOOR, TOP), (stocks,)),
        ("held", within(np.int64, 0, SHARES), (stocks,)),  # shares
        ("cash", within(np.float64, 0, RICHEST)),
        ("weight", within(np.float64, 0, 1), (stocks,)),  # target parts of the capital, only while they are used
        ("order", within(np.int64, -SHARES, SHARES), (stocks,)),  # shares bought on the day before, or sold if negative
        ("worth", within(np.float64, 0, RICHEST), (days + 1,)),  # capital on each day so far; 0 later
    ]


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    s.day = 0
    s.cash = s.params.cash
    copy(s.price, s.level.prices)
    fill(s.held, 0)
    fill(s.weight, 0.0)
    fill(s.order, 0)
    fill(s.worth, 0.0)
    s.worth[0] = s.cash


@kernel
def step(s, actions, rewards):
    action, stocks = actions[0], s.price.shape[0]
    for i in range(stocks):
        s.order[i] = 0
        s.weight[i] = 0.0
        if action == EQUAL:
            s.weight[i] = 1.0 / stocks
        elif action == INTO + i:
            s.weight[i] = 1.0
    if action != HOLD:
        aim(s)
    pass_day(s, rewards)


@kernel
def steer(s, controls, rewards):
    for i in range(s.price.shape[0]):
        number = np.float64(controls[0, i])
        if s.params.controls == ORDERS:
            s.order[i] = np.int64(number)
        else:
            s.weight[i] = number
    if s.params.controls != ORDERS:
        aim(s)
    pass_day(s, rewards)


@kernel
def capital(s):
    """Cash and the worth of all stocks."""
    total = 0.0
    for i in range(s.price.shape[0]):
        total += s.held[i] * s.price[i]
    return s.cash + total


@kernel
def affordable(cash, price):
    """How many shares cost no more than this."""
    count = math.floor(cash / price)  # rounding may make it one too many or too few
    while count * price > cash:
        count -= 1
    while (count + 1) * price <= cash:
        count += 1
    return np.int64(count)


@kernel
def aim(s):
    """Turn the weights into orders, none of which fails."""
    stocks, total, cash, value = s.price.shape[0], 0.0, s.cash, capital(s)
    for i in range(stocks):
        total += s.weight[i]
    for i in range(stocks):
        part = s.weight[i] / max(total, 1.0) * value
        s.order[i] = min(math.floor(part / s.price[i]), SHARES) - s.held[i]
        s.weight[i] = 0.0
        if s.order[i] < 0:
            cash += s.price[i] * -s.order[i]
    for i in range(stocks):
        if s.order[i] > 0:
            s.order[i] = min(s.order[i], affordable(cash, s.price[i]))
            cash -= s.price[i] * s.order[i]


@kernel
def trade(s):
    """Carry out the orders: all sales, then all purchases. What fails is taken off the orders."""
    for i in range(s.price.shape[0]):
        if s.order[i] < 0:
            s.order[i] = max(s.order[i], -s.held[i])
            s.held[i] += s.order[i]
            s.cash += s.price[i] * -s.order[i]
    for i in range(s.price.shape[0]):
        if s.order[i] > 0:
            cost = s.price[i] * s.order[i]
            if cost > s.cash or s.held[i] + s.order[i] > SHARES:
                s.order[i] = 0
            else:
                s.held[i] += s.order[i]
                s.cash -= cost


@kernel
def pass_day(s, rewards):
    """Trade; then the next day's news change the prices."""
    trade(s)
    last = s.day + 1 == s.level.news.shape[0]
    before = s.worth[s.day]
    s.day += 1
    if last:
        s.terminated[0] = 1
    else:
        for i in range(s.price.shape[0]):
            s.price[i] = next_price(s.level, i, s.price[i], s.day)
    s.worth[s.day] = capital(s)
    rewards[0] = (s.worth[s.day] - before) / s.params.cash


@kernel
def observe(s, agent, out):
    days = s.level.news.shape[0]
    out.left[0] = days - s.day
    out.cash[0] = s.cash
    for i in range(s.price.shape[0]):
        out.price[i] = s.price[i]
        out.held[i] = s.held[i]
        out.traded[i] = s.order[i]
    for j in range(s.level.news.shape[1]):
        out.news[j] = s.level.news[s.day, j] if s.day < days else 0.0


class StockNews(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    steer = steer
    masked = False
    kind = ("operations", "markets")
    verified = "OdysseyArena's environment in lock-step; exact bounds of the gain"
    variants = (
        dict(stocks=3, factors=2, days=30, controls="orders"),
        dict(stocks=2, factors=1, days=30, cash=1000.0, controls="weights"),
    )
    shown = "regression"
    clickable = "hold|sell all|equal parts|all into S."
    keys = {"h": "hold", "s": "sell all", "e": "equal parts"} | {str(k): f"all into S{k}" for k in range(STOCKS)}
    text = view.text
    scene = view.scene
    click = view.click
    player_page = pages.PAGE

    def __init__(
        self,
        stocks: Annotated[int, Between(1, STOCKS)] = 5,
        factors: Annotated[int, Between(1, FACTORS)] = 4,
        days: Annotated[int, Horizon(1, DAYS)] = 120,
        cash: Annotated[float, Between(POOREST, CASH)] = 50_000.0,
        controls: Literal["discrete", "weights", "orders"] = "discrete",
    ):
        names = [f"S{k}" for k in range(stocks)]
        market = Stocks(stocks, factors, days)
        low, high = (0, 1) if controls == "weights" else (-ORDER, ORDER)
        self.define(
            agents=["agent"],
            actions=["hold", "sell all", "equal parts", *(f"all into {name}" for name in names)]
            if controls == "discrete"
            else names,
            controls=None if controls == "discrete" else Box(low, high, (stocks,), np.float32),
            observation=Dict(
                left=Box(0, days, (1,), np.int32),
                cash=Box(0, RICHEST, (1,), np.float64),
                price=Box(FLOOR, TOP, (stocks,), np.float64),
                held=Box(0, SHARES, (stocks,), np.int64),
                traded=Box(-SHARES, SHARES, (stocks,), np.int64),
                news=Box(-NEWS, NEWS, (factors,), np.float64),
            ),
            fields=fields(market, stocks, days),
            params={**market.values, "cash": float(cash), "controls": among(CONTROLS, controls)},
            reward_range=(-GAIN / POOREST, GAIN / POOREST),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.day == len(s.level.news) and not s.terminated[0]:
            return "all days are over"
        return None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_stocks(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return write_stocks(s.level)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        stocks, factors = s.level.loadings.shape
        return {
            "traded": f"{stocks} stocks, {pages.span('S', stocks)}," if stocks > 1 else "a stock, S0,",
            "moved": f"each of {factors} factors, {pages.span('F', factors)}," if factors > 1 else "a factor, F0,",
            "many": stocks > 1,
            "named": not self.control_spaces,
            "floor": FLOOR,
            "shares": SHARES,
            "order": ORDER,
        }


env, raw_env, parallel_env = pettingzoo_forms(StockNews)
