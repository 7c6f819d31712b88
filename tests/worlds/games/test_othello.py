"""Othello: counts of moves, 4 x 4 solved, lockstep with OpenSpiel, passes, levels, baseline."""

from dataclasses import replace

import kit
import numpy as np
import pytest
from expansion import histories, perft

from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError
from envsuite.evaluation.matches import play
from envsuite.games.othello import Othello
from envsuite.solvers.model import extract
from envsuite.solvers.planning import value_iteration

ID = "envsuite/Othello-v0"


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("size", "counts"),
    [
        # OpenSpiel to ply 8, and Aart Bik's perft table for Reversi.
        (8, (4, 12, 56, 244, 1396, 8200, 55092, 390216)),
        # Our own program in C++, which shares nothing with this code and gives the numbers above on 8 x 8.
        (6, (4, 12, 56, 244, 1364, 7604, 47740, 308716)),
    ],
)
def test_perft(size, counts):
    assert perft(Othello(size=size), 8) == counts


def test_4x4():
    """All positions: counts of move sequences; the second player wins 11 to 3 (the same C++ program; literature)."""
    model = extract(Othello(size=4), ignore=["last"])
    counts, ended, _ = histories(model)
    leaves = np.array(counts) + np.cumsum([0, *ended[:-1]])  # complete games count at every later ply
    # A pass is a ply.
    assert leaves[:14].tolist() == [
        1, 4, 12, 44, 128, 424, 1256, 3624, 9116, 20044, 36540, 50704, 57436, 59564,
    ]  # fmt: skip
    assert (model.start @ value_iteration(model).values).tolist() == [-1, 1]
    first, second = model.records["counts"].T
    margins = np.where(model.terminal, first - second, 0)[model.transitions.indices]
    played_for_discs = replace(model, rewards=np.stack([margins, -margins], axis=1))
    assert (model.start @ value_iteration(played_for_discs).values).tolist() == [-8, 8]


@pytest.mark.slow
def test_equals_openspiel():
    """1,000 random games: mover, legal actions, passes, rewards, ends and both players' planes at every move."""
    import pyspiel

    game = pyspiel.load_game("othello")
    batch = kit.started(Othello, 1000)
    states = [game.new_initial_state() for _ in range(batch.num)]
    results, passes = set(), 0
    for i, state, action in kit.lock_step(batch, states, np.random.default_rng(1)):
        passes += action == 64
        # OpenSpiel's planes: empty squares, those of the first player, those of the second; from the top row.
        planes = np.array(state.observation_tensor(0)).reshape(3, 8, 8)
        for agent in range(2):
            assert (batch.observations[i, agent, :, :, 0] == planes[1 + agent]).all()
            assert (batch.observations[i, agent, :, :, 1] == planes[2 - agent]).all()
        assert batch.records["counts"][i].tolist() == planes[1:].sum(axis=(1, 2)).tolist()
        if state.is_terminal():
            results.add(tuple(state.rewards()))
    assert results == {(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)} and passes > 100


def slow_turned(board, row, column, mover):
    """The rule, cell by cell: the discs that a new disc here encloses."""
    size, turned = len(board), []
    for up in (-1, 0, 1):
        for right in (-1, 0, 1):
            y, x, line = row + up, column + right, []
            while (up or right) and 0 <= y < size and 0 <= x < size and board[y, x] == 3 - mover:
                line.append((y, x))
                y, x = y + up, x + right
            if 0 <= y < size and 0 <= x < size and board[y, x] == mover:
                turned += line
    return turned if board[row, column] == 0 else []


def follow(size, seed, num):
    """Moves and the discs that they turn, on random boards full of discs, with lines along every edge."""
    rng = np.random.default_rng(seed)
    world = Othello(size=size)
    batch = Batch(world, num)
    boards, movers = rng.integers(0, 3, (num, size, size)), rng.integers(0, 2, num)
    for i in range(num):
        level = ["".join(".XO"[disc] for disc in row) for row in boards[i]]
        try:
            batch.set_level(i, {"board": level, "player": int(movers[i])})
        except LevelError:
            cells = [(row, column, mover) for row in range(size) for column in range(size) for mover in (1, 2)]
            assert not any(slow_turned(boards[i], *cell) for cell in cells)
            boards[i] = 0
            boards[i, :2, :2], movers[i] = [[1, 2], [2, 1]], 0
            batch.set_level(i, {"board": ["".join(".XO"[disc] for disc in row) for row in boards[i]], "player": 0})
    batch.start()
    assert (batch.observations[:, 0] == np.stack([boards == 1, boards == 2], axis=-1)).all()
    for i in range(num):
        moves = [
            row * size + column
            for row in range(size)
            for column in range(size)
            if slow_turned(boards[i], row, column, movers[i] + 1)
        ]
        legal = moves or [size * size]
        assert np.flatnonzero(batch.masks[i, movers[i]]).tolist() == legal
        assert not batch.masks[i, 1 - movers[i]].any()
        batch.actions[i] = move = rng.choice(legal)
        if moves:
            row, column = divmod(move, size)
            for y, x in [*slow_turned(boards[i], row, column, movers[i] + 1), (row, column)]:
                boards[i, y, x] = movers[i] + 1
    batch.step()
    assert (batch.observations[:, 0] == np.stack([boards == 1, boards == 2], axis=-1)).all()
    assert (batch.observations[:, 1] == batch.observations[:, 0, :, :, ::-1]).all()


@pytest.mark.parametrize(("size", "seed"), [(4, 1), (6, 2), (8, 3)])
def test_equals_a_slow_reading(size, seed):
    follow(size, seed, 300)


def test_a_few_boards():
    follow(6, 2, 6)


def test_random_play():
    """3,000 random games of OpenSpiel: .44967 and .506 won, .04433 drawn, 60.369 +- .035 plies; within 4 errors."""
    num = 20_000
    result, lengths = play(ID, ["random", "random"], num)
    for rate, wanted in zip([(result[:, 0] == reward).mean() for reward in (1, -1, 0)], (0.44967, 0.506, 0.04433)):
        assert abs(rate - wanted) < 4 * (wanted * (1 - wanted) * (1 / num + 1 / 3000)) ** 0.5
    assert abs(lengths.mean() - 60.369) < 4 * (lengths.var() / num + 0.035**2) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("size", [8, 6])
@pytest.mark.parametrize("seat", [0, 1])
def test_positional_beats_random(size, seat):
    assert kit.wins(ID, "positional", seat, 2000, size=size) > 0.9


def test_positional_choices():
    """Corners come first; a win is taken at once; squares beside an empty corner are a last resort."""
    for board in (
        ["......", ".O....", "..X...", "..OX..", "......", "......"],
        [".OX...", "......", "..O...", "......", "......", "......"],
    ):
        batch = kit.started(ID, level={"board": board, "player": 0}, size=6)
        assert kit.choices("positional", batch) == {"a1"}


def test_level():
    """A level is a board and the player to move; the next episode has the usual start, with black at e4 and d5."""
    board = ["." * 8] * 5 + ["OOOX....", "." * 8, "XXXO...."]
    batch = kit.started(Othello, level={"board": board, "player": 1})
    assert batch.world.get_level(batch.record()) == {"board": board, "player": 1}
    assert kit.legal(batch, 1) == {"e6"}
    batch.start()
    start = ["." * 8] * 3 + ["...OX...", "...XO..."] + ["." * 8] * 3
    assert batch.world.get_level(batch.record()) == {"board": start, "player": 0}
    assert kit.legal(batch, 0) == {"d3", "c4", "f5", "e6"}


def test_level_with_a_pass():
    """A player that cannot move passes, even at the start."""
    batch = kit.started(Othello, level={"board": ["XO..", "....", "....", "...."], "player": 1}, size=4)
    world, s = batch.world, batch.record()
    assert np.flatnonzero(batch.masks[0, 1]).tolist() == [16] and not batch.masks[0, 0].any()
    assert "must pass" in world.text(s, 1) and world.click(s, 1, 3, 3) == 16
    batch.step(16)
    assert np.flatnonzero(batch.masks[0, 0]).tolist() == [2]
    batch.step(2)
    assert batch.terminations.all() and batch.rewards[0].tolist() == [1, -1]
    assert "You have won" in world.text(s, 0) and "You are white (O) with 0 discs" in world.text(s, 1)


def test_wrong_levels():
    start = ["....", ".XO.", ".OX.", "...."]
    kit.refuses(
        Othello(size=4),
        ({"board": ["...."] * 3, "player": 0}, "board must be 4 texts of 4 letters"),
        ({"board": ["....", ".xo.", ".ox.", "...."], "player": 0}, "board has the letter 'o'; known: X O ."),
        ({"board": ["....", ".XO.", ".OX.", "..."], "player": 0}, "board must be 4 texts of 4 letters"),
        ({"board": start, "player": 2}, "player=2 must be an integer from 0 to 1"),
        ({"board": start, "player": True}, "player=True must be an integer from 0 to 1"),
        ({"board": ["XXXX"] * 4, "player": 0}, "is over: neither player can move"),
        ({"board": start}, "a level has 'board' and 'player', not 'board'"),
        ({"board": None, "player": 0}, "board must be 4 texts of 4 letters"),
    )


def test_scene():
    """The picture shows discs, their numbers and the legal squares; a click plays the square under it."""
    world = Othello()
    batch = kit.started(world)
    s = batch.record()
    shapes = world.scene(s).shapes
    assert [shape.text for shape in shapes if getattr(shape, "bold", False)] == ["2", "2"]
    assert sum(getattr(shape, "glyph", "") == "+" for shape in shapes) == 4
    for square, (x, y) in {0: (1, 0.5), 19: (4.4, 2.9), 63: (8.8, 8.3)}.items():
        assert world.click(s, 0, x, y) == square
    assert world.click(s, 0, 0.5, 3) is None and world.click(s, 0, 3, 8.5) is None
    lines = world.text(s, 0).splitlines()
    assert lines[0] == "  a b c d e f g h" and lines[4] == "4 . . . O X . . ."
