"""Playing with worlds of avatars (`envsuite.kit.avatars`): the same in every world of a batch."""

import kit

from envsuite.kit.avatars import BORDER, PLAYER


def started(world, num, level=None, seed=0):
    """A batch after its reset, with seeds from `seed` on, on this map or on its own."""
    return kit.started(world, num, seed, {"map": level} if level else None)


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
