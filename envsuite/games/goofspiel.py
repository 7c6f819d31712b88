"""Goofspiel, the game of pure strategy, for 2 to 10 players, with open or hidden bids and three rules for ties.

**Rules.** Every player has a hand of cards from 1 to `cards`. Another such suit holds the prizes. In each round a prize
is turned up, and all players bid a card for it at the same time. The highest bid wins the prize's points. Each card can
be bid once. If several players have made the highest bid, `ties` decides what happens to the prize:

| ties | the prize |
|---|---|
| discard | is discarded |
| carry | is carried over to the next round, in which both prizes are at stake; after the last round nobody gets it |
| split | is split equally among these players |

**Agents.** `player_0`, `player_1` and so on. All act in every round.

**Observation.** Dict. Players are listed by seat, starting with the observing agent.

| part | space | content |
|---|---|---|
| prizes | Box (cards,) int8 | the prize of each round, the current one included; 0 for later rounds |
| stake | Box (1,) float32 | the points at stake in this round |
| points | Box (players,) float32 | the points that each player has won |
| wins | Box (players, cards) int8 | 1 where a player won the prize of a round, or a share of it |
| hands | Box (players, cards) int8 | 1 for the cards in each player's hand |
| bids | Box (players, cards) int8 | each player's bid in each round; 0 for later rounds |

With `hidden_bids`, the hands and bids of the other players are all zero; only `points` and `wins` show how they bid.

**Actions.** Discrete (cards).

| action | name | legal |
|---|---|---|
| c - 1 | `bid c` | if card c is in the player's hand |

**Window.** A click on a card of the own hand bids it. The keys 1 to 9 and 0 bid 1 to 10; the keys q to p of the top row
of letters bid 11 to 20.

**Rewards.** At the end; 0 before. `returns_type` chooses the reward:

| returns_type | reward |
|---|---|
| win_loss | the players with the most points share +1, the others share -1; 0 for all if all have equal points |
| point_difference | the player's points minus the average of all players |
| total_points | the player's points |

**Ends.** Terminates after cards - 1 transitions. In the last round players have no choice, so it is played at once.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 2 | number of players, from 2 to 10 |
| `cards` | 13 | cards of each player and number of prizes, from 2 to 20 |
| `points_order` | "random" | order of the prizes: "random", "ascending" or "descending" |
| `hidden_bids` | False | whether the bids of the other players are hidden |
| `returns_type` | "win_loss" | "win_loss", "point_difference" or "total_points", see the rewards |
| `ties` | "discard" | "discard", "carry" or "split", see the rules |

**Level.** ``{"prizes": [5, 1]}``: the first prizes, at least one. The others follow in the world's order.

**Known values.** The value is 0 for all players, by symmetry. The game of 4 cards in descending order has 576 courses,
and with hidden bids 81 information sets for each player (OpenSpiel).

Bidding the prize's own number is the best reply to a random player (Ross, 1971). With 13 cards it wins 56 points to 28
on average: the sum of v (v - 1) / 13 over the prizes v. With hidden bids, `mcts` wins 82 % of games against random play
with 300 simulations per bid and 92 % with 2,000; it wins 19 % against `matching` (200 and more games).

**Differences.** From OpenSpiel's `goofspiel` with "discard", whose legal actions, rewards and ends are equal:

- The observation contains its information state, with numbers in place of one-hot codes.
- Winners are relative to the observer, as with its option `egocentric`.
- The observation also has the stake and, with open bids, the bids and winners of past rounds.
- Games with fewer rounds than cards are left out.

**Source.** Ross, "Goofspiel: The Game of Pure Strategy", 1971; OpenSpiel `goofspiel`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.ranges import among, flag, free, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import cards as deck
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene, card
from envsuite.render.theme import agent_color

ORDERS = ("random", "ascending", "descending")
RETURNS = ("win_loss", "point_difference", "total_points")
TIES = ("discard", "carry", "split")
RANDOM, ASCENDING, DESCENDING = range(3)
WIN_LOSS, POINT_DIFFERENCE, TOTAL_POINTS = range(3)
DISCARD, CARRY, SPLIT = range(3)

#: The fate of a card of one of two players.
HELD, WON, LOST, TIED = range(4)

#: Points are stored in fractions of 1/2520, because up to ten players can then split any prize exactly.
PARTS = 2520

#: Width of a column of the picture, and the left edge of the first column.
COLUMN, LEFT = 0.95, 4.3


def fields(players: int, cards: int) -> list[tuple]:
    """The record; points are in units of 1 / `PARTS`."""
    card, points = within(np.int8, 0, cards), within(np.int64, 0, PARTS * cards * (cards + 1) // 2)
    return [
        ("order", within(np.int64, 1, cards), (cards,)),  # the prizes of past rounds, the current round, later rounds
        ("given", within(np.int64, 1, cards)),  # the number of prizes that were fixed at the start
        ("rounds", within(np.int64, 0, cards)),  # rounds that are over
        ("stake", points),  # points at stake in this round
        ("points", points, (players,)),  # what each player has won
        ("hands", flag(np.int8), (players, cards)),  # 1 for the cards that a player holds
        ("bids", card, (players, cards)),  # each player's bid in each round, 0 for later rounds
        ("wins", flag(np.int8), (players, cards)),  # 1 where a player won the prize of a round, or a share
        ("prizes", card, (cards,)),  # prizes that are turned up, 0 for later rounds
        ("ways", free(np.float64), (cards + 1,)),  # scratch space of `guess`
    ]


@kernel
def reset(s):
    players, cards = s.hands.shape
    if not s.level_given:
        for k in range(cards):
            s.order[k] = cards - k if s.params.points_order == DESCENDING else k + 1
        if s.params.points_order == RANDOM:
            deck.draw(s, s.order, 0)
            s.given = 1
        else:
            s.given = cards
    for k in range(players):
        s.points[k] = 0
        for c in range(cards):
            s.hands[k, c] = 1
            s.bids[k, c] = 0
            s.wins[k, c] = 0
    fill(s.prizes, 0)
    s.prizes[0] = s.order[0]
    s.rounds = 0
    s.stake = PARTS * s.order[0]


@kernel
def step(s, actions, rewards):
    players, cards = s.hands.shape
    for k in range(players):
        bid(s, k, actions[k])
    settle(s)
    if s.rounds == cards - 1:
        for k in range(players):
            last = 0
            for c in range(cards):
                last += c * s.hands[k, c]
            bid(s, k, last)
        settle(s)
        pay(s, rewards)


@kernel
def bid(s, player, index):
    s.hands[player, index] = 0
    s.bids[player, s.rounds] = index + 1


@kernel
def settle(s):
    """Give the prize to the highest bid, or apply the rule for ties, and turn up the next prize."""
    players, cards = s.hands.shape
    highest = 0
    count = 1
    for k in range(players):
        offer = s.bids[k, s.rounds]
        if offer > highest:
            highest = offer
            count = 1
        elif offer == highest:
            count += 1
    if count == 1 or s.params.ties == SPLIT:
        for k in range(players):
            if s.bids[k, s.rounds] == highest:
                s.points[k] += s.stake // count
                s.wins[k, s.rounds] = 1
    s.rounds += 1
    if count == 1 or s.params.ties != CARRY or s.rounds == cards:
        s.stake = 0
    if s.rounds < cards:
        if s.rounds >= s.given:
            deck.draw(s, s.order, s.rounds)
        s.prizes[s.rounds] = s.order[s.rounds]
        s.stake += PARTS * s.order[s.rounds]


@kernel
def pay(s, rewards):
    players = s.points.shape[0]
    most = 0
    total = 0
    for k in range(players):
        most = max(most, s.points[k])
        total += s.points[k]
    winners = 0
    for k in range(players):
        winners += s.points[k] == most
    for k in range(players):
        s.terminated[k] = 1
        if s.params.returns_type == WIN_LOSS:
            if winners < players:
                rewards[k] = 1.0 / winners if s.points[k] == most else -1.0 / (players - winners)
        elif s.params.returns_type == POINT_DIFFERENCE:
            rewards[k] = s.points[k] / PARTS - total / PARTS / players
        else:
            rewards[k] = s.points[k] / PARTS


@kernel
def observe(s, agent, out):
    players, cards = s.hands.shape
    out.stake[0] = s.stake / PARTS
    for c in range(cards):
        out.prizes[c] = s.prizes[c]
    for j in range(players):
        k = np.uint64(agent + j if agent + j < players else agent + j - players)
        out.points[j] = s.points[k] / PARTS
        for c in range(cards):  # separate loops, which the compiler turns into wide copies
            out.wins[j, c] = s.wins[k, c]
        if j == 0 or s.params.hidden_bids == 0:
            for c in range(cards):
                out.hands[j, c] = s.hands[k, c]
            for c in range(cards):
                out.bids[j, c] = s.bids[k, c]
        else:
            for c in range(cards):
                out.hands[j, c] = 0
            for c in range(cards):
                out.bids[j, c] = 0


@kernel
def legal(s, agent, mask):
    for c in range(mask.shape[0]):
        mask[c] = s.hands[np.uint64(agent), c]


@large_kernel
def guess(s, agent):
    """Draw the hidden bids of the other of two players, uniformly among all bids that fit the winners of the prizes.

    The other's bid was below the agent's in a round that it lost, above in a round that it won, and equal in a tie. Its
    cards are dealt from the lowest. Each card goes into the hand or to a round that it won over a lower card, with
    probabilities in proportion to the ways to complete the deal. If the agent's card of the same number won its round,
    the other's bid in that round is one of the lower cards in the hand. Random prizes of later rounds are drawn when
    they are turned up, even if a level gave them.
    """
    cards = s.order.shape[0]
    if s.params.points_order == RANDOM:
        s.given = min(s.given, s.rounds + 1)
    if s.params.hidden_bids == 0:
        return
    other = 1 - agent
    for c in range(cards):
        s.bids[other, c] = 0
        s.hands[other, c] = 0
    held = 0
    wanting = 0
    for c in range(1, cards + 1):
        result, place = fate(s, agent, c)
        if result == WON:
            chosen = random.randint(s, held)
            for lower in range(c - 1):
                chosen -= s.hands[other, lower]
                if chosen < 0:
                    s.hands[other, lower] = 0
                    s.bids[other, place] = lower + 1
                    break
            held -= 1
        if result == TIED:
            s.bids[other, place] = c
        elif wanting > 0 and random.bernoulli(s, share_of_wins(s, agent, c, held, wanting)):
            chosen = random.randint(s, wanting)
            for lower in range(1, c):
                lost, before = fate(s, agent, lower)
                chosen -= lost == LOST and s.bids[other, before] == 0
                if chosen < 0:
                    s.bids[other, before] = c
                    break
            wanting -= 1
        else:
            s.hands[other, c - 1] = 1
            held += 1
        wanting += result == LOST


@kernel
def fate(s, player, number):
    """The fate of a card of one of two players, and its round."""
    for k in range(s.rounds):
        if s.bids[player, k] == number:
            won, lost = s.wins[player, k], s.wins[1 - player, k]
            return TIED if won == lost else WON if won else LOST, k
    return HELD, np.int64(0)


@kernel
def share_of_wins(s, agent, number, held, wanting):
    """The share of the ways to deal the other's remaining cards in which this card goes to a round that the other won.

    The other holds `held` lower cards, and `wanting` rounds still need a card that wins. From the last card back,
    `s.ways` counts the ways to deal the later cards, by the number of lower cards in the hand.
    """
    cards = s.order.shape[0]
    for k in range(cards + 1):
        s.ways[k] = k == cards - s.rounds
    more = s.rounds - cards  # rounds that wait minus cards that are held, after a card
    for c in range(cards, number, -1):
        result, _ = fate(s, agent, c)
        if result == TIED:
            continue
        more += result != LOST
        if result == WON:
            for k in range(cards, 0, -1):
                s.ways[k] = k * (s.ways[k] + max(more + k - 1, 0) * s.ways[k - 1])
            s.ways[0] = 0.0
            more -= 1
        else:
            for k in range(cards):
                s.ways[k] = s.ways[k + 1] + max(more + k, 0) * s.ways[k]
    wins = wanting * s.ways[held]
    return wins / (wins + s.ways[held + 1])


PAGE = Page(
    role="You play Goofspiel against {others}.",
    goal=Case(
        "returns_type",
        {
            "win_loss": (
                "The players with the most points at the end win. The winners share +1 and the others share -1 "
                "equally; if all have equal points, everybody gets 0."
            ),
            "point_difference": "At the end you get your points minus the average of all players' points.",
            "total_points": "At the end you get your points.",
        },
    ),
    rules=(
        (
            "Each player has a hand of {cards:card}, numbered from 1 to {cards}. There are as many prizes, worth 1 to "
            "{cards} points.",
            Case(
                "points_order",
                {
                    "random": "They come in random order.",
                    "ascending": "They come in order, from 1 up.",
                    "descending": "They come in order, from {cards} down.",
                },
            ),
        ),
        (
            "In each round a prize is turned up, and all players bid one of their cards for it at the same time. The "
            "highest bid wins the prize's points. All cards that were bid are gone. If several players have made the "
            "highest bid,",
            Case(
                "ties",
                {
                    "discard": "nobody gets the prize.",
                    "carry": (
                        "the prize is carried over: the next round is about it as well as about the next prize. After "
                        "the last round nobody gets it."
                    ),
                    "split": "they share its points equally.",
                },
            ),
        ),
    ),
    sees=When(
        "hidden_bids",
        "You see the prizes, who won them, and all points, but not what the others bid or which cards they have.",
        "After each round you see all bids, and so you know which cards the others have.",
    ),
    acts={"bid {CARD}": "bid a card of your hand"},
    ends=(
        "The game is over after {cards:round}. In the last round the cards that are left are bid without your doing "
        "anything."
    ),
    constants={"1": "a reward, and the lowest card", "0": "a reward"},
)


class Goofspiel(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    information = "perfect"
    utility = "zero-sum"

    kind = ("cards",)
    verified = "OpenSpiel, move by move; small game trees"
    variants = (dict(players=3, cards=5, hidden_bids=True, ties="split"),)
    keys = {
        **{str(c % 10): f"bid {c}" for c in range(1, 11)},
        **{key: f"bid {c}" for c, key in enumerate("qwertyuiop", 11)},
    }
    player_page = PAGE

    def __init__(
        self,
        players: Annotated[int, Between(2, 10)] = 2,
        cards: Annotated[int, Between(2, 20)] = 13,
        points_order: Literal["random", "ascending", "descending"] = "random",
        hidden_bids: bool = False,
        returns_type: Literal["win_loss", "point_difference", "total_points"] = "win_loss",
        ties: Literal["discard", "carry", "split"] = "discard",
    ):
        total = cards * (cards + 1) / 2
        self.chance = points_order == "random"
        self.information = "imperfect" if hidden_bids else "perfect"  # type: ignore[assignment]
        if hidden_bids and players > 2:
            self.guess = None
        self.utility = "general" if returns_type == "total_points" else "zero-sum"  # type: ignore[assignment]
        self.define(
            agents=[f"player_{k}" for k in range(players)],
            actions=[f"bid {c}" for c in range(1, cards + 1)],
            observation=Dict(
                prizes=Box(0, cards, (cards,), np.int8),
                stake=Box(0, total, (1,), np.float32),
                points=Box(0, total, (players,), np.float32),
                wins=Box(0, 1, (players, cards), np.int8),
                hands=Box(0, 1, (players, cards), np.int8),
                bids=Box(0, cards, (players, cards), np.int8),
            ),
            fields=fields(players, cards),
            params={
                "points_order": among(ORDERS, points_order),
                "hidden_bids": hidden_bids,
                "returns_type": among(RETURNS, returns_type),
                "ties": among(TIES, ties),
            },
            reward_range={
                "win_loss": (-1.0, 1.0),
                "point_difference": (-total / players, total - total / players),
                "total_points": (0.0, total),
            }[returns_type],
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        cards = len(s.order)
        prizes = deck.dealt(self, level, "prizes", (1, cards), (1, cards))
        descending = bool(s.params.points_order == DESCENDING)
        others = sorted(set(range(1, cards + 1)) - set(prizes), reverse=descending)
        s.order[:] = [*prizes, *others]
        s.given = len(prizes) if s.params.points_order == RANDOM else cards

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"prizes": s.order[: s.given].tolist()}

    def contradiction(self, s: Any) -> str | None:
        left = len(s.order) - s.rounds
        if not (s.hands.sum(axis=1) == left).all():
            return "players do not hold a card for each round to come"
        return None if left > 1 or s.terminated[0] else "all rounds have been played"

    def text(self, s: Any, agent: int) -> str:
        players, cards = s.hands.shape
        open_bids = not s.params.hidden_bids
        lines = []
        for k in range(s.rounds):
            bids = [
                f"{'you' if p == agent else f'player_{p}'} bid {s.bids[p, k]}"
                for p in range(players)
                if open_bids or p == agent
            ]
            takers = ["you" if p == agent else f"player_{p}" for p in np.flatnonzero(s.wins[:, k])]
            result = (
                f"won by {' and '.join(takers)}" if takers else ("carried over" if self._carried(s, k) else "discarded")
            )
            lines.append(f"Round {k + 1}, prize {s.order[k]}: {', '.join(bids)}; {result}.")
        scores = [f"{'you' if p == agent else f'player_{p}'} {points(s.points[p])}" for p in range(players)]
        lines.append(f"Points: {', '.join(scores)}.")
        if s.rounds == cards:
            lines.append("The game is over.")
            return "\n".join(lines)
        for p in range(players):
            if open_bids or p == agent:
                hand = " ".join(str(c + 1) for c in np.flatnonzero(s.hands[p]))
                lines.append(f"{'You have' if p == agent else f'player_{p} has'} the cards {hand}.")
        carried = f", with what was carried {points(s.stake)} points" if s.stake > PARTS * s.order[s.rounds] else ""
        lines.append(f"Round {s.rounds + 1} of {cards}: the prize is {s.order[s.rounds]}{carried}. Bid a card.")
        return "\n".join(lines)

    def _carried(self, s: Any, k: int) -> bool:
        """Whether the prize of a past round that nobody won is still at stake, or was won later."""
        return bool(s.params.ties == CARRY and (s.rounds < len(s.order) or s.wins[:, k:].any()))

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The rounds from left to right, the bids for each prize below it, and the cards left to each player."""
        players, cards = s.hands.shape
        over = s.rounds == cards
        scene = Scene(LEFT + COLUMN * cards + 1.0, 3.75 + 2.2 * players)
        scene.add(Rect(0.3, 0.3, scene.width - 0.6, scene.height - 0.6, "felt", radius=0.7))
        if not over:
            middle = LEFT + COLUMN * (s.rounds + 0.5)
            scene.add(Rect(middle - 0.49, 0.75, 0.98, 1.4, "highlight", radius=0.16))
        scene.add(Label(0.9, 1.2, "prizes", 0.5, "white", "left", bold=True))
        if not over:
            scene.add(Label(0.9, 1.75, f"at stake: {points(s.stake)}", 0.42, "white", "left"))
        for k in range(cards):
            x = LEFT + COLUMN * (k + 0.5)
            scene.add(*card(x, 1.45, str(s.order[k]), k <= s.rounds, 0.8, 1.15))
            takers = np.flatnonzero(s.wins[:, k])
            for j, p in enumerate(takers.tolist()):
                spread = min(0.3, 0.6 / len(takers))
                place = x + spread * (j - (len(takers) - 1) / 2)
                scene.add(Circle(place, 2.5, 0.16, agent_color(p), "white", 0.05, glyph=str(p)))
            if k < s.rounds and not len(takers):
                scene.add(Label(x, 2.5, "tie", 0.34, "white@0.8"))
        for p in range(players):
            self._player(scene, s, p, 3.75 + 2.2 * p, s.params.hidden_bids == 0 or agent in (None, p))
        return scene

    def _player(self, scene: Scene, s: Any, p: int, y: float, told: bool) -> None:
        """Draw a player's bids under their prizes, and the hand below."""
        cards = len(s.order)
        first = s.rounds == cards and s.points[p] == s.points.max()
        unit = "point" if s.points[p] == PARTS else "points"
        if first:
            scene.add(Rect(0.7, y - 0.62, 3.3, 1.45, "highlight", radius=0.2))
        color = "black" if first else "white"
        scene.add(Circle(1.05, y - 0.12, 0.2, agent_color(p), "white", 0.05, glyph=str(p)))
        scene.add(Label(1.45, y - 0.12, f"player_{p}", 0.5, color, "left", bold=True))
        scene.add(Label(0.9, y + 0.44, f"{points(s.points[p])} {unit}", 0.42, color, "left"))
        for k in range(s.rounds):
            x = LEFT + COLUMN * (k + 0.5)
            if s.wins[p, k]:
                scene.add(Rect(x - 0.45, y - 0.63, 0.9, 1.25, "gold", radius=0.14))
            scene.add(*card(x, y, str(s.bids[p, k]), told, 0.76, 1.1, agent_color(p)))
        if not told:
            scene.add(Label(LEFT + 0.15, y + 0.95, f"{cards - s.rounds} cards in hand", 0.38, "white@0.8", "left"))
            return
        for c in range(cards):
            x, held = LEFT + COLUMN * (c + 0.5), bool(s.hands[p, c])
            scene.add(Rect(x - 0.4, y + 0.72, 0.8, 0.46, "white@0.9" if held else "shadow@0.12", radius=0.12))
            if held:
                scene.add(Label(x, y + 0.95, str(c + 1), 0.36, "black"))

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        c = int((x - LEFT) // COLUMN)
        row = 3.75 + 2.2 * agent + 0.95
        return c if 0 <= c < len(s.order) and abs(y - row) <= 0.25 else None


def points(parts: int) -> str:
    """A number of points, with two decimals if it is not whole."""
    return f"{parts / PARTS:.2f}".rstrip("0").rstrip(".")


env, raw_env, parallel_env = pettingzoo_forms(Goofspiel)
