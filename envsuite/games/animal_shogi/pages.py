"""Animal shogi's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page

PAGE = Page(
    role="You play animal shogi against {others}. You start at the {end} of the board.",
    goal=(
        "A win pays you +1, a loss -1, and a draw 0. You win if your lion reaches your last rank, which is rank "
        "{last}, or if the other player has no legal move when it is to move."
    ),
    rules=(
        "The board has three files, a to c, and four ranks, 1 at the bottom to 4 at the top. Each player has a lion, "
        "an elephant, a giraffe and a chick. You take turns; player_0, at the bottom, begins. In your turn you move a "
        "piece by one square, to a square that holds none of your own pieces, or you drop a piece from your hand onto "
        "an empty square.",
        "A lion moves in all directions, also diagonally. A giraffe moves forward, backward and sideways. An elephant "
        "moves diagonally. A chick moves straight forward. A hen moves in all directions except diagonally backward. "
        "Forward is toward the other player's side.",
        "A piece that moves onto a piece of the other player captures it, and the captured piece goes into the hand of "
        "the player that took it. A chick that moves onto its last rank becomes a hen. A captured hen becomes a chick "
        "again. A chick that is dropped on its last rank stays a chick and can no longer move. You may have more than "
        "one chick on a file, and a dropped chick may give checkmate.",
        "A move that would leave your lion where the other player can capture it is not legal.",
    ),
    sees="You both see the board and both hands.",
    acts={
        "drop {PIECE} {SQUARE}": "put a chick, elephant or giraffe from your hand on SQUARE",
        "{FROM}{TO}": "move the piece on the square FROM to the square TO, such as `b2b3`",
    },
    ends=(
        "The game is over when a player has won. It is a draw when a position occurs for the third time, with the same "
        "pieces on the same squares and in both hands and the same player to move, and after 256 moves, counting both "
        "players'."
    ),
    constants={
        "1": "the reward of a win, and a rank",
        "0": "the reward of a draw",
        "three": "files",
        "four": "ranks",
        "4": "the top rank",
        "third": "occurrence of a position",
        "256": "moves at most",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {"end": ("bottom", "top")[agent], "last": (4, 1)[agent]}
