"""PhantomTicTacToe: tic-tac-toe in which players see the other's marks only where they try to put their own.

**Rules.** As tic-tac-toe: two players mark cells, and the first player with `connect` marks in a row, column or
diagonal wins. But each sees its own marks only. A player tries a cell. If it is free, the player marks it, and it is
the other's turn. If the other's mark is there, the player now sees it and tries again; with `abrupt` it has lost its
turn. The other is not told about tries.

**Agents.** `player_0` (X) moves first, then `player_1` (O). Seats are fixed.

**Observation.** Dict. Row 0 is the bottom row.

| part | space | content |
|---|---|---|
| board | Box (rows, columns, 2) int8 | 1 where the agent has a mark, and where it has found one of the other's |
| order | Box (rows, columns) int16 | the number of the agent's try on the cell, from 1; 0 where it has not tried |

**Actions.** Discrete (rows x columns). Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| row x columns + column | the cell: `a1` at the bottom left, `b1` to the right of it | until the player has tried it |

**Window.** A click tries a cell. The keys 1 to 9 try the 3 x 3 cells at the bottom left, in the layout of a number pad:
1 is `a1`, 9 is `c3`.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 otherwise.

**Ends.** Terminates when a player completes a line or the board is full.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rows` | 3 | rows of the board, from 2 to 6 |
| `columns` | 3 | columns of the board, from 2 to 6 |
| `connect` | 3 | marks in a line that wins, from 2 to 6 |
| `abrupt` | False | whether a try that fails costs the turn |

**Level.** ``{"moves": ["b2", "b2", "a1"]}``: the tries before the episode starts.

**Known values.** There are 9, 81, 648, 5,112, 36,288 and 233,352 sequences of 1 to 6 tries (OpenSpiel). Uniformly
random play gives the first player 0.313 (standard error 0.009) in 10.53 tries, in games of OpenSpiel.

**Differences.** From OpenSpiel's `phantom_ttt`, whose versions "classical" and "abrupt" are here `abrupt`:

- There, row 0 is the top row; here, it is the bottom row.
- Its option that tells the number of all tries is left out.
- The observation keeps the order of the agent's tries, so it holds all that the agent has learned.

**Source.** OpenSpiel `phantom_ttt`; Lanctot et al., "No-regret learning in extensive-form games with imperfect recall",
2012.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.ranges import below, flag, free, within
from envsuite.core.world import Between, Kernels
from envsuite.games.tic_tac_toe import TicTacToe, symbol
from envsuite.kit import board, dark, lines, openings
from envsuite.kit.dark import legal, observe
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Scene, coordinates, grid


def fields(rows: int, columns: int) -> list[tuple]:
    """The record."""
    cells = rows * columns
    return [
        ("player", below(np.uint8, 2)),  # whose turn it is
        ("count", within(np.int64, 0, cells)),  # marks on the board
        ("won", flag(np.int64)),  # whether the last mark made a line
        ("seen", flag(np.int8), (2, rows, columns, 2)),  # the marks, as each player would see them
        *dark.fields(cells),
        ("lines", free(np.uint16), (2, lines.num_lines(rows, columns))),  # each player's marks, see `kit.lines`
        openings.level_field(2 * cells, below(np.uint16, cells)),  # the tries made before the episode
    ]


@kernel
def empty(s):
    """Take all marks from the board."""
    s.count = 0
    s.won = 0
    fill(s.seen, 0)
    fill(s.lines, 0)


@kernel
def reset(s):
    s.player = 0
    empty(s)
    dark.clear(s)
    if s.level_given:
        for k in range(s.level.length):
            play(s, np.int64(s.level.moves[k]))
    else:
        s.level.length = 0


@kernel
def place(s, player, cell):
    """Mark a cell for a player: whether it completes a line."""
    cells, columns = s.order.shape[1], s.seen.shape[2]
    s.seen.flat[2 * (player * cells + cell)] = 1
    s.seen.flat[2 * ((1 - player) * cells + cell) + 1] = 1
    s.count += 1
    return lines.mark(s, player, np.uint8(cell // columns), np.uint8(cell % columns))


@kernel
def play(s, cell):
    """The player to move tries a cell."""
    player = np.int64(s.player)
    if dark.attempt(s, cell):
        s.won = place(s, player, cell)


@kernel
def step(s, actions, rewards):
    player = np.int64(s.player)
    play(s, actions[player])
    if s.won:
        rewards[player] = 1.0
        rewards[1 - player] = -1.0
    over = np.uint8(s.won or s.count == s.order.shape[1])
    s.terminated[0] = over
    s.terminated[1] = over


@kernel
def rebuild(s):
    """Fill `lines` and `count` from the board: the number of marks that made a line."""
    cells = s.order.shape[1]
    s.count = 0
    fill(s.lines, 0)
    won = 0
    for cell in range(cells):
        for player in range(2):
            if dark.holds(s, player, cell):
                won += place(s, player, cell)
    return won


PAGE = Page(
    role="You play Phantom Tic-Tac-Toe against {others}. Your marks are {sign}.",
    goal=(
        "A win pays you +1, a loss -1, and a draw 0. You win if you are the first with {connect} marks next to each "
        "other in a line: along a row, a column or a diagonal."
    ),
    rules=(("The board has {columns:column} and {rows:row}. You take turns; player_0 begins.", *dark.TRIES),),
    sees=dark.SEES,
    acts={
        "{CELL}": (
            "try a cell that you have not tried before, such as `a2`: the letter is the column, from the left, and the "
            "number is the row, from the bottom"
        )
    },
    ends="The game is over when a player has won. It is a draw when the board is full without that.",
    constants={"1": "the reward of a win", "0": "of a draw"},
)


class PhantomTicTacToe(dark.Dark):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = dark.guess_by(rebuild)
    kind = ("boards",)
    verified = "OpenSpiel, try by try; its numbers of sequences of tries"
    variants = (dict(rows=4, columns=3, abrupt=True),)
    shown = "lines"
    keys = TicTacToe.keys
    player_page = PAGE

    def __init__(
        self,
        rows: Annotated[int, Between(2, 6)] = 3,
        columns: Annotated[int, Between(2, 6)] = 3,
        connect: Annotated[int, Between(2, 6)] = 3,
        abrupt: bool = False,
    ):
        self.define_board(rows, columns, fields(rows, columns), connect=connect, abrupt=abrupt)

    def contradiction(self, s: Any) -> str | None:
        return openings.unlike_start(self, s, dark.course(s)[s.level.length :])

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"thing": "mark", "things": "marks", "sign": "XO"[agent]}

    def text(self, s: Any, agent: int) -> str:
        winner = int(s.player == 0) if s.won else -1 if s.count == s.order.shape[1] else None
        return "\n".join(
            [
                *board.lettered(dark.known(s, agent), ".XO"),
                f"You are {'XO'[agent]}.",
                f"{dark.last(s, agent, self.action_names[agent], 'mark')} {board.turn(s, agent, winner)}",
            ]
        )

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        marks, hidden = dark.known(s, agent), dark.unmet(s)
        rows, columns = marks.shape
        scene = Scene(columns + 1.2, rows + 1.2)
        scene.add(*grid(0.8, 0.4, columns, rows, seam="line"), *coordinates(0.8, 0.4, columns, rows))
        for r, c in np.argwhere(marks):
            scene.add(*symbol(c + 1.3, rows - r - 0.1, marks[r, c] - 1))
            if agent is None and hidden[r, c]:  # the other does not know of it
                scene.add(Circle(c + 1.67, rows - r - 0.47, 0.07, None, "muted", 0.03, glyph=""))
        return scene

    click = TicTacToe.click


env, raw_env, parallel_env = pettingzoo_forms(PhantomTicTacToe)
