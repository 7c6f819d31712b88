"""Routing: vehicles of a depot share the customers of a town and visit all of them soon, or as customers prefer.

**Rules.** A depot and `customers` customers are places in the unit square, and each customer has a demand. `vehicles`
vehicles start at the depot. In each step, all vehicles choose at once where they go next: to a customer, to the depot,
or nowhere. They get there in the same step, however far it is; only the distances that they drive count.

1. If several vehicles choose the same customer, the nearest one goes there, of equally near ones that with the lowest
   number. The others stay.
2. A vehicle that visits a customer delivers its demand from its load, which must suffice. At the depot it loads its
   full capacity again.
3. When all customers are visited, all vehicles drive home to the depot.

| `variant` | vehicles | goal |
|---|---|---|
| `hcvrp` | capacities from 20 to 40, speeds from 0.5 to 1, uniform | the last vehicle is home soon |
| `pvrp_p` | capacity 40, speed 1 | little time of all vehicles together, and customers get vehicles that they prefer |
| `pvrp_zc` | capacity 40, speed 1; some vehicles may not visit some customers | little time of all vehicles together |

Places are uniform and demands uniform from 1 to 9. In `pvrp_p`, the preference of a customer for a vehicle is by
`preferences`:

- `random`: uniform from 0 to 1.
- `sectors`: 1 if the customer is in the vehicle's sector around the depot, one of equal angles, and 0 otherwise.
- `clusters`: 1 - d / sqrt(2), where d is the distance to the vehicle's favorite customer, drawn at random.

In `pvrp_zc`, each customer refuses floor(r `vehicles`) vehicles, drawn at random, where r is uniform from 0 to 2/3 and
the same for all customers.

With ``clock="event"``, vehicles choose one at a time: the one that is free first, as if driving took time. A vehicle
that stays waits until all others have become free. Of vehicles that are free at the same time, the one with the fewest
choices so far comes first, then that with the lowest number.

**Agents.** `vehicle_0` ... `vehicle_{vehicles-1}`.

**Observation.** Dict; all vehicles see everything. There are N customers and M vehicles. Node 0 is the depot.

| part | space | content |
|---|---|---|
| own | Box (1,) int8 | the vehicle's number |
| nodes | Box (N + 1, 4) float64 | of each node x, y, demand, and 1 once it is visited; the depot's last two are 0 |
| vehicles | Box (M, 7) float64 | of each vehicle, see below |
| preferences | Box (M, N + 1) float64 | of each customer for each vehicle; 0 for the depot |
| zones | Box (M, N + 1) int8 | 1 where a vehicle may go |
| rules | Box (6,) float64 | 1 for `hcvrp`; 1 for ``clock="event"``; the three `weights`; steps left |

A vehicle has its node, load, capacity, speed, distance so far, the time at which it is free, and its choices so far.

**Actions.** Discrete (N + 2).

| action | name | legal |
|---|---|---|
| 0 | `depot` | unless the vehicle is there |
| 1 ... N | `customer 1` ... | unless the customer was visited, refuses the vehicle, or demands more than its load |
| N + 1 | `stay` | always |

**Window.** A click on a customer, on the depot, or on the vehicle's own place to stay.

**Rewards.** All vehicles get the same: the sum of three objectives, weighted by `weights`.

| objective | in each step |
|---|---|
| `time` | minus the increase of the goal's time: in `hcvrp` the longest of all vehicles, otherwise their sum |
| `preference` | the sum of preferences of customers for the vehicles that visit them in this step |
| `missed` | minus the number of customers that are left when the episode is truncated |

The time of a vehicle is its distance divided by its speed.

**Ends.** Terminates when all customers are visited and all vehicles are home. Truncated after `horizon` steps; the
vehicles then drive home too.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `vehicles` | 3 | number of vehicles, from 1 to 8 |
| `customers` | 12 | number of customers, from 1 to 60 |
| `variant` | "hcvrp" | "hcvrp", "pvrp_p" or "pvrp_zc" |
| `preferences` | "random" | "random", "sectors" or "clusters", for `pvrp_p` |
| `clock` | "steps" | "steps" or "event" |
| `weights` | (1, 0.1, 6) | weights of the three objectives, from -1,000 to 1,000 |
| `horizon` | 200 | number of steps, from 1 to 1,000,000 |

**Level.** ``{"depot": [0.5, 0.5], "customers": [[0.1, 0.9, 3]], "vehicles": [[20, 0.5]]}``: x, y and demand of each
customer, capacity and speed of each vehicle. Optional are `preferences` (a list of N numbers from 0 to 1 for each
vehicle, otherwise 0) and `zones` (a list of N numbers for each vehicle, 1 where it may go, otherwise 1).
Levels of `envsuite generate tours` fit.

**Known values.** One vehicle with room for all demands: the shortest tour. One vehicle that has to return after each
customer: the sum of 2 d / speed, in any order.

**Differences.** From the environments of CAMP and PARCO:

- If several vehicles choose the same customer, one gets it. There, the environment credits all of them, and a part of
  the policy resolves conflicts.
- `stay` is an action; there, the policy inserts it. So the depot need not be forbidden while all are there, and
  episodes have a horizon. The default weight 6 of `missed` is more than a visit ever costs at speeds of 0.5 and more.
- The reward is paid as it arises, with the same sum. The default weight 0.1 of `preference` is our choice.
- There are 12 customers by default, instead of 40 or 50.
- `zones` are drawn for each episode; there, all episodes of a batch share the refusals. Of its other kinds of zones and
  preferences, the blocks are left out, which need a square number of vehicles.
- ``clock="event"`` is an addition.

**Source.** Hua, Berto et al., "CAMP: Collaborative Attention Model with Profiles for Vehicle Routing Problems", 2025;
Berto, Hua et al., "PARCO: Parallel AutoRegressive Models for Multi-Agent Combinatorial Optimization", 2024.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import below, fixed, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.games.routing import levels, pages, view
from envsuite.games.routing.levels import CUSTOMERS, VEHICLES, make
from envsuite.registry import pettingzoo_forms

CLOCKS = ("steps", "event")

TIME, PREFERENCE, MISSED = range(3)

#: The largest number of steps and weight; no distance of an episode is larger than FAR.
LONGEST, WEIGHT = 1_000_000, 1000
FAR = 400.0


def fields(town: levels.Tours, vehicles: int, customers: int) -> list[tuple]:
    """The record. Node 0 is the depot; places of vehicles are nodes."""
    nodes = customers + 1
    return [
        *town.fields,  # level: places, demands, vehicles, preferences and zones
        ("visited", flag(), (nodes,)),
        ("left", within(np.int64, 0, customers)),  # customers that are not visited
        ("node", below(np.int64, nodes), (vehicles,)),
        ("load", within(np.int64, 0, levels.CAPACITY), (vehicles,)),
        ("length", within(np.float64, 0, FAR), (vehicles,)),  # distance so far
        ("free", within(np.float64, 0, FAR / levels.SLOWEST), (vehicles,)),  # when each is free, for clock="event"
        ("choices", within(np.int64, 0, LONGEST), (vehicles,)),
        ("want", within(np.int64, -1, customers), (vehicles,)),  # where each wants to go; used within a step
        ("mover", below(np.int64, vehicles)),  # the vehicle that chooses, for clock="event"
        ("trail", below(np.int64, nodes), (vehicles, 2 * nodes)),  # the nodes of each so far, for pictures
        ("stops", within(np.int64, 1, 2 * nodes), (vehicles,)),  # and their number
    ]


@large_kernel
def reset(s):
    vehicles, nodes = s.node.shape[0], s.visited.shape[0]
    if not s.level_given:
        make(s)
    s.left = nodes - 1
    s.mover = 0
    fill(s.visited, 0)
    for k in range(vehicles):
        s.node[k] = 0
        s.load[k] = s.level.capacity[k]
        s.length[k] = 0.0
        s.free[k] = 0.0
        s.choices[k] = 0
        s.want[k] = -1
        s.stops[k] = 1
        for stop in range(s.trail.shape[1]):
            s.trail[k, stop] = 0


@kernel
def time_so_far(s):
    """The goal's time: of the vehicle that takes longest, or of all together."""
    longest, total = 0.0, 0.0
    for k in range(s.node.shape[0]):
        time = s.length[k] / s.level.speed[k]
        longest = max(longest, time)
        total += time
    return longest if s.params.variant == levels.HCVRP else total


@kernel
def go(s, k, node):
    """Drive a vehicle to another node; returns the customer's preference."""
    far = levels.way(s.level.places, s.node[k], node)
    s.length[k] += far
    s.free[k] += far / s.level.speed[k]
    s.node[k] = node
    s.trail[k, s.stops[k]] = node
    s.stops[k] += 1
    if node == 0:
        s.load[k] = s.level.capacity[k]
        return 0.0
    s.load[k] -= s.level.demand[node]
    s.visited[node] = 1
    s.left -= 1
    return s.level.preference[k, node]


@kernel
def is_first(s, k):
    """Whether no other vehicle gets the customer that this one wants."""
    far = levels.way(s.level.places, s.node[k], s.want[k])
    for other in range(s.node.shape[0]):
        if other != k and s.want[other] == s.want[k]:
            theirs = levels.way(s.level.places, s.node[other], s.want[k])
            if theirs < far or (theirs == far and other < k):
                return False
    return True


@kernel
def next_mover(s):
    """The vehicle that is free first."""
    found = 0
    for k in range(1, s.node.shape[0]):
        sooner = s.free[k] < s.free[found]
        if sooner or (s.free[k] == s.free[found] and s.choices[k] < s.choices[found]):
            found = k
    return found


@kernel
def note_wishes(s, actions):
    """Write where each vehicle wants to go; -1 if it stays or does not choose."""
    nodes = s.visited.shape[0]
    for k in range(s.node.shape[0]):
        s.want[k] = -1
        if not s.params.event or s.mover == k:
            s.choices[k] += 1
            if actions[k] < nodes:
                s.want[k] = actions[k]
            elif s.params.event:
                for other in range(s.node.shape[0]):
                    s.free[k] = max(s.free[k], s.free[other])


@large_kernel
def step(s, actions, rewards):
    vehicles, before, liked = s.node.shape[0], time_so_far(s), 0.0
    note_wishes(s, actions)
    for k in range(vehicles):
        if s.want[k] > 0 and not is_first(s, k):
            s.want[k] = -1  # the vehicle that beats it still wants to go there
    for k in range(vehicles):
        if s.want[k] >= 0:
            liked += go(s, k, s.want[k])
        s.want[k] = -1
    over = s.left == 0 or s.t >= s.params.horizon
    if over:
        for k in range(vehicles):
            if s.node[k] > 0:
                go(s, k, 0)
    if s.params.event:
        s.mover = next_mover(s)
    after = time_so_far(s)
    for k in range(vehicles):
        s.objectives[k, TIME] = before - after
        s.objectives[k, PREFERENCE] = liked
        s.objectives[k, MISSED] = -s.left if over else 0.0
        s.terminated[k] = s.left == 0
        s.truncated[k] = over and s.left > 0


@large_kernel
def observe(s, agent, out):
    vehicles, nodes = s.node.shape[0], s.visited.shape[0]
    out.own[0] = agent
    for node in range(nodes):
        out.nodes[node, 0] = s.level.places[node, 0]
        out.nodes[node, 1] = s.level.places[node, 1]
        out.nodes[node, 2] = s.level.demand[node]
        out.nodes[node, 3] = s.visited[node]
    for k in range(vehicles):
        out.vehicles[k, 0] = s.node[k]
        out.vehicles[k, 1] = s.load[k]
        out.vehicles[k, 2] = s.level.capacity[k]
        out.vehicles[k, 3] = s.level.speed[k]
        out.vehicles[k, 4] = s.length[k]
        out.vehicles[k, 5] = s.free[k]
        out.vehicles[k, 6] = s.choices[k]
        for node in range(nodes):
            out.preferences[k, node] = s.level.preference[k, node]
            out.zones[k, node] = s.level.zone[k, node]
    out.rules[0] = s.params.variant == levels.HCVRP
    out.rules[1] = s.params.event
    for part in range(3):
        out.rules[2 + part] = s.params.weights[part]
    out.rules[5] = s.params.horizon - s.t


@kernel
def legal(s, agent, mask):
    nodes = s.visited.shape[0]
    if s.params.event and s.mover != agent:
        return
    mask[0] = s.node[agent] != 0
    for node in range(1, nodes):
        mask[node] = s.visited[node] == 0 and s.level.zone[agent, node] != 0 and s.level.demand[node] <= s.load[agent]
    mask[nodes] = 1


class Routing(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    information = "perfect"
    utility = "identical"
    kind = ("operations",)
    verified = "exhaustive optima, Held and Karp's shortest tours, a second implementation in lock-step"
    variants = (
        dict(vehicles=2, customers=5, variant="pvrp_p", preferences="clusters", clock="event"),
        dict(vehicles=3, customers=4, variant="pvrp_zc", horizon=6),
    )
    shown = "regret"
    text = view.text
    scene = view.scene
    click = view.click
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        vehicles: Annotated[int, Between(1, VEHICLES)] = 3,
        customers: Annotated[int, Between(1, CUSTOMERS)] = 12,
        variant: levels.Variant = "hcvrp",
        preferences: levels.Preferences = "random",
        clock: Literal["steps", "event"] = "steps",
        weights: tuple[Annotated[float, Between(-WEIGHT, WEIGHT)], ...] = (1.0, 0.1, 6.0),
        horizon: Annotated[int, Between(1, LONGEST)] = 200,
    ):
        self.turns = "sequential" if clock == "event" else "simultaneous"
        town = levels.Tours(vehicles, customers, variant, preferences)
        nodes, most = customers + 1, FAR / levels.SLOWEST
        node = [1.0, 1.0, levels.CAPACITY, 1.0]
        low = [0.0, 0.0, 1.0, levels.SLOWEST, 0.0, 0.0, 0.0]
        high = [customers, levels.CAPACITY, levels.CAPACITY, levels.FASTEST, FAR, most, LONGEST]
        self.define(
            agents=[f"vehicle_{k}" for k in range(vehicles)],
            actions=["depot", *(f"customer {k}" for k in range(1, nodes)), "stay"],
            observation=Dict(
                own=Box(0, vehicles - 1, (1,), np.int8),
                nodes=Box(0.0, np.tile(node, (nodes, 1)), (nodes, 4), np.float64),
                vehicles=Box(np.tile(low, (vehicles, 1)), np.tile(high, (vehicles, 1)), (vehicles, 7), np.float64),
                preferences=Box(0.0, 1.0, (vehicles, nodes), np.float64),
                zones=Box(0, 1, (vehicles, nodes), np.int8),
                rules=Box(
                    np.array([0.0, 0.0, *[-WEIGHT] * 3, 0.0]),
                    np.array([1.0, 1.0, *[WEIGHT] * 3, LONGEST]),
                    (6,),
                    np.float64,
                ),
            ),
            fields=fields(town, vehicles, customers),
            params={
                **town.values,
                "event": fixed(clock == "event"),
                "weights": weights,
                "horizon": horizon,
            },
            objectives={
                "time": (-vehicles * most, 0.0),
                "preference": (0.0, float(vehicles)),
                "missed": (-float(customers), 0.0),
            },
        )

    def contradiction(self, s: Any) -> str | None:
        visited, node, load = np.asarray(s.visited), np.asarray(s.node), np.asarray(s.load)
        stops, trail = np.asarray(s.stops), np.asarray(s.trail)
        places = [place for k, count in enumerate(stops) for place in trail[k, :count].tolist() if place]
        if visited[0] or set(places) != set(np.flatnonzero(visited).tolist()):
            return "the customers on the trails are not the visited ones"
        if s.left != len(visited) - 1 - visited.sum() or any(trail[k, n - 1] != node[k] for k, n in enumerate(stops)):
            return "the trails do not end where the vehicles are"
        if any((trail[k, 1:count] == trail[k, : count - 1]).any() for k, count in enumerate(stops)):
            return "a trail stays at a node"
        if len(places) != len(set(places)) or (load > np.asarray(s.level.capacity)).any():
            return "a customer is visited twice, or a load is above the capacity"
        if (np.asarray(s.want) != -1).any() or (np.asarray(s.choices) > s.t).any() or s.level.demand[0]:
            return "wishes between two steps, more choices than steps, or a depot with a demand"
        return levels.unserved(s.level.zone[:, 1:], s.level.demand[1:], s.level.capacity)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        levels.read_tours(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return levels.write_tours(s.level)

    # Text and pictures.


env, raw_env, parallel_env = pettingzoo_forms(Routing)
