"""Machine code of templates, made by Numba or read from the files that it is kept in."""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numba

from envsuite.compile.announce import announced
from envsuite.compile.cache import File
from envsuite.compile.locks import locked
from envsuite.compile.numba_ import pins, types
from envsuite.compile.numba_.messages import explained
from envsuite.core.errors import KernelError


def compiled(template: Callable, arguments: tuple[Any, ...], level: int, file: File) -> Callable:
    """A function for such arguments: machine code, made now or read from its file."""
    config: Any = numba.config
    if config.DISABLE_JIT:
        raise KernelError(f"{file.title}: numba.config.DISABLE_JIT is set: nothing can be compiled")
    dispatcher = numba.njit(**types.entry())(template)
    with contextlib.ExitStack() as stack:
        stack.enter_context(optimization(level))
        if pins.keeps():
            dispatcher._cache = _kept(file)
        if not file.path.exists():
            stack.enter_context(announced(file.title))
            stack.enter_context(locked(file.path))  # another process may be at it: then its file is read
        try:
            return dispatcher.compile(tuple(map(numba.typeof, arguments)))
        except Exception as problem:
            text = explained(template, arguments, problem)
            if not text:
                raise
            raise KernelError(text) from (problem if sys.flags.dev_mode else None)


@contextlib.contextmanager
def optimization(most: int) -> Iterator[None]:
    """Compile at this level of optimization, or a lower one that the user has chosen for Numba."""
    if pins.plain():
        yield  # at Numba's own level
        return
    from numba.core.compiler_lock import global_compiler_lock

    with global_compiler_lock:
        config: Any = numba.config
        level = config.OPT
        config.OPT = type(level)(min(level, most))
        try:
            yield
        finally:
            config.OPT = level


def _kept(file: File) -> Any:
    """One file of compiled code, in the place of Numba's cache."""
    from numba.core.caching import NullCache

    cache: Any = NullCache()
    cache.load_overload = lambda signature, context: _read(file, context)
    cache.save_overload = lambda signature, result: _write(file, result)
    return cache


def _read(file: File, context: Any) -> Any:
    """What the file holds, as Numba's result of compiling; None if there is none that can be read."""
    if not file.path.exists():
        return None
    from numba.core.compiler import CompileResult

    context.refresh()
    try:
        code = CompileResult._rebuild(context, *pickle.loads(file.read()))
    except OSError:
        return None
    except Exception as problem:  # cut off, say: it is written again
        warnings.warn(f"{file.path} cannot be read and is made again: {problem}", stacklevel=2)
        return None
    with contextlib.suppress(OSError):  # a folder that others have made
        os.utime(file.path)
    return code


def _write(file: File, result: Any) -> None:
    """Write Numba's result of compiling to the file."""
    from numba.core import serialize

    if result.library.has_dynamic_globals:
        warnings.warn(f"{file.title} is not kept: it holds a global array of more than 1 MB", stacklevel=2)
        return
    try:
        file.write(serialize.dumps(result._reduce()))
    except OSError as problem:
        warnings.warn(f"compiled code is not kept: {problem}", stacklevel=2)
