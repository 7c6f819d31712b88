"""Roguelike's pictures of glyphs, and its words for them."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from envsuite.gridworlds.roguelike_rules import (
    CLOSED,
    CLOUD,
    CORRIDOR,
    DART,
    DECOY,
    DOORWAY,
    FLOOR,
    FOUND,
    GROUNDS,
    HERO,
    ICE,
    LAVA,
    LOCKED,
    LOOK,
    MONSTER_GLYPH,
    MONSTERS,
    OPEN,
    PIT,
    ROCK,
    SNARE,
    STAIRS,
    TELEPORT,
    THING_GLYPH,
    THINGS,
    TREE,
    UNSEEN,
    WALL,
    WATER,
)
from envsuite.render.scene import Circle, Line, Polygon, Rect, Shape, apple, door, key

#: The surfaces of grounds; others lie on a floor.
_SURFACE = {
    UNSEEN: "shadow", ROCK: "black", WALL: "wall", CORRIDOR: "square", DOORWAY: "square", WATER: "water", ICE: "white",
    LAVA: "orange", CLOUD: "grey", PIT: "black",
}  # fmt: skip


def named(glyph: int) -> str:
    """A glyph in words."""
    if glyph > MONSTER_GLYPH:
        return MONSTERS[glyph - MONSTER_GLYPH]
    if glyph == HERO:
        return "you"
    return THINGS[glyph - THING_GLYPH] if glyph > THING_GLYPH else GROUNDS[glyph]


def surfaces(codes: np.ndarray) -> list[Shape]:
    """The surfaces of grounds (rows, columns), as few rectangles, on a floor."""
    shapes: list[Shape] = [Rect(0, 0, codes.shape[1], codes.shape[0], "floor")]
    for y, row in enumerate(codes.tolist()):
        start = 0
        for x in range(1, len(row) + 1):
            if x == len(row) or row[x] != row[start]:
                if row[start] in _SURFACE:
                    shapes.append(Rect(start, y, x - start, 1, _SURFACE[row[start]]))
                start = x
    return shapes


def ground(code: int, x: float, y: float) -> list[Shape]:
    """What a ground shows on its surface, in the cell from (x, y)."""
    middle_x, middle_y = x + 0.5, y + 0.5
    if code in (OPEN, CLOSED, LOCKED):
        state = {OPEN: "open", CLOSED: "closed", LOCKED: "locked"}[code]
        return door(middle_x, middle_y, "red" if code == LOCKED else "brown", state)  # type: ignore[arg-type]
    if code == STAIRS:
        steps = [Rect(x + 0.14 + 0.18 * k, y + 0.66 - 0.16 * k, 0.72 - 0.18 * k, 0.16, "green") for k in range(4)]
        return [Rect(x + 0.04, y + 0.04, 0.92, 0.92, "white", "green", 0.06, glyph=">"), *steps]
    if code == DOORWAY:
        return [Line([(x + 0.3, middle_y), (x + 0.7, middle_y)], "brown", 0.08)]
    if code in (WATER, LAVA):
        color = "deep" if code == WATER else "gold"
        rows = ([(x + 0.1 + 0.2 * k, y + down - 0.1 * (k % 2)) for k in range(5)] for down in (0.35, 0.75))
        return [Line(row, color, 0.06) for row in rows]
    if code == ICE:
        return [Line([(x + 0.2, y + 0.8), (x + 0.8, y + 0.2)], "sky", 0.07)]
    if code == TREE:
        return [
            Rect(x + 0.43, y + 0.55, 0.14, 0.38, "brown"),
            Circle(middle_x, y + 0.4, 0.36, "leaf", glyph="T"),
        ]
    if code == CLOUD:
        return [
            Circle(x + at, y + down, 0.24, "white@0.5", glyph="*")
            for at, down in ((0.3, 0.6), (0.55, 0.4), (0.75, 0.65))
        ]
    if code == PIT:
        return [Circle(middle_x, middle_y, 0.4, "shadow", "grey", 0.06, glyph="^")]
    if code == DART:
        return [Polygon([(x + 0.2, y + 0.35), (x + 0.8, middle_y), (x + 0.2, y + 0.65)], "red", glyph="d")]
    if code == SNARE:
        return [Circle(middle_x, middle_y, 0.32, None, "brown", 0.08, glyph="n")]
    if code == TELEPORT:
        rings = [Circle(middle_x, middle_y, radius, None, "purple", 0.06, glyph="") for radius in (0.14, 0.26)]
        return [*rings, Circle(middle_x, middle_y, 0.38, None, "purple", 0.06, glyph="p")]
    return []


def hidden(code: int, x: float, y: float) -> list[Shape]:
    """A mark for spectators on a ground that looks like another one."""
    if code == DECOY:
        return [Line([(x + 0.15, y + 0.15), (x + 0.85, y + 0.85)], "red", 0.1)]
    found = int(FOUND[code])
    look = int(LOOK[code])
    under = Rect(x, y, 1, 1, _SURFACE.get(look, "floor"))
    if found == CORRIDOR:
        return [under, Rect(x + 0.2, y + 0.2, 0.6, 0.6, "square@0.6")]
    return [under, *ground(found, x, y), Rect(x, y, 1, 1, f"{_SURFACE.get(look, 'floor')}@0.6", glyph="")]


def thing(name: str, x: float, y: float, size: float = 1.0) -> list[Shape]:
    """A thing around (x, y)."""
    if name == "boulder":
        return [
            Circle(x, y, 0.38 * size, "grey", "black", 0.05 * size, glyph="O"),
            Circle(x - 0.12 * size, y - 0.12 * size, 0.1 * size, "white@0.5", glyph=""),
        ]
    if name == "key":
        return key(x, y, "gold", size)
    if name == "apple":
        return apple(x, y, size)
    if name == "potion":
        return [
            Rect(x - 0.08 * size, y - 0.36 * size, 0.16 * size, 0.3 * size, "grey"),
            Circle(x, y + 0.1 * size, 0.26 * size, "pink", "black", 0.04 * size, glyph="i"),
        ]
    return [
        Line([(x - 0.28 * size, y + 0.3 * size), (x + 0.24 * size, y - 0.24 * size)], "brown", 0.11 * size),
        Circle(x + 0.26 * size, y - 0.26 * size, 0.11 * size, "sky", glyph="w"),
    ]


_COATS = {"rat": "brown", "bat": "purple", "goblin": "green", "ogre": "gold", "minotaur": "red"}
_SIGNS = {"rat": "r", "bat": "b", "goblin": "g", "ogre": "o", "minotaur": "M"}


def monster(name: str, x: float, y: float) -> list[Shape]:
    """A monster around (x, y)."""
    coat, large = _COATS[name], 0.4 if name in ("ogre", "minotaur") else 0.3
    parts: list[Shape] = []
    for side in (-1, 1):
        if name == "bat":
            parts.append(Polygon([(x, y), (x + side * 0.48, y - 0.25), (x + side * 0.4, y + 0.18)], coat))
        elif name == "minotaur":
            parts.append(Line([(x + side * 0.2, y - 0.25), (x + side * 0.4, y - 0.46)], "white", 0.09))
        else:
            parts.append(Circle(x + side * 0.7 * large, y - 0.75 * large, 0.35 * large, coat, glyph=""))
    body = Circle(x, y, large, coat, "black", 0.04, glyph=_SIGNS[name])
    eyes = [Circle(x + side * 0.36 * large, y - 0.1, 0.16 * large, "white", glyph="") for side in (-1, 1)]
    return [*parts, body, *eyes]


def hero(x: float, y: float, facing: int, floats: bool) -> list[Shape]:
    """The hero around (x, y), with a pointer to where it faces."""
    turn = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)][facing]
    far = 0.325 if facing & 1 else 0.46
    tip = (x + far * turn[0], y + far * turn[1])
    aura: Collection[Shape] = [Circle(x, y, 0.49, "pink@0.6", glyph="")] if floats else []
    return [*aura, Line([(x, y), tip], "blue", 0.16), Circle(x, y, 0.3, "blue", "white", 0.06, glyph="@")]


def glyphs(codes: np.ndarray) -> list[Shape]:
    """The shapes of observed glyphs (rows, columns), without the hero."""
    base = np.where(codes > THING_GLYPH, FLOOR, codes)
    shapes = surfaces(base)
    for y, x in np.argwhere(codes > FLOOR).tolist():
        code = int(codes[y, x])
        if code > MONSTER_GLYPH:
            shapes.extend(monster(named(code), x + 0.5, y + 0.5))
        elif THING_GLYPH < code < HERO:
            shapes.extend(thing(named(code), x + 0.5, y + 0.5))
        elif code < THING_GLYPH + 1:
            shapes.extend(ground(code, x, y))
    return shapes
