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

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.elementary import cos_turns, sin_turns
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import is_integer
from envsuite.core.random import randint, shuffle, uniform
from envsuite.core.ranges import among, below, fixed, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.games.routing_view import description, node_at, picture
from envsuite.kit.plane import distance
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Scene

VARIANTS = ("hcvrp", "pvrp_p", "pvrp_zc")
HCVRP, PVRP_P, PVRP_ZC = range(3)

PREFERENCES = ("random", "sectors", "clusters")
UNIFORM, SECTORS, CLUSTERS = range(3)

CLOCKS = ("steps", "event")

TIME, PREFERENCE, MISSED = range(3)

#: The largest numbers of vehicles and customers, the largest demand of a level and capacity, and bounds of speeds.
VEHICLES, CUSTOMERS, CAPACITY = 8, 60, 1000
SLOWEST, FASTEST = 0.1, 10.0

#: The largest number of steps and weight; no distance of an episode is larger than FAR.
LONGEST, WEIGHT = 1_000_000, 1000
FAR = 400.0


def fields(vehicles: int, customers: int) -> list[tuple]:
    """The record. Node 0 is the depot; places of vehicles are nodes."""
    nodes = customers + 1
    return [
        # The level.
        ("places", within(np.float64, 0, 1), (nodes, 2)),
        ("demand", within(np.int64, 0, CAPACITY), (nodes,)),
        ("capacity", within(np.int64, 1, CAPACITY), (vehicles,)),
        ("speed", within(np.float64, SLOWEST, FASTEST), (vehicles,)),
        ("preference", within(np.float64, 0, 1), (vehicles, nodes)),
        ("zone", flag(), (vehicles, nodes)),  # whether the vehicle may go there
        # The episode.
        ("visited", flag(), (nodes,)),
        ("left", within(np.int64, 0, customers)),  # customers that are not visited
        ("node", below(np.int64, nodes), (vehicles,)),
        ("load", within(np.int64, 0, CAPACITY), (vehicles,)),
        ("length", within(np.float64, 0, FAR), (vehicles,)),  # distance so far
        ("free", within(np.float64, 0, FAR / SLOWEST), (vehicles,)),  # when each is free, for clock="event"
        ("choices", within(np.int64, 0, LONGEST), (vehicles,)),
        ("want", within(np.int64, -1, customers), (vehicles,)),  # where each wants to go; used within a step
        ("mover", below(np.int64, vehicles)),  # the vehicle that chooses, for clock="event"
        ("trail", below(np.int64, nodes), (vehicles, 2 * nodes)),  # the nodes of each so far, for pictures
        ("stops", within(np.int64, 1, 2 * nodes), (vehicles,)),  # and their number
        ("refusals", below(np.int64, vehicles), (vehicles,)),  # the vehicles in random order; used within a reset
    ]


@large_kernel
def reset(s):
    vehicles, nodes = s.node.shape[0], s.visited.shape[0]
    if not s.level_given:
        draw_town(s)
        draw_likes(s)
    s.left = nodes - 1
    s.mover = 0
    for node in range(nodes):
        s.visited[node] = 0
    for k in range(vehicles):
        s.node[k] = 0
        s.load[k] = s.capacity[k]
        s.length[k] = 0.0
        s.free[k] = 0.0
        s.choices[k] = 0
        s.want[k] = -1
        s.stops[k] = 1
        s.refusals[k] = 0
        for stop in range(s.trail.shape[1]):
            s.trail[k, stop] = 0


@kernel
def draw_town(s):
    """Draw places, demands and vehicles."""
    for node in range(s.visited.shape[0]):
        s.places[node, 0] = uniform(s)
        s.places[node, 1] = uniform(s)
        s.demand[node] = randint(s, 9) + 1 if node > 0 else 0
    for k in range(s.node.shape[0]):
        s.capacity[k] = 40
        s.speed[k] = 1.0
        if s.params.variant == HCVRP:
            s.capacity[k] = 20 + randint(s, 21)
            s.speed[k] = 0.5 + 0.5 * uniform(s)


@large_kernel
def draw_likes(s):
    """Draw preferences and zones."""
    vehicles, nodes = s.node.shape[0], s.visited.shape[0]
    for k in range(vehicles):
        favorite = 1 + randint(s, nodes - 1) if s.params.preferences == CLUSTERS else 0
        for node in range(nodes):
            s.zone[k, node] = 1
            s.preference[k, node] = 0.0
            if node > 0 and s.params.variant == PVRP_P:
                s.preference[k, node] = like(s, k, node, favorite)
    if s.params.variant == PVRP_ZC:
        count = int(uniform(s) * 2.0 / 3.0 * vehicles)
        for node in range(1, nodes):
            for k in range(vehicles):
                s.refusals[k] = k
            shuffle(s, s.refusals, vehicles)
            for k in range(count):
                s.zone[s.refusals[k], node] = 0


@kernel
def like(s, k, node, favorite):
    """The preference of a customer for a vehicle."""
    if s.params.preferences == UNIFORM:
        return uniform(s)
    if s.params.preferences == CLUSTERS:
        return 1.0 - way(s, favorite, node) / math.sqrt(2.0)
    return 1.0 if in_sector(s, k, node) else 0.0


@kernel
def in_sector(s, k, node):
    """Whether a customer is in the sector of a vehicle: counterclockwise from its first border, before its second."""
    vehicles = s.node.shape[0]
    x, y = s.places[node, 0] - s.places[0, 0], s.places[node, 1] - s.places[0, 1]
    first, second = k / vehicles, (k + 1) / vehicles
    after = cos_turns(first) * y - sin_turns(first) * x >= 0.0
    before = cos_turns(second) * y - sin_turns(second) * x < 0.0
    return vehicles == 1 or (after and before)


@kernel
def way(s, a, b):
    """The distance of two nodes."""
    return distance(s.places[a, 0] - s.places[b, 0], s.places[a, 1] - s.places[b, 1])


@kernel
def time_so_far(s):
    """The goal's time: of the vehicle that takes longest, or of all together."""
    longest, total = 0.0, 0.0
    for k in range(s.node.shape[0]):
        time = s.length[k] / s.speed[k]
        longest = max(longest, time)
        total += time
    return longest if s.params.variant == HCVRP else total


@kernel
def go(s, k, node):
    """Drive a vehicle to another node; returns the customer's preference."""
    far = way(s, s.node[k], node)
    s.length[k] += far
    s.free[k] += far / s.speed[k]
    s.node[k] = node
    s.trail[k, s.stops[k]] = node
    s.stops[k] += 1
    if node == 0:
        s.load[k] = s.capacity[k]
        return 0.0
    s.load[k] -= s.demand[node]
    s.visited[node] = 1
    s.left -= 1
    return s.preference[k, node]


@kernel
def is_first(s, k):
    """Whether no other vehicle gets the customer that this one wants."""
    far = way(s, s.node[k], s.want[k])
    for other in range(s.node.shape[0]):
        if other != k and s.want[other] == s.want[k]:
            theirs = way(s, s.node[other], s.want[k])
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
        out.nodes[node, 0] = s.places[node, 0]
        out.nodes[node, 1] = s.places[node, 1]
        out.nodes[node, 2] = s.demand[node]
        out.nodes[node, 3] = s.visited[node]
    for k in range(vehicles):
        out.vehicles[k, 0] = s.node[k]
        out.vehicles[k, 1] = s.load[k]
        out.vehicles[k, 2] = s.capacity[k]
        out.vehicles[k, 3] = s.speed[k]
        out.vehicles[k, 4] = s.length[k]
        out.vehicles[k, 5] = s.free[k]
        out.vehicles[k, 6] = s.choices[k]
        for node in range(nodes):
            out.preferences[k, node] = s.preference[k, node]
            out.zones[k, node] = s.zone[k, node]
    out.rules[0] = s.params.variant == HCVRP
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
        mask[node] = s.visited[node] == 0 and s.zone[agent, node] != 0 and s.demand[node] <= s.load[agent]
    mask[nodes] = 1


class Routing(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    information = "perfect"
    utility = "identical"
    verified = "exhaustive optima, Held and Karp's shortest tours, a second implementation in lock-step"
    variants = (
        dict(vehicles=2, customers=5, variant="pvrp_p", preferences="clusters", clock="event"),
        dict(vehicles=3, customers=4, variant="pvrp_zc", horizon=6),
    )
    shown = "regret"

    def __init__(
        self,
        vehicles: Annotated[int, Between(1, VEHICLES)] = 3,
        customers: Annotated[int, Between(1, CUSTOMERS)] = 12,
        variant: Literal["hcvrp", "pvrp_p", "pvrp_zc"] = "hcvrp",
        preferences: Literal["random", "sectors", "clusters"] = "random",
        clock: Literal["steps", "event"] = "steps",
        weights: tuple[Annotated[float, Between(-WEIGHT, WEIGHT)], ...] = (1.0, 0.1, 6.0),
        horizon: Annotated[int, Between(1, LONGEST)] = 200,
    ):
        self.turns = "sequential" if clock == "event" else "simultaneous"  # type: ignore[misc]
        nodes, most = customers + 1, FAR / SLOWEST
        node = [1.0, 1.0, CAPACITY, 1.0]
        low = [0.0, 0.0, 1.0, SLOWEST, 0.0, 0.0, 0.0]
        high = [customers, CAPACITY, CAPACITY, FASTEST, FAR, most, LONGEST]
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
            fields=fields(vehicles, customers),
            params={
                "variant": among(VARIANTS, variant),
                "preferences": among(PREFERENCES, preferences),
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
        if len(places) != len(set(places)) or (load > np.asarray(s.capacity)).any():
            return "a customer is visited twice, or a load is above the capacity"
        if (np.asarray(s.want) != -1).any() or (np.asarray(s.choices) > s.t).any() or s.demand[0]:
            return "wishes between two steps, more choices than steps, or a depot with a demand"
        return self._unserved(s)

    def _unserved(self, s: Any) -> str | None:
        """What keeps a customer from being visited by anyone."""
        fits = (np.asarray(s.zone) > 0) & (np.asarray(s.demand)[None] <= np.asarray(s.capacity)[:, None])
        alone = np.flatnonzero(~np.any(fits, axis=0)[1:]).tolist()
        return f"no vehicle can visit customer {alone[0] + 1}" if alone else None

    # Levels.

    def _table(self, level: Mapping[str, Any], name: str, shape: tuple[int, ...], low: Any, high: Any) -> np.ndarray:
        """A part of a level as an array of numbers between bounds, or `LevelError`."""
        try:
            table = np.array(level[name], np.float64)
        except (TypeError, ValueError):
            table = np.zeros(0)
        if table.shape != shape or not ((table >= low) & (table <= high)).all():
            raise LevelError(
                f"{self.id}: {name!r} must be numbers of shape {shape}, from {np.array(low).tolist()} to "
                f"{np.array(high).tolist()}"
            )
        return table

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        known = ("depot", "customers", "vehicles", "preferences", "zones")
        if unknown := [name for name in level if name not in known]:
            raise LevelError(f"{self.id}: unknown part {unknown[0]!r:.40}; {', '.join(known)} are known")
        vehicles, customers = len(self.agents), len(s.visited) - 1
        s.places[0] = self._table(level, "depot", (2,), 0, 1)
        rows = self._table(level, "customers", (customers, 3), [0, 0, 1], [1, 1, CAPACITY])
        fleet = self._table(level, "vehicles", (vehicles, 2), [1, SLOWEST], [CAPACITY, FASTEST])
        for part in (*(row[2] for row in level["customers"]), *(row[0] for row in level["vehicles"])):
            if not is_integer(part):
                raise LevelError(f"{self.id}: demands and capacities must be integers, not {part!r:.40}")
        s.places[1:], s.demand[0], s.demand[1:] = rows[:, :2], 0, rows[:, 2]
        s.capacity[:], s.speed[:] = fleet.T
        s.preference[:], s.zone[:] = 0, 1
        shape = vehicles, customers
        if "preferences" in level:
            s.preference[:, 1:] = self._table(level, "preferences", shape, 0, 1)
        if "zones" in level:
            zones = self._table(level, "zones", shape, 0, 1)
            if (zones != zones.round()).any():
                raise LevelError(f"{self.id}: 'zones' must be 0 or 1")
            s.zone[:, 1:] = zones
        if problem := self._unserved(s):
            raise LevelError(f"{self.id}: {problem}")

    def get_level(self, s: Any) -> dict[str, Any]:
        places, demand = np.asarray(s.places).tolist(), np.asarray(s.demand).tolist()
        return {
            "depot": places[0],
            "customers": [[*place, amount] for place, amount in zip(places[1:], demand[1:])],
            "vehicles": [list(pair) for pair in zip(np.asarray(s.capacity).tolist(), np.asarray(s.speed).tolist())],
            "preferences": np.asarray(s.preference)[:, 1:].tolist(),
            "zones": np.asarray(s.zone)[:, 1:].tolist(),
        }

    # Text and pictures.

    def text(self, s: Any, agent: int) -> str:
        return description(self, s, agent)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        return picture(self, s, agent)

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        node = node_at(s, x, y)
        return len(s.visited) if node == s.node[agent] else node


env, raw_env, parallel_env = pettingzoo_forms(Routing)
