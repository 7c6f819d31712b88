"""When code is compiled: templates that run as Python first, and as machine code once that pays.

To start a world as Python takes a millisecond; to compile it takes seconds. So a `Tiered` entry runs as Python until
that has taken so long that compiling may be worthwhile. Then it compiles in this process; or, for one world that a user
watches or steps, another process compiles into the cache while this one continues as Python. The machine code takes
over between two calls. The results are the same, byte for byte.
"""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from envsuite.compile import announce
from envsuite.compile.bound import Bound
from envsuite.compile.cache import cache_folder
from envsuite.compile.locks import cores, is_locked, one_of_the_cores, uninterrupted_by_fork
from envsuite.compile.switches import BOUNDSCHECK, LAZY, PYTHON
from envsuite.core.errors import KernelError

if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
    warnings.warn("NUMBA_DISABLE_JIT is set: all rules and policies run as Python, much more slowly", stacklevel=2)

#: Seconds of Python before code is compiled, and before code is loaded that is in the cache.
_WORTH_COMPILING, _WORTH_LOADING = 1.0, 0.2

#: Seconds between two checks on the other process.
_INTERVAL = 0.1

#: Seconds after which a call shows the user that it waits for machine code.
_SLOW = 0.05

#: How vectors run by default.
VECTORS = None if LAZY else True

#: Compiling processes, by the files that they make; as many at a time as there are cores.
_processes: dict[Path, subprocess.Popen] = {}


class Tiered:
    """An entry of a bound template that becomes machine code when that pays.

    With `join`, the template has parameters `first` and `last` and handles each of the records first .. last - 1
    independently. They are then run one by one, and machine code can take over in between.

    Args:
        bound: the template.
        order: a function that compiles it, for another process to call; without it, this process compiles.
        join: the function that combines the numbers returned by two parts of a call.

    Attributes:
        machine: the machine code, None until it is there.
    """

    def __init__(self, bound: Bound, order: Callable[[], Any] | None, join: Callable[[int, int], int] | None):
        self.bound, self._join = bound, join
        self.machine: Callable | None = None
        self._first = 0 if join is None else bound.python.__code__.co_varnames.index("first")
        self._order = None if LAZY else order
        self._spent, self._next = 0.0, _WORTH_LOADING
        self._file: Path | None = None
        self._since = 0.0
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
        spent = time.perf_counter() - start
        self._spent += spent
        if self._spent >= self._next and not PYTHON:
            self._next = self._spent + _INTERVAL
            self._rise(arguments)
            if spent >= _SLOW and self.machine is None:
                announce.wait_for(self, self.bound.title, self._since, self._is_there)
            else:
                announce.forget(self)
        return found

    def _is_there(self) -> bool:
        """Whether there is machine code, for the next call if not for this one."""
        return self.machine is not None or (self._loader is None and self._file is not None and self._file.exists())

    def _rise(self, arguments: tuple[Any, ...]) -> None:
        """See to it that there is machine code for such arguments."""
        if self._loader is not None:
            return
        if self._file is None:
            self._file, self._since = self.bound.cache_file(arguments), time.monotonic()
        file = self._file
        if self._order is None:
            if self._spent >= _WORTH_COMPILING or file.exists():
                self.machine = self.bound.entry(*arguments)
            return
        process = _processes.get(file)
        ended = process is not None and process.poll() is not None
        if not file.exists():
            if process is None and not is_locked(file):  # if it is, another process compiles it already
                ended = not _start(file, self._order)
            if not ended:
                return
        # It is there, or no other process can make it.
        self._loader = threading.Thread(target=self._load, args=arguments, name="envsuite loads")
        self._loader.start()

    @uninterrupted_by_fork
    def _load(self, *arguments: Any) -> None:
        try:
            self.machine = self.bound.entry(*arguments)
        except KernelError as problem:
            self._next = math.inf
            warnings.warn(f"{self.bound.title} stays in Python: it cannot be compiled: {problem}", stacklevel=2)
        announce.forget(self)


#: The compilations that have been started, by template, types of arguments, and whether in the background.
_tiers: dict[Any, Tiered] = {}


def entry(
    bound: Bound,
    arguments: tuple[Any, ...],
    compiled: bool | None = None,
    order: Callable[[], Any] | None = None,
    join: Callable[[int, int], int] | None = None,
) -> Callable:
    """The function that runs a bound template on such arguments.

    Args:
        bound: the template.
        arguments: some arguments, with all arrays that it will run on; see `Bound.check`.
        compiled: machine code (True), Python (False), or one after the other (None).
        order: a function that compiles it, for another process to call; without it, this process compiles.
        join: see `Tiered`.
    """
    bound.check(arguments)
    if compiled is False or PYTHON:
        return bound.interpreted
    found = bound.ready(arguments)
    if found is not None:
        return found
    if compiled or BOUNDSCHECK:
        return bound.entry(*arguments)
    key = bound, bound.kinds(arguments), order is None
    return _tiers.get(key) or _tiers.setdefault(key, Tiered(bound, order, join))


#: The code that a compiling process runs. It finds modules in the same places as the process that started it; before it
#: knows these, none in the current folder (-P).
_CODE = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from envsuite.compile import tiers; tiers._serve()"
)


def _start(file: Path, order: Callable[[], Any]) -> bool:
    """Let another process carry out an order that makes this file, now or later; False if none can.

    It finishes when this process ends, so that the next start is quick.
    """
    if sum(process.poll() is None for process in _processes.values()) >= cores():
        return True
    try:
        data = pickle.dumps(sys.path) + pickle.dumps((file, order))
        if b"__main__" in data:  # another process has another main module
            return False
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "ENVSUITE_CACHE": str(cache_folder())},
        )
    except (pickle.PicklingError, AttributeError, TypeError, OSError):
        return False
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(data)
        process.stdin.close()
    _processes[file] = process
    return True


def _serve() -> None:
    """Carry out an order from standard input, after a place among the cores is free."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is meant for the process that waits for nothing
    with contextlib.suppress(OSError, AttributeError):
        os.nice(5)
    file, order = pickle.load(sys.stdin.buffer)
    with one_of_the_cores():
        if not file.exists():
            order()
