"""LightsOut: presses as convolutions, exhaustive counts, published nullities and solutions, starts, levels, solver."""

from math import comb

import kit
import numpy as np
import pytest
from scipy import ndimage, stats

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.gridworlds.lights_out import LightsOut, press, solve
from envsuite.registry import build
from envsuite.render.frames import draw

ID = "envsuite/LightsOut-v0"
CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
# OEIS A159257: dimension of the sets of presses that change nothing, of n x n boards, n = 1, 2, ...
NULLITY = [0, 0, 0, 4, 2, 0, 0, 0, 8, 0]
# OEIS A165738: the same on a torus.
NULLITY_WRAPPED = [0, 0, 4, 0, 8, 8, 0, 0, 4, 16]
# OEIS A075464: presses that turn off n x n lights when all are on, n = 1, 2, ...
ALL_ON = [1, 4, 5, 4, 15, 28, 33, 40, 25, 44]


def effects(rows, columns, wrap):
    """(cells,) integers: the lights that a press of each cell toggles, a bit each."""
    words = []
    for cell in range(rows * columns):
        lights = np.zeros((rows, columns), np.uint8)
        press(lights, cell // columns, cell % columns, wrap)
        words.append(sum(1 << int(k) for k in np.flatnonzero(lights)))
    return words


def nullity(words):
    basis = []
    for word in words:
        for other in basis:
            word = min(word, word ^ other)
        if word:
            basis.append(word)
    return len(words) - len(basis)


def put(batch, boards):
    """Continue records from these lights, (N, rows, columns)."""
    batch.records["lights"] = boards
    batch.records["lit"] = boards.sum((1, 2))
    batch.records["terminated"] = batch.records["truncated"] = 0
    batch.records["t"] = 0
    batch.observe()


def boards(numbers, rows, columns):
    """Boards (N, rows, columns) whose light k is bit k of a number."""
    bits = np.asarray(numbers, np.int64)[:, None] >> np.arange(rows * columns) & 1
    return bits.astype(np.uint8).reshape(-1, rows, columns)


def solution_lengths(world, starts, name="solver"):
    """Presses that a policy needs until each of these boards is dark."""
    batch = Batch(world, len(starts))
    batch.start()
    put(batch, starts)
    kit.finish(batch, name)
    assert batch.records["terminated"].all()
    return batch.records["t"].copy()


@pytest.mark.parametrize(
    "params, mode", [({}, "constant"), (dict(rows=4, columns=7, wrap=True), "wrap")], ids=["edges", "wrap"]
)
@pytest.mark.mostly_slow
def test_presses_are_convolutions(params, mode):
    """1,000 worlds: after every press, the lights are the start plus the convolution of all presses with a cross."""
    num = 1000
    world = build(ID, dict(**params, press_cost=0.125))
    batch = kit.started(world, num)
    start, shape = batch.records["start"].copy(), batch.records["lights"].shape[1:]
    horizon = 4 * shape[0] * shape[1]
    counts = np.zeros((num, *shape), int)
    rng = np.random.default_rng(0)
    solver = make_policy("solver", world, wrap=mode == "wrap")
    solver.reset(0, num)
    over = np.zeros(num, bool)
    for k in range(1, horizon + 1):
        # Half of the worlds are solved, the others are pressed at random.
        actions = rng.integers(counts[0].size, size=(num, 1))
        actions[::2] = solver.act_batch(batch.observations, batch.masks, [0])[::2]
        batch.step(actions, ~over)
        counts.reshape(num, -1)[np.flatnonzero(~over), batch.actions[~over, 0]] += 1
        expected = (start + ndimage.convolve(counts, CROSS[None], mode=mode)) % 2
        dark = ~expected.any((1, 2))
        assert np.array_equal(batch.observations[:, 0], expected)
        assert np.array_equal(batch.rewards[~over, 0], dark[~over] - 0.125)
        over |= dark
        assert np.array_equal(batch.terminations[:, 0], dark)
        assert np.array_equal(batch.truncations[:, 0], batch.records["t"] == horizon)
        assert np.array_equal(batch.masks[:, 0].all(1), ~over & (k < horizon))
    assert over[::2].all() and not over[1::2].all()


def test_nullities():
    for n in range(2, 11):
        assert nullity(effects(n, n, False)) == NULLITY[n - 1]
    for n in range(3, 11):
        assert nullity(effects(n, n, True)) == NULLITY_WRAPPED[n - 1]
    # The limits of the solver's memory.
    sizes = [(r, c, w) for w in (False, True) for r in range(2 + w, 11) for c in range(r, 11)]
    assert max(nullity(effects(*size)) for size in sizes) == 16


def test_all_lights_on():
    for n in range(2, 11):
        assert solve(np.ones((n, n), np.uint8), False).sum() == ALL_ON[n - 1]
    for n in (4, 5, 9):
        assert solution_lengths(build(ID, dict(rows=n, columns=n)), np.ones((1, n, n), np.uint8)) == ALL_ON[n - 1]


@pytest.mark.parametrize("side, longest", [(3, 9), (4, 7)])
def test_small_boards_exhaustively(side, longest):
    """Distances from the dark board by the world's own steps, for every solvable board; the solver is never longer."""
    cells, world = side * side, build(ID, dict(rows=side, columns=side))
    num = 2**cells
    batch = kit.started(world, num)
    everything = boards(range(num), side, side)
    after = np.zeros((cells, num), int)
    for cell in range(cells):
        put(batch, everything)
        batch.step(cell)
        after[cell] = batch.records["lights"].reshape(num, -1) @ (1 << np.arange(cells))
        assert np.array_equal(batch.rewards[:, 0], after[cell] == 0)
    distance = np.full(num, -1)
    frontier = np.array([0])
    while len(frontier):
        distance[frontier] = distance.max() + 1
        frontier = np.unique(after[:, frontier])
        frontier = frontier[distance[frontier] < 0]
    solvable = distance >= 0
    counts = np.bincount(distance[solvable])
    assert solvable.sum() == 2 ** (cells - NULLITY[side - 1]) and len(counts) - 1 == longest
    if side == 3:
        assert counts.tolist() == [comb(9, k) for k in range(10)]  # every pattern has one solution
    lit = solvable & (np.arange(num) > 0)
    assert np.array_equal(solution_lengths(world, everything[lit]), distance[lit])
    sample = np.random.default_rng(0).choice(num, 300)
    for number in sample:
        solution = solve(everything[number], False)
        assert (solution is None) == (distance[number] < 0)
        if solution is not None:
            assert solution.sum() == distance[number]
            assert np.array_equal(
                ndimage.convolve(solution.astype(int), CROSS, mode="constant") % 2, everything[number]
            )


@pytest.fixture(scope="module")
def five():
    """5 x 5: numbers of the solvable boards, and the presses that each takes, by all sets of presses."""
    words = effects(5, 5, False)
    # The four sets of presses that change nothing differ in the last two cells: this takes one of each four.
    presses = np.arange(2**23, dtype=np.int64)
    result = np.zeros(2**23, np.int64)
    for cell in range(23):
        result ^= np.where(presses >> cell & 1, words[cell], 0)
    quiet = [0]
    for last in range(1, 4):
        wanted = (last & 1) * words[23] ^ (last >> 1) * words[24]
        (match,) = np.flatnonzero(result == wanted)
        quiet.append(int(match) | last << 23)
    return result, np.min([np.bitwise_count(presses ^ q) for q in quiet], axis=0)


def test_five_by_five(five):
    result, fewest = five
    seen = np.zeros(2**25, bool)
    seen[result] = True
    assert seen.sum() == 2**23
    counts = np.bincount(fewest)
    assert counts[:6].tolist() == [comb(25, k) for k in range(6)]  # no two sets this small have the same effect
    assert len(counts) - 1 == 15 and counts[15] == 7350
    assert counts @ np.arange(16) / 2**23 == pytest.approx(9.9029, abs=1e-4)
    # The solver, on 4,000 random boards and on all that take 15.
    chosen = np.concatenate([np.random.default_rng(0).integers(1, 2**23, 4000), np.flatnonzero(fewest == 15)])
    assert np.array_equal(solution_lengths(build(ID), boards(result[chosen], 5, 5)), fewest[chosen])


@pytest.mark.slow
def test_starts_are_uniform(five):
    result, fewest = five
    num = 20_000
    returns, lengths = play(ID, ["solver"], num)
    assert (returns == 1).all()
    counts, expected = np.bincount(lengths, minlength=16), np.bincount(fewest) / (2**23 - 1) * num
    expected[0] = 0  # a start is never dark
    ends = [slice(0, 5), *(slice(k, k + 1) for k in range(5, 15)), slice(15, 16)]
    assert stats.chisquare([counts[e].sum() for e in ends], [expected[e].sum() for e in ends]).pvalue > 1e-4
    # On 2 x 2, every pattern can be turned off, and all except the dark one are equally likely.
    batch = kit.started(LightsOut(2, 2), num)
    counts = np.bincount(batch.records["start"].reshape(num, 4) @ [1, 2, 4, 8], minlength=16)
    assert counts[0] == 0 and stats.chisquare(counts[1:]).pvalue > 1e-4


@pytest.mark.parametrize("presses", [1, 2, 25])
def test_presses_of_a_start(presses):
    num = 10_000
    batch = kit.started(LightsOut(presses=presses), num)
    words = np.array(effects(5, 5, False))
    start = batch.records["start"].reshape(num, 25).astype(np.int64) @ (1 << np.arange(25))
    sets = {1: [1 << k for k in range(25)], 2: [1 << a | 1 << b for a in range(25) for b in range(a)], 25: [2**25 - 1]}
    made = [int(np.bitwise_xor.reduce(words[[k for k in range(25) if s >> k & 1]])) for s in sets[presses]]
    assert len(set(made)) == comb(25, presses)
    seen, counts = np.unique(start, return_counts=True)
    assert set(seen) == set(made)
    assert presses == 25 or stats.chisquare(counts).pvalue > 1e-4


def test_wrapped_solver_is_shortest():
    """5 x 5 with touching edges: each pattern has 2^8 solutions; all of them are tried for the smallest."""
    words = effects(5, 5, True)
    basis = {}  # by leading light: a set of lights and the presses that make it
    quiet = [0]
    for cell, word in enumerate(words):
        presses = 1 << cell
        while word and word.bit_length() in basis:
            lights, others = basis[word.bit_length()]
            word, presses = word ^ lights, presses ^ others
        if word:
            basis[word.bit_length()] = (word, presses)
        else:
            quiet += [presses ^ q for q in quiet]
    assert len(quiet) == 2**8
    world = build(ID, dict(wrap=True))
    chosen = np.random.default_rng(1).integers(1, 2**25, 300)
    made = [int(np.bitwise_xor.reduce([words[k] for k in range(25) if p >> k & 1])) for p in chosen]
    expected = [min((int(p) ^ q).bit_count() for q in quiet) for p in chosen]
    assert np.array_equal(solution_lengths(world, boards(made, 5, 5), "solver:wrap=1"), expected)
    assert [int(solve(board, True).sum()) for board in boards(made, 5, 5)] == expected


def test_random_play_rarely_ends():
    returns, _ = play(ID, ["random"], 1000)
    assert returns.mean() < 0.01


def test_broken_levels():
    cases = [
        (["....."] * 5, "are all off"),
        (["#....", *["....."] * 4], "cannot be turned off"),  # not orthogonal to a set of presses without effect
        (["#...."] * 4, "5 texts of 5 letters"),
        (["#..."] * 5, "5 texts of 5 letters"),
        ("#....", "5 texts of 5 letters"),
        (["#...x", *["....."] * 4], "letter 'x'"),
    ]
    kit.refuses(build(ID), *(({"lights": lights}, message) for lights, message in cases))


def test_parameters():
    with pytest.raises(ParameterError, match="at least 3"):
        LightsOut(2, 5, wrap=True)
    with pytest.raises(ParameterError, match="at most the 9 cells"):
        LightsOut(3, 3, presses=10)


def test_views():
    world = build(ID)
    batch = Batch(world, 1)
    level = {"lights": [".....", "..#..", ".###.", "..#..", "....."]}
    batch.start(levels=level)
    s = batch.record()
    assert world.get_level(s) == level
    lines = world.text(s, 0).splitlines()
    assert lines[1:4] == ["  a b c d e", "1 . . . . .", "2 . . # . ."] and lines[-1].startswith(
        "5 lights are on; 0 of 100"
    )
    middle = world.action_names[0].index("c3")
    assert world.click(s, 0, 3.4, 3.0) == middle == 12 and world.click(s, 0, 0.5, 3.0) is None
    rings = len(world.scene(s).shapes) - len(world.scene(s, 0).shapes)
    assert rings == 2  # one press, and the words "1 to go"
    assert draw(world.scene(s)).shape[2] == 3
    batch.step(middle)
    assert world.text(batch.record(), 0).endswith("All lights are off, after 1 press.")
