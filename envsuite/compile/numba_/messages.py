"""Numba's messages about kernels that it refuses, in one line for their authors."""

from __future__ import annotations

import dis
import os
import re
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from envsuite.compile.reach import kernel_at, kernels
from envsuite.core.errors import suggest


def explained(template: Callable, arguments: tuple[Any, ...], problem: Exception) -> str:
    """Why Numba refuses a kernel, in one line: the file, the line, the kernel, the rule that calls it, and what.

    Numba's message names the places from the inside out, or its frames know them; "" if they are not in a kernel.
    """
    message = re.sub(r"\x1b\[\d*m", "", str(problem))
    named = re.findall(r"During: .* at (.+) \((\d+)\)", message)
    frames = [frame.f_locals.get("self") for frame, _ in traceback.walk_tb(problem.__traceback__)][::-1]
    locations: list[Any] = [getattr(one, "loc", None) for one in frames]
    places = [(one.filename, one.line) for one in locations if hasattr(one, "filename")]
    chain = [(kernel, line) for file, line in named or places if (kernel := kernel_at(template, file, int(line)))]
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
        for kernel in kernels(template) if inner else ():
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
