"""Dice, drawn."""

from __future__ import annotations

from envsuite.render.scene import Circle, Label, Rect, Shape

#: Places of the pips of a face, in quarters of the die's width.
_TWO, _CROSS = ((-1, -1), (1, 1)), ((-1, -1), (1, 1), (-1, 1), (1, -1))
_SIX = (*_CROSS, (-1, 0), (1, 0))
PIPS = (
    (), ((0, 0),), _TWO, (*_TWO, (0, 0)), _CROSS, (*_CROSS, (0, 0)), _SIX, (*_SIX, (0, 0)),
    (*_SIX, (0, -1), (0, 1)), (*_SIX, (0, -1), (0, 1), (0, 0)),
)  # fmt: skip


def die(
    x: float, y: float, face: int, seen: bool = True, marked: bool = False, size: float = 1.0, wild: bool = False
) -> list[Shape]:
    """A die around a point, with its pips or covered. The pips of a wild face are gold."""
    left, top, radius = x - size / 2, y - size / 2, 0.18 * size
    shadow = Rect(left + 0.03 * size, top + 0.06 * size, size, size, "shadow@0.25", radius=radius)
    if not seen:
        cover = Rect(left, top, size, size, "deep", "white", 0.04 * size, radius, glyph="?")
        return [shadow, cover, Label(x, y, "?", 0.5 * size, "white@0.7", bold=True, terminal=False)]
    body = Rect(left, top, size, size, "white", "good" if marked else "line", (0.1 if marked else 0.02) * size, radius)
    pips = [
        Circle(x + 0.25 * size * across, y + 0.25 * size * down, 0.1 * size, "gold" if wild else "black", glyph="")
        for across, down in PIPS[face]
    ]
    return [shadow, body, *pips, Circle(x, y, 0.1 * size, None, glyph=str(face))]
