"""Recipes as a graph: raw items on the left, products to the right, and each recipe a dot before its product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from envsuite.generators.recipe_books import ALL, GROUPS, ITEMS, NONE, heights_of
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, text_width

Area = tuple[float, float, float, float]

#: The size of an item's box where there is room for it, and the most items in a column.
WIDE, HIGH, COLUMN = 3.1, 0.95, 11


def boxes(part: Any, area: Area, also: Sequence[int] = ()) -> dict[int, Area]:
    """The box of each item of a book, by columns: raw items first, then the others by their greatest height.

    Raw items are those that recipes use, and those of `also`.
    """
    columns = [column for column in _columns(part, also) if column]
    left, top, width, height = area
    wide = min(WIDE, 0.74 * width / len(columns))
    pace = (width - wide) / max(len(columns) - 1, 1)
    found = {}
    for c, column in enumerate(columns):
        line = min(height / len(column), 2.2 * HIGH)
        high = min(HIGH, 0.82 * line)
        start = top + (height - line * len(column)) / 2
        for k, item in enumerate(column):
            found[item] = (left + pace * c, start + line * (k + 0.5) - high / 2, wide, high)
    return found


def _columns(part: Any, also: Sequence[int]) -> list[list[int]]:
    """Items by columns, each next to those that they are made of."""
    heights, makes = heights_of(part), np.asarray(part["makes"])
    used = {item for r in range(len(makes)) for item in _ingredients(part, r)} | {int(i) for i in makes if i != NONE}
    raw = [i for i in range(ALL) if i not in makes and (i in used or i in also)]
    order = {item: float(k) for k, item in enumerate(raw)}
    columns = [raw[k : k + COLUMN] for k in range(0, len(raw), COLUMN)]
    for height in range(1, int(heights.max()) + 1):
        column = [i for i in range(ALL) if heights[i] == height]
        for item in column:
            near = [order[i] for r in np.flatnonzero(makes == item) for i in _ingredients(part, int(r)) if i in order]
            order[item] = sum(near) / max(len(near), 1)
        columns.append(sorted(column, key=lambda i: order[i]))
    return columns


def _ingredients(part: Any, r: int) -> list[int]:
    """The items that a recipe takes, members of groups included."""
    found: list[int] = []
    for what in np.asarray(part["needs"][r]).tolist():
        if what >= ALL:
            found += np.flatnonzero(part["members"][what - ALL]).tolist()
        elif what != NONE:
            found.append(what)
    return found


def draw_book(
    scene: Scene, part: Any, area: Area, held: Sequence[int] | None = None, bench: Sequence[int] | None = None
) -> None:
    """Draw the graph in an area; with numbers, all items, how many are in hand, and a frame for those on the bench."""
    goal = int(part["goal"])
    at = boxes(part, area, range(len(held or ())))
    for r, item in enumerate(np.asarray(part["makes"]).tolist()):
        if item != NONE and item in at:
            _draw_recipe(scene, part, r, at)
    for item, (x, y, wide, high) in at.items():
        lies = bench is not None and bench[item] > 0
        raw = item not in part["makes"]
        edge = "gold" if item == goal else "ink" if lies else "line"
        fill = "leaf@0.35" if raw else "blue@0.3"
        scene.add(Rect(x, y, wide, high, "paper", radius=0.2))
        scene.add(Rect(x, y, wide, high, fill, edge, 0.12 if item == goal or lies else 0.05, 0.2))
        count = int(held[item]) if held is not None else 0
        room = wide - 0.4 - (0.45 * high if held is not None else 0.0)
        size = 0.5 * high * min(1.0, room / text_width(ITEMS[item], 0.5 * high))
        scene.add(Label(x + 0.2, y + high / 2, ITEMS[item], size, "ink", "left", bold=item == goal))
        if count:
            scene.add(Label(x + wide - 0.2, y + high / 2, str(count), size, "ink", "right", bold=True))


def _draw_recipe(scene: Scene, part: Any, r: int, at: dict[int, Area]) -> None:
    """A dot before the product, and lines from the ingredients; those of a group meet in a small square."""
    makes = np.asarray(part["makes"])
    x, y, wide, high = at[int(makes[r])]
    ways, lefts = np.flatnonzero(makes == makes[r]).tolist(), sorted({box[0] for box in at.values()})
    gap = min(1.7, min([b - a for a, b in zip(lefts, lefts[1:])], default=wide + 1.7) - wide)
    place = (x - 0.3 * gap, y + high * (ways.index(r) + 0.5) / len(ways))
    scene.add(Line([place, (x, y + high / 2)], "muted", 0.06))
    for what in np.asarray(part["needs"][r]).tolist():
        if what == NONE:
            continue
        if what < ALL:
            _join(scene, at[what], place, "muted@0.7")
            continue
        corner = (x - 0.72 * gap, place[1])
        for item in np.flatnonzero(part["members"][what - ALL]).tolist():
            _join(scene, at[item], corner, "purple@0.7")
        scene.add(Line([corner, place], "purple", 0.06))
        scene.add(Polygon([(corner[0] + a, corner[1] + b) for a, b in _DIAMOND], "purple"))
        scene.add(Label(corner[0], corner[1], GROUPS[what - ALL], 0.36, "white", bold=True))
    scene.add(Circle(*place, 0.14, "ink", glyph=""))


_DIAMOND = ((-0.36, 0.0), (0.0, -0.36), (0.36, 0.0), (0.0, 0.36))


def _join(scene: Scene, box: Area, place: tuple[float, float], color: str) -> None:
    x, y, wide, high = box
    scene.add(Line([(x + wide, y + high / 2), place], color, 0.06))
