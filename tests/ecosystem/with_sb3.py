"""Stable-Baselines3 and sb3-contrib learn by the examples, and take environments and vectors as they are."""

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from shared import example, obeyed, watched
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env

import envsuite
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.sb3 import SB3Vector

SMALL = dict(n_steps=32, batch_size=64, n_epochs=2, device="cpu")


def finite(model):
    """Whether the last losses are numbers."""
    losses = {name: value for name, value in model.logger.name_to_value.items() if "loss" in name}
    return len(losses) > 2 and all(np.isfinite(value) for value in losses.values())


def test_ppo_example():
    assert len(example("ppo_door_key").main(rounds=2, actions=8192, episodes=8)) == 2


def test_maskable_ppo_example(tmp_path):
    with watched() as counts:
        won = example("maskable_ppo_connect_four").main(generations=1, moves=16384, games=4, folder=tmp_path)
    assert set(won) == {"random", "MCTS of 30 simulations"} and obeyed(counts, 16384)


@pytest.mark.parametrize("options", [{}, {"flat": "scaled", "masks": "infos"}, {"flat": "one-hot"}], ids=str)
def test_single_environments(options):
    env = Seat("KuhnPoker", **options)
    check_env(env)
    policy = "MlpPolicy" if options.get("masks") or not env.world.masked else "MultiInputPolicy"
    with watched() as counts:
        model = MaskablePPO(policy, env, **SMALL).learn(64)
    assert finite(model) and obeyed(counts, 64)


@pytest.mark.parametrize("id", ["Harvest", "Overcooked"])
def test_agents_that_share_a_network(id):
    envs = SB3Vector(envsuite.make_vec(id, 4, flat="scaled", autoreset="same_step").flatten())
    with watched() as counts:
        model = PPO("MlpPolicy", envs, **SMALL).learn(2 * 32 * envs.num_envs)
    assert finite(model) and obeyed(counts, 64 * envs.num_envs)
