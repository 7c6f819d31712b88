"""Microgrid: the costs in NumPy, linear and dynamic programs of one building, bounds of peaks, attacks, views."""

from functools import partial

import kit
import numpy as np
import pytest
from scipy.optimize import linprog

from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.registry import build
from envsuite.social.microgrid.levels import CARBONS, PRICES, PROFILE, SUN

ID = "envsuite/Microgrid-v0"

started = partial(kit.started, ID)

FLAT = np.zeros((1, 24))


# Costs.


@pytest.mark.parametrize(
    "params",
    [
        dict(buildings=3, foresight=5),
        dict(buildings=2, team=False, levels=3, reach=2, feed_in=0.5, days=2, weights=(1.0, 2.0, 3.0, 4.0)),
        dict(buildings=4, team=False, attacker=True, budget=9, share=0.4, capacity=6.0, efficiency=0.8),
        dict(buildings=2, attacker=True, budget=40, share=1.0, levels=7, reach=3),
        dict(buildings=2, attacker=True, attack="reports", budget=15, share=0.7, levels=2),
    ],
)
def test_costs(params):
    """Random play, with every number that agents see and get, calculated here from data and choices."""
    rng, batch = np.random.default_rng(1), started(**params)
    world, s = batch.world, batch.record()
    p, total_hours = world.parameters, len(s.level.price)
    load, sun = np.array(s.level.load), np.array(s.level.generation)
    n, steps, attacker = p["buildings"], p["levels"] - 1, p["attacker"]
    level, moved, imported, peak, attacks = np.zeros(n, int), np.zeros(n), 0.0, 0.0, p["budget"]
    drawn, lie, deceives = np.zeros(n), 1.0, p["attack"] == "reports"
    for h in range(total_hours):
        seen, ahead = batch.observations[0], min(p["foresight"] + 1, total_hours - h)
        loads = load[:, h : h + ahead].copy()
        loads[:, 0] += moved
        for k, agent in enumerate(world.agents):
            mine = seen[k]
            whole = agent == "attacker"
            assert mine["load"][:ahead] == pytest.approx(loads.sum(axis=0) if whole else lie * loads[k])
            power = sun[:, h : h + ahead]
            assert mine["generation"][:ahead] == pytest.approx(power.sum(axis=0) if whole else power[k])
            assert (mine["load"][ahead:] == -1).all() and (mine["generation"][ahead:] == -1).all()
            assert (mine["price"][:ahead] == PRICES[(h + np.arange(ahead)) % 24]).all()
            assert (mine["carbon"][:ahead] == CARBONS[(h + np.arange(ahead)) % 24]).all()
            assert (mine["price"][ahead:] == -1).all() and mine["hour"] == h % 24 and mine["left"] == total_hours - h
            assert mine["level"][0] == (0 if whole else level[k]) and mine["attacks"][0] == (attacks if whole else -1)
            assert mine["drawn"][0] == pytest.approx(0 if whole else drawn[k])
            assert mine["imported"][0] == pytest.approx(imported) and mine["peak"][0] == pytest.approx(peak)
            strikes = 1 + deceives if attacks > 0 and h + 1 < total_hours else 0
            wanted = [0, 1, 2][: 1 + strikes] if whole else None
            near = range(max(0, level[min(k, n - 1)] - p["reach"]), min(steps, level[min(k, n - 1)] + p["reach"]) + 1)
            assert np.flatnonzero(batch.masks[0, k]).tolist() == (wanted or [*near])
        actions = [int(rng.choice(np.flatnonzero(mask))) for mask in batch.masks[0]]
        strikes = attacker and actions[-1] > 0
        attacks -= strikes
        lie = 1 + deceives * p["share"] * (0, -1, 1)[actions[-1] if attacker else 0]
        part = p["share"] * (strikes and not deceives)
        used = loads[:, 0] * (1 - part)
        moved = loads[:, 0] * part
        change = (np.array(actions[:n]) - level) / steps * p["capacity"]
        level = np.array(actions[:n])
        drawn = used - sun[:, h] + np.where(change > 0, change / p["efficiency"], change * p["efficiency"])
        total = drawn.sum()
        rate = PRICES[h % 24] * (1 if total > 0 else p["feed_in"])
        soot = CARBONS[h % 24] * (total > 0)
        over, ramp = max(0.0, total - peak), abs(total - imported) * (h > 0)
        costs = np.array([rate * total, over, ramp, soot * total])
        batch.step(np.array([actions]))
        found = batch.records["objectives"][0]
        for k in range(n):
            own = np.array([rate * drawn[k], over / n, ramp / n, soot * drawn[k]])
            assert found[k] == pytest.approx(-(costs if p["team"] else own))
        if not p["team"]:
            assert found[:n].sum(axis=0) == pytest.approx(-costs)
        if attacker:
            assert found[n] == pytest.approx(costs)
        assert batch.rewards[0] == pytest.approx(found @ np.array(p["weights"]))
        imported, peak = total, max(peak, total)
        assert batch.terminations.all() == (h + 1 == total_hours)


# Programs for one building.


def program(load, sun, price, carbon, p, weights):
    """The least cost of bill, peak and carbon by a linear program over any charges: scipy's.

    Variables: charged, discharged, imported, fed in of each hour, and the peak.
    """
    hours, each = len(load), p["capacity"] / (p["levels"] - 1)
    one, none = np.eye(hours), np.zeros((hours, hours))
    costs = np.concatenate(
        [
            np.zeros(2 * hours),
            weights[0] * price + weights[3] * carbon,
            -weights[0] * p["feed_in"] * price,
            [weights[1]],
        ]
    )
    stored = np.tril(np.ones((hours, hours)))
    column = np.zeros((hours, 1))
    balance = np.hstack([one / p["efficiency"], -one * p["efficiency"], -one, one, column])
    above = np.hstack([stored, -stored, none, none, column])
    peak = np.hstack([none, none, one, none, column - 1])
    found = linprog(
        costs,
        A_ub=np.vstack([above, -above, peak]),
        b_ub=np.concatenate([np.full(hours, p["capacity"]), np.zeros(2 * hours)]),
        A_eq=balance,
        b_eq=sun - load,
        bounds=[(0, p["reach"] * each)] * (2 * hours) + [(0, None)] * (2 * hours + 1),
    )
    assert found.status == 0
    return found.fun


def on_levels(load, sun, price, carbon, p, weights):
    """The least bill and carbon over whole levels: dynamic programming with matrices of costs."""
    change = np.subtract.outer(np.arange(p["levels"]), np.arange(p["levels"])).T * p["capacity"] / (p["levels"] - 1)
    takes = np.where(change > 0, change / p["efficiency"], change * p["efficiency"])
    far = abs(change) > p["reach"] * p["capacity"] / (p["levels"] - 1) + 1e-9
    left = np.zeros(p["levels"])
    for h in reversed(range(len(load))):
        drawn = load[h] - sun[h] + takes
        rate = np.where(drawn > 0, weights[0] * price[h] + weights[3] * carbon[h], weights[0] * p["feed_in"] * price[h])
        left = np.where(far, np.inf, rate * drawn + left).min(axis=1)
    return left[0]


def data(rng, exact):
    """Random data of a building; with `exact`, one that never feeds in."""
    load = rng.uniform(20, 30, 24) if exact else rng.uniform(0, 3, 24)
    return load, rng.uniform(0, 4, 24), rng.uniform(0, 1, 24), rng.uniform(0, 0.5, 24)


@pytest.mark.parametrize("seed", range(6))
def test_linear_and_dynamic_program(seed):
    """The planner earns what the program over levels says, and where that is exact, the linear program's optimum."""
    rng = np.random.default_rng(seed)
    exact, weights = seed % 3 == 0, (1.0, 0.0, 0.0, 0.7 * (seed % 3 != 1))
    params = dict(
        buildings=1, foresight=23, levels=int(rng.integers(2, 8)), capacity=float(rng.uniform(2, 12)), weights=weights,
        efficiency=float(rng.uniform(0.7, 1)), feed_in=1.0 if seed % 3 == 1 else 0.4,
    )  # fmt: skip
    params["reach"] = int(rng.integers(1, params["levels"]))
    load, sun, price, carbon = data(rng, exact)
    level = dict(zip(("load", "generation", "price", "carbon"), map(np.ndarray.tolist, (load, sun, price, carbon))))
    level |= {"load": [level["load"]], "generation": [level["generation"]]}
    batch = started(**params, level=level)
    p = batch.world.parameters
    least, bound = (solve(load, sun, price, carbon, p, weights) for solve in (on_levels, program))
    planner = make_policy("planner", batch.world, smooth=0.0)
    planner.reset(0, 1)
    total = 0.0
    while not batch.over().all():
        batch.step(planner.act_batch(batch.observations, batch.masks, [0]))
        total += batch.rewards[0, 0]
    assert -total == pytest.approx(least)
    assert bound <= least + 1e-9
    if exact or seed % 3 == 1:
        assert bound == pytest.approx(least)


def test_finer_levels_approach_the_linear_program():
    rng = np.random.default_rng(3)
    load, sun, price, carbon = data(rng, False)
    weights, gaps = (1.0, 0.0, 0.0, 0.5), []
    for levels in (2, 5, 21):
        p = dict(capacity=8.0, levels=levels, reach=levels - 1, efficiency=0.9, feed_in=0.2)
        gaps.append(on_levels(load, sun, price, carbon, p, weights) - program(load, sun, price, carbon, p, weights))
    assert gaps[0] > gaps[1] > gaps[2] > 0 and gaps[2] < 0.2 * gaps[0]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_bounds_of_peaks(seed):
    """No policy has a lower peak or a higher return than a linear program; the least peak on levels can be played."""
    weights = (0.0, 1.0, 0.0, 0.0) if seed else (1.0, 0.5, 0.0, 0.1)
    params = dict(buildings=1, weights=weights, levels=6, reach=2, foresight=23)
    batch = started(1, seed, **params)
    s, p = batch.record(), batch.world.parameters
    load, sun = np.array(s.level.load)[0], np.array(s.level.generation)[0]
    bound = program(load, sun, PRICES, CARBONS, p, weights)
    for policy in ("random", "idle", "night", "solar", "planner"):
        assert -play(batch.world, [policy], 2, seed=seed).returns[0, 0] >= bound - 1e-9
    if not seed:
        return
    # The least peak on levels: paths whose import stays below a threshold.
    each = p["capacity"] / 5
    moves, steps = range(-2, 3), np.arange(-2, 3) * each
    takes = np.where(steps > 0, steps / p["efficiency"], steps * p["efficiency"])
    drawn = (load - sun)[:, None] + takes

    def path(limit):
        back = [np.ones(6, bool)]
        for h in reversed(range(24)):
            ok = [[0 <= k + d <= 5 and drawn[h, d + 2] <= limit and back[0][k + d] for d in moves] for k in range(6)]
            back.insert(0, np.array(ok).any(axis=1))
        level, found = 0, []
        for h in range(24):
            ways = [d for d in moves if 0 <= level + d <= 5 and drawn[h, d + 2] <= limit and back[h + 1][level + d]]
            if not ways:
                return None
            level += min(ways, key=abs)
            found.append(level)
        return found

    least = next(limit for limit in sorted({max(0.0, value) for value in drawn.ravel()}) if path(limit))
    for level in path(least):
        batch.step(level)
    assert batch.terminations.all() and batch.records["peak"][0] == pytest.approx(least)
    assert bound <= least <= bound + each / p["efficiency"]


# Data, attacks, policies.


def test_data():
    levels = started(150, buildings=2, days=2, panels=8.0).records["level"]
    load, sun = levels["load"], levels["generation"]
    mean = load.mean(axis=(0, 1)).reshape(2, 24)
    assert abs(mean / PROFILE - 1).max() < 0.1
    size = load.mean(axis=2) / PROFILE.mean()
    assert 0.5 < size.min() < 0.7 and 1.3 < size.max() < 1.52
    noise = load / (size[..., None] * np.tile(PROFILE, 2))
    assert abs(noise.std() - 0.2) < 0.01
    noon = sun[..., [12, 36]]
    assert (sun[..., :24] == noon[..., [0]] * SUN).all() or sun[..., :24] == pytest.approx(noon[..., [0]] * SUN)
    assert 7.0 < noon.max() <= 8.0
    assert noon[:, 0, 0] / noon[:, 1, 0] == pytest.approx(noon[:, 0, 1] / noon[:, 1, 1])  # the same sky
    sky = noon[..., 1] / noon[..., 0]
    assert 0.2 <= sky.min() and sky.max() <= 5.0 and abs(np.log(sky).mean()) < 0.25
    assert (levels["price"] == np.tile(PRICES, 2)).all()


def test_an_attack():
    """A delayed load adds to the next hour's, and can be delayed again."""
    load = [[4.0, 2.0, 1.0] + [0.0] * 21]
    level = {"load": load, "generation": FLAT.tolist()}
    batch = started(buildings=1, attacker=True, budget=2, share=0.5, level=level)
    totals = []
    for strikes in (1, 1, 0, 0):
        assert kit.legal(batch, 1) == ({"wait", "delay loads"} if batch.observations["attacks"][0, 1] else {"wait"})
        batch.step(np.array([[0, strikes]]))
        totals.append(batch.observations["imported"][0, 0, 0])
    assert totals == [2.0, 2.0, 3.0, 0.0]
    while not batch.over().all():
        if batch.records["hour"][0] == 23:
            assert kit.legal(batch, 1) == {"wait"}
        batch.step(0)


def test_false_reports():
    """They last an hour, change nothing but what buildings see, and harm whom they mislead."""
    level = {"load": [[2.0] * 24, [1.0] * 24], "generation": [[0.5] * 24] * 2}
    batch = started(attacker=True, attack="reports", budget=2, share=0.25, level=level)
    for attack, seen in (("report less", [1.5, 0.75]), ("report more", [2.5, 1.25]), ("wait", [2.0, 1.0])):
        batch.step(np.array([[0, 0, batch.world.action_names[2].index(attack)]]))
        assert batch.observations["load"][0, :2, 0].tolist() == seen
        assert batch.observations["load"][0, 2, 0] == 3.0 and batch.observations["imported"][0, 0, 0] == 2.0
        assert f"from this hour on: {seen[0]:g}, {seen[0]:g}" in batch.world.text(batch.record(), 0)
        assert "All loads, in kWh, from this hour on: 3, 3" in batch.world.text(batch.record(), 2)
    assert kit.legal(batch, 2) == {"wait"}
    world = build(ID, dict(attacker=True, attack="reports", share=0.9))

    def returns(*names):
        return play(world, names, 40).returns[:, 0]

    assert (returns("night", "night", "planner") == returns("night", "night", "idle")).all()
    loss = returns("planner", "planner", "idle") - returns("planner", "planner", "planner")
    assert loss.mean() > 4 * loss.std() / len(loss) ** 0.5 > 0


def test_who_fares_how():
    def mean(policy, others=None, **params):
        world = build(ID, params)
        names = [policy] * len(world.agents)
        if others:
            names[-1] = others
        return play(world, names, 4).returns[:, 0].mean()

    small = dict(levels=3, capacity=5.0)
    best, habit, chance = (mean(policy, **small) for policy in ("planner", "night", "random"))
    assert best > habit + 0.3 and best > mean("idle", **small) + 0.3
    assert min(habit, mean("solar", **small)) > chance + 4
    harmed = dict(small, attacker=True, share=0.9)
    assert mean("idle", "planner", **harmed) < mean("idle", "random", **harmed) - 0.05
    assert mean("night", "idle", **harmed) == pytest.approx(habit)


def test_habits():
    level = {"load": [[1.0] * 24], "generation": [[0.0] * 10 + [6.0] * 4 + [0.0] * 10]}
    for policy, wanted in (
        ("idle", [0] * 24),
        ("night", [0, 25, 50, 75] + [100] * 13 + [75, 50, 25, 0, 0, 0, 0]),
        ("solar", [0] * 10 + [25, 50, 75, 100] + [100] * 10),
    ):
        batch, seen = started(buildings=1, level=level), []
        player = make_policy(policy, batch.world)
        player.reset(0, 1)
        while not batch.over().all():
            batch.step(player.act_batch(batch.observations, batch.masks, [0]))
            seen.append(25 * int(batch.records["charged"][0, 0]))
        assert seen == wanted


# Levels, parameters, views.


def test_levels():
    batch = started(buildings=2)
    level = batch.world.get_level(batch.record())
    again = started(buildings=2, level=level, seed=9)
    assert (again.observations == batch.observations).all()
    rows = np.zeros((2, 24)).tolist()
    kit.refuses(
        batch.world,
        ({"load": rows}, "lacks 'generation'"),
        ({"load": rows, "generation": rows, "wind": rows}, "unknown part 'wind'"),
        ({"load": rows[:1], "generation": rows}, "'load' must be 2 lists of 24 numbers"),
        ({"load": rows, "generation": [[True] * 24] * 2}, r"'generation'\[0\]\[0\]=True must be a number"),
        ({"load": rows, "generation": [[-1.0] * 24] * 2}, "=-1.0 must be a number from 0 to 100"),
        ({"load": rows, "generation": rows, "price": [11] * 24}, r"'price'\[0\]=11 must be a number from 0 to 10"),
        ({"load": rows, "generation": rows, "carbon": [0.1] * 23}, "'carbon' must be a list of 24 numbers from 0 to 5"),
        ({"load": rows, "generation": [[1.0], [1.0, 2.0]]}, "'generation' must be 2 lists of 24 numbers"),
    )


def test_wrong_parameters_and_states():
    for params, message in (
        (dict(reach=5), "reach=5 must be below levels=5"),
        (dict(efficiency=0.4), "efficiency=0.4"),
        (dict(weights=(1.0,)), "weights"),
        (dict(buildings=17), "buildings=17"),
    ):
        with pytest.raises(ParameterError, match=message):
            build(ID, params)
    batch = started()
    records = batch.records.copy()
    records["hour"] = 24
    with pytest.raises(SnapshotError, match="all hours are over"):
        batch.world.admit(records)


def test_text_and_picture():
    batch = started(buildings=3, attacker=True)
    batch.step(np.array([[1, 0, 1, 1]]))
    world, s = batch.world, batch.record()
    text, shapes, whole = world.text(s, 0), world.scene(s, 0).shapes, world.scene(s).shapes
    assert "Your battery has 25% of 10 kWh." in text
    assert "1 for the bill, 0.5 for the peak, 0.05 for the ramp and 0.1 for the carbon." in world.prompt(s, 0)
    assert "Attacks left: 3." in world.text(s, 3) and "battery" not in world.text(s, 3)
    s.charged[1] = 3
    s.level.load[2] = 0.0
    s.attacked[0] = 0
    assert world.text(s, 0) == text and world.scene(s, 0).shapes == shapes and world.scene(s).shapes != whole
    for params in (dict(buildings=16, days=3), dict(buildings=1, levels=21, reach=20)):
        other = started(**params)
        kit.finish(other, "solar")
        assert "It is over after" in other.world.text(other.record(), 0) and other.world.scene(other.record()).shapes
