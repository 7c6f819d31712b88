"""Playing with worlds of avatars (`envsuite.kit.avatars`): the same in every world of a batch."""

from math import hypot

import kit
import numpy as np

import envsuite
from envsuite.kit import avatars
from envsuite.kit.avatars import BORDER, LIT, OWN, PLAYER


def started(world, num, level=None, seed=0):
    """A batch after its reset, with seeds from `seed` on, on this map or on its own."""
    return kit.started(world, num, seed, {"map": level} if level else None)


def hall(width, height, lowest="", floor=".", **things):
    """A level of one bare hall with these letters in its lowest row, and lists of (x, y) by letter, or by "wall"."""
    inside, rim = ["#", *floor * (width - 2), "#"], ["#"] * width
    rows = [rim[:], *(inside[:] for _ in range(height - 2)), rim[:]]
    rows[-2][1 : 1 + len(lowest)] = lowest
    for letter, places in things.items():
        for x, y in places:
            rows[y][x] = "#" if letter == "wall" else letter
    return ["".join(row) for row in rows]


def codes(batch, i=0):
    """(height, width) what is on the map, without beams."""
    return batch.world.state(batch.records, None)[i] & (LIT - 1)


def lit(batch, i=0):
    """The places (x, y) that beams went over."""
    return {(int(x), int(y)) for y, x in np.argwhere(batch.world.state(batch.records, None)[i] & LIT)}


def random_play(world, num, **params):
    """The sum of all rewards in 1000 steps of uniformly random play: its mean over episodes, and the standard error."""
    envs = envsuite.make_vec(world, num, horizon=1000, **params)
    envs.reset(seed=0)
    totals = envs.rollout("random", 1000, seed=0)
    return totals.returns.sum(), hypot(*totals.returns_error)


def stride(batch):
    """Cells to a row."""
    return batch.records["map"].shape[2] + 2 * BORDER


def cell(batch, x, y):
    """The cell of a place on the map."""
    return (y + BORDER) * stride(batch) + x + BORDER


def where(batch, agent, i=0):
    """The place (x, y) of an agent."""
    y, x = divmod(int(batch.records["at"][i, agent]), stride(batch))
    return x - BORDER, y - BORDER


def put(batch, agent, x, y, facing):
    """Move an agent to a place."""
    at = cell(batch, x, y)
    for s in batch.records:
        s["cells"][s["at"][agent]] = s["under"][agent]
        s["at"][agent], s["facing"][agent], s["under"][agent] = at, facing, s["cells"][at]
        s["cells"][at] = PLAYER + 4 * agent + facing
    batch.observe()


def put_all(batch, agents):
    """Move agents, by number, to (x, y, facing) each, all at once; those that are not on the map come back."""
    for s in batch.records:
        for a in agents:
            if (s["cells"][s["at"][a]] & LIT - 1) >> 2 == (PLAYER >> 2) + a:
                s["cells"][s["at"][a]] = s["under"][a]
        for a, (x, y, facing) in agents.items():
            at = cell(batch, x, y)
            s["at"][a], s["facing"][a], s["under"][a] = at, facing, s["cells"][at]
            s["cells"][at] = PLAYER + 4 * a + facing
    batch.observe()


def turned(world, s, agent, change=lambda codes: codes):
    """An agent's view as NumPy turns and cuts it out of the map; `change` turns codes of the world's own."""
    if s.away[agent]:
        return np.zeros(world.view_shape, np.uint8)
    height, width = s.map.shape
    rows, columns = world.view_shape
    own, middle, reach = avatars.own_row(rows), columns // 2, max(rows, columns)
    grid = np.asarray(s.cells).reshape(height + 2 * BORDER, width + 2 * BORDER)[BORDER:-BORDER, BORDER:-BORDER]
    padded = np.pad(grid, reach, mode="wrap" if world.torus else "constant")
    x, y = world.place(s, agent)
    upward = np.rot90(padded[y : y + 2 * reach + 1, x : x + 2 * reach + 1], (s.facing[agent] + 1) % 4)
    codes = upward[reach - own :, reach - middle :][:rows, :columns].astype(int)
    plain = codes & (LIT - 1)
    seen = np.where((plain >= PLAYER) & (plain < OWN), codes & ~3 | codes - s.facing[agent] & 3, change(codes))
    seen[own, middle] = seen[own, middle] & LIT | avatars.SELF
    return seen
