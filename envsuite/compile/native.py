"""Machine code made ahead of time: a shared library beside the package, called without Numba.

`envsuite build` makes the library, and a wheel carries it. It holds a function for each template and types of arguments
that default parameters need, under a name that is a hash of all that the function was made from. So edited code and
other parameters never find stale code; they are compiled as if there were no library.

A function takes one pointer, to its arguments as 64-bit words: an integer is one word, an array has the words that
Numba passes for it. A few lines of C, in `native.c`, look at the arguments of a Python call and write them down so.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.compile.cache import cache_folder
from envsuite.compile.switches import BOUNDSCHECK

#: Where a wheel has the library. ENVSUITE_NATIVE names another, or 0 for none.
PATH = Path(__file__).resolve().parents[1] / "native.so"

#: Processors by the prefixes of their functions' names, the least first; the library knows which one this is.
LEVELS = {"v1": "x86-64", "v3": "x86-64-v3"}

#: The part of a library besides compiled templates.
SOURCE = Path(__file__).with_suffix(".c")


class Library:
    """The functions of a library for one processor, by default for this one or the nearest below it."""

    def __init__(self, path: Path | str, level: str | None = None):
        self._code = ctypes.PyDLL(os.fspath(path))
        self._entry = self._code.envsuite_entry
        self._entry.argtypes, self._entry.restype = (ctypes.py_object,), ctypes.py_object
        self.level = level or list(LEVELS)[self._code.envsuite_level()]

    def find(self, name: str, arguments: tuple[Any, ...], fixed: bool) -> Callable[..., int] | None:
        """A function for arguments like these, None if it is not there; `fixed` if inner dimensions are as well."""
        try:
            function = self._code[f"{self.level}_{name}"]
        except AttributeError:
            return None
        dtypes = tuple(getattr(argument, "dtype", None) for argument in arguments)
        plan = [ctypes.cast(function, ctypes.c_void_p).value]
        for argument in arguments:
            plan += _plan(argument, fixed)
        return self._entry(("dtype", dtypes, np.array(plan, np.int64).tobytes()))


def _plan(argument: Any, fixed: bool) -> tuple[int, ...]:
    """The entries for one argument in the plan of a call."""
    if not isinstance(argument, np.ndarray):
        return (-1,)
    inner = argument.shape[1:] if fixed else (-1,) * (argument.ndim - 1)
    return (argument.ndim, argument.flags.c_contiguous, *inner)


def seal(path: Path) -> None:
    """Append a digest to a library, which loaders ignore and `library` checks."""
    with path.open("ab") as file:
        file.write(_digest(path.read_bytes()))


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _whole(path: Path) -> bool:
    """Whether a library ends in its digest. Reading all of it takes 1 ms per MB, so that is done once per change."""
    about = path.stat()
    state = f"{path.resolve()} {about.st_size} {about.st_mtime_ns} {about.st_ino}"
    checked = cache_folder() / f"{_digest(state.encode()).hex()}.whole"
    if checked.exists():
        return True
    data = path.read_bytes()
    found = _digest(data[:-16]) == data[-16:]
    if found:
        with contextlib.suppress(OSError):
            checked.touch()
    return found


@cache
def library() -> Library | None:
    """The library of this install, None if there is none that this machine can load."""
    path = Path(os.environ.get("ENVSUITE_NATIVE") or PATH)
    if BOUNDSCHECK or not path.is_file():
        return None
    try:
        if _whole(path):
            return Library(path)
        warnings.warn(f"{path} is not whole; its code is compiled instead", stacklevel=2)
    except (OSError, AttributeError):
        pass
    return None
