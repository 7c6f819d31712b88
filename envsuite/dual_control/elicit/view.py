"""Elicit in words and pictures: a card for each aspect with what the user said, and the offers below it."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.dual_control.elicit.levels import NONE, fitting
from envsuite.render.scene import Label, Rect, Scene

#: The user's verdicts in words, and their colors.
VERDICTS = ("does not fit", "fits, but another one is cheaper", "is the best one")
COLORS = ("bad", "gold", "good")

#: Left, top, width and height of the area of the cards.
AREA = (0.5, 1.6, 23.0, 12.9)
#: The width of the column of prices and that of the gaps between cards.
PRICES, GAP = 1.9, 0.4


def text(world: Any, s: Any, agent: int) -> str:
    intention, p = bool(s.params.intention), s.params
    lines: list[str] = []
    for a, (aspect, topics) in enumerate(world.words.items()):
        lines += _aspect_in_words(world, s, a, aspect, topics)
    count = f"Wishes that are hidden: {s.left}. Idle steps in a row: {s.idle}."
    lines.append(count if intention else f"{count} Searches: {s.searches}.")
    if s.terminated[0] or s.truncated[0]:
        return "\n".join([*lines, f"It is over. You have earned {s.total:.1f}."])
    return "\n".join([*lines, f"{p.steps - s.t} of {p.steps} steps are left. What do you do?"])


def _aspect_in_words(world: Any, s: Any, a: int, aspect: str, topics: dict[str, tuple[str, str, str]]) -> list[str]:
    said = []
    for k, (topic, choices) in enumerate(topics.items()):
        wish = s.known[a, k]
        if wish >= 0:
            weight = f" (importance {s.level.importance[a, k]})" if s.params.intention else ""
            said.append(f"{topic}: {choices[wish]}{weight}")
        elif wish == NONE:
            said.append(f"{topic}: no wish")
    unknown = [topic for k, topic in enumerate(topics) if s.known[a, k] < NONE]
    lines = [f"{aspect}, {s.params.wishes[a]} wishes. {'; '.join(said) or 'Nothing is known'}."]
    if unknown and s.verdict[a] < 0:
        options = "; ".join(f"{topic} ({', '.join(topics[topic])})" for topic in unknown)
        lines.append(f"  Not asked: {options}.")
    if s.verdict[a] >= 0:
        lines.append(f"  You recommended offer {s.chosen[a] + 1}, which {VERDICTS[s.verdict[a]]}.")
    elif s.searched[a]:
        for n, (price, offer) in enumerate(zip(s.level.prices[a], s.level.offers[a])):
            has = ", ".join(choices[offer[k]] for k, choices in enumerate(topics.values()))
            lines.append(f"  Offer {n + 1}, ${price}: {has}.")
    return lines


# The picture.


def card(world: Any, a: int) -> tuple[float, float, float, float]:
    """Left, top, width and height of the card of an aspect of a journey."""
    left, top, width, height = AREA
    rows = (len(world.words) + 1) // 2
    wide, tall = (width - GAP) / 2, (height - GAP * (rows - 1)) / rows
    return left + (wide + GAP) * (a % 2), top + (tall + GAP) * (a // 2), wide, tall


def rows(world: Any, a: int) -> tuple[float, float, float]:
    """The bottom of the head, that of the topics, and the height of an offer's row in the card of an aspect."""
    _, top, _, height = card(world, a)
    return top + 0.95, top + 2.45, min(0.72, (height - 2.65) / world.parameters["offers"])


def column(world: Any, a: int) -> tuple[float, float]:
    """The left end of the first topic in the card of an aspect, and the width of a topic."""
    left, _, width, _ = card(world, a)
    return left + PRICES, (width - PRICES - 0.2) / world.parameters["topics"]


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    if s.params.intention:
        return _tile_at(world, x, y)
    aspects, topics, offers = len(world.words), world.parameters["topics"], world.parameters["offers"]
    for a in range(aspects):
        left, top, width, height = card(world, a)
        if left <= x < left + width and top <= y < top + height:
            head, bottom, row = rows(world, a)
            start, wide = column(world, a)
            k, n = int((x - start) // wide), int((y - bottom) // row)
            if y < head:
                return aspects * topics + 2 + a
            if y < bottom:
                return a * topics + k if 0 <= k < topics else None
            return aspects * (topics + 1) + 2 + a * offers + n if n < offers else None
    return None


def tile(world: Any, k: int) -> tuple[float, float, float, float]:
    """Left, top, width and height of the tile of a topic of an intention."""
    left, top, width, height = AREA
    wide, tall = (width - 1.0) / 3, (height - 2.0) / 3
    return left + 0.5 + wide * (k % 3), top + 1.5 + tall * (k // 3), wide - 0.2, tall - 0.2


def _tile_at(world: Any, x: float, y: float) -> int | None:
    for k in range(len(world.words["task"])):
        left, top, width, height = tile(world, k)
        if left <= x < left + width and top <= y < top + height:
            return (1 << k) - 1
    return None


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    scene, over = Scene(24, 15), bool(s.terminated[0] or s.truncated[0])
    everything = agent is None or over
    scene.add(Label(0.6, 0.85, "Elicit", 0.65, align="left", bold=True))
    steps = "over" if over else f"step {s.t + 1} of {s.params.steps}"
    scene.add(Label(23.4, 0.85, f"{s.left} wishes hidden    earned {s.total:.1f}    {steps}", 0.5, "muted", "right"))
    if s.params.intention:
        _draw_intention(world, scene, s, everything)
    else:
        for a in range(len(world.words)):
            _draw_card(world, scene, s, a, everything)
    return scene


def _draw_intention(world: Any, scene: Scene, s: Any, everything: bool) -> None:
    left, top, width, height = AREA
    scene.add(Rect(left, top, width, height, "panel", radius=0.3))
    scene.add(Label(left + 0.5, top + 0.75, "What does the user have in mind?", 0.5, align="left", bold=True))
    scene.add(Label(left + width - 0.5, top + 0.75, f"{s.params.wishes[0]} wishes in all", 0.45, "muted", "right"))
    for k, (topic, choices) in enumerate(world.words["task"].items()):
        x, y, wide, tall = tile(world, k)
        known, wish = int(s.known[0, k]), int(s.level.wishes[0, k])
        shown = wish if everything else known
        fill, frame, ink = "paper", "line", "muted" if known == NONE else "ink"
        if known >= 0:
            fill, ink = "sky", "black"
        elif known < NONE and shown >= 0:
            frame = "gold"
        scene.add(Rect(x, y, wide, tall, fill, frame, 0.1 if frame == "gold" else 0.05, 0.25))
        scene.add(Label(x + wide / 2, y + 0.3 * tall, topic, 0.55, ink, bold=True))
        answer = choices[shown] if shown >= 0 else "no wish" if shown == NONE else " / ".join(choices)
        scene.add(Label(x + wide / 2, y + 0.58 * tall, answer, 0.45, ink, width=wide - 0.4))
        if shown >= 0:
            importance = f"importance {s.level.importance[0, k]}"
            scene.add(Label(x + wide / 2, y + 0.82 * tall, importance, 0.38, ink))


def _draw_card(world: Any, scene: Scene, s: Any, a: int, everything: bool) -> None:
    left, top, width, height = card(world, a)
    head, bottom, row = rows(world, a)
    start, wide = column(world, a)
    aspect, topics = list(world.words.items())[a]
    scene.add(Rect(left, top, width, height, "panel", radius=0.3))
    scene.add(Label(left + 0.3, top + 0.5, aspect, 0.5, align="left", bold=True))
    scene.add(Label(left + width - 0.3, top + 0.5, _state(world, s, a), 0.4, "muted", "right"))
    small = min(0.36, 0.17 * wide)
    for k, (topic, choices) in enumerate(topics.items()):
        x, known = start + wide * k, int(s.known[a, k])
        wish = int(s.level.wishes[a, k])
        ink = "black" if known >= 0 else "muted" if known == NONE else "ink"
        frame = "gold" if everything and known < NONE and wish >= 0 else "line"
        fill = "sky" if known >= 0 else None if known == NONE else "paper"
        scene.add(Rect(x + 0.05, head, wide - 0.1, bottom - head - 0.12, fill, frame, 0.06, 0.15))
        scene.add(Label(x + wide / 2, head + 0.42, topic, small, ink))
        answer = choices[known] if known >= 0 else "-" if known == NONE else "?"
        if everything and known < NONE and wish >= 0:
            answer = choices[wish]
        scene.add(Label(x + wide / 2, head + 0.98, answer, small, ink, bold=True, width=wide - 0.2))
    if s.searched[a] or everything:
        _draw_offers(world, scene, s, a, everything)
    else:
        middle = (bottom + top + height) / 2
        scene.add(Label(left + width / 2, middle, "click above to search for offers", 0.42, "muted", terminal=False))


def _state(world: Any, s: Any, a: int) -> str:
    if s.verdict[a] >= 0:
        return f"offer {s.chosen[a] + 1} {VERDICTS[s.verdict[a]]}"
    return f"{s.params.wishes[a]} wishes, " + ("searched" if s.searched[a] else "not searched")


def _draw_offers(world: Any, scene: Scene, s: Any, a: int, everything: bool) -> None:
    """A row for each offer: choices that meet wishes green, others red; wishes are those that are known, or all.

    With everything, the price of the best offer is gold.
    """
    left, _, width, _ = card(world, a)
    _, bottom, row = rows(world, a)
    start, wide = column(world, a)
    wishes = s.level.wishes[a] if everything else s.known[a]
    best = _best(world, s, a) if everything else -1
    size = min(0.34, 0.62 * row, 0.155 * wide)
    for n in range(len(s.level.prices[a])):
        y = bottom + row * n
        if s.chosen[a] == n:
            scene.add(Rect(left + 0.12, y, width - 0.24, row - 0.03, None, COLORS[s.verdict[a]], 0.08, 0.1))
        if n == best:
            scene.add(Rect(left + 0.2, y + 0.05, start - left - 0.25, row - 0.12, "gold", radius=0.1))
        price = f"{n + 1}: ${s.level.prices[a, n]}"
        scene.add(Label(start - 0.15, y + row / 2, price, size, "black" if n == best else "ink", "right"))
        for k, choices in enumerate(list(world.words.values())[a].values()):
            has, x = int(s.level.offers[a, n, k]), start + wide * k
            if wishes[k] >= 0:
                fill = "good@0.35" if has == wishes[k] else "bad@0.3"
                scene.add(Rect(x + 0.05, y + 0.05, wide - 0.1, row - 0.12, fill, radius=0.1))
            ink = "ink" if wishes[k] >= 0 else "muted"
            scene.add(Label(x + wide / 2, y + row / 2, choices[has], size, ink, width=wide - 0.16))


def _best(world: Any, s: Any, a: int) -> int:
    """The number of the best offer for an aspect."""
    meets = fitting(np.array(s.level.wishes[[a]]), np.array(s.level.offers[[a]]))[0]
    return min(np.flatnonzero(meets).tolist(), key=lambda n: s.level.prices[a, n])
