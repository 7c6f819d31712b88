"""Whole arrays of a record at once: `fill` and `copy`, which kernels call in place of a loop over the cells."""

from __future__ import annotations

from typing import Any

from envsuite.core.kernel import compiled_as
from envsuite.core.record import array_of


@compiled_as("envsuite.core.arrays_machine:fill")
def fill(array: Any, value: Any) -> None:
    """Write one value into all cells."""
    array[...] = value


@compiled_as("envsuite.core.arrays_machine:copy")
def copy(target: Any, source: Any) -> None:
    """Copy the cells, or records, of an array to another array of the same shape; the two must not overlap."""
    to, of = array_of(target), array_of(source)
    assert to.shape == of.shape, f"{of.shape} is copied to {to.shape}"
    to[...] = of
