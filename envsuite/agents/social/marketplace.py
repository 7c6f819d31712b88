"""Baselines of Marketplace: six ways to shop and three to sell. Each plays either side, as its first line says.

A shopper asks all businesses of a page at once, waits for the answers, and buys from the first page with a proposal
that suits it. If the description of a policy does not say how it sells, it proposes menu prices at once. If it does not
say how it shops, it buys the best proposal. No policy sells a part of an order.
"""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import limited
from envsuite.social.marketplace import rules

_ID = "envsuite/Marketplace-v0"

ROUNDS = Between(0, 10_000)

#: A price, in percent of the menu.
PERCENT = Between(0, 1000)


@kernel
def order_size(observation):
    """The number of wanted items."""
    count = 0
    for j in range(rules.ORDER):
        count += observation.request[j] >= 0
    return count


@kernel
def on_offer(observation, row, suited):
    """Whether a row of the page has a proposal for the whole order, with all amenities if `suited`."""
    offer = observation.offers[row]
    return (
        offer[rules.PRICE] > 0
        and offer[rules.SOLD] == order_size(observation)
        and (offer[rules.SUITED] == 1 or not suited)
    )


@kernel
def before_choice(observation, mask):
    """Search, ask the whole page, wait for the answers, and go home after paying; -1 if it is time to choose."""
    if observation.account[rules.SPENT] > 0:
        return rules.STOP
    if observation.account[rules.PAGE] == 0:
        return rules.SEARCH
    if mask[rules.INQUIRE_ALL] != 0:
        return rules.INQUIRE_ALL
    return (
        rules.WAIT if observation.account[rules.EXPECTED] > 0 and observation.account[rules.CUSTOMER_TIME] > 1 else -1
    )


@kernel
def settle(observation, row):
    """Pay the proposal in a row; without a row, go to the next page, and after the last page go home."""
    if row >= 0:
        return rules.INQUIRE + observation.offers.shape[0] + row
    return rules.SEARCH if observation.account[rules.PAGE] < observation.account[rules.PAGES] else rules.STOP


@kernel
def least(observation, suited, column):
    """The row of the proposal with the least value in a column (price or place); -1 if there is none."""
    best = -1
    for row in range(observation.offers.shape[0]):
        if on_offer(observation, row, suited):
            if best < 0 or observation.offers[row, column] < observation.offers[best, column]:
                best = row
    return best


@kernel
def any_row(memory, observation, suited):
    """The row of a random proposal; -1 if there is none."""
    best, count = -1, 0
    for row in range(observation.offers.shape[0]):
        if on_offer(observation, row, suited):
            count += 1
            if random.randint(memory, count) == 0:
                best = row
    return best


@kernel
def buy_best(observation, mask):
    """Wait for all answers and pay the cheapest proposal with all amenities."""
    action = before_choice(observation, mask)
    return settle(observation, least(observation, True, rules.PRICE)) if action < 0 else action


@kernel
def sells(observation):
    """Whether the agent is a business, which acts only if it has an inquiry."""
    return observation.inquiry[rules.WAITING] > 0


@kernel
def propose(observation, mask, percent):
    """Propose this level or the next legal one above it; reply if the business does not sell the whole order."""
    if observation.inquiry[rules.ITEMS_SOLD] < order_size(observation):
        return np.int64(rules.REPLY)
    level = min(max((percent - rules.LOWEST + rules.SPACING - 1) // rules.SPACING, 0), rules.LEVELS - 1)
    while mask[rules.PROPOSE + level] == 0:
        level += 1
    return rules.PROPOSE + level


@kernel
def asked_price(observation, percent):
    """The price of the whole order at a level."""
    total = 0
    for j in range(rules.ORDER):
        if observation.request[j] >= 0:
            total += rules.charged(np.int64(observation.request[rules.ORDER + j]), percent)
    return total


@kernel
def sell_at_once(observation, mask):
    """Propose the menu's prices."""
    return propose(observation, mask, np.int64(100))


@policy(_ID, "any")
def any_proposal(memory, observation, mask):
    """Buys a random proposal, with or without the amenities; it is the reference's random choice among any."""
    if sells(observation):
        return sell_at_once(observation, mask)
    action = before_choice(observation, mask)
    return settle(observation, any_row(memory, observation, False)) if action < 0 else action


@policy(_ID, "cheapest")
def cheapest(memory, observation, mask):
    """Buys the cheapest proposal, with or without the amenities."""
    if sells(observation):
        return sell_at_once(observation, mask)
    action = before_choice(observation, mask)
    return settle(observation, least(observation, False, rules.PRICE)) if action < 0 else action


@policy(_ID, "amenities")
def amenities(memory, observation, mask):
    """Buys a random proposal with the amenities."""
    if sells(observation):
        return sell_at_once(observation, mask)
    action = before_choice(observation, mask)
    return settle(observation, any_row(memory, observation, True)) if action < 0 else action


@policy(_ID, "optimal")
def optimal(memory, observation, mask):
    """Buys the cheapest proposal with the amenities."""
    return sell_at_once(observation, mask) if sells(observation) else buy_best(observation, mask)


@policy(_ID, "myopic", variables={"hasty": limited(-1, -1, 1)}, haste=CHANCE.at(1.0))
def myopic(memory, observation, mask):
    """With probability `haste`, buys the first proposal to arrive, at any price; otherwise the best."""
    if sells(observation):
        return sell_at_once(observation, mask)
    if memory.hasty < 0:
        memory.hasty = np.int64(random.bernoulli(memory, memory.haste))
    if memory.hasty != 0 and observation.account[rules.SPENT] == 0:
        first = least(observation, False, rules.PLACE)
        if first >= 0:
            return settle(observation, first)
    return buy_best(observation, mask)


@policy(_ID, "patient", variables={"asked": limited(0, 0, ROUNDS.high)}, rounds=ROUNDS.at(3))
def patient(memory, observation, mask):
    """Waits for all answers, asks the second best up to `rounds` times to undercut the best, and buys the best."""
    if sells(observation):
        return sell_at_once(observation, mask)
    action = before_choice(observation, mask)
    if action >= 0:
        return action
    rows, best = observation.offers.shape[0], least(observation, True, rules.PRICE)
    if memory.asked < memory.rounds and best >= 0:
        second = -1
        for row in range(rows):
            if row != best and on_offer(observation, row, True) and mask[rules.INQUIRE + row] != 0:
                if second < 0 or observation.offers[row, rules.PRICE] < observation.offers[second, rules.PRICE]:
                    second = row
        if second >= 0:
            memory.asked += 1
            return rules.INQUIRE + second
    return settle(observation, best)


@policy(_ID, "fixed", price=PERCENT.at(100), pace=CHANCE.at(0.5))
def fixed(memory, observation, mask):
    """Sells at `price` percent of the menu price; answers in each step with probability `pace`."""
    if not sells(observation):
        return buy_best(observation, mask)
    if not random.bernoulli(memory, memory.pace):
        return rules.WAIT
    return propose(observation, mask, memory.price)


@policy(_ID, "fast")
def fast(memory, observation, mask):
    """Answers at once and sells at menu prices."""
    return sell_at_once(observation, mask) if sells(observation) else buy_best(observation, mask)


@policy(_ID, "undercutting", opening=PERCENT.at(90), pace=CHANCE.at(0.5))
def undercutting(memory, observation, mask):
    """Opens at `opening` percent, then undercuts rivals if it can; answers in each step with probability `pace`."""
    if not sells(observation):
        return buy_best(observation, mask)
    if not random.bernoulli(memory, memory.pace):
        return rules.WAIT
    rival = observation.inquiry[rules.RIVAL]
    if rival == 0:
        return propose(observation, mask, memory.opening)
    level = rules.LEVELS - 1
    while level > 0 and asked_price(observation, np.int64(rules.LOWEST + rules.SPACING * level)) >= rival:
        level -= 1
    return propose(observation, mask, np.int64(rules.LOWEST + rules.SPACING * level))
