"""Connect Four, on a board of any size and with any length of line.

**Rules.** Two players drop discs into columns in turn. A disc falls to the lowest empty cell. The first player with
`connect` discs in a row, column or diagonal wins. A full board without such a line is a draw.

**Agents.** `player_0` moves first, then `player_1`. Seats are fixed.

**Observation.** Box (rows, columns, 2) int8. Row 0 is the bottom row.

| plane | value 1 where |
|---|---|
| 0 | the observing agent has a disc |
| 1 | the other agent has a disc |

**Actions.** Discrete (columns). Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| c | `column c+1`, from the left | while the column is not full |

**Window.** A click on a column drops a disc into it, as do the keys 1 to 9.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 otherwise.

**Ends.** Terminates when a player completes a line or the board is full.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rows` | 6 | rows of the board, from 2 to 16 |
| `columns` | 7 | columns of the board, from 2 to 16 |
| `connect` | 4 | discs in a line that wins, from 2 to 16 |

**Level.** ``{"moves": [3, 3, 4]}``: the columns played before the episode starts.

**Known values.** There are 7, 49, 343, 2401, 16807, 117649, 823536, 5673234 move sequences of 1 to 8 plies (OpenSpiel).
With perfect play, the first player wins from the center (Allen and Allis, 1988). Uniformly random play: the first
player wins 0.5559, the second 0.4415, and 0.0026 are drawn, in 21.315 plies (5,000,000 games, OpenSpiel).

**Differences.** On the 6 x 7 board, trajectories equal those of OpenSpiel's `connect_four`.

- PettingZoo's observation lists the rows from the top; here, they are listed from the bottom.

**Source.** Allis, "A Knowledge-Based Approach of Connect-Four", 1988; OpenSpiel `connect_four`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import kernel
from envsuite.core.ranges import below, flag, free, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import board, lines, openings
from envsuite.kit.board import observe
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene
from envsuite.render.theme import agent_color


def fields(rows: int, columns: int) -> list[tuple]:
    """The record."""
    cells = rows * columns
    return [
        ("player", below(np.uint8, 2)),  # whose turn it is
        ("count", within(np.int64, 0, cells)),  # discs on the board
        ("heights", within(np.uint8, 0, rows), (columns,)),  # discs in each column
        ("won", flag(np.int64)),  # whether the last disc made a line
        ("seen", flag(np.int8), (2, rows, columns, 2)),  # the observation of each player
        ("lines", free(np.uint16), (2, lines.num_lines(rows, columns))),  # each player's discs, see `kit.lines`
        openings.level_field(cells, below(np.uint8, columns)),  # the moves made before the episode
    ]


@kernel
def reset(s):
    s.player = 0
    s.count = 0
    s.won = 0
    for c in range(s.heights.shape[0]):
        s.heights[c] = 0
    for k in range(s.seen.size):
        s.seen.flat[k] = 0
    for k in range(s.lines.size):
        s.lines.flat[k] = 0
    if s.level_given:
        for k in range(s.level.length):
            drop(s, s.level.moves[k])
    else:
        s.level.length = 0


@kernel
def drop(s, column):
    """The player to move puts a disc into a column."""
    player, row = s.player, s.heights[column]
    s.seen[player, row, column, 0] = 1
    s.seen[1 - player, row, column, 1] = 1
    s.won = lines.mark(s, player, row, column)
    s.heights[column] += 1
    s.count += 1
    s.player = 1 - player


@kernel
def step(s, actions, rewards):
    player = s.player
    drop(s, np.uint8(actions[player]))  # unsigned, so that no code for negative indices is compiled
    if s.won:
        rewards[player] = 1.0
        rewards[1 - player] = -1.0
    over = np.uint8(s.won or s.count == s.seen.size // 4)
    s.terminated[0] = over
    s.terminated[1] = over


@kernel
def legal(s, agent, mask):
    turn = s.player == agent
    for c in range(s.heights.shape[0]):
        mask[c] = turn and s.heights[c] < s.seen.shape[1]


class ConnectFour(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    verified = "OpenSpiel, move by move; counts of move sequences"
    variants = (dict(rows=4, columns=5, connect=3),)
    keys = {str(c): f"column {c}" for c in range(1, 10)}

    def __init__(
        self,
        rows: Annotated[int, Between(2, 16)] = 6,
        columns: Annotated[int, Between(2, 16)] = 7,
        connect: Annotated[int, Between(2, 16)] = 4,
    ):
        self.define(
            agents=["player_0", "player_1"],
            actions=[f"column {c + 1}" for c in range(columns)],
            observation=Box(0, 1, (rows, columns, 2), np.int8),
            fields=fields(rows, columns),
            params={"connect": connect},
            reward_range=(-1.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        openings.play_level(self, s, level["moves"], read=self._column)

    def _column(self, s: Any, move: Any) -> int | None:
        """The column of a level's move, or None if it is not a column."""
        return None if isinstance(move, (bool, str)) or move not in range(len(s.heights)) else int(move)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"moves": [int(move) for move in s.level.moves[: s.level.length]]}

    def contradiction(self, s: Any) -> str | None:
        return None if s.count == int(s.heights.sum()) else "count is not the number of discs"

    def text(self, s: Any, agent: int) -> str:
        discs = board.pieces(s)
        rows = [" ".join(".XO"[disc] for disc in row) for row in discs[::-1]]
        numbers = " ".join(str(c + 1)[-1] for c in range(len(s.heights)))
        winner = 1 - s.player if s.won else -1 if s.count == discs.size else None
        return "\n".join([*rows, numbers, f"You are {'XO'[agent]}. {board.turn(s, agent, winner)}"])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        discs = board.pieces(s)
        rows, columns = discs.shape
        scene = Scene(columns + 1, rows + 1.5)
        scene.add(Rect(0.25, 0.25, columns + 0.5, rows + 0.5, "soil", radius=0.3))
        for r in range(rows):
            for c in range(columns):
                disc = discs[rows - 1 - r, c]
                color = agent_color(disc - 1) if disc else "paper"
                scene.add(Circle(c + 1, r + 1, 0.4, color, glyph=".XO"[disc]))
        for r, c in lines.find_line(discs, s.params.connect) if s.won else ():
            scene.add(Circle(c + 1, rows - r, 0.4, None, "white", 0.09, glyph=""))
        for c in range(columns):
            scene.add(Label(c + 1, rows + 1.1, str(c + 1), color="muted"))
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        column = math.floor(x - 0.5)
        return column if 0 <= column < s.heights.shape[0] else None


env, raw_env, parallel_env = pettingzoo_forms(ConnectFour)
