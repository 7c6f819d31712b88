"""Breakthrough: counts, solved small boards, lockstep with OpenSpiel, MOMAland's vector rewards, levels, policy."""

import json

import kit
import numpy as np
import pytest
from expansion import histories, perft

from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.games.breakthrough import CAPTURES, LOSSES, SPEED, WIN, Breakthrough
from envsuite.registry import build
from envsuite.solvers.model import extract
from envsuite.solvers.planning import value_iteration

ID = "envsuite/Breakthrough-v0"


def test_perft():
    """8 x 8 to ply 4: OpenSpiel."""
    assert perft(Breakthrough(), 4) == (22, 484, 11132, 256036)


def test_tree_of_4x2():
    """OpenSpiel's breakthrough(rows=4,columns=2): 1,761 histories; 1,008 are games, and the first player wins 540."""
    counts, ended, games = histories(extract(Breakthrough(rows=4, columns=2), ignore=["last"]))
    assert counts == [1, 4, 16, 40, 84, 216, 396, 508, 368, 128]
    assert ended == [0, 0, 0, 0, 0, 64, 164, 348, 304, 128]
    assert games == {1.0: 540, -1.0: 468}


@pytest.mark.mostly_slow
@pytest.mark.parametrize(("rows", "columns"), [(4, 2), (4, 3), (5, 2)])
def test_second_player_wins(rows, columns):
    """With two ranks of pawns each; found by an exhaustive search in C++ that shares nothing with this code."""
    model = extract(Breakthrough(rows=rows, columns=columns, ranks=2), ignore=["last"])
    assert (model.start @ value_iteration(model).values).tolist() == [-1, 1]


def turned(name, rows):
    """The name of a move with the ranks counted from the other side."""
    return f"{name[0]}{rows + 1 - int(name[1])}{name[2]}{rows + 1 - int(name[3])}"


@pytest.mark.mostly_slow
@pytest.mark.parametrize(("rows", "columns"), [(6, 6), (8, 8), (4, 2)])
def test_equals_openspiel(rows, columns):
    """1,000 random games: mover, legal moves, captures, rewards, ends and both players' planes at every move.

    OpenSpiel's first player starts at the top, on the last rank; ours at the bottom.
    """
    import pyspiel

    game = pyspiel.load_game(f"breakthrough(rows={rows},columns={columns})")
    batch = kit.started(Breakthrough, 1000, rows=rows, columns=columns)
    numbers = [{name: k for k, name in enumerate(names)} for names in batch.world.action_names]
    states = [game.new_initial_state() for _ in range(batch.num)]
    results, swept, captures, pawns = set(), 0, 0, np.zeros(batch.num)

    def ours(i, state):
        mine = numbers[state.current_player()]
        return {action: mine[turned(state.action_to_string(action)[:4], rows)] for action in state.legal_actions()}

    for i, state, action in kit.lock_step(batch, states, np.random.default_rng(1), ours=ours):
        # OpenSpiel's planes: the first player's pawns, the second's, empty squares; its rank 1 is at the top.
        planes = np.array(state.observation_tensor(0)).reshape(3, rows, columns)
        assert (batch.observations[i, 0] == np.stack([planes[0], planes[1]], axis=-1)).all()
        assert (batch.observations[i, 1] == np.stack([planes[1, ::-1], planes[0, ::-1]], axis=-1)).all()
        assert batch.records["pawns"][i].tolist() == planes[:2].sum(axis=(1, 2)).tolist()
        before, pawns[i] = pawns[i], planes[:2].sum()
        if action is None:
            continue
        mover, captured = 1 - batch.records["player"][i], pawns[i] < before
        assert (batch.vector_rewards[i, mover, CAPTURES] > 0) == captured
        assert (batch.vector_rewards[i, 1 - mover, LOSSES] < 0) == captured
        captures += captured
        if state.is_terminal():
            results.add(tuple(state.rewards()))
            swept += not batch.records["pawns"][i].all()
    assert results == {(1.0, -1.0), (-1.0, 1.0)} and captures > 100
    assert swept > 0 or rows > 4  # on the small board, some games end because one side has no pawns


RECORDED = json.loads((kit.DATA / "Breakthrough" / "momaland_breakthrough.json").read_text())


def test_vector_rewards_are_momaland_s():
    """Eight games recorded in MOMAland (see the file): both sides win, at the last rank and by captures."""
    swept = 0
    for game in RECORDED["games"]:
        world = Breakthrough(rows=game["rows"], columns=game["columns"], ranks=2)
        batch = kit.started(world)
        moves = game["moves"].split()
        for ply, move in enumerate(moves):
            assert not batch.over()[0]
            batch.step(world.action_names[ply % 2].index(move))
            wanted = game["rewards"].get(str(ply + 1), np.zeros((2, 4)))
            np.testing.assert_allclose(batch.vector_rewards[0], wanted, rtol=1e-12, atol=0)
            assert batch.rewards[0].tolist() == batch.vector_rewards[0, :, WIN].tolist()  # the default weights
        assert batch.over()[0]
        swept += not batch.records["pawns"][0].all()
    assert swept == 2


def test_weights():
    """Rewards are weighted sums: the same games with four weights, given as parameters and as a batch."""
    chosen = [(1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.5, 0.25, 2.0, 1.0), (-1.0, 0.0, 3.0, -2.0)]
    num, rng = 400, np.random.default_rng(5)
    batch = Batch(Breakthrough(rows=6, columns=6), num)
    batch.start(params=[{"weights": chosen[i % 4]} for i in range(num)])
    weights = np.array(chosen)[np.arange(num) % 4]
    seen = np.zeros(4, bool)
    while not batch.over().all():
        running = ~batch.over()
        batch.step((rng.random(batch.masks.shape) * batch.masks).argmax(axis=2), running)
        found = np.einsum("nam,nm->na", batch.vector_rewards, weights)
        np.testing.assert_allclose(batch.rewards[running], found[running], atol=1e-12)
        seen |= batch.vector_rewards[running].any(axis=(0, 1))
    assert seen.all()
    assert Breakthrough(weights=chosen[2]).reward_range == (-1.0 * 0.5 - 0.25 - 1 / 8, 0.5 + 0.25 + 2 / 8)
    with pytest.raises(ParameterError, match="2 weights are given for 4: win, speed, captures, losses"):
        Breakthrough(weights=(1.0, 0.0))


@pytest.mark.parametrize(("size", "won", "plies", "error"), [(8, 0.4924, 63.998, 0.224), (6, 0.5056, 27.967, 0.123)])
def test_random_play(size, won, plies, error):
    """The first player's wins and the plies of 5,000 random games of OpenSpiel each; within 4 standard errors."""
    num = 20_000
    result, lengths = play(build(ID, {"rows": size, "columns": size}), ["random", "random"], num)
    assert abs((result[:, 0] == 1).mean() - won) < 4 * (0.25 * (1 / num + 1 / 5000)) ** 0.5
    assert abs(lengths.mean() - plies) < 4 * (lengths.var() / num + error**2) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_tactical_beats_random(seat):
    assert kit.wins(ID, "tactical", seat, 1000) > 0.98
    assert kit.wins(ID, "tactical", seat, 1000, rows=5, columns=4) > 0.9


START = ["bbbb", "....", "....", "....", "wwww"]


@pytest.mark.parametrize(
    ("board", "player", "answers"),
    [
        (["...b", "w...", "....", ".b..", "w..."], 0, {"a4a5", "a4b5"}),  # a win comes first
        (["b...", "...b", "....", ".b..", "w.w."], 0, {"a1b2", "c1b2"}),  # otherwise b2 would win
        (["b.b.", ".w..", "....", "....", "w..."], 1, {"a5b4", "c5b4"}),  # the same for the other side
        (["...b", "....", ".b..", "w...", "...w"], 0, {"a2b3"}),  # a pawn that nothing guards
        (["bb..", "....", "w...", "....", "w..w"], 0, {"d1c2", "d1d2", "a1a2", "a1b2"}),  # a4 and b4 would be captured
    ],
)
def test_tactical_choices(board, player, answers):
    batch = kit.started(ID, level={"board": board, "player": player}, rows=5, columns=4)
    assert kit.choices("tactical", batch, seeds=20) <= answers


def test_level():
    """A level is a board and the player to move; the next episode starts from the full ranks again."""
    board = ["b..b", "....", ".wb.", "..w.", "w..."]
    batch = kit.started(Breakthrough, level={"board": board, "player": 1}, rows=5, columns=4)
    assert batch.world.get_level(batch.record()) == {"board": board, "player": 1}
    assert kit.legal(batch, 1) == {"a5a4", "a5b4", "d5d4", "d5c4", "c3b2", "c3d2"}
    batch.start()
    assert batch.world.get_level(batch.record()) == {"board": START, "player": 0}
    assert (batch.observations[0, 0] == batch.observations[0, 1]).all()  # each player sees its own side first


def test_ranks():
    """The default number of ranks is OpenSpiel's: 2, or 1 with fewer than 6 rows."""
    for params, wanted in (
        ({"rows": 6}, 2),
        ({"rows": 5}, 1),
        ({"rows": 5, "ranks": 2}, 2),
        ({"rows": 6, "ranks": 1}, 1),
    ):
        batch = kit.started(Breakthrough, **params)
        assert batch.records["pawns"].tolist() == [[8 * wanted] * 2]
        assert batch.observations[0, 0, :wanted, :, 0].all()
    with pytest.raises(ParameterError, match="2 ranks of pawns each need 4 rows; there are 3"):
        Breakthrough(rows=3, ranks=2)


def test_wrong_levels():
    kit.refuses(
        Breakthrough(rows=5, columns=4),
        ({"board": START[:4], "player": 0}, "board must be 5 texts of 4 letters"),
        ({"board": [*START[:4], "WWWW"], "player": 0}, "board has the letter 'W'; known: . w b"),
        ({"board": START, "player": 2}, "player=2 must be an integer from 0 to 1"),
        ({"board": START, "player": False}, "player=False must be an integer from 0 to 1"),
        ({"board": ["....", *START[1:]], "player": 0}, "0 pawns 'b'; 1 to 4 are allowed"),
        ({"board": [*START[:3], "...w", "wwww"], "player": 0}, "5 pawns 'w'; 1 to 4 are allowed"),
        ({"board": ["bbbw", "....", "....", "....", "www."], "player": 0}, "is over: a pawn 'w' is at its goal"),
        ({"board": ["bbb.", "....", "....", "....", "wwwb"], "player": 0}, "is over: a pawn 'b' is at its goal"),
        ({"board": START}, "a level has 'board' and 'player', not 'board'"),
        ({"board": 5, "player": 0}, "board must be 5 texts of 4 letters"),
    )


def test_speed_counts_moves_of_the_episode():
    """A win at the first move of a level gives 1 - 1 / most, with most = 2 x 1 x 4 x 3 + 1."""
    level = {"board": ["....", "w...", "...b", "....", "...."], "player": 0}
    batch = kit.act(kit.started(Breakthrough, level=level, rows=5, columns=4, weights=(0.0, 1.0, 0.0, 0.0)), "a4a5")
    assert batch.vector_rewards[0, 0].tolist() == [1, 1 - 1 / 25, 0, 0]
    assert batch.rewards[0].tolist() == [24 / 25, -24 / 25]
    assert batch.vector_rewards[0, :, SPEED].sum() == 0


def test_text_and_scene():
    level = {"board": ["b..b", "....", ".wb.", "..w.", "w..."], "player": 0}
    batch = kit.started(Breakthrough, level=level, rows=5, columns=4)
    world, s = batch.world, batch.record()
    assert world.text(s, 0).splitlines()[2:4] == ["3 . w b .", "2 . . w ."]
    assert "moving up, with 3 pawns against 3. It is your turn" in world.text(s, 0)
    assert "black (b), moving down" in world.text(s, 1) and "other player's" in world.text(s, 1)
    names = world.action_names[0]
    b3, b4, c2, d3, c3 = (2.4, 2.9), (2.4, 1.9), (3.4, 3.9), (4.4, 2.9), (3.4, 2.9)
    assert names[world.drag(s, 0, b3, b4)] == "b3b4" and names[world.drag(s, 0, c2, d3)] == "c2d3"
    # The other's pawn on c3 is straight ahead; b4 is empty; it is not the other's turn.
    assert [world.drag(s, *move) for move in ((0, c2, c3), (0, b4, b3), (1, c3, b3))] == [None] * 3
    before = len(world.scene(s).shapes)
    kit.act(batch, "b3b4")
    assert len(world.scene(s).shapes) == before + 2  # the squares of the move
    kit.act(batch, "a5b4")
    assert batch.records["pawns"].tolist() == [[2, 3]]
