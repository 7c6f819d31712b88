"""When code is compiled: templates that run as Python first, and as machine code once that pays.

To start a world as Python takes a millisecond, to compile it seconds. So a `Tiered` entry runs as Python until that has
taken longer than compiling may be worth. Then it either compiles in this process, or, for one world that somebody
watches or steps, another process compiles into the cache while this one continues as Python. Between two calls
the machine code takes over. The results are the same, byte for byte.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from envsuite.core.kernel import Bound
from envsuite.core.switches import BOUNDSCHECK, LAZY, PYTHON

#: Seconds of Python before code is compiled, and before code is loaded that is in the cache.
_WORTH_COMPILING, _WORTH_LOADING = 1.0, 0.2

#: Seconds between two looks at what the other process has done.
_INTERVAL = 0.1

#: How vectors run unless they are told.
VECTORS = None if LAZY else True

#: Compiling processes, by the files that they make; as many at a time as there are cores.
_processes: dict[str, subprocess.Popen] = {}


class Tiered:
    """An entry of a bound template that becomes machine code when that pays.

    With `join`, the template has parameters `first` and `last`, and does for the records first .. last - 1 what it does
    for each of them. They are then run one by one, so that machine code can take over in between.

    Args:
        bound: the template.
        order: a function that compiles it, for another process to call; without it, this process compiles.
        join: what makes one number of those that two parts of a call return.

    Attributes:
        machine: the machine code, None until it is there.
    """

    def __init__(self, bound: Bound, order: Callable[[], Any] | None, join: Callable[[int, int], int] | None):
        self.bound, self._join = bound, join
        self.machine: Callable | None = None
        self._first = 0 if join is None else bound.python.__code__.co_varnames.index("first")
        self._order = None if LAZY else order
        self._spent, self._next = 0.0, _WORTH_LOADING
        self._loader: threading.Thread | None = None

    def __call__(self, *arguments: Any) -> Any:
        if self.machine is not None:
            return self.machine(*arguments)
        if self._join is None or arguments[self._first + 1] - arguments[self._first] == 1:
            return self._interpret(arguments)
        before, (first, last, *after) = arguments[: self._first], arguments[self._first :]
        found = self._interpret((*before, first, first + 1, *after))
        for i in range(first + 1, last):
            if self.machine is not None:
                return self._join(found, self.machine(*before, i, last, *after))
            found = self._join(found, self._interpret((*before, i, i + 1, *after)))
        return found

    def _interpret(self, arguments: tuple[Any, ...]) -> Any:
        start = time.perf_counter()
        found = self.bound.interpreted(*arguments)
        self._spent += time.perf_counter() - start
        if self._spent >= self._next and not PYTHON:
            self._next = self._spent + _INTERVAL
            self._rise(arguments)
        return found

    def _rise(self, arguments: tuple[Any, ...]) -> None:
        """See to it that there is machine code for such arguments."""
        file = self.bound.cache_file(arguments)
        if self._loader is not None:
            return
        if self._order is None:
            if self._spent >= _WORTH_COMPILING or file.exists():
                self.machine = self.bound.entry(*arguments)
        elif file.exists():
            self._loader = threading.Thread(target=self._load, args=arguments, name="envsuite loads")
            self._loader.start()
        elif str(file) in _processes:
            if _processes[str(file)].poll() is not None:  # it has failed: this process says why
                self._order = None
        elif sum(process.poll() is None for process in _processes.values()) < (os.cpu_count() or 1):
            _processes[str(file)] = _compiling(self._order)

    def _load(self, *arguments: Any) -> None:
        self.machine = self.bound.entry(*arguments)


#: What has been started, by template, types of arguments, and whether in the background.
_tiers: dict[Any, Tiered] = {}


def entry(
    bound: Bound,
    arguments: tuple[Any, ...],
    compiled: bool | None = None,
    order: Callable[[], Any] | None = None,
    join: Callable[[int, int], int] | None = None,
) -> Callable:
    """What runs a bound template on such arguments.

    Args:
        bound: the template.
        arguments: some arguments.
        compiled: machine code (True), Python (False), or one after the other (None).
        order: a function that compiles it, for another process to call; without it, this process compiles.
        join: see `Tiered`.
    """
    if compiled is False or PYTHON:
        return bound.interpreted
    kinds = bound.kinds(arguments)
    if compiled or BOUNDSCHECK or bound.is_compiled(kinds):
        return bound.entry(*arguments)
    key = bound, kinds, order is None
    return _tiers.get(key) or _tiers.setdefault(key, Tiered(bound, order, join))


def _compiling(order: Callable[[], Any]) -> subprocess.Popen:
    """A process that carries out this order; it goes on when this one ends, for the next start to be quick."""
    process = subprocess.Popen(
        [sys.executable, "-m", "envsuite.core.tiers"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(pickle.dumps((sys.path, order)))
        process.stdin.close()
    return process


def _serve() -> None:
    """Carry out an order from standard input."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(5)
    sys.path[:], order = pickle.load(sys.stdin.buffer)
    order()


@contextlib.contextmanager
def announced(what: str) -> Iterator[None]:
    """Show in a terminal what is being compiled, if it takes longer than a second."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    status = Console(stderr=True).status(f"compiling {what}, once for this version ...")
    timer = threading.Timer(1.0, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        status.stop()


if __name__ == "__main__":
    _serve()
