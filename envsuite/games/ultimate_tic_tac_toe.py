"""UltimateTicTacToe: nine boards of tic-tac-toe; a move's cell names the board in which the other player has to move.

**Rules.** Nine boards of 3 x 3 cells lie in three rows of three. Two players mark empty cells in turn. A player with
three marks in a line of a board wins this board. The cell of a mark decides where the other player has to move next: in
the board at the same place among the nine. If that board is won or full, the player may move in any board that is
neither. A player with three boards in a line wins the game. If all boards are won or full without that, it is a draw.

**Agents.** `player_0` (X) moves first, then `player_1` (O). Seats are fixed.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| cells | Box (9, 9) int8 | 0 empty, 1 the observing agent's, 2 the other agent's; row 0 is the bottom row |
| boards | Box (3, 3) int8 | 0 open, 1 won by the observing agent, 2 by the other agent, 3 full |
| target | Discrete (10) | 3 x row + column of the board to move in; 9: any |

**Actions.** Discrete (81). Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| 9 x row + column | the cell: `a1` at the bottom left, `b1` to the right of it | empty, in a board to move in |

**Window.** A click marks a cell.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 otherwise.

**Ends.** Terminates when a player has won three boards in a line, or no board is open.

**Parameters.** None.

**Level.** ``{"moves": ["e5", "d4"]}``: the cells marked before the episode starts.

**Known values.** The numbers of sequences of 1, 2, 3, 4 moves are 81, 720, 6,336 and 55,080.

**Differences.** From OpenSpiel's `ultimate_tic_tac_toe`:

- There, a player with a free choice first chooses the board and then the cell; here it is one move.
- There, row 0 is the top row; here, it is the bottom row.

**Source.** OpenSpiel `ultimate_tic_tac_toe`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.ranges import below
from envsuite.core.world import Kernels
from envsuite.games.tic_tac_toe import symbol
from envsuite.kit import board, openings
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Rect, Scene, footer
from envsuite.render.theme import agent_color

#: Cells of a side, cells in all, and the target that leaves the choice.
SIDE, CELLS, ANY = 9, 81, 9

#: All cells of a board as bits, and its eight lines.
FULL = 0b111111111
LINES = np.array([0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100])

#: The action of each board and cell.
ACTIONS = np.array([[SIDE * (3 * (b // 3) + c // 3) + 3 * (b % 3) + c % 3 for c in range(9)] for b in range(9)])


def fields() -> list[tuple]:
    """The record's own fields; a set of cells of a board, or of boards, has a bit for each, 3 x row + column."""
    bits = below(np.int64, FULL + 1)
    return [
        ("player", below(np.uint8, 2)),  # whose turn it is
        ("target", below(np.int64, 10)),  # the board to move in, or ANY
        ("marks", bits, (2, 9)),  # cells by player and board
        ("won", bits, (2,)),  # boards by player
        ("full", bits),  # boards that are full and not won
        openings.level_field(CELLS, below(np.uint16, CELLS)),  # the moves made before the episode
    ]


@kernel
def has_line(bits):
    """Whether three of these are in a line."""
    for k in range(LINES.shape[0]):
        if bits & LINES[k] == LINES[k]:
            return True
    return False


@kernel
def board_of(action):
    """The board of an action's cell."""
    return action // SIDE // 3 * 3 + action % SIDE // 3


@kernel
def cell_of(action):
    """The cell within its board."""
    return action // SIDE % 3 * 3 + action % 3


@kernel
def is_open(s, place):
    """Whether a board is neither won nor full."""
    return (s.won[0] | s.won[1] | s.full) >> place & 1 == 0


@kernel
def over(s):
    """Whether the game is over."""
    return has_line(s.won[0]) or has_line(s.won[1]) or s.won[0] | s.won[1] | s.full == FULL


@kernel
def reset(s):
    s.player = 0
    s.target = ANY
    s.full = 0
    for player in range(2):
        s.won[player] = 0
        for k in range(9):
            s.marks[player, k] = 0
    if s.level_given:
        for k in range(s.level.length):
            mark(s, np.int64(s.level.moves[k]))
    else:
        s.level.length = 0


@kernel
def mark(s, action):
    """The player to move marks a cell."""
    player, place, cell = np.int64(s.player), board_of(action), cell_of(action)
    s.marks[player, place] |= 1 << cell
    if has_line(s.marks[player, place]):
        s.won[player] |= 1 << place
    elif s.marks[0, place] | s.marks[1, place] == FULL:
        s.full |= 1 << place
    s.target = cell if is_open(s, cell) else ANY
    s.player = 1 - player


@kernel
def step(s, actions, rewards):
    player = np.int64(s.player)
    mark(s, actions[player])
    if has_line(s.won[player]):
        rewards[player] = 1.0
        rewards[1 - player] = -1.0
    s.terminated[0] = s.terminated[1] = over(s)


@kernel
def observe(s, agent, out):
    for k in range(CELLS):
        out.cells.flat[k] = 0
    for place in range(9):
        for who in range(2):
            marks = s.marks[agent if who == 0 else 1 - agent, place]
            for cell in range(9):
                if marks >> cell & 1 != 0:
                    out.cells.flat[ACTIONS[place, cell]] = 1 + who
        mine, theirs = s.won[agent] >> place & 1, s.won[1 - agent] >> place & 1
        out.boards.flat[place] = mine + 2 * theirs + 3 * (s.full >> place & 1)
    out.target = s.target


@kernel
def legal(s, agent, mask):
    if s.player == agent:
        for place in range(9):
            if (s.target == ANY or s.target == place) and is_open(s, place):
                marks = s.marks[0, place] | s.marks[1, place]
                for cell in range(9):
                    mask[ACTIONS[place, cell]] = marks >> cell & 1 == 0


PAGE = Page(
    role="You play Ultimate Tic-Tac-Toe against {others}. Your marks are {sign}.",
    goal=(
        "You win if you are the first to win three boards in a line: along a row, a column or a diagonal of boards. A "
        "win pays you +1, a loss -1, and a draw 0."
    ),
    rules=(
        "Nine boards of 3 x 3 cells lie in three rows of three. You take turns; player_0 begins, in any board. In your "
        "turn you mark an empty cell. With three marks in a line of a board you win this board.",
        "The cell that you mark decides in which board the other player must move next: it is the board that lies "
        "among the nine where the cell lies in its board. So after a mark in the top left cell of any board, the other "
        "player must move in the top left board. If that board is won or full, the other player may move in any board "
        "that is neither.",
    ),
    sees="You both see all boards.",
    acts={
        "{CELL}": (
            "mark a cell, such as `a2`: the letter is the column from the left, a to i, and the number is the row from "
            "the bottom, 1 to 9, of all boards together"
        )
    },
    ends="The game is over when a player has won. It is a draw when all boards are won or full without that.",
    constants={
        "1": "the reward of a win, and a row",
        "0": "the reward of a draw",
        "9": "the last row",
        "3": "cells of a board",
        "three": "marks and boards in a line",
        "nine": "boards",
    },
)


class UltimateTicTacToe(openings.Openings):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "OpenSpiel, move by move; counts of sequences of moves"
    shown = "tactical"
    player_page = PAGE

    def __init__(self) -> None:
        self.define(
            agents=["player_0", "player_1"],
            actions=[f"{chr(97 + column)}{row + 1}" for row in range(SIDE) for column in range(SIDE)],
            observation=Dict(
                {
                    "cells": Box(0, 2, (SIDE, SIDE), np.int8),
                    "boards": Box(0, 3, (3, 3), np.int8),
                    "target": Discrete(10),
                }
            ),
            fields=fields(),
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        for k in range(9):
            first, second = int(s.marks[0, k]), int(s.marks[1, k])
            if first & second:
                return "two marks are in one cell"
            won = [has_line(first), has_line(second)]
            if won != [bool(s.won[player] >> k & 1) for player in range(2)] or all(won):
                return "a board is won without a line, or not with one"
            if (s.full >> k & 1) != (first | second == FULL and not any(won)):
                return "a board is full that is not, or the other way round"
        if s.target != ANY and not is_open(s, s.target):
            return "the board to move in is not open"
        return "the game is over" if over(s) and not s.terminated[0] else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"sign": "XO"[agent]}

    def text(self, s: Any, agent: int) -> str:
        cells = self.observation(s, 0)["cells"]
        lines = []
        for row in reversed(range(SIDE)):
            parts = [" ".join(".XO"[cell] for cell in cells[row, left : left + 3]) for left in (0, 3, 6)]
            lines.append(f"{row + 1} " + " | ".join(parts))
            if row in (3, 6):
                lines.append("  ------+-------+------")
        lines.append("  a b c   d e f   g h i")
        for player in range(2):
            won = [place_name(k) for k in range(9) if s.won[player] >> k & 1]
            if won:
                lines.append(f"Boards won by {'XO'[player]}: {', '.join(won)}.")
        winner = None
        if over(s):
            winner = next((player for player in range(2) if has_line(s.won[player])), -1)
        elif s.target == ANY:
            lines.append("The next mark may be in any board that is open.")
        else:
            lines.append(f"The next mark must be in the board at the {place_name(int(s.target))}.")
        return "\n".join([*lines, f"You are {'XO'[agent]}. {board.turn(s, agent, winner)}"])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(SIDE + 1.2, SIDE + 1.2)
        scene.add(Rect(0, 0, SIDE + 1.2, SIDE + 1.2, "line", radius=0.2))
        cells = self.observation(s, 0)["cells"]
        for k in range(9):
            x, y = corner(3 * (k // 3) + 2, 3 * (k % 3))
            here = not over(s) and is_open(s, k) and s.target in (ANY, k)
            winner = next((player for player in range(2) if s.won[player] >> k & 1), None)
            fill = "floor" if winner is None else f"{agent_color(winner)}@0.35"
            scene.add(Rect(x - 0.06, y - 0.06, 3.12, 3.12, "gold" if here else "line"))
            scene.add(Rect(x, y, 3, 3, "floor"), Rect(x, y, 3, 3, fill))
        for row, column in np.ndindex(SIDE, SIDE):
            x, y = corner(row, column)
            scene.add(Rect(x + 0.04, y + 0.04, 0.92, 0.92, "white@0.25", radius=0.08))
            if cells[row, column]:
                scene.add(*symbol(x + 0.5, y + 0.5, int(cells[row, column]) - 1))
        counts = [int(s.won[player]).bit_count() for player in range(2)]
        footer(scene, f"boards: X {counts[0]} · O {counts[1]}", "over" if over(s) else f"{'XO'[s.player]} moves")
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        for row, column in np.ndindex(SIDE, SIDE):
            left, top = corner(row, column)
            if math.floor(x - left) == 0 and math.floor(y - top) == 0:
                return row * SIDE + column
        return None


def corner(row: int, column: int) -> tuple[float, float]:
    """The top left corner of a cell in the picture; the nine boards are a little apart."""
    down = SIDE - 1 - row
    return 0.3 + column + 0.3 * (column // 3), 0.3 + down + 0.3 * (down // 3)


def place_name(place: int) -> str:
    """Where a board is among the nine, in words."""
    rows, columns = ("bottom", "middle", "top"), ("left", "middle", "right")
    row, column = rows[place // 3], columns[place % 3]
    return "center" if row == column == "middle" else f"{row} {column}"


env, raw_env, parallel_env = pettingzoo_forms(UltimateTicTacToe)
