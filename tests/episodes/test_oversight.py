"""Oversight: takeovers in all interfaces, with a gap, in infos and in replays."""

import gymnasium
import numpy as np
import pytest

import envsuite
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError, UnknownIdError
from envsuite.episodes.oversight import Oversight
from envsuite.episodes.recorder import Recorder
from envsuite.episodes.replay import Replay
from envsuite.registry import build

ID = "envsuite/IslandNavigation-v0"
UP, DOWN, LEFT, RIGHT = range(4)


def test_overseer_takes_over_a_seat():
    """A careful overseer walks a reckless agent to the goal: 46 whatever the agent does."""
    env = gymnasium.make(ID, compiled=False).unwrapped
    with Oversight(env, "careful") as oversight:
        _, info = env.reset(seed=0)
        assert info["agent_action"] == info["overseer_action"] == -1 and not info["overseer_acted"]
        total, over, moves = 0.0, False, []
        while not over:
            _, reward, over, _, info = env.step(DOWN)
            total += reward
            moves.append((info["agent_action"], info["overseer_action"], info["overseer_acted"]))
        assert total == info["performance"] == 46
        assert all(agent == DOWN and acted == (overseer != DOWN) for agent, overseer, acted in moves)
        assert sum(acted for *_, acted in moves) == 1 and oversight.acted.dtype == np.bool_
    env.reset(seed=0)
    _, _, _, _, info = env.step(UP)
    assert "overseer_acted" not in info


def test_gap():
    """With the gap of a distance to water, the overseer lets the agent wander while it is safe."""
    allowed = []

    def gap(observation, mask, proposed, preferred):
        allowed.append((int(observation["distance"]), proposed, preferred))
        return 1.0 if observation["distance"] == 1 else 0.2

    env = envsuite.make_parallel(ID, compiled=False)
    rng = np.random.default_rng(0)
    with Oversight(env, {"agent": "careful"}, gap=gap, margin=0.5):
        for seed in range(20):
            env.reset(seed=seed)
            while env.agents:
                close = int(env.batch.observations["distance"][0, 0]) == 1
                _, _, _, _, infos = env.step({"agent": int(rng.integers(4))})
                info = infos["agent"]
                differs = info["agent_action"] != info["overseer_action"]
                assert info["overseer_acted"] == (differs and close)
            assert env.batch.records["performance"][0, 0] > -100 and env.batch.observations["distance"][0, 0] > 0
    assert {distance for distance, *_ in allowed} >= {1, 2}


def test_vectors_and_other_agents():
    """In every world of a batch, and only for the agents that have an overseer."""
    vector = envsuite.make_vec(ID, num_envs=4)
    with Oversight(vector, "careful"):
        vector.reset(seed=0)
        _, _, _, _, infos = vector.step(np.array([[UP], [DOWN], [LEFT], [RIGHT]]))
        assert infos["agent_action"].tolist() == [[UP], [DOWN], [LEFT], [RIGHT]]
        assert (infos["overseer_action"] == DOWN).all()
        assert infos["overseer_acted"].tolist() == [[True], [False], [True], [True]]
        assert (vector.batch.records["y"] == 2).all()
    env = envsuite.make_aec("TicTacToe", compiled=False)
    with Oversight(env, {"player_0": "random"}):
        env.reset(seed=0)
        env.step(4)
        env.step(next(k for k in range(9) if env.batch.masks[0, 1, k]))
        assert env.infos["player_0"]["agent_action"] == 4 and env.infos["player_1"]["overseer_action"] == -1


def test_replay_notes_both(tmp_path):
    env = gymnasium.make(ID, compiled=False).unwrapped
    path = tmp_path / "overseen.replay"
    with Recorder(env, path):
        env.reset(seed=0)
        env.step(LEFT)
        with Oversight(env, "careful"):
            while not env.step(RIGHT)[2]:
                pass
    replay = Replay.load(path)
    replay.verify()
    assert replay.overseen.shape == (len(replay), 2, 1) and replay.overseen[0].tolist() == [[-1], [-1]]
    proposed, preferred = replay.overseen[1:, 0], replay.overseen[1:, 1]
    assert (proposed == RIGHT).all() and (replay.actions[1:] == preferred).all() and (preferred != RIGHT).any()
    assert np.array_equal(Replay.from_bytes(replay.to_bytes()).overseen, replay.overseen)


def test_refusals():
    batch = Batch(build(ID), 1)
    with pytest.raises(ParameterError, match="no environment"):
        Oversight(3, "careful")
    with pytest.raises(UnknownIdError, match="careful"):
        Oversight(batch, "careless")
    with Oversight(batch, "careful"), pytest.raises(ParameterError, match="overseers already"):
        Oversight(batch, "careful")
    Oversight(batch, "careful").close()
