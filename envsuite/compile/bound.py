"""Templates bound to kernels, which run as machine code or as Python; their stamps and the names of their files.

Compiled code is kept in files addressed by content. The name of a file is a hash of all sources that the function can
reach, the compiler's own sources, the types of its arguments, the versions, the processor and the options. So a file is
never stale, and clones, processes and machines of one kind can share a folder of them.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.compile import native, reach
from envsuite.compile.cache import File, cache_folder, machine
from envsuite.compile.locks import uninterrupted_by_fork
from envsuite.compile.switches import PYTHON
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import piece
from envsuite.core.record import as_views


class Bound:
    """A template with some of its globals re-bound: Python calls it to run a loop of kernels over arrays.

    Attributes:
        name: its name in the cache.
        title: its name for users who wait for it.
        python: the re-bound function itself, for arguments as `as_views` makes them.
        level: LLVM's level of optimization.
        fixed: whether code made ahead of time is for one shape of each array, the first dimension excepted.
    """

    def __init__(self, template: Callable, name: str, title: str, level: int, fixed: bool, bindings: dict[str, Any]):
        self.python = _rebound(template, name, bindings)
        self.name, self.title, self.level, self.fixed = name, title, level, fixed
        taken = self.python.__code__.co_varnames[: self.python.__code__.co_argcount]
        self._rows = taken.index("first") if "first" in taken else 0
        self._compiled: dict[Any, Callable] = {}
        self._entries: dict[Any, Callable | None] = {}

    def __call__(self, *arguments: Any) -> Any:
        return self.entry(*arguments)(*arguments)

    def entry(self, *arguments: Any) -> Callable:
        """A function for arguments of these types: machine code from the library or the cache, or made now."""
        if PYTHON:
            return self.interpreted
        return self.ready(arguments) or self._compile(arguments)

    def check(self, arguments: tuple[Any, ...]) -> None:
        """Raise `ParameterError` unless all arrays have the records that a call goes through.

        Machine code checks no index. Arrays that stand before a parameter `first` have a row for each record and, if
        they have more dimensions, a column for each agent; records `first` to ``last - 1`` are visited.
        """
        if not self._rows:
            return
        arrays = arguments[: self._rows]
        first, last = arguments[self._rows : self._rows + 2]
        rows = {array.shape[0] for array in arrays}
        columns = {array.shape[1] for array in arrays if array.ndim > 1}
        if len(rows) > 1 or len(columns) > 1 or not 0 <= first <= last <= min(rows):
            shapes = ", ".join(str(array.shape) for array in arrays)
            raise ParameterError(f"{self.title}: records {first} to {last - 1} of arrays of the shapes {shapes}")

    @uninterrupted_by_fork
    def _compile(self, arguments: tuple[Any, ...]) -> Callable:
        from envsuite.compile.numba_.files import compiled

        file = File(self.cache_file(arguments), self.title, self.sources)
        found = compiled(self.python, arguments, self.level, file)
        self._compiled[self.kinds(arguments)] = self._entries[self.form(arguments)] = found
        return found

    @staticmethod
    def kinds(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The part of the arguments that decides for which types code is compiled; equal for equal types."""
        return tuple(map(_kind, arguments))

    def form(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The part of the arguments that decides which code made ahead of time fits them."""
        kinds = self.kinds(arguments)
        return (*kinds, *map(_inner_shape, arguments)) if self.fixed else kinds

    def ready(self, arguments: tuple[Any, ...]) -> Callable | None:
        """Machine code for such arguments, if this process has it or it was made ahead of time."""
        form = self.form(arguments)
        try:
            found = self._entries[form]
        except KeyError:
            library = native.library()
            found = self._entries[form] = self.made_ahead(arguments, library) if library else None
        return found or self._compiled.get(self.kinds(arguments))

    def made_ahead(self, arguments: tuple[Any, ...], library: native.Library) -> Callable | None:
        """This function for such arguments out of a library, None if it is not there."""
        return library.find(self.symbol(arguments), arguments, self.fixed)

    def interpreted(self, *arguments: Any) -> Any:
        """Run it as Python."""
        with np.errstate(all="ignore"):  # words wrap around, as in machine code
            return self.python(*map(as_views, arguments))

    @cached_property
    def _reached(self) -> tuple[dict[str, str], list[str]]:
        return reach.made_of(self.python)

    @cached_property
    def sources(self) -> dict[str, str]:
        """Every file from which machine code is made, ours by its path in the package, and a hash of its content."""
        return self._reached[0] | reach.compiler()

    @cached_property
    def code(self) -> str:
        """The stamp of machine code: a hash of `sources`, and of the constants that this function uses."""
        return _stamp(self.sources, self._reached[1])

    @cached_property
    def rules(self) -> str:
        """The stamp of results: a hash of the sources and constants it uses, without the compiler's."""
        return _stamp(*self._reached)

    def symbol(self, arguments: tuple[Any, ...]) -> str:
        """The name, in a library, of this function compiled ahead of time for such arguments."""
        return _hash([self.name, self.code, str(self.level), repr(self.form(arguments))])

    def cache_file(self, arguments: tuple[Any, ...]) -> Path:
        """The file that holds, or will hold, this function compiled for such arguments."""
        parts = [self.name, self.code, str(self.level), *map(repr, self.kinds(arguments)), *machine()]
        return cache_folder() / f"{_hash(parts)}.code"


def _stamp(sources: dict[str, str], constants: list[str]) -> str:
    return _hash([*sorted(sources.values()), *constants])


def _hash(parts: list[str]) -> str:
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=20).hexdigest()


def bind(
    template: Callable, name: str, *, title: str = "", level: int = 2, fixed: bool = False, **bindings: Any
) -> Bound:
    """`template` with some of its globals re-bound, under a cache entry of its own called `name`.

    The template is an ordinary function; the result runs the same code with, say, one world's kernels in the
    place of its globals `reset`, `step`, `observe` and `legal`.

    `title` is the name shown to users, by default `name`.

    `level` is LLVM's level of optimization. Numba's own, 3, takes up to a third longer to compile than 2. It makes the
    loop over a batch up to a sixth faster, other code hardly.

    With `fixed`, code made ahead of time takes the inner dimensions of arrays for constants.
    """
    return Bound(template, name, title or name, level, fixed, bindings)


def _rebound(template: Callable, name: str, bindings: dict[str, Any]) -> types.FunctionType:
    """The same code with other globals, in the pieces that it calls too."""
    namespace = {**template.__globals__, **bindings}
    for called in template.__code__.co_names:
        value: Any = namespace.get(called)
        if hasattr(value, "piece"):
            namespace[called] = piece(_rebound(value, value.__qualname__, bindings))
    rebound = types.FunctionType(template.__code__, namespace, name, template.__defaults__)
    rebound.__qualname__ = name
    rebound.__module__ = template.__module__
    return rebound


def _kind(argument: Any) -> Any:
    """The part of an argument that decides for which types code is compiled."""
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        order = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return argument.dtype, argument.ndim, order, flags.writeable, flags.aligned
    if isinstance(argument, tuple):
        return tuple(map(_kind, argument))
    return type(argument).__name__


def _inner_shape(argument: Any) -> tuple[int, ...] | None:
    return argument.shape[1:] if isinstance(argument, np.ndarray) else None
