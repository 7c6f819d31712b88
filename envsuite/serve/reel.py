"""Reels: the pictures of one viewer while an episode runs, each sent as its difference from the one before."""

from __future__ import annotations

from typing import Any

from envsuite.render.page import Film
from envsuite.render.scene import Scene

#: Items after which the page gets all that is needed again, so that its memory does not grow for ever.
_MOST = 5000


class Reel:
    """The pictures of one viewer, with the numbering of sprites and items that all pages of this viewer share."""

    def __init__(self) -> None:
        self._film = Film()
        self._shown: tuple[int, int] = (0, 0)

    def show(self, scene: Scene) -> dict[str, Any]:
        """The next picture for pages that have the last one."""
        film = self._film
        fresh = len(film.items.numbers) > _MOST
        if fresh:
            self._film = film = Film()
            self._shown = (0, 0)
        film.add(scene)
        sprites, items = self._shown
        self._shown = len(film.sprites.numbers), len(film.items.numbers)
        return {
            "fresh": fresh,
            "sprites": list(film.sprites)[sprites:],
            "items": _columns(list(film.items)[items:]),
            "ground": film.grounds.edits.pop(),
            "frame": film.frames.edits.pop(),
        }

    def whole(self) -> dict[str, Any]:
        """The last picture for a page that has none."""
        film = self._film
        ground, frame = film.grounds.last, film.frames.last
        return {
            "fresh": True,
            "sprites": list(film.sprites),
            "items": _columns(list(film.items)),
            "ground": [0, 0, len(ground), *ground] if ground else [],
            "frame": [0, 0, len(frame), *frame] if frame else [],
        }


def _columns(items: list[tuple[int, int, int]]) -> list[list[int]]:
    return [list(column) for column in zip(*items)] or [[], [], []]
