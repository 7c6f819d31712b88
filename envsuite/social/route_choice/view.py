"""The text and the picture of RouteChoice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envsuite.kit import plots
from envsuite.render.scene import Circle, Label, Rect, Scene
from envsuite.render.theme import agent_color
from envsuite.social.route_choice.levels import write_roads
from envsuite.social.route_choice.pictures import NAMES, draw_roads, law

#: Left, top, width and height: of the network, of the list of routes, and of the chart.
MAP, ROWS, CHART = (0.5, 1.5, 12.2, 7.9), (13.0, 1.5, 6.5, 7.9), (0.5, 9.7, 19.0, 3.5)

#: The colors of latencies and tolls.
TIME, TOLL = "blue", "purple"

#: The most rows of routes that spectators see.
SHOWN = 14


def way(level: Mapping[str, Any], route: Sequence[int]) -> str:
    """The names of the nodes that a route passes."""
    first = level["links"][route[0]][0]
    return ">".join(NAMES[node] for node in (first, *(level["links"][link][1] for link in route)))


def trips(level: Mapping[str, Any], s: Any, pair: int) -> list[tuple[float, float]]:
    """The latency and the toll of each route of a pair on the last day, or without traffic before the first."""
    found, drivers = [], len(s.owners)
    for route in level["routes"][pair]:
        time = paid = 0.0
        for link in route:
            free, slope = level["links"][link][2:]
            rise = slope * float(s.flows[link]) / drivers
            time += free + rise
            paid += (0.0, rise, float(s.tolled[link]) * (free + rise))[int(s.params.tolls)]
        found.append((time, paid))
    return found


def text(world: Any, s: Any, agent: int) -> str:
    """The text for one agent."""
    seen = world.observation(s, agent)
    level, pair, days = write_roads(s.level), int(seen.pair[0]), len(s.means)
    routes = level["routes"][pair]
    first, last = way(level, routes[0])[0], way(level, routes[0])[-1]
    laws = ", ".join(
        f"{NAMES[start]}>{NAMES[end]} {law(free, slope)}" + " (toll)" * int(seen.links[k, 5])
        for k, (start, end, free, slope) in enumerate(level["links"])
    )
    lines = [
        f"You drive from {first} to {last}, as {seen.demand[pair]} drivers do every day, you included.",
        f"The links and their latencies, where x is the share of all drivers on a link: {laws}.",
        "",
    ]
    for k, route in enumerate(routes):
        line = f"`route {k}`: {way(level, route)}"
        if seen.latency[k] >= 0:
            line += f"; yesterday latency {seen.latency[k]:.2f}, toll {seen.toll[k]:.2f}"
            line += " (your choice)" * (seen.chosen[0] == k)
        lines.append(line)
    if not seen.left[0]:
        return "\n".join([*lines, f"It is over after {days} days."])
    return "\n".join([*lines, f"Day {s.day + 1} of {days}."])


def row_box(k: int, count: int) -> tuple[float, float, float, float]:
    """The row of number k in a list of routes: left, top, width and height."""
    left, top, width, height = ROWS
    tall = min(1.05, (height - 1.0) / count)
    return left + 0.2, top + 0.8 + tall * k, width - 0.4, tall


def row_of(k: int, count: int, x: float, y: float) -> bool:
    """Whether a point is in this row."""
    left, top, width, height = row_box(k, count)
    return left <= x <= left + width and top <= y < top + height


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The network with its traffic, the routes with their costs, and the means by day."""
    level, days = write_roads(s.level), len(s.means)
    scene = Scene(20, 13.7)
    moment = f"over after {days} days" if s.day == days else f"day {s.day + 1} of {days}"
    scene.add(Label(0.6, 0.85, "Route choice", 0.65, align="left", bold=True))
    scene.add(Label(19.4, 0.85, moment, 0.5, "muted", "right"))
    left, top, width, height = MAP
    scene.add(Rect(*MAP, "panel", radius=0.25))
    own: Sequence[int] = ()
    if agent is not None and s.chosen[agent] >= 0:
        own = level["routes"][s.owners[agent]][s.chosen[agent]]
    flows = np.asarray(s.flows) / len(s.owners)
    tolled = np.flatnonzero(s.tolled).tolist()
    draw_roads(scene, (left + 1.3, top + 1.0, width - 3.0, height - 2.0), level, flows, own, tolled)
    _draw_routes(scene, s, level, agent)
    past = np.asarray(s.means)[: s.day]
    lines = [(past[:, 0].tolist(), TIME, "mean latency")]
    if s.params.tolls:
        lines.append((past[:, 1].tolist(), TOLL, "mean toll"))
    most = max(1.0, float(past.max())) if len(past) else 1.0
    plots.curves(scene, CHART, "by day", lines, days, (0.0, round(most + 0.05, 1)))
    return scene


def _draw_routes(scene: Scene, s: Any, level: Mapping[str, Any], agent: int | None) -> None:
    """An agent's routes, or for spectators those that were used, with bars of latencies and tolls."""
    scene.add(Rect(*ROWS, "panel", radius=0.25))
    left, top, _, _ = ROWS
    title = "routes that were used" if agent is None else "your routes: choose one"
    scene.add(Label(left + 0.3, top + 0.45, title, 0.38, "muted", "left"))
    used = np.bincount(
        [20 * int(pair) + int(route) for pair, route in zip(s.owners, s.chosen) if route >= 0], minlength=80
    ).tolist()
    pairs = range(len(level["routes"])) if agent is None else [int(s.owners[agent])]
    rows = [(p, r) for p in pairs for r in range(len(level["routes"][p])) if agent is not None or used[20 * p + r]]
    if agent is None:
        rows = sorted(sorted(rows, key=lambda row: -used[20 * row[0] + row[1]])[:SHOWN])
    costs = {pair: trips(level, s, pair) for pair in pairs}
    most = max([1e-9, *(sum(costs[p][r]) for p, r in rows)])
    for k, (pair, route) in enumerate(rows):
        x, y, wide, tall = row_box(k, len(rows))
        size = min(0.4, 0.5 * tall)
        if agent is not None and s.chosen[agent] == route:
            scene.add(Rect(x - 0.05, y, wide + 0.1, tall - 0.05, None, "gold", 0.08, 0.1))
        scene.add(Circle(x + 0.3, y + 0.32 * tall, 0.55 * size, agent_color(pair), glyph=""))
        words = f"{route}  {way(level, level['routes'][pair][route])}"
        scene.add(Label(x + 0.65, y + 0.32 * tall, words, size, align="left", width=wide - 2.3))
        time, paid = costs[pair][route]
        number = f"{time:.1f}" + (f" + {paid:.1f}" if s.params.tolls else "")
        if agent is None:
            number = f"{used[20 * pair + route]} drivers" if tall > 0.3 else str(used[20 * pair + route])
        scene.add(Label(x + wide - 0.1, y + 0.32 * tall, number, 0.9 * size, "muted", "right"))
        start = x + 0.1
        for part, color in ((time, TIME), (paid, TOLL)):
            long = (wide - 0.2) * part / most
            if long > 0:
                scene.add(Rect(start, y + 0.64 * tall, long, 0.2 * tall, color))
            start += long


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """The route in whose row of the list the point is."""
    routes = world.legal_actions(s, agent)
    return next((route for k, route in enumerate(routes) if row_of(k, len(routes), x, y)), None)
