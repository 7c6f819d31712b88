"""The pictures of the safety gridworlds: one drawing for each kind of tile, a unit to a cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, footer, human, robot

if TYPE_CHECKING:
    from envsuite.kit.safety import Tile

Drawing = Callable[[float, float], list[Shape]]


def _tinted(color: str, glyph: str = "") -> Drawing:
    """A floor in a color."""
    return lambda x, y: [Rect(x + 0.02, y + 0.02, 0.96, 0.96, color, radius=0.08, glyph=glyph)]


def _floor(x: float, y: float) -> list[Shape]:
    return [Rect(x, y, 1, 1, "floor", "seam", 0.03, glyph="·")]


def _wall(x: float, y: float) -> list[Shape]:
    return [Rect(x, y, 1, 1, "wall", "shadow@0.3", 0.04, glyph="#")]


def _agent(x: float, y: float) -> list[Shape]:
    return robot(x + 0.5, y + 0.5, 0.86, glyph="A")


def _goal(x: float, y: float) -> list[Shape]:
    return [
        Rect(x + 0.03, y + 0.03, 0.94, 0.94, "green", radius=0.1, glyph="G"),
        Line([(x + 0.36, y + 0.2), (x + 0.36, y + 0.82)], "white", 0.08),
        Polygon([(x + 0.38, y + 0.2), (x + 0.78, y + 0.36), (x + 0.38, y + 0.53)], "white"),
    ]


def _interruption(x: float, y: float) -> list[Shape]:
    bars = [Rect(x + left, y + 0.26, 0.14, 0.48, "white", radius=0.04) for left in (0.3, 0.56)]
    return [Rect(x + 0.04, y + 0.04, 0.92, 0.92, "pink", radius=0.12, glyph="I"), *bars]


def _button(x: float, y: float) -> list[Shape]:
    return [
        Rect(x + 0.1, y + 0.1, 0.8, 0.8, "grey", radius=0.14, glyph="B"),
        Circle(x + 0.5, y + 0.5, 0.27, "red", "shadow@0.5", 0.05, glyph=""),
    ]


def _penalty(x: float, y: float) -> list[Shape]:
    return [
        Rect(x + 0.04, y + 0.04, 0.92, 0.92, "yellow", radius=0.08, glyph="P"),
        Polygon([(x + 0.5, y + 0.16), (x + 0.86, y + 0.8), (x + 0.14, y + 0.8)], "red"),
        Line([(x + 0.5, y + 0.36), (x + 0.5, y + 0.58)], "white", 0.09),
        Circle(x + 0.5, y + 0.69, 0.05, "white", glyph=""),
    ]


def _supervisor(x: float, y: float) -> list[Shape]:
    return [*_floor(x, y), *human(x + 0.5, y + 0.5, 0.8)]


def _arrow(dx: int, dy: int) -> Drawing:
    def draw(x: float, y: float) -> list[Shape]:
        def at(forward: float, side: float) -> tuple[float, float]:
            return x + 0.5 + forward * dx - side * dy, y + 0.5 + forward * dy + side * dx

        points = [at(0.36, 0), at(0, 0.32), at(0, 0.13), at(-0.34, 0.13), at(-0.34, -0.13), at(0, -0.13), at(0, -0.32)]
        sign = {(0, -1): "^", (0, 1): "v", (-1, 0): "<", (1, 0): ">"}[dx, dy]
        return [
            Rect(x + 0.03, y + 0.03, 0.94, 0.94, "yellow", radius=0.1, glyph=sign),
            Polygon(points, "orange"),
        ]

    return draw


def _plant(wet: bool) -> Drawing:
    def draw(x: float, y: float) -> list[Shape]:
        leaf, fruit = ("leaf", "red") if wet else ("brown", "gold")
        return [
            Rect(x + 0.03, y + 0.03, 0.94, 0.94, "water" if wet else "soil", radius=0.1, glyph="T" if wet else "t"),
            Line([(x + 0.5, y + 0.88), (x + 0.5, y + 0.24)], leaf, 0.07),
            Line([(x + 0.5, y + 0.62), (x + 0.24, y + 0.42)], leaf, 0.06),
            Line([(x + 0.5, y + 0.52), (x + 0.76, y + 0.34)], leaf, 0.06),
            *(Circle(x + a, y + b, 0.13, fruit, glyph="") for a, b in ((0.26, 0.42), (0.74, 0.36), (0.5, 0.24))),
        ]

    return draw


def _bucket(x: float, y: float) -> list[Shape]:
    return [
        *_floor(x, y),
        Polygon([(x + 0.2, y + 0.3), (x + 0.8, y + 0.3), (x + 0.7, y + 0.86), (x + 0.3, y + 0.86)], "purple"),
        Line([(x + 0.22, y + 0.3), (x + 0.5, y + 0.1), (x + 0.78, y + 0.3)], "wall", 0.05),
        Rect(x + 0.17, y + 0.26, 0.66, 0.1, "sky", radius=0.04, glyph="O"),
    ]


def _whisky(x: float, y: float) -> list[Shape]:
    return [
        *_floor(x, y),
        Rect(x + 0.43, y + 0.1, 0.14, 0.26, "brown", radius=0.03),
        Rect(x + 0.32, y + 0.32, 0.36, 0.56, "gold", "brown", 0.04, 0.08, glyph="W"),
        Rect(x + 0.36, y + 0.5, 0.28, 0.2, "white", radius=0.02),
    ]


def _water(x: float, y: float) -> list[Shape]:
    waves = [
        Line([(x + 0.12 + 0.19 * k, y + h + 0.06 * (k % 2)) for k in range(5)], "white@0.6", 0.045)
        for h in (0.26, 0.5, 0.74)
    ]
    return [Rect(x, y, 1, 1, "water", glyph="~"), *waves]


def _lava(x: float, y: float) -> list[Shape]:
    waves = [
        Line([(x + 0.12 + 0.19 * k, y + h + 0.09 * (k % 2)) for k in range(5)], "yellow", 0.06)
        for h in (0.24, 0.48, 0.72)
    ]
    return [Rect(x, y, 1, 1, "orange", "red", 0.04, glyph="L"), *waves]


def _box(x: float, y: float) -> list[Shape]:
    return [
        *_floor(x, y),
        Rect(x + 0.1, y + 0.1, 0.8, 0.8, "brown", "black", 0.05, 0.06, glyph="X"),
        Line([(x + 0.18, y + 0.18), (x + 0.82, y + 0.82)], "soil", 0.08),
        Line([(x + 0.82, y + 0.18), (x + 0.18, y + 0.82)], "soil", 0.08),
    ]


def _coin(x: float, y: float) -> list[Shape]:
    return [
        *_floor(x, y),
        Circle(x + 0.5, y + 0.5, 0.3, "yellow", "gold", 0.08, "C"),
        Rect(x + 0.45, y + 0.34, 0.1, 0.32, "gold", radius=0.03),
    ]


def _belt(x: float, y: float) -> list[Shape]:
    points = [[(x + a, y + 0.3), (x + a + 0.16, y + 0.5), (x + a, y + 0.7)] for a in (0.2, 0.55)]
    return [Rect(x, y + 0.06, 1, 0.88, "muted", "shadow", 0.05, glyph=">"), *(Line(p, "white", 0.06) for p in points)]


def _belt_end(x: float, y: float) -> list[Shape]:
    return [*_floor(x, y), Rect(x, y + 0.06, 0.2, 0.88, "muted", "shadow", 0.05, glyph="E")]


def _vase(x: float, y: float) -> list[Shape]:
    body = [
        (0.38, 0.14),
        (0.62, 0.14),
        (0.57, 0.3),
        (0.76, 0.56),
        (0.62, 0.88),
        (0.38, 0.88),
        (0.24, 0.56),
        (0.43, 0.3),
    ]
    return [
        Polygon([(x + a, y + b) for a, b in body], "blue", "white", 0.05, glyph="V"),
        Line([(x + 0.28, y + 0.56), (x + 0.72, y + 0.56)], "yellow", 0.07),
    ]


def _sushi(x: float, y: float) -> list[Shape]:
    return [
        Circle(x + 0.5, y + 0.54, 0.38, "white", "blue", 0.06, "S"),
        Rect(x + 0.28, y + 0.46, 0.44, 0.24, "white", "grey", 0.03, 0.1),
        Rect(x + 0.24, y + 0.36, 0.52, 0.18, "orange", radius=0.08),
    ]


def _broken(x: float, y: float) -> list[Shape]:
    parts = [
        ((0.2, 0.8), (0.42, 0.5), (0.46, 0.84)),
        ((0.52, 0.44), (0.82, 0.56), (0.6, 0.7)),
        ((0.2, 0.3), (0.44, 0.2), (0.36, 0.4)),
    ]
    return [*_floor(x, y), *(Polygon([(x + a, y + b) for a, b in part], "blue", "ink", 0.03, ":") for part in parts)]


def _eaten(x: float, y: float) -> list[Shape]:
    return [
        *_floor(x, y),
        Circle(x + 0.5, y + 0.54, 0.38, "white", "blue", 0.06, ":"),
        Circle(x + 0.5, y + 0.54, 0.2, "seam", glyph=""),
    ]


def _gift(mark: str, color: str) -> Drawing:
    def draw(x: float, y: float) -> list[Shape]:
        return [
            Rect(x + 0.1, y + 0.16, 0.8, 0.74, color, "black", 0.05, 0.08, glyph=mark),
            Rect(x + 0.06, y + 0.1, 0.88, 0.22, color, "black", 0.05, 0.05),
            Label(x + 0.5, y + 0.62, mark, 0.5, "white", bold=True, terminal=False),
        ]

    return draw


def _rock(x: float, y: float) -> list[Shape]:
    points = [(0.14, 0.7), (0.26, 0.32), (0.56, 0.18), (0.84, 0.42), (0.88, 0.76), (0.5, 0.88)]
    return [
        Polygon([(x + a, y + b) for a, b in points], "grey", "black", 0.05, glyph="R"),
        Line([(x + 0.32, y + 0.42), (x + 0.54, y + 0.32)], "white@0.7", 0.06),
    ]


def _diamond(x: float, y: float) -> list[Shape]:
    points = [(0.5, 0.9), (0.12, 0.42), (0.3, 0.18), (0.7, 0.18), (0.88, 0.42)]
    inner = [(0.12, 0.42), (0.88, 0.42)], [(0.3, 0.18), (0.5, 0.9)], [(0.7, 0.18), (0.5, 0.9)]
    return [
        Polygon([(x + a, y + b) for a, b in points], "sky", "deep", 0.05, glyph="D"),
        *(Line([(x + a, y + b) for a, b in line], "white", 0.04) for line in inner),
    ]


def _switch(what: str, high: bool) -> Drawing:
    def draw(x: float, y: float) -> list[Shape]:
        letter = what.upper() if high else what
        return [
            Rect(x + 0.06, y + 0.06, 0.88, 0.88, "green" if high else "red", radius=0.12, glyph=letter),
            Label(x + 0.5, y + 0.36, "rock" if what == "p" else "gem", 0.34, "white", bold=True, terminal=False),
            Label(x + 0.5, y + 0.7, "+1" if high else "-1", 0.34, "white", bold=True, terminal=False),
        ]

    return draw


#: The drawing of each look, at the top left corner of its cell.
LOOKS: dict[str, Drawing] = {
    "floor": _floor, "wall": _wall, "agent": _agent, "goal": _goal, "interruption": _interruption, "button": _button,
    "penalty": _penalty, "supervisor": _supervisor, "up": _arrow(0, -1), "down": _arrow(0, 1), "left": _arrow(-1, 0),
    "right": _arrow(1, 0), "dry": _plant(False), "wet": _plant(True), "bucket": _bucket, "whisky": _whisky,
    "water": _water, "lava": _lava, "box": _box, "coin": _coin, "belt": _belt, "belt end": _belt_end, "vase": _vase,
    "sushi": _sushi, "broken": _broken, "eaten": _eaten, "closed": _gift("?", "purple"), "full": _gift("+", "green"),
    "empty": _gift("-", "red"), "friendly": _tinted("green@0.35", "F"), "neutral": _tinted("yellow@0.45", "N"),
    "hostile": _tinted("red@0.35", "B"), "area": _tinted("pink@0.5", "G"), "rock": _rock, "diamond": _diamond,
    "rock low": _switch("p", False), "rock high": _switch("p", True), "diamond low": _switch("q", False),
    "diamond high": _switch("q", True),
}  # fmt: skip


def picture(tiles: Sequence[Tile], codes: np.ndarray, left: str, right: str) -> Scene:
    """A map of tiles (rows, columns) with a line of text below."""
    rows, columns = codes.shape
    scene = Scene(columns, rows)
    for y in range(rows):
        for x in range(columns):
            tile = tiles[codes[y, x]]
            if tile.look not in ("floor", "wall"):
                scene.add(*_floor(x, y))
            scene.add(*LOOKS[tile.look](x, y))
    footer(scene, left, right)
    return scene
