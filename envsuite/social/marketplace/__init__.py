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

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import among, below, flag, free, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.social.marketplace import pages, rules, view

#: The trade between a customer and a business.
_PRICE, _COUNT = within(np.int32, 0, rules.ORDER * rules.DEAREST), within(np.int32, 0, 2**30)
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
        ("values", within(np.int32, 0, rules.DEAREST), (items,)),  # list prices
        ("orders", within(np.int16, -1, items - 1), (customers, rules.ORDER)),  # items, then -1
        ("needs", within(np.int8, -1, rules.AMENITIES - 1), (customers, rules.NEEDS)),  # amenities, then -1
        (
            "menus",
            within(np.int32, 0, rules.DEAREST),
            (businesses, items),
        ),  # prices, 0 for what a business does not sell
        ("amenities", flag(), (businesses, rules.AMENITIES)),  # whether a business has each
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
def reset(s):
    if not s.level_given:
        rules.draw_orders(s)
        rules.draw_businesses(s)
    rules.rank(s)
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


@large_kernel
def step(s, actions, rewards):
    customers, businesses = s.deals.shape
    for b in range(businesses):
        if s.waiting[b] > 0 and rules.WAIT < actions[customers + b] < rules.PROPOSE + rules.LEVELS:
            rules.answer(s, b, actions[customers + b])
    shift = random.randint(s, customers)  # the order in a queue of customers that inquire at once
    left = 0
    for k in range(customers):
        c = (k + shift) % customers
        if s.terminated[c] == 0:
            rules.shop(s, c, actions[c], rewards)
            left += s.terminated[c] == 0
            if s.expected[c] > 0:
                rules.deliver(s, c)
    for a in range(customers + businesses):
        if left == 0:
            s.terminated[a] = 1
        elif s.t >= s.params.horizon and s.terminated[a] == 0:
            s.truncated[a] = 1


@kernel
def observe_customer(s, c, out):
    for j in range(rules.ORDER):
        item = s.orders[c, j]
        out.request[j] = item
        out.request[rules.ORDER + j] = s.values[item] if item >= 0 else -1
    for j in range(rules.NEEDS):
        out.request[2 * rules.ORDER + j] = s.needs[c, j]
    out.account[rules.PAGE] = s.page[c]
    out.account[rules.PAGES] = rules.pages(s, c)
    out.account[rules.SPENT] = s.spent[c]
    out.account[rules.SERVED] = s.served[c]
    out.account[rules.EXPECTED] = s.expected[c]
    out.account[rules.CUSTOMER_TIME] = max(s.params.horizon - s.t, 0)
    for row in range(s.params.rows):
        b = rules.result(s, c, row)
        if b < 0:
            for k in range(7):
                out.offers[row, k] = -1
            continue
        deal = s.deals[c, b]
        out.offers[row, rules.BUSINESS] = b
        out.offers[row, rules.RATING] = s.ratings[b]
        out.offers[row, rules.STATUS] = rules.status(deal)
        out.offers[row, rules.SOLD] = rules.sold(s, b, c) if deal.known else -1
        out.offers[row, rules.SUITED] = np.int64(rules.suits(s, b, c)) if deal.known else -1
        out.offers[row, rules.PRICE] = deal.offer
        out.offers[row, rules.PLACE] = deal.place


@kernel
def observe_business(s, b, out):
    asked = s.waiting[b] > 0
    c = np.int64(s.queue[b, 0]) if asked else 0
    for j in range(rules.ORDER):
        item = s.orders[c, j] if asked else -1
        out.request[j] = item
        out.request[rules.ORDER + j] = s.menus[b, item] if item >= 0 else -1
    for j in range(rules.NEEDS):
        out.request[2 * rules.ORDER + j] = s.needs[c, j] if asked else -1
    out.inquiry[rules.WAITING] = s.waiting[b]
    out.inquiry[rules.CUSTOMER] = c if asked else -1
    out.inquiry[rules.ITEMS_SOLD] = rules.sold(s, b, c) if asked else 0
    out.inquiry[rules.SUITS] = np.int64(rules.suits(s, b, c)) if asked else 0
    out.inquiry[rules.MENU_PRICE] = rules.quote(s, b, c, np.int64(100)) if asked else 0
    out.inquiry[rules.FLOOR] = s.floors[b]
    out.inquiry[rules.RIVAL] = s.deals[c, b].rival if asked else 0
    out.inquiry[rules.LAST] = s.deals[c, b].last if asked else 0
    out.inquiry[rules.REVENUE] = s.revenue[b]
    out.inquiry[rules.BUSINESS_TIME] = max(s.params.horizon - s.t, 0)


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
    says = mask.shape[0] > max(rules.INQUIRE + 2 * rows, rules.PROPOSE + rules.LEVELS)
    if agent < customers:
        mask[rules.WAIT] = mask[rules.STOP] = 1
        for b in range(s.deals.shape[1] if says else 0):
            mask[rules.INQUIRE + 2 * rows] |= not rules.untouched(s.deals[agent, b])
        mask[rules.SEARCH] = s.page[agent] == 0 or rules.pages(s, agent) > 1
        for row in range(rows):
            b = rules.result(s, agent, row)
            if b >= 0:
                deal = s.deals[agent, b]
                owes = deal.asked | deal.underway
                mask[rules.INQUIRE_ALL] |= rules.untouched(deal)
                mask[rules.INQUIRE + row] = (owes | deal.paid) == 0
                mask[rules.INQUIRE + rows + row] = deal.offer > 0 and deal.paid == 0
    elif s.waiting[agent - customers] > 0:
        b = agent - customers
        mask[rules.WAIT] = mask[rules.REPLY] = 1
        if says:
            mask[rules.PROPOSE + rules.LEVELS] = 1
        if rules.sold(s, b, np.int64(s.queue[b, 0])) > 0:
            for level in range(rules.LEVELS):
                mask[rules.PROPOSE + level] = rules.LOWEST + rules.SPACING * level >= s.floors[b]


def _box(low: Any, high: Any) -> Box:
    return Box(np.array(low, np.int32), np.array(high, np.int32), dtype=np.int32)


class Marketplace(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGES
    page_slots = pages.page_slots
    phrases = pages.PHRASES
    speech = view.hearers
    hearing = view.hearing
    text = view.text
    scene = view.scene
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
        selling = ["wait", "reply", *(f"propose {rules.LOWEST + rules.SPACING * k}%" for k in range(rules.LEVELS))]
        if say:
            self.neutral = "say"
            shopping.append(self.neutral)
            selling.append(self.neutral)
        whole = rules.ORDER * rules.DEAREST
        request = _box(
            [-1] * 8, [items - 1] * rules.ORDER + [rules.DEAREST] * rules.ORDER + [rules.AMENITIES - 1] * rules.NEEDS
        )
        account = _box([0] * 6, [businesses, businesses, businesses * whole, 1, businesses, horizon])
        offer = [businesses - 1, 50, rules.PAID, rules.ORDER, 1, whole, businesses * horizon]
        inquiry = [customers, customers - 1, rules.ORDER, 1, whole, 100, whole, whole, customers * whole, horizon]
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
                "search": among(rules.SEARCHES, search),
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
            needs = self._numbers(buyer["amenities"], rules.AMENITIES, f"amenities of customer {c}")
            if not 1 <= len(order) <= rules.ORDER or len(needs) > rules.NEEDS:
                raise LevelError(
                    f"{self.id}: customer {c} wants {len(order)} items and {len(needs)} amenities; "
                    f"1 to {rules.ORDER} and at most {rules.NEEDS} are allowed"
                )
            s.orders[c, : len(order)] = order
            s.needs[c, : len(needs)] = needs
        for b, seller in enumerate(sellers):
            items = self._numbers([item for item, _ in seller["menu"]], len(values), f"menu of business {b}")
            for item, (_, price) in zip(items, seller["menu"]):
                s.menus[b, item] = self._cents(price, f"item {item} of business {b}")
            s.amenities[b, self._numbers(seller["amenities"], rules.AMENITIES, f"amenities of business {b}")] = 1
            floor, rating = float(seller["floor"]), float(seller["rating"])
            if not 0 <= floor <= 1 or not 0 <= rating <= 5:
                raise LevelError(
                    f"{self.id}: the floor {floor!r} of business {b} must be from 0 to 1, its rating {rating!r} to 5"
                )
            s.floors[b], s.ratings[b] = np.ceil(100 * floor - 1e-6), round(10 * rating)
        s.rated = np.arange(len(s.rated))

    def _cents(self, price: Any, of: str) -> int:
        if isinstance(price, (bool, str)) or not 0.01 <= float(price) <= rules.DEAREST / 100:
            raise LevelError(f"{self.id}: the price {price!r} of {of} must be from 0.01 to {rules.DEAREST / 100:g}")
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


env, raw_env, parallel_env = pettingzoo_forms(Marketplace)
