"""The edge to Numba: each private name of Numba that is used, overridden or copied, and hashes of its source.

`linking` and `short` build on Numba's insides, which may change with any release. They are used only if every name of
`QUICK` and `KEPT` is there, with a source that one of the `TESTED` versions has. Otherwise kernels are compiled by
`numba.njit` with the options that it documents: more slowly, to code that computes the same. Without a name of `KEPT`,
compiled code is not kept in files either. One warning says which name it is.

A new release of Numba may need a row here for what it has changed, once the tests have passed with it::

    python -m envsuite.compile.numba_.pins  # the tables for the Numba that is installed
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import linecache
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numba

from envsuite.core.errors import EnvsuiteError

#: The versions of Numba whose hashes stand in the tables.
TESTED = ("0.66.0", "0.67.0", "0.68.0", "0.68.1")

#: What `linking`, `short` and the options of `types` need: names, and hashes of their sources in these versions, the
#: oldest first; "" where there is no source, and the name only has to be there.
QUICK: dict[str, str] = {
    "llvmlite.ir:ArrayType": "",
    "llvmlite.ir:Constant": "",
    "llvmlite.ir:IntType": "",
    "llvmlite.ir:Undefined": "",
    "llvmlite.ir:instructions.InsertValue": "",
    "numba.core.base:BaseContext.__init__": "95d39c68",
    "numba.core.base:BaseContext.compile_internal": "75090faa",
    "numba.core.base:BaseContext.declare_function": "aa4c78df",
    "numba.core.base:BaseContext.get_abi_alignment": "6d9ada30",
    "numba.core.base:BaseContext.get_data_type": "2aa13888",
    "numba.core.base:BaseContext.get_function": "95b797e1",
    "numba.core.base:BaseContext.get_getattr": "218754db",
    "numba.core.base:BaseContext.get_returned_value": "95b2d95b",
    "numba.core.base:BaseContext.get_value_type": "c37929cb",
    "numba.core.base:BaseContext.make_constant_array": "e7981117",
    "numba.core.base:BaseContext.pair_first": "38f3f37d",
    "numba.core.base:BaseContext.pair_second": "98d9ce8a",
    "numba.core.base:BaseContext.sentry_record_alignment": "27401b1e",
    "numba.core.base:BaseContext.subtarget": "77a58a8a",
    "numba.core.base:user_function": "6b3ce4ce",
    "numba.core.callconv:BaseCallConv._get_arg_packer": "8464f8d6",
    "numba.core.callconv:BaseCallConv.get_return_type": "09e2ce98",
    "numba.core.callconv:CPUCallConv._get_excinfo_argument": "045c9676",
    "numba.core.cgutils:alloca_once": "0c2059d5",
    "numba.core.cgutils:create_constant_array": "a632438e",
    "numba.core.cgutils:get_record_member": "326905e3",
    "numba.core.cgutils:global_constant": "8d42174a",
    "numba.core.cgutils:if_unlikely": "02f6e07b",
    "numba.core.cgutils:intp_t": "",
    "numba.core.codegen:CPUCodeLibrary.__init__": "44cffc5c",
    "numba.core.codegen:CPUCodeLibrary._finalize_final_module": "c95c810e",
    "numba.core.codegen:CPUCodeLibrary._get_module_for_linking": "71304db7",
    "numba.core.codegen:CPUCodeLibrary._optimize_final_module": "9358eccb",
    "numba.core.codegen:CPUCodeLibrary._optimize_functions": "ae8fe684",
    "numba.core.codegen:CPUCodeLibrary._verify_declare_only_symbols": "9e4dd8fe",
    "numba.core.codegen:CPUCodeLibrary.add_linking_library": "77fdeb2d",
    "numba.core.codegen:CPUCodeLibrary.finalize": "1ab77848",
    "numba.core.codegen:CPUCodegen.__init__": "15de488c",
    "numba.core.codegen:CPUCodegen._init": "dba8615a",
    "numba.core.codegen:CPUCodegen._module_pass_manager": "cf8a2e4a",
    "numba.core.codegen:CodeLibrary.__init__": "4f1107e4",
    "numba.core.codegen:CodeLibrary._ensure_finalized": "0ab03ad4",
    "numba.core.codegen:Codegen.create_library": "a430a09c",
    "numba.core.codegen:JITCPUCodegen._library_class": "",
    "numba.core.codegen:JITCPUCodegen.set_env": "58e68c13",
    "numba.core.codegen:JITCodeLibrary": "",
    "numba.core.compiler:Compiler.define_pipelines": "4c348596",
    "numba.core.compiler:CompilerBase.__init__": "7f6715cb",
    "numba.core.compiler:CompilerBase.compile_extra": "666527a4",
    "numba.core.compiler:DefaultPassBuilder.define_nopython_lowering_pipeline": "7dda7af1",
    "numba.core.compiler:DefaultPassBuilder.define_nopython_pipeline": "7539e5ec",
    "numba.core.compiler:DefaultPassBuilder.define_typed_pipeline": "d7fca81e",
    "numba.core.compiler:DefaultPassBuilder.define_untyped_pipeline": "5b94f30d",
    "numba.core.compiler_lock:global_compiler_lock": "",
    "numba.core.config:OPT": "",
    "numba.core.cpu:CPUContext.cast": "e13093f6",
    "numba.core.cpu:CPUContext.codegen": "5edf7261",
    "numba.core.cpu:CPUContext.get_constant_generic": "54aa1d46",
    "numba.core.datamodel.models:ArrayModel.__init__": "d2e1e689",
    "numba.core.datamodel.models:StructModel.__init__": "52fc11aa",
    "numba.core.datamodel.models:StructModel.get_field_position": "b74fe432",
    "numba.core.dispatcher:_DispatcherBase.get_call_template": "4945a101",
    "numba.core.errors:UnsupportedError": "",
    "numba.core.event:install_timer": "b6bc05cf",
    "numba.core.imputils:user_function": "6b3ce4ce",
    "numba.core.ir:Assign.__str__": "07f8e88b",
    "numba.core.options:DefaultOptions._nrt": "",
    "numba.core.options:DefaultOptions.forceinline": "",
    "numba.core.options:DefaultOptions.no_cfunc_wrapper": "",
    "numba.core.options:DefaultOptions.no_cpython_wrapper": "",
    "numba.core.postproc:PostProcessor.run": "d86fd078",
    "numba.core.transforms:canonicalize_cfg": "d23951f8",
    "numba.core.typed_passes:IRLegalization.run_pass": "ac6e5e07",
    "numba.core.typed_passes:NopythonRewrites.run_pass": "fe62e619",
    "numba.core.types.functions:BaseFunction.get_call_type": "53760767",
    "numba.core.types.functions:Function.get_impl_key": "d31f70e3",
    "numba.core.types.misc:unliteral": "4cf7b4ef",
    "numba.core.types.npytypes:Record.offset": "b2259d9b",
    "numba.core.types.npytypes:Record.typeof": "cf23bd62",
    "numba.core.untyped_passes:InlineClosureLikes.run_pass": "2ad2c010",
    "numba.cpython.rangeobj:make_range_impl": "5853a801",
    "numba.np.arrayobj:fix_integer_index": "8be4cf15",
    "numba.np.arrayobj:load_item": "b58a6dbd",
    "numba.np.arrayobj:store_item": "68ee39b3",
    "numba.np.linalg:ensure_blas": "79e117d6 d95d7542",
}

#: What files of compiled code need: how they are read and written, and how code in them is named.
KEPT: dict[str, str] = {
    "numba.core.base:BaseContext.refresh": "683ded63",
    "numba.core.caching:NullCache": "",
    "numba.core.codegen:CPUCodeLibrary._unserialize": "8a219ee1",
    "numba.core.codegen:CPUCodeLibrary.serialize_using_object_code": "d873033b",
    "numba.core.codegen:CodeLibrary.has_dynamic_globals": "e09bacb5",
    "numba.core.compiler:CompileResult._rebuild": "8166b5d2",
    "numba.core.compiler:CompileResult._reduce": "96e05122",
    "numba.core.dispatcher:Dispatcher.compile": "c905e4c2",
    "numba.core.itanium_mangler:mangle_type": "49a5583a",
    "numba.core.serialize:dumps": "7a9967ab",
    "numba.core.types.npytypes:Record.mangling_args": "9a593934",
}

#: What checks of `array.flat` need, with ENVSUITE_BOUNDSCHECK.
CHECKED: dict[str, str] = {
    "numba.core.cgutils:do_boundscheck": "ca0bc61d",
    "numba.np.arrayobj:make_array_flat_cls": "1b09ba17",
}


#: By group of names: the names, and what is lost without one of them.
GROUPS: dict[str, tuple[dict[str, str], str]] = {
    "quick": (QUICK, "kernels are compiled more slowly"),
    "kept": (KEPT, "compiled code is not kept for other processes"),
    "checked": (CHECKED, "indices of array.flat are not checked"),
}


def plain() -> bool:
    """Whether kernels are compiled by Numba alone."""
    return bool(lacking("quick") or lacking("kept"))


def keeps() -> bool:
    """Whether compiled code is kept in files."""
    return not lacking("kept")


def demand(what: str) -> None:
    """Raise an error that names what Numba lacks, if kernels are compiled by Numba alone."""
    fault = lacking("quick") or lacking("kept")
    if fault:
        raise EnvsuiteError(f"{what} cannot be made with Numba {numba.__version__}: {fault}")


@cache
def lacking(group: str) -> str:
    """What Numba lacks of a group, "" if it has all; the first time that it is asked for, a warning says so."""
    names, loss = GROUPS[group]
    fault = next(faults(names), "")
    if fault:
        known = f"envsuite knows Numba {', '.join(TESTED)}"
        warnings.warn(f"{fault} in Numba {numba.__version__}, so {loss}; {known}", stacklevel=3)
    return fault


def faults(table: dict[str, str]) -> Iterator[str]:
    """The names of a table that Numba lacks or has changed, each with what it is."""
    for name, known in table.items():
        try:
            value = find(name)
        except (ImportError, AttributeError):
            yield f"{name} is missing"
            continue
        if known and digest(value) not in known.split():
            yield f"{name} has changed"


def find(name: str) -> Any:
    """The object called ``module:name`` or ``module:class.name``, as its class holds it."""
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = inspect.getattr_static(found, part) if isinstance(found, type) else getattr(found, part)
    return found


def digest(value: Any) -> str:
    """A hash of the source of a function, comments and empty lines left out; "" for anything else."""
    bare: Any = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    function = inspect.unwrap(bare)
    if not inspect.isfunction(function):
        return ""
    text = "\n".join(line for line in _source(function) if line and not line.lstrip().startswith("#"))
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def _source(function: Any) -> Iterator[str]:
    """The lines of a function, with its decorators. `inspect.getsource` takes ten times as long."""
    lines = linecache.getlines(function.__code__.co_filename)[function.__code__.co_firstlineno - 1 :]
    margin = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    inside = False
    for line in lines:
        indented = line[: margin + 1].isspace()
        if inside and not indented and line.lstrip()[0] not in ")#":
            return
        inside = inside or line[margin:].startswith("def ")
        yield line[margin:].rstrip()


def main() -> None:
    """Print the tables with the hashes of the installed Numba added."""
    for title, (table, _) in GROUPS.items():
        print(f"{title.upper()}: dict[str, str] = {{")
        for name, known in sorted(table.items()):
            hashes = dict.fromkeys([*known.split(), *digest(find(name)).split()])
            print(f'    "{name}": "{" ".join(hashes)}",')
        print("}")


if __name__ == "__main__":
    main()
