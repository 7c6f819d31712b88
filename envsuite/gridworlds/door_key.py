"""DoorKey: find the key, unlock the door, reach the goal, seeing only what lies ahead.

**Rules.** A square of `size` x `size` cells, walled in, is split by a wall with one locked yellow door. The agent and
a yellow key are in the left room, the goal is in the far corner of the right one. The agent turns, walks forward
onto free cells, open doors and the goal, and acts on the cell in front of it. It carries one object at a time; a locked
door opens to the key of its colour, which is kept. An open door can be closed again, and stays unlocked.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| image | Box (7, 7, 3) uint8 | `image[i, j]`: type, colour, state of the cell i - 3 to the right and 6 - j ahead |
| direction | Discrete (4) | 0 east, 1 south, 2 west, 3 north |

Types are 0 unseen, 1 empty, 2 wall, 3 floor, 4 door, 5 key, 6 ball, 7 box, 8 goal, 9 lava; colours 0 red, 1 green,
2 blue, 3 purple, 4 yellow, 5 grey; states, of doors, 0 open, 1 closed, 2 locked. Walls and shut doors hide what is
behind them: those cells are all zero. Where the agent stands, `image[3, 6]`, it sees what it carries.

**Actions.** Discrete (7), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `left` | turns left |
| 1 | `right` | turns right |
| 2 | `forward` | walks onto the cell in front |
| 3 | `pickup` | picks up the object in front, with empty hands |
| 4 | `drop` | puts what it carries onto the cell in front, if that is empty |
| 5 | `toggle` | opens, unlocks or closes the door in front; takes a box in front away |
| 6 | `done` | nothing |

**Rewards.** 1 - 0.9 t / horizon for reaching the goal with action number t; 0 otherwise.

**Ends.** Terminates at the goal, or on lava, which only levels of the user's have; truncated after `horizon` actions,
10 size^2 unless given.

**Parameters.** `size` (8), from 5 to 25; `horizon` (None, which means 10 size^2), the actions until truncation.

**Level.** ``{"grid": [[[2, 5, 0], ...], ...], "agent": [x, y], "direction": 0}``: the grid row by row, each cell as
type, colour, state (MiniGrid's `encode` has columns first); walls all around, the agent on an empty cell or floor.

**Known values.** The generator has 48 levels of size 5, equally likely: 3 cells and 4 directions of the agent, 2 rows
of the door, 2 cells of the key (counted from MiniGrid's `_gen_grid`).

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit. Random
levels have MiniGrid's distribution but another stream. The mission never changes, so it is in the text and not in the
observation. The space of images has the bounds of the codes, not 0 to 255. A box holds nothing.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `DoorKeyEnv` of minigrid 3.2.
"""

from typing import Annotated

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.core.world import Between, Kernels
from envsuite.kit import builder, rooms
from envsuite.kit.rooms import GOAL, GREEN, KEY, LOCKED, YELLOW
from envsuite.registry import pettingzoo_forms


@large_kernel
def layout(s):
    """Two rooms side by side: agent and key in the left one, a locked door between, the goal in the right one."""
    height, width = s.level.grid.shape
    builder.hall(s)
    s.level.grid[height - 2, width - 2] = GREEN | GOAL
    split = 2 + randint(s, width - 4)
    builder.wall(s, split, 0, 1, height)
    builder.place_agent(s, 1, 1, split - 1, height - 2)
    builder.door(s, LOCKED, YELLOW, split, 1 + randint(s, height - 3))
    builder.place(s, YELLOW | KEY, 1, 1, split - 1, height - 2)


@kernel
def reset(s):
    if not s.level_given:
        layout(s)
    rooms.begin(s)


class DoorKey(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(reset, rooms.step, rooms.observe, rooms.legal)
    verified = "`minigrid`, step by step"
    variants = (dict(size=5),)
    mission = "use the key to open the door and then get to the goal"

    def __init__(
        self,
        size: Annotated[int, Between(5, 25)] = 8,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        self.lay_out(size, size, horizon or 10 * size**2)


env, raw_env, parallel_env = pettingzoo_forms(DoorKey)
