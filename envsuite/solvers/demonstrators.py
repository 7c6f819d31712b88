"""Demonstrators: policies from the Q-values of a tabular model, better or worse by design, and their episodes.

model = extract("envsuite/FrozenLake-v0", ignore=["t"])
q = value_iteration(model, discount=0.99).q
nearly_rational = Demonstrator(model, boltzmann(model, q, beta=20.0))
careless = Demonstrator(model, noisy(model, q, noise=0.1))
short_sighted = Demonstrator(model, greedy(model, value_iteration(model, discount=0.5).q))    # mis-discounted
shown = nearly_rational.demonstrate(1000, seed=0)
shown.states[shown.running], shown.actions[shown.running]
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from envsuite.core.batch import Batch, stream_starts
from envsuite.core.errors import ParameterError
from envsuite.core.table import as_words
from envsuite.solvers import planning
from envsuite.solvers.model import Model
from envsuite.solvers.search import Planner


def boltzmann(model: Model, q: np.ndarray, beta: float) -> np.ndarray:
    """The policy (R,) of a Boltzmann-rational agent: choices have probabilities proportional to exp(beta * Q).

    Args:
        model: the model.
        q: (R, A) the values of choices as the agent believes them.
        beta: its rationality: 0 chooses at random, a large number nearly always chooses the best.
    """
    numbers = beta * planning.own(model, q)
    weights = np.exp(numbers - planning.largest(model, numbers)[model.states])
    return weights / np.bincount(model.states, weights)[model.states]


def noisy(model: Model, q: np.ndarray, noise: float) -> np.ndarray:
    """The policy (R,) that chooses at random with probability `noise`, and else the best by Q-values (R, A)."""
    if not 0.0 <= noise <= 1.0:
        raise ParameterError(f"noise={noise!r} must be from 0 to 1")
    return (1.0 - noise) * planning.greedy(model, q) + noise * planning.uniform(model)


def soft_equilibrium(
    model: Model, beta: float, *, discount: float, tolerance: float = 1e-10, rounds: int = 10_000
) -> np.ndarray:
    """The joint policy (R,) of agents that act at once, each of them soft-optimal among the others.

    A logit quantal response equilibrium (McKelvey and Palfrey, 1998) in Markov policies. Every round moves all policies
    half of the way to the best responses. That finds an equilibrium for small `beta`, but need not for a large one.

    Args:
        model: the model.
        beta: the rationality of all agents.
        discount: of the future, below 1.
        tolerance: the policies have settled when no probability changes by more than this.
        rounds: the maximum number of rounds; more raise `ConvergenceError`.
    """
    policy = planning.uniform(model)
    agents = range(model.actions.shape[1])
    own_policies = [np.ones(len(policy)) for _ in agents]
    for turn in range(rounds):
        change = 0.0
        for agent in agents:
            alone, choice = planning.marginal(model, policy, agent)
            answer = boltzmann(alone, planning.soft_value_iteration(alone, beta, discount=discount).q, beta)[choice]
            before = own_policies[agent]
            own_policies[agent] = answer if turn == 0 else (answer + before) / 2
            change = max(change, float(np.abs(answer - before).max()))
        policy = np.prod(own_policies, axis=0)
        if change <= tolerance:
            return policy
    raise planning.ConvergenceError(f"the policies still change after {rounds:,} rounds: choose a smaller beta")


@dataclass(frozen=True)
class Demonstrations:
    """Episodes, side by side: N of them, the longest of which takes T steps.

    Attributes:
        observations: (T, N, A, ...), before the actions.
        masks: (T, N, A, K) int8.
        states: (T, N) int64, of the model; -1 after the end.
        actions: (T, N, A) int64, -1 for agents that do not act.
        rewards: (T, N, A) float64.
        running: (T, N) bool, false after an episode's end, where the others mean nothing.
    """

    observations: np.ndarray
    masks: np.ndarray
    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    running: np.ndarray

    @property
    def returns(self) -> np.ndarray:
        """(N, A), the sum of each episode's rewards."""
        return np.where(self.running[..., None], self.rewards, 0.0).sum(axis=0)


class Demonstrator(Planner):
    """Plays a policy of a tabular model: a planner, which reads the state from the record.

    Agents that act at once choose together, as the policy does.

    Args:
        model: extracted from a world.
        policy: (R,) a distribution over the choices of every state.
    """

    name = "demonstrator"

    def __init__(self, model: Model, policy: np.ndarray):
        if model.world is None or model.records is None:
            raise ParameterError("this model was not extracted from a world, so there is nothing to play in")
        super().__init__(model.world)
        self.model, self.records = model, model.records
        self._total = np.concatenate([[0.0], np.cumsum(policy)])
        self.reset()

    def reset(self, seed: int | None = None, num: int = 1) -> None:
        self._rng = np.random.default_rng(seed)

    def _search(self, roots: np.ndarray, agents: np.ndarray, copies: np.ndarray, num: int) -> np.ndarray:
        states = self.model.find(roots)
        if (states < 0).any():
            raise ParameterError(
                f"{self.world.id}: the model has no state like this, so the policy has no action for it"
            )
        low, high = self._total[self.model.first[states]], self._total[self.model.first[states + 1]]
        drawn = low + self._rng.random(num)[copies] * (high - low)
        # The choice whose interval of running sums has the drawn number; a number rounded up to the end is the last.
        found = np.searchsorted(self._total, drawn, side="right") - 1
        found = np.minimum(found, np.searchsorted(self._total, high) - 1)
        return self.model.actions[found, agents]

    def demonstrate(self, episodes: int, seed: int | None = None) -> Demonstrations:
        """Play episodes for all agents. They start as in the model and end as in the world, also at its step limit.

        Args:
            episodes: the number of episodes.
            seed: of the policy's chance and the world's; None for random ones.
        """
        model, batch = self.model, Batch(self.world, episodes)
        self.reset(seed)
        start = self._rng.choice(model.num_states, size=episodes, p=model.start)
        as_words(batch.records)[:] = as_words(self.records)[start]
        batch.records["rng"] = stream_starts(self._rng.integers(2**63, size=episodes))
        batch.observe()
        everyone = range(len(self.world.agents))
        steps: list[tuple[np.ndarray, ...]] = []
        while not batch.finished.all():
            running, acting = ~batch.finished, batch.acting != 0
            states = np.where(running, model.find(batch.records), -1)
            batch.actions[:] = self.act_in(batch, everyone)
            before = (batch.observations.copy(), batch.masks.copy(), states, np.where(acting, batch.actions, -1))
            batch.step(where=running)
            steps.append((*before, batch.rewards.copy(), running))
        return Demonstrations(*map(np.stack, zip(*steps)))

    def get_state(self) -> bytes:
        return json.dumps(self._rng.bit_generator.state).encode()

    def set_state(self, state: bytes) -> None:
        self._rng.bit_generator.state = json.loads(state)
