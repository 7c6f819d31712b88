"""Game2048: slide numbered tiles over a board; equal ones that meet become one of twice the number.

**Rules.** The board has `size` x `size` cells. Two tiles lie on it at first. In each step the agent slides all tiles in
one direction, as far as they go. Two equal tiles that meet become one of twice their number; those that are ahead meet
first, and a tile that has just come about does not meet another one. Then a new tile appears in a random empty cell: a
4 with probability `four`, otherwise a 2.

**Agents.** One, `agent`.

**Observation.** Box (size, size) int8.

| value | content |
|---|---|
| 0 | an empty cell |
| k | a tile with the number 2^k |

**Actions.** Discrete (4).

| action | name | legal |
|---|---|---|
| 0, 1, 2, 3 | `up`, `right`, `down`, `left` | if a tile moves |

**Window.** The arrow keys slide.

**Rewards.** The sum of the tiles that have come about.

**Ends.** Terminates when no tile can move, or with a tile of `max_tile`.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 4 | cells on a side, from 2 to 6 |
| `max_tile` | 2048 | the tile that ends the game, a power of 2 from 4 to 1,073,741,824; 0: none does |
| `four` | 0.1 | probability of a 4, from 0 to 1 |

**Level.** ``{"tiles": [[2, 0, 0, 4], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]}``: the numbers, 0 for empty cells.

**Known values.** Mean scores without `max_tile`, by an independent implementation in C++: random play 1095.3 +- 3.8;
the largest sum of new tiles, with random ties, 2003.9 +- 9.3. On a board of 2 x 2, random play earns 19.66 on average
and the best play 66.96, by enumeration.

**Differences.** From OpenSpiel's `2048`:

- Its chance nodes are part of the step.
- There, a move that only joins a tile of the step before with another one is illegal, so the game can end too early.

**Source.** Cirulli, "2048", 2014; OpenSpiel 2.0, `2048`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core import random
from envsuite.core.arrays import copy
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_numbers
from envsuite.core.page import Page, When
from envsuite.core.ranges import limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene
from envsuite.render.theme import text_on

UP, RIGHT, DOWN, LEFT = range(4)
NAMES = ("up", "right", "down", "left")

#: The largest exponent that `max_tile` can have.
MOST = 30


def fields(size: int) -> list[tuple]:
    """The record's own fields; a tile is its exponent, 0 for an empty cell."""
    tile = within(np.int8, 0, size * size + 1)
    return [
        ("begin", tile, (size, size)),  # the level
        ("board", tile, (size, size)),
        ("score", within(np.float64, 0, 2.0**60)),  # sum of rewards
    ]


@kernel
def reset(s):
    size = s.board.shape[0]
    for y in range(size):
        for x in range(size):
            s.board[y, x] = s.begin[y, x] if s.level_given != 0 else 0
    s.score = 0.0
    if s.level_given == 0:
        add_tile(s)
        add_tile(s)
        copy(s.begin, s.board)


@kernel
def add_tile(s):
    """A new tile in a random empty cell; there is one. Returns the number of cells that were empty."""
    empty = 0
    for k in range(s.board.size):
        empty += s.board.flat[k] == 0
    left = random.randint(s, empty)
    tile = 2 if random.bernoulli(s, s.params.four) else 1
    at, seen = np.uint64(0), 0
    for k in range(s.board.size):
        seen += s.board.flat[k] == 0
        at += np.uint64(seen <= left)
    s.board.flat[at] = tile
    return empty


@kernel
def slide(board, size, direction):
    """Slide all tiles of a board, which may stand in a larger array; the sum of those that have come about."""
    # A line starts at the end to which tiles slide. There are no branches: the processor could not predict tiles.
    row, total = board.shape[1], np.int64(0)
    across = row if direction == RIGHT or direction == LEFT else 1
    along = 1 if direction == LEFT else -1 if direction == RIGHT else row if direction == UP else -row
    corner = size - 1 if direction == RIGHT else (size - 1) * row if direction == DOWN else 0
    for line in range(size):
        start = corner + line * across
        free, waiting = 0, 0  # the first free place of the line; the tile before it that can still meet one
        for place in range(size):
            at = np.uint64(start + place * along)
            tile = np.int64(board.flat[at])
            there = np.int64(tile != 0)
            meets = there & np.int64(tile == waiting)
            board.flat[at] = 0
            board.flat[np.uint64(start + (free - meets) * along)] = tile + meets
            total += meets << (tile + 1)
            free += there - meets
            waiting = (waiting if there == 0 else tile) * (1 - meets)
    return np.float64(total)


@kernel
def ways(board, size):
    """The directions in which a tile would move, a bit each."""
    found = 0
    for y in range(size):
        for x in range(1, size):
            near, far = board[y, x - 1], board[y, x]
            met = near == far
            found |= (np.int64((far != 0) & ((near == 0) | met)) << LEFT) | (
                np.int64((near != 0) & ((far == 0) | met)) << RIGHT
            )
            near, far = board[x - 1, y], board[x, y]
            met = near == far
            found |= (np.int64((far != 0) & ((near == 0) | met)) << UP) | (
                np.int64((near != 0) & ((far == 0) | met)) << DOWN
            )
    return found


@kernel
def step(s, actions, rewards):
    rewards[0] = slide(s.board, s.board.shape[0], np.int64(actions[0]))
    s.score += rewards[0]
    stuck = add_tile(s) == 1 and ways(s.board, s.board.shape[0]) == 0
    reached = False
    for k in range(s.board.size):
        reached |= s.board.flat[k] == s.params.last
    s.terminated[0] = stuck or reached


@kernel
def observe(s, agent, out):
    for y in range(s.board.shape[0]):
        for x in range(s.board.shape[0]):
            out[y, x] = s.board[y, x]


@kernel
def legal(s, agent, mask):
    found = ways(s.board, s.board.shape[0])
    for direction in range(4):
        mask[direction] = (found >> direction) & 1


PAGE = Page(
    role="You slide numbered tiles over a board.",
    goal="When two tiles become one, you are paid the number of the new tile.",
    rules=(
        "The board has {size} rows and {size} columns. Each turn you choose a direction, and all tiles slide that way "
        "as far as they go. Two equal tiles that meet become one tile with twice the number. In a row of equal tiles "
        "those that are ahead meet first, and a tile that is new in this turn does not meet another one. You can only "
        "choose a direction in which a tile moves. Then a new tile appears in an empty cell, each equally likely: a 4 "
        "with a probability of {four}, otherwise a 2.",
    ),
    sees="You see the whole board, with dots for empty cells.",
    acts={("up", "right", "down", "left"): "slide all tiles that way"},
    ends=When(
        "last",
        "It is over when there is a tile of {last}, or when no tile can move.",
        "It is over when no tile can move.",
    ),
    unsaid={"max_tile": "told as the tile that ends the game"},
    constants={"4": "a new tile", "2": "a new tile", "two": "tiles that meet", "twice": "what they become"},
)


class Game2048(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    information = "perfect"
    kind = ("puzzles",)
    verified = "OpenSpiel in lock-step; exact values of 2 x 2; scores of an implementation in C++"
    variants = (dict(size=3, max_tile=0, four=0.5), dict(max_tile=16))
    shown = "planner"
    clickable = "(?!)"
    keys = {name: name for name in NAMES}
    player_page = PAGE

    def __init__(
        self,
        size: Annotated[int, Between(2, 6)] = 4,
        max_tile: Annotated[int, Between(0, 2**MOST)] = 2048,
        four: Annotated[float, Between(0, 1)] = 0.1,
    ):
        last = max_tile.bit_length() - 1 if max_tile else 0
        if max_tile and (max_tile < 4 or max_tile != 2**last):
            raise ParameterError(f"Game2048: max_tile={max_tile} must be 0 or a power of 2 from 4 on")
        # No tile is larger than 2 to the number of cells plus 1.
        most = size * size + 1
        self.define(
            agents=["agent"],
            actions=NAMES,
            observation=Box(0, most, (size, size), np.int8),
            fields=fields(size),
            params={"last": limited(last or MOST + 10, 2, MOST + 10), "four": float(four)},
            reward_range=(0.0, 2.0 ** (most + 1)),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.terminated[0]:
            return None
        if not ways(s.board, len(s.board)):
            return "no tile can move"
        return "a tile ends the game" if (s.board == s.params.last).any() else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "tiles")
        size = len(s.board)
        most = min(size * size + 1, int(s.params.last) - 1)
        tiles = read_numbers(level["tiles"], f"{self.id}: the level's tiles", (size, size), 0, 2**most, whole=True)
        for (y, x), tile in np.ndenumerate(tiles):
            if tile == 1 or tile & (tile - 1):
                raise LevelError(f"{self.id}: tile {tile} must be 0 or a power of 2 from 2 to {2**most}")
            s.begin[y, x] = int(tile).bit_length() - 1 if tile else 0
        if not ways(s.begin, size):
            raise LevelError(f"{self.id}: no tile of this level can move")

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"tiles": [[2 ** int(tile) if tile else 0 for tile in row] for row in s.begin]}

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"last": 2 ** int(s.params.last) if s.params.last <= MOST else 0}

    def text(self, s: Any, agent: int) -> str:
        wide = len(str(2 ** int(s.board.max())))
        rows = ["  " + " ".join(str(2 ** int(tile) if tile else ".").rjust(wide) for tile in row) for row in s.board]
        over = " The game is over." if s.terminated[0] else ""
        return "\n".join(["The board:", *rows, f"Score: {s.score:g}.{over}"])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        size = len(s.board)
        scene = Scene(12, 13.4)
        side = 11.0 / size
        scene.add(Label(0.5, 0.8, "2048", 0.7, align="left", bold=True))
        over = " · over" if s.terminated[0] else ""
        scene.add(Label(11.5, 0.8, f"score {s.score:g}{over}", 0.5, "muted", "right"))
        scene.add(Rect(0.4, 1.6, 11.2, 11.2, "line", radius=0.25))
        for (y, x), tile in np.ndenumerate(s.board):
            left, top = 0.5 + side * x, 1.7 + side * y
            color = COLORS[min(int(tile), len(COLORS) - 1)]
            scene.add(Rect(left + 0.06, top + 0.06, side - 0.12, side - 0.12, color, radius=0.18))
            if tile:
                number = str(2 ** int(tile))
                letters = min(0.42 * side, 1.5 * side / len(number))
                scene.add(Label(left + side / 2, top + side / 2, number, letters, text_on(color), bold=True))
        return scene


#: The color of an empty cell, and of each tile by its exponent; larger ones have the last.
COLORS = tuple("panel white floor yellow gold orange red pink purple sky blue green leaf deep".split())


env, raw_env, parallel_env = pettingzoo_forms(Game2048)
