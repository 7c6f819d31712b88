"""Columns of solvers: exact values of known games, and the same numbers however episodes are divided."""

import numpy as np
import pytest

from envsuite.core.errors import ParameterError
from envsuite.data import record, recorded
from envsuite.data.solved import judge_of
from envsuite.registry import build
from envsuite.solvers.cfr import CFRPlus
from envsuite.solvers.game_tree import Tree

COLUMNS = [
    "episode",
    "step",
    "agent",
    "action",
    "value",
    "best",
    "best_action",
    "regret",
    "return_to_go",
    "observation",
]


@pytest.fixture(scope="module")
def toe(tmp_path_factory):
    return record("TicTacToe", "random", 80, tmp_path_factory.mktemp("data") / "toe")


def test_tabular_values_of_tic_tac_toe(toe):
    rows = next(toe.batches(10**6, COLUMNS))
    plan = toe.plan(["regret"])
    assert plan.columns["regret"].notes["solver"] == "tabular: exact, 5478 states"  # the number of positions
    first = rows["step"] == 0
    assert (rows["value"][first] == 0).all() and rows["best"][first].all()  # a draw, whatever the first move
    # A reply to the centre loses if and only if it is at an edge; one to a corner unless it is the centre.
    opening = np.zeros(80, int)
    opening[rows["episode"][first]] = rows["action"][first]
    reply = rows["step"] == 1
    o, x = rows["action"][reply], opening[rows["episode"][reply]]
    lost = np.where(x == 4, o % 2 == 1, o != 4)
    sure = (x == 4) | np.isin(x, (0, 2, 6, 8))
    assert sure.sum() > 20 and (rows["regret"][reply] == lost)[sure].all()
    # Play without regret is worth what it was: values change by regrets alone.
    assert (rows["best"] == (rows["regret"] == 0)).all() and set(rows["regret"].tolist()) <= {0.0, 1.0, 2.0}
    for episode in range(80):
        mine = rows["episode"] == episode
        values, regrets = rows["value"][mine], rows["regret"][mine]
        after = np.append(-values[1:], rows["return_to_go"][mine][-1])
        assert (values - regrets == after).all()


def test_action_values_of_kuhn_poker():
    """The mean over the deals of what the first player gets is -1/18 in equilibrium (Kuhn 1950)."""
    tree = Tree(build("KuhnPoker"))
    solver = CFRPlus(tree)
    solver.run(3000)
    for profile, value in ((solver.average, -1 / 18), (tree.uniform(), tree.values(tree.uniform())[0])):
        values = tree.action_values(profile)
        assert np.isnan(values[~tree.masks]).all()
        openings = tree.form.parents == 0  # the first player's sets at its first move, one for each card
        assert openings.sum() == 3
        assert (profile * values)[openings].sum() / 3 == pytest.approx(value, abs=1e-3)
    # Three of them by hand, against uniform play. A bet with the king: called or not, 2 or 1.
    by_card = {
        int(obs[2:5].argmax()): row
        for obs, row in zip(tree.observations[openings], tree.action_values(tree.uniform())[openings])
    }
    assert by_card[2][1] == pytest.approx((1 + 2) / 2)
    assert by_card[0][1] == pytest.approx((1 - 2) / 2)
    # The jack passes; half of the time the other bets, and then half of the time it calls.
    assert by_card[0][0] == pytest.approx((-1 + (-1 - 2) / 2) / 2)


def test_cfr_judges_kuhn_poker(tmp_path):
    data = record("KuhnPoker", "random", 300, tmp_path / "kuhn")
    rows = next(data.batches(10**6, [*COLUMNS, "mask"]))
    assert data.plan(["best"]).columns["best"].notes["solver"].startswith("cfr+: 1000 iterations, exploitability")
    card = rows["observation"][:, 2:5].argmax(axis=1)
    facing_bet = (rows["step"] == 1) & (rows["observation"].sum(axis=1) > 0)
    king, jack = rows["agent"] * 0 + card == 2, card == 0
    bets = np.zeros(300, bool)
    first = rows["step"] == 0
    bets[rows["episode"][first]] = rows["action"][first] == 1
    answer = facing_bet & bets[rows["episode"]]
    assert (rows["best_action"][answer & king] == 1).all() and (
        rows["regret"][answer & king & (rows["action"] == 0)] == 3
    ).all()
    assert (rows["best_action"][answer & jack] == 0).all() and (
        rows["regret"][answer & jack & (rows["action"] == 1)] == 1
    ).all()
    assert (answer & king).any() and (answer & jack).any()


def test_searches_are_functions_of_the_episodes(toe, monkeypatch):
    columns = ["regret", "value", "best_action"]
    whole = next(toe.batches(10**6, columns, solver="mcts:simulations=60"))
    exact = next(toe.batches(10**6, columns))
    monkeypatch.setattr(recorded, "_BYTES", 20_000)
    parts = next(toe.batches(10**6, columns, solver="mcts:simulations=60"))
    for name in columns:
        assert whole[name].tobytes() == parts[name].tobytes()
    assert (whole["regret"] == 0)[exact["regret"] == 0].mean() < 1.0
    assert np.corrcoef(whole["regret"], exact["regret"])[0, 1] > 0.6


def test_solvers_that_do_not_fit():
    for world, solver, message in (
        ("TicTacToe", "minimax", "there is no solver 'minimax'"),
        ("TicTacToe", "tabular:states=3", "must be tabular:limit=N"),
        ("TicTacToe", "auto:x=1", "'auto' without parameters"),
        ("MatrixGame", "tabular", "for agents that take turns"),
        ("Harvest", "auto", "MCTS would look at what the agent cannot know"),
    ):
        with pytest.raises(ParameterError, match=message):
            judge_of(build(world), solver)
    assert judge_of(build("ConnectFour")).name == "mcts: 200 simulations"
