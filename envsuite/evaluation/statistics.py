"""Estimates with intervals: means, shares, differences, clustered values, profiles over runs and tasks, pass^k.

`scores` (R, T) are the scores of R runs (seeds, training runs) in each of T tasks, as in Agarwal et al., "Deep
reinforcement learning at the edge of the statistical precipice", 2021; their library is rliable.

Values that have something in common, such as episodes from the same start, are no independent evidence. `clusters` (N,)
labels what values (N,) have in common; by default each value has a cluster of its own (Miller, "Adding error bars to
evals", 2024).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
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
    return clustered_interval(values, confidence=confidence)


def _sums(values: ArrayLike, clusters: Sequence[Hashable] | None) -> tuple[float, np.ndarray]:
    """The mean of values (N,), and for each of G clusters (G,) the sum of what its values lie above the mean."""
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or not len(values):
        raise ParameterError(f"values of shape {values.shape} must be one row of at least one")
    mean = float(values.mean())
    if clusters is None:
        return mean, values - mean
    if len(clusters) != len(values):
        raise ParameterError(f"{len(clusters)} clusters must be one for each of {len(values)} values")
    numbers: dict[Hashable, int] = {}
    of = [numbers.setdefault(label, len(numbers)) for label in clusters]
    return mean, np.bincount(of, values - mean)


def clustered_error(values: ArrayLike, clusters: Sequence[Hashable] | None = None) -> float:
    """The standard error of the mean of values (N,) in G clusters; nan for a single cluster.

    The clusters' sums of deviations are squared and corrected by G / (G - 1), as statsmodels does. Where each value has
    a cluster of its own, this is `standard_error`.
    """
    _, sums = _sums(values, clusters)
    groups = len(sums)
    return math.sqrt(groups / (groups - 1) * float(sums @ sums)) / np.size(values) if groups > 1 else math.nan


def clustered_interval(
    values: ArrayLike, clusters: Sequence[Hashable] | None = None, confidence: float = 0.95
) -> Interval:
    """The mean of values (N,) and Student's interval with G - 1 degrees of freedom for G clusters.

    Without ends (nan) for a single cluster. Where each value has a cluster of its own, this is `mean_interval`.
    """
    _check(confidence)
    mean, sums = _sums(values, clusters)
    if len(sums) == 1:
        return Interval(mean, math.nan, math.nan)
    reach = float(stdtrit(len(sums) - 1, 0.5 + confidence / 2)) * clustered_error(values, clusters)
    return Interval(mean, mean - reach, mean + reach)


def paired_difference(
    values: ArrayLike,
    others: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> Interval:
    """The mean of values (N,) less that of others (N,) on the same episodes, from the differences of the pairs."""
    ours, theirs = np.asarray(values, np.float64), np.asarray(others, np.float64)
    if ours.shape != theirs.shape:
        raise ParameterError(f"values {ours.shape} and others {theirs.shape} must be pairs")
    return clustered_interval(ours - theirs, clusters, confidence)


def mean_of_means(
    groups: Sequence[ArrayLike],
    clusters: Sequence[Sequence[Hashable] | None] | None = None,
    confidence: float = 0.95,
) -> Interval:
    """The mean of the means of groups (N,) each, all with equal weight.

    The groups are fixed and their values vary: the variances of the means add up, and the degrees of freedom are those
    of Welch and Satterthwaite. nan where a group is empty; without ends where one is a single cluster.

    Args:
        groups: values of each group, such as the scores of each task.
        clusters: of each group; None for independent values.
        confidence: of the interval.
    """
    _check(confidence)
    labels = [None] * len(groups) if clusters is None else clusters
    if not len(groups) or not all(map(np.size, groups)):
        return Interval(math.nan, math.nan, math.nan)
    parts = [_sums(values, label) for values, label in zip(groups, labels, strict=True)]
    mean = float(np.mean([value for value, _ in parts]))
    variances = np.array([clustered_error(values, label) ** 2 for values, label in zip(groups, labels)])
    if not variances.any():
        return Interval(mean, mean, mean)
    free = np.array([len(sums) - 1 for _, sums in parts])
    if not free.all():
        return Interval(mean, math.nan, math.nan)
    freedom = variances.sum() ** 2 / (variances**2 / free).sum()
    reach = float(stdtrit(freedom, 0.5 + confidence / 2)) * math.sqrt(float(variances.sum())) / len(groups)
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
    table = _table(scores)
    low, high = _percentiles(table, statistic, confidence, resamples, seed)
    return Interval(float(statistic(table)), float(low), float(high))


def _table(scores: ArrayLike) -> np.ndarray:
    """Scores as (R, T)."""
    table = np.asarray(scores, np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or not table.size:
        raise ParameterError(f"scores of shape {np.shape(scores)} must be (runs, tasks)")
    return table


def _percentiles(
    table: np.ndarray, statistic: Callable[[np.ndarray], ArrayLike], confidence: float, resamples: int, seed: int
) -> np.ndarray:
    """(2, ...) the ends of the percentile interval of a statistic of scores (R, T)."""
    _check(confidence)
    runs, tasks = table.shape
    rng, columns = np.random.default_rng(seed), np.arange(tasks)
    found = [statistic(table[rng.integers(runs, size=(runs, tasks)), columns]) for _ in range(resamples)]
    return np.quantile(np.asarray(found), [0.5 - confidence / 2, 0.5 + confidence / 2], axis=0)


def performance_profile(
    scores: ArrayLike,
    thresholds: ArrayLike,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """For each threshold the share of runs in all tasks that score above it, with pointwise intervals (Agarwal, 2021).

    Args:
        scores: (R, T), or (R,) for a single task.
        thresholds: (K,).
        confidence: of each interval.
        resamples: as in `stratified_bootstrap`.
        seed: of the draws.
    """
    table, limits = _table(scores), np.asarray(thresholds, np.float64)
    if limits.ndim != 1:
        raise ParameterError(f"thresholds of shape {limits.shape} must be one row")

    def above(scores: np.ndarray) -> np.ndarray:
        return np.mean(scores[..., None] > limits, axis=(0, 1))

    ends = _percentiles(table, above, confidence, resamples, seed)
    return [Interval(*map(float, row)) for row in zip(above(table), *ends)]


def optimality_gap(scores: ArrayLike, goal: float = 1.0) -> float:
    """How far scores are below a goal on average; scores above it count as the goal (Agarwal, 2021)."""
    table = np.asarray(scores, np.float64)
    if not table.size:
        raise ParameterError("there are no scores")
    return goal - float(np.minimum(table, goal).mean())


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


def pass_chances(successes: ArrayLike, trials: int, k: int) -> np.ndarray:
    """(T,) C(c, k) / C(n, k) for each task: the chance that k trials drawn from n, c of them successful, all are.

    It estimates p**k without bias, where p is a task's chance of success (tau-bench, Yao et al., 2024).

    Args:
        successes: (T,) the number of successful trials of each task: c.
        trials: the number of trials of each task: n.
        k: from 1 to n.
    """
    counts = np.asarray(successes, np.float64)
    if not 1 <= k <= trials:
        raise ParameterError(f"k={k!r} must be from 1 to the number of trials, {trials}")
    if counts.size == 0 or counts.min() < 0 or counts.max() > trials:
        raise ParameterError(f"successes must be those of one task or more, each from 0 to {trials}")
    chances = np.ones_like(counts)
    for i in range(k):  # zero from the first factor that is not positive
        chances *= np.maximum(counts - i, 0) / (trials - i)
    return chances


def pass_hat_k(successes: ArrayLike, trials: int, k: int) -> float:
    """pass^k: the mean of `pass_chances` over tasks."""
    return float(pass_chances(successes, trials, k).mean())
