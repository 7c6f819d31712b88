"""Observations as the numbers that networks take: codes, each with a row of a table of its own, and plain numbers.

The space of each entry of an observation decides:

- whole numbers with 3 to 256 values (codes of cells, small counts) are codes; each value has a learned vector,
- whole numbers with 2 values, and floats whose range is at most 2, are plain,
- other numbers x are plain as sign(x) log(1 + abs(x)).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

#: The largest number of values of a code, and the widest range of a float that is used as it is.
CODES, PLAIN = 256, 2.0


def _bounds(space: spaces.Space) -> tuple[np.ndarray, np.ndarray, bool]:
    """The lowest and highest value of each entry of a part, flat, and whether they are whole numbers."""
    if isinstance(space, spaces.Discrete):
        return np.array([space.start]), np.array([space.start + space.n - 1]), True
    assert isinstance(space, spaces.Box)
    return space.low.reshape(-1), space.high.reshape(-1), space.dtype is not None and space.dtype.kind in "iub"


class Encoder:
    """Turns observations into codes and plain numbers.

    Entries with equal bounds in one part are a *class*: they share their codes' learned vectors. A code of entry e with
    value v is row ``first[e] + v - low[e]`` of the table that all classes make together.

    Args:
        seen: the spaces of observations, whose parts are merged: parts of one name are the same space.
        agents: the number of agents; an observation's own agent is then part of the plain numbers. 0 leaves it out.

    Attributes:
        classes: (entries, values) of each class of codes.
        codes: the number of codes of an observation.
        plain: the number of its plain numbers.
        stamp: a digest of all this. Networks for equal stamps take the same inputs.
    """

    def __init__(self, seen: Sequence[spaces.Space], agents: int = 0):
        parts: dict[str, spaces.Space] = {}
        for space in seen:
            parts |= dict(space.items()) if isinstance(space, spaces.Dict) else {"": space}
        self.agents = agents
        self.classes: list[tuple[int, int]] = []
        self._parts: list[tuple[str, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
        self.codes = rows = 0
        self.plain = self.agents
        told = []
        for name, space in parts.items():
            low, high, whole = _bounds(space)
            with np.errstate(over="ignore", invalid="ignore"):
                values = high.astype(np.float64) - low.astype(np.float64) + 1
            coded = np.flatnonzero((values > 2) & (values <= CODES)) if whole else np.zeros(0, np.int64)
            first = np.zeros(len(coded), np.int64)
            for pair in sorted({(low[e].item(), high[e].item()) for e in coded}):
                of = np.flatnonzero((low[coded] == pair[0]) & (high[coded] == pair[1]))
                count = int(pair[1] - pair[0] + 1)
                first[of] = rows + np.arange(len(of)) * count
                rows += len(of) * count
                self.classes.append((len(of), count))
            numbers = np.setdiff1d(np.arange(len(low)), coded)
            wide = values[numbers] > (2 if whole else PLAIN + 1)
            limits = low[coded].astype(np.int32), high[coded].astype(np.int32)
            self._parts.append((name, coded, *limits, first.astype(np.int32), numbers, wide))
            self.codes += len(coded)
            self.plain += len(numbers)
            told.append([name, coded.tolist(), *(part.tolist() for part in limits), numbers.tolist(), wide.tolist()])
        data = json.dumps([told, self.agents]).encode()
        self.stamp = hashlib.blake2b(data, digest_size=8).hexdigest()

    def encode(
        self, observations: Any, lead: tuple[int, ...], agents: Sequence[int] = ()
    ) -> tuple[np.ndarray, np.ndarray]:
        """Codes (*lead, n) int32, as rows of the table, and plain numbers (*lead, m) float32.

        Args:
            observations: an array (*lead, ...), or named parts of such arrays, as a batch holds them.
            lead: the shape of an array of observations; with agents it ends with their number.
            agents: the number of each agent in the last axis of `lead`.
        """
        codes: np.ndarray = np.empty((*lead, self.codes), np.int32)
        plain: np.ndarray = np.empty((*lead, self.plain), np.float32)
        c = p = 0
        for name, coded, low, high, first, numbers, wide in self._parts:
            part = np.asarray(observations[name] if name else observations).reshape(*lead, len(coded) + len(numbers))
            if len(coded):
                found = part[..., coded].astype(np.int32) if len(numbers) else part.astype(np.int32)
                np.clip(found, low, high, out=found)  # the unseen parts of an agent with other parts are 0
                codes[..., c : c + len(coded)] = found + (first - low)
                c += len(coded)
            if len(numbers):
                kept = part[..., numbers] if len(coded) else part
                plain[..., p : p + len(numbers)] = kept
                if wide.any():
                    large = np.nan_to_num(kept[..., wide].astype(np.float64))
                    plain[..., p + np.flatnonzero(wide)] = np.sign(large) * np.log1p(np.abs(large))
                p += len(numbers)
        if self.agents:
            plain[..., p:] = np.eye(self.agents, dtype=np.float32)[list(agents)]
        return codes, plain


def parts_of(state: Any) -> Any:
    """A state as `Encoder.encode` takes it: parts by name, or an array."""
    return dict(state) if isinstance(state, Mapping) else state
