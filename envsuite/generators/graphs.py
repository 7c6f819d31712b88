"""Graphs: who can meet whom.

The shapes; the numbers of the nodes are shuffled in all of them:

- "ring": a circle, in which every node is joined to the `degree` / 2 next ones on each side.
- "lattice": a torus of rows and columns, as square as possible, in which every node has 4 neighbors.
- "regular": a random graph in which every node has `degree` neighbors: a ring after many random exchanges of the ends
  of two edges. As their number grows, all such graphs become equally likely.
- "scale_free": nodes are added one by one, and each is joined to `degree` / 2 others, with probabilities in proportion
  to their numbers of neighbors (Barabasi and Albert 1999), from a complete graph of `degree` / 2 + 1 nodes.
- "complete": all are neighbors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_integer, read_numbers
from envsuite.core.random import randint, shuffle
from envsuite.core.ranges import below, fixed, flag, limited, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Shape = Literal["ring", "lattice", "regular", "scale_free", "complete"]
RING, LATTICE, REGULAR, SCALE_FREE, COMPLETE = range(5)
SHAPES = ("ring", "lattice", "regular", "scale_free", "complete")

#: The most nodes of a graph.
MOST = 64

#: Attempts to exchange ends, for each edge of a random regular graph.
EXCHANGES = 30


@kernel
def join(s, a, b):
    """Add an edge, unless it is there or a loop; so there are never more than fit the list."""
    if a != b and s.level.edges[a, b] == 0:
        s.scratch.ends[s.scratch.count, 0] = a
        s.scratch.ends[s.scratch.count, 1] = b
        s.scratch.count += 1
        s.level.edges[a, b] = 1
        s.level.edges[b, a] = 1


@kernel
def make_ring(s, n, degree):
    """A ring; with an odd degree, every node is joined to the opposite one too."""
    for k in range(n):
        for step in range(1, degree // 2 + 1):
            join(s, k, (k + step) % n)
    if degree % 2:
        for k in range(n // 2):
            join(s, k, k + n // 2)


@kernel
def exchange(s):
    """Join two random edges crosswise, if that gives a graph without loops and double edges."""
    edges, ends = s.level.edges, s.scratch.ends
    i, j = randint(s, s.scratch.count), randint(s, s.scratch.count)
    turned = randint(s, 2)
    a, b = np.int64(ends[i, 0]), np.int64(ends[i, 1])
    c, d = np.int64(ends[j, turned]), np.int64(ends[j, 1 - turned])
    if a != c and a != d and b != c and b != d and edges[a, d] == 0 and edges[c, b] == 0:
        edges[a, b] = edges[b, a] = edges[c, d] = edges[d, c] = 0
        edges[a, d] = edges[d, a] = edges[c, b] = edges[b, c] = 1
        ends[i, 1] = d
        ends[j, 0] = c
        ends[j, 1] = b


@kernel
def make_scale_free(s, n, each):
    """A scale-free graph: the end of a random edge is a node drawn in proportion to its neighbors."""
    for a in range(each + 1):
        for b in range(a):
            join(s, a, b)
    for k in range(each + 1, n):
        before, added = s.scratch.count, 0
        while added < each:
            other = np.int64(s.scratch.ends[randint(s, before), randint(s, 2)])
            if s.level.edges[k, other] == 0:
                join(s, k, other)
                added += 1


@large_kernel
def make(s):
    """A random graph of the parameters' shape."""
    n, shape = s.level.edges.shape[0], s.params.shape
    degree = min(s.params.degree, n - 1)
    clear(s)
    s.scratch.count = 0
    if shape == LATTICE:
        columns = n // s.params.rows
        for k in range(n):
            join(s, k, k // columns * columns + (k + 1) % columns)
            join(s, k, (k + columns) % n)
    elif shape == SCALE_FREE:
        make_scale_free(s, n, degree // 2)
    elif shape == COMPLETE:
        for a in range(n):
            for b in range(a):
                join(s, a, b)
    else:
        make_ring(s, n, degree)
        if shape == REGULAR:
            for _ in range(EXCHANGES * s.scratch.count):
                exchange(s)
    clear(s)
    for k in range(n):
        s.scratch.order[k] = k
    shuffle(s, s.scratch.order, n)
    for k in range(s.scratch.count):
        a, b = s.scratch.order[s.scratch.ends[k, 0]], s.scratch.order[s.scratch.ends[k, 1]]
        s.level.edges[a, b] = 1
        s.level.edges[b, a] = 1
        s.scratch.ends[k, 0] = 0
        s.scratch.ends[k, 1] = 0
    s.scratch.count = 0
    for k in range(n):
        s.scratch.order[k] = 0


@kernel
def clear(s):
    """Take away all edges from the matrix."""
    for a in range(s.level.edges.shape[0]):
        for b in range(s.level.edges.shape[0]):
            s.level.edges[a, b] = 0


@kernel
def draw_starts(s):
    """Let `params.first` agents be those in `starts`, unless a level has them; `order` is scratch."""
    agents = s.starts.shape[0]
    if s.level_given == 0 or s.starts_given == 0:
        for k in range(agents):
            s.order[k] = k
        shuffle(s, s.order, agents)
        for k in range(agents):
            s.starts[s.order[k]] = k < s.params.first


def rows_of(nodes: int) -> int:
    """The number of rows of a lattice: the largest divisor up to the square root."""
    return max(k for k in range(1, int(nodes**0.5) + 1) if nodes % k == 0)


class Graphs(Generator):
    """Graphs without directions, loops and double edges.

    Args:
        shape: see above.
        nodes: number of nodes; for a lattice a product of two numbers from 3 on.
        degree: neighbors of a node: below `nodes`, even in rings and scale-free graphs, 4 in lattices; complete graphs
            do not use it. In random regular graphs, `degree` times `nodes` is even.
    """

    make = make

    def __init__(
        self,
        shape: Shape = "regular",
        nodes: Annotated[int, Between(3, MOST)] = 20,
        degree: Annotated[int, Between(2, MOST - 1)] = 4,
    ):
        if shape != "complete" and degree >= nodes:
            raise ParameterError(f"graphs: degree={degree} must be below nodes={nodes}")
        if shape in ("ring", "scale_free") and degree % 2:
            raise ParameterError(f"graphs: degree={degree} must be even in a graph of the shape {shape!r}")
        if shape == "regular" and degree * nodes % 2:
            raise ParameterError(f"graphs: degree={degree} times nodes={nodes} must be even: an edge has two ends")
        if shape == "lattice" and (degree != 4 or rows_of(nodes) < 3):
            raise ParameterError(
                f"graphs: a lattice has degree=4 and, for nodes, a product of two numbers from 3 on, not "
                f"degree={degree} and nodes={nodes}"
            )
        most = nodes * (nodes - 1) // 2
        self.define(
            level=[("edges", flag(), (nodes, nodes))],
            params={
                "shape": np.array(SHAPES.index(shape), below(np.int64, len(SHAPES))),
                "degree": limited(degree, 2, MOST - 1),
                "rows": fixed(rows_of(nodes)),
            },
            scratch=[
                ("count", within(np.int64, 0, most)),
                ("ends", below(np.int64, nodes), (most, 2)),
                ("order", below(np.int64, nodes), (nodes,)),
            ],
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls("complete", len(read_edges(level, "graphs")))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_edges(s.level.edges)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.edges[:] = read_edges(level, "graphs")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, the number of "edges", the mean "degree" and the "clustering".

        A graph is solvable if it is connected. Its difficulty is the mean distance of two nodes, 0 if some have none.
        The clustering is the share of pairs of a node's neighbors that are neighbors too.
        """
        edges = read_edges(level, "graphs").astype(np.int64)
        count = len(edges)
        distance = np.where(edges > 0, 1, np.where(np.eye(count) > 0, 0, count))
        for k in range(count):
            distance = np.minimum(distance, distance[:, k : k + 1] + distance[k : k + 1])
        degrees = edges.sum(axis=1)
        triples = int((degrees * (degrees - 1)).sum())
        connected = bool(distance.max() < count)
        return {
            "size": [count, count],
            "solvable": connected,
            "difficulty": round(float(distance.sum()) / (count * (count - 1)), 6) if connected else 0.0,
            "edges": int(degrees.sum()) // 2,
            "degree": round(float(degrees.mean()), 6),
            "clustering": round(int(np.trace(edges @ edges @ edges)) / triples, 6) if triples else 0.0,
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The nodes and edges."""
        from envsuite.kit.graph_pictures import draw_edges, places
        from envsuite.render.scene import Circle, Scene

        edges = read_edges(level, "graphs")
        scene, at = Scene(12, 12), 1 + 10 * places(edges)
        draw_edges(scene, edges, at, "muted")
        scene.add(*(Circle(x, y, 0.3, "deep") for x, y in at.tolist()))
        return scene


def write_edges(edges: Any) -> dict[str, Any]:
    """A graph (n, n) as plain data: the number of nodes and the pairs of neighbors."""
    return {"nodes": len(edges), "edges": np.argwhere(np.triu(edges)).tolist()}


def read_edges(level: Mapping[str, Any], name: str) -> np.ndarray:
    """The graph (n, n) of a level, or a `LevelError` that begins with this name."""
    known_parts(name, level, {"kind", "nodes", "edges"})
    nodes = read_integer(level["nodes"], f"{name}: the level's nodes", 3, MOST)
    found = np.zeros((nodes, nodes), np.uint8)
    most = nodes * (nodes - 1) // 2
    for a, b in read_numbers(
        level["edges"], f"{name}: the level's edges", ((0, most), 2), 0, nodes - 1, whole=True
    ).tolist():
        if a == b:
            raise LevelError(f"{name}: the edge {[a, b]} must join two different nodes")
        if found[a, b]:
            raise LevelError(f"{name}: the edge {[a, b]} is given twice")
        found[a, b] = found[b, a] = 1
    return found


def read_graph(s: Any, level: Mapping[str, Any], name: str, *others: str) -> None:
    """Set a world's graph as a level has it, beside these other parts; `LevelError` begins with the world's name."""
    edges, agents = read_edges({part: level[part] for part in level if part not in others}, name), len(s.level.edges)
    if len(edges) != agents:
        raise LevelError(f"{name}: a graph of {len(edges)} nodes is given for {agents} agents")
    s.level.edges[:] = edges


def read_starts(s: Any, level: Mapping[str, Any], name: str, part: str, one: str, least: str = "") -> None:
    """Set a world's graph and, if a level has this part, `starts`.

    Args:
        s, level, name: see `read_graph`.
        part: the name of the part, a list of agents.
        one: what errors call one of these agents.
        least: how errors say that the list must not be empty; "" if it may be.
    """
    read_graph(s, level, name, part)
    s.starts_given = part in level
    if part not in level:
        return
    given, agents = level[part], len(s.starts)
    read_numbers(given, f"{name}: the level's {part}", ((0, agents),), 0, agents - 1, whole=True)
    if (least and not given) or len(set(given)) < len(given):
        raise LevelError(f"{name}: {part!r} must be a list of different agents{least}")
    s.starts[:] = np.isin(np.arange(agents), given)
