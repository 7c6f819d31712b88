"""Hanabi's baseline "convention"."""

from __future__ import annotations

import numpy as np

from envsuite.agents.games import hanabi_table
from envsuite.core.kernel import large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import choose_legal, policy

#: The least that a hint must gain.
LEAST = 0.5


@large_kernel
def start_forecast(memory):
    """Copy what was read, as the start of a forecast."""
    for c in range(5):
        memory.fireworks[hanabi_table.NOW, c] = memory.fireworks[hanabi_table.READ, c]
    for card in range(25):
        memory.left[hanabi_table.NOW, card] = memory.left[hanabi_table.READ, card]
    for k in range(memory.players):
        for i in range(memory.size):
            memory.known[hanabi_table.NOW, k, i] = memory.known[hanabi_table.READ, k, i]
            memory.touched[hanabi_table.NOW, k, i] = memory.touched[hanabi_table.READ, k, i]
            if k == 0:
                memory.known[hanabi_table.NOW, k, i] &= memory.hidden
    hanabi_table.survey(memory)


@large_kernel
def choose_play(memory, player):
    """The place of the card that a player would play, or none.

    A card that is certainly playable comes first, then a card that a hint has touched and that may be playable: hints
    are given for playable cards. Of several such cards, the newest comes first.
    """
    best, place = 0, hanabi_table.NOTHING
    for i in range(memory.held[player]):
        possible = memory.known[hanabi_table.NOW, player, i] & ~memory.gone
        live = possible & ~memory.dead
        sure = 0
        if possible != 0 and possible & ~memory.playable == 0:
            sure = 3
        elif memory.touched[hanabi_table.NOW, player, i] != 0 and live & memory.playable != 0:
            sure = 2 if live & ~memory.playable == 0 else 1
        if sure > 0 and sure >= best:
            best, place = sure, i
    return place


@large_kernel
def choose_discard(memory, player):
    """The place of the card that a player would discard: a useless card, or the oldest that no hint has touched."""
    for i in range(memory.held[player]):
        known = memory.known[hanabi_table.NOW, player, i]
        if known != 0 and known & ~memory.gone & ~memory.dead == 0:
            return i
    for i in range(memory.held[player]):
        if memory.touched[hanabi_table.NOW, player, i] == 0:
            return i
    return 0


@large_kernel
def forecast(memory):
    """The value of the others' next turns if they follow this policy: right plays, minus wrong plays and losses."""
    value = 0.0
    players, ranks = memory.players, memory.ranks
    for turn in range(1, memory.rounds * players):
        k = turn % players
        if k == 0:
            continue
        place = choose_play(memory, k)
        if place != hanabi_table.NOTHING:
            card = memory.cards[k, place]
            memory.left[hanabi_table.NOW, card] -= 1
            if memory.fireworks[hanabi_table.NOW, card // ranks] == card % ranks:
                memory.fireworks[hanabi_table.NOW, card // ranks] += 1
                value += 1.0
            else:
                value -= memory.wrong
            memory.known[hanabi_table.NOW, k, place] = 0
            memory.touched[hanabi_table.NOW, k, place] = 1
            hanabi_table.survey(memory)
        elif turn < players:
            card = memory.cards[k, choose_discard(memory, k)]
            if (memory.dead >> card) & 1 == 0 and memory.left[hanabi_table.NOW, card] == 1:
                value -= memory.loss
    return value


@large_kernel
def forecast_hint(memory, player, of_rank, wanted):
    """The forecast after a hint of one color or rank to a player."""
    start_forecast(memory)
    matching = 0
    for card in range(memory.colors * memory.ranks):
        if (card % memory.ranks if of_rank else card // memory.ranks) == wanted:
            matching |= np.int64(1) << card
    news = 0
    for i in range(memory.held[player]):
        before = memory.known[hanabi_table.READ, player, i]
        if (matching >> memory.cards[player, i]) & 1 != 0:
            memory.known[hanabi_table.NOW, player, i] = before & matching
            memory.touched[hanabi_table.NOW, player, i] = 1
        else:
            memory.known[hanabi_table.NOW, player, i] = before & ~matching
        news += memory.known[hanabi_table.NOW, player, i] != before
    return forecast(memory) + 0.01 * news


@policy(
    "envsuite/Hanabi-v0",
    "convention",
    hanabi_table.VIEW,
    hanabi_table.contradiction,
    wrong=Between(0, 1000).at(2.0),
    loss=Between(0, 1000).at(1.0),
    rounds=Between(1, 10).at(3),
    players=hanabi_table.UP_TO_FIVE.at(0),
    colors=hanabi_table.UP_TO_FIVE.at(0),
    ranks=hanabi_table.UP_TO_FIVE.at(0),
)
def convention(memory, observation, mask):
    """Plays hinted cards that may be playable, and gives the hints after which the others play best by the same rule.

    The worth of a hint is the value of the others' next moves within `rounds` rounds: plus 1 for a right play, minus
    `wrong` for a wrong play, and minus `loss` if the last copy of a needed card would be discarded in the first round.
    The best hint is given if it gains something. Otherwise a useless card is discarded, or the oldest card that no hint
    has touched. When the deck is empty, the most likely card is played while a life can be lost.

    `players`, `colors` and `ranks` that are 0 are found from the lengths of observation and mask. This is correct for
    all variants. Some games of other sizes have the same lengths; the game with fewer players and more ranks is then
    assumed. If no game has these lengths, moves are random.
    """
    if memory.size == 0:
        hanabi_table.find_sizes(memory, observation.shape[0], mask.shape[0])
        if memory.size == 0:
            return choose_legal(memory, mask)
    size, hints = memory.size, 2 * memory.size
    of_color = (memory.players - 1) * memory.colors
    hanabi_table.read(memory, observation)
    start_forecast(memory)
    place = choose_play(memory, hanabi_table.MYSELF)
    if place != hanabi_table.NOTHING:
        return size + place
    if memory.deck == 0 and memory.lives > 1:
        place = hanabi_table.likely_play(memory)
        if place != hanabi_table.NOTHING:
            return size + place
    away = choose_discard(memory, hanabi_table.MYSELF)
    best, gain = hanabi_table.NOTHING, LEAST
    if mask[away] == 0:
        gain = -np.inf
    elif memory.needed >= memory.deck + memory.players:  # every turn without a play costs a point
        gain = -LEAST
    gain += forecast(memory)
    for action in range(hints, mask.shape[0]):
        if mask[action] != 0:
            of_rank = action - hints >= of_color
            number = action - hints - (of_color if of_rank else 0)
            values = memory.ranks if of_rank else memory.colors
            value = forecast_hint(memory, 1 + number // values, of_rank, number % values)
            if value > gain:
                best, gain = action, value
    if best != hanabi_table.NOTHING:
        return best
    return away if mask[away] != 0 else choose_legal(memory, mask)
