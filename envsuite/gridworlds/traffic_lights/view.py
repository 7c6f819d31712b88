"""The text and the pictures of TrafficLights."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.page import counted
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, Shape, footer

SIDES = ("north", "east", "south", "west")
TURNS = ("left", "straight", "right")

#: Cells around a picture.
MARGIN = 1.2


def text(world: Any, s: Any, agent: int) -> str:
    """The text for one agent."""
    seen = world.observation(s, agent)
    axis, age, red = (int(number) for number in seen.light)
    green, other = ("north and south", "east and west")[axis], ("east and west", "north and south")[axis]
    lines = [f"{counted(int(seen.left[0]), 'step')} left."]
    if red:
        lines.append(f"All lights are red for {counted(red, 'more step')}; then green is for cars from {green}.")
    else:
        lines.append(f"Green for {counted(age, 'step')}: cars from {green}. Red: cars from {other}.")
        wait = int(s.params.min_green) - age
        lines.append(f"You may switch in {counted(wait, 'step')}." if wait > 0 else "You may switch now.")
    lines.append("Cars that come to you, from the stop line back (. for an empty cell, digits are speeds):")
    for side, row in enumerate(np.asarray(seen.cars)):
        cells = "".join("." if speed < 0 else str(speed) for speed in row[::-1])
        first = np.flatnonzero(row >= 0)
        turn = f"; the first goes {TURNS[seen.turns[side, first[-1]]]}" if len(first) else ""
        turn = turn.replace("goes straight", "goes straight ahead")
        outside = f"; {seen.waiting[side]} more wait outside" if seen.waiting[side] else ""
        lines.append(f"  {SIDES[side]:5} {cells}  {(row == 0).sum()} stand{turn}{outside}")
    leaving = ["out of town" if count < 0 else counted(count, "car") for count in seen.ahead]
    ahead = [f"{side} {there}" for side, there in zip(SIDES, leaving)]
    lines.append(f"Roads that leave you: {', '.join(ahead)}.")
    return "\n".join(lines)


def spot(left: float, top: float, length: int, side: int, x: float) -> tuple[float, float]:
    """The middle of cell x of a lane, whose intersection has this corner; cells after the stop line lie across it."""
    back = length - x - 0.5
    return (
        (left + 0.5, top - back),
        (left + 2 + back, top + 0.5),
        (left + 1.5, top + 2 + back),
        (left - back, top + 1.5),
    )[side]


def in_box(length: int, x: float, y: float) -> bool:
    """Whether a point of an agent's picture is in its intersection."""
    return all(MARGIN + length <= place < MARGIN + length + 2 for place in (x, y))


def _rect(a: tuple[float, float], b: tuple[float, float], half: float, color: str, glyph: str = "") -> Rect:
    """A bar from the middle of one cell to that of another."""
    left, right = sorted((a[0], b[0]))
    top, bottom = sorted((a[1], b[1]))
    flat = right - left > bottom - top
    across, down = (0.5, half) if flat else (half, 0.5)
    return Rect(left - across, top - down, right - left + 2 * across, bottom - top + 2 * down, color, glyph=glyph)


def _roads(left: float, top: float, length: int, beyond: Any) -> list[Shape]:
    """The lanes that come to an intersection, and those that leave the town."""
    shapes: list[Shape] = []
    for side in range(4):
        shapes.append(_rect(spot(left, top, length, side, 0), spot(left, top, length, side, length - 1), 0.5, "wall"))
        if beyond[side] < 0:
            over = (side + 2) % 4
            start, end = (spot(left, top, length, over, length + 2 + k) for k in (0, length - 1))
            shapes.append(_rect(start, end, 0.5, "wall"))
    shapes.append(Rect(left, top, 2, 2, "wall"))
    for side in range(4):
        a, b = (spot(left, top, length, side, x) for x in (-0.5, length - 0.5))
        off = ((0.5, 0.0), (0.0, 0.5), (-0.5, 0.0), (0.0, -0.5))[side]
        for k in range(0, length, 2):
            ends = [tuple(a[i] + (b[i] - a[i]) * (k + part) / length + off[i] for i in range(2)) for part in (0.3, 1.2)]
            shapes.append(Line(ends, "white@0.45", 0.06))
    return shapes


def _lights(left: float, top: float, length: int, axis: int, red: int) -> list[Shape]:
    """Green or red bars at the four stop lines, and a lamp behind each."""
    shapes: list[Shape] = []
    for side in range(4):
        x, y = spot(left, top, length, side, length - 0.5)
        color = "good" if side % 2 == axis and not red else "bad"
        across, down = ((0.5, 0.14), (0.14, 0.5))[side % 2]
        shapes.append(Rect(x - across, y - down, 2 * across, 2 * down, color, glyph=""))
        lamp = spot(left, top, length, side, length)
        shapes.append(Circle(*lamp, 0.2, color, "black", 0.05, glyph="+" if color == "good" else "-"))
    return shapes


def _car(x: float, y: float, side: int, speed: int, turn: int) -> list[Shape]:
    """A car with its lights: red if it stands, yellow on the side to which it turns."""
    ahead = ((0, 1), (-1, 0), (0, -1), (1, 0))[side]
    across, down = ((0.29, 0.4), (0.4, 0.29))[side % 2]
    color = "orange" if speed == 0 else "sky"
    front = x + 0.16 * ahead[0], y + 0.16 * ahead[1]
    wide, tall = ((0.42, 0.16), (0.16, 0.42))[side % 2]
    shapes: list[Shape] = [
        Rect(x - across, y - down, 2 * across, 2 * down, color, "black", 0.12, 0.03, glyph=str(speed)),
        Rect(front[0] - wide / 2, front[1] - tall / 2, wide, tall, "black", radius=0.04),
    ]
    if turn != 1:
        way = turn - 1  # to the right of the way ahead is (-ahead[1], ahead[0])
        aside = -ahead[1] * way, ahead[0] * way
        place = x + 0.3 * ahead[0] + 0.24 * aside[0], y + 0.3 * ahead[1] + 0.24 * aside[1]
        shapes.append(Circle(*place, 0.11, "yellow", "black", 0.02, glyph=""))
    return shapes


def _traffic(left: float, top: float, cars: Any, turns: Any, waiting: Any) -> list[Shape]:
    """All cars that come to an intersection, and the number that wait outside."""
    shapes: list[Shape] = []
    length = cars.shape[1]
    for side, x in np.argwhere(np.asarray(cars) >= 0).tolist():
        shapes += _car(*spot(left, top, length, side, x), side, int(cars[side, x]), int(turns[side, x]))
    for side in range(4):
        if waiting[side]:
            outside = spot(left, top, length, side, -0.85)
            shapes.append(Label(*outside, f"+{waiting[side]}", 0.7, "bad", bold=True))
    return shapes


def town_picture(s: Any, columns: int) -> Scene:
    """The whole town, for spectators."""
    lights, length = s.speed.shape[0], s.speed.shape[2]
    rows, pitch = lights // columns, s.speed.shape[2] + 2
    scene = Scene(columns * pitch + length + 2 * MARGIN, rows * pitch + length + 2 * MARGIN)
    scene.add(Rect(MARGIN, MARGIN, scene.width - 2 * MARGIN, scene.height - 2 * MARGIN, "grass", radius=0.3))
    corners = [(MARGIN + length + k % columns * pitch, MARGIN + length + k // columns * pitch) for k in range(lights)]
    for y in range(rows + 1):
        for x in range(columns + 1):
            _block(scene, MARGIN + x * pitch, MARGIN + y * pitch, length, 3 * y + 5 * x)
    for k, (left, top) in enumerate(corners):
        scene.add(*_roads(left, top, length, np.asarray(s.params.beyond)[k]))
    for k, (left, top) in enumerate(corners):
        scene.add(*_lights(left, top, length, int(s.axis[k]), int(s.red[k])))
        scene.add(*_traffic(left, top, np.asarray(s.speed)[k], np.asarray(s.turn)[k], np.asarray(s.waiting)[k]))
        scene.add(Label(left + 1, top + 1, str(k), 0.8, "white", bold=True, terminal=False))
    standing = int(np.asarray(s.standing).sum())
    footer(scene, f"step {int(s.t)} of {int(s.params.horizon)}", f"{standing} cars stand, {int(s.gone)} left the town")
    return scene


def _block(scene: Scene, left: float, top: float, size: int, number: int) -> None:
    """Houses between the roads."""
    colors, share = ("soil", "square", "floor"), (size - 1.6) / 2
    for k in range(4):
        x, y = left + 0.5 + k % 2 * (share + 0.6), top + 0.5 + k // 2 * (share + 0.6)
        if (number + k) % 3 == 0:
            scene.add(Circle(x + share / 2, y + share / 2, 0.36 * share, "leaf@0.55", glyph=""))
        else:
            scene.add(Rect(x, y, share, share, colors[(number + 2 * k) % 3], radius=0.25, glyph=""))


def own_picture(s: Any, agent: int, seen: Any) -> Scene:
    """What one agent sees: its intersection, and numbers of cars on the roads that leave it."""
    length = seen.cars.shape[1]
    size, corner = 2 * length + 2 + 2 * MARGIN, MARGIN + length
    scene = Scene(size, size)
    scene.add(Rect(MARGIN, MARGIN, size - 2 * MARGIN, size - 2 * MARGIN, "grass", radius=0.3))
    scene.add(*_roads(corner, corner, length, [-1] * 4))
    scene.add(*_lights(corner, corner, length, int(seen.light[0]), int(seen.light[2])))
    scene.add(*_traffic(corner, corner, seen.cars, seen.turns, seen.waiting))
    scene.add(Label(corner + 1, corner + 1, str(agent), 0.8, "white", bold=True, terminal=False))
    for side in range(4):
        x, y = spot(corner, corner, length, (side + 2) % 4, 2 * length + 1.5)
        count = int(seen.ahead[side])
        scene.add(Circle(x, y, 0.62, "panel", "line", 0.05, glyph=""))
        scene.add(Label(x, y, "out" if count < 0 else str(count), 0.5 if count < 0 else 0.7, bold=True))
    red, age = int(seen.light[2]), int(seen.light[1])
    left = f"all red for {red} more steps" if red else f"green for {age} steps"
    footer(scene, left, f"{int(seen.left[0])} steps left")
    return scene


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    if agent is None:
        return town_picture(s, world.parameters["columns"])
    return own_picture(s, agent, world.observation(s, agent))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    return world.action_names[agent].index("switch") if in_box(s.speed.shape[2], x, y) else None
