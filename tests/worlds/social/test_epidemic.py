"""Epidemic: single meetings, exact chains on complete graphs, large epidemics, rewards, levels, policies, views."""

from functools import partial

import kit
import numpy as np
import pytest
from scipy import optimize, stats

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.generators import generate
from envsuite.registry import build

ID = "envsuite/Epidemic-v0"

started = partial(kit.started, ID)

#: A path of four agents, the first of which is infected.
PATH = {"nodes": 4, "edges": [[0, 1], [1, 2], [2, 3]], "infected": [0]}


@pytest.mark.parametrize(
    "acts, factor", [((0, 0), 1), ((1, 0), 0.4), ((0, 1), 0.4), ((1, 1), 0.16), ((2, 0), 0), ((0, 2), 0)]
)
def test_a_meeting(acts, factor):
    """The probability that an infected agent infects its neighbor, and no one else."""
    batch = started(2000, agents=4, graph="ring", degree=2, transmission=0.5, level=PATH, first=1)
    batch.step(np.tile([*acts, 0, 0], (2000, 1)))
    found = batch.records["health"]
    assert (found[:, 2:] == 0).all()
    assert abs((found[:, 1] == 1).mean() - 0.5 * factor) <= 5 * (0.25 * factor / 2000) ** 0.5
    assert abs((found[:, 0] == 2).mean() - 0.2) < 5 * 0.4 / 2000**0.5


def test_several_infected_neighbors():
    level = {"nodes": 4, "edges": [[0, 3], [1, 3], [2, 3]], "infected": [0, 1, 2]}
    batch = started(2000, agents=4, graph="ring", degree=2, transmission=0.3, level=level)
    batch.step(np.tile([0, 1, 2, 0], (2000, 1)))
    p = 1 - 0.7 * (1 - 0.3 * 0.4)
    assert abs((batch.records["health"][:, 3] == 1).mean() - p) < 5 * 0.5 / 2000**0.5


def chain(n, transmission, recovery, again):
    """The transition matrix of (susceptible, infected) among n agents that all go out and all meet."""
    states = [(s, i) for s in range(n + 1) for i in range(n + 1 - s)]
    number = {state: k for k, state in enumerate(states)}
    matrix = np.zeros((len(states), len(states)))
    for s, i in states:
        new = stats.binom.pmf(np.arange(s + 1), s, 1 - (1 - transmission) ** i)
        well = stats.binom.pmf(np.arange(i + 1), i, recovery)
        for a, p in enumerate(new):
            for b, q in enumerate(well):
                matrix[number[s, i], number[s - a + (b if again else 0), i + a - b]] += p * q
    return states, matrix


@pytest.mark.slow
@pytest.mark.parametrize("model, recovery", [("SIR", 1.0), ("SIR", 0.3), ("SIS", 0.4)])
def test_complete_graphs_are_exact_chains(model, recovery):
    """The joint distribution of susceptible and infected agents after 1, 2, 4 and 7 days; recovery 1 is Reed-Frost."""
    num, n = 4000, 7
    params = dict(agents=n, graph="complete", model=model, transmission=0.2, recovery=recovery, days=8, first=2)
    batch = started(num, **params)
    states, matrix = chain(n, 0.2, recovery, model == "SIS")
    now = np.zeros(len(states))
    now[states.index((n - 2, 2))] = 1
    for day in range(1, 8):
        batch.step(0, ~batch.finished)
        now = now @ matrix
        if day in (1, 2, 4, 7):
            health = batch.records["health"]
            pairs = zip((health == 0).sum(axis=1).tolist(), (health == 1).sum(axis=1).tolist())
            found = np.bincount([states.index(pair) for pair in pairs], minlength=len(states))
            assert found[now < 1e-12].sum() == 0
            keep = num * now > 5
            chi = ((found - num * now)[keep] ** 2 / (num * now)[keep]).sum()
            assert stats.chi2.sf(chi, keep.sum()) > 1e-4


#: The share that a large epidemic reaches, by the number infected by one: calculated for the specification.
FINAL = {1.5: 0.582812, 2.0: 0.796812, 3.0: 0.940480}


@pytest.mark.slow
@pytest.mark.parametrize("reproduction", FINAL)
def test_large_epidemics(reproduction):
    """64 agents are near the limit; epidemics that die out early are left out."""
    limit = optimize.brentq(lambda z: z - 1 + np.exp(-reproduction * z), 0.1, 1)
    assert limit == pytest.approx(FINAL[reproduction], abs=1e-6)
    params = dict(agents=64, graph="complete", transmission=reproduction / 64, recovery=1.0, first=3)
    batch = started(600, **params)
    kit.finish(batch, "constant")
    share = (batch.records["health"] == 2).mean(axis=1)
    assert abs(share[share > 0.3].mean() - limit) < 0.04


@pytest.mark.slow
def test_endemic_share():
    """SIS with small rates: about 1 - 1 / 2 of all stay infected."""
    params = dict(agents=64, graph="complete", model="SIS", transmission=0.1 / 64, recovery=0.05, first=32, days=250)
    batch = started(40, **params)
    kit.finish(batch, "constant")
    assert abs(batch.records["counts"][:, 150:, 0].mean() / 64 - 0.5) < 0.06


def test_rewards_and_ends():
    batch = started(agents=4, graph="ring", degree=2, days=5, transmission=0.0, recovery=1.0, level=PATH)
    batch.step(np.array([[0, 1, 2, 0]]))
    assert batch.rewards[0].tolist() == pytest.approx([1 - 3 + 4, 0.8 + 4, 0 + 4, 1 + 4])  # over: four days are left
    assert batch.terminations.all()
    ill = started(agents=4, graph="ring", degree=2, days=3, transmission=1.0, recovery=0.01, illness=2.0, level=PATH)
    total = kit.finish(ill, "constant")[0]
    if not (ill.records["health"] == 2).any():
        assert total.tolist() == [3 - 6, 3 - 4, 3 - 2, 3]


def test_infections_start_tomorrow():
    batch = started(agents=4, graph="ring", degree=2, transmission=1.0, level=PATH)
    for reached in (1, 2, 3):
        batch.step(0)
        assert ((batch.records["health"][0] != 0).sum() == reached + 1) or batch.over()[0]


def test_models():
    for model, after in (("SIR", 2), ("SIS", 0)):
        batch = started(agents=4, graph="ring", degree=2, model=model, transmission=0.0, recovery=1.0, level=PATH)
        batch.step(0)
        assert batch.records["health"][0].tolist() == [after, 0, 0, 0]
        assert batch.observations["again"][0, 0, 0] == (model == "SIS")


def test_observations():
    level = {**PATH, "infected": [0, 3]}
    seen = started(agents=4, graph="ring", degree=2, level=level).observations[0]
    assert seen["neighbors"].tolist() == [[-1, 0, -1, -1], [1, -1, 0, -1], [-1, 0, -1, 1], [-1, -1, 0, -1]]
    assert seen["health"][:, 0].tolist() == [1, 0, 0, 1] and (seen["infected"] == 2).all()


def test_starts():
    batch = started(2000, agents=10, graph="complete", first=3)
    assert (batch.records["starts"].sum(axis=1) == 3).all()
    assert abs(batch.records["starts"].mean(axis=0) - 0.3).max() < 5 * 0.46 / 2000**0.5


def test_who_fares_how():
    def mean(names):
        return play(build(ID), names, 15).returns.mean()

    chance = mean(["random"] * 20)
    assert mean(["cautious"] * 20) > chance + 5 and mean(["selfish"] * 20) > chance
    assert mean(["cautious"] * 20) > mean(["constant"] * 20)


def test_levels():
    batch = started(agents=4, graph="ring", degree=2, level=PATH)
    assert batch.world.get_level(batch.record()) == PATH
    made = generate("graphs", seed=1)
    free = started(20, level=made)
    assert {str(free.world.get_level(free.record(i))["edges"]) for i in range(20)} == {str(made["edges"])}
    assert len({str(free.world.get_level(free.record(i))["infected"]) for i in range(20)}) > 5
    kit.refuses(
        batch.world,
        ({**PATH, "nodes": 5}, "a graph of 5 nodes is given for 4 agents"),
        ({**PATH, "infected": []}, "at least one"),
        ({**PATH, "infected": [1, 1]}, "different agents"),
        ({**PATH, "infected": [4]}, "an integer from 0 to 3"),
        ({**PATH, "edges": [[0, 0]]}, "two different nodes"),
        ({**PATH, "masks": 1}, "unknown part 'masks'"),
        ({"edges": []}, "lacks 'nodes'"),
    )


def test_wrong_parameters_and_states():
    for params, message in (
        ({"first": 21}, "first=21 must be at most agents=20"),
        ({"degree": 20}, "degree=20"),
        ({"recovery": 0.0}, "recovery=0.0"),
        ({"graph": "lattice", "agents": 7}, "lattice"),
    ):
        with pytest.raises(ParameterError, match=message):
            build(ID, params)
    batch = started()
    records = batch.records.copy()
    a, b = np.argwhere(records["level"]["edges"][0])[0]
    records["level"]["edges"][0, a, b] = 0
    with pytest.raises(SnapshotError, match="edges are not mutual"):
        batch.world.admit(records)


def test_text_and_picture():
    batch = started(agents=4, graph="ring", degree=2, level=PATH)
    world, s = batch.world, batch.record()
    text = world.text(s, 1)
    assert "1 of all are infected, 0 immune. You are susceptible." in text
    assert "Your neighbors: agent_0 infected, agent_2 susceptible." in text
    shapes = world.scene(s, 1).shapes
    s.level.edges[2, 3] = s.level.edges[3, 2] = 0  # agent_1 does not know it
    assert world.scene(s, 1).shapes == shapes and world.text(s, 1) == text and world.scene(s).shapes != shapes
    for params in (dict(agents=64, graph="complete"), dict(graph="scale_free")):
        big = started(**params)
        assert len(big.world.scene(big.record()).shapes) > 60 and len(big.world.scene(big.record(), 5).shapes) > 10


@pytest.mark.parametrize("effect", [0.0, 0.25, 1.0])
def test_masks_are_parameters(effect):
    """A mask on one of two lets 1 - effect of infections through, on both its square; it costs 0.35 a day."""
    for acts, factor in (((1, 0), 1 - effect), ((1, 1), (1 - effect) ** 2)):
        batch = started(
            2000, agents=4, graph="ring", degree=2, transmission=0.8, level=PATH, mask_effect=effect, mask_cost=0.35
        )
        batch.step(np.tile([*acts, 0, 0], (2000, 1)))
        p = 0.8 * factor
        assert abs((batch.records["health"][:, 1] == 1).mean() - p) <= 5 * (p * (1 - p) / 2000) ** 0.5
        goes_on = ~batch.finished.astype(bool)  # otherwise, all days that are left pay
        assert batch.rewards[goes_on, 0] == pytest.approx(0.65 - 3.0, abs=1e-6) and goes_on.sum() > 1000
