"""Kernels: the rules, in functions that run as Python and as machine code; templates bound to them; cache keys.

A kernel is a plain Python function that `kernel` has marked. Called from Python it runs as Python, on the views of
`envsuite.core.record`: a debugger steps through it, coverage sees it, texts and pictures call it. Called from compiled
code it is machine code: Numba asks `envsuite.core.compiler`, the one module that imports Numba, for its type.

Kernels allocate nothing and hold no Python objects, so they are compiled without reference counting. Compiled code is
kept in files addressed by content. The name of a file is a hash of all sources that the function can reach, the types
of its arguments, the versions, the processor and the options. So a file is never stale, and clones, processes and
machines of one kind can share a folder of them.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import types
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.core import native
from envsuite.core.cache import PACKAGE, cache_folder, machine, source_hash
from envsuite.core.record import as_views, field_names
from envsuite.core.switches import PYTHON


def kernel(function: Callable) -> Any:
    """Mark a function over records: scalars, loops, records and other kernels only, nothing that allocates.

    Compiled code has it inlined wherever it is called.
    """
    return _marked(function, "inline")


def large_kernel(function: Callable) -> Any:
    """A kernel too large to be inlined wherever it is called (level generators): called, and compiled once."""
    return _marked(function, "call")


def _marked(function: Callable, mark: str) -> Any:
    function.kernel = mark  # type: ignore[attr-defined]
    # In Python too, sums of the elements of a table of bytes are no bytes.
    for name in function.__code__.co_names:
        table = function.__globals__.get(name)
        if type(table) is np.ndarray and table.dtype.kind in "iuf" and table.dtype.itemsize < 8:
            function.__globals__[name] = as_views(table)
    return function


def piece(function: Callable) -> Any:
    """A kernel that templates share: where a bound template calls it, its globals are re-bound as well."""
    function.piece = True  # type: ignore[attr-defined]
    return kernel(function)


def compiled_as(path: str) -> Callable[[Callable], Any]:
    """A function that runs as it is in Python; compiled code calls ``module:name`` in its place.

    That is an intrinsic or an overloaded function of Numba, in a module that is imported only to compile.
    """

    def mark(function: Callable) -> Any:
        function.kernel = path  # type: ignore[attr-defined]
        return function

    return mark


def by_fields(test: Callable[[Any], bool], yes: Callable, no: Callable) -> Any:
    """A kernel that runs `yes` where the names of its first argument's fields pass the test, and `no` elsewhere.

    The test gets the names of a record's fields, or None for any other object; so the type decides which one is
    compiled. The kernel has the docstring of `no`.
    """
    known: dict[type, Callable] = {}

    @functools.wraps(no)
    def run(first, *arguments):  # type: ignore[no-untyped-def]
        kind = type(first)
        function = known.get(kind) or known.setdefault(kind, yes if test(field_names(first)) else no)
        found = function(first, *arguments)
        return found.item() if type(found) is np.int64 else found  # sums of comparisons of NumPy's are no counts

    run.kernel = "by_fields"  # type: ignore[attr-defined]
    run.choose = lambda names: yes if test(names) else no  # type: ignore[attr-defined]
    kernel(yes), kernel(no)
    return run


def is_kernel(value: Any) -> bool:
    """Whether this is a function that compiled code may call."""
    return isinstance(value, types.FunctionType) and hasattr(value, "kernel")


class Bound:
    """A template with some of its globals re-bound: Python calls it to run a loop of kernels over arrays.

    Attributes:
        name: its name in the cache.
        title: its name for users who wait for it.
        python: the re-bound function itself, for arguments as `as_views` makes them.
        level: LLVM's level of optimisation.
        fixed: whether code made ahead of time is for one shape of each array, the first dimension excepted.
    """

    def __init__(self, template: Callable, name: str, title: str, level: int, fixed: bool, bindings: dict[str, Any]):
        self.python = _rebound(template, name, bindings)
        self.name, self.title, self.level, self.fixed = name, title, level, fixed
        self._compiled: dict[Any, Callable] = {}
        self._entries: dict[Any, Callable | None] = {}

    def __call__(self, *arguments: Any) -> Any:
        return self.entry(*arguments)(*arguments)

    def entry(self, *arguments: Any) -> Callable:
        """A function for arguments of these types: machine code from the library or the cache, or made now."""
        if PYTHON:
            return self.interpreted
        found = self.ready(arguments)
        if found is None:
            from envsuite.core.compiler import compiled

            found = compiled(self, arguments).entry_point  # type: ignore[attr-defined]
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
    def _made_of(self) -> tuple[dict[str, str], str]:
        return _made_of(self.python)

    @property
    def sources(self) -> dict[str, str]:
        """Every file from which this function is made, ours by its path in the package, and a hash of its content."""
        return self._made_of[0]

    @property
    def stamp(self) -> str:
        """A hash of the sources, and of the constants that this function uses."""
        return self._made_of[1]

    def reached(self) -> list[Any]:
        """This function and all kernels that it reaches."""
        found: list[Any] = [self.python]
        for function in found:
            found += [value for _, value in _reachable(function) if is_kernel(value) and value not in found]
        return found

    def kernel_at(self, file: str, line: int) -> Any:
        """The function, of all those, whose code has this line of a file; None if there is none."""
        for function in self.reached():
            lines = [number for *_, number in function.__code__.co_lines() if number]
            if function.__code__.co_filename == file and min(lines) <= line <= max(lines):
                return function
        return None

    def symbol(self, arguments: tuple[Any, ...]) -> str:
        """The name, in a library, of this function compiled ahead of time for such arguments."""
        made_by = (source_hash(f"core/{name}") for name in ("native.py", "objects.py"))
        return _hash([self.name, self.stamp, str(self.level), repr(self.form(arguments)), *made_by])

    def cache_file(self, arguments: tuple[Any, ...]) -> Path:
        """The file that holds, or will hold, this function compiled for such arguments."""
        parts = [self.name, self.stamp, str(self.level), *map(repr, self.kinds(arguments)), *machine()]
        return cache_folder() / f"{_hash(parts)}.code"


def _hash(parts: list[str]) -> str:
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=20).hexdigest()


def bind(
    template: Callable, name: str, *, title: str = "", level: int = 2, fixed: bool = False, **bindings: Any
) -> Bound:
    """`template` with some of its globals re-bound, under a cache entry of its own called `name`.

    The template is an ordinary function; the result runs the same code with, say, one world's kernels in the
    place of its globals `reset`, `step`, `observe` and `legal`.

    `title` is the name shown to users, by default `name`.

    `level` is LLVM's level of optimisation. Numba's own, 3, takes up to a third longer to compile than 2. It makes the
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


def _made_of(template: Callable) -> tuple[dict[str, str], str]:
    # The options of compilation cannot be seen from a function's names.
    files = {str(PACKAGE / "core" / name) for name in ("kernel.py", "compiler.py", "linking.py")}
    constants: set[str] = set()
    seen: set[int] = set()
    todo: list[tuple[str, Any]] = [("", template)]
    while todo:
        name, value = todo.pop()
        if isinstance(value, (int, float, str, tuple)):
            constants.add(f"{name}={value!r}")
        elif isinstance(value, np.ndarray):
            constants.add(f"{name}={value.dtype}{value.shape}{hashlib.blake2b(value.tobytes()).hexdigest()}")
        elif (is_kernel(value) or value is template) and id(value) not in seen:
            seen.add(id(value))
            whole = f"{value.__module__}.{value.__qualname__}"
            constants.add(whole)  # which of the kernels in a file
            files.add(inspect.getsourcefile(value) or value.__code__.co_filename)
            mark = getattr(value, "kernel", "")
            if ":" in mark:
                files.add(str(PACKAGE.joinpath(*mark.partition(":")[0].split(".")[1:])) + ".py")
            todo += [(f"{whole}.{name}", found) for name, found in _reachable(value)]
    paths = (Path(path).resolve() for path in files if os.path.exists(path))
    names = [path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else str(path) for path in paths]
    sources = {name: source_hash(name) for name in sorted(names)}
    return sources, _hash([*sorted(sources.values()), *sorted(constants)])


def _reachable(function: Any) -> list[tuple[str, Any]]:
    """The objects that the function's code may call, by name: its globals, and attributes of the modules among them."""
    code, namespace = function.__code__, function.__globals__
    found = [(name, namespace[name]) for name in code.co_names if name in namespace]
    modules = [value for _, value in found if isinstance(value, types.ModuleType)]
    found += [(name, getattr(module, name)) for module in modules for name in code.co_names if hasattr(module, name)]
    return found + [(f"cell {k}", cell.cell_contents) for k, cell in enumerate(function.__closure__ or ())]
