"""What tests share."""

from pathlib import Path

import numpy as np

from envsuite.core.batch import Batch
from envsuite.interfaces.single import as_world

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"


def started(world, num=1, seed=0, level=None, **params):
    """A batch of a world, or of an id or class with parameters: episodes with seeds `seed` on, on a level or a list."""
    batch = Batch(as_world(world, params), num)
    batch.start(seed, level)
    return batch


def legal(batch, agent):
    """The names of an agent's legal actions in the first world."""
    return {batch.world.action_names[agent][k] for k in np.flatnonzero(batch.masks[0, agent])}
