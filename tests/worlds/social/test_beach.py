"""Beach: MOMAland in lock-step, closed forms of random play, the optimum by dynamic programming, levels, views."""

import subprocess
from functools import partial
from math import comb, e, exp
from pathlib import Path

import kit
import numpy as np
import pytest
from reference_environment import interpreter

from envsuite.agents import make_policy
from envsuite.agents.social.beach import best_seats, seat
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.registry import build

ID = "envsuite/Beach-v0"
REFERENCE = Path(__file__).with_name("momaland_reference.py")

started = partial(kit.started, ID)

#: The problem of the source.
PAPER = dict(agents=100, sections=6, capacity=7, types=(0.3, 0.7))

#: Three agents of one type and two of the other, in two of three sections.
FEW = {"types": [0, 0, 0, 1, 1], "sections": [0, 0, 2, 2, 2]}
SMALL = dict(agents=5, sections=3, capacity=3, horizon=2, level=FEW)


def by_hand(places, types, kinds, sections, capacity, team):
    """The objectives (A, 2) from their definitions."""
    there = [[types[k] for k in range(len(types)) if places[k] == place] for place in range(sections)]
    worths = [len(here) * exp(-len(here) / capacity) for here in there]
    mixed = [min(here.count(kind) for kind in range(kinds)) / len(here) if here else 0.0 for here in there]
    if team:
        return [(sum(worths), sum(mixed) / sections)] * len(types)
    return [(worths[place], mixed[place]) for place in places]


@pytest.mark.parametrize("team", [False, True])
@pytest.mark.parametrize("agents, sections, capacity, kinds", [(1, 1, 1, 1), (9, 3, 2, 2), (30, 6, 7, 4)])
def test_rules_are_their_definitions(agents, sections, capacity, kinds, team):
    """Places, counts, shares and objectives of random play in 6 worlds."""
    sizes = dict(agents=agents, sections=sections, capacity=capacity, types=(0.5,) * kinds, team=team, horizon=3)
    batch = started(6, seed=agents, weights=(2.0, -3.0), **sizes)
    rng = np.random.default_rng(agents)
    places, types = batch.records["starts"].astype(int), batch.records["types"].astype(int)
    for left in (2, 1, 0):
        actions = rng.integers(3, size=places.shape)
        batch.step(actions)
        places = np.clip(places + actions - 1, 0, sections - 1)
        seen = batch.observations
        assert (seen["section"][..., 0] == places).all() and (seen["left"] == left).all()
        for i in range(6):
            for k in range(agents):
                here = types[i][places[i] == places[i, k]]
                assert seen["count"][i, k, 0] == len(here)
                assert seen["share"][i, k, 0] == pytest.approx((here == types[i, k]).mean())
            paid = by_hand(places[i].tolist(), types[i].tolist(), kinds, sections, capacity, team)
            found = batch.records["objectives"][i]
            assert found == pytest.approx(np.array(paid) if left == 0 else np.zeros((agents, 2)))
            assert batch.rewards[i] == pytest.approx(found @ [2.0, -3.0])
        assert (batch.terminations == (left == 0)).all()


@pytest.mark.slow
def test_lock_step_with_momaland(tmp_path):
    """Observations, rewards and ends from the same states: 80 episodes of 16 sizes, half of them in teams."""
    rng, given, batches = np.random.default_rng(5), {}, {}
    for name in range(16):
        agents, sections, kinds = (int(rng.integers(low, high)) for low, high in ((1, 60), (1, 12), (1, 5)))
        capacity, steps, team = int(rng.integers(1, 12)), int(rng.integers(1, 6)), name % 2
        batch = started(
            5, seed=name, agents=agents, sections=sections, capacity=capacity, horizon=steps, team=bool(team),
            types=tuple(1.0 - rng.random(kinds)),
        )  # fmt: skip
        batches[name] = batch
        given |= {
            f"{name}/types": batch.records["types"],
            f"{name}/starts": batch.records["starts"],
            f"{name}/actions": rng.integers(3, size=(5, steps, agents)),
            f"{name}/settings": np.array([sections, kinds, capacity, team]),
        }
    np.savez(tmp_path / "given.npz", **given)
    files = tmp_path / "given.npz", tmp_path / "answer.npz"
    subprocess.run([interpreter("momaland"), REFERENCE, "beach", *files], check=True)
    answer = np.load(files[1])
    for name, batch in batches.items():
        seen, rewards, ends = (answer[f"{name}/{part}"] for part in ("seen", "rewards", "ends"))
        for t in range(seen.shape[1]):
            ours = [batch.observations[part][..., 0] for part in ("type", "section", "count", "share")]
            ours.insert(2, np.full(ours[0].shape, batch.world.parameters["capacity"]))
            assert np.stack(ours, axis=-1) == pytest.approx(seen[:, t], abs=1e-7)
            if t < ends.shape[1]:
                batch.step(given[f"{name}/actions"][:, t])
                assert batch.records["objectives"] == pytest.approx(rewards[:, t], rel=1e-6)
                assert (batch.terminations == ends[:, t, None]).all()


@pytest.mark.slow
def test_random_play_in_closed_form():
    """The means by sums over binomial numbers; the first is that of the specification."""
    n, p, q = 100, 1 / 6, 0.3
    crowds = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    capacity = 6 * sum(crowds[c] * c * exp(-c / 7) for c in range(n + 1))
    rarest = [sum(comb(c, k) * q**k * (1 - q) ** (c - k) * min(k, c - k) for k in range(c + 1)) for c in range(n + 1)]
    mixture = sum(crowds[c] * rarest[c] / c for c in range(1, n + 1))
    assert (round(capacity, 4), round(mixture, 4)) == (9.4033, 0.2948)
    batch = started(300, horizon=2, **PAPER)
    rng = np.random.default_rng(1)
    for _ in range(2):
        batch.step(rng.integers(3, size=(300, 100)))
    found = batch.records["objectives"][:, 0]
    errors = found.std(axis=0) / 300**0.5
    assert (abs(found.mean(axis=0) - [capacity, mixture]) < 4.5 * errors).all() and errors[0] < 0.1


def optimum(agents, sections, capacity):
    """The largest sum of worths, by dynamic programming over the sections."""
    worth = np.arange(agents + 1) * np.exp(-np.arange(agents + 1) / capacity)
    best = np.full(agents + 1, -np.inf)
    best[0] = 0.0
    for _ in range(sections):
        best = np.array([(best[: n + 1] + worth[n::-1]).max() for n in range(agents + 1)])
    return best[agents]


def test_seats_are_the_optimum():
    """For 400 sizes, the seats of `seated` have the largest worth of all distributions; 12.8818 in the source's."""
    rng = np.random.default_rng(2)
    sizes = [(int(rng.integers(1, 90)), int(rng.integers(1, 9)), int(rng.integers(1, 12))) for _ in range(400)]
    for agents, sections, capacity in [(100, 6, 7), (20, 4, 2), *sizes]:
        seats = best_seats(agents, sections, capacity)
        counts = np.bincount([seat(k, sections, *seats) for k in range(agents)], minlength=sections)
        assert len(counts) == sections
        assert (counts * np.exp(-counts / capacity)).sum() == pytest.approx(optimum(agents, sections, capacity))
    assert round(optimum(100, 6, 7), 4) == 12.8818 and round(7 / e, 4) == 2.5752


def test_seated_agents_reach_the_optimum():
    batch = started(2, horizon=5, **PAPER)
    kit.finish(batch, "seated")
    assert batch.records["objectives"][:, 0, 0] == pytest.approx(np.full(2, 12.8818), abs=1e-4)


@pytest.mark.slow
def test_volunteers_are_in_between():
    paper, usual = {}, {}
    for policy in ("random", "volunteer", "seated"):
        batch = started(60, horizon=5, **PAPER)
        kit.finish(batch, policy)
        paper[policy] = batch.records["objectives"][:, 0, 0].mean()
        usual[policy] = kit.finish(started(200), policy).mean()
    assert paper["random"] + 1.5 < paper["volunteer"] < paper["seated"] - 0.5
    assert usual["random"] + 0.1 < usual["volunteer"] < usual["seated"] - 0.1


def test_volunteers_arrive_in_time():
    level = {"types": [0] * 20, "sections": [0] * 10 + [1] * 10}
    for horizon, leavers in ((1, 0), (2, 10), (3, 20)):
        batch = started(20, horizon=horizon, level=level)
        player = make_policy("volunteer", batch.world, eager=2.0)
        player.reset(0, 20)
        moved = player.act_batch(batch.observations, batch.masks, range(20)) == 2
        assert moved[:, 20 - leavers :].all() and not moved[:, : 20 - leavers].any()


def test_draws():
    batch = started(20, agents=50, types=(0.2, 0.0, 0.8), starts=(0.0, 3 / 4, 0.0, 1 / 4))
    types, places = batch.records["types"], batch.records["starts"]
    assert set(np.unique(types)) == {0, 2} and set(np.unique(places)) == {1, 3}
    assert abs((types == 0).mean() - 0.2) < 5 * 0.4 / 1000**0.5
    assert abs((places == 1).mean() - 0.75) < 5 * 0.44 / 1000**0.5


def test_ends_of_the_beach():
    batch = started(**SMALL)
    batch.step(np.array([[0, 2, 2, 0, 1]]))
    assert batch.records["places"][0].tolist() == [0, 1, 2, 1, 2]
    assert batch.records["counts"][0].tolist() == [[1, 0], [1, 1], [1, 1]] and not batch.rewards.any()


def test_levels():
    batch = started(**SMALL)
    batch.step(0)
    assert batch.world.get_level(batch.record()) == FEW
    kit.refuses(
        batch.world,
        ({"types": [0] * 5}, "a level has 'types' and 'sections', not 'types'"),
        ({**FEW, "sea": 1}, "not 'types', 'sections', 'sea'"),
        ({**FEW, "types": [0] * 4}, "types must be a list of 5 integers from 0 to 1"),
        ({**FEW, "types": [0, 0, 0, 1, 2]}, r"types\[4\]=2 must be an integer from 0 to 1"),
        ({**FEW, "sections": [0, 0, 0, 1, 3]}, r"sections\[4\]=3 must be an integer from 0 to 2"),
        ({**FEW, "sections": [0, 0, 0, 1, True]}, r"sections\[4\]=True must be an integer from 0 to 2"),
        ({**FEW, "sections": "00000"}, "sections must be a list of 5 integers from 0 to 2"),
    )


def test_wrong_parameters_and_states():
    for params, message in (
        ({"starts": (1.0, 1.0)}, "must have 4 numbers, one for each section"),
        ({"types": ()}, "must have 1 to 6 numbers"),
        ({"types": (0.1,) * 7}, "must have 1 to 6 numbers"),
        ({"types": (0.0, 0.0)}, "types=.* must have a number above 0"),
        ({"starts": (0.0,) * 4}, "starts=.* must have a number above 0"),
        ({"weights": (1.0,)}, "1 weights are given for 2"),
    ):
        with pytest.raises(ParameterError, match=message):
            build(ID, params)
    batch = started()
    for field, value, message in (
        ("counts", 20, "counts are not those of the agents"),
        ("turn", 4, "all steps are over"),
    ):
        records = batch.records.copy()
        records[field] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)
    records = batch.records.copy()
    records["params"]["types"] = 0
    with pytest.raises(SnapshotError, match="all weights"):
        batch.world.admit(records)


def test_text_and_picture():
    batch = started(**SMALL, team=False)
    world, s = batch.world, batch.record()
    text = world.text(s, 3)
    assert "You are of type B." in text and "the worth of your section" in world.prompt(s, 3)
    assert "Your section, 2, has 3 agents; 2 have your type, you included." in text
    assert "Step 1 of 2." in text
    shown = world.scene(s, 3).shapes
    assert len(world.scene(s).shapes) > len(shown)
    batch.step(0)
    batch.step(0)
    assert "It is over after 2 steps." in world.text(batch.record(), 0)
    for params in (dict(agents=300, sections=32, capacity=3), dict(agents=1, sections=1, capacity=1024)):
        big = started(**params)
        assert len(big.world.scene(big.record()).shapes) > 30 and len(big.world.scene(big.record(), 0).shapes) > 10
