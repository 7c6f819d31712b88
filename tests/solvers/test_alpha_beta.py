"""Alpha-beta: values against plain minimax, OpenSpiel and solved games; mates; budgets; repeatability; strength."""

import numpy as np
import pytest
from expansion import children

from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.evaluation.matches import play
from envsuite.games.breakthrough import Breakthrough
from envsuite.games.connect_four import ConnectFour
from envsuite.games.kuhn_poker import KuhnPoker
from envsuite.games.othello import Othello
from envsuite.games.tic_tac_toe import TicTacToe
from envsuite.registry import build
from envsuite.solvers.alpha_beta import AlphaBeta, solve
from envsuite.solvers.model import extract
from envsuite.solvers.search import SearchError


def records(world, sequences):
    """The records of a world after these sequences of actions."""
    batch = Batch(world, len(sequences))
    batch.start()
    for k in range(max(map(len, sequences))):
        running = np.array([k < len(moves) for moves in sequences])
        batch.step([[moves[k] if k < len(moves) else 0] for moves in sequences], running)
    return batch.records


def minimax(model):
    """(S,) what the first player gets from each state on, and (S,) the sets of best choices."""
    values, best, after = np.zeros(model.num_states), [], children(model)
    for state in reversed(range(model.num_states)):  # breadth first: what comes after has a higher number
        choices = range(model.first[state], model.first[state + 1])
        worth = [model.rewards[k, 0] + values[after[k]] for k in choices]
        if worth:
            values[state] = max(worth) if model.mover[state] == 0 else min(worth)
        best.append({int(model.actions[k].max()) for k, value in zip(choices, worth) if value == values[state]})
    return values, best[::-1]


def test_tic_tac_toe():
    """All 5,478 positions (OpenSpiel's tests) as by plain minimax; the game is a draw."""
    world = TicTacToe()
    model = extract(world)
    assert model.num_states == 5478
    values, best = minimax(model)
    found = solve(world, model.records)
    assert (found.values == values).all() and found.proven.all()
    assert all(action in actions for action, actions in zip(found.actions, best) if actions)
    assert (solve(world).values, values[0]) == (0.0, 0.0)
    alone = AlphaBeta(world).search(model.records)
    assert (alone.values == values).all() and alone.proven.all()
    assert all(action in actions for action, actions in zip(alone.actions, best) if actions)


def test_small_boards():
    """ConnectFour with 4 columns and 5 rows is a draw (Tromp's table of small boards, and an own solver's).

    Othello on 4 x 4 is won by the second player, 11 to 3 (literature and an own full search).
    """
    found = solve(ConnectFour(rows=5, columns=4))
    assert found.values == 0.0 and 100_000 < found.nodes[0] < 1_000_000
    assert solve(Othello(size=4)).values == -1.0


@pytest.mark.mostly_slow
@pytest.mark.parametrize("weights", [(1.0, 0.0, 0.0, 0.0), (0.1, 0.0, 1.0, 1.0)])
def test_rewards_on_the_way(weights):
    """All positions of Breakthrough on 4 x 3, as by plain minimax, also where captures bring something at once.

    With rewards for a win only the second player wins (an own solver).
    """
    world = Breakthrough(rows=4, columns=3, ranks=2, weights=weights)
    model = extract(world, ignore=["last"])
    values, best = minimax(model)
    assert weights[2] or values[0] == -1.0
    found = solve(world, model.records)
    assert np.abs(found.values - values).max() < 1e-9
    start = AlphaBeta(world, nodes=10**6).search(model.records[:100])
    assert start.proven.all() and np.abs(start.values - values[:100]).max() < 1e-9


def negamax(state, depth):
    """Plain minimax with OpenSpiel's rules: what the first player gets within `depth` plies."""
    if state.is_terminal():
        return state.returns()[0]
    if depth == 0:
        return 0.0
    values = [negamax(state.child(action), depth - 1) for action in state.legal_actions()]
    return max(values) if state.current_player() == 0 else min(values)


def test_depth_equals_openspiel():
    """ConnectFour to a depth of 1 to 5, from positions after random moves."""
    import pyspiel

    world, game, rng = ConnectFour(), pyspiel.load_game("connect_four"), np.random.default_rng(0)
    for depth in range(1, 6):
        states = [game.new_initial_state() for _ in range(60 if depth < 5 else 20)]
        for state in states:
            for _ in range(rng.integers(4, 24)):
                after = state.child(rng.choice(state.legal_actions()))
                if after.is_terminal():
                    break
                state.apply_action(after.history()[-1])
        planner = AlphaBeta(world, depth=depth, nodes=10**6)
        found = planner.search(records(world, [state.history() for state in states]))
        wanted = np.array([negamax(state, depth) for state in states])
        assert (found.values == wanted).all() and len(np.unique(wanted)) == 3
        for state, action, value in zip(states, found.actions, wanted):
            assert negamax(state.child(action), depth - 1) == value
            mine = 1 - 2 * state.current_player()
            if value == mine:  # as quick as it can be won; as slow as it can be lost
                plies = next(k for k in range(1, depth + 1) if negamax(state, k) == value)
                assert negamax(state.child(action), plies - 1) == value
            elif value:
                plies = next(k for k in range(1, depth + 1) if negamax(state, k) == value)
                assert negamax(state.child(action), plies - 2) == 0.0


# Positions of Pons, "Solving Connect 4: how to build a perfect AI", as columns from 1. His score n, of whoever moves,
# says that the winner will have 22 - |n| discs, and is the mover if it is positive.
POSITIONS = {
    "4455": 18,
    "44455554221": -15,
    "2252576253462244111563365343671351441": -1,
    "7422341735647741166133573473242566": 1,
    "23163416124767223154467471272416755633": 0,
}


def test_known_positions():
    """Values; and wins are found at the depth that they take, and not before."""
    for moves, score in POSITIONS.items():
        start = records(ConnectFour(), [[int(column) - 1 for column in moves]])
        mover = len(moves) % 2
        winner = mover if score >= 0 else 1 - mover
        discs = 2 * (22 - abs(score)) - 1 + winner if score else 42  # on the board in the end
        plies = discs - len(moves)
        values = [AlphaBeta(ConnectFour(), depth=depth).search(start).values[0] for depth in (plies - 1, plies)]
        assert values == [0.0, np.sign(score) * (1 - 2 * mover)]
    assert solve(ConnectFour(), start).proven[0]


def test_blocks():
    """The second player stops three in a row, though column 4 is tried first."""
    start = records(ConnectFour(), [[0, 1, 0, 1, 0], [6, 3, 6, 4, 6]])
    found = AlphaBeta(ConnectFour(), depth=2).search(start)
    assert found.actions.tolist() == [0, 6] and not found.proven.any()


def test_only_cloned():
    """Records stay as they are; searches do not depend on each other, on streams, padding or threads."""
    world = ConnectFour()
    start = records(world, [[3], [3, 2], [3, 3], [3, 3, 3, 3, 3]])
    before = start.tobytes()
    found = AlphaBeta(world, nodes=3000).search(start)
    assert start.tobytes() == before
    assert (found.nodes >= 3000).all() and (found.nodes < 3001).all() and not found.proven.any()
    other = start[::-1].copy()
    other["rng"] = 12345
    threaded = AlphaBeta(world, nodes=3000, threads=3)
    again = threaded.search(other)
    threaded.close()
    for name in ("values", "actions", "depths", "nodes"):
        assert (getattr(again, name)[::-1] == getattr(found, name)).all()


def test_budget():
    """More nodes, deeper; the first depth is always searched, so that the action is legal."""
    world = ConnectFour()
    start = records(world, [[0] * 6 + [1] * 6 + [3]])
    depths = [AlphaBeta(world, nodes=nodes).search(start).depths[0] for nodes in (1, 100, 10_000)]
    assert depths[0] == 1 and depths[0] < depths[1] < depths[2]
    assert AlphaBeta(world, nodes=1).search(start).actions[0] not in (0, 1)
    with pytest.raises(SearchError, match="position 0 is not solved after 1000 nodes"):
        solve(world, start, nodes=1000)


@kernel
def lean(s, agent):
    """Likes discs of the agent on the left."""
    liked = 0.0
    for row in range(s.seen.shape[1]):
        for column in range(s.seen.shape[2]):
            liked -= 0.001 * column * (s.seen[agent, row, column, 0] - s.seen[agent, row, column, 1])
    return liked


def test_evaluation():
    """Positions at the horizon are worth what a kernel says: with nothing else in reach, play goes to the left."""
    world = ConnectFour()
    start = records(world, [[], [6]])
    found = AlphaBeta(world, depth=1, evaluation=lean).search(start)
    assert found.actions.tolist() == [0, 0] and found.values.tolist() == [0.0, -0.006]
    assert AlphaBeta(world, depth=1).search(start).actions.tolist() == [3, 3]


def test_strength():
    """Never loses tic-tac-toe, and with 6 plies no game of ConnectFour to random play."""
    world = build("envsuite/TicTacToe-v0")
    perfect = AlphaBeta(world)
    first, second = play(world, [perfect, "random"], 100), play(world, ["random", perfect], 100)
    assert first.returns[:, 0].min() >= 0 and second.returns[:, 1].min() >= 0
    assert not play(world, [perfect, "tactical"], 20).returns.any() and not play(world, perfect, 2).returns.any()
    world = build("envsuite/ConnectFour-v0")
    planner = AlphaBeta(world, depth=6)
    assert play(world, [planner, "random"], 50).outcomes()[0, 0] == 1.0
    won, drawn, _ = play(world, ["tactical", planner], 40).outcomes()[1]
    assert won + drawn > 0.8


def test_refusals():
    with pytest.raises(
        ParameterError, match="KuhnPoker: alpha-beta is for two agents .* chance, imperfect information"
    ):
        AlphaBeta(KuhnPoker())
    with pytest.raises(ParameterError, match="depth=0 must be an integer from 1 to 1024"):
        AlphaBeta(TicTacToe(), depth=0)
    # A captured pawn brings its captor 0.5 and costs the other 0.25.
    world = Breakthrough(rows=4, columns=3, ranks=2, weights=(1.0, 0.0, 0.5, 0.25))
    with pytest.raises(ParameterError, match="Breakthrough: alpha-beta met rewards of a transition whose sum is not 0"):
        solve(world)
