"""Connect Four: counts of positions, in lock step with OpenSpiel, random play, other sizes, levels, baseline."""

import numpy as np
import pyspiel
import pytest

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError
from envsuite.evaluation.matches import play
from envsuite.games.connect_four import ConnectFour
from envsuite.kit.lines import find_line
from envsuite.registry import build

ID = "envsuite/ConnectFour-v0"

# Move sequences of 1 to 8 plies (OpenSpiel 2.0; the same as John Tromp's counts up to the first lines at ply 7).
PERFT = (7, 49, 343, 2401, 16807, 117649, 823536, 5673234)

CHUNK = 16_384


class Expander:
    """All successors of many records, with a batch of fixed size."""

    def __init__(self):
        self.batch = Batch(ConnectFour(), CHUNK)

    def __call__(self, records):
        """The successors of running records; chunk by chunk, and where the game goes on."""
        for first in range(0, len(records), CHUNK // 7):
            chunk = records[first : first + CHUNK // 7]
            parents = np.repeat(np.arange(len(chunk)), 7)
            batch, num = self.batch, len(parents)
            batch.records[:num] = chunk[parents]
            batch.observe(slice(num))
            column = np.tile(np.arange(7), len(chunk))
            legal = batch.masks[np.arange(num), batch.records["player"][:num], column] == 1
            batch.actions[:num] = column[:, None]
            batch.step(where=np.flatnonzero(legal))
            yield batch.records[:num][legal], ~batch.terminations[:num, 0][legal]


@pytest.mark.slow
def test_perft():
    expand = Expander()
    expand.batch.start()
    level = expand.batch.records[:1].copy()
    counts = []
    for _ in range(6):
        found = list(expand(level))
        counts.append(sum(len(records) for records, _ in found))
        level = np.concatenate([records[running] for records, running in found])
    # The last two plies are only counted: they would fill a gigabyte.
    sevenths = eighths = 0
    for records, running in expand(level):
        sevenths += len(records)
        heights = records["heights"][running]
        eighths += int((heights < 6).sum())
    assert (*counts, sevenths, eighths) == PERFT


def test_perft_of_openspiel():
    """The first six plies again, from OpenSpiel's game."""
    level = [pyspiel.load_game("connect_four").new_initial_state()]
    for wanted in PERFT[:5]:
        level = [state.child(action) for state in level if not state.is_terminal() for action in state.legal_actions()]
        assert len(level) == wanted
    assert sum(len(state.legal_actions()) for state in level) == PERFT[5]


def test_equals_openspiel():
    """1,000 random games: mover, legal actions, rewards, ends and both players' planes at every move."""
    num = 1000
    game = pyspiel.load_game("connect_four")
    rng = np.random.default_rng(1)
    batch = Batch(ConnectFour(), num)
    batch.start()
    states = [game.new_initial_state() for _ in range(num)]
    running = np.ones(num, bool)
    results = set()
    while running.any():
        for i in np.flatnonzero(running):
            mover = states[i].current_player()
            assert np.flatnonzero(batch.masks[i, mover]).tolist() == states[i].legal_actions()
            assert not batch.masks[i, 1 - mover].any()
            batch.actions[i] = rng.choice(states[i].legal_actions())
            states[i].apply_action(int(batch.actions[i, 0]))
        batch.step(where=running)
        for i in np.flatnonzero(running):
            over = states[i].is_terminal()
            assert batch.terminations[i].tolist() == [over, over] and not batch.truncations[i].any()
            assert batch.rewards[i].tolist() == states[i].rewards()
            # OpenSpiel's planes: discs of the first player, discs of the second, empty cells; from the bottom row.
            planes = np.array(states[i].observation_tensor(0)).reshape(3, 6, 7)
            for agent in range(2):
                assert (batch.observations[i, agent, :, :, 0] == planes[agent]).all()
                assert (batch.observations[i, agent, :, :, 1] == planes[1 - agent]).all()
            if over:
                assert not batch.masks[i].any()
                results.add(tuple(states[i].rewards()))
        running = ~batch.over()
    assert results >= {(1.0, -1.0), (-1.0, 1.0)}


def test_random_play():
    """OpenSpiel's random games, 5,000,000 of them: .5559, .4415, .00261 and 21.3154 +- .004 plies; within 4 errors."""
    num = 100_000
    result, lengths = play(ID, ["random", "random"], num)
    for rate, wanted in zip([(result[:, 0] == reward).mean() for reward in (1, -1, 0)], (0.5559, 0.4415, 0.00261)):
        assert abs(rate - wanted) < 4 * (wanted * (1 - wanted) * (1 / num + 1 / 5e6)) ** 0.5
    assert abs(lengths.mean() - 21.3154) < 4 * (lengths.var() / num + 0.004**2) ** 0.5


def has_line(board, connect):
    """A slow reading of the rule: a line of equal discs, tried from every cell in every direction."""
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


@pytest.mark.parametrize(("rows", "columns", "connect"), [(4, 5, 3), (5, 16, 5), (3, 4, 5), (2, 9, 2)])
def test_other_sizes(rows, columns, connect):
    """Random games against a slow reference, on boards small, wide, and too small for any line."""
    rng = np.random.default_rng(2)
    num = 100 if columns < 16 else 8
    batch = Batch(ConnectFour(rows=rows, columns=columns, connect=connect), num)
    batch.start()
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


FAR = [
    (connect, [(row + k * up, column + k * right) for k in range(connect)])
    for connect, row, column, up, right in (
        (4, 0, 0, 1, 1), (4, 12, 12, 1, 1), (4, 0, 12, 1, 1), (4, 12, 0, 1, 1), (4, 0, 15, 1, -1), (4, 12, 3, 1, -1),
        (4, 12, 15, 1, -1), (4, 15, 12, 0, 1), (4, 12, 15, 1, 0), (16, 0, 0, 1, 1), (16, 0, 15, 1, -1),
        (16, 15, 0, 0, 1), (16, 0, 15, 1, 0),
    )
]  # fmt: skip


def test_lines_far_from_the_corner():
    """Lines in all corners of the largest board, put there cell by cell: the last disc ends the game, none before."""
    for connect, cells in FAR:
        batch = Batch(ConnectFour(rows=16, columns=16, connect=connect), 1)
        batch.start()
        for k, (row, column) in enumerate(cells):
            batch.records["heights"][0, column] = row
            batch.records["player"] = 0
            batch.observe()
            batch.step(column)
            assert batch.over()[0] == (k == connect - 1)
            assert batch.observations[0, 0, row, column].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ([7], "move 0 of the level, 7, is not a move of this game"),
        ([-1], "-1, is not a move"),
        ([0.5], "0.5, is not a move"),
        ([True], "True, is not a move"),
        ([3] * 7, "move 6 of the level, 3, is illegal"),
        ([0, 1, 0, 1, 0, 1, 0], "is over after 7 moves"),
        ([0, 1, 0, 1, 0, 1, 0, 1], "is over"),
        (None, "cannot be read"),
    ],
)
def test_wrong_levels(moves, message):
    with pytest.raises(LevelError, match=message):
        Batch(ConnectFour(), 1).set_level(0, {"moves": moves})


def test_full_level():
    """A board of 3 x 4 that no line of 5 can end, full but for one cell, is a level; full, it is none."""
    moves = [c for c in range(4) for _ in range(3)]
    batch = Batch(ConnectFour(rows=3, columns=4, connect=5), 1)
    batch.set_level(0, {"moves": moves[:-1]})
    with pytest.raises(LevelError, match="is over after 12 moves"):
        batch.set_level(0, {"moves": moves})


@pytest.mark.parametrize("seat", [0, 1])
def test_tactical_beats_random(seat):
    """In more than 95 of 100 games, from both seats."""
    names = ["tactical" if k == seat else "random" for k in range(2)]
    assert (play(ID, names, 4000)[0][:, seat] == 1).mean() > 0.95


def test_tactical_on_another_board():
    result, _ = play(build(ID, {"rows": 4, "columns": 5, "connect": 3}), ["random", "tactical:connect=3"], 2000)
    assert (result[:, 1] == 1).mean() > 0.7


@pytest.mark.parametrize(
    ("moves", "answer"),
    [
        ([], 3),  # the centre
        ([3, 0, 3, 0, 3, 0], 3),  # a win of one's own, before blocking column 0
        ([3, 0, 3, 1, 3], 3),  # a block
        ([1, 6, 2, 6], {0, 3, 4, 5}),  # not column 6 again, and not a random one
        ([0, 6, 1, 5, 2], 3),  # a block in a row
    ],
)
def test_tactical_choices(moves, answer):
    world = build(ID)
    batch = Batch(world, 1)
    batch.start(levels={"moves": moves})
    policy = make_policy("tactical", world)
    policy.reset(0, 1)
    mover = len(moves) % 2
    chosen = policy.act(batch.observations[0, mover], batch.masks[0, mover], mover)
    assert chosen in (answer if isinstance(answer, set) else {answer})


def test_tactical_gives_no_win_above():
    """The centre would let the other win just above it: column 2 or 4 it is."""
    world = build(ID)
    batch = Batch(world, 1)
    # Second row: the other (second) player holds columns 0, 1, 2; column 3 is empty, so (1, 3) is theirs to win.
    batch.start(levels={"moves": [0, 0, 1, 1, 6, 2, 2, 6, 5, 2]})
    s = batch.records
    s["seen"][:] = 0
    for row, column, owner in [(0, 0, 0), (0, 1, 1), (0, 2, 0), (1, 0, 1), (1, 1, 1), (1, 2, 1)]:
        s["seen"][0, owner, row, column, 0] = 1
        s["seen"][0, 1 - owner, row, column, 1] = 1
    s["heights"][0] = [2, 2, 2, 0, 0, 0, 0]
    s["player"] = 0
    batch.observe()
    policy = make_policy("tactical", world)
    policy.reset(0, 1)
    assert policy.act(batch.observations[0, 0], batch.masks[0, 0], 0) in (2, 4)


def test_text_and_scene():
    world = ConnectFour()
    batch = Batch(world, 1)
    batch.start(levels={"moves": [0, 1, 0, 1, 0, 1]})
    assert world.text(batch.record(), 0).splitlines()[3] == "X O . . . . ."
    assert "your turn" in world.text(batch.record(), 0) and "other player's" in world.text(batch.record(), 1)
    assert world.click(batch.record(), 0, 7.4, 2.0) == 6 and world.click(batch.record(), 0, 0.4, 2.0) is None
    before = len(world.scene(batch.record()).shapes)
    batch.step(0)
    assert "You have won" in world.text(batch.record(), 0) and "You have lost" in world.text(batch.record(), 1)
    assert len(world.scene(batch.record()).shapes) == before + 4
