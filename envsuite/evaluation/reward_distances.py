"""Distances between reward functions: EPIC, DARD and STARC, exactly, on the tabular model of a small world.

model = absorbing(extract("envsuite/FrozenLake-v0", ignore=["t"]))
reward = model.rewards[:, 0]
starc(model, reward, shaped(model, reward, potential, discount=0.95), discount=0.95)    # 0: the same task
starc(model, reward, -reward, discount=0.95)                                            # 1: the opposite task

A reward function of a model with R choices and S states is an array: (R,) by choice, or (R, S) by choice and next
state, also for next states that cannot follow. Every distance is half the distance between two standard forms: the
canonical reward, which shaping and the like do not change, divided by its norm. So it is between 0 and 1, symmetric,
and obeys the triangle inequality. A reward that makes all policies equal has the standard form 0, and the distance 1/2
from all rewards that do not.

As in the papers, episodes have no end and the discount is below 1: `absorbing` makes such a model of any other. Its
choices may differ from state to state; the papers have the same actions everywhere.

Gleave, Dennis, Legg, Russell and Leike, "Quantifying differences in reward functions", 2021 (EPIC).
Wulfe et al., "Dynamics-aware comparison of learned reward functions", 2022 (DARD).
Skalse et al., "STARC: a general framework for quantifying differences between reward functions", 2024.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import splu

from envsuite.core.errors import ParameterError, suggest
from envsuite.solvers.model import Model
from envsuite.solvers.planning import evaluate, uniform

#: A canonical reward whose norm is below this share of the reward's largest number is 0, but for rounding.
_ZERO = 1e-9


def absorbing(model: Model) -> Model:
    """The model in which ended episodes stay where they are, forever, with reward 0: by one choice without actions."""
    ended = np.flatnonzero(model.terminal)
    states = np.concatenate([model.states, ended])
    order = np.argsort(states, kind="stable")
    old = model.transitions.tocoo()
    rows = np.concatenate([old.coords[0], len(model.states) + np.arange(len(ended))])
    values = np.concatenate([old.data, np.ones(len(ended))])
    transitions = coo_array((values, (rows, np.concatenate([old.coords[1], ended]))), (len(states), model.num_states))
    agents = model.actions.shape[1]
    return replace(
        model,
        first=np.concatenate([[0], np.cumsum(np.bincount(states, minlength=model.num_states))]),
        actions=np.concatenate([model.actions, np.full((len(ended), agents), -1)])[order],
        transitions=csr_array(transitions)[order],
        rewards=np.concatenate([model.rewards, np.zeros((len(ended), agents))])[order],
    )


def shaped(model: Model, reward: np.ndarray, potential: np.ndarray, *, discount: float) -> np.ndarray:
    """A reward plus the shaping by a potential (S,): discount * potential[next state] - potential[state]; (R, S).

    Shaping changes the return of all policies by the same number, the potential of the start (Ng, Harada and Russell,
    1999).
    """
    return _full(model, reward) + discount * potential - potential[model.states, None]


# Canonical rewards.


def value_adjusted(
    model: Model, reward: np.ndarray, *, discount: float, policy: np.ndarray | None = None
) -> np.ndarray:
    """Value-adjusted leveling (VAL), (R,): E[R(s, a, S') + discount * V(S') - V(s)], V being a policy's values.

    That is the advantage of a choice over the policy (R,), by default the uniformly random one.
    """
    values = _values(model, reward, discount, policy)
    return _expected(model, reward) + discount * (model.transitions @ values) - values[model.states]


def value_potential(
    model: Model, reward: np.ndarray, *, discount: float, policy: np.ndarray | None = None
) -> np.ndarray:
    """VALPotential, (R, S): R(s, a, s') + discount * V(s') - V(s), V being the values of a policy (R,).

    It removes shaping. It keeps how an expected reward is divided among the next states.
    """
    return shaped(model, reward, _values(model, reward, discount, policy), discount=discount)


def minimal(model: Model, reward: np.ndarray, *, discount: float) -> np.ndarray:
    """The reward (R,) of least L2 norm among all that order the policies in the same way without rescaling.

    Next states weigh as much in the norm as they are likely. So the least reward is a number for each choice: the
    residual of the least-squares fit of a shaping to the expected reward.
    """
    _check(model, discount)
    expected = _expected(model, reward)
    rows = np.arange(len(model.states))
    here = csr_array((np.ones(len(rows)), (rows, model.states)), shape=model.transitions.shape)
    shaping = discount * model.transitions - here
    potential = splu((shaping.T @ shaping).tocsc()).solve(-(shaping.T @ expected))
    return expected + shaping @ potential


def epic_canonical(model: Model, reward: np.ndarray, *, discount: float) -> np.ndarray:
    """EPIC's canonically shaped reward, (R, S): R(s, a, s') + E[g R(s', A, S') - R(s, A, S') - g R(S, A, S')].

    g is the discount, S and S' are uniform over the states, A over a state's choices, whether possible or not.
    """
    _check(model, discount)
    full = _full(model, reward)
    means = _mean(model, full.mean(axis=1))
    return shaped(model, full, means, discount=discount) - discount * means.mean()


def dard_canonical(model: Model, reward: np.ndarray, *, discount: float) -> np.ndarray:
    """DARD's transformed reward, (R, S): R(s, a, s') + E[g R(s', A, S'') - R(s, A, S') - g R(S', A, S'')].

    g is the discount, S' follows s and S'' follows s' in the model. The paper has one action A in all three places.
    Here each state draws its own, uniformly from its choices, because choices may differ between states.
    """
    _check(model, discount)
    full = _full(model, reward)
    policy = uniform(model)
    following = csr_array((policy, (model.states, np.arange(len(policy)))), (model.num_states, len(policy)))
    steps = (following @ model.transitions).toarray()
    means = following @ _expected(model, full)
    cross = steps @ (following @ full) @ steps.T  # by s and s': the mean of R(S', A, S'')
    return shaped(model, full, means, discount=discount) - discount * cross[model.states]


# Distances.


def epic(model: Model, reward: np.ndarray, other: np.ndarray, *, discount: float) -> float:
    """The EPIC distance: sqrt((1 - p) / 2), p being Pearson's correlation of the canonically shaped rewards.

    States, choices and next states are covered uniformly, so rewards of impossible transitions count.
    """
    weights = np.repeat(uniform(model)[:, None], model.num_states, axis=1)
    return _distance([epic_canonical(model, r, discount=discount) for r in (reward, other)], (reward, other), weights)


def dard(model: Model, reward: np.ndarray, other: np.ndarray, *, discount: float) -> float:
    """The DARD distance: EPIC's of the rewards of `dard_canonical`, with next states as likely as in the model."""
    weights = uniform(model)[:, None] * model.transitions.toarray()
    return _distance([dard_canonical(model, r, discount=discount) for r in (reward, other)], (reward, other), weights)


_CANONICAL = {"VAL": value_adjusted, "VALPotential": value_potential, "minimal": minimal}


def starc(
    model: Model,
    reward: np.ndarray,
    other: np.ndarray,
    *,
    discount: float,
    canonical: Literal["VAL", "VALPotential", "minimal"] = "VAL",
    order: float = 2,
) -> float:
    """A STARC distance. With "VAL" and "minimal" it is 0 exactly if the rewards order all policies in the same way.

    Args:
        model: without ends, see `absorbing`.
        reward, other: (R,) or (R, S).
        discount: of the future, below 1.
        canonical: `value_adjusted`, `value_potential` or `minimal`, by the paper's names.
        order: of the norm that standardises and of the one that compares: 1, 2 or infinity. All choices weigh the same,
            next states as much as they are likely.
    """
    if canonical not in _CANONICAL:
        raise ParameterError(f"canonical={canonical!r} is not known{suggest(canonical, _CANONICAL)}")
    if order not in (1, 2, np.inf):
        raise ParameterError(f"order={order!r} must be 1, 2 or infinity")
    found = [_CANONICAL[canonical](model, r, discount=discount) for r in (reward, other)]
    weights = np.ones(len(model.states)) if found[0].ndim == 1 else model.transitions.toarray()
    standard = [_standard(c, r, weights, order) for c, r in zip(found, (reward, other))]
    return _norm(standard[0] - standard[1], weights, order) / 2


def _distance(canonical: list[np.ndarray], rewards: tuple[np.ndarray, np.ndarray], weights: np.ndarray) -> float:
    """sqrt((1 - p) / 2) of Pearson's correlation p under weights, as the distance of centered and scaled rewards."""
    centered = [c - np.average(c, weights=weights) for c in canonical]
    one, two = (_standard(c, r, weights, 2) for c, r in zip(centered, rewards))
    return _norm(one - two, weights, 2) / 2


def _standard(canonical: np.ndarray, reward: np.ndarray, weights: np.ndarray, order: float) -> np.ndarray:
    norm = _norm(canonical, weights, order)
    # A norm of ones, for the scale of the weights.
    zero = norm <= _ZERO * np.abs(reward).max() * _norm(np.ones_like(canonical), weights, order)
    return np.zeros_like(canonical) if zero else canonical / norm


def _norm(numbers: np.ndarray, weights: np.ndarray, order: float) -> float:
    size = np.abs(numbers[weights > 0])
    if order == np.inf:
        return float(size.max())
    return float((weights[weights > 0] @ size**order) ** (1 / order))


# Rewards.


def _check(model: Model, discount: float) -> None:
    if not 0 < discount < 1:
        raise ParameterError(f"discount={discount!r} must be between 0 and 1: distances compare returns without an end")
    if model.terminal.any():
        raise ParameterError(
            f"state {model.terminal.argmax()} ends the episode: compare rewards of absorbing(model), where none does"
        )


def _read(model: Model, reward: np.ndarray) -> np.ndarray:
    shapes = (len(model.states),), (len(model.states), model.num_states)
    if np.shape(reward) not in shapes:
        raise ParameterError(
            f"a reward of this model has shape {shapes[0]} or {shapes[1]}, not {np.shape(reward)}; of several agents, "
            "choose the reward of one"
        )
    if not np.isfinite(reward).all():
        raise ParameterError("a reward must be finite for every choice and next state")
    return np.asarray(reward, np.float64)


def _full(model: Model, reward: np.ndarray) -> np.ndarray:
    """(R, S) from (R,) or (R, S)."""
    reward = _read(model, reward)
    return reward if reward.ndim == 2 else np.repeat(reward[:, None], model.num_states, axis=1)


def _expected(model: Model, reward: np.ndarray) -> np.ndarray:
    """(R,) from (R,) or (R, S)."""
    reward = _read(model, reward)
    return reward if reward.ndim == 1 else np.asarray(model.transitions.multiply(reward).sum(axis=1))


def _mean(model: Model, numbers: np.ndarray) -> np.ndarray:
    """The mean (S,) over each state's choices of numbers (R,)."""
    return np.bincount(model.states, numbers * uniform(model), minlength=model.num_states)


def _values(model: Model, reward: np.ndarray, discount: float, policy: np.ndarray | None) -> np.ndarray:
    _check(model, discount)
    rewarded = replace(model, rewards=_expected(model, reward)[:, None])
    return evaluate(rewarded, uniform(model) if policy is None else policy, discount=discount)[:, 0]
