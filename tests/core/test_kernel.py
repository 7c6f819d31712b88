"""Kernels that use the constants and tables of other modules by the module's name."""

import os
import subprocess
import sys
import types

import numpy as np
import pytest

from envsuite.compile.bound import bind
from envsuite.core.kernel import kernel
from envsuite.core.record import Cells

tables = types.ModuleType("tables")
tables.HEIGHTS = np.array([200, 100], np.uint8)
tables.UNUSED = np.array([200, 100], np.uint8)
tables.LIMIT = 250


@kernel
def total(i):
    return min(tables.HEIGHTS[i] + tables.HEIGHTS[1 - i], tables.LIMIT)


def template(values):
    values[0] = total(0)


def test_sums_of_bytes_of_another_module_do_not_wrap_around():
    assert total(0) == 250  # 300 as a byte is 44
    assert type(tables.HEIGHTS) is Cells and type(tables.UNUSED) is np.ndarray


@pytest.mark.parametrize("name, value", [("LIMIT", 251), ("HEIGHTS", np.array([200, 101], np.uint8))])
def test_stamps_follow_what_a_kernel_takes_from_a_module(monkeypatch, name, value):
    before = bind(template, "before").rules
    monkeypatch.setattr(tables, "UNUSED", 1)
    assert bind(template, "before").rules == before
    monkeypatch.setattr(tables, name, value)
    assert bind(template, "before").rules != before


def test_numba_without_its_compiler():
    """NUMBA_DISABLE_JIT switches compiling off for all that uses Numba."""
    code = (
        "import sys, envsuite, numpy\nvector = envsuite.make_vec('TicTacToe', num_envs=2, compiled=True)\n"
        "vector.reset(seed=0)\nvector.step(numpy.zeros((2, 2), int))\nprint('numba' in sys.modules)"
    )
    off = {name: value for name, value in os.environ.items() if name not in ("ENVSUITE_PYTHON", "ENVSUITE_LAZY")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**off, "NUMBA_DISABLE_JIT": "1"}
    )
    assert done.stdout == "False\n", done.stderr
