"""HiddenObject: exact random play, each phase by hand, draws, baselines, levels, texts and clicks."""

from itertools import combinations

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.gridworlds.hidden_object import NONE
from envsuite.kit.figures import DOWN, FIGURES, MOVES, NUMBERS, PLACE_COLUMN, PLACE_ROW, RIGHT
from envsuite.registry import build

ID = "envsuite/HiddenObject-v0"

TWO = {"chests": [[8, 8, "blue 3-sided"], [2, 5, "red 4-rayed"]], "target": 1}


def chance_of_random_play(chests, delay, patience):
    """The chance that random play opens the right chest, the mean over all places: powers of two matrices."""
    cells = [(row, column) for row in range(1, 10) for column in range(1, 10)]
    places = [cells.index(place) for place in zip(PLACE_ROW.tolist(), PLACE_COLUMN.tolist())]
    found = []
    for taken in combinations(places, chests):
        walk, search = np.zeros((81, 81)), np.zeros((81, 81))
        for k, (row, column) in enumerate(cells):
            for down, right in zip(DOWN.tolist(), RIGHT.tolist()):
                to = row + down, column + right
                there = cells.index(to) if to in cells else k
                search[k, k if k in taken else there] += 1 / 8
                walk[k, k if there in taken else there] += 1 / 8
        start = np.linalg.matrix_power(walk, delay)[cells.index((5, 5))]
        found.append((start @ np.linalg.matrix_power(search, patience))[list(taken)].sum())
    return np.mean(found) / chests


def test_the_page():
    assert f"with probability {chance_of_random_play(4, 20, 50):.3f} by default" in build(ID).__doc__


def found_by(policy, num, **params):
    """Whether the agent found the figure, for each episode, and the fruits."""
    batch = kit.started(ID, num, **params)
    returns, picked = kit.finish(batch, policy)[:, 0], batch.records["picked"]
    return np.isclose(returns - 0.1 * picked, 1), picked


@pytest.mark.parametrize("params", [
    dict(chests=2, delay=0, patience=20), pytest.param(dict(chests=3, delay=8), marks=pytest.mark.slow),
])  # fmt: skip
def test_random_play(params):
    found, _ = found_by("random", 150, **params)
    exact = chance_of_random_play(params["chests"], params["delay"], params.get("patience", 50))
    assert abs(found.mean() - exact) < 4.5 * (exact * (1 - exact) / 150) ** 0.5


def moved(batch, *names):
    """What moves pay."""
    paid = []
    for name in names:
        assert not batch.over()[0]
        kit.act(batch, name)
        paid.append(float(batch.rewards[0, 0]))
    return paid


def test_chests_open_in_order():
    batch, shown = kit.started(ID, level=TWO, chests=2, delay=1), []
    for _ in range(4):
        seen = batch.observations[0, 0]
        shown.append((seen["phase"][0], seen["chests"][:, 2].tolist(), seen["target"][0], seen["agent"].tolist()))
        moved(batch, "north west")
    red, blue = NUMBERS["red 4-rayed"], NUMBERS["blue 3-sided"]
    assert shown == [
        (0, [NONE, blue], NONE, [5, 5]),
        (0, [red, NONE], NONE, [5, 5]),
        (1, [NONE, NONE], NONE, [5, 5]),
        (2, [NONE, NONE], red, [4, 4]),
    ]
    assert batch.observations["chests"][0, 0, :, :2].tolist() == [[2, 5], [8, 8]]


def test_fruit():
    """A fruit pays, and another one appears in a free cell; walls and chests are closed."""
    batch = kit.started(ID, level=TWO, chests=2, delay=30)
    assert (batch.observations["fruit"] == NONE).all()
    moved(batch, "north", "north")
    batch.records["fruit_row"], batch.records["fruit_column"] = 4, 6
    assert moved(batch, "north east", "south west") == [0.1, 0] and batch.records["picked"][0] == 1
    batch.records["fruit_row"], batch.records["fruit_column"] = 9, 1
    assert moved(batch, *["north"] * 4) == [0] * 4 and batch.observations["agent"][0, 0].tolist() == [3, 5]
    moved(batch, *["west"] * 5, *["north"] * 4)
    assert batch.observations["agent"][0, 0].tolist() == [1, 1] and not batch.over()[0]
    moved(batch, *["south"] * 9)
    assert batch.observations["agent"][0, 0].tolist() == [9, 1] and batch.records["picked"][0] == 2


def test_fruits_lie_in_free_cells():
    batch = kit.started(ID, 700, chests=8)
    s = batch.records
    cells = (s["fruit_row"] - 1) * 9 + s["fruit_column"] - 1
    counts = np.bincount(cells, minlength=81)
    taken = {int(9 * (row - 1) + column - 1) for row, column in zip(PLACE_ROW, PLACE_COLUMN)} | {40}
    assert (counts[list(taken)] == 0).all()
    assert abs(np.delete(counts, list(taken)) - 700 / 72).max() < 5 * (700 / 72) ** 0.5


def test_search():
    way = ["north"] * 3
    batch = kit.started(ID, level=TWO, chests=2, delay=0)
    assert moved(batch, "south", "south", *way) == [0] * 4 + [1] and batch.terminations[0, 0]
    assert batch.observations["chests"][0, 0, :, 2].tolist() == [NUMBERS["red 4-rayed"], NONE]
    batch = kit.started(ID, level=TWO, chests=2, delay=0)
    assert moved(batch, "south", "south", *["south east"] * 3) == [0] * 5 and batch.terminations[0, 0]
    batch = kit.started(ID, level=TWO, chests=2, delay=2, patience=3)
    assert moved(batch, *["south"] * 2, "west", "east", *["west"] * 3)[4:] == [0] * 3
    assert batch.truncations[0, 0] and not batch.terminations[0, 0]


def test_draws():
    records = kit.started(ID, 500, chests=3).records
    for name, count in (("place", 8), ("order", 3), ("figures", FIGURES)):
        values, wanted = records[name], 1500 / count
        assert all(len(set(row)) == 3 for row in values.tolist()), name
        assert abs(np.bincount(values.ravel(), minlength=count) - wanted).max() < 5 * wanted**0.5, name
    assert (np.diff(records["place"], axis=1) > 0).all()
    joint = np.bincount(3 * records["target"] + records["order"][np.arange(500), records["target"]], minlength=9)
    assert abs(joint - 500 / 9).max() < 4.5 * (500 / 9) ** 0.5


def test_baselines():
    found, picked = found_by("memory", 12)
    assert found.all() and picked.mean() > 3
    assert found_by("memory", 6, chests=8, delay=2)[0].all()
    found, _ = found_by("memoryless", 150, chests=3, delay=0)
    assert abs(found.mean() - 1 / 3) < 4.5 * (2 / 9 / 150) ** 0.5
    assert play(ID, "random", 30).returns.mean() < play(ID, "memoryless", 15).returns.mean()


def test_levels():
    batch = kit.started(ID, level=TWO, chests=2)
    assert batch.world.get_level(batch.record()) == TWO
    one, other = TWO["chests"]
    kit.refuses(
        batch.world,
        ({}, "'chests' and 'target'"),
        ({"chests": [one], "target": 0}, "a list of 2 entries"),
        ({"chests": [one, [5, 5, "red 4-rayed"]], "target": 0}, "chest 1, .* of a place"),
        ({"chests": [one, [2, 2]], "target": 0}, "must have 3 entries"),
        ({"chests": [one, [*one[:2], other[2]]], "target": 0}, "two chests have one place"),
        ({"chests": [one, [2, 2, one[2]]], "target": 0}, "two chests have one figure"),
        ({"chests": [one, [2, 2, "cat"]], "target": 0}, "a figure such as 'blue 3-sided'"),
        ({"chests": [one, other], "target": 2}, "from 0 to 1"),
    )
    records = batch.records.copy()
    records["row"], records["column"] = 8, 8
    with pytest.raises(SnapshotError, match="in a chest"):
        batch.world.admit(records)


def test_texts_and_clicks():
    batch = kit.started(ID, level=TWO, chests=2, delay=1)
    world, told = batch.world, []
    for _ in range(4):
        told.append(world.text(batch.record(), 0))
        batch.step(0)
    assert "The chest in row 8, column 8 shows a figure: blue 3-sided." in told[0] and "cannot move" in told[0]
    assert "The chest in row 2, column 5 is closed." in told[0] and "Steps left to pick: 1." in told[2]
    assert "Find this figure: red 4-rayed." in told[3] and "fruit" not in told[3]
    assert kit.clicks(batch, 0, 0.5, 0.5) == {None, *range(8)}
    assert MOVES[world.click(batch.record(), 0, 3.5, 1.5)] == "north west"
