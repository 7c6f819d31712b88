"""Journals: the events of a table, appended to a file and on the disk before anybody hears of them.

Each line ends with a checksum of itself and of all lines before it. So a line that was changed, lost or repeated is
found when the journal is read. Journals of earlier versions have no checksums and are read without them.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from envsuite.core.errors import EnvsuiteError
from envsuite.core.files import replace

#: Bytes of a checksum.
_DIGEST = 8

#: What is before the checksum at the end of a line, and after it.
_BEFORE, _AFTER = b',"sum":"', b'"}'


class JournalError(EnvsuiteError, ValueError):
    """A journal that cannot be read."""


class StorageError(EnvsuiteError):
    """Something that could not be put on the disk; nothing of it is left there."""


class Content(NamedTuple):
    """What a journal's whole lines hold: their events, their bytes, and the last checksum."""

    events: list[dict[str, Any]]
    size: int
    sum: bytes


def read(path: Path) -> Content:
    """The whole lines of a journal; nothing is changed. `JournalError` names the line that is damaged."""
    content = path.read_bytes()
    size, events, last, summed = content.rfind(b"\n") + 1, [], b"", False
    for number, line in enumerate(content[:size].split(b"\n")[:-1], 1):
        body, given = _parted(line)
        last = _chained(last, body)
        fits = given == last.hex().encode() if given else not summed
        if not fits:
            raise JournalError(f"{path}, line {number}: the line was changed, or a line before it is missing")
        summed = summed or given is not None
        try:
            event = json.loads(body)
        except (ValueError, RecursionError) as problem:
            raise JournalError(f"{path}, line {number}: no event: {problem}") from None
        if not isinstance(event, dict):
            raise JournalError(f"{path}, line {number}: no event, but {type(event).__name__}")
        events.append(event)
    return Content(events, size, last)


def _parted(line: bytes) -> tuple[bytes, bytes | None]:
    """The event of a line and its checksum; None for a line without one."""
    at = len(line) - len(_AFTER) - 2 * _DIGEST - len(_BEFORE)
    if at <= 0 or line[at : at + len(_BEFORE)] != _BEFORE or not line.endswith(_AFTER):
        return line, None
    return line[:at] + b"}", line[at + len(_BEFORE) : -len(_AFTER)]


def _chained(last: bytes, body: bytes) -> bytes:
    """The checksum of a line after one with the checksum `last`."""
    return hashlib.blake2b(last + body, digest_size=_DIGEST).digest()


class Journal:
    """A file of events in JSON, one a line, which only grows.

    Args:
        path: the file; made, for its owner's eyes only, if it is not there.
        write: whether events will be appended; otherwise the file stays as it is.

    Attributes:
        events: those that the file held when it was opened. A last line that is not whole was never acknowledged; it
            is cut off.
        write: whether events can be appended.
    """

    def __init__(self, path: Path, write: bool = True):
        self.path, self.write = path, write
        self._guard = threading.Lock()
        if not write:
            self.events, self._size, self._sum = read(path)
            return
        new = not path.exists()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            self.events, self._size, self._sum = read(path)
            self._cut()
            if new:  # the name too is to survive a crash
                _sync_folder(path.parent)
        except BaseException:
            os.close(self._file)
            raise

    def append(self, **event: Any) -> None:
        """Add an event, with the time in seconds since 1970; on the disk when this returns.

        `StorageError` if it cannot be stored; then the journal is as it was.
        """
        body = json.dumps({"time": time.time(), **event}, separators=(",", ":")).encode()
        with self._guard:
            last = _chained(self._sum, body)
            line = body[:-1] + _BEFORE + last.hex().encode() + _AFTER + b"\n"
            try:
                self._cut()  # what an earlier failure may have left
                if os.write(self._file, line) != len(line):
                    raise OSError("the disk is full")
                os.fsync(self._file)
            except OSError as problem:
                with suppress(OSError):
                    self._cut()
                reason = problem.strerror or str(problem)
                raise StorageError(f"{self.path} cannot be written: {reason}") from None
            self._size, self._sum = self._size + len(line), last

    def _cut(self) -> None:
        """Cut off what comes after the last whole line."""
        if os.fstat(self._file).st_size > self._size:
            os.ftruncate(self._file, self._size)

    def close(self) -> None:
        """Close the file."""
        with self._guard:
            if self.write:
                self.write = False
                os.close(self._file)
                self._file = -1


def write_whole(path: Path, content: bytes) -> None:
    """Write a file for its owner's eyes: it is whole and on the disk, or it is not there; `StorageError` says why."""
    try:
        replace(path, content, private=True)
    except OSError as problem:
        raise StorageError(f"{path} cannot be written: {problem.strerror or problem}") from None


def _sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk; Windows has no such call."""
    if os.name == "nt":
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
