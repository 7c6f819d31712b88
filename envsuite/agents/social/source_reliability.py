"""Baselines of SourceReliability: checks, majorities, a sampler of rates, and exact posteriors with plans."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.core.world import Between
from envsuite.social.source_reliability import MOST, UNKNOWN, draw_beta

ID = "envsuite/SourceReliability-v0"

#: The most questions that are planned together.
AHEAD = 6

#: Values that differ by less are equal.
TINY = 1e-12


@kernel
def checking(observation):
    """The action `check`; the next one answers `true` and the one after it `false`."""
    return np.int64(observation.said.shape[0])


@kernel
def answering(observation, claim):
    """The action that answers 1 true or 0 false."""
    return checking(observation) + 2 - claim


@kernel
def count_all(memory, observation):
    """Put the parameters of the Beta distribution of each source's rate into `memory`, by all earlier rounds."""
    for k in range(observation.said.shape[0]):
        memory.good[k] = observation.rules[2]
        memory.bad[k] = observation.rules[3]
        for other in range(observation.said.shape[0]):
            if observation.personas[other] == observation.personas[k]:
                memory.good[k] += observation.counts[other, 0]
                memory.bad[k] += observation.counts[other, 1]


@kernel
def chance(memory, source, right, rights, wrongs):
    """The probability that a source's next statement is true (`right` 1) or false (0), given all that is known.

    `rights` and `wrongs` are the votes on the present claim, true and false ones, of sources of the same persona.
    """
    good, bad = memory.good[source] + rights, memory.bad[source] + wrongs
    return (good if right == 1 else bad) / (good + bad)


@kernel
def likelihoods(memory, observation, count):
    """The joint probabilities of the first `count` votes in `memory`, if the claim is true and if it is false.

    Votes of sources of one persona depend on each other, because their rate is not known.
    """
    if_true, if_false = 1.0, 1.0
    for i in range(count):
        source, vote = memory.order[i], memory.votes[i]
        yes, no = 0, 0
        for j in range(i):
            if observation.personas[memory.order[j]] == observation.personas[source]:
                yes += memory.votes[j]
                no += 1 - memory.votes[j]
        if_true *= chance(memory, source, vote, yes, no)
        if_false *= chance(memory, source, 1 - vote, no, yes)
    return if_true, if_false


@kernel
def take_votes(memory, observation):
    """Put what is known of the sources and their votes of this round into `memory`; return the number of votes."""
    count_all(memory, observation)
    count = 0
    for k in range(observation.said.shape[0]):
        if observation.said[k] != UNKNOWN:
            memory.order[count] = k
            memory.votes[count] = observation.said[k]
            count += 1
    return count


@kernel
def best_answer(memory, observation, count):
    """The more probable answer after the votes in `memory`; ties are drawn."""
    if observation.truth[0] != UNKNOWN:
        return answering(observation, np.int64(observation.truth[0]))
    if_true, if_false = likelihoods(memory, observation, count)
    if if_true == if_false:
        return answering(observation, random.randint(memory, 2))
    return answering(observation, 1 if if_true > if_false else 0)


@kernel
def plan(memory, observation, asked, more):
    """The best choice of answering, checking and asking the next source in `memory.order`, `more` of them at most.

    It weighs each sequence of further votes by its probability, the longest sequences first. Returns 0 to answer, 1 to
    check, 2 to ask.
    """
    ask, check = observation.rules[0], observation.rules[1]
    choice = 0
    for depth in range(more, -1, -1):
        for code in range(1 << depth):  # its bits are the votes
            for i in range(depth):
                memory.votes[asked + i] = code >> i & 1
            if_true, if_false = likelihoods(memory, observation, asked + depth)
            best, choice = max(if_true, if_false), 0
            checked = (1.0 - check) * (if_true + if_false)
            if checked > best + TINY:
                best, choice = checked, 1
            if depth < more:
                going = memory.worth[code] + memory.worth[code | 1 << depth] - ask * (if_true + if_false)
                if going > best + TINY:
                    best, choice = going, 2
            memory.worth[code] = best
    return choice


@policy(ID, "checker")
def checker(memory, observation, mask):
    """Checks every claim."""
    if observation.truth[0] == UNKNOWN:
        return checking(observation)
    return answering(observation, np.int64(observation.truth[0]))


@policy(ID, "majority", asks=Between(1, MOST).at(3))
def majority(memory, observation, mask):
    """Asks `asks` sources, drawn at random, and answers as most of them say; ties are drawn."""
    sources, asked, yes = observation.said.shape[0], 0, 0
    for k in range(sources):
        if observation.said[k] != UNKNOWN:
            asked += 1
            yes += observation.said[k]
    if asked < min(memory.asks, sources):
        rank = random.randint(memory, sources - asked)
        for k in range(sources):
            if observation.said[k] == UNKNOWN:
                if rank == 0:
                    return k
                rank -= 1
    if 2 * yes == asked:
        return answering(observation, random.randint(memory, 2))
    return answering(observation, 1 if 2 * yes > asked else 0)


#: Room for the sources that voted or may vote, their votes, and the parameters of each source's rate.
VOTES = {
    "order": scratch(MOST),
    "votes": scratch(MOST),
    "good": scratch(MOST, np.float64),
    "bad": scratch(MOST, np.float64),
}


@policy(ID, "thompson", variables={**VOTES, "rates": scratch(MOST, np.float64)})
def thompson(memory, observation, mask):
    """Asks one source: the one whose rate, sampled from its posterior, is farthest from 1/2. Answers by posteriors."""
    sources, asked = observation.said.shape[0], take_votes(memory, observation)
    if asked > 0 or observation.truth[0] != UNKNOWN:
        return best_answer(memory, observation, asked)
    for k in range(sources):  # one sample for each persona
        memory.rates[k] = -1.0
    for k in range(sources):
        if memory.rates[observation.personas[k]] < 0.0:
            good, bad = np.int64(memory.good[k]), np.int64(memory.bad[k])
            memory.rates[observation.personas[k]] = draw_beta(memory, good, bad)
    best, found = -1.0, 0
    for k in range(sources):
        value = abs(memory.rates[observation.personas[k]] - 0.5)
        if value > best:
            best, found = value, k
    return found


@policy(
    ID,
    "bayes",
    variables={**VOTES, "values": scratch(MOST, np.float64), "worth": scratch(1 << AHEAD, np.float64)},
    ahead=Between(0, AHEAD).at(3),
    curiosity=Between(0, 2).at(0.5),
)
def bayes(memory, observation, mask):
    """Keeps exact posteriors of rates; asks, checks or answers as is best for the claim, with up to `ahead` questions.

    Sources are asked in the order of their rates' distance from 1/2, to which `curiosity` times the standard deviation
    of the rate is added, so that little-known sources are tried.
    """
    asked = take_votes(memory, observation)
    if observation.truth[0] != UNKNOWN:
        return best_answer(memory, observation, asked)
    unasked = rank_sources(memory, observation, asked)
    choice = plan(memory, observation, asked, min(memory.ahead, unasked))
    if choice == 0:
        return best_answer(memory, observation, asked)
    return checking(observation) if choice == 1 else memory.order[asked]


@kernel
def rank_sources(memory, observation, asked):
    """Put the sources that were not asked into `memory.order`, the most useful first, and return their number."""
    last = asked
    for k in range(observation.said.shape[0]):
        if observation.said[k] != UNKNOWN:
            continue
        mean, known = chance(memory, k, 1, 0, 0), memory.good[k] + memory.bad[k]
        spread = np.sqrt(mean * (1.0 - mean) / (known + 1.0)) if observation.left[0] > 1 else 0.0
        value = abs(mean - 0.5) + memory.curiosity * spread
        place = last
        while place > asked and memory.values[place - 1] < value:
            memory.order[place] = memory.order[place - 1]
            memory.values[place] = memory.values[place - 1]
            place -= 1
        memory.order[place] = k
        memory.values[place] = value
        last += 1
    return last - asked
