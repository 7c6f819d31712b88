"""Generators: seeds, splits, JSON; mazes against exact distributions; caves and obstacles; solvers; changes."""

import itertools
import json
import math
import subprocess
import sys
from collections import Counter
from typing import Literal, get_args, get_origin

import kit
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage, signal, sparse, stats

from envsuite.core.batch import Batch, stream_starts
from envsuite.core.errors import LevelError, ParameterError, UnknownIdError
from envsuite.core.parameters import signature
from envsuite.core.record import as_views
from envsuite.games.matrix_game import MatrixGame
from envsuite.generators import KINDS, base, caves, describe, generate, generate_many, grids, mutate, payoffs, picture
from envsuite.generators.mazes import ALGORITHMS
from envsuite.render.frames import draw
from envsuite.social.clean_up import CleanUp
from envsuite.social.harvest import Harvest
from envsuite.testing.case import content

SIX = ALGORITHMS[:6]


def grids_of(kind, num, seed=0, **params):
    """(num, height, width) bool, True for free cells; starts and goals (num,)."""
    made = base.generator(kind, **params)
    records = made.records(num)
    records["rng"] = stream_starts(np.arange(seed, seed + num))
    base.fill(made, records)
    return records["level"]["grid"] == grids.FREE, records["level"]["start"], records["level"]["goal"]


def graph_of(rows):
    """The free cells of a map, as a sparse graph with the numbers of all cells."""
    free = np.array([[letter != "#" for letter in row] for row in rows])
    number = np.arange(free.size).reshape(free.shape)
    pairs = [
        (number[:, :-1][free[:, :-1] & free[:, 1:]], number[:, 1:][free[:, :-1] & free[:, 1:]]),
        (number[:-1][free[:-1] & free[1:]], number[1:][free[:-1] & free[1:]]),
    ]
    a, b = np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs])
    return sparse.coo_matrix((np.ones(len(a)), (a, b)), (free.size, free.size)).tocsr(), number[free]


# Properties of every kind.


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind):
    levels = generate_many(kind, 4, seed=10)
    assert levels == [generate(kind, seed=10 + k) for k in range(4)]
    assert len({json.dumps(level) for level in levels}) > 1
    for level in levels:
        assert level["kind"] == kind
        assert json.loads(json.dumps(level)) == level
        made, records = base._held(level)  # read, then written again
        assert base.plain(made, as_views(records)[0]) == level
        found = describe(level)
        assert found["kind"] == kind and found["solvable"] in (True, None)
        json.dumps(found)
        assert draw(picture(level)).shape[2] == 3
        if base._held(level)[0].change is not None:
            assert mutate(level, seed=5) == mutate(level, seed=5)
        with pytest.raises(LevelError):
            describe({"kind": kind})
    train = {json.dumps(level) for level in generate_many(kind, 20, split="train")}
    test = {json.dumps(level) for level in generate_many(kind, 20, split="test")}
    assert not train & test


def settings_of(kind):
    """The parameters under which a generator is compared: its defaults, and every word that a parameter may be."""
    yield {}
    for name, parameter in signature(base.generator_class(kind)).items():
        for word in get_args(parameter.hint) if get_origin(parameter.hint) is Literal else ():
            yield {name: word}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_machine_code_makes_the_same(kind):
    for params in settings_of(kind):
        made, found = base.generator(kind, **params), []
        for compiled in (False, True):
            records = made.records(4)
            records["rng"] = stream_starts(np.arange(4))
            base._run(made, type(made).make, "make", records, np.ones(4, bool), compiled)
            found.append(content(records))
            if made.change is not None:
                base._run(made, type(made).change, "change", records, np.ones(4, bool), compiled)
                found.append(content(records))
        assert found[: len(found) // 2] == found[len(found) // 2 :], params


def test_split_of_all_mazes():
    """The 192 mazes of 3 x 3 cells: each is in one split, and each is found."""
    size = dict(height=7, width=7, algorithm="wilson")
    train, test = (
        {"\n".join(level["map"]) for level in generate_many("maze", 4000, split=split, **size)}
        for split in ("train", "test")
    )
    assert not train & test
    assert len(train | test) == 192  # OEIS A007341: spanning trees of the 3 x 3 grid
    assert 15 < len(test) < 65  # a fifth of them
    # Other seeds give levels of both splits, and the same levels.
    for level in generate_many("maze", 200, seed=10**6, split="test", **size):
        assert "\n".join(level["map"]) in test


def test_split_seeds():
    many = generate_many("obstacles", 30, seed=7, split="test")
    assert many == [generate("obstacles", seed=7 + k, split="test") for k in range(30)]
    assert many[3] != generate("obstacles", seed=10)


def test_split_of_too_few():
    """All lakes without obstacles are equal: they are in one of the splits."""
    empty = dict(height=5, width=5, density=0.0)
    with pytest.raises(ParameterError, match="too small to be split"):
        for split in ("train", "test"):
            generate("obstacles", split=split, **empty)


def test_mistakes():
    with pytest.raises(UnknownIdError, match="maze"):
        generate("mazes")
    with pytest.raises(ParameterError, match="odd"):
        generate("maze", width=10)
    with pytest.raises(ParameterError, match="algorithm"):
        generate("maze", algorithm="magic")
    with pytest.raises(ParameterError, match="n=0"):
        generate_many("maze", 0)
    with pytest.raises(ParameterError, match="seed"):
        generate("maze", seed=-1)
    with pytest.raises(ParameterError, match="split"):
        generate("maze", split="validation")
    for level, problem in (
        ([], "mapping"),
        ({"map": ["#"]}, "kind"),
        ({"kind": "maze"}, "lacks 'map'"),
        ({"kind": "maze", "map": ["######"] * 6}, "odd"),
        ({"kind": "maze", "map": ["#####", "#S.G#", "#...#", "#...#", "#####"]}, "even x and y walls"),
        ({"kind": "caves", "map": ["#####", "#S.G#", "#...#", "#..#", "#####"]}, "texts of 5 letters"),
        ({"kind": "caves", "map": ["#####", "#S.G#", "#.x.#", "#...#", "#####"]}, "letter 'x'"),
        ({"kind": "caves", "map": ["#####", "#S.G#", "#.G.#", "#...#", "#####"]}, "one goal"),
        ({"kind": "caves", "map": ["##.##", "#S.G#", "#...#", "#...#", "#####"]}, "all around"),
        ({"kind": "caves", "map": ["#####", "#S.G#", "#...#", "#...#", "#####"], "size": 5}, "unknown part 'size'"),
    ):
        with pytest.raises(LevelError, match=problem):
            describe(level)


def test_importing_is_quick():
    script = (
        "import sys, envsuite.generators as g\nassert g.KINDS and 'maze' in g.KINDS\n"
        "assert not {'numba', 'pygame'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


# The solver.


def test_describe():
    level = {"kind": "obstacles", "map": ["#######", "#S....#", "#.###.#", "#....G#", "#######"]}
    found = describe(level)
    # Two shortest paths of 6 moves: at the start either of 2 ways, then no choice; so no bit is needed.
    assert found == {
        "kind": "obstacles", "size": [5, 7], "solvable": True, "path": 6, "dead_ends": 0, "junctions": 0, "free": 12,
        "reached": 12, "difficulty": 0.0,
    }  # fmt: skip
    # A crossing with three ways on, two of them dead ends, and the start's two ways: 1 / (2 * 3).
    level["map"] = ["#######", "###.###", "#.S..G#", "###.###", "#######"]
    assert describe(level)["difficulty"] == pytest.approx(math.log2(2 * 3), abs=1e-6)
    assert describe(level)["dead_ends"] == 4 and describe(level)["junctions"] == 1
    level["map"] = ["#######", "#S#...#", "#######", "#....G#", "#######"]
    found = describe(level)
    assert found["solvable"] is False and found["path"] is None and found["difficulty"] is None
    assert found["reached"] == 1


def test_solver_equals_scipy():
    for kind in ("maze", "caves", "obstacles"):
        for level in generate_many(kind, 40, seed=3, ends="random"):
            graph, free = graph_of(level["map"])
            letters = "".join(level["map"])
            start, goal = letters.index("S"), letters.index("G")
            distance = sparse.csgraph.dijkstra(graph, directed=False, indices=start)
            found = describe(level)
            assert found["path"] == distance[goal]
            assert found["reached"] == np.isfinite(distance).sum()
            way = grids.solve(level["map"])["way"]
            assert len(set(way)) == len(way) == found["path"] + 1
            assert all(abs(x - i) + abs(y - j) == 1 for (x, y), (i, j) in zip(way, way[1:]))
            assert all(level["map"][y][x] != "#" for x, y in way)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind, params",
    [
        ("maze", dict(height=11, width=11, algorithm="mixed", braid=0.3, ends="random")),
        ("caves", dict(height=12, width=12)),
        ("obstacles", dict(height=10, width=10, density=0.45)),
    ],
    ids=["maze", "caves", "obstacles"],
)
def test_ten_thousand_are_solvable(kind, params):
    for level in generate_many(kind, 10_000, seed=1, **params):
        assert grids.solve(level["map"])["way"] is not None, "\n".join(level["map"])


# Mazes.

#: The edges of the 3 x 3 grid of cells, in the order of `trees_of`.
CELLS = list(itertools.product(range(3), range(3)))
EDGES = [((r, c), (r, c + 1)) for r in range(3) for c in range(2)]
EDGES += [((r, c), (r + 1, c)) for r in range(2) for c in range(3)]


def edge(a, b):
    return EDGES.index((min(a, b), max(a, b)))


def neighbours(cell):
    near = [(cell[0] + 1, cell[1]), (cell[0], cell[1] + 1), (cell[0] - 1, cell[1]), (cell[0], cell[1] - 1)]
    return [c for c in near if c in CELLS]


def trees_of(free):
    """The trees of 7 x 7 mazes as numbers, bit k for edge k."""
    passages = [free[:, 2 * r + 1, 2 * c + 2] for r in range(3) for c in range(2)]
    passages += [free[:, 2 * r + 2, 2 * c + 1] for r in range(2) for c in range(3)]
    return (np.stack(passages, 1) << np.arange(12)).sum(1)


def joined(forest):
    """The component of each cell under a set of edges."""
    component = {cell: cell for cell in CELLS}
    for k in range(12):
        if forest >> k & 1:
            a, b = (component[c] for c in EDGES[k])
            component = {cell: a if found == b else found for cell, found in component.items()}
    return component


def exact_backtracker():
    found = Counter()

    def walk(stack, visited, tree, chance):
        while stack:
            ways = [c for c in neighbours(stack[-1]) if c not in visited]
            if ways:
                for way in ways:
                    grown = tree | 1 << edge(stack[-1], way)
                    walk([*stack, way], visited | {way}, grown, chance / len(ways))
                return
            stack = stack[:-1]
        found[tree] += chance

    for cell in CELLS:
        walk([cell], {cell}, 0, 1 / 9)
    return found


def exact_prim():
    states = {(frozenset([cell]), 0): 1 / 9 for cell in CELLS}
    for _ in range(8):
        grown = Counter()
        for (inside, tree), chance in states.items():
            cut = [(a, b) for a in inside for b in neighbours(a) if b not in inside]
            for a, b in cut:
                grown[inside | {b}, tree | 1 << edge(a, b)] += chance / len(cut)
        states = grown
    found = Counter()
    for (_, tree), chance in states.items():
        found[tree] += chance
    return found


def exact_kruskal():
    states = {0: 1.0}
    for _ in range(8):
        grown = Counter()
        for forest, chance in states.items():
            component = joined(forest)
            useful = [k for k, (a, b) in enumerate(EDGES) if component[a] != component[b]]
            for k in useful:
                grown[forest | 1 << k] += chance / len(useful)
        states = grown
    return states


def exact_wilson():
    trees = [sum(1 << k for k in chosen) for chosen in itertools.combinations(range(12), 8)]
    trees = [tree for tree in trees if len(set(joined(tree).values())) == 1]
    assert len(trees) == 192
    return dict.fromkeys(trees, 1 / 192)


def exact_eller():
    states = {0: 1.0}
    for row in range(3):
        for c in range(2):  # neighbors in different sets
            grown = Counter()
            for forest, chance in states.items():
                component = joined(forest)
                bit = 1 << edge((row, c), (row, c + 1))
                if component[row, c] == component[row, c + 1]:
                    grown[forest] += chance
                elif row == 2:
                    grown[forest | bit] += chance
                else:
                    grown[forest | bit] += chance / 2
                    grown[forest] += chance / 2
            states = grown
        if row == 2:
            return states
        grown = Counter()
        for forest, chance in states.items():  # each set continues: one cell for certain, others with chance 1/2
            component = joined(forest)
            options = []
            for name in {component[row, c] for c in range(3)}:
                cells = [(row, c) for c in range(3) if component[row, c] == name]
                options.append([
                    (part, len(part) / len(cells) * 0.5 ** (len(cells) - 1))
                    for size in range(1, len(cells) + 1)
                    for part in itertools.combinations(cells, size)
                ])  # fmt: skip
            for choice in itertools.product(*options):
                bits = sum(1 << edge((r, c), (r + 1, c)) for part, _ in choice for r, c in part)
                grown[forest | bits] += chance * math.prod(share for _, share in choice)
        states = grown


def exact_division():
    def split(top, left, rows, columns):
        """The trees of a rectangle with their probabilities."""
        if rows == 1 or columns == 1:
            line = [(top + r, left + c) for r in range(rows) for c in range(columns)]
            return {sum(1 << edge(a, b) for a, b in zip(line, line[1:])): 1.0}
        found = Counter()
        sides = [0, 1] if rows == columns else [0] if rows > columns else [1]
        for side in sides:
            length, gaps = (rows, columns) if side == 0 else (columns, rows)
            for cut, gap in itertools.product(range(1, length), range(gaps)):
                if side == 0:
                    parts = split(top, left, cut, columns), split(top + cut, left, rows - cut, columns)
                    door = 1 << edge((top + cut - 1, left + gap), (top + cut, left + gap))
                else:
                    parts = split(top, left, rows, cut), split(top, left + cut, rows, columns - cut)
                    door = 1 << edge((top + gap, left + cut - 1), (top + gap, left + cut))
                for (a, p), (b, q) in itertools.product(parts[0].items(), parts[1].items()):
                    found[a | b | door] += p * q / len(sides) / (length - 1) / gaps
        return found

    return split(0, 0, 3, 3)


EXACT = dict(zip(SIX, (exact_backtracker, exact_prim, exact_kruskal, exact_wilson, exact_eller, exact_division)))


@pytest.mark.parametrize("algorithm", SIX)
def test_distribution_of_small_mazes(algorithm):
    """60,000 mazes of 3 x 3 cells against each algorithm's exact distribution; Wilson's is uniform."""
    num = 60_000
    free, *_ = grids_of("maze", num, height=7, width=7, algorithm=algorithm)
    counts = Counter(trees_of(free).tolist())
    exact = EXACT[algorithm]()
    assert sum(exact.values()) == pytest.approx(1.0)
    assert set(counts) <= {tree for tree, chance in exact.items() if chance > 0}
    common = [tree for tree, chance in exact.items() if chance * num >= 5]
    rare = 1 - sum(exact[tree] for tree in common)
    observed = [counts[tree] for tree in common]
    expected = [exact[tree] * num for tree in common]
    if rare * num > 1:
        observed.append(num - sum(observed))
        expected.append(rare * num)
    assert stats.chisquare(observed, np.array(expected) * (sum(observed) / sum(expected))).pvalue > 1e-4


def test_distributions_differ():
    """The test above has power: it would notice one algorithm in the place of another."""
    exact = {name: found() for name, found in EXACT.items()}
    for a, b in itertools.combinations(SIX, 2):
        trees = set(exact[a]) | set(exact[b])
        distance = sum(abs(exact[a].get(tree, 0) - exact[b].get(tree, 0)) for tree in trees) / 2
        assert distance > 0.03, (a, b)


@pytest.mark.parametrize("algorithm", ALGORITHMS[:7])
def test_mazes_are_perfect(algorithm):
    """Spanning trees: all cells are connected by one passage less than there are cells."""
    height, width = 21, 33  # not square
    free, starts, goals = grids_of("maze", 200, height=height, width=width, algorithm=algorithm)
    assert free[:, 1::2, 1::2].all() and not free[:, ::2, ::2].any()
    passages = free[:, 1::2, 2::2].sum((1, 2)) + free[:, 2::2, 1::2].sum((1, 2))
    assert (passages == 10 * 16 - 1).all()
    assert all(ndimage.label(level)[1] == 1 for level in free)
    assert (starts == width + 1).all() and (goals == (height - 2) * width + width - 2).all()


def degrees(free):
    """The number of passages at each cell of mazes."""
    parts = free[:, :-1:2, 1::2], free[:, 2::2, 1::2], free[:, 1::2, :-1:2], free[:, 1::2, 2::2]
    return sum(part.astype(int) for part in parts)


def expected_leaves(rows, columns):
    """The mean number of leaves of a uniform spanning tree of a grid, by Kirchhoff's theorem.

    A vertex v is a leaf in degree(v) * t(G - v) of the t(G) trees.
    """
    cells = list(itertools.product(range(rows), range(columns)))

    def log_trees(kept):
        index = {cell: k for k, cell in enumerate(kept)}
        laplacian = np.zeros((len(kept), len(kept)))
        for (r, c), k in index.items():
            for near in ((r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c)):
                if near in index:
                    laplacian[k, k] += 1
                    laplacian[k, index[near]] -= 1
        return np.linalg.slogdet(laplacian[1:, 1:])[1]

    total = log_trees(cells)
    degree = {(r, c): (r > 0) + (r < rows - 1) + (c > 0) + (c < columns - 1) for r, c in cells}
    return sum(degree[v] * math.exp(log_trees([c for c in cells if c != v]) - total) for v in cells)


def test_leaves_of_uniform_trees():
    leaves = (degrees(grids_of("maze", 20_000, algorithm="wilson")[0]) == 1).sum((1, 2))
    error = leaves.std() / math.sqrt(len(leaves))
    assert abs(leaves.mean() - expected_leaves(10, 10)) < 4 * error


# Dead ends as a share of the cells of 25 x 25 mazes: output of stats_demo.py in the README of
# Kartones/mazes-for-programmers-python-src, a port of the programs of Buck's book. Pullen, "Think Labyrinth: Maze
# Algorithms", also has 10 % for the backtracker.
DEAD_ENDS = {"backtracker": 0.1047, "wilson": 0.2893}


@pytest.mark.slow
def test_dead_ends():
    shares = {}
    for algorithm in SIX:
        found = (degrees(grids_of("maze", 500, height=51, width=51, algorithm=algorithm)[0]) == 1).mean((1, 2))
        shares[algorithm] = found.mean()
        if algorithm in DEAD_ENDS:
            assert abs(found.mean() - DEAD_ENDS[algorithm]) < 0.01
    assert sorted(shares, key=shares.get) == ["backtracker", "division", "eller", "wilson", "kruskal", "prim"]


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_braid(share):
    """The same mazes with and without loops: passages are only added, and the right share of dead ends is gone."""
    size = dict(height=21, width=21, algorithm="kruskal")
    before = grids_of("maze", 300, **size)[0]
    after = grids_of("maze", 300, braid=share, **size)[0]
    assert (after >= before).all() and not after[:, ::2, ::2].any()
    left, at_first = ((degrees(free) == 1).sum((1, 2)) for free in (after, before))
    gone = at_first - left
    wanted = np.floor(share * at_first + 0.5)
    assert ((gone == wanted) | (gone == wanted + 1)).all()
    assert ((after.sum((1, 2)) - before.sum((1, 2))) <= gone).all()


# Start and goal.


def test_ends():
    size = dict(height=21, width=21, algorithm="wilson")
    for level in generate_many("maze", 20, ends="farthest", **size):
        graph, free = graph_of(level["map"])
        distances = sparse.csgraph.dijkstra(graph, directed=False)[np.ix_(free, free)]
        assert describe(level)["path"] == distances.max()  # the diameter of the tree
    free, starts, goals = grids_of("maze", 20_000, ends="random", **size)
    assert (starts != goals).all()
    where = np.arange(len(free))
    flat = free.reshape(len(free), -1)
    assert flat[where, starts].all() and flat[where, goals].all()
    # Every free cell is equally likely: the start's rank among them is uniform, and so is the goal's.
    for ends in (starts, goals):
        ranks = flat.cumsum(1)[where, ends] - 1
        assert stats.chisquare(np.bincount(ranks, minlength=199)).pvalue > 1e-4


def test_corners_of_caves():
    free, starts, goals = grids_of("caves", 200, height=15, width=19, ends="corners")
    for k in range(200):
        ys, xs = np.nonzero(free[k])
        assert starts[k] // 19 + starts[k] % 19 == (ys + xs).min()
        assert goals[k] // 19 + goals[k] % 19 == (ys + xs).max()


# Caves.


def smoothed(free):
    """The rule again, by convolution."""
    walls = signal.convolve2d(~free, np.ones((3, 3)), mode="same")
    after = walls < 5
    after[[0, -1]] = after[:, [0, -1]] = False
    return after


def test_automaton():
    made = base.generator("caves", height=20, width=30)
    records = made.records(50)
    records["level"]["grid"][:, 1:-1, 1:-1] = np.random.default_rng(0).random((50, 18, 28)) < 0.55
    before = records["level"]["grid"] == grids.FREE
    base._run(made, caves.smooth, "smooth", records, np.ones(50, bool))
    assert all(((after == 1) == smoothed(level)).all() for after, level in zip(records["level"]["grid"], before))


def test_caves_are_connected():
    for regions in ("joined", "largest"):
        free, *_ = grids_of("caves", 300, height=25, width=25, regions=regions)
        assert all(ndimage.label(level)[1] == 1 for level in free)
        assert free[:, 11:14, 11:14].all() or regions == "largest"
    largest, joined_ = (grids_of("caves", 300, regions=regions)[0] for regions in ("largest", "joined"))
    assert (joined_ | ~largest).all()  # from the same rock: tunnels remove no cells
    assert (joined_.sum((1, 2)) > largest.sum((1, 2))).mean() > 0.3
    # Digging stops where regions meet: tunnels are a small part.
    assert (joined_.sum((1, 2)) - largest.sum((1, 2))).mean() < 0.35 * joined_.sum((1, 2)).mean()


@pytest.mark.parametrize("walls", [0.0, 0.8, 1.0])
def test_caves_of_any_rock(walls):
    for regions in ("joined", "largest"):
        free, starts, goals = grids_of("caves", 20, walls=walls, regions=regions)
        assert (starts != goals).all() and all(ndimage.label(level)[1] == 1 for level in free)
        assert not free[:, [0, -1]].any() and not free[:, :, [0, -1]].any()
        if walls == 0.0:
            assert free[:, 1:-1, 1:-1].mean() > 0.98


# Obstacles.


def test_density():
    """Exactly the wanted number, unless a path had to be cleared; with equal frequency everywhere inside."""
    free, *_ = grids_of("obstacles", 20_000, height=12, width=12, density=0.2)
    inside = ~free[:, 1:-1, 1:-1]
    counts = inside.sum((1, 2))
    assert (counts == 20).mean() > 0.8 and counts.max() == 20 and counts.min() >= 15
    placed = inside[counts == 20].mean(0)
    assert placed[0, 0] == placed[-1, -1] == 0.0  # start and goal
    assert abs(placed[4:6, 4:6] - 20 / 98).max() < 0.02
    free, *_ = grids_of("obstacles", 10, density=0.0)
    assert free[:, 1:-1, 1:-1].all()


def test_fewest_walls_are_taken_away():
    made = base.generator("obstacles", height=12, width=12)
    records = made.records(300)
    free = np.zeros((300, 12, 12), bool)
    free[:, 1:-1, 1:-1] = np.random.default_rng(0).random((300, 10, 10)) < np.linspace(0.1, 0.9, 300)[:, None, None]
    free[:, 1, 1] = free[:, 10, 10] = True
    records["level"]["grid"] = free
    records["level"]["start"], records["level"]["goal"] = 13, 130
    base._run(made, grids.open_way, "open_way", records, np.ones(300, bool))
    after = records["level"]["grid"] == grids.FREE
    assert (after >= free).all() and not after[:, [0, -1]].any() and not after[:, :, [0, -1]].any()
    taken = (after & ~free).sum((1, 2))
    for k in range(300):
        label = ndimage.label(after[k])[0]
        assert label[1, 1] == label[10, 10]
        # Dijkstra: a wall costs 1, and a free cell almost nothing.
        cost = np.where(free[k], 1e-6, 1.0)
        number = np.arange(144).reshape(12, 12)
        pairs = [(number[1:-1, 1:-2], number[1:-1, 2:-1]), (number[1:-2, 1:-1], number[2:-1, 1:-1])]
        a = np.concatenate([x.ravel() for pair in pairs for x in pair])
        b = np.concatenate([x.ravel() for pair in pairs for x in pair[::-1]])
        graph = sparse.coo_matrix((cost.ravel()[b], (a, b)), (144, 144)).tocsr()
        assert taken[k] == round(sparse.csgraph.dijkstra(graph, indices=13)[130])
    assert taken.max() > 3 and (taken == 0).any()


@pytest.mark.parametrize("ends", grids.ENDS)
def test_dense_obstacles(ends):
    for level in generate_many("obstacles", 300, height=6, width=9, density=0.75, ends=ends):
        assert describe(level)["solvable"] and "".join(level["map"]).count("S") == 1


# Changes.

SMALL = dict(height=11, width=11)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    braid=st.sampled_from([0.0, 0.5]),
    algorithm=st.sampled_from(SIX),
    ends=st.sampled_from(grids.ENDS),
)
def test_changed_mazes_stay_mazes(seed, braid, algorithm, ends):
    level = generate("maze", seed, algorithm=algorithm, braid=braid, ends=ends, **SMALL)
    free = describe(level)["free"]
    for k in range(8):
        changed = mutate(level, seed + k)
        assert changed != level and changed == mutate(level, seed + k)
        assert sum(a != b for a, b in zip("".join(level["map"]), "".join(changed["map"]))) == 2
        found = describe(changed)
        assert found["solvable"] and found["free"] == found["reached"] == free  # as many loops as before
        level = changed


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), density=st.sampled_from([0.0, 0.3, 0.7]))
def test_changed_obstacles_leave_a_way(seed, density):
    level = generate("obstacles", seed, density=density, **SMALL)
    for k in range(8):
        changed = mutate(level, seed + k)
        assert changed != level
        assert describe(changed)["solvable"]
        level = changed


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), walls=st.sampled_from([0.3, 0.45]))
def test_changed_caves_stay_connected(seed, walls):
    level = generate("caves", seed, walls=walls, **SMALL)
    for k in range(8):
        changed = mutate(level, seed + k)
        found = describe(changed)
        assert found["solvable"] and found["free"] == found["reached"]
        level = changed


def test_changes_reach_all_mazes():
    """Enough changes lead from one maze of 3 x 3 cells to all 192, not counting start and goal."""
    level = generate("maze", height=7, width=7)
    seen = set()
    for k in range(6000):
        level = mutate(level, k)
        seen.add("".join(level["map"]).replace("S", ".").replace("G", "."))
    assert len(seen) == 192


def test_pictures():
    level = generate("maze", 3)
    scene = picture(level)
    assert scene.width == scene.height == 21 and len(scene.shapes) < 200
    pixels = draw(scene, 21 * 16)
    for y, row in enumerate(level["map"]):  # walls are where they are
        for x, letter in enumerate(row):
            dark = pixels[16 * y + 2, 16 * x + 2].sum() < 330
            assert letter in "SG" or dark == (letter == "#"), (x, y)


# Payoff tables.


@pytest.mark.parametrize("family", payoffs.FAMILIES)
def test_families(family):
    """The properties of the families, in numbers; changes keep them."""
    shape = dict(players=3, actions=3) if family in ("independent", "common", "potential") else {}
    levels = generate_many("payoffs", 100, family=family, **shape)
    for k in range(3):
        levels += [mutate(level, k) for level in levels[-100:]]
    for level in levels:
        table = np.array(level["payoffs"])
        assert table.shape == ((3, 3, 3, 3) if shape else (2, 2, 2))
        if family == "zero_sum":
            assert (table.sum(0) == 0).all()
        if family == "common":
            assert (table == table[0]).all()
        if family == "ordinal":
            assert all(sorted(ranks.flat) == [1, 2, 3, 4] for ranks in table)
        if family == "potential":
            # A potential, from one corner along one path of moves to each profile, explains all moves of all players.
            potential = np.zeros((3, 3, 3))
            for profile in np.ndindex(3, 3, 3):
                at = [0, 0, 0]
                for k in range(3):
                    before = table[(k, *at)]
                    at[k] = profile[k]
                    potential[profile] += table[(k, *at)] - before
            for k in range(3):
                gains = table[k] - table[k].take([0], axis=k)
                assert gains == pytest.approx(potential - potential.take([0], axis=k), abs=1e-9)
            assert describe(level)["equilibria"] > 0  # Monderer and Shapley 1996
    if family in ("independent", "zero_sum", "common"):
        values = np.round(np.array([level["payoffs"] for level in generate_many("payoffs", 3000, family=family)]) * 100)
        assert stats.chisquare(np.bincount((values[:, 0] + 100).astype(int).ravel(), minlength=201)).pvalue > 1e-4


def test_wrong_families():
    for family, table, problem in (
        ("zero_sum", [[[1, 2], [3, 4]], [[-1, -2], [-3, 4]]], "add up to 0"),
        ("common", [[[1, 2], [3, 4]], [[1, 2], [3, 5]]], "differ"),
        ("ordinal", [[[1, 2], [3, 4]], [[1, 2], [3, 3]]], "1, 2, 3 and 4"),
        ("potential", [[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]], "no exact potential"),  # matching pennies
        ("nice", [[[1, 2], [3, 4]], [[1, 2], [3, 3]]], "family"),
    ):
        with pytest.raises(LevelError, match=problem):
            describe({"kind": "payoffs", "family": family, "payoffs": table})
    # The prisoner's dilemma has an exact potential.
    describe({"kind": "payoffs", "family": "potential", "payoffs": [[[3, 0], [5, 1]], [[3, 5], [0, 1]]]})
    for params in (dict(family="zero_sum", players=3), dict(family="ordinal", actions=3), dict(players=6, actions=5)):
        with pytest.raises(ParameterError):
            generate("payoffs", **params)


def test_ordinal_games():
    """The 576 pairs of rankings make 78 games (Rapoport and Guyer 1966), which occur with the right frequencies."""
    ranks = [np.reshape(order, (2, 2)) for order in itertools.permutations((1, 2, 3, 4))]
    classes = Counter(payoffs.ordinal_class(np.array([a, b])) for a in ranks for b in ranks)
    assert sorted(classes) == list(range(78))
    assert Counter(classes.values()) == {8: 66, 4: 12}  # 12 of the 78 games are symmetric, with half as many forms
    levels = generate_many("payoffs", 20_000, family="ordinal")
    counts = Counter(payoffs.ordinal_class(np.array(level["payoffs"])) for level in levels)
    expected = np.array([classes[k] for k in range(78)]) / 576 * 20_000
    assert stats.chisquare([counts[k] for k in range(78)], expected).pvalue > 1e-4
    # The prisoner's dilemma has one equilibrium, to which dominance leads; chicken has two, and nothing is dominated.
    dilemma = {"kind": "payoffs", "family": "ordinal", "payoffs": [[[3, 1], [4, 2]], [[3, 4], [1, 2]]]}
    assert describe(dilemma)["equilibria"] == 1 and describe(dilemma)["difficulty"] == 0.0
    renamed = {**dilemma, "payoffs": [[[2, 4], [1, 3]], [[2, 1], [4, 3]]]}
    assert describe(renamed)["class"] == describe(dilemma)["class"]
    chicken = {**dilemma, "payoffs": [[[3, 2], [4, 1]], [[3, 4], [2, 1]]]}
    assert describe(chicken)["equilibria"] == 2 and describe(chicken)["difficulty"] == 2.0
    assert describe(chicken)["class"] != describe(dilemma)["class"]


def test_payoffs_are_levels_of_matrix_games():
    batch = Batch(MatrixGame("custom", payoffs=np.zeros((2, 3, 3)).tolist()), 8)
    levels = generate_many("payoffs", 8, actions=3)
    batch.start(levels=levels)
    assert [batch.world.get_level(batch.record(i))["payoffs"] for i in range(8)] == [g["payoffs"] for g in levels]


# Orchards and rivers.


@pytest.mark.parametrize(("kind", "map", "world"), [("orchard", "crosses", Harvest), ("river", "upright", CleanUp)])
def test_maps_of_2018(kind, map, world):
    levels = generate_many(kind, 3, map=map)
    changed = mutate(levels[0], 1)
    assert changed != levels[0] and describe(changed)["sites"] == describe(levels[0])["sites"]
    assert draw(picture(levels[0])).shape[2] == 3
    batch = kit.started(world(rules="ssd"), 3)
    assert [batch.world.get_level(batch.record(i))["map"] for i in range(3)] == [level["map"] for level in levels]
    batch.set_level(0, changed)
    batch.start()
    assert batch.world.get_level(batch.record(0))["map"] == changed["map"]


@pytest.mark.parametrize("map", ["open", "closed", "partnership"])
def test_orchards(map):
    for level in generate_many("orchard", 30, seed=5, map=map):
        found = describe(level)
        assert found["solvable"] and found["sites"] == 64 and found["patches"] == 6
        changed = mutate(level, 1)
        assert describe(changed)["sites"] == 64 and describe(changed)["solvable"] and changed != level
        halves = [[row[first : first + 11] for row in m["map"]] for m in (level, changed) for first in (1, 12)]
        assert halves[0] == halves[2] or halves[1] == halves[3]  # one of them is as it was
    batch = kit.started(Harvest(map=map), 3)
    levels = generate_many("orchard", 3, map=map)
    assert [batch.world.get_level(batch.record(i))["map"] for i in range(3)] == [level["map"] for level in levels]
    batch.set_level(0, changed)
    batch.start()
    assert batch.world.get_level(batch.record(0))["map"] == changed["map"]
