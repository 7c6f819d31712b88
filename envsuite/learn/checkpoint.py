"""Checkpoints: arrays by name and plain data in one file, with a checksum. Reading one never runs code of the file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.core import snapshot
from envsuite.core.errors import EnvsuiteError, SnapshotError
from envsuite.core.files import replace, writable

_IDENTITY: dict[str, object] = {"format": 1, "interface": "learned"}

#: The types that arrays may have.
_TYPES = ("float16", "float32", "float64", "int64", "uint64", "uint8", "bool")


class CheckpointError(EnvsuiteError, ValueError):
    """A checkpoint is damaged, is no checkpoint, or belongs to another world."""


def pack(data: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """A checkpoint as bytes: plain data, which JSON can hold, and arrays by name."""
    listed = [[name, array.dtype.name, list(array.shape)] for name, array in arrays.items()]
    assert all(kind in _TYPES for _, kind, _ in listed), listed
    blob = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())
    return snapshot.pack(_IDENTITY, [json.dumps({**data, "arrays": listed}).encode(), blob])


def unpack(content: bytes, label: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The data and arrays of a checkpoint, or `CheckpointError`, whose message begins with `label`."""
    try:
        head, blob = snapshot.unpack(_IDENTITY, content, 2)
        data = json.loads(head)
        arrays, at = {}, 0
        for name, kind, shape in data.pop("arrays"):
            if kind not in _TYPES or not all(type(size) is int and size >= 0 for size in shape):
                raise ValueError(f"the array {name!r:.80} is {kind!r:.80} of shape {shape!r:.80}")
            end = at + np.dtype(kind).itemsize * math.prod(shape)
            if end > len(blob):
                raise ValueError(f"the array {name!r:.80} is incomplete")
            arrays[str(name)] = np.frombuffer(blob[at:end], kind).reshape(shape).copy()
            at = end
    except SnapshotError as problem:
        raise CheckpointError(f"{label} is no checkpoint of envsuite: {problem}") from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, MemoryError) as problem:
        raise CheckpointError(f"{label}: the checkpoint cannot be read: {problem}") from None
    return data, arrays


def write(path: str | os.PathLike[str], data: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a checkpoint as a whole: an interrupt leaves the file that was there."""
    replace(writable(path), pack(data, arrays))


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read a checkpoint, or raise `CheckpointError`."""
    try:
        content = Path(path).read_bytes()
    except OSError as problem:
        raise CheckpointError(f"{str(path)!r} cannot be read: {problem.strerror or problem}") from None
    return unpack(content, str(path))
