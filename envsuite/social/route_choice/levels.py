"""Roads: networks with the routes between pairs of places, for traffic that slows down.

The latency of a link is its free latency plus its slope times the share of all traffic that uses it.

The shapes:

- "braess": the Braess graph of an order k (Roughgarden 2006), from s to t, as MOMAland has it. Nodes v1 to vk and w1 to
  wk stand in between. The links are (s, vi) with slope 10 k (k - i + 1), (wi, t) with slope 10 k i, shortcuts (vi, wi)
  that take no time, and (vi, wi-1), (v1, t) and (s, wk), which take 10. Nothing is random. Order 1 is Braess's paradox.
- "grid": one-way streets to the right and downwards, with free latencies 1 to 10 and slopes 0 to 20, all integers and
  equally likely. The first pair is from the first corner to the last; other pairs are random, with at least a step in
  both directions.

The routes of a pair are all that lead from its origin to its destination.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_list, read_numbers
from envsuite.core.parameters import is_integer
from envsuite.core.random import randint
from envsuite.core.ranges import fixed, limited, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Shape = Literal["braess", "grid"]
BRAESS, GRID = range(2)

#: The most nodes, links, pairs, routes of a pair and links of a route; largest order, side of a grid and latency.
NODES, LINKS, PAIRS, ROUTES, LENGTH = 16, 32, 4, 20, 6
ORDER, SIDE, LATENCY = 7, 4, 1000.0


@kernel
def clear(s):
    """Take away all nodes, links and routes."""
    for k in range(s.level.ends.shape[0]):
        s.level.ends[k, 0] = -1
        s.level.ends[k, 1] = -1
        s.level.free[k] = 0.0
        s.level.slope[k] = 0.0
    for k in range(s.level.places.shape[0]):
        s.level.places[k, 0] = -1.0
        s.level.places[k, 1] = -1.0
    pairs, routes, length = s.level.routes.shape
    fill(s.level.routes, -1)


@kernel
def put_link(s, link, start, end, free, slope):
    """Write a link from one node to another."""
    s.level.ends[link, 0] = start
    s.level.ends[link, 1] = end
    s.level.free[link] = free
    s.level.slope[link] = slope


@kernel
def put_node(s, node, x, y):
    """Write the place of a node."""
    s.level.places[node, 0] = x
    s.level.places[node, 1] = y


@kernel
def make_braess(s):
    """Node 0 is s, i is vi, order + i is wi, and the last is t."""
    order = s.params.order
    last, routes, left = 2 * order + 1, s.level.routes[0], 0.25 if order > 2 else 0.4
    put_node(s, 0, 0.0, 0.5)
    put_node(s, last, 1.0, 0.5)
    for i in range(1, order + 1):
        put_node(s, i, left, (2 * i - 2) / (2 * order - 1))
        put_node(s, order + i, 1.0 - left, (2 * i - 1) / (2 * order - 1))
        put_link(s, i - 1, 0, i, 0.0, 10.0 * order * (order - i + 1))
        put_link(s, order + i - 1, i, order + i, 0.0, 0.0)
        put_link(s, 2 * order + i - 1, order + i, last, 0.0, 10.0 * order * i)
        routes[2 * i - 1, 0] = i - 1
        routes[2 * i - 1, 1] = order + i - 1
        routes[2 * i - 1, 2] = 2 * order + i - 1
        if i > 1:
            put_link(s, 3 * order + i - 2, i, order + i - 1, 10.0, 0.0)
            routes[2 * i - 2, 0] = i - 1
            routes[2 * i - 2, 1] = 3 * order + i - 2
            routes[2 * i - 2, 2] = 2 * order + i - 2
    put_link(s, 4 * order - 1, 1, last, 10.0, 0.0)
    put_link(s, 4 * order, 0, 2 * order, 10.0, 0.0)
    routes[0, 0] = 0
    routes[0, 1] = 4 * order - 1
    routes[2 * order, 0] = 4 * order
    routes[2 * order, 1] = 3 * order - 1


@kernel
def put_routes(s, pair, row, column, down, right):
    """All routes of a pair: those that go down on the bits of a number, from the most to the right to the most down."""
    columns = s.params.columns
    across, steps, route = s.params.rows * (columns - 1), down + right, 0
    for bits in range(1 << steps):
        count = 0
        for k in range(steps):
            count += bits >> k & 1
        if count == down:
            r, c = row, column
            for k in range(steps):
                if bits >> (steps - 1 - k) & 1:
                    s.level.routes[pair, route, k] = across + r * columns + c
                    r += 1
                else:
                    s.level.routes[pair, route, k] = r * (columns - 1) + c
                    c += 1
            route += 1


@kernel
def make_grid(s):
    """Nodes are numbered row by row; links to the right come before those downwards."""
    rows, columns = s.params.rows, s.params.columns
    for node in range(rows * columns):
        r, c = node // columns, node % columns
        put_node(s, node, c / (columns - 1), r / (rows - 1))
        if c < columns - 1:
            put_link(s, r * (columns - 1) + c, node, node + 1, 1.0 + randint(s, 10), 0.0 + randint(s, 21))
        if r < rows - 1:
            down = rows * (columns - 1) + node
            put_link(s, down, node, node + columns, 1.0 + randint(s, 10), 0.0 + randint(s, 21))
    put_routes(s, 0, 0, 0, rows - 1, columns - 1)
    for pair in range(1, s.params.pairs):
        row, column = randint(s, rows - 1), randint(s, columns - 1)
        put_routes(s, pair, row, column, 1 + randint(s, rows - 1 - row), 1 + randint(s, columns - 1 - column))


@large_kernel
def make(s):
    """A network of the parameters' shape."""
    clear(s)
    if s.params.shape == BRAESS:
        make_braess(s)
    else:
        make_grid(s)


class Roads(Generator):
    """Networks of roads with the routes of pairs of places.

    Args:
        shape: see above.
        order: of the Braess graph.
        rows, columns: of nodes of the grid.
        pairs: of an origin and a destination in the grid.
    """

    make = make

    def __init__(
        self,
        shape: Shape = "grid",
        order: Annotated[int, Between(1, ORDER)] = 1,
        rows: Annotated[int, Between(2, SIDE)] = 3,
        columns: Annotated[int, Between(2, SIDE)] = 3,
        pairs: Annotated[int, Between(1, PAIRS)] = 1,
    ):
        braess = shape == "braess"
        #: The numbers of nodes, links, pairs, routes of a pair and links of a route.
        self.nodes = 2 * order + 2 if braess else rows * columns
        self.links = 4 * order + 1 if braess else rows * (columns - 1) + (rows - 1) * columns
        self.pairs = 1 if braess else pairs
        self.routes = 2 * order + 1 if braess else comb(rows + columns - 2, rows - 1)
        self.length = 3 if braess else rows + columns - 2
        self.define(
            level=[
                ("ends", within(np.int8, -1, NODES - 1), (LINKS, 2)),  # nodes that a link joins; -1 for no link
                ("free", within(np.float64, 0, LATENCY), (LINKS,)),
                ("slope", within(np.float64, 0, LATENCY), (LINKS,)),
                ("places", within(np.float64, -1, 1), (NODES, 2)),  # of nodes in the unit square; -1 for no node
                ("routes", within(np.int8, -1, LINKS - 1), (PAIRS, ROUTES, LENGTH)),  # links in order; -1 for none
            ],
            params={
                "shape": fixed(BRAESS if braess else GRID),
                "order": limited(order, 1, ORDER),
                "rows": limited(rows, 2, SIDE),
                "columns": limited(columns, 2, SIDE),
                "pairs": limited(self.pairs, 1, PAIRS),
            },
        )

    def decode(self, s: Any) -> dict[str, Any]:
        return write_roads(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_roads(s.level, level, "roads")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and what all traffic takes on average when it is shared equally between the pairs.

        "equilibrium" is the mean latency if nobody gains by another route, "optimum" the smallest mean latency, and
        "anarchy" their quotient. The difficulty is what the quotient exceeds 1 by. The size is nodes and links.
        """
        equilibrium, optimum = (mean_latency(level, fractions(level, social)) for social in (False, True))
        anarchy = equilibrium / optimum if optimum else 1.0
        return {
            "size": [len(level["nodes"]), len(level["links"])],
            "solvable": True,
            "difficulty": round(anarchy - 1, 6),
            "routes": sum(map(len, level["routes"])),
            "equilibrium": round(equilibrium, 6),
            "optimum": round(optimum, 6),
            "anarchy": round(anarchy, 6),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The network, with the flows of the equilibrium."""
        from envsuite.render.scene import Scene
        from envsuite.social.route_choice.pictures import draw_roads

        scene = Scene(16, 12)
        flows = incidence(level) @ np.concatenate(fractions(level, False))
        draw_roads(scene, (1.2, 1.2, 12.6, 9.6), level, flows)
        return scene


# Levels as plain data.


def write_roads(level: Any) -> dict[str, Any]:
    """A network, as a record holds it, as plain data."""
    links = [k for k in range(LINKS) if level.ends[k, 0] >= 0]
    return {
        "nodes": [place for place in level.places.tolist() if place[0] >= 0],
        "links": [[*level.ends[k].tolist(), float(level.free[k]), float(level.slope[k])] for k in links],
        "routes": [
            [[link for link in route if link >= 0] for route in pair if route[0] >= 0]
            for pair in level.routes.tolist()
            if pair[0][0] >= 0
        ],
    }


def read_roads(held: Any, level: Mapping[str, Any], name: str) -> None:
    """Write the network of a level into a record, or raise a `LevelError` that begins with this name."""
    known_parts(name, level, {"kind", "nodes", "links", "routes"})
    nodes, links, pairs = (
        read_list(level[part], f"{name}: the level's {part}", 1, most)
        for part, most in (("nodes", NODES), ("links", LINKS), ("routes", PAIRS))
    )
    read_numbers(nodes, f"{name}: the level's nodes", (len(nodes), 2), 0, 1)
    for k, link in enumerate(links):
        _check_link(link, len(nodes), f"{name}: link {k}")
    for pair in pairs:
        _check_pair(read_list(pair, f"{name}: routes of a pair", 1, ROUTES), links, name)
    if not any(free + slope for _, _, free, slope in links):
        raise LevelError(f"{name}: a link must take time")
    held.ends[:], held.free[:], held.slope[:], held.places[:], held.routes[:] = -1, 0.0, 0.0, -1.0, -1
    held.places[: len(nodes)] = nodes
    for k, (start, end, free, slope) in enumerate(links):
        held.ends[k], held.free[k], held.slope[k] = (start, end), free, slope
    for k, pair in enumerate(pairs):
        for number, route in enumerate(pair):
            held.routes[k, number, : len(route)] = route


def _check_link(link: Any, nodes: int, what: str) -> None:
    """Demand a start, an end, a free latency and a slope."""
    if not isinstance(link, (list, tuple)) or len(link) != 4:
        raise LevelError(f"{what} must be a start, an end, a free latency and a slope, not {link!r:.60}")
    start, end = link[:2]
    if not (is_integer(start) and is_integer(end) and 0 <= start < nodes and 0 <= end < nodes and start != end):
        raise LevelError(f"{what} must join two different nodes below {nodes}, not {start!r:.20} and {end!r:.20}")
    read_numbers(link[2:], f"{what}: latencies", (2,), 0, LATENCY)


def _check_pair(routes: Sequence[Any], links: Sequence[Sequence[Any]], name: str) -> None:
    """Demand different routes from one origin to one destination that pass no node twice."""
    ways: dict[tuple[int, ...], tuple[int, int]] = {}
    for route in routes:
        what = f"{name}: the route {route!r:.60}"
        read_numbers(route, f"{name}: a route", ((1, LENGTH),), 0, len(links) - 1, whole=True)
        nodes = [links[route[0]][0], *(links[link][1] for link in route)]
        if any(links[link][0] != node for link, node in zip(route, nodes)):
            raise LevelError(f"{what} must continue where its last link ended")
        if len(set(nodes)) != len(nodes):
            raise LevelError(f"{what} passes a node twice")
        if tuple(route) in ways:
            raise LevelError(f"{what} is given twice")
        ways[tuple(route)] = nodes[0], nodes[-1]
        ends = next(iter(ways.values()))
        if (nodes[0], nodes[-1]) != ends:
            raise LevelError(f"{what} must lead from {ends[0]} to {ends[1]}, as the pair's first route does")


# Traffic that can be divided at will.


def incidence(level: Mapping[str, Any]) -> np.ndarray:
    """(links, routes) float64: 1 where a link belongs to a route; routes of all pairs in order."""
    routes = [route for pair in level["routes"] for route in pair]
    found = np.zeros((len(level["links"]), len(routes)))
    for k, route in enumerate(routes):
        found[route, k] = 1.0
    return found


def fractions(
    level: Mapping[str, Any], social: bool, demand: Sequence[float] | None = None, tolls: Sequence[float] | None = None
) -> list[np.ndarray]:
    """The shares of all traffic on the routes of each pair, in equilibrium or, if `social`, at the smallest latency.

    Pairwise Frank-Wolfe steps with exact line search: traffic moves from a pair's worst route to its best one.

    Args:
        demand: the share of each pair; equal without it.
        tolls: what is added to the slope of each link.
    """
    pairs = level["routes"]
    passes = incidence(level)
    free, slope = np.array([link[2:] for link in level["links"]], float).T
    slope = slope * (2.0 if social else 1.0) + (0.0 if tolls is None else np.asarray(tolls, float))
    firsts = np.cumsum([0, *map(len, pairs)])
    shares = np.zeros(firsts[-1])
    shares[firsts[:-1]] = 1.0 / len(pairs) if demand is None else demand
    for _ in range(100_000):
        moved = 0.0
        for first, end in zip(firsts[:-1], firsts[1:]):
            costs = passes[:, first:end].T @ (free + slope * (passes @ shares))
            best = first + int(costs.argmin())
            worst = first + int(np.where(shares[first:end] > 0, costs, -np.inf).argmax())
            gap = costs[worst - first] - costs[best - first]
            if gap <= 1e-11 * max(1.0, float(costs.max())):
                continue
            change = passes[:, best] - passes[:, worst]
            bend = float(change @ (slope * change))
            step = min(float(shares[worst]), gap / bend if bend > 0 else np.inf)
            shares[best] += step
            shares[worst] = 0.0 if step == shares[worst] else shares[worst] - step
            moved = max(moved, step)
        if moved <= 1e-14:
            break
    return [shares[first:end] for first, end in zip(firsts[:-1], firsts[1:])]


def mean_latency(level: Mapping[str, Any], shares: Sequence[np.ndarray]) -> float:
    """The mean latency of all traffic with these shares on the routes of each pair."""
    free, slope = np.array([link[2:] for link in level["links"]], float).T
    flows = incidence(level) @ np.concatenate(shares)
    return float(flows @ (free + slope * flows))
