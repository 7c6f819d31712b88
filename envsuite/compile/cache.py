"""The folder of compiled code: what its files say of themselves, which of them are of use here, and copies for others.

The name of a file is a hash of all that its code depends on, so nothing in it has to be looked at before it is used.
For people, and to know what can go, its first line says in JSON what it is called, from which sources it was made, and
for which machine. Its time of modification is that of its last use.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from envsuite.compile.switches import BOUNDSCHECK
from envsuite.core.errors import ParameterError

PACKAGE = Path(__file__).resolve().parents[1]

#: Archives that `export` writes, by how their names end.
ARCHIVES = {".zip": "zip", ".tar": "tar", ".tar.gz": "gztar", ".tgz": "gztar"}

#: Seconds after which an unfinished file is one of a process that has ended.
_UNFINISHED = 3600.0


@cache
def machine() -> tuple[str, ...]:
    """What else compiled code depends on: versions, processor, options."""
    try:
        processor = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags"))
    except (OSError, StopIteration):
        processor = platform.processor()
    options = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
    versions = [f"{name} {metadata.version(name)}" for name in ("numba", "llvmlite")]
    return (platform.python_version(), platform.machine(), processor, *versions, str(BOUNDSCHECK), *options)


@cache
def cache_folder() -> Path:
    """Where compiled code is kept: ENVSUITE_CACHE, or the user's cache folder; works with a read-only install.

    It stays the same if the current folder changes.
    """
    chosen = os.environ.get("ENVSUITE_CACHE")
    if chosen:
        folder = Path(chosen).absolute()
    elif sys.platform == "win32":
        folder = _absolute("LOCALAPPDATA", Path.home() / "AppData" / "Local") / "envsuite" / "cache"
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches" / "envsuite"
    else:
        folder = _absolute("XDG_CACHE_HOME", Path.home() / ".cache") / "envsuite"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as problem:
        warnings.warn(f"compiled code is not kept: {problem}; set ENVSUITE_CACHE to a folder to write to", stacklevel=2)
        folder = Path(tempfile.mkdtemp(prefix="envsuite-"))
    return folder


def _absolute(variable: str, otherwise: Path) -> Path:
    """The folder that a variable of the environment names; a relative one is ignored, as XDG's standard says."""
    named = Path(os.environ.get(variable, ""))
    return named if named.is_absolute() else otherwise


@cache
def source_hash(path: str) -> str:
    """A hash of a file of source code, by its path in the package or a whole one; "" if it is not there."""
    try:
        return hashlib.blake2b((PACKAGE / path).read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


@dataclass(frozen=True)
class File:
    """A file to read compiled code from or write it to.

    Attributes:
        path: the file.
        title: the name of the code for users.
        sources: the files from which the code is made, and hashes of their contents.
    """

    path: Path
    title: str
    sources: dict[str, str]

    def read(self) -> bytes:
        """The code. `ValueError` if the content is not what was written to this file."""
        return unpack(self.path.name, self.path.read_bytes())

    def write(self, code: bytes) -> None:
        """Write the code, as a whole."""
        handle, scratch = tempfile.mkstemp(".part", dir=self.path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(pack(self, code))
            os.replace(scratch, self.path)
        except OSError:
            os.unlink(scratch)
            raise


def pack(file: File, code: bytes) -> bytes:
    """The content of a file: a line on what is in it, and the code."""
    digest = _digest(file.path.name, code)
    header = {"name": file.title, "sources": file.sources, "machine": _this_machine(), "digest": digest}
    return json.dumps(header).encode() + b"\n" + code


def unpack(name: str, data: bytes) -> bytes:
    """The code in the content of the file called `name`, or ValueError if that is not what was written to it."""
    line, _, code = data.partition(b"\n")
    try:
        digest = json.loads(line)["digest"]
    except (ValueError, TypeError, LookupError, RecursionError):
        raise ValueError("it has no header") from None
    if digest != _digest(name, code):
        raise ValueError("it is not whole, or the file of another function")
    return code


def _digest(name: str, code: bytes) -> str:
    """A hash of the code and of the name of its file: a valid file under another name is code for other types."""
    return hashlib.blake2b(code, digest_size=16, key=name.encode()[:64]).hexdigest()


@cache
def _this_machine() -> str:
    """A hash of what else compiled code depends on."""
    return hashlib.blake2b("\n".join(machine()).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class Entry:
    """A file of compiled code.

    Attributes:
        path: the file.
        name: what is compiled in it.
        size: in bytes.
        used: when it was last used, in seconds since 1970.
        current: whether it was made from this version of the code.
        here: whether it was made for this machine, and for these versions of Python and Numba.
    """

    path: Path
    name: str
    size: int
    used: float
    current: bool
    here: bool


def entries() -> list[Entry]:
    """All files of compiled code; one that cannot be read is of no version."""
    found = []
    for path in sorted(cache_folder().glob("*.code")):
        with suppress(FileNotFoundError):
            about = path.stat()
            name, current, here = _described(path)
            found.append(Entry(path, name, about.st_size, about.st_mtime, current, here))
    return found


def _described(path: Path) -> tuple[str, bool, bool]:
    try:
        with path.open("rb") as file:
            header = json.loads(file.readline(1_000_000))
        current = all(source_hash(source) == content for source, content in header["sources"].items())
        return header["name"], current, header["machine"] == _this_machine()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "", False, False


def prune(days: float | None = None) -> list[Entry]:
    """Remove files of other versions of the code, and those that were not used for this many days; what is gone."""
    now = time.time()
    gone = [one for one in entries() if not one.current or (days is not None and now - one.used > days * 86_400)]
    for one in gone:
        one.path.unlink(missing_ok=True)
    for path in cache_folder().glob("*.part"):
        with suppress(FileNotFoundError):
            if now - path.stat().st_mtime > _UNFINISHED:
                path.unlink()
    return gone


def export(target: Path) -> list[Entry]:
    """Copy what this version of the code uses on this machine to a folder, or into an archive; what was copied."""
    chosen = [one for one in entries() if one.current and one.here]
    if not chosen:
        raise ParameterError(
            f"{cache_folder()} holds no code of this version for this machine; `envsuite warmup` compiles it"
        )
    ending = next((ending for ending in sorted(ARCHIVES, key=len)[::-1] if target.name.endswith(ending)), None)
    if ending is None:
        target.mkdir(parents=True, exist_ok=True)
        if target.samefile(cache_folder()):
            raise ParameterError(f"{target} is the cache itself; name another folder")
        for one in chosen:
            shutil.copy2(one.path, target)
        return chosen
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder, "code")
        inside.mkdir()
        for one in chosen:
            shutil.copy2(one.path, inside)
        made = shutil.make_archive(str(Path(folder, "archive")), ARCHIVES[ending], inside)
        shutil.move(made, target)
    return chosen
