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

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 otherwise. With `objectives`, the sum of these
objectives, weighted by `weights`, all paid at the end; infos have them as "vector_reward":

| objective | for a player |
|---|---|
| `win` | 1 for the winner, -1 for the loser |
| `speed` | 1 - d for the winner and d - 1 for the loser, where d is the part of the board that is full |
| `column 1`, ... | 1 for the player with more discs in the column, -1 for the other, also in a draw |

**Ends.** Terminates when a player completes a line or the board is full.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rows` | 6 | rows of the board, from 2 to 16 |
| `columns` | 7 | columns of the board, from 2 to 16 |
| `connect` | 4 | discs in a line that wins, from 2 to 16 |
| `objectives` | False | rewards have parts, see above |
| `weights` | None | of the objectives, each from -1,000,000 to 1,000,000; None: 1 for `win`, 0 for the others |

**Level.** ``{"moves": [3, 3, 4]}``: the columns played before the episode starts.

**Known values.** There are 7, 49, 343, 2401, 16807, 117649, 823536, 5673234 move sequences of 1 to 8 plies (OpenSpiel).
With perfect play, the first player wins from the center (Allen and Allis, 1988). Uniformly random play: the first
player wins 0.5559, the second 0.4415, and 0.0026 are drawn, in 21.315 plies (5,000,000 games, OpenSpiel).

**Differences.** On the 6 x 7 board, trajectories equal those of OpenSpiel's `connect_four`.

- The observations of PettingZoo and MOMAland list the rows from the top; here, they are listed from the bottom.
- MOMAland's `column_objectives=False` is a weight of 0 for each column here.

**Source.** Allis, "A Knowledge-Based Approach of Connect-Four", 1988; OpenSpiel `connect_four`. Felten et al.,
"MOMAland: A Set of Benchmarks for Multi-Objective Multi-Agent Reinforcement Learning", 2024, `moconnect4_v0`, for the
objectives.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.ranges import below, flag, free, within
from envsuite.core.record import array_of
from envsuite.core.world import Between, Kernels, World
from envsuite.games.connect_four import pages
from envsuite.games.connect_four.objectives import names, pay, weights_of
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
    fill(s.heights, 0)
    fill(s.seen, 0)
    fill(s.lines, 0)
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
    over = np.uint8(s.won or s.count == s.seen.size // 4)
    if over:
        pay(s, player, rewards)
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
    kind = ("boards",)
    verified = "OpenSpiel, move by move; counts of move sequences; MOMAland's objectives in lock-step"
    variants = (
        dict(rows=4, columns=5, connect=3),
        dict(rows=5, columns=4, objectives=True, weights=(1, 2, 1, 0, 0, -1)),
    )
    keys = {str(c): f"column {c}" for c in range(1, 10)}
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        rows: Annotated[int, Between(2, 16)] = 6,
        columns: Annotated[int, Between(2, 16)] = 7,
        connect: Annotated[int, Between(2, 16)] = 4,
        objectives: bool = False,
        weights: Sequence[Annotated[float, Between(-1_000_000, 1_000_000)]] | None = None,
    ):
        parts = names(columns) if objectives else []
        self.define(
            agents=["player_0", "player_1"],
            actions=[f"column {c + 1}" for c in range(columns)],
            observation=Box(0, 1, (rows, columns, 2), np.int8),
            fields=fields(rows, columns),
            params={"connect": connect, **weights_of(parts, weights, self.id)},
            reward_range=(-1.0, 1.0),
            objectives=dict.fromkeys(parts, (-1.0, 1.0)),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        openings.play_level(self, s, level["moves"], read=self._column)

    def _column(self, s: Any, move: Any) -> int | None:
        """The column of a level's move, or None if it is not a column."""
        return None if isinstance(move, (bool, str)) or move not in range(len(s.heights)) else int(move)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"moves": [int(move) for move in s.level.moves[: s.level.length]]}

    def contradiction(self, s: Any) -> str | None:
        if s.count != int(s.heights.sum()):
            return "count is not the number of discs"
        seen, rows = array_of(s.seen), np.arange(s.seen.shape[1])
        filled = rows[:, None] < array_of(s.heights)
        if (seen[0] != seen[1, ..., ::-1]).any() or (seen[0].sum(axis=-1) != filled).any():
            return "the discs do not lie in columns of these heights"
        return None

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
