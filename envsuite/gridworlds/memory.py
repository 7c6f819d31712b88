"""Memory: remember the object in the first room, and go to the same kind of object at the end of the hallway.

**Rules.** A small room holds a green key or a green ball. A hallway leads east from the room to a crossing. At the
crossing, a key is on one side and a ball on the other, in a random order. The agent starts in a random cell of the
room's middle row or of the hallway, facing east.

The agent succeeds in the cell in front of the object that matches the one in the room. It fails in the cell in front of
the other object. The hallway ends near the east wall; with `random_length`, it ends anywhere. Nothing can be picked up:
`pickup` toggles.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| image | Box (7, 7, 3) uint8 | the cells in view, coded as in DoorKey |
| direction | Discrete (4) | 0 east, 1 south, 2 west, 3 north |

**Actions.** Discrete (7), all of them always legal, with the same effects as in DoorKey except for `pickup`, which does
what `toggle` does.

| action | name |
|---|---|
| 0, 1, 2 | `left`, `right`, `forward` |
| 3, 4, 5 | `pickup`, `drop`, `toggle` |
| 6 | `done` |

**Window.** The arrow keys left and right turn the agent; up walks forward. Space and p toggle, d drops, and return is
`done`.

**Rewards.** 1 - 0.9 t / horizon for success with action number t; 0 otherwise.

**Ends.** Terminates at success, at failure, at a goal or on lava; only levels given by the user have goals and lava.
Truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 9 | cells on a side, odd, from 7 to 25 |
| `random_length` | False | whether the length of the hallway is random |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: 5 size^2 |

**Level.** As in DoorKey, with the two cells that end the episode: ``{"grid", "agent", "direction", "success": [x, y],
"failure": [x, y]}``.

**Known values.** Without `random_length`, the generator has 4 (size - 3) equally likely levels: 2 objects, 2 orders and
size - 3 cells of the agent (counted from MiniGrid's `_gen_grid`). An agent that never looks into the room succeeds with
probability 1/2.

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit.

- MiniGrid's default size of 8 does not work in MiniGrid.
- The mission never changes, so it is part of the text and not of the observation.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `MemoryEnv` of minigrid 3.2.
"""

from __future__ import annotations

from typing import Annotated

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import When
from envsuite.core.random import randint
from envsuite.core.world import Between, Kernels
from envsuite.kit import builder, rooms
from envsuite.kit.grid import EAST
from envsuite.kit.rooms import BALL, EMPTY, FLOOR, GREEN, KEY, PICKUP, TOGGLE
from envsuite.registry import pettingzoo_forms


@large_kernel
def layout(s):
    """A room with an object, a hallway, and at its end a matching object on one side and another on the other side."""
    grid = s.level.grid
    height, width = grid.shape
    middle = height // 2
    end = 4 + randint(s, width - 6) if s.params.random_length else width - 3
    builder.hall(s)
    for y in (middle - 2, middle + 2):
        builder.wall(s, 1, y, 4, 1)
    for y in (middle - 1, middle + 1):
        builder.wall(s, 4, y, end - 4, 1)
    builder.wall(s, end, 0, 1, height)
    grid[middle, end] = EMPTY
    builder.wall(s, end + 2, 0, 1, height)
    builder.put_agent(s, 1 + randint(s, end), middle, EAST)
    shown, upper = KEY + randint(s, 2), KEY + randint(s, 2)
    grid[middle - 1, 1] = GREEN | shown
    grid[middle - 2, end + 1] = GREEN | upper
    grid[middle + 2, end + 1] = GREEN | (KEY + BALL - upper)
    side = 1 if upper == shown else -1
    s.level.success[0] = end + 1
    s.level.success[1] = middle - side
    s.level.failure[0] = end + 1
    s.level.failure[1] = middle + side


@kernel
def step(s, actions, rewards):
    rooms.take_turn(s, TOGGLE if actions[0] == PICKUP else actions[0], rewards)
    if s.agent == rooms.cell_of(s, s.level.success):
        rooms.succeed(s, rewards)
    if s.agent == rooms.cell_of(s, s.level.failure):
        rewards[0] = 0.0
        s.terminated[0] = 1


PAGE = rooms.page(
    role="You remember an object and go to another one of its kind.",
    success="Choosing the right object",
    rules=(
        (
            "In a hall of {size} x {size} cells, walls included, there is a small room in the west with a green key or "
            "a green ball. A hallway leads from it to the east, up to a crossing.",
            When("random_length", "The hallway has a random length.", "The crossing is near the east wall."),
            "At the north end of the crossing there is a key and at the south end a ball, or the other way round, at "
            "random. You start in the room or in the hallway, facing east.",
        ),
        "As soon as you are in the cell right before one of the two objects at the crossing, you have chosen it, and "
        "it is over. The right one is of the same kind as the object in the room.",
    ),
    acts={("pickup", "drop", "toggle", "done"): rooms.NO_EFFECT},
    over="you have chosen an object",
    constants={"two": "objects"},
)


class Memory(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(rooms.reset_by(layout), step, rooms.observe)
    player_page = PAGE
    kind = ("rooms", "memory")
    verified = "`minigrid`, step by step"
    variants = (dict(size=13, random_length=True),)
    mission = "go to the matching object at the end of the hallway"
    places = {"success": (EMPTY, FLOOR), "failure": (EMPTY, FLOOR)}

    def __init__(
        self,
        size: Annotated[int, Between(7, 25)] = 9,
        random_length: bool = False,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        if size % 2 == 0:
            raise ParameterError(f"Memory: size={size} must be odd, so that the hallway is in the middle")
        self.lay_out(size, size, horizon or 5 * size**2, params={"random_length": random_length})


env, raw_env, parallel_env = pettingzoo_forms(Memory)
