"""Harvest against the same kernel in C (`c/harvest.c`), on the same maps, with the same random actions."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from envsuite.core.batch import Batch, stream_starts
from envsuite.social.harvest import Harvest

SOURCE = Path(__file__).parent / "c" / "harvest.c"


class Compiled:
    """`num` worlds in C, with their buffers."""

    def __init__(self, maps: np.ndarray, seeds: range):
        folder = tempfile.mkdtemp(prefix="envsuite-")
        library = Path(folder) / "harvest.so"
        subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", str(SOURCE), "-o", str(library)], check=True)
        self.code = ctypes.CDLL(str(library))
        library.unlink()
        Path(folder).rmdir()
        self.code.harvest_size.restype = ctypes.c_size_t
        self.num = len(maps)
        self.worlds = np.zeros((self.num, self.code.harvest_size()), np.uint8)
        self.actions = np.zeros((self.num, 7), np.int64)
        self.slots = np.zeros((self.num, 7, 128), np.uint8)
        self.rewards = np.zeros((self.num, 7))
        self.terminated = np.zeros((self.num, 7), np.uint8)
        self.truncated = np.zeros((self.num, 7), np.uint8)
        self.maps = np.ascontiguousarray(maps, np.uint8)
        self.seeds = stream_starts(seeds)
        buffers = (self.worlds, self.actions, self.slots, self.rewards, self.terminated, self.truncated)
        pointers = [ctypes.c_void_p(buffer.ctypes.data) for buffer in buffers]
        self.call = (pointers[0], ctypes.c_long(self.num), *pointers[1:])
        self.reset()

    def reset(self) -> None:
        maps, seeds, slots = (ctypes.c_void_p(buffer.ctypes.data) for buffer in (self.maps, self.seeds, self.slots))
        self.code.harvest_reset(self.call[0], self.call[1], maps, seeds, slots)

    @property
    def views(self) -> np.ndarray:
        return self.slots[:, :, :121].reshape(self.num, 7, 11, 11)

    def run(self) -> None:
        self.code.harvest_step(*self.call)


def both(num_envs: int) -> tuple[Batch, Compiled]:
    """The same worlds of both kinds, just reset, with the same maps and streams."""
    world = Harvest()
    maps = Batch(world, num_envs)
    maps.start(0)
    ours = Batch(world, num_envs)
    ours.start(0, [world.get_level(maps.record(i)) for i in range(num_envs)])
    return ours, Compiled(maps.records["map"], range(num_envs))


def check(num_envs: int = 16, steps: int = 1200) -> None:
    """AssertionError unless both put out the same: they draw from the same streams in the same order."""
    ours, theirs = both(num_envs)
    rng = np.random.default_rng(1)
    for _ in range(steps):
        theirs.actions[...] = ours.actions[...] = rng.integers(0, 8, ours.actions.shape)
        running = ~ours.over()
        ours.step(where=running)
        theirs.run()
        for a, b in (
            (ours.observations["view"], theirs.views),
            (ours.observations["ready"][..., 0], theirs.slots[:, :, 124:].copy().view(np.float32)[..., 0]),
            (ours.rewards, theirs.rewards),
            (ours.terminations, theirs.terminated),
        ):
            np.testing.assert_array_equal(a[running], b[running])


def measure(num_envs: int, steps: int, repetitions: int = 21) -> tuple[float, float]:
    """Nanoseconds per step of one world with its seven observations, ours and C's: medians of interleaved repetitions.

    Each repetition takes `steps` steps, 1098 at most, from fresh episodes; nothing ends within them.
    """
    ours, theirs = both(num_envs)
    rng = np.random.default_rng(0)
    actions = rng.integers(0, 8, (64, num_envs, 7))
    times: tuple[list[float], list[float]] = ([], [])
    for repetition in range(repetitions):
        order = ((ours, times[0]), (theirs, times[1]))
        for worlds, kept in order if repetition % 2 else order[::-1]:
            worlds.start() if worlds is ours else worlds.reset()
            spent = 0.0
            for k in range(steps):
                worlds.actions[...] = actions[k % 64]
                start = perf_counter()
                worlds.run()
                spent += perf_counter() - start
            kept.append(spent / steps / num_envs * 1e9)
    return float(np.median(times[0])), float(np.median(times[1]))


if __name__ == "__main__":
    check()
    for num_envs in (1, 256, 1024):
        a, b = measure(num_envs, max(40, 20_000 // num_envs))
        print(f"{num_envs:5} worlds: {a:6.0f} ns per step, C {b:6.0f} ns: {b / a:.2f} of C's speed")
