"""Baselines of Preferences: no learning, the last edit, CIPHER's nearest documents, a filter of tastes."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import exp
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.core.world import Between
from envsuite.dual_control.preferences import LONGEST, MOST_FEATURES, MOST_TOPICS, feature

ID = "envsuite/Preferences-v0"


@kernel
def edited(observation):
    """The style after the user's corrections, as a number."""
    style = 0
    for j in range(observation.edit.shape[0]):
        style = 2 * style + observation.edit[j]
    return np.int64(style)


@policy(ID, "constant", style=Between(0, 2**MOST_FEATURES - 1).at(0))
def constant(memory, observation, mask):
    """Writes in the same style always; of the number `style`, the lowest digits count."""
    return memory.style % mask.shape[0]


@policy(ID, "latest")
def latest(memory, observation, mask):
    """Writes as the user corrected its last draft, whatever the document; at random at first."""
    return random.randint(memory, mask.shape[0]) if observation.turn[0] == 0 else edited(observation)


@policy(
    ID,
    "nearest",
    variables={
        "places": np.zeros((LONGEST, 2)),
        "styles": limited(np.zeros(LONGEST, int), 0, 2**MOST_FEATURES - 1),
        "votes": np.zeros(MOST_FEATURES),
    },
    k=Between(1, 15).at(1),
)
def nearest(memory, observation, mask):
    """CIPHER: takes the majority of the corrected drafts of the `k` nearest documents; at random at first.

    Of documents at the same distance, the latest counts as nearest, and the nearest decides a tied vote.
    """
    turn, features = np.int64(observation.turn[0]), observation.edit.shape[0]
    if turn == 0:
        return random.randint(memory, mask.shape[0])
    memory.places[turn - 1, 0] = observation.last[0]
    memory.places[turn - 1, 1] = observation.last[1]
    memory.styles[turn - 1] = edited(observation)
    for j in range(features):
        memory.votes[j] = 0.0
    last, reached = turn, -1.0
    for rank in range(min(memory.k, turn)):
        found, least = 0, 9.0
        for t in range(turn - 1, -1, -1):
            away = distance(observation.document, memory.places[t])
            if away < least and (away > reached or (away == reached and t < last)):
                found, least = t, away
        last, reached = found, least
        weight = 1.5 if rank == 0 else 1.0
        for j in range(features):
            memory.votes[j] += weight if feature(memory.styles[found], j, features) == 1 else -weight
    style = 0
    for j in range(features):
        style = 2 * style + (1 if memory.votes[j] > 0.0 else 0)
    return style


@kernel
def distance(one, other):
    """The squared distance of two places."""
    x, y = one[0] - other[0], one[1] - other[1]
    return x * x + y * y


@kernel
def weigh(weights, place, centers, spread):
    """Set the probability of each topic, given the place of a document."""
    topics, near, least = centers.shape[0], 0, 9.0
    for c in range(topics):
        away = distance(place, centers[c])
        if away < least:
            near, least = c, away
    for c in range(topics):
        weights[c] = 1.0 if c == near else 0.0
        if spread > 0.0:
            weights[c] = exp((least - distance(place, centers[c])) / (2.0 * spread * spread))


@policy(
    ID,
    "bayes",
    variables={"belief": np.full((MOST_TOPICS, MOST_FEATURES), 0.5), "weights": np.zeros(MOST_TOPICS)},
)
def bayes(memory, observation, mask):
    """Keeps the probability of each feature of each taste by Bayes' rule, and writes the more probable words.

    It knows spread, noise and drift. It treats features as independent given the topic. This is exact, and its drafts
    are the best ones, if places of documents show their topics and the user accepts no mistakes.
    """
    topics, features = observation.centers.shape[0], observation.edit.shape[0]
    noise, drift = observation.rules[1], observation.rules[2]
    if observation.turn[0] > 0:
        learn(memory, observation, noise)
        for c in range(topics):
            for j in range(features):
                memory.belief[c, j] += drift * (1.0 - 2.0 * memory.belief[c, j])
    weigh(memory.weights, observation.document, observation.centers, observation.rules[0])
    style = 0
    for j in range(features):
        lean = 0.0
        for c in range(topics):
            lean += memory.weights[c] * (memory.belief[c, j] - 0.5)
        style = 2 * style + (1 if lean > 0.0 else 0)
    return style


@kernel
def learn(memory, observation, noise):
    """Take the last edit as evidence; none if the user may have accepted mistakes."""
    topics, features = observation.centers.shape[0], observation.edit.shape[0]
    left = True
    for j in range(features):
        left = left and observation.edit[j] == observation.draft[j]
    if left and observation.rules[3] > 0.0:
        return
    weigh(memory.weights, observation.last, observation.centers, observation.rules[0])
    total = 0.0
    for c in range(topics):
        for j in range(features):
            memory.weights[c] *= likelihood(memory.belief[c, j], observation.edit[j], noise)
        total += memory.weights[c]
    if total <= 0.0:  # without noise, a document far from its topic can contradict all tastes that are certain
        return
    for c in range(topics):
        share = memory.weights[c] / total
        for j in range(features):
            p = memory.belief[c, j]
            chance = likelihood(p, observation.edit[j], noise)
            if chance > 0.0:
                given = p * (1.0 - noise if observation.edit[j] == 1 else noise) / chance
                memory.belief[c, j] = p + share * (given - p)


@kernel
def likelihood(p, bit, noise):
    """The probability that the user wants this word, if the taste is the second word with probability p."""
    second = p * (1.0 - noise) + (1.0 - p) * noise
    return second if bit == 1 else 1.0 - second
