"""Gardner chess's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page
from envsuite.kit.chess_pieces import CHECK, MATERIAL, MOVES

PAGE = Page(
    role="You play chess on a small board against {others}. You have the {color} pieces.",
    goal="Checkmate wins. A win pays you +1, a loss -1, and a draw 0.",
    rules=(
        "The board has the files a to e, from left to right, and the ranks 1 to 5, from White's side to Black's. Each "
        "player has a rook, a knight, a bishop, a queen and a king, in this order from file a on, and five pawns "
        "before them. You take turns; White begins.",
        MOVES,
        "A pawn moves one square straight forward onto an empty square, and captures one square diagonally forward. It "
        "never moves two squares, so there is no capture en passant. A pawn that reaches the last rank becomes a "
        "queen, rook, bishop or knight of your choice. There is no castling.",
        CHECK,
    ),
    sees="You both see the whole board.",
    acts={
        "{FROM}{TO}": (
            "move the piece on the square FROM to the square TO, such as `b2b3`; a pawn that reaches the last rank "
            "becomes a queen"
        ),
        ("{FROM}{TO}n", "{FROM}{TO}b", "{FROM}{TO}r"): "the same, but the pawn becomes a knight, bishop or rook",
    },
    ends=(
        "The game is over at checkmate, which counts before any draw. It is a draw if the player to move has no legal "
        "move and is not in check;",
        MATERIAL,
        "when a position occurs for the third time, with the same player to move; after 50 moves of each side without "
        "a capture or a pawn's move; and after {max_moves:move} in all, counting both players'.",
    ),
    constants={
        "1": "the reward of a win, and a rank",
        "0": "the reward of a draw",
        "5": "the last rank",
        "five": "pawns",
        "two": "squares of a knight's or pawn's move",
        "third": "occurrence of a position",
        "50": "moves without progress",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {"color": ("white", "black")[agent]}
