"""Pictures of houses: a box for each receptacle with what is in it."""

from __future__ import annotations

from math import ceil
from typing import Any

from envsuite.core.digits import whole
from envsuite.games.household_text.terms import NAMES, PLACES, THINGS, TRAITS
from envsuite.kit.telling import Telling, a
from envsuite.kit.things import MOST, OPEN, OPENABLE, ROOM
from envsuite.render.scene import Label, Rect, Scene, human, text_width


class Numbered(Telling):
    """Names with a number have no article: "desk 1", but "the desk"."""

    def a(self, thing: int, states: int = 0) -> str:
        name = self.name(thing, states)
        return name if whole(name[-1]) is not None else a(name)

    def the(self, thing: int) -> str:
        name = self.things[thing].name
        return name if whole(name[-1]) is not None else f"the {name}"


TOLD = Numbered(THINGS, TRAITS, ["house"])


def house(
    scene: Scene, seen: Any, area: tuple[float, float, float, float], at: int = -1, unknown: set[int] | None = None
) -> None:
    """Draw the receptacles in an area; `at` is where the agent is, and what is in those of `unknown` is not known."""
    here = [k for k in range(PLACES) if seen.places[k] == ROOM]
    left, top, width, height = area
    columns = 4 if len(here) <= 16 else 6
    rows = ceil(len(here) / columns)
    wide, high = width / columns, min(height / max(rows, 1), 4.6)
    for k, place in enumerate(here):
        x, y = left + wide * (k % columns) + 0.1, top + high * (k // columns) + 0.1
        states = int(seen.states[place])
        hidden = unknown is not None and place in unknown
        lid = "" if not TRAITS[place] & OPENABLE else "open" if states & OPEN else "closed"
        fill = "panel" if hidden else "soil@0.3" if lid == "closed" else "floor"
        scene.add(
            Rect(
                x,
                y,
                wide - 0.2,
                high - 0.2,
                fill,
                "gold" if place == at else "line",
                0.14 if place == at else 0.05,
                0.2,
            )
        )
        ink = "ink" if hidden or lid == "closed" else "black"
        size = 0.55 * min(1.0, (wide - 0.7) / text_width(NAMES[place], 0.6))
        scene.add(Label(x + 0.25, y + 0.5, NAMES[place], size, ink, "left", bold=True))
        if lid:
            scene.add(Label(x + 0.25, y + high - 0.55, lid, 0.38, ink, "left"))
        if place == at:
            scene.add(*human(x + wide - 0.75, y + high - 0.85, 1.0))
        things = [t for t in range(PLACES, MOST) if seen.places[t] == place]
        lines = [TOLD.name(t, int(seen.states[t])) for t in things] or (["?"] if hidden else ["empty"])
        room = max(1, int((high - 1.5) / 0.55))
        if len(lines) > room:
            lines = [*lines[: room - 1], f"and {len(lines) - room + 1} more"]
        for n, line in enumerate(lines):
            color = "muted" if not things and lid != "closed" else ink
            scene.add(Label(x + 0.4, y + 1.1 + 0.55 * n, line, 0.45, color, "left", width=wide - 0.9))
