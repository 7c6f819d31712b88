"""Views in vector instructions against the same cell by cell; lines of sight against exact lines."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import floor

import numpy as np
import pytest

from envsuite.compile.bound import bind
from envsuite.core.errors import KernelError
from envsuite.kit.sight import LIT, OWN, PLAYER, REACH, in_line, look, look_around, look_far

AHEAD = [(0, 1), (1, 0), (0, -1), (-1, 0)]  # (rows, columns) to the east, south, west and north
STRIDE = 41


def look_all(cells, at, facing, behind, own, change, out):
    for i in range(len(out)):
        look(cells[i], STRIDE, at[i], facing[i], behind, own, change, out[i]["view"])


look_all = bind(look_all, "tests.sight.look_all")


def look_around_all(cells, at, shown, out):
    for i in range(len(out)):
        look_around(cells[i], STRIDE, at[i], shown, out[i]["view"])


look_around_all = bind(look_around_all, "tests.sight.look_around_all")


def seen(cells, at, facing, behind, own, change, shape):
    grid, (y, x) = cells.reshape(-1, STRIDE), divmod(at, STRIDE)
    (down, right), (side_down, side_right) = AHEAD[facing], AHEAD[(facing + 1) % 4]
    view = np.zeros(shape, int)
    for i, j in np.ndindex(*shape):
        ahead, side = shape[0] - 1 - behind - i, j - shape[1] // 2
        code = int(grid[y + ahead * down + side * side_down, x + ahead * right + side * side_right])
        plain = code % LIT
        if PLAYER <= plain < OWN:
            index, other = divmod(plain - PLAYER, 4)
            code += PLAYER + 4 * index + (other - facing) % 4 - plain
        elif own <= plain < own + 4:
            code ^= change
        view[i, j] = code
    return view


@pytest.mark.parametrize(
    "shape, behind, own, change",
    [((11, 11), 1, 76, 76 ^ 72), ((5, 5), 1, 0, 0), ((16, 4), 3, 4, 1)],
)
def test_views_equal_those_made_cell_by_cell(shape, behind, own, change):
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 256, (200, STRIDE * STRIDE)).astype(np.uint8)
    at = rng.integers(15, 26, 200) * STRIDE + rng.integers(15, 26, 200)
    facing = np.arange(200) % 4
    out = np.zeros(200, [("before", np.uint8, (8,)), ("view", np.uint8, shape), ("after", np.uint8, (16,))])
    look_all(cells, at, facing, behind, own, change, out)
    for i in range(200):
        wanted = seen(cells[i], at[i], facing[i], behind, own, change, shape)
        np.testing.assert_array_equal(out["view"][i], wanted)
    assert not out["before"].any() and not out["after"].any()
    compiled = out.copy()
    look_all.interpreted(cells, at, facing, behind, own, change, out)
    assert (out == compiled).all()


@pytest.mark.parametrize("shape", [(13, 13), (5, 8)])
def test_views_around_equal_parts_of_the_grid(shape):
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 256, (50, STRIDE * STRIDE)).astype(np.uint8)
    rows, columns = rng.integers(6, STRIDE - 6, (2, 50))
    shown = rng.integers(0, 256, shape).astype(np.uint8)
    out = np.zeros(50, [("before", np.uint8, (8,)), ("view", np.uint8, shape), ("after", np.uint8, (16,))])
    look_around_all(cells, rows * STRIDE + columns, shown, out)
    for i, (y, x) in enumerate(zip(rows - shape[0] // 2, columns - shape[1] // 2)):
        part = cells[i].reshape(STRIDE, STRIDE)[y : y + shape[0], x : x + shape[1]]
        np.testing.assert_array_equal(out["view"][i], part & shown)
    assert not out["before"].any() and not out["after"].any()
    compiled = out.copy()
    look_around_all.interpreted(cells, rows * STRIDE + columns, shown, out)
    assert (out == compiled).all()


@pytest.mark.machine
def test_a_view_of_another_size_is_refused():
    out = np.zeros(1, [("view", np.uint8, (3, 5))])
    with pytest.raises(KernelError, match="compiled code has no look"):
        look_all(np.zeros((1, 9), np.uint8), np.zeros(1, int), np.zeros(1, int), 0, 0, 0, out)


# Lines of sight.


def line(one, other):
    """The places between two cells, exactly: for each, the one or two cells nearest to the line."""
    along = 0 if abs(other[0] - one[0]) >= abs(other[1] - one[1]) else 1
    if one[along] > other[along]:
        one, other = other, one
    for at in range(one[along] + 1, other[along]):
        share = Fraction(at - one[along], other[along] - one[along])
        exact = one[1 - along] + share * (other[1 - along] - one[1 - along])
        near = {floor(exact), floor(exact) + 1}
        least = min(abs(exact - k) for k in near)
        yield [(at, k) if along == 0 else (k, at) for k in near if abs(exact - k) == least]


def check_sight(side, walls, pairs):
    """Compare sight with exact lines, for each pair of cells in both directions; returns how many are blocked."""
    lines, blocked = {pair: [*line(*pair)] for pair in pairs}, 0
    for cells in walls:
        rows = [[(y, x) in cells for x in range(side)] for y in range(side)]
        made = Rows(rows)
        for (one, other), places in lines.items():
            clear = not any(all(rows[y][x] for y, x in place) for place in places)
            assert in_line(made, 1, *one, *other) == in_line(made, 1, *other, *one) == clear
            blocked += not clear
    return blocked


class Rows:
    """A grid that Python reads faster than an array."""

    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, cell):
        return self.rows[cell[0]][cell[1]]


CELLS = [*product(range(5), repeat=2)]


def test_sight_past_one_wall():
    """All 5 x 5 maps with one wall, all pairs of cells."""
    assert check_sight(5, [[cell] for cell in CELLS], [*combinations_with_replacement(CELLS, 2)]) > 0


@pytest.mark.slow
def test_sight_past_two_walls():
    """All 5 x 5 maps with two walls, all pairs of cells."""
    assert check_sight(5, combinations(CELLS, 2), [*combinations_with_replacement(CELLS, 2)]) > 0


def test_far_sight():
    """Random maps of the largest view."""
    rng = np.random.default_rng(0)
    maps = [[tuple(cell) for cell in np.argwhere(rng.random((17, 17)) < 0.1).tolist()] for _ in range(8)]
    pairs = [tuple(map(tuple, rng.integers(17, size=(2, 2)).tolist())) for _ in range(200)]
    assert check_sight(17, maps, pairs) > 0


def test_sight_is_the_same_on_turned_maps():
    rng = np.random.default_rng(1)
    for _ in range(100):
        grid = (rng.random((9, 9)) < 0.2).astype(np.uint8)
        (y, x), (row, column) = rng.integers(9, size=(2, 2)).tolist()
        seen = in_line(grid, 1, y, x, row, column)
        assert in_line(grid[:, ::-1], 1, y, 8 - x, row, 8 - column) == seen
        assert in_line(grid.T, 1, x, y, column, row) == seen


def check_far(reach, rng, share):
    """Compare a whole view with the lines to its cells, from a random cell of a random map of any size."""
    height, width = rng.integers(1, 20, size=2).tolist()
    grid = (rng.random((height, width)) < share).astype(np.uint8)
    y, x = int(rng.integers(height)), int(rng.integers(width))
    view = np.full((2 * reach + 1,) * 2, 99, np.uint8)
    look_far(grid, 1, y, x, view)
    for i, j in np.ndindex(view.shape):
        row, column = y - reach + i, x - reach + j
        inside = 0 <= row < height and 0 <= column < width
        assert view[i, j] == (1 + grid[row, column] if inside and in_line(grid, 1, y, x, row, column) else 0)
    return int((view == 0).sum())


@pytest.mark.parametrize("reach", range(1, REACH + 1))
def test_far_look_follows_the_lines(reach):
    rng = np.random.default_rng(reach)
    assert sum(check_far(reach, rng, share) for share in (0.05, 0.15, 0.4)) > 0


@pytest.mark.slow
def test_far_look_follows_the_lines_on_many_maps():
    rng = np.random.default_rng(0)
    assert sum(check_far(1 + k % REACH, rng, (k % 10) / 20) for k in range(200)) > 0
