"""Kuhn poker for 2 to 10 players.

**Rules.** The deck has one card more than there are players, each of a different rank. Every player pays an ante of 1
and gets one card. In turn, players pass or bet 1. After a bet, each of the other players has one more turn: it bets as
well, which calls the bet, or passes, which folds. The highest card wins the pot: among the players that bet, or among
all players if nobody bet.

**Agents.** `player_0` moves first, then `player_1` and so on. Seats are fixed.

**Observation.** Box (6 players - 1,) int8: the information state, with perfect recall.

| entries | value 1 where |
|---|---|
| 0 .. players - 1 | the agent's seat |
| the next players + 1 | its card, lowest first |
| the next 2 (2 players - 1) | two per move: passed, bet |

**Actions.** Discrete (2). Both actions are legal for the player to move, and none for the others.

| action | name |
|---|---|
| 0 | `pass` |
| 1 | `bet` |

**Window.** The keys p and b pass and bet.

**Rewards.** At the end, the chips that each player has won or lost: the winner gets the pot minus what it paid. 0
before. The pot holds the antes and every bet. A bet to which all others fold thus returns to its owner.

**Ends.** Terminates when all players have passed, or when all others have answered the bet.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 2 | number of players, from 2 to 10 |

**Level.** ``{"cards": [0, 2]}``: each player's card, 0 the lowest.

**Known values.** 2 players: 12 information sets, 30 courses over all deals, and a value of -1/18 to the first player
(Kuhn, 1950), or +1/8 with uniformly random play. 3 players: 48 information sets, 312 courses over all deals.

**Differences.** Trajectories and information-state tensors equal those of OpenSpiel's `kuhn_poker`.

- Cards are shown as K, Q, J, 10 and so on from the highest, down to 3 with 10 players.

**Source.** Kuhn, "Simplified Two-Person Poker", 1950; OpenSpiel `kuhn_poker` for more players.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, listed
from envsuite.core.ranges import below, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import cards, openings
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, card, chips
from envsuite.render.theme import agent_color

PASS, BET = range(2)
NOBODY = -1

#: Names of the cards, from the lowest of eleven.
CARDS = ("3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")

#: The most players in one row of the picture; more players sit in two rows around the table.
ROW = 5


def fields(players: int) -> list[tuple]:
    """The record."""
    return [
        ("cards", below(np.int64, players + 1), (players + 1,)),  # each player's, 0 the lowest; then the card not dealt
        ("paid", within(np.int64, 1, 2), (players,)),  # what each player has put into the pot
        ("moves", below(np.int64, 2), (2 * players - 1,)),  # PASS or BET, in order
        ("count", within(np.int64, 0, 2 * players - 1)),  # moves so far
        ("bettor", within(np.int64, NOBODY, players - 1)),  # the first player to bet, or NOBODY
        ("winner", within(np.int64, NOBODY, players - 1)),  # NOBODY until the end
    ]


@kernel
def reset(s):
    players = s.paid.shape[0]
    if not s.level_given:
        for k in range(players + 1):
            s.cards[k] = k
        random.shuffle(s, s.cards, players + 1)
    fill(s.paid, 1)
    fill(s.moves, PASS)
    s.count = 0
    s.bettor = NOBODY
    s.winner = NOBODY


@kernel
def step(s, actions, rewards):
    players = s.paid.shape[0]
    player = s.count % players
    move = actions[player]
    s.moves[s.count] = move
    s.count += 1
    if move == BET:
        s.paid[player] += 1
        if s.bettor == NOBODY:
            s.bettor = player
    if (s.bettor == NOBODY and s.count == players) or (s.bettor != NOBODY and s.count == s.bettor + players):
        showdown(s, rewards)


@kernel
def showdown(s, rewards):
    """The highest card of the players still in the game wins the pot."""
    pot = 0
    stake = 1 if s.bettor == NOBODY else 2
    for k in range(s.paid.shape[0]):
        pot += s.paid[k]
        if s.paid[k] == stake and (s.winner == NOBODY or s.cards[k] > s.cards[s.winner]):
            s.winner = k
    for k in range(s.paid.shape[0]):
        rewards[k] = -s.paid[k]
        s.terminated[k] = 1
    rewards[s.winner] += pot


@kernel
def observe(s, agent, out):
    players = s.paid.shape[0]
    for k in range(players):
        out[k] = k == agent
    for k in range(players + 1):
        out[players + k] = k == s.cards[agent]
    first = 2 * players + 1
    for k in range(s.moves.shape[0]):
        out[first + 2 * k] = k < s.count and s.moves[k] == PASS
        out[first + 2 * k + 1] = k < s.count and s.moves[k] == BET


@kernel
def legal(s, agent, mask):
    if s.count % s.paid.shape[0] == agent:
        mask[PASS] = 1
        mask[BET] = 1


@kernel
def guess(s, agent):
    """Deal all cards again except the agent's own."""
    players, own = s.paid.shape[0], s.cards[agent]
    for k in range(players):
        s.cards[k] = k + (k >= own)
    random.shuffle(s, s.cards, players)
    s.cards[players] = s.cards[agent]
    s.cards[agent] = own


PAGE = Page(
    role="You play one hand of Kuhn poker against {others}.",
    goal="At the end you are paid the chips that you have won, or minus the chips that you have lost.",
    rules=(
        "The deck has the cards {deck}, from the lowest to the highest, each once. Every player pays an ante of 1 chip "
        "and gets one card. The players act in the order of their numbers; player_0 begins.",
        "As long as nobody has bet, a player passes or bets 1 chip. After a bet, each of the other players has one "
        "more turn: it bets 1 chip as well, which calls the bet, or it passes, which gives up the pot. The highest "
        "card wins the pot: among the players that have bet, or among all players if nobody has.",
    ),
    sees="You see your own card and all moves. The card that nobody got and the cards of the others are hidden.",
    acts={"pass": "pay nothing; after a bet, give up the pot", "bet": "pay 1 chip; after a bet, call it"},
    ends="The hand is over when all have passed, or when all others have answered the bet.",
    constants={"1": "the ante, and a bet"},
)


class KuhnPoker(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    turns = "sequential"
    utility = "zero-sum"
    paid_at_end = True
    masked = False
    kind = ("cards",)
    verified = "OpenSpiel, move by move; the value -1/18, by enumeration"
    variants = (dict(players=3),)
    keys = {"p": "pass", "b": "bet"}
    player_page = PAGE

    def __init__(self, players: Annotated[int, Between(2, 10)] = 2):
        self.define(
            agents=[f"player_{k}" for k in range(players)],
            actions=["pass", "bet"],
            observation=Box(0, 1, (6 * players - 1,), np.int8),
            fields=fields(players),
            reward_range=(-2.0, 2.0 * (players - 1)),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        players = len(s.paid)
        hands = cards.dealt(self, level, "cards", (players, players), (0, players))
        s.cards[:] = [*hands, *set(range(players + 1)).difference(hands)]

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"cards": s.cards[:-1].tolist()}

    def contradiction(self, s: Any) -> str | None:
        return openings.unlike_start(self, s, s.moves[: s.count])

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"deck": listed(CARDS[-len(s.paid) - 1 :])}

    def text(self, s: Any, agent: int) -> str:
        players = len(s.paid)
        deck = CARDS[-players - 1 :]
        lines = [
            f"You are player_{agent} of {players}. Your card is {deck[s.cards[agent]]}; the deck is {' '.join(deck)}.",
            f"The pot holds {s.paid.sum()}; you paid {s.paid[agent]}.",
        ]
        for k in range(s.count):
            lines.append(f"player_{k % players} {self._verb(s, k)}.")
        if s.winner != NOBODY:
            lines.append(f"player_{s.winner} takes the pot.")
        elif s.count % players != agent:
            lines.append(f"player_{s.count % players} is to move.")
        else:
            lines.append("It is your turn.")
        return "\n".join(lines)

    def _verb(self, s: Any, k: int) -> str:
        answers = int(s.bettor != NOBODY and k > s.bettor)
        return (("passes", "bets"), ("folds", "calls"))[answers][s.moves[k]]

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The table. For an agent, the others' cards stay face down until the end."""
        players = len(s.paid)
        columns = players if players <= ROW else (players + 1) // 2
        scene = Scene(2.6 * columns + 2.0, 7.6 if players <= ROW else 12.6)
        cards.draw_table(scene)
        middle, height = scene.width / 2, 1.15 if players <= ROW else 5.95
        scene.add(Label(middle, height, f"pot {s.paid.sum()}", 0.5, "white", bold=True))
        scene.add(*chips(middle, height + 0.6, int(s.paid.sum()), "gold"))
        for k in range(players):
            if k < columns:
                self._seat(scene, s, k, 2.3 + 2.6 * k, 4.2 if players <= ROW else 2.85, agent)
            else:  # the second row runs from the right
                place = (players - 1 - k) + (2 * columns - players) / 2
                self._seat(scene, s, k, 2.3 + 2.6 * place, 9.2, agent)
        return scene

    def _seat(self, scene: Scene, s: Any, k: int, x: float, y: float, agent: int | None) -> None:
        """Draw a player with its card around a point."""
        players = len(s.paid)
        deck = CARDS[-players - 1 :]
        mover = s.winner == NOBODY and s.count % players == k
        folded = s.bettor != NOBODY and any(
            m % players == k and m > s.bettor and s.moves[m] == PASS for m in range(s.count)
        )
        if mover or s.winner == k:
            scene.add(Rect(x - 0.93, y - 1.28, 1.86, 2.56, "highlight", radius=0.28))
        seen = agent in (None, k) or s.winner != NOBODY
        scene.add(*card(x, y, deck[s.cards[k]], seen, 1.6, 2.3, agent_color(k)))
        if folded:
            scene.add(Rect(x - 0.8, y - 1.15, 1.7, 2.4, "felt@0.6", radius=0.18))
        moves = [self._verb(s, m) for m in range(s.count) if m % players == k]
        note = "takes the pot" if s.winner == k else moves[-1] if moves else "to move" if mover else ""
        scene.add(Label(x, y - 1.7, note, 0.4, "white", bold=s.winner == k))
        scene.add(Label(x, y + 1.65, f"player_{k}", 0.42, "white"))
        scene.add(*chips(x, y + 2.25, int(s.paid[k]), agent_color(k)))


env, raw_env, parallel_env = pettingzoo_forms(KuhnPoker)
