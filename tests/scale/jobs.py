"""Jobs for the tests, which other processes import."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from envsuite.scale import Chain, Job


@dataclass
class Squares(Job):
    """The squares of the numbers below `blocks`, some seconds each."""

    blocks: int
    seconds: float = 0.0
    stamp: str = "1"

    kind = "squares"

    def header(self):
        return {"kind": self.kind}

    def key(self, k):
        return {"block": k}

    def code(self):
        return self.stamp

    def units(self, k):
        return 1

    def work(self, k, progress=None):
        time.sleep(self.seconds)
        if progress is not None:
            progress(1)
        return {"square": np.array([k * k])}

    def fits(self, k, part):
        return part["square"].shape == (1,)

    def reduce(self, parts):
        return [int(part["square"][0]) for part in parts]


@dataclass
class Deadly(Squares):
    """Block 3 kills its process, once for each of the files in a folder."""

    folder: str = ""

    def work(self, k, progress=None):
        left = list(Path(self.folder).iterdir()) if k == 3 else []
        if left:
            left[0].unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().work(k)


class Edited(Squares):
    """Its code differs between processes."""

    def code(self):
        return str(os.getpid())


class Unequal(Squares):
    """So do its results."""

    def work(self, k, progress=None):
        return {"square": np.array([os.getpid()])}


class Failing(Squares):
    """Its last block raises an error, of a kind that only this class knows."""

    def work(self, k, progress=None):
        if k == self.blocks - 1:
            raise type("Local", (ValueError,), {})("block 2 fails")
        return super().work(k)


@dataclass
class Sums(Chain, Squares):
    """Chains of four blocks that add up the numbers from 10 times the chain's; block 2 may kill its process."""

    folder: str = ""
    kind = "sums"
    segments = 4

    def work(self, k, progress=None):
        return self.resume(k, {"sum": np.zeros(1, np.int64)}, progress)

    def resume(self, k, earlier, progress=None):
        left = list(Path(self.folder).iterdir()) if k == 2 and self.folder else []
        if left:
            left[0].unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        if progress is not None:
            progress(1)
        return {"sum": earlier["sum"] + 10 * (k // 4) + k % 4}

    def fits(self, k, part):
        return part["sum"].shape == (1,)

    def reduce(self, parts):
        return [int(part["sum"][0]) for part in parts]


class Compiled(Squares):
    """The numbers of functions that processes compile for the same world; each block waits for the others to begin."""

    def work(self, k, progress=None):
        from numba.core import event

        from envsuite.interfaces.vector import Vector

        Path(self.stamp, str(k)).touch()
        until = time.monotonic() + 60
        while len(list(Path(self.stamp).iterdir())) < self.blocks and time.monotonic() < until:
            time.sleep(0.01)
        with event.install_recorder("numba:compile") as found:
            Vector("envsuite/KuhnPoker-v0", 2).rollout("random", 3, 0)
        return {"square": np.array([sum(one.is_start for _, one in found.buffer)])}
