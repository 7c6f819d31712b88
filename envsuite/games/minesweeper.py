"""Minesweeper: reveal all cells without a mine; numbers count the mines around a cell.

**Rules.** Mines are hidden under some cells of a board. Revealing a cell shows how many of its up to eight neighbors
have mines. If none has, its neighbors are revealed too, and so on. Revealing a mine loses. When all other cells are
revealed, the agent has won. Mines are placed after the first choice, on any cells but the chosen one; all placements
have the same probability.

**Agents.** One, `agent`.

**Observation.** Box (rows, columns) int8. Row 0 is the top row.

| value | content |
|---|---|
| -1 | hidden |
| 0 to 8 | revealed: mines around the cell |
| 9 | a mine that was revealed |

**Actions.** Discrete (rows x columns).

| action | name | legal |
|---|---|---|
| row x columns + column | `0 0`, `0 1`, ...: reveal the cell at this row and column | while it is hidden |

**Window.** A click reveals a cell.

**Rewards.** 1 for winning, 0 otherwise. With `dense`, each cell that is revealed earns its share of 1 instead.

**Ends.** Terminates when the agent wins or reveals a mine, or after `horizon` choices.

**Uncertainty.** With `Uncertainty(env)`, infos say how many placements of the mines agree with all numbers. They are
equally likely. Counting takes long only if many numbers stand apart from each other on a large board.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rows` | 8 | rows of the board, from 2 to 30 |
| `columns` | 8 | columns of the board, from 2 to 30 |
| `mines` | 10 | mines, at least 1 and less than there are cells |
| `dense` | False | whether every revealed cell is rewarded |
| `horizon` | 900 | the most choices, from 1 to 900 |

**Level.** ``{"mines": [[0, 3], [5, 6]]}``: their cells. The first choice may then hit one.

**Known values.** On 2 x 2 cells with one mine, every play wins 1/3.

**Differences.** From the game of PAPRIKA, where mines are max(1, rows x columns / 10) and a game has 20 choices (set
`mines` and `horizon`):

- There, choices and answers are text. Here, `env.prompt` and `env.reply` give it.
- There, flags can be put on cells. They reveal nothing, so they are left out.

**Source.** Tajwar et al., "Training a generally curious agent", 2025 (PAPRIKA); Kaye, "Minesweeper is NP-complete",
2000.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.levels import read_numbers
from envsuite.core.page import Page, When
from envsuite.core.random import randint
from envsuite.core.ranges import flag, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.kit.information import alike, ways
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene, footer

HIDDEN, MINE = -1, 9


def fields(rows: int, columns: int) -> list[tuple]:
    """The record's own fields; cells are numbered row by row."""
    cells = rows * columns
    return [
        ("mine", flag(np.int8), (cells,)),  # the level, or none before the first choice
        ("given", flag(np.int8), (cells,)),  # the mines of the level
        ("seen", within(np.int8, HIDDEN, MINE), (cells,)),  # the observation
        ("placed", flag()),  # whether the mines are placed
        ("hidden", within(np.int64, 0, cells)),  # cells without a mine that are hidden
        ("choices", within(np.int64, 0, 900)),
        ("todo", within(np.int64, 0, cells - 1), (cells,)),  # cells whose neighbors are to be revealed
    ]


@kernel
def reset(s):
    s.placed = s.level_given
    s.choices = 0
    s.hidden = s.mine.shape[0] - s.params.mines
    for k in range(s.mine.shape[0]):
        s.seen[k] = HIDDEN
        s.todo[k] = 0
        if s.level_given:
            s.mine[k] = s.given[k]
        else:
            s.mine[k] = s.given[k] = 0


@kernel
def place(s, chosen):
    """Place the mines on other cells than the chosen one."""
    left = s.params.mines
    rest = s.mine.shape[0] - 1
    for k in range(s.mine.shape[0]):
        if k != chosen:
            if randint(s, rest) < left:
                s.mine[k] = 1
                left -= 1
            rest -= 1
    s.placed = 1


@kernel
def beside(cell, k, rows, columns):
    """One of the eight neighbors of a cell, or -1 beside the board."""
    if k >= 4:
        k += 1
    row, column = cell // columns + k // 3 - 1, cell % columns + k % 3 - 1
    if row < 0 or column < 0 or row >= rows or column >= columns:
        return -1
    return row * columns + column


@kernel
def reveal(s, cell, columns):
    """Reveal a cell without a mine, and those around it while there are no mines: how many."""
    rows = s.mine.shape[0] // columns
    count, waiting = 0, 1
    s.todo[0] = cell
    s.seen[cell] = 0
    while waiting > 0:
        waiting -= 1
        here = s.todo[waiting]
        around = 0
        for k in range(8):
            near = beside(here, k, rows, columns)
            around += near >= 0 and s.mine[near] != 0
        s.seen[here] = around
        count += 1
        if around == 0:
            for k in range(8):
                near = beside(here, k, rows, columns)
                if near >= 0 and s.seen[near] == HIDDEN:
                    s.seen[near] = 0  # so that no cell waits twice
                    s.todo[waiting] = near
                    waiting += 1
    s.hidden -= count
    return count


@kernel
def step(s, actions, rewards):
    cell = actions[0]
    if s.placed == 0:
        place(s, cell)
    s.choices += 1
    over = s.choices == s.params.horizon
    if s.mine[cell]:
        s.seen[cell] = MINE
        over = True
    else:
        count = reveal(s, cell, s.params.columns)
        won = s.hidden == 0
        over = over or won
        if s.params.dense:
            rewards[0] = count / (s.mine.shape[0] - s.params.mines)
        elif won:
            rewards[0] = 1.0
    s.terminated[0] = over


@kernel
def observe(s, agent, out):
    for k in range(s.seen.shape[0]):
        out.flat[k] = s.seen[k]


@kernel
def legal(s, agent, mask):
    for k in range(mask.shape[0]):
        mask[k] = s.seen[k] == HIDDEN


PAGE = Page(
    role="You reveal a board under which mines are hidden.",
    goal=(
        When(
            "dense",
            "Each cell without a mine that is revealed pays you 1/{free}, so that you have 1 when all of them are.",
            "You are paid 1 if you reveal all cells without a mine, otherwise 0.",
        ),
    ),
    rules=(
        "The board has {rows:row} and {columns:column}, and {mines:mine/mines} {lie} under it. When you reveal a cell "
        "without a mine, you see how many of the cells around it, at its sides and corners, have mines. If none has, "
        "these cells are revealed too, and so on. If you reveal a mine, you have lost.",
        When(
            "given",
            "The mines lie at fixed places from the start.",
            "The mines are laid after your first choice, on other cells than the one that you chose; all ways are "
            "equally likely.",
        ),
    ),
    sees="You see the board, with dots for hidden cells.",
    acts={"{ROW} {COLUMN}": "reveal a hidden cell; rows count from 0 at the top, columns from 0 at the left"},
    ends=(
        "It is over when all cells without a mine are revealed, or when you reveal a mine.",
        When("short", "It is also over after {horizon:choice}."),
    ),
    constants={"1": "the reward of all cells", "0": "the reward of a loss, and the first row and column"},
)


class Minesweeper(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    kind = ("puzzles",)
    verified = "a second implementation, move by move; the values of small boards by exhaustive search"
    variants = (dict(rows=4, columns=5, mines=3, dense=True, horizon=10),)
    shown = "careful"
    counted = "placements that the mines can have"
    player_page = PAGE

    def __init__(
        self,
        rows: Annotated[int, Between(2, 30)] = 8,
        columns: Annotated[int, Between(2, 30)] = 8,
        mines: Annotated[int, Between(1, 899)] = 10,
        dense: bool = False,
        horizon: Annotated[int, Horizon(1, 900)] = 900,
    ):
        if mines >= rows * columns:
            raise ParameterError(f"Minesweeper: {mines} mines leave none of {rows} x {columns} cells free")
        self.define(
            agents=["agent"],
            actions=[f"{row} {column}" for row in range(rows) for column in range(columns)],
            observation=Box(HIDDEN, MINE, (rows, columns), np.int8),
            fields=fields(rows, columns),
            params={"columns": columns, "mines": mines, "dense": dense, "horizon": horizon},
            reward_range=(0.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        columns = int(s.params.columns)
        rows = len(s.mine) // columns
        mines, ends = int(s.params.mines), [rows - 1, columns - 1]
        given = read_numbers(level["mines"], f"{self.id}: the level's mines", (mines, 2), 0, ends, whole=True)
        if len(np.unique(given, axis=0)) < mines:
            raise LevelError(f"{self.id}: the level's mines must be different cells")
        s.given[:] = 0
        s.given[given @ [columns, 1]] = 1

    def get_level(self, s: Any) -> dict[str, Any]:
        if not s.placed:
            raise LevelError(f"{self.id}: there is no level yet: the mines are placed with the first choice")
        return {"mines": [list(divmod(int(k), int(s.params.columns))) for k in np.flatnonzero(s.mine)]}

    def contradiction(self, s: Any) -> str | None:
        mines = int(s.mine.sum())
        if mines != (s.params.mines if s.placed else 0) or len(s.mine) % int(s.params.columns):
            return "mine does not hold as many mines as there are"
        open_ = (s.seen != HIDDEN) & (s.mine == 0)
        if s.hidden != len(s.mine) - s.params.mines - int(open_.sum()):
            return "hidden is not the number of cells to reveal"
        if s.level_given and (s.given != s.mine).any():
            return "the mines are not those of the level"
        return "the game is over" if s.hidden == 0 and not s.terminated[0] else None

    def uncertainty(self, s: Any, agent: int) -> tuple[int, float]:
        columns = int(s.params.columns)
        rows, seen = len(s.mine) // columns, s.seen.tolist()
        sums = {cell: number for cell, number in enumerate(seen) if HIDDEN < number < MINE}
        groups: Counter[frozenset[int]] = Counter()
        for cell in range(rows * columns):
            near = (beside(cell, k, rows, columns) for k in range(8))
            numbers = frozenset(other for other in near if other in sums)
            if seen[cell] == HIDDEN:
                groups[numbers] += 1
            elif seen[cell] == MINE:
                sums.update((other, sums[other] - 1) for other in numbers)
        free, left = groups.pop(frozenset(), 0), int(s.params.mines) - seen.count(MINE)
        found = ways(groups, sums)
        total = sum(number * math.comb(free, left - marked) for marked, number in found.items() if marked <= left)
        return total, alike(total)[1]

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        free = len(s.mine) - int(s.params.mines)
        lie = "lies" if s.params.mines == 1 else "lie"
        return {"free": free, "lie": lie, "given": bool(s.level_given), "short": s.params.horizon < free}

    def text(self, s: Any, agent: int) -> str:
        columns = int(s.params.columns)
        board = s.seen.reshape(-1, columns)
        lines = ["   " + " ".join(str(c % 10) for c in range(columns))]
        lines += [f"{r:2} " + " ".join(".012345678*"[k + 1] for k in row) for r, row in enumerate(board)]
        if s.hidden == 0:
            lines.append("All cells without mines are revealed: you have won.")
        elif (s.seen == MINE).any():
            lines.append("You have hit a mine (*).")
        elif s.terminated[0]:
            lines.append("There are no choices left.")
        else:
            left = s.params.horizon - s.choices
            few = f" Choices left: {left}." if left < s.hidden else ""
            lines.append(f"Mines among the dots: {s.params.mines}. Cells to be revealed: {s.hidden}.{few}")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        columns = int(s.params.columns)
        rows = len(s.mine) // columns
        scene = Scene(max(columns + 0.8, 6.0), rows + 1.2)
        for cell, number in enumerate(s.seen.tolist()):
            x, y = 0.4 + cell % columns, 0.3 + cell // columns
            hidden = number == HIDDEN
            fill, sign = ("muted@0.45", "#") if hidden else ("panel", ".")
            scene.add(Rect(x + 0.04, y + 0.04, 0.92, 0.92, fill, radius=0.12, glyph=sign))
            if number == MINE or (s.terminated[0] and s.mine[cell]):
                scene.add(
                    Circle(
                        x + 0.5,
                        y + 0.5,
                        0.26,
                        *(("red", "ink", 0.05, "X") if number == MINE else ("ink", None, 0, "*")),
                    )
                )
            elif number > 0:
                scene.add(Label(x + 0.5, y + 0.5, str(number), 0.5, "ink", bold=True))
        lost = (s.seen == MINE).any()
        note = "won" if s.hidden == 0 else "a mine" if lost else f"{s.hidden} to reveal"
        footer(scene, f"{s.params.mines} mines", note)
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        columns = int(s.params.columns)
        column, row = math.floor(x - 0.4), math.floor(y - 0.3)
        return row * columns + column if 0 <= column < columns and 0 <= row < len(s.mine) // columns else None


env, raw_env, parallel_env = pettingzoo_forms(Minesweeper)
