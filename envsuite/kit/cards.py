"""Shared by card games: decks, levels that deal cards, and the table in a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import read_numbers
from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene, Shape
from envsuite.render.scene import card as blank_card

#: Colors of spades, hearts, diamonds and clubs.
SUIT_COLORS = ("black", "red", "red", "black")


@kernel
def swap(deck, i, j):
    """Swap two cards of a deck."""
    held = deck[i]
    deck[i] = deck[j]
    deck[j] = held


@kernel
def draw(s, deck, place):
    """Put a random card of those from `place` to the end at `place`."""
    swap(deck, place, place + random.randint(s, deck.shape[0] - place))


def dealt(world: Any, level: Mapping[str, Any], part: str, sizes: tuple[int, int], ends: tuple[int, int]) -> list[int]:
    """This part of a level, a list of different cards: the least and the most cards, and the lowest and the highest."""
    what = f"{world.id}: the level's {part}"
    cards = read_numbers(level[part], what, (sizes,), *ends, whole=True).tolist()
    if len(set(cards)) != len(cards):
        raise LevelError(f"{what} have {next(card for card in cards if cards.count(card) > 1)} twice")
    return cards


def draw_table(scene: Scene) -> None:
    """Fill a scene with a table."""
    width, height = scene.width, scene.height
    scene.add(Rect(0.4, 0.4, width - 0.8, height - 0.8, "felt", radius=0.8))
    scene.add(Rect(0.6, 0.6, width - 1.2, height - 1.2, None, outline="white@0.35", line=0.05, radius=0.65))


def suit_mark(x: float, y: float, suit: int, size: float) -> list[Shape]:
    """A small spade (0), heart (1), diamond (2) or club (3) around a point."""
    color = SUIT_COLORS[suit]
    foot = Polygon([(x, y), (x - 0.2 * size, y + 0.5 * size), (x + 0.2 * size, y + 0.5 * size)], color)
    if suit == 2:
        wide, high = 0.38 * size, 0.52 * size
        return [Polygon([(x - wide, y), (x, y - high), (x + wide, y), (x, y + high)], color)]
    if suit == 3:
        leaves = ((0.0, -0.25), (-0.26, 0.1), (0.26, 0.1))
        return [*(Circle(x + a * size, y + b * size, 0.23 * size, color, glyph="") for a, b in leaves), foot]
    up = -1 if suit == 0 else 1  # a spade is a heart upside down, on a foot
    shapes: list[Shape] = [
        Circle(x - 0.235 * size, y - 0.15 * size * up, 0.27 * size, color, glyph=""),
        Circle(x + 0.235 * size, y - 0.15 * size * up, 0.27 * size, color, glyph=""),
        Polygon([(x - 0.46 * size, y), (x, y + 0.55 * size * up), (x + 0.46 * size, y)], color),
    ]
    return [*shapes, foot] if suit == 0 else shapes


def playing_card(x: float, y: float, rank: str, suit: int, face_up: bool, width: float) -> list[Shape]:
    """A card of four suits, with a large rank and its suit below, or face down."""
    if not face_up:
        return blank_card(x, y, "", False, width, 1.45 * width)
    return [
        *blank_card(x, y, "", True, width, 1.45 * width),
        Label(x, y - 0.3 * width, rank, 0.7 * width, SUIT_COLORS[suit], bold=True),
        *suit_mark(x, y + 0.32 * width, suit, 0.5 * width),
    ]
