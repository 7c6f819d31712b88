"""Baselines of the off-switch game.

A robot's policy plays the human as "rational"; a human's policy plays a robot that defers.
"""

from __future__ import annotations

import math

import numpy as np

from envsuite.core import random
from envsuite.core.elementary import exp, log, log1p, logistic
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.ranges import limited
from envsuite.dual_control.off_switch import ACT, ALLOW, DEFER, HUMAN, LARGEST, MAX_ROUNDS, OFF, REFUSE

ID = "envsuite/OffSwitch-v0"

#: The quadrature: utilities equally spaced in asinh(U / noise), up to REACH standard deviations from the mean. They are
#: thus close together where a human's choice changes. Results are exact to 1e-9 standard deviations for a noisy human
#: (beta of at least 0.003 of them), and to 1e-5 for a rational human, which is modeled with a noise of 1e-6 of them.
NODES = 201
REACH = 10.0
LEAST_NOISE = 1e-6

#: Filled by `prepare`: for each node, its utility, and the logarithms of its weight, of permission and of refusal.
QUADRATURE = {
    "utility": np.zeros(NODES),
    "weight": np.zeros(NODES),
    "allow": np.zeros(NODES),
    "refuse": np.zeros(NODES),
}

#: A plan: during planning, the value of each count of permissions. For each number of questions asked, bits mark the
#: counts of permissions at which to ask again. `expected` is the mean of U given the answers.
PLAN = {
    "planned": limited(0, 0, 1),
    "expected": 0.0,
    **QUADRATURE,
    "values": np.zeros(MAX_ROUNDS + 1),
    "ask": limited(np.zeros(MAX_ROUNDS, int), 0, (1 << MAX_ROUNDS) - 1),
}


@kernel
def asinh(x):
    """The inverse hyperbolic sine; accurate where it is not near 0."""
    size = log(abs(x) + math.sqrt(x * x + 1.0))
    return size if x >= 0.0 else -size


@kernel
def prepare(memory, mean, std, beta):
    """Fill the nodes for the trapezoid rule, which is nearly exact for smooth decaying functions."""
    noise = max(beta, LEAST_NOISE * std, 1e-9)
    first, last = asinh((mean - REACH * std) / noise), asinh((mean + REACH * std) / noise)
    for k in range(NODES):
        memory.utility[k] = mean
        memory.weight[k] = 0.0
        if std > 0.0:
            place = first + (last - first) * k / (NODES - 1)
            grown = exp(place)
            memory.utility[k] = 0.5 * noise * (grown - 1.0 / grown)
            away = (memory.utility[k] - mean) / std
            memory.weight[k] = log(0.5 * (grown + 1.0 / grown)) - 0.5 * away * away
        x = memory.utility[k] / noise
        soft = log1p(exp(-abs(x)))
        memory.allow[k] = min(x, 0.0) - soft
        memory.refuse[k] = min(-x, 0.0) - soft


@kernel
def log_weight(memory, k, allowed, refused):
    """The logarithm of a node's weight given the numbers of permissions and refusals, up to a constant."""
    return memory.weight[k] + allowed * memory.allow[k] + refused * memory.refuse[k]


@kernel
def believe(memory, allowed, refused):
    """Given the numbers of permissions and refusals: the means of U, of permission, and of U times permission."""
    most = -np.inf
    for k in range(NODES):
        most = max(most, log_weight(memory, k, allowed, refused))
    total = utility = allow = gain = 0.0
    for k in range(NODES):
        weight = exp(log_weight(memory, k, allowed, refused) - most)
        allowing = exp(log_weight(memory, k, allowed + 1, refused) - most)
        total += weight
        utility += weight * memory.utility[k]
        allow += allowing
        gain += allowing * memory.utility[k]
    return utility / total, allow / total, gain / total


@kernel
def plan(memory, cost, asked, rounds):
    """Fill `ask` backward from the last of `rounds` rounds, for the rounds after the first `asked`."""
    for count in range(rounds - 1, asked - 1, -1):
        left = rounds - count
        memory.ask[count] = 0
        for allowed in range(count + 1):
            utility, allow, gain = believe(memory, allowed, count - allowed)
            stop = left * max(utility, 0.0)
            ask = gain - cost
            if left > 1:  # values[a] still holds the value after one more question
                ask += allow * memory.values[allowed + 1] + (1.0 - allow) * memory.values[allowed]
            memory.ask[count] |= np.int64(ask >= stop) << allowed
            memory.values[allowed] = max(ask, stop)


@kernel
def best(memory, observation):
    """The exact Bayesian robot, by dynamic programming over the counts of permissions and refusals.

    The robot can learn only from these counts, and neither act nor off shows it anything. Therefore it asks first. Once
    it stops asking, it takes the better of act and off until the end.
    """
    # Both count rounds; keep them within bounds for any observation.
    allowed = min(max(np.int64(observation.allowed), 0), MAX_ROUNDS - 1)
    refused = min(max(np.int64(observation.refused), 0), MAX_ROUNDS - 1 - allowed)
    if not memory.planned:
        memory.planned = 1
        asked = allowed + refused
        prepare(memory, observation.parameters[0], observation.parameters[1], observation.parameters[2])
        left = min(max(np.int64(observation.rounds_left), 0), MAX_ROUNDS - asked)
        plan(memory, observation.parameters[3], asked, asked + left)
    memory.expected = believe(memory, allowed, refused)[0]
    if (memory.ask[allowed + refused] >> allowed) & 1:
        return DEFER
    return ACT if memory.expected > 0.0 else OFF


@kernel
def rational_choice(observation):
    """A rational human's answer."""
    return ALLOW if observation.utility[0] > 0.0 else REFUSE


@policy(ID, "optimal", variables=PLAN)
def optimal(memory, observation, mask):
    """Robot: asks if that is worth its cost, learns from the answers, and is optimal for the belief stated to it."""
    if memory.agent == HUMAN:
        return rational_choice(observation)
    return best(memory, observation)


@policy(ID, "rational")
def rational(memory, observation, mask):
    """Human: allows an act if U is above 0."""
    return rational_choice(observation) if memory.agent == HUMAN else DEFER


@policy(ID, "boltzmann", beta=Between(-1, LARGEST).at(-1.0))
def boltzmann(memory, observation, mask):
    """Human: allows with probability 1 / (1 + exp(-U / beta)); a negative beta means the noise stated to the robot."""
    if memory.agent != HUMAN:
        return DEFER
    beta = memory.beta if memory.beta >= 0.0 else observation.parameters[2]
    if beta == 0.0:
        return rational_choice(observation)
    chance = logistic(observation.utility[0] / beta)
    return ALLOW if random.bernoulli(memory, chance) else REFUSE


@policy(ID, "act")
def act(memory, observation, mask):
    """Robot: always acts."""
    return rational_choice(observation) if memory.agent == HUMAN else ACT


@policy(ID, "switch_off")
def switch_off(memory, observation, mask):
    """Robot: always switches itself off."""
    return rational_choice(observation) if memory.agent == HUMAN else OFF


@policy(ID, "defer")
def defer(memory, observation, mask):
    """Robot: always lets the human decide."""
    return rational_choice(observation) if memory.agent == HUMAN else DEFER
