"""NumberLine: Gym-Cards in lock-step, its draw of starts, exact values by dynamic programming."""

import json
from collections import Counter
from fractions import Fraction

import kit
import numpy as np
import pytest
from scipy import stats

from envsuite.evaluation.matches import play
from envsuite.registry import build

ID = "envsuite/NumberLine-v0"
RECORDED = json.loads((kit.DATA / "NumberLine" / "number_line.json").read_text())


def test_lock_step():
    ends = Counter()
    for highest, start, target, steps in RECORDED["episodes"]:
        batch = kit.started(ID, level={"start": start, "target": target}, highest=highest)
        assert batch.observations[0, 0].tolist() == [target, start]
        for action, position, reward, over in steps:
            batch.step(action)
            assert batch.observations[0, 0].tolist() == [target, position] and batch.rewards[0, 0] == reward
            assert (batch.terminations[0, 0], batch.truncations[0, 0]) == (over == 1, over == 2)
        ends[over] += 1
    assert ends[1] > 20 and ends[2] > 10


def draw(highest):
    """The probabilities of start and target."""
    chances = Counter()
    for start in range(highest + 1):
        for target in range(highest + 1):
            end = target if target != start else (start + 1) % highest
            chances[start, end] += Fraction(1, (highest + 1) ** 2)
    return chances


@pytest.mark.parametrize("highest, counts", RECORDED["starts"])
def test_starts(highest, counts):
    """Gym-Cards' frequencies and ours against the exact probabilities."""
    chances = draw(highest)
    records = kit.started(ID, 4_000, seed=5, highest=highest).records
    found = Counter(zip(records["start"].tolist(), records["target"].tolist()))
    theirs = Counter({tuple(map(int, key.split())): count for key, count in counts.items()})
    for sample in (found, theirs):
        assert set(sample) == set(chances)
        expected = [float(sample.total() * chances[key]) for key in chances]
        assert stats.chisquare([sample[key] for key in chances], expected).pvalue > 1e-4


def values(highest, right):
    """The mean return, and the probability of reaching the target, if each step is to the right with a probability."""
    total = [Fraction(0), Fraction(0)]
    for (start, target), chance in draw(highest).items():
        value = [(Fraction(0), Fraction(0))] * (highest + 1)
        for _ in range(2 * highest):
            before, value = value, []
            for place in range(highest + 1):
                pay, reach = Fraction(0), Fraction(0)
                for weight, move in ((right, 1), (1 - right, -1)):
                    end = min(max(place + move, 0), highest)
                    if end == target:
                        pay, reach = pay + weight, reach + weight
                    else:
                        nearer = abs(end - target) < abs(place - target)
                        pay += weight * (before[end][0] - (not nearer))
                        reach += weight * before[end][1]
                value.append((pay, reach))
        total = [sum_ + chance * part for sum_, part in zip(total, value[start])]
    return total


def test_exact_values():
    """The page's values, and mean returns within five standard errors of them."""
    assert values(5, Fraction(1, 2)) == [Fraction(-91531, 36864), Fraction(11267, 18432)]
    assert values(5, Fraction(1))[0] == Fraction(-151, 36)
    assert (play(build(ID), ["direct"], 50).returns == 1).all()
    returns = play(build(ID), ["random"], 800, seed=7).returns[:, 0]
    assert abs(returns.mean() - float(values(5, Fraction(1, 2))[0])) < 5 * returns.std() / np.sqrt(800)


def test_baselines_on_a_long_row():
    """The direct way takes as many steps as the target is away; the other one passes the left end first."""
    world = build(ID, dict(highest=30))
    records = kit.started(world, 50).records
    away, start = np.abs(records["start"] - records["target"]), records["start"]
    direct, sweeper = (play(world, [name], 50) for name in ("direct", "sweeper"))
    assert (direct.lengths == away).all() and (direct.returns == 1).all()
    left = records["target"] < start
    assert (sweeper.lengths[left] == away[left]).all()
    passed = np.minimum(start + 1 + records["target"], 60)
    assert (sweeper.lengths[~left] == passed[~left]).all() and sweeper.returns.mean() < 0


def test_levels_and_views():
    batch = kit.started(ID, level={"start": 2, "target": 5})
    assert batch.world.get_level(batch.record()) == {"start": 2, "target": 5}
    assert batch.world.text(batch.record(), 0).endswith("You are at 2. Steps left: 10.")
    assert kit.clicks(batch, 0) == {None, 0, 1}
    assert batch.world.click(batch.record(), 0, 1.0 + 4, 1.3) == 1
    kit.act(batch, "right", "right", "right")
    assert batch.world.text(batch.record(), 0).endswith("You have reached the target.")
    kit.refuses(
        build(ID),
        ({"start": 1}, "'start' and 'target'"),
        ({"start": 1, "target": 6}, "target=6 must be an integer from 0 to 5"),
        ({"start": 1.0, "target": 2}, "start=1.0 must be an integer from 0 to 5"),
        ({"start": 3, "target": 3}, "are both 3"),
    )
