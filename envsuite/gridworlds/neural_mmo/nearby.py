"""Who is near whom on a large map: lists of the living for each bucket of 8 x 8 cells, and the nearest others.

The record has `x`, `y` and `health` of everyone, and the fields below. `link` makes the lists and `unlink` empties
them; nobody may move between the two. Both cost a little for each agent, and nothing for the map.
"""

from __future__ import annotations

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import MANY, within

#: Cells on a side of a bucket, as a power of two.
BITS = 3
#: More than any number of an agent plus 1.
NUMBERS = 4096


def fields(watchers: int, everyone: int, width: int, seen: int) -> list[tuple]:
    """The fields; the first `watchers` agents see others, `seen` of them at most, on a map of width x width cells."""
    buckets = ((width - 1) >> BITS) + 1
    return [
        ("near", within(np.int64, 0, everyone), (watchers, seen)),  # numbers plus 1 of those seen, the nearest first
        ("first", within(np.uint16, 0, 0), (buckets, buckets)),
        ("next", within(np.uint16, 0, 0), (everyone,)),
        ("keys", within(np.int64, 0, MANY), (seen,)),  # used only within `look`
    ]


@kernel
def clear(s):
    """The fields at a reset."""
    fill(s.first, 0)
    fill(s.next, 0)
    fill(s.keys, 0)


@kernel
def link(s):
    """List the living by buckets."""
    for e in range(s.x.shape[0] - 1, -1, -1):
        if s.health[e] > 0:
            j, i = s.y[e] >> BITS, s.x[e] >> BITS
            s.next[e] = s.first[j, i]
            s.first[j, i] = e + 1


@kernel
def unlink(s):
    """Empty the lists."""
    for e in range(s.x.shape[0]):
        s.first[s.y[e] >> BITS, s.x[e] >> BITS] = 0
        s.next[e] = 0


@large_kernel
def watch(s, sight):
    """Note the others that every living watcher sees, at most `sight` rows and columns away."""
    link(s)
    for a in range(s.near.shape[0]):
        if s.health[a] > 0:
            look(s, a, sight)
        else:
            for k in range(s.near.shape[1]):
                s.near[a, k] = 0
    unlink(s)


@large_kernel
def look(s, a, sight):
    """The nearest others by the larger of rows and columns, then by their sum, then by number."""
    found, y, x = 0, s.y[a], s.x[a]
    for j in range((y - sight) >> BITS, ((y + sight) >> BITS) + 1):
        for i in range((x - sight) >> BITS, ((x + sight) >> BITS) + 1):
            number = np.int64(s.first[j, i])
            while number > 0:
                down, right = abs(s.y[number - 1] - y), abs(s.x[number - 1] - x)
                far = max(down, right)
                if number - 1 != a and far <= sight:
                    found = insert(s.keys, found, (far * (2 * sight + 1) + down + right) * NUMBERS + number)
                number = np.int64(s.next[number - 1])
    for k in range(s.near.shape[1]):
        s.near[a, k] = s.keys[k] % NUMBERS if k < found else 0


@kernel
def insert(keys, found, key):
    """Put a key among the `found` smallest, in order; return how many there are now."""
    last = keys.shape[0] - 1
    if found > last and key > keys[last]:
        return found
    k = min(found, last)
    while k > 0 and keys[k - 1] > key:
        keys[k] = keys[k - 1]
        k -= 1
    keys[k] = key
    return min(found, last) + 1


@large_kernel
def nearest(s, e, sight):
    """The number plus 1 of the watcher nearest to an agent by the larger of rows and columns, or 0 if none is seen."""
    y, x = s.y[e], s.x[e]
    best = (sight + 1) * NUMBERS
    for j in range((y - sight) >> BITS, ((y + sight) >> BITS) + 1):
        for i in range((x - sight) >> BITS, ((x + sight) >> BITS) + 1):
            number = np.int64(s.first[j, i])
            while number > 0:
                if number <= s.near.shape[0] and number - 1 != e:
                    far = max(abs(s.y[number - 1] - y), abs(s.x[number - 1] - x))
                    best = min(best, far * NUMBERS + number)
                number = np.int64(s.next[number - 1])
    return best % NUMBERS
