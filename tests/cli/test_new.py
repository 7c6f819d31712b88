"""`envsuite new`: what it writes passes as written."""

import importlib
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import envsuite
from envsuite import cli
from envsuite.agents import make_policy
from envsuite.cli.new import TEMPLATE
from envsuite.testing import check_world


def new(*arguments, code=0):
    result = CliRunner().invoke(cli.app, ["new", *arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_new(here):
    output = new("StonePile")
    assert sorted(path.name for path in here.glob("*.py")) == ["stone_pile.py", "test_stone_pile.py"]
    assert "envsuite watch stone_pile:StonePile" in output
    cls = importlib.import_module("stone_pile").StonePile
    for name in ("stone_pile:StonePile", cls):  # by name and as a class, with its policy
        world = envsuite.make_aec(name).world
        assert make_policy("perfect", world).name == "perfect"
    assert check_world("stone_pile:StonePile", only="check_facts").checks == ["check_facts"]
    result = CliRunner().invoke(cli.app, ["match", "stone_pile:StonePile", "--episodes", "4"])
    assert re.search(r"player_0 +perfect +1 ", result.output), result.output
    result = CliRunner().invoke(cli.app, ["info", "stone_pile:StonePile", "-p", "stones=9"])
    assert result.exit_code == 0 and "Leaves a multiple of 4" in result.output


@pytest.mark.slow
def test_what_is_written_passes(here):
    new("Salvo")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "test_salvo.py"], capture_output=True, text=True)
    assert done.returncode == 0 and "13 passed" in done.stdout, done.stdout
    done = subprocess.run([sys.executable, "salvo.py"], capture_output=True, text=True)
    assert done.returncode == 0 and "lab/Salvo-v0" in done.stdout, done.stderr


@pytest.mark.parametrize(
    "name, message",
    [("nim", "must be a class's name"), ("Json", "a module json exists already"), ("../X", "must be a class's name")],
)
def test_refused(here, name, message):
    assert message in new(name, code=2) and not list(here.iterdir())


def test_nothing_is_overwritten(here):
    (here / "test_salvo.py").write_text("mine")
    assert "test_salvo.py exists already" in new("Salvo", code=2)
    assert [path.name for path in here.iterdir()] == ["test_salvo.py"]


LISTED = """
import envsuite
from typer.testing import CliRunner
from envsuite.cli import app
assert "lab/Nim-v0" in envsuite.ids(), envsuite.ids()
print(CliRunner().invoke(app, ["list", "--family", "nim"]).output)
print(CliRunner().invoke(app, ["watch", "Nim", "--ansi", "--seed", "0", "--steps", "1"]).output)
"""


def test_worlds_of_other_packages_are_listed(tmp_path):
    """An installed package names its worlds as entry points; one that is wrong is left out."""
    (tmp_path / "nim.py").write_text(TEMPLATE.read_text("utf-8"))
    info = tmp_path / "nim-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: nim\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[envsuite.worlds]\nlab/Nim-v0 = nim:Nim\nno id = nim:Nim\n")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{LISTED}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "the id 'no id' must have the form" in done.stderr
    assert re.search(r"lab/Nim +2 +sequential +Players take stones", done.stdout), done.stdout
    assert re.search(r"player_0 +perfect", done.stdout), done.stdout
