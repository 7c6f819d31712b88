"""Information: how many secrets agree with all that an agent has observed, and their entropy in bits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from envsuite.compile import tiers
from envsuite.compile.bound import bind
from envsuite.core.elementary import log2
from envsuite.core.kernel import kernel
from envsuite.core.record import array_of


@kernel
def alike(count):
    """A number of secrets that are equally likely, and their entropy."""
    return float(count), log2(float(count)) if count > 0 else 0.0


count: Any = None


def _count(records, found):
    found[0], found[1] = count(records[0])


def counted_by(counts: Callable[[Any], tuple[float, float]]) -> Any:
    """The method `uncertainty` of a world, by a kernel ``counts(s)`` that may change `s`, a copy of the record."""
    bound = bind(_count, f"uncertainty.{counts.__module__}", title="the count of secrets", count=counts)

    def uncertainty(self: Any, s: Any, agent: int) -> tuple[int, float]:
        arguments = array_of(s).reshape(1).copy(), np.zeros(2)
        tiers.entry(bound, arguments)(*arguments)
        return int(arguments[1][0]), float(arguments[1][1])

    return uncertainty


def ways(groups: Mapping[frozenset[int], int], sums: Mapping[int, int]) -> Counter[int]:
    """In how many ways cells can be marked so that sums of marks are right, by the number of marked cells.

    Cells that count in the same sums are a group. One group is taken after the other. What matters of those before is
    how many marks are missing in each sum that has cells on both sides, so ways with equal numbers are added up.

    Args:
        groups: the number of cells that count in these sums, and in no others.
        sums: the number of marks in each; each has a cell.
    """
    left = {one: {group for group in groups if one in group} for one in sums}
    open_: list[int] = []  # the sums that have cells on both sides
    found: Counter[Any] = Counter({((), 0): 1})  # by the marks missing in these, and the marked cells
    waiting = [one for one in sums if left[one]]
    while waiting:
        # The sum that can be completed soonest keeps few of them open.
        group = min(left[min(open_ or waiting, key=lambda one: len(left[one]))], key=lambda one: len(one - set(open_)))
        new = sorted(group - set(open_))
        open_ += new
        for one in group:
            left[one].remove(group)
        inside = [one in group for one in open_]
        room = [sum(groups[other] for other in left[one]) for one in open_]
        after: Counter[Any] = Counter()
        for (missing, marked), number in found.items():
            missing += tuple(sums[one] for one in new)
            for k in range(groups[group] + 1):
                now = [have - k * here for have, here in zip(missing, inside)]
                if all(0 <= have <= most for have, most in zip(now, room)):
                    rest = tuple(have for have, one in zip(now, open_) if left[one])
                    after[rest, marked + k] += number * math.comb(groups[group], k)
        found = after
        open_ = [one for one in open_ if left[one]]
        waiting = [one for one in waiting if left[one]]
    return Counter({marked: number for (_, marked), number in found.items()})
