"""`Ledger`: results in a file, each in a line of JSON that ends with a digest of the line.

A line is added when a result is there. A run that is resumed reads the lines, checks them, and does only what is
missing. An interrupt within a line leaves the beginning of one at the end of the file, which is removed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from envsuite.core.errors import ResultsError
from envsuite.core.files import ClaimedError, claim, writable
from envsuite.scale.job import Job, Part

#: The errors of a line that is not what it should be.
_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, zlib.error)


def line(data: Mapping[str, Any]) -> bytes:
    """A line: JSON that ends with a digest of everything before it."""
    text = json.dumps(data)[:-1]
    code = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    return f'{text}, "digest": "{code}"}}\n'.encode()


def entry(text: bytes, where: str, what: str) -> dict[str, Any]:
    """The data of a line, without its newline; `ResultsError` begins with the place if it is not `what`."""
    try:
        data = json.loads(text)
        code = data.pop("digest")
        intact = line(data) == text + b"\n"
    except _UNREADABLE as problem:
        raise ResultsError(f"{where}: this is not {what} ({problem})") from None
    if not intact:
        raise ResultsError(f"{where}: this line is damaged or has been edited: its digest {code!r:.40} differs")
    return data


def read(path: str | os.PathLike[str], what: str = "a block of results") -> tuple[list[dict[str, Any]], int]:
    """The data of all lines of a file, and the number of bytes of a line at its end that is not complete.

    `ResultsError` names the first line that is damaged.
    """
    with open(path, "rb") as file:
        *lines, rest = file.read().split(b"\n")
    return [entry(text, f"{path}, line {number}", what) for number, text in enumerate(lines, 1)], len(rest)


class Ledger:
    """A file of results.

    Args:
        path: of the file, new or existing; None for no file.
        common: the data that all lines must have, by name.
        take: called with the data of each line of the file, and the place for error messages.
        what: what a line is, with its article, for error messages.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        common: Mapping[str, Any],
        take: Callable[[dict[str, Any], str], None],
        what: str = "a block of results",
    ):
        self.path, self.common = None if path is None else writable(path), common
        if self.path is not None:
            try:
                self._claim = claim(self.path)
            except ClaimedError as holder:
                raise ResultsError(
                    f"{self.path}: another process adds to this file ({holder}); wait for it, or choose another file"
                ) from None
        if self.path is None or not self.path.exists():
            return
        lines, rest = read(self.path, what)
        for number, data in enumerate(lines, 1):
            where = f"{self.path}, line {number}"
            for name, value in common.items():
                if name not in data:
                    raise ResultsError(f"{where}: this is not {what} (it has no {name})")
                if data[name] != value:
                    raise ResultsError(
                        f"{where}: its {name} is {json.dumps(data[name])}, not {json.dumps(value)}; "
                        "resume with the same arguments, or choose another file"
                    )
            try:
                take(data, where)
            except _UNREADABLE as problem:
                if isinstance(problem, ResultsError):
                    raise
                raise ResultsError(f"{where}: this is not {what} ({problem})") from None
        if rest:  # an interrupt within a line
            self._cut(rest, f"{self.path}, line {len(lines) + 1}: this is not {what}")

    def _cut(self, rest: int, problem: str) -> None:
        """Remove the last `rest` bytes of the file, if a line begins like this."""
        assert self.path is not None
        data, begins = self.path.read_bytes(), line(self.common)[:10]
        if data[len(data) - rest :][:10] != begins[:rest]:
            raise ResultsError(problem)
        os.truncate(self.path, len(data) - rest)

    def add(self, data: Mapping[str, Any]) -> None:
        """Add a line."""
        if self.path is not None:
            with open(self.path, "ab") as file:
                file.write(line({**self.common, **data}))


class Blocks:
    """The finished blocks of jobs with one header, in memory and in a ledger."""

    def __init__(self, path: str | os.PathLike[str] | None, header: Mapping[str, Any]):
        self._found: dict[str, tuple[str, Part, str]] = {}
        self._ledger = Ledger(path, header, self._take)

    def _take(self, data: dict[str, Any], where: str) -> None:
        part = {name: _decoded(array) for name, array in data["results"].items()}
        self._found.setdefault(json.dumps(data["key"]), (data["code"], part, where))

    def get(self, job: Job, k: int) -> Part | None:
        """The results of a block, if they are there; `ResultsError` if they are of other code or of another block."""
        found = self._found.get(json.dumps(job.key(k)))
        if found is None:
            return None
        code, part, where = found
        if code != job.code():
            raise ResultsError(
                f"{where}: this was played before the code of the world or of the policies changed; give another file"
            )
        if not job.fits(k, part):
            raise ResultsError(f"{where}: these results are not those of the block that the line names")
        return part

    def put(self, job: Job, k: int, part: Part) -> None:
        """Keep the results of a block."""
        results = {name: _encoded(array) for name, array in part.items()}
        self._ledger.add({"key": job.key(k), "code": job.code(), "units": job.units(k), "results": results})


def _encoded(array: np.ndarray) -> dict[str, Any]:
    """An array of numbers as plain data for JSON, all bits kept."""
    data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    packed = base64.b64encode(zlib.compress(data.tobytes(), 1)).decode()
    return {"dtype": data.dtype.str, "shape": list(data.shape), "zlib": packed}


def _decoded(data: Mapping[str, Any]) -> np.ndarray:
    """The array; reading stops at its own size, whatever a forged line holds."""
    dtype, shape = np.dtype(str(data["dtype"])), tuple(map(int, data["shape"]))
    size = dtype.itemsize * math.prod(shape)
    unpacked = zlib.decompressobj().decompress(base64.b64decode(data["zlib"], validate=True), size + 1)
    if dtype.kind not in "iufb" or min(shape, default=0) < 0 or len(unpacked) != size:
        raise ValueError("an array does not have its size")
    return np.frombuffer(unpacked, dtype).reshape(shape).astype(dtype.newbyteorder("="))
