"""Observations and records as words and bytes: which of these count, hashes of them, and tables by their hashes."""

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.random import mix

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def as_words(records: np.ndarray) -> np.ndarray:
    """The same memory as (N, W) uint64: NumPy's copies of structured arrays leave their padding undefined."""
    return records.view(np.uint64).reshape(len(records), -1)


def as_bytes(records: np.ndarray) -> np.ndarray:
    """The same memory as (..., S) uint8."""
    return records.view(np.uint8).reshape(*records.shape, records.dtype.itemsize)


def data_bytes(dtype: np.dtype, size: int) -> np.ndarray:
    """Which of `size` bytes of items of a dtype hold data: the padding of a record's copy is undefined."""
    found = np.arange(size)
    if dtype.fields is None:
        return found
    holds = np.zeros(dtype.itemsize, np.bool_)
    for part, offset, *_ in dtype.fields.values():
        holds[offset + data_bytes(part.base, part.itemsize)] = True
    return found[holds[found % dtype.itemsize]]


@kernel
def hash_bytes(row, columns, start):
    """A 64-bit hash of the bytes at `columns` of `row` (uint8), never 0; `start` (uint64) makes another one."""
    found = mix(start + _GOLDEN)
    word = np.uint64(0)
    for k in range(columns.shape[0]):
        word = word << np.uint64(8) | np.uint64(row[columns[k]])
        if k & 7 == 7:
            found = mix((found ^ word) + _GOLDEN)
            word = np.uint64(0)
    return mix((found ^ word) + np.uint64(columns.shape[0])) | np.uint64(1)


@kernel
def find(keys, key):
    """Where a key is in an open-addressing table (2**k,) uint64, or the free place (key 0) where it would be."""
    last = np.uint64(keys.shape[0] - 1)
    place = (key >> np.uint64(1)) & last  # the lowest bit is the same in all
    while keys[place] != 0 and keys[place] != key:
        place = (place + np.uint64(1)) & last
    return place
