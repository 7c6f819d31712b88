"""SameGame: MOMAland move by move, all small boards by a second implementation, random play, levels, baselines."""

import itertools
import json
import subprocess
from functools import partial

import kit
import numpy as np
import pytest
from reference_environment import interpreter
from scipy.ndimage import label
from scipy.stats import chisquare

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.same_game import LETTERS, lettered
from envsuite.generators import generate_many
from envsuite.registry import build

ID = "envsuite/SameGame-v0"

started = partial(kit.started, ID)

#: Made by tests/data/recorders/momaland_same_game.py.
RECORDED = json.loads((kit.DATA / "SameGame" / "momaland_same_game.json").read_text())["games"]


def board_level(board):
    return {"board": lettered(board)}


def small(rows, **parameters):
    """A batch of one game on this board of two colors."""
    return started(level={"board": rows}, height=len(rows), width=len(rows[0]), **{"colors": 2, **parameters})


def replay(game):
    """Play a recorded game and compare boards, masks, movers, rewards and ends."""
    names = "height", "width", "colors", "agents", "team", "color_rewards"
    sizes = {name: game[name] for name in names}
    start = np.reshape(game["start"], (game["height"], game["width"]))
    batch = started(level=board_level(start), **sizes)
    total = np.zeros(batch.vector_rewards.shape[1:])
    for k, (move, sums) in enumerate(zip([*game["moves"], None], game["sums"], strict=True)):
        assert kit.checksum(batch.observations[0]) + kit.checksum(batch.masks[0].astype(np.int8)) == sums
        assert batch.over()[0] == (move is None)
        if move is not None:
            assert kit.mover(batch) == k % game["agents"]
            batch.step(move)
            wanted = np.zeros(total.shape)
            for agent, part, paid in game["rewards"][k]:
                wanted[agent, part] = paid
            assert (batch.vector_rewards[0] == wanted).all()
            assert (batch.rewards[0] == wanted.sum(axis=1)).all()
            total += wanted
    assert batch.terminations.all() and not batch.truncations.any()
    assert (batch.records["points"][0] == total).all()


@pytest.mark.parametrize("game", RECORDED, ids=lambda game: f"{game['height']}x{game['width']}")
def test_recorded_games_of_momaland(game):
    """Eight sizes with one to five agents, each reward alone and for the team, by color and in one."""
    replay(game)


@pytest.mark.slow
def test_new_games_of_momaland():
    """24 more games, which MOMAland plays now."""
    recorder = kit.DATA / "recorders" / "momaland_same_game.py"
    done = subprocess.run([interpreter("momaland"), recorder, "1", "3"], check=True, capture_output=True, text=True)
    games = json.loads(done.stdout)["games"]
    assert len(games) == 24
    for game in games:
        replay(game)


# A second implementation: groups by labels of connected regions, falling by sorting.


def groups_of(board):
    """The squares of each group of two or more tiles, as masks."""
    for color in range(1, board.max() + 1):
        regions, count = label(board == color)
        yield from (regions == k + 1 for k in range(count) if (regions == k + 1).sum() > 1)


def after(board, group):
    """The board without a group."""
    left = np.where(group, 0, board)
    left = np.take_along_axis(left, np.argsort(left != 0, axis=0, kind="stable"), axis=0)
    return left[:, np.argsort(~left.any(axis=0), kind="stable")]


def settled_boards(height, width, colors):
    """All boards whose tiles lie as low and as far to the left as they can."""
    full = [c for n in range(1, height + 1) for c in itertools.product(range(1, colors + 1), repeat=n)]
    columns = [(0,) * (height - len(c)) + c for c in full]
    for used in range(1, width + 1):
        for chosen in itertools.product(columns, repeat=used):
            yield np.array([*chosen, *[(0,) * height] * (width - used)]).T


@pytest.mark.slow
def test_all_boards_of_3_x_3():
    """All boards of two colors with a group: masks, each move's board, reward and end.

    A board without a group is that of a checkerboard: 2 colors at the bottom left, times 3 heights of each column.
    """
    boards = [board for board in settled_boards(3, 3, 2) if any(True for _ in groups_of(board))]
    assert len(boards) == 14 + 14**2 + 14**3 - 2 * (3 + 3**2 + 3**3)
    batch = started(len(boards), level=[board_level(board) for board in boards], height=3, width=3, colors=2)
    fresh = batch.records.copy()
    found = [list(groups_of(board)) for board in boards]
    for square in range(9):
        batch.records[:] = fresh
        batch.observe()
        cells = [[group for group in groups if group.flat[square]] for groups in found]
        running = np.array([len(groups) == 1 for groups in cells])
        assert (batch.masks[:, 0, square].astype(bool) == running).all()
        batch.step(square, running)
        for i in np.flatnonzero(running):
            (group,) = cells[i]
            wanted = after(boards[i], group)
            assert (batch.records["board"][i] == wanted).all()
            assert batch.rewards[i, 0] == group.sum() ** 2
            assert batch.terminations[i, 0] == (not any(True for _ in groups_of(wanted)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("height", "colors", "points", "error", "moves"),
    [(5, 3, 113.7, 2.6, 6.0), (8, 3, 456.3, 9.1, 12.6), (15, 5, 762, 27, 61.3)],
)
def test_random_play(height, colors, points, error, moves):
    """Totals and numbers of moves of MOMAland's random play, within 4 standard errors and 3 %."""
    result, lengths = play(build(ID, {"height": height, "width": height, "colors": colors}), ["random"], 4000)
    assert abs(result.mean() - points) < 4 * (error**2 + result.var() / 4000) ** 0.5
    assert abs(lengths.mean() / moves - 1) < 0.03


def test_boards_without_a_group_are_drawn_again():
    """Of ten colors; on 3 x 3 squares, more than a quarter of all boards have no group."""
    batch = started(50, height=3, width=3, colors=10)
    assert batch.masks.any(axis=2).all() and set(batch.records["board"].flat) == set(range(1, 11))


@pytest.mark.slow
def test_starts():
    """All boards with a group are equally likely: 3 x 3 squares of two colors have 510 of them."""
    batch = started(20_000, height=3, width=3, colors=2)
    boards, counts = np.unique(batch.records["board"].reshape(-1, 9), axis=0, return_counts=True)
    assert len(boards) == 510 and set(boards.flat) == {1, 2} and chisquare(counts).pvalue > 1e-4


LEVEL = ["r..", "bb.", "brr"]


def test_objectives():
    """Each agent's own moves or the team's, by color or in one, weighted."""
    for team, color_rewards, weights in itertools.product((False, True), (False, True), (None, (3.0, -2.0))):
        weights = weights if weights is None or color_rewards else weights[:1]
        batch = small(LEVEL, agents=3, team=team, color_rewards=color_rewards, weights=weights)
        kit.act(batch, "1 1")
        paid = [0.0, 9.0] if color_rewards else [9.0]
        wanted = np.array([paid, paid if team else np.zeros(len(paid)), paid if team else np.zeros(len(paid))])
        assert (batch.vector_rewards[0] == wanted).all()
        assert (batch.rewards[0] == wanted @ (weights or np.ones(len(paid)))).all()
        assert not batch.over()[0] and kit.legal(batch, 1) == {"2 0", "2 1", "2 2"}
        assert not batch.masks[0, [0, 2]].any()
    names = list(build(ID, {"colors": 3}).objectives)
    assert names == ["red", "blue", "yellow"] and list(build(ID, {"color_rewards": False}).objectives) == ["points"]
    with pytest.raises(ParameterError, match="1 weights are given for 5"):
        build(ID, {"weights": (1.0,)})


def test_levels():
    batch = small(LEVEL)
    kit.act(batch, "1 1")
    assert batch.world.get_level(batch.record()) == {"board": LEVEL}
    assert lettered(batch.records["board"][0]) == ["...", "...", "rrr"]
    kit.act(batch, "2 2")
    assert batch.terminations.all() and not batch.records["board"].any()
    batch.start(5)
    assert (batch.records["board"] > 0).all()
    kit.refuses(
        batch.world,
        ({}, "a level has 'board', not nothing"),
        ({"board": LEVEL, "player": 1}, "not 'board', 'player'"),
        ({"board": LEVEL[:2]}, "board must be 3 texts of 3 letters"),
        ({"board": ["y..", *LEVEL[1:]]}, "board has the letter 'y'; known: . r b"),
        ({"board": [["r", ".", "."], *LEVEL[1:]]}, "board must be 3 texts of 3 letters"),
        ({"board": "rrr"}, "board must be 3 texts of 3 letters"),
        ({"board": ["r..", "...", "brr"]}, "an empty square below the tile at row 0, column 0"),
        ({"board": ["...", "r.r", "r.r"]}, "an empty column 1 to the left of tiles"),
        ({"board": ["...", "...", "rbr"]}, "no group of two or more tiles"),
    )


def test_generated_levels():
    """The world's own draws: nearly all of the 510 boards of two colors are found, each in one split."""
    sizes = dict(height=3, width=3, colors=2)
    train, test = (
        {"".join(level["board"]) for level in generate_many("SameGame", 2000, split=split, **sizes)}
        for split in ("train", "test")
    )
    assert not train & test and test and len(train | test) > 480


def test_wrong_states():
    batch = kit.act(small(LEVEL), "1 1")
    for field, value, message in (
        ("points", 5, "points are more than"),
        ("board", np.array([[1, 0, 0], [0, 0, 0], [1, 0, 0]]), "a board has an empty square below"),
        ("board", np.array([[0, 0, 0], [0, 0, 0], [1, 2, 0]]), "no group is left"),
        ("start", np.array([[0, 0, 0], [0, 0, 0], [1, 2, 0]]), "start has no group"),
        ("start", np.array([[0, 0, 0], [0, 0, 0], [1, 1, 0]]), "points are more than"),
    ):
        records = batch.records.copy()
        records[field] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text():
    batch = small(["r..", "bb.", "bry"], colors=3, agents=2)
    world, s = batch.world, batch.record()
    text = world.text(s, 0)
    assert text.splitlines()[:4] == ["    0 1 2", " 0  r . .", " 1  b b .", " 2  b r y"]
    assert "Tiles: r red, b blue, y yellow." in text and "The groups: 3 blue at `1 0`." in text
    assert "You are agent_0 and have 0 points (0 red, 0 blue, 0 yellow); agent_1 has 0." in text
    assert "It is your turn" in text and "It is the turn of agent_0." in world.text(s, 1)
    kit.act(batch, "2 0")
    kit.act(batch, "2 1")
    text = world.text(batch.record(), 0)
    assert "The game is over" in text and "9 points (0 red, 9 blue, 0 yellow); agent_1 has 4." in text
    big = started(height=9, width=11)
    text = big.world.text(big.record(), 0)
    assert "The largest groups:" in text and " 0  " in text
    assert text.splitlines()[:2] == ["                        1", "    0 1 2 3 4 5 6 7 8 9 0"]


def test_picture_and_clicks():
    batch = small(LEVEL, agents=2)
    world = batch.world
    legal = {world.action_names[0].index(name) for name in kit.legal(batch, 0)}
    assert kit.clicks(batch, 0) == {None, *legal} and kit.clicks(batch, 1) == {None}
    for height, width in ((3, 30), (30, 3)):
        big = started(height=height, width=width, colors=10)
        assert kit.clicks(big, 0) == {None, *np.flatnonzero(big.masks[0, 0]).tolist()}
        glyphs = {shape.glyph for shape in big.world.scene(big.record()).shapes if getattr(shape, "glyph", "")}
        assert glyphs == set(LETTERS)


def test_baselines():
    """`largest` takes the most tiles; `taboo` leaves the commonest color and begins at the top."""
    rows = ["yy....", "bb.y..", "rrrrbb"]
    batch = small(rows, colors=3)
    assert kit.choices("largest", batch, seeds=5) == {"2 0"}
    assert kit.choices("taboo", batch, seeds=5) == {"0 0"}
    tied = small(["...", "rr.", "bbr"])
    assert kit.choices("largest", tied, seeds=30) == {"1 0", "2 0"}
    assert kit.choices("taboo", tied, seeds=5) == {"2 0"}  # red is the commonest
    assert kit.choices("taboo", small(["r..", "rb.", "rrb"]), seeds=5) == {"0 0"}  # no other group


@pytest.mark.slow
def test_baselines_beat_random():
    """Alone, `taboo` has 60 % more on the usual board and 30 % on 8 x 8 squares; against another, `largest` wins."""
    for sizes, factor in (({}, 1.6), (dict(height=8, width=8, colors=3), 1.3)):
        taboo, random = (kit.played(ID, name, 0, 400, **sizes).mean() for name in ("taboo", "random"))
        assert taboo > factor * random
    largest, random = kit.played(ID, "largest", 0, 400, agents=2).mean(axis=0)
    assert largest > 2 * random
