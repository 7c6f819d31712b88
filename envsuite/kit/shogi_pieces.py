"""Shared by shogi and animal shogi: pieces as wedges that point forward, and the pieces in hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor
from typing import Any

from envsuite.core.page import counted, listed
from envsuite.render.scene import Circle, Label, Polygon, Rect, Shape, moved
from envsuite.render.theme import agent_color

#: The outline of a wedge in a cell of side 1 that points down.
WEDGE = [(-0.44, -0.44), (0.44, -0.44), (0.44, 0.34), (0.0, 0.47), (-0.44, 0.34)]

#: The width of the box with a player's hand; each kind of piece has a place of height 1 in it.
HAND_WIDTH = 1.15


def forward(owner: int, agent: int | None) -> int:
    """The vertical direction in which a player's pieces point in an agent's picture: -1 is up."""
    return -1 if owner == (agent or 0) else 1


def wedge(
    x: float, y: float, owner: int, agent: int | None, glyph: str, face: Sequence[Shape], size: float = 1.0
) -> list[Shape]:
    """A piece around a point of an agent's picture: a wedge in its owner's color, and a face around (0, 0) on it.

    A terminal shows the glyph in a color that is mixed with the face, or what glyphs are in the face.
    """
    outline = [(u, forward(owner, agent) * v) for u, v in WEDGE]
    shapes: list[Shape] = [Rect(0, 0, 0, 0, None, glyph=glyph)] if glyph else []
    shapes += [Polygon(outline, agent_color(owner), "shadow@0.35", 0.03), *face]
    return [moved(shape, x, y, size) for shape in shapes]


def hand_box(
    left: float, top: float, counts: Sequence[Any], piece: Callable[[float, float, int], list[Shape]]
) -> list[Shape]:
    """A player's hand from its top left corner: a place for each kind, with `piece(x, y, kind)` in it if it is held."""
    shapes: list[Shape] = [Rect(left, top, HAND_WIDTH, float(len(counts)), "soil", radius=0.1)]
    for k, count in enumerate(map(int, counts)):
        if count:
            shapes += piece(left + 0.52, top + k + 0.5, k)
        if count > 1:
            shapes.append(Circle(left + 0.95, top + k + 0.83, 0.17, "white", "black", 0.03, glyph=""))
            shapes.append(Label(left + 0.95, top + k + 0.84, str(count), 0.26, "black", bold=True))
    return shapes


def kind_at(x: float, y: float, left: float, top: float, kinds: int) -> int | None:
    """The kind whose place in a hand is at a point; None beside the hand."""
    return floor(y - top) if 0 <= x - left < HAND_WIDTH and 0 <= y - top < kinds else None


def hand_words(counts: Sequence[Any], kinds: Sequence[str]) -> str:
    """The pieces in a hand in words, "2 pawns and 1 rook"; "nothing" if there are none."""
    held = [counted(count, kind) for count, kind in zip(map(int, counts), kinds) if count]
    return listed(held) or "nothing"
