"""Numba's part: machine code for kernels and templates, and the files that it is kept in.

Numba is imported here and in `linking` alone. Both use its insides, whose versions `pyproject.toml` bounds.
"""

from __future__ import annotations

import contextlib
import dis
import hashlib
import importlib
import os
import pickle
import re
import sys
import tempfile
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
from numba import extending
from numba.core import cgutils, serialize
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.typing.typeof import typeof_impl
from numba.np import arrayobj

from envsuite.core import linking
from envsuite.core.announce import announced
from envsuite.core.cache import pack, unpack
from envsuite.core.errors import KernelError, suggest
from envsuite.core.locks import locked
from envsuite.core.switches import BOUNDSCHECK

if TYPE_CHECKING:
    from envsuite.core.kernel import Bound

OPTIONS: dict[str, Any] = dict(error_model="numpy", nogil=True, boundscheck=BOUNDSCHECK, _nrt=BOUNDSCHECK)

# Nothing is called from C, and kernels not from Python: leaving out these wrappers saves a fifth of compile time.
_ENTRY: dict[str, Any] = dict(no_cfunc_wrapper=True, **linking.ENTRY, **OPTIONS)
_INNER: dict[str, Any] = dict(no_cpython_wrapper=True, no_cfunc_wrapper=True, **linking.KERNEL, **OPTIONS)


def _record_symbol(record: Any) -> tuple[str, tuple[int]]:
    """How names of compiled functions distinguish record types: by a hash of the fields.

    Numba takes a number that it assigns in each process. Two processes could so give one name to code for two
    types, and a third that loads both from the cache runs one for the other (numba issue 10486).
    """
    digest = hashlib.blake2b(record.name.encode(), digest_size=7).hexdigest()
    return "Record", (int(digest, 16),)


numba.types.Record.mangling_args = property(_record_symbol)  # type: ignore[method-assign, assignment]


def _checked(flat_class: Callable) -> Callable:
    """What compiles `array.flat[index]`, with the check of the index that Numba leaves out."""

    def make(kind: Any) -> Any:
        class Flat(flat_class(kind)):  # type: ignore[misc]
            def getitem(self, context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
                cgutils.do_boundscheck(context, builder, builder.sext(index, array.nitems.type), array.nitems)
                return super().getitem(context, builder, kind, array, index)

            def setitem(self, context: Any, builder: Any, kind: Any, array: Any, index: Any, value: Any) -> None:
                cgutils.do_boundscheck(context, builder, builder.sext(index, array.nitems.type), array.nitems)
                super().setitem(context, builder, kind, array, index, value)

        return Flat

    return make


if BOUNDSCHECK:
    arrayobj.make_array_flat_cls = _checked(arrayobj.make_array_flat_cls)


@typeof_impl.register(types.FunctionType)
def _type_of_kernel(function: Any, _: Any) -> Any:
    """What Numba takes a kernel for that compiled code calls."""
    mark = getattr(function, "kernel", None)
    if mark is None:
        return None
    if not hasattr(function, "compiled"):
        if ":" in mark:
            module, _, name = mark.partition(":")
            function.compiled = _registered(getattr(importlib.import_module(module), name))
        elif mark == "by_fields":
            function.compiled = _registered(_overloaded(function.choose))
        else:
            function.dispatcher = linking.for_any_number(numba.njit(forceinline=mark == "inline", **_INNER)(function))
            function.compiled = numba.types.Dispatcher(function.dispatcher)  # which holds it weakly
    return function.compiled


def _registered(function: Any) -> Any:
    """The type of a function that Numba has in its registers."""
    cpu_target.typing_context.refresh()
    return cpu_target.typing_context.resolve_value_type(function)


def _overloaded(choose: Callable) -> Any:
    """A function in whose place compiled code runs what `choose` says for its first argument's fields."""

    def stub(*_: Any) -> None: ...

    def choose_by_type(first, *_):  # type: ignore[no-untyped-def]
        return choose(first.fields if isinstance(first, numba.types.Record) else None)

    options: Any = dict(_INNER, forceinline=True)
    extending.overload(stub, jit_options=options, strict=False)(choose_by_type)
    return stub


def compiled(bound: Bound, arguments: tuple[Any, ...]) -> CompileResult:
    """A bound template as machine code for such arguments, made now or read from its file."""
    dispatcher = numba.njit(**_ENTRY)(bound.python)
    signature = tuple(dispatcher.typeof_pyval(argument) for argument in arguments)
    path = bound.cache_file(arguments)
    dispatcher._cache = _File(path, bound)
    with contextlib.ExitStack() as stack:
        stack.enter_context(optimization(bound.level))
        if not path.exists():
            stack.enter_context(announced(bound.title))
            stack.enter_context(locked(path))  # another process may be at it: then its file is read
        try:
            dispatcher.compile(signature)
        except Exception as problem:
            text = _explained(bound, arguments, problem)
            if not text:
                raise
            raise KernelError(text) from (problem if sys.flags.dev_mode else None)
    return dispatcher.overloads[signature]


def _explained(bound: Bound, arguments: tuple[Any, ...], problem: Exception) -> str:
    """Why Numba refuses a kernel, in one line: the file, the line, the kernel, the rule that calls it, and what.

    Numba's message names the places from the inside out, or its frames know them; "" if they are not in a kernel.
    """
    message = re.sub(r"\x1b\[\d*m", "", str(problem))
    named = re.findall(r"During: .* at (.+) \((\d+)\)", message)
    frames = [frame.f_locals.get("self") for frame, _ in traceback.walk_tb(problem.__traceback__)][::-1]
    locations = [getattr(one, "loc", None) for one in frames]
    places = [(one.filename, one.line) for one in locations if isinstance(one, numba.core.ir.Loc)]
    chain = [(kernel, line) for file, line in named or places if (kernel := bound.kernel_at(file, int(line)))]
    if not chain:
        return ""
    lines = [line.strip() for line in message.splitlines() if not line.startswith("Failed in ")]
    call = next((line.removeprefix(">>> ") for line in lines if line.startswith(">>> ")), "")
    what = f"compiled code has no {call}" if lines[0].startswith("No implementation") and call else lines[0]
    unknown = re.search(r"(?:NameError: |Untyped global )name '(\w+)'", what)
    if isinstance(problem, KeyError):
        fields = [name for argument in arguments for name in _fields(getattr(argument, "dtype", None))]
        what = f"the record has no field {problem}{suggest(str(problem.args[0]), fields)}"
    elif unknown:  # Numba says only where the kernel is called that has this name
        inner = re.search(r"callee type: .*<function (\w+) at", message)
        for kernel in bound.reached() if inner else ():
            where = [one.positions for one in dis.get_instructions(kernel) if one.argval == unknown[1]]
            if kernel.__name__ == inner[1] and where and where[0]:  # type: ignore[index]
                chain.insert(0, (kernel, where[0].lineno))
                break
    names = [kernel.__name__ for kernel, _ in chain if not kernel.__module__.startswith("envsuite.core.")]
    called = f", called by {names[-1]}" if len(set(names)) > 1 else ""
    kernel, line = chain[0]
    file = os.path.basename(kernel.__code__.co_filename)
    return f"{file}, line {line}, in {kernel.__name__}{called}: {what:.200}"


def _fields(dtype: Any) -> Iterator[str]:
    """The names of all fields of a record, those of records in it too."""
    for name in getattr(dtype, "names", None) or ():
        yield name
        yield from _fields(dtype[name].base)


@contextlib.contextmanager
def optimization(most: int) -> Iterator[None]:
    """Compile at this level of optimisation, or a lower one that the user has chosen for Numba."""
    with global_compiler_lock:
        config: Any = numba.config
        level = config.OPT
        config.OPT = type(level)(min(level, most))
        try:
            yield
        finally:
            config.OPT = level


class _File(NullCache):
    """One file of compiled code, in the place of Numba's cache."""

    def __init__(self, path: Path, bound: Bound):
        self._path, self._bound = path, bound

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            data = self._path.read_bytes()
        except OSError:
            return None
        target_context.refresh()
        try:
            code = CompileResult._rebuild(target_context, *pickle.loads(unpack(self._path.name, data)))
        except Exception as problem:  # cut off, say: it is written again
            warnings.warn(f"{self._path} cannot be read and is made again: {problem}", stacklevel=2)
            return None
        with contextlib.suppress(OSError):  # a folder that others have made
            os.utime(self._path)
        return code

    def save_overload(self, sig: Any, cres: Any) -> None:
        if cres.library.has_dynamic_globals:
            warnings.warn(f"{self._bound.title} is not kept: it holds a global array of more than 1 MB", stacklevel=2)
            return
        try:
            handle, scratch = tempfile.mkstemp(".part", dir=self._path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(pack(self._bound, self._path.name, serialize.dumps(cres._reduce())))
                os.replace(scratch, self._path)
            except OSError:
                os.unlink(scratch)
                raise
        except OSError as problem:
            warnings.warn(f"compiled code is not kept: {problem}", stacklevel=2)
