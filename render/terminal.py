"""Terminal: scenes as text. A unit is one row high and two columns wide, or more where labels need the room.

Where there is no room even for that, and there are colors, a scene becomes a picture with two pixels to a character.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor
from typing import TypeAlias

from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape
from envsuite.render.theme import rgba

Color = tuple[int, int, int]
_Solid: TypeAlias = Rect | Circle | Polygon

#: The characters for surfaces, and for things of a color, where colors are not shown.
_TEXTURES = {"wall": "#", "water": "~", "grass": ",", "beam": "+", "highlight": "+"}
_INITIALS = {
    "blue": "b", "sky": "s", "green": "g", "yellow": "l", "gold": "y", "orange": "o", "pink": "p", "red": "r",
    "purple": "u", "grey": "e", "brown": "n", "good": "g", "bad": "r", "leaf": "f", "felt": "t", "deep": "w",
    "water": "w", "black": "*", "shadow": "*",
}  # fmt: skip


def terminal(
    scene: Scene, color: bool = True, columns: int = 160, rows: int | None = None, theme: str = "light"
) -> str:
    """A scene as lines of text, with 24-bit ANSI colors or none.

    Rectangles fill the characters whose center they cover; so do circles and polygons that are wider than a character.
    All of them show their glyph. Labels put their text; lines are left out. Without colors, surfaces have a texture,
    and a disc in a glyph is the letter of its color.

    Args:
        scene: the scene.
        color: whether to use colors.
        columns, rows: the available size; None is any number of rows. Only text without colors may exceed it.
        theme: colors of the page, "light" or "dark".
    """

    def fits(scale: int) -> bool:
        return 2 * scale * scene.width <= columns and (rows is None or ceil(scale * scene.height - 0.01) <= rows)

    if color and not fits(1):
        return "\n".join(_lines(_pixels(scene, columns, rows, theme), color))
    pages = []
    for scale in (1, 2, 3, 4):  # the smallest at which no label is cut or covers another one, or the best there is
        if scale == 1 or fits(scale):
            pages.append(_Page(scene, scale, color, theme))
            if pages[-1].damage == 0:
                break
    return "\n".join(_lines(min(pages, key=lambda page: page.damage).cells, color))


def _pixels(scene: Scene, columns: int, rows: int | None, theme: str) -> list[list[_Cell]]:
    """A scene as characters whose upper half is a pixel and whose lower half is another."""
    from envsuite.render.frames import paint

    # Sides of pictures are even, so they may be longer by one.
    unit = (columns - 1) / scene.width
    if rows is not None:
        unit = min(unit, (2 * rows - 1) / scene.height)
    pixels = [list(map(tuple, row)) for row in paint(scene, unit, theme).tolist()]
    return [
        [_Cell(below, " " if above == below else "▀", above) for above, below in zip(*pair)]
        for pair in zip(pixels[::2], pixels[1::2])
    ]


@dataclass
class _Cell:
    ground: Color
    letter: str
    ink: Color
    bold: bool = False
    labeled: bool = False
    glyphed: tuple[float, float] | None = None  # where the thing is whose glyph this is


class _Page:
    """Characters, `scale` rows to a unit."""

    def __init__(self, scene: Scene, scale: int, color: bool, theme: str):
        self.scale, self.color, self.theme = scale, color, theme
        self.rows = max(1, ceil(scene.height * scale - 0.01))
        self.columns = max(1, ceil(2 * scene.width * scale - 0.01))
        ground, ink = rgba(scene.background, theme)[:3], rgba("ink", theme)[:3]
        self.cells = [[_Cell(ground, " ", ink) for _ in range(self.columns)] for _ in range(self.rows)]
        self.damage = 0
        for shape in scene.shapes:
            self.paint(shape)

    def paint(self, shape: Shape) -> None:
        if isinstance(shape, Label):
            if shape.terminal:
                self.label(shape)
        elif not isinstance(shape, Line):
            left, top, right, bottom = _bounds(shape)
            large = isinstance(shape, Rect) or min(right - left, bottom - top) * self.scale >= 1.5
            if large and shape.fill is not None:
                self.fill(shape, shape.fill)
            filled = large and shape.fill is not None
            if shape.glyph and not (filled and shape.glyph == "●" and (self.color or _initial(shape) == ".")):
                ink = None if filled or isinstance(shape, Rect) else shape.fill or shape.outline or "ink"
                self.glyph((left + right) / 2, (top + bottom) / 2, shape, ink)

    def fill(self, shape: _Solid, color: str) -> None:
        """Give the characters whose center lies in a shape this ground; it covers the text there.

        A shape covers a glyph only if it is as large as a cell; a smaller shape is a part of the same thing.
        """
        *rgb, alpha = rgba(color, self.theme)
        left, top, right, bottom = _bounds(shape)
        part = min(right - left, bottom - top) < 0.9
        for row in range(max(0, ceil(top * self.scale - 0.5)), min(self.rows, ceil(bottom * self.scale - 0.5))):
            first, last = ceil(2 * left * self.scale - 0.5), ceil(2 * right * self.scale - 0.5)
            for column in range(max(0, first), min(self.columns, last)):
                if _covers(shape, (column + 0.5) / (2 * self.scale), (row + 0.5) / self.scale):
                    cell = self.cells[row][column]
                    cell.ground = _mix(cell.ground, rgb, alpha)
                    texture = " " if self.color else _TEXTURES.get(color.partition("@")[0], " ")
                    if alpha > 0.5 and not cell.labeled and not (part and cell.glyphed):
                        cell.letter, cell.glyphed = texture, None
                    elif texture != " " and cell.letter == " ":
                        cell.letter = texture
                    else:
                        cell.ink = _mix(cell.ink, rgb, alpha / 2)

    def glyph(self, x: float, y: float, shape: _Solid, ink: str | None) -> None:
        """Put a shape's glyph at a point, in this ink or in one that is seen on its ground."""
        row, column = floor(y * self.scale), ceil(2 * x * self.scale) - 1
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            return
        letters = (shape.glyph.replace("●", "") or "●") if self.color else shape.glyph.replace("●", _initial(shape))
        for k, letter in enumerate(letters[:2]):
            if column + k < self.columns:
                cell = self.cells[row][column + k]
                self.damage += 2 * cell.labeled
                cell.letter, cell.glyphed = letter, (x, y)
                cell.ink = rgba(ink, self.theme)[:3] if ink else _readable(cell.ground)
                cell.bold = True

    def label(self, shape: Label) -> None:
        row = floor(shape.y * self.scale)
        words = list(_letters(shape.text))
        if not 0 <= row < self.rows or not words:
            return
        at = 2 * shape.x * self.scale
        room = {"left": self.columns - at, "right": at, "center": 2 * min(at, self.columns - at)}[shape.align]
        if shape.width is not None:
            room = min(room, max(2 * shape.width * self.scale, 1))
        room = max(round(room), 1)
        if len(words) > room:
            self.damage += len(words) - room
            words = words[:room]
            words[-1] = "…"
        first = max(0, round(at - len(words) * {"left": 0.0, "center": 0.5, "right": 1.0}[shape.align] - 1e-6))
        *rgb, alpha = rgba(shape.color, self.theme)
        for k, letter in enumerate(words[: self.columns - first]):
            cell = self.cells[row][first + k]
            self.damage += 2 * cell.labeled
            if cell.glyphed and max(abs(cell.glyphed[0] - shape.x), abs(cell.glyphed[1] - shape.y)) > 0.3:
                self.damage += 1
            cell.letter, cell.ink, cell.bold, cell.labeled = letter, _mix(cell.ground, rgb, alpha), shape.bold, True


def _lines(cells: list[list[_Cell]], color: bool) -> Iterator[str]:
    for row in cells:
        if not color:
            yield "".join(cell.letter for cell in row).rstrip()
            continue
        parts, style = [], None
        for cell in row:
            wanted = (cell.ground, cell.ink if cell.letter != " " else None, cell.bold and cell.letter != " ")
            if wanted != style:
                style = wanted
                ink = "" if wanted[1] is None else ";38;2;{};{};{}".format(*wanted[1])
                parts.append("\x1b[0{};48;2;{};{};{}{}m".format(";1" if wanted[2] else "", *wanted[0], ink))
            parts.append(cell.letter)
        yield "".join([*parts, "\x1b[0m"])


def _letters(text: str) -> Iterator[str]:
    """The character of a text in each column; a wide letter is followed by an empty string."""
    for letter in " ".join(text.split()):
        if letter.isprintable() and not unicodedata.combining(letter):
            yield letter
            if unicodedata.east_asian_width(letter) in "WF":
                yield ""


def _initial(shape: _Solid) -> str:
    """The letter of a shape's color, or of its outline's where it is pale."""
    names = (color.partition("@")[0] for color in (shape.fill, shape.outline) if color is not None)
    return next((_INITIALS[name] for name in names if name in _INITIALS), ".")


def _bounds(shape: _Solid) -> tuple[float, float, float, float]:
    if isinstance(shape, Rect):
        return shape.x, shape.y, shape.x + shape.width, shape.y + shape.height
    if isinstance(shape, Circle):
        return shape.x - shape.radius, shape.y - shape.radius, shape.x + shape.radius, shape.y + shape.radius
    across, down = zip(*shape.points)
    return min(across), min(down), max(across), max(down)


def _covers(shape: _Solid, x: float, y: float) -> bool:
    """Whether a point within a shape's bounds lies in the shape."""
    if isinstance(shape, Rect):
        return True
    if isinstance(shape, Circle):
        return (x - shape.x) ** 2 + (y - shape.y) ** 2 <= shape.radius**2
    inside = False
    for (x0, y0), (x1, y1) in zip(shape.points, [*shape.points[1:], shape.points[0]]):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) * (x1 - x0) / (y1 - y0):
            inside = not inside
    return inside


def _mix(under: Color, over: list[int] | Color, alpha: float) -> Color:
    red, green, blue = (round(a + (b - a) * alpha) for a, b in zip(under, over))
    return red, green, blue


def _readable(ground: Color) -> Color:
    """Black or white, whichever is seen better."""
    light = 0.299 * ground[0] + 0.587 * ground[1] + 0.114 * ground[2]
    return rgba("black" if light > 140 else "white")[:3]
