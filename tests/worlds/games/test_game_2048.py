"""Game2048: OpenSpiel in lock-step, exact values of 2 x 2, known scores, rules by example, levels."""

import itertools
from functools import cache

import kit
import numpy as np
import pytest

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.game_2048 import DOWN, LEFT, RIGHT, UP, slide
from envsuite.registry import build

ID = "envsuite/Game2048-v0"


def numbers(board):
    return np.where(board > 0, 2 ** board.astype(int), 0)


@pytest.mark.parametrize("max_tile", [2048, 64])
def test_openspiel(max_tile):
    """Random games: boards, legal moves, rewards and ends; OpenSpiel gets our new tiles.

    To it, moves are illegal that only join a tile of the step before with another one, so it can end too early.
    """
    import pyspiel

    game, rng = pyspiel.load_game("2048", {"max_tile": max_tile}), np.random.default_rng(max_tile)
    reached, joined = 0, False
    for seed in range(6):
        batch, state = kit.started(ID, 1, seed, max_tile=max_tile), game.new_initial_state()
        for cell in np.flatnonzero(batch.records["board"][0]):
            state.apply_action(int(2 * cell + (batch.records["board"][0].flat[cell] == 2)))
        while not state.is_terminal():
            board = batch.records["board"][0]
            assert (np.array(state.observation_tensor()).reshape(4, 4) == numbers(board)).all()
            legal = np.flatnonzero(batch.masks[0, 0]).tolist()
            assert set(state.legal_actions()) <= set(legal)
            for extra in set(legal) - set(state.legal_actions()):
                assert joined and (numbers(board).max(initial=0) < max_tile)
                assert after(tuple(map(tuple, board.tolist())), extra)[1] > 0
            action = int(rng.choice(state.legal_actions()))
            slid = board.copy()
            slide(slid, 4, action)
            state.apply_action(action)
            batch.step(action)
            new = np.flatnonzero(batch.records["board"][0] != slid)
            assert len(new) == 1 and slid.flat[new[0]] == 0
            assert batch.rewards[0, 0] == state.rewards()[0]
            if not state.is_terminal():
                state.apply_action(int(2 * new[0] + (batch.records["board"][0].flat[new[0]] == 2)))
            joined = batch.rewards[0, 0] > 0
            assert batch.over()[0] == state.is_terminal() or joined
        assert batch.records["score"][0] == state.returns()[0]
        reached += (numbers(batch.records["board"][0]) == max_tile).any()
    assert reached if max_tile == 64 else not reached


# A second implementation, and all boards of 2 x 2.


def slid(rows):
    """Rows with their tiles slid to the left, and the sum of the new tiles."""
    total, found = 0, []
    for row in rows:
        tiles, made = [tile for tile in row if tile], []
        while tiles:
            if len(tiles) > 1 and tiles[0] == tiles[1]:
                made.append(tiles[0] + 1)
                total += 2 ** made[-1]
                tiles = tiles[2:]
            else:
                made.append(tiles.pop(0))
        found.append((*made, *[0] * (len(row) - len(made))))
    return tuple(found), total


def turned(rows):
    """Rows a quarter turn to the left."""
    return tuple(zip(*rows))[::-1]


def after(rows, action):
    """A board after a slide, and the sum of the new tiles."""
    turns = {LEFT: 0, UP: 1, RIGHT: 2, DOWN: 3}[action]
    for _ in range(turns):
        rows = turned(rows)
    rows, total = slid(rows)
    for _ in range((4 - turns) % 4):
        rows = turned(rows)
    return rows, total


def test_a_second_implementation():
    rng = np.random.default_rng(0)
    for size, action in itertools.product(range(2, 7), range(4)):
        for _ in range(20):
            board = rng.integers(0, 4, (size, size)).astype(np.int8)
            expected, total = after(tuple(map(tuple, board.tolist())), action)
            assert slide(board, size, action) == total and board.tolist() == [list(row) for row in expected]


def exact(four, choose):
    """The expected score of 2 x 2, with `choose` of the values of the legal moves."""

    def additions(rows):
        empty = [k for k in range(4) if not rows[k // 2][k % 2]]
        for k, (tile, chance) in itertools.product(empty, ((1, 1 - four), (2, four))):
            flat = [*rows[0], *rows[1]]
            flat[k] = tile
            yield (tuple(flat[:2]), tuple(flat[2:])), chance / len(empty)

    @cache
    def value(rows):
        moves = [after(rows, action) for action in range(4)]
        values = [
            total + sum(chance * value(new) for new, chance in additions(then)) for then, total in moves if then != rows
        ]
        return choose(values) if values else 0.0

    first = ((0, 0), (0, 0))
    return sum(chance * more * value(two) for one, chance in additions(first) for two, more in additions(one))


@pytest.mark.slow
def test_exact_values():
    """The page's values of 2 x 2; random play and the planner earn what they should."""
    mean, best = exact(0.1, lambda values: sum(values) / len(values)), exact(0.1, max)
    assert (round(mean, 2), round(best, 2)) == (19.66, 66.96)
    returns = {name: play(build(ID, dict(size=2)), name, 4000).returns[:, 0] for name in ("random", "planner")}
    assert abs(returns["random"].mean() - mean) < 4 * returns["random"].std() / 4000**0.5
    assert returns["planner"].mean() < best + 4 * returns["planner"].std() / 4000**0.5
    assert returns["planner"].mean() > mean + 0.5 * (best - mean)


@pytest.mark.slow
def test_scores():
    """Random play against an implementation in C++ (1095.3); the baselines are better in their order."""
    world = build(ID, dict(max_tile=0))
    found = [
        play(world, name, games).returns[:, 0] for name, games in (("random", 2000), ("corner", 300), ("greedy", 300))
    ]
    assert abs(found[0].mean() - 1095.3) < 4.5 * found[0].std() / 2000**0.5
    planner = play(world, "planner", 8).returns.mean()
    assert found[0].mean() * 1.8 < min(found[1].mean(), found[2].mean()) and planner > 3 * found[2].mean()


def test_rules():
    for row, then, total in (
        ([2, 2, 2, 2], [4, 4, 0, 0], 8),
        ([2, 2, 4, 0], [4, 4, 0, 0], 4),
        ([4, 2, 2, 0], [4, 4, 0, 0], 4),
        ([2, 2, 2, 0], [4, 2, 0, 0], 4),
        ([0, 2, 0, 2], [4, 0, 0, 0], 4),
    ):
        batch = kit.started(ID, level={"tiles": [row, [0] * 4, [0] * 4, [0] * 4]})
        batch.step(LEFT)
        board = numbers(batch.records["board"][0])
        assert batch.rewards[0, 0] == total == batch.records["score"][0]
        # A new tile has appeared somewhere in an empty cell.
        assert all(now in (old, 2, 4) if old == 0 else now == old for old, now in zip(then, board[0]))
        assert (board > 0).sum() == np.count_nonzero(then) + 1
    still = kit.started(ID, level={"tiles": [[2, 4, 0, 0], [0] * 4, [0] * 4, [0] * 4]})
    assert kit.legal(still) == {"right", "down"}
    last = kit.started(ID, max_tile=16, level={"tiles": [[8, 8, 0, 0], [0] * 4, [0] * 4, [0] * 4]})
    last.step(LEFT)
    assert last.terminations.all() and last.rewards[0, 0] == 16


def test_new_tiles():
    """Cells and numbers of the first two tiles."""
    boards = kit.started(ID, 4000, four=0.3).records["board"]
    assert ((boards > 0).sum(axis=(1, 2)) == 2).all()
    counts = (boards > 0).sum(axis=0)
    assert abs(counts - 500).max() < 5 * 500**0.5
    assert abs((boards == 2).sum() / 8000 - 0.3) < 5 * (0.21 / 8000) ** 0.5


def test_levels():
    rows = [[0] * 4] * 3
    kit.refuses(
        build(ID),
        ({"tiles": rows}, "tiles must be 4 lists of 4 integers from 0 to 1024"),
        ({"tiles": [*rows, [2, 0, 0, 3]]}, "tile 3 must be 0 or a power of 2 from 2 to 1024"),
        ({"tiles": [*rows, [2, 0, 0, True]]}, r"tiles\[3\]\[3\]=True must be an integer from 0 to 1024"),
        ({"tiles": [*rows, [0, 0, 0, 2048]]}, r"tiles\[3\]\[3\]=2048 must be an integer from 0 to 1024"),
        ({"tiles": [[2, 4, 2, 4], [4, 2, 4, 2]] * 2}, "no tile of this level can move"),
        ({"board": []}, "'tiles', not 'board'"),
    )
    level = {"tiles": [*rows, [2, 0, 8, 1024]]}
    batch = kit.started(ID, level=level)
    assert batch.world.get_level(batch.record()) == level
    assert batch.world.text(batch.record(), 0).endswith("Score: 0.")
    for wrong in (dict(max_tile=100), dict(max_tile=2), dict(size=7)):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            build(ID, wrong)
    records = batch.records.copy()
    records["board"] = np.arange(16).reshape(4, 4) % 2 + np.arange(4)[:, None] % 2 * 2 + 1
    with pytest.raises(SnapshotError, match="no tile can move"):
        batch.world.admit(records)
