"""DynamicObstacles: reach the goal among rolling balls, with a view through walls.

**Rules.** The hall is that of Empty, `size` x `size` cells, with `obstacles` blue balls in random cells. Before each
action, the balls move one after another. Each ball moves to a random empty cell among the eight cells around it, if
there is one.

Walking forward is a collision if a ball or a wall was in front of the agent before the balls moved. Walking towards a
cell that a ball has just entered has no effect.

The agent starts in the corner opposite the goal, facing east. With `random_start`, it starts in any cell, facing any
direction.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| image | Box (7, 7, 3) uint8 | the cells in view, coded as in DoorKey |
| direction | Discrete (4) | 0 east, 1 south, 2 west, 3 north |

Nothing blocks the view: all cells of the view are seen. Cells beyond the level appear as walls.

**Actions.** Discrete (3), all of them always legal.

| action | name |
|---|---|
| 0 | `left` |
| 1 | `right` |
| 2 | `forward` |

**Window.** The arrow keys left and right turn the agent; up walks forward.

**Rewards.** 1 - 0.9 t / horizon for reaching the goal with action number t; -1 for a collision; 0 otherwise.

**Ends.** Terminates at the goal, at a collision or on lava; only levels given by the user have lava. Truncated after
`horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 8 | cells on a side, from 5 to 25 |
| `obstacles` | 4 | number of balls, from 0 to 25; a number above size / 2 + 1 is replaced by size // 2 |
| `random_start` | False | whether the agent starts in a random cell, facing a random direction |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: 4 size^2 |

**Level.** As in DoorKey: ``{"grid", "agent", "direction"}``. A level has at most as many balls as there are obstacles;
they may have any color. The order in which balls move is drawn at the start of the episode.

**Known values.** A single ball in the middle of a hall moves to each of the 8 cells around it with probability 1/8.

**Differences.** None from MiniGrid in a given level and with given moves of the balls: observations, rewards and ends
are equal bit for bit.

- MiniGrid looks for a ball's next cell in 101 random attempts. A ball with few empty cells around it may therefore stay
  (with probability below 7e-6); here it moves.
- Fixed starts other than the corner are levels.
- The mission never changes, so it is part of the text and not of the observation.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `DynamicObstaclesEnv` of minigrid 3.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint, shuffle
from envsuite.core.ranges import within
from envsuite.core.world import Between, Kernels
from envsuite.gridworlds import empty
from envsuite.kit import builder, rooms
from envsuite.kit.rooms import ACTIONS, BALL, BLUE, EMPTY, FORWARD, GOAL, KIND
from envsuite.registry import pettingzoo_forms


@large_kernel
def layout(s):
    """An `empty` level with balls at random cells."""
    height, width = s.level.grid.shape
    empty.layout(s)
    for _ in range(s.params.obstacles):
        builder.place(s, BLUE | BALL, 0, 0, width, height)


def fields(size: int, most: int) -> list[tuple]:
    """The record, besides the engine's own."""
    last = (size + rooms.MARGIN) * (size + rooms.MARGIN) - 1
    return [
        ("count", within(np.int64, 0, most)),  # balls that roll
        ("balls", within(np.int64, 0, last), (most,)),  # cells of the flat grid, in the order in which balls move
    ]


@kernel
def reset(s):
    if not s.level_given:
        layout(s)
    rooms.begin(s)
    s.count = 0
    fill(s.balls, 0)
    for k in range(s.grid.shape[0]):
        if s.grid[k] & KIND == BALL and s.count < s.balls.shape[0]:
            s.balls[s.count] = k
            s.count += 1
    shuffle(s, s.balls, s.count)


@kernel
def roll(s, cell):
    """Move a ball to a random empty cell around it; return its cell."""
    row = rooms.row_length(s)
    free = 0  # cells as bits
    count = 0
    for k in range(9):
        target = np.uint64(cell + (k // 3 - 1) * row + k % 3 - 1)
        if s.grid[target] == EMPTY and target != np.uint64(s.agent):
            free |= 1 << k
            count += 1
    if count == 0:
        return cell
    for _ in range(randint(s, count)):
        free &= free - 1
    k = 0
    while not free >> k & 1:
        k += 1
    target = cell + (k // 3 - 1) * row + k % 3 - 1
    s.grid[np.uint64(target)] = s.grid[np.uint64(cell)]
    s.grid[np.uint64(cell)] = EMPTY
    return target


@kernel
def step(s, actions, rewards):
    front = s.grid[np.uint64(s.agent + rooms.stride(s, s.direction))] & KIND
    for k in range(s.count):
        s.balls[k] = roll(s, s.balls[k])
    rooms.take_turn(s, actions[0], rewards)
    if actions[0] == FORWARD and front != EMPTY and front != GOAL:
        rewards[0] = -1.0
        s.terminated[0] = 1


PAGE = rooms.page(
    role="You walk to the goal of a hall in which balls roll about.",
    success="Reaching the goal",
    rules=(
        (
            (
                "The hall has {size} x {size} cells, walls included, and {obstacles:rolling blue ball}. The green goal "
                "is in its southeast corner."
            ),
            empty.START,
        ),
        "After you have chosen an action, the balls move first, one after another: each moves to a random empty cell "
        "of the 8 cells around it, if there is one. Then you turn or walk. If you walk and a ball or a wall was in "
        "front of you before the balls moved, that is a collision, even if the ball is gone. If a ball has rolled in "
        "front of you just now, you stay where you are and nothing happens.",
    ),
    acts={},
    over="you are at the goal, at a collision",
    sees=rooms.SIGHT_THROUGH,
    lost="A collision costs 1 point. Nothing else pays.",
    constants={"8": "the cells around one"},
)


class DynamicObstacles(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(reset, step, rooms.observe_all)
    player_page = PAGE
    kind = ("rooms",)
    verified = "`minigrid`, step by step"
    variants = (dict(size=5, obstacles=2),)
    mission = "get to the green goal square"
    see_through = True
    keys = {"left": "left", "right": "right", "up": "forward"}

    def __init__(
        self,
        size: Annotated[int, Between(5, 25)] = 8,
        obstacles: Annotated[int, Between(0, 25)] = 4,
        random_start: bool = False,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        balls = obstacles if obstacles <= size / 2 + 1 else size // 2
        self.lay_out(
            size,
            size,
            horizon or 4 * size**2,
            actions=ACTIONS[: FORWARD + 1],
            fields=fields(size, max(balls, 1)),
            params={"obstacles": balls, "random_start": random_start},
            reward_range=(-1.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        balls, most = int((s.level.grid & KIND == BALL).sum()), len(s.balls)
        if balls > most:
            raise LevelError(f"{self.id}: the level has {balls} balls; {most} is the most")

    def contradiction(self, s: Any) -> str | None:
        if (s.grid[s.balls[: s.count]] & KIND != BALL).any():
            return "there is a cell among those of balls that has none"
        return super().contradiction(s)


env, raw_env, parallel_env = pettingzoo_forms(DynamicObstacles)
