"""Tabular models and planning: worlds listed, hand-made and random problems, games, the effective horizon, GORP."""

import itertools
from dataclasses import replace
from math import comb

import gymnasium
import numpy as np
import pytest
from minigrid_play import export
from scipy.optimize import linprog
from scipy.sparse import csr_array

from envsuite.core.errors import ParameterError
from envsuite.core.record import as_views
from envsuite.games.tic_tac_toe import TicTacToe
from envsuite.gridworlds.key_corridor import KeyCorridor
from envsuite.gridworlds.lights_out import LightsOut
from envsuite.solvers.model import Index, Model, TooLargeError, choices, extract
from envsuite.solvers.planning import (
    ConvergenceError,
    effective_horizon,
    evaluate,
    gorp,
    greedy,
    own,
    policy_iteration,
    uniform,
    value_iteration,
)

LAKE = "envsuite/FrozenLake-v0"


def made(listed, num_states, start=0):
    """A model from (state, actions, rewards, {next state: probability}), in order of states; others are terminal."""
    first = np.searchsorted([state for state, *_ in listed], np.arange(num_states + 1))
    rows, columns, entries = zip(*((k, to, p) for k, (*_, go) in enumerate(listed) for to, p in go.items()))
    return Model(
        first=first,
        actions=np.array([actions for _, actions, _, _ in listed]),
        transitions=csr_array((entries, (rows, columns)), shape=(len(listed), num_states)),
        rewards=np.array([rewards for _, _, rewards, _ in listed], float),
        start=np.eye(num_states)[start],
    )


def at_start(model, values):
    return (model.start @ values).tolist()


# Solvers.


@pytest.fixture
def two_ways():
    """State 0: stay for 1, which ends half of the time, or go on to state 1, which pays 3 and ends."""
    return made(
        [(0, [0], [1], {0: 0.5, 2: 0.5}), (0, [1], [0], {1: 1.0}), (1, [0], [3], {2: 1.0})],
        num_states=3,
    )


@pytest.mark.parametrize(
    ("discount", "value", "chosen"),
    # By hand: staying is worth 1 / (1 - discount / 2), going 3 discount; equal at about 0.4226.
    [(0.9, 2.7, 1), (0.5, 1.5, 1), (0.3, 1 / 0.85, 0), (1.0, 3.0, 1)],
)
def test_two_ways(two_ways, discount, value, chosen):
    for solution in (value_iteration(two_ways, discount=discount), policy_iteration(two_ways, discount=discount)):
        assert solution.values[:, 0] == pytest.approx([value, 3, 0], abs=1e-11)
        assert solution.q[1 - chosen, 0] == pytest.approx(
            3 * discount if chosen == 0 else 1 + discount / 2 * value, abs=1e-11
        )
        policy = greedy(two_ways, solution.q)
        assert policy.tolist() == [1 - chosen, chosen, 1]
        assert at_start(two_ways, evaluate(two_ways, policy, discount=discount)) == pytest.approx([value])


def test_two_ways_with_steps_left(two_ways):
    """By hand: with one step left staying pays 1, with two going pays 3; at random 1/2 (1 + V / 2) + 3/2."""
    assert [at_start(two_ways, value_iteration(two_ways, horizon=k).values)[0] for k in (1, 2, 3)] == [1, 3, 3]
    policy = uniform(two_ways)
    assert policy.tolist() == [0.5, 0.5, 1]
    assert at_start(two_ways, evaluate(two_ways, policy)) == pytest.approx([8 / 3])
    assert at_start(two_ways, evaluate(two_ways, policy, horizon=2)) == pytest.approx([0.5 + 0.25 * 0.5 + 1.5])


@pytest.mark.parametrize("seed", range(5))
def test_solvers_agree_with_linear_programming(seed):
    """Random problems with any number of choices in a state. Manne, 1960: the least V with V >= r + discount P V."""
    rng = np.random.default_rng(seed)
    count, discount = 30, 0.95
    listed = []
    for state in range(count - 4):
        for action in range(rng.integers(1, 6)):
            to = rng.choice(count, size=rng.integers(1, 5), replace=False)
            listed.append((state, [action], [rng.normal()], dict(zip(to, rng.dirichlet(np.ones(len(to)))))))
    model = made(listed, count)
    gains = discount * model.transitions.toarray() - np.eye(count)[model.states]
    solution = linprog(
        np.ones(count), A_ub=gains, b_ub=-model.rewards[:, 0], bounds=[(None, None)] * (count - 4) + [(0, 0)] * 4
    )
    assert solution.success
    for found in (value_iteration(model, discount=discount), policy_iteration(model, discount=discount)):
        assert found.values[:, 0] == pytest.approx(solution.x, abs=1e-8)
        assert evaluate(model, greedy(model, found.q), discount=discount)[:, 0] == pytest.approx(solution.x, abs=1e-8)


def test_table():
    model = made([(0, [2], [5], {2: 1.0}), (1, [0], [3], {2: 1.0}), (1, [1], [4], {2: 1.0})], num_states=3)
    expected = [[np.nan, np.nan, 5], [3, 4, np.nan], [np.nan] * 3]
    np.testing.assert_array_equal(model.table(model.rewards[:, 0]), expected)


def test_agents_that_take_turns():
    """By hand: the second would rather have (2, 2) than (5, 1), so the first takes (3, 0), in which the second loses.

    With opposite rewards, -5 and -2 for the first, it is better off with -2 by moving on than with -3.
    """
    listed = [
        (0, [0, -1], [3, 0], {2: 1.0}), (0, [1, -1], [0, 0], {1: 1.0}),
        (1, [-1, 0], [5, 1], {2: 1.0}), (1, [-1, 1], [2, 2], {2: 1.0}),
    ]  # fmt: skip
    model = made(listed, num_states=3)
    assert model.mover.tolist() == [0, 1, -1]
    solution = value_iteration(model)
    assert solution.values.tolist() == [[3, 0], [2, 2], [0, 0]]
    assert solution.q.tolist() == [[3, 0], [2, 2], [5, 1], [2, 2]]
    assert own(model, solution.q).tolist() == [3, 2, 1, 2]
    zero_sum = replace(model, rewards=np.array([[-3, 3], [0, 0], [2, -2], [-2, 2.0]]))
    assert value_iteration(zero_sum).values.tolist() == [[-2, 2], [-2, 2], [0, 0]]
    with pytest.raises(ParameterError, match="for one agent"):
        policy_iteration(model)


def test_agents_that_act_at_once():
    """With the same rewards they choose together; else there is no best choice of each."""
    pairs = list(itertools.product(range(2), range(2)))
    same = made([(0, pair, [pay, pay], {1: 1.0}) for pair, pay in zip(pairs, [1, 0, 0, 2])], num_states=2)
    assert same.mover.tolist() == [-2, -1]
    assert at_start(same, value_iteration(same).values) == at_start(same, policy_iteration(same).values) == [2, 2]
    with pytest.raises(ParameterError, match="act at once"):
        value_iteration(replace(same, rewards=np.array([[1, -1], [-1, 1], [-1, 1], [1.0, -1]])))


def test_what_does_not_end():
    """Staying pays for ever, and leaving pays once."""
    model = made([(0, [0], [1], {0: 1.0}), (0, [1], [5], {1: 1.0})], num_states=2)
    with pytest.raises(ConvergenceError, match="discount"):
        value_iteration(model, sweeps=1000)
    with pytest.raises(ConvergenceError, match="need not end"):
        evaluate(model, np.array([1.0, 0.0]))
    with pytest.raises(ConvergenceError, match="step limit"):
        effective_horizon(model)
    assert at_start(model, evaluate(model, np.array([1.0, 0.0]), discount=0.75)) == pytest.approx([4])
    assert at_start(model, evaluate(model, np.array([0.5, 0.5]))) == pytest.approx([6])  # 1/2 (1 + V) + 1/2 * 5
    for discount in (0.0, 1.5):
        with pytest.raises(ParameterError, match="discount"):
            value_iteration(model, discount=discount)


# Extraction.


def test_lake_equals_gymnasiums_table():
    """Transitions and expected rewards of the slippery 4 x 4 lake, by position and action."""
    theirs = gymnasium.make("FrozenLake-v1").unwrapped.P
    model = extract(LAKE, ignore=["t"])
    position = model.records["position"]
    assert sorted(position) == list(range(16)) and model.start[position == 0].tolist() == [1]
    assert sorted(position[model.terminal]) == [5, 7, 11, 12, 15]
    for choice, (state, action) in enumerate(zip(model.states, model.actions[:, 0])):
        expected, reward = np.zeros(16), 0.0
        for probability, to, pay, _ in theirs[position[state]][action]:
            expected[to] += probability
            reward += probability * pay
        np.testing.assert_allclose(model.transitions[[choice]].toarray()[0], expected[position], atol=1e-15)
        assert model.rewards[choice, 0] == pytest.approx(reward, abs=1e-15)


def test_times_are_states_unless_ignored():
    limited, endless = extract(LAKE), extract(LAKE, ignore=["t"])
    assert endless.num_states == 16 and limited.num_states > 100 * 11
    over = limited.terminal
    cut = over & (limited.records["truncated"][:, 0] == 1)
    assert (limited.records["t"][cut] == 100).all() and not (limited.records["t"][~over] == 100).any()


@pytest.mark.parametrize(("side", "longest"), [(3, 9), (4, 7)])
def test_lights_out(side, longest):
    """All solvable boards, 2**(cells - nullity) with nullity 0 and 4 (OEIS A159257), and how many presses they need.

    On 3 x 3 every set of cells is the only solution of one board, so C(9, k) boards need k presses.
    """
    model = extract(LightsOut(side, side), seed=0, ignore=["t"])
    assert model.num_states == 2 ** (side * side - {3: 0, 4: 4}[side])
    values = value_iteration(model, discount=0.5).values[~model.terminal, 0]
    presses = np.rint(1 - np.log2(values)).astype(int)
    assert presses.max() == longest
    if side == 3:
        assert np.bincount(presses).tolist() == [0] + [comb(9, k) for k in range(1, 10)]


def test_starts_by_chance_level_and_seed():
    deals = extract("envsuite/KuhnPoker-v0")
    assert sorted(deals.start[deals.start > 0]) == pytest.approx([1 / 6] * 6)
    assert deals.terminal.sum() == 30 and deals.num_states == 54  # six deals of 4 decisions and 5 ends each
    world = TicTacToe()
    moves = {"moves": ["b2", "a1"]}
    model = extract(world, level=moves)
    assert model.num_states < 5478 and world.get_level(as_views(model.records)[0]) == moves
    by_seed = extract(world, level=moves, seed=5)
    assert by_seed.num_states == model.num_states and (by_seed.rewards == model.rewards).all()


def test_find():
    model = extract(LAKE, ignore=["t"])
    records = model.records[::-1].copy()
    records["t"], records["rng"] = 17, 123
    assert model.find(records).tolist() == list(range(16))[::-1]
    records["position"] = 99
    assert (model.find(records) == -1).all()
    with pytest.raises(ParameterError, match="not extracted"):
        made([(0, [0], [1], {1: 1.0})], 2).find(records)


def test_progress():
    seen = []
    model = extract(TicTacToe(), progress=lambda *numbers: seen.append(numbers))
    assert seen[-1] == (5478, 5478) and seen == sorted(seen) and len(seen) > 3
    assert model.num_states == 5478


def test_too_large():
    reached = r"1,0\d\d states or more, and limit=1,000 allows 1,000; 82 of 1,0\d\d states had been tried out"
    with pytest.raises(TooLargeError, match=f"TicTacToe-v0 is too large: it has {reached}"):
        extract("envsuite/TicTacToe-v0", limit=1000)
    # The start, and 101 ** 5 joint requests.
    with pytest.raises(TooLargeError, match="10,510,100,502 transitions or more, .* 0 of 1 states"):
        extract("envsuite/Fishery-v0")
    with pytest.raises(TooLargeError, match="4 states or more, .* it can start in too many ways"):
        extract("envsuite/KuhnPoker-v0", limit=3)


def test_only_what_does_not_matter_is_ignored():
    with pytest.raises(ParameterError, match="no field 'time'"):
        extract(LAKE, ignore=["time"])
    with pytest.raises(ParameterError, match="'t' cannot be ignored: the reward depends on it"):
        extract("envsuite/DoorKey-v0", seed=0, ignore=["t"])
    board = ["seen", "lines", "legal", "won"]
    with pytest.raises(ParameterError, match="'legal' and 'won' cannot be ignored: what is legal"):
        extract("envsuite/TicTacToe-v0", ignore=board)
    with pytest.raises(ParameterError, match="'won' cannot be ignored: the"):
        extract("envsuite/TicTacToe-v0", ignore=[name for name in board if name != "legal"])
    assert extract("envsuite/TicTacToe-v0", ignore=["t", "count"]).num_states == 5478


def test_choices():
    """All joint actions of random masks, in order."""
    rng = np.random.default_rng(0)
    masks = (rng.random((40, 3, 4)) < 0.4).astype(np.int8)
    over = rng.random(40) < 0.2
    states, actions = choices(masks, over)
    expected = [
        (state, joint)
        for state in range(40)
        if not over[state]
        for joint in itertools.product(*(np.flatnonzero(mask).tolist() or [-1] for mask in masks[state]))
    ]
    assert list(zip(states.tolist(), map(tuple, actions.tolist()))) == expected


def test_index():
    """Equal under the mask, equal numbers, also where most rows share their place in the table."""
    rng = np.random.default_rng(0)
    mask = np.array([0xFF, 0, 2**64 - 1], np.uint64)
    rows = rng.integers(0, 2**9, (20_000, 3)).astype(np.uint64)
    index = Index(mask)
    numbers = np.concatenate([index.add(part) for part in np.split(rows, 10)])
    _, first, expected = np.unique(rows & mask, axis=0, return_index=True, return_inverse=True)
    assert index.count == len(first)
    assert (numbers == np.argsort(np.argsort(first))[expected]).all()  # in the order in which they come
    assert (index.rows == rows[np.sort(first)]).all()
    assert (index.find(rows) == numbers).all() and index.find(rows + np.uint64(2**20)).tolist() == [-1] * 20_000


# The effective horizon.


@pytest.fixture(scope="module")
def corridor():
    """MiniGrid-KeyCorridorS3R1 with seed 0, 100 steps, a reward of 1 whenever it comes, and without the action done."""
    from minigrid.envs import KeyCorridorEnv

    env = KeyCorridorEnv(1, "ball", 3)
    env.reset(seed=0)
    level = {**export(env), "target": [int(k) for k in env.obj.cur_pos]}
    model = extract(KeyCorridor(rows=1, room_size=3, horizon=100), level=level)
    kept = np.flatnonzero(model.actions[:, 0] != 6)
    return replace(
        model,
        first=np.searchsorted(kept, model.first),
        actions=model.actions[kept],
        transitions=model.transitions[kept],
        rewards=(model.rewards[kept] > 0).astype(float),
    )


def test_effective_horizon_of_a_world_in_bridge(corridor):
    """The authors' numbers for this world: data/mdps/MiniGrid-KeyCorridorS3R1-v0/consolidated_analyzed.json of
    cassidylaidlaw/effective-horizon; all m_k are equal.
    """
    found = effective_horizon(corridor)
    assert (found.horizon, found.solvable) == (16.0, 1)
    assert found.ks.tolist() == list(range(1, 17))
    assert found.rollouts.tolist() == [
        6667295335345, 1392035355359, 278809136916, 54268730212, 10344878490, 3881656204, 719169930, 131899527,
        23989567, 4332647, 1555678, 277857, 49406, 17501, 3089, 1,
    ]  # fmt: skip
    gaps = [
        1.7014579925843832e-11, 1.02087479555063e-10, 6.12524877330378e-10, 3.6751492639822676e-9,
        2.2050895583893606e-8, 6.615268675168082e-8, 3.9691612051008487e-7, 2.381496723060509e-6,
        1.4288980338363054e-5, 8.573388203017832e-5, 0.00025720164609053495, 0.0015432098765432098,
        0.009259259259259259, 0.027777777777777776, 0.16666666666666666, np.inf,
    ]  # fmt: skip
    np.testing.assert_allclose(found.gaps, gaps, rtol=1e-9)
    np.testing.assert_allclose(found.variances, [*gaps[:-1], 0.771653863289306], rtol=1e-9)


def test_effective_horizon_needs_lookahead():
    """By hand: a safe 1, or a lock of two steps that pays 3 for one of 3 x 2 ways, which random play rates 1/2.

    k = 1 takes the safe one. k = 2 sees 3/2 on the right branch and 0 on the others. k = 3 tries everything out.
    """
    safe = [(0, [0], [1], {6: 1.0})]
    branches = [(0, [1], [0], {1: 1.0})]
    lock = [(1, [k], [0], {2 + k: 1.0}) for k in range(3)]
    last = [(2 + k, [j], [3.0 * (k == 0 and j == 0)], {6: 1.0}) for k in range(3) for j in range(2)]
    model = made([*safe, *branches, *lock, *last], num_states=7)
    found = effective_horizon(model)
    assert found.solvable == 2 and found.horizon == 3.0
    assert found.ks.tolist() == [2]
    # At the start 3/2 beats 1 by 1/2; a rollout of the last step has at most the variance (3/2 - 0) (3 - 0).
    assert found.gaps.tolist() == [0.5] and found.variances.tolist() == [4.5]
    assert found.rollouts.tolist() == [int(np.ceil(16 * 4.5 / 0.25 * np.log(2 * 3 * 3**2)))]
    for broken in (replace(model, rewards=np.repeat(model.rewards, 2, axis=1)), extract(LAKE)):
        with pytest.raises(ParameterError, match="one agent in a world without chance"):
            effective_horizon(broken)


def test_gorp():
    """On the lake without slipping, where random play rates the best actions best: enough rollouts find the goal."""
    model = extract(LAKE, is_slippery=False)
    assert effective_horizon(model).solvable == 1
    one = gorp(LAKE, 1, 200, seed=1, is_slippery=False)
    assert one.value == 1.0 and one.transitions > 4 * 200 * len(one.actions)
    two = gorp(LAKE, 2, 50, seed=1, is_slippery=False)
    assert two.value == 1.0
    assert gorp(LAKE, 2, 50, seed=1, is_slippery=False) == two
    state = model.start.argmax()
    for action in two.actions:  # they do lead to the goal
        state = model.transitions.indices[model.first[state] + action]
    assert model.terminal[state] and model.records["position"][state] == 15
    with pytest.raises(ParameterError, match="leaves something to chance"):
        gorp(LAKE)
    with pytest.raises(ParameterError, match="2 agents"):
        gorp("envsuite/TicTacToe-v0")
