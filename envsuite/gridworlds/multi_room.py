"""MultiRoom: open door after door along a chain of rooms, to the goal in the last one.

**Rules.** Rooms of random sizes form a chain, each entered from the one before by a closed door; a door's colour is
not that of the door before. The agent is in the first room, facing anywhere, and the goal in the last. What is not in
a room is out of reach.

**Agents.** One, `agent`.

**Observation.** Dict of `image`, Box (7, 7, 3) uint8, and `direction`, Discrete (4), as DoorKey's.

**Actions.** Discrete (7), as DoorKey's: 0 `left`, 1 `right`, 2 `forward`, 3 `pickup`, 4 `drop`, 5 `toggle`, 6 `done`;
all of them always legal.

**Rewards.** 1 - 0.9 t / horizon for reaching the goal with action number t; 0 otherwise.

**Ends.** Terminates at the goal, or on lava, which only levels of the user's have; truncated after `horizon` actions.

**Parameters.** `min_rooms` (6) and `max_rooms` (6), from 1 to 10, between which the number of rooms is random;
`max_room_size` (10), from 4 to 15, the largest side of a room with its walls, the least being 4; `width` and `height`
(25) of the level, from 5 to 25; `horizon` (None, which means 20 max_rooms), the actions until truncation.

**Level.** As DoorKey's: ``{"grid", "agent", "direction"}``.

**Known values.** Rooms have sides from 4 to `max_room_size`; in a chain of six there are five doors.

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit. Random
levels have MiniGrid's distribution but another stream; where a chain of the wanted length is not found in a thousand
attempts, which MiniGrid would go on with for ever, it may be shorter. MiniGrid has no default for the numbers of
rooms; six are its N6. The mission never changes, so it is in the text and not in the observation.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `MultiRoomEnv` of minigrid 3.2.
"""

from __future__ import annotations

from typing import Annotated

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.world import Between, Kernels
from envsuite.generators.layouts import multi_room
from envsuite.kit import rooms
from envsuite.registry import pettingzoo_forms


@kernel
def reset(s):
    if not s.level_given:
        multi_room(s)
    rooms.begin(s)


class MultiRoom(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(reset, rooms.step, rooms.observe, rooms.legal)
    verified = "`minigrid`, step by step"
    variants = (dict(min_rooms=2, max_rooms=4, max_room_size=5),)
    mission = "traverse the rooms to get to the goal"

    def __init__(
        self,
        min_rooms: Annotated[int, Between(1, 10)] = 6,
        max_rooms: Annotated[int, Between(1, 10)] = 6,
        max_room_size: Annotated[int, Between(4, 15)] = 10,
        width: Annotated[int, Between(5, 25)] = 25,
        height: Annotated[int, Between(5, 25)] = 25,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        if max_rooms < min_rooms:
            raise ParameterError(f"MultiRoom: max_rooms={max_rooms} must be at least min_rooms={min_rooms}")
        sizes = {"min_rooms": min_rooms, "max_rooms": max_rooms, "max_room_size": max_room_size}
        self.lay_out(width, height, horizon or 20 * max_rooms, params=sizes)


env, raw_env, parallel_env = pettingzoo_forms(MultiRoom)
