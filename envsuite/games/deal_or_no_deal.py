"""DealOrNoDeal: two players with private values divide books, hats and balls by offers in turn.

**Rules.** A pool of five to seven items, at least one of each of three kinds, is to be divided. An item's value to a
player is a private whole number. All items together are worth 10 to each player, every kind is worth something to
somebody, and some kind is worth something to both. Pool and values are drawn uniformly from all 5,793 such instances.

Players offer divisions in turn, or agree to the last offer. An offer says what its maker would keep. Without agreement
after `horizon` offers both get nothing. With `end_probability`, chance may end the game so after each offer from the
second on. Each move from the third on multiplies what the players will get by `discount`.

**Agents.** `player_0` makes the first offer, then `player_1`. Seats are fixed.

**Observation.** Dict. Kinds are in the order books, hats, balls.

| part | space | content |
|---|---|---|
| pool | Box (3,) int8 | how many of each kind there are |
| values | Box (3,) int8 | what one of each kind is worth to the agent |
| offers | Box (horizon, 3) int8 | what the maker of each offer would keep; -1 for later ones |

**Actions.** Discrete (121). Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| 0 to 119 | `keep 0 0 0`, `keep 1 0 0`, ...: offer to keep that many books, hats and balls | if the pool has as many |
| 120 | `agree` | after an offer |

**Window.** The key a agrees.

**Rewards.** At the end, the value of what a player gets, from 0 to 10, times the discount.

**Ends.** Terminates with an agreement, after the last offer, or by chance.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `horizon` | 10 | the most offers, from 1 to 20 |
| `discount` | 1.0 | factor for each move from the third on, from 0 to 1 |
| `end_probability` | 0.0 | the probability that chance ends the game after an offer from the second on, from 0 to 1 |

**Level.** ``{"pool": [1, 2, 3], "values": [[8, 1, 0], [4, 0, 2]]}``: one of the instances.

**Known values.** Of all instances, the best division earns both together 15.0637 on average, and from 10 to 19; the
best product of what the two get is 55.660 on average. Uniformly random play earns 1.734 and 1.717 (standard error
0.022) in 8.516 moves (OpenSpiel, on its 1,000 instances).

**Differences.** From OpenSpiel's `bargaining`:

- There, instances are drawn from a fixed list of 1,000 of the 5,793.
- In the data of Lewis et al. the players talk in English; here, as there, only offers remain. Free talk
  (`envsuite.talk`) lets players say words beside them.

**Source.** Lewis et al., "Deal or no deal? End-to-end learning for negotiation dialogues", 2017; OpenSpiel
`bargaining`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import product
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, footer
from envsuite.render.theme import agent_color

KINDS = ("books", "hats", "balls")
TOTAL, FEWEST, MOST = 10, 5, 7
NONE = -1

#: What an offer keeps of each kind, for each action but the last.
OFFERS = np.array([(a, b, c) for c, b, a in product(range(MOST + 1), repeat=3) if a + b + c <= MOST], np.int8)
AGREE = len(OFFERS)


def instances() -> np.ndarray:
    """All instances (5793, 9): the pool, and both players' values."""
    found = []
    for pool in product(range(1, MOST), repeat=3):
        if FEWEST <= sum(pool) <= MOST:
            fits = [v for v in product(range(TOTAL + 1), repeat=3) if sum(map(int.__mul__, v, pool)) == TOTAL]
            for one, two in product(fits, fits):
                if all(a + b for a, b in zip(one, two)) and any(a * b for a, b in zip(one, two)):
                    found.append((*pool, *one, *two))
    return np.array(found, np.int8)


INSTANCES = instances()


def fields(horizon: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("pool", within(np.int64, 1, MOST), (3,)),  # the level, with the values
        ("values", within(np.int64, 0, TOTAL), (2, 3)),
        ("made", within(np.int64, 0, horizon)),  # offers so far
        ("offers", below(np.int64, AGREE), (horizon,)),  # their actions; those not yet made are 0
        ("agreed", within(np.int64, 0, 1)),  # whether the last offer was agreed to
        ("factor", within(np.float64, 0.0, 1.0)),  # the discount so far
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        chosen = randint(s, INSTANCES.shape[0])
        for k in range(3):
            s.pool[k] = INSTANCES[chosen, k]
            s.values[0, k] = INSTANCES[chosen, 3 + k]
            s.values[1, k] = INSTANCES[chosen, 6 + k]
    s.made = 0
    fill(s.offers, 0)
    s.agreed = 0
    s.factor = 1.0


@kernel
def share(s, player):
    """What a player gets if the last offer is agreed to."""
    maker = (s.made - 1) % 2
    total = 0
    for k in range(3):
        kept = OFFERS[s.offers[s.made - 1], k]
        total += s.values[player, k] * (kept if player == maker else s.pool[k] - kept)
    return total


@kernel
def step(s, actions, rewards):
    action = actions[s.made % 2]
    if s.made >= 2:
        s.factor *= s.params.discount
    if action == AGREE:
        s.agreed = 1
        for k in range(2):
            rewards[k] = s.factor * share(s, k)
    else:
        s.offers[s.made] = action
        s.made += 1
    over = s.agreed == 1 or s.made == s.offers.shape[0]
    if s.agreed == 0 and s.made >= 2 and s.params.end_probability > 0.0:
        over = bernoulli(s, s.params.end_probability) or over
    s.terminated[0] = over
    s.terminated[1] = over


@kernel
def observe(s, agent, out):
    for k in range(3):
        out.pool[k] = s.pool[k]
        out.values[k] = s.values[agent, k]
    for i in range(s.offers.shape[0]):
        for k in range(3):
            out.offers[i, k] = OFFERS[s.offers[i], k] if i < s.made else NONE


@kernel
def legal(s, agent, mask):
    if s.made % 2 == agent:
        for action in range(AGREE):
            fits = True
            for k in range(3):
                fits = fits and OFFERS[action, k] <= s.pool[k]
            mask[action] = fits
        mask[AGREE] = s.made > 0


@kernel
def guess(s, agent):
    """Draw the other's values again, from all instances with this pool and the agent's values."""
    chosen, count = -1, 0
    for i in range(INSTANCES.shape[0]):
        fits = True
        for k in range(3):
            fits = fits and INSTANCES[i, k] == s.pool[k] and INSTANCES[i, 3 + 3 * agent + k] == s.values[agent, k]
        if fits:
            count += 1
            if randint(s, count) == 0:
                chosen = i
    for k in range(3):
        s.values[1 - agent, k] = INSTANCES[chosen, 6 - 3 * agent + k]


PAGE = Page(
    role="You and {others} divide books, hats and balls between you.",
    goal=(
        "If you both agree, you are paid what the things that you get are worth to you",
        When("shrinks", "in points, less what the time has cost (see below).", "in points."),
        "Without an agreement both of you get 0.",
    ),
    rules=(
        "There are {fewest} to {most} things, at least one of each kind. To you each kind has a value, a whole number "
        "that may be 0, and all the things together are worth {total} to you. They are worth {total} to {others} too, "
        "but the values of the single kinds may be different. Each kind is worth something to at least one of you, and "
        "one kind or more to both. All deals that fit this are equally likely.",
        (
            "You take turns; player_0 begins. In your turn you offer a division or agree to the other player's last "
            "offer, which settles it. An offer replaces the one before it.",
            When(
                "shrinks",
                "From the third turn on, each turn, also one in which a player agrees, multiplies what both of you "
                "will get by {discount}.",
            ),
        ),
    ),
    sees="You see what there is to divide, all offers and your own values. You do not see the values of {others}.",
    acts={
        "keep {BOOKS} {HATS} {BALLS}": (
            "offer to keep that many books, hats and balls and to leave the rest to {others}"
        ),
        "agree": "accept the last offer of {others}",
    },
    ends=(
        "It is over when one of you agrees, or after {horizon:offer}. The last offer can no longer be accepted.",
        When(
            "end_probability",
            "It may also end without an agreement after any offer from the second on, each time with a probability of "
            "{end_probability}.",
        ),
    ),
    constants={"0": "the reward without agreement, and the least value", "third": "the first turn that is discounted"},
)


#: What policies say beside their offers.
PHRASES = {
    "keep {} {} {}": (
        "I would keep {0} of the books, {1} of the hats and {2} of the balls.",
        "Books {0}, hats {1}, balls {2} for me, and the rest is yours.",
        "How about {0} of the books, {1} of the hats and {2} of the balls for me?",
        "Let me have {0} of the books, {1} of the hats and {2} of the balls.",
        "My offer: {0} of the books, {1} of the hats and {2} of the balls go to me.",
    ),
    "agree": ("Deal.", "That works for me.", "I agree to that.", "Yes, let us do it that way.", "Fine, I take it."),
}


class DealOrNoDeal(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    turns = "sequential"
    paid_at_end = True
    kind = ("bargaining",)
    verified = "OpenSpiel, move by move; 5,793 instances, their best welfare and products"
    variants = (dict(horizon=4, discount=0.9, end_probability=0.2),)
    shown = "conceder"
    keys = {"a": "agree"}
    clickable = "(?!)"
    level_fields = ("pool", "values")
    player_page = PAGE
    phrases = PHRASES

    def __init__(
        self,
        horizon: Annotated[int, Horizon(1, 20)] = 10,
        discount: Annotated[float, Between(0, 1)] = 1.0,
        end_probability: Annotated[float, Between(0, 1)] = 0.0,
    ):
        self.define(
            agents=["player_0", "player_1"],
            actions=[*(f"keep {a} {b} {c}" for a, b, c in OFFERS), "agree"],
            observation=Dict(
                {
                    "pool": Box(1, MOST, (3,), np.int8),
                    "values": Box(0, TOTAL, (3,), np.int8),
                    "offers": Box(NONE, MOST, (horizon, 3), np.int8),
                }
            ),
            fields=fields(horizon),
            params={"discount": discount, "end_probability": end_probability},
            reward_range=(0.0, float(TOTAL)),
        )

    def understand(self, s: Any, agent: int, text: str) -> int | None:
        """The offer in which kinds are named, in any order; what is not named is left to the other."""
        named = re.findall(r"(\d) (book|hat|ball)s?\b", text.lower())
        if not named or len({kind for _, kind in named}) < len(named):
            return None
        kept = {f"{kind}s": int(count) for count, kind in named}
        fits = (OFFERS == [kept.get(kind, 0) for kind in KINDS]).all(axis=1)
        return int(fits.argmax()) if fits.any() else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        given = np.concatenate([s.pool, s.values.reshape(-1)])
        if not (INSTANCES == given).all(axis=1).any():
            raise LevelError(f"{self.id}: {given.tolist()} is none of the {len(INSTANCES)} instances")

    def contradiction(self, s: Any) -> str | None:
        here = np.concatenate([s.pool, s.values.reshape(-1)])
        if not (INSTANCES == here).all(axis=1).any():
            return "pool and values are none of the instances"
        if (OFFERS[s.offers[: s.made]] > s.pool).any():
            return "an offer keeps more than there is"
        over = s.agreed or s.made == len(s.offers)
        return "the game is over" if over and not s.terminated[0] else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"shrinks": s.params.discount < 1, "fewest": FEWEST, "most": MOST, "total": TOTAL}

    def speech(self, s: Any, agent: int, action: int) -> Collection[int] | None:
        """Offers and the agreement; all of them bind."""
        return range(2) if s.made % 2 == agent else None

    def text(self, s: Any, agent: int) -> str:
        def count(numbers: Any) -> str:
            return ", ".join(f"{k} {kind[:-1] if k == 1 else kind}" for k, kind in zip(numbers, KINDS))

        lines = [
            f"To be divided: {count(s.pool)}.",
            "One is worth to you: " + ", ".join(f"{kind} {v}" for kind, v in zip(KINDS, s.values[agent])) + ".",
        ]
        for k in range(int(s.made)):
            maker = "You offered" if k % 2 == agent else "The other offered"
            kept = OFFERS[s.offers[k]]
            lines.append(f"{k + 1}. {maker} to keep {count(kept)}.")
        if s.agreed:
            lines.append(f"This was agreed to. You get {s.factor * share(s, agent):g}.")
        elif s.terminated[0]:
            lines.append("It is over without agreement.")
        elif s.made % 2 == agent:
            worth = f" The last offer is worth {share(s, agent)} to you." if s.made else ""
            lines.append(f"It is your turn: make an offer{' or agree' if s.made else ''}.{worth}")
        else:
            lines.append("It is the other player's turn.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        shown = max(int(s.made) - 8, 0)
        scene = Scene(10.4, 8.6)
        for k, kind in enumerate(("", *KINDS)):
            scene.add(Label(1.9 + 2.2 * k, 0.6, kind, 0.4, "muted"))
        rows = [("pool", s.pool, "ink", True)]
        for player in range(2):
            open_ = agent in (None, player) or bool(s.terminated[0])
            rows.append((f"values of player {player}", s.values[player], agent_color(player), open_))
        for i, (name, numbers, color, open_) in enumerate(rows):
            y = 1.2 + 0.62 * i
            scene.add(Rect(0.2, y - 0.27, 0.12, 0.54, color))
            scene.add(Label(0.5, y, name, 0.34, "ink", "left"))
            for k in range(3):
                scene.add(Label(4.1 + 2.2 * k, y, str(numbers[k]) if open_ else "?", 0.42, "ink", bold=i == 0))
        scene.add(Label(0.5, 3.1, "offers: what the maker would keep", 0.32, "muted", "left"))
        for i in range(shown, int(s.made)):
            y = 3.7 + 0.5 * (i - shown)
            scene.add(Rect(0.2, y - 0.22, 0.12, 0.44, agent_color(i % 2)))
            agreed = " · agreed" if s.agreed and i == s.made - 1 else ""
            scene.add(Label(0.5, y, f"{i + 1}. player {i % 2}{agreed}", 0.34, "ink", "left"))
            for k in range(3):
                scene.add(Label(4.1 + 2.2 * k, y, str(OFFERS[s.offers[i]][k]), 0.38, "ink"))
        if s.terminated[0]:
            note = f"{share(s, 0)} : {share(s, 1)}" if s.agreed else "no agreement"
        else:
            note = f"player {s.made % 2} moves"
        footer(scene, f"offer {min(int(s.made) + 1, len(s.offers))} of {len(s.offers)}", note)
        return scene


env, raw_env, parallel_env = pettingzoo_forms(DealOrNoDeal)
