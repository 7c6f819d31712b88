"""AnimalShogi: a small shogi on 3 x 4 squares, in which captured animals change sides.

**Rules.** Each player has a lion, an elephant, a giraffe and a chick. In turn, the players move a piece by one square,
to a square that holds none of their own pieces, or drop a piece from their hand on any empty square.

| piece | moves |
|---|---|
| lion | in all eight directions |
| giraffe | forward, backward, to the left and to the right |
| elephant | diagonally |
| chick | forward |
| hen | in all directions except diagonally backward |

A piece that moves onto a piece of the other player captures it, and the captured piece goes to the capturing player's
hand. A captured hen becomes a chick. A chick that moves to the last rank becomes a hen. A chick that is dropped there
stays a chick and can no longer move. Two chicks may stand on one file, and a dropped chick may give checkmate.

A move must not leave the player's own lion where the other player can capture it.

- A player whose lion reaches the last rank wins. No piece can capture it there, because such a move would be illegal.
- A player without a legal move loses, in check or not.
- A position that occurs for the third time is a draw. Two positions are the same if board, hands and the player to move
  are the same.
- The game is a draw after 256 moves.

**Agents.** `player_0` starts at the bottom and moves first, then `player_1`. Seats are fixed.

**Observation.** Dict. Each agent sees the board from its own side: row 0 is its first rank and column 0 is at its left
hand.

| part | space | content |
|---|---|---|
| board | Box (4, 3, 10) int8 | value 1 on own chicks, elephants, giraffes, lion and hens; then on the other's |
| hand | Box (6,) int8 | chicks, elephants and giraffes in the agent's hand; then in the other's |
| repeats | Box (1,) int8 | how often the position occurred before, up to 2 |
| moves | Box (1,) int16 | moves so far |

**Actions.** Discrete (94), from the side of the observing agent. Squares are numbered row by row from the agent's left
corner: 0 is its `a1`. A move is a pair of neighboring squares; pairs are sorted by the first square, then the second.
Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| 0 to 57 | both squares, such as `b2b3` | as the piece on the first square moves |
| 58 + 12 x kind + square | `drop chick b2`, ... | the piece is in hand and the square is empty |

Kinds are 0 chick, 1 elephant and 2 giraffe. Names are squares of the real board, with `a1` at the left of `player_0`,
so the same action has a different name for each agent.

**Window.** Click a piece, on the board or in your hand, and then the square to move it to, or drag it there.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 otherwise.

**Ends.** Terminates as the rules say; `ending` in the record holds the reason.

**Parameters.** None.

**Level.** ``{"moves": ["b2b3", "b4b3"]}``: the moves before the episode starts, at most 255.

**Known values.** There are 4, 13, 67, 398 and 2,179 sequences of 1 to 5 moves (Pgx). Perfect play wins for the second
player, in 78 moves by the printed rules (Tanaka, 2009; not repeated here).

**Differences.** From Pgx's `animal_shogi`, whose rules and results are otherwise equal:

- There, positions are compared by a hash that is wrong after some captures and drops, so some repetitions are
  miscounted. Here, positions are compared exactly.
- There, actions include moves that leave the board (132 in all), and squares are numbered file by file.
- There, observations also show the seven previous positions.
- There, seats are random.

From the printed rules:

- There, a player may leave its lion where it can be captured, and then loses by the next move. Here, such moves are
  illegal, as in Pgx, and a player that has no other move loses at once.
- There, the number of moves has no limit.

**Source.** Kitao and Fujita, "Dobutsu Shogi", 2008; Pgx `animal_shogi` (Koyamada et al., "Pgx: Hardware-Accelerated
Parallel Game Simulators for Reinforcement Learning", 2023); Tanaka, "An Analysis of a Board Game 'Doubutsu Shogi'",
2009.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.ranges import below, within
from envsuite.core.world import Kernels, World
from envsuite.games.animal_shogi import pages, view
from envsuite.games.animal_shogi.view import KINDS, square_name
from envsuite.kit import openings
from envsuite.registry import pettingzoo_forms

ROWS, COLUMNS, SQUARES, MOST = 4, 3, 12, 256

#: Pieces of `player_0` on the board; those of `player_1` are greater by 5.
EMPTY, CHICK, ELEPHANT, GIRAFFE, LION, HEN = range(6)

#: How a game can end; 0 before. Their names are in `animal_shogi_view`.
TRY, CHECKMATE, STALEMATE, REPETITION, LIMIT = range(1, 6)

# Sets of squares are words with a bit for each square.
ALL = (1 << SQUARES) - 1

#: The last rank of each player.
GOALS = np.array([0b111 << 9, 0b111])

_ALL_WAYS = [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if (x, y) != (0, 0)]
#: The steps (column, row) of each piece of `player_0`.
WAYS = {
    CHICK: [(0, 1)],
    ELEPHANT: [(x, y) for x, y in _ALL_WAYS if x and y],
    GIRAFFE: [(x, y) for x, y in _ALL_WAYS if not (x and y)],
    LION: _ALL_WAYS,
    HEN: [(x, y) for x, y in _ALL_WAYS if not (x and y == -1)],
}


def _reached(square: int, ways: list[tuple[int, int]], forward: int) -> list[int]:
    """The squares of the board that these steps reach."""
    places = [(square % COLUMNS + x, square // COLUMNS + forward * y) for x, y in ways]
    return [x + COLUMNS * y for x, y in places if 0 <= x < COLUMNS and 0 <= y < ROWS]


#: (11, 12): the squares that a piece on a square attacks.
STEPS = np.zeros((11, SQUARES), np.int64)
for _piece, _ways in WAYS.items():
    for _square in range(SQUARES):
        for _player in range(2):
            STEPS[_piece + 5 * _player, _square] = sum(1 << to for to in _reached(_square, _ways, 1 - 2 * _player))

#: (58, 2): the squares of each move, from the mover's side.
MOVES = np.array([(square, to) for square in range(SQUARES) for to in sorted(_reached(square, _ALL_WAYS, 1))])
NUM_MOVES = len(MOVES)
NUM_ACTIONS = NUM_MOVES + 3 * SQUARES

#: A bound on the numbers of positions.
KEYS = 2 * 11**SQUARES * 3**6

START = np.array([ELEPHANT, LION, GIRAFFE, 0, CHICK, 0, 0, CHICK + 5, 0, GIRAFFE + 5, LION + 5, ELEPHANT + 5])


def fields() -> list[tuple]:
    """The record."""
    return [
        ("player", below(np.int64, 2)),  # whose turn it is
        ("board", below(np.int8, 11), (SQUARES,)),  # EMPTY, or a piece; square 0 is a1, square 1 is b1
        ("hand", within(np.int64, 0, 2), (2, 3)),  # each player's chicks, elephants and giraffes in hand
        ("moves", within(np.int64, 0, MOST)),  # moves so far
        ("positions", below(np.int64, KEYS), (MOST + 1,)),  # the number of the position after each move, 0 later
        ("repeats", within(np.int64, 0, MOST)),  # how often the position occurred before
        ("ending", within(np.int64, 0, LIMIT)),  # the reason why the game has ended, or 0
        ("origin", within(np.int64, -1, SQUARES - 1)),  # the squares of the last move, for the picture, or -1
        ("target", within(np.int64, -1, SQUARES - 1)),
        openings.level_field(MOST - 1, below(np.uint8, NUM_ACTIONS)),  # the moves before the episode
    ]


@kernel
def reset(s):
    s.player = 0
    for square in range(SQUARES):
        s.board[square] = START[square]
    for k in range(3):
        s.hand[0, k] = 0
        s.hand[1, k] = 0
    for k in range(MOST + 1):
        s.positions[k] = 0
    s.moves = 0
    s.repeats = 0
    s.positions[0] = key_of(s)
    if s.level_given:
        for k in range(s.level.length):
            play(s, np.int64(s.level.moves[k]))
    else:
        s.level.length = 0
    s.ending = judge(s)
    s.origin = -1
    s.target = -1


@kernel
def key_of(s):
    """The number of a position: different positions have different numbers, and none has 0."""
    key = np.int64(0)
    for square in range(SQUARES):
        key = 11 * key + np.int64(s.board[square])
    for player in range(2):
        for k in range(3):
            key = 3 * key + s.hand[player, k]
    return 2 * key + s.player


@kernel
def turned(square, player):
    """The square of the board for a square as a player sees it, and back."""
    return square + player * (SQUARES - 1 - 2 * square)


@kernel
def move(board, hand, player, action):
    """Carry out a move on a board. Returns its squares, -1 if the piece comes from the hand, and the captured piece."""
    if action >= NUM_MOVES:
        kind, place = (action - NUM_MOVES) // SQUARES, (action - NUM_MOVES) % SQUARES
        target = turned(place, player)
        hand[player, kind] -= 1
        board[target] = CHICK + kind + 5 * player
        return np.int64(-1), target, np.int64(EMPTY)
    origin, target = turned(MOVES[action, 0], player), turned(MOVES[action, 1], player)
    piece, captured = np.int64(board[origin]), np.int64(board[target])
    if captured != EMPTY:
        kind = (captured - 1) % 5
        hand[player, 0 if kind == HEN - 1 else kind] += 1
    if piece == CHICK + 5 * player and GOALS[player] >> target & 1:
        piece = HEN + 5 * player
    board[origin] = EMPTY
    board[target] = piece
    return origin, target, captured


@kernel
def play(s, action):
    """The player to move makes a move."""
    s.origin, s.target, _ = move(s.board, s.hand, s.player, action)
    s.player = 1 - s.player
    s.moves += 1
    key = key_of(s)
    s.repeats = 0
    for k in range(s.moves):
        s.repeats += s.positions[k] == key
    s.positions[s.moves] = key


@kernel
def attackers(board, player, square):
    """The pieces that attack a square of this player's, as a set."""
    found = 0
    for k in range(SQUARES):
        piece = np.int64(board[k])
        if piece != EMPTY and (piece > HEN) != player and STEPS[piece, k] >> square & 1:
            found |= 1 << k
    return found


@kernel
def freedom(board, player):
    """Where a player's lion can go, where its other pieces can go, and where it can drop pieces, as sets of squares.

    All pieces move one square, so nothing can be put between the lion and its attacker, and no piece is pinned.
    """
    own, other, danger, lion = 0, 0, 0, 0
    for square in range(SQUARES):
        piece = np.int64(board[square])
        if piece != EMPTY:
            if (piece > HEN) == player:
                own |= 1 << square
                if piece == LION + 5 * player:
                    lion = square
            else:
                other |= 1 << square
                danger |= STEPS[piece, square]
    safe, free, empty = ALL & ~(own | danger), ALL & ~own, ALL & ~(own | other)
    if danger >> lion & 1:
        empty = 0
        free = attackers(board, player, lion)
        if free & (free - 1):
            free = 0
    return safe, free, empty


@kernel
def can_act(board, hand, player):
    """Whether a player has a legal move."""
    safe, free, empty = freedom(board, player)
    if empty and hand[player, 0] + hand[player, 1] + hand[player, 2] > 0:
        return True
    for square in range(SQUARES):
        piece = np.int64(board[square])
        if (piece > HEN) == player and STEPS[piece, square] & (safe if piece == LION + 5 * player else free):
            return True
    return False


@kernel
def find_moves(board, hand, player, mask):
    """Write a player's legal moves to a mask."""
    safe, free, empty = freedom(board, player)
    for k in range(NUM_MOVES):
        origin, target = turned(MOVES[k, 0], player), turned(MOVES[k, 1], player)
        piece = np.int64(board[origin])
        allowed = STEPS[piece, origin] & (safe if piece == LION + 5 * player else free)
        mask[k] = (piece > HEN) == player and allowed >> target & 1
    for kind in range(3):
        for square in range(SQUARES):
            drop = hand[player, kind] > 0 and empty >> turned(square, player) & 1
            mask[NUM_MOVES + SQUARES * kind + square] = drop


@kernel
def has_tried(board, player):
    """Whether a player's lion is on the last rank."""
    for square in range(SQUARES):
        if board[square] == LION + 5 * player and GOALS[player] >> square & 1:
            return True
    return False


@kernel
def judge(s):
    """How the game has ended, or 0."""
    if has_tried(s.board, 1 - s.player):
        return TRY
    if not can_act(s.board, s.hand, s.player):
        for square in range(SQUARES):
            if s.board[square] == LION + 5 * s.player and attackers(s.board, s.player, square):
                return CHECKMATE
        return STALEMATE
    if s.repeats >= 2:
        return REPETITION
    return LIMIT if s.moves == MOST else 0


@kernel
def step(s, actions, rewards):
    player = s.player
    play(s, actions[player])
    s.ending = judge(s)
    if s.ending:
        s.terminated[0] = 1
        s.terminated[1] = 1
        if s.ending <= STALEMATE:
            rewards[player] = 1.0
            rewards[1 - player] = -1.0


@kernel
def observe(s, agent, out):
    for k in range(10 * SQUARES):
        out.board.flat[k] = 0
    for square in range(SQUARES):
        piece = np.int64(s.board[square])
        if piece != EMPTY:
            out.board.flat[10 * turned(square, agent) + (piece - 1 + 5 * agent) % 10] = 1
    for k in range(3):
        out.hand[k] = s.hand[agent, k]
        out.hand[3 + k] = s.hand[1 - agent, k]
    out.repeats[0] = min(s.repeats, 2)
    out.moves[0] = s.moves


@kernel
def legal(s, agent, mask):
    if s.player == agent:
        find_moves(s.board, s.hand, agent, mask)


def _action_names(player: int) -> list[str]:
    """The names of a player's actions."""
    squares = [square_name(turned(square, player)) for square in range(SQUARES)]
    moves = [squares[origin] + squares[target] for origin, target in MOVES]
    return [*moves, *(f"drop {kind} {square}" for kind in KINDS[:3] for square in squares)]


class AnimalShogi(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "Pgx, move by move; a second implementation that has Fairy-Stockfish's counts of move sequences"
    shown = "cautious"
    ways = WAYS
    text = view.text
    scene = view.scene
    drag = view.drag
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(self) -> None:
        self.define(
            agents=["player_0", "player_1"],
            actions={"player_0": _action_names(0), "player_1": _action_names(1)},
            observation=Dict(
                {
                    "board": Box(0, 1, (ROWS, COLUMNS, 10), np.int8),
                    "hand": Box(0, 2, (6,), np.int8),
                    "repeats": Box(0, 2, (1,), np.int8),
                    "moves": Box(0, MOST, (1,), np.int16),
                }
            ),
            fields=fields(),
            reward_range=(-1.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        moves = list(level["moves"])
        if len(moves) >= MOST:
            raise LevelError(f"{self.id}: {len(moves)} moves; at most {MOST - 1} are allowed")
        openings.play_level(self, s, moves)

    def get_level(self, s: Any) -> dict[str, Any]:
        moves = s.level.moves[: s.level.length]
        return {"moves": [self.action_names[k % 2][action] for k, action in enumerate(moves)]}

    def contradiction(self, s: Any) -> str | None:
        pieces = np.bincount(s.board, minlength=11)
        if pieces[LION] != 1 or pieces[LION + 5] != 1:
            return "a player has no lion, or several"
        on_board = pieces[1:6] + pieces[6:]
        on_board[CHICK - 1] += on_board[HEN - 1]
        if (on_board[:3] + s.hand.sum(axis=0) != 2).any():
            return "there are not two chicks or hens, two elephants and two giraffes"
        other = int((s.board == LION + 5 * (1 - s.player)).argmax())
        if attackers(s.board, 1 - s.player, other):
            return "the player to move can capture the lion"
        if has_tried(s.board, s.player):
            return "the lion of the player to move has reached the last rank"
        if s.moves % 2 != s.player:
            return "the number of moves is that of the other player"
        if s.positions[s.moves] != key_of(s) or s.positions[s.moves + 1 :].any():
            return "positions does not go with the board"
        if s.repeats != (s.positions[: s.moves] == key_of(s)).sum():
            return "repeats does not go with positions"
        if s.ending != judge(s) or bool(s.terminated[0]) != (s.ending != 0):
            return "ending is not that of the position"
        return None


env, raw_env, parallel_env = pettingzoo_forms(AnimalShogi)
