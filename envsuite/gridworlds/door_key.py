"""DoorKey: find the key, unlock the door and reach the goal, with a view of only the cells ahead.

**Rules.** A square of `size` x `size` cells, with walls all around, is split by a wall that has one locked yellow door.
The agent and a yellow key are in the left room. The goal is in the far corner of the right room.

The agent turns, walks forward, and acts on the cell in front of it. It can walk onto free cells, open doors and the
goal. It carries one object at a time. A locked door opens if the agent carries the key of the door's color; the agent
keeps the key. An open door can be closed again, and it stays unlocked.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| image | Box (7, 7, 3) uint8 | `image[i, j]`: type, color, state of the cell i - 3 to the right and 6 - j ahead |
| direction | Discrete (4) | 0 east, 1 south, 2 west, 3 north |

The codes of the image:

| code | type | color | state of a door |
|---|---|---|---|
| 0 | unseen | red | open |
| 1 | empty | green | closed |
| 2 | wall | blue | locked |
| 3 | floor | purple | |
| 4 | door | yellow | |
| 5 | key | `grey` | |
| 6 | ball | | |
| 7 | box | | |
| 8 | goal | | |
| 9 | lava | | |

Walls, closed doors and locked doors hide what is behind them; hidden cells are all zero. At its own place,
`image[3, 6]`, the agent sees the object that it carries.

**Actions.** Discrete (7), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `left` | turns left |
| 1 | `right` | turns right |
| 2 | `forward` | walks onto the cell in front |
| 3 | `pickup` | picks up the object in front, if the agent carries nothing |
| 4 | `drop` | puts the carried object onto the cell in front, if that cell is empty |
| 5 | `toggle` | opens, unlocks or closes the door in front; removes a box in front |
| 6 | `done` | nothing |

**Window.** The arrow keys left and right turn the agent; up walks forward. Space toggles, p picks up, d drops, and
return is `done`.

**Rewards.** 1 - 0.9 t / horizon for reaching the goal with action number t; 0 otherwise.

**Ends.** Terminates at the goal or on lava; only levels given by the user have lava. Truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 8 | cells on a side, from 5 to 25 |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: 10 size^2 |

**Level.** ``{"grid": [[[2, 5, 0], ...], ...], "agent": [x, y], "direction": 0}``: the grid lists rows, and each cell is
its type, color and state. (MiniGrid's `encode` lists columns.) The level must have walls all around, and the agent must
be on an empty cell or on floor.

**Known values.** With `size` 5, the generator has 48 equally likely levels: 3 cells and 4 directions of the agent, 2
rows of the door, 2 cells of the key (counted from MiniGrid's `_gen_grid`).

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit.

- Random levels have MiniGrid's distribution but come from a different random stream.
- The mission never changes, so it is part of the text and not of the observation.
- The bounds of the image's space are those of the codes, not 0 to 255.
- A box holds nothing.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `DoorKeyEnv` of minigrid 3.2.
"""

from __future__ import annotations

from typing import Annotated

from envsuite.core.kernel import large_kernel
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


PAGE = rooms.page(
    role="You look for the goal in a hall that a wall splits into two rooms.",
    success="Reaching the goal",
    rules=(
        "The hall has {size} x {size} cells, walls included. The wall from north to south has a locked yellow door. "
        "You start in the room west of it, where a yellow key lies too. The green goal is in the southeast corner of "
        "the other room.",
        "You walk onto free cells, through open doors and onto the goal. You carry one object at a time.",
    ),
    acts={"pickup": rooms.PICK_UP, "drop": rooms.PUT_DOWN, "toggle": rooms.UNLOCK, "done": rooms.NO_EFFECT},
    over="you are at the goal",
    sees=rooms.SIGHT_DOORS,
    constants={"two": "rooms"},
)


class DoorKey(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(rooms.reset_by(layout), rooms.step, rooms.observe)
    player_page = PAGE
    kind = ("rooms",)
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
