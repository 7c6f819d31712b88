"""Journals and folders: checksums, full disks, damaged files, and one process for each folder."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from envsuite.core.errors import ActionError, ParameterError
from envsuite.episodes.replay import Replay
from envsuite.serve import journal as journals
from envsuite.serve import tables
from envsuite.serve.folder import Folder, set_aside
from envsuite.serve.host import Host
from envsuite.serve.journal import Journal, JournalError, StorageError, read, write_whole
from envsuite.serve.settings import Settings
from envsuite.serve.tables import Table


def written(path, count=6):
    journal = Journal(path)
    for k in range(count):
        journal.append(choose=0, action=k % 3, number=k + 1, words='naïve\n,"sum":"0123456789abcdef"}')
    journal.close()
    return path.read_bytes()


def lines(content):
    return content.splitlines(keepends=True)


def test_a_journal_continues_after_it_was_closed(tmp_path):
    written(tmp_path / "a", 2)
    content = written(tmp_path / "a", 2)
    assert [event["number"] for event in read(tmp_path / "a").events] == [1, 2, 1, 2]
    assert len({line[-20:] for line in lines(content)}) == 4
    assert [json.loads(line)["action"] for line in lines(content)] == [0, 1, 0, 1]  # each line is still JSON


DAMAGES = {
    "a changed action": (lambda rows: [*rows[:3], rows[3].replace(b'"action":0', b'"action":1'), *rows[4:]], 4),
    "a missing line": (lambda rows: [*rows[:2], *rows[3:]], 3),
    "a repeated line": (lambda rows: [*rows[:3], *rows[2:]], 4),
    "two lines exchanged": (lambda rows: [rows[0], rows[2], rows[1], *rows[3:]], 2),
    "a shorter middle line": (lambda rows: [*rows[:2], rows[2][:20] + b"\n", *rows[3:]], 3),
    "two lines glued together": (lambda rows: [*rows[:2], rows[2][:20], *rows[3:]], 3),
    "zeros in the middle": (lambda rows: [*rows[:2], bytes(len(rows[2]) - 1) + b"\n", *rows[3:]], 3),
    "a flipped bit": (lambda rows: [bytes([rows[0][0] ^ 1]) + rows[0][1:], *rows[1:]], 1),
    "no checksum": (lambda rows: [*rows[:4], rows[4][: rows[4].rindex(b',"sum"')] + b"}\n", *rows[5:]], 5),
    "a line of another kind": (lambda rows: [*rows, b"[1]\n"], 7),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found_and_its_line_is_named(damage, tmp_path):
    change, line = DAMAGES[damage]
    content = written(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"".join(change(lines(content))))
    with pytest.raises(JournalError, match=f"a, line {line}:"):
        read(tmp_path / "a")


@pytest.mark.parametrize("tail", [b'{"choose":1,"act', b"\0\0\0\0", b"{", b'{"a":1}'])
def test_a_last_line_that_is_not_whole_is_cut_off(tail, tmp_path):
    content = written(tmp_path / "a")
    (tmp_path / "a").write_bytes(content + tail)
    Journal(tmp_path / "a").close()
    assert (tmp_path / "a").read_bytes() == content


def test_a_journal_without_checksums_is_read_and_continued(tmp_path):
    old = b'{"time":1.0,"begin":true}\n{"time":2.0,"sum":3}\n'
    (tmp_path / "a").write_bytes(old)
    journal = Journal(tmp_path / "a")
    assert [event["time"] for event in journal.events] == [1.0, 2.0]
    journal.append(hand=0, person=True)
    assert read(tmp_path / "a").events[-1]["hand"] == 0
    (tmp_path / "a").write_bytes((tmp_path / "a").read_bytes().replace(b'"sum":3', b'"sum":4'))
    with pytest.raises(JournalError, match="line 3"):  # a line with a checksum vouches for those before it
        read(tmp_path / "a")


class Disk:
    """A disk for journals that can be full: then it takes a few bytes of a line."""

    def __init__(self, monkeypatch):
        self.full, self._write, self._sync = None, os.write, os.fsync
        monkeypatch.setattr(journals.os, "write", self.write)
        monkeypatch.setattr(journals.os, "fsync", self.sync)

    def write(self, file, content):
        if self.full == "part":
            return self._write(file, content[: len(content) // 2])
        if self.full == "none":
            raise OSError(28, "No space left on device")
        return self._write(file, content)

    def sync(self, file):
        if self.full == "sync":
            raise OSError(5, "Input/output error")
        return self._sync(file)


@pytest.mark.parametrize("full", ["part", "none", "sync"])
def test_a_line_is_written_whole_or_not_at_all(full, tmp_path, monkeypatch):
    disk, content = Disk(monkeypatch), written(tmp_path / "a")
    journal = Journal(tmp_path / "a")
    disk.full = full
    for _ in range(3):
        with pytest.raises(StorageError, match="a cannot be written: "):
            journal.append(hand=0)
    assert (tmp_path / "a").read_bytes() == content
    disk.full = None
    journal.append(hand=1)
    assert [event.get("hand") for event in read(tmp_path / "a").events][-2:] == [None, 1]


def test_what_a_failed_cut_left_is_cut_before_the_next_line(tmp_path, monkeypatch):
    disk = Disk(monkeypatch)
    journal = Journal(tmp_path / "a")
    disk.full, cut = "part", os.ftruncate
    monkeypatch.setattr(journals.os, "ftruncate", lambda *_: 1 / 0 if disk.full is None else disk.write(-1, b""))
    with pytest.raises(StorageError):
        journal.append(hand=0)
    assert (tmp_path / "a").stat().st_size > 0
    monkeypatch.setattr(journals.os, "ftruncate", cut)
    disk.full = None
    journal.append(hand=1)
    assert [event["hand"] for event in read(tmp_path / "a").events] == [1]


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    write_whole(tmp_path / "x", b"old")
    disk = Disk(monkeypatch)
    disk.full = "sync"
    with pytest.raises(StorageError, match="x cannot be written: Input/output error"):
        write_whole(tmp_path / "x", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["x"] and (tmp_path / "x").read_bytes() == b"old"
    assert (tmp_path / "x").stat().st_mode & 0o077 == 0


# Tables on a full disk.


async def until(condition):
    for _ in range(300):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError


@pytest.mark.parametrize("tick", [0, 60])
def test_a_table_pauses_while_the_disk_is_full(tick, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(tables, "_AGAIN", 0.02)

    async def play():
        disk, shown = Disk(monkeypatch), []
        host = Host(tmp_path)
        async with host.running(None):
            table = host.open(Settings("Overcooked", {"horizon": 40}, tick=tick, listed=False))
            secrets = [table.take(a) for a in table.people]
            await table.enter(0, shown.append)
            disk.full = "part"
            if tick:
                await until(lambda: table.paused)
                assert table.moving and not any('"step"' in text for text in shown)
            with pytest.raises(ActionError, match="cannot store"):
                await table.act(0, {"act": 0, "n": 1})
            with pytest.raises(ActionError, match="cannot store"):
                await table.hand(1, False)
            assert "the server cannot store" in json.loads(shown[-1])["notice"]
            step = table.session.step
            disk.full = None
            await until(lambda: not table.paused)
            for a in table.people:
                await table.act(a, {"act": 0, "n": 2})
            await until(lambda: table.session.step > step)
            await until(lambda: not table.moving)
            assert "picture" in json.loads(shown[-1])
            chosen = [row.tolist() for row in table.session.timeline.actions]
        again = Table(Journal(table.journal.path, write=False))
        played = [row.tolist() for row in again.session.timeline.actions]
        assert played == chosen[: len(played)] and len(played) >= len(chosen) - 1
        assert [again.seat(secret) for secret in secrets] == [0, 1]

    asyncio.run(play())
    assert "is paused" in caplog.text and "the disk is full" in caplog.text


def test_a_replay_that_could_not_be_written_comes_later(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_AGAIN", 0.02)
    failing = True

    def write(path, content):
        if failing:
            raise StorageError("full")
        write_whole(path, content)

    monkeypatch.setattr(tables, "write_whole", write)

    async def play():
        nonlocal failing
        table = Table.create(tmp_path, Settings("MatrixGame"))
        for a in table.people:
            table.take(a)
        for a in table.people:
            await table.act(a, {"act": 0, "n": 1})
        await table.step()
        assert table.paused and table.session.over and not list(tmp_path.glob("*.replay"))
        restored = Table(Journal(table.journal.path))  # the server was killed before there was room
        failing = False
        task = asyncio.create_task(restored.run())
        await until(lambda: list(tmp_path.glob("*.replay")))
        task.cancel()

    asyncio.run(play())
    (path,) = tmp_path.glob("*.replay")
    Replay.load(path).verify()


def test_the_error_of_a_task_is_in_the_log_and_on_the_page(tmp_path, caplog):
    async def play():
        host, shown = Host(tmp_path, models={"bad": lambda prompt: 1 / 0}), []
        async with host.running(None):
            table = host.open(Settings("TicTacToe", seats={"player_0": "language:bad"}))
            table.take(1)
            await table.enter(1, shown.append)
            await until(lambda: table.failed)
            assert "stopped" in json.loads(shown[-1])["notice"]

    asyncio.run(play())
    assert "ZeroDivisionError" in caplog.text and "TicTacToe" in caplog.text


# Folders.


def test_a_folder_belongs_to_one_process(tmp_path):
    with_lock = Folder(tmp_path)
    program = (
        "import sys; from pathlib import Path; from envsuite.serve.folder import Folder; Folder(Path(sys.argv[1]))"
    )
    found = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True)
    assert f"is in use by process {os.getpid()} on " in found.stderr
    with pytest.raises(ParameterError, match="in use by process"):
        Host(tmp_path)
    with_lock.close()
    (tmp_path / ".x.0123456789abcdef.draft.replay").write_text("half a replay")
    Host(tmp_path).close()
    assert not list(tmp_path.iterdir())


def test_what_is_set_aside_gets_a_new_name(tmp_path):
    for name in ("x.journal.damaged", "x.journal.damaged-1"):
        (tmp_path / "x.journal").write_text("")
        assert set_aside(tmp_path / "x.journal", "damaged").name == name


def played(folder, count):
    """Journals of tables at which a few steps were played."""

    async def play():
        rng, made = np.random.default_rng(0), []
        for _ in range(count):
            table = Table.create(folder, Settings("RepeatedGame"))
            for a in table.people:
                table.take(a)
            for number in range(1, 4):
                for a in table.people:
                    await table.act(a, {"act": int(rng.integers(2)), "n": number})
                await table.step()
            table.journal.close()
            made.append(table.journal.path)
        return made

    return asyncio.run(play())


def test_a_damaged_journal_is_set_aside_and_all_others_start(tmp_path, caplog):
    good, bad, changed = played(tmp_path, 3)
    rows = lines(bad.read_bytes())
    bad.write_bytes(b"".join([*rows[:4], rows[4][:30], *rows[5:]]))
    flip = {b'"action":0': b'"action":1', b'"action":1': b'"action":0'}
    changed.write_bytes(re.sub(rb'"action":[01]', lambda found: flip[found[0]], changed.read_bytes(), count=1))
    host = Host(tmp_path)
    assert list(host.tables) == [good.stem]
    assert sorted(path.name for path in tmp_path.glob("*.damaged")) == sorted(
        f"{path.name}.damaged" for path in (bad, changed)
    )
    assert f"{bad}, line 5: " in caplog.text and f"{changed}, line " in caplog.text
    host.close()


@pytest.mark.parametrize(
    "event",
    [
        {"choose": 0, "action": 9, "number": 1}, {"choose": 7, "action": 0, "number": 1}, {"choose": 0},
        {"step": [0], "chosen": [], "numbers": {}, "choices": {}}, {"step": [1, 5], "chosen": [], "numbers": {}},
        {"hand": 0}, {"free": 5}, {"seat": 0}, {"unknown": True}, {"step": None, "chosen": [], "numbers": {}},
    ],
)  # fmt: skip
def test_events_that_cannot_be_are_damage_too(event, tmp_path, caplog):
    (path,) = played(tmp_path, 1)
    journal = Journal(path)
    count = len(journal.events)
    journal.append(**event)
    journal.close()
    host = Host(tmp_path)
    assert not host.tables and f"{path}, line {count + 1}: " in caplog.text
    host.close()


@pytest.mark.parametrize(
    "change", [{"world": "Nowhere"}, {"world": "elsewhere:World"}, {"seats": {"x": "random"}}, {"later": 1}]
)
def test_a_table_that_this_server_cannot_play_is_left_out(change, tmp_path, caplog):
    (path,) = played(tmp_path, 1)
    first = read(path).events[0]
    path.unlink()
    journal = Journal(path)
    journal.append(**{**first, "settings": {**first["settings"], **change}})
    journal.close()
    host = Host(tmp_path)
    assert not host.tables and path.exists() and f"{path} is left out: " in caplog.text
    assert "elsewhere" not in sys.modules
    host.close()


def test_old_journals_play_on(tmp_path):
    """A journal as earlier versions wrote it: no checksums, a seed in the settings, which counts up."""
    (path,) = played(tmp_path, 1)
    events = read(path).events
    events[0]["settings"]["seed"] = 7
    del events[0]["seed"]
    path.write_text("".join(json.dumps(event) + "\n" for event in [*events, {"time": 1.0, "begin": True}]))
    host = Host(shutil.copytree(tmp_path, tmp_path / "copy"))
    (table,) = host.tables.values()
    assert table.session.start.seed == 8 and len(table.digests) == 2
    host.close()
