"""Sokoban: push every box onto a target; a box that is pushed into a corner is lost.

**Rules.** A room of `height` x `width` cells, enclosed by walls, holds boxes and the same number of targets. The player
moves to neighboring cells. If a box is in that cell, the player pushes it one cell further. The cell behind the box
must be free: no wall and no other box. Boxes cannot be pulled. An impossible move takes time but changes nothing else.

**Agents.** One, `agent`.

**Observation.** Box (height, width, 4) uint8: planes of 0 and 1.

| plane | where it is 1 |
|---|---|
| 0 | wall |
| 1 | target |
| 2 | box |
| 3 | the player |

**Actions.** Discrete (4), or Discrete (9) with ``actions="nine"``. All actions are always legal unless `masked`.

| action | name | name with "nine" |
|---|---|---|
| 0 | `up` | `noop` |
| 1 | `down` | `push up` |
| 2 | `left` | `push down` |
| 3 | `right` | `push left` |
| 4 | | `push right` |
| 5 | | `move up` |
| 6 | | `move down` |
| 7 | | `move left` |
| 8 | | `move right` |

The nine actions are those of gym-sokoban. A `move`, in contrast to a `push`, does not enter a cell with a box.

**Window.** The arrow keys move the player and push boxes. A click on a cell beside the player does the same.

**Rewards.** The sum of the following:

- `penalty_for_step` for every action
- `reward_box_on_target` if a box is pushed onto a target
- `penalty_box_off_target` if a box is pushed off a target
- `reward_finished` if all boxes are on targets

**Ends.** Terminates when all boxes are on targets; truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `height`, `width` | 8, 8 | cells of the room, from 5 to 32 |
| `boxes` | 2 | number of boxes, from 1 to the larger side less 2 |
| `pulls` | None | from 1 to 1,000, see `envsuite.gridworlds.sokoban.levels`; None: 10 for each box |
| `carving` | None | from 1 to 10,000, see `envsuite.gridworlds.sokoban.levels`; None: 1.7 (height + width) |
| `actions` | "four" | "four" or "nine", see the actions |
| `masked` | False | whether only `noop` and actions that change something are legal; if there are none, all are |
| `horizon` | 120 | actions until truncation, from 1 to 1,000,000 |
| `penalty_for_step` | -0.1 | from -1,000,000 to 1,000,000, as the three rewards below |
| `reward_box_on_target` | 1 | see the rewards |
| `penalty_box_off_target` | -1 | see the rewards |
| `reward_finished` | 10 | see the rewards |

**Level.** ``{"map": ["#######", "#@ $ .#", "#######"]}``: the letters of the XSB format, as a list of rows or as one
text with line breaks.

| letter | cell |
|---|---|
| `#` | wall |
| `@` | the player |
| `+` | the player on a target |
| `$` | box |
| `*` | box on a target |
| `.` | target |
| space, `-` or `_` | floor |

A smaller map is placed at the top left. Any number of boxes is allowed. The room must be closed; what is outside it
becomes wall. Levels that `envsuite.generators.generate` makes of the kind "sokoban" are accepted too.

**Known values.** Every generated level can be solved. Take a level with n boxes, none of them on a target at the start,
that is solved in m moves. Its best return is 10 + n - 0.1 m.

**Differences.** Rules, rewards and the limit of 120 are those of gym-sokoban's `SokobanEnv`.

- Its default is 10 x 10 cells with 4 boxes.
- ``actions="nine"`` are its nine actions; ``"four"`` keeps its pushes only, as Jumanji's Sokoban and RAGEN do. RAGEN
  plays on 6 x 6 cells with one box.
- In the first step, it counts boxes that are on targets at the start. Here they pay nothing; its own levels have none.
- Its observation is a picture.
- Its levels come from a search through up to 300,000 positions of reverse play; here they come from one random reverse
  play.

**Source.** Schrader, gym-sokoban 0.0.6, 2018, after Racanière et al., "Imagination-Augmented Agents for Deep
Reinforcement Learning", 2017; Wang et al., "RAGEN", 2025. The game is Imabayashi's, 1982.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.ranges import within
from envsuite.core.world import Between, Kernels, World
from envsuite.gridworlds.sokoban import levels, pages
from envsuite.gridworlds.sokoban.levels import LARGEST, SMALLEST, make
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Scene, footer

WALL, TARGET, BOX, PLAYER = range(4)

NAMES = ("up", "down", "left", "right")
DY = np.array([-1, 1, 0, 0])
DX = np.array([0, 0, -1, 1])

#: The actions of gym-sokoban: nothing, then four pushes, then four moves. Our four are its pushes.
NOOP, PUSH, MOVE = 0, 1, 5
NINE = ("noop", *(f"push {name}" for name in NAMES), *(f"move {name}" for name in NAMES))


def fields(height: int, width: int) -> list[tuple]:
    """The record, besides the generator's."""
    cells = (height - 2) * (width - 2)
    walls = np.zeros((height, width, 4), np.uint8)  # at the edge there is wall alone
    walls[..., WALL] = np.pad(walls[1:-1, 1:-1, WALL], 1, constant_values=1)
    edge = np.pad(np.ones((height - 2, width - 2, 4), np.uint8), ((1, 1), (1, 1), (0, 0))) | walls
    return [
        ("y", within(np.int64, 1, height - 2)),  # of the player
        ("x", within(np.int64, 1, width - 2)),
        ("boxes", within(np.int64, 0, cells)),
        ("placed", within(np.int64, 0, cells)),  # of the boxes, on targets
        ("planes", within(np.uint8, walls, edge), (height, width, 4)),  # the observation
    ]


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    s.boxes, s.placed = 0, 0
    height, width = s.level.grid.shape
    for y in range(height):
        for x in range(width):
            code = s.level.grid[y, x]
            for plane in range(4):
                s.planes[y, x, plane] = code >> plane & 1
            s.boxes += np.int64(code >> BOX & 1)
            s.placed += np.int64(code >> BOX & code >> TARGET & 1)
            if code >> PLAYER & 1:
                s.y, s.x = y, x


@kernel
def at(s, y, x, plane):
    """Whether this is in a cell; unsigned indices avoid code for negative ones."""
    return s.planes[np.uint64(y), np.uint64(x), plane] != 0


@kernel
def push(s, y, x, down, right):
    """Push the box in a cell if the cell behind it is free; whether it was pushed, and the gain of boxes on targets."""
    to_y, to_x = y + down, x + right
    if at(s, to_y, to_x, WALL) or at(s, to_y, to_x, BOX):
        return False, np.int64(0)
    s.planes[np.uint64(y), np.uint64(x), BOX] = 0
    s.planes[np.uint64(to_y), np.uint64(to_x), BOX] = 1
    return True, np.int64(at(s, to_y, to_x, TARGET)) - np.int64(at(s, y, x, TARGET))


@kernel
def step(s, actions, rewards):
    action = actions[0] + s.params.first
    rewards[0] = s.params.penalty_for_step
    if action != NOOP:
        direction = action - 1 & 3
        y, x = s.y + DY[direction], s.x + DX[direction]
        free = not at(s, y, x, WALL)
        if free and at(s, y, x, BOX):
            free = action < MOVE
            if free:
                free, change = push(s, y, x, DY[direction], DX[direction])
                s.placed += change
                if change > 0:
                    rewards[0] += s.params.reward_box_on_target
                elif change < 0:
                    rewards[0] += s.params.penalty_box_off_target
        if free:
            s.planes[np.uint64(s.y), np.uint64(s.x), PLAYER] = 0
            s.planes[np.uint64(y), np.uint64(x), PLAYER] = 1
            s.y, s.x = y, x
    if s.placed == s.boxes:
        rewards[0] += s.params.reward_finished
        s.terminated[0] = 1
    if s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    for k in range(s.planes.size):
        out.flat[k] = s.planes.flat[k]


@kernel
def legal(s, agent, mask):
    some = np.int8(0)
    if s.params.masked:
        for k in range(mask.shape[0]):
            mask[k] = effective(s, k + s.params.first)
            some |= mask[k]
    if some == 0:
        fill(mask, 1)


@kernel
def effective(s, action):
    """Whether an action is `noop` or changes something."""
    if action == NOOP:
        return True
    direction = action - 1 & 3
    y, x = s.y + DY[direction], s.x + DX[direction]
    if at(s, y, x, WALL):
        return False
    if not at(s, y, x, BOX):
        return True
    to_y, to_x = y + DY[direction], x + DX[direction]
    return action < MOVE and not at(s, to_y, to_x, WALL) and not at(s, to_y, to_x, BOX)


class Sokoban(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    information = "perfect"
    kind = ("puzzles",)
    verified = "games recorded from gym-sokoban; solutions of 10,000 levels"
    variants = (dict(height=7, width=10, boxes=3, actions="nine", masked=True),)
    synonyms = {f"{verb} {name}": name for name in NAMES for verb in ("push", "move", "go")} | {"none": "noop"}
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        height: Annotated[int, Between(SMALLEST, LARGEST)] = 8,
        width: Annotated[int, Between(SMALLEST, LARGEST)] = 8,
        boxes: Annotated[int, Between(1, LARGEST - 2)] = 2,
        pulls: Annotated[int | None, Between(1, 1000)] = None,
        carving: Annotated[int | None, Between(1, 10_000)] = None,
        actions: Literal["four", "nine"] = "four",
        masked: bool = False,
        horizon: Annotated[int, Between(1, 1_000_000)] = 120,
        penalty_for_step: Annotated[float, Between(-1_000_000, 1_000_000)] = -0.1,
        reward_box_on_target: Annotated[float, Between(-1_000_000, 1_000_000)] = 1.0,
        penalty_box_off_target: Annotated[float, Between(-1_000_000, 1_000_000)] = -1.0,
        reward_finished: Annotated[float, Between(-1_000_000, 1_000_000)] = 10.0,
    ):
        made = levels.Sokoban(height, width, boxes, pulls, carving)
        step, on, off = float(penalty_for_step), float(reward_box_on_target), float(penalty_box_off_target)
        nine = actions == "nine"
        pushes = NINE[PUSH:MOVE] if nine else NAMES
        self.masked = masked
        self.keys = dict(zip(NAMES, pushes))
        possible = (step, step + on, step + off, step + on + float(reward_finished))
        self.define(
            agents=["agent"],
            actions=NINE if nine else NAMES,
            observation=Box(0, 1, (height, width, 4), np.uint8),
            fields=[*fields(height, width), *made.fields],
            params={
                **made.values,
                "first": NOOP if nine else PUSH,  # which of the nine is action 0
                "masked": masked,
                "horizon": horizon,
                "penalty_for_step": step,
                "reward_box_on_target": on,
                "penalty_box_off_target": off,
                "reward_finished": float(reward_finished),
            },
            reward_range=(min(possible), max(possible)),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        levels.read_map(s.level.grid, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": levels.write_map(s.level.grid)}

    def contradiction(self, s: Any) -> str | None:
        boxes = s.planes[..., BOX]
        if s.boxes != boxes.sum() or s.placed != (boxes & s.planes[..., TARGET]).sum():
            return "boxes and placed do not count the boxes"
        if not np.isin([grid(s), s.level.grid], list(levels.LETTERS)).all():
            return "there is a code of nothing"
        if s.planes[s.y, s.x, PLAYER] != 1 or s.planes[..., PLAYER].sum() != 1:
            return "the player is not where the planes show it"
        return None

    def text(self, s: Any, agent: int) -> str:
        lines = ["The room (# wall, _ floor, $ box, . target, * box on a target, @ you, + you on a target):"]
        lines += ["  " + " ".join(row.replace(" ", "_")) for row in levels.write_map(grid(s))]
        if s.terminated[0]:
            lines.append("All boxes are on targets.")
        else:
            lines.append(f"{s.placed} of {s.boxes} boxes are on targets; {s.t} of {s.params.horizon} moves are used.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        height, width, _ = s.planes.shape
        scene = Scene(width, height)
        scene.add(*levels.room_shapes(grid(s)))
        y = footer(scene, f"{s.t} / {s.params.horizon}")
        for k in range(min(int(s.boxes), 2 * width - 6)):
            scene.add(*levels.box_shapes(width - 0.7 - 0.45 * k, y - 0.22, k < s.placed, 0.45))
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        step = (int(y // 1) - int(s.y), int(x // 1) - int(s.x))
        steps = list(zip(DY.tolist(), DX.tolist()))
        return steps.index(step) + PUSH - int(s.params.first) if step in steps else None


def grid(s: Any) -> np.ndarray:
    """The codes of a record's cells, as in a level."""
    return (s.planes << np.arange(4, dtype=np.uint8)).sum(2, dtype=np.uint8)


env, raw_env, parallel_env = pettingzoo_forms(Sokoban)
