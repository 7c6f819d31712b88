"""The texts and the picture of CraftQuest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from envsuite.games.craft_quest.actions import clear_action, craft_action, get_action, lay_action
from envsuite.games.craft_quest.levels import GROUPS, ITEMS, NONE, boxes, draw_book, named
from envsuite.render.scene import Label, Rect, Scene

#: Left, top, width and height of the graph, the list of recipes, and the bench.
GRAPH, LIST, BENCH = (0.5, 1.7, 18.7, 12.3), (19.8, 1.7, 9.7, 12.3), (0.5, 14.4, 29.0, 1.1)


def listed(counts: Sequence[int]) -> str:
    """Numbers of items in words."""
    return ", ".join(f"{count} {ITEMS[i]}" for i, count in enumerate(counts) if count) or "nothing"


def recipe(s: Any, r: int) -> str:
    """A recipe in words."""
    parts = [
        f"{count} {named(what)}"
        for what, count in zip(s.level.needs[r].tolist(), s.level.counts[r].tolist())
        if what != NONE
    ]
    return f"{s.level.yields[r]} {ITEMS[s.level.makes[r]]} from {', '.join(parts)}"


def recipes(s: Any) -> list[int]:
    """The numbers of the recipes of the book."""
    return [r for r, item in enumerate(s.level.makes.tolist()) if item != NONE]


def book(s: Any) -> list[str]:
    """The goal, the recipes, the groups and the raw items, in lines."""
    lines = [f"Goal: craft {ITEMS[s.level.goal]}.", "Recipes:", *(f"- {recipe(s, r)}" for r in recipes(s))]
    for letter, row in zip(GROUPS, np.asarray(s.level.members)):
        if row.any():
            lines.append(f"Any {letter}: {' or '.join(ITEMS[i] for i in np.flatnonzero(row))}; all of one kind.")
    return [*lines, f"Raw items: {', '.join(raw_items(s))}."]


def raw_items(s: Any) -> list[str]:
    """The items that no recipe makes."""
    return [name for i, name in enumerate(ITEMS[: len(s.hand)]) if i not in s.level.makes]


def state(world: Any, s: Any) -> list[str]:
    """What is in hand and on the bench, and how it stands."""
    if s.terminated[0]:
        return ["The goal is crafted."]
    lines = [f"In your hand: {listed(s.hand.tolist())}.", f"On the bench: {listed(s.bench.tolist())}."]
    if s.truncated[0]:
        return [*lines, "The commands are used up; the goal is not crafted."]
    return [*lines, f"Commands left: {s.params.horizon - s.t}."]


def text(world: Any, s: Any, agent: int) -> str:
    """The whole state in words."""
    return "\n".join([*book(s), *state(world, s)])


def reply(world: Any, s: Any, agent: int) -> str:
    """The result of the last action, and the state without the book."""
    lines = state(world, s)
    if s.last != NONE:
        lines.insert(0, _done(world.action_names[0][s.last]))
    return "\n".join(lines)


def _done(action: str) -> str:
    """An action in the past tense."""
    verb, _, rest = action.partition(" ")
    if verb == "clear":
        return "You take everything back from the bench."
    return {"get": f"You get {rest}.", "lay": f"You lay {rest} on the bench.", "craft": f"You craft {rest}."}[verb]


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The recipes as a graph and as a list, and the bench below."""
    scene = Scene(30, 16)
    goal = ITEMS[s.level.goal]
    scene.add(Label(0.5, 0.85, f"CraftQuest: craft {goal}", 0.65, align="left", bold=True))
    over = "goal crafted" if s.terminated[0] else f"step {s.t} of {s.params.horizon}"
    scene.add(Label(29.5, 0.85, over, 0.5, "good" if s.terminated[0] else "muted", "right"))
    draw_book(scene, s.level, GRAPH, s.hand.tolist(), s.bench.tolist())
    line = _line(s)
    kinds = set(world.legal_actions(s, 0))
    for k, r in enumerate(recipes(s)):
        y, item = LIST[1] + line * k, int(s.level.makes[r])
        ready = craft_action(len(s.hand), item) in kinds
        scene.add(Rect(LIST[0], y, LIST[2], 0.9 * line, "gold@0.5" if ready else "panel", radius=0.15))
        bold = item == s.level.goal
        size = min(0.5, 0.6 * line)
        scene.add(Label(LIST[0] + 0.2, y + 0.45 * line, recipe(s, r), size, "ink", "left", bold, LIST[2] - 0.3))
    x, y, wide, high = BENCH
    scene.add(Rect(x, y, wide, high, "soil@0.4", "line", radius=0.2))
    scene.add(Label(x + 0.3, y + high / 2, f"bench: {listed(s.bench.tolist())}", 0.55, "ink", "left", width=wide - 0.6))
    return scene


def _line(s: Any) -> float:
    """The height of a line of the list of recipes."""
    return min(0.95, LIST[3] / max(1, len(recipes(s))))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """The action that a click means."""
    count = len(s.hand)
    if BENCH[0] <= x < BENCH[0] + BENCH[2] and BENCH[1] <= y < BENCH[1] + BENCH[3]:
        return clear_action(count)
    if LIST[0] <= x < LIST[0] + LIST[2]:
        k, shown = int((y - LIST[1]) // _line(s)), recipes(s)
        return craft_action(count, int(s.level.makes[shown[k]])) if 0 <= k < len(shown) else None
    for item, (left, top, wide, high) in boxes(s.level, GRAPH, range(count)).items():
        if left <= x < left + wide and top <= y < top + high:
            return get_action(item, 1) if x < left + wide / 2 else lay_action(count, item, 1)
    return None
