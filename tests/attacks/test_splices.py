"""Splices of two real records, of other seeds or other steps: refused, or played without a fault.

Each field is that of one of two records that were there. `make test-bounds` plays them as machine code with every array
access checked, the others run as Python.
"""

import time
import zlib

import pytest
from shapes import every_world
from test_records import SECONDS, limited, play, seeded

from envsuite import registry
from envsuite.compile.switches import BOUNDSCHECK
from envsuite.core.batch import Batch
from envsuite.core.errors import SnapshotError
from envsuite.testing.case import random_moves

pytestmark = pytest.mark.long

MOST = 300 if BOUNDSCHECK else 40


def real(world, rng, seconds):
    """Real records of different seeds and steps."""
    batch, found, until = Batch(world, 4, compiled=BOUNDSCHECK), [], 0.0
    batch.start(zlib.crc32(world.id.encode()))
    until = time.process_time() + seconds
    while len(found) < 200 and (len(found) < 8 or time.process_time() < until):
        found += list(batch.records.copy())
        batch.start(where=batch.finished)
        batch.step(random_moves(world, batch.masks, rng))
    return found


def spliced(one, other, rng):
    """A record with some fields of one and the rest of the other: a head, a single field, or any of them."""
    names = one.dtype.names
    kind, made = rng.integers(3), one.copy()
    cut = int(rng.integers(1, len(names))) if len(names) > 1 else 0
    taken = names[cut:] if kind == 0 else [names[cut]] if kind == 1 else [name for name in names if rng.random() < 0.5]
    for name in taken:
        made[name] = other[name]
    return made.tobytes(), ", ".join(taken)


@pytest.mark.parametrize("id", every_world())
def test_splices_of_two_records_are_refused_or_played(id, counted):
    world, rng = registry.build(id), seeded(id, "splices")
    found, batch = real(world, rng, SECONDS), Batch(world, 1, compiled=BOUNDSCHECK)
    start, refused, played = time.process_time(), 0, 0
    for _ in range(MOST):
        one, other = (found[k] for k in rng.integers(len(found), size=2))
        data, what = spliced(one, other, rng)
        doing = "loading"
        try:
            with limited(), batch.restored(data):
                doing = "playing on"
            with limited():
                play(world, batch, rng, 50 if BOUNDSCHECK else 10)
            played += 1
        except SnapshotError:
            assert doing == "loading", f"{what}: refused while playing"
            refused += 1
        except Exception as problem:
            raise AssertionError(f"{what}: {doing}: {type(problem).__name__}: {problem}") from problem
        if time.process_time() > start + 5 * SECONDS and refused + played >= 5:
            break
    assert refused + played >= 5
    counted("splices of records refused", refused)
    counted("splices of records played", played)
