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
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import arcade
from envsuite.kit.arcade import DOWN, SIZE, UP, Arcade, Plane
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


class Freeway(Arcade):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("arcade",)
    verified = "MinAtar's own games, step by step"
    variants = (dict(sticky=0.0, horizon=60),)
    shown = "careful"
    planes = (
        Plane("chicken", "c", "yellow", "disc"),
        Plane("car", "H", "red"),
        *(Plane(f"behind a car of speed {k}", str(k), "red@0.35", "mark") for k in range(1, FASTEST + 1)),
    )

    def __init__(
        self, sticky: Annotated[float, Between(0, 1)] = 0.1, horizon: Annotated[int, Between(1, 1_000_000)] = 2501
    ):
        self.define_game(fields(), sticky, horizon, 1.0)


env, raw_env, parallel_env = pettingzoo_forms(Freeway)
