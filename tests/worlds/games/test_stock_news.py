"""StockNews: OdysseyArena's environment in lock-step, accounts in plain Python, bounds of the gain, levels, scores."""

import json
import math

import kit
import numpy as np
import pytest
from scipy import stats

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.games.stock_news import EQUAL, HOLD, INTO, SELL, affordable
from envsuite.games.stock_news.levels import Stocks, price_path
from envsuite.generators import describe, generate_many, split_of
from envsuite.registry import build

ID = "envsuite/StockNews-v0"
TASKS = json.loads((kit.DATA / "StockNews" / "stock_news.json").read_text())["tasks"]
SIZES = [(1, 1, 6), (2, 3, 9), (5, 4, 12), (9, 6, 8)]


def sizes(level):
    return dict(stocks=len(level["prices"]), factors=len(level["loadings"][0]), days=len(level["news"]))


def drawn(num, seed=0, **params):
    """Records with the levels of `num` episodes."""
    return kit.started(ID, num, seed, **params).records["level"]


# Rules.


@pytest.mark.parametrize("number", range(len(TASKS)))
@pytest.mark.parametrize("controls", ["orders", "discrete"])
def test_lock_step(number, controls):
    """Recorded games: prices, shares, cash, news, rewards and ends on each day."""
    task = TASKS[number]
    game, level, days = task["games"][controls == "discrete"], task["level"], len(task["prices"])
    batch = kit.started(ID, level=level, cash=task["cash"], controls=controls, **sizes(level))
    before = task["cash"]
    for t in range(days):
        seen = batch.observations[0, 0]
        assert seen["left"] == days - t and seen["news"].tolist() == level["news"][t]
        batch.step(np.array([game["actions"][t]] if controls == "discrete" else [game["orders"][t]]))
        seen = batch.observations[0, 0]
        assert seen["held"].tolist() == game["held"][t]
        assert seen["price"] == pytest.approx(task["prices"][t], rel=1e-9)
        assert seen["cash"][0] == pytest.approx(game["cash"][t], rel=1e-9, abs=1e-6)
        assert batch.rewards[0, 0] * task["cash"] == pytest.approx(game["worth"][t] - before, abs=0.0101)
        assert batch.terminations[0, 0] == (t == days - 1) and not batch.truncations[0, 0]
        before = game["worth"][t]


def test_recordings_cover_the_rules():
    """Refused purchases, cut sales, lowest prices, and prices that leave the lowest again."""
    refused = cut = lowest = left = 0
    for task in TASKS:
        game, held = task["games"][0], np.zeros(len(task["level"]["prices"]))
        for orders, after in zip(game["orders"], game["held"]):
            change, orders = np.array(after) - held, np.array(orders)
            refused += int(((orders > 0) & (change == 0)).sum())
            cut += int(((orders < 0) & (change > orders)).sum())
            held = np.array(after)
        prices = np.array(task["prices"])
        lowest += int((prices <= 0.1).sum())
        left += int(((prices[:-1] <= 0.1) & (prices[1:] > 0.1)).sum())
    assert min(refused, cut) > 100 and lowest > 15 and left > 3


def traded(price, held, cash, orders):
    """Shares and cash after orders, in plain Python."""
    held, cash = list(held), cash
    for i, order in enumerate(orders):
        if order < 0:
            sold = min(-order, held[i])
            held[i] -= sold
            cash += price[i] * sold
    for i, order in enumerate(orders):
        if order > 0 and price[i] * order <= cash and held[i] + order <= 10**9:
            held[i] += order
            cash -= price[i] * order
    return held, cash


@pytest.mark.parametrize("stocks, factors, days", SIZES)
def test_accounts(stocks, factors, days):
    """Random orders on fresh levels: shares, cash, the news' effect, rewards, and what was traded."""
    num, cash = 20, 3000.0
    params = dict(stocks=stocks, factors=factors, days=days, cash=cash, controls="orders")
    batch = kit.started(ID, num, seed=100, **params)
    level, rng = batch.records["level"].copy(), np.random.default_rng(stocks)
    total = np.zeros(num)
    for t in range(days):
        before = batch.observations[:, 0].copy()
        orders = (cash / before["price"] * rng.uniform(-0.7, 0.7, (num, stocks))).astype(np.float32)
        batch.step(orders[:, None])
        after = batch.observations[:, 0]
        for k in range(num):
            old, new = before[k], after[k]
            held, left = traded(old["price"], old["held"].tolist(), old["cash"][0], orders[k].astype(int).tolist())
            assert new["held"].tolist() == held and new["cash"][0] == pytest.approx(left)
            assert (new["traded"] == new["held"] - old["held"]).all()
        change = np.einsum("kij,kj->ki", level["loadings"], before["news"]) if t < days - 1 else 0.0
        assert after["price"] == pytest.approx(np.maximum(before["price"] + change, 0.1))
        total += batch.rewards[:, 0]
        assert (after["left"] == days - 1 - t).all() and (batch.terminations == (t == days - 1)).all()
    worth = after["cash"][:, 0] + (after["held"] * after["price"]).sum(1)
    assert total == pytest.approx(worth / cash - 1) and not after["news"].any()


@pytest.mark.parametrize("stocks, factors, days", SIZES)
def test_weights(stocks, factors, days):
    """Shares are the rounded parts of the capital, or what cash allows if that is less by at most one share."""
    num = 20
    batch = kit.started(ID, num, 7, stocks=stocks, factors=factors, days=days, controls="weights")
    rng = np.random.default_rng(0)
    for _ in range(days):
        seen = batch.observations[:, 0].copy()
        weights = (rng.random((num, stocks)) * rng.choice([0.2, 1, 1], (num, 1))).astype(np.float32)
        worth = seen["cash"][:, 0] + (seen["held"] * seen["price"]).sum(1)
        batch.step(weights[:, None])
        parts = weights.astype(float) / np.maximum(weights.astype(float).sum(1, keepdims=True), 1)
        target = parts * worth[:, None] / seen["price"]
        held = batch.observations[:, 0]["held"]
        assert (held <= target + 1e-6).all() and (held > target - 1 - 1e-6).all()
    # The same trades as orders have the same end.
    batch.start(7)
    other = kit.started(ID, num, 7, stocks=stocks, factors=factors, days=days, controls="orders")
    for _ in range(days):
        batch.step(rng.random((num, 1, stocks)).astype(np.float32))
        other.step(batch.observations["traded"].astype(np.float32))
        for name in ("price", "held", "cash", "traded"):
            assert np.array_equal(batch.observations[name], other.observations[name])


def test_named_actions():
    """On one level: the shares after each action."""
    level = {"prices": [10.0, 30.0], "loadings": [[1.0], [0.0]], "news": [[1.0]] * 6}
    batch = kit.started(ID, level=level, cash=100.0, **sizes(level))
    # The first price rises by 1 each day: 10, 11, 12, 13, 14, 15; the last trade is at 15.
    expected = [(EQUAL, [5, 1], 20), (HOLD, [5, 1], 20), (INTO, [9, 0], 2), (INTO + 1, [0, 3], 29), (SELL, [0, 0], 119)]
    for action, held, cash in [*expected, (INTO, [7, 0], 14)]:
        batch.step(action)
        seen = batch.observations[0, 0]
        assert (seen["held"].tolist(), seen["cash"][0]) == (held, cash)
    assert batch.over().all() and batch.record().worth.tolist() == [100, 105, 110, 119, 119, 119, 119]


def test_affordable():
    """As many shares as possible, never for more than there is."""
    rng = np.random.default_rng(0)
    for price in rng.uniform(0.1, 100, 300).tolist():
        cost = int(rng.integers(0, 10**6)) * price
        for cash in (cost, math.nextafter(cost, 0.0), math.nextafter(cost, 1e9), cost + 0.5 * price):
            found = int(affordable(cash, price))
            assert found * price <= cash < (found + 1) * price


def test_limits_of_shares():
    level = {"prices": [0.1], "loadings": [[0.0]], "news": [[0.0]] * 4}
    orders = kit.started(ID, level=level, cash=1e9, controls="orders", **sizes(level))
    for record, order, held in ((10**9 - 5, 6, 10**9 - 5), (10**9 - 5, 5, 10**9)):
        orders.records["held"] = record
        orders.step(np.array([[order]], np.float32))
        assert orders.records["held"] == held
    weights = kit.started(ID, level=level, cash=1e9, **sizes(level))
    weights.step(INTO)
    assert weights.records["held"] == 10**9 and weights.records["cash"] == 9e8


# Bounds and baselines.


def bounds(level):
    """(N, days - 1) best relative prices of each day, at least 1."""
    path = level["prices"][:, None] + np.zeros((1, level["news"].shape[1], 1))
    for t in range(1, path.shape[1]):
        change = np.einsum("kij,kj->ki", level["loadings"], level["news"][:, t - 1])
        path[:, t] = np.maximum(path[:, t - 1] + change, 0.1)
    return np.maximum(path[:, 1:] / path[:, :-1], 1).max(2)


@pytest.mark.parametrize("stocks, factors", [(5, 4), (1, 1), (9, 6)])
@pytest.mark.mostly_slow
def test_regression_reaches_the_bound(stocks, factors):
    """With so much cash that whole shares do not matter, the gain is the bound of the days after the first ones."""
    params = dict(stocks=stocks, factors=factors, days=25, cash=1e8)
    best, num = bounds(drawn(12, **params)), 12
    for controls in ("discrete", "weights"):
        returns, lengths = play(build(ID, dict(controls=controls, **params)), ["regression"], num)
        assert (lengths == 25).all()
        assert returns[:, 0] == pytest.approx(best[:, factors:].prod(1) - 1, rel=1e-4, abs=1e-5)
    early, _ = play(build(ID, params), ["regression:wait=0"], num)
    assert (early[:, 0] <= best.prod(1) - 1 + 1e-9).all()
    assert stocks == 1 or early.mean() > returns.mean()


def test_regression_in_orders():
    """It needs one order where an order may be large enough."""
    one, two = (play(build(ID, dict(days=20, controls=c)), ["regression"], 5).returns for c in ("discrete", "orders"))
    assert one == pytest.approx(two, abs=1e-9)


def test_regression_at_the_lowest_price():
    """It learns nothing from days with a lowest price, and so finds the loadings in spite of them."""
    task = TASKS[3]
    world = build(ID, dict(cash=task["cash"], **sizes(task["level"])))
    batch, player = kit.started(world, level=task["level"]), make_policy("regression", world)
    player.reset(0, 1)
    for _ in range(len(task["prices"]) - 1):
        batch.step(player.act_batch(batch.observations, batch.masks, [0]))
    assert (np.array(task["prices"]) <= 0.1).any()
    loading = player.memories[0, 0]["loading"][:3, :2]
    assert loading == pytest.approx(np.array(task["level"]["loadings"]), abs=1e-4)


@pytest.mark.slow
def test_scores():
    """The middle of the sizes of OdysseyArena's tasks, where least squares gain 193.7 % and equal parts 0.06 %."""
    world = build(ID, dict(stocks=7, factors=5))
    names = ("random", "holder", "regression", "regression:wait=0")
    random, holder, regression, early = (play(world, [name], 150, seed=1000).returns.mean() for name in names)
    assert abs(random) < 0.02 and abs(holder) < 0.01
    assert 1.6 < regression < 2.4 and early > regression


# Levels.


def test_distribution():
    level = drawn(400, days=10)
    assert stats.kstest(level["prices"].ravel(), "uniform", (10, 90)).pvalue > 1e-3
    assert stats.kstest(level["loadings"].ravel(), "uniform", (-1.8, 3.6)).pvalue > 1e-3
    news = level["news"].ravel()
    assert stats.kstest(news, "norm", (0, 0.1)).pvalue > 1e-3
    assert (news == news.round(4)).all()
    assert len(np.unique(level["prices"])) == 2000


def test_generator():
    levels = generate_many("stocks", 6, seed=3, days=20, split="test")
    assert {split_of(level) for level in levels} == {"test"} and json.loads(json.dumps(levels)) == levels
    assert {split_of(level) for level in generate_many("stocks", 6, seed=3, days=20, split="train")} == {"train"}
    batch = kit.started(ID, 6, level=levels, days=20)
    assert [{"kind": "stocks", **batch.world.get_level(batch.record(k))} for k in range(6)] == levels
    best = bounds(batch.records["level"]).prod(1)
    for k, level in enumerate(levels):
        figures = describe(level)
        assert figures["size"] == [5, 4] and figures["best"] == pytest.approx(best[k], abs=1e-4)
        path = price_path(batch.record(k).level, 19)
        assert path.shape == (20, 5) and np.array_equal(path[0], level["prices"])
    assert generate_many("StockNews", 2, seed=9)[1] != generate_many("StockNews", 2, seed=10)[1]
    assert Stocks.of(levels[0]).parameters == {"stocks": 5, "factors": 4, "days": 20}


def test_broken_levels():
    good = {"prices": [50.0, 20.0], "loadings": [[1.5], [-0.5]], "news": [[0.1], [-0.0723]]}
    world = build(ID, sizes(good))
    kit.refuses(
        world,
        ({"prices": [1.0, 1.0]}, "lacks 'loadings'"),
        (good | {"price": 1}, "unknown part 'price'"),
        (good | {"prices": [50.0]}, "'prices' must be a list of 2 numbers from 0.1 to "),
        (good | {"prices": [50.0, 0.0]}, "from 0.1 to 1e"),
        (good | {"loadings": [[1.5], [2.0]]}, "from -1.8 to 1.8"),
        (good | {"news": [[0.1]]}, "'news' must be 2 lists of 1 number from -1 to 1"),
        (good | {"news": [[0.1], [float("nan")]]}, "from -1 to 1"),
        (good | {"news": [[0.1], ["x"]]}, r"'news'\[1\]\[0\]='x' must be a number from -1 to 1"),
    )
    with pytest.raises(ParameterError, match="stocks"):
        build(ID, dict(stocks=10))


# Views.


def test_clicks_keys_and_words():
    batch = kit.started(ID, stocks=3, days=2)
    world = batch.world
    assert kit.clicks(batch, 0) == {None, *range(6)}
    assert {world.keys[key] for key in "hse012"} == set(world.action_names[0])
    text = world.text(batch.record(), 0)
    assert text.startswith("Day 1 of 2. Cash: 50000.00. Capital: 50000.00 (+0.00 %).")
    assert f"S2: price {batch.observations[0, 0]['price'][2]:.4f}, 0 shares." in text and "F3 " in text
    batch.step(INTO + 2)
    held = batch.observations[0, 0]["held"][2]
    text = world.text(batch.record(), 0)
    assert f"{held} shares, bought {held} on the day before." in text and "This is the last day" in text
    batch.step(HOLD)
    assert world.text(batch.record(), 0).startswith("It is over after 2 days.")
    weights = kit.started(ID, controls="weights")
    assert kit.clicks(weights, 0) == {None}


def test_contradiction():
    batch = Batch(build(ID, dict(days=3)), 1)
    batch.start()
    assert batch.world.contradiction(batch.record()) is None
    batch.records["day"] = 3
    assert batch.world.contradiction(batch.record()) == "all days are over"
