"""Baselines of Dispatch: the nearest order, the order that pays best for its time, and the best assignment of all.

Idle drivers without an order that they want stay where they are.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.social.dispatch import ACCEPT, BASE, BLOCK, IDLE, ORDERS, STAY

ID = "envsuite/Dispatch-v0"

DRIVERS = 64
SIDE = max(ORDERS, DRIVERS) + 1

#: Room for the assignment: the list in an order that all drivers share, costs, potentials of rows and columns, the row
#: of each column, the way to it.
ASSIGNMENT = {
    "sorted": scratch(SIDE, np.int64),
    "costs": scratch((SIDE, SIDE), np.float64),
    "row_price": scratch(SIDE, np.float64),
    "column_price": scratch(SIDE, np.float64),
    "holder": scratch(SIDE, np.int64),
    "way": scratch(SIDE, np.int64),
    "slack": scratch(SIDE, np.float64),
    "done": scratch(SIDE, np.uint8),
}


@kernel
def busy(observation):
    """Whether the driver has an order."""
    return observation.own[2] != IDLE


@kernel
def drive(observation):
    """The action of a driver with an order."""
    return ACCEPT + observation.orders.shape[0]


@policy(ID, "nearest")
def nearest(memory, observation, mask):
    """Accepts the nearest order."""
    if busy(observation):
        return drive(observation)
    return ACCEPT if observation.orders[0, 0] >= 0 else STAY


@kernel
def gain(observation, n, far):
    """What the order number `n` of the list pays a step to a driver `far` blocks away."""
    order = observation.orders[n]
    trip = abs(order[1] - order[3]) + abs(order[2] - order[4])
    pay = BASE + BLOCK * trip - observation.rules[4] * (far + trip)
    return pay / (far + trip + observation.rules[2] + 1.0)


@policy(ID, "richest")
def richest(memory, observation, mask):
    """Accepts the order that pays most a step, the way to the rider included."""
    if busy(observation):
        return drive(observation)
    found, most = STAY, 0.0
    for n in range(observation.orders.shape[0]):
        far = np.int64(observation.orders[n, 0])
        if far >= 0 and gain(observation, n, far) > most:
            found, most = ACCEPT + n, gain(observation, n, far)
    return found


@large_kernel
def assign(memory, rows, columns):
    """The cheapest assignment of rows to columns, rows <= columns, numbered from 1 (the Hungarian method, by shortest
    ways with potentials): `holder[column]` is its row, 0 for none."""
    for k in range(columns + 1):
        memory.column_price[k] = 0.0
        memory.holder[k] = 0
    for k in range(rows + 1):
        memory.row_price[k] = 0.0
    for row in range(1, rows + 1):
        memory.holder[0] = row
        for k in range(columns + 1):
            memory.slack[k] = 1e300
            memory.done[k] = 0
        at = 0
        while memory.holder[at] != 0:
            memory.done[at] = 1
            here, least, following = memory.holder[at], 1e300, 0
            for k in range(1, columns + 1):
                if memory.done[k] == 0:
                    cost = memory.costs[here, k] - memory.row_price[here] - memory.column_price[k]
                    if cost < memory.slack[k]:
                        memory.slack[k] = cost
                        memory.way[k] = at
                    if memory.slack[k] < least:
                        least, following = memory.slack[k], k
            for k in range(columns + 1):
                if memory.done[k] != 0:
                    memory.row_price[memory.holder[k]] += least
                    memory.column_price[k] -= least
                else:
                    memory.slack[k] -= least
            at = following
        while at != 0:
            before = memory.way[at]
            memory.holder[at] = memory.holder[before]
            at = before


@kernel
def earlier(observation, one, other):
    """Whether an order of the list comes before another in the order of their places and ages."""
    for part in range(1, 6):
        if observation.orders[one, part] != observation.orders[other, part]:
            return observation.orders[one, part] < observation.orders[other, part]
    return False


@kernel
def sort(memory, observation):
    """Sort the list so that all drivers number the same orders alike; the number of orders."""
    count = 0
    while count < observation.orders.shape[0] and observation.orders[count, 0] >= 0:
        at = count
        while at > 0 and earlier(observation, count, memory.sorted[at - 1]):
            memory.sorted[at] = memory.sorted[at - 1]
            at -= 1
        memory.sorted[at] = count
        count += 1
    return count


@large_kernel
def weigh(memory, observation, orders):
    """Fill the costs: the blocks between each idle driver and each order. The number of idle drivers."""
    idle = 0
    for d in range(observation.fleet.shape[0]):
        if observation.fleet[d, 2] != 0:
            idle += 1
            for n in range(orders):
                order = observation.orders[memory.sorted[n]]
                far = abs(observation.fleet[d, 0] - order[1]) + abs(observation.fleet[d, 1] - order[2])
                memory.costs[idle, n + 1] = np.float64(far)
    return idle


@kernel
def turn_over(memory):
    """Exchange rows and columns of the costs."""
    for row in range(SIDE):
        for column in range(row):
            memory.costs[row, column], memory.costs[column, row] = memory.costs[column, row], memory.costs[row, column]


@policy(ID, "batch", variables=ASSIGNMENT)
def batch(memory, observation, mask):
    """Shares the orders of its list among all idle drivers so that the sum of the ways to the riders is smallest, and
    does its part. Drivers agree if their lists show all orders that wait."""
    if busy(observation):
        return drive(observation)
    orders = sort(memory, observation)
    if orders == 0:
        return STAY
    idle, mine = weigh(memory, observation, orders), 0
    for d in range(memory.agent + 1):
        mine += observation.fleet[d, 2] != 0
    if idle > orders:
        turn_over(memory)
        assign(memory, orders, idle)
        return ACCEPT + memory.sorted[memory.holder[mine] - 1] if memory.holder[mine] != 0 else STAY
    assign(memory, idle, orders)
    for n in range(orders):
        if memory.holder[n + 1] == mine:
            return ACCEPT + memory.sorted[n]
    return STAY
