"""Texts and pictures of GardnerChess: names of squares, Forsyth-Edwards Notation, the picture, and moves made in it."""

from __future__ import annotations

import re
from math import floor
from typing import Any

import numpy as np

from envsuite.core.digits import whole
from envsuite.core.page import counted
from envsuite.kit.chess_pieces import KING, KNIGHT, LETTERS, PAWN, PIECES, chess_piece
from envsuite.render.scene import Circle, Label, Rect, Scene, checkerboard

SIDES = ("White", "Black")
FILES = "abcde"

#: The reasons why a game has ended, by number; "" before the end.
ENDINGS = (
    "", "checkmate", "stalemate", "insufficient material", "moves without progress", "repetition", "number of moves",
)  # fmt: skip

#: The top left corner of the board in a picture.
LEFT, TOP = 0.8, 1.0


def square_name(square: int) -> str:
    """The name of a square from 0 to 24, "a1" for 0."""
    return f"{FILES[square % 5]}{square // 5 + 1}"


def place_of(square: int, agent: int | None) -> int:
    """The place of a square in an agent's picture, row by row from the top, and back."""
    row, column = divmod(square, 5)
    return 5 * row + 4 - column if agent == 1 else 5 * (4 - row) + column


def letters(board: Any) -> list[str]:
    """The 25 squares of a board (2, 6) in the letters of a FEN, with "." for empty squares."""
    squares = ["."] * 25
    for side in range(2):
        for letter, word in zip(LETTERS, board[side]):
            for square in range(25):
                if int(word) >> (8 * (square // 5) + square % 5) & 1:
                    squares[square] = letter if side == 0 else letter.lower()
    return squares


def write_fen(board: Any, player: int, clock: int, number: int) -> str:
    """A position in Forsyth-Edwards Notation; castling and en passant are always "-"."""
    squares = letters(board)
    ranks = ["".join(squares[5 * rank : 5 * rank + 5]) for rank in range(4, -1, -1)]
    placed = re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(ranks))
    return f"{placed} {'wb'[int(player)]} - - {clock} {number}"


def read_fen(fen: str, level: Any) -> None:
    """Fill a level's position from a FEN; `ValueError` explains what is wrong."""
    fields = fen.split()
    if len(fields) != 6:
        raise ValueError(f"it has {len(fields)} fields, not 6: pieces, side, castling, en passant, clock, move")
    placed, side, castling, passant, clock, number = fields
    given = placed.split("/")
    ranks = [re.sub("[1-5]", lambda empty: "." * int(empty[0]), rank) for rank in given]
    written = all(re.fullmatch("([1-5]?[pnbrqkPNBRQK])*[1-5]?", rank) for rank in given)
    if not written or list(map(len, ranks)) != [5] * 5:
        raise ValueError("the pieces are not five ranks of five squares, in letters PNBRQK and pnbrqk and numbers")
    squares = "".join(reversed(ranks))
    board = np.zeros((2, 6), np.uint64)
    for name, own, pieces in zip(SIDES, board, (LETTERS, LETTERS.lower())):
        for piece, letter in enumerate(pieces):
            own[piece] = sum(1 << (8 * (k // 5) + k % 5) for k in range(25) if squares[k] == letter)
        counts = [squares.count(letter) for letter in pieces]
        if counts[KING] != 1:
            raise ValueError(f"{name} has {counts[KING]} kings, not 1")
        if pieces[PAWN] in ranks[0] + ranks[4]:
            raise ValueError(f"{name} has a pawn on the first or last rank")
        extra = sum(max(count - 1, 0) for count in counts[KNIGHT:KING])
        if counts[PAWN] + extra > 5:
            raise ValueError(f"{name} has {counts[PAWN]} pawns and {extra} pieces that must have been pawns, not 5")
    if side not in ("w", "b"):
        raise ValueError(f"the side to move is {side!r}, not w or b")
    if (castling, passant) != ("-", "-"):
        raise ValueError(f"castling and en passant are {castling!r} and {passant!r}, not -")
    passed, move = whole(clock, 4), whole(number, 4)
    if passed is None or passed > 100:
        raise ValueError(f"the clock {clock!r} is not a number from 0 to 100")
    if not move:
        raise ValueError(f"the move {number!r} is not a number from 1 to 9999")
    level.board[...] = board
    level.player, level.clock, level.number, level.length = "wb".index(side), passed, move, 0


def fen(world: Any, s: Any) -> str:
    """The position in Forsyth-Edwards Notation."""
    return write_fen(s.board, s.player, s.clock, s.number)


def status(world: Any, s: Any) -> str:
    """The side to move, or the result of the game."""
    if ENDINGS[s.ending] == "checkmate":
        return f"Checkmate: {SIDES[1 - s.player]} wins"
    if s.ending:
        return f"Draw by {ENDINGS[s.ending]}"
    return f"{SIDES[s.player]} to move" + ", in check" * bool(s.check)


def text(world: Any, s: Any, agent: int) -> str:
    squares = letters(s.board)
    lines = [f"{rank + 1}  {' '.join(squares[5 * rank : 5 * rank + 5])}" for rank in range(4, -1, -1)]
    lines += ["   a b c d e", f"FEN: {fen(world, s)}"]
    if s.origin >= 0:
        lines.append(f"Last move: {square_name(s.origin)}{square_name(s.target)}.")
    if not s.ending:
        left = int(s.params.max_moves - s.moves)
        lines.append(f"The game is a draw after {counted(left, 'more move')}.")
        if s.repeats:
            lines.append("The position occurred before.")
    you = "" if s.ending else " It is your turn." if s.player == agent else " It is the other player's turn."
    return "\n".join([*lines, f"You are {SIDES[agent]}.{you} {status(world, s)}."])


def drag(world: Any, s: Any, agent: int, start: tuple[float, float], end: tuple[float, float]) -> int | None:
    """The legal move from one square to another; a pawn becomes a queen."""
    places = [(floor(x - LEFT), floor(y - TOP)) for x, y in (start, end)]
    if s.player != agent or s.ending or not all(0 <= k < 5 for place in places for k in place):
        return None
    name = "".join(square_name(place_of(5 * row + column, agent)) for column, row in places)
    names = world.action_names[agent]
    action = names.index(name) if name in names else None
    return action if action is not None and s.legal[action] else None


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The board from the agent's side, the squares of the last move, a king in check, and the status."""
    left, top = LEFT, TOP

    def corner(square: int) -> tuple[float, float]:
        row, column = divmod(place_of(square, agent), 5)
        return left + column, top + row

    scene = Scene(left + 5.4, top + 5.8)
    scene.add(Rect(left - 0.06, top - 0.06, 5.12, 5.12, "wall"), *checkerboard(left, top, 5, 5))
    for square in (s.origin, s.target):
        if square >= 0:
            scene.add(Rect(*corner(square), 1, 1, "yellow@0.45"))
    squares = letters(s.board)
    if s.check:
        scene.add(Rect(*corner(squares.index("Kk"[s.player])), 1, 1, "red@0.6"))
    for k in range(5):
        scene.add(Label(corner(k)[0] + 0.5, top + 5.4, FILES[k], 0.36, "muted"))
        scene.add(Label(left - 0.4, corner(5 * k)[1] + 0.5, str(k + 1), 0.36, "muted"))
    for square, letter in enumerate(squares):
        if letter != ".":
            x, y = corner(square)
            name = PIECES[LETTERS.index(letter.upper())]
            scene.add(*chess_piece(x + 0.5, y + 0.5, name, letter.isupper()))
    if not s.ending:
        scene.add(Circle(left + 0.2, 0.5, 0.17, ("white", "black")[s.player], "ink", 0.04))
    scene.add(Label(left + (0.0 if s.ending else 0.55), 0.5, status(world, s), 0.36, align="left"))
    scene.add(Label(left + 5, 0.5, f"move {s.number}", 0.3, "muted", align="right"))
    return scene
