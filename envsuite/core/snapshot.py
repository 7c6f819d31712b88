"""Snapshots: the exact state of an interface as bytes, with a header that names the world, and a checksum.

Layout: the magic word, the header's length (uint32, little endian), the header, the parts, and a BLAKE2b checksum. The
header is JSON: format, id, parameters, kind of interface, hash of the record's layout, sizes of the parts, package
version.
"""

from __future__ import annotations

import copy
import hashlib
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.core.errors import SnapshotError
from envsuite.core.files import replace
from envsuite.core.parameters import to_json
from envsuite.core.world import World

_MAGIC = b"ENVSUITE"
_DIGEST = 16


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


def identity(world: World, kind: str) -> dict[str, object]:
    """The data that must agree for a snapshot to fit: the world, its version and parameters, and the interface."""
    layout = hashlib.blake2b(repr(world.record.descr).encode(), digest_size=8).hexdigest()
    parameters = to_json(world.parameters, str)
    return {"format": 1, "id": world.id, "parameters": parameters, "interface": kind, "layout": layout}


def pack(identity: dict[str, object], parts: Sequence[bytes]) -> bytes:
    """One snapshot from the parts of an interface's state."""
    header = json.dumps({**identity, "sizes": [len(part) for part in parts]}, sort_keys=True).encode()
    data = b"".join([_MAGIC, struct.pack("<I", len(header)), header, *parts])
    return data + _digest(data)


def unpack(identity: dict[str, object], data: bytes, count: int) -> list[bytes]:
    """The parts of a snapshot, `count` of them, or `SnapshotError` saying in what it does not fit."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise SnapshotError(f"a snapshot is bytes, as get_state() gives them, not {type(data).__name__}")
    data = bytes(data)
    if not data.startswith(_MAGIC):
        raise SnapshotError("these bytes are not a snapshot of envsuite")
    if len(data) < len(_MAGIC) + 4 + _DIGEST or _digest(data[:-_DIGEST]) != data[-_DIGEST:]:
        raise SnapshotError(f"the snapshot of {_claimed_id(data)} is truncated or has been changed: checksum differs")
    (length,) = struct.unpack_from("<I", data, len(_MAGIC))
    start = len(_MAGIC) + 4
    try:
        header = json.loads(data[start : start + length])
        found = {name: header[name] for name in (*identity, "sizes")}
    except (ValueError, TypeError, LookupError, RecursionError):
        raise SnapshotError("the snapshot's header cannot be read") from None
    for name, own in identity.items():
        if found[name] != own:
            raise SnapshotError(f"the snapshot has {name} {found[name]!r:.200}, this environment {own!r}")
    sizes, rest = found["sizes"], len(data) - _DIGEST - start - length
    if not isinstance(sizes, list) or not all(type(size) is int and 0 <= size for size in sizes) or sum(sizes) != rest:
        raise SnapshotError(f"the snapshot's parts do not have the sizes that its header names: {sizes!r:.200}")
    if len(sizes) != count:
        raise SnapshotError(f"the snapshot has {len(sizes)} parts, not {count}")
    ends = (start + length + np.cumsum([0, *sizes])).tolist()
    return [data[first:last] for first, last in zip(ends, ends[1:])]


def numbers(parts: list[bytes], like: np.ndarray) -> np.ndarray:
    """The first of these parts, taken off, as an array of the type and shape of another; or `SnapshotError`."""
    part = parts.pop(0) if parts else b""
    if len(part) != like.nbytes:
        raise SnapshotError(f"a part of the snapshot has {len(part)} bytes, not {like.nbytes}")
    found = np.frombuffer(part, like.dtype).reshape(like.shape)
    if not ((found.view(np.uint8) <= 1) if like.dtype == np.bool_ else np.isfinite(found)).all():
        raise SnapshotError(f"a part of the snapshot does not hold numbers of {like.dtype}")
    return found


def _claimed_id(data: bytes) -> str:
    """The id that a damaged snapshot names in its header, as far as it can be read."""
    start = data.find(b'"id": "')
    end = data.find(b'"', start + 7)
    return data[start + 7 : end].decode(errors="replace") if 0 <= start < end else "an unknown world"


class Copies:
    """Files and exact copies of an interface, made from its `get_state` and `set_state`."""

    _ready: bool

    #: The name of the error that ended a call in the middle, so that the interface is not ready any more.
    _broken_by = ""

    def get_state(self) -> bytes:
        """The exact state as bytes, random streams included; also what to write to a file."""
        raise NotImplementedError

    def set_state(self, state: bytes) -> None:
        """Continue exactly from where `get_state` was called, or raise `SnapshotError` with nothing changed."""
        raise NotImplementedError

    def save(self, path: str | Path) -> None:
        """Write the state to a file."""
        replace(path, self.get_state())

    def load(self, path: str | Path) -> None:
        """Continue from the state in a file."""
        self.set_state(Path(path).read_bytes())

    def clone(self) -> Any:
        """An exact, independent copy: same state, same future."""
        return _revive(type(self), self._given(), copy.deepcopy(self._options()), self._state())

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.clone()

    def __reduce__(self) -> Any:
        return _revive, (type(self), self._given(), self._options(), self._state())

    def _state(self) -> bytes | None:
        return self.get_state() if self._ready else None

    def _given(self) -> tuple[Any, ...]:
        """The arguments by position of a copy's constructor; they are shared."""
        raise NotImplementedError

    def _options(self) -> dict[str, Any]:
        """Those by name; they are copied."""
        raise NotImplementedError


def _revive(cls: type, given: tuple[Any, ...], options: dict[str, Any], state: bytes | None) -> Any:
    made = cls(*given, **options)
    if state is not None:
        made.set_state(state)
    return made
