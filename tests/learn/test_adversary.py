"""Adversaries: what they gain from a frozen victim, bounded by exact best responses."""

import math

import pytest

from envsuite import registry
from envsuite.core.errors import ParameterError
from envsuite.learn.adversary import attack
from envsuite.learn.ppo import Trainer
from envsuite.learn.resume import save
from envsuite.solvers.game_tree import Tree

OPTIONS = {"num_envs": 64, "horizon": 16, "discount": 1.0, "hidden": 16}


@pytest.fixture(scope="module")
def tree():
    return Tree(registry.build("KuhnPoker"))


@pytest.fixture(scope="module")
def victim(tmp_path_factory):
    """A network without any training: hardly different from random play."""
    path = tmp_path_factory.mktemp("nets") / "net.ckpt"
    save(Trainer("KuhnPoker", steps=1, num_envs=2, horizon=2, hidden=8, seed=1), path)
    return f"learned:{path}"


@pytest.mark.parametrize("agent", ["player_0", "player_1"])
def test_gains_are_bounded_by_best_responses(agent, tree, victim):
    trainer = Trainer("KuhnPoker", agents=[agent], opponents=victim, steps=30_000, **OPTIONS)
    trainer.train()
    found = attack("KuhnPoker", trainer.policy(), agent, victim, tree=tree)
    assert 0.3 < found.bound and found.bound / 2 < found.gain <= found.bound + 1e-9
    assert math.isclose(found.loss, found.gain)  # the game is zero-sum
    greedy = attack("KuhnPoker", trainer.policy(greedy=True), agent, victim, tree=tree)
    assert found.gain != greedy.gain <= found.bound + 1e-9
    played = attack("KuhnPoker", trainer.policy(), agent, victim, episodes=4000)
    # Means of 4,000 returns from -2 to 2: four standard errors of their difference are below 0.18.
    assert abs(played.gain - found.gain) < 0.18 and math.isnan(played.bound)


def test_a_best_response_reaches_the_bound(tree):
    best = tree.policy(tree.best_response(1, tree.uniform())[1])
    best.probabilities = lambda seen, masks, agents: best.profile[tree.owned(1), None]
    found = attack("KuhnPoker", best, "player_1", "random", tree=tree)
    # Against uniform play: the second player gets -1/8 by it, and 5/12 by a best response.
    assert math.isclose(found.gain, found.bound) and math.isclose(found.bound, 5 / 12 + 1 / 8)


def test_refused(tree):
    with pytest.raises(ParameterError, match="there is no victim"):
        attack("Empty", None, "agent", "random")
    with pytest.raises(ParameterError, match="has no table"):
        attack("KuhnPoker", None, "player_0", "equilibrium", tree=tree)
