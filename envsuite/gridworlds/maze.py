"""Maze: find the way to the goal, seeing the whole map or a part of it around the agent.

**Rules.** A grid of `height` x `width` cells, with walls all around, holds a maze (see the parameters), a start and a
goal. The agent begins at the start and moves to neighboring free cells. A move into a wall takes time but changes
nothing else.

**Agents.** One, `agent`.

**Observation.** Box (height, width) uint8 with the codes of the cells; north is up, and row 0 is the top row. If `view`
is not 0, Box (view, view) uint8 with the cells around the agent; cells outside the grid appear as walls.

| code | cell |
|---|---|
| 0 | wall |
| 1 | free |
| 2 | goal |
| 3 | the agent |

**Actions.** Discrete (4), all of them always legal.

| action | name |
|---|---|
| 0 | `east` |
| 1 | `south` |
| 2 | `west` |
| 3 | `north` |

**Window.** The arrow keys move the agent. A click on a cell beside the agent moves it there.

**Rewards.** 1 - decay t / horizon for reaching the goal with action number t; 0 otherwise.

**Ends.** Terminates at the goal; truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `height`, `width` | 15, 15 | cells of the grid, odd, from 5 to 101 |
| `algorithm` | "backtracker" | "backtracker" or another one of those below |
| `braid` | 0 | share of the dead ends that are opened, from 0 to 1; opened dead ends make loops |
| `ends` | "random" | places of start and goal: "random", "corners" or "farthest", see below |
| `view` | 0 | side of the agent's view, odd, from 3 to 25; 0: the whole map |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: height x width |
| `decay` | 0.9 | loss of reward over time, from 0 to 1 |

The algorithms are "backtracker", "prim", "kruskal", "wilson", "eller", "division", "mixed" and "procgen". "wilson"
makes all perfect mazes equally likely. "mixed" draws one of the first six for each maze. With `braid` 0, exactly one
path joins any two cells. "random" takes any two free cells as start and goal, "corners" takes corners, and "farthest"
takes the ends of a longest path.

"procgen" makes the levels of Procgen's game `maze`: mazes of random size in the middle of the grid, with walls around
them. The start is the bottom left corner of the maze, and the goal any other free cell, whatever `ends` says; `braid`
must be 0. Procgen's modes easy, hard and memory have grids of 17, 27 and 33 x 33 cells here, since walls are all
around.

**Level.** ``{"map": ["#####", "#S.G#", "#####"]}``: rows of walls `#`, free cells `.`, start and goal, with walls all
around. Levels that `envsuite.generators.generate` makes are accepted too, of the kinds "maze", "caves" and "obstacles"
in this size.

**Known values.** The best return is 1 - decay d / horizon, where d is the length of a shortest path. A perfect maze of
r x c maze cells has 2 r c - 1 free grid cells. There are 192 mazes of 3 x 3 cells, in a 7 x 7 grid (OEIS A007341). In
1,000 levels of Procgen, the shortest ways had 12.99 moves on average in the mode easy, at most 58, and 22.31 in hard,
at most 99.

**Differences.** No single game is followed.

- The reward is MiniGrid's.
- Moves are compass directions, as in Jumanji's Maze, which masks moves into walls and pays 1. In Procgen's, the goal
  pays 10, 500 steps are the most, and the 15 actions include `noop`.

**Source.** The algorithms: see `envsuite.generators.mazes`. Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS
2023, for the reward. Cobbe et al., "Leveraging Procedural Generation to Benchmark Reinforcement Learning", ICML 2020,
and openai/procgen, for "procgen".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.ranges import within
from envsuite.core.world import Between, Kernels, World
from envsuite.generators import grids
from envsuite.generators.mazes import Algorithm, make
from envsuite.generators.mazes import Maze as Mazes
from envsuite.kit.grid import DX, DY
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Rect, Scene, footer

WALL, FREE, GOAL, AGENT = range(4)


@kernel
def margin(s):
    """Cells of wall around the grid, so that views stay inside; 0 if the whole map is seen. A compile-time constant."""
    return (s.cells.shape[0] - s.level.grid.shape[0]) // 2


def fields(height: int, width: int, border: int) -> list[tuple]:
    """The record, besides the generator's."""
    cells = within(np.uint8, WALL, np.pad(np.full((height - 2, width - 2), AGENT), border + 1, constant_values=WALL))
    return [
        ("x", within(np.int64, border + 1, border + width - 2)),  # of the agent, in `cells`
        ("y", within(np.int64, border + 1, border + height - 2)),
        ("cells", cells, (height + 2 * border, width + 2 * border)),  # codes, walls around them
    ]


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    height, width = s.level.grid.shape
    border = margin(s)
    for y in range(s.cells.shape[0]):
        for x in range(s.cells.shape[1]):
            inside = border <= y < border + height and border <= x < border + width
            s.cells[y, x] = s.level.grid[y - border, x - border] if inside else WALL
    s.cells[border + s.level.goal // width, border + s.level.goal % width] = GOAL
    s.y, s.x = border + s.level.start // width, border + s.level.start % width
    s.cells[s.y, s.x] = AGENT


@kernel
def step(s, actions, rewards):
    direction = actions[0] & 3
    y, x = np.uint64(s.y + DY[direction]), np.uint64(s.x + DX[direction])  # unsigned: no negative indices
    entered = s.cells[y, x]
    if entered != WALL:
        s.cells[np.uint64(s.y), np.uint64(s.x)] = FREE
        s.cells[y, x] = AGENT
        s.y, s.x = y, x
    if entered == GOAL:
        rewards[0] = 1.0 - s.params.decay * s.t / s.params.horizon
        s.terminated[0] = 1
    if s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    border = margin(s)
    top, left = (s.y - border, s.x - border) if border > 0 else (np.int64(0), np.int64(0))
    for y in range(out.shape[0]):
        for x in range(out.shape[1]):
            out[np.uint64(y), np.uint64(x)] = s.cells[np.uint64(top + y), np.uint64(left + x)]


PAGE = Page(
    role="You walk through a maze and look for its goal.",
    goal=When(
        "decay",
        "Reaching the goal with move number t pays you 1 - {decay} x t / {horizon}.",
        "Reaching the goal pays you 1.",
    ),
    rules=(
        "The maze lies in a grid of {height} x {width} cells with walls all around; north is up. In each turn you move "
        "one cell. A move into a wall leaves you where you are, but it counts."
    ),
    sees=When(
        "view",
        (
            "You see only the {view} x {view} cells around you, walls or not. What lies outside of the grid looks like "
            "walls."
        ),
        "You see the whole maze.",
    ),
    acts={("east", "south", "west", "north"): "move one cell in this direction"},
    ends="It is over at the goal, or after {horizon:move}.",
    unsaid=dict.fromkeys(("algorithm", "braid", "ends"), "what the maze looks like is to be seen in it"),
    constants={"1": "the reward"},
)


class Maze(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    paid_at_end = True
    masked = False
    kind = ("puzzles", "arcade")
    verified = "exact distances; exact distributions of the algorithms; levels and games recorded from Procgen"
    variants = (dict(height=9, width=11, view=5, algorithm="mixed", braid=0.3),)
    keys = {"right": "east", "down": "south", "left": "west", "up": "north"}
    player_page = PAGE

    def __init__(
        self,
        height: Annotated[int, Between(5, 101)] = 15,
        width: Annotated[int, Between(5, 101)] = 15,
        algorithm: Algorithm = "backtracker",
        braid: Annotated[float, Between(0, 1)] = 0.0,
        ends: grids.Ends = "random",
        view: Annotated[int, Between(0, 25)] = 0,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
        decay: Annotated[float, Between(0, 1)] = 0.9,
    ):
        if view and (view < 3 or view % 2 == 0):
            raise ParameterError(f"Maze: view={view} must be 0 or an odd number from 3 to 25")
        mazes = Mazes(height, width, algorithm, braid, ends)
        border = view // 2
        self.information = "imperfect" if view else "perfect"
        self.define(
            agents=["agent"],
            actions=["east", "south", "west", "north"],
            observation=Box(0, AGENT, (view, view) if view else (height, width), np.uint8),
            fields=[*fields(height, width, border), *mazes.fields],
            params={**mazes.values, "horizon": horizon or height * width, "decay": float(decay)},
            reward_range=(0.0, 1.0),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"horizon": int(s.params.horizon)}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        grids.read_map(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": grids.write_map(s.level)}

    def contradiction(self, s: Any) -> str | None:
        if s.t > s.params.horizon:
            return "the last step is over"
        if s.cells[s.y, s.x] != AGENT or np.count_nonzero(s.cells == AGENT) != 1:
            return "the agent is not where the cells show it"
        if np.count_nonzero(s.cells == GOAL) != 1 - s.terminated[0]:
            return "the goal is there once until it is reached"
        return None

    def text(self, s: Any, agent: int) -> str:
        what = "What you see" if margin(s) else "The maze"
        lines = [f"{what} (you are @; # wall, . free, G goal; north is up):"]
        lines += ["  " + " ".join("#.G@"[code] for code in row) for row in self.observation(s, agent)]
        if s.terminated[0]:
            lines.append("You have reached the goal.")
        else:
            lines.append(f"{s.t} of {s.params.horizon} moves are used.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The maze with a shortest path to the goal; for the agent, only its view, without the path."""
        height, width = s.level.grid.shape
        border = margin(s)
        if border and agent is not None:
            return self._view(s, border)
        codes = s.cells[border : border + height, border : border + width]
        x, y = int(s.x) - border, int(s.y) - border
        goal_y, goal_x = divmod(int(s.level.goal), width)
        scene = Scene(width, height)
        scene.add(Rect(0, 0, width, height, "white"))
        if agent is None and not s.terminated[0]:
            rows = ["".join("#.GS"[code] for code in row) for row in codes]
            scene.add(*grids.way_shapes(grids.solve(rows)["way"] or (), "yellow@0.7"))
        start_y, start_x = divmod(int(s.level.start), width)
        scene.add(Circle(start_x + 0.5, start_y + 0.5, 0.26, None, "blue@0.5", 0.08, glyph=""))
        scene.add(*grids.goal_shapes(goal_x, goal_y))
        scene.add(*grids.wall_shapes((codes == WALL).tolist()))
        if border:
            hidden = np.ones((height, width), bool)
            hidden[max(0, y - border) : y + border + 1, max(0, x - border) : x + border + 1] = False
            scene.add(*grids.wall_shapes(hidden.tolist(), "shadow@0.35"))
        scene.add(Circle(x + 0.5, y + 0.5, 0.36, "blue", "white", 0.08, glyph="@"))
        footer(scene, f"{s.t} / {s.params.horizon}")
        return scene

    def _view(self, s: Any, border: int) -> Scene:
        """The agent's view with itself in the middle: it does not know its place in the maze."""
        view, side = self.observation(s, 0), 2 * border + 1
        scene = Scene(side, side)
        scene.add(Rect(0, 0, side, side, "white"), *grids.wall_shapes((view == WALL).tolist()))
        for y, x in np.argwhere(view == GOAL).tolist():
            scene.add(*grids.goal_shapes(x, y))
        scene.add(Circle(side / 2, side / 2, 0.36, "blue", "white", 0.08, glyph="@"))
        footer(scene, f"{s.t} / {s.params.horizon}")
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        border = margin(s)
        own_x, own_y = (border, border) if border else (s.x, s.y)
        across, down = int(x // 1) - own_x, int(y // 1) - own_y
        steps = list(zip(DX.tolist(), DY.tolist()))
        return steps.index((across, down)) if (across, down) in steps else None


env, raw_env, parallel_env = pettingzoo_forms(Maze)
