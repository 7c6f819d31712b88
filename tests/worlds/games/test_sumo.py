"""Sumo against closed forms, conserved momentum, symmetry bit for bit, and a second implementation."""

import math
from functools import partial

import kit
import numpy as np
import pytest

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.games.sumo import NAMES
from envsuite.interfaces.vector import Vector
from envsuite.registry import build

ID = "envsuite/Sumo-v0"

started = partial(kit.started, ID)

APART = {"places": [[0.0, 1.4], [0.0, -1.4]]}
CLOSE = {"places": [[-0.5, 0.0], [0.5, 0.0]]}


def test_a_push_in_closed_form():
    """v after n parts is (1 - .98**n) F / m, and the place the sum of .02 v; the terminal speed is F / m."""
    batch = started(1, level=APART, controls="continuous", force=(2.0, 3.0), mass=(4.0, 1.0))
    for t in range(1, 31):
        batch.step(np.array([[[1.0, 0.0], [0.0, 0.0]]], np.float32))
        speeds = [(1 - 0.98**n) * 0.5 for n in range(1, 5 * t + 1)]
        assert batch.records["velocity"][0] == pytest.approx(np.array([[speeds[-1], 0], [0, 0]]), abs=1e-14)
        assert batch.records["position"][0, 0] == pytest.approx([0.02 * sum(speeds), 1.4], abs=1e-13)


@pytest.mark.parametrize("drive", ["force", "unicycle"])
def test_impulses_keep_momentum(drive):
    """While two wrestlers push each other, the centre of mass moves by the sum of their forces alone."""
    force, mass = np.array([3.5, 2.0]), np.array([0.7, 2.5])
    batch = started(1, level=CLOSE, drive=drive, controls="continuous", force=tuple(force), mass=tuple(mass))
    push = [[1, 0], [1, 0]] if drive == "unicycle" else [[1, 0], [-1, 0]]
    total, drift, n = mass.sum(), force[0] - force[1], 0
    center = (mass * batch.records["position"][0, :, 0]).sum() / total
    while not batch.over().any():
        batch.step(np.array([push], np.float32))
        n = min(5 * batch.records["t"][0], n + 5)
        if batch.over().any():
            break
        momentum = (mass * batch.records["velocity"][0, :, 0]).sum()
        assert momentum == pytest.approx((1 - 0.98**n) * drift, abs=1e-12)
        center += sum(0.02 * (1 - 0.98**k) * drift / total for k in range(n - 4, n + 1))
        assert (mass * batch.records["position"][0, :, 0]).sum() / total == pytest.approx(center, abs=1e-12)
    assert n > 20 and batch.rewards[0].tolist() == [1, -1]


def test_equal_wrestlers_stand_still():
    batch = started(1, level=CLOSE, horizon=200)
    for _ in range(200):
        batch.step(np.array([[1, 5]]))
        assert batch.records["position"][0].tolist() == CLOSE["places"]
        assert not batch.rewards.any() and not batch.terminations.any()
    assert batch.truncations.all()


@pytest.mark.parametrize("drive", ["force", "unicycle"])
def test_half_a_turn_and_an_exchange_change_nothing(drive):
    rng = np.random.default_rng(0)
    both = {"places": [[0.3, 0.9], [-1.1, 0.2]]}
    turned = {"places": [[1.1, -0.2], [-0.3, -0.9]]}
    params = dict(drive=drive, controls="continuous", weights=(1.0, 0.3))
    one = started(1, level=both, force=(4, 2), mass=(1, 3), **params)
    other = started(1, level=turned, force=(2, 4), mass=(3, 1), **params)
    sign = -1 if drive == "force" else 1
    touched = False
    while not one.over().any():
        push = rng.uniform(-1, 1, (1, 2, 2)).astype(np.float32)
        if drive == "force":  # and towards each other
            gap = one.records["position"][0, 1] - one.records["position"][0, 0]
            push = (0.5 * push + 0.3 * np.array([gap, -gap])).clip(-1, 1).astype(np.float32)
        one.step(push)
        other.step(sign * push[:, ::-1])
        for name in ("position", "velocity", "heading"):
            assert (one.records[name][0] == -other.records[name][0, ::-1]).all()
        assert (one.rewards == other.rewards[:, ::-1]).all()
        touched = touched or math.dist(*one.records["position"][0]) < 1 + 1e-9
    assert touched


def told_again(drive, force, mass, places, moves):
    """The rules with complex numbers: places, velocities and headings after each step, and the winner, or None."""
    x = [complex(*place) for place in places]
    v, front = [0j, 0j], [(x[1] - x[0]) / abs(x[1] - x[0]), (x[0] - x[1]) / abs(x[0] - x[1])]
    for move in moves:
        for _ in range(5):
            for a in range(2):
                push = complex(*move[a]) if drive == "force" else move[a][0]
                if drive == "force":
                    push /= max(abs(push), 1)
                else:
                    front[a] *= np.exp(1j * math.pi * 0.02 * move[a][1])
                    push *= front[a]
                v[a] += 0.02 * (force[a] * push / mass[a] - v[a])
                x[a] += 0.02 * v[a]
            gap, total = x[0] - x[1], sum(mass)
            if abs(gap) < 1:
                n, deep = gap / abs(gap), 1 - abs(gap)
                x = [x[0] + n * deep * mass[1] / total, x[1] - n * deep * mass[0] / total]
                speed = ((v[0] - v[1]) * n.conjugate()).real
                if speed < 0:  # the velocities along n after a collision with restitution .2
                    along = [(w * n.conjugate()).real for w in v]
                    mean = (mass[0] * along[0] + mass[1] * along[1]) / total
                    v = [v[a] + n * (mean - along[a] - 0.2 * (along[a] - along[1 - a]) * mass[1 - a] / total)
                         for a in range(2)]  # fmt: skip
            out = [abs(place) > 3 for place in x]
            if any(out):
                yield x, v, front, 2 if all(out) else out.index(False)
                return
        yield x, v, front, None


@pytest.mark.parametrize("controls", ["discrete", "continuous"])
@pytest.mark.parametrize("drive", ["force", "unicycle"])
def test_a_second_implementation_in_lock_step(drive, controls):
    rng, ends = np.random.default_rng(1), []
    for seed in range(12):
        force, mass = rng.uniform(0.5, 4, 2), rng.uniform(0.5, 4, 2)
        params = dict(drive=drive, controls=controls, force=tuple(force.tolist()), mass=tuple(mass.tolist()))
        batch = started(1, seed=seed, horizon=120, **params)
        assert np.hypot(*batch.records["started"][0].T) == pytest.approx([1.5, 1.5])
        held = rng.uniform(-1, 1, (12, 2, 2)).astype(np.float32)
        if controls == "discrete":
            given = rng.integers(9, size=(12, 2))
            held = np.array([[_meant(drive, k) for k in row] for row in given])
        given = (given if controls == "discrete" else held).repeat(10, axis=0)
        moves = held.astype(np.float64).repeat(10, axis=0)
        told = told_again(drive, force, mass, batch.records["started"][0].tolist(), moves)
        for t, (x, v, front, winner) in enumerate(told):
            batch.step(given[t : t + 1])
            for name, mine in (("position", x), ("velocity", v), ("heading", front)):
                if name != "heading" or drive == "unicycle":
                    found = batch.records[name][0] @ [1, 1j]
                    assert found == pytest.approx(np.array(mine), abs=1e-9)
            wins = [0, 0] if winner in (None, 2) else [1 - 2 * winner, 2 * winner - 1]
            assert batch.rewards[0].tolist() == wins and batch.terminations[0].all() == (winner is not None)
        ends.append(winner)
    assert {0, 1} <= set(ends)


def _meant(drive, action):
    """What an action with a name means as numbers, by its name."""
    name = NAMES[drive][action]
    if drive == "unicycle":
        return [("forward" in name) - ("back" in name), ("left" in name) - ("right" in name)]
    x, y = ("right" in name) - ("left" in name), ("up" in name) - ("down" in name)
    length = max(math.hypot(x, y), 1)
    return [x / length, y / length]


def test_both_outside_is_a_draw():
    batch = started(1, level={"places": [[0.0, 2.99], [0.0, -2.99]]})
    while not batch.over().any():
        batch.step(np.array([[3, 7]]))
    assert batch.terminations.all() and not batch.rewards.any()


def test_push_pays_what_the_distances_grow_by():
    batch = started(4, weights=(0.0, 1.0), force=(4.0, 1.0))
    rng, before, paid = np.random.default_rng(0), None, 0
    while not batch.over().all():
        before = np.hypot(*np.moveaxis(batch.records["position"], 2, 0))
        live = ~batch.over()
        batch.step(rng.integers(9, size=(4, 2)), where=live)
        grown = np.hypot(*np.moveaxis(batch.records["position"], 2, 0)) - before
        assert batch.rewards[live] == pytest.approx((grown[:, ::-1] - grown)[live], abs=1e-12)
        paid += np.abs(batch.rewards[live]).sum()
    assert paid > 1


@pytest.mark.slow
def test_physics_stays_finite():
    """Random controls, extreme bodies: 1,000,000 steps of pairs."""
    for drive in ("force", "unicycle"):
        for force, mass in (((4.0, 0.5), (4.0, 0.5)), ((0.5, 4.0), (4.0, 0.5)), ((4.0, 4.0), (0.5, 0.5))):
            vector = Vector(build(ID, dict(drive=drive, controls="continuous", force=force, mass=mass)), 1000)
            rng = np.random.default_rng(0)
            vector.reset(0)
            for _ in range(1000 // 6 + 1):
                vector.step(rng.uniform(-1, 1, (1000, 2, 2)).astype(np.float32))
                speeds = np.abs(vector.batch.records["velocity"])
                assert np.isfinite(vector.batch.records["position"]).all() and speeds.max() < 40


@pytest.mark.slow
def test_baselines():
    """All beat random; among wrestlers of which one is stronger, `circle` makes the most of its strength."""
    for drive in ("force", "unicycle"):
        for policy in ("rush", "brace", "circle"):
            assert _won(policy, "random", drive=drive) > 0.9
    pushing = {policy: _won(policy, "brace", force=(3.6, 3.0)) for policy in ("rush", "brace", "circle")}
    assert pushing["circle"] > 0.95 > pushing["rush"] > 0.8 and pushing["brace"] == 0
    assert _won("rush", "rush", force=(3.6, 3.0)) == 1 and _won("rush", "circle", force=(3.6, 3.0)) < 0.3


def _won(one, other, **params):
    vector = Vector(build(ID, params), 64)
    return vector.rollout({"wrestler_0": one, "wrestler_1": other}, steps=1100, seed=0).returns[0]


def test_bad_input():
    with pytest.raises(ParameterError, match=r"force=.* must be a list of 2 numbers from 0.5 to 4"):
        build(ID, dict(force=(1.0,)))
    kit.refuses(
        build(ID, {}),
        ({"places": [[0, 0]]}, "places must be 2 lists of 2 numbers from -5 to 5"),
        ({"places": [[0, 0], [0.5, 0]]}, r"places must be at most 3 from \(0, 0\) and at least 1 apart"),
        ({"places": [[3.5, 0], [0, 0]]}, r"places must be at most 3 from \(0, 0\)"),
        ({"places": [[float("nan"), 0], [0, 0]]}, r"places\[0\]\[0\]=nan must be a number"),
    )
    batch = started(1, drive="unicycle")
    batch.records["heading"][0, 0] = 0.5
    with pytest.raises(SnapshotError, match="heading"):
        batch.world.admit(batch.records)
