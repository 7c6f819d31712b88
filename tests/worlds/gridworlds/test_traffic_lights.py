"""TrafficLights: flows in closed form, a second implementation in lock-step, probes of the rules, and baselines."""

import kit
import numpy as np
import pytest
from traffic_lights_reference import Town

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.registry import build

ID = "envsuite/TrafficLights-v0"
KEEP, SWITCH = range(2)
NORTH, EAST, SOUTH, WEST = range(4)
ONE = dict(rows=1, columns=1, brake=0.0, inflow=(0.0, 0.0), density=0.0)
QUIET = [[0.0] * 4]
EASTWARD = "east-west"


def opened(cars=(), green="north-south", inflow=QUIET, **params):
    """A batch of one intersection with these cars."""
    world = build(ID, {**ONE, **params})
    return kit.started(world, level={"inflow": inflow, "cars": list(cars), "green": [green]})


def cars(batch, light=0):
    """All cars of a light as (side, cell): speed."""
    speed = batch.records["speed"][0, light]
    return {(side, x): int(speed[side, x]) for side, x in np.argwhere(speed >= 0).tolist()}


def flows(density, v_max, brake, cells, warm, steps, num=1):
    """Cars per step and cell on a closed road with this share of cells taken, after `warm` steps."""
    lights, count = cells // 100, round(density * cells)
    sizes = dict(rows=1, columns=lights, length=100, closed=True, left=0.0, right=0.0)
    world = build(ID, dict(sizes, v_max=v_max, brake=brake, horizon=warm + steps + 1))
    rng, levels = np.random.default_rng(count), []
    for _ in range(num):
        taken = rng.choice(cells, count, replace=False).tolist()
        placed = [[x // 100, "west", x % 100, 0, "straight"] for x in taken]
        levels.append({"inflow": [[0] * 4] * lights, "cars": placed, "green": [EASTWARD] * lights})
    batch, moved = kit.started(world, num, level=levels), 0
    for k in range(warm + steps):
        batch.step(KEEP)
        speed = batch.records["speed"][:, :, WEST]
        assert ((speed >= 0).sum(axis=(1, 2)) == count).all()
        moved += np.maximum(speed, 0).sum() if k >= warm else 0
    return moved / (steps * cells * num)


@pytest.mark.slow
@pytest.mark.parametrize("density", [0.05, 0.2, 1 / 3, 0.5, 0.8])
def test_flow_without_chance(density):
    """min(2 r, 1 - r): Nagel and Schreckenberg (1992) without braking, for v_max = 2."""
    share = round(density * 200) / 200
    assert flows(density, 2, 0.0, 200, 300, 200) == pytest.approx(min(2 * share, 1 - share), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("density", "brake"), [(0.1, 0.25), (0.3, 0.5), (0.5, 0.5), (0.5, 0.1), (0.75, 0.25)])
def test_flow_for_speed_one(density, brake):
    """(1 - sqrt(1 - 4 (1 - b) r (1 - r))) / 2: Schreckenberg and others (1995), for v_max = 1."""
    expected = (1 - (1 - 4 * (1 - brake) * density * (1 - density)) ** 0.5) / 2
    found = flows(density, 1, brake, 400, 1000, 1500, num=4)
    assert found == pytest.approx(expected, abs=0.004)


CASES = [
    dict(rows=2, columns=2, horizon=60),
    dict(rows=1, columns=3, length=6, v_max=5, left=0.4, right=0.3, inflow=(0.3, 0.9), brake=0.3, horizon=60),
    dict(rows=2, columns=1, length=7, v_max=3, closed=True, density=0.4, left=0.3, all_red=0, min_green=0, horizon=60),
    dict(rows=1, columns=1, length=5, v_max=4, closed=True, density=0.2, left=0.5, right=0.2, horizon=60),
    dict(
        rows=3, columns=3, left=0.5, right=0.5, inflow=(0.5, 0.8), all_red=3, weights=(1.0, 2.0, 3.0, 4.0), horizon=60
    ),
]


def lock_step(params, seed, steps):
    world = build(ID, params)
    batch = kit.started(world, seed=seed)
    twin = Town(world.parameters, world.get_level(batch.record()), int(batch.records["rng"][0]))
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        assert twin.legal() == batch.masks[0].tolist()
        for agent in range(len(world.agents)):
            seen, expected = batch.observations[0, agent], twin.observe(agent)
            for name in expected:
                assert np.asarray(seen[name]).tolist() == expected[name], name
        switch = (rng.random(len(world.agents)) < 0.3) & (batch.masks[0, :, SWITCH] > 0)
        batch.step(switch.astype(np.int64)[None])
        objectives = twin.step(switch.tolist())
        assert batch.records["objectives"][0] == pytest.approx(np.array(objectives), abs=1e-9)
        assert batch.rewards[0] == pytest.approx(np.array(objectives) @ world.parameters["weights"], abs=1e-9)
        s = batch.record()
        on_the_road = int((np.asarray(s.speed) >= 0).sum())
        assert len(world.get_level(s)["cars"]) + int(s.entered) == on_the_road + int(s.gone) == twin.count() + twin.gone
    assert batch.truncations.all() == (steps == world.parameters["horizon"])
    return int(batch.record().gone)


@pytest.mark.parametrize("case", range(2))
def test_in_lock_step_with_a_second_implementation(case):
    lock_step(CASES[case], 5, 15)


@pytest.mark.slow
@pytest.mark.parametrize("case", range(len(CASES)))
def test_in_lock_step_for_long(case):
    gone = [lock_step(CASES[case], seed, 60) for seed in range(4)]
    assert min(gone) > 0 or "closed" in CASES[case]


# Probes of the rules.


def test_cars_speed_up_and_stop():
    batch = opened([[0, "west", 2, 0, "straight"], [0, "west", 4, 0, "straight"]])
    seen = []
    for _ in range(6):
        batch.step(KEEP)
        seen.append(sorted(x for _, x in cars(batch)))
    assert seen == [[3, 5], [4, 7], [6, 9], [8, 9], [8, 9], [8, 9]]
    assert batch.rewards[0].tolist() == [-2] and batch.records["objectives"][0, 0].tolist() == [-2, -2, 0, 0]


def test_one_way_at_a_time():
    """Cars that turn left wait for those ahead of them, except for those that turn left too."""
    for turn, left in (("straight", {(SOUTH, 9)}), ("right", {(SOUTH, 9)}), ("left", set())):
        batch = opened([[0, "south", 9, 0, "left"], [0, "north", 9, 0, turn]])
        batch.step(KEEP)
        assert set(cars(batch)) == left and batch.records["objectives"][0, 0, 3] == 2 - len(left)
        batch.step(KEEP)
        assert not cars(batch) and batch.records["gone"][0] == 2


def test_turns():
    """Of three intersections in a row, the middle one sends cars to all sides."""
    sides, places = ("north", "east", "south", "west"), {}
    for side in ("north", "south", "east", "west"):
        for turn in ("left", "straight", "right"):
            world = build(ID, dict(ONE, rows=3, columns=3, left=0.0, right=0.0))
            green = [EASTWARD if side in ("east", "west") else "north-south"] * 9
            level = {"inflow": [[0] * 4] * 9, "cars": [[4, side, 9, 0, turn]], "green": green}
            batch = kit.started(world, level=level)
            batch.step(KEEP)
            light, lane, x = np.argwhere(batch.records["speed"][0] >= 0)[0].tolist()
            assert x == 0
            places[side, turn] = light, sides[lane]
    assert places == {
        ("north", "left"): (5, "west"), ("north", "straight"): (7, "north"), ("north", "right"): (3, "east"),
        ("south", "left"): (3, "east"), ("south", "straight"): (1, "south"), ("south", "right"): (5, "west"),
        ("east", "left"): (7, "north"), ("east", "straight"): (3, "east"), ("east", "right"): (1, "south"),
        ("west", "left"): (1, "south"), ("west", "straight"): (5, "west"), ("west", "right"): (7, "north"),
    }  # fmt: skip


def test_full_lanes_block():
    """A car does not enter a full lane; with a free cell it does."""
    full = [[1, "west", x, 0, "straight"] for x in range(10)]
    world = build(ID, dict(ONE, columns=2))
    for taken, moved in ((full, False), (full[1:], True)):
        level = {"inflow": [[0] * 4] * 2, "cars": [[0, "west", 9, 0, "straight"], *taken]}
        batch = kit.started(world, level={**level, "green": [EASTWARD, "north-south"]})
        batch.step(KEEP)
        assert (cars(batch) == {}) == moved


def test_switching():
    batch = opened([[0, "west", 9, 0, "straight"], [0, "north", 9, 0, "straight"]], min_green=3, all_red=2)
    assert kit.legal(batch) == {"keep", "switch"}
    batch.step(SWITCH)
    assert batch.records["objectives"][0, 0].tolist() == [-2, -2, -1, 0] and kit.legal(batch) == {"keep"}
    batch.step(KEEP)
    assert len(cars(batch)) == 2 and batch.observations["light"][0, 0].tolist() == [1, 0, 0]
    for k in range(3):
        assert kit.legal(batch) == {"keep"}
        batch.step(KEEP)
        assert set(cars(batch)) == {(NORTH, 9)} and batch.records["objectives"][0, 0, 3] == (k == 0)
    assert kit.legal(batch) == {"keep", "switch"}


def test_arrivals():
    """One car a step arrives at a lane, and waits while the lane is full."""
    batch = opened(inflow=[[0, 0, 0, 1]], horizon=100)
    for _ in range(30):
        batch.step(KEEP)
    s = batch.record()
    assert len(cars(batch)) == 10 and s.entered == 10 and s.waiting[0].tolist() == [0, 0, 0, 20]
    assert batch.observations["waiting"][0, 0].tolist() == [0, 0, 0, 20] and batch.rewards[0, 0] == -30


@pytest.mark.slow
def test_a_lane_clears_if_green_suffices():
    """With green for 10 of 22 steps and a flow of q cars per step of green, demand above 10 q / 22 piles up."""
    waiting = {}
    for demand in (0.15, 0.25, 0.45, 0.6):
        world = build(ID, {**ONE, "left": 0.0, "right": 0.0, "horizon": 2000})
        batch = kit.started(world, 4, level={"inflow": [[0, 0, 0, demand]], "green": [EASTWARD]})
        kit.finish(batch, "fixed_time")
        crossed = batch.records["gone"].mean() / 2000
        waiting[demand] = batch.records["waiting"].sum(axis=(1, 2)).mean()
        if demand == 0.6:
            most = crossed
    assert 0.25 < most < 0.45 and waiting[0.15] < 3 and waiting[0.25] < 5
    assert waiting[0.6] == pytest.approx(2000 * (0.6 - most), rel=0.1) and waiting[0.45] > 100


def test_draws():
    batch = kit.started(ID, 60, inflow=(0.2, 0.6), density=0.3, left=0.2, right=0.4)
    s = batch.records
    edge = np.asarray(s["params"]["beyond"][0]) < 0
    assert edge.sum() == 8 and (s["inflow"][:, ~edge] == 0).all()
    drawn = s["inflow"][:, edge]
    assert 0.2 <= drawn.min() < 0.22 and 0.58 < drawn.max() <= 0.6 and drawn.mean() == pytest.approx(0.4, abs=0.03)
    taken = s["speed"] >= 0
    assert taken.mean() == pytest.approx(0.3, abs=0.01)
    shares = np.bincount(s["turn"][taken], minlength=3) / taken.sum()
    assert shares == pytest.approx([0.2, 0.4, 0.4], abs=0.02) and s["axis"].mean() == pytest.approx(0.5, abs=0.12)


@pytest.mark.slow
def test_baselines():
    """Under load, max_pressure beats all others."""
    means = {}
    for name in ("random", "fixed_time", "longest_queue", "greedy", "max_pressure"):
        batch = kit.started(ID, 64)
        means[name] = kit.finish(batch, name).sum(axis=1).mean()
    rest = [mean for name, mean in means.items() if name != "max_pressure"]
    assert means["max_pressure"] > max(rest) + 100
    assert min(means["longest_queue"], means["max_pressure"]) > means["fixed_time"] + 300


def test_levels():
    batch = kit.started(ID, density=0.5)
    level = batch.world.get_level(batch.record())
    again = kit.started(batch.world, level=level)
    assert again.world.get_level(again.record()) == level and len(level["cars"]) > 50
    assert (again.observations[0] == batch.observations[0]).all()
    car = [0, "north", 9, 0, "left"]
    kit.refuses(
        build(ID, ONE),
        ({"inflow": QUIET, "lanes": 1}, "unknown part 'lanes'"),
        ({"inflow": [[0, 0, 0]]}, "1 list of 4 numbers from 0 to 1"),
        ({"inflow": [[0, 0, 0, 1.5]]}, r"inflow\[0\]\[3\]=1.5 must be a number from 0 to 1"),
        ({"inflow": [[0, 0, 0, "x"]]}, "='x' must be a number from 0 to 1"),
        ({"inflow": QUIET, "green": ["north"]}, "green='north' is unknown; did you mean 'north-south'?"),
        ({"inflow": QUIET, "cars": 3}, "'cars' must be a list"),
        ({"inflow": QUIET, "cars": [[0]]}, "car 0 must be an intersection"),
        ({"inflow": QUIET, "cars": [[1, *car[1:]]]}, "car 0: intersection=1 must be an integer from 0 to 0"),
        (
            {"inflow": QUIET, "cars": [[0, "up", 9, 0, "left"]]},
            "side='up' is unknown; known: north, east",
        ),
        ({"inflow": QUIET, "cars": [[0, "north", 10, 0, "left"]]}, "car 0: cell=10 must be an integer from 0 to 9"),
        ({"inflow": QUIET, "cars": [[0, "north", 9, 3, "left"]]}, "car 0: speed=3 must be an integer from 0 to 2"),
        (
            {"inflow": QUIET, "cars": [[0, "north", 9, 0, "back"]]},
            "turn='back' is unknown; known: left, straight",
        ),
        ({"inflow": QUIET, "cars": [car, car]}, "car 1 is in the cell of another car"),
    )
    kit.refuses(build(ID, ONE | {"closed": True}), ({"inflow": [[0, 0, 0, 1]]}, "'inflow' of others must be 0"))


def test_wrong_parameters_and_states():
    for params in ({"rows": 9}, {"length": 4}, {"brake": 1.5}, {"inflow": (0.5, 0.4)}, {"weights": (1.0,)}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)
    batch = kit.started(ID)
    for change, message in (
        (lambda s: s["turn"].__setitem__((slice(None), 0, 0, slice(None)), 2), "an empty cell has a turn"),
        (lambda s: s["crossing"].__setitem__((0, 0, 0), 1), "a car crosses between two steps"),
        (lambda s: s["params"]["beyond"].__setitem__((0, 0, 0), 1), "not those of a grid"),
        (lambda s: s["waiting"].__setitem__((0, 0, 0), 5), "too few for the waiting cars"),
        (lambda s: s["age"].__setitem__((0, 0), 1000), "older than the episode"),
    ):
        records = batch.records.copy()
        change(records)
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text_picture_and_clicks():
    batch = opened([[0, "west", 9, 0, "left"], [0, "west", 3, 2, "straight"]], inflow=[[0, 0, 0, 1]])
    text = batch.world.text(batch.record(), 0)
    assert "west  0.....2...  1 stand; the first goes left" in text and "You may switch now." in text
    assert "Green for 4 steps: cars from north and south." in text
    assert kit.clicks(batch, 0) == {None, SWITCH}
    batch.step(SWITCH)
    assert "All lights are red" not in batch.world.text(batch.record(), 0)
    assert "You may switch in 4 steps." in batch.world.text(batch.record(), 0)
    for _ in range(8):
        batch.step(KEEP)
    assert len(batch.world.scene(batch.record()).shapes) > 40 < len(batch.world.scene(batch.record(), 0).shapes)
