"""Robots: the barrier against quadprog, closed forms, collisions, and the tasks against a second implementation."""

import gzip
import json
import math
from functools import partial

import kit
import numpy as np
import pytest

from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError, ParameterError
from envsuite.games import robots as rules
from envsuite.games.robots.barrier import certify
from envsuite.interfaces.vector import Vector
from envsuite.registry import build

ID = "envsuite/Robots-v0"
STAY, UP, DOWN, RIGHT, LEFT = range(5)

#: Made by tests/robots_reference.py: poses, wanted and certified (speed, turn), by quadprog.
SCENES = json.loads((kit.DATA / "Robots" / "robots_reference.json").read_text())

started = partial(kit.started, ID)


def certified(poses, wanted):
    """Speeds and turns after the barrier, and whether it has a solution."""
    poses, wanted = np.array(poses, np.float64), np.array(wanted, np.float64)
    front = np.stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])], 1)
    left = np.stack([-front[:, 1], front[:, 0]], 1)
    velocity = wanted[:, :1] * front + 0.05 * wanted[:, 1:] * left
    n = len(poses)
    found = certify(poses[:, :2] + 0.05 * front, front, velocity, np.zeros((n, n)), np.zeros((n, 2)))
    return np.stack([(velocity * front).sum(1), (velocity * left).sum(1) / 0.05], 1), found


@pytest.mark.parametrize("part", [range(40), pytest.param(range(40, 240), marks=pytest.mark.slow)])
def test_the_barrier_agrees_with_quadprog(part):
    changed = 0
    for k in part:
        poses, wanted, solved = SCENES[k].values()
        ours, found = certified(poses, wanted)
        assert found and ours * [1, 0.05] == pytest.approx(np.array(solved) * [1, 0.05], abs=1e-8)
        changed += np.abs(ours - np.array(wanted)).max() > 1e-3
    assert changed > len(part) / 2


@pytest.mark.parametrize("gap, speed", [(1, 0.2), (0.5, 0.082), (0.3, -0.08), (0.25, -0.0813)])
def test_the_barrier_of_two_that_meet(gap, speed):
    ours, found = certified([[0, 0, 0], [gap, 0, math.pi]], [[0.8 * gap, 0]] * 2)
    assert found and ours[:, 0] == pytest.approx([speed] * 2, abs=5e-5) and ours[:, 1] == pytest.approx([0, 0])


def test_without_a_solution_all_wheels_stop():
    """Points that coincide, and a ring of eight that is too dense."""
    ours, found = certified([[0, 0, 0], [0.1, 0, math.pi]], [[0.1, 0], [0.1, 0]])
    assert not found and not ours.any()
    ring = [[0.1 * math.cos(k * math.pi / 4), 0.1 * math.sin(k * math.pi / 4), k * 1.0] for k in range(8)]
    ours, found = certified(ring, [[0.1, 0.5]] * 8)
    assert not found and not ours.any()


def place(*robots, **more):
    return {"robots": [list(map(float, robot)) for robot in robots], **more}


@pytest.mark.parametrize("barrier", [True, False])
def test_motion_in_closed_form(barrier):
    """0.16 m/s for 0.99 s, and 0.6 radians per second for 0.99 s; turns along an arc are sums."""
    level = place((0, 0, 0), (-1, 0, 0), targets=[[0, 0], [0, 0]])
    batch = started(1, level=level, robots=2, barrier=barrier)
    batch.step(np.array([[RIGHT, UP]]))
    assert batch.records["pose"][0] == pytest.approx(np.array([[0.1584, 0, 0], [-1, 0, 0.594]]), abs=1e-12)
    batch = started(1, level=level, robots=2, barrier=barrier, controls="continuous")
    turn = -1.0 if barrier else -3.5  # with wheels at their maximum, the barrier finds a nearer speed and turn
    batch.step(np.array([[[0.1, 0.5], [-0.1, turn]]], np.float32))
    speed = float(np.float32(0.1))
    right, left = (2 * -speed + 0.105 * turn) / 0.032, (2 * -speed - 0.105 * turn) / 0.032
    right, left = np.clip([right, left], -12.5, 12.5)
    want, angles = [(speed, 0.5), (0.008 * (left + right), 0.016 / 0.105 * (right - left))], []
    for a, (v, w) in enumerate(want):
        moved = sum(0.033 * v * np.exp(1j * 0.033 * w * k) for k in range(30)) - a
        assert batch.records["pose"][0, a, :2] @ [1, 1j] == pytest.approx(moved, abs=1e-12)
        angles.append(0.99 * w)
    assert np.exp(1j * batch.records["pose"][0, :, 2]) == pytest.approx(np.exp(1j * np.array(angles)), abs=1e-12)


def test_waypoints_stay_inside():
    batch = started(1, level=place((1.45, 0, 0), (0, -0.85, math.pi / 2), targets=[[0, 0], [0, 0]]), robots=2)
    batch.step(np.array([[RIGHT, DOWN]]))
    assert batch.records["pose"][0, 0, 0] == pytest.approx(1.45 + 0.05 * 0.8 * 0.99)
    assert batch.records["pose"][0, 1, 1] == pytest.approx(-0.85 - 0.05 * 0.8 * 0.99)
    assert batch.rewards[0, 0] == pytest.approx(-1.45 - 0.0396 - 0.85 - 0.0396)


def test_violations_pay_only_their_penalty():
    level = place((-0.15, 0, 0), (0.15, 0, math.pi), targets=[[0, 0], [0, 0]])
    for barrier in (True, False):
        batch = started(1, level=level, robots=2, barrier=barrier, violation=7.0)
        batch.step(np.array([[RIGHT, LEFT]]))
        hit = batch.records["violated"][0].tolist()
        assert hit == [not barrier, 0] and (batch.rewards[0, 0] == -7) == (not barrier)
    outside = place((1.55, 0, 0), (0, 0, 0), targets=[[0, 0], [0, 0]])
    batch = started(1, level=outside, robots=2, controls="continuous", violation=7.0)
    batch.step(np.array([[[0.2, 0], [0, 0]]], np.float32))
    assert batch.records["violated"][0].tolist() == [0, 1] and batch.rewards[0].tolist() == [-7, -7]


# The tasks, a second time: from the poses after each step, as sets of names.


class Discovery:
    def __init__(self, record, n):
        self.hidden, self.sensed = set(map(tuple, record["targets"].tolist())), set()
        self.half = (n + 1) // 2

    def pay(self, places):
        near = lambda who, mark, r: any(math.dist(place, mark) < r for place in who)  # noqa: E731
        tagged = {mark for mark in self.sensed if near(places[self.half :], mark, 0.25)}
        seen = {mark for mark in self.hidden if near(places[: self.half], mark, 0.45)}
        self.hidden, self.sensed = self.hidden - seen, (self.sensed | seen) - tagged
        return len(seen) + 5 * len(tagged) - 0.05 * bool(self.hidden or self.sensed)


class Material:
    def __init__(self, record, n):
        self.zones, self.held = dict(zip("ab", record["stock"].tolist(), strict=True)), [0] * n
        self.most = [5] * ((n + 1) // 2) + [15] * (n // 2)

    def pay(self, places):
        total = 0.0
        for a, (x, y) in enumerate(places):
            zone = "a" if math.hypot(x, y) < 0.35 else "b" if x > 1.1 else None
            if self.held[a] and x < -1.1:
                self.held[a], total = 0, total + 0.75
            elif not self.held[a] and zone and self.zones[zone]:
                self.held[a] = min(self.most[a], self.zones[zone])
                self.zones[zone], total = self.zones[zone] - self.held[a], total + 0.25
        return total - (0.1 if any(self.zones.values()) else 0)


class Warehouse:
    def __init__(self, record, n):
        self.load, self.green = set(), set(range((n + 1) // 2))

    def pay(self, places):
        total = 0
        for a, (x, y) in enumerate(places):
            below = y < 0 if a in self.green else y > 0
            above = y > 0 if a in self.green else y < 0
            if a not in self.load and x > 1.1 and below:
                self.load.add(a)
                total += 1
            elif a in self.load and x < -1.1 and above:
                self.load.remove(a)
                total += 3
        return total


class Navigation:
    def __init__(self, record, n):
        self.goals = record["targets"].tolist()

    def pay(self, places):
        return -sum(map(math.dist, places, self.goals))


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [Navigation, Discovery, Material, Warehouse])
def test_the_tasks_in_lock_step(scenario):
    """Robots without a load drive to the right and loaded ones to the left, with random moves, in 12 episodes."""
    vector = Vector(build(ID, dict(scenario=scenario.__name__.lower(), robots=5, horizon=100)), 12)
    vector.reset(0)
    records = vector.batch.records
    told = [scenario(record, 5) for record in records]
    seen = set()
    rng = np.random.default_rng(0)
    for _ in range(99):
        ways = np.where(records["loads"] > 0, LEFT, RIGHT)
        moves = rng.integers(5, size=(12, 5))
        vector.step(np.where(rng.random((12, 5)) < (0.5 if records["stock"].any() else 0.3), ways, moves))
        for k, record in enumerate(records):
            pay = told[k].pay(record["pose"][:, :2].tolist())
            assert vector.batch.rewards[k] == pytest.approx([pay] * 5, abs=1e-9)
            seen.add(round(pay, 6))
    assert len(seen) > 2


def test_pictures_and_text_keep_the_goals_of_others():
    level = place((0, 0, 0), (-1, 0, 0), targets=[[1.2, 0.3], [0.7, -0.6]])
    batch = started(1, level=level, robots=2)
    text = batch.world.text(batch.record(), 1)
    assert "(0.70, -0.60)" in text and "1.20" not in text


@pytest.mark.slow
@pytest.mark.parametrize("robots, worlds", [(2, 300), (4, 100)])
def test_no_collisions_with_the_barrier(robots, worlds):
    """Random speeds and turns, towards the middle: robots meet all the time without a barrier, and never with it."""
    hits = {}
    for barrier in (True, False):
        made = build(ID, dict(robots=robots, controls="continuous", barrier=barrier, substeps=30, horizon=1000))
        vector = Vector(made, worlds)
        vector.reset(0)
        rng, hits[barrier] = np.random.default_rng(0), 0
        for _ in range(40):
            pose = vector.batch.records["pose"]
            side = pose[..., 0] * np.sin(pose[..., 2]) - pose[..., 1] * np.cos(pose[..., 2])
            speed = rng.uniform(-0.02, 0.2, side.shape)
            turn = np.clip(2 * side + rng.normal(0, 0.5, side.shape), -3, 3)
            vector.step(np.stack([speed, turn], -1).astype(np.float32))
            hits[barrier] += int(vector.batch.records["violated"][:, 0].sum())
    assert hits[True] == 0 and hits[False] > 10


@pytest.mark.slow
def test_baselines():
    """They beat random play in all tasks."""
    for scenario in ("navigation", "discovery", "material", "warehouse"):
        vector = Vector(build(ID, dict(scenario=scenario)), 16)
        random, straight, shuffling = (
            vector.rollout(policy, steps=100, seed=0).returns[0] for policy in ("random", "straight", "shuffling")
        )
        assert max(straight, shuffling) > random, (scenario, random, straight, shuffling)


def test_bad_input():
    with pytest.raises(ParameterError, match="robots=1"):
        build(ID, dict(robots=1))
    targets = [[0, 0]] * 3
    kit.refuses(
        build(ID, {}),
        (place((0, 0, 0), targets=targets), "robots must be 3 lists of 3 numbers"),
        (place((0, 0, 0), (0, 3, 0), (0, 0.5, 0), targets=targets), "=3.0 must be a number from -1 to 1"),
        (place((0, 0, math.nan), (0, 1, 0), (0, 0, 0), targets=targets), r"robots\[0\]\[2\]=nan must be a number"),
    )
    with pytest.raises(LevelError, match=r"stock\[1\]=1.5 must be an integer from 0 to 200"):
        started(1, scenario="material", level=place(*[(0, 0, 0)] * 4, stock=[75, 1.5]))


# Arctic, foraging, rware and predator: JaxRobotarium's own rules on recorded places, then a second implementation.

#: Made by tests/data/recorders/robots.py.
RECORDED = json.loads(gzip.decompress((kit.DATA / "Robots" / "robots_tasks.json.gz").read_bytes()))


def new(scenario, robots, worlds=1, **params):
    """A batch that runs as Python, without barrier and with one part in a step."""
    params = dict(scenario=scenario, robots=robots, barrier=False, substeps=1, horizon=1000, **params)
    return Batch(build(ID, params), worlds, compiled=False)


def go_to(monkeypatch, places):
    """Let robots be at places (worlds, robots, 3) after the motion of the next step."""
    todo = iter(places)

    def move(s):
        s.pose[...] = next(todo)

    monkeypatch.setattr(rules, "move", move)


def wanted(pose, way):
    """The speeds and turns of the controller of JaxRobotarium."""
    gap, angle = way - pose[:, :2], pose[:, 2]
    far, bearing = np.hypot(*gap.T), np.arctan2(gap[:, 1], gap[:, 0]) - angle
    return np.stack([0.8 * far * np.cos(bearing), 3 * far * np.sin(bearing)], 1)


def level_of(told):
    place = [[x, y, math.remainder(angle, 2 * math.pi)] for x, y, angle in told["at"]]
    level = {"robots": place}
    if told["scenario"] not in ("arctic", "rware"):
        level["targets"] = told["places"]
    if told["scenario"] == "arctic":
        assert set(told["tiles"][0]) == {3} and not any(told["tiles"][-1])
        level["tiles"] = ["".join(".iw"[tile] for tile in row) for row in told["tiles"][1:-1]]
    if told["scenario"] == "foraging":
        level["levels"] = told["levels"]
    if told["scenario"] == "rware":
        level["requests"] = [shelf + 1 for shelf in told["asked"]]
    return level


@pytest.mark.parametrize("told", RECORDED, ids=[f"{told['scenario']}-{len(told['at'])}" for told in RECORDED])
def test_jaxrobotarium_in_lock_step(told, monkeypatch):
    """Waypoints, rewards, and all that the rules change, in 60 steps of each episode."""
    scenario, robots = told["scenario"], len(told["at"])
    batch = new(scenario, robots)
    batch.start(0, level_of(told))
    record, paid = batch.records[0], set()
    for step in told["steps"]:
        before = record["pose"].copy()
        go_to(monkeypatch, [step["at"]])
        batch.step(np.array([step["a"]]))
        assert record["wanted"] == pytest.approx(wanted(before, np.array(step["way"])), abs=1e-9)
        pay, seen = step["pay"], batch.world.observation(batch.record(), robots - 1)
        if scenario == "foraging":
            pay -= 0.01 if max(step["left"]) > 0 else 0  # the source never pays it
            assert seen.targets[:, 2].tolist() == [max(level, 0) for level in step["left"]]
        if scenario == "arctic":
            assert np.ravel(seen.around).tolist() == step["around"] and seen.tile[0] == step["own"][-1]
        if scenario == "predator":
            assert record["prey"] == pytest.approx(np.array(step["prey"]), abs=1e-9)
        if scenario == "rware":
            assert record["loads"].tolist() == [shelf + 1 for shelf in step["held"]]
            assert record["shelves"].tolist() == [shelf + 1 for shelf in step["cells"]]
            record["requests"] = [shelf + 1 for shelf in step["asked"]]  # its chance
        assert batch.rewards[0, 0] == pytest.approx(pay, abs=1e-9)
        paid.add(round(pay, 6))
    assert len(paid) > 1


class Arctic:
    def __init__(self, record, n):
        self.drones, self.n = (n + 1) // 2, n
        self.tiles = dict(np.ndenumerate(record["terrain"]))

    def cell(self, x, y):
        return max(0, min(7, math.floor(4 - 4 * y))), max(0, min(11, math.floor(4 * x + 6)))

    def stride(self, a, x, y):
        tile, kind = "gIWg"[self.tiles[self.cell(x, y)]], "D" if a < self.drones else "IW"[(a - self.drones) % 2]
        return 0.2 if kind == "D" or tile == "g" else 0.3 if tile == kind else 0.1

    def pay(self, stands, places, record):
        low = [0.75 - y for _, y in places[self.drones :] if y <= 0.75]
        return -0.05 * sum(low) - 0.1 * bool(low)

    def seen(self, places, a):
        def around(i, j):
            return [[self.tiles.get((i + k, j + m), -1) for m in (-1, 0, 1)] for k in (-1, 0, 1)]

        return {
            "around": [around(*self.cell(*place)) for place in places[: self.drones]],
            "tile": [self.tiles[self.cell(*places[a])]],
            "duties": [[0 if b < self.drones else 1 + (b - self.drones) % 2, 0] for b in turned(self.n, a)],
        }


class Foraging:
    def __init__(self, record, n):
        self.left, self.n = dict(zip(map(tuple, record["resources"].tolist()), record["demands"].tolist())), n
        self.all, everyone = list(self.left), n * (n + 1) // 2
        assert sorted(self.left.values()) == [everyone - 1, everyone]

    def pay(self, stands, places, record):
        strength = {
            spot: sum(a for a, place in enumerate(places, 1) if math.dist(place, spot) < 0.3) for spot in self.all
        }
        done = {spot: level for spot, level in self.left.items() if strength[spot] >= level}
        self.left = {spot: level for spot, level in self.left.items() if spot not in done}
        return sum(done.values()) - 0.01 * bool(self.left)

    def seen(self, places, a):
        targets = [[*spot, self.left.get(spot, 0)] for spot in self.all]
        return {"levels": [b + 1 for b in turned(self.n, a)], "targets": targets}


class Rware:
    CELLS = {shelf: (-1.1 + 0.85 * ((shelf - 1) % 3), 0.25 if shelf < 4 else -0.25) for shelf in range(1, 7)}

    def __init__(self, record, n):
        self.at = {shelf: ("cell", shelf) for shelf in self.CELLS}
        self.requests, self.n = record["requests"].tolist(), n
        assert len(self.requests) == min(n, 6) == len(set(self.requests))

    def inside(self, kind, k):
        return next((shelf for shelf, place in self.at.items() if place == (kind, k)), 0)

    def blocked(self, a, start, end):
        full = [self.CELLS[cell] for kind, cell in self.at.values() if kind == "cell"]
        points = [np.array(start) + part * (np.array(end) - start) for part in (0, 0.25, 0.5, 0.75, 1)]
        near = [np.abs(point - cell).max() < 0.125 for point in points for cell in full]
        return bool(self.inside("robot", a)) and any(near)

    def pay(self, stands, places, record):
        delivered = set()
        for a, place in enumerate(places):
            held, cell = self.inside("robot", a), [k for k, at in self.CELLS.items() if math.dist(place, at) < 0.2]
            if stands[a] and cell:
                there = self.inside("cell", cell[0])
                if held and not there:
                    self.at[held] = ("cell", cell[0])
                elif there and not held:
                    self.at[there] = ("robot", a)
            elif held in self.requests and place[0] > 1.1:
                delivered.add(held)
        kept = [shelf for shelf in self.requests if shelf not in delivered]
        now = record["requests"].tolist()
        assert [new for new, old in zip(now, self.requests) if old not in delivered] == kept
        assert len(set(now)) == len(now) and set(now) <= set(self.CELLS)
        self.requests = now
        return len(delivered)

    def seen(self, places, a):
        cells = [[*at, self.inside("cell", cell)] for cell, at in self.CELLS.items()]
        held = [[0, self.inside("robot", b)] for b in turned(self.n, a)]
        return {"targets": cells, "duties": held, "requests": self.requests}


class Predator:
    def __init__(self, record, n):
        self.prey, self.n = record["prey"].copy(), n

    def flee(self, places, prey):
        angles, lengths = np.meshgrid(np.arange(8) * np.pi / 4, np.linspace(0.05, 0.3, 4), indexing="ij")
        reached = self.prey + np.stack([lengths * np.cos(angles), lengths * np.sin(angles)], -1).reshape(32, 2)
        reached = np.clip(reached, [-1.5, -0.9], [1.5, 0.9])
        safety = np.linalg.norm(reached[:, None] - np.array(places), axis=2).min(1)
        best = reached[safety > safety.max() - 1e-9]  # symmetric places differ by roundings
        assert (np.abs(best - prey).max(1) < 1e-9).any()
        self.prey = prey.copy()

    def pay(self, stands, places, record):
        return 10 * any(math.dist(place, self.prey) < 0.2 for place in places)

    def seen(self, places, a):
        return {"targets": [[*self.prey, 0]], "duties": [[0, 0]] * self.n}


def turned(n, a):
    """The numbers of robots from one on."""
    return [(a + k) % n for k in range(n)]


#: Where robots are put.
SPOTS = [*Rware.CELLS.values(), (1.3, 0.0), (1.3, 0.5), (-1.1, 0.75), (0.5, 0.76)]


@pytest.mark.parametrize("controls", ["discrete", "continuous"])
@pytest.mark.parametrize("robots", [4, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 7))])
@pytest.mark.parametrize("scenario", [Arctic, Foraging, Rware, Predator])
def test_new_tasks_in_lock_step(scenario, robots, controls, monkeypatch):
    """Robots jump to random places: what they want, what is paid, and what each sees, in 60 steps."""
    batch = new(scenario.__name__.lower(), robots, controls=controls)
    batch.start(robots)
    record, rng, paid = batch.records[0], np.random.default_rng(robots), set()
    told = scenario(record, robots)
    for number in range(60):
        before = record["pose"].copy()
        places = before[:, :2].tolist()
        spots = SPOTS
        if scenario is Foraging:
            spots = [record["resources"][rng.integers(2)]]
        if scenario is Predator:
            spots = [record["prey"] + rng.normal(0, 0.2, 2)]
        after = np.stack(
            [rng.uniform(-1.7, 1.7, robots), rng.uniform(-1.1, 1.1, robots), rng.uniform(-3, 3, robots)], 1
        )
        near = rng.random(robots) < (0.3 if scenario is Foraging and number < 30 else 0.85)
        after[near, :2] = np.array(spots)[rng.integers(len(spots), size=near.sum())]
        after[near, :2] += rng.normal(0, 0.1, (near.sum(), 2))
        go_to(monkeypatch, [after])
        stays = rng.random(robots) < 0.4
        if controls == "discrete":
            actions = np.where(stays, STAY, rng.integers(5, size=robots))
            stays, ways = actions == STAY, np.array([[0, 0], [0, 1], [0, -1], [1, 0], [-1, 0]])[actions]
            length = [told.stride(a, *places[a]) if scenario is Arctic else 0.2 for a in range(robots)]
            ways = np.clip(before[:, :2] + ways * np.array(length)[:, None], [-1.5, -0.9], [1.5, 0.9])
            for a in range(robots):
                if scenario is Rware and told.blocked(a, places[a], ways[a]):
                    ways[a] = places[a]
            expected = wanted(before, ways)
        else:
            actions = rng.uniform(-0.2, 0.2, (robots, 2)).astype(np.float32)
            actions[stays, 0] = rng.uniform(-0.009, 0.009, stays.sum())
            stays, expected = np.abs(actions[:, 0]) < 0.01, actions.astype(float)
            for a in range(robots):
                if scenario is Arctic:
                    expected[a] *= told.stride(a, *places[a]) / 0.2
                ahead = 0.033 * expected[a, 0] * np.array([np.cos(before[a, 2]), np.sin(before[a, 2])])
                if scenario is Rware and told.blocked(a, places[a], np.array(places[a]) + ahead):
                    expected[a, 0] = 0
        batch.step(actions[None])
        assert record["wanted"] == pytest.approx(expected, abs=1e-9)
        if scenario is Predator:
            told.flee(places, record["prey"])
        places = after[:, :2].tolist()
        pay = told.pay(stays, places, record)
        assert batch.rewards[0].tolist() == pytest.approx([pay] * robots, abs=1e-9)
        paid.add(round(pay, 6))
        for a in range(robots):
            seen = batch.world.observation(batch.record(), a)
            for part, value in told.seen(places, a).items():
                assert getattr(seen, part) == pytest.approx(np.array(value), abs=1e-6), part
    assert len(paid) > 1


def test_chance_of_the_new_tasks():
    """Tiles, levels, requests and places are uniform; starts of arctic and rware are fixed."""
    arctic, foraging, rware, predator = (new(name, 4, 200) for name in ("arctic", "foraging", "rware", "predator"))
    for batch in (arctic, foraging, rware, predator):
        batch.start(0)
    tiles = arctic.records["terrain"]
    assert (tiles[:, 0] == 3).all() and not tiles[:, 7].any()
    assert np.bincount(tiles[:, 1:7].ravel()) / 14400 == pytest.approx([1 / 3] * 3, abs=0.015)
    assert arctic.records["pose"][7] == pytest.approx(np.array([[x, -0.8, 0] for x in (-0.3, 0.3, -0.9, 0.9)]))
    assert rware.records["pose"][7, :, 0] == pytest.approx(np.linspace(-1.1, 1.1, 4))
    assert (rware.records["pose"][..., 1:] == [-0.75, math.pi / 2]).all()
    assert np.bincount(rware.records["requests"].ravel(), minlength=7)[1:] / 800 == pytest.approx([1 / 6] * 6, abs=0.03)
    larger = (foraging.records["demands"] == [10, 9]).all(1)
    assert 0.4 < larger.mean() < 0.6 and (foraging.records["demands"][~larger] == [9, 10]).all()
    for batch, name in ((foraging, "resources"), (predator, "lair")):
        places = np.concatenate([batch.records["pose"][..., :2], batch.records[name]], 1)
        assert all(len(set(map(tuple, row))) == len(row) for row in places.tolist())
        assert len({tuple(row) for row in batch.records[name].reshape(-1, 2).tolist()}) == 24


def test_the_delivered_shelf_may_be_requested_again():
    batch, seen = new("rware", 2, 200), set()
    batch.start(0, place((1.3, 0, 0), (0, -0.75, 0), requests=[2, 5]))
    batch.records["loads"][:, 0], batch.records["shelves"][:, 1] = 2, 0
    batch.step(np.zeros((200, 2), int))
    assert (batch.rewards == 1).all() and (batch.records["loads"][:, 0] == 2).all()
    seen = np.bincount(batch.records["requests"][:, 0], minlength=7)
    assert seen[0] == seen[5] == 0 and (seen[[1, 2, 3, 4, 6]] > 15).all()
    assert (batch.records["requests"][:, 1] == 5).all()


def test_the_prey_takes_the_first_of_equal_places():
    batch = new("predator", 2)
    batch.start(0, place((-0.6, 0, 0), (0.6, 0, 0), targets=[[0, 0]]))
    batch.step(np.zeros((1, 2), int))
    assert batch.records["prey"][0] == pytest.approx([0, 0.3], abs=1e-12)


@pytest.mark.parametrize("scenario", ["arctic", "foraging", "rware", "predator"])
def test_levels_of_the_new_tasks(scenario):
    batch, other = new(scenario, 8), new(scenario, 8)
    batch.start(5)
    level = json.loads(json.dumps(batch.world.get_level(batch.record())))
    other.start(0, level)
    assert other.world.get_level(other.record()) == level
    for name in {"terrain", "resources", "demands", "requests", "prey", "pose"} & set(batch.records.dtype.names):
        assert (batch.records[name] == other.records[name]).all()


def test_bad_levels_of_the_new_tasks():
    robots = place((0, 0, 0), (1, 0, 0))
    rows = ["............"] * 6
    kit.refuses(
        build(ID, dict(scenario="arctic", robots=2)),
        ({**robots, "tiles": rows[:5]}, "tiles must be 6 texts of 12 letters"),
        ({**robots, "tiles": [*rows[:5], "..........."]}, "tiles must be 6 texts of 12 letters"),
        ({**robots, "tiles": [*rows[:5], "...........g"]}, "tiles has the letter 'g'; known: . i w"),
    )
    foraging = {**robots, "targets": [[0.5, 0.5], [-0.5, 0.5]]}
    kit.refuses(
        build(ID, dict(scenario="foraging", robots=2)),
        ({**foraging, "levels": [3, 0]}, r"levels\[1\]=0 must be an integer from 1 to 36"),
        ({**foraging, "levels": [3, 2], "targets": [[0, 0]]}, "targets must be 2 lists of 2 numbers"),
    )
    kit.refuses(
        build(ID, dict(scenario="rware", robots=2)),
        ({**robots, "requests": [3, 3]}, "names a shelf twice"),
        ({**robots, "requests": [3, 7]}, "from 1 to 6"),
    )
    kit.refuses(
        build(ID, dict(scenario="predator", robots=2)),
        ({**robots, "targets": [[0, 3]]}, r"targets\[0\]\[1\]=3 must be a number from -1 to 1"),
    )


def test_agents_see_only_known_tiles():
    """Pictures and texts of agents are the same, whatever the tiles that no drone is near are."""
    batch = new("arctic", 4)
    batch.start(0)
    before = [(batch.world.text(batch.record(), a), batch.world.scene(batch.record(), a)) for a in range(4)]
    batch.records["terrain"][0, 1:6] = (batch.records["terrain"][0, 1:6] + 1) % 3
    for a, (text, scene) in enumerate(before):
        assert batch.world.text(batch.record(), a) == text
        assert batch.world.scene(batch.record(), a).svg() == scene.svg()
    assert batch.world.scene(batch.record()).svg() != before[0][1].svg()


@pytest.mark.slow
@pytest.mark.parametrize("controls", ["discrete", "continuous"])
def test_baselines_of_the_new_tasks(controls):
    """Without barriers, as Python: they beat random play by far."""
    for scenario, name, gain in (
        ("arctic", "straight", 10),
        ("foraging", "straight", 3),
        ("rware", "lanes", 3),
        ("predator", "straight", 10),
    ):
        made = build(ID, dict(scenario=scenario, controls=controls, barrier=False, substeps=30))
        vector = Vector(made, 2, compiled=False)
        chance, best = (vector.rollout(policy, steps=100, seed=0).returns[0] for policy in ("random", name))
        assert best > chance + gain, (scenario, chance, best)
