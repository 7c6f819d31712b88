"""Texts and pictures of shogi: names of squares, SFEN, the picture, and moves made in it."""

from __future__ import annotations

import re
from math import floor
from typing import Any

import numpy as np

from envsuite.core.digits import whole
from envsuite.kit.shogi_pieces import HAND_WIDTH, forward, hand_box, hand_words, kind_at, wedge
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, Shape
from envsuite.render.theme import agent_color

SIDES = ("player_0", "player_1")

#: The letters of kinds of pieces; promoted pieces have a plus before them. The first seven can be in hand.
LETTERS = ("P", "L", "N", "S", "B", "R", "G", "K", "+P", "+L", "+N", "+S", "+B", "+R")
HANDS = LETTERS[:7]
KINDS = ("pawn", "lance", "knight", "silver", "bishop", "rook", "gold", "king")
PAWN, KING = 0, 7

#: Pieces of each kind in a game, and the last rows, from their player's side, that they cannot stand on.
SET = (18, 4, 4, 4, 2, 2, 4, 2)
CLOSED_ROWS = (1, 1, 2, 0, 0, 0, 0, 0)

#: The order of pieces in hand in SFEN.
_HAND_ORDER = (5, 4, 6, 3, 2, 1, 0)

#: The reasons why a game has ended, by number; "" before the end.
ENDINGS = (
    "", "checkmate", "no legal move", "declaration", "points in the camp", "perpetual check", "repetition",
    "both kings have entered", "number of moves",
)  # fmt: skip

#: The top left corner of the board in the picture, and those of the hands: below at the right, above at the left.
LEFT, TOP = 1.7, 1.4
HAND_CORNERS = ((LEFT + 9.55, TOP + 2), (LEFT - HAND_WIDTH - 0.25, TOP))


def square_name(square: int) -> str:
    """The name of a square, "9i" for 0."""
    return f"{9 - square % 9}{'ihgfedcba'[square // 9]}"


def mover(board: Any, usi: str) -> str:
    """The letter of the piece that a move in USI moves or drops, such as "+R"."""
    if usi[1] == "*":
        return usi[0]
    return LETTERS[(board[9 * "ihgfedcba".index(usi[1]) + 9 - int(usi[0])] - 1) % 14]


def place_of(square: int, agent: int | None) -> int:
    """The place of a square in an agent's picture, row by row from the top, and back."""
    row, column = divmod(square, 9)
    return 9 * row + 8 - column if agent == 1 else 9 * (8 - row) + column


def sign(piece: int) -> str:
    """A piece in the letters of SFEN, "." for an empty square."""
    letter = LETTERS[(piece - 1) % 14]
    return "." if piece == 0 else letter if piece <= 14 else letter.lower()


def write_sfen(position: Any, number: int) -> str:
    """A position, with `board`, `hand` and `player`, in SFEN, before the move with this number."""
    ranks = ["".join(sign(int(k)) for k in position.board[9 * row : 9 * row + 9]) for row in range(8, -1, -1)]
    placed = re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(ranks))
    hands = ""
    for player, hand in enumerate(position.hand.tolist()):
        for kind in _HAND_ORDER:
            letter = HANDS[kind] if player == 0 else HANDS[kind].lower()
            hands += (str(hand[kind]) if hand[kind] > 1 else "") + letter * (hand[kind] > 0)
    return f"{placed} {'bw'[int(position.player)]} {hands or '-'} {number}"


def read_sfen(sfen: str, level: Any) -> None:
    """Fill a level's position from SFEN; `ValueError` explains what is wrong."""
    fields = sfen.split()
    if len(fields) != 4:
        raise ValueError(f"it has {len(fields)} fields, not 4: pieces, side, hands, move")
    placed, side, held, number = fields
    pieces = [_read_rank(rank, k) for k, rank in enumerate(placed.split("/"))]
    if len(pieces) != 9:
        raise ValueError(f"{placed!r} has {len(pieces)} ranks, not 9")
    board = np.concatenate(pieces[::-1])
    if side not in ("b", "w"):
        raise ValueError(f"the side to move is {side!r}, not b or w")
    hand = _read_hands(held)
    move = whole(number, 4)
    if not move:
        raise ValueError(f"the move {number!r} is not a number from 1 to 9999")
    _demand_possible(board, hand)
    level.board[...], level.hand[...] = board, hand
    level.player, level.number, level.length = "bw".index(side), move, 0


def _read_rank(rank: str, k: int) -> list[int]:
    """The nine pieces of a rank."""
    signs = re.findall(r"\+?[PLNSBRplnsbr]|[GKgk]|[1-9]", rank)
    squares = [each for part in signs for each in ("." * (whole(part) or 0) or [part])]
    if "".join(signs) != rank or len(squares) != 9 or re.search("[0-9]{2}", rank):
        name = f"rank {'abcdefghi'[k]}" if k < 9 else f"rank number {k + 1}"
        raise ValueError(f"{name}, {rank!r:.40}, is not 9 squares of PLNSGBRKplnsgbrk, + and, between them, numbers")
    return [_PIECES[each] for each in squares]


_PIECES = {sign(piece): piece for piece in range(29)}


def _read_hands(held: str) -> np.ndarray:
    """(2, 7): the numbers of pieces in both hands."""
    hand = np.zeros((2, 7), np.int64)
    found = re.findall(r"(\d*)([PLNSGBRplnsgbr])", held)
    if held != "-" and "".join(map("".join, found)) != held:
        raise ValueError(f"the hands {held!r:.40} are not -, or letters of PLNSGBRplnsgbr with numbers before them")
    for digits, letter in found:
        count = whole(digits or "1", 2) or 0
        if not 1 <= count <= 18:
            raise ValueError(f"{digits + letter:.40} in hand: not a number from 1 to 18")
        hand[int(letter.islower()), HANDS.index(letter.upper())] += count
    return hand


def _demand_possible(board: np.ndarray, hand: np.ndarray) -> None:
    """Raise `ValueError` if a game cannot have these pieces."""
    for player, name in enumerate(SIDES):
        own = np.where((board - 1) // 14 == player, (board - 1) % 14, -1)  # kinds, from the player's side
        own = (own if player == 0 else own[::-1]).reshape(9, 9)
        if (kings := int((own == KING).sum())) != 1:
            raise ValueError(f"{name} has {kings} kings, not 1")
        for kind, rows in enumerate(CLOSED_ROWS):
            if rows and (own[9 - rows :] == kind).any():
                raise ValueError(f"{name} has a {KINDS[kind]} that can never move")
        if ((own == PAWN).sum(axis=0) > 1).any():
            raise ValueError(f"{name} has two pawns on a file")
    kinds = (board[board > 0] - 1) % 14 % 8
    counts = np.bincount(kinds, minlength=8) + np.append(hand.sum(axis=0), 0)
    for kind, (count, most) in enumerate(zip(counts, SET)):
        if count > most:
            raise ValueError(f"there are {count} {KINDS[kind]}s, and a game has {most}")


def direction_mark(way: tuple[int, int], slides: bool, up: int) -> Shape:
    """A mark for a way in which a piece moves: a dot for one square, a line for any number of them."""
    x, y = way[0], up * way[1]
    if slides:
        return Line([(0.25 * x, 0.25 * y), (0.36 * x, 0.36 * y)], "black", 0.055)
    return Circle(0.31 * x, 0.31 * y, 0.042, "black", glyph="")


def sfen(world: Any, s: Any) -> str:
    """The position in SFEN, the notation of shogi programs."""
    return write_sfen(s, s.level.number + s.moves)


def status(world: Any, s: Any) -> str:
    """The player to move, or the result of the game."""
    if not s.ending:
        return f"player {s.player} to move" + ", in check" * bool(s.check)
    return f"draw: {ENDINGS[s.ending]}" if s.winner < 0 else f"player {s.winner} wins: {ENDINGS[s.ending]}"


def last_move(world: Any, s: Any) -> str:
    """The last move in USI; "" if there was none."""
    return world.action_names[1 - s.player][s.last] if s.last >= 0 else ""


def text(world: Any, s: Any, agent: int) -> str:
    rows = [" ".join(f"{sign(int(k)):>2}" for k in s.board[9 * row : 9 * row + 9]) for row in range(8, -1, -1)]
    lines = [" " + "  ".join("987654321"), *(f"{row} {'abcdefghi'[k]}" for k, row in enumerate(rows))]
    case, way = (("uppercase", "up"), ("lowercase", "down"))[agent]
    lines.append(
        f"Your pieces are the {case} letters and move {way}: P pawn, L lance, N knight, S silver, G gold, "
        "B bishop, R rook, K king; + promoted."
    )
    own, other = (hand_words(s.hand[player], KINDS) for player in (agent, 1 - agent))
    lines.append(f"You have {own} in hand; the other player has {other}.")
    if s.ending:
        result = "It is a draw" if s.winner < 0 else "You have won" if s.winner == agent else "You have lost"
        turn = f"{result}: {ENDINGS[s.ending]}."
    else:
        turn = "It is your turn." if s.player == agent else "It is the other player's turn."
        turn += f" {('You are', 'It is')[s.player != agent]} in check." * bool(s.check)
        if s.player == agent and world.numbers[agent]["win"] in s.legal[: s.count]:
            turn += " You may declare a win."
        if s.repeats:
            times = ("once", "twice", "three times")[s.repeats - 1]
            turn += f" This position occurred {times} before; the fourth time ends the game."
    if s.last >= 0:
        lines.append(f"Last move: {last_move(world, s)}.")
    return "\n".join([*lines, f"Moves so far: {s.moves} of {s.params.max_moves}. {turn}"])


def piece(world: Any, x: float, y: float, piece: int, agent: int | None, size: float = 1.0) -> list[Shape]:
    """A piece (1 to 28) around a point of an agent's picture, with its letter and its ways."""
    owner, kind = divmod(piece - 1, 14)
    up, letter = forward(owner, agent), LETTERS[kind]
    face: list[Shape] = [Circle(0, 0.02 * up, 0.385, "floor", glyph="")]
    face += [direction_mark(way, False, up) for way in world.steps[kind]]
    face += [direction_mark(way, True, up) for way in world.slides.get(kind, ())]
    if kind == 2:  # a knight's jumps
        face += [Line([(0.0, 0.24 * up), (0.12 * x, 0.36 * up)], "black", 0.045) for x in (-1, 1)]
    face.append(Label(0, 0.01, letter, 0.36, "red" if kind > KING else "black", bold=True, terminal=False))
    face.append(Rect(0, 0, 0, 0, None, glyph=letter if owner == 0 else letter.lower()))
    return wedge(x, y, owner, agent, "", face, size)


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The board from the agent's side, the squares of the last move, a king in check, and the hands."""
    scene = Scene(LEFT + 10.95, TOP + 9.95)
    scene.add(Rect(LEFT - 0.06, TOP - 0.06, 9.12, 9.12, "wall"), Rect(LEFT, TOP, 9, 9, "square"))
    for k in range(1, 9):
        scene.add(Line([(LEFT + k, TOP), (LEFT + k, TOP + 9)], "wall", 0.03))
        scene.add(Line([(LEFT, TOP + k), (LEFT + 9, TOP + k)], "wall", 0.03))
    king, last = 8 + 14 * int(s.player), last_move(world, s)
    for square in range(81):
        row, column = divmod(place_of(square, agent), 9)
        x, y = LEFT + column, TOP + row
        if last and square_name(square) in (last[:2], last[2:4]):
            scene.add(Rect(x, y, 1, 1, "highlight@0.55"))
        if s.check and s.board[square] == king:
            scene.add(Rect(x, y, 1, 1, "red@0.6"))
        if column == 8:
            scene.add(Label(LEFT + 9.28, y + 0.5, "ihgfedcba"[square // 9], 0.34, "muted"))
        if row == 8:
            scene.add(Label(x + 0.5, TOP + 9.4, str(9 - square % 9), 0.34, "muted"))
        if s.board[square]:
            scene.add(*piece(world, x + 0.5, y + 0.5, int(s.board[square]), agent))
    for player in range(2):

        def held(x: float, y: float, kind: int, player: int = player) -> list[Shape]:
            return piece(world, x, y, 1 + kind + 14 * player, agent, 0.9)

        scene.add(*hand_box(*HAND_CORNERS[player != (agent or 0)], s.hand[player], held))
    if not s.ending:
        scene.add(Circle(LEFT + 0.2, 0.7, 0.18, agent_color(int(s.player)), glyph="01"[s.player]))
    scene.add(Label(LEFT + 0.55 * (not s.ending), 0.7, status(world, s), 0.42, align="left"))
    scene.add(Label(LEFT + 9, 0.7, f"move {s.level.number + s.moves}", 0.36, "muted", align="right"))
    return scene


def drag(world: Any, s: Any, agent: int, start: tuple[float, float], end: tuple[float, float]) -> int | None:
    """The move from a square to another, or the drop of a piece of the agent's hand.

    Where a piece may promote or not, the upper half of the square promotes it.
    """
    target = _square_at(*end, agent)
    if target is None or s.player != agent or s.ending:
        return None
    origin, kind = _square_at(*start, agent), kind_at(*start, *HAND_CORNERS[0], 7)
    name = square_name(target)
    if origin is not None:
        name = square_name(origin) + name
    elif kind is not None:
        name = f"{HANDS[kind]}*{name}"
    else:
        return None
    upper = (end[1] - TOP) % 1 < 0.5
    for wanted in (name + "+", name) if upper else (name, name + "+"):
        action = world.numbers[agent].get(wanted)
        if action is not None and action in s.legal[: s.count]:
            return action
    return None


def _square_at(x: float, y: float, agent: int) -> int | None:
    """The square at a point of an agent's picture."""
    row, column = floor(y - TOP), floor(x - LEFT)
    if not (0 <= row < 9 and 0 <= column < 9):
        return None
    return place_of(9 * row + column, agent)
