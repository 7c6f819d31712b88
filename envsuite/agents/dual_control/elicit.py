"""Baselines of Elicit: offers without questions, all questions in order, and values of information."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.core.world import Between
from envsuite.dual_control.elicit import FURTHER, OPEN, PAY, UNKNOWN, VERDICT_PAY
from envsuite.dual_control.elicit.levels import CHOICES, MOST_OFFERS, NONE

ID = "envsuite/Elicit-v0"

#: The most aspects and topics of a request.
ASPECTS, TOPICS = 4, 9


@kernel
def first_question(observation):
    """The number of the action after all questions."""
    topics = observation.known.shape[1]
    return (1 << topics) - 1 if observation.rules[0] != 0 else observation.known.shape[0] * topics


@kernel
def cheapest(observation, aspect):
    """The cheapest offer that meets the wishes that are known; there always is one."""
    found, least = 0, 32767
    for n in range(observation.prices.shape[1]):
        meets = True
        for k in range(observation.known.shape[1]):
            wish = observation.known[aspect, k]
            meets = meets and (wish < 0 or wish == observation.offers[aspect, n, k])
        if meets and observation.prices[aspect, n] < least:
            found, least = n, np.int64(observation.prices[aspect, n])
    return found


@kernel
def moves_to_finish(observation):
    """The steps that searches and recommendations of open aspects take, with the searches that fail."""
    moves, searches = 0, np.int64(observation.counters[3])
    for a in range(observation.verdict.shape[0]):
        if observation.verdict[a] == OPEN:
            moves += 1
            if observation.prices[a, 0] == 0:
                searches += 1
                moves += 2 if searches % observation.rules[2] == 0 else 1
                searches += searches % observation.rules[2] == 0
    return moves


@kernel
def to_search(observation):
    """The first open aspect without offers, or -1."""
    for a in range(observation.verdict.shape[0]):
        if observation.verdict[a] == OPEN and observation.prices[a, 0] == 0:
            return a
    return -1


@kernel
def conclude(observation):
    """Search what was not searched, then recommend the cheapest offer that meets the known wishes; a journey only."""
    aspects, offers = observation.prices.shape
    first = first_question(observation) + 2
    aspect = to_search(observation)
    if aspect >= 0:
        return first + aspect
    for a in range(aspects):
        if observation.verdict[a] == OPEN:
            return first + aspects + a * offers + cheapest(observation, a)
    return first - 1


@policy(ID, "hasty")
def hasty(memory, observation, mask):
    """Searches and recommends the cheapest offers without a question; asks about an intention all at once."""
    if observation.rules[0] != 0:
        return ask_all(observation)
    return conclude(observation)


@kernel
def ask_all(observation):
    """Ask about all unknown topics at once."""
    subset = 0
    for k in range(observation.known.shape[1]):
        if observation.known[0, k] == UNKNOWN:
            subset |= 1 << k
    return subset - 1


@policy(ID, "interview")
def interview(memory, observation, mask):
    """Asks one topic after the other until all wishes are known or only the steps to search and recommend are left."""
    topics, intention = observation.known.shape[1], observation.rules[0] != 0
    if observation.counters[0] > 0 and (intention or observation.counters[1] > moves_to_finish(observation)):
        for a in range(observation.known.shape[0]):
            for k in range(topics):
                if observation.verdict[a] == OPEN and observation.known[a, k] == UNKNOWN and unsettled(observation, a):
                    return (1 << k) - 1 if intention else a * topics + k
    return conclude(observation)


@kernel
def unsettled(observation, aspect):
    """The number of wishes in an aspect that are not known."""
    left = np.int64(observation.wishes[aspect])
    for k in range(observation.known.shape[1]):
        left -= observation.known[aspect, k] >= 0
    return left


@policy(
    ID,
    "value",
    variables={
        "wishes": scratch(TOPICS),
        "after": scratch((TOPICS, CHOICES + 1, MOST_OFFERS), np.float64),
        "mass": scratch((TOPICS, CHOICES + 1), np.float64),
        "plan": scratch((TOPICS + 1, TOPICS + 1, TOPICS + 1), np.float64),
    },
    worth=Between(0, 10).at(1.0),
)
def value(memory, observation, mask):
    """Searches first, then asks where the expected pay is greatest: for wishes, plus `worth` times that of the offer.

    The probabilities are exact: it weighs all wishes that fit its observations, by Bayes' rule. It looks one question
    ahead. Its questions about intentions are the best ones, by dynamic programming.
    """
    if observation.rules[0] != 0:
        return plan(memory, observation) - 1
    if to_search(observation) >= 0:
        return conclude(observation)
    aspects, topics = observation.known.shape
    if observation.counters[0] > 0 and observation.counters[1] > moves_to_finish(observation):
        best, found = -1.0, -1
        for a in range(aspects):
            if observation.verdict[a] == OPEN and unsettled(observation, a) > 0:
                now = weigh(memory, observation, a)
                for k in range(topics):
                    if observation.known[a, k] == UNKNOWN:
                        gain = gain_of(memory, observation, k, now)
                        if gain > best + 1e-12:
                            best, found = gain, a * topics + k
        if found >= 0:
            return found
    for a in range(aspects):
        if observation.verdict[a] == OPEN:
            weigh(memory, observation, a)
            offers = observation.prices.shape[1]
            return first_question(observation) + 2 + aspects + a * offers + best_offer(memory, observation)
    return conclude(observation)


@kernel
def weigh(memory, observation, aspect):
    """Weigh all wishes in an aspect that its observations allow, in sums for each topic, answer and offer.

    The probability of wishes is in proportion to the number of offers that meet them all, because one of the offers was
    made to meet them. Returns the expected pay of the best offer.
    """
    topics, offers = observation.known.shape[1], observation.prices.shape[1]
    for k in range(topics):
        for answer in range(CHOICES + 1):
            memory.mass[k, answer] = 0.0
            for n in range(offers):
                memory.after[k, answer, n] = 0.0
        known = np.int64(observation.known[aspect, k])
        memory.wishes[k] = known if known != UNKNOWN else NONE
    while True:
        if count_wishes(memory, topics) == observation.wishes[aspect]:
            add_case(memory, observation, aspect)
        k = 0  # the next case: count up the unknown topics like digits
        while k < topics:
            if observation.known[aspect, k] == UNKNOWN:
                memory.wishes[k] += 1
                if memory.wishes[k] < CHOICES:
                    break
                memory.wishes[k] = NONE
            k += 1
        if k == topics:
            break
    total, best = 0.0, 0.0
    for answer in range(CHOICES + 1):
        total += memory.mass[0, answer]
    for n in range(offers):
        pay = 0.0
        for answer in range(CHOICES + 1):
            pay += memory.after[0, answer, n]
        best = max(best, pay)
    return best / total


@kernel
def count_wishes(memory, topics):
    """The number of wishes of the case."""
    count = 0
    for k in range(topics):
        count += memory.wishes[k] != NONE
    return count


@kernel
def meets(memory, observation, aspect, offer):
    """Whether an offer meets the wishes of the case."""
    for k in range(observation.known.shape[1]):
        if memory.wishes[k] != NONE and memory.wishes[k] != observation.offers[aspect, offer, k]:
            return False
    return True


@kernel
def add_case(memory, observation, aspect):
    """Add the case in `memory.wishes` to the sums, with the number of offers that meet it as its weight."""
    topics, offers = observation.known.shape[1], observation.prices.shape[1]
    weight, cheap, least = 0, -1, 32767
    for n in range(offers):
        if meets(memory, observation, aspect, n):
            weight += 1
            if observation.prices[aspect, n] < least:
                cheap, least = n, np.int64(observation.prices[aspect, n])
    if weight == 0:
        return
    for k in range(topics):
        memory.mass[k, memory.wishes[k] + 1] += weight
    for n in range(offers):
        if meets(memory, observation, aspect, n):
            pay = weight * (VERDICT_PAY[2] if n == cheap else VERDICT_PAY[1])
            for k in range(topics):
                memory.after[k, memory.wishes[k] + 1, n] += pay


@kernel
def gain_of(memory, observation, topic, now):
    """The expected pay of a question about a topic, whose aspect was weighed: its own, and what the answer is worth."""
    total, hit, later = 0.0, 0.0, 0.0
    for answer in range(CHOICES + 1):
        total += memory.mass[topic, answer]
        hit += memory.mass[topic, answer] if answer > 0 else 0.0
        best = 0.0
        for n in range(observation.prices.shape[1]):
            best = max(best, memory.after[topic, answer, n])
        later += best
    return PAY[0] * hit / total + memory.worth * (later / total - now)


@kernel
def best_offer(memory, observation):
    """The offer with the greatest expected pay in the aspect that was weighed."""
    found, most = 0, -1.0
    for n in range(observation.prices.shape[1]):
        pay = 0.0
        for answer in range(CHOICES + 1):
            pay += memory.after[0, answer, n]
        if pay > most + 1e-12:
            found, most = n, pay
    return found


@kernel
def plan(memory, observation):
    """The best question about an intention, as a set of topics.

    `memory.plan[t, u, m]` is the greatest expected pay of t more questions about u unknown topics, of which m have
    wishes. All topics look the same, so only the number of topics in a question matters; the first ones are taken.
    """
    unknown, left = 0, np.int64(observation.counters[0])
    for k in range(observation.known.shape[1]):
        unknown += observation.known[0, k] == UNKNOWN
    horizon = min(np.int64(observation.counters[1]), unknown)  # one question a topic is enough
    for u in range(unknown + 1):
        for m in range(left + 1):
            memory.plan[0, u, m] = 0.0
    best = 1
    for t in range(1, horizon + 1):
        for u in range(unknown + 1):
            for m in range(min(u, left) + 1):
                memory.plan[t, u, m] = 0.0
                for size in range(1, u + 1 if m > 0 else 1):
                    pay = expected(memory, t, u, m, size)
                    if pay > memory.plan[t, u, m] + 1e-12:
                        memory.plan[t, u, m] = pay
                        if t == horizon and u == unknown and m == left:
                            best = size
    subset = 0
    for k in range(observation.known.shape[1]):
        if best > 0 and observation.known[0, k] == UNKNOWN:
            subset |= 1 << k
            best -= 1
    return subset


@kernel
def expected(memory, t, u, m, size):
    """The expected pay of a question about `size` of u topics, of which m have wishes, and of t - 1 later ones."""
    total = 0.0
    for hits in range(max(0, size - (u - m)), min(m, size) + 1):
        chance = choose(m, hits) * choose(u - m, size - hits) / choose(u, size)
        total += chance * (pay_of(hits) + memory.plan[t - 1, u - size, m - hits])
    return total


@kernel
def choose(n, k):
    """The number of sets of k of n topics."""
    found = 1.0
    for j in range(k):
        found = found * (n - j) / (j + 1)
    return found


@kernel
def pay_of(hits):
    """The expected pay of a question with this number of wishes, whose importance is uniform from 1 to 3."""
    if hits == 0:
        return 0.0
    one, two = 1.0, 1.0
    for _ in range(hits):
        one /= 3.0
        two *= 2.0 / 3.0
    less = FURTHER * (hits - 1)
    return one * max(0.0, PAY[1] - less) + (two - one) * max(0.0, PAY[2] - less) + (1.0 - two) * max(0.0, PAY[3] - less)
