"""Machine code made ahead of time: a shared library beside the package, called without Numba.

`envsuite build` makes the library, and a wheel carries it. It holds a function for each template and types of arguments
that default parameters need, under a name that is a hash of all that the function was made from. So edited code and
other parameters never find stale code; they are compiled as if there were no library.

A call passes one pointer, to the arguments as 64-bit words: an integer is one word, an array has the words that Numba
passes for it. The addresses of arrays are looked up once for many calls, since that takes longer than a call.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.core.switches import BOUNDSCHECK

#: Where a wheel has the library. ENVSUITE_NATIVE names another, or 0 for none.
PATH = Path(__file__).resolve().parents[1] / "native.so"

#: Processors by the prefixes of their functions' names, the least first; the library knows which one this is.
LEVELS = {"v1": "x86-64", "v3": "x86-64-v3"}


class Native:
    """A function of the library, called with the arguments of the template that it was made from.

    Args:
        function: the function of a pointer.
        form: gives what all arguments have in common with these.
        arguments: some arguments that it fits.
    """

    def __init__(self, function: Any, form: Callable[[tuple[Any, ...]], Any], arguments: tuple[Any, ...]):
        function.restype = ctypes.c_int64
        self._function, self._form, self._fits = function, form, form(arguments)

    def __call__(self, *arguments: Any) -> int:
        return self.ready(arguments)()

    def ready(self, arguments: tuple[Any, ...], earlier: Any = None) -> Callable[[], int]:
        """The call with these arguments; what an earlier call has of them is not looked up again."""
        if (form := self._form(arguments)) != self._fits:
            raise TypeError(f"this code is for arguments of the form {self._fits}, not {form}")
        if earlier is None:
            parts = list(map(_words, arguments))
        else:
            parts = [
                part if new is old else _words(new) for new, old, part in zip(arguments, earlier.held, earlier.parts)
            ]
        words = np.array([word for part in parts for word in part], np.int64)
        call: Any = partial(self._function, ctypes.c_void_p(words.ctypes.data))
        call.held, call.parts, call.words = arguments, parts, words  # as long as the call can be made
        return call


def _words(argument: Any) -> tuple[int, ...]:
    """An argument as Numba passes it: of an array two owners (none), size, size of an element, address, and strides."""
    if not isinstance(argument, np.ndarray):
        return (argument,)
    return (0, 0, argument.size, argument.itemsize, argument.ctypes.data, *argument.shape, *argument.strides)


def ready(entry: Callable, arguments: tuple[Any, ...], earlier: Any = None) -> Callable[[], Any]:
    """The call of an entry, machine code or not, with these arguments, for many times."""
    if isinstance(entry, Native):
        return entry.ready(arguments, earlier if hasattr(earlier, "held") else None)
    return partial(entry, *arguments)


class Library:
    """The functions of a library for one processor, by default for this one or the nearest below it."""

    def __init__(self, path: Path | str, level: str | None = None):
        self._code = ctypes.CDLL(os.fspath(path))
        self.level = level or list(LEVELS)[self._code.envsuite_level()]

    def find(self, name: str) -> Any:
        """A function, None if it is not there."""
        try:
            return self._code[f"{self.level}_{name}"]
        except AttributeError:
            return None


@cache
def library() -> Library | None:
    """The library of this install, None if there is none that this machine can load."""
    path = os.environ.get("ENVSUITE_NATIVE") or PATH
    if BOUNDSCHECK or not os.path.isfile(path):
        return None
    try:
        return Library(path)
    except (OSError, AttributeError):
        return None
