"""Catch: move a paddle under a ball that falls down one column.

**Rules.** The ball starts in a random column of the top row. The paddle starts in the middle of the bottom row. In each
step the paddle moves by one cell or stays, and the ball falls by one row.

**Agents.** One, `agent`.

**Observation.** Box (rows, columns) uint8, row 0 at the top.

| value | content |
|---|---|
| 1 | the ball or the paddle is in the cell |
| 0 | nothing is there |

**Actions.** Discrete (3), all of them always legal.

| action | name |
|---|---|
| 0, 1, 2 | `left`, `stay`, `right` |

**Window.** The arrow keys left and right move the paddle, down stays.

**Rewards.** At the end 1 if the ball is caught, otherwise -1.

**Ends.** Terminates when the ball is in the bottom row, after `rows` - 1 steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rows` | 10 | from 2 to 100 |
| `columns` | 5 | from 1 to 100 |

**Level.** ``{"column": 3}``: where the ball falls.

**Known values.** With 10 x 5 cells, going to the ball always catches it. Any play that does not look at the ball earns
2 / `columns` - 1 on average, which is -0.6.

**Differences.** From bsuite's `Catch`:

- Observations are bytes.

**Source.** Osband et al., "Behaviour Suite for Reinforcement Learning", 2020; bsuite 0.3.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.random import randint
from envsuite.core.ranges import below
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Rect, Scene, footer

LEFT, STAY, RIGHT = range(3)
NAMES = ("left", "stay", "right")


def fields(rows: int, columns: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("column", below(np.int64, columns)),  # of the ball: the level
        ("row", below(np.int64, rows)),  # of the ball
        ("paddle", below(np.int64, columns)),  # column of the paddle
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        s.column = randint(s, s.params.columns)
    s.row = 0
    s.paddle = s.params.columns // 2


@kernel
def step(s, actions, rewards):
    s.paddle = min(max(s.paddle + actions[0] - STAY, 0), s.params.columns - 1)
    s.row += 1
    if s.row >= s.params.rows - 1:
        rewards[0] = 1.0 if s.paddle == s.column else -1.0
        s.terminated[0] = 1


@kernel
def observe(s, agent, out):
    fill(out, 0)
    out[s.row, s.column] = 1
    out[s.params.rows - 1, s.paddle] = 1


PAGE = Page(
    role="You move a paddle along the bottom row of a board with {rows:row} and {columns:column}.",
    goal="You get 1 if you catch the ball, and -1 if you miss it.",
    rules=(
        "The ball starts at the top of a random column and falls straight down, one row in each turn. Your paddle "
        "starts in column {start}. In each turn you move it by one column or leave it; at the sides of the board it "
        "stays where it is. You catch the ball if your paddle is in its column when it gets to the bottom row.",
    ),
    sees="You see the ball and the paddle. The columns are numbered from 0, the leftmost one, to {last}.",
    acts={
        ("left", "right"): "move the paddle by one column",
        "stay": "leave it where it is",
    },
    ends="The game is over after {turns:turn}, when the ball is in the bottom row.",
    constants={"1": "what a catch pays, and a miss costs", "0": "number of the first column"},
)


class Catch(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    information = "perfect"
    masked = False
    paid_at_end = True
    kind = ("memory", "arcade")
    verified = "bsuite step by step; closed forms"
    variants = (dict(rows=4, columns=7),)
    clickable = "(?!)"
    keys = {"left": "left", "right": "right", "down": "stay"}
    level_fields = ("column",)
    player_page = PAGE

    def __init__(self, rows: Annotated[int, Between(2, 100)] = 10, columns: Annotated[int, Between(1, 100)] = 5):
        self.define(
            agents=["agent"],
            actions=NAMES,
            observation=Box(0, 1, (rows, columns), np.uint8),
            fields=fields(rows, columns),
            params={"rows": rows, "columns": columns},
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        return "the ball is in the bottom row" if s.row >= s.params.rows - 1 and not s.terminated[0] else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        columns = int(s.params.columns)
        return {"start": columns // 2, "last": columns - 1, "turns": int(s.params.rows) - 1}

    def text(self, s: Any, agent: int) -> str:
        left = int(s.params.rows - 1 - s.row)
        over = " It is over." if s.terminated[0] else ""
        return (
            f"The ball is in column {s.column}, your paddle in column {s.paddle} of 0 to {s.params.columns - 1}.\n"
            f"Steps until the ball is down: {left}.{over}"
        )

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        rows, columns = int(s.params.rows), int(s.params.columns)
        scene = Scene(columns, rows)
        scene.add(Rect(0, 0, columns, rows, "floor"))
        for x in range(1, columns):
            scene.add(Rect(x - 0.02, 0, 0.04, rows, "line"))
        scene.add(Rect(s.paddle + 0.08, rows - 0.6, 0.84, 0.4, "blue", radius=0.15, glyph="="))
        caught = s.row == rows - 1 and s.paddle == s.column
        y = s.row + (0.1 if caught else 0.5)
        scene.add(Circle(s.column + 0.5, y, 0.3, "gold", "ink", 0.05, "o"))
        over = " · caught" if caught else " · missed" if s.terminated[0] else ""
        footer(scene, f"{s.row} / {rows - 1}{over}")
        return scene


env, raw_env, parallel_env = pettingzoo_forms(Catch)
