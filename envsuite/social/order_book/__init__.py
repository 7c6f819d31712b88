"""Order book: traders and a random crowd trade one asset by limit and market orders with price-time priority.

**Rules.** Prices are integers (ticks) from 0 to 511. An order to buy trades with the cheapest order to sell, if that is
no dearer than its limit; an order to sell trades with the dearest order to buy, if that is no cheaper. Trades take
place at the price of the resting order; at equal prices the order that came first trades first. What is left of a limit
order rests in the book; what is left of a market order is dropped. A trader may trade with itself.

*Step.* The traders' actions are carried out in a random order. An action that has become illegal by then, because an
order of the trader has traded, does nothing. Then the crowd makes `flow` events.

*Crowd.* An event is an order to buy (40%) or to sell (40%), or removes a random order of the crowd (20%). The limit
price is the price of the last trade (256 at first), or 256 with probability `anchor`, plus 0 or ±1 (20% each), ±2 (10%
each), ±3 (5% each), ±4 or ±5 (2.5% each). The volume is 1, 2, 5, 10 or 20 lots (50%, 30%, 15%, 2.5%, 2.5%). Before the
first step, the crowd makes `warmup` events. With `opening` "auction", these are collected, and a call auction follows:
all trade at the lowest of the prices at which most lots can trade while all orders with better prices are filled.

*Tasks.*

| `task` | traders | reward of a step |
|---|---|---|
| making | may hold up to 100 lots, bought or sold short | change of wealth at the mid price, less a cost |
| execution | have to sell or to buy `lots` lots | gain against the mid price at the start |
| values | may buy or sell one unit | gain from the trade: the private value less the price, or the reverse |

In making, the cost is `aversion` times the squared inventory. In execution, traders with even numbers sell and the
others buy. In values, the first half of the traders buys; a unit is worth 150, 140, ... to them and 55, 65, ... to the
others, in the order of their numbers.

In execution, lots that are left after the last step trade as a market order, and where the book is too thin, 10 ticks
worse than the last price. In values, there is no crowd, and a new order replaces the trader's last one.

**Agents.** `trader_0` ... `trader_{traders-1}`.

**Observation.** Dict. A trader sees ten prices of each side, but not whose orders they are.

| part | space | content |
|---|---|---|
| steps_left | Box (1,) int32 | steps until the end |
| bids, asks | Box (10, 2) int32 | price and lots, from the best; -1 and 0 where there are fewer |
| last | Box (1,) int32 | the price of the last trade |
| trades | Box (5, 3) int32 | price, lots, side of the incoming order (0 buy, 1 sell), newest first; -1, 0, 0 for none |
| inventory | Box (1,) int32 | lots held; below 0 if sold short |
| cash | Box (1,) int32 | ticks received less ticks paid |
| orders | Box (8, 4) int32 | own orders, oldest first: side, price, lots, lots ahead of it; -1, -1, 0, 0 for none |
| side | Box (1,) int8 | 0 if the trader has to buy, 1 to sell, -1 if it may do both |
| left | Box (1,) int32 | lots that it still has to trade; 0 in making |
| worth | Box (1,) float64 | worth of a lot in the reward: the mid price, that at the start, or the private value |

**Actions.** Discrete. In values:

| action | name | legal |
|---|---|---|
| 0 | `hold` | always |
| 1 .. 200 | `quote 1` ... `quote 200` | until the trader has traded |

In making and execution, with the sizes 1, 5 and 10 and k from -2 to 2 in that order:

| action | name | legal |
|---|---|---|
| 0 | `hold` | always |
| 1 .. 15 | `buy 1 at bid-2` ... `buy 10 at bid+2` | fewer than 8 resting orders, and the size allowed |
| 16 .. 30 | `sell 1 at ask+2` ... `sell 10 at ask-2` | the same |
| 31 .. 33 | `buy 1 at market` ... | the size allowed |
| 34 .. 36 | `sell 1 at market` ... | the size allowed |
| 37, 38 | `cancel oldest`, `cancel all` | with resting orders |

A size is allowed in making if the inventory stays within 100 lots should all own orders of the side trade; in
execution, on the trader's side, if it does not exceed the lots left less those that rest. Without orders on a side, one
tick below (bid) or above (ask) the last price is taken for the best price.

**Window.** The keys b and s place one lot at the bid and at the ask, m and n buy and sell one lot at market, c cancels
all orders, space holds.

**Rewards.** See the tasks.

**Ends.** Terminates after `steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `task` | making | or execution, values |
| `traders` | 2 | number of traders, from 1 to 20 |
| `steps` | 200 | steps, from 1 to 10000 |
| `flow` | 4 | events of the crowd in a step, from 0 to 100; none in values |
| `warmup` | 50 | events of the crowd before the first step, from 0 to 1000; none in values |
| `opening` | continuous | or auction |
| `anchor` | 0.2 | probability that the crowd prices an order around 256 instead of the last price, from 0 to 1 |
| `lots` | 50 | lots to trade in execution, from 1 to 1000 |
| `aversion` | 0.01 | cost of a squared lot for a step in making, from 0 to 1 |

**Known values.** The crowd alone with `anchor` 0, means of 60 runs of 3000 events with MarS's own book:

| number | mean | standard error |
|---|---|---|
| spread in ticks | 1.689 | 0.011 |
| trades an event | 0.470 | 0.002 |
| lots an event | 0.741 | 0.004 |
| standard deviation of changes of the mid price | 0.640 | 0.011 |
| correlation of such a change with the one before | -0.084 | 0.005 |
| resting orders | 21.3 | 0.4 |
| events after which a side is empty | 4.5% | 0.2% |

Twenty traders with values (Gode and Sunder): the largest surplus is 275. Traders that quote random prices without a
loss reach 0.96 of it in 5.85 trades; without this constraint, all trade and 0.182 is reached.

**Differences.** From MarS:

- Prices are ticks in a window of 512. An order whose price is outside is dropped.
- The book holds at most 256 orders, 8 of a trader. Orders of the crowd that do not fit are dropped.
- MarS's noise agent cancels the orders that are nearest to a random price; this crowd cancels a random order.
- With `anchor`, prices return to 256. Without it, as in MarS, every trade moves all later prices, and none of the
  settings of `avellaneda_stoikov` that were tried earned anything.
- Ties between clearing prices are resolved by the lowest price; MarS takes the first in its set of prices.

From Gode and Sunder: quotes of others stay when two traders have traded, and all traders quote in each step.

**Source.** Li et al., "MarS: a Financial Market Simulation Engine", 2024, and its code, microsoft/MarS; Gode and
Sunder, "Allocative Efficiency of Markets with Zero-Intelligence Traders", 1993; Avellaneda and Stoikov, "High-frequency
trading in a limit order book", 2008.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import MANY, among, below, fixed, flag, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.social.order_book import book as ladder
from envsuite.social.order_book import pages, view
from envsuite.social.order_book.book import BUY, NONE, SELL

TICKS, CAPACITY = 512, 256
LARGE = np.iinfo(np.int32).max  # the most that an observation shows
START = TICKS // 2

#: The most resting orders of a trader, the most lots that it holds, and the levels and trades that it sees.
QUOTES, LIMIT, DEPTH, TRADES = 8, 100, 10, 5

#: The steps whose prices the picture shows.
MEMORY = 64

TASKS = ("making", "execution", "values")
MAKING, EXECUTION, VALUES = range(3)
OPENINGS = ("continuous", "auction")

#: The highest price that can be quoted in values; the first value and cost, and the step between traders.
TOP, VALUE, COST, GAP = 200, 150, 55, 10

#: How much worse than the last price the lots trade that the book cannot take.
PENALTY = 10

#: The crowd: probabilities of buying, selling and canceling, of distances from the last price, and of volumes.
KINDS = np.array([0.4, 0.4, 0.2])
OFFSETS = np.array([0.025, 0.025, 0.05, 0.1, 0.2, 0.2, 0.2, 0.1, 0.05, 0.025, 0.025])
VOLUMES = np.array([1, 2, 5, 10, 20])
WEIGHTS = np.array([0.5, 0.3, 0.15, 0.025, 0.025])

#: The sizes of traders' orders and how many ticks better than the best price they are.
SIZES = np.array([1, 5, 10])
BETTER = np.array([-2, -1, 0, 1, 2])
LIMITS, MARKETS = len(SIZES) * len(BETTER), len(SIZES)
FIRST_MARKET = 1 + 2 * LIMITS
CANCEL_OLDEST = FIRST_MARKET + 2 * MARKETS
CANCEL_ALL = CANCEL_OLDEST + 1


def names() -> list[str]:
    """The names of the actions in making and execution."""
    limits = [
        f"{verb} {size} at {best}{f'{sign * better:+d}' if better else ''}"
        for verb, best, sign in (("buy", "bid", 1), ("sell", "ask", -1))
        for size in SIZES
        for better in BETTER
    ]
    markets = [f"{verb} {size} at market" for verb in ("buy", "sell") for size in SIZES]
    return ["hold", *limits, *markets, "cancel oldest", "cancel all"]


def fields(traders: int) -> list[tuple]:
    """The record's own fields."""
    slot, price = within(np.int16, NONE, CAPACITY - 1), within(np.int64, NONE, TICKS)
    lots, mid = within(np.int64, -MANY, MANY), within(np.float64, 0, TICKS)
    trade = within(np.int32, -1, np.array([TICKS - 1, 1000, SELL]))
    return [
        ("book", ladder.book(TICKS, CAPACITY, traders, 20)),
        ("last", within(np.int64, 0, TICKS - 1)),  # price of the last trade
        ("inventory", within(np.int64, -1000, 1000), (traders,)),  # lots
        ("cash", lots, (traders,)),  # ticks
        ("resting", within(np.int64, 0, 20 * QUOTES), (traders, 2)),  # lots of own orders by side
        ("quotes", within(np.int64, 0, QUOTES), (traders,)),  # number of own orders
        ("own", slot, (traders, QUOTES)),  # own orders, oldest first
        ("crowd_size", within(np.int64, 0, CAPACITY)),  # number of orders of the crowd
        ("crowd", slot, (CAPACITY,)),  # they, in no order
        ("place", slot, (CAPACITY,)),  # where an order is in `crowd`
        ("worth", mid, (traders,)),  # of a lot in the reward
        ("wealth", within(np.float64, -MANY, MANY), (traders,)),  # cash and worth of the inventory after the last step
        ("order", below(np.int64, traders), (traders,)),  # in which traders acted
        ("depth", within(np.int32, -1, np.array([TICKS - 1, 20 * CAPACITY])), (2, DEPTH, 2)),  # best prices and lots
        ("trades", trade, (TRADES, 3)),  # the last ones
        ("traded", within(np.int64, 0, MANY), (2,)),  # number of trades and of lots so far
        ("events", within(np.int64, 0, MANY)),  # of the crowd so far
        ("history", price, (MEMORY, 3)),  # bid, ask and last price after step t, at t % MEMORY
        ("over", flag()),  # whether the last step has been made
    ]


@kernel
def reset(s):
    ladder.clear(s.book)
    s.last = START
    s.crowd_size = 0
    s.events = 0
    s.over = 0
    for part in range(2):
        s.traded[part] = 0
    fill(s.crowd, NONE)
    fill(s.place, NONE)
    for k in range(TRADES):
        s.trades[k, 0] = NONE
        s.trades[k, 1] = 0
        s.trades[k, 2] = 0
    for k in range(MEMORY):
        for part in range(3):
            s.history[k, part] = NONE
    for k in range(s.inventory.shape[0]):
        s.inventory[k] = 0
        s.cash[k] = 0
        s.wealth[k] = 0.0
        s.quotes[k] = 0
        s.order[k] = k
        for side in range(2):
            s.resting[k, side] = 0
        for number in range(QUOTES):
            s.own[k, number] = NONE
    if s.params.task != VALUES:
        for _ in range(s.params.warmup):
            crowd_event(s, s.params.auction != 0)
        if s.params.auction != 0:
            clear_auction(s)
    for k in range(s.inventory.shape[0]):
        s.worth[k] = private_value(s, k) if s.params.task == VALUES else mid_price(s)
    look(s)


@kernel
def private_value(s, k):
    """What a unit is worth to a trader in values."""
    buyers = s.inventory.shape[0] // 2
    return max(1, VALUE - GAP * k) if k < buyers else min(TOP, COST + GAP * (k - buyers))


@kernel
def side_of(s, k):
    """The side on which a trader has to trade, or NONE."""
    if s.params.task == MAKING:
        return NONE
    if s.params.task == VALUES:
        return BUY if k < s.inventory.shape[0] // 2 else SELL
    return SELL if k % 2 == 0 else BUY


@kernel
def lots_left(s, k):
    """The lots that a trader still has to trade."""
    return 0 if s.params.task == MAKING else s.params.lots - abs(s.inventory[k])


@kernel
def mid_price(s):
    """The mean of bid and ask, or the last price where a side is empty."""
    if ladder.is_empty(s.book, BUY) or ladder.is_empty(s.book, SELL):
        return float(s.last)
    return 0.5 * (s.book.best[BUY] + s.book.best[SELL])


@kernel
def look(s):
    """Write down what all traders see of the book, and the prices for the picture."""
    for side in range(2):
        ladder.levels(s.book, side, s.depth[side])
    k = s.t % MEMORY
    s.history[k, BUY] = s.book.best[BUY]
    s.history[k, SELL] = NONE if ladder.is_empty(s.book, SELL) else s.book.best[SELL]
    s.history[k, 2] = s.last


# Orders.


@kernel
def note_trade(s, side, price, volume):
    """Remember a trade of an incoming order of this side."""
    s.last = price
    s.traded[0] += 1
    s.traded[1] += volume
    for k in range(TRADES - 1, 0, -1):
        for part in range(3):
            s.trades[k, part] = s.trades[k - 1, part]
    s.trades[0, 0] = price
    s.trades[0, 1] = volume
    s.trades[0, 2] = side


@kernel
def settle(s, side, owner, price, volume):
    """Lots and ticks change hands, for one of the two owners of a trade; NONE is the crowd."""
    if owner != NONE:
        way = 1 if side == BUY else -1
        s.inventory[owner] += way * volume
        s.cash[owner] -= way * volume * price


@kernel
def take(s, slot, volume):
    """Take lots off a resting order, in the lists of orders too."""
    owner, side = np.int64(s.book.orders[slot].owner), np.int64(s.book.orders[slot].side)
    gone = ladder.reduce(s.book, slot, volume)
    if owner != NONE:
        s.resting[owner, side] -= volume
        if gone:
            strike(s, owner, slot)
    elif gone:
        s.crowd_size -= 1
        moved, place = np.int64(s.crowd[s.crowd_size]), np.int64(s.place[slot])
        s.crowd[place] = moved
        s.place[moved] = place
        s.crowd[s.crowd_size] = NONE
        s.place[slot] = NONE


@kernel
def strike(s, owner, slot):
    """Strike an order from the list of its owner."""
    s.quotes[owner] -= 1
    found = False
    for number in range(QUOTES - 1):
        found = found or s.own[owner, number] == slot
        if found:
            s.own[owner, number] = s.own[owner, number + 1]
    s.own[owner, QUOTES - 1] = NONE


@large_kernel
def submit(s, side, limit, volume, owner, rests):
    """Carry out an order: trade what crosses, and let the rest of it rest, or drop that."""
    left = volume
    slot = ladder.front(s.book, side, limit)
    while left > 0 and slot != NONE:
        price = np.int64(s.book.orders[slot].price)
        traded = min(left, np.int64(s.book.orders[slot].volume))
        settle(s, 1 - side, np.int64(s.book.orders[slot].owner), price, traded)
        settle(s, side, owner, price, traded)
        note_trade(s, side, price, traded)
        take(s, slot, traded)
        left -= traded
        slot = ladder.front(s.book, side, limit)
    if left > 0 and rests:
        enter(s, side, limit, left, owner)
    return left


@kernel
def enter(s, side, price, volume, owner):
    """Let an order rest, if there is room for it."""
    if owner == NONE:
        if s.crowd_size < CAPACITY - QUOTES * s.inventory.shape[0]:
            slot = ladder.rest(s.book, side, price, volume, NONE)
            s.crowd[s.crowd_size] = slot
            s.place[slot] = s.crowd_size
            s.crowd_size += 1
    else:
        s.own[owner, s.quotes[owner]] = ladder.rest(s.book, side, price, volume, owner)
        s.quotes[owner] += 1
        s.resting[owner, side] += volume


@kernel
def cancel(s, slot):
    """Remove a resting order."""
    take(s, slot, np.int64(s.book.orders[slot].volume))


@kernel
def crowd_event(s, collects):
    """An event of the crowd; with `collects`, orders rest although they cross."""
    kind = random.categorical(s, KINDS, 3)
    s.events += 1
    if kind > SELL:
        if s.crowd_size > 0:
            cancel(s, np.int64(s.crowd[random.randint(s, s.crowd_size)]))
        return
    base = START if random.bernoulli(s, s.params.anchor) else s.last
    price = base + random.categorical(s, OFFSETS, 11) - 5
    volume = VOLUMES[random.categorical(s, WEIGHTS, 5)]
    if 0 <= price < TICKS:
        if collects:
            enter(s, kind, price, volume, NONE)
        else:
            submit(s, kind, price, volume, NONE, True)


@kernel
def clear_auction(s):
    """All orders that cross trade at the clearing price."""
    price = ladder.clearing_price(s.book)
    while price != NONE and s.book.best[BUY] >= price and s.book.best[SELL] <= price:
        buy = np.int64(s.book.head[BUY, s.book.best[BUY]])
        sell = np.int64(s.book.head[SELL, s.book.best[SELL]])
        traded = min(np.int64(s.book.orders[buy].volume), np.int64(s.book.orders[sell].volume))
        note_trade(s, BUY, price, traded)
        take(s, buy, traded)
        take(s, sell, traded)


# Steps.


@kernel
def trade(s, k, action):
    """A trader's action in making and execution."""
    if action == CANCEL_OLDEST:
        cancel(s, np.int64(s.own[k, 0]))
    elif action == CANCEL_ALL:
        cancel_all(s, k)
    elif action >= FIRST_MARKET:
        side = (action - FIRST_MARKET) // MARKETS
        limit = TICKS - 1 if side == BUY else 0
        submit(s, side, limit, SIZES[(action - FIRST_MARKET) % MARKETS], k, False)
    elif action > 0:
        side, number = (action - 1) // LIMITS, (action - 1) % LIMITS
        better = BETTER[number % BETTER.shape[0]]
        if side == BUY:
            limit = better + (s.last - 1 if ladder.is_empty(s.book, BUY) else s.book.best[BUY])
        else:
            limit = (s.last + 1 if ladder.is_empty(s.book, SELL) else s.book.best[SELL]) - better
        submit(s, side, min(max(limit, 0), TICKS - 1), SIZES[number // BETTER.shape[0]], k, True)


@kernel
def cancel_all(s, k):
    while s.quotes[k] > 0:
        cancel(s, np.int64(s.own[k, 0]))


@kernel
def close(s, k):
    """After the last step of execution: what is left trades at market, and 10 ticks worse than the last price."""
    cancel_all(s, k)
    side, left = side_of(s, k), lots_left(s, k)
    left = submit(s, side, TICKS - 1 if side == BUY else 0, left, k, False)
    settle(s, side, k, s.last + PENALTY if side == BUY else s.last - PENALTY, left)


@kernel
def step(s, actions, rewards):
    traders = s.inventory.shape[0]
    random.shuffle(s, s.order, traders)
    for number in range(traders):
        k = s.order[number]
        if s.params.task != VALUES:
            # An earlier trader may have filled an order: then there may be nothing to cancel, or less to trade.
            if is_legal(s, k, actions[k]):
                trade(s, k, actions[k])
        elif actions[k] > 0 and lots_left(s, k) > 0:
            cancel_all(s, k)
            submit(s, side_of(s, k), actions[k], 1, k, True)
    if s.params.task != VALUES:
        for _ in range(s.params.flow):
            crowd_event(s, False)
    s.over = s.t >= s.params.steps
    if s.over != 0 and s.params.task == EXECUTION:
        for number in range(traders):
            close(s, s.order[number])
    for k in range(traders):
        reward(s, k, rewards)
        s.terminated[k] = s.over
    look(s)


@kernel
def reward(s, k, rewards):
    """The change of wealth, and in making the cost of the inventory."""
    if s.params.task == MAKING:
        s.worth[k] = mid_price(s)
    wealth = s.cash[k] + s.inventory[k] * s.worth[k]
    rewards[k] = wealth - s.wealth[k]
    s.wealth[k] = wealth
    if s.params.task == MAKING:
        rewards[k] -= s.params.aversion * s.inventory[k] * s.inventory[k]


@kernel
def allowed(s, k, side):
    """The most lots that a trader may order on a side."""
    if s.params.task == MAKING:
        return LIMIT - s.resting[k, side] - (s.inventory[k] if side == BUY else -s.inventory[k])
    return lots_left(s, k) - s.resting[k, side] if side == side_of(s, k) else 0


@kernel
def is_legal(s, k, action):
    """Whether an action of making or execution is legal now."""
    if action == 0:
        return True
    if action >= CANCEL_OLDEST:
        return s.quotes[k] > 0
    if action >= FIRST_MARKET:
        number = action - FIRST_MARKET
        return SIZES[number % MARKETS] <= allowed(s, k, number // MARKETS)
    side, size = (action - 1) // LIMITS, SIZES[(action - 1) % LIMITS // BETTER.shape[0]]
    return s.quotes[k] < QUOTES and size <= allowed(s, k, side)


@kernel
def observe(s, agent, out):
    out.steps_left[0] = max(s.params.steps - s.t, 0)
    for k in range(DEPTH):
        for part in range(2):
            out.bids[k, part] = s.depth[BUY, k, part]
            out.asks[k, part] = s.depth[SELL, k, part]
    out.last[0] = s.last
    for k in range(TRADES):
        for part in range(3):
            out.trades[k, part] = s.trades[k, part]
    out.inventory[0] = s.inventory[agent]
    out.cash[0] = min(max(s.cash[agent], -LARGE), LARGE)
    for number in range(QUOTES):
        slot = np.int64(s.own[agent, number])
        there = number < s.quotes[agent]
        out.orders[number, 0] = s.book.orders[slot].side if there else NONE
        out.orders[number, 1] = s.book.orders[slot].price if there else NONE
        out.orders[number, 2] = s.book.orders[slot].volume if there else 0
        out.orders[number, 3] = ladder.ahead_of(s.book, slot) if there else 0
    out.side[0] = side_of(s, agent)
    out.left[0] = lots_left(s, agent)
    out.worth[0] = s.worth[agent]


@kernel
def legal(s, agent, mask):
    mask[0] = 1
    if s.params.task == VALUES:
        waits = lots_left(s, agent) > 0
        for price in range(1, mask.shape[0]):
            mask[price] = waits
        return
    for side in range(2):
        most, room = allowed(s, agent, side), s.quotes[agent] < QUOTES
        for size in range(MARKETS):
            if SIZES[size] <= most:
                mask[FIRST_MARKET + side * MARKETS + size] = 1
                first = 1 + side * LIMITS + size * BETTER.shape[0]
                for k in range(first, first + BETTER.shape[0]):
                    mask[k] = room
    mask[CANCEL_OLDEST] = s.quotes[agent] > 0
    mask[CANCEL_ALL] = s.quotes[agent] > 0


class OrderBook(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGE
    page_slots = pages.page_slots

    kind = ("markets",)
    verified = "MarS's order book, event by event, and its statistics; sorted lists; Gode and Sunder's markets"
    variants = (
        dict(task="execution", traders=3, steps=12, lots=9, flow=3, warmup=30, opening="auction"),
        dict(task="values", traders=4, steps=8),
    )
    shown = "avellaneda_stoikov"
    clickable = "(?!)"
    text = view.text
    scene = view.scene

    def __init__(
        self,
        task: Literal["making", "execution", "values"] = "making",
        traders: Annotated[int, Between(1, 20)] = 2,
        steps: Annotated[int, Horizon(1, 10000)] = 200,
        flow: Annotated[int, Between(0, 100)] = 4,
        warmup: Annotated[int, Between(0, 1000)] = 50,
        opening: Literal["continuous", "auction"] = "continuous",
        anchor: Annotated[float, Between(0, 1)] = 0.2,
        lots: Annotated[int, Between(1, 1000)] = 50,
        aversion: Annotated[float, Between(0, 1)] = 0.01,
    ):
        number = TASKS.index(task)
        keys = {"b": "buy 1 at bid", "s": "sell 1 at ask", "m": "buy 1 at market", "n": "sell 1 at market"}
        if number != VALUES:
            self.keys = keys | {"c": "cancel all", "space": "hold"}
        most = 1 if number == VALUES else lots if number == EXECUTION else LIMIT
        # Each lot changes hands at a price of the window; a trader's orders of one step are at most 10 lots each.
        highest = float((2 * LIMIT + most + 20 * (QUOTES + 1)) * (TICKS + PENALTY)) + aversion * LIMIT**2

        def count(low: int, high: int, shape: tuple[int, ...] = (1,), dtype: Any = np.int32) -> Box:
            return Box(low, high, shape, dtype)

        self.define(
            agents=[f"trader_{k}" for k in range(traders)],
            actions=["hold", *(f"quote {k}" for k in range(1, TOP + 1))] if number == VALUES else names(),
            observation=Dict(
                steps_left=count(0, steps),
                bids=count(-1, LARGE, (DEPTH, 2)),
                asks=count(-1, LARGE, (DEPTH, 2)),
                last=count(0, TICKS - 1),
                trades=count(-1, 1000, (TRADES, 3)),
                inventory=count(-1000, 1000),
                cash=count(-LARGE, LARGE),
                orders=count(-1, LARGE, (QUOTES, 4)),
                side=count(NONE, SELL, dtype=np.int8),
                left=count(0, 1000),
                worth=Box(0, TICKS, (1,), np.float64),
            ),
            fields=fields(traders),
            params={
                "task": among(TASKS, task),
                "steps": fixed(steps),
                "flow": flow,
                "warmup": warmup,
                "anchor": float(anchor),
                "auction": among(OPENINGS, opening),
                "lots": 1 if number == VALUES else lots,
                "aversion": float(aversion),
            },
            reward_range=(-highest, highest),
        )

    def contradiction(self, s: Any) -> str | None:
        if problem := ladder.fault(s.book):
            return problem
        owners: dict[int, list[int]] = {k: s.own[k, : s.quotes[k]].tolist() for k in range(len(self.agents))}
        owners[NONE] = s.crowd[: s.crowd_size].tolist()
        for owner, slots in owners.items():
            held = [k for k in range(CAPACITY) if s.book.orders[k].volume > 0 and s.book.orders[k].owner == owner]
            if sorted(slots) != held:
                return f"the list of orders of {'the crowd' if owner == NONE else self.agents[owner]} is wrong"
            for side in range(2) if owner != NONE else ():
                lots = sum(s.book.orders[k].volume for k in slots if s.book.orders[k].side == side)
                if s.resting[owner, side] != lots:
                    return f"the resting lots of {self.agents[owner]} are {lots}"
        if [s.place[slot] for slot in owners[NONE]] != list(range(s.crowd_size)):
            return "places in the list of the crowd are wrong"
        if sorted(s.order.tolist()) != list(range(len(self.agents))):
            return "the order of the traders is no permutation"
        return None


env, raw_env, parallel_env = pettingzoo_forms(OrderBook)
