"""Hex: connect two opposite sides of a rhombus of hexagons; with or without the swap rule.

**Rules.** Two players put stones on empty cells in turn. Stones never move. `player_0` wins by connecting the top row
with the bottom row by a chain of neighboring stones. `player_1` wins by connecting the left column with the right
column. On a full board exactly one player is connected, so no game is drawn.

A cell (row, column) has up to six neighbors: the cells beside it in its row and in its column, (row - 1, column + 1),
and (row + 1, column - 1).

With the swap rule, `player_1` may answer the first stone with `swap`. That stone is removed, and `player_1` gets a
stone on the mirrored cell: (row, column) becomes (column, row). The result is the same position with the seats
exchanged. Each player keeps its own two sides.

**Agents.** `player_0` moves first, then `player_1`.

**Observation.** Box (size, size, 3) int8. Row 0 is the top row and column 0 the left column.

| plane | value 1 where |
|---|---|
| 0 | the observing agent has a stone |
| 1 | the other agent has a stone |
| 2 | everywhere, if the observing agent connects left and right |

**Actions.** Discrete (size x size), with one more action under the swap rule. Only the player to move has legal
actions. The name of a cell is a letter for the column and the number of the row.

| action | name | legal |
|---|---|---|
| size * row + column | `a1`, `b1`, ... | while the cell is empty |
| size * size | `swap` | right after the first stone |

**Window.** A click on a cell puts a stone there. A click on "swap" swaps, as does the key s.

**Rewards.** +1 to the player that connects its sides and -1 to the other at the end, 0 otherwise.

**Ends.** Terminates when a player's sides are connected.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 11 | rows and columns of the board, from 2 to 19 |
| `swap` | True | whether the swap rule applies |

**Level.** ``{"moves": ["a2", "swap", "f6"]}``: the moves made before the episode starts.

**Known values.** Without the swap rule, the first player wins (Nash). The number of first moves that win is 2 on 2 x 2,
5 on 3 x 3 and 4 on 4 x 4; the cells of the short diagonal are among them. There are 257,760 games on 3 x 3, of which
the first player wins 165,600. Uniformly random play: the first player wins 0.529 of the games on 11 x 11, in 107.5
moves, and 0.573 on 5 x 5, in 21.23 moves (3,000 and 10,000 games of OpenSpiel).

**Differences.** With or without `swap`, the rules equal those of OpenSpiel's `hex`.

- There, the swap rule is off by default.
- Pgx's `hex` has the same swap rule, and its observation has a fourth plane: whether the swap is legal.
- Pgx draws the player that moves first.

**Source.** Hein 1942, Nash 1948; OpenSpiel `hex`, compared in lockstep.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page, When
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import board, openings, stones
from envsuite.kit.board import legal, observe
from envsuite.kit.stones import BLACK, EMPTY, WHITE
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.render.theme import agent_color

PLANES = 3
LEFT_RIGHT = 2

#: What the players are to do.
GOALS = ("X, and connect top and bottom", "O, and connect left and right")

#: The sides of its player that a chain touches, as bits.
START, GOAL, WON = 1, 2, 3


def fields(size: int, actions: int) -> list[tuple]:
    """The record; `board`, `parent` and `sides` are indexed by point, see `kit.stones`."""
    points = (stones.num_points(size),)
    return [
        ("player", below(np.uint8, 2)),  # whose turn it is
        ("won", flag()),  # whether the last stone connected its player's sides
        ("moves", within(np.int64, 0, actions)),  # moves so far, including the level's
        ("last", within(np.int64, -1, size * size - 1)),  # the cell of the last stone, or -1
        ("seen", flag(np.int8), (2, size, size, PLANES)),  # the observation of each player
        ("legal", flag(np.int8), (actions,)),  # the legal actions of the player to move
        ("board", below(np.uint8, 4), points),  # EMPTY, BLACK, WHITE or EDGE
        ("parent", below(np.uint16, points[0]), points),  # the next point toward a stone's root, see `put`
        ("sides", below(np.uint8, 4), points),  # for roots: the sides that the chain touches, as bits
        openings.level_field(actions, below(np.uint16, actions)),  # the moves made before the episode
    ]


@kernel
def reset(s):
    cells = s.seen.shape[1] * s.seen.shape[2]
    s.player = 0
    s.moves = 0
    s.last = -1
    s.won = 0
    stones.clear(s)
    for cell in range(cells):
        s.seen.flat[PLANES * (cells + cell) + LEFT_RIGHT] = 1
    for action in range(s.legal.shape[0]):
        s.legal[action] = action < cells
    if s.level_given:
        for k in range(s.level.length):
            play(s, np.int64(s.level.moves[k]))
    else:
        s.level.length = 0


@large_kernel
def play(s, action):
    """The player to move puts a stone, or swaps."""
    size = s.seen.shape[1]
    cell = action
    if action == size * size:
        point = stones.point_of(s.last, size)
        s.board[point] = EMPTY
        stones.show(s, np.int64(0), point, np.int8(0))
        s.legal[s.last] = 1
        cell = s.last % size * size + s.last // size
    s.won = put(s, cell, np.int64(s.player))
    s.last = cell
    s.legal[cell] = 0
    s.moves += 1
    s.player = 1 - s.player
    if s.legal.shape[0] > size * size:
        s.legal[s.legal.shape[0] - 1] = s.moves == 1


@kernel
def put(s, cell, player):
    """Put a player's stone on a cell and join it to the chains beside it. Returns whether they connect both sides.

    Chains are trees: `parent` leads to the root. Only the root stores the sides that the chain touches.
    """
    size = s.seen.shape[1]
    point = stones.point_of(cell, size)
    s.board[point] = player + 1
    stones.show(s, player, point, np.int8(1))
    place = cell // size if player == 0 else cell % size
    s.parent[point] = point
    s.sides[point] = START * (place == 0) | GOAL * (place == size - 1)
    for k in range(6):
        near = beside(point, k, size)
        if s.board[near] == player + 1:
            root = root_of(s, near)
            s.parent[root] = point
            s.sides[point] |= s.sides[root]
    return s.sides[point] == WON


@kernel
def beside(point, k, size):
    """The neighbor of a point in one of six directions."""
    back = 1 if k == 0 else size + 1 if k == 1 else size
    return np.uint64(point - back if k < 3 else point + (1 if k == 3 else size + 1 if k == 4 else size))


@kernel
def root_of(s, point):
    """The root of a chain. Halves the path to it (path halving)."""
    while s.parent[point] != point:
        s.parent[point] = s.parent[s.parent[point]]
        point = np.uint64(s.parent[point])
    return point


@kernel
def step(s, actions, rewards):
    player = s.player
    play(s, actions[player])
    if s.won:
        rewards[player] = 1.0
        rewards[1 - player] = -1.0
        s.terminated[0] = 1
        s.terminated[1] = 1


#: A sentence for players about the board.
CELLS = (
    "The board is a rhombus of hexagonal cells, with {size:column} lettered from a on the left and {size:row} numbered "
    "from the top; each row is half a cell further right than the row above it. The neighbors of a cell are those to "
    "the left and right of it in its row, those above and below it in its column, and two more: the one above its "
    "right neighbor and the one below its left neighbor."
)

PAGE = Page(
    role="You play Hex against {others}.",
    goal=(
        "You win if a chain of your stones, each beside the next one, connects {own_sides}. The other player needs a "
        "chain that connects {other_sides}. A win pays you +1, and a loss -1."
    ),
    rules=(
        CELLS,
        (
            "You take turns; player_0 begins. In your turn you put a stone of your color on an empty cell. Stones "
            "never move.",
            When(
                "swap",
                "But player_1 may answer the first stone by swapping: that stone is taken away, and player_1 gets a "
                "stone on the mirrored cell instead, with row and column exchanged, so that b1 becomes a2. Both "
                "players keep their sides of the board.",
            ),
        ),
    ),
    sees="You both see the whole board.",
    acts={
        "{CELL}": "put a stone on an empty cell, such as `a2`: column a, row 2",
        "swap": When(
            "swap", "take the first stone away and get one on the mirrored cell; legal for player_1, right after it"
        ),
    },
    ends="The game is over as soon as a player has won. There are no draws.",
    constants={"1": "a reward", "two": "neighbors of a cell", "2": "a row", "half": "of a cell"},
)


def sides(agent: int) -> dict[str, str]:
    """Slots of a page: the sides that a player connects, and those of the other."""
    own, other = ("the top row with the bottom row", "the left column with the right column")[:: 1 - 2 * agent]
    return {"own_sides": own, "other_sides": other}


class Hex(openings.Openings):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "OpenSpiel, move by move; solved small boards"
    variants = (dict(size=5, swap=False),)
    keys = {"s": "swap"}
    player_page = PAGE

    def __init__(self, size: Annotated[int, Between(2, 19)] = 11, swap: bool = True):
        self.define(
            agents=["player_0", "player_1"],
            actions=[f"{chr(97 + c)}{r + 1}" for r in range(size) for c in range(size)] + ["swap"] * swap,
            observation=Box(0, 1, (size, size, PLANES), np.int8),
            fields=fields(size, size * size + swap),
            reward_range=(-1.0, 1.0),
        )
        self.synonyms = board.words_for_middle(self.action_names[0], size, size)

    def contradiction(self, s: Any) -> str | None:
        size = s.seen.shape[1]
        if not stones.sound(s):
            return "board, views and legal moves are not those of one position"
        if len(s.legal) > size * size and s.legal[size * size] and (s.moves != 1 or s.last < 0):
            return "there is no stone to swap for"
        placed = np.flatnonzero((s.board == BLACK) | (s.board == WHITE))
        root = placed
        for _ in placed:
            root = s.parent[root]
        if not np.isin(root, placed).all() or (s.parent[root] != root).any():
            return "the chains of stones have no roots"
        return None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return sides(agent)

    def text(self, s: Any, agent: int) -> str:
        there = board.pieces(s)
        turn = board.turn(s, agent, 1 - s.player if s.won else None)
        if self.can_swap(s):
            turn += " You may swap." if s.player == agent else " It may swap."
        goal = GOALS[agent]
        return "\n".join([*rhombus(there), f"You are {goal}. {turn}"])

    def can_swap(self, s: Any) -> bool:
        """Whether the swap is legal now."""
        return len(s.legal) > s.seen.shape[1] ** 2 and bool(s.legal[-1]) and not s.terminated.any()

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        there = board.pieces(s)
        size = len(there)
        scene = drawn(there, int(there.flat[s.last]) if s.won else 0)
        if s.last >= 0:
            x, y = center(*divmod(int(s.last), size))
            scene.add(Circle(x, y, 0.31, None, "white", 0.09, glyph=""))
        draw_mover(scene, 1 - int(s.player) if s.won else int(s.player), bool(s.won))
        if self.can_swap(s):
            width = scene.width
            scene.add(Rect(width - 2.3, 0.3, 1.9, 0.8, "panel", "line", 0.03, 0.15))
            scene.add(Label(width - 1.35, 0.7, "swap", 0.46))
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        size, (width, _) = s.seen.shape[1], extent(s.seen.shape[1])
        if x > width - 2.3 and y < 1.1:
            return size * size if len(s.legal) > size * size else None
        return cell_at(size, x, y)


#: The distance of a cell's corners from its center. Rows are one unit apart, and the cells of a row 1.1547 units.
RADIUS = 2 / 3


def rhombus(there: np.ndarray) -> list[str]:
    """A board as lines of text, with letters for columns and numbers for rows."""
    letters = "   " + " ".join(chr(97 + c) for c in range(len(there)))
    return [letters, *(" " * r + f"{r + 1:2} " + " ".join(".XO"[k] for k in row) for r, row in enumerate(there))]


def cell_at(size: int, x: float, y: float) -> int | None:
    """The cell at a point of the picture."""
    far = [(x - center(*cell)[0]) ** 2 + (y - center(*cell)[1]) ** 2 for cell in np.ndindex(size, size)]
    nearest = int(np.argmin(far))
    return nearest if far[nearest] < RADIUS**2 else None


def drawn(there: np.ndarray, winner: int = 0) -> Scene:
    """The picture of a board, with the chain of a winner, 1 or 2."""
    size = len(there)
    scene = Scene(*extent(size))
    draw_signs(scene, there)
    draw_sides(scene, size)
    for r, c in np.ndindex(size, size):
        x, y = center(r, c)
        color = agent_color(there[r, c] - 1) if there[r, c] else "floor"
        scene.add(Polygon(hexagon(x, y, RADIUS), color, "line", 0.045))
        if there[r, c]:
            scene.add(Polygon(hexagon(x - 0.02, y - 0.03, 0.5), "white@0.12"))
    if winner:
        chain = [center(r, c) for r, c in winning_chain(there, winner)]
        scene.add(Line(chain, "white", 0.15))
        scene.add(*(Circle(x, y, 0.2, "white", glyph="") for x, y in chain))
    for k in range(size):
        x, y = center(0, k)
        scene.add(Label(x - 0.5, y - 1.15, chr(97 + k), 0.46, "muted", terminal=False))
        x, y = center(k, 0)
        scene.add(Label(x - 1.1, y, str(k + 1), 0.46, "muted", terminal=False))
    return scene


def draw_signs(scene: Scene, board: np.ndarray) -> None:
    """Draw what a terminal shows, with cells closer together. In a picture, the cells cover these dots."""
    size = len(board)
    for k in range(size):
        scene.add(Circle(2.0 + k, 0.75, 0.01, None, glyph=chr(97 + k)))
        scene.add(Circle(0.4 + 0.5 * k, 1.75 + k, 0.01, None, glyph=f"{k + 1:2}"))
        for c in range(size):
            color = agent_color(board[k, c] - 1) if board[k, c] else "line"
            scene.add(Circle(2.0 + c + 0.5 * k, 1.75 + k, 0.01, color, glyph=".XO"[board[k, c]]))


def draw_sides(scene: Scene, size: int) -> None:
    """Draw the four sides in the colors of the players that connect them, as a border under the cells."""
    last = size - 1
    top = [corner(0, c, k) for c in range(size) for k in (4, 5)] + [corner(0, last, 0)]
    right = [corner(r, last, k) for r in range(size) for k in (0, 1)] + [corner(last, last, 2)]
    bottom = [corner(last, c, k) for c in range(size) for k in (3, 2)] + [corner(last, last, 1)]
    left = [corner(r, 0, k) for r in range(size) for k in (4, 3)]
    left.append(corner(last, 0, 3))
    for points, player in ((left, 1), (right, 1), (top, 0), (bottom, 0)):
        scene.add(Line(points, agent_color(player), 0.34))


def draw_mover(scene: Scene, player: int, won: bool) -> None:
    """Say below the board whose turn it is, or who has won."""
    y = scene.height - 0.7
    scene.add(Circle(0.75, y, 0.26, agent_color(player), glyph="XO"[player]))
    note = ("top-bottom", "left-right")[player] + (" has won" if won else " to move")
    scene.add(Label(1.2, y, note, 0.46, "ink", "left", bold=won))


def center(row: int, column: int) -> tuple[float, float]:
    """The center of a cell in the picture."""
    return 2.0 + 1.1547 * (column + 0.5 * row), 1.75 + row


def hexagon(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """The corners of a hexagon, clockwise from the upper right one."""
    turns = [(0.866, -0.5), (0.866, 0.5), (0.0, 1.0), (-0.866, 0.5), (-0.866, -0.5), (0.0, -1.0)]
    return [(x + radius * right, y + radius * down) for right, down in turns]


def corner(row: int, column: int, k: int) -> tuple[float, float]:
    """A corner of a cell."""
    return hexagon(*center(row, column), RADIUS)[k]


def extent(size: int) -> tuple[float, float]:
    """The width and height of the picture, with room for the words below a small board."""
    return max(1.732 * size + 2.2, 10.5), size + 3.0


def winning_chain(board: np.ndarray, owner: int) -> list[tuple[int, int]]:
    """A shortest chain of cells (row, column) that connects both sides of a player, 1 or 2; or an empty list."""
    size = len(board)
    edge = [(0, k) if owner == 1 else (k, 0) for k in range(size)]
    todo = [cell for cell in edge if board[cell] == owner]
    before: dict[tuple[int, int], Any] = dict.fromkeys(todo)
    for cell in todo:  # the list grows in the loop
        if cell[owner - 1] == size - 1:
            chain = [cell]
            while (cell := before[chain[-1]]) is not None:
                chain.append(cell)
            return chain
        r, c = cell
        for near in ((r, c - 1), (r, c + 1), (r - 1, c), (r + 1, c), (r - 1, c + 1), (r + 1, c - 1)):
            if 0 <= near[0] < size and 0 <= near[1] < size and board[near] == owner and near not in before:
                before[near] = cell
                todo.append(near)
    return []


env, raw_env, parallel_env = pettingzoo_forms(Hex)
