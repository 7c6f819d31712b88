"""What a function reaches: kernels, the files that they are written in, and constants."""

from __future__ import annotations

import hashlib
import inspect
import os
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.compile.cache import PACKAGE, source_hash
from envsuite.core.kernel import is_kernel

#: The folder of the compiler, and the file of the marks that it reads.
_COMPILER, _MARKS = "compile", "core/kernel.py"


@cache
def compiler() -> dict[str, str]:
    """All files that decide how kernels become machine code, by their paths in the package, and their hashes."""
    found = (path for ending in ("py", "c") for path in (PACKAGE / _COMPILER).rglob(f"*.{ending}"))
    names = [_MARKS, *(path.relative_to(PACKAGE).as_posix() for path in found)]
    return {name: source_hash(name) for name in sorted(names)}


def kernels(template: Callable) -> list[Any]:
    """A function and all kernels that it reaches."""
    found: list[Any] = [template]
    for function in found:
        found += [value for _, value in _reachable(function) if is_kernel(value) and value not in found]
    return found


def kernel_at(template: Callable, file: str, line: int) -> Any:
    """The function, of all those, whose code has this line of a file; None if there is none."""
    for function in kernels(template):
        lines = [number for *_, number in function.__code__.co_lines() if number]
        if function.__code__.co_filename == file and min(lines) <= line <= max(lines):
            return function
    return None


def made_of(template: Callable) -> tuple[dict[str, str], list[str]]:
    """The files in which a function and all kernels that it reaches are written, with their hashes; the constants."""
    files: set[str] = set()
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
            files |= _written(value)
            todo += [(f"{whole}.{name}", found) for name, found in _reachable(value)]
    paths = (Path(path).resolve() for path in files if os.path.exists(path))
    names = [path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else str(path) for path in paths]
    return {name: source_hash(name) for name in sorted(names)}, sorted(constants)


def _written(function: Any) -> set[str]:
    """The file of a function, without the marks around it, and that of the machine code in its place."""
    bare = inspect.unwrap(function)
    module, _, name = getattr(function, "kernel", "").partition(":")
    machine = {str(PACKAGE.joinpath(*module.split(".")[1:])) + ".py"} if name else set()
    return {inspect.getsourcefile(bare) or bare.__code__.co_filename, *machine}


def _reachable(function: Any) -> list[tuple[str, Any]]:
    """The objects that the function's code may call, by name: its globals, and attributes of the modules among them."""
    code, namespace = function.__code__, function.__globals__
    found = [(name, namespace[name]) for name in code.co_names if name in namespace]
    modules = [value for _, value in found if isinstance(value, types.ModuleType)]
    found += [(name, getattr(module, name)) for module in modules for name in code.co_names if hasattr(module, name)]
    return found + [(f"cell {k}", cell.cell_contents) for k, cell in enumerate(function.__closure__ or ())]
