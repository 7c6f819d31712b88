"""RouteChoice: MOMAland in lock-step, Braess graphs in closed form, exact traffic, tolls, levels, policies, views."""

import itertools
import subprocess
from functools import partial
from pathlib import Path

import kit
import numpy as np
import pytest
from reference_environment import interpreter
from scipy import optimize

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.generators import describe, generate
from envsuite.registry import build
from envsuite.social.route_choice.levels import fractions, incidence, mean_latency

ID = "envsuite/RouteChoice-v0"
REFERENCE = Path(__file__).with_name("momaland_reference.py")

started = partial(kit.started, ID)

#: Two parallel links (Pigou 1920): one takes 1, the other its share of the traffic.
PIGOU = {"nodes": [[0, 0], [1, 0]], "links": [[0, 1, 1.0, 0.0], [0, 1, 0.0, 1.0]], "routes": [[[0], [1]]]}


def costs(level, owners, chosen, mode, tolled):
    """The latency and the toll of every driver, from the definitions."""
    ways = [level["routes"][pair][route] for pair, route in zip(owners, chosen)]
    share = [sum(link in way for way in ways) / len(ways) for link in range(len(level["links"]))]
    latency = [free + slope * x for (_, _, free, slope), x in zip(level["links"], share)]
    toll = [
        {"none": 0.0, "marginal": level["links"][k][3] * share[k], "random": (k in tolled) * latency[k]}[mode]
        for k in range(len(share))
    ]
    return [(sum(latency[k] for k in way), sum(toll[k] for k in way)) for way in ways]


@pytest.mark.parametrize("mode", ["none", "marginal", "random"])
@pytest.mark.parametrize("sizes", [dict(order=2), dict(network="grid", rows=2, columns=3, pairs=3)])
def test_rules_are_their_definitions(sizes, mode):
    """Objectives, rewards and observations of random play in 5 worlds."""
    batch = started(5, seed=3, drivers=7, days=2, tolls=mode, toll_share=0.5, weights=(2.0, -3.0), **sizes)
    rng = np.random.default_rng(3)
    levels = [batch.world.get_level(batch.record(i)) for i in range(5)]
    for left in (1, 0):
        actions = np.array([[rng.choice(np.flatnonzero(mask)) for mask in masks] for masks in batch.masks])
        batch.step(actions)
        for i, level in enumerate(levels):
            expected = np.array(costs(level, level["drivers"], actions[i], mode, level.get("tolled", ())))
            unit = max(a + b for _, _, a, b in level["links"]) * max(map(len, itertools.chain(*level["routes"])))
            found = batch.records["objectives"][i]
            assert found == pytest.approx(-expected / unit) and batch.rewards[i] == pytest.approx(found @ [2.0, -3.0])
            assert batch.records["means"][i, 1 - left] == pytest.approx(expected.mean(axis=0))
            seen = batch.observations[i]
            for k in range(7):
                assert (seen["latency"][k, actions[i, k]], seen["toll"][k, actions[i, k]]) == pytest.approx(expected[k])
            assert (seen["chosen"][:, 0] == actions[i]).all() and (seen["left"] == left).all()
        assert (batch.terminations == (left == 0)).all()


@pytest.mark.slow
def test_lock_step_with_momaland(tmp_path):
    """Latencies, tolls and rewards on Braess graphs and grids, with marginal cost tolls and with random tolls."""
    rng, given, batches = np.random.default_rng(6), {}, {}
    for name in (0, 1, 3, 4, 5):
        sizes = dict(order=1 + name // 2) if name < 4 else dict(network="grid", pairs=name - 3, rows=2 + name % 2)
        tolls = "random" if name % 2 else "marginal"
        batch = started(1, seed=name, drivers=5 + 4 * name, days=1, tolls=tolls, toll_share=0.5, **sizes)
        level, s = batch.world.get_level(batch.record()), batch.records[0]
        owners = rng.integers(len(level["routes"]), size=(2, len(batch.world.agents)))
        actions = np.array([[rng.integers(len(level["routes"][pair])) for pair in row] for row in owners])
        links = len(level["links"])
        batches[name] = level, owners, actions, batch.world.parameters
        given |= {
            f"{name}/ends": s["level"]["ends"][:links],
            f"{name}/free": s["level"]["free"][:links],
            f"{name}/slope": s["level"]["slope"][:links],
            f"{name}/routes": s["level"]["routes"][: len(level["routes"])],
            f"{name}/owners": owners,
            f"{name}/tolled": s["tolled"] if tolls == "random" else np.zeros(0, np.uint8),
            f"{name}/actions": actions,
        }
    np.savez(tmp_path / "given.npz", **given)
    files = tmp_path / "given.npz", tmp_path / "answer.npz"
    subprocess.run([interpreter("momaland"), REFERENCE, "route_choice", *files], check=True)
    answer = np.load(files[1])
    for name, (level, owners, actions, params) in batches.items():
        found, (longest, dearest) = answer[f"{name}/found"], answer[f"{name}/scales"]
        batch = started(2, level=[{**level, "drivers": row.tolist()} for row in owners], **params)
        batch.step(actions)
        objectives, unit = batch.records["objectives"], batch.records["longest"][:, None]
        assert (batch.records["scale"] == pytest.approx(longest)) and dearest > 0
        assert objectives[..., 0] == pytest.approx(found[..., 0], rel=1e-6)
        assert objectives[..., 0] * longest * unit == pytest.approx(-found[..., 2])
        assert objectives[..., 1] * longest / dearest == pytest.approx(found[..., 1], rel=1e-6)
        assert objectives[..., 1] * unit * longest / dearest == pytest.approx(-found[..., 3])


@pytest.mark.parametrize("order", [1, 2, 4, 7])
def test_braess_graphs_in_closed_form(order):
    """Equilibrium 10 (k + 1) and optimum 10 (1 + k k / (k + 1)); closing the shortcuts makes the optimum stable."""
    level = generate("roads", shape="braess", order=order)
    found, best = describe(level), 10 * (1 + order**2 / (order + 1))
    assert (found["equilibrium"], found["optimum"]) == pytest.approx((10 * (order + 1), best), abs=1e-6)
    shortcuts = {k for k, link in enumerate(level["links"]) if link[2:] == [0.0, 0.0]}
    routes = [[route for route in level["routes"][0] if not shortcuts & set(route)]]
    assert len(shortcuts) == order and len(routes[0]) == order + 1
    closed = {**level, "routes": routes}
    assert mean_latency(closed, fractions(closed, False)) == pytest.approx(best)


def test_momaland_has_the_same_braess_graphs():
    """Links of its file Braess_3_4200_10_c1.json, whose slopes are divided by 4200 drivers."""
    level = generate("roads", shape="braess", order=3)
    assert sorted(map(tuple, level["links"])) == [
        (0, 1, 0, 90), (0, 2, 0, 60), (0, 3, 0, 30), (0, 6, 10, 0), (1, 4, 0, 0), (1, 7, 10, 0), (2, 4, 10, 0),
        (2, 5, 0, 0), (3, 5, 10, 0), (3, 6, 0, 0), (4, 7, 0, 30), (5, 7, 0, 60), (6, 7, 0, 90),
    ]  # fmt: skip
    ways = {tuple(level["links"][link][1] for link in route) for route in level["routes"][0]}
    assert ways == {(1, 4, 7), (2, 5, 7), (3, 6, 7), (2, 4, 7), (3, 5, 7), (6, 7), (1, 7)}


def program(level, social, demand, tolls=0.0):
    """The flows of the links of an equilibrium or optimum, by a quadratic program."""
    passes = incidence(level)
    free, slope = np.array([link[2:] for link in level["links"]], float).T
    slope = slope * (1.0 if social else 0.5) + 0.5 * tolls
    owner = np.repeat(np.arange(len(level["routes"])), list(map(len, level["routes"])))
    equal = optimize.LinearConstraint([owner == pair for pair in range(len(demand))], demand, demand)
    found = optimize.minimize(
        lambda x: (passes @ x) @ (free + slope * (passes @ x)),
        np.array([demand[pair] / (owner == pair).sum() for pair in owner]),
        jac=lambda x: passes.T @ (free + 2 * slope * (passes @ x)),
        bounds=[(0, None)] * len(owner),
        constraints=equal,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize("seed", range(4))
def test_fractions_are_quadratic_programs(seed):
    """Equilibria have the least potential, optima the least latency; marginal tolls turn one into the other."""
    level = generate("roads", seed=seed, shape="grid", rows=3, columns=3, pairs=2)
    free, slope = np.array([link[2:] for link in level["links"]], float).T
    demand, passes = [0.3, 0.7], incidence(level)
    stable, best = (fractions(level, social, demand) for social in (False, True))
    flows = passes @ np.concatenate(stable)
    assert flows @ (free + 0.5 * slope * flows) == pytest.approx(program(level, False, demand), rel=1e-7)
    assert mean_latency(level, best) == pytest.approx(program(level, True, demand), rel=1e-7)
    tolled = fractions(level, False, demand, tolls=slope)
    assert passes @ np.concatenate(tolled) == pytest.approx(passes @ np.concatenate(best), abs=1e-6)
    assert mean_latency(level, best) <= mean_latency(level, stable) <= 4 / 3 * mean_latency(level, best)
    worth = passes.T @ (free + slope * flows)
    for k, shares in enumerate(stable):
        own = worth[sum(map(len, stable[:k])) :][: len(shares)]
        assert own[shares > 1e-9] == pytest.approx(own.min())


def drive(policy, seed, level=None, **params):
    """The routes on the last day, the mean latency and toll of it, and the level."""
    batch = started(seed=seed, level=level, **params)
    level = batch.world.get_level(batch.record())
    kit.finish(batch, policy)
    s = batch.records[0]
    return s["chosen"].tolist(), s["means"][-1].tolist(), level


@pytest.mark.parametrize("seed", range(3))
def test_policies_are_exact(seed):
    """`optimal` has the smallest sum of all distributions; nobody gains by leaving `equilibrium`."""
    sizes = dict(drivers=6, network="grid", rows=2, columns=3, pairs=2, days=1)
    _, (latency, _), level = drive("optimal", seed, tolls="none", **sizes)
    owners = level["drivers"]
    groups = [
        itertools.combinations_with_replacement(range(len(routes)), owners.count(pair))
        for pair, routes in enumerate(level["routes"])
    ]
    least = 1e300
    for chosen in itertools.product(*groups):
        routes = [iter(part) for part in chosen]
        profile = [next(routes[pair]) for pair in owners]
        least = min(least, np.mean([time for time, _ in costs(level, owners, profile, "none", ())]))
    assert latency == pytest.approx(least)
    for mode in ("none", "marginal"):
        chosen, _, _ = drive("equilibrium", seed, level=level, tolls=mode, **sizes)
        paid = costs(level, owners, chosen, mode, ())
        for k, pair in enumerate(owners):
            for other in range(len(level["routes"][pair])):
                changed = [*chosen[:k], other, *chosen[k + 1 :]]
                assert sum(costs(level, owners, changed, mode, ())[k]) >= sum(paid[k]) - 1e-9


@pytest.mark.slow
def test_a_crowd():
    """120 drivers on Braess's network: 20 in equilibrium, 15 at best and with tolls, 15.5556 at random."""
    means = {}
    for policy, tolls in itertools.product(("shortest", "equilibrium", "optimal", "random"), ("none", "marginal")):
        means[policy, tolls] = drive(policy, 1, drivers=120, days=1, tolls=tolls)[1][0]
    for tolls in ("none", "marginal"):
        assert means["shortest", tolls] == 20 and means["optimal", tolls] == 15
        assert means["random", tolls] == pytest.approx(140 / 9, abs=0.6)
    assert means["equilibrium", "none"] == pytest.approx(20, abs=0.2)
    assert means["equilibrium", "marginal"] == pytest.approx(15, abs=0.1)


def test_selfish_drivers_settle():
    """Without tolls they all take the shortcut; with tolls they come near the optimum of 15."""
    assert drive("selfish", 0, drivers=10, tolls="none")[1] == [20, 0]
    near = [drive("selfish", seed, drivers=10, days=15)[1][0] for seed in range(3)]
    assert 15 <= np.mean(near) < 15.4


def test_who_fares_how():
    def mean(name, **params):
        world = build(ID, params)
        return play(world, [name] * len(world.agents), 3).returns.mean()

    assert mean("optimal") > mean("random") + 0.3 > mean("shortest") + 1.3
    sizes = dict(network="grid", tolls="none", days=1)
    assert mean("optimal", **sizes) > mean("equilibrium", **sizes) > mean("random", **sizes) + 0.02


def test_grids():
    """Routes are all ways to the right and down; latencies and pairs vary; the splits are apart."""
    level = generate("roads", seed=1, shape="grid", rows=3, columns=4, pairs=4)
    nodes, links = len(level["nodes"]), level["links"]
    assert nodes == 12 and len(links) == 17 and len(level["routes"][0]) == 10
    for pair in level["routes"]:
        ends = {(links[route[0]][0], links[route[-1]][1]) for route in pair}
        (start, end), *more = ends
        across, down = end % 4 - start % 4, end // 4 - start // 4
        assert not more and across > 0 and down > 0
        assert (
            len(pair)
            == len({tuple(route) for route in pair})
            == len(list(itertools.combinations(range(across + down), down)))
        )
    many = [generate("roads", seed=k, shape="grid") for k in range(30)]
    drawn = np.array([link[2:] for level in many for link in level["links"]])
    assert drawn.min(axis=0).tolist() == [1, 0] and drawn.max(axis=0).tolist() == [10, 20]
    train, test = ({str(generate("roads", k, split, shape="grid")) for k in range(8)} for split in ("train", "test"))
    assert len(train) == len(test) == 8 and not train & test


def test_draws():
    batch = started(60, network="grid", pairs=4, rows=2, columns=2, drivers=10, tolls="random", toll_share=0.25)
    owners, tolled = batch.records["owners"], batch.records["tolled"]
    assert abs(np.bincount(owners.ravel(), minlength=4) / 600 - 0.25).max() < 5 * 0.44 / 600**0.5
    assert abs(tolled.mean() - 0.25) < 5 * 0.44 / 240**0.5
    for pair in range(4):
        assert (batch.records["demand"][:, pair] == (owners == pair).sum(axis=1)).all()


def test_levels():
    batch = started(drivers=4, days=1, tolls="random", level={**PIGOU, "drivers": [0] * 4, "tolled": [1]})
    assert batch.world.get_level(batch.record()) == {**PIGOU, "drivers": [0] * 4, "tolled": [1]}
    assert kit.legal(batch) == {"route 0", "route 1"}
    batch.step(np.array([[0, 1, 1, 1]]))
    assert batch.records["objectives"][0].tolist() == [[-1, 0], *[[-0.75, -0.75]] * 3]
    link = PIGOU["links"][0]
    kit.refuses(
        batch.world,
        ({**PIGOU, "lanes": 2}, "unknown part 'lanes'"),
        ({"nodes": [[0, 0]], "links": [link]}, "lacks 'routes'"),
        ({**PIGOU, "links": []}, "links must be a list of 1 to 32 entries"),
        ({**PIGOU, "nodes": [[0, 0], [2, 0]]}, r"nodes\[1\]\[0\]=2 must be a number from 0 to 1"),
        ({**PIGOU, "links": [link, [0, 0, 1, 1]]}, "link 1 must join two different nodes"),
        ({**PIGOU, "links": [link, [0, 1, 1]]}, "link 1 must be a start, an end"),
        ({**PIGOU, "links": [link, [0, 1, 1, -1]]}, r"link 1: latencies\[1\]=-1 must be a number from 0 to 1000"),
        ({**PIGOU, "links": [[0, 1, 0, 0]] * 2}, "a link must take time"),
        ({**PIGOU, "routes": [[[0, 1]]]}, "continue where its last link ended"),
        ({**PIGOU, "routes": [[[0], [0]]]}, "is given twice"),
        ({**PIGOU, "routes": [[[2]]]}, r"a route\[0\]=2 must be an integer from 0 to 1"),
        ({**PIGOU, "links": [link, [1, 0, 1, 1]], "routes": [[[0], [1]]]}, "must lead from 0 to 1"),
        ({**PIGOU, "links": [link, [1, 0, 1, 1]], "routes": [[[0, 1]]]}, "passes a node twice"),
        ({**PIGOU, "routes": [[[0]], [[1]]]}, "the network has 2 pairs; 1 fit this world"),
        ({**PIGOU, "drivers": [0, 0]}, "drivers must be a list of 4 integers from 0 to 0"),
        ({**PIGOU, "drivers": [0, 0, 0, 1]}, r"drivers\[3\]=1 must be an integer from 0 to 0"),
        ({**PIGOU, "tolled": [2]}, r"tolled\[0\]=2 must be an integer from 0 to 1"),
        (generate("roads", shape="braess", order=2), "the network has 6 nodes; 4 fit this world"),
    )


def test_wrong_parameters_and_states():
    for params in ({"network": "ring"}, {"order": 8}, {"rows": 1}, {"drivers": 4201}, {"weights": (1.0,)}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)
    batch = started(network="grid", rows=2, columns=2, pairs=2)
    for change, message in (
        (lambda s: s["level"]["routes"].__setitem__((0, 0, 0, 0), 31), "32 links; 4 fit"),
        (lambda s: s["level"]["routes"].__setitem__((0, 1), -1), "a driver has a pair that is not there"),
        (lambda s: s.__setitem__("scale", 0), "scale must be above 0"),
        (lambda s: s.__setitem__("day", 5), "all days are over"),
    ):
        records = batch.records.copy()
        change(records)
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text_picture_and_clicks():
    batch = started(days=2)
    world = batch.world
    text = world.text(batch.record(), 1)
    assert "You drive from A to D, as 6 drivers do" in text and "`route 1`: A>B>C>D" in text
    assert "A>B 10x" in text and "yesterday" not in text
    assert kit.clicks(batch, 0) == {None, 0, 1, 2}
    batch.step(np.array([[0, 1, 1, 1, 1, 2]]))
    text = world.text(batch.record(), 1)
    assert "`route 1`: A>B>C>D; yesterday latency 16.67, toll 16.67 (your choice)" in text
    batch.step(1)
    assert "It is over after 2 days." in world.text(batch.record(), 0)
    big = started(drivers=30, network="grid", rows=4, columns=4, pairs=4)
    big.step(0)
    assert len(big.world.scene(big.record()).shapes) > 100 and len(big.world.scene(big.record(), 5).shapes) > 100
