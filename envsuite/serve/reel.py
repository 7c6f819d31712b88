"""Reels: the pictures of viewers while an episode runs, each sent as its difference from the one before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.render.page import Film
from envsuite.render.scene import Scene

#: Items after which the page gets all that is needed again, so that its memory does not grow for ever.
_MOST = 5000


class Reel:
    """The pictures of one viewer, with the numbering of sprites and items that all pages of this viewer share.

    Viewers who see the same picture may share a reel (see `Reels`).
    """

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


class Reels:
    """The reels of all viewers of a table. Those whose pictures are equal share one, for as long as they are equal.

    A reel holds all its past pictures, so each of its viewers must have seen all of them. A new viewer never joins a
    reel, but begins one with those who see the same now; a viewer who looks away leaves a reel that others look at.
    """

    def __init__(self) -> None:
        self._of: dict[int | None, Reel] = {}

    def show(self, scenes: Mapping[int | None, Scene]) -> tuple[dict[int | None, dict[str, Any]], set[int | None]]:
        """The next picture of each viewer, one object for those who share it, and the viewers who need all of it."""
        looked_at = {self._of[viewer] for viewer in scenes if viewer in self._of}
        self._of = {viewer: reel for viewer, reel in self._of.items() if viewer in scenes or reel not in looked_at}
        new: set[int | None] = set()
        for viewer, scene in scenes.items():
            if viewer not in self._of:
                same = {other for other, its in scenes.items() if _equal(its, scene)}
                self._of.update(dict.fromkeys(same, Reel()))
                new |= same
        made: dict[Reel, tuple[Scene, dict[str, Any]]] = {}
        for viewer, scene in scenes.items():
            reel = self._of[viewer]
            if reel in made and not _equal(made[reel][0], scene):  # they part
                reel = self._of[viewer] = Reel()
                new.add(viewer)
            if reel not in made:
                made[reel] = scene, reel.show(scene)
        return {viewer: made[self._of[viewer]][1] for viewer in scenes}, new

    def __contains__(self, viewer: int | None) -> bool:
        return viewer in self._of

    def whole(self, viewer: int | None) -> dict[str, Any]:
        """The last picture of a viewer, for a page that has none."""
        return self._of[viewer].whole()

    def forget(self, viewer: int | None) -> None:
        """Somebody else looks from now on."""
        self._of.pop(viewer, None)


def _equal(one: Scene, other: Scene) -> bool:
    try:
        return bool(one == other)
    except ValueError:  # arrays as points
        return False


def _columns(items: list[tuple[int, int, int]]) -> list[list[int]]:
    return [list(column) for column in zip(*items)] or [[], [], []]
