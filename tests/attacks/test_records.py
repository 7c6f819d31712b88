"""Forged records: whatever a snapshot with a right checksum holds is refused, or played without a fault.

Per world, real states of an episode are changed: all bytes random, zero or one, single bytes, single numbers to any
value and, most often, to a value within their range, which no range refuses. What is not refused is played for 50 steps
by Python's rules, where an index beyond an array or a number that does not fit its field is an error, and agents read
their texts. A limit on time stops loops without end.

One thousand records a world would take an hour in Python. A run tries them for some CPU seconds a world, at most a
thousand, from a seed that is another for each world and each release; ENVSUITE_FUZZ sets the seconds.
"""

import contextlib
import os
import signal
import time
import zlib

import numpy as np
import pytest

import envsuite
from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.errors import SnapshotError
from envsuite.testing import random_actions

SECONDS = float(os.environ.get("ENVSUITE_FUZZ", "5"))
STEPS, MOST = 50, 1000

KINDS = {"within its range": 0.6, "number": 0.2, "byte": 0.15, "random": 0.03, "zeros": 0.01, "ones": 0.01}


def numbers(dtype, ranges, at=0, path=()):
    """Every number of a record by its path: type, offset, range."""
    for name in dtype.names:
        part, offset = dtype.fields[name][:2]
        base, count = part.base, part.itemsize // part.base.itemsize
        for k in range(count):
            place = at + offset + k * base.itemsize
            if base.names:
                yield from numbers(base, ranges, place, (*path, name))
            else:
                low, high = ranges.get((*path, name), (None, None))
                yield (*path, name), base, place, low, high


def forged(data, fields, kind, rng):
    """Changed bytes of a record, and a word on the change."""
    data = bytearray(data)
    if kind == "random":
        return rng.bytes(len(data)), kind
    if kind in ("zeros", "ones"):
        return bytes([255 * (kind == "ones")]) * len(data), kind
    if kind == "byte":
        at = int(rng.integers(len(data)))
        data[at] = int(rng.integers(256))
        return bytes(data), f"byte {at}"
    name = list(fields)[rng.integers(len(fields))]  # a field first: an array is no likelier than a number
    dtype, at, low, high = fields[name][rng.integers(len(fields[name]))]
    value = rng.bytes(dtype.itemsize)
    if kind == "within its range" and low is not None:
        value = drawn(dtype, low.min(), high.max(), rng).tobytes()
    data[at : at + dtype.itemsize] = value
    return bytes(data), f"{'.'.join(name)} = {np.frombuffer(value, dtype)[0]}"


def drawn(dtype, low, high, rng):
    """A number within a range, often one of its ends."""
    if rng.random() < 0.3:
        return np.array([low, high][rng.integers(2)], dtype)
    if dtype.kind == "f":
        return np.array(rng.uniform(max(low, -1e6), min(high, 1e6)), dtype)
    return np.array(int(low) + int(rng.integers(min(int(high) - int(low), 2**62), endpoint=True)), dtype)


@contextlib.contextmanager
def limited(seconds=20):
    """The body may take this much time of the processor."""

    def stop(*_):
        raise TimeoutError(f"no end after {seconds} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def play(world, batch, rng):
    """Some steps with random legal actions, into the next episode, and all texts."""
    for _ in range(STEPS):
        if batch.finished[0]:
            batch.start()
        batch.step(random_actions(batch.masks, rng))
    for a in range(len(world.agents)):
        world.text(batch.record(), a)


@pytest.mark.slow
@pytest.mark.parametrize("id", envsuite.ids())
def test_forged_records_are_refused_or_played(id, counted):
    world = registry.build(id)
    batch = Batch(world, 1, compiled=False)
    rng = np.random.default_rng(zlib.crc32(f"{id} {registry.__version__}".encode()))
    ranges = {path: (low, high) for path, low, high in world.ranges._checks}
    fields = {}
    for path, *number in numbers(world.record, ranges):
        fields.setdefault(path, []).append(number)
    start, states = time.process_time(), []
    batch.start(0)
    while len(states) < 60 and time.process_time() - start < SECONDS / 4:
        states.append(batch.records.tobytes())
        batch.step(random_actions(batch.masks, rng))
    found = {"refused": 0, "played": 0}
    while sum(found.values()) < MOST and time.process_time() - start < SECONDS:
        kind = rng.choice(list(KINDS), p=list(KINDS.values()))
        data, what = forged(states[rng.integers(len(states))], fields, kind, rng)
        try:
            with limited(), batch.restored(data):
                pass
        except SnapshotError:
            found["refused"] += 1
            continue
        except Exception as error:
            raise AssertionError(f"{what}: loading raised {type(error).__name__}: {error}") from error
        try:
            with limited():
                play(world, batch, rng)
        except Exception as error:
            raise AssertionError(f"{what}: playing on raised {type(error).__name__}: {error}") from error
        found["played"] += 1
    for what, number in found.items():
        counted(f"forged records {what}", number)
    assert found["refused"]
