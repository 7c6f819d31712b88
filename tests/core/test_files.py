"""Files are replaced as a whole or stay as they were; links are not followed; a claim keeps other processes away."""

import gc
import os
import re
import socket
import subprocess
import sys
import threading

import pytest
from kit import ROOT
from test_floors import FILES

from envsuite.core.files import ClaimedError, claim, drafted, is_aside, remove_drafts, replace


def test_a_file_is_replaced_with_its_permissions(tmp_path):
    path, umask = tmp_path / "net.ckpt", os.umask(0o022)
    os.umask(umask)
    replace(path, "one")
    assert path.read_text() == "one" and path.stat().st_mode & 0o777 == 0o666 & ~umask
    for mode in (0o600, 0o640, 0o666):
        path.chmod(mode)
        replace(path, "two")
        assert path.read_text() == "two" and path.stat().st_mode & 0o777 == mode
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["n" * 255, "é" * 127, f"n.{'s' * 250}", ".hidden", "a.tar.gz", "two words", "\udcff"])
def test_any_name_of_a_file(name, tmp_path):
    path = tmp_path / name
    for content in (b"one", b"two"):
        replace(path, content)
    held = claim(path)
    assert held.held and path.read_bytes() == b"two"
    del held
    assert list(tmp_path.iterdir()) == [path]


def test_links_are_not_followed(tmp_path):
    """Neither one in the place of the file, nor one under the name that drafts used to have."""
    victim, path = tmp_path / "victim", tmp_path / "t.ckpt"
    victim.write_text("mine")
    for link in (path, tmp_path / "t.ckpt.draft", tmp_path / ".t.ckpt.lock"):
        link.symlink_to(victim)
    replace(path, "new")
    assert claim(path) is not None  # a lock that is a link is none
    assert victim.read_text() == "mine" and path.read_text() == "new" and not path.is_symlink()


def test_what_is_no_file_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(os.devnull)
    for path in (pipe, tmp_path / "link", tmp_path):
        with pytest.raises(OSError, match="not a regular file"):
            replace(path, "x")
    assert pipe.is_fifo() and (tmp_path / "link").is_symlink()
    with pytest.raises(FileNotFoundError, match="none/file"):
        replace(tmp_path / "none" / "file", "x")


class Odd(Exception):
    pass


@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), Odd(), KeyboardInterrupt(), MemoryError()])
def test_an_error_leaves_the_file_that_was_there(problem, tmp_path):
    path = tmp_path / "x.png"
    path.write_text("old")
    with pytest.raises(type(problem)) as error, drafted(path) as draft:
        assert draft.suffix == ".png"
        draft.write_text("half")
        raise problem
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
    if isinstance(problem, OSError):
        assert str(error.value) == f"[Errno 28] No space left on device: '{path}'"


def test_an_error_of_another_file_keeps_its_name(tmp_path):
    with pytest.raises(FileNotFoundError, match="other"), drafted(tmp_path / "x.png"):
        (tmp_path / "other").read_bytes()


def test_a_full_disk(tmp_path):
    """In a process whose files may have 4,096 bytes."""
    code = (
        "import resource, signal\nfrom envsuite.core.files import replace\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        f"try: replace({str(tmp_path / 'x')!r}, bytes(5000))\nexcept OSError as problem: print(problem)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == f"[Errno 27] File too large: '{tmp_path / 'x'}'\n" and not list(tmp_path.iterdir())


def test_threads_write_one_file(tmp_path):
    path = tmp_path / "x"
    threads = [threading.Thread(target=replace, args=(path, str(k) * 100_000)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = path.read_text()
    assert len(text) == 100_000 and len(set(text)) == 1 and list(tmp_path.iterdir()) == [path]


def test_what_stands_aside(tmp_path):
    with pytest.raises(Odd), drafted(tmp_path / "dataset.json") as draft:
        assert is_aside(draft)
        (tmp_path / draft.name.replace("dataset", "other")).touch()  # as a kill leaves it
        raise Odd
    for name in ("notes.draft", ".mine", "a.lock", ".dataset.json.lock"):
        (tmp_path / name).touch()
    assert sorted(path.name for path in tmp_path.iterdir() if is_aside(path))[1:] == [
        ".other" + draft.name.removeprefix(".dataset"), "notes.draft",
    ]  # fmt: skip
    remove_drafts(tmp_path)
    left = {".dataset.json.lock", ".mine", "a.lock", "notes.draft"}  # what users call so stays
    assert {path.name for path in tmp_path.iterdir()} == left


CLAIM = """
import sys, pathlib
from envsuite.core.files import ClaimedError, claim
try:
    held = claim(pathlib.Path(sys.argv[1]))
    print("held", flush=True)
except ClaimedError as holder:
    print(holder)
"""


def other(path, code=""):
    """Another process that claims a file."""
    command = [sys.executable, "-c", CLAIM + code, str(path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def said(path):
    """What another process hears that claims a file."""
    return other(path).communicate()[0]


def test_a_claim_lasts_as_long_as_it_is_held(tmp_path):
    path = tmp_path / "x.jsonl"
    first, second = claim(path), claim(path)
    assert first is second is not None
    mine = f"process {os.getpid()} on {socket.gethostname()}, since 20"
    assert said(path).startswith(mine)
    path.write_text("a reader closes this file, and nothing is lost")
    path.read_text()
    with pytest.raises(ClaimedError, match=f"process {os.getpid()}, which is this one"):
        claim(path, alone=True)
    assert said(path).startswith(mine)
    child = os.fork()
    if not child:  # it holds nothing, and takes nothing away
        try:
            claim(path)
        except ClaimedError as holder:
            del first, second
            gc.collect()
            os._exit(7 if str(holder).startswith(mine) else 1)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert said(path).startswith(mine)
    del first, second
    assert list(tmp_path.iterdir()) == [path] and said(path) == "held\n"


def test_a_claim_is_left_at_once(tmp_path):
    held = claim(tmp_path / "x", alone=True)
    assert held.held
    held.free()
    assert not held.held and not list(tmp_path.iterdir()) and said(tmp_path / "x") == "held\n"
    assert claim(tmp_path / "x", alone=True).held


def test_a_killed_process_holds_nothing(tmp_path):
    path = tmp_path / "x.jsonl"
    with other(path, "input()") as process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(ClaimedError, match=f"process {process.pid} on "):
            claim(path)
        process.kill()
    assert claim(path).held
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{}", b"[]", b"3", b"\xff", b"[" * 5000, b'{"pid": 1',
        b'{"pid": [[]], "host": "\\u001b[2J\\n", "since": {}}',
    ],
)  # fmt: skip
def test_a_lock_says_what_anybody_wrote(content, tmp_path):
    """It is a short line that a terminal can show."""
    path = tmp_path / "x"
    with other(path, "input()") as process:
        assert process.stdout.readline() == "held\n"
        (tmp_path / ".x.lock").write_bytes(content)
        with pytest.raises(ClaimedError) as error:
            claim(path)
        assert str(error.value).startswith(("another process", "process [[]] on ")) and str(error.value).isprintable()
        process.kill()


#: Where files are written in another way: drafts themselves, compiled code, and a folder that is thrown away.
ALLOWED = {"core/files.py": 1, "compile/cache.py": 2, "cli/build.py": 2}


def test_whole_files_are_written_in_one_way():
    """Files to which something is appended are opened with "ab"."""
    ways = re.compile(r"\.write_text\(|\.write_bytes\(|mkstemp\(\"|open\([^\n]*[\"'][wx]b?\+?[\"']")
    found = {}
    for path in FILES.values():
        text = path.read_text("utf-8")
        written = len(ways.findall(re.sub(r"with drafted\(.*", "", text)))
        if written:
            found[path.relative_to(ROOT / "envsuite").as_posix()] = written
    assert found == ALLOWED
