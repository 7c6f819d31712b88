"""KeyCorridor: find the key in the rooms off a corridor, then pick up the object behind the locked door.

**Rules.** Three columns of rooms of `room_size` x `room_size` cells, walls included; the middle column is a corridor
without walls between its rooms. One room to the right has a locked door to the corridor, and holds an object of type
`object`; a key of the door's colour is in a room to the left. Closed doors join the other rooms at random until all
can be reached. The agent starts in the middle of the corridor, facing anywhere but an object or a door right in front.
It carries one object at a time, so it must put the key down before it can take the object.

**Agents.** One, `agent`.

**Observation.** Dict of `image`, Box (7, 7, 3) uint8, and `direction`, Discrete (4), as DoorKey's, and `color`,
Discrete (6): the colour of what is to be picked up, as the mission names it (0 red, 1 green, 2 blue, 3 purple, 4
yellow, 5 grey).

**Actions.** Discrete (7), as DoorKey's: 0 `left`, 1 `right`, 2 `forward`, 3 `pickup`, 4 `drop`, 5 `toggle`, 6 `done`;
all of them always legal.

**Rewards.** 1 - 0.9 t / horizon for picking the object up with action number t; 0 otherwise.

**Ends.** Terminates when the object is picked up, and at goals and on lava, which only levels of the user's have;
truncated after `horizon` actions.

**Parameters.** `rows` (3) of rooms, from 1 to 6; `room_size` (6), from 3 to 9; `object` ("ball"), or "box" or "key";
`horizon` (None, which means 30 room_size^2), the actions until truncation. Levels are at most 31 cells high.

**Level.** As DoorKey's, with the object: ``{"grid", "agent", "direction", "target": [x, y]}``.

**Known values.** The locked room's row, the key's row and all colours are uniform and independent (from MiniGrid's
`_gen_grid`).

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit. Random
levels have MiniGrid's distribution but another stream. Of the mission, "pick up the blue ball", the observation has
the colour; the type is the same in all episodes, and the text has all of it.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `KeyCorridorEnv` of minigrid 3.2.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from gymnasium import spaces

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.world import Between, Kernels
from envsuite.generators.layouts import key_corridor
from envsuite.kit import rooms
from envsuite.registry import pettingzoo_forms


@kernel
def reset(s):
    if not s.level_given:
        key_corridor(s)
    rooms.begin_errand(s)


class KeyCorridor(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(reset, rooms.step_fetch, rooms.observe_fetch, rooms.legal)
    verified = "`minigrid`, step by step"
    variants = (dict(rows=2, room_size=3, object="box"),)
    mission = "pick up the {}"

    def __init__(
        self,
        rows: Annotated[int, Between(1, 6)] = 3,
        room_size: Annotated[int, Between(3, 9)] = 6,
        object: Literal["ball", "box", "key"] = "ball",
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        height = rows * (room_size - 1) + 1
        if height > 31:
            raise ParameterError(f"KeyCorridor: {rows} rows of {room_size} are {height} cells high; 31 is the most")
        kind = rooms.TYPES.index(object)
        self.places = {"target": (kind,)}
        self.lay_out(
            3 * room_size - 2,
            height,
            horizon or 30 * room_size**2,
            parts={"color": spaces.Discrete(6)},
            fields=[("target", np.int64)],
            params={"object": kind},
        )


env, raw_env, parallel_env = pettingzoo_forms(KeyCorridor)
