"""Connect Four's page for players."""

from envsuite.core.page import Page

PAGE = Page(
    role="You play Connect Four against {others}.",
    goal=(
        "A win pays you +1, a loss -1, and a draw 0. You win if {connect} of your discs stand in a line before that "
        "happens to the other player: side by side, above each other, or along a diagonal."
    ),
    rules=(
        "The board stands upright and has {columns:column} and {rows:row}. You take turns; player_0 begins. In your "
        "turn you drop a disc into a column, and it falls onto the discs that lie there. A full column takes no more.",
    ),
    sees="You both see the whole board.",
    acts={"column {N}": "drop a disc into column N, counted from the left"},
    ends="The game is over when a player has won, or in a draw when the board is full.",
    unsaid=dict.fromkeys(("objectives", "weights"), "players are paid for the result alone"),
    constants={"1": "the reward of a win", "0": "of a draw"},
)
