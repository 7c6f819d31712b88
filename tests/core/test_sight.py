"""Views in vector instructions against the same cell by cell."""

import numpy as np
import pytest

from envsuite.core.errors import KernelError
from envsuite.core.kernel import bind
from envsuite.kit.sight import LIT, OWN, PLAYER, look, look_around

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


def test_a_view_of_another_size_is_refused():
    out = np.zeros(1, [("view", np.uint8, (3, 5))])
    with pytest.raises(KernelError, match="compiled code has no look"):
        look_all(np.zeros((1, 9), np.uint8), np.zeros(1, int), np.zeros(1, int), 0, 0, 0, out)
