"""Connect Four: counts of positions, lockstep with OpenSpiel, random play, other sizes, levels, baseline."""

import json
import subprocess

import kit
import numpy as np
import pytest
from expansion import perft, spiel_perft
from reference_environment import interpreter

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.connect_four import ConnectFour
from envsuite.kit.lines import find_line

ID = "envsuite/ConnectFour-v0"

# Move sequences of 1 to 8 plies (OpenSpiel 2.0; equal to John Tromp's counts up to the first lines at ply 7).
PERFT = (7, 49, 343, 2401, 16807, 117649, 823536, 5673234)


@pytest.mark.slow
def test_perft():
    import pyspiel

    assert perft(ConnectFour(), 8) == PERFT
    assert spiel_perft(pyspiel.load_game("connect_four"), 6) == PERFT[:6]


def test_equals_openspiel():
    """1,000 random games: mover, legal actions, rewards, ends and both players' planes at every move."""
    import pyspiel

    game = pyspiel.load_game("connect_four")
    batch = kit.started(ConnectFour, 1000)
    states, results = [game.new_initial_state() for _ in range(batch.num)], set()
    for i, state, _ in kit.lock_step(batch, states, np.random.default_rng(1)):
        # OpenSpiel's planes: discs of the first player, discs of the second, empty cells; from the bottom row.
        planes = np.array(state.observation_tensor(0)).reshape(3, 6, 7)
        for agent in range(2):
            assert (batch.observations[i, agent, :, :, 0] == planes[agent]).all()
            assert (batch.observations[i, agent, :, :, 1] == planes[1 - agent]).all()
        if state.is_terminal():
            results.add(tuple(state.rewards()))
    assert results >= {(1.0, -1.0), (-1.0, 1.0)}


def test_random_play():
    """OpenSpiel's 5,000,000 random games: .5559, .4415, .00261 and 21.3154 +- .004 plies; within 4 errors."""
    num = 100_000
    result, lengths = play(ID, ["random", "random"], num)
    for rate, wanted in zip([(result[:, 0] == reward).mean() for reward in (1, -1, 0)], (0.5559, 0.4415, 0.00261)):
        assert abs(rate - wanted) < 4 * (wanted * (1 - wanted) * (1 / num + 1 / 5e6)) ** 0.5
    assert abs(lengths.mean() - 21.3154) < 4 * (lengths.var() / num + 0.004**2) ** 0.5


#: Made by tests/data/recorders/momaland_connect_four.py.
RECORDED = json.loads((kit.DATA / "ConnectFour" / "momaland_connect_four.json").read_text())["games"]


def replay(game):
    """Play a game of MOMAland: nothing is paid before its end, and then the same objectives, weighted."""
    weights = (1.0, 0.5, *range(game["columns"]))
    size = {"rows": game["rows"], "columns": game["columns"]}
    batch = kit.started(ID, **size, objectives=True, weights=weights)
    for move in game["moves"]:
        assert not batch.over()[0] and not batch.vector_rewards.any()
        batch.step(move)
    assert batch.over()[0]
    assert batch.vector_rewards[0] == pytest.approx(np.array(game["rewards"]), abs=1e-15)
    assert batch.rewards[0] == pytest.approx(np.array(game["rewards"]) @ weights, abs=1e-12)


def test_recorded_games_of_momaland():
    """Six games of each of five sizes, among them draws and wins of both players."""
    assert {game["rewards"][0][0] for game in RECORDED} == {-1, 0, 1}
    for game in RECORDED:
        replay(game)


@pytest.mark.slow
def test_new_games_of_momaland():
    """100 more games, which MOMAland plays now."""
    recorder = kit.DATA / "recorders" / "momaland_connect_four.py"
    done = subprocess.run([interpreter("momaland"), recorder, "1", "20"], check=True, capture_output=True, text=True)
    games = json.loads(done.stdout)["games"]
    assert len(games) == 100
    for game in games:
        replay(game)


def test_objectives_of_random_play():
    """MOMAland's 300 random games, player 0: won .087 and speed .054 in the mean; ours within 4 of their errors."""
    for part, wanted, spread in ((0, 0.087, 1.0), (1, 0.054, 0.5)):
        weights = np.eye(9)[part].tolist()
        returns, _ = play(ConnectFour(objectives=True, weights=weights), ["random", "random"], 20_000)
        assert 0 < returns[:, 0].mean() and abs(returns[:, 0].mean() - wanted) < 4 * spread / 300**0.5


def test_weights_without_objectives():
    with pytest.raises(ParameterError, match="objectives=True"):
        ConnectFour(weights=(1.0,))
    with pytest.raises(ParameterError, match="2 weights are given for 9"):
        ConnectFour(objectives=True, weights=(1.0, 2.0))


def has_line(board, connect):
    """A slow implementation of the rule: look for a line of equal discs from every cell in every direction."""
    rows, columns = len(board), len(board[0])
    for row in range(rows):
        for column in range(columns):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + k * up, column + k * right) for k in range(connect)]
                if all(0 <= y < rows and 0 <= x < columns for y, x in cells):
                    if len({board[y][x] for y, x in cells} | {0}) == 2 and board[row][column]:
                        if all(board[y][x] for y, x in cells):
                            return True
    return False


def follow(rows, columns, connect, num):
    """Random games against a slow reference."""
    rng = np.random.default_rng(2)
    batch = kit.started(ConnectFour(rows=rows, columns=columns, connect=connect), num)
    boards = np.zeros((num, rows, columns), int)
    running = np.ones(num, bool)
    while running.any():
        movers = batch.records["player"].copy()
        for i in np.flatnonzero(running):
            legal = np.flatnonzero(boards[i, -1] == 0)
            assert np.flatnonzero(batch.masks[i, movers[i]]).tolist() == legal.tolist()
            batch.actions[i] = rng.choice(legal)
            column = batch.actions[i, 0]
            boards[i, (boards[i, :, column] != 0).sum(), column] = movers[i] + 1
        batch.step(where=running)
        for i in np.flatnonzero(running):
            won = has_line(boards[i].tolist(), connect)
            assert bool(find_line(boards[i], connect)) == won
            assert batch.over()[i] == (won or bool(boards[i].all()))
            assert batch.rewards[i, movers[i]] == won and batch.rewards[i, 1 - movers[i]] == -won
            for agent in range(2):
                assert (batch.observations[i, agent, :, :, 0] == (boards[i] == agent + 1)).all()
                assert (batch.observations[i, agent, :, :, 1] == (boards[i] == 2 - agent)).all()
        running = ~batch.over()
    assert batch.terminations.all()


@pytest.mark.parametrize(("rows", "columns", "connect"), [(4, 5, 3), (5, 16, 5), (3, 4, 5), (2, 9, 2)])
def test_other_sizes(rows, columns, connect):
    """Boards that are small, wide, or too small for any line."""
    follow(rows, columns, connect, 100 if columns < 16 else 8)


@pytest.mark.parametrize(("rows", "columns", "connect", "num"), [(4, 5, 3, 2), (3, 4, 5, 1)])
def test_a_few_games(rows, columns, connect, num):
    """Games that end by a line, and one that fills a board too small for any."""
    follow(rows, columns, connect, num)


FAR = [
    (connect, [(row + k * up, column + k * right) for k in range(connect)])
    for connect, row, column, up, right in (
        (4, 0, 0, 1, 1), (4, 12, 12, 1, 1), (4, 0, 12, 1, 1), (4, 12, 0, 1, 1), (4, 0, 15, 1, -1), (4, 12, 3, 1, -1),
        (4, 12, 15, 1, -1), (4, 15, 12, 0, 1), (4, 12, 15, 1, 0), (16, 0, 0, 1, 1), (16, 0, 15, 1, -1),
        (16, 15, 0, 0, 1), (16, 0, 15, 1, 0),
    )
]  # fmt: skip


def test_lines_far_from_the_corner():
    """Lines in all corners of the largest board, cell by cell: the last disc ends the game, and no disc before it."""
    for connect, cells in FAR:
        batch = kit.started(ConnectFour(rows=16, columns=16, connect=connect))
        for k, (row, column) in enumerate(cells):
            batch.records["heights"][0, column] = row
            batch.records["player"] = 0
            batch.observe()
            batch.step(column)
            assert batch.over()[0] == (k == connect - 1)
            assert batch.observations[0, 0, row, column].tolist() == [1, 0]


def test_wrong_levels():
    kit.refuses(
        ConnectFour(),
        ({"moves": [7]}, "move 0 of the level, 7, is not a move of this game"),
        ({"moves": [-1]}, "-1, is not a move"),
        ({"moves": [0.5]}, "0.5, is not a move"),
        ({"moves": [True]}, "True, is not a move"),
        ({"moves": [3] * 7}, "move 6 of the level, 3, is illegal"),
        ({"moves": [0, 1, 0, 1, 0, 1, 0]}, "is over after 7 moves"),
        ({"moves": [0, 1, 0, 1, 0, 1, 0, 1]}, "is over"),
        ({"moves": None}, "cannot be read"),
    )
    # No line of 5 fits on 3 x 4. The board with one empty cell is a level; the full board is none.
    moves, world = [c for c in range(4) for _ in range(3)], ConnectFour(rows=3, columns=4, connect=5)
    kit.started(world, level={"moves": moves[:-1]})
    kit.refuses(world, ({"moves": moves}, "is over after 12 moves"))


def test_the_next_game_has_no_moves_of_a_level():
    batch = kit.started(ConnectFour, level={"moves": [3, 3, 4]})
    assert batch.world.get_level(batch.record()) == {"moves": [3, 3, 4]}
    batch.start()
    s = batch.record()
    assert batch.world.get_level(s) == {"moves": []} and (s.player, s.count, s.won) == (0, 0, 0)
    assert batch.masks[0].tolist() == [[1] * 7, [0] * 7] and not batch.observations.any()


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_tactical_beats_random(seat):
    """It wins more than 95 of 100 games from both seats, also with other sizes."""
    assert kit.wins(ID, "tactical", seat, 4000) > 0.95
    assert seat == 0 or kit.wins(ID, "tactical:connect=3", seat, 2000, rows=4, columns=5, connect=3) > 0.7


@pytest.mark.parametrize(
    ("moves", "answers"),
    [
        ([], {3}),  # the center
        ([3, 0, 3, 0, 3, 0], {3}),  # its own win comes before blocking column 0
        ([3, 0, 3, 1, 3], {3}),  # a block
        ([1, 6, 2, 6], {0, 3, 4, 5}),  # not column 6 again, and not a random one
        ([0, 6, 1, 5, 2], {3}),  # a block in a row
    ],
)
def test_tactical_choices(moves, answers):
    batch = kit.started(ID, level={"moves": moves})
    assert kit.choices("tactical", batch) <= {batch.world.action_names[0][k] for k in answers}


def test_tactical_gives_no_win_above():
    """The center would let the other win just above it, so the policy plays column 2 or 4."""
    # In the second row, the second player holds columns 0, 1, 2. Column 3 is empty, so it would win at (1, 3).
    batch = kit.started(ID, level={"moves": [0, 0, 1, 1, 6, 2, 2, 6, 5, 2]})
    s = batch.records
    s["seen"][:] = 0
    for row, column, owner in [(0, 0, 0), (0, 1, 1), (0, 2, 0), (1, 0, 1), (1, 1, 1), (1, 2, 1)]:
        s["seen"][0, owner, row, column, 0] = 1
        s["seen"][0, 1 - owner, row, column, 1] = 1
    s["heights"][0] = [2, 2, 2, 0, 0, 0, 0]
    s["player"] = 0
    batch.observe()
    assert kit.choices("tactical", batch) <= {batch.world.action_names[0][k] for k in (2, 4)}


def test_text_and_scene():
    batch = kit.started(ConnectFour, level={"moves": [0, 1, 0, 1, 0, 1]})
    world = batch.world
    assert world.text(batch.record(), 0).splitlines()[3] == "X O . . . . ."
    assert "your turn" in world.text(batch.record(), 0) and "other player's" in world.text(batch.record(), 1)
    assert world.click(batch.record(), 0, 7.4, 2.0) == 6 and world.click(batch.record(), 0, 0.4, 2.0) is None
    before = len(world.scene(batch.record()).shapes)
    batch.step(0)
    assert "You have won" in world.text(batch.record(), 0) and "You have lost" in world.text(batch.record(), 1)
    assert len(world.scene(batch.record()).shapes) == before + 4


def test_records_whose_discs_hang_in_the_air_are_refused():
    """`heights`, `seen` and `count` of one record belong together."""
    batch = kit.started("ConnectFour", level={"moves": [3, 3, 2, 0]})
    other = kit.started("ConnectFour", level={"moves": [3, 2, 2, 6]})
    held = batch.records.copy()
    words = "the discs do not lie in columns of these heights"
    changes = (
        lambda r: r["heights"].__setitem__(0, other.records["heights"][0]),
        lambda r: r["seen"].__setitem__(0, other.records["seen"][0]),
        lambda r: r["heights"][0].__setitem__(slice(3, 5), [1, 1]),
        lambda r: r["seen"][0, 1].__setitem__(Ellipsis, 0),
        lambda r: r["seen"][0, 0].__setitem__(Ellipsis, r["seen"][0, 1]),
        lambda r: r["seen"][0, :, 0, 3].__setitem__(Ellipsis, 1),
        lambda r: r["seen"][0, :, 0, 3].__setitem__(Ellipsis, 0),
        lambda r: r["seen"][0, :, 5, 6].__setitem__(Ellipsis, 1),
        lambda r: r["seen"].__setitem__(0, 0),
        lambda r: r["seen"].__setitem__(0, 1),
    )
    for change in changes:
        records = held.copy()
        change(records)
        with pytest.raises(SnapshotError, match=words), batch.restored(records.tobytes()):
            pass
    with batch.restored(held.tobytes()):
        pass
