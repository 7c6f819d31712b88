"""NineMensMorris: place nine men, then move them along the lines; three in a row take one of the other's men.

**Rules.** The board has 24 points on three squares and the four lines that join their sides. Two players place nine men
each, one a turn, on empty points. When all of its men are placed, a player moves a man along a line to a neighboring
point. A player with three men left may move a man to any empty point.

Three men in a row on a line are a mill. Whoever makes a mill takes a man of the other player's, as one more action of
its turn. Men in mills are safe unless all of the other's are in mills.

A player with two men left loses, counting those in hand, and so does a player who cannot move. After 200 turns the game
is a draw.

**Agents.** `player_0` (white) moves first, then `player_1` (black). Seats are fixed.

**Observation.** Dict. Points are numbered row by row from the top left, so 0 is `a7` and 23 is `g1`.

| part | space | content |
|---|---|---|
| points | Box (24,) int8 | 0 empty, 1 the observing agent's man, 2 the other's |
| men | Box (4,) int8 | the agent's men in hand, the other's in hand, the agent's men in all, the other's |
| take | Box (1,) int8 | 1 if the player to move takes a man |
| turn | Box (1,) int16 | turns so far |

**Actions.** Discrete (600). Only the player to move has legal actions. Letters are columns from the left, numbers are
rows from the bottom.

| action | name | legal |
|---|---|---|
| point | `a7`, `d7`, ..., `g1` | with men in hand: empty points; after a mill: men that may be taken |
| 24 + 24 x from + to | `a7-d7`, ... | without men in hand: to an empty point beside it, with three men to any |

**Window.** A click places or takes a man. A drag moves one.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 in a draw.

**Ends.** Terminates as the rules say.

**Parameters.** None.

**Level.** ``{"moves": ["a7", "d7", "g7"]}``: the actions before the episode starts.

**Known values.** There are 24, 552, 12,144 and 255,024 sequences of 1 to 4 actions. Perfect play draws (Gasser,
1996).

**Differences.** None from OpenSpiel's `nine_mens_morris`.

**Source.** OpenSpiel `nine_mens_morris`; Gasser, "Solving Nine Men's Morris", 1996.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Kernels
from envsuite.kit import board, openings
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Scene, footer
from envsuite.render.theme import agent_color

POINTS, MEN, TURNS = 24, 9, 200
EMPTY = 0

#: Actions before the end at most: one and a mill's in each turn.
MOST = 2 * TURNS

#: The names of the points, row by row from the top.
NAMES = "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1".split()

#: The sixteen lines of three points: those across, then those down.
LINES = np.arange(24).reshape(8, 3).tolist() + [
    [0, 9, 21], [3, 10, 18], [6, 11, 15], [1, 4, 7], [16, 19, 22], [8, 12, 17], [5, 13, 20], [2, 14, 23],
]  # fmt: skip

#: The two lines through each point, as their other two points.
OTHERS = np.array([[[q for q in line if q != p] for line in LINES if p in line] for p in range(POINTS)], np.int64)

#: The points beside each point, -1 where there are less than four.
BESIDE = np.full((POINTS, 4), -1)
for _line in LINES:
    for _p, _q in (_line[:2], _line[1:], _line[1::-1], _line[:0:-1]):
        BESIDE[_p, (BESIDE[_p] < 0).argmax()] = _q


def fields() -> list[tuple]:
    """The record's own fields."""
    return [
        ("player", below(np.int64, 2)),  # whose turn it is
        ("points", below(np.int8, 3), (POINTS,)),  # EMPTY, or the player's number plus 1
        ("hand", within(np.int64, 0, MEN), (2,)),  # men that are not yet placed
        ("men", within(np.int64, 0, MEN), (2,)),  # men on the board and in hand
        ("take", flag()),  # whether the player to move has made a mill and takes a man
        ("turn", within(np.int64, 0, TURNS)),  # turns that are over
        openings.level_field(MOST, below(np.uint16, POINTS * (POINTS + 1))),  # the actions before the episode
    ]


@kernel
def reset(s):
    s.player = 0
    s.take = 0
    s.turn = 0
    fill(s.points, EMPTY)
    for k in range(2):
        s.hand[k] = MEN
        s.men[k] = MEN
    if s.level_given:
        for k in range(s.level.length):
            play(s, np.int64(s.level.moves[k]))
    else:
        s.level.length = 0


@kernel
def in_mill(points, point, owner):
    """Whether the two other points of a line through a point hold men of this owner."""
    for k in range(2):
        if points[OTHERS[point, k, 0]] == owner and points[OTHERS[point, k, 1]] == owner:
            return True
    return False


@kernel
def all_safe(points, owner):
    """Whether all men of an owner are in mills."""
    for point in range(POINTS):
        if points[point] == owner and not in_mill(points, point, owner):
            return False
    return True


@kernel
def play(s, action):
    """The player to move places, moves or takes a man."""
    own = s.player + 1
    if action < POINTS and s.take:
        s.points[action] = EMPTY
        s.men[1 - s.player] -= 1
        s.take = 0
    else:
        point = action
        if action >= POINTS:
            point = action % POINTS
            s.points[action // POINTS - 1] = EMPTY
        else:
            s.hand[s.player] -= 1
        s.points[point] = own
        s.take = in_mill(s.points, point, own)
    if not s.take:
        s.player = 1 - s.player
        s.turn += 1


@kernel
def can_act(s):
    """Whether the player to move has a legal action. The other has at least three men, so one can be taken."""
    if s.take or s.hand[s.player] > 0 or s.men[s.player] <= 3:
        return True
    for point in range(POINTS):
        if s.points[point] == s.player + 1:
            for k in range(4):
                near = BESIDE[point, k]
                if near >= 0 and s.points[near] == EMPTY:
                    return True
    return False


@kernel
def step(s, actions, rewards):
    play(s, actions[s.player])
    loser = -1
    if not can_act(s):
        loser = s.player
    elif s.men[0] <= 2 or s.men[1] <= 2:
        loser = 0 if s.men[0] <= 2 else 1
    if loser >= 0:
        rewards[loser] = -1.0
        rewards[1 - loser] = 1.0
    if loser >= 0 or s.turn == TURNS:
        s.terminated[0] = 1
        s.terminated[1] = 1


@kernel
def observe(s, agent, out):
    for k in range(POINTS):
        owner = s.points[k]
        out.points[k] = 0 if owner == EMPTY else 1 if owner == agent + 1 else 2
    out.men[0] = s.hand[agent]
    out.men[1] = s.hand[1 - agent]
    out.men[2] = s.men[agent]
    out.men[3] = s.men[1 - agent]
    out.take[0] = s.take
    out.turn[0] = s.turn


@kernel
def legal(s, agent, mask):
    if s.player != agent:
        return
    own, other = agent + 1, 2 - agent
    if s.take:
        safe = all_safe(s.points, other)
        for point in range(POINTS):
            mask[point] = s.points[point] == other and (safe or not in_mill(s.points, point, other))
    elif s.hand[agent] > 0:
        for point in range(POINTS):
            mask[point] = s.points[point] == EMPTY
    else:
        for point in range(POINTS):
            if s.points[point] == own:
                first = POINTS * (point + 1)
                if s.men[agent] <= 3:
                    for to in range(POINTS):
                        mask[first + to] = s.points[to] == EMPTY
                else:
                    for k in range(4):
                        near = BESIDE[point, k]
                        if near >= 0 and s.points[near] == EMPTY:
                            mask[first + near] = 1


PAGE = Page(
    role="You play Nine Men's Morris against {others}. Your men are shown as {sign}.",
    goal=(
        "You win if the other player has only two men left, counting those in hand, or cannot move when it is to move. "
        "A win pays you +1, a loss -1, and a draw 0."
    ),
    rules=(
        "The board has 24 points on three squares, one inside the other: a7, d7, g7, g4, g1, d1, a1 and a4 on the "
        "outer one, b6, d6, f6, f4, f2, d2, b2 and b4 on the next, and c5, d5, e5, e4, e3, d3, c3 and c4 on the inner "
        "one. Lines run along the sides of the squares, and four more join the middles of the sides: d7-d6-d5, "
        "g4-f4-e4, d1-d2-d3 and a4-b4-c4. Letters are columns from the left, numbers are rows from the bottom.",
        "Each player has nine men in hand. You take turns; player_0 begins. As long as you have men in hand, you place "
        "one on an empty point in your turn. Later you move a man along a line to a neighboring empty point, or, when "
        "you have three men left, to any empty point.",
        "Three men of yours in a row on a line are a mill. When you place or move a man into a mill, you take one of "
        "the other player's men off the board before your turn ends. Men in mills cannot be taken, unless all men that "
        "the other player has on the board are in mills.",
    ),
    sees="You both see the whole board.",
    acts={
        "{FROM}-{TO}": "move the man on the point FROM to the point TO",
        "{POINT}": "place a man on POINT, or take the man on it after you have made a mill",
    },
    ends="The game is over when a player has won. It is a draw after 200 turns, counting both players'.",
    constants={
        "1": "the reward of a win",
        "0": "the reward of a draw",
        "two": "men of a loser",
        "24": "points",
        "three": "squares, and men that move freely",
        "four": "lines",
        "nine": "men",
        "200": "turns",
    },
)


class NineMensMorris(openings.Openings):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "OpenSpiel, action by action; its numbers of sequences of actions"
    shown = "blocker"
    player_page = PAGE

    def __init__(self) -> None:
        self.define(
            agents=["player_0", "player_1"],
            actions=[*NAMES, *(f"{p}-{q}" for p in NAMES for q in NAMES)],
            observation=Dict(
                {
                    "points": Box(0, 2, (POINTS,), np.int8),
                    "men": Box(0, MEN, (4,), np.int8),
                    "take": Box(0, 1, (1,), np.int8),
                    "turn": Box(0, TURNS, (1,), np.int16),
                }
            ),
            fields=fields(),
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        placed = [int((s.points == k + 1).sum()) for k in range(2)]
        if [int(k) for k in s.men - s.hand] != placed:
            return "men and hand do not go with the men on the board"
        if s.terminated[0]:
            return None
        if s.take and placed[1 - s.player] == 0:
            return "there is no man to take"
        over = s.turn == TURNS or (s.men <= 2).any() or not can_act(s)
        return "the game is over" if over else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"sign": "XO"[agent]}

    def text(self, s: Any, agent: int) -> str:
        signs = dict(zip(NAMES, (".XO"[k] for k in s.points)))
        rows = []
        for row in range(7, 0, -1):
            rows.append(f"{row} " + " ".join(signs.get(f"{column}{row}", " ") for column in "abcdefg").rstrip())
        winner = None
        if s.terminated[0]:
            lost = [k for k in range(2) if s.men[k] <= 2] or ([int(s.player)] if not can_act(s) else [])
            winner = 1 - lost[0] if lost else -1
        do = ""
        if winner is None and s.player == agent:
            do = (
                " Take a man of the other player's."
                if s.take
                else " Place a man."
                if s.hand[agent]
                else " Move a man along a line."
                if s.men[agent] > 3
                else " Move a man to any empty point."
            )
        return "\n".join(
            [
                *rows,
                "  a b c d e f g",
                f"You are {'XO'[agent]}. You have {s.men[agent]} men, {s.hand[agent]} of them in hand; the other "
                f"player has {s.men[1 - agent]}, {s.hand[1 - agent]} in hand. "
                f"Turn {min(s.turn + 1, TURNS)} of {TURNS}.",
                board.turn(s, agent, winner) + do,
            ]
        )

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(8.4, 8.8)
        for line in LINES:
            scene.add(Line([spot(line[0]), spot(line[2])], "line", 0.06))
        for k in range(7):
            scene.add(Label(k + 1.2, 7.85, "abcdefg"[k], 0.32, "muted"), Label(0.4, k + 0.7, str(7 - k), 0.32, "muted"))
        for point in range(POINTS):
            x, y = spot(point)
            owner = int(s.points[point])
            if owner == EMPTY:
                scene.add(Circle(x, y, 0.1, "line", glyph="."))
                continue
            scene.add(Circle(x, y, 0.36, agent_color(owner - 1), "ink", 0.04, glyph="XO"[owner - 1]))
            if in_mill(s.points, point, owner):
                scene.add(Circle(x, y, 0.16, "white", glyph=""))
        scene.add(Circle(0.6, 8.4, 0.2, agent_color(int(s.player)), "ink", 0.03, glyph="XO"[s.player]))
        note = "over" if s.terminated[0] else "takes a man" if s.take else "moves"
        scene.add(Label(0.95, 8.4, f"player {s.player} {note}", 0.3, "ink", "left"))
        footer(scene, "", f"in hand {s.hand[0]} : {s.hand[1]}")
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        return point_at(x, y)

    def drag(self, s: Any, agent: int, start: tuple[float, float], end: tuple[float, float]) -> int | None:
        first, last = point_at(*start), point_at(*end)
        return None if first is None or last is None else last if first == last else POINTS * (first + 1) + last


def spot(point: int) -> tuple[float, float]:
    """Where a point lies in the picture."""
    return "abcdefg".index(NAMES[point][0]) + 1.2, 7.7 - int(NAMES[point][1])


def point_at(x: float, y: float) -> int | None:
    """The point near a place of the picture."""
    for point in range(POINTS):
        across, down = spot(point)
        if abs(x - across) < 0.45 and abs(y - down) < 0.45:
            return point
    return None


env, raw_env, parallel_env = pettingzoo_forms(NineMensMorris)
