"""envsuite train: a checkpoint, its curve, resuming, and wrong input."""

import json

import pytest
from PIL import Image
from test_cli import envs, wide  # noqa: F401

pytest.importorskip("torch")

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
