"""Battleship: numbers of placements, the mean of random order, probes, levels, records, clicks, baselines."""

from collections import Counter
from itertools import product

import kit
import numpy as np
import pytest
from scipy.stats import chisquare

from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.registry import build

ID = "envsuite/Battleship-v0"


def places(size, length):
    """All places of one ship, as bit sets."""
    found = []
    for lane, start in product(range(size), range(size - length + 1)):
        found.append(sum(1 << lane * size + start + j for j in range(length)))
        found.append(sum(1 << (start + j) * size + lane for j in range(length)))
    return found


def joint(size):
    """All placements of ships of 5, 4 and 2 cells that do not overlap."""
    return [(a, b, c) for a in places(size, 5) for b in places(size, 4) if not a & b for c in places(size, 2)
            if not c & (a | b)]  # fmt: skip


@pytest.mark.slow
def test_number_of_placements():
    """2,216,256 on 10 x 10 cells."""
    third = places(10, 2)
    total = 0
    for a, b in product(places(10, 5), places(10, 4)):
        if not a & b:
            total += sum(not c & (a | b) for c in third)
    assert total == 2216256


def test_placements_are_fair():
    """Every placement of the first ship is as frequent as the placements of all ships say, on 5 x 5 cells."""
    num = 20000
    ways = Counter(a for a, _, _ in joint(5))
    ships = kit.started(ID, num, size=5).records["ship"]
    drawn = Counter(int(sum(1 << int(k) for k in np.flatnonzero(row == 1))) for row in ships)
    assert set(drawn) == set(ways)
    keys = sorted(ways)
    wanted = np.array([ways[k] for k in keys]) * num / sum(ways.values())
    assert chisquare([drawn[k] for k in keys], wanted).pvalue > 1e-4
    assert all(np.bincount(row, minlength=4)[1:].tolist() == [5, 4, 2] for row in ships[:100])


def test_random_order():
    """The last of 11 cells is hit after 11 x 101 / 12 shots on average."""
    num = 2000
    result, lengths = play(build(ID), ["random"], num)
    mean = 11 * 101 / 12
    deviation = (11 * 101 * 89 / (12**2 * 13)) ** 0.5  # of the greatest of 11 numbers drawn from 1 to 100
    assert abs(lengths.mean() - mean) < 4 * deviation / num**0.5
    assert np.allclose(result, 1)


LEVEL = {"ships": [["a1", "e1"], ["a3", "a6"], ["j9", "j10"]]}


def test_hits_sink():
    batch = kit.started(ID, level=LEVEL, horizon=14)
    kit.act(batch, "j9", "b2")
    assert batch.observations[0, 0, 8, 9] == 2 and batch.observations[0, 0, 1, 1] == 1
    kit.act(batch, "j10")
    assert batch.observations[0, 0, 8:, 9].tolist() == [3, 3] and batch.rewards[0, 0] == pytest.approx(1 / 11)
    assert "Ships afloat, by length: 5, 4." in batch.world.text(batch.record(), 0)
    kit.act(batch, *(f"{column}1" for column in "abcde"), "a3", "a4", "a5")
    assert not batch.over()[0]
    kit.act(batch, "a6")
    assert batch.terminations[0, 0] and "All ships have sunk after 12 shots." in batch.world.text(batch.record(), 0)
    batch = kit.started(ID, level=LEVEL, horizon=1)
    kit.act(batch, "b2")
    assert batch.terminations[0, 0] and "no shots left" in batch.world.text(batch.record(), 0)


def test_levels_and_records():
    world = build(ID)
    kit.refuses(
        world,
        ({"ships": LEVEL["ships"][:2]}, "ships must be a list of 3 entries"),
        ({"ships": [["a1", "f1"], *LEVEL["ships"][1:]]}, "ship 0, a1 to f1, has not 5 cells in a line"),
        ({"ships": [["e1", "a1"], *LEVEL["ships"][1:]]}, "has not 5 cells"),
        ({"ships": [["a1", "k1"], *LEVEL["ships"][1:]]}, "must be its first and its last cell"),
        ({"ships": [["a1", "a5"], *LEVEL["ships"][1:]]}, "ship 1, a3 to a6, lies on another"),
        ({}, "lacks 'ships'"),
    )
    batch = kit.started(ID, level=LEVEL)
    assert world.get_level(batch.record()) == LEVEL
    batch.records["seen"][0, 0] = 1
    with pytest.raises(SnapshotError, match="left does not go|hits and misses"):
        world.admit(batch.records)


def test_clicks():
    assert kit.clicks(kit.started(ID, size=5), 0) == {None, *range(25)}


def test_baselines():
    """ "density" needs fewer shots than "hunter", and this far fewer than random order."""
    shots = {name: play(build(ID), [name], 500).lengths.mean() for name in ("density", "hunter")}
    assert shots["density"] < shots["hunter"] - 3 and shots["hunter"] < 75
