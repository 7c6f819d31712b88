"""Recursive least squares: how prices move with the news, for policies of markets."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import large_kernel
from envsuite.core.ranges import free

#: The variance of the noise that keeps the estimates stable; prices have none.
NOISE = 1e-9

#: Bounds of what is remembered; damaged memories are refused beyond them.
WIDE = free(np.float64)


def estimates(assets: int, factors: int, variance: float) -> dict[str, np.ndarray]:
    """The variables of a policy that `learn` reads and writes; at first no loading is known better than this."""
    return {
        "spread": np.eye(factors).astype(WIDE) * variance,
        "loading": np.zeros((assets, factors), WIDE),
        "gain": np.zeros(factors, WIDE),
        "news": np.zeros(factors, WIDE),
        "price": np.zeros(assets, WIDE),
    }


@large_kernel
def learn(memory, observation):
    """What the last news, in the memory, and the changes of the prices since then say about the loadings."""
    factors, residual = observation.news.shape[0], NOISE
    for a in range(factors):
        memory.gain[a] = 0.0
        for b in range(factors):
            memory.gain[a] += memory.spread[a, b] * memory.news[b]
    for a in range(factors):
        residual += memory.news[a] * memory.gain[a]
    for i in range(observation.price.shape[0]):
        wrong = observation.price[i] - memory.price[i]
        for a in range(factors):
            wrong -= memory.loading[i, a] * memory.news[a]
        for a in range(factors):
            memory.loading[i, a] += memory.gain[a] * wrong / residual
    for a in range(factors):
        for b in range(factors):
            memory.spread[a, b] -= memory.gain[a] * memory.gain[b] / residual


@large_kernel
def keep(memory, observation):
    """Keep the news and the prices for the next `learn`."""
    for a in range(observation.news.shape[0]):
        memory.news[a] = observation.news[a]
    for i in range(observation.price.shape[0]):
        memory.price[i] = observation.price[i]
