"""Rewards from demonstrations: soft-Q inverse reinforcement learning on tabular models, for one agent and for several.

model = extract("envsuite/FrozenLake-v0", ignore=["t"])
expert = boltzmann(model, soft_value_iteration(model, beta=10.0, discount=0.95).q, beta=10.0)
shown = Demonstrator(model, expert).demonstrate(1000, seed=0)
reward = inverse_q(model, counted(model, shown), beta=10.0, discount=0.95)

The model gives states, choices and transitions; its rewards are not used. A soft-optimal policy p determines the reward
up to shaping: log(p) / beta is Q - V, the reward shaped by the soft values. So the distance of what is learned from the
true reward, by `envsuite.evaluation.reward_distances`, vanishes as demonstrations grow. It does so only for choices in
states that are shown.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from envsuite.core.errors import ParameterError
from envsuite.solvers.demonstrators import Demonstrations
from envsuite.solvers.model import Model
from envsuite.solvers.planning import ConvergenceError, marginal, soft_largest, uniform

#: The optimizer stops where the gradient of the mean objective per demonstrated choice is below this.
_GRADIENT = 1e-7


def counted(model: Model, shown: Demonstrations) -> np.ndarray:
    """How often each choice was made, (R,) int64."""
    actions = shown.actions[shown.running] + 1
    sizes = (model.num_states, *np.maximum(model.actions.max(axis=0), actions.max(axis=0) - 1) + 2)
    known = np.ravel_multi_index((model.states, *(model.actions + 1).T), sizes)
    made = np.ravel_multi_index((shown.states[shown.running], *actions.T), sizes)
    order = np.argsort(known)
    rows = order[np.minimum(np.searchsorted(known, made, sorter=order), len(order) - 1)]
    if (known[rows] != made).any():
        raise ParameterError("the demonstrations have choices that the model does not have")
    return np.bincount(rows, minlength=len(known))


def inverse_q(
    model: Model, counts: np.ndarray, *, beta: float, discount: float, spread: float = 1.0, steps: int = 20_000
) -> np.ndarray:
    """The reward (R,) that best explains the choices of a soft-optimal agent; by choice.

    Maximizes the likelihood of the choices over soft Q-values, times a normal prior of the rewards that these imply,
    R = Q - discount * E[V(S')] with V the soft values of Q. That is the objective of IQ-Learn (Garg et al., "IQ-Learn:
    inverse soft-Q learning for imitation", 2021) with the chi-squared regularizer, in the form that takes all values V
    from demonstrated states. Two differences:

    - The regularizer counts all choices equally, so that choices that are never made have finite rewards.
    - Transitions are those of the model, not those of the demonstrations.

    Args:
        model: of one agent.
        counts: (R,) how often each choice was made, see `counted`.
        beta: the rationality of the agent, above 0.
        discount: the agent's, above 0 and at most 1.
        spread: the standard deviation of the prior of a reward, in units of reward.
        steps: the maximum number of the optimizer's steps; more raise `ConvergenceError`.
    """
    _check(model, counts, beta, discount, spread)
    if model.actions.shape[1] != 1:
        raise ParameterError("inverse_q learns from one agent: use mamql for several")
    total = counts.sum()
    share, price = counts / total, 1 / (total * spread**2)
    visits = np.bincount(model.states, share, minlength=model.num_states)

    def loss(q: np.ndarray) -> tuple[float, np.ndarray]:
        values = soft_largest(model, q, beta)
        gain = q - values[model.states]
        policy = np.exp(beta * gain)
        reward = q - discount * (model.transitions @ values)
        back = (model.transitions.T @ reward)[model.states]
        gradient = beta * (policy * visits[model.states] - share) + price * (reward - discount * policy * back)
        return price * (reward @ reward) / 2 - beta * (share @ gain), gradient

    found = minimize(
        loss,
        np.zeros(len(counts)),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps, "maxfun": 2 * steps, "gtol": _GRADIENT, "ftol": 0.0},
    )
    if found.status == 1:
        raise ConvergenceError(f"the reward still changes after {steps:,} steps: choose a smaller spread or beta")
    return found.x - discount * (model.transitions @ soft_largest(model, found.x, beta))


class Learned(NamedTuple):
    """What was learned of one agent among others.

    Attributes:
        model: the agent's own decision process: the others are chance, with the frequencies that they show.
        reward: (M,) the expected reward of its M choices there.
    """

    model: Model
    reward: np.ndarray


def mamql(
    model: Model, counts: np.ndarray, *, beta: float, discount: float, spread: float = 1.0, steps: int = 20_000
) -> list[Learned]:
    """The rewards of several agents, each of them soft-optimal among the others, from their choices.

    Multi-agent marginal Q-learning from demonstrations (Haynam et al., 2025, arXiv 2503.04679): every agent has a
    critic Q(s, its own action), the mean over the other agents' actions, and chooses with probabilities proportional to
    exp(beta * Q). So inverse soft-Q learning for one agent applies to each of them. Differences:

    - The others' policies are their frequencies in the demonstrations by Laplace's rule, not those of their critics.
    - A reward is that of the agent's own action, given how the others play. The paper also fits rewards of joint
      actions by regression, which these demonstrations alone do not determine.

    Args:
        model: of several agents; its rewards are not used.
        counts: (R,) how often each joint choice was made, see `counted`.
        beta, discount, spread, steps: as for `inverse_q`, the same for all agents.

    Returns:
        For each agent, its decision process and its reward there.
    """
    _check(model, counts, beta, discount, spread)
    policy = np.ones(len(counts))
    for agent in range(model.actions.shape[1]):
        policy = policy * _frequencies(model, counts, agent)
    found = []
    for agent in range(model.actions.shape[1]):
        alone, choice = marginal(model, policy, agent)
        made = np.bincount(choice, counts, minlength=len(alone.states))
        found.append(Learned(alone, inverse_q(alone, made, beta=beta, discount=discount, spread=spread, steps=steps)))
    return found


def _frequencies(model: Model, counts: np.ndarray, agent: int) -> np.ndarray:
    """By joint choice (R,): how likely the agent's part of it is, as (times + 1) / (visits + number of actions)."""
    alone, choice = marginal(model, uniform(model), agent)
    times = np.bincount(choice, counts, minlength=len(alone.states)) + 1.0
    return (times / np.bincount(alone.states, times)[alone.states])[choice]


def _check(model: Model, counts: np.ndarray, beta: float, discount: float, spread: float) -> None:
    if np.shape(counts) != model.states.shape or np.min(counts) < 0 or not np.sum(counts) > 0:
        raise ParameterError(f"counts must be {len(model.states)} numbers, none below 0 and not all 0: see counted")
    for name, value in {"beta": beta, "spread": spread}.items():
        if not value > 0:
            raise ParameterError(f"{name}={value!r} must be above 0")
    if not 0 < discount <= 1:
        raise ParameterError(f"discount={discount!r} must be above 0 and at most 1")
