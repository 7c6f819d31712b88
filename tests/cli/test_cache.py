"""The folder of compiled code, as the command line shows it, clears it up and copies it."""

import json
import os
import re
import tarfile
import time

import pytest
from typer.testing import CliRunner

from envsuite import cli
from envsuite.compile import cache
from envsuite.compile.bound import bind


def run(*arguments, code=0):
    result = CliRunner().invoke(cli.app, ["cache", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def double(values):
    return 2 * values[0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache with a file of this version, one for another machine, one of other sources and one of no known form."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setattr(cache, "cache_folder", lambda: folder)
    file = cache.File(folder / "ours.code", "twice", bind(double, "tests.double").sources)
    content = cache.pack(file, b"code")
    header = json.loads(content.partition(b"\n")[0])
    (folder / "ours.code").write_bytes(content)
    for name, changes in (
        ("other_machine", {"machine": "0"}),
        ("edited", {"sources": {**header["sources"], "core/kernel.py": "0"}}),
        ("moved", {"sources": {"/nowhere/world.py": "0"}}),
    ):
        (folder / f"{name}.code").write_bytes(json.dumps({**header, **changes}).encode() + b"\ncode")
    (folder / "older.code").write_bytes(b"\x80\x04no header")
    (folder / "locks").touch()
    return folder


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_a_file_says_what_it_is(folder):
    found = {one.path.stem: one for one in cache.entries()}
    assert {name: (one.current, one.here) for name, one in found.items()} == {
        "ours": (True, True), "other_machine": (True, False), "edited": (False, True), "moved": (False, True),
        "older": (False, False),
    }  # fmt: skip
    assert found["ours"].name == "twice" and found["ours"].size == (folder / "ours.code").stat().st_size
    assert cache.unpack("ours.code", (folder / "ours.code").read_bytes()) == b"code"


def test_info(folder):
    output = run("info")
    assert str(folder) in output.replace("\n", "")
    found = re.findall(r"(of this version, for this machine|of other versions|in all) +(\d+) +[\d.]+ MB", output)
    assert dict(found) == {"of this version, for this machine": "1", "of other versions": "3", "in all": "5"}


def test_prune_keeps_what_this_version_uses(folder):
    assert "Removed 3 files" in run("prune")
    assert names(folder) == {"ours.code", "other_machine.code", "locks"}
    assert "Removed 0 files" in run("prune")


def test_prune_by_days(folder):
    run("prune")
    month = time.time() - 30 * 86_400
    os.utime(folder / "other_machine.code", (month, month))
    (folder / "killed.part").touch()
    os.utime(folder / "killed.part", (month, month))
    (folder / "running.part").touch()
    assert "Removed 0 files" in run("prune", "--days", "31")
    assert "Removed 1 file," in run("prune", "--days", "29")
    assert names(folder) == {"ours.code", "running.part", "locks"}


def test_export(folder, tmp_path):
    assert "1 file," in run("export", str(tmp_path / "copy"))
    assert names(tmp_path / "copy") == {"ours.code"}
    for name in ("code.zip", "code.tar.gz"):
        run("export", str(tmp_path / name))
    with tarfile.open(tmp_path / "code.tar.gz") as archive:
        assert [one.name for one in archive if one.isfile()] == ["./ours.code"]


def test_mistakes(folder, tmp_path):
    assert "name another folder" in run("export", str(folder), code=2).replace("\n", " ")
    (folder / "ours.code").unlink()
    assert "`envsuite warmup` compiles it" in run("export", str(tmp_path / "copy"), code=2).replace("\n", " ")
    assert not (tmp_path / "copy").exists()
