"""Scenes: the drawings of a world, in its own units and without pixels.

A scene is `width` x `height` units, x to the right and y downward, painted in order. Worlds choose the unit (a cell
of a grid, a square of a board) and name colors of the theme (`envsuite.render.theme`), with an opacity after an
``@`` where wanted: ``"beam@0.5"``. In a terminal a unit is one row high and two columns wide: rectangles fill the
characters whose center they cover, circles and polygons show their `glyph`, labels their text.

A glyph has one or two characters. It shows the kind and the owner of a thing, because there may be no colors. Then a
disc in it, ``"●"``, becomes the letter of the shape's color. ``"k●"`` is a key; `agent_sign` stands for an agent.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, Literal

from envsuite.core.digits import whole
from envsuite.render.theme import agent_sign, rgba, text_on


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
    """A text whose line is `size` units high, placed at (x, y) by `align` and centered vertically.

    A text longer than `width` units, where that is given, is cut and ends in "...". `terminal=False` keeps a
    decoration out of terminals.
    """

    x: float
    y: float
    text: str
    size: float = 0.5
    color: str = "ink"
    align: Literal["left", "center", "right"] = "center"
    bold: bool = False
    width: float | None = None
    terminal: bool = True


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

    def svg(self, size: int = 640, theme: str = "light") -> str:
        """The scene as SVG, sharp at any size; its longest side is `size` pixels where nothing scales it."""
        unit = size / max(self.width, self.height)
        sides = f'width="{unit * self.width:.0f}" height="{unit * self.height:.0f}"'
        view = f'viewBox="0 0 {self.width:g} {self.height:g}"'
        ground = f'<rect width="{self.width:g}" height="{self.height:g}"{_color("fill", self.background, theme)}/>'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {view} {sides} font-family="Aileron, Helvetica, sans-serif">',
            *(ground, *(_drawn(shape, self.width, theme) for shape in self.shapes)),
            "</svg>",
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Scene({self.width:g} x {self.height:g}, {len(self.shapes)} shapes)"

    def _repr_svg_(self) -> str:
        return self.svg()


class Drawn:
    """The base of objects with a picture, their `scene`; notebooks show it."""

    def _repr_svg_(self) -> str | None:
        scene: Scene = self.scene()  # type: ignore[attr-defined]
        return scene.svg()


def text_scene(lines: Sequence[str], width: float = 24.0) -> Scene:
    """A scene of plain lines, for worlds that have only a text; longer ones are broken to about `width` units."""
    flat = [part for line in lines for part in wrap(line, width - 1)]
    scene = Scene(max([8.0, *(text_width(line) + 1 for line in flat)]), 0.75 * len(flat) + 1)
    for k, line in enumerate(flat):
        scene.add(Label(0.5, 0.75 * k + 0.85, line, align="left"))
    return scene


def shown(world: Any, record: Any, viewer: int | None = None) -> Scene:
    """What `world.scene` draws; if it fails, a scene that says so, and a warning.

    For reports and tables, which a picture that cannot be drawn must not end.
    """
    try:
        found: Scene = world.scene(record, viewer)
    except Exception as problem:
        warnings.warn(f"{world.id}: a picture cannot be drawn: {problem!r}", stacklevel=2)
        found = Scene(16, 9)
        found.add(Label(8, 4.5, f"no picture: {type(problem).__name__}", 0.7, "muted"))
    return found


def footer(scene: Scene, left: str = "", right: str = "", margin: float = 0.25) -> float:
    """A line of text below a picture, which grows by it; gives the height of its middle.

    Its letters are as large in all pictures of one size.
    """
    size = max(scene.width, scene.height) / 32
    y = scene.height + size
    if left:
        scene.add(Label(margin, y, left, size, "muted", "left"))
    if right:
        scene.add(Label(scene.width - margin, y, right, size, "muted", "right"))
    scene.height += 2 * size
    return y


def moved(shape: Shape, x: float, y: float, size: float = 1.0) -> Shape:
    """A shape larger by `size`, and then as far to the right and below."""
    if isinstance(shape, (Line, Polygon)):
        points = [(x + size * across, y + size * down) for across, down in shape.points]
        if isinstance(shape, Line):
            return replace(shape, points=points, width=size * shape.width)
        return replace(shape, points=points, line=size * shape.line)
    at: dict[str, Any] = {"x": x + size * shape.x, "y": y + size * shape.y}
    if isinstance(shape, Label):
        return replace(shape, **at, size=size * shape.size, width=shape.width and size * shape.width)
    if isinstance(shape, Circle):
        return replace(shape, **at, radius=size * shape.radius, line=size * shape.line)
    sides: dict[str, Any] = {"width": size * shape.width, "height": size * shape.height, "radius": size * shape.radius}
    return replace(shape, **at, **sides, line=size * shape.line)


# Things that several worlds draw, so that they look the same everywhere. Unless noted otherwise, (x, y) is their center
# and `size` the side of the cell that they stand in. Facing is 0 east, 1 south, 2 west, 3 north.

_AHEAD = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))


def grid(
    x: float, y: float, columns: int, rows: int, size: float = 1.0, fill: str = "floor", seam: str = "seam"
) -> list[Shape]:
    """The ground of a grid from its top left corner: a surface with fine lines, its seams, between the cells."""
    shapes: list[Shape] = [Rect(x, y, columns * size, rows * size, fill)]
    for c in range(1, columns):
        shapes.append(Line([(x + c * size, y), (x + c * size, y + rows * size)], seam, 0.03 * size))
    for r in range(1, rows):
        shapes.append(Line([(x, y + r * size), (x + columns * size, y + r * size)], seam, 0.03 * size))
    return shapes


def avatar(x: float, y: float, facing: int, color: str, size: float = 1.0, text: str = "") -> list[Shape]:
    """An agent that looks somewhere: a disc with a pointed front; `text` is a letter or two on it."""
    ahead, across = _AHEAD[facing % 4], _AHEAD[(facing + 1) % 4]

    def at(forward: float, side: float) -> tuple[float, float]:
        return (
            x + size * (forward * ahead[0] + side * across[0]),
            y + size * (forward * ahead[1] + side * across[1]),
        )

    number = whole(text)
    sign = text[:1] or "●" if number is None else agent_sign(number)
    nose = Polygon([at(0.47, 0.0), at(0.14, 0.295), at(0.14, -0.295)], color)
    body = Circle(x, y, 0.33 * size, color, glyph="▶▼◀▲"[facing % 4] + sign)
    if text:
        return [nose, body, Label(x, y, text, 0.42 * size, text_on(color), bold=True, terminal=False)]
    return [nose, body, Circle(*at(0.07, 0.0), 0.13 * size, "white", glyph="")]


def robot(x: float, y: float, size: float = 1.0, on: bool = True, glyph: str = "R") -> list[Shape]:
    """A robot seen from the front; its eyes and lamp are dark where it is off."""
    light = "sky" if on else "muted"
    return [
        Line([(x, y - 0.4 * size), (x, y - 0.26 * size)], "wall", 0.05 * size),
        Circle(x, y - 0.41 * size, 0.07 * size, "gold" if on else "grey", glyph=""),
        Rect(x - 0.3 * size, y - 0.28 * size, 0.6 * size, 0.36 * size, "blue", radius=0.1 * size, glyph=glyph),
        Rect(x - 0.24 * size, y - 0.2 * size, 0.48 * size, 0.2 * size, "black", radius=0.08 * size),
        *(Circle(x + side * 0.12 * size, y - 0.1 * size, 0.075 * size, light, glyph="") for side in (-1, 1)),
        Rect(x - 0.36 * size, y + 0.12 * size, 0.72 * size, 0.32 * size, "blue", radius=0.12 * size),
        Circle(x, y + 0.28 * size, 0.08 * size, light, glyph=""),
    ]


def human(x: float, y: float, size: float = 1.0, color: str = "orange") -> list[Shape]:
    """A human seen from the front."""
    return [
        Circle(x, y - 0.16 * size, 0.23 * size, "soil", "brown", 0.04 * size, glyph="H"),
        *(Circle(x + side * 0.08 * size, y - 0.17 * size, 0.03 * size, "black", glyph="") for side in (-1, 1)),
        Rect(x - 0.34 * size, y + 0.1 * size, 0.68 * size, 0.34 * size, color, radius=0.15 * size),
    ]


def apple(x: float, y: float, size: float = 1.0, color: str = "red") -> list[Shape]:
    """An apple with a leaf."""
    return [
        Line([(x, y - 0.12 * size), (x + 0.04 * size, y - 0.32 * size)], "brown", 0.06 * size),
        Polygon(
            [(x + 0.04 * size, y - 0.24 * size), (x + 0.14 * size, y - 0.36 * size), (x + 0.28 * size, y - 0.33 * size),
             (x + 0.18 * size, y - 0.22 * size)],
            "leaf",
        ),
        Circle(x, y + 0.06 * size, 0.26 * size, color),
        Circle(x - 0.09 * size, y - 0.03 * size, 0.06 * size, "white@0.55", glyph=""),
    ]  # fmt: skip


def key(x: float, y: float, color: str = "gold", size: float = 1.0) -> list[Shape]:
    """A key."""
    bow = y - 0.18 * size
    return [
        Line([(x, bow + 0.14 * size), (x, y + 0.36 * size)], color, 0.1 * size),
        Line([(x, y + 0.31 * size), (x + 0.16 * size, y + 0.31 * size)], color, 0.09 * size),
        Line([(x, y + 0.15 * size), (x + 0.13 * size, y + 0.15 * size)], color, 0.09 * size),
        Circle(x, bow, 0.13 * size, None, color, 0.1 * size, glyph="k●"),
    ]


def door(
    x: float, y: float, color: str = "gold", state: Literal["open", "closed", "locked"] = "closed", size: float = 1.0
) -> list[Shape]:
    """A door that fills its cell: a leaf with a handle, with a keyhole where it is locked, or an open frame."""
    left, top = x - 0.5 * size, y - 0.5 * size
    if state == "open":
        return [
            Rect(left, top, size, size, "floor"),
            Rect(
                left + 0.04 * size, top + 0.04 * size, 0.92 * size, 0.16 * size, color, radius=0.04 * size, glyph="/●"
            ),
        ]
    leaf: list[Shape] = [
        Rect(left, top, size, size, color, glyph="L●" if state == "locked" else "D●"),
        Rect(left + 0.13 * size, top + 0.13 * size, 0.74 * size, 0.74 * size, "shadow@0.18", radius=0.05 * size),
    ]
    if state == "locked":
        return [
            *leaf,
            Line([(x, y - 0.05 * size), (x, y + 0.2 * size)], "black", 0.1 * size),
            Circle(x, y - 0.07 * size, 0.12 * size, "black", glyph=""),
        ]
    return [*leaf, Circle(x + 0.24 * size, y, 0.07 * size, "black", glyph="")]


def card(
    x: float,
    y: float,
    text: str = "",
    face_up: bool = True,
    width: float = 1.4,
    height: float = 2.0,
    color: str = "black",
) -> list[Shape]:
    """A playing card, with its rank where it is face up."""
    left, top = x - width / 2, y - height / 2
    shapes: list[Shape] = [
        Rect(left + 0.03 * width, top + 0.05 * width, width, height, "shadow@0.15", radius=0.1 * width),
        Rect(left, top, width, height, "white", "line", 0.02 * width, 0.1 * width),
    ]
    if face_up:
        return [
            *shapes,
            Label(x, y, text, 0.62 * width, color, bold=True),
            Label(left + 0.16 * width, top + 0.17 * width, text, 0.22 * width, color, bold=True, terminal=False),
            Label(
                left + 0.84 * width, top + height - 0.17 * width, text, 0.22 * width, color, bold=True, terminal=False
            ),
        ]
    inset = 0.08 * width
    shapes.append(
        Rect(left + inset, top + inset, width - 2 * inset, height - 2 * inset, "deep", radius=0.06 * width, glyph="?")
    )
    step = 0.14 * width
    rows, columns = int((height - 2 * inset) / step) - 1, int((width - 2 * inset) / step) - 1
    for r in range(rows):
        for c in range(columns):
            across, down = x + (c - (columns - 1) / 2) * step, y + (r - (rows - 1) / 2) * step
            shapes.append(Circle(across, down, 0.025 * width, "white@0.45", glyph=""))
    return shapes


def checkerboard(x: float, y: float, columns: int, rows: int, size: float = 1.0) -> list[Shape]:
    """Squares in two shades from their top left corner; the bottom left one is dark."""
    shapes: list[Shape] = [Rect(x, y, columns * size, rows * size, "floor")]
    for r in range(rows):
        for c in range(columns):
            if (rows - 1 - r + c) % 2 == 0:
                shapes.append(Rect(x + c * size, y + r * size, size, size, "square"))
    return shapes


def coordinates(x: float, y: float, columns: int, rows: int, size: float = 1.0, from_top: bool = False) -> list[Shape]:
    """Letters below and numbers to the left of a board whose top left corner is (x, y); a1 is at the bottom left.

    With `from_top`, row 1 is the top one.
    """
    names: list[Shape] = []
    for c in range(columns):
        names.append(Label(x + (c + 0.5) * size, y + (rows + 0.38) * size, chr(97 + c), 0.36 * size, "muted"))
    for r in range(rows):
        row = r if from_top else rows - 1 - r
        names.append(Label(x - 0.38 * size, y + (row + 0.5) * size, str(r + 1), 0.36 * size, "muted"))
    return names


def stone(x: float, y: float, color: str, size: float = 1.0, glyph: str = "●") -> list[Shape]:
    """A round piece of a board game, with a little light on it."""
    return [
        Circle(x + 0.02 * size, y + 0.04 * size, 0.42 * size, "shadow@0.25", glyph=""),
        Circle(x, y, 0.42 * size, color, "shadow@0.35", 0.03 * size, glyph=glyph),
        Circle(x - 0.13 * size, y - 0.14 * size, 0.1 * size, "white@0.3", glyph=""),
    ]


def side(x: float, y: float, piece: Sequence[Shape], count: int, moves: bool) -> list[Shape]:
    """A player's side beside a board: its piece, drawn around (x - 0.4, y), and their number; marked if it moves."""
    ground = Rect(x - 1.0, y - 0.42, 2.0, 0.84, "highlight" if moves else "floor", radius=0.42)
    return [ground, *piece, Label(x + 0.35, y, str(count), 0.5, "black", bold=True)]


def chips(x: float, y: float, count: int, color: str) -> list[Shape]:
    """A row of chips around a point."""
    places = [x + 0.42 * (k - (count - 1) / 2) for k in range(count)]
    return [Circle(place, y, 0.18, color, "white", 0.05) for place in places]


def speech(
    x: float, y: float, width: float, height: float, text: str, tip: tuple[float, float], color: str = "line"
) -> list[Shape]:
    """A speech bubble of this width and height that points at `tip`, to its left or right."""
    side = -1 if tip[0] < x else 1
    edge = x + side * (width / 2 - 0.02)
    return [
        Polygon([(edge, y - 0.25 * height), tip, (edge, y + 0.25 * height)], color),
        Rect(x - width / 2, y - height / 2, width, height, "white", color, 0.06, min(0.2, height / 3)),
        Label(x, y, text, 0.55 * height, "black", width=width - 0.2),
    ]


def wrap(text: str, width: float, size: float = 0.5) -> list[str]:
    """A text's lines, broken between words so that labels of this size are at most about `width` units wide."""
    lines: list[str] = []
    for paragraph in text.splitlines():
        line, *words = paragraph.split(" ")
        for word in words:
            longer = f"{line} {word}"
            if line.strip() and text_width(longer, size) > width:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return lines


#: Widths of letters as parts of a label's size; others are taken for 0.58.
_WIDTHS = {
    letter: width
    for width, letters in (
        (0.24, " !',-.:;Iijl|"),
        (0.31, '"()/[\\]`frt{}'),
        (0.50, "?_acksvxyz"),
        (0.62, "&ABKRTVXbdgpq"),
        (0.72, "%CDGHNOQUw"),
        (0.86, "@MWm"),
    )
    for letter in letters
}


def text_width(text: str, size: float = 0.5) -> float:
    """About how wide a label is, in units."""
    return size * sum(_WIDTHS.get(letter, 0.58) for letter in text)


# SVG.

_ANCHORS = {"left": "start", "center": "middle", "right": "end"}


def _drawn(shape: Shape, room: float, theme: str) -> str:
    if isinstance(shape, Label):
        weight = ' font-weight="bold"' if shape.bold else ""
        place = f'x="{shape.x:g}" y="{shape.y + 0.35 * shape.size:g}" font-size="{shape.size:g}"'
        anchor = f' text-anchor="{_ANCHORS[shape.align]}"'
        words = escape(_fit(" ".join(shape.text.split()), shape.size, min(shape.width or room, room)))
        return f"<text {place}{anchor}{weight}{_color('fill', shape.color, theme)}>{words}</text>"
    if isinstance(shape, Line):
        ends = f'stroke-width="{shape.width:g}" stroke-linecap="round" stroke-linejoin="round" fill="none"'
        return f'<polyline points="{_points(shape.points)}" {ends}{_color("stroke", shape.color, theme)}/>'
    paint = _color("fill", shape.fill, theme)
    if shape.outline is not None:
        paint += f' stroke-width="{shape.line:g}" stroke-linejoin="round"{_color("stroke", shape.outline, theme)}'
    if isinstance(shape, Circle):
        return f'<circle cx="{shape.x:g}" cy="{shape.y:g}" r="{shape.radius:g}"{paint}/>'
    if isinstance(shape, Polygon):
        return f'<polygon points="{_points(shape.points)}"{paint}/>'
    inset = shape.line / 2 if shape.outline is not None else 0.0  # a rectangle's outline is inside its edge
    sides = f'width="{max(shape.width - 2 * inset, 0):g}" height="{max(shape.height - 2 * inset, 0):g}"'
    corner = f' rx="{shape.radius:g}"' if shape.radius else ' shape-rendering="crispEdges"'
    return f'<rect x="{shape.x + inset:g}" y="{shape.y + inset:g}" {sides}{corner}{paint}/>'


def _color(what: str, name: str | None, theme: str) -> str:
    if name is None:
        return f' {what}="none"'
    *rgb, alpha = rgba(name, theme)
    return f' {what}="#{bytes(rgb).hex()}"' + (f' {what}-opacity="{alpha:g}"' if alpha < 1 else "")


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _fit(text: str, size: float, room: float) -> str:
    """The text, cut and ended with "..." where it is wider than the room for it."""
    if text_width(text, size) <= 1.05 * room:
        return "".join(letter for letter in text if letter.isprintable())
    while text and text_width(f"{text}...", size) > room:
        text = text[:-1]
    return _fit(text.rstrip() + "...", size, float("inf")) if text else ""
