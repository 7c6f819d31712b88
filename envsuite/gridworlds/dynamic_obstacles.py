"""DynamicObstacles: reach the goal among balls that roll about, seeing through walls.

**Rules.** An Empty hall of `size` x `size` cells with `obstacles` blue balls in random cells. Before each action the
balls move, one after another, each to a random empty one of the eight cells around it, where there is one. Walking
forward when there was a ball or a wall in front before they moved is a collision; onto a cell that a ball has just
come to, nothing happens. The agent starts in the corner opposite to the goal, facing east, or with `random_start` in
any cell, facing anywhere.

**Agents.** One, `agent`.

**Observation.** Dict of `image`, Box (7, 7, 3) uint8, and `direction`, Discrete (4), as DoorKey's; but nothing hides
anything: all cells of the view are seen, and those beyond the level are walls.

**Actions.** Discrete (3), all of them always legal: 0 `left`, 1 `right`, 2 `forward`.

**Rewards.** 1 - 0.9 t / horizon for reaching the goal with action number t; -1 for a collision; 0 otherwise.

**Ends.** Terminates at the goal, at a collision, and on lava, which only levels of the user's have; truncated after
`horizon` actions.

**Parameters.** `size` (8), from 5 to 25; `obstacles` (4), from 0 to 25, but size // 2 if there were more than
size / 2 + 1; `random_start` (False); `horizon` (None, which means 4 size^2), the actions until truncation.

**Level.** As DoorKey's: ``{"grid", "agent", "direction"}``; with at most as many balls as there are obstacles, of any
colour. The order in which they move is drawn at the start of the episode.

**Known values.** A ball alone in the middle of a hall goes to each of the 8 cells around it with probability 1/8.

**Differences.** None from MiniGrid in a given level with the balls' moves given: observations, rewards and ends are
equal bit for bit. MiniGrid looks for a ball's next cell by 101 random tries, so one with few empty cells around may
stay (with probability below 7e-6); ours moves. Other fixed starts than the corner are levels. The mission never
changes, so it is in the text and not in the observation.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `DynamicObstaclesEnv` of minigrid 3.2.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint, shuffle
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


@kernel
def reset(s):
    if not s.level_given:
        layout(s)
    rooms.begin(s)
    s.count = 0
    for k in range(s.balls.shape[0]):
        s.balls[k] = 0
    for k in range(s.grid.shape[0]):
        if s.grid[k] & KIND == BALL and s.count < s.balls.shape[0]:
            s.balls[s.count] = k
            s.count += 1
    shuffle(s, s.balls, s.count)


@kernel
def roll(s, cell):
    """Move a ball to a random empty cell around it; where it is then."""
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


@kernel
def legal(s, agent, mask):
    for k in range(FORWARD + 1):
        mask[k] = 1


class DynamicObstacles(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(reset, step, rooms.observe_all, legal)
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
            fields=[("count", np.int64), ("balls", np.int64, (max(balls, 1),))],
            params={"obstacles": balls, "random_start": random_start},
            reward_range=(-1.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        balls, most = int((s.level.grid & KIND == BALL).sum()), len(s.balls)
        if balls > most:
            raise LevelError(f"{self.id}: the level has {balls} balls; {most} is the most")


env, raw_env, parallel_env = pettingzoo_forms(DynamicObstacles)
