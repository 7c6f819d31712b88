"""The text and the picture of Routing."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, footer
from envsuite.render.theme import agent_color, text_on

#: The side of the map, its corner, and the panel of the vehicles: left and width.
SIDE, CORNER, PANEL, WIDE = 12.0, 0.9, 14.2, 6.6

#: How near to a node a click must be.
NEAR = 0.45


def spot(s: Any, node: int) -> tuple[float, float]:
    """Where a node is in the picture; y goes up."""
    x, y = np.asarray(s.level.places)[node].tolist()
    return CORNER + SIDE * x, CORNER + SIDE * (1 - y)


def node_at(s: Any, x: float, y: float) -> int | None:
    """The node at a point of the picture, the nearest one."""
    places = np.array([spot(s, node) for node in range(len(s.visited))])
    far = ((places - [x, y]) ** 2).sum(axis=1)
    return int(far.argmin()) if far.min() <= NEAR * NEAR else None


def times(s: Any) -> list[float]:
    """The time that each vehicle has driven."""
    return (np.asarray(s.length) / np.asarray(s.level.speed)).tolist()


def _place(node: int) -> str:
    return f"at customer {node}" if node else "at the depot"


def text(world: Any, s: Any, agent: int) -> str:
    """The text for one agent."""
    turns = int(s.params.horizon) - int(s.t)
    lines = [f"Customers left: {int(s.left)} of {len(s.visited) - 1}. Turns left: {turns}."]
    places = np.asarray(s.level.places)
    for k, time in enumerate(times(s)):
        who = "You are" if k == agent else f"{world.agents[k]} is"
        x, y = places[s.node[k]].tolist()
        lines.append(
            f"{who} {_place(int(s.node[k]))} ({x:.2f}, {y:.2f}) with load {s.load[k]} of {s.level.capacity[k]}, "
            f"speed {s.level.speed[k]:.2f}, has driven for {time:.2f}."
        )
    legal = world.legal_actions(s, agent)
    if not legal:
        return "\n".join([*lines, "Wait: another vehicle chooses." if s.left else "It is over."])
    here = places[s.node[agent]]
    far = np.sqrt(((places - here) ** 2).sum(axis=1))
    lines.append("Where you can go:")
    customers = len(s.visited)
    for node in sorted((node for node in legal if node < customers), key=lambda node: far[node]):
        x, y = places[node].tolist()
        what = f"`customer {node}`: demand {s.level.demand[node]}" if node else "`depot`: load again"
        if node and s.level.preference[agent, node] > 0:
            what += f", prefers you by {s.level.preference[agent, node]:.2f}"
        lines.append(f"- {what}, distance {far[node]:.2f}, at ({x:.2f}, {y:.2f})")
    others = [node for node in range(1, customers) if not s.visited[node] and node not in legal]
    for node in others:
        why = "refuses you" if not s.level.zone[agent, node] else f"demands {s.level.demand[node]}"
        lines.append(f"- not now: customer {node} {why}, distance {far[node]:.2f}")
    return "\n".join(lines)


def _house(x: float, y: float, size: float, color: str) -> list[Shape]:
    roof = [(x - 0.55 * size, y - 0.05 * size), (x, y - 0.6 * size), (x + 0.55 * size, y - 0.05 * size)]
    return [
        Rect(x - 0.4 * size, y - 0.08 * size, 0.8 * size, 0.5 * size, "soil", "black", line=0.04, glyph="D"),
        Polygon(roof, color, "black", 0.04, glyph=""),
        Rect(x - 0.12 * size, y + 0.12 * size, 0.24 * size, 0.3 * size, "brown", glyph=""),
    ]


def _truck(x: float, y: float, size: float, k: int) -> list[Shape]:
    """A vehicle with its number."""
    color = agent_color(k)
    return [
        Rect(x - 0.5 * size, y - 0.34 * size, 0.66 * size, 0.52 * size, color, "black", 0.06, 0.03, glyph=f"v{k}"),
        Rect(x + 0.16 * size, y - 0.16 * size, 0.3 * size, 0.34 * size, "white", "black", 0.06, 0.03, glyph=""),
        *(Circle(x + across * size, y + 0.22 * size, 0.11 * size, "black", glyph="") for across in (-0.28, 0.26)),
        Label(x - 0.17 * size, y - 0.07 * size, str(k), 0.4 * size, text_on(color), bold=True, terminal=False),
    ]


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The town with the ways so far, and the vehicles; an agent's customers have a bright edge."""
    scene = Scene(PANEL + WIDE + 0.4, SIDE + 2 * CORNER)
    scene.add(Rect(0.3, 0.3, SIDE + 2 * CORNER - 0.6, SIDE + 2 * CORNER - 0.6, "grass@0.55", radius=0.3))
    scene.add(Rect(PANEL, 0.3, WIDE, SIDE + 2 * CORNER - 0.6, "panel", radius=0.3))
    for k in range(len(world.agents)):
        trail = np.asarray(s.trail)[k, : s.stops[k]].tolist()
        aside = 0.05 * (k - (len(world.agents) - 1) / 2)  # so that shared ways stay visible
        path = [(x + aside, y + aside) for x, y in (spot(s, node) for node in trail)]
        if len(path) > 1:
            scene.add(Line(path, agent_color(k), 0.11))
    legal = world.legal_actions(s, agent) if agent is not None else []
    for node in range(1, len(s.visited)):
        _draw_customer(scene, s, node, agent, node in legal)
    scene.add(*_house(*spot(s, 0), 1.2, "red"))
    _draw_vehicles(scene, world, s, agent)
    driven = times(s)
    goal = max(driven) if world.parameters["variant"] == "hcvrp" else sum(driven)
    what = "longest time" if world.parameters["variant"] == "hcvrp" else "time of all"
    footer(scene, f"step {int(s.t)}, {int(s.left)} customers left", f"{what} {goal:.2f}")
    return scene


def _draw_customer(scene: Scene, s: Any, node: int, agent: int | None, legal: bool) -> None:
    """A customer: a disc with its demand, in the color of its visitor; gray if it refuses an agent."""
    x, y = spot(s, node)
    if s.visited[node]:
        k = next(k for k in range(len(s.node)) if node in np.asarray(s.trail)[k, : s.stops[k]].tolist())
        scene.add(Circle(x, y, 0.2, agent_color(k), "black", 0.03, glyph=f"x{k}"))
        return
    barred = agent is not None and not s.level.zone[agent, node]
    if legal:
        scene.add(Circle(x, y, 0.45, "highlight", glyph=""))
    scene.add(Circle(x, y, 0.36, "grey" if barred else "white", "black", 0.05, glyph=str(node % 10)))
    scene.add(Label(x, y, str(s.level.demand[node]), 0.42, "black", bold=True, terminal=False))
    scene.add(Rect(x + 0.32, y - 0.56, 0.42, 0.36, "white", radius=0.08, glyph=""))
    scene.add(Label(x + 0.53, y - 0.38, str(node), 0.3, "black", terminal=False))
    if agent is not None and s.level.preference[agent, node] > 0:
        scene.add(Rect(x - 0.36, y + 0.42, 0.72, 0.12, "black@0.35", glyph=""))
        scene.add(Rect(x - 0.36, y + 0.42, 0.72 * float(s.level.preference[agent, node]), 0.12, "good", glyph=""))


def _draw_vehicles(scene: Scene, world: Any, s: Any, agent: int | None) -> None:
    """The vehicles on the map, side by side at one node, and a row of the panel for each."""
    nodes, driven = np.asarray(s.node).tolist(), times(s)
    tall = min(2.0, (SIDE + 0.6) / len(nodes))
    for k, node in enumerate(nodes):
        x, y = spot(s, node)
        beside = nodes[:k].count(node) - (nodes.count(node) - 1) / 2
        scene.add(*_truck(x + 0.75 * beside, y + (0.75 if not node else -0.1), 0.85, k))
        top, left = 0.6 + tall * k, PANEL + 0.3
        if k == agent:
            scene.add(Rect(left - 0.15, top + 0.02, WIDE - 0.3, tall - 0.08, None, "gold", 0.1, 0.07))
        scene.add(*_truck(left + 0.55, top + 0.42 * tall, min(1.0, 0.6 * tall), k))
        free = world.parameters["clock"] == "event" and s.mover == k and s.left
        words = f"load {s.load[k]} / {s.level.capacity[k]}" + ("  chooses" if free else "")
        scene.add(Label(left + 1.3, top + 0.24 * tall, words, min(0.42, 0.28 * tall), align="left", bold=bool(free)))
        words = f"time {driven[k]:.2f}, speed {s.level.speed[k]:.2f}"
        scene.add(Label(left + 1.3, top + 0.82 * tall, words, min(0.36, 0.25 * tall), "muted", "left"))
        wide = WIDE - 2.0
        scene.add(Rect(left + 1.3, top + 0.47 * tall, wide, 0.12 * tall, "line", glyph=""))
        full = wide * int(s.load[k]) / max(int(s.level.capacity[k]), 1)
        scene.add(Rect(left + 1.3, top + 0.47 * tall, full, 0.12 * tall, agent_color(k), glyph=""))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    node = node_at(s, x, y)
    return len(s.visited) if node == s.node[agent] else node
