"""Buttons for the legal actions of an agent that is alone, in columns as wide as its area lets them be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envsuite.kit.fact_pictures import columns_for
from envsuite.render.scene import Label, Rect, Scene


class Buttons:
    """Draws buttons with the names of the legal actions, and finds the one at a point.

    Args:
        area: left, top, width and height.
    """

    def __init__(self, area: tuple[float, float, float, float]):
        self.area = area

    def draw(self, scene: Scene, world: Any, s: Any) -> None:
        """Draw all of them."""
        for _, name, (x, y, width, line, letters) in self._places(world, s):
            scene.add(
                Rect(x, y + 0.05 * line, width, 0.9 * line, "panel", radius=0.2 * line),
                Label(x + 0.3 * letters, y + line / 2, name, letters, align="left"),
            )

    def at(self, world: Any, s: Any, x: float, y: float) -> int | None:
        """The action whose button is at a point, or None."""
        for action, _, (left, top, width, line, _) in self._places(world, s):
            if left <= x < left + width and top <= y < top + line:
                return action
        return None

    def _places(self, world: Any, s: Any) -> Iterator[tuple[int, str, tuple[float, float, float, float, float]]]:
        """The legal actions: number, name; left, top, width, height of the line, and size of letters."""
        actions = world.legal_actions(s, 0)
        names = [world.action_names[0][action] for action in actions]
        left, top, width, _ = self.area
        columns, line, letters = columns_for(names, self.area)
        rows = -(-len(names) // columns)
        for k, (action, name) in enumerate(zip(actions, names)):
            x, y = left + width / columns * (k // rows), top + line * (k % rows)
            yield int(action), name, (x, y, width / columns - 0.1, line, letters)
