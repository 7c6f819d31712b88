"""Graphs in pictures: places of nodes, and lines between them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import cos, pi, sin

import numpy as np

from envsuite.render.scene import Circle, Label, Line, Rect, Scene

#: Rounds in which the places of nodes are improved.
ROUNDS = 150


def places(edges: np.ndarray) -> np.ndarray:
    """Places (n, 2) of the nodes of a graph (n, n) in the unit square: neighbors near, others apart."""
    return _places(np.ascontiguousarray(edges, np.uint8).tobytes(), len(edges))


@lru_cache(maxsize=64)
def _places(edges: bytes, count: int) -> np.ndarray:
    """Springs and repulsion, from a circle in the order of a walk along edges (Fruchterman and Reingold 1991)."""
    from scipy.sparse.csgraph import connected_components  # takes longer to import than a world to start

    joined = np.frombuffer(edges, np.uint8).reshape(count, count) != 0
    order = [0]
    while len(order) < count:
        near = [k for k in np.flatnonzero(joined[order[-1]]).tolist() if k not in order]
        order.append(near[0] if near else next(k for k in range(count) if k not in order))
    turn = np.empty(count)
    turn[order] = 2 * np.pi * np.arange(count) / count
    at = 0.5 + 0.45 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    ideal, parts = 0.9 / np.sqrt(count), connected_components(joined)[0]
    for k in range(ROUNDS):
        apart = at[:, None] - at[None]
        far = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
        force = (apart * (ideal**2 / far**2 - joined * far / ideal)[..., None]).sum(axis=1)
        long = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        at = at + force / long * np.minimum(long, 0.08 * (1 - k / ROUNDS))
        if parts > 1:  # parts of a graph drive one another away
            at = np.clip(at, 0, 1)
    low, high = at.min(axis=0), at.max(axis=0)
    return (at - low) / np.maximum(high - low, 1e-9)


def around(x: float, y: float, radius: float, count: int) -> list[tuple[float, float]]:
    """Places of `count` nodes on a circle around this one, the first at the top."""
    turns = [2 * pi * (k / count - 0.25) for k in range(count)]
    return [(x + radius * cos(turn), y + radius * sin(turn)) for turn in turns]


def draw_edges(scene: Scene, edges: np.ndarray, at: np.ndarray, color: str = "line", width: float = 0.05) -> None:
    """Lines between the neighbors in a graph (n, n) whose nodes are at these places (n, 2)."""
    for a, b in np.argwhere(np.triu(edges)).tolist():
        scene.add(Line([tuple(at[a].tolist()), tuple(at[b].tolist())], color, width))


def framed(title: str, moment: str) -> Scene:
    """A picture with a title, what happens now, and the ground of a graph, 10.6 wide, on the left."""
    scene = Scene(20, 12.6)
    scene.add(Label(0.6, 0.85, title, 0.65, align="left", bold=True))
    scene.add(Label(19.4, 0.85, moment, 0.5, "muted", "right"))
    scene.add(Rect(0.5, 1.5, 10.6, 10.6, "panel", radius=0.25))
    return scene


def draw_tour(scene: Scene, at: Sequence[tuple[float, float]], way: Sequence[int], names: str) -> None:
    """Nodes at these places with a letter each, and a way over some of them, the last of which is where it has come."""
    if len(way) > 1:
        scene.add(Line([at[k] for k in way], "gold", 0.12))
    for k, (x, y) in enumerate(at):
        here = k == way[-1]
        scene.add(
            Circle(x, y, 0.36, "gold" if k in way else "white", "ink" if here else "muted", 0.1 if here else 0.05)
        )
        scene.add(Label(x, y, names[k], 0.4, "black", bold=True))
