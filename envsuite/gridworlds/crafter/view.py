"""Pictures of Crafter's creatures and items, by their names."""

from __future__ import annotations

from envsuite.generators.terrain import diamond
from envsuite.kit.grid import DX, DY, NORTH
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Shape, apple, avatar
from envsuite.render.theme import agent_color


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
