"""The picture of a tower: floors, ladders, keys, doors and skulls."""

from __future__ import annotations

from typing import Any

from envsuite.generators.towers import LADDER, WALL, walked
from envsuite.render.scene import Circle, Line, Polygon, Rect, Scene, door, key
from envsuite.render.theme import agent_color

#: Height of the rows of floors and of those between them, and the margin.
TALL, LOW, MARGIN = 1.0, 0.8, 0.5


def top_of(row: int) -> float:
    """The upper end of a row."""
    return MARGIN + (row // 2) * (TALL + LOW) + (TALL if row % 2 else 0.0)


def middle_of(row: int) -> float:
    """The middle of a row."""
    return top_of(row) + (LOW if row % 2 else TALL) / 2


def draw_tower(level: Any, steps: int = 0, held: Any = (), opened: Any = ()) -> Scene:
    """The tower after some steps, without keys that are held."""
    rows, width = level.cells.shape
    scene = Scene(width + 2 * MARGIN, top_of(rows) + MARGIN + 0.8)
    for row in range(rows):
        tall = LOW if row % 2 else TALL
        for column in range(width):
            x, y, cell = MARGIN + column, top_of(row), level.cells[row, column]
            if cell == WALL:
                scene.add(Rect(x, y, 1, tall, "brown", glyph="##"))
            else:
                scene.add(Rect(x, y, 1, tall, "floor", glyph="  "))
            if cell == LADDER:
                draw_ladder(scene, x, y - 0.35 * TALL, tall + 0.7 * TALL)
    for k in range(len(level.key_row)):
        color = agent_color(k)
        x, y = MARGIN + level.door_column[k] + 0.5, middle_of(level.door_row[k])
        scene.add(*door(x, y, color, "open" if k < len(opened) and opened[k] else "locked"))
        if not (k < len(held) and held[k]):
            scene.add(*key(MARGIN + level.key_column[k] + 0.5, middle_of(level.key_row[k]), color))
    for k in range(len(level.first)):
        now, after = (MARGIN + walked(level, k, steps + n) + 0.5 for n in range(2))
        draw_skull(scene, now, middle_of(level.skull_row[k]), after - now)
    return scene


def draw_ladder(scene: Scene, x: float, y: float, tall: float) -> None:
    """Two rails and their rungs."""
    for side in (0.25, 0.75):
        scene.add(Line([(x + side, y), (x + side, y + tall)], "gold", 0.08))
    for rung in range(6):
        at = y + tall * (rung + 0.5) / 6
        scene.add(Line([(x + 0.25, at), (x + 0.75, at)], "gold", 0.06))
    scene.add(Rect(x + 0.3, y + tall * 0.45, 0.4, 0.1, "gold", glyph="="))


def draw_skull(scene: Scene, x: float, y: float, heading: float) -> None:
    """A skull, with an arrow where it goes next."""
    scene.add(Circle(x, y - 0.05, 0.3, "white", "black", 0.05, glyph="S"))
    scene.add(Rect(x - 0.14, y + 0.16, 0.28, 0.2, "white", "black", 0.04, 0.05))
    for side in (-0.11, 0.11):
        scene.add(Circle(x + side, y - 0.05, 0.08, "black", glyph=""))
    tip = 0.46 if heading > 0 else -0.46
    scene.add(Polygon([(x + 0.74 * tip, y - 0.14), (x + 0.74 * tip, y + 0.14), (x + tip, y)], "red", glyph=""))
