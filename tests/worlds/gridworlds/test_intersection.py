"""Intersection: highway-env in lock-step and in statistics, a second implementation, closed forms, and probes."""

import json
import math

import kit
import numpy as np
import pytest
from intersection_reference import Traffic

from envsuite.agents import make_policy
from envsuite.core.errors import LevelError, ParameterError
from envsuite.gridworlds.intersection.roads import (
    APPROACH,
    EXIT,
    LEFT,
    RIGHT,
    STRAIGHT,
    lane_at,
    length_of,
    place_on,
    priority,
    project,
    spot,
)
from envsuite.kit.driving import bearing, overlap
from envsuite.registry import build

ID = "envsuite/Intersection-v0"
SLOWER, IDLE, FASTER = range(3)
REFERENCE = json.loads((kit.DATA / "Intersection" / "intersection_reference.json").read_text())
EMPTY = dict(cars=0, spawn=0.0)


def agent(start="south", to="west", way=60.0, speed=9.0, **more):
    return {"from": start, "to": to, "way": way, "speed": speed, **more}


FAR = agent("west", "east", 0.0, 0.0, wanted=0.0)
PARKED = agent("north", "south", 0.0, 0.0, wanted=0.0)


def opened(agents, cars=(), **params):
    """A batch with these cars; a second agent stands far away unless there are two, so the first car is number 2."""
    agents = [*agents, PARKED][:2]
    world = build(ID, {**EMPTY, "duration": 60, **params})
    return kit.started(world, level={"agents": list(agents), "cars": list(cars)})


# The roads.


def test_lengths():
    assert length_of(STRAIGHT) == 22 and length_of(APPROACH) == length_of(EXIT) == 100
    assert length_of(RIGHT) == pytest.approx(4.5 * math.pi) and length_of(LEFT) == pytest.approx(6.5 * math.pi)


@pytest.mark.parametrize("arm", range(4))
@pytest.mark.parametrize("turn", [LEFT, STRAIGHT, RIGHT])
def test_paths_are_continuous_and_have_their_length(arm, turn):
    out, points = (arm + turn) % 4, []
    total = 200 + length_of(turn)
    ways = np.linspace(0, total, 4001)
    for way in ways:
        section, along = place_on(arm, out, way)
        kind, place = lane_at(arm, out, section)
        x, y, cosine, sine = spot(kind, place, along)
        points.append((x, y))
        assert math.hypot(cosine, sine) == pytest.approx(1, abs=1e-12)
        back, aside = project(kind, place, x, y)
        assert back == pytest.approx(along, abs=1e-9) and aside < 1e-9
    steps = np.hypot(*np.diff(np.array(points), axis=0).T)
    assert steps == pytest.approx(total / 4000, rel=1e-4)


def test_priorities():
    """The table of the page: south 0, west 1, north 2, east 3."""
    assert [priority(APPROACH, arm) for arm in range(4)] == [1, 3, 1, 3]
    assert [priority(RIGHT, arm) for arm in range(4)] == [priority(STRAIGHT, arm) for arm in range(4)] == [1, 3, 1, 3]
    assert [priority(LEFT, arm) for arm in range(4)] == [0, 2, 0, 2]
    assert [priority(EXIT, arm) for arm in range(4)] == [3, 1, 3, 1]


def test_bearings():
    rng = np.random.default_rng(0)
    for x, y in [*rng.normal(size=(500, 2)), (1, 0), (-1, 0), (0, 1), (0, -1), (3, 3)]:
        assert bearing(x, y) == pytest.approx(math.atan2(y, x), abs=1e-14)


def clipped(subject, clip):
    """The area of the part of a convex polygon inside another one (Sutherland and Hodgman)."""
    for k in range(len(clip)):
        a, b = clip[k - 1], clip[k]
        inside = [((b - a).conjugate() * (point - a)).imag for point in subject]
        kept = []
        for i, point in enumerate(subject):
            if (inside[i] >= 0) != (inside[i - 1] >= 0):
                kept.append(subject[i - 1] + (point - subject[i - 1]) * inside[i - 1] / (inside[i - 1] - inside[i]))
            if inside[i] >= 0:
                kept.append(point)
        subject = kept
    return abs(sum((subject[i - 1].conjugate() * subject[i]).imag for i in range(len(subject)))) / 2


def test_overlap_of_rectangles():
    """Separating axes against the area that both rectangles cover."""
    rng, seen = np.random.default_rng(1), [0, 0]
    box = [complex(x, y) for x, y in ((-2.5, -1), (2.5, -1), (2.5, 1), (-2.5, 1))]
    for _ in range(400):
        place = complex(*rng.uniform(-4.5, 4.5, 2))
        first, second = np.exp(1j * rng.uniform(0, 2 * math.pi, 2))
        area = clipped([place + second * point for point in box], [first * point for point in box])
        now, soon = overlap(place.real, place.imag, first.real, first.imag, second.real, second.imag, 0.0, 0.0)
        assert now == soon
        if not 0 < area < 1e-6:
            assert now == (area > 0)
            seen[now] += 1
    assert min(seen) > 100


def test_overlap_within_a_move():
    assert overlap(5.5, 0.0, 1.0, 0.0, 1.0, 0.0, 0.4, 0.0) == (False, False)
    assert overlap(5.5, 0.0, 1.0, 0.0, 1.0, 0.0, 0.6, 0.0) == (False, True)
    assert overlap(5.5, 0.0, 1.0, 0.0, 1.0, 0.0, -0.6, 0.0) == (False, False)
    assert overlap(0.0, 2.2, 1.0, 0.0, 1.0, 0.0, 0.0, 0.3) == (False, True)


# The reference.


def test_speeds_of_agents():
    """v* + (v - v*) (8/9)^15 a second, as the reference."""
    speeds = [5.439885, 4.660615, 8.258450, 8.873278, 5.247342, 0.896709]
    assert [row[0][2] for row in REFERENCE["law"]["states"]] == pytest.approx(speeds, abs=1e-6)
    batch = opened([agent(speed=10.0, way=10.0)])
    for action, speed in zip([SLOWER, IDLE, FASTER, IDLE, SLOWER, SLOWER], speeds):
        batch.step(action)
        assert batch.records["speed"][0, 0] == pytest.approx(speed, abs=1e-6)


def replay(scene):
    """Steps of a recorded scene until the first wreck or the first car that leaves: (state, recorded state) pairs."""
    world = build(ID, dict(spawn=0.0, connected=scene["connected"], duration=60))
    batch = kit.started(world, level=scene["level"])
    for k, expected in enumerate(np.array(scene["states"])):
        batch.step(np.array([scene["actions"][k]]))
        s = batch.record()
        count = len(expected)
        found = np.stack([np.asarray(s[name])[:count] for name in ("x", "y", "speed", "wanted", "yields", "crash")], 1)
        found[:, 5] = found[:, 5] > 0
        if int(s.count) != count:
            return
        yield k, batch, found, expected
        if expected[:, 5].any() or found[:, 5].any() or batch.over().all():
            return


def in_order(rows):
    """The rows of cars of an agent in another order: cars on a road that crosses are equally far along the own lane."""
    rows = np.asarray(rows, np.float64)
    return np.concatenate([rows[:1], rows[1:][np.lexsort(np.round(rows[1:, 1:3].T, 3))]])


@pytest.mark.slow
def test_straight_scenes_in_lock_step():
    """Cars that go straight stay on the middles of their lanes in the reference too, to six digits.

    The exception are cars that stop: they roll to and fro there, and the reference steers them out of the lane.
    """
    exact, wrecks, yields, left = 0, 0, 0, 0
    for number, scene in enumerate(REFERENCE["scenes"]):
        for k, batch, found, expected in replay(scene):
            if expected[:, 5].any() or found[:, 5].any():
                # The reference pushes wrecks apart, maybe into others.
                assert (found[:, 5] <= expected[:, 5]).all() and found[:, 5].any(), (number, k)
                wrecks += 1
                break
            if np.abs(found - expected).max() > 1e-6:
                assert found == pytest.approx(expected, abs=0.05) and found[:, 2].min() < 1, (number, k)
                left += 1
                break
            assert batch.rewards[0] == pytest.approx(scene["rewards"][k], abs=1e-6)
            exact, yields = exact + 1, yields + int(expected[:, 4].sum())
            if k < len(scene["seen"]):
                for a in range(2):
                    cars = in_order(batch.observations[0][a]["cars"])
                    assert cars == pytest.approx(in_order(scene["seen"][k][a]), abs=2e-6), (number, k)
    assert exact > 120 and wrecks > 10 and yields > 20 and left < 8


def test_turning_scenes_stay_close():
    """Cars that steer are at most 1.4 m away from the paths here, as long as the same cars yield."""
    apart = []
    for scene in REFERENCE["turning"]:
        for _, _, found, expected in replay(scene):
            if expected[:, 5].any() or found[:, 5].any() or (found[:, 4] != expected[:, 4]).any():
                break
            apart += np.hypot(*(found[:, :2] - expected[:, :2]).T).tolist()
    assert len(apart) > 500 and max(apart) < 1.4 and np.quantile(apart, 0.95) < 0.8 and np.median(apart) < 1e-8


def statistics(policy, num, **params):
    """Mean and standard error of return, crash, arrival of all, steps, and other cars in the mean and at the start."""
    batch = kit.started(ID, num, seed=11, **params)
    player, agents = make_policy(policy, batch.world), range(len(batch.world.agents))
    player.reset(3, num)
    total, steps, others = np.zeros(num), np.zeros(num), np.zeros(num)
    start = batch.records["count"] - len(agents)
    while not batch.over().all():
        live = ~batch.finished
        batch.step(player.act_batch(batch.observations, batch.masks, agents), live)
        total += batch.rewards.mean(1) * live
        steps += live
        others += live * (batch.records["count"] - len(agents))
    crash = (batch.records["crash"][:, : len(agents)] == 2).any(1)
    rows = np.stack([total, crash, batch.terminations.any(1) & ~crash, steps, others / steps, start])
    return rows.mean(1), rows.std(1, ddof=1) / num**0.5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["v0 idle", "v0 random", "v2 idle", "v2 random"])
def test_statistics_of_the_reference(name):
    version, policy = name.split()
    reference = REFERENCE["episodes"][name]
    mean, error = statistics(policy, 1500, connected=version == "v2")
    spread = np.hypot(error, reference["error"])
    assert (np.abs(mean - reference["mean"]) < 3.5 * spread).all(), (mean, reference["mean"], spread)


@pytest.mark.slow
@pytest.mark.parametrize(("connected", "numbers"), [(False, (6.94, 0.34, 7.97)), (True, (6.79, 0.433, 7.92))])
def test_known_values(connected, numbers):
    """Means over 300 episodes of the reference, with standard errors 0.20, 0.028 and 0.12."""
    mean, error = statistics("idle", 1500, connected=connected)
    spread = np.hypot(error[[0, 1, 3]], (0.2, 0.028, 0.12))
    assert (np.abs(mean[[0, 1, 3]] - numbers) < 3.5 * spread).all(), mean
    slow, _ = statistics("slower", 100, connected=connected)
    assert slow[:4].tolist() == [0, 0, 0, 13]


# A second implementation.


CASES = [
    dict(),
    dict(connected=True, players=4, destination="random", spawn=1.0, humans=(0.4, 0.3, 0.3), duration=20),
    dict(pays="mean", players=3, humans=(0.0, 0.5, 0.5), weights=(1.0, 2.0, 3.0)),
    dict(connected=True, players=1, cars=3, spawn=0.9, duration=30),
]


def lock_step(params, seed):
    world = build(ID, params)
    word = kit.started(world, seed=seed, level={"agents": [agent()] * world.parameters["players"]}).records["rng"][0]
    batch = kit.started(world, seed=seed)
    twin = Traffic(world.parameters, None, int(word))
    assert twin.word == int(batch.records["rng"][0])
    rng, players = np.random.default_rng(seed), world.parameters["players"]
    while not batch.over().all():
        s = batch.record()
        assert int(s.count) == len(twin.cars)
        for name, attribute in dict(way="way", speed="speed", wanted="wanted", yields="yields", crash="crash").items():
            values = [float(getattr(car, attribute)) for car in twin.cars]
            assert np.asarray(s[name])[: s.count] == pytest.approx(values, abs=1e-6), name
        for a in range(players):
            cars, agents = twin.observe(a)
            assert in_order(batch.observations[0][a]["cars"]) == pytest.approx(in_order(cars), abs=1e-5)
            assert batch.observations[0][a]["agents"] == pytest.approx(np.array(agents), abs=1e-4)
        actions = rng.choice(3, players, p=(0.2, 0.3, 0.5))
        batch.step(actions[None])
        objectives, over = twin.step(actions.tolist())
        assert batch.records["objectives"][0] == pytest.approx(np.array(objectives, float), abs=1e-6)
        assert batch.rewards[0] == pytest.approx(np.array(objectives) @ world.parameters["weights"], abs=1e-5)
        assert bool(batch.terminations.any()) == over
    return twin


@pytest.mark.parametrize("case", [0, 1])
def test_in_lock_step_with_a_second_implementation(case):
    lock_step(CASES[case], case)


@pytest.mark.slow
@pytest.mark.parametrize("case", range(len(CASES)))
def test_in_lock_step_for_long(case):
    for seed in range(5):
        lock_step(CASES[case], 100 + seed)


# Probes of the rules.


def step(batch, action=IDLE):
    batch.step(action)
    return batch.record()


def test_a_free_driver_reaches_ten_after_a_yield():
    """A driver wants the speed of its entry; after it has yielded, 10 m/s."""
    for wanted, yields, speed in ((7.0, False, 7.0), (0.0, True, 10.0)):
        batch = opened([FAR], [agent("south", "north", 0.0, 7.0, wanted=wanted, yields=yields)])
        for _ in range(8):
            s = step(batch)
        assert s.speed[2] == pytest.approx(speed, abs=0.01)


def test_a_queue_keeps_its_gap():
    """In equilibrium behind a car of constant speed v: gap (7 + 1.5 v) / sqrt(1 - (v / 10)^exponent)."""
    cars = [agent("south", "north", way, 6.0, wanted=wanted) for way, wanted in ((20.0, 6.0), (3.0, 10.0))]
    batch = opened([FAR], cars)
    for _ in range(12):
        s = step(batch)
    assert s.way[2] - s.way[3] == pytest.approx((7 + 1.5 * 6) / math.sqrt(1 - 0.6**4), abs=0.1)


@pytest.mark.parametrize(
    ("start", "to", "way", "loser"),
    [
        ("south", "north", 85.0, 2),
        ("south", "west", 85.0, 2),
        ("east", "south", 84.0, 3),  # both on approaches of priority 3: the car behind
        ("east", "south", 102.5, 2),  # turning left already: priority 2
        ("east", "west", 84.0, None),
    ],
)
def test_who_yields(start, to, way, loser):
    """Car 3 comes from the west and goes straight."""
    other = agent("west", "east", way + 0.5 if way > 100 else 84.0, 9.0)
    batch, seen = opened([FAR], [agent(start, to, way, 9.0), other]), set()
    for _ in range(2):
        s = step(batch)
        seen |= {k for k in (2, 3) if s.yields[k]}
        if seen:
            break
    assert seen == (set() if loser is None else {loser})


def test_hasty_drivers_do_not_yield():
    for driver, yields in (("normal", True), ("careful", True), ("hasty", False)):
        cars = [agent("south", "north", 85.0, 9.0, driver=driver), agent("west", "east", 84.0, 9.0)]
        batch, seen = opened([FAR], cars), False
        for _ in range(2):
            seen |= bool(step(batch).yields[2])
        assert seen == yields


def test_agents_do_not_yield_and_others_do_for_them():
    batch = opened([agent("west", "east", 84.0)], [agent("south", "north", 85.0, 9.0)])
    assert step(batch).yields[2] and batch.record().wanted[0] == 9.0
    batch = opened([agent("south", "north", 85.0)], [agent("west", "east", 84.0, 9.0)])
    assert not step(batch).yields[:3].any()


def test_wrecks_slow_down():
    batch = opened([FAR], [agent("south", "north", 50.0, 9.0, crash=2), agent("east", "west", 10.0, 9.0, crash=1)])
    s = step(batch)
    assert s.speed[2] == pytest.approx(9 * (14 / 15) ** 15) and s.way[2] == pytest.approx(59 - s.speed[2])
    assert s.crash[3] == 2 and not batch.over().any()


def test_a_crash_ends_the_episode():
    batch = opened([agent(way=60.0)], [agent("south", "north", 72.0, 0.0, crash=2)], weights=(5.0, 1.0, 1.0))
    s = step(batch)
    assert s.crash[0] == 2 and batch.terminations.all() and not batch.truncations.any()
    assert batch.rewards[0, 0] == pytest.approx(-5 + min(max((s.speed[0] - 7) / 2, 0), 1))


def test_arrival_pays_until_all_have_arrived():
    """25 m into the exit; the path to the west is 100 + 13 pi / 2 m long before."""
    far = 125 + 6.5 * math.pi
    batch = opened([agent(way=far - 9.5), agent("east", "west", 60.0, 0.0, wanted=0.0)], duration=3)
    paid = [step(batch) and batch.rewards[0].tolist() for _ in range(3)]
    assert paid == [[1, 0], [1, 0], [1, 0]] and batch.truncations.all()
    batch = opened([agent(way=far - 8.5), agent("north", "south", 139.0, 9.0)], pays="mean")
    step(batch)
    assert batch.rewards[0].tolist() == [1, 1] and batch.terminations.all()
    batch = opened([agent(way=far - 8.5), agent("east", "west", 60.0, 9.0)], pays="mean", weights=(0.0, 1.0, 3.0))
    step(batch)
    assert batch.rewards[0].tolist() == [2, 2]


def test_cars_leave_and_arrive():
    """Straight paths are 222 m long. Cars are gone in the step after the one that brings them within 20 m."""
    batch = opened([FAR], [agent("south", "north", 192.5, 10.0, wanted=10.0)])
    assert step(batch).count == 3 and step(batch).count == 2
    counts = []
    for spawn in (0.0, 0.5, 1.0):
        batch = kit.started(ID, 400, spawn=spawn, cars=0)
        batch.step(IDLE)
        assert (batch.records["count"] == 2).all()
        batch.step(IDLE)
        counts.append((batch.records["count"] == 3).mean())
        new = batch.records["way"][:, 2][batch.records["count"] == 3]
        if len(new):
            assert 12.5 < new.mean() < 14 and 0.9 < new.std() < 1.7
            arms = np.bincount(batch.records["arm"][:, 2][batch.records["count"] == 3], minlength=4)
            assert arms.min() > 0.17 * len(new)
    assert counts[0] == 0 and abs(counts[1] - 0.5) < 0.08 and counts[2] == 1


def test_the_start():
    batch = kit.started(ID, 1500, destination="random")
    s = batch.records
    assert s["way"][:, :2].mean() == pytest.approx(65, abs=0.3) and s["way"][:, :2].std() == pytest.approx(5, abs=0.2)
    turns = (s["exit"][:, :2] - s["arm"][:, :2]) % 4
    assert np.bincount(turns.ravel(), minlength=4)[0] == 0 and np.bincount(turns.ravel())[1:].min() > 900
    for k in range(2, 12):
        there = s["count"] > k
        for a in range(2):
            apart = np.hypot(s["x"][there, k] - s["x"][there, a], s["y"][there, k] - s["y"][there, a])
            assert (apart >= 20).all()
    exponents = s["exponent"][:, 2][s["count"] > 2]
    assert 3.5 <= exponents.min() < 3.51 and 4.49 < exponents.max() <= 4.5


def test_kinds_of_drivers():
    batch = kit.started(ID, 500, humans=(0.0, 0.25, 0.75))
    drivers = np.concatenate([batch.records["driver"][i, 2:count] for i, count in enumerate(batch.records["count"])])
    assert np.bincount(drivers, minlength=3)[0] == 0 and np.mean(drivers == 1) == pytest.approx(0.25, abs=0.04)
    with pytest.raises(ParameterError, match="share"):
        build(ID, dict(humans=(0.0, 0.0, 0.0)))


def test_levels():
    batch = kit.started(ID, seed=4)
    level = batch.world.get_level(batch.record())
    again = kit.started(ID, level=level)
    for name in ("count", "arm", "exit", "way", "speed", "wanted", "exponent", "yields", "crash", "x", "y"):
        assert (batch.records[name] == again.records[name]).all(), name
    good = {"agents": [agent(), FAR], "cars": []}
    for wrong, words in (
        ({"agents": [agent()]}, "list of 2"),
        ({**good, "bikes": []}, "unknown part 'bikes'"),
        ({**good, "cars": [agent()] * 25}, "at most 24"),
        ({**good, "cars": [{"from": "south"}]}, "car 0 must have"),
        ({**good, "cars": [agent(to="south")]}, "where it comes from"),
        ({**good, "cars": [agent("up")]}, "car 0: from='up' is unknown; known: south, west, north, east"),
        ({**good, "cars": [agent(way=1e9)]}, "car 0: way=1000000000.0 must be a number from -1000 to 3000"),
        ({**good, "cars": [agent(crash=3)]}, "car 0: crash=3 must be an integer from 0 to 2"),
        ({**good, "cars": [agent(driver="drunk")]}, "car 0: driver='drunk' is unknown; known: normal, hasty, careful"),
    ):
        with pytest.raises(LevelError, match=words):
            kit.started(ID, level=wrong)


# Text and baselines.


def test_text():
    batch = opened([agent(way=65.0), FAR])
    text = batch.world.text(batch.record(), 0)
    assert "You come from the south and go left, to the west." in text
    assert "on the approach, 35.0 m before the crossing" in text and "60 steps are left" in text
    assert "car_1, an agent, comes from the west and goes to the east" in text


def test_baselines():
    """Gaps and reservations are better than random play, and crash less than drivers that keep their speed."""
    means = {policy: statistics(policy, 300)[0] for policy in ("random", "idle", "gap", "reservation")}
    assert means["reservation"][0] > means["idle"][0] > means["random"][0] + 2
    assert means["gap"][0] > means["random"][0] + 2
    assert max(means["gap"][1], means["reservation"][1]) < 0.17 < 0.25 < means["idle"][1]


@pytest.mark.slow
def test_reservations_never_collide():
    """Four agents without other cars: by construction, no episode of 500 ends in a crash."""
    params = dict(EMPTY, players=4, destination="random", duration=20)
    mean, _ = statistics("reservation", 500, **params)
    assert mean[1] == 0 and mean[2] > 0.95
    assert statistics("idle", 100, **params)[0][1] > 0.6
