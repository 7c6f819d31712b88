"""Breakout: keep a ball in play with a paddle and break three rows of bricks, on MinAtar's screen of 10 x 10 cells.

**Rules.** Bricks fill the rows 1, 2 and 3. The ball starts at the left or right end of row 3 and flies diagonally, one
cell a step, downwards at first. The paddle is in row 9. In each step:

1. With probability `sticky`, the action of the last step is carried out in the place of the chosen one.
2. The paddle moves by one cell.
3. The ball moves. At the left and right edge it stays in its column and turns around horizontally, at the top it
   turns around vertically.
4. Where it would enter a brick's cell, the brick breaks, and the ball stays in its row and turns around vertically.
   If the ball met a brick in the step before too, broken or not, it enters the cell instead, and the brick stays.
5. Where it would enter row 9, all bricks are put up again if none is left. If the paddle is in the column that the
   ball comes from, the ball stays in its row and turns around vertically. If the paddle is in the column that the ball
   goes to, it turns around in both directions. Otherwise the ball is lost.

**Agents.** One, `agent`.

**Observation.** Box (10, 10, 4) uint8: row, column, plane.

| plane | cells that are 1 |
|---|---|
| 0 | the paddle |
| 1 | the ball |
| 2 | where the ball was one step before |
| 3 | bricks |

**Actions.** Discrete (6), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | none |
| 1, 3 | `left`, `right` | move the paddle |
| 2, 4, 5 | `up`, `down`, `fire` | none; they are those of the other games |

**Window.** The arrow keys left and right move the paddle.

**Rewards.** 1 for each brick.

**Ends.** Terminates when the ball is lost. Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `sticky` | 0.1 | probability that the last action is carried out again, from 0 to 1 |
| `horizon` | 2500 | steps until truncation, from 1 to 1,000,000 |

**Known values.** Random play breaks 0.519 +- 0.008 bricks on average (10,000 episodes of MinAtar).

**Differences.** From MinAtar's `breakout`:

- Episodes have a limit of steps.
- The action before the first one is `noop`; there, it is the last one of the episode before.

**Source.** Young and Tian, "MinAtar: An Atari-Inspired Testbed for Thorough and Reproducible Reinforcement Learning
Experiments", 2019; MinAtar 1.0.15.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.random import randint
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import arcade
from envsuite.kit.arcade import CONSTANTS, LEFT, RIGHT, SCREEN, SIZE, STICKY, Arcade, Plane
from envsuite.registry import pettingzoo_forms

#: The first row of bricks, the number of such rows, and the paddle's row.
TOP, ROWS, BOTTOM = 1, 3, SIZE - 1


def fields() -> list[tuple]:
    """The record's own fields."""
    place, sign = below(np.int64, SIZE), within(np.int64, -1, 1)
    return [
        ("paddle", place),  # its column
        ("ball", place, (2,)),  # column and row
        ("last", place, (2,)),  # those one step before
        ("across", sign),  # direction of the ball: 1 to the right, -1 to the left
        ("down", sign),  # 1 down, -1 up
        ("struck", flag()),  # whether the ball met a brick in the last step
        ("bricks", flag(), (ROWS, SIZE)),
    ]


@kernel
def put_up(s):
    """All bricks are there."""
    fill(s.bricks, 1)


@kernel
def left(s):
    """The number of bricks."""
    count = 0
    for y in range(ROWS):
        for x in range(SIZE):
            count += s.bricks[y, x]
    return count


@kernel
def reset(s):
    right = randint(s, 2)
    s.last_action = 0
    s.paddle = 4
    s.ball[0] = s.last[0] = (SIZE - 1) * right
    s.ball[1] = s.last[1] = ROWS
    s.across = 1 - 2 * right
    s.down = 1
    s.struck = 0
    put_up(s)


@kernel
def step(s, actions, rewards):
    action = arcade.stick(s, actions[0])
    if action == LEFT:
        s.paddle = max(s.paddle - 1, 0)
    elif action == RIGHT:
        s.paddle = min(s.paddle + 1, SIZE - 1)
    old_x, old_y = np.int64(s.ball[0]), np.int64(s.ball[1])
    x, y = old_x + s.across, old_y + s.down
    met = False
    if x < 0 or x >= SIZE:
        x = old_x
        s.across = -s.across
    if y < 0:
        y = 0
        s.down = -s.down
    elif TOP <= y < TOP + ROWS and s.bricks[y - TOP, x] != 0:
        met = True
        if s.struck == 0:
            rewards[0] = 1.0
            s.bricks[y - TOP, x] = 0
            y = old_y
            s.down = -s.down
    elif y >= BOTTOM:
        if left(s) == 0:
            put_up(s)
        if old_x == s.paddle:
            y = old_y
            s.down = -s.down
        elif x == s.paddle:
            y = old_y
            s.across, s.down = -s.across, -s.down
        else:
            y = BOTTOM
            s.terminated[0] = 1
    s.struck = met
    s.last[0], s.last[1] = old_x, old_y
    s.ball[0], s.ball[1] = x, y
    arcade.limit(s)


@kernel
def observe(s, agent, out):
    arcade.clear(out)
    arcade.mark(out, BOTTOM, s.paddle, 0)
    arcade.mark(out, s.ball[1], s.ball[0], 1)
    arcade.mark(out, s.last[1], s.last[0], 2)
    for y in range(ROWS):
        for x in range(SIZE):
            if s.bricks[y, x] != 0:
                arcade.mark(out, TOP + y, x, 3)


PAGE = Page(
    role="You move a paddle along the bottom of the screen and keep a ball in play that breaks bricks.",
    goal="Each brick that breaks pays 1 point.",
    rules=(
        "The rows 1, 2 and 3 are full of bricks, and your paddle is one cell in row 9. The ball starts at the left or "
        "the right end of row 3. It flies diagonally, one row and one column in a step; at first downwards and away "
        "from that end.",
        ("In each step you move first, then the ball does.", STICKY),
        "Where the ball would leave the screen at the left or right, it stays in its column for this step and flies "
        "back to the other side; at the top it stays in its row and turns downwards.",
        "Where it would enter a brick's cell, the brick breaks, and the ball stays in its row and turns from up to "
        "down or from down to up. But if the ball also met a brick in the step before, it flies into the cell "
        "instead, and that brick stays whole.",
        "Where it would enter row 9, it is lost unless your paddle is in the column that it comes from or in the one "
        "that it flies to. The paddle sends it up again; for this step the ball stays in row 8. In the first case it "
        "goes on to the same side, in the second case it turns back to the side that it came from. If no brick is "
        "left at this moment, all bricks are put up again.",
    ),
    sees=(SCREEN, "It also shows where the ball was one step before."),
    acts={
        ("left", "right"): "move the paddle by one column; it stays at the edge",
        ("noop", "up", "down", "fire"): "do nothing",
    },
    ends="The game is over when the ball is lost, or after {horizon:step}.",
    constants={
        **CONSTANTS,
        "1": "a brick; the first row of bricks",
        "2": "the middle row of bricks",
        "3": "the last row of bricks",
        "8": "the row above the paddle",
        "9": "the paddle's row",
    },
)


class Breakout(Arcade):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = PAGE
    kind = ("arcade",)
    verified = "MinAtar's own games, step by step"
    variants = (dict(sticky=0.0, horizon=30),)
    shown = "catcher"
    planes = (
        Plane("paddle", "=", "blue", "bar"),
        Plane("ball", "o", "gold", "disc"),
        Plane("ball before", "'", "gold@0.45", "dot"),
        Plane("brick", "#", "orange"),
    )

    def __init__(
        self, sticky: Annotated[float, Between(0, 1)] = 0.1, horizon: Annotated[int, Between(1, 1_000_000)] = 2500
    ):
        self.define_game(fields(), sticky, horizon, 1.0)


env, raw_env, parallel_env = pettingzoo_forms(Breakout)
