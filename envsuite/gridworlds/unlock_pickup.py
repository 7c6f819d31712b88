"""UnlockPickup: unlock the door and pick up the box behind it.

**Rules.** Two rooms of `room_size` x `room_size` cells, walls included, side by side, with a locked door of a random
colour between them. The agent and a key of that colour are in the left one, a box of any colour in the right one. The
agent carries one object at a time, so it must put the key down before it can take the box. Toggling takes the box
away.

**Agents.** One, `agent`.

**Observation.** Dict of `image`, Box (7, 7, 3) uint8, and `direction`, Discrete (4), as DoorKey's, and `color`,
Discrete (6): the colour of what is to be picked up, as the mission names it (0 red, 1 green, 2 blue, 3 purple, 4
yellow, 5 grey).

**Actions.** Discrete (7), as DoorKey's: 0 `left`, 1 `right`, 2 `forward`, 3 `pickup`, 4 `drop`, 5 `toggle`, 6 `done`;
all of them always legal.

**Rewards.** 1 - 0.9 t / horizon for picking the box up with action number t; 0 otherwise.

**Ends.** Terminates when the box is picked up, and at goals and on lava, which only levels of the user's have;
truncated after `horizon` actions.

**Parameters.** `room_size` (6), from 4 to 13; `horizon` (None, which means 8 room_size^2), the actions until
truncation.

**Level.** As DoorKey's, with the box: ``{"grid", "agent", "direction", "target": [x, y]}``.

**Known values.** The generator has 11 cells of the box, those that are not beside the right room's middle, 4 rows of
the door, 16 cells of the key and 6 colours of each, equally likely, at `room_size` 6 (counted from MiniGrid's
`_gen_grid`).

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit. MiniGrid's
`room_size` is always 6. Of the mission, "pick up the blue box", the observation has the colour; the text has all of
it.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `UnlockPickupEnv` of minigrid 3.2.
"""

from typing import Annotated

from gymnasium import spaces

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.world import Between, Kernels
from envsuite.kit import builder, rooms
from envsuite.kit.grid import EAST
from envsuite.kit.rooms import BOX, KEY, LOCKED
from envsuite.registry import pettingzoo_forms


@large_kernel
def layout(s):
    """As `unlock`; the target is a box in the right room."""
    size = s.level.grid.shape[0]
    builder.room_grid(s, size)
    x, y = builder.add_object(s, builder.any_color(s) | BOX, size, 1, 0)
    color = builder.any_color(s)
    builder.add_door(s, LOCKED, color, size, 0, 0, EAST)
    builder.aim(s, x, y)
    builder.add_object(s, color | KEY, size, 0, 0)
    builder.place_agent_in_room(s, size, 0, 0)


@kernel
def reset(s):
    if not s.level_given:
        layout(s)
    rooms.begin_errand(s)


class UnlockPickup(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(reset, rooms.step_fetch, rooms.observe_fetch, rooms.legal)
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
