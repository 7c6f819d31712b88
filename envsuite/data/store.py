"""The files of a data set: `dataset.json`, which describes it, and `episodes.replays`, blocks of episodes in order.

``episodes.replays`` begins with two lines: ``envsuite episodes`` and the data set's key, a hash of everything that the
episodes depend on. Each block follows as a head of fixed size with a digest of its own, the compressed content, and a
digest of key, head and content. Blocks are only ever appended. So a file that ends within a block was interrupted there
and can be continued; any other difference is damage, and is reported with the file and the number of the block.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.errors import DataError
from envsuite.core.files import Claim, ClaimedError, claim, is_aside, remove_drafts, replace
from envsuite.core.table import as_bytes, data_bytes
from envsuite.generators.base import levels_digest

#: The files of a data set.
ABOUT, EPISODES, CARD, LEVELS = "dataset.json", "episodes.replays", "README.md", "levels.json"

_FORMAT = 1
_FIRST_LINE = b"envsuite episodes\n"
_KEY = 32  # hexadecimal digits
_BEGIN = len(_FIRST_LINE) + _KEY + 1

#: A block's head: mark, first episode, number of episodes, and the bytes of its content, unpacked and packed.
_HEAD = struct.Struct("<4sQIQQ")
_MARK = b"BLCK"
_HEAD_DIGEST, _DIGEST = 8, 16

#: Maximum bytes of a block's content, and of `dataset.json`.
_MOST_BYTES, _MOST_ABOUT = 2**31, 2**24


def _digest(size: int, *parts: bytes) -> bytes:
    found = hashlib.blake2b(digest_size=size)
    for part in parts:
        found.update(part)
    return found.digest()


@dataclass(frozen=True)
class Starts:
    """Where the episodes of a data set start.

    Attributes:
        seed: of episode 0; the others follow.
        levels: the given levels, which episodes take in turn; None where worlds generate them.
        grades: the number of grades. Each level is played with all of them before the next one comes.
    """

    seed: int
    levels: Sequence[Mapping[str, Any]] | None = None
    grades: int = 1

    def level(self, episode: int) -> Mapping[str, Any] | None:
        """The level that was given for an episode."""
        return None if self.levels is None else self.levels[episode // self.grades % len(self.levels)]

    def seeds(self, first: int, count: int) -> np.ndarray:
        """(count,) uint64, the seeds of the episodes from number `first` on."""
        return np.uint64(self.seed) + np.arange(first, first + count, dtype=np.uint64)

    def start(self, batch: Batch, first: int) -> None:
        """Start the episodes from number `first` on in all worlds of a batch."""
        levels = None if self.levels is None else [self.level(first + i) for i in range(batch.num)]
        batch.start(self.seeds(first, batch.num).tolist(), levels)


@dataclass(frozen=True)
class Block:
    """Consecutive episodes: N of them, of A agents and together P transitions.

    Attributes:
        first: the number of the first one.
        lengths: (N,) int64, transitions.
        returns: (N, A) float64, the agents' total rewards.
        test: (N,) bool, whether an episode belongs to the test split.
        end: a digest of the last records of all episodes, or b"".
        actions: (P, A), one episode after the other, as the world took them: 0 for an agent that did not act.
        checksums: of the last record of each episode, as replays have them; none where there is a digest.
    """

    first: int
    lengths: np.ndarray
    returns: np.ndarray
    test: np.ndarray
    end: bytes
    actions: np.ndarray
    checksums: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def starts(self) -> np.ndarray:
        """(N + 1,) where each episode's actions begin."""
        return np.concatenate([[0], np.cumsum(self.lengths)])

    def to_bytes(self) -> bytes:
        """The content of a block in a file."""
        parts = (
            self.lengths.astype("<i4"), self.returns.astype("<f8"), self.test.astype(np.uint8),
            self.actions.astype(self.actions.dtype.newbyteorder("<")),
        )  # fmt: skip
        return b"".join([self.end, *(part.tobytes() for part in parts)])

    @classmethod
    def from_bytes(cls, data: bytes, first: int, count: int, counts: np.ndarray, dtype: np.dtype) -> Block:
        """A block from its content; `ValueError` if there is something else in it.

        Args:
            data: the content.
            first, count: the first episode, and the number of episodes.
            counts: (A,) the number of each agent's actions.
            dtype: of the actions.
        """
        agents, at = len(counts), _DIGEST

        def take(dtype: str, *shape: int) -> np.ndarray:
            nonlocal at
            found = np.frombuffer(data, dtype, int(np.prod(shape)), at).reshape(shape)
            at += found.nbytes
            return found

        lengths = take("<i4", count).astype(np.int64)
        returns, test = take("<f8", count, agents).astype(np.float64), take("<u1", count)
        rest = len(data) - at
        if count == 0 or lengths.min() < 0 or rest != lengths.sum() * agents * dtype.itemsize:
            raise ValueError("its lengths do not fit its actions")
        actions = take(dtype.newbyteorder("<").str, int(lengths.sum()), agents).astype(dtype)
        if ((actions < 0) | (actions >= counts)).any():
            raise ValueError("it has actions that the world does not have")
        if not np.isfinite(returns).all() or test.max() > 1:
            raise ValueError("it has returns or splits that cannot be")
        return cls(first, lengths, returns, test.astype(bool), data[:_DIGEST], actions)


class Store:
    """The folder of a data set.

    Args:
        path: the folder.

    Attributes:
        path: the folder.
        about: the content of `dataset.json`; "made_from" holds everything that the episodes depend on.
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        self.about = self._read_about()
        self._claim: Claim | None = None

    @classmethod
    def create(cls, path: str | os.PathLike[str], about: Mapping[str, Any]) -> Store:
        """Begin a data set in a folder that is new or empty, or is this very data set already; else `DataError`.

        No other process can do so while the store lives.
        """
        folder = Path(path)
        try:
            folder.mkdir(exist_ok=True)
            claimed = claim(folder / ABOUT)
            if all(map(is_aside, folder.iterdir())):
                _write(folder / ABOUT, about)
        except ClaimedError as holder:
            raise DataError(
                f"{folder}: another process records there ({holder}); wait for it, or choose another folder"
            ) from None
        except OSError as problem:
            raise DataError(f"{folder} cannot be a folder of data: {problem.strerror}") from None
        store = cls(folder)
        store._claim = claimed
        remove_drafts(folder)
        for name, value in about["made_from"].items():
            held = store.about["made_from"].get(name)
            if held != value:
                raise DataError(
                    f"{folder / ABOUT}: {name} is {json.dumps(held)}, not {json.dumps(value)}; resume with the same "
                    "arguments and code, or choose another folder"
                )
        if not store.file.exists():
            replace(store.file, store._beginning)
        return store

    def rewrite(self, **changes: Any) -> None:
        """Change `dataset.json`, at once and as a whole; "made_from" stays."""
        self.about = {**self.about, **changes}
        _write(self.path / ABOUT, self.about)

    @property
    def file(self) -> Path:
        """The file of the episodes."""
        return self.path / EPISODES

    @property
    def _key(self) -> bytes:
        return _digest(_KEY // 2, json.dumps(self.about["made_from"], sort_keys=True).encode()).hex().encode()

    @property
    def _beginning(self) -> bytes:
        return _FIRST_LINE + self._key + b"\n"

    def _read_about(self) -> dict[str, Any]:
        file = self.path / ABOUT
        if not self.path.is_dir():
            raise DataError(f"{self.path} is not a folder with a data set")
        try:
            with open(file, "rb") as opened:
                data = opened.read(_MOST_ABOUT)
        except OSError as problem:
            raise DataError(f"{file} cannot be read: {problem.strerror}; `envsuite record` makes it") from None
        try:
            about = json.loads(data)
            digest = about.pop("digest")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
            raise DataError(f"{file} does not describe a data set of envsuite ({problem})") from None
        if digest != _sealed(about):
            raise DataError(f"{file} is damaged or has been edited: its digest {digest!r:.40} differs")
        if about.get("format") != _FORMAT:
            raise DataError(f"{file} has format {about.get('format')!r:.40}; this version reads format {_FORMAT}")
        return about

    # Levels.

    def write_levels(self, levels: Sequence[Mapping[str, Any]]) -> None:
        """Keep the levels that were given, whose digest is in `dataset.json`."""
        replace(self.path / LEVELS, json.dumps(levels) + "\n")

    def read_levels(self) -> list[dict[str, Any]] | None:
        """The levels that were given, or None; `DataError` if the file is missing or damaged."""
        expected = self.about["made_from"].get("levels")
        if expected is None:
            return None
        file = self.path / LEVELS
        try:
            levels = json.loads(file.read_text(encoding="utf-8"))
            intact = levels_digest(levels) == expected
        except (OSError, ValueError, RecursionError) as problem:
            raise DataError(f"{file} cannot be read: {problem}") from None
        if not intact:
            raise DataError(f"{file} is damaged or has been edited: its digest is not that of {ABOUT}")
        return levels

    # Blocks.

    def heads(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Of each whole block: its place in the file, first episode, number of episodes, and bytes of its content.

        `DataError` names the block that is damaged. A block that was cut off, at the end, is left out.
        """
        if not self.file.exists():
            raise DataError(f"{self.file} is missing: resume the recording, or delete the folder")
        size = self.file.stat().st_size
        with open(self.file, "rb") as opened:
            self._check_beginning(opened)
            at, number, episode = _BEGIN, 0, 0
            while at < size:
                opened.seek(at)
                data = opened.read(_HEAD.size + _HEAD_DIGEST)
                where = f"{self.file}, block {number} (from episode {episode})"
                if not data.startswith(_MARK[: len(data)]):
                    raise DataError(f"{where}: this is no block of episodes")
                if len(data) < _HEAD.size + _HEAD_DIGEST:
                    return
                _, first, count, unpacked, packed = _HEAD.unpack_from(data)
                if data[_HEAD.size :] != _digest(_HEAD_DIGEST, self._key, data[: _HEAD.size]):
                    raise DataError(f"{where}: its head is damaged: the digest differs")
                if first != episode or not count or unpacked > _MOST_BYTES or packed > _MOST_BYTES:
                    raise DataError(f"{where}: its head contradicts the blocks before it")
                after = at + len(data) + packed + _DIGEST
                if after > size:
                    return
                yield at, first, count, unpacked, packed
                at, number, episode = after, number + 1, episode + count

    def _check_beginning(self, opened: BinaryIO) -> None:
        begins = opened.read(_BEGIN)
        if not begins.startswith(_FIRST_LINE[: len(begins)]):
            raise DataError(f"{self.file} holds no episodes of envsuite")
        if begins != self._beginning[: len(begins)]:
            raise DataError(f"{self.file} belongs to another data set than {self.path / ABOUT}")

    def read(self, head: tuple[int, int, int, int, int], counts: np.ndarray, dtype: np.dtype) -> Block:
        """The block with a head, or `DataError` that names it; for `counts` and `dtype` see `Block.from_bytes`."""
        at, first, count, unpacked, packed = head
        where = f"{self.file}, block of episodes {first} to {first + count - 1}"
        with open(self.file, "rb") as opened:
            opened.seek(at)
            start = opened.read(_HEAD.size + _HEAD_DIGEST)
            content, digest = opened.read(packed), opened.read(_DIGEST)
        if digest != _digest(_DIGEST, self._key, start, content):
            raise DataError(f"{where}: it is damaged: the digest differs")
        try:
            data = zlib.decompressobj().decompress(content, unpacked + 1)
            if len(data) != unpacked:
                raise ValueError("its content has another size than its head says")
            return Block.from_bytes(data, first, count, counts, dtype)
        except (ValueError, zlib.error) as problem:
            raise DataError(f"{where}: {problem}") from None

    def append(self, block: Block) -> None:
        """Write a block behind the whole ones."""
        content = block.to_bytes()
        packed = zlib.compress(content, 3)  # 6 makes an eighth less of it in four times the time
        head = _HEAD.pack(_MARK, block.first, len(block), len(content), len(packed))
        start = head + _digest(_HEAD_DIGEST, self._key, head)
        with open(self.file, "ab") as opened:
            opened.write(start + packed + _digest(_DIGEST, self._key, start, packed))

    def mend(self) -> int:
        """Cut off a block that was interrupted; the number of episodes that are there."""
        end, episodes = _BEGIN, 0
        for at, first, count, _, packed in self.heads():
            end, episodes = at + _HEAD.size + _HEAD_DIGEST + packed + _DIGEST, first + count
        if self.file.stat().st_size < _BEGIN:
            replace(self.file, self._beginning)
        os.truncate(self.file, end)
        return episodes


def digest_of(records: np.ndarray, into: Any = None) -> bytes:
    """A digest of records (N,) without their padding; with a hash object, of all records that went `into` it."""
    found = hashlib.blake2b(digest_size=_DIGEST) if into is None else into
    solid = np.zeros(records.dtype.itemsize, np.uint8)
    solid[data_bytes(records.dtype, records.dtype.itemsize)] = 255
    found.update((as_bytes(records) & solid).tobytes())
    return found.digest()


def _sealed(about: Mapping[str, Any]) -> str:
    return _digest(8, json.dumps(about, sort_keys=True).encode()).hex()


def _write(file: Path, about: Mapping[str, Any]) -> None:
    """Write `dataset.json` with its digest."""
    replace(file, json.dumps({**about, "digest": _sealed(about)}, indent=1) + "\n")
