"""GardnerChess: chess on 5 x 5 squares, with all kinds of pieces.

**Rules.** Each player has a rook, a knight, a bishop, a queen and a king on its first rank, on the files from a to e,
and five pawns before them. Pieces move as in chess, with these exceptions:

- a pawn always moves one square, so there is no capture en passant;
- there is no castling.

A pawn that reaches the last rank becomes a queen, rook, bishop or knight. Checkmate wins. The game is a draw

- by stalemate;
- by insufficient material: bare kings, a single knight besides, or only bishops besides on squares of one color;
- after 50 moves of each side without a capture or a pawn's move;
- when a position occurs for the third time, with the same player to move;
- after `max_moves` moves of both players together.

Checkmate takes precedence over all draws.

**Agents.** `player_0` has white and moves first, `player_1` has black. Seats are fixed.

**Observation.** Dict. Each agent sees the board from its own side: row 0 is its own first rank, and columns are the
files from a to e. So black's board is mirrored, not rotated.

| part | space | content |
|---|---|---|
| board | Box (5, 5, 12) int8 | value 1 on own pawns, knights, bishops, rooks, queens, king; then on the other's |
| black | Box (1,) int8 | 1 if the agent has black |
| repeats | Box (1,) int8 | how often the position occurred before, up to 2 |
| clock | Box (1,) int8 | moves since the last capture or pawn's move, up to 100 |
| moves | Box (1,) int16 | moves so far |

**Actions.** Discrete (455), from the side of the observing agent. Squares are numbered row by row: 0 is its `a1`. A
move is a pair of squares that a queen or a knight could move between; pairs are sorted by the first square, then the
second. Pairs whose second square is one rank further and on the last rank, at most one file aside, are also listed
apart, in the same order. Only the player to move has legal actions.

| action | name | move |
|---|---|---|
| 0 to 415 | both squares, such as `b2b3` | the piece on the first square moves; a pawn may become a queen |
| 416 + 3 x pair + kind | `a4a5n`, `a4a5b`, `a4a5r` | a pawn becomes a knight, bishop or rook |

Names are squares of the real board for both agents, as in UCI. The move that makes a queen has no letter, because a
rook may make the same move. `a4a5q` is understood too.

**Window.** Click a piece and then the square to move it to, or drag it there. A pawn that reaches the last rank becomes
a queen.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 otherwise.

**Ends.** Terminates as the rules say; `ending` in the record holds the reason.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `max_moves` | 256 | moves after which the game is a draw, from 1 to 10000 |

**Level.** ``{"fen": "4k/P4/5/5/K4 w - - 0 1", "moves": ["a4a5r"]}``: a position, and optionally at most 255 moves that
are played before the episode starts.

**Known values.** There are 7, 53, 506, 4,775 and 52,512 sequences of 1 to 5 moves (Fairy-Stockfish). Perfect play
draws (Mhalla and Prost, 2013; not repeated here).

**Differences.** Trajectories equal those of Pgx's `gardner_chess`.

- There, actions include moves that leave the board (1225 in all), in another order.
- There, observations also show the seven previous positions.
- There, seats are random.
- There, the limit of moves cannot be changed.
- Positions are compared by 64-bit hashes, as there. Two different positions have the same hash with a probability of
  2^-64.
- In levels, each side has at most five pawns, counting pieces that must have been pawns.

**Source.** Gardner, "Mathematical Games", Scientific American, 1969; Pgx `gardner_chess` (Koyamada et al., "Pgx:
Hardware-Accelerated Parallel Game Simulators for Reinforcement Learning", 2023); Mhalla and Prost, "Gardner's Minichess
Variant is solved", 2013.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import mix
from envsuite.core.ranges import MANY, below, flag, free, within
from envsuite.core.record import as_views, copied
from envsuite.core.world import Horizon, Kernels, World
from envsuite.games.chess import CHECKMATE, close, insufficient, pieces_by, pin, threats
from envsuite.games.gardner_chess import pages, view
from envsuite.games.gardner_chess.view import SIDES, read_fen, square_name, write_fen
from envsuite.kit import bitboard, board, openings
from envsuite.kit.chess_pieces import BISHOP, KNIGHT, PAWN, QUEEN, ROOK
from envsuite.registry import pettingzoo_forms

#: How a game can end besides `CHECKMATE`, which is 1; 0 before. Their names are in the part `view`.
STALEMATE, MATERIAL, CLOCK, REPETITION, LIMIT = range(2, 7)

SIDE = 5
MOST_MOVES, MOST_LEVEL_MOVES, MOST_CLOCK = 10_000, 255, 100

# Sets of squares are 64-bit words, see `kit.bitboard`: the board is the corner with a1 of one of 8 x 8 squares, and
# square 8 x rank + file has the number 5 x rank + file in actions, observations and pictures.
SQUARES = np.array([8 * rank + file for rank in range(SIDE) for file in range(SIDE)])
INSIDE = np.uint64(sum(1 << int(square) for square in SQUARES))
LAST_RANK = np.uint64(0b11111 << 8 * (SIDE - 1))
_8, _24 = np.uint64(8), np.uint64(24)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

# White's and black's pieces at the start, from pawns to king.
_START = [[0b11111 << 8, 0b00010, 0b00100, 0b00001, 0b01000, 0b10000]]
_START.append([_START[0][0] << 16, *(word << 32 for word in _START[0][1:])])
START = np.array(_START, np.uint64)


def _pairs() -> list[tuple[int, int]]:
    """The pairs of squares of moves of a queen or a knight, in order."""
    found = []
    for origin in SQUARES.tolist():
        for target in SQUARES.tolist():
            x, y = abs(target % 8 - origin % 8), abs(target // 8 - origin // 8)
            if origin != target and (x == 0 or y == 0 or x == y or x + y == 3):
                found.append((origin, target))
    return found


_PAIRS = _pairs()
_PROMOTING = [(a, b) for a, b in _PAIRS if b // 8 == SIDE - 1 and a // 8 == SIDE - 2 and abs(a % 8 - b % 8) <= 1]
NUM_PAIRS = len(_PAIRS)

#: (455, 3): the squares of an action, from the mover's side, and the piece that a pawn becomes on the last rank.
MOVES = np.array(
    [(a, b, QUEEN) for a, b in _PAIRS] + [(a, b, kind) for a, b in _PROMOTING for kind in (KNIGHT, BISHOP, ROOK)]
)
NUM_ACTIONS = len(MOVES)

#: (64, 64): the action from one square to another, and the first of those that make a knight, bishop or rook.
ACTIONS, PROMOTIONS = np.zeros((2, 64, 64), np.int64)
for _k, _pair in enumerate(_PAIRS):
    ACTIONS[_pair] = _k
for _k, _pair in enumerate(_PROMOTING):
    PROMOTIONS[_pair] = NUM_PAIRS + 3 * _k

#: What a level sets: a position, and the moves made from it.
LEVEL = np.dtype(
    [
        ("board", free(np.uint64), (2, 6)),
        ("player", below(np.int64, 2)),
        ("clock", below(np.int64, MOST_CLOCK + 1)),
        ("number", within(np.int64, 1, MANY)),
        ("length", within(np.int64, 0, MOST_LEVEL_MOVES)),
        ("moves", below(np.uint16, NUM_ACTIONS), (MOST_LEVEL_MOVES,)),
    ]
)

#: The record.
FIELDS: list[tuple] = [
    ("player", below(np.int64, 2)),  # 0 if white is to move, 1 if black is
    ("board", free(np.uint64), (2, 6)),  # white's and black's pieces, as sets of squares
    ("moves", within(np.int64, 0, MOST_MOVES)),  # moves since the level's position
    ("number", within(np.int64, 1, MANY)),  # the move number, counted as in a FEN
    ("clock", below(np.int64, MOST_CLOCK + 1)),  # moves since the last capture or pawn's move
    ("first", below(np.int64, MOST_CLOCK + 1)),  # the clock at the first known key
    ("keys", free(np.uint64), (MOST_CLOCK + 1,)),  # hashes of the positions since then, by clock
    ("repeats", within(np.int64, 0, MOST_CLOCK)),  # how often the position occurred before
    ("count", within(np.int64, 0, NUM_ACTIONS)),  # number of legal moves
    ("check", flag()),  # whether the player to move is in check
    ("legal", flag(np.int8), (NUM_ACTIONS,)),  # the mask of the player to move
    ("ending", within(np.int64, 0, LIMIT)),  # the reason why the game has ended, or 0
    ("origin", within(np.int64, -1, SIDE * SIDE - 1)),  # the squares of the last move, for the picture, or -1
    ("target", within(np.int64, -1, SIDE * SIDE - 1)),
    ("level", LEVEL),
]


@kernel
def reset(s):
    if not s.level_given:
        for k in range(12):
            s.level.board.flat[k] = START[k // 6, k % 6]
        s.level.player = 0
        s.level.clock = 0
        s.level.number = 1
        s.level.length = 0
    for k in range(12):
        s.board.flat[k] = s.level.board.flat[k]
    s.player = s.level.player
    s.moves = 0
    s.number = s.level.number
    s.clock = s.level.clock
    s.first = s.clock
    s.origin = -1
    s.target = -1
    look(s)
    for k in range(s.level.length):
        play(s, np.int64(s.level.moves[k]))
    s.ending = judge(s)


@kernel
def turned(square, player):
    """The square of the board for a square as a player sees it, and back."""
    return square + player * (8 * (SIDE - 1) + 2 * (square & 7) - 2 * square)


@kernel
def numbered(square):
    """The number of a square from 0 to 24."""
    return SIDE * (square >> 3) + (square & 7)


@kernel
def seen(board, side, piece, player):
    """The pieces of one kind and side, as a player sees the board."""
    squares = np.uint64(board[side, piece])
    return bitboard.mirrored(squares) >> _24 if player else squares


pieces = pieces_by(seen)


@kernel
def place(board, player, action):
    """Carry out a move on a board. Returns whether a pawn moved or a piece was captured."""
    start, goal = bitboard.bit(turned(MOVES[action, 0], player)), bitboard.bit(turned(MOVES[action, 1], player))
    piece, progress = PAWN, False
    for k in range(6):
        own, other = np.uint64(board[player, k]), np.uint64(board[1 - player, k])
        if own & start:
            piece = k
        if other & goal:
            progress = True
        board[player, k] = own & ~start
        board[1 - player, k] = other & ~goal
    if piece == PAWN:
        progress = True
        if MOVES[action, 1] >= 8 * (SIDE - 1):
            piece = MOVES[action, 2]
    board[player, piece] = np.uint64(board[player, piece]) | goal
    return progress


@kernel
def play(s, action):
    """The player to move makes a move."""
    s.origin = numbered(turned(MOVES[action, 0], s.player))
    s.target = numbered(turned(MOVES[action, 1], s.player))
    s.clock += 1
    if place(s.board, s.player, action):
        s.clock = 0
        s.first = 0
    s.moves += 1
    s.number += s.player
    s.player = 1 - s.player
    look(s)


@kernel
def look(s):
    """Find the legal moves of the position on the board, and how often the position occurred before."""
    s.count, s.check = generate(s.board, s.player, s.legal)
    key = bitboard.ZERO  # positions with the other player to move are not compared
    for k in range(12):
        key += mix(s.board[k // 6, k % 6] + _GOLDEN * np.uint64(k + 1))
    s.keys[s.clock] = key
    s.repeats = 0
    for k in range(s.clock - 4, s.first - 1, -2):
        s.repeats += s.keys[k] == key


@large_kernel
def generate(board, player, mask):
    """Write a player's legal moves to a mask. Returns their number and whether the king is in check.

    Both players use the same code: all sets are mirrored so that the pawns of the player to move go up.
    """
    for k in range(NUM_ACTIONS):
        mask[k] = 0
    pawns, knights, straight, diagonal, king = pieces(board, player, player)
    their_pawns, their_knights, their_straight, their_diagonal, their_king = pieces(board, 1 - player, player)
    own = pawns | knights | diagonal | straight | king
    theirs = their_pawns | their_knights | their_diagonal | their_straight | their_king
    occupied, home = own | theirs, bitboard.lowest(king)

    danger, checkers, blocks, pinned = threats(
        king, own, occupied, their_king, their_pawns, their_knights, their_straight, their_diagonal
    )
    count = allow(mask, home, bitboard.KING_STEPS[home] & INSIDE & ~own & ~danger)
    checks = bitboard.size(checkers)
    goals = INSIDE & ~own
    if checks == 1:
        goals &= checkers | blocks
    rest = bitboard.ZERO if checks > 1 else own ^ king
    while rest:
        origin = bitboard.lowest(rest)
        here = bitboard.bit(origin)
        rest ^= here
        if here & pawns:
            reach = here << _8 & ~occupied | bitboard.pawn_attacks(here) & theirs
        else:
            reach = bitboard.KNIGHT_STEPS[origin] if here & knights else bitboard.ZERO
        if here & straight:
            reach |= bitboard.along(0, origin, occupied) | bitboard.along(1, origin, occupied)
        if here & diagonal:
            reach |= bitboard.along(2, origin, occupied) | bitboard.along(3, origin, occupied)
        if here & pinned:
            reach &= pin(home, here)
        count += allow(mask, origin, reach & goals)
        if here & pawns:
            count += allow_promotions(mask, origin, reach & goals & LAST_RANK)
    return count, np.uint8(checks != 0)


@kernel
def allow(mask, origin, targets):
    """Mark the moves of one piece as legal. Returns their number."""
    count = bitboard.size(targets)
    while targets:
        mask[ACTIONS[origin, bitboard.lowest(targets)]] = 1
        targets &= targets - bitboard.ONE
    return count


@kernel
def allow_promotions(mask, origin, targets):
    """Mark the moves by which a pawn becomes a knight, bishop or rook as legal. Returns their number."""
    count = 3 * bitboard.size(targets)
    while targets:
        first = PROMOTIONS[origin, bitboard.lowest(targets)]
        for k in range(3):
            mask[first + k] = 1
        targets &= targets - bitboard.ONE
    return count


@kernel
def judge(s):
    """The reason why the game has ended, or 0."""
    if s.count == 0:
        return CHECKMATE if s.check else STALEMATE
    if insufficient(s.board):
        return MATERIAL
    if s.clock >= MOST_CLOCK:
        return CLOCK
    if s.repeats >= 2:
        return REPETITION
    return LIMIT if s.moves >= s.params.max_moves else 0


@kernel
def step(s, actions, rewards):
    mover = s.player
    play(s, actions[mover])
    s.ending = judge(s)
    close(s, mover, rewards)


@kernel
def observe(s, agent, out):
    for k in range(12 * SIDE * SIDE):
        out.board.flat[k] = 0
    for k in range(12):
        squares = seen(s.board, (agent + k // 6) % 2, k % 6, agent)
        while squares:
            out.board.flat[12 * numbered(bitboard.lowest(squares)) + k] = 1
            squares &= squares - bitboard.ONE
    out.black[0] = agent
    out.repeats[0] = min(s.repeats, 2)
    out.clock[0] = s.clock
    out.moves[0] = s.moves


def _action_names(player: int) -> list[str]:
    """The names of a player's actions."""
    names = []
    for k, (origin, target, kind) in enumerate(MOVES.tolist()):
        squares = square_name(numbered(turned(origin, player))) + square_name(numbered(turned(target, player)))
        names.append(squares + (" nbr"[kind] if k >= NUM_PAIRS else ""))
    return names


NAMES = (_action_names(0), _action_names(1))

#: Other ways to write promotions: a4a5q and a4a5=q for a4a5, a4a5=n for a4a5n.
SYNONYMS = {f"{name[:4]}={name[4]}": name for names in NAMES for name in names[NUM_PAIRS:]}
SYNONYMS |= {name[:4] + mark: name[:4] for name in [*SYNONYMS.values()] for mark in ("q", "=q")}


def give_turn(level: Any) -> None:
    """Give the turn of a level's position to the other side."""
    level.player = 1 - level.player


class GardnerChess(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, board.legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "Pgx, move by move; Fairy-Stockfish's legal moves and counts of move sequences"
    variants = (dict(max_moves=20),)
    shown = "material"
    clickable = "...."
    synonyms = SYNONYMS
    cost = 2
    fen = view.fen
    status = view.status
    text = view.text
    drag = view.drag
    scene = view.scene
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(self, max_moves: Annotated[int, Horizon(1, MOST_MOVES)] = 256):
        self.define(
            agents=["player_0", "player_1"],
            actions={"player_0": NAMES[0], "player_1": NAMES[1]},
            observation=Dict(
                {
                    "board": Box(0, 1, (SIDE, SIDE, 12), np.int8),
                    "black": Box(0, 1, (1,), np.int8),
                    "repeats": Box(0, 2, (1,), np.int8),
                    "clock": Box(0, MOST_CLOCK, (1,), np.int8),
                    "moves": Box(0, MOST_MOVES, (1,), np.int16),
                }
            ),
            fields=FIELDS,
            params={"max_moves": max_moves},
            reward_range=(-1.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        moves = openings.read_position(self, s, level, read_fen, give_turn)
        names = [SYNONYMS.get(move, move) for move in moves]
        openings.play_level(self, s, names, place=lambda now: f" in {self.fen(now)}: {self.status(now)}")

    def get_level(self, s: Any) -> dict[str, Any]:
        start = s.level
        fen = write_fen(start.board, start.player, start.clock, start.number)
        players = [(int(start.player) + k) % 2 for k in range(start.length)]
        return {"fen": fen, "moves": [NAMES[player][move] for player, move in zip(players, start.moves)]}

    def contradiction(self, s: Any) -> str | None:
        level = as_views(np.zeros((), LEVEL))
        try:
            read_fen(write_fen(s.board, s.player, s.clock, 1), level)
        except ValueError as problem:
            return str(problem)
        if not np.array_equal(level.board, s.board):
            return "there are two pieces on a square, or pieces off the board"
        if generate(s.board, 1 - s.player, np.zeros(NUM_ACTIONS, np.int8))[1]:
            return f"{SIDES[1 - s.player]} is in check, but not to move"
        again = copied(s)
        look(again)
        again.ending = judge(again)
        for name in ("legal", "count", "check", "ending"):
            if not np.array_equal(again[name], s[name]):
                return f"{name} is not that of the position"
        return None if s.first <= s.clock and bool(s.terminated[0]) == (s.ending != 0) else "the end is wrong"


env, raw_env, parallel_env = pettingzoo_forms(GardnerChess)
