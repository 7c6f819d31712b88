"""Forged records: whatever a snapshot with a right checksum holds is refused, or played without a fault.

Per world, real states of some episodes are changed: all bytes random, zero or one, single bytes, single numbers to any
value and, most often, to a value within their range, which no range refuses. There are two layers.

- With ENVSUITE_BOUNDSCHECK (`make test-bounds`), 1,000 records a world. All that are not refused are played at once
  for 50 steps, as machine code with every array access checked.
- Without it, as many as Python checks and plays in some CPU seconds a world, ENVSUITE_FUZZ. Python also refuses an
  index below zero and a number that does not fit its field, and agents read their texts.

A limit on time stops loops without end. The seed is another one for each world and each release.
"""

import contextlib
import os
import signal
import threading
import time
import zlib

import numpy as np
import pytest

import envsuite
from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.errors import SnapshotError
from envsuite.core.policy import make_policy
from envsuite.core.switches import BOUNDSCHECK
from envsuite.testing import random_actions

SECONDS = float(os.environ.get("ENVSUITE_FUZZ", "2"))
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


class Forger:
    """Changes records of a world.

    Attributes:
        states: bytes of real records, of the first steps of some episodes.
    """

    def __init__(self, world, rng, steps, seconds):
        self.world, self.rng, self.states = world, rng, []
        ranges = {path: (low, high) for path, low, high in world.ranges._checks}
        self.fields = {}
        for path, *number in numbers(world.record, ranges):
            self.fields.setdefault(path, []).append(number)
        batch = Batch(world, 4, compiled=BOUNDSCHECK)
        batch.start(0)  # compiled by then
        start = time.process_time()
        while len(self.states) < 4 * steps and time.process_time() - start < seconds:
            self.states += [record.tobytes() for record in batch.records]
            batch.step(random_actions(batch.masks, rng))

    def forged(self):
        """The changed bytes of one of the states, and a word on the change."""
        kind = self.rng.choice(list(KINDS), p=list(KINDS.values()))
        return forged(self.states[self.rng.integers(len(self.states))], self.fields, kind, self.rng)


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


def played_as_python(forger):
    """The numbers of refused and of played records."""
    world, start = forger.world, time.process_time()
    batch = Batch(world, 1, compiled=False)
    refused = played = 0
    while refused + played < MOST and time.process_time() - start < SECONDS:
        data, what = forger.forged()
        try:
            with limited(), batch.restored(data):
                pass
        except SnapshotError:
            refused += 1
            continue
        except Exception as error:
            raise AssertionError(f"{what}: loading raised {type(error).__name__}: {error}") from error
        try:
            with limited():
                play(world, batch, forger.rng)
        except Exception as error:
            raise AssertionError(f"{what}: playing on raised {type(error).__name__}: {error}") from error
        played += 1
    return refused, played


def played_as_machine_code(forger):
    """The numbers of refused and of played records."""
    world, admitted = forger.world, []
    for data, what in (forger.forged() for _ in range(MOST)):
        with limited(), contextlib.suppress(SnapshotError):
            world.admit(np.frombuffer(data, world.record))
            admitted.append((data, what))
    batch, policy = Batch(world, len(admitted)), make_policy("random", world)
    batch.records[:] = np.frombuffer(b"".join(data for data, _ in admitted), world.record)
    policy.reset(0, batch.num)
    at_once(batch, batch.observe, admitted)
    stuck = ~batch.finished & ~batch.acting.any(axis=1)  # refused where a snapshot is loaded
    batch.start(where=stuck)
    for _ in range(STEPS):
        actions = policy.act_in(batch, range(len(world.agents)))
        at_once(batch, lambda actions=actions: batch.step(actions), admitted)
    refused = MOST - len(admitted) + int(stuck.sum())
    return refused, MOST - refused


def at_once(batch, call, admitted, seconds=60):
    """Let another thread run machine code, which no signal stops; a failure names the record that it was at."""
    batch.rewards[:] = np.nan  # the first thing that a record's turn overwrites
    raised = ["no end"]

    def run():
        try:
            call()
            raised.clear()
        except Exception as error:
            raised[:] = [f"{type(error).__name__}: {error}"]

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        at = np.isnan(batch.rewards).all(axis=1).tolist().index(True) - 1 if np.isnan(batch.rewards).any() else -1
        raise AssertionError(f"{admitted[at][1]}: {raised[0]}")


@pytest.mark.slow
@pytest.mark.parametrize("id", envsuite.ids())
def test_forged_records_are_refused_or_played(id, counted):
    rng = np.random.default_rng(zlib.crc32(f"{id} {registry.__version__}".encode()))
    forger = Forger(registry.build(id), rng, steps=60, seconds=SECONDS / 4)
    refused, played = (played_as_machine_code if BOUNDSCHECK else played_as_python)(forger)
    counted("forged records refused", refused)
    counted("forged records played", played)
    assert refused
