"""Baselines of StockNews: one learns what the news mean, one buys and holds."""

from __future__ import annotations

import numpy as np

from envsuite.agents.least_squares import estimates, keep, learn
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.games.stock_news import EQUAL, HOLD, INTO, ORDER, SELL, affordable
from envsuite.games.stock_news.levels import DAYS, FACTORS, STOCKS
from envsuite.generators.market import FLOOR, LOADING

ID = "envsuite/StockNews-v0"


@kernel
def by_weights(controls, action):
    """An action with a name as target parts of the capital. To hold equal parts, they are made equal again."""
    stocks = controls.shape[0]
    for i in range(stocks):
        controls[i] = 1.0 / stocks if action == HOLD or action == EQUAL else 0.0
    if action >= INTO:
        controls[action - INTO] = 1.0


@kernel
def by_orders(observation, controls, action):
    """An action with a name as orders."""
    stocks, cash = controls.shape[0], observation.cash[0]
    for i in range(stocks):
        controls[i] = 0.0
        if action == SELL or action >= INTO and action != INTO + i:
            controls[i] = -min(observation.held[i], ORDER)
            cash += observation.price[i] * min(observation.held[i], ORDER)
    if action >= INTO:
        controls[action - INTO] = min(affordable(cash, observation.price[action - INTO]), ORDER)
    elif action == EQUAL:
        for i in range(stocks):
            controls[i] = min(affordable(cash / stocks, observation.price[i]), ORDER)


@kernel
def by_controls(memory, observation, controls, action):
    """An action with a name in either form of numbers."""
    if memory.high[0] == 1.0:
        by_weights(controls, action)
    else:
        by_orders(observation, controls, action)


@kernel
def held_parts(observation):
    """To hold what there is, or to buy equal parts if there is nothing."""
    for i in range(observation.held.shape[0]):
        if observation.held[i] > 0:
            return HOLD
    return EQUAL


@kernel
def holder_by_controls(memory, observation, controls):
    """As `holder`, with numbers."""
    by_controls(memory, observation, controls, held_parts(observation))


@policy(ID, "holder", steer=holder_by_controls)
def holder(memory, observation, mask):
    """Buys equal parts of all stocks on the first day and holds them; with weights, it keeps the parts equal."""
    return held_parts(observation)


# Regression.


@kernel
def look(memory, observation):
    """Learn from the last day, unless a price is at its lowest; remember the present one."""
    exact = memory.seen >= 0
    for i in range(observation.price.shape[0]):
        exact = exact and observation.price[i] > FLOOR
    if exact:
        learn(memory, observation)
        memory.learned += 1
    keep(memory, observation)
    memory.seen = np.int64(observation.left[0])


@kernel
def best(memory, observation):
    """The stock with the best relative rise to be expected; `sell all` if none rises."""
    if np.int64(observation.left[0]) != memory.seen:
        look(memory, observation)
    found, most = SELL, 0.0
    if memory.learned < observation.news.shape[0] * memory.wait:
        return found
    for i in range(observation.price.shape[0]):
        rise = 0.0
        for a in range(observation.news.shape[0]):
            rise += memory.loading[i, a] * observation.news[a]
        part = max(rise / observation.price[i], FLOOR / observation.price[i] - 1.0)
        if part > most:
            found, most = INTO + i, part
    return found


@kernel
def regression_by_controls(memory, observation, controls):
    """As `regression`, with numbers."""
    by_controls(memory, observation, controls, best(memory, observation))


@policy(
    ID, "regression", steer=regression_by_controls, wait=True,
    variables=estimates(STOCKS, FACTORS, LOADING * LOADING / 3.0)
    | {"seen": limited(-1, -1, DAYS), "learned": limited(0, 0, DAYS)},
)  # fmt: skip
def regression(memory, observation, mask):
    """Learns the loadings by least squares and puts everything into the stock with the best relative rise; with `wait`,
    only once it has learned from as many days as there are factors."""
    return best(memory, observation)
