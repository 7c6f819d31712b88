"""What tests share."""

from pathlib import Path

from envsuite.core.batch import Batch
from envsuite.interfaces.single import as_world

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"


def started(world, num=1, seed=0, level=None, **params):
    """A batch of a world, or of an id or class with parameters: episodes with seeds `seed` on, on a level or a list."""
    batch = Batch(as_world(world, params), num)
    batch.start(seed, level)
    return batch
