"""The rows that are learned from: what happened in a rollout, and the advantage of each decision."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Rollout(NamedTuple):
    """T steps of N worlds with A agents, as NumPy arrays.

    Attributes:
        codes, plain: (T, N, A, n), (T, N, A, m) what the network saw.
        seen: the same of states, (T, N, n), (T, N, m); None without a critic of them.
        masks: (T, N, A, K) bool.
        actions, chances, values: (T, N, A) what was done, the logarithm of its probability, and the value.
        acting: (T, N, A) bool, where a learning agent acted.
        rewards: (T, N, A) of the step that followed.
        ended: (T, N, A) bool, whether the agent's episode was over after it.
        rest: (T, N, A) the value that stands for what a truncation cut off; 0 elsewhere.
        over: (T, N) bool, whether the world's episode was over after it.
        begins: (T, N) bool, whether an episode began with this observation.
        last: (N, A) the value of the observation after the last step.
        waiting: (N, A) bool, where an agent does not act then.
        memory: (N, A, hidden) what the network remembered before the first step.
    """

    codes: np.ndarray
    plain: np.ndarray
    seen: tuple[np.ndarray, np.ndarray] | None
    masks: np.ndarray
    actions: np.ndarray
    chances: np.ndarray
    values: np.ndarray
    acting: np.ndarray
    rewards: np.ndarray
    ended: np.ndarray
    rest: np.ndarray
    over: np.ndarray
    begins: np.ndarray
    last: np.ndarray
    waiting: np.ndarray
    memory: np.ndarray


def advantages(rollout: Rollout, discount: float, trace: float) -> tuple[np.ndarray, np.ndarray]:
    """The advantage of every row, (T, N, A), and whether it is learned from: its outcome is known."""
    found, known = np.zeros_like(rollout.values), rollout.acting.copy()
    value, advantage, reward = rollout.last.copy(), np.zeros_like(rollout.last), np.zeros_like(rollout.last)
    pending = rollout.waiting.copy()
    for t in reversed(range(len(found))):
        ended, acting = rollout.ended[t], rollout.acting[t]
        value = np.where(ended, rollout.rest[t], value)
        advantage[ended] = 0.0
        pending &= ~ended
        reward[rollout.over[t]] = 0.0
        reward += rollout.rewards[t]
        step = reward + discount * value - rollout.values[t] + discount * trace * advantage
        known[t] &= ~pending
        found[t] = np.where(known[t], step, 0.0)
        advantage = np.where(acting, found[t], advantage)
        value = np.where(acting, rollout.values[t], value)
        reward[acting] = 0.0
        pending &= ~acting
    return found, known
