"""Dispatch: drivers in a city choose among riders' orders, and where to wait for the next ones.

**Rules.** A city has `rows` x `columns` blocks. Each driver is in a block; distances are counted along the streets,
across and down. An order appears in a block with a destination, and waits for a driver. Up to 64 orders can wait or
ride at once; more are lost. In each step:

1. *Choices.* An idle driver stays, moves by a block, or accepts one of the `choices` nearest waiting orders on its
   list, which is sorted by distance, then by how long orders have waited. If several drivers accept one order, the
   nearest gets it, of several a random one; the others stay.
2. *Drives.* A driver with an order drives a block toward the rider, first across, then down. If it is then with the
   rider, the rider gets in, which takes `service` steps from the next one on. Then it drives toward the destination. In
   the step in which it is there, and all service is over, it is paid and idle again.
3. *Patience.* An order that no driver has accepted is lost after `patience` + 1 steps.
4. *Orders.* New orders appear, a number by Poisson's law. Its mean after step t is `demand` times
   1 + `rush` sin(4 pi t / `horizon`). An order begins in one of two hot spots with probability 0.4 each, and otherwise
   anywhere; its destination is drawn in the same way, until it is another block. (In a city of one block it is the
   same.) The hot spots move over the day, one from west to east and back, one from north to south and back. Their
   standard deviation is a tenth of the city's sides.

**Agents.** `driver_0` ... `driver_{drivers-1}`. They start in random blocks.

**Observation.** Dict. A block is given by column and row; rows after the last order and unknown blocks are -1.

| part | space | content |
|---|---|---|
| own | Box (7,) int16 | block; state; the block to which it drives; steps of service left; steps of the day left |
| orders | Box (choices, 6) int16 | the list: distance, the rider's block, the destination, steps waited |
| fleet | Box (drivers, 3) int16 | of each driver the block, and 1 if it is idle |
| near | Box (5, 5) int16 | waiting orders in the blocks around the driver; -1 outside the city |
| money | Box (2,) float64 | the driver's profit so far, the mean profit of all |
| rules | Box (5,) float64 | columns, rows, `service`, `patience`, `cost` |

States are 0 idle, 1 on the way to a rider, and 2 with a rider.

**Actions.** Discrete (6 + `choices`).

| action | name | legal |
|---|---|---|
| 0 | `stay` | for an idle driver |
| 1-4 | `north`, `east`, `south`, `west` | for an idle driver, if there is a block |
| 5 ... | `accept 1`, `accept 2`, ... | for an idle driver, if the order is on its list |
| 5 + `choices` | `drive` | for a driver with an order |

**Window.** The arrow keys move, space stays, d drives, and the keys 1 to 9 accept. A click on a listed order accepts
it, one on a neighboring block moves there, and one on the driver's own block stays or drives.

**Rewards.** The sum of four objectives, weighted by `weights`.

| objective | in one transition |
|---|---|
| `profit` | the fare of a rider that was brought, 2 plus 1 a block of its trip; minus `cost` for a block driven |
| `waiting` | minus the number of riders that wait for a driver or for its arrival, divided by the number of drivers |
| `served` | 1 for a rider that the driver has brought |
| `fairness` | minus the growth of the gap between the largest and the smallest profit of a driver |

**Ends.** Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rows` | 10 | rows of blocks, from 1 to 20 |
| `columns` | 10 | columns of blocks, from 1 to 20 |
| `drivers` | 10 | number of drivers, from 1 to 64 |
| `choices` | 5 | orders on a driver's list, from 1 to 64 |
| `demand` | 1.0 | mean number of orders in a step, from 0 to 10 |
| `rush` | 0.5 | how much the demand varies over the day, from 0 to 1 |
| `patience` | 5 | steps that an order waits for a driver after the first, from 0 to 100 |
| `service` | 1 | steps that a rider needs to get in, from 0 to 100 |
| `cost` | 0.1 | of a block driven, from 0 to 10 |
| `horizon` | 240 | steps of a day, from 1 to 10,000 |
| `weights` | (1, 0, 0, 0) | weights of the four objectives, from -1,000,000 to 1,000,000 |

**Level.** ``{"drivers": [[0, 0], [4, 2]], "orders": [{"step": 0, "from": [1, 1], "to": [3, 3]}]}``: where drivers
start, and all orders of the day, at most 64, by the step after which they appear; those of step 0 are there at the
start. Without `orders`, they are drawn.

**Known values.** In a city of one block with `patience` 0 and `rush` 0, orders are lost like calls of a telephone
exchange with as many lines as drivers. If orders are rare in a step, the share lost is Erlang's formula B(N, a), with
a = `demand` (1 + `service`). All profits add up to the fares less the cost of all blocks driven. With the default
parameters the baselines earn 122 on average, and random play 93.6 +- 0.2 (512 episodes). Little is to be gained by
choosing among orders, since a fare grows with the time of its trip.

**Differences.** The world is our own, after the literature on dispatching.

- Fares, hot spots, rush hours and the limit of 64 orders are our own, not data of a city.
- All streets are free, and drivers may be in one block.
- A baseline that learns the worth of each block and hour, as the source does, is left out.

**Source.** Xu et al., "Large-Scale Order Dispatch in On-Demand Ride-Hailing Platforms: A Learning and Planning
Approach", 2018; Erlang, "Solution of some problems in the theory of probabilities of significance in automatic
telephone exchanges", 1917.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import copy, fill
from envsuite.core.elementary import exp, sin_turns
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_integer, read_list, read_numbers
from envsuite.core.ranges import MANY, below, fixed, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.social.dispatch import pages, view

#: Of orders that wait or ride at once, and of sides of the city.
ORDERS, SIDE = 64, 20

#: States of a driver, and of an order.
IDLE, FETCHING, RIDING = range(3)
NOBODY, WAITING, TAKEN, ABOARD = range(4)

STAY, NORTH, EAST, SOUTH, WEST, ACCEPT = range(6)
ACROSS, DOWN = np.array([0, 0, 1, 0, -1]), np.array([0, -1, 0, 1, 0])

PROFIT, WAIT, SERVED, FAIRNESS = range(4)

#: A fare: for the start and for a block. Of weights.
BASE, BLOCK, WEIGHT = 2.0, 1.0, 1_000_000

#: The steps that an order can wait, in all.
LONGEST = 10_001

#: The width of the window of waiting orders.
NEAR = 5


def fields(rows: int, columns: int, drivers: int) -> list[tuple]:
    """The record's own fields; a block is row * columns + column."""
    block, order = below(np.int64, rows * columns), within(np.int64, -1, ORDERS - 1)
    return [
        ("begin", block, (drivers,)),  # where drivers start: the level
        ("planned", within(np.int64, -1, ORDERS)),  # orders of the level; -1: they are drawn
        ("plan_step", within(np.int64, 0, LONGEST), (ORDERS,)),  # after which step each appears, in order
        ("plan_from", block, (ORDERS,)),
        ("plan_to", block, (ORDERS,)),
        ("appeared", within(np.int64, 0, ORDERS)),  # of the orders of the level
        ("place", block, (drivers,)),
        ("state", within(np.int64, IDLE, RIDING), (drivers,)),
        ("job", order, (drivers,)),  # the driver's order, -1 if it is idle
        ("service_left", within(np.int64, 0, 100), (drivers,)),
        ("profit", within(np.float64, -1e6, 1e6), (drivers,)),
        ("driven", within(np.int64, 0, MANY), (drivers,)),  # blocks so far
        ("order", within(np.int64, NOBODY, ABOARD), (ORDERS,)),  # state of each order
        ("origin", block, (ORDERS,)),
        ("goal", block, (ORDERS,)),
        ("age", within(np.int64, 0, LONGEST), (ORDERS,)),  # steps waited
        ("claim", within(np.int64, -1, drivers - 1), (ORDERS,)),  # who gets an order, while a step is made
        ("rivals", within(np.int64, 0, drivers), (ORDERS,)),  # drivers that are as near as that one
        ("waiting", within(np.int16, 0, ORDERS), (rows, columns)),  # orders that wait for a driver, by block
        ("used", within(np.int64, 0, ORDERS)),  # places for orders from which on all are free
        ("served", within(np.int64, 0, MANY)),  # orders so far
        ("lost", within(np.int64, 0, MANY)),
        ("waited", within(np.int64, 0, MANY)),  # steps that riders have waited for a driver to come
    ]


@kernel
def distance(s, one, other):
    """The number of blocks between two places."""
    columns = s.waiting.shape[1]
    return abs(one % columns - other % columns) + abs(one // columns - other // columns)


@kernel
def reset(s):
    cells = s.waiting.shape[0] * s.waiting.shape[1]
    if s.level_given == 0:
        s.planned = -1
        for d in range(s.place.shape[0]):
            s.begin[d] = random.randint(s, cells)
    copy(s.place, s.begin)
    fill(s.state, IDLE)
    fill(s.job, -1)
    fill(s.service_left, 0)
    fill(s.profit, 0.0)
    fill(s.driven, 0)
    for k in range(ORDERS):
        s.order[k] = NOBODY
        s.origin[k] = 0
        s.goal[k] = 0
        s.age[k] = 0
        s.claim[k] = -1
        s.rivals[k] = 0
        if s.planned < 0:
            s.plan_step[k] = 0
            s.plan_from[k] = 0
            s.plan_to[k] = 0
    fill(s.waiting, 0)
    s.appeared = 0
    s.used = 0
    s.served = 0
    s.lost = 0
    s.waited = 0
    order_more(s, 0)


# Orders.


@kernel
def poisson(s, mean):
    """A number by Poisson's law: of uniform numbers whose product stays above exp(-mean)."""
    least, product, count = exp(-mean), random.uniform(s), 0
    while product > least:
        product *= random.uniform(s)
        count += 1
    return count


@kernel
def draw_block(s, step):
    """A block near one of the hot spots of a step, or any."""
    columns, rows = s.waiting.shape[1], s.waiting.shape[0]
    spot = random.uniform(s)
    if spot >= 0.8:
        return random.randint(s, columns * rows)
    # From one end of the city to the other and back.
    there = 0.5 - 0.5 * sin_turns(step / s.params.horizon + 0.25)
    x, y = (there, 0.5) if spot < 0.4 else (0.5, there)
    column = np.int64(columns * (x + 0.1 * random.normal(s)))
    row = np.int64(rows * (y + 0.1 * random.normal(s)))
    return min(max(row, 0), rows - 1) * columns + min(max(column, 0), columns - 1)


@large_kernel
def order_more(s, step):
    """Let the orders of a step appear."""
    if s.planned >= 0:
        while s.appeared < s.planned and s.plan_step[s.appeared] <= step:
            appear(s, s.plan_from[s.appeared], s.plan_to[s.appeared])
            s.appeared += 1
        return
    mean = s.params.demand * (1.0 + s.params.rush * sin_turns(2.0 * step / s.params.horizon))
    for _ in range(poisson(s, mean)):
        origin = draw_block(s, step)
        goal = draw_block(s, step)
        while goal == origin and s.waiting.shape[1] * s.waiting.shape[0] > 1:
            goal = draw_block(s, step)
        appear(s, origin, goal)


@kernel
def count(s, block, change):
    """Count an order that begins or ends to wait in a block."""
    s.waiting[block // s.waiting.shape[1], block % s.waiting.shape[1]] += change


@kernel
def appear(s, origin, goal):
    """A new order in the first place that is free; without one it is lost."""
    for k in range(ORDERS):
        if s.order[k] == NOBODY:
            s.order[k] = WAITING
            s.used = max(s.used, k + 1)
            count(s, origin, 1)
            s.origin[k] = origin
            s.goal[k] = goal
            s.age[k] = 0
            return
    s.lost += 1


@kernel
def listed(s, driver, after):
    """The next order on a driver's list after the one with the key `after`: its key, -1 if there is none.

    Keys grow with distance, then with how short an order has waited, then with its number.
    """
    best = np.int64(-1)
    for k in range(s.used):
        if s.order[k] == WAITING:
            key = (distance(s, s.place[driver], s.origin[k]) * (LONGEST + 1) + LONGEST - s.age[k]) * ORDERS + k
            if key > after and (best < 0 or key < best):
                best = key
    return best


# A step.


@large_kernel
def claim(s, actions):
    """Decide who gets each order that drivers accept: the nearest, of several a random one."""
    for d in range(s.place.shape[0]):
        if s.state[d] != IDLE or actions[d] < ACCEPT:
            continue
        key = np.int64(-1)
        for _ in range(actions[d] - ACCEPT + 1):
            key = listed(s, d, key)
        order = key % ORDERS
        far, least = distance(s, s.place[d], s.origin[order]), np.int64(2 * SIDE)
        if s.claim[order] >= 0:
            least = distance(s, s.place[s.claim[order]], s.origin[order])
        if far < least:
            s.claim[order] = d
            s.rivals[order] = 1
        elif far == least:  # the n-th of n drivers that are as near gets the order with probability 1 / n
            s.rivals[order] += 1
            if random.randint(s, s.rivals[order]) == 0:
                s.claim[order] = d


@kernel
def roam(s, driver, action):
    """Move an idle driver by a block; it stays at an edge."""
    columns = s.waiting.shape[1]
    x, y = s.place[driver] % columns + ACROSS[action], s.place[driver] // columns + DOWN[action]
    if 0 <= x < columns and 0 <= y < s.waiting.shape[0]:
        arrive(s, driver, y * columns + x)


@kernel
def arrive(s, driver, block):
    """Drive a block, which costs."""
    s.place[driver] = block
    s.driven[driver] += 1
    s.profit[driver] -= s.params.cost
    s.objectives[driver, PROFIT] -= s.params.cost


@kernel
def drive(s, driver):
    """A step of a driver with an order."""
    columns, order, here = s.waiting.shape[1], s.job[driver], s.place[driver]
    fetches = s.state[driver] == FETCHING
    target = s.origin[order] if fetches else s.goal[order]
    if s.service_left[driver] > 0:
        s.service_left[driver] -= 1
    elif here != target:
        across = target % columns - here % columns
        if across != 0:
            arrive(s, driver, here + (1 if across > 0 else -1))
        else:
            arrive(s, driver, here + (columns if target > here else -columns))
    if s.service_left[driver] > 0 or s.place[driver] != target:
        return
    if fetches:
        s.state[driver] = RIDING
        s.order[order] = ABOARD
        s.service_left[driver] = s.params.service
    else:
        fare = BASE + BLOCK * distance(s, s.origin[order], s.goal[order])
        s.profit[driver] += fare
        s.objectives[driver, PROFIT] += fare
        s.objectives[driver, SERVED] += 1.0
        s.served += 1
        s.state[driver] = IDLE
        s.job[driver] = -1
        s.order[order] = NOBODY


@kernel
def gap(s):
    """The difference of the largest and the smallest profit."""
    low, high = s.profit[0], s.profit[0]
    for d in range(1, s.profit.shape[0]):
        low, high = min(low, s.profit[d]), max(high, s.profit[d])
    return high - low


@kernel
def step(s, actions, rewards):
    drivers, before = s.place.shape[0], gap(s)
    claim(s, actions)
    for k in range(s.used):
        if s.claim[k] >= 0:
            s.order[k] = TAKEN
            count(s, s.origin[k], -1)
            s.state[s.claim[k]] = FETCHING
            s.job[s.claim[k]] = k
            s.claim[k] = -1
    for d in range(drivers):
        if s.state[d] != IDLE:
            drive(s, d)
        elif NORTH <= actions[d] <= WEST:
            roam(s, d, actions[d])
    waiting = 0
    for k in range(s.used):
        if s.order[k] == WAITING or s.order[k] == TAKEN:
            s.age[k] = min(s.age[k] + 1, LONGEST)
            waiting += 1
            if s.order[k] == WAITING and s.age[k] > s.params.patience:
                s.order[k] = NOBODY
                count(s, s.origin[k], -1)
                s.lost += 1
    s.waited += waiting
    while s.used > 0 and s.order[s.used - 1] == NOBODY:
        s.used -= 1
    order_more(s, s.t)
    growth = gap(s) - before
    for d in range(drivers):
        s.objectives[d, WAIT] = -waiting / drivers
        s.objectives[d, FAIRNESS] = -growth
        s.truncated[d] = s.t >= s.params.horizon


@kernel
def observe(s, agent, out):
    columns, rows, left = s.waiting.shape[1], s.waiting.shape[0], s.params.horizon - s.t
    here = s.place[agent]
    out.own[0] = here % columns
    out.own[1] = here // columns
    out.own[2] = s.state[agent]
    out.own[3] = -1
    out.own[4] = -1
    if s.state[agent] != IDLE:
        order = s.job[agent]
        target = s.origin[order] if s.state[agent] == FETCHING else s.goal[order]
        out.own[3] = target % columns
        out.own[4] = target // columns
    out.own[5] = s.service_left[agent]
    out.own[6] = max(left, 0)
    key, more = np.int64(-1), True
    for n in range(out.orders.shape[0]):
        key = listed(s, agent, key) if more else key
        more = key >= 0
        order = key % ORDERS if more else 0
        out.orders[n, 0] = distance(s, here, s.origin[order]) if more else -1
        out.orders[n, 1] = s.origin[order] % columns if more else -1
        out.orders[n, 2] = s.origin[order] // columns if more else -1
        out.orders[n, 3] = s.goal[order] % columns if more else -1
        out.orders[n, 4] = s.goal[order] // columns if more else -1
        out.orders[n, 5] = s.age[order] if more else -1
    total = 0.0
    for d in range(s.place.shape[0]):
        out.fleet[d, 0] = s.place[d] % columns
        out.fleet[d, 1] = s.place[d] // columns
        out.fleet[d, 2] = s.state[d] == IDLE
        total += s.profit[d]
    for y in range(NEAR):
        for x in range(NEAR):
            across, down = here % columns + x - NEAR // 2, here // columns + y - NEAR // 2
            inside = 0 <= across < columns and 0 <= down < rows
            out.near[y, x] = s.waiting[down, across] if inside else -1
    out.money[0] = s.profit[agent]
    out.money[1] = total / s.place.shape[0]
    out.rules[0] = columns
    out.rules[1] = rows
    out.rules[2] = s.params.service
    out.rules[3] = s.params.patience
    out.rules[4] = s.params.cost


@kernel
def legal(s, agent, mask):
    columns, choices = s.waiting.shape[1], s.params.choices
    if s.state[agent] != IDLE:
        mask[ACCEPT + choices] = 1
        return
    mask[STAY] = 1
    for action in range(NORTH, WEST + 1):
        x, y = s.place[agent] % columns + ACROSS[action], s.place[agent] // columns + DOWN[action]
        mask[action] = 0 <= x < columns and 0 <= y < s.waiting.shape[0]
    waiting = 0
    for k in range(s.used):
        waiting += s.order[k] == WAITING
    for n in range(min(waiting, choices)):
        mask[ACCEPT + n] = 1


class Dispatch(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGE
    page_slots = pages.page_slots

    kind = ("markets", "traffic")
    verified = "Erlang's loss formula; all plans of small days; the rules written again"
    variants = (
        dict(rows=1, columns=1, drivers=3, patience=0, service=4, rush=0.0, demand=0.5, horizon=60),
        dict(drivers=4, rows=3, columns=5, choices=2, horizon=50, weights=(1.0, 0.2, 0.5, 0.1)),
    )
    shown = "batch"
    keys = {"up": "north", "right": "east", "down": "south", "left": "west", "space": "stay", "d": "drive"}
    text = view.text
    scene = view.scene
    click = view.click

    def __init__(
        self,
        rows: Annotated[int, Between(1, SIDE)] = 10,
        columns: Annotated[int, Between(1, SIDE)] = 10,
        drivers: Annotated[int, Between(1, 64)] = 10,
        choices: Annotated[int, Between(1, ORDERS)] = 5,
        demand: Annotated[float, Between(0, 10)] = 1.0,
        rush: Annotated[float, Between(0, 1)] = 0.5,
        patience: Annotated[int, Between(0, 100)] = 5,
        service: Annotated[int, Between(0, 100)] = 1,
        cost: Annotated[float, Between(0, 10)] = 0.1,
        horizon: Annotated[int, Between(1, 10_000)] = 240,
        weights: tuple[Annotated[float, Between(-WEIGHT, WEIGHT)], ...] = (1.0, 0.0, 0.0, 0.0),
    ):
        fare = BASE + BLOCK * 2 * SIDE
        self.keys = type(self).keys | {str(n + 1): f"accept {n + 1}" for n in range(min(choices, 9))}
        self.define(
            agents=[f"driver_{k}" for k in range(drivers)],
            actions=["stay", "north", "east", "south", "west", *(f"accept {n + 1}" for n in range(choices)), "drive"],
            observation=Dict(
                own=Box(-1, 10_000, (7,), np.int16),
                orders=Box(-1, LONGEST, (choices, 6), np.int16),
                fleet=Box(0, SIDE - 1, (drivers, 3), np.int16),
                near=Box(-1, ORDERS, (NEAR, NEAR), np.int16),
                money=Box(-1e6, 1e6, (2,), np.float64),
                rules=Box(0, 100, (5,), np.float64),
            ),
            fields=fields(rows, columns, drivers),
            params={
                "choices": fixed(choices),
                "demand": float(demand),
                "rush": float(rush),
                "patience": patience,
                "service": service,
                "cost": float(cost),
                "horizon": horizon,
                "weights": weights,
            },
            objectives={
                "profit": (-10.0, fare),
                "waiting": (-float(ORDERS), 0.0),
                "served": (0.0, 1.0),
                "fairness": (-fare - 10.0, fare + 10.0),
            },
        )

    def contradiction(self, s: Any) -> str | None:
        held = np.asarray(s.order)[np.asarray(s.job)]
        idle, fetches = s.state == IDLE, s.state == FETCHING
        if (idle != (s.job < 0)).any():
            return "drivers without an order are idle, and no others"
        if (held[~idle] != np.where(fetches, TAKEN, ABOARD)[~idle]).any():
            return "an order and its driver differ"
        jobs = s.job[~idle]
        if len(set(jobs.tolist())) < len(jobs) or (s.order >= TAKEN).sum() != len(jobs):
            return "an order that was accepted has one driver"
        counts = np.zeros(s.waiting.shape, np.int64)
        np.add.at(counts.reshape(-1), np.asarray(s.origin)[np.asarray(s.order) == WAITING], 1)
        if (counts != s.waiting).any():
            return "waiting orders and their counts differ"
        if (s.claim >= 0).any():
            return "claims are made in a step only"
        if np.asarray(s.order)[s.used :].any():
            return "an order is in a place that is free"
        return "more orders have appeared than are planned" if s.appeared > max(s.planned, 0) else None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts(self.id, level, {"drivers", "orders"})
        drivers = read_list(level["drivers"], f"{self.id}: the level's drivers", len(self.agents))
        places = [self._block(s, block, f"driver_{k}") for k, block in enumerate(drivers)]
        orders = level.get("orders")
        rows = []
        if orders is not None:
            read_list(orders, f"{self.id}: the level's orders", 0, ORDERS)
            rows = sorted((self._order(s, order, n) for n, order in enumerate(orders)), key=lambda row: row[0])
        s.begin[:] = places
        s.planned = -1 if orders is None else len(rows)
        for name, k in (("plan_step", 0), ("plan_from", 1), ("plan_to", 2)):
            s[name][:] = [row[k] for row in rows] + [0] * (ORDERS - len(rows))

    def _order(self, s: Any, order: Any, n: int) -> tuple[int, int, int]:
        if not isinstance(order, Mapping) or set(order) != {"step", "from", "to"}:
            raise LevelError(f"{self.id}: order {n} must have 'step', 'from' and 'to'")
        read_integer(order["step"], f"{self.id}: order {n}: step", 0, LONGEST - 1)
        origin, goal = (self._block(s, order[end], f"order {n}, {end!r}") for end in ("from", "to"))
        return order["step"], origin, goal

    def _block(self, s: Any, block: Any, whose: str) -> int:
        rows, columns = s.waiting.shape
        block = read_numbers(block, f"{self.id}: {whose}: block", (2,), 0, [columns - 1, rows - 1], whole=True).tolist()
        return block[1] * columns + block[0]

    def get_level(self, s: Any) -> dict[str, Any]:
        columns = s.waiting.shape[1]

        def block(number: int) -> list[int]:
            return [int(number) % columns, int(number) // columns]

        level: dict[str, Any] = {"drivers": [block(number) for number in s.begin]}
        if s.planned >= 0:
            rows = zip(s.plan_step.tolist(), s.plan_from, s.plan_to)
            level["orders"] = [{"step": t, "from": block(a), "to": block(b)} for t, a, b in list(rows)[: s.planned]]
        return level


env, raw_env, parallel_env = pettingzoo_forms(Dispatch)
