"""What players of Hanabi observe: the record holds it once, in sections and by absolute seats.

A move changes few entries, which the kernels `note_...` write; `observe` copies the sections in the observer's order.
A card is a number, color * ranks + rank, both from 0.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.ranges import flag

#: Kinds of moves, in the order of the observation.
PLAY, DISCARD, HINT_COLOR, HINT_RANK = range(4)


def sections(players: int, size: int, colors: int, ranks: int, tokens: int) -> list[tuple]:
    """The fields of the record that are parts of observations; `tokens` counts information tokens and lives."""
    kinds, cards, told = colors * ranks, deck_size(colors, ranks), flag(np.int8)
    return [
        ("hands", told, (players, size * kinds)),  # each hand's cards
        ("short", told, (players,)),  # whether a hand lacks a card
        ("board", told, (cards - players * size + kinds + tokens + cards,)),  # deck to discards
        ("move", told, (2 * players + 4 + colors + ranks + 2 * size + kinds + 2,)),  # the last move
        ("knowledge", told, (players, size * (kinds + colors + ranks))),  # what hints show
    ]


def deck_size(colors: int, ranks: int) -> int:
    """The number of cards."""
    return colors * sum(copies(rank, ranks) for rank in range(ranks))


@kernel
def copies(rank, ranks):
    """The number of cards of this rank in a color."""
    return 3 if rank == 0 else 1 if rank == ranks - 1 else 2


@kernel
def sizes(s):
    """The numbers of players, cards in a hand, colors and ranks."""
    players, size = s.cards.shape
    colors = s.fireworks.shape[0]
    return players, size, colors, s.hands.shape[1] // (size * colors)


@kernel
def fireworks_at(s):
    """The entry of the board at which the fireworks begin, after the deck."""
    return s.deck.shape[0] - s.cards.size


@kernel
def tokens_at(s):
    """The entry of the board at which the information tokens begin; the lives follow."""
    _, _, colors, ranks = sizes(s)
    return fireworks_at(s) + colors * ranks


@kernel
def discards_at(s, card):
    """The entry of the board at which the discarded copies of a card begin."""
    _, _, colors, ranks = sizes(s)
    rank, cards = card % ranks, s.deck.shape[0]
    return s.board.shape[0] - cards + card // ranks * (cards // colors) + (2 * rank + 1 if rank > 0 else 0)


@kernel
def note_start(s):
    """A full deck and all tokens, no move, and empty hands."""
    for k in range(s.board.shape[0]):
        s.board[k] = 0
    for k in range(fireworks_at(s)):
        s.board[k] = 1
    for k in range(s.information + s.lives):
        s.board[tokens_at(s) + k] = 1
    for k in range(s.move.shape[0]):
        s.move[k] = 0
    for k in range(s.hands.size):
        s.hands.flat[k] = 0
    for k in range(s.knowledge.size):
        s.knowledge.flat[k] = 0


@kernel
def note_draw(s, player, place, card):
    """A hand has a new card at its end; nothing is known about it."""
    _, size, colors, ranks = sizes(s)
    kinds = colors * ranks
    width = kinds + colors + ranks
    s.hands[player, place * kinds + card] = 1
    for k in range(kinds):
        s.knowledge[player, place * width + k] = 1
    s.short[player] = place + 1 < size


@kernel
def note_deck(s):
    """The deck has one card less."""
    s.board[s.deck.shape[0] - s.drawn] = 0


@kernel
def note_mover(s, player):
    """A player begins a move."""
    for k in range(s.move.shape[0]):
        s.move[k] = 0
    s.move[player] = 1


@kernel
def note_kind(s, kind):
    """The kind of the move."""
    s.move[s.cards.shape[0] + kind] = 1


@kernel
def note_take(s, player, place, card):
    """A card leaves a hand; later cards move up by one place, with what is known about them."""
    players, size, colors, ranks = sizes(s)
    kinds = colors * ranks
    width = kinds + colors + ranks
    noted = 2 * players + 4 + colors + ranks + size
    s.move[noted + place] = 1
    s.move[noted + size + card] = 1
    for k in range(place * kinds, (size - 1) * kinds):
        s.hands[player, k] = s.hands[player, k + kinds]
    for k in range(place * width, (size - 1) * width):
        s.knowledge[player, k] = s.knowledge[player, k + width]
    for k in range(kinds):
        s.hands[player, (size - 1) * kinds + k] = 0
    for k in range(width):
        s.knowledge[player, (size - 1) * width + k] = 0
    s.short[player] = 1


@kernel
def note_built(s, card):
    """A card was played right: its firework has grown."""
    ranks, built = sizes(s)[3], fireworks_at(s)
    if card % ranks > 0:
        s.board[built + card - 1] = 0
    s.board[built + card] = 1
    s.move[s.move.shape[0] - 2] = 1


@kernel
def note_regained(s, gained):
    """Whether the card that was played has returned an information token."""
    s.move[s.move.shape[0] - 1] = gained


@kernel
def note_discard(s, card):
    """A card is on the discard pile."""
    place = discards_at(s, card)
    while s.board[place] != 0:
        place += 1
    s.board[place] = 1


@kernel
def note_token(s, number, there):
    """Whether a token is there; after the information tokens come the lives."""
    s.board[tokens_at(s) + number] = there


@kernel
def note_hint(s, target, of_rank, value):
    """A hint of a rank or a color to a player."""
    players, _, colors, _ = sizes(s)
    note_kind(s, HINT_RANK if of_rank else HINT_COLOR)
    s.move[players + 4 + target] = 1
    s.move[2 * players + 4 + (colors if of_rank else 0) + value] = 1


@kernel
def note_match(s, player, place, of_rank, value, match):
    """What is known about a card after a hint of one rank or color that it matches, or does not match."""
    players, _, colors, ranks = sizes(s)
    kinds = colors * ranks
    s.move[2 * players + 4 + colors + ranks + place] = match
    first = place * (kinds + colors + ranks)
    for c in range(colors):
        for r in range(ranks):
            if ((r if of_rank else c) == value) != match:
                s.knowledge[player, first + c * ranks + r] = 0
    if match:
        s.knowledge[player, first + kinds + (colors if of_rank else 0) + value] = 1


@kernel
def observe(s, agent, out):
    players = s.cards.shape[0]
    at = 0
    for k in range(1, players):
        player = seat(agent + k, players)
        for i in range(s.hands.shape[1]):
            out[at + i] = s.hands[player, i]
        at += s.hands.shape[1]
    for k in range(players):
        out[at + k] = s.short[seat(agent + k, players)]
    at += players
    for i in range(s.board.shape[0]):
        out[at + i] = s.board[i]
    at += s.board.shape[0]
    for i in range(s.move.shape[0]):
        out[at + i] = s.move[i]
    for k in range(players):
        out[at + k] = s.move[seat(agent + k, players)]
        out[at + players + 4 + k] = s.move[players + 4 + seat(agent + k, players)]
    at += s.move.shape[0]
    for k in range(players):
        player = seat(agent + k, players)
        for i in range(s.knowledge.shape[1]):
            out[at + i] = s.knowledge[player, i]
        at += s.knowledge.shape[1]


@kernel
def seat(player, players):
    """A player's seat; `player` may exceed the last seat."""
    return player - players if player >= players else player


@kernel
def seen_copies(s, agent, card):
    """The number of cards of a kind that an agent sees: on the firework, discarded, and in the others' hands."""
    players, _, _, ranks = sizes(s)
    color, rank = card // ranks, card % ranks
    seen = np.int64(s.fireworks[color] > rank)
    place = discards_at(s, card)
    for k in range(copies(rank, ranks)):
        seen += s.board[place + k]
    for player in range(players):
        for i in range(s.held[player] if player != agent else 0):
            seen += s.cards[player, i] == card
    return seen
