"""Compiled functions: the `kernel` decorator, re-binding of templates, and the cache they are kept in.

Kernels allocate nothing and hold no Python objects, so they are compiled without reference counting. Numba's own
cache looks only at the file of the compiled function; an edited helper in another file would run stale. Ours is
a folder per Numba version whose entries carry a stamp: the hash of every source that the function can reach.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import platform
import sys
import tempfile
import types
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.compiler_lock import global_compiler_lock

from envsuite.core import linking

PACKAGE = Path(__file__).resolve().parents[1]

#: With ENVSUITE_BOUNDSCHECK=1 every array access of every kernel is checked (slow; one run of the tests uses it).
BOUNDSCHECK = os.environ.get("ENVSUITE_BOUNDSCHECK", "0") not in ("", "0")

_OPTIONS: dict[str, Any] = dict(error_model="numpy", nogil=True, boundscheck=BOUNDSCHECK, _nrt=BOUNDSCHECK)


# Kernels are called by compiled code only; leaving out the wrappers for Python and C saves a fifth of compile time.
_INNER: dict[str, Any] = dict(no_cpython_wrapper=True, no_cfunc_wrapper=True, **linking.KERNEL, **_OPTIONS)


def _record_symbol(record: Any) -> tuple[str, tuple[int]]:
    """How names of compiled functions tell record types apart: by a hash of the fields.

    Numba takes a number that it gives out anew in every process. Two processes could so give one name to code for two
    types, and a third that loads both from the cache runs one for the other (numba issue 10486).
    """
    digest = hashlib.blake2b(record.name.encode(), digest_size=7).hexdigest()
    return "Record", (int(digest, 16),)


numba.types.Record.mangling_args = property(_record_symbol)  # type: ignore[method-assign, assignment]


def kernel(function: Callable) -> Any:
    """Compile a function over records: scalars, loops, records and other kernels only, nothing that allocates.

    The result can be called from compiled code; `.py_func` is the same in plain Python.
    """
    return numba.njit(forceinline=True, **_INNER)(function)


def large_kernel(function: Callable) -> Any:
    """A kernel too large to be inlined wherever it is called (level generators): called, and compiled once."""
    return numba.njit(**_INNER)(function)


def bind(template: Callable, name: str, *, level: int = 2, **bindings: Any) -> Any:
    """Compile `template` with some of its globals re-bound, under a cache entry of its own called `name`.

    The template is an ordinary function; the result runs the same code with, say, one world's kernels in the
    place of its globals `reset`, `step`, `observe` and `legal`.

    `level` is LLVM's level of optimisation. Numba's own, 3, takes up to a third longer than 2; the loop over a batch
    becomes up to a sixth faster by it, other code hardly.
    """
    bound = types.FunctionType(template.__code__, {**template.__globals__, **bindings}, name, template.__defaults__)
    bound.__qualname__ = name
    bound.__module__ = template.__module__
    compiled = numba.njit(**linking.ENTRY, **_OPTIONS)(bound)
    compiled._cache = _Cache(bound, _stamp(compiled))
    compiled.compile = _at_level(level, compiled.compile)
    return compiled


def _at_level(most: int, compile: Callable) -> Callable:
    """`compile` at this level of optimisation, or a lower one that the user has chosen for Numba."""

    def compile_at_level(signature: Any) -> Any:
        with global_compiler_lock:
            config: Any = numba.config
            level = config.OPT
            config.OPT = type(level)(min(level, most))
            try:
                return compile(signature)
            finally:
                config.OPT = level

    return compile_at_level


def entry_point(compiled: Any, *arguments: Any) -> Any:
    """What `bind` made, compiled for such arguments: called directly, without Numba's choice among signatures."""
    types = tuple(compiled.typeof_pyval(argument) for argument in arguments)
    compiled.compile(types)
    return compiled.overloads[types].entry_point


@cache
def cache_folder() -> Path:
    """Where compiled code is kept: ENVSUITE_CACHE, or the user's cache folder; works with a read-only install."""
    chosen = os.environ.get("ENVSUITE_CACHE")
    if chosen:
        base = Path(chosen)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "envsuite" / "cache"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches" / "envsuite"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "envsuite"
    # One folder per install: two checkouts on one machine keep their entries apart.
    install = hashlib.blake2b(str(PACKAGE).encode(), digest_size=4).hexdigest()
    checked = "-checked" if BOUNDSCHECK else ""
    folder = base / f"numba-{numba.__version__}-py{platform.python_version()}-{install}{checked}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as problem:
        warnings.warn(f"compiled code is not kept: {problem}; set ENVSUITE_CACHE to a folder to write to", stacklevel=2)
        folder = Path(tempfile.mkdtemp(prefix="envsuite-"))
    return folder


@cache
def _source_hash(path: str) -> str:
    return hashlib.blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()


def _stamp(compiled: Any) -> str:
    """A hash of every file from which this function is made, and of the constants that it uses."""
    # The options of compilation and what `random` overloads cannot be seen from a function's names.
    files = {str(PACKAGE / "core" / name) for name in ("kernel.py", "linking.py", "random.py")}
    constants: set[str] = set()
    seen: set[int] = set()
    todo = [compiled]
    while todo:
        value = todo.pop()
        if isinstance(value, (int, float, str, tuple)):
            constants.add(repr(value))
        elif isinstance(value, np.ndarray):
            constants.add(hashlib.blake2b(value.tobytes(), digest_size=16).hexdigest())
        function = getattr(value, "py_func", None) or getattr(value, "_defn", None)  # of a kernel or an intrinsic
        if function is None or id(function) in seen:
            continue
        seen.add(id(function))
        constants.add(f"{function.__module__}.{function.__qualname__}")  # which of the kernels in a file
        try:
            files.add(inspect.getsourcefile(function) or function.__code__.co_filename)
        except TypeError:
            continue
        todo.extend(_reachable(function))
    parts = [*(_source_hash(path) for path in sorted(files) if os.path.exists(path)), *sorted(constants)]
    return hashlib.blake2b("".join(parts).encode(), digest_size=16).hexdigest()


def _reachable(function: Callable) -> list[Any]:
    """What the function's code may call: its globals, and attributes of the modules among them."""
    code, namespace = function.__code__, function.__globals__
    found = [namespace[name] for name in code.co_names if name in namespace]
    modules = [value for value in found if isinstance(value, types.ModuleType)]
    found += [getattr(module, name) for module in modules for name in code.co_names if hasattr(module, name)]
    found += [cell.cell_contents for cell in function.__closure__ or ()]
    return found


class _Locator(_CacheLocator):
    """Places cache files in our folder and stamps them with our hash, in place of a file's time of change."""

    stamp = ""

    def __init__(self, function: Callable, source: str) -> None:
        self._name = function.__qualname__

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return self.stamp

    def get_disambiguator(self) -> str:
        return hashlib.blake2b(self._name.encode(), digest_size=4).hexdigest()

    @classmethod
    def from_function(cls, function: Callable, source: str) -> _Locator:
        return cls(function, source)


class _Cache(FunctionCache):
    def __init__(self, function: Callable, stamp: str) -> None:
        locator = type("_StampedLocator", (_Locator,), {"stamp": stamp})
        self._impl_class = type("_Impl", (CompileResultCacheImpl,), {"_locator_classes": [locator]})  # type: ignore[assignment]
        super().__init__(function)
