"""Which layer a case is in follows from its marks, what it imports, its folder and the table of seconds."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import kit
import layers
import pytest
import seconds

SUITE = """
import pytest

def compare():
    import pyspiel
    return pyspiel

class Theirs:
    def __init__(self):
        from minigrid import envs

@pytest.fixture
def server():
    import uvicorn

def test_quick():
    pass

@pytest.mark.slow
def test_marked():
    pass

@pytest.mark.machine
def test_of_machine_code():
    pass

def test_compiled():
    import numba

def test_compared():
    compare()

def test_compared_in_a_class():
    Theirs()

@pytest.mark.parametrize("reference", [compare])
def test_given(reference):
    reference()

def test_served(server):
    pass

def test_of_a_world_called_like_a_package():
    from envsuite.gridworlds import crafter

@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_measured(k):
    pass
"""

EXPECTED = {
    "test_quick": "quick",
    "test_marked": "slow",
    "test_of_machine_code": "slow",
    "test_compiled": "slow",
    "test_compared": "oracles",
    "test_compared_in_a_class": "oracles",
    "test_given[compare]": "oracles",
    "test_served": "rooms",
    "test_of_a_world_called_like_a_package": "quick",
    "test_measured[0]": "quick",
    "test_measured[1]": "slow",
    "test_measured[2]": "slow",
    "test_measured[3]": "long",
}

REPORT = """
import layers

def pytest_collection_modifyitems(items):
    print("layers", {item.name: layers.layer(item) for item in items})
"""


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """A folder of tests with the files that decide on layers."""
    folder = tmp_path / "tests"
    (folder / "worlds" / "games").mkdir(parents=True)
    for name in ("conftest.py", "layers.py", "seconds.py", "stamps.py", "browser.py", "kinds.py", "kit.py"):
        (folder / name).write_text((kit.ROOT / "tests" / name).read_text())
    (folder / "report.py").write_text(REPORT)
    marks = "".join(f"    {mark}\n" for mark in "quick slow oracles rooms machine long mostly_slow".split())
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = tests\nmarkers =\n{marks}")
    for name in ("seconds.json", "lengths.json"):
        (folder / name).write_text("{}")
    return folder


def run(folder, *options, **environment):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *options]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, env={**os.environ, **environment})
    return done.stdout + done.stderr


@pytest.mark.oracles  # whose packages the suite imports
def test_layers(suite):
    (suite / "worlds" / "games" / "test_it.py").write_text(SUITE)
    table = {"worlds/games/test_it.py": {"": 0.3, "test_measured[0]": 0.4, "test_measured[1]": 0.45}}
    table["worlds/games/test_it.py"] |= {"test_measured[2]": 0.6, "test_measured[3]": 0.7}
    (suite / "seconds.json").write_text(json.dumps(table))
    lengths = {"test_measured[0]": 9.0, "test_measured[2]": 2.0, "test_measured[3]": 5.0, "test_marked": 0.5}
    (suite / "lengths.json").write_text(json.dumps({"worlds/games/test_it.py": {"": 0.5, **lengths}}))
    shown = run(suite, "--collect-only", "-m", "", "-p", "report", PYTHONPATH=str(suite))
    line = next(line for line in shown.splitlines() if "layers {" in line)
    assert eval(line.partition("layers ")[2]) == EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize("options, found", [(("-m", "quick or long"), 2), (("-m", "quick"), 0)])
def test_long_cases_of_rooms_and_of_machine_code(suite, options, found):
    for folder, text in (("serve", ""), ("worlds", "import numba\n")):
        (suite / folder).mkdir(exist_ok=True)
        test = "import pytest\n\n@pytest.mark.long\ndef test_it():\n    pass\n"
        (suite / folder / f"test_{folder}.py").write_text(f"{text}{test}")
    assert run(suite, "--collect-only", *options).count("::test_it") == found


@pytest.mark.slow
def test_no_test_imports_numba_as_python(suite):
    (suite / "test_it.py").write_text("def test_it():\n    __import__('numba')\n")
    assert "Numba has been imported" in run(suite, ENVSUITE_PYTHON="1")
    assert "1 passed" in run(suite, ENVSUITE_PYTHON="0")


@pytest.mark.slow
def test_a_quick_case_that_takes_long_fails_with_budget(suite):
    busy = (
        "import time\n\ndef test_it():\n    end = time.process_time() + {}\n    while time.process_time() < end: pass\n"
    )
    (suite / "test_it.py").write_text(busy.format(1.6))
    assert "test_it.py::test_it takes" in (shown := run(suite, "--budget")) and "make it shorter" in shown
    (suite / "test_it.py").write_text(busy.format(0.1))
    assert "takes" not in run(suite, "--budget")


def test_the_budget_of_a_file_has_its_cheapest_cases(monkeypatch):
    cases = {"test_a": 0.4, "test_b": 0.45, "test_c": 0.3, "test_d": 0.51}
    table = {"worlds/games/test_it.py": {"": 0.0, **cases}, "core/test_it.py": cases}
    monkeypatch.setattr(layers, "table", lambda name="seconds": table)
    assert layers.slow_cases.__wrapped__("worlds/games/test_it.py") == {"test_b", "test_d"}
    assert layers.slow_cases.__wrapped__("core/test_it.py") == {"test_d"}
    assert layers.slow_cases.__wrapped__("core/test_new.py") == set()
    cases.update(test_a=4.0, test_b=1.5, test_c=5.0, test_d=0.4)
    table["worlds/games/test_it.py"] = cases
    assert layers.long_cases.__wrapped__("worlds/games/test_it.py") == {"test_a", "test_c"}
    assert layers.long_cases.__wrapped__("core/test_it.py") == set()


def test_entries_of_the_table():
    assert seconds.entry({"a": 0.05, "b": 0.3, "c": 0.04}, 1.5) == {"": 0.09, "b": 0.3}
    assert seconds.entry({f"k{k}": 0.09 for k in range(4)}, 0.2) == {"": 0.18, "k2": 0.09, "k3": 0.09}


def test_the_table_names_cases_that_exist():
    files = [file for file in {**layers.table(), **layers.table("lengths")} if not (layers.TESTS / file).is_file()]
    assert files == [], "python tests/seconds.py makes the table again"


@pytest.mark.parametrize(
    ("file", "yes"),
    [("games/test_hanabi.py", True), ("games/test_hex.py", False), ("test_worlds.py", False)],
)
def test_tests_of_a_world(file, yes):
    assert layers.of_world(layers.TESTS / "worlds" / file, "Hanabi") is yes


def test_a_case_of_a_world_elsewhere():
    def of(nodeid):
        item = SimpleNamespace(nodeid=nodeid, path=layers.TESTS / "worlds" / "test_worlds.py")
        return layers.is_of(item, "Hanabi")

    assert of("tests/worlds/test_worlds.py::test_world[rules-envsuite/Hanabi-v0]")
    assert not of("tests/worlds/test_worlds.py::test_world[rules-envsuite/Hex-v0]")
