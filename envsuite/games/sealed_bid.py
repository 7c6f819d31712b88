"""SealedBid: an auction with sealed bids of the first price, of the second price, or in which all pay.

**Rules.** Each player has a private value, a whole number from 1 to `values`, all with the same probability. All bid at
once. The highest bid wins; among equal ones, chance decides. The winner gets its value and pays its own bid (`first`)
or the highest bid of the others (`second`). With `all_pay` every player pays its own bid.

**Agents.** `player_0`, `player_1`, ... act at the same time.

**Observation.** Box (1,) int8: the agent's value.

| entry | content |
|---|---|
| 0 | the agent's value |

**Actions.** Discrete (values + 1).

| action | name | legal |
|---|---|---|
| k | `bid 0`, `bid 1`, ... | below the value; with the second price, the value too |

**Rewards.** What a player gets less what it pays.

**Ends.** Terminates after the bids.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 2 | bidders, from 2 to 10 |
| `values` | 10 | the highest value, from 1 to 100 |
| `rule` | `"first"` | `"first"`, `"second"` or `"all_pay"` |

**Level.** ``{"values": [3, 7]}``: the values of the players.

**Known values.** In an auction of the second price no bid is better than the own value (Vickrey, 1961). First price
with two players: with values up to 3 and uniformly random bids each earns 0.702160 and the sum of what both could gain
by their best replies (NashConv) is 0.299383; with values up to 4, 0.815538 and 0.467882 (OpenSpiel). Bidding 0 to the
value uniformly at random is 0.444959 each for three players with values up to 3.

**Differences.** From OpenSpiel's `first_sealed_auction`, whose rules are those of the first price here:

- There, players bid one after the other without seeing the bids; here, at once.
- The other rules are ours.

**Source.** OpenSpiel `first_sealed_auction`; Vickrey, "Counterspeculation, auctions, and competitive sealed tenders",
1961.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page
from envsuite.core.random import randint
from envsuite.core.ranges import within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, footer
from envsuite.render.theme import agent_color

RULES = ("first", "second", "all_pay")
FIRST, SECOND, ALL_PAY = range(3)
NONE = -1


def fields(players: int, values: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("values", within(np.int64, 1, values), (players,)),  # the level
        ("bids", within(np.int64, NONE, values), (players,)),
        ("winner", within(np.int64, NONE, players - 1)),  # NONE before the bids
    ]


@kernel
def reset(s):
    for k in range(s.values.shape[0]):
        if s.level_given == 0:
            s.values[k] = 1 + randint(s, s.params.values)
        s.bids[k] = NONE
    s.winner = NONE


@kernel
def step(s, actions, rewards):
    players = s.values.shape[0]
    highest, count = NONE, 0
    for k in range(players):
        s.bids[k] = actions[k]
        if s.bids[k] >= highest:
            count = 1 if s.bids[k] > highest else count + 1
            highest = s.bids[k]
    chosen = randint(s, count) if count > 1 else 0
    second = 0
    for k in range(players):
        if s.bids[k] == highest and chosen >= 0:
            s.winner = k if chosen == 0 else s.winner
            chosen -= 1
    for k in range(players):
        if k != s.winner:
            second = max(second, s.bids[k])
    for k in range(players):
        if s.params.rule == ALL_PAY:
            rewards[k] -= s.bids[k]
        elif k == s.winner:
            rewards[k] -= second if s.params.rule == SECOND else highest
        if k == s.winner:
            rewards[k] += s.values[k]
        s.terminated[k] = 1


@kernel
def observe(s, agent, out):
    out[0] = s.values[agent]


@kernel
def legal(s, agent, mask):
    most = s.values[agent] + (s.params.rule == SECOND)
    for bid in range(mask.shape[0]):
        mask[bid] = bid < most


@kernel
def guess(s, agent):
    """Draw the values of the others again."""
    for k in range(s.values.shape[0]):
        if k != agent:
            s.values[k] = 1 + randint(s, s.params.values)


PAGE = Page(
    role="You bid for one thing in an auction against {others}.",
    goal=Case(
        "rule",
        {
            "first": "If you win, you are paid its value to you less your bid, in points; otherwise you are paid 0.",
            "second": (
                "If you win, you are paid its value to you less the highest bid of the others, in points; otherwise "
                "you are paid 0."
            ),
            "all_pay": (
                "If you win, you are paid its value to you less your bid, in points. If another player wins, you still "
                "pay your bid."
            ),
        },
    ),
    rules=(
        "To each player the thing is worth a whole number of points from 1 to {values}. It is drawn for each one "
        "separately, with the same chance for all numbers. All bid once and at the same time. The highest bid wins; "
        "among equal ones the winner is drawn by lot.",
    ),
    sees="You know what the thing is worth to you, but not what it is worth to the others.",
    acts={
        "bid {N}": Case(
            "rule",
            {"second": "bid N, which may be as much as the value to you but no more"},
            "bid N, which must be less than the value to you",
        ),
    },
    ends="It is over after the bids.",
    constants={"0": "the reward of those who do not win", "1": "the least value"},
)


class SealedBid(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    paid_at_end = True
    kind = ("bargaining", "markets")
    verified = "OpenSpiel's returns, and NashConv of uniform play; truth is the best bid with the second price"
    variants = (dict(players=3, values=4, rule="all_pay"),)
    shown = "equilibrium"
    clickable = "(?!)"
    level_fields = ("values",)
    player_page = PAGE

    def __init__(
        self,
        players: Annotated[int, Between(2, 10)] = 2,
        values: Annotated[int, Between(1, 100)] = 10,
        rule: Literal["first", "second", "all_pay"] = "first",
    ):
        self.define(
            agents=[f"player_{k}" for k in range(players)],
            actions=[f"bid {k}" for k in range(values + 1)],
            observation=Box(1, values, (1,), np.int8),
            fields=fields(players, values),
            params={"values": values, "rule": RULES.index(rule)},
            reward_range=(-float(values), float(values)),
        )

    def contradiction(self, s: Any) -> str | None:
        made = s.winner != NONE
        if (s.bids != NONE).any() != made or (s.bids != NONE).all() != made or made != bool(s.terminated[0]):
            return "bids, winner and the end do not go together"
        return None

    def text(self, s: Any, agent: int) -> str:
        lines = [f"The thing is worth {s.values[agent]} to you."]
        if s.winner != NONE:
            lines.append(f"You bid {s.bids[agent]}. player_{s.winner} wins.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        players = len(s.values)
        scene = Scene(max(2.6 * players + 0.4, 6.0), 4.2)
        left = (scene.width - 2.6 * players) / 2
        for k in range(players):
            x = left + 2.6 * k + 0.1
            won = s.winner == k
            scene.add(Rect(x, 0.3, 2.4, 3.2, "panel", agent_color(k), 0.12 if won else 0.05, 0.25))
            scene.add(Label(x + 1.2, 0.75, f"player {k}", 0.3, "muted"))
            value = str(s.values[k]) if s.winner != NONE or agent in (None, k) else "?"
            scene.add(Label(x + 1.2, 1.5, value, 0.75, "ink", bold=True))
            scene.add(Label(x + 1.2, 2.4, "" if s.bids[k] == NONE else f"bids {s.bids[k]}", 0.4, "ink"))
            scene.add(Label(x + 1.2, 3.0, "wins" if won else "", 0.36, "ink", bold=True))
        footer(scene, "values", ("first price", "second price", "all pay")[int(s.params.rule)])
        return scene


env, raw_env, parallel_env = pettingzoo_forms(SealedBid)
