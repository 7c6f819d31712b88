"""An order book with price-time priority: two price ladders with a queue of orders at each price.

    book = ladder.book(ticks=512, capacity=256)     # the type of a field
    ladder.clear(s.book)
    order = ladder.front(s.book, BUY, price)        # the order that an incoming order to buy up to `price` meets first
    ladder.reduce(s.book, order, volume)            # it trades, or is canceled in part or in whole
    order = ladder.rest(s.book, BUY, price, volume, owner)

A price is a number of ticks from 0. The orders of a book are slots of one array, linked in the queues; free slots are
linked too. A resting order trades at its own price. The owner of the rules trades: it asks for the front order, books
the trade at that order's price and reduces it, until nothing crosses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.ranges import within

BUY, SELL = range(2)

NONE = -1


def book(ticks: int, capacity: int, owners: int, largest: int) -> np.dtype:
    """The type of an order book of at most `capacity` orders of at most `largest` lots, at prices below `ticks`."""
    slot, place = within(np.int16, NONE, capacity - 1), within(np.int16, 0, ticks - 1)
    order = np.dtype(
        [
            ("volume", within(np.int32, 0, largest)),  # lots; 0 in a free slot
            ("side", within(np.int8, BUY, SELL)),
            ("price", place),
            ("owner", within(np.int16, NONE, owners - 1)),  # NONE: the background
            ("next", slot),  # behind it in its queue, or the next free slot
            ("previous", slot),  # ahead of it in its queue
        ],
        align=True,
    )
    return np.dtype(
        [
            ("orders", order, (capacity,)),
            ("free", slot),  # the first free slot
            ("best", within(np.int64, NONE, ticks), (2,)),  # highest bid, NONE without; lowest ask, `ticks` without
            ("live", within(np.int64, 0, capacity), (2,)),  # number of orders of each side
            ("levels", within(np.int64, 0, min(ticks, capacity)), (2,)),  # number of prices with orders
            ("volume", within(np.int32, 0, capacity * largest), (2, ticks)),  # lots at each price
            ("head", slot, (2, ticks)),  # first in each queue
            ("tail", slot, (2, ticks)),  # last in each queue
        ],
        align=True,
    )


@kernel
def clear(book):
    """Remove all orders."""
    ticks, capacity = book.volume.shape[1], book.orders.shape[0]
    for side in range(2):
        book.live[side] = 0
        book.levels[side] = 0
        for price in range(ticks):
            book.volume[side, price] = 0
            book.head[side, price] = NONE
            book.tail[side, price] = NONE
    book.best[BUY] = NONE
    book.best[SELL] = ticks
    book.free = 0
    for slot in range(capacity):
        forget(book, slot, slot + 1 if slot + 1 < capacity else NONE)


@kernel
def forget(book, slot, following):
    """Make a slot free."""
    book.orders[slot].volume = 0
    book.orders[slot].side = BUY
    book.orders[slot].price = 0
    book.orders[slot].owner = NONE
    book.orders[slot].next = following
    book.orders[slot].previous = NONE


@kernel
def is_empty(book, side):
    """Whether a side has no orders."""
    return book.live[side] == 0


@kernel
def front(book, side, limit):
    """The resting order that an order of this side and limit price trades with first, or NONE."""
    if side == BUY:
        price = book.best[SELL]
        return np.int64(book.head[SELL, price]) if price <= limit and price < book.volume.shape[1] else NONE
    price = book.best[BUY]
    return np.int64(book.head[BUY, price]) if price >= limit and price >= 0 else NONE


@kernel
def rest(book, side, price, volume, owner):
    """Put an order last into the queue of its price: its slot, or NONE if all slots are taken."""
    slot = np.int64(book.free)
    if slot == NONE:
        return slot
    last = np.int64(book.tail[side, price])
    book.free = book.orders[slot].next
    book.orders[slot].volume = volume
    book.orders[slot].side = side
    book.orders[slot].price = price
    book.orders[slot].owner = owner
    book.orders[slot].next = NONE
    book.orders[slot].previous = last
    if last == NONE:
        book.levels[side] += 1
        book.head[side, price] = slot
    else:
        book.orders[last].next = slot
    book.tail[side, price] = slot
    book.volume[side, price] += volume
    book.live[side] += 1
    if side == BUY:
        book.best[BUY] = max(book.best[BUY], price)
    else:
        book.best[SELL] = min(book.best[SELL], price)
    return slot


@kernel
def reduce(book, slot, volume):
    """Take lots off an order; an order without lots leaves its queue. Whether it has left."""
    side, price = np.int64(book.orders[slot].side), np.int64(book.orders[slot].price)
    book.orders[slot].volume -= volume
    book.volume[side, price] -= volume
    if book.orders[slot].volume > 0:
        return False
    ahead, behind = np.int64(book.orders[slot].previous), np.int64(book.orders[slot].next)
    if ahead == NONE:
        book.head[side, price] = behind
    else:
        book.orders[ahead].next = behind
    if behind == NONE:
        book.tail[side, price] = ahead
    else:
        book.orders[behind].previous = ahead
    forget(book, slot, np.int64(book.free))
    book.free = slot
    book.live[side] -= 1
    if book.volume[side, price] == 0:
        book.levels[side] -= 1
        if price == book.best[side]:
            book.best[side] = beyond(book, side, price)
    return True


@kernel
def beyond(book, side, price):
    """The first price with orders from this one on, away from the other side; NONE or `ticks` if there is none."""
    ticks = book.volume.shape[1]
    if book.live[side] == 0:
        return NONE if side == BUY else ticks
    way = -1 if side == BUY else 1
    while 0 <= price < ticks and book.volume[side, price] == 0:
        price += way
    return price


@kernel
def ahead_of(book, slot):
    """The lots ahead of an order in its queue."""
    total = 0
    other = np.int64(book.orders[slot].previous)
    while other != NONE:
        total += book.orders[other].volume
        other = np.int64(book.orders[other].previous)
    return total


@kernel
def levels(book, side, out):
    """Write price and volume of the best prices with orders, best first, into `out` (levels, 2); -1 and 0 for none."""
    price, way = np.int64(book.best[side]), -1 if side == BUY else 1
    count = min(book.levels[side], out.shape[0])
    for k in range(count):
        out[k, 0] = price
        out[k, 1] = book.volume[side, price]
        if k + 1 < count:
            price = beyond(book, side, price + way)
    for k in range(count, out.shape[0]):
        out[k, 0] = NONE
        out[k, 1] = 0


@kernel
def clearing_price(book):
    """The price of a call auction: the lowest of those at which most lots trade, or NONE if nothing crosses.

    All orders with a better price must trade in whole.
    """
    ticks = book.volume.shape[1]
    most, found = 0, NONE
    demand, supply = 0, 0  # of buyers above the price, of sellers below it
    for price in range(ticks):
        demand += book.volume[BUY, price]
    for price in range(ticks):
        bids, asks = book.volume[BUY, price], book.volume[SELL, price]
        demand -= bids
        traded = min(demand + bids, supply + asks)
        if traded > most and bids + asks > 0 and demand <= supply + asks and supply <= demand + bids:
            most, found = traded, price
        supply += asks
    return found


def fault(book: Any) -> str | None:
    """What is wrong with the links of a book that was read from bytes, in words; None if the rules can use it."""
    ticks, capacity = book.volume.shape[1], len(book.orders)
    seen: list[int] = []
    live = [0, 0]
    slot = int(book.free)
    while slot != NONE and len(seen) <= capacity:
        if book.orders[slot].volume != 0:
            return f"the order in the free slot {slot} has lots"
        seen.append(slot)
        slot = int(book.orders[slot].next)
    heads, tails, volumes = (np.asarray(part) for part in (book.head, book.tail, book.volume))
    for side in range(2):
        used = np.flatnonzero((heads[side] != NONE) | (tails[side] != NONE) | (volumes[side] != 0)).tolist()
        for price in used:
            slot, before, volume = int(heads[side, price]), NONE, 0
            while slot != NONE and len(seen) <= capacity:
                order = book.orders[slot]
                if (order.side, order.price, order.previous) != (side, price, before) or order.volume == 0:
                    return f"the order {slot} is not in its queue"
                seen.append(slot)
                live[side] += 1
                before, volume, slot = slot, volume + order.volume, int(order.next)
            if volumes[side, price] != volume or tails[side, price] != before or volume == 0:
                return f"the queue at the price {price} is not what its level says"
        if book.levels[side] != len(used):
            return f"side {side} has orders at {len(used)} prices"
        best = max(used, default=NONE) if side == BUY else min(used, default=ticks)
        if book.best[side] != best:
            return f"the best price of side {side} is {best}"
    if sorted(seen) != list(range(capacity)):
        return "slots are in no queue, or in two"
    return None if book.live.tolist() == live else "the numbers of orders are not those of the queues"
