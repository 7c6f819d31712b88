"""Record MarS's order book: python tests/data/recorders/mars.py FOLDER > tests/data/OrderBook/mars_order_book.json

FOLDER is a checkout of microsoft/MarS, commit 77e7845. Only mlib/core/orderbook.py and what it imports run; pandas is
replaced, because only its time stamps are used. A price is a number of ticks.
"""

import json
import random
import sys
import types

import numpy as np

SOURCE = (
    "microsoft/MarS 77e7845, mlib.core.orderbook.Orderbook with random orders. An event is [type, price, volume, "
    "number] (number: of the order that C cancels, in part or in whole; orders are numbered from 0 in their sequence), "
    "its trades [price, volume, number of the resting order]. A snapshot follows every tenth event. Of an auction: "
    "orders [type, price, volume], price and volume of the match (-1 and 0 for none), and the book after it. The set "
    "of prices in _get_call_auction_final_price is visited in ascending order. The statistics are means and standard "
    "errors of runs of 3000 events of the crowd of OrderBook; changes of the mid price are those between events after "
    "which both sides have orders."
)


def load(folder):
    pandas = types.ModuleType("pandas")
    pandas.Timestamp = float
    sys.modules["pandas"] = pandas
    sys.path.insert(0, folder)
    from mlib.core import limit_order, orderbook

    original = orderbook._update_levels
    orderbook._update_levels = lambda *a, **k: (lambda s, b, p: (s, b, sorted(p)))(*original(*a, **k))
    return limit_order.LimitOrder, orderbook.Orderbook


def make(cls, type, price, volume, number, cancelled=-1, side="None"):
    return cls(0.0, type, price, volume, "X", -1, number, side, cancelled, "")


def snapshot(book):
    shot = book.snapshot(10)
    return [
        list(map(list, zip(shot.bid_prices, shot.bid_volumes))), list(map(list, zip(shot.ask_prices, shot.ask_volumes)))
    ]  # fmt: skip


def session(order, orderbook, seed, events, spread, largest):
    rng, book = random.Random(seed), orderbook("X")
    made, found, live = [], [], {}
    for k in range(events):
        kind = rng.choices("BSC", (0.4, 0.4, 0.2))[0]
        if kind == "C":
            if not live:
                continue
            number = rng.choice(sorted(live))
            side, price = made[number]
            left = book_volume(book, number)
            volume = left if rng.random() < 0.5 else rng.randint(1, left)
            update = book.update(make(order, "C", price, volume, 10**6 + k, number, side))
        else:
            number = len(made)
            last = book.last_price if book.last_price > 0 else 256
            price, volume = min(max(last + rng.randint(-spread, spread), 1), 511), rng.randint(1, largest)
            made.append((kind, price))
            update = book.update(make(order, kind, price, volume, number))
        trades = []
        for trade in update.transactions:
            if trade.type != "C":
                trades.append([trade.price, trade.volume, (trade.sell_id if kind == "B" else trade.buy_id)[0]])
        live = {x.order_id for level in book.bids + book.asks for x in level.orders}
        event = {"event": [kind, price, volume, number], "trades": trades}
        found.append(event | ({"book": snapshot(book)} if len(found) % 10 == 9 else {}))
    return found


def book_volume(book, number):
    return next(x.volume for level in book.bids + book.asks for x in level.orders if x.order_id == number)


def auction(order, orderbook, seed):
    rng, book = random.Random(seed), orderbook("X")
    orders = []
    for number in range(rng.randint(1, 40)):
        kind = rng.choice("BS")
        price = 256 + rng.randint(-6, 6) + (rng.randint(0, 12) if seed % 3 == 0 else 0) * (1 if kind == "S" else -1)
        orders.append([kind, price, rng.randint(1, 20)])
        book.add_call_auction_order(make(order, *orders[-1], number))
    match = book.match_call_auction_orders(0.0, "OPEN")[1]
    return {
        "orders": orders, "price": match.price if match else -1, "volume": match.volume if match else 0,
        "book": snapshot(book),
    }  # fmt: skip


def run(order, orderbook, seed, events=3000):
    """Statistics of MarS's book with the crowd of OrderBook, which removes a random order when it cancels."""
    rng, book = random.Random(seed), orderbook("X")
    mids, spreads, live, trades, lots = [], [], [], 0, 0
    for k in range(events):
        kind = rng.choices("BSC", (0.4, 0.4, 0.2))[0]
        resting = [x for level in book.bids + book.asks for x in level.orders]
        if kind != "C":
            price = book.last_price if book.last_price > 0 else 10000
            price += rng.choices(range(-5, 6), (1, 1, 2, 4, 8, 8, 8, 4, 2, 1, 1))[0]
            volume = rng.choices((1, 2, 5, 10, 20), (0.5, 0.3, 0.15, 0.025, 0.025))[0]
            found = book.update(make(order, kind, price, volume, k)).transactions
            trades, lots = trades + len(found), lots + sum(trade.volume for trade in found)
        elif resting:
            gone = rng.choice(resting)
            book.update(make(order, "C", gone.price, gone.volume, 10**6 + k, gone.order_id, gone.type))
        if book.bids and book.asks:
            mids.append((book.bids[0].price + book.asks[0].price) / 2)
            spreads.append(book.asks[0].price - book.bids[0].price)
        live.append(sum(len(level.orders) for level in book.bids + book.asks))
    changes = np.diff(mids)
    correlation = np.corrcoef(changes[1:], changes[:-1])[0, 1]
    one_sided = 1 - len(mids) / events
    return np.mean(spreads), trades / events, lots / events, changes.std(), correlation, np.mean(live), one_sided


def statistics(order, orderbook, runs=60):
    names = ("spread", "trades", "lots", "deviation", "correlation", "live", "one_sided")
    found = np.array([run(order, orderbook, seed) for seed in range(runs)])
    mean, error = found.mean(axis=0), found.std(axis=0) / runs**0.5
    return {name: [round(mean[k], 4), round(error[k], 4)] for k, name in enumerate(names)}


if __name__ == "__main__":
    order, orderbook = load(sys.argv[1])
    sessions = [session(order, orderbook, *given) for given in ((0, 400, 5, 20), (1, 400, 2, 3), (2, 300, 60, 50))]
    auctions = [auction(order, orderbook, seed) for seed in range(60)]
    found = {"source": SOURCE, "statistics": statistics(order, orderbook), "sessions": sessions, "auctions": auctions}
    print(json.dumps(found, separators=(",", ":")))
