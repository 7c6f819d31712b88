"""Shogi: Japanese chess, in which captured pieces change sides and are dropped back on the board.

**Rules.** The board has 9 x 9 squares. In turn, the players move a piece to a square that holds none of their own
pieces, or drop a piece from their hand on an empty square. A piece that moves onto a piece of the other player captures
it, and the captured piece goes to the capturing player's hand, without its promotion.

| piece | letter | moves | promoted |
|---|---|---|---|
| pawn | P | one square forward | +P moves as a gold |
| lance | L | any distance forward | +L moves as a gold |
| knight | N | two squares forward and one aside, over other pieces | +N moves as a gold |
| silver | S | one square forward or diagonally | +S moves as a gold |
| gold | G | one square in all directions except diagonally backward | |
| bishop | B | any distance diagonally | +B also one square straight |
| rook | R | any distance straight | +R also one square diagonally |
| king | K | one square in all directions | |

A piece may promote when a move starts or ends on the last three ranks. It must promote where it could not move again:
pawns and lances on the last rank, knights on the last two. For the same reason they cannot be dropped there. Dropped
pieces are never promoted. A pawn cannot be dropped on a file that holds an unpromoted pawn of the same player, nor to
give checkmate. A move must not leave the player's own king in check.

- A player without a legal move loses, in check or not.
- When a position occurs for the fourth time, the game is a draw. If all moves of one player since its first time gave
  check, that player loses instead. Two positions are the same if board, hands and the player to move are the same.
- `impasse` says what happens when kings reach the last three ranks, where they are hard to catch.
- The game is a draw after `max_moves` moves.

Impasse rules count points: 5 for a rook or bishop, promoted or not, and 1 for any other piece except the king. Pieces
in hand count, and pieces on the player's last three ranks.

- "declared": the player to move may declare a win by the action `win`. It must not be in check. Its king and ten other
  pieces of its own must stand on its last three ranks, and it needs 28 points as `player_0` or 27 as `player_1`.
- "automatic": after a move, the player that moved wins with its king on its last three ranks and 28 points. Otherwise,
  the game is a draw if both kings stand on their last three ranks.
- "none": there is no such rule.

**Agents.** `player_0` starts at the bottom and moves first, then `player_1`. Seats are fixed.

**Observation.** Dict. Each agent sees the board from its own side: row 0 is its first rank and column 0 is at its left
hand.

| part | space | content |
|---|---|---|
| board | Box (9, 9, 28) int8 | value 1 on own pieces by kind, then on the other's |
| hand | Box (14,) int8 | pawns, lances, knights, silvers, bishops, rooks, golds in hand; then in the other's hand |
| first | Box (1,) int8 | 1 for `player_0` |
| check | Box (1,) int8 | 1 if the player to move is in check |
| repeats | Box (1,) int8 | how often the position occurred before, up to 3 |
| moves | Box (1,) int16 | moves so far |

Kinds are 0 pawn, 1 lance, 2 knight, 3 silver, 4 bishop, 5 rook, 6 gold, 7 king; 8 to 13 are kinds 0 to 5 promoted.

**Actions.** Discrete (3850), from the side of the observing agent. Squares are numbered row by row from the agent's
left corner. A move is a pair of squares that a queen of chess could move between, or a knight of shogi. Pairs are
sorted by the first square, then the second. Pairs with a square on the last three ranks are listed again, in the same
order, as moves that promote. Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| 0 to 2223 | `7g7f` | as the piece on the first square moves |
| 2224 to 3281 | `2d2c+` | the same, if the piece can promote |
| 3282 + 81 x kind + square | `P*5e` | the piece is in hand and can be dropped there |
| 3849 | `win` | if `impasse` is "declared", as the rules say |

Names are moves in USI on the real board, so the same action has a different name for each agent. Files are numbered
from 9 at the left of `player_0` to 1, and ranks are lettered from `i` at its side to `a`.

**Window.** Click a piece, on the board or in your hand, and then the square to move it to, or drag it there. Where the
piece may promote or not, the upper half of the square promotes it and the lower half does not. W declares a win.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 otherwise.

**Ends.** Terminates as the rules say; `ending` in the record holds the reason.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `impasse` | "declared" | "declared", "automatic" or "none", see the rules |
| `max_moves` | 512 | moves after which the game is a draw, from 1 to 512 |

**Level.** ``{"sfen": "5k3/9/9/6N2/9/9/9/9/4K4 b 2G 1", "moves": ["G*4c"]}``: a position in SFEN, and optionally at
most 511 moves in USI that are played before the episode starts. Pieces may be missing, as in handicap games and
problems, but each player has a king. `Shogi.sfen(s)` is the position of a record.

**Known values.** There are 30, 900, 25,470 and 719,731 sequences of 1 to 4 moves. The most legal moves that are known
of a position are 593.

**Differences.** Legal moves equal those of OpenSpiel, cshogi and Pgx.

From OpenSpiel's `shogi`, whose results are otherwise those of "automatic":

- There, a player also loses by perpetual check if some of its moves since the first time of the position gave no check,
  but its last six did. If all moves of both players gave check, `player_0` loses there; here, the game is a draw.
- There, the number of moves has no limit.

From Pgx's `shogi`, whose results are otherwise those of "none":

- There, repetitions do not end the game.
- There, actions are pairs of a direction and the square that a piece comes to, and seats are random.
- There, observations also show which squares are attacked.

From the printed rules:

- There, the players may also agree to count points, and pieces that are missing in a handicap game count as points.
- There, no number of moves ends the game.
- Positions are compared by 64-bit hashes. Two different positions have the same hash with a probability of 2^-64.

**Source.** Japan Shogi Association, rules of shogi; Computer Shogi Association, tournament rules, for "declared";
OpenSpiel `shogi`; Pgx `shogi` (Koyamada et al., "Pgx: Hardware-Accelerated Parallel Game Simulators for Reinforcement
Learning", 2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import copy
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import mix
from envsuite.core.ranges import among, below, flag, free, within
from envsuite.core.record import as_views, copied
from envsuite.core.world import Horizon, Kernels, World
from envsuite.games.shogi import pages, view
from envsuite.games.shogi.reading import written_move
from envsuite.games.shogi.view import HANDS, SIDES, read_sfen, square_name, write_sfen
from envsuite.kit import openings
from envsuite.registry import pettingzoo_forms

SIDE, SQUARES, MOST = 9, 81, 512

#: Kinds of pieces. A piece of `player_0` on the board is its kind plus 1; those of `player_1` are greater by 14.
PAWN, LANCE, KNIGHT, SILVER, BISHOP, ROOK, GOLD, KING = range(8)
PROMOTED, KINDS, EMPTY = 8, 14, 0

#: How a game can end; 0 before. Their names are in `shogi_view`.
CHECKMATE, STALEMATE, DECLARED, POINTS, PERPETUAL, REPETITION, IMPASSE, LIMIT = range(1, 9)
_IMPASSES = ("declared", "automatic", "none")

#: The eight ways (column, row) of pieces; 7 - way is the opposite. Forward is 6 for `player_0` and 1 for `player_1`.
WAYS = [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if (x, y) != (0, 0)]
FORWARD = np.array([WAYS.index((0, 1)), WAYS.index((0, -1))])
_STRAIGHT = [(x, y) for x, y in WAYS if not (x and y)]
_DIAGONAL = [(x, y) for x, y in WAYS if x and y]
_GOLD = [(x, y) for x, y in WAYS if not (x and y == -1)]

#: The steps of each kind of `player_0`, and its ways of any length.
STEPS = dict.fromkeys([GOLD, *(PROMOTED + k for k in (PAWN, LANCE, KNIGHT, SILVER))], _GOLD)
STEPS |= {PAWN: [(0, 1)], SILVER: [*_DIAGONAL, (0, 1)], KING: WAYS, KNIGHT: [], LANCE: [], BISHOP: [], ROOK: []}
STEPS |= {PROMOTED + BISHOP: _STRAIGHT, PROMOTED + ROOK: _DIAGONAL}
SLIDES = {LANCE: [(0, 1)], BISHOP: _DIAGONAL, ROOK: _STRAIGHT}
SLIDES |= {PROMOTED + BISHOP: _DIAGONAL, PROMOTED + ROOK: _STRAIGHT}


def _ways_of(moves: Mapping[int, list[tuple[int, int]]]) -> np.ndarray:
    """(29,): the ways of each piece, as a number with a bit for each."""
    table = np.zeros(1 + 2 * KINDS, np.int64)
    for kind, ways in moves.items():
        table[1 + kind] = sum(1 << WAYS.index(way) for way in ways)
        table[1 + kind + KINDS] = sum(1 << 7 - WAYS.index(way) for way in ways)
    return table


def _at(square: int, x: int, y: int) -> int:
    """The square as far from another, -1 off the board."""
    column, row = square % SIDE + x, square // SIDE + y
    return SIDE * row + column if 0 <= column < SIDE and 0 <= row < SIDE else -1


#: (29,): the ways along which a piece attacks any square, and those along which it also attacks the next square.
FAR = _ways_of(SLIDES)
NEAR = FAR | _ways_of(STEPS)

#: (81, 8): the next square in each way, -1 off the board.
NEXT = np.array([[_at(square, x, y) for x, y in WAYS] for square in range(SQUARES)])

#: (81, 81): the way from one square to another, -1 if there is none.
WAY = np.full((SQUARES, SQUARES), -1)
for _square in range(SQUARES):
    for _way, (_x, _y) in enumerate(WAYS):
        for _k in range(1, SIDE):
            if (_there := _at(_square, _k * _x, _k * _y)) >= 0:
                WAY[_square, _there] = _way

#: (2, 81, 2): where each player's knight on a square can go, -1 off the board.
JUMPS = np.array([[[_at(k, x, y) for x in (-1, 1)] for k in range(SQUARES)] for y in (2, -2)])

#: The first row, from the player's side, that a piece of this kind cannot stay on unpromoted; 9 if there is none.
STUCK = np.array([8, 8, 7, *[9] * 11])

#: The squares of the moves and of the promoting moves, from the mover's side; and their actions, -1 if there is none.
_PAIRS = [(a, b) for a in range(SQUARES) for b in range(SQUARES) if WAY[a, b] >= 0 or b in JUMPS[0, a]]
_ZONE = SIDE * (SIDE - 3)
_PROMOTING = [pair for pair in _PAIRS if max(pair) >= _ZONE]
MOVES = np.array([*_PAIRS, *_PROMOTING])
NUM_PAIRS, NUM_MOVES = len(_PAIRS), len(MOVES)
WIN = NUM_MOVES + 7 * SQUARES
NUM_ACTIONS = WIN + 1
ACTIONS, PROMOTIONS = np.full((SQUARES, SQUARES), -1), np.full((SQUARES, SQUARES), -1)
ACTIONS[*np.transpose(_PAIRS)] = range(NUM_PAIRS)
PROMOTIONS[*np.transpose(_PROMOTING)] = range(NUM_PAIRS, NUM_MOVES)

#: A bound on the legal moves of any position: all pieces on the board, each alone, and a drop of each kind anywhere.
MOST_LEGAL = 2 * 32 + 2 * 32 + 4 * 6 + 4 * 10 + 4 * 4 + 4 * 16 + 18 * 2 + 8 + 7 * SQUARES + 1

# Random words for the hash of a position: a piece on a square, and a number of pieces of a kind in a player's hand.
_WORDS = mix(np.arange(1, 1 + 29 * SQUARES + 2 * 7 * 19, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
ON_BOARD = _WORDS[: 29 * SQUARES].reshape(29, SQUARES)
IN_HAND = _WORDS[29 * SQUARES :].reshape(2, 7, 19)

_BACK = [LANCE, KNIGHT, SILVER, GOLD, KING, GOLD, SILVER, KNIGHT, LANCE]
START = np.zeros(SQUARES, np.int8)
START[:9], START[18:27], START[[10, 16]] = np.array(_BACK) + 1, PAWN + 1, (BISHOP + 1, ROOK + 1)
START += np.where(START[::-1] > 0, START[::-1] + KINDS, 0).astype(np.int8)

_POSITION: list[tuple] = [
    ("board", below(np.int8, 1 + 2 * KINDS), (SQUARES,)),  # EMPTY, or a piece; square 0 is 9i, square 1 is 8i
    ("hand", within(np.int64, 0, 18), (2, 7)),  # each player's pieces in hand by kind
    ("player", below(np.int64, 2)),  # whose turn it is
]

#: What a level sets: a position and the moves made from it.
LEVEL = np.dtype(
    [
        *_POSITION,
        ("number", within(np.int64, 1, 9999)),  # the number of the first move
        ("length", below(np.int64, MOST)),
        ("moves", below(np.uint16, NUM_ACTIONS), (MOST - 1,)),
    ]
)

#: The record.
FIELDS: list[tuple] = [
    *_POSITION,
    ("moves", within(np.int64, 0, MOST)),  # moves since the level's position
    ("keys", free(np.uint64), (MOST + 1,)),  # hashes of the positions after each move, 0 later
    ("repeats", within(np.int64, 0, 3)),  # how often the position occurred before, at most 3
    ("checks", within(np.int64, 0, MOST), (2,)),  # how many of each player's last moves gave check, without a gap
    ("count", within(np.int64, 0, MOST_LEGAL)),  # number of legal moves
    ("check", flag()),  # whether the player to move is in check
    ("legal", below(np.uint16, NUM_ACTIONS), (MOST_LEGAL,)),  # the legal actions, `count` of them
    ("ending", within(np.int64, 0, LIMIT)),  # the reason why the game has ended, or 0
    ("winner", within(np.int64, -1, 1)),  # the number of the player that has won, or -1
    ("last", within(np.int64, -1, NUM_ACTIONS - 1)),  # the last move, an action of the player that waits, or -1
    ("level", LEVEL),
]


@kernel
def reset(s):
    if not s.level_given:
        for square in range(SQUARES):
            s.level.board[square] = START[square]
        for k in range(14):
            s.level.hand.flat[k] = 0
        s.level.player = 0
        s.level.number = 1
        s.level.length = 0
    copy(s.board, s.level.board)
    for k in range(14):
        s.hand.flat[k] = s.level.hand.flat[k]
    for k in range(MOST + 1):
        s.keys[k] = 0
    s.player = s.level.player
    s.moves = 0
    s.checks[0] = 0
    s.checks[1] = 0
    look(s)
    for k in range(s.level.length):
        play(s, np.int64(s.level.moves[k]))
    judge(s)
    s.last = -1


@kernel
def turned(square, player):
    """The square of the board for a square as a player sees it, and back."""
    return square + player * (SQUARES - 1 - 2 * square)


@kernel
def owned(piece, player):
    """Whether a square holds a piece of this player's."""
    return piece != EMPTY and (piece > KINDS) == player


@kernel
def kind_of(piece):
    """The kind of a piece."""
    return (piece - 1) % KINDS


@kernel
def place(board, hand, player, action):
    """Carry out a move on a board. Returns the captured piece, or EMPTY."""
    if action >= NUM_MOVES:
        kind, target = (action - NUM_MOVES) // SQUARES, turned((action - NUM_MOVES) % SQUARES, player)
        hand[player, kind] -= 1
        board[target] = 1 + kind + KINDS * player
        return np.int64(EMPTY)
    origin, target = turned(MOVES[action, 0], player), turned(MOVES[action, 1], player)
    captured = np.int64(board[target])
    if captured != EMPTY:
        hand[player, kind_of(captured) % PROMOTED] += 1
    board[target] = board[origin] + PROMOTED * (action >= NUM_PAIRS)
    board[origin] = EMPTY
    return captured


@kernel
def take_back(board, hand, player, action, captured):
    """Undo a move that captured this piece, or EMPTY."""
    if action >= NUM_MOVES:
        hand[player, (action - NUM_MOVES) // SQUARES] += 1
        board[turned((action - NUM_MOVES) % SQUARES, player)] = EMPTY
        return
    origin, target = turned(MOVES[action, 0], player), turned(MOVES[action, 1], player)
    if captured != EMPTY:
        hand[player, kind_of(captured) % PROMOTED] -= 1
    board[origin] = board[target] - PROMOTED * (action >= NUM_PAIRS)
    board[target] = captured


@large_kernel
def play(s, action):
    """The player to move makes a move."""
    mover = s.player
    place(s.board, s.hand, mover, action)
    s.last = action
    s.player = 1 - mover
    s.moves += 1
    look(s)
    s.checks[mover] = s.checks[mover] + 1 if s.check else 0


@large_kernel
def look(s):
    """Find the legal moves of the position on the board, and how often the position occurred before."""
    s.count, s.check = generate(s.board, s.hand, s.player, s.legal)
    if s.params.impasse == 0 and not s.check and may_declare(s.board, s.hand, s.player):
        s.legal[s.count] = WIN
        s.count += 1
    key = key_of(s.board, s.hand)
    s.keys[s.moves] = key
    repeats = 0
    for k in range(s.moves - 4, -1, -2):  # in between, the other player is to move
        repeats += s.keys[k] == key
    s.repeats = min(repeats, 3)


@kernel
def key_of(board, hand):
    """The hash of a position; the player to move has no part in it."""
    key = np.uint64(0)
    for square in range(SQUARES):
        key ^= ON_BOARD[board[square], square]
    for player in range(2):
        for kind in range(7):
            key ^= IN_HAND[player, kind, hand[player, kind]]
    return key


@kernel
def king_of(board, player):
    """The square of a player's king."""
    for square in range(SQUARES):
        if board[square] == 1 + KING + KINDS * player:
            return square
    return 0


@kernel
def piece_along(board, square, way):
    """The first square along a way that holds a piece, -1 if there is none, and whether it is the next square."""
    first = NEXT[square, way]
    there = first
    while there >= 0 and board[there] == EMPTY:
        there = NEXT[there, way]
    return there, there == first


@kernel
def reaches(piece, way, near):
    """Whether a piece attacks along a way: the next square, or any square."""
    return (NEAR[piece] if near else FAR[piece]) >> way & 1


@kernel
def attacked(board, square, player):
    """Whether a player attacks a square."""
    for way in range(8):
        there, near = piece_along(board, square, way)
        if there >= 0:
            piece = np.int64(board[there])
            if (piece > KINDS) == player and reaches(piece, 7 - way, near):
                return True
    for k in range(2):
        there = JUMPS[1 - player, square, k]
        if there >= 0 and board[there] == 1 + KNIGHT + KINDS * player:
            return True
    return False


@kernel
def threats(board, player, king):
    """What attacks a player's king: the number of checkers, the square of one, and the pinned pieces.

    There is at most one pinned piece in each way from the king. Its square plus 1 is in bits 7 way to 7 way + 6.
    """
    checkers, checker, pinned = 0, -1, 0
    for way in range(8):
        there, near = piece_along(board, king, way)
        if there >= 0:
            piece = np.int64(board[there])
            if (piece > KINDS) != player:
                if reaches(piece, 7 - way, near):
                    checkers += 1
                    checker = there
            else:
                behind, _ = piece_along(board, there, way)
                if behind >= 0:
                    piece = np.int64(board[behind])
                    if (piece > KINDS) != player and FAR[piece] >> (7 - way) & 1:
                        pinned |= (there + 1) << 7 * way
    for k in range(2):
        there = JUMPS[player, king, k]
        if there >= 0 and board[there] == 1 + KNIGHT + KINDS * (1 - player):
            checkers += 1
            checker = there
    return checkers, checker, pinned


@kernel
def is_pinned(pinned, king, square):
    """Whether the piece on a square is pinned to the king."""
    way = WAY[king, square]
    return way >= 0 and pinned >> 7 * way & 127 == square + 1


@kernel
def answers(king, checker, square):
    """Whether a piece that comes to a square ends the check by the piece on `checker`, if there is one."""
    if checker < 0 or square == checker:
        return True
    way = WAY[king, checker]
    return way >= 0 and WAY[king, square] == way and WAY[square, checker] == way


@large_kernel
def generate(board, hand, player, moves):
    """Write the legal moves, as actions, to `moves`, but not `win`. Returns their number and whether there is a check.

    Args:
        board: changed, and restored.
        hand: the pieces in both hands.
        player: the player to move.
        moves: has room for `MOST_LEGAL`, or `NUM_ACTIONS` where there may be any pieces.
    """
    king = king_of(board, player)
    checkers, checker, pinned = threats(board, player, king)
    count = add_king_moves(moves, np.int64(0), board, player, king)
    if checkers < 2:
        count = add_moves(moves, count, board, player, king, checker, pinned)
        count = add_drops(moves, count, board, hand, player, king, checker)
    return count, np.uint8(checkers > 0)


@kernel
def add_king_moves(moves, count, board, player, king):
    """Append the king's moves. Returns the new number of moves."""
    for way in range(8):
        there = NEXT[king, way]
        if can_flee(board, player, king, there):
            moves[count] = ACTIONS[turned(king, player), turned(there, player)]
            count += 1
    return count


@kernel
def can_flee(board, player, king, there):
    """Whether the king can go to a square beside it, which may be off the board."""
    if there < 0 or owned(board[there], player):
        return False
    own = board[king]
    board[king] = EMPTY  # the king does not shield the squares behind it
    safe = not attacked(board, there, 1 - player)
    board[king] = own
    return safe


@large_kernel
def add_moves(moves, count, board, player, king, checker, pinned):
    """Append the moves of all pieces on the board except the king. Returns the new number of moves."""
    for origin in range(SQUARES):
        piece = np.int64(board[origin])
        if not owned(piece, player) or origin == king:
            continue
        ways = NEAR[piece]
        if is_pinned(pinned, king, origin):
            way = WAY[king, origin]
            ways &= 1 << way | 1 << 7 - way
        elif kind_of(piece) == KNIGHT:
            for k in range(2):
                target = JUMPS[player, origin, k]
                if target >= 0 and not owned(board[target], player) and answers(king, checker, target):
                    count = add(moves, count, piece, player, origin, target)
        for way in range(8):
            target = NEXT[origin, way] if ways >> way & 1 else -1
            while target >= 0:
                there = np.int64(board[target])
                if not owned(there, player) and answers(king, checker, target):
                    count = add(moves, count, piece, player, origin, target)
                target = NEXT[target, way] if there == EMPTY and FAR[piece] >> way & 1 else -1
    return count


@kernel
def add(moves, count, piece, player, origin, target):
    """Append a move with and without promotion, as is allowed. Returns the new number of moves."""
    a, b, kind = turned(origin, player), turned(target, player), kind_of(piece)
    if b < SIDE * STUCK[kind]:
        moves[count] = ACTIONS[a, b]
        count += 1
    if kind < GOLD and max(a, b) >= _ZONE:
        moves[count] = PROMOTIONS[a, b]
        count += 1
    return count


@large_kernel
def add_drops(moves, count, board, hand, player, king, checker):
    """Append the drops. Returns the new number of moves."""
    for kind in range(7):
        if hand[player, kind] > 0:
            closed, mate = (closed_files(board, player), mating_square(board, player)) if kind == PAWN else (0, -1)
            for square in range(SQUARES):
                if board[square] == EMPTY and square != mate and answers(king, checker, square):
                    seen = turned(square, player)
                    if seen < SIDE * STUCK[kind] and not closed >> square % SIDE & 1:
                        moves[count] = NUM_MOVES + SQUARES * kind + seen
                        count += 1
    return count


@kernel
def mating_square(board, player):
    """The square on which a dropped pawn would give checkmate, or -1."""
    king = king_of(board, 1 - player)
    square = NEXT[king, FORWARD[1 - player]]
    return square if square >= 0 and board[square] == EMPTY and mates(board, player, king, square) else -1


@kernel
def closed_files(board, player):
    """The columns that hold a pawn of this player's, as a number with a bit for each."""
    closed = 0
    for square in range(SQUARES):
        if board[square] == 1 + PAWN + KINDS * player:
            closed |= 1 << square % SIDE
    return closed


@kernel
def mates(board, player, king, square):
    """Whether a pawn that a player drops on a square before the other's king mates it; the board is restored."""
    board[square] = 1 + PAWN + KINDS * player
    _, _, pinned = threats(board, 1 - player, king)
    mate = not can_take(board, 1 - player, king, pinned, square)
    for way in range(8):
        mate = mate and not can_flee(board, 1 - player, king, NEXT[king, way])
    board[square] = EMPTY
    return mate


@kernel
def can_take(board, player, king, pinned, square):
    """Whether a piece of this player's, not the king and not pinned, can go to a square."""
    for way in range(8):
        there, near = piece_along(board, square, way)
        if there >= 0 and there != king:
            piece = np.int64(board[there])
            if (piece > KINDS) == player and reaches(piece, 7 - way, near) and not is_pinned(pinned, king, there):
                return True
    for k in range(2):
        there = JUMPS[1 - player, square, k]
        if there >= 0 and board[there] == 1 + KNIGHT + KINDS * player and not is_pinned(pinned, king, there):
            return True
    return False


@kernel
def entered(board, player):
    """Whether a player's king is on its last three ranks."""
    return turned(king_of(board, player), player) >= _ZONE


@kernel
def points_of(board, hand, player):
    """A player's points by the impasse rules, and the number of its pieces on its last three ranks without the king."""
    points, pieces = 0, 0
    for seen in range(_ZONE, SQUARES):
        piece = np.int64(board[turned(seen, player)])
        if owned(piece, player) and kind_of(piece) != KING:
            pieces += 1
            points += worth(kind_of(piece))
    for kind in range(7):
        points += worth(kind) * hand[player, kind]
    return points, pieces


@kernel
def worth(kind):
    """The points of a piece."""
    return 5 if kind % PROMOTED == BISHOP or kind % PROMOTED == ROOK else 1


@kernel
def may_declare(board, hand, player):
    """Whether a player to move that is not in check may declare a win."""
    if not entered(board, player):
        return False
    points, pieces = points_of(board, hand, player)
    return pieces >= 10 and points >= 28 - player


@kernel
def perpetual(s):
    """The player that gave check by all its moves since the first time of the position, -1 if none or both did."""
    first = s.moves
    for k in range(s.moves, -1, -2):
        if s.keys[k] == s.keys[s.moves]:
            first = k
    made = (s.moves - first) // 2
    both = s.checks[0] >= made and s.checks[1] >= made
    return -1 if both else 0 if s.checks[0] >= made else 1 if s.checks[1] >= made else -1


@kernel
def judge(s):
    """Find out whether the game has ended, why, and who has won."""
    s.ending, s.winner = ending_of(s)


@kernel
def ending_of(s):
    """The reason why the game has ended, or 0, and the winner, or -1."""
    mover = 1 - s.player
    if s.count == 0:
        return CHECKMATE if s.check else STALEMATE, mover
    if s.repeats >= 3:
        loser = perpetual(s)
        return (REPETITION, -1) if loser < 0 else (PERPETUAL, 1 - loser)
    if s.params.impasse == 1 and entered(s.board, mover):
        points, _ = points_of(s.board, s.hand, mover)
        if points >= 28:
            return POINTS, mover
        if entered(s.board, s.player):
            return IMPASSE, -1
    return LIMIT if s.moves >= s.params.max_moves else 0, -1


@kernel
def step(s, actions, rewards):
    if actions[s.player] == WIN:
        s.ending = DECLARED
        s.winner = s.player
    else:
        play(s, actions[s.player])
        judge(s)
    if s.ending:
        s.terminated[0] = 1
        s.terminated[1] = 1
    if s.winner >= 0:
        rewards[s.winner] = 1.0
        rewards[1 - s.winner] = -1.0


@kernel
def observe(s, agent, out):
    for k in range(2 * KINDS * SQUARES):
        out.board.flat[k] = 0
    for square in range(SQUARES):
        piece = np.int64(s.board[square])
        if piece != EMPTY:
            out.board.flat[2 * KINDS * turned(square, agent) + (piece - 1 + KINDS * agent) % (2 * KINDS)] = 1
    for kind in range(7):
        out.hand[kind] = s.hand[agent, kind]
        out.hand[7 + kind] = s.hand[1 - agent, kind]
    out.first[0] = 1 - agent
    out.check[0] = s.check
    out.repeats[0] = s.repeats
    out.moves[0] = s.moves


@kernel
def legal(s, agent, mask):
    if s.player == agent:
        for k in range(s.count):
            mask[s.legal[k]] = 1


def _action_names(player: int) -> tuple[str, ...]:
    """The names of a player's actions."""
    squares = [square_name(turned(square, player)) for square in range(SQUARES)]
    moves = [squares[origin] + squares[target] + "+" * (k >= NUM_PAIRS) for k, (origin, target) in enumerate(MOVES)]
    return (*moves, *(f"{letter}*{square}" for letter in HANDS for square in squares), "win")


#: The names of both players' actions, and the actions by name.
NAMES = (_action_names(0), _action_names(1))
NUMBERS = tuple({name: action for action, name in enumerate(names)} for names in NAMES)


class Shogi(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "OpenSpiel, move by move; legal moves and impasse points of cshogi; Pgx's games; perft counts"
    variants = (dict(impasse="automatic"), dict(impasse="none", max_moves=40))
    shown = "careful"
    clickable = "[^+]{4}"
    keys = {"w": "win"}
    cost = 10
    steps = STEPS
    slides = SLIDES
    numbers = NUMBERS
    sfen = view.sfen
    status = view.status
    text = view.text
    scene = view.scene
    drag = view.drag
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        impasse: Literal["declared", "automatic", "none"] = "declared",
        max_moves: Annotated[int, Horizon(1, MOST)] = MOST,
    ):
        self.define(
            agents=["player_0", "player_1"],
            actions={"player_0": NAMES[0], "player_1": NAMES[1]},
            observation=Dict(
                {
                    "board": Box(0, 1, (SIDE, SIDE, 2 * KINDS), np.int8),
                    "hand": Box(0, 18, (14,), np.int8),
                    "first": Box(0, 1, (1,), np.int8),
                    "check": Box(0, 1, (1,), np.int8),
                    "repeats": Box(0, 3, (1,), np.int8),
                    "moves": Box(0, MOST, (1,), np.int16),
                }
            ),
            fields=FIELDS,
            params={"impasse": among(_IMPASSES, impasse), "max_moves": max_moves},
            reward_range=(-1.0, 1.0),
        )

    def understand(self, s: Any, agent: int, text: str) -> int | None:
        """The move that a text means in another notation than USI: P-7f, S3d+, ７六歩."""
        mask = np.zeros(NUM_ACTIONS, np.int8)
        self.kernels.legal(s, agent, mask)
        legal = [NAMES[agent][action] for action in np.flatnonzero(mask).tolist() if action != WIN]
        found = written_move(text, [(usi, view.mover(s.board, usi)) for usi in legal])
        return None if found is None else NUMBERS[agent][found]

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        sfen, moves = level["sfen"], level.get("moves", [])
        if unknown := set(level) - {"sfen", "moves"}:
            raise LevelError(f"{self.id}: a level has an sfen and moves, not {', '.join(map(repr, unknown))}")
        if not isinstance(sfen, str) or not isinstance(moves, (list, tuple)):
            raise LevelError(f"{self.id}: the sfen must be text, and the moves must be a list")
        if len(moves) >= MOST:
            raise LevelError(f"{self.id}: {len(moves)} moves; at most {MOST - 1} are allowed")
        try:
            read_sfen(sfen, s.level)
        except ValueError as problem:
            raise LevelError(f"{self.id}: the SFEN {sfen!r:.120}: {problem}") from None
        waiting = 1 - s.level.player
        if attacked(s.level.board, king_of(s.level.board, waiting), 1 - waiting):
            raise LevelError(f"{self.id}: the SFEN {sfen!r}: {SIDES[waiting]} is in check, but not to move")
        start = openings.started(self, s).record()
        if start.ending:
            raise LevelError(f"{self.id}: the SFEN {sfen!r}: the game is over: {self.status(start)}")
        openings.play_level(self, s, moves, place=lambda now: f" in {self.sfen(now)}: {self.status(now)}")

    def get_level(self, s: Any) -> dict[str, Any]:
        start = s.level
        players = [(int(start.player) + k) % 2 for k in range(start.length)]
        return {"sfen": write_sfen(start, start.number), "moves": [NAMES[p][m] for p, m in zip(players, start.moves)]}

    def contradiction(self, s: Any) -> str | None:
        level = as_views(np.zeros((), LEVEL))
        try:
            read_sfen(write_sfen(s, 1), level)
        except ValueError as problem:
            return str(problem)
        if attacked(s.board, king_of(s.board, 1 - s.player), s.player):
            return f"{SIDES[1 - s.player]} is in check, but not to move"
        if (s.level.player + s.moves) % 2 != s.player:
            return "the number of moves is that of the other player"
        again = copied(s)
        look(again)
        if again.count != s.count or (again.legal[: s.count] != s.legal[: s.count]).any():
            return "the moves are not those that are legal"
        if s.keys[s.moves + 1 :].any() or again.keys[s.moves] != s.keys[s.moves]:
            return "keys does not go with the board"
        declared = s.ending == DECLARED and s.winner == s.player and WIN in s.legal[: s.count]
        if not declared:
            judge(again)
        for name in ("check", "repeats", "ending", "winner"):
            if again[name] != s[name]:
                return f"{name} is not that of the position"
        return None if bool(s.terminated[0]) == (s.ending != 0) else "the end is wrong"


env, raw_env, parallel_env = pettingzoo_forms(Shogi)
