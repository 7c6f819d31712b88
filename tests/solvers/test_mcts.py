"""Monte Carlo tree search: strength, what it must not know, and repeatability."""

import gymnasium
import numpy as np
import pytest
from expansion import children
from kit import started

import envsuite
from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import AgentError, ParameterError
from envsuite.evaluation.matches import play
from envsuite.games.connect_four import ConnectFour
from envsuite.games.goofspiel import Goofspiel
from envsuite.games.kuhn_poker import KuhnPoker
from envsuite.games.matrix_game import MatrixGame
from envsuite.registry import build
from envsuite.solvers.mcts import MCTS
from envsuite.solvers.model import extract
from envsuite.solvers.planning import value_iteration


def planner(world, simulations, seed=0, num=1, **options):
    made = MCTS(world, simulations, **options)
    made.reset(seed, num)
    return made


@pytest.mark.slow
def test_plays_tic_tac_toe_well_everywhere():
    """In all 4,520 positions where somebody moves (5,478 less 958 ends, OpenSpiel's tests) the value is kept."""
    world = build("envsuite/TicTacToe-v0")
    model = extract(world)
    best = value_iteration(model).values
    running = np.flatnonzero(~model.terminal)
    assert len(running) == 4520
    mover = model.mover[running]
    worth = model.table(
        (model.rewards + best[children(model)])[np.arange(len(model.states)), model.mover[model.states]]
    )
    found = planner(world, 1000, num=len(running)).search(model.records[running], mover)
    assert (found.visits.sum(axis=1) == 1000).all()
    assert ((found.visits > 0) == ~np.isnan(worth[running])).all()
    wanted = best[running, mover]
    kept = worth[running, found.actions] == wanted
    assert (~kept).sum() <= 5
    # With three cells left the tree is soon complete, and means come near the values.
    late = model.records["count"][running] >= 6
    assert kept[late].all() and np.abs(np.nanmax(found.values, axis=1) - wanted)[late].max() < 0.1


def test_tic_tac_toe():
    """Never loses to random play, nor to the rules of thumb that never lose; and draws against itself."""
    world = build("envsuite/TicTacToe-v0")
    mcts = MCTS(world, 1000)
    first, second = play(world, [mcts, "random"], 200), play(world, ["random", mcts], 200)
    assert first.returns[:, 0].min() >= 0 and first.returns[:, 0].mean() > 0.9
    assert second.returns[:, 1].min() >= 0 and second.returns[:, 1].mean() > 0.8
    assert not play(world, [mcts, "tactical"], 50).returns.any()
    assert not play(world, ["tactical", mcts], 50).returns.any()
    assert not play(world, mcts, 50).returns.any()


@pytest.mark.slow
def test_connect_four():
    """At least 99 of 100 games against random play, most against the scripted baseline, and more with its rollouts."""
    world = build("envsuite/ConnectFour-v0")
    mcts = MCTS(world, 1000)
    against_random = [play(world, [mcts, "random"], 50).outcomes()[0], play(world, ["random", mcts], 50).outcomes()[1]]
    assert min(share[0] for share in against_random) >= 0.99
    scripted = MCTS(world, 200, rollouts="tactical")
    for searcher, least in ((mcts, 0.7), (scripted, 0.8)):
        won = play(world, [searcher, "tactical"], 40).outcomes()[0, 0]
        assert won + play(world, ["tactical", searcher], 40).outcomes()[1, 0] > 2 * least


def test_principal_variation():
    """d1 and e1 are X's with both sides free (X: c, O: e on top): it takes c or f, and wins on the other side."""
    batch = started(ConnectFour(), level={"moves": [3, 3, 4, 4]})
    found = planner(batch.world, 20_000).search(batch.records, 0)
    assert found.actions[0] in (2, 5) and found.values[0].max() > 0.9
    (first, second, third) = found.variations[0][:3]
    assert first == (0, found.actions[0]) and second[0] == 1
    lines = {2: {1, 5}, 5: {2, 6}}[int(found.actions[0])]
    assert third[0] == 0 and third[1] in lines - {second[1]}
    assert 3 * 20_000 <= found.steps[0] <= 38 * 20_000


def test_only_cloned():
    """Records stay as they are; the random stream is not looked at; threads and the batch change nothing."""
    world = ConnectFour()
    batch = started(world, 6)
    for column in (3, 2, 3):
        batch.step(column)
    before = batch.records.tobytes()
    mcts = planner(world, 300, seed=5, num=6)
    found = mcts.search(batch.records, 1)
    assert batch.records.tobytes() == before
    assert len(np.unique(found.visits, axis=0)) == 6  # a stream for each
    threaded = planner(world, 300, seed=5, num=6, threads=4)
    again = threaded.search(batch.records, 1)
    threaded.close()
    assert (again.visits == found.visits).all() and again.variations == found.variations
    for i in range(6):  # copy i of a batch is the single world seeded with seed + i
        alone = planner(world, 300, seed=5 + i).search(batch.records[0], 1)
        assert (alone.visits[0] == found.visits[i]).all()
    state = mcts.get_state()
    later = mcts.search(batch.records, 1)
    assert (later.visits != found.visits).any()
    mcts.set_state(state)
    assert (mcts.search(batch.records, 1).visits == later.visits).all()


def test_true_future_is_not_known():
    """Two worlds in which other prizes will be turned up are the same to the search."""
    world = Goofspiel(cards=4)
    one, other = (started(world, seed=seed, level={"prizes": [2]}) for seed in (1, 2))
    prizes = []
    for batch in (one, other):
        ahead = Batch(world, 1)
        ahead.records[:] = batch.records
        ahead.observe()
        ahead.step([[0, 1]])
        prizes.append(int(ahead.records["order"][0, 1]))
    assert prizes[0] != prizes[1]
    found = [planner(world, 500).search(batch.records, 0) for batch in (one, other)]
    assert (found[0].visits == found[1].visits).all()


def test_simultaneous_moves():
    """Both defect; visits come near a mixed equilibrium; and goofspiel is won from random play."""
    world = MatrixGame()
    searched = planner(world, 500, num=2).search(np.repeat(started(world).records, 2), [0, 1])
    assert [world.action_names[0][k] for k in searched.actions] == ["defect", "defect"]
    # 3 p - (1 - p) = (1 - p) - p, so p = 1/3 for both, and the value is 1/3.
    table = np.array([[3.0, -1.0], [-1.0, 1.0]])
    world = MatrixGame("custom", payoffs=[table.tolist(), (-table).tolist()])
    searched = planner(world, 50_000, num=2).search(np.repeat(started(world).records, 2), [0, 1])
    shares = searched.visits[:, 0] / 50_000
    # A tenth of all choices is random.
    assert np.abs(shares - 1 / 3).max() < 0.05
    mean = np.nansum(searched.values * searched.visits, axis=1) / 50_000
    assert np.abs(mean - [1 / 3, -1 / 3]).max() < 0.05
    goofspiel = build("envsuite/Goofspiel-v0", {"cards": 4})
    searcher = MCTS(goofspiel, 300)
    first, second = play(goofspiel, [searcher, "random"], 200), play(goofspiel, ["random", searcher], 200)
    assert min(first.returns[:, 0].mean(), second.returns[:, 1].mean()) > 0.3


@pytest.mark.slow
def test_kuhn_poker():
    """Calls with the best card, folds the worst to a bet, wins from random play, and knows no other card."""
    world = KuhnPoker()
    mcts = MCTS(world, 300)
    for card, wanted in ((0, "pass"), (2, "bet")):
        batch = started(world, level={"cards": [1, card]})
        batch.actions[0, 0] = 1
        batch.step()
        assert world.action_names[1][mcts.search(batch.records, 1).actions[0]] == wanted
    hidden = [planner(world, 300).search(started(world, level={"cards": [1, k]}).records, 0) for k in (0, 2)]
    assert (hidden[0].visits == hidden[1].visits).all() and hidden[0].visits.all()
    for seat, policies in enumerate(([mcts, "random"], ["random", mcts])):
        returns = play(world, policies, 2000).returns[:, seat]
        assert returns.mean() > 4 * returns.std() / 2000**0.5


def test_interfaces():
    """In PettingZoo's loop, as an opponent by name, and in vectors."""
    world = ConnectFour()
    mcts = planner(world, 50)
    env = envsuite.make_aec("envsuite/ConnectFour-v0")
    env.reset(seed=0)
    for agent in env.agent_iter():
        ended = env.terminations[agent]
        env.step(None if ended else mcts.move(env))
    env.reset(seed=0)
    with pytest.raises(AgentError, match="player_1 does not act now"):
        mcts.move(env, "player_1")
    seat = gymnasium.make("envsuite/ConnectFour-v0", opponents=make_policy("mcts:simulations=50", world))
    seat.reset(seed=0)
    _, _, ended, _, info = seat.step(3)
    while not ended:
        _, reward, ended, _, info = seat.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert reward in (-1.0, 0.0, 1.0)
    envs = envsuite.make_vec("envsuite/ConnectFour-v0", 4)
    envs.reset(seed=0)
    totals = envs.rollout({"player_0": mcts, "player_1": "random"}, 60, seed=0)
    assert totals.returns[0] > 0.5


def test_refusals():
    world = build("envsuite/TicTacToe-v0")
    with pytest.raises(ParameterError, match="Goofspiel hides things from its agents and has no kernel `guess`"):
        MCTS(Goofspiel(players=3, hidden_bids=True))
    with pytest.raises(ParameterError, match="simulations=0 must be an integer from 1"):
        MCTS(world, 0)
    with pytest.raises(ParameterError, match="MCTS: exploration=-1 must be a finite number of 0 or more"):
        MCTS(world, exploration=-1)
    with pytest.raises(LookupError, match="no policy 'tactica'; did you mean 'tactical'"):
        MCTS(world, rollouts="tactica")
    with pytest.raises(ParameterError, match="policy 'mcts' has no parameter 'simulation'; did you mean 'simulations'"):
        make_policy("mcts:simulation=3", world)
    batch = started(world)
    with pytest.raises(ParameterError, match="mcts searches clones of the world, not observations"):
        MCTS(world).act(batch.observations[0, 0], batch.masks[0, 0])
    with pytest.raises(ParameterError, match="these are no records of ConnectFour"):
        MCTS(ConnectFour()).search(batch.records, 0)
