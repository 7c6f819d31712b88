"""Texts and pictures of chess: names of squares, Forsyth-Edwards Notation, the picture, and moves made in it."""

from __future__ import annotations

import re
from math import floor
from typing import Any

import numpy as np

from envsuite.core.digits import whole
from envsuite.kit.chess_pieces import KING, KNIGHT, PAWN, PIECES, chess_piece
from envsuite.render.scene import Circle, Label, Rect, Scene, checkerboard

SIDES = ("White", "Black")
LETTERS = "PNBRQK"

#: The reasons why a game has ended, by number; "" before the end.
ENDINGS = ("", "checkmate", "stalemate", "insufficient material", "repetition", "moves without progress")


def square_name(square: int) -> str:
    """The name of a square, "a1" for 0."""
    return f"{'abcdefgh'[square % 8]}{square // 8 + 1}"


def square_number(name: str) -> int:
    """The square of a name, 0 for "a1"."""
    return "abcdefgh".index(name[0]) + 8 * "12345678".index(name[1])


#: The top left corner of the board in a picture.
LEFT, TOP = 0.8, 1.0


def turned(agent: int | None) -> int:
    """The number whose xor turns a square into its place in an agent's picture, row by row from the top, and back."""
    return 7 if agent == 1 else 56


def _squares(word: Any) -> list[int]:
    bits = int(word)
    return [square for square in range(64) if bits >> square & 1]


def letters(board: np.ndarray) -> list[str]:
    """The 64 squares of a board (2, 6) in the letters of a FEN, with "." for empty squares."""
    squares = ["."] * 64
    for side in range(2):
        for letter, word in zip(LETTERS, board[side]):
            for square in _squares(word):
                squares[square] = letter if side == 0 else letter.lower()
    return squares


def write_fen(board: Any, turn: int, rights: int, passant: int, clock: int, number: int) -> str:
    """A position in Forsyth-Edwards Notation."""
    squares = letters(board)
    ranks = ["".join(squares[8 * rank : 8 * rank + 8]) for rank in range(7, -1, -1)]
    placed = re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(ranks))
    castling = "".join(letter for letter, square in _ROOKS.items() if int(rights) >> square & 1)
    behind = "".join(square_name(square) for square in _squares(passant))
    return f"{placed} {'wb'[int(turn)]} {castling or '-'} {behind or '-'} {clock} {number}"


#: The squares of the rooks that castle.
_ROOKS = {"K": 7, "Q": 0, "k": 63, "q": 56}


def read_fen(fen: str, level: Any, most: int) -> None:
    """Fill a level's fields from a FEN with a clock of at most `most`; `ValueError` explains what is wrong."""
    fields = fen.split()
    if len(fields) != 6:
        raise ValueError(f"it has {len(fields)} fields, not 6: pieces, side, castling, en passant, clock, move")
    placed, side, castling, passant, clock, number = fields
    given = placed.split("/")
    ranks = [re.sub("[1-8]", lambda digit: "." * int(digit[0]), rank) for rank in given]
    if len(ranks) != 8:
        raise ValueError(f"{placed!r} has {len(ranks)} ranks, not 8")
    for k in range(8):
        if len(ranks[k]) != 8 or not re.fullmatch("([1-8]?[PNBRQKpnbrqk])*[1-8]?", given[k]):
            raise ValueError(f"rank {8 - k}, {given[k]!r}, is not 8 squares of PNBRQKpnbrqk and, between them, numbers")
    squares = "".join(reversed(ranks))
    board = np.zeros((2, 6), np.uint64)
    for name, own, pieces in zip(SIDES, board, (LETTERS, LETTERS.lower())):
        for piece, letter in enumerate(pieces):
            own[piece] = sum(1 << square for square in range(64) if squares[square] == letter)
        counts = [squares.count(letter) for letter in pieces]
        if counts[KING] != 1:
            raise ValueError(f"{name} has {counts[KING]} kings, not 1")
        if pieces[PAWN] in ranks[0] + ranks[7]:
            raise ValueError(f"{name} has a pawn on the first or last rank")
        extra = sum(max(count - usual, 0) for count, usual in zip(counts[KNIGHT:], (2, 2, 2, 1)))
        if counts[PAWN] + extra > 8:
            raise ValueError(f"{name} has {counts[PAWN]} pawns and {extra} pieces that must have been pawns, not 8")
    if side not in ("w", "b"):
        raise ValueError(f"the side to move is {side!r}, not w or b")
    if castling != "-" and (not castling or set(castling) - set(_ROOKS) or len(set(castling)) != len(castling)):
        raise ValueError(f"castling {castling!r} is not made of KQkq, or -")
    rights = 0
    for letter in castling.strip("-"):
        rook, king = _ROOKS[letter], (4 if letter.isupper() else 60)
        wanted = "RK" if letter.isupper() else "rk"
        if squares[rook] + squares[king] != wanted:
            raise ValueError(f"castling {letter} needs a king on {square_name(king)} and a rook on {square_name(rook)}")
        rights |= 1 << rook
    behind = 0
    if passant != "-":
        row, pawn, before, after = (6, "p", 8, -8) if side == "w" else (3, "P", -8, 8)
        if not re.fullmatch(f"[a-h]{row}", passant):
            raise ValueError(f"en passant {passant!r} is not a square of rank {row}, or -")
        square = square_number(passant)
        if squares[square] + squares[square + before] != ".." or squares[square + after] != pawn:
            raise ValueError(f"no pawn has just passed {passant}")
        behind = 1 << square
    passed, move = whole(clock, 4), whole(number, 4)
    if passed is None or passed > most:
        raise ValueError(f"the clock {clock!r} is not a number from 0 to {most}")
    if not move:
        raise ValueError(f"the move {number!r} is not a number from 1 to 9999")
    level.board[...] = board
    level.turn, level.rights, level.passant = "wb".index(side), rights, behind
    level.clock, level.number, level.length = passed, move, 0


def fen(world: Any, s: Any) -> str:
    """The position in Forsyth-Edwards Notation; an en passant square only if a pawn can legally capture there."""
    return write_fen(s.history[s.ply & 7], s.turn, s.rights, s.passant, s.clock, s.number)


def status(world: Any, s: Any) -> str:
    """The side to move, or the result of the game."""
    if ENDINGS[s.ending] == "checkmate":
        return f"Checkmate: {SIDES[1 - s.turn]} wins"
    if s.ending:
        return f"Draw by {ENDINGS[s.ending]}"
    return f"{SIDES[s.turn]} to move" + ", in check" * bool(s.check)


def text(world: Any, s: Any, agent: int) -> str:
    squares = letters(s.history[s.ply & 7])
    rows = [f"{rank + 1}  {' '.join(squares[8 * rank : 8 * rank + 8])}" for rank in range(7, -1, -1)]
    lines = [*rows, "   a b c d e f g h", f"FEN: {fen(world, s)}"]
    if s.origin >= 0:
        lines.append(f"Last move: {square_name(s.origin)}{square_name(s.target)}.")
    you = "" if s.ending else " It is your turn." if s.turn == agent else " It is the other player's turn."
    return "\n".join([*lines, f"You are {SIDES[agent]}.{you} {status(world, s)}."])


def drag(world: Any, s: Any, agent: int, start: tuple[float, float], end: tuple[float, float]) -> int | None:
    """The legal move from one square to another; a pawn becomes a queen."""
    places = [(floor(x - LEFT), floor(y - TOP)) for x, y in (start, end)]
    if s.turn != agent or s.ending or not all(0 <= k < 8 for place in places for k in place):
        return None
    name = "".join(square_name(8 * row + column ^ turned(agent)) for column, row in places)
    names = world.action_names[agent]
    return next((action for action in s.moves[: s.count].tolist() if names[action] == name), None)


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    left, top, turn = LEFT, TOP, turned(agent)

    def corner(square: int) -> tuple[float, float]:
        return left + (square ^ turn) % 8, top + (square ^ turn) // 8

    board = s.history[s.ply & 7]
    scene = Scene(left + 8.4, top + 8.8)
    scene.add(Rect(left - 0.06, top - 0.06, 8.12, 8.12, "wall"), *checkerboard(left, top, 8, 8))
    for square in (s.origin, s.target):
        if square >= 0:
            scene.add(Rect(*corner(square), 1, 1, "yellow@0.45"))
    if s.check:
        scene.add(Rect(*corner(_squares(board[s.turn, KING])[0]), 1, 1, "red@0.6"))
    for k in range(8):
        file, rank = corner(k)[0] + 0.5, corner(8 * k)[1] + 0.5
        scene.add(Label(file, top + 8.4, "abcdefgh"[k], 0.36, "muted"))
        scene.add(Label(left - 0.4, rank, str(k + 1), 0.36, "muted"))
    for side in range(2):
        for name, word in zip(PIECES, board[side]):
            for square in _squares(word):
                x, y = corner(square)
                scene.add(*chess_piece(x + 0.5, y + 0.5, name, side == 0))
    if not s.ending:
        scene.add(Circle(left + 0.2, 0.5, 0.17, ("white", "black")[s.turn], "ink", 0.04))
    scene.add(Label(left + (0.0 if s.ending else 0.55), 0.5, status(world, s), 0.42, align="left"))
    scene.add(Label(left + 8, 0.5, f"move {s.number}", 0.36, "muted", align="right"))
    return scene
