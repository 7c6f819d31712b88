"""Accumulation: what predecessors know is passed on and stays as it was; a life alone; errors."""

import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.evaluation.accumulation import accumulate
from envsuite.registry import build

WORLD = build("Generations", {"skill": 0.0, "guides": 2, "length": 8, "trials": 2})


def test_knowledge_is_passed_on():
    """A learner sees all of the best predecessor's acts in its first trial, so it gets no less than it did last."""
    found = accumulate(WORLD, generations=4, lineages=4, seed=4)
    assert found.returns.shape == (4, 4, 2, 2) and found.alone.shape == (4, 4, 2)
    best = found.returns[:-1, :, :, -1].max(axis=2)
    assert (found.returns[1:, :, :, 0] >= best[:, :, None]).all()
    assert (np.diff(found.returns, axis=3) >= 0).all() and (np.diff(found.alone, axis=2) >= 0).all()
    means = found.returns.mean(axis=(1, 2, 3))
    assert means[0] < 2 and means[-1] > means[0] + 3


def test_without_trust_nothing_is_passed_on():
    """Learners that do not follow are as good in the last generation as in the first: none knows more than its own."""
    found = accumulate(WORLD, "learner:trust=0.0", generations=4, lineages=6).returns.mean(axis=(1, 2, 3))
    assert abs(found[-1] - found[0]) < 1.5 and found.max() < 5


def test_a_life_alone():
    """The same trials as an episode of that length without guides."""
    found = accumulate(WORLD, generations=3, lineages=4, seed=9).alone
    batch = Batch(build("Generations", {**WORLD.parameters, "guides": 0, "trials": 6}), 4)
    batch.start(9)
    player = make_policy("learner", batch.world)
    player.reset(9, 4)
    while not batch.over().all():
        batch.step(player.act_batch(batch.observations, batch.masks, [0]), ~batch.over())
    assert (found.swapaxes(0, 1).reshape(4, 6) == batch.records["totals"]).all()


def test_tours():
    """In tours, the first trial of later generations is better than that of the first, whose guides know nothing."""
    world = build("Generations", {"task": "tsp", "skill": 0.0, "guides": 2, "trials": 3, "cities": 5})
    means = accumulate(world, generations=3, lineages=5).returns[..., 0].mean(axis=(1, 2))
    assert means[1:].min() > means[0] + 0.1


def test_the_seed_decides():
    first, again, other = (accumulate(WORLD, generations=2, lineages=2, seed=seed).returns for seed in (1, 1, 2))
    assert (first == again).all() and (first != other).any()


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"world": "KuhnPoker"}, "must be Generations with one guide"),
        ({"world": build("Generations", {"guides": 0})}, "must be Generations with one guide"),
        ({"generations": 0}, "generations=0 must be"),
        ({"generations": 501}, "trials=1002"),
        ({"lineages": 1.5}, "lineages=1.5 must be"),
        ({"policy": "lerner"}, "'lerner' is no compiled policy .* did you mean"),
        ({"policy": "mcts"}, "no compiled policy"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ParameterError, match=message):
        accumulate(**{"world": WORLD, "lineages": 2, **arguments})
