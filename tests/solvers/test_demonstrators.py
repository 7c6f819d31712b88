"""Demonstrators: frequencies of their choices, what they get, play among other policies."""

import numpy as np
import pytest
from scipy import special, stats

from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.solvers.demonstrators import Demonstrator, boltzmann, noisy
from envsuite.solvers.model import extract
from envsuite.solvers.planning import evaluate, greedy, uniform, value_iteration

LAKE = "envsuite/FrozenLake-v0"
PAYS = (10, -3, -0.25)  # at the goal, in a hole, for every other move


@pytest.fixture(scope="module")
def lake():
    return extract(LAKE, ignore=["t"], reward_schedule=PAYS)


@pytest.fixture(scope="module")
def limited():
    return extract(LAKE, reward_schedule=PAYS)


def p_of(counts, probabilities):
    return stats.chisquare(counts, probabilities * counts.sum()).pvalue


@pytest.mark.slow
@pytest.mark.parametrize("beta", [0.0, 0.5, 2.0])
def test_boltzmann_frequencies(lake, beta):
    """In every cell the actions come as often as the softmax of beta Q says."""
    q = value_iteration(lake, discount=0.95).q
    shown = Demonstrator(lake, boltzmann(lake, q, beta)).demonstrate(4000, seed=1)
    counts = np.zeros((16, 4))
    np.add.at(counts, (shown.states[shown.running], shown.actions[shown.running, 0]), 1)
    running = ~lake.terminal
    assert not counts[lake.terminal].any()
    expected = special.softmax(beta * lake.table(q[:, 0])[running], axis=1)
    lowest = min(p_of(seen, wanted) for seen, wanted in zip(counts[running], expected) if seen.sum() > 200)
    assert (counts[running].sum(axis=1) > 200).sum() == 11
    assert lowest > 1e-3 / 11


def test_what_is_shown(lake):
    """Observations, masks, rewards and states belong together, and episodes go on until they are over."""
    q = value_iteration(lake, discount=0.95).q
    shown = Demonstrator(lake, noisy(lake, q, 0.3)).demonstrate(500, seed=2)
    longest = len(shown.running)
    assert shown.running[0].all() and (np.diff(shown.running.astype(int), axis=0) <= 0).all() and longest <= 100
    on = shown.running
    assert (shown.observations["position"][on][:, 0] == lake.records["position"][shown.states[on]]).all()
    assert shown.masks[on].all() and (shown.states[~on] == -1).all() and (shown.actions[~on] == -1).all()
    ends = np.where(shown.rewards[..., 0] == 10, 1, np.where(shown.rewards[..., 0] == -3, -1, 0))
    assert ((ends != 0).sum(axis=0) <= 1).all() and (ends == 1).any() and (ends == -1).any()
    lengths = on.sum(axis=0)
    assert np.array_equal(shown.returns[:, 0], shown.rewards.sum(axis=(0, 2)))
    assert (((ends != 0).sum(axis=0) == 1) | (lengths == 100)).all()


@pytest.mark.parametrize("kind", ["nearly rational", "noisy", "mis-discounted", "random"])
def test_returns(limited, kind):
    """What they get is what the model says of their policies, with the step limit; and worse than the best."""
    best = value_iteration(limited)
    policy = {
        "nearly rational": lambda: boltzmann(limited, best.q, 1.0),
        "noisy": lambda: noisy(limited, best.q, 0.25),
        "mis-discounted": lambda: greedy(limited, value_iteration(limited, discount=0.3).q),
        "random": lambda: uniform(limited),
    }[kind]()
    expected = (limited.start @ evaluate(limited, policy))[0]
    assert expected < (limited.start @ best.values)[0] - 0.2
    returns = Demonstrator(limited, policy).demonstrate(4000, seed=3).returns[:, 0]
    assert abs(returns.mean() - expected) < 4 * returns.std() / 4000**0.5


def test_same_seed_same_demonstrations(lake):
    demonstrator = Demonstrator(lake, uniform(lake))
    one, two, other = (demonstrator.demonstrate(50, seed=seed) for seed in (7, 7, 8))
    assert np.array_equal(one.states, two.states) and np.array_equal(one.actions, two.actions)
    assert one.states.shape != other.states.shape or not np.array_equal(one.states, other.states)
    demonstrator.reset(4)
    state = demonstrator.get_state()
    first = demonstrator._search(lake.records[:1], np.zeros(1, int), np.zeros(1, int), 1000)
    demonstrator.set_state(state)
    assert (demonstrator._search(lake.records[:1], np.zeros(1, int), np.zeros(1, int), 1000) == first).all()


def test_optimal_play_among_others():
    """Never loses TicTacToe, in either seat; wins against random play as often as replies to it could or less."""
    model = extract("envsuite/TicTacToe-v0")
    optimal = Demonstrator(model, greedy(model, value_iteration(model).q))
    for seat in range(2):
        players = [optimal if k == seat else "random" for k in range(2)]
        returns = play("envsuite/TicTacToe-v0", players, 500, seed=seat).returns[:, seat]
        assert returns.min() == 0 and returns.mean() > 0.7
    assert (play("envsuite/TicTacToe-v0", optimal, 100).returns == 0).all()


def test_agents_that_act_at_once_choose_together():
    """Half of the time both cooperate, half of the time both defect, and never one without the other."""
    model = extract("envsuite/MatrixGame-v0")
    together = 0.5 * (model.actions[:, 0] == model.actions[:, 1])
    shown = Demonstrator(model, together).demonstrate(400, seed=0)
    assert shown.actions.shape == (1, 400, 2)
    first, second = shown.actions[0].T
    assert (first == second).all() and 140 < first.sum() < 260


def test_refused(lake):
    q = value_iteration(lake, discount=0.95).q
    with pytest.raises(ParameterError, match="noise=1.5"):
        noisy(lake, q, 1.5)
    other = extract(LAKE, ignore=["t"], level={"map": ["SFFF", "FFFF", "FFFF", "FFFG"]}, reward_schedule=PAYS)
    demonstrator = Demonstrator(lake, uniform(lake))
    with pytest.raises(ParameterError, match="no state like this"):
        demonstrator._search(other.records[:1], np.zeros(1, int), np.zeros(1, int), 1)
