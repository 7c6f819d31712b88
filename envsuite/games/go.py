"""Go, with area scoring and positional superko, on boards from 5 x 5 to 19 x 19.

**Rules.** In turn, Black and White put a stone on an empty point of a grid, or pass. Stones of one color that touch
along lines form a chain. The empty points beside a chain are its liberties. After a play, chains of the other color
without liberties are captured. Two kinds of plays are illegal:

- a play that leaves its own chain without liberties (suicide);
- a play that makes a position of stones that was on the board before, whichever player was then to move (positional
  superko).

The game ends when both players pass in turn, or after `max_moves` moves. It is scored by area (Tromp and Taylor,
Chinese): a player's area is its stones, all counted as alive, and the empty points from which only its stones are
reached. White adds `komi`.

**Agents.** `player_0` has Black and moves first. `player_1` has White.

**Observation.** Box (size, size, 5) int8. Row 0 is the bottom row and column 0 the left column.

| plane | value 1 where |
|---|---|
| 0 | the observing agent has a stone |
| 1 | the other agent has a stone |
| 2 | the last move put a stone |
| 3 | everywhere, if the last move was a pass |
| 4 | everywhere, if the observing agent has Black |

The mask shows which plays superko forbids.

**Actions.** Discrete (size x size + 1): the points and the pass. Only the player to move has legal actions. Points have
the names of the Go Text Protocol: a letter for the column, from the left and without I, and the number of the row from
the bottom.

| action | name | legal |
|---|---|---|
| size * row + column | `a1`, `b1`, ... | if the point is empty and the play neither suicide nor a repetition |
| size * size | `pass` | always |

**Window.** A click on a point puts a stone there. A click on "pass" passes, as does the key p.

**Rewards.** At the end, +1 to the player with more points and -1 to the other. Both get 0 if their points are equal,
which is possible only if `komi` is a whole number.

**Ends.** Terminates at the second pass in turn, or after `max_moves` moves.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 9 | rows and columns of the board: 5, 7, 9, 13 or 19 |
| `komi` | 7.5 | points that White adds, from -400 to 400; tunable |
| `max_moves` | 0 | moves after which the game ends, up to 10,000; 0 stands for 2 x size x size |

**Level.** ``{"moves": ["c3", "pass"]}``: the moves made before the episode starts.

**Known values.** There are 82, 6643 and 531,522 move sequences of 1, 2 and 3 plies on 9 x 9 (OpenSpiel). With uniformly
random play on 9 x 9, Black wins 0.367 of the games, in 119.4 moves (1,000 games, OpenSpiel). With perfect play on 5 x
5, Black owns the whole board, 25 points (van der Werf, 2003).

**Differences.** From OpenSpiel's `go`, whose games are otherwise equal, including the end after `max_moves` moves:

- There, a play that repeats a position is legal and ends the game as a draw; here, it is illegal.

From other sources:

- In Pgx, a play that repeats a position loses the game.
- In Pgx, the observation has eight past positions.
- In Tromp and Taylor's rules, suicide is legal; here, it is illegal.
- In the AGA's situational superko, the player to move is part of the position; here, it is not.

**Source.** Tromp and Taylor, "The game of Go", 1995; OpenSpiel `go`, compared in lockstep.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page, When
from envsuite.core.random import mix
from envsuite.core.ranges import below, flag, free, within
from envsuite.core.record import array_of
from envsuite.core.world import Between, Horizon, Kernels
from envsuite.kit import board, openings, stones
from envsuite.kit.board import legal, observe
from envsuite.kit.stones import BLACK, EDGE, EMPTY, WHITE
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, stone

PLANES = 5
LAST, PASSED, HAS_BLACK = 2, 3, 4

LETTERS = "abcdefghjklmnopqrst"

#: A move of a color in SGF; an empty one and `tt` are passes.
_SGF = re.compile(r"([BW]?)\[([a-s]{2}|tt|)\]")

#: A chain is identified by one of its points, its head; `next` links its points in a ring. A liberty counts once for
#: each stone beside it. The chain is in atari (has one liberty) exactly if sum * sum == liberties * squares, by the
#: inequality of Cauchy and Schwarz.
_MOST = 4 * 19 * 19
CHAIN = np.dtype(
    [
        ("stones", within(np.int32, 0, 19 * 19)),
        ("liberties", within(np.int32, 0, _MOST)),
        ("sum", within(np.int32, 0, _MOST * stones.num_points(19))),
        ("squares", within(np.int32, 0, _MOST * stones.num_points(19) ** 2)),
        ("hash", free(np.uint64)),
    ]
)


def fields(size: int, most: int) -> list[tuple]:
    """The record, with room for `most` moves. `kit.stones` explains the numbering of points."""
    cells, count = size * size, stones.num_points(size)
    points = (count,)
    return [
        ("player", below(np.uint8, 2)),  # whose turn it is
        ("passes", within(np.uint8, 0, 2)),  # consecutive passes
        ("moves", within(np.int64, 0, most)),  # moves so far, including the level's
        ("last", within(np.int64, -1, cells - 1)),  # the last move's action, or -1 if it was a pass
        ("hash", free(np.uint64)),  # hash of the position
        ("margin", within(np.int64, -cells, cells)),  # at the end: Black's lead in points, without komi
        ("captured", within(np.int64, 0, most), (2,)),  # stones captured by each player
        ("seen", flag(np.int8), (2, size, size, PLANES)),  # the observation of each player
        ("legal", flag(np.int8), (cells + 1,)),  # the legal actions of the player to move
        ("board", below(np.uint8, 4), points),  # EMPTY, BLACK, WHITE or EDGE
        ("lost", below(np.uint8, 4), points),  # bits: the colors that have ever lost a stone here
        ("area", below(np.uint8, 4), points),  # at the end, bits: the colors whose stones are reached from here
        ("head", below(np.uint16, count), points),  # the head of a stone's chain
        ("next", below(np.uint16, count), points),  # the next stone of its chain, in a ring
        ("chains", CHAIN, points),  # the chains, by head
        ("positions", free(np.uint64), (1 << (3 * most // 2).bit_length(),)),  # a hash table of past positions
        openings.level_field(most, within(np.uint16, 0, cells)),  # the moves made before the episode
    ]


@kernel
def reset(s):
    size = s.seen.shape[1]
    s.player = 0
    s.moves = 0
    s.last = -1
    s.passes = 0
    s.hash = 0
    s.margin = 0
    s.captured[0] = 0
    s.captured[1] = 0
    fill(s.lost, 0)
    fill(s.positions, 0)
    stones.clear(s)
    for cell in range(size * size):
        s.seen.flat[PLANES * cell + HAS_BLACK] = 1
    fill(s.legal, 1)
    if s.level_given:
        for k in range(s.level.length):
            play(s, np.int64(s.level.moves[k]))
    else:
        s.level.length = 0


@kernel
def beside(point, k, size):
    """The neighbor of a point in one of four directions."""
    return np.uint64(point + (1 if k == 0 else -1 if k == 1 else size + 1 if k == 2 else -size - 1))


@kernel
def stone_hash(point, player):
    """A random word for a stone on a point. The position's hash is the xor of the words of all stones on the board."""
    return mix(np.uint64(2 * np.int64(point) + player + 1) * np.uint64(0x9E3779B97F4A7C15))


@large_kernel
def play(s, action):
    """The player to move makes a legal move; then the other's legal moves are found."""
    size = s.seen.shape[1]
    passed = np.int8(action == size * size)
    if passed != (s.passes > 0):
        for k in range(2 * size * size):
            s.seen.flat[PLANES * k + PASSED] = passed
    if s.last >= 0:
        mark_last(s, s.last, np.int8(0))
    if passed:
        s.last = -1
        s.passes += 1
    else:
        s.last = action
        s.passes = 0
        mark_last(s, action, np.int8(1))
        put(s, stones.point_of(action, size))
        s.positions[slot_of(s, s.hash)] = s.hash  # the empty board is not needed: no play leads to it
    s.moves += 1
    s.player = 1 - s.player
    find_legal(s)


@kernel
def mark_last(s, cell, there):
    half = s.seen.size // 2
    s.seen.flat[PLANES * cell + LAST] = there
    s.seen.flat[half + PLANES * cell + LAST] = there


@kernel
def put(s, point):
    """Put a stone of the player to move on a point: it joins its neighbors and captures chains without liberties."""
    size, player = s.seen.shape[1], np.int64(s.player)
    mine, theirs = player + 1, 2 - player
    word = stone_hash(point, player)
    s.board[point] = mine
    s.hash ^= word
    stones.show(s, player, point, np.int8(1))
    s.head[point] = point
    s.next[point] = point
    own = s.chains[point]
    own.stones = 1
    own.liberties = 0
    own.sum = 0
    own.squares = 0
    own.hash = word
    for k in range(4):
        near = beside(point, k, size)
        if s.board[near] == EMPTY:
            add_liberty(own, np.int64(near), np.int64(1))
        elif s.board[near] != EDGE:
            add_liberty(s.chains[s.head[near]], point, np.int64(-1))
    for k in range(4):
        near = beside(point, k, size)
        if s.board[near] == mine:
            join(s, point, near)
        elif s.board[near] == theirs and s.chains[s.head[near]].liberties == 0:
            capture(s, near)


@kernel
def add_liberty(chain, point, times):
    chain.liberties += times
    chain.sum += times * point
    chain.squares += times * point * point


@large_kernel
def join(s, point, near):
    """Merge the chains of two points; the smaller chain gets the head of the larger one."""
    head, other = s.head[point], s.head[near]
    if head == other:
        return
    if s.chains[head].stones < s.chains[other].stones:
        head, other = other, head
    chain, joined = s.chains[head], s.chains[other]
    chain.stones += joined.stones
    chain.liberties += joined.liberties
    chain.sum += joined.sum
    chain.squares += joined.squares
    chain.hash ^= joined.hash
    at = other
    for _ in range(joined.stones):
        s.head[at] = head
        at = s.next[at]
    following = s.next[head]  # exchanging one link of two rings merges them
    s.next[head] = s.next[other]
    s.next[other] = following


@large_kernel
def capture(s, point):
    """Remove a chain of the player that is not to move from the board."""
    size, player = s.seen.shape[1], np.int64(s.player)
    chain = s.chains[s.head[point]]
    s.hash ^= chain.hash
    s.captured[player] += chain.stones
    at = np.int64(point)
    for _ in range(chain.stones):
        s.board[at] = EMPTY
        s.lost[at] |= 2 >> player  # the bit of the color that lost a stone here
        stones.show(s, 1 - player, at, np.int8(0))
        for k in range(4):
            near = beside(at, k, size)
            if s.board[near] == player + 1:
                add_liberty(s.chains[s.head[near]], at, np.int64(1))
        at = np.int64(s.next[at])


@kernel
def slot_of(s, word):
    """The slot of a position in the table of positions, or the empty slot for it (open addressing)."""
    last = np.uint64(s.positions.shape[0] - 1)
    slot = word & last
    while s.positions[slot] != 0 and s.positions[slot] != word:
        slot = (slot + np.uint64(1)) & last
    return slot


@kernel
def find_legal(s):
    """Find the legal actions of the player to move."""
    size = s.seen.shape[1]
    for row in range(size):
        for column in range(size):
            point = (row + 1) * (size + 1) + column
            s.legal[size * row + column] = s.board[np.uint64(point)] == EMPTY and may_play(s, point)


@kernel
def may_play(s, point):
    """Whether the player to move may put a stone on an empty point."""
    size, player = s.seen.shape[1], np.int64(s.player)
    breathes = False
    for k in range(4):
        breathes |= s.board[beside(point, k, size)] == EMPTY
    if not breathes:
        for k in range(4):
            there = s.board[beside(point, k, size)]
            if there == player + 1:
                breathes |= not in_atari(s, beside(point, k, size))
            elif there == 2 - player:
                breathes |= in_atari(s, beside(point, k, size))
    # Superko. A position that this play repeats had a stone of this color here. The point is empty now, so that stone
    # was captured later. So the position is looked up only if a stone of this color was ever lost here.
    if breathes and s.lost[np.uint64(point)] & (1 << player):
        return not repeats(s, point)
    return breathes


@kernel
def in_atari(s, point):
    """Whether the chain of a stone has only one liberty."""
    chain = s.chains[s.head[point]]
    return np.int64(chain.sum) * chain.sum == np.int64(chain.liberties) * chain.squares


@large_kernel
def repeats(s, point):
    """Whether a stone of the player to move on this point would repeat an earlier position."""
    size, player = s.seen.shape[1], np.int64(s.player)
    word = s.hash ^ stone_hash(point, player)
    for k in range(4):
        near = beside(point, k, size)
        if s.board[near] == 2 - player and in_atari(s, near):
            new = True
            for j in range(k):
                other = beside(point, j, size)
                new &= s.board[other] != 2 - player or s.head[other] != s.head[near]
            if new:
                word ^= s.chains[s.head[near]].hash
    return s.positions[slot_of(s, word)] != 0


@kernel
def step(s, actions, rewards):
    play(s, actions[s.player])
    if s.passes == 2 or s.moves == s.level.moves.shape[0]:
        count_area(s)
        lead = s.margin - s.params.komi
        if lead != 0.0:
            winner = 0 if lead > 0.0 else 1
            rewards[winner] = 1.0
            rewards[1 - winner] = -1.0
        s.terminated[0] = 1
        s.terminated[1] = 1


@large_kernel
def count_area(s):
    """Find the colors whose stones each point reaches through empty points, as bits, and Black's lead in points."""
    size = s.seen.shape[1]
    first, stop = size + 1, s.board.shape[0] - size - 1
    for point in range(s.board.shape[0]):
        there = s.board[point]
        s.area[point] = there if there == BLACK or there == WHITE else 0
    changed = True
    while changed:
        changed = False
        for k in range(2 * (stop - first)):  # forward, then back
            point = first + k if k < stop - first else 2 * stop - first - 1 - k
            if s.board[point] == EMPTY:
                reached = s.area[point]
                for j in range(4):
                    reached |= s.area[beside(point, j, size)]
                changed |= reached != s.area[point]
                s.area[point] = reached
    s.margin = 0
    for point in range(first, stop):
        s.margin += np.int64(s.area[point] == BLACK) - np.int64(s.area[point] == WHITE)


PAGE = Page(
    role="You play Go against {others}, on a board of {size} x {size} points. You are {color}.",
    goal=(
        "The player with more points at the end wins. A win pays you +1, and a loss -1.",
        When("whole", "Both get 0 if their points are equal."),
    ),
    rules=(
        "You take turns; player_0, with the black stones, begins. In your turn you put a stone on an empty point, or "
        "you pass. Stones of one color that are next to each other along the lines form a chain. The empty points "
        "next to a chain are its liberties. When a stone is put, all chains of the other color without a liberty are "
        "captured: their stones are taken off the board.",
        "Two kinds of plays are not legal: one after which the chain of the new stone has no liberty, and one after "
        "which the board holds the same stones on the same points as at any time before, no matter who was to move "
        "(superko).",
        "At the end, your points are your stones on the board, all of which count as alive, and each empty point from "
        "which the lines lead over empty points to your stones only. White adds {komi:point} (komi).",
    ),
    sees="You both see the whole board.",
    acts={
        "pass": "put no stone",
        "{POINT}": (
            "put a stone on an empty point, named by the letter of its column, from the left and without i, and the "
            "number of its row, from the bottom"
        ),
    },
    ends=(
        "The game is over when both players have passed one after the other, or after {moves:move} in all, passes "
        "included."
    ),
    unsaid={"max_moves": "told as the number of moves"},
    constants={"1": "the reward of a win", "0": "of equal points"},
)


class Go(openings.Openings):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "OpenSpiel, move by move"
    variants = (dict(size=5, komi=3.0, max_moves=300),)
    cost = 10
    keys = {"p": "pass"}
    player_page = PAGE

    def __init__(
        self,
        size: Literal[5, 7, 9, 13, 19] = 9,
        komi: Annotated[float, Between(-400, 400)] = 7.5,
        max_moves: Annotated[int, Horizon(0, 10_000)] = 0,
    ):
        self.define(
            agents=["player_0", "player_1"],
            actions=[f"{LETTERS[c]}{r + 1}" for r in range(size) for c in range(size)] + ["pass"],
            observation=Box(0, 1, (size, size, PLANES), np.int8),
            fields=fields(size, max_moves or 2 * size * size),
            params={"komi": float(komi)},
            reward_range=(-1.0, 1.0),
        )
        middle = board.words_for_middle(self.action_names[0], size, size)
        self.synonyms = middle | {"tengen": middle["center"]}

    def understand(self, s: Any, agent: int, text: str) -> int | None:
        """SGF, `B[dd]` or `[dd]`: columns from the left, rows from the top; without brackets it may be a word."""
        found = _SGF.fullmatch(text)
        if found is None or found[1] not in ("", "BW"[agent]):
            return None
        size = s.seen.shape[1]
        if found[2] in ("", "tt"):
            return size * size
        column, row = (ord(letter) - ord("a") for letter in found[2])
        return (size - 1 - row) * size + column if max(column, row) < size else None

    def contradiction(self, s: Any) -> str | None:
        if not stones.sound(s):
            return "board, views and legal moves are not those of one position"
        placed = np.flatnonzero((s.board == BLACK) | (s.board == WHITE))
        head, following = s.head[placed], s.next[placed]
        if (
            not np.array_equal(np.sort(following), placed)
            or (s.head[following] != head).any()
            or (s.head[head] != head).any()
            or (s.board[head] != s.board[placed]).any()
            or (np.bincount(head, minlength=len(s.board))[head] != array_of(s.chains)["stones"][head]).any()
        ):
            return "the chains are not rings of stones"
        return "there are more positions than moves" if np.count_nonzero(s.positions) > s.moves else None

    def area(self, s: Any) -> np.ndarray:
        """(size, size) uint8 from the bottom, at the end: 1 Black's points, 2 White's, 3 or 0 nobody's."""
        size = s.seen.shape[1]
        return np.asarray(s.area).reshape(size + 2, size + 1)[1:-1, :-1]

    def result(self, s: Any) -> str:
        """The result of the game: ``B+3.5``, ``W+12``, ``draw``; empty before the end."""
        if not s.terminated.all():
            return ""
        lead = float(s.margin - s.params.komi)
        return f"{'B' if lead > 0 else 'W'}+{abs(lead):g}" if lead else "draw"

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {
            "color": ("Black", "White")[agent],
            "moves": len(s.level.moves),
            "whole": float(s.params.komi).is_integer(),
        }

    def text(self, s: Any, agent: int) -> str:
        there = board.pieces(s)
        size = len(there)
        letters = "   " + " ".join(LETTERS[:size])
        rows = [f"{r + 1:2} " + " ".join(".XO"[stone] for stone in there[r]) for r in range(size - 1, -1, -1)]
        names = ("Black", "White")
        if s.moves == 0:
            last = "No move has been made."
        elif s.last < 0:
            last = f"{names[1 - s.player]} has passed."
        else:
            last = f"{names[1 - s.player]} has played {self.action_names[0][s.last]}."
        result = self.result(s)
        turn = f"The game is over: {result}." if result else board.turn(s, agent)
        counts = f"Captured: {s.captured[0]} by Black, {s.captured[1]} by White; komi {s.params.komi:g}."
        return "\n".join([letters, *rows, f"You are {names[agent]} ({'XO'[agent]}). {last} {turn}", counts])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        there, size = board.pieces(s), s.seen.shape[1]
        scene = Scene(size + 1.5, size + 2.6)
        scene.add(Rect(0.85, 0.3, size + 0.3, size + 0.3, "square", radius=0.12))
        for k in range(size):
            scene.add(Line([(1.5, k + 0.95), (size + 0.5, k + 0.95)], "brown", 0.035))
            scene.add(Line([(k + 1.5, 0.95), (k + 1.5, size - 0.05)], "brown", 0.035))
            scene.add(Label(k + 1.5, size + 0.95, LETTERS[k].upper(), 0.36, "muted"))
            scene.add(Label(0.45, size - 0.05 - k, str(k + 1), 0.36, "muted"))
        area = self.area(s) if self.result(s) else there
        for r in range(size):
            for c in range(size):
                x, y = c + 1.5, size - 0.05 - r
                if color := there[r, c]:
                    scene.add(*stone(x, y, ("black", "white")[color - 1], 1.1, glyph="XO"[color - 1]))
                elif (r, c) in star_points(size):
                    scene.add(Circle(x, y, 0.11, "brown", glyph="+"))
                else:
                    scene.add(Circle(x, y, 0.02, "brown", glyph="."))
                if area[r, c] in (1, 2) and not color:
                    scene.add(Rect(x - 0.17, y - 0.17, 0.34, 0.34, ("black", "white")[area[r, c] - 1], radius=0.05))
        if s.last >= 0:
            r, c = divmod(int(s.last), size)
            scene.add(Circle(c + 1.5, size - 0.05 - r, 0.2, None, "orange", 0.09, glyph=""))
        self._panel(scene, s, size + 1.95)
        return scene

    def _panel(self, scene: Scene, s: Any, y: float) -> None:
        """Draw below the board: the player to move, the captured stones, the last pass, and the pass or the result."""
        size, over = s.seen.shape[1], self.result(s)
        for k, x in enumerate((1.3, 1.3 + (size - 1.2) / 3)):
            scene.add(Circle(x, y, 0.47, "gold" if s.player == k and not over else "floor", glyph=""))
            scene.add(*stone(x, y, ("black", "white")[k], 0.8, glyph="XO"[k]))
            passed = s.passes == 1 and s.player != k
            scene.add(Label(x + 0.58, y, "passed" if passed else f"+{s.captured[k]}", 0.4, "ink", "left"))
        if over:
            scene.add(Label(size + 1.1, y, over, 0.6, "ink", "right", bold=True))
        else:
            scene.add(Rect(size - 0.35, y - 0.36, 1.5, 0.72, "panel", "line", 0.03, 0.15))
            scene.add(Label(size + 0.4, y, "pass", 0.42))

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        size = s.seen.shape[1]
        row, column = round(size - 0.05 - y), round(x - 1.5)
        if 0 <= row < size and 0 <= column < size:
            return row * size + column
        return size * size if x > size - 0.35 and y > size + 1.5 else None


def star_points(size: int) -> list[tuple[int, int]]:
    """The marked points of a board, (row, column)."""
    near = 2 if size < 13 else 3
    middle, far = size // 2, size - 1 - near
    if size == 5:
        return [(2, 2)]
    if size < 19:
        return [(near, near), (near, far), (far, near), (far, far), (middle, middle)]
    return [(r, c) for r in (near, middle, far) for c in (near, middle, far)]


env, raw_env, parallel_env = pettingzoo_forms(Go)
