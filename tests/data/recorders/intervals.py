"""Record rliable's metrics and statsmodels' clustered intervals of random scores.

    python -m venv other
    other/bin/pip install statsmodels "arch<8" "pandas<3" absl-py
    other/bin/pip install --no-deps rliable
    other/bin/python tests/data/recorders/intervals.py > tests/data/intervals.json

rliable also asks for seaborn, which these functions do not need.
"""

import json
from importlib.metadata import version

import numpy as np
import statsmodels.api as sm
from rliable import library, metrics

SOURCE = ", ".join(f"{name} {version(name)}" for name in ("rliable", "arch", "statsmodels")) + " (PyPI)"
THRESHOLDS, GOAL, REPEATS = [-0.5, 0.0, 0.3, 0.75, 1.0, 2.5], 0.8, 20_000
SHAPES = [(3, 5), (10, 26), (7, 1), (1, 4), (6, 3)]
LEVELS = [0.5, 0.95, 0.99]


def scores_of(shape, seed):
    """Scores of which some are equal."""
    return np.random.default_rng(seed).normal(0.6, 0.8, shape).round(1)


def aggregates(shape, seed):
    """Metrics of scores, and of their comparison with others."""
    ours, theirs = scores_of(shape, seed), scores_of((shape[0] + 2, shape[1]), seed + 100)
    return {
        "scores": ours.tolist(),
        "others": theirs.tolist(),
        "mean": metrics.aggregate_mean(ours),
        "interquartile_mean": metrics.aggregate_iqm(ours),
        "optimality_gap": metrics.aggregate_optimality_gap(ours, GOAL),
        "probability_of_improvement": metrics.probability_of_improvement(ours, theirs),
        "profile": library.score_distributions(ours, THRESHOLDS).tolist(),
    }


def bootstrap():
    """Intervals of many resamples, which depend on the draws only a little."""
    scores = scores_of((12, 8), 50)
    _, ends = library.create_performance_profile({"a": scores}, np.array(THRESHOLDS), reps=REPEATS)
    _, gap = library.get_interval_estimates({"a": scores}, metrics.aggregate_optimality_gap, reps=REPEATS)
    return {"scores": scores.tolist(), "profile": ends["a"].tolist(), "optimality_gap": gap["a"].ravel().tolist()}


def clustered(num, groups, seed):
    """The mean of values in clusters of different sizes, with its standard error and intervals."""
    rng = np.random.default_rng(seed)
    clusters = np.concatenate([np.arange(groups), rng.integers(groups, size=num - groups)])
    values = rng.normal(size=groups)[clusters] + rng.normal(size=num)
    model = sm.OLS(values, np.ones(num)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    intervals = [[level, *model.conf_int(1 - level)[0].tolist()] for level in LEVELS]
    return {
        "values": values.tolist(),
        "clusters": clusters.tolist(),
        "mean": float(model.params[0]),
        "error": float(model.bse[0]),
        "intervals": intervals,
    }


if __name__ == "__main__":
    found = {
        "source": SOURCE,
        "thresholds": THRESHOLDS,
        "goal": GOAL,
        "aggregates": [aggregates(shape, seed) for seed, shape in enumerate(SHAPES)],
        "bootstrap": bootstrap(),
        "clustered": [clustered(*sizes, seed) for seed, sizes in enumerate([(40, 7), (12, 12), (9, 2), (200, 25)])],
    }
    print(json.dumps(found, separators=(",", ":")))
