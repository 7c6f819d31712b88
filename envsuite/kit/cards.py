"""Shared by card games: decks, levels that deal cards, and the table in a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.render.scene import Rect, Scene


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


def dealt(world: Any, cards: Sequence[Any], lowest: int, highest: int, what: str = "card") -> list[int]:
    """The cards of a level; `LevelError` if one is not an integer in this range or occurs twice."""
    for k, card in enumerate(cards):
        if isinstance(card, bool) or card != int(card) or not lowest <= card <= highest:
            raise LevelError(
                f"{world.id}: {what} {k} of the level, {card!r}, must be an integer from {lowest} to {highest}"
            )
    if len(set(cards)) != len(cards):
        raise LevelError(f"{world.id}: the level has a {what} twice: {list(cards)}")
    return [int(card) for card in cards]


def draw_table(scene: Scene) -> None:
    """Fill a scene with a table."""
    width, height = scene.width, scene.height
    scene.add(Rect(0.4, 0.4, width - 0.8, height - 0.8, "felt", radius=0.8))
    scene.add(Rect(0.6, 0.6, width - 1.2, height - 1.2, None, outline="white@0.35", line=0.05, radius=0.65))
