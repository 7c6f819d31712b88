"""Chess's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page
from envsuite.kit.chess_pieces import CHECK, MATERIAL, MOVES

PAGE = Page(
    role="You play chess against {others}. You have the {color} pieces.",
    goal="Checkmate wins. A win pays you +1, a loss -1, and a draw 0.",
    rules=(
        "The board has the files a to h, from left to right, and the ranks 1 to 8, from White's side to Black's. You "
        "take turns; White begins.",
        MOVES,
        "A pawn moves one square straight forward, or from where it starts also two, onto empty squares, and captures "
        "one square diagonally forward. A pawn that has just moved two squares may be captured by a pawn in the next "
        "move as if it had moved only one (en passant). A pawn that reaches the last rank becomes a queen, rook, "
        "bishop or knight of your choice.",
        "You may castle if neither your king nor the rook has moved, no piece stands between them, and your king is "
        "not in check and neither crosses nor reaches an attacked square: the king moves two squares toward the rook, "
        "and the rook goes to the square that the king crossed.",
        CHECK,
    ),
    sees="You both see the whole board.",
    acts={
        "{FROM}{TO}": (
            "move the piece on the square FROM to the square TO, such as `e2e4`; castle by naming the king's squares, "
            "such as `e1g1`; a pawn that reaches the last rank becomes a queen"
        ),
        ("{FROM}{TO}n", "{FROM}{TO}b", "{FROM}{TO}r"): "the same, but the pawn becomes a knight, bishop or rook",
    },
    ends=(
        "The game is over at checkmate, which counts before any draw. It is a draw if the player to move has no legal "
        "move and is not in check;",
        MATERIAL,
        Case(
            "draws",
            {
                "claimed": (
                    "when a position occurs for the third time; and after 50 moves of each side without a capture or a "
                    "pawn's move. Nobody needs to claim these draws."
                ),
                "automatic": (
                    "when a position occurs for the fifth time; and after 75 moves of each side without a capture or a "
                    "pawn's move. There are no draws by threefold repetition or after 50 moves."
                ),
            },
        ),
        "Positions are the same if the same player can make the same moves, castling and en passant included.",
    ),
    constants={
        "1": "the reward of a win, and a rank",
        "0": "the reward of a draw",
        "8": "the last rank",
        "two": "squares of a knight's, pawn's or king's move",
        "third": "occurrence of a position",
        "50": "moves without progress",
        "75": "moves without progress",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {"color": ("white", "black")[agent]}
