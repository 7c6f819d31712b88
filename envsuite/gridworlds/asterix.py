"""Asterix: pick up gold that crosses the screen and avoid the enemies, on MinAtar's screen of 10 x 10 cells.

**Rules.** The player is in the middle at first and can be in the rows 1 to 8. Each of these rows has at most one thing,
gold or an enemy, that crosses the screen. In each step:

1. With probability `sticky`, the action of the last step is carried out in the place of the chosen one.
2. If it is time, a thing appears at the left or right edge of a random row that has none: gold with probability 1/3,
   otherwise an enemy.
3. The player moves by one cell.
4. Gold in its cell is picked up; an enemy there ends the game.
5. If it is time, all things move by one cell, and the same holds for those that come to the player. A thing that leaves
   the screen is gone.

Things appear every 10 steps and move every 5 steps at first. With `ramping`, things appear one step earlier after every
102 steps, and every second time they also move one step earlier, down to 1.

**Agents.** One, `agent`.

**Observation.** Box (10, 10, 4) uint8: row, column, plane.

| plane | cells that are 1 |
|---|---|
| 0 | the player |
| 1 | enemies |
| 2 | the cell behind each thing |
| 3 | gold |

**Actions.** Discrete (6), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | none |
| 1, 2, 3, 4 | `left`, `up`, `right`, `down` | move the player |
| 5 | `fire` | none; it is that of the other games |

**Window.** The arrow keys move the player.

**Rewards.** 1 for each piece of gold.

**Ends.** Terminates when player and enemy meet. Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `ramping` | True | whether the game becomes faster |
| `sticky` | 0.1 | probability that the last action is carried out again, from 0 to 1 |
| `horizon` | 2500 | steps until truncation, from 1 to 1,000,000 |

**Known values.** Random play picks up 0.532 +- 0.017 pieces on average (3,000 episodes of MinAtar).

**Differences.** From MinAtar's `asterix`:

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
from envsuite.core.page import Page, When
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import arcade
from envsuite.kit.arcade import CONSTANTS, DOWN, LEFT, RIGHT, SCREEN, SIZE, STICKY, UP, Arcade, Plane
from envsuite.registry import pettingzoo_forms

#: Rows with things, from row 1 on; steps between things and between their moves at first, and between rampings.
ROWS, SPAWN, MOVE, RAMP = 8, 10, 5, 100

NOTHING, ENEMY, GOLD = range(3)


def fields() -> list[tuple]:
    """The record's own fields."""
    return [
        ("x", below(np.int64, SIZE)),  # of the player
        ("y", within(np.int64, 1, ROWS)),
        ("kind", below(np.int64, 3), (ROWS,)),  # NOTHING, ENEMY or GOLD; thing k is in row k + 1
        ("place", below(np.int64, SIZE), (ROWS,)),  # its column
        ("right", flag(), (ROWS,)),  # whether it moves to the right
        ("spawn_timer", within(np.int64, 0, SPAWN)),  # steps until a thing appears
        ("spawn_every", within(np.int64, 1, SPAWN)),  # steps between two
        ("move_timer", within(np.int64, 0, MOVE)),  # steps until things move
        ("move_every", within(np.int64, 1, MOVE)),  # steps between two moves
        ("ramp_timer", within(np.int64, -1, RAMP)),  # steps until the game becomes faster
        ("ramps", below(np.int64, 2)),  # how often it has become so, odd or even
    ]


@kernel
def reset(s):
    s.last_action = 0
    s.x, s.y = 5, 5
    s.spawn_timer = s.spawn_every = SPAWN
    s.move_timer = s.move_every = MOVE
    s.ramp_timer = RAMP
    s.ramps = 0
    fill(s.kind, NOTHING)
    fill(s.place, 0)
    fill(s.right, 0)


@kernel
def spawn(s):
    """A thing appears in a random row that has none, if there is such a row."""
    right, gold = bernoulli(s, 0.5), bernoulli(s, 1.0 / 3.0)
    empty = 0
    for k in range(ROWS):
        empty += s.kind[k] == NOTHING
    if empty > 0:
        left = randint(s, empty)
        for k in range(ROWS):
            if s.kind[k] == NOTHING:
                if left == 0:
                    s.kind[k] = GOLD if gold else ENEMY
                    s.right[k] = right
                    s.place[k] = 0 if right else SIZE - 1
                left -= 1


@kernel
def meet(s, k):
    """What a thing does to the player if it is in its cell; the reward."""
    if s.kind[k] != NOTHING and s.place[k] == s.x and s.y == k + 1:
        if s.kind[k] == GOLD:
            s.kind[k] = NOTHING
            return 1.0
        s.terminated[0] = 1
    return 0.0


@kernel
def ramp(s):
    """Count the steps until the game becomes faster; it does so one step after the count has passed 0."""
    if s.spawn_every > 1 or s.move_every > 1:
        if s.ramp_timer >= 0:
            s.ramp_timer -= 1
        else:
            if s.move_every > 1 and s.ramps == 1:
                s.move_every -= 1
            s.spawn_every = max(s.spawn_every - 1, 1)
            s.ramps = 1 - s.ramps
            s.ramp_timer = RAMP


@kernel
def step(s, actions, rewards):
    action = arcade.stick(s, actions[0])
    if s.spawn_timer == 0:
        spawn(s)
        s.spawn_timer = s.spawn_every
    if action == LEFT:
        s.x = max(s.x - 1, 0)
    elif action == RIGHT:
        s.x = min(s.x + 1, SIZE - 1)
    elif action == UP:
        s.y = max(s.y - 1, 1)
    elif action == DOWN:
        s.y = min(s.y + 1, ROWS)
    for k in range(ROWS):
        rewards[0] += meet(s, k)
    if s.move_timer == 0:
        s.move_timer = s.move_every
        for k in range(ROWS):
            if s.kind[k] != NOTHING:
                place = s.place[k] + (1 if s.right[k] else -1)
                if 0 <= place < SIZE:
                    s.place[k] = place
                    rewards[0] += meet(s, k)
                else:
                    s.kind[k] = NOTHING
    s.spawn_timer -= 1
    s.move_timer -= 1
    if s.params.ramping:
        ramp(s)
    arcade.limit(s)


@kernel
def observe(s, agent, out):
    arcade.clear(out)
    arcade.mark(out, s.y, s.x, 0)
    for k in range(ROWS):
        if s.kind[k] != NOTHING:
            arcade.mark(out, k + 1, s.place[k], 3 if s.kind[k] == GOLD else 1)
            behind = s.place[k] - (1 if s.right[k] else -1)
            if 0 <= behind < SIZE:
                arcade.mark(out, k + 1, behind, 2)


PAGE = Page(
    role="You play an arcade game in which you collect gold and dodge enemies.",
    goal="Each piece of gold that you pick up pays 1 point.",
    rules=(
        "You start in the middle and can move in the rows 1 to 8. Each of these rows holds at most one thing at a "
        "time: a piece of gold, or an enemy. It comes in at the left or the right edge, crosses its row to the other "
        "edge and leaves the screen there.",
        (
            "In each step, if it is time, a thing appears at a random edge of a random free row: gold with a chance "
            "of one in three, otherwise an enemy. Then you move. If you are in a cell with gold now, you pick it up; "
            "if you are in a cell with an enemy, the game is over. Then, if it is time, all things move on by one "
            "cell, and the same holds for a thing that comes into your cell.",
            STICKY,
        ),
        (
            "A thing appears every 10 steps, and things move every 5 steps",
            When(
                "ramping",
                "at first. The time between appearances becomes one step shorter after every 102 steps, and the time "
                "between moves after every 204 steps, until both happen in every step.",
                "during the whole game.",
            ),
        ),
    ),
    sees=(SCREEN, "The mark behind a thing shows where it comes from."),
    acts={
        ("left", "up", "right", "down"): "move by one cell; you stay where you are at the end of your rows",
        ("noop", "fire"): "do nothing",
    },
    ends="The game is over when you and an enemy meet, or after {horizon:step}.",
    constants={
        **CONSTANTS,
        "1": "a piece of gold; the first row with things",
        "8": "the last row with things",
        "three": "the share of gold",
        "5": "steps between moves at first",
        "102": "steps between two changes of speed",
        "204": "twice that",
    },
)


class Asterix(Arcade):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = PAGE
    kind = ("arcade",)
    verified = "MinAtar's own games, step by step"
    variants = (dict(ramping=False, sticky=0.0, horizon=60),)
    shown = "gatherer"
    planes = (
        Plane("player", "@", "blue", "disc"),
        Plane("enemy", "X", "red"),
        Plane("behind a thing", ",", "white@0.5", "dot"),
        Plane("gold", "$", "gold", "disc"),
    )

    def __init__(
        self,
        ramping: bool = True,
        sticky: Annotated[float, Between(0, 1)] = 0.1,
        horizon: Annotated[int, Between(1, 1_000_000)] = 2500,
    ):
        self.define_game(fields(), sticky, horizon, 2.0, ramping=ramping)


env, raw_env, parallel_env = pettingzoo_forms(Asterix)
