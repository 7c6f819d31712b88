"""Empty: reach the goal in an empty hall, with a view through walls.

**Rules.** A square of `size` x `size` cells, with walls all around, is empty except for the goal in its far corner. The
agent starts in the opposite corner, facing east. With `random_start`, it starts in any cell, facing any direction.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| image | Box (7, 7, 3) uint8 | the cells in view, coded as in DoorKey |
| direction | Discrete (4) | 0 east, 1 south, 2 west, 3 north |

Nothing blocks the view: all cells of the view are seen. Cells beyond the level appear as walls.

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
| `size` | 8 | cells on a side, from 5 to 25 |
| `random_start` | False | whether the agent starts in a random cell, facing a random direction |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: 4 size^2 |

**Level.** As in DoorKey: ``{"grid", "agent", "direction"}``.

**Known values.** With the fixed start, a shortest solution has 2 (size - 3) steps and one turn: 11 actions with `size`
8. With a random start, there are 4 ((size - 2)^2 - 1) equally likely starts.

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit.

- Fixed starts other than the corner are levels.
- The mission never changes, so it is part of the text and not of the observation.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `EmptyEnv` of minigrid 3.2.
"""

from __future__ import annotations

from typing import Annotated

from envsuite.core.kernel import large_kernel
from envsuite.core.page import When
from envsuite.core.world import Between, Kernels
from envsuite.kit import builder, rooms
from envsuite.kit.grid import EAST
from envsuite.kit.rooms import GOAL, GREEN
from envsuite.registry import pettingzoo_forms


@large_kernel
def layout(s):
    """A hall with the goal in its far corner, and the agent in the opposite corner or anywhere."""
    height, width = s.level.grid.shape
    builder.hall(s)
    s.level.grid[height - 2, width - 2] = GREEN | GOAL
    if s.params.random_start:
        builder.place_agent(s, 1, 1, width - 2, height - 2)
    else:
        builder.put_agent(s, 1, 1, EAST)


#: Where the player starts.
START = When(
    "random_start",
    "You start in a random cell, facing a random direction.",
    "You start in the northwest corner, facing east.",
)

PAGE = rooms.page(
    role="You look for the goal in an empty hall.",
    success="Reaching the goal",
    rules=(
        (
            "The hall has {size} x {size} cells, walls included. The green goal is in its southeast corner.",
            START,
        ),
    ),
    acts={("pickup", "drop", "toggle", "done"): rooms.NO_EFFECT},
    over="you are at the goal",
    sees=rooms.SIGHT_THROUGH,
)


class Empty(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(rooms.reset_by(layout), rooms.step, rooms.observe_all)
    player_page = PAGE
    kind = ("rooms",)
    verified = "`minigrid`, step by step"
    variants = (dict(size=5, random_start=True),)
    mission = "get to the green goal square"
    see_through = True

    def __init__(
        self,
        size: Annotated[int, Between(5, 25)] = 8,
        random_start: bool = False,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        self.lay_out(size, size, horizon or 4 * size**2, params={"random_start": random_start})


env, raw_env, parallel_env = pettingzoo_forms(Empty)
