"""Text and pictures of Robots."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from envsuite.games.robots.tasks import tile_column, tile_row
from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene, footer
from envsuite.render.theme import agent_color, text_on

#: The letter and the name of the kinds of robots.
KINDS = {
    "discovery": (("S", "scout"), ("C", "collector")),
    "material": (("F", "fast"), ("S", "strong")),
    "warehouse": (("G", "green"), ("R", "red")),
    "arctic": (("D", "drone"), ("I", "ice robot"), ("W", "water robot")),
}

#: Words for tiles of arctic, their colors and their signs in terminals; the last is a place without a tile.
TILES = ("ground", "ice", "water", "goal", "no tile")
_FILLS = ("paper", "sky@0.35", "deep@0.7", "grass@0.7", "grey@0.5")
_SIGNS = (".", "i", "w", "g", "")

#: Units of a meter, and the middle of the arena.
_METER, _X, _Y = 5.0, 8.6, 5.6


def text(world: Any, s: Any, agent: int) -> str:
    """What an agent sees, in words."""
    seen, count, scenario = world.observation(s, agent), len(world.agents), world.scenario
    lines = []
    for row in range(count):
        x, y, cosine, sine = (float(value) for value in seen.robots[row])
        name = "You are" if row == 0 else f"{world.agents[(agent + row) % count]} is"
        words = [f"{name} at ({x:.2f}, {y:.2f}), facing {round(math.degrees(math.atan2(sine, cosine)))} degrees"]
        lines.append(", ".join(words + _traits(scenario, seen, row)) + ".")
    return "\n".join([*lines, *_task(scenario, seen, world.agents), f"Steps left: {seen.left[0]}."])


def _traits(scenario: str, seen: Any, row: int) -> list[str]:
    """What a robot is and what it carries, in words."""
    if scenario == "foraging":
        return [f"level {seen.levels[row]}"]
    kind, load = (int(value) for value in seen.duties[row])
    found = [KINDS[scenario][kind][1]] if scenario in KINDS else []
    if load:
        carried = {"warehouse": "loaded", "rware": f"with shelf {load}"}
        found.append(carried.get(scenario, f"loaded with {load} units"))
    return found


def _task(scenario: str, seen: Any, agents: list[str]) -> list[str]:
    """The places of the task, in words."""
    if scenario == "arctic":
        return _ground(seen, agents)
    places = [(f"({float(x):.2f}, {float(y):.2f})", int(number)) for x, y, number in seen.targets]
    if scenario == "navigation":
        return [f"Your goal is at {places[0][0]}."]
    if scenario == "predator":
        return [f"The prey is at {places[0][0]}."]
    if scenario == "discovery":
        known = [f"{place}{' tagged' if state == 2 else ''}" for place, state in places if state]
        return [f"Sensed landmarks: {', '.join(known) or 'none'}; {6 - len(known)} are not sensed yet."]
    if scenario == "material":
        return [f"Units left: {places[0][1]} within 0.35 m of (0, 0), {places[1][1]} where x > 1.1."]
    if scenario == "foraging":
        left = [f"level {level} at {place}" for place, level in places if level]
        return [f"Resources left: {', '.join(left) or 'none'}."]
    if scenario == "rware":
        cells = [f"{f'shelf {shelf}' if shelf else 'no shelf'} at {place}" for place, shelf in places]
        asked = ", ".join(str(int(shelf)) for shelf in seen.requests)
        return [f"Cells: {'; '.join(cells)}.", f"Requested shelves: {asked}."]
    return []


def _ground(seen: Any, agents: list[str]) -> list[str]:
    """The tiles that are known in arctic."""
    lines = [f"You are on {TILES[int(seen.tile[0])]}."]
    for name, tiles in zip(agents, seen.around, strict=False):
        rows = ["  " + ", ".join(TILES[int(k)] for k in row) for row in tiles]
        lines += [f"The tiles around {name}, from the top, from the left:", *rows]
    return lines


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The arena as an agent knows it, or, for spectators, with all goals, landmarks and tiles."""
    scenario, count = world.scenario, len(world.agents)
    seen = world.observation(s, agent or 0)
    drawn = Scene(2 * _X, 2 * _Y)
    drawn.add(Rect(_X - 8, _Y - 5, 16, 10, "paper", "ink", 0.08))
    if scenario in ("material", "warehouse"):
        _zones(drawn, scenario, seen)
    elif scenario == "arctic":
        _tiles(drawn, s, agent, count)
    elif scenario == "foraging":
        _resources(drawn, seen)
    elif scenario == "rware":
        _shelves(drawn, seen)
    elif scenario == "navigation":
        for k in range(count) if agent is None else [agent]:
            x, y = _at(s.targets[k])
            drawn.add(
                Circle(x, y, 0.5, None, agent_color(k), 0.12, f"{k}x"),
                Label(x, y, str(k), 0.5, bold=True, terminal=False),
            )
    elif scenario == "discovery":
        _landmarks(drawn, s, agent)
    for row in range(count):
        a = ((agent or 0) + row) % count
        if scenario == "foraging":
            letter, mark = "", int(seen.levels[row])
        else:
            letter = KINDS[scenario][int(seen.duties[row, 0])][0] if scenario in KINDS else ""
            mark = int(seen.duties[row, 1])
        _robot(drawn, a, seen.robots[row], letter, mark)
    if scenario == "predator":
        x, y = _at(seen.targets[0])
        near = (np.hypot(*(seen.robots[:, :2] - seen.targets[0, :2]).T) < 0.2).any()
        drawn.add(Circle(x, y, 0.35, "red" if near else "leaf", "ink", 0.05, "P"))
        drawn.add(Label(x, y, "P", 0.4, "white", bold=True, terminal=False))
    footer(drawn, _note(scenario, seen, s, agent), f"step {s.t} of {s.t + int(seen.left[0])}", margin=0.6)
    return drawn


def _note(scenario: str, seen: Any, s: Any, agent: int | None) -> str:
    if scenario == "discovery":
        known = int((seen.targets[:, 2] > 0).sum())
        return f"{known} of 6 sensed (!), {int((seen.targets[:, 2] == 2).sum())} tagged (+)"
    if scenario == "rware":
        return f"requested: {', '.join(str(int(shelf)) for shelf in seen.requests)}"
    if agent is None and s.violated.any():
        return "collision" if s.violated[0] else "a robot is outside"
    return ""


def _landmarks(drawn: Scene, s: Any, agent: int | None) -> None:
    """Landmarks of discovery; an agent sees those that are sensed."""
    for place, state in zip(s.targets, s.found, strict=True):
        if state or agent is None:
            x, y = _at(place)
            sign = "?!+"[state]
            drawn.add(
                Rect(x - 0.3, y - 0.3, 0.6, 0.6, ("paper", "gold", "grass")[state], "ink", 0.05, 0.1, sign),
                Label(x, y, sign, 0.5, text_on(("paper", "gold", "grass")[state]), bold=True, terminal=False),
            )


def _tiles(drawn: Scene, s: Any, agent: int | None, count: int) -> None:
    """Tiles of arctic; an agent sees its own and those around the drones, and the rows of the goal and the start."""
    rows, columns = s.terrain.shape
    at = [(int(tile_row(s, a)), int(tile_column(s, a))) for a in range(count)]
    for i in range(rows):
        for j in range(columns):
            near = any(abs(i - row) < 2 and abs(j - column) < 2 for row, column in at[: (count + 1) // 2])
            known = agent is None or near or i in (0, rows - 1) or at[agent] == (i, j)
            tile = int(s.terrain[i, j]) if known else 4
            x, y = _X - 7.5 + 1.25 * j, _Y - 5 + 1.25 * i
            drawn.add(Rect(x, y, 1.25, 1.25, _FILLS[tile], "line", 0.03, glyph=_SIGNS[tile]))
    drawn.add(Rect(_X - 8, _Y - 5, 16, 10, None, "ink", 0.08))


def _resources(drawn: Scene, seen: Any) -> None:
    """Resources of foraging that are left, each in the circle in which robots forage it."""
    for place in seen.targets:
        if place[2] > 0:
            x, y = _at(place)
            drawn.add(Circle(x, y, 0.3 * _METER, "leaf@0.2", "leaf", 0.04, ""))
            drawn.add(Circle(x, y, 0.45, "leaf", "ink", 0.04, str(int(place[2]))))
            drawn.add(Label(x, y, str(int(place[2])), 0.5, "white", bold=True, terminal=False))


def _shelves(drawn: Scene, seen: Any) -> None:
    """Cells of rware with their shelves, requested ones in gold, and the end where robots deliver."""
    right, asked = _X + 5.5, set(seen.requests.tolist())
    drawn.add(Rect(right, _Y - 5, 2.5, 10, "grass@0.35"), Label(right + 1.25, _Y - 4.4, "deliver", 0.5))
    for place in seen.targets:
        (x, y), shelf = _at(place), int(place[2])
        drawn.add(Rect(x - 0.625, y - 0.625, 1.25, 1.25, "panel", "line", 0.05, glyph="[]"))
        if shelf:
            fill = "gold" if shelf in asked else "grey"
            drawn.add(
                Rect(x - 0.45, y - 0.45, 0.9, 0.9, fill, "ink", 0.05, 0.1, f"{shelf}{'!' if shelf in asked else ' '}")
            )
            drawn.add(Label(x, y, str(shelf), 0.5, text_on(fill), bold=True, terminal=False))


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
    return _X + _METER * x, _Y - _METER * y
