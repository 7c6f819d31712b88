"""Journals: the events of a table, appended to a file and on the disk before anybody hears of them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from envsuite.core.errors import EnvsuiteError


class JournalError(EnvsuiteError, ValueError):
    """A journal that cannot be read."""


class Journal:
    """A file of events in JSON, one a line, which only grows.

    Args:
        path: the file; made, for its owner's eyes only, if it is not there.

    Attributes:
        events: those that the file held when it was opened. A last line that is not whole was never acknowledged; it
            is cut off.
    """

    def __init__(self, path: Path):
        self.path = path
        new = not path.exists()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        try:
            self.events: list[dict[str, Any]] = [json.loads(line) for line in content[:whole].splitlines()]
        except ValueError as problem:
            raise JournalError(f"{path} is no journal of a table: {problem}") from None
        if whole < len(content):
            os.ftruncate(self._file, whole)
        if new:  # the name too is to survive a crash
            folder = os.open(path.parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    def append(self, **event: Any) -> None:
        """Add an event; on the disk when this returns."""
        line = json.dumps(event, separators=(",", ":")).encode() + b"\n"
        if os.write(self._file, line) != len(line):
            raise OSError(f"{self.path} cannot be written: the disk is full")
        os.fsync(self._file)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
