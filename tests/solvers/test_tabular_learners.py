"""Tabular learners: known values of small worlds, what they learn of others and of each other, tables as files."""

import kit
import numpy as np
import pytest
from gymnasium.spaces import Box

from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.core.kernel import kernel
from envsuite.core.world import Kernels, World
from envsuite.evaluation.matches import play
from envsuite.registry import build
from envsuite.solvers.learners import TableFullError, TabularLearner


def start(world):
    """What the first agent sees at the start of an episode."""
    batch = kit.started(world)
    return batch.observations[0, 0]


# One agent.


@pytest.mark.parametrize("rule", ["q-learning", "sarsa"])
def test_frozen_lake_without_slipping(rule):
    world = build("envsuite/FrozenLake-v0", {"is_slippery": False})
    learner = TabularLearner(world, rule, discount=0.9, rate=0.5, seed=1)
    learner.learn(100_000, (1.0, 0.0))
    assert learner.states == 11  # 16 cells less 4 holes and the goal
    returns, lengths = play(world, [learner.policy()], 10)
    assert (returns == 1).all() and (lengths == 6).all()
    # 0.9^5 = 0.59049: Gymnasium 1.4's table of transitions, dynamic programming.
    values = learner.action_values(start(world))
    assert values.max() == pytest.approx(0.59049, abs=1e-6 if rule == "q-learning" else 1e-3)


def test_frozen_lake_with_slipping():
    world = build("envsuite/FrozenLake-v0")
    learner = TabularLearner(world, discount=0.99, rate=1.0, power=0.7, initial=1.0, seed=1)
    learner.learn(2_000_000, 0.3)
    # 0.542026 discounted by 0.99, 0.744190 in 100 moves: Gymnasium 1.4's table of transitions, dynamic programming.
    assert learner.action_values(start(world)).max() == pytest.approx(0.542026, abs=0.02)
    returns, _ = play(world, [learner.policy()], 20_000)
    error = returns.std() / 20_000**0.5
    assert returns.mean() == pytest.approx(0.744190, abs=3 * error + 0.005)


# Example 6.6 of Sutton and Barto, "Reinforcement Learning", 2018: a grid of 4 x 12, start and goal in the lower
# corners, a cliff between them. A move costs 1; one into the cliff costs 100 and leads back to the start.

HEIGHT, WIDTH = 4, 12


@kernel
def reset(s):
    s.y, s.x = HEIGHT - 1, 0


@kernel
def step(s, actions, rewards):
    action = actions[0]
    s.y = min(max(s.y + (action == 1) - (action == 3), 0), HEIGHT - 1)
    s.x = min(max(s.x + (action == 0) - (action == 2), 0), WIDTH - 1)
    rewards[0] = -1.0
    if s.y == HEIGHT - 1 and 0 < s.x < WIDTH - 1:
        rewards[0] = -100.0
        s.x = 0
    if s.y == HEIGHT - 1 and s.x == WIDTH - 1:
        s.terminated[0] = 1


@kernel
def observe(s, agent, out):
    out[0], out[1] = s.y, s.x


@kernel
def legal(s, agent, mask):
    for k in range(4):
        mask[k] = 1


class Cliff(World):
    kernels = Kernels(reset, step, observe, legal)

    def __init__(self):
        self.define(
            agents=["agent"],
            actions=["east", "south", "west", "north"],
            observation=Box(0, WIDTH, (2,), np.int8),
            fields=[("y", np.int64), ("x", np.int64)],
        )


@pytest.mark.slow
def test_sarsa_keeps_away_from_the_cliff():
    """The example's settings: a rate of 0.5 there, lower here for less noise; exploration 0.1, no discount.

    Q-learning learns the shortest way, 13 moves along the edge, and falls off it while it explores; SARSA the safe way,
    along the other side, 17 moves, and earns more while it learns.
    """
    lengths, earned = {}, {}
    for rule in ("q-learning", "sarsa"):
        learner = TabularLearner(Cliff(), rule, num=1, discount=1.0, rate=0.1, seed=2)
        learner.learn(300_000)
        earned[rule] = learner.learn(100_000)[0]
        (returns,), (lengths[rule],) = play(Cliff(), [learner.policy()], 1)
        assert returns[0] == -lengths[rule]  # never over the cliff
    assert lengths == {"q-learning": 13, "sarsa": 17}
    # In the book's figure, with its rate of 0.5, about -25 and -50.
    assert -30 < earned["sarsa"] < -17 and -65 < earned["q-learning"] < -35


# Several agents.


def test_independent_learners_defect_once():
    world = build("envsuite/MatrixGame-v0")
    learner = TabularLearner(world, discount=1.0, power=1.0, rate=1.0, seed=3)
    learner.learn(20_000, (1.0, 0.0))
    batch = kit.started(world)
    actions = learner.policy().act_batch(batch.observations, batch.masks, [0, 1])
    assert [world.action_names[0][k] for k in actions[0]] == ["defect", "defect"]
    assert learner.states == 2  # one for each player, who see the same


def test_best_answer_to_tit_for_tat():
    """Ten rounds: cooperate, and defect in the last one: 9 x 3 + 5, by backward induction."""
    world = build("envsuite/RepeatedGame-v0", {"rounds": 10})
    learner = TabularLearner(world, opponents={"player_1": "tit_for_tat"}, discount=1.0, rate=0.3, initial=40.0)
    learner.learn(1_000_000, (0.5, 0.0))
    policy = learner.policy()
    returns, _ = play(world, [policy, make_policy("tit_for_tat", world)], 10)
    assert (returns == [32, 27]).all()


def test_tic_tac_toe_by_playing_itself():
    world = build("envsuite/TicTacToe-v0")
    learner = TabularLearner(world, num=256, discount=1.0, rate=0.2, seed=4)
    learner.learn(1_000_000, (1.0, 0.1))
    policy, opponent = learner.policy(), make_policy("random", world)
    returns, _ = play(world, [policy, opponent], 2000)
    assert (returns[:, 0] >= 0).mean() > 0.98 and (returns[:, 0] > 0).mean() > 0.9
    returns, _ = play(world, [opponent, policy], 2000)
    assert (returns[:, 1] >= 0).mean() > 0.95
    # 5,478 positions with the empty one, 958 of them ends (OpenSpiel): at most that many in which somebody moves.
    assert 4000 < learner.states <= 5478 - 958
    assert play(world, [policy, policy], 1)[0].tolist() == [[0, 0]]


# Tables.


def test_tables_as_files(tmp_path):
    world = build("envsuite/TicTacToe-v0")
    learner = TabularLearner(world, num=256, discount=1.0, seed=4)
    learner.learn(100_000)
    learner.save(tmp_path / "table.npz")
    other = TabularLearner(world, discount=1.0, capacity=2 * learner.states)
    other.load(tmp_path / "table.npz")
    assert other.states == learner.states and other.transitions == learner.transitions == 100_096
    assert (other.action_values(start(world)) == learner.action_values(start(world))).all()
    games = [play(world, [one.policy()] * 2, 50)[0] for one in (learner, other)]
    assert np.array_equal(*games)
    other.learn(1000)
    with pytest.raises(SnapshotError, match="rule 'q-learning', this learner 'sarsa'"):
        TabularLearner(world, "sarsa").load(tmp_path / "table.npz")
    with pytest.raises(TableFullError, match="states are more than 100"):
        TabularLearner(world, capacity=100).load(tmp_path / "table.npz")
    with pytest.raises(SnapshotError, match="the table has id"):
        TabularLearner(build("envsuite/MatrixGame-v0")).load(tmp_path / "table.npz")


def test_learning_repeats_and_policies_stay_as_they_are():
    world = build("envsuite/TicTacToe-v0")
    learners = [TabularLearner(world, num=16, seed=7) for _ in range(2)]
    for learner in learners:
        returns = learner.learn(2000, 0.5)
        assert returns[0] == -returns[1]
    first, policy = learners[0].action_values(start(world)), learners[0].policy()
    assert (first == learners[1].action_values(start(world))).all() and first.any()
    before = policy.values.copy()
    learners[0].learn(2000)
    assert (policy.values == before).all() and (learners[0].action_values(start(world)) != first).any()


def test_illegal_actions_have_no_value_and_unknown_states_any_action():
    world = build("envsuite/TicTacToe-v0")
    learner = TabularLearner(world, num=1)
    batch = kit.started(world, 2)
    assert np.isnan(learner.action_values(batch.observations[0, 0])).all()
    batch.step([[4], [8]])
    policy = learner.policy()
    policy.reset(0)
    chosen = [policy.act_batch(batch.observations, batch.masks, [0, 1])[:, 1] for _ in range(200)]
    assert set(np.array(chosen)[:, 0]) == set(range(9)) - {4}
    assert policy.act(batch.observations[0, 1], batch.masks[0, 1], 1) != 4
    learner.learn(20_000, 1.0)
    values = learner.action_values(batch.observations[0, 1], 1)
    assert np.isneginf(values[4]) and np.isfinite(np.delete(values, 4)).all()


def test_wrong_arguments():
    world = build("envsuite/MatrixGame-v0")
    for wrong, message in [
        (dict(rule="td"), "rule='td' must be"),
        (dict(discount=1.5), "discount=1.5 must be a number from 0 to 1"),
        (dict(rate=0.0), "rate=0.0"),
        (dict(capacity=0), "capacity=0"),
        (dict(opponents={"nobody": "random"}), "'nobody'; the agents are player_0, player_1"),
    ]:
        with pytest.raises(ParameterError, match=message):
            TabularLearner(world, **wrong)
    with pytest.raises(ParameterError, match="epsilon=2"):
        TabularLearner(world).learn(1, 2)
    small = TabularLearner(build("envsuite/TicTacToe-v0"), capacity=50)
    with pytest.raises(TableFullError, match="more than 50 states; give a larger capacity"):
        small.learn(10_000, 1.0)
