"""Particles in words and pictures: the plane for spectators, and what one agent observes around itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.render.scene import Circle, Label, Line, Rect, Scene
from envsuite.render.theme import text_on

if TYPE_CHECKING:
    from envsuite.games.particles import Particles

#: Half of the plane's side that a picture shows, pixels apart from the middle in its units, and its frame.
_SHOWN, _UNIT, _FRAME = 1.5, 4.0, 0.4
_SIDE = 2 * (_SHOWN * _UNIT + _FRAME)

_CHANNELS = ("red", "green", "blue")


def _at(x: float, y: float) -> tuple[float, float]:
    """The point of the picture that shows a point of the plane; points outside are shown at the frame."""
    x, y = (min(max(float(value), -_SHOWN), _SHOWN) for value in (x, y))
    return _SIDE / 2 + x * _UNIT, _SIDE / 2 - y * _UNIT


def _plane(square: bool) -> Scene:
    """The empty plane with its axes and, where places are absolute, the square from -1 to 1 in which episodes start."""
    drawn = Scene(_SIDE + 5.4, _SIDE)
    corner = _SIDE / 2 - _UNIT
    drawn.add(Rect(_FRAME / 2, _FRAME / 2, _SIDE - _FRAME, _SIDE - _FRAME, "panel", "line", 0.05, 0.3))
    if square:
        drawn.add(Rect(corner, corner, 2 * _UNIT, 2 * _UNIT, None, "line", 0.05))
    for k in range(2):
        ends = [(_SIDE / 2, corner), (_SIDE / 2, corner + 2 * _UNIT)]
        drawn.add(Line([(y, x) if k else (x, y) for x, y in ends], "line", 0.03))
    return drawn


def _kind(world: Particles, j: int) -> tuple[str, str]:
    """The colour and the sign of a landmark."""
    if world.scenario in ("speaker_listener", "reference"):
        return _CHANNELS[j], f"{j}●"
    if world.scenario == "tag":
        return "wall", "##"
    if world.scenario == "world_comm":
        return [("wall", "##"), ("gold", "f●"), ("gold", "f●"), ("leaf@0.5", "^^"), ("leaf@0.5", "^^")][j]
    return "grey", f"{j}●"


def _hue(world: Particles, a: int) -> str:
    """The colour of an agent: that of its side."""
    if a < world.setup.adversaries:
        return "orange" if world.agents[a].startswith("lead") else "red"
    return ("blue", "sky", "purple", "pink")[(a - world.setup.adversaries) % 4]


def _landmarks(world: Particles, drawn: Scene, places: Any, goals: dict[int, str]) -> None:
    """Landmarks, the largest first; a goal has a ring of its colour."""
    radius = world.setup.radius[len(world.agents) :]
    for j in sorted(range(len(places)), key=lambda j: -radius[j]):
        color, sign = _kind(world, j)
        x, y = _at(*places[j])
        drawn.add(Circle(x, y, max(radius[j], 0.05) * _UNIT, color, glyph=sign))
        if j in goals:
            drawn.add(Circle(x, y, (max(radius[j], 0.05) + 0.03) * _UNIT, None, goals[j], 0.12, glyph=""))


def _agent(world: Particles, drawn: Scene, a: int, place: Any, velocity: Any = None) -> None:
    """An agent with its number and, if it is given, its velocity as a line."""
    x, y = _at(*place)
    radius = max(world.setup.radius[a], 0.06) * _UNIT
    hue = _hue(world, a)
    if velocity is not None and np.any(velocity):
        drawn.add(Line([(x, y), _at(place[0] + 0.3 * velocity[0], place[1] + 0.3 * velocity[1])], hue, 0.1))
    drawn.add(Circle(x, y, radius, f"{hue}@0.75", "ink", 0.04, glyph=f"{a}●"))  # a landmark below it stays visible
    drawn.add(Label(x, y, str(a), min(0.8 * radius * 1.4, 0.5), text_on(hue), bold=True, terminal=False))


def _spoken(words: Any) -> str:
    """A word, or the numbers that were said for each letter; "" for silence."""
    row = [float(value) for value in words]
    if not any(row):
        return ""
    if sorted(row)[:-1] == [0.0] * (len(row) - 1) and max(row) == 1.0:
        return "abcdefghij"[row.index(1.0)]
    return " ".join(f"{'abcdefghij'[k]}{value:.1f}" for k, value in enumerate(row) if value)


def whole_scene(world: Particles, s: Any) -> Scene:
    """The plane with all agents and landmarks, their goals, and the words."""
    it, drawn = world.setup, _plane(True)
    goals: dict[int, str] = {}
    if world.scenario == "reference":
        goals = {int(s.goals[1]): _hue(world, 0), int(s.goals[0]): _hue(world, 1)}
    elif it.goals == 1:
        goals = {int(s.goals[0]): "good"}
    if world.scenario != "crypto":
        _landmarks(world, drawn, s.landmarks, goals)
    for a in range(len(world.agents)):
        _agent(world, drawn, a, s.position[a], s.velocity[a])
    rows = [(name, _spoken(s.said[a])) for a, name in enumerate(world.agents)]
    left, y = _SIDE + 0.3, 1.0
    drawn.add(Label(left, y, world.scenario, 0.6, align="left", bold=True))
    for a, (name, said) in enumerate(rows):
        y += 0.8
        drawn.add(Circle(left + 0.2, y, 0.18, _hue(world, a), glyph=f"{a}●"))
        drawn.add(Label(left + 0.6, y, f"{name}: {said}" if said else name, 0.42, align="left", width=4.6))
    for line in _secrets(world, s):
        y += 0.8
        drawn.add(Label(left, y, line, 0.42, "muted", align="left", width=5.2))
    return drawn


def _secrets(world: Particles, s: Any) -> list[str]:
    goals = [int(k) for k in s.goals]
    if world.scenario == "crypto":
        return [f"secret {'ab'[goals[0]]}, key {'ab'[goals[1]]}"]
    if world.scenario == "reference":
        return [f"agent_1 seeks {goals[0]}", f"agent_0 seeks {goals[1]}"]
    return [f"goal: landmark {goals[0]}"] if world.setup.goals else []


# For an agent: only what it observes.


def agent_scene(world: Particles, s: Any, agent: int) -> Scene:
    """The plane around an agent, as it observes it; and what it hears and knows."""
    seen, parts = world.observation(s, agent), world.parts[agent]
    drawn = _plane(False)
    goals = {}
    if "goal" in parts:
        goals = {j: "good" for j, place in enumerate(seen.landmarks) if np.array_equal(place, seen.goal)}
    if "landmarks" in parts:
        _landmarks(world, drawn, seen.landmarks, goals)
    if "others" in parts:
        for row, b in enumerate(b for b in range(len(world.agents)) if b != agent):
            if np.any(seen.others[row]) or world.scenario != "world_comm":
                _agent(world, drawn, b, seen.others[row])
    if world.setup.moves[agent]:
        _agent(world, drawn, agent, (0.0, 0.0), seen.velocity if "velocity" in parts else None)
    left, y = _SIDE + 0.3, 1.0
    drawn.add(Label(left, y, world.agents[agent], 0.6, align="left", bold=True, width=5.2))
    for line in _lines(world, seen, parts):
        y += 0.8
        drawn.add(Label(left, y, line, 0.42, align="left", width=5.2))
    return drawn


def _lines(world: Particles, seen: Any, parts: Any) -> list[str]:
    """What an agent knows that has no place."""
    lines = []
    if "position" in parts:
        lines.append(f"at {_pair(seen.position)}")
    if "color" in parts:
        lines.append(f"goal: {_goal_of(world, seen.color)}")
    if "forests" in parts:
        inside = [str(3 + j) for j in range(2) if seen.forests[j] > 0]
        lines.append(f"in forest {', '.join(inside)}" if inside else "in no forest")
    if "message" in parts:
        lines.append(f"secret: {_spoken(seen.message)}")
    if "key" in parts:
        lines.append(f"key: {_spoken(seen.key)}")
    if "heard" in parts:
        lines.append(f"heard: {_spoken(seen.heard) or 'nothing'}")
    return lines


def _goal_of(world: Particles, color: Any) -> str:
    """The goal that a colour means."""
    channel = int(np.argmax(color))
    return f"landmark {channel - 1}" if world.scenario == "push" else f"landmark {channel} ({_CHANNELS[channel]})"


def _pair(values: Any) -> str:
    return f"({float(values[0]):.3f}, {float(values[1]):.3f})"


def text(world: Particles, s: Any, agent: int) -> str:
    """What an agent observes, in words; places are relative to it."""
    seen, parts = world.observation(s, agent), world.parts[agent]
    lines = []
    if "velocity" in parts:
        lines.append(f"Your velocity: {_pair(seen.velocity)}.")
    if "goal" in parts:
        lines.append(f"Your goal, relative to you: {_pair(seen.goal)}.")
    if "landmarks" in parts:
        kinds = {"tag": ("obstacle",) * 2, "world_comm": ("obstacle", "food", "food", "forest", "forest")}
        names = kinds.get(world.scenario, ("landmark",) * len(seen.landmarks))
        places = (f"{name} {j} {_pair(place)}" for j, (name, place) in enumerate(zip(names, seen.landmarks)))
        lines.append(f"Relative to you: {', '.join(places)}.")
    if "others" in parts:
        others = [name for name in world.agents if name != world.agents[agent]]
        lines.append(f"Others: {', '.join(f'{one} {_pair(place)}' for one, place in zip(others, seen.others))}.")
    prey = [name for name in world.agents[world.setup.adversaries :] if name != world.agents[agent]]
    for part in ("prey", "fellows"):
        if part in parts:
            known = zip(prey, getattr(seen, part))
            lines.append(f"Velocities: {', '.join(f'{name} {_pair(value)}' for name, value in known)}.")
    return "\n".join([*lines, *(f"{line[0].upper()}{line[1:]}." for line in _lines(world, seen, parts))])


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    return whole_scene(world, s) if agent is None else agent_scene(world, s, agent)
