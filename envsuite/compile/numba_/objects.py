"""Object code of bound templates, for a library of machine code that is made ahead of time.

A template is compiled as usual, up to the LLVM module of the template and of all functions that it calls. That module
becomes an object file for each kind of processor. A function of one pointer is put around it; it passes the words at
that pointer as arguments (see `envsuite.compile.native`).
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import binding

from envsuite.compile.bound import Bound
from envsuite.compile.native import LEVELS
from envsuite.compile.numba_ import pins
from envsuite.compile.numba_.files import optimization
from envsuite.compile.numba_.types import KERNEL

pins.demand("a library of machine code")

from envsuite.compile.numba_.linking import EntryCodegen, EntryCompiler, EntryLibrary, link_reached  # noqa: E402

#: The function that is called after an error.
_RAISED = "envsuite_raised"


class UnfitError(ValueError):
    """The template cannot be put into a library."""


class _Library(EntryLibrary):
    """All of an entry's code, neither optimised nor turned into machine code."""

    def finalize(self) -> None:
        link_reached(self, self._final_module)
        self._finalized = True


class _Codegen(EntryCodegen):
    _library_class = _Library

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing: there is no machine code."""


class _Compiler(EntryCompiler):
    codegen = _Codegen


def objects(bound: Bound, arguments: tuple[Any, ...]) -> dict[str, bytes]:
    """A bound template for such arguments as an object file for each of `LEVELS`."""
    dispatcher = numba.njit(pipeline_class=_Compiler, **KERNEL)(bound.python)
    signature = tuple(map(numba.typeof, arguments))
    with optimization(bound.level):
        dispatcher.compile(signature)
        result = dispatcher.overloads[signature]
        result.library._ensure_finalized()
        code = result.library._final_module.as_bitcode()
    returned = "ptr" if result.signature.return_type == numba.types.none else "i64"
    found = {}
    for level, processor in LEVELS.items():
        module = binding.parse_bitcode(code)
        symbol = f"{level}_{bound.symbol(arguments)}"
        function = module.get_function(result.fndesc.llvm_func_name)
        module.link_in(binding.parse_assembly(_entry(function, symbol, returned, _constants(bound, arguments))))
        found[level] = _emitted(module, symbol, processor, bound.level)
    return found


def _entry(function: Any, symbol: str, returned: str, constants: dict[int, int]) -> str:
    """The function of a pointer, in LLVM's language."""
    types = [str(argument.type) for argument in function.arguments]
    loads, passed = [], ["ptr %result", "ptr %error"]
    for k, kind in enumerate(types[2:]):
        if k in constants:
            passed.append(f"{kind} {constants[k]}")
        else:
            loads.append(f"%p{k} = getelementptr i64, ptr %words, i64 {k}\n%w{k} = load {kind}, ptr %p{k}")
            passed.append(f"{kind} %w{k}")
    return "\n".join([
        f'declare i32 @"{function.name}"({", ".join(types)})',
        f"declare void @{_RAISED}()",
        f"define i64 @{symbol}(ptr %words) {{",
        f"%result = alloca {returned}",
        "%error = alloca ptr",
        *loads,
        f'%status = call i32 @"{function.name}"({", ".join(passed)})',
        "%fine = icmp eq i32 %status, 0",
        "br i1 %fine, label %good, label %bad",
        f"bad:\ncall void @{_RAISED}()\nret i64 -1",
        f"good:\n%value = load {returned}, ptr %result",
        f"ret i64 {'%value' if returned == 'i64' else '0'}",
        "}",
    ])  # fmt: skip


def _constants(bound: Bound, arguments: tuple[Any, ...]) -> dict[int, int]:
    """The words, by number, that are the same for all calls: sizes of elements, inner shapes and strides."""
    found: dict[int, int] = {}
    start = 0
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            ndim = argument.ndim
            if bound.fixed:
                found[start + 3] = argument.itemsize
                found |= {start + 5 + k: argument.shape[k] for k in range(1, ndim)}
                found |= {start + 5 + ndim + k: argument.strides[k] for k in range(ndim)}
            start += 5 + 2 * ndim
        else:
            start += 1
    return found


def _emitted(module: Any, symbol: str, processor: str, level: int) -> bytes:
    """The module optimised for a processor, with this one function to be seen from outside, as an object file."""
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name != symbol:
            value.linkage = "internal"
    target = binding.Target.from_triple(binding.get_process_triple())
    machine = target.create_target_machine(cpu=processor, features="", opt=level, reloc="pic", codemodel="default")
    options = binding.create_pipeline_tuning_options(level)
    options.loop_vectorization = True
    options.slp_vectorization = False
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    module.verify()
    for value in module.global_variables:
        if value.name.startswith("numba.dynamic.globals"):
            raise UnfitError("it holds a global array of more than 1 MB")
    return machine.emit_object(module)
