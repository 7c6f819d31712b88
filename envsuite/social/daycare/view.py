"""Words and pictures of Daycare, and the bits of `food` that they share with its rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.kit import avatars
from envsuite.kit.avatars import BEHIND, BORDER, MIDDLE, VIEW, place_in_words
from envsuite.render.scene import Circle, Rect, Scene, Shape, avatar
from envsuite.render.theme import agent_color
from envsuite.social.daycare.levels import HANGING, HEIGHT, bare, fruit, plant

CHILD, PARENT = range(2)

#: What a cell of `food` adds up; the hands of child and parent.
TREE, SHRUB, HANGING_APPLE, HANGING_BANANA, PICKED_APPLE, PICKED_BANANA = 1, 2, 4, 8, 16, 32
HANDS = (64, 128)

_PLANTS, _HANGS = TREE | SHRUB, HANGING_APPLE | HANGING_BANANA

#: What text lists, and the bits of the cells; a cell has one of the plants, or none.
_THINGS = (
    ("Trees with an apple", TREE | HANGING_APPLE),
    ("Trees with a banana", TREE | HANGING_BANANA),
    ("Trees without fruit", TREE),
    ("Shrubs with an apple", SHRUB | HANGING_APPLE),
    ("Shrubs with a banana", SHRUB | HANGING_BANANA),
    ("Shrubs without fruit", SHRUB),
    ("Apples that hang without a plant", HANGING_APPLE),
    ("Bananas that hang without a plant", HANGING_BANANA),
)
_OTHERS = (("Picked apples", PICKED_APPLE), ("Picked bananas", PICKED_BANANA))


def words(food: np.ndarray, agent: int) -> list[str]:
    """What an agent sees of plants, fruit and hands; what there is none of is left out."""
    codes, lines = np.asarray(food).astype(int), []
    marks = [(name, (codes & (_PLANTS | _HANGS)) == bits) for name, bits in _THINGS]
    marks += [(name, (codes & bits) > 0) for name, bits in _OTHERS]
    for name, found in (
        *marks,
        ("Your hand", codes & HANDS[agent] > 0),
        ("The other's hand", codes & HANDS[1 - agent] > 0),
    ):
        places = sorted(
            np.argwhere(found).tolist(), key=lambda at: abs(at[0] - VIEW + 1 + BEHIND) + abs(at[1] - MIDDLE)
        )
        if places:
            there = "; ".join(place_in_words(VIEW - 1 - BEHIND - i, j - MIDDLE) for i, j in places)
            lines.append(f"{name}: {there}.")
    return lines


def add_food(world: Any, scene: Scene, food: np.ndarray) -> None:
    """Add plants below everything else in a picture, and picked fruit and hands above it."""
    below = Scene(scene.width, scene.height)
    for y, x in np.argwhere(food & (_PLANTS | _HANGS)).tolist():
        world.ground(None, below, x, y, int(food[y, x]))
    scene.shapes[:0] = below.shapes
    for y, x in np.argwhere(food > 2 * _HANGS).tolist():
        code = int(food[y, x])
        for a in range(2):
            if code & HANDS[a]:
                side = 0.26 if a else -0.26
                scene.add(Circle(x + 0.5 + side, y + 0.84, 0.13, agent_color(a), "white", 0.04, glyph=""))
        if code & (PICKED_APPLE | PICKED_BANANA):
            scene.add(*fruit(x + 0.5, y + 0.52, bool(code & PICKED_BANANA), 0.9))


def ground(world: Any, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
    """Draw the plant of a cell with its fruit."""
    tree, banana = bool(code & TREE), bool(code & HANGING_BANANA)
    glyph = "Tt"[not tree] if not code & _HANGS else "AaBb"[2 * banana + (not tree)]
    if code & _PLANTS:
        scene.add(*plant(x, y, tree, glyph))
    if code & _HANGS:
        for i, j, size in HANGING[tree]:
            scene.add(*(bare(shape) for shape in fruit(x + i, y + j, banana, size)))


def figure(world: Any, s: Any, a: int, viewer: int | None, x: float, y: float, facing: int) -> list[Shape]:
    """An agent around (x, y): the child is smaller, and a bar shows how well fed it is, but not to its parent."""
    shapes = avatar(x, y, facing, agent_color(a), 1.0 if a else 0.8, "CP"[a])
    if a == CHILD and viewer != PARENT:
        fed = s.hunger / s.params.hungry
        color = "good" if fed > 0.5 else "yellow" if fed > 0.2 else "bad"
        shapes.append(Rect(x - 0.42, y - 0.48, 0.84, 0.13, "shadow", glyph=""))
        shapes.append(Rect(x - 0.4, y - 0.465, max(0.06, 0.8 * fed), 0.1, color, glyph=""))
    return shapes


def text(world: Any, s: Any, agent: int) -> str:
    if s.away[agent]:
        return "You had no banana for too long. What you do has no effect until you are back."
    return "\n".join([avatars.AvatarWorld.text(world, s, agent), *words(world.observation(s, agent)["food"], agent)])


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    scene = avatars.AvatarWorld.scene(world, s, agent)
    if agent is None:
        food = np.asarray(s.food).reshape(HEIGHT + 2 * BORDER, -1)[BORDER:-BORDER, BORDER:-BORDER]
    else:
        food = world.observation(s, agent)["food"]
    add_food(world, scene, np.asarray(food))
    return scene
