"""RecurringBandit: dynamic programming over Beta distributions, Gittins indices, the law of rewards, window, levels."""

import itertools
import math
from functools import cache
from types import SimpleNamespace

import kit
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.agents.games import recurring_bandit as baselines
from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.recurring_bandit import LISTED
from envsuite.registry import build

ID = "envsuite/RecurringBandit-v0"


def value_of(choose, block, horizon):
    """The exact mean return with two arms and announced blocks: ``choose(counts, values)`` picks an arm.

    Counts are (wins + 1, losses + 1) of both arms; values are the returns of pulling each arm.
    """

    @cache
    def value(left, a, b, c, d):
        if left == 0:
            return 0.0
        after = [
            ((a + 1, b, c, d), (a, b + 1, c, d), a / (a + b)),
            ((a, b, c + 1, d), (a, b, c, d + 1), c / (c + d)),
        ]
        again = value(left - 1, 1, 1, 1, 1)
        values = []
        for won, lost, p in after:
            goes_on = p * value(left - 1, *won) + (1 - p) * value(left - 1, *lost)
            values.append(p + again / block + (1 - 1 / block) * goes_on)
        return values[choose((a, b, c, d), values)]

    return value(horizon, 1, 1, 1, 1)


def best(counts, values):
    return int(values[1] > values[0])


def greedy(counts, values):
    a, b, c, d = counts
    return int(c * (a + b) > a * (c + d))


def gittins(wins, losses, discount, depth=150):
    """The index of an arm whose mean has the distribution Beta(wins, losses), by bisection of a sure payment."""
    low, high = 0.0, 1.0
    for _ in range(20):
        sure = (low + high) / 2
        values = np.maximum((wins + np.arange(depth + 1)) / (wins + losses + depth), sure) / (1 - discount)
        for pulls in range(depth - 1, -1, -1):
            p = (wins + np.arange(pulls + 1)) / (wins + losses + pulls)
            pulled = p * (1 + discount * values[1:]) + (1 - p) * discount * values[:-1]
            values = np.maximum(pulled, sure / (1 - discount))
        low, high = (sure, high) if pulled[0] > sure / (1 - discount) else (low, sure)
    return low


def chance_of(rewards, arms, block):
    """The exact probability of these rewards of these pulls: a sum over all places where blocks can end."""
    total = 0.0
    for ends in itertools.product((False, True), repeat=len(arms) - 1):
        p, counts = 1.0, {}
        for k, (arm, reward) in enumerate(zip(arms, rewards)):
            if k and ends[k - 1]:
                counts = {}
            won, lost = counts.get(arm, (1, 1))
            p *= (won if reward else lost) / (won + lost)
            counts[arm] = (won + reward, lost + 1 - reward)
        total += p * math.prod(1 / block if end else 1 - 1 / block for end in ends)
    return total


def near(sample, mean, errors=4.5):
    """Whether the mean of a sample is this one, up to some standard errors."""
    sample = np.asarray(sample, float)
    return abs(sample.mean() - mean) <= errors * max(sample.std(), 0.01) / len(sample) ** 0.5


def pulls(batch, arms):
    """Pull the same arms in all worlds: the rewards (pulls, worlds)."""
    rewards = []
    for arm in arms:
        batch.step(np.full((batch.num, 1), arm))
        rewards.append(batch.rewards[:, 0].copy())
    return np.array(rewards)


@pytest.mark.parametrize("block, horizon", [(3.0, 8), (20.0, 12)])
def test_dynamic_programming(block, horizon):
    """Greedy play earns its exact value, and "thompson" no more than the best play."""
    world, most = build(ID, dict(arms=2, block=block, horizon=horizon)), value_of(best, block, horizon)
    assert near(play(world, "greedy", 2000).returns[:, 0], value_of(greedy, block, horizon))
    assert near(play(world, "random", 2000).returns[:, 0], horizon / 2)
    found = play(world, "thompson", 2000).returns[:, 0]
    assert found.mean() < most + 4.5 * found.std() / 2000**0.5
    assert most >= value_of(greedy, block, horizon) >= horizon / 2


@pytest.mark.slow
@pytest.mark.parametrize("block", [5.0, 10.0, 50.0])
def test_gittins_is_almost_the_best_play(block):
    """It earns at least 99.5 % of the exact value of the best play, within the error of 20,000 episodes."""
    world, most = build(ID, dict(arms=2, block=block, horizon=20)), value_of(best, block, 20)
    found = play(world, f"gittins:block={block}", 20_000).returns[:, 0]
    error = 4.5 * found.std() / 20_000**0.5
    assert 0.995 * most - error < found.mean() < most + error


def test_published_indices():
    """Gittins, Glazebrook and Weber (2011): the index of an arm that was never pulled."""
    assert np.isclose(gittins(1, 1, 0.9), 0.7029, atol=1e-4) and np.isclose(gittins(1, 1, 0.95), 0.7614, atol=2e-4)


@pytest.mark.parametrize("block", [1.0, 4.0, 20.0])
def test_gittins_by_another_program(block):
    """The baseline's indices, which look 30 pulls ahead, against those of 150 pulls; fewer pulls ahead give less."""
    for won, lost in ((1, 1), (1, 2), (2, 1), (5, 2), (1, 6), (9, 9)):
        memory = SimpleNamespace(
            pulls=[won + lost - 2.0], wins=[won - 1.0], block=block, values=np.zeros(baselines.DEPTH + 1)
        )
        exact = gittins(won, lost, 1 - 1 / block)
        assert exact - 0.01 < baselines.index_of(memory, 0) < exact + 0.001


def test_gittins_chooses_the_largest_index():
    """The baseline in whole episodes, with its choices recomputed from the rewards."""
    batch = kit.started(ID, 3, arms=2, block=8.0, horizon=12)
    policy = make_policy("gittins:block=8", batch.world)
    policy.reset(0, 3)
    index, counts = cache(lambda won, lost: gittins(won, lost, 1 - 1 / 8)), np.ones((3, 2, 2), int)
    for _ in range(12):
        chosen, blocks = policy.act_batch(batch.observations, batch.masks, [0])[:, 0], batch.records["block"].copy()
        for i, arm in enumerate(chosen):
            assert index(*counts[i, arm]) >= index(*counts[i, 1 - arm]) - 0.002
        batch.step(chosen[:, None])
        for i, arm in enumerate(chosen):
            counts[i, arm, int(1 - batch.rewards[i, 0])] += 1
            if batch.records["block"][i] > blocks[i]:
                counts[i] = 1


@pytest.mark.parametrize("announced", [True, False])
def test_law_of_rewards(announced):
    """All 16 outcomes of four pulls have their exact probabilities, with a chance of 1 / 2 that a block ends."""
    arms, block = (0, 0, 1, 0), 2.0
    batch = kit.started(ID, 6000, arms=2, block=block, announced=announced, horizon=4)
    rewards = pulls(batch, arms).T.astype(int)
    assert batch.over().all() and batch.truncations.all() and not batch.terminations.any()
    expected = {row: 6000 * chance_of(row, arms, block) for row in itertools.product((0, 1), repeat=4)}
    assert np.isclose(sum(expected.values()), 6000)
    found = {row: (rewards == row).all(axis=1).sum() for row in expected}
    assert sum((found[row] - mean) ** 2 / mean for row, mean in expected.items()) < 40  # chi-square, 15 degrees


@pytest.mark.parametrize("arms", [2, 10])
def test_means(arms):
    """The means of first and later blocks are uniform: the largest of K is K / (K + 1) on average."""
    batch = kit.started(ID, 2000, arms=arms, block=1.0)
    first = batch.records["means"].copy()
    pulls(batch, [0])
    for means in (first, batch.records["means"]):
        assert near(means.max(axis=1), arms / (arms + 1)) and near(means.min(axis=1), 1 / (arms + 1))
        assert near(means[:, -1], 0.5) and near(means[:, 0] ** 2, 1 / 3)
        assert abs(np.corrcoef(means[:, 0], means[:, -1])[0, 1]) < 0.1
    assert (first != batch.records["means"]).all() and (batch.records["block"] == 1).all()


@pytest.mark.parametrize("block", [1.0, 2.5])
def test_lengths_of_blocks(block):
    """A block lasts longer than k pulls with probability (1 - 1 / block) ** k."""
    batch = kit.started(ID, 2000, arms=2, block=block)
    for k in range(1, 6):
        pulls(batch, [0])
        assert near(batch.records["block"] == 0, (1 - 1 / block) ** k)


@pytest.mark.parametrize("params", [dict(memory=0, block=50.0), dict(block=1.0), dict(memory=0, announced=False)])
def test_nothing_to_learn(params):
    """Without memory or structure every baseline earns 1 / 2 a pull."""
    for name in ("greedy", "thompson", "gittins"):
        assert near(play(build(ID, dict(params, arms=2, horizon=10)), name, 500).returns[:, 0], 5)


@pytest.mark.parametrize("memory", [0, 1, 3])
@pytest.mark.parametrize("announced", [True, False])
def test_window(memory, announced):
    """The window holds the last pulls, latest first; a new block empties it if it is announced."""
    arms, num = 3, 30
    batch = kit.started(ID, num, arms=arms, block=4.0, memory=memory, announced=announced, horizon=25)
    rng, past, emptied = np.random.default_rng(memory), [[] for _ in range(num)], 0
    for _ in range(25):
        blocks, chosen = batch.records["block"].copy(), rng.integers(arms, size=(num, 1))
        batch.step(chosen)
        for i in range(num):
            past[i].insert(0, (*np.eye(arms)[chosen[i, 0]], batch.rewards[i, 0]))
            if announced and batch.records["block"][i] > blocks[i]:
                past[i], emptied = [], emptied + 1
            rows = np.zeros((max(memory, 1), arms + 1))
            for k, row in enumerate(past[i][:memory]):
                rows[k] = row
            assert (batch.observations[i, 0] == rows).all()
    assert batch.truncations.all() and (emptied > 50) == announced


def test_thompson_sampling():
    """After two wins of one arm and a loss of the other, it draws the first with probability 0.9.

    That is the chance that a number of Beta(3, 1) is larger than one of Beta(1, 2): 1 - 3 B(3, 3).
    """
    batch = kit.started(ID, 4000, arms=2, block=1e6, level={"means": [[1, 0]]})
    policy = make_policy("thompson", batch.world)
    policy.reset(0, 4000)
    for arm in (0, 0, 1):
        policy.act_batch(batch.observations, batch.masks, [0])
        pulls(batch, [arm])
    assert near(policy.act_batch(batch.observations, batch.masks, [0])[:, 0] == 0, 0.9)


def test_forgetting():
    """Counts of blocks that are not announced fade, and an empty window begins them again."""
    memory = SimpleNamespace(pulls=np.array([4.0, 2.0]), wins=np.array([1.0, 2.0]), forget=0.5)
    assert baselines.count(memory, np.array([[1, 0, 1]])) == 2
    assert memory.pulls.tolist() == [3, 1] and memory.wins.tolist() == [1.5, 1]
    baselines.count(memory, np.array([[0, 0, 0]]))
    assert memory.pulls.tolist() == memory.wins.tolist() == [0, 0]


@pytest.mark.slow
def test_forgetting_pays():
    """Where blocks are not announced, it earns more; the best play of announced blocks is out of reach."""
    world = build(ID, dict(announced=False, horizon=100))
    never, often = (play(world, f"gittins:forget={share}", 400).returns.mean() for share in (0, 0.05))
    assert 50 < never < often - 2 and often < play(build(ID, dict(horizon=100)), "gittins", 400).returns.mean()


def test_levels():
    """Listed blocks come in order, then drawn ones; all else is refused."""
    batch = kit.started(ID, 50, arms=2, block=1.0, level={"means": [[1, 0], [0, 1], [1, 1]]})
    assert pulls(batch, (0, 0, 0)).T.tolist() == [[1, 0, 1]] * 50
    assert len({tuple(means) for means in batch.records["means"].tolist()}) == 50
    mapping, blocks = "'means'", f"list of 1 to {LISTED} entries"
    kit.refuses(
        build(ID, dict(arms=2)),
        ({}, mapping),
        ({"means": [[1, 0]], "block": 3}, mapping),
        ({"means": []}, blocks),
        ({"means": 3}, blocks),
        ({"means": [[0, 0]] * (LISTED + 1)}, blocks),
        ({"means": [[0, 0], [0.5]]}, "means must be 2 lists of 2 numbers from 0 to 1"),
        ({"means": [[0, 1.5]]}, r"means\[0\]\[1\]=1.5 must be a number from 0 to 1"),
        ({"means": [[0, True]]}, r"means\[0\]\[1\]=True must be a number from 0 to 1"),
        ({"means": [[0, float("nan")]]}, r"means\[0\]\[1\]=nan must be a number from 0 to 1"),
    )


@pytest.mark.parametrize("name, value, fault", [("held", 5, "the window holds"), ("t", 200, "horizon")])
def test_contradictions(name, value, fault):
    batch = kit.started(ID, 1)
    pulls(batch, [0])
    batch.records[name] = value
    with pytest.raises(SnapshotError, match=fault):
        batch.world.admit(batch.records)


def test_pictures_and_texts():
    """Clicks pull arms; spectators alone see means; texts list the window."""
    batch = kit.started(ID, 1, arms=3, block=1e6, level={"means": [[1, 0, 0.25]]})
    assert kit.clicks(batch, 0) == {0, 1, 2, None}
    pulls(batch, (0, 1))
    s, world = batch.record(), batch.world
    assert "mean 0.25" in world.scene(s).svg() and "mean" not in world.scene(s, 0).svg()
    assert "latest first: arm 2 paid 0, arm 1 paid 1." in world.text(s, 0)
