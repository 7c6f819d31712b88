"""The text and the pictures of Household."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.gridworlds.household.activities import (
    ABLE,
    ACTIVITIES,
    DOOR,
    DUSTY,
    GOAL_COUNT,
    INSIDE,
    KIND_OF,
    KINDS,
    NUMBER,
    ON,
    OPEN,
    SLICED,
    SOAKED,
    STAINED,
    STATES,
    WALL,
    condition_in_words,
    thing_name,
)
from envsuite.gridworlds.household.rules import FORWARD, LEFT, RIGHT, holds
from envsuite.kit.grid import NORTH, steps
from envsuite.render import scene as pictures
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, Shape, footer
from envsuite.render.theme import text_on

if TYPE_CHECKING:
    from envsuite.gridworlds.household import Household

FACINGS = ("east", "south", "west", "north")
PARTS = ("bottom", "middle", "top")

#: The side of a map or view in a picture, and its corner; the left end of the panel.
_SIDE, _LEFT, _TOP, _PANEL = 10.0, 0.5, 1.4, 11.0


def thing_of(activity: int, kind: int, number: int) -> int:
    """The thing of an activity with this kind and number."""
    return int(np.flatnonzero((KIND_OF[activity] == kind) & (NUMBER[activity] == number))[0])


def name_of(activity: int, kind: int, number: int, bits: int) -> str:
    """A thing with its states in words: "plate 2 (stained)"."""
    words = [state for k, state in enumerate(STATES) if bits >> k & 1 and 1 << k != INSIDE]
    if ABLE[kind] & OPEN and not bits & OPEN:
        words.append("closed")
    name = thing_name(activity, thing_of(activity, kind, number))
    return f"{name} ({', '.join(words)})" if words else name


def goal_lines(activity: int) -> list[str]:
    """The conditions of an activity's goal in words."""
    return [condition_in_words(activity, c) for c in range(GOAL_COUNT[activity])]


def text(world: Household, s: Any, agent: int) -> str:
    seen, activity = world.observation(s, agent), int(s.level.activity)
    lines = [f"Activity: {ACTIVITIES[activity].mission}.", "The goal is reached when all of this is true:"]
    lines += [f"- {line}." for line in goal_lines(activity)]
    lines.append(f"Step {seen.clock[0]} of {seen.clock[1]}.")
    held = name_of(activity, *map(int, seen.held)) if seen.held[0] else "nothing"
    lines.append(f"You face {FACINGS[int(seen.direction)]} and hold {held}.")
    lines.append(f"In the cell ahead: {_cell_in_words(activity, seen.image[-2, seen.image.shape[1] // 2])}.")
    lines.append(f"You see: {'; '.join(_things(activity, seen.image)) or 'no thing'}.")
    lines.append("Your view (you are ^, ahead is up; # wall, . floor, / doorway, * objects, other letters furniture):")
    lines += [f"  {row}" for row in _map(seen.image)]
    if s.terminated[agent] or s.truncated[agent]:
        lines.append("You reached the goal." if s.terminated[agent] else "The time is over.")
    return "\n".join(lines)


def _cell_in_words(activity: int, row: np.ndarray) -> str:
    """All that a cell of a view shows."""
    kind, number, bits = row[:3].tolist()
    found = {0: "floor", WALL: "a wall", DOOR: "the doorway"}.get(kind) or name_of(activity, kind, number, bits)
    for layer, part in enumerate(PARTS):
        kind, number, bits = row[3 + 3 * layer : 6 + 3 * layer].tolist()
        if kind:
            found += f"; in its {part} layer {name_of(activity, kind, number, bits)}" + ", inside" * (bits >= INSIDE)
    return found


def _things(activity: int, image: np.ndarray) -> list[str]:
    """The things in a view, the nearest first, each with where it is; of furniture the nearest cell."""
    rows, columns = image.shape[:2]
    found: dict[str, str] = {}
    for i, j in sorted(np.ndindex(rows, columns), key=lambda at: (rows - 1 - at[0] + abs(at[1] - columns // 2), at)):
        way = " ".join(steps(i - rows + 1, j - columns // 2, ("behind", "ahead", "right", "left"))) or "here"
        kind, number, bits = image[i, j, :3].tolist()
        around = ""
        if kind not in (0, WALL, DOOR):
            around = thing_name(activity, thing_of(activity, kind, number))
            found.setdefault(name_of(activity, kind, number, bits), way)
        elif kind == DOOR:
            found.setdefault("doorway", way)
        for layer, part in enumerate(PARTS):
            kind, number, bits = image[i, j, 3 + 3 * layer : 6 + 3 * layer].tolist()
            if kind:
                place = f", inside {around}" if bits & INSIDE else f", with {around}" if around else ""
                found[name_of(activity, kind, number, bits)] = f"{way}, {part} layer{place}"
    return [f"{name} {where}" for name, where in found.items()]


def _map(image: np.ndarray) -> list[str]:
    """A view in letters."""
    rows, columns = image.shape[:2]
    lines = []
    for i in range(rows):
        letters = []
        for j in range(columns):
            kind = int(image[i, j, 0])
            letter = {0: ".", WALL: "#", DOOR: "/"}.get(kind) or KINDS[kind][0].upper()
            letters.append("*" if kind == 0 and image[i, j, 3::3].any() else letter)
        lines.append(letters)
    lines[-1][columns // 2] = "^"
    return [" ".join(letters) for letters in lines]


def scene(world: Household, s: Any, agent: int | None = None) -> Scene:
    """The home, or what the agent sees, beside the goal."""
    scene, activity = Scene(20.0, 12.2), int(s.level.activity)
    if agent is None:
        image = world.whole(s)
        cell, top = draw(scene, activity, image)
        scene.add(*pictures.avatar(_LEFT + (s.x + 0.5) * cell, top + (s.y + 0.5) * cell, int(s.facing), "red", cell))
        done: list[bool | None] = [bool(holds(s, c)) for c in range(GOAL_COUNT[activity])]
    else:
        image = world.observation(s, agent).image
        cell, top = draw(scene, activity, image)
        rows, columns = image.shape[:2]
        x, y = _LEFT + (columns // 2 + 0.5) * cell, top + (rows - 0.5) * cell
        scene.add(*pictures.avatar(x, y, NORTH, "red", cell))
        done = [None] * int(GOAL_COUNT[activity])
    _draw_panel(scene, activity, done)
    kind, number, bits = world.observation(s, 0).held.tolist()
    scene.add(Label(_PANEL, 11.0, "in the hand", 0.42, "muted", "left"))
    scene.add(Rect(_PANEL + 3.0, 10.5, 1.0, 1.0, "floor", "line", radius=0.12))
    if kind:
        scene.add(*drawn_object(activity, kind, number, bits, _PANEL + 3.5, 11.0, 1.6))
        scene.add(Label(_PANEL + 4.3, 11.0, name_of(activity, kind, number, bits), 0.42, align="left", width=4.6))
    facing = f" · facing {FACINGS[int(s.facing)]}" if agent is not None else ""
    footer(scene, f"{s.t} / {s.params.steps}{facing}", margin=_LEFT)
    return scene


def _draw_panel(scene: Scene, activity: int, done: list[bool | None]) -> None:
    """The mission, and the conditions, each with a mark if it holds, or with a dot if that is not shown."""
    top = 0.8
    for line in pictures.wrap(ACTIVITIES[activity].mission, 7.6, 0.5):
        scene.add(Label(_PANEL, top, line, 0.5, align="left", bold=True))
        top += 0.7
    lines = goal_lines(activity)
    step = min(0.85, (10.3 - top) / len(lines))
    for k, line in enumerate(lines):
        y = top + 0.2 + step * (k + 0.5)
        if done[k]:
            scene.add(Circle(_PANEL + 0.16, y, 0.16, "leaf", glyph="+"))
        elif done[k] is None:
            scene.add(Circle(_PANEL + 0.16, y, 0.06, "muted", glyph="-"))
        else:
            scene.add(Circle(_PANEL + 0.16, y, 0.14, None, "muted", 0.04, glyph="-"))
        scene.add(Label(_PANEL + 0.5, y, line, 0.38, align="left", width=8.3))


#: Colors of furniture.
_COLORS = {
    "ashcan": "black", "bed": "purple", "bin": "black", "box": "soil", "bucket": "sky", "cabinet": "brown",
    "car": "blue", "chair": "brown", "countertop": "grey", "fridge": "sky", "shelf": "brown", "sink": "blue",
    "sofa": "purple", "stove": "grey", "table": "soil",
}  # fmt: skip


def draw(scene: Scene, activity: int, image: np.ndarray) -> tuple[float, float]:
    """Draw cells as an observation has them; the side of a cell, and the upper end."""
    rows, columns = image.shape[:2]
    cell = _SIDE / max(rows, columns)
    top = _TOP + (_SIDE - rows * cell) / 2
    scene.add(*pictures.grid(_LEFT, top, columns, rows, cell))
    pieces: dict[tuple[int, int, int], list[tuple[float, float]]] = {}
    for i, j in np.ndindex(rows, columns):
        x, y, (kind, number, bits) = _LEFT + j * cell, top + i * cell, image[i, j, :3].tolist()
        if kind == WALL:
            scene.add(Rect(x, y, cell, cell, "wall", glyph="##"))
        elif kind == DOOR:
            scene.add(*pictures.door(x + cell / 2, y + cell / 2, "gold", "open", cell))
        elif kind:
            pieces.setdefault((kind, number, bits), []).append((x, y))
    for (kind, number, bits), cells in pieces.items():
        scene.add(*_drawn_piece(activity, kind, number, bits, cells, cell))
    for i, j in np.ndindex(rows, columns):
        for layer, (across, down) in enumerate(((0.27, 0.7), (0.73, 0.7), (0.5, 0.28))):
            kind, number, bits = image[i, j, 3 + 3 * layer : 6 + 3 * layer].tolist()
            if kind:
                middle = _LEFT + (j + across) * cell, top + (i + down) * cell
                scene.add(*drawn_object(activity, kind, number, bits, *middle, cell))
    return cell, top


def _drawn_piece(
    activity: int, kind: int, number: int, bits: int, cells: list[tuple[float, float]], cell: float
) -> list[Shape]:
    """The cells of a piece of furniture, its name, and its states."""
    color, name = _COLORS[KINDS[kind]], KINDS[kind]
    low = bits & OPEN or not ABLE[kind] & OPEN
    shade = f"{color}@{0.45 if low else 0.9}"
    shapes: list[Shape] = [Rect(x, y, cell, cell, shade, glyph=name[0].upper() + name[1]) for x, y in cells]
    left, top = (min(part[k] for part in cells) for k in (0, 1))
    right, bottom = (max(part[k] for part in cells) + cell for k in (0, 1))
    shapes.append(Rect(left, top, right - left, bottom - top, None, "wall", 0.04 * cell))
    words = thing_name(activity, thing_of(activity, kind, number))
    extra = [word for bit, word in ((OPEN, "open"), (ON, "on"), (DUSTY, "dusty"), (STAINED, "stained")) if bits & bit]
    size = min(0.26 * cell, 1.7 * (right - left) / max(map(len, [words, ", ".join(extra)])))
    for k, line in enumerate([words, *([", ".join(extra)] if extra else [])]):
        y = (top + bottom) / 2 + (k - 0.5 * bool(extra)) * 1.2 * size
        shapes.append(Label((left + right) / 2, y, line, size, "black" if low else text_on(color), terminal=False))
    return shapes


#: Colors of objects.
_SHADES = {
    "apple": "red", "blender": "sky", "book": "blue", "broom": "gold", "brush": "gold", "candle": "yellow",
    "carton": "soil", "casserole": "orange", "chips": "yellow", "date": "brown", "document": "white", "dustpan": "grey",
    "fish": "sky", "folder": "gold", "hamburger": "orange", "hammer": "grey", "hardback": "purple", "kettle": "grey",
    "knife": "grey", "lemon": "yellow", "marker": "red", "necklace": "gold", "notebook": "blue", "oatmeal": "soil",
    "oil": "gold", "olive": "green", "package": "soil", "pan": "black", "plant": "green", "plate": "white",
    "plywood": "soil", "printer": "grey", "rag": "pink", "saw": "grey", "shoe": "brown", "sneaker": "white",
    "soap": "pink", "sock": "white", "sugar": "white", "tea bag": "green", "teapot": "sky", "towel": "sky",
}  # fmt: skip


def drawn_object(activity: int, kind: int, number: int, bits: int, x: float, y: float, cell: float) -> list[Shape]:
    """A tile with the first letters of an object and its number, and with marks of its states."""
    name, half = KINDS[kind], 0.22 * cell
    color, several = _SHADES[name], (KIND_OF[activity] == kind).sum() > 1
    short = f"{name[:2]}{number}" if several else name[:3]
    shapes: list[Shape] = [
        Rect(x - half, y - half, 2 * half, 2 * half, color, "black", 0.03 * cell, 0.07 * cell, glyph=f"{name[0]}●"),
        Label(x, y, short, 0.2 * cell, text_on(color), bold=True, terminal=False),
    ]
    marks = ((DUSTY, "grey"), (STAINED, "brown"), (SOAKED, "blue"), (ON, "gold"), (OPEN, "leaf"))
    for k, (bit, shade) in enumerate(marks):
        if bits & bit:
            spot = x - half + 0.1 * cell * (k % 5), y + half
            shapes.append(Circle(*spot, 0.055 * cell, shade, "black", 0.015 * cell, glyph=""))
    if bits & SLICED:
        shapes.append(Line([(x - half, y + half), (x + half, y - half)], "black", 0.03 * cell))
    return shapes


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """The action that a point of the picture of a view means."""
    column = math.floor((x - _LEFT) * 7 / _SIDE)
    if not (0 <= column < 7 and _TOP <= y < _TOP + _SIDE):
        return None
    return FORWARD if column == 3 else LEFT if column < 3 else RIGHT
