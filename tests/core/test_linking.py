"""Kernels are linked into entries, and only entries become machine code."""

import os
import subprocess
import sys

import numpy as np
import pytest

from envsuite.compile.bound import bind
from envsuite.compile.switches import PYTHON
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint

if not PYTHON:  # this imports Numba
    from envsuite.compile.numba_ import linking, pins

pytestmark = pytest.mark.machine

RECORD = np.dtype([("rng", np.uint64), ("seen", np.int64)])


@kernel
def doubled(s):
    return 2 * s.seen


@large_kernel
def drawn(s):
    s.seen = doubled(s) + randint(s, 10)


def _entry(records):
    for i in range(len(records)):
        drawn(records[i])
    return records[0].seen


def test_numba_has_what_linking_uses():
    assert not pins.plain() and pins.keeps()


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """What is read from the cache has not been linked here."""
    monkeypatch.setattr("envsuite.compile.bound.cache_folder", lambda: tmp_path)


@pytest.mark.slow
def test_kernels_are_not_turned_into_machine_code(empty_cache):
    entry = bind(_entry, "test_linking.entry")
    records = np.zeros(3, RECORD)
    call = entry.entry(records)
    libraries = [next(iter(function.dispatcher.overloads.values())).library for function in (doubled, drawn)]
    assert all(isinstance(library, linking._KernelLibrary) for library in libraries)
    assert all(library._compiled_object is None for library in libraries)
    assert all(len(list(library.get_defined_functions())) == 1 for library in libraries), "its own function alone"
    assert 0 <= call(records) < 10


@pytest.mark.slow
def test_libraries_are_linked_behind_all_that_call_them(empty_cache):
    """LLVM links only what the module asks for by then; what is asked for later would be missing."""
    entry = bind(_entry, "test_linking.order")
    entry.entry(np.zeros(3, RECORD))
    library = next(iter(drawn.dispatcher.overloads.values())).library
    order = [library, *linking._reached(library)]
    for k, caller in enumerate(order):
        if isinstance(caller, linking._KernelLibrary):
            assert all(order.index(called) > k for called in caller._linking_libraries)


def test_functions_of_others_can_call_kernels():
    import numba

    @numba.njit
    def twice(records):
        drawn(records[0])
        return doubled(records[0])

    records = np.zeros(1, RECORD)
    assert twice(records) == 2 * records[0]["seen"]


_PROCESS = """
from envsuite.compile.numba_ import pins
{before}
from envsuite import registry
from envsuite.core.batch import Batch
batch = Batch(registry.build("TicTacToe"), 2, compiled=True)
batch.start(range(2))
print(batch.records.tobytes().hex())
"""


def test_entries_load_from_the_cache_in_another_process_and_where_nothing_is_linked(tmp_path):
    """Where nothing is linked Numba's own compiler is in use; what ours made is the same to it."""

    def found(before):
        environment = {**os.environ, "ENVSUITE_CACHE": str(tmp_path)}
        code = _PROCESS.format(before=before)
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        return done.stdout, {path.name: path.read_bytes() for path in tmp_path.glob("*.code")}

    made = found("")
    assert len(made[1]) == 1
    assert found("") == made
    assert found("pins.plain = lambda: True") == made
