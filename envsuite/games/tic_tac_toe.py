"""Tic-tac-toe and every other m,n,k-game, with a board of any size and a line of any length.

**Rules.** Two players mark empty cells in turn. The first player with `connect` marks in a row, column or diagonal
wins. A full board without such a line is a draw.

**Agents.** `player_0` (X) moves first, then `player_1` (O). Seats are fixed.

**Observation.** Box (rows, columns, 2) int8. Row 0 is the bottom row.

| plane | value 1 where |
|---|---|
| 0 | the observing agent has a mark |
| 1 | the other agent has a mark |

**Actions.** Discrete (rows x columns). Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| row x columns + column | the cell: `a1` at the bottom left, `b1` to the right of it | while the cell is empty |

**Window.** A click marks a cell. The keys 1 to 9 mark the 3 x 3 cells at the bottom left, in the layout of a number
pad: 1 is `a1`, 9 is `c3`.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 otherwise.

**Ends.** Terminates when a player completes a line or the board is full.

**Parameters.** With 15, 15 and 5 the game is Gomoku without extra rules.

| name | default | meaning |
|---|---|---|
| `rows` | 3 | rows of the board, from 2 to 16 |
| `columns` | 3 | columns of the board, from 2 to 16 |
| `connect` | 3 | marks in a line that wins, from 2 to 16 |

**Level.** ``{"moves": ["b2", "a1"]}``: the cells marked before the episode starts.

**Known values.** There are 255,168 games: X wins 131,184, O wins 77,904, and 46,080 are drawn. There are 549,946
histories and 5,478 positions. Perfect play draws. With uniformly random play, X wins 737/1260, O wins 121/420, and 8/63
are drawn. Against a random player, the best X wins .99479 and draws the rest; the best O wins .93228 and draws .06032.
Three in a row is a win for the first player on 3 x 4 and 4 x 4 cells, and a draw on 2 x 4 cells.

**Differences.** From OpenSpiel's `tic_tac_toe` and `mnk` (m columns, n rows):

- There, row 0 is the top row; here, it is the bottom row.

**Source.** OpenSpiel `tic_tac_toe` and `mnk`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.ranges import below, flag, free, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import board, lines, openings
from envsuite.kit.board import legal, observe
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Polygon, Scene, Shape, coordinates, grid
from envsuite.render.theme import agent_color


def fields(rows: int, columns: int) -> list[tuple]:
    """The record."""
    cells = rows * columns
    level = np.dtype([("length", within(np.int64, 0, cells)), ("moves", below(np.uint8, cells), (cells,))], align=True)
    return [
        ("player", below(np.uint8, 2)),  # whose turn it is
        ("count", within(np.int64, 0, cells)),  # marks on the board
        ("won", flag(np.int64)),  # whether the last mark made a line
        ("seen", flag(np.int8), (2, rows, columns, 2)),  # the observation of each player
        ("legal", flag(np.int8), (cells,)),  # 1 for empty cells
        ("lines", free(np.uint16), (2, lines.num_lines(rows, columns))),  # each player's marks, see `kit.lines`
        ("level", level),  # the moves made before the episode
    ]


@kernel
def reset(s):
    s.player = 0
    s.count = 0
    s.won = 0
    fill(s.seen, 0)
    fill(s.legal, 1)
    fill(s.lines, 0)
    if s.level_given:
        for k in range(s.level.length):
            place(s, np.uint64(s.level.moves[k]))
    else:
        s.level.length = 0


@kernel
def place(s, cell):
    """The player to move marks a cell."""
    player, columns = s.player, np.uint64(s.seen.shape[2])
    row, column = np.uint8(cell // columns), np.uint8(cell % columns)
    s.seen[player, row, column, 0] = 1
    s.seen[1 - player, row, column, 1] = 1
    s.won = lines.mark(s, player, row, column)
    s.legal[cell] = 0
    s.count += 1
    s.player = 1 - player


@kernel
def step(s, actions, rewards):
    player = s.player
    place(s, np.uint64(actions[player]))
    if s.won:
        rewards[player] = 1.0
        rewards[1 - player] = -1.0
    over = np.uint8(s.won or s.count == s.legal.shape[0])
    s.terminated[0] = over
    s.terminated[1] = over


PAGE = Page(
    role="You play tic-tac-toe against {others}. Your marks are {sign}.",
    goal=(
        "A win pays you +1, a loss -1, and a draw 0. You win if you are the first with {connect} marks next to each "
        "other in a line: along a row, a column or a diagonal."
    ),
    rules=(
        "The board has {columns:column} and {rows:row}. You take turns; player_0 begins. In your turn you mark an "
        "empty cell.",
    ),
    sees="You both see the whole board.",
    acts={
        "{CELL}": (
            "mark a cell, such as `a2`: the letter is the column, from the left, and the number is the row, from the "
            "bottom"
        )
    },
    ends="The game is over when a player has won. It is a draw when the board is full without that.",
    constants={"1": "the reward of a win", "0": "of a draw"},
)


class TicTacToe(openings.Openings):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "OpenSpiel, move by move; 255,168 games and 5,478 positions, counted; the known value"
    variants = (dict(rows=4, columns=5, connect=4),)
    # The layout of a number pad: 7 is the top left cell of three by three.
    keys = {str(k + 1): f"{'abc'[k % 3]}{k // 3 + 1}" for k in range(9)}
    player_page = PAGE

    def __init__(
        self,
        rows: Annotated[int, Between(2, 16)] = 3,
        columns: Annotated[int, Between(2, 16)] = 3,
        connect: Annotated[int, Between(2, 16)] = 3,
    ):
        self.define(
            agents=["player_0", "player_1"],
            actions=[f"{chr(97 + c)}{r + 1}" for r in range(rows) for c in range(columns)],
            observation=Box(0, 1, (rows, columns, 2), np.int8),
            fields=fields(rows, columns),
            params={"connect": connect},
            reward_range=(-1.0, 1.0),
        )
        self.synonyms = board.words_for_middle(self.action_names[0], rows, columns)

    def contradiction(self, s: Any) -> str | None:
        marks = s.seen[0].sum(axis=2).ravel()
        if (s.seen[1] != s.seen[0][:, :, ::-1]).any() or (marks != (s.legal == 0)).any():
            return "the players do not see the same marks"
        return None if s.count == marks.sum() else "count is not the number of marks"

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"sign": "XO"[agent]}

    def text(self, s: Any, agent: int) -> str:
        winner = 1 - s.player if s.won else -1 if s.count == len(s.legal) else None
        goal = f"You are {'XO'[agent]}. {board.turn(s, agent, winner)}"
        return "\n".join([*board.lettered(board.pieces(s), ".XO"), goal])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        marks = board.pieces(s)
        rows, columns = marks.shape
        scene = Scene(columns + 1.2, rows + 1.2)
        scene.add(*grid(0.8, 0.4, columns, rows, seam="line"), *coordinates(0.8, 0.4, columns, rows))
        won = lines.find_line(marks, s.params.connect) if s.won else []
        for r in range(rows):
            for c in range(columns):
                if marks[r, c]:
                    faint = "@0.35" if s.won and (r, c) not in won else ""
                    scene.add(*symbol(c + 1.3, rows - r - 0.1, marks[r, c] - 1, faint))
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        rows, columns = s.seen.shape[1:3]
        row, column = rows - 1 - math.floor(y - 0.4), math.floor(x - 0.8)
        return row * columns + column if 0 <= row < rows and 0 <= column < columns else None


def symbol(x: float, y: float, player: int, opacity: str = "") -> list[Shape]:
    """A cross for the first player, a ring for the second."""
    color = agent_color(player) + opacity
    if player:
        return [Circle(x, y, 0.27, None, color, 0.13, glyph="O")]
    tip, arm = 0.36, 0.09
    corners = [(arm, 0.0), (tip, tip - arm), (tip - arm, tip), (0.0, arm)]
    around = [(x + sx * dx, y + sy * dy) for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1)) for dx, dy in corners]
    return [Polygon(around, color, glyph="X")]


env, raw_env, parallel_env = pettingzoo_forms(TicTacToe)
