"""Baselines of InjectAndRepair: a climber by run tests and a diagnostician. Each policy plays both roles."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.ranges import below, limited, scratch
from envsuite.social.inject_and_repair import INJECT, MOST_EDITS, UNKNOWN
from envsuite.social.inject_and_repair.levels import MOST_GATES, MOST_INPUTS, MOST_OUTPUTS, MOST_TESTS, evaluate, pack

ID = "envsuite/InjectAndRepair-v0"

SIGNALS = MOST_INPUTS + MOST_GATES


@kernel
def known_tests(observation):
    """The word of the tests whose expected outputs the agent knows."""
    known = np.int64(0)
    for test in range(observation.tests.shape[0]):
        if observation.expected[test, 0] != UNKNOWN:
            known |= np.int64(1) << test
    return known


@kernel
def failing_tests(memory, observation, kinds):
    """The word of the known tests that a circuit of these kinds fails; leaves its signals in `memory.words`."""
    tests, inputs = observation.tests.shape[0], observation.tests.shape[1]
    gates, outputs = observation.kinds.shape[0], observation.expected.shape[1]
    evaluate(kinds, observation.sources, inputs, (np.int64(1) << tests) - 1, memory.words)
    failing = np.int64(0)
    for k in range(outputs):
        failing |= memory.right[k] ^ memory.words[inputs + gates - outputs + k]
    return failing & memory.known


@kernel
def prepare(memory, observation):
    """Set the words of the inputs, the expected outputs and the known tests, and the kinds to try changes in."""
    pack(observation.tests, memory.words)
    memory.known = known_tests(observation)
    for k in range(observation.expected.shape[1]):
        memory.right[k] = 0
        for test in range(observation.tests.shape[0]):
            memory.right[k] |= np.int64(observation.expected[test, k] == 1) << test
    for k in range(observation.kinds.shape[0]):
        memory.trial[k] = observation.kinds[k]


@kernel
def count(word):
    """The number of bits of a word."""
    bits = 0
    while word > 0:
        bits += word & 1
        word >>= 1
    return bits


@kernel
def inject(memory, observation, subtle, changes):
    """A change by which a test fails, at random or with the fewest such tests; `done` after `changes` of them."""
    gates = observation.kinds.shape[0]
    prepare(memory, observation)
    made = np.int64(observation.rules[2]) - observation.left[0]
    if made >= changes and failing_tests(memory, observation, memory.trial[:gates]) != 0:
        return 6 * gates
    best, found, ties = 1 << 30, random.randint(memory, gates) * 6, 0
    found += (observation.kinds[found // 6] + 1) % 6
    for action in range(6 * gates):
        if observation.kinds[action // 6] != action % 6:
            memory.trial[action // 6] = action % 6
            fails = count(failing_tests(memory, observation, memory.trial[:gates]))
            memory.trial[action // 6] = observation.kinds[action // 6]
            if fails > 0:
                value = fails if subtle else 1
                if value < best:
                    best, found, ties = value, action, 1
                elif value == best:
                    ties += 1
                    if random.randint(memory, ties) == 0:
                        found = action
    return found


@kernel
def run_any(memory, observation, mask):
    """Run a random test that has not been run; -1 if there is none."""
    gates, found, ties = observation.kinds.shape[0], -1, 0
    for test in range(observation.tests.shape[0]):
        if mask[6 * gates + test] != 0:
            ties += 1
            if random.randint(memory, ties) == 0:
                found = 6 * gates + test
    return found


#: Room for trial circuits: signals, expected outputs, known tests and kinds.
ROOM = {
    "known": scratch(()),
    "words": scratch(SIGNALS),
    "right": scratch(MOST_OUTPUTS),
    "trial": limited(np.zeros(MOST_GATES, np.int64), 0, 5),
}


@policy(ID, "climber", variables=ROOM, runs=Between(1, MOST_TESTS).at(3))
def climber(memory, observation, mask):
    """Breaks the circuit by a random change; repairs by changes that make more of `runs` random tests pass."""
    gates, tests = observation.kinds.shape[0], observation.tests.shape[0]
    if observation.phase[0] == INJECT:
        return inject(memory, observation, False, 1)
    known = known_tests(observation)
    if count(known) < min(memory.runs, tests):
        return run_any(memory, observation, mask)
    prepare(memory, observation)
    now = failing_tests(memory, observation, memory.trial[:gates])
    if now == 0:
        action = run_any(
            memory, observation, mask
        )  # a failing test is still to be found, or the repair is not complete
        return action if action >= 0 and observation.left[0] > 1 else 6 * gates + tests
    best, found, ties = 1 << 30, 0, 0
    for action in range(6 * gates):
        if mask[action] != 0:
            memory.trial[action // 6] = action % 6
            fails = count(failing_tests(memory, observation, memory.trial[:gates]))
            memory.trial[action // 6] = observation.kinds[action // 6]
            if fails < best:
                best, found, ties = fails, action, 1
            elif fails == best:
                ties += 1
                if random.randint(memory, ties) == 0:
                    found = action
    return found


#: What the diagnostician remembers: the kinds that it was given and those that it wants; and for each test, how many
#: candidates expect each pattern of outputs.
DIAGNOSIS = {
    **ROOM,
    "given": np.zeros(MOST_GATES, below(np.int64, 6)),
    "wanted": np.zeros(MOST_GATES, below(np.int64, 6)),
    "stage": np.zeros((), below(np.int64, 3)),  # 0 nothing given yet, 1 running tests, 2 repairing
    "tally": scratch((MOST_TESTS, 2**MOST_OUTPUTS)),
}


@kernel
def consider(memory, observation, candidates):
    """Count the circuit in `memory.trial` as a candidate if it passes all known tests; gives the number of candidates.

    The candidate number n replaces the wanted one with probability 1 / n, so all are wanted equally often.
    """
    gates, inputs, outputs = observation.kinds.shape[0], observation.tests.shape[1], observation.expected.shape[1]
    if failing_tests(memory, observation, memory.trial[:gates]) != 0:
        return candidates
    for test in range(observation.tests.shape[0]):
        pattern = 0
        for k in range(outputs):
            pattern = 2 * pattern + (memory.words[inputs + gates - outputs + k] >> test & 1)
        memory.tally[test, pattern] += 1
    if random.randint(memory, candidates + 1) == 0:
        for k in range(gates):
            memory.wanted[k] = memory.trial[k]
    return candidates + 1


@kernel
def diagnose(memory, observation):
    """Count the circuits that one change, or two if the injector may make them, can have come from."""
    gates, candidates = observation.kinds.shape[0], 0
    prepare(memory, observation)
    for k in range(gates):
        memory.trial[k] = memory.given[k]
        memory.wanted[k] = memory.given[k]
    for test in range(MOST_TESTS):
        for pattern in range(2**MOST_OUTPUTS):
            memory.tally[test, pattern] = 0
    for first in range(6 * gates):
        if memory.given[first // 6] == first % 6:
            continue
        memory.trial[first // 6] = first % 6
        candidates = consider(memory, observation, candidates)
        if observation.rules[2] > 1.0:
            for second in range(6 * (first // 6 + 1), 6 * gates):
                if memory.given[second // 6] != second % 6:
                    memory.trial[second // 6] = second % 6
                    candidates = consider(memory, observation, candidates)
                    memory.trial[second // 6] = memory.given[second // 6]
        memory.trial[first // 6] = memory.given[first // 6]
    return candidates


@kernel
def best_test(memory, observation, mask, candidates):
    """The test that divides the candidates best, ties at random; -1 if none divides them."""
    first, best, found, ties = 6 * observation.kinds.shape[0], candidates * candidates, -1, 0
    for test in range(observation.tests.shape[0]):
        squares = 0
        for pattern in range(2**MOST_OUTPUTS):
            squares += memory.tally[test, pattern] * memory.tally[test, pattern]
        if mask[first + test] != 0 and squares < candidates * candidates:
            if squares < best:
                best, found, ties = squares, first + test, 1
            elif squares == best:
                ties += 1
                if random.randint(memory, ties) == 0:
                    found = first + test
    return found


@policy(ID, "diagnostic", variables=DIAGNOSIS, changes=Between(1, MOST_EDITS).at(2))
def diagnostic(memory, observation, mask):
    """Breaks the fewest tests by `changes` changes; repairs by the tests that divide the possible originals best.

    Then it restores one of them. It considers originals one change away, and two if the injector may make as many.
    """
    gates, tests = observation.kinds.shape[0], observation.tests.shape[0]
    if observation.phase[0] == INJECT:
        return inject(memory, observation, True, memory.changes)
    if memory.stage == 0:
        memory.stage = 1
        for k in range(gates):
            memory.given[k] = observation.kinds[k]
    if memory.stage == 1:
        candidates = diagnose(memory, observation)
        action = best_test(memory, observation, mask, candidates)
        if action >= 0 and observation.left[0] > min(observation.rules[2], 2.0):
            return action
        memory.stage = 2
    for k in range(gates):
        if observation.kinds[k] != memory.wanted[k]:
            return 6 * k + memory.wanted[k]
    return 6 * gates + tests
