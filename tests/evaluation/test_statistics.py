"""Statistics against scipy, published examples, and numbers worked out by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from envsuite.core.errors import ParameterError
from envsuite.evaluation.statistics import (
    Interval,
    correlation,
    interquartile_mean,
    mean_interval,
    probability_of_improvement,
    standard_error,
    stratified_bootstrap,
    wilson_interval,
)


def test_mean_interval():
    values = np.random.default_rng(0).normal(3, 2, 17)
    found = mean_interval(values, 0.9)
    low, high = stats.t.interval(0.9, 16, values.mean(), stats.sem(values))
    assert found == pytest.approx((values.mean(), low, high))
    assert str(Interval(1.23456, -0.5, 20)) == "1.235 [-0.5, 20]"
    single = mean_interval([4.0])
    assert single.value == 4 and math.isnan(single.low) and math.isnan(single.high)
    assert mean_interval([2, 2, 2]) == (2, 2, 2)
    table = np.arange(12.0).reshape(4, 3) ** 2
    np.testing.assert_allclose(standard_error(table), stats.sem(table))
    assert np.isnan(standard_error(table[:1])).all() and standard_error(table[:1]).shape == (3,)


@pytest.mark.parametrize(
    "successes, trials, low, high",
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals(successes, trials, low, high):
    """The examples of Newcombe, Statistics in Medicine 17 (1998), table I, method 3."""
    found = wilson_interval(successes, trials)
    assert found == pytest.approx((successes / trials, low, high), abs=5e-5)
    other = stats.binomtest(successes, trials).proportion_ci(0.8, "wilson")
    assert wilson_interval(successes, trials, 0.8)[1:] == pytest.approx((other.low, other.high), abs=1e-12)


def test_wilson_intervals_stay_within_bounds():
    assert wilson_interval(0, 7).low == 0 and wilson_interval(7, 7).high == 1
    assert wilson_interval(7, 7).low == pytest.approx(1 - wilson_interval(0, 7).high)


def test_interquartile_mean():
    """Of eight scores two go at each end; of seven one, as scipy.stats.trim_mean (and so rliable) counts."""
    assert interquartile_mean([8, 1, 100, 2, 4, 3, -50, 5]) == (2 + 3 + 4 + 5) / 4
    assert interquartile_mean([1, 2, 3, 4, 5, 6, 70]) == 4
    rng = np.random.default_rng(1)
    for shape in ((3, 5), (10, 26), (1, 1), (4,), (5, 1)):
        scores = rng.gamma(1, size=shape)
        assert interquartile_mean(scores) == pytest.approx(stats.trim_mean(scores, 0.25, axis=None))


def test_stratified_bootstrap():
    """Runs are drawn within tasks: two tasks, each with equal runs, have no spread; means have the known one."""
    certain = np.repeat([[0.0, 100.0]], 5, axis=0)
    assert stratified_bootstrap(certain, np.mean) == (50, 50, 50)
    scores = np.random.default_rng(2).normal(size=(40, 30)) * 2 + np.arange(30)
    found = stratified_bootstrap(scores, np.mean, resamples=4000)
    # Within a task a resample's mean has the variance of its runs over their number.
    spread = math.sqrt((scores.var(axis=0) / 40).mean() / 30)
    assert found.value == pytest.approx(scores.mean())
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * spread, rel=0.05)
    assert stratified_bootstrap(scores) == stratified_bootstrap(scores)
    assert stratified_bootstrap(scores) != stratified_bootstrap(scores, seed=1)
    narrow, wide = (stratified_bootstrap(scores, confidence=share) for share in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high
    assert stratified_bootstrap(scores[:, 0], np.mean) == stratified_bootstrap(scores[:, :1], np.mean)


def test_bootstrap_covers():
    """95% intervals hold the true mean in about 95% of samples."""
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(200):
        found = stratified_bootstrap(rng.normal(1, 1, (25, 4)), np.mean, resamples=300)
        hits += found.low < 1 < found.high
    assert 0.88 <= hits / 200 <= 0.99


def test_probability_of_improvement():
    """Pairs (1, 2), (3, 2), (2, 2): one of three is better and one equal. Against scipy: U in parts of all pairs."""
    assert probability_of_improvement([1, 3, 2], [2]) == 0.5
    assert probability_of_improvement([[1, 9], [3, 9]], [[2, 5]]) == 0.75
    rng = np.random.default_rng(4)
    ours, theirs = rng.integers(0, 6, (7, 3)), rng.integers(1, 6, (9, 3))
    parts = [stats.mannwhitneyu(ours[:, t], theirs[:, t], alternative="greater").statistic / 63 for t in range(3)]
    assert probability_of_improvement(ours, theirs) == pytest.approx(np.mean(parts))


def test_correlation():
    """Against NumPy; undefined where a score does not vary."""
    one, other = np.random.default_rng(5).normal(size=(2, 20))
    assert correlation(one, other) == pytest.approx(np.corrcoef(one, other)[0, 1])
    assert correlation([1, 2, 3], [5, 3, 1]) == pytest.approx(-1)
    assert np.isnan(correlation([1, 2], [3, 3]))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: mean_interval([]), "at least one"),
        (lambda: mean_interval([1, 2], 1.0), "between 0 and 1"),
        (lambda: wilson_interval(3, 2), "3 of 2 is no share"),
        (lambda: wilson_interval(0, 0), "no share"),
        (lambda: interquartile_mean([]), "no scores"),
        (lambda: stratified_bootstrap(np.zeros((2, 2, 2))), "(runs, tasks)"),
        (lambda: probability_of_improvement(np.zeros((2, 3)), np.zeros((2, 4))), "the same tasks"),
    ],
)
def test_mistakes(call, message):
    with pytest.raises(ParameterError) as error:
        call()
    assert message in str(error.value)


def test_the_reach_of_an_interval():
    """Within the possible range, the ends may lie at different distances from the estimate."""
    interval = Interval(0.9, 0.7, 1.1)
    assert interval.reach() == "0.2" and interval.within(-1, 1).reach() == "+0.1 -0.2"
    assert Interval(0.9, math.nan, math.nan).within(-1, 1).reach() == ""
