"""Texts and pictures of animal shogi, and moves made in them."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor
from typing import Any

from envsuite.kit.shogi_pieces import forward, hand_box, hand_words, kind_at, wedge
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, checkerboard
from envsuite.render.theme import agent_color

#: The kinds of pieces; the first three can be in hand.
KINDS = ("chick", "elephant", "giraffe", "lion", "hen")

#: The letters of the pieces of `player_0`; those of `player_1` are lowercase.
LETTERS = "CEGLH"

#: The reasons why a game has ended, by number.
ENDINGS = ("", "the lion reached the last rank", "checkmate", "no legal move", "repetition", "256 moves")

#: The top left corner of the board in the picture, the left edges of the hands beside it, and the top of the hands.
LEFT, TOP = 2.1, 1.0
HANDS = (5.5, 0.2)
HAND_TOPS = (TOP + 0.95, TOP + 0.05)


def square_name(square: int) -> str:
    """The name of a square, "a1" for 0."""
    return f"{'abc'[square % 3]}{square // 3 + 1}"


def place_of(square: int, agent: int | None) -> int:
    """The place of a square in an agent's picture, row by row from the top, and back."""
    row, column = divmod(square, 3)
    return 3 * row + 2 - column if agent == 1 else 3 * (3 - row) + column


def animal(kind: str) -> list[Shape]:
    """The face of an animal, around (0, 0) in a tile of side 1."""
    eyes = [Circle(x, -0.04, 0.028, "black", glyph="") for x in (-0.075, 0.075)]
    beak = Polygon([(-0.06, 0.03), (0.06, 0.03), (0, 0.12)], "orange")
    match kind:
        case "chick":
            return [Circle(0, 0, 0.19, "yellow", glyph=""), *eyes, beak]
        case "hen":
            comb = [Circle(x, -0.19 - y, 0.06, "red", glyph="") for x, y in ((-0.09, 0), (0, 0.03), (0.09, 0))]
            return [*comb, Circle(0, 0, 0.19, "white", glyph=""), *eyes, beak, Circle(0, 0.16, 0.04, "red", glyph="")]
        case "elephant":
            ears = [Circle(x, -0.03, 0.13, "wall", glyph="") for x in (-0.17, 0.17)]
            trunk = Line([(0, 0.02), (0, 0.19), (0.07, 0.23)], "wall", 0.08)
            return [*ears, Circle(0, 0, 0.17, "grey", glyph=""), trunk, *eyes]
        case "giraffe":
            horns: list[Shape] = [Line([(x, -0.12), (x, -0.24)], "brown", 0.045) for x in (-0.08, 0.08)]
            tips = [Circle(x, -0.25, 0.04, "brown", glyph="") for x in (-0.08, 0.08)]
            spots = [Circle(x, y, 0.03, "brown", glyph="") for x, y in ((-0.1, -0.11), (0.09, -0.12), (0, -0.1))]
            head = Rect(-0.15, -0.17, 0.3, 0.3, "gold", radius=0.1)
            return [*horns, *tips, head, *spots, *eyes, Rect(-0.12, 0.03, 0.24, 0.19, "soil", radius=0.08)]
        case _:
            nose = Polygon([(-0.05, 0.03), (0.05, 0.03), (0, 0.09)], "black")
            return [Circle(0, 0, 0.25, "brown", glyph=""), Circle(0, 0, 0.165, "gold", glyph=""), *eyes, nose]


def tile(x: float, y: float, piece: int, agent: int | None, ways: Mapping, size: float = 1.0) -> list[Shape]:
    """A piece (1 to 10) around a point of an agent's picture: it points forward, and dots show where it can move."""
    owner, kind = divmod(piece - 1, 5)
    letter = LETTERS[kind] if owner == 0 else LETTERS[kind].lower()
    face: list[Shape] = [Circle(0, 0, 0.29, "floor", glyph="")]
    for across, ahead in ways[kind + 1]:
        face.append(Circle(0.355 * across, 0.355 * forward(owner, agent) * ahead, 0.045, "white", glyph=""))
    return wedge(x, y, owner, agent, letter, [*face, *animal(KINDS[kind])], size)


def status(world: Any, s: Any) -> str:
    """The player to move, or the result of the game."""
    if not s.ending:
        return f"player {s.player} to move"
    return f"draw: {ENDINGS[s.ending]}" if s.ending > 3 else f"player {1 - s.player} wins: {ENDINGS[s.ending]}"


def text(world: Any, s: Any, agent: int) -> str:
    signs = "." + LETTERS + LETTERS.lower()
    rows = [f"{row + 1} " + " ".join(signs[k] for k in s.board[3 * row : 3 * row + 3]) for row in range(3, -1, -1)]
    hands = [hand_words(s.hand[player], KINDS) for player in (agent, 1 - agent)]
    if s.ending:
        result = "It is a draw" if s.ending > 3 else "You have lost" if s.player == agent else "You have won"
        turn = f"{result}: {ENDINGS[s.ending]}."
    else:
        turn = "It is your turn." if s.player == agent else "It is the other player's turn."
        if s.repeats:
            turn += " This position occurred before."
    case, way = (("uppercase", "up"), ("lowercase", "down"))[agent]
    return "\n".join(
        [
            *rows,
            "  a b c",
            f"Your pieces are the {case} letters and move {way}: C chick, E elephant, G giraffe, L lion, H hen.",
            f"You have {hands[0]} in hand; the other player has {hands[1]}.",
            f"Moves so far: {s.moves} of 256. {turn}",
        ]
    )


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The board from the agent's side, the squares of the last move, and the hands beside the board."""
    scene = Scene(6.8, 5.75)
    scene.add(Rect(LEFT - 0.06, TOP - 0.06, 3.12, 4.12, "wall"), *checkerboard(LEFT, TOP, 3, 4))
    for square in range(12):
        row, column = divmod(place_of(square, agent), 3)
        x, y = LEFT + column, TOP + row
        if square in (s.origin, s.target):
            scene.add(Rect(x, y, 1, 1, "highlight@0.45"))
        if column == 0:
            scene.add(Label(LEFT - 0.25, y + 0.5, str(square // 3 + 1), 0.3, "muted"))
        if row == 3:
            scene.add(Label(x + 0.5, TOP + 4.3, "abc"[square % 3], 0.3, "muted"))
        if s.board[square]:
            scene.add(*tile(x + 0.5, y + 0.5, int(s.board[square]), agent, world.ways))
    for player in range(2):
        above = int(player != (agent or 0))
        left, top = HANDS[above], HAND_TOPS[above]

        def piece(x: float, y: float, k: int, player: int = player) -> list[Shape]:
            return tile(x, y, 5 * player + k + 1, agent, world.ways, 0.9)

        scene.add(*hand_box(left, top, s.hand[player], piece))
    if not s.ending:
        scene.add(Circle(LEFT + 0.14, 0.5, 0.14, agent_color(int(s.player)), glyph="01"[s.player]))
    scene.add(Label(LEFT + 0.4 * (not s.ending), 0.5, status(world, s), 0.34, align="left"))
    return scene


def drag(world: Any, s: Any, agent: int, start: tuple[float, float], end: tuple[float, float]) -> int | None:
    """The move from a square to another, or the drop of a piece of the agent's hand."""
    origin, target = _square_at(*start, agent), _square_at(*end, agent)
    kind = kind_at(*start, HANDS[0], HAND_TOPS[0], 3)
    if target is None:
        return None
    if origin is not None:
        name = square_name(origin) + square_name(target)
    elif kind is not None:
        name = f"drop {KINDS[kind]} {square_name(target)}"
    else:
        return None
    names = world.action_names[agent]
    return names.index(name) if name in names else None


def _square_at(x: float, y: float, agent: int) -> int | None:
    """The square at a point of an agent's picture."""
    row, column = floor(y - TOP), floor(x - LEFT)
    if not (0 <= row < 4 and 0 <= column < 3):
        return None
    return place_of(3 * row + column, agent)
