"""Baselines of Codenames: a literal and a pragmatic team. Each policy plays both roles."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import exp, log
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import choose_legal, policy
from envsuite.core.ranges import scratch
from envsuite.social.codenames import ASSASSIN, CLUE, NONE, OTHER, OWN
from envsuite.social.codenames.nouns import TOPIC
from envsuite.social.codenames.view import MOST_VALUES

ID = "envsuite/Codenames-v0"

#: The most cards, and the most meanings: values of all attributes, or topics of nouns.
CARDS, MEANINGS = 52, int(TOPIC.max()) + 1

#: What a card that fits a clue adds to the clue's margin, by its kind.
WEIGHTS = np.array([1.0, -1.0, -0.5, -2.0])


@kernel
def meaning_of(observation, value):
    """What a clue means: a value, which are counted over all attributes, or the topic of a noun."""
    return TOPIC[value] if observation.rules[0] > MOST_VALUES else value


@kernel
def fits(observation, card, value):
    """Whether a card has what a clue means."""
    values = np.int64(observation.rules[0])
    own = value // values * values + np.int64(observation.cards[card, value // values])
    return meaning_of(observation, own) == meaning_of(observation, value)


@kernel
def best_clue(memory, observation, mask):
    """The clue with the largest margin among those that fit a card of the team; its number is that of these cards.

    A random one where there is none, as all nouns of a topic lie on the table.
    """
    largest = np.int64(observation.rules[1])
    best, clue = -np.inf, 0
    for value in range(observation.cards.shape[1] * observation.rules[0]):
        own, margin = 0, 0.0
        for i in range(observation.key.shape[0]):
            if observation.found[i] == NONE and fits(observation, i, value):
                own += observation.key[i] == OWN
                margin += WEIGHTS[observation.key[i]]
        if own > 0 and margin > best and mask[value * (largest + 1)]:
            best = margin
            clue = value * (largest + 1) + min(own, largest)
    return clue if mask[clue] else choose_legal(memory, mask)


@policy(ID, "literal")
def literal(memory, observation, mask):
    """Gives the clue with the largest margin; guesses random cards that fit the last clue, as many as its number.

    The margin of a clue counts the cards that fit it and are not found: 1 for each card of the team, less 1 for each of
    the other team, 0.5 for each neutral card and 2 for each assassin.
    """
    if observation.phase[0] == CLUE:
        return best_clue(memory, observation, mask)
    cards, turn = observation.key.shape[0], observation.turn[0]
    fitting = 0
    for i in range(cards):
        fitting += mask[i] and fits(observation, i, np.int64(observation.clues[turn, 0]))
    if mask[cards] and (fitting == 0 or observation.guesses[0] >= observation.clues[turn, 1]):
        return cards
    if fitting == 0:
        return choose_legal(memory, mask)
    k = random.randint(memory, fitting)
    for i in range(cards):
        if mask[i] and fits(observation, i, np.int64(observation.clues[turn, 0])):
            if k == 0:
                return i
            k -= 1
    return cards


@kernel
def fill(memory, observation):
    """Begin with a random key that fits what is known; list the cards that are not found and return their number."""
    count = 0
    for i in range(observation.key.shape[0]):
        memory.kinds[i] = observation.key[i]
        if observation.found[i] == NONE:
            memory.open[count] = i
            count += 1
    random.shuffle(memory, memory.open, count)
    k = 0
    for kind in range(4):
        for _ in range(observation.left[kind]):
            memory.kinds[memory.open[k]] = kind
            k += 1
    return count


@large_kernel
def likelihood(memory, observation):
    """The logarithm of the probability that spymasters who know the key `memory.kinds` give the clues so far.

    A spymaster gives a value with a probability proportional to exp(`sharpness` x margin), and a number that is off by
    one with e^-2 times the probability of the true one.
    """
    total, team = 0.0, observation.team[0]
    values = MEANINGS if observation.rules[0] > MOST_VALUES else observation.cards.shape[1] * observation.rules[0]
    for t in range(observation.turn[0] + 1):
        clue = np.int64(observation.clues[t, 0])
        if clue == NONE:
            continue
        own = 0
        for v in range(values):
            memory.margins[v] = 0.0
        for i in range(observation.key.shape[0]):
            if observation.found[i] == NONE or observation.found[i] >= t:
                kind = memory.kinds[i]
                if kind <= OTHER and t % 2 != team:
                    kind = 1 - kind
                own += kind == OWN and fits(observation, i, clue)
                for a in range(observation.cards.shape[1]):
                    own_value = np.int64(a * observation.rules[0] + observation.cards[i, a])
                    memory.margins[meaning_of(observation, own_value)] += WEIGHTS[kind]
        both = 0.0
        for v in range(values):
            both += exp(memory.sharpness * (memory.margins[v] - memory.margins[meaning_of(observation, clue)]))
        total -= log(both) + 2.0 * abs(min(own, observation.rules[1]) - observation.clues[t, 1])
    return total


@large_kernel
def sample_keys(memory, observation):
    """Count in `memory.counts` the kinds of the cards over keys that are as probable as the clues make them.

    A Markov chain (Metropolis et al., 1953) swaps the kinds of two cards; its first fifth is not counted.
    """
    count = fill(memory, observation)
    for i in range(observation.key.shape[0]):
        for kind in range(4):
            memory.counts[i, kind] = 0
    now = likelihood(memory, observation)
    for n in range(memory.samples):
        i, j = memory.open[random.randint(memory, count)], memory.open[random.randint(memory, count)]
        first, second = memory.kinds[i], memory.kinds[j]
        if first != second:
            memory.kinds[i], memory.kinds[j] = second, first
            new = likelihood(memory, observation)
            if random.uniform(memory) < exp(min(0.0, new - now)):
                now = new
            else:
                memory.kinds[i], memory.kinds[j] = first, second
        if n >= memory.samples // 5:
            for k in range(count):
                card = memory.open[k]
                memory.counts[card, memory.kinds[card]] += 1


#: Scratch: a key, the cards that are not found, margins of all meanings, and how often cards were of a kind.
PLAN = {
    "kinds": scratch(CARDS),
    "open": scratch(CARDS),
    "margins": scratch(MEANINGS, np.float64),
    "counts": scratch((CARDS, 4)),
}


@policy(
    ID,
    "pragmatic",
    variables=PLAN,
    samples=Between(1, 100_000).at(1000),
    sharpness=Between(0, 10).at(3.0),
    fear=Between(0, 100).at(5.0),
)
def pragmatic(memory, observation, mask):
    """Gives clues like `literal`; guesses the key from all clues so far: why would a spymaster have given them?

    It samples keys in proportion to the probability that spymasters who know them give the clues of both teams. It
    points at the card with the largest probability of being the team's, less that of being the other team's, less
    `fear` times that of an assassin, and stops if that is not above 0.
    """
    if observation.phase[0] == CLUE:
        return best_clue(memory, observation, mask)
    sample_keys(memory, observation)
    cards, best, card = observation.key.shape[0], -np.inf, 0
    for i in range(cards):
        if mask[i]:
            worth = memory.counts[i, OWN] - memory.counts[i, OTHER] - memory.fear * memory.counts[i, ASSASSIN]
            if worth > best:
                best, card = worth, i
    return cards if mask[cards] and best <= 0.0 else card
