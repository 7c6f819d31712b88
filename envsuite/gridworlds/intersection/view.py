"""The text and the pictures of Intersection."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from envsuite.gridworlds.intersection.roads import ARM, ARMS, lane_at, length_of, place_on, spot, turn_of
from envsuite.kit.driving import bearing
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, footer
from envsuite.render.theme import agent_color, agent_sign, text_on

TURNS = ("", "left", "straight ahead", "right")
COMPASS = ("east", "south-east", "south", "south-west", "west", "north-west", "north", "north-east")

#: Meters of a unit of pictures, meters from the middle to their edges, and the middle.
UNIT, REACH = 4.0, 56.0
MIDDLE = REACH / UNIT


def text(world: Any, s: Any, agent: int) -> str:
    """The text for one agent."""
    name = world.agents[agent]
    seen = world.observation(s, agent)
    arm, out, way, speed, wanted = seen.agents[0].tolist()
    turn = int(turn_of(int(arm), int(out)))
    section, along = place_on(int(arm), int(out), way)
    road = ("on the approach, {:.1f} m before the crossing", "on the crossing, {:.1f} m before its end")
    place = f"on the exit, {along:.1f} m after the crossing"
    if section < 2:
        kind, _ = lane_at(int(arm), int(out), section)
        place = road[section].format(length_of(kind) - along)
    lines = [
        f"You are {name}. You come from the {ARMS[int(arm)]} and go {TURNS[turn]}, to the {ARMS[int(out)]}.",
        f"You are {place}. Your speed is {speed:.1f} m/s, your wanted speed {wanted:g} m/s.",
        f"{int(seen.left[0])} steps are left.",
    ]
    own, number = int(name.rpartition("_")[2]), len(seen.agents)
    for row in range(1, number):
        arm, out, way, speed, wanted = seen.agents[row].tolist()
        other = f"car_{(own + row) % number}"
        lines.append(
            f"{other}, an agent, comes from the {ARMS[int(arm)]} and goes to the {ARMS[int(out)]}: "
            f"{way:.1f} m of its path, where 100 m are the approach; {speed:.1f} m/s, wanted {wanted:g} m/s."
        )
    cars = [row for row in seen.cars[1:].tolist() if row[0]]
    lines.append(
        "Cars near your lane, agents included, in meters east and south of the middle:" if cars else "No cars."
    )
    for _, x, y, east, south, cosine, sine in cars:
        facing = COMPASS[round(4 * float(bearing(cosine, sine)) / math.pi) % 8]
        fast = 20 * (east * cosine + south * sine)
        lines.append(f"  ({100 * x:.1f}, {100 * y:.1f}) facing {facing}, {fast:.1f} m/s")
    return "\n".join(lines)


def _at(x: float, y: float) -> tuple[float, float]:
    return MIDDLE + x / UNIT, MIDDLE + y / UNIT


def _box(left: float, top: float, right: float, bottom: float, color: str) -> Rect:
    x, y = _at(left, top)
    return Rect(x, y, (right - left) / UNIT, (bottom - top) / UNIT, color)


def _roads(scene: Scene) -> None:
    """Grass, roads, and the marks on them: those that must give way have triangles."""
    scene.add(_box(-REACH, -REACH, REACH, REACH, "grass"))
    scene.add(_box(-4, -REACH, 4, REACH, "wall"), _box(-REACH, -4, REACH, 4, "wall"), _box(-11, -11, 11, 11, "wall"))
    for x in (-11, 11):
        for y in (-11, 11):
            scene.add(Circle(*_at(x, y), 7 / UNIT, "grass", glyph=""))
    for arm in range(4):
        for near in range(12, int(REACH) - 5, 8):
            ends = [_turned(0, far, arm) for far in (near + 1, near + 5)]
            scene.add(Line(ends, "white@0.6", 0.06))
        scene.add(Line([_turned(0.3, 11, arm), _turned(3.9, 11, arm)], "white", 0.1))
        if arm % 2 == 0:
            for aside in (1, 2.5):
                points = [
                    _turned(aside - 0.5, 13.5, arm),
                    _turned(aside + 0.9, 13.5, arm),
                    _turned(aside + 0.2, 12, arm),
                ]
                scene.add(Polygon(points, "white@0.8"))


def _turned(x: float, y: float, quarters: int) -> tuple[float, float]:
    """The point of the picture after quarter turns from south to west."""
    for _ in range(quarters):
        x, y = -y, x
    return _at(x, y)


def _car(scene: Scene, x: float, y: float, cosine: float, sine: float, color: str, sign: str) -> None:
    """A car with a sign; its windscreen shows where the front is."""

    def point(ahead: float, aside: float) -> tuple[float, float]:
        return _at(x + ahead * cosine - aside * sine, y + ahead * sine + aside * cosine)

    corners = [point(*at) for at in ((2.5, 0.7), (2.1, 1), (-2.5, 1), (-2.5, -1), (2.1, -1), (2.5, -0.7))]
    scene.add(Polygon(corners, color, "black", 0.05, sign or "c"))
    scene.add(Polygon([point(1.6, 0.8), (point(0.8, 0.8)), point(0.8, -0.8), point(1.6, -0.8)], "black"))
    if sign:
        at = point(-0.9, 0)
        scene.add(Label(*at, sign.rstrip("●"), 0.5, text_on(color), bold=True, terminal=False))


def _path(scene: Scene, a: int, arm: int, out: int, way: float) -> None:
    """The path of an agent that is still ahead, up to the place where it has arrived."""
    end = ARM + float(length_of(turn_of(arm, out))) + 25.0
    points = []
    for at in np.arange(way, end, 1.0).tolist():
        section, along = place_on(arm, out, at)
        x, y, _, _ = spot(*lane_at(arm, out, section), along)
        points.append(_at(float(x), float(y)))
    inside = [point for point in points if all(0 <= part <= 2 * MIDDLE for part in point)]
    if len(inside) > 1:
        scene.add(
            Line(inside, f"{agent_color(a)}@0.7", 0.16),
            Circle(*inside[-1], 0.28, agent_color(a), "black", 0.04, f"{a}x"),
        )


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The crossing, as an agent sees it or with all cars; numbers beside the arms count cars outside."""
    seen = None if agent is None else world.observation(s, agent)
    players = len(world.agents)
    scene = Scene(2 * MIDDLE, 2 * MIDDLE + 1.2)
    _roads(scene)
    cars: list[tuple[float, float, float, float, str, str]] = []
    if seen is None:
        paths = [(int(s.arm[a]), int(s.exit[a]), float(s.way[a])) for a in range(players)]
    else:
        rows = [seen.agents[(a - (agent or 0)) % players].tolist() for a in range(players)]
        paths = [(int(row[0]), int(row[1]), row[2]) for row in rows]
    for a, path in enumerate(paths):
        _path(scene, a, *path)
    if seen is None:
        for k in range(int(s.count)):
            color, sign = ("white", "") if k >= players else (agent_color(k), agent_sign(k) + "●")
            if s.crash[k]:
                color, sign = "red" if k >= players else color, "X"
            elif s.yields[k]:
                color, sign = "yellow", "y"
            cars.append((float(s.x[k]), float(s.y[k]), float(s.cosine[k]), float(s.sine[k]), color, sign))
    else:
        places = []
        for a, (arm, out, way) in enumerate(paths):
            section, along = place_on(arm, out, way)
            places.append((a, spot(*lane_at(arm, out, section), along)))
        for row in seen.cars[seen.cars[:, 0] > 0].tolist():
            color, sign = "white", ""
            for a, (x, y, _, _) in places:
                if abs(100 * row[1] - x) + abs(100 * row[2] - y) < 0.1:
                    color, sign = agent_color(a), agent_sign(a) + "●"
            cars.append((100 * row[1], 100 * row[2], row[5], row[6], color, sign))
    outside = [0, 0, 0, 0]
    for car in cars:
        x, y = car[0], car[1]
        if max(abs(x), abs(y)) <= REACH - 2.5:
            _car(scene, *car)
        else:
            outside[(0 if y > 0 else 2) if abs(y) > abs(x) else (1 if x < 0 else 3)] += 1
    for arm, (x, y) in enumerate(((6, 53), (-55, -7), (6, -53), (55, -7))):
        words = ARMS[arm] + (f" +{outside[arm]}" if outside[arm] else "")
        scene.add(Label(*_at(x, y), words, 0.8, "black", align="right" if x == 55 else "left"))
    if seen is None:
        wrecks = sum(int(crash) > 0 for crash in s.crash[: int(s.count)])
        left = f"{int(s.count) - players} other cars" + (f", {wrecks} wrecks" if wrecks else "")
    else:
        left = f"{float(seen.agents[0, 3]):.1f} m/s, wants {float(seen.agents[0, 4]):g}"
    steps = int(s.t) if seen is None else int(s.params.duration) - int(seen.left[0])
    footer(scene, left, f"step {steps} of {int(s.params.duration)}")
    return scene
