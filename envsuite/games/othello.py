"""Othello (Reversi), on 8 x 8, 6 x 6 or 4 x 4 squares.

**Rules.** Two players put discs on empty squares in turn. In at least one of eight directions, the new disc must
enclose a straight line of the other player's discs between itself and another disc of the mover. All enclosed discs
change sides. A player without such a move passes. The game is over when neither player has one; the player with more
discs wins.

**Agents.** `player_0` (black) moves first, then `player_1` (white). Seats are fixed.

**Observation.** Box (size, size, 2) int8. Row 0 is the top row.

| plane | value 1 where |
|---|---|
| 0 | the observing agent has a disc |
| 1 | the other agent has a disc |

**Actions.** Discrete (size x size + 1). Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| row x size + column | the square: `a1` at the top left, `b1` to the right of it | if a disc there encloses others |
| size x size | `pass` | if no other action is legal; it must then be chosen |

**Window.** A click on a square puts a disc there. If the player must pass, a click anywhere passes, as does the key p.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 otherwise, and 0 for equal numbers of discs.

**Ends.** Terminates when neither player can move.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 8 | rows and columns of the board: 4, 6 or 8 |

**Level.** ``{"board": ["....", ".OX.", ".XO.", "...."], "player": 0}``: the discs from the top row, X of the first and
O of the second player, and the player to move.

**Known values.**

| board | move sequences of 1 to 8 plies |
|---|---|
| 8 x 8 | 4, 12, 56, 244, 1396, 8200, 55092, 390216 |
| 6 x 6 | 4, 12, 56, 244, 1364, 7604, 47740, 308716 |

With perfect play, the second player wins by 8 discs (3 to 11) on 4 x 4, and by 4 discs on 6 x 6 (Feinstein, 1993).
Uniformly random play on 8 x 8: the first player wins .450, the second .506, and .044 are drawn, in 60.37 plies
(3,000 games, OpenSpiel).

**Differences.** Trajectories equal those of OpenSpiel's `othello`.

- There, the observation has a third plane, the empty squares.

**Source.** OpenSpiel `othello`; Rose, "Othello: A Minute to Learn, a Lifetime to Master", 2005.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_integer, read_letters
from envsuite.core.page import Page
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Kernels, World
from envsuite.kit import board, openings
from envsuite.kit.bitboard import bit, lowest
from envsuite.kit.board import observe
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Rect, Scene, coordinates, grid, side, stone

SIZES = (4, 6, 8)

#: By size: all squares as bits (square row * size + column), and the squares between the left and the right column.
BOARD, BETWEEN = np.zeros((2, max(SIZES) + 1), np.uint64)
for _size in SIZES:
    BOARD[_size] = sum(1 << k for k in range(_size * _size))
    BETWEEN[_size] = sum(1 << k for k in range(_size * _size) if 0 < k % _size < _size - 1)

COLORS = ("black", "white")


def fields(size: int) -> list[tuple]:
    """The record. Sets of squares are 64-bit words; square row * size + column is a bit."""
    cells, squares = size * size, within(np.uint64, 0, BOARD[size])
    return [
        ("player", below(np.int64, 2)),  # whose turn it is
        ("discs", squares, (2,)),  # each player's discs
        ("moves", squares),  # the squares on which the player to move can put a disc
        ("counts", within(np.int64, 0, cells), (2,)),  # each player's number of discs
        ("last", within(np.int64, -1, cells)),  # the last action, for the picture; -1 at the start
        ("seen", flag(np.int8), (2, size, size, 2)),  # the observation of each player
        ("start", np.dtype([("discs", squares, (2,)), ("player", below(np.int64, 2))], align=True)),  # at the start
    ]


@kernel
def reset(s):
    size = np.int64(s.seen.shape[1])
    if not s.level_given:
        low, high = size // 2 - 1, size // 2
        s.start.discs[0] = bit(low * size + high) | bit(high * size + low)
        s.start.discs[1] = bit(low * size + low) | bit(high * size + high)
        s.start.player = 0
    s.player = s.start.player
    for player in range(2):
        s.discs[player] = s.start.discs[player]
        s.counts[player] = 0
    for square in range(size * size):
        for player in range(2):
            has = np.int8(s.discs[player] >> np.uint64(square) & np.uint64(1))
            s.counts[player] += has
            s.seen[player].flat[2 * square] = has
            s.seen[1 - player].flat[2 * square + 1] = has
    s.last = -1
    s.moves = moves(s.discs[s.player], s.discs[1 - s.player], size)


@kernel
def run(inner, start, shift, size):
    """The runs of inner squares that start beside some squares, in both directions of a shift."""
    up, down = inner & (start << shift), inner & (start >> shift)
    for _ in range(size - 3):
        up |= inner & (up << shift)
        down |= inner & (down >> shift)
    return up, down


@kernel
def moves(own, other, size):
    """The squares on which a player can put a disc."""
    row = np.uint64(size)
    # A line continues over the other's discs. In the outer columns, only vertical lines do; others would wrap around.
    between = other & BETWEEN[size]
    found = _ends(between, own, np.uint64(1), size) | _ends(other, own, row, size)
    found |= _ends(between, own, row - np.uint64(1), size) | _ends(between, own, row + np.uint64(1), size)
    return found & BOARD[size] & ~(own | other)


@kernel
def _ends(inner, own, shift, size):
    up, down = run(inner, own, shift, size)
    return up << shift | down >> shift


@kernel
def flips(own, other, size, square):
    """The discs that a new disc on this square encloses."""
    row, disc, between = np.uint64(size), bit(square), other & BETWEEN[size]
    found = _enclosed(between, own, disc, np.uint64(1), size) | _enclosed(other, own, disc, row, size)
    found |= _enclosed(between, own, disc, row - np.uint64(1), size)
    return found | _enclosed(between, own, disc, row + np.uint64(1), size)


@kernel
def _enclosed(inner, own, disc, shift, size):
    up, down = run(inner, disc, shift, size)
    return up * np.uint64((up << shift & own) != 0) | down * np.uint64((down >> shift & own) != 0)


@kernel
def put(s, player, square):
    """Give a square to a player, in the observations of both."""
    s.seen[player].flat[2 * square] = 1
    s.seen[player].flat[2 * square + 1] = 0
    s.seen[1 - player].flat[2 * square] = 0
    s.seen[1 - player].flat[2 * square + 1] = 1


@kernel
def step(s, actions, rewards):
    size, player = np.int64(s.seen.shape[1]), np.int64(s.player)
    other, square = 1 - player, actions[player]
    s.last = square
    if square < size * size:
        turned = flips(s.discs[player], s.discs[other], size, square)
        s.discs[player] |= turned | bit(square)
        s.discs[other] &= ~turned
        put(s, player, square)
        s.counts[player] += 1
        while turned:
            put(s, player, lowest(turned))
            turned &= turned - np.uint64(1)
            s.counts[player] += 1
            s.counts[other] -= 1
    s.player = other
    s.moves = moves(s.discs[other], s.discs[player], size)
    if s.moves == 0 and moves(s.discs[player], s.discs[other], size) == 0:
        s.terminated[0] = 1
        s.terminated[1] = 1
        result = np.sign(np.float64(s.counts[0] - s.counts[1]))
        rewards[0] = result
        rewards[1] = -result


@kernel
def legal(s, agent, mask):
    if s.player == agent:
        squares, allowed = s.seen.size // 4, s.moves
        for k in range(squares):
            mask[k] = allowed >> np.uint64(k) & np.uint64(1)
        mask[squares] = allowed == 0


PAGE = Page(
    role="You play Othello against {others}, on a board of {size} x {size} squares. You are {color}.",
    goal="The player with more discs at the end wins. A win pays you +1, a loss -1, and a draw 0.",
    rules=(
        "You take turns; player_0, with the black discs, begins. In your turn you put a disc of your color on an "
        "empty square. It must enclose discs of the other player in at least one straight line: along a row, a column "
        "or a diagonal, nothing but discs of the other player lies between the new disc and another disc of yours. "
        "All discs that it encloses, in all directions, become yours. If you have no such move, you must pass.",
    ),
    sees="You both see the whole board.",
    acts={
        "pass": "put no disc; legal only if you have no other move",
        "{SQUARE}": (
            "put a disc on SQUARE, such as `b3`: the letter is the column, from the left, and the number is the row, "
            "from the top"
        ),
    },
    ends="The game is over when neither player can put a disc.",
    constants={"1": "the reward of a win", "0": "of a draw"},
)


class Othello(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "OpenSpiel, move by move; counts of move sequences"
    variants = (dict(size=6),)
    keys = {"p": "pass"}
    player_page = PAGE

    def __init__(self, size: Literal[4, 6, 8] = 8):
        self.define(
            agents=["player_0", "player_1"],
            actions=[*(f"{chr(97 + c)}{r + 1}" for r in range(size) for c in range(size)), "pass"],
            observation=Box(0, 1, (size, size, 2), np.int8),
            fields=fields(size),
            reward_range=(-1.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "board", "player")
        size = s.seen.shape[1]
        owners = read_letters(level["board"], f"{self.id}: the level's board", (size, size), "XO.")
        s.start.player = read_integer(level["player"], f"{self.id}: the level's player", 0, 1)
        for k in range(2):
            s.start.discs[k] = sum(1 << square for square in np.flatnonzero(owners == k).tolist())
        if not any(moves(s.start.discs[k], s.start.discs[1 - k], size) for k in range(2)):
            raise LevelError(f"{self.id}: the level's game is over: neither player can move")

    def get_level(self, s: Any) -> dict[str, Any]:
        size = s.seen.shape[1]
        squares = "".join("XO."[_owner(s.start.discs, k)] for k in range(size * size))
        return {"board": [squares[k : k + size] for k in range(0, size * size, size)], "player": int(s.start.player)}

    def contradiction(self, s: Any) -> str | None:
        return openings.unlike_start(self, s, but=["last", "terminated"], discs=s.discs, player=s.player)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"color": ("Black", "White")[agent]}

    def text(self, s: Any, agent: int) -> str:
        size, sides = s.seen.shape[1], ("black (X)", "white (O)")
        letters = "  " + " ".join(chr(97 + c) for c in range(size))
        rows = [f"{r + 1} " + " ".join("XO."[_owner(s.discs, r * size + c)] for c in range(size)) for r in range(size)]
        counts = f"You are {sides[agent]} with {s.counts[agent]} discs; {sides[1 - agent]} has {s.counts[1 - agent]}."
        lead = s.counts[0] - s.counts[1]
        winner = None if not s.terminated[0] else -1 if lead == 0 else int(lead < 0)
        turn = board.turn(s, agent, winner)
        if s.player == agent and not s.moves and winner is None:
            turn = "You cannot move: you must pass."
        return "\n".join([letters, *rows, f"{counts} {turn}"])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The board, the last move, the legal squares of the player to move, and both players' numbers of discs."""
        size = s.seen.shape[1]
        left, top = 0.9, 0.4
        scene = Scene(size + 1.4, size + 2.2)
        scene.add(Rect(left - 0.08, top - 0.08, size + 0.16, size + 0.16, "shadow@0.5", radius=0.08))
        scene.add(*grid(left, top, size, size, fill="felt", seam="shadow@0.3"))
        scene.add(*coordinates(left, top, size, size, from_top=True))
        for square in range(size * size):
            x, y = left + square % size + 0.5, top + square // size + 0.5
            owner = _owner(s.discs, square)
            if owner < 2:
                scene.add(*stone(x, y, COLORS[owner], glyph="XO"[owner]))
            elif not s.terminated[0] and int(s.moves) >> square & 1:
                scene.add(Circle(x, y, 0.11, "line@0.5", glyph="+"))
            if square == s.last:
                scene.add(Circle(x, y, 0.1, "red", glyph=""))
        for player in range(2):
            x = left + size * (0.25 + 0.5 * player)
            piece = stone(x - 0.4, size + 1.6, COLORS[player], 0.7, "XO"[player])
            scene.add(*side(x, size + 1.6, piece, s.counts[player], not s.terminated[0] and s.player == player))
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """The square at this point; the pass, at any point, if there is no other move."""
        size = s.seen.shape[1]
        column, row = math.floor(x - 0.9), math.floor(y - 0.4)
        if s.player == agent and not s.moves:
            return size * size
        return row * size + column if 0 <= row < size and 0 <= column < size else None


def _owner(discs: np.ndarray, square: int) -> int:
    """The player, 0 or 1, whose disc is on a square; 2 if it is empty."""
    return next((player for player in range(2) if int(discs[player]) >> square & 1), 2)


env, raw_env, parallel_env = pettingzoo_forms(Othello)
