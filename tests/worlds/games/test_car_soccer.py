"""CarSoccer against closed forms, conserved momentum and energy, symmetry bit for bit, and a second implementation."""

import cmath
import math
from functools import partial

import kit
import numpy as np
import pytest

from envsuite.core.errors import LevelError, SnapshotError
from envsuite.games.car_soccer import NAMES, PADS, collide
from envsuite.interfaces.vector import Vector
from envsuite.registry import build

ID = "envsuite/CarSoccer-v0"

started = partial(kit.started, ID)

AWAY = [0.0, 30.0, 0.0, 0.0]


def alone(*control, ball=AWAY, car=(-40.0, -10.0, 1.0, 0.0), **params):
    """A continuous batch in which blue has these controls, and a step of it; orange stands in a corner."""
    level = {"ball": list(ball), "cars": [list(car), [45.0, 20.0, -1.0, 0.0]]}
    batch = started(1, level=level, controls="continuous", **params)

    def step(*others):
        batch.step(np.array([[others or control, [0.0, 0.0, -1.0]]], np.float32))
        return batch.records[0]

    return batch, step


def test_throttle_coasting_and_brake_in_closed_form():
    batch, step = alone(1.0, 0.0, -1.0)
    for t in range(1, 46):
        record = step()
        assert record["velocity"][0] == pytest.approx([14 * (1 - (1 - 8 / 7 / 120) ** (8 * t)), 0], abs=1e-12)
    speed, place = record["velocity"][0, 0], record["position"][0, 0]
    while record["velocity"][0, 0] > 0:
        record = step(0.0, 0.0, -1.0)
    assert record["position"][0, 0] - place == pytest.approx(speed**2 / 10.5, abs=speed / 120)
    for _ in range(20):
        record = step(-1.0, 0.0, -1.0)
    backward = record["velocity"][0, 0]
    assert backward == pytest.approx(-14 * (1 - (1 - 8 / 7 / 120) ** 160), abs=1e-12)
    assert step(0.5, 0.0, -1.0)["velocity"][0, 0] == pytest.approx(backward + 8 * 17.5 / 120, abs=1e-12)


def test_boost_uses_the_tank_up_to_the_top_speed():
    batch, step = alone(0.0, 0.0, 1.0)
    for t in range(1, 16):
        record = step()
        parts = min(8 * t, math.ceil(33 / (33.3 / 120)))
        speed = parts * 9.92 / 120 - (8 * t - parts) * 5.25 / 120
        assert record["velocity"][0, 0] == pytest.approx(speed, abs=1e-9)
        assert record["tank"][0] == pytest.approx(max(33 - 8 * t * 33.3 / 120, 0), abs=1e-9)
        assert record["boosted"][0] == 1
    assert step()["boosted"][0] == 0
    batch, step = alone(1.0, 0.0, 1.0, car=(-42.0, 30.0, 1.0, 0.0))
    batch.records["tank"] = 100.0
    for _ in range(45):
        fastest = np.hypot(*step()["velocity"][0])
    assert fastest == pytest.approx(23, abs=1e-9)


def test_the_path_curves_as_the_rules_say():
    """At a constant speed the curvature of the path is that of the table, up to the slip."""
    for throttle, speed in ((0.6, 5.6), (1.0, 12.0)):
        batch, step = alone(throttle, 1.0, -1.0, car=(-20.0, -15.0, 1.0, 0.0))
        for _ in range(60):
            record = step()
        before, heading = record["velocity"][0] @ [1, 1j], record["heading"][0] @ [1, 1j]
        after = step()["velocity"][0] @ [1, 1j]
        forward = (before * heading.conjugate()).real
        curve = cmath.phase(after / before) * 15 / abs(before)
        table = np.interp(forward, [0, 5, 10, 15, 17.5, 23], [0.69, 0.398, 0.235, 0.1375, 0.11, 0.088])
        assert curve == pytest.approx(table, rel=0.03), speed


def test_contacts_keep_momentum_and_energy():
    """Six cars and the ball in a heap; and pairs, which part with `bumper` times the speed of their approach."""
    rng, mass = np.random.default_rng(0), np.array([1.8] * 6 + [0.3])
    for bumper in (0.0, 0.4, 1.0):
        s = started(1, cars=3, bumper=bumper, kick=0.0).record(0)
        for _ in range(10):
            s.position[...], s.velocity[...] = rng.uniform(-2, 2, (7, 2)), rng.uniform(-20, 20, (7, 2))
            before = [mass @ np.asarray(part) for part in (s.position, s.velocity)]
            collide(s)
            after = [mass @ np.asarray(part) for part in (s.position, s.velocity)]
            assert np.concatenate(after) == pytest.approx(np.concatenate(before), abs=1e-11) and s.changes.any()
        for a, b in ((0, 4), (2, 6)):
            s.position[...] = [[9.0 * k, 0.0] for k in range(7)]
            s.position[b] = s.position[a] + [0.9, 1.0]
            s.touched[...] = 0
            normal = np.array([0.9, 1.0]) / np.hypot(0.9, 1.0)
            s.velocity[b] = s.velocity[a] - 7.0 * normal + [1.0, -0.9]
            energy = mass @ (np.asarray(s.velocity) ** 2).sum(1)
            collide(s)
            assert (s.velocity[b] - s.velocity[a]) @ normal == pytest.approx(7 * bumper)
            assert np.hypot(*(s.position[b] - s.position[a])) == pytest.approx(1.5 if b == 4 else 1.68)
            assert (mass @ (np.asarray(s.velocity) ** 2).sum(1) == pytest.approx(energy)) == (bumper == 1)
            assert s.touched[a] == (b == 6)


def test_walls_keep_the_energy_of_the_ball():
    for ball, bounces in (([5.0, 12.0, 5.0, 55.0], 3), ([30.0, 30.0, 31.5, 30.0], 2)):
        batch, step = alone(0.0, 0.0, -1.0, ball=ball, wall=1.0, drag=0.0, rolling=0.0)
        turned = 0
        for _ in range(60):
            before = batch.records["velocity"][0, 2].copy()
            velocity = step()["velocity"][2]
            assert np.hypot(*velocity) == pytest.approx(np.hypot(*ball[2:]), abs=1e-9)
            turned += bool((velocity != before).any())
        assert turned >= bounces


def test_half_a_turn_and_an_exchange_change_nothing():
    rng = np.random.default_rng(0)
    for seed in range(3):
        places = rng.uniform(-8, 8, (4, 2))
        cars = np.hstack([places, -places])  # they face the middle
        levels = [
            {"ball": [1.0, 0.5, -1.0, 2.0], "cars": cars.tolist()},
            {"ball": [-1.0, -0.5, 1.0, -2.0], "cars": (-cars[[2, 3, 0, 1]]).tolist()},
        ]
        params = dict(cars=2, handbrake=True, controls="continuous")
        one, other = (started(1, seed=seed, level=level, **params) for level in levels)
        touched = 0
        for _ in range(40):
            steering = rng.uniform(-1, 1, (1, 4, 4)).astype(np.float32)
            steering[:, :, 0] = 1
            one.step(steering)
            other.step(steering[:, [2, 3, 0, 1]])
            a, b = one.records[0], other.records[0]
            for name in ("position", "velocity"):
                assert (a[name] == -b[name][[2, 3, 0, 1, 4]]).all()
            assert (a["tank"] == b["tank"][[2, 3, 0, 1]]).all() and (a["pads"] == b["pads"][::-1]).all()
            assert (one.observations["pads"][0] == other.observations["pads"][0, [2, 3, 0, 1]]).all()
            assert (one.observations["others"][0] == other.observations["others"][0, [2, 3, 0, 1]]).all()
            touched += int(a["touched"].any())
        assert touched > 0


class Again:
    """The rules with complex numbers, for cars x, their fronts and tanks, and the ball b; no pads, goals and posts."""

    def __init__(self, cars, ball):
        self.x = [complex(x, y) for x, y, _, _ in cars]
        self.front = [complex(x, y) / abs(complex(x, y)) for _, _, x, y in cars]
        self.v, self.tank = [0j] * len(cars), [33.0] * len(cars)
        self.b, self.w = complex(*ball[:2]), complex(*ball[2:])

    def step(self, controls):
        for _ in range(8):
            for a, (throttle, left, boost, drift) in enumerate(controls):
                self.drive(a, throttle, left, boost > 0 and self.tank[a] > 0, drift > 0)
            size = abs(self.w)
            left = math.exp(-0.03 / 120) * (max(size - 2.3 / 120, 0) / size if 0 < size < 5.65 else 1)
            self.w *= left
            self.b += self.w / 120
            self.contacts()
            self.w *= min(1, 60 / max(abs(self.w), 1e-9))
            for a in range(len(self.x)):
                self.v[a] *= min(1, 23 / max(abs(self.v[a]), 1e-9))
                self.x[a], self.v[a] = self.wall(self.x[a], self.v[a], 0.75, 0.0, False)
            self.b, self.w = self.wall(self.b, self.w, 0.93, 0.6, True)

    def drive(self, a, throttle, left, boosting, drifting):
        speed = (self.v[a] * self.front[a].conjugate()).real
        curve = np.interp(abs(speed), [0, 5, 10, 15, 17.5, 23], [0.69, 0.398, 0.235, 0.1375, 0.11, 0.088])
        self.front[a] *= cmath.exp(1j * curve * left * speed / 120)
        own = self.v[a] * self.front[a].conjugate()
        speed, side = own.real, own.imag * math.exp(-(2 if drifting else 12) / 120)
        if throttle * speed < -1e-9:
            speed = math.copysign(max(abs(speed) - 35 / 120 * abs(throttle), 0), speed)
        elif throttle:
            speed += 16 / 120 * throttle * max(1 - abs(speed) / 14, 0)
        elif not boosting:
            speed = math.copysign(max(abs(speed) - 5.25 / 120, 0), speed)
        if boosting:
            speed += 9.92 / 120
            self.tank[a] = max(self.tank[a] - 33.3 / 120, 0)
        self.v[a] = complex(speed, side) * self.front[a]
        self.v[a] *= min(1, 23 / max(abs(self.v[a]), 1e-9))
        self.x[a] += self.v[a] / 120

    def contacts(self):
        x, v = [*self.x, self.b], [*self.v, self.w]
        mass, size = [1.8] * len(self.x) + [0.3], [0.75] * len(self.x) + [0.93]
        moved, pushed = x.copy(), v.copy()
        for a in range(len(x)):
            for b in range(a + 1, len(x)):
                gap = x[a] - x[b]
                deep = size[a] + size[b] - abs(gap)
                if deep <= 0:
                    continue
                n, share = gap / abs(gap), mass[b] / (mass[a] + mass[b])
                moved[a] += n * deep * share
                moved[b] -= n * deep * (1 - share)
                approach = -((v[a] - v[b]) * n.conjugate()).real
                if approach > 0:
                    pushed[a] += n * approach * share
                    pushed[b] -= n * approach * (1 - share + (0.25 if b == len(self.x) else 0))
        *self.x, self.b = moved
        *self.v, self.w = pushed

    @staticmethod
    def wall(place, speed, radius, rest, ball):
        x, y = place.real, place.imag
        n = []
        if abs(x) > 51.2 - radius and not (ball and abs(y) < 8.95):
            x = math.copysign(51.2 - radius, x)
            n.append(complex(math.copysign(1, x), 0))
        if abs(y) > 40.95 - radius:
            y = math.copysign(40.95 - radius, y)
            n.append(complex(0, math.copysign(1, y)))
        over = (abs(x) + abs(y) - (51.2 + 40.95 - 11.5)) / math.sqrt(2) + radius
        place = complex(x, y)
        if over > 0:
            out = complex(math.copysign(1, x), math.copysign(1, y)) / math.sqrt(2)
            place -= over * out
            n.append(out)
        for out in n:
            hit = (speed * out.conjugate()).real
            speed -= out * (1 + rest) * hit if hit > 0 else 0
        return place, speed


def meant(action):
    """What an action with a name means as numbers, by its name."""
    words = NAMES[action].split()
    return [
        ("forward" in words) - ("back" in words), ("left" in words) - ("right" in words), "boost" in words,
        "drift" in words,
    ]  # fmt: skip


def lock_step(cars, seeds, steps):
    """Play both implementations from random places until a goal is near: steps with the ball met, and at walls."""
    rng, met, walls = np.random.default_rng(cars), 0, 0
    for seed in range(seeds):
        while True:
            near = seed % 2  # then all start in a heap, and face the middle
            spots = rng.uniform(-1, 1, (2 * cars, 4)) * ([5, 5, 1, 1] if near else [48, 36, 1, 1])
            if near:
                spots[:, 2:] = -spots[:, :2]
            ball = rng.uniform(-1, 1, 4) * ([3, 3, 3, 3] if near else [15, 15, 30, 30])
            try:
                level = {"ball": ball.tolist(), "cars": spots.tolist()}
                batch = started(1, seed=seed, level=level, cars=cars, handbrake=True)
                break
            except LevelError:
                continue
        told = Again(spots.tolist(), ball.tolist())
        for t in range(steps):
            if t % 5 == 0:
                actions = rng.integers(36, size=(1, 2 * cars))
            batch.records["pads"] = 60  # none is there
            batch.step(actions)
            told.step([meant(action) for action in actions[0]])
            record = batch.records[0]
            if abs(told.b.real) > 50 and abs(told.b.imag) < 11:
                break
            compared = (
                (record["position"] @ [1, 1j], [*told.x, told.b], 1e-7),
                (record["velocity"] @ [1, 1j], [*told.v, told.w], 1e-7),
                (record["heading"] @ [1, 1j], told.front, 1e-9),
                (record["tank"], told.tank, 1e-9),
            )
            for found, expected, error in compared:
                assert np.abs(found - np.array(expected)).max() <= error
            met += int(record["touched"].any())
            walls += abs(told.b.imag) > 39 or abs(told.b.real) > 49
    return met, walls


def test_a_second_implementation_in_lock_step():
    met, walls = lock_step(1, 4, 60)
    assert walls > 1


@pytest.mark.slow
@pytest.mark.parametrize("cars", [1, 2, 3])
def test_a_second_implementation_at_length(cars):
    met, walls = lock_step(cars, 24, 60)
    assert met > 10 and walls > 10


def test_a_goal_counts_and_kicks_off():
    for sign, winner in ((1, 0), (-1, 1)):
        batch, step = alone(0.0, 0.0, -1.0, ball=[sign * 49.0, 3.0, sign * 40.0, 0.0], horizon=9)
        while not batch.records["score"].any():
            record = step()
        assert record["score"].tolist() == [1 - winner, winner] and batch.rewards[0].tolist() == [sign, -sign]
        assert not batch.terminations.any() and not record["position"][2].any() and not record["velocity"].any()
        assert (record["position"][0] == -record["position"][1]).all() and (record["tank"] == 33).all()
        rows = record["position"][:2] @ [1, 1j], record["heading"] @ [1, 1j]
        assert rows[1] == pytest.approx(-rows[0] / abs(rows[0]))  # they face the ball
    while not batch.over().any():
        step()
    assert batch.records["t"][0] == 9 and batch.truncations.all()


def test_posts_and_closed_goals():
    """A ball at the height of a post comes back; a car stays in the field in front of a goal."""
    batch, step = alone(1.0, 0.0, 1.0, ball=[45.0, 8.8, 30.0, 0.0], car=(48.0, -2.0, 1.0, 0.0))
    for _ in range(10):
        record = step()
    assert record["velocity"][2, 0] < 0 and not record["score"].any()
    assert record["position"][0, 0] == 51.2 - 0.75


def test_pads():
    """A big pad fills the tank and is back after 150 steps, a small one adds 12 and is back after 60."""
    assert len(PADS) == 34 and (PADS == -PADS[::-1]).all() and len(np.unique(PADS, axis=0)) == 34
    for number, gain, steps in ((1, 100.0, 150), (3, 45.0, 60)):
        batch, step = alone(0.0, 0.0, -1.0, car=(*PADS[number], 1.0, 0.0), ball=(30.0, 30.0, 0.0, 0.0))
        record = step()
        assert record["tank"].tolist() == [gain, 33.0] and record["pads"][number] == steps
        assert batch.observations["pads"][0, 1, 33 - number] == steps
        batch.records["tank"] = 0.0
        for _ in range(steps):
            assert step()["tank"][0] == 0
        assert step()["tank"][0] == (100 if steps == 150 else 12)
        batch.records["tank"], batch.records["pads"] = 100.0, 0
        assert not step()["pads"].any()


def test_objectives():
    level = {
        "ball": [0.0, 0.0, 0.0, 0.0], "cars": [[-1.6, 0, 1, 0], [-20, 9, 1, 0], [20, 9, 1, 0], [20, -9, 1, 0]],
    }  # fmt: skip
    batch = started(1, cars=2, weights=(0.0, 1.0, 0.0, 0.0), level=level)
    batch.step(np.array([[3, 0, 0, 0]]))
    assert batch.rewards[0].tolist() == [1, 0, -0.5, -0.5]
    rng = np.random.default_rng(0)
    for weights in ((0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0)):
        batch = started(1, weights=weights)
        apart = _apart(batch)
        for _ in range(20):
            batch.step(rng.integers(18, size=(1, 2)))
            nearer, apart = apart - _apart(batch), _apart(batch)
            speed = batch.records["velocity"][0, 2, 0]
            paid = speed if weights[2] else nearer[0] - nearer[1]
            assert batch.rewards[0] == pytest.approx([paid, -paid], abs=1e-12)


def _apart(batch):
    places = batch.records["position"][0]
    return np.hypot(*(places[:2] - places[2]).T)


@pytest.mark.slow
def test_physics_stays_finite():
    """Random and hard controls of three cars a side: all stays in the field."""
    for bumper, controls in ((1.0, "continuous"), (0.0, "discrete")):
        vector = Vector(build(ID, dict(cars=3, controls=controls, bumper=bumper, wall=1.0, kick=1.0, drag=0.0)), 200)
        rng = np.random.default_rng(0)
        vector.reset(0)
        for t in range(120):
            if t % 6 == 0:
                drawn = rng.uniform(-1, 1, (200, 6, 3)).astype(np.float32)
                given = rng.integers(18, size=(200, 6)) if controls == "discrete" else drawn
            vector.step(given)
            position = np.abs(vector.batch.records["position"])
            assert position[..., 0].max() <= 51.2 and position[..., 1].max() <= 40.95
            assert np.abs(vector.batch.records["velocity"]).max() <= 60 + 1e-9


@pytest.mark.slow
def test_baselines():
    """`shoot` beats all others, and all score more than random."""
    for controls in ("discrete", "continuous"):
        for policy, goals in (("shoot", 3.0), ("keeper", 1.0), ("chase", 0.2)):
            assert _gain(policy, "random", controls=controls) > goals
    assert _gain("shoot", "chase") > 0.3 and _gain("shoot", "keeper") > 0.3


def _gain(one, other, **params):
    """Goals in a minute that a policy has more than another."""
    vector = Vector(build(ID, params), 100)
    return vector.rollout({"blue_0": one, "orange_0": other}, steps=900, seed=0).returns[0]


def test_bad_input():
    cars = [[-40, 0, 1, 0], [40, 0, -1, 0]]
    kit.refuses(
        build(ID),
        ({"ball": [0, 0, 0], "cars": cars}, "ball must be a list of 4 numbers from -60 to 60"),
        ({"ball": [0, 0, 50, 50], "cars": cars}, "ball must not be faster than 60 m/s"),
        ({"ball": [0, 0, 0, 0], "cars": cars[:1]}, "cars must be 2 lists of 4 numbers from -100 to 100"),
        ({"ball": [0, 0, 0, 0], "cars": [cars[0], [50, 39, 1, 0]]}, "orange_0 at .* is not in the field"),
        ({"ball": [51, 0, 0, 0], "cars": cars}, "the ball at .* is not in the field"),
        ({"ball": [0, 0, 0, 0], "cars": [cars[0], [40, 0, 0, 0]]}, r"must not be \(0, 0\)"),
    )
    batch = started(1)
    batch.records["heading"][0, 0] = 0.5
    with pytest.raises(SnapshotError, match="heading"):
        batch.world.admit(batch.records)
