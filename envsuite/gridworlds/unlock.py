"""Unlock: find the key and open the locked door.

**Rules.** Two rooms of `room_size` x `room_size` cells, walls included, lie side by side. A locked door of a random
color is between them. The agent and a key of that color are in the left room. The agent carries one object at a time.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| image | Box (7, 7, 3) uint8 | the cells in view, coded as in DoorKey |
| direction | Discrete (4) | 0 east, 1 south, 2 west, 3 north |

**Actions.** Discrete (7), all of them always legal, with the same effects as in DoorKey.

| action | name |
|---|---|
| 0, 1, 2 | `left`, `right`, `forward` |
| 3, 4, 5 | `pickup`, `drop`, `toggle` |
| 6 | `done` |

**Window.** The arrow keys left and right turn the agent; up walks forward. Space toggles, p picks up, d drops, and
return is `done`.

**Rewards.** 1 - 0.9 t / horizon for opening the door with action number t; 0 otherwise.

**Ends.** Terminates when the door is opened, at a goal or on lava; only levels given by the user have goals and lava.
Truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `room_size` | 6 | cells on a side of a room, from 4 to 13 |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: 8 room_size^2 |

**Level.** As in DoorKey, with the door's place: ``{"grid", "agent", "direction", "target": [x, y]}``.

**Known values.** With `room_size` 6, the generator has 4 rows of the door, 16 cells of the key and 6 colors, all
equally likely (counted from MiniGrid's `_gen_grid`).

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit.

- MiniGrid's `room_size` is always 6.
- The mission never changes, so it is part of the text and not of the observation.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `UnlockEnv` of minigrid 3.2.
"""

from __future__ import annotations

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
    """Two rooms with a locked door, the target, between them; the agent and the key are in the left room."""
    size = s.level.grid.shape[0]
    builder.room_grid(s, size)
    color = builder.any_color(s)
    x, y = builder.add_door(s, LOCKED, color, size, 0, 0, EAST)
    builder.aim(s, x, y)
    builder.add_object(s, color | KEY, size, 0, 0)
    builder.place_agent_in_room(s, size, 0, 0)


@kernel
def step(s, actions, rewards):
    rooms.take_turn(s, actions[0], rewards)
    if actions[0] == TOGGLE and s.grid[np.uint64(s.target)] & KIND == DOOR:
        rooms.succeed(s, rewards)


PAGE = rooms.page(
    role="You look for the key of a locked door and open the door.",
    success="Opening the door",
    rules=(
        "Two rooms of {room_size} x {room_size} cells, walls included, lie side by side with a locked door between "
        "them. You start in the west room, where a key of the door's color lies too. You carry one object at a time.",
    ),
    acts={"pickup": rooms.PICK_UP, "drop": rooms.PUT_DOWN, "toggle": rooms.UNLOCK, "done": rooms.NO_EFFECT},
    over="the door is open",
    sees=rooms.SIGHT_DOORS,
)


class Unlock(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(rooms.reset_by(layout, rooms.begin_errand), step, rooms.observe)
    player_page = PAGE
    kind = ("rooms",)
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
