"""Inner functions are linked into the entry that calls them, not compiled to machine code of their own.

Numba turns every function into machine code, and to do so links it with all that it calls. Only the entries that
`bind` makes are called from Python; the machine code of the kernels inside them never runs. So the library of a kernel
only holds its own module, and an entry links the modules of all that it reaches, once, before it is optimized.

All that is used of Numba here stands in `pins`. If one of these names is missing or has changed, this module is not
imported, and all is compiled as usual.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
from collections.abc import Iterator
from functools import cache
from typing import Any

import numba
from llvmlite import binding
from numba.core import base, event, ir, postproc, transforms, typed_passes, types, untyped_passes
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import Compiler
from numba.core.types.functions import BaseFunction
from numba.np import linalg

from envsuite.compile.numba_.short import ShortContext, call_of
from envsuite.compile.switches import BOUNDSCHECK

_config: Any = numba.config

# Numba imports linear algebra from scipy to see that it is there. It is, since envsuite needs scipy; code that uses it
# looks again.
_ensure_blas, linalg.ensure_blas = linalg.ensure_blas, lambda: None
importlib.import_module("numba.np.arraymath")
linalg.ensure_blas = _ensure_blas


class _KernelLibrary(JITCodeLibrary):
    """The module of a kernel alone, optimized by itself and ready to be linked into others.

    Without this first optimization ConnectFour loses a twentieth of its speed. At level 1 it is left out: code is as
    fast without it, and the compile of most worlds a tenth shorter.
    """

    def _optimize_functions(self, module: Any) -> None:
        """Nothing but the layout of data: `finalize` optimizes the functions."""
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        if _config.OPT > 1:
            _optimize(self)
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = "linkonce_odr"
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """The module with all that it calls, for functions that are not ours."""
        if self._shared_module is None:
            self._shared_module = self._final_module.clone()
            link_reached(self, self._shared_module)
        return self._shared_module


class EntryLibrary(JITCodeLibrary):
    """The function that is called from Python, with all kernels that it reaches."""

    def finalize(self) -> None:
        link_reached(self, self._final_module)
        self._linking_libraries = []
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Optimize once; the cheaper round that Numba puts before is for counts of references."""
        _optimize(self)

    def _verify_declare_only_symbols(self) -> None:
        missing = [function.name for function in self._final_module.functions if function.is_declaration]
        missing = [name for name in missing if name.startswith("_ZN")]
        assert not missing, f"not linked: {missing}"


def _optimize(library: Any) -> None:
    """One full round of LLVM's optimization of a library's module."""
    manager, builder = library._codegen._module_pass_manager()
    manager.run(library._final_module, builder)


def link_reached(library: Any, module: Any) -> None:
    """Add the libraries that a library calls, directly or through kernels, to a module; each once."""
    for called in _reached(library):
        library._reload_init.update(called._reload_init)
        own = isinstance(called, _KernelLibrary)
        module.link_in(called._final_module if own else called._get_module_for_linking(), preserve=True)


def _reached(library: Any) -> list[Any]:
    """The libraries that this one calls, callers first: LLVM links only functions that earlier ones have asked for."""
    seen, below = set(), []

    def visit(caller: Any) -> None:
        for called in caller._linking_libraries:
            if called not in seen:
                seen.add(called)
                if isinstance(called, _KernelLibrary):
                    visit(called)
                below.append(called)

    visit(library)
    return below[::-1]


class EntryCodegen(JITCPUCodegen):
    """Numba's code generator, with libraries of ours."""

    _library_class: type[JITCodeLibrary] = EntryLibrary

    def __init__(self, standard: Any) -> None:
        self.__dict__.update(standard.__dict__)  # one engine for all


class _KernelCodegen(EntryCodegen):
    _library_class = _KernelLibrary

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: only code that handles Python objects has an environment."""


class EntryCompiler(Compiler):
    """Compiles functions that Python calls."""

    codegen: type = EntryCodegen

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        target = self.state.targetctx
        self.state.targetctx = target.subtarget(_internal_codegen=_made(self.codegen, target.codegen()))
        self.state.targetctx.cached_internal_func = _parts
        if not BOUNDSCHECK:
            self.state.targetctx.__class__ = ShortContext

    def define_pipelines(self) -> Any:
        """Numba's passes, without those for closures and for arrays as values, which kernels do not have."""
        managers = super().define_pipelines()
        for manager in managers:
            manager.passes = [step for step in manager.passes if step[0] not in _NEEDLESS]
        return managers

    def compile_extra(self, function: Any) -> Any:
        """Numba's own, in less time."""
        with _quicker():
            return super().compile_extra(function)


@contextlib.contextmanager
def _quicker() -> Iterator[None]:
    """While this runs, no garbage is collected, and Numba neither computes nor times what is not used."""
    collecting, usual = gc.isenabled(), [(owner, name, getattr(owner, name)) for owner, name, _ in _QUICKER]
    gc.disable()
    try:
        for owner, name, ours in _QUICKER:
            setattr(owner, name, ours)
        yield
    finally:
        for owner, name, theirs in usual:
            setattr(owner, name, theirs)
        if collecting:
            gc.enable()


def _without_literals(kinds: Any) -> tuple[Any, ...]:
    return tuple(map(types.unliteral, kinds))


def for_any_number(dispatcher: Any) -> Any:
    """A dispatcher that is compiled once for all literals and sizes of signed integers that it is called with.

    It computes the same: what Numba adds or multiplies has 64 bits anyway.
    """
    template = dispatcher.get_call_template
    dispatcher.get_call_template = lambda arguments, named: template(tuple(map(_widened, arguments)), named)
    return dispatcher


def _widened(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind  # type: ignore[attr-defined]


_get_call_type: Any = BaseFunction.get_call_type
_call_types: dict[Any, Any] = {}


def _remembered_call_type(function: Any, context: Any, arguments: Any, named: Any) -> Any:
    """The signature of a built-in function for such arguments: Numba tries all its implementations each time."""
    if named:
        return _get_call_type(function, context, arguments, named)
    key = function, tuple(arguments)
    if key not in _call_types:
        found = _call_types[key] = _get_call_type(function, context, arguments, named)
        if found.args == _without_literals(arguments):
            _call_types[function, found.args] = found
    return _call_types[key]


_process: Any = postproc.PostProcessor.run


def _process_once(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Give each loop a single back edge; skip liveness, which only generators and reference counting need."""
    code = processor.func_ir
    if emit_dels or code.is_generator:
        _process(processor, emit_dels, extend_lifetimes)
    elif code.variable_lifetime is None:
        code.blocks = transforms.canonicalize_cfg(code.blocks)
        code.variable_lifetime = "not known"


_QUICKER: list[tuple[Any, str, Any]] = [
    (postproc.PostProcessor, "run", _process_once),
    (base, "user_function", call_of),
    (ir.Assign, "__str__", lambda statement: ""),
    (types.Record, "__repr__", lambda kind: kind.name),
    (BaseFunction, "get_call_type", _remembered_call_type),
    (event, "install_timer", lambda kind, callback: contextlib.nullcontext()),
]

_NEEDLESS: set[type] = {untyped_passes.InlineClosureLikes, typed_passes.NopythonRewrites}
if not BOUNDSCHECK:  # whose code counts references; other code has no use for the deletions that this pass adds
    _NEEDLESS.add(typed_passes.IRLegalization)


class KernelCompiler(EntryCompiler):
    """Compiles functions that only compiled code calls."""

    codegen = _KernelCodegen


_made = cache(lambda codegen, standard: codegen(standard))

#: Numba's own small functions, compiled once for all kernels.
_parts: dict[Any, Any] = {}
