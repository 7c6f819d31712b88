"""Estimates with intervals: means, shares, interquartile means, probability of improvement.

`scores` (R, T) are the scores of R runs (seeds, training runs) in each of T tasks, as in Agarwal et al., "Deep
reinforcement learning at the edge of the statistical precipice", 2021; their library is rliable.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit  # quantiles of Student's distribution, without the slow import of scipy.stats

from envsuite.core.errors import ParameterError

#: The default number of resamples of a bootstrap.
RESAMPLES = 2000


class Interval(NamedTuple):
    """An estimate and the ends of its confidence interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"

    def within(self, low: float, high: float) -> Interval:
        """This interval without values below `low` or above `high`; unknown ends (nan) stay."""
        return self._replace(low=max(self.low, low), high=min(self.high, high))

    def reach(self, form: str = ".2g") -> str:
        """The distance of the ends from the estimate, or "+up -down" if they differ; empty if they are unknown."""
        up, down = (f"{abs(end - self.value):{form}}" for end in (self.high, self.low))
        if math.isnan(self.high - self.low):
            return ""
        return down if up == down else f"+{up} -{down}"


def _check(confidence: float) -> None:
    if not 0.0 < confidence < 1.0:
        raise ParameterError(f"confidence={confidence!r} must be between 0 and 1")


def standard_error(values: ArrayLike, axis: int = 0) -> np.ndarray:
    """The standard error of the mean along an axis; nan for a single value."""
    values = np.asarray(values, np.float64)
    count = values.shape[axis]
    if count < 2:
        return np.full(np.delete(values.shape, axis), np.nan)
    return values.std(axis=axis, ddof=1) / math.sqrt(count)


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """The mean of independent values (N,) and Student's interval; without ends (nan) for a single value."""
    _check(confidence)
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or not len(values):
        raise ParameterError(f"values of shape {values.shape} must be one row of at least one")
    mean = float(values.mean())
    if len(values) == 1:
        return Interval(mean, math.nan, math.nan)
    reach = float(stdtrit(len(values) - 1, 0.5 + confidence / 2)) * float(standard_error(values))
    return Interval(mean, mean - reach, mean + reach)


def wilson_interval(successes: float, trials: int, confidence: float = 0.95) -> Interval:
    """A share and Wilson's score interval, which stays within 0 and 1 (Wilson, 1927; Newcombe, 1998, method 3)."""
    _check(confidence)
    if not 0 <= successes <= trials or trials < 1:
        raise ParameterError(f"{successes} of {trials} is no share")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = successes / trials
    middle = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    reach = z / (1 + z**2 / trials) * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    # Rounding must not put an end beyond what is possible.
    return Interval(share, max(0.0, middle - reach), min(1.0, middle + reach))


def correlation(one: ArrayLike, other: ArrayLike) -> float:
    """Pearson's correlation of two scores (N,) of the same policies; nan where one of them does not vary."""
    arrays = [np.asarray(values, np.float64) for values in (one, other)]
    apart = [values - values.mean() for values in arrays]
    spread = math.sqrt(float(apart[0] @ apart[0]) * float(apart[1] @ apart[1]))
    return float(apart[0] @ apart[1]) / spread if spread > 0 else math.nan


def interquartile_mean(scores: ArrayLike) -> float:
    """The mean of the middle half of all scores: a quarter of them is left out at each end, rounded down."""
    ordered = np.sort(np.asarray(scores, np.float64), axis=None)
    if not len(ordered):
        raise ParameterError("there are no scores")
    cut = len(ordered) // 4
    return float(ordered[cut : len(ordered) - cut].mean())


def stratified_bootstrap(
    scores: ArrayLike,
    statistic: Callable[[np.ndarray], float] = interquartile_mean,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """A statistic of all scores with its percentile interval; runs are resampled within each task (Agarwal, 2021).

    Args:
        scores: (R, T), or (R,) for a single task.
        statistic: of scores (R, T).
        confidence: of the interval.
        resamples: how many times R runs are drawn for each task, with replacement.
        seed: of the draws.
    """
    _check(confidence)
    table = np.asarray(scores, np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or not table.size:
        raise ParameterError(f"scores of shape {np.shape(scores)} must be (runs, tasks)")
    runs, tasks = table.shape
    rng, columns = np.random.default_rng(seed), np.arange(tasks)
    found = [statistic(table[rng.integers(runs, size=(runs, tasks)), columns]) for _ in range(resamples)]
    low, high = np.quantile(found, [0.5 - confidence / 2, 0.5 + confidence / 2])
    return Interval(float(statistic(table)), float(low), float(high))


def probability_of_improvement(scores: ArrayLike, others: ArrayLike) -> float:
    """How likely a run of one agent does better than one of another in a task drawn at random; ties count half.

    The mean over tasks of Mann and Whitney's U, in parts of all pairs of runs (Agarwal, 2021).

    Args:
        scores: (R, T), or (R,) for a single task.
        others: (Q, T) or (Q,), of the same tasks.
    """
    ours, theirs = np.asarray(scores, np.float64), np.asarray(others, np.float64)
    if ours.ndim != theirs.ndim or ours.shape[1:] != theirs.shape[1:] or not (ours.size and theirs.size):
        raise ParameterError(f"scores {ours.shape} and others {theirs.shape} must be runs of the same tasks")
    difference = ours[:, None] - theirs[None]
    return float(np.mean((difference > 0) + 0.5 * (difference == 0)))
