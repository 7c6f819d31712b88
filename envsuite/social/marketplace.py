"""Marketplace: customers search, ask and pay; businesses answer and set prices; the first to answer sells more.

**Rules.** Every customer wants one to three items, and one or two amenities of the place that sells them. At each step,
all agents act at once.

A customer has these options:

- *Search.* The first search shows the first page of `page` businesses. Each further search shows the next page, and
  after the last page the first again.
- *Inquire* of businesses on its page. They learn its order and its amenities.
- *Pay* the standing proposal of a business on its page, at most one proposal of each business.
- *Stop* and go home.

A business looks at the first of its unanswered inquiries. It has these options:

- *Reply.* The customer learns how many of the items the business sells and whether it has all the amenities.
- *Propose.* The customer learns the same and gets an offer: the items that the business sells at 60% to 100% of its
  menu prices, but never below the business's own lowest percentage, the floor. A proposal stands until the business
  makes that customer another one, whatever the customer does.

An answer is given at a random moment of the step and takes an exponential time of mean `latency` steps to arrive. A
customer may inquire again of a business that has answered, to get another proposal. With each inquiry, the business
learns the price of the cheapest other proposal for the whole order that the customer then had.

*Search* ranks businesses by their rating, with ties by number. All customers' results are fixed from the start.

| `search` | shows |
|---|---|
| `simple` | all businesses |
| `lexical` | all businesses, those with more of the items first |
| `optimal` | businesses that sell all the items |
| `filtered` | businesses that sell all the items and have all the amenities |

*Markets* are drawn for each episode:

- A third of the customers wants one item, a third two, a third three. Orders of two and of three items share items with
  each other, but no order contains another.
- For each customer, there are businesses / customers businesses that sell all it wants, and nothing else.
- An item's list value is uniform from `cheapest` to `dearest`. A business's price for it is normal around that value,
  with a standard deviation of `spread` times it, and at least 0.01.
- A business has the amenities of its customer and two to four random ones of ten. One of each customer's businesses
  lacks the first amenity that the customer needs.
- Floors are 60% to 95%. Ratings are 1.0 to 5.0 and mean nothing.

**Agents.** `customer_0` ..., then `business_0` ...; a customer's businesses have random numbers.

**Observation.** Dict of int32 arrays, money in cents, with K = min(page, businesses).

| part | agents | space | content |
|---|---|---|---|
| request | all | Box (8,) | the order: three items, three prices, two amenities; -1 where there is none |
| account | customers | Box (6,) | see below |
| offers | customers | Box (K, 7) | its page, a row per business; -1 in rows without one |
| inquiry | businesses | Box (10,) | see below |

To a customer, the prices in `request` are list values. To a business, `request` is the request of the inquiry that it
looks at. The prices are its own menu prices, 0 for items that it does not sell. Without an inquiry, all are -1.

| index of `account` | content |
|---|---|
| 0, 1 | the page, 0 before the first search, and the number of pages (at least 1) |
| 2 | what the customer has paid in all |
| 3 | 1 once it has paid for its whole order at a business with all the amenities |
| 4 | answers that it waits for |
| 5 | steps left |

| column of `offers` | content |
|---|---|
| 0, 1 | the business, and its rating in tenths |
| 2 | 0 not asked, 1 asked and not answered, 2 answered, 3 with a standing proposal, 4 paid |
| 3, 4 | how many of the items it sells; 1 if it has all the amenities, 0 if not; -1 before its first answer |
| 5 | the price of its last proposal, 0 without one |
| 6 | the place of that proposal among all that reached the customer, from 1; 0 without one |

| index of `inquiry` | content |
|---|---|
| 0, 1 | inquiries to answer; the customer of the first, -1 without one |
| 2, 3 | how many of the customer's items the business sells; 1 if it has all the amenities |
| 4 | the menu price of those items together |
| 5 | the floor, in percent |
| 6 | the cheapest other proposal for the whole order that the customer had, 0 without one |
| 7 | what the business last proposed to the customer, 0 without one |
| 8, 9 | revenue; steps left |

**Actions.** Discrete: customers 4 + 2K, businesses 11. The first table is for customers, the second for businesses.

| action | name | legal |
|---|---|---|
| 0 | `wait` | always |
| 1 | `search` | before the first search, and where there are more pages |
| 2 | `inquire all` | where the page has businesses never asked: of all those |
| 3 | `stop` | always |
| 3 + k | `inquire k`, k = 1 .. K | of the k-th on the page, unless it owes an answer or was paid |
| 3 + K + k | `pay k` | where the k-th on the page has a standing proposal, not paid |

| action | name | legal |
|---|---|---|
| 0 | `wait` | with an inquiry to answer |
| 1 | `reply` | the same |
| 2 .. 10 | `propose 60%`, `propose 65%` ... `propose 100%` | from the floor on, where it sells some of the items |

With `say`, both have one more action, the last: `say` is to wait, and agents that talk freely say words of their own
with it. For customers it is legal once they have inquired of somebody, for businesses with an inquiry.

A business without an inquiry does not act.

**Window.** The keys w, s, a and q are `wait`, `search`, `inquire all` and `stop`. The key r is `reply`.

**Rewards.** A customer gets minus what it pays. Once, when it pays a proposal for its whole order to a business with
all the amenities, it also gets twice the list values of its order. A business gets what it is paid. Welfare is the sum
over customers.

**Ends.** Terminates for a customer that stops, which takes back its inquiries, and for businesses when all customers
have stopped. Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `customers` | 3 | number of customers, from 1 to 100 |
| `businesses` | 9 | number of businesses, a multiple of customers, two to ten times as many |
| `search` | lexical | or simple, optimal, filtered |
| `page` | 10 | businesses on a page, from 1 to 30: the consideration set |
| `latency` | 2.0 | mean time of an answer after the step in which it is given, from 0 to 1000 steps |
| `horizon` | 40 | steps until truncation, from 1 to 10,000 |
| `cheapest`, `dearest` | 4.0, 16.0 | bounds of list values, from 0.01 to 1000 |
| `spread` | 0.25 | standard deviation of prices, as a part of the list value, from 0 to 10 |
| `say` | False | whether all have the action `say` |

**Level.** ``{"items": [9.5, 4.25], "customers": [{"items": [0, 1], "amenities": [3]}], "businesses": [{"menu": [[0,
8.75], [1, 5.0]], "amenities": [3, 7], "floor": 0.8, "rating": 4.1}, ...]}``: list values, orders, and menus of pairs of
item and price.

**Known values.** Where all businesses propose menu prices, welfare on the reference's four data sets is exactly:

| customers, businesses | cheapest | optimal | random | with amenities |
|---|---|---|---|---|
| 3, 9 | 63.78 | 63.78 | 16.83 (35.64) | 61.155 (61.155) |
| 10, 30 | 111.31 | 185.61 | 59.67 (64.195) | 171.06 (171.22) |
| 33, 99 | 414.50 | 762.53 | 232.66 (228.245) | 683.685 (685.045) |
| 100, 300 | 1090.41 | 2109.85 | 636.16 (649.395) | 1912.31 (1912.89) |

The columns are customers that buy the cheapest, the best, a random and a random suitable proposal for the whole order.
The latter two depend on chance. The table gives the mean. Brackets: the reference's published median of 1,000 draws;
for 3, 9 there are 27 equally likely sums.

In drawn markets with three businesses to a customer, let V be the list values of an order and sigma the standard
deviation of its price. The customer's expected gain:

| proposal | gain |
|---|---|
| random | V/3 |
| random with amenities | V |
| best | V + sigma / sqrt(pi) |
| cheapest | V/3 + 1.5 sigma / sqrt(pi) |

Let a customer take the first of three proposals with probability h, and otherwise the best. It then takes the first
with f = h + (1 - h) / 3, which is 2f / (1 - f) times as often as either other (`first_proposal_bias`). The reference
reports 10 to 30 times for language models, which is h = 0.75 to 0.906.

**Differences.** From the reference:

- Its agents write. Here an inquiry states the order truthfully. So does an answer, which says nothing else, so there
  are no descriptions to manipulate. The reference's agents may misread, or be misled.
- There, any text may carry a rival's price; here each inquiry does.
- There, a business answers many inquiries at once, and customers look for messages when they like. Here businesses
  answer one inquiry a step, and answers take time.
- Its lexical search compares four-letter parts of request and menu; here, the numbers of items.
- Filtered search follows the filters that the reference's search takes, which its customers do not use.
- Its retrieval by embeddings is left out.
- In its data, all ratings are 1.0, and floors never apply.
- Its businesses also sell ten to fifteen items that no customer wants.
- A language model made up its list values and each item's spread. The defaults here are near them (mean 9.7, spread
  0.25).

**Source.** Bansal et al., "Magentic Marketplace: An Open-Source Environment for Studying Agentic Markets", 2025;
microsoft/multi-agent-marketplace, the origin of the rules of utility, the search, and `data/mexican_*`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import cos, pi, sin
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.elementary import log
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.ranges import among, below, flag, free, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene, text_width
from envsuite.render.theme import agent_color, text_on

#: Customers' actions; then `inquire` and `pay` by row.
WAIT, SEARCH, INQUIRE_ALL, STOP, INQUIRE = range(5)
#: Businesses' actions besides WAIT; then one per level of prices.
REPLY, PROPOSE = 1, 2

#: Levels of prices, in percent of the menu.
LOWEST, SPACING, LEVELS = 60, 5, 9

SEARCHES = ("simple", "lexical", "optimal", "filtered")
SIMPLE, LEXICAL, OPTIMAL, FILTERED = range(4)

#: Columns of the observation.
PAGE, PAGES, SPENT, SERVED, EXPECTED, CUSTOMER_TIME = range(6)
BUSINESS, RATING, STATUS, SOLD, SUITED, PRICE, PLACE = range(7)
WAITING, CUSTOMER, ITEMS_SOLD, SUITS, MENU_PRICE, FLOOR, RIVAL, LAST, REVENUE, BUSINESS_TIME = range(10)

#: What a customer knows of a business on its page.
NOT_ASKED, ASKED, ANSWERED, PROPOSED, PAID = range(5)

#: Maximum items of an order, maximum amenities of a request, and kinds of amenities.
ORDER, NEEDS, AMENITIES = 3, 2, 10

#: The highest price of an item, in cents.
DEAREST = 100_000

#: The trade between a customer and a business.
_PRICE, _COUNT = within(np.int32, 0, ORDER * DEAREST), within(np.int32, 0, 2**30)
DEAL = np.dtype(
    [
        ("arrival", free(np.float64)),  # when the answer underway arrives
        ("coming", _PRICE),  # the price in the answer underway, 0 for a reply
        ("offer", _PRICE),  # the price of the last proposal that arrived, 0 without one
        ("last", _PRICE),  # the price of the last proposal made
        ("rival", _PRICE),  # the cheapest other whole proposal that the customer had when it inquired
        ("place", _COUNT),  # place of the offer among those that arrived
        ("asked", flag()),  # the business has an inquiry to answer
        ("underway", flag()),  # an answer has not arrived
        ("known", flag()),  # an answer has arrived
        ("paid", flag()),
    ],
    align=True,
)


def fields(customers: int, businesses: int, items: int) -> list[tuple]:
    """The record's own fields; prices are in cents."""
    return [
        # The market: the level.
        ("values", within(np.int32, 0, DEAREST), (items,)),  # list prices
        ("orders", within(np.int16, -1, items - 1), (customers, ORDER)),  # items, then -1
        ("needs", within(np.int8, -1, AMENITIES - 1), (customers, NEEDS)),  # amenities, then -1
        ("menus", within(np.int32, 0, DEAREST), (businesses, items)),  # prices, 0 for what a business does not sell
        ("amenities", flag(), (businesses, AMENITIES)),  # whether a business has each
        ("floors", within(np.int32, 0, 100), (businesses,)),  # lowest level of prices, percent of the menu
        ("ratings", within(np.int32, 0, 50), (businesses,)),  # tenths
        # Search results.
        ("results", within(np.int16, -1, businesses - 1), (customers, businesses)),  # businesses, best first, then -1
        ("found", within(np.int32, 0, businesses), (customers,)),  # number of results
        ("page", within(np.int32, 0, businesses), (customers,)),  # page that a customer sees, 0 before the first search
        # Trade.
        ("deals", DEAL, (customers, businesses)),
        (
            "queue",
            within(np.int16, -1, customers - 1),
            (businesses, customers),
        ),  # customers whose inquiries are unanswered, in order, then -1
        ("waiting", within(np.int32, 0, customers), (businesses,)),  # number of these
        ("expected", within(np.int32, 0, businesses), (customers,)),  # number of answers to come
        ("received", _COUNT, (customers,)),  # number of proposals that have come
        ("spent", _COUNT, (customers,)),  # sum of what a customer has paid
        ("served", flag(), (customers,)),  # whether a customer has what it wants
        ("revenue", _COUNT, (businesses,)),  # sum of what a business was paid
        ("chosen", _COUNT, (customers,)),  # place of the proposal first paid, 0 without one
        ("options", _COUNT, (customers,)),  # number of proposals that had come then, and answers to come
        # For drawing a market.
        ("catalogue", below(np.int16, items), (items,)),  # items in random order
        ("line", below(np.int16, customers), (customers,)),  # customers in random order
        ("rated", below(np.int16, businesses), (businesses,)),  # businesses by rating
    ]


@large_kernel
def draw_orders(s):
    """Orders of one, two and three items in equal parts; those of two and three share items with the next one."""
    customers, items = s.orders.shape[0], s.values.shape[0]
    for i in range(items):
        s.values[i] = np.int32(np.floor(100.0 * s.params.cheapest + 0.5)) + random.randint(
            s, np.int64(np.floor(100.0 * (s.params.dearest - s.params.cheapest) + 0.5)) + 1
        )
        s.catalogue[i] = i
    random.shuffle(s, s.catalogue, items)
    for c in range(customers):
        s.line[c] = c
    random.shuffle(s, s.line, customers)
    part = (customers + 2) // 3
    start, last = 0, 0
    for k in range(customers):
        size = k // part + 1
        if k % part == 0 and size > 1:  # orders of another size share nothing with those before
            start = last
        c = s.line[k]
        for j in range(ORDER):
            s.orders[c, j] = s.catalogue[start + j] if j < size else -1
        last = start + size
        start += 1 + random.randint(s, size)
        s.needs[c, 0] = random.randint(s, AMENITIES)
        s.needs[c, 1] = -1
        if random.bernoulli(s, 0.5):
            s.needs[c, 1] = (s.needs[c, 0] + 1 + random.randint(s, AMENITIES - 1)) % AMENITIES


@large_kernel
def draw_businesses(s):
    """For each customer, an equal number of businesses that sell its order; the last lacks the first amenity."""
    customers, businesses, items = s.orders.shape[0], s.menus.shape[0], s.values.shape[0]
    for b in range(businesses):
        s.rated[b] = b
    random.shuffle(s, s.rated, businesses)
    share = businesses // customers
    for k in range(businesses):
        b, c = s.rated[k], k // share
        for i in range(items):
            s.menus[b, i] = 0
        for j in range(ORDER):
            i = s.orders[c, j]
            if i >= 0:
                price = s.values[i] * (1.0 + s.params.spread * random.normal(s))
                s.menus[b, i] = np.int32(min(max(np.floor(price + 0.5), 1.0), float(DEAREST)))
        for m in range(AMENITIES):
            s.amenities[b, m] = 0
        left = 2 + random.randint(s, 3)
        while left > 0:
            m = random.randint(s, AMENITIES)
            left -= s.amenities[b, m] == 0
            s.amenities[b, m] = 1
        for j in range(NEEDS):
            if s.needs[c, j] >= 0:
                s.amenities[b, s.needs[c, j]] = 1
        if k % share == share - 1:
            s.amenities[b, s.needs[c, 0]] = 0
        s.floors[b] = 60 + random.randint(s, 36)
        s.ratings[b] = 10 + random.randint(s, 41)


@kernel
def wanted(s, customer):
    """How many items the customer wants."""
    count = 0
    for j in range(ORDER):
        count += s.orders[customer, j] >= 0
    return count


@kernel
def sold(s, business, customer):
    """How many of the customer's items the business sells."""
    count = 0
    for j in range(ORDER):
        item = s.orders[customer, j]
        if item >= 0:
            count += s.menus[business, item] > 0
    return count


@kernel
def suits(s, business, customer):
    """Whether the business has all amenities that the customer needs."""
    for j in range(NEEDS):
        need = s.needs[customer, j]
        if need >= 0 and s.amenities[business, need] == 0:
            return False
    return True


@kernel
def worth(s, customer):
    """What the customer's items together are worth to it."""
    total = 0
    for j in range(ORDER):
        if s.orders[customer, j] >= 0:
            total += 2 * s.values[s.orders[customer, j]]
    return total


@kernel
def charged(price, percent):
    """The price of an item at this percentage of its menu price: whole cents, at least one."""
    return max((price * percent + 50) // 100, 1)


@kernel
def quote(s, business, customer, percent):
    """The price at this level of those of the customer's items that the business sells."""
    total = 0
    for j in range(ORDER):
        item = s.orders[customer, j]
        if item >= 0 and s.menus[business, item] > 0:
            total += charged(np.int64(s.menus[business, item]), percent)
    return total


@kernel
def list_result(s, customer, business):
    s.results[customer, s.found[customer]] = business
    s.found[customer] += 1


@large_kernel
def rank(s):
    """What each customer finds, in order."""
    customers, businesses = s.results.shape
    for k in range(businesses):  # by rating; insertion keeps ties in order
        b, j = k, k
        while j > 0 and s.ratings[s.rated[j - 1]] < s.ratings[b]:
            s.rated[j] = s.rated[j - 1]
            j -= 1
        s.rated[j] = b
    for c in range(customers):
        s.found[c] = 0
        for k in range(businesses):
            s.results[c, k] = -1
        if s.params.search == LEXICAL:
            for count in range(ORDER, -1, -1):
                for k in range(businesses):
                    if sold(s, s.rated[k], c) == count:
                        list_result(s, c, s.rated[k])
        else:
            for k in range(businesses):
                b = s.rated[k]
                whole = sold(s, b, c) == wanted(s, c)
                if s.params.search == SIMPLE or (whole and (s.params.search == OPTIMAL or suits(s, b, c))):
                    list_result(s, c, b)


@large_kernel
def reset(s):
    if not s.level_given:
        draw_orders(s)
        draw_businesses(s)
    rank(s)
    customers, businesses = s.deals.shape
    for c in range(customers):
        for b in range(businesses):
            deal = s.deals[c, b]
            deal.arrival = 0.0
            deal.coming = deal.offer = deal.last = deal.rival = deal.place = 0
            deal.asked = deal.underway = deal.known = deal.paid = 0
            s.queue[b, c] = -1
        s.line[c] = 0
        s.page[c] = s.expected[c] = s.received[c] = s.spent[c] = s.served[c] = s.chosen[c] = s.options[c] = 0
    for b in range(businesses):
        s.waiting[b] = s.revenue[b] = 0
    fill(s.catalogue, 0)


@kernel
def result(s, customer, row):
    """The business in a row of the customer's page; -1 if there is none."""
    rows = s.params.rows
    place = (s.page[customer] - 1) * rows + row
    if s.page[customer] == 0 or place >= s.found[customer]:
        return -1
    return np.int64(s.results[customer, place])


@kernel
def pages(s, customer):
    return max((s.found[customer] + s.params.rows - 1) // s.params.rows, 1)


@large_kernel
def inquire(s, customer, business):
    deal = s.deals[customer, business]
    cheapest = 0
    for b in range(s.deals.shape[1]):
        price = s.deals[customer, b].offer
        if b != business and price > 0 and (cheapest == 0 or price < cheapest):
            if sold(s, b, customer) == wanted(s, customer):
                cheapest = price
    deal.rival = cheapest
    deal.asked = 1
    s.expected[customer] += 1
    s.queue[business, s.waiting[business]] = customer
    s.waiting[business] += 1


@kernel
def leave_queue(s, customer, business):
    """Take the customer's inquiry from the business's queue."""
    place = 0
    while s.queue[business, place] != customer:
        place += 1
    for k in range(place, s.waiting[business] - 1):
        s.queue[business, k] = s.queue[business, k + 1]
    s.waiting[business] -= 1
    s.queue[business, s.waiting[business]] = -1
    s.deals[customer, business].asked = 0


@large_kernel
def answer(s, business, action):
    """Answer the first inquiry."""
    customer = np.int64(s.queue[business, 0])
    leave_queue(s, customer, business)
    deal = s.deals[customer, business]
    deal.underway = 1
    deal.coming = 0
    if action >= PROPOSE:
        deal.coming = quote(s, business, customer, LOWEST + SPACING * (action - PROPOSE))
        deal.last = deal.coming
    deal.arrival = s.t - random.uniform(s) - s.params.latency * log(1.0 - random.uniform(s))


@large_kernel
def withdraw(s, customer, business):
    """Take back an inquiry that is not answered, or whose answer has not arrived."""
    deal = s.deals[customer, business]
    s.expected[customer] -= np.int64(deal.asked | deal.underway)
    if deal.asked != 0:
        leave_queue(s, customer, business)
    deal.underway = 0


@large_kernel
def pay(s, customer, business, rewards):
    deal = s.deals[customer, business]
    price = deal.offer
    deal.paid = 1
    if s.spent[customer] == 0:
        s.chosen[customer] = deal.place
        s.options[customer] = s.received[customer] + s.expected[customer]
    withdraw(s, customer, business)
    s.spent[customer] += price
    s.revenue[business] += price
    rewards[customer] -= price / 100.0
    rewards[s.deals.shape[0] + business] += price / 100.0
    if s.served[customer] == 0 and sold(s, business, customer) == wanted(s, customer) and suits(s, business, customer):
        s.served[customer] = 1
        rewards[customer] += worth(s, customer) / 100.0


@large_kernel
def stop(s, customer):
    for b in range(s.deals.shape[1]):
        withdraw(s, customer, b)
    s.terminated[customer] = 1


@kernel
def shop(s, customer, action, rewards):
    """Carry out a customer's action; after the last payment comes to say something, which does nothing."""
    rows = s.params.rows
    if action >= INQUIRE + 2 * rows:
        return
    if action == SEARCH:
        s.page[customer] = s.page[customer] % pages(s, customer) + 1
    elif action == STOP:
        stop(s, customer)
    elif action >= INQUIRE + rows:
        pay(s, customer, result(s, customer, action - INQUIRE - rows), rewards)
    elif action != WAIT:
        for row in range(rows):
            b = result(s, customer, row)
            if b >= 0 and (action == INQUIRE + row or (action == INQUIRE_ALL and untouched(s.deals[customer, b]))):
                inquire(s, customer, b)


@kernel
def untouched(deal):
    """Whether the customer has never asked this business."""
    return (deal.asked | deal.underway | deal.known) == 0


@large_kernel
def deliver(s, customer):
    """Let the answers arrive that are due, in their order."""
    while True:
        first = -1
        for b in range(s.deals.shape[1]):
            deal = s.deals[customer, b]
            if deal.underway != 0 and deal.arrival <= s.t:
                if first < 0 or deal.arrival < s.deals[customer, first].arrival:
                    first = b
        if first < 0:
            return
        deal = s.deals[customer, first]
        deal.underway = 0
        deal.known = 1
        s.expected[customer] -= 1
        if deal.coming > 0:
            s.received[customer] += 1
            deal.offer = deal.coming
            deal.place = s.received[customer]


@large_kernel
def step(s, actions, rewards):
    customers, businesses = s.deals.shape
    for b in range(businesses):
        if s.waiting[b] > 0 and WAIT < actions[customers + b] < PROPOSE + LEVELS:
            answer(s, b, actions[customers + b])
    shift = random.randint(s, customers)  # the order in a queue of customers that inquire at once
    left = 0
    for k in range(customers):
        c = (k + shift) % customers
        if s.terminated[c] == 0:
            shop(s, c, actions[c], rewards)
            left += s.terminated[c] == 0
            if s.expected[c] > 0:
                deliver(s, c)
    for a in range(customers + businesses):
        if left == 0:
            s.terminated[a] = 1
        elif s.t >= s.params.horizon and s.terminated[a] == 0:
            s.truncated[a] = 1


@kernel
def observe_customer(s, c, out):
    for j in range(ORDER):
        item = s.orders[c, j]
        out.request[j] = item
        out.request[ORDER + j] = s.values[item] if item >= 0 else -1
    for j in range(NEEDS):
        out.request[2 * ORDER + j] = s.needs[c, j]
    out.account[PAGE] = s.page[c]
    out.account[PAGES] = pages(s, c)
    out.account[SPENT] = s.spent[c]
    out.account[SERVED] = s.served[c]
    out.account[EXPECTED] = s.expected[c]
    out.account[CUSTOMER_TIME] = max(s.params.horizon - s.t, 0)
    for row in range(s.params.rows):
        b = result(s, c, row)
        if b < 0:
            for k in range(7):
                out.offers[row, k] = -1
            continue
        deal = s.deals[c, b]
        out.offers[row, BUSINESS] = b
        out.offers[row, RATING] = s.ratings[b]
        out.offers[row, STATUS] = status(deal)
        out.offers[row, SOLD] = sold(s, b, c) if deal.known else -1
        out.offers[row, SUITED] = np.int64(suits(s, b, c)) if deal.known else -1
        out.offers[row, PRICE] = deal.offer
        out.offers[row, PLACE] = deal.place


@kernel
def status(deal):
    if deal.paid != 0:
        return PAID
    if (deal.asked | deal.underway) != 0:
        return ASKED
    if deal.offer > 0:
        return PROPOSED
    return ANSWERED if deal.known != 0 else NOT_ASKED


@kernel
def observe_business(s, b, out):
    asked = s.waiting[b] > 0
    c = np.int64(s.queue[b, 0]) if asked else 0
    for j in range(ORDER):
        item = s.orders[c, j] if asked else -1
        out.request[j] = item
        out.request[ORDER + j] = s.menus[b, item] if item >= 0 else -1
    for j in range(NEEDS):
        out.request[2 * ORDER + j] = s.needs[c, j] if asked else -1
    out.inquiry[WAITING] = s.waiting[b]
    out.inquiry[CUSTOMER] = c if asked else -1
    out.inquiry[ITEMS_SOLD] = sold(s, b, c) if asked else 0
    out.inquiry[SUITS] = np.int64(suits(s, b, c)) if asked else 0
    out.inquiry[MENU_PRICE] = quote(s, b, c, np.int64(100)) if asked else 0
    out.inquiry[FLOOR] = s.floors[b]
    out.inquiry[RIVAL] = s.deals[c, b].rival if asked else 0
    out.inquiry[LAST] = s.deals[c, b].last if asked else 0
    out.inquiry[REVENUE] = s.revenue[b]
    out.inquiry[BUSINESS_TIME] = max(s.params.horizon - s.t, 0)


@kernel
def observe(s, agent, out):
    customers = s.deals.shape[0]
    if agent < customers:
        observe_customer(s, agent, out)
        for k in range(10):
            out.inquiry[k] = 0
    else:
        observe_business(s, agent - customers, out)
        for k in range(6):
            out.account[k] = 0
        for row in range(s.params.rows):
            for k in range(7):
                out.offers[row, k] = -1


@kernel
def legal(s, agent, mask):
    customers, rows = s.deals.shape[0], s.params.rows
    says = mask.shape[0] > max(INQUIRE + 2 * rows, PROPOSE + LEVELS)
    if agent < customers:
        mask[WAIT] = mask[STOP] = 1
        for b in range(s.deals.shape[1] if says else 0):
            mask[INQUIRE + 2 * rows] |= not untouched(s.deals[agent, b])
        mask[SEARCH] = s.page[agent] == 0 or pages(s, agent) > 1
        for row in range(rows):
            b = result(s, agent, row)
            if b >= 0:
                deal = s.deals[agent, b]
                owes = deal.asked | deal.underway
                mask[INQUIRE_ALL] |= untouched(deal)
                mask[INQUIRE + row] = (owes | deal.paid) == 0
                mask[INQUIRE + rows + row] = deal.offer > 0 and deal.paid == 0
    elif s.waiting[agent - customers] > 0:
        b = agent - customers
        mask[WAIT] = mask[REPLY] = 1
        if says:
            mask[PROPOSE + LEVELS] = 1
        if sold(s, b, np.int64(s.queue[b, 0])) > 0:
            for level in range(LEVELS):
                mask[PROPOSE + level] = LOWEST + SPACING * level >= s.floors[b]


#: Names for items: an adjective and a dish. There are more than the largest market needs.
_KINDS = "plain hot salty sweet sour smoked green red crisp mild rich roast fresh spiced golden".split()
_DISHES = "soup curry salad noodles dumplings rice stew pie toast skewers crepes pickles omelette tart stir-fry".split()

NEED_NAMES = (
    "parking", "a garden", "live music", "reservations", "a private room", "step-free access", "a children's menu",
    "take-away", "late hours", "free internet",
)  # fmt: skip


def item_name(item: int) -> str:
    """What an item is called."""
    return f"{_KINDS[(item + item // len(_DISHES)) % len(_KINDS)]} {_DISHES[item % len(_DISHES)]}"


def money(cents: Any) -> str:
    """An amount with two digits."""
    return f"{int(cents) / 100:.2f}"


def ordinal(number: int) -> str:
    """First, second, third in short."""
    return f"{number}{'th' if number % 100 in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


#: Sizes in the picture: the column of businesses, a customer's column, a row, and the space above the rows.
_LABEL, _COLUMN, _ROW, _HEAD = 5.4, 4.3, 0.95, 4.75


def _box(low: Any, high: Any) -> Box:
    return Box(np.array(low, np.int32), np.array(high, np.int32), dtype=np.int32)


_RULES = (
    "The market has {customers:customer} and {businesses:business/businesses}. Each customer wants certain items, all "
    "from one place, which must also have certain amenities. In each step all act at once.",
    (
        "A search shows a page of up to {page:business/businesses}, the next search the next page, and after the last "
        "page comes the first again.",
        Case(
            "search",
            {
                "simple": "It finds all businesses, those with the best ratings first.",
                "lexical": (
                    "It finds all businesses: those with more of the items first, and of these the best rated first."
                ),
                "optimal": "It finds the businesses that sell all the items, the best rated first.",
                "filtered": (
                    "It finds the businesses that sell all the items and have all the amenities, the best rated first."
                ),
            },
        ),
        "Ratings are from 1.0 to 5.0 and say nothing about what a business sells.",
    ),
    (
        "A customer inquires of businesses on its page. They learn what it wants, and the price of the cheapest "
        "proposal for the whole order that another business has made it. It may ask a business again when that has "
        "answered. A business answers one inquiry in a step, the oldest: with a reply, which says how many of the "
        "items it sells and whether it has the amenities, or with a proposal, which says that too and offers the items "
        "that it sells at a percentage of its menu prices, but not below its own lowest percentage, the floor.",
        When(
            "latency",
            "After the step in which it is given, an answer takes a random time to arrive, {latency:step} on average.",
            "An answer arrives in the step in which it is given.",
        ),
        "A proposal stands until another one of this business reaches the customer. The customer may pay one proposal "
        "of each business.",
    ),
    "List values of items are from {cheapest} to {dearest}; the price on a menu is normal around the list value, with "
    "a standard deviation of {spread} times it.",
)
_CONSTANTS = {"1.0": "the lowest rating", "5.0": "the highest rating"}
ROLE_PAGES = {
    "customer": Page(
        role="You are a customer.",
        goal=(
            "You lose what you pay. When you first pay a proposal for all your items to a business with all the "
            "amenities, you get twice their list values."
        ),
        rules=_RULES,
        sees="You see the businesses on your page and what they have answered.",
        acts={
            "search": "see the first or the next page",
            "inquire {N}": "ask the business that is number N on your page",
            "inquire all": "ask all on your page that you have not asked",
            "pay {N}": "pay the proposal of the business that is number N on your page",
            "wait": "do nothing",
            "say": When("says", "wait, and speak to the businesses that you have asked; by itself it tells nothing"),
            "stop": "go home, for good; nobody answers you then",
        },
        ends="The market is closed for you when you stop, and for all after {horizon:step}.",
        constants={**_CONSTANTS, "twice": "the worth of an order"},
    ),
    "business": Page(
        role="You are a business.",
        goal="You get what customers pay you.",
        rules=_RULES,
        sees=(
            "You see your oldest inquiry, what you sell of it, your floor, the other proposal that it tells of, and "
            "what you last proposed to this customer."
        ),
        acts={
            "reply": "say what you have, without an offer",
            "propose {PERCENT}": "offer those of the items that you sell, at this percentage of your menu prices",
            "wait": "do nothing in this step",
            "say": When("says", "wait, and speak to the customer that you would answer; by itself it tells nothing"),
        },
        ends="The market closes when all customers have stopped, and after {horizon:step}.",
        constants=_CONSTANTS,
    ),
}


#: What policies say in free talk.
PHRASES = {
    "inquire all": (
        "Hello, what can you offer me?",
        "I am looking for a place. Do you have what I want?",
        "Could you make me an offer?",
        "I am asking around. What do you have for me?",
        "Do you have this, and at what price?",
    ),
    "inquire {}": (
        "Hello, what can you offer me?",
        "Do you have what I am looking for?",
        "Could you make me an offer?",
        "I am interested in your menu. What can you do?",
        "What do you have for me, and at what price?",
    ),
    "reply": (
        "Here is what we have of it.",
        "Thank you for asking. This is what we can say.",
        "Let me tell you what we sell.",
        "I looked at your order, and this is what we have.",
        "Thanks for your interest. Here are the facts.",
    ),
    "propose {}": (
        "I can offer you {0} of our menu prices.",
        "For you it would be {0} of the menu.",
        "Our proposal is {0} of the menu price.",
        "How about {0} of what the menu says?",
        "You can have it at {0} of our menu prices.",
    ),
}


class Marketplace(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = ROLE_PAGES
    phrases = PHRASES
    turns = "mixed"
    leaving = True
    kind = ("markets",)
    verified = "the published baselines on their own data; the first-proposal bias in closed form"
    variants = (dict(customers=1, businesses=4, search="simple", page=3, latency=0.0, horizon=15, say=True),)
    shown = "patient"
    keys = {"w": "wait", "s": "search", "a": "inquire all", "q": "stop", "r": "reply"}

    def __init__(
        self,
        customers: Annotated[int, Between(1, 100)] = 3,
        businesses: Annotated[int, Between(2, 1000)] = 9,
        search: Literal["lexical", "simple", "optimal", "filtered"] = "lexical",
        page: Annotated[int, Between(1, 30)] = 10,
        latency: Annotated[float, Between(0, 1000)] = 2.0,
        horizon: Annotated[int, Between(1, 10_000)] = 40,
        cheapest: Annotated[float, Between(0.01, 1000)] = 4.0,
        dearest: Annotated[float, Between(0.01, 1000)] = 16.0,
        spread: Annotated[float, Between(0, 10)] = 0.25,
        say: bool = False,
    ):
        if businesses % customers or not 2 <= businesses // customers <= 10:
            raise ParameterError(
                f"Marketplace: businesses={businesses} must be a multiple of customers={customers}, "
                "two to ten times as many"
            )
        if cheapest > dearest:
            raise ParameterError(f"Marketplace: cheapest={cheapest} is more than dearest={dearest}")
        rows, items = min(page, businesses), 6 * ((customers + 2) // 3)
        buyers = [f"customer_{c}" for c in range(customers)]
        sellers = [f"business_{b}" for b in range(businesses)]
        numbers = range(1, rows + 1)
        shopping = ["wait", "search", "inquire all", "stop"]
        shopping += [f"inquire {k}" for k in numbers] + [f"pay {k}" for k in numbers]
        selling = ["wait", "reply", *(f"propose {LOWEST + SPACING * k}%" for k in range(LEVELS))]
        if say:
            self.neutral = "say"
            shopping.append(self.neutral)
            selling.append(self.neutral)
        whole = ORDER * DEAREST
        request = _box([-1] * 8, [items - 1] * ORDER + [DEAREST] * ORDER + [AMENITIES - 1] * NEEDS)
        account = _box([0] * 6, [businesses, businesses, businesses * whole, 1, businesses, horizon])
        offer = [businesses - 1, 50, PAID, ORDER, 1, whole, businesses * horizon]
        inquiry = [customers, customers - 1, ORDER, 1, whole, 100, whole, whole, customers * whole, horizon]
        self.define(
            agents=[*buyers, *sellers],
            actions={**dict.fromkeys(buyers, shopping), **dict.fromkeys(sellers, selling)},
            observation={
                **dict.fromkeys(
                    buyers, Dict(request=request, account=account, offers=_box([[-1] * 7] * rows, [offer] * rows))
                ),
                **dict.fromkeys(sellers, Dict(request=request, inquiry=_box([0, -1] + [0] * 8, inquiry))),
            },
            fields=fields(customers, businesses, items),
            params={
                "search": among(SEARCHES, search),
                "rows": rows,  # a size of spaces, not to be tuned
                "latency": float(latency),
                "horizon": horizon,
                "cheapest": float(cheapest),
                "dearest": float(dearest),
                "spread": float(spread),
            },
            reward_range=(-whole / 100, max(2 * whole, customers * whole) / 100),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.params.cheapest > s.params.dearest:
            return "cheapest is more than dearest"
        wanted = s.orders >= 0
        if not wanted[:, 0].all() or (wanted[:, 1:] & ~wanted[:, :-1]).any():
            return "an order is empty or has a gap"
        asked, underway = np.asarray(s.deals.asked), np.asarray(s.deals.underway)
        for b, (queue, waiting) in enumerate(zip(s.queue, s.waiting)):
            if not np.array_equal(np.sort(queue[:waiting]), np.flatnonzero(asked[:, b])):
                return f"the queue of business_{b} does not list those who asked"
        return None if ((asked | underway).sum(axis=1) == s.expected).all() else "expected does not count the answers"

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        values, buyers, sellers = level["items"], level["customers"], level["businesses"]
        for name, given, size in (("customers", buyers, len(s.orders)), ("businesses", sellers, len(s.menus))):
            if len(given) != size:
                raise LevelError(f"{self.id}: the level has {len(given)} {name}, this world {size}")
        if not 1 <= len(values) <= len(s.values):
            raise LevelError(f"{self.id}: the level has {len(values)} items; 1 to {len(s.values)} are allowed")
        s.values, s.orders, s.needs, s.menus, s.amenities = 0, -1, -1, 0, 0
        for k, value in enumerate(values):
            s.values[k] = self._cents(value, f"item {k}")
        for c, buyer in enumerate(buyers):
            order = self._numbers(buyer["items"], len(values), f"items of customer {c}")
            needs = self._numbers(buyer["amenities"], AMENITIES, f"amenities of customer {c}")
            if not 1 <= len(order) <= ORDER or len(needs) > NEEDS:
                raise LevelError(
                    f"{self.id}: customer {c} wants {len(order)} items and {len(needs)} amenities; "
                    f"1 to {ORDER} and at most {NEEDS} are allowed"
                )
            s.orders[c, : len(order)] = order
            s.needs[c, : len(needs)] = needs
        for b, seller in enumerate(sellers):
            items = self._numbers([item for item, _ in seller["menu"]], len(values), f"menu of business {b}")
            for item, (_, price) in zip(items, seller["menu"]):
                s.menus[b, item] = self._cents(price, f"item {item} of business {b}")
            s.amenities[b, self._numbers(seller["amenities"], AMENITIES, f"amenities of business {b}")] = 1
            floor, rating = float(seller["floor"]), float(seller["rating"])
            if not 0 <= floor <= 1 or not 0 <= rating <= 5:
                raise LevelError(
                    f"{self.id}: the floor {floor!r} of business {b} must be from 0 to 1, its rating {rating!r} to 5"
                )
            s.floors[b], s.ratings[b] = np.ceil(100 * floor - 1e-6), round(10 * rating)
        s.rated = np.arange(len(s.rated))

    def _cents(self, price: Any, of: str) -> int:
        if isinstance(price, (bool, str)) or not 0.01 <= float(price) <= DEAREST / 100:
            raise LevelError(f"{self.id}: the price {price!r} of {of} must be from 0.01 to {DEAREST / 100:g}")
        return round(100 * float(price))

    def _numbers(self, given: Sequence[Any], size: int, of: str) -> list[int]:
        numbers = [int(k) for k in given]
        if numbers != list(given) or len(set(numbers)) < len(numbers) or not all(0 <= k < size for k in numbers):
            raise LevelError(f"{self.id}: the {of} must be different numbers from 0 to {size - 1}, not {given!r:.80}")
        return numbers

    def get_level(self, s: Any) -> dict[str, Any]:
        count = int(np.flatnonzero(s.values).max()) + 1
        return {
            "items": (s.values[:count] / 100).tolist(),
            "customers": [
                {"items": order[order >= 0].tolist(), "amenities": needs[needs >= 0].tolist()}
                for order, needs in zip(s.orders, s.needs)
            ],
            "businesses": [
                {
                    "menu": [[item, float(menu[item]) / 100] for item in np.flatnonzero(menu).tolist()],
                    "amenities": np.flatnonzero(amenities).tolist(),
                    "floor": floor / 100,
                    "rating": rating / 10,
                }
                for menu, amenities, floor, rating in zip(s.menus, s.amenities, s.floors.tolist(), s.ratings.tolist())
            ],
        }

    # Words.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"says": self.neutral}

    def speech(self, s: Any, agent: int, action: int) -> Collection[int] | None:
        """Businesses hear with an inquiry, or once they had one; a customer hears with the answer to its inquiry."""
        customers, rows = len(s.orders), int(s.params.rows)
        if agent >= customers:
            b = agent - customers
            return (int(s.queue[b, 0]),) if action != WAIT and s.waiting[b] else None
        if action == INQUIRE + 2 * rows:
            return [customers + b for b in range(len(s.menus)) if not untouched(s.deals[agent, b])]
        page = self._page(s, agent)
        if action == INQUIRE_ALL:
            return [customers + b for b in page if untouched(s.deals[agent, b])]
        return (customers + page[action - INQUIRE],) if INQUIRE <= action < INQUIRE + len(page) else None

    def text(self, s: Any, agent: int) -> str:
        lines = self._customer(s, agent) if agent < len(s.orders) else self._business(s, agent - len(s.orders))
        over = s.terminated[agent] or s.truncated[agent]
        left = "The market is closed for you." if over else f"Step {s.t + 1} of {s.params.horizon}."
        return "\n".join([*lines, left])

    def _order(self, s: Any, customer: int) -> list[int]:
        return [item for item in s.orders[customer] if item >= 0]

    def _needs(self, s: Any, customer: int) -> str:
        return _listed([NEED_NAMES[k] for k in s.needs[customer] if k >= 0] or ["nothing else"])

    def _customer(self, s: Any, c: int) -> list[str]:
        order = self._order(s, c)
        listed = _listed([f"{item_name(item)} (list value {money(s.values[item])})" for item in order])
        lines = [
            f"You are customer_{c}. You want {listed}, all from one business that has {self._needs(s, c)}: "
            f"that is worth {money(worth(s, c))} to you, less all that you pay.",
            f"You have paid {money(s.spent[c])}" + (" and have what you want." if s.served[c] else "."),
        ]
        if s.page[c] == 0:
            return [*lines, "You have not searched yet."]
        lines.append(f"Answers that you wait for: {s.expected[c]}.")
        lines.append(f"Page {s.page[c]} of {pages(s, c)}:")
        for row, b in enumerate(self._page(s, c)):
            lines.append(f"{row + 1}. business_{b}, rated {s.ratings[b] / 10:.1f}: {self._known(s, c, b)}")
        return lines

    def _page(self, s: Any, customer: int) -> list[int]:
        found = [int(result(s, customer, row)) for row in range(s.params.rows)]
        return [b for b in found if b >= 0]

    def _known(self, s: Any, c: int, b: int) -> str:
        deal = s.deals[c, b]
        now = status(deal)
        waits = "asked, no answer yet." if now == ASKED else ""
        if not deal.known:
            return waits or "not asked."
        count, of = sold(s, b, c), len(self._order(s, c))
        has = "has all you need besides" if suits(s, b, c) else "lacks an amenity that you need"
        facts = f"sells {count} of your {of} item{'s' * (of > 1)}, {has}"
        if not deal.offer:
            return f"{facts}; no proposal. {waits and 'Asked again.'}".rstrip()
        what = "paid" if deal.paid else f"proposes (the {ordinal(deal.place)} proposal)"
        return f"{facts}; {what} {money(deal.offer)}. {waits and 'Asked again.'}".rstrip()

    def _business(self, s: Any, b: int) -> list[str]:
        lines = [f"You are business_{b}. Your revenue is {money(s.revenue[b])}."]
        if not s.waiting[b]:
            return [*lines, "Nobody asks you for anything."]
        c = s.queue[b, 0]
        deal, order = s.deals[c, b], self._order(s, c)
        wants = _listed([item_name(item) for item in order])
        sells = [f"{item_name(item)} for {money(s.menus[b, item])}" for item in order if s.menus[b, item]]
        lines.append(f"{s.waiting[b]} to answer. First: customer_{c} wants {wants}, and {self._needs(s, c)}.")
        if not sells:
            return [*lines, "You sell none of it."]
        total = f", together {money(quote(s, b, c, 100))}" if len(sells) > 1 else ""
        has = "have" if suits(s, b, c) else "do not have"
        lines.append(f"Of this your menu has {_listed(sells)}{total}. You {has} all that it needs besides.")
        lines.append(f"You do not go below {s.floors[b]}% of your menu prices.")
        if deal.last:
            lines.append(f"You last proposed {money(deal.last)} to it.")
        if deal.rival:
            lines.append(f"The cheapest other proposal that it had was {money(deal.rival)}.")
        return lines

    # The picture: customers from left to right, businesses from top to bottom, and their trade.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        customers, businesses = s.deals.shape
        if agent is None:
            columns, rows = list(range(min(customers, 6))), list(range(min(businesses, 15)))
        elif agent < customers:
            columns, rows = [agent], self._page(s, agent)
        else:
            rows = [agent - customers]
            columns = s.queue[rows[0], : min(s.waiting[rows[0]], 1)].tolist()
        earning = agent is None or agent >= customers
        width = max(_LABEL + _COLUMN * len(columns) + (2.6 if earning else 0.4), 13.0)
        bottom = _HEAD + _ROW * max(len(rows), 1)
        hidden = (customers - len(columns), businesses - len(rows)) if agent is None else (0, 0)
        scene = Scene(width, bottom + (2.5 if agent is None else 1.7))
        scene.add(Label(0.5, 0.8, "Marketplace", 0.6, align="left", bold=True))
        when = "closed" if s.terminated.all() or s.truncated.any() else f"step {s.t} of {s.params.horizon}"
        scene.add(Label(width - 0.5, 0.8, when, 0.42, "muted", "right"))
        for k, b in enumerate(rows):
            y = _HEAD + _ROW * (k + 0.5)
            if k % 2 == 0:
                scene.add(Rect(0.3, y - _ROW / 2, width - 0.6, _ROW, "panel@0.6", radius=0.15))
            rating = f"{s.ratings[b] / 10:.1f}" if agent is None or agent < customers else ""
            self._stall(scene, 1.0, y, customers + b, f"business {b}", rating)
            if earning:
                color = "ink" if s.revenue[b] else "muted"
                scene.add(Label(width - 0.6, y, money(s.revenue[b]), 0.42, color, "right", bold=bool(s.revenue[b])))
        if earning:
            scene.add(Label(width - 0.6, _HEAD - 0.35, "revenue", 0.36, "muted", "right"))
        for k, c in enumerate(columns):
            x = _LABEL + _COLUMN * k
            self._buyer(scene, s, c, x, values=agent is None or agent == c)
            for j, b in enumerate(rows):
                if agent is None or agent == c:
                    self._cell(scene, s, c, b, x + _COLUMN / 2, _HEAD + _ROW * (j + 0.5), agent is None)
                else:
                    self._asked(scene, s, c, b, x + _COLUMN / 2, _HEAD + _ROW * (j + 0.5))
            if agent is None or agent == c:
                self._account(scene, s, c, x + _COLUMN / 2, bottom + 0.55)
        if not rows:
            scene.add(Label(width / 2 + _LABEL / 4, _HEAD + _ROW / 2, "not searched yet", 0.42, "muted"))
        if not columns:
            scene.add(Label(_LABEL, _HEAD + _ROW / 2, "nobody asks", 0.42, "muted", "left"))
        if agent is None:
            y = bottom + 1.75
            more = [f"{count} more {name}" for count, name in zip(hidden, ("customers", "businesses")) if count]
            scene.add(Circle(0.8, y, 0.13, "good"), Label(1.1, y, "sells all and suits", 0.36, "muted", "left"))
            scene.add(Circle(4.9, y, 0.13, "gold"), Label(5.2, y, "sells all, lacks an amenity", 0.36, "muted", "left"))
            if more:
                scene.add(Label(width - 0.6, y, "and " + ", ".join(more), 0.36, "muted", "right"))
        return scene

    @staticmethod
    def _stall(scene: Scene, x: float, y: float, agent: int, name: str, rating: str) -> None:
        color = agent_color(agent)
        scene.add(Rect(x - 0.3, y + 0.0, 0.6, 0.3, "soil", radius=0.04), Rect(x - 0.36, y + 0.0, 0.72, 0.1, "brown"))
        for k in range(4):
            stripe = color if k % 2 == 0 else "line"
            scene.add(Rect(x - 0.4 + 0.2 * k, y - 0.34, 0.2, 0.24, stripe))
            scene.add(Circle(x - 0.3 + 0.2 * k, y - 0.1, 0.1, stripe, glyph=""))
        scene.add(Label(x + 0.6, y, name, 0.4, align="left", bold=True))
        if not rating:
            return
        points = []
        for k in range(10):
            radius, angle = (0.17, 0.07)[k % 2], pi * (k / 5 - 0.5)
            points.append((x + 3.3 + radius * cos(angle), y + radius * sin(angle)))
        scene.add(Polygon(points, "gold"), Label(x + 3.55, y, rating, 0.36, "muted", "left"))

    def _buyer(self, scene: Scene, s: Any, c: int, x: float, values: bool) -> None:
        """A card with what a customer wants."""
        gone = values and bool(s.terminated[c])
        scene.add(Rect(x + 0.12, 1.4, _COLUMN - 0.24, _HEAD - 1.55, "white", "line", 0.03, 0.2))
        color = "grey" if gone else agent_color(c)
        scene.add(Circle(x + 0.55, 1.85, 0.28, color))
        scene.add(Label(x + 0.55, 1.85, str(c), 0.34, text_on(color), bold=True, terminal=False))
        scene.add(Label(x + 0.98, 1.85, f"customer {c}", 0.38, "muted" if gone else "black", "left", bold=True))
        for k, item in enumerate(self._order(s, c)):
            y = 2.45 + 0.43 * k
            room = _COLUMN - (1.4 if values else 0.6)
            scene.add(Label(x + 0.3, y, item_name(item), 0.34, "black", "left", width=room))
            if values:
                scene.add(Label(x + _COLUMN - 0.3, y, money(s.values[item]), 0.34, "muted", "right"))
        for k, need in enumerate(n for n in s.needs[c] if n >= 0):
            scene.add(Label(x + 0.3, 3.85 + 0.37 * k, f"+ {NEED_NAMES[need]}", 0.31, "muted", "left"))

    @staticmethod
    def _cell(scene: Scene, s: Any, c: int, b: int, x: float, y: float, all_known: bool) -> None:
        """The trade between a customer and a business."""
        deal = s.deals[c, b]
        now = status(deal)
        if all_known or deal.known:
            if sold(s, b, c) == wanted(s, c):
                color = "good" if suits(s, b, c) else "gold"
                scene.add(Circle(x - 1.6, y, 0.13, color, glyph="*●"))
        if deal.offer:
            text = money(deal.offer)
            wide = text_width(text, 0.4) + 0.5
            if deal.paid:
                scene.add(Rect(x - wide / 2, y - 0.31, wide, 0.62, "good", radius=0.3))
            else:
                scene.add(Rect(x - wide / 2, y - 0.31, wide, 0.62, "white", "black", 0.04, 0.3))
            scene.add(Label(x, y, text, 0.4, "white" if deal.paid else "black", bold=True))
            note = ordinal(deal.place) + (" ..." if now == ASKED else "")
            scene.add(Label(x + wide / 2 + 0.12, y - 0.02, note, 0.3, "muted", "left"))
        elif now == ASKED:
            underway = all_known and deal.underway
            words, color = ("underway", "blue") if underway else ("asked", "muted")
            scene.add(Label(x, y, words, 0.34, color))
        elif now == ANSWERED:
            scene.add(Label(x, y, "no proposal", 0.34, "muted"))

    @staticmethod
    def _asked(scene: Scene, s: Any, c: int, b: int, x: float, y: float) -> None:
        """What a business knows of the inquiry before it."""
        total, rival = quote(s, b, c, 100), s.deals[c, b].rival
        scene.add(Label(x, y, f"menu price {money(total)}" if total else "not on the menu", 0.36, bold=True))
        scene.add(Label(x, y + 0.85, f"cheapest other {money(rival)}" if rival else "no other proposal", 0.34, "muted"))

    @staticmethod
    def _account(scene: Scene, s: Any, c: int, x: float, y: float) -> None:
        """What a customer has gained."""
        gained = (worth(s, c) if s.served[c] else 0) - s.spent[c]
        color = "good" if gained > 0 else "bad" if gained < 0 else "muted"
        sign = "+" if gained > 0 else "-" if gained < 0 else ""
        scene.add(Label(x, y, f"{sign}{money(abs(gained))}", 0.55, color, bold=True))
        if s.terminated[c]:
            scene.add(Label(x, y + 0.5, "gone home", 0.32, "muted"))


env, raw_env, parallel_env = pettingzoo_forms(Marketplace)
