"""What tests of many worlds share."""

from envsuite.core.batch import Batch
from envsuite.interfaces.single import as_world


def started(world, num=1, seed=0, level=None, **params):
    """A batch of a world, or of an id or class with parameters: episodes with seeds `seed` on, on a level or a list."""
    batch = Batch(as_world(world, params), num)
    batch.start(seed, level)
    return batch
