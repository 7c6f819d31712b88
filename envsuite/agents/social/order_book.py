"""Baselines of OrderBook: noise, schedules, a market maker, a sniper. A policy holds where its task is another one."""

from __future__ import annotations

import math

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import log
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import limited
from envsuite.social import order_book

ID = "envsuite/OrderBook-v0"

HOLD = 0

#: The lots to trade, -1 before they are known, and the steps for them.
SCHEDULE = {"lots": limited(-1, -1, 1000), "steps": limited(1, 1, 10000)}


@kernel
def has_quotes(mask):
    """Whether prices can be quoted: the task is values."""
    return mask.shape[0] > order_book.CANCEL_ALL + 1


@kernel
def limit_order(side, size, better):
    """The action of an order with this number of a size, `better` ticks (-2 to 2) better than the best price."""
    return 1 + side * order_book.LIMITS + size * order_book.BETTER.shape[0] + min(max(better, -2), 2) + 2


@kernel
def market_order(mask, side, lots):
    """The largest legal market order of at most this number of lots, or to hold."""
    for size in range(order_book.MARKETS - 1, -1, -1):
        action = order_book.FIRST_MARKET + side * order_book.MARKETS + size
        if order_book.SIZES[size] <= lots and mask[action] != 0:
            return action
    return HOLD


@kernel
def if_legal(mask, action):
    """An action if it is legal, else to hold."""
    return action if mask[action] != 0 else HOLD


@kernel
def largest_size(mask, side, lots, better):
    """The largest legal limit order of at most this number of lots, or to hold."""
    for size in range(order_book.SIZES.shape[0] - 1, -1, -1):
        action = limit_order(side, size, better)
        if order_book.SIZES[size] <= lots and mask[action] != 0:
            return action
    return HOLD


@policy(ID, "zero_intelligence", constrained=True, cancel=CHANCE.at(0.2))
def zero_intelligence(memory, observation, mask):
    """Orders of one lot at random prices near the best ones, and random cancellations. In values, quotes random prices,
    without a loss if `constrained`."""
    if has_quotes(mask):
        if observation.left[0] == 0:
            return HOLD
        worth, low, high = np.int64(observation.worth[0]), 1, order_book.TOP
        if memory.constrained:
            low, high = (1, worth) if observation.side[0] == 0 else (worth, order_book.TOP)
        return low + random.randint(memory, high - low + 1)
    if random.bernoulli(memory, memory.cancel):
        return if_legal(mask, order_book.CANCEL_OLDEST)
    side, better = random.randint(memory, 2), random.randint(memory, order_book.BETTER.shape[0]) - 2
    if observation.side[0] >= 0:
        side = np.int64(observation.side[0])
    return if_legal(mask, limit_order(side, 0, better))


@kernel
def scheduled(memory, observation):
    """The lots that should have been traded by now on an even schedule, less those traded; remembers the totals."""
    if memory.lots < 0:
        memory.lots = np.int64(observation.left[0])
        memory.steps = np.int64(observation.steps_left[0])
    gone = memory.steps - observation.steps_left[0] + 1
    due = (memory.lots * gone + memory.steps - 1) // memory.steps
    return due - (memory.lots - observation.left[0])


@policy(ID, "twap", variables=SCHEDULE)
def twap(memory, observation, mask):
    """In execution, trades at market in equal parts over the steps (time-weighted average price)."""
    if has_quotes(mask) or observation.side[0] < 0:
        return HOLD
    return market_order(mask, np.int64(observation.side[0]), scheduled(memory, observation))


@policy(ID, "patient", variables=SCHEDULE, slack=Between(0, 1000).at(6), better=Between(-2, 2).at(0))
def patient(memory, observation, mask):
    """In execution, rests at the best price, and trades at market what it is more than `slack` lots behind schedule."""
    if has_quotes(mask) or observation.side[0] < 0:
        return HOLD
    side, late = np.int64(observation.side[0]), scheduled(memory, observation)
    best = observation.bids[0, 0] if side == 0 else observation.asks[0, 0]
    resting = 0
    for k in range(observation.orders.shape[0]):
        if observation.orders[k, 2] > 0:
            resting += observation.orders[k, 2]
            if observation.orders[k, 1] != best:
                return order_book.CANCEL_OLDEST if k == 0 else order_book.CANCEL_ALL
    if late > memory.slack or observation.steps_left[0] * 10 < observation.left[0]:
        action = market_order(mask, side, late)
        return action if action != HOLD or resting == 0 else order_book.CANCEL_ALL
    return largest_size(mask, side, late + memory.slack - resting, memory.better)


@policy(ID, "sniper", spread=Between(0, 200).at(1), hurry=CHANCE.at(0.1), variables={"steps": limited(-1, -1, 10000)})
def sniper(memory, observation, mask):
    """Waits, and takes the best price of the other side once the spread is at most `spread`, or in the last part
    `hurry` of the time. In values, never at a loss."""
    if memory.steps < 0:
        memory.steps = np.int64(observation.steps_left[0])
    side = np.int64(observation.side[0])
    if side < 0 or observation.left[0] == 0:
        return HOLD
    bid, ask = np.int64(observation.bids[0, 0]), np.int64(observation.asks[0, 0])
    late = observation.steps_left[0] <= memory.hurry * memory.steps
    price = ask if side == 0 else bid
    if price < 0 or not (late or (bid >= 0 and ask >= 0 and ask - bid <= memory.spread)):
        return HOLD
    if has_quotes(mask):
        gains = price <= observation.worth[0] if side == 0 else price >= observation.worth[0]
        return if_legal(mask, price) if gains and price <= order_book.TOP else HOLD
    return market_order(mask, side, np.int64(observation.left[0]))


@policy(
    ID, "avellaneda_stoikov",
    gamma=Between(0.0001, 10).at(0.2), sigma=Between(0, 100).at(1.5), kappa=Between(0.01, 100).at(1.0),
    horizon=Between(1, 10000).at(1.0), trust=CHANCE.at(0.5),
)  # fmt: skip
def avellaneda_stoikov(memory, observation, mask):
    """In making, rests an order of one lot on each side of a price that moves against its inventory (Avellaneda and
    Stoikov): `gamma` is the aversion to risk, `sigma` the deviation of a step, `kappa` the decay of arrivals with the
    distance; the time left counts as at most `horizon` steps. The price is the mid price, with the weight `trust` the
    price to which the crowd returns."""
    if has_quotes(mask) or observation.side[0] >= 0:
        return HOLD
    risk = memory.gamma * memory.sigma * memory.sigma * min(float(observation.steps_left[0]), memory.horizon)
    half = 0.5 * risk + log(1.0 + memory.gamma / memory.kappa) / memory.gamma
    middle = (
        memory.trust * order_book.START + (1.0 - memory.trust) * observation.worth[0] - observation.inventory[0] * risk
    )
    wanted_bid, wanted_ask = np.int64(math.floor(middle - half)), np.int64(math.ceil(middle + half))
    bid, ask = np.int64(observation.bids[0, 0]), np.int64(observation.asks[0, 0])
    last = np.int64(observation.last[0])
    better_bid = wanted_bid - (bid if bid >= 0 else last - 1)
    better_ask = (ask if ask >= 0 else last + 1) - wanted_ask
    buys, sells = False, False
    for k in range(observation.orders.shape[0]):
        if observation.orders[k, 2] > 0:
            price = np.int64(observation.orders[k, 1])
            if abs(price - (wanted_bid if observation.orders[k, 0] == 0 else wanted_ask)) > 1:
                return order_book.CANCEL_OLDEST if k == 0 else order_book.CANCEL_ALL
            if observation.orders[k, 0] == 0:
                buys = True
            else:
                sells = True
    if not buys and (sells or better_bid >= better_ask) and better_bid >= -2:
        return if_legal(mask, limit_order(0, 0, better_bid))
    if not sells and better_ask >= -2:
        return if_legal(mask, limit_order(1, 0, better_ask))
    return HOLD
