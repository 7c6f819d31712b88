"""`Job`: work that is cut into blocks, each a pure function of the job and its number."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from envsuite import registry

#: The results of a block: arrays by name.
Part = dict[str, np.ndarray]


class Job:
    """Work in blocks. A subclass is one kind of job; its objects can be pickled.

    The number and content of the blocks must depend on the job alone, never on the number of workers.

    Attributes:
        kind: the name of the kind.
        blocks: the number of blocks.
    """

    kind: str
    blocks: int

    def header(self) -> dict[str, Any]:
        """What all blocks of a ledger have in common, as plain data for JSON."""
        raise NotImplementedError

    def key(self, k: int) -> dict[str, Any]:
        """What distinguishes block k from other blocks with the same header, as plain data for JSON."""
        raise NotImplementedError

    def code(self) -> str:
        """A stamp of the sources that decide the results."""
        raise NotImplementedError

    def units(self, k: int) -> int:
        """The size of block k, in what progress is counted in: episodes, levels, transitions."""
        raise NotImplementedError

    def work(self, k: int, progress: Callable[[int], None] | None = None) -> Part:
        """The results of block k; calls `progress` with the units that have just been finished."""
        raise NotImplementedError

    def fits(self, k: int, part: Part) -> bool:
        """Whether these arrays, read from a file, can be the results of block k."""
        raise NotImplementedError

    def before(self, k: int) -> int | None:
        """The block whose results block k continues from, or None if it depends on no other block."""
        return None

    @property
    def last(self) -> range:
        """The blocks from which no other block continues."""
        return range(self.blocks)

    def reduce(self, parts: Sequence[Part]) -> Any:
        """The result of the job from the results of the blocks `last`, in their order."""
        raise NotImplementedError


class Chain(Job):
    """A job whose blocks form chains: each block continues from the results of the one before it.

    A chain is played by one worker at a time; workers share the chains. Since finished blocks are kept in a ledger, a
    long chain resumes in its middle. `work` plays the first block of a chain.

    Attributes:
        segments: the blocks of each chain. Chain c has blocks ``c * segments`` to ``(c + 1) * segments - 1``.
    """

    segments: int

    def before(self, k: int) -> int | None:
        return k - 1 if k % self.segments else None

    @property
    def last(self) -> range:
        return range(self.segments - 1, self.blocks, self.segments)

    def resume(self, k: int, earlier: Part, progress: Callable[[int], None] | None = None) -> Part:
        """The results of block k, which is not the first of its chain, from those of the block before it."""
        raise NotImplementedError


def played(job: Job, k: int, earlier: Part | None, progress: Callable[[int], None] | None = None) -> Part:
    """The results of block k, given those of the block that it continues from."""
    if earlier is None:
        return job.work(k, progress)
    assert isinstance(job, Chain)
    return job.resume(k, earlier, progress)


def software(jobs: Sequence[Job]) -> dict[str, str]:
    """What must be equal in all processes that share jobs, by name."""
    codes = hashlib.blake2b("\n".join(job.code() for job in jobs).encode(), digest_size=8).hexdigest()
    packages = {name: importlib.metadata.version(name) for name in ("numpy", "numba", "llvmlite")}
    return {
        "envsuite": registry.__version__,
        "code": codes,
        "Python": ".".join(platform.python_version_tuple()[:2]),
        **packages,
    }


def packed(data: Any) -> np.ndarray:
    """Plain data as an array of bytes, for results that are no numbers."""
    return np.frombuffer(json.dumps(data).encode(), np.uint8)


def unpacked(array: np.ndarray) -> Any:
    """The plain data in an array of bytes."""
    return json.loads(array.tobytes())


def digest(part: Part) -> str:
    """A digest of the names, types, shapes and bytes of arrays."""
    found = hashlib.blake2b(digest_size=16)
    for name in sorted(part):
        array = np.ascontiguousarray(part[name])
        found.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        found.update(array.tobytes())
    return found.hexdigest()
