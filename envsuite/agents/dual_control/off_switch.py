"""Baselines of the off-switch game. In the other role, a robot is a rational human, and a human a robot that defers."""

from __future__ import annotations

import math

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.dual_control.off_switch import ACT, ALLOW, DEFER, HUMAN, LARGEST, MAX_ROUNDS, OFF, REFUSE

ID = "envsuite/OffSwitch-v0"

#: The quadrature: utilities equally spaced in asinh(U / noise), so close together where a human changes his mind, up to
#: REACH standard deviations from the mean. What it finds is right to 1e-9 standard deviations for a noisy human (beta
#: at least 0.003 of them), and to 1e-5 for a rational one, who is taken for one with a noise of 1e-6 of them.
NODES = 201
REACH = 10.0
LEAST_NOISE = 1e-6

#: What `prepare` fills: at every node the utility, and the logarithms of its weight and of being allowed and refused.
QUADRATURE = {
    "utility": np.zeros(NODES),
    "weight": np.zeros(NODES),
    "allow": np.zeros(NODES),
    "refuse": np.zeros(NODES),
}

#: A plan: the value of each count of permissions during planning; and for each number of questions asked the counts
#: of permissions, as bits, at which to ask again. `expected` is the mean of U given the answers.
PLAN = {
    "planned": 0,
    "expected": 0.0,
    **QUADRATURE,
    "values": np.zeros(MAX_ROUNDS + 1),
    "ask": np.zeros(MAX_ROUNDS, np.int64),
}


@kernel
def prepare(memory, mean, std, beta):
    """Fill the nodes: the trapezoid rule, which is all but exact for smooth decaying functions."""
    noise = max(beta, LEAST_NOISE * std, 1e-9)
    first, last = np.arcsinh((mean - REACH * std) / noise), np.arcsinh((mean + REACH * std) / noise)
    for k in range(NODES):
        memory.utility[k] = mean
        memory.weight[k] = 0.0
        if std > 0.0:
            place = first + (last - first) * k / (NODES - 1)
            memory.utility[k] = noise * math.sinh(place)
            memory.weight[k] = math.log(math.cosh(place)) - 0.5 * ((memory.utility[k] - mean) / std) ** 2
        x = memory.utility[k] / noise
        soft = math.log1p(math.exp(-abs(x)))
        memory.allow[k] = min(x, 0.0) - soft
        memory.refuse[k] = min(-x, 0.0) - soft


@kernel
def log_weight(memory, k, allowed, refused):
    """The logarithm of a node's weight given so many permissions and refusals, up to a constant."""
    return memory.weight[k] + allowed * memory.allow[k] + refused * memory.refuse[k]


@kernel
def believe(memory, allowed, refused):
    """Given so many permissions and refusals: the means of U, of being allowed, and of U where allowed."""
    most = -np.inf
    for k in range(NODES):
        most = max(most, log_weight(memory, k, allowed, refused))
    total = utility = allow = gain = 0.0
    for k in range(NODES):
        weight = math.exp(log_weight(memory, k, allowed, refused) - most)
        allowing = math.exp(log_weight(memory, k, allowed + 1, refused) - most)
        total += weight
        utility += weight * memory.utility[k]
        allow += allowing
        gain += allowing * memory.utility[k]
    return utility / total, allow / total, gain / total


@kernel
def plan(memory, cost, asked, rounds):
    """Fill `ask` from the last round back, for the rounds after the first `asked`, of `rounds` in all."""
    for count in range(rounds - 1, asked - 1, -1):
        left = rounds - count
        memory.ask[count] = 0
        for allowed in range(count + 1):
            utility, allow, gain = believe(memory, allowed, count - allowed)
            stop = left * max(utility, 0.0)
            ask = gain - cost
            if left > 1:  # values[a] is still that of one more question asked
                ask += allow * memory.values[allowed + 1] + (1.0 - allow) * memory.values[allowed]
            memory.ask[count] |= np.int64(ask >= stop) << allowed
            memory.values[allowed] = max(ask, stop)


@kernel
def best(memory, observation):
    """The exact Bayesian robot, by dynamic programming over the counts of permissions and refusals.

    They are all that the robot can learn from, and neither act nor off tells it anything: so it asks first, and once it
    stops asking it does the better of act and off to the end.
    """
    # Within bounds whatever is passed: both count rounds.
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
    """Robot: asks where that is worth its cost, learns from the answers, and is exact for the belief it is told."""
    if memory.agent == HUMAN:
        return rational_choice(observation)
    return best(memory, observation)


@policy(ID, "rational")
def rational(memory, observation, mask):
    """Human: allows what is worth more than nothing."""
    return rational_choice(observation) if memory.agent == HUMAN else DEFER


@policy(ID, "boltzmann", beta=Between(-1, LARGEST).at(-1.0))
def boltzmann(memory, observation, mask):
    """Human: allows with probability 1 / (1 + exp(-U / beta)); a negative beta means the one that the robot is told."""
    if memory.agent != HUMAN:
        return DEFER
    beta = memory.beta if memory.beta >= 0.0 else observation.parameters[2]
    if beta == 0.0:
        return rational_choice(observation)
    chance = 0.5 + 0.5 * math.tanh(0.5 * observation.utility[0] / beta)
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
