"""Text and pictures of Robots."""

from __future__ import annotations

import math
from typing import Any

from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene, footer
from envsuite.render.theme import agent_color, text_on

#: The letter and the name of the kinds of robots.
KINDS = {
    "discovery": (("S", "scout"), ("C", "collector")),
    "material": (("F", "fast"), ("S", "strong")),
    "warehouse": (("G", "green"), ("R", "red")),
}

#: Units of a metre, and the middle of the arena.
_METRE, _X, _Y = 5.0, 8.6, 5.6


def text(world: Any, s: Any, agent: int) -> str:
    """What an agent sees, in words."""
    seen, count, scenario = world.observation(s, agent), len(world.agents), world.scenario
    lines = [f"You are {world.agents[agent]}. The arena is x from -1.6 to 1.6 m, y from -1 to 1 m."]
    for row in range(count):
        x, y, cosine, sine = (float(value) for value in seen.robots[row])
        name = "You are" if row == 0 else f"{world.agents[(agent + row) % count]} is"
        words = [f"{name} at ({x:.2f}, {y:.2f}), facing {math.degrees(math.atan2(sine, cosine)):.0f} degrees"]
        kind, load = (int(value) for value in seen.duties[row])
        if scenario in KINDS:
            words.append(KINDS[scenario][kind][1])
        if load:
            words.append("loaded" if scenario == "warehouse" else f"loaded with {load} units")
        lines.append(", ".join(words) + ".")
    places = [(f"({float(x):.2f}, {float(y):.2f})", int(number)) for x, y, number in seen.targets]
    if scenario == "navigation":
        lines.append(f"Your goal is at {places[0][0]}.")
    elif scenario == "discovery":
        known = [f"{place}{' tagged' if state == 2 else ''}" for place, state in places if state]
        lines.append(f"Sensed landmarks: {', '.join(known) or 'none'}; {6 - len(known)} are not sensed yet.")
    elif scenario == "material":
        lines.append(f"Units left: {places[0][1]} within 0.35 m of (0, 0), {places[1][1]} where x > 1.1.")
        lines.append("Drop where x < -1.1.")
    else:
        sides = ("y < 0", "y > 0") if seen.duties[0, 0] == 0 else ("y > 0", "y < 0")
        lines.append(f"Load where x > 1.1 and {sides[0]}; unload where x < -1.1 and {sides[1]}.")
    lines.append(f"Steps left: {seen.left[0]}.")
    return "\n".join(lines)


def scene(world: Any, s: Any, agent: int | None) -> Scene:
    """The arena as an agent knows it, or, for spectators, with all goals and landmarks."""
    scenario, count = world.scenario, len(world.agents)
    seen = world.observation(s, agent or 0)
    drawn = Scene(2 * _X, 2 * _Y)
    drawn.add(Rect(_X - 8, _Y - 5, 16, 10, "paper", "ink", 0.08))
    if scenario in ("material", "warehouse"):
        _zones(drawn, scenario, seen)
    if scenario == "navigation":
        for k in range(count) if agent is None else [agent]:
            x, y = _at(s.targets[k])
            drawn.add(
                Circle(x, y, 0.5, None, agent_color(k), 0.12, f"{k}x"),
                Label(x, y, str(k), 0.5, bold=True, terminal=False),
            )
    if scenario == "discovery":
        for place, state in zip(s.targets, s.found, strict=True):
            if state or agent is None:
                x, y = _at(place)
                sign = "?!+"[state]
                drawn.add(
                    Rect(x - 0.3, y - 0.3, 0.6, 0.6, ("paper", "gold", "grass")[state], "ink", 0.05, 0.1, sign),
                    Label(x, y, sign, 0.5, text_on(("paper", "gold", "grass")[state]), bold=True, terminal=False),
                )
    for row in range(count):
        a = ((agent or 0) + row) % count
        letter = KINDS[scenario][int(seen.duties[row, 0])][0] if scenario in KINDS else ""
        _robot(drawn, a, seen.robots[row], letter, int(seen.duties[row, 1]))
    footer(drawn, _note(scenario, seen, s, agent), f"step {s.t} of {s.t + int(seen.left[0])}", margin=0.6)
    return drawn


def _note(scenario: str, seen: Any, s: Any, agent: int | None) -> str:
    if scenario == "discovery":
        known = int((seen.targets[:, 2] > 0).sum())
        return f"{known} of 6 sensed (!), {int((seen.targets[:, 2] == 2).sum())} tagged (+)"
    if agent is None and s.violated.any():
        return "collision" if s.violated[0] else "a robot is outside"
    return ""


def _zones(drawn: Scene, scenario: str, seen: Any) -> None:
    """The places to load and to unload, with words."""
    right, left = _X + 5.5, _X - 8
    if scenario == "material":
        drawn.add(Circle(_X, _Y, 1.75, "gold@0.35", "ink", 0.04, ""))
        drawn.add(Rect(right, _Y - 5, 2.5, 10, "gold@0.35"), Rect(left, _Y - 5, 2.5, 10, "grass@0.35"))
        drawn.add(Label(_X, _Y - 1.2, f"{int(seen.targets[0, 2])}", 0.6))
        drawn.add(Label(right + 1.25, _Y - 4.4, f"{int(seen.targets[1, 2])}", 0.6))
        drawn.add(Label(left + 1.25, _Y - 4.4, "drop", 0.6))
        return
    for x, word in ((right, "load"), (left, "unload")):
        for top, letter in ((_Y - 5, "R" if x == right else "G"), (_Y, "G" if x == right else "R")):
            drawn.add(Rect(x, top, 2.5, 5, "red@0.3" if letter == "R" else "grass@0.35", "ink", 0.03))
            drawn.add(Label(x + 1.25, top + 0.6, f"{word} {letter}", 0.5))


def _robot(drawn: Scene, a: int, body: Any, letter: str, load: int) -> None:
    """A robot with its number and kind, its front, and a mark for its load."""
    x, y = _at(body)
    hue, radius = agent_color(a), 0.5
    front = (x + 0.75 * float(body[2]), y - 0.75 * float(body[3]))
    side = (0.35 * float(body[3]), 0.35 * float(body[2]))
    tail = (x + 0.4 * float(body[2]), y - 0.4 * float(body[3]))
    nose = [front, (tail[0] + side[0], tail[1] + side[1]), (tail[0] - side[0], tail[1] - side[1])]
    drawn.add(Polygon(nose, "ink"), Circle(x, y, radius, hue, "ink", 0.05, f"{a}●"))
    drawn.add(Label(x, y, f"{a}{letter}", 0.45, text_on(hue), bold=True, terminal=False))
    if load:
        drawn.add(Rect(x + 0.2, y - 0.85, 0.75, 0.5, "gold", "ink", 0.04, 0.05))
        drawn.add(Label(x + 0.575, y - 0.6, str(load), 0.4, text_on("gold"), bold=True, terminal=False))


def _at(place: Any) -> tuple[float, float]:
    """The point of the picture of a place; places outside the arena are drawn at its edge."""
    x, y = min(max(float(place[0]), -1.65), 1.65), min(max(float(place[1]), -1.05), 1.05)
    return _X + _METRE * x, _Y - _METRE * y
