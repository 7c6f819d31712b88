"""Record OdysseyArena's trading.

    python tests/data/recorders/stock_news.py FOLDER > tests/data/StockNews/stock_news.json

FOLDER is a checkout of github.com/xufangzhi/Odyssey-Arena, commit b9eb63d. The levels are drawn here, except for the
first days of three of its own tasks.
"""

import json
import sys
from pathlib import Path

import numpy as np

SOURCE = (
    "OdysseyArena (github.com/xufangzhi/Odyssey-Arena, commit b9eb63d), TradeEnv/TradeEnv_v2.py. orders are signed: "
    "sales are negative. actions, in the second games: 0 hold, 1 sell all, 2 equal parts, 3 + k all into stock k. "
    "prices, held, cash and worth (its reward) are those after each day's trade and change of prices."
)

#: Stocks, factors, days, range of first prices, cash; the low prices reach the lowest one.
OWN = [
    (5, 4, 20, (10, 100), 50_000), (9, 6, 16, (10, 100), 50_000), (1, 1, 12, (10, 100), 1000),
    (3, 2, 25, (0.15, 0.6), 200), (4, 6, 20, (0.15, 1.5), 5000), (7, 5, 16, (10, 100), 50_000),
    (2, 3, 20, (0.2, 40), 300), (6, 4, 16, (10, 100), 10_000),
]  # fmt: skip
LITE, LITE_DAYS = (1, 17, 30), 20


def config(prices, loadings, news, cash):
    count, factors = np.shape(loadings)
    return {
        "num_days": len(news), "stocks": [f"S{k}" for k in range(count)],
        "variables": [f"F{k}" for k in range(factors)], "dependency_matrix": loadings, "initial_prices": prices,
        "initial_variables": [0.0] * factors, "initial_cash": cash,
        "timeline": {f"day_{k + 1}": {"variable_changes": row, "news_text": ""} for k, row in enumerate(news)},
    }  # fmt: skip


def own(rng, stocks, factors, days, ends, cash):
    prices = rng.uniform(*ends, stocks).round(3).tolist()
    loadings = rng.uniform(-1.8, 1.8, (stocks, factors)).round(3).tolist()
    return config(prices, loadings, rng.normal(0, 0.1, (days, factors)).round(4).tolist(), cash)


def random_orders(rng, env):
    """Sales of less, all or more than there is; purchases that all, some or none of which can be paid."""
    kind = rng.integers(0, 4, len(env.stocks))
    sales = (env.positions * rng.choice([0.3, 1, 2], len(kind))).astype(int) + rng.integers(0, 2, len(kind))
    buys = (env.cash / env.prices * rng.choice([0.1, 0.4, 0.9, 1.1], len(kind))).astype(int)
    return np.where(kind == 0, -sales, np.where(kind < 3, buys, 0)).tolist()


def named_orders(action, env):
    """The orders of an action with a name, from what the environment holds."""
    orders = [0] * len(env.stocks)
    if action == 0:
        return orders
    worth, cash = env.cash + (env.positions * env.prices).sum(), env.cash
    part = {1: 0.0, 2: 1.0 / len(orders)}.get(action, 1.0)
    aims = [int(part * worth // price) if action < 3 or k == action - 3 else 0 for k, price in enumerate(env.prices)]
    orders = [aim - int(held) for aim, held in zip(aims, env.positions)]
    cash += sum(-order * price for order, price in zip(orders, env.prices) if order < 0)
    for k, price in enumerate(env.prices):
        if orders[k] > 0:
            while orders[k] * price > cash:
                orders[k] -= 1
            cash -= orders[k] * price
    return orders


def game(cls, given, rng, named):
    """The prices, and a game: what the agent orders each day, and what it has on the next one."""
    env = cls(given)
    seen, over = env.reset(), False
    game = {"orders": [], "held": [], "cash": [], "worth": []}
    actions = rng.choice(3 + len(env.stocks), given["num_days"]).tolist()
    prices, news = [], [seen["news_next_day"]]
    while not over:
        orders = named_orders(actions[env.t], env) if named else random_orders(rng, env)
        buy = {name: order for name, order in zip(env.stocks, orders) if order > 0}
        sell = {name: -order for name, order in zip(env.stocks, orders) if order < 0}
        seen, worth, over, _ = env.step({"buy": buy, "sell": sell})
        news += [] if over else [seen["news_next_day"]]
        prices.append([float(f"{price:.11g}") for price in seen["prices"].values()])
        game["orders"].append(orders)
        game["held"].append(list(seen["positions"].values()))
        game["cash"].append(float(f"{seen['cash']:.11g}"))
        game["worth"].append(float(worth))
    return prices, news, game | ({"actions": actions} if named else {})


def task(cls, given, rng):
    """A level, its prices after each day, and two games."""
    (prices, news, first), (_, _, second) = game(cls, given, rng, False), game(cls, given, rng, True)
    level = {"prices": given["initial_prices"], "loadings": given["dependency_matrix"], "news": news}
    return {"level": level, "cash": given["initial_cash"], "prices": prices, "games": [first, second]}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    sys.path.insert(0, str(folder / "TradeEnv"))
    from TradeEnv_v2 import TradeArenaEnv_Deterministic

    rng, configs = np.random.default_rng(0), []
    for sizes in OWN:
        configs.append(own(rng, *sizes))
    for number in LITE:
        lite = json.loads((folder / f"test_data/trade/test_trade_config_{number}.json").read_text())
        news = [lite["timeline"][f"day_{k + 1}"]["variable_changes"] for k in range(LITE_DAYS)]
        configs.append(config(lite["initial_prices"], lite["dependency_matrix"], news, lite["initial_cash"]))
    tasks = [task(TradeArenaEnv_Deterministic, given, rng) for given in configs]
    print(json.dumps({"source": SOURCE, "tasks": tasks}, separators=(",", ":")))
