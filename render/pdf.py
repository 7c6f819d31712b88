"""PDF files: a scene as vector graphics, with its two fonts inside."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from envsuite.render import letters
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape
from envsuite.render.theme import rgba

#: The em, in pixels, at which letters are measured; PDF has 1000 units to the em.
EM = 1000

#: The distance of the handles of a Bézier curve that is a quarter of a circle, in radii.
ROUND = 0.5523


def pdf(scene: Scene, size: int = 640, theme: str = "light") -> bytes:
    """The scene as a PDF file of one page, whose longest side is `size` points (1/72 inch)."""
    page = _Page(theme, scene.width)
    page.add(Rect(0, 0, scene.width, scene.height, scene.background), *scene.shapes)
    unit = size / max(scene.width, scene.height)
    sides = _numbers(unit * scene.width, unit * scene.height)
    content = f"{_numbers(unit, 0, 0, -unit, 0, unit * scene.height)} cm 1 J 1 j\n" + "\n".join(page.content)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {sides}] /Contents 4 0 R /Resources 5 0 R >>".encode(),
        _stream(content.encode()),
    ]
    alphas = "".join(f"/A{k} << /ca {_numbers(alpha)} /CA {_numbers(alpha)} >> " for alpha, k in page.alphas.items())
    used = [bold for bold in (False, True) if page.codes[bold]]
    fonts = "".join(f"/F{bold:d} {6 + 3 * k} 0 R " for k, bold in enumerate(used))
    objects.append(f"<< /ExtGState << {alphas}>> /Font << {fonts}>> >>".encode())
    for bold in used:
        objects += _font(bold, list(page.codes[bold]), len(objects) + 2)
    return _file(objects)


class _Page:
    """The operators that paint shapes, the opacities that they use, and the codes of their letters in each font."""

    def __init__(self, theme: str, room: float):
        self.theme, self.room = theme, room
        self.content: list[str] = []
        self.alphas: dict[float, int] = {}
        self.codes: dict[bool, dict[str, int]] = {False: {}, True: {}}

    def add(self, *shapes: Shape) -> None:
        for shape in shapes:
            if isinstance(shape, Label):
                self._write(shape)
            elif isinstance(shape, Line):
                self._paint(_path(shape.points), None, shape.color, shape.width)
            elif isinstance(shape, Circle):
                x, y, r = shape.x, shape.y, shape.radius
                self._paint(_rounded(x - r, y - r, 2 * r, 2 * r, r), shape.fill, shape.outline, shape.line)
            elif isinstance(shape, Polygon):
                self._paint(_path(shape.points) + " h", shape.fill, shape.outline, shape.line)
            else:
                inset = shape.line / 2 if shape.outline is not None else 0.0  # the outline is inside the edge
                wide, high = (max(side - 2 * inset, 0) for side in (shape.width, shape.height))
                path = _rounded(shape.x + inset, shape.y + inset, wide, high, min(shape.radius, wide / 2, high / 2))
                self._paint(path, shape.fill, shape.outline, shape.line)

    def _paint(self, path: str, fill: str | None, outline: str | None, line: float) -> None:
        if fill is not None:
            self.content.append(f"{self._ink(fill, 'rg')} {path} f")
        if outline is not None:
            self.content.append(f"{self._ink(outline, 'RG')} {_numbers(line)} w {path} S")

    def _ink(self, color: str, operator: str) -> str:
        *rgb, alpha = rgba(color, self.theme)
        number = self.alphas.setdefault(alpha, len(self.alphas))
        return f"/A{number} gs " + _numbers(*(part / 255 for part in rgb)) + f" {operator}"

    def _write(self, label: Label) -> None:
        em = label.size / EM
        words = letters.fit(label.text, EM, label.bold, min(label.width or self.room, self.room) / em)
        wide = em * sum(letters.width(letter, EM, label.bold) for letter in words)
        left = label.x - wide * {"left": 0, "center": 0.5, "right": 1}[label.align]
        parts = [self._ink(label.color, "rg"), f"BT {_numbers(1, 0, 0, -1, left, label.y + 0.35 * label.size)} Tm"]
        for piece, bold in letters.runs(words, label.bold):
            codes = self.codes[bold]
            shown = bytes(codes.setdefault(letter, len(codes)) for letter in piece)
            parts.append(f"/F{bold:d} {_numbers(label.size)} Tf <{shown.hex()}> Tj")
        self.content.append(" ".join([*parts, "ET"]))


def _numbers(*values: float) -> str:
    """Numbers as PDF takes them, which has no exponents."""
    return " ".join(f"{value:.4f}".rstrip("0").rstrip(".") for value in values)


def _path(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_numbers(x, y)} {'l' if k else 'm'}" for k, (x, y) in enumerate(points))


def _rounded(x: float, y: float, width: float, height: float, radius: float) -> str:
    """A rectangle whose corners are quarters of circles."""
    if not radius:
        return f"{_numbers(x, y, width, height)} re"
    right, low, handle = x + width, y + height, radius * (1 - ROUND)
    parts = [f"{_numbers(x + radius, y)} m"]
    for (cx, cy), (ax, ay), (bx, by) in (  # a corner, and the ways from it back to the last side and on to the next
        ((right, y), (-1, 0), (0, 1)),
        ((right, low), (0, -1), (-1, 0)),
        ((x, low), (1, 0), (0, -1)),
        ((x, y), (0, 1), (1, 0)),
    ):
        start, end = (cx + ax * radius, cy + ay * radius), (cx + bx * radius, cy + by * radius)
        first, second = (cx + ax * handle, cy + ay * handle), (cx + bx * handle, cy + by * handle)
        parts.append(f"{_numbers(*start)} l {_numbers(*first, *second, *end)} c")
    return " ".join([*parts, "h"])


def _font(bold: bool, used: list[str], number: int) -> list[bytes]:
    """A font with the letters `used` in order of their codes; the objects after it begin with this number."""
    name = "Bold" if bold else "Regular"
    face = letters.font(EM, bold)
    widths = " ".join(str(face.size(letter)[0]) for letter in used)
    named = " ".join(f"/uni{ord(letter):04X}" for letter in used)
    data = letters.file(bold)
    return [
        f"<< /Type /Font /Subtype /TrueType /BaseFont /{name} /FirstChar 0 /LastChar {len(used) - 1} "
        f"/Widths [{widths}] /FontDescriptor {number} 0 R "
        f"/Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [0 {named}] >> >>".encode(),
        f"<< /Type /FontDescriptor /FontName /{name} /Flags 32 /FontBBox [-500 -300 1500 1000] /ItalicAngle 0 "
        f"/Ascent {face.get_ascent()} /Descent {face.get_descent()} /CapHeight 700 /StemV {140 if bold else 80} "
        f"/FontFile2 {number + 1} 0 R >>".encode(),
        _stream(data, f" /Length1 {len(data)}"),
    ]


def _stream(data: bytes, more: str = "") -> bytes:
    packed = zlib.compress(data, 9)
    head = f"<< /Length {len(packed)} /Filter /FlateDecode{more} >>\nstream\n"
    return head.encode() + packed + b"\nendstream"


def _file(objects: list[bytes]) -> bytes:
    """The objects, numbered from 1, with the table of their places."""
    parts, places = [b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"], []
    for number, body in enumerate(objects, 1):
        places.append(sum(map(len, parts)))
        parts.append(b"%d 0 obj\n%b\nendobj\n" % (number, body))
    end = sum(map(len, parts))
    count = len(objects) + 1
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n" % count + table)
    parts.append(b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, end))
    return b"".join(parts)
