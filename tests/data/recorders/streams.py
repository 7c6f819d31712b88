"""What recorders of environments with NumPy's random numbers share: a stream in its place, and checksums."""

import zlib

import numpy as np

from envsuite.core.random import bernoulli, normal, randint, uniform
from envsuite.core.record import as_views


class Stream:
    """Random numbers as `numpy.random.RandomState` gives them, from a stream of this package."""

    def __init__(self, word):
        self.s = as_views(np.array([(word,)], [("rng", np.uint64)]))[0]

    def rand(self, size=None):
        return _drawn(lambda: float(uniform(self.s)), size)

    def randn(self):
        return float(normal(self.s))

    def randint(self, low, high=None, size=None):
        low, high = (0, low) if high is None else (low, high)
        return _drawn(lambda: low + int(randint(self.s, high - low)), size)

    def binomial(self, n, p, size=None):
        return _drawn(lambda: int(bernoulli(self.s, p)), size)


def _drawn(draw, size):
    return draw() if size is None else np.array([draw() for _ in range(size)])


def checksum(array):
    """Four digits for the bytes of an array."""
    return f"{zlib.crc32(np.ascontiguousarray(array).tobytes()) & 0xFFFF:04x}"
