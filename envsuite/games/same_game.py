"""SameGame: agents remove groups of tiles of one color in turn, and each color may be an objective of its own.

**Rules.** A board of `height` x `width` squares is filled with tiles of `colors` colors; each tile has any color with
the same probability. A group is a largest set of tiles of one color that are connected by sides. The agents move in
turn. A move removes a group of two or more tiles. Then the tiles above empty squares fall down, and columns without
tiles are closed from the right. A move that removes n tiles is worth n x n points.

**Agents.** `agent_0`, or 1 to 5 agents that move in the order of their numbers.

**Observation.** Box (height, width, colors) int8, the same for all agents. Row 0 is the top row.

| plane | value 1 where |
|---|---|
| k | a tile of color k lies |

**Actions.** Discrete (height x width).

| action | name | legal |
|---|---|---|
| row x width + column | `0 0`, `0 1`, ...: remove the group of this row and column | two or more tiles, own turn |

All tiles of a group mean the same move.

**Window.** A click on a tile removes its group.

**Rewards.** The sum of the objectives, weighted by `weights`. Infos have the objectives as "vector_reward". Texts and
pictures count points without weights.

| objective | in one transition |
|---|---|
| `red`, `blue`, ... | with `color_rewards`, one for each color: n x n if the agent removes n tiles of this color |
| `points` | without `color_rewards`, the only one: n x n if the agent removes n tiles |

With `team`, all agents receive what the agent that moves receives.

**Ends.** Terminates when no group of two or more tiles is left.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `height`, `width` | 15, 15 | squares of the board, each from 3 to 30 |
| `colors` | 5 | number of colors, from 2 to 10 |
| `agents` | 1 | number of agents, from 1 to 5 |
| `team` | False | whether all agents receive the reward of each move |
| `color_rewards` | True | whether each color is an objective |
| `weights` | None | weights of the objectives, each from -1,000,000 to 1,000,000; None: 1 |

The colors are red, blue, yellow, green, purple, orange, sky, pink, white and brown.

**Level.** ``{"board": ["r..", "bb.", "brr"]}``: the rows of the board from the top, with a letter for each tile and a
dot for each empty square. Letters are the first ones of the colors, but `k` for pink and `n` for brown. No tile has an
empty square below it or an empty column to its left, and there is a group of two or more tiles.

**Known values.** Uniformly random play of one agent, points in total and moves, mean +- standard error; this world in
40,000 episodes:

| board | momaland 0.2.0 | moves | this world | moves |
|---|---|---|---|---|
| 5 x 5, 3 colors | 113.7 +- 2.6 | 6.0 | 112.7 +- 0.2 | 5.9 |
| 8 x 8, 3 colors | 456.3 +- 9.1 | 12.6 | 447.9 +- 0.6 | 12.6 |
| 15 x 15, 5 colors | 762 +- 27 | 61.3 | 758.9 +- 0.5 | 61.8 |

**Differences.** From MOMAland's `mosame_game_v0`, whose boards, rewards and ends are otherwise equal:

- There, the number of a square is row x height + column. On a board that is wider than high, different squares have
  the same number; on one that is higher than wide, numbers lie outside of the mask.
- There, observations have the axes width, height and colors, although the space says height, width and colors.
- There, a board without any group has no legal action and never ends. Here, such a board is drawn again.
- Names: `board_width`, `board_height`, `num_colors`, `num_agents` and `team_rewards` there.

**Source.** Moribe, "Chain Shot!", 1985; Felten et al., "MOMAland: A Set of Benchmarks for Multi-Objective Multi-Agent
Reinforcement Learning", 2024.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import copy, fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When, listed
from envsuite.core.random import randint
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit.grid import DX, DY
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene
from envsuite.render.theme import text_on

EMPTY = 0

#: The colors of tiles 1, 2, ... and their letters.
COLORS = ("red", "blue", "yellow", "green", "purple", "orange", "sky", "pink", "white", "brown")
LETTERS = "rbygposkwn"

#: The longest side of a board.
LONGEST = 30


def fields(height: int, width: int, colors: int, agents: int, objectives: int) -> list[tuple]:
    """The record; a tile is the number of its color, from 1."""
    squares = height * width
    return [
        ("start", below(np.int8, colors + 1), (height, width)),  # the board at the start
        ("board", below(np.int8, colors + 1), (height, width)),
        ("player", below(np.int64, agents)),  # whose turn it is
        ("points", within(np.int64, 0, squares**2), (agents, objectives)),  # of each agent so far
        ("todo", below(np.int64, squares), (squares,)),  # squares of the group that is removed; zero after it
    ]


@kernel
def reset(s):
    height, width = s.board.shape
    while not s.level_given:
        for row in range(height):
            for column in range(width):
                s.start[row, column] = 1 + randint(s, s.params.colors)
        if playable(s.start, height, width):
            break
    copy(s.board, s.start)
    fill(s.todo, 0)
    fill(s.points, 0)
    s.player = 0


@kernel
def grouped(board, height, width, row, column):
    """Whether a square has a tile with a neighbor of its color."""
    color = board[row, column]
    if color == EMPTY:
        return False
    return (
        (row > 0 and board[row - 1, column] == color)
        or (column > 0 and board[row, column - 1] == color)
        or (row + 1 < height and board[row + 1, column] == color)
        or (column + 1 < width and board[row, column + 1] == color)
    )


@kernel
def playable(board, height, width):
    """Whether there is a group of two or more tiles."""
    for row in range(height):
        for column in range(width):
            if grouped(board, height, width, row, column):
                return True
    return False


@kernel
def take(board, todo, height, width, row, column):
    """Remove the group of a tile: how many tiles. Their squares are then the first ones of `todo`."""
    color = board[row, column]
    board[row, column] = EMPTY
    todo[0] = row * width + column
    done, count = 0, 1
    while done < count:
        row, column = todo[done] // width, todo[done] % width
        done += 1
        for k in range(4):
            near, beside = row + DY[k], column + DX[k]
            if 0 <= near < height and 0 <= beside < width and board[near, beside] == color:
                board[near, beside] = EMPTY
                todo[count] = near * width + beside
                count += 1
    return count


@kernel
def fall(board, height, width, column):
    """Let the tiles of a column fall down."""
    free = height - 1
    for row in range(height - 1, -1, -1):
        tile = board[row, column]
        if tile != EMPTY:
            board[row, column] = EMPTY
            board[free, column] = tile
            free -= 1


@kernel
def close(board, height, width):
    """Move columns to the left over those without tiles."""
    free = 0
    for column in range(width):
        if board[height - 1, column] != EMPTY:
            if free < column:
                for row in range(height):
                    board[row, free] = board[row, column]
                    board[row, column] = EMPTY
            free += 1


@kernel
def step(s, actions, rewards):
    height, width = s.board.shape
    agents, objectives = s.points.shape
    row, column = actions[s.player] // width, actions[s.player] % width
    color = np.int64(s.board[row, column])
    count = take(s.board, s.todo, height, width, row, column)
    for k in range(count):
        s.todo[k] = 0
    for place in range(width):
        fall(s.board, height, width, place)
    close(s.board, height, width)
    part = color - 1 if objectives > 1 else 0
    for agent in range(agents):
        if agent == s.player or s.params.team:
            s.objectives[agent, part] = count * count
            s.points[agent, part] += count * count
    s.player = (s.player + 1) % agents
    if not playable(s.board, height, width):
        fill(s.terminated, 1)


@kernel
def observe(s, agent, out):
    fill(out, 0)
    for k in range(s.board.size):
        tile = s.board.flat[k]
        if tile != EMPTY:
            out.flat[k * out.shape[2] + tile - 1] = 1


@kernel
def legal(s, agent, mask):
    if s.player == agent:
        height, width = s.board.shape
        for row in range(height):
            for column in range(width):
                mask[row * width + column] = grouped(s.board, height, width, row, column)


PAGE = Page(
    role=When(
        "others",
        "Together with {others} you remove groups of tiles from one board.",
        "You remove groups of tiles from a board.",
    ),
    goal=(
        "A move that removes n tiles pays n x n points{weighed}.",
        When(
            "others", When("team", "All players are paid for every move.", "Only the player that moves is paid for it.")
        ),
    ),
    rules=(
        "The board has {height} rows and {width} columns, and its tiles have {colors} colors. A group is made of all "
        "tiles of one color that hang together by their sides.",
        When("others", "You move in turn, in the order of your numbers; {first} begins."),
        "A move removes a whole group of two or more tiles. Then the tiles above fall down, and where a column is "
        "empty, all columns to the right of it move left to close the gap.",
    ),
    sees=When(
        "weighed",
        "You see the whole board, and the points of each player before they are multiplied.",
        "You see the whole board and what each player has earned.",
    ),
    acts={
        "{ROW} {COLUMN}": (
            "remove the group of the tile in this row and column; rows count from 0 at the top, columns from 0 at the "
            "left"
        )
    },
    ends="It is over when no group of two or more tiles is left.",
    unsaid={
        "agents": "told by the names of the others",
        "color_rewards": "players are paid the sum over all colors",
        "weights": "told with what a move pays",
    },
    constants={"two": "the tiles of the smallest group", "0": "the first row and column"},
)


class SameGame(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    information = "perfect"
    kind = ("puzzles",)
    verified = "MOMAland's `mosame_game_v0` in lock-step; all boards of 3 x 3 by a second implementation"
    variants = (
        dict(height=4, width=6, colors=3, agents=3, weights=(1.0, -2.0, 0.5)),
        dict(height=6, width=4, colors=2, agents=2, team=True, color_rewards=False),
    )
    shown = "taboo"
    player_page = PAGE

    def __init__(
        self,
        height: Annotated[int, Between(3, LONGEST)] = 15,
        width: Annotated[int, Between(3, LONGEST)] = 15,
        colors: Annotated[int, Between(2, len(COLORS))] = 5,
        agents: Annotated[int, Between(1, 5)] = 1,
        team: bool = False,
        color_rewards: bool = True,
        weights: Sequence[Annotated[float, Between(-1_000_000, 1_000_000)]] | None = None,
    ):
        self.colors = COLORS[:colors]
        objectives = self.colors if color_rewards else ("points",)
        self.level_fields = {"board": ("start", "." + LETTERS[:colors])}
        self.utility = "identical" if team else "general"
        self.define(
            agents=[f"agent_{agent}" for agent in range(agents)],
            actions=[f"{row} {column}" for row in range(height) for column in range(width)],
            observation=Box(0, 1, (height, width, colors), np.int8),
            fields=fields(height, width, colors, agents, len(objectives)),
            params={
                "colors": fixed(colors),
                "team": team,
                "weights": (1.0,) * len(objectives) if weights is None else tuple(map(float, weights)),
            },
            objectives=dict.fromkeys(objectives, (0.0, float((height * width) ** 2))),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        if problem := unsettled(s.start):
            raise LevelError(f"{self.id}: the level's board has {problem}")
        if not playable(s.start, *s.start.shape):
            raise LevelError(f"{self.id}: the level's board has no group of two or more tiles")

    def contradiction(self, s: Any) -> str | None:
        for board in (s.start, s.board):
            if problem := unsettled(board):
                return f"a board has {problem}"
        if not playable(s.start, *s.start.shape):
            return "the board at the start has no group"
        removed = np.count_nonzero(s.start) - np.count_nonzero(s.board)
        if removed < 0 or s.points.sum(axis=1).max() > removed**2:
            return "the points are more than the tiles that are removed can give"
        return "no group is left" if not (s.terminated[0] or playable(s.board, *s.board.shape)) else None

    def groups(self, s: Any) -> list[tuple[int, str, tuple[int, int]]]:
        """The groups of two or more tiles, largest first: their size, color and uppermost leftmost square."""
        height, width = s.board.shape
        board, todo, found = np.array(s.board), np.zeros(height * width, np.int64), []
        for row, column in np.argwhere(board).tolist():
            if color := int(board[row, column]):
                count = take(board, todo, height, width, row, column)
                found.append((int(count), self.colors[color - 1], (row, column)))
        return sorted((group for group in found if group[0] > 1), key=lambda group: -group[0])

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        weights = [float(weight) for weight in np.atleast_1d(s.params.weights)]
        weighed = ""
        if any(weight != 1 for weight in weights):
            each = [f"{w:g} for {name}" if len(weights) > 1 else f"{w:g}" for w, name in zip(weights, self.objectives)]
            weighed = f", times {listed(each)}"
        return {"weighed": weighed, "first": self.agents[0]}

    def text(self, s: Any, agent: int) -> str:
        height, width = s.board.shape
        lines = [f"    {' '.join(digits)}".rstrip() for digits in _numbered(width)]
        lines += [f"{row:2}  {' '.join(letters)}" for row, letters in enumerate(lettered(s.board))]
        names = ", ".join(f"{letter} {color}" for letter, color in zip(LETTERS, self.colors))
        lines.append(f"Tiles: {names}.")
        lines.append(self._standing(s, agent))
        if s.terminated[0]:
            return "\n".join([*lines, "The game is over: no group of two or more tiles is left."])
        found = self.groups(s)
        shown = "; ".join(f"{count} {color} at `{row} {column}`" for count, color, (row, column) in found[:5])
        lines.append(f"{'The largest groups' if len(found) > 5 else 'The groups'}: {shown}.")
        if s.player == agent:
            lines.append("It is your turn.")
        else:
            lines.append(f"It is the turn of {self.agents[s.player]}.")
        return "\n".join(lines)

    def _standing(self, s: Any, agent: int) -> str:
        """The points so far, in words."""
        counts = s.points.sum(axis=1)
        mine = f"You are {self.agents[agent]} and have {counts[agent]} points"
        if len(self.objectives) > 1:
            mine += " (" + ", ".join(f"{points} {name}" for points, name in zip(s.points[agent], self.objectives)) + ")"
        others = [f"{self.agents[k]} has {count}" for k, count in enumerate(counts) if k != agent]
        return "; ".join([mine, *others]) + "."

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The board, with neighbors of one color joined, and the points below it."""
        height, width = s.board.shape
        scene = Scene(_across(height, width), height + 0.5)
        left, top = (scene.width - width) / 2, 0.3
        scene.add(Rect(left - 0.1, top - 0.1, width + 0.2, height + 0.2, "panel", "line", 0.05, 0.15))
        tiles = [(row, column, int(s.board[row, column])) for row, column in np.argwhere(s.board).tolist()]
        for row, column, tile in tiles:
            x, y, color = left + column, top + row, COLORS[tile - 1]
            scene.add(Rect(x + 0.05, y + 0.05, 0.9, 0.9, color, radius=0.2, glyph=LETTERS[tile - 1]))
            if column > 0 and s.board[row, column - 1] == tile:
                scene.add(Rect(x - 0.3, y + 0.05, 0.6, 0.9, color))
            if row > 0 and s.board[row - 1, column] == tile:
                scene.add(Rect(x + 0.05, y - 0.3, 0.9, 0.6, color))
                if column > 0 and (s.board[row - 1 : row + 1, column - 1 : column + 1] == tile).all():
                    scene.add(Rect(x - 0.1, y - 0.1, 0.2, 0.2, color))
        for row, column, tile in tiles:
            letter, ink = LETTERS[tile - 1], text_on(COLORS[tile - 1])
            scene.add(Label(left + column + 0.5, top + row + 0.5, letter, 0.36, ink, terminal=False))
        size = max(scene.width, scene.height) / 32
        for k, count in enumerate(s.points.sum(axis=1)):
            scene.height += 2 * size
            name = "" if len(self.agents) == 1 else f"agent {k} (you): " if k == agent else f"agent {k}: "
            scene.add(Label(0.3, scene.height - size, f"{name}{count} points", size, "muted", "left"))
            if k == s.player:
                note = "over" if s.terminated[0] else "to move" if name else ""
                scene.add(Label(scene.width - 0.3, scene.height - size, note, size, "muted", "right"))
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        height, width = s.board.shape
        row, column = math.floor(y - 0.3), math.floor(x - (_across(height, width) - width) / 2)
        if s.player != agent or not (0 <= row < height and 0 <= column < width):
            return None
        return row * width + column if grouped(s.board, height, width, row, column) else None


def _across(height: int, width: int) -> float:
    """The width of the picture; there is room for the points below the board."""
    return max(width, 6, height / 2) + 0.6


def lettered(board: Any) -> list[str]:
    """The rows of a board as letters."""
    return ["".join(("." + LETTERS)[tile] for tile in row) for row in board]


def _numbered(width: int) -> list[tuple[str, ...]]:
    """The numbers of columns in lines of digits: the tens, if there are any, above the units."""
    digits = len(str(width - 1))
    return list(zip(*(f"{column:{digits}}" for column in range(width))))


def unsettled(board: Any) -> str:
    """The first tile, in words, that could fall or move to the left; "" if there is none."""
    tiles = np.asarray(board) != EMPTY
    floating = np.argwhere(tiles[:-1] & ~tiles[1:])
    if len(floating):
        row, column = floating[0]
        return f"an empty square below the tile at row {row}, column {column}"
    lone = np.flatnonzero(tiles[-1, 1:] & ~tiles[-1, :-1])
    return f"an empty column {lone[0]} to the left of tiles" if len(lone) else ""


env, raw_env, parallel_env = pettingzoo_forms(SameGame)
