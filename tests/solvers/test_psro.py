"""PSRO and JPSRO: equilibria that are known, OpenSpiel's gaps of the same distributions, hand-computed meta-games."""

from functools import cache
from itertools import product

import kit
import numpy as np
import pytest

from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.evaluation.tournaments import tournament
from envsuite.games.kuhn_poker import KuhnPoker
from envsuite.games.leduc_poker import LeducPoker
from envsuite.games.matrix_game import MatrixGame
from envsuite.games.sheriff import Sheriff
from envsuite.games.trade_comm import TradeComm
from envsuite.solvers import equilibria
from envsuite.solvers.cfr import FictitiousPlay
from envsuite.solvers.equilibria import SolverError, correlated, deviations
from envsuite.solvers.game_tree import Tree, TreeError
from envsuite.solvers.psro import PSRO, q_learning, replicator_dynamics

#: Aumann, "Subjectivity and correlation in randomized strategies", 1974: dare or chicken out.
AUMANN = [[[6.0, 2], [7, 0]], [[6, 7], [2, 0]]]


@cache
def kuhn(players=2):
    return Tree(KuhnPoker(players=players))


def matrix(payoffs):
    return Tree(MatrixGame(game="custom", payoffs=payoffs))


def solved(tree, meta, rounds=30, **options):
    solver = PSRO(tree, meta, **options)
    solver.run(rounds)
    return solver


@pytest.mark.parametrize("meta", ["nash", "mgcce", "mwcce", "mgce", "mwce"])
def test_kuhn_poker_closes(meta):
    """An equilibrium of value -1/18 (Kuhn 1950), of which each player's own mixture is a part, as in any CCE there."""
    solver = solved(kuhn(), meta)
    assert abs(solver.gap) < 1e-9 and len(solver.rounds) < 12
    np.testing.assert_allclose(solver.last.values, [-1 / 18, 1 / 18], atol=1e-9)
    assert kuhn().nash_conv(solver.profile) < 1e-9
    # OpenSpiel 2.0.2's jpsro.py from uniform play: its first gaps, before ties matter.
    assert [one.gap for one in solver.rounds[:3]] == pytest.approx([11 / 12, 5 / 6, 1 / 3], abs=1e-8)


def test_nash_conv_of_every_round():
    """The gap of independent mixtures is NashConv of the profile that mixes in the same way."""
    for meta in ("nash", "uniform"):
        solver = PSRO(kuhn(), meta)
        for _ in range(6):
            solver.run(1)
            assert solver.gap == pytest.approx(kuhn().nash_conv(solver.profile), abs=1e-12)
            np.testing.assert_allclose(solver.last.values, kuhn().values(solver.profile), atol=1e-12)


def test_uniform_is_fictitious_play():
    """Round by round; OpenSpiel 2.0.2's XFPSolver for the first."""
    solver, other = solved(kuhn(), "uniform", 60), FictitiousPlay(kuhn())
    wanted = [11 / 12, 0.625, 0.41666666666666663, 0.3541666666666667, 0.2833333333333333]
    assert [one.gap for one in solver.rounds[:5]] == pytest.approx(wanted, abs=1e-12)
    other.run(59)
    assert solver.gap == pytest.approx(kuhn().nash_conv(other.average), abs=0.05)  # rounding breaks ties differently
    assert len(solver.rounds) == 60 and all(counts.sum() == 60 for counts in solver.counts)


@pytest.mark.parametrize(("meta", "closed"), [("mgcce", True), ("mwcce", True), ("prd", False)])
def test_three_players(meta, closed):
    """Uniform play's NashConv is 2.0625 (OpenSpiel 2.0.2), and jpsro.py's first gaps 2.0625 and 5/6."""
    solver = solved(kuhn(3), meta, 30 if closed else 3)
    assert solver.rounds[0].gap == pytest.approx(2.0625, abs=1e-9)
    assert solver.rounds[1].gap == pytest.approx(5 / 6, abs=1e-8 if closed else 0.02)
    assert abs(solver.gap) < 1e-9 if closed else solver.gap < 0.7
    np.testing.assert_allclose(solver.last.values.sum(), 0, atol=1e-12)


def openspiel_gaps(solver, name, recommended):
    """Every player's gap in the last round by OpenSpiel: given each recommendation, or on the whole."""
    import pyspiel

    tree, joint = solver.tree, solver.last.joint
    policies = {}
    for cell in np.ndindex(joint.shape):
        rows = [population[pick] for population, pick in zip(solver.populations, cell)]
        game, table = kit.in_openspiel(tree, name, np.concatenate(rows))
        policies[cell] = pyspiel.TabularPolicy(table)
    gaps = []
    for player in range(tree.players):
        parts = [
            [cell for cell in policies if not recommended or cell[player] == k] for k in range(joint.shape[player])
        ]
        gap = 0.0
        for part in parts if recommended else parts[:1]:
            share = sum(joint[cell] for cell in part)
            if share > 1e-9:
                device = [(joint[cell] / share, policies[cell]) for cell in part if joint[cell] > 0]
                best = pyspiel.cce_dist(game, device, player, 0.0, -1.0).best_response_values[0]
                start = game.new_initial_state()
                returns = [p * pyspiel.expected_returns(start, one, -1, True)[player] for p, one in device]
                gap += share * (best - sum(returns))
        gaps.append(gap)
    return gaps


@pytest.mark.parametrize(
    ("players", "meta", "rounds"), [(2, "mgcce", 5), (2, "mgce", 5), (2, "nash", 4), (3, "mgcce", 3), (3, "mgce", 3)]
)
def test_gaps_equal_openspiel(players, meta, rounds):
    """Of the same distributions over the same policies."""
    solver = solved(kuhn(players), meta, rounds)
    name = f"kuhn_poker(players={players})"
    assert solver.last.gaps.max() > 0.01
    np.testing.assert_allclose(solver.last.gaps, openspiel_gaps(solver, name, meta == "mgce"), atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("meta", "rounds", "bound"), [("nash", 150, 0.4), ("mgcce", 60, 1.2), ("mwcce", 60, 1.5)])
def test_leduc_poker(meta, rounds, bound):
    """From OpenSpiel's 4.747222 of uniform play; double oracle is below 0.02 only after 300 rounds."""
    tree = Tree(LeducPoker())
    solver = solved(tree, meta, rounds)
    assert solver.rounds[0].gap == pytest.approx(4.747222222222222, abs=1e-9)
    assert 0 < solver.gap < bound
    # Their value is -0.0856064240780005 by von Stengel's program; each gap bounds the error.
    assert abs(solver.last.values[0] + 0.0856064240780005) <= solver.gap
    if meta == "nash":
        assert solver.gap == pytest.approx(tree.nash_conv(solver.profile), abs=1e-9)


#: Sheriff as OpenSpiel has it by default, and Farina et al. 2019, "Correlation in extensive-form games", with the most
#: that players earn together in coarse correlated and in correlated equilibria of one round, by a linear program.
SHERIFFS = [
    ({}, (0.75, 0.375), 0.75),
    (dict(items=10, bribes=2, item_value=5.0, item_penalty=1.0, sheriff_penalty=1.0), (7.050839, 0.876957), 0.819672),
]


def sheriff_payoffs(items=3, bribes=3, item_value=1.0, item_penalty=2.0, sheriff_penalty=3.0):
    """(2, cargo and bribe, answers to all bribes): one round in normal form."""
    table = []
    for cargo, bribe in product(range(items + 1), range(bribes + 1)):
        fine = cargo * item_penalty if cargo else -sheriff_penalty
        let_go, inspected = (cargo * item_value - bribe, bribe), (-fine, fine)
        answers = product((False, True), repeat=bribes + 1)
        table.append([inspected if answer[bribe] else let_go for answer in answers])
    return np.array(table).transpose(2, 0, 1)


@pytest.mark.parametrize(("params", "coarse", "together"), SHERIFFS)
def test_equilibria_of_sheriff(params, coarse, together):
    """The most even and the best equilibria in normal form; JPSRO leads to a correlated one that is as good."""
    payoffs = sheriff_payoffs(**params)
    joint = correlated(payoffs, coarse=True, objective="welfare")
    assert (payoffs * joint).sum((1, 2)) == pytest.approx(coarse, abs=1e-5)
    joint = correlated(payoffs, objective="welfare")
    assert (payoffs * joint).sum((1, 2)) == pytest.approx((together, 0), abs=1e-5)
    for meta in ("mgcce", "mwcce", "mgce", "mwce"):
        solver = solved(Tree(Sheriff(rounds=1, **params)), meta)
        assert abs(solver.gap) < 1e-9 and solver.last.values == pytest.approx((together, 0), abs=1e-5)
    if not params:  # bribes of the first round are cheap talk
        solver = solved(Tree(Sheriff(rounds=2)), "mwcce")
        assert abs(solver.gap) < 1e-9 and solver.last.values == pytest.approx((0.75, 0), abs=1e-9)


@pytest.mark.parametrize("items", [2, 3])
def test_trade_comm_without_words(items):
    """From uniform play, whose words say nothing, JPSRO finds one trade that both name: 1 / items**2 for each."""
    for meta in ("mgcce", "mwcce", "mgce", "mwce"):
        solver = solved(Tree(TradeComm(items=items)), meta)
        assert solver.rounds[0].values == pytest.approx([items**-4.0] * 2)
        assert abs(solver.gap) < 1e-9 and solver.last.values == pytest.approx([items**-2.0] * 2)


def test_rock_paper_scissors():
    """From rock all three in turn; the one equilibrium is uniform."""
    tree = Tree(MatrixGame(game="rock_paper_scissors"))
    rock = np.array([[1.0, 0, 0], [1, 0, 0]])
    for meta in ("nash", "mgcce", "mgce"):
        solver = solved(tree, meta, start=rock)
        assert [one.joint.shape for one in solver.rounds] == [(1, 1), (2, 2), (3, 3)]
        np.testing.assert_array_equal(solver.populations, np.tile(np.eye(3)[[0, 1, 2], None], (2, 1, 1, 1)))
        np.testing.assert_allclose(solver.last.joint, 1 / 9, atol=1e-9)
        np.testing.assert_allclose(solver.profile, 1 / 3, atol=1e-9)
    assert [one.gap for one in solver.rounds] == pytest.approx([2, 2, 0], abs=1e-9)


def test_correlation_pays():
    """Aumann's chicken: no correlated equilibrium has more than 10.5 (1/2 both chicken out, 1/4 either dares).

    By hand from the two binding constraints; the coarse optimum is the same program with their sums.
    """
    wanted = np.array([[1 / 2, 1 / 4], [1 / 4, 0]])
    np.testing.assert_allclose(correlated(AUMANN, objective="welfare"), wanted, atol=1e-9)
    for meta in ("mwce", "mwcce"):
        solver = solved(matrix(AUMANN), meta, start=np.array([[1.0, 0], [1, 0]]))
        assert solver.gap < 1e-9 and solver.last.values.sum() == pytest.approx(10.5)
        np.testing.assert_allclose(solver.last.joint, wanted, atol=1e-9)
        assert solver.tree.nash_conv(solver.profile) > 0.1  # apart, the same mixtures are no equilibrium


@pytest.mark.parametrize("coarse", [False, True])
def test_welfare_is_optimal(coarse):
    """Battle of the sexes: 5, always together. Random games: an equilibrium with no less welfare than the most even."""
    assert (correlated([[[3, 0], [0, 2]], [[2, 0], [0, 3]]], coarse, "welfare")[[0, 1], [1, 0]] == 0).all()
    rng = np.random.default_rng(0)
    for shape in ((2, 2), (4, 3), (2, 3, 2)):
        payoffs = rng.normal(size=(len(shape), *shape))
        best, even = correlated(payoffs, coarse, "welfare"), correlated(payoffs, coarse)
        assert (deviations(payoffs, coarse) @ best.ravel()).max() < 1e-9 and best.sum() == pytest.approx(1)
        assert (payoffs * best).sum() >= (payoffs * even).sum() - 1e-9
        if coarse:  # the larger set
            assert (payoffs * best).sum() >= (payoffs * correlated(payoffs, False, "welfare")).sum() - 1e-9


def test_most_even_in_large_tables():
    """More cells than could be constraints of their own: no deviation pays, and by duality none is more even."""
    payoffs = np.random.default_rng(0).normal(size=(3, 14, 14, 14))
    payoffs[0, :7] += 1.0  # half of its actions dominate the others
    joint = correlated(payoffs, coarse=True).ravel()
    gains = deviations(payoffs, True)
    assert joint.min() == 0 and (gains @ joint).max() < 1e-9
    best = equilibria.optimize.linprog(joint, gains, np.zeros(len(gains)), np.ones((1, joint.size)), [1.0])
    assert joint @ joint == pytest.approx(best.fun, abs=1e-9)


def test_replicator_dynamics_equal_openspiel():
    from open_spiel.python.algorithms import projected_replicator_dynamics as prd

    rng = np.random.default_rng(1)
    for shape in ((3, 3), (4, 2), (2, 3, 2)):
        payoffs = rng.normal(size=(len(shape), *shape))
        wanted = prd.projected_replicator_dynamics(list(payoffs), prd_iterations=300, prd_dt=0.2, prd_gamma=0.01)
        for one, other in zip(replicator_dynamics(payoffs, 300, 0.2, 0.01), wanted):
            np.testing.assert_allclose(one, other, atol=1e-9)


def test_payoffs_are_values():
    """Every cell of a meta-game of three players by the tree's values of its profile, in slices of few ends too."""
    solver = solved(kuhn(3), "mgcce", 4)
    for cell in np.ndindex(solver.payoffs.shape[1:]):
        profile = np.concatenate([population[k] for population, k in zip(solver.populations, cell)])
        np.testing.assert_allclose(solver.payoffs[(slice(None), *cell)], kuhn(3).values(profile), atol=1e-12)


def test_slices_change_nothing(monkeypatch):
    whole = solved(kuhn(3), "mgcce", 4)
    monkeypatch.setattr("envsuite.solvers.psro.CHUNK", 200)
    parts = solved(kuhn(3), "mgcce", 4)
    np.testing.assert_allclose(parts.payoffs, whole.payoffs, atol=1e-12)
    np.testing.assert_allclose(parts.last.gaps, whole.last.gaps, atol=1e-9)


def test_exact_responses_as_an_oracle():
    """The same rounds as without one."""

    def exact(player, others):
        profile, other = solver.profile, others.tree.owned(1 - player)
        assert others.seats == {1 - player} and others.joint == pytest.approx(solver.last.joint, abs=1e-15)
        answer = others.tree.best_response(player, profile)[1]
        answer[other] = others.tree.uniform()[other]  # which does not count
        return answer

    solver, plain = PSRO(kuhn(), "nash", oracle=exact), solved(kuhn(), "nash")
    solver.run(20)
    assert solver.gap < 1e-9
    assert [one.gap for one in solver.rounds[:4]] == pytest.approx([one.gap for one in plain.rounds[:4]], abs=1e-9)
    with pytest.raises(ParameterError, match="rows must be probabilities"):
        solved(kuhn(), "nash", 2, oracle=lambda player, others: others.tree.masks * 1.0)


def test_learned_responses():
    """Q-learning against rock learns paper, against paper scissors, and then all are there."""
    tree = Tree(MatrixGame(game="rock_paper_scissors"))
    solver = solved(tree, "nash", 5, start=np.array([[1.0, 0, 0], [1, 0, 0]]), oracle=q_learning(400, 1.0, num=8))
    np.testing.assert_allclose(solver.profile, 1 / 3, atol=1e-9)
    assert len(solver.rounds) == 3


@pytest.mark.slow
def test_learned_responses_in_kuhn_poker():
    solver = solved(kuhn(), "nash", 10, oracle=q_learning(50_000, rate=1.0, power=0.7))
    assert solver.gap < 0.1 < solver.rounds[0].gap
    assert solver.last.values[0] == pytest.approx(-1 / 18, abs=0.05)


def test_given_a_recommendation():
    """An oracle for correlated equilibria sees the others given what is recommended to its player."""
    seen = []

    def note(player, others):
        seen.append((player, others.joint, set(others.seats)))
        return np.array([[0.0, 1], [0, 1]])  # dare

    solved(matrix(AUMANN), "mwce", 3, oracle=note, start=np.array([[1.0, 0], [1, 0]]), tolerance=-1.0)
    wanted = [[[2 / 3, 1 / 3], [0, 0]], [[0, 0], [1, 0]], [[2 / 3, 0], [1 / 3, 0]], [[0, 1], [0, 0]]]
    assert [(player, seats) for player, _, seats in seen] == [(0, {1}), (1, {0}), *[(0, {1})] * 2, *[(1, {0})] * 2]
    np.testing.assert_allclose([joint for _, joint, _ in seen[2:]], wanted, atol=1e-9)


def test_policies_play():
    """Chicken's traffic light: together never a crash; apart one in sixteen. Mean returns as computed; seeds repeat."""
    solver = solved(matrix(AUMANN), "mwce", start=np.array([[1.0, 0], [1, 0]]))
    world = solver.tree.world
    together = play(world, solver.policy(), 4000, seed=1)
    assert together.returns.sum(axis=1).min() >= 9
    np.testing.assert_allclose(together.returns.mean(axis=0), solver.last.values, atol=0.15)
    apart = play(world, [solver.policy("player_0"), solver.policy("player_1")], 4000, seed=1)
    assert (apart.returns.sum(axis=1) == 0).mean() == pytest.approx(1 / 16, abs=0.015)
    assert (play(world, solver.policy(), 4000, seed=1).returns == together.returns).all()
    with pytest.raises(ParameterError, match=r"plays the agents \[1\], not \[0\]"):
        play(world, [solver.policy("player_1"), "random"], 1)


def test_policies_play_episodes():
    """Kuhn poker's value in play; the memory is restored; tournaments take the policies."""
    solver = solved(kuhn(), "nash")
    policies = [solver.policy(name) for name in kuhn().world.agents]
    found = play(kuhn().world, policies, 4000, seed=2)
    assert found.returns[:, 0].mean() == pytest.approx(-1 / 18, abs=0.09)  # four standard errors
    states = []
    for policy in policies:
        policy.reset(3, 5)
        states.append(policy.get_state())
        policy.refresh(np.ones(5, bool))
        assert policy.get_state() != states[-1]
        policy.set_state(states[-1])
        assert policy.get_state() == states[-1]
    table = tournament(kuhn().world, {"psro": solver.policy(), "random": "random"}, episodes=100)
    assert "psro" in repr(table)


def test_progress_and_resuming():
    seen = []
    whole, parts = solved(kuhn(), "nash", 5), PSRO(kuhn())
    parts.run(2, seen.append)
    parts.run(3, seen.append)
    assert seen == parts.rounds and len(seen) == 5
    for one, other in zip(whole.rounds, parts.rounds):
        assert (one.joint == other.joint).all() and one.gap == other.gap


def test_refusals(monkeypatch):
    with pytest.raises(ParameterError, match="meta='mgcc' must be"):
        PSRO(kuhn(), "mgcc")
    with pytest.raises(ParameterError, match="not a zero-sum game of two players"):
        PSRO(kuhn(3), "nash")
    with pytest.raises(TreeError, match="the limit is 10"):
        PSRO(Tree(KuhnPoker(), limit=10))
    with pytest.raises(ParameterError, match="has not run"):
        PSRO(kuhn()).policy()
    with pytest.raises(ParameterError, match="rounds=0 must be 1 or more"):
        PSRO(kuhn()).run(0)
    with pytest.raises(ParameterError, match="must be one of player_0, player_1"):
        solved(kuhn(), "nash", 1).policy("player_2")
    monkeypatch.setattr(equilibria, "ENTRIES", 10)
    with pytest.raises(SolverError, match="4 deviations in 4 cells are more than 10 entries"):
        solved(kuhn(), "mgcce", 2)
