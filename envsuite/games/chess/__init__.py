"""Chess: all rules, with AlphaZero's actions and planes, FEN and UCI.

**Rules.** The laws of chess (FIDE 2023), with castling, en passant and promotion. `draws` chooses the draws:

| | "claimed" | "automatic" |
|---|---|---|
| a position occurs for the third time | ends the game | |
| 50 moves of each side without a capture or a pawn move | end the game | |
| a position occurs for the fifth time | | ends the game |
| 75 such moves of each side | | end the game |
| stalemate, insufficient material | end the game | end the game |

FIDE lets a player claim the first two draws, and ends the game itself at the next two. "claimed" takes every claim for
granted, as OpenSpiel and Pgx do. Checkmate takes precedence over all draws.

Two positions are the same if the same player can make the same moves. Castling rights are part of the position, and so
is an en passant capture if a pawn can legally make it.

Material is insufficient in three cases:

- both sides have a bare king;
- the only other piece is one knight;
- all other pieces are bishops, and all of them stand on squares of one color.

**Agents.** `player_0` has white and moves first, `player_1` has black. Seats are fixed.

**Observation.** Box (119, 8, 8) uint8: AlphaZero's planes. Each agent sees the board from its own side: row 0 is its
own first rank, and columns are the files from a to h. So black's board is mirrored, not rotated, and kings stand on the
same file for both. Planes 14 to 111 show the seven previous positions; planes of positions before the start are zero.

| plane | value |
|---|---|
| 0-5 | 1 on own pawns, knights, bishops, rooks, queens, king |
| 6-11 | the same for the other agent |
| 12 | 1 everywhere if the position occurred before |
| 13 | 1 everywhere if the position occurred twice before |
| 14 k + 0-13 | the same k positions ago, k from 1 to 7 |
| 112 | 1 everywhere if the agent has black |
| 113 | the move number as in a FEN, from 1; 255 for all later moves |
| 114, 115 | 1 everywhere if the agent can still castle toward file h; toward file a |
| 116, 117 | the same for the other agent |
| 118 | moves of either side since the last capture or pawn move, up to 150 |

The plane is the first index because a plane is then 64 consecutive bytes, written from a set of squares in a few
instructions. Writing all planes for both agents takes 0.7 microseconds; in the order (8, 8, 119) it would take five.
`state` is the view of the player to move.

**Actions.** Discrete (4672): AlphaZero's actions. Action 73 (8 file + rank) + plane moves the piece on that square, as
seen from the agent's own side. The numbers equal those of PettingZoo's chess. Only the player to move has legal
actions. In the table, base stands for 73 (8 file + rank).

| action | name | move |
|---|---|---|
| base + 8 (n - 1) + d | `e2e4`, `e1g1` | n squares in direction d, as a queen moves |
| base + 56 to base + 63 | `g1f3` | as a knight moves |
| base + 64 + 3 (x + 1) + p | `a7a8n` | a pawn moves to the last rank, x files aside, and becomes piece p |

- Directions are steps (file, rank) in the order (-1, -1), (-1, 0) ... (1, 1).
- Knight moves are in the order (-2, -1), (-2, 1), (-1, -2) ... (2, 1).
- p is 0 for a knight, 1 for a bishop, 2 for a rook.
- A king castles by moving two squares.
- A pawn that reaches the last rank by an action of the first row becomes a queen.

Names are UCI moves on the real board for both agents. The move that makes a queen has no letter, `a7a8`, because a rook
may make the same move. Actions that leave the board have names such as `off-board 7`. `Chess.uci(s, action)` and
`Chess.action(s, uci)` translate to UCI and back, including `a7a8q`. `Chess.fen(s)` is the position's FEN.

**Window.** Click a piece and then the square to move it to, or drag it there. A pawn that reaches the last rank becomes
a queen.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 otherwise.

**Ends.** Terminates at checkmate or a draw; `ending` in the record holds the reason. Never truncates: the number of
moves without progress is bounded, and so is the progress in a game.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `draws` | "claimed" | which draws end the game: "claimed" or "automatic", see the rules |

**Level.** ``{"fen": "8/P6k/8/8/8/8/8/K7 w - - 0 1", "moves": ["a7a8q"]}``: a position, and optionally at most 600 moves
in UCI that are played before the episode starts. The player to move in that position moves first.

**Known values.** There are 20, 400, 8902, 197281, 4865609 sequences of 1 to 5 moves; the usual six positions of
chessprogramming.org are tested too. Random play with "claimed": white wins 0.08, black 0.08, and 0.84 are drawn, in 334
plies (150 games, OpenSpiel).

**Differences.** In random games, legal moves, FENs, repetitions and ends equal those of python-chess.

- Positions are compared by 64-bit hashes. Two different positions have the same hash with a probability of 2^-64.
- Dead positions are draws only by material, as in python-chess and OpenSpiel.
- PettingZoo's chess_v6 also ends a game when a player could claim a draw by announcing a move.
- AlphaZero and Pgx stop after 512 moves of either side; here, the number of moves has no limit.
- As in AlphaZero, the planes show en passant only through their history. The mask always shows it.
- In levels, each side has at most 8 pawns, counting pieces that must have been pawns.

**Source.** FIDE Laws of Chess, 2023; Silver et al., "A general reinforcement learning algorithm that masters chess,
shogi, and Go through self-play", Science 2018, table S1 and S2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box, Space

from envsuite.core.arrays import fill
from envsuite.core.errors import ActionError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import mix
from envsuite.core.ranges import MANY, below, flag, free, limited, within
from envsuite.core.record import as_views, copied
from envsuite.core.world import Kernels, World
from envsuite.games.chess import pages, view
from envsuite.games.chess.reading import written_move
from envsuite.games.chess.view import SIDES, letters, read_fen, square_name, square_number, write_fen
from envsuite.kit import bitboard, openings
from envsuite.kit.chess_pieces import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from envsuite.registry import pettingzoo_forms

#: How a game can end; 0 before. Their names are in the part `view`.
CHECKMATE, STALEMATE, MATERIAL, REPETITION, CLOCK = range(1, 6)

#: Positions of history in an observation.
HISTORY = 8

#: A bound on the moves of any position: 9 queens, 2 rooks, 2 bishops and 2 knights, each alone on an empty board, and a
#: king that may castle. Then the most moves without progress, 150, as a number of keys; and the most moves of a level.
MOST_MOVES = 9 * 27 + 2 * (14 + 13 + 8) + 10
MOST_KEYS = 151
MOST_LEVEL_MOVES = 600

# The move that each of the 73 planes stands for: steps (file, rank), and the piece that a pawn becomes.
_QUEEN = [(k * x, k * y) for k in range(1, 8) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
_KNIGHT = [(x, y) for x in range(-2, 3) for y in range(-2, 3) if abs(x) + abs(y) == 3]
_PROMOTION = [(x, 1) for x in (-1, 0, 1) for _ in (KNIGHT, BISHOP, ROOK)]
PLANES = (*_QUEEN, *_KNIGHT, *_PROMOTION)
UNDERPROMOTION = len(_QUEEN) + len(_KNIGHT)

#: (73,): the change of the square's number.
STEPS = np.array([x + 8 * y for x, y in PLANES])


def _action_table() -> np.ndarray:
    """(64, 64) int16: the action from one square to another, including queen promotions; -1 if there is none."""
    table = np.full((64, 64), -1, np.int16)
    for square in range(64):
        for plane, (x, y) in enumerate(PLANES[:UNDERPROMOTION]):
            file, rank = square % 8 + x, square // 8 + y
            if 0 <= file < 8 and 0 <= rank < 8:
                table[square, 8 * rank + file] = 73 * (8 * (square % 8) + square // 8) + plane
    return table


ACTIONS = _action_table()

# When the lower side castles: the squares between king and rook, and the squares that the king passes.
_F1_G1, _B1_C1_D1, _C1_D1, _C1, _G1 = (np.uint64(word) for word in (0x60, 0x0E, 0x0C, 0x04, 0x40))
_RANK_3 = bitboard.RANK_1 << np.uint64(16)
_8 = np.uint64(8)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

# The usual starting position: pieces of both sides, and the squares of rooks that may castle.
_FILES = np.array([0xFF00, 0x42, 0x24, 0x81, 0x08, 0x10], np.uint64)  # white's pieces, from pawns to king
START = np.stack([_FILES, _FILES.byteswap()])
CORNERS = (bitboard.RANK_1 | bitboard.RANK_8) & (bitboard.FILE_A | bitboard.FILE_H)


#: What a level sets: a position, in the form of `FIELDS`, and the moves made from it.
LEVEL = np.dtype(
    [
        ("board", free(np.uint64), (2, 6)),
        ("rights", free(np.uint64)),
        ("passant", free(np.uint64)),
        ("turn", below(np.int64, 2)),
        ("clock", below(np.int64, MOST_KEYS)),
        ("number", within(np.int64, 1, MANY)),
        ("length", within(np.int64, 0, MOST_LEVEL_MOVES)),
        ("moves", below(np.uint16, 64 * 73), (MOST_LEVEL_MOVES,)),
    ]
)

#: The record. Sets of squares are 64-bit words, see `kit.bitboard`.
FIELDS: list[tuple] = [
    ("turn", below(np.int64, 2)),  # 0 if white is to move, 1 if black is
    ("ply", within(np.int64, 0, MANY)),  # moves since the level's position
    ("history", free(np.uint64), (HISTORY, 2, 6)),  # sets of squares, by ply & 7, side, piece
    ("repeats", within(np.int64, 0, 4), (HISTORY,)),  # how often each of these positions occurred before
    ("rights", free(np.uint64)),  # the squares of rooks that may castle
    ("passant", free(np.uint64)),  # the square on which a pawn can legally capture en passant
    ("clock", below(np.int64, MOST_KEYS)),  # moves since the last capture or pawn move
    ("number", within(np.int64, 1, MANY)),  # the move number, counted as in a FEN
    ("first", below(np.int64, MOST_KEYS)),  # the clock at the first known key
    ("keys", free(np.uint64), (MOST_KEYS,)),  # hashes of the positions since then, by clock
    ("count", within(np.int64, 0, MOST_MOVES)),  # number of legal moves
    ("check", flag()),  # whether the player to move is in check
    ("moves", below(np.uint16, 64 * 73), (MOST_MOVES,)),  # the legal actions, `count` of them
    ("ending", within(np.int64, 0, CLOCK)),  # the reason why the game has ended, or 0
    ("origin", within(np.int64, -1, 63)),  # the squares of the last move, or -1
    ("target", within(np.int64, -1, 63)),
    ("level", LEVEL),
]


@kernel
def reset(s):
    if not s.level_given:
        for side in range(2):
            for piece in range(6):
                s.level.board[side, piece] = START[side, piece]
        s.level.rights = CORNERS
        s.level.passant = 0
        s.level.turn = 0
        s.level.clock = 0
        s.level.number = 1
        s.level.length = 0
    set_up(s)
    for k in range(s.level.length):
        move(s, np.int64(s.level.moves[k]))
    s.ending = judge(s)


@kernel
def set_up(s):
    """Put the level's position on the board, with no history."""
    fill(s.history, 0)
    fill(s.repeats, 0)
    for side in range(2):
        for piece in range(6):
            s.history[0, side, piece] = s.level.board[side, piece]
    s.ply = 0
    s.turn = s.level.turn
    s.rights = s.level.rights
    s.passant = s.level.passant
    s.clock = s.level.clock
    s.number = s.level.number
    s.first = s.clock
    s.origin = -1
    s.target = -1
    look(s)


@large_kernel
def move(s, action):
    """The player to move makes a move."""
    turn = s.turn
    s.ply += 1
    origin, target = squares_of(action, turn)
    piece, captured = place(s.history[(s.ply - 1) & 7], s.history[s.ply & 7], turn, action)
    s.passant = bitboard.bit((origin + target) >> 1) if piece == PAWN and abs(target - origin) == 16 else bitboard.ZERO
    s.rights &= ~(bitboard.bit(origin) | bitboard.bit(target))
    if piece == KING:
        s.rights &= ~(bitboard.RANK_8 if turn == 1 else bitboard.RANK_1)
    s.clock += 1
    if piece == PAWN or captured:
        s.clock = 0
        s.first = 0
    s.number += turn
    s.turn = 1 - turn
    s.origin = origin
    s.target = target
    look(s)


@kernel
def squares_of(action, turn):
    """The origin and the target of an action of white (0) or black (1)."""
    square = action // 73
    origin = 8 * (square & 7) + (square >> 3)
    target = origin + STEPS[action % 73]
    return origin ^ 56 * turn, target ^ 56 * turn


@large_kernel
def place(old, new, turn, action):
    """Write the board after a move. Returns the kind of piece that moved and the captured piece's square, if any."""
    origin, target = squares_of(action, turn)
    start, goal = bitboard.bit(origin), bitboard.bit(target)
    piece, captured = PAWN, bitboard.ZERO
    for k in range(6):
        own, other = np.uint64(old[turn, k]), np.uint64(old[1 - turn, k])
        if own & start:
            piece = k
        captured |= other & goal
        new[turn, k] = own & ~start
        new[1 - turn, k] = other & ~goal
    becomes = piece
    if piece == PAWN:
        plane = action % 73
        if goal & (bitboard.RANK_1 | bitboard.RANK_8):
            becomes = KNIGHT + (plane - UNDERPROMOTION) % 3 if plane >= UNDERPROMOTION else QUEEN
        elif (target - origin) & 7 and not captured:  # en passant
            captured = bitboard.bit(target ^ 8)
            new[1 - turn, PAWN] = np.uint64(new[1 - turn, PAWN]) & ~captured
    elif piece == KING and abs(target - origin) == 2:
        rook = (
            bitboard.bit(origin + 3) | bitboard.bit(origin + 1)
            if target > origin
            else bitboard.bit(origin - 4) | bitboard.bit(origin - 1)
        )
        new[turn, ROOK] = np.uint64(new[turn, ROOK]) ^ rook
    new[turn, becomes] = np.uint64(new[turn, becomes]) | goal
    return piece, captured


@large_kernel
def look(s):
    """Find the legal moves of the position on the board, and how often the position occurred before."""
    board = s.history[s.ply & 7]
    s.count, s.check, s.passant = generate(board, s.turn, s.rights, s.passant, s.moves)
    key = mix(s.rights | s.passant)
    for k in range(12):
        key += mix(board[k // 6, k % 6] + _GOLDEN * np.uint64(k + 1))
    s.keys[s.clock] = key
    repeats = 0
    for k in range(s.clock - 4, s.first - 1, -2):
        repeats += s.keys[k] == key
    s.repeats[s.ply & 7] = min(repeats, 4)


@kernel
def seen(board, side, piece, observer):
    """The pieces of one kind and side, as white (0) sees the board, or black (1)."""
    squares = np.uint64(board[side, piece])
    return bitboard.mirrored(squares) if observer else squares


def pieces_by(seen: Callable) -> Any:
    """The kernel of a side's pieces as `seen` shows them: pawns, knights, straight and diagonal movers, king."""

    @kernel
    def pieces(board, side, observer):
        queens = seen(board, side, QUEEN, observer)
        straight, diagonal = seen(board, side, ROOK, observer) | queens, seen(board, side, BISHOP, observer) | queens
        pawns, knights = seen(board, side, PAWN, observer), seen(board, side, KNIGHT, observer)
        return pawns, knights, straight, diagonal, seen(board, side, KING, observer)

    return pieces


pieces = pieces_by(seen)


@large_kernel
def generate(board, turn, rights, passant, moves):
    """Write the legal moves, as actions, to `moves`.

    Both sides use the same code: all sets are mirrored so that the pawns of the player to move go up.

    Args:
        board: (2, 6) sets of white's and of black's pieces.
        turn: 0 if white is to move, 1 if black is.
        rights: the squares of rooks that may castle.
        passant: the square behind a pawn that has just moved two squares, or none.
        moves: has room for `MOST_MOVES`.

    Returns:
        The number of moves, whether the king is in check, and `passant` if a pawn can legally capture there.
    """
    pawns, knights, straight, diagonal, king = pieces(board, turn, turn)
    their_pawns, their_knights, their_straight, their_diagonal, their_king = pieces(board, 1 - turn, turn)
    own = pawns | knights | diagonal | straight | king
    theirs = their_pawns | their_knights | their_diagonal | their_straight | their_king
    occupied, home = own | theirs, bitboard.lowest(king)

    danger, checkers, blocks, pinned = threats(
        king, own, occupied, their_king, their_pawns, their_knights, their_straight, their_diagonal
    )
    count = add(moves, np.int64(0), home, bitboard.KING_STEPS[home] & ~own & ~danger)
    checks = bitboard.size(checkers)
    if checks > 1:
        return count, np.uint8(1), bitboard.ZERO
    goals = ~own
    if checks == 1:
        goals &= checkers | blocks
    else:
        count = add(
            moves, count, home, castling(bitboard.mirrored(rights) if turn else np.uint64(rights), occupied, danger)
        )
    count = add_pieces(moves, count, knights, straight, diagonal, occupied, goals, home, pinned)
    count = add_pawns(moves, count, pawns, theirs, occupied, goals, home, pinned)

    square = bitboard.mirrored(passant) if turn else np.uint64(passant)
    before = count
    count = add_passant(
        moves, count, square, pawns, home, occupied, checkers & (their_knights | their_pawns & ~(square >> _8)),
        their_straight, their_diagonal,
    )  # fmt: skip
    return count, np.uint8(checks != 0), np.uint64(passant) if count > before else bitboard.ZERO


@kernel
def threats(king, own, occupied, their_king, their_pawns, their_knights, their_straight, their_diagonal):
    """The squares closed to the king, the checkers, the squares that block a check, and the pinned pieces."""
    home = bitboard.lowest(king)
    # The king does not shield the squares behind it.
    danger = (
        bitboard.pawn_attacks_down(their_pawns)
        | bitboard.knight_attacks(their_knights)
        | bitboard.KING_STEPS[bitboard.lowest(their_king)]
    )
    checkers = bitboard.pawn_attacks(king) & their_pawns | bitboard.KNIGHT_STEPS[home] & their_knights
    blocks = pinned = bitboard.ZERO
    for line in range(4):
        sliders = their_straight if line < 2 else their_diagonal
        rest = sliders
        while rest:
            danger |= bitboard.along(line, bitboard.lowest(rest), occupied ^ king)
            rest &= rest - bitboard.ONE
        if bitboard.LINES[line, home] & sliders:
            view = bitboard.along(line, home, occupied)
            if view & sliders:
                checkers |= view & sliders
                blocks |= view & bitboard.along(line, bitboard.lowest(view & sliders), occupied)
            shields = view & own
            rest = bitboard.along(line, home, occupied ^ shields) & sliders & ~view
            while rest:
                pinned |= bitboard.along(line, bitboard.lowest(rest), occupied) & shields
                rest &= rest - bitboard.ONE
    return danger, checkers, blocks, pinned


@kernel
def castling(rooks, occupied, danger):
    """The squares to which the king can castle; it is not in check."""
    castle = bitboard.ZERO
    if rooks & bitboard.RANK_1 & bitboard.FILE_H and not occupied & _F1_G1 and not danger & _F1_G1:
        castle |= _G1
    if rooks & bitboard.RANK_1 & bitboard.FILE_A and not occupied & _B1_C1_D1 and not danger & _C1_D1:
        castle |= _C1
    return castle


@kernel
def add_pieces(moves, count, knights, straight, diagonal, occupied, goals, home, pinned):
    """Write the moves of knights, bishops, rooks and queens to the squares in `goals`."""
    pieces = knights | diagonal | straight
    while pieces:
        origin = bitboard.lowest(pieces)
        here = bitboard.bit(origin)
        pieces ^= here
        reach = bitboard.ZERO
        if here & knights:
            reach = bitboard.KNIGHT_STEPS[origin]
        if here & straight:
            reach = bitboard.along(0, origin, occupied) | bitboard.along(1, origin, occupied)
        if here & diagonal:
            reach |= bitboard.along(2, origin, occupied) | bitboard.along(3, origin, occupied)
        if here & pinned:
            reach &= pin(home, here)
        count = add(moves, count, origin, reach & goals)
    return count


@kernel
def add_pawns(moves, count, pawns, theirs, occupied, goals, home, pinned):
    """Write the moves of pawns to the squares in `goals`, except en passant."""
    rest = pawns
    while rest:
        origin = bitboard.lowest(rest)
        here = bitboard.bit(origin)
        rest ^= here
        step = here << _8 & ~occupied
        reach = step | (step & _RANK_3) << _8 & ~occupied | bitboard.pawn_attacks(here) & theirs
        if here & pinned:
            reach &= pin(home, here)
        reach &= goals
        count = add(moves, count, origin, reach)
        promotions = reach & bitboard.RANK_8
        while promotions:
            plane = UNDERPROMOTION + 3 * (bitboard.lowest(promotions) - origin - 7)
            for k in range(3):
                moves[count] = 73 * (8 * (origin & 7) + (origin >> 3)) + plane + k
                count += 1
            promotions &= promotions - bitboard.ONE
    return count


@kernel
def add_passant(moves, count, square, pawns, home, occupied, checkers, their_straight, their_diagonal):
    """Write the captures en passant on a square; `checkers` are the knights and the other pawns that give check."""
    # Two pawns leave their squares, so the simplest test is whether the king is then attacked.
    rest = bitboard.pawn_attacks_down(square) & pawns
    while rest:
        origin = bitboard.lowest(rest)
        rest &= rest - bitboard.ONE
        after = occupied ^ bitboard.bit(origin) ^ square ^ square >> _8
        attackers = checkers
        for line in range(4):
            attackers |= bitboard.along(line, home, after) & (their_straight if line < 2 else their_diagonal)
        if not attackers:
            count = add(moves, count, origin, square)
    return count


@kernel
def add(moves, count, origin, targets):
    """Append the moves of one piece. Returns the new number of moves."""
    while targets:
        moves[count] = ACTIONS[origin, bitboard.lowest(targets)]
        targets &= targets - bitboard.ONE
        count += 1
    return count


@kernel
def pin(home, here):
    """The line through the king on which a pinned piece may move."""
    line = 0
    while not bitboard.LINES[line, home] & here:
        line += 1
    return bitboard.LINES[line, home]


@kernel
def step(s, actions, rewards):
    mover = s.turn
    move(s, actions[mover])
    s.ending = judge(s)
    close(s, mover, rewards)


@kernel
def close(s, mover, rewards):
    """End the game if there is a reason; checkmate is paid."""
    if s.ending == CHECKMATE:
        rewards[mover] = 1.0
        rewards[1 - mover] = -1.0
    s.terminated[0] = s.ending != 0
    s.terminated[1] = s.ending != 0


@kernel
def judge(s):
    """The reason why the game has ended, or 0. If there are several, the first in python-chess's order."""
    if s.count == 0 and s.check:
        return CHECKMATE
    if insufficient(s.history[s.ply & 7]):
        return MATERIAL
    if s.count == 0:
        return STALEMATE
    if s.clock >= s.params.clock:
        return CLOCK
    if s.repeats[s.ply & 7] + 1 >= s.params.occurrences:
        return REPETITION
    return 0


@kernel
def insufficient(board):
    """Whether the material makes checkmate impossible for any series of moves."""
    knights = board[0, KNIGHT] | board[1, KNIGHT]
    bishops = board[0, BISHOP] | board[1, BISHOP]
    others = bitboard.ZERO
    for side in range(2):
        others |= board[side, PAWN] | board[side, ROOK] | board[side, QUEEN]
    if others or knights and bishops or bitboard.size(knights) > 1:
        return False
    return bishops & bitboard.DARK == bitboard.ZERO or bishops & ~bitboard.DARK == bitboard.ZERO


@kernel
def observe(s, agent, out):
    for k in range(HISTORY):
        board, repeats = s.history[(s.ply - k) & 7], s.repeats[(s.ply - k) & 7]
        for piece in range(6):
            bitboard.write_squares(out, 14 * k + piece, seen(board, agent, piece, agent))
            bitboard.write_squares(out, 14 * k + 6 + piece, seen(board, 1 - agent, piece, agent))
        bitboard.write_squares(out, 14 * k + 12, everywhere(repeats >= 1))
        bitboard.write_squares(out, 14 * k + 13, everywhere(repeats >= 2))
    rights = bitboard.mirrored(s.rights) if agent else s.rights
    bitboard.write_squares(out, 112, everywhere(agent == 1))
    bitboard.write_squares(out, 114, everywhere(rights & bitboard.RANK_1 & bitboard.FILE_H != bitboard.ZERO))
    bitboard.write_squares(out, 115, everywhere(rights & bitboard.RANK_1 & bitboard.FILE_A != bitboard.ZERO))
    bitboard.write_squares(out, 116, everywhere(rights & bitboard.RANK_8 & bitboard.FILE_H != bitboard.ZERO))
    bitboard.write_squares(out, 117, everywhere(rights & bitboard.RANK_8 & bitboard.FILE_A != bitboard.ZERO))
    number, clock = np.uint8(min(s.number, 255)), np.uint8(s.clock)
    for rank in range(8):
        for file in range(8):
            out[113, rank, file] = number
            out[118, rank, file] = clock


@kernel
def everywhere(flag):
    """All squares, or none."""
    return bitboard.ZERO - np.uint64(flag)


@kernel
def legal(s, agent, mask):
    if s.turn == agent:
        for k in range(s.count):
            mask[s.moves[k]] = 1


def _action_names(side: int) -> tuple[str, ...]:
    names: list[str] = []
    for action in range(64 * 73):
        (x, y), square = PLANES[action % 73], action // 73
        file, rank = square // 8, square % 8
        promotes = action % 73 >= UNDERPROMOTION
        if not (0 <= file + x < 8 and 0 <= rank + y < 8) or promotes and rank != 6:
            names.append(f"off-board {len(names)}")
            continue
        squares = (8 * rank + file, 8 * (rank + y) + file + x)
        name = "".join(square_name(square ^ 56 * side) for square in squares)
        names.append(name + ("nbr"[(action % 73 - UNDERPROMOTION) % 3] if promotes else ""))
    return tuple(names)


#: The names of white's and of black's actions, and the actions by name.
NAMES = (_action_names(0), _action_names(1))
#: Other ways to write promotions: a7a8q and a7a8=q for a7a8, a7a8=n for a7a8n.
PROMOTIONS = {f"{name[:4]}={name[4]}": name for names in NAMES for name in names if re.fullmatch("..[a-h][18].", name)}
PROMOTIONS |= {name[:4] + mark: name[:4] for name in [*PROMOTIONS.values()] for mark in ("q", "=q")}
BY_NAME = tuple({name: action for action, name in enumerate(names)} for names in NAMES)


def give_turn(level: Any) -> None:
    """Give the turn of a level's position to the other side."""
    level.turn, level.passant = 1 - level.turn, 0


class Chess(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "python-chess, move by move; perft counts"
    variants = (dict(draws="automatic"),)
    cost = 10
    clickable = "...."
    synonyms = PROMOTIONS
    fen = view.fen
    status = view.status
    text = view.text
    drag = view.drag
    scene = view.scene
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(self, draws: Literal["claimed", "automatic"] = "claimed"):
        high = np.ones((119, 8, 8), np.uint8)
        high[113], high[118] = 255, MOST_KEYS - 1
        self.define(
            agents=["player_0", "player_1"],
            actions={"player_0": NAMES[0], "player_1": NAMES[1]},
            observation=Box(np.zeros_like(high), high, dtype=np.uint8),
            fields=FIELDS,
            params={
                "occurrences": limited(3 if draws == "claimed" else 5, 3, 5),
                "clock": limited(100 if draws == "claimed" else 150, 100, 150),
            },
            reward_range=(-1.0, 1.0),
        )

    def uci(self, s: Any, action: int) -> str:
        """The UCI name of an action of the player to move, including the "q" of a promotion to a queen."""
        name = NAMES[s.turn][action]
        queens = name[3:] == "81"[s.turn] and letters(s.history[s.ply & 7])[square_number(name)] in "Pp"
        return name + "q" * queens

    def action(self, s: Any, uci: str) -> int:
        """The action of the player to move with this UCI name, legal or not; `ActionError` if there is none."""
        try:
            action = self._read(s, uci)
        except ValueError as problem:
            raise ActionError(f"{self.id}: {uci!r} {problem}") from None
        if action is None:
            raise ActionError(f"{self.id}: {uci!r} is no move of {SIDES[s.turn]} as UCI writes it here")
        return action

    def _read(self, s: Any, uci: str) -> int | None:
        """The action with a UCI name, None if there is none; `ValueError` if the name lacks its last letter."""
        action = BY_NAME[s.turn].get(uci[:4] if uci[4:] == "q" else uci)
        if action is None:
            return None
        name = self.uci(s, action)
        if name == f"{uci}q":
            raise ValueError(f"lacks the piece that the pawn becomes, as in {', '.join(uci + one for one in 'qrbn')}")
        return action if name == uci else None

    def understand(self, s: Any, agent: int, text: str) -> int | None:
        """The move that a text means as players write it: Nf3, e4, exd5, O-O, e8=Q, g1-f3."""
        mask, board = np.zeros(len(NAMES[0]), np.int8), letters(s.history[s.ply & 7])
        self.kernels.legal(s, agent, mask)
        legal = {self.uci(s, action): action for action in np.flatnonzero(mask).tolist()}
        found = written_move(text, [(uci, board[square_number(uci)]) for uci in legal])
        return None if found is None else legal[found]

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        moves = openings.read_position(self, s, level, lambda fen, part: read_fen(fen, part, MOST_KEYS - 1), give_turn)
        openings.play_level(self, s, moves, self._read, lambda now: f" in {self.fen(now)}: {self.status(now)}")

    def contradiction(self, s: Any) -> str | None:
        board, level = s.history[s.ply & 7], as_views(np.zeros((), LEVEL))
        try:
            read_fen(write_fen(board, s.turn, s.rights, s.passant, s.clock, 1), level, MOST_KEYS - 1)
        except ValueError as problem:
            return str(problem)
        if not np.array_equal(level.board, board) or (level.rights, level.passant) != (s.rights, s.passant):
            return "there are two pieces on a square, or none where one can castle or be captured"
        if generate(board, 1 - s.turn, s.rights, bitboard.ZERO, np.zeros(MOST_MOVES, np.int64))[1]:
            return f"{SIDES[1 - s.turn]} is in check, but not to move"
        again = copied(s)
        look(again)
        again.ending = judge(again)
        if again.count != s.count or (again.moves[: s.count] != s.moves[: s.count]).any():
            return "the moves are not those that are legal"
        for name in ("check", "passant", "ending"):
            if again[name] != s[name]:
                return f"{name} is not that of the position"
        return None if s.first <= s.clock and bool(s.terminated[0]) == (s.ending != 0) else "the end is wrong"

    def get_level(self, s: Any) -> dict[str, Any]:
        start, moves = s.level, []
        fen = write_fen(start.board, start.turn, start.rights, start.passant, start.clock, start.number)
        batch = openings.started(self, s)
        for action in start.moves[: start.length]:
            moves.append(self.uci(batch.record(), action))
            batch.step(action)
        return {"fen": fen, "moves": moves}

    def state_space(self) -> Space:
        return self.observation_spaces[0]

    def state(self, records: np.ndarray, observations: np.ndarray) -> np.ndarray:
        """The view of the player to move, which is AlphaZero's input."""
        return observations[np.arange(len(records)), records["turn"]]


env, raw_env, parallel_env = pettingzoo_forms(Chess)
