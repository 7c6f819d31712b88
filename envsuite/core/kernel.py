"""Marks for kernels: the rules, in functions that run as Python and as machine code.

A kernel is a plain Python function that `kernel` has marked. Called from Python it runs as Python, on the views of
`envsuite.core.record`: a debugger steps through it, coverage sees it, texts and pictures call it. Called from compiled
code it is machine code: Numba asks `envsuite.compile.numba_.types` for its type.

Kernels allocate nothing and hold no Python objects, so they are compiled without reference counting.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from envsuite.core.record import as_views, field_names


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
    names, own = function.__code__.co_names, function.__globals__
    modules = [own[name] for name in names if isinstance(own.get(name), types.ModuleType)]
    for namespace in (own, *(vars(module) for module in modules)):
        _view_tables(namespace, names)
    return function


def _view_tables(namespace: dict[str, Any], names: tuple[str, ...]) -> None:
    """In Python too, sums of the elements of a table of bytes are no bytes."""
    for name in names:
        table = namespace.get(name)
        if type(table) is np.ndarray and table.dtype.kind in "iuf" and table.dtype.itemsize < 8:
            namespace[name] = as_views(table)


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
    def run(first: Any, *arguments: Any) -> Any:
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
