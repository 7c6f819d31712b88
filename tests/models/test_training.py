"""The shapes that trainers take: TextArena, Gymnasium text spaces, groups of rollouts."""

import asyncio

import gymnasium
import kit
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import envsuite
from envsuite.core.errors import NotReadyError, ParameterError
from envsuite.evaluation import matches
from envsuite.models.client import Scripted
from envsuite.models.protocol import Protocol
from envsuite.models.training import TextArena, TextEnv, rollouts
from envsuite.registry import build


def first(text):
    return f"Action: {kit.legal_in(text)[0]}"


def replayed(id, seed, seats):
    """The returns of an episode in which the agents of these seats take their first legal action."""

    def lowest(observation, mask):
        return int(np.flatnonzero(mask)[0])

    world = build(id)
    return matches.play(world, [lowest if a in seats else "random" for a in range(len(world.agents))], 1, seed).returns[
        0
    ]


@pytest.mark.parametrize("id", ["TicTacToe", "Goofspiel"])
def test_text_arena(id):
    env = TextArena(id)
    for seed in (3, 4):
        env.reset(num_players=2, seed=seed)
        done, asked = False, []
        while not done:
            player, observation = env.get_observation()
            asked.append((player, observation))
            done, info = env.step(first(observation))
            assert info == {"problem": None}
        rewards, infos = env.close()
        assert [rewards[a] for a in range(2)] == replayed(id, seed, (0, 1)).tolist()
        assert infos[1] == {"role": "player_1"}
        single = envsuite.make_aec(id)
        single.reset(seed=seed)
        begins = single.prompt("player_0")[:20]
        assert [begins in text for _, text in asked] == [True, True] + [False] * (len(asked) - 2)
        assert [player for player, _ in asked[:4]] == [0, 1, 0, 1]
    with pytest.raises(NotReadyError):
        env.get_observation()
    with pytest.raises(ParameterError, match="2 players, not 3"):
        env.reset(num_players=3)


def test_text_env():
    env = TextEnv("TicTacToe", agent="player_1")
    assert isinstance(env, gymnasium.Env)
    observation, info = env.reset(seed=5)
    total, over = 0.0, False
    while not over:
        assert observation in env.observation_space
        observation, reward, terminated, truncated, info = env.step(first(observation))
        total, over = total + reward, terminated or truncated
    assert total == replayed("TicTacToe", 5, (1,))[1] and terminated and not truncated
    with pytest.raises(NotReadyError):
        env.step("Action: a1")
    again, _ = env.reset(seed=5)
    *_, info = env.step("Let us see.")
    assert "names no action" in info["problem"] and "\n\nYou are player_1." in again


def test_gymnasium_checker():
    env = TextEnv("TicTacToe")
    env.action_space.seed(0)
    check_env(env, skip_render_check=True)


def test_rollouts():
    rng = np.random.default_rng(0)

    async def model(messages):
        if rng.random() < 0.2:
            return "Well."
        legal = kit.legal_in(messages[-1]["content"])
        return f"Action: {legal[rng.integers(len(legal))]}"

    group = rollouts("TicTacToe", model, 6, seed=7, opponents="random")
    starts = {one.messages[1]["content"] for one in group}
    assert len(starts) == 1 and len({tuple(m["content"] for m in one.messages) for one in group}) > 1
    for one in group:
        assert len(one.rewards) == len(one.turns) == len(one.usable)
        assert all(one.messages[place]["role"] == "assistant" for place in one.turns)
        assert one.rewards[:-1].sum() == 0 and one.ret in (-1, 0, 1)
        for place, usable in zip(one.turns, one.usable):
            assert (one.messages[place]["content"] == "Well.") <= (not usable)
    returns = np.array([one.ret for one in group])
    expected = (returns - returns.mean()) / returns.std() if returns.std() else 0 * returns
    assert np.allclose([one.advantage for one in group], expected)

    async def notebook():  # where an event loop is running
        return rollouts("TicTacToe", Scripted("tactical"), 1, seed=7)

    assert asyncio.run(notebook())[0].advantage == 0
    same = rollouts("TicTacToe", Scripted("tactical"), 2, seed=7)
    assert [one.advantage for one in same] == [0, 0]
    with pytest.raises(ParameterError, match="keeps all turns"):
        rollouts("TicTacToe", model, 2, 0, protocol=Protocol("prompt"))
