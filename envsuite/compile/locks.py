"""Locks between the processes that share a cache folder: bytes of one file, each free again when its holder ends.

And the lock of this process, for which a fork waits.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows: processes may compile the same code twice
    fcntl = None  # type: ignore[assignment]

from envsuite.compile.cache import cache_folder

#: The first bytes stand for the processes that compile in the background; names have others.
_SLOTS, _NAMES = 2**10, 2**40

#: Seconds between two tries, and after which a process that compiles may be one that has been halted.
_PAUSE, _PATIENCE = 0.05, 120.0

#: The bytes that this process holds: its own locks are not in its way.
_held: set[int] = set()

#: Held while a thread compiles. A fork waits for it: in the child, no thread would release the locks of Numba and of
#: the imports that it needs.
_compiling = threading.RLock()


@cache
def _let_forks_wait() -> None:
    if hasattr(os, "register_at_fork"):
        import logging  # noqa: F401 - Numba takes its lock, and of these functions, the last one runs first

        os.register_at_fork(
            before=_compiling.acquire, after_in_parent=_compiling.release, after_in_child=_compiling.release
        )


def uninterrupted_by_fork(function: Callable) -> Any:
    """A function during which no other thread forks this process or runs such a function."""

    @wraps(function)
    def run(*arguments: Any) -> Any:
        with _compiling:
            _let_forks_wait()
            return function(*arguments)

    return run


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """While this runs, no other process compiles into the file `path`; a process that does not finish is ignored."""
    byte, until = _byte(path), time.monotonic() + _PATIENCE
    while not (taken := _take(byte)) and time.monotonic() < until:
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        if taken:
            _leave(byte)


def is_locked(path: Path) -> bool:
    """Whether a process compiles into this file."""
    byte = _byte(path)
    if byte in _held:
        return True
    free = _take(byte)
    if free:
        _leave(byte)
    return not free


@contextmanager
def one_of_the_cores() -> Iterator[None]:
    """While this runs, at most as many processes as there are cores run such a block; it waits until one is free."""
    while (byte := next((k for k in range(cores()) if _take(k)), None)) is None:
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        _leave(byte)


@cache
def _file() -> int | None:
    """The open file, which is never closed: that would end all locks of the process."""
    try:
        return os.open(cache_folder() / "locks", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        return None


def _byte(path: Path) -> int:
    return _SLOTS + int.from_bytes(hashlib.blake2b(path.name.encode(), digest_size=5).digest(), "little") % _NAMES


def _take(byte: int) -> bool:
    """Take a byte, or say that another process has it; where files cannot be locked, it is free."""
    file = _file()
    if fcntl is not None and file is not None:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:  # this file system has no locks
            return True
    _held.add(byte)
    return True


def _leave(byte: int) -> None:
    _held.discard(byte)
    file = _file()
    if fcntl is not None and file is not None:
        try:
            fcntl.lockf(file, fcntl.LOCK_UN, 1, byte)
        except OSError:
            return
