"""Journals: the events of a table, appended to a file and on the disk before anybody hears of them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from envsuite.core.errors import EnvsuiteError


class JournalError(EnvsuiteError, ValueError):
    """A journal that cannot be read."""


def events_of(path: Path) -> tuple[list[dict[str, Any]], int]:
    """The events in a journal's whole lines, and the bytes of these lines; nothing is changed."""
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    try:
        return [json.loads(line) for line in content[:whole].splitlines()], whole
    except ValueError as problem:
        raise JournalError(f"{path} is no journal: {problem}") from None


class Journal:
    """A file of events in JSON, one a line, which only grows.

    Args:
        path: the file; made, for its owner's eyes only, if it is not there.
        write: whether events will be appended; otherwise the file stays as it is.

    Attributes:
        events: those that the file held when it was opened. A last line that is not whole was never acknowledged; it
            is cut off.
    """

    def __init__(self, path: Path, write: bool = True):
        self.path = path
        if not write:
            self.events, _ = events_of(path)
            return
        new = not path.exists()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        self.events, whole = events_of(path)
        if whole < path.stat().st_size:
            os.ftruncate(self._file, whole)
        if new:  # the name too is to survive a crash
            folder = os.open(path.parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    def append(self, **event: Any) -> None:
        """Add an event, with the time in seconds since 1970; on the disk when this returns."""
        line = json.dumps({"time": time.time(), **event}, separators=(",", ":")).encode() + b"\n"
        if os.write(self._file, line) != len(line):
            raise OSError(f"{self.path} cannot be written: the disk is full")
        os.fsync(self._file)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
