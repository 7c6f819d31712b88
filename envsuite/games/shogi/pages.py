"""Shogi's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page

PAGE = Page(
    role="You play shogi against {others}. You start at the {end} of the board.",
    goal=(
        "You win if the other player has no legal move when it is to move, in check or not. A win pays you +1, a loss "
        "-1, and a draw 0."
    ),
    rules=(
        "The board has 9 x 9 squares: files are numbered from 9 on the left to 1 on the right, ranks are lettered from "
        "a at the top to i at the bottom. You take turns; player_0, at the bottom, begins. In your turn you move a "
        "piece to a square that holds none of your own pieces, or drop a piece from your hand onto an empty square. A "
        "piece that moves onto a piece of the other player captures it, and it goes into your hand, without its "
        "promotion.",
        "The king (K) moves one square in any direction. The rook (R) moves any distance straight, the bishop (B) any "
        "distance diagonally. The gold (G) moves one square in any direction but diagonally backward. The silver (S) "
        "moves one square forward or diagonally. The knight (N) jumps two squares forward and one to the side. The "
        "lance (L) moves any distance forward, the pawn (P) one square forward. A promoted pawn, lance, knight or "
        "silver moves as a gold. A promoted rook may also move one square diagonally, a promoted bishop one square "
        "straight.",
        "A piece other than a king or gold may promote when its move starts or ends on your last three ranks, the far "
        "ones. It must promote where it could not move again: a pawn or lance on the last rank, a knight on the last "
        "two. For the same reason they cannot be dropped there. Pieces are dropped unpromoted. A pawn cannot be "
        "dropped on a file that holds an unpromoted pawn of yours, nor so that it gives checkmate.",
        "A move that leaves your own king in check is not legal.",
        "When a position occurs for the fourth time, with the same board, hands and player to move, the game is a "
        "draw; but if every move of exactly one player since the first time gave check, that player loses.",
        Case(
            "impasse",
            {
                "declared": (
                    "You may declare a win in your turn if you are not in check, your king and ten or more other "
                    "pieces of yours stand on your last three ranks, and you have {needed} points: 5 for each rook or "
                    "bishop, promoted or not, and 1 for each other piece except the king, of your pieces on your last "
                    "three ranks and in your hand. The other player needs {others_need} points."
                ),
                "automatic": (
                    "After a move, the player that moved wins if its king stands on its last three ranks and it has 28 "
                    "points: 5 for each rook or bishop, promoted or not, and 1 for each other piece except the king, "
                    "of its pieces on its last three ranks and in its hand. If it has fewer, but both kings stand on "
                    "their last three ranks, the game is a draw."
                ),
            },
        ),
    ),
    sees="You both see the board and both hands.",
    acts={
        "win": Case("impasse", {"declared": "declare a win"}),
        "{PIECE}*{SQUARE}": "drop a piece on SQUARE, such as `P*5e`",
        "{FROM}{TO}+": "move a piece and promote it",
        "{FROM}{TO}": "move the piece on the square FROM to the square TO, such as `7g7f`",
    },
    ends=(
        "The game is over when a player has won or the game is a draw as told above. It is also a draw after "
        "{max_moves:move}, counting both players'."
    ),
    constants={
        "1": "a reward, a file, and points of a piece",
        "0": "the reward of a draw",
        "9": "files and ranks",
        "two": "squares of a knight's move, and ranks",
        "three": "ranks",
        "ten": "pieces of a declared win",
        "5": "points of a piece",
        "7": "a file",
        "28": "points that win",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {"end": ("bottom", "top")[agent], "needed": 28 - agent, "others_need": 27 + agent}
