"""The pieces of chess, drawn from polygons and discs; a piece stands in a cell of side 1 around its center."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from envsuite.core.errors import RenderError, suggest
from envsuite.render.scene import Circle, Line, Polygon, Rect, Shape

Points = Sequence[tuple[float, float]]

# Right halves of outlines, from the bottom to the middle of the top. A point that is given twice is a corner.
_FOOT = [(0.29, 0.38), (0.29, 0.38), (0.29, 0.30), (0.22, 0.26)]
_PAWN = [*_FOOT, (0.12, 0.16), (0.085, 0.02), (0.085, -0.02), (0.16, -0.03), (0.16, -0.03), (0.16, -0.075),
         (0.16, -0.075), (0, -0.075)]  # fmt: skip
_ROOK = [*_FOOT, (0.19, 0.20), (0.165, 0.16), (0.15, -0.12), (0.165, -0.15), (0.25, -0.19), (0.25, -0.19),
         (0.25, -0.36), (0.25, -0.36), (0.15, -0.36), (0.15, -0.36), (0.15, -0.28), (0.15, -0.28),
         (0.065, -0.28), (0.065, -0.28), (0.065, -0.36), (0.065, -0.36), (0, -0.36), (0, -0.36)]  # fmt: skip
_BISHOP = [*_FOOT, (0.15, 0.20), (0.10, 0.10), (0.17, 0.08), (0.17, 0.03), (0.11, 0.02), (0.20, -0.05),
           (0.20, -0.16), (0.11, -0.26), (0, -0.34)]  # fmt: skip
_QUEEN = [*_FOOT, (0.20, 0.21), (0.20, 0.21), (0.22, 0.10), (0.37, -0.23), (0.37, -0.23), (0.22, -0.07),
          (0.22, -0.07), (0.19, -0.30), (0.19, -0.30), (0.09, -0.09), (0.09, -0.09), (0, -0.34),
          (0, -0.34)]  # fmt: skip
_KING = [*_FOOT, (0.20, 0.21), (0.20, 0.21), (0.24, 0.12), (0.37, 0.0), (0.37, -0.15), (0.24, -0.21), (0.11, -0.16),
         (0.0, -0.02), (0.0, -0.02)]  # fmt: skip
# The knight faces left and is not symmetric, so this is its whole outline.
_KNIGHT = [(-0.27, 0.38), (-0.27, 0.38), (-0.27, 0.30), (-0.20, 0.26), (-0.16, 0.18), (-0.06, 0.07), (0.0, -0.01),
           (-0.10, 0.01), (-0.18, 0.07), (-0.24, 0.14), (-0.34, 0.10), (-0.35, 0.01), (-0.26, -0.12), (-0.21, -0.24),
           (-0.17, -0.29), (-0.17, -0.29), (-0.17, -0.40), (-0.17, -0.40), (-0.08, -0.33), (0.05, -0.33), (0.21, -0.26),
           (0.29, -0.08), (0.29, 0.12), (0.27, 0.26), (0.31, 0.30), (0.31, 0.38), (0.31, 0.38)]  # fmt: skip

#: The kinds of pieces, from the least to the greatest.
PIECES = ("pawn", "knight", "bishop", "rook", "queen", "king")
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
#: The letters of white pieces; those of black pieces are lowercase.
LETTERS = "PNBRQK"


@cache
def _outline(points: tuple[tuple[float, float], ...]) -> Points:
    """A closed line with its corners cut twice (Chaikin), which makes it look round; doubled points stay corners."""
    for _ in range(2):
        cut: list[tuple[float, float]] = []
        for (x, y), (u, v) in zip(points, (*points[1:], points[0])):
            cut += [(0.75 * x + 0.25 * u, 0.75 * y + 0.25 * v), (0.25 * x + 0.75 * u, 0.25 * y + 0.75 * v)]
        points = tuple(cut)
    return points


#: Sentences of pages for players, shared by chess and its smaller boards.
MOVES = (
    "A rook moves any number of squares along a file or rank, a bishop any number diagonally, and a queen does either. "
    "A knight moves two squares along a file or rank and then one to the side, and jumps over what is between. A king "
    "moves one square in any direction. Pieces other than the knight do not jump. A piece that moves onto a piece of "
    "the other player captures it; it cannot move onto one of its own side."
)
CHECK = (
    "Your king is in check if the other player attacks it. A move that leaves your king in check is not legal. If you "
    "are in check and have no legal move, you are checkmated."
)
MATERIAL = (
    "if nothing is left but bare kings, or just one knight beside them, or only bishops that all stand on squares of "
    "one color;"
)


def _whole(half: Points) -> Points:
    return (*half, *((-x, y) for x, y in reversed(half) if x))


def chess_piece(x: float, y: float, piece: str, white: bool, size: float = 1.0, glyph: str = "") -> list[Shape]:
    """One of `PIECES` around a point. A terminal shows its letter, or `glyph`."""
    fill, edge, detail = ("white", "black", "black") if white else ("black", "black", "white")
    line = 0.036 * size

    def at(points: Points) -> Points:
        return [(x + size * u, y + size * v) for u, v in points]

    def body(points: Points) -> Polygon:
        return Polygon(at(_outline(tuple(points))), fill, edge, line)

    def disc(u: float, v: float, radius: float) -> Circle:
        return Circle(x + size * u, y + size * v, size * radius, fill, edge, line, glyph="")

    def dot(u: float, v: float, radius: float) -> Circle:
        return Circle(x + size * u, y + size * v, size * radius, detail, glyph="")

    def stroke(*points: tuple[float, float]) -> Line:
        return Line(at(points), detail, line)

    def bar(*points: tuple[float, float]) -> Line:
        return Line(at(points), edge, 2 * line)

    belt, collar = stroke((-0.21, 0.285), (0.21, 0.285)), stroke((-0.17, 0.19), (0.17, 0.19))
    shapes: list[Shape]
    match piece:
        case "pawn":
            shapes = [body(_whole(_PAWN)), disc(0, -0.19, 0.135)]
        case "knight":
            mane = stroke((0.09, -0.24), (0.19, -0.14), (0.22, 0.02), (0.22, 0.18))
            shapes = [body(_KNIGHT), dot(-0.13, -0.17, 0.03), dot(-0.28, 0.04, 0.018), mane]
        case "bishop":
            cross = [stroke((0, -0.21), (0, -0.06)), stroke((-0.07, -0.14), (0.07, -0.14))]
            shapes = [disc(0, -0.35, 0.055), body(_whole(_BISHOP)), stroke((-0.10, 0.055), (0.10, 0.055)), *cross]
        case "rook":
            shapes = [body(_whole(_ROOK)), stroke((-0.15, 0.17), (0.15, 0.17)), stroke((-0.16, -0.16), (0.16, -0.16))]
        case "queen":
            tips = ((-0.37, -0.25), (-0.19, -0.32), (0, -0.36), (0.19, -0.32), (0.37, -0.25))
            shapes = [body(_whole(_QUEEN)), *(disc(u, v, 0.05) for u, v in tips), collar]
        case "king":
            cross = [bar((0, -0.08), (0, -0.42)), bar((-0.09, -0.33), (0.09, -0.33))]
            shapes = [*cross, body(_whole(_KING)), collar, stroke((0, 0), (0, 0.17))]
        case _:
            raise RenderError(f"there is no piece of chess called {piece!r}{suggest(piece, PIECES)}")
    # A rectangle without size gives the place of a terminal's sign, because an outline has its middle elsewhere.
    letter = LETTERS[PIECES.index(piece)]
    sign = Rect(x, y, 0, 0, None, glyph=glyph or (letter if white else letter.lower()))
    return [sign, *shapes, belt]
