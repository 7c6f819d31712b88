"""WebForms in words and pictures, which show what is observed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envsuite.core.page import listed
from envsuite.games.web_forms import rules
from envsuite.render.scene import Label, Rect, Scene, footer, wrap

#: Elements that hold others and are drawn with their kind, those that hold a word, and those that are drawn as tiles.
_NAMED = (rules.FORM, rules.DIALOG, rules.ROW, rules.RESULTS)
_HOLDERS = (rules.INPUT, rules.PASSWORD, rules.LIST)
_TILES = (rules.BUTTON, rules.TAB, rules.MENU, rules.SECTION, rules.CELL, rules.ITEM)


def text(world: Any, s: Any, agent: int) -> str:
    out = world.observation(s, agent)
    lines = [f"Instruction: {sentence(out)}. Steps left: {int(out.facts[2])}."]
    typed = [f"{k} {rules.WORDS[word]}" for k, word in enumerate(out.instruction[:, 2:].ravel().tolist()) if word]
    lines.append(f"Words to type: {', '.join(typed) or 'none'}.")
    lines.append("Page:")
    for e, depth, element in visible(out):
        lines.append(f"{'  ' * depth}- {_told(e, element, int(out.facts[1]) == e + 1)}")
    return "\n".join(lines)


def sentence(out: Any) -> str:
    """The instruction in words."""
    rows = [row for row in out.instruction.tolist() if row[0]]
    parts = []
    for task, letter, *numbers in rows:
        words = [rules.WORDS[word] for word in numbers if word]
        if task - 1 == rules.Task.CHECKBOXES:
            words = [listed(words)]
        told = rules.PHRASES[task - 1].format(*words, *[""] * rules.FIELDS)
        told = told.replace("check , nothing else,", "check nothing")
        parts.append(f"in form {rules.WORDS[letter]} {told}" if len(rows) > 1 else told)
    return (", after you " if out.facts[0] else ", and then ").join(parts)


def visible(out: Any) -> Iterator[tuple[int, int, list[int]]]:
    """The visible elements: number, depth in the tree, and what is observed of each."""
    depths = [0] * (rules.ELEMENTS + 1)
    for e, element in enumerate(out.elements.tolist()):
        if element[0]:
            depths[e + 1] = depths[element[4]] + 1 if element[4] else 0
            yield e, depths[e + 1], element


def _told(e: int, element: list[int], focused: bool) -> str:
    """An element in words."""
    kind, text, value, checked = element[:4]
    words = [f"{e}:" if kind >= rules.BUTTON else "", rules.NAMES[kind], rules.WORDS[text]]
    if kind in _HOLDERS:
        words.append(f"= {rules.WORDS[value]}" if value else "(empty)")
    if checked and kind in (rules.CHECKBOX, rules.RADIO):
        words.append("(checked)")
    if checked and kind in (rules.SECTION, rules.TAB, rules.MENU, rules.LIST):
        words.append("(open)")
    return " ".join([word for word in words if word] + ["(focused)"] * focused)


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    out = world.observation(s, 0)
    scene, focus = Scene(20, 16), int(out.facts[1]) - 1
    scene.add(Rect(0.2, 0.2, 19.6, 15.6, None, "muted", 0.05, 0.3))
    for e, element, (x, y, width, height) in places(out):
        kind, text, value, checked = element[:4]
        size, middle = 0.55 * height, y + height / 2
        name = f"{rules.NAMES[kind]} {rules.WORDS[text]}" if kind in _NAMED else rules.WORDS[text]
        left, color = x + 0.25, "blue" if kind == rules.LINK else "muted" if kind < rules.BUTTON else "ink"
        if kind in _TILES:
            fill, color = ("gold", "black") if checked else ("ink@0.12", color)
            scene.add(Rect(x, y + 0.06 * height, width, 0.88 * height, fill, "muted", 0.03, 0.15, glyph=name[:1]))
        if kind in _HOLDERS:
            edge = "blue" if e == focus else "ink"
            box = Rect(x + 0.5 * width, y + 0.08 * height, 0.5 * width, 0.84 * height, None, edge, 0.06, 0.1)
            scene.add(box, Label(x + 0.52 * width, middle, rules.WORDS[value], size, align="left", width=0.46 * width))
            width *= 0.5
        if kind in (rules.CHECKBOX, rules.RADIO):
            check, glyph, side = "gold" if checked else None, "x" if checked else "o", 0.6 * height
            radius = 0.1 if kind == rules.CHECKBOX else side / 2
            scene.add(Rect(x, middle - side / 2, side, side, check, "ink", 0.05, radius, glyph))
            left += 0.6 * height
        scene.add(Label(left, middle, name, size, color, "left", kind in (rules.FORM, rules.DIALOG), width - left + x))
    lines = wrap(sentence(out), 19, 0.62)
    scene.height += 0.8 * 2 * max(1, len(world.parameters["tasks"]))  # of all its pictures alike
    for k, line in enumerate(lines):
        scene.add(Label(0.3, 16.4 + 0.8 * k, line, 0.62, align="left"))
    state = f"{int(out.facts[2])} steps left"
    if s.terminated[0]:
        state = "done" if s.done == s.number else "wrong"
    footer(scene, right=state)
    return scene


def places(out: Any) -> list[tuple[int, list[int], tuple[float, float, float, float]]]:
    """The visible elements with their places in the picture, line by line: left, top, width, height."""
    found, line, column, before = [], -1, 0, (0, 0)
    for e, depth, element in visible(out):
        column = column + 1 if before == (element[0], element[4]) else 0
        if column % width_of(element[0]) == 0:
            line, column = line + 1, 0
        before = (element[0], element[4])
        found.append((e, element, depth, line, column))
    height = min(1.3, 15.2 / max(1, line + 1))
    placed = []
    for e, element, depth, line, column in found:
        left = 0.5 + 0.6 * depth
        width = (19 - 0.6 * depth) / width_of(element[0])
        placed.append((e, element, (left + column * width, 0.4 + line * height, width - 0.2, height)))
    return placed


def width_of(kind: int) -> int:
    """How many elements of a kind stand side by side."""
    if kind in _NAMED:
        return 1
    if kind == rules.CELL:
        return 5
    return 4 if kind in (rules.BUTTON, rules.RADIO, rules.CHECKBOX, rules.LINK, rules.TEXT) else 3


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    for e, element, (left, top, width, height) in places(world.observation(s, 0)):
        if element[0] >= rules.BUTTON and left <= x < left + width and top <= y < top + height:
            return e
    return None
