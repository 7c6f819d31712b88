"""EnergyDispatch: OdysseyArena's environment in lock-step, closed forms, levels and their draws, baselines, views."""

import gzip
import json
from functools import cache, partial

import kit
import numpy as np
import pytest
from scipy.optimize import linprog

from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.games.energy_dispatch.levels import LONGEST, SHORTEST, least_share
from envsuite.generators import describe, generate, generate_many, picture
from envsuite.generators.base import split_of
from envsuite.interfaces.vector import Vector
from envsuite.registry import build

ID = "envsuite/EnergyDispatch-v0"

started = partial(kit.started, ID)


@cache
def recordings():
    """Episodes of OdysseyArena's DynamicEnergyGrid; recorders/energy_dispatch.py says what they hold."""
    return json.loads(gzip.decompress((kit.DATA / "EnergyDispatch" / "energy_dispatch.json.gz").read_bytes()))


def flat(days=6, demand=400.0, wind=0.8, solar=0.5, thermal=1.0, first=(240, 90, 70), targets=(0.5, 0.9)):
    """A level whose days are equal."""
    series = {"demand": demand, "thermal": thermal, "wind": wind, "solar": solar}
    return {**{name: [value] * days for name, value in series.items()}, "first": [*first], "targets": [*targets]}


def steered(level, *days, **params):
    """The batch after these commands."""
    batch = started(1, level=level, controls="continuous", days=len(level["demand"]), **params)
    for commands in days:
        batch.step(np.array([[commands]], np.float32))
    return batch


# Rules.


@pytest.mark.parametrize("number", range(27))
def test_lock_step(number):
    """Every number that the environment shows, to 1e-11; flags, ends and rewards are equal."""
    episode = recordings()[number]
    level, days = episode["level"], len(episode["level"]["demand"])
    named = "choices" in episode
    params = dict(controls="discrete" if named else "continuous", days=days, budget=episode["budget"])
    batch = started(1, level=level, **params)
    world, seen = batch.world, batch.observations[0, 0]
    assert seen["commands"].tolist() == [*level["first"], 0.0] and not seen["output"].any()
    assert seen["scores"].tolist() == [1.0, 0.0] and seen["targets"].tolist() == level["targets"]
    given = episode["choices" if named else "commands"]
    for d, (chosen, row) in enumerate(zip(given, episode["days"], strict=True)):
        assert seen["day"] == d and seen["demand"] == level["demand"][d]
        assert seen["budget"][0] == episode["budget"] * level["demand"][d]
        if named:
            name = "thermal {}%, wind {}%, solar {}%, {}".format(*chosen)
            batch.step(world.action_names[0].index(name))
        else:
            batch.step(np.array([[chosen]], np.float32))
            assert seen["commands"].tolist() == chosen
        assert seen["output"] == pytest.approx(row[:4], rel=1e-11, abs=1e-11)
        assert seen["charge"][0] == pytest.approx(row[4], rel=1e-11, abs=1e-11)
        assert [*seen["violated"], *seen["row"]] == row[5:8]
        assert seen["scores"] == pytest.approx(row[8:10], rel=1e-11)
        over = d + 1 == len(given)
        assert batch.terminations.all() == over and batch.rewards[0, 0] == (episode["reward"] if over else 0)
    assert not batch.truncations.any()


def test_what_the_recordings_hold():
    ends = [(episode["reward"], len(episode["days"]), episode["days"][-1][7]) for episode in recordings()]
    assert sum(reward for reward, *_ in ends) > 8 and sum(row == 3 for *_, row in ends) > 8
    rows = np.array([row for episode in recordings() for row in episode["days"]])
    assert len(rows) > 400 and (rows[:, 5:7].sum(axis=0) > 20).all()
    assert (rows[:, 4] == 80).any() and (rows[:, 3] < 0).any() and (rows[:, 3] > 0).any()


def test_equal_days_in_closed_form():
    """Only the first change costs stability; the thermal share is that of a day."""
    batch = steered(flat(), *[(320, 100, 20, 0)] * 6)
    change = 80 + 10 + 50
    assert batch.observations["scores"][0, 0] == pytest.approx([1 - 0.5 * change / 1280 / 6, 320 / 410])
    assert batch.rewards[0, 0] == 1 and batch.terminations.all()


@pytest.mark.parametrize(
    ("targets", "paid"), [((0.999, 1.0), 0), ((0.5, 0.75), 0), ((0.5, 0.751), 1), ((0.9921875, 1.0), 0), ((0.99, 1), 1)]
)
def test_targets_are_strict(targets, paid):
    """Mean stability 1 - 40 / 2560 / 2 = 0.9921875 and a share of exactly 0.75."""
    level = flat(2, wind=1.0, solar=1.0, first=(300, 60, 0), targets=targets)
    batch = steered(level, *[(300, 100, 0, 0)] * 2)
    assert batch.observations["scores"][0, 0].tolist() == [0.9921875, 0.75] and batch.rewards[0, 0] == paid


def test_violations_are_strict():
    """A supply equal to the demand and a cost equal to the budget are no violations."""
    level = flat(4, wind=1.0, solar=1.0, first=(0, 0, 0))
    for commands, violated in (
        ((300, 100, 0, 0), [0, 0]),  # costs 1400 = 3.5 * 400
        ((299.75, 100, 0, 0), [1, 0]),
        ((300.25, 100, 0, 0), [0, 1]),
        ((0, 300, 50, 0), [1, 1]),
    ):
        batch = steered(level, commands, budget=3.5)
        assert batch.observations["violated"][0, 0].tolist() == violated
        ramp = sum(commands)
        expected = max(0.0, 1 - ramp / 2560 - 0.5 * sum(violated))
        assert batch.observations["scores"][0, 0, 0] == pytest.approx(expected)
    assert expected == 0.0
    # The battery costs 0.1 for what it takes or gives: nothing while it is empty.
    for commands, violated in (
        ((300, 100, 0, 80), [0, 0]),
        ((316, 90, 0, -20), [1, 0]),  # costs 1398 + 2
        ((316, 90, 0, -20.25), [1, 1]),
    ):
        batch = steered(level, commands, budget=3.5)
        assert batch.observations["violated"][0, 0].tolist() == violated


def test_ramps_count_commands_of_the_battery():
    """A change from -80 to 80 costs 160 although an empty battery gives nothing; a larger sum than 1280 counts 1280."""
    level = flat(3, first=(400, 0, 0))
    batch = steered(level, (500, 0, 0, 80), (500, 0, 0, -80), budget=10)
    assert batch.observations["output"][0, 0, 3] == -80 and batch.observations["charge"][0, 0, 0] == 80
    assert batch.records["stability"][0] == pytest.approx(2 - (100 + 80 + 160) / 2560)
    batch = steered(flat(3, demand=50.0, first=(0, 0, 0)), (600, 350, 250, -80), (0, 0, 0, 80), budget=20)
    assert batch.records["stability"][0] == 0.5 and not batch.records["violated"].any()


def test_the_battery_keeps_its_energy():
    """What it gave is what it took less its charge, which stays in its range."""
    rng = np.random.default_rng(0)
    batch = started(20, level=[flat(60)] * 20, controls="continuous", days=60, budget=20.0)
    moved = np.zeros(20)
    for _ in range(60):
        commands = np.array([600, 300, 200, 0]) + rng.uniform(-80, 80, (20, 4)) * [0, 0, 0, 1]
        batch.step(commands[:, None].astype(np.float32))
        moved += batch.records["output"][:, 3]
        assert batch.records["charge"] == pytest.approx(-moved, abs=1e-9)
        assert (batch.records["charge"] >= 0).all() and (batch.records["charge"] <= 80).all()
        assert (batch.records["output"][:, 3] <= np.maximum(0, commands[:, 3]) + 1e-5).all()


def test_violations_in_a_row():
    """Three end the episode without a reward, even on the last day; a day without a violation starts again."""
    good, bad = (320, 100, 20, 0), (0, 0, 0, 0)
    anything = flat(7, targets=(0.0, 1.0))
    batch = steered(anything, bad, bad, good, bad, bad)
    assert not batch.over().any() and batch.records["row"][0] == 2
    batch.step(np.array([[bad]], np.float32))
    assert batch.terminations.all() and batch.records["day"][0] == 6 and batch.rewards[0, 0] == 0
    assert steered(flat(3, targets=(0.0, 1.0)), good, bad, bad).rewards[0, 0] == 1
    assert steered(flat(4, targets=(0.0, 1.0)), good, bad, bad, bad).rewards[0, 0] == 0


def test_names_are_commands():
    """Every action with a name has the commands that its name says, up to the capacities."""
    flows = {"hold": 0, "charge": -20, "discharge": 20}
    actions = np.arange(0, 1320, 23)  # each choice occurs
    batch = started(len(actions), days=2)
    names, demands = batch.world.action_names[0], batch.records["level"]["demand"][:, 0].copy()
    batch.step(actions[:, None])
    for k, demand, found in zip(actions, demands, batch.records["commands"], strict=True):
        *parts, flow = names[k].split(", ")
        percents = [int(part.split()[1][:-1]) for part in parts]
        wanted = [min(most, percent * demand / 100) for percent, most in zip(percents, (600, 350, 250))]
        assert found == pytest.approx([*wanted, flows[flow]])
    assert len(set(names)) == 1320
    batch = started(1, level=flat(2, demand=1000.0), days=2)
    batch.step(names.index("thermal 100%, wind 40%, solar 30%, hold"))
    assert batch.records["commands"][0].tolist() == [600, 350, 250, 0]


def test_energy_stays_finite():
    """Extreme commands and levels: supply near 0, shares far above 1, no efficiency at all."""
    rng, ends = np.random.default_rng(1), np.array([[0, 0, 0, -80], [600, 350, 250, 80]])
    for efficiency, demand in ((0.0, 1.0), (1.5, 1.0), (1.0, 1000.0), (0.1, 1.0)):
        level = flat(40, demand, efficiency, efficiency, efficiency)
        batch = started(20, level=[level] * 20, controls="continuous", days=40, budget=20.0)
        while not batch.over().all():
            commands = ends[rng.integers(2, size=(20, 4)), range(4)]
            commands[::3] = [80, 0, 0, -80]
            batch.step(commands[:, None].astype(np.float32), ~batch.finished)
            scores = batch.observations["scores"]
            assert np.isfinite(scores).all() and (scores >= 0).all() and (scores <= 1e9).all()
            batch.world.admit(batch.records)


# Levels.


@pytest.mark.slow
def test_draws():
    """Means, deviations and ranges of 400 levels, and the periods as their own noise shows them."""
    levels = started(400).records["level"]
    demand, thermal = levels["demand"], levels["thermal"]
    base = demand.mean(axis=1)
    assert 318 < base.min() < 330 and 470 < base.max() < 483 and abs(base.mean() - 400) < 8
    season = (demand / base[:, None]).reshape(400, 4, 30)
    heights = 2 * np.abs(np.fft.rfft(season.mean(axis=1))[:, 1]) / 30
    assert 0.23 < heights.min() < 0.26 and 0.34 < heights.max() < 0.37
    noise = season / season.mean(axis=1, keepdims=True)
    assert noise.std() == pytest.approx(0.04 * np.sqrt(3 / 4), rel=0.03)
    assert thermal.mean() == pytest.approx(1, abs=5e-4) and thermal.std() == pytest.approx(0.01, rel=0.03)
    targets, first = levels["targets"], levels["first"]
    for column, low, high in ((0, 0.95, 0.98), (1, 0.66, 0.72)):
        values = targets[:, column]
        assert low <= values.min() < low + 0.001 and high - 0.001 < values.max() <= high
    ratio = first.sum(axis=1) / demand[:, 0]
    assert 0.95 <= ratio.min() < 0.96 and 1.04 < ratio.max() <= 1.05
    parts = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    assert parts == pytest.approx([0.65 / 1.2, 0.3 / 1.2, 0.25 / 1.2], abs=0.01)
    for name, low, high in (("wind", 0.6, 1.05), ("solar", 0.65, 1.1)):
        series = levels[name]
        assert series.min() == low and series.max() == high and abs(series.mean() - (low + high) / 2) < 0.02
        apart = {k: np.abs(series[:, k:] - series[:, :-k]).mean(axis=1) for k in range(SHORTEST, LONGEST + 1)}
        periods = np.array(list(apart))[np.argmin(list(apart.values()), axis=0)]
        counts = np.bincount(periods)[SHORTEST:]
        assert len(counts) == 11 and counts.min() > 15 and counts.max() < 65
        rest = np.concatenate([(row[k:] - row[:-k]) for row, k in zip(series, periods)])
        inside = rest[np.abs(rest) > 0]
        assert 0.015 < inside.std() < 0.021  # two numbers of each period and two of each day: 0.02, but for the clips
        steps = np.abs(np.diff(series, axis=1))
        assert 0.2 < (steps > 0.08).mean() < 0.25  # a new stretch after 2 to 5 days


def test_levels():
    batch = started()
    level = batch.world.get_level(batch.record())
    again = started(level=level, seed=9)
    assert (again.observations == batch.observations).all()
    short = flat(120)
    kit.refuses(
        batch.world,
        ({"demand": short["demand"]}, "lacks 'thermal'"),
        ({**short, "coal": 1}, "unknown part 'coal'"),
        (flat(119), "'demand' must be a list of 120 numbers from 1 to 1000"),
        ({**short, "wind": [True] * 120}, r"'wind'\[0\]=True must be a number from 0 to 1.5"),
        (flat(120, solar=1.6), r"'solar'\[0\]=1.6 must be a number from 0 to 1.5"),
        (flat(120, demand=0.0), r"'demand'\[0\]=0.0 must be a number from 1 to 1000"),
        (flat(120, thermal=float("nan")), r"'thermal'\[0\]=nan must be a number from 0 to 1.5"),
        (flat(120, first=(1, 2)), "'first' must be a list of 3 numbers"),
        (flat(120, first=(1, 351, 2)), r"'first'\[1\]=351 must be a number from 0 to 350"),
        (flat(120, targets=(0.5, 1.1)), r"'targets'\[1\]=1.1 must be a number from 0 to 1"),
    )


def test_generator():
    level = generate("power", 3, days=50)
    assert level == generate("power", 3, days=50) != generate("power", 4, days=50)
    batch = started(level=level, days=50)
    assert (batch.records["level"]["wind"][0] == level["wind"]).all()
    figures = describe(level)
    assert figures["size"] == [50, 1] and 0.4 < figures["share"] < 0.8 and picture(level).shapes
    for split in ("train", "test"):
        assert {split_of(one) for one in generate_many("power", 5, split=split, days=20)} == {split}


@pytest.mark.parametrize("seed", range(4))
def test_least_share(seed):
    """The least thermal share, by scipy's linear programs of each day."""
    rng, level = np.random.default_rng(seed), generate("power", seed, days=12)
    level["wind"], level["solar"] = rng.uniform(0.3, 1.5, (2, 12)).tolist()
    total = 0.0
    for d in range(12):
        gives = [level[name][d] for name in ("thermal", "wind", "solar")]
        demand = level["demand"][d]
        found = linprog(
            [gives[0], 0, 0], A_ub=[[3, 5, 6]], b_ub=[4.2 * demand], A_eq=[gives], b_eq=[demand],
            bounds=[(0, 600), (0, 350), (0, 250)],
        )  # fmt: skip
        assert found.status == 0
        total += found.fun
    assert least_share(level) == pytest.approx(total / sum(level["demand"]))


# Baselines, parameters, views.


def test_the_dispatcher_finds_periods():
    """With a pattern of 17 days it expects each day after two periods, and then violates nothing."""
    rng, days = np.random.default_rng(0), 45
    wind, solar = np.tile(rng.uniform(0.7, 1, 17), 5)[:days], np.tile(rng.uniform(0.7, 1, 22), 4)[:days]
    level = {**flat(days), "wind": wind.tolist(), "solar": solar.tolist()}
    batch = started(1, level=level, days=days, controls="continuous")
    player = make_policy("dispatcher", batch.world)
    player.reset(0, 1)
    for d in range(days):
        batch.step(player.act_batch(batch.observations, batch.masks, [0]))
        if d >= 26:
            assert not batch.records["violated"].any()
    assert batch.terminations.all()


def success(policy, num=100, **params):
    vector = Vector(build(ID, params), num)
    return vector.rollout(policy, steps=121, seed=0).returns.mean()


@pytest.mark.slow
@pytest.mark.parametrize("controls", ["discrete", "continuous"])
def test_baselines(controls):
    scores = {policy: success(policy, controls=controls) for policy in ("random", "mix", "dispatcher")}
    assert scores["random"] == 0 and scores["mix"] < 0.05 and scores["dispatcher"] > 0.3


@pytest.mark.parametrize("parts", [(0.0, 0.0, 0.0), (1.04, 0.0, 0.0), (0.7, 0.25, 0.1), (0.6, 0.3, 0.2)])
def test_fixed_commands_do_not_succeed(parts):
    """Commands of 0, thermal power alone, and fixed mixes."""
    world = build(ID, dict(controls="continuous"))
    player = make_policy("mix", world, **dict(zip(("thermal", "wind", "solar"), parts)))
    batch = kit.started(world, 4)
    player.reset(0, 4)
    while not batch.over().all():
        batch.step(player.act_batch(batch.observations, batch.masks, [0]), ~batch.finished)
        assert not batch.rewards[~batch.finished].any()
    assert parts[0] or (batch.records["day"] == 3).all()


def test_wrong_parameters_and_states():
    wrong = ((dict(days=1), "days=1"), (dict(budget=0.0), "budget=0.0"), (dict(controls="x"), "controls"))
    for params, message in wrong:
        with pytest.raises(ParameterError, match=message):
            build(ID, params)
    batch = started(days=5)
    for changes, message in (
        (dict(day=5, supplied=99.0), "not terminated"),
        (dict(row=3), "not terminated"),
        (dict(day=2), "the supply of 2 days is 0"),
    ):
        records = batch.records.copy()
        for name, value in changes.items():
            records[name] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text_and_pictures():
    """They show what was given and made; the operator's show nothing of efficiencies and demands to come."""
    for params in (dict(), dict(controls="continuous")):
        batch = started(days=12, seed=5, **params)
        player = make_policy("mix", batch.world)
        player.reset(0, 1)
        for _ in range(4):
            batch.step(player.act_batch(batch.observations, batch.masks, [0]))
        world, s = batch.world, batch.record()
        text, own, whole = world.text(s, 0), world.scene(s, 0).shapes, world.scene(s).shapes
        assert "4 of 12 days have passed." in text and f"the budget {4.2 * s.level.demand[4]:.2f}." in text
        s.level.wind[4:] = 0.9
        s.level.demand[5:] = 300.0
        assert world.text(s, 0) == text and world.scene(s, 0).shapes == own and world.scene(s).shapes != whole
        kit.finish(batch, "mix")
        assert "succeeded" in world.text(batch.record(), 0) and world.scene(batch.record(), 0).shapes
    batch = steered(flat(3), (0, 0, 0, 0))
    assert "They violated the demand." in batch.world.text(batch.record(), 0)
    batch = steered(flat(3), (600, 350, 0, 0))
    assert "They violated the budget." in batch.world.text(batch.record(), 0)


def test_keys():
    """Their mixes keep the budget whatever the demand, and meet it with mean efficiencies, but for `6`."""
    for key, name in build(ID, {}).keys.items():
        thermal, wind, solar = (int(part.split()[1][:-1]) for part in name.split(", ")[:3])
        assert 3 * thermal + 5 * wind + 6 * solar < 415 and thermal == 10 * int(key if key != "0" else "10")
        assert key == "6" or thermal + 0.825 * wind + 0.875 * solar > 99
