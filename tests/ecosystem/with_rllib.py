"""RLlib learns by the example: by PettingZoo's agent-by-agent form, and from a vector of worlds."""

import numpy as np
import pytest
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from shared import example, obeyed, watched

import envsuite
from envsuite.interfaces.rllib import WorldVector
from envsuite.testing import random_actions


@pytest.mark.parametrize("id", ["ConnectFour", "Overcooked"])
@pytest.mark.parametrize("vector", [True, False])
def test_example(id, vector):
    with watched() as counts:
        results = example("rllib_connect_four").main(id, vector, iterations=2, moves=512, num_envs=8)
    losses = [value for name, value in results["learners"]["shared"].items() if "loss" in name]
    assert len(losses) > 3 and np.isfinite(losses).all() and obeyed(counts, 1024)


@pytest.mark.parametrize("id", ["ConnectFour", "Werewolf", "Coins", "Telecom"])
def test_vector_of_worlds(id):
    """Episodes as RLlib collects them: the rewards of a plain vector, and steps of agents that act only."""
    params = {"horizon": 9} if id == "Coins" else {}
    envs, plain = WorldVector(3, id, **params), envsuite.make_vec(id, 3, **params)
    seen, infos = envs.reset(seed=0)
    _, masks = plain.reset(0)
    episodes = [MultiAgentEpisode() for _ in range(3)]
    for episode, first, info in zip(episodes, seen, infos):
        episode.add_env_reset(observations=first, infos=info)
    rng, ended = np.random.default_rng(0), 0
    returns, decisions = np.zeros((3, len(plain.agents))), np.zeros((3, len(plain.agents)), int)
    for _ in range(120):
        actions = random_actions(masks["action_mask"], rng)
        acting = plain.batch.acting != 0
        chosen = [{agent: actions[i, a] for a, agent in enumerate(plain.agents) if acting[i, a]} for i in range(3)]
        assert all(set(chosen[i]) <= set(seen[i]) for i in range(3))
        resetting = plain.batch.over()
        seen, rewards, terminated, truncated, infos = envs.step(chosen)
        _, expected, _, _, masks = plain.step(actions)
        for i in range(3):
            if resetting[i]:
                episodes[i], returns[i], decisions[i] = MultiAgentEpisode(), 0, 0
                episodes[i].add_env_reset(observations=seen[i], infos=infos[i])
                continue
            episodes[i].add_env_step(seen[i], chosen[i], rewards[i], infos[i], terminateds=terminated[i],
                                     truncateds=truncated[i])  # fmt: skip
            returns[i] += expected[i]
            decisions[i] += acting[i]
            assert episodes[i].is_done == plain.batch.finished[i]
            if episodes[i].is_done:
                ended += 1
                for agent, done, paid in zip(plain.agents, decisions[i], returns[i]):
                    if done:  # RLlib has no episodes of agents that never act
                        one = episodes[i].agent_episodes[agent]
                        assert len(one) == done and one.get_return() == pytest.approx(paid)
        for i in range(3):
            assert all(envs.single_observation_spaces[agent].contains(one) for agent, one in seen[i].items())
    assert ended > 2 or id == "Telecom"
