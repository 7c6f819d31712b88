"""Generations: episodes of the source, its rewards written again, closed forms, exhaustive tours, guides, baselines."""

import itertools
import json
import math
from functools import partial

import kit
import numpy as np
import pytest
from scipy import stats

from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.registry import build

ID = "envsuite/Generations-v0"

started = partial(kit.started, ID)

#: The mean distance of two random points of a unit square (Ghosh, 1951).
DISTANCE = (2 + math.sqrt(2) + 5 * math.log(1 + math.sqrt(2))) / 15


def source_pay(sequence, act, at):
    """A step of the source's sequence task: the reward, and whether it ends the trial."""
    right = sequence[at] == act
    return (1.0 if right else -1.0), not right or at == len(sequence) - 1


def source_way(cities, tour, act):
    """A step of the source's tour, which ends with the last city as it was meant to: reward, and whether it ends."""
    if act in tour:
        return -1.0, True
    here = math.dist(cities[tour[-1]], cities[act])
    last = len(tour) == len(cities) - 1
    home = math.sqrt(2) - math.dist(cities[act], cities[0]) if last else 0.0
    return (math.sqrt(2) - here + home) / math.sqrt(2), last


@pytest.mark.parametrize("params", [dict(types=2, length=6, trials=9), dict(task="tsp", cities=5, trials=9)])
def test_rewards_are_those_of_the_source(params):
    """Acts of which most are right, in lock-step with the source's rules, for 12 hidden tasks."""
    rng = np.random.default_rng(3)
    for seed in range(12):
        batch = started(seed=seed, guides=0, **params)
        level = batch.world.get_level(batch.record())
        hidden = level.get("sequence") or level["cities"]
        trials, made, totals = 0, [], [0.0]
        while trials < 9:
            if "sequence" in level:
                act = int(rng.integers(2)) if rng.random() < 0.2 else "AB".index(hidden[len(made)])
                reward, ended = source_pay(hidden, "AB"[act], len(made))
            else:
                act = int(rng.integers(5)) if rng.random() < 0.3 else max({*range(5)} - {0, *made})
                reward, ended = source_way(hidden, [0, *made], act)
            batch.step(act)
            seen = batch.observations[0, 0]
            assert batch.rewards[0, 0] == pytest.approx(reward, abs=1e-12) and seen["own"][0] == act
            assert (seen["reward"][0], seen["ended"][0]) == (batch.rewards[0, 0], ended)
            totals[-1] += reward
            made = [] if ended else [*made, act]
            trials += ended
            totals += [0.0] * ended
            assert (seen["trial"][0], seen["left"][0], seen["place"][0]) == (trials, 9 - trials, len(made))
            if "cities" in level and trials < 9:
                assert seen["visited"].tolist() == [k in (0, *made) for k in range(5)]
        assert batch.over()[0] and batch.record().totals.tolist() == pytest.approx(totals[:-1], abs=1e-12)


RECORDED = json.loads((kit.DATA / "Generations" / "generations.json").read_text())["episodes"]


@pytest.mark.parametrize("episode", RECORDED, ids=lambda episode: f"{episode['task']}-{episode['acts'][:8]}")
def test_episodes_of_the_source(episode):
    """Recorded episodes of the source's own code. A tour there asks for a sixth act, and never pays the way home."""
    task, part = episode["task"], "sequence" if episode["task"] == "sequence" else "cities"
    trials = {"sequence": 4, "tsp": 8}[task]
    batch = started(level={part: episode[part]}, task=task, trials=trials, guides=0)
    place = 0
    for letter, ended, reward in zip(episode["acts"], episode["ended"], episode["rewards"]):
        if task == "tsp" and place == 5:
            assert (ended, reward) == ("1", -1)
            place = 0
            continue
        batch.step("ABCDEF".index(letter))
        place = 0 if ended == "1" else place + 1
        complete, home = task == "tsp" and place == 5, 0.0
        if complete:
            home = 1 - math.dist(episode["cities"]["ABCDEF".index(letter)], episode["cities"][0]) / math.sqrt(2)
        assert batch.rewards[0, 0] == pytest.approx(reward + home, abs=1e-5)
        assert batch.observations["ended"][0, 0, 0] == (ended == "1" or complete)
    assert batch.over()[0]


@pytest.mark.parametrize("types, length", [(2, 8), (3, 24), (5, 3)])
def test_random_letters(types, length):
    """(2 - k) / (k - 1) (1 - k**-length) in a trial, which is the source's number for long trials."""
    found = kit.played(ID, "random", 0, 20, guides=0, trials=40, types=types, length=length)[:, 0] / 40
    closed = (2 - types) / (types - 1) * (1 - types**-length) if types > 2 else 0.0
    assert stats.ttest_1samp(found, closed).pvalue > 1e-4


def test_the_sequence_itself_earns_its_length():
    batch = started(3, seed=2)
    while not batch.over().all():
        right = np.take_along_axis(batch.records["level"]["sequence"], batch.records["place"][:, None], 1)
        batch.step(np.broadcast_to(right, (3, 4)))
    assert (batch.records["totals"] == 24).all()


def tours(points):
    """The pay of all tours from the first of these points: exhaustive, (orders,), and the orders."""
    orders = np.array([(0, *order, 0) for order in itertools.permutations(range(1, len(points)))])
    steps = np.linalg.norm(points[orders[:, 1:]] - points[orders[:, :-1]], axis=2)
    return (1 - steps / math.sqrt(2)).sum(axis=1), orders[:, 1:-1]


def nearest(points):
    """The tour that always goes to the nearest city."""
    tour = [0]
    while len(tour) < len(points):
        tour.append(min({*range(len(points))} - {*tour}, key=lambda k: math.dist(points[tour[-1]], points[k])))
    return tour[1:]


def play_tours(cities, choose):
    """What the tours pay that `choose(points)` gives for each of these sets of cities."""
    batch = started(len(cities), level=[{"cities": one.tolist()} for one in cities], task="tsp", guides=0, trials=1)
    total = np.zeros(len(cities))
    for acts in np.array([choose(one) for one in cities]).T:
        batch.step(acts[:, None], ~batch.over())
        total += batch.rewards[:, 0]
    assert batch.over().all()
    return total


@pytest.mark.parametrize("num", [60, pytest.param(3000, marks=pytest.mark.slow)])
def test_tours(num):
    """The world pays each tour what independent code does; random tours have the closed form's mean."""
    cities = np.random.default_rng(1).random((num, 6, 2))
    rng = np.random.default_rng(2)
    best = play_tours(cities, lambda points: tours(points)[1][tours(points)[0].argmax()])
    assert best == pytest.approx([tours(points)[0].max() for points in cities])
    near = play_tours(cities, nearest)
    drawn = play_tours(cities, lambda points: 1 + rng.permutation(5))
    assert (best >= near - 1e-9).all() and near.mean() > drawn.mean()
    assert stats.ttest_1samp(drawn, 6 * (1 - DISTANCE / math.sqrt(2))).pvalue > 1e-4
    assert stats.ttest_1samp(best, 4.366).pvalue > 1e-4 and stats.ttest_1samp(near, 4.273).pvalue > 1e-4


def test_guides_act_first_and_fade():
    """Trial k of 5 shows the guides with probability (4 - k) / 4; what they show is what they did."""
    batch = started(100, guides=2, trials=5, length=3, types=3, skill=0.0)
    rng = np.random.default_rng(0)
    seen = [[] for _ in range(5)]
    while not batch.over().all():
        live = ~batch.over()
        assert batch.masks[live][:, 0].sum() == 0 and (batch.masks[live][:, 1:] == 1).all()
        assert (batch.observations["guides"] == -1).all() and not batch.observations["visible"].any()
        shown = rng.integers(3, size=(100, 3))
        batch.step(shown, live)
        assert not batch.rewards.any() and not batch.acting[:, 1:].any()
        now = batch.observations[:, 0]
        visible = now["visible"][:, 0] == 1
        assert (now["guides"][live & visible] == shown[live & visible][:, 1:]).all()
        assert (now["guides"][~visible] == -1).all() and (batch.observations["guides"][:, 1:] == -1).all()
        for trial in range(5):
            seen[trial] += visible[live & (now["trial"][:, 0] == trial)].tolist()
        batch.step(rng.integers(3, size=(100, 3)), live)
        assert (batch.rewards == batch.rewards[:, :1]).all() and (batch.rewards[live] != 0).all()
    for trial, found in enumerate(seen):
        if trial in (0, 4):
            assert set(found) == {trial == 0}
        else:
            assert stats.binomtest(sum(found), len(found), (4 - trial) / 4).pvalue > 1e-4


def test_skills():
    """Skills are the order statistics of 1 - 1 / (1 + 3 U), and decide how often a guide knows the task."""
    batch = started(400, guides=3)
    skill = batch.records["skill"]
    drawn = (1 / (1 - skill) - 1) / 3
    for g in range(3):
        assert stats.kstest(drawn[:, g], stats.beta(g + 1, 3 - g).cdf).pvalue > 1e-4
    known = batch.records["known"]
    for g in range(3):
        gap = (known[:, g] - skill[:, g]).sum() / math.sqrt((skill[:, g] * (1 - skill[:, g])).sum())
        assert abs(gap) < 4
    worth = batch.observations["worth"]
    assert not worth[:, 0].any()
    right = np.eye(3)[batch.records["level"]["sequence"][:, 0]] * 2 - 1
    assert (worth[:, 1:] == right[:, None] * known[:, :, None]).all()
    assert not started(50, guides=3, skill=0.0).records["known"].any()


def test_what_guides_of_a_tour_know():
    batch = started(guides=1, skill=1e6, task="tsp", cities=4, level={"cities": [[0, 0], [1, 0], [1, 1], [0, 1]]})
    leg, across = 1 - 1 / math.sqrt(2), 0.0
    assert batch.observations["worth"][0, 1].tolist() == pytest.approx([-1, leg, across, leg])
    for act in (1, 2):
        batch.step(0)
        batch.step(act)
    assert batch.observations["worth"][0, 1].tolist() == pytest.approx([-1, -1, -1, 2 * leg])


@pytest.mark.slow
def test_followers():
    """With one guide of skill p, each place of the first trial is right with probability p + (1 - p) / 3."""
    batch = started(600, guides=1, trials=1)
    right = (1 + 2 * batch.records["skill"][:, 0]) / 3
    found = kit.finish(batch, "follower")[:, 0]
    expected = sum(right**k for k in range(1, 25)) - (1 - right**24)
    noise = found - expected
    assert stats.ttest_1samp(noise, 0).pvalue > 1e-4


def test_who_fares_how():
    """Memory is worth more than guides alone, and guides more than nothing; with guides that know, all is right."""
    policies = ("random", "follower", "learner")
    means = [kit.played(ID, policy, 0, 12, "follower", length=8)[:, 0].mean() for policy in policies]
    assert means[0] < 0 < means[1] < means[2] - 3
    assert (kit.played(ID, "learner", 0, 3, "follower", skill=1e6, length=4) == 16).all()
    alone = kit.played(ID, "learner", 0, 12, task="tsp", guides=0, trials=12)[:, 0] / 12
    assert alone.mean() > 6 * (1 - DISTANCE / math.sqrt(2))


def test_learners_remember():
    """A letter that was wrong is not said again, one that was right always; the last guide is followed."""
    batch = started(level={"sequence": "BA"}, length=2, types=2, guides=2, trials=1000, skill=0.0)
    player = make_policy("learner", batch.world)
    player.reset(0, 1)
    for shown, expected in (([1, 0], 0), ([0, 0], 1), ([0, 1], 1), ([0, 0], 1), ([1, 1], 0)):
        batch.step(np.array([[0, *shown]]))
        chosen = player.act_batch(batch.observations[:, [0]], batch.masks[:, [0]], [0])[0, 0]
        assert chosen == expected
        batch.step(chosen)
    assert batch.record().totals[:3].tolist() == [-1, 0, 2]


def test_learners_know_legs():
    """After some trials, a learner knows what the legs pay that it has taken, the way home included."""
    batch = started(20, task="tsp", guides=0, trials=9, cities=4)
    player = make_policy("learner", batch.world)
    player.reset(0, 20)
    while not batch.over().all():
        batch.step(player.act_batch(batch.observations, batch.masks, [0]), ~batch.over())
    points, legs = batch.records["level"]["points"], player.memories["legs"][:, 0, :4, :4]
    pays = 1 - np.linalg.norm(points[:, :, None] - points[:, None], axis=3) / math.sqrt(2)
    known = legs < 2
    assert legs[known] == pytest.approx(pays[known]) and known.sum(axis=(1, 2)).min() >= 8


def test_levels():
    letters, map_ = {"sequence": "ABCA"}, {"cities": [[0.1, 0.2], [0.5, 0.5], [0.9, 0.1]]}
    batch = started(level=letters, length=4)
    assert batch.world.get_level(batch.record()) == letters
    kit.refuses(
        batch.world,
        ({}, "not nothing"),
        (map_, "not 'cities'"),
        ({"sequence": "ABC"}, "must be a text of 4 letters"),
        ({"sequence": "ABCD"}, "has the letter 'D'; known: A B C"),
        ({"sequence": [0, 1, 2, 0]}, "must be a text of 4 letters"),
    )
    batch = started(level=map_, task="tsp", cities=3)
    assert batch.world.get_level(batch.record()) == map_
    kit.refuses(
        batch.world,
        (letters, "not 'sequence'"),
        ({"cities": [[0, 0]]}, "3 lists of 2 numbers from 0 to 1"),
        ({"cities": [[0, 0], [1, 2], [0, 1]]}, r"cities\[1\]\[1\]=2"),
        ({"cities": [[0, 0], [1, 1], [0, float("nan")]]}, r"cities\[2\]\[1\]=nan"),
        ({"cities": [[0, 0], [1, True], [0, 1]]}, r"cities\[1\]\[1\]=True"),
    )


def test_wrong_parameters_and_states():
    for params in ({"guides": 9}, {"task": "goals"}, {"types": 1}, {"cities": 2}, {"skill": -1.0}, {"trials": 0}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)
    batch = started()
    for field, value, message in (
        ("trial", 4, "all trials"),
        ("place", 3, "do not go with"),
        ("shown", 3, "out of range"),
    ):
        records = batch.records.copy()
        records[field][:] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text_and_picture():
    batch = started(level={"sequence": "AB"}, length=2, types=2, guides=2, skill=1e6)
    world = batch.world
    assert "You know what each act pays here: A 1, B -1." in world.text(batch.record(), 1)
    assert "The guides act." in world.text(batch.record(), 0)
    batch.step(np.array([[0, 0, 1]]))
    text = world.text(batch.record(), 0)
    assert "The guides would do: guide_0 A, guide_1 B." in text and "Trial 1 of 4. Acts in this trial: none." in text
    shapes = world.scene(batch.record(), 0).shapes
    batch.record().level.sequence[1] = 0
    assert world.scene(batch.record(), 0).shapes == shapes and world.scene(batch.record()).shapes != shapes
    batch.step(1)
    text = world.text(batch.record(), 2)
    assert "The learner's last act was B; it paid -1 and ended a trial." in text
    assert "Returns of the last trials: -1." in text
    for agent in (0, 2):
        assert ("You are the learner." in world.prompt(batch.record(), agent)) == (agent == 0)
    tour = started(task="tsp", guides=0)
    tour.step(2)
    assert "Acts in this trial: C." in tour.world.text(tour.record(), 0)
