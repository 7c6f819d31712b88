"""Order book: MarS's own book event by event, sorted lists, call auctions, statistics, the tasks, damaged books."""

import json
from functools import partial

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.core.errors import ActionError, ParameterError, SnapshotError
from envsuite.core.record import as_views
from envsuite.evaluation.matches import play
from envsuite.registry import build
from envsuite.social import order_book
from envsuite.social.order_book import CAPACITY, DEPTH, QUOTES, START
from envsuite.social.order_book import book as ladder
from envsuite.social.order_book.book import BUY, NONE, SELL

ID = "envsuite/OrderBook-v0"

# Made by tests/data/recorders/mars.py.
REFERENCE = json.loads((DATA / "OrderBook" / "mars_order_book.json").read_text())

started = partial(kit.started, ID)


def empty(**params):
    """A batch of one world without a crowd."""
    return started(warmup=0, flow=0, **params)


def put(s, side, price, volume, owner=NONE):
    """Carry out a limit order; what is left of it."""
    return order_book.submit(s, side, price, volume, owner, True)


def shown(s, side, depth=DEPTH):
    """The best levels of a side, as [price, lots]."""
    out = np.zeros((depth, 2), np.int32)
    ladder.levels(s.book, side, as_views(out))
    return [row for row in out.tolist() if row[1]]


def move(batch, *actions):
    """One transition; actions by name."""
    names = batch.world.action_names[0]
    batch.step([[names.index(action) for action in actions]])
    return batch.rewards[0].tolist()


# The ladder.


@pytest.mark.parametrize("session", REFERENCE["sessions"])
def test_mars_event_by_event(session):
    """Trades (price, lots, resting order) of each event, and ten levels of each side."""
    book = as_views(np.zeros((), ladder.book(512, CAPACITY, 1, 100)))
    ladder.clear(book)
    slots, traded = {}, 0
    for given in session:
        kind, price, volume, number = given["event"]
        if kind == "C":
            if ladder.reduce(book, slots[number], volume):
                del slots[number]
        else:
            side = "BS".index(kind)
            while volume and (slot := int(ladder.front(book, side, price))) != NONE:
                resting = next(k for k in slots if slots[k] == slot)
                lots = min(volume, book.orders[slot].volume)
                assert [book.orders[slot].price, lots, resting] == given["trades"].pop(0)
                traded += lots
                volume -= lots
                if ladder.reduce(book, slot, lots):
                    del slots[resting]
            if volume:
                slots[number] = int(ladder.rest(book, side, price, volume, NONE))
        assert given["trades"] == []
        if "book" in given:
            holder = type("Record", (), {"book": book})
            assert [shown(holder, BUY), shown(holder, SELL)] == given["book"]
            assert ladder.fault(book) is None
    assert traded > 100 and len(slots) == book.live.sum()


@pytest.mark.parametrize("seed, spread, orders", [(0, 2, 250), (1, 30, 150), (2, 250, 150)])
def test_sorted_lists(seed, spread, orders):
    """A book as a sorted list of (price, time): trades, best prices, queues and positions in them."""
    rng = np.random.default_rng(seed)
    s = empty(traders=1).record()
    lists = ([], [])  # [key, number, price, lots] of each side, sorted by key: best price, then time
    slots = {}
    for number in range(orders):
        if slots and rng.random() < 0.35:
            gone = rng.choice(sorted(slots))
            order_book.cancel(s, slots.pop(gone))
            for orders_ in lists:
                orders_[:] = [order for order in orders_ if order[1] != gone]
        else:
            side, lots = int(rng.integers(2)), int(rng.integers(1, 21))
            price = int(np.clip(s.last + rng.integers(-spread, spread + 1), 0, 511))
            before, left, others = s.traded.tolist(), lots, lists[1 - side]
            while others and left and (others[0][2] - price) * (1 if side == BUY else -1) <= 0:
                order = others[0]
                trade = min(left, order[3])
                left, order[3], last = left - trade, order[3] - trade, order[2]
                if not order[3]:
                    slots.pop(order[1])
                    others.pop(0)
            assert put(s, side, price, lots) == left
            assert s.traded[1] - before[1] == lots - left and (left == lots or s.last == last)
            if left:
                lists[side].append([(-price if side == BUY else price, number), number, price, left])
                lists[side].sort()
                slots[number] = int(s.book.tail[side, price])
        for side in (BUY, SELL):
            levels = {}
            for _, _, price, lots in lists[side]:
                levels[price] = levels.get(price, 0) + lots
            assert shown(s, side) == [[price, lots] for price, lots in levels.items()][:DEPTH]
            assert (
                s.book.live[side] == len(lists[side]) == sum(1 for k in slots if s.book.orders[slots[k]].side == side)
            )
    for side in (BUY, SELL):
        for k, (_, number, price, _) in enumerate(lists[side]):
            ahead = sum(order[3] for order in lists[side][:k] if order[2] == price)
            assert ladder.ahead_of(s.book, slots[number]) == ahead
    assert build(ID, dict(traders=1)).contradiction(s) is None and s.traded[0] > 20


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_call_auctions_of_mars(first):
    for auction in REFERENCE["auctions"][first : first + 10]:
        s = empty(traders=1).record()
        for side, price, volume in auction["orders"]:
            order_book.enter(s, "BS".index(side), price, volume, NONE)
        assert ladder.clearing_price(s.book) == auction["price"]
        order_book.clear_auction(s)
        assert s.traded[1] == auction["volume"] and s.last == (auction["price"] if auction["volume"] else START)
        assert [shown(s, BUY), shown(s, SELL)] == auction["book"]


def test_the_auctions_are_of_all_kinds():
    volumes = [auction["volume"] for auction in REFERENCE["auctions"]]
    assert 0 < volumes.count(0) < 30 and max(volumes) > 100


# The crowd.


def measured(batch, events):
    """Means over time of a batch whose steps are events of the crowd: the numbers of the page."""
    mids, spreads, live = [], [], []
    for _ in range(events):
        batch.step(0)
        books = batch.records["book"]
        bid, ask = books["best"].T
        both = (bid >= 0) & (ask < 512)
        mids.append(np.where(both, (bid + ask) / 2, np.nan))
        spreads.append(np.where(both, ask - bid, np.nan))
        live.append(books["live"].sum(axis=1))
    changes = [np.diff(column[~np.isnan(column)]) for column in np.array(mids).T]
    return {
        "spread": np.mean([np.nanmean(column) for column in np.array(spreads).T]),
        "trades": batch.records["traded"][:, 0].mean() / events,
        "lots": batch.records["traded"][:, 1].mean() / events,
        "deviation": np.mean([column.std() for column in changes]),
        "correlation": np.mean([np.corrcoef(column[1:], column[:-1])[0, 1] for column in changes]),
        "live": np.mean(live),
        "one_sided": np.isnan(mids).mean(),
    }


@pytest.mark.slow
def test_statistics_of_the_crowd():
    found = measured(started(60, traders=1, steps=3000, flow=1, warmup=0, anchor=0.0), 3000)
    for name, (mean, error) in REFERENCE["statistics"].items():
        assert found[name] == pytest.approx(mean, abs=4 * 2**0.5 * error), (name, found)


def test_trades_of_the_crowd():
    batch = started(3, traders=1, warmup=400, flow=0, anchor=0.0)
    for k, name in enumerate(("trades", "lots")):
        assert batch.records["traded"][:, k].mean() / 400 == pytest.approx(REFERENCE["statistics"][name][0], rel=0.15)
    assert (batch.records["events"] == 400).all()


def test_opening_by_auction():
    batch = started(4, traders=1, opening="auction", warmup=60)
    for k in range(4):
        s = batch.record(k)
        assert s.book.best[BUY] < s.book.best[SELL] and s.traded[0] > 3 and batch.world.contradiction(s) is None
        prices = {int(price) for price, lots, _ in s.trades if lots}
        assert prices == {s.last}  # all trade at one price


# Actions.


def test_actions_of_a_trader():
    batch = empty(traders=1, steps=50)
    s = batch.record()
    put(s, BUY, 250, 10)
    put(s, SELL, 260, 4)
    put(s, SELL, 261, 4)
    move(batch, "buy 5 at bid+2")
    assert shown(s, BUY) == [[252, 5], [250, 10]]
    move(batch, "buy 1 at bid-2")
    move(batch, "buy 1 at bid-2")
    assert shown(s, BUY) == [[252, 5], [250, 12]]
    own = batch.observations["orders"][0, 0].tolist()
    assert own[:4] == [[0, 252, 5, 0], [0, 250, 1, 10], [0, 250, 1, 11], [-1, -1, 0, 0]]
    assert move(batch, "buy 5 at market") == [pytest.approx((256.5 - 260) * 4 + (256.5 - 261) - 0.01 * 25)]
    assert batch.observations["inventory"][0, 0, 0] == 5 and batch.observations["cash"][0, 0, 0] == -4 * 260 - 261
    assert batch.observations["last"][0, 0, 0] == 261 and s.traded.tolist() == [2, 5]
    assert batch.observations["trades"][0, 0, :3].tolist() == [[261, 1, 0], [260, 4, 0], [-1, 0, 0]]
    move(batch, "cancel oldest")
    assert shown(s, BUY) == [[250, 12]] and batch.observations["orders"][0, 0, 0].tolist() == [0, 250, 1, 10]
    move(batch, "cancel all")
    assert shown(s, BUY) == [[250, 10]] and s.quotes[0] == 0 and not kit.legal(batch) & {"cancel oldest", "cancel all"}
    move(batch, "sell 10 at ask-2")  # 259 does not cross
    assert shown(s, SELL) == [[259, 10], [261, 3]]
    order_book.submit(s, SELL, 0, 20, NONE, False)  # a market order for more than there is
    assert shown(s, BUY) == [] and shown(s, SELL) == [[259, 10], [261, 3]]
    move(batch, "buy 1 at bid")  # no bid: one tick below the last price
    assert shown(s, BUY) == [[249, 1]] and s.last == 250


def test_what_is_allowed_in_making():
    batch = empty(traders=1)
    s = batch.record()
    for _ in range(QUOTES):
        assert "buy 10 at bid" in kit.legal(batch)
        move(batch, "buy 10 at bid")
    assert "buy 1 at bid" not in kit.legal(batch) and "buy 10 at market" in kit.legal(batch)
    put(s, SELL, 300, 20)
    move(batch, "buy 10 at market")
    move(batch, "buy 10 at market")
    assert s.inventory[0] == 20
    assert not any("buy" in name for name in kit.legal(batch)) and "sell 10 at market" in kit.legal(batch)
    with pytest.raises(ActionError, match="trader_0"):
        move(batch, "buy 1 at market")
    put(s, SELL, 0, 20)  # the resting orders of 20 lots trade: 40 lots held, 60 wanted
    assert (s.inventory[0], s.resting[0, BUY], s.quotes[0]) == (40, 60, 6)


def test_an_action_that_has_become_illegal_does_nothing():
    """One trader cancels its order while another one takes it: the first of the two has its way."""
    outcomes = {}
    for seed in range(8):
        batch = started(seed=seed, traders=2, warmup=0, flow=0)
        s = batch.record()
        move(batch, "buy 1 at bid", "hold")
        move(batch, "cancel all", "sell 1 at market")
        outcomes[s.order[0]] = (s.inventory.tolist(), s.quotes[0], s.traded[0])
    assert outcomes == {0: ([0, 0], 0, 0), 1: ([1, -1], 0, 1)}


# Tasks.


def test_execution():
    batch = empty(task="execution", traders=2, lots=12, steps=3)
    s = batch.record()
    assert batch.observations["side"][0, :, 0].tolist() == [1, 0] and (batch.observations["worth"] == START).all()
    assert not any(name.startswith("buy") for name in kit.legal(batch, 0))
    assert not any(name.startswith("sell") for name in kit.legal(batch, 1))
    put(s, BUY, 250, 7)
    put(s, SELL, 258, 20)
    assert move(batch, "sell 10 at market", "buy 5 at market") == [7 * -6, 5 * -2]
    assert batch.observations["left"][0, :, 0].tolist() == [5, 7]
    assert not any("10" in name for name in kit.legal(batch, 0))
    put(s, BUY, 255, 2)
    move(batch, "hold", "hold")
    # At the end, two lots trade at 255 and three find no buyer; the other trader buys seven at 258.
    last = move(batch, "hold", "hold")
    assert last[1] == 7 * -2
    assert last[0] in (2 * -1 + 3 * (255 - 10 - 256), 2 * -1 + 3 * (258 - 10 - 256))
    assert batch.terminations.all() and (batch.observations["left"] == 0).all() and s.over == 1


def test_values():
    batch = started(task="values", traders=4, steps=9)
    assert batch.observations["worth"][0, :, 0].tolist() == [150, 140, 55, 65]
    assert batch.observations["side"][0, :, 0].tolist() == [0, 0, 1, 1]
    assert move(batch, "quote 90", "hold", "hold", "hold") == [0] * 4
    assert move(batch, "quote 80", "hold", "hold", "hold") == [0] * 4  # replaces 90
    assert batch.observations["bids"][0, 1, :2].tolist() == [[80, 1], [-1, 0]]
    assert move(batch, "hold", "hold", "hold", "quote 75") == [70, 0, 0, 15]
    assert kit.legal(batch, 0) == kit.legal(batch, 3) == {"hold"} and len(kit.legal(batch, 1)) == 201
    assert batch.observations["left"][0, :, 0].tolist() == [0, 1, 1, 0]


def test_surplus_of_gode_and_sunder():
    """All trade without the constraint: (1050 - 1000) / 275. With it, the page's .96 and 5.85 trades."""
    free = play(build(ID, dict(task="values", traders=20, steps=15)), "zero_intelligence:constrained=false", 1)
    assert free.returns.sum() == 50


@pytest.mark.slow
def test_efficiency_of_gode_and_sunder():
    world = build(ID, dict(task="values", traders=20, steps=600))
    returns = play(world, "zero_intelligence", 150).returns
    assert returns.min() >= 0
    assert returns.sum(axis=1).mean() / 275 == pytest.approx(0.96, abs=0.015)
    assert (returns > 0).sum(axis=1).mean() / 2 == pytest.approx(5.85, abs=0.2)


def test_wealth_is_conserved():
    """Cash and lots of the traders, with what the crowd has paid and got: a ledger of trades."""
    batch = started(2, traders=5, flow=0, warmup=40, steps=60)
    cash = batch.records["cash"].sum(axis=1)
    rng, wealth = np.random.default_rng(0), np.zeros((2, 5))
    for _ in range(12):
        masks = batch.masks
        batch.step([[rng.choice(np.flatnonzero(mask)) for mask in row] for row in masks])
        wealth += batch.rewards
        wealth += 0.01 * batch.records["inventory"] ** 2
        for s in (batch.record(0), batch.record(1)):
            assert batch.world.contradiction(s) is None
    held = batch.records["cash"] + batch.records["inventory"] * batch.records["worth"]
    assert wealth == pytest.approx(held) and (batch.records["cash"].sum(axis=1) != cash).any()


# Baselines, parameters, damage, words.


@pytest.mark.slow
def test_baselines():
    making = {
        name: play(build(ID, dict(traders=2)), [name] * 2, 60).returns.mean()
        for name in ("avellaneda_stoikov", "zero_intelligence", "random")
    }
    assert making["avellaneda_stoikov"] > 15 > 0 > making["zero_intelligence"] > making["random"] + 1000
    execution = {
        name: play(build(ID, dict(task="execution", traders=4)), [name] * 4, 200).returns.mean()
        for name in ("patient", "twap")
    }
    assert execution["patient"] > execution["twap"] + 20


@pytest.mark.parametrize(
    "params, message", [({"traders": 21}, "21"), ({"steps": 0}, "steps=0"), ({"task": "poker"}, "poker")]
)
def test_wrong_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        build(ID, params)


def test_damaged_books_are_refused():
    batch = started(traders=2)
    damages = {
        "queue": lambda s: s.book.orders[s.crowd[0]].__setattr__("price", 3),
        "best": lambda s: s.book.best.__setitem__(0, 3),
        "slot": lambda s: s.book.__setattr__("free", int(s.crowd[0])),
        "live|numbers": lambda s: s.book.live.__setitem__(1, 0),
        "list of orders of the crowd": lambda s: s.crowd.__setitem__(0, int(s.crowd[1])),
        "resting lots of trader_1": lambda s: s.resting[1].__setitem__(0, 5),
        "permutation": lambda s: s.order.__setitem__(0, int(s.order[1])),
    }
    for message, damage in damages.items():
        records = batch.records.copy()
        damage(as_views(records)[0])
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)
    batch.world.admit(batch.records)


def test_text_and_picture():
    batch = empty(traders=2)
    s = batch.record()
    put(s, BUY, 250, 10)
    put(s, SELL, 260, 4)
    move(batch, "buy 5 at bid", "hold")
    text = batch.world.text(s, 0)
    for part in ("Bids, best first: 15 at 250.", "Asks, best first: 4 at 260.", "buy 5 at 250 (10 lots ahead)"):
        assert part in text
    assert "lots ahead" not in batch.world.text(s, 1)
    before = batch.world.scene(s, 1).shapes
    s.cash[0] += 100
    s.wealth[0] += 100
    s.inventory[0] -= 1
    assert batch.world.scene(s, 1).shapes == before and batch.world.scene(s).shapes != before


def test_aversion_is_a_parameter():
    """In making, each step costs `aversion` times the squared inventory."""
    rewards = []
    for aversion in (0.0, 0.5):
        batch = empty(task="making", aversion=aversion)
        batch.records["inventory"][0, 0] = 3
        batch.step(np.zeros((1, len(batch.world.agents)), np.int64))
        rewards.append(float(batch.rewards[0, 0]))
    assert rewards[0] - rewards[1] == pytest.approx(0.5 * 9)
