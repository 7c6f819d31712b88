"""Route choice: drivers choose routes in a network whose roads slow down with traffic, with or without tolls.

**Rules.** Each driver has a pair, an origin and a destination, drawn at random if there are several. On each of `days`
days, all drivers choose one of the routes of their pair at once. A link that the share x of all drivers uses takes

latency = free + slope x,

and it has a toll by `tolls`:

- `none`: no tolls.
- `marginal`: slope x, the delay that a driver causes to all others on the link (marginal cost tolls).
- `random`: each link has a toll with probability `toll_share`, which is its latency.

A driver pays the sum of latencies and the sum of tolls over the links of its route.

*Network.* If there is no level, it is the Braess graph of order `order`, or a grid of one-way streets with random
latencies; see `envsuite.social.route_choice.levels`. The Braess graph of order 1 is Braess's paradox.

**Agents.** `driver_0` ... `driver_{drivers-1}`.

**Observation.** Dict. Drivers know the network and yesterday's traffic. There are at most N nodes, L links, P pairs, R
routes of a pair and K links of a route.

| part | space | content |
|---|---|---|
| pair | Box (1,) int8 | number of the driver's pair |
| rank | Box (1,) int16 | its number among the drivers of its pair |
| demand | Box (P,) int16 | drivers of each pair |
| nodes | Box (N, 2) float64 | places of the nodes; -1 for none |
| links | Box (L, 6) float64 | of each link, see below |
| routes | Box (P, R, K) int8 | the links of each route in order; -1 for none |
| latency, toll | Box (R,) float64 | of the driver's routes yesterday; -1 at first and for none |
| chosen | Box (1,) int8 | the driver's route yesterday; -1 at first |
| left | Box (1,) int16 | days left, the present one included |
| rules | Box (4,) float64 | drivers; 0 for `none`, 1 `marginal`, 2 `random`; the two `weights` |

A link has its start and its end (-1 for no link), free, slope, its drivers yesterday (-1 at first), and 1 for a toll
under `random`.

**Actions.** Discrete (R).

| action | name | legal |
|---|---|---|
| k | `route 0`, `route 1`, ... | if the driver's pair has that route |

**Window.** The keys 0 to 9 choose that route, and so does a click on it in the list of routes.

**Rewards.** The sum of two objectives, weighted by `weights`. To lie between -1 and 0, both are divided by the largest
latency that a link has if all drivers use it, and by the number of links of the longest route.

| objective | on each day |
|---|---|
| `latency` | minus the latency of the driver's route |
| `toll` | minus its toll |

**Ends.** Terminates after `days` days.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `drivers` | 6 | number of drivers, from 1 to 4200 |
| `network` | "braess" | "braess" or "grid" |
| `order` | 1 | order of the Braess graph, from 1 to 7 |
| `rows` | 3 | nodes of the grid from top to bottom, from 2 to 4 |
| `columns` | 3 | nodes of the grid from left to right, from 2 to 4 |
| `pairs` | 1 | pairs of an origin and a destination in the grid, from 1 to 4 |
| `days` | 5 | number of days, from 1 to 1000 |
| `tolls` | "marginal" | "none", "marginal" or "random" |
| `toll_share` | 0.1 | probability of a toll on a link, for `random`, from 0 to 1 |
| `weights` | (1, 1) | weights of the two objectives, from -1,000,000 to 1,000,000 |

**Level.** ``{"nodes": [[0, 0.5], [1, 0.5]], "links": [[0, 1, 10, 0], [0, 1, 0, 20]], "routes": [[[0], [1]]]}``: places
of nodes from 0 to 1, links (start, end, free, slope), and the routes of each pair as lists of links. Levels of
`envsuite generate roads` fit. Optional parts are `drivers`, the pair of each driver, and `tolled`, the links with a
toll under `random`; they are drawn if left out.

**Known values.** For the Braess graph of order k and many drivers, without tolls:

- In equilibrium, where nobody gains by another route, all take shortcuts, and a trip takes 10 (k + 1): 20 for k = 1.
- At best, nobody takes a shortcut, and a trip takes 10 (1 + k k / (k + 1)): 15 for k = 1. So closed shortcuts make
  traffic faster. The price of anarchy of k = 1 is 4/3, the largest of all networks with such latencies.
- If drivers choose at random for k = 1, a trip takes 140 / 9 = 15.5556 on average.
- With `marginal` tolls and equal weights, the best distribution of traffic is the equilibrium, in every network.

**Differences.** From MOMAland 0.2.0:

- There are 6 drivers by default instead of 4200, and latencies depend on shares. So networks do not depend on the
  number of drivers, and values for many drivers are nearly those of few.
- There are several days, and drivers observe the network and yesterday's traffic. MOMAland's observation is constant
  and its episode a single day: `days=1`.
- Tolls are divided by the largest latency, as latencies are, instead of by the largest toll. So a unit of toll weighs
  as much as a unit of latency, which `marginal` tolls need.
- Latencies are linear. Its measured networks of cities, some with other latencies, are left out.
- MOMAland returns truncations and terminations in the wrong order, which leads to an episode that is truncated.

**Source.** Ramos, Radulescu, Nowe and Tavares, "Toll-Based Learning for Minimizing Congestion under Heterogeneous
Preferences", 2020; Felten et al., "MOMAland: A Set of Benchmarks for Multi-Objective Multi-Agent Reinforcement
Learning", 2024; Roughgarden, "On the severity of Braess's Paradox", 2006; Roughgarden and Tardos, "How bad is selfish
routing?", 2002.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import read_numbers
from envsuite.core.ranges import among, below, fixed, flag, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.social.route_choice import levels, pages, view
from envsuite.social.route_choice.levels import make

TOLLS = ("none", "marginal", "random")
NONE, MARGINAL, RANDOM = range(3)

TIME, TOLL = range(2)

#: The largest number of drivers, and of weights.
MOST, WEIGHT = 4200, 1_000_000

#: The largest latency and toll of a route.
LONGEST = 2 * levels.LATENCY * levels.LENGTH


def fields(roads: levels.Roads, drivers: int, days: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *roads.fields,  # level: the network
        ("owners", below(np.int8, roads.pairs), (drivers,)),  # the pair of each driver: part of the level
        ("owners_given", flag()),  # whether the level has them
        ("tolled", flag(), (roads.links,)),  # links with a toll, for random tolls: part of the level
        ("tolled_given", flag()),  # whether the level has them
        ("ranks", below(np.int64, drivers), (drivers,)),  # numbers of drivers among those of their pair
        ("demand", within(np.int64, 0, drivers), (roads.pairs,)),  # drivers of each pair
        ("scale", within(np.float64, 0, 2 * levels.LATENCY)),  # the largest latency of a link with all drivers
        ("longest", within(np.int64, 1, levels.LENGTH)),  # links of the longest route
        ("flows", within(np.int64, 0, drivers), (roads.links,)),  # drivers on each link on the last day
        ("chosen", within(np.int8, -1, roads.routes - 1), (drivers,)),  # routes on the last day; -1 before the first
        ("day", within(np.int64, 0, days)),  # number of days that are over
        ("means", within(np.float64, 0, LONGEST), (days, 2)),  # mean latency and toll of each day
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    draw_drivers(s)
    s.day = 0
    s.scale = 0.0
    for link in range(s.flows.shape[0]):
        if s.level_given == 0 or s.tolled_given == 0:
            s.tolled[link] = s.params.tolls == RANDOM and random.bernoulli(s, s.params.toll_share)
        s.flows[link] = 0
        s.scale = max(s.scale, s.level.free[link] + s.level.slope[link])
    s.longest = 1
    for pair in range(s.demand.shape[0]):
        for route in range(s.params.routes):
            for k in range(s.params.length):
                if s.level.routes[pair, route, k] >= 0:
                    s.longest = max(s.longest, k + 1)
    for day in range(s.means.shape[0]):
        s.means[day, 0] = 0.0
        s.means[day, 1] = 0.0


@kernel
def draw_drivers(s):
    """Give every driver a pair, unless the level does, and a rank among those of its pair."""
    pairs = 0
    for pair in range(s.demand.shape[0]):
        s.demand[pair] = 0
        pairs += s.level.routes[pair, 0, 0] >= 0
    for k in range(s.owners.shape[0]):
        if s.level_given == 0 or s.owners_given == 0:
            s.owners[k] = random.randint(s, pairs)
        s.ranks[k] = s.demand[s.owners[k]]
        s.demand[s.owners[k]] += 1
        s.chosen[k] = -1


@kernel
def latency(s, link):
    """The latency of a link on the last day."""
    return s.level.free[link] + s.level.slope[link] * s.flows[link] / s.owners.shape[0]


@kernel
def toll(s, link):
    """The toll of a link on the last day."""
    if s.params.tolls == MARGINAL:
        return s.level.slope[link] * s.flows[link] / s.owners.shape[0]
    return latency(s, link) if s.tolled[link] != 0 and s.params.tolls == RANDOM else 0.0


@kernel
def trip(s, pair, route):
    """The latency and the toll of a route on the last day."""
    time, paid = 0.0, 0.0
    for k in range(s.params.length):
        link = s.level.routes[pair, route, k]
        if link >= 0:
            time += latency(s, link)
            paid += toll(s, link)
    return time, paid


@kernel
def step(s, actions, rewards):
    drivers = s.owners.shape[0]
    for link in range(s.flows.shape[0]):
        s.flows[link] = 0
    for k in range(drivers):
        s.chosen[k] = actions[k]
        for number in range(s.params.length):
            link = s.level.routes[s.owners[k], s.chosen[k], number]
            if link >= 0:
                s.flows[link] += 1
    unit = s.scale * s.longest
    for k in range(drivers):
        time, paid = trip(s, s.owners[k], s.chosen[k])
        s.objectives[k, TIME] = -time / unit
        s.objectives[k, TOLL] = -paid / unit
    for link in range(s.flows.shape[0]):
        s.means[s.day, 0] += latency(s, link) * s.flows[link] / drivers
        s.means[s.day, 1] += toll(s, link) * s.flows[link] / drivers
    s.day += 1
    for k in range(drivers):
        s.terminated[k] = s.day == s.means.shape[0]


@kernel
def observe(s, agent, out):
    pair = s.owners[agent]
    out.pair[0] = pair
    out.rank[0] = s.ranks[agent]
    out.chosen[0] = s.chosen[agent]
    out.left[0] = s.means.shape[0] - s.day
    for link in range(s.flows.shape[0]):
        out.links[link, 0] = s.level.ends[link, 0]
        out.links[link, 1] = s.level.ends[link, 1]
        out.links[link, 2] = s.level.free[link]
        out.links[link, 3] = s.level.slope[link]
        out.links[link, 4] = s.flows[link] if s.day > 0 else -1.0
        out.links[link, 5] = s.tolled[link]
    for node in range(out.nodes.shape[0]):
        out.nodes[node, 0] = s.level.places[node, 0]
        out.nodes[node, 1] = s.level.places[node, 1]
    for p in range(s.demand.shape[0]):
        out.demand[p] = s.demand[p]
        for route in range(s.params.routes):
            for k in range(s.params.length):
                out.routes[p, route, k] = s.level.routes[p, route, k]
    for route in range(s.params.routes):
        time, paid = -1.0, -1.0
        if s.day > 0 and s.level.routes[pair, route, 0] >= 0:
            time, paid = trip(s, pair, route)
        out.latency[route] = time
        out.toll[route] = paid
    out.rules[0] = s.owners.shape[0]
    out.rules[1] = s.params.tolls
    out.rules[2] = s.params.weights[TIME]
    out.rules[3] = s.params.weights[TOLL]


@kernel
def legal(s, agent, mask):
    for route in range(s.params.routes):
        mask[route] = s.level.routes[s.owners[agent], route, 0] >= 0


class RouteChoice(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    kind = ("dilemmas", "traffic")
    verified = "MOMAland in lock-step; closed forms of Braess graphs; quadratic programs"
    variants = (
        dict(drivers=4, network="grid", rows=2, pairs=2, days=2, tolls="random", toll_share=0.5, weights=(1.0, 0.5)),
        dict(drivers=3, order=2, days=1, tolls="none"),
    )
    shown = "optimal"
    clickable = "route .*"
    click = view.click
    text = view.text
    scene = view.scene
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        drivers: Annotated[int, Between(1, MOST)] = 6,
        network: levels.Shape = "braess",
        order: Annotated[int, Between(1, levels.ORDER)] = 1,
        rows: Annotated[int, Between(2, levels.SIDE)] = 3,
        columns: Annotated[int, Between(2, levels.SIDE)] = 3,
        pairs: Annotated[int, Between(1, levels.PAIRS)] = 1,
        days: Annotated[int, Horizon(1, 1000)] = 5,
        tolls: Literal["none", "marginal", "random"] = "marginal",
        toll_share: Annotated[float, Between(0, 1)] = 0.1,
        weights: tuple[Annotated[float, Between(-WEIGHT, WEIGHT)], ...] = (1.0, 1.0),
    ):
        roads = levels.Roads(network, order, rows, columns, pairs)
        self.sizes = {name: getattr(roads, name) for name in ("nodes", "links", "pairs", "routes", "length")}
        self.keys = {str(k): f"route {k}" for k in range(min(10, roads.routes))}
        trips = Box(-1.0, LONGEST, (roads.routes,), np.float64)
        self.define(
            agents=[f"driver_{k}" for k in range(drivers)],
            actions=[f"route {k}" for k in range(roads.routes)],
            observation=Dict(
                pair=Box(0, roads.pairs - 1, (1,), np.int8),
                rank=Box(0, drivers - 1, (1,), np.int16),
                demand=Box(0, drivers, (roads.pairs,), np.int16),
                nodes=Box(-1.0, 1.0, (roads.nodes, 2), np.float64),
                links=Box(
                    np.tile([-1.0, -1.0, 0.0, 0.0, -1.0, 0.0], (roads.links, 1)),
                    np.tile(
                        [roads.nodes - 1, roads.nodes - 1, levels.LATENCY, levels.LATENCY, drivers, 1.0],
                        (roads.links, 1),
                    ),
                    (roads.links, 6),
                    np.float64,
                ),
                routes=Box(-1, roads.links - 1, (roads.pairs, roads.routes, roads.length), np.int8),
                latency=trips,
                toll=trips,
                chosen=Box(-1, roads.routes - 1, (1,), np.int8),
                left=Box(0, days, (1,), np.int16),
                rules=Box(
                    np.array([1.0, 0.0, -WEIGHT, -WEIGHT]), np.array([MOST, 2.0, WEIGHT, WEIGHT]), (4,), np.float64
                ),
            ),
            fields=fields(roads, drivers, days),
            params={
                **roads.values,
                "routes": fixed(roads.routes),
                "length": fixed(roads.length),
                "tolls": among(TOLLS, tolls),
                "toll_share": float(toll_share),
                "weights": weights,
            },
            objectives={"latency": (-1.0, 0.0), "toll": (-1.0, 0.0)},
        )

    def contradiction(self, s: Any) -> str | None:
        if s.day == len(s.means) and not s.terminated[0]:
            return "all days are over"
        problem = self._misfit(s.level)
        if problem is None and (np.asarray(s.level.routes)[np.asarray(s.owners), 0, 0] < 0).any():
            problem = "a driver has a pair that is not there"
        if problem is None and not s.scale > 0:
            problem = "the scale must be above 0"
        return problem

    def _misfit(self, network: Any) -> str | None:
        """Why a network does not fit the sizes of this world's arrays, if it does not."""
        routes = np.asarray(network.routes)
        there = routes[:, :, 0] >= 0
        found = {
            "nodes": max(int((np.asarray(network.places)[:, 0] >= 0).sum()), int(np.asarray(network.ends).max()) + 1),
            "links": max(int((np.asarray(network.ends)[:, 0] >= 0).sum()), int(routes.max()) + 1),
            "pairs": int(there.any(axis=1).sum()),
            "routes": int(there.sum(axis=1).max()),
            "length": int((routes >= 0).sum(axis=2).max()),
        }
        words = {"routes": "routes of a pair", "length": "links of a route"}
        for name, most in self.sizes.items():
            if found[name] > most:
                return f"the network has {found[name]} {words.get(name, name)}; {most} fit this world"
        return None if there[0, 0] else "the network has no routes"

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        levels.read_roads(s.level, {k: part for k, part in level.items() if k not in ("drivers", "tolled")}, self.id)
        if problem := self._misfit(s.level):
            raise LevelError(f"{self.id}: {problem}")
        s.owners_given, s.tolled_given = "drivers" in level, "tolled" in level
        drivers, links = len(self.agents), len(level["links"])
        if "drivers" in level:
            what, routes = f"{self.id}: the level's drivers", len(level["routes"])
            s.owners[:] = read_numbers(level["drivers"], what, (drivers,), 0, routes - 1, whole=True)
        if "tolled" in level:
            what = f"{self.id}: the level's tolled"
            tolled = read_numbers(level["tolled"], what, ((0, links),), 0, links - 1, whole=True)
            s.tolled[:] = np.isin(np.arange(len(s.tolled)), tolled)

    def get_level(self, s: Any) -> dict[str, Any]:
        level = {**levels.write_roads(s.level), "drivers": s.owners.tolist()}
        return {**level, "tolled": np.flatnonzero(s.tolled).tolist()} if s.params.tolls == RANDOM else level


env, raw_env, parallel_env = pettingzoo_forms(RouteChoice)
