"""Baselines of Hanabi.

A set of cards is a number whose bit colour * ranks + rank says whether it holds that card, both counted from 0. Players
are numbered from the observing one, who is 0. What a policy has read is kept at index READ of its memory's
arrays, and a forecast works on a copy at index NOW.
"""

from __future__ import annotations

import numpy as np

from envsuite.agents.policy import choose_legal, policy
from envsuite.core.kernel import kernel, large_kernel
from envsuite.games.hanabi import copies

NOTHING = -1
READ, NOW = range(2)
MYSELF = np.int64(0)  # as this, not as a literal, for which Numba would compile once more

#: What a hint must gain.
LEAST = 0.5

#: The variants: colours, ranks, hand size, information tokens with life tokens.
KNOWN = np.array([(5, 5, 5, 11), (5, 5, 4, 11), (2, 5, 2, 4), (2, 2, 3, 6)])


@large_kernel
def tokens_left(players, size, colors, ranks, length):
    """How many entries of an observation are left for the tokens if these are the sizes; 0 if they cannot be."""
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
    """Find out which game this is: a variant that fits the lengths and what is given, or the first other game."""
    for attempt in range(3):  # variants; then other sizes with the full game's tokens; then any
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
    """Read an observation: fireworks, copies left of each card, hands, and what hints tell of all cards."""
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
    at += kinds + memory.tokens
    memory.lives = 0
    for k in range(1 if memory.tokens == KNOWN[2, 3] else 3):
        memory.lives += observation[at - 1 - k]
    own = 0
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
        if left > 0:  # not all of them seen, so this card can be in the own hand
            own |= np.int64(1) << card
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
            memory.known[READ, k, i] = known & own if k == 0 else known
            memory.touched[READ, k, i] = touched


@large_kernel
def start_forecast(memory):
    """Copy what was read, for a forecast to work on."""
    for c in range(5):
        memory.fireworks[NOW, c] = memory.fireworks[READ, c]
    for card in range(25):
        memory.left[NOW, card] = memory.left[READ, card]
    for k in range(memory.players):
        for i in range(memory.size):
            memory.known[NOW, k, i] = memory.known[READ, k, i]
            memory.touched[NOW, k, i] = memory.touched[READ, k, i]
    survey(memory)


@large_kernel
def survey(memory):
    """Which cards can be played now, which never again, and of which no copy is left."""
    memory.playable, memory.dead, memory.gone, memory.needed = 0, 0, 0, 0
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
            elif r == memory.fireworks[NOW, c]:
                memory.playable |= bit


@large_kernel
def choose_play(memory, player):
    """The place of the card that a player would play, or none.

    A card that can surely be played comes first; then one that a hint has touched and that may be playable, since
    hints are given so that it is. Of several, the newest.
    """
    best, place = 0, NOTHING
    for i in range(memory.held[player]):
        possible = memory.known[NOW, player, i] & ~memory.gone
        live = possible & ~memory.dead
        sure = 0
        if possible != 0 and possible & ~memory.playable == 0:
            sure = 3
        elif memory.touched[NOW, player, i] != 0 and live & memory.playable != 0:
            sure = 2 if live & ~memory.playable == 0 else 1
        if sure > 0 and sure >= best:
            best, place = sure, i
    return place


@large_kernel
def likely_play(memory):
    """The place of the own card that is most likely playable, or none where none is."""
    best, place = 0.0, NOTHING
    for i in range(memory.held[0]):
        right, all = 0, 0
        for card in range(memory.colors * memory.ranks):
            if (memory.known[READ, 0, i] >> card) & 1 != 0:
                all += memory.unseen[card]
                right += memory.unseen[card] if (memory.playable >> card) & 1 != 0 else 0
        if right > best * all:
            best, place = right / all, i
    return place


@large_kernel
def choose_discard(memory, player):
    """The place of the card that a player would discard: a useless one, else the oldest that no hint has touched."""
    for i in range(memory.held[player]):
        known = memory.known[NOW, player, i]
        if known != 0 and known & ~memory.gone & ~memory.dead == 0:
            return i
    for i in range(memory.held[player]):
        if memory.touched[NOW, player, i] == 0:
            return i
    return 0


@large_kernel
def forecast(memory):
    """What comes of the others' next turns if they play what they would: right plays, less wrong ones and losses."""
    value = 0.0
    players, ranks = memory.players, memory.ranks
    for turn in range(1, memory.rounds * players):
        k = turn % players
        if k == 0:
            continue
        place = choose_play(memory, k)
        if place != NOTHING:
            card = memory.cards[k, place]
            memory.left[NOW, card] -= 1
            if memory.fireworks[NOW, card // ranks] == card % ranks:
                memory.fireworks[NOW, card // ranks] += 1
                value += 1.0
            else:
                value -= memory.wrong
            memory.known[NOW, k, place] = 0
            memory.touched[NOW, k, place] = 1
            survey(memory)
        elif turn < players:
            card = memory.cards[k, choose_discard(memory, k)]
            if (memory.dead >> card) & 1 == 0 and memory.left[NOW, card] == 1:
                value -= memory.loss
    return value


@large_kernel
def forecast_hint(memory, player, of_rank, wanted):
    """The forecast after a hint of one colour or rank to a player."""
    start_forecast(memory)
    matching = 0
    for card in range(memory.colors * memory.ranks):
        if (card % memory.ranks if of_rank else card // memory.ranks) == wanted:
            matching |= np.int64(1) << card
    news = 0
    for i in range(memory.held[player]):
        before = memory.known[READ, player, i]
        if (matching >> memory.cards[player, i]) & 1 != 0:
            memory.known[NOW, player, i] = before & matching
            memory.touched[NOW, player, i] = 1
        else:
            memory.known[NOW, player, i] = before & ~matching
        news += memory.known[NOW, player, i] != before
    return forecast(memory) + 0.01 * news


@policy(
    "envsuite/Hanabi-v0",
    "convention",
    {
        **dict.fromkeys(("size", "tokens", "deck", "lives", "needed", "playable", "dead", "gone"), 0),
        **{"fireworks": np.zeros((2, 5), int), "left": np.zeros((2, 25), int), "unseen": np.zeros(25, int)},
        **{"known": np.zeros((2, 5, 8), int), "touched": np.zeros((2, 5, 8), int)},
        **{"held": np.zeros(5, int), "cards": np.zeros((5, 8), int)},
    },
    wrong=2.0,
    loss=1.0,
    rounds=3,
    players=0,
    colors=0,
    ranks=0,
)
def convention(memory, observation, mask):
    """Plays what a hint has touched and may be playable, and gives the hints after which the others play right by that.

    A hint is worth what the others would do after it within `rounds` rounds: 1 for a right play, less `wrong` for a
    wrong one, and less `loss` where the last copy of a card that is still needed would be discarded in the first
    round. The best hint is given if it gains something; else a useless card is discarded, or the oldest one that no
    hint has touched. When the deck is empty the likeliest card is played, while a life can be lost.

    Of `players`, `colors` and `ranks`, those that are 0 are found from the lengths of observation and mask. That is
    right for all variants; some games of other sizes look alike, and then the one with fewer players and more ranks is
    taken. Where the lengths are those of no game, moves are random.
    """
    if memory.size == 0:
        find_sizes(memory, observation.shape[0], mask.shape[0])
        if memory.size == 0:
            return choose_legal(memory, mask)
    size, hints = memory.size, 2 * memory.size
    of_color = (memory.players - 1) * memory.colors
    read(memory, observation)
    start_forecast(memory)
    place = choose_play(memory, MYSELF)
    if place != NOTHING:
        return size + place
    if memory.deck == 0 and memory.lives > 1:
        place = likely_play(memory)
        if place != NOTHING:
            return size + place
    away = choose_discard(memory, MYSELF)
    best, gain = NOTHING, LEAST
    if mask[away] == 0:
        gain = -np.inf
    elif memory.needed >= memory.deck + memory.players:  # a turn without a play costs a point
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
    if best != NOTHING:
        return best
    return away if mask[away] != 0 else choose_legal(memory, mask)


# "smart": what everybody knows of every card is kept as a set of cards, `options`, and follows every move made,
# the own one first. An observation tells the last move only; those before it are found from what they changed.

#: Kinds of moves, in the order of the observation.
PLAY, DISCARD, HINT_COLOR, HINT_RANK = range(4)


@kernel
def count_cards(cards):
    """How many cards a set has."""
    count = 0
    while cards != 0:
        cards &= cards - 1
        count += 1
    return count


@kernel
def undecided(options, cards):
    """Whether a card with these options may be in a set, and may be not."""
    return options & cards != 0 and options & ~cards != 0


@large_kernel
def value_set(memory, of_rank, value):
    """The cards of one colour or one rank."""
    if not of_rank:
        return ((np.int64(1) << memory.ranks) - 1) << (value * memory.ranks)
    found = np.int64(0)
    for c in range(memory.colors):
        found |= np.int64(1) << (c * memory.ranks + value)
    return found


@large_kernel
def judge(memory):
    """Of the cards: which are playable now, which useless, and which the last ones of a kind that is still needed."""
    memory.playable, memory.dead, memory.precious = 0, 0, 0
    for c in range(memory.colors):
        reachable = True
        for r in range(memory.ranks):
            card = c * memory.ranks + r
            bit = np.int64(1) << card
            if r < memory.built[c] or not reachable:
                memory.dead |= bit
            else:
                memory.playable |= bit if r == memory.built[c] else 0
                memory.precious |= bit if memory.out[card] == copies(r, memory.ranks) - 1 else 0
                reachable = memory.out[card] < copies(r, memory.ranks)


@large_kernel
def narrow(memory, player, place, cards):
    """A card is one of these; a contradiction, which misread moves may lead to, changes nothing."""
    if memory.options[player, place] & cards != 0:
        memory.options[player, place] &= cards


@large_kernel
def settle(memory):
    """Exclude everywhere the cards of which all copies are out or known to be in certain places; then judge."""
    changed = True
    while changed:
        changed = False
        placed = np.int64(0)
        for card in range(memory.colors * memory.ranks):
            known = memory.out[card]
            for k in range(memory.players):
                for i in range(memory.number[k]):
                    known += memory.options[k, i] == np.int64(1) << card
            if known >= copies(card % memory.ranks, memory.ranks):
                placed |= np.int64(1) << card
        for k in range(memory.players):
            for i in range(memory.number[k]):
                options = memory.options[k, i]
                if options & (options - 1) != 0 and options & placed != 0 and options & ~placed != 0:
                    memory.options[k, i] = options & ~placed
                    changed = True
    judge(memory)


@large_kernel
def next_discard(memory, player):
    """The place of what a player would discard, or none where it has something better to do."""
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
    """This player has not warned the next one, so what that one would discard is not the last of its kind."""
    if memory.stock > 0 and memory.information > 0:
        warned = (player + 1) % memory.players
        place = next_discard(memory, warned)
        if place != NOTHING:
            narrow(memory, warned, place, ~memory.precious)


@large_kernel
def remove(memory, player, place, card, played, drawn):
    """What everybody learns from a play or discard; `drawn` is the card that comes into the hand."""
    players, ranks, bit = memory.players, memory.ranks, np.int64(1) << card
    not_warned(memory, player)
    if not played and memory.options[player, place] == bit and bit & memory.playable != 0:
        # Who discards what it could play has seen the same card as the newest one of somebody's hand.
        holder = MYSELF
        for seat in range(players):
            k = (seat - memory.agent + players) % players
            if k != 0 and k != player and holder == 0 and memory.number[k] > 0:
                holder = k if memory.shown[k, memory.number[k] - 1] == card else MYSELF
        if memory.number[holder] > 0:
            narrow(memory, holder, memory.number[holder] - 1, bit)
    memory.out[card] += 1
    regained = not played
    if played and memory.built[card // ranks] == card % ranks:
        memory.built[card // ranks] += 1
        regained = card % ranks == ranks - 1
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
def hear(memory, player, target, of_rank, value, touched):
    """What everybody learns from a hint, which touched these places.

    Its newest card that may be playable is so, unless the hint shows another one to be. A rank for the next player that
    touches what that one would discard warns of it; one for the player before, that touches its oldest card while no
    token is missing, says nothing.
    """
    warned = (player + 1) % memory.players
    matching = value_set(memory, of_rank, value)
    away = next_discard(memory, warned)
    idle = of_rank and memory.information == memory.most and player == (target + 1) % memory.players
    idle = idle and touched & 1 != 0
    warning = False
    if of_rank and not idle and target == warned and away != NOTHING and touched >> away & 1 != 0:
        warning = may_warn(memory, target, away, value)
        if warning:
            narrow(memory, target, away, memory.precious)
    shows, newest = False, NOTHING
    for i in range(memory.number[target] - 1, -1, -1):
        open = undecided(memory.options[target, i], memory.playable)
        of = matching if touched >> i & 1 != 0 else ~matching
        narrow(memory, target, i, of)
        memory.told[target, i] &= of
        if open:
            if memory.options[target, i] & ~memory.playable == 0:
                shows = True
            elif newest == NOTHING and touched >> i & 1 != 0 and memory.options[target, i] & memory.playable != 0:
                newest = i
    if not (shows or warning or idle) and newest != NOTHING:
        narrow(memory, target, newest, memory.playable)
    if target != warned:
        not_warned(memory, player)
    memory.information -= 1


@large_kernel
def may_warn(memory, player, place, rank):
    """Whether a hint of this rank can mean that this card is the last of its kind."""
    options = memory.options[player, place]
    return undecided(options, memory.precious) and options & value_set(memory, True, rank) & memory.precious != 0


@large_kernel
def look(memory, observation):
    """Read an observation: as `read` does, and what hints tell of all cards, as all know it."""
    read(memory, observation)
    players, size, colors, ranks = memory.players, memory.size, memory.colors, memory.ranks
    kinds, cards = colors * ranks, colors * max(2 * ranks, 3)
    at = (players - 1) * size * kinds + players + cards - players * size + kinds
    memory.most = memory.tokens - (1 if memory.tokens == KNOWN[2, 3] else 3)
    memory.left_tokens = 0
    for k in range(memory.most):
        memory.left_tokens += observation[at + k]
    memory.moved = at + memory.tokens + cards
    at = memory.moved + 2 * players + 6 + colors + ranks + 2 * size + kinds
    for k in range(players):
        for i in range(size):
            known = np.int64(0)
            for card in range(kinds):
                known |= np.int64(observation[at + card] != 0) << card
            memory.seen[k, i] = known
            at += kinds + colors + ranks


@large_kernel
def stays(memory, player):
    """Whether a hand looks as if no card had been taken since the own last move."""
    number = memory.number[player]
    same, news = number == memory.held[player], False
    for i in range(number if same else 0):
        same = same and memory.shown[player, i] == memory.cards[player, i]
        same = same and memory.seen[player, i] & ~memory.told[player, i] == 0
        news = news or memory.seen[player, i] != memory.told[player, i]
    # A hint tells something of every card of which nothing is known yet.
    return same and not (news and memory.seen[player, number - 1] == memory.all)


@large_kernel
def place_of(memory, player):
    """From which place a player can have taken a card, by what has changed; or none.

    Of several, whose cards are equal, one that is surely playable, else the oldest.
    """
    number, best, found = memory.number[player], 0, NOTHING
    for place in range(number):
        fits = True
        for i in range(number - 1):
            before = i + (i >= place)
            fits = fits and memory.shown[player, before] == memory.cards[player, i]
            fits = fits and memory.seen[player, i] & ~memory.told[player, before] == 0
        worth = 2 if memory.options[player, place] & ~memory.playable == 0 else 1
        if fits and worth > best:
            best, found = worth, place
    return found


@large_kernel
def first_place(memory, player, card):
    """From which place of the hand that was dealt a player can have played a card after a hint; or none."""
    for number in range(2):
        of_rank = number == 1
        value = card % memory.ranks if of_rank else card // memory.ranks
        matching = value_set(memory, of_rank, value)
        for place in range(memory.size):
            fits = True
            for i in range(memory.size - 1):  # where these cards are now
                match = matching >> memory.cards[player, i] & 1 != 0
                fits = fits and memory.seen[player, i] & ~(matching if match else ~matching) == 0
                # All of rank 1 can be played, of others the newest.
                fits = fits and not (match and (i < place if of_rank and value == 0 else i >= place))
            if fits:
                return place
    return NOTHING


@large_kernel
def drew(memory, player):
    """Whether a hand looks as if a hint had come before its newest card, in the first round."""
    told = False
    for i in range(memory.size):
        expected = memory.all
        if player == memory.last_target:  # the last move came after it
            of_rank = memory.last_number >= memory.colors
            matching = value_set(memory, of_rank, memory.last_number - (memory.colors if of_rank else 0))
            expected &= matching if matching >> memory.cards[player, i] & 1 != 0 else ~matching
        if i == memory.size - 1:
            return told and memory.seen[player, i] == expected
        told = told or memory.seen[player, i] != expected
    return False


@large_kernel
def guess_takers(memory, drawn):
    """Who of those that moved before the last one in the first round has played, and what from where."""
    for attempt in range(2):  # where a hint explains it; then anyhow
        for k in range(memory.players - memory.agent + 1, memory.players - 1):  # the first player can but hint
            for card in range(memory.colors * memory.ranks):
                if memory.fresh[card] > 0 and memory.taken[k] == NOTHING and drawn > 0:
                    place = NOTHING
                    if attempt == 1:
                        place = memory.size - 1
                    elif drew(memory, MYSELF + k):
                        place = first_place(memory, MYSELF + k, card)
                    if place != NOTHING:
                        memory.taken[k] = place
                        memory.fresh[card] -= 1
                        drawn -= 1
                        for i in range(memory.size - 1, place, -1):
                            memory.shown[k, i] = memory.shown[k, i - 1]
                        memory.shown[k, place] = card


@large_kernel
def find_hint(memory, player):
    """Hear the hint that a player has given, as far as what is known now tells: the one that explains most."""
    best, found, reached = 0, NOTHING, np.int64(0)
    warned = (player + 1) % memory.players
    away = next_discard(memory, warned)
    must_warn = away != NOTHING and memory.precious >> memory.shown[warned, max(away, 0)] & 1 != 0
    for step in range(1, memory.players):  # in the order in which the hinting player has looked for the best one
        target = (player + step) % memory.players
        taken = memory.taken[target] if target > player else NOTHING  # it moves later
        for number in range(memory.colors + memory.ranks):
            of_rank = number >= memory.colors
            value = number - memory.colors if of_rank else number
            matching = value_set(memory, of_rank, value)
            touched, news, possible, gain = np.int64(0), False, True, 1
            shows, right, newest = False, False, True
            for i in range(memory.number[target] - 1, -1, -1):
                before = memory.options[target, i]
                known = memory.seen[target, i - (taken != NOTHING and i > taken)]
                if target == 0:
                    match = known & ~matching == 0
                else:
                    match = matching >> memory.shown[target, i] & 1 != 0
                touched |= np.int64(match) << i
                of = matching if match else ~matching
                if i != taken:
                    possible = possible and known & ~of == 0
                    news = news or memory.told[target, i] & ~of != 0
                elif match:  # it could be played after this hint
                    news = news or undecided(before, memory.playable)
                gain += count_cards(before & ~of)
                if undecided(before, memory.playable):
                    if before & of & ~memory.playable == 0:
                        shows = True
                    elif before & of & memory.playable != 0 and match and newest:
                        newest = False
                        right = memory.playable >> memory.shown[target, i] & 1 != 0
            warns = target == warned and of_rank and away != NOTHING and may_warn(memory, target, away, value)
            warns = warns and touched >> max(away, 0) & 1 != 0
            # The rules make some likelier: a warning that is due, then what is no warning and misleads nobody.
            if must_warn and target == warned:
                gain += 2000
            if target == 0 or (shows or right) and not warns:
                gain += 500
            if target == memory.last_target and number == memory.last_number:
                gain = 1  # the last move tells so anyway
            if possible and news and touched != 0 and gain > best:
                best, found, reached = gain, target * (memory.colors + memory.ranks) + number, touched
    if found == NOTHING:
        not_warned(memory, player)
        memory.information -= 1
        return
    number = found % (memory.colors + memory.ranks)
    of_rank = number >= memory.colors
    value = number - memory.colors if of_rank else number
    hear(memory, player, found // (memory.colors + memory.ranks), of_rank, value, reached)


@large_kernel
def begin(memory):
    """The deal, as far as it can be told from what is seen after the first moves."""
    players, size = memory.players, memory.size
    memory.all = (np.int64(1) << (memory.colors * memory.ranks)) - 1
    memory.stock = memory.colors * max(2 * memory.ranks, 3) - players * size
    memory.information = memory.most
    for k in range(players):
        memory.number[k] = size
        for i in range(size):
            memory.options[k, i] = memory.told[k, i] = memory.all
            memory.shown[k, i] = memory.cards[k, i]


@large_kernel
def follow(memory, observation):
    """Go through all moves since the own last one, that one included."""
    players, size, colors, ranks = memory.players, memory.size, memory.colors, memory.ranks
    kinds, first, at = colors * ranks, 0, memory.moved
    if memory.begun == 0:
        begin(memory)
        first = players - memory.agent
    new = memory.fresh
    for card in range(kinds):
        new[card] = copies(card % ranks, ranks) - memory.left[READ, card] - memory.out[card]
    drawn = memory.stock - memory.deck
    last = players - 1
    kind, memory.last_target, memory.last_number = NOTHING, NOTHING, NOTHING
    for k in range(4):
        kind = k if observation[at + players + k] != 0 else kind
    reached, place, card = np.int64(0), 0, 0
    for k in range(players):
        memory.last_target = k if observation[at + players + 4 + k] != 0 else memory.last_target
    for k in range(colors + ranks):
        memory.last_number = k if observation[at + 2 * players + 4 + k] != 0 else memory.last_number
    at += 2 * players + 4 + colors + ranks
    for i in range(size):
        reached |= np.int64(observation[at + i] != 0) << i
        place = i if observation[at + size + i] != 0 else place
    for k in range(kinds):
        card = k if observation[at + 2 * size + k] != 0 else card
    for k in range(players):
        memory.taken[k] = NOTHING
    if first < players and kind <= DISCARD:
        memory.taken[last] = place
        new[card] -= 1
        drawn -= 1
        if memory.begun == 0:
            for i in range(size - 1, place, -1):
                memory.shown[last, i] = memory.shown[last, i - 1]
            memory.shown[last, place] = card
    if memory.begun == 0:
        guess_takers(memory, drawn)
    else:
        drawn -= memory.action < 2 * size
        for k in range(1, last):
            if not stays(memory, MYSELF + k):
                memory.taken[k] = place_of(memory, MYSELF + k)
                drawn -= 1
        for k in range(1, last):
            if drawn > 0 and memory.taken[k] == NOTHING:  # what was drawn looks like what was taken
                memory.taken[k] = place_of(memory, MYSELF + k)
                drawn -= memory.taken[k] != NOTHING
        for k in range(1, last):
            if memory.taken[k] != NOTHING:
                new[memory.shown[k, memory.taken[k]]] -= 1
    again = memory.begun
    memory.begun = 1
    for k in range(first, players):
        settle(memory)
        if k == 0:
            if memory.action >= 2 * size:
                hear_own(memory)
            else:
                mine = MYSELF
                for other in range(kinds):
                    mine = other if new[other] > 0 else mine
                remove(memory, MYSELF, memory.action % size, mine, memory.action >= size, MYSELF)
        elif memory.taken[k] != NOTHING:
            if again and k != last and place_of(memory, MYSELF + k) != NOTHING:
                memory.taken[k] = place_of(memory, MYSELF + k)  # by what was known then
            gone = memory.shown[k, memory.taken[k]]
            played = kind == PLAY if k == last else memory.built[gone // ranks] == gone % ranks
            if k != last and played:
                played = memory.fireworks[READ, gone // ranks] > gone % ranks
            remove(memory, MYSELF + k, memory.taken[k], gone, played, memory.cards[k, size - 1])
        elif k == last and kind >= HINT_COLOR:
            value = memory.last_number - (colors if kind == HINT_RANK else 0)
            hear(memory, MYSELF + k, memory.last_target, kind == HINT_RANK, value, reached)
        else:
            find_hint(memory, MYSELF + k)
    memory.information, memory.stock = memory.left_tokens, memory.deck
    for k in range(players):
        memory.number[k] = memory.held[k]
        for i in range(memory.held[k]):
            memory.told[k, i] = memory.seen[k, i]
            memory.shown[k, i] = memory.cards[k, i]
            narrow(memory, MYSELF + k, i, memory.seen[k, i])
            if memory.options[k, i] & ~memory.seen[k, i] != 0:
                memory.options[k, i] = memory.seen[k, i]
    for c in range(colors):
        memory.built[c] = memory.fireworks[READ, c]
    for card in range(kinds):
        memory.out[card] = copies(card % ranks, ranks) - memory.left[READ, card]
    settle(memory)


@large_kernel
def hear_own(memory):
    """What everybody learns from the own last hint."""
    of_color = (memory.players - 1) * memory.colors
    number = memory.action - 2 * memory.size
    of_rank = number >= of_color
    number -= of_color if of_rank else 0
    values = memory.ranks if of_rank else memory.colors
    target = 1 + number // values
    matching = value_set(memory, of_rank, number % values)
    touched = np.int64(0)
    for i in range(memory.number[target]):
        touched |= (matching >> memory.shown[target, i] & 1) << i
    hear(memory, MYSELF, target, of_rank, number % values, touched)


@large_kernel
def sight(memory):
    """What the own cards can be, by all that is seen."""
    hidden = np.int64(0)
    for card in range(memory.colors * memory.ranks):
        seen = memory.out[card]
        for i in range(memory.number[0]):
            seen += memory.options[0, i] == np.int64(1) << card
        for k in range(1, memory.players):
            for i in range(memory.number[k]):
                seen += memory.cards[k, i] == card
        if seen < copies(card % memory.ranks, memory.ranks):
            hidden |= np.int64(1) << card
    for i in range(memory.number[0]):
        options = memory.options[0, i]
        if options & (options - 1) != 0 and options & hidden != 0:
            options &= hidden
        memory.own[i] = options


@large_kernel
def best_hint(memory, target):
    """The hint to a player that tells most, of those that show a playable card and mislead nobody; its gain at `gain`.

    As an action, or none.
    """
    best, action = 0, NOTHING
    avoided = NOTHING
    away = next_discard(memory, target) if target == 1 else NOTHING
    if away != NOTHING and may_warn(memory, target, away, memory.cards[target, away] % memory.ranks):
        avoided = memory.cards[target, away] % memory.ranks
    for number in range(memory.colors + memory.ranks):
        of_rank = number >= memory.colors
        value = number - memory.colors if of_rank else number
        if of_rank and value == avoided:  # it would be taken for a warning
            continue
        matching = value_set(memory, of_rank, value)
        touches, shows, right, news, newest = False, False, False, 0, True
        for i in range(memory.number[target] - 1, -1, -1):
            before = memory.options[target, i]
            bit = np.int64(1) << memory.cards[target, i]
            after = before & (matching if bit & matching != 0 else ~matching)
            touches = touches or bit & matching != 0
            news += count_cards(before) - count_cards(after)
            if undecided(before, memory.playable):
                if after & ~memory.playable == 0:
                    shows = True
                elif after & memory.playable != 0 and bit & matching != 0 and newest:
                    newest = False
                    right = bit & memory.playable != 0
        if touches and (shows or right) and news > best:
            best = news
            action = 2 * memory.size + (target - 1) * memory.colors + value
            if of_rank:
                action += (memory.players - target) * memory.colors + (target - 1) * memory.ranks
    memory.gain = best
    return action


@large_kernel
def rank_hint(memory, target, place):
    """The action that tells a player the rank of one of its cards."""
    first = 2 * memory.size + (memory.players - 1) * memory.colors
    return first + (target - 1) * memory.ranks + memory.cards[target, place] % memory.ranks


@large_kernel
def safe_play(memory):
    """The place of an own card that is surely playable: what others do not know to be so, then low ranks; or none."""
    best, place = 0, NOTHING
    for i in range(memory.number[0]):
        options = memory.own[i]
        if memory.options[0, i] & memory.playable == 0 or options & ~memory.playable != 0:
            continue
        worth = 7
        for r in range(memory.ranks):
            if options & ~value_set(memory, True, r) == 0:
                worth = 5 - r
        worth += 100 if memory.options[0, i] & ~memory.playable != 0 else 0
        if worth > best:
            best, place = worth, i
    return place


@large_kernel
def try_play(memory):
    """The place of the own card of whose options most are playable, near the end; or none."""
    if memory.stock > (3 if memory.lives == 3 else 1) or (memory.lives == 1 and memory.daring == 0):
        return NOTHING
    best, place = 0.0, NOTHING
    for i in range(memory.number[0] - 1, -1, -1):
        chance = count_cards(memory.own[i] & memory.playable) / count_cards(memory.own[i])
        if chance > best:
            best, place = chance, i
    return place


@large_kernel
def throw(memory):
    """The place of the own card to discard."""
    best, place = 0.0, NOTHING
    for i in range(memory.number[0]):
        options = memory.options[0, i]
        if options & memory.dead != 0 and memory.own[i] & ~memory.dead == 0:
            worth = 2.0 - count_cards(options & memory.dead) / count_cards(options)
            if worth > best:
                best, place = worth, i
    if place == NOTHING:
        place = next_discard(memory, MYSELF)
    if place == NOTHING:  # all are the last of their kinds
        high = -1
        for i in range(memory.number[0]):
            rank = 0
            for r in range(memory.ranks):
                rank = r + 1 if memory.options[0, i] & ~value_set(memory, True, r) == 0 else rank
            if rank > high:
                high, place = rank, i
    return place


@large_kernel
def decide(memory):
    """The action."""
    size = memory.size
    sight(memory)
    if memory.stock == 0:
        place = safe_play(memory)
        if place == NOTHING:
            place = try_play(memory)
        if place != NOTHING:
            return size + place
    if memory.information > 0:
        away = next_discard(memory, MYSELF + 1)
        if away != NOTHING and memory.precious >> memory.cards[1, away] & 1 != 0:
            action = best_hint(memory, MYSELF + 1)
            return action if action != NOTHING else rank_hint(memory, MYSELF + 1, away)
    if memory.information < memory.most:
        for i in range(memory.number[0]):
            options = memory.options[0, i]
            if options & (options - 1) == 0 and options & memory.playable & ~memory.precious != 0:
                holders = 0
                for k in range(1, memory.players):
                    newest = memory.cards[k, memory.number[k] - 1]
                    holders += memory.number[k] > 0 and options == np.int64(1) << newest
                if holders == 1:
                    return i
    place = safe_play(memory)
    if place != NOTHING:
        return size + place
    if memory.information > 0:
        best, action = 0, NOTHING
        for k in range(1, memory.players):
            found = best_hint(memory, MYSELF + k)
            if memory.gain > best:
                best, action = memory.gain, found
        if action != NOTHING:
            return action
    place = try_play(memory)
    if place != NOTHING:
        return size + place
    if memory.information == memory.most:
        return rank_hint(memory, MYSELF + memory.players - 1, MYSELF)
    return throw(memory)


@policy(
    "envsuite/Hanabi-v0",
    "smart",
    {
        **dict.fromkeys(("size", "tokens", "deck", "lives", "playable", "dead", "precious", "all", "begun"), 0),
        **dict.fromkeys(("stock", "information", "most", "left_tokens", "moved", "action", "gain"), 0),
        **dict.fromkeys(("last_target", "last_number"), 0),
        **{"fireworks": np.zeros((2, 5), int), "left": np.zeros((2, 25), int), "unseen": np.zeros(25, int)},
        **{"known": np.zeros((2, 5, 8), int), "touched": np.zeros((2, 5, 8), int)},
        **{name: np.zeros((5, 8), int) for name in ("cards", "seen", "options", "told", "shown")},
        **{name: np.zeros(5, int) for name in ("held", "number", "taken", "built")},
        **{"out": np.zeros(25, int), "fresh": np.zeros(25, int), "own": np.zeros(8, int)},
    },
    daring=0,
    players=0,
    colors=0,
    ranks=0,
)
def smart(memory, observation, mask):
    """Keeps account of what everybody knows of every card, and reads more from hints than they say.

    The rules are those of SmartBot (O'Dwyer, Quuxplusone/Hanabi, 2017):

    - A hint means that the newest card that it touches and that may be playable is so, unless it shows one to be.
    - Whoever is about to discard the last copy of a card that is needed is warned by the player before, if with no
      better hint then by that card's rank. Where no warning comes, the card is no such one.
    - Who discards a card that it could play, and knows it, has seen the same one as the newest card of some hand.
    - In this order: warn the next player; discard so; play what is surely playable, first what others do not know
      to be, then low ranks; give the hint that excludes most options, of those that mislead nobody; with a deck that is
      nearly empty and lives left, play what is likeliest playable (with the last life only where `daring` is 1);
      discard what is useless, else what is likeliest so and not known to be needed.

    An observation tells the last move only; this policy finds those before it, since its own last one, from what they
    changed: hands, what is told of cards, the deck. With 2 players that is exact. With more, some hints cannot be told
    apart, which costs about 0.03, 0.05 and 0.3 points with 3, 4 and 5 players; partners of other rules are misread. Of
    `players`, `colors` and `ranks`, those that are 0 are found as "convention" does.
    """
    if memory.size == 0:
        find_sizes(memory, observation.shape[0], mask.shape[0])
        if memory.size == 0:
            return choose_legal(memory, mask)
    look(memory, observation)
    follow(memory, observation)
    action = decide(memory)
    if action < 0 or mask[action] == 0:
        action = choose_legal(memory, mask)
    memory.action = action
    return action
