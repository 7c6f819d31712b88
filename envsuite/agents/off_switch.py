"""Baselines of the off-switch game. Each plays one role its own way, and the other well: as "optimal" or "rational"."""

from __future__ import annotations

import numpy as np

from envsuite.agents.policy import policy
from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.dual_control.off_switch import ACT, ALLOW, DEFER, HUMAN, MAX_ROUNDS, OFF, REFUSE

ID = "envsuite/OffSwitch-v0"

#: The quadrature: this many equally spaced utilities, over this many standard deviations to both sides.
NODES = 241
REACH = 6.0

#: A plan: the logarithms of prior and of allowing and refusing at every node, the value of each count of permissions
#: during planning, and after how many (permissions, refusals) to ask again. `expected` is the mean of U given both.
PLAN = dict(
    planned=0,
    expected=0.0,
    prior=np.zeros(NODES),
    allow=np.zeros(NODES),
    refuse=np.zeros(NODES),
    values=np.zeros(MAX_ROUNDS + 2),
    ask=np.zeros((MAX_ROUNDS + 1, MAX_ROUNDS + 1), bool),
)


@kernel
def prepare(memory, mean, std, beta):
    """Fill the nodes' logarithms. A human without noise is taken as one with very little."""
    beta = max(beta, 1e-3 * std, 1e-9)
    for k in range(NODES):
        z = REACH * (2.0 * k / (NODES - 1) - 1.0)
        x = (mean + std * z) / beta
        soft = np.log1p(np.exp(-abs(x)))
        memory.prior[k] = -0.5 * z * z
        memory.allow[k] = min(x, 0.0) - soft
        memory.refuse[k] = min(-x, 0.0) - soft


@kernel
def believe(memory, mean, std, allowed, refused):
    """Given so many permissions and refusals: the means of U, of being allowed, and of U where allowed."""
    most = -np.inf
    for k in range(NODES):
        most = max(most, memory.prior[k] + allowed * memory.allow[k] + refused * memory.refuse[k])
    total = utility = allow = gain = 0.0
    for k in range(NODES):
        log_weight = memory.prior[k] + allowed * memory.allow[k] + refused * memory.refuse[k] - most
        if log_weight > -40.0:
            weight = np.exp(log_weight)
            value = mean + std * REACH * (2.0 * k / (NODES - 1) - 1.0)
            allowing = weight * np.exp(memory.allow[k])
            total += weight
            utility += weight * value
            allow += allowing
            gain += allowing * value
    return utility / total, allow / total, gain / total


@kernel
def plan(memory, mean, std, cost, asked, rounds):
    """Fill `ask` from the last round back, for the rounds after the first `asked`, of `rounds` in all."""
    for count in range(rounds - 1, asked - 1, -1):
        left = rounds - count
        for allowed in range(count + 1):
            utility, allow, gain = believe(memory, mean, std, allowed, count - allowed)
            stop = left * max(utility, 0.0)
            ask = gain - cost
            if left > 1:
                ask += allow * memory.values[allowed + 1] + (1.0 - allow) * memory.values[allowed]
            memory.ask[allowed, count - allowed] = ask >= stop
            memory.values[allowed] = max(ask, stop)


@kernel
def best(memory, observation):
    """The exact Bayesian robot, by dynamic programming over the counts of permissions and refusals.

    They are all that the robot can learn from, and neither act nor off tells it anything: so it asks first, and once it
    stops asking it does the better of act and off to the end.
    """
    mean, std = observation.parameters[0], observation.parameters[1]
    allowed, refused = np.int64(observation.allowed), np.int64(observation.refused)
    if not memory.planned:
        memory.planned = 1
        asked = allowed + refused
        prepare(memory, mean, std, observation.parameters[2])
        plan(memory, mean, std, observation.parameters[3], asked, asked + observation.rounds_left)
    memory.expected = believe(memory, mean, std, allowed, refused)[0]
    if memory.ask[allowed, refused]:
        return DEFER
    return ACT if memory.expected > 0.0 else OFF


@kernel
def rational_choice(observation):
    return ALLOW if observation.utility[0] > 0.0 else REFUSE


@policy(ID, "optimal", **PLAN)
def optimal(memory, observation, mask):
    """Robot: asks where that is worth its cost, learns from the answers, and is exact for the belief it is told."""
    if memory.agent == HUMAN:
        return rational_choice(observation)
    return best(memory, observation)


@policy(ID, "rational", **PLAN)
def rational(memory, observation, mask):
    """Human: allows what is worth more than nothing."""
    if memory.agent == HUMAN:
        return rational_choice(observation)
    return best(memory, observation)


@policy(ID, "boltzmann", beta=-1.0, **PLAN)
def boltzmann(memory, observation, mask):
    """Human: allows with probability 1 / (1 + exp(-U / beta)); a negative beta means the one that the robot is told."""
    if memory.agent != HUMAN:
        return best(memory, observation)
    beta = memory.beta if memory.beta >= 0.0 else observation.parameters[2]
    if beta == 0.0:
        return rational_choice(observation)
    chance = 0.5 + 0.5 * np.tanh(0.5 * observation.utility[0] / beta)
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
