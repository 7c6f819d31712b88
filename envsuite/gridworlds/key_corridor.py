"""KeyCorridor: find the key in the rooms off a corridor, then pick up the object behind the locked door.

**Rules.** Rooms of `room_size` x `room_size` cells, walls included, form three columns. The middle column is a
corridor, without walls between its rooms. One room to the right of it holds an object of type `object` and has a locked
door to the corridor. A key of the door's color is in a room to the left. Closed doors are added between the other rooms
at random until all rooms can be reached.

The agent starts in the middle of the corridor. It faces any direction in which no object or door is right in front of
it. It carries one object at a time, so it must put the key down before it can take the object.

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

**Rewards.** 1 - 0.9 t / horizon for picking the object up with action number t; 0 otherwise.

**Ends.** Terminates when the object is picked up, at a goal or on lava; only levels given by the user have goals and
lava. Truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rows` | 3 | rows of rooms, from 1 to 6 |
| `room_size` | 6 | cells on a side of a room, from 3 to 9; the level is at most 31 cells high |
| `object` | "ball" | type of the object: "ball", "box" or "key" |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: 30 room_size^2 |

**Level.** As in DoorKey, with the object's place: ``{"grid", "agent", "direction", "target": [x, y]}``.

**Known values.** The locked room's row, the key's row and all colors are uniform and independent (from MiniGrid's
`_gen_grid`).

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit.

- Random levels have MiniGrid's distribution but come from a different random stream.
- Of the mission, "pick up the blue ball", the observation has the color. The type is the same in all episodes. The text
  has the whole mission.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `KeyCorridorEnv` of minigrid 3.2.
"""

from __future__ import annotations

from typing import Annotated, Literal

from gymnasium import spaces

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import large_kernel
from envsuite.core.page import Case
from envsuite.core.random import randint
from envsuite.core.ranges import limited
from envsuite.core.world import Between, Kernels
from envsuite.kit import builder, rooms
from envsuite.kit.grid import NORTH, WEST
from envsuite.kit.rooms import BOX, KEY, LOCKED
from envsuite.registry import pettingzoo_forms


@large_kernel
def layout(s):
    """Rooms on both sides of a corridor: the target in a locked room to the right, the key in a room to the left."""
    height, width = s.level.grid.shape
    size = (width - 1) // 3 + 1
    rows = (height - 1) // (size - 1)
    builder.room_grid(s, size)
    for j in range(1, rows):
        builder.remove_wall(s, size, 1, j, NORTH)
    row, color = randint(s, rows), builder.any_color(s)
    builder.add_door(s, LOCKED, color, size, 2, row, WEST)
    x, y = builder.add_object(s, builder.any_color(s) | s.params.object, size, 2, row)
    builder.aim(s, x, y)
    builder.add_object(s, color | KEY, size, 0, randint(s, rows))
    builder.place_agent_in_room(s, size, 1, rows // 2)
    builder.connect_all(s, size, row * 3 + 2, -1)


PAGE = rooms.page(
    role="You fetch a {object} from behind a locked door.",
    success="Picking up the {object}",
    rules=(
        (
            "Rooms of {room_size} x {room_size} cells, walls included, lie in 3 columns and {rows:row}. The middle "
            "column is a corridor without walls inside; you start there. The {object} that you fetch is in a room to "
            "the east, behind a locked door to the corridor. The key of that door is in a room to the west. Some other "
            "rooms have closed doors between them, and all rooms can be reached."
        ),
        "You walk onto free cells and through open doors. You carry one object at a time.",
    ),
    acts={
        "pickup": rooms.PICK_UP,
        "drop": rooms.PUT_DOWN,
        "toggle": Case("object", {"box": rooms.UNLOCK + rooms.LOSE_BOX}, rooms.UNLOCK),
        "done": rooms.NO_EFFECT,
    },
    over="you have picked up the {object}",
    sees=rooms.SIGHT_DOORS,
    constants={"3": "columns of rooms"},
)


class KeyCorridor(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(rooms.reset_by(layout, rooms.begin_errand), rooms.step_fetch, rooms.observe_fetch)
    player_page = PAGE
    kind = ("rooms",)
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
            params={"object": limited(kind, KEY, BOX)},
        )


env, raw_env, parallel_env = pettingzoo_forms(KeyCorridor)
