"""Roguelike's pictures of glyphs, and its words for them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from envsuite.gridworlds.roguelike import rules
from envsuite.kit.avatars import write_map
from envsuite.kit.figures import MOVES, clicked
from envsuite.render.scene import Circle, Line, Polygon, Rect, Scene, Shape, apple, door, footer, key

#: The surfaces of grounds; others lie on a floor.
_SURFACE = {
    rules.UNSEEN: "shadow", rules.ROCK: "black", rules.WALL: "wall", rules.CORRIDOR: "square",
    rules.DOORWAY: "square", rules.WATER: "water", rules.ICE: "white", rules.LAVA: "orange", rules.CLOUD: "grey",
    rules.PIT: "black",
}  # fmt: skip


def named(glyph: int) -> str:
    """A glyph in words."""
    if glyph > rules.MONSTER_GLYPH:
        return rules.MONSTERS[glyph - rules.MONSTER_GLYPH]
    if glyph == rules.HERO:
        return "you"
    return rules.THINGS[glyph - rules.THING_GLYPH] if glyph > rules.THING_GLYPH else rules.GROUNDS[glyph]


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
    if code in (rules.OPEN, rules.CLOSED, rules.LOCKED):
        state = {rules.OPEN: "open", rules.CLOSED: "closed", rules.LOCKED: "locked"}[code]
        return door(middle_x, middle_y, "red" if code == rules.LOCKED else "brown", state)
    if code == rules.STAIRS:
        steps = [Rect(x + 0.14 + 0.18 * k, y + 0.66 - 0.16 * k, 0.72 - 0.18 * k, 0.16, "green") for k in range(4)]
        return [Rect(x + 0.04, y + 0.04, 0.92, 0.92, "white", "green", 0.06, glyph=">"), *steps]
    if code == rules.DOORWAY:
        return [Line([(x + 0.3, middle_y), (x + 0.7, middle_y)], "brown", 0.08)]
    if code in (rules.WATER, rules.LAVA):
        color = "deep" if code == rules.WATER else "gold"
        rows = ([(x + 0.1 + 0.2 * k, y + down - 0.1 * (k % 2)) for k in range(5)] for down in (0.35, 0.75))
        return [Line(row, color, 0.06) for row in rows]
    if code == rules.ICE:
        return [Line([(x + 0.2, y + 0.8), (x + 0.8, y + 0.2)], "sky", 0.07)]
    if code == rules.TREE:
        return [
            Rect(x + 0.43, y + 0.55, 0.14, 0.38, "brown"),
            Circle(middle_x, y + 0.4, 0.36, "leaf", glyph="T"),
        ]
    if code == rules.CLOUD:
        return [
            Circle(x + at, y + down, 0.24, "white@0.5", glyph="*")
            for at, down in ((0.3, 0.6), (0.55, 0.4), (0.75, 0.65))
        ]
    if code == rules.PIT:
        return [Circle(middle_x, middle_y, 0.4, "shadow", "grey", 0.06, glyph="^")]
    if code == rules.DART:
        return [Polygon([(x + 0.2, y + 0.35), (x + 0.8, middle_y), (x + 0.2, y + 0.65)], "red", glyph="d")]
    if code == rules.SNARE:
        return [Circle(middle_x, middle_y, 0.32, None, "brown", 0.08, glyph="n")]
    if code == rules.TELEPORT:
        rings = [Circle(middle_x, middle_y, radius, None, "purple", 0.06, glyph="") for radius in (0.14, 0.26)]
        return [*rings, Circle(middle_x, middle_y, 0.38, None, "purple", 0.06, glyph="p")]
    return []


def hidden(code: int, x: float, y: float) -> list[Shape]:
    """A mark for spectators on a ground that looks like another one."""
    if code == rules.DECOY:
        return [Line([(x + 0.15, y + 0.15), (x + 0.85, y + 0.85)], "red", 0.1)]
    found = int(rules.FOUND[code])
    look = int(rules.LOOK[code])
    under = Rect(x, y, 1, 1, _SURFACE.get(look, "floor"))
    if found == rules.CORRIDOR:
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
    base = np.where(codes > rules.THING_GLYPH, rules.FLOOR, codes)
    shapes = surfaces(base)
    for y, x in np.argwhere(codes > rules.FLOOR).tolist():
        code = int(codes[y, x])
        if code > rules.MONSTER_GLYPH:
            shapes.extend(monster(named(code), x + 0.5, y + 0.5))
        elif rules.THING_GLYPH < code < rules.HERO:
            shapes.extend(thing(named(code), x + 0.5, y + 0.5))
        elif code < rules.THING_GLYPH + 1:
            shapes.extend(ground(code, x, y))
    return shapes


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    row, column = (int(s.y), int(s.x)) if world.whole else (rules.REACH, rules.REACH)
    return clicked(row, column, x, y)


def _trimmed(codes: np.ndarray) -> np.ndarray:
    """The smallest rectangle of a map with all that is seen."""
    rows, columns = np.nonzero(codes)
    return codes[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]


def _lying(thing: int) -> str:
    return f" with {'an' if thing == rules.APPLE else 'a'} {rules.THINGS[thing]}" if thing else ""


def _ending(s: Any) -> str:
    """How an episode has ended."""
    if s.truncated[0]:
        return "Time is up."
    if s.health == 0:
        return "You have died."
    real = s.ground[s.y, s.x] == rules.STAIRS
    return "You have reached the stairs." if real else "These stairs were not real."


def _whole(s: Any) -> Scene:
    """The map, for spectators."""
    height, width = int(s.level.height), int(s.level.width)
    codes = np.asarray(s.ground)[:height, :width]
    scene = Scene(width, height)
    scene.add(*surfaces(np.asarray(rules.LOOK)[codes]))
    for y, x in np.argwhere(codes > 0).tolist():
        code = int(codes[y, x])
        scene.add(*ground(int(rules.LOOK[code]), x, y))
        if rules.FOUND[code] != code or code == rules.DECOY:
            scene.add(*hidden(code, x, y))
        if s.things[y, x]:
            scene.add(*thing(rules.THINGS[s.things[y, x]], x + 0.5, y + 0.5))
    for m in s.monsters:
        if m.kind != rules.NONE:
            scene.add(*monster(rules.MONSTERS[m.kind], m.x + 0.5, m.y + 0.5))
    unseen = np.asarray(s.seen)[:height, :width] == rules.UNSEEN
    for y, x in np.argwhere(unseen & (codes != rules.ROCK)).tolist():
        scene.add(Rect(x, y, 1, 1, "shadow@0.35", glyph=""))
    return scene


def _strip(s: Any, scene: Scene) -> None:
    """Health, what the hero carries, and the clock, below a picture."""
    bottom = scene.height
    y = footer(scene, f"health {s.health}", f"{s.t} / {s.params.horizon}")
    size = scene.height - bottom
    held = [("key", s.keys), ("apple", s.apples), ("potion", s.potions), ("wand", s.charges)]
    for k, (name, count) in enumerate(held):
        if count:
            scene.add(*thing(name, scene.width * 0.42 + k * size, y, 0.9 * size))


def text(world: Any, s: Any, agent: int) -> str:
    seen = world.observation(s, 0)
    shown = _trimmed(np.asarray(seen.map)) if world.whole else np.asarray(seen.crop)
    lines = ["The map as you know it:" if world.whole else "What you see or remember around you:"]
    lines += ["  " + " ".join(row) for row in write_map(shown, rules.GLYPH_LETTERS)]
    codes = sorted(set(np.unique(shown).tolist()) - {rules.HERO, rules.UNSEEN})
    lines.append("; ".join(["@ you", "? unseen", *(f"{rules.GLYPH_LETTERS[k]} {named(k)}" for k in codes)]))
    where = f"in row {s.y}, column {s.x}, on {rules.GROUNDS[seen.stats[8]]}{_lying(int(seen.stats[9]))}"
    lines.append(f"You are {where}. You face {MOVES[s.facing]}.")
    held = [f"{rules.STATS[k]} {int(seen.stats[k])}" for k in range(3, 7) if seen.stats[k]]
    lines.append(f"Health {s.health} of {rules.HERO_HEALTH}. You carry: {', '.join(held) or 'nothing'}.")
    if s.levitation:
        lines.append(f"You levitate for {s.levitation} more turns.")
    if s.stuck:
        lines.append(f"A snare holds you for {s.stuck} more turns.")
    if s.terminated[0] or s.truncated[0]:
        lines.append(_ending(s))
    else:
        lines.append(f"Action {s.t + 1} of {s.params.horizon}.")
    return "\n".join(lines)


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The whole map, darker where the hero has seen nothing; or what an agent observes."""
    if agent is not None:
        seen = world.observation(s, agent)
        codes = np.asarray(seen.map if world.whole else seen.crop)
        scene = Scene(codes.shape[1], codes.shape[0])
        scene.add(*glyphs(codes))
    else:
        scene = _whole(s)
    y, x = (int(s.y), int(s.x)) if world.whole or agent is None else (rules.REACH, rules.REACH)
    scene.add(*hero(x + 0.5, y + 0.5, int(s.facing), s.levitation > 0))
    _strip(s, scene)
    return scene
