"""Backgammon: race fifteen checkers around the board by dice, and hit the other player's single checkers.

**Rules.** The board has 24 points. Each player numbers them from its own side and moves its checkers down, from point
24 to point 1 and off the board. Point p of one player is point 25 - p of the other. Points 1 to 6 are a player's home.

To start, each player rolls a die, again while they are equal. The player with the larger number moves first, with both
numbers. Later the player to move rolls two dice. Each number moves one checker by that many points; a double counts
four times. One action moves one checker by one number, so a turn takes up to four actions of the same player.

- A checker cannot move to a point with two or more checkers of the other player.
- If it moves to a point with a single checker of the other player, it hits this checker, which goes to the bar.
- A player with checkers on the bar must move them first. They enter as if they came from point 25.
- If all checkers of a player are in its home, they can be borne off: with the exact number from any point, and with a
  larger number from the highest point that holds a checker.
- A player must use as many numbers as it can. If it can use either number but not both, it must use the larger one.
  The mask allows only first moves that obey this rule. A player that can use no number passes.

The player that first has all its checkers off wins. The game is a draw after `max_turns` turns.

| variant | each player's checkers at the start |
|---|---|
| "backgammon" | 2 on point 24, 5 on 13, 3 on 8, 5 on 6 |
| "nackgammon" | 2 on point 24, 2 on 23, 4 on 13, 3 on 8, 4 on 6 |
| "hyper" | 1 on each of points 24, 23 and 22 |

**Agents.** `player_0` has the white checkers, `player_1` the black ones. Seats are fixed; the dice choose who starts.

**Observation.** Dict. Each agent numbers the points from its own side. The part `turn` shows whose dice these are.

| part | space | content |
|---|---|---|
| points | Box (24,) int8 | own checkers on points 1 to 24; those of the other player are negative |
| bar | Box (2,) int8 | own checkers on the bar; the other player's |
| off | Box (2,) int8 | own checkers off the board; the other player's |
| dice | Box (6,) int8 | how often each number, 1 to 6, can still be used in this turn |
| turn | Box (1,) int8 | 1 if it is the agent's turn |
| left | Box (1,) int32 | turns, this one included, until the game is a draw |

**Actions.** Discrete (151). Points are numbered from the side of the player to move, and the bar is 25. Only the player
to move has legal actions.

| action | name | legal |
|---|---|---|
| 6 (point - 1) + number - 1 | `13/7`, `bar/22`, `6/off`, `3/off with 5` | as the rules say |
| 150 | `pass` | if no other action is legal; it must then be chosen |

**Window.** Click a checker and then the point to move it to, or drag it there. To bear a checker off, drag it to the
tray at the right. If you must pass, the key p passes, as do two clicks anywhere.

**Rewards.** At the end, +1 to the winner and -1 to the loser, 0 in a draw. With `scoring`, a win can count more:

| win | counts | the loser |
|---|---|---|
| single | 1 | has borne a checker off |
| gammon | 2 | has borne no checker off |
| backgammon | 3 | has borne no checker off and has one on the bar or in the winner's home |

**Ends.** Terminates when all checkers of a player are off, or after `max_turns` turns.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `scoring` | "single" | the most that a win counts: "single" 1, "gammon" 2, "backgammon" 3 |
| `variant` | "backgammon" | the start: "backgammon", "nackgammon" or "hyper" |
| `max_turns` | 500 | turns after which the game is a draw, from 1 to 100000 |

**Level.** ``{"checkers": [{"6": 2, "bar": 1}, {"4": 1}], "player": 0, "dice": [3, 1]}``: the checkers of `player_0` and
of `player_1` on points numbered from their own side; the others are off. Without `dice` the player to move rolls any
two; without `player` too, the opening roll chooses who moves.

**Known values.** Chances of bearing off two checkers in one turn, in 36ths: 36 from points 1 and 2, 34 from 3 and 1, 23
from 5 and 1, 17 from 3 and 3, 6 from 6 and 5, 4 from 6 and 6 (published tables). In long races, the player to move wins
with a probability of about (1 + erf(x / 2)) / 2, with x = (d + 4) / sqrt(p - 4), for a sum of p points to move and a
lead of d (Kleinman). Uniformly random turns: 113.5 +- 3.5 of OpenSpiel's actions a game (200 games, OpenSpiel).

**Differences.** From OpenSpiel's `backgammon`, whose positions, turns and returns are otherwise equal:

- There, an action is two checker moves and the order of the dice, 1352 in all, and a double takes two actions.
- There, the second player's points are not numbered from its own side.
- There, the returns of "hyper" are always 0.
- There, `max_player_turns` allows one more turn, and a double in this last turn is played by half.
- Nackgammon is not offered there.

From the usual rules:

- There is no doubling cube.
- The number of turns is limited.

**Source.** OpenSpiel `backgammon`; GNU Backgammon; Tesauro, "Temporal Difference Learning and TD-Gammon", 1995.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import known_parts, read_integer, read_numbers
from envsuite.core.ranges import below, limited, within
from envsuite.core.record import copied
from envsuite.core.world import Between, Kernels, World
from envsuite.games.backgammon import pages, view
from envsuite.registry import pettingzoo_forms

#: A player's places: 0 for checkers that are off, its points from 1 to 24, and the bar.
OFF, HOME, BAR = 0, 6, 25
PLACES = 26

PASS = 6 * BAR
MOST_CHECKERS, MOST_TURNS = 15, 100_000

#: Each player's checkers at the start of a variant, by place.
STARTS = {
    "backgammon": {24: 2, 13: 5, 8: 3, 6: 5},
    "nackgammon": {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
    "hyper": {24: 1, 23: 1, 22: 1},
}
START = np.array([[checkers.get(place, 0) for place in range(PLACES)] for checkers in STARTS.values()])
SCORINGS = ("single", "gammon", "backgammon")


def fields() -> list[tuple]:
    """The record."""
    checkers = within(np.int8, 0, MOST_CHECKERS)
    start = [
        ("checkers", checkers, (2, PLACES)),
        ("player", within(np.int64, -1, 1)),  # -1 if the opening roll is still to choose it
        ("dice", within(np.int64, 0, 6), (2,)),  # 0 if they are still to be rolled
    ]
    return [
        ("player", below(np.int64, 2)),  # whose turn it is
        ("checkers", checkers, (2, PLACES)),  # each player's checkers by its own places
        ("dice", within(np.int64, 1, 6), (2,)),  # the last roll, the larger number first
        ("uses", within(np.int64, 0, 4), (2,)),  # how often each can still be used; the second of a double never
        ("sources", below(np.int64, 1 << PLACES), (2,)),  # the places from which each can move a checker, as sets
        ("turns", within(np.int64, 0, MOST_TURNS)),  # turns that are over
        ("value", within(np.int64, 0, 3)),  # what the winner gets, 0 before the end and in a draw
        ("last", within(np.int64, -1, PASS)),  # the last action and its player, for the picture; -1 at the start
        ("mover", below(np.int64, 2)),
        ("start", np.dtype(start, align=True)),
    ]


@kernel
def reset(s):
    if not s.level_given:
        for place in range(PLACES):
            for player in range(2):
                s.start.checkers[player, place] = START[s.params.variant, place]
        s.start.player = -1
        s.start.dice[0] = 0
    for player in range(2):
        for place in range(PLACES):
            s.checkers[player, place] = s.start.checkers[player, place]
    if s.start.player < 0:
        roll_opening(s)
    elif s.start.dice[0] == 0:
        s.player = s.start.player
        roll(s)
    else:
        s.player = s.start.player
        take(s, s.start.dice[0], s.start.dice[1])
    s.start.player = s.player
    for k in range(2):
        s.start.dice[k] = s.dice[k]
    s.turns = 0
    s.value = 0
    s.last = -1
    s.mover = 0


@kernel
def roll_opening(s):
    """Each player rolls a die, and they differ; the player with the larger number moves with both."""
    pair = random.randint(s, 30)
    first, second = pair // 5 + 1, pair % 5 + 1
    second += second >= first
    s.player = 1 if second > first else 0
    take(s, first, second)


@kernel
def roll(s):
    first = random.randint(s, 6) + 1
    take(s, first, random.randint(s, 6) + 1)


@kernel
def take(s, first, second):
    """A turn with these numbers begins."""
    s.dice[0] = max(first, second)
    s.dice[1] = min(first, second)
    s.uses[0] = 4 if first == second else 1
    s.uses[1] = first != second
    find(s)


@kernel
def words(checkers, player):
    """The places of a player's checkers, and the points where the other player does not stop them, as sets of bits."""
    own, free = 0, 0
    for place in range(1, PLACES):
        own |= (checkers[player, place] > 0) << place
        free |= (checkers[1 - player, BAR - place] < 2) << place
    return own, free & ~(1 << BAR)


@kernel
def sources(own, free, number):
    """The places from which a player can move a checker by a number, as a set."""
    if own >> BAR:
        own = 1 << BAR
    found = own & free << number
    if own >> HOME + 1 == 0:
        found |= own & 1 << number
        if own and own >> number == 0:
            found |= 1 << highest(own)
    return found


@kernel
def highest(places):
    """The highest of a set of places that is not empty."""
    place = BAR
    while not places >> place & 1:
        place -= 1
    return place


@kernel
def followed(checkers, player, number, other):
    """The places from which a player can move a checker by a number so that it can then use another one."""
    own, free = words(checkers, player)
    first, found = sources(own, free, number), 0
    for place in range(1, PLACES):
        if first >> place & 1:
            after = own ^ (1 << place if checkers[player, place] == 1 else 0)
            # A hit needs no care: a single checker of the other player stopped nobody before.
            if place > number:
                after |= 1 << place - number
            if sources(after, free, other):
                found |= 1 << place
    return found


@kernel
def find(s):
    """Update the places from which the player to move can move a checker by each number.

    Numbers of a double can be used in any order: no move hinders another one.
    """
    own, free = words(s.checkers, s.player)
    first = sources(own, free, s.dice[0]) if s.uses[0] else 0
    second = sources(own, free, s.dice[1]) if s.uses[1] else 0
    if s.uses[0] and s.uses[1]:
        both = followed(s.checkers, s.player, s.dice[0], s.dice[1])
        back = followed(s.checkers, s.player, s.dice[1], s.dice[0])
        if both | back:
            first, second = both, back
        elif first:
            second = 0
    s.sources[0] = first
    s.sources[1] = second


@kernel
def move(checkers, player, place, number):
    """Move a checker by a number; it hits a single checker of the other player."""
    target = max(place - number, OFF)
    checkers[player, place] -= 1
    checkers[player, target] += 1
    if target > OFF and checkers[1 - player, BAR - target] > 0:
        checkers[1 - player, BAR - target] = 0
        checkers[1 - player, BAR] += 1


@kernel
def worth(s, winner):
    """What a win counts."""
    loser, value = 1 - winner, 1
    if s.checkers[loser, OFF] == 0:
        value = 2
        for place in range(BAR - HOME, PLACES):
            if s.checkers[loser, place] > 0:
                value = 3
    return min(value, s.params.scoring)


@kernel
def step(s, actions, rewards):
    player, action = s.player, actions[s.player]
    s.last = action
    s.mover = player
    if action != PASS:
        place, number = action // 6 + 1, action % 6 + 1
        move(s.checkers, player, place, number)
        s.uses[1 if number != s.dice[0] else 0] -= 1
        own, _ = words(s.checkers, player)
        if own == 0:
            s.value = worth(s, player)
            rewards[player] = s.value
            rewards[1 - player] = -s.value
            s.terminated[0] = 1
            s.terminated[1] = 1
            return
        find(s)
        if s.sources[0] | s.sources[1]:
            return
    s.turns += 1
    if s.turns >= s.params.max_turns:
        s.terminated[0] = 1
        s.terminated[1] = 1
    else:
        s.player = 1 - player
        roll(s)


@kernel
def observe(s, agent, out):
    for k in range(24):
        out.points[k] = s.checkers[agent, k + 1] - s.checkers[1 - agent, 24 - k]
    for k in range(6):
        out.dice[k] = 0
    for k in range(2):
        player = (agent + k) % 2
        out.bar[k] = s.checkers[player, BAR]
        out.off[k] = s.checkers[player, OFF]
        out.dice[s.dice[k] - 1] += s.uses[k]
    out.turn[0] = s.player == agent
    out.left[0] = s.params.max_turns - s.turns


@kernel
def legal(s, agent, mask):
    if s.player == agent:
        for place in range(1, PLACES):
            for k in range(2):
                if s.sources[k] >> place & 1:
                    mask[6 * (place - 1) + s.dice[k] - 1] = 1
        mask[PASS] = s.sources[0] | s.sources[1] == 0


def _name(place: int, number: int) -> str:
    """The name of a move."""
    start = "bar" if place == BAR else str(place)
    if place > number:
        return f"{start}/{place - number}"
    return f"{start}/off" + f" with {number}" * (place < number)


class Backgammon(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = (
        "OpenSpiel, turn by turn; GNU Backgammon's legal turns and bear-off chances; an independent retrograde table"
    )
    variants = (dict(scoring="backgammon", variant="nackgammon", max_turns=30), dict(variant="hyper", scoring="gammon"))
    shown = "positional"
    keys = {"p": "pass"}
    text = view.text
    scene = view.scene
    drag = view.drag
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        scoring: Literal["single", "gammon", "backgammon"] = "single",
        variant: Literal["backgammon", "nackgammon", "hyper"] = "backgammon",
        max_turns: Annotated[int, Between(1, MOST_TURNS)] = 500,
    ):
        self.most = 1 + SCORINGS.index(scoring)
        pair = Box(0, MOST_CHECKERS, (2,), np.int8)
        self.define(
            agents=["player_0", "player_1"],
            actions=[*(_name(place, number) for place in range(1, PLACES) for number in range(1, 7)), "pass"],
            observation=Dict(
                {
                    "points": Box(-MOST_CHECKERS, MOST_CHECKERS, (24,), np.int8),
                    "bar": pair,
                    "off": pair,
                    "dice": Box(0, 4, (6,), np.int8),
                    "turn": Box(0, 1, (1,), np.int8),
                    "left": Box(0, MOST_TURNS, (1,), np.int32),
                }
            ),
            fields=fields(),
            params={
                "scoring": limited(self.most, 1, 3),
                "variant": limited(list(STARTS).index(variant), 0, len(STARTS) - 1),
                "max_turns": limited(max_turns, 1, MOST_TURNS),
            },
            reward_range=(-self.most, self.most),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts(self.id, level, {"checkers", "player", "dice"})
        checkers = self._read_checkers(level["checkers"], int(START[s.params.variant].sum()))
        player, dice = level.get("player"), level.get("dice")
        if player is not None:
            read_integer(player, f"{self.id}: the level's player", 0, 1)
        if dice is not None:
            if player is None:
                raise LevelError(f"{self.id}: the level has dice and lacks 'player'")
            read_numbers(dice, f"{self.id}: the level's dice", (2,), 1, 6, whole=True)
        s.start.checkers[:] = checkers
        s.start.player = -1 if player is None else player
        s.start.dice[:] = 0 if dice is None else sorted(dice, reverse=True)

    def _read_checkers(self, given: Any, most: int) -> np.ndarray:
        """(2, 26) both players' checkers in a level, by place."""
        found, names = np.zeros((2, PLACES), np.int8), {"bar": BAR, **{str(k): k for k in range(1, BAR)}}
        if not isinstance(given, (list, tuple)) or len(given) != 2 or not all(isinstance(x, Mapping) for x in given):
            raise LevelError(f"{self.id}: 'checkers' must be two mappings from places to numbers of checkers")
        for player, places in enumerate(given):
            for name, count in places.items():
                if name not in names:
                    raise LevelError(f"{self.id}: the level's place {name!r:.60} must be 'bar' or from '1' to '24'")
                found[player, names[name]] = read_integer(count, f"{self.id}: checkers[{player}][{name!r}]", 0, most)
            total = int(found[player].sum(dtype=int))
            if not 1 <= total <= most:
                raise LevelError(f"{self.id}: player_{player} has {total} checkers on the board, not from 1 to {most}")
            found[player, OFF] = most - total
        shared = found[0, 1:BAR] * found[1, 1:BAR][::-1]
        if shared.any():
            point = int(shared.argmax()) + 1
            raise LevelError(f"{self.id}: both players have checkers on point {point} of player_0")
        return found

    def get_level(self, s: Any) -> dict[str, Any]:
        checkers = [
            {("bar" if k == BAR else str(k)): int(row[k]) for k in range(BAR, OFF, -1) if row[k]}
            for row in s.start.checkers
        ]
        return {"checkers": checkers, "player": int(s.start.player), "dice": [int(n) for n in s.start.dice]}

    def contradiction(self, s: Any) -> str | None:
        most = int(START[s.params.variant].sum())
        if (s.checkers.sum(axis=1, dtype=int) != most).any() or (s.start.checkers.sum(axis=1, dtype=int) != most).any():
            return f"a player has not {most} checkers"
        if (s.checkers[0, 1:BAR] * s.checkers[1, 1:BAR][::-1]).any():
            return "both players have checkers on a point"
        if s.terminated[0]:
            return None
        if (s.checkers[:, OFF] == most).any() or s.turns >= s.params.max_turns:
            return "the game is over"
        double = s.dice[0] == s.dice[1]
        if s.dice[0] < s.dice[1] or s.uses.sum() == 0 or (s.uses[1] > 0 if double else (s.uses > 1).any()):
            return "uses do not go with the dice"
        fresh = copied(s)
        find(fresh)
        return "sources do not go with the other fields" if (fresh.sources != s.sources).any() else None


env, raw_env, parallel_env = pettingzoo_forms(Backgammon)
