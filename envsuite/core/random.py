"""All chance of all worlds: compiled functions of a record, drawn from its own stream, or from a tape.

A record's stream is one 64-bit word, `s.rng`, advanced by SplitMix64 (Steele, Lea and Flood 2014), so a copy of
a record is a copy of its future. A world built with ``exact=True`` has a `tape` in its record as well. The same
functions then take their outcomes from the tape and note the number of outcomes and their probabilities. In this way
`envsuite.core.chance` enumerates the chance of a small world. The record's type decides which of the two is
compiled, so records with only a stream pay nothing for the tape.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from envsuite.core.elementary import cos_turns, log, log1p
from envsuite.core.kernel import by_fields, kernel

#: How many chance events one transition of an exact world may hold.
TAPE_LENGTH = 256

#: The tape: the outcomes to take, and the draws that were made; after its end the first possible outcome is taken.
TAPE = np.dtype(
    [
        ("probability", np.float64),
        ("cursor", np.int64),
        ("given", np.int64),
        ("continuous", np.int64),
        ("outcomes", np.int64, (TAPE_LENGTH,)),
        ("sizes", np.int64, (TAPE_LENGTH,)),
    ],
    align=True,
)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32, _S11 = (np.uint64(k) for k in (27, 30, 31, 32, 11))
_TO_UNIT = 2.0**-53


@kernel
def mix(word: Any) -> Any:
    """Scramble a 64-bit word (the finaliser of SplitMix64); turns neighbouring seeds into unrelated streams."""
    word = np.uint64(word)
    word = (word ^ (word >> _S30)) * _MIX_1
    word = (word ^ (word >> _S27)) * _MIX_2
    return word ^ (word >> _S31)


@kernel
def _bits(s):
    s.rng = np.uint64(s.rng) + _GOLDEN
    return mix(s.rng)


@kernel
def _take(tape, size):
    """The next outcome of `size` equally likely ones, from the tape."""
    k = tape.cursor
    tape.cursor = k + 1
    if k >= TAPE_LENGTH:
        return 0
    tape.sizes[k] = size
    if k >= tape.given:
        tape.outcomes[k] = 0
    tape.probability *= 1.0 / size
    return tape.outcomes[k]


@kernel
def _take_weighted(tape, weights, size):
    """The next outcome of `size` with these weights, from the tape: impossible ones are never taken."""
    k = tape.cursor
    tape.cursor = k + 1
    total = 0.0
    for i in range(size):
        total += weights[i]
    possible = 0
    for i in range(size):
        possible += weights[i] > 0.0
    if k >= TAPE_LENGTH or possible == 0:
        return 0
    tape.sizes[k] = possible
    if k >= tape.given:
        tape.outcomes[k] = 0
    rank = tape.outcomes[k]
    for i in range(size):
        if weights[i] > 0.0:
            if rank == 0:
                tape.probability *= weights[i] / total
                return i
            rank -= 1
    return 0


@kernel
def _take_bernoulli(tape, p):
    if p <= 0.0:
        return False
    if p >= 1.0:
        return True
    k = tape.cursor
    tape.cursor = k + 1
    if k >= TAPE_LENGTH:
        return False
    tape.sizes[k] = 2
    if k >= tape.given:
        tape.outcomes[k] = 0
    if tape.outcomes[k] == 1:
        tape.probability *= p
        return True
    tape.probability *= 1.0 - p
    return False


def _chance(tape: Callable) -> Callable:
    """Makes a kernel of a record that runs the decorated function, or `tape` where the record has a tape."""
    return lambda stream: by_fields(lambda names: "tape" in names, tape, stream)


def _uniform_tape(s):
    s.tape.continuous = 1
    return 0.5


@_chance(_uniform_tape)
def uniform(s: Any) -> float:
    """A float64 uniform on [0, 1). Continuous, so an exact world refuses it."""
    return float(_bits(s) >> _S11) * _TO_UNIT


def _randint_tape(s, size):
    return _take(s.tape, size)


@_chance(_randint_tape)
def randint(s: Any, size: int) -> np.int64:
    """An integer uniform on 0 .. size - 1 (size >= 1; bias below 2**-32 of a probability)."""
    return np.int64(((_bits(s) >> _S32) * np.uint64(size)) >> _S32)


def _bernoulli_tape(s, p):
    return _take_bernoulli(s.tape, p)


@_chance(_bernoulli_tape)
def bernoulli(s: Any, p: float) -> bool:
    """True with probability `p`."""
    return float(_bits(s) >> _S11) * _TO_UNIT < p


def _categorical_tape(s, weights, size):
    return _take_weighted(s.tape, weights, size)


@_chance(_categorical_tape)
def categorical(s: Any, weights: Sequence[float], size: int) -> int:
    """An index below `size` with probability proportional to `weights` (non-negative, not all zero)."""
    total = 0.0
    for i in range(size):
        total += weights[i]
    left = float(_bits(s) >> _S11) * _TO_UNIT * total
    last = 0
    for i in range(size):
        if weights[i] > 0.0:
            last = i
            left -= weights[i]
            if left < 0.0:
                return i
    return last


def _normal_tape(s):
    s.tape.continuous = 1
    return 0.0


@_chance(_normal_tape)
def normal(s: Any) -> float:
    """A float64 from the standard normal distribution (Box and Muller). Continuous, so an exact world refuses it."""
    radius = math.sqrt(-2.0 * log(1.0 - float(_bits(s) >> _S11) * _TO_UNIT))
    return radius * cos_turns(float(_bits(s) >> _S11) * _TO_UNIT)


@kernel
def geometric(s: Any, p: float) -> np.int64:
    """How often in a row something of probability `p` does not happen before it does; 2**62 for p = 0."""
    if p >= 1.0:
        return np.int64(0)
    if p <= 0.0:
        return np.int64(2**62)
    return np.int64(min(log(1.0 - uniform(s)) / log1p(-p), 2.0**62))


@kernel
def shuffle(s: Any, items: Any, size: int) -> None:
    """Put the first `size` entries of a one-dimensional array in random order (Fisher and Yates)."""
    for i in range(size - 1, 0, -1):
        j = randint(s, i + 1)
        held = items[i]
        items[i] = items[j]
        items[j] = held
