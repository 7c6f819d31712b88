"""Words for what is seen in a laboratory house, and pictures of its rooms."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.page import listed
from envsuite.games.science_lab import terms
from envsuite.kit.telling import Telling
from envsuite.kit.things import HELD, ON, OPEN, OPENABLE, ROOM
from envsuite.render.scene import Circle, Label, Rect, Scene, human, text_width

#: How things with a bulb's kind run.
RUNS = ("glowing", "turning", "buzzing")


def _usual(thing: int) -> int:
    """The state in which a substance usually is: solid (0) or liquid."""
    return terms.LIQUID if thing != terms.POWDER and terms.MELTS[thing - terms.FIRST_MELTABLE] < 20 else 0


class Lab(Telling):
    """Names say whether something is ice or steam, melted, a sprout, on or wet."""

    def name(self, thing: int, states: int = 0) -> str:
        name = self.things[thing].name
        if terms.FIRST_MELTABLE <= thing < terms.FIRST_MELTABLE + terms.MELTABLE:
            phase = states & (terms.LIQUID | terms.GAS)
            if thing == terms.WATER:
                return {0: "ice", terms.LIQUID: name, terms.GAS: "steam"}.get(phase, name)
            if phase == _usual(thing):
                return name
            return f"{name} vapor" if phase & terms.GAS else f"melted {name}" if phase else f"frozen {name}"
        if terms.FIRST_SEED <= thing < terms.FIRST_SEED + terms.SEEDS:
            for state, word in (
                (terms.FRUIT, "plant with fruit"),
                (terms.BLOOM, "plant in bloom"),
                (terms.SPROUT, "sprout"),
            ):
                if states & state:
                    return f"{name} {word}"
            return f"{name} seed"
        if terms.BULB <= thing < terms.BULB + 3 and states & ON:
            return f"{RUNS[thing - terms.BULB]} {name}"
        if states & terms.WET:
            return f"wet {name}"
        if terms.TRAITS[thing] & terms.SWITCHED and states & ON:
            return f"{name} ({'running' if thing == terms.SINK else 'on'})"
        return name

    def ways(self, seen: Any) -> str:
        """The rooms next to this one."""
        rooms = [f"the {terms.ROOMS[k]}" for k in range(len(terms.ROOMS)) if seen.ways[k]]
        return f"You can go to {listed(rooms, 'or')}." if rooms else "There is no way out."

    def wires(self, seen: Any) -> list[str]:
        """What each wire is connected to."""
        found = []
        for k, ends in enumerate(np.asarray(seen.wires).tolist()):
            things = [self.the(end) for end in ends if end >= 0]
            if things:
                where = f"to {things[0]} with one end" if len(things) == 1 else f"to {listed(things)}"
                found.append(f"The {terms.NAMES[terms.FIRST_WIRE + k]} is connected {where}.")
        return found


TOLD = Lab(terms.THINGS, terms.TRAITS, terms.ROOMS, opened=True)


#: Colors of things with one; stove, furnace and consumers have one while they are on.
_COLORS = {
    **{f"{color} {kind}": color for kind in ("wire", "paint", "box") for color in ("red", "blue", "green")},
    "black wire": "black", "yellow paint": "yellow", "orange paint": "orange", "violet paint": "purple",
    "brown paint": "brown", "water": "sky", "orange juice": "gold", "soil": "brown",
    **dict.fromkeys(("fern", "moss", "cactus", "bean", "pea"), "leaf"),
}  # fmt: skip


def color_of(thing: int, states: int) -> str | None:
    """The color of a thing, if it has one."""
    if states & ON:
        return "sky" if thing == terms.SINK else "gold"
    return _COLORS.get(terms.NAMES[thing])


def lines(seen: Any, place: int, depth: int = 0) -> list[tuple[int, str, str | None]]:
    """All that is seen at a place, in and on each other: how deep it is, its name, its color."""
    found = []
    for thing in TOLD.at(seen, place):
        states = int(seen.states[thing])
        lid = f" ({'open' if states & OPEN else 'closed'})" if terms.TRAITS[thing] & OPENABLE else ""
        found.append((depth, TOLD.name(thing, states) + lid, color_of(thing, states)))
        found += lines(seen, thing, depth + 1)
    return found


def joined(ends: Any) -> list[str]:
    """The wires that are connected, in short."""
    return [
        f"{terms.NAMES[terms.FIRST_WIRE + k]}: {' - '.join(terms.NAMES[end] for end in ends[k] if end >= 0)}"
        for k in range(terms.WIRES)
        if max(ends[k]) >= 0
    ]


def draw_lines(scene: Scene, rows: list[tuple[int, str, str | None]], area: tuple[float, float, float, float]) -> None:
    """Draw what is at a place in an area (left, top, width, height), in one or two columns."""
    left, top, width, height = area
    columns = 1 if len(rows) <= height / 0.6 else 2
    each = -(-len(rows) // columns)
    line = min(0.62, height / max(each, 1))
    for k, (depth, name, color) in enumerate(rows):
        x, y = left + width / columns * (k // each) + 0.4 * depth, top + line * (k % each + 0.5)
        if color:
            scene.add(Circle(x + 0.3 * line, y, 0.3 * line, color))
            x += 0.85 * line
        room = left + width / columns * (k // each + 1) - x - 0.2
        size = min(0.72 * line, 0.72 * line * room / text_width(name, 0.72 * line))
        scene.add(Label(x, y, name, size, "black", "left", bold=depth == 0))


def house(scene: Scene, s: Any, area: tuple[float, float, float, float]) -> None:
    """Draw all rooms with what is in them, and the agent's room with a frame."""
    left, top, width, height = area
    wide, high = width / 3, height / 2
    for room, name in enumerate(terms.ROOMS):
        x, y = left + wide * (room % 3) + 0.1, top + high * (room // 3) + 0.1
        here = int(s.room) == room
        scene.add(
            Rect(x, y, wide - 0.2, high - 0.2, "floor", "gold" if here else "line", 0.14 if here else 0.05, 0.2),
            Label(x + 0.3, y + 0.5, name, 0.55, "black", "left", bold=True),
        )
        near = ", ".join(terms.ROOMS[other] for other in sorted(s.exits[room].tolist()) if other >= 0)
        words = f"next to: {near or 'no room'}"
        scene.add(Label(x + 0.3, y + high - 0.6, words, 0.36, "black", "left", width=wide - 0.7))
        draw_lines(scene, lines(s, ROOM + room), (x + 0.3, y + 1.0, wide - 0.6, high - 2.0))
        if here:
            scene.add(*human(x + wide - 0.9, y + 0.85, 1.1))


def started(part: Any) -> Any:
    """A level whose substances have the states that they start with."""
    for thing in range(terms.FIRST_MELTABLE, terms.FIRST_MELTABLE + terms.MELTABLE):
        part.states[thing] |= _usual(thing)
    return part


def carried(seen: Any) -> str:
    """What is carried, in short."""
    return ", ".join(name for _, name, _ in lines(seen, HELD)) or "nothing"
