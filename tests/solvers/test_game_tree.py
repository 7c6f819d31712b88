"""Game trees: OpenSpiel's NashConv and best responses, exact play of profiles, linear and convex programs."""

import kit
import numpy as np
import pytest
from scipy.optimize import linprog

from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError
from envsuite.core.policy import Policy
from envsuite.evaluation import matches
from envsuite.games.kuhn_poker import KuhnPoker
from envsuite.games.leduc_poker import LeducPoker
from envsuite.games.liars_dice import LiarsDice
from envsuite.games.matrix_game import MatrixGame
from envsuite.games.repeated_game import RepeatedGame
from envsuite.generators.payoffs import named
from envsuite.registry import build
from envsuite.solvers.equilibria import correlated, deviations, minimax, zero_sum_nash
from envsuite.solvers.game_tree import CHANCE, END, Tree, TreeError


@pytest.fixture(scope="module")
def kuhn():
    return Tree(KuhnPoker())


@pytest.fixture(scope="module")
def leduc():
    return Tree(build("envsuite/LeducPoker-v0"))


@pytest.fixture(scope="module")
def iterated():
    """OpenSpiel's python_iterated_prisoners_dilemma(max_game_length=5), with less in sight than players can know."""
    payoffs = [[[5, 0], [10, 1]], [[5, 10], [0, 1]]]
    return Tree(RepeatedGame(payoffs=payoffs, rounds=5, continuation=0.875, memory=1))


def random_profile(tree, seed=0):
    return tree.normalised(np.random.default_rng(seed).random(tree.form.begins[-1]) ** 3)


def first_actions(tree):
    profile = np.zeros(tree.masks.shape)
    profile[np.arange(len(profile)), tree.masks.argmax(axis=1)] = 1
    return profile


def simulated(tree, policies, num):
    """Mean and standard error of each seat's return over `num` games, a policy for each seat."""
    returns, _ = matches.play(tree.world, policies, num)
    return returns.mean(axis=0), returns.std(axis=0) / num**0.5


def test_parts_fit(leduc):
    """Every history but the first is one node's child; chance is complete; ends add up to the sequence form's."""
    nodes = leduc.nodes
    inner = np.flatnonzero(nodes.sets != END)
    children = np.concatenate([nodes.first[node] + np.arange(nodes.counts[node]) for node in inner])
    assert sorted(children) == list(range(1, len(nodes.sets)))
    assert (nodes.sets == CHANCE).sum() == 1 + 150  # the deal, and the public card after 5 ways to bet on each of 30
    for node in np.flatnonzero(nodes.sets == CHANCE):
        assert nodes.chances[nodes.first[node] :][: nodes.counts[node]].sum() == pytest.approx(1)
    decisions = nodes.sets >= 0
    assert (nodes.counts[decisions] == leduc.masks.sum(axis=1)[nodes.sets[decisions]]).all()
    assert sorted(nodes.first[nodes.sets == END]) == list(range(leduc.terminals))
    np.testing.assert_allclose(leduc.form.payoffs, (leduc.rewards * leduc.chances[:, None]).T)
    profile = random_profile(leduc)

    def value(node):
        at = slice(nodes.first[node], nodes.first[node] + nodes.counts[node])
        if nodes.sets[node] == END:
            return leduc.rewards[nodes.first[node]]
        i = nodes.sets[node]
        weights = nodes.chances[at] if i == CHANCE else profile[i][leduc.masks[i]]
        return weights @ [value(child) for child in range(at.start, at.stop)]

    np.testing.assert_allclose(value(0), leduc.values(profile), atol=1e-12)


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker"])
def test_equals_openspiel(name, request):
    """NashConv, values and best responses of several profiles."""
    import pyspiel

    tree = request.getfixturevalue(name.split("_")[0])
    for profile in (first_actions(tree), random_profile(tree)):
        game, table = kit.in_openspiel(tree, name, profile)
        assert tree.nash_conv(profile) == pytest.approx(pyspiel.nash_conv(game, table), abs=1e-9)
        assert tree.exploitability(profile) == pytest.approx(pyspiel.exploitability(game, table), abs=1e-9)
        values = pyspiel.expected_returns(game.new_initial_state(), pyspiel.TabularPolicy(table), -1, True)
        np.testing.assert_allclose(tree.values(profile), values, atol=1e-9)
        for player in range(2):
            worth, reply = tree.best_response(player, profile)
            assert tree.values(reply)[player] == pytest.approx(worth, abs=1e-12)
            other = tree.owned(1 - player)
            assert (reply[other] == profile[other]).all() and set(reply[tree.owned(player)].ravel()) == {0, 1}


def test_known_nash_convs(kuhn, leduc):
    """OpenSpiel's exploitability_test.py: 11/12 and 2 in Kuhn poker, 4.747222222222222 and 2 in Leduc poker."""
    assert kuhn.nash_conv(kuhn.uniform()) == pytest.approx(11 / 12, abs=1e-12)
    assert kuhn.nash_conv(first_actions(kuhn)) == pytest.approx(2, abs=1e-12)
    assert leduc.nash_conv(leduc.uniform()) == pytest.approx(4.747222222222222, abs=1e-9)
    assert leduc.nash_conv(first_actions(leduc)) == pytest.approx(2, abs=1e-12)
    # OpenSpiel 2.0.2: NashConv over the number of players.
    assert leduc.exploitability(leduc.uniform()) == pytest.approx(2.373611111111111, abs=1e-9)


def test_simultaneous_moves():
    """A matrix game is a tree of unseen moves; what a best response to uniform play gains is seen in the table."""
    tree = Tree(MatrixGame(game="biased_rock_paper_scissors"))
    assert (tree.decisions, tree.terminals, tree.information_sets) == (4, 9, [1, 1])
    assert tree.best_response(0, tree.uniform())[0] == pytest.approx(25 / 3)  # rock: (0 - 25 + 50) / 3
    assert tree.nash_conv(tree.uniform()) == pytest.approx(50 / 3)


@pytest.mark.slow
def test_iterated_prisoners_dilemma(iterated):
    """The value of a best response in OpenSpiel's best_response_test.py, which is to defect, always."""
    worth, reply = iterated.best_response(0, iterated.uniform())
    assert worth == pytest.approx(21.4320068359375, abs=1e-9)
    assert (reply[iterated.owned(0), 1] == 1).all()
    # All that both have done: 1 + 4 + 16 + 64 + 256 sets, of which a memory of one round shows 1 + 4 * 4.
    assert iterated.information_sets == [341, 341]
    assert len({tuple(map(bytes, (row["history"], row["rounds_left"]))) for row in iterated.observations}) == 17


@pytest.mark.parametrize("name", ["leduc", "iterated"])
@pytest.mark.mostly_slow
def test_a_profile_is_played(name, request):
    """Simulated games agree with exact values, where observations show all and where they do not."""
    tree = request.getfixturevalue(name)
    profile = random_profile(tree, 3)
    mean, error = simulated(tree, [tree.policy(profile), tree.policy(profile)], 20_000)
    assert (np.abs(mean - tree.values(profile)) < 4 * error).all() and (error < 0.1).all()


def test_policy(leduc):
    """One at a time and many at once, states and refreshes, and what it refuses."""
    profile = random_profile(leduc)
    one, many = leduc.policy(profile), leduc.policy(profile)
    batch = kit.started(leduc.world, 50)
    many.reset(7, 50)
    actions = many.act_batch(batch.observations, batch.masks, [0, 1])
    assert set(actions[:, 0]) == {1, 2} and not actions[:, 1].any()
    for i in range(50):  # copy k of a batch is the single one seeded with seed + k
        one.reset(7 + i)
        assert one.act(batch.observations[i, 0], batch.masks[i, 0], 0) == actions[i, 0]
    state = many.get_state()
    first = many.act_batch(batch.observations, batch.masks, [0, 1])
    many.refresh(np.ones(50, bool))
    assert (first != many.act_batch(batch.observations, batch.masks, [0, 1])).any()
    one.set_state(state)
    assert (first == one.act_batch(batch.observations, batch.masks, [0, 1])).all()
    with pytest.raises(ParameterError, match="cannot see"):
        one.act(batch.observations[0, 0] + 1, batch.masks[0, 0], 0)


def test_policy_of_named_parts():
    """Observations of several parts: as records, and as a mapping."""
    tree = Tree(LiarsDice(sides=2))
    policy = tree.policy(first_actions(tree))
    batch = kit.started(tree.world, 2)
    assert policy.act_batch(batch.observations, batch.masks, [0, 1]).tolist() == [[0, 0], [0, 0]]
    parts = {name: batch.observations[name][0, 0] for name in batch.observations.dtype.names}
    assert policy.act(parts, batch.masks[0, 0], 0) == 0
    assert policy.act({"observation": parts, "action_mask": batch.masks[0, 0]}, batch.masks[0, 0], 0) == 0


def test_tabulated(leduc):
    """Leduc's scripted policy as a profile: exact values as in simulated games. Random ones have no table."""
    profile = leduc.tabulated(make_policy("tight", leduc.world))
    assert set(profile.ravel()) == {0, 1}
    own = leduc.uniform()
    own[leduc.owned(0)] = profile[leduc.owned(0)]
    world = leduc.world
    mean, error = simulated(leduc, [make_policy("tight", world), make_policy("random", world)], 20_000)
    assert (np.abs(mean - leduc.values(own)) < 4 * error).all()
    with pytest.raises(ParameterError, match="'random' draws"):
        leduc.tabulated(make_policy("random", world))

    class Stubborn(Policy):
        def act(self, observation, mask, agent=0):
            return 0

    with pytest.raises(ParameterError, match="legal actions"):  # folding is not always possible
        leduc.tabulated(Stubborn())


def test_bad_profiles_are_refused(kuhn, leduc):
    with pytest.raises(ParameterError, match=r"shape \(12, 2\) must be \(936, 3\)"):
        leduc.values(kuhn.uniform())
    for wrong in (2 * kuhn.uniform(), -kuhn.uniform(), 0 * kuhn.uniform()):
        with pytest.raises(ParameterError, match="probabilities"):
            kuhn.values(wrong)
    with pytest.raises(ParameterError, match="probabilities of legal actions"):
        leduc.policy(np.full(leduc.masks.shape, 1 / 3))


def test_too_large():
    with pytest.raises(
        TreeError, match=r"LeducPoker: the game tree has [\d,]{5,} histories and more; the limit is 9,000"
    ):
        Tree(LeducPoker(), limit=9000)
    assert Tree(LeducPoker(), limit=9451).terminals == 5520
    with pytest.raises(TreeError, match="the limit is 100"):  # at once: 1,320 deals
        Tree(KuhnPoker(players=3), limit=100)


# Equilibria.


def test_nash_by_sequence_form(kuhn, leduc):
    """-1/18 (Kuhn 1950); OpenSpiel 2.0.2's tree of Leduc poker by von Stengel's program: -0.0856064240780005."""
    for tree, wanted in ((kuhn, -1 / 18), (leduc, -0.0856064240780005)):
        value, profile = zero_sum_nash(tree)
        assert value == pytest.approx(wanted, abs=1e-9)
        np.testing.assert_allclose(tree.values(profile), [value, -value], atol=1e-9)
        assert 0 <= tree.nash_conv(profile) + 1e-12 < 1e-9


@pytest.mark.slow
def test_nash_of_liars_dice():
    """OpenSpiel's sequence_form_lp_test.py: -0.027131782945736; uniform values and NashConv of OpenSpiel 2.0.2."""
    tree = Tree(LiarsDice())
    assert (tree.decisions, tree.terminals, tree.information_sets) == (147456, 147420, [12288, 12288])
    np.testing.assert_allclose(tree.values(tree.uniform()), [-0.0324074074074074, 0.0324074074074074], atol=1e-12)
    assert tree.nash_conv(tree.uniform()) == pytest.approx(1.5614886463844795, abs=1e-9)
    value, profile = zero_sum_nash(tree)
    assert value == pytest.approx(-0.027131782945736, abs=1e-9)
    assert 0 <= tree.nash_conv(profile) + 1e-12 < 1e-9


def test_nash_is_refused_elsewhere(iterated):
    for tree in (Tree(KuhnPoker(players=3)), iterated):
        with pytest.raises(ParameterError, match="not a zero-sum game of two players"):
            zero_sum_nash(tree)


def test_minimax():
    """OpenSpiel's biased rock, paper, scissors has one equilibrium (nashpy's support enumeration); random tables."""
    value, row, column = minimax(named("biased_rock_paper_scissors").payoffs[0])
    assert value == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose([row, column], [[0.0625, 0.625, 0.3125]] * 2, atol=1e-9)
    rng = np.random.default_rng(0)
    for shape in ((1, 4), (5, 3), (12, 12)):
        table = rng.normal(size=shape)
        value, row, column = minimax(table)
        assert row.sum() == pytest.approx(1) == column.sum() and min(row.min(), column.min()) >= 0
        assert (row @ table).min() == pytest.approx(value, abs=1e-9) == (table @ column).max()
    with pytest.raises(ParameterError, match="must be a matrix"):
        minimax([1, 2])


def test_minimax_is_the_tree_of_a_matrix_game():
    for game in ("matching_pennies", "biased_rock_paper_scissors"):
        value, profile = zero_sum_nash(Tree(MatrixGame(game=game)))
        direct, row, column = minimax(named(game).payoffs[0])
        assert value == pytest.approx(direct, abs=1e-9)
        np.testing.assert_allclose(profile, [row, column], atol=1e-9)


@pytest.mark.parametrize(
    ("game", "wanted"),
    [
        # By hand from the conditions of optimality.
        ("prisoners_dilemma", [[0, 0], [0, 1]]),  # the only equilibrium
        ("coordination", [[1 / 4, 1 / 4], [1 / 4, 1 / 4]]),  # uniform play is one, and the most even of all
        ("matching_pennies", [[1 / 4, 1 / 4], [1 / 4, 1 / 4]]),
        ("battle_of_the_sexes", [[12 / 43, 11 / 43], [8 / 43, 12 / 43]]),  # where each would rather meet elsewhere
        # Its players and actions turn round, so that of the equilibria of Shapley's game the most even is uniform.
        ("shapley", np.full((3, 3), 1 / 9)),
    ],
)
def test_correlated_in_closed_form(game, wanted):
    np.testing.assert_allclose(correlated(named(game).payoffs), wanted, atol=1e-12)


def test_correlated_at_a_crossing():
    """A traffic light, by hand: driving alone pays 1, against another driver -10, stopping 0.

    Told to drive one does so if (drive, stop) is 10 times as likely as (drive, drive). Of a each for one who drives,
    a / 10 for both and b for none, 2.01 a^2 + b^2 is least for 2.1 a + b = 1 where b = 2.01 a / 2.1.
    """
    payoffs = np.array([[[-10.0, 1], [0, 0]], [[-10.0, 0], [1, 0]]])
    b = 2.01 / 2.1
    wanted = np.array([[0.1, 1], [1, b]])
    np.testing.assert_allclose(correlated(payoffs), wanted / wanted.sum(), atol=1e-12)


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize("shape", [(2, 2), (3, 4), (6, 6), (2, 3, 2)])
def test_correlated_is_optimal(shape, coarse):
    """No deviation pays, and by a linear program nothing in the set of equilibria lies further down the gradient.

    That is both necessary and sufficient for the least sum of squares on a convex set.
    """
    rng = np.random.default_rng(len(shape))
    for _ in range(5):
        payoffs = rng.integers(-5, 6, (len(shape), *shape)).astype(float)
        joint = correlated(payoffs, coarse)
        gains = deviations(payoffs, coarse)
        assert joint.shape == shape and joint.min() >= 0 and joint.sum() == pytest.approx(1)
        x = joint.ravel()
        assert (gains @ x).max() < 1e-9
        best = linprog(x, gains, np.zeros(len(gains)), np.ones((1, x.size)), [1.0])
        assert x @ x == pytest.approx(best.fun, abs=1e-8)
        if coarse:  # the larger set
            assert x @ x <= (correlated(payoffs) ** 2).sum() + 1e-9


def test_deviations_are_counted_in_full():
    """By the definition, cell by cell, in a game of three players."""
    rng = np.random.default_rng(0)
    payoffs, joint = rng.normal(size=(3, 2, 3, 2)), rng.dirichlet(np.ones(12)).reshape(2, 3, 2)
    wanted, coarse = [], []
    for player in range(3):
        for other in range(payoffs.shape[1 + player]):
            gains = np.zeros(payoffs.shape[1 + player])
            for cell in np.ndindex(2, 3, 2):
                instead = (*cell[:player], other, *cell[player + 1 :])
                gains[cell[player]] += joint[cell] * (payoffs[player][instead] - payoffs[player][cell])
            wanted += [gain for told, gain in enumerate(gains) if told != other]
            coarse.append(gains.sum())
    np.testing.assert_allclose(sorted(deviations(payoffs) @ joint.ravel()), sorted(wanted), atol=1e-12)
    np.testing.assert_allclose(deviations(payoffs, coarse=True) @ joint.ravel(), coarse, atol=1e-12)
