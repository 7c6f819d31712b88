"""Hanabi: 2 to 5 players build fireworks together; each player sees all hands except its own.

**Rules.** Every card has a color and a rank. Each color has three cards of rank 1, one card of the highest rank, and
two cards of every other rank. Players hold `hand_size` cards that only the other players see. In turn, a player plays a
card, discards a card, or gives a hint.

- **Play.** A card that is the next rank of its color is added to that color's firework. Any other card is discarded and
  costs a life. The last card of a firework returns an information token.
- **Discard.** A discard returns an information token. It is legal only while a token is missing.
- **Hint.** A hint costs an information token. It shows another player which of its cards have one color or one rank.
  That player must hold at least one such card.

After a play or a discard, the player draws the next card of the deck, which becomes the last card of its hand. When the
deck is empty, every player has one more turn.

**Agents.** `player_0` moves first, then `player_1` and so on. Seats are fixed.

**Observation.** Box (length,) int8, all 0 or 1: the canonical encoding of the Hanabi Learning Environment, 658 entries
for 2 players. There are P players, C colors, R ranks, hands of H cards, and N cards in all. Players are counted from
the observer.

| entries | content |
|---|---|
| (P - 1) H C R | the others' hands: for each place of a hand, oldest card first, its card one-hot, or nothing |
| P | whether a player's hand lacks a card |
| N - P H | cards left in the deck, as ones from the left |
| C R | for each color the highest rank of its firework, one-hot |
| tokens | information tokens left, as ones from the left |
| lives | lives left, as ones from the left |
| N | discards: for each kind of card one entry per copy, ones from the left |
| P + 4 | the last move: the player; whether it played, discarded, hinted a color, or hinted a rank |
| P + C + R + H | if it was a hint: the target, the color, the rank, and the places that it touched |
| H + C R + 2 | otherwise: the place, the card, whether the play was right, whether a token was returned |
| P H (C R + C + R) | for each place of all hands, what hints show: possible cards, hinted color, hinted rank |

**Actions.** Discrete (2 H + (P - 1) (C + R)). Only the player to move has legal actions. Names contain the target of a
hint, so they differ between agents.

| action | name | legal |
|---|---|---|
| i < H | `discard card i+1`, the oldest card being 1 | if the card exists and a token is missing |
| H + i | `play card i+1` | if the card exists |
| 2 H + (k - 1) C + c | `hint player_j red`: color c, k-th player on | if it fits a card and a token is left |
| 2 H + (P - 1) C + (k - 1) R + r | `hint player_j rank r+1`, k as above | if it fits a card and a token is left |

**Window.** A click on the upper half of an own card plays it; on the lower half, it discards it. A click on the upper
half of another player's card hints its color; on the lower half, its rank. The keys 1 to 8 play a card; the keys q to i
of the top row of letters discard one.

**Rewards.** To all players, +1 for each card added to a firework. When the last life is lost, all points are lost too,
so the return is 0. With ``bomb="keep"`` no points are lost.

**Ends.** Terminates when the last life is lost, when all fireworks are complete, or after the last turns.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 2 | number of players, from 2 to 5 |
| `variant` | "full" | "full", "small" or "mini": sets the five parameters below that are None |
| `colors` | None | number of colors, from 1 to 5 |
| `ranks` | None | number of ranks, from 1 to 5 |
| `hand_size` | None | cards in a hand, from 1 to 8 |
| `information_tokens` | None | information tokens at the start, from 0 to 20 |
| `life_tokens` | None | lives at the start, from 1 to 10 |
| `bomb` | "zero" | whether losing the last life costs all points ("zero") or none ("keep") |

| variant | `colors` | `ranks` | `hand_size` | `information_tokens` | `life_tokens` |
|---|---|---|---|---|---|
| "full" | 5 | 5 | 5; 4 with 4 or 5 players | 8 | 3 |
| "small" | 2 | 5 | 2 | 3 | 1 |
| "mini" | 2 | 2 | 3 | 3 | 3 |

**Level.** ``{"deck": ["R1", "Y3", ...]}``: all cards in the order in which they are drawn. The first cards are
`player_0`'s hand, oldest card first, then `player_1`'s, and so on. Colors are R, Y, G, W and B; a game has the first C
of them.

**Known values.** Uniformly random play lasts 12.79, 17.28, 18.99 and 19.90 turns with 2, 3, 4 and 5 players, and scores
0.000 (OpenSpiel, 8,000 to 15,000 games each). In the mini game, random play scores 1.42 of 4, and `mcts` with 300
simulations per move 2.32 (2,000 games each, standard error 0.02).

| policy | score with 2, 3, 4 and 5 players | note |
|---|---|---|
| Quuxplusone's SimpleBot | 16.91 to 19.31 | keeps its score when the last life is lost |
| Quuxplusone's SmartBot | 20.68 to 23.28 | keeps its score when the last life is lost |
| `convention` | 19.7, 22.4, 22.5, 21.9 | 2,000 games each, standard error 0.03 to 0.13 |
| `smart` | 23.25, 23.33, 22.59, 21.08 | 40,000 games each, standard error 0.01; either `bomb` |

**Differences.** Trajectories and observation tensors equal those of OpenSpiel's `hanabi`.

- The return is 0 after the last life, as there. Others count the fireworks (``bomb="keep"``).
- A discard is illegal while no token is missing, as there.
- "small" is the Hanabi Learning Environment's Hanabi-Small. "mini" is MARSHAL's game.
- Free talk (`envsuite.talk`) allows words beside hints. They are not part of the game, which lets players know their
  cards by hints only.

**Source.** Bauza, "Hanabi", 2010; Bard et al., "The Hanabi Challenge", 2019, and its Hanabi Learning Environment, which
OpenSpiel's `hanabi` wraps.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core import random
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.games.hanabi import pages, sight, view
from envsuite.games.hanabi.sight import copies, deck_size, discards_at, observe, seat, seen_copies, sizes, tokens_at
from envsuite.games.hanabi.view import COLORS, LETTERS, NONE
from envsuite.kit import cards as deck
from envsuite.registry import pettingzoo_forms

#: colors, ranks, hand_size, information_tokens, life_tokens; "full" has a hand size that depends on the players.
VARIANTS = {"full": (5, 5, None, 8, 3), "small": (2, 5, 2, 3, 1), "mini": (2, 2, 3, 3, 3)}


def fields(players: int, size: int, colors: int, ranks: int, tokens: int) -> list[tuple]:
    """The record; `tokens` counts information tokens and lives."""
    kinds, cards = colors * ranks, deck_size(colors, ranks)
    last = np.dtype(
        [
            ("action", within(np.int64, NONE, 2 * size + (players - 1) * (colors + ranks) - 1)),
            ("card", below(np.int64, kinds)),
            ("touched", below(np.int64, 1 << size)),
            ("success", flag(np.int64)),
        ]
    )
    return [
        ("player", below(np.int64, players)),  # whose turn it is
        ("turns", within(np.int64, 0, players)),  # turns left once the deck is empty
        ("deck", below(np.int8, kinds), (cards,)),  # all cards in the order in which they are drawn
        ("drawn", within(np.int64, 0, cards)),  # cards drawn so far
        ("information", within(np.int64, 0, tokens)),  # information tokens left
        ("lives", within(np.int64, 0, tokens)),  # lives left
        ("fireworks", within(np.int64, 0, ranks), (colors,)),  # the highest rank of each firework
        ("cards", below(np.int8, kinds), (players, size)),  # the cards of each hand, the oldest first
        ("held", within(np.int64, 0, size), (players,)),  # the number of cards in each hand
        ("last", last, (players,)),  # each player's last move
        *sight.sections(players, size, colors, ranks, tokens),
    ]


@kernel
def reset(s):
    players, size, colors, ranks = sizes(s)
    if not s.level_given:
        k = 0
        for card in range(colors * ranks):
            for _ in range(copies(card % ranks, ranks)):
                s.deck[k] = card
                k += 1
        random.shuffle(s, s.deck, s.deck.shape[0])
    s.player = 0
    s.turns = players
    s.drawn = 0
    s.information = s.params.information_tokens
    s.lives = s.params.life_tokens
    for c in range(colors):
        s.fireworks[c] = 0
    sight.note_start(s)
    for player in range(players):
        s.last[player].action = NONE
        s.held[player] = 0
        for _ in range(size):
            draw(s, player)


@kernel
def draw(s, player):
    """Add the next card of the deck at the end of a hand."""
    place, card = s.held[player], np.int64(s.deck[s.drawn])
    s.drawn += 1
    s.held[player] = place + 1
    s.cards[player, place] = card
    sight.note_draw(s, player, place, card)


@kernel
def step(s, actions, rewards):
    players, size, colors, ranks = sizes(s)
    player = s.player
    action = actions[player]
    s.last[player].action = action
    s.last[player].success = 0
    sight.note_mover(s, player)
    if s.drawn == s.deck.shape[0]:
        s.turns -= 1
    reward = 0.0
    if action < size:
        discard(s, player, action)
    elif action < 2 * size:
        reward = play(s, player, action - size)
    else:
        hint(s, player, action - 2 * size)
    score = 0
    for c in range(colors):
        score += s.fireworks[c]
    won = score == colors * ranks
    if s.held[player] < size and s.drawn < s.deck.shape[0] and s.lives > 0 and not won:
        draw(s, player)
        sight.note_deck(s)
    over = np.uint8(s.lives == 0 or won or s.turns == 0)
    for a in range(players):
        rewards[a] = reward
        s.terminated[a] = over
    s.player = (player + 1) % players


@kernel
def discard(s, player, place):
    sight.note_kind(s, sight.DISCARD)
    sight.note_discard(s, take(s, player, place))
    add_token(s)


@kernel
def play(s, player, place):
    """Play a card. Returns the reward."""
    _, _, colors, ranks = sizes(s)
    sight.note_kind(s, sight.PLAY)
    card = take(s, player, place)
    color, rank = card // ranks, card % ranks
    if rank == s.fireworks[color]:
        s.fireworks[color] = rank + 1
        s.last[player].success = 1
        sight.note_built(s, card)
        if rank == ranks - 1:
            sight.note_regained(s, add_token(s))
        return 1.0
    sight.note_discard(s, card)
    s.lives -= 1
    sight.note_token(s, s.params.information_tokens + s.lives, 0)
    lost = 0
    if s.lives == 0 and not s.params.keep:
        for c in range(colors):
            lost += s.fireworks[c]
    return -1.0 * lost


@kernel
def take(s, player, place):
    """Take a card out of a hand; later cards move up by one place."""
    card = np.int64(s.cards[player, place])
    s.last[player].card = card
    for i in range(place, s.cards.shape[1] - 1):
        s.cards[player, i] = s.cards[player, i + 1]
    s.held[player] -= 1
    sight.note_take(s, player, place, card)
    return card


@kernel
def add_token(s):
    """Return an information token if one is missing. Returns whether one was."""
    if s.information == s.params.information_tokens:
        return np.int8(0)
    sight.note_token(s, s.information, 1)
    s.information += 1
    return np.int8(1)


@kernel
def hint(s, player, number):
    """Give a hint. Numbers list the colors for each of the others in turn, then the ranks."""
    players, _, colors, ranks = sizes(s)
    s.information -= 1
    sight.note_token(s, s.information, 0)
    of_rank = number >= (players - 1) * colors
    if of_rank:
        number -= (players - 1) * colors
        target, value = (player + 1 + number // ranks) % players, number % ranks
    else:
        target, value = (player + 1 + number // colors) % players, number % colors
    sight.note_hint(s, target, of_rank, value)
    touched = 0
    for i in range(s.held[target]):
        card = np.int64(s.cards[target, i])
        match = (card % ranks if of_rank else card // ranks) == value
        sight.note_match(s, target, i, of_rank, value, match)
        touched |= np.int64(match) << i
    s.last[player].touched = touched


@kernel
def legal(s, agent, mask):
    players, size, colors, ranks = sizes(s)
    if s.player == agent:
        missing = np.int8(s.information < s.params.information_tokens)
        for i in range(s.held[agent]):
            mask[i] = missing
            mask[size + i] = 1
        if s.information > 0:
            for k in range(players - 1):
                target = seat(agent + k + 1, players)
                for i in range(s.held[target]):
                    card = np.int64(s.cards[target, i])
                    mask[2 * size + k * colors + card // ranks] = 1
                    mask[2 * size + (players - 1) * colors + k * ranks + card % ranks] = 1


@large_kernel
def guess(s, agent):
    """Deal the agent's hand and the deck again, uniformly among the deals that fit what it sees and the hints.

    Each card of the hand is drawn from all unseen cards that fit its hints. If two draws hit the same card, the whole
    hand is drawn again. At least one draw in (cards in the hand)! succeeds (Ostrand 1970); in practice, most do.
    """
    _, size, colors, ranks = sizes(s)
    kinds = colors * ranks
    width = kinds + colors + ranks
    held = s.held[agent]
    first = s.drawn - held
    place, unseen = 0, first
    for card in range(kinds):
        seen = seen_copies(s, agent, card)
        for k in range(copies(card % ranks, ranks)):
            if k < seen:
                s.deck[place] = card
                place += 1
            else:
                s.deck[unseen] = card
                unseen += 1
    cards = s.deck.shape[0]
    i = 0
    while i < held:
        possible = 0
        for k in range(first, cards):
            possible += s.knowledge[agent, i * width + s.deck[k]]
        left = random.randint(s, possible)
        k = first
        while True:
            left -= s.knowledge[agent, i * width + s.deck[k]]
            if left < 0:
                break
            k += 1
        if k < first + i:
            i = 0
            continue
        deck.swap(s.deck, first + i, k)
        i += 1
    for k in range(cards - 1, s.drawn, -1):
        deck.swap(s.deck, k, s.drawn + random.randint(s, k + 1 - s.drawn))
    for i in range(held):
        s.cards[agent, i] = s.deck[first + i]
        for card in range(kinds):
            s.hands[agent, i * kinds + card] = s.deck[first + i] == card


class Hanabi(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    turns = "sequential"
    utility = "identical"
    kind = ("cards", "teams")
    talk_forbidden = "players may not speak about cards but by hints"
    verified = "OpenSpiel, move by move, observations bit for bit"
    variants = (dict(players=3), dict(variant="mini"))
    keys = {
        **{str(k): f"play card {k}" for k in range(1, 9)},
        **{key: f"discard card {k}" for k, key in enumerate("qwertyui", 1)},
    }
    card_name = view.card_name
    score = view.score
    phrases = pages.PHRASES
    speech = view.hearers
    messages = view.messages
    text = view.text
    scene = view.scene
    click = view.click
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        players: Annotated[int, Between(2, 5)] = 2,
        variant: Literal["full", "small", "mini"] = "full",
        colors: Annotated[int | None, Between(1, 5)] = None,
        ranks: Annotated[int | None, Between(1, 5)] = None,
        hand_size: Annotated[int | None, Between(1, 8)] = None,
        information_tokens: Annotated[int | None, Between(0, 20)] = None,
        life_tokens: Annotated[int | None, Between(1, 10)] = None,
        bomb: Literal["zero", "keep"] = "zero",
    ):
        given = (colors, ranks, hand_size, information_tokens, life_tokens)
        chosen = [preset if value is None else value for value, preset in zip(given, VARIANTS[variant])]
        colors, ranks, size, information, lives = (value or 0 for value in chosen)
        size = size or (5 if players < 4 else 4)
        cards = deck_size(colors, ranks)
        if players * size > cards:
            raise ParameterError(
                f"Hanabi: {players} hands of {size} cards need {players * size}, but {colors} colors of {ranks} ranks "
                f"have only {cards}; choose fewer players, a smaller hand_size, or more colors or ranks"
            )
        #: The numbers of players, cards in a hand, colors, ranks.
        self.sizes = (players, size, colors, ranks)
        record = fields(players, size, colors, ranks, information + lives)
        parts = {name: math.prod(shape[0]) for name, _, *shape in record[-5:]}
        length = sum(parts.values()) - parts["hands"] // players  # an agent does not see its own hand
        agents = [f"player_{k}" for k in range(players)]
        self.define(
            agents=agents,
            actions={agent: self._names(k) for k, agent in enumerate(agents)},
            observation=Box(0, 1, (length,), np.int8),
            fields=record,
            params={"information_tokens": information, "life_tokens": lives, "keep": bomb == "keep"},
            reward_range=(float(1 - colors * ranks) if bomb == "zero" else 0.0, 1.0),
        )

    def _names(self, agent: int) -> list[str]:
        """The names of an agent's actions."""
        players, size, colors, ranks = self.sizes
        others = [f"player_{(agent + k) % players}" for k in range(1, players)]
        return [
            *(f"discard card {i + 1}" for i in range(size)),
            *(f"play card {i + 1}" for i in range(size)),
            *(f"hint {other} {color}" for other in others for color in COLORS[:colors]),
            *(f"hint {other} rank {r + 1}" for other in others for r in range(ranks)),
        ]

    def contradiction(self, s: Any) -> str | None:
        players, _, colors, ranks = self.sizes
        most = s.params.information_tokens, s.params.life_tokens
        if tokens_at(s) + sum(most) != discards_at(s, 0) or s.information > most[0] or s.lives > most[1]:
            return "there are more tokens than in the game"
        if not s.terminated[0] and (s.lives == 0 or s.turns == 0):
            return "the game is over"
        cards = Counter(s.deck[s.drawn :].tolist())
        for player in range(players):
            cards.update(s.cards[player, : s.held[player]].tolist())
        for card in range(colors * ranks):
            color, rank, at, count = card // ranks, card % ranks, discards_at(s, card), copies(card % ranks, ranks)
            if cards[card] + (rank < s.fireworks[color]) + int(s.board[at : at + count].sum()) != count:
                return f"of the cards {self.card_name(card)}, some are missing or too many"
        return None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        _, _, colors, ranks = self.sizes
        deck = list(level["deck"])
        numbers = {self.card_name(card): card for card in range(colors * ranks)}
        for k, name in enumerate(deck):
            if name not in numbers:
                raise LevelError(
                    f"{self.id}: card {k} of the level, {name!r}, is none of this game: a colour of {LETTERS[:colors]} "
                    f"and a rank from 1 to {ranks}, like 'R1'"
                )
        counts = Counter(deck)
        for name, card in numbers.items():
            wanted = copies(card % ranks, ranks)
            if counts[name] != wanted:
                raise LevelError(f"{self.id}: the level's deck has {counts[name]} cards {name}, not {wanted}")
        s.deck[:] = [numbers[name] for name in deck]

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"deck": [self.card_name(card) for card in s.deck]}


env, raw_env, parallel_env = pettingzoo_forms(Hanabi)
