"""Maps of text quests: all rooms, with what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envsuite.games.text_quest.terms import ROOMS, STATE_WORDS, THINGS, TRAITS
from envsuite.kit.telling import Telling
from envsuite.kit.things import CONTAINER, DOOR, EDIBLE, KEY, LOCKED, MOST, OPEN, ROOM, SUPPORTER
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, Shape, door, human, wrap

TOLD = Telling(THINGS, TRAITS, ROOMS, STATE_WORDS, opened=True)

#: The width of a room on the map, the gap between rooms, the height of a line, and the size of letters.
WIDTH, GAP, LINE, LETTERS = 8.0, 1.3, 0.72, 0.52

_DX, _DY = (0, 1, 0, -1), (-1, 0, 1, 0)


def places_of(s: Any, start: int) -> dict[int, tuple[int, int]]:
    """Cells of a map for all rooms that can be reached from one, column and row from 0 on."""
    places, queue = {start: (0, 0)}, [start]
    while queue:
        room = queue.pop(0)
        for side in range(4):
            other = int(s.exits[room, side])
            if other >= 0 and other not in places:
                x, y = places[room][0] + _DX[side], places[room][1] + _DY[side]
                while (x, y) in places.values():  # a map that does not lie in a plane
                    x, y = x + _DX[side] + _DY[side], y + _DY[side]
                places[other] = x, y
                queue.append(other)
    left, top = (min(place[k] for place in places.values()) for k in range(2))
    return {room: (x - left, y - top) for room, (x, y) in places.items()}


def icon(x: float, y: float, thing: int, states: int) -> list[Shape]:
    """A small sign for the kind of a thing, and whether it is closed."""
    traits = int(TRAITS[thing])
    if traits & SUPPORTER:
        legs = [Line([(x + k * 0.16, y), (x + k * 0.16, y + 0.22)], "brown", 0.07) for k in (-1, 1)]
        return [Rect(x - 0.25, y - 0.13, 0.5, 0.14, "brown", glyph="="), *legs]
    if traits & CONTAINER:
        fill = "white" if states & OPEN else "bad" if states & LOCKED else "brown"
        glyph = "[]" if states & OPEN else "XX" if states & LOCKED else "##"
        return [Rect(x - 0.23, y - 0.2, 0.46, 0.42, fill, "brown", 0.07, 0.05, glyph)]
    color = "gold" if traits & KEY else "green" if traits & EDIBLE else "purple"
    return [Circle(x, y, 0.15, color, glyph="k" if traits & KEY else "f" if traits & EDIBLE else "o")]


def lines_in(s: Any, place: int, depth: int = 0) -> list[tuple[int, int, str]]:
    """The things at a place, each followed by what is in or on it: indent, number, and words with the states."""
    found = []
    for thing in range(MOST):
        if s.places[thing] == place and not TRAITS[thing] & DOOR:
            found.append((depth, thing, TOLD.name(thing, int(s.states[thing]))))
            if depth < 3:
                found += lines_in(s, thing, depth + 1)
    return found


def draw_lines(scene: Scene, s: Any, lines: Sequence[tuple[int, int, str]], x: float, y: float, width: float) -> None:
    """Draw a list of things."""
    for k, (depth, thing, words) in enumerate(lines):
        left, middle = x + 0.5 * depth, y + LINE * (k + 0.5)
        scene.add(*icon(left + 0.3, middle, thing, int(s.states[thing])))
        scene.add(Label(left + 0.7, middle, words, LETTERS, "black", "left", width=width - 0.7 - 0.5 * depth))


def lid_state(states: int) -> Any:
    """How a door is drawn."""
    return "open" if states & OPEN else "locked" if states & LOCKED else "closed"


def draw_map(s: Any, start: int, title: str) -> Scene:
    """The rooms that can be reached from a room, in a record or a level, with what is in them and the agent."""
    cells = places_of(s, start)
    contents = {room: lines_in(s, ROOM + room) for room in cells}
    height = LINE * max(3, max(map(len, contents.values()))) + 1.5
    columns, rows = (1 + max(cell[k] for cell in cells.values()) for k in range(2))
    lines = wrap(title, columns * (WIDTH + GAP) - GAP, 0.8)
    top = 0.5 + 1.0 * len(lines)
    scene = Scene(columns * (WIDTH + GAP) - GAP + 1, top + rows * (height + GAP) - GAP + 0.5)
    for k, line in enumerate(lines):
        scene.add(Label(0.5, 0.8 + k, line, 0.8, align="left", bold=True))
    corner = {room: (0.5 + x * (WIDTH + GAP), top + y * (height + GAP)) for room, (x, y) in cells.items()}
    for room in cells:
        for side in (1, 2):
            other = int(s.exits[room, side])
            if other >= 0:
                draw_way(scene, s, corner[room], corner[other], side, int(s.doors[room, side]), height)
    for room, (x, y) in corner.items():
        here = room == s.room
        scene.add(
            Rect(x, y, WIDTH, height, "floor", "blue" if here else "wall", 0.16 if here else 0.08, 0.2),
            Label(x + 0.35, y + 0.6, ROOMS[room], 0.62, "black", "left", bold=True),
        )
        draw_lines(scene, s, contents[room], x + 0.2, y + 1.1, WIDTH - 0.3)
        if here:
            scene.add(*human(x + WIDTH - 0.8, y + 0.75, 1.2))
    return scene


def draw_way(
    scene: Scene, s: Any, one: tuple[float, float], other: tuple[float, float], side: int, leaf: int, height: float
) -> None:
    """Draw the way from a room to the next one in the east or south, with its door."""
    across, down = (WIDTH, height / 2) if side == 1 else (WIDTH / 2, height)
    start = (one[0] + across, one[1] + down)
    end = (other[0] + WIDTH - across, other[1] + height - down)
    scene.add(Line([start, end], "wall", 0.7), Line([start, end], "floor", 0.55))
    if leaf >= 0:
        scene.add(*door((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, "brown", lid_state(int(s.states[leaf])), 0.8))
