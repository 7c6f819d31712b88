"""SpaceInvaders: shoot waves of aliens that come down and shoot back, on MinAtar's screen of 10 x 10 cells.

**Rules.** The cannon is in row 9. A wave has 24 aliens in the rows 0 to 3 and the columns 2 to 7. In each step:

1. With probability `sticky`, the action of the last step is carried out in the place of the chosen one.
2. The cannon moves by one cell, or fires if it has not fired in the last four steps.
3. Shots move up by one row and bombs down by one. A bomb or an alien in the cannon's cell ends the game.
4. If it is time, the aliens move by one column. If one of them is at the edge that they move to, they move down by one
   row instead, and from then on in the other direction. An alien that comes to the cannon ends the game, and so does
   one in row 9 when they would move down. The next move follows after as many steps as there are aliens, at most 12.
5. In every tenth step, the lowest alien of the column nearest to the cannon drops a bomb; of two such columns the left.
6. An alien and a shot in one cell are gone.
7. When no alien is left, a new wave comes. With `ramping`, each new wave moves at the latest after one step less than
   the one before, down to 6.

**Agents.** One, `agent`.

**Observation.** Box (10, 10, 6) uint8: row, column, plane.

| plane | cells that are 1 |
|---|---|
| 0 | the cannon |
| 1 | aliens |
| 2, 3 | aliens, if they move to the left, to the right |
| 4 | shots of the cannon |
| 5 | bombs |

**Actions.** Discrete (6), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | none |
| 1, 3 | `left`, `right` | move the cannon |
| 5 | `fire` | fire |
| 2, 4 | `up`, `down` | none; they are those of the other games |

**Window.** The arrow keys left and right move the cannon, space fires.

**Rewards.** 1 for each alien.

**Ends.** Terminates when the cannon is hit or the aliens have landed. Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `ramping` | True | whether the waves become faster |
| `sticky` | 0.1 | probability that the last action is carried out again, from 0 to 1 |
| `horizon` | 2500 | steps until truncation, from 1 to 1,000,000 |

**Known values.** Random play shoots 2.82 +- 0.04 aliens on average (3,000 episodes of MinAtar).

**Differences.** From MinAtar's `space_invaders`:

- Episodes have a limit of steps.
- The action before the first one is `noop`; there, it is the last one of the episode before.

**Source.** Young and Tian, "MinAtar: An Atari-Inspired Testbed for Thorough and Reproducible Reinforcement Learning
Experiments", 2019; MinAtar 1.0.15.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.ranges import below, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import arcade
from envsuite.kit.arcade import CONSTANTS, FIRE, LEFT, RIGHT, SCREEN, SIZE, STICKY, Arcade, Plane
from envsuite.registry import pettingzoo_forms

#: Steps between two shots, two bombs, and two moves of the first wave and of the last ones; the cannon's row.
RELOAD, BOMB, SLOW, FAST, BOTTOM = 5, 10, 12, 6, SIZE - 1

#: A wave: rows, and the columns of each as bits.
ROWS, COLUMNS = 4, sum(1 << x for x in range(2, 8))


def fields() -> list[tuple]:
    """The record's own fields; a row of the screen is a number with a bit for each column."""
    row = below(np.int64, 1 << SIZE)
    return [
        ("cannon", below(np.int64, SIZE)),  # its column
        ("aliens", row, (SIZE,)),
        ("shots", row, (SIZE,)),
        ("bombs", row, (SIZE,)),
        ("right", within(np.int64, 0, 1)),  # whether the aliens move to the right
        ("reload", within(np.int64, 0, RELOAD)),  # steps until the cannon can fire
        ("move_timer", within(np.int64, 0, SLOW)),  # steps until the aliens move
        ("move_every", within(np.int64, FAST, SLOW)),  # the most steps between two moves
        ("bomb_timer", within(np.int64, 0, BOMB)),  # steps until an alien drops a bomb
    ]


@kernel
def arrive(s):
    """A new wave."""
    for y in range(SIZE):
        s.aliens[y] = COLUMNS if y < ROWS else 0


@kernel
def reset(s):
    s.last_action = 0
    s.cannon = 5
    arrive(s)
    for y in range(SIZE):
        s.shots[y] = s.bombs[y] = 0
    s.right = 0
    s.reload = 0
    s.move_timer = s.move_every = SLOW
    s.bomb_timer = BOMB


@kernel
def count(rows):
    """The number of bits in all rows."""
    found = 0
    for y in range(SIZE):
        bits = np.int64(rows[y])
        while bits != 0:
            bits &= bits - 1
            found += 1
    return found


@kernel
def march(s):
    """The aliens move; whether they have landed."""
    all_ = np.int64(0)
    for y in range(SIZE):
        all_ |= s.aliens[y]
    edge = 1 << (SIZE - 1) if s.right else 1
    if all_ & edge != 0:
        s.right = 1 - s.right
        landed = s.aliens[BOTTOM] != 0
        low = s.aliens[BOTTOM]
        for y in range(BOTTOM, 0, -1):
            s.aliens[y] = s.aliens[y - 1]
        s.aliens[0] = low
        return landed
    for y in range(SIZE):
        s.aliens[y] = s.aliens[y] << 1 if s.right else s.aliens[y] >> 1
    return False


@kernel
def nearest(aliens, column):
    """The column with an alien that is nearest to this one; of two the left, and -1 if there is no alien."""
    found, least = -1, SIZE
    for x in range(SIZE):
        for y in range(SIZE):
            if aliens[y] >> x & 1 != 0 and abs(x - column) < least:
                found, least = x, abs(x - column)
    return found


@kernel
def drop(s):
    """The lowest alien of the nearest column drops a bomb."""
    x = nearest(s.aliens, s.cannon)
    for y in range(BOTTOM, -1, -1):
        if x >= 0 and s.aliens[y] >> x & 1 != 0:
            s.bombs[y] |= 1 << x
            break


@kernel
def fly(s):
    """Shots move up, bombs move down."""
    for y in range(BOTTOM):
        s.shots[y] = s.shots[y + 1]
    s.shots[BOTTOM] = 0
    for y in range(BOTTOM, 0, -1):
        s.bombs[y] = s.bombs[y - 1]
    s.bombs[0] = 0


@kernel
def step(s, actions, rewards):
    action = arcade.stick(s, actions[0])
    if action == FIRE and s.reload == 0:
        s.shots[BOTTOM] |= 1 << s.cannon
        s.reload = RELOAD
    elif action == LEFT:
        s.cannon = max(s.cannon - 1, 0)
    elif action == RIGHT:
        s.cannon = min(s.cannon + 1, SIZE - 1)
    fly(s)
    over = (s.bombs[BOTTOM] | s.aliens[BOTTOM]) >> s.cannon & 1 != 0
    if s.move_timer == 0:
        s.move_timer = max(min(count(s.aliens), s.move_every), 1)
        over = march(s) or over
        over = over or s.aliens[BOTTOM] >> s.cannon & 1 != 0
    if s.bomb_timer == 0:
        s.bomb_timer = BOMB
        drop(s)
    for y in range(SIZE):
        hit = s.aliens[y] & s.shots[y]
        s.aliens[y] ^= hit
        s.shots[y] ^= hit
        while hit != 0:
            hit &= hit - 1
            rewards[0] += 1.0
    s.reload = max(s.reload - 1, 0)
    s.move_timer -= 1
    s.bomb_timer -= 1
    if count(s.aliens) == 0:
        if s.params.ramping:
            s.move_every = max(s.move_every - 1, FAST)
        arrive(s)
    s.terminated[0] = over
    arcade.limit(s)


@kernel
def observe(s, agent, out):
    arcade.clear(out)
    arcade.mark(out, BOTTOM, s.cannon, 0)
    for y in range(SIZE):
        if s.aliens[y] | s.shots[y] | s.bombs[y] != 0:
            for x in range(SIZE):
                if s.aliens[y] >> x & 1 != 0:
                    arcade.mark(out, y, x, 1)
                    arcade.mark(out, y, x, 3 if s.right else 2)
                if s.shots[y] >> x & 1 != 0:
                    arcade.mark(out, y, x, 4)
                if s.bombs[y] >> x & 1 != 0:
                    arcade.mark(out, y, x, 5)


PAGE = Page(
    role="You move a cannon along the bottom of the screen and shoot at aliens that come down.",
    goal="Each alien that you shoot pays 1 point.",
    rules=(
        "The cannon is in row 9. A wave has 24 aliens: they fill the rows 0 to 3 of the columns 2 to 7. When none of "
        "them is left, the next wave appears there.",
        (
            "In each step you move or fire first. Then your shots fly up by one row and bombs fall by one row. Then, "
            "if it is time, all aliens move, and an alien may drop a bomb. Finally each alien in a cell with a shot "
            "is gone, together with the shot.",
            STICKY,
        ),
        (
            "The aliens move together by one column, to the left at first. If one of them is at the edge of the screen "
            "on that side, all move down by one row instead, and go to the other side from then on. The next move "
            "follows after as many steps as aliens are left, but after 12 at most.",
            When(
                "ramping",
                "With each new wave this limit becomes one step shorter, down to 6.",
                "All waves have this limit.",
            ),
        ),
        "In every 10th step, the lowest alien of the column nearest to the cannon drops a bomb; of two columns equally "
        "near it is the left one.",
    ),
    sees=SCREEN,
    acts={
        ("left", "right"): "move the cannon by one column; it stays at the edge",
        "fire": "fire upwards; not possible in the 4 steps after a shot",
        ("noop", "up", "down"): "do nothing",
    },
    ends=(
        "The game is over when a bomb or an alien is in the cannon's cell, when an alien in row 9 would have to move "
        "down, or after {horizon:step}."
    ),
    constants={
        **CONSTANTS,
        "1": "an alien",
        "9": "the cannon's row",
        "24": "aliens of a wave",
        "3": "their last row",
        "2": "their first column",
        "7": "their last column",
        "12": "the most steps between moves",
        "6": "the least that this limit becomes",
        "two": "columns; moves",
        "4": "steps without a shot",
    },
)


class SpaceInvaders(Arcade):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = PAGE
    kind = ("arcade",)
    verified = "MinAtar's own games, step by step"
    variants = (dict(ramping=False, sticky=0.0, horizon=60),)
    shown = "gunner"
    planes = (
        Plane("cannon", "A", "blue", "up"),
        Plane("alien", "W", "green"),
        Plane("alien that moves to the left", "W", "green", "none"),
        Plane("alien that moves to the right", "W", "green", "none"),
        Plane("shot", "'", "white", "dot"),
        Plane("bomb", "!", "orange", "dot"),
    )

    def __init__(
        self,
        ramping: bool = True,
        sticky: Annotated[float, Between(0, 1)] = 0.1,
        horizon: Annotated[int, Between(1, 1_000_000)] = 2500,
    ):
        self.define_game(fields(), sticky, horizon, 2.0, ramping=ramping)

    def status(self, s: Any) -> str:
        return f"The aliens move to the {'right' if s.right else 'left'}."

    def contradiction(self, s: Any) -> str | None:
        if not s.aliens.any():
            return "there is no alien"
        return "there are more shots than the cannon can have fired" if count(s.shots) > 2 else None


env, raw_env, parallel_env = pettingzoo_forms(SpaceInvaders)
