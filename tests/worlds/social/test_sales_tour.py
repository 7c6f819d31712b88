"""SalesTour: closed forms of random play, shortest tours by enumeration, trials by hand, generations, levels, texts."""

from itertools import permutations
from math import asinh, sqrt

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.kit.trials import NONE
from envsuite.registry import build

ID = "envsuite/SalesTour-v0"

SQUARE = {"cities": [[0, 0], [1, 1], [1, 0], [0, 1]]}

#: The mean distance of two points of a unit square (Ghosh, 1951), and what a leg pays on average.
APART = (2 + sqrt(2) + 5 * asinh(1)) / 15
LEG = 1 - APART / sqrt(2)


def random_trial(cities):
    """The mean return of a trial of random acts: legs are as long on average, whatever was visited."""
    total, reached = 0.0, 1.0
    for place in range(cities - 1):
        new = (cities - 1 - place) / cities
        total += reached * (new * LEG - (1 - new))
        reached *= new
    return total + reached * LEG


def shortest(points):
    """The least lengths (maps,) of tours over maps (maps, cities, 2), by enumeration."""
    apart = np.linalg.norm(points[:, :, None] - points[:, None], axis=-1)
    tours = [(0, *rest, 0) for rest in permutations(range(1, points.shape[1]))]
    return np.min([sum(apart[:, a, b] for a, b in zip(tour, tour[1:])) for tour in tours], axis=0)


def test_the_page():
    page = build(ID).__doc__.replace("\n", " ")
    assert round(APART, 4) == 0.5214 and round(LEG, 4) == 0.6313 and round(6 * LEG, 3) == 3.788
    assert f"earn {random_trial(6):.3f} in a trial by default" in page
    lengths = shortest(np.random.default_rng(0).random((20_000, 6, 2)))
    assert abs(lengths.mean() - 2.314) < 4 * lengths.std() / 20_000**0.5 and "2.314" in page
    assert round(6 - 2.314 / sqrt(2), 3) == 4.364


@pytest.mark.parametrize("cities", [6, 3])
def test_random_play(cities):
    batch = kit.started(ID, 200, cities=cities, trials=2, generations=1)
    found = kit.finish(batch, "random")[:, 0] / 2
    assert abs(found.mean() - random_trial(cities)) < 4.5 * found.std() / 200**0.5


@pytest.mark.parametrize("cities", [3, 4, 6, pytest.param(8, marks=pytest.mark.slow)])
def test_the_demonstrator_walks_a_shortest_tour(cities):
    """Memory repeats the demonstrator's tour in all trials."""
    num = 3 if cities == 8 else 15
    batch = kit.started(ID, num, cities=cities, trials=3)
    best = cities - shortest(batch.records["level"]["points"]) / sqrt(2)
    kit.finish(batch, "memory")
    assert np.allclose(batch.records["totals"], best[:, None])


def test_a_follower():
    """It is shown everything in the first trial, and nothing in the last one."""
    batch = kit.started(ID, 200, cities=4, trials=3)
    best = 4 - shortest(batch.records["level"]["points"]) / sqrt(2)
    kit.finish(batch, "memoryless")
    found = batch.records["totals"]
    assert np.allclose(found[:, 0], best)
    assert abs(found[:, 2].mean() - random_trial(4)) < 4.5 * found[:, 2].std() / 200**0.5


def gone(batch, cities):
    """What is shown before each act, and what it pays."""
    found = []
    for city in cities:
        shown = int(batch.observations["shown"][0, 0, 0])
        kit.act(batch, city)
        found.append(("-" if shown == NONE else "ABCDEFGH"[shown], round(float(batch.rewards[0, 0]), 12)))
    return found


def test_trials_by_hand():
    """Legs, the way home, and visited cities, A and the own one among them."""
    batch, side = kit.started(ID, level=SQUARE, cities=4, trials=4), round(1 - 1 / sqrt(2), 12)
    assert gone(batch, "CBD") == [("C", side), ("B", side), ("D", round(2 * (1 - 1 / sqrt(2)), 12))]
    batch.records["shown"] = NONE
    assert [paid for _, paid in gone(batch, "BA")] == [0, -1]  # the diagonal pays nothing
    assert [paid for _, paid in gone(batch, "CC")] == [side, -1]
    assert [paid for _, paid in gone(batch, "A")] == [-1] and batch.over()[0]
    assert np.allclose(batch.records["totals"], [[4 - 4 / sqrt(2), -1, side - 1, -1]])


def test_generations():
    """The map stays, and the best trial of a line never gets worse, because it is shown in the first trial."""
    batch, most = kit.started(ID, 20, cities=5, trials=3, generations=4), []
    points = batch.records["level"]["points"].copy()
    best = 5 - shortest(points) / sqrt(2)
    for k in range(4):
        assert (batch.records["generation"] == k + 1).all() and (batch.records["level"]["points"] == points).all()
        assert ((batch.observations["shown"] == NONE) == (k == 0)).all()
        kit.finish(batch, "memory")
        most.append(batch.records["totals"].max(axis=1))
        batch.start()
    assert (np.diff(most, axis=0) > -1e-9).all() and (np.array(most) < best + 1e-9).all()
    assert np.mean(most[-1]) > np.mean(most[0]) + 0.05
    assert (batch.records["level"]["points"] != points).any(axis=(1, 2)).all()


def test_the_best_way_is_handed_on():
    """Of equal ones the first; not a shorter tour that the learner did not walk."""
    batch = kit.started(ID, level=SQUARE, cities=4, trials=4, generations=2)
    gone(batch, "CC" + "BCD" + "DCB" + "BB")
    batch.start()
    assert batch.world.get_level(batch.record()) == SQUARE
    assert [shown for shown, _ in gone(batch, "BCD")] == ["B", "C", "D"]
    batch.start(3)
    assert batch.records["generation"][0] == 1 and batch.world.get_level(batch.record()) != SQUARE


def test_points_are_uniform():
    points = kit.started(ID, 250, cities=8, generations=1).records["level"]["points"].ravel()
    assert abs(points.mean() - 0.5) < 0.02 and abs(points.var() - 1 / 12) < 0.006


def test_levels_and_texts():
    world = build(ID, dict(cities=4, trials=2))
    kit.refuses(
        world,
        ({}, "has 'cities', not nothing"),
        ({"cities": SQUARE["cities"][:3]}, "4 lists of 2 numbers from 0 to 1"),
        ({"cities": [*SQUARE["cities"][:3], [0, 2]]}, r"cities\[3\]\[1\]=2 must be a number from 0 to 1"),
    )
    batch = kit.started(world, level=SQUARE)
    assert "The demonstrator goes to C." in world.text(batch.record(), 0)
    gone(batch, "CA")
    told = world.text(batch.record(), 0)
    assert "Your last act was A; it paid -1 and ended a trial." in told and "Trial 2 of 2." in told
    assert "0.5" not in told and "The demonstrator shows nothing here." in told
    records = batch.records.copy()
    records["trial"] = 2
    with pytest.raises(SnapshotError, match="last trial"):
        world.admit(records)
