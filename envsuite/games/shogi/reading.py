"""Shogi moves as people write them, `P-7f`, `P76`, `S3d+`, `P*5e`, `７六歩(77)`, as the USI names of legal moves."""

from __future__ import annotations

import re
from collections.abc import Iterable

_RANKS = "一二三四五六七八九"
_SQUARE = rf"[1-9][1-9a-i{_RANKS}]"
_WESTERN = re.compile(
    rf"(?P<piece>\+?[PLNSBRGK])?(?P<origin>{_SQUARE})? ?(?P<sign>[-x*']?) ?(?P<target>{_SQUARE})(?P<after>[+=]?)"
)
_JAPANESE = re.compile(
    rf"[▲△☗☖]?(?P<target>{_SQUARE})(?P<piece>成[香桂銀]|[歩香桂銀角飛金玉王と杏圭全馬龍竜])(?P<after>成|不成|打)?"
    r"(?:\((?P<origin>[1-9]{2})\))?"
)
_PIECES = {
    **dict(zip("歩香桂銀角飛金玉王と杏圭全馬龍竜", "P L N S B R G K K +P +L +N +S +B +R +R".split())),
    "成香": "+L", "成桂": "+N", "成銀": "+S",
}  # fmt: skip
#: English words for parts of a move, in this order.
_WORDS = [
    ("promoted ", "+"), ("tokin", "+P"), ("dragon(?: king)?", "+R"), ("horse", "+B"), ("pawn", "P"), ("lance", "L"),
    ("knight", "N"), ("silver(?: general)?", "S"), ("bishop", "B"), ("rook", "R"), ("gold(?: general)?", "G"),
    ("king", "K"), (" (?:drops|dropped|drop)(?: (?:at|on|to))? ", "*"), (" (?:takes|captures) ", "x"),
    (" (?:moves to|to) ", "-"), (",? (?:without promoting|does not promote)", "="),
    (",? (?:and promotes|promotes|promoting)", "+"),
]  # fmt: skip


def written_move(text: str, moves: Iterable[tuple[str, str]]) -> str | None:
    """The USI name of the only legal move that a text means; None if it means none, or more than one.

    A move that could promote must say whether it does, and one without a sign may be a drop.

    Args:
        text: the move, with nothing beside it.
        moves: the USI names of the legal moves, each with the letter of its piece, such as "+R".
    """
    given = _parts(text)
    if given is None:
        return None
    piece, origin, drops, target, promotes = given
    found = [
        usi
        for usi, own in moves
        if usi[2:4] == target
        and piece in ("", own)
        and (usi[1] == "*" if drops else origin in ("", usi[:2]) and (drops is None or usi[1] != "*"))
        and promotes in (None, usi.endswith("+"))
    ]
    return found[0] if len(found) == 1 else None


def _parts(text: str) -> tuple[str, str, bool | None, str, bool | None] | None:
    """Piece, origin, whether it is dropped, target, and whether it promotes; "" or None where the text does not say."""
    if move := _JAPANESE.fullmatch(text):
        after = move["after"]
        drops = True if after == "打" else False if after or move["origin"] else None
        promotes = None if after is None and not move["origin"] else after == "成"
        return _PIECES[move["piece"]], _usi(move["origin"]), drops, _usi(move["target"]), promotes
    short = text.lower()
    for words, letter in _WORDS:
        short = re.sub(words, letter, short)
    move = _WESTERN.fullmatch(re.sub(rf"^\+?[plnsbrgk](?={_SQUARE}|[ -x*'])", lambda piece: piece[0].upper(), short))
    if move is None or not (move["piece"] or move["origin"]):
        return None
    sign = move["sign"]
    drops = sign in ("*", "'") if sign or move["origin"] else None
    says = move["after"] or sign in ("*", "'") or not (move["piece"] or sign)  # USI says it always
    promotes = move["after"] == "+" if says else None
    return move["piece"] or "", _usi(move["origin"]), drops, _usi(move["target"]), promotes


def _usi(square: str | None) -> str:
    """A square with a letter for its rank: 7f for 76 and 7六."""
    if not square:
        return ""
    file, rank = square[0], square[1]
    if rank in _RANKS:
        rank = str(_RANKS.index(rank) + 1)
    return file + ("abcdefghi"[int(rank) - 1] if rank in "123456789" else rank)
