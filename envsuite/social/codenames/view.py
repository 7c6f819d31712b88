"""Texts and pictures of Codenames: words, the table of cards, the turns so far, and the spymaster's table of clues."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from envsuite.core.page import counted
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape
from envsuite.render.theme import text_on

#: The values of each attribute.
VALUES = (
    ("round", "square", "triangle"),
    ("gold", "green", "purple"),
    ("empty", "striped", "solid"),
    ("single", "double", "triple"),
)

#: The most values of an attribute; nouns are more.
MOST_VALUES = 3

#: The kinds of cards, their letters in levels, and their colors.
KINDS = ("red", "blue", "neutral", "assassin")
LETTERS = "rbna"
COLORS = ("red", "blue", "grey", "black")

#: The same kinds as numbers, and a kind that an agent does not know.
RED, BLUE, NEUTRAL, ASSASSIN, UNKNOWN = range(5)

#: What the team to move does next.
CLUE, GUESS = range(2)

#: No turn, value, number or winner.
NONE = -1


def features(world: Any, s: Any, card: int) -> list[str]:
    """The values of a card in words."""
    return [world.values[a][value] for a, value in enumerate(s.cards[card])]


def nouns(world: Any) -> bool:
    """Whether cards are nouns."""
    return len(world.values[0]) > MOST_VALUES


def known(world: Any, s: Any, agent: int | None) -> list[int]:
    """The kind of each card as an agent knows it, or UNKNOWN; spectators know all."""
    knows = agent is None or agent % 2 == 0 or s.winner != NONE
    return [int(kind) if knows or found != NONE else UNKNOWN for kind, found in zip(s.key, s.found)]


def clue(world: Any, s: Any, turn: int) -> str:
    """The clue of a turn in words."""
    return f"{world.words[s.clues[turn]]} {s.numbers[turn]}"


def finds(world: Any, s: Any, turn: int) -> list[int]:
    """The cards that were pointed at in a turn."""
    return [int(i) for i in np.flatnonzero(s.found == turn)]


def messages(world: Any, s: Any) -> list[tuple[int, str]]:
    """The clues so far."""
    return [(2 * (t % 2), clue(world, s, t)) for t in range(len(s.key)) if s.clues[t] != NONE]


def hearers(world: Any, s: Any, agent: int, action: int) -> Collection[int] | None:
    """All hear a clue; a guesser points without a word."""
    return range(len(world.agents)) if s.phase == CLUE and agent == 2 * (s.turn % 2) else None


# Text.


def text(world: Any, s: Any, agent: int) -> str:
    team, kinds = agent // 2, known(world, s, agent)
    left = ", ".join(f"{n} {kind}" for n, kind in zip(s.left, KINDS))
    lines = [f"You are the {KINDS[team]} team's {('spymaster', 'guesser')[agent % 2]}. Cards not found: {left}."]
    for i, kind in enumerate(kinds):
        what = "" if kind == UNKNOWN else f" ({KINDS[kind]}{', found' * (s.found[i] != NONE)})"
        lines.append(f"  card {i + 1}: {' '.join(features(world, s, i))}{what}")
    turns = [t for t in range(len(s.key)) if s.clues[t] != NONE or finds(world, s, t)]
    lines += ["Turns:"] * bool(turns) + [f"  {t + 1}. {story(world, s, t)}" for t in turns]
    return "\n".join([*lines, ask(world, s, agent)])


def story(world: Any, s: Any, turn: int) -> str:
    """A turn in words."""
    cards = [f"card {i + 1} ({KINDS[s.key[i]]})" for i in finds(world, s, turn)]
    words = KINDS[turn % 2] + (f": {clue(world, s, turn)}" if s.clues[turn] != NONE else "")
    return words + (f"; found {', '.join(cards)}" if cards else "")


def ask(world: Any, s: Any, agent: int) -> str:
    """The last line of a text: what is to be done now."""
    mover = 2 * (s.turn % 2) + (s.phase == GUESS)
    if s.terminated[agent]:
        return f"It is over: {KINDS[s.winner]} wins."
    if mover != agent:
        return f"It is the turn of {world.agents[mover]}."
    if s.phase == CLUE:
        return f"Give a clue: a {'word' if nouns(world) else 'value'} and a number."
    more = int(s.numbers[s.turn]) + 1 - int(s.made)
    allowed = f"You may guess {counted(more, 'more card')}"
    return f"The clue is {clue(world, s, s.turn)}. {allowed}{' or stop' if s.made else ', at least one'}."


# The picture: the cards on the left; on the right the turns so far, or the table of clues of a spymaster.


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    return Table(world, s, agent).scene()


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """A guesser's card or button to stop; a spymaster's value and number."""
    table = Table(world, s, agent)
    if agent % 2 == 0 and nouns(world):
        return None
    if agent % 2 == 0:
        row, column = int((y - table.top - 1.0) // ROW), int((x - table.right - NAME) // CELL)
        if 0 <= row < len(world.words) and 0 <= column <= s.params.largest and y >= table.top + 1.0:
            return row * (int(s.params.largest) + 1) + column
        return None
    for i in range(len(s.key)):
        left, top = table.corner(i)
        if left <= x <= left + WIDE and top <= y <= top + HIGH:
            return i
    left, top, wide, high = table.button()
    return len(s.key) if left <= x <= left + wide and top <= y <= top + high else None


#: Sizes of a card, and of the table of clues: a row, the names, a cell.
WIDE, HIGH, GAP = 2.7, 1.9, 0.25
ROW, NAME, CELL = 0.72, 2.1, 0.62


class Table:
    """The picture of a game."""

    def __init__(self, world: Any, s: Any, agent: int | None):
        self.world, self.s, self.agent = world, s, agent
        self.columns = 5 if len(s.key) > 16 else 4 if len(s.key) > 9 else 3
        self.rows = -(-len(s.key) // self.columns)
        self.top = 1.7
        self.right = 0.5 + self.columns * (WIDE + GAP) + 0.4
        table = 0.0 if nouns(world) else 1.3 + ROW * len(world.words)
        self.bottom = self.top + max(self.rows * (HIGH + GAP), 6.0 + 3 * GAP, table)
        self.known = known(world, s, agent)

    def corner(self, card: int) -> tuple[float, float]:
        """The top left corner of a card."""
        row, column = divmod(card, self.columns)
        return 0.5 + column * (WIDE + GAP), self.top + row * (HIGH + GAP)

    def button(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the button to stop."""
        return 0.5, self.bottom + 0.1, 2.7, 0.9

    def scene(self) -> Scene:
        s, world = self.s, self.world
        scene = Scene(self.right + NAME + 10 * CELL + 0.5, self.bottom + 1.3)
        moment = "over" if s.winner != NONE else f"turn {s.turn + 1}: {KINDS[s.turn % 2]}"
        if s.winner != NONE:
            moment = f"{KINDS[s.winner]} wins"
        elif s.phase == GUESS:
            moment += f", {clue(world, s, s.turn)}"
        color = COLORS[s.winner if s.winner != NONE else s.turn % 2]
        scene.add(Rect(0.5, 0.4, self.right - 1.15, 1.0, color, radius=0.25))
        scene.add(Label(0.9, 0.9, moment, 0.55, "white", "left", bold=True))
        left = ", ".join(f"{n} {kind}" for n, kind in zip(s.left, KINDS))
        scene.add(Label(self.right, 0.9, f"left: {left}", 0.38, "muted", "left", width=NAME + 10 * CELL))
        for i in range(len(s.key)):
            scene.add(*self.card(i))
        if self.agent is not None and self.agent % 2 == 0 and not nouns(world):
            scene.add(*self.clues())
        else:
            scene.add(*self.turns())
        if self.agent is not None and self.agent % 2:
            x, y, wide, high = self.button()
            scene.add(Rect(x, y, wide, high, "panel", "line", radius=0.2))
            scene.add(Label(x + wide / 2, y + high / 2, "stop", 0.5))
        return scene

    def card(self, i: int) -> list[Shape]:
        """A card: its figures; a frame in the color of its kind if that is known; filled once it is found."""
        s, kind, (x, y) = self.s, self.known[i], self.corner(i)
        color = COLORS[kind] if kind != UNKNOWN else None
        gone = s.found[i] != NONE
        ink = text_on(color) if gone and color else None
        shapes: list[Shape] = [Rect(x + 0.05, y + 0.07, WIDE, HIGH, "shadow@0.2", radius=0.2)]
        shapes.append(Rect(x, y, WIDE, HIGH, color if gone else "white", color or "line", 0.16 if color else 0.04, 0.2))
        if gone or kind != UNKNOWN:
            shapes.append(Label(x + WIDE - 0.28, y + 0.38, KINDS[kind], 0.3, ink or "black", "right"))
        if gone and s.found[i] == s.turn:
            shapes.append(Rect(x + 0.14, y + 0.14, WIDE - 0.28, HIGH - 0.28, None, "highlight", 0.08, 0.12))
        shapes.append(Label(x + 0.28, y + 0.38, str(i + 1), 0.34, ink or "muted", "left", bold=True))
        if nouns(self.world):
            name = self.world.words[s.cards[i, 0]]
            return [*shapes, Label(x + WIDE / 2, y + HIGH / 2 + 0.18, name, 0.46, ink or "black", width=WIDE - 0.3)]
        values = [*(int(v) for v in s.cards[i]), 0, 0, 0][: len(VALUES)]
        if len(s.cards[i]) < 3:  # without the attribute fill
            values[2] = 2
        return [*shapes, *figures(x + WIDE / 2, y + HIGH / 2 + 0.18, values, ink)]

    def turns(self) -> list[Shape]:
        """The turns so far, the last ones that there is room for."""
        s, world = self.s, self.world
        turns = [t for t in range(len(s.key)) if s.clues[t] != NONE or finds(world, s, t)]
        room = int((self.bottom - self.top - 0.7) / 0.62)
        shapes: list[Shape] = [Label(self.right, self.top + 0.25, "clues and cards found", 0.38, "muted", "left")]
        for row, t in enumerate(turns[-room:]):
            x, y = self.right, self.top + 0.95 + 0.62 * row
            given = clue(world, s, t) if s.clues[t] != NONE else "(no clue)"
            shapes.append(Circle(x + 0.2, y, 0.18, COLORS[t % 2], glyph="rb"[t % 2]))
            shapes.append(Label(x + 0.55, y, given, 0.4, "ink", "left"))
            cards = finds(world, s, t)
            pace = min(0.66, 5.0 / max(1, len(cards)))
            for k, i in enumerate(cards):
                middle = x + 3.4 + pace * k
                shapes.append(Rect(middle - 0.44 * pace, y - 0.25, 0.88 * pace, 0.5, COLORS[s.key[i]], radius=0.12))
                shapes.append(Label(middle, y, str(i + 1), 0.32, text_on(COLORS[s.key[i]]), bold=True))
        return shapes

    def clues(self) -> list[Shape]:
        """The table of clues: a row a value, a column a number; the cell of the last own clue is filled."""
        s, world = self.s, self.world
        team = (self.agent or 0) // 2
        given = [t for t in range(len(s.key)) if s.clues[t] != NONE and t % 2 == team]
        last = (int(s.clues[given[-1]]), int(s.numbers[given[-1]])) if given else None
        shapes: list[Shape] = [Label(self.right, self.top + 0.25, "clues to give", 0.38, "muted", "left")]
        for row, word in enumerate(world.words):
            y = self.top + 1.0 + ROW * row
            shapes.append(Label(self.right, y + ROW / 2, word, 0.42, "ink", "left"))
            for number in range(s.params.largest + 1):
                x = self.right + NAME + CELL * number
                chosen = (row, number) == last
                shapes.append(Rect(x + 0.03, y + 0.05, CELL - 0.06, ROW - 0.1,
                                   COLORS[team] if chosen else "panel", "line", radius=0.1))  # fmt: skip
                shapes.append(Label(x + CELL / 2, y + ROW / 2, str(number), 0.32, "white" if chosen else "ink"))
        return shapes


#: In terminals: the letter of a figure, by shape and color.
SIGNS = ("gnp", "GNP", "γνπ")


def figures(x: float, y: float, values: list[int], ink: str | None) -> list[Shape]:
    """The figures of a card around a point, by its values; `ink` is a color in place of its own."""
    shape, hue, fill, count = values
    color, sign = (ink, "") if ink else (("gold", "green", "purple")[hue], SIGNS[shape][hue])
    shapes: list[Shape] = []
    for k in range(count + 1):
        middle = x + 0.78 * (k - count / 2)
        inner = (None, None, color)[fill]
        if shape == 0:
            shapes.append(Circle(middle, y, 0.3, inner, color, 0.08, glyph=sign))
        elif shape == 1:
            shapes.append(Rect(middle - 0.28, y - 0.28, 0.56, 0.56, inner, color, 0.08, glyph=sign))
        else:
            corners = [(middle, y - 0.33), (middle + 0.34, y + 0.28), (middle - 0.34, y + 0.28)]
            shapes.append(Polygon(corners, inner, color, 0.08, glyph=sign))
        if fill == 1:
            for dy in (-0.12, 0.02, 0.16):
                half = (0.3**2 - dy**2) ** 0.5 if shape == 0 else 0.26 if shape == 1 else 0.3 * (dy + 0.33) / 0.61
                shapes.append(Line([(middle - half, y + dy), (middle + half, y + dy)], color, 0.06))
    return shapes
