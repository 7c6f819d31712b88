"""Hanabi's baseline "smart".

`options` is the set of cards that a card may be by what all players know. It is updated for every move, the
policy's own move first. An observation shows only the last move; earlier moves are found from what they changed. READ
is what was read; NOW is the board up to the move that is being followed. The number of a hint is its color, or the
number of colors plus its rank.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.agents.games.hanabi_table import (
    MYSELF,
    NOTHING,
    NOW,
    READ,
    SETS,
    UP_TO_FIVE,
    VIEW,
    contradiction,
    find_sizes,
    likely_play,
    read,
    survey,
)
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.ranges import limited, scratch
from envsuite.games.hanabi.sight import DISCARD, HINT_COLOR, PLAY, copies

#: The worth of a hint: if it shows a playable card; for each such card; for each turn by which its target moves sooner.
#: Each option that it excludes is worth 1.
SHOWS, CARD, SOONER = 1000, 30, 4


@kernel
def count_cards(cards):
    """The number of cards in a set."""
    count = 0
    while cards != 0:
        cards &= cards - 1
        count += 1
    return count


@kernel
def undecided(options, cards):
    """Whether a card with these options may be in a set, but need not be."""
    return options & cards != 0 and options & ~cards != 0


@large_kernel
def value_set(memory, number):
    """The cards of one color or one rank, as a set."""
    if number < memory.colors:
        return ((np.int64(1) << memory.ranks) - 1) << (number * memory.ranks)
    found = np.int64(0)
    for c in range(memory.colors):
        found |= np.int64(1) << (c * memory.ranks + number - memory.colors)
    return found


@large_kernel
def touch(memory, target, cards):
    """The places of another player's hand that hold one of these cards, as a set."""
    touched = np.int64(0)
    for i in range(memory.number[target]):
        touched |= (cards >> memory.shown[target, i] & 1) << i
    return touched


@large_kernel
def narrow(memory, player, place, cards):
    """Restrict a card to a set. A contradiction, which misread moves may cause, changes nothing."""
    if memory.options[player, place] & cards != 0:
        memory.options[player, place] &= cards


@large_kernel
def settle(memory):
    """Exclude everywhere the cards whose copies are all gone or in known places; then survey the board."""
    changed = True
    while changed:
        changed = False
        placed = np.int64(0)
        for card in range(memory.colors * memory.ranks):
            known = 0
            for k in range(memory.players):
                for i in range(memory.number[k]):
                    known += memory.options[k, i] == np.int64(1) << card
            if known >= memory.left[NOW, card]:
                placed |= np.int64(1) << card
        for k in range(memory.players):
            for i in range(memory.number[k]):
                options = memory.options[k, i]
                if options & (options - 1) != 0 and undecided(options, placed):
                    memory.options[k, i] = options & ~placed
                    changed = True
    survey(memory)


@large_kernel
def next_discard(memory, player):
    """The place of the card that a player would discard, or none if it has a better move."""
    best, place = -1.0, NOTHING
    for i in range(memory.number[player]):
        options = memory.options[player, i]
        if options & ~memory.playable == 0 or options & ~memory.dead == 0:
            return NOTHING
        if options & ~memory.precious != 0:
            useless = count_cards(options & memory.dead) / count_cards(options)
            if useless > best:
                best, place = useless, i
    return place


@large_kernel
def not_warned(memory, player):
    """Apply that a player gave no warning: the card that the next player would discard is not the last of its kind."""
    if memory.stock > 0 and memory.information > 0:
        warned = (player + 1) % memory.players
        place = next_discard(memory, warned)
        if place != NOTHING:
            narrow(memory, warned, place, ~memory.precious)


@large_kernel
def endangered(memory, player):
    """Whether another player would discard the last card of a kind that is needed."""
    place = next_discard(memory, player)
    return place != NOTHING and memory.precious >> memory.shown[player, place] & 1 != 0


@large_kernel
def warns(memory, player, target, number, touched):
    """Whether a hint warns: a rank hint to the next player on the card that it would discard, which can be precious."""
    if number < memory.colors or target != (player + 1) % memory.players:
        return False
    place = next_discard(memory, target)
    if place == NOTHING or touched >> place & 1 == 0:
        return False
    options = memory.options[target, place]
    return undecided(options, memory.precious) and options & value_set(memory, number) & memory.precious != 0


@large_kernel
def remove(memory, player, place, card, played, drawn):
    """Update what all players know after a play or discard; `drawn` is the card that enters the hand."""
    color, rank = card // memory.ranks, card % memory.ranks
    not_warned(memory, player)
    memory.left[NOW, card] -= 1
    regained = not played
    if played and memory.fireworks[NOW, color] == rank:
        memory.fireworks[NOW, color] += 1
        regained = rank == memory.ranks - 1
    memory.information = min(memory.information + regained, memory.most)
    memory.number[player] -= 1
    for i in range(place, memory.number[player]):
        memory.options[player, i] = memory.options[player, i + 1]
        memory.told[player, i] = memory.told[player, i + 1]
        memory.shown[player, i] = memory.shown[player, i + 1]
    if memory.stock > 0:
        memory.stock -= 1
        last = memory.number[player]
        memory.number[player] += 1
        memory.options[player, last] = memory.told[player, last] = memory.all
        memory.shown[player, last] = drawn


@large_kernel
def hear(memory, player, target, number, touched):
    """Update what all players know after a hint that touched these places.

    The newest touched card that may be playable is playable, unless the hint shows another playable card or warns.
    """
    warning = warns(memory, player, target, number, touched)
    if warning:
        narrow(memory, target, next_discard(memory, target), memory.precious)
    matching = value_set(memory, number)
    shows, newest = False, NOTHING
    for i in range(memory.number[target] - 1, -1, -1):
        open = undecided(memory.options[target, i], memory.playable)
        match = touched >> i & 1 != 0
        of = matching if match else ~matching
        narrow(memory, target, i, of)
        memory.told[target, i] &= of
        if open:
            if memory.options[target, i] & ~memory.playable == 0:
                shows = True
            elif newest == NOTHING and match and memory.options[target, i] & memory.playable != 0:
                newest = i
    if not (shows or warning) and newest != NOTHING:
        narrow(memory, target, newest, memory.playable)
    if target != (player + 1) % memory.players:
        not_warned(memory, player)
    memory.information -= 1


@large_kernel
def promise(memory):
    """Find the playable cards whose holders know that they are playable."""
    memory.promised = 0
    for k in range(memory.players):
        for i in range(memory.number[k]):
            options = memory.options[k, i]
            if options & ~memory.playable == 0:
                if k > 0:
                    memory.promised |= np.int64(1) << memory.shown[k, i]
                elif options & (options - 1) == 0:
                    memory.promised |= options


@large_kernel
def worth(memory, player, target, number, touched):
    """The worth of a player's hint: SHOWS and more if it shows a playable card or warns correctly, 0 if it misleads.

    The policy's own cards are hidden from it; it assumes the best case for them.
    """
    if warns(memory, player, target, number, touched):
        return SHOWS if target == 0 or endangered(memory, target) else 0
    matching, promised, guess = value_set(memory, number), memory.promised, np.int64(0)
    shows, right, newest, excluded, cards = False, False, True, 0, 0
    for i in range(memory.number[target] - 1, -1, -1):
        before = memory.options[target, i]
        match = touched >> i & 1 != 0
        after = before & (matching if match else ~matching)
        excluded += count_cards(before & ~after)
        bit = np.int64(1) << memory.shown[target, i]
        if target == 0:
            bit = after if after & (after - 1) == 0 else 0
        if undecided(before, memory.playable):
            if after & ~memory.playable == 0:
                shows = True
                cards += bit & promised == 0
                promised |= bit
            elif newest and match and after & memory.playable != 0:
                newest, guess = False, bit
                right = target == 0 or bit & memory.playable != 0
    if not shows and not right:
        return excluded if newest else 0
    if not shows:
        cards += guess & promised == 0
    return SHOWS + excluded + CARD * cards + SOONER * (memory.players - (target - player) % memory.players)


@large_kernel
def place_of(memory, player):
    """The place from which a player can have taken a card, by what has changed; or none.

    Several places have equal cards. Then a certainly playable card comes first, otherwise the oldest.
    """
    number, best, found = memory.number[player], 0, NOTHING
    for place in range(number):
        fits = True
        for i in range(number - 1):
            before = i + (i >= place)
            fits = fits and memory.shown[player, before] == memory.cards[player, i]
            fits = fits and memory.known[READ, player, i] & ~memory.told[player, before] == 0
        sure = 2 if memory.options[player, place] & ~memory.playable == 0 else 1
        if fits and sure > best:
            best, found = sure, place
    return found


@large_kernel
def stays(memory, player):
    """Whether a hand looks as if no card was taken from it since the policy's last move."""
    number = memory.number[player]
    same, news = number == memory.held[player], False
    for i in range(number if same else 0):
        same = same and memory.shown[player, i] == memory.cards[player, i]
        same = same and memory.known[READ, player, i] & ~memory.told[player, i] == 0
        news = news or memory.known[READ, player, i] != memory.told[player, i]
    # A hint shows something about every card about which nothing is known yet.
    return same and not (news and memory.known[READ, player, number - 1] == memory.all)


@large_kernel
def drawn_card(memory):
    """A card that has left a hand and is not accounted for yet."""
    for card in range(memory.colors * memory.ranks):
        if memory.fresh[card] > 0:
            return card
    return 0


@large_kernel
def find_hint(memory, player):
    """Find the hint that a player gave and follow it: of the hints that fit what is known now, the most valuable."""
    best, found, given, reached = 0, NOTHING, 0, np.int64(0)
    warned = (player + 1) % memory.players
    danger = warned != 0 and endangered(memory, warned)
    promise(memory)
    for step in range(1, memory.players):
        target = (player + step) % memory.players
        taken = memory.taken[target] if target > player else NOTHING  # the target moves later
        for number in range(memory.colors + memory.ranks):
            matching = value_set(memory, number)
            touched, news, possible = np.int64(0), False, True
            for i in range(memory.number[target]):
                known = memory.known[READ, target, i - (taken != NOTHING and i > taken)]
                match = known & ~matching == 0
                if target != 0:
                    match = matching >> memory.shown[target, i] & 1 != 0
                touched |= np.int64(match) << i
                of = matching if match else ~matching
                if i != taken:
                    possible = possible and known & ~of == 0
                    news = news or memory.told[target, i] & ~of != 0
            if possible and news and touched != 0:
                gain = 1 + worth(memory, player, target, number, touched)
                if danger and target == warned and gain > SHOWS:
                    gain += SHOWS
                if target == memory.last_target and number == memory.last_number:
                    gain = 1  # the last move shows this hint anyway
                if gain > best:
                    best, found, given, reached = gain, target, number, touched
    if found == NOTHING:
        not_warned(memory, player)
        memory.information -= 1
    else:
        hear(memory, player, found, given, reached)


@large_kernel
def begin(memory):
    """Reconstruct the deal, as far as the observation after the first moves shows it."""
    memory.all = (np.int64(1) << (memory.colors * memory.ranks)) - 1
    memory.stock = memory.colors * max(2 * memory.ranks, 3) - memory.players * memory.size
    memory.information = memory.most
    for card in range(memory.colors * memory.ranks):
        memory.left[NOW, card] = copies(card % memory.ranks, memory.ranks)
    for k in range(memory.players):
        memory.number[k] = memory.size
        for i in range(memory.size):
            memory.options[k, i] = memory.told[k, i] = memory.all
            memory.shown[k, i] = memory.cards[k, i]


@large_kernel
def last_move(memory, observation):
    """The last move: its kind, and of a card its place, the places that a hint touched, and the card itself."""
    players, size, values = memory.players, memory.size, memory.colors + memory.ranks
    at, kind, place, reached, card = memory.moved, NOTHING, 0, np.int64(0), 0
    memory.last_target, memory.last_number = NOTHING, NOTHING
    for k in range(4):
        kind = k if observation[at + players + k] != 0 else kind
    for k in range(players):
        memory.last_target = k if observation[at + players + 4 + k] != 0 else memory.last_target
    for k in range(values):
        memory.last_number = k if observation[at + 2 * players + 4 + k] != 0 else memory.last_number
    at += 2 * players + 4 + values
    for i in range(size):
        reached |= np.int64(observation[at + i] != 0) << i
        place = i if observation[at + size + i] != 0 else place
    for k in range(memory.colors * memory.ranks):
        card = k if observation[at + 2 * size + k] != 0 else card
    return kind, place, reached, card


@large_kernel
def find_taken(memory, first, kind, place, card):
    """Find the places from which players took cards; the card that is left over was the policy's own."""
    players, size, last, new, again = memory.players, memory.size, memory.players - 1, memory.fresh, memory.begun
    for k in range(memory.colors * memory.ranks):
        new[k] = memory.left[NOW, k] - memory.left[READ, k]
    drawn = memory.stock - memory.deck
    for k in range(players):
        memory.taken[k] = NOTHING
    if first < players and kind <= DISCARD:
        memory.taken[last] = place
        new[card] -= 1
        drawn -= 1
        if not again:
            for i in range(size - 1, place, -1):
                memory.shown[last, i] = memory.shown[last, i - 1]
            memory.shown[last, place] = card
    drawn -= again and memory.action < 2 * size
    for attempt in range(2):  # hands that changed; then any, as a drawn card may equal the taken one
        for k in range(first + 1, last):  # the first player of the game can only hint
            if memory.taken[k] == NOTHING and (not stays(memory, k) if attempt == 0 else drawn > 0):
                memory.taken[k] = place_of(memory, k)
                drawn -= memory.taken[k] != NOTHING
    for k in range(first + 1, last):
        if memory.taken[k] != NOTHING:
            if not again:
                memory.shown[k, memory.taken[k]] = drawn_card(memory)
            new[memory.shown[k, memory.taken[k]]] -= 1


@large_kernel
def catch_up(memory):
    """Replace what was followed by what was read."""
    memory.begun = 1
    memory.information, memory.stock = memory.hints, memory.deck
    for k in range(memory.players):
        memory.number[k] = memory.held[k]
        for i in range(memory.held[k]):
            known = memory.known[READ, k, i]
            memory.told[k, i] = known
            memory.shown[k, i] = memory.cards[k, i]
            narrow(memory, k, i, known)
            if memory.options[k, i] & ~known != 0:
                memory.options[k, i] = known
    for c in range(memory.colors):
        memory.fireworks[NOW, c] = memory.fireworks[READ, c]
    for k in range(memory.colors * memory.ranks):
        memory.left[NOW, k] = memory.left[READ, k]
    settle(memory)


@large_kernel
def follow(memory, observation):
    """Follow all moves since the policy's last move, including that move."""
    players, size, ranks, first, last = memory.players, memory.size, memory.ranks, 0, memory.players - 1
    if not memory.begun:
        begin(memory)
        first = players - memory.agent
    kind, place, reached, card = last_move(memory, observation)
    find_taken(memory, first, kind, place, card)
    for k in range(first, players):
        settle(memory)
        if k == 0:
            if memory.action >= 2 * size:
                hear_own(memory)
            else:
                remove(memory, MYSELF, memory.action % size, drawn_card(memory), memory.action >= size, MYSELF)
        elif memory.taken[k] != NOTHING:
            gone = memory.shown[k, memory.taken[k]]
            played = kind == PLAY
            if k != last:
                played = memory.fireworks[NOW, gone // ranks] == gone % ranks < memory.fireworks[READ, gone // ranks]
            remove(memory, k, memory.taken[k], gone, played, memory.cards[k, size - 1])
        elif k == last and kind >= HINT_COLOR:
            hear(memory, k, memory.last_target, memory.last_number, reached)
        else:
            find_hint(memory, k)
    catch_up(memory)


@large_kernel
def hear_own(memory):
    """Update what all players know after the policy's own last hint."""
    number, values, base = memory.action - 2 * memory.size, memory.colors, MYSELF
    if number >= (memory.players - 1) * memory.colors:
        number -= (memory.players - 1) * memory.colors
        values, base = memory.ranks, memory.colors
    target = 1 + number // values
    number = base + number % values
    hear(memory, MYSELF, target, number, touch(memory, target, value_set(memory, number)))


@large_kernel
def sight(memory):
    """Find what the own cards can be by everything that is seen, and store it in `known`."""
    hidden = np.int64(0)
    for card in range(memory.colors * memory.ranks):
        known = 0
        for i in range(memory.number[0]):
            known += memory.options[0, i] == np.int64(1) << card
        if known < memory.unseen[card]:
            hidden |= np.int64(1) << card
    for i in range(memory.number[0]):
        options = memory.options[0, i]
        if options & (options - 1) != 0 and options & hidden != 0:
            options &= hidden
        memory.known[NOW, 0, i] = options


@large_kernel
def best_hint(memory, last, least):
    """The action of the best hint to the players up to `last`, or none if no hint is worth more than `least`."""
    best, action = least, NOTHING
    promise(memory)
    for target in range(1, last + 1):
        for number in range(memory.colors + memory.ranks):
            touched = touch(memory, target, value_set(memory, number))
            gain = worth(memory, MYSELF, target, number, touched) if touched != 0 else least
            if gain > best:
                best, action = gain, 2 * memory.size + number + (target - 1) * memory.colors
                if number >= memory.colors:
                    action += (memory.players - 1 - target) * memory.colors + (target - 1) * memory.ranks
    return action


@large_kernel
def safe_play(memory):
    """The place of a certainly playable own card, or none. Cards that others do not know come first, then low ranks."""
    best, place = 0, NOTHING
    for i in range(memory.number[0]):
        options = memory.known[NOW, 0, i]
        if options & ~memory.playable != 0:
            continue
        gain = 7
        for r in range(memory.ranks):
            if options & ~value_set(memory, memory.colors + r) == 0:
                gain = 5 - r
        gain += 100 if memory.options[0, i] & ~memory.playable != 0 else 0
        if gain > best:
            best, place = gain, i
    return place


@large_kernel
def throw(memory):
    """The place of the own card to discard."""
    for i in range(memory.number[0]):
        if memory.known[NOW, 0, i] & ~memory.dead == 0:
            return i
    place = next_discard(memory, MYSELF)
    if place == NOTHING:  # all cards are the last of their kinds
        high = -1
        for i in range(memory.number[0]):
            rank = 0
            for r in range(memory.ranks):
                rank = r + 1 if memory.options[0, i] & ~value_set(memory, memory.colors + r) == 0 else rank
            if rank > high:
                high, place = rank, i
    return place


@large_kernel
def decide(memory):
    """The action to take."""
    size, players = memory.size, memory.players
    sight(memory)
    if memory.stock > 0 and memory.information > 0 and endangered(memory, MYSELF + 1):
        action = best_hint(memory, MYSELF + 1, SHOWS - 1)
        if action != NOTHING:
            return action
    place = safe_play(memory)
    if place == NOTHING and memory.stock == 0 and memory.lives > 1:
        place = likely_play(memory)
    if place != NOTHING:
        return size + place
    if memory.information > 0:
        action = best_hint(memory, players - 1, SHOWS)
        if action != NOTHING:
            return action
    full = memory.information == memory.most
    if full or (memory.information > 0 and memory.needed >= memory.stock + players):  # a discard costs a point
        action = best_hint(memory, players - 1, -1 if full else 0)
        if action != NOTHING:
            return action
    return throw(memory)


def _contradiction(memory: Any, world: Any) -> str | None:
    """Hands are full until the deck is empty, and the last action was one."""
    for k in range(memory.players if memory.begun else 0):
        least = memory.size - (memory.stock == 0)
        if not least <= memory.number[k] <= memory.size:
            return f"number[{k}] is {memory.number[k]}, out of range {least} .. {memory.size}"
    if memory.action >= world.num_actions:
        return f"action is {memory.action}, out of range 0 .. {world.num_actions - 1}"
    return "begun is 1 and size is 0" if memory.begun and memory.size == 0 else contradiction(memory, world)


@policy(
    "envsuite/Hanabi-v0",
    "smart",
    {
        **VIEW,
        **{"all": limited(0, 0, SETS), "begun": limited(0, 0, 1), "action": limited(0, 0, 2 * 8 + 4 * 10 - 1)},
        **{"stock": limited(0, 0, 50), "information": limited(0, 0, 30)},
        **{name: scratch(()) for name in ("promised", "last_target", "last_number")},
        **{name: limited(np.zeros((5, 8), int), 0, SETS) for name in ("options", "told")},
        **{"shown": limited(np.zeros((5, 8), int), 0, 24), "number": limited(np.zeros(5, int), 0, 8)},
        **{"taken": scratch(5), "fresh": scratch(25)},
    },
    _contradiction,
    players=UP_TO_FIVE.at(0),
    colors=UP_TO_FIVE.at(0),
    ranks=UP_TO_FIVE.at(0),
)
def smart(memory, observation, mask):
    """Tracks what all players know about every card, and reads more from hints than they say.

    Hints are read as by SmartBot (O'Dwyer, Quuxplusone/Hanabi, 2017):

    - Of the cards that a hint touches and that may be playable, the newest is playable, unless the hint shows another.
    - A player that is about to discard the last copy of a needed card is warned by the player before it: by a better
      hint, or by that card's rank. If no warning comes, the card is not such a copy.

    The other rules are its own, in this order:

    1. Warn the next player.
    2. Play a certainly playable card: first those that the others do not know to be playable, then low ranks.
    3. When the deck is empty, play the most likely card while a life can be lost.
    4. Give the hint that shows the most playable cards and misleads nobody. A playable card that a holder already knows
       does not count; sooner turns and excluded options count a little.
    5. If no token is missing or a discard costs a point, give another hint that does not mislead.
    6. Discard a useless card, otherwise the card that is most likely useless and not known to be needed.

    An observation shows only the last move. The policy finds the moves before it, since its own last move, from what
    they changed: hands, knowledge about cards, the deck. If several hints fit, it assumes the most valuable one.
    With 2 players this is exact; with 3, 4 and 5 it costs about 0.04, 0.04 and 0.07 points. Partners with other rules
    are misread. `players`, `colors` and `ranks` that are 0 are found as by "convention".
    """
    if memory.size == 0:
        find_sizes(memory, observation.shape[0], mask.shape[0])
        if memory.size == 0:
            return choose_legal(memory, mask)
    read(memory, observation)
    follow(memory, observation)
    action = decide(memory)
    if action < 0 or mask[action] == 0:
        action = choose_legal(memory, mask)
    memory.action = action
    return action
