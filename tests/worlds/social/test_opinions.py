"""Opinions: the four rules against NumPy, fractions and Markov chains, limits, the game of a round, rewiring, views."""

import itertools
from fractions import Fraction
from functools import partial

import kit
import numpy as np
import pytest

from envsuite.core.chance import Explorer
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.generators import generate
from envsuite.registry import build

ID = "envsuite/Opinions-v0"

started = partial(kit.started, ID)

STAY, REWIRE, POST = range(3)

#: A star with a tail: numbers of neighbors 3, 1, 2, 2, 2.
EDGES = [[0, 1], [0, 2], [0, 3], [2, 4], [3, 4]]


def level(edges=EDGES, nodes=5, **parts):
    return {"nodes": nodes, "edges": edges, "bots": [], **parts}


def matrix(edges, nodes):
    found = np.zeros((nodes, nodes))
    for a, b in edges:
        found[a, b] = found[b, a] = 1
    return found


def lines(agents, **params):
    """Parameters for a level with this number of agents."""
    return dict(agents=agents, graph="complete", bots=0, **params)


def averages(rule, edges, opinions, shown, self_weight, tolerance):
    """The opinions after a round of DeGroot's or Hegselmann and Krause's rule, from matrices."""
    if rule == "degroot":
        count = np.maximum(edges.sum(axis=1), 1)
        after = self_weight * opinions + (1 - self_weight) * (edges @ shown) / count
        return np.where(edges.any(axis=1), after, opinions)
    heard = edges * (np.abs(shown[None] - opinions[:, None]) <= tolerance)
    return (opinions + heard @ shown) / (1 + heard.sum(axis=1))


@pytest.mark.parametrize("rule", ["degroot", "hegselmann_krause"])
@pytest.mark.parametrize("agents", [3, 8, 13])
def test_averages_in_lock_step(rule, agents):
    """Random graphs, opinions, bots and posts; a post stands for its round only."""
    rng = np.random.default_rng(agents)
    edges = np.argwhere(np.triu(rng.random((agents, agents)) < 0.4, 1)).tolist()
    bots = [[0, 1]]
    opinions = np.array([1.0, *rng.random(agents - 1)])
    given = level(edges, agents, opinions=opinions.tolist(), bots=bots)
    batch = started(level=given, **lines(agents, rule=rule, bins=4, self_weight=0.3, tolerance=0.4))
    for _ in range(8):
        actions = rng.choice([STAY, 2, 3, 4, 5], agents)
        shown = np.where(actions == STAY, opinions, (actions - POST) / 3)
        after = averages(rule, matrix(edges, agents), opinions, shown, 0.3, 0.4)
        after[0] = 1.0
        batch.step(actions[None])
        opinions = batch.records["opinion"][0].copy()
        assert opinions == pytest.approx(after, abs=1e-14)
        assert batch.records["shown"][0] == pytest.approx(np.where(actions == STAY, after, (actions - POST) / 3))


def test_degroots_limit():
    """The left eigenvector of the matrix of weights, which is that of the numbers of neighbors."""
    edges = matrix(EDGES, 5)
    weights = 0.4 * np.eye(5) + 0.6 * edges / edges.sum(axis=1, keepdims=True)
    values, vectors = np.linalg.eig(weights.T)
    left = np.real(vectors[:, np.argmin(abs(values - 1))])
    left /= left.sum()
    assert left == pytest.approx(edges.sum(axis=1) / edges.sum())
    opinions = [0.9, 0.1, 0.8, 0.3, 0.6]
    batch = started(level=level(opinions=opinions), **lines(5, rule="degroot", rounds=200, self_weight=0.4))
    kit.finish(batch, "honest")
    assert batch.records["opinion"][0] == pytest.approx(np.full(5, left @ opinions), abs=1e-12)


def test_degroots_limit_with_bots():
    """The harmonic function with the bots' values, by linear equations."""
    edges = matrix(EDGES, 5)
    given = level(opinions=[0.9, 0, 0.8, 0.3, 1], bots=[[4, 1], [1, 0]])
    batch = started(level=given, **lines(5, rule="degroot", rounds=200))
    kit.finish(batch, "honest")
    system = np.diag(edges.sum(axis=1)) - edges
    goals = np.array([0, 0, 0, 0, 1.0])
    system[[1, 4]] = np.eye(5)[[1, 4]]
    assert batch.records["opinion"][0] == pytest.approx(np.linalg.solve(system, goals), abs=1e-12)


@pytest.mark.parametrize("tolerance", [0.07, 0.1, 0.3])
def test_hegselmann_and_krause_on_an_even_grid(tolerance):
    """Fractions say the same: opinions keep their order and end in groups that are more than `tolerance` apart."""
    count, rounds = 17, 30
    values, limit = [Fraction(k, 16) for k in range(count)], Fraction(tolerance)
    pairs = [list(pair) for pair in itertools.combinations(range(count), 2)]
    given = level(pairs, count, opinions=[float(value) for value in values])
    batch = started(level=given, **lines(count, rule="hegselmann_krause", tolerance=tolerance, rounds=rounds))
    for _ in range(rounds):
        near = [[other for other in values if abs(other - value) <= limit] for value in values]
        before, values = values, [sum(group) / len(group) for group in near]
        batch.step(0)
        assert batch.records["opinion"][0] == pytest.approx([float(value) for value in values], abs=1e-12)
        assert values == sorted(values)
    assert before == values  # nothing changes any more
    groups = sorted(set(values))
    assert (len(groups) > 1) == (tolerance < 0.15) and all(b - a > limit for a, b in itertools.pairwise(groups))


def test_tolerance_includes_its_end_or_not():
    """A neighbor exactly `tolerance` away is heard by Hegselmann and Krause's rule, not by Deffuant's."""
    given = level([[0, 1]], 3, opinions=[0.25, 0.5, 1])
    for rule, after in (("hegselmann_krause", [0.375, 0.375, 1]), ("deffuant", [0.25, 0.5, 1])):
        batch = started(level=given, **lines(3, rule=rule, tolerance=0.25))
        batch.step(0)
        assert batch.records["opinion"][0].tolist() == after


def explored(batch, actions):
    """All (probability, opinions, record) after these actions."""
    explorer = Explorer(batch.world)
    found = explorer.successors(batch.records[0], actions)
    assert sum(outcome.probability for outcome in found) == pytest.approx(1)
    return [(outcome.probability, tuple(outcome.record["opinion"].tolist()), outcome.record) for outcome in found]


def summed(pairs):
    total = {}
    for probability, state in pairs:
        state = tuple(round(value, 12) for value in state)
        total[state] = total.get(state, 0) + probability
    return total


def agree(one, other):
    assert set(one) == set(other)
    assert all(one[state] == pytest.approx(other[state]) for state in one)


def test_deffuants_meetings():
    """One meeting: all pairs with their probabilities. A post is heard in place of the opinion."""
    opinions, edges, pull, tolerance = [0.5, 0.625, 0.3, 0.45, 1.0], matrix(EDGES, 5), 0.3, 0.2
    batch = started(level=level(opinions=opinions), **lines(5, meetings=1, pull=pull, tolerance=tolerance))
    for actions in ([0] * 5, [POST + 2, 0, 0, POST + 4, 0]):  # posts of 0.5 and 1
        shown = [opinions[k] if a == STAY else (a - POST) / 4 for k, a in enumerate(actions)]
        expected = []
        for a in range(5):
            for b in np.flatnonzero(edges[a]):
                after = list(opinions)
                for one, other in ((a, b), (b, a)):
                    if abs(shown[other] - opinions[one]) < tolerance:
                        after[one] += pull * (shown[other] - opinions[one])
                expected.append((1 / 5 / edges[a].sum(), after))
        agree(summed((p, state) for p, state, _ in explored(batch, actions)), summed(expected))


def test_deffuant_keeps_the_mean():
    batch = started(3, bots=0, meetings=40, rounds=10, pull=0.4)
    before = batch.records["opinion"].copy()
    kit.finish(batch, "honest")
    after = batch.records["opinion"]
    assert after.mean(axis=1) == pytest.approx(before.mean(axis=1), abs=1e-13)
    assert (after.std(axis=1) < before.std(axis=1)).all()


@pytest.mark.parametrize("edges, nodes", [(EDGES, 5), ([[0, 1], [1, 2], [2, 3], [3, 0]], 4), ([[0, 1], [1, 2]], 3)])
def test_the_voter_models_fixation(edges, nodes):
    """The exact chain over all states: one opinion takes over with its share, weighted by numbers of neighbors."""
    states = list(itertools.product((0, 1), repeat=nodes))
    chain = np.zeros((len(states), len(states)))
    params = lines(nodes, rule="voter", bins=2, meetings=1, rounds=2)
    for row, state in enumerate(states):
        batch = started(level=level(edges, nodes, opinions=list(state)), **params)
        for p, after, _ in explored(batch, [STAY] * nodes):
            chain[row, states.index(after)] += p
    degrees = matrix(edges, nodes).sum(axis=1)
    ends = [0, len(states) - 1]
    system = np.eye(len(states)) - chain
    system[ends] = np.eye(len(states))[ends]
    taken = np.linalg.solve(system, np.eye(len(states))[-1])
    assert taken == pytest.approx(np.array(states) @ degrees / degrees.sum(), abs=1e-12)


def test_meetings_follow_one_another():
    """Two meetings of voters are the square of one; those that adopt a value pass it on in the same round."""
    opinions = [0.0, 0.25, 0.5, 0.75, 1.0]
    edges = matrix(EDGES, 5)

    def meeting(state):
        return [
            (1 / 5 / edges[a].sum(), (*state[:a], state[b], *state[a + 1 :]))
            for a in range(5)
            for b in np.flatnonzero(edges[a])
        ]

    batch = started(level=level(opinions=opinions), **lines(5, rule="voter", meetings=2))
    expected = [(p * q, after) for p, state in meeting(tuple(opinions)) for q, after in meeting(state)]
    agree(summed((p, state) for p, state, _ in explored(batch, [0] * 5)), summed(expected))


def test_the_price_of_anarchy():
    """Bindel, Kleinberg and Oren: two neighbors pay 0.375 in equilibrium and 1/3 at best, 9/8 at pressure 1/2."""
    given = level([[0, 1]], 3, opinions=[0, 1, 0.5])
    batch = started(level=given, **lines(3, rule="degroot", self_weight=1.0, bins=13, pressure=0.5))
    costs = {}
    for a, b in itertools.product(range(13), repeat=2):
        batch.step(np.array([[POST + a, POST + b, STAY]]))
        costs[a, b] = -batch.rewards[0]
        batch.start(0, given)
    stable = [
        (a, b)
        for a, b in costs
        if costs[a, b][0] <= min(costs[c, b][0] for c in range(13)) + 1e-12
        and costs[a, b][1] <= min(costs[a, c][1] for c in range(13)) + 1e-12
    ]
    assert stable == [(3, 9)] and costs[3, 9].sum() == pytest.approx(0.375)
    best = min(costs, key=lambda pair: costs[pair].sum())
    assert best == (4, 8) and costs[3, 9].sum() / costs[best].sum() == pytest.approx(9 / 8)


def test_conformists_find_the_equilibrium():
    """With frozen opinions, best replies come within the grid's error of the solution of linear equations."""
    params = dict(rule="degroot", self_weight=1.0, bins=21, bots=0, agents=12)
    batch = started(2, rounds=15, **params)
    edges, opinions = batch.records["edges"].astype(float), batch.records["opinion"].copy()
    kit.finish(batch, "conformist")
    for k in range(2):
        laplacian = np.diag(edges[k].sum(axis=1)) - edges[k]
        exact = np.linalg.solve(np.eye(12) + 0.25 * laplacian, opinions[k])
        assert np.abs(batch.records["shown"][k] - exact).max() <= 0.05 / 2 * (1 + 0.25 * 4) + 1e-12
        assert np.abs(opinions[k] - exact).max() > 0.1
    replying = started(level=batch.world.get_level(batch.record()), **{**params, "bins": 5})
    (chosen,) = kit.choices("conformist", replying, 3)
    rewards = {}
    for action, name in enumerate(replying.world.action_names[3]):
        again = started(level=replying.world.get_level(replying.record()), **{**params, "bins": 5})
        again.step(np.where(np.arange(12) == 3, action, STAY)[None])
        rewards[name] = again.rewards[0, 3]
    del rewards["rewire"]
    assert rewards[chosen] == max(rewards.values()) > rewards["stay"]


def test_rewards():
    """A path of a person, a bot with the goal 1 and a person."""
    given = level([[0, 1], [1, 2]], 4, opinions=[0.2, 1, 0.6, 0.9], bots=[[1, 1]])
    params = lines(4, rule="degroot", self_weight=0.5, pressure=0.5, rewire_cost=0.125)
    batch = started(level=given, **params)
    batch.step(np.array([[POST + 2, STAY, STAY, STAY]]))
    people = [0.6, 0.8, 0.9]  # after the round
    assert batch.records["opinion"][0].tolist() == pytest.approx([0.6, 1, 0.8, 0.9])
    assert batch.rewards[0] == pytest.approx([-(0.3**2) - 0.5 * 0.5**2, np.mean(people), -0.5 * 0.4**2, 0])
    batch = started(level=given, **params)
    batch.step(np.array([[REWIRE, REWIRE, STAY, STAY]]))
    assert batch.rewards[0] == pytest.approx([-0.5 * 0.8**2 - 0.125, np.mean(people) - 0.125, -0.5 * 0.4**2, 0])


def test_rewiring():
    """It cuts the neighbor that showed the most distant value; the new one is drawn evenly from the strangers."""
    given = level([[0, 1], [0, 2], [1, 2]], 5, opinions=[0.5, 0.9, 0.2, 0.5, 0.5])
    batch = started(level=given, **lines(5, rule="degroot", self_weight=1.0))
    # agent_2's post of this round does not count: its neighbors chose before they saw it.
    found = explored(batch, [REWIRE, STAY, POST + 2, STAY, STAY])
    after = {(p, str(np.argwhere(np.triu(record["edges"])).tolist())) for p, _, record in found}
    assert after == {(0.5, f"[[0, 2], [0, {new}], [1, 2]]") for new in (3, 4)}  # agent_1 was 0.4 away, agent_2 only 0.3


def test_two_rewire_one_edge():
    """Each is the other's most distant neighbor: the first cuts the edge, and the second does nothing."""
    given = level([[0, 1], [0, 2]], 4, opinions=[0, 1, 0.5, 0.5])
    batch = started(level=given, **lines(4, rule="degroot", self_weight=1.0))
    total = {}
    for p, _, record in explored(batch, [REWIRE, REWIRE, STAY, STAY]):
        edges = str(np.argwhere(np.triu(record["edges"])).tolist())
        total[edges] = total.get(edges, 0) + p
    expected = {"[[0, 2], [0, 3]]": 0.5, "[[0, 2], [1, 2]]": 0.25, "[[0, 2], [1, 3]]": 0.25}
    assert total == pytest.approx(expected)


def test_when_rewiring_is_legal():
    batch = started(level=level([[0, 1], [1, 2], [1, 3]], 5), **lines(5))
    assert batch.masks[0, :, REWIRE].tolist() == [1, 1, 1, 1, 0]
    assert started(agents=4, graph="complete").masks[0, :, REWIRE].tolist() == [0] * 4


def test_starts():
    batch = started(200, agents=6, bots=2, graph="complete", rounds=1)
    goals = batch.records["goal"]
    assert (np.sort(goals, axis=1) == [-1, -1, -1, -1, 0, 1]).all()
    assert np.abs((goals == 1).mean(axis=0) - 1 / 6).max() < 5 * 0.38 / 200**0.5
    opinions = batch.records["opinion"]
    assert (opinions[goals >= 0] == goals[goals >= 0]).all()
    assert abs(opinions[goals < 0].mean() - 0.5) < 5 * 0.29 / 800**0.5
    voters = started(30, agents=6, bots=0, graph="complete", rounds=1, rule="voter", bins=3).records["opinion"]
    assert set(np.unique(voters)) == {0, 0.5, 1}
    batch.step(0)
    assert batch.terminations.all()


def test_observations():
    given = level(opinions=[0.1, 0.2, 0.3, 0, 0.5], bots=[[3, 0]])
    batch = started(level=given, **lines(5, rule="degroot", rounds=7))
    batch.step(np.array([[STAY, STAY, POST + 4, POST + 1, STAY]]))
    seen = batch.observations[0]
    opinions = batch.records["opinion"][0]
    assert seen["bot"][:, 0].tolist() == [0, 0, 0, 1, 0] and seen["opinion"][:, 0].tolist() == opinions.tolist()
    assert seen["shown"][:, 0].tolist() == [opinions[0], opinions[1], 1.0, 0.25, opinions[4]]
    assert seen["neighbors"][0].tolist() == [-1, opinions[1], 1.0, 0.25, -1]
    assert seen["neighbors"][4].tolist() == [-1, -1, 1.0, 0.25, -1]
    assert (seen["round"] == 1).all() and (seen["left"] == 6).all() and (seen["rule"] == 0).all()


def test_baselines():
    """Honesty beats chance, and best replies beat both."""
    params = dict(rounds=10, agents=10)

    def mean(name):
        return play(build(ID, params), [name] * 10, 4).returns.mean()

    assert mean("random") < mean("honest") - 0.5 < mean("conformist") - 0.6


@pytest.mark.slow
def test_leaving_pays():
    """The means are 0.28 and 0.77, with standard errors of 0.03."""
    conformist, sorter = (play(build(ID), [name] * 20, 100).returns.mean() for name in ("conformist", "sorter"))
    assert sorter > conformist + 0.3


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["deffuant", "hegselmann_krause"])
def test_patient_persuasion(rule):
    """A bot that shows what people still listen to moves them further than one that always shows its goal."""

    def success(name):
        batch = started(300, bots=1, rule=rule)
        bots = batch.records["goal"] >= 0
        return kit.finish(batch, "conformist", name, second=lambda: bots)[bots].mean()

    assert success("persuader") > success("honest") + 0.4  # standard error 0.12


def test_levels():
    given = level(opinions=[0.1, 0.2, 0.3, 0.0, 0.5], bots=[[3, 0]])
    batch = started(level=given, **lines(5))
    assert batch.world.get_level(batch.record()) == given
    made = generate("graphs", seed=1)
    free = started(10, level=made)
    assert {str(free.world.get_level(free.record(i))["edges"]) for i in range(10)} == {str(made["edges"])}
    assert len({str(free.world.get_level(free.record(i))["bots"]) for i in range(10)}) > 5
    drawn = started(10, level={**made, "opinions": [0.5] * 20})
    goals, opinions = drawn.records["goal"], drawn.records["opinion"]
    assert (opinions[goals < 0] == 0.5).all() and (opinions[goals >= 0] == goals[goals >= 0]).all()
    kit.refuses(
        batch.world,
        ({**given, "nodes": 6}, "a graph of 6 nodes is given for 5 agents"),
        ({**given, "opinions": [0.5] * 4}, "a list of 5 numbers"),
        ({**given, "opinions": [0.5, 2, 0, 0, 0]}, r"opinions\[1\]=2 must be a number from 0 to 1"),
        ({**given, "opinions": [0.5, float("nan"), 0, 0, 0]}, r"opinions\[1\]=nan must be a number"),
        ({**given, "opinions": [0.5] * 5}, "the opinion of bot 3 must be its goal 0"),
        ({**given, "bots": [[5, 0]]}, r"bots\[0\]\[0\]=5 must be an integer from 0 to 4"),
        ({**given, "bots": [[1, 0], [1, 1]]}, "the bot 1 is given twice"),
        ({**given, "bots": [[1, 2]]}, r"bots\[0\]\[1\]=2 must be an integer from 0 to 1"),
        ({**given, "bots": [1]}, "bots must be 1 list of 2 integers"),
        ({**given, "bots": [[k, 0] for k in range(5)]}, "at least one agent must be no bot"),
        ({**given, "edges": [[0, 0]]}, "two different nodes"),
        ({**given, "posts": 1}, "unknown part 'posts'"),
    )


def test_wrong_parameters_and_states():
    for params, message in (
        ({"bots": 3, "agents": 3, "graph": "complete"}, "bots=3 must be below agents=3"),
        ({"rule": "majority"}, "rule="),
        ({"bins": 1}, "bins=1"),
        ({"tolerance": 1.5}, "tolerance=1.5"),
    ):
        with pytest.raises(ParameterError, match=message):
            build(ID, params)
    batch = started()
    records = batch.records.copy()
    a, b = np.argwhere(records["edges"][0])[0]
    records["edges"][0, a, b] = 0
    with pytest.raises(SnapshotError, match="edges are not mutual"):
        batch.world.admit(records)
    records = batch.records.copy()
    records["goal"] = 1
    with pytest.raises(SnapshotError, match="all agents are bots"):
        batch.world.admit(records)


def test_text_and_picture():
    given = level(opinions=[0.1, 0.2, 0.3, 0.0, 0.5], bots=[[3, 0]])
    batch = started(level=given, **lines(5))
    batch.step(np.array([[STAY, POST + 3, POST + 1, POST, STAY]]))
    world, s = batch.world, batch.record()
    text = world.text(s, 0)
    assert "Your neighbors show: agent_1 0.750, agent_2 0.250, agent_3 0.000." in text and "bot" not in text
    assert "You are a bot, and your opinion is always 0." in world.prompt(s, 3)
    assert "You are a person." in world.prompt(s, 0)
    shapes = world.scene(s, 0).shapes
    s.opinion[2], s.history[1, 2], s.goal[3], s.edges[2, 4], s.edges[4, 2] = (
        0.9,
        0.9,
        -1,
        0,
        0,
    )  # agent_0 sees none of it
    assert world.scene(s, 0).shapes == shapes and world.text(s, 0) == text and world.scene(s).shapes != shapes
    for params in (dict(agents=64, graph="complete"), dict(graph="scale_free")):
        big = started(**params)
        assert len(big.world.scene(big.record()).shapes) > 60 and len(big.world.scene(big.record(), 5).shapes) > 10
    alone = started(level=level([[0, 1]], 3), **lines(3))
    assert "nothing; you have none" in alone.world.text(alone.record(), 2) and alone.world.scene(alone.record(), 2)
