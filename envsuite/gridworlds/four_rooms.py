"""FourRooms: find the goal in one of four rooms that are joined by gaps in their walls.

**Rules.** A square of `size` x `size` cells, with walls all around, is split into four rooms by two walls. Each half of
these walls has one gap. The agent and the goal are in random cells, gaps included. The agent turns and walks forward.

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

**Rewards.** 1 - 0.9 t / horizon for reaching the goal with action number t; 0 otherwise.

**Ends.** Terminates at the goal or on lava; only levels given by the user have lava. Truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 19 | cells on a side, odd, from 5 to 25 |
| `horizon` | 100 | actions until truncation, from 1 to 1,000,000 |

**Level.** As in DoorKey: ``{"grid", "agent", "direction"}``.

**Known values.** With `size` 19, there are 8^4 equally likely places of the gaps. The agent and the goal can be in 260
cells: 16 x 16 in the rooms and the four gaps (counted from MiniGrid's `_gen_grid`).

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit.

- MiniGrid's size is always 19.
- MiniGrid's fixed places of the agent and the goal are levels.
- The mission never changes, so it is part of the text and not of the observation.

**Source.** Sutton, Precup and Singh, "Between MDPs and semi-MDPs", Artificial Intelligence 112 (1999);
Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `FourRoomsEnv` of minigrid 3.2.
"""

from __future__ import annotations

from typing import Annotated

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import large_kernel
from envsuite.core.random import randint
from envsuite.core.world import Between, Kernels
from envsuite.kit import builder, rooms
from envsuite.kit.rooms import EMPTY, GOAL, GREEN
from envsuite.registry import pettingzoo_forms


@large_kernel
def layout(s):
    """Four rooms with a gap in each wall between two rooms; the agent and the goal are anywhere. Sizes are odd."""
    height, width = s.level.grid.shape
    middle, center = width // 2, height // 2
    builder.hall(s)
    builder.wall(s, middle, 0, 1, height)
    builder.wall(s, 0, center, width, 1)
    for k in range(2):
        s.level.grid[k * center + 1 + randint(s, center - 1), middle] = EMPTY
        s.level.grid[center, k * middle + 1 + randint(s, middle - 1)] = EMPTY
    builder.place_agent(s, 0, 0, width, height)
    builder.place(s, GREEN | GOAL, 0, 0, width, height)


PAGE = rooms.page(
    role="You look for the goal in one of four rooms.",
    success="Reaching the goal",
    rules=(
        "The rooms lie in a square of {size} x {size} cells, walls included, that two walls through its middle split "
        "into four. There is a gap in the wall between any two rooms that lie next to each other. You and the green "
        "goal are in random cells.",
    ),
    acts={("pickup", "drop", "toggle", "done"): rooms.NO_EFFECT},
    over="you are at the goal",
    constants={"two": "walls", "four": "rooms"},
)


class FourRooms(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(rooms.reset_by(layout), rooms.step, rooms.observe)
    player_page = PAGE
    kind = ("rooms",)
    verified = "`minigrid`, step by step"
    variants = (dict(size=9),)
    mission = "reach the goal"

    def __init__(
        self,
        size: Annotated[int, Between(5, 25)] = 19,
        horizon: Annotated[int, Between(1, 1_000_000)] = 100,
    ):
        if size % 2 == 0:
            raise ParameterError(f"FourRooms: size={size} must be odd, so that the four rooms have one size")
        self.lay_out(size, size, horizon)


env, raw_env, parallel_env = pettingzoo_forms(FourRooms)
