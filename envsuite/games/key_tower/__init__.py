"""KeyTower: climb through a tower past skulls, fetch keys and open doors, each of which pays once (after Montezuma's
Revenge).

**Rules.** A tower has floors of cells, and ladders between them. See `envsuite.games.key_tower.levels` for how it is
drawn. In each step the agent waits, walks to the next cell of its floor, climbs a cell up or down a ladder, or leaps
two cells to the left or right. It leaps only over and onto cells without walls and closed doors. On a ladder it can
only wait and climb. What cannot be done is a step without a move.

On the cell of a key, the agent takes it. A door is closed until the agent walks in with the key of its color.

Each skull walks to and fro on a part of a floor, one cell in each step. The agent is caught if it is on the same cell
as a skull after a step, or if it walks to the cell from which a skull comes to its own. A leap passes over a skull.

**Agents.** One, `agent`.

**Observation.** Dict. There are R = 2 `floors` - 1 rows from the top; the even ones are floors.

| part | space | content |
|---|---|---|
| map | Box (R, width) int8 | 0 for walls, 1 for floors, 2 for ladders |
| agent | Box (2,) int8 | its row and column |
| keys | Box (keys, 2) int8 | row and column of each key; -1 for keys that the agent has |
| doors | Box (keys, 2) int8 | row and column of the door of each key |
| opened | Box (keys,) int8 | 1 for open doors |
| skulls | Box (skulls, 5) int8 | of each skull its row, its column, its next column, and the ends of its way |
| left | Box (1,) int16 | steps left |

**Actions.** Discrete (7), all of them always legal.

| action | name |
|---|---|
| 0 | `wait` |
| 1, 2 | `left`, `right` |
| 3, 4 | `up`, `down` |
| 5, 6 | `leap left`, `leap right` |

**Window.** The arrow keys walk and climb; a and d leap, and w waits.

**Rewards.** 1 for each key taken and each door opened.

**Ends.** Terminates when all doors are open and when a skull catches the agent, which then gets no reward in this step.
Truncates after `steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `floors` | 4 | number of floors, from 2 to 7 |
| `width` | 11 | columns, from 8 to 16 |
| `keys` | 2 | number of keys, and of doors, from 1 to 4 |
| `skulls` | 2 | number of skulls, from 1 to 6 and fewer than `floors` |
| `steps` | 200 | number of steps, from 1 to 1000 |

**Level.** ``{"map": ["..a..A....", "##H#######", "@...b..B.."], "skulls": [[0, 6, 8, 1]]}``: floors and what is between
them from the top, with `#` for walls, `H` for ladders, `@` for the start, small letters for keys and capital ones for
their doors; of each skull its row, the ends of its way, and how many steps it has walked from the first end. Levels of
`envsuite generate towers` fit, and have a train and a test split.

**Known values.** The largest return is 2 `keys`.

**Differences.** From the first level of Montezuma's Revenge, after which it is modeled:

- All rooms, numbers and pictures are our own, and a tower is seen as a whole. Levels are drawn, not fixed.
- There are no ropes, belts, falls, torches and treasures, and one life.
- A leap is one step, and keys are not used up.

**Source.** Own design. Bellemare et al., "Unifying count-based exploration and intrinsic motivation", 2016, made the
game the usual test of exploration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.ranges import below, flag, limited
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.games.key_tower import levels
from envsuite.games.key_tower.levels import make
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Scene, footer, human

WAIT, GO_LEFT, GO_RIGHT, UP, DOWN, LEAP_LEFT, LEAP_RIGHT = range(7)
NAMES = ("wait", "left", "right", "up", "down", "leap left", "leap right")


def fields(tower: levels.Towers, floors: int, width: int, keys: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *tower.fields,  # level: the tower
        ("row", below(np.int64, 2 * floors - 1)),
        ("column", below(np.int64, width)),
        ("held", flag(), (keys,)),
        ("opened", flag(), (keys,)),
        ("caught", flag(np.int64)),
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    s.row = s.level.start_row
    s.column = s.level.start_column
    s.caught = 0
    fill(s.held, 0)
    fill(s.opened, 0)


@kernel
def is_free(s, row, column):
    """Whether a cell is neither outside nor a wall nor a closed door."""
    rows, width = s.level.cells.shape
    if row < 0 or row >= rows or column < 0 or column >= width or s.level.cells[row, column] == levels.WALL:
        return False
    k = levels.door_at(s.level, row, column)
    return k == levels.NONE or s.opened[k] != 0


@kernel
def may_enter(s, row, column):
    """Whether the agent can walk onto a cell, which may be a door whose key it has."""
    if is_free(s, row, column):
        return True
    rows, width = s.level.cells.shape
    if row < 0 or row >= rows or column < 0 or column >= width or s.level.cells[row, column] == levels.WALL:
        return False
    return s.held[levels.door_at(s.level, row, column)] != 0


@kernel
def move(s, action):
    """Move the agent as far as it can."""
    if action == UP or action == DOWN:
        row = s.row + (1 if action == DOWN else -1)
        if may_enter(s, row, s.column):
            s.row = row
    elif action != WAIT and s.row % 2 == 0:
        side = -1 if action == GO_LEFT or action == LEAP_LEFT else 1
        if action == GO_LEFT or action == GO_RIGHT:
            if may_enter(s, s.row, s.column + side):
                s.column += side
        elif is_free(s, s.row, s.column + side) and is_free(s, s.row, s.column + 2 * side):
            s.column += 2 * side


@kernel
def is_caught(s, row, column):
    """Whether a skull meets the agent, which has come from a cell."""
    for k in range(s.level.first.shape[0]):
        if s.level.skull_row[k] == s.row:
            before, after = levels.walked(s.level, k, s.t - 1), levels.walked(s.level, k, s.t)
            passed = row == s.row and after == column and before == s.column
            if after == s.column or passed:
                return True
    return False


@kernel
def step(s, actions, rewards):
    row, column = s.row, s.column
    move(s, actions[0])
    if is_caught(s, row, column):
        s.caught = 1
        s.terminated[0] = 1
        return
    k = levels.key_at(s.level, s.row, s.column)
    if k != levels.NONE and s.held[k] == 0:
        s.held[k] = 1
        rewards[0] = 1.0
    k = levels.door_at(s.level, s.row, s.column)
    if k != levels.NONE and s.opened[k] == 0:
        s.opened[k] = 1
        rewards[0] = 1.0
    whole = True
    for k in range(s.opened.shape[0]):
        whole = whole and s.opened[k] != 0
    if whole:
        s.terminated[0] = 1
    elif s.t >= s.params.steps:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    for k in range(s.level.cells.size):
        out.map.flat[k] = s.level.cells.flat[k]
    out.agent[0] = s.row
    out.agent[1] = s.column
    for k in range(s.held.shape[0]):
        out.keys[k, 0] = levels.NONE if s.held[k] != 0 else s.level.key_row[k]
        out.keys[k, 1] = levels.NONE if s.held[k] != 0 else s.level.key_column[k]
        out.doors[k, 0] = s.level.door_row[k]
        out.doors[k, 1] = s.level.door_column[k]
        out.opened[k] = s.opened[k]
    for k in range(s.level.first.shape[0]):
        out.skulls[k, 0] = s.level.skull_row[k]
        out.skulls[k, 1] = levels.walked(s.level, k, s.t)
        out.skulls[k, 2] = levels.walked(s.level, k, s.t + 1)
        out.skulls[k, 3] = s.level.first[k]
        out.skulls[k, 4] = s.level.last[k]
    out.left[0] = s.params.steps - s.t


PAGE = Page(
    role="You climb through a tower, fetch keys and open doors.",
    goal="You are paid 1 point for each key that you take and for each door that you open.",
    rules=(
        "The tower has {floors} floors, {width} cells wide, with ladders between them. In each step you stay, walk to "
        "the next cell of your floor, climb one cell up or down a ladder, or leap two cells to the left or right. On "
        "a ladder between two floors you can only stay or climb. A leap needs both cells free of walls and closed "
        "doors. If you try what is not possible, you stay where you are.",
        "There {are} {keys:key} and {keys:door}. A key opens the door of its color; in letters, key a opens door A. "
        "You take a key by coming to its cell, and you open a door by walking into it with its key.",
        "There {haunt} {skulls:skull}. A skull walks to and fro on a part of a floor, one cell in each step. It "
        "catches you if it is on your cell after a step, or if you walk to the cell that it comes from while it walks "
        "to yours. A leap over a skull is safe. A step in which you are caught pays nothing.",
    ),
    sees=(
        "You see the whole tower, the way of each skull, and where it goes next. Rows count from 0 at the top, "
        "columns from 0 at the left."
    ),
    acts={
        "wait": "stay where you are",
        ("left", "right"): "walk one cell",
        ("up", "down"): "climb one cell of a ladder",
        ("leap left", "leap right"): "leap two cells",
    },
    ends="It is over when all doors are open, when a skull catches you, or after {steps:step}.",
    constants={
        "1": "the reward of a key, and of a door",
        "two": "the length of a leap",
        "0": "the first row and column",
    },
)


class KeyTower(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    information = "perfect"
    kind = ("puzzles", "arcade")
    verified = "breadth-first search over cells, phases, keys and doors in plain Python"
    variants = (dict(floors=2, width=8, keys=1, skulls=1, steps=40), dict(floors=7, width=16, keys=4, skulls=6))
    shown = "planner"
    clickable = "(?!)"
    keys = {
        "left": "left",
        "right": "right",
        "up": "up",
        "down": "down",
        "a": "leap left",
        "d": "leap right",
        "w": "wait",
    }
    player_page = PAGE

    def __init__(
        self,
        floors: Annotated[int, Between(2, levels.FLOORS)] = 4,
        width: Annotated[int, Between(8, levels.WIDTH)] = 11,
        keys: Annotated[int, Between(1, levels.KEYS)] = 2,
        skulls: Annotated[int, Between(1, levels.SKULLS)] = 2,
        steps: Annotated[int, Horizon(1, 1000)] = 200,
    ):
        if skulls >= floors:
            raise ParameterError(f"KeyTower: skulls={skulls} must be fewer than floors={floors}")
        tower, rows = levels.Towers(floors, width, keys, skulls), 2 * floors - 1
        ends = np.array([rows - 1, width - 1], np.int8)
        self.define(
            agents=["agent"],
            actions=NAMES,
            observation=Dict(
                map=Box(0, 2, (rows, width), np.int8),
                agent=Box(np.zeros(2, np.int8), ends, dtype=np.int8),
                keys=Box(np.full((keys, 2), levels.NONE, np.int8), np.tile(ends, (keys, 1)), dtype=np.int8),
                doors=Box(np.zeros((keys, 2), np.int8), np.tile(ends, (keys, 1)), dtype=np.int8),
                opened=Box(0, 1, (keys,), np.int8),
                skulls=Box(0, max(rows, width) - 1, (skulls, 5), np.int8),
                left=Box(0, 1000, (1,), np.int16),
            ),
            fields=fields(tower, floors, width, keys),
            params={**tower.values, "steps": limited(steps, 1, 1000)},
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        if (s.level.first >= s.level.last).any() or (s.level.phase >= 2 * (s.level.last - s.level.first)).any():
            return "a skull has no way"
        over = bool(s.terminated[0] or s.truncated[0])
        if (s.opened.all() or s.caught or s.t >= s.params.steps) and not over:
            return "the episode is over"
        return None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        levels.read_tower(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return levels.write_tower(s.level)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        keys, skulls = self.parameters["keys"], self.parameters["skulls"]
        return {"are": "is" if keys == 1 else "are", "haunt": "is" if skulls == 1 else "are"}

    def text(self, s: Any, agent: int) -> str:
        rows = [list(line) for line in levels.write_tower(s.level)["map"]]
        rows[s.level.start_row][s.level.start_column] = "."
        for k in range(len(s.held)):
            if s.held[k]:
                rows[s.level.key_row[k]][s.level.key_column[k]] = "."
            if s.opened[k]:
                rows[s.level.door_row[k]][s.level.door_column[k]] = "/"
        lines = []
        for k in range(len(s.level.first)):
            now, after = (int(levels.walked(s.level, k, int(s.t) + n)) for n in range(2))
            rows[s.level.skull_row[k]][now] = "<" if after < now else ">"
            ends = f"columns {s.level.first[k]} to {s.level.last[k]}"
            lines.append(f"The skull in row {s.level.skull_row[k]} walks in {ends}; it goes to column {after}.")
        rows[s.row][s.column] = "X" if s.caught else "@"
        held = [f"{chr(ord('a') + k)}" for k in range(len(s.held)) if s.held[k]]
        lines = ["".join(row) for row in rows] + [
            "@ you, # wall, H ladder, < and > skulls, small letters keys, capital letters their doors, / an open door.",
            *lines,
            f"You are in row {s.row}, column {s.column}. Keys that you have: {', '.join(held) or 'none'}.",
        ]
        if s.caught:
            return "\n".join([*lines, "A skull has caught you."])
        if s.opened.all():
            return "\n".join([*lines, "All doors are open."])
        left = s.params.steps - s.t
        return "\n".join([*lines, f"Steps left: {left}." if left else "It is over."])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = levels.draw_tower(s.level, int(s.t), s.held, s.opened)
        color = "red" if s.caught else "blue"
        scene.add(*human(levels.MARGIN + s.column + 0.5, levels.middle_of(s.row), 0.9, color))
        count = int(s.held.sum()) + int(s.opened.sum())
        footer(scene, f"{count} of {2 * len(s.held)} keys and doors", f"step {s.t} of {s.params.steps}")
        return scene


env, raw_env, parallel_env = pettingzoo_forms(KeyTower)
