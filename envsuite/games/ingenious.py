"""Ingenious: players put tiles of two colors on hexagons and score rows of each color; the lowest color counts.

**Rules.** The board is a hexagon of hexagonal cells with `side` cells on each side. Its six corners are colored from
the start. A tile covers two neighboring cells, and each half has one of `colors` colors. Each player has a rack of
`rack` tiles, which others do not see.

A move puts a tile on two free cells. Each half then scores in its own color: from its cell, in each of the five
directions that do not lead to the other half, it counts the cells of its color up to the first cell without it. A
score ends at the cap: 18, or 18 times the number of players in a team. Then:

1. The player draws a tile. Its place in the rack is the last; of equal tiles, the first was played.
2. If none of its tiles has a color in which its score is lowest, its whole rack is exchanged: it draws new tiles, and
   then puts the old ones back into the bag.
3. It moves again if the move would have raised a color from below the cap to more than the cap. Otherwise, the next
   player moves.

The first tile of each player lies beside a corner, and beside no corner that has a tile beside it. If that is not
possible, it may lie anywhere.

**Agents.** `player_0`, `player_1`, ..., 2 to 6 players that move in this order.

**Observation.** Dict. Players count from the observing one, in the order of moves.

| part | space | content |
|---|---|---|
| board | Box (2 side - 1, 2 side - 1) int8 | the color on each cell; 0 if it is free or not on the board |
| racks | Box (1 or players, rack, 2) int8 | the two colors of each tile, own rack first; all racks with `open_racks` |
| scores | Box (players, colors) int16 | the scores of each player, own ones first |
| mover | Box (1,) int8 | who moves: 0 for the observing player |

Colors are numbered from 1: red, green, blue, orange, yellow, purple. Cell (row, column) is on the board if row + column
is from side - 1 to 3 side - 3. Its neighbors are the cells beside it in its row and in its column, (row + 1,
column - 1) and (row - 1, column + 1).

**Actions.** Discrete, with an action for each pair of neighboring cells in both orders and each place of the rack: 2880
on a board of side 6 with racks of 6. Numbers run through first cells row by row, then through the directions (1, 0),
(1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1) of the second cell as (row, column), then through tiles.

| action | name | legal |
|---|---|---|
| 0, 1, ... | `f1 f2 1`, ...: tile 1 on f1 (first color) and f2 | own turn, both cells free; see above for the first |

The name of a cell is a letter for the column and the number of the row.

**Window.** A drag from a cell to a neighbor puts tile 1 there, with its first color on the first cell.

**Rewards.** The sum of the objectives, weighted by `weights`. Infos have the objectives as "vector_reward".

| objective | in one transition |
|---|---|
| `red`, `green`, ... | for each color, the growth of the player's score |
| `lowest` | the growth of the player's lowest score |

The return of `lowest` is the player's lowest score at the end, which decides the printed game. In teams, each move
changes the scores of the whole team.

**Ends.** Terminates when no two neighboring cells are free.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 2 | number of players, from 2 to 6 |
| `side` | None | cells on each side of the board, from 3 to 10; None: `players` + 4 |
| `colors` | 6 | number of colors of tiles, from 2 to 6 |
| `rack` | 6 | tiles in a rack, from 2 to 6 |
| `mode` | "competitive" | "competitive", "two_teams" (even and odd players), or "collaborative" (one team) |
| `open_racks` | False | whether all players see all racks |
| `weights` | None | weights of the objectives, each from -1,000,000 to 1,000,000; None: 1 for `lowest`, 0 for colors |

With six colors, the bag holds six tiles of each pair of colors and five of each double. With fewer colors, it holds
equally many tiles of each kind. In all, these are 120 tiles, or 240 for boards of side 9 and 10.

**Level.** ``{"racks": [["rg", "bb"], ["oy", "gp"]]}``: the first racks, with two tiles each. Letters are those of the
colors, and the colors of a tile are in the order above.

**Known values.** Random play of two players on the usual board, 30 games of momaland 0.2.0: the scores of a player sum
to 14.2 and 14.1, its lowest score is 0.37 and 0.27, and a game has 38.0 moves.
This world in 1,000 games: 14.3 and 14.4, 0.34 and 0.35, 38.1 moves.

**Differences.** From MOMAland's `moingenious_v0`:

- There, a color that is at the cap continues to score beyond it. The next move in this color then gives a bonus turn
  and sets it back to the cap. Here, it stays at the cap.
- There, all players are stuck if no corner is left for a first tile. Here, the tile may lie anywhere.
- There, on a board of side 3, a first tile on a cell between two corners takes one of them only.
- There, an exchange from a bag with fewer tiles than a rack raises an error. Here, the rack stays as it is. This can
  happen only with six players on a board of side 8.
- There, the order of actions follows that of a Python set. Here, it is as above.
- There, an observation numbers players from `agent_0`. Here, they count from the observing player, and `mover` is
  added.
- There, at most as many players as colors can play.
- There, rewards have no objective `lowest`.
- Names: `num_agents`, `board_size`, `num_colors`, `rack_size`, `reward_mode` and `fully_obs` there.

From the printed game, as in MOMAland: a bonus turn needs more than the cap, the rack is refilled before it, racks
are exchanged without being asked, and new tiles are drawn before the old ones go back.

**Source.** Knizia, "Ingenious", 2004; Felten et al., "MOMAland: A Set of Benchmarks for Multi-Objective Multi-Agent
Reinforcement Learning", 2024.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import exact_parts, read_list, read_name
from envsuite.core.page import Case, Page, When, listed
from envsuite.core.random import randint, shuffle
from envsuite.core.ranges import among, below, fixed, within
from envsuite.core.world import Between, Kernels, World
from envsuite.games.hex import RADIUS, center, hexagon
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Polygon, Scene
from envsuite.render.theme import text_on

EMPTY = 0

#: The colors 1, 2, ... of cells and their letters.
COLORS = ("red", "green", "blue", "orange", "yellow", "purple")
LETTERS = "rgboyp"

#: A tile of the colors a and b, a <= b, is the number BASE * a + b; 0 is none.
BASE = 7
TILES = BASE * BASE

#: The six directions; that of number k + 3 is the opposite of k.
ROWS = np.array([1, 1, 0, -1, -1, 0])
COLUMNS = np.array([0, -1, -1, 0, 1, 1])

#: What a player alone can score in a color.
CAP = 18

#: Moves that are listed one by one, at the most.
FEW = 12

MODES = ("competitive", "two_teams", "collaborative")
COMPETITIVE, TWO_TEAMS = range(2)

#: The sides of the smallest and of the largest board.
SMALLEST, LARGEST = 3, 10


def inside(width: int, row: int, column: int) -> bool:
    """Whether a cell is on the board."""
    middle = width // 2
    return 0 <= row < width and 0 <= column < width and middle <= row + column <= 3 * middle


def neighbors(side: int) -> list[tuple[int, int, int]]:
    """All pairs of neighbors in the order of the actions: both as row * width + column, and the direction."""
    width, found = 2 * side - 1, []
    for row, column in np.ndindex(width, width):
        for k, (y, x) in enumerate(zip((row + ROWS).tolist(), (column + COLUMNS).tolist())):
            if inside(width, row, column) and inside(width, y, x):
                found.append((row * width + column, y * width + x, k))
    return found


#: `neighbors` of boards of all sides from `SMALLEST` on, and how many pairs there are.
COUNTS = np.array([len(neighbors(side)) for side in range(SMALLEST, LARGEST + 1)])
PAIRS = np.zeros((len(COUNTS), COUNTS[-1], 3), np.int16)
for _k, _count in enumerate(COUNTS):
    PAIRS[_k, :_count] = neighbors(SMALLEST + _k)


def fields(players: int, side: int, colors: int, rack: int, tiles: int) -> list[tuple]:
    """The record."""
    width = 2 * side - 1
    return [
        ("start", below(np.int8, TILES), (players, rack)),  # the racks at the start
        ("racks", below(np.int8, TILES), (players, rack)),
        ("board", below(np.int8, BASE), (width, width)),  # the color of each cell
        ("bag", below(np.int8, TILES), (tiles,)),  # the tiles in the bag, the next one last; then 0
        ("left", within(np.int64, 0, tiles)),  # how many tiles are in the bag
        ("scores", within(np.int16, 0, CAP * players), (players, colors)),
        ("player", below(np.int64, players)),  # whose turn it is
        ("moves", within(np.int64, 0, width * width // 2)),  # so far
    ]


def bag(colors: int, tiles: int) -> list[int]:
    """All tiles, in order."""
    kinds = list(combinations_with_replacement(range(1, colors + 1), 2))
    count = {kind: (6 if kind[0] < kind[1] else 5) if colors == 6 else 120 // len(kinds) for kind in kinds}
    return [BASE * a + b for a, b in kinds for _ in range(count[a, b] * (tiles // 120))]


@kernel
def reset(s):
    players, rack = s.racks.shape
    s.left = s.bag.shape[0]
    for k in range(s.left):
        s.bag[k] = s.params.tiles[k]
    if s.level_given:
        for k in range(players * rack):
            take_out(s, s.start.flat[k])
    shuffle(s, s.bag, s.left)
    for k in range(players * rack):
        if not s.level_given:
            s.start.flat[k] = draw(s)
        s.racks.flat[k] = s.start.flat[k]
    fill(s.board, EMPTY)
    middle = s.board.shape[0] // 2
    for k in range(6):
        s.board[middle * (1 + ROWS[k]), middle * (1 + COLUMNS[k])] = k + 1
    fill(s.scores, 0)
    s.player = 0
    s.moves = 0


@kernel
def take_out(s, tile):
    """Take a tile out of the bag."""
    for k in range(s.left):
        if s.bag[k] == tile:
            s.left -= 1
            s.bag[k] = s.bag[s.left]
            s.bag[s.left] = 0
            return


@kernel
def draw(s):
    """Draw the next tile of the bag; 0 if there is none."""
    if s.left == 0:
        return np.int64(0)
    s.left -= 1
    tile = np.int64(s.bag[s.left])
    s.bag[s.left] = 0
    return tile


@kernel
def size(board):
    """The place of a board in the tables for all sides."""
    return (board.shape[0] + 1) // 2 - SMALLEST


@kernel
def points(board, cell, color, but):
    """What a half of this color is worth on a cell: the cells of its color in all directions except `but`."""
    width, count = board.shape[0], 0
    for k in range(6):
        if k != but:
            row, column = cell // width + ROWS[k], cell % width + COLUMNS[k]
            while 0 <= row < width and 0 <= column < width and board[row, column] == color:
                count += 1
                row += ROWS[k]
                column += COLUMNS[k]
    return count


@kernel
def beside_corner(board, cell):
    """Whether a cell lies beside a corner: 0 no, 1 beside free ones only, 2 beside one that has a tile beside it."""
    width, found = board.shape[0], 0
    middle = width // 2
    for k in range(6):
        near, taken = False, False
        for i in range(6):
            row, column = middle * (1 + ROWS[k]) + ROWS[i], middle * (1 + COLUMNS[k]) + COLUMNS[i]
            if 0 <= row < width and 0 <= column < width:
                near = near or row * width + column == cell
                taken = taken or board[row, column] != EMPTY
        if near:
            found = max(found, 2 if taken else 1)
    return found


@kernel
def fits(board, number, opening):
    """Whether a tile may lie on a pair of neighbors; `opening` if it is a first one that must lie beside a corner."""
    first, second = np.int64(PAIRS[size(board), number, 0]), np.int64(PAIRS[size(board), number, 1])
    if board.flat[first] != EMPTY or board.flat[second] != EMPTY:
        return False
    return not opening or max(beside_corner(board, first), beside_corner(board, second)) == 1


@kernel
def possible(board, opening):
    """Whether a tile may lie anywhere."""
    for number in range(COUNTS[size(board)]):
        if fits(board, number, opening):
            return True
    return False


@kernel
def opens(s):
    """Whether the next tile must lie beside a corner: it is its player's first one, and there is room for it."""
    return s.moves < s.racks.shape[0] and possible(s.board, True)


@kernel
def lowest(scores, player):
    """A player's lowest score."""
    least = scores[player, 0]
    for color in range(1, scores.shape[1]):
        least = min(least, scores[player, color])
    return least


@kernel
def distance(mode, players):
    """The players of a team are every n-th one."""
    return players if mode == COMPETITIVE else 2 if mode == TWO_TEAMS else 1


@kernel
def pay(s, first, second, gain, more):
    """Add points in two colors, numbered from 0, to the scores of a team: whether the player moves again."""
    players = s.scores.shape[0]
    step, player = distance(s.params.mode, players), s.player
    cap = CAP * (players // step)
    low, again = lowest(s.scores, player), False
    before = s.scores[player, first], s.scores[player, second]
    reached = before[0] + gain + (more if first == second else 0), before[1] + more + (gain if first == second else 0)
    again = (before[0] < cap < reached[0]) or (before[1] < cap < reached[1])
    for member in range(player % step, players, step):
        s.scores[member, first] = min(reached[0], cap)
        s.scores[member, second] = min(reached[1], cap)
        s.objectives[member, first] = s.scores[member, first] - before[0]
        s.objectives[member, second] = s.scores[member, second] - before[1]
        s.objectives[member, s.scores.shape[1]] = lowest(s.scores, member) - low
    return again


@kernel
def refill(s, place):
    """Close the gap in the mover's rack and draw a tile; then exchange the rack if it lacks all lowest colors."""
    rack = s.racks.shape[1]
    close(s, place)
    s.racks[s.player, rack - 1] = draw(s)
    low = lowest(s.scores, s.player)
    for k in range(rack):
        tile = s.racks[s.player, k]
        for color in (tile // BASE, tile % BASE):
            if 1 <= color <= s.scores.shape[1] and s.scores[s.player, color - 1] == low:
                return
    if s.left >= rack:
        exchange(s)


@kernel
def close(s, place):
    """Move the tiles behind a place of the mover's rack up; the last place is then empty."""
    rack = s.racks.shape[1]
    for k in range(place, rack - 1):
        s.racks[s.player, k] = s.racks[s.player, k + 1]
    s.racks[s.player, rack - 1] = 0


@kernel
def exchange(s):
    """Draw a new rack for the mover; then the old tiles go to random places of the bag."""
    rack = s.racks.shape[1]
    for k in range(rack):
        place = s.left - 1 - k
        old = s.racks[s.player, k]
        s.racks[s.player, k] = s.bag[place]
        s.bag[place] = old
    for place in range(s.left - rack, s.left):
        other = randint(s, place + 1)
        held = s.bag[place]
        s.bag[place] = s.bag[other]
        s.bag[other] = held


@large_kernel
def step(s, actions, rewards):
    players, rack = s.racks.shape
    player, pair = s.player, PAIRS[size(s.board), actions[s.player] // rack]
    place = actions[player] % rack
    tile = s.racks[player, place]
    for earlier in range(place - 1, -1, -1):
        if s.racks[player, earlier] == tile:
            place = earlier
    cells, direction = (np.int64(pair[0]), np.int64(pair[1])), np.int64(pair[2])
    first, second = np.int64(tile // BASE), np.int64(tile % BASE)
    s.board.flat[cells[0]] = first
    s.board.flat[cells[1]] = second
    gain = points(s.board, cells[0], first, direction)
    more = points(s.board, cells[1], second, (direction + 3) % 6)
    again = pay(s, first - 1, second - 1, gain, more)
    s.moves += 1
    if not possible(s.board, False):
        close(s, place)
        fill(s.terminated, 1)
        return
    refill(s, place)
    if not again:
        s.player = (player + 1) % players


@kernel
def observe(s, agent, out):
    players, rack = s.racks.shape
    for k in range(s.board.size):
        out.board.flat[k] = s.board.flat[k]
    for i in range(out.racks.shape[0]):
        for k in range(rack):
            tile = s.racks[(agent + i) % players, k]
            out.racks[i, k, 0] = tile // BASE
            out.racks[i, k, 1] = tile % BASE
    for i in range(players):
        for color in range(s.scores.shape[1]):
            out.scores[i, color] = s.scores[(agent + i) % players, color]
    out.mover[0] = (s.player + players - agent) % players


@kernel
def legal(s, agent, mask):
    if s.player != agent:
        return
    opening, rack = opens(s), s.racks.shape[1]
    for number in range(COUNTS[size(s.board)]):
        may = fits(s.board, number, opening)
        for k in range(rack):
            mask[number * rack + k] = may


PAGE = Page(
    role=(
        "You play Ingenious with {others}.",
        Case(
            "mode",
            {
                "two_teams": "The players with even numbers are one team, and those with odd numbers are the other.",
                "collaborative": "All players are one team.",
            },
        ),
    ),
    goal=(
        When(
            "lowest",
            "At the end your scores in all colors are compared, and you are paid {lowest:point} for each point of the "
            "lowest one.",
        ),
        When("by_color", "For your scores in single colors you are paid {by_color}."),
        When("nothing", "Nothing is paid."),
    ),
    rules=(
        "The board is a hexagon of hexagonal cells with {cells:cell} on each side. Its corners are colored from the "
        "start, each in a different color. There are {tiles} tiles: {pairs} of each pair of different colors and "
        "{doubles} of each color with itself. The colors are {names}. Each player has a rack of {rack:tile}; the other "
        "tiles are in a bag.",
        "The players move in the order of their numbers; player_0 begins. In your move you put a tile from your rack "
        "on two free neighboring cells. Each half then scores points in its own color: in each of the five directions "
        "that do not lead to the other half, it gets one point for each cell of its color in an unbroken row that "
        "begins next to it. Corners count as cells of their color.",
        When(
            "mates",
            "A team has one score in each color, to which the tiles of all its players add. No score grows beyond "
            "{cap:point}.",
            "You have a score in each color. No score grows beyond {cap:point}.",
        ),
        "After your move you draw a tile. If then none of your tiles has a color in which your score is lowest, all "
        "your tiles are exchanged for others from the bag. If your score in a color was below {cap} before the move, "
        "and the move was worth more points in this color than were missing to {cap}, you move again. Otherwise it is "
        "the next player's turn.",
        "The first tile of each player must lie beside a corner, and not beside a corner that has a tile beside it "
        "already. Only if that is impossible may it lie anywhere.",
    ),
    sees=(
        "You see the board, all scores,",
        When("open_racks", "and all racks.", "and your own rack, but not the racks of the others."),
        "The number of a cell is its row, from the top, and its letter is its column. Each row is shown with the "
        "letters of its first and last cell, and a free cell as a dot. A cell's neighbors are those next to it in its "
        "row; those with its letter in the rows above and below it; the one with the next letter in the row above; and "
        "the one with the previous letter in the row below.",
    ),
    acts={
        "{FIRST} {SECOND} {TILE}": (
            "put tile number TILE of your rack on two cells: its first color on FIRST and its second on SECOND, such "
            "as `{example}`"
        )
    },
    ends="The game is over when no two neighboring cells are free.",
    unsaid={"weights": "told as what is paid", "side": "told as the cells", "colors": "told by their names"},
    constants={"two": "cells of a tile", "half": "of a tile", "five": "directions without the other half"},
)


class Ingenious(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"

    kind = ("boards",)
    verified = "MOMAland's `moingenious_v0` in lock-step, with its errors corrected; scores by a second implementation"
    variants = (
        dict(players=3, side=4, colors=3, rack=2, open_racks=True, weights=(1.0, -2.0, 0.5, 3.0)),
        dict(players=4, side=5, colors=2, rack=3, mode="two_teams"),
        dict(players=2, side=3, colors=4, rack=2, mode="collaborative"),
    )
    shown = "lowest"
    clickable = ".* 1"
    player_page = PAGE

    def __init__(
        self,
        players: Annotated[int, Between(2, 6)] = 2,
        side: Annotated[int, Between(SMALLEST, LARGEST)] | None = None,
        colors: Annotated[int, Between(2, len(COLORS))] = 6,
        rack: Annotated[int, Between(2, 6)] = 6,
        mode: Literal["competitive", "two_teams", "collaborative"] = "competitive",
        open_racks: bool = False,
        weights: Sequence[Annotated[float, Between(-1_000_000, 1_000_000)]] | None = None,
    ):
        if mode == "two_teams" and players % 2:
            raise ParameterError(f"Ingenious: two teams need an even number of players, not {players}")
        side = players + 4 if side is None else side
        self.colors, width, tiles = COLORS[:colors], 2 * side - 1, 240 if side > 8 else 120
        self.bag = bag(colors, tiles)
        self.utility = "identical" if mode == "collaborative" else "general"
        cap = CAP * players
        self.pairs = [(first, second) for first, second, _ in neighbors(side)]
        self.define(
            agents=[f"player_{k}" for k in range(players)],
            actions=[
                f"{cell_name(a, width)} {cell_name(b, width)} {k + 1}" for a, b in self.pairs for k in range(rack)
            ],
            observation=Dict(
                {
                    "board": Box(0, len(COLORS), (width, width), np.int8),
                    "racks": Box(0, colors, (players if open_racks else 1, rack, 2), np.int8),
                    "scores": Box(0, cap, (players, colors), np.int16),
                    "mover": Box(0, players - 1, (1,), np.int8),
                }
            ),
            fields=fields(players, side, colors, rack, tiles),
            params={
                "mode": among(MODES, mode),
                "tiles": fixed(self.bag),
                "weights": (0.0,) * colors + (1.0,) if weights is None else tuple(map(float, weights)),
            },
            objectives=dict.fromkeys([*self.colors, "lowest"], (0.0, float(cap))),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        players, rack = s.racks.shape
        exact_parts(self.id, level, "racks")
        what, names = f"{self.id}: the level's racks", {tile_name(tile): tile for tile in self.bag}
        racks = [read_list(row, what, rack) for row in read_list(level["racks"], what, players)]
        given = [tile for row in racks for tile in row]
        for tile in given:
            read_name(tile, what, list(names))
        for tile, count in Counter(given).items():
            if count > self.bag.count(names[tile]):
                raise LevelError(f"{self.id}: {count} tiles {tile} are given; there are {self.bag.count(names[tile])}")
        s.start[:] = np.reshape([names[tile] for tile in given], (players, rack))

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"racks": [[tile_name(tile) for tile in row] for row in s.start.tolist()]}

    def contradiction(self, s: Any) -> str | None:
        width, players = s.board.shape[0], len(s.racks)
        if not all(inside(width, *cell) for cell in np.argwhere(s.board).tolist()):
            return "a color lies beside the board"
        middle = width // 2
        if any(s.board[middle * (1 + ROWS[k]), middle * (1 + COLUMNS[k])] != k + 1 for k in range(6)):
            return "a corner has not its color"
        over = bool(s.terminated[0])
        if over == possible(s.board, False):
            return "a tile can be put, but the game is over" if over else "no tile can be put, but the game is not over"
        empty = np.argwhere(s.racks == 0).tolist()
        if empty != [[int(s.player), s.racks.shape[1] - 1]] * over:
            return "a rack is not full"
        if s.bag[: s.left].min(initial=1) == 0 or s.bag[s.left :].any():
            return "the bag does not hold as many tiles as it says"
        whole, start = Counter(self.bag), Counter(s.start.flatten().tolist())
        here = Counter(s.bag[: s.left].tolist() + s.racks[s.racks != 0].tolist())
        if here - whole or start - whole:
            return "there are more tiles of a kind than in the game"
        halves = Counter(half for tile in (whole - here).elements() for half in divmod(tile, BASE))
        if s.moves != (whole - here).total() or halves + Counter(range(1, 7)) != Counter(
            s.board[s.board != 0].tolist()
        ):
            return "the board does not have the colors of the tiles that are neither in racks nor in the bag"
        if s.params.mode == TWO_TEAMS and players % 2:
            return "there are two teams, but an odd number of players"
        step = distance(s.params.mode, players)
        if s.scores.max() > CAP * (players // step) or (s.scores != s.scores[np.arange(players) % step]).any():
            return "scores are above the cap or differ within a team"
        return None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        step = {"competitive": len(s.racks), "two_teams": 2, "collaborative": 1}[self.parameters["mode"]]
        mates, (*paid, lowest) = len(s.racks) // step, s.params.weights.tolist()
        kinds = [self.bag.count(BASE + color) for color in (2, 1)]
        points = [f"{weight:g} for each point in {color}" for weight, color in zip(paid, self.colors) if weight]
        return {
            "lowest": lowest,
            "by_color": listed(points) if points else "",
            "nothing": not lowest and not points,
            "cells": (len(s.board) + 1) // 2,
            "tiles": len(self.bag),
            "pairs": kinds[0],
            "doubles": kinds[1],
            "names": listed([f"{color} ({letter})" for color, letter in zip(self.colors, LETTERS)]),
            "mates": mates > 1,
            "cap": CAP * mates,
            "example": self.action_names[agent][0],
        }

    def legal_in_words(self, agent: int, mask: np.ndarray) -> str:
        """Two neighboring cells among some, one of them among fewer, and a tile; "" where the moves are others."""
        moves = mask.reshape(len(self.pairs), -1) != 0
        legal, tiles = {self.pairs[k] for k in np.flatnonzero(moves.any(axis=1))}, np.flatnonzero(moves.any(axis=0)) + 1
        cells = {cell for pair in legal for cell in pair}
        near = {pair for pair in self.pairs if cells.issuperset(pair)}
        needed = cells.difference(*(near - legal))
        if moves.sum() <= FEW or moves.sum() != len(legal) * len(tiles):
            return ""
        if legal != {pair for pair in near if not needed.isdisjoint(pair)}:
            return ""
        width = self.record["board"].shape[0]
        least = "" if needed == cells else f", at least one of them of {cells_in_words(needed, width)}"
        return (
            f"FIRST SECOND TILE with two neighboring cells of {cells_in_words(cells, width)}{least}; "
            f"and with TILE {listed(tiles.tolist(), 'or')}"
        )

    def text(self, s: Any, agent: int) -> str:
        lines = lettered(s.board)
        for k, row in enumerate(s.racks):
            tiles = ", ".join(f"{i + 1} {tile_name(tile)}" for i, tile in enumerate(row.tolist()) if tile)
            if k == agent:
                lines.append(f"You are player {k}. Your tiles: {tiles}.")
            elif self._open:
                lines.append(f"Tiles of player {k}: {tiles}.")
        for k, row in enumerate(s.scores):
            counts = ", ".join(f"{color} {count}" for color, count in zip(self.colors, row))
            lines.append(f"{'Your scores' if k == agent else f'Scores of player {k}'}: {counts}; lowest {row.min()}.")
        if s.terminated[0]:
            return "\n".join([*lines, "The game is over: no two neighboring cells are free."])
        if s.player != agent:
            return "\n".join([*lines, f"It is the turn of player {s.player}."])
        where = " Your tile must lie beside a corner that has no tile beside it."
        lines.append(f"It is your turn.{where if opens(s) else ''}")
        return "\n".join(lines)

    @property
    def _open(self) -> bool:
        """Whether players see all racks."""
        return bool(self.parameters["open_racks"])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The board; below it the scores, and the racks that may be seen."""
        width = s.board.shape[0]
        scene = Scene(*extent(width))
        for row, column in np.ndindex(width, width):
            if inside(width, row, column):
                draw_cell(scene, *where(width, row, column), int(s.board[row, column]))
        for k in range(width):
            column = max(0, width // 2 - k)
            x, y = where(width, k, column)
            scene.add(Label(x - 1.1, y, f"{chr(97 + column)}{k + 1}", 0.4, "muted", terminal=False))
        for k, (row, scores) in enumerate(zip(s.racks.tolist(), s.scores.tolist())):
            y = scene.height + 0.4
            scene.height += 2.1
            note = f"player {k}" + (" (you)" if k == agent else "") + (": to move" if self._moves(s, k) else "")
            scene.add(Label(0.4, y, note, 0.42, "ink", "left", bold=self._moves(s, k)))
            for i, count in enumerate(scores):
                x = 0.75 + 1.1 * i
                scene.add(Circle(x, y + 0.75, 0.4, COLORS[i], glyph=""))
                scene.add(Label(x, y + 0.75, str(count), 0.4, text_on(COLORS[i])))
            if agent is None or agent == k or self._open:
                for i, tile in enumerate(row):
                    if tile:
                        for color, down in zip(divmod(tile, BASE), (-0.1, 0.72)):
                            x = scene.width - 0.9 * (len(row) - i)
                            draw_cell(scene, x + 0.2, y + 0.1 + down, color, 0.42)
        return scene

    def _moves(self, s: Any, player: int) -> bool:
        """Whether it is a player's turn."""
        return bool(s.player == player and not s.terminated[0])

    def drag(self, s: Any, agent: int, start: tuple[float, float], end: tuple[float, float]) -> int | None:
        """The legal move that puts tile 1 from one cell to another."""
        width = s.board.shape[0]
        first, second = cell_at(width, *start), cell_at(width, *end)
        if s.player != agent or first is None or second is None or (first, second) not in self.pairs:
            return None
        number = self.pairs.index((first, second))
        return number * s.racks.shape[1] if fits(s.board, number, opens(s)) else None


def cell_name(cell: int, width: int) -> str:
    """The name of a cell."""
    return f"{chr(97 + cell % width)}{cell // width + 1}"


def cells_in_words(cells: Collection[int], width: int) -> str:
    """The names of cells, row by row; of three or more side by side those of the first and the last."""
    runs: list[list[int]] = []
    for cell in sorted(cells):
        if runs and runs[-1][-1] == cell - 1 and cell % width:
            runs[-1].append(cell)
        else:
            runs.append([cell])
    names = [[cell_name(cell, width) for cell in run] for run in runs]
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(run) for run in names)


def tile_name(tile: int) -> str:
    """The letters of a tile; "" for none."""
    return LETTERS[tile // BASE - 1] + LETTERS[tile % BASE - 1] if tile else ""


def lettered(board: Any) -> list[str]:
    """A board as lines of text; each row begins with its number and the letters of its first and last cells."""
    width, lines = len(board), []
    for row in range(width):
        columns = [column for column in range(width) if inside(width, row, column)]
        cells = " ".join(("." + LETTERS)[board[row, column]] for column in columns)
        ends = f"{chr(97 + columns[0])}-{chr(97 + columns[-1])}"
        lines.append(f"{row + 1:2} {ends}  " + " " * (width - len(columns)) + cells)
    return lines


def where(width: int, row: int, column: int) -> tuple[float, float]:
    """The center of a cell in the picture."""
    x, y = center(row, column)
    return x - 1.1547 * width / 4 + 0.6, y - 0.7


def extent(width: int) -> tuple[float, float]:
    """The width and height of the picture of the board, with room for the scores and racks of small ones."""
    return max(1.1547 * width + 2.2, 13.5), width + 1.0


def cell_at(width: int, x: float, y: float) -> int | None:
    """The cell at a point of the picture."""
    row = round(y - where(width, 0, 0)[1])
    for near in (row, row - 1, row + 1):
        column = round((x - where(width, near, 0)[0]) / 1.1547)
        across, down = where(width, near, column)
        if inside(width, near, column) and (across - x) ** 2 + (down - y) ** 2 < 0.25:
            return near * width + column
    return None


def draw_cell(scene: Scene, x: float, y: float, color: int, radius: float = RADIUS) -> None:
    """A hexagon, with its color's letter."""
    name = COLORS[color - 1] if color else "floor"
    scene.add(Polygon(hexagon(x, y, radius), name, "line", 0.045, glyph=("." + LETTERS)[color]))
    if color:
        scene.add(Label(x, y, LETTERS[color - 1], 0.6 * radius, text_on(name), terminal=False))


env, raw_env, parallel_env = pettingzoo_forms(Ingenious)
