"""Forged records: whatever a snapshot with a right checksum holds is refused, or played without a fault.

Per world, real states of some episodes are changed: all bytes random, zero or one, single bytes, single numbers to any
value and, most often, to a value within their range, which no range refuses. There are two layers.

- With ENVSUITE_BOUNDSCHECK (`make test-bounds`), 1,000 records a world. All that are not refused are played at once
  for 50 steps, as machine code with every array access checked.
- Without it, each field at both ends of its range, and then as many as Python checks and plays in one CPU second a
  world, or ENVSUITE_FUZZ seconds. Python also refuses an index below zero and a number that does not fit its field, and
  agents read their texts.

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
from shapes import every_world

from envsuite import registry
from envsuite.compile.switches import BOUNDSCHECK
from envsuite.core.batch import Batch
from envsuite.core.errors import SnapshotError
from envsuite.core.policy import make_policy, policies
from envsuite.testing import random_actions

SECONDS = float(os.environ.get("ENVSUITE_FUZZ", "1"))
STEPS, MOST, MEMORIES = 50, 1000, 300

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
    """Changes some of these states, bytes of records of this type."""

    def __init__(self, dtype, ranges, states, rng):
        self.states, self.rng, self.fields = states, rng, {}
        for path, *number in numbers(dtype, ranges):
            self.fields.setdefault(path, []).append(number)

    def at_ends(self):
        """Each field's first and last number at both ends of its range: changed bytes, and a word on the change."""
        for name, places in self.fields.items():
            for dtype, at, low, high in {places[0][1]: places[0], places[-1][1]: places[-1]}.values():
                limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
                for end in (limits.min, limits.max) if low is None else (low.min(), high.max()):
                    data = bytearray(self.states[self.rng.integers(len(self.states))])
                    data[at : at + dtype.itemsize] = np.array(end, dtype).tobytes()
                    yield bytes(data), f"{'.'.join(name)} = {end}"

    def forged(self):
        """The number of a state, its changed bytes, and a word on the change."""
        kind = self.rng.choice(list(KINDS), p=list(KINDS.values()))
        at = int(self.rng.integers(len(self.states)))
        return at, *forged(self.states[at], self.fields, kind, self.rng)


def seeded(*words):
    """Random numbers that are others for each world and each release."""
    return np.random.default_rng(zlib.crc32(" ".join([*words, registry.__version__]).encode()))


def forger_of(world, steps, seconds):
    """A forger of real records, of the first steps of some episodes."""
    rng, states = seeded(world.id), []
    batch = Batch(world, 4, compiled=BOUNDSCHECK)
    batch.start(0)  # compiled by then
    start = time.process_time()
    while len(states) < 4 * steps and time.process_time() - start < seconds:
        states += [record.tobytes() for record in batch.records]
        batch.step(random_actions(batch.masks, rng))
    return Forger(world.record, {path: ends for path, *ends in world.ranges._checks}, states, rng)


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


def play(world, batch, rng, steps=STEPS):
    """Some steps with random legal actions, into the next episode, and all texts."""
    for _ in range(steps):
        if batch.finished[0]:
            batch.start()
        batch.step(random_actions(batch.masks, rng))
    for a in range(len(world.agents)):
        world.text(batch.record(), a)


def played_as_python(world, forger):
    """The numbers of refused and of played records."""
    batch = Batch(world, 1, compiled=False)
    played = [plays(world, batch, forger, *found, steps=3) for found in forger.at_ends()]
    start = time.process_time()
    while len(played) < MOST and time.process_time() - start < SECONDS:
        _, data, what = forger.forged()
        played.append(plays(world, batch, forger, data, what))
    return len(played) - sum(played), sum(played)


def plays(world, batch, forger, data, what, steps=STEPS):
    """Whether these bytes are played, not refused; any other end is an error."""
    doing = "loading"
    try:
        with limited(), batch.restored(data):
            doing = "playing on"
        with limited():
            play(world, batch, forger.rng, steps)
    except SnapshotError:
        assert doing == "loading", f"{what}: refused while playing"
        return False
    except Exception as error:
        raise AssertionError(f"{what}: {doing} raised {type(error).__name__}: {error}") from error
    return True


def played_as_machine_code(world, forger):
    """The numbers of refused and of played records."""
    admitted = []
    for _, data, what in (forger.forged() for _ in range(MOST)):
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


def at_once(batch, call, admitted):
    """Let machine code run; a failure names the record that it was at."""
    batch.rewards[:] = np.nan  # the first thing that a record's turn overwrites
    if problem := fault(call):
        untouched = np.isnan(batch.rewards).all(axis=1)
        at = int(untouched.argmax()) - 1 if untouched.any() else -1
        raise AssertionError(f"{admitted[at][1]}: {problem}")


def fault(call, seconds=60):
    """The error that a call raises, or that it does not end; it has a thread, as no signal stops machine code."""
    found = ["no end"]

    def run():
        try:
            call()
            found[0] = ""
        except Exception as error:
            found[0] = f"{type(error).__name__}: {error}"

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0]


@pytest.mark.slow
@pytest.mark.parametrize("id", every_world())
def test_forged_records_are_refused_or_played(id, counted):
    world = registry.build(id)
    forger = forger_of(world, steps=60, seconds=SECONDS / 4)
    refused, played = (played_as_machine_code if BOUNDSCHECK else played_as_python)(world, forger)
    counted("forged records refused", refused)
    counted("forged records played", played)
    assert refused or (played and not BOUNDSCHECK)  # as Python, there may be time for a few only


def memories_of(world, policy, rng, steps=60):
    """A forger of real memories, of all agents of a world together; the records that they belong to."""
    batch, states, records = Batch(world, 4, compiled=BOUNDSCHECK), [], []
    batch.start(0)
    policy.reset(0, 4)
    for _ in range(steps):
        states += [memory.tobytes() for memory in policy.memories]
        records += list(batch.records.copy())
        batch.step(policy.act_in(batch, range(len(world.agents))))
        policy.refresh(batch.finished)
    dtype = np.dtype([("memory", policy.memories.dtype, len(world.agents))])
    ranges = {("memory", *path): ends for path, *ends in policy.ranges._checks}
    return Forger(dtype, ranges, states, rng), records


def play_on(policy, world, memories, records):
    """Steps of worlds with such memories."""
    batch = Batch(world, len(records), on_illegal="noop", compiled=BOUNDSCHECK)
    batch.records[:] = np.stack(records)
    batch.observe()
    policy.set_state(b"".join(memories))
    for _ in range(STEPS if BOUNDSCHECK else STEPS // 5):
        batch.step(policy.act_in(batch, range(len(world.agents))))
        policy.refresh(batch.finished)


@pytest.mark.slow
@pytest.mark.parametrize("id", every_world())
def test_forged_memories_of_policies_are_refused_or_used(id, counted):
    """All policies as machine code with bounds checks; as Python, one, and few memories."""
    world, rng, refused = registry.build(id), seeded(id, "memories"), 0
    names = [name for name, spec in policies(id).items() if spec.variables]
    for name in names if BOUNDSCHECK else names and [rng.choice(names)]:
        policy = make_policy(name, world)
        forger, records = memories_of(world, policy, rng, steps=60 if BOUNDSCHECK else 10)
        admitted = []
        for at, data, what in (forger.forged() for _ in range(MEMORIES if BOUNDSCHECK else 4)):
            try:
                policy.set_state(data)
                admitted.append((data, records[at], what))
            except SnapshotError:
                refused += 1
        counted("forged memories used", len(admitted))
        memories, kept, _ = zip(*admitted)
        if problem := fault(lambda policy=policy, memories=memories, kept=kept: play_on(policy, world, memories, kept)):
            for data, record, what in admitted:  # which one it was
                alone = fault(lambda policy=policy, one=([data], [record]): play_on(policy, world, *one))
                assert not alone, f"{name}: {what}: {alone}"
            raise AssertionError(f"{name}: {problem}")
    counted("forged memories refused", refused)
