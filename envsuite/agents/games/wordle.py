"""Baselines of Wordle: one guesses a word that can be the secret one, one the word that tells most about it."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.random import randint
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import World
from envsuite.games.wordle import COUNTED, IGNORED, MOST, NONE, REPEATS, SHORTEST, SPELLED, fits, mark, row

ID = "envsuite/Wordle-v0"

#: Places for different marks of a guess: a power of two that is larger than the number of words.
PLACES = 512

#: How many words are compared for the first guess, which would otherwise take nearly all the time of an episode.
OPENINGS = 30


def variables(world: World) -> dict[str, Any]:
    """Which words some marks have excluded; how many guesses were read; how the world marks repeated letters."""
    return {
        "excluded": limited(np.zeros(MOST, np.uint8), 0, 1),
        "answered": limited(0, 0, 20),
        "repeats": limited(REPEATS.index(world.parameters["repeats"]), COUNTED, IGNORED),
    }


def counting_variables(world: World) -> dict[str, Any]:
    """The same, and the marks of a guess with the number of words that they leave."""
    return {**variables(world), "keys": scratch(PLACES), "counts": scratch(PLACES)}


@kernel
def read(memory, observation, words):
    """Exclude words by new marks; the number of the words that are left."""
    turns, letters = observation.marks.shape
    listed = SPELLED[letters - SHORTEST, :, :letters]
    while memory.answered < turns and observation.guesses[memory.answered] != NONE:
        guessed = listed[row(np.int64(observation.guesses[memory.answered]), words)]
        for word in range(words):
            if not fits(listed[row(word, words)], guessed, observation.marks[memory.answered], memory.repeats):
                memory.excluded[word] = 1
        memory.answered += 1
    left = 0
    for word in range(words):
        left += memory.excluded[word] == 0
    return left


@kernel
def random_left(memory, words):
    """A random one of the words that are left."""
    found, count = 0, 0
    for word in range(words):
        if memory.excluded[word] == 0:
            count += 1
            if randint(memory, count) == 0:
                found = word
    return found


@large_kernel
def expected(memory, guess, words, letters):
    """How many words a guess leaves on average, times the number of words that are left now."""
    for k in range(PLACES):
        memory.counts[k] = 0
    listed, total = SPELLED[letters - SHORTEST, :, :letters], 0
    for word in range(words):
        if memory.excluded[word] == 0:
            marks = 0
            for k in range(letters):
                marks = 3 * marks + mark(listed[row(word, words)], listed[row(guess, words)], k, memory.repeats)
            place = marks % PLACES
            while memory.counts[place] > 0 and memory.keys[place] != marks:
                place = (place + 1) % PLACES
            memory.keys[place] = marks
            total += 2 * memory.counts[place] + 1
            memory.counts[place] += 1
    return total


@policy(ID, "informed", counting_variables)
def informed(memory, observation, mask):
    """Guesses the word that leaves the fewest words on average, at first of some words of a long list."""
    words, letters = mask.shape[0], observation.marks.shape[1]
    if read(memory, observation, words) < 3:
        return random_left(memory, words)
    best, least, ties = 0, 0, 0
    for word in range(0, words, 1 if memory.answered > 0 else max(words // OPENINGS, 1)):
        # A word that can be the secret one leaves one word less, and is better than another that leaves as many.
        total = 2 * expected(memory, word, words, letters)
        total += 3 * np.int64(memory.excluded[word])
        ties = ties + 1 if total == least else 1
        if least == 0 or total < least or (total == least and randint(memory, ties) == 0):
            best = word
            least = total
    return best


@policy(ID, "consistent", variables)
def consistent(memory, observation, mask):
    """Guesses a random word that can be the secret one."""
    words = mask.shape[0]
    read(memory, observation, words)
    return random_left(memory, words)
