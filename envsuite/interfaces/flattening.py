"""Observations as vectors of numbers, one layout for all agents of a world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from envsuite.core.batch import Batch
from envsuite.core.world import World

#: Bounds further apart than this say little about usual values, so such numbers are not scaled by them.
_FAR = 10_000

#: Codes are integers with 3 to this many values. With "one-hot" each value gets a number of its own.
_CODES = 255


class _Block(NamedTuple):
    """Numbers of one part of the observations that are encoded in the same way."""

    part: str | None
    elements: np.ndarray  # of the part, as a row
    where: slice  # in the vector
    encode: Callable[[np.ndarray], np.ndarray]  # (n, elements) to (n, width)


class Flattening:
    """The vectors (D,) float32 into which the observations of a world turn.

    Parts follow each other in alphabetical order, those of all agents: numbers of parts that an agent does not have
    are 0. A `Discrete` part is one-hot. Numbers with bounds are scaled to [0, 1]. Numbers with no bounds, or with
    bounds more than 10,000 apart, become sign(x) log(1 + |x|).

    Args:
        world: the world.
        one_hot: whether integers with 3 to 255 values are one-hot too.

    Attributes:
        space: the `Box` (D,) of a vector.
    """

    def __init__(self, world: World, one_hot: bool):
        parts: dict[str | None, spaces.Space] = {}
        for space in world.observation_spaces:
            parts |= dict(space.items()) if isinstance(space, spaces.Dict) else {None: space}
        self._blocks: list[_Block] = []
        #: The agents that lack a part, and where it would be.
        self._missing: list[tuple[int, slice]] = []
        bounds: list[tuple[np.ndarray, np.ndarray]] = []
        width = 0
        for name in sorted(parts, key=str):
            start = width
            for elements, low, high, encode in _encodings(parts[name], one_hot):
                self._blocks.append(_Block(name, elements, slice(width, width + len(low)), encode))
                bounds.append((low, high))
                width += len(low)
            for agent, space in enumerate(world.observation_spaces):
                if isinstance(space, spaces.Dict) and name not in space.spaces:
                    self._missing.append((agent, slice(start, width)))
        lows, highs = (np.concatenate(side).astype(np.float32) for side in zip(*bounds))
        for _, where in self._missing:
            np.minimum(lows[where], 0, out=lows[where])
            np.maximum(highs[where], 0, out=highs[where])
        self.space = spaces.Box(lows, highs, dtype=np.float32)

    def vectors(self, batch: Batch, agents: Sequence[int], out: np.ndarray | None = None) -> np.ndarray:
        """The observations of these agents in all records, (N, S, D) float32, in `out` if it is given."""
        seen = batch.observations[:, agents]
        found = np.empty((*seen.shape[:2], *self.space.shape), np.float32) if out is None else out
        flat = found.reshape(-1, *self.space.shape)
        for part, elements, where, encode in self._blocks:
            numbers = (seen if part is None else seen[part]).reshape(len(flat), -1)
            flat[:, where] = encode(numbers if len(elements) == numbers.shape[1] else numbers[:, elements])
        for agent, where in self._missing:
            if agent in agents:
                found[:, list(agents).index(agent), where] = 0.0
        return found


def _encodings(space: spaces.Space, one_hot: bool) -> list[tuple[np.ndarray, Any, Any, Callable]]:
    """For each way of encoding that numbers of a part need: these numbers, the bounds of the results, the function."""
    if isinstance(space, spaces.Discrete):
        start, count = int(space.start), int(space.n)
        return [(np.zeros(1, int), np.zeros(count), np.ones(count), partial(_codes, starts=start, count=count))]
    assert isinstance(space, spaces.Box)
    exact: Any = np.float32 if np.can_cast(space.dtype, np.float32) else np.float64
    low: Any = space.low.ravel().astype(exact)
    high: Any = space.high.ravel().astype(exact)
    span = high - low
    far = ~(span <= _FAR)
    coded = ~far & (span >= 2) & (span < _CODES) & (one_hot and space.dtype.kind in "iu")
    found: list[tuple[np.ndarray, Any, Any, Callable]] = []
    for count in np.unique(span[coded]).astype(int) + 1:
        at = np.flatnonzero(coded & (span == count - 1))
        ends = np.zeros(len(at) * count), np.ones(len(at) * count)
        found.append((at, *ends, partial(_codes, starts=low[at].astype(np.int64), count=count)))
    at = np.flatnonzero(~far & ~coded)
    if len(at):
        found.append((at, *np.broadcast_to([[0.0], [1.0]], (2, len(at))), partial(_scaled, low[at], span[at])))
    at = np.flatnonzero(far)
    if len(at):
        found.append((at, _logarithm(low[at]), _logarithm(high[at]), _logarithm))
    return found


def _codes(values: np.ndarray, starts: Any, count: int) -> np.ndarray:
    numbers = values - np.asarray(starts, np.int64)
    return (numbers[..., None] == np.arange(count)).reshape(len(values), -1)


def _scaled(low: np.ndarray, span: np.ndarray, values: np.ndarray) -> np.ndarray:
    if not low.any() and (span == 1).all():
        return values
    numbers = values.astype(low.dtype)
    numbers -= low
    numbers /= np.where(span > 0, span, 1)
    return numbers


def _logarithm(values: np.ndarray) -> np.ndarray:
    wide = values.astype(np.float64)
    return np.sign(wide) * np.log1p(np.abs(wide))
