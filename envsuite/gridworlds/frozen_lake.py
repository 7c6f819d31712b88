"""FrozenLake: cross the slippery ice to the goal without falling into a hole.

**Rules.** The agent moves over a lake of frozen cells and holes. On slippery ice, it moves in the chosen direction with
probability `success_rate`. Otherwise it moves to one of the two sides of that direction, each with equal probability.
At the edge of the lake, it stays where it is.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| position | Discrete (rows x columns) | row x columns + column |
| map | Box (rows, columns) uint8 | 0 hole, 1 frozen, 2 start, 3 goal |

**Actions.** Discrete (4), all of them always legal.

| action | name |
|---|---|
| 0 | `left` |
| 1 | `down` |
| 2 | `right` |
| 3 | `up` |

**Window.** The arrow keys move the agent. A click on a cell beside the agent moves it towards that cell.

**Rewards.** The value in `reward_schedule` of the cell that the agent is on after its move.

**Ends.** Terminates in a hole and at the goal; truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `map` | "4x4" | "4x4", "8x8", or "random": a new lake in every episode |
| `size` | None | cells on a side of a random lake, from 2 to 32; None: 8 |
| `frozen` | None | probability of ice in a random lake, from 0 to 1; None: 0.8 |
| `is_slippery` | True | whether the ice is slippery |
| `success_rate` | 1/3 | probability of moving in the chosen direction on slippery ice, from 0 to 1 |
| `reward_schedule` | (1, 0, 0) | rewards on the goal, in a hole and on a frozen cell, from -1,000,000 to 1,000,000 |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: 100 for "4x4", otherwise 200 |

**Level.** ``{"map": ["SFFF", "FHFH", "FFFH", "HFFG"]}``: frozen cells `F`, holes `H`, starts `S` and goals `G`, as in
Gymnasium's `desc`. One of the starts is drawn.

**Known values.** The best probability of reaching the goal from the start, and that of uniformly random play (dynamic
programming over Gymnasium's transition table):

| map | moves | best | random play |
|---|---|---|---|
| "4x4" | 100 | 0.744190 | 0.013940 |
| "8x8" | 200 | 0.913220 | 0.001901 |
| "4x4" | no limit | 14/17 = 0.823529 | |
| "8x8" | no limit | 1 | |

**Differences.** None from Gymnasium's `FrozenLake-v1` (and `FrozenLake8x8-v1`) in probabilities, rewards, ends and
limits.

- The map is a part of the observation.
- Random lakes have the distribution of Gymnasium's `generate_random_map`. If 1,000 lakes in a row have no path from the
  start to the goal, a random shortest path is frozen over in the last one.

**Source.** Gymnasium 1.4, `FrozenLakeEnv`; the game is that of OpenAI Gym, 2016.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.arrays import copy, fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page, When
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, limited
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Line, Polygon, Rect, Scene, Shape, footer

HOLE, FROZEN, START, GOAL = range(4)
LETTERS = "HFSG"

#: The standard lakes.
MAPS = {
    "4x4": ("SFFF", "FHFH", "FFFH", "HFFG"),
    "8x8": ("SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG"),
}

LEFT, DOWN, RIGHT, UP = range(4)

#: The most random lakes that are drawn until one has a path.
_TRIES = 1000


@large_kernel
def passable(s):
    """Whether a path over the ice leads from the top left corner to the bottom right corner."""
    rows, columns = s.level.shape
    for y in range(rows):
        s.ice[y] = 0
        for x in range(columns):
            s.ice[y] |= np.int64(s.level[y, x] != HOLE) << x
        s.reached[y] = 0
    s.reached[0] = 1
    grown = True
    while grown:
        grown = False
        for y in range(rows):
            row = s.reached[y]
            if y > 0:
                row |= s.reached[y - 1]
            if y < rows - 1:
                row |= s.reached[y + 1]
            row &= s.ice[y]
            wider = (row | row << 1 | row >> 1) & s.ice[y]
            while wider != row:
                row = wider
                wider = (row | row << 1 | row >> 1) & s.ice[y]
            if row != s.reached[y]:
                s.reached[y] = row
                grown = True
    return s.reached[rows - 1] >> (columns - 1) & 1 != 0


@large_kernel
def freeze(s):
    """A random lake that can be crossed, with start and goal in opposite corners."""
    rows, columns = s.level.shape
    found = False
    for _ in range(_TRIES):
        if not found:
            for y in range(rows):
                for x in range(columns):
                    s.level[y, x] = FROZEN if bernoulli(s, s.params.frozen) else HOLE
            s.level[0, 0] = START
            s.level[rows - 1, columns - 1] = GOAL
            found = passable(s)
    if not found:
        y, x = 0, 0
        while y < rows - 1 or x < columns - 1:
            if y + x > 0:
                s.level[y, x] = FROZEN
            if randint(s, rows - 1 - y + columns - 1 - x) < rows - 1 - y:
                y += 1
            else:
                x += 1
    fill(s.ice, 0)
    fill(s.reached, 0)


def fields(rows: int, columns: int) -> list[tuple]:
    """The record."""
    return [
        ("position", below(np.int64, rows * columns)),  # row * columns + column
        ("level", below(np.uint8, len(LETTERS)), (rows, columns)),  # HOLE, FROZEN, START or GOAL
        (
            "ice",
            below(np.int64, 1),
            (rows,),
        ),  # this and the next while a random lake is looked at: a bit for each cell of a row
        ("reached", below(np.int64, 1), (rows,)),
    ]


@kernel
def reset(s):
    if not s.level_given and s.params.random:
        freeze(s)
    elif not s.level_given:
        copy(s.level, s.params.lake)
    starts = 0
    for k in range(s.level.size):
        starts += s.level.flat[k] == START
    left = randint(s, starts) if starts > 1 else 0
    s.position = 0
    for k in range(s.level.size):
        if s.level.flat[k] == START:
            if left == 0:
                s.position = k
            left -= 1


@kernel
def step(s, actions, rewards):
    direction = actions[0]
    if s.params.success_rate < 1.0 and not bernoulli(s, s.params.success_rate):
        direction += 1 + 2 * randint(s, 2)
    direction &= 3
    rows, columns = s.level.shape
    y, x = s.position // columns, s.position % columns
    if direction == LEFT:
        x = max(x - 1, 0)
    elif direction == DOWN:
        y = min(y + 1, rows - 1)
    elif direction == RIGHT:
        x = min(x + 1, columns - 1)
    else:
        y = max(y - 1, 0)
    s.position = y * columns + x
    cell = s.level[np.uint64(y), np.uint64(x)]
    rewards[0] = s.params.reward_schedule[0 if cell == GOAL else 1 if cell == HOLE else 2]
    if cell == GOAL or cell == HOLE:
        s.terminated[0] = 1
    if s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    out.position = s.position
    for k in range(s.level.size):
        out.map.flat[k] = s.level.flat[k]


def codes(rows: Sequence[str]) -> np.ndarray:
    """The codes of a lake's letters."""
    return np.array([[LETTERS.index(letter) for letter in row] for row in rows], np.uint8)


PAGE = Page(
    role="You cross a frozen lake on foot, from a start to a goal.",
    goal=(
        "A move that ends on the goal pays you {reward_goal}, one into a hole {reward_hole}, and one on ice "
        "{reward_ice}."
    ),
    rules=(
        (
            "The lake has {rows:row} and {columns:column} of cells, which are ice or holes. Row 1 is at the top, "
            "column 1 on the left. You begin on a start, which is ice too."
        ),
        (
            When(
                "slippery",
                (
                    "The ice is slippery. You move in the direction that you choose with a chance of {ahead}, and "
                    "in each of the directions to its left and right with a chance of {aside}."
                ),
                "You always move in the direction that you choose.",
            ),
            "A move over the edge of the lake leaves you where you are.",
        ),
    ),
    sees="You see the whole lake.",
    acts={("left", "down", "right", "up"): "move one cell in this direction"},
    ends="It is over in a hole, on the goal, or after {horizon:move}.",
    unsaid={"map": "every turn shows the lake", "frozen": "every turn shows the lake"},
    constants={"1": "the first row and column"},
)


class FrozenLake(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    information = "perfect"
    masked = False
    kind = ("puzzles",)
    verified = "Gymnasium's transition table; exact values"
    variants = (dict(map="random", size=9),)
    keys = {"left": "left", "down": "down", "right": "right", "up": "up"}
    level_fields = {"map": ("level", LETTERS)}
    player_page = PAGE

    def __init__(
        self,
        map: Literal["4x4", "8x8", "random"] = "4x4",
        size: Annotated[int | None, Between(2, 32)] = None,
        frozen: Annotated[float | None, Between(0, 1)] = None,
        is_slippery: bool = True,
        success_rate: Annotated[float, Between(0, 1)] = 1.0 / 3.0,
        reward_schedule: Sequence[Annotated[float, Between(-1_000_000, 1_000_000)]] = (1.0, 0.0, 0.0),
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        random = map == "random"
        if not random and (size is not None or frozen is not None):
            raise ParameterError(f'FrozenLake: size and frozen are those of map="random"; this map is {map!r}')
        if len(reward_schedule) != 3:
            raise ParameterError(
                f"FrozenLake: reward_schedule={reward_schedule!r} must be three numbers, for goal, hole and frozen"
            )
        lake = np.zeros((size or 8, size or 8), np.uint8) if random else codes(MAPS[map])
        self.chance = random or (is_slippery and success_rate < 1)
        self.define(
            agents=["agent"],
            actions=["left", "down", "right", "up"],
            observation=Dict({"position": Discrete(lake.size), "map": Box(HOLE, GOAL, lake.shape, np.uint8)}),
            fields=fields(*lake.shape),
            params={
                "random": random,
                "lake": limited(lake.astype(np.int64), HOLE, GOAL),
                "frozen": 0.8 if frozen is None else float(frozen),
                "success_rate": float(success_rate) if is_slippery else 1.0,
                "reward_schedule": reward_schedule,
                "horizon": horizon or (100 if map == "4x4" else 200),
            },
            reward_range=(float(min(reward_schedule)), float(max(reward_schedule))),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        goal, hole, ice = s.params.reward_schedule.tolist()
        rows, columns = s.level.shape
        ahead = float(s.params.success_rate)
        return {
            "reward_goal": goal,
            "reward_hole": hole,
            "reward_ice": ice,
            "rows": rows,
            "columns": columns,
            "slippery": ahead < 1,
            "ahead": f"{100 * ahead:.3g}%",
            "aside": f"{50 * (1 - ahead):.3g}%",
            "horizon": int(s.params.horizon),
        }

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        for letter, what in (("S", "start"), ("G", "goal")):
            if letter not in "".join(level["map"]):
                raise LevelError(f"{self.id}: the level's map has no {what} {letter!r}")

    def text(self, s: Any, agent: int) -> str:
        rows, columns = s.level.shape
        y, x = divmod(int(s.position), columns)
        lines = ["The lake (S start, F frozen, H hole, G goal; you are in brackets):"]
        for j, row in enumerate(self.get_level(s)["map"]):
            lines.append("".join(f"[{c}]" if (i, j) == (x, y) else f" {c} " for i, c in enumerate(row)))
        cell = s.level[y, x]
        if cell == GOAL:
            lines.append("You have reached the goal.")
        elif cell == HOLE:
            lines.append("You have fallen into a hole.")
        else:
            lines.append(f"You are at row {y + 1}, column {x + 1}; {s.t} of {s.params.horizon} moves are used.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        rows, columns = s.level.shape
        scene = Scene(columns + 0.5, rows + 0.5)
        scene.add(Rect(0, 0, columns + 0.5, rows + 0.5, "deep", radius=0.25))
        for y in range(rows):
            for x in range(columns):
                scene.add(*_cell(int(s.level[y, x]), x + 0.25, y + 0.25))
        y, x = divmod(int(s.position), columns)
        fell = s.level[y, x] == HOLE
        across, down = x + 0.75, y + 0.75
        scene.add(Circle(across, down, 0.22 if fell else 0.29, "orange@0.45" if fell else "orange", "white", 0.06, "@"))
        footer(scene, f"{s.t} / {s.params.horizon}")
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        row, column = divmod(int(s.position), s.level.shape[1])
        steps = [(-1, 0), (0, 1), (1, 0), (0, -1)]
        step = (int((x - 0.25) // 1) - column, int((y - 0.25) // 1) - row)
        return steps.index(step) if step in steps else None


def _cell(code: int, x: float, y: float) -> list[Shape]:
    """One cell of the lake; (x, y) is its top left corner."""
    if code == HOLE:
        return [
            Rect(x + 0.03, y + 0.03, 0.94, 0.94, "water", radius=0.1, glyph="H"),
            Circle(x + 0.5, y + 0.5, 0.36, "deep", "white@0.55", 0.05, glyph=""),
            Circle(x + 0.5, y + 0.54, 0.28, "shadow@0.45", glyph=""),
        ]
    shapes: list[Shape] = [Rect(x + 0.03, y + 0.03, 0.94, 0.94, "white", radius=0.1)]
    shapes.append(Rect(x + 0.03, y + 0.03, 0.94, 0.94, "sky@0.16", radius=0.1))
    if code == FROZEN:
        shapes += [
            Line([(x + 0.2, y + 0.42), (x + 0.42, y + 0.2)], "sky@0.4", 0.045),
            Line([(x + 0.58, y + 0.8), (x + 0.8, y + 0.58)], "sky@0.4", 0.045),
        ]
    elif code == START:
        shapes.append(Circle(x + 0.5, y + 0.5, 0.36, None, "orange@0.6", 0.06, glyph="S"))
    else:
        shapes += [
            Rect(x + 0.03, y + 0.03, 0.94, 0.94, "green", radius=0.1, glyph="G"),
            Line([(x + 0.36, y + 0.2), (x + 0.36, y + 0.8)], "white", 0.08),
            Polygon([(x + 0.38, y + 0.2), (x + 0.78, y + 0.36), (x + 0.38, y + 0.53)], "white"),
        ]
    return shapes


env, raw_env, parallel_env = pettingzoo_forms(FrozenLake)
