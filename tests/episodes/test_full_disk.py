"""A disk that becomes full: the error names the file, the file that was there stays, and nothing is left beside it."""

import subprocess
import sys

import numpy as np
import pytest

from envsuite import registry
from envsuite.core import files
from envsuite.core.batch import Batch
from envsuite.episodes.replay import Replay, Start
from envsuite.episodes.session import Session
from envsuite.interfaces.aec import AEC
from envsuite.models.agent import Exchange, write_transcript
from envsuite.render import frames
from envsuite.solvers.learners import TabularLearner


def session():
    found = Session(registry.build("TicTacToe"), "random")
    found.batch = Batch(found.world, 1, compiled=False)
    found.begin(Start(0))
    found.advance()
    return found


def game():
    env = AEC("TicTacToe", compiled=False)
    env.reset(seed=0)
    return env


PIXELS = np.zeros((8, 8, 3), np.uint8)

WRITERS = {
    "x.png": lambda path: frames.save_png(PIXELS, path),
    "y.png": lambda path: frames.save(session().scene(), path, 40),
    "x.svg": lambda path: frames.save(session().scene(), path),
    "x.pdf": lambda path: frames.save(session().scene(), path),
    "x.gif": lambda path: frames.save_gif([PIXELS, PIXELS + 1], path),
    "x.replay": lambda path: session().timeline.replay({}).save(path),
    "state": lambda path: game().save(path),
    "x.jsonl": lambda path: write_transcript(path, [Exchange(0, "a", 0, "?", "!", "x", None)]),
    "x.npz": lambda path: TabularLearner(registry.build("TicTacToe"), capacity=64).save(path),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("there", [False, True])
def test_what_was_there_stays(name, there, tmp_path, monkeypatch):
    def full(path):
        assert path.stat().st_size > 0 and path.name != name
        raise OSError(28, "No space left on device")

    path = tmp_path / name
    if there:
        path.write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(files, "_to_disk", full)
        with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
            WRITERS[name](path)
    assert [one.read_text() for one in tmp_path.iterdir()] == ["old"] * there
    WRITERS[name](path)
    assert list(tmp_path.iterdir()) == [path] and path.read_bytes() != b"old"


def test_a_limit_of_the_system(tmp_path):
    """The error comes from writing, here from Pillow's."""
    code = (
        "import resource, signal, numpy\nfrom envsuite.render.frames import save_png\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))\n"
        "noise = numpy.random.default_rng(0).integers(0, 256, (64, 64, 3), numpy.uint8)\n"
        f"try: save_png(noise, {str(tmp_path / 'x.png')!r})\nexcept OSError as problem: print(problem)"
    )
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True)
    assert "x.png" in done.stdout and not list(tmp_path.iterdir()), done.stderr


def test_a_replay_is_whole(tmp_path):
    session().timeline.replay({}).save(tmp_path / "x.replay")
    assert Replay.load(tmp_path / "x.replay").start.seed == 0
