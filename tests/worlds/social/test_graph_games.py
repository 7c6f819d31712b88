"""GraphGames: payoffs by matrices, dominance, death-birth by exact chains, its threshold, imitation, levels, views."""

import itertools
from functools import partial

import kit
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.core.chance import Explorer
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.generators import generate
from envsuite.registry import build

ID = "envsuite/GraphGames-v0"

started = partial(kit.started, ID)

COOPERATE, DEFECT, PUNISH = range(3)

#: A star with a tail: numbers of neighbors 3, 1, 2, 2, 2.
EDGES = [[0, 1], [0, 2], [0, 3], [2, 4], [3, 4]]
LEVEL = {"nodes": 5, "edges": EDGES, "cooperators": [0, 2]}
SMALL = dict(agents=5, graph="complete", first=1)


def matrix(edges, nodes):
    found = np.zeros((nodes, nodes))
    for a, b in edges:
        found[a, b] = found[b, a] = 1
    return found


def cycle(nodes):
    return matrix([(k, (k + 1) % nodes) for k in range(nodes)], nodes)


def level_of(edges, cooperators):
    pairs = np.argwhere(np.triu(edges)).tolist()
    return {"nodes": len(edges), "edges": pairs, "cooperators": list(cooperators)}


def payoffs(game, edges, acts, b, c, multiplier, fee=0.0, fine=0.0):
    """All payoffs, from the tables of the games and from the groups one by one."""
    gives = acts != DEFECT
    if game == "public_goods":
        total = np.zeros(len(acts))
        for center in range(len(acts)):
            group = np.flatnonzero(edges[center] + np.eye(len(acts))[center])
            total[group] += multiplier * c * gives[group].sum() / len(group)
            total[group] -= c * gives[group]
    else:
        table = {
            "prisoners_dilemma": [[0, b], [-c, b - c]],
            "snowdrift": [[0, b], [b - c, b - c / 2]],
            "stag_hunt": [[c, c], [0, b]],
        }
        total = (edges * np.array(table[game])[gives.astype(int)[:, None], gives.astype(int)[None]]).sum(axis=1)
    punished = edges * np.outer(acts == PUNISH, acts == DEFECT)
    return total - fee * punished.sum(axis=1) - fine * punished.sum(axis=0)


@pytest.mark.parametrize("game", ["prisoners_dilemma", "snowdrift", "stag_hunt", "public_goods"])
@pytest.mark.parametrize("agents", [5, 11])
def test_payoffs(game, agents):
    rng = np.random.default_rng(agents)
    edges = np.triu(rng.random((agents, agents)) < 0.4, 1)
    edges = (edges + edges.T).astype(float)
    params = dict(agents=agents, graph="complete", first=1, game=game, benefit=4.0, cost=1.5, multiplier=2.5, fee=0.25)
    batch = started(6, level=level_of(edges, [1]), punishment=True, fine=1.75, **params)
    acts = np.where(np.arange(agents) == 1, COOPERATE, DEFECT)
    expected = payoffs(game, edges, acts, 4.0, 1.5, 2.5)
    assert batch.observations[0]["payoff"][:, 0] == pytest.approx(expected)
    for _ in range(3):
        acts = rng.integers(0, 3, (6, agents))
        batch.step(acts)
        for i in range(6):
            expected = payoffs(game, edges, acts[i], 4.0, 1.5, 2.5, 0.25, 1.75)
            assert batch.rewards[i] == pytest.approx(expected)
            seen = batch.observations[i]
            assert seen["payoff"][:, 0] == pytest.approx(expected)
            assert seen["payoffs"] == pytest.approx(edges * expected)
            assert (seen["neighbors"] == np.where(edges > 0, acts[i], -1)).all()
            assert (seen["degrees"] == edges * edges.sum(axis=1)).all()


def all_payoffs(agents, **params):
    """Payoffs of all profiles of a ring, by profile."""
    profiles = list(itertools.product((COOPERATE, DEFECT), repeat=agents))
    batch = started(len(profiles), agents=agents, graph="ring", degree=2, first=1, **params)
    level = level_of(cycle(agents), [])
    batch.start(0, level)
    batch.step(np.array(profiles))
    return dict(zip(profiles, batch.rewards.copy()))


@pytest.mark.parametrize("multiplier, sign", [(2.9, -1), (3.1, 1)])
def test_public_goods_dominance(multiplier, sign):
    """Groups of three: to cooperate dominates above 3, to defect below; all earn most if all cooperate."""
    found = all_payoffs(5, game="public_goods", multiplier=multiplier)
    for profile, earned in found.items():
        if profile[0] == COOPERATE:
            assert np.sign(earned[0] - found[DEFECT, *profile[1:]][0]) == sign
    assert max(found, key=lambda profile: found[profile].sum()) == (COOPERATE,) * 5


def test_best_replies():
    """`selfish` takes the better action in every game and every profile; the shares are those of the page."""
    for game, cooperates in (
        ("prisoners_dilemma", lambda share: False),
        ("snowdrift", lambda share: share < (3 - 1) / (3 - 1 / 2)),
        ("stag_hunt", lambda share: share > 1 / 3),
        ("public_goods", lambda share: False),
    ):
        found = all_payoffs(4, game=game, multiplier=2.5)
        profiles = list(found)
        batch = started(len(profiles), agents=4, graph="ring", degree=2, first=1, game=game, multiplier=2.5)
        batch.start(0, [level_of(cycle(4), np.flatnonzero(np.array(profile) == 0).tolist()) for profile in profiles])
        player = make_policy("selfish", batch.world)
        player.reset(0, len(profiles))
        chosen = player.act_batch(batch.observations, batch.masks, range(4))
        for i, profile in enumerate(profiles):
            better = found[COOPERATE, *profile[1:]][0] > found[DEFECT, *profile[1:]][0]
            assert (chosen[i, 0] == COOPERATE) == better == cooperates((profile[1], profile[3]).count(COOPERATE) / 2)


def death_birth(edges, b, c, selection):
    """The chain over all states: a random node takes the strategy of a neighbor in proportion to fitness."""
    n = len(edges)
    states = list(itertools.product((0, 1), repeat=n))  # 1 cooperates
    chain = np.zeros((len(states), len(states)))
    for row, state in enumerate(states):
        x = np.array(state)
        fitness = 1 - selection + selection * (b * edges @ x - c * edges.sum(axis=1) * x)
        assert (fitness > 0).all()
        for k in range(n):
            share = (edges[k] * fitness * x).sum() / (edges[k] * fitness).sum()
            for value, p in ((1, share), (0, 1 - share)):
                chain[row, states.index((*state[:k], value, *state[k + 1 :]))] += p / n
    return states, chain


def fixation(edges, b, c, selection):
    """The probability that a single cooperator takes over, by linear equations."""
    states, chain = death_birth(edges, b, c, selection)
    system = np.eye(len(states)) - chain
    system[[0, -1]] = np.eye(len(states))[[0, -1]]
    taken = np.linalg.solve(system, np.eye(len(states))[-1])
    return np.mean([taken[k] for k, state in enumerate(states) if sum(state) == 1])


@pytest.mark.parametrize(
    "edges, ratio",
    [
        (cycle(5), 6.0),
        (cycle(6), 4.0),
        pytest.param(cycle(8), 3.0, marks=pytest.mark.slow),
        pytest.param(
            matrix([(a, a ^ bit) for a in range(8) for bit in (1, 2, 4)], 8), 9.0, marks=pytest.mark.slow, id="cube"
        ),
    ],
)
def test_the_threshold_of_cooperation(edges, ratio):
    """b / c = k (n - 2) / (n - 2 k), not k: fixation is above 1 / n just above it and below just below it."""
    n, k = len(edges), edges[0].sum()
    assert ratio == k * (n - 2) / (n - 2 * k) > k
    assert fixation(edges, 1.02 * ratio, 1.0, 1e-4) > 1 / n > fixation(edges, 0.98 * ratio, 1.0, 1e-4)


def test_cooperation_never_wins_on_small_complete_graphs():
    edges = 1 - np.eye(5)
    assert all(fixation(edges, b, 1.0, 1e-4) < 1 / 5 for b in (2.0, 10.0, 100.0))


@pytest.mark.slow
def test_death_birth_is_its_chain():
    """The number of cooperators on a path and a cycle after 1, 5 and 40 rounds, for strong selection."""
    num = 3000
    for edges in (cycle(6), matrix([(0, 1), (1, 2), (2, 3), (1, 4)], 5)):
        n = len(edges)
        states, chain = death_birth(edges, 4.0, 1.0, 0.12)
        params = dict(agents=n, graph="complete", first=1, revision="one", benefit=4.0, rounds=50)
        batch = started(num, level=level_of(edges, [1, 2]), **params)
        player = make_policy("death_birth", batch.world, selection=0.12)
        player.reset(0, num)
        now = np.zeros(len(states))
        now[states.index(tuple(int(k in (1, 2)) for k in range(n)))] = 1
        for t in range(1, 41):
            batch.step(player.act_batch(batch.observations, batch.masks, range(n)))
            now = now @ chain
            if t in (1, 5, 40):
                acts = (batch.records["actions"] == COOPERATE).astype(int)
                found = np.bincount([states.index(tuple(row)) for row in acts.tolist()], minlength=len(states)) / num
                assert np.abs(found - now).max() < 5 * (0.25 / num) ** 0.5
                assert found[now < 1e-12].sum() == 0


def test_one_agent_chooses_at_a_time():
    """Each with the same probability; the others repeat their actions."""
    batch = started(level=LEVEL, revision="one", **SMALL)
    mover = int(batch.records["mover"][0])
    assert batch.acting[0].tolist() == [k == mover for k in range(5)]
    acts = batch.records["actions"][0].copy()
    chosen = 1 - acts[mover]
    found = Explorer(batch.world).successors(batch.records[0], [chosen if k == mover else 0 for k in range(5)])
    assert sorted((outcome.record["mover"], round(outcome.probability, 12)) for outcome in found) == [
        (k, 0.2) for k in range(5)
    ]
    acts[mover] = chosen
    assert all((outcome.record["actions"] == acts).all() for outcome in found)


def test_imitation():
    """Agent 0 defects and earns 4; of its neighbors, 1 and 2 cooperate and earn 1 and -1, and 3 defects and earns 0."""
    edges = matrix([(0, 1), (0, 2), (0, 3), (1, 4), (1, 5)], 6)
    num, params = 400, dict(agents=6, graph="complete", first=1, benefit=2.0, cost=1.0)
    batch = started(num, level=level_of(edges, [1, 2, 4, 5]), **params)
    assert batch.records["payoffs"][0, :4].tolist() == [4, 1, -1, 0]

    def cooperation(name, agent, **parameters):
        player = make_policy(name, batch.world, **parameters)
        player.reset(3, num)
        return (player.act_batch(batch.observations, batch.masks, range(6))[:, agent] == COOPERATE).mean()

    def near(found, p):
        return abs(found - p) <= 5 * (p * (1 - p) / num) ** 0.5

    step = [1 / (1 + np.exp(0.5 * (4 - other))) for other in (1, -1)]
    assert near(cooperation("fermi", 0, intensity=0.5), sum(step) / 3)
    assert near(cooperation("fermi", 2, intensity=0.5), 1 - 1 / (1 + np.exp(-0.5 * 5)))
    fitness = [0.9 + 0.1, 0.9 - 0.1, 0.9]
    assert near(cooperation("death_birth", 0, selection=0.1), (fitness[0] + fitness[1]) / sum(fitness))
    for agent, acts in ((0, 0), (2, 0), (4, 1), (1, 0)):
        assert cooperation("best_neighbor", agent) == acts
    for agent, acts in ((0, 1), (3, 0), (1, 1)):
        assert cooperation("conditional", agent) == acts


def test_starts_and_ends():
    batch = started(200, agents=6, graph="ring", degree=2, first=2, rounds=2)
    acts = batch.records["actions"]
    assert ((acts == COOPERATE).sum(axis=1) == 2).all() and (batch.records["counts"][:, 0] == 2).all()
    assert np.abs((acts == COOPERATE).mean(axis=0) - 1 / 3).max() < 5 * 0.47 / 200**0.5
    batch.step(0)
    assert not batch.terminations.any() and (batch.records["counts"][:, 1] == 6).all()
    batch.step(1)
    assert batch.terminations.all()


def test_baselines():
    """Cooperation pays all, to defect pays one, and punishers make selfish agents cooperate."""
    params = dict(agents=10, rounds=6, first=5)

    def mean(*names, **more):
        cast = [names[k % len(names)] for k in range(10)]
        return play(build(ID, {**params, **more}), cast, 2).returns.mean()

    assert mean("constant") == 6 * 4 * 2 and mean("random") < 40 and mean("selfish") < 10
    assert kit.played(ID, "selfish", 0, 2, "constant", **params)[:, 0].mean() == 6 * 4 * 3
    threat = dict(punishment=True, fine=8.0)
    assert mean("punisher", "selfish", **threat) > mean("constant", "selfish", **threat) + 5


def test_levels():
    batch = started(level=LEVEL, **SMALL)
    assert batch.world.get_level(batch.record()) == LEVEL
    made = generate("graphs", seed=1)
    free = started(10, level=made)
    assert {str(free.world.get_level(free.record(i))["edges"]) for i in range(10)} == {str(made["edges"])}
    assert len({str(free.world.get_level(free.record(i))["cooperators"]) for i in range(10)}) > 5
    kit.refuses(
        batch.world,
        ({**LEVEL, "nodes": 6}, "a graph of 6 nodes is given for 5 agents"),
        ({**LEVEL, "cooperators": [1, 1]}, "different agents"),
        ({**LEVEL, "cooperators": [5]}, "an integer from 0 to 4"),
        ({**LEVEL, "cooperators": 1}, "must be a list"),
        ({**LEVEL, "edges": [[0, 0]]}, "two different nodes"),
        ({**LEVEL, "defectors": []}, "unknown part 'defectors'"),
    )


def test_wrong_parameters_and_states():
    for params, message in (
        ({"first": 21}, "first=21 must be at most agents=20"),
        ({"game": "chicken"}, "game="),
        ({"benefit": -1.0}, "benefit=-1.0"),
    ):
        with pytest.raises(ParameterError, match=message):
            build(ID, params)
    batch = started(level=LEVEL, **SMALL)
    for change, message in (
        (lambda records: records["level"]["edges"].__setitem__((0, 0, 1), 0), "edges are not mutual"),
        (lambda records: records["degrees"].__setitem__((0, 0), 1), "degrees are not those"),
        (lambda records: records["mover"].__setitem__(0, 2), "does not fit the rule of revision"),
    ):
        records = batch.records.copy()
        change(records)
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text_and_picture():
    batch = started(level=LEVEL, **SMALL)
    world, s = batch.world, batch.record()
    text = world.text(s, 1)
    page = world.prompt(s, 1)
    assert "2 if both of you cooperate, -1 if only you do, 3 if only the neighbor does, and 0 if both defect" in page
    assert "Your neighbors: agent_0 cooperate (payoff 0, 3 neighbors)." in text
    shapes = world.scene(s, 1).shapes
    s.level.edges[2, 4] = s.level.edges[4, 2] = 0  # all unseen by agent_1
    s.actions[4], s.payoffs[4], s.counts[0] = COOPERATE, 5.0, 4
    assert world.scene(s, 1).shapes == shapes and world.text(s, 1) == text and world.scene(s).shapes != shapes
    one = started(level=LEVEL, revision="one", punishment=True, game="public_goods", **SMALL)
    texts = [one.world.text(one.record(), k) for k in range(5)]
    assert ["another agent chooses" in text for text in texts] == (one.acting[0] == 0).tolist()
    s = one.record()
    shapes = one.world.scene(s, 0).shapes
    s.mover = next(k for k in range(1, 5) if k != s.mover) if s.mover else s.mover
    assert one.world.scene(s, 0).shapes == shapes  # which other agent chooses is not shown
    for params in (dict(agents=64, graph="complete"), dict(graph="scale_free", punishment=True)):
        big = started(**params)
        assert len(big.world.scene(big.record()).shapes) > 60 and len(big.world.scene(big.record(), 5).shapes) > 10
