"""RecurringGrid: search a grid for a hidden goal, which stays where it is for a while and then is somewhere else.

**Rules.** The grid has `size` x `size` cells, and one of them is the goal. The agent moves up, right, down or left; at
the edge of the grid it stays where it is. When it enters the goal, it is paid 1 and has made a find. It then starts
again from a cell that is drawn uniformly among all cells except the goal.

At the beginning of a block, the goal is drawn uniformly among all cells. After each find the block ends with
probability 1 / `block`, and the next one begins before the agent is moved. A block thus has `block` finds on average.
With `block` = 1 nothing can be learned, because the goal is drawn again after every find.

The agent sees its place and its last `memory` moves: where each led and what it paid. If `announced`, it sees moves of
the present block only, so an empty window says that a block begins. Otherwise the window also holds moves of earlier
blocks, and nothing marks where a block began. With `memory` = 0 the agent sees its place only. With `memory` = 1 it
sees what it needs if it remembers. With `memory` = 2 x `size` - 2, shortest ways to the goal keep the last find in the
window.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| position | Box (2, `size`) int8 | 1 for the agent's row, and below it 1 for its column; otherwise 0 |
| window | Box (rows, 4) int8 | a row for each of the last `memory` moves, the latest first; one of zeros if it is 0 |

| column of the window | content |
|---|---|
| 0 | 0 without a move; otherwise 1 up, 2 right, 3 down, 4 left |
| 1, 2 | row and column of the cell to which the move led, from 0 |
| 3 | 1 if the move paid, otherwise 0 |

**Actions.** Discrete (4), all of them always legal.

| action | name |
|---|---|
| 0 | `up` |
| 1 | `right` |
| 2 | `down` |
| 3 | `left` |

**Window.** The arrow keys move the agent. A click on a cell beside the agent moves it there.

**Rewards.** 1 for a find, otherwise 0.

**Ends.** Truncated after `horizon` moves.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 6 | cells on a side of the grid, from 2 to 16 |
| `block` | 10.0 | mean number of finds in a block, from 1 to 1,000,000 |
| `memory` | 10 | number of moves that the agent sees, from 0 to 100 |
| `announced` | True | whether a new block empties the window |
| `horizon` | 200 | moves until truncation, from 1 to 10,000 |

**Level.** ``{"goals": [[0, 3], [5, 1]]}``: row and column of the goals of the first blocks, 1 to 32 of them; those of
later blocks are drawn. The lengths of blocks and the cells from which the agent starts are always drawn.

**Known values.** Let N be the number of cells. A search needs N / 2 moves on average if each move enters a new cell. No
search needs fewer, and such a search exists from every cell if `size` is even. The shortest way to a known goal has
2 x `size` / 3 moves on average. If `size` is even and blocks are announced, the best play thus makes `block` finds in
N / 2 + (`block` - 1) x 2 x `size` / 3 moves in the long run. By default that is one find in 5.4 moves.

On 3 x 3 cells the best search needs 4.5 moves on average from the middle and the corners, and 4.625 from the other
cells (dynamic programming). Random play needs 20/3 moves to the first find on 2 x 2 cells, 17.25 on 3 x 3 and 85.54 on
6 x 6. With the default parameters it makes 2.587 finds in an episode (linear systems).

**Differences.**

- The rules are our own and follow the paper's idea: a structure that recurs, a memory, and rewards alone. They were not
  compared with its code.
- The agent observes a window of moves, so that its memory is a parameter of the world. A row also shows where the move
  led. Actions and rewards alone would not show where a find was, because the agent then starts from a random cell.
- `announced` is added, because with it the best play is known.
- A try ends with a find only, and an episode has many tries.

**Source.** Rentschler and Roberts, "Exploitation Is All You Need... for Exploration", 2025.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_numbers
from envsuite.core.page import Case, Page, When
from envsuite.core.random import randint
from envsuite.core.ranges import below, fixed
from envsuite.core.world import Between, Horizon, Kernels
from envsuite.kit import recurring
from envsuite.kit.recurring import LARGEST_WINDOW, LISTED, LONGEST, RecurringWorld
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene

#: The most cells on a side.
LARGEST = 16

UP, RIGHT, DOWN, LEFT = range(4)

#: The rows of the picture above the grid, and how many rows of the window it lists.
TOP, SHOWN = 1.0, 5


def fields(size: int, rows: int) -> list[tuple]:
    """The record's own fields. A cell is row x size + column."""
    cell = below(np.int64, size * size)
    return [
        *recurring.fields(rows),
        ("listed", cell, (LISTED,)),  # goals of the first blocks: the level
        ("goal", cell),  # of the present block
        ("cell", cell),  # of the agent
        ("moved", below(np.int64, 4), (rows,)),  # the window's moves, in the places of `paid`
        ("entered", cell, (rows,)),  # and the cells to which they led
    ]


@kernel
def reset(s):
    cells = s.params.size * s.params.size
    if s.level_given == 0:
        s.blocks = 1
        s.listed[0] = randint(s, cells)
    for block in range(s.blocks, LISTED):
        s.listed[block] = 0
    fill(s.moved, 0)
    fill(s.entered, 0)
    recurring.clear(s)
    begin(s)
    start(s)


@kernel
def begin(s):
    """Begin the present block: take its goal from the level, or draw it."""
    s.goal = s.listed[s.block] if s.block < s.blocks else randint(s, s.params.size * s.params.size)


@kernel
def start(s):
    """Put the agent on a random cell other than the goal."""
    cell = randint(s, s.params.size * s.params.size - 1)
    s.cell = cell + (cell >= s.goal)


@kernel
def beside(cell, move, size):
    """The cell to which a move leads."""
    y, x = cell // size, cell % size
    if move == UP:
        return cell - size * (y > 0)
    if move == RIGHT:
        return cell + (x < size - 1)
    if move == DOWN:
        return cell + size * (y < size - 1)
    return cell - (x > 0)


@kernel
def step(s, actions, rewards):
    s.cell = beside(s.cell, actions[0], s.params.size)
    found = s.cell == s.goal
    rewards[0] = found
    row = recurring.remember(s, found)
    s.moved[row] = actions[0]
    s.entered[row] = s.cell
    if found:
        if recurring.ends(s):
            begin(s)
        start(s)
    s.truncated[0] = s.t >= s.params.horizon


@kernel
def observe(s, agent, out):
    size = s.params.size
    for k in range(size):
        out.position[0, k] = s.cell // size == k
        out.position[1, k] = s.cell % size == k
    for row in range(s.moved.shape[0]):
        place, held = recurring.place(s, row), row < s.held
        out.window[row, 0] = s.moved[place] + 1 if held else 0
        out.window[row, 1] = s.entered[place] // size if held else 0
        out.window[row, 2] = s.entered[place] % size if held else 0
        out.window[row, 3] = s.paid[place] if held else 0


PAGE = Page(
    role="You look for a hidden goal in a grid, again and again.",
    goal="Each time you enter the goal you are paid 1.",
    rules=(
        (
            "The grid has {size} rows and {size} columns. Row 1 is at the top, column 1 on the left. One of the cells "
            "is the goal, and it looks like any other. In each turn you move one cell; a move over the edge of the "
            "grid leaves you where you are."
        ),
        (
            "When you enter the goal, you are put into a random cell other than the goal, and you search on from "
            "there.",
            When(
                "lasting",
                (
                    "Each time, before you are put elsewhere, a new block begins with a chance of 1 in {block}. Then "
                    "the goal is drawn again, among all cells. Otherwise it stays where it is."
                ),
                "Each time, before you are put elsewhere, the goal is drawn again, among all cells.",
            ),
        ),
    ),
    sees=Case(
        "shows",
        {
            "none": "You see where you are, but not what your earlier moves did or paid.",
            "block": (
                "You see where you are, and your last moves, {memory} at most: where each led and what it paid. These "
                "are moves of the present block only: when a new block begins, the list is empty."
            ),
            "all": (
                "You see where you are, and your last moves, {memory} at most: where each led and what it paid. You "
                "are not told when a new block begins."
            ),
        },
    ),
    acts={("up", "right", "down", "left"): "move one cell in this direction"},
    ends="It is over after {horizon:move}.",
    constants={"1": "the first row, the reward, and a chance of 1 in so many"},
)


class RecurringGrid(RecurringWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("memory",)
    verified = (
        "exact values of best and random play by dynamic programming and linear systems; closed forms of searches"
    )
    variants = (dict(size=2, announced=False), dict(size=3, memory=0), dict(size=16, block=1.0))
    shown = "planner"
    keys = {"up": "up", "right": "right", "down": "down", "left": "left"}
    player_page = PAGE

    def __init__(
        self,
        size: Annotated[int, Between(2, LARGEST)] = 6,
        block: Annotated[float, Between(1, 1_000_000)] = 10.0,
        memory: Annotated[int, Between(0, LARGEST_WINDOW)] = 10,
        announced: bool = True,
        horizon: Annotated[int, Horizon(1, LONGEST)] = 200,
    ):
        rows = max(memory, 1)
        highest = np.broadcast_to(np.array([4, size - 1, size - 1, 1], np.int8), (rows, 4))
        window = Box(np.zeros((rows, 4), np.int8), highest, dtype=np.int8)
        self.define(
            agents=["agent"],
            actions=["up", "right", "down", "left"],
            observation=Dict({"position": Box(0, 1, (2, size), np.int8), "window": window}),
            fields=fields(size, rows),
            params={
                "size": fixed(size),
                "block": float(block),
                "memory": fixed(memory),
                "announced": announced,
                "horizon": horizon,
            },
            reward_range=(0.0, 1.0),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        shows = "none" if not s.params.memory else "block" if s.params.announced else "all"
        return {"shows": shows, "lasting": s.params.block > 1}

    def contradiction(self, s: Any) -> str | None:
        return "the agent is on the goal" if s.cell == s.goal else super().contradiction(s)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "goals")
        what, size = f"{self.id}: the level's goals", int(s.params.size)
        goals = read_numbers(level["goals"], what, ((1, LISTED), 2), 0, size - 1, whole=True)
        s.listed[:] = 0
        s.listed[: len(goals)] = goals @ [size, 1]
        s.blocks = len(goals)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"goals": [list(divmod(goal, int(s.params.size))) for goal in s.listed[: s.blocks].tolist()]}

    def window(self, s: Any) -> list[tuple[int, int, int, int]]:
        """The moves that the agent sees, the latest first: the move, the row and column it led to, what it paid."""
        rows = self.observation(s, 0)["window"].tolist()
        return [(move - 1, y, x, paid) for move, y, x, paid in rows if move]

    def text(self, s: Any, agent: int) -> str:
        names, seen = self.action_names[0], self.window(s)
        y, x = divmod(int(s.cell), int(s.params.size))
        lines = [
            f"Moves so far: {s.t} of {s.params.horizon}.",
            f"You are in row {y + 1}, column {x + 1} of {s.params.size} x {s.params.size} cells.",
        ]
        if s.params.memory == 0:
            lines.append("You do not see earlier moves.")
        elif not seen:
            lines.append("A new block begins." if s.params.announced else "You have not moved yet.")
        else:
            moves = "; ".join(f"{names[move]} to row {y + 1}, column {x + 1}, paid {p}" for move, y, x, p in seen)
            lines.append(f"The last moves{' of this block' if s.params.announced else ''}, latest first: {moves}.")
        if s.truncated[0]:
            lines.append("It is over.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        size, seen = int(s.params.size), self.window(s)
        unit = 8 / size
        scene = Scene(13, 9.5)
        scene.add(Label(0.5, 0.6, "RecurringGrid", 0.5, align="left", bold=True))
        scene.add(Label(12.5, 0.6, self.heading(s, agent, "move"), 0.4, "muted", "right"))
        latest = {(y, x): paid for _, y, x, paid in reversed(seen)}
        for y in range(size):
            for x in range(size):
                color = ("line", "gold")[latest[y, x]] if (y, x) in latest else "panel"
                side = 0.94 * unit
                left, top = 0.5 + (x + 0.03) * unit, TOP + (y + 0.03) * unit
                scene.add(Rect(left, top, side, side, color, "line", 0.02, 0.1 * unit))
        if agent is None:
            scene.add(*_flag(0.5 + int(s.goal) % size * unit, TOP + int(s.goal) // size * unit, unit))
        middle = 0.5 + (int(s.cell) % size + 0.5) * unit, TOP + (int(s.cell) // size + 0.5) * unit
        scene.add(Circle(*middle, 0.3 * unit, "orange", "white", 0.06 * unit, "@"))
        self._list_moves(scene, seen, bool(s.params.announced))
        return scene

    def _list_moves(self, scene: Scene, seen: list[tuple[int, int, int, int]], announced: bool) -> None:
        """The latest moves, beside the grid."""
        scene.add(Label(9.0, TOP + 0.4, "last moves", 0.4, "muted", "left"))
        scene.add(Label(9.0, TOP + 0.95, "of this block" if announced else "latest first", 0.4, "muted", "left"))
        for k, (move, y, x, paid) in enumerate(seen[:SHOWN]):
            down = TOP + 1.9 + 0.9 * k
            scene.add(Circle(9.3, down, 0.3, "gold" if paid else "line", glyph=""))
            words = f"{self.action_names[0][move]} to {y + 1}, {x + 1}"
            scene.add(Label(9.8, down, words, 0.4, align="left", bold=bool(paid)))
        if not seen:
            scene.add(Label(9.0, TOP + 1.9, "none", 0.4, "muted", "left"))

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        size = int(s.params.size)
        row, column = divmod(int(s.cell), size)
        step = int((y - TOP) * size / 8 // 1) - row, int((x - 0.5) * size / 8 // 1) - column
        steps = [(-1, 0), (0, 1), (1, 0), (0, -1)]
        inside = 0.5 <= x < 8.5 and TOP <= y < TOP + 8
        return steps.index(step) if inside and step in steps else None


def _flag(x: float, y: float, unit: float) -> list[Any]:
    """The goal; (x, y) is the top left corner of its cell."""
    pole = Line([(x + 0.3 * unit, y + 0.18 * unit), (x + 0.3 * unit, y + 0.84 * unit)], "blue", 0.07 * unit)
    cloth = [(x + a * unit, y + b * unit) for a, b in ((0.32, 0.18), (0.78, 0.34), (0.32, 0.5))]
    return [pole, Polygon(cloth, "blue")]


env, raw_env, parallel_env = pettingzoo_forms(RecurringGrid)
