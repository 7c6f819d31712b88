"""Knowledge graphs: facts that lead from a node by a relation to other nodes.

Every node has 1 to `fan` targets of each relation. Their number is uniform, and so are the targets: different nodes,
and never the node itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_integer
from envsuite.core.parameters import is_integer
from envsuite.core.random import randint
from envsuite.core.ranges import within
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.generators.graphs import MOST

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: The most relations, and the most targets of a node by a relation.
MOST_RELATIONS, MOST_FAN = 8, 4

#: No target.
NONE = -1


@kernel
def free_node(targets, count, node, rank):
    """The node of this rank among those that are neither `node` nor one of its first `count` targets, in order."""
    fresh, passed = rank, False
    for j in range(count + 1):
        if not passed and fresh >= node:
            fresh += 1
            passed = True
        if j < count and fresh >= targets[j]:
            fresh += 1
    return fresh


@kernel
def put(targets, count, fresh):
    """Add a target to the first `count` ones, which stay in order."""
    place = count
    while place > 0 and targets[place - 1] > fresh:
        targets[place] = targets[place - 1]
        place -= 1
    targets[place] = fresh


@large_kernel
def make(s):
    """Draw the targets of all nodes."""
    nodes, relations, fan = s.level.targets.shape
    for node in range(nodes):
        for relation in range(relations):
            targets, count = s.level.targets[node, relation], 1 + randint(s, fan)
            for j in range(fan):
                targets[j] = NONE
            for j in range(count):
                put(targets, j, free_node(targets, j, node, randint(s, nodes - 1 - j)))


@large_kernel
def change(s):
    """Replace a target of one node by another, if there is one."""
    nodes, relations, fan = s.level.targets.shape
    node, relation = randint(s, nodes), randint(s, relations)
    targets, count = s.level.targets[node, relation], 1
    while count < fan and targets[count] != NONE:
        count += 1
    if nodes - 1 == count:
        return
    fresh = free_node(targets, count, node, randint(s, nodes - 1 - count))
    for j in range(randint(s, count), count - 1):
        targets[j] = targets[j + 1]
    put(targets, count - 1, fresh)


class Knowledge(Generator):
    """Knowledge graphs.

    Args:
        nodes: number of nodes.
        relations: number of relations.
        fan: the most targets of a node by a relation, below `nodes`.
    """

    make = make
    change = change

    def __init__(
        self,
        nodes: Annotated[int, Between(3, MOST)] = 24,
        relations: Annotated[int, Between(1, MOST_RELATIONS)] = 4,
        fan: Annotated[int, Between(1, MOST_FAN)] = 2,
    ):
        if fan >= nodes:
            raise ParameterError(f"knowledge: fan={fan} must be below nodes={nodes}")
        self.define(level=[("targets", within(np.int8, NONE, nodes - 1), (nodes, relations, fan))])

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        targets = read_facts(level, "knowledge", MOST_FAN)
        fan = int((targets != NONE).sum(axis=2).max())
        return cls(nodes=len(targets), relations=targets.shape[1], fan=fan)

    def decode(self, s: Any) -> dict[str, Any]:
        return write_facts(s.level.targets)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.targets[:] = read_facts(level, "knowledge", s.level.targets.shape[2])

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the number of "facts".

        A graph is solvable if every node leads to every other one. Its difficulty is the mean number of facts between
        two nodes, 0 if it is not solvable.
        """
        steps = joined(read_facts(level, "knowledge", MOST_FAN))
        count = len(steps)
        distance = np.where(np.eye(count) > 0, 0, np.where(steps > 0, 1, count))
        for k in range(count):
            distance = np.minimum(distance, distance[:, k : k + 1] + distance[k : k + 1])
        connected = bool(distance.max() < count)
        return {
            "size": [count, level["relations"]],
            "solvable": connected,
            "difficulty": round(float(distance.sum()) / (count * (count - 1)), 6) if connected else 0.0,
            "facts": len(level["facts"]),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The nodes, and a line for each fact in the color of its relation."""
        from envsuite.kit.graph_pictures import places
        from envsuite.render.scene import Circle, Label, Line, Scene
        from envsuite.render.theme import agent_color

        steps = joined(read_facts(level, "knowledge", MOST_FAN))
        scene, at = Scene(12, 12), (1 + 10 * places(np.maximum(steps, steps.T))).tolist()
        for node, relation, target in level["facts"]:
            (x, y), (u, v) = at[node], at[target]
            bow = 0.02 * (relation + 1)  # so that facts of two nodes lie side by side
            middle = ((x + u) / 2 + bow * (v - y), (y + v) / 2 - bow * (u - x))
            scene.add(Line([(x, y), middle, (u, v)], agent_color(relation), 0.03))
        for k, (x, y) in enumerate(at):
            scene.add(Circle(x, y, 0.28, "deep"), Label(x, y, str(k), 0.26, "white", terminal=False))
        return scene


def joined(targets: np.ndarray) -> np.ndarray:
    """Which nodes (n, n) a fact joins, from the first to the second."""
    found = np.zeros((len(targets), len(targets)), np.uint8)
    node, relation, place = np.nonzero(targets != NONE)
    found[node, targets[node, relation, place]] = 1
    return found


def write_facts(targets: Any) -> dict[str, Any]:
    """A graph (nodes, relations, fan) of targets as plain data."""
    array = np.array(targets)
    places = np.argwhere(array != NONE)
    facts = np.column_stack([places[:, :2], array[tuple(places.T)]]).tolist()
    return {"nodes": array.shape[0], "relations": array.shape[1], "facts": facts}


def read_facts(level: Mapping[str, Any], name: str, fan: int) -> np.ndarray:
    """The targets (nodes, relations, fan) of a level, or a `LevelError` that begins with this name."""
    known_parts(name, level, {"kind", "nodes", "relations", "facts"})
    nodes = read_integer(level["nodes"], f"{name}: the level's nodes", 3, MOST)
    relations = read_integer(level["relations"], f"{name}: the level's relations", 1, MOST_RELATIONS)
    if not isinstance(level["facts"], (list, tuple)):
        raise LevelError(f"{name}: 'facts' must be a list of facts: node, relation, target")
    found: list[list[set[int]]] = [[set() for _ in range(relations)] for _ in range(nodes)]
    for fact in level["facts"]:
        if not isinstance(fact, (list, tuple)) or len(fact) != 3 or not all(map(is_integer, fact)):
            raise LevelError(f"{name}: the fact {fact!r:.40} must be three numbers: node, relation, target")
        node, relation, target = fact
        if not (0 <= node < nodes and 0 <= relation < relations and 0 <= target < nodes) or node == target:
            raise LevelError(
                f"{name}: the fact {list(fact)} must join two different nodes below {nodes} by a relation below "
                f"{relations}"
            )
        if target in found[node][relation]:
            raise LevelError(f"{name}: the fact {list(fact)} is given twice")
        found[node][relation].add(target)
        if len(found[node][relation]) > fan:
            raise LevelError(f"{name}: node {node} has more than {fan} targets by relation {relation}")
    array = np.full((nodes, relations, fan), NONE, np.int8)
    for node, row in enumerate(found):
        for relation, targets in enumerate(row):
            if not targets:
                raise LevelError(f"{name}: node {node} has no target by relation {relation}; each has at least one")
            array[node, relation, : len(targets)] = sorted(targets)
    return array
