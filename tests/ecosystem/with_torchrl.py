"""TorchRL takes all forms of worlds, and learns by the example."""

import gymnasium
import numpy as np
import pytest
import torch
from shared import example, obeyed, watched
from torchrl.envs import ActionMask, GymWrapper, PettingZooWrapper, TransformedEnv, check_env_specs

import envsuite


def plays(env):
    """The specs of an environment hold, and random actions obey masks."""
    with watched() as counts:
        check_env_specs(env)
        env.rollout(50, break_when_any_done=False)
    assert obeyed(counts, 10)


@pytest.mark.parametrize("id", ["DoorKey", "KuhnPoker", "Overcooked"])
def test_gymnasium(id):
    plays(GymWrapper(gymnasium.make(f"envsuite/{id}-v0")))
    plays(GymWrapper(gymnasium.make(f"envsuite/{id}-v0", flat="scaled", masks="infos")))
    # With "same_step", TorchRL 0.14 fails on Dict observations, those of Gymnasium's own vectors too.
    plays(GymWrapper(gymnasium.make_vec(f"envsuite/{id}-v0", 3, autoreset="disabled")))
    plays(GymWrapper(gymnasium.make_vec(f"envsuite/{id}-v0", 3, autoreset="same_step", flat="scaled")))


def test_gymnasium_with_masks():
    id = "envsuite/Breakthrough-v0"
    for env in (gymnasium.make(id), gymnasium.make_vec(id, 3, autoreset="disabled")):
        plays(TransformedEnv(GymWrapper(env, categorical_action_encoding=True), ActionMask()))


def test_why_reward_space_is_not_our_name_for_vector_rewards():
    class Named(gymnasium.Wrapper):
        reward_space = envsuite.make_parallel("Overcooked").vector_reward_space

    with pytest.raises(RuntimeError, match="Shape mismatch"):
        check_env_specs(GymWrapper(Named(gymnasium.make("envsuite/Overcooked-v0"))))


@pytest.mark.parametrize("idle", ["ones", "noop"])
@pytest.mark.parametrize("id", ["ConnectFour", "KuhnPoker", "Werewolf", "Telecom", "Harvest", "Overcooked"])
def test_pettingzoo(id, idle):
    plays(PettingZooWrapper(envsuite.make_parallel(id, idle=idle), use_mask=True))
    plays(PettingZooWrapper(envsuite.make_aec(id, idle=idle), use_mask=True))


def test_idle_agents_need_masks():
    with pytest.raises(RuntimeError, match="multinomial"):
        plays(PettingZooWrapper(envsuite.make_parallel("ConnectFour")))


@pytest.mark.parametrize("id", ["ConnectFour", "Foraging"])
def test_example(id):
    torch.manual_seed(0)
    with watched() as counts:
        losses = example("torchrl_connect_four").main(id, iterations=2, steps=200, epochs=2)
    assert len(losses) == 2 and np.isfinite(losses).all() and obeyed(counts, 400)
