"""Planning on tabular models: values and policies of one agent, or of several that take turns; the effective horizon.

model = extract("envsuite/TicTacToe-v0")
model.start @ value_iteration(model).values     # [0, 0], a draw

A policy is a distribution over the choices of every state, (R,) float64, as `Model` numbers them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack, vstack
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import splu

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.chance import Explorer
from envsuite.core.errors import EnvsuiteError, ParameterError
from envsuite.core.table import as_words
from envsuite.core.world import World
from envsuite.solvers.model import Model, choices

#: Values nearer to each other than this, as a share of the larger, are taken for equal.
_SAME = 1e-9


class ConvergenceError(EnvsuiteError, ArithmeticError):
    """Values do not settle, or there are none: with discount 1 an episode may never end."""


class Solution(NamedTuple):
    """Values (S, A) of states and (R, A) of choices, the Q-values, for all agents."""

    values: np.ndarray
    q: np.ndarray


def own(model: Model, numbers: np.ndarray) -> np.ndarray:
    """Of numbers (R, A) those (R,) of the agent that makes each choice.

    Agents that act at once must have equal rewards, so that they can choose together; else `ParameterError`.
    """
    if numbers.shape[1] == 1:
        return numbers[:, 0]
    mover = model.mover
    if (mover == -2).any() and np.ptp(model.rewards, axis=1).any():
        raise ParameterError("agents with different rewards act at once: this is for agents that take turns")
    return numbers[np.arange(len(numbers)), np.maximum(mover, 0)[model.states]]


def largest(model: Model, numbers: np.ndarray) -> np.ndarray:
    """The largest number (S,) among those of each state's choices (R,), 0 where there are none."""
    found = np.zeros(model.num_states)
    running = ~model.terminal
    if running.any():
        found[running] = np.maximum.reduceat(numbers, model.first[:-1][running])
    return found


def _backed_up(model: Model, q: np.ndarray) -> np.ndarray:
    """Values (S, A) if every agent makes the best choice for itself, the first of equal ones."""
    if q.shape[1] == 1:
        return largest(model, q[:, 0])[:, None]
    chosen = own(model, q)
    best = np.flatnonzero(chosen == largest(model, chosen)[model.states])[::-1]
    row = np.zeros(model.num_states, np.int64)
    row[model.states[best]] = best  # the first comes last
    return np.where(model.terminal[:, None], 0.0, q[row])


def value_iteration(
    model: Model,
    *,
    discount: float = 1.0,
    horizon: int | None = None,
    tolerance: float = 1e-12,
    sweeps: int = 100_000,
) -> Solution:
    """Values under best play: every agent makes the best choice for itself, knowing that all others do the same.

    For one agent these are the optimal values; for two with opposite rewards that take turns, minimax values; for
    agents with the same rewards, the values of the best joint choices. If rewards differ otherwise, they are those of
    the subgame perfect equilibrium in which every agent takes the first of the choices that are equally good for it.

    Args:
        model: the model.
        discount: of the future, above 0 and at most 1.
        horizon: the number of steps left; None continues until the values settle.
        tolerance: the values have settled when they change by no more than this. With a discount below 1 they have
            settled when their error is no more than this.
        sweeps: the maximum number of sweeps; more raise `ConvergenceError`.
    """
    _check_discount(discount)
    if horizon is not None and horizon < 1:
        raise ParameterError(f"horizon={horizon!r} must be a positive integer")
    enough = tolerance if discount == 1.0 else tolerance * (1 - discount) / discount
    values = np.zeros((model.num_states, model.rewards.shape[1]))
    for _ in range(sweeps if horizon is None else horizon):
        q = model.rewards + discount * (model.transitions @ values)
        before, values = values, _backed_up(model, q)
        if horizon is None and np.abs(values - before).max() <= enough:
            return Solution(values, q)
    if horizon is None:
        raise ConvergenceError(f"the values still change after {sweeps:,} sweeps: set a discount below 1 or a horizon")
    return Solution(values, q)


def soft_value_iteration(
    model: Model, beta: float, *, discount: float, tolerance: float = 1e-12, sweeps: int = 100_000
) -> Solution:
    """Values of one agent that is paid for entropy: V(s) is log(sum of exp(beta * Q(s, a)) over a) / beta.

    The soft-optimal policy has probabilities proportional to exp(beta * Q), as `demonstrators.boltzmann` makes it
    (Ziebart, 2010; Haarnoja et al., "Reinforcement learning with deep energy-based policies", 2017).

    Args:
        model: of one agent.
        beta: its rationality, above 0: the larger, the less entropy pays.
        discount: of the future, above 0 and below 1.
        tolerance: the maximum error of the values.
        sweeps: the maximum number of sweeps; more raise `ConvergenceError`.
    """
    if model.rewards.shape[1] != 1:
        raise ParameterError("soft value iteration is for one agent: see marginal for one agent among others")
    if not 0.0 < discount < 1.0:
        raise ParameterError(f"discount={discount!r} must be between 0 and 1")
    if beta <= 0.0:
        raise ParameterError(f"beta={beta!r} must be above 0")
    values = np.zeros(model.num_states)
    for _ in range(sweeps):
        q = model.rewards[:, 0] + discount * (model.transitions @ values)
        before, values = values, soft_largest(model, q, beta)
        if np.abs(values - before).max() <= tolerance * (1 - discount) / discount:
            return Solution(values[:, None], q[:, None])
    raise ConvergenceError(f"the values still change after {sweeps:,} sweeps: raise the tolerance")


def soft_largest(model: Model, numbers: np.ndarray, beta: float) -> np.ndarray:
    """log(sum of exp(beta * number)) / beta (S,) over each state's choices (R,), 0 where there are none."""
    most = largest(model, numbers)
    total = np.bincount(model.states, np.exp(beta * (numbers - most[model.states])), minlength=model.num_states)
    return most + np.log(np.where(model.terminal, 1.0, total)) / beta


def policy_iteration(model: Model, *, discount: float = 1.0) -> Solution:
    """Optimal values of one agent, or of several with the same rewards, by Howard's policy iteration (1960).

    Starts from the uniformly random policy. With discount 1 all policies on the way must end, or `ConvergenceError`.
    """
    if np.ptp(model.rewards, axis=1).any():
        raise ParameterError("policy iteration is for one agent, or for agents with the same rewards")
    policy = uniform(model)
    while True:
        values = evaluate(model, policy, discount=discount)
        q = model.rewards + discount * (model.transitions @ values)
        best = largest(model, q[:, 0])
        if (best <= values[:, 0] + _SAME * np.maximum(np.abs(values[:, 0]), 1e-3)).all():
            return Solution(values, q)
        policy = greedy(model, q, tolerance=0.0)


def evaluate(model: Model, policy: np.ndarray, *, discount: float = 1.0, horizon: int | None = None) -> np.ndarray:
    """The values (S, A) of a policy (R,), of `horizon` steps or of all, exactly, by solving linear equations.

    Raises:
        ConvergenceError: with discount 1 and no horizon, episodes need not end under this policy.
    """
    _check_discount(discount)
    if policy.shape != (len(model.actions),):
        raise ParameterError(f"a policy of this model has shape ({len(model.actions)},), not {policy.shape}")
    count = model.num_states
    chosen = csr_array((policy, np.arange(len(policy)), model.first), shape=(count, len(policy)))
    moves, rewards = chosen @ model.transitions, chosen @ model.rewards
    if horizon is not None:
        values = np.zeros_like(rewards)
        for _ in range(horizon):
            values = rewards + discount * (moves @ values)
        return values
    if discount == 1.0:
        ends = csr_array(model.terminal[None].astype(float))
        backwards = vstack([hstack([moves.T, csr_array((count, 1))]), hstack([ends, csr_array((1, 1))])])
        if len(breadth_first_order(csr_array(backwards), count, return_predecessors=False)) <= count:
            raise ConvergenceError("under this policy episodes need not end: set a discount below 1 or a horizon")
    equations = (eye_array(count) - discount * moves).tocsc()
    # Where states only lead to later ones, as with a step limit, the equations are triangular already.
    forward = (moves.indices > np.repeat(np.arange(count), np.diff(moves.indptr))).all()
    return splu(equations, permc_spec="NATURAL" if forward else "COLAMD").solve(rewards)


def _check_discount(discount: float) -> None:
    if not 0.0 < discount <= 1.0:
        raise ParameterError(f"discount={discount!r} must be above 0 and at most 1")


# Policies.


def uniform(model: Model) -> np.ndarray:
    """The policy (R,) that chooses uniformly at random."""
    return 1.0 / np.diff(model.first)[model.states]


def greedy(model: Model, q: np.ndarray, *, tolerance: float = _SAME) -> np.ndarray:
    """The policy (R,) that takes the best choice by Q-values (R, A), equally good ones with equal chance.

    Choices are equally good if they differ by no more than `tolerance`, as a share of the value of the best choice.
    """
    numbers = own(model, q)
    best = largest(model, numbers)[model.states]
    chosen = (numbers >= best - tolerance * np.abs(best)).astype(float)
    return chosen / np.bincount(model.states, chosen)[model.states]


class Marginal(NamedTuple):
    """One agent's decision process among others.

    Attributes:
        model: of this agent alone; a choice is a state with one of its actions, or with none where it does not act.
        choices: (R,) int64, for each joint choice the choice of the agent that is part of it.
    """

    model: Model
    choices: np.ndarray


def marginal(model: Model, policy: np.ndarray, agent: int) -> Marginal:
    """What one agent faces if the others follow a joint policy (R,): their actions become chance.

    The others act independently of this agent: their probabilities are the policy's, summed over its actions.
    """
    others = np.delete(model.actions, agent, axis=1)
    _, group = np.unique(np.column_stack([model.states, others]), axis=0, return_inverse=True)
    weights = np.bincount(group.ravel(), policy)[group.ravel()]
    found, choice = np.unique(np.column_stack([model.states, model.actions[:, agent]]), axis=0, return_inverse=True)
    choice = choice.ravel()
    mean = csr_array((weights, (choice, np.arange(len(choice)))), shape=(len(found), len(choice)))
    counts = np.bincount(found[:, 0], minlength=model.num_states)
    alone = replace(
        model,
        first=np.concatenate([[0], np.cumsum(counts)]),
        actions=found[:, 1:],
        transitions=csr_array(mean @ model.transitions),
        rewards=(mean @ model.rewards[:, agent])[:, None],
        records=None,
        world=None,
        _index=None,
    )
    return Marginal(alone, choice)


# The effective horizon.


@dataclass(frozen=True)
class EffectiveHorizon:
    """A bound on the effective horizon, and its parts.

    Attributes:
        horizon: the bound on H, the least k + log_A(m_k), and at most the length of an episode. GORP then needs at
            most length**2 * A**horizon transitions to find an optimal policy with a chance of 1/2 or more.
        solvable: the least k for which the world is k-QVI-solvable: k - 1 sweeps of value iteration from the Q-values
            of random play, and then acting greedily, is optimal.
        ks: the k for which there is a bound, up to the one that cannot improve it.
        rollouts: for each, the bound on m_k, the rollouts per sequence of k actions that GORP needs.
        gaps, variances: for each, in the state that needs most rollouts, the apparent advantage of the best choice over
            the best choice that is not optimal, and the bound on the variance of a rollout.
    """

    horizon: float
    solvable: int
    ks: np.ndarray
    rollouts: np.ndarray
    gaps: np.ndarray
    variances: np.ndarray


def effective_horizon(model: Model) -> EffectiveHorizon:
    """The number of steps to plan ahead in a deterministic world if random play judges the rest of the episode.

    Laidlaw, Russell and Dragan, "Bridging RL theory and practice with the effective horizon", 2023: the bound of
    Theorem 5.4, state by state as in the authors' `compute_simple_effective_horizon`. Differences:

    - Random play chooses among legal actions; A is the largest number of these in any state.
    - Values differ here if their relative difference is above 1e-9. The authors compare means of rollouts exactly, and
      optimal values with a tolerance of 1e-4.

    Args:
        model: of one agent, without chance after the start, in which episodes end: extracted with the step limit.
    """
    if model.rewards.shape[1] != 1 or not model.deterministic:
        raise ParameterError("the effective horizon is that of one agent in a world without chance")
    forwards = model.transitions.T.tocsr()
    length, count = _longest(model, forwards), max(2, int(np.diff(model.first).max()))
    best, worst = value_iteration(model), value_iteration(replace(model, rewards=-model.rewards))
    values = evaluate(model, uniform(model))
    highest, lowest, q = best.q[:, 0], -worst.q[:, 0], (model.rewards + model.transitions @ values)[:, 0]
    good = highest >= best.values[model.states, 0] - _SAME * np.abs(best.values).max()
    variance = (q - lowest) * (highest - lowest)
    found: list[tuple[int, int, float, float]] = []
    horizon, solvable, k = float(length), 0, 1
    while k < horizon or not solvable:
        most, others = largest(model, q), largest(model, np.where(good, -np.inf, q))
        tie = _SAME * np.abs(most)
        taken = q >= (most - tie)[model.states]
        if not solvable and good[taken & _reached(model, forwards, taken)[model.states]].all():
            solvable = k
        reached = _reached(model, forwards, q > (others + tie)[model.states]) & ~model.terminal
        gap = np.where(reached, most - others, np.inf)
        if (gap > tie).all() and k < horizon:
            spread = largest(model, variance)
            needed = np.where(reached, 16 * spread / gap**2 * (np.log(2 * length) + k * np.log(count)), 0.0)
            state = int(needed.argmax())
            rollouts = max(1, math.ceil(needed[state]))
            found.append((k, rollouts, float(gap[state]), float(spread[state])))
            horizon = min(horizon, k + math.log(rollouts, count))
        q = model.rewards[:, 0] + model.transitions @ largest(model, q)
        variance = model.transitions @ largest(model, variance)
        k += 1
    ks, needs, gaps, variances = map(np.array, zip(*found)) if found else (np.zeros(0),) * 4
    return EffectiveHorizon(horizon, solvable, ks, needs, gaps, variances)


def _reached(model: Model, forwards: csr_array, allowed: np.ndarray) -> np.ndarray:
    """(S,) bool: which states can be reached by choices where `allowed` (R,) says so; `forwards` (S, R)."""
    reached = frontier = model.start > 0
    while frontier.any():
        frontier = (forwards @ (allowed & frontier[model.states]) > 0) & ~reached
        reached = reached | frontier
    return reached


def _longest(model: Model, forwards: csr_array) -> int:
    """How many steps the longest episode takes, or `ConvergenceError` if some do not end."""
    frontier, steps = model.start > 0, -1
    while frontier.any():
        if (steps := steps + 1) > model.num_states:
            raise ConvergenceError("episodes need not end: extract the model with its step limit")
        frontier = forwards @ frontier[model.states].astype(float) > 0
    return steps


class Gorp(NamedTuple):
    """The result of GORP: the actions of an episode, their return, and the number of transitions used to find them."""

    actions: list[int]
    value: float
    transitions: int


def gorp(
    world: World | str,
    k: int = 1,
    rollouts: int = 100,
    *,
    level: Mapping[str, Any] | None = None,
    seed: int = 0,
    **params: Any,
) -> Gorp:
    """Greedy over random policy: play an episode by trying every sequence of k actions, followed by random play.

    Laidlaw, Russell and Dragan, 2023. At every step each sequence of k actions is judged by the mean return of
    `rollouts` episodes that continue from it at random. The first action of the best sequence is taken; of equally good
    sequences, the first one counts. Differences:

    - Rollouts start from a copy of the state. The paper plays the same actions from the beginning, which leads to the
      same state in a world without chance.
    - Only legal actions are tried.

    Args:
        world: a world of one agent without chance after the start, or its id with parameters.
        k: the number of steps ahead for which all actions are tried.
        rollouts: for each sequence; the paper's m.
        level: the level to play.
        seed: of the episode, and of the rollouts' actions.
        params: the parameters of a world given by id.
    """
    world = registry.build(world, params) if isinstance(world, str) else world
    world.require_actions("GORP")
    if len(world.agents) != 1:
        raise ParameterError(f"{world.id} has {len(world.agents)} agents; GORP plays alone")
    real, explorer, rng = Batch(world, 1), Explorer(world, 256), np.random.default_rng(seed)
    real.start(seed, level)
    real.records["rng"] = 0
    actions: list[int] = []
    value, transitions = 0.0, 0
    while not real.finished[0]:
        records, returns, first = real.records, np.zeros(1), np.full(1, -1)
        for _ in range(k):
            view = explorer.view(records)
            over = np.flatnonzero(view.over)
            parents, tried = choices(view.masks, view.over)
            first = np.concatenate([first[over], np.where(first[parents] < 0, tried[:, 0], first[parents])])
            parts = list(explorer.expand(records, view.masks, parents, tried))
            if any((part.probabilities < 1).any() for part in parts):
                raise ParameterError(f"{world.id} leaves something to chance; GORP is for worlds that do not")
            gained = np.concatenate([part.rewards[:, 0] for part in parts]) if parts else np.zeros(0)
            ended = as_words(records)[over]
            words = np.concatenate([ended, *(as_words(part.records) for part in parts)])
            records = words.view(world.record)[:, 0]
            returns = np.concatenate([returns[over], returns[parents] + gained])
            transitions += len(parents)
        gained, steps = _random_returns(world, records, rollouts, rng)
        transitions += steps
        actions.append(int(first[(returns + gained).argmax()]))
        real.step(actions[-1])
        value += float(real.rewards[0, 0])
    return Gorp(actions, value, transitions)


def _random_returns(
    world: World, records: np.ndarray, rollouts: int, rng: np.random.Generator
) -> tuple[np.ndarray, int]:
    """The mean return (N,) of random play from records (N,), over `rollouts` each, and the number of steps taken."""
    batch = Batch(world, len(records) * rollouts)
    as_words(batch.records)[:] = np.repeat(as_words(records), rollouts, axis=0)
    batch.observe()
    returns, steps = np.zeros(batch.num), 0
    while not batch.finished.all():
        running = ~batch.finished
        batch.actions[:, 0] = (rng.random(batch.masks[:, 0].shape) * batch.masks[:, 0]).argmax(axis=1)
        batch.step(where=running)
        returns += batch.rewards[:, 0]
        steps += int(running.sum())
    return returns.reshape(len(records), rollouts).mean(axis=1), steps
