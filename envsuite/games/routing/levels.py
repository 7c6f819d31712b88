"""Tours: places of customers on a square, with what they demand, and vehicles to visit them.

All places are uniform in the unit square, the depot's too, and demands are 1 to 9. The variants:

- "hcvrp": vehicles have a capacity of 20 to 40 and a speed of 0.5 to 1.
- "pvrp_p": capacity 40, speed 1, and each customer has a preference from 0 to 1 for each vehicle. It is uniform
  ("random"), 1 in the vehicle's sector around the depot and otherwise 0 ("sectors"), or falls with the distance from a
  customer that is drawn for the vehicle ("clusters").
- "pvrp_zc": capacity 40, speed 1, and each customer refuses some vehicles. Their number is drawn for the episode, below
  two thirds of all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.elementary import cos_turns, sin_turns
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_numbers
from envsuite.core.parameters import is_integer
from envsuite.core.random import randint, shuffle, uniform
from envsuite.core.ranges import among, below, flag, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.kit.plane import distance

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Variant = Literal["hcvrp", "pvrp_p", "pvrp_zc"]
VARIANTS = ("hcvrp", "pvrp_p", "pvrp_zc")
HCVRP, PVRP_P, PVRP_ZC = range(3)

Preferences = Literal["random", "sectors", "clusters"]
PREFERENCES = ("random", "sectors", "clusters")
UNIFORM, SECTORS, CLUSTERS = range(3)

#: The largest numbers of vehicles and customers, the largest demand of a level and capacity, and bounds of speeds.
VEHICLES, CUSTOMERS, CAPACITY = 8, 60, 1000
SLOWEST, FASTEST = 0.1, 10.0


@large_kernel
def make(s):
    """Draw places, demands and vehicles, and what customers think of them."""
    draw_town(s)
    draw_likes(s)


@kernel
def draw_town(s):
    """Draw places, demands and vehicles."""
    for node in range(s.level.demand.shape[0]):
        s.level.places[node, 0] = uniform(s)
        s.level.places[node, 1] = uniform(s)
        s.level.demand[node] = randint(s, 9) + 1 if node > 0 else 0
    for k in range(s.level.capacity.shape[0]):
        s.level.capacity[k] = 40
        s.level.speed[k] = 1.0
        if s.params.variant == HCVRP:
            s.level.capacity[k] = 20 + randint(s, 21)
            s.level.speed[k] = 0.5 + 0.5 * uniform(s)


@large_kernel
def draw_likes(s):
    """Draw preferences and zones."""
    vehicles, nodes = s.level.capacity.shape[0], s.level.demand.shape[0]
    for k in range(vehicles):
        favorite = 1 + randint(s, nodes - 1) if s.params.preferences == CLUSTERS else 0
        for node in range(nodes):
            s.level.zone[k, node] = 1
            s.level.preference[k, node] = 0.0
            if node > 0 and s.params.variant == PVRP_P:
                s.level.preference[k, node] = like(s, k, node, favorite)
    if s.params.variant == PVRP_ZC:
        count = int(uniform(s) * 2.0 / 3.0 * vehicles)
        for node in range(1, nodes):
            for k in range(vehicles):
                s.scratch.refusals[k] = k
            shuffle(s, s.scratch.refusals, vehicles)
            for k in range(count):
                s.level.zone[s.scratch.refusals[k], node] = 0
        fill(s.scratch.refusals, 0)


@kernel
def like(s, k, node, favorite):
    """The preference of a customer for a vehicle."""
    if s.params.preferences == UNIFORM:
        return uniform(s)
    if s.params.preferences == CLUSTERS:
        return 1.0 - way(s.level.places, favorite, node) / math.sqrt(2.0)
    return 1.0 if in_sector(s, k, node) else 0.0


@kernel
def in_sector(s, k, node):
    """Whether a customer is in the sector of a vehicle: counterclockwise from its first border, before its second."""
    vehicles = s.level.capacity.shape[0]
    x, y = s.level.places[node, 0] - s.level.places[0, 0], s.level.places[node, 1] - s.level.places[0, 1]
    first, second = k / vehicles, (k + 1) / vehicles
    after = cos_turns(first) * y - sin_turns(first) * x >= 0.0
    before = cos_turns(second) * y - sin_turns(second) * x < 0.0
    return vehicles == 1 or (after and before)


@kernel
def way(places, a, b):
    """The distance of two nodes."""
    return distance(places[a, 0] - places[b, 0], places[a, 1] - places[b, 1])


class Tours(Generator):
    """Customers on a square and vehicles.

    Args:
        vehicles: number of vehicles.
        customers: number of customers.
        variant, preferences: see above.
    """

    make = make

    def __init__(
        self,
        vehicles: Annotated[int, Between(1, VEHICLES)] = 3,
        customers: Annotated[int, Between(1, CUSTOMERS)] = 12,
        variant: Variant = "hcvrp",
        preferences: Preferences = "random",
    ):
        nodes = customers + 1
        self.define(
            level=[  # node 0 is the depot
                ("places", within(np.float64, 0, 1), (nodes, 2)),
                ("demand", within(np.int64, 0, CAPACITY), (nodes,)),
                ("capacity", within(np.int64, 1, CAPACITY), (vehicles,)),
                ("speed", within(np.float64, SLOWEST, FASTEST), (vehicles,)),
                ("preference", within(np.float64, 0, 1), (vehicles, nodes)),
                ("zone", flag(), (vehicles, nodes)),  # whether the vehicle may go there
            ],
            params={"variant": among(VARIANTS, variant), "preferences": among(PREFERENCES, preferences)},
            scratch=[("refusals", below(np.int64, vehicles), (vehicles,))],  # the vehicles in random order
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(len(level["vehicles"]), len(level["customers"]))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_tours(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_tours(s.level, level, "tours")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and "load", the sum of demands as a part of the capacity of all vehicles.

        The difficulty is the number of customers.
        """
        demand = sum(row[2] for row in level["customers"])
        return {
            "size": [len(level["vehicles"]), len(level["customers"])],
            "solvable": True,
            "difficulty": len(level["customers"]),
            "load": round(demand / sum(row[0] for row in level["vehicles"]), 4),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The depot, the customers with their demands, and the vehicles."""
        from envsuite.render.scene import Circle, Label, Rect, Scene

        scene = Scene(11, 12.6)
        scene.add(Rect(0.5, 0.5, 10, 10, "panel", radius=0.2))
        for x, y, demand in level["customers"]:
            scene.add(Circle(0.9 + 9.2 * x, 10.1 - 9.2 * y, 0.34, "sky", "line", 0.03))
            scene.add(Label(0.9 + 9.2 * x, 10.1 - 9.2 * y, str(demand), 0.36, "black", bold=True))
        x, y = level["depot"]
        scene.add(Rect(0.6 + 9.2 * x, 9.8 - 9.2 * y, 0.6, 0.6, "gold", "line", 0.04))
        vehicles = ", ".join(f"{capacity} at {speed:.2f}" for capacity, speed in level["vehicles"][:4])
        more = ", ..." if len(level["vehicles"]) > 4 else ""
        scene.add(Label(0.6, 11.2, "vehicles: capacity at speed", 0.42, "muted", "left"))
        scene.add(Label(0.6, 11.9, vehicles + more, 0.42, align="left"))
        return scene


def write_tours(part: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    places, demand = part.places.tolist(), part.demand.tolist()
    return {
        "depot": places[0],
        "customers": [[*place, amount] for place, amount in zip(places[1:], demand[1:])],
        "vehicles": [list(pair) for pair in zip(part.capacity.tolist(), part.speed.tolist())],
        "preferences": part.preference[:, 1:].tolist(),
        "zones": part.zone[:, 1:].tolist(),
    }


def read_tours(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    known_parts(name, level, {"kind", "depot", "customers", "vehicles", "preferences", "zones"})
    vehicles, customers = len(part.capacity), len(part.demand) - 1
    shape = vehicles, customers
    depot = read_numbers(level["depot"], f"{name}: 'depot'", (2,), 0, 1)
    rows = read_numbers(level["customers"], f"{name}: 'customers'", (customers, 3), [0, 0, 1], [1, 1, CAPACITY])
    fleet = read_numbers(level["vehicles"], f"{name}: 'vehicles'", (vehicles, 2), [1, SLOWEST], [CAPACITY, FASTEST])
    for amount in (*(row[2] for row in level["customers"]), *(row[0] for row in level["vehicles"])):
        if not is_integer(amount):
            raise LevelError(f"{name}: demands and capacities must be integers, not {amount!r:.40}")
    likes = read_numbers(level.get("preferences", np.zeros(shape)), f"{name}: 'preferences'", shape, 0, 1)
    zones = read_numbers(level.get("zones", np.ones(shape)), f"{name}: 'zones'", shape, 0, 1)
    if (zones != zones.round()).any():
        raise LevelError(f"{name}: 'zones' must be 0 or 1")
    if problem := unserved(zones, rows[:, 2], fleet[:, 0]):
        raise LevelError(f"{name}: {problem}")
    part.places[0], part.places[1:] = depot, rows[:, :2]
    part.demand[0], part.demand[1:] = 0, rows[:, 2]
    part.capacity[:], part.speed[:] = fleet.T
    part.preference[:], part.zone[:] = 0, 1
    part.preference[:, 1:], part.zone[:, 1:] = likes, zones


def unserved(zones: np.ndarray, demand: np.ndarray, capacity: np.ndarray) -> str | None:
    """What keeps a customer from being visited by anyone; `zones` is (vehicles, customers)."""
    fits = (zones > 0) & (demand[None] <= capacity[:, None])
    alone = np.flatnonzero(~np.any(fits, axis=0)).tolist()
    return f"no vehicle can visit customer {alone[0] + 1}" if alone else None
