"""Baselines of Mastermind: both guess a code that all answers allow, one the smallest, one a random one."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.games.mastermind import NONE, how_many, matches, spell

ID = "envsuite/Mastermind-v0"

#: Codes of four digits out of ten.
CODES = 10**4

#: Which codes some answer has excluded; the answers that were read; the code that is being entered.
VARIABLES = {
    "excluded": limited(np.zeros(CODES, np.uint8), 0, 1),
    "answered": limited(0, 0, 20),
    "code": limited(np.zeros(4, np.int64), 0, 9),
}


@large_kernel
def choose(memory, observation, colors, smallest):
    """Read new answers, and write a code that they all allow into the memory: the smallest, or a random one."""
    turns, pegs = observation.guesses.shape
    number = how_many(colors, pegs)
    code = memory.code[:pegs]
    while memory.answered < turns and observation.answers[memory.answered, 0] != NONE:
        right, elsewhere = observation.answers[memory.answered, 0], observation.answers[memory.answered, 1]
        for k in range(number):
            if memory.excluded[k] == 0:
                spell(code, k, colors)
                if matches(code, observation.guesses[memory.answered]) != right + 10 * elsewhere:
                    memory.excluded[k] = 1
        memory.answered += 1
    found, count = 0, 0
    for k in range(number):
        if memory.excluded[k] == 0 and (count == 0 or not smallest):
            count += 1
            if random.randint(memory, count) == 0:
                found = k
    spell(code, found, colors)


@kernel
def digit(memory, observation, mask, smallest):
    """The next digit of the guess."""
    turns, pegs = observation.guesses.shape
    for turn in range(turns):
        for peg in range(pegs):
            if observation.guesses[turn, peg] == NONE:
                if peg == 0:
                    choose(memory, observation, mask.shape[0], smallest)
                return memory.code[peg]
    return 0


@policy(ID, "consistent", variables=VARIABLES)
def consistent(memory, observation, mask):
    """Guesses a random code that all answers allow."""
    return digit(memory, observation, mask, False)


@policy(ID, "smallest", variables=VARIABLES)
def smallest(memory, observation, mask):
    """Guesses the smallest code that all answers allow, read as a number."""
    return digit(memory, observation, mask, True)
