"""Propose and solve: questions and facts by networkx, conclusions by enumeration, solvers, levels, views."""

from collections import defaultdict
from functools import partial
from itertools import combinations, product

import kit
import networkx as nx
import numpy as np
import pytest

from envsuite.core.errors import ActionError, ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.generators import generate, generate_many
from envsuite.registry import build
from envsuite.social.propose_and_solve import SOLVE, candidates

ID = "envsuite/ProposeAndSolve-v0"

started = partial(kit.started, ID)

#: Two facts of node 0 by A, a cycle by B.
SMALL = {
    "nodes": 4,
    "relations": 2,
    "facts": [[0, 0, 1], [0, 0, 2], [0, 1, 1], [1, 0, 3], [1, 1, 2], [2, 0, 3], [2, 1, 3], [3, 0, 1], [3, 1, 0]],
    "start": 0,
}
SIZES = dict(nodes=4, relations=2, hops=3, budget=3)

#: The sizes of a large graph.
LARGE = dict(nodes=60, relations=5, hops=5, budget=8)


def graph_of(level):
    """A level as a graph of networkx, whose edges have their relations as keys."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(level["nodes"]))
    graph.add_edges_from((node, target, relation) for node, relation, target in level["facts"])
    return graph


def targets(graph, nodes, relation):
    """The targets of a set of nodes by a relation."""
    return {target for _, target, key in graph.out_edges(nodes, keys=True) if key == relation}


def answers(graph, start, relations, anchors):
    """All answers to a question."""
    found = {start}
    for relation in relations:
        found = targets(graph, found, relation)
    for node, relation in anchors:
        found &= targets(graph, {node}, relation)
    return found


def question_of(record):
    """The start, the relations and the anchors of the question in a record."""
    anchors = [(int(a["node"]), int(a["relation"])) for a in record["anchors"][: record["anchored"]]]
    return int(record["start"]), record["relations"][: record["hops"]].tolist(), anchors


def known(array):
    return [row for row in np.array(array).tolist() if row != -1 and row != [-1] * np.size(row)]


@pytest.mark.parametrize(
    "params", [SIZES, dict(fan=3, anchors=3), dict(relations=8, fan=1), pytest.param(LARGE, marks=pytest.mark.slow)]
)
def test_questions_by_networkx(params):
    """Random proposers and solvers: all that they see, which questions are valid, and who is paid what."""
    num = 8
    batch = started(num, seed=params.get("nodes", 24), **params)
    graphs = [graph_of(batch.world.get_level(batch.record(i))) for i in range(num)]
    rng, valid = np.random.default_rng(0), set()
    while not batch.over().all():
        for i in np.flatnonzero(~batch.over()):
            record, graph, seen = batch.records[i], graphs[i], batch.observations[i, 0]
            if record["phase"] == 0:
                node = record["path"][record["hops"]]
                assert [known(row) for row in seen["targets"]] == [
                    sorted(targets(graph, {node}, r)) for r in range(len(seen["targets"]))
                ]
                edges = sorted((a, r) for a, _, r in graph.in_edges(node, keys=True))[:8] if record["hops"] else []
                facts = [[a, r, len(targets(graph, {a}, r))] for a, r in edges]
                assert known(seen["leading"]) == facts and (batch.observations[i, 1:]["start"] == -1).all()
            for k in range(1, len(batch.world.agents)):
                mine = batch.observations[i, k]
                for (node, relation), results in zip(known(mine["queries"]), mine["results"]):
                    assert known(results) == sorted(targets(graph, {node}, relation))
                assert len(known(mine["queries"])) == record["used"][k - 1]
                assert record["phase"] == 0 or known(mine["relations"]) == question_of(record)[1]
            weights = batch.masks[i] * rng.random(batch.masks[i].shape)
            batch.actions[i] = weights.argmax(axis=1)
        running = ~batch.over()
        batch.step(where=running)
        for i in np.flatnonzero(running):
            record = batch.records[i]
            if record["phase"] != SOLVE:
                continue
            found, last = answers(graphs[i], *question_of(record)), int(record["path"][record["hops"]])
            assert last in found
            valid.add(len(found) == 1)
            if len(found) != 1:
                assert batch.terminations[i].all() and batch.rewards[i].tolist() == [-1] + [0] * len(record["answers"])
            elif batch.terminations[i].all():
                right = record["answers"] == last
                assert batch.rewards[i].tolist() == [1 - right.mean(), *right]
            else:
                assert not batch.rewards[i].any()
    assert valid == ({True} if params.get("fan") == 1 else {True, False})


def conclusion(world, record, used):
    """The nodes that a solver takes for possible, after queries of these facts."""
    record.used[0] = len(used)
    for k, (node, relation) in enumerate(used):
        record.asked[0, k].node, record.asked[0, k].relation = node, relation
    found, nodes = [0] * len(record.level.targets), len(record.level.targets)
    count = candidates(world.observation(record, 1), found, [0] * nodes)
    assert count == sum(found)
    return {k for k in range(nodes) if found[k]}


def compare(levels, questions, queries):
    """For all graphs in which a question is valid: do solvers that know the same facts conclude what is possible?

    Returns how many conclusions are exactly the answers in all graphs with these facts, and how many there are. A
    conclusion never lacks such an answer.
    """
    relations, nodes = levels[0]["relations"], levels[0]["nodes"]
    sizes = dict(nodes=nodes, relations=relations, fan=2, hops=4, budget=nodes * relations, solvers=1)
    batch = started(len(levels), level=levels, **sizes)
    graphs, exact, total = [graph_of(level) for level in levels], 0, 0
    for (relation_path, anchors), used in product(questions, queries):
        cases = defaultdict(lambda: (set(), []))
        for i, graph in enumerate(graphs):
            found = answers(graph, 0, relation_path, anchors)
            if len(found) == 1:
                facts = tuple(tuple(sorted(targets(graph, {node}, r))) for node, r in used)
                possible, members = cases[facts]
                possible |= found
                members.append(i)
        for possible, members in cases.values():
            record = batch.record(members[0])
            record.phase, record.hops, record.anchored = SOLVE, len(relation_path), len(anchors)
            record.relations[: len(relation_path)] = relation_path
            record.relations[len(relation_path) :] = -1
            for k in range(len(record.anchors)):
                node, r = anchors[k] if k < len(anchors) else (-1, -1)
                record.anchors[k].node, record.anchors[k].relation = node, r
            found = conclusion(batch.world, record, used)
            assert possible <= found
            exact, total = exact + (possible == found), total + 1
    return exact, total


def all_graphs(nodes, fan):
    """All graphs of one relation."""
    choices = [
        [[node, 0, target] for target in chosen]
        for node in range(nodes)
        for count in range(1, fan + 1)
        for chosen in combinations([k for k in range(nodes) if k != node], count)
    ]
    by_node = [[choice for choice in choices if choice[0][0] == node] for node in range(nodes)]
    for parts in product(*by_node):
        yield {"nodes": nodes, "relations": 1, "facts": [fact for part in parts for fact in part], "start": 0}


def subsets(facts, most):
    return [chosen for count in range(most + 1) for chosen in combinations(facts, count)]


@pytest.mark.parametrize(
    "nodes, hops, anchors, queries", [(3, 3, 2, 3), pytest.param(4, 2, 1, 2, marks=pytest.mark.slow)]
)
def test_conclusions_by_enumeration(nodes, hops, anchors, queries):
    """All graphs, questions and sets of queries: no possible answer is ever excluded, and few impossible ones are left.

    Those that are left follow only from the numbers of targets, which matter in graphs as small as these.
    """
    facts = [(node, 0) for node in range(nodes)]
    questions = [([0] * count, given) for count in range(1, hops + 1) for given in subsets(facts, anchors)]
    exact, total = compare(list(all_graphs(nodes, 2)), questions, subsets(facts, queries))
    assert exact > 0.9 * total


@pytest.mark.parametrize(
    "num, params", [(14, dict(nodes=9, relations=3, hops=3)), pytest.param(5, LARGE, marks=pytest.mark.slow)]
)
def test_following_a_path_is_always_right(num, params):
    """With as many queries as hops, both solvers answer all valid questions without anchors; with fewer, not all."""
    hops = params["hops"]
    for budget in (hops, hops - 1):
        world = build(ID, {**params, "budget": budget, "anchors": 0})
        seats = [f"follower:hops={hops}", "follower", "searcher"]
        returns = play(world, seats, num, seed=7).returns
        valid = returns[:, 0] >= 0
        assert valid.sum() > num / 2 and (returns[~valid] == [-1, 0, 0]).all()
        if budget == hops:
            assert (returns[valid] == [0, 1, 1]).all()
        else:
            assert (returns[valid] == [1, 0, 0]).all(axis=1).any()


def test_a_question_of_any_hops_with_one_target_each_is_valid():
    returns = play(build(ID, {"fan": 1, "budget": 3, "solvers": 1}), ["random", "searcher"], 15).returns
    assert (returns.sum(axis=1) == 1).all()  # never -1 and 0


@pytest.mark.parametrize("anchors", [0, 2])
def test_enough_queries_answer_everything(anchors):
    """With a query for each fact, `searcher` is right about every valid question, whoever asks it."""
    params = dict(nodes=6, relations=2, fan=3, hops=3, budget=12, anchors=anchors, solvers=1)
    for proposer in ("random", "searcher" if anchors else "follower"):
        returns = play(build(ID, params), [proposer, "searcher"], 15).returns
        valid = returns[:, 0] >= 0
        assert valid.any() and (returns[valid] == [0, 1]).all()


def small(**params):
    return started(level=SMALL, **{**SIZES, **params})


def move(batch, **names):
    """One transition by the names of actions: p of the proposer, s0 and s1 of the solvers."""
    for agent, name in names.items():
        k = 0 if agent == "p" else 1 + int(agent[1:])
        batch.actions[0, k] = batch.world.action_names[k].index(name)
    batch.step()
    return batch.rewards[0].tolist()


def asked(*moves, **params):
    batch = small(**params)
    for name in moves:
        move(batch, p=name)
    return batch


def test_an_episode():
    batch = asked("follow A 2", "follow A 1", "post")  # to node 2 or 1, then to node 3 from both
    assert not batch.over().any() and batch.acting[0].tolist() == [0, 1, 1]
    assert move(batch, s0="query 0 A", s1="query 3 B") == [0, 0, 0]
    seen = batch.observations[0]
    assert seen[1]["results"].tolist() == [[1, 2], [-1, -1], [-1, -1]] and seen[1]["queries"][0].tolist() == [0, 0]
    assert seen[2]["results"][0].tolist() == [0, -1] and seen["left"][:, 0].tolist() == [1, 2, 2]
    assert move(batch, s0="answer 3", s1="query 0 A") == [0, 0, 0] and batch.acting[0].tolist() == [0, 0, 1]
    assert move(batch, s1="answer 1") == [0.5, 1, 0] and batch.terminations.all()


def test_one_path_is_enough():
    """The question is valid, so the end of any path is the answer, though other paths are not known."""
    batch = asked("follow A 2", "follow A 1", "post")
    conclude = partial(conclusion, batch.world, batch.record())
    assert conclude([]) == {0, 1, 2, 3} and conclude([(0, 0)]) == {0, 1, 2, 3}
    assert conclude([(0, 0), (1, 0)]) == conclude([(0, 0), (2, 0)]) == {3}
    assert conclude([(1, 0), (2, 0)]) == {0, 1, 2, 3}  # the way there is not known
    anchored = asked("follow A 1", "anchor 1", "anchor 3", "post")  # 0 by A and 3 by A lead to node 1
    conclude = partial(conclusion, anchored.world, anchored.record())
    assert conclude([]) == {1, 2} and conclude([(3, 0)]) == {1}  # no node is a target of itself


def test_anchors():
    for moves, pay in (
        (["follow A 1", "post"], [-1, 0, 0]),  # node 2 fits, too
        (["follow A 1", "anchor 2", "post"], [0, 0, 0]),  # 0 by B leads to node 1 only
        (["follow A 1", "anchor 1", "post"], [-1, 0, 0]),  # 0 by A leads to node 2, too
        (["follow A 1", "anchor 1", "anchor 3", "post"], [0, 0, 0]),
    ):
        batch = asked(*moves[:-1])
        assert move(batch, p=moves[-1]) == pay and batch.over()[0] == (pay[0] < 0)
    batch = asked("follow A 1")
    assert batch.observations[0, 0]["leading"][:4].tolist() == [[0, 0, 2], [0, 1, 1], [3, 0, 1], [-1, -1, -1]]
    legal = {"follow A 1", "follow B 1", "anchor 1", "anchor 2", "anchor 3", "post"}
    assert kit.legal(batch, 0) == legal
    move(batch, p="anchor 2")
    assert kit.legal(batch, 0) == {"anchor 1", "anchor 3", "post"}
    move(batch, p="anchor 1")
    assert kit.legal(batch, 0) == {"post"}
    assert kit.legal(asked("follow A 1", anchors=0), 0) == {"follow A 1", "follow B 1", "post"}


def test_legal_actions():
    batch = small()
    assert kit.legal(batch, 0) == {"follow A 1", "follow A 2", "follow B 1"}
    assert not batch.masks[0, 1:].any()
    batch = asked("follow B 1", "follow B 1", "follow B 1")
    assert kit.legal(batch, 0) == {"anchor 1", "anchor 2", "anchor 3", "post"}  # no hops are left
    move(batch, p="post")
    for name in ("query 0 A", "query 0 B", "query 1 A"):
        assert name in kit.legal(batch, 1)
        move(batch, s0=name, s1="answer 0" if name == "query 0 A" else "answer 1")
        with pytest.raises(ActionError, match=name):
            move(batch, s0=name)
    assert kit.legal(batch, 1) == {f"answer {k}" for k in range(4)}  # no queries are left
    assert not batch.masks[0, [0, 2]].any()


def test_who_fares_how():
    def mean(proposer, solver, num=9):
        return play(build(ID), [proposer, solver, solver], num, seed=1).returns.mean(axis=0)

    assert mean("follower", "guesser")[1] < 0.2 and mean("follower", "follower")[1] > 0.7
    assert mean("searcher", "searcher")[1] > mean("searcher", "follower")[1]


@pytest.mark.slow
def test_hard_questions():
    """Paths that spread are hard for the best solver, long paths of single targets are not; by 600 episodes each."""
    found = {}
    for proposer, solver in product(("follower", "searcher"), ("follower", "searcher", "guesser")):
        found[proposer, solver] = play(build(ID), [proposer, solver, solver], 600).returns.mean(axis=0)
    assert found["follower", "searcher"][1] > 0.9 and found["follower", "searcher"][0] < 0
    assert found["searcher", "searcher"][0] > 0.02 and found["searcher", "searcher"][1] > 0.6
    assert found["searcher", "follower"][1] < 0.3
    for proposer in ("follower", "searcher"):
        assert abs(found[proposer, "guesser"][1] - 1 / 24) < 0.04


def test_levels():
    batch = small()
    assert batch.world.get_level(batch.record()) == SMALL
    batch = started(6, level=generate("knowledge", seed=4))
    facts = [batch.world.get_level(batch.record(i)) for i in range(6)]
    assert len({str(level["facts"]) for level in facts}) == 1 and len({level["start"] for level in facts}) > 2
    several = started(2, level=generate_many("knowledge", 2, split="test"))
    assert len({str(several.world.get_level(several.record(i))["facts"]) for i in range(2)}) == 2
    kit.refuses(
        small().world,
        ({**SMALL, "start": 4}, "start=4 must be an integer from 0 to 3"),
        ({**SMALL, "start": True}, "start=True must be an integer from 0 to 3"),
        ({**SMALL, "nodes": 5}, "node 4 has no target by relation 0"),
        ({**SMALL, "facts": [*SMALL["facts"], [0, 0, 3]]}, "node 0 has more than 2 targets by relation 0"),
        ({**SMALL, "facts": [*SMALL["facts"], [0, 0, 1]]}, "is given twice"),
        (generate("knowledge"), "a graph of 24 nodes and 4 relations is given for 4 nodes and 2 relations"),
        ({**SMALL, "hops": 2}, "unknown part 'hops'"),
        ({"start": 0}, "lacks 'nodes'"),
    )


def test_wrong_parameters_and_states():
    for params, message in (
        ({"fan": 3, "nodes": 3}, "fan=3 must be below nodes=3"),
        ({"nodes": 65}, "nodes=65"),
        ({"budget": 0}, "budget=0"),
    ):
        with pytest.raises(ParameterError, match=message):
            build(ID, params)
    batch = asked("follow A 1", "anchor 2", "post")
    move(batch, s0="query 0 A", s1="answer 0")
    for change, message in (
        (lambda s: s["path"].__setitem__(1, 3), "the path does not follow facts"),
        (lambda s: s["path"].__setitem__(0, 1), "the path does not follow facts"),
        (lambda s: s["relations"].__setitem__(0, -1), "the path does not follow facts"),
        (lambda s: s["anchors"]["node"].__setitem__(0, -1), "an anchor does not lead to the last node"),
        (lambda s: s["anchors"]["node"].__setitem__(0, 2), "an anchor does not lead to the last node"),
        (lambda s: s["asked"]["node"].__setitem__((0, 0), -1), "a fact or a query is missing"),
        (lambda s: s["leading"]["relation"].__setitem__(0, -1), "a fact or a query is missing"),
        (lambda s: s["level"]["targets"].__setitem__((2, 0, 0), -1), "a node has no first target"),
        (lambda s: s["answers"].__setitem__(0, 2), "nobody is left to answer it"),
        (lambda s: s.__setitem__("hops", 0), "an anchor does not lead to the last node"),
    ):
        records = batch.records.copy()
        change(records[0])
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text_and_picture():
    batch = asked("follow A 1")
    world, s = batch.world, batch.record()
    assert "Your nodes: 0, 1." in world.text(s, 0) and "- A: 3" in world.text(s, 0)
    assert "- 2: node 0 by B, with 1 target" in world.text(s, 0)
    assert "still asking" in world.text(s, 1)
    names = {world.action_names[0][k] for k in kit.clicks(batch, 0, 0.4, 0.4) - {None}}
    assert names >= kit.legal(batch, 0)
    move(batch, p="anchor 2")
    move(batch, p="post")
    move(batch, s0="query 0 B", s1="query 0 A")
    text, scene = world.text(s, 1), world.scene(s, 1).shapes
    assert "from node 0, then by A. Node 0 by B leads to it too." in text and "- node 0 by B leads to 1." in text
    other = world.scene(s, 2).shapes
    s.level.targets[3, 1, 0] = 2  # nobody knows it
    assert world.text(s, 1) == text and world.scene(s, 1).shapes == scene != other
    assert kit.clicks(batch, 1, 0.15, 0.15) - {None} == set(range(4 * 2 + 4))
    move(batch, s0="answer 1", s1="answer 2")
    assert "It is over: the answer is node 1." in world.text(s, 0)
    assert "You have answered node 2. It is over: the answer is node 1." in world.text(s, 2)
    wrong = asked("follow A 1", "post")
    assert "It is over: the question is not valid, it has 2 answers." in world.text(wrong.record(), 1)
    for agent in (None, 0, 1):
        assert len(world.scene(s, agent).shapes) > 20
