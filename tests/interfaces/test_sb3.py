"""Vectors for Stable-Baselines3, against Gymnasium's; the package itself is too large for the tests."""

import importlib
import sys
from types import ModuleType

import gymnasium
import numpy as np
import pytest

import envsuite  # noqa: F401  (registers the worlds)
from envsuite.core.errors import ParameterError


class VecEnv:
    """What `SB3Vector` uses of stable_baselines3.common.vec_env.VecEnv (2.9)."""

    def __init__(self, num_envs, observation_space, action_space):
        self.num_envs, self.observation_space, self.action_space = num_envs, observation_space, action_space
        self._reset_seeds()
        self._options = [{} for _ in range(num_envs)]
        self.render_mode = self.get_attr("render_mode")[0]

    def _reset_seeds(self):
        self._seeds = [None for _ in range(self.num_envs)]

    def seed(self, seed):
        self._seeds = [seed + k for k in range(self.num_envs)]

    def _get_indices(self, indices):
        return range(self.num_envs) if indices is None else [indices] if isinstance(indices, int) else indices

    def step(self, actions):
        self.step_async(actions)
        return self.step_wait()


@pytest.fixture
def wrap(monkeypatch):
    names = ["stable_baselines3", "stable_baselines3.common", "stable_baselines3.common.vec_env"]
    for name in names:
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    sys.modules[names[-1]].VecEnv = VecEnv
    monkeypatch.delitem(sys.modules, "envsuite.interfaces.sb3", raising=False)
    yield importlib.import_module("envsuite.interfaces.sb3").SB3Vector
    sys.modules.pop("envsuite.interfaces.sb3", None)


def make(id, num=16, **options):
    return gymnasium.make_vec(id, num, autoreset="same_step", **options)


def test_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    monkeypatch.delitem(sys.modules, "envsuite.interfaces.sb3", raising=False)
    with pytest.raises(ImportError, match=r'pip install "envsuite\[sb3\]"'):
        importlib.import_module("envsuite.interfaces.sb3")


def test_masked(wrap):
    """ConnectFour: boards without masks, masks apart, last boards of games in infos, rewards of both ends."""
    envs, plain = (
        wrap(make("envsuite/ConnectFour-v0", opponents="tactical")),
        make("envsuite/ConnectFour-v0", opponents="tactical"),
    )
    assert envs.observation_space == plain.single_observation_space["observation"]
    assert envs.action_space == gymnasium.spaces.Discrete(7) and envs.render_mode is None
    envs.seed(5)
    observations = envs.reset()
    expected, infos = plain.reset(seed=5)
    random, ended = np.random.default_rng(0), 0
    for _ in range(60):
        assert (observations == expected["observation"]).all()
        masks = np.stack(envs.env_method("action_masks"))
        assert masks.dtype == bool and (masks == infos["action_mask"]).all() and (envs.action_masks() == masks).all()
        assert (envs.env_method("action_masks", indices=[3])[0] == masks[3]).all()
        actions = (masks * random.random(masks.shape)).argmax(axis=1)
        observations, rewards, over, told = envs.step(actions)
        expected, paid, terminated, truncated, infos = plain.step(actions)
        assert rewards.dtype == np.float32 and (rewards == paid).all() and (over == terminated | truncated).all()
        for i in range(16):
            assert set(told[i]) == ({"terminal_observation", "TimeLimit.truncated"} if over[i] else set())
            if over[i]:
                assert (told[i]["terminal_observation"] == infos["final_obs"]["observation"][i]).all()
                assert told[i]["TimeLimit.truncated"] is False
                ended += 1
    assert ended > 50
    again = envs.reset()
    assert (again == plain.reset()[0]["observation"]).all()  # the seed was for one reset


def test_parts(wrap):
    """DoorKey: named parts stay; episodes that are cut off say so."""
    envs = wrap(make("envsuite/DoorKey-v0", size=5, horizon=3))
    assert set(envs.observation_space) == {"image", "direction"}
    envs.seed(0)
    first = envs.reset()
    left = np.zeros(16, int)
    for t in range(3):
        seen, rewards, over, told = envs.step(left)
        assert over.all() == over.any() == (t == 2)
    assert all(one["TimeLimit.truncated"] for one in told) and not rewards.any()
    last = told[7]["terminal_observation"]
    assert last["direction"] == (first["direction"][7] - 3) % 4 and last["image"].shape == (7, 7, 3)


def test_refuses(wrap):
    with pytest.raises(ParameterError, match="same_step"):
        wrap(gymnasium.make_vec("envsuite/DoorKey-v0", 2, size=5))
    envs = wrap(make("envsuite/DoorKey-v0", 2, size=5))
    for call in (lambda: envs.env_method("text"), lambda: envs.set_attr("size", 6), lambda: envs.get_attr("size")):
        with pytest.raises(AttributeError):
            call()


def test_options_and_pictures(wrap):
    """A level for the next reset."""
    envs = wrap(make("envsuite/ConnectFour-v0", 4, render_mode="rgb_array"))
    envs.set_options({"level": {"moves": [3, 3]}})
    assert (envs.reset().sum(axis=(1, 2, 3)) == 2).all()
    assert envs.reset().sum() == 0
    assert len(envs.get_images()) == 4 and envs.render_mode == "rgb_array"
