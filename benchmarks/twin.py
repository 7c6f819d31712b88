"""Worlds against the same kernels in C, compiled here with the system's compiler: observations, masks, resets and all.

    python benchmarks/twin.py [WORLDS [STEPS]]

A twin has the world's records, byte for byte, draws from the same random streams, and fills the same buffers.
"""

from __future__ import annotations

import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from envsuite.core.batch import BOTH, RESET, Batch, stream_starts
from envsuite.registry import build

#: The twins, and worlds that they are twins of.
TWINS = {"envsuite/ConnectFour-v0": "connect_four.c", "envsuite/DoorKey-v0": "door_key.c"}
REPETITIONS = 15
Script = list[tuple[np.ndarray, np.ndarray]]


class Side:
    """A batch of envsuite."""

    def __init__(self, id: str, num: int):
        self.batch = Batch(build(id), num)
        self.buffers = self.batch.buffers
        self._run, self._arguments = self.batch.entry, (*self.buffers, 0, num, BOTH, *self.batch.mode)

    def run(self) -> None:
        assert self._run(*self._arguments) == -1

    def play(self, script: Script) -> float:
        """The seconds that the kernel takes for the script, from the start of the streams."""
        records, actions, commands, *_ = self.buffers
        records["rng"] = stream_starts(range(len(records)))
        seconds = 0.0
        for some_commands, some_actions in script:
            commands[:] = some_commands
            actions[:] = some_actions
            start = time.perf_counter()
            self.run()
            seconds += time.perf_counter() - start
        return seconds


class InC(Side):
    """The like buffers, moved by the C kernel."""

    def __init__(self, library: ctypes.CDLL, like: Side):
        self.buffers = tuple(buffer.copy() for buffer in like.buffers)
        records = self.buffers[0]
        assert library.record_size() == records.itemsize, "the C record differs from ours"
        self._run, self._arguments = library.run, (*[buffer.ctypes.data for buffer in self.buffers], len(records))


def compiled(source: str, folder: str) -> ctypes.CDLL:
    """A C kernel, compiled into this folder."""
    path, target = Path(__file__).parent / "c" / source, str(Path(folder) / "twin.so")
    exact = "-ffp-contract=off"  # results are compared bit for bit
    subprocess.run(["cc", "-O3", "-march=native", exact, "-shared", "-fPIC", str(path), "-o", target], check=True)
    library = ctypes.CDLL(target)
    library.record_size.restype = library.run.restype = ctypes.c_int64
    library.run.argtypes = [ctypes.c_void_p] * 10 + [ctypes.c_int64]
    return library


def script(id: str, num: int, steps: int) -> Script:
    """Commands and random legal actions of `steps` steps from the start; episodes begin again at their end."""
    rng = np.random.default_rng(0)
    batch = Batch(build(id), num)
    entries = [(np.full(num, RESET), batch.actions.copy())]
    batch.start(0)
    for _ in range(steps):
        batch.actions[:] = (rng.random(batch.masks.shape) * batch.masks).argmax(axis=2)
        entries.append((batch.commands.copy(), batch.actions.copy()))
        batch.step()
    return entries


def check(ours: Side, theirs: Side, entries: Script) -> None:
    """AssertionError unless both put out the same, and have the same records, at every step of the script."""
    for side in (ours, theirs):
        side.play(entries[:1])
    for commands, actions in entries[1:]:
        for side in (ours, theirs):
            side.buffers[1][:] = actions
            side.buffers[2][:] = commands
            side.run()
        for one, other in zip(ours.buffers, theirs.buffers):
            assert np.array_equal(one, other), "the C kernel and ours differ"


def measure(id: str, num: int = 1024, steps: int = 500) -> tuple[float, float]:
    """Nanoseconds per step of one world, ours and C's: medians of interleaved repetitions of the same script."""
    with tempfile.TemporaryDirectory() as folder:
        ours = Side(id, num)
        theirs = InC(compiled(TWINS[id], folder), ours)
        entries = script(id, num, steps)
        check(ours, theirs, entries)
        seconds = [(ours.play(entries), theirs.play(entries)) for _ in range(REPETITIONS)]
    scale = 1e9 / (num * len(entries))
    return tuple(statistics.median(column) * scale for column in zip(*seconds))  # type: ignore[return-value]


if __name__ == "__main__":
    num, steps = (int(x) for x in (sys.argv[1:] + ["1024", "500"])[:2])
    for id in TWINS:
        ours, theirs = measure(id, num, steps)
        print(f"{id}, {num} worlds: {ours:.1f} ns per step, C {theirs:.1f} ns, C / ours {theirs / ours:.2f}")
