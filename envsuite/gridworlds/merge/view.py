"""The text and the pictures of Merge."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from envsuite.kit.control import cosine, sine
from envsuite.kit.driving import bearing
from envsuite.kit.plane import distance
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, footer
from envsuite.render.theme import agent_color, agent_sign, text_on

LANES = (
    "lane 0", "lane 1", "lane 0 beside the ramp", "lane 1 beside the ramp", "the ramp beside the road",
    "lane 0 after the ramp", "lane 1 after the ramp", "the ramp", "the ramp, which comes nearer",
)  # fmt: skip

#: Meters of a unit of pictures; meters behind and before the car in the middle of them; the top and bottom of roads.
UNIT, BEHIND, BEFORE, TOP, BOTTOM = 4.0, 50.0, 110.0, -8.0, 22.0

#: The middle of the ramp, and where the obstacle stands.
RAMP_END, JOIN = 310.0, 230.0


def text(world: Any, s: Any, agent: int) -> str:
    """The text for one agent."""
    seen = world.observation(s, agent)
    x, y, heading, wanted = seen.own.tolist()
    _, _, _, across, down = seen.cars[0].tolist()
    own = 80 * distance(across, down)
    lane, target = seen.lanes.tolist()
    lines = [
        f"You are at x = {x:.1f} m, y = {y:.1f} m, on {LANES[lane]}.",
        f"Your speed is {own:.1f} m/s, your wanted speed {wanted:g} m/s.",
        f"Your heading is {math.degrees(heading):.1f} degrees to the right.",
    ]
    if lane != target:
        lines.append(f"You change to {LANES[target]}.")
    rows = [row for row in seen.cars[1:].tolist() if row[0]]
    lines.append("Near you, relative to you:" if rows else "Nobody is near you.")
    for _, there, aside, faster, _ in rows:
        place = f"{200 * there:+.1f} m in x, {8 * aside:+.1f} m in y"
        lines.append(
            f"  the obstacle: {place}" if is_obstacle(x, y, there, aside) else f"  {place}, {80 * faster:+.1f} m/s"
        )
    return "\n".join(lines)


def is_obstacle(x: float, y: float, there: float, aside: float) -> bool:
    """Whether a row of the observation is the obstacle."""
    return abs(x + 200 * there - RAMP_END) < 0.1 and abs(y + 8 * aside - 8) < 0.6


class _Frame:
    """The part of the road that a picture shows."""

    def __init__(self, x: float):
        self.left = min(max(x, 0.0), 430.0) - BEHIND
        self.right = self.left + BEHIND + BEFORE

    def at(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.left) / UNIT, (y - TOP) / UNIT

    def line(self, low: float, high: float, y: float, color: str, width: float) -> list[Shape]:
        low, high = max(low, self.left), min(high, self.right)
        return [Line([self.at(low, y), self.at(high, y)], color, width)] if low < high else []

    def box(self, low: float, high: float, top: float, bottom: float, color: str) -> list[Shape]:
        low, high = max(low, self.left), min(high, self.right)
        if low >= high:
            return []
        x, y = self.at(low, top)
        return [Rect(x, y, (high - low) / UNIT, (bottom - top) / UNIT, color)]


def _ramp(x: float) -> float:
    if x < 150.0:
        return 14.5
    return 11.25 + 3.25 * float(cosine(math.pi / 80.0 * (x - 150.0))) if x < JOIN else 8.0


def _roads(frame: _Frame) -> list[Shape]:
    """Grass, the road, the ramp, the obstacle and signs of distance."""
    shapes = [*frame.box(-1e3, 1e3, TOP, BOTTOM, "grass"), *frame.box(-1e3, 1e3, -2, 6, "wall")]
    low, high = max(frame.left, -100.0), min(frame.right, RAMP_END)
    if low < high:
        places = [*np.arange(low, high, 4.0).tolist(), high]
        above = [frame.at(x, _ramp(x) - 2) for x in places]
        below = [frame.at(x, _ramp(x) + 2) for x in reversed(places)]
        shapes.append(Polygon([*above, *below], "wall", glyph="-"))
    shapes += frame.line(-1e3, 1e3, -2, "white", 0.06)
    shapes += [*frame.line(-1e3, JOIN, 6, "white", 0.06), *frame.line(RAMP_END, 1e3, 6, "white", 0.06)]
    for low in range(-100, 700, 10):
        shapes += frame.line(low, low + 4, 2, "white@0.7", 0.06)
        if JOIN <= low < RAMP_END:
            shapes += frame.line(low, low + 4, 6, "white@0.7", 0.06)
    for low in range(0, 700, 50):
        if frame.left + 10 < low < frame.right - 10:
            shapes += [
                *frame.line(low - 0.3, low + 0.3, 17.6, "black", 0.5),
                Label(*frame.at(low, 20), f"{low} m", 0.7, "black"),
            ]
    if frame.left < RAMP_END < frame.right:
        x, y = frame.at(RAMP_END - 1, 7)
        shapes += [
            Rect(x, y, 0.5, 0.5, "orange", "black", 0.05, glyph="#"),
            Circle(x + 0.25, y + 0.25, 0.1, "black", glyph=""),
        ]
    return shapes


def _car(frame: _Frame, x: float, y: float, heading: float, color: str, sign: str) -> list[Shape]:
    """A car with a sign; its windscreen shows where the front is."""
    ahead, aside = float(cosine(heading)), float(sine(heading))

    def point(far: float, off: float) -> tuple[float, float]:
        return frame.at(x + far * ahead - off * aside, y + far * aside + off * ahead)

    corners = [point(*at) for at in ((2.5, 0.7), (2.1, 1), (-2.5, 1), (-2.5, -1), (2.1, -1), (2.5, -0.7))]
    shapes: list[Shape] = [
        Polygon(corners, color, "black", 0.05, sign or "c"),
        Polygon([point(1.6, 0.8), point(0.8, 0.8), point(0.8, -0.8), point(1.6, -0.8)], "black"),
    ]
    if sign:
        shapes.append(Label(*point(-0.9, 0), sign.rstrip("●"), 0.5, text_on(color), bold=True, terminal=False))
    return shapes


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The road around an agent, as it sees it, or around car_0 with all cars."""
    seen = None if agent is None else world.observation(s, agent)
    players = len(world.agents)
    cars: list[tuple[float, float, float, str, str]] = []
    if seen is None:
        frame = _Frame(float(s.place[0, 0]))
        for k in range(len(s.speed)):
            number = 0 if k == 0 else 1 if k == 4 and players == 2 else -1
            color, sign = (
                ("white", "m" if k == 4 else "") if number < 0 else (agent_color(number), agent_sign(number) + "●")
            )
            if s.crash[k] or s.struck[k]:
                color, sign = ("red" if number < 0 else color), "X"
            cars.append((float(s.place[k, 0]), float(s.place[k, 1]), float(s.heading[k]), color, sign))
        left = ", ".join(f"car_{a}: {float(s.speed[4 * a]):.1f} m/s" for a in range(players))
    else:
        x, y, heading, wanted = seen.own.tolist()
        frame = _Frame(x)
        number = agent or 0
        for row in seen.cars[1:][seen.cars[1:, 0] > 0]:
            far, off = x + 200 * float(row[1]), y + 8 * float(row[2])
            across, down = (row[3:] + seen.cars[0, 3:]).tolist()
            facing = float(bearing(across, down)) if across > 0.01 else 0.0
            if not is_obstacle(x, y, float(row[1]), float(row[2])):
                cars.append((far, off, facing, "white", ""))
        cars.append((x, y, heading, agent_color(number), agent_sign(number) + "●"))
        speed = 80 * distance(float(seen.cars[0, 3]), float(seen.cars[0, 4]))
        left = f"{speed:.1f} m/s, wants {wanted:g}; {LANES[int(seen.lanes[0])]}"
    scene = Scene((BEHIND + BEFORE) / UNIT, (BOTTOM - TOP) / UNIT + 1.2)
    scene.add(*_roads(frame))
    outside = [0, 0]
    for car in cars:
        if frame.left + 3 <= car[0] <= frame.right - 3:
            scene.add(*_car(frame, *car))
        else:
            outside[car[0] > frame.left + 3] += 1
    for side, count in enumerate(outside):
        if count:
            words = f"{count} behind" if side == 0 else f"{count} ahead"
            at = frame.at(frame.left + 2 if side == 0 else frame.right - 2, -5)
            scene.add(Label(*at, words, 0.7, "black", bold=True, align="left" if side == 0 else "right"))
    footer(scene, left, f"step {int(s.t)}")
    return scene
