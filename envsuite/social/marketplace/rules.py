"""Marketplace's rules: how a market is drawn, searches, inquiries, answers and payments."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import log
from envsuite.core.kernel import kernel, large_kernel

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


@kernel
def status(deal):
    if deal.paid != 0:
        return PAID
    if (deal.asked | deal.underway) != 0:
        return ASKED
    if deal.offer > 0:
        return PROPOSED
    return ANSWERED if deal.known != 0 else NOT_ASKED
