"""Crafter in words and pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.generators import terrain
from envsuite.generators.terrain import diamond
from envsuite.gridworlds.crafter import rules
from envsuite.gridworlds.crafter.rules import COLUMNS, ENERGY, ITEMS, LEFT, ROWS, UP
from envsuite.kit.grid import DX, DY, NORTH, steps
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, apple, avatar
from envsuite.render.theme import agent_color

_WORDS = ("east", "south", "west", "north")


def text(world: Any, s: Any, agent: int) -> str:
    p, seen, light = s.players[agent], world.observation(s, agent), rules.daylight(s)
    ground, things = seen.materials, seen.objects
    front = UP + DY[p.facing], LEFT + DX[p.facing]
    vitals = ", ".join(f"{item} {p.inventory[k]}" for k, item in enumerate(ITEMS[: ENERGY + 1]))
    held = [
        f"{item.replace('_', ' ')} {n}" for item, n in zip(ITEMS[rules.SAPLING :], p.inventory[rules.SAPLING :]) if n
    ]
    nearby: dict[str, str] = {}
    for i, j in sorted(np.ndindex(ROWS, COLUMNS), key=lambda at: abs(at[0] - UP) + abs(at[1] - LEFT)):
        if (i, j) == (UP, LEFT) or not ground[i, j]:
            continue
        where = " ".join(reversed(steps(i - UP, j - LEFT)))
        if things[i, j]:
            nearby[f"{_name(world, things[i, j])} {where}"] = ""
        elif terrain.MATERIALS[ground[i, j]] not in nearby:
            nearby[terrain.MATERIALS[ground[i, j]]] = f" {where}"
    ahead = _name(world, things[front]) if things[front] else terrain.MATERIALS[ground[front]]
    return "\n".join(
        [
            f"You are asleep, facing {_WORDS[p.facing]}." if p.sleeping else f"You face {_WORDS[p.facing]}.",
            f"In front of you: {ahead}.",
            f"It is {'day' if light > 0.6 else 'dusk' if light > 0.3 else 'night'}.",
            f"Vitals, of {rules.MOST}: {vitals}.",
            f"You carry: {', '.join(held) if held else 'nothing'}.",
            f"In view, the nearest of each ground: {'; '.join(a + b for a, b in nearby.items())}.",
        ]
    )


def _name(world: Any, thing: int) -> str:
    """A thing's code in words."""
    name, facing, a = _decoded(thing)
    if name == "player":
        return f"{world.agents[a]} ({'asleep' if facing == rules.ASLEEP else 'facing ' + _WORDS[facing]})"
    return f"arrow flying {_WORDS[facing]}" if name == "arrow" else name


def _decoded(thing: int) -> tuple[str, int, int]:
    """The name of a code's thing, its facing (or ASLEEP) and a player's number."""
    if thing >= rules.PLAYER:
        a, facing = divmod(thing - rules.PLAYER, 5)
        return "player", facing, a
    if thing >= rules.ARROW:
        return "arrow", thing - rules.ARROW, 0
    return ("", "cow", "zombie", "skeleton", "plant", "ripe plant")[thing], 0, 0


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    if agent is None and len(world.agents) == 1:
        scene = Scene(21, 14.4, background="panel")
        _panel(scene, s, 0, 0.0, 0.0, 21, 13)
        done = int((s.players[0].achievements > 0).sum())
        told = f"step {int(s.t)}   {done} of {len(rules.ACHIEVEMENTS)} unlocked"
        scene.add(Label(20.7, 13.7, told, 0.5, "muted", align="right"))
        return scene
    shown = range(len(world.agents)) if agent is None else [agent]
    columns = int(np.ceil(np.sqrt(len(shown))))
    lines = -(-len(shown) // columns)
    scene = Scene(columns * (COLUMNS + 0.4) - 0.4, lines * (ROWS + 2.4) - 0.4, background="panel")
    for k, a in enumerate(shown):
        _panel(scene, s, a, k % columns * (COLUMNS + 0.4), k // columns * (ROWS + 2.4), COLUMNS, ROWS)
    return scene


def _window(s: Any, p: Any, columns: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Ground and things around a player; 0 outside of the map."""
    left, top = int(p["x"]) - columns // 2, int(p["y"]) - rows // 2
    reach = max(columns, rows)
    inside = slice(top + reach, top + reach + rows), slice(left + reach, left + reach + columns)
    cut = slice(rules.MARGIN, -rules.MARGIN), slice(rules.MARGIN, -rules.MARGIN)
    return np.pad(s.ground[cut], reach)[inside], np.pad(s.things[cut], reach)[inside]


def _panel(scene: Scene, s: Any, agent: int, left: float, top: float, columns: int, rows: int) -> None:
    """The player's surroundings, darker at night, and its inventory below."""
    p = s.players[agent]
    ground, things = _window(s, p, columns, rows)
    scene.add(*terrain.ground_shapes(ground, left, top, (int(p.x) - columns // 2, int(p.y) - rows // 2)))
    for y, x in np.argwhere(things):
        scene.add(*thing(*_decoded(int(things[y, x])), left + x + 0.5, top + y + 0.5))
    dark = 0.62 * (1.0 - rules.daylight(s))
    if dark > 0.01:
        scene.add(Rect(left, top, columns, rows, f"shadow@{dark:.2f}"))
    if p.sleeping:
        scene.add(Rect(left, top, columns, rows, "shadow@0.45"))
    if s.terminated[agent]:
        scene.add(Rect(left, top, columns, rows, "shadow@0.6"))
        scene.add(Label(left + columns / 2, top + rows / 2, f"{s.t} steps survived", 0.7, "white"))
    slots = [(k, int(n)) for k, n in enumerate(p.inventory) if n or k <= ENERGY]
    each = COLUMNS if columns == COLUMNS else len(ITEMS)
    for place, (k, n) in enumerate(slots):
        x, y = left + 0.95 * (place % each) + 0.5, top + rows + 0.6 + place // each * 0.9
        scene.add(*item(ITEMS[k], x, y, 0.7))
        scene.add(Label(x + 0.34, y + 0.2, str(n), 0.42, "ink" if n or k > ENERGY else "bad", bold=True))


def thing(name: str, facing: int, number: int, x: float, y: float) -> list[Shape]:
    """A creature, plant, arrow or player around (x, y); a player without a facing lies."""
    if name == "player":
        if facing > NORTH:
            lying = [Rect(x - 0.42, y - 0.1, 0.84, 0.36, agent_color(number), radius=0.16, glyph="z●")]
            return [
                *lying,
                Circle(x - 0.28, y - 0.02, 0.2, "soil", "black", glyph=""),
                Label(x + 0.2, y - 0.3, "z", 0.5, "white"),
            ]
        return avatar(x, y, facing, agent_color(number))
    if name == "arrow":
        dx, dy = int(DX[facing]), int(DY[facing])
        tip = [(x + 0.42 * dx, y + 0.42 * dy)]
        head = [(x + 0.16 * dx + 0.15 * side * dy, y + 0.16 * dy + 0.15 * side * dx) for side in (-1, 1)]
        shaft = Line([(x - 0.4 * dx, y - 0.4 * dy), (x + 0.2 * dx, y + 0.2 * dy)], "brown", 0.08)
        return [shaft, Polygon(tip + head, "black", glyph="*")]
    if name == "cow":
        return [
            Rect(x - 0.26, y + 0.1, 0.1, 0.28, "white"),
            Rect(x + 0.2, y + 0.1, 0.1, 0.28, "white"),
            Rect(x - 0.34, y - 0.2, 0.7, 0.42, "white", "brown", 0.03, 0.1, glyph="C"),
            Circle(x + 0.14, y - 0.02, 0.12, "brown", glyph=""),
            Rect(x - 0.46, y - 0.34, 0.28, 0.3, "brown", radius=0.08),
            Circle(x - 0.36, y - 0.22, 0.04, "white", glyph=""),
        ]
    if name in ("zombie", "skeleton"):
        undead = name == "zombie"
        skin = "green" if undead else "white"
        body: list[Shape] = [
            Rect(x - 0.22, y - 0.02, 0.44, 0.42, "deep" if undead else "wall", radius=0.08),
            Rect(x - 0.24, y - 0.44, 0.48, 0.44, skin, "black", 0.03, 0.1, glyph="Z" if undead else "S"),
            Circle(x - 0.1, y - 0.24, 0.055, "black", glyph=""),
            Circle(x + 0.1, y - 0.24, 0.055, "black", glyph=""),
        ]
        if undead:
            return [*body, Rect(x - 0.4, y, 0.18, 0.12, skin), Rect(x + 0.22, y, 0.18, 0.12, skin)]
        ribs: list[Shape] = [Line([(x - 0.14, y + d), (x + 0.14, y + d)], "white", 0.05) for d in (0.1, 0.2, 0.3)]
        return [*body, *ribs]
    leaves: list[Shape] = [
        Line([(x, y + 0.38), (x, y - 0.1)], "leaf", 0.08),
        Polygon([(x, y + 0.12), (x - 0.34, y - 0.06), (x - 0.1, y - 0.14)], "leaf", glyph="p"),
        Polygon([(x, y + 0.02), (x + 0.34, y - 0.16), (x + 0.1, y - 0.24)], "leaf"),
    ]
    return [*leaves, Circle(x, y - 0.2, 0.17, "red", glyph="P")] if name == "ripe plant" else leaves


def item(name: str, x: float, y: float, size: float) -> list[Shape]:
    """The icon of an item."""

    def at(*points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(x + size * dx, y + size * dy) for dx, dy in points]

    if name == "health":
        lobes = [Circle(px, py, 0.2 * size, "red", glyph="") for px, py in at((-0.16, -0.12), (0.16, -0.12))]
        return [*lobes, Polygon(at((-0.35, -0.04), (0.35, -0.04), (0.0, 0.4)), "red")]
    if name == "food":
        return apple(x, y, size, "orange")
    if name == "drink":
        return [
            Polygon(at((0.0, -0.42), (-0.22, 0.05), (0.22, 0.05)), "blue"),
            Circle(x, y + 0.12 * size, 0.24 * size, "blue", glyph=""),
        ]
    if name == "energy":
        return [
            Polygon(at((0.1, -0.42), (-0.26, 0.08), (-0.02, 0.08), (-0.1, 0.42), (0.26, -0.1), (0.02, -0.1)), "gold")
        ]
    if name == "sapling":
        return [
            Line(at((0.0, 0.38), (0.0, -0.1)), "leaf", 0.09 * size),
            Polygon(at((0.0, 0.12), (-0.36, -0.1), (-0.1, -0.2)), "leaf"),
            Polygon(at((0.0, 0.0), (0.36, -0.2), (0.1, -0.3)), "leaf"),
        ]
    if name == "wood":
        return [
            Rect(x - 0.36 * size, y - 0.18 * size, 0.72 * size, 0.36 * size, "brown", radius=0.12 * size),
            Circle(x + 0.24 * size, y, 0.12 * size, "soil", glyph=""),
        ]
    if name in ("stone", "coal", "iron"):
        color = {"stone": "grey", "coal": "black", "iron": "orange"}[name]
        return [
            Polygon(at((-0.34, 0.2), (-0.26, -0.18), (0.06, -0.32), (0.34, -0.04), (0.26, 0.26), (-0.1, 0.32)), color)
        ]
    if name == "diamond":
        return diamond(x, y, size)
    made_of, tool = name.split("_")
    color = {"wood": "brown", "stone": "grey", "iron": "orange"}[made_of]
    if tool == "pickaxe":
        return [
            Line(at((-0.28, 0.36), (0.18, -0.2)), "soil", 0.11 * size),
            Line(at((-0.16, -0.3), (0.14, -0.26), (0.34, -0.02), (0.34, 0.24)), color, 0.14 * size),
        ]
    return [
        Line(at((-0.1, 0.12), (0.34, -0.38)), color, 0.14 * size),
        Line(at((-0.3, -0.02), (0.02, 0.26)), "wall", 0.08 * size),
        Line(at((-0.32, 0.36), (-0.12, 0.14)), "soil", 0.1 * size),
    ]
