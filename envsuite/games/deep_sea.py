"""DeepSea: a diver finds the treasure only by going right in every row, which costs a little each time.

**Rules.** The diver starts in the top left cell of `size` x `size` cells and goes down one row in each step, one column
to the left or to the right; at the sides it stays in its column. In each cell a secret bit says which of the two
actions goes right. The bits are those of `mapping`, the same in all episodes. If `stochastic`, going right fails with
probability 1 / `size`: the diver then stays in its column.

**Agents.** One, `agent`.

**Observation.** Box (size, size) uint8, row 0 at the top.

| value | content |
|---|---|
| 1 | the diver is in the cell; it is in none after the last row |
| 0 | all other cells |

**Actions.** Discrete (2), both always legal.

| action | name |
|---|---|
| 0, 1 | `zero`, `one` |

**Window.** The arrow keys left and right stand for `zero` and `one`.

**Rewards.** 1 for going right in the last column, less `move_cost` / `size` for each time of going right, also one that
fails. If `stochastic`, a normal number is added in the first and the last column of the last row.

**Ends.** Terminates after `size` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 10 | rows and columns, from 2 to 100 |
| `stochastic` | False | whether going right can fail, and rewards are noisy |
| `move_cost` | 0.01 | the cost of going right in all rows, from 0 to 1 |
| `mapping` | 0 | number of the secret bits, from 0 to 1,000,000 |

**Known values.** Not stochastic: the best return is 1 - `move_cost`. Uniformly random play reaches the treasure with
probability 2^-size and pays `move_cost` / 2 on average.

**Differences.** From bsuite's `DeepSea`:

- The bits of a mapping are others than those of bsuite's mapping of the same seed. A bit is the lowest one of a mixed
  number of mapping and cell, so that a baseline can compute it.
- Observations are bytes.

**Source.** Osband et al., "Behaviour Suite for Reinforcement Learning", 2020; bsuite 0.3.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.random import bernoulli, mix, normal
from envsuite.core.ranges import within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Rect, Scene, footer

#: The largest size, which is also the stride of cells in `goes_right`.
MOST = 100


def fields(size: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("row", within(np.int64, 0, size)),  # `size` after the last step
        ("column", within(np.int64, 0, size - 1)),
    ]


@kernel
def goes_right(mapping, row, column):
    """The action that goes right in a cell."""
    return np.int64(mix(np.uint64(mapping * MOST * MOST + row * MOST + column)) & np.uint64(1))


@kernel
def reset(s):
    s.row = 0
    s.column = 0


@kernel
def step(s, actions, rewards):
    size = s.params.size
    right = actions[0] == goes_right(s.params.mapping, s.row, s.column)
    if right and s.column == size - 1:
        rewards[0] += 1.0
    if s.params.stochastic and s.row == size - 1 and (s.column == 0 or s.column == size - 1):
        rewards[0] += normal(s)
    if right:
        rewards[0] -= s.params.move_cost / size
        if not s.params.stochastic or not bernoulli(s, 1.0 / size):
            s.column = min(s.column + 1, size - 1)
    else:
        s.column = max(s.column - 1, 0)
    s.row += 1
    s.terminated[0] = s.row >= size


@kernel
def observe(s, agent, out):
    fill(out, 0)
    if s.row < s.params.size:
        out[s.row, s.column] = 1


PAGE = Page(
    role="You are a diver in a sea of {size} x {size} cells, and dive from its top to its bottom.",
    goal=(
        "The treasure is worth 1. You get it if you go right in the last column of the last row.",
        When(
            "move_cost",
            "Going right costs you {cost:.3g} each time{fails}.",
        ),
        When(
            "stochastic",
            "In the first and in the last column of the last row, a random number is added to what you "
            "get, with a mean of 0 and a standard deviation of 1.",
        ),
    ),
    rules=(
        (
            "You start in the leftmost column of the top row. Each turn takes you down by one row, and one column to "
            "the left or to the right; at the sides you stay in your column. In each cell, one of your two actions "
            "goes right and the other one goes left. Which is which differs from cell to cell, and you are not told.",
            When(
                "stochastic",
                "Going right fails with a probability of {fail:.3g}: you then stay in your column, but still get the "
                "treasure if it is there.",
            ),
        ),
    ),
    sees="You see the row and the column that you are in, both counted from 0.",
    acts={("zero", "one"): "go left or right, as this cell has it"},
    ends="The dive is over after {size} turns.",
    unsaid={"mapping": "which action goes right is what must be found out"},
    constants={
        "0": "the first row and column, and the mean of the noise",
        "1": "the treasure, and the deviation of the noise",
        "two": "actions",
    },
)


class DeepSea(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    information = "perfect"
    masked = False
    kind = ("memory",)
    verified = "bsuite step by step; closed forms"
    variants = (dict(size=5, stochastic=True, mapping=3),)
    clickable = "(?!)"
    keys = {"left": "zero", "right": "one"}
    player_page = PAGE

    def __init__(
        self,
        size: Annotated[int, Between(2, MOST)] = 10,
        stochastic: bool = False,
        move_cost: Annotated[float, Between(0, 1)] = 0.01,
        mapping: Annotated[int, Between(0, 1_000_000)] = 0,
    ):
        self.chance = stochastic
        self.define(
            agents=["agent"],
            actions=["zero", "one"],
            observation=Box(0, 1, (size, size), np.uint8),
            fields=fields(size),
            params={"size": size, "stochastic": stochastic, "move_cost": float(move_cost), "mapping": mapping},
            reward_range=(-11.0, 11.0) if stochastic else (-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        return "the diver is below the last row" if s.row >= s.params.size and not s.terminated[0] else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        fails = ", even if it fails" if s.params.stochastic else ""
        return {"cost": s.params.move_cost / s.params.size, "fail": 1 / s.params.size, "fails": fails}

    def text(self, s: Any, agent: int) -> str:
        size = int(s.params.size)
        if s.row >= size:
            return f"The dive of {size} rows is over."
        return f"You are in row {s.row}, column {s.column} of {size} x {size} cells, counted from 0."

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        size = int(s.params.size)
        scene = Scene(size, size)
        for row in range(size):
            for column in range(row + 1):
                scene.add(Rect(column + 0.04, row + 0.04, 0.92, 0.92, "sky" if row < s.row else "water", radius=0.1))
        scene.add(Rect(0, 0, size, size, "deep@0.25"))
        if s.row < size:
            scene.add(Circle(s.column + 0.5, s.row + 0.5, 0.36, "orange", "white", 0.06, "@"))
        scene.add(Circle(size - 0.5, size - 0.5, 0.2, "gold", glyph="$"))
        footer(scene, f"row {s.row} of {size}{' · over' if s.terminated[0] else ''}")
        return scene


env, raw_env, parallel_env = pettingzoo_forms(DeepSea)
