"""Terminal: scenes as text. A unit is one row high and two columns wide, or more where labels need the room.

Where there is no room even for that, and there are colours, a scene becomes a picture with two pixels to a character.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor

from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene, Shape
from envsuite.render.theme import rgba

Color = tuple[int, int, int]

#: What stands for surfaces, and for things of a colour, where colours are not shown.
_TEXTURES = {"wall": "#", "water": "~", "grass": ",", "beam": "+", "highlight": "+"}
_INITIALS = {
    "blue": "b", "sky": "s", "green": "g", "yellow": "l", "gold": "y", "orange": "o", "pink": "p", "red": "r",
    "purple": "u", "grey": "e", "brown": "n", "good": "g", "bad": "r", "leaf": "f", "felt": "t", "deep": "w",
    "water": "w", "black": "*", "shadow": "*",
}  # fmt: skip


def terminal(
    scene: Scene, color: bool = True, columns: int = 120, rows: int | None = None, theme: str = "light"
) -> str:
    """A scene as lines of text, with 24-bit ANSI colours or none.

    Rectangles fill the characters whose centre they cover, circles and polygons too where they are wider than a
    character, else they show their glyph; labels put their text; lines are left out. Without colours, surfaces
    have a texture and things have the letter of their colour.

    Args:
        scene: the scene.
        color: whether to use colours.
        columns, rows: the room that there is; None is any number of rows. Only what has no colours may go beyond.
        theme: colours of the page, "light" or "dark".
    """

    def fits(scale: int) -> bool:
        return 2 * scale * scene.width <= columns and (rows is None or ceil(scale * scene.height - 0.01) <= rows)

    if color and not fits(1):
        return "\n".join(_lines(_pixels(scene, columns, rows, theme), color))
    pages = []
    for scale in (1, 2, 3):  # the smallest at which no label is cut or covers another one, or the best there is
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
    labelled: bool = False


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
        elif isinstance(shape, Rect):
            if shape.fill is not None:
                self.fill(shape, shape.fill)
            if shape.glyph:
                self.glyph(shape.x + shape.width / 2, shape.y + shape.height / 2, shape.glyph, None, shape.fill)
        elif isinstance(shape, (Circle, Polygon)):
            left, top, right, bottom = _bounds(shape)
            large = min(right - left, bottom - top) * self.scale >= 1.5
            if large and shape.fill is not None:
                self.fill(shape, shape.fill)
            elif shape.glyph:
                color = shape.fill if shape.fill is not None else shape.outline
                self.glyph((left + right) / 2, (top + bottom) / 2, shape.glyph, color or "ink", color)

    def fill(self, shape: Rect | Circle | Polygon, color: str) -> None:
        """Give the characters whose centre lies in a shape this ground; what stood on it is covered."""
        *rgb, alpha = rgba(color, self.theme)
        left, top, right, bottom = _bounds(shape)
        for row in range(max(0, ceil(top * self.scale - 0.5)), min(self.rows, ceil(bottom * self.scale - 0.5))):
            first, last = ceil(2 * left * self.scale - 0.5), ceil(2 * right * self.scale - 0.5)
            for column in range(max(0, first), min(self.columns, last)):
                if _covers(shape, (column + 0.5) / (2 * self.scale), (row + 0.5) / self.scale):
                    cell = self.cells[row][column]
                    cell.ground = _mix(cell.ground, rgb, alpha)
                    texture = " " if self.color else _TEXTURES.get(color.partition("@")[0], " ")
                    if alpha > 0.5 and not cell.labelled:
                        cell.letter = texture
                    elif texture != " " and cell.letter == " ":
                        cell.letter = texture
                    else:
                        cell.ink = _mix(cell.ink, rgb, alpha / 2)

    def glyph(self, x: float, y: float, glyph: str, color: str | None, named: str | None) -> None:
        """Put a sign at a point: in a colour, or one that is seen on its ground; without colours, with their letter."""
        row, column = floor(y * self.scale), ceil(2 * x * self.scale) - 1
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            return
        letters = glyph
        if not self.color and color is not None:
            base = (named or "").partition("@")[0]
            initial = _INITIALS.get(base, ".")
            letters = initial if glyph == "●" else glyph + _INITIALS.get(base, "")
        for k, letter in enumerate(letters[:2]):
            if column + k < self.columns:
                cell = self.cells[row][column + k]
                cell.letter = letter
                cell.ink = rgba(color, self.theme)[:3] if color else _readable(cell.ground)
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
            self.damage += 2 * cell.labelled
            cell.letter, cell.ink, cell.bold, cell.labelled = letter, _mix(cell.ground, rgb, alpha), shape.bold, True


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
    """What a text puts into each column; a wide letter is followed by an empty string."""
    for letter in " ".join(text.split()):
        if letter.isprintable() and not unicodedata.combining(letter):
            yield letter
            if unicodedata.east_asian_width(letter) in "WF":
                yield ""


def _bounds(shape: Rect | Circle | Polygon) -> tuple[float, float, float, float]:
    if isinstance(shape, Rect):
        return shape.x, shape.y, shape.x + shape.width, shape.y + shape.height
    if isinstance(shape, Circle):
        return shape.x - shape.radius, shape.y - shape.radius, shape.x + shape.radius, shape.y + shape.radius
    across, down = zip(*shape.points)
    return min(across), min(down), max(across), max(down)


def _covers(shape: Rect | Circle | Polygon, x: float, y: float) -> bool:
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
