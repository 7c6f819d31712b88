"""What Numba takes kernels for, and the options that they are compiled with."""

from __future__ import annotations

import hashlib
import importlib
import types
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba import extending

from envsuite.compile.numba_ import pins
from envsuite.compile.switches import BOUNDSCHECK

#: The options that Numba documents. They are enough.
_PLAIN: dict[str, Any] = dict(error_model="numpy", nogil=True, boundscheck=BOUNDSCHECK)

#: Nothing is called from C, and kernels not from Python: leaving out these wrappers saves a fifth of compile time.
_ENTRY: dict[str, Any] = dict(_PLAIN, _nrt=BOUNDSCHECK, no_cfunc_wrapper=True)
KERNEL: dict[str, Any] = dict(_ENTRY, no_cpython_wrapper=True)


def entry() -> dict[str, Any]:
    """Options of `numba.njit` for functions that Python calls."""
    if pins.plain():
        return _PLAIN
    from envsuite.compile.numba_.linking import EntryCompiler

    return dict(_ENTRY, pipeline_class=EntryCompiler)


def _kernel(inline: bool) -> dict[str, Any]:
    """Options of `numba.njit` for functions that only compiled code calls."""
    if pins.plain():
        return _PLAIN
    from envsuite.compile.numba_.linking import KernelCompiler

    return dict(KERNEL, pipeline_class=KernelCompiler, forceinline=inline)


def _record_symbol(record: Any) -> tuple[str, tuple[int]]:
    """How names of compiled functions distinguish record types: by a hash of the fields.

    Numba takes a number that it assigns in each process. Two processes could so give one name to code for two
    types, and a third that loads both from the cache runs one for the other (numba issue 10486).
    """
    digest = hashlib.blake2b(record.name.encode(), digest_size=7).hexdigest()
    return "Record", (int(digest, 16),)


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


if pins.keeps():
    numba.types.Record.mangling_args = property(_record_symbol)  # type: ignore[method-assign, assignment]
if BOUNDSCHECK and not pins.lacking("checked"):
    from numba.core import cgutils
    from numba.np import arrayobj

    arrayobj.make_array_flat_cls = _checked(arrayobj.make_array_flat_cls)


@extending.typeof_impl.register(types.FunctionType)
def _type_of_kernel(function: Any, _: Any) -> Any:
    """What Numba takes a kernel for that compiled code calls."""
    mark = getattr(function, "kernel", None)
    if mark is None:
        return None
    if not hasattr(function, "compiled"):
        function.compiled = _made(function, mark)
    return function.compiled


def _made(function: Any, mark: str) -> Any:
    """The type of a kernel with this mark."""
    if ":" in mark:
        module, _, name = mark.partition(":")
        return _registered(getattr(importlib.import_module(module), name))
    if mark == "by_fields":
        return _registered(_overloaded(function.choose))
    function.dispatcher = _dispatcher(function, mark == "inline")  # whose type holds it weakly
    return numba.types.Dispatcher(function.dispatcher)


def _dispatcher(function: Callable, inline: bool) -> Any:
    made = numba.njit(**_kernel(inline))(function)
    if pins.plain():
        return made
    from envsuite.compile.numba_.linking import for_any_number

    return for_any_number(made)


@cache
def _typing() -> Any:
    """Numba's register of functions."""
    return numba.njit(lambda: None).typingctx


def _registered(function: Any) -> Any:
    """The type of a function that Numba has in its registers."""
    _typing().refresh()
    return _typing().resolve_value_type(function)


def _overloaded(choose: Callable) -> Any:
    """A function in whose place compiled code runs what `choose` says for its first argument's fields."""

    def stub(*_: Any) -> None: ...

    def choose_by_type(first: Any, *_: Any) -> Any:
        return choose(first.fields if isinstance(first, numba.types.Record) else None)

    options: Any = _kernel(True)
    extending.overload(stub, jit_options=options, strict=False)(choose_by_type)
    return stub
