"""`MapGenerator`: levels that are maps of letters, ``{"map": [...]}``, as worlds of avatars read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from envsuite.core.errors import LevelError
from envsuite.generators.base import Generator
from envsuite.kit import avatars


class MapGenerator(Generator):
    """A generator whose record has the codes of a map, `level.map`; `legend` has their letters, first the wall's."""

    legend: ClassVar[str]
    #: Whether the map has no walls around it.
    torus = False

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": avatars.write_map(s.level.map, self.legend)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        if unknown := set(level) - {"kind", "map"}:
            raise LevelError(f"{self.kind}: the level has an unknown part {sorted(unknown)[0]!r}")
        height, width = s.level.map.shape
        s.level.map[:] = avatars.read_map(level["map"], self.legend, height, width, self.kind, torus=self.torus)
