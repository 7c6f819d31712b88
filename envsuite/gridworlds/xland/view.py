"""The text and the picture of XLand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.gridworlds.xland import levels
from envsuite.gridworlds.xland.rules import FORWARD, LEFT, MARGIN, MIDDLE, RIGHT, VIEW
from envsuite.kit.grid import NORTH, steps
from envsuite.render import scene as pictures
from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene, Shape
from envsuite.render.theme import agent_color

if TYPE_CHECKING:
    from envsuite.gridworlds.xland import XLand

FACINGS = ("east", "south", "west", "north")
GLYPHS = {
    levels.EMPTY: " ", levels.FLOOR: ".", levels.WALL: "#", levels.BALL: "o", levels.SQUARE: "s",
    levels.PYRAMID: "p", levels.GOAL: "g", levels.KEY: "k", levels.LOCKED: "L", levels.CLOSED: "D",
    levels.OPEN: "/", levels.HEX: "h", levels.STAR: "*",
}  # fmt: skip

#: The side of a map or view in a picture, and the corner of the list of rules.
_SIDE, _LEFT, _TOP = 10.0, 0.5, 1.5


def tile_of(pair: Any) -> int:
    """The tile of two numbers of an observation."""
    return int(pair[0]) + levels.SHADE * int(pair[1])


def known_goal(seen: Any, several: bool) -> str:
    """The goal that an observation tells, in words; "" for none."""
    if not seen.goal.any():
        return ""
    rows = seen.goal.tolist()
    if not several:
        kind, place = rows[0][0], rows[0][5] + levels.LARGEST * rows[0][6]
        a, b = tile_of(rows[0][1:3]), tile_of(rows[0][3:5])
        return levels.goal_of((kind, place if kind == levels.PLAYER_AT else a, place if kind == levels.TILE_AT else b))
    clauses = []
    for k in range(levels.CLAUSES):
        parts = []
        for kind, negated, *things, _ in rows[levels.LITERALS * k : levels.LITERALS * (k + 1)]:
            x, y = (pair[1] if pair[0] > levels.STAR else tile_of(pair) for pair in (things[:2], things[2:]))
            parts += [levels.literal_in_words((kind, negated, x, y))] * bool(kind)
        clauses += [" and ".join(parts)] * bool(parts)
    return levels.goal_in_words(clauses)


def known_rules(seen: Any) -> list[str]:
    """The rules that an observation tells, in words."""
    rows = [row for row in seen.rules.tolist() if row[0]]
    return [levels.rule_in_words((row[0], *(tile_of(row[k : k + 2]) for k in (1, 3, 5)))) for row in rows]


def where(row: int, column: int) -> str:
    """A place of the view in words: ``2 ahead 1 left``."""
    return " ".join(steps(row - VIEW + 1, column - MIDDLE, ("behind", "ahead", "right", "left")))


def text(world: XLand, s: Any, agent: int) -> str:
    seen, several = world.observation(s, agent), len(s.cell) > 1
    lines = [f"You are player_{agent}."] if several else []
    if seen.trial[1] > 1:
        lines.append(f"Trial {min(seen.trial[0] + 1, seen.trial[1])} of {seen.trial[1]}.")
    lines.append(f"Step {seen.clock[0]} of {seen.clock[1]}.")
    goal = known_goal(seen, several)
    lines.append(f"Goal: {goal}." if goal else "Nobody tells you the goal.")
    if world.parameters["told"] == "rules":
        lines += [f"Rule: {rule}." for rule in known_rules(seen)]
    pocket = tile_of(seen.pocket)
    held = (
        f"hold {levels.tile_name(pocket) if pocket else 'nothing'}"
        if world.parameters["pocket"]
        else "do not see your hands"
    )
    lines.append(f"You face {FACINGS[int(seen.direction)]} and {held}.")
    lines.append(f"You see: {'; '.join(_things(seen, several)) or 'no thing'}.")
    lines.append(
        "Your view (you are ^, ahead is up; # wall, . floor, D closed door, / open door, o ball, blank outside):"
    )
    for row in range(VIEW):
        letters = [GLYPHS[int(kind)] for kind in seen.image[row, :, 0]]
        if row == VIEW - 1:
            letters[MIDDLE] = "^"
        lines.append(f"  {' '.join(letters)}".rstrip())
    if s.terminated[agent] or s.truncated[agent]:
        lines.append("You reached the goal." if s.terminated[agent] else "The time is over.")
    return "\n".join(lines)


def _things(seen: Any, several: bool) -> list[str]:
    """The things and players in view, the nearest first."""
    found = []
    places = sorted(np.ndindex(VIEW, VIEW), key=lambda at: (VIEW - 1 - at[0] + abs(at[1] - MIDDLE), at))
    for row, column in places:
        way = where(row, column)
        tile = tile_of(seen.image[row, column])
        if tile & levels.KIND not in (levels.EMPTY, levels.FLOOR, levels.WALL):
            name = (
                f"{levels.COLORS[tile // levels.SHADE]} door, {_STATES[tile & levels.KIND]},"
                if tile & levels.KIND in _STATES
                else levels.tile_name(tile)
            )
            found.append(f"{name} {way or 'under you'}".replace(", ,", ","))
        if several and seen.image[row, column, 2] and way:
            number, facing = divmod(int(seen.image[row, column, 2]) - 1, 4)
            found.append(f"player_{number} {way}, facing {('ahead', 'right', 'back', 'left')[facing]}")
    return found


_STATES = {levels.LOCKED: "locked", levels.CLOSED: "closed", levels.OPEN: "open"}


def scene(world: XLand, s: Any, agent: int | None = None) -> Scene:
    """The map, or what a player sees, beside the goal and the rules."""
    scene, several = Scene(21.5, 12.0), len(s.cell) > 1
    if agent is None:
        _draw_map(scene, s)
        level = levels.write_ruleset(s.level)
        goals = [levels.goal_in_words(goal) for goal in level["goals"]] if several else [level["goal"]]
        rules = level["rules"]
    else:
        seen = world.observation(s, agent)
        _draw_view(scene, seen, agent)
        goals, rules = [known_goal(seen, several) or "not told"], known_rules(seen)
        if world.parameters["told"] != "rules":
            rules = ["not told"]
    trials = (
        f"trial {min(int(s.trial) + 1, int(s.params.trials))} of {s.params.trials} · " if s.params.trials > 1 else ""
    )
    scene.add(Label(_LEFT, 0.8, "XLand", 0.65, align="left", bold=True))
    scene.add(Label(21.0, 0.8, f"{trials}{s.clock} / {s.params.steps}", 0.5, "muted", "right"))
    top, size = _TOP, _letters(goals)
    for k, goal in enumerate(goals):
        number = k if agent is None else agent
        hidden = agent is not None and not world.parameters["pocket"]
        top = _draw_player(scene, number, goal, size, levels.EMPTY if hidden else int(s.pocket[number]), hidden, top)
    top += 0.4
    scene.add(Label(11.2, top, "rules", 0.4, "muted", "left"))
    size = min(0.4, (11.2 - top) / (1.45 * max(1, len(rules))))
    for n, rule in enumerate(rules or ["none"]):
        scene.add(Label(11.2, top + 0.3 + size + 1.45 * size * n, rule, size, align="left", width=10.2))
    return scene


def _letters(goals: list[str]) -> float:
    """The size of letters at which these goals leave room for the rules."""
    sizes = (0.42, 0.36, 0.3, 0.26, 0.22)
    fits = (size for size in sizes if sum(_height(goal, size) + 0.2 for goal in goals) < 7.5)
    return next(fits, sizes[-1])


def _height(goal: str, size: float) -> float:
    return max(1.2, 0.5 + 1.3 * size * len(pictures.wrap(goal, 7.8, size)))


def _draw_player(scene: Scene, k: int, goal: str, size: float, held: int, hidden: bool, top: float) -> float:
    """A player's goal and what it holds, from a height on; the height below."""
    lines, height = pictures.wrap(goal, 7.8, size), _height(goal, size)
    middle = top + height / 2
    scene.add(Rect(11.0, top, 10.0, height, "panel", agent_color(k), 0.06, 0.2))
    for n, line in enumerate(lines):
        y = middle + 1.3 * size * (n - (len(lines) - 1) / 2)
        scene.add(Label(11.3, y, line, size, align="left"))
    scene.add(Rect(19.9, middle - 0.45, 0.9, 0.9, "floor", "line", radius=0.12))
    if hidden:
        scene.add(Label(20.35, middle, "?", 0.5, "black"))
    elif held:
        scene.add(*thing(held, 20.35, middle, 0.85))
    return top + height + 0.2


def _draw_map(scene: Scene, s: Any) -> None:
    size = int(s.params.size)
    side, cell = size + 2 * MARGIN, _SIDE / size
    tiles = s.grid.reshape(side, side)[MARGIN : MARGIN + size, MARGIN : MARGIN + size]
    scene.add(*pictures.grid(_LEFT, _TOP, size, size, cell))
    for y, x in np.ndindex(size, size):
        scene.add(*thing(int(tiles[y, x]), _LEFT + (x + 0.5) * cell, _TOP + (y + 0.5) * cell, cell))
    for k in range(len(s.cell)):
        y, x = divmod(int(s.cell[k]), side)
        x, y = _LEFT + (x - MARGIN + 0.5) * cell, _TOP + (y - MARGIN + 0.5) * cell
        scene.add(*pictures.avatar(x, y, int(s.facing[k]), agent_color(k), cell, str(k) if len(s.cell) > 1 else ""))


def _draw_view(scene: Scene, seen: Any, agent: int) -> None:
    cell, several = _SIDE / VIEW, seen.image.shape[2] > 2
    scene.add(*pictures.grid(_LEFT, _TOP, VIEW, VIEW, cell))
    for row, column in np.ndindex(VIEW, VIEW):
        x, y = _LEFT + (column + 0.5) * cell, _TOP + (row + 0.5) * cell
        tile = tile_of(seen.image[row, column])
        if tile == levels.EMPTY:
            scene.add(Rect(x - cell / 2, y - cell / 2, cell, cell, "shadow"))
        scene.add(*thing(tile, x, y, cell))
        if several and seen.image[row, column, 2]:
            number, facing = divmod(int(seen.image[row, column, 2]) - 1, 4)
            scene.add(*pictures.avatar(x, y, (NORTH + facing) % 4, agent_color(number), cell, str(number)))
    if not several:
        x, y = _LEFT + (MIDDLE + 0.5) * cell, _TOP + (VIEW - 0.5) * cell
        scene.add(*pictures.avatar(x, y, NORTH, agent_color(agent), cell))
    scene.add(Label(_LEFT, 11.75, f"ahead is up; facing {FACINGS[int(seen.direction)]}", 0.36, "muted", "left"))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """The action that a point of the picture of a view means."""
    column = math.floor((x - _LEFT) * VIEW / _SIDE)
    if not (0 <= column < VIEW and _TOP <= y < _TOP + _SIDE):
        return None
    return FORWARD if column == MIDDLE else LEFT if column < MIDDLE else RIGHT


def thing(tile: int, x: float, y: float, size: float) -> list[Shape]:
    """The shapes of a tile around (x, y)."""
    kind, color = tile & levels.KIND, levels.COLORS[tile // levels.SHADE]
    color = "muted" if color == "none" else color
    edge = "line" if color in ("white", "yellow") else None
    if kind == levels.WALL:
        return [Rect(x - size / 2, y - size / 2, size, size, "wall" if color == "grey" else color, glyph="#")]
    if kind == levels.FLOOR and color not in ("black", "muted"):
        return [Rect(x - size / 2, y - size / 2, size, size, f"{color}@0.3")]
    if kind in _STATES:
        return pictures.door(x, y, color, _STATES[kind], size)
    if kind == levels.KEY:
        return pictures.key(x, y, color, size)
    if kind == levels.BALL:
        return [Circle(x, y, 0.3 * size, color, edge, 0.04 * size, glyph="o●")]
    if kind == levels.SQUARE:
        half = 0.28 * size
        return [Rect(x - half, y - half, 2 * half, 2 * half, color, edge, 0.04 * size, glyph="s●")]
    if kind == levels.GOAL:
        half = 0.44 * size
        inner = 0.3 * size
        return [
            Rect(x - half, y - half, 2 * half, 2 * half, color, edge, 0.04 * size, 0.1 * size, glyph="g●"),
            Rect(x - inner, y - inner, 2 * inner, 2 * inner, "floor", radius=0.06 * size),
            Rect(x - 0.14 * size, y - 0.14 * size, 0.28 * size, 0.28 * size, color, radius=0.04 * size),
        ]
    if kind in (levels.PYRAMID, levels.HEX, levels.STAR):
        return [Polygon(_outline(kind, x, y, size), color, edge, 0.04 * size, glyph=f"{GLYPHS[kind]}●")]
    return []


def _outline(kind: int, x: float, y: float, size: float) -> list[tuple[float, float]]:
    """The corners of a pyramid, hex or star."""
    count = {levels.PYRAMID: 3, levels.HEX: 6, levels.STAR: 10}[kind]
    points = []
    for k in range(count):
        radius = size * (0.36 if kind != levels.STAR or k % 2 == 0 else 0.15)
        turn = 2 * math.pi * k / count - math.pi / 2
        points.append(
            (x + radius * math.cos(turn), y + 0.06 * size * (kind == levels.PYRAMID) + radius * math.sin(turn))
        )
    return points
