"""The market of NeuralMMO: listings in bags, purchases, gold.

The kernels here run where the record has the fields of `fields`, and do nothing elsewhere.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import shuffle
from envsuite.core.ranges import MANY, below, within
from envsuite.gridworlds.neural_mmo import items, tasks
from envsuite.gridworlds.neural_mmo.items import BAG, BUY, KINDS, MOST_GOLD, NEAR, PAY, SELL, where

#: What players can ask for an item, and give away.
PRICES = (1, 3, 10, 30)
_PRICES = np.array(PRICES)
#: The highest price that the source knows.
TOP_PRICE = 99
START_GOLD, LISTED = 1, 4

#: Rows of the market: for each kind of item the cheapest offer, and the one of the highest grade.
OFFERS = 2 * (len(KINDS) - 1)
ACTIONS = (
    *(f"sell {k} for {price}" for k in range(1, BAG + 1) for price in PRICES),
    *(f"buy {word} {kind}" for kind in KINDS[1:] for word in ("cheap", "fine")),
    *(f"pay {price} to {row}" for price in PRICES for row in range(1, NEAR + 1)),
)
_SALES = BAG * len(PRICES)


def fields(players: int, everyone: int) -> list[tuple]:
    """What a world with a market adds to the record."""
    places = (players, BAG)
    return [
        ("gold", within(np.int64, 0, MANY), (everyone,)),
        ("before", within(np.int64, 0, MANY), (players,)),  # a player's gold before the last step
        ("asked", within(np.int64, 0, TOP_PRICE), places),  # the price of an item on the market, or 0
        ("left", within(np.int64, 0, LISTED), places),  # the steps that it stays there
        ("offers", within(np.int64, 0, players * BAG), (OFFERS,)),  # the seller's number * 12 + the place + 1, or 0
        ("buyers", below(np.int64, players), (players,)),  # in the order of the last step
    ]


@where("gold")
def start(s):
    """The gold of players, and no offers."""
    for a in range(s.item.shape[0]):
        s.gold[a] = s.before[a] = START_GOLD
        s.buyers[a] = a
    for k in range(OFFERS):
        s.offers[k] = 0
    return 0


@where("gold")
def plan(s, a, action):
    """What a player is going to buy, sell or pay; `action` counts from the first action with items."""
    s.before[a] = s.gold[a]
    action -= len(items.ACTIONS)
    if action < 0 or action >= len(ACTIONS):
        return 0
    if action < _SALES:
        s.deed[a] = SELL
        s.place[a], s.price[a] = action // len(PRICES), _PRICES[action % len(PRICES)]
    elif action < _SALES + OFFERS:
        s.deed[a] = BUY
        s.offer[a] = s.offers[action - _SALES]
    else:
        action -= _SALES + OFFERS
        s.deed[a] = PAY
        s.price[a], s.partner[a] = _PRICES[action // NEAR], s.near[a, action % NEAR]
    return 0


@where("gold")
def trade(s):
    """Purchases, in a random order."""
    for a in range(s.item.shape[0]):
        s.buyers[a] = a
    queue(s)
    for k in range(s.item.shape[0]):
        buy(s, s.buyers[k])
    return 0


@kernel
def queue(s):
    """The order of buyers."""
    shuffle(s, s.buyers, s.item.shape[0])


@large_kernel
def buy(s, a):
    """Buy an item that is still on the market."""
    if s.deed[a] != BUY or s.offer[a] == 0 or not items.may_deal(s, a):
        return
    b, k = (s.offer[a] - 1) // BAG, (s.offer[a] - 1) % BAG
    price = s.asked[b, k]
    if price == 0 or b == a or s.gold[a] < price or not items.fits(s, a, s.item[b, k], s.grade[b, k]):
        return
    items.hand_over(s, b, k, a)
    s.gold[a] -= price
    s.gold[b] += price
    tasks.note(s, a, tasks.BUY)
    tasks.note(s, b, tasks.EARN)


@where("gold")
def pay(s, a, sight):
    """Give gold to a player in view."""
    b = s.partner[a] - 1
    if s.deed[a] == PAY and items.may_deal(s, a) and items.in_view(s, a, b, sight) and s.price[a] <= s.gold[a]:
        s.gold[a] -= s.price[a]
        s.gold[b] += s.price[a]
        tasks.note(s, a, tasks.PAY)
    return 0


@where("gold")
def sell(s, a):
    """Put an item on the market; it stays in the bag."""
    k = s.place[a]
    if s.deed[a] == SELL and items.may_deal(s, a) and items.movable(s, a, k):
        s.asked[a, k] = s.price[a]
        s.left[a, k] = LISTED
        tasks.note(s, a, tasks.LIST)
    return 0


@where("gold")
def lapse(s):
    """Offers end with their time; the rest are in the rows of the market."""
    for k in range(OFFERS):
        s.offers[k] = 0
    for a in range(s.item.shape[0]):
        for k in range(BAG):
            if s.asked[a, k]:
                s.left[a, k] -= 1
                if s.left[a, k] == 0:
                    s.asked[a, k] = 0
                else:
                    show(s, a, k)
    return 0


@kernel
def show(s, a, k):
    """Put an offer into the rows of its kind if it is the cheapest or of the highest grade so far."""
    row, price, grade = 2 * (s.item[a, k] - 1), s.asked[a, k], s.grade[a, k]
    for side in range(2):
        other = s.offers[row + side] - 1
        if other < 0:
            s.offers[row + side] = a * BAG + k + 1
        else:
            b, j = other // BAG, other % BAG
            cheaper, finer = s.asked[b, j] - price, grade - s.grade[b, j]
            first, second = (cheaper, finer) if side == 0 else (finer, cheaper)
            if first > 0 or (first == 0 and second > 0):
                s.offers[row + side] = a * BAG + k + 1


@where("gold")
def earn(s, a):
    """What a player has earned in the last step, at most 100, as a share of 100."""
    change = s.gold[a] - s.before[a] if s.health[a] > 0 else 0
    return min(max(change, -100), 100) / 100.0


@where("gold")
def see(s, agent, out):
    """The parts of an observation about the market and gold."""
    out.gold[0] = min(s.gold[agent], MOST_GOLD)
    for row in range(OFFERS):
        offer = s.offers[row] - 1
        entry = out.market[row]
        if offer < 0:
            fill(entry, 0)
        else:
            b, k = offer // BAG, offer % BAG
            entry[0], entry[1], entry[2] = s.grade[b, k], min(s.amount[b, k], MOST_GOLD), s.asked[b, k]
            entry[3], entry[4] = b + 1, s.left[b, k]
    return 0


@where("gold")
def mask(s, agent, legal, first):
    """Which actions of the market are legal; the first action with items has this number."""
    if s.engaged[agent] > 0:
        return 0
    first += len(items.ACTIONS)
    for k in range(BAG):
        for j in range(len(PRICES)):
            legal[first + len(PRICES) * k + j] = items.movable(s, agent, k)
    first += _SALES
    for row in range(OFFERS):
        legal[first + row] = can_buy(s, agent, s.offers[row] - 1)
    first += OFFERS
    for j in range(len(PRICES)):
        for row in range(NEAR):
            e = s.near[agent, row] - 1
            legal[first + NEAR * j + row] = 0 <= e < s.item.shape[0] and s.gold[agent] >= _PRICES[j]
    return 0


@kernel
def can_buy(s, a, offer):
    """Whether a player can pay for an offer of somebody else, and has room for it."""
    if offer < 0 or offer // BAG == a:
        return False
    b, k = offer // BAG, offer % BAG
    return s.gold[a] >= s.asked[b, k] and items.fits(s, a, s.item[b, k], s.grade[b, k])
