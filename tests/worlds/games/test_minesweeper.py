"""Minesweeper: a second implementation, exact values, placements, levels, records, clicks, baselines."""

from collections import Counter
from functools import cache
from itertools import combinations

import kit
import numpy as np
import pytest
from scipy.ndimage import label
from scipy.signal import convolve2d
from scipy.stats import chisquare

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.games.minesweeper import HIDDEN, MINE, Minesweeper
from envsuite.registry import build

ID = "envsuite/Minesweeper-v0"


def revealed(mines, cell):
    """The cells that a choice reveals: by connected regions of cells without mines around them."""
    around = convolve2d(mines, np.ones((3, 3), int), mode="same")
    empty = (around == 0) & (mines == 0)
    if not empty[cell]:
        found = np.zeros(mines.shape, bool)
        found[cell] = True
        return found
    regions, _ = label(empty, np.ones((3, 3)))
    return convolve2d(regions == regions[cell], np.ones((3, 3), int), mode="same") > 0


@pytest.mark.parametrize("rows, columns, mines, dense", [(8, 8, 10, False), (9, 16, 12, True), (3, 4, 2, True)])
def test_second_implementation(rows, columns, mines, dense):
    """Random games: what is seen, rewards and ends."""
    num, rng = 40, np.random.default_rng(rows)
    batch = kit.started(ID, num, rows=rows, columns=columns, mines=mines, dense=dense)
    open_ = np.zeros((num, rows, columns), bool)
    running = np.ones(num, bool)
    won = 0
    while running.any():
        chance = batch.masks[:, 0] * rng.random(batch.masks[:, 0].shape)
        batch.actions[:, 0] = chance.argmax(axis=1)
        batch.step(where=running)
        for i in np.flatnonzero(running):
            there = batch.records["mine"][i].reshape(rows, columns).astype(int)
            cell = divmod(int(batch.actions[i, 0]), columns)
            assert there.sum() == mines
            seen, before = batch.observations[i, 0], open_[i].copy()
            hit = there[cell] == 1
            if hit:
                assert seen[cell] == MINE and not before.all()
            else:
                open_[i] |= revealed(there, cell)
            counts = convolve2d(there, np.ones((3, 3), int), mode="same")
            wanted = np.where(open_[i], counts, HIDDEN)
            if hit:
                wanted[cell] = MINE
            assert (seen == wanted).all()
            done = (open_[i] | (there == 1)).all()
            share = (open_[i] & ~before).sum() / (rows * columns - mines)
            assert batch.rewards[i, 0] == pytest.approx(share if dense else float(done))
            assert batch.terminations[i, 0] == (hit or done)
            assert (batch.masks[i, 0] == (wanted == HIDDEN).reshape(-1) * (not (hit or done))).all()
            won += done
        running &= ~batch.over()
    assert won or mines > 2


def best(rows, columns, mines):
    """The probability to win with perfect play, by search over sets of placements that fit."""
    cells = list(np.ndindex(rows, columns))
    layouts = []
    for chosen in combinations(range(len(cells)), mines):
        there = np.zeros((rows, columns), int)
        there.reshape(-1)[list(chosen)] = 1
        layouts.append(there)
    counts = [convolve2d(there, np.ones((3, 3), int), mode="same") for there in layouts]

    @cache
    def value(fits, seen):
        """The number of layouts that are won."""
        hidden = [k for k, number in enumerate(seen) if number == HIDDEN]
        if len(hidden) == mines:
            return len(fits)
        most = 0
        for k in hidden:
            after = {}
            for i in fits:
                if not layouts[i].reshape(-1)[k]:
                    open_ = revealed(layouts[i], cells[k]).reshape(-1)
                    now = tuple(int(c) if o else s for s, o, c in zip(seen, open_, counts[i].reshape(-1)))
                    after.setdefault(now, []).append(i)
            most = max(most, sum(value(tuple(rest), now) for now, rest in after.items()))
        return most

    start = tuple([HIDDEN] * len(cells))
    results = []
    for k in range(len(cells)):
        fits = [i for i in range(len(layouts)) if not layouts[i].reshape(-1)[k]]
        after = {}
        for i in fits:
            open_ = revealed(layouts[i], cells[k]).reshape(-1)
            now = tuple(int(c) if o else s for s, o, c in zip(start, open_, counts[i].reshape(-1)))
            after.setdefault(now, []).append(i)
        results.append(sum(value(tuple(rest), now) for now, rest in after.items()) / len(fits))
    return max(results)


@pytest.mark.slow
def test_values():
    """ "careful" comes close to perfect play on small boards and never does better; by hand for 2 x 2."""
    assert best(2, 2, 1) == pytest.approx(1 / 3)
    for rows, columns, mines in [(2, 2, 1), (2, 3, 1), (3, 3, 1), (3, 3, 2)]:
        perfect = best(rows, columns, mines)
        num = 4000
        share = kit.wins(ID, "careful", 0, num, rows=rows, columns=columns, mines=mines)
        error = (perfect * (1 - perfect) / num) ** 0.5
        assert share < perfect + 4 * error and share > 0.6 * perfect


def test_placements_are_fair():
    num = 6000
    batch = kit.started(ID, num, rows=2, columns=3, mines=2)
    batch.step(0)
    found = Counter(tuple(np.flatnonzero(row).tolist()) for row in batch.records["mine"])
    assert len(found) == 10 and all(0 not in key for key in found) and chisquare(list(found.values())).pvalue > 1e-4


def test_horizon():
    batch = kit.started(ID, horizon=2, level={"mines": [[0, k] for k in range(8)] + [[2, 0], [2, 1]]})
    kit.act(batch, "1 0")
    assert not batch.over()[0]
    kit.act(batch, "1 1")
    assert batch.terminations[0, 0] and "no choices left" in batch.world.text(batch.record(), 0)


def test_levels_and_records():
    cells = [[0, k] for k in range(8)] + [[1, 0], [1, 1]]
    world = build(ID)
    kit.refuses(
        world,
        ({"mines": cells[:-1]}, "mines must be 10 lists of 2 integers from 0 to 7"),
        ({"mines": [*cells[:-1], [0, 0]]}, "mines must be different cells"),
        ({"mines": [*cells[:-1], [8, 0]]}, r"mines\[9\]\[0\]=8 must be an integer from 0 to 7"),
        ({}, "lacks 'mines'"),
    )
    with pytest.raises(ParameterError, match="4 mines leave none of 2 x 2"):
        Minesweeper(rows=2, columns=2, mines=4)
    batch = kit.started(ID, level={"mines": cells})
    assert world.get_level(batch.record()) == {"mines": cells}
    kit.act(batch, "0 0")
    assert batch.terminations[0, 0] and batch.rewards[0, 0] == 0 and "hit a mine" in world.text(batch.record(), 0)
    batch = kit.started(ID)
    batch.records["hidden"] = 3
    with pytest.raises(SnapshotError, match="hidden is not"):
        batch.world.admit(batch.records)


def test_clicks():
    assert kit.clicks(kit.started(ID, rows=2, columns=3, mines=1), 0) == {None, *range(6)}


def test_baselines():
    """ "careful" wins most of 8 x 8 boards with 10 mines, "logical" fewer, and random play none."""
    careful, logical = (kit.wins(ID, name, 0, 1000) for name in ("careful", "logical"))
    assert careful > logical + 0.1 and logical > 0.2 and kit.wins(ID, "random", 0, 1000) < 0.01
