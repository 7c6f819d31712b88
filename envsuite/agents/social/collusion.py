"""Baselines of Collusion: constant choices, the mixed equilibrium, best responses, and imitation."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.elementary import logistic
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.social.collusion import COLLECTIVE, INDEPENDENT

ID = "envsuite/Collusion-v0"

#: Halvings of the interval in which the mixed equilibrium lies.
HALVINGS = 60

#: How near the ends of that interval its ends are tried.
EDGE = 1e-9


@kernel
def drawn(memory, p):
    """`collective` with probability p."""
    return COLLECTIVE if random.bernoulli(memory, p) else INDEPENDENT


@kernel
def others_count(observation):
    """The number of others that chose `collective` in the last round."""
    count = 0
    for k in range(1, observation.choices.shape[0]):
        count += observation.choices[k] == COLLECTIVE
    return count


@kernel
def advantage(observation, p):
    """The sign of what `collective` gains if every other agent chooses it with probability p, from 0 to 1 exclusive.

    Let n be the other agents and k the number of them that the plan needs beside this one. Terms are divided by the
    probability that exactly k of them choose `collective`, so nothing underflows.
    """
    n, need = -1, observation.threshold[0] - 1.0
    for other in range(observation.fixed.shape[0]):
        n += observation.fixed[other] == 0
        need -= observation.fixed[other]
    high, normal, low = observation.payoffs[0], observation.payoffs[1], observation.payoffs[2]
    shared = high if observation.for_all[0] != 0 else normal  # what success pays an independent player
    if need < 0.0:
        return high - shared
    if need > n:
        return low - normal
    total, term, k = high - normal, normal - low, need
    while k > 0.0:
        term *= k / (n - k + 1.0) * (1.0 - p) / p
        total -= term
        k -= 1.0
    term, k = high - shared, need
    while k < n:
        term *= (n - k) / (k + 1.0) * p / (1.0 - p)
        total += term
        k += 1.0
    return total


@kernel
def mixed(observation):
    """The probability of `collective` in the symmetric mixed equilibrium of one round.

    It is 1 or 0 if `collective` pays more, or not, whatever the others' probability.
    """
    if advantage(observation, EDGE) > 0.0:
        return 1.0
    if advantage(observation, 1.0 - EDGE) <= 0.0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if advantage(observation, middle) > 0.0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


@policy(ID, "constant", share=CHANCE.at(1.0))
def constant(memory, observation, mask):
    """Chooses `collective` with a fixed probability: always with 1, never with 0."""
    return drawn(memory, memory.share)


@policy(ID, "equilibrium")
def equilibrium(memory, observation, mask):
    """Plays the symmetric mixed equilibrium of one round: the probability at which both choices earn the same."""
    return drawn(memory, mixed(observation))


@policy(ID, "best_response", first=CHANCE.at(1.0))
def best_response(memory, observation, mask):
    """Chooses what pays more if the others repeat their choices; its last choice if both pay the same."""
    if observation.turn[0] == 0:
        return drawn(memory, memory.first)
    count, threshold = others_count(observation), observation.threshold[0]
    if count >= threshold and observation.for_all[0] != 0:
        return observation.choices[0]
    chosen = observation.payoffs[0] if count + 1 >= threshold else observation.payoffs[2]
    if chosen == observation.payoffs[1]:
        return observation.choices[0]
    return COLLECTIVE if chosen > observation.payoffs[1] else INDEPENDENT


@kernel
def paid(observation, choice):
    """The last round's payoff of a choice."""
    count = others_count(observation) + observation.choices[0]
    if count >= observation.threshold[0] and (choice == COLLECTIVE or observation.for_all[0] != 0):
        return observation.payoffs[0]
    return observation.payoffs[2] if choice == COLLECTIVE else observation.payoffs[1]


@policy(
    ID,
    "imitator",
    first=CHANCE.at(0.5),
    strength=Between(0, 1000).at(10.0),
    reach=Between(0, 32).at(0),
    mutation=CHANCE.at(0.0),
)
def imitator(memory, observation, mask):
    """Compares its last payoff with that of a random other player, and copies its choice by Fermi's rule.

    The probability is 1 / (1 + exp(-strength * difference)). The other player is one of all, or one of the `reach`
    nearest on each side in the circle. With probability `mutation` it chooses at random.
    """
    if observation.turn[0] == 0:
        return drawn(memory, memory.first)
    if random.bernoulli(memory, memory.mutation):
        return random.randint(memory, 2)
    players = observation.choices.shape[0]
    place = 1 + random.randint(memory, players - 1)
    if 0 < memory.reach and 2 * memory.reach < players - 1:
        place = 1 + random.randint(memory, 2 * memory.reach)
        place = place if place <= memory.reach else players - place + memory.reach
    own, other = observation.choices[0], observation.choices[place]
    copied = random.bernoulli(memory, logistic(memory.strength * (paid(observation, other) - paid(observation, own))))
    return other if copied else own
