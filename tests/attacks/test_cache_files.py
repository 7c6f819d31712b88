"""Damaged files of compiled code: none is unpickled or loaded; each is made again, and the next start is quick.

A digest in the first line of a file, of the code and of the file's own name, is checked before anything else. The files
are those of a function of one line, compiled in this process with Numba for each kind of damage.
"""

import json
import os
import pickle
import warnings

import numpy as np
import pytest

from envsuite.compile import cache
from envsuite.compile.bound import bind

pytestmark = pytest.mark.machine


def double(values):
    return 2 * values[0]


def triple(values):
    return 3 * values[0]


class Bomb:
    """What a foreign pickle does when it is loaded."""

    def __reduce__(self):
        return os.mkdir, ("exploded",)


def forged(data, **changes):
    line, _, code = data.partition(b"\n")
    return json.dumps({**json.loads(line), **changes}).encode() + b"\n" + code


ARRAY = np.array([21])

DAMAGE = {
    **{f"cut to {share}": lambda data, share=share: data[: int(len(data) * share)] for share in (0, 0.001, 0.5, 0.99)},
    "cut by a byte": lambda data: data[:-1],
    "cut behind the header": lambda data: data.partition(b"\n")[0] + b"\n",
    "longer by a byte": lambda data: data + b"\0",
    "zeros": lambda data: bytes(len(data)),
    "zeros at the end": lambda data: data[:-4096] + bytes(4096),
    "zeros at the start": lambda data: bytes(512) + data[512:],
    "zeros in the code": lambda data: data[:2000] + bytes(512) + data[2512:],
    **{f"bit at {at}": lambda data, at=at: flipped(data, at) for at in (0.3, 0.6, 0.9, 0.999)},
    "ones": lambda data: b"\xff" * len(data),
    "text": lambda data: b"hello\n" * 100,
    "a header of another kind": lambda data: b"7\n" + data.partition(b"\n")[2],
    "a list for a header": lambda data: b"[1]\n" + data.partition(b"\n")[2],
    "a deep header": lambda data: b"[" * 100_000 + b"\n" + data.partition(b"\n")[2],
    "a header without a digest": lambda data: forged(data)[:1] + b"}\n" + data.partition(b"\n")[2],
    "a digest that is no text": lambda data: forged(data, digest=None),
    "a pickle": lambda data: pickle.dumps(Bomb()),
    "a pickle behind the header": lambda data: data.partition(b"\n")[0] + b"\n" + pickle.dumps(Bomb()),
}


def flipped(data, share):
    at = int(len(data) * share)
    return data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder, and for both functions the file's path and content."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("envsuite.compile.bound.cache_folder", lambda: folder)
        patch.setattr("envsuite.compile.locks.cache_folder", lambda: folder)
        patch.chdir(folder)
        found = {}
        for function in (double, triple):
            bind(function, f"tests.{function.__name__}")(ARRAY)
        for function in (double, triple):
            path = bind(function, f"tests.{function.__name__}").cache_file((ARRAY,))
            found[function.__name__] = path, path.read_bytes()
        yield folder, found


def start():
    """What a new process does: the result, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = bind(double, "tests.double")(ARRAY)
    return result, [str(one.message) for one in caught]


def demand_repaired(folder, path):
    result, warned = start()
    assert result == 42 and any("cannot be read and is made again" in text for text in warned)
    assert start() == (42, [])  # made again: the next start reads it
    cache.unpack(path.name, path.read_bytes())
    assert {one.name for one in folder.iterdir()} <= {path.name, "locks", *(p.name for p in folder.glob("*.code"))}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_file_is_made_again(files, kind):
    folder, found = files
    path, data = found["double"]
    path.write_bytes(DAMAGE[kind](data))
    demand_repaired(folder, path)


def test_the_file_of_another_function_is_not_loaded(files):
    folder, found = files
    path, _ = found["double"]
    path.write_bytes(found["triple"][1])
    demand_repaired(folder, path)


def test_a_folder_or_a_dangling_link_in_the_place_of_a_file(files):
    folder, found = files
    path, data = found["double"]
    path.unlink()
    path.symlink_to(folder / "nowhere")
    assert start() == (42, []) and not path.is_symlink()  # replaced
    path.unlink()
    path.mkdir()
    (path / "thing").touch()
    result, warned = start()
    assert result == 42 and "compiled code is not kept" in warned[0]
    assert not list(folder.glob("*.part"))
    (path / "thing").unlink()
    path.rmdir()
    path.write_bytes(data)


@pytest.mark.parametrize("failing", ["tempfile.mkstemp", "os.fdopen", "os.replace"])
def test_a_full_or_read_only_disk_costs_speed_only(files, monkeypatch, failing):
    folder, found = files
    path, data = found["double"]
    path.unlink()

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(failing, fail)
        result, warned = start()
    assert result == 42 and len(warned) == 1 and "compiled code is not kept" in warned[0] and "No space" in warned[0]
    assert not path.exists() and not list(folder.glob("*.part"))
    path.write_bytes(data)
