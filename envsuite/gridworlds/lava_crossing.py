"""LavaCrossing: cross rivers of lava, or walls, to reach the goal.

**Rules.** A square of `size` x `size` cells has walls all around. The agent starts in a corner, facing east; the goal
is in the opposite corner. `crossings` rivers of lava run from wall to wall along random even rows and columns. The
rivers have openings along one route to the goal. With `obstacle` "wall", the rivers are walls (MiniGrid's
SimpleCrossing).

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

**Ends.** Terminates at the goal or on lava; truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 9 | cells on a side, odd, from 5 to 25 |
| `crossings` | 1 | number of rivers, from 0 to 22; at most size - 3 of them fit |
| `obstacle` | "lava" | what rivers are made of: "lava" or "wall" |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: 4 size^2 |

**Level.** As in DoorKey: ``{"grid", "agent", "direction"}``.

**Known values.** With one crossing and `size` 9, there are 42 equally likely levels: 6 rivers with 7 openings each. The
shortest solution of each has 12 steps (counted from MiniGrid's `_gen_grid`).

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit.

- Random levels have MiniGrid's distribution but come from a different random stream.
- The mission never changes, so it is part of the text and not of the observation.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `CrossingEnv` of minigrid 3.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import large_kernel
from envsuite.core.page import Case, When
from envsuite.core.random import randint
from envsuite.core.ranges import limited
from envsuite.core.world import Between, Kernels
from envsuite.kit import builder, rooms
from envsuite.kit.grid import EAST
from envsuite.kit.rooms import EMPTY, GOAL, GREEN
from envsuite.registry import pettingzoo_forms

OBSTACLES = {"lava": rooms.RED | rooms.LAVA, "wall": rooms.GREY_WALL}


@large_kernel
def layout(s):
    """Rivers of lava, or walls, along even columns and rows, with openings along one route to the goal."""
    grid = s.level.grid
    height, width = grid.shape
    builder.hall(s)
    builder.put_agent(s, 1, 1, EAST)
    grid[height - 2, width - 2] = GREEN | GOAL
    code = s.params.obstacle
    # Choose the rivers such that all sets of `crossings` rivers are equally likely. Bits are positions.
    left = (width - 3) // 2 + (height - 3) // 2
    needed = min(s.params.crossings, left)
    upright, level = 0, 0
    ups, levels = 0, 0
    for x in range(2, width - 2, 2):
        if randint(s, left) < needed:
            needed -= 1
            upright |= 1 << x
            ups += 1
            builder.fill(s, code, x, 1, 1, height - 2)
        left -= 1
    for y in range(2, height - 2, 2):
        if randint(s, left) < needed:
            needed -= 1
            level |= 1 << y
            levels += 1
            builder.fill(s, code, 1, y, width - 2, 1)
        left -= 1
    # From area to area, in a random order of the rivers to cross; each river gets one random opening.
    x = y = 0
    while ups + levels:
        right, below = x + 1, y + 1
        while right < width - 1 and not upright >> right & 1:
            right += 1
        while below < height - 1 and not level >> below & 1:
            below += 1
        if randint(s, ups + levels) < ups:
            ups -= 1
            grid[y + 1 + randint(s, below - y - 1), right] = EMPTY
            x = right
        else:
            levels -= 1
            grid[below, x + 1 + randint(s, right - x - 1)] = EMPTY
            y = below


PAGE = rooms.page(
    role="You cross a hall to the goal.",
    success="Reaching the goal",
    rules=(
        (
            "The hall has {size} x {size} cells, walls included. You start in its northwest corner, facing east; the "
            "green goal is in the southeast corner.",
            When(
                "rivers",
                (
                    Case(
                        "obstacle",
                        {
                            "lava": "{rivers:river/rivers} of lava {run} through the hall from wall to wall,",
                            "wall": "{rivers:more wall} {run} through the hall from side to side,",
                        },
                    ),
                    "along {lines}.",
                    Case(
                        "rivers",
                        {1: "It has one opening, through which you can get to the goal."},
                        "Each has one opening, and through the openings you can get to the goal.",
                    ),
                ),
            ),
        ),
    ),
    acts={("pickup", "drop", "toggle", "done"): rooms.NO_EFFECT},
    over="you are at the goal{or_on_lava}",
)


class LavaCrossing(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(rooms.reset_by(layout), rooms.step, rooms.observe)
    player_page = PAGE
    kind = ("rooms",)
    verified = "`minigrid`, step by step"
    variants = (dict(crossings=3, obstacle="wall"),)

    def __init__(
        self,
        size: Annotated[int, Between(5, 25)] = 9,
        crossings: Annotated[int, Between(0, 22)] = 1,
        obstacle: Literal["lava", "wall"] = "lava",
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        if size % 2 == 0:
            raise ParameterError(f"LavaCrossing: size={size} must be odd, so that rivers are at even places")
        params = {"crossings": crossings, "obstacle": limited(OBSTACLES[obstacle], *OBSTACLES.values())}
        self.lay_out(size, size, horizon or 4 * size**2, params=params)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        rivers = min(int(s.params.crossings), len(s.level.grid) - 3)
        lava = s.params.obstacle == OBSTACLES["lava"] and rivers > 0
        told = {
            "rivers": rivers,
            "run": "runs" if rivers == 1 else "run",
            "lines": "a random row or column" if rivers == 1 else "random rows or columns",
        }
        return {**super().page_slots(s, agent), **told, "or_on_lava": " or on lava" if lava else ""}

    def contradiction(self, s: Any) -> str | None:
        return "obstacles are of no kind" if s.params.obstacle not in OBSTACLES.values() else super().contradiction(s)

    def mission_of(self, s: Any) -> str:
        lava = s.params.obstacle == OBSTACLES["lava"]
        return f"{'avoid the lava' if lava else 'find the opening'} and get to the green goal square"


env, raw_env, parallel_env = pettingzoo_forms(LavaCrossing)
