"""Cases are skipped while nothing that they reach has changed; see `stamps.py`."""

import json

import kit
import pytest
import stamps

from envsuite import registry

pytest_plugins = "pytester"
pytestmark = pytest.mark.slow  # the first case of a process reads all sources

TESTS = kit.ROOT / "tests"


def files(test, *ids):
    return {str(path.relative_to(kit.ROOT)) for path in stamps.reached(TESTS / test, frozenset(ids))[0]}


def main_file(id):
    return str(stamps.module_file(registry.spec(id).entry_point.partition(":")[0], TESTS).relative_to(kit.ROOT))


def test_a_worlds_tests_reach_the_world_its_policies_and_the_engine():
    found = files("worlds/games/test_tic_tac_toe.py")
    assert found >= {
        "tests/worlds/games/test_tic_tac_toe.py", "tests/expansion.py", "envsuite/games/tic_tac_toe.py",
        "envsuite/agents/games/tic_tac_toe.py", "envsuite/kit/lines.py", "envsuite/core/batch.py",
        "envsuite/solvers/model.py", "render/scene.py",
    }  # fmt: skip
    assert not found & {main_file("Chess"), main_file("Harvest"), "tests/worlds/games/test_chess.py"}
    assert "pyspiel" in stamps.reached(TESTS / "worlds/games/test_tic_tac_toe.py")[1]


def test_data_and_neighbours_are_reached():
    assert "tests/data/Crafter/crafter_reference.json" in files("worlds/gridworlds/test_crafter.py")
    assert "tests/data/Hanabi/golden.replay" in files("episodes/test_golden.py")
    assert "tests/worlds/gridworlds/overcooked_reference.py" in files("worlds/gridworlds/test_overcooked.py")


@pytest.mark.parametrize("test", ["episodes/test_golden.py", "render/test_pictures.py"])
def test_a_case_of_one_world_reaches_its_data_alone(test):
    found, _ = stamps.reached(kit.ROOT / "tests" / test, frozenset({"envsuite/Hanabi-v0"}))
    worlds = {path.relative_to(kit.DATA).parts[0] for path in found if path.is_relative_to(kit.DATA)}
    assert worlds & names() == {"Hanabi"}


def names():
    return set(map(registry.short_name, registry.ids()))


@pytest.mark.parametrize("test", ["worlds/test_worlds.py", "docs/test_examples.py"])
def test_tests_of_all_worlds_reach_all(test):
    assert files(test) >= {*map(main_file, registry.ids()), "examples/demo.py"}


@pytest.mark.parametrize("test", ["worlds/test_worlds.py", "episodes/test_golden.py", "docs/test_docs.py"])
def test_an_id_narrows_what_a_case_reaches(test):
    found = files(test, "envsuite/Hanabi-v0")
    assert found >= {
        f"tests/{test}", main_file("Hanabi"), "envsuite/agents/games/hanabi.py", "envsuite/core/batch.py",
        "envsuite/interfaces/aec.py", "render/scene.py",
    }  # fmt: skip
    assert not found & {main_file("Chess"), main_file("Harvest"), "tests/worlds/games/test_hanabi.py"}


def test_all_parts_of_a_world_are_reached():
    """Also the parts in its package that only their names lead to."""
    for id in registry.ids():
        main = stamps.module_file(registry.spec(id).entry_point.partition(":")[0], TESTS)
        if main.name == "__init__.py":
            parts = {path for path in main.parent.rglob("*.py") if "__pycache__" not in path.parts}
            assert parts <= stamps.world_files(id), id


def test_a_change_of_what_is_reached_changes_the_stamp(monkeypatch):
    read = stamps.content

    def stamps_if_changed(name):
        monkeypatch.setattr(stamps, "content", lambda path: read(path) + "x" * (path == kit.ROOT / name))
        stamps.stamp.cache_clear()
        stamps.stamp_of_part.cache_clear()
        names = ["games/test_tic_tac_toe.py::test_it", "test_worlds.py::test_world[rules-envsuite/TicTacToe-v0]"]
        return [stamps.stamp_of(f"tests/worlds/{name}") for name in names]

    before = stamps_if_changed("nothing")
    assert stamps_if_changed(main_file("Chess")) == before
    for name in (main_file("TicTacToe"), "envsuite/core/batch.py"):
        assert not set(stamps_if_changed(name)) & set(before)
    monkeypatch.setattr(stamps.switches, "BOUNDSCHECK", not stamps.switches.BOUNDSCHECK)
    assert not set(stamps_if_changed("nothing")) & set(before)


def test_what_passed_is_added_to_and_damage_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr(stamps, "cache_folder", lambda: tmp_path)
    stamps.keep("tests/worlds/test_it.py", {"test_a": "1", "test_b": "1"})
    stamps.keep("tests/worlds/test_it.py", {"test_b": "2"})
    assert stamps.passed("tests/worlds/test_it.py") == {"test_a": "1", "test_b": "2"}
    assert [path.name.split(".")[:2] for path in (tmp_path / "passed").iterdir()] == [["worlds", "test_it"]]
    stamps.kept("tests/worlds/test_it.py").write_text(json.dumps({"test_a": "1"})[:-1])
    assert stamps.passed("tests/worlds/test_it.py") == {}


SUITE = """
import pytest

@pytest.mark.parametrize("k", [0, 1])
def test_it(k):
    assert {}

def test_other():
    pass
"""


@pytest.mark.slow
def test_cases_that_passed_are_skipped(pytester, monkeypatch):
    monkeypatch.setattr(kit, "ROOT", pytester.path)
    monkeypatch.setenv("ENVSUITE_CACHE", str(pytester.path / "cache"))
    tests = pytester.path / "tests"
    (tests / "worlds").mkdir(parents=True)
    for name in ("kit.py", "layers.py", "seconds.py", "stamps.py", "browser.py", "kinds.py", "conftest.py"):
        (tests / name).write_text((TESTS / name).read_text())
    for name in ("seconds.json", "lengths.json"):
        (tests / name).write_text("{}")
    marks = "quick slow long rooms oracles machine mostly_slow".split()
    pytester.makeini("[pytest]\npythonpath = tests\nmarkers =" + "".join(f"\n    {mark}" for mark in marks))
    for name, wrong in (("good", "True"), ("bad", "k == 0")):
        (tests / "worlds" / f"test_{name}.py").write_text(SUITE.format(wrong))

    def run(*options):
        return pytester.runpytest_subprocess("--unchanged", "-n", "1", "-p", "no:cacheprovider", *options)

    run().assert_outcomes(passed=5, failed=1)
    again = run()
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["5 cases skipped, unchanged since they passed; --all runs them"])
    run("--all").assert_outcomes(passed=5, failed=1)
    assert run("tests/worlds/test_good.py").ret == 0
    (tests / "worlds" / "test_good.py").write_text(SUITE.format("k >= 0"))
    run("tests/worlds/test_good.py").assert_outcomes(passed=3)
    # A run that is killed has kept what passed before.
    (tests / "stamps.py").write_text((tests / "stamps.py").read_text().replace("OFTEN = 100", "OFTEN = 2"))
    killed = "import os, pytest\n\n@pytest.mark.parametrize('k', range(5))\ndef test_it(k):\n    k < 3 or {}\n"
    (tests / "worlds" / "test_killed.py").write_text(killed.format("os.kill(os.getpid(), 9)"))
    pytester.runpytest_subprocess("--unchanged", "-n", "0", "-p", "no:cacheprovider", "tests/worlds/test_killed.py")
    run("tests/worlds/test_killed.py").stdout.fnmatch_lines(["2 cases skipped, unchanged*"])
