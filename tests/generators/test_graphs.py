"""Graphs: shapes by their definitions, random regular graphs equally likely, hubs, refusals."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from scipy.sparse.csgraph import connected_components, shortest_path

from envsuite.core.errors import LevelError, ParameterError
from envsuite.generators import describe, generate, generate_many
from envsuite.generators.graphs import read_edges


def matrix(**params):
    return read_edges(generate("graphs", **params), "test").astype(int)


@pytest.mark.parametrize("nodes, degree", [(8, 2), (20, 4), (9, 6), (64, 10)])
def test_rings(nodes, degree):
    edges = matrix(shape="ring", nodes=nodes, degree=degree)
    assert (edges.sum(axis=0) == degree).all() and (edges == edges.T).all() and not edges.diagonal().any()
    # A circulant graph: its eigenvalues are those of a ring, whatever the numbers of the nodes.
    angles = 2 * np.pi * np.arange(nodes) / nodes
    expected = sum(2 * np.cos(step * angles) for step in range(1, degree // 2 + 1))
    assert np.sort(np.linalg.eigvalsh(edges)) == pytest.approx(np.sort(expected), abs=1e-9)


@pytest.mark.parametrize("nodes, rows", [(9, 3), (20, 4), (12, 3), (64, 8)])
def test_lattices(nodes, rows):
    edges = matrix(shape="lattice", nodes=nodes)
    columns = nodes // rows
    row = 2 * np.cos(2 * np.pi * np.arange(rows) / rows)
    column = 2 * np.cos(2 * np.pi * np.arange(columns) / columns)
    assert np.sort(np.linalg.eigvalsh(edges)) == pytest.approx(np.sort(np.add.outer(row, column).ravel()), abs=1e-9)


def test_regular_graphs_are_equally_likely():
    """The 70 cubic graphs of 6 numbered nodes: 10 are complete and bipartite, 60 are prisms."""
    levels = generate_many("graphs", 2100, shape="regular", nodes=6, degree=3)
    counts = Counter(str(level["edges"]) for level in levels)
    assert len(counts) == 70 and stats.chisquare(list(counts.values())).pvalue > 1e-4


@pytest.mark.parametrize("nodes, degree", [(7, 2), (10, 3), (20, 4), (64, 6)])
def test_regular_graphs(nodes, degree):
    for seed in range(5):
        edges = matrix(seed=seed, shape="regular", nodes=nodes, degree=degree)
        assert (edges.sum(axis=0) == degree).all() and (edges == edges.T).all() and not edges.diagonal().any()


def test_scale_free_graphs():
    edges = np.array([matrix(seed=k, shape="scale_free", nodes=64, degree=4) for k in range(30)])
    degrees = edges.sum(axis=1)
    assert (degrees.sum(axis=1) == 2 * (3 + 2 * 61)).all() and (degrees >= 2).all()
    # Barabasi and Albert: for m = 2 edges a node, the share of degree k tends to 2 m (m + 1) / (k (k + 1) (k + 2)).
    for k, share in ((2, 0.5), (3, 0.2), (4, 0.1)):
        assert abs((degrees == k).mean() - share) < 0.05
    assert degrees.max() > 15  # a random regular graph would have 4


def test_figures():
    level = generate("graphs", seed=3, shape="scale_free", nodes=15, degree=2)
    edges, found = read_edges(level, "test").astype(int), describe(level)
    far = shortest_path(edges, unweighted=True)
    assert found["difficulty"] == pytest.approx(far.sum() / (15 * 14), abs=1e-6) and found["edges"] == 14
    assert found["solvable"] and found["clustering"] == 0  # a tree
    assert describe(generate("graphs", shape="complete", nodes=5))["clustering"] == 1
    apart = {"kind": "graphs", "nodes": 4, "edges": [[0, 1], [2, 3]]}
    assert not describe(apart)["solvable"] and connected_components(read_edges(apart, ""))[0] == 2
    ring = read_edges(generate("graphs", shape="ring", nodes=9, degree=4), "")
    pairs = [(a, b) for k in range(9) for a, b in combinations(np.flatnonzero(ring[k]), 2)]
    share = np.mean([ring[a, b] for a, b in pairs])
    assert describe({"kind": "graphs", "nodes": 9, "edges": np.argwhere(np.triu(ring)).tolist()})[
        "clustering"
    ] == pytest.approx(share, abs=1e-6)


@pytest.mark.parametrize(
    "params, message",
    [
        (dict(nodes=4), "degree=4 must be below nodes=4"),
        (dict(shape="ring", degree=3), "degree=3 must be even"),
        (dict(nodes=9, degree=3), "times nodes=9 must be even"),
        (dict(shape="lattice", nodes=10), "a lattice has degree=4"),
        (dict(shape="lattice", degree=6), "a lattice has degree=4"),
        (dict(shape="tree"), "shape='tree'"),
    ],
)
def test_wrong_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        generate("graphs", **params)


@pytest.mark.parametrize(
    "parts, message",
    [
        (dict(nodes=2), "nodes=2 must be an integer from 3 to 64"),
        (dict(edges=[[0, 1, 2]]), "edges must be 1 list of 2 integers from 0 to 3"),
        (dict(edges=[[0, 0]]), "two different nodes"),
        (dict(edges=[[0, 4]]), r"edges\[0\]\[1\]=4 must be an integer from 0 to 3"),
        (dict(edges=[[0, 1], [1, 0]]), "given twice"),
        (dict(edges=[[0, True]]), r"edges\[0\]\[1\]=True must be an integer from 0 to 3"),
        (dict(color="red"), "unknown part 'color'"),
    ],
)
def test_wrong_levels(parts, message):
    with pytest.raises(LevelError, match=message):
        describe({"kind": "graphs", "nodes": 4, "edges": [[0, 1]], **parts})
