"""Statistics against scipy, rliable, statsmodels, published examples, and numbers worked out by hand."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from envsuite.core.errors import ParameterError
from envsuite.evaluation.statistics import (
    Interval,
    clustered_error,
    clustered_interval,
    correlation,
    interquartile_mean,
    mean_interval,
    mean_of_means,
    optimality_gap,
    paired_difference,
    pass_chances,
    performance_profile,
    probability_of_improvement,
    standard_error,
    stratified_bootstrap,
    wilson_interval,
)

#: Numbers of rliable and statsmodels, from tests/data/recorders/intervals.py.
RECORDED = json.loads((Path(__file__).parents[1] / "data" / "intervals.json").read_text())


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


@pytest.mark.parametrize("case", RECORDED["aggregates"], ids=lambda case: str(np.shape(case["scores"])))
def test_rliable(case):
    """Its metrics to 1e-12, with scores that are equal to each other and to thresholds."""
    scores, goal = case["scores"], RECORDED["goal"]
    found = {
        "mean": mean_of_means(np.transpose(scores)).value,
        "interquartile_mean": interquartile_mean(scores),
        "optimality_gap": optimality_gap(scores, goal),
        "probability_of_improvement": probability_of_improvement(scores, case["others"]),
    }
    assert found == pytest.approx({name: case[name] for name in found}, rel=0, abs=1e-12)
    profile = performance_profile(scores, RECORDED["thresholds"], resamples=10)
    assert [one.value for one in profile] == pytest.approx(case["profile"], rel=0, abs=1e-12)


def test_bootstrap_of_rliable():
    """The ends of its intervals, up to the draws: a profile falls in steps of 1 / 96 here."""
    case = RECORDED["bootstrap"]
    profile = performance_profile(case["scores"], RECORDED["thresholds"])
    np.testing.assert_allclose([one[1:] for one in profile], np.transpose(case["profile"]), atol=1.5 / 96)
    gap = stratified_bootstrap(case["scores"], optimality_gap)
    assert gap[1:] == pytest.approx(case["optimality_gap"], abs=0.01)
    assert gap.low < gap.value < gap.high


@pytest.mark.parametrize("case", RECORDED["clustered"], ids=lambda case: f"{len(set(case['clusters']))} clusters")
def test_clustered_intervals(case):
    """statsmodels: the least squares of a constant, with its usual correction and Student's distribution."""
    values, clusters = case["values"], case["clusters"]
    assert clustered_error(values, clusters) == pytest.approx(case["error"], rel=1e-12)
    for confidence, low, high in case["intervals"]:
        found = clustered_interval(values, clusters, confidence)
        assert found == pytest.approx((case["mean"], low, high), rel=0, abs=1e-12)
    named = [f"cluster {k}" for k in clusters]
    assert clustered_interval(values, named) == clustered_interval(values, clusters)


def test_clusters_of_equal_values_are_single_values():
    """Repeats of a value are no new evidence; independent values are clusters of one."""
    values = np.random.default_rng(6).normal(size=9)
    once = mean_interval(values)
    assert clustered_interval(np.tile(values, 4), [*range(9)] * 4) == pytest.approx(once)
    assert clustered_interval(values, range(9)) == pytest.approx(once)
    single = clustered_interval([1.0, 3.0], ["a", "a"])
    assert single.value == 2 and math.isnan(single.low) and math.isnan(single.high)
    assert math.isnan(clustered_error([1.0, 3.0], ["a", "a"]))


def test_clustered_intervals_cover():
    """They hold the true mean in about 95% of samples, where Student's intervals of all values are far too short."""
    rng = np.random.default_rng(7)
    clusters = np.repeat(np.arange(12), 8)
    hits = np.zeros(2)
    for _ in range(400):
        values = 1 + rng.normal(size=12)[clusters] + 0.5 * rng.normal(size=96)
        hits += [found.low < 1 < found.high for found in (clustered_interval(values, clusters), mean_interval(values))]
    assert 0.92 <= hits[0] / 400 <= 0.98 and hits[1] / 400 < 0.7


def test_paired_difference():
    """scipy's paired test; with clusters, the clustered interval of the differences."""
    rng = np.random.default_rng(8)
    ours = rng.normal(size=20)
    theirs = ours + rng.normal(0.3, 0.1, 20)
    found = paired_difference(ours, theirs, confidence=0.9)
    expected = stats.ttest_rel(ours, theirs).confidence_interval(0.9)
    assert found == pytest.approx(((ours - theirs).mean(), expected.low, expected.high))
    clusters = np.arange(20) // 4
    assert paired_difference(ours, theirs, clusters) == clustered_interval(ours - theirs, clusters)


def test_mean_of_means():
    """One group: Student's interval. Two equal ones: that of twice the values, but for the degrees of freedom."""
    one = np.random.default_rng(0).normal(size=6)
    assert mean_of_means([one]) == pytest.approx(mean_interval(one))
    both = mean_of_means([one, one])
    assert both.value == pytest.approx(one.mean())
    # Ten degrees of freedom: t = 2.228 (any table of Student's distribution), variance of the mean halved.
    assert both.high - both.value == pytest.approx(2.2281 * one.std(ddof=1) / np.sqrt(12), rel=1e-4)
    assert np.isnan(mean_of_means([one, one[:0]]).value) and np.isnan(mean_of_means([one, one[:1]]).low)
    assert mean_of_means([[1, 1], [3, 3]]) == (2, 2, 2)
    other = np.random.default_rng(1).normal(size=9)
    welch = stats.ttest_ind(one, -other, equal_var=False).confidence_interval(0.9)
    assert mean_of_means([one, other], confidence=0.9)[1:] == pytest.approx((welch.low / 2, welch.high / 2))


def test_mean_of_means_of_clusters():
    """Repeats in a group are no new evidence."""
    rng = np.random.default_rng(9)
    groups = [rng.normal(size=5), rng.normal(size=8)]
    twice = [np.tile(group, 2) for group in groups]
    clusters = [[*range(len(group))] * 2 for group in groups]
    assert mean_of_means(twice, clusters) == pytest.approx(mean_of_means(groups))
    assert mean_of_means([groups[0]], [[0, 0, 1, 1, 2]]) == pytest.approx(
        clustered_interval(groups[0], [0, 0, 1, 1, 2])
    )
    assert math.isnan(mean_of_means(groups, [None, ["a"] * 8]).low)


def test_pass_chances():
    """Of four trials three succeed: two drawn from them both do in three of six cases."""
    assert pass_chances([4, 3, 1], 4, 2).tolist() == [1, 0.5, 0]


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
        (lambda: clustered_interval([1, 2], ["a"]), "1 clusters must be one for each of 2 values"),
        (lambda: clustered_interval([], []), "at least one"),
        (lambda: clustered_interval([1, 2], confidence=0), "between 0 and 1"),
        (lambda: paired_difference([1, 2], [1]), "must be pairs"),
        (lambda: mean_of_means([[1, 2]], confidence=2), "between 0 and 1"),
        (lambda: performance_profile([1, 2], 0.5), "must be one row"),
        (lambda: performance_profile(np.zeros((2, 2, 2)), [0.5]), "(runs, tasks)"),
        (lambda: optimality_gap([]), "no scores"),
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
