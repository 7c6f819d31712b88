"""Python first and machine code later: the same episode, one compile for all processes, and what is said of it."""

import os
import subprocess
import sys
import textwrap
import time
from functools import cache

import pytest
from test_core import HELPER, WORLD

from envsuite import registry
from envsuite.compile import announce, locks, tiers
from envsuite.compile.bound import Bound
from envsuite.compile.cache import unpack
from envsuite.compile.locks import is_locked, locked
from envsuite.core.batch import Batch
from envsuite.episodes.replay import Start
from envsuite.episodes.session import Session

pytestmark = pytest.mark.machine

#: The world without the lines that run it.
RULES = WORLD.partition("if __name__")[0]

ID, POLICY, SEED, SWAP = "envsuite/TicTacToe-v0", "tactical", 3, 3


def replay(compiled, swap=None):
    """The replay of an episode between policies; from step `swap` on it is to become machine code."""
    session = Session(registry.build(ID), POLICY)
    session.batch = Batch(session.world, 1, compiled=compiled)
    session.begin(Start(SEED))
    while not session.over:
        if session.step == swap:
            for tiered in tiers._tiers.values():
                tiered._next = 0.0
        session.advance()
    return session.timeline.replay(session.players()).to_bytes()


def test_episodes_are_the_same_whenever_machine_code_takes_over(monkeypatch):
    monkeypatch.setattr(Bound, "ready", lambda *_: None)  # whatever this process has compiled
    monkeypatch.setattr(tiers, "_tiers", {})
    monkeypatch.setattr(tiers, "_WORTH_LOADING", 1e9)
    python, undecided = replay(False), replay(None)
    assert len(tiers._tiers) >= 2 and all(tiered.machine is None for tiered in tiers._tiers.values())
    monkeypatch.setattr(tiers, "_WORTH_COMPILING", 0.0)
    swapped = replay(None, SWAP)
    # The rules and the policy; the timeline looks at records in Python.
    assert sum(tiered.machine is not None for tiered in tiers._tiers.values()) >= 2
    assert python == undecided == swapped == replay(True)


@pytest.fixture
def tiny(tmp_path):
    """A function that starts a script beside the world `tiny`, with a cache of its own and no variables for tests."""
    (tmp_path / "tiny.py").write_text(RULES)
    (tmp_path / "helper.py").write_text(HELPER.format(5))
    (tmp_path / "numbers_of_mine.py").write_text("EXTRA = 0\n")
    cache = tmp_path / "cache"

    def start(script):
        (tmp_path / "script.py").write_text(textwrap.dedent(script))
        env = {name: value for name, value in os.environ.items() if name not in ("ENVSUITE_LAZY", "ENVSUITE_PYTHON")}
        return subprocess.Popen(
            [sys.executable, "-B", tmp_path / "script.py"], text=True, cwd=tmp_path,
            env={**env, "ENVSUITE_CACHE": str(cache)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    start.cache = cache
    return start


def said(process):
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return output, errors


COMPILES = """
from envsuite.compile.numba_ import files
from envsuite.core.batch import Batch
from tiny import Tiny
save = files._write
files._write = lambda *given: (print("compiled"), save(*given))
Batch(Tiny(), 1, compiled=True).start()
"""


def test_of_two_processes_one_compiles(tiny):
    first, second = tiny(COMPILES), tiny(COMPILES)
    assert [said(first)[0], said(second)[0]].count("compiled\n") == 1


def test_a_file_that_is_not_whole_is_made_again(tiny):
    assert said(tiny(COMPILES))[0] == "compiled\n"
    (path,) = tiny.cache.glob("*.code")
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    output, errors = said(tiny(COMPILES))
    assert output == "compiled\n" and "is made again" in errors
    assert unpack(path.name, path.read_bytes())
    for broken in (b"", whole[:-1], whole.replace(b"\n", b" ", 1)):
        with pytest.raises((ValueError, KeyError)):
            unpack(path.name, broken)


BECOMES = """
import sys, time
from envsuite.core.batch import Batch
from envsuite.compile import tiers
{}
tiers._WORTH_LOADING = 0.0
batch = Batch(Tiny(), 1, background=True)
batch.start()
tiered = batch.entry
if tiers._processes:  # else a thread of this one is at it already
    assert tiered.machine is None and "numba" not in sys.modules
until = time.monotonic() + 300
while batch.entry is tiered and time.monotonic() < until:
    batch.start()
    time.sleep(0.002)  # a look at the other process comes after each tenth of a second in Python
print(batch.entry is tiered.machine, len(tiers._processes), batch.observations[0, 0, 0])
"""


def test_another_process_compiles(tiny):
    assert said(tiny(BECOMES.format("from tiny import Tiny")))[0] == "True 1 5\n"
    assert len(list(tiny.cache.glob("*.code"))) == 1


def test_what_another_process_cannot_import_is_compiled_here(tiny):
    assert said(tiny(BECOMES.format(RULES)))[0] == "True 0 5\n"


def test_locks_end_with_their_processes(tmp_path, monkeypatch):
    path = tmp_path / "some.code"
    monkeypatch.setenv("ENVSUITE_CACHE", str(tmp_path))
    monkeypatch.setattr(locks, "_file", cache(lambda: os.open(tmp_path / "locks", os.O_RDWR | os.O_CREAT)))
    script = f"""
        import pathlib, sys
        from envsuite.compile import locks
        locks.cores = lambda: 1
        with locks.locked(pathlib.Path({str(path)!r})), locks.one_of_the_cores():
            print("locked", flush=True)
            sys.stdin.read()
    """
    assert not is_locked(path)
    with locked(path):
        assert is_locked(path)  # this process at least may ask
    assert not is_locked(path)
    holder = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout.readline() == "locked\n"
        assert is_locked(path) and not is_locked(tmp_path / "other.code")
        assert not locks._take(0)  # its core
        holder.kill()
    assert not is_locked(path)
    with locked(path):
        pass


def test_the_line_says_what_is_waited_for(monkeypatch):
    monkeypatch.setattr(announce, "_waited", {})
    assert announce.line() == ""
    now = time.monotonic()
    announce.wait_for("new", "Coins's rules", now, lambda: False)
    assert announce.line() == ""  # a second has not passed
    announce.wait_for("old", "Harvest's rules", now - 3.0, lambda: False)
    assert announce.line() == "Compiling Coins's rules, Harvest's rules, once for this version: 3 s"
    announce.wait_for("new", "Coins's rules", now, lambda: True)
    assert announce.line() == "Compiling Harvest's rules, once for this version: 3 s"
    announce.forget("old")
    assert announce.line() == ""


class Slow:
    """A bound template that nobody has compiled yet."""

    title = "Slow's rules"

    def __init__(self, path):
        self.path = path

    def interpreted(self, *_):
        return 0

    def cache_file(self, _):
        return self.path


def test_slow_steps_are_announced_until_there_is_machine_code(tmp_path, monkeypatch):
    monkeypatch.setattr(announce, "_waited", {})
    monkeypatch.setattr(announce, "_PATIENCE", 0.0)
    for name, value in (("_WORTH_LOADING", 0.0), ("_INTERVAL", 0.0), ("_SLOW", 0.0), ("PYTHON", False)):
        monkeypatch.setattr(tiers, name, value)
    run = tiers.Tiered(Slow(tmp_path / "slow.code"), None, None)
    run(0)
    assert "Slow's rules" in announce.line()
    monkeypatch.setattr(tiers, "_SLOW", 1.0)
    run(0)
    assert announce.line() == ""  # quick enough to watch
    monkeypatch.setattr(tiers, "_SLOW", 0.0)
    run(0)
    assert "Slow's rules" in announce.line()
    run.bound.path.touch()
    assert announce.line() == ""


def test_numba_that_may_not_compile(tmp_path):
    """The variable of Numba makes everything run as Python, with a warning; its setting in Python is named."""
    code = textwrap.dedent("""
        import sys
        import envsuite
        for setting in sys.argv[1:]:
            import numba
            numba.config.DISABLE_JIT = setting == "1"
        env = envsuite.make_vec("envsuite/MatrixGame-v0", 2, compiled=True)
        env.reset(seed=0)
        print(env.rollout("random", 20).steps, "numba" in sys.modules)
    """)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("ENVSUITE_", "NUMBA_"))}
    env["ENVSUITE_CACHE"] = str(tmp_path)

    def run(disabled, *arguments):
        command = [sys.executable, "-c", code, *arguments]
        return subprocess.run(command, env=env | {"NUMBA_DISABLE_JIT": disabled}, capture_output=True, text=True)

    done = run("1")
    assert (
        done.stdout == "40 False\n" and "NUMBA_DISABLE_JIT is set: all rules and policies run as Python" in done.stderr
    )
    done = run("0", "1")
    assert "KernelError: MatrixGame's rules: numba.config.DISABLE_JIT is set: nothing can be compiled" in done.stderr
    done = run("0")
    assert done.stdout == "40 True\n" and not done.stderr
