"""TradeComm: two traders tell each other in symbols what they hold, and then must name the same trade.

**Rules.** Each player gets one of `items` items, drawn independently. `player_0` says one of `items` symbols, then
`player_1`. Then each names a trade, an item to give for an item to get, and neither hears the other's. The trades match
if each gives what it holds for what the other holds. Symbols have no meaning but what the players make of them.

**Agents.** `player_0`, `player_1`. Seats are fixed.

**Observation.** Box (3,) int8.

| entry | content |
|---|---|
| 0 | the observing agent's item, from 0 |
| 1 | the symbol that the agent has said, from 0, or `items` before |
| 2 | the symbol that the other has said, or `items` before |

**Actions.** Discrete (items + items x items). Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| k | `say 0`, `say 1`, ... | in each player's first turn |
| items + items x give + get | `trade 0 for 0`, `trade 0 for 1`, ... | in each player's second turn |

**Rewards.** 1 for both at the end if the trades match, 0 otherwise.

**Ends.** Terminates after both trades.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `items` | 10 | items and symbols, from 2 to 12 |

**Level.** ``{"items": [3, 5]}``: what the players hold.

**Known values.** Uniformly random play earns 1 / items^4. The best play earns 1. With two items the tree has 349 nodes,
and the players have 10 and 12 information sets; with three 7,408, 30 and 36 (OpenSpiel).

**Differences.** None from OpenSpiel's `trade_comm`.

**Source.** OpenSpiel `trade_comm`; Sokota et al., "Solving common-payoff games with approximate policy iteration",
2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.random import randint
from envsuite.core.ranges import below, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, footer
from envsuite.render.theme import agent_color

NONE = -1


def fields(items: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("items", below(np.int64, items), (2,)),  # what each player holds: the level
        ("turn", within(np.int64, 0, 4)),  # two symbols, two trades
        ("said", within(np.int64, NONE, items - 1), (2,)),  # each player's symbol
        ("trade", within(np.int64, NONE, items * items - 1), (2,)),  # items x give + get
    ]


@kernel
def reset(s):
    for k in range(2):
        if s.level_given == 0:
            s.items[k] = randint(s, how_many(s))
        s.said[k] = NONE
        s.trade[k] = NONE
    s.turn = 0


@kernel
def how_many(s):
    """The number of items."""
    return s.params.items


@kernel
def step(s, actions, rewards):
    player, items = s.turn % 2, how_many(s)
    action = actions[player]
    if s.turn < 2:
        s.said[player] = action
    else:
        s.trade[player] = action - items
    s.turn += 1
    if s.turn == 4:
        first, second = s.items[0], s.items[1]
        match = s.trade[0] == items * first + second and s.trade[1] == items * second + first
        for k in range(2):
            rewards[k] = 1.0 if match else 0.0
            s.terminated[k] = 1


@kernel
def observe(s, agent, out):
    items = how_many(s)
    out[0] = s.items[agent]
    for k in range(2):
        word = s.said[agent if k == 0 else 1 - agent]
        out[1 + k] = items if word == NONE else word


@kernel
def legal(s, agent, mask):
    if s.turn < 4 and s.turn % 2 == agent:
        items = how_many(s)
        for action in range(mask.shape[0]):
            mask[action] = (action < items) == (s.turn < 2)


@kernel
def guess(s, agent):
    """Draw the other's item again, and its trade if it has named one: every one with the same probability."""
    items = how_many(s)
    s.items[1 - agent] = randint(s, items)
    if s.trade[1 - agent] != NONE:
        s.trade[1 - agent] = randint(s, items * items)


PAGE = Page(
    role="You and {others} are traders who want to swap what they hold.",
    goal="If your trades match, both of you are paid 1, otherwise both 0.",
    rules=(
        "Each of you is dealt one item by chance, item 0 to item {last}. You may both hold the same item.",
        "player_0 begins. First player_0 says one of {items} symbols, 0 to {last}, and then player_1 does. The "
        "symbols have no meaning but the one that you two give them. Then player_0 names a trade, and after it "
        "player_1: an item to give for an item to get. The trades match if each player names the item that it holds "
        "as the one to give, and the item that the other holds as the one to get.",
    ),
    sees=(
        "You see your own item and hear both symbols. You do not see the other player's item, nor the trade that it "
        "names before yours."
    ),
    acts={
        "say {N}": "say the symbol N, in your first turn",
        "trade {N} for {M}": "name a trade that gives item N for item M, in your second turn",
    },
    ends="It is over after both trades.",
    constants={"0": "the lowest item, and the reward without a match", "1": "the reward of a match", "two": "players"},
)


class TradeComm(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    turns = "sequential"
    utility = "identical"
    paid_at_end = True
    kind = ("bargaining",)
    talk_forbidden = "the game is about finding a language, so players have no other"
    verified = "OpenSpiel, move by move; its trees and information sets"
    variants = (dict(items=3),)
    shown = "honest"
    level_fields = ("items",)
    player_page = PAGE

    def __init__(self, items: Annotated[int, Between(2, 12)] = 10):
        self.define(
            agents=["player_0", "player_1"],
            actions=[
                *(f"say {k}" for k in range(items)),
                *(f"trade {give} for {get}" for give in range(items) for get in range(items)),
            ],
            observation=Box(0, items, (3,), np.int8),
            fields=fields(items),
            params={"items": items},
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        made = [*s.said, *s.trade]
        if [k == NONE for k in made] != [k >= s.turn for k in range(4)]:
            return "turn does not go with symbols and trades"
        return "the game is over" if s.turn == 4 and not s.terminated[0] else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"last": s.params.items - 1}

    def text(self, s: Any, agent: int) -> str:
        lines = [f"You hold item {s.items[agent]}."]
        for player in range(2):
            if s.said[player] != NONE:
                lines.append(f"{'You' if player == agent else 'The other player'} said {s.said[player]}.")
        if s.trade[agent] != NONE:
            lines.append(f"You named: {self.named(s, agent)}.")
        if s.turn == 4:
            lines.append(f"The other player, who held item {s.items[1 - agent]}, named: {self.named(s, 1 - agent)}.")
        elif s.turn % 2 != agent:
            lines.append("It is the other player's turn.")
        else:
            lines.append("Say a symbol." if s.turn < 2 else "Name a trade: what you give for what you get.")
        return "\n".join(lines)

    def named(self, s: Any, player: int) -> str:
        """A player's trade in words."""
        return self.action_names[player][int(s.params.items + s.trade[player])]

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(8, 4.6)
        over = s.turn == 4
        for player in range(2):
            x = 0.3 + 3.8 * player
            scene.add(Rect(x, 0.3, 3.6, 3.6, "panel", agent_color(player), 0.06, 0.3))
            scene.add(Label(x + 1.8, 0.8, f"player {player}", 0.36, "muted"))
            item = str(s.items[player]) if over or agent in (None, player) else "?"
            scene.add(Label(x + 1.8, 1.65, item, 0.9, "ink", bold=True))
            said = "" if s.said[player] == NONE else f"says {s.said[player]}"
            scene.add(Label(x + 1.8, 2.6, said, 0.42, "ink"))
            open_ = over or agent in (None, player)
            trade = "" if s.trade[player] == NONE else self.named(s, player) if open_ else "has named a trade"
            scene.add(Label(x + 1.8, 3.3, trade, 0.38, "ink"))
        items = int(s.params.items)
        match = over and s.trade[0] == items * s.items[0] + s.items[1] and s.trade[1] == items * s.items[1] + s.items[0]
        footer(scene, "items", "" if not over else "the trades match" if match else "the trades do not match")
        return scene


env, raw_env, parallel_env = pettingzoo_forms(TradeComm)
