"""Rewards from demonstrations: exact identities, what more demonstrations do, agents among others."""

from dataclasses import replace

import numpy as np
import pytest
from kit import random_model
from scipy.special import softmax

from envsuite.core.errors import ParameterError
from envsuite.evaluation.reward_distances import absorbing, starc
from envsuite.solvers.demonstrators import Demonstrator, boltzmann, soft_equilibrium
from envsuite.solvers.inverse import counted, inverse_q, mamql
from envsuite.solvers.model import Model, extract
from envsuite.solvers.planning import (
    ConvergenceError,
    evaluate,
    greedy,
    marginal,
    soft_value_iteration,
    uniform,
    value_iteration,
)

G = 0.9


def distance(model, reward, other=None):
    """STARC's, of a reward (R,) from the model's own or from another."""
    one, two = (
        absorbing(replace(model, rewards=r[:, None])).rewards[:, 0]
        for r in (reward, model.rewards[:, 0] if other is None else other)
    )
    return starc(absorbing(model), one, two, discount=G)


def soft_policy(model, beta):
    return boltzmann(model, soft_value_iteration(model, beta, discount=G).q, beta)


def regret(model, reward):
    """What the best policy for a reward loses in the model, as a share of what random play loses."""
    best, learned = (value_iteration(m, discount=G).q for m in (model, replace(model, rewards=reward[:, None])))
    policies = greedy(model, best), greedy(model, learned), uniform(model)
    values = [model.start @ evaluate(model, policy, discount=G)[:, 0] for policy in policies]
    return (values[0] - values[1]) / (values[0] - values[2])


def visits(model, policy):
    """(R,) how often each choice is made in an endless stream of discounted episodes, as shares."""
    count, rows = model.num_states, np.arange(len(policy))
    chosen = np.zeros((count, len(policy)))
    chosen[model.states, rows] = policy
    states = np.linalg.solve(np.eye(count) - G * (chosen @ model.transitions.toarray()).T, model.start)
    made = states[model.states] * policy
    return made / made.sum()


def random_game(rng, states):
    """Two agents with two actions act at once; then the next state is drawn. Nothing ends."""
    alone = random_model(rng, states=states, actions=4)
    actions = np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (states, 1))
    return replace(alone, actions=actions, rewards=rng.normal(size=(4 * states, 2)))


@pytest.fixture(scope="module")
def lake():
    return extract("envsuite/FrozenLake-v0", ignore=["t"], reward_schedule=(1, -1, -0.02))


def test_soft_values(lake):
    """Fixed points: of log-sum-exp, and, with much rationality, of the maximum."""
    soft = soft_value_iteration(lake, 2.0, discount=G)
    q = lake.table(soft.q[:, 0])[~lake.terminal]
    assert np.allclose(soft.values[~lake.terminal, 0], np.log(np.exp(2 * q).sum(axis=1)) / 2)
    assert np.allclose(boltzmann(lake, soft.q, 2.0).reshape(-1, 4), softmax(2 * q, axis=1))
    assert (soft.values[lake.terminal] == 0).all()
    hard = value_iteration(lake, discount=G)
    sharp = soft_value_iteration(lake, 1e5, discount=G)
    assert np.allclose(sharp.values, hard.values, atol=1e-3)


def test_closed_form(lake):
    """log(policy) / beta is the reward up to shaping: the distance is 0 exactly, the best policy the same."""
    rng = np.random.default_rng(0)
    for model in (lake, random_model(rng, 8, 3), random_model(rng, 8, 3, ends=2, follow=2)):
        reward = np.log(soft_policy(model, 3.0)) / 3.0
        assert distance(model, reward) < 1e-9
        assert abs(regret(model, reward)) < 1e-9
        assert distance(model, rng.normal(size=len(reward))) > 0.3


def test_more_demonstrations_less_distance():
    """Shares of an endless stream of demonstrations, counted as more and more of them."""
    model = random_model(np.random.default_rng(1), states=8, actions=3, ends=1)
    shares = visits(model, soft_policy(model, 2.0))
    rewards = [inverse_q(model, n * shares, beta=2.0, discount=G) for n in (10, 1e3, 1e5, 1e7)]
    found = [distance(model, reward) for reward in rewards]
    assert found == sorted(found, reverse=True) and found[-1] < 1e-3
    assert abs(regret(model, rewards[-1])) < 1e-9


@pytest.mark.parametrize(
    ("episodes", "near", "lost"), [(100, 0.4, 0.1), pytest.param(3000, 0.15, 0.02, marks=pytest.mark.slow)]
)
def test_demonstrations_of_a_world(lake, episodes, near, lost):
    """FrozenLake: nearer to the reward than what random play shows, and almost its best policy."""
    players = Demonstrator(lake, soft_policy(lake, 5.0)), Demonstrator(lake, uniform(lake))
    shown = [player.demonstrate(episodes, seed=0) for player in players]
    found = [inverse_q(lake, counted(lake, s), beta=5.0, discount=G) for s in shown]
    assert distance(lake, found[0]) < near < 0.7 < distance(lake, found[1])
    assert regret(lake, found[0]) < lost


def test_counted(lake):
    """Counts of choices are those of their states and actions."""
    shown = Demonstrator(lake, uniform(lake)).demonstrate(50, seed=1)
    counts = counted(lake, shown)
    assert counts.sum() == shown.running.sum()
    expected = np.zeros((16, 4))
    np.add.at(expected, (shown.states[shown.running], shown.actions[shown.running][:, 0]), 1)
    assert np.array_equal(counts, expected[~lake.terminal].ravel())


def test_marginal():
    """Against loops over the joint choices; a policy of both agents has the same value in the game and alone."""
    rng = np.random.default_rng(2)
    game = random_game(rng, states=4)
    own = rng.dirichlet(np.ones(2), size=(2, 4))  # by agent, state, action
    rows, (first, second) = game.states, game.actions.T
    policy = own[0, rows, first] * own[1, rows, second]
    alone, choice = marginal(game, policy, 1)
    assert alone.actions.tolist() == [[0], [1]] * 4 and np.array_equal(alone.actions[choice, 0], second)
    transitions, rewards = np.zeros((8, 4)), np.zeros(8)
    for k, row in enumerate(game.transitions.toarray()):
        transitions[2 * rows[k] + second[k]] += own[0, rows[k], first[k]] * row
        rewards[2 * rows[k] + second[k]] += own[0, rows[k], first[k]] * game.rewards[k, 1]
    assert np.allclose(alone.transitions.toarray(), transitions) and np.allclose(alone.rewards[:, 0], rewards)
    together = evaluate(game, policy, discount=G)[:, 1]
    assert np.allclose(evaluate(alone, own[1].ravel(), discount=G)[:, 0], together)


def test_soft_equilibrium():
    """Each agent is soft-optimal among the others; in matching pennies both play at random."""
    game = random_game(np.random.default_rng(3), states=4)
    policy = soft_equilibrium(game, 0.5, discount=G)
    product = np.ones(len(policy))
    for agent in range(2):
        alone, choice = marginal(game, policy, agent)
        product *= soft_policy(alone, 0.5)[choice]
    assert np.allclose(product, policy, atol=1e-8)
    pennies = replace(game, rewards=np.tile([[1.0, -1], [-1, 1], [-1, 1], [1, -1]], (4, 1)))
    assert np.allclose(soft_equilibrium(pennies, 0.5, discount=G), 0.25)
    with pytest.raises(ConvergenceError, match="after 2 rounds"):
        soft_equilibrium(game, 0.5, discount=G, rounds=2)


def test_several_agents():
    """Each agent's reward among the others: the distance goes to 0 as demonstrations grow, and the regret is 0."""
    game = random_game(np.random.default_rng(4), states=5)
    policy = soft_equilibrium(game, 1.0, discount=G)
    shares, far = visits(game, policy), []
    for n in (30, 1e3, 1e6):
        learned = mamql(replace(game, rewards=0 * game.rewards), n * shares, beta=1.0, discount=G)
        truth = [marginal(game, policy, agent).model for agent in range(2)]
        far.append([distance(t, agent.reward) for t, agent in zip(truth, learned)])
    assert (np.diff(far, axis=0) < 0).all() and max(far[-1]) < 0.01
    assert max(regret(t, agent.reward) for t, agent in zip(truth, learned)) < 1e-9


def test_prisoners_dilemma():
    """Episodes of a repeated game: both learned rewards prefer to defect whatever the history, as the payoffs do."""
    game = extract("envsuite/RepeatedGame-v0", rounds=2)
    policy = soft_equilibrium(game, 1.0, discount=G)
    counts = counted(game, Demonstrator(game, policy).demonstrate(500, seed=0))
    for agent, learned in enumerate(mamql(game, counts, beta=1.0, discount=G)):
        truth = marginal(game, policy, agent).model
        assert distance(truth, learned.reward) < 0.3 < distance(truth, -learned.reward)
        assert regret(truth, learned.reward) < 1e-9


def test_refusals(lake):
    counts = np.ones(len(lake.states))
    with pytest.raises(ParameterError, match="counts must be"):
        inverse_q(lake, counts[1:], beta=1.0, discount=G)
    with pytest.raises(ParameterError, match="beta=0"):
        inverse_q(lake, counts, beta=0, discount=G)
    with pytest.raises(ParameterError, match="discount=2"):
        mamql(lake, counts, beta=1.0, discount=2)
    with pytest.raises(ConvergenceError, match="after 1 steps"):
        inverse_q(lake, counts + np.arange(len(counts)), beta=1.0, discount=G, steps=1)
    game = random_game(np.random.default_rng(5), states=3)
    with pytest.raises(ParameterError, match="use mamql"):
        inverse_q(game, np.ones(12), beta=1.0, discount=G)
    with pytest.raises(ParameterError, match="see marginal"):
        soft_value_iteration(game, 1.0, discount=G)
    short = Model(lake.first, lake.actions * 0, lake.transitions, lake.rewards, lake.start)
    with pytest.raises(ParameterError, match="does not have"):
        counted(short, Demonstrator(lake, uniform(lake)).demonstrate(5, seed=0))
