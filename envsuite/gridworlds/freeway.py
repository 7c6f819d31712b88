"""Freeway: a chicken crosses eight lanes of cars as often as it can, on MinAtar's screen of 10 x 10 cells.

**Rules.** The chicken is in column 4. It starts in row 9 and wants to reach row 0. In each of the rows 1 to 8, a car
drives to the left or to the right with a speed from 1 to 5: a car of speed k moves by one cell in every k + 1 steps. A
car that leaves the screen comes in again on the other side. In each step:

1. With probability `sticky`, the action of the last step is carried out in the place of the chosen one.
2. The chicken moves by one row, if it has not moved in the last two steps.
3. If it is in row 0, it earns a reward and is put back to row 9. Then all cars get other directions and speeds.
4. The cars drive, from the top to the bottom. A car that is on the chicken, before or after it drives, puts the chicken
   back to row 9.

**Agents.** One, `agent`.

**Observation.** Box (10, 10, 7) uint8: row, column, plane.

| plane | cells that are 1 |
|---|---|
| 0 | the chicken |
| 1 | cars |
| 2 .. 6 | the cell behind each car with the speed 1 .. 5 |

**Actions.** Discrete (6), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | none |
| 2, 4 | `up`, `down` | move the chicken |
| 1, 3, 5 | `left`, `right`, `fire` | none; they are those of the other games |

**Window.** The arrow keys up and down move the chicken.

**Rewards.** 1 for each crossing.

**Ends.** Terminates after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `sticky` | 0.1 | probability that the last action is carried out again, from 0 to 1 |
| `horizon` | 2501 | steps of an episode, from 1 to 1,000,000 |

**Known values.** Random play crosses 0.119 +- 0.008 times on average (1,800 episodes of MinAtar). Without cars in the
way, the first crossing takes 28 steps and each further one 27, so 92 crossings are the most.

**Differences.** From MinAtar's `freeway`:

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
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import arcade
from envsuite.kit.arcade import CONSTANTS, DOWN, SCREEN, SIZE, STICKY, UP, Arcade, Plane
from envsuite.registry import pettingzoo_forms

#: Lanes, the largest speed, steps between two moves of the chicken, its column and its first row.
CARS, FASTEST, PAUSE, COLUMN, START = 8, 5, 3, 4, SIZE - 1


def fields() -> list[tuple]:
    """The record's own fields."""
    return [
        ("row", below(np.int64, SIZE)),  # of the chicken
        ("pause", within(np.int64, 0, PAUSE)),  # steps until the chicken can move
        ("place", below(np.int64, SIZE), (CARS,)),  # columns of the cars; car k is in row k + 1
        ("speed", within(np.int64, -FASTEST, FASTEST), (CARS,)),  # below 0 to the left
        ("wait", within(np.int64, 0, FASTEST), (CARS,)),  # steps until a car moves
    ]


@kernel
def draw_cars(s):
    """Other speeds and directions."""
    for k in range(CARS):
        s.speed[k] = s.wait[k] = 1 + randint(s, FASTEST)
    for k in range(CARS):
        if bernoulli(s, 0.5):
            s.speed[k] = -s.speed[k]


@kernel
def reset(s):
    s.last_action = 0
    s.row = START
    s.pause = PAUSE
    draw_cars(s)
    fill(s.place, 0)


@kernel
def step(s, actions, rewards):
    action = arcade.stick(s, actions[0])
    if s.pause == 0 and (action == UP or action == DOWN):
        s.pause = PAUSE
        s.row = max(s.row - 1, 0) if action == UP else min(s.row + 1, SIZE - 1)
    if s.row == 0:
        rewards[0] = 1.0
        draw_cars(s)
        s.row = START
    for k in range(CARS):
        hit = s.place[k] == COLUMN and s.row == k + 1
        if s.wait[k] == 0:
            s.wait[k] = abs(s.speed[k])
            s.place[k] = (s.place[k] + (1 if s.speed[k] > 0 else SIZE - 1)) % SIZE
            hit = hit or (s.place[k] == COLUMN and s.row == k + 1)
        else:
            s.wait[k] -= 1
        if hit:
            s.row = START
    s.pause = max(s.pause - 1, 0)
    s.terminated[0] = s.t >= s.params.horizon


@kernel
def observe(s, agent, out):
    arcade.clear(out)
    arcade.mark(out, s.row, COLUMN, 0)
    for k in range(CARS):
        speed = s.speed[k]
        behind = (s.place[k] + (SIZE - 1 if speed > 0 else 1)) % SIZE
        arcade.mark(out, k + 1, s.place[k], 1)
        arcade.mark(out, k + 1, behind, 1 + max(abs(speed), 1))


PAGE = Page(
    role="You are a chicken that wants to cross a road with 8 lanes.",
    goal="Each time that you reach the other side pays 1 point.",
    rules=(
        "You walk up and down in column 4, from row 9 at the bottom to row 0 at the top. In each of the rows 1 to 8 a "
        "car drives to the left or to the right. A car that leaves the screen comes in again at the other side.",
        (
            "In each step you move first. In row 0 you are paid and put back to row 9, and every car gets a new "
            "random direction and number. Then the cars drive. A car that is in your cell, before or after it drives, "
            "puts you back to row 9, unpaid.",
            STICKY,
        ),
        "After `up` or `down` you cannot move in the next 2 steps, and the first 3 steps of the game are lost in the "
        "same way.",
    ),
    sees=(
        SCREEN,
        "Behind each car you see its number from 1 to 5. A car with the number 1 moves by one cell in every 2 steps, "
        "one with the number 2 in every 3 steps, and so on: one with the number 5 in every 6 steps.",
    ),
    acts={
        ("up", "down"): "move by one row, if you can move in this step",
        ("noop", "left", "right", "fire"): "do nothing",
    },
    ends="The game is over after {horizon:step}.",
    constants={
        **CONSTANTS,
        "8": "lanes",
        "1": "a crossing; the first lane; the lowest number of a car",
        "4": "the chicken's column",
        "9": "the row at the bottom",
        "5": "the highest number of a car",
        "2": "steps without a move; steps of the fastest cars",
        "3": "steps without a move at first; steps of the next cars",
        "6": "steps of the slowest cars",
    },
)


class Freeway(Arcade):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = PAGE
    kind = ("arcade",)
    verified = "MinAtar's own games, step by step"
    variants = (dict(sticky=0.0, horizon=60),)
    shown = "careful"
    planes = (
        Plane("chicken", "c", "yellow", "disc"),
        Plane("car", "H", "red"),
        *(Plane(f"behind a car with the number {k}", str(k), "red@0.35", "mark") for k in range(1, FASTEST + 1)),
    )

    def __init__(
        self, sticky: Annotated[float, Between(0, 1)] = 0.1, horizon: Annotated[int, Between(1, 1_000_000)] = 2501
    ):
        self.define_game(fields(), sticky, horizon, 1.0)


env, raw_env, parallel_env = pettingzoo_forms(Freeway)
