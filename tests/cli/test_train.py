"""envsuite train: a checkpoint, its curve, resuming, and wrong input."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image
from test_cli import envs, wide  # noqa: F401

from envsuite.learn import checkpoint

pytestmark = pytest.mark.rooms  # it needs torch

SMALL = ("--set", "num_envs=8", "--set", "horizon=8", "--set", "hidden=8")


def test_train(tmp_path):
    net, png, curve = (str(tmp_path / name) for name in ("net.ckpt", "curve.png", "curve.json"))
    said = envs("train", "KuhnPoker", "--steps", "256", "--out", net, "--png", png, "--json", curve, *SMALL)
    assert "256 steps" in said and f"Wrote {net}" in said
    assert Image.open(png).width > 1000 and len(json.loads(open(curve).read())["rows"]) == 4
    assert "learned:" in envs("match", "KuhnPoker", "--policy", f"learned:{net}", "--episodes", "4")
    assert "512 steps" in envs("train", "KuhnPoker", "--steps", "512", "--out", net, *SMALL)
    for wrong, words in (
        (["train", "KuhnPoker", "--out", net, "--set", "hidden=9"], "was trained with hidden=8, not 9"),
        (["train", "KuhnPoker", "--out", net, "--seed", "1"], "was trained with seed=0, not 1"),
        (["train", "LeducPoker", "--out", net], "belongs to a training in"),
        (["train", "KuhnPoker", "--out", png], "is no checkpoint"),
        (["match", "LeducPoker", "--policy", f"learned:{net}"], "does not fit"),
    ):
        assert words in envs(*wrong, code=2), wrong


def test_against(tmp_path):
    net = str(tmp_path / "net.ckpt")
    envs("train", "TicTacToe", "--steps", "128", "--out", net, "--against", "random", *SMALL)
    assert "mean return" in envs("train", "TicTacToe", "--steps", "192", "--out", net, *SMALL)


def test_stages(tmp_path):
    net, stages = str(tmp_path / "net.ckpt"), 'stages=[[{"size": 5}, 0.9]]'
    for _ in range(2):
        assert "128 steps" in envs("train", "DoorKey", "--set", stages, "--steps", "128", "--out", net, *SMALL)
    assert "was trained with stages" in envs("train", "DoorKey", "--set", "stages=[]", "--out", net, code=2)


def test_population(tmp_path):
    net = str(tmp_path / "net.ckpt")
    options = ("--population", "2", "--set", "ready=128", "--out", net, *SMALL)
    assert "128 steps" in envs("train", "Empty", "--steps", "128", *options)
    said = envs("train", "Empty", "--steps", "256", *options, "--png", str(tmp_path / "curve.png"))
    assert "256 steps" in said and "learned:" in envs("score", "Empty", "--policy", f"learned:{net}", "--episodes", "4")
    for wrong, words in (
        (["--population", "3"], "was trained with members=2, not 3"),
        (["--population", "2", "--set", "hidden=9"], "was trained with hidden=8, not 9"),
        (["--population", "2", "--set", "rate=0.1"], "was trained with"),
        (["--workers", "2"], "--workers shares the members of a --population"),
        ([], "without the state of their training"),
    ):
        assert words in envs("train", "Empty", *wrong, "--out", net, code=2), wrong


def test_adversary(tmp_path):
    net = str(tmp_path / "net.ckpt")
    attack = ("train", "KuhnPoker", "--steps", "128", "--out", net, "--adversary", "player_1", *SMALL)
    assert "of at most 0.5417, compared" in envs(*attack, "--against", "random", "--exact")  # 5/12 + 1/8
    assert "the victim's mean return falls by" in envs(*attack, "--against", "random")
    for wrong, words in (
        ([*attack], "needs its victim"),
        ([*attack[:5], f"{net}2", "--adversary", "player_9", "--against", "random"], "must be one of player_0"),
        (["train", "KuhnPoker", "--out", net, "--exact"], "--exact belongs to --adversary"),
    ):
        assert words in envs(*wrong, code=2), wrong


# What an interrupt or a kill leaves.

OPTIONS = ("--steps", "640", *SMALL)


def plain(data, arrays):
    """All of a checkpoint but the seconds that updates took."""
    data["curve"] = [{**row, "seconds": 0} for row in data["curve"]]
    return data, {name: array.tobytes() for name, array in arrays.items()}


def state(path):
    return plain(*checkpoint.read(path))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The state after a training in one go."""
    path = tmp_path_factory.mktemp("whole") / "net"
    envs("train", "KuhnPoker", "--out", str(path), *OPTIONS)
    return state(path)


def strike(monkeypatch, owner, name, call, sign):
    """Let this call of a method, or one after it, be interrupted."""
    method, calls = getattr(owner, name), itertools.count(1)

    def struck(*given, **named):
        if next(calls) == call:
            os.kill(os.getpid(), sign)
        return method(*given, **named)

    monkeypatch.setattr(owner, name, struck)


@pytest.mark.parametrize("sign, code", [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize(
    "name, call, done",
    [
        ("_collect", 2, 64), ("_collect", 10, 576), ("_learn", 2, 64), ("_learn", 7, 384), ("_descend", 13, 64),
        ("_descend", 14, 64), ("_descend", 24, 64), ("_descend", 25, 128), ("enter", 1, None), ("_learn", 1, None),
    ],
)  # fmt: skip
def test_an_interrupt_keeps_the_last_update(name, call, done, sign, code, whole, tmp_path, monkeypatch):
    """Wherever in an update it comes; resumed, the training ends in the same bits as in one go."""
    from envsuite.learn.ppo import Trainer

    net = str(tmp_path / "net")
    with monkeypatch.context() as patch:
        strike(patch, Trainer, name, call, sign)
        said = envs("train", "KuhnPoker", "--out", net, *OPTIONS, code=code)
    if done is None:
        assert "nothing to resume from yet" in said and not list(tmp_path.iterdir())
        return
    assert f"resumes from {net}" in said and state(net)[0]["done"] == done
    envs("train", "KuhnPoker", "--out", net, *OPTIONS)
    assert state(net) == whole and list(tmp_path.iterdir()) == [tmp_path / "net"]


def test_saves_at_intervals(tmp_path, monkeypatch):
    net, written = str(tmp_path / "net"), []
    inner = checkpoint.write
    monkeypatch.setattr(
        checkpoint, "write", lambda path, data, arrays: (written.append(data["done"]), inner(path, data, arrays))
    )
    for minutes, wanted in (("1000", [640]), ("0", [704, 768, 768])):
        written.clear()
        envs(
            "train",
            "KuhnPoker",
            "--out",
            net,
            "--steps",
            "640" if minutes == "1000" else "768",
            "--save-every",
            minutes,
            *SMALL,
        )
        assert written == wanted
    for wrong in ("-1", "nan", "x"):
        envs("train", "KuhnPoker", "--out", net, "--save-every", wrong, code=2)


def test_a_killed_training_resumes(whole, tmp_path):
    net, lasts = tmp_path / "net", (64, 256, 448)
    command = [sys.executable, "-m", "envsuite.cli", "train", "KuhnPoker", "--out", net, "--save-every", "0", *OPTIONS]
    for last in lasts:
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            until = time.monotonic() + 100
            while not (net.exists() and state(net)[0]["done"] >= last) and time.monotonic() < until:
                time.sleep(0.002)
            process.kill()
    assert state(net)[0]["done"] >= lasts[-1]
    envs("train", "KuhnPoker", "--out", str(net), *OPTIONS)
    assert state(net) == whole


def test_an_interrupted_population_keeps_its_rounds(tmp_path, monkeypatch):
    from envsuite.learn.population import Population, Stretch

    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    options = ("--population", "2", "--set", "ready=64", "--steps", "192", *SMALL)
    envs("train", "Empty", "-p", "size=5", "--out", one, *options)
    for call, done in ((2, None), (4, 64), (3, 128)):
        with monkeypatch.context() as patch:
            strike(patch, Stretch, "work", call, signal.SIGTERM)
            envs("train", "Empty", "-p", "size=5", "--out", two, *options, code=143)
        assert Path(two).exists() == (done is not None)
        assert done is None or Population.load(two).done == done
    envs("train", "Empty", "-p", "size=5", "--out", two, *options)
    first, second = Population.load(one), Population.load(two)
    assert first.rounds == second.rounds and len(first.members) == 2
    for member, other in zip(first.members, second.members):
        assert plain(*checkpoint.unpack(member, "")) == plain(*checkpoint.unpack(other, ""))


def test_two_trainings_do_not_share_a_file(tmp_path):
    net = tmp_path / "net"
    code = f"from pathlib import Path; from envsuite.core.files import claim; kept = claim(Path({str(net)!r}))"
    with subprocess.Popen(
        [sys.executable, "-c", f"{code}; print(1, flush=True); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"1\n"
        assert "another process trains into this file" in envs(
            "train", "KuhnPoker", "--out", str(net), *OPTIONS, code=2
        )
        other.kill()


def test_a_world_of_ones_own_is_resumed(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text("from envsuite.games.tic_tac_toe import TicTacToe\nclass Mine(TicTacToe): pass\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for _ in range(2):
        assert "128 steps" in envs("train", "mine:Mine", "--out", "net", "--steps", "128", *SMALL)
    assert "belongs to a training in Mine" in envs("train", "TicTacToe", "--out", "net", code=2)


def test_wrong_parameters(tmp_path):
    net = str(tmp_path / "net.ckpt")
    for wrong, words in (
        (["KuhnPoker", "--set", "num_envs=0"], "num_envs=0 must be an integer from 1"),
        (["KuhnPoker", "--set", "hiden=8"], "did you mean 'hidden'"),
        (["KuhnPoker", "--set", "steps=8"], "no parameter 'steps'"),
        (["DoorKey", "--against", "pool"], "has one agent"),
        (["KuhnPoker", "--against", "nobody"], "has no policy 'nobody'"),
    ):
        assert words in envs("train", *wrong, "--out", net, code=2), wrong
    assert not (tmp_path / "net.ckpt").exists()
