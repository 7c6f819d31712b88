"""The examples run, with small numbers, and show what they say."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest
from kit import ROOT
from PIL import Image

import envsuite
from envsuite.models.agent import read_transcript
from envsuite.testing import CHECKS

pytestmark = pytest.mark.slow

FOLDER = ROOT / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_picture(path):
    """Whether a file is a picture with something on it."""
    colors = Image.open(path).convert("RGB").getcolors(2**20)
    return len(colors) > 2


def test_pettingzoo_loop(tmp_path, capsys):
    returns = example("pettingzoo_loop").main(horizon=100, folder=tmp_path)
    assert returns["ConnectFour"] == {"player_0": 1.0, "player_1": -1.0}
    # The same commons in a vector, by compiled loops.
    totals = envsuite.make_vec("envsuite/Harvest-v0", 1, horizon=100).rollout("sustainable", steps=100, seed=0)
    assert list(returns["Harvest"].values()) == totals.rewards.tolist() and totals.rewards.sum() > 10
    assert is_picture(tmp_path / "ConnectFour.png") and is_picture(tmp_path / "Harvest.png")
    assert "ConnectFour: player_0 1, player_1 -1" in capsys.readouterr().out


def test_vector_loop():
    shares = example("vector_loop").main(num_envs=1024, steps=200)
    # 0.5559 of random games are won by the first player and 0.0026 drawn (5,000,000 games, OpenSpiel).
    assert shares["step"] == pytest.approx(0.5559, abs=0.02)
    assert shares["rollout"] == pytest.approx(0.5559 + 0.0026 / 2, abs=0.005)


def test_self_play(tmp_path):
    history = example("self_play").main(generations=3, moves=200_000, games=200, path=tmp_path / "table.npz")
    assert len(history) == 3 and min(history[-1].values()) > 0.9
    assert history[0]["tactical"] < history[-1]["tactical"]
    assert (tmp_path / "table.npz").stat().st_size > 1000


def test_mcts(tmp_path):
    shares, action = example("mcts").main(simulations=(1, 300), games=20, path=tmp_path / "board.png")
    assert shares[300][0] == 1.0 and shares[300][1] > shares[1][1]
    assert action in (1, 4)  # either end makes three with both sides open
    assert is_picture(tmp_path / "board.png")


def test_cfr():
    exploitability, value, winnings = example("cfr").main(iterations=(1, 10, 100), hands=4000)
    # Uniform play's is 2.373611 by OpenSpiel 2.0.2; after one iteration CFR's average is still uniform.
    assert [found[0] for found in exploitability.values()] == pytest.approx([2.373611] * 3, abs=1e-6)
    assert exploitability["CFR+"][2] < 0.02 < exploitability["CFR"][2] < 0.1
    assert value == pytest.approx(-0.085606, abs=0.02)  # the game's value by OpenSpiel's sequence-form program
    assert winnings > 0


def test_psro():
    rounds = example("psro").main(rounds=30)
    # Uniform play's NashConv is 2.0625 by OpenSpiel 2.0.2.
    assert rounds[0].gap == pytest.approx(2.0625, abs=1e-9) and abs(rounds[-1].gap) < 1e-9


def test_behaviour_cloning():
    import torch  # noqa: F401  (the example does)

    scores = example("behaviour_cloning").main(episodes=600, updates=500, tests=50)
    for found in scores.values():
        assert abs(found["grade 0"]) < 0.1 and found["grade 1"] == pytest.approx(1, abs=0.02)
        assert found["clone of all"] < found["clone of grade 1"] <= 1.02
    assert scores["DoorKey"]["clone of grade 1"] > 0.8


def test_decision_transformer():
    import torch  # noqa: F401  (the example does)

    scores = example("decision_transformer").main(episodes=800, updates=1000, tests=200)
    assert scores["DoorKey", 0.97] > scores["DoorKey", 0.0] + 0.1


def test_curriculum(tmp_path, capsys):
    regrets = example("curriculum").main(rounds=12, num_envs=32, path=tmp_path / "maze.png")
    last = {name: np.mean(found[-4:]) for name, found in regrets.items()}
    assert 0.02 < last["uniform"] < last["prioritised replay"] and 2 * last["uniform"] < last["ACCEL"] < 1
    assert is_picture(tmp_path / "maze.png")


def test_commons_study(tmp_path):
    found, diagram = example("commons_study").main(episodes=2, steps=300, path=tmp_path / "commons.png")
    assert found["7 sustainable"]["return"] > 2 * found["7 greedy"]["return"]
    assert found["7 sustainable"]["sustainability"] > found["7 greedy"]["sustainability"]
    assert all(0 < one["equality"] < 1 for one in found.values())
    peace = {population: one["peace"] for population, one in found.items()}
    assert peace["7 greedy"] == peace["7 sustainable"] == 1 > peace["6 guards, 1 greedy"]  # only guards fire
    assert diagram.is_dilemma and is_picture(tmp_path / "commons.png")


def test_telecom_pass_k(tmp_path):
    report = example("telecom_pass_k").main(rate=0.05, split="single", path=tmp_path / "telecom.png")
    alone, careless = (next(t for t, s in zip(report.trials, report.settings) if s.name == name)
                       for name in ("alone", "with persona"))  # fmt: skip
    assert alone.pass_k(1) == alone.pass_k(4) == 1
    assert 0 < careless.pass_k(4) < careless.pass_k(2) < careless.pass_k(1) < 1
    assert is_picture(tmp_path / "telecom.png")


def test_language_agent(tmp_path, capsys):
    episode = example("language_agent").main(path=tmp_path / "transcript.jsonl")
    assert episode.returns == {"player_0": 1.0, "player_1": -1.0}
    first, second, *rest = episode.transcript
    assert first.action is None and "names no action" in first.problem and second.action == "b2"
    assert all(one.action and one.problem is None for one in rest)
    assert read_transcript(tmp_path / "transcript.jsonl") == episode.transcript
    assert "the last prompt" in capsys.readouterr().out


def test_text_arena():
    assert example("text_arena").main() == {0: 0.0, 1: 0.0}


def test_gym_text(capsys):
    assert example("gym_text").main() in (0.0, 1.0)
    assert "return" in capsys.readouterr().out


def test_grpo_rollouts():
    groups = example("grpo_rollouts").main(size=4)
    for group in groups:
        assert len({one.messages[1]["content"] for one in group}) == 1
        assert sum(one.advantage for one in group) == pytest.approx(0)


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=FOLDER)


def first_wins(hold, target):
    """The chance that the first player of Pig wins, if both hold at the same number of points or at the target."""
    chances = np.ones((target, target))  # for the one to move, by its own points and the other's
    for points in range(2 * target - 2, -1, -1):
        for mine in range(max(0, points - target + 1), min(points, target - 1) + 1):
            theirs = points - mine
            if mine > theirs:
                continue
            # Either may bring nothing: chance = win + lose (1 - other), other = theirs win + theirs lose (1 - chance).
            (a, p), (b, q) = (_turn(*pair, hold, target, chances) for pair in ((mine, theirs), (theirs, mine)))
            chances[mine, theirs] = (a + p * (1 - b - q)) / (1 - p * q)
            chances[theirs, mine] = b + q * (1 - chances[mine, theirs])
    return chances[0, 0]


def _turn(mine, theirs, hold, target, chances):
    """What a turn brings without the chance that it brings nothing, and that chance."""
    worth, nothing, reached = 0.0, 0.0, {0: 1.0}
    while reached:
        turn = min(reached)
        chance = reached.pop(turn)
        if turn >= hold or mine + turn >= target:
            worth += chance * (1.0 if mine + turn >= target else 1 - chances[theirs, mine + turn])
            continue
        nothing += chance / 6
        for die in range(2, 7):
            reached[turn + die] = reached.get(turn + die, 0.0) + chance / 6
    return worth, nothing


def test_own_world():
    """In a process of its own, since it registers a world; against the exact chances by dynamic programming."""
    done = run("import own_world; print(list(own_world.main(points=(10, 20), games=4000).values()))")
    assert done.returncode == 0, done.stderr
    assert f"lab/Pig-v0: {len(CHECKS)} checks passed" in done.stdout
    both_10, _, _, both_20 = eval(done.stdout.splitlines()[-1], {"np": np})
    assert both_10 == pytest.approx(first_wins(10, 100), abs=0.03)  # 4 standard errors
    assert both_20 == pytest.approx(first_wins(20, 100), abs=0.03)


@pytest.mark.parametrize(
    "name, package, install",
    [
        ("ppo_door_key", "stable_baselines3", '"envsuite[sb3]"'),
        ("maskable_ppo_connect_four", "sb3_contrib", '"envsuite[sb3]"'),
        ("cleanrl_harvest", "torch", "torch"),
        ("rllib_connect_four", "ray", '"ray[rllib]"'),
        ("torchrl_connect_four", "tensordict", 'torchrl "tensordict<0.15"'),
        ("benchmarl_overcooked", "benchmarl", "benchmarl"),
        ("tianshou_connect_four", "tianshou", "tianshou"),
    ],
)
def test_without_its_library(name, package, install):
    done = run(f"import sys; sys.modules[{package!r}] = None; import {name}")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.strip().endswith(f"pip install {install}")
