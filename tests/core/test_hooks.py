"""Calls that wait for the import of a library, and the registration of ids by them."""

import subprocess
import sys
from importlib import import_module

import pytest

from envsuite.core import hooks

REGISTERED = (
    "print(sum(id.startswith('envsuite/') for id in gymnasium.registry), len(envsuite.ids())); "
    "gymnasium.make('envsuite/DoorKey-v0'); pettingzoo.make('aec', 'envsuite/TicTacToe-v0')"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "imports",
    [
        "import envsuite, gymnasium, pettingzoo",
        "import gymnasium, pettingzoo, envsuite",
        "import envsuite; from gymnasium import spaces; import pettingzoo.utils, gymnasium",
    ],
)
def test_ids_are_registered_in_whatever_order_libraries_are_imported(imports):
    done = subprocess.run([sys.executable, "-c", f"{imports}; {REGISTERED}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ours, ids = done.stdout.split()
    assert ours == ids


def test_an_import_of_the_package_waits_for_no_library():
    script = "import sys, envsuite; print(*{'gymnasium', 'numpy', 'numba', 'pettingzoo', 'pygame'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "\n"


@pytest.fixture
def library(tmp_path, monkeypatch):
    """The file of a library that can be imported."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "awaited", raising=False)
    yield tmp_path / "awaited.py"
    hooks._WAITING.pop("awaited", None)


def test_calls_wait_for_an_import_that_succeeds(library):
    library.write_text("1 / 0")
    calls = []
    hooks.when_imported("awaited", lambda: calls.append(sys.modules["awaited"].x))
    hooks.when_imported("awaited", lambda: calls.append("second"))
    with pytest.raises(ZeroDivisionError):
        import_module("awaited")
    assert not calls
    library.write_text("x = 'whole'  # longer than before")
    import_module("awaited")
    assert calls == ["whole", "second"]
    hooks.when_imported("awaited", lambda: calls.append("at once"))
    assert calls[-1] == "at once"


def test_a_library_that_is_not_there_stays_so(library):
    hooks.when_imported("awaited", lambda: None)
    with pytest.raises(ModuleNotFoundError, match="No module named 'awaited'"):
        import_module("awaited")
