"""Baselines of Trading: technical rules, and the best forecast for each model of prices.

A policy that is made for one model of prices stays flat in the others.
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.least_squares import estimates, keep, learn
from envsuite.core.elementary import exp, log
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.generators.market import COIN, FACTORS, HISTORY, LOADING, PAIRS, REGIMES, slope, spread_deviation
from envsuite.social.trading import ANALYST

ID = "envsuite/Trading-v0"

#: The most assets and factors.
ASSETS, MOST = 9, 6

#: How many bars a policy expects to hold a position: it spreads the costs of a change over them.
HOLD = Between(1, 100).at(2.0)

SPAN = Between(2, HISTORY)

#: Variables: the bars left when the policy last looked, -1 before.
SEEN = {"seen": limited(-1, -1, 900)}


@kernel
def action_of(observation, part):
    """The action of the position nearest to a part of the whole one, from -1 to 1."""
    sizes = observation.rules[9]
    return np.int64(min(max(part, -1.0), 1.0) * sizes + sizes + 0.5)


@kernel
def flat(observation):
    """The action that holds nothing."""
    return np.int64(observation.rules[9])


@kernel
def worth(observation, asset, action, mean, variance, hold):
    """What a position is worth for the coming bar, if the return has this mean and variance."""
    sizes, count = observation.rules[9], observation.position.shape[0]
    share = (action - sizes) / (sizes * count)
    change = share - observation.position[asset]
    cost = observation.rules[6] * abs(change) + observation.rules[7] * change * change
    return share * mean - 0.5 * observation.rules[10] * share * share * variance - cost / hold


@kernel
def best(observation, asset, mean, variance, hold):
    """The position that is worth most; the present one if it is among these."""
    found = action_of(observation, observation.position[asset] * observation.position.shape[0])
    most = worth(observation, asset, found, mean, variance, hold)
    for action in range(2 * np.int64(observation.rules[9]) + 1):
        value = worth(observation, asset, action, mean, variance, hold)
        if value > most:
            found, most = action, value
    return found


@policy(ID, "buy_and_hold")
def buy_and_hold(memory, observation, mask):
    """Holds the whole capital in equal parts in all assets."""
    return action_of(observation, 1.0)


@policy(ID, "moving_average", fast=Between(1, HISTORY).at(2), slow=SPAN.at(8))
def moving_average(memory, observation, mask):
    """Long where the mean price of the last `fast` bars is above that of the last `slow` bars, otherwise short."""
    i, price, fast, slow = np.int64(observation.asset[0]), 1.0, 0.0, 0.0
    for k in range(max(memory.fast, memory.slow)):
        fast += price if k < memory.fast else 0.0
        slow += price if k < memory.slow else 0.0
        price /= 1.0 + observation.returns[k, i]
    return action_of(observation, 1.0 if fast * memory.slow > slow * memory.fast else -1.0)


@policy(ID, "dual_thrust", span=SPAN.at(4), width=Between(0, 2).at(0.3))
def dual_thrust(memory, observation, mask):
    """Long or short once the last price leaves the one before by `width` times the range of the `span` prices before
    it, upward or downward; otherwise keeps its position (Dual Thrust, with closing prices)."""
    i = np.int64(observation.asset[0])
    price = 1.0 / (1.0 + observation.returns[0, i])  # the one before; the last price is 1
    before, low, high = price, price, price
    for k in range(1, memory.span):
        price /= 1.0 + observation.returns[k, i]
        low, high = min(low, price), max(high, price)
    reach = memory.width * (high - low)
    if 1.0 > before + reach:
        return action_of(observation, 1.0)
    if 1.0 < before - reach:
        return action_of(observation, -1.0)
    return action_of(observation, observation.position[i] * observation.position.shape[0])


# The filter of regimes.


@kernel
def likelihood(regime, last, now, rho, sigma):
    """The density of a return after the last one in a regime, but for a factor."""
    z = (now - slope(regime, rho) * last) / sigma
    return exp(-0.5 * z * z)


@kernel
def filter_step(belief, last, now, rho, stay, sigma):
    """From probabilities of the regimes of a return to those of the next one, by Bayes' rule."""
    total = 0.0
    for regime in range(3):
        belief[regime] *= likelihood(regime, last, now, rho, sigma)
        total += belief[regime]
    for regime in range(3):
        known = belief[regime] / total if total > 0.0 else 1.0 / 3.0
        belief[regime] = stay * known + 0.5 * (1.0 - stay) * (1.0 - known)


@kernel
def remember(memory, observation):
    """Take the returns since the last look into account."""
    left = np.int64(observation.left[0])
    if left == memory.seen:
        return
    rho, stay, sigma = observation.rules[0], observation.rules[1], observation.rules[2]
    first = HISTORY - 2 if memory.seen < 0 else 0
    for i in range(observation.position.shape[0]):
        if memory.seen < 0:
            for regime in range(3):
                memory.belief[i, regime] = 1.0 / 3.0
        for k in range(first, -1, -1):
            filter_step(
                memory.belief[i], observation.returns[k + 1, i], observation.returns[k, i], rho, stay, sigma
            )  # fmt: skip
    memory.seen = left


@kernel
def heard(report, regime, accuracy):
    """The probability of a report of the analyst in a regime."""
    return accuracy if report == regime else 0.5 * (1.0 - accuracy)


@kernel
def decide(observation, belief, report, hold):
    """The best position given a report of the analyst, or NONE, its worth, and the probability of the report."""
    i, total, mean = np.int64(observation.asset[0]), 0.0, 0.0
    for regime in range(3):
        weight = belief[regime] * (heard(report, regime, observation.rules[3]) if report >= 0 else 1.0)
        total += weight
        mean += weight * slope(regime, observation.rules[0]) * observation.returns[0, i]
    mean /= total if total > 0.0 else 1.0
    variance = observation.rules[2] * observation.rules[2]
    action = best(observation, i, mean, variance, hold)
    return action, worth(observation, i, action, mean, variance, hold), total


@policy(
    ID, "filter", variables=SEEN | {"belief": limited(np.zeros((ASSETS, 3)), 0.0, 1.0)}, hold=HOLD
)  # fmt: skip
def filter(memory, observation, mask):
    """In regimes, the best position by the exact probabilities of the regimes given all returns and reports; it queries
    the analyst where its report is worth more than its cost."""
    if observation.model[0] != REGIMES:
        return flat(observation)
    remember(memory, observation)
    belief = memory.belief[np.int64(observation.asset[0])]
    if observation.known[ANALYST] != 0:
        report = np.int64(observation.readings[ANALYST])
        action, _, total = decide(observation, belief, report, memory.hold)
        for regime in range(3):
            weight = belief[regime] * heard(report, regime, observation.rules[3])
            belief[regime] = weight / total if total > 0.0 else 1.0 / 3.0
        return action
    action, value, _ = decide(observation, belief, -1, memory.hold)
    query = 2 * np.int64(observation.rules[9]) + 1 + ANALYST
    if query < mask.shape[0] and mask[query] != 0:
        informed = 0.0
        for report in range(3):
            _, then, chance = decide(observation, belief, report, memory.hold)
            informed += chance * then
        if informed - value > observation.rules[8]:
            return query
    return action


# The other models.


@policy(ID, "kelly")
def kelly(memory, observation, mask):
    """In coin, the position that makes the capital grow fastest; with the reward profit, the one that gains most."""
    if observation.model[0] != COIN:
        return flat(observation)
    up, sigma, sizes = observation.rules[4], observation.rules[2], observation.rules[9]
    if observation.rules[10] == 0.0:
        mean = (2.0 * up - 1.0) * sigma
        return best(observation, np.int64(observation.asset[0]), mean, 0.0, 1.0)
    found, most = 0, 0.0
    for action in range(2 * np.int64(sizes) + 1):
        stake = sigma * (action - sizes) / (sizes * observation.position.shape[0])
        growth = up * log(1.0 + stake) + (1.0 - up) * log(1.0 - stake)
        if action == 0 or growth > most:
            found, most = action, growth
    return found


@policy(
    ID, "spread", hold=HOLD,
    variables=SEEN | {name: limited(0.0, -1e9, 1e9) for name in ("moved", "total")} | {"count": limited(0, 0, 1000)},
)  # fmt: skip
def spread(memory, observation, mask):
    """In pairs, the best position against the mean of the spread given all returns; it knows the moves of the spread,
    not where it was at first."""
    if observation.model[0] != PAIRS:
        return flat(observation)
    left, pull, sigma = np.int64(observation.left[0]), observation.rules[5], observation.rules[2]
    if left != memory.seen:
        for k in range(HISTORY - 1 if memory.seen < 0 else 0, -1, -1):
            change = observation.returns[k, 0] - observation.returns[k, 1]
            # change + pull * moved has the mean -pull * (the spread at first) and the deviation sigma
            memory.total += change + pull * memory.moved
            memory.moved += change
            memory.count += 1
        memory.seen = left
    deviation = spread_deviation(sigma, pull)
    precision = sigma * sigma / (deviation * deviation) + memory.count * pull * pull
    first = -pull * memory.total / precision
    drift = -0.5 * pull * (first + memory.moved)
    i = np.int64(observation.asset[0])
    return best(observation, i, drift if i == 0 else -drift, 0.25 * sigma * sigma, memory.hold)


@policy(
    ID, "least_squares", hold=HOLD,
    variables=SEEN | estimates(ASSETS, MOST, LOADING * LOADING / 3.0),
)  # fmt: skip
def least_squares(memory, observation, mask):
    """In factors, learns the hidden numbers from news and price changes, and takes the best position for the news of
    the coming bar."""
    if observation.model[0] != FACTORS:
        return flat(observation)
    left, i = np.int64(observation.left[0]), np.int64(observation.asset[0])
    if left != memory.seen:
        if memory.seen >= 0:
            learn(memory, observation)
        keep(memory, observation)
        memory.seen = left
    mean, variance = 0.0, 0.0
    for a in range(observation.news.shape[0]):
        mean += memory.loading[i, a] * observation.news[a]
        for b in range(observation.news.shape[0]):
            variance += observation.news[a] * memory.spread[a, b] * observation.news[b]
    price = observation.price[i]
    return best(observation, i, mean / price, variance / (price * price), memory.hold)
