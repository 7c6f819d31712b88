"""Words for what is seen in a laboratory house, and pictures of its rooms."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.generators.experiment_terms import (
    BLOOM,
    BULB,
    FIRST_MELTABLE,
    FIRST_SEED,
    FIRST_WIRE,
    FRUIT,
    GAS,
    LIQUID,
    MELTABLE,
    MELTS,
    NAMES,
    POWDER,
    ROOMS,
    SEEDS,
    SINK,
    SPROUT,
    SWITCHED,
    THINGS,
    TRAITS,
    WATER,
    WET,
    WIRES,
)
from envsuite.kit.telling import Telling, listed
from envsuite.kit.things import HELD, ON, OPEN, OPENABLE, ROOM
from envsuite.render.scene import Label, Rect, Scene, human, text_width

#: How things with a bulb's kind run.
RUNS = ("glowing", "turning", "buzzing")


def _usual(thing: int) -> int:
    """The state in which a substance usually is: solid (0) or liquid."""
    return LIQUID if thing != POWDER and MELTS[thing - FIRST_MELTABLE] < 20 else 0


class Lab(Telling):
    """Names say whether something is ice or steam, melted, a sprout, on or wet."""

    def name(self, thing: int, states: int = 0) -> str:
        name = self.things[thing].name
        if FIRST_MELTABLE <= thing < FIRST_MELTABLE + MELTABLE:
            phase = states & (LIQUID | GAS)
            if thing == WATER:
                return {0: "ice", LIQUID: name, GAS: "steam"}.get(phase, name)
            if phase == _usual(thing):
                return name
            return f"{name} vapor" if phase & GAS else f"melted {name}" if phase else f"frozen {name}"
        if FIRST_SEED <= thing < FIRST_SEED + SEEDS:
            for state, word in ((FRUIT, "plant with fruit"), (BLOOM, "plant in bloom"), (SPROUT, "sprout")):
                if states & state:
                    return f"{name} {word}"
            return f"{name} seed"
        if BULB <= thing < BULB + 3 and states & ON:
            return f"{RUNS[thing - BULB]} {name}"
        if states & WET:
            return f"wet {name}"
        if TRAITS[thing] & SWITCHED and states & ON:
            return f"{name} ({'running' if thing == SINK else 'on'})"
        return name

    def ways(self, seen: Any) -> str:
        """The rooms next to this one."""
        rooms = [f"the {ROOMS[k]}" for k in range(len(ROOMS)) if seen.ways[k]]
        return f"You can go to {listed(rooms, 'or')}." if rooms else "There is no way out."

    def wires(self, seen: Any) -> list[str]:
        """What each wire is connected to."""
        found = []
        for k, ends in enumerate(np.asarray(seen.wires).tolist()):
            things = [self.the(end) for end in ends if end >= 0]
            if things:
                where = f"to {things[0]} with one end" if len(things) == 1 else f"to {listed(things)}"
                found.append(f"The {NAMES[FIRST_WIRE + k]} is connected {where}.")
        return found


TOLD = Lab(THINGS, TRAITS, ROOMS, opened=True)


def lines(seen: Any, place: int, depth: int = 0) -> list[tuple[int, str]]:
    """All that is seen at a place, in and on each other: how deep it is, and its name."""
    found = []
    for thing in TOLD.at(seen, place):
        states = int(seen.states[thing])
        lid = f" ({'open' if states & OPEN else 'closed'})" if TRAITS[thing] & OPENABLE else ""
        found += [(depth, TOLD.name(thing, states) + lid), *lines(seen, thing, depth + 1)]
    return found


def joined(ends: Any) -> list[str]:
    """The wires that are connected, in short."""
    return [
        f"{NAMES[FIRST_WIRE + k]}: {' - '.join(NAMES[end] for end in ends[k] if end >= 0)}"
        for k in range(WIRES)
        if max(ends[k]) >= 0
    ]


def draw_lines(scene: Scene, rows: list[tuple[int, str]], area: tuple[float, float, float, float]) -> None:
    """Draw what is at a place in an area (left, top, width, height), in one or two columns."""
    left, top, width, height = area
    columns = 1 if len(rows) <= height / 0.6 else 2
    each = -(-len(rows) // columns)
    line = min(0.62, height / max(each, 1))
    for k, (depth, name) in enumerate(rows):
        x = left + width / columns * (k // each) + 0.4 * depth
        size = min(0.72 * line, 0.72 * line * (width / columns - 0.4 * depth - 0.2) / text_width(name, 0.72 * line))
        y = top + line * (k % each + 0.5)
        scene.add(Label(x, y, name, size, "black", "left", bold=depth == 0))


def house(scene: Scene, s: Any, area: tuple[float, float, float, float]) -> None:
    """Draw all rooms with what is in them, and the agent's room with a frame."""
    left, top, width, height = area
    wide, high = width / 3, height / 2
    for room, name in enumerate(ROOMS):
        x, y = left + wide * (room % 3) + 0.1, top + high * (room // 3) + 0.1
        here = int(s.room) == room
        scene.add(
            Rect(x, y, wide - 0.2, high - 0.2, "floor", "gold" if here else "line", 0.14 if here else 0.05, 0.2),
            Label(x + 0.3, y + 0.5, name, 0.55, "black", "left", bold=True),
        )
        near = ", ".join(ROOMS[other] for other in sorted(s.exits[room].tolist()) if other >= 0)
        scene.add(Label(x + wide - 0.5, y + 0.5, f"to: {near or 'no room'}", 0.36, "black", "right", width=wide - 4.0))
        draw_lines(scene, lines(s, ROOM + room), (x + 0.3, y + 1.0, wide - 0.6, high - 1.5))
        if here:
            scene.add(*human(x + wide - 0.9, y + high - 0.9, 1.2))


def carried(seen: Any) -> str:
    """What is carried, in short."""
    return ", ".join(name for _, name in lines(seen, HELD)) or "nothing"
