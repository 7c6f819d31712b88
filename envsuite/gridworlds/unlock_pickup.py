"""UnlockPickup: unlock the door and pick up the box behind it.

**Rules.** Two rooms of `room_size` x `room_size` cells, walls included, lie side by side. A locked door of a random
color is between them. The agent and a key of that color are in the left room; a box of any color is in the right room.
The agent carries one object at a time, so it must put the key down before it can take the box. Toggling the box removes
it.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| image | Box (7, 7, 3) uint8 | the cells in view, coded as in DoorKey |
| direction | Discrete (4) | 0 east, 1 south, 2 west, 3 north |
| color | Discrete (6) | the color of the object to pick up: 0 red, 1 green, 2 blue, 3 purple, 4 yellow, 5 `grey` |

**Actions.** Discrete (7), all of them always legal, with the same effects as in DoorKey.

| action | name |
|---|---|
| 0, 1, 2 | `left`, `right`, `forward` |
| 3, 4, 5 | `pickup`, `drop`, `toggle` |
| 6 | `done` |

**Window.** The arrow keys left and right turn the agent; up walks forward. Space toggles, p picks up, d drops, and
return is `done`.

**Rewards.** 1 - 0.9 t / horizon for picking the box up with action number t; 0 otherwise.

**Ends.** Terminates when the box is picked up, at a goal or on lava; only levels given by the user have goals and lava.
Truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `room_size` | 6 | cells on a side of a room, from 4 to 13 |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: 8 room_size^2 |

**Level.** As in DoorKey, with the box's place: ``{"grid", "agent", "direction", "target": [x, y]}``.

**Known values.** With `room_size` 6, all of these are equally likely (counted from MiniGrid's `_gen_grid`):

- 11 cells of the box: those that are not beside the middle of the right room
- 4 rows of the door
- 16 cells of the key
- 6 colors of the door and key, and 6 of the box

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit.

- MiniGrid's `room_size` is always 6.
- Of the mission, "pick up the blue box", the observation has the color. The text has the whole mission.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `UnlockPickupEnv` of minigrid 3.2.
"""

from __future__ import annotations

from typing import Annotated

from gymnasium import spaces

from envsuite.core.kernel import large_kernel
from envsuite.core.world import Between, Kernels
from envsuite.kit import builder, rooms
from envsuite.kit.grid import EAST
from envsuite.kit.rooms import BOX, KEY, LOCKED
from envsuite.registry import pettingzoo_forms


@large_kernel
def layout(s):
    """As in `unlock`; the target is a box in the right room."""
    size = s.level.grid.shape[0]
    builder.room_grid(s, size)
    x, y = builder.add_object(s, builder.any_color(s) | BOX, size, 1, 0)
    color = builder.any_color(s)
    builder.add_door(s, LOCKED, color, size, 0, 0, EAST)
    builder.aim(s, x, y)
    builder.add_object(s, color | KEY, size, 0, 0)
    builder.place_agent_in_room(s, size, 0, 0)


PAGE = rooms.page(
    role="You fetch a box from behind a locked door.",
    success="Picking up the box",
    rules=(
        "Two rooms of {room_size} x {room_size} cells, walls included, lie side by side with a locked door between "
        "them. You start in the west room, where a key of the door's color lies too; the box is in the east room.",
        "You walk onto free cells and through open doors. You carry one object at a time.",
    ),
    acts={
        "pickup": rooms.PICK_UP,
        "drop": rooms.PUT_DOWN,
        "toggle": rooms.UNLOCK + rooms.LOSE_BOX,
        "done": rooms.NO_EFFECT,
    },
    over="you have picked up the box",
    sees=rooms.SIGHT_DOORS,
)


class UnlockPickup(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(rooms.reset_by(layout, rooms.begin_errand), rooms.step_fetch, rooms.observe_fetch)
    player_page = PAGE
    kind = ("rooms",)
    verified = "`minigrid`, step by step"
    mission = "pick up the {}"
    places = {"target": (BOX,)}

    def __init__(
        self,
        room_size: Annotated[int, Between(4, 13)] = 6,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        self.lay_out(
            2 * room_size - 1,
            room_size,
            horizon or 8 * room_size**2,
            parts={"color": spaces.Discrete(6)},
        )


env, raw_env, parallel_env = pettingzoo_forms(UnlockPickup)
