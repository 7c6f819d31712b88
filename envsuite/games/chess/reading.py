"""Chess moves as people write them, `Nf3`, `exd5`, `O-O`, `g1-f3`, as the UCI names of legal moves."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MOVE = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)[x-]?([a-h][1-8])(?:=?([QRBNqrbn]))?[+#!?]*")
_PIECES = {"pawn": "", "knight": "N", "bishop": "B", "rook": "R", "queen": "Q", "king": "K"}
_CASTLE = {"O-O": 2, "0-0": 2, "O-O-O": -2, "0-0-0": -2}


def written_move(text: str, moves: Iterable[tuple[str, str]]) -> str | None:
    """The UCI name of the only legal move that a text means; None if it means none, or more than one.

    Args:
        text: the move, with nothing beside it but its number.
        moves: the UCI names of the legal moves, each with the letter of its piece.
    """
    first, _, rest = re.sub(r"^\d+\.+\s*", "", text).partition(" ")
    last = _PIECES[first.lower()] + rest.removeprefix("to ") if first.lower() in _PIECES else f"{first} {rest}".strip()
    last = re.sub(r"\s+(?:to|-|takes|x)\s+", "-", last)
    if last.strip("+#!?") in _CASTLE:
        step = _CASTLE[last.strip("+#!?")]
        found = [uci for uci, piece in moves if piece in "Kk" and ord(uci[2]) - ord(uci[0]) == step]
    elif move := _MOVE.fullmatch(last):
        piece, file, rank, target, becomes = move.groups()
        piece = piece or ("" if file and rank else "P")
        found = [
            uci
            for uci, own in moves
            if uci[2:4] == target
            and own.upper() in (piece or own.upper())
            and file in ("", uci[0])
            and rank in ("", uci[1])
            and uci[4:] == (becomes or "").lower()
        ]
    else:
        return None
    return found[0] if len(found) == 1 else None
