"""Oware: sow seeds around a board of twelve houses and capture those that make two or three in the other's houses.

**Rules.** Two players have `houses` houses each, with `seeds` seeds in every one. A player takes all seeds of one of
its houses and sows them, one into each next house counterclockwise, past the house that they came from. If the last
seed makes two or three in a house of the other player, these are captured. So are two or three in the other's house
before it, and so on, back to the first house with another number. A move that would capture all seeds of the other
player captures nothing (a grand slam).

A player must leave the other with seeds, if it can: when the other's houses are empty, only moves that reach them are
legal.

The game ends when a player has more than half of the seeds, when the player to move has no legal move, when a position
since the last capture returns, or after 200 moves without a capture. Then each player takes the seeds in its own
houses. The player with more seeds wins.

**Agents.** `player_0` moves first, then `player_1`. Seats are fixed.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| houses | Box (2 x houses,) int8 | the seeds in each house, counterclockwise, the observing agent's first |
| captured | Box (2,) int8 | the seeds that the agent has captured, and the other |
| quiet | Box (1,) int16 | moves since the last capture, or since the start |

**Actions.** Discrete (houses). Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| k | `house 1`, `house 2`, ...: sow this house of the player | while it has seeds, and the other has some after it |

**Window.** A click on a house sows its seeds, as do the keys 1 to 6.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 in a draw.

**Ends.** Terminates as the rules say.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `houses` | 6 | houses of each player, from 2 to 6 |
| `seeds` | 4 | seeds in each house at the start, from 1 to 6 |

**Level.** ``{"houses": [0, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0, 3], "captured": [20, 21], "player": 0}``: the seeds in each
house, `player_0`'s first; those captured; and who moves.

**Known values.** There are 6, 36, 190, 1,014, 5,219 and 27,332 sequences of 1 to 6 moves. In uniformly random play
the first player wins 0.474 of the games and the second 0.490, in 100.9 moves (500 games of OpenSpiel; standard errors
0.022 and 1.8). Perfect play draws (Romein and Bal, 2002).

**Differences.** From OpenSpiel's `oware`:

- A game without a capture in 200 moves ends. There it continues, and stops with an error after 1000 moves.

**Source.** OpenSpiel `oware`; Romein and Bal, "Awari is solved", 2002.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import copy, fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.ranges import below, free, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import board
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene, footer
from envsuite.render.theme import agent_color

MAX_HOUSES, MAX_SEEDS = 6, 6
MOST = 2 * MAX_HOUSES * MAX_SEEDS

#: Moves without a capture that end the game.
QUIET = 200

#: Binomial coefficients; `place_of` numbers positions with them.
CHOOSE = np.array([[comb(n, k) for k in range(2 * MAX_HOUSES + 1)] for n in range(MOST + 2 * MAX_HOUSES)], np.uint64)


def fields(houses: int) -> list[tuple]:
    """The record's own fields; player 0 has the first half of the houses."""
    start = [
        ("houses", within(np.int8, 0, MOST), (2 * houses,)),
        ("captured", within(np.int8, 0, MOST), (2,)),
        ("player", below(np.int64, 2)),
    ]
    return [
        ("player", below(np.int64, 2)),  # whose turn it is
        ("houses", within(np.int8, 0, MOST), (2 * houses,)),  # seeds in each house
        ("captured", within(np.int8, 0, MOST), (2,)),  # seeds that each player has captured
        ("quiet", within(np.int64, 0, QUIET)),  # moves since the last capture
        ("past", free(np.uint64), (QUIET + 1,)),  # the numbers of the positions since then, see `place_of`
        ("start", np.dtype(start)),  # the level
    ]


@kernel
def reset(s):
    if not s.level_given:
        fill(s.start.houses, s.params.seeds)
        s.start.captured[0] = s.start.captured[1] = 0
        s.start.player = 0
    copy(s.houses, s.start.houses)
    s.captured[0] = s.start.captured[0]
    s.captured[1] = s.start.captured[1]
    s.player = s.start.player
    s.quiet = 0
    s.past[0] = place_of(s.houses, s.player)


@kernel
def place_of(houses, player):
    """The number of a position, which no other has: the combinatorial number of its counts, and who moves."""
    number, below = np.uint64(0), 0
    for k in range(houses.shape[0]):
        below += houses[k]
        number += CHOOSE[below + k, k + 1]
    return number * np.uint64(2) + np.uint64(player)


@kernel
def sow(houses, first, action):
    """Sow the seeds of a player whose houses begin at `first`, and take what it captures: the number of seeds."""
    total = houses.shape[0]
    half = total // 2
    start = first + action
    seeds = np.int64(houses[start])
    houses[start] = 0
    last = start
    while seeds > 0:
        last = last + 1 if last + 1 < total else 0
        if last != start:
            houses[last] += 1
            seeds -= 1
    other = half - first
    captured, kept = 0, 0
    for k in range(half):
        kept += houses[other + k]
    until = last
    while other <= until < other + half and 2 <= houses[until] <= 3:
        captured += houses[until]
        until -= 1
    if captured == kept:
        return 0
    for k in range(until + 1, last + 1):
        houses[k] = 0
    return captured


@kernel
def allowed(houses, first, action):
    """Whether a player whose houses begin at `first` may sow a house of its own."""
    half = houses.shape[0] // 2
    seeds = houses[first + action]
    if seeds == 0 or seeds >= half - action:
        return seeds > 0
    for k in range(half):
        if houses[half - first + k] > 0:
            return True
    return False


@kernel
def is_over(s):
    """Whether the game ends, after a move."""
    half = s.houses.shape[0] // 2
    everything = 2 * half * s.params.seeds
    if max(s.captured[0], s.captured[1]) * 2 > everything or s.quiet == QUIET:
        return True
    for k in range(s.quiet):
        if s.past[k] == s.past[s.quiet]:
            return True
    for action in range(half):
        if allowed(s.houses, s.player * half, action):
            return False
    return True


@kernel
def step(s, actions, rewards):
    half = s.houses.shape[0] // 2
    captured = sow(s.houses, s.player * half, actions[s.player])
    s.captured[s.player] += captured
    s.player = 1 - s.player
    s.quiet = 0 if captured > 0 else s.quiet + 1
    s.past[s.quiet] = place_of(s.houses, s.player)
    if is_over(s):
        for k in range(2 * half):
            s.captured[0 if k < half else 1] += s.houses[k]
            s.houses[k] = 0
        lead = np.int64(s.captured[0]) - s.captured[1]
        rewards[0] = (lead > 0) - np.int64(lead < 0)
        rewards[1] = -rewards[0]
        s.terminated[0] = 1
        s.terminated[1] = 1


@kernel
def observe(s, agent, out):
    total = s.houses.shape[0]
    first = agent * (total // 2)
    for k in range(total):
        out.houses[k] = s.houses[first + k if first + k < total else first + k - total]
    out.captured[0] = s.captured[agent]
    out.captured[1] = s.captured[1 - agent]
    out.quiet[0] = s.quiet


@kernel
def legal(s, agent, mask):
    if s.player == agent:
        for action in range(mask.shape[0]):
            mask[action] = allowed(s.houses, agent * mask.shape[0], action)


PAGE = Page(
    role="You play Oware against {others}.",
    goal="The player with more seeds at the end wins. A win pays you +1, a loss -1, and a draw 0.",
    rules=(
        "Each player has {houses:house} in a row, at first with {seeds:seed} in each. You take turns; player_0 begins. "
        "In your turn you take all seeds of one of your houses and sow them, one into each next house: from your house "
        "1 upward, from your last house on into house 1 of the other player, and from its last house on into your "
        "house 1. The house that the seeds came from is left out.",
        "If your last seed falls into a house of the other player and makes 2 or 3 there, you capture the seeds of "
        "that house. If the house before it is the other player's too and holds 2 or 3, you capture these as well, and "
        "so on back to the first house with another number. But a move that would capture all seeds that the other "
        "player has left captures nothing.",
        "If all houses of the other player are empty, you may only sow a house whose seeds reach them.",
    ),
    sees="You both see all houses. The other player's are shown above yours, from right to left.",
    acts={"house {N}": "sow your house N, if it has seeds"},
    ends=(
        "The game is over when a player has captured more than half of all {all} seeds, when the player to move has no "
        "legal move, when a position returns that has been there since the last capture, with the same player to move, "
        "and after 200 moves in a row without a capture, counting both players'. Then each player also gets the seeds "
        "in its own houses."
    ),
    constants={
        "1": "the reward of a win, and a house",
        "0": "the reward of a draw",
        "2": "seeds that are captured",
        "3": "seeds that are captured",
        "half": "of the seeds",
        "200": "moves without a capture",
    },
)


class Oware(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = False
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("boards",)
    verified = "OpenSpiel, move by move; its numbers of sequences of moves"
    variants = (dict(houses=3, seeds=2),)
    shown = "careful"
    keys = {str(k + 1): f"house {k + 1}" for k in range(MAX_HOUSES)}
    level_fields = ("start.houses", "start.captured", "start.player")
    player_page = PAGE

    def __init__(
        self, houses: Annotated[int, Between(2, MAX_HOUSES)] = 6, seeds: Annotated[int, Between(1, MAX_SEEDS)] = 4
    ):
        self.define(
            agents=["player_0", "player_1"],
            actions=[f"house {k + 1}" for k in range(houses)],
            observation=Dict(
                {
                    "houses": Box(0, MOST, (2 * houses,), np.int8),
                    "captured": Box(0, MOST, (2,), np.int8),
                    "quiet": Box(0, QUIET, (1,), np.int16),
                }
            ),
            fields=fields(houses),
            params={"seeds": seeds},
            reward_range=(-1.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        houses, captured, half = s.start.houses, s.start.captured, len(s.houses) // 2
        given, total = int(houses.sum() + captured.sum()), len(s.houses) * int(s.params.seeds)
        if given != total:
            raise LevelError(f"{self.id}: the level has {given} seeds instead of {total}")
        if 2 * captured.max() > total or not any(allowed(houses, s.start.player * half, k) for k in range(half)):
            raise LevelError(f"{self.id}: the level's game is over")

    def contradiction(self, s: Any) -> str | None:
        total = len(s.houses) * int(s.params.seeds)
        for now in (s, s.start):
            if int(now.houses.sum(dtype=int)) + int(now.captured.sum(dtype=int)) != total:
                return f"there are not {total} seeds"
        if not s.terminated[0] and s.past[s.quiet] != place_of(s.houses, s.player):
            return "the last of the past positions is not the present one"
        return "the game is over" if is_over(s) and not s.terminated[0] else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"all": len(s.houses) * int(s.params.seeds)}

    def text(self, s: Any, agent: int) -> str:
        half = len(s.houses) // 2
        own, others = (s.houses[k * half : (k + 1) * half] for k in (agent, 1 - agent))
        winner = None
        if s.terminated[0]:
            winner = -1 if s.captured[0] == s.captured[1] else int(s.captured[1] > s.captured[0])
        return "\n".join(
            [
                f"the other's  {' '.join(f'{k:2}' for k in others[::-1])}",
                f"yours        {' '.join(f'{k:2}' for k in own)}",
                f"house        {' '.join(f'{k + 1:2}' for k in range(half))}",
                f"You have captured {s.captured[agent]}, the other player {s.captured[1 - agent]}; "
                f"{len(s.houses) * int(s.params.seeds) // 2 + 1} win. {board.turn(s, agent, winner)}",
            ]
        )

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        total = len(s.houses)
        half = total // 2
        scene = Scene(half + 2.6, 3.4)
        scene.add(Rect(0, 0, half + 2.6, 3.0, "panel", "line", 0.03, 0.4))
        for k in range(total):
            x, y = middle(half, k)
            owner = k // half
            scene.add(Circle(x, y, 0.45, "panel", agent_color(owner), 0.05, glyph=""))
            seeds = int(s.houses[k])
            for j in range(min(seeds, 12)):  # on two rings around the number
                turn = SEEDS[j]
                scene.add(Circle(x + turn[0], y + turn[1], 0.06, "brown", glyph=""))
            scene.add(Label(x, y, str(seeds), 0.34, "ink", bold=True))
            scene.add(Label(x, y + (0.62 if owner == 0 else -0.62), str(k % half + 1), 0.2, "muted", terminal=False))
        for player in range(2):
            x = half + 1.95 if player == 0 else 0.65
            scene.add(Label(x, 1.25, str(s.captured[player]), 0.5, "ink", bold=True))
            scene.add(Label(x, 1.8, f"player {player}", 0.24, "muted"))
        note = "over" if s.terminated[0] else f"player {s.player} moves"
        footer(scene, "player 0 has the lower row", note)
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        half = len(s.houses) // 2
        for action in range(half):
            across, down = middle(half, agent * half + action)
            if (x - across) ** 2 + (y - down) ** 2 < 0.25:
                return action
        return None


#: Where up to twelve seeds of a house are drawn, around its number.
SEEDS = [
    (0.3, 0.0), (-0.3, 0.0), (0.15, 0.26), (-0.15, -0.26), (-0.15, 0.26), (0.15, -0.26),
    (0.26, 0.15), (-0.26, -0.15), (0.0, 0.3), (0.0, -0.3), (-0.26, 0.15), (0.26, -0.15),
]  # fmt: skip


def middle(half: int, house: int) -> tuple[float, float]:
    """The middle of a house in the picture: player 0's from left to right, then player 1's from right to left."""
    return (1.8 + house, 2.05) if house < half else (0.8 + 2 * half - house, 0.95)


env, raw_env, parallel_env = pettingzoo_forms(Oware)
