"""Files that are written: paths that would fail are refused before a long run, and files are replaced as a whole.

A file is first written beside its place under another name, a *draft*, and then renamed. So a kill, a full disk or an
error leaves the file that was there. A file to which a process adds for a long time is *claimed*: a lock beside it
keeps other processes away, on whatever machine they run, and says who has it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import secrets
import socket
import stat
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from envsuite.core.errors import EnvsuiteError, ParameterError

#: A part of the names of drafts, and the end of the names of locks.
_DRAFT, _LOCK = ".draft", ".lock"
_IS_DRAFT = re.compile(rf"\..*\.[0-9a-f]{{16}}{re.escape(_DRAFT)}(\..*)?")

#: Characters of a file's stem and suffix that the name of its draft repeats, and the longest name in bytes that the
#: name of a lock repeats: names may have 255.
_STEM, _SUFFIX, _NAME = 40, 10, 240


def writable(path: str | PathLike[str]) -> Path:
    """The path of a file that can be written, new or again; `ParameterError` says why it cannot be."""
    shown, file, reason = str(path), Path(path), ""
    if not shown:
        raise ParameterError("'' is no name of a file")
    try:
        if file.is_dir():
            reason = "it is a folder"
        elif file.is_symlink() and not file.exists():
            reason = f"it is a link to {os.readlink(file)}, which does not exist"
        elif file.exists() and not file.is_file():
            reason = "it is not a regular file"
        elif file.exists():
            reason = "" if os.access(file, os.W_OK) else "it is write-protected"
        elif not file.parent.is_dir():
            reason = f"there is no folder {file.parent}"
        else:
            file.lstat()  # a name may be too long
    except FileNotFoundError:
        reason = "" if os.access(file.parent, os.W_OK | os.X_OK) else f"the folder {file.parent} is write-protected"
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
    if reason:
        raise ParameterError(f"{shown!r} cannot be written: {reason}")
    return file


def replace(path: str | PathLike[str], content: str | bytes, private: bool = False) -> None:
    """Write a file as a whole, for its owner's eyes only if it is private; an interrupt leaves what was there."""
    with drafted(path, private) as draft:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def drafted(path: str | PathLike[str], private: bool = False) -> Iterator[Path]:
    """A new file beside `path`, to be written in this block, that then takes its place; an error removes it.

    It has the suffix of `path`, and the permissions of the file that was there, or those of its owner alone. A link is
    replaced, not followed. An `OSError` names `path`.
    """
    target = Path(path)
    draft = _draft_of(target)
    try:
        if target.exists() and not target.is_file():
            raise OSError(errno.EINVAL, "this is not a regular file", str(target))
        try:
            _make(draft, 0o600 if private else _mode(target))
            yield draft
            _to_disk(draft)
            os.replace(draft, target)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise
        with suppress(OSError):  # not every file system can do this
            _to_disk(target.parent)  # the new name too is to survive a crash
    except OSError as problem:
        if problem.errno is None or problem.filename not in (None, str(draft)):
            raise
        raise OSError(problem.errno, problem.strerror, str(target)) from problem


def _draft_of(target: Path) -> Path:
    """A draft's path, under a name that nobody can foresee."""
    name = f".{target.stem[:_STEM]}.{secrets.token_hex(8)}{_DRAFT}{target.suffix[:_SUFFIX]}"
    return target.with_name(name)


def _make(draft: Path, mode: int | None) -> None:
    """Make the empty file with these permissions, or those of any new file; nothing that is there is opened."""
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode & 0o600)
    try:
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(handle, mode)
    finally:
        os.close(handle)


def _mode(target: Path) -> int | None:
    """The permissions of a regular file; None if there is none, or a link."""
    try:
        found = target.lstat().st_mode
    except FileNotFoundError:
        return None
    return stat.S_IMODE(found) & 0o777 if stat.S_ISREG(found) else None


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_aside(path: Path) -> bool:
    """Whether a file is a draft, perhaps left over, or a lock: neither is a part of what a folder holds."""
    old = path.name.endswith(_DRAFT)  # of earlier releases
    locks = path.name.startswith(".") and path.name.endswith(_LOCK)
    return old or locks or _IS_DRAFT.fullmatch(path.name) is not None


def remove_drafts(folder: Path) -> None:
    """Remove drafts that were left over in a folder that this process has claimed."""
    for path in folder.iterdir():
        if _IS_DRAFT.fullmatch(path.name):
            path.unlink(missing_ok=True)


class ClaimedError(EnvsuiteError):
    """Somebody else has a file; the message says which process that is."""


class Claim:
    """A file that no other process adds to while this object lives. It is free again when its process ends."""

    def __init__(self, lock: Path, handle: int | None):
        self._process = os.getpid()
        self._end = weakref.finalize(self, _leave, lock, handle, self._process)

    @property
    def held(self) -> bool:
        """Whether this process has the file: children by fork hold nothing."""
        return self._end.alive and self._process == os.getpid()

    def free(self) -> None:
        """Leave the file to others now."""
        self._end()


#: The claims of this process: its own are not in its way.
_claims: weakref.WeakValueDictionary[Path, Claim] = weakref.WeakValueDictionary()
_claiming = threading.Lock()

#: The locked byte on Windows, where nobody can read it: far behind the words.
_BYTE = 2**20


def claim(path: Path, alone: bool = False) -> Claim:
    """Claim a file, which need not exist, for as long as the result lives; `ClaimedError` if another process has it.

    The lock is a file beside it. Where files cannot be locked, it is free. This process may claim a file again, unless
    it wants to be `alone`.
    """
    whole = path.resolve()
    lock = whole.with_name(f".{_short(whole.name)}{_LOCK}")
    with _claiming:
        found = _claims.get(lock)
        if found is None or not found.held:
            found = _claims[lock] = Claim(lock, _taken(lock))
        elif alone:
            raise ClaimedError(f"process {os.getpid()}, which is this one")
        return found


def _short(name: str) -> str:
    """A file's name, or a hash of one that is too long to get longer."""
    coded = os.fsencode(name)
    return name if len(coded) <= _NAME else hashlib.blake2b(coded, digest_size=16).hexdigest()


def _taken(lock: Path) -> int | None:
    """The open and locked file, None where there are no locks; `ClaimedError` if another process has it."""
    while True:
        try:
            handle = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        except OSError:  # a folder that is write-protected
            return None
        try:
            _lock(handle)
        except OSError as problem:
            holder = _described(handle)
            os.close(handle)
            if problem.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                raise ClaimedError(holder) from None
            return None  # this file system has no locks
        with suppress(OSError):
            if os.path.samestat(os.fstat(handle), lock.lstat()):
                _describe(handle)
                return handle
        os.close(handle)  # its holder removed it in between


def _lock(handle: int) -> None:
    """Lock an open file, or raise `OSError`."""
    if os.name == "nt":
        import msvcrt

        os.lseek(handle, _BYTE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        import fcntl

        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _describe(handle: int) -> None:
    """Write into a lock who has it; on a full disk it says nothing."""
    since = time.strftime("%Y-%m-%d %H:%M:%S")
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": since}).encode())


def _described(handle: int) -> str:
    """The process that has a lock, in words. The lock may be anybody's: what it says is made short and printable."""
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        os.lseek(handle, 0, os.SEEK_SET)
        found = json.loads(os.read(handle, 1000))
        return ascii(f"process {found['pid']} on {found['host']}, since {found['since']}")[1:-1][:200]
    return "another process"


def _leave(lock: Path, handle: int | None, process: int) -> None:
    """Remove the lock, in the process that took it: children by fork hold nothing."""
    if handle is None:
        return
    if os.getpid() == process:
        with suppress(OSError):  # Windows removes no file that is open
            lock.unlink()
    os.close(handle)
