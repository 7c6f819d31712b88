"""Scenes: what a world draws, in its own units and without pixels.

A scene is `width` x `height` units, x to the right and y downward, painted in order. Worlds choose the unit (a cell
of a grid, a square of a board) and name colours of the theme (`envsuite.render.theme`), with an opacity after an
``@`` where wanted: ``"beam@0.5"``. In a terminal a unit is one row high and two columns wide: rectangles fill the
characters whose centre they cover, circles and polygons show their `glyph`, labels their text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Rect:
    """A rectangle from its top left corner, with corners rounded by `radius` units."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = "ink"
    outline: str | None = None
    line: float = 0.04
    radius: float = 0.0
    glyph: str = ""


@dataclass(frozen=True)
class Circle:
    """A disc around (x, y)."""

    x: float
    y: float
    radius: float
    fill: str | None = "ink"
    outline: str | None = None
    line: float = 0.04
    glyph: str = "●"


@dataclass(frozen=True)
class Polygon:
    """A closed shape through `points`."""

    points: Sequence[tuple[float, float]]
    fill: str | None = "ink"
    outline: str | None = None
    line: float = 0.04
    glyph: str = ""


@dataclass(frozen=True)
class Line:
    """A line through `points`, `width` units thick; not shown in terminals."""

    points: Sequence[tuple[float, float]]
    color: str = "ink"
    width: float = 0.04


@dataclass(frozen=True)
class Label:
    """A text whose line is `size` units high, placed at (x, y) by `align` and centred vertically."""

    x: float
    y: float
    text: str
    size: float = 0.5
    color: str = "ink"
    align: Literal["left", "center", "right"] = "center"
    bold: bool = False


Shape = Rect | Circle | Polygon | Line | Label


@dataclass
class Scene:
    """A picture of `width` x `height` units: shapes in painting order on a background."""

    width: float
    height: float
    shapes: list[Shape] = field(default_factory=list)
    background: str = "paper"

    def add(self, *shapes: Shape) -> None:
        """Paint these next."""
        self.shapes.extend(shapes)


def text_scene(lines: Sequence[str]) -> Scene:
    """A scene of plain lines, for worlds that have only a text."""
    flat = [part for line in lines for part in line.splitlines()]
    width = max([8.0, *(0.27 * len(line) + 1 for line in flat)])
    scene = Scene(width, 0.75 * len(flat) + 1)
    for k, line in enumerate(flat):
        scene.add(Label(0.5, 0.75 * k + 0.85, line, align="left"))
    return scene
