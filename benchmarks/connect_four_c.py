"""ConnectFour against the same kernel in C, compiled here with the system's compiler: observations, masks and all."""

from __future__ import annotations

import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from envsuite.core.batch import BOTH, RESET, STEP, Batch
from envsuite.games.connect_four import ConnectFour

SOURCE = Path(__file__).parent / "c" / "connect_four.c"
REPETITIONS = 15


class InC:
    """The buffers of a batch, moved by the C kernel."""

    def __init__(self, library: ctypes.CDLL, num: int):
        self.buffers = [
            np.zeros(num * library.record_size(), np.uint8),
            np.zeros((num, 2), np.int64),
            np.zeros(num, np.int8),
            np.zeros((num, 2, 6, 7, 2), np.int8),
            np.zeros((num, 2, 7), np.int8),
            np.zeros((num, 2), np.int8),
            np.zeros((num, 2), np.float64),
            np.zeros((num, 2), np.bool_),
            np.zeros((num, 2), np.bool_),
        ]
        _, self.actions, self.commands, self.observations, self.masks, _, self.rewards, *self.ends = self.buffers
        self._run, self._arguments = library.run, [x.ctypes.data for x in self.buffers]
        self._arguments.append(num)

    def run(self) -> None:
        assert self._run(*self._arguments) == -1


class Ours:
    """A batch of envsuite."""

    def __init__(self, num: int):
        self.batch = Batch(ConnectFour(), num)
        self.actions, self.commands = self.batch.actions, self.batch.commands
        self.observations, self.masks, self.rewards = self.batch.observations, self.batch.masks, self.batch.rewards
        self.ends = [self.batch.terminations, self.batch.truncations]
        self._entry = self.batch.entry
        self._arguments = (*self.batch.buffers, 0, num, BOTH, *self.batch.mode)

    def run(self) -> None:
        assert self._entry(*self._arguments) == -1


def compiled(folder: str) -> ctypes.CDLL:
    """The C kernel, compiled into this folder."""
    target = str(Path(folder) / "connect_four.so")
    subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", str(SOURCE), "-o", target], check=True)
    library = ctypes.CDLL(target)
    library.record_size.restype = library.run.restype = ctypes.c_int64
    library.run.argtypes = [ctypes.c_void_p] * 9 + [ctypes.c_int64]
    return library


def script(num: int, steps: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Commands and random legal actions of so many steps from the start; episodes begin anew at their end."""
    rng = np.random.default_rng(0)
    batch = Batch(ConnectFour(), num)
    batch.reset()
    entries = []
    for _ in range(steps):
        batch.commands[:] = np.where(batch.over(), RESET, STEP)
        batch.actions[:] = (rng.random(batch.masks.shape) * batch.masks).argmax(axis=2)
        entries.append((batch.commands.copy(), batch.actions.copy()))
        batch.run()
    return entries


def play(side: InC | Ours, entries: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """The seconds that the kernel takes for the script."""
    side.commands[:] = RESET
    side.run()
    seconds = 0.0
    for commands, actions in entries:
        side.commands[:] = commands
        side.actions[:] = actions
        start = time.perf_counter()
        side.run()
        seconds += time.perf_counter() - start
    return seconds


def check(ours: Ours, theirs: InC, entries: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Both give the same observations, masks, rewards and ends at every step of the script."""
    for commands, actions in [(np.full(len(ours.commands), RESET), ours.actions * 0), *entries]:
        for side in (ours, theirs):
            side.commands[:] = commands
            side.actions[:] = actions
            side.run()
        for one, other in zip(
            (ours.observations, ours.masks, ours.rewards, *ours.ends),
            (theirs.observations, theirs.masks, theirs.rewards, *theirs.ends),
        ):
            assert np.array_equal(one, other), "the C kernel and ours differ"


def measure(num_envs: int = 1024, steps: int = 500) -> tuple[float, float]:
    """Nanoseconds per step of one world, ours and C's: medians of interleaved repetitions of the same script."""
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Ours(num_envs), InC(compiled(folder), num_envs)
        entries = script(num_envs, steps)
        check(ours, theirs, entries)
        seconds = [(play(ours, entries), play(theirs, entries)) for _ in range(REPETITIONS)]
    scale = 1e9 / (num_envs * steps)
    return tuple(statistics.median(column) * scale for column in zip(*seconds))  # type: ignore[return-value]


if __name__ == "__main__":
    num, steps = (int(x) for x in (sys.argv[1:] + ["1024", "500"])[:2])
    ours, theirs = measure(num, steps)
    print(f"{num} worlds: {ours:.1f} ns per step, C {theirs:.1f} ns, C / ours {theirs / ours:.2f}")
