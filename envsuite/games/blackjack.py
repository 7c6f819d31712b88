"""Blackjack: draw cards against a dealer, to come closer to 21 than it does without going over.

**Rules.** Cards are drawn from a deck without end: 1 (an ace) to 9 with probability 1/13 each, and 10 with 4/13. A
card counts as much as it shows, but one ace counts 11 if the hand then stays at 21 or less; it is then called usable.
Dealer and agent begin with two cards each, and the agent sees the dealer's first one. The agent draws cards until it
stands, or goes over 21 and loses. Then the dealer draws until its hand is 17 or more. The higher hand wins; a dealer
over 21 loses.

An ace and a ten from the start are a natural. `naturals` says what it is worth:

- `plain`: as much as any other 21;
- `bonus`: an agent with a natural that wins gets 1.5;
- `first`: an agent with a natural wins against any hand of a dealer without one.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| hand | Box (3,) int8 | what the agent's cards count; the dealer's first card, 1 to 10; 1 with a usable ace |
| cards | Box (22,) int8 | the agent's cards, 0 after the last |

**Actions.** Discrete (2), both always legal.

| action | name |
|---|---|
| 0, 1 | `stand`, `draw` |

**Window.** The key s stands, and d draws.

**Rewards.** At the end 1 for a win, 0 for a draw and -1 for a loss; see above for naturals.

**Ends.** Terminates when the player stands or goes over 21.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `naturals` | "plain" | "plain", "bonus" or "first", see above |

**Level.** ``{"player": [10, 6], "dealer": [1, 7]}``: the first cards of both.

**Known values.** By dynamic programming, the best play earns -0.04656 on average; with "bonus" -0.02573, and with
"first" -0.04311. Random play earns -0.39590, standing from 17 on -0.07929, and standing from 20 on -0.35355.

**Differences.** The rules are those of Gymnasium's `Blackjack-v1`, where "bonus" is the setting `natural` and "first"
is `sab`.

- Its observation is the tuple of the three numbers of `hand`; `cards` is added, since texts and pictures show them.
- Both draw from a deck without end. OpenSpiel's `blackjack` deals 52 cards.

**Source.** Sutton and Barto, "Reinforcement Learning: An Introduction", 2018, example 5.1; Gymnasium 1.4,
`BlackjackEnv`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_numbers
from envsuite.core.page import Case, Page
from envsuite.core.ranges import limited, within
from envsuite.core.world import Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, card

STAND, DRAW = range(2)
PLAIN, BONUS, FIRST = range(3)
NATURALS = ("plain", "bonus", "first")

#: A dealer draws below this; a hand above the other is lost.
ENOUGH, LIMIT = 17, 21

#: The most cards of a hand: 21 aces and one more.
MOST = 22


def fields() -> list[tuple]:
    """The record's own fields."""
    card = within(np.int64, 0, 10)
    return [
        ("begin", within(np.int64, 1, 10), (4,)),  # two cards of the player and two of the dealer: the level
        ("player", card, (MOST,)),  # cards; 0 after the last
        ("dealer", card, (MOST,)),
        ("drawn", within(np.int64, 2, MOST)),  # number of the player's cards
        ("dealt", within(np.int64, 2, MOST)),  # number of the dealer's cards
    ]


@kernel
def draw(s):
    """A random card."""
    return min(1 + random.randint(s, 13), 10)


@kernel
def reset(s):
    for k in range(4):
        if s.level_given == 0:
            s.begin[k] = draw(s)
    for k in range(MOST):
        s.player[k] = s.begin[k] if k < 2 else 0
        s.dealer[k] = s.begin[2 + k] if k < 2 else 0
    s.drawn = 2
    s.dealt = 2


@kernel
def usable(cards):
    """Whether an ace counts 11."""
    total, aces = 0, 0
    for k in range(cards.shape[0]):
        total += cards[k]
        aces += cards[k] == 1
    return aces > 0 and total + 10 <= LIMIT


@kernel
def value(cards):
    """What a hand counts."""
    total = 10 if usable(cards) else 0
    for k in range(cards.shape[0]):
        total += cards[k]
    return total


@kernel
def natural(cards, count):
    """Whether a hand is an ace and a ten from the start."""
    return count == 2 and value(cards) == LIMIT


@kernel
def step(s, actions, rewards):
    if actions[0] == DRAW:
        s.player[min(s.drawn, MOST - 1)] = draw(s)
        s.drawn = min(s.drawn + 1, MOST)
        if value(s.player) > LIMIT:
            rewards[0] = -1.0
            s.terminated[0] = 1
        return
    while value(s.dealer) < ENOUGH and s.dealt < MOST:
        s.dealer[s.dealt] = draw(s)
        s.dealt += 1
    mine, its = value(s.player), value(s.dealer)
    won = its > LIMIT or mine > its
    rewards[0] = 1.0 if won else 0.0 if mine == its else -1.0
    if natural(s.player, s.drawn):
        if s.params.naturals == FIRST and not natural(s.dealer, s.dealt):
            rewards[0] = 1.0
        elif s.params.naturals == BONUS and won:
            rewards[0] = 1.5
    s.terminated[0] = 1


@kernel
def observe(s, agent, out):
    out.hand[0] = value(s.player)
    out.hand[1] = s.dealer[0]
    out.hand[2] = usable(s.player)
    for k in range(MOST):
        out.cards[k] = s.player[k]


@kernel
def guess(s, agent):
    """Draw the dealer's hidden card, until the player stands."""
    if s.dealt == 2 and not s.terminated[0]:
        s.dealer[1] = draw(s)


PAGE = Page(
    role="You play one hand of Blackjack against a dealer.",
    goal=(
        "A win pays you +1, a draw 0, and a loss -1. An ace and a 10 as your first two cards are a natural.",
        Case(
            "naturals",
            {
                "plain": "It is worth no more than any other 21.",
                "bonus": "If you win with a natural, you are paid +1.5.",
                "first": "With a natural you win unless the dealer has a natural too, which makes a draw.",
            },
        ),
    ),
    rules=(
        "Each card is drawn from a deck without end. It is an ace, or a 2 to 9, with probability 1/13 each, or a 10 "
        "with probability 4/13. A card counts what it shows, and an ace counts 1; but one ace of a hand counts 11 as "
        "long as the hand then counts 21 or less. Such an ace is called usable.",
        "You and the dealer begin with two cards each. You draw cards, one at a time, until you stand. If your hand "
        "counts more than 21, you lose at once. When you stand, the dealer draws until its hand counts 17 or more. If "
        "it counts more than 21, you win. Otherwise the higher hand wins, and equal hands are a draw.",
    ),
    sees="You see your own cards and the dealer's first card.",
    acts={"draw": "take another card", "stand": "take no more cards"},
    ends="The game is over when you stand or your hand counts more than 21.",
    constants={
        "1": "a reward, an ace, and a probability",
        "1.5": "the reward of a natural",
        "0": "the reward of a draw",
        "2": "a card",
        "4": "a probability",
        "9": "a card",
        "10": "a card",
        "11": "an ace",
        "13": "a probability",
        "17": "the dealer's limit",
        "21": "the best hand",
        "two": "first cards",
    },
)


class Blackjack(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    guess = guess
    turns = "sequential"
    masked = False
    paid_at_end = True
    kind = ("cards",)
    verified = "Gymnasium's Blackjack-v1 in lock-step; exact values by dynamic programming"
    variants = (dict(naturals="bonus"), dict(naturals="first"))
    shown = "basic"
    clickable = "(?!)"
    keys = {"s": "stand", "d": "draw"}
    player_page = PAGE

    def __init__(self, naturals: Literal["plain", "bonus", "first"] = "plain"):
        self.define(
            agents=["agent"],
            actions=["stand", "draw"],
            observation=Dict(
                hand=Box(np.array([4, 1, 0], np.int8), np.array([31, 10, 1], np.int8), (3,), np.int8),
                cards=Box(0, 10, (MOST,), np.int8),
            ),
            fields=fields(),
            params={"naturals": limited(NATURALS.index(naturals), PLAIN, FIRST)},
            reward_range=(-1.0, 1.5),
        )

    def contradiction(self, s: Any) -> str | None:
        for hand, count in ((s.player, s.drawn), (s.dealer, s.dealt)):
            if ((hand > 0) != (np.arange(MOST) < count)).any():
                return "a hand and its number of cards differ"
            if value(hand[: count - 1]) > LIMIT:
                return "nobody draws with more than 21"
        return "more than 21 ends the episode" if value(s.player) > LIMIT and not s.terminated[0] else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "player", "dealer")
        for name, hand in (("player", s.begin[:2]), ("dealer", s.begin[2:])):
            hand[:] = read_numbers(level[name], f"{self.id}: the level's {name}", (2,), 1, 10, whole=True)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"player": s.begin[:2].tolist(), "dealer": s.begin[2:].tolist()}

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent).hand
        hand = ", ".join(_name(card) for card in s.player[: s.drawn])
        ace = ", with a usable ace" if seen[2] else ""
        lines = [f"Your cards: {hand}. They count {seen[0]}{ace}."]
        if s.terminated[0]:
            other = ", ".join(_name(card) for card in s.dealer[: s.dealt])
            return "\n".join([*lines, f"The dealer's cards: {other}. They count {value(s.dealer)}.", "It is over."])
        return "\n".join([*lines, f"The dealer shows {_name(seen[1])}."])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(14, 10)
        open_ = agent is None or bool(s.terminated[0])
        scene.add(Rect(0.4, 1.5, 13.2, 8.1, "leaf", radius=0.4))
        scene.add(Label(0.5, 0.8, "Blackjack", 0.65, align="left", bold=True))
        rows = (("dealer", s.dealer, int(s.dealt), 3.5), ("agent", s.player, int(s.drawn), 7.5))
        for name, hand, count, y in rows:
            step = min(1.6, 9.2 / count)
            for k in range(count):
                shown = open_ or name == "agent" or k == 0
                scene.add(*card(3.4 + step * k, y, _name(hand[k]) if shown else "", shown))
            scene.add(Label(0.9, y - 0.3, name, 0.45, "white", "left"))
            total = str(value(hand)) if open_ or name == "agent" else "?"
            scene.add(Label(0.9, y + 0.5, total, 0.8, "white", "left", bold=True))
        if s.terminated[0]:
            scene.add(Label(13.5, 0.8, "over", 0.5, "muted", "right"))
        return scene


def _name(card: Any) -> str:
    return "A" if card == 1 else str(int(card))


env, raw_env, parallel_env = pettingzoo_forms(Blackjack)
