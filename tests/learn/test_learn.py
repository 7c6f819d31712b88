"""Training: which rows are learned from and with what, exact resume, checkpoints, and networks as policies."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch
from gymnasium import spaces

from envsuite import registry
from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation import matches
from envsuite.learn import checkpoint, network
from envsuite.learn.checkpoint import CheckpointError
from envsuite.learn.curve import Curve
from envsuite.learn.encoder import Encoder
from envsuite.learn.learned import Learned, encoder_of
from envsuite.learn.pool import Pool
from envsuite.learn.ppo import Trainer
from envsuite.learn.resume import resume, save
from envsuite.learn.rows import Rollout, advantages
from envsuite.solvers.game_tree import Tree


def rollout(rewards, acting, values, ended=None, over=None, rest=None, last=None, waiting=None):
    """A rollout of one world: arguments (T, A)."""
    rewards, acting, values = (
        np.array(part, kind)[:, None] for part, kind in zip((rewards, acting, values), (float, bool, float))
    )
    shape = rewards.shape
    ended = np.zeros(shape, bool) if ended is None else np.array(ended, bool)[:, None]
    return Rollout(
        *(np.zeros(0),) * 2, None, *(np.zeros(0),) * 3, values, acting, rewards, ended,
        np.zeros(shape) if rest is None else np.array(rest, float)[:, None],
        ended.all(axis=2) if over is None else np.array(over, bool)[:, None], np.zeros(shape[:2], bool),
        np.zeros(shape[1:]) if last is None else np.array([last], float),
        np.zeros(shape[1:], bool) if waiting is None else np.array([waiting], bool), np.zeros(0),
    )  # fmt: skip


def test_rewards_between_decisions_belong_to_the_last_decision():
    # Two agents move in turn; each gets rewards while the other one moves, and the last reward ends the game.
    found, known = advantages(
        rollout(
            rewards=[[1, 10], [2, 20], [3, 30], [4, 40]],
            acting=[[1, 0], [0, 1], [1, 0], [0, 1]],
            values=[[0.5, 9], [9, 0.25], [1.5, 9], [9, 0.75]],
            ended=[[0, 0]] * 3 + [[1, 1]],
        ),
        discount=0.5,
        trace=0.0,
    )
    assert known[:, 0].tolist() == [[True, False], [False, True], [True, False], [False, True]]
    assert found[:, 0, 0].tolist() == [1 + 2 + 0.5 * 1.5 - 0.5, 0, 3 + 4 - 1.5, 0]
    assert found[:, 0, 1].tolist() == [0, 20 + 30 + 0.5 * 0.75 - 0.25, 0, 40 - 0.75]


def test_traces_discount_once_a_decision():
    case = rollout([[1.0], [0.0], [2.0]], [[1], [0], [1]], [[0.0], [9.0], [0.0]], [[0], [0], [1]])
    assert advantages(case, 0.5, 1.0)[0][:, 0, 0].tolist() == [1 + 0.5 * 2, 0, 2]
    assert advantages(case, 0.5, 0.5)[0][:, 0, 0].tolist() == [1 + 0.25 * 2, 0, 2]


def test_truncation_is_bootstrapped_and_termination_is_not():
    for rest, value in (([[0.0], [7.0]], 1 + 0.5 * 7), ([[0.0], [0.0]], 1.0)):
        found, known = advantages(
            rollout([[0.0], [1.0]], [[1], [1]], [[0], [0]], [[0], [1]], rest=rest, last=[99.0]), 0.5, 0.0
        )
        assert known.all() and found[1, 0, 0] == value


def test_rewards_do_not_cross_episodes():
    found, _ = advantages(rollout([[1.0], [5.0]], [[1], [1]], [[0], [0]], [[1], [0]], last=[2.0]), 0.5, 1.0)
    assert found[:, 0, 0].tolist() == [1.0, 5 + 0.5 * 2]


def test_an_agent_that_is_out_gets_what_comes_until_the_world_ends():
    # Agent 0 is out after the first step; its team wins two steps later.
    found, known = advantages(
        rollout(
            [[0, 0], [0, 0], [6, 6]], [[1, 1], [0, 1], [0, 1]], np.zeros((3, 2)), [[1, 0], [1, 0], [1, 1]],
            over=[0, 0, 1],
        ), 0.5, 0.0,
    )  # fmt: skip
    assert found[:, 0, 0].tolist() == [6, 0, 0] and known[:, 0, 0].tolist() == [True, False, False]


def test_decisions_without_an_outcome_are_left_out():
    found, known = advantages(
        rollout([[1.0], [1.0], [1.0]], [[1], [1], [0]], [[0.0], [3.0], [9.0]], last=[99.0], waiting=[True]), 1.0, 1.0
    )
    assert known[:, 0, 0].tolist() == [True, False, False] and found[:, 0, 0].tolist() == [1 + 3.0, 0, 0]


def test_collecting_fills_the_rows():
    """In KuhnPoker, agents move in turn: every game's row of rewards, acting agents and ends is as its batch says."""
    trainer = Trainer("KuhnPoker", steps=10, num_envs=8, horizon=6, seed=3)
    found = trainer._collect()
    assert found.acting.sum() == 6 * 8 and (found.acting.sum(axis=2) == 1).all()
    assert np.allclose(found.rewards.sum(axis=2), 0) and (found.rewards[~found.over] == 0).all()
    assert (found.ended.all(axis=2) == found.over).all() and found.over.any()
    assert found.begins[0].all() and (found.begins[1:] == found.over[:-1]).all()
    assert np.take_along_axis(found.masks, found.actions[..., None], 3)[found.acting].all()


def test_a_truncation_takes_the_value_of_the_last_observation():
    trainer = Trainer("Foraging", {"horizon": 3}, steps=10, num_envs=4, horizon=4, seed=1)
    found = trainer._collect()
    assert found.over[2].all() and not found.rest[[0, 1, 3]].any()
    assert found.rest[2].any() and np.isfinite(found.rest).all()
    batch = Batch(trainer.world, 4)  # the same episodes
    batch.start(1)
    for t in range(3):
        batch.step(found.actions[t])
    codes, plain = trainer.encoder.encode(batch.observations, (4, 2), range(2))
    with torch.no_grad():
        tables = [network.table(torch, net, trainer.encoder) for net in trainer.nets]
        values = trainer._logits(trainer.nets, tables, codes, plain)
    assert np.allclose(values[1], found.rest[2])


# Encoders and networks.


def test_encoder():
    world = registry.build("Foraging")
    encoder = encoder_of(world)
    batch = Batch(world, 5)
    batch.start(0)
    codes, plain = encoder.encode(batch.observations, (5, 2), [0, 1])
    assert sum(entries for entries, _ in encoder.classes) == encoder.codes == codes.shape[2]
    assert sum(a * b for a, b in encoder.classes) > codes.max() and codes.min() >= 0
    # Each entry has rows of its own.
    rows = [set(codes[..., k].ravel().tolist()) for k in range(encoder.codes)]
    assert all(not (rows[i] & rows[j]) for i in range(len(rows)) for j in range(i))
    assert plain[..., -2:].tolist() == [[[1, 0], [0, 1]]] * 5


def test_wide_numbers_are_squeezed():
    space = spaces.Dict(
        {
            "money": spaces.Box(-np.inf, np.inf, (2,), np.float64),
            "share": spaces.Box(0, 1, (1,), np.float32),
            "kind": spaces.Discrete(3, start=5),
        }
    )
    encoder = Encoder([space])
    seen = {"money": np.array([[-99.0, np.inf]]), "share": np.array([[0.25]]), "kind": np.array([6])}
    codes, plain = encoder.encode(seen, (1,))
    assert codes.tolist() == [[1]] and encoder.classes == [(1, 3)]
    assert np.allclose(plain[0, [0, 2]], [-np.log(100), 0.25]) and np.isfinite(plain).all()


@pytest.mark.parametrize("world, memory", [("DoorKey", False), ("ConnectFour", False), ("Harvest", True)])
def test_policies_play_the_network_of_the_trainer(world, memory):
    trainer = Trainer(world, steps=10, num_envs=3, horizon=4, memory=memory)
    batch, agents = trainer.batch, list(range(len(trainer.world.agents)))
    codes, plain = trainer.encoder.encode(batch.observations, (3, len(agents)), agents)
    with torch.no_grad():
        tables = [network.table(torch, net, trainer.encoder) for net in trainer.nets]
        logits = trainer._logits(trainer.nets, tables, codes, plain)[0]
    logits[batch.masks == 0] = -np.inf
    acting = batch.acting != 0
    chances = np.exp(logits[acting]) / np.exp(logits[acting]).sum(axis=1, keepdims=True)
    policy = trainer.policy()
    policy.reset(0, 3)
    assert np.allclose(policy.probabilities(batch.observations, batch.masks, agents)[acting], chances, atol=1e-5)


def test_masks_are_obeyed():
    trainer = Trainer("ConnectFour", steps=10, num_envs=2, horizon=4)
    with torch.no_grad():
        trainer.nets[0]["policy_bias"][3] = 1e3
    trainer.train(16)  # illegal moves would be errors
    batch = Batch(trainer.world, 1)
    batch.start(0)
    policy, greedy = trainer.policy(), trainer.policy(greedy=True)
    for _ in range(6):
        assert (
            policy.act(batch.observations[0, batch.acting[0].argmax()], batch.masks[0, batch.acting[0].argmax()]) == 3
        )
        batch.step(3)
    mover = int(batch.acting[0].argmax())
    assert batch.masks[0, mover, 3] == 0
    for one in (policy, greedy):
        assert one.act(batch.observations[0, mover], batch.masks[0, mover], mover) != 3


# Trainers.

CASES = {
    "memory": dict(world="DoorKey", params={"size": 5}, memory=True),
    "pool": dict(world="ConnectFour", opponents=Pool(["tactical"], selves=2, every=1, share=0.5)),
    "state": dict(world="Overcooked", critic="state", share=False),
    "magnet": dict(world="KuhnPoker", magnet=0.1),
    "stages": dict(world="DoorKey", params={"size": 7, "horizon": 16}, stages=[({"size": k}, 0.0) for k in (5, 6)]),
}


@pytest.mark.parametrize("name", CASES)
def test_resume_is_exact(name, tmp_path):
    one = Trainer(steps=2000, num_envs=4, horizon=8, hidden=16, **CASES[name])
    one.train(3 * 32)
    save(one, tmp_path / "net")
    other = resume(tmp_path / "net")
    assert one.stage == other.stage == (name == "stages")
    for trainer in (one, other):
        trainer.train(7 * 32)
    assert one.stage == other.stage == 2 * (name == "stages")
    mine, theirs = one.network().arrays(), other.network().arrays()
    assert mine.keys() == theirs.keys() and all((mine[key] == theirs[key]).all() for key in mine)
    assert (one.batch.records == other.batch.records).all()
    assert [{**row, "seconds": 0} for row in one.curve.rows] == [{**row, "seconds": 0} for row in other.curve.rows]


def test_same_seed_same_network():
    def trained(seed):
        trainer = Trainer("KuhnPoker", steps=2000, num_envs=8, horizon=8, seed=seed)
        trainer.train(256)
        return trainer.network().arrays()["0/policy"]

    assert (trained(1) == trained(1)).all() and (trained(1) != trained(2)).any()


def test_it_learns():
    trainer = Trainer("KuhnPoker", steps=20_000, num_envs=64, horizon=16, discount=1.0, magnet=0.2)
    curve = trainer.train()
    tree = Tree(trainer.world)
    assert tree.exploitability(tree.uniform()) > 0.45
    assert tree.exploitability(tree.tabulated(trainer.policy())) < 0.35
    assert curve.rows[-1]["steps"] == 20_480 and curve.scene().shapes


def test_imitation():
    """The network plays like its teacher, in its agents' seats alone, and training continues from there."""
    trainer = Trainer("Empty", {"size": 5}, steps=2048, num_envs=16, horizon=32, seed=3)
    trainer.imitate("solver", 6000)
    assert trainer.done == 0 and not trainer.curve.rows
    assert matches.play(trainer.world, trainer.policy(greedy=True), 50).returns.mean() > 0.9
    trainer.train(512)
    assert trainer.done == 512 and matches.play(trainer.world, trainer.policy(), 50).returns.mean() > 0.5
    with pytest.raises(ParameterError, match="comes before train"):
        trainer.imitate("solver", 10)
    trainer = Trainer("KuhnPoker", steps=2048, agents=["player_1"], opponents="random", num_envs=32, horizon=16)
    trainer.imitate("equilibrium", 12_000)
    tree = Tree(trainer.world)  # against the equilibrium, the other player gets at most -1/18 (Kuhn, 1950)
    assert tree.best_response(0, tree.tabulated(trainer.policy(), [1]))[0] < -1 / 18 + 0.03


def test_agents_that_do_not_learn():
    trainer = Trainer("ConnectFour", agents=["player_1"], opponents="tactical", steps=100, num_envs=4, horizon=8)
    assert not trainer._collect().acting[:, :, 0].any()
    with pytest.raises(ParameterError, match="was not trained for player_0"):
        matches.play(trainer.world, trainer.policy(), 1)
    assert len(matches.play(trainer.world, ["random", trainer.policy()], 2).lengths) == 2
    with pytest.raises(ParameterError, match="the others need opponents"):
        Trainer("ConnectFour", agents=["player_1"])


def test_stages():
    stages = [({"size": 5}, 0.5), ({"size": 5, "horizon": 9}, -1.0)]
    trainer = Trainer("DoorKey", {"size": 6, "horizon": 8}, stages=stages, steps=10**6, num_envs=4, horizon=8)
    assert trainer.batch.world.parameters == {"size": 5, "horizon": 8}
    trainer.train(64)
    assert trainer.stage == 0 and trainer.curve.rows[-1]["stage"] == 0  # no return of 0.5 yet
    trainer._latest[:] = 0.0, 0.5, 0.6, 0.9  # the mean is enough, but new episodes end in this update
    trainer._finish = lambda over: None
    trainer.train(96)
    del trainer._finish
    assert trainer.stage == 1 and trainer.batch.world.parameters == {"size": 5, "horizon": 9}
    trainer.train(128)
    assert trainer.stage == 1  # 8 of the 9 steps: no episode has ended
    trainer.train(160)
    assert trainer.stage == 2 and trainer.batch.world is trainer.world
    trainer.train(256)
    assert trainer.stage == 2 and [row["stage"] for row in trainer.curve.rows] == [0, 0, 0, 1, 1, 2, 2, 2]
    for wrong, words in (
        ([({"horizon": 8, "mines": 1}, 0.5)], "has no parameter 'mines'"),
        ([({"size": 5},)], "stages"),
        ([({"size": 5}, math.nan)], "stages"),
    ):
        with pytest.raises(ParameterError, match=words):
            Trainer("DoorKey", stages=wrong)
    with pytest.raises(ParameterError, match="one network cannot learn it too"):
        Trainer("ConnectFour", stages=[({"columns": 5}, 0.5)])


def test_schedule():
    seen = []
    trainer = Trainer(
        "Overcooked", {"weights": (1, 1)}, steps=128, num_envs=2, horizon=16,
        schedule=lambda share: seen.append(share) or {"weights": (1, 1 - share)},
    )  # fmt: skip
    trainer.train()
    assert trainer.batch.records["params"]["weights"].tolist() == [[1, 0.25]] * 2 and seen[-1] == 0.75


def test_pools():
    pool, world = Pool(["tactical"], selves=2, pick="pfsp", share=1.0), registry.build("ConnectFour")
    pool.enter(world, 4, 0)
    names = []
    for k in range(3):
        one = make_policy("random", world)
        names.append(one)
        pool.add(one, 4, k)
    assert pool.members[1:] == [names[2], names[1]] and pool.fixed == 1
    pool.wins = np.array([1.0, 0.0, 1.0])
    assert np.bincount(pool.draw(np.random.default_rng(0), 1000)).argmax() == 1
    pool.report(np.array([1]), np.array([1.0]))
    assert pool.wins[1] > 0
    with pytest.raises(ParameterError, match="a pool needs"):
        Pool()


# Checkpoints.


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("nets") / "net.ckpt"
    trainer = Trainer("KuhnPoker", steps=100, num_envs=4, horizon=4, hidden=8)
    trainer.train(32)
    save(trainer, path)
    return path


def test_broken_checkpoints(stored, tmp_path):
    data, world = stored.read_bytes(), registry.build("KuhnPoker")
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    broken = {
        "cut": data[:-9],
        "flipped": bytes(flipped),
        "text": b"hello",
        "empty": b"",
        "pickle": pickle.dumps(print),
    }
    for name, content in broken.items():
        path = tmp_path / name
        path.write_bytes(content)
        for read in (lambda path: Learned(world, str(path)), resume):
            with pytest.raises(CheckpointError, match="is no checkpoint"):
                read(path)
    with pytest.raises(ParameterError, match="is no file and no network"):
        Learned(world, "nothing")
    with pytest.raises(CheckpointError, match="No such file"):
        Learned(world, str(tmp_path / "none.ckpt"))
    with pytest.raises(CheckpointError, match="does not fit"):
        make_policy(f"learned:{stored}", "LeducPoker")


def test_wrong_contents(stored, tmp_path):
    data, arrays = checkpoint.read(stored)
    world, path = registry.build("KuhnPoker"), tmp_path / "net"
    wrong = [
        ({**data, "hidden": 9}, arrays),
        ({**data, "hidden": 10**9}, arrays),
        ({**data, "layers": 10**15}, arrays),
        ({**data, "groups": [[0.5], "x"]}, arrays),
        ({key: value for key, value in data.items() if key != "groups"}, arrays),
        (data, {key: value for key, value in arrays.items() if key != "0/policy"}),
        (data, {**arrays, "0/policy": arrays["0/policy"] * np.float32(np.nan)}),
    ]
    for some, others in wrong:
        checkpoint.write(path, some, others)
        with pytest.raises(CheckpointError):
            Learned(world, str(path))
    checkpoint.write(path, data, {**arrays, "records": arrays["records"][:-1]})
    with pytest.raises(CheckpointError, match="cannot be resumed"):
        resume(path)
    Learned(world, str(stored)).network.save(world, path)
    with pytest.raises(CheckpointError, match="without the state of their training"):
        resume(path)


def test_one_network_starts_another(stored, tmp_path):
    world = registry.build("KuhnPoker")
    found = Learned(world, str(stored)).network
    trainer = Trainer(world, steps=100, hidden=8, num_envs=2, seed=9)
    trainer.start_from(found)
    assert (trainer.network().weights[0]["policy"] == found.weights[0]["policy"]).all()
    with pytest.raises(CheckpointError, match="cannot start"):
        Trainer(world, steps=100, hidden=16, num_envs=2).start_from(found)


# Policies.


def test_learned_plays_everywhere(stored):
    name = f"learned:{stored}"
    some = matches.play("KuhnPoker", name, 8)
    again = matches.play("KuhnPoker", name, 4, seed=2)
    assert (some.returns[2:6] == again.returns).all()
    assert matches.play("KuhnPoker", [f"{name},greedy=true", "random"], 4).returns.shape == (4, 2)


def test_policies_need_no_torch(stored):
    script = (
        "import sys\nfrom envsuite.evaluation import matches\n"
        f"matches.play('KuhnPoker', ['learned:{stored}', 'random'], 2)\nassert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_memory_is_kept_and_forgotten():
    trainer = Trainer("DoorKey", steps=10, num_envs=2, horizon=4, memory=True, hidden=8)
    policy, batch = trainer.policy(), trainer.batch

    def chances():
        return policy.probabilities(batch.observations, batch.masks, [0])

    policy.reset(0, 2)
    first = chances()
    state = policy.get_state()
    second = chances()
    assert np.abs(second - first).max() > 1e-6
    policy.set_state(state)
    assert (chances() == second).all()
    policy.refresh(np.array([True, False]))
    third = chances()
    assert (third[0] == first[0]).all() and (third[1] != first[1]).any()
    with pytest.raises(SnapshotError):
        policy.set_state(state[:-1])


def test_curves(tmp_path):
    curve = Curve("X")
    for k in range(500):
        curve.add(k, 0.5, [1.0, 3.0] if k % 2 else [], [10.0, 10.0] if k % 2 else [], {"entropy": 1.0})
    assert curve.recent() == 2.0 and curve.rows[-1]["seconds"] == 250
    assert 100 < len(curve.points()) <= 200 and {y for _, y in curve.points()} == {2.0}
    curve.save(tmp_path / "curve.json")
    assert (tmp_path / "curve.json").read_text().startswith('{"world": "X"')


# What the page claims.


@pytest.mark.slow
def test_door_key():
    trainer = Trainer("DoorKey", {"size": 5}, steps=250_000, epochs=4, minibatches=8, entropy=0.02)
    trainer.train()
    assert matches.play(trainer.world, trainer.policy(), 1000, 10**6).returns.mean() > 0.96


@pytest.mark.slow
def test_kuhn_poker():
    trainer = Trainer(
        "KuhnPoker", steps=1_000_000, num_envs=256, horizon=16, discount=1.0, magnet=0.2, magnet_rate=0.02,
        entropy=0.05, final_entropy=0.0, final_rate=0.0, minibatches=1,
    )  # fmt: skip
    trainer.train()
    tree = Tree(trainer.world)
    assert tree.exploitability(tree.tabulated(trainer.policy())) < 0.05
