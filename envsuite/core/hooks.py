"""Calls that wait until another library is imported, so that nobody waits for a library that is not used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_WAITING: dict[str, list[Callable[[], None]]] = {}


def when_imported(library: str, call: Callable[[], None]) -> None:
    """Call this at the end of the first import of a library: at once, if that has been."""
    if library in sys.modules and library not in _WAITING:
        call()
        return
    _WAITING.setdefault(library, []).append(call)
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


class _Finder(MetaPathFinder):
    """Finds nothing itself: it lets the others find a library that is waited for, and follows its import."""

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in _WAITING:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if spec is not None and spec.loader is not None:
            _follow(name, spec.loader)
        return spec


_FINDER = _Finder()


def _follow(name: str, loader: Any) -> None:
    """Make what waits for a library, once its module has run; an import that fails leaves all of it waiting."""
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        execute(module)
        for call in _WAITING.pop(name, ()):
            call()

    loader.exec_module = exec_module
