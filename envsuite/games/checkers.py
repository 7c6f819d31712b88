"""Checkers: English draughts on any board; captures are forced, and men that reach the last row are crowned.

**Rules.** Each player has men on the dark squares of its first rows. In turn, the players move one piece. A man steps
diagonally forward to an empty dark square, or jumps forward over a piece of the other player to the empty square behind
it, which captures that piece. A king, a crowned man, moves backward too.

A player that can jump must jump, with any piece that can. If the piece that has jumped can jump again, it must do so,
as one more action of the same player. A man that reaches the last row is crowned, and that ends its turn.

A player that cannot move loses. After `draw_after` actions in a row without a capture, the game is a draw.

**Agents.** `player_0` (white) starts at the bottom and moves first, then `player_1` (black). Seats are fixed.

**Observation.** Dict. Each agent sees the board from its own side: row 0 is the other player's first row. `player_1`
therefore sees the board turned by half a turn.

| part | space | content |
|---|---|---|
| board | Box (rows, columns, 5) int8 | five planes, below |
| left | Box (1,) int16 | actions without a capture until the game is a draw |

| plane | value 1 where |
|---|---|
| 0, 1 | the observing agent has a man, a king |
| 2, 3 | the other agent has a man, a king |
| 4 | a piece has jumped and must jump again |

**Actions.** Discrete (8 x rows x columns). Row and column are those of the observation. `direction` is 0 up and left, 1
up and right, 2 down and right, 3 down and left. `jump` is 0 for a step, 1 for a jump. Only the player to move has legal
actions.

| action | name | legal |
|---|---|---|
| 8 (row x columns + column) + 2 direction + jump | both squares: `a3b4` a step, `a3c5` a jump | as the rules say |
| the same, off the board | `a3 steps off up left`, `a3 jumps off up left`, ... | never |

Names are squares of the real board, with `a1` at the bottom left, so the same action has a different name for each
agent.

**Window.** Click a piece and then the square to move it to, or drag it there.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 in a draw.

**Ends.** Terminates as the rules say.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rows` | 8 | rows of the board, from 3 to 16, more than 2 x `ranks` |
| `columns` | 8 | columns of the board, from 2 to 16 |
| `ranks` | None | rows of men of each player, from 1 to 3; None is 3, or fewer so that a row between them is empty |
| `draw_after` | 40 | actions without a capture that make a draw, from 1 to 1000 |

**Level.** ``{"board": [".b.b", "....", ".w..", "W..."], "player": 0}``: the pieces from the top row, w and W for men
and kings of `player_0`, b and B for those of `player_1`, and the player to move. The top left square is light; pieces
stand on dark squares, and men not on their last row.

**Known values.** With all jumps of a turn counted as one move, there are 7, 49, 302, 1469, 7361, 36768 and 179740
sequences of 1 to 7 moves on 8 x 8 (Bik). With each jump counted, there are 179255 of 7 actions (OpenSpiel). Uniformly
random play: the first player wins .421, the second .450, and .129 are drawn, in 68.4 actions (5,000 games, OpenSpiel).
Without the rule of 40 actions, perfect play draws (Schaeffer et al., 2007).

**Differences.** Trajectories equal those of OpenSpiel's `checkers`.

- There, the second player's actions and observation are not turned, so that one policy cannot play both seats.
- There, the observation shows neither the piece that must jump again nor the actions until a draw; a plane of its own
  shows the empty squares.
- There, a draw always takes 40 actions, and players always have three rows of men. With fewer than 7 rows, no game can
  be played there.
- There, a second jump stops the program if the board has more columns than rows.

**Source.** OpenSpiel `checkers`; Bik, "Perft for Checkers", 2009; Schaeffer et al., "Checkers Is Solved", 2007.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import copy, fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, counted
from envsuite.core.ranges import below, free, limited, within
from envsuite.core.record import copied
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import board
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Polygon, Rect, Scene, Shape, coordinates, side, stone

#: The contents of a square: a man of player k is MAN + k, its king KING + k.
EMPTY, MAN, KING = 0, 1, 3
SIGNS = ".wbWB"

#: The steps in the four directions: rows down and columns to the right.
DOWN = np.array([-1, -1, 1, 1])
ACROSS = np.array([-1, 1, 1, -1])
DIRECTIONS = ("up left", "up right", "down right", "down left")

#: A piece's moves are bits 2 x direction + jump; these are all of them that are steps, and jumps.
STEPS, JUMPS = 0b01010101, 0b10101010


def fields(rows: int, columns: int) -> list[tuple]:
    """The record."""
    squares, pieces = rows * columns, below(np.int8, len(SIGNS))
    start = np.dtype([("board", pieces, (rows, columns)), ("player", below(np.int64, 2))], align=True)
    return [
        ("player", below(np.int64, 2)),  # whose turn it is
        ("board", pieces, (rows, columns)),  # the contents of the squares, from the top row
        ("again", within(np.int64, -1, squares - 1)),  # the square of the piece that must jump again; -1 if none
        ("left", within(np.int64, 0, 1000)),  # actions without a capture until the game is a draw
        ("moves", free(np.uint8), (rows, columns)),  # the legal moves of the piece on each square, as bits
        ("last", within(np.int64, -1, 8 * squares - 1)),  # the last action, as player_0 numbers it; -1 at the start
        ("start", start),  # the board and the player to move at the start
    ]


@kernel
def reset(s):
    rows, columns = s.board.shape
    if not s.level_given:
        s.start.player = 0
        for row in range(rows):
            for column in range(columns):
                dark = (row + column) % 2
                s.start.board[row, column] = dark * (
                    (MAN + 1) * (row < s.params.ranks) + MAN * (row >= rows - s.params.ranks)
                )
    s.player = s.start.player
    copy(s.board, s.start.board)
    fill(s.moves, 0)
    s.again = -1
    s.left = s.params.draw_after
    s.last = -1
    find(s)


@kernel
def ways(squares, row, column):
    """The moves of the piece on a square, as bits, whether or not its player must jump."""
    rows, columns = squares.shape
    piece, found = np.int64(squares[row, column]), 0
    for way in range(4):
        if piece >= KING or way >> 1 == piece - MAN:  # men of player_0 move up, those of player_1 down
            r, c = row + DOWN[way], column + ACROSS[way]
            if 0 <= r < rows and 0 <= c < columns:
                there = np.int64(squares[r, c])
                if there == EMPTY:
                    found |= 1 << 2 * way
                elif (there ^ piece) & 1:
                    r, c = r + DOWN[way], c + ACROSS[way]
                    if 0 <= r < rows and 0 <= c < columns and squares[r, c] == EMPTY:
                        found |= 2 << 2 * way
    return found


@kernel
def find(s):
    """Update the legal moves from the dark squares; whether there are any."""
    rows, columns = s.board.shape
    everything = 0
    for row in range(rows):
        for column in range((row + 1) % 2, columns, 2):
            found, piece = 0, s.board[row, column]
            if piece != EMPTY and (piece - MAN) & 1 == s.player and s.left > 0:
                if s.again < 0 or s.again == row * columns + column:
                    found = ways(s.board, row, column)
            s.moves[row, column] = found
            everything |= found
    if everything & JUMPS:
        for k in range(s.moves.size):
            s.moves.flat[k] &= np.uint8(JUMPS)
    return everything != 0


@kernel
def move(s, square, way, jump):
    """Move the piece on a square."""
    rows, columns = s.board.shape
    row, column = square // columns, square % columns
    r, c = row + (1 + jump) * DOWN[way], column + (1 + jump) * ACROSS[way]
    piece = s.board[row, column]
    crowned = piece < KING and r == (0 if s.player == 0 else rows - 1)
    s.board[row, column] = EMPTY
    s.board[r, c] = piece + (KING - MAN) * crowned
    s.left -= 1
    s.again = -1
    if jump:
        s.board[row + DOWN[way], column + ACROSS[way]] = EMPTY
        s.left = s.params.draw_after
        if not crowned and ways(s.board, r, c) & JUMPS:
            s.again = r * columns + c
    if s.again < 0:
        s.player = 1 - s.player


@kernel
def turned(action, agent, squares):
    """An action of an agent as player_0 numbers it, and the other way around."""
    return action if agent == 0 else (8 * (squares - 1 - action // 8) + action % 8) ^ 4


@kernel
def step(s, actions, rewards):
    action = turned(actions[s.player], s.player, s.board.size)
    s.last = action
    move(s, action // 8, action // 2 % 4, action % 2)
    if not find(s):
        s.terminated[0] = 1
        s.terminated[1] = 1
        if s.left > 0:
            rewards[s.player] = -1.0
            rewards[1 - s.player] = 1.0


@kernel
def observe(s, agent, out):
    rows, columns = s.board.shape
    fill(out.board, 0)
    for row in range(rows):
        for column in range((row + 1) % 2, columns, 2):
            piece = np.int64(s.board[row, column])
            if piece != EMPTY:
                r, c = (row, column) if agent == 0 else (rows - 1 - row, columns - 1 - column)
                other = (piece - MAN) & 1 != agent
                out.board[r, c, 2 * other + (piece >= KING)] = 1
                out.board[r, c, 4] = s.again == row * columns + column
    out.left[0] = s.left


@kernel
def legal(s, agent, mask):
    if s.player == agent:
        squares = s.board.size
        for square in range(squares):
            moves = np.int64(s.moves.flat[square])
            if moves:
                first = turned(8 * square, agent, squares)
                for bit in range(8):
                    mask[first ^ bit] = moves >> bit & 1


PAGE = Page(
    role="You play checkers against {others}. You have the {color} pieces, and your men move {way}.",
    goal="A win pays you +1, a loss -1, and a draw 0. You win if the other player cannot move when it is to move.",
    rules=(
        "The board has {columns:column}, lettered from a on the left, and {rows:row}, numbered from the bottom. Pieces "
        "stand on its dark squares only; a1 is dark. You take turns; player_0, who has white, begins.",
        "A man steps diagonally forward to an empty square, or jumps diagonally forward over a piece of the other "
        "player to the empty square right behind it, which captures that piece. A king steps and jumps in the same "
        "way, but forward and backward. A man that reaches the last row becomes a king, which ends the turn.",
        "If you can jump, you must, with any piece that can. If the piece that has jumped can jump again, you must go "
        "on with it, one jump at a time, before it is the other player's turn.",
    ),
    sees="You both see the whole board.",
    acts={"{FROM}{TO}": "move the piece on the square FROM to the square TO, by a step or a jump"},
    ends=(
        "The game is over when the player to move cannot move. It is a draw after {draw_after:move} in a row without a "
        "capture, counting both players'."
    ),
    unsaid={"ranks": "the first turn shows the men"},
    constants={"1": "the reward of a win", "0": "of a draw"},
)


class Checkers(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "OpenSpiel, action by action, on three boards; py-draughts' positions; published counts of moves"
    variants = (dict(rows=6, columns=6), dict(rows=7, columns=5, ranks=2, draw_after=20))
    shown = "careful"
    clickable = r"[a-p]\d+[a-p]\d+"
    level_fields = {"board": ("start.board", SIGNS), "player": "start.player"}
    player_page = PAGE

    def __init__(
        self,
        rows: Annotated[int, Between(3, 16)] = 8,
        columns: Annotated[int, Between(2, 16)] = 8,
        ranks: Annotated[int, Between(1, 3)] | None = None,
        draw_after: Annotated[int, Between(1, 1000)] = 40,
    ):
        ranks = ranks or min(3, (rows - 1) // 2)
        if rows <= 2 * ranks:
            raise ParameterError(f"Checkers: {ranks} ranks of men each need {2 * ranks + 1} rows; there are {rows}")
        names = [name(action, rows, columns) for action in range(8 * rows * columns)]
        self.define(
            agents=["player_0", "player_1"],
            actions={
                "player_0": names,
                "player_1": [names[turned(action, 1, rows * columns)] for action in range(len(names))],
            },
            observation=Dict(
                {"board": Box(0, 1, (rows, columns, 5), np.int8), "left": Box(0, 1000, (1,), np.int16)},
            ),
            fields=fields(rows, columns),
            params={"ranks": limited(ranks, 1, 3), "draw_after": draw_after},
            reward_range=(-1.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        start = s.start.board
        for row, column in np.argwhere(start).tolist():
            if (row + column) % 2 == 0:
                square = square_name(row, column, len(start))
                raise LevelError(f"{self.id}: the level has a piece on {square}, a light square")
        for letter, last in (("w", 0), ("b", -1)):
            if letter in level["board"][last]:
                raise LevelError(f"{self.id}: the level has a man '{letter}' on its last row, where it would be a king")
        if not any(
            ways(start, row, column)
            for row, column in np.argwhere(start)
            if (start[row, column] - MAN) % 2 == s.start.player
        ):
            raise LevelError(f"{self.id}: the level's game is over: player_{s.start.player} cannot move")

    def contradiction(self, s: Any) -> str | None:
        fresh = copied(s)
        fresh.moves[:] = 0
        going = find(fresh)
        if (fresh.moves != s.moves).any():
            return "moves do not go with the other fields"
        return None if going or s.terminated[0] else "the game is over"

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"color": ("white", "black")[agent], "way": ("up", "down")[agent]}

    def text(self, s: Any, agent: int) -> str:
        own, other = (pieces_in_words(s, player) for player in (agent, 1 - agent))
        color, way = (("white (men w, kings W)", "up"), ("black (men b, kings B)", "down"))[agent]
        winner = None if not s.terminated[0] else 1 - s.player if s.left else -1
        lines = [
            *board.lettered(s.board[::-1], SIGNS),
            f"You are {color}; your men move {way}. You have {own}; the other player has {other}.",
        ]
        if winner is None:
            moves = counted(s.left, "more move")
            lines.append(f"The game is a draw after {moves} without a capture.")
        lines.append(board.turn(s, agent, winner))
        if winner is None and s.player == agent and (s.moves & JUMPS).any():
            rows, columns = s.board.shape
            where = f" again with the piece on {square_name(s.again // columns, s.again % columns, rows)}"
            lines[-1] += f" You must jump{where if s.again >= 0 else ''}."
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The board, the squares of the last move, the piece that must jump again, and both players' pieces."""
        rows, columns = s.board.shape
        left, top = _corner(columns)
        scene = Scene(max(columns, 4) + 1.4, rows + 2.2)
        scene.add(Rect(left, top, columns, rows, "floor"), *coordinates(left, top, columns, rows))
        marked = ends(int(s.last), columns) if s.last >= 0 else ()
        for row, column in np.ndindex(rows, columns):
            if (row + column) % 2:
                scene.add(Rect(left + column, top + row, 1, 1, "square"))
            if (row, column) in marked:
                scene.add(Rect(left + column, top + row, 1, 1, "highlight@0.45"))
        for row, column in np.argwhere(s.board):
            x, y = left + column + 0.5, top + row + 0.5
            if s.again == row * columns + column:
                scene.add(Circle(x, y, 0.48, "highlight", glyph=""))
            scene.add(*piece_at(x, y, int(s.board[row, column])))
        for player in range(2):
            x, y = scene.width / 2 + 0.25 + (player - 0.5) * max(columns, 4) / 2, rows + 1.6
            piece, pieces = piece_at(x - 0.4, y, MAN + player, 0.8), count(s, player, MAN) + count(s, player, KING)
            scene.add(*side(x, y, piece, pieces, not s.terminated[0] and s.player == player))
        return scene

    def drag(self, s: Any, agent: int, start: tuple[float, float], end: tuple[float, float]) -> int | None:
        """The legal move from one square to another."""
        rows, columns = s.board.shape
        left, top = _corner(columns)
        places = [(math.floor(y - top), math.floor(x - left)) for x, y in (start, end)]
        if s.player != agent or not all(0 <= row < rows and 0 <= column < columns for row, column in places):
            return None
        (row, column), target = places
        first = 8 * (row * columns + column)
        for bit in range(8):
            if s.moves[row, column] >> bit & 1 and ends(first + bit, columns)[1] == target:
                return int(turned(first + bit, agent, rows * columns))
        return None


def count(s: Any, player: int, kind: int) -> int:
    """A player's number of men, or of kings."""
    return int((s.board == kind + player).sum())


def pieces_in_words(s: Any, player: int) -> str:
    """A player's men and kings."""
    men, kings = count(s, player, MAN), count(s, player, KING)
    return f"{men} {'man' if men == 1 else 'men'} and {counted(kings, 'king')}"


def ends(action: int, columns: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The row and column that an action of player_0's numbers goes from, and those that it goes to."""
    (row, column), way, far = divmod(action // 8, columns), action // 2 % 4, 1 + action % 2
    return (row, column), (row + far * int(DOWN[way]), column + far * int(ACROSS[way]))


def square_name(row: int, column: int, rows: int) -> str:
    """The name of a square."""
    return f"{chr(97 + column)}{rows - row}"


def name(action: int, rows: int, columns: int) -> str:
    """The name of an action, as player_0 numbers it."""
    source, (row, column) = ends(action, columns)
    if 0 <= row < rows and 0 <= column < columns:
        return square_name(*source, rows) + square_name(row, column, rows)
    return f"{square_name(*source, rows)} {('steps', 'jumps')[action % 2]} off {DIRECTIONS[action // 2 % 4]}"


def piece_at(x: float, y: float, piece: int, size: float = 0.95) -> list[Shape]:
    """A man, or a king with a crown on it, around a point."""
    player = (piece - MAN) & 1
    shapes = stone(x, y, ("white", "black")[player], size, SIGNS[piece])
    if piece >= KING:
        crown = [(-0.22, 0.15), (-0.26, -0.14), (-0.11, -0.01), (0, -0.2), (0.11, -0.01), (0.26, -0.14), (0.22, 0.15)]
        shapes.append(Polygon([(x + size * u, y + size * v) for u, v in crown], "gold"))
    return shapes


def _corner(columns: int) -> tuple[float, float]:
    """The top left corner of the board in the picture; there is room for both players below the board."""
    return 0.9 + (max(columns, 4) - columns) / 2, 0.4


env, raw_env, parallel_env = pettingzoo_forms(Checkers)
