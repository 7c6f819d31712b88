"""Baselines of RouteChoice: the shortest way, best replies, an equilibrium, and the best traffic for all."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import limited, scratch
from envsuite.social.route_choice import MARGINAL, RANDOM
from envsuite.social.route_choice.levels import LINKS, PAIRS, ROUTES

ID = "envsuite/RouteChoice-v0"

#: Sweeps over all routes at most, until no driver gains by another one.
SWEEPS = 1000

#: The smallest gain that counts, against rounding errors.
GAIN = 1e-9


@kernel
def added(observation, link, flow, social):
    """The cost of one more driver on a link with this many drivers: for all of them if `social`, else for itself."""
    drivers = observation.rules[0]
    free, slope = observation.links[link, 2], observation.links[link, 3]
    if social:
        return free + slope * (2.0 * flow + 1.0) / drivers
    rise = slope * (flow + 1.0) / drivers
    toll = 0.0
    if observation.rules[1] == MARGINAL:
        toll = rise
    elif observation.rules[1] == RANDOM and observation.links[link, 5] != 0.0:
        toll = free + rise
    return observation.rules[2] * (free + rise) + observation.rules[3] * toll


@kernel
def best_route(observation, flows, pair, social):
    """The route of a pair that costs least for one more driver, and its cost."""
    found, least = 0, 1e300
    for route in range(observation.routes.shape[1]):
        if observation.routes[pair, route, 0] >= 0:
            cost = route_cost(observation, flows, pair, route, social)
            if cost < least - GAIN:
                found, least = route, cost
    return found, least


@kernel
def route_cost(observation, flows, pair, route, social):
    """The cost of a route for one more driver."""
    cost = 0.0
    for k in range(observation.routes.shape[2]):
        link = observation.routes[pair, route, k]
        if link >= 0:
            cost += added(observation, link, flows[link], social)
    return cost


@kernel
def load(observation, flows, pair, route, count):
    """Add drivers to the links of a route."""
    for k in range(observation.routes.shape[2]):
        link = observation.routes[pair, route, k]
        if link >= 0:
            flows[link] += count


@kernel
def settle(observation, flows, counts, social):
    """Write the numbers of drivers on all routes: one by one on their best routes, then moved until nobody gains.

    Costs of links depend on the numbers of drivers only. So every move lowers a potential (Rosenthal 1973), which is
    the sum of all latencies if `social`, and the end is an equilibrium of the drivers otherwise.
    """
    pairs, routes = observation.routes.shape[0], observation.routes.shape[1]
    for link in range(observation.links.shape[0]):
        flows[link] = 0
    for pair in range(pairs):
        for route in range(routes):
            counts[pair, route] = 0
        for _ in range(observation.demand[pair]):
            route, _ = best_route(observation, flows, pair, social)
            counts[pair, route] += 1
            load(observation, flows, pair, route, 1)
    for _ in range(SWEEPS):
        moved = False
        for pair in range(pairs):
            for route in range(routes):
                if counts[pair, route] > 0:
                    load(observation, flows, pair, route, -1)
                    cost = route_cost(observation, flows, pair, route, social)
                    other, least = best_route(observation, flows, pair, social)
                    if least >= cost - GAIN:
                        other = route
                    load(observation, flows, pair, other, 1)
                    counts[pair, route] -= 1
                    counts[pair, other] += 1
                    moved = moved or other != route
        if not moved:
            return


@kernel
def assigned(memory, observation, social):
    """The route of a driver, if drivers take the routes of `settle` in the order of their ranks."""
    if memory.goal < 0:
        settle(observation, memory.flows, memory.counts, social)
        left, route = np.int64(observation.rank[0]), 0
        while route < observation.routes.shape[1] - 1 and left >= memory.counts[observation.pair[0], route]:
            left -= memory.counts[observation.pair[0], route]
            route += 1
        memory.goal = route
    return memory.goal


#: What `assigned` remembers: the driver's route, and room for numbers of drivers.
PLAN = {"goal": limited(-1, -1, ROUTES - 1), "flows": scratch(LINKS), "counts": scratch((PAIRS, ROUTES))}


def contradiction(memory: Any, world: Any) -> str | None:
    """A route must be one of this world."""
    return (
        None if memory.goal < world.num_actions else f"goal is {memory.goal}, but there are {world.num_actions} routes"
    )


@policy(ID, "optimal", variables=PLAN, contradiction=contradiction)
def optimal(memory, observation, mask):
    """Takes its part in the traffic with the smallest sum of latencies; drivers are told apart by their ranks."""
    return assigned(memory, observation, True)


@policy(ID, "equilibrium", variables=PLAN, contradiction=contradiction)
def equilibrium(memory, observation, mask):
    """Takes its part in a traffic in which no driver has smaller costs, tolls included, on another route."""
    return assigned(memory, observation, False)


@policy(ID, "shortest")
def shortest(memory, observation, mask):
    """Takes the route that is fastest without traffic."""
    found, least = 0, 1e300
    for route in range(mask.shape[0]):
        if mask[route] != 0:
            free = 0.0
            for k in range(observation.routes.shape[2]):
                link = observation.routes[observation.pair[0], route, k]
                if link >= 0:
                    free += observation.links[link, 2]
            if free < least:
                found, least = route, free
    return found


@policy(ID, "selfish", variables={"flows": scratch(LINKS)}, change=CHANCE.at(0.3))
def selfish(memory, observation, mask):
    """Takes the best reply to yesterday's traffic, with probability `change`, and otherwise yesterday's route.

    On the first day it takes the route that is fastest without traffic.
    """
    if observation.chosen[0] < 0:
        return shortest(memory, observation, mask)
    pair, chosen = np.int64(observation.pair[0]), np.int64(observation.chosen[0])
    if not random.bernoulli(memory, memory.change):
        return chosen
    for link in range(observation.links.shape[0]):
        memory.flows[link] = np.int64(observation.links[link, 4])
    load(observation, memory.flows, pair, chosen, -1)
    other, least = best_route(observation, memory.flows, pair, False)
    if least >= route_cost(observation, memory.flows, pair, chosen, False) - GAIN:
        return chosen
    return other
