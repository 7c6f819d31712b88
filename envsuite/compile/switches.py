"""The environment variables that control compiling; each is off unless it is set to a value other than 0."""

from __future__ import annotations

import os


def _on(name: str) -> bool:
    return os.environ.get(name, "0") not in ("", "0")


#: ENVSUITE_PYTHON: nothing is compiled, all kernels run as Python; as NUMBA_DISABLE_JIT has it for all that uses Numba.
PYTHON = _on("ENVSUITE_PYTHON") or _on("NUMBA_DISABLE_JIT")

#: ENVSUITE_LAZY: vectors too are compiled only when that pays, and no other process is started. For tests.
LAZY = _on("ENVSUITE_LAZY")

#: ENVSUITE_BOUNDSCHECK: every array access of every kernel is checked, and all kernels are compiled. Slow; for tests.
BOUNDSCHECK = _on("ENVSUITE_BOUNDSCHECK")
