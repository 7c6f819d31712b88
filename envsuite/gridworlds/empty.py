"""Empty: reach the goal in an empty hall, seeing through walls.

**Rules.** A square of `size` x `size` cells, walled in, is empty but for the goal in its far corner. The agent starts
in the corner opposite to it, facing east, or with `random_start` in any cell, facing anywhere.

**Agents.** One, `agent`.

**Observation.** Dict of `image`, Box (7, 7, 3) uint8, and `direction`, Discrete (4), as DoorKey's; but nothing hides
anything: all cells of the view are seen, and those beyond the level are walls.

**Actions.** Discrete (7), as DoorKey's: 0 `left`, 1 `right`, 2 `forward`, 3 `pickup`, 4 `drop`, 5 `toggle`, 6 `done`;
all of them always legal.

**Rewards.** 1 - 0.9 t / horizon for reaching the goal with action number t; 0 otherwise.

**Ends.** Terminates at the goal, or on lava, which only levels of the user's have; truncated after `horizon` actions.

**Parameters.** `size` (8), from 5 to 25; `random_start` (False); `horizon` (None, which means 4 size^2), the actions
until truncation.

**Level.** As DoorKey's: ``{"grid", "agent", "direction"}``.

**Known values.** With a fixed start a shortest solution has 2 (size - 3) steps and one turn: 11 actions in size 8.
With a random one there are 4 ((size - 2)^2 - 1) equally likely starts.

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit. Other fixed
starts than the corner are levels. The mission never changes, so it is in the text and not in the observation.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `EmptyEnv` of minigrid 3.2.
"""

from typing import Annotated

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.world import Between, Kernels
from envsuite.kit import builder, rooms
from envsuite.kit.grid import EAST
from envsuite.kit.rooms import GOAL, GREEN
from envsuite.registry import pettingzoo_forms


@large_kernel
def layout(s):
    """A hall with the goal in its far corner, the agent in the other or anywhere."""
    height, width = s.level.grid.shape
    builder.hall(s)
    s.level.grid[height - 2, width - 2] = GREEN | GOAL
    if s.params.random_start:
        builder.place_agent(s, 1, 1, width - 2, height - 2)
    else:
        builder.put_agent(s, 1, 1, EAST)


@kernel
def reset(s):
    if not s.level_given:
        layout(s)
    rooms.begin(s)


class Empty(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(reset, rooms.step, rooms.observe_all, rooms.legal)
    verified = "`minigrid`, step by step"
    variants = (dict(size=5, random_start=True),)
    mission = "get to the green goal square"
    see_through = True

    def __init__(
        self,
        size: Annotated[int, Between(5, 25)] = 8,
        random_start: bool = False,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        self.lay_out(size, size, horizon or 4 * size**2, params={"random_start": random_start})


env, raw_env, parallel_env = pettingzoo_forms(Empty)
