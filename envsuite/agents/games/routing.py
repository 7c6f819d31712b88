"""Routing: the nearest customer, and two planners, which all vehicles run on what all of them see.

A plan is an order of customers for each vehicle. A vehicle returns to the depot when its load is too small for the next
one.
"""

from __future__ import annotations

from typing import Any

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited, scratch
from envsuite.games.routing import CUSTOMERS, VEHICLES
from envsuite.kit.plane import distance

_ID = "envsuite/Routing-v0"

_NODE, _LOAD, _CAPACITY, _SPEED, _LENGTH = range(5)

#: In plans for the vehicle that takes longest, the weight of the time of all vehicles; it decides between equals.
_ALL = 0.05

_NODES = CUSTOMERS + 1

#: What planners remember: the plan, and room to make it.
_PLAN = {
    "planned": limited(0, 0, 1),
    "plan": limited([[0] * _NODES] * VEHICLES, 0, CUSTOMERS),  # the customers of each vehicle in order
    "count": limited([0] * VEHICLES, 0, CUSTOMERS),
    "cost": scratch(VEHICLES, "f8"),  # the time of each vehicle, less what its preferences are worth
    "open": scratch(_NODES),  # customers without a vehicle
    "after": scratch(_NODES),  # trips as lists: the customer after each, and before; 0 is the depot
    "before": scratch(_NODES),
    "trip": scratch(_NODES),  # the trip of each customer: the number of one of its customers
    "demand": scratch(_NODES),  # of each trip: its demand, and the vehicles that may drive it, as bits
    "fits": scratch(_NODES),
}


def contradiction(memory: Any, world: Any) -> str | None:
    """Plans must be for this world's vehicles and customers."""
    customers, vehicles = world.parameters["customers"], world.parameters["vehicles"]
    if memory.plan.max() > customers or memory.count[vehicles:].any() or memory.count.max() > customers:
        return "the plan has customers or vehicles that are not there"
    return None


@kernel
def _way(observation, a, b):
    """The distance of two nodes."""
    return distance(
        observation.nodes[a, 0] - observation.nodes[b, 0], observation.nodes[a, 1] - observation.nodes[b, 1]
    )


@kernel
def _serves(observation, k, node):
    """Whether a vehicle can ever visit a customer."""
    return observation.zones[k, node] != 0 and observation.nodes[node, 2] <= observation.vehicles[k, _CAPACITY]


@policy(_ID, "nearest")
def nearest(memory, observation, mask):
    """Goes to the nearest customer that it may visit; to the depot if its load is too small for all that are left."""
    nodes = observation.nodes.shape[0]
    k = observation.own[0]
    here, best, least, waiting = int(observation.vehicles[k, _NODE]), nodes, 1e9, False
    for node in range(1, nodes):
        if mask[node] and _way(observation, here, node) < least:
            best, least = node, _way(observation, here, node)
        waiting = waiting or (observation.nodes[node, 3] == 0.0 and _serves(observation, k, node))
    return 0 if best == nodes and waiting and mask[0] else best


@large_kernel
def _drive(memory, observation, k):
    """The cost of a vehicle's plan from where it is: its time until it is home, less what preferences are worth."""
    here, load = int(observation.vehicles[k, _NODE]), observation.vehicles[k, _LOAD]
    far, liked = observation.vehicles[k, _LENGTH], 0.0
    for place in range(memory.count[k]):
        node = memory.plan[k, place]
        if observation.nodes[node, 2] > load:
            far += _way(observation, here, 0)
            here, load = 0, observation.vehicles[k, _CAPACITY]
        far += _way(observation, here, node)
        load -= observation.nodes[node, 2]
        liked += observation.preferences[k, node]
        here = node
    far += _way(observation, here, 0)
    return observation.rules[2] * far / observation.vehicles[k, _SPEED] - observation.rules[3] * liked


@kernel
def _total(memory, observation, changed, cost):
    """The cost of all vehicles' plans, where that of one has changed."""
    longest, total = -1e9, 0.0
    for k in range(observation.vehicles.shape[0]):
        one = cost if k == changed else memory.cost[k]
        longest = max(longest, one)
        total += one
    return longest + _ALL * total if observation.rules[0] == 1.0 else total


@kernel
def _put(memory, k, place, node):
    """Insert a customer into a vehicle's plan."""
    for i in range(memory.count[k], place, -1):
        memory.plan[k, i] = memory.plan[k, i - 1]
    memory.plan[k, place] = node
    memory.count[k] += 1


@kernel
def _take(memory, k, place):
    """Remove a customer from a vehicle's plan."""
    memory.count[k] -= 1
    for i in range(place, memory.count[k]):
        memory.plan[k, i] = memory.plan[k, i + 1]


@kernel
def _clear(memory, observation):
    """An empty plan, and the customers that are not visited."""
    for k in range(observation.vehicles.shape[0]):
        memory.count[k] = 0
        memory.cost[k] = _drive(memory, observation, k)
    for node in range(observation.nodes.shape[0]):
        memory.open[node] = node > 0 and observation.nodes[node, 3] == 0.0


@large_kernel
def _best_place(memory, observation, k, node):
    """Where a customer costs least in a vehicle's plan, and the cost of all plans then."""
    best, least = -1, 1e9
    if _serves(observation, k, node):
        for place in range(memory.count[k] + 1):
            _put(memory, k, place, node)
            cost = _total(memory, observation, k, _drive(memory, observation, k))
            _take(memory, k, place)
            if cost < least:
                best, least = place, cost
    return best, least


@large_kernel
def _insert_all(memory, observation):
    """Insert customers one by one: first the one that would lose most without its best vehicle."""
    _clear(memory, observation)
    nodes, vehicles = observation.nodes.shape[0], observation.vehicles.shape[0]
    for _ in range(nodes):
        chosen, owner, where, most = 0, 0, 0, -1e18
        for node in range(1, nodes):
            if memory.open[node]:
                least, second, first, place = 1e9, 1e9, -1, -1
                for k in range(vehicles):
                    at, cost = _best_place(memory, observation, k, node)
                    if cost < least:
                        least, second, first, place = cost, least, k, at
                    elif cost < second:
                        second = cost
                regret = (second - least if vehicles > 1 else 0.0) - 1e-3 * least
                if first >= 0 and regret > most:
                    chosen, owner, where, most = node, first, place, regret
        if chosen == 0:
            return
        memory.open[chosen] = 0
        _put(memory, owner, where, chosen)
        memory.cost[owner] = _drive(memory, observation, owner)


@kernel
def _follow(memory, observation, mask):
    """The next customer of the plan, the depot if the load is too small for it, or stay at the end."""
    k = observation.own[0]
    for place in range(memory.count[k]):
        node = memory.plan[k, place]
        if observation.nodes[node, 3] == 0.0:
            if mask[node]:
                return node
            return 0 if mask[0] else observation.nodes.shape[0]
    return observation.nodes.shape[0]


@kernel
def _must_plan(memory, observation):
    """Whether it is time for a plan: before the first step, or whenever vehicles choose one at a time."""
    planned = memory.planned and observation.rules[1] == 0.0
    memory.planned = 1
    return not planned


@policy(_ID, "regret", variables=_PLAN, contradiction=contradiction)
def regret(memory, observation, mask):
    """Follows a plan by insertion: each time, of the customer whose second best vehicle is worst beside its best."""
    if _must_plan(memory, observation):
        _insert_all(memory, observation)
    return _follow(memory, observation, mask)


# Savings.


@kernel
def _start_trips(memory, observation):
    """A trip for each customer alone."""
    for node in range(1, observation.nodes.shape[0]):
        memory.after[node] = 0
        memory.before[node] = 0
        memory.trip[node] = node
        memory.demand[node] = int(observation.nodes[node, 2])
        memory.fits[node] = 0
        for k in range(observation.vehicles.shape[0]):
            if _serves(observation, k, node):
                memory.fits[node] |= 1 << k


@kernel
def _room(memory, observation, fits):
    """The largest capacity of a vehicle among these."""
    most = 0
    for k in range(observation.vehicles.shape[0]):
        if fits >> k & 1:
            most = max(most, int(observation.vehicles[k, _CAPACITY]))
    return most


@large_kernel
def _join_trips(memory, observation, longest):
    """Join trips where that saves most, up to a demand of `longest` each (Clarke and Wright 1964)."""
    nodes = observation.nodes.shape[0]
    for _ in range(nodes):
        last, first, most = 0, 0, 1e-12
        for a in range(1, nodes):
            if memory.open[a] and memory.after[a] == 0:
                for b in range(1, nodes):
                    one, other = memory.trip[a], memory.trip[b]
                    if memory.open[b] and memory.before[b] == 0 and one != other:
                        saved = _way(observation, a, 0) + _way(observation, 0, b) - _way(observation, a, b)
                        demand = memory.demand[one] + memory.demand[other]
                        fits = memory.fits[one] & memory.fits[other]
                        if saved > most and demand <= min(longest, _room(memory, observation, fits)):
                            last, first, most = a, b, saved
        if last == 0:
            return
        one, other = memory.trip[last], memory.trip[first]
        memory.after[last] = first
        memory.before[first] = last
        memory.demand[one] += memory.demand[other]
        memory.fits[one] &= memory.fits[other]
        for node in range(1, nodes):
            if memory.trip[node] == other:
                memory.trip[node] = one


@kernel
def _append(memory, observation, k, first):
    """Append a trip to a vehicle's plan; returns the cost of all plans then."""
    node = first
    while node > 0:
        _put(memory, k, memory.count[k], node)
        node = memory.after[node]
    return _total(memory, observation, k, _drive(memory, observation, k))


@large_kernel
def _share_trips(memory, observation):
    """Give each trip to the vehicle with which all plans cost least; trips with the largest demands come first."""
    nodes, vehicles = observation.nodes.shape[0], observation.vehicles.shape[0]
    for _ in range(nodes):
        first, most = 0, -1
        for node in range(1, nodes):
            if memory.open[node] and memory.before[node] == 0 and memory.demand[memory.trip[node]] > most:
                first, most = node, memory.demand[memory.trip[node]]
        if first == 0:
            return
        best, least, fits = -1, 1e9, memory.fits[memory.trip[first]]
        for k in range(vehicles):
            if fits >> k & 1 and most <= observation.vehicles[k, _CAPACITY]:
                count = memory.count[k]
                cost = _append(memory, observation, k, first)
                memory.count[k] = count
                if cost < least:
                    best, least = k, cost
        _append(memory, observation, best, first)
        memory.cost[best] = _drive(memory, observation, best)
        node = first
        while node > 0:
            memory.open[node] = 0
            node = memory.after[node]


@kernel
def _reverse(memory, k, first, last):
    """Reverse a part of a vehicle's plan."""
    while first < last:
        held = memory.plan[k, first]
        memory.plan[k, first] = memory.plan[k, last]
        memory.plan[k, last] = held
        first += 1
        last -= 1


@large_kernel
def _two_opt(memory, observation, k):
    """Reverse parts of a vehicle's plan until none makes it shorter."""
    better = True
    while better:
        better = False
        for first in range(memory.count[k] - 1):
            for last in range(first + 1, memory.count[k]):
                _reverse(memory, k, first, last)
                cost = _drive(memory, observation, k)
                if cost < memory.cost[k] - 1e-9:
                    memory.cost[k] = cost
                    better = True
                else:
                    _reverse(memory, k, first, last)


@large_kernel
def _save(memory, observation):
    """The plan by savings, then 2-opt."""
    demand = 0
    _clear(memory, observation)
    for node in range(1, observation.nodes.shape[0]):
        demand += int(observation.nodes[node, 2]) if memory.open[node] else 0
    _start_trips(memory, observation)
    longest = demand
    if observation.rules[0] == 1.0:  # trips short enough for two of each vehicle
        longest = demand // (2 * observation.vehicles.shape[0]) + 9
    _join_trips(memory, observation, longest)
    _share_trips(memory, observation)
    for k in range(observation.vehicles.shape[0]):
        _two_opt(memory, observation, k)


@policy(_ID, "savings", variables=_PLAN, contradiction=contradiction)
def savings(memory, observation, mask):
    """Follows a plan by savings: trips joined where that saves most, shared by the vehicles, then improved by 2-opt."""
    if _must_plan(memory, observation):
        _save(memory, observation)
    return _follow(memory, observation, mask)
