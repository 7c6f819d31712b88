"""Leduc poker for 2 to 5 players.

**Rules.** The deck has one rank more than there are players, each in two suits. Every player pays an ante of 1 and gets
one card. There are two rounds of betting. A public card is turned up before the second round. In turn, a player folds,
calls what the others have paid, or raises it: by 2 in the first round, by 4 in the second. There are at most two raises
per round. A round ends when all players have called.

A pair with the public card wins the pot, otherwise the highest rank. Equal ranks share the pot. If all but one player
fold, that player takes the pot.

**Agents.** `player_0` moves first in both rounds, then `player_1` and so on. Seats are fixed. Players that have folded
are skipped.

**Observation.** Box (17 players - 4,) int8: OpenSpiel's information state.

| entries | value 1 where |
|---|---|
| 0 .. players - 1 | the agent's seat |
| the next 2 (players + 1) | its card: 2 rank + suit, lowest rank first |
| the next 2 (players + 1) | the public card, in the same order; all zero in the first round |
| the next 4 (3 players - 2) | two per move, 3 players - 2 moves per round: called, raised; a fold is 0, 0 |

**Actions.** Discrete (3). Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| 0 | `fold` | if others have paid more |
| 1 | `call` | always; free if no other player has paid more (a check) |
| 2 | `raise` | if there were fewer than two raises in this round |

**Window.** The keys f, c and r fold, call and raise.

**Rewards.** At the end, the chips that each player has won or lost; 0 before. The unit is a chip; an ante is 1. With
two players, rewards are from -13 to 13.

**Ends.** Terminates when the second round of betting is over, or when all but one player have folded.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 2 | number of players, from 2 to 5 |

**Level.** ``{"cards": [0, 3]}``: each player's card, 2 rank + suit, optionally followed by the public card. Without it,
the public card is drawn when the second round begins.

**Known values.** 2 players: 936 information sets and 5,520 courses. The value to the first player is -0.085606424078
(von Stengel's linear program), and -0.078125 with uniformly random play (OpenSpiel).

**Differences.** Trajectories and information-state tensors equal those of OpenSpiel's `leduc_poker`.

- Its options are left out: a mapping of illegal actions, cards without suits, another first player.
- Ranks are shown as K, Q, J, 10, 9 and 8 from the highest, suits as spades and hearts.

**Source.** Southey et al., "Bayes' Bluff: Opponent Modelling in Poker", UAI 2005; OpenSpiel `leduc_poker` for more
players.
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
from envsuite.core.ranges import below, flag, within
from envsuite.core.record import copied
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import cards, openings
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, Shape, card, chips
from envsuite.render.theme import agent_color

FOLD, CALL, RAISE = range(3)
SUITS = 2
MAX_RAISES = 2
NONE = -1

#: Names of the ranks, from the lowest of six, and of the suits.
RANKS = ("8", "9", "10", "J", "Q", "K")
SUIT_NAMES = ("spades", "hearts")


def fields(players: int) -> list[tuple]:
    """The record; a card is a number, rank * SUITS + suit, both from 0."""
    moves = 3 * players - 2  # the most moves in a round
    size, stakes = SUITS * (players + 1), within(np.int64, 1, 1 + MAX_RAISES * (2 + 4))
    return [
        ("deck", below(np.int64, size), (size,)),  # one card for each player, the public card, the other cards
        ("dealt", within(np.int64, players, players + 1)),  # the number of cards that were fixed at the start
        ("public", within(np.int64, NONE, size - 1)),  # the public card, or NONE
        ("street", below(np.int64, 2)),  # the round of betting
        ("mover", below(np.int64, players)),  # whose turn it is
        ("stakes", stakes),  # the amount that a player must have paid to stay in
        ("raises", within(np.int64, 0, MAX_RAISES)),  # raises in this round
        ("calls", within(np.int64, 0, players)),  # calls since the last raise of this round
        ("staying", within(np.int64, 1, players)),  # players that have not folded
        ("paid", stakes, (players,)),  # what each player has put into the pot
        ("folded", flag(), (players,)),  # 1 for players that have folded
        ("won", flag(), (players,)),  # 1 at the end for players that win the pot or share it
        ("lengths", within(np.int64, 0, moves), (2,)),  # number of moves in each round
        ("moves", below(np.uint8, 3), (2, moves)),  # the moves of each round, in order
        ("betting", flag(np.int8), (2, moves, 2)),  # calls and raises in the form in which they are observed
    ]


@kernel
def reset(s):
    players = s.paid.shape[0]
    if not s.level_given:
        s.dealt = players
        for k in range(s.deck.shape[0]):
            s.deck[k] = k
        for k in range(players):
            cards.draw(s, s.deck, k)
    s.public = NONE
    s.street = 0
    s.mover = 0
    s.stakes = 1
    s.raises = 0
    s.calls = 0
    s.staying = players
    fill(s.paid, 1)
    fill(s.folded, 0)
    fill(s.won, 0)
    s.lengths[0] = 0
    s.lengths[1] = 0
    fill(s.betting, 0)


@kernel
def step(s, actions, rewards):
    player = s.mover
    action = actions[player]
    place = s.lengths[s.street]
    s.moves[s.street, place] = action
    s.lengths[s.street] = place + 1
    if action == FOLD:
        s.folded[player] = 1
        s.staying -= 1
    else:
        s.betting[s.street, place, action - 1] = 1
        if action == CALL:
            s.calls += 1
        else:
            s.stakes += 2 * (s.street + 1)
            s.raises += 1
            s.calls = 0
        s.paid[player] = s.stakes
    called = s.calls == s.staying - (s.raises > 0)  # the last player to raise need not call
    if s.staying == 1 or (called and s.street == 1):
        showdown(s, rewards)
        return
    if called:
        turn_up(s)
        player = s.paid.shape[0] - 1
    s.mover = following(s, player)


@kernel
def turn_up(s):
    """Begin the second round with the public card."""
    players = s.paid.shape[0]
    if s.dealt == players:
        cards.draw(s, s.deck, players)
    s.public = s.deck[players]
    s.street = 1
    s.raises = 0
    s.calls = 0


@kernel
def following(s, player):
    """The next player that has not folded."""
    for _ in range(s.paid.shape[0]):
        player = player + 1 if player + 1 < s.paid.shape[0] else 0
        if s.folded[player] == 0:
            break
    return player


@kernel
def strength(s, player):
    """The strength of a player's hand: a larger number is better; -1 for a player that has folded."""
    if s.folded[player]:
        return -1
    rank = s.deck[player] // SUITS
    if s.public != NONE and rank == s.public // SUITS:
        return s.deck.shape[0]
    return rank


@kernel
def showdown(s, rewards):
    """The best hands share the pot."""
    pot = 0
    best = -1
    winners = 0
    for k in range(s.paid.shape[0]):
        pot += s.paid[k]
        hand = strength(s, k)
        if hand > best:
            best = hand
            winners = 0
        winners += hand == best
    for k in range(s.paid.shape[0]):
        s.won[k] = strength(s, k) == best
        rewards[k] = -s.paid[k] + (pot / winners if s.won[k] else 0.0)
        s.terminated[k] = 1


@kernel
def observe(s, agent, out):
    players, cards = s.paid.shape[0], s.deck.shape[0]
    for k in range(players + 2 * cards):
        out[k] = 0
    out[agent] = 1
    out[players + s.deck[agent]] = 1
    if s.public != NONE:
        out[players + cards + s.public] = 1
    first = players + 2 * cards
    for k in range(s.betting.size):
        out[first + k] = s.betting.flat[k]


@kernel
def legal(s, agent, mask):
    if s.mover == agent:
        mask[FOLD] = s.stakes > s.paid[agent]
        mask[CALL] = 1
        mask[RAISE] = s.raises < MAX_RAISES


@kernel
def guess(s, agent):
    """Shuffle the deck again, except the agent's own card and the public card."""
    players, own, public = s.paid.shape[0], s.deck[agent], s.public
    count = 0
    for face in range(s.deck.shape[0]):
        if face != own and face != public:
            s.deck[count] = face
            count += 1
    random.shuffle(s, s.deck, count)
    s.deck[count] = s.deck[agent]
    s.deck[agent] = own
    if public != NONE:
        s.deck[count + 1] = s.deck[players]
        s.deck[players] = public


PAGE = Page(
    role="You play one hand of Leduc poker against {others}.",
    goal="At the end you are paid the chips that you have won, or minus the chips that you have lost.",
    rules=(
        "The deck has the ranks {ranks}, from the lowest to the highest, each in spades and in hearts. Every player "
        "pays an ante of 1 chip and gets one card. There are two rounds of betting; a public card is turned up before "
        "the second. player_0 acts first in both rounds, then the others in the order of their numbers, without those "
        "that have folded.",
        "In turn, a player folds, calls what others have paid, or raises it: by 2 chips in the first round and by 4 "
        "chips in the second. There are at most two raises in a round, all players' counted together. A round ends "
        "when all that have not folded have called.",
        "If all but one player fold, that player takes the pot. Otherwise a card of the same rank as the public card, "
        "a pair, wins the pot, and if nobody has a pair, the highest rank does. Equal ranks share the pot.",
    ),
    sees="You see your own card, the public card when it is turned up, and all moves.",
    acts={
        "fold": "give up the hand; legal if others have paid more than you",
        "call": "pay as much as others have paid, or nothing if you have paid it already",
        "raise": "call and pay the chips of the round on top",
    },
    ends="The hand is over after the second round of betting, or when all but one player have folded.",
    constants={"1": "the ante", "two": "rounds, and raises", "2": "a raise", "4": "a raise"},
)


class LeducPoker(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    turns = "sequential"
    utility = "zero-sum"
    paid_at_end = True

    kind = ("cards",)
    verified = "OpenSpiel, move by move; the value -0.0856, by enumeration"
    variants = (dict(players=3),)
    keys = {"f": "fold", "c": "call", "r": "raise"}
    player_page = PAGE

    def __init__(self, players: Annotated[int, Between(2, 5)] = 2):
        deck, moves = SUITS * (players + 1), 3 * players - 2
        self.define(
            agents=[f"player_{k}" for k in range(players)],
            actions=["fold", "call", "raise"],
            observation=Box(0, 1, (players + 2 * deck + 4 * moves,), np.int8),
            fields=fields(players),
            reward_range=(-13.0, 13.0 * (players - 1)),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        players, size = len(s.paid), len(s.deck)
        table = cards.dealt(self, level, "cards", (players, players + 1), (0, size - 1))
        s.dealt = len(table)
        s.deck[:] = [*table, *sorted(set(range(size)).difference(table))]

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"cards": s.deck[: s.dealt].tolist()}

    def contradiction(self, s: Any) -> str | None:
        known = copied(s)
        known.dealt = len(s.paid) + 1  # the public card stays in its place
        moves = [move for street in range(2) for move in s.moves[street, : s.lengths[street]]]
        return openings.unlike_start(self, known, moves)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"ranks": listed(RANKS[-len(s.paid) - 1 :])}

    def text(self, s: Any, agent: int) -> str:
        players = len(s.paid)
        ranks = RANKS[-players - 1 :]
        lines = [
            f"You are player_{agent} of {players}. Your card is the {self._name(s, s.deck[agent])}; "
            f"the deck has {' '.join(ranks)} of spades and of hearts.",
            f"The pot holds {s.paid.sum()}; you paid {s.paid[agent]}.",
        ]
        for k, told in enumerate(self._story(s)):
            if k == 1:
                lines.append(f"The {self._name(s, s.public)} is turned up.")
            lines += [f"player_{player} {verb}." for player, verb in told]
        if s.won.any():
            winners = [f"player_{k}" for k in np.flatnonzero(s.won)]
            lines.append(f"{winners[0]} takes the pot." if len(winners) == 1 else f"{' and '.join(winners)} share it.")
        elif s.mover != agent:
            lines.append(f"player_{s.mover} is to move.")
        else:
            due = s.stakes - s.paid[agent]
            choices = [f"fold, call {due}" if due else "call (nothing to pay)"]
            if s.raises < MAX_RAISES:
                choices.append(f"raise by {2 * (s.street + 1)} (pay {due + 2 * (s.street + 1)})")
            lines.append(f"It is your turn: {' or '.join(choices)}.")
        return "\n".join(lines)

    def _name(self, s: Any, face: int) -> str:
        return f"{RANKS[-len(s.paid) - 1 :][face // SUITS]} of {SUIT_NAMES[face % SUITS]}"

    def _story(self, s: Any) -> list[list[tuple[int, str]]]:
        """The moves (player, verb) in each round so far."""
        players = len(s.paid)
        folded: set[int] = set()
        story = []
        for street in range(s.street + 1):
            told, player, raised = [], -1, False
            for move in s.moves[street, : s.lengths[street]]:
                player = next(
                    (player + k) % players for k in range(1, players + 1) if (player + k) % players not in folded
                )
                told.append((player, ("folds", "calls" if raised else "checks", "raises")[move]))
                raised |= move == RAISE
                if move == FOLD:
                    folded.add(player)
            story.append(told)
        return story

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The table. For an agent, the others' cards stay face down until the end."""
        players = len(s.paid)
        over = bool(s.won.any())
        last = dict(self._story(s)[-1])
        scene = Scene(max(3.0 * players, 7.0) + 1.8, 10.4)
        cards.draw_table(scene)
        middle = scene.width / 2
        scene.add(Label(middle, 1.2, f"round {s.street + 1}", 0.4, "white@0.8"))
        scene.add(*self._card(s, middle - 1.2, 2.8, max(int(s.public), 0), s.public != NONE))
        scene.add(
            *chips(middle + 0.8, 2.6, 1, "gold"),
            Label(middle + 1.15, 2.6, f"{s.paid.sum()}", 0.7, "white", "left", True),
        )
        scene.add(Label(middle + 0.6, 3.3, "in the pot", 0.4, "white", "left"))
        for k in range(players):
            x = middle + 3.0 * (k - (players - 1) / 2)
            mover = not over and s.mover == k
            if mover or s.won[k]:
                scene.add(Rect(x - 0.93, 5.52, 1.86, 2.56, "highlight", radius=0.28))
            scene.add(*self._card(s, x, 6.8, int(s.deck[k]), over or agent in (None, k)))
            if s.folded[k]:
                scene.add(Rect(x - 0.8, 5.65, 1.7, 2.4, "felt@0.6", radius=0.18))
            note = "to move" if mover else "folded" if s.folded[k] else last.get(k, "")
            if s.won[k]:
                note = "takes the pot" if s.won.sum() == 1 else "shares the pot"
            scene.add(Label(x, 5.1, note, 0.4, "white", bold=bool(s.won[k])))
            scene.add(Label(x, 8.42, f"player_{k}", 0.42, "white"))
            scene.add(
                *chips(x - 0.25, 9.0, 1, agent_color(k)), Label(x + 0.1, 9.0, f"{s.paid[k]}", 0.42, "white", "left")
            )
        return scene

    def _card(self, s: Any, x: float, y: float, face: int, face_up: bool) -> list[Shape]:
        """A card with its rank and suit."""
        color, rank = cards.SUIT_COLORS[face % SUITS], RANKS[-len(s.paid) - 1 :][face // SUITS]
        shapes = card(x, y, rank, face_up, 1.6, 2.3, color)
        if face_up:
            for side in (1, -1):
                shapes += cards.suit_mark(x + 0.54 * side, y - 0.88 * side, face % SUITS, 0.36)
        return shapes


env, raw_env, parallel_env = pettingzoo_forms(LeducPoker)
