"""Processes that this one starts. They find modules where this one does, and start with none of the current folder.

Python puts the current folder in front of the path of a process that multiprocessing starts, until that process has
received the path of its parent. A `pickle.py` there would run before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

#: The variable that leaves the current folder out, and the value by which `settle` knows that `starting` has set it.
_SAFE, _OURS = "PYTHONSAFEPATH", "envsuite"


@contextmanager
def starting(**variables: str) -> Iterator[None]:
    """Processes that are started in this block have these environment variables, and the safe path; see `settle`."""
    wanted = {_SAFE: os.environ.get(_SAFE) or _OURS, **variables}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def settle() -> None:
    """Called in such a process: what it starts itself, such as a user's scripts, starts as ever."""
    if os.environ.get(_SAFE) == _OURS:
        del os.environ[_SAFE]
