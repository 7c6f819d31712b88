"""Supply chain: four firms order from each other with delays, each sees only its own books (the beer game).

**Rules.** Goods flow from the factory through distributor and wholesaler to the retailer, orders the other way. The
unit of time is the week.

*Beer game* (`rules="beer"`). A week has four parts.

1. Every firm receives the goods that were shipped to it two weeks ago.
2. Every firm gets the order that its customer placed two weeks ago. The retailer's customers order at once. What the
   factory ordered to be produced one week ago enters production, which takes two weeks.
3. Every firm ships what it owes, the backlog first, as far as its stock allows. The rest is its backlog.
4. Every firm pays `holding` for each unit in stock and `shortage` for each unit of backlog, and then places an order,
   all at once.

At the start, every firm has 12 units in stock, and 4 units are in each week of all delays. With `demand` "step",
customers order 4 units a week in weeks 1 to 4 and 8 units from week 5 on.

*or-gym* (`rules="orgym"`). The retailer, the wholesaler and the distributor order; the factory has unlimited material.
Orders take no time, goods take 3, 5 and 10 weeks. A week begins with the orders, all at once.

1. A supplier ships what was ordered and what it owes, up to its capacity (100, 90 and 80 units a week) and, except for
   the factory, up to its stock. It owes the rest.
2. The goods that arrive this week are received.
3. Customers order, and the retailer sells what it can. It owes the rest.
4. A firm earns a price for each unit sold, pays for each unit bought, and pays for each unit in stock and for each unit
   that it owes. Profits are discounted by 0.97 a week.

| firm | start | price | cost of a unit | owed | in stock |
|---|---|---|---|---|---|
| retailer | 100 | 2 | 1.5 | 0.1 | 0.15 |
| wholesaler | 100 | 1.5 | 1 | 0.075 | 0.1 |
| distributor | 200 | 1 | 0.75 | 0.05 | 0.05 |
| factory | | 0.75 | 0.5 | 0.025 | |

**Agents.** `retailer`, `wholesaler`, `distributor` and, in the beer game, `factory`.

**Observation.** Dict of int32 arrays: what a firm knows from its own books.

| part | space | content |
|---|---|---|
| week | Box (1,) | weeks that have ended |
| stock | Box (1,) | units in stock |
| backlog | Box (1,) | units that the firm owes its customer |
| incoming | Box (1,) | the last order that reached the firm |
| received | Box (1,) | units that arrived last |
| arriving | Box (2,) or (10,) | units under way that arrive after one week, two weeks, ... |
| on_order | Box (1,) | units ordered that have not arrived; some may not have been shipped yet |
| ordered | Box (1,) | the firm's last order; -1 at the start |
| cover | Box (1,) | weeks of demand until an order that is placed now can be sold |

**Actions.** Discrete.

| action | name | legal |
|---|---|---|
| k | `order k`, k from 0 to `largest`; with or-gym's rules to 100, 90 and 80 | always |

**Window.** The keys 0 to 9 order that many units. A click on the scale below the charts orders the amount there.

**Rewards.** With `team`, every agent gets the profit of all firms, the factory included; otherwise its own. In the beer
game, this is minus the costs that all firms or the agent pay in the week in which it orders.

**Ends.** Terminates after the last week.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rules` | beer | or orgym |
| `team` | True | whether agents get the profit of all firms, or their own |
| `demand` | None | step (beer game only) or poisson; None: step in the beer game, poisson with or-gym's rules |
| `mean` | None | mean demand of a week with poisson, from 0 to 100; None: 8, or 20 with or-gym's rules |
| `weeks` | None | weeks, from 1 to 200; None: 36, or 30 with or-gym's rules |
| `largest` | 15 | the largest order in the beer game, from 1 to 100 |
| `holding` | 0.5 | cost of a unit in stock for a week in the beer game, from 0 to 10 |
| `shortage` | 1.0 | cost of a unit of backlog for a week in the beer game, from 0 to 10 |

**Level.** ``{"demand": [4, 4, 4, 4, 8, 8, ...]}``: what customers order in each week, from 0 to 200. Levels
of `envsuite generate demand` fit.

**Known values.** Costs in the beer game, 36 weeks, demand "step":

| all firms | retailer | wholesaler | distributor | factory | sum |
|---|---|---|---|---|---|
| order 8 times `cover`, minus stock and units on order, plus backlog | 36 | 44 | 52 | 48 | 180 |
| order what was ordered from them | 330 | 242 | 154 | 66 | 792 |
| always order 4 | 1770 | 216 | 216 | 216 | 2418 |

180 is the least cost of any four levels of such a rule. Sterman's mean player costs 2254.7 if fractions of units can be
ordered; rounded to units, 2698 without a limit and 2350 with orders up to 15.

With or-gym's rules, all stocks, backlogs and profits are those of or-gym's own environment.

**Differences.** From Sterman's board:

- Weeks are counted so that a week's costs are paid before its order is placed. His optimum of 204 and the mean of 2028
  of his teams are counted otherwise.
- Orders are limited to `largest`.

From or-gym's `InvManagement-v1`:

- One agent decides for each firm. With `team`, the sum of profits is or-gym's reward.
- An agent sees what is under way to it and what it owes; or-gym shows stocks and all past orders.
- Only or-gym's default numbers can be played, apart from the demand and the number of weeks.

**Source.** Sterman, "Modeling Managerial Behavior: Misperceptions of Feedback in a Dynamic Decision Making
Experiment", Management Science 1989; Hubbs et al., "OR-Gym", 2020, and its code, hubbs5/or-gym, version 0.5.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.elementary import power
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.ranges import fixed, within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.social.supply_chain import pages, view
from envsuite.social.supply_chain.levels import MEAN, MOST, WEEKS, Demand, make, read_demand, write_demand

FIRMS = ("retailer", "wholesaler", "distributor", "factory")

#: The beer game: units in stock and in each week of a delay at the start, the weeks that goods take, and those that
#: orders take.
STOCK, FLOW = 12, 4
SHIPPING, MAIL, PRODUCTION_MAIL = 2, 2, 1

#: or-gym's numbers by firm; the last one is the factory.
START = np.array([100, 100, 200])
LEADS = np.array([3, 5, 10])
CAPACITY = np.array([100, 90, 80])
PRICE = np.array([2.0, 1.5, 1.0, 0.75])
COST = np.array([1.5, 1.0, 0.75, 0.5])
OWED = np.array([0.1, 0.075, 0.05, 0.025])
STORED = np.array([0.15, 0.1, 0.05, 0.0])
DISCOUNT = 0.97

NONE = -1


def fields(data: Demand, firms: int, weeks: int, depth: int, units: int, money: float) -> list[tuple]:
    """The record's own fields; `units` and `money` bound all amounts, `depth` is the longest delay of goods."""
    amount, balance = within(np.int64, 0, units), within(np.float64, -money, money)
    return [
        *data.fields,  # level: what customers order in each week
        ("week", within(np.int64, 0, weeks)),  # number of weeks that have ended
        ("stock", amount, (firms,)),
        ("backlog", amount, (firms + 1,)),  # owed by each firm, and by the source behind the last firm
        ("incoming", amount, (firms,)),  # the last order that reached each firm
        ("received", amount, (firms,)),  # units that arrived last
        ("ordered", within(np.int64, NONE, units), (firms,)),  # the last order of each firm, or NONE
        ("goods", amount, (firms, depth)),  # under way to each firm, by the weeks that they still take, less one
        ("mail", amount, (firms, MAIL)),  # orders under way from each firm, likewise
        ("profit", balance, (firms + 1,)),  # of each firm in the last week, and of the source
        ("totals", within(np.float64, -money * weeks, money * weeks), (firms + 1,)),  # of all weeks
        # Stock less backlog of each firm in each week, when it orders, and its order.
        ("history", within(np.int64, -units, units), (weeks, firms, 2)),
    ]


@kernel
def reset(s):
    firms, beer = s.stock.shape[0], s.params.orgym == 0
    s.week = 0
    if s.level_given == 0:
        make(s)
    for i in range(firms):
        s.stock[i] = STOCK if beer else START[i]
        s.incoming[i] = 0
        s.received[i] = 0
        s.ordered[i] = NONE
        for k in range(s.goods.shape[1]):
            s.goods[i, k] = FLOW if beer else 0
        for k in range(MAIL):
            s.mail[i, k] = FLOW if beer and k < mail_weeks(s, i) else 0
    for i in range(firms + 1):
        s.backlog[i] = 0
        s.profit[i] = 0.0
        s.totals[i] = 0.0
    for week in range(s.history.shape[0]):
        for i in range(firms):
            s.history[week, i, 0] = 0
            s.history[week, i, 1] = 0
    if beer:
        deliver(s)
    note_stocks(s)


@kernel
def mail_weeks(s, i):
    """The weeks that the orders of a firm take in the beer game."""
    return PRODUCTION_MAIL if i == s.stock.shape[0] - 1 else MAIL


@kernel
def note_stocks(s):
    """Write this week's stocks into the history."""
    for i in range(s.stock.shape[0]):
        s.history[s.week, i, 0] = s.stock[i] - s.backlog[i]


@kernel
def shift(lane):
    """Move everything under way on by a week; what arrives."""
    arrived = lane[0]
    for k in range(lane.shape[0] - 1):
        lane[k] = lane[k + 1]
    lane[lane.shape[0] - 1] = 0
    return arrived


@kernel
def deliver(s):
    """The first three parts of a week of the beer game: goods and orders arrive, and goods are shipped."""
    firms = s.stock.shape[0]
    for i in range(firms):
        s.received[i] = shift(s.goods[i])
        s.stock[i] += s.received[i]
    s.incoming[0] = s.level.demand[s.week]
    for i in range(1, firms):
        s.incoming[i] = shift(s.mail[i - 1])
    s.goods[firms - 1, SHIPPING - 1] = shift(s.mail[firms - 1])
    for i in range(firms):
        owed = s.backlog[i] + s.incoming[i]
        shipped = min(s.stock[i], owed)
        s.stock[i] -= shipped
        s.backlog[i] = owed - shipped
        if i > 0:
            s.goods[i - 1, SHIPPING - 1] = shipped


@kernel
def pay(s):
    """The costs of a week of the beer game."""
    for i in range(s.stock.shape[0]):
        s.profit[i] = -s.params.holding * s.stock[i] - s.params.shortage * s.backlog[i]


@kernel
def trade(s):
    """A week of or-gym after the orders: shipments, arrivals, sales, profits."""
    firms = s.stock.shape[0]
    discount = power(DISCOUNT, s.week)
    sold = 0  # by the firm whose turn it is in the loops
    s.incoming[0] = s.level.demand[s.week]
    for i in range(firms):
        s.received[i] = s.goods[i, 0]
    for i in range(firms):
        shift(s.goods[i])
        wanted = s.ordered[i] + s.backlog[i + 1]
        shipped = min(wanted, CAPACITY[i])
        if i + 1 < firms:
            s.incoming[i + 1] = s.ordered[i]
            shipped = min(shipped, s.stock[i + 1])
        s.backlog[i + 1] = wanted - shipped
        s.goods[i, LEADS[i] - 1] = shipped
        s.stock[i] += s.received[i] - sold
        if i == 0:
            owed = s.backlog[0] + s.incoming[0]
            sold = min(s.stock[0], owed)
            s.backlog[0] = owed - sold
            s.stock[0] -= sold
        s.profit[i] = discount * (PRICE[i] * sold - COST[i] * shipped - OWED[i] * s.backlog[i] - STORED[i] * s.stock[i])
        sold = shipped
    margin = PRICE[firms] - COST[firms]
    s.profit[firms] = discount * (margin * sold - OWED[firms] * s.backlog[firms])


@kernel
def step(s, actions, rewards):
    firms = s.stock.shape[0]
    for i in range(firms):
        s.ordered[i] = actions[i]
        s.history[s.week, i, 1] = actions[i]
        if s.params.orgym == 0:
            s.mail[i, mail_weeks(s, i) - 1] = actions[i]
    if s.params.orgym == 0:
        pay(s)
    else:
        trade(s)
    total = 0.0
    for i in range(firms + 1):
        s.totals[i] += s.profit[i]
        total += s.profit[i]
    for i in range(firms):
        rewards[i] = total if s.params.team != 0 else s.profit[i]
    s.week += 1
    if s.week == s.level.demand.shape[0]:
        fill(s.terminated, 1)
    else:
        if s.params.orgym == 0:
            deliver(s)
        note_stocks(s)


@kernel
def on_order(s, i):
    """Units that a firm has ordered and not received."""
    total = s.backlog[i + 1]
    for k in range(s.goods.shape[1]):
        total += s.goods[i, k]
    for k in range(MAIL):
        total += s.mail[i, k]
    return total


@kernel
def cover(s, i):
    """The weeks of demand until an order that is placed now can be sold: without this week's in the beer game."""
    return SHIPPING + mail_weeks(s, i) if s.params.orgym == 0 else LEADS[i] + 1


@kernel
def observe(s, agent, out):
    out.week[0] = s.week
    out.stock[0] = s.stock[agent]
    out.backlog[0] = s.backlog[agent]
    out.incoming[0] = s.incoming[agent]
    out.received[0] = s.received[agent]
    for k in range(s.goods.shape[1]):
        out.arriving[k] = s.goods[agent, k]
    out.on_order[0] = on_order(s, agent)
    out.ordered[0] = s.ordered[agent]
    out.cover[0] = cover(s, agent)


@kernel
def legal(s, agent, mask):
    for k in range(s.params.limits[agent] + 1):
        mask[k] = 1


class SupplyChain(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGE
    masked = False
    kind = ("markets", "operations")
    verified = "or-gym 0.5.0, week by week; costs of base-stock rules in the beer game, with the least by enumeration"
    variants = (dict(rules="orgym", weeks=12), dict(team=False, demand="poisson", weeks=10, largest=30))
    shown = "sterman"
    keys = {str(k): f"order {k}" for k in range(10)}
    clickable = r"order \d+"
    text = view.text
    click = view.click
    scene = view.scene

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        before = min(agent, len(LEADS) - 1)
        return {
            "own": self.agents[agent],
            "price": float(PRICE[agent]),
            "unit_cost": float(COST[agent]),
            "stored": float(STORED[agent]),
            "owed": float(OWED[agent]),
            "prices": PRICE.tolist(),
            "costs": COST.tolist(),
            "debts": OWED.tolist(),
            "stores": STORED[:-1].tolist(),
            "discount": DISCOUNT,
            "shipping": SHIPPING,
            "mail": MAIL,
            "production": PRODUCTION_MAIL,
            "stock": STOCK,
            "flow": FLOW,
            "capacity": int(CAPACITY[before]),
            "lead": int(LEADS[before]),
            "first_stock": int(START[before]),
            "length": len(s.level.demand),
        }

    def __init__(
        self,
        rules: Literal["beer", "orgym"] = "beer",
        team: bool = True,
        demand: Literal["step", "poisson"] | None = None,
        mean: Annotated[float, Between(0, MEAN)] | None = None,
        weeks: Annotated[int | None, Horizon(1, WEEKS)] = None,
        largest: Annotated[int, Between(1, 100)] = 15,
        holding: Annotated[float, Between(0, 10)] = 0.5,
        shortage: Annotated[float, Between(0, 10)] = 1.0,
    ):
        orgym = rules == "orgym"
        if orgym and demand == "step":
            raise ParameterError("SupplyChain: demand='step' is for the beer game; with rules='orgym' it is poisson")
        poisson = orgym or demand == "poisson"
        weeks = weeks or (30 if orgym else 36)
        mean = float((20 if orgym else 8) if mean is None else mean)
        data = Demand("poisson" if poisson else "step", weeks, mean)
        names = FIRMS[:3] if orgym else FIRMS
        limits = CAPACITY.tolist() if orgym else [largest] * len(names)
        self.utility = "identical" if team else "general"
        self.chance = poisson
        if not orgym:
            self.keys = {key: name for key, name in self.keys.items() if int(key) <= largest}
        self.tools = tuple(
            (Tool("order", "order {units}", "Order units from your supplier.", {"units": range(limit + 1)}),)
            for limit in limits
        )
        depth = int(LEADS.max()) if orgym else SHIPPING
        # No firm holds or owes more than all that can be ordered, besides what there is at the start.
        units = 300 + (weeks + depth) * max(MOST, *limits)
        money = 10.0 * units * (len(names) + 1)  # with the largest costs

        def count(low: int = 0, length: int = 1) -> Box:
            return Box(low, units, (length,), np.int32)

        single = ("week", "stock", "backlog", "incoming", "received", "on_order", "cover")
        parts: dict[str, Any] = {name: count() for name in single} | {
            "arriving": count(length=depth),
            "ordered": count(NONE),
        }
        self.define(
            agents=names,
            actions={name: names_of(tools) for name, tools in zip(names, self.tools)},
            observation=Dict(parts),
            fields=fields(data, len(names), weeks, depth, units, money),
            params={
                "orgym": fixed(int(orgym)),
                "team": fixed(int(team)),
                **data.values,
                "limits": fixed(limits),
                "holding": float(holding),
                "shortage": float(shortage),
            },
            reward_range=(-money, money if orgym else 0.0),
        )

    def contradiction(self, s: Any) -> str | None:
        return "all weeks are over" if s.week == len(s.level.demand) and not s.terminated[0] else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_demand(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return write_demand(s.level)


env, raw_env, parallel_env = pettingzoo_forms(SupplyChain)
