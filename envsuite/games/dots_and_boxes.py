"""DotsAndBoxes: draw lines between dots; the player that draws the fourth side of a box owns it and moves again.

**Rules.** Two players draw lines in turn between neighboring dots, which are the corners of `rows` x `columns` boxes.
A player that draws the last side of one or two boxes owns them and moves again. When all lines are drawn, the player
with more boxes wins.

**Agents.** `player_0` moves first, then `player_1`. Seats are fixed.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| horizontal | Box (rows + 1, columns) int8 | 1 where the line is drawn; row 0 is at the top |
| vertical | Box (rows, columns + 1) int8 | 1 where the line is drawn |
| boxes | Box (rows, columns) int8 | 0 free, 1 the observing agent's, 2 the other agent's |

**Actions.** Discrete. Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| row x columns + column | `h0,0`, `h0,1`, ...: the horizontal line of this row and column | while it is not drawn |
| (rows + 1) x columns + row x (columns + 1) + column | `v0,0`, `v0,1`, ...: the vertical line | the same |

**Window.** A click draws the nearest line.

**Rewards.** At the end +1 to the winner and -1 to the loser, 0 in a draw. With `margin`, the difference of the boxes.

**Ends.** Terminates when all lines are drawn.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rows` | 3 | rows of boxes, from 1 to 9 |
| `columns` | 3 | columns of boxes, from 1 to 9 |
| `margin` | False | whether the difference of the boxes is the reward |

**Level.** ``{"moves": ["h0,0", "v0,0"]}``: the lines drawn before the episode starts.

**Known values.** The difference of the boxes with perfect play, for the first player, by exhaustive search:

| boxes | 1 x 1 | 1 x 2 | 1 x 3 | 2 x 2 |
|---|---|---|---|---|
| difference | -1 | 0 | -1 | 2 |

**Differences.** None from OpenSpiel's `dots_and_boxes`.

**Source.** OpenSpiel `dots_and_boxes`; Berlekamp, "The Dots and Boxes Game", 2000.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import board, openings
from envsuite.kit.board import legal
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, footer
from envsuite.render.theme import agent_color

FREE = 0


def fields(rows: int, columns: int, actions: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("player", below(np.uint8, 2)),  # whose turn it is
        ("left", within(np.int64, 0, actions)),  # lines that are not drawn
        ("legal", flag(np.int8), (actions,)),  # they
        ("owner", below(np.int8, 3), (rows, columns)),  # FREE, or the player's number plus 1
        openings.level_field(actions, below(np.uint16, actions)),  # the moves made before the episode
    ]


@kernel
def reset(s):
    s.player = 0
    s.left = s.legal.shape[0]
    fill(s.legal, 1)
    fill(s.owner, FREE)
    if s.level_given:
        for k in range(s.level.length):
            draw(s, np.int64(s.level.moves[k]))
    else:
        s.level.length = 0


@kernel
def open_sides(legal, rows, columns, row, column):
    """The number of sides of a box that are not drawn."""
    first = (rows + 1) * columns + row * (columns + 1) + column
    above = row * columns + column
    return np.int64(legal[above]) + legal[above + columns] + legal[first] + legal[first + 1]


@kernel
def close(s, row, column):
    """The player to move owns a box if it is on the board and has all sides; whether it does."""
    rows, columns = s.owner.shape
    if row < 0 or column < 0 or row >= rows or column >= columns:
        return False
    if open_sides(s.legal, rows, columns, row, column) > 0:
        return False
    s.owner[row, column] = s.player + 1
    return True


@kernel
def draw(s, action):
    """The player to move draws a line."""
    rows, columns = s.owner.shape
    s.legal[action] = 0
    s.left -= 1
    across = (rows + 1) * columns
    if action < across:
        row, column = action // columns, action % columns
        closed = close(s, row - 1, column)
        closed = close(s, row, column) or closed
    else:
        row, column = (action - across) // (columns + 1), (action - across) % (columns + 1)
        closed = close(s, row, column - 1)
        closed = close(s, row, column) or closed
    if not closed:
        s.player = 1 - s.player


@kernel
def lead(s):
    """The boxes of the first player less those of the second."""
    total = 0
    for k in range(s.owner.size):
        total += (s.owner.flat[k] == 1) - np.int64(s.owner.flat[k] == 2)
    return total


@kernel
def step(s, actions, rewards):
    draw(s, actions[s.player])
    if s.left == 0:
        ahead = np.float64(lead(s))
        if s.params.margin == 0:
            ahead = min(max(ahead, -1.0), 1.0)
        rewards[0] = ahead
        rewards[1] = -ahead
        s.terminated[0] = 1
        s.terminated[1] = 1


@kernel
def observe(s, agent, out):
    across = out.horizontal.size
    for k in range(across):
        out.horizontal.flat[k] = 1 - s.legal[k]
    for k in range(out.vertical.size):
        out.vertical.flat[k] = 1 - s.legal[across + k]
    for k in range(s.owner.size):
        owner = s.owner.flat[k]
        out.boxes.flat[k] = 0 if owner == FREE else 1 if owner == agent + 1 else 2


PAGE = Page(
    role="You play Dots and Boxes against {others}.",
    goal=When(
        "margin",
        "At the end you get 1 point for each box that you own, and lose 1 point for each box of the other player's.",
        "The player with more boxes wins. A win pays you +1, a loss -1, and a draw 0.",
    ),
    rules=(
        "The dots are the corners of {columns:column} and {rows:row} of boxes. You take turns to draw a line between "
        "two neighboring dots; player_0 begins. If your line is the last side of a box, or of two boxes, you own them "
        "and draw another line. Otherwise it is the other player's turn.",
    ),
    sees="You both see all lines, and in each closed box the number of the player that owns it.",
    acts={
        "h{ROW},{COLUMN}": (
            "draw a horizontal line. Rows of lines count from 0 at the top and columns from 0 on the left, so that "
            "`h0,0` is above the first box and `h1,0` is below it"
        ),
        "v{ROW},{COLUMN}": (
            "draw a vertical line. `v0,0` is to the left of the first box and `v0,1` is to the right of it"
        ),
    },
    ends="The game is over when all lines are drawn.",
    constants={
        "1": "a reward, and a column",
        "0": "a reward, and a row",
        "two": "dots, and boxes that a line closes at most",
    },
)


class DotsAndBoxes(openings.Openings):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "OpenSpiel, move by move; exact values of small boards"
    variants = (dict(rows=1, columns=2, margin=True),)
    shown = "careful"
    player_page = PAGE

    def __init__(
        self,
        rows: Annotated[int, Between(1, 9)] = 3,
        columns: Annotated[int, Between(1, 9)] = 3,
        margin: bool = False,
    ):
        across = [f"h{row},{column}" for row in range(rows + 1) for column in range(columns)]
        down = [f"v{row},{column}" for row in range(rows) for column in range(columns + 1)]
        most = float(rows * columns) if margin else 1.0
        self.define(
            agents=["player_0", "player_1"],
            actions=[*across, *down],
            observation=Dict(
                {
                    "horizontal": Box(0, 1, (rows + 1, columns), np.int8),
                    "vertical": Box(0, 1, (rows, columns + 1), np.int8),
                    "boxes": Box(0, 2, (rows, columns), np.int8),
                }
            ),
            fields=fields(rows, columns, len(across) + len(down)),
            params={"margin": margin},
            reward_range=(-most, most),
        )

    def contradiction(self, s: Any) -> str | None:
        rows, columns = s.owner.shape
        if s.left != int(s.legal.sum()):
            return "left is not the number of lines that are not drawn"
        for row, column in np.ndindex(rows, columns):
            if (s.owner[row, column] == FREE) != (open_sides(s.legal, rows, columns, row, column) > 0):
                return "a box has an owner and an open side, or neither"
        return "all lines are drawn" if s.left == 0 and not s.terminated[0] else None

    def text(self, s: Any, agent: int) -> str:
        rows, columns = s.owner.shape
        drawn = 1 - s.legal
        across, down = drawn[: (rows + 1) * columns].reshape(rows + 1, columns), drawn[(rows + 1) * columns :]
        down = down.reshape(rows, columns + 1)
        lines = []
        for row in range(rows + 1):
            lines.append("+" + "+".join("---" if line else "   " for line in across[row]) + "+")
            if row < rows:
                boxes = [" " if owner == FREE else str(owner - 1) for owner in s.owner[row]]
                parts = [f"{'|' if line else ' '} {box} " for line, box in zip(down[row], [*boxes, ""])]
                lines.append("".join(parts).rstrip())
        counts = [int((s.owner == player + 1).sum()) for player in (agent, 1 - agent)]
        ahead = int(lead(s))
        winner = None if s.left else -1 if ahead == 0 else int(ahead < 0)
        return "\n".join(
            [
                *lines,
                f"You are player {agent} and have {counts[0]} box{'es' * (counts[0] != 1)}, the other player has "
                f"{counts[1]}. "
                f"{board.turn(s, agent, winner)}",
            ]
        )

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        rows, columns = s.owner.shape
        scene = Scene(columns + 1, rows + 1)
        for row, column in np.ndindex(rows, columns):
            owner = int(s.owner[row, column])
            if owner != FREE:
                color = agent_color(owner - 1)
                scene.add(Rect(column + 0.5, row + 0.5, 1, 1, f"{color}@0.3"))
                scene.add(Label(column + 1, row + 1, str(owner - 1), 0.45, "ink", bold=True))
        for action, open_ in enumerate(s.legal):
            scene.add(Line(ends(rows, columns, action), "line@0.6" if open_ else "ink", 0.03 if open_ else 0.11))
        for row, column in np.ndindex(rows + 1, columns + 1):
            scene.add(Circle(column + 0.5, row + 0.5, 0.09, "ink", glyph="+"))
        counts = [int((s.owner == player + 1).sum()) for player in range(2)]
        turn = "over" if s.left == 0 else f"player {s.player} moves"
        footer(scene, f"player 0: {counts[0]} · player 1: {counts[1]}", turn)
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        rows, columns = s.owner.shape
        best, least = None, 0.35
        for action in range(len(s.legal)):
            (x0, y0), (x1, y1) = ends(rows, columns, action)
            far = abs(x - (x0 + x1) / 2) + abs(y - (y0 + y1) / 2)
            if far < least:
                best, least = action, far
        return best


def ends(rows: int, columns: int, action: int) -> list[tuple[float, float]]:
    """The two dots of a line in the picture."""
    across = (rows + 1) * columns
    if action < across:
        row, column = divmod(action, columns)
        return [(column + 0.5, row + 0.5), (column + 1.5, row + 0.5)]
    row, column = divmod(action - across, columns + 1)
    return [(column + 0.5, row + 0.5), (column + 0.5, row + 1.5)]


env, raw_env, parallel_env = pettingzoo_forms(DotsAndBoxes)
