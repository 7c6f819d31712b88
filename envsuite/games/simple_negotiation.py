"""Simple negotiation: two players swap wood for gold; the one with the larger gain in private value wins (SPIRAL).

**Rules.** Each player holds wood and gold. A unit of each has a value to the player, which the other does not know.
Players move in turn. A move is one of these:

- offer units of one good for units of the other;
- accept the other's standing offer, which swaps the goods at once;
- deny the other's standing offer;
- say which good the player prefers;
- pass.

At most one offer stands at a time. A new offer by either player replaces it. It stands through passing and talk until
it is accepted or denied. After `rounds` turns, each player's gain in holdings is counted by its own values. The player
with the larger gain wins; equal gains are a draw.

**Agents.** `player_0` moves first, then `player_1`. Seats are fixed.

**Observation.** Box (15,) int16.

| entries | content |
|---|---|
| 0, 1 | wood and gold of the agent |
| 2, 3 | wood and gold of the other |
| 4, 5 | what a unit of wood and of gold is worth to the agent |
| 6 | what the agent has gained so far |
| 7 | whose offer stands: 0 none, 1 the agent's, 2 the other's |
| 8, 9 | how much wood and gold the agent would get by it; negative if the agent would give |
| 10 | what the agent last said that it prefers: 0 nothing yet, 1 wood, 2 gold |
| 11 | the same for the other |
| 12 | the last move of either player: 0 none yet, 1 accept, 2 deny, 3 pass, 4 offer, 5 say |
| 13 | turns left, this one included |
| 14 | 1 if it is the agent's turn |

**Actions.** Discrete (5 + 2 L L) with L = `largest`, or (3 + 2 L L) without `talk`. Only the player to move has legal
actions.

| action | name | legal |
|---|---|---|
| 0 | `accept` | if the other's offer stands and the player has what it asks for |
| 1 | `deny` | if the other's offer stands |
| 2 | `pass` | always |
| 3 + (i - 1) L + j - 1 | `offer i wood for j gold` | if the player has i wood |
| 3 + L L + (i - 1) L + j - 1 | `offer i gold for j wood` | if the player has i gold |
| 3 + 2 L L, and the next | `say I prefer wood`, `say I prefer gold` | always, with `talk` |

**Window.** The keys a, d and p accept, deny and pass. The keys w and g say that the player prefers wood or gold.

**Rewards.** At the end, +1 to the winner and -1 to the loser, or 0 to both in a draw; 0 before.

**Ends.** Terminates after `rounds` turns.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `rounds` | 10 | turns of both players together, from 1 to 100 |
| `wood` | 10 | wood that each player holds at the start, from 0 to 20 |
| `gold` | 10 | gold that each player holds at the start, from 0 to 20 |
| `values` | "opposed" | 5 and 15 for `player_0`, 15 and 5 for `player_1`; or "random": each from 1 to 20 |
| `largest` | 10 | the most units of a good in an offer, from 1 to 20 |
| `talk` | True | whether players can say what they prefer |

**Level.** ``{"stock": [[10, 10], [10, 10]], "values": [[5, 15], [15, 5]]}``: wood and gold of both players, from 0 to
20 each, and what a unit of each is worth to them, from 1 to 40 each.

**Known values.** With opposed values, a swap of n wood of `player_0` for n gold gains 10 n for both players. They can
double what they hold and draw. The player that gets more units than it gives in the sum of all swaps wins. A player
that accepts nothing and offers nothing never loses. With random values, `mcts` with 1,000 simulations per turn wins 90
% of games against random play and loses 5 % (200 games).

**Differences.** From SPIRAL's environment, whose legal moves, holdings, offers and winners are equal:

- There, moves are free text. Its rules of offers, their standing, their coverage and the winner are used here.
- There, one message may accept an offer and make the next one. Here, a move does one thing, so this takes two turns.
- There, an offer may name both goods on each side ("3 Wood, 1 Gold -> 3 Gold"). Here, an offer is the net effect, one
  good for the other (3 wood for 2 gold). Bundles that are gifts are left out. With `largest` = 20, every such swap that
  a game from 10 and 10 can reach is available.
- Here, holdings are public. There, they follow from the start, which is equal for both, and from the trades.
- There, an illegal move is refused once; the next one loses the game. Here, it is an error, as everywhere in envsuite.

From TextArena's game of the same name (0.7.4):

- It has five goods and random holdings and values. This is not followed.
- Its denied offers can still be accepted later. This is not followed.

**Source.** Liu et al., "SPIRAL: Self-Play on Zero-Sum Games Incentivizes Reasoning", 2025, and its code,
spiral-rl/spiral, after Guertler et al., "TextArena", 2025.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.ranges import below, within
from envsuite.core.record import copied
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, speech
from envsuite.render.theme import agent_color

GOODS = ("wood", "gold")
WOOD, GOLD = range(2)
NOBODY = -1

#: The first actions. Offers start at OFFER; statements are at the end.
ACCEPT, DENY, PASS, OFFER = range(4)

#: The kinds of the last move; 0 before the first.
ACCEPTED, DENIED, PASSED, OFFERED, SAID = range(1, 6)

#: The statements of players, and their answers to an offer, in words.
STATEMENTS = tuple(f"I prefer {good}" for good in GOODS)
ANSWERS = {ACCEPTED: "accepted", DENIED: "denied"}

#: Values of wood and gold to both players.
OPPOSED = np.array([[5, 15], [15, 5]], np.int64)
DEAREST = 20

#: The most that a player may hold at the start, and the highest value.
MOST, HIGHEST = 20, 40

#: The entries of an observation.
(
    MY_STOCK, THEIR_STOCK, MY_VALUE, MY_GAIN, OFFER_BY, OFFER_NET, MY_WORD, THEIR_WORD, LAST, LEFT, MY_TURN,
) = (0, 2, 4, 6, 7, 8, 10, 11, 12, 13, 14)  # fmt: skip


def fields() -> list[tuple]:
    """The record; goods are in the order of `GOODS`."""
    amount, units = within(np.int64, 0, MOST), within(np.int64, 0, 2 * MOST)
    offer = [("by", within(np.int64, NOBODY, 1)), ("good", below(np.int64, 2)), ("give", amount), ("get", amount)]
    return [
        ("player", below(np.int64, 2)),  # whose turn it is
        ("stock", units, (2, 2)),  # the goods that each player holds
        ("offer", offer),  # the standing offer: by NOBODY, or `give` of the good for `get` of the other
        ("said", within(np.int64, 0, len(STATEMENTS)), (2,)),  # each player's last statement from 1, or 0
        ("last", within(np.int64, 0, SAID)),  # the kind of the last move: ACCEPTED and so on, or 0
        ("start", amount, (2, 2)),  # the goods that each player held at the start
        ("values", within(np.int64, 1, HIGHEST), (2, 2)),  # the value of a unit to each player
    ]


@kernel
def reset(s):
    for a in range(2):
        if not s.level_given:
            s.start[a, WOOD] = s.params.wood
            s.start[a, GOLD] = s.params.gold
            draw_values(s, a)
        for k in range(2):
            s.stock[a, k] = s.start[a, k]
        s.said[a] = 0
    s.player = 0
    s.last = 0
    withdraw(s)


@kernel
def draw_values(s, player):
    for k in range(2):
        s.values[player, k] = 1 + random.randint(s, DEAREST) if s.params.random_values else OPPOSED[player, k]


@kernel
def withdraw(s):
    """Remove the standing offer."""
    s.offer.by = NOBODY
    s.offer.good = WOOD
    s.offer.give = 0
    s.offer.get = 0


@kernel
def propose(s, player, number):
    """Make a player's offer with this number the standing one."""
    size = s.params.largest * s.params.largest
    s.offer.by = player
    s.offer.good = number // size
    s.offer.give = number % size // s.params.largest + 1
    s.offer.get = number % s.params.largest + 1


@kernel
def swap(s):
    """Carry out the standing offer."""
    by, other = s.offer.by, 1 - s.offer.by
    given, asked = s.offer.good, 1 - s.offer.good
    s.stock[by, given] -= s.offer.give
    s.stock[other, given] += s.offer.give
    s.stock[other, asked] -= s.offer.get
    s.stock[by, asked] += s.offer.get


@kernel
def gain(s, player):
    """The gain in value of a player's holdings, by its own values."""
    total = np.int64(0)
    for k in range(2):
        total += s.values[player, k] * (s.stock[player, k] - s.start[player, k])
    return total


@kernel
def step(s, actions, rewards):
    player = s.player
    action = actions[player]
    statements = OFFER + 2 * s.params.largest * s.params.largest
    if action == PASS:
        s.last = PASSED
    elif action == ACCEPT:
        swap(s)
        withdraw(s)
        s.last = ACCEPTED
    elif action == DENY:
        withdraw(s)
        s.last = DENIED
    elif action < statements:
        propose(s, player, action - OFFER)
        s.last = OFFERED
    else:
        s.said[player] = action - statements + 1
        s.last = SAID
    s.player = 1 - player
    if s.t >= s.params.rounds:
        difference = gain(s, 0) - gain(s, 1)
        rewards[0] = np.int64(difference > 0) - np.int64(difference < 0)
        rewards[1] = np.int64(difference < 0) - np.int64(difference > 0)
        s.terminated[0] = 1
        s.terminated[1] = 1


@kernel
def observe(s, agent, out):
    other = 1 - agent
    for k in range(2):
        out[MY_STOCK + k] = s.stock[agent, k]
        out[THEIR_STOCK + k] = s.stock[other, k]
        out[MY_VALUE + k] = s.values[agent, k]
    out[MY_GAIN] = gain(s, agent)
    mine = s.offer.by == agent
    out[OFFER_BY] = (s.offer.by != NOBODY) * (1 if mine else 2)
    out[OFFER_NET + s.offer.good] = -s.offer.give if mine else s.offer.give
    out[OFFER_NET + 1 - s.offer.good] = s.offer.get if mine else -s.offer.get
    out[MY_WORD] = s.said[agent]
    out[THEIR_WORD] = s.said[other]
    out[LAST] = s.last
    out[LEFT] = s.params.rounds - s.t
    out[MY_TURN] = s.player == agent


@kernel
def legal(s, agent, mask):
    if s.player != agent:
        return
    largest = s.params.largest
    size = largest * largest
    theirs = s.offer.by == 1 - agent
    mask[ACCEPT] = theirs and s.stock[agent, 1 - s.offer.good] >= s.offer.get
    mask[DENY] = theirs
    mask[PASS] = 1
    for good in range(2):  # offers are ordered by the amount given, so offers that the player can cover come first
        for number in range(min(s.stock[agent, good], largest) * largest):
            mask[OFFER + good * size + number] = 1
    for action in range(OFFER + 2 * size, mask.shape[0]):
        mask[action] = 1


@kernel
def guess(s, agent):
    """Draw or set the other's values by the rules, even if a level gave them."""
    draw_values(s, 1 - agent)


PAGE = Page(
    role="You trade wood and gold with {others}.",
    goal=(
        "At the end each player counts its gain: what it then holds less what it held at the start, each unit at its "
        "own values. The player with the larger gain wins and is paid +1, and the other one gets -1. If the gains are "
        "equal, it is a draw and both get 0."
    ),
    rules=(
        "A unit of wood and a unit of gold each have a value to you. {others} has values of its own, which you are "
        "not told, and is not told yours.",
        "You take turns; player_0 begins. An offer stands until the other player accepts or denies it, or until either "
        "of you makes a new one, which replaces it. You can only offer what you hold, and accept only if you hold what "
        "is asked for. No offer gives or asks for more than {largest:unit}.",
    ),
    sees=(
        "You see what both of you hold and the offer that stands, if there is one.",
        When("talk", "You also see what each of you last said."),
    ),
    acts={
        "offer {N} wood for {M} gold": "offer N units of your wood for M units of the other player's gold",
        "offer {N} gold for {M} wood": "offer N units of your gold for M units of the other player's wood",
        "accept": "accept the other player's offer; the goods are swapped at once",
        "deny": "turn the other player's offer down",
        "pass": "do nothing",
        ("say I prefer wood", "say I prefer gold"): When("talk", "tell the other player so, whether it is true or not"),
    },
    ends="It is over after {rounds:turn}, those of both players counted together.",
    unsaid={
        "wood": "each turn shows what both hold",
        "gold": "each turn shows what both hold",
        "values": "a player sees its own values; those of the other are part of what it must find out",
    },
    constants={"1": "the reward of a win, and of a loss", "0": "of a draw"},
)


#: What policies say in free talk.
PHRASES = {
    "accept": ("Deal.", "That works for me.", "I take it.", "Agreed, let us trade.", "Yes, let us do that."),
    "deny": ("No, thanks.", "I cannot take that.", "That is no good for me.", "I have to say no.", "No deal."),
    "offer {} for {}": (
        "I offer you {0} for {1}.",
        "How about {0} for {1}?",
        "I could give you {0} if I get {1}.",
        "You get {0}, I get {1}.",
        "Let us swap my {0} for your {1}.",
    ),
    "say I prefer {}": (
        "I like {0} better.",
        "To me {0} is worth more.",
        "I would rather have {0}.",
        "What I am after is {0}.",
        "{0} is what I need.",
    ),
}


class SimpleNegotiation(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    turns = "sequential"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("bargaining",)
    verified = "games recorded from TextArena"
    variants = (dict(values="random", largest=3, talk=False),)
    shown = "shrewd"
    keys = {"a": "accept", "d": "deny", "p": "pass", "w": "say I prefer wood", "g": "say I prefer gold"}
    level_fields = {"stock": "start", "values": "values"}
    player_page = PAGE
    neutral = "pass"
    phrases = PHRASES

    def __init__(
        self,
        rounds: Annotated[int, Horizon(1, 100)] = 10,
        wood: Annotated[int, Between(0, MOST)] = 10,
        gold: Annotated[int, Between(0, MOST)] = 10,
        values: Literal["opposed", "random"] = "opposed",
        largest: Annotated[int, Between(1, MOST)] = 10,
        talk: bool = True,
    ):
        amounts = range(1, largest + 1)
        offers = [
            f"offer {give} {good} for {get} {GOODS[1 - k]}"
            for k, good in enumerate(GOODS)
            for give in amounts
            for get in amounts
        ]
        statements = [f"say {statement}" for statement in STATEMENTS] if talk else []
        bound = 2 * MOST * HIGHEST  # of a gain: the largest possible amount of one good
        low = [0] * 4 + [1] * 2 + [-bound, 0] + [-largest] * 2 + [0] * 5
        high = [2 * MOST] * 4 + [HIGHEST] * 2 + [bound, 2] + [largest] * 2 + [2, 2, SAID, rounds, 1]
        self.define(
            agents=["player_0", "player_1"],
            actions=["accept", "deny", "pass", *offers, *statements],
            observation=Box(np.array(low, np.int16), np.array(high, np.int16), (15,), np.int16),
            fields=fields(),
            params={
                "rounds": rounds, "wood": wood, "gold": gold, "random_values": values == "random", "largest": largest,
            },
            reward_range=(-1.0, 1.0),
        )  # fmt: skip

    def contradiction(self, s: Any) -> str | None:
        if s.t >= s.params.rounds + s.terminated[0]:
            return "all rounds have been played"
        if s.offer.by != NOBODY and s.stock[s.offer.by, s.offer.good] < s.offer.give:
            return "the offer is not covered"
        return None if (s.stock.sum(axis=0) == s.start.sum(axis=0)).all() else "goods have come or gone"

    def text(self, s: Any, agent: int) -> str:
        other = 1 - agent
        lines = [
            f"You hold {bundle(s.stock[agent])}; player_{other} holds {bundle(s.stock[other])}.",
            f"To you a unit of wood is worth {s.values[agent, WOOD]}, a unit of gold {s.values[agent, GOLD]}. "
            f"You have gained {gain(s, agent)}.",
        ]
        for a, word in enumerate(s.said):
            if word:
                lines.append(f"{'You' if a == agent else f'player_{other}'} last said: {STATEMENTS[word - 1]}.")
        if s.last in ANSWERS:
            who = "You" if s.player != agent else f"player_{other}"
            lines.append(f"{who} {ANSWERS[s.last]} the offer.")
        if s.t >= s.params.rounds:
            return "\n".join([*lines, f"The game is over: {self._result(s)}."])
        if s.offer.by != NOBODY:
            who = "You offer" if s.offer.by == agent else f"player_{other} offers"
            lines.append(f"{who} {self._offer(s)}.")
        else:
            lines.append("No offer stands.")
        turn = "It is your turn" if s.player == agent else f"It is the turn of player_{other}"
        return "\n".join([*lines, f"{turn}, number {s.t + 1} of {s.params.rounds}."])

    def speech(self, s: Any, agent: int, action: int) -> Collection[int] | None:
        return range(2) if s.player == agent else None

    def unspoken(self, s: Any) -> Any:
        """Offers and answers to them bind, so they are known."""
        quiet = copied(s)
        quiet.said[:] = 0
        return quiet

    def messages(self, s: Any) -> list[tuple[int, str]]:
        """The last move, unless it was a pass."""
        player = 1 - int(s.player)
        if s.last in ANSWERS:
            return [(player, f"{ANSWERS[s.last]} the offer")]
        if s.last == OFFERED:
            return [(player, f"offers {self._offer(s)}")]
        return [(player, STATEMENTS[s.said[player] - 1])] if s.last == SAID else []

    def _offer(self, s: Any) -> str:
        return f"{s.offer.give} {GOODS[s.offer.good]} for {s.offer.get} {GOODS[1 - s.offer.good]}"

    def _result(self, s: Any) -> str:
        """The winner. The two gains are left out because they would reveal the values."""
        difference = gain(s, 0) - gain(s, 1)
        return f"player_{int(difference < 0)} gained more and wins" if difference else "equal gains, a draw"

    # The picture: two stores with the offer between them.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """Both stores. For an agent, the other's values and gain are hidden."""
        scene = Scene(21, 12)
        over = s.t >= s.params.rounds
        title = self._result(s) if over else f"Turn {s.t + 1} of {s.params.rounds}"
        scene.add(Label(0.7, 0.8, title, 0.62, align="left", bold=True))
        for a in range(2):
            left = 0.5 + 13.4 * a
            if s.player == a and not over:
                scene.add(Rect(left - 0.13, 1.37, 6.86, 10.26, "highlight", radius=0.35))
            scene.add(Rect(left, 1.5, 6.6, 10, "panel", radius=0.25))
            scene.add(Circle(left + 0.6, 2.2, 0.24, agent_color(a)))
            scene.add(Label(left + 1.0, 2.2, f"player_{a}", 0.5, align="left", bold=True))
            seen = agent in (None, a)
            for k in range(2):
                self._draw_good(scene, s, a, k, left, 3.1 + 3.55 * k, seen)
            scene.add(Label(left + 0.5, 10.75, "gain", 0.44, "muted", "left"))
            number = int(gain(s, a))
            color = "good" if number > 0 else "bad" if number < 0 else "ink"
            scene.add(Label(left + 6.1, 10.75, f"{number:+d}" if seen else "?", 0.56, color, "right", bold=True))
            if s.said[a]:
                tip = 7.15 if a == 0 else 13.85
                scene.add(*speech(10.5, 2.2 + 1.05 * a, 4.6, 0.8, STATEMENTS[s.said[a] - 1],
                                  (tip, 2.2 + 1.05 * a), agent_color(a)))  # fmt: skip
        if s.offer.by != NOBODY:
            self._draw_offer(scene, s)
        elif not over:
            note = ANSWERS.get(int(s.last), "no offer stands")
            color = {ACCEPTED: "good", DENIED: "bad"}.get(int(s.last), "muted")
            scene.add(Label(10.5, 6.5, note, 0.5, color, bold=s.last in ANSWERS))
        return scene

    def _draw_good(self, scene: Scene, s: Any, a: int, k: int, left: float, top: float, seen: bool) -> None:
        number = int(s.stock[a, k])
        scene.add(Rect(left + 0.3, top, 6.0, 3.3, "paper", radius=0.2))
        scene.add(Label(left + 0.55, top + 0.5, f"{number} {GOODS[k]}", 0.5, align="left", bold=True))
        value = int(s.values[a, k]) if seen else "?"
        scene.add(Label(left + 6.05, top + 0.5, f"worth {value}", 0.42, "muted", "right"))
        for n in range(number):
            scene.add(*good(GOODS[k], left + 0.75 + 0.56 * (n % 10), top + 1.15 + 0.55 * (n // 10), 0.5))

    def _draw_offer(self, scene: Scene, s: Any) -> None:
        by = int(s.offer.by)
        color = agent_color(by)
        scene.add(Label(10.5, 4.6, f"player_{by} offers", 0.46, color, bold=True))
        moves = ((int(s.offer.give), int(s.offer.good), by), (int(s.offer.get), 1 - int(s.offer.good), 1 - by))
        for y, (number, k, source) in zip((5.9, 8.0), moves):
            ahead = 1 if source == 0 else -1
            tail, tip = 10.5 - 2.7 * ahead, 10.5 + 2.7 * ahead
            scene.add(Line([(tail, y + 0.75), (tip - 0.4 * ahead, y + 0.75)], color, 0.16))
            scene.add(Polygon([(tip, y + 0.75), (tip - 0.55 * ahead, y + 0.4), (tip - 0.55 * ahead, y + 1.1)], color))
            scene.add(Label(10.4, y, str(number), 0.7, align="right", bold=True))
            scene.add(*good(GOODS[k], 11.0, y, 0.8))


def bundle(stock: Any) -> str:
    """Holdings in words."""
    return " and ".join(f"{number} {name}" for number, name in zip(stock, GOODS))


def good(name: str, x: float, y: float, size: float) -> list[Shape]:
    """A log or a bar of gold."""
    if name == "wood":
        return [
            Rect(x - 0.42 * size, y - 0.26 * size, 0.8 * size, 0.52 * size, "brown", radius=0.24 * size, glyph="w"),
            Circle(x + 0.22 * size, y, 0.25 * size, "soil", "brown", 0.05 * size, glyph=""),
            Circle(x + 0.22 * size, y, 0.11 * size, None, "brown", 0.04 * size, glyph=""),
        ]
    left, right, top, bottom = x - 0.45 * size, x + 0.45 * size, y - 0.24 * size, y + 0.26 * size
    slope = 0.16 * size
    return [
        Polygon([(left + slope, top), (right - slope, top), (right, bottom), (left, bottom)], "gold", glyph="g"),
        Polygon([(left + slope, top), (right - slope, top), (right - 1.3 * slope, top + 0.7 * slope),
                 (left + 1.3 * slope, top + 0.7 * slope)], "yellow"),
    ]  # fmt: skip


env, raw_env, parallel_env = pettingzoo_forms(SimpleNegotiation)
