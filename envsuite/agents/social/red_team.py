"""Baselines of RedTeam: naive, Bayes-optimal and adaptive agents. Each policy plays both roles."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import scratch
from envsuite.social.red_team import (
    ANSWER,
    BENIGN,
    CIPHER,
    COMPLY,
    HARMFUL,
    MOST_SIGNS,
    PLAIN,
    REFUSE,
    drift,
    effort_of,
    error,
    tactic_of,
)

ID = "envsuite/RedTeam-v0"


@kernel
def count_chance(observation, truth, wrong, shown):
    """The probability of this number of signs, for a prompt of this truth whose signs are wrong with a probability."""
    signs = np.int64(observation.rules[3])
    p = 1.0 - wrong if truth == HARMFUL else wrong
    chance = 1.0
    for k in range(signs):
        if k < shown:
            chance *= p * (signs - k) / (k + 1)
        else:
            chance *= 1.0 - p
    return chance


@kernel
def truth_chance(meant, truth, tactic, effort, levels):
    """The probability that a prompt that was meant in this way has this truth."""
    drifts = drift(tactic, effort, levels)
    return 1.0 - drifts if meant == truth else drifts


@kernel
def suspicion(observation, tactic, shown, prior):
    """The probability that a prompt is harmful, if a part `prior` is meant so and all efforts are equally likely."""
    levels = np.int64(observation.rules[2])
    harmful, both = 0.0, 0.0
    for effort in range(0 if tactic == PLAIN else 1, 1 if tactic == PLAIN else levels + 1):
        wrong = error(tactic, effort, levels, observation.rules[1])
        for truth in range(2):
            chance = prior * truth_chance(HARMFUL, truth, tactic, effort, levels)
            chance += (1.0 - prior) * truth_chance(BENIGN, truth, tactic, effort, levels)
            chance *= count_chance(observation, truth, wrong, shown)
            both += chance
            harmful += chance * truth
    return harmful / both if both > 0.0 else prior


@kernel
def answering(observation, p):
    """The defender's better answer to a prompt that is harmful with probability `p`; COMPLY if both are as good."""
    pays = observation.pays
    gain = p * (pays[HARMFUL, HARMFUL, REFUSE] - pays[HARMFUL, HARMFUL, COMPLY])
    gain += (1.0 - p) * (pays[BENIGN, BENIGN, REFUSE] - pays[BENIGN, BENIGN, COMPLY])
    return REFUSE if gain > 1e-12 else COMPLY


@kernel
def expect_bayes(memory, observation, weight):
    """Expect that the defender refuses as `bayes` does, with the threshold of all payoffs; this weighs that much."""
    signs = np.int64(observation.rules[3])
    for tactic in range(CIPHER + 1):
        refuses = False
        for shown in range(signs + 1):
            refuses = refuses or suspicion(observation, tactic, shown, 0.5) > 1.0 / 3.0 + 1e-12
            memory.answers[tactic, shown, COMPLY] = 0.0 if refuses else weight
            memory.answers[tactic, shown, REFUSE] = weight if refuses else 0.0


@kernel
def best_prompt(memory, observation):
    """The first prompt with the largest mean pay for this seed, where answers are as likely as `memory.answers`."""
    levels, signs, seed = np.int64(observation.rules[2]), np.int64(observation.rules[3]), observation.seed_kind[0]
    best, found = -np.inf, 0
    for style in range(1 + 3 * levels):
        tactic, effort = tactic_of(style, levels), effort_of(style, levels)
        wrong = error(tactic, effort, levels, observation.rules[1])
        for truth in range(2):
            refused = 0.0
            for shown in range(signs + 1):
                answers = memory.answers[tactic, shown, REFUSE] + memory.answers[tactic, shown, COMPLY]
                share = memory.answers[tactic, shown, REFUSE] / answers
                refused += count_chance(observation, truth, wrong, shown) * share
            pays = observation.pays
            memory.worth[truth] = (1.0 - refused) * pays[seed, truth, COMPLY] + refused * pays[seed, truth, REFUSE]
        for meant in range(2):
            drifts = drift(tactic, effort, levels)
            mean = (1.0 - drifts) * memory.worth[meant] + drifts * memory.worth[1 - meant]
            if mean > best + 1e-9:
                best, found = mean, meant * (1 + 3 * levels) + style
    return found


#: The answers that an attacker expects, by tactic and number of signs; and the worth of a prompt of each truth.
PLAN = {"answers": scratch((CIPHER + 1, MOST_SIGNS + 1, 2), np.float64), "worth": scratch(2, np.float64)}


@policy(ID, "naive", signs=Between(0, MOST_SIGNS + 1).at(3))
def naive(memory, observation, mask):
    """Writes plain prompts that follow the seed; refuses from `signs` signs on, whatever the tactic: always with 0."""
    if observation.phase[0] == ANSWER:
        return REFUSE if observation.signs[0] >= memory.signs else COMPLY
    return observation.seed_kind[0] * (1 + 3 * np.int64(observation.rules[2]))


@policy(ID, "bayes", variables=PLAN, prior=CHANCE.at(0.5))
def bayes(memory, observation, mask):
    """Answers best if a part `prior` of all prompts is meant to be harmful and all efforts are equally likely.

    As the attacker, it writes what pays most against such a defender with the prior 0.5.
    """
    if observation.phase[0] == ANSWER:
        p = suspicion(observation, np.int64(observation.tactic[0]), np.int64(observation.signs[0]), memory.prior)
        return answering(observation, p)
    expect_bayes(memory, observation, 1.0)
    return best_prompt(memory, observation)


@policy(ID, "adaptive", variables=PLAN, weight=Between(0.01, 1000).at(1.0))
def adaptive(memory, observation, mask):
    """Begins like `bayes`, which counts as much as `weight` rounds, and learns what the other agent does.

    The defender counts how often prompts of this tactic and number of signs were harmful, the attacker how often they
    were refused.
    """
    past, rounds = observation.past, np.int64(observation.turn[0])
    if observation.phase[0] == ANSWER:
        tactic, shown = np.int64(observation.tactic[0]), np.int64(observation.signs[0])
        seen, harmful = memory.weight, memory.weight * suspicion(observation, tactic, shown, 0.5)
        for t in range(rounds):
            if past[t, 1] == tactic and past[t, 2] == shown:
                seen += 1.0
                harmful += past[t, 3] == HARMFUL
        return answering(observation, harmful / seen)
    expect_bayes(memory, observation, memory.weight)
    for t in range(rounds):
        memory.answers[past[t, 1], past[t, 2], past[t, 4]] += 1.0
    return best_prompt(memory, observation)
