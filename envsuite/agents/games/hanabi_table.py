"""What the baselines of Hanabi read from an observation, and the memory for it.

A set of cards is a number; bit color * ranks + rank is 1 if the set contains that card, with both counted from 0.
Players are numbered from the observing player, which is 0. What a policy has read is stored at index READ of its
memory's arrays. A forecast works on a copy at index NOW.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.kernel import large_kernel
from envsuite.core.parameters import Between
from envsuite.core.ranges import limited, scratch
from envsuite.games.hanabi.sight import copies

NOTHING = -1
READ, NOW = range(2)
MYSELF = np.int64(0)  # not a literal, for which Numba would compile the kernels again

#: The range of a size that the user may give; 0 if it is to be found from the observation.
UP_TO_FIVE = Between(0, 5)

#: The variants: colors, ranks, hand size, information tokens plus life tokens.
KNOWN = np.array([(5, 5, 5, 11), (5, 5, 4, 11), (2, 5, 2, 4), (2, 2, 3, 6)])

#: The largest set of cards.
SETS = (1 << 25) - 1

#: The memory of both policies.
VIEW = {
    **{"size": limited(0, 0, 8), "tokens": limited(0, 0, 30)},
    **{name: scratch(()) for name in ("most", "hints", "lives", "deck", "moved", "needed")},
    **{name: scratch(()) for name in ("playable", "dead", "gone", "precious", "hidden")},
    **{"fireworks": limited(np.zeros((2, 5), int), 0, 5), "left": limited(np.zeros((2, 25), int), 0, 3)},
    "unseen": scratch(25),
    **{"known": scratch((2, 5, 8)), "touched": scratch((2, 5, 8))},
    **{"held": scratch(5), "cards": limited(np.zeros((5, 8), int), 0, 24)},
}


def contradiction(memory: Any, world: Any) -> str | None:
    """The sizes must be those of this world."""
    if memory.size == 0:
        return None
    found = (memory.players, memory.size, memory.colors, memory.ranks)
    if found != world.sizes:
        return f"players, size, colors and ranks are {found}, not {world.sizes}"
    tokens = tokens_left(*found, world.slot_shape[0])
    return None if memory.tokens == tokens else f"tokens is {memory.tokens}, not {tokens}"


@large_kernel
def tokens_left(players, size, colors, ranks, length):
    """The number of an observation's entries left for the tokens with these sizes; 0 if the sizes are impossible."""
    kinds, cards = colors * ranks, colors * max(2 * ranks, 3)
    if not 1 <= size <= 8 or players * size > cards:
        return 0
    hands = (players - 1) * size * kinds + players
    board = 2 * cards - players * size + kinds
    move = 2 * players + 6 + colors + ranks + 2 * size + kinds
    tokens = length - (hands + board + move + players * size * (kinds + colors + ranks))
    return tokens if 1 <= tokens <= 30 else 0


@large_kernel
def find_sizes(memory, length, actions):
    """Find the sizes of the game: those of a variant that fits the lengths and given sizes, or the first that fit."""
    for attempt in range(3):  # variants; other sizes with the full game's tokens; any
        for players in range(2, 6):
            for ranks in range(5, 0, -1):
                for colors in range(5, 0, -1):
                    if memory.players not in (0, players) or memory.colors not in (0, colors):
                        continue
                    hints = (players - 1) * (colors + ranks)
                    size = (actions - hints) // 2
                    tokens = tokens_left(players, size, colors, ranks, length)
                    if tokens == 0 or 2 * size + hints != actions or memory.ranks not in (0, ranks):
                        continue
                    variant = False
                    for k in range(KNOWN.shape[0]):
                        known = KNOWN[k]
                        same = known[0] == colors and known[1] == ranks and known[2] == size and known[3] == tokens
                        variant = variant or same
                    if variant or attempt == 2 or (attempt == 1 and tokens == KNOWN[0, 3]):
                        memory.players, memory.size, memory.colors, memory.ranks = players, size, colors, ranks
                        memory.tokens = tokens
                        return


@large_kernel
def read(memory, observation):
    """Read an observation: the board, the copies left of each card, the hands, and what hints show about all cards.

    It fills the entries READ and stores the position of the last move in `moved`.
    """
    players, size, colors, ranks = memory.players, memory.size, memory.colors, memory.ranks
    kinds, cards = colors * ranks, colors * max(2 * ranks, 3)
    at = (players - 1) * size * kinds + players
    memory.deck = 0
    for k in range(cards - players * size):
        memory.deck += observation[at + k]
    at += cards - players * size
    for c in range(colors):
        memory.fireworks[READ, c] = 0
        for r in range(ranks):
            if observation[at + c * ranks + r] != 0:
                memory.fireworks[READ, c] = r + 1
    at += kinds
    memory.most = memory.tokens - (1 if memory.tokens == KNOWN[2, 3] else 3)
    memory.hints, memory.lives, memory.hidden = 0, 0, 0
    for k in range(memory.tokens):
        if k < memory.most:
            memory.hints += observation[at + k]
        else:
            memory.lives += observation[at + k]
    at += memory.tokens
    for card in range(kinds):
        number = copies(card % ranks, ranks)
        left = number - (card % ranks < memory.fireworks[READ, card // ranks])
        for k in range(number):
            left -= observation[at + k]
        at += number
        memory.left[READ, card] = left
        for k in range((players - 1) * size):
            left -= observation[k * kinds + card]
        memory.unseen[card] = left
        if left > 0:  # unseen copies are left, so this card can be in the own hand
            memory.hidden |= np.int64(1) << card
    memory.moved = at
    at += 2 * players + 6 + colors + ranks + 2 * size + kinds
    for k in range(players):
        memory.held[k] = 0
        for i in range(size):
            known = 0
            for card in range(kinds):
                known |= np.int64(observation[at + card] != 0) << card
                if k > 0 and observation[((k - 1) * size + i) * kinds + card] != 0:
                    memory.cards[k, i] = card
            touched = 0
            for value in range(colors + ranks):
                touched |= np.int64(observation[at + kinds + value] != 0)
            at += kinds + colors + ranks
            memory.held[k] += known != 0
            memory.known[READ, k, i] = known
            memory.touched[READ, k, i] = touched


@large_kernel
def survey(memory):
    """Find the cards that are playable now, never playable again, gone, and needed last copies."""
    memory.playable, memory.dead, memory.gone, memory.precious, memory.needed = 0, 0, 0, 0, 0
    for c in range(memory.colors):
        reachable = True
        for r in range(memory.ranks):
            bit = np.int64(1) << (c * memory.ranks + r)
            left = memory.left[NOW, c * memory.ranks + r]
            if left == 0:
                memory.gone |= bit
            if r < memory.fireworks[NOW, c]:
                memory.dead |= bit
                continue
            reachable = reachable and left > 0
            memory.needed += reachable
            if not reachable:
                memory.dead |= bit
                continue
            if r == memory.fireworks[NOW, c]:
                memory.playable |= bit
            if left == 1:
                memory.precious |= bit


@large_kernel
def likely_play(memory):
    """The place of the own card that is most likely playable, or none if no card can be."""
    best, place = 0.0, NOTHING
    for i in range(memory.held[0]):
        right, all = 0, 0
        for card in range(memory.colors * memory.ranks):
            if (memory.known[NOW, 0, i] >> card) & 1 != 0:
                all += memory.unseen[card]
                right += memory.unseen[card] if (memory.playable >> card) & 1 != 0 else 0
        if right > best * all:
            best, place = right / all, i
    return place
