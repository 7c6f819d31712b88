"""Knowledge graphs: all equally likely where they should be, figures by networkx, changes, refusals."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from scipy import stats

from envsuite.core.errors import LevelError, ParameterError
from envsuite.generators import describe, generate, generate_many, mutate, picture


def test_small_graphs():
    """All graphs of 3 nodes: of each node, one of 2 single targets (1/4 each) or both (1/2)."""
    levels = generate_many("knowledge", 1500, nodes=3, relations=1, fan=2)
    found = Counter(str(level["facts"]) for level in levels)
    chances = {}
    for level in levels:
        degrees = Counter(node for node, _, _ in level["facts"])
        chances[str(level["facts"])] = np.prod([0.25 if degrees[k] == 1 else 0.5 for k in range(3)])
    assert len(found) == 27 and sum(chances.values()) == 1
    assert stats.chisquare([found[k] for k in chances], [1500 * p for p in chances.values()]).pvalue > 1e-4


@pytest.mark.parametrize("nodes, relations, fan", [(24, 4, 2), (64, 8, 4), (5, 1, 4), (10, 3, 1)])
def test_targets(nodes, relations, fan):
    level = generate("knowledge", seed=nodes, nodes=nodes, relations=relations, fan=fan)
    facts = level["facts"]
    assert (level["nodes"], level["relations"]) == (nodes, relations) and facts == sorted(facts)
    assert len(set(map(tuple, facts))) == len(facts) and all(node != target for node, _, target in facts)
    counts = Counter((node, relation) for node, relation, _ in facts)
    assert len(counts) == nodes * relations
    if nodes * relations > 60:
        assert stats.chisquare(np.bincount(list(counts.values()), minlength=fan + 1)[1:]).pvalue > 1e-4
        assert stats.chisquare(np.bincount([target for _, _, target in facts], minlength=nodes)).pvalue > 1e-4


def test_figures():
    solvable = set()
    for seed in range(8):
        level = generate("knowledge", seed=seed, nodes=8, relations=1, fan=2)
        graph = nx.DiGraph((node, target) for node, _, target in level["facts"])
        figures = describe(level)
        solvable.add(figures["solvable"])
        assert figures["solvable"] == nx.is_strongly_connected(graph) and figures["facts"] == len(level["facts"])
        assert figures["size"] == [8, 1]
        if figures["solvable"]:
            assert figures["difficulty"] == pytest.approx(nx.average_shortest_path_length(graph), abs=1e-6)
    assert solvable == {True, False}


def test_changes():
    level = generate("knowledge", seed=3, nodes=6, relations=2, fan=2)
    seen = set()
    for seed in range(60):
        other = mutate(level, seed)
        (lost,) = [fact for fact in level["facts"] if fact not in other["facts"]]
        (fresh,) = [fact for fact in other["facts"] if fact not in level["facts"]]
        assert lost[:2] == fresh[:2] and other["facts"] == sorted(other["facts"])
        seen.add((*lost, fresh[2]))
    assert len(seen) > 35
    full = generate("knowledge", nodes=3, relations=1, fan=2)
    full["facts"] = [[0, 0, 1], [0, 0, 2], [1, 0, 0], [1, 0, 2], [2, 0, 0], [2, 0, 1]]
    assert mutate(full, 1) == full  # there is no other


def test_refusals():
    level = {"kind": "knowledge", "nodes": 3, "relations": 1, "facts": [[0, 0, 1], [1, 0, 2], [2, 0, 0]]}
    assert len(picture(level).shapes) == 3 + 6
    for change, message in (
        ({"nodes": 2}, "nodes=2 must be an integer from 3 to 64"),
        ({"relations": 9}, "relations=9"),
        ({"facts": {}}, "'facts' must be a list"),
        ({"facts": [[0, 1]]}, "three numbers"),
        ({"facts": [[0, 0, 0]]}, "two different nodes below 3"),
        ({"facts": [[0, 1, 2]]}, "a relation below 1"),
        ({"facts": [[0, 0, 1], [0, 0, 1]]}, "is given twice"),
        ({"facts": [[0, 0, 1], [1, 0, 2]]}, "node 2 has no target by relation 0"),
        ({"start": 0}, "unknown part 'start'"),
    ):
        with pytest.raises(LevelError, match=message):
            describe({**level, **change})
    with pytest.raises(ParameterError, match="fan=3 must be below nodes=3"):
        generate("knowledge", nodes=3, fan=3)
