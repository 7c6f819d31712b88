"""Tic-tac-toe: its whole tree, exact values and averages, lockstep with OpenSpiel, m,n,k-games, levels, policy."""

from fractions import Fraction

import kit
import numpy as np
import pytest
from expansion import back_up, histories, mean, results, successors

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.chance import Explorer
from envsuite.games.tic_tac_toe import TicTacToe
from envsuite.kit.board import pieces
from envsuite.kit.lines import find_line
from envsuite.registry import build
from envsuite.solvers.model import extract
from envsuite.solvers.planning import value_iteration

ID = "envsuite/TicTacToe-v0"


@pytest.fixture(scope="module")
def model():
    """All positions of the 3 x 3 game."""
    return extract(TicTacToe())


def test_positions_and_games(model):
    """Counts of OpenSpiel's tests and of our own enumeration: positions, histories, games by result, ends."""
    assert np.bincount(model.records["t"]).tolist() == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]  # 5,478
    counts, ended, games = histories(model)
    assert counts == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]  # 549,946
    assert ended == [0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872]
    assert games == {1.0: 131184, -1.0: 77904, 0.0: 46080}  # 255,168
    ends = results(model)[model.terminal]
    assert [(ends == result).sum() for result in (1, -1, 0)] == [626, 316, 16]


def outcomes(model, choose):
    """The exact probabilities of a win of X, a win of O, and a draw; `choose(ply, children)` picks or averages."""
    ends = [np.array([end == 1, end == -1, end == 0]) * Fraction(1) for end in results(model)]
    return tuple(back_up(model, ends, lambda state, children: choose(model.records["t"][state], children)))


def average(children):
    return np.array([mean([child[k] for child in children]) for k in range(3)])


def test_random_play_exactly(model):
    """737/1260, 121/420, 8/63 (separate, exact dynamic programming; OpenSpiel's tree has X's value, 187/630)."""
    found = outcomes(model, lambda ply, children: average(children))
    assert found == (Fraction(737, 1260), Fraction(121, 420), Fraction(8, 63))


def test_best_replies_to_random_play(model):
    """X wins .99479, draws .00521; O wins .93228, draws .06032 (separate, exact dynamic programming)."""
    chances = {
        0: (0.9947916666666667, 0.0, 0.005208333333333333),
        1: (0.007407407407407408, 0.9322751322751324, 0.06031746031746031),
    }
    for seat, wanted in chances.items():

        def choose(ply, children, seat=seat):
            if ply % 2 != seat:
                return average(children)
            return max(children, key=lambda chances: (chances[0] - chances[1]) * (1 - 2 * seat))

        found = outcomes(model, choose)
        np.testing.assert_allclose([float(chance) for chance in found], wanted, rtol=1e-12)


# (m, n, k): the first player's value, found by an exhaustive search separate from this code.
VALUES = {(3, 3, 3): 0, (3, 4, 3): 1, (2, 4, 3): 0, (4, 3, 3): 1, (3, 3, 2): 1}


@pytest.mark.mostly_slow
@pytest.mark.parametrize("board", VALUES)
def test_values(board):
    """With perfect play."""
    columns, rows, connect = board
    model = extract(TicTacToe(rows=rows, columns=columns, connect=connect))
    value = VALUES[board]
    assert (model.start @ value_iteration(model).values).tolist() == [value, -value]


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("name", "params", "num"),
    [
        ("tic_tac_toe", {}, 1000),
        ("mnk(m=4,n=3,k=3)", dict(rows=3, columns=4, connect=3), 1000),
        ("mnk(m=7,n=9,k=5)", dict(rows=9, columns=7, connect=5), 1000),
    ],
)
def test_equals_openspiel(name, params, num):
    """Random games: mover, legal actions, rewards, ends and both players' planes at every move."""
    import pyspiel

    game = pyspiel.load_game(name)
    batch = kit.started(TicTacToe, num, **params)
    states, results = [game.new_initial_state() for _ in range(num)], set()
    for i, state, _ in kit.lock_step(batch, states, np.random.default_rng(1)):
        # OpenSpiel's planes: empty cells, O's cells, X's cells. Its row 0 is the first row of its planes, as in ours.
        planes = np.array(state.observation_tensor(0)).reshape(3, *batch.world.observation_spaces[0].shape[:2])
        for agent in range(2):
            assert (batch.observations[i, agent, :, :, 0] == planes[2 - agent]).all()
            assert (batch.observations[i, agent, :, :, 1] == planes[1 + agent]).all()
        if state.is_terminal():
            results.add(tuple(state.rewards()))
    assert results >= {(1.0, -1.0), (-1.0, 1.0)}


def test_find_line_and_names():
    """`find_line` finds the line on the board; an action's name is its cell in the text."""
    batch = kit.act(kit.opened(TicTacToe(rows=3, columns=4, connect=3), "b1", "a1", "c2", "a2"), "d3")
    world, s = batch.world, batch.record()
    assert batch.rewards[0].tolist() == [1, -1]
    assert find_line(pieces(s), 3) == [(0, 1), (1, 2), (2, 3)]
    assert world.text(s, 0).splitlines()[:4] == ["3 . . . X", "2 O . X .", "1 O X . .", "  a b c d"]
    assert "You have won" in world.text(s, 0) and "You have lost" in world.text(s, 1)


def test_wrong_levels():
    kit.refuses(
        TicTacToe(),
        ({"moves": ["d1"]}, "move 0 of the level, 'd1', is not a move of this game"),
        ({"moves": ["a1", "a1"]}, "move 1 of the level, 'a1'"),
        ({"moves": [4]}, "move 0 of the level, 4"),
        ({"moves": ["a1", "a2", "b1", "b2", "c1"]}, "is over after 5 moves"),
        ({"moves": ["a1", "a2", "b1", "b2", "a3", "c1", "c2", "b3", "c3"]}, "is over after 9 moves"),
        ({"moves": None}, "cannot be read"),
    )


@pytest.mark.parametrize("seat", [0, 1])
def test_tactical_never_loses(seat):
    """On 3 x 3, against all replies of the other player, with all of its own choices that occur in 64 seeds."""
    world, copies = build(ID), 64
    explorer = Explorer(world, 4096)
    policy = make_policy("tactical", world)
    level, ends = np.array([explorer.starts()[0].record]), []
    for ply in range(9):
        if ply % 2 == seat:
            num = len(level)
            batch = Batch(world, num)
            batch.records[:] = level
            batch.observe()
            policy.reset(ply, num * copies)
            chosen = policy.act_batch(
                np.repeat(batch.observations[:, [seat]], copies, axis=0),
                np.repeat(batch.masks[:, [seat]], copies, axis=0),
                [seat],
            ).reshape(num, copies)
            parents, actions = np.divmod(np.unique(np.arange(num)[:, None] * 9 + chosen), 9)
            batch = Batch(world, len(parents))
            batch.records[:] = level[parents]
            batch.observe()
            batch.actions[:, seat] = actions
            batch.step()
            records, rewards, over = batch.records.copy(), batch.rewards.copy(), batch.over()
        else:
            records, rewards, over = successors(explorer, level)
        ends += rewards[over, seat].tolist()
        level = np.unique(records[~over])
        if len(level) == 0:
            break
    assert set(ends) == {0, 1}  # it draws against the best replies and beats the others


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_tactical_beats_random(seat):
    """On 3 x 3 nearly as often as possible, .9948 and .9323 (above); on 9 x 7 with five in a row, always."""
    assert kit.wins(ID, "tactical", seat, 4000) > (0.95, 0.85)[seat]
    assert kit.wins(ID, "tactical:connect=5", seat, 200, rows=9, columns=7, connect=5) == 1


@pytest.mark.parametrize(
    ("moves", "answers"),
    [
        ([], {"b2"}),  # the center
        (["a1", "a2", "b1", "b2"], {"c1"}),  # a win before a block
        (["a1", "b2", "b1"], {"c1"}),  # a block
        (["b2", "a1", "c3"], {"a3", "c1"}),  # prevents a fork: a row of two, which X must answer on an edge
        (["a1", "b2", "c3"], {"a2", "b1", "b3", "c2"}),  # a corner would let X fork
        (["b2", "a1", "b1", "b3"], {"a3"}),  # the cell of O's fork, which is also a threat
    ],
)
def test_tactical_choices(moves, answers):
    assert kit.choices("tactical", kit.opened(ID, *moves), seeds=20) == answers


def test_scene():
    batch = kit.opened(TicTacToe(), "a1", "a3", "b1", "b3")
    world, s = batch.world, batch.record()
    cells = [world.click(s, 0, x + 1.3, 2.9 - y) for y in range(3) for x in range(3)]
    assert cells == list(range(9))
    assert world.click(s, 0, 0.5, 1) is None and world.click(s, 0, 1, 3.6) is None
    assert {getattr(shape, "glyph", "") for shape in world.scene(s).shapes} >= {"X", "O"}
    batch.step(2)
    faint = [shape for shape in world.scene(s).shapes if "@" in (getattr(shape, "outline", None) or "")]
    assert len(faint) == 2  # both rings; the line of crosses is highlighted
