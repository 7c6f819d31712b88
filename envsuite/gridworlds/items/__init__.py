"""Items: agents gather items of several colors before the time is up, and each color is an objective of its own.

**Rules.** Agents and items lie on a grid of `height` x `width` cells, at most one agent in a cell. In each step, all
agents choose a cell at once: their own or one of the four beside it. A cell off the grid means their own. Then agents
that cannot enter their cells return to their old ones:

1. If several agents choose the same cell and none of them stays there, one of them may enter. The first two by number
   toss a fair coin, the winner tosses with the third, and so on. All others return.
2. An agent that would enter the old cell of an agent that stays or returns there returns too, and so on.

Two agents may change places. Then each agent in a cell with an item gathers it, with the probability of its color.

In a new episode, items are in random cells, none in the two outermost rows and columns. Agents are in random cells
without items.

**Agents.** `agent_0` and `agent_1`, or 1 to 10 agents.

**Observation.** A Dict.

| part | space | content |
|---|---|---|
| map | Box (height, width) int8 | 0 if free, 1 and more for colors of items, -1 - k for agent k, which hides an item |
| number | Box (1,) int8 | the number of the agent on the map, -1 - k |

**Actions.** Discrete (5).

| action | name |
|---|---|
| 0 | `stay` |
| 1-4 | `up`, `down`, `left`, `right` |

**Window.** The arrow keys move the agent, and the key . stays. A click on a cell beside the agent moves there; a click
on the agent itself stays.

**Rewards.** Each color is an objective: 1 for each item of this color that the agent gathers. With ``reward="team"``, 1
for each item that any agent gathers. The reward is the sum of the objectives, weighted by `weights`; infos have the
objectives as "vector_reward".

**Ends.** Terminates when no item is left; truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `agents` | 2 | number of agents, from 1 to 10 |
| `height`, `width` | 8, 8 | cells of the grid, each from 5 to 32 |
| `items` | (3, 3, 2) | items of each color in a new episode, each from 0 to 100; 1 to 6 colors |
| `reward` | "individual" | "individual" or "team", see the rewards |
| `probabilities` | None | probability of gathering an item of each color; None: 1 |
| `weights` | None | weights of the objectives, each from -1,000,000 to 1,000,000; None: 1 |
| `horizon` | 10 | steps until truncation, from 1 to 1,000,000 |

The colors are red, green, blue, gold, purple and sky.

**Level.** ``{"map": ["0....", "..r..", "..g..", "...b.", "....1"]}``: digits are agents, letters the first letters of
colors, but `o` for gold. A level may have any number of items, anywhere. Generator: kind "gatherings".

**Known values.** Items gathered by both agents together in 10 steps on MOMAland's default map, uniformly random play,
mean +- standard error:

| | red | green | blue |
|---|---|---|---|
| this world, 65,536 episodes | .190 +- .002 | .159 +- .002 | .056 +- .001 |
| momaland 0.2.0 | .197 +- .028 | .177 +- .024 | .060 +- .014 |

**Differences.** From MOMAland's `moitem_gathering_v0`:

- A new episode has a new map, drawn by the rules of MOMAland's `generate_map`. There, every episode has the same map
  by default. Levels are fixed maps.
- Of agents that choose the same cell, the reference draws one of a pair repeatedly, until none are in the same cell.
  The rules here have the same distribution with one draw for each pair.
- The reference returns terminations in place of truncations, and the reverse. When the last item is gathered in the
  last step, both are true there; here, the episode terminates.
- Observations are int8 in two parts; there they are a tuple of the number and an int64 map.
- `reward` and `probabilities` are `reward_mode` and `pickup_probabilities` there.

**Source.** Källström and Heintz, "Tunable Dynamics in Agent-Based Simulation using Multi-Objective Reinforcement
Learning", 2019; Felten et al., "MOMAland: A Set of Benchmarks for Multi-Objective Multi-Agent Reinforcement Learning",
2024.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import copy, fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_letters
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, fixed, flag, free, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.gridworlds.items import pages
from envsuite.gridworlds.items.levels import AGENTS, EDGE, ITEMS
from envsuite.kit.grid import SCREEN, steps
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene, Shape, grid
from envsuite.render.theme import agent_color, text_on

ACTIONS = ("stay", "up", "down", "left", "right")
STAY, UP, DOWN, LEFT, RIGHT = range(5)

#: The change of row and column by each action.
ROWS = np.array([0, -1, 1, 0, 0])
COLUMNS = np.array([0, 0, 0, -1, 1])

COLORS = ("red", "green", "blue", "gold", "purple", "sky")


def fields(agents: int, height: int, width: int, colors: int) -> list[tuple]:
    """The record; colors of items are numbered from 1, and 0 is none."""
    place = [("row", below(np.int64, height), (agents,)), ("column", below(np.int64, width), (agents,))]
    return [
        ("start_items", below(np.int8, colors + 1), (height, width)),
        *((f"start_{name}", *kind) for name, *kind in place),
        ("items", below(np.int8, colors + 1), (height, width)),
        *place,
        ("left", within(np.int64, 0, height * width)),  # items on the grid
        ("gathered", free(np.int64), (agents, colors)),  # by each agent so far
        ("taken", flag(), (agents,)),  # whether each agent gathered an item in the last step
        *((f"to_{name}", *kind) for name, *kind in place),  # where they would be; only within a step
        ("occupied", flag(), (height, width)),  # only within a reset
    ]


@large_kernel
def reset(s):
    height, width = s.items.shape
    if not s.level_given:
        spawn(s)
    s.left = 0
    for i in range(height):
        for j in range(width):
            s.items[i, j] = s.start_items[i, j]
            s.left += s.items[i, j] > 0
    for a in range(s.row.shape[0]):
        s.row[a] = s.start_row[a]
        s.column[a] = s.start_column[a]
        s.to_row[a] = s.row[a]
        s.to_column[a] = s.column[a]
        s.taken[a] = 0
        for color in range(s.gathered.shape[1]):
            s.gathered[a, color] = 0


@kernel
def spawn(s):
    """Draw cells for the items, then for the agents."""
    height, width = s.items.shape
    fill(s.start_items, 0)
    fill(s.occupied, 0)
    inner = (height - 2 * EDGE) * (width - 2 * EDGE)
    items = 0
    for color in range(s.params.items.shape[0]):
        for _ in range(s.params.items[color]):
            cell = draw_cell(s, EDGE, inner - items)
            s.start_items[cell // width, cell % width] = color + 1
            items += 1
    for a in range(s.row.shape[0]):
        cell = draw_cell(s, 0, height * width - items - a)
        s.start_row[a] = cell // width
        s.start_column[a] = cell % width


@kernel
def draw_cell(s, edge, count):
    """Occupy one of the `count` free cells at least `edge` from the edge; each has the same probability."""
    height, width = s.items.shape
    left = randint(s, count)
    for i in range(edge, height - edge):
        for j in range(edge, width - edge):
            if not s.occupied[i, j]:
                if left == 0:
                    s.occupied[i, j] = 1
                    return i * width + j
                left -= 1
    return 0


@large_kernel
def step(s, actions, rewards):
    height, width = s.items.shape
    agents = s.row.shape[0]
    for a in range(agents):
        s.to_row[a] = min(max(s.row[a] + ROWS[actions[a]], 0), height - 1)
        s.to_column[a] = min(max(s.column[a] + COLUMNS[actions[a]], 0), width - 1)
    draw_winners(s)
    for _ in range(agents):
        for a in range(agents):
            if meets_one_at_home(s, a):
                send_home(s, a)
    copy(s.row, s.to_row)
    copy(s.column, s.to_column)
    for a in range(agents):
        gather(s, a)
    for a in range(agents):
        s.terminated[a] = s.left == 0
        s.truncated[a] = s.left > 0 and s.t >= s.params.horizon


@kernel
def at_home(s, a):
    """Whether an agent stays in its old cell, or has returned to it."""
    return s.to_row[a] == s.row[a] and s.to_column[a] == s.column[a]


@kernel
def send_home(s, a):
    s.to_row[a] = s.row[a]
    s.to_column[a] = s.column[a]


@kernel
def meet(s, a, b):
    """Whether two agents would be in one cell."""
    return s.to_row[a] == s.to_row[b] and s.to_column[a] == s.to_column[b]


@kernel
def meets_one_at_home(s, a):
    """Whether an agent would enter the cell of another one that does not leave it."""
    if at_home(s, a):
        return False
    for b in range(s.row.shape[0]):
        if b != a and at_home(s, b) and meet(s, a, b):
            return True
    return False


@kernel
def draw_winners(s):
    """Of agents that would enter the same cell, send home all but one."""
    agents = s.row.shape[0]
    for a in range(agents):
        for b in range(a + 1, agents):
            if meet(s, a, b) and not at_home(s, a) and not at_home(s, b):
                send_home(s, b if randint(s, 2) else a)


@kernel
def gather(s, a):
    """Gather the item in an agent's cell, with the probability of its color."""
    color = np.int64(s.items[s.row[a], s.column[a]])
    s.taken[a] = color > 0 and bernoulli(s, s.params.probabilities[color - 1])
    if s.taken[a]:
        s.items[s.row[a], s.column[a]] = 0
        s.left -= 1
        s.gathered[a, color - 1] += 1
        for b in range(s.row.shape[0]):
            if b == a or s.params.team:
                s.objectives[b, color - 1] += 1.0


@large_kernel
def observe(s, agent, out):
    for i in range(s.items.shape[0]):
        for j in range(s.items.shape[1]):
            out.map[i, j] = s.items[i, j]
    for a in range(s.row.shape[0]):
        out.map[s.row[a], s.column[a]] = -1 - a
    out.number[0] = -1 - agent


class Items(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("teams",)
    verified = "MOMAland's `moitem_gathering_v0`, step by step, and all plans of three steps"
    variants = (
        dict(agents=4, height=5, width=6, items=(1, 1), reward="team", probabilities=(0.5, 1.0), weights=(1, -1)),
    )
    shown = "divide"
    keys = {"up": "up", "down": "down", "left": "left", "right": "right", ".": "stay"}
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        agents: Annotated[int, Between(1, 10)] = 2,
        height: Annotated[int, Between(5, 32)] = 8,
        width: Annotated[int, Between(5, 32)] = 8,
        items: Sequence[Annotated[int, Between(0, 100)]] = (3, 3, 2),
        reward: Literal["individual", "team"] = "individual",
        probabilities: Sequence[Annotated[float, Between(0, 1)]] | None = None,
        weights: Sequence[Annotated[float, Between(-1_000_000, 1_000_000)]] | None = None,
        horizon: Annotated[int, Between(1, 1_000_000)] = 10,
    ):
        colors, inner = len(items), (height - 2 * EDGE) * (width - 2 * EDGE)
        if not 1 <= colors <= len(COLORS):
            raise ParameterError(f"Items: items={items!r} must have 1 to {len(COLORS)} colors")
        if not 1 <= sum(items) <= inner:
            raise ParameterError(f"Items: items={items!r} must be 1 to {inner} items, which fit into the inner cells")
        if sum(items) + agents > height * width:
            raise ParameterError(f"Items: {agents} agents do not fit beside {sum(items)} items")
        ones = (1.0,) * colors
        for name, values in (("probabilities", probabilities), ("weights", weights)):
            if values is not None and len(values) != colors:
                raise ParameterError(f"Items: {name}={values!r} must have one number for each of {colors} colors")
        chances = ones if probabilities is None else tuple(map(float, probabilities))
        self.colors = COLORS[:colors]
        self.information = "perfect" if min(chances) == 1 else "imperfect"
        self.utility = "identical" if reward == "team" else "general"
        self.define(
            agents=[f"agent_{a}" for a in range(agents)],
            actions=ACTIONS,
            observation=Dict(
                map=Box(-agents, colors, (height, width), np.int8), number=Box(-agents, -1, (1,), np.int8)
            ),
            fields=fields(agents, height, width, colors),
            params={
                "items": fixed(items),
                "team": limited(int(reward == "team"), 0, 1),
                "probabilities": limited(chances, 0.0, 1.0),
                "weights": ones if weights is None else tuple(map(float, weights)),
                "horizon": horizon,
            },
            objectives=dict.fromkeys(self.colors, (0.0, float(agents) if reward == "team" else 1.0)),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts(self.id, level, {"kind", "map"})
        digits, letters = AGENTS[: len(s.row)], ITEMS[: len(self.colors)]
        codes = read_letters(level["map"], f"{self.id}: the level's map", s.items.shape, f".{digits}{letters}")
        for a, digit in enumerate(digits):
            cells = np.argwhere(codes == 1 + a)
            if len(cells) != 1:
                raise LevelError(f"{self.id}: the map has {len(cells)} agents {digit}; it must have 1")
            s.start_row[a], s.start_column[a] = cells[0]
        s.start_items[:] = np.where(codes > len(digits), codes - np.uint8(len(digits)), 0)
        if not s.start_items.any():
            raise LevelError(f"{self.id}: the map has no item")

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": self._rows(s.start_items, s.start_row, s.start_column)}

    def contradiction(self, s: Any) -> str | None:
        for rows, columns in ((s.row, s.column), (s.start_row, s.start_column)):
            if len(set(zip(rows.tolist(), columns.tolist()))) < len(rows):
                return "two agents are in one cell"
        if s.start_items[s.start_row, s.start_column].any():
            return "an agent starts on an item"
        return None if s.left == np.count_nonzero(s.items) else "left does not count the items"

    # Text and pictures.

    def _rows(self, items: Any, rows: Any, columns: Any) -> list[str]:
        """The map as letters."""
        letters = np.array(list("." + ITEMS))[np.asarray(items)]
        letters[rows, columns] = list(AGENTS[: len(rows)])
        return ["".join(row) for row in letters]

    def text(self, s: Any, agent: int) -> str:
        legend = ", ".join(f"{letter} {color}" for letter, color in zip(ITEMS, self.colors))
        lines = [
            f"You are agent {agent}. The map (digits are agents; items: {legend}):",
            *self._rows(s.items, s.row, s.column),
        ]
        items = np.array(s.items)
        items[s.row, s.column] = 0  # an agent hides an item
        row, column = int(s.row[agent]), int(s.column[agent])
        near = sorted((abs(i - row) + abs(j - column), int(i), int(j)) for i, j in np.argwhere(items))
        listed = [f"{self.colors[items[i, j] - 1]} {' '.join(steps(i - row, j - column, SCREEN))}" for _, i, j in near]
        return "\n".join([*lines, f"Items: {'; '.join(listed) or 'none'}."])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The grid; below it, for spectators, what each agent has gathered."""
        height, width = s.items.shape
        scene = Scene(width + 0.8, height + 0.8)
        scene.add(*grid(0.4, 0.4, width, height), Rect(0.4, 0.4, width, height, None, "line", 0.06))
        beneath = set(zip(s.row.tolist(), s.column.tolist()))
        for i, j in np.argwhere(s.items):
            if (int(i), int(j)) not in beneath:
                scene.add(*_item(j + 0.9, i + 0.9, self.colors[s.items[i, j] - 1]))
        for a in range(len(s.row)):
            name = "you" if a == agent else str(a)
            scene.add(*_gatherer(s.column[a] + 0.9, s.row[a] + 0.9, a, name, agent is None and bool(s.taken[a])))
        if agent is None:
            for a in range(len(s.row)):
                scene.add(*_gatherer(0.9, scene.height + 0.45, a, str(a), False))
                for color, name in enumerate(self.colors):
                    x = 1.9 + 1.15 * color
                    scene.add(*_item(x, scene.height + 0.45, name, 0.8))
                    count = str(int(s.gathered[a, color]))
                    scene.add(Label(x + 0.5, scene.height + 0.45, count, 0.42, bold=True, align="left"))
                scene.height += 0.95
            steps = f"step {int(s.t)} of {int(s.params.horizon)}, {int(s.left)} items left"
            scene.add(Label(0.45, scene.height + 0.25, steps, 0.4, "muted", "left"))
            scene.height += 0.65
        return scene

    def layout(self, level: Mapping[str, Any]) -> Scene:
        """The picture of a level."""
        rows = level["map"]
        scene = Scene(len(rows[0]) + 0.8, len(rows) + 0.8)
        scene.add(*grid(0.4, 0.4, len(rows[0]), len(rows)))
        for i, row in enumerate(rows):
            for j, letter in enumerate(row):
                if letter in ITEMS:
                    scene.add(*_item(j + 0.9, i + 0.9, COLORS[ITEMS.index(letter)]))
                elif letter in AGENTS:
                    scene.add(*_gatherer(j + 0.9, i + 0.9, AGENTS.index(letter), letter, False))
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        aim = int((y - 0.4) // 1) - int(s.row[agent]), int((x - 0.4) // 1) - int(s.column[agent])
        moves = list(zip(ROWS.tolist(), COLUMNS.tolist()))
        return moves.index(aim) if aim in moves else None


def _item(x: float, y: float, color: str, size: float = 1.0) -> list[Shape]:
    """A cut stone."""
    wide, low, top = 0.3 * size, 0.32 * size, 0.24 * size
    outline = [(x - wide, y - 0.06 * size), (x - 0.16 * size, y - top), (x + 0.16 * size, y - top)]
    outline += [(x + wide, y - 0.06 * size), (x, y + low)]
    facet = [(x - 0.13 * size, y - 0.06 * size), (x + 0.13 * size, y - 0.06 * size), (x, y + low)]
    return [
        Polygon([(across + 0.03 * size, down + 0.05 * size) for across, down in outline], "shadow@0.25"),
        Polygon(outline, color, "white", 0.03 * size, glyph=ITEMS[COLORS.index(color)] + "◆"),
        Polygon(facet, "white@0.3"),
    ]


def _gatherer(x: float, y: float, agent: int, name: str, taken: bool) -> list[Shape]:
    """An agent: a rounded square, so that it differs from items; with a ring after it gathered one."""
    color = agent_color(agent)
    ring: list[Shape] = [Circle(x, y, 0.47, None, "yellow", 0.08, glyph="")] if taken else []
    return [
        *ring,
        Rect(x - 0.31, y - 0.28, 0.66, 0.66, "shadow@0.25", radius=0.16),
        Rect(x - 0.33, y - 0.33, 0.66, 0.66, color, "white", 0.05, 0.16, glyph=str(agent)),
        Label(x, y, name, 0.42 if len(name) < 3 else 0.3, text_on(color), bold=True, terminal=False),
    ]


env, raw_env, parallel_env = pettingzoo_forms(Items)
