"""Unlock: find the key and open the locked door.

**Rules.** Two rooms of `room_size` x `room_size` cells, walls included, side by side, with a locked door of a random
colour between them. The agent and a key of that colour are in the left one. The agent carries one object at a time.

**Agents.** One, `agent`.

**Observation.** Dict of `image`, Box (7, 7, 3) uint8, and `direction`, Discrete (4), as DoorKey's.

**Actions.** Discrete (7), as DoorKey's: 0 `left`, 1 `right`, 2 `forward`, 3 `pickup`, 4 `drop`, 5 `toggle`, 6 `done`;
all of them always legal.

**Rewards.** 1 - 0.9 t / horizon for opening the door with action number t; 0 otherwise.

**Ends.** Terminates when the door is opened, and at goals and on lava, which only levels of the user's have; truncated
after `horizon` actions.

**Parameters.** `room_size` (6), from 4 to 13; `horizon` (None, which means 8 room_size^2), the actions until
truncation.

**Level.** As DoorKey's, with the door: ``{"grid", "agent", "direction", "target": [x, y]}``.

**Known values.** The generator has 4 rows of the door, 16 cells of the key and 6 colours, equally likely, at
`room_size` 6 (counted from MiniGrid's `_gen_grid`).

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit. MiniGrid's
`room_size` is always 6. The mission never changes, so it is in the text and not in the observation.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `UnlockEnv` of minigrid 3.2.
"""

from typing import Annotated

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.world import Between, Kernels
from envsuite.kit import builder, rooms
from envsuite.kit.grid import EAST
from envsuite.kit.rooms import CLOSED, DOOR, KEY, KIND, LOCKED, TOGGLE
from envsuite.registry import pettingzoo_forms


@large_kernel
def layout(s):
    """Two rooms with a locked door between them, the target; the agent and the key are in the left one."""
    size = s.level.grid.shape[0]
    builder.room_grid(s, size)
    color = builder.any_color(s)
    x, y = builder.add_door(s, LOCKED, color, size, 0, 0, EAST)
    builder.aim(s, x, y)
    builder.add_object(s, color | KEY, size, 0, 0)
    builder.place_agent_in_room(s, size, 0, 0)


@kernel
def reset(s):
    if not s.level_given:
        layout(s)
    rooms.begin_errand(s)


@kernel
def step(s, actions, rewards):
    rooms.take_turn(s, actions[0], rewards)
    if actions[0] == TOGGLE and s.grid[np.uint64(s.target)] & KIND == DOOR:
        rooms.succeed(s, rewards)


class Unlock(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(reset, step, rooms.observe, rooms.legal)
    verified = "`minigrid`, step by step"
    mission = "open the door"
    places = {"target": (LOCKED, CLOSED, DOOR)}

    def __init__(
        self,
        room_size: Annotated[int, Between(4, 13)] = 6,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        self.lay_out(2 * room_size - 1, room_size, horizon or 8 * room_size**2)


env, raw_env, parallel_env = pettingzoo_forms(Unlock)
