"""Slow tests are skipped while nothing that they reach has changed; see `stamps.py`."""

import kit
import pytest
import stamps

from envsuite import registry

pytest_plugins = "pytester"


def files(test):
    return {str(path.relative_to(kit.ROOT)) for path in stamps.reached(kit.ROOT / "tests" / test)[0]}


def test_a_worlds_tests_reach_the_world_its_policies_and_the_engine():
    found = files("worlds/games/test_tic_tac_toe.py")
    assert found >= {
        "tests/worlds/games/test_tic_tac_toe.py", "tests/expansion.py", "envsuite/games/tic_tac_toe.py",
        "envsuite/agents/games/tic_tac_toe.py", "envsuite/kit/lines.py", "envsuite/core/compiler.py",
        "envsuite/core/batch.py", "envsuite/solvers/model.py", "render/scene.py",
    }  # fmt: skip
    assert not found & {"envsuite/games/chess.py", "envsuite/social/harvest.py", "tests/worlds/games/test_chess.py"}
    assert "pyspiel" in stamps.reached(kit.ROOT / "tests/worlds/games/test_tic_tac_toe.py")[1]


def test_data_and_neighbours_are_reached():
    assert "tests/data/crafter_reference.json" in files("worlds/gridworlds/test_crafter.py")
    assert "tests/worlds/gridworlds/overcooked_reference.py" in files("worlds/gridworlds/test_overcooked.py")


@pytest.mark.parametrize("test", ["worlds/test_worlds.py", "docs/test_examples.py"])
def test_tests_of_all_worlds_reach_all(test):
    worlds = {registry.spec(id).entry_point.partition(":")[0].replace(".", "/") + ".py" for id in registry.ids()}
    assert files(test) >= worlds | {"examples/demo.py"}


def test_a_change_of_what_is_reached_changes_the_stamp(monkeypatch):
    test, read = kit.ROOT / "tests/worlds/games/test_tic_tac_toe.py", stamps.content

    def stamp_if_changed(name):
        monkeypatch.setattr(stamps, "content", lambda path: read(path) + "x" * (path == kit.ROOT / name))
        return stamps.stamp(test)

    before = stamp_if_changed("nothing")
    assert stamp_if_changed("envsuite/games/chess.py") == before
    assert stamp_if_changed("envsuite/games/tic_tac_toe.py") != before
    monkeypatch.setattr(stamps.switches, "BOUNDSCHECK", not stamps.switches.BOUNDSCHECK)
    assert stamp_if_changed("nothing") != before


SUITE = """
import pytest

@pytest.mark.slow
@pytest.mark.parametrize("k", [0, 1])
def test_it(k):
    assert {}

def test_quick():
    pass
"""


@pytest.mark.slow
def test_files_that_passed_are_skipped(pytester, monkeypatch):
    monkeypatch.setattr(kit, "ROOT", pytester.path)
    monkeypatch.setenv("ENVSUITE_CACHE", str(pytester.path / "cache"))
    for name in ("kit.py", "stamps.py", "browser.py", "conftest.py"):
        source = (kit.DATA.parent / name).read_text()
        pytester.path.joinpath(name).write_text(source.replace("parents[1]", "parents[0]"))
    pytester.makeini("[pytest]\nmarkers = slow\n    mostly_slow\npythonpath = .")
    (pytester.path / "tests" / "worlds").mkdir(parents=True)
    for name, wrong in (("good", "True"), ("bad", "k == 0")):
        (pytester.path / "tests" / "worlds" / f"test_{name}.py").write_text(SUITE.format(wrong))

    def run(*options):
        return pytester.runpytest_subprocess("-m", "slow", "-n", "1", "-p", "no:cacheprovider", *options)

    run().assert_outcomes(passed=3, failed=1)
    again = run()
    again.assert_outcomes(passed=1, failed=1)
    again.stdout.fnmatch_lines(["skipped, unchanged since they passed: 1 files: worlds/test_good.py"])
    run("--all").assert_outcomes(passed=3, failed=1)
    assert run("tests/worlds/test_good.py").ret == 0
