"""The environment variables that control compiling; each is off unless it is set to a value other than 0."""

from __future__ import annotations

import os


def _on(name: str) -> bool:
    return os.environ.get(name, "0") not in ("", "0")


#: ENVSUITE_PYTHON: nothing is compiled, all kernels run as Python.
PYTHON = _on("ENVSUITE_PYTHON")

#: ENVSUITE_LAZY: vectors too are compiled only when that pays, and no other process is started. For tests.
LAZY = _on("ENVSUITE_LAZY")

#: ENVSUITE_BOUNDSCHECK: every array access of every kernel is checked, and all kernels are compiled. Slow; for tests.
BOUNDSCHECK = _on("ENVSUITE_BOUNDSCHECK")
