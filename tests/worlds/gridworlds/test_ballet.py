"""Ballet: lengths of the source's episodes, exact random play, dances, choices, draws, baselines, levels, texts."""

from itertools import combinations

import kit
import numpy as np
import pytest

from envsuite.evaluation.matches import play
from envsuite.gridworlds.ballet import DANCES, NAMES, OFFSETS
from envsuite.kit.figures import COLORS, DOWN, MOVES, PLACE_COLUMN, PLACE_ROW, RIGHT, SHAPES
from envsuite.registry import build

ID = "envsuite/Ballet-v0"

TWO = {"dancers": [[8, 8, "star", 4, 1], [2, 5, "sway", 0, 3]], "target": 1}


@pytest.mark.parametrize("dancers, delay, steps", [
    (2, 16, 62), (4, 16, 124), (8, 16, 248), (2, 48, 126), (8, 48, 504),
])  # fmt: skip
def test_the_choice_begins_as_in_the_source(dancers, delay, steps):
    """The steps after which the instruction changes, counted in runs of the source."""
    batch, count = kit.started(ID, dancers=dancers, delay=delay, horizon=1024), 0
    while not batch.observations["instruction"][0, 0, 0]:
        batch.step(0)
        count += 1
        assert batch.observations["agent"][0, 0].tolist() == [5, 5]
    assert count == steps


def chance_of_random_play(dancers, delay=16, horizon=320):
    """The chance to reach the right dancer in time, the mean over all places, by powers of the transition matrix."""
    cells = [(row, column) for row in range(1, 10) for column in range(1, 10)]
    matrix = np.zeros((81, 81))
    for k, (row, column) in enumerate(cells):
        for down, right in zip(DOWN.tolist(), RIGHT.tolist()):
            to = row + down, column + right
            matrix[k, cells.index(to) if to in cells else k] += 1 / 8
    places = [cells.index(place) for place in zip(PLACE_ROW.tolist(), PLACE_COLUMN.tolist())]
    found = []
    for taken in combinations(places, dancers):
        walk = matrix.copy()
        walk[list(taken)] = np.eye(81)[list(taken)]
        start = np.linalg.matrix_power(walk, horizon - (15 + delay) * dancers)[cells.index((5, 5))]
        found.append(start[list(taken)].sum())
    return np.mean(found) / dancers


def test_random_play():
    """With 2, 4 and 8 dancers; the page has these numbers."""
    exact = [chance_of_random_play(dancers) for dancers in (2, 4, 8)]
    assert ", ".join(f"{chance:.3f}" for chance in exact[:2]) + f" and {exact[2]:.3f}" in build(ID).__doc__.replace(
        "\n", " "
    )


@pytest.mark.slow
@pytest.mark.parametrize("dancers, horizon", [(2, 320), (3, 80)])
def test_random_play_is_as_computed(dancers, horizon):
    returns = play(build(ID, dict(dancers=dancers, delay=1, horizon=horizon)), "random", 100, seed=1).returns[:, 0]
    exact = chance_of_random_play(dancers, 1, horizon)
    assert abs(returns.mean() - exact) < 4.5 * (exact * (1 - exact) / 100) ** 0.5


def test_dances():
    """All differ, move at each step, stay within a cell of their place and end there."""
    assert len(NAMES) == 13 and len({path.tobytes() for path in OFFSETS}) == 13
    assert (OFFSETS[:, [0, -1]] == 0).all() and abs(OFFSETS).max() == 1
    steps = abs(np.diff(OFFSETS, axis=1)).max(axis=2)
    assert (steps == 1).all() and all(len(moves.split()) == 16 for moves in DANCES.values())
    assert (OFFSETS[:, 1] != 0).any(axis=1).all()


def test_one_dances_after_another():
    """The first one has moved once before the first step, and each dances once, alone."""
    batch, rows = kit.started(ID, level=TWO, delay=3), []
    for _ in range(37):
        rows.append(batch.observations["dancers"][0, 0, :, :2].tolist())
        batch.step(0)
    second = [[2, 4 + k] for k in [1] * 18] + [[2, 5 + k] for k in [-1, 0, 1, 0] * 4]  # "sway" has the second turn
    assert [row[0] for row in rows[:18]] == second[:18] and [row[0] for row in rows[18:34]] == second[18:]
    first = [(8, 9), (8, 8), (8, 7), (8, 8), (9, 8), (8, 8), (7, 8), (8, 8)] * 2
    assert [tuple(row[1]) for row in rows[:16]] == first and all(row[1] == [8, 8] for row in rows[16:])
    assert batch.observations["dancers"][0, 0, :, 2:].tolist() == [[0, 3], [4, 1]]


def chosen(batch, *names):
    """What moves in the choice pay; the batch is played to its beginning first."""
    while not batch.observations["instruction"][0, 0, 0]:
        batch.step(2)
    paid = []
    for name in names:
        assert not batch.over()[0]
        kit.act(batch, name)
        paid.append(batch.rewards[0, 0])
    return paid


def test_choices():
    batch = kit.started(ID, level=TWO)
    assert chosen(batch, "north", "north", "north") == [0, 0, 1] and batch.terminations[0, 0]
    assert NAMES[batch.observations["instruction"][0, 0, 0] - 1] == "sway"
    batch = kit.started(ID, level=TWO)
    assert chosen(batch, *["south east"] * 3) == [0, 0, 0] and batch.terminations[0, 0]
    batch = kit.started(ID, level=TWO, horizon=68)
    assert chosen(batch, *["south"] * 6) == [0] * 6  # the wall is south of row 9
    assert batch.truncations[0, 0] and not batch.terminations[0, 0]
    assert batch.observations["agent"][0, 0].tolist() == [9, 5]
    batch = kit.started(ID, level=TWO)
    chosen(batch)
    for name, (down, right) in zip(MOVES, zip(DOWN, RIGHT)):
        at = batch.observations["agent"][0, 0].astype(int)
        kit.act(batch, name)
        assert (batch.observations["agent"][0, 0] == at + (down, right)).all()
        assert ("north" in name) == (down < 0) and ("west" in name) == (right < 0) and ("east" in name) == (right > 0)


def test_walls():
    batch = kit.started(ID, level=TWO)
    chosen(batch, *["west"] * 5, *["north"] * 6, *["south"] * 9, *["east"] * 5)
    assert batch.observations["agent"][0, 0].tolist() == [9, 6]
    kit.act(batch, "north east", "east")
    assert batch.over()[0]
    batch = kit.started(ID, level=TWO)
    chosen(batch, *["east"] * 5, *["north"] * 5)
    assert batch.observations["agent"][0, 0].tolist() == [1, 9]


def test_draws():
    """All places, turns, dances, shapes, colors and targets occur equally often; those of an episode differ."""
    records = kit.started(ID, 500, dancers=4).records
    for name, count in (("place", 8), ("order", 4), ("dance", 13), ("shape", len(SHAPES)), ("color", len(COLORS))):
        values = records[name]
        assert all(len(set(row)) == 4 for row in values.tolist()), name
        wanted = 2000 / count
        assert abs(np.bincount(values.ravel(), minlength=count) - wanted).max() < 5 * wanted**0.5, name
    assert (np.diff(records["place"], axis=1) > 0).all()
    joint = np.bincount(4 * records["target"] + records["order"][np.arange(500), records["target"]], minlength=16)
    assert abs(joint - 500 / 16).max() < 5 * (500 / 16) ** 0.5


def test_baselines():
    for params, num in ((dict(dancers=8, delay=5), 3), (dict(), 3), (dict(dancers=1, delay=1), 2)):
        assert (play(build(ID, params), "memory", num).returns == 1).all()
    found = play(build(ID, dict(delay=1)), "memoryless", 40).returns
    assert abs(found.mean() - 1 / 2) < 0.35


def test_levels():
    batch = kit.started(ID, level=TWO)
    assert batch.world.get_level(batch.record()) == TWO
    one = TWO["dancers"][0]
    for field, value, message in (
        (0, 3, "first row and column of a place"),
        (2, "waltz", "dancer 0: dance='waltz' is unknown; did you mean 'saltire'?"),
        (3, 15, "dancer 0: shape=15 must be an integer from 0 to 14"),
        (4, 3, "two dancers have one color"),
    ):
        changed = [*one[:field], value, *one[field + 1 :]]
        kit.refuses(batch.world, ({"dancers": [changed, TWO["dancers"][1]], "target": 0}, message))
    kit.refuses(
        batch.world,
        ({}, "'dancers' and 'target'"),
        ({"dancers": [one], "target": 0}, "dancers must be a list of 2 entries"),
        ({"dancers": [one, one], "target": 0}, "two dancers have one place"),
        ({**TWO, "target": 2}, "from 0 to 1"),
        ({"dancers": [one, 5], "target": 0}, "first row and column of a place"),
    )


def test_texts_and_clicks():
    batch = kit.started(ID, level=TWO)
    world = batch.world
    told = world.text(batch.record(), 0)
    assert "orange 8-sided dancer: row 8, column 9" in told and "Instruction: watch." in told
    chosen(batch)
    assert "Instruction: sway." in world.text(batch.record(), 0)
    assert kit.clicks(batch, 0, 0.5, 0.5) == {None, *range(8)}
    assert MOVES[world.click(batch.record(), 0, 5.5, 2.5)] == "north"
