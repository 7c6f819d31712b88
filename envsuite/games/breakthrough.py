"""Breakthrough: pawns race to the other side of any board; vector rewards as in MOMAland's MO-Breakthrough.

**Rules.** Each player has `ranks` full ranks of pawns on its side. In turn, the players move a pawn one square forward:
straight ahead or diagonally to an empty square, or diagonally onto a pawn of the other player, which is captured. A
player wins by reaching the last rank or by capturing all pawns of the other player. There is always a legal move, and
no game is drawn.

**Agents.** `player_0` (white) starts at the bottom and moves first, then `player_1` (black). Seats are fixed.

**Observation.** Box (rows, columns, 2) int8. Row 0 is the observing agent's own first rank, so both agents move to
higher rows. Columns are the same for both.

| plane | value 1 where |
|---|---|
| 0 | the observing agent has a pawn |
| 1 | the other agent has a pawn |

**Actions.** Discrete ((rows - 1) x (3 columns - 2)): for each square from which a pawn can step, each of its steps that
stay on the board. A capture is one of these steps. Row and column are those of the observation. `sideways` is -1 to the
column before, 0 straight ahead, 1 to the column after. Only the player to move has legal actions.

| action | name |
|---|---|
| row x (3 columns - 2) + 3 column + sideways | both squares, such as `a2b3` |

Names are squares of the real board, with `a1` at the bottom left, so the same action has a different name for each
agent.

**Window.** Click a pawn and then the square to move it to, or drag it there.

**Rewards.** The sum of four objectives (MOMAland's), weighted by `weights`. With the default weights, the reward is +1
to the winner and -1 to the loser. Rewards sum to zero if `captures` and `losses` have the same weight.

| objective | in one transition |
|---|---|
| `win` | +1 to the winner, -1 to the loser |
| `speed` | 1 - moves / most to the winner, minus that to the loser; most = 2 ranks columns (rows - ranks - 1) + 1 |
| `captures` | 1 / (ranks columns) to the player that captures a pawn |
| `losses` | -1 / (ranks columns) to the player whose pawn is captured |

Moves are counted from the start of the episode.

**Ends.** Terminates when a pawn reaches the last rank or a player has no pawns left.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rows` | 8 | rows of the board, from 3 to 16, at least 2 x `ranks` |
| `columns` | 8 | columns of the board, from 2 to 16 |
| `ranks` | None | ranks of pawns, 1 or 2; None is OpenSpiel's rule: 2, or 1 with fewer than 6 rows |
| `weights` | (1, 0, 0, 0) | weights of `win`, `speed`, `captures` and `losses`, each from -1,000,000 to 1,000,000 |

**Level.** ``{"board": ["bbb", "...", "www"], "player": 0}``: the pawns from the top row, w of `player_0` and b of
`player_1`, and the player to move. Each player has 1 to ranks x columns pawns, none of them at its goal.

**Known values.** There are 22, 484, 11132, 256036 move sequences of 1 to 4 plies on 8 x 8. Uniformly random play: the
first player wins .4924 on 8 x 8 in 64.0 plies, and .5056 on 6 x 6 in 28.0 plies (5,000 games each, OpenSpiel). With two
ranks, the second player wins on 4 x 2, 4 x 3, 4 x 4, 5 x 2 and 5 x 3 (rows x columns).

**Differences.** From OpenSpiel's `breakthrough`, whose trajectories are equal:

- There, the first player is at the top.
- There, each square has 6 directions and a capture is an action of its own.
- There, the observation is not turned to the observing agent.

From MOMAland's `mobreakthrough_v0`, whose rewards are otherwise equal:

- There, an error makes a capture to the left depend on the piece to the right; that error is not copied.
- There, players always have two ranks. With one rank, `speed`, `captures` and `losses` follow the same formulas.

**Source.** Troyka, "Breakthrough", 2000; OpenSpiel `breakthrough`; MOMAland `mobreakthrough_v0` (Felten et al.,
"MOMAland: A Set of Benchmarks for Multi-Objective Multi-Agent Reinforcement Learning", 2024).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_integer, read_letters, write_letters
from envsuite.core.page import Page, When, counted
from envsuite.core.ranges import below, flag, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import board, openings
from envsuite.kit.board import observe
from envsuite.kit.chess_pieces import chess_piece
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Rect, Scene, checkerboard, coordinates, side

WIN, SPEED, CAPTURES, LOSSES = range(4)


def fields(rows: int, columns: int) -> list[tuple]:
    """The record."""
    actions = (rows - 1) * (3 * columns - 2)
    start = np.dtype([("board", below(np.int8, 3), (rows, columns)), ("player", below(np.int64, 2))], align=True)
    return [
        ("player", below(np.int64, 2)),  # whose turn it is
        ("pawns", within(np.int64, 0, 2 * columns), (2,)),  # each player's pawns on the board
        ("last", within(np.int64, -1, actions - 1)),  # the last action, for the picture; -1 at the start
        ("seen", flag(np.int8), (2, rows, columns, 2)),  # the observation of each player
        ("moves", flag(np.int8), (2, actions)),  # the legal moves of each player if it were to move
        ("start", start),  # the board and the player to move at the start
    ]


@kernel
def reset(s):
    rows, columns = s.seen.shape[1], s.seen.shape[2]
    if not s.level_given:
        for row in range(rows):
            for column in range(columns):
                s.start.board[row, column] = (row < s.params.ranks) + 2 * (row >= rows - s.params.ranks)
        s.start.player = 0
    s.player = s.start.player
    s.last = -1
    for player in range(2):
        s.pawns[player] = 0
        for row in range(rows):
            first, second = s.seen[player, row], s.seen[1 - player, rows - 1 - row]
            for column in range(columns):
                pawn = np.int8(s.start.board[row if player == 0 else rows - 1 - row, column] == player + 1)
                first[column, 0] = pawn
                second[column, 1] = pawn
                s.pawns[player] += pawn
        for k in range(s.moves.shape[1]):
            s.moves[player, k] = 0
    for player in range(2):
        for row in range(rows - 1):
            for column in range(columns):
                if s.seen[player, row, column, 0]:
                    leave(s, player, row, column)


@kernel
def number(row, column, sideways, columns):
    """The action that moves a pawn one row forward and -1, 0 or 1 columns sideways."""
    return row * (3 * columns - 2) + 3 * column + sideways


@kernel
def leave(s, player, row, column):
    """Update the moves from a square: those of the player's pawn there, or none."""
    columns = s.seen.shape[2]
    for sideways in range(-1, 2):
        target = column + sideways
        if 0 <= target < columns:
            taken = s.seen[player, row + 1, target, 0] | ((sideways == 0) & s.seen[player, row + 1, target, 1])
            s.moves[player, number(row, column, sideways, columns)] = s.seen[player, row, column, 0] & (taken ^ 1)


@kernel
def enter(s, player, row, column):
    """Update the moves to a square from the row before it."""
    columns = s.seen.shape[2]
    own, other = s.seen[player, row, column, 0], s.seen[player, row, column, 1]
    for sideways in range(-1, 2):
        source = column - sideways
        if 0 <= source < columns:
            taken = own | ((sideways == 0) & other)
            s.moves[player, number(row - 1, source, sideways, columns)] = s.seen[player, row - 1, source, 0] & (
                taken ^ 1
            )


@kernel
def step(s, actions, rewards):
    rows, columns = np.int64(s.seen.shape[1]), np.int64(s.seen.shape[2])
    player = s.player
    other, action = 1 - player, actions[player]
    row, place = action // (3 * columns - 2), action % (3 * columns - 2) + 1
    column = place // 3
    target = column + place % 3 - 1
    back = rows - 1 - row  # the pawn's row as the other player sees it
    captured = s.seen[player, row + 1, target, 1]
    s.seen[player, row, column, 0] = 0
    s.seen[other, back, column, 1] = 0
    s.seen[player, row + 1, target, 0] = 1
    s.seen[player, row + 1, target, 1] = 0
    s.seen[other, back - 1, target, 1] = 1
    s.seen[other, back - 1, target, 0] = 0
    s.pawns[other] -= captured
    s.last = action
    s.player = other
    share = captured / np.float64(s.params.ranks * columns)
    s.objectives[player, CAPTURES] = share
    s.objectives[other, LOSSES] = -share
    if row + 2 == rows or s.pawns[other] == 0:
        most = 2 * s.params.ranks * columns * (rows - s.params.ranks - 1) + 1
        speed = 1.0 - s.t / most
        s.objectives[player, WIN] = 1.0
        s.objectives[other, WIN] = -1.0
        s.objectives[player, SPEED] = speed
        s.objectives[other, SPEED] = -speed
        s.terminated[0] = 1
        s.terminated[1] = 1
    else:
        leave(s, player, row, column)
        leave(s, player, row + 1, target)
        enter(s, player, row + 1, target)
        if row > 0:
            enter(s, player, row, column)
        leave(s, other, back - 1, target)
        enter(s, other, back, column)
        enter(s, other, back - 1, target)


@kernel
def legal(s, agent, mask):
    turn = np.int8(s.player == agent)
    for k in range(s.moves.shape[1]):
        mask[k] = turn & s.moves[agent, k]


PAGE = Page(
    role="You play Breakthrough against {others}. You have the {color} pawns and move {way}.",
    goal=(
        "You win if one of your pawns reaches your last rank, which is rank {last}, or if the other player has no "
        "pawns left.",
        When("win", "A win pays you {win:+g} and a loss {loss:+g}."),
        When(
            "speed",
            "At the end, the winner gets {speed:g} x (1 - n / {most}), where n is the number of moves of both "
            "players, and the loser minus that amount.",
        ),
        When("captures", "Each pawn that you capture pays you {captures:+g}."),
        When("losses", "Each pawn that you lose pays you {losses:+g}."),
        When("paid", "", "Nothing is paid."),
    ),
    rules=(
        "The board has {columns:column}, lettered from a on the left, and {rows:rank}, numbered from the bottom. You "
        "take turns; player_0 begins. In your turn you move one of your pawns forward by one square: straight ahead or "
        "diagonally to an empty square, or diagonally onto a pawn of the other player, which captures it. A pawn "
        "cannot capture straight ahead.",
    ),
    sees="You both see the whole board.",
    acts={"{FROM}{TO}": "move the pawn on the square FROM to the square TO"},
    ends="The game is over as soon as a player has won. There are no draws.",
    unsaid={"ranks": "the first turn shows the pawns"},
    constants={"1": "a part of the formula"},
)


class Breakthrough(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    # Zero-sum if `captures` and `losses` have the same weight, so `utility` is "general".
    kind = ("boards",)
    verified = "OpenSpiel, move by move; MOMAland's rewards; counts of move sequences"
    variants = (dict(rows=5, columns=4, ranks=2, weights=(0.0, 1.0, 0.5, 0.25)),)
    player_page = PAGE

    def __init__(
        self,
        rows: Annotated[int, Between(3, 16)] = 8,
        columns: Annotated[int, Between(2, 16)] = 8,
        ranks: Literal[1, 2] | None = None,
        weights: tuple[Annotated[float, Between(-1_000_000, 1_000_000)], ...] = (1.0, 0.0, 0.0, 0.0),
    ):
        ranks = ranks or (2 if rows >= 6 else 1)
        if rows < 2 * ranks:
            raise ParameterError(f"Breakthrough: {ranks} ranks of pawns each need {2 * ranks} rows; there are {rows}")
        steps = [(r, c, c + d) for r in range(rows - 1) for c in range(columns) for d in (-1, 0, 1)]
        steps = [(r, c, target) for r, c, target in steps if 0 <= target < columns]
        up = [f"{chr(97 + c)}{r + 1}{chr(97 + target)}{r + 2}" for r, c, target in steps]
        down = [f"{chr(97 + c)}{rows - r}{chr(97 + target)}{rows - r - 1}" for r, c, target in steps]
        self.define(
            agents=["player_0", "player_1"],
            actions={"player_0": up, "player_1": down},
            observation=Box(0, 1, (rows, columns, 2), np.int8),
            fields=fields(rows, columns),
            params={"ranks": limited(ranks, 1, 2), "weights": weights},
            objectives={
                "win": (-1.0, 1.0),
                "speed": (-1.0, 1.0),
                "captures": (0.0, 1.0 / columns),
                "losses": (-1.0 / columns, 0.0),
            },
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "board", "player")
        start, most = s.start.board, s.params.ranks * s.start.board.shape[1]
        start[::-1] = read_letters(level["board"], f"{self.id}: the level's board", start.shape, ".wb")
        s.start.player = read_integer(level["player"], f"{self.id}: the level's player", 0, 1)
        for pawn, goal in (("w", 0), ("b", -1)):
            count = "".join(level["board"]).count(pawn)
            if not 1 <= count <= most:
                raise LevelError(f"{self.id}: the level has {count} pawns '{pawn}'; 1 to {most} are allowed")
            if pawn in level["board"][goal]:
                raise LevelError(f"{self.id}: the level's game is over: a pawn '{pawn}' is at its goal")

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"board": write_letters(s.start.board[::-1], ".wb"), "player": int(s.start.player)}

    def contradiction(self, s: Any) -> str | None:
        free = ["last", "terminated", "objectives"] + ["moves"] * bool(s.terminated[0])  # the last move leaves them
        return openings.unlike_start(self, s, but=free, board=board.pieces(s), player=s.player)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        rows, columns = s.start.board.shape
        pawns = int(s.params.ranks) * columns
        win, speed, captures, losses = (float(weight) for weight in s.params.weights)
        return {
            "color": ("white", "black")[agent],
            "way": ("up", "down")[agent],
            "last": (rows, 1)[agent],
            "win": win,
            "loss": -win,
            "speed": speed,
            "most": 2 * pawns * (rows - int(s.params.ranks) - 1) + 1,
            "captures": captures / pawns,
            "losses": -losses / pawns,
            "paid": any(s.params.weights),
        }

    def text(self, s: Any, agent: int) -> str:
        color, way = (("white (w)", "up"), ("black (b)", "down"))[agent]
        own = int(s.pawns[agent])
        counts = f"{counted(own, 'pawn')} against {s.pawns[1 - agent]}"
        turn = board.turn(s, agent, 1 - s.player if s.terminated[0] else None)
        lines = board.lettered(board.pieces(s), ".wb")
        return "\n".join([*lines, f"You are {color}, moving {way}, with {counts}. {turn}"])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The board, the squares of the last move, and both players' pawns."""
        pawns = board.pieces(s)
        rows, columns = pawns.shape
        left, top = _corner(columns)
        scene = Scene(max(columns, 4) + 1.4, rows + 2.2)
        scene.add(*checkerboard(left, top, columns, rows), *coordinates(left, top, columns, rows))
        if s.last >= 0:
            source, target = self.squares(1 - int(s.player), int(s.last))
            for row, column in (source, target):
                scene.add(Rect(left + column, top + rows - 1 - row, 1, 1, "highlight@0.45"))
        for row, column in np.argwhere(pawns):
            x, y = left + column + 0.5, top + rows - row - 0.5
            scene.add(*chess_piece(x, y, "pawn", pawns[row, column] == 1, 0.95, " wb"[pawns[row, column]]))
        for player in range(2):
            x, y = scene.width / 2 + 0.25 + (player - 0.5) * max(columns, 4) / 2, rows + 1.6
            piece = chess_piece(x - 0.4, y, "pawn", player == 0, 0.85, "wb"[player])
            scene.add(*side(x, y, piece, s.pawns[player], not s.terminated[0] and s.player == player))
        return scene

    def squares(self, player: int, action: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """The squares (row, column) that a move goes from and to, from the bottom of the board."""
        name = self.action_names[player][action]
        letters = [k for k, letter in enumerate(name) if letter.isalpha()]
        parts = name[: letters[1]], name[letters[1] :]
        source, target = ((int(part[1:]) - 1, ord(part[0]) - 97) for part in parts)
        return source, target

    def drag(self, s: Any, agent: int, start: tuple[float, float], end: tuple[float, float]) -> int | None:
        """The legal move from one square to another."""
        rows, columns = s.seen.shape[1:3]
        left, top = _corner(columns)
        places = [(math.floor(x - left), rows - math.floor(y - top)) for x, y in (start, end)]
        name = "".join(f"{chr(97 + column)}{row}" for column, row in places if 0 <= column < columns)
        names = self.action_names[agent]
        if s.player != agent or s.terminated[0] or name not in names:
            return None
        action = names.index(name)
        return action if s.moves[agent, action] else None


def _corner(columns: int) -> tuple[float, float]:
    """The top left corner of the board in the picture; there is room for both players below the board."""
    return 0.9 + (max(columns, 4) - columns) / 2, 0.4


env, raw_env, parallel_env = pettingzoo_forms(Breakthrough)
